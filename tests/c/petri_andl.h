/* Nets in ANDL and CANDL for tests: texts, and nets that are written and read again. */
#ifndef FF_TESTS_PETRI_ANDL_H
#define FF_TESTS_PETRI_ANDL_H

#include "../../src/model/petri/ff_petri_flat.h"
#include "petri_describe.h"

#define COUNT_OF(list) (sizeof(list) / sizeof(list)[0])
#define NET(type, body) type " [a net] {\n" body "}\n"
#define PLACES "places: discrete: A = 5; B = 0; continuous: X = 1.5;\n"
#define COLOURS "colorsets: R = {1..3}; S = {1..3}; G = PROD(R,S);\nvariables: R : x; S : y; R : v; S : w;\n"
#define GRIDS COLOURS "places: discrete: G A = 0`all; R B = 0`all; N = 0; continuous: G C = 0`all;\n"

static inline ff_status read_net(ff_petri **net, const char *text, const ff_io_petri_options *options, ff_error *err) {
  return ff_io_parse_petri(net, NULL, text, strlen(text), "net", FF_FORMAT_AUTO, options, err);
}

/* The written net must be read as the same one. Returns whether it could be written. */
static inline int round_trip(const ff_petri *net, const char *from) {
  ff_error err;
  ff_petri *again;
  char *text, *before, *after;
  const ff_status status = ff_io_petri_text(&text, net, FF_FORMAT_CANDL, &err);
  FF_CHECK_SAY(status == FF_OK || status == FF_EMODEL, "%s", err.text);
  if (status != FF_OK) return 0;
  const ff_status read = read_net(&again, text, NULL, &err);
  FF_CHECK_SAY(read == FF_OK, "%s: %s\n%s", from, err.text, text);
  if (read == FF_OK) {
    before = describe_net(net);
    after = describe_net(again);
    FF_CHECK_STR(after, before);
    free(before);
    free(after);
    ff_petri_free(again);
  }
  free(text);
  return 1;
}

#endif
