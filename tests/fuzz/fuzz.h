/* What the fuzzers share. */
#ifndef FF_FUZZ_H
#define FF_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/base/ff_base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Otherwise the fuzzer reports its input. `text` is printed; it may be NULL. */
#define MUST(cond, text)                                                  \
  do {                                                                    \
    if (!(cond)) {                                                        \
      fprintf(stderr, "not true: %s\n%s\n", #cond, (text) ? (text) : ""); \
      abort();                                                            \
    }                                                                     \
  } while (0)

/* A reader that fails must say so: the message begins with the name of the text, "net", and is valid UTF-8. */
static inline void must_explain(ff_status status, const ff_error *err, int may_be_unsupported) {
  MUST(err->status == status && strncmp(err->text, "net", 3) == 0, err->text);
  MUST(ff_utf8_valid(err->text, strlen(err->text)) && strlen(err->text) < FF_ERROR_TEXT, err->text);
  MUST(status == FF_EPARSE || status == FF_EMODEL || status == FF_ESIZE || (may_be_unsupported && status == FF_EUNSUPPORTED),
       err->text);
}

#endif
