/* The chemical master equation behind an external pointer. */
#include "../cme/ff_cme.h"
#include "ffi_values.h"

static void release(SEXP pointer) {
  ff_cme_free(R_ExternalPtrAddr(pointer));
  R_ClearExternalPtr(pointer);
}

static ff_cme *held(SEXP pointer) { return ffi_held(pointer, "a master equation"); }

/* Starts at time 0. `end` is the last time that will be asked for. */
SEXP ffi_cme_new(SEXP model, SEXP tolerance, SEXP max_states, SEXP end) {
  ff_error err;
  ff_reactions *net;
  ff_cme *cme;
  SEXP network = PROTECT(ffi_reactions_hold(model, &net));
  SEXP pointer = PROTECT(ffi_pointer(release, 1, network));
  const uint32_t most = ffi_uint(max_states, "max_states");
  ffi_check(ff_cme_new(&cme, net, ffi_number(tolerance, "tolerance"), most, ffi_number(end, "end"), &err), &err);
  R_SetExternalPtrAddr(pointer, cme);
  UNPROTECT(2);
  return pointer;
}

/* Works for about `seconds` towards the time `until`. Returns list(done, time, states). */
SEXP ffi_cme_advance(SEXP pointer, SEXP until, SEXP seconds) {
  static const char *const names[] = {"done", "time", "states"};
  ff_error err;
  ff_cme *cme = held(pointer);
  int done;
  R_CheckUserInterrupt();
  ffi_check(ff_cme_advance(cme, ffi_number(until, "until"), ffi_number(seconds, "seconds"), &done, &err), &err);
  const double values[] = {done, ff_cme_time(cme), ff_cme_states(cme)};
  return ffi_numbers(3, names, values);
}

/* Returns list(counts, probability, missing) for the time that has been reached. `counts` is a matrix with a row per state and a
 * column per species. */
SEXP ffi_cme_result(SEXP pointer) {
  static const char *const names[] = {"counts", "probability", "missing"};
  const ff_cme *cme = held(pointer);
  const uint32_t n = ff_cme_distribution(cme, NULL, NULL, 0);
  ff_error err;
  if (n > INT32_MAX)
    ffi_check(ff_error_set(&err, FF_ESIZE, "R's matrices have at most 2^31 - 1 rows; %u states were found", n), &err);
  SEXP out = PROTECT(ffi_list(3, names));
  SEXP counts = Rf_allocMatrix(REALSXP, (int)n, (int)ff_cme_species(cme));
  SET_VECTOR_ELT(out, 0, counts);
  SEXP probability = Rf_allocVector(REALSXP, n);
  SET_VECTOR_ELT(out, 1, probability);
  ff_cme_distribution(cme, REAL(counts), REAL(probability), n);
  SET_VECTOR_ELT(out, 2, Rf_ScalarReal(ff_cme_missing(cme)));
  UNPROTECT(1);
  return out;
}
