/* Events of networks, from R's data frame to the core and back. */
#ifndef FFI_EVENTS_H
#define FFI_EVENTS_H

#include "ffi.h"
#include "ffi_values.h"

/* What is taken from the R object. The texts lie in R's memory, and are NULL for NA. */
typedef struct {
  uint32_t n;
  const char **name, **when, **delay, **priority, **values;
  const int *persistent, *initially;
  uint32_t *n_sets;
  const char ***target, ***value; /* for each event: names and formulas */
  const char ***factor;           /* the same for factors, or NULL if no event has one */
} ffi_events;

/* May raise an R error. */
ffi_events ffi_events_of(SEXP model, ffi_owner owner);

/* Calls nothing of R. */
ff_status ffi_events_fill(ff_reactions *net, const ffi_events *events, ff_names *symbols, ff_error *err);

/* Sets used[i] to 1 for each symbol that an event names. */
void ffi_events_mark(int *used, const ff_reactions *net);

/* The columns of the data frame as a list, or NULL if there are no events. `symbols` are the names of their symbols. The caller
 * protects the list. */
SEXP ffi_events_list(const ff_event *events, uint32_t n, char *const *symbols);

#endif
