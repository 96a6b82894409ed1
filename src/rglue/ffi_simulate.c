/* Simulates trajectories of a Boolean network into R's memory. */
#include "../pbn/ff_pbn_trajectories.h"

#include <stdlib.h>

#include "ffi_values.h"

#define PIECE 0.05 /* seconds between checks for Ctrl-C */

typedef struct {
  ff_pbn_program *program;
  ff_pbn_trajectories *trajectories;
} held;

static void release(SEXP pointer) {
  held *h = R_ExternalPtrAddr(pointer);
  if (h == NULL) return;
  ff_pbn_trajectories_free(h->trajectories);
  ff_pbn_program_free(h->program);
  free(h);
  R_ClearExternalPtr(pointer);
}

/* `initial` is NULL, or an integer matrix with a column per node and values 0, 1, or NA for the network's own. */
static ff_pbn_trajectories_options options_of(SEXP nsim, SEXP steps, SEXP every, SEXP initial, SEXP seed, SEXP simd, SEXP threads,
                                          uint32_t n_nodes) {
  ff_pbn_trajectories_options o = {.n = ffi_count(nsim, "nsim", FFI_MOST),
                               .steps = ffi_count(steps, "steps", FFI_MOST),
                               .every = ffi_count(every, "every", FFI_MOST),
                               .key = ffi_count(seed, "seed", FFI_MOST),
                               .threads = ffi_int(threads, "threads"),
                               .simd = (ff_simd)ffi_int(simd, "simd")};
  if (initial == R_NilValue) return o;
  o.rows = (uint64_t)Rf_nrows(initial);
  o.initial = INTEGER(ffi_typed(initial, INTSXP, (R_xlen_t)(o.rows * n_nodes), FFI_ARGUMENT, "initial",
                                "an integer matrix with a column for each node"));
  return o;
}

/* Returns a list with one integer vector per node. It has one trajectory after the other; each of the nsim trajectories has
 * steps/every + 1 states. */
SEXP ffi_simulate(SEXP model, SEXP nsim, SEXP steps, SEXP every, SEXP initial, SEXP seed, SEXP layout, SEXP simd,
                  SEXP threads) {
  ff_error err;
  ff_pbn *pbn;
  PROTECT(ffi_pbn_hold(model, &pbn));
  ff_pbn_trajectories_options o = options_of(nsim, steps, every, initial, seed, simd, threads, pbn->n_nodes);
  const ff_layout wanted = (ff_layout)ffi_int(layout, "layout");
  SEXP pointer = PROTECT(ffi_pointer(release, 1, R_NilValue)), columns = PROTECT(Rf_allocVector(VECSXP, pbn->n_nodes));
  held *h = ff_calloc(1, sizeof *h);
  if (h == NULL) ffi_no_memory("a simulation");
  R_SetExternalPtrAddr(pointer, h);
  ffi_check(ff_pbn_program_new(&h->program, pbn, NULL, wanted, &err), &err);
  int **to = (int **)R_alloc(pbn->n_nodes, sizeof *to);
  o.columns = to;
  ffi_check(ff_pbn_trajectories_new(&h->trajectories, h->program, &o, &err), &err);
  for (uint32_t i = 0; i < pbn->n_nodes; i++) {
    SET_VECTOR_ELT(columns, i, Rf_allocVector(INTSXP, (R_xlen_t)(o.n * (o.steps / o.every + 1))));
    to[i] = INTEGER(VECTOR_ELT(columns, i));
  }
  while (!ff_pbn_trajectories_advance(h->trajectories, PIECE)) R_CheckUserInterrupt();
  release(pointer); /* now, not at R's next garbage collection */
  UNPROTECT(3);
  return columns;
}
