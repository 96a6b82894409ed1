/* Joins generated text and the texts that it includes to one translation unit, for a compiler that cannot read files. */
#ifndef FF_EXPAND_H
#define FF_EXPAND_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../base/ff_base.h"
#include "ff_texts.h"

/* Makes a translation unit from n `parts`, one after the other. The caller frees *out with free(). A line #include "path" is
 * replaced by the text of that path. The path is relative to the folder of the including text, as for any compiler, and to src/
 * in the parts. `texts` ends with an entry whose name is NULL. Each text is inserted once. A text that is included within a
 * condition (other than an include guard) is inserted again at the next include, because the condition may not hold. Lines that
 * include <stddef.h> and <stdint.h> are left out; the unit begins with the declarations that are needed of them. Other lines are
 * kept. #line directives name the texts ("src/base/ff_philox.h") and the parts ("generated.cu") for the compiler's messages.
 * O(length of the unit). FF_EINTERNAL if texts include one another in a circle of conditions. */
ff_status ff_expand(char **out, const ff_text *texts, const char *const *parts, int n, ff_error *err);

#ifdef __cplusplus
}
#endif

#endif
