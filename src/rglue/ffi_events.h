/* Events of reaction networks, from R's data frame to the core and back. */
#ifndef FFI_EVENTS_H
#define FFI_EVENTS_H

#include "ffi.h"

/* ---- what the files of reaction networks share: ffi_reactions.c ---------------------------------------------------------- */

/* Raises the error that the network's `what`, such as "species$fixed", must be `wanted`, but `found` was found. */
void ffi_stop_found(const char *what, const char *wanted, const char *found);

/* The column of a data frame that is called as `what` after its last `$`. Any length is accepted if n is negative. May raise an R
 * error. */
SEXP ffi_column_of(SEXP frame, const char *what, SEXPTYPE type, R_xlen_t n, const char *wanted);

/* Moves a text of the core to element i of the strings. `holder` frees the text even if R fails to copy it. `old` is a string
 * that is often the same text; R then need not look for it among all its strings. */
void ffi_set_text(SEXP strings, R_xlen_t i, char *text, SEXP old, SEXP holder);

/* Sets used[i] to 1 for each symbol that a formula names. */
void ffi_mark_named(int *used, const ff_formula *formula);

/* ---- events -------------------------------------------------------------------------------------------------------------- */

/* What is taken from the R object. The texts lie in R's memory, and are NULL for NA. */
typedef struct {
  uint32_t n;
  const char **name, **when, **delay, **priority, **values;
  const int *persistent, *initially;
  uint32_t *n_sets;
  const char ***target, ***value; /* for each event: names and formulas */
} ffi_events;

/* May raise an R error. */
ffi_events ffi_events_of(SEXP model);

/* Calls nothing of R. */
ff_status ffi_events_fill(ff_reactions *net, const ffi_events *events, ff_names *symbols, ff_error *err);

/* Sets used[i] to 1 for each symbol that an event names. */
void ffi_events_mark(int *used, const ff_reactions *net);

/* The columns of the data frame as a list, or NULL if the network has no events. The caller protects the list. */
SEXP ffi_events_list(const ff_reactions *net);

#endif
