/* What the files that convert reaction networks share: the columns of R's data frames, and texts and formulas of the core. */
#ifndef FFI_COLUMNS_H
#define FFI_COLUMNS_H

#include "ffi.h"

/* Raises the error that the network's `what`, such as "species$fixed", must be `wanted`, but `found` was found. */
void ffi_stop_found(const char *what, const char *wanted, const char *found);

/* The column of a data frame that is called as `what` after its last `$`. Any length is accepted if n is negative. May raise an R
 * error. */
SEXP ffi_column_of(SEXP frame, const char *what, SEXPTYPE type, R_xlen_t n, const char *wanted);

/* The numbers of a column of whole or real numbers, which may be R's own. May raise an R error. */
const double *ffi_numbers_of(SEXP frame, const char *what, R_xlen_t n, const char *wanted);

/* Moves a text of the core to element i of the strings. `holder` frees the text even if R fails to copy it. `old` is a string
 * that is often the same text; R then need not look for it among all its strings. */
void ffi_set_text(SEXP strings, R_xlen_t i, char *text, SEXP old, SEXP holder);

/* Sets used[i] to 1 for each symbol that a formula names. */
void ffi_mark_named(int *used, const ff_formula *formula);

#endif
