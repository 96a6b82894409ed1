/* Outcomes: trajectories and the attractors that they end in, behind an external pointer. */
#include <stdlib.h>
#include <string.h>

#include "../pbn/outcome/ff_outcome.h"
#include "ffi_values.h"

#define TURN 0.1 /* seconds of work between two checks for Ctrl-C */

/* Either an estimate from trajectories, which also owns the attractors, or only attractors. */
typedef struct {
  const ff_pbn *pbn; /* owned by the pointer's protected value */
  ff_outcome *outcome;
  ff_attractors *attractors;
  uint32_t *state;
  int done;
} held;

static void release(SEXP pointer) {
  held *h = R_ExternalPtrAddr(pointer);
  if (h == NULL) return;
  ff_outcome_free(h->outcome);
  ff_attractors_free(h->attractors);
  free(h->state);
  free(h);
  R_ClearExternalPtr(pointer);
}

static held *held_of(SEXP pointer) { return ffi_held(pointer, "an estimate of outcomes"); }

/* Makes a pointer that holds the network and will hold the outcomes. */
static SEXP hold(SEXP model, held **out) {
  ff_pbn *pbn;
  SEXP network = PROTECT(ffi_pbn_hold(model, &pbn));
  SEXP pointer = PROTECT(ffi_pointer(release, 1, network));
  held *h = ff_calloc(1, sizeof *h);
  if (h == NULL) ffi_no_memory("outcomes");
  h->pbn = pbn;
  R_SetExternalPtrAddr(pointer, h);
  UNPROTECT(2);
  *out = h;
  return pointer;
}

SEXP ffi_outcome_new(SEXP model, SEXP trajectories, SEXP seed, SEXP max_steps, SEXP max_states, SEXP threads, SEXP simd) {
  ff_error err;
  held *h;
  SEXP pointer = PROTECT(hold(model, &h));
  ff_outcome_options options = {.trajectories = ffi_count(trajectories, "trajectories", FFI_MOST),
                                .key = ffi_count(seed, "seed", FFI_MOST),
                                .max_steps = ffi_count(max_steps, "max_steps", FFI_MOST),
                                .max_states = ffi_uint(max_states, "max_states"),
                                .threads = ffi_int(threads, "threads"),
                                .simd = (ff_simd)ffi_int(simd, "simd")};
  ffi_check(ff_outcome_new(&h->outcome, h->pbn, options, &err), &err);
  UNPROTECT(1);
  return pointer;
}

/* Works for about `seconds`. Returns list(done, trajectories, arrived, begun, step, certain, undecided). */
SEXP ffi_outcome_advance(SEXP pointer, SEXP seconds) {
  static const char *const names[] = {"done", "trajectories", "arrived", "begun", "step", "certain", "undecided"};
  ff_error err;
  held *h = held_of(pointer);
  R_CheckUserInterrupt();
  if (!h->done) ffi_check(ff_outcome_advance(h->outcome, ffi_number(seconds, "seconds"), &h->done, &err), &err);
  ff_outcome_state now = ff_outcome_now(h->outcome);
  SEXP out = PROTECT(ffi_list(7, names));
  ffi_set(out, "done", Rf_ScalarLogical(h->done));
  ffi_set(out, "trajectories", Rf_ScalarReal((double)now.trajectories));
  ffi_set(out, "arrived", Rf_ScalarReal((double)now.arrived));
  ffi_set(out, "begun", Rf_ScalarReal((double)now.begun));
  ffi_set(out, "step", Rf_ScalarReal((double)now.step));
  ffi_set(out, "certain", Rf_ScalarLogical(now.certain));
  ffi_set(out, "undecided", Rf_ScalarReal((double)now.undecided));
  UNPROTECT(1);
  return out;
}

static int bit_of(const uint32_t *state, uint32_t node) { return (int)(state[node / 32] >> (node % 32) & 1u); }

/* Describes the attractors whose numbers (from 0) are in pick[]: list(states, type, values, state). `states` is the number of
 * states, and `type` a number from 0. The last two are integer matrices with a row per attractor: the value of each node, NA if
 * it varies, and one state of the attractor. */
static SEXP describe(const ff_attractors *a, const uint32_t *pick, uint32_t n, uint32_t n_nodes) {
  static const char *const names[] = {"states", "type", "values", "state"};
  SEXP out = PROTECT(ffi_list(4, names));
  ffi_set(out, "states", Rf_allocVector(REALSXP, n));
  ffi_set(out, "type", Rf_allocVector(INTSXP, n));
  ffi_set(out, "values", Rf_allocMatrix(INTSXP, (int)n, (int)n_nodes));
  ffi_set(out, "state", Rf_allocMatrix(INTSXP, (int)n, (int)n_nodes));
  int *values = INTEGER(VECTOR_ELT(out, 2)), *state = INTEGER(VECTOR_ELT(out, 3));
  for (uint32_t k = 0; k < n; k++) {
    ff_attractor is = ff_attractors_get(a, pick[k]);
    REAL(VECTOR_ELT(out, 0))[k] = is.states;
    INTEGER(VECTOR_ELT(out, 1))[k] = is.type;
    for (uint32_t i = 0; i < n_nodes; i++) {
      int always = bit_of(is.always, i);
      values[k + (size_t)i * n] = always == bit_of(is.ever, i) ? always : NA_INTEGER;
      state[k + (size_t)i * n] = bit_of(is.smallest, i);
    }
  }
  UNPROTECT(1);
  return out;
}

/* Returns list(count, attractors) for the attractors in which a trajectory ends, in no particular order. */
SEXP ffi_outcome_result(SEXP pointer) {
  static const char *const names[] = {"count", "attractors"};
  held *h = held_of(pointer);
  const ff_attractors *a = ff_outcome_attractors(h->outcome);
  const uint64_t *counts = ff_outcome_counts(h->outcome);
  uint32_t there = counts == NULL ? 0 : ff_attractors_count(a), n = 0;
  uint32_t *pick = (uint32_t *)R_alloc((size_t)there + 1, sizeof *pick);
  for (uint32_t i = 0; i < there; i++)
    if (counts[i] > 0) pick[n++] = i;
  SEXP out = PROTECT(ffi_list(2, names)), count = PROTECT(Rf_allocVector(REALSXP, n));
  for (uint32_t k = 0; k < n; k++) REAL(count)[k] = (double)counts[pick[k]];
  ffi_set(out, "count", count);
  ffi_set(out, "attractors", describe(a, pick, n, h->pbn->n_nodes));
  UNPROTECT(2);
  return out;
}

/* Returns list(leads, attractors). `leads` has, for each row of a 0/1 matrix of states, the number (from 1) of the only attractor
 * to which the state leads, or NA. */
SEXP ffi_attractors(SEXP model, SEXP states, SEXP max_states) {
  static const char *const names[] = {"leads", "attractors"};
  ff_error err;
  held *h;
  SEXP pointer = PROTECT(hold(model, &h));
  ffi_check(ff_attractors_new(&h->attractors, h->pbn, &err), &err);
  uint32_t words = ff_attractors_words(h->attractors), n_nodes = h->pbn->n_nodes, limit = ffi_uint(max_states, "max_states");
  const int rows = Rf_nrows(states);
  const int *bits = INTEGER(ffi_typed(states, INTSXP, (R_xlen_t)rows * n_nodes, FFI_ARGUMENT, "states", "a 0/1 integer matrix"));
  h->state = ff_calloc(words, sizeof *h->state);
  if (h->state == NULL) ffi_no_memory("a state");
  SEXP out = PROTECT(ffi_list(2, names)), leads = PROTECT(Rf_allocVector(INTSXP, rows));
  for (int k = 0; k < rows; k++) {
    memset(h->state, 0, words * sizeof *h->state);
    for (uint32_t i = 0; i < n_nodes; i++)
      h->state[i / 32] |= (uint32_t)(bits[k + (R_xlen_t)i * rows] == 1) << (i % 32);
    ffi_check(ff_attractors_begin(h->attractors, h->state, limit, &err), &err);
    for (int done = 0; !done;) {
      R_CheckUserInterrupt();
      ffi_check(ff_attractors_run(h->attractors, ff_clock() + TURN, &done, &err), &err);
    }
    int32_t answer = ff_attractors_answer(h->attractors);
    INTEGER(leads)[k] = answer < 0 ? NA_INTEGER : answer + 1;
  }
  uint32_t n = ff_attractors_count(h->attractors), *all = (uint32_t *)R_alloc((size_t)n + 1, sizeof *all);
  for (uint32_t i = 0; i < n; i++) all[i] = i;
  ffi_set(out, "leads", leads);
  ffi_set(out, "attractors", describe(h->attractors, all, n, n_nodes));
  release(pointer);
  UNPROTECT(3);
  return out;
}
