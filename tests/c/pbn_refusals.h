/* What the tests of readers of Boolean networks share: texts that must be refused. */
#ifndef FF_TESTS_PBN_REFUSALS_H
#define FF_TESTS_PBN_REFUSALS_H

#include "../../src/io/ff_io.h"
#include "check.h"

static inline void fails(const char *text, ff_format format, ff_status want, const char *message) {
  ff_error err = {0};
  ff_pbn *pbn = NULL;
  ff_status status = ff_io_parse(&pbn, NULL, text, strlen(text), "net", format, &err);
  FF_CHECK_SAY(status == want, "%s gave %s", text, ff_status_name(status));
  FF_CHECK_STR(err.text, message);
  FF_CHECK(pbn == NULL);
  ff_pbn_free(pbn);
}

#endif
