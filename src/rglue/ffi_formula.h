/* What the files that convert reaction networks share: texts and formulas of the core. */
#ifndef FFI_FORMULA_H
#define FFI_FORMULA_H

#include "ffi_values.h"

/* Moves a text of the core to element i of the strings. `holder` frees the text even if R fails to copy it. `old` is a string
 * that is often the same text; R then need not look for it among all its strings. */
void ffi_set_text(SEXP strings, R_xlen_t i, char *text, SEXP old, SEXP holder);

/* Sets used[i] to 1 for each symbol that a formula names. */
void ffi_mark_named(int *used, const ff_formula *formula);

#endif
