/* Joins generated text and the texts that it includes into one translation unit, for a compiler that has no files to read. */
#ifndef FF_EXPAND_H
#define FF_EXPAND_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../base/ff_base.h"
#include "ff_texts.h"

/* The unit of `parts` (n of them, one after the other), for the caller to free(). A line #include "path" is replaced by the text
 * of that path; the path is relative to the folder of the text that it stands in, as for any compiler, and to src/ in the parts.
 * `texts` ends with a NULL name. Each text stands in the unit once, unless it is included in a condition (other than an include
 * guard): there it stands again, for the condition may not hold. Lines that include <stddef.h> and <stdint.h> are left out, for
 * what they declare stands at the unit's beginning; other lines stay as they are. #line directives name the texts
 * ("src/base/ff_philox.h") and the parts ("generated.cu"), so that the compiler's messages do. O(length of the unit).
 * FF_EINTERNAL where texts include one another in a circle of conditions. */
ff_status ff_expand(char **out, const ff_text *texts, const char *const *parts, int n, ff_error *err);

#ifdef __cplusplus
}
#endif

#endif
