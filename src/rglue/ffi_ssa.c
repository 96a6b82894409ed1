/* Ensembles of reaction networks: a run behind an external pointer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../ssa/ff_ssa.h"
#include "ffi.h"

typedef struct {
  ff_ssa_program *program;
  ff_ssa_run *run;
  uint64_t n;
  uint32_t n_times, n_observed, *observed;
  ff_ssa_method method;
  int done;
} held;

static void release(SEXP pointer) {
  held *h = R_ExternalPtrAddr(pointer);
  if (h == NULL) return;
  ff_ssa_run_free(h->run);
  ff_ssa_program_free(h->program);
  free(h->observed);
  free(h);
  R_ClearExternalPtr(pointer);
}

static held *held_of(SEXP pointer) {
  held *h = TYPEOF(pointer) == EXTPTRSXP ? R_ExternalPtrAddr(pointer) : NULL;
  if (h == NULL) {
    ff_error err;
    ff_error_set(&err, FF_EINTERNAL, "an ensemble was used after it was released");
    ffi_stop(&err);
  }
  return h;
}

static void no_memory(void) {
  ff_error err;
  ff_error_set(&err, FF_EMEMORY, "no memory for an ensemble");
  ffi_stop(&err);
}

/* A list with a numeric vector for each observed species, which has a row for each trajectory and time. */
static SEXP new_columns(const held *h) {
  SEXP columns = PROTECT(Rf_allocVector(VECSXP, h->n_observed));
  for (uint32_t j = 0; j < h->n_observed; j++)
    SET_VECTOR_ELT(columns, j, Rf_allocVector(REALSXP, (R_xlen_t)(h->n * h->n_times)));
  UNPROTECT(1);
  return columns;
}

static int method_of(SEXP name, ff_ssa_method *method) {
  for (*method = 0; *method < FF_SSA_METHODS; (*method)++)
    if (strcmp(ff_ssa_method_name(*method), CHAR(STRING_ELT(name, 0))) == 0) return 1;
  return 0;
}

static void begin(held *h, SEXP options, SEXP columns) {
  ff_error err;
  SEXP times = ffi_element(options, "times"), observed = ffi_element(options, "observed");
  double **states = (double **)R_alloc((size_t)h->n_observed + 1, sizeof *states);
  h->observed = ff_calloc(h->n_observed, sizeof *h->observed);
  if (h->observed == NULL) no_memory();
  for (uint32_t j = 0; j < h->n_observed; j++) {
    h->observed[j] = (uint32_t)INTEGER(observed)[j] - 1;
    if (columns != R_NilValue) states[j] = REAL(VECTOR_ELT(columns, j));
  }
  ff_ssa_options o = {.method = h->method,
                      .key = (uint64_t)Rf_asReal(ffi_element(options, "seed")),
                      .n = h->n,
                      .times = REAL(times),
                      .n_times = h->n_times,
                      .observed = h->observed,
                      .n_observed = h->n_observed,
                      .states = columns == R_NilValue ? NULL : states,
                      .threads = Rf_asInteger(ffi_element(options, "threads")),
                      .simd = (ff_simd)Rf_asInteger(ffi_element(options, "simd"))};
  ffi_check(ff_ssa_run_new(&h->run, h->program, &o, &err), &err);
}

/* `options` is list(nsim, seed, times, observed, method, threads, simd, keep). `method` is a name or "auto". With `keep`, the
 * states of all trajectories are kept. */
SEXP ffi_ssa_new(SEXP model, SEXP options) {
  ff_error err;
  ff_reactions *net;
  SEXP kept = PROTECT(Rf_allocVector(VECSXP, 1));
  SEXP pointer = PROTECT(ffi_pointer(release, 1, kept));
  PROTECT(ffi_reactions_hold(model, &net));
  held *h = ff_calloc(1, sizeof *h);
  if (h == NULL) no_memory();
  R_SetExternalPtrAddr(pointer, h);
  h->n = (uint64_t)Rf_asReal(ffi_element(options, "nsim"));
  h->n_times = (uint32_t)XLENGTH(ffi_element(options, "times"));
  h->n_observed = (uint32_t)XLENGTH(ffi_element(options, "observed"));
  ffi_check(ff_ssa_program_new(&h->program, net, &err), &err);
  if (!method_of(ffi_element(options, "method"), &h->method)) h->method = ff_ssa_method_of(h->program);
  if (Rf_asLogical(ffi_element(options, "keep"))) SET_VECTOR_ELT(kept, 0, new_columns(h));
  begin(h, options, VECTOR_ELT(kept, 0));
  UNPROTECT(3);
  return pointer;
}

/* Works for about `seconds`. Returns list(done, complete, events). */
SEXP ffi_ssa_advance(SEXP pointer, SEXP seconds) {
  static const char *const names[] = {"done", "complete", "events"};
  ff_error err;
  held *h = held_of(pointer);
  R_CheckUserInterrupt();
  if (!h->done) ffi_check(ff_ssa_run_advance(h->run, Rf_asReal(seconds), &h->done, &err), &err);
  const double values[] = {h->done, (double)ff_ssa_run_complete(h->run), (double)ff_ssa_run_events(h->run)};
  return ffi_numbers(3, names, values);
}

/* Sets one row of the statistics. The variance is that of a sample; it is NA for one trajectory. */
static void set_statistics(double *row[5], R_xlen_t at, ff_ssa_moments m, uint64_t n) {
  ff_sum_central central = ff_sum_moments(&m.sums, n);
  const double size = (double)n;
  row[0][at] = central.mean;
  row[1][at] = n > 1 ? sqrt(central.second * size / (size - 1)) : NA_REAL;
  row[2][at] = central.second > 0 ? central.third / (central.second * sqrt(central.second)) : NA_REAL;
  row[3][at] = m.min;
  row[4][at] = m.max;
}

/* Fills in the statistics, which have an element for each observed species and time, first by species. */
static void set_all_statistics(SEXP out, const held *h) {
  static const char *const names[] = {"mean", "sd", "skewness", "min", "max"};
  double *row[5];
  for (int k = 0; k < 5; k++) {
    ffi_set(out, names[k], Rf_allocVector(REALSXP, (R_xlen_t)h->n_times * h->n_observed));
    row[k] = REAL(ffi_element(out, names[k]));
  }
  for (uint32_t j = 0; j < h->n_observed; j++)
    for (uint32_t i = 0; i < h->n_times; i++)
      set_statistics(row, (R_xlen_t)j * h->n_times + i, ff_ssa_run_moments(h->run, i, j), h->n);
}

/* Returns list(method, coupling, groups, formulas, events, varies, states, mean, sd, skewness, min, max) of a run that is done. `varies`
 * tells for each observed species whether a reaction changes it. Either the states were kept, or there are statistics; the
 * others are NULL. */
SEXP ffi_ssa_result(SEXP pointer) {
  static const char *const names[] = {"method", "coupling", "groups", "formulas", "events", "varies", "states",
                                      "mean",   "sd",       "skewness", "min",    "max"};
  held *h = held_of(pointer);
  SEXP out = PROTECT(ffi_list(12, names)), states = VECTOR_ELT(R_ExternalPtrProtected(pointer), 0);
  ffi_set(out, "method", Rf_mkString(ff_ssa_method_name(h->method)));
  ffi_set(out, "coupling", Rf_ScalarReal(ff_ssa_program_coupling(h->program)));
  ffi_set(out, "groups", Rf_ScalarReal(ff_ssa_program_groups(h->program)));
  ffi_set(out, "formulas", Rf_ScalarReal(ff_ssa_program_formulas(h->program)));
  ffi_set(out, "events", Rf_ScalarReal((double)ff_ssa_run_events(h->run)));
  SEXP varies = Rf_allocVector(LGLSXP, h->n_observed);
  ffi_set(out, "varies", varies);
  for (uint32_t j = 0; j < h->n_observed; j++) LOGICAL(varies)[j] = ff_ssa_program_changes(h->program, h->observed[j]);
  ffi_set(out, "states", states);
  if (states == R_NilValue) set_all_statistics(out, h);
  UNPROTECT(1);
  return out;
}

/* Returns the names of the methods. */
SEXP ffi_ssa_methods(void) {
  SEXP out = PROTECT(Rf_allocVector(STRSXP, FF_SSA_METHODS));
  for (int i = 0; i < FF_SSA_METHODS; i++) SET_STRING_ELT(out, i, Rf_mkChar(ff_ssa_method_name((ff_ssa_method)i)));
  UNPROTECT(1);
  return out;
}
