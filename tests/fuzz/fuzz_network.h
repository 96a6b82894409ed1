/* Tests one reader of reaction networks on any input. It must return an error with a message, or a network whose texts can be
 * parsed again and that can be written and read back. Define FORMAT, the format to read, before including this file. */
#ifndef FF_FUZZ_NETWORK_H
#define FF_FUZZ_NETWORK_H

#include "../../src/io/ff_io.h"
#include "../c/reactions_text.h"
#include "fuzz.h"

/* FF_EMODEL is a correct answer if the format cannot express the network. */
static void round_trip(const ff_reactions *net, ff_format format) {
  ff_error err = {FF_OK, ""};
  ff_io_model again;
  char *text;
  ff_status status = ff_io_reactions_text(&text, net, format, &err);
  MUST(status == FF_OK || status == FF_EMODEL, err.text);
  if (status != FF_OK) return;
  status = ff_io_parse_model(&again, NULL, text, strlen(text), "written", format, &err);
  MUST(status == FF_OK && again.reactions->n_reactions == net->n_reactions, text);
  ff_io_model_free(&again);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ff_error err = {FF_OK, ""};
  ff_io_model model;
  ff_status status = ff_io_parse_model(&model, NULL, (const char *)data, size, "net", FORMAT, &err);
  if (status != FF_OK) {
    MUST(model.pbn == NULL && model.reactions == NULL, err.text);
    must_explain(status, &err, 1);
    return 0;
  }
  MUST((model.pbn == NULL) != (model.reactions == NULL), "one network");
  MUST(FORMAT == FF_FORMAT_SBML || model.reactions != NULL, "no reaction network"); /* SBML may hold a Boolean one */
  if (model.reactions != NULL) {
    MUST(keeps_its_text(model.reactions), "a text");
    round_trip(model.reactions, FF_FORMAT_BNGL);
    round_trip(model.reactions, FF_FORMAT_SBML);
  }
  ff_io_model_free(&model);
  return 0;
}

#endif
