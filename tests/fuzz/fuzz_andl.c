/* make fuzz: the reader and writer of ANDL and CANDL. The reader must return an error with a message, or a net. If this can be
 * written, it can be read again, and is then written as the same text. */
#include "../../src/io/ff_io.h"
#include "fuzz.h"

static void round_trip(const ff_petri *net) {
  ff_error err = {FF_OK, ""};
  ff_petri *again;
  char *text, *second;
  ff_status status = ff_io_petri_text(&text, net, FF_FORMAT_CANDL, &err);
  MUST(status == FF_OK || status == FF_EMODEL || status == FF_ESIZE, err.text);
  if (status != FF_OK) return;
  status = ff_io_parse_petri(&again, NULL, text, strlen(text), "written", FF_FORMAT_CANDL, NULL, &err);
  if (status != FF_OK) fprintf(stderr, "%s\n", err.text);
  MUST(status == FF_OK && again->n_transitions == net->n_transitions && again->n_places == net->n_places, text);
  status = ff_io_petri_text(&second, again, FF_FORMAT_CANDL, &err);
  MUST(status == FF_OK, err.text);
  if (strcmp(text, second) != 0) fprintf(stderr, "%s\n", second);
  MUST(strcmp(text, second) == 0, text);
  ff_petri_free(again);
  free(text);
  free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ff_error err = {FF_OK, ""};
  ff_petri *net;
  const ff_status status = ff_io_parse_petri(&net, NULL, (const char *)data, size, "net", FF_FORMAT_CANDL, NULL, &err);
  if (status != FF_OK) {
    MUST(net == NULL, err.text);
    must_explain(status, &err, 1);
    return 0;
  }
  round_trip(net);
  ff_petri_free(net);
  return 0;
}
