/* Exact answers: the chain and its solver behind an external pointer. */
#include <stdlib.h>
#include <string.h>

#include "../estimate/ff_influence.h"
#include "../exact/ff_exact.h"
#include "ffi.h"

typedef struct {
  ff_pbn *pbn; /* owned by the pointer's protected value */
  ff_exact *exact;
  ff_exact_solver *solver;
  double *pi;
  int done;
} held;

static void release(SEXP pointer) {
  held *h = R_ExternalPtrAddr(pointer);
  if (h == NULL) return;
  ff_exact_solver_free(h->solver);
  ff_exact_free(h->exact);
  free(h->pi);
  free(h);
  R_ClearExternalPtr(pointer);
}

static held *held_of(SEXP pointer) {
  held *h = TYPEOF(pointer) == EXTPTRSXP ? R_ExternalPtrAddr(pointer) : NULL;
  if (h == NULL) {
    ff_error err;
    ff_error_set(&err, FF_EINTERNAL, "a chain was used after it was released");
    ffi_stop(&err);
  }
  return h;
}

static void no_memory(const char *what) {
  ff_error err;
  ff_error_set(&err, FF_EMEMORY, "no memory for %s", what);
  ffi_stop(&err);
}

SEXP ffi_exact_new(SEXP model) {
  ff_error err;
  ff_pbn *pbn;
  SEXP network = PROTECT(ffi_pbn_hold(model, &pbn));
  SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, network));
  R_RegisterCFinalizerEx(pointer, release, TRUE);
  held *h = ff_calloc(1, sizeof *h);
  if (h == NULL) no_memory("a chain");
  R_SetExternalPtrAddr(pointer, h);
  h->pbn = pbn;
  ffi_check(ff_exact_new(&h->exact, pbn, &err), &err);
  UNPROTECT(2);
  return pointer;
}

/* Gives the memory back now, not when R next collects. */
SEXP ffi_exact_release(SEXP pointer) {
  if (TYPEOF(pointer) == EXTPTRSXP) release(pointer);
  return R_NilValue;
}

/* The free nodes, from 1, the least significant bit of a state first. */
SEXP ffi_exact_free(SEXP pointer) {
  const uint32_t *nodes;
  uint32_t n = ff_exact_free_nodes(held_of(pointer)->exact, &nodes);
  SEXP out = PROTECT(Rf_allocVector(INTSXP, n));
  for (uint32_t i = 0; i < n; i++) INTEGER(out)[i] = (int)nodes[i] + 1;
  UNPROTECT(1);
  return out;
}

/* One row of the transition matrix; states are numbered from 0. */
SEXP ffi_exact_row(SEXP pointer, SEXP state) {
  ff_error err;
  held *h = held_of(pointer);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)ff_exact_states(h->exact)));
  ffi_check(ff_exact_row(REAL(out), (uint64_t)Rf_asReal(state), h->exact, &err), &err);
  UNPROTECT(1);
  return out;
}

/* c(done, residual) after about `seconds` more of work towards the long-run distribution. */
SEXP ffi_exact_advance(SEXP pointer, SEXP tolerance, SEXP max_steps, SEXP seconds) {
  ff_error err;
  held *h = held_of(pointer);
  double residual = 0;
  if (h->solver == NULL) {
    h->pi = ff_calloc(ff_exact_states(h->exact), sizeof *h->pi);
    if (h->pi == NULL) no_memory("the distribution of a chain");
    ffi_check(ff_exact_solver_new(&h->solver, h->exact, Rf_asReal(tolerance), (uint64_t)Rf_asReal(max_steps), &err), &err);
  }
  R_CheckUserInterrupt();
  if (!h->done) ffi_check(ff_exact_solver_advance(h->solver, h->pi, Rf_asReal(seconds), &h->done, &residual, &err), &err);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, 2));
  REAL(out)[0] = h->done;
  REAL(out)[1] = residual;
  UNPROTECT(1);
  return out;
}

static held *solved(SEXP pointer) {
  held *h = held_of(pointer);
  if (!h->done) {
    ff_error err;
    ff_error_set(&err, FF_EINTERNAL, "the distribution of a chain was asked for before it was found");
    ffi_stop(&err);
  }
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

/* Probabilities of state sets, given as text. */
SEXP ffi_exact_probabilities(SEXP pointer, SEXP sets) {
  ff_error err;
  held *h = solved(pointer);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, XLENGTH(sets)));
  ff_names *names;
  ffi_check(ff_names_new(&names, h->pbn->names, h->pbn->n_nodes, &err), &err);
  ff_status status = FF_OK;
  for (R_xlen_t i = 0; i < XLENGTH(sets) && status == FF_OK; i++) {
    ff_expr set = {0};
    const char *text = CHAR(STRING_ELT(sets, i));
    status = ff_expr_parse(&set, text, strlen(text), ff_names_find, names, (ff_place){NULL, 0}, &err);
    if (status == FF_OK) status = ff_exact_probability(&REAL(out)[i], h->pi, &set, h->exact, &err);
    ff_expr_free(&set);
  }
  ff_names_free(names);
  ffi_check(status, &err);
  UNPROTECT(1);
  return out;
}

/* Influences of from[i] on to[i], nodes numbered from 1. */
SEXP ffi_exact_influences(SEXP pointer, SEXP from, SEXP to) {
  ff_error err;
  held *h = solved(pointer);
  uint32_t n = (uint32_t)XLENGTH(from);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, n));
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < n && status == FF_OK; i++) {
    uint32_t f = (uint32_t)INTEGER(from)[i] - 1, t = (uint32_t)INTEGER(to)[i] - 1;
    ff_observables pair;
    status = f < h->pbn->n_nodes && t < h->pbn->n_nodes
                 ? ff_influence_new(&pair, h->pbn, &f, &t, 1, &err)
                 : ff_error_set(&err, FF_EINTERNAL, "an arrow names a node that the network does not have");
    if (status != FF_OK) break;
    REAL(out)[i] = 0;
    for (uint32_t j = 0; j < pair.first[1] && status == FF_OK; j++) {
      double probability = 0;
      status = ff_exact_probability(&probability, h->pi, &pair.terms[j], h->exact, &err);
      REAL(out)[i] += pair.weights[j] * probability;
    }
    ff_influence_free(&pair);
  }
  ffi_check(status, &err);
  UNPROTECT(1);
  return out;
}
