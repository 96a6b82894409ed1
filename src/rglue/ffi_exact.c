/* Exact answers: the chain and its solver behind an external pointer. */
#include <stdlib.h>
#include <string.h>

#include "../pbn/estimate/ff_influence.h"
#include "../exact/ff_exact.h"
#include "ffi_values.h"

typedef struct {
  ff_pbn *pbn; /* owned by the pointer's protected value */
  ff_exact *exact;
  int filled;
  ff_exact_solver *solver;
  double *pi;
  int done;
  ff_observables asked; /* the observables whose values are summed over the distribution */
} held;

#define TURN 0.1 /* seconds between two checks for Ctrl-C, which ends the call: therefore `held` owns everything */

static void release(SEXP pointer) {
  held *h = R_ExternalPtrAddr(pointer);
  if (h == NULL) return;
  ff_influence_free(&h->asked);
  ff_exact_solver_free(h->solver);
  ff_exact_free(h->exact);
  free(h->pi);
  free(h);
  R_ClearExternalPtr(pointer);
}

static held *held_of(SEXP pointer) { return ffi_held(pointer, "a chain"); }

/* Makes a chain. Its size is known at once; its tables are filled when they are first needed. */
SEXP ffi_exact_new(SEXP model) {
  ff_error err;
  ff_pbn *pbn;
  SEXP network = PROTECT(ffi_pbn_hold(model, &pbn));
  SEXP pointer = PROTECT(ffi_pointer(release, 1, network));
  held *h = ff_calloc(1, sizeof *h);
  if (h == NULL) ffi_no_memory("a chain");
  R_SetExternalPtrAddr(pointer, h);
  h->pbn = pbn;
  ffi_check(ff_exact_begin(&h->exact, pbn, &err), &err);
  UNPROTECT(2);
  return pointer;
}

/* Returns the free nodes, numbered from 1, in the order of the bits of a state, the least significant first. */
SEXP ffi_exact_free(SEXP pointer) {
  const uint32_t *nodes;
  uint32_t n = ff_exact_free_nodes(held_of(pointer)->exact, &nodes);
  SEXP out = PROTECT(Rf_allocVector(INTSXP, n));
  for (uint32_t i = 0; i < n; i++) INTEGER(out)[i] = (int)nodes[i] + 1;
  UNPROTECT(1);
  return out;
}

/* Returns one row of the transition matrix. States are numbered from 0. */
SEXP ffi_exact_row(SEXP pointer, SEXP state) {
  ff_error err;
  held *h = held_of(pointer);
  while (!h->filled) {
    R_CheckUserInterrupt();
    h->filled = ff_exact_fill(h->exact, TURN);
  }
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)ff_exact_states(h->exact)));
  ffi_check(ff_exact_row(REAL(out), ffi_count(state, "state", FFI_MOST), h->exact, &err), &err);
  UNPROTECT(1);
  return out;
}

static void advance(held *h, double tolerance, uint64_t max_steps, double seconds, double *residual) {
  ff_error err;
  if (!h->filled) {
    h->filled = ff_exact_fill(h->exact, seconds);
    return;
  }
  if (h->solver == NULL) {
    if (h->pi == NULL) h->pi = ff_calloc(ff_exact_states(h->exact), sizeof *h->pi); /* already allocated if the solver failed */
    if (h->pi == NULL) ffi_no_memory("the distribution of a chain");
    ffi_check(ff_exact_solver_new(&h->solver, h->exact, tolerance, max_steps, &err), &err);
  }
  if (!h->done) ffi_check(ff_exact_solver_advance(h->solver, h->pi, seconds, &h->done, residual, &err), &err);
}

/* Works for about `seconds` on the long-run distribution. Returns list(done, residual); the residual is 0 until one is known. */
SEXP ffi_exact_advance(SEXP pointer, SEXP tolerance, SEXP max_steps, SEXP seconds) {
  static const char *const names[] = {"done", "residual"};
  held *h = held_of(pointer);
  double residual = 0;
  R_CheckUserInterrupt();
  advance(h, ffi_number(tolerance, "tolerance"), ffi_count(max_steps, "max_steps", FFI_MOST), ffi_number(seconds, "seconds"),
          &residual);
  double values[] = {h->done, residual};
  return ffi_numbers(2, names, values);
}

static held *solved(SEXP pointer) {
  held *h = held_of(pointer);
  ff_error err;
  if (!h->done)
    ffi_check(ff_error_set(&err, FF_EINTERNAL, "the distribution of a chain was asked for before it was found"), &err);
  return h;
}

SEXP ffi_exact_distribution(SEXP pointer) {
  held *h = solved(pointer);
  R_xlen_t n = (R_xlen_t)ff_exact_states(h->exact);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, n));
  memcpy(REAL(out), h->pi, (size_t)n * sizeof(double));
  UNPROTECT(1);
  return out;
}

/* Returns the weighted sum of the terms' probabilities for each observable in `asked`. */
static SEXP answer(held *h) {
  ff_error err;
  SEXP out = PROTECT(Rf_allocVector(REALSXP, h->asked.n));
  for (uint32_t i = 0; i < h->asked.n; i++) {
    REAL(out)[i] = 0;
    for (uint32_t j = h->asked.first[i]; j < h->asked.first[i + 1]; j++) {
      ff_exact_sum sum = {0};
      for (int done = 0; !done;) {
        R_CheckUserInterrupt();
        ffi_check(ff_exact_sum_advance(&sum, h->pi, &h->asked.terms[j], h->exact, TURN, &done, &err), &err);
      }
      REAL(out)[i] += h->asked.weights[j] * sum.value;
    }
  }
  UNPROTECT(1);
  return out;
}

/* Returns the probabilities of state sets, given as text. */
SEXP ffi_exact_probabilities(SEXP pointer, SEXP sets) {
  ff_error err;
  held *h = solved(pointer);
  const char *const *texts = ffi_sets(sets);
  uint32_t n = (uint32_t)Rf_xlength(sets);
  ff_influence_free(&h->asked);
  uint32_t *first = ff_calloc((size_t)n + 1, sizeof *first);
  ff_expr *terms = ff_calloc(n, sizeof *terms);
  double *weights = ff_calloc(n, sizeof *weights);
  h->asked = (ff_observables){.first = first, .terms = terms, .weights = weights};
  if (first == NULL || terms == NULL || weights == NULL) ffi_no_memory("state sets");
  for (uint32_t i = 0; i < n; i++) {
    weights[i] = 1;
    first[i + 1] = h->asked.n = i + 1; /* so that ff_influence_free() frees what has been parsed */
  }
  ffi_check(ffi_parse_sets(terms, texts, n, h->pbn, &err), &err);
  return answer(h);
}

/* Returns the influences of from[i] on to[i]. Nodes are numbered from 1. */
SEXP ffi_exact_influences(SEXP pointer, SEXP from, SEXP to) {
  ff_error err;
  held *h = solved(pointer);
  const uint32_t *first = ffi_nodes(from, -1, "from", h->pbn->n_nodes);
  const uint32_t *second = ffi_nodes(to, Rf_xlength(from), "to", h->pbn->n_nodes);
  ff_influence_free(&h->asked);
  ffi_check(ff_influence_new(&h->asked, h->pbn, first, second, (uint32_t)Rf_xlength(from), &err), &err);
  return answer(h);
}
