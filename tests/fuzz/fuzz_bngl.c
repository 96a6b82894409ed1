/* make fuzz: the reader of BioNetGen's network format. */
#include <stdint.h>
#include <stdio.h>

#include "../../src/io/ff_io.h"
#include "../c/reactions_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond, text)                                                  \
  do {                                                                    \
    if (!(cond)) {                                                        \
      fprintf(stderr, "not true: %s\n%s\n", #cond, (text) ? (text) : ""); \
      abort();                                                            \
    }                                                                     \
  } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ff_error err = {FF_OK, ""};
  ff_io_model model;
  ff_status status = ff_io_parse_model(&model, NULL, (const char *)data, size, "net", FF_FORMAT_BNGL, &err);
  if (status != FF_OK) {
    MUST(model.pbn == NULL && model.reactions == NULL && err.status == status && strncmp(err.text, "net", 3) == 0, err.text);
    MUST(ff_utf8_valid(err.text, strlen(err.text)) && strlen(err.text) < FF_ERROR_TEXT, err.text);
    MUST(status == FF_EPARSE || status == FF_EMODEL || status == FF_ESIZE || status == FF_EUNSUPPORTED, err.text);
    return 0;
  }
  MUST(model.pbn == NULL && model.reactions != NULL, "no reaction network");
  MUST(keeps_its_text(model.reactions), "a text");
  for (int i = 0; i < 2; i++) { /* what is written can be read */
    const ff_format format = i == 0 ? FF_FORMAT_BNGL : FF_FORMAT_SBML;
    ff_io_model again;
    char *text;
    status = ff_io_reactions_text(&text, model.reactions, format, &err);
    MUST(status == FF_OK || status == FF_EMODEL, err.text);
    if (status != FF_OK) continue;
    status = ff_io_parse_model(&again, NULL, text, strlen(text), "written", format, &err);
    MUST(status == FF_OK && again.reactions->n_reactions == model.reactions->n_reactions, text);
    ff_io_model_free(&again);
    free(text);
  }
  ff_io_model_free(&model);
  return 0;
}
