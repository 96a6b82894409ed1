/* Tests one reader on any input. It must return an error with a message, or a network that can be written and read back
 * unchanged. Define FORMAT, the format to read, before including this file. */
#ifndef FF_FUZZ_READER_H
#define FF_FUZZ_READER_H

#include "../../src/io/ff_io.h"
#include "../c/same_network.h"
#include "fuzz.h"

/* FF_EMODEL is a correct answer if the format cannot express the network. */
static void round_trip(const ff_pbn *pbn, ff_format format, int exact) {
  ff_error err = {FF_OK, ""};
  ff_pbn *again;
  char *text;
  ff_status status = ff_io_text(&text, pbn, format, &err);
  MUST(status == FF_OK || (format != FF_FORMAT_ASSA && status == FF_EMODEL), err.text);
  if (status != FF_OK) return;
  status = ff_io_parse(&again, NULL, text, strlen(text), "written", format, &err);
  MUST(status == FF_OK, err.text);
  MUST(same_network(pbn, again, exact), text);
  ff_pbn_free(again);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ff_error err = {FF_OK, ""};
  ff_pbn *pbn;
  ff_format found;
  ff_status status = ff_io_parse(&pbn, &found, (const char *)data, size, "net", FORMAT, &err);
  if (status != FF_OK) {
    MUST(pbn == NULL, err.text);
    must_explain(status, &err, FORMAT == FF_FORMAT_SBML);
    return 0;
  }
  MUST(found == FORMAT, err.text);
  round_trip(pbn, FF_FORMAT_ASSA, 1);
  if (FORMAT != FF_FORMAT_ASSA) round_trip(pbn, FORMAT, 0);
  ff_pbn_free(pbn);
  return 0;
}

#endif
