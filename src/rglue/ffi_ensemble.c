/* Ensembles of any engine: a run, or a sweep, behind an external pointer. ffi_tally.c holds their sums. */
#include "ffi_ensemble.h"

#include <stdlib.h>

#include "../ensemble/ff_use.h"
#include "../ensemble/sweep/ff_sweep.h"
#include "ffi_backend.h"
#include "ffi_values.h"

struct ffi_ensemble {
  const ffi_engine *engine;
  void *own; /* of the engine */
  ff_run *run;
  uint64_t n;
  uint32_t n_times, n_observed, *observed;
  double **states; /* the columns of the states that are kept */
  SEXP kept;       /* what the pointer keeps for this run */
  int done;
};

/* What R keeps for a run: the states, the times at which trajectories have ended, the options, the numbers that the run borrows,
 * and the backend of its devices. */
enum { STATES, STOPPED, OPTIONS, TIMES, STARTS, BACKEND, KEPT };

static void release_parts(ffi_ensemble *h) {
  if (h->engine != NULL) h->engine->release(h->own);
  free(h->observed);
  free(h->states);
}

static void release(SEXP pointer) {
  ffi_ensemble *h = R_ExternalPtrAddr(pointer);
  if (h == NULL) return;
  SEXP backend = VECTOR_ELT(R_ExternalPtrProtected(pointer), BACKEND);
  /* in a forked process, objects that the backend made must not be freed */
  if (backend == R_NilValue || ffi_backend_may_free(backend)) ff_run_free(h->run);
  release_parts(h);
  free(h);
  R_ClearExternalPtr(pointer);
}

static ffi_ensemble *held_of(SEXP pointer) { return ffi_held(pointer, "an ensemble"); }

/* ---- options ------------------------------------------------------------------------------------------------------------- */

static double number(SEXP options, const char *name) { return ffi_number(ffi_element(options, name), name); }

static uint64_t count(SEXP options, const char *name) { return ffi_count(ffi_element(options, name), name, FFI_MOST); }

static int whole(SEXP options, const char *name) { return ffi_int(ffi_element(options, name), name); }

static int flag(SEXP options, const char *name) { return ffi_flag(ffi_element(options, name), name); }

/* n numbers, which live as long as `kept`. */
static const double *numbers(SEXP options, const char *name, R_xlen_t n, SEXP kept, int place) {
  SEXP x = ffi_element(options, name);
  ffi_doubles(x, n, FFI_ARGUMENT, name, "numbers");
  SET_VECTOR_ELT(kept, place, TYPEOF(x) == REALSXP ? x : Rf_coerceVector(x, REALSXP));
  return REAL(VECTOR_ELT(kept, place));
}

void **ffi_ensemble_own(ffi_ensemble *h) { return &h->own; }

const char *ffi_ensemble_observe(ffi_ensemble *h, SEXP options, uint32_t n_observable) {
  SEXP observed = ffi_element(options, "observed"), until = ffi_element(options, "until");
  h->n = count(options, "nsim");
  h->n_times = (uint32_t)Rf_xlength(ffi_element(options, "times"));
  h->n_observed = (uint32_t)Rf_xlength(observed);
  const uint32_t *observed_at = ffi_nodes(observed, -1, "observed", n_observable);
  h->observed = ff_calloc(h->n_observed, sizeof *h->observed);
  if (h->observed == NULL) ffi_no_memory("an ensemble");
  for (uint32_t j = 0; j < h->n_observed; j++) h->observed[j] = observed_at[j];
  SET_VECTOR_ELT(h->kept, OPTIONS, options);
  if (until == R_NilValue) return NULL;
  SET_VECTOR_ELT(h->kept, STOPPED, Rf_allocVector(REALSXP, (R_xlen_t)h->n));
  return ffi_text(until, "until");
}

ff_run_options ffi_ensemble_options(ffi_ensemble *h, SEXP options, uint64_t seed, const ff_formula *until, uint32_t n_counts) {
  SEXP starts = ffi_element(options, "starts"), stopped = VECTOR_ELT(h->kept, STOPPED);
  return (ff_run_options){.key = seed,
                          .first = count(options, "first"),
                          .n = h->n,
                          .times = numbers(options, "times", h->n_times, h->kept, TIMES),
                          .n_times = h->n_times,
                          .observed = h->observed,
                          .n_observed = h->n_observed,
                          .wanted = (flag(options, "covariance") ? FF_COVARIANCE : 0) |
                                    (flag(options, "histogram") ? FF_HISTOGRAM : 0),
                          .max_firings = count(options, "firings"),
                          .until = until,
                          .stopped = stopped == R_NilValue ? NULL : REAL(stopped),
                          .starts = starts == R_NilValue
                                        ? NULL
                                        : numbers(options, "starts", (R_xlen_t)(h->n * n_counts), h->kept, STARTS),
                          .start = number(options, "start"),
                          .threads = whole(options, "threads"),
                          .simd = (ff_simd)whole(options, "simd"),
                          .tolerance = number(options, "tolerance")};
}

/* Lets *o keep the states: a list with a numeric vector for each observed quantity, which has a row for each trajectory and
 * time. */
static void keep_states(ffi_ensemble *h, ff_run_options *o) {
  SEXP columns = Rf_allocVector(VECSXP, h->n_observed);
  SET_VECTOR_ELT(h->kept, STATES, columns);
  h->states = ff_calloc(h->n_observed, sizeof *h->states);
  if (h->states == NULL) ffi_no_memory("an ensemble");
  for (uint32_t j = 0; j < h->n_observed; j++) {
    SET_VECTOR_ELT(columns, j, Rf_allocVector(REALSXP, (R_xlen_t)(h->n * h->n_times)));
    h->states[j] = REAL(VECTOR_ELT(columns, j));
  }
  o->states = h->states;
}

/* Fills `h` and *o, and returns the model that they are for. `kept` is what R keeps for the run. */
static const void *fill(ffi_ensemble *h, const ffi_engine *engine, SEXP model, SEXP options, uint64_t seed, SEXP kept,
                        ff_run_options *o) {
  h->engine = engine;
  h->kept = kept;
  const void *compiled = engine->make(h, model, options, seed, o);
  if (flag(options, "keep")) keep_states(h, o);
  return compiled;
}

/* ---- runs ---------------------------------------------------------------------------------------------------------------- */

SEXP ffi_ensemble_make(const ffi_engine *engine, SEXP model, SEXP options) {
  ff_error err;
  ff_run_options o;
  SEXP kept = PROTECT(Rf_allocVector(VECSXP, KEPT)), pointer = PROTECT(ffi_pointer(release, 1, kept));
  ffi_ensemble *h = ff_calloc(1, sizeof *h);
  if (h == NULL) ffi_no_memory("an ensemble");
  R_SetExternalPtrAddr(pointer, h);
  const void *compiled = fill(h, engine, model, options, count(options, "seed"), kept, &o);
  ffi_check(ff_run_new(&h->run, engine->engine, compiled, &o, &err), &err);
  UNPROTECT(2);
  return pointer;
}

/* The reason why no device can do a run, as a clause, or NULL. */
SEXP ffi_ensemble_why_not(SEXP pointer) {
  ff_error err;
  return ff_run_check_devices(held_of(pointer)->run, &err) == FF_OK ? R_NilValue : Rf_mkString(err.text);
}

static ff_fleet_choice choice_of(const ffi_engine *engine, SEXP backend, SEXP devices, SEXP kernel, SEXP cache) {
  return (ff_fleet_choice){.calls = ffi_backend_interface(backend, engine->interface),
                           .devices = ffi_device_numbers(devices),
                           .n_devices = (uint32_t)Rf_xlength(devices),
                           .kernel = ffi_kernel(kernel),
                           .cache = ffi_cache(cache)};
}

/* Lets devices of a backend (numbered from 0) simulate what has not begun when they are ready. `kernel` is the name of a kernel,
 * or NULL; `blocks` is for measurements: see ff_device_request. */
SEXP ffi_ensemble_use(SEXP pointer, SEXP backend, SEXP devices, SEXP kernel, SEXP cache, SEXP blocks) {
  ff_error err;
  ffi_ensemble *h = held_of(pointer);
  const double wanted = ffi_number(blocks, "blocks");
  ff_fleet_choice choice = choice_of(h->engine, backend, devices, kernel, cache);
  choice.blocks = wanted > 0 && wanted <= INT32_MAX ? (uint32_t)wanted : 0;
  SET_VECTOR_ELT(R_ExternalPtrProtected(pointer), BACKEND, backend);
  ffi_check(ff_run_use(h->run, &choice, &err), &err);
  return R_NilValue;
}

/* Waits for the devices for `seconds` at most. Returns whether they have begun. */
SEXP ffi_ensemble_ready(SEXP pointer, SEXP seconds) {
  ff_error err;
  int ready = 0;
  ffi_ensemble *h = held_of(pointer);
  R_CheckUserInterrupt();
  ffi_check(ff_run_ready(h->run, ffi_number(seconds, "seconds"), &ready, &err), &err);
  return Rf_ScalarLogical(ready);
}

/* Works for about `seconds`. Returns list(done, complete, events, waiting, underway, shared): `waiting` is the number of
 * trajectories that have not begun; `underway` adds up those that have, by the part of the time that they have covered; `shared`
 * is 1 if the threads of a device share a trajectory. */
SEXP ffi_ensemble_advance(SEXP pointer, SEXP seconds) {
  static const char *const names[] = {"done", "complete", "events", "waiting", "underway", "shared"};
  ff_error err;
  ffi_ensemble *h = held_of(pointer);
  R_CheckUserInterrupt();
  if (!h->done) ffi_check(ff_run_advance(h->run, ffi_number(seconds, "seconds"), &h->done, &err), &err);
  const double values[] = {h->done, (double)ff_run_complete(h->run), (double)ff_run_steps(h->run),
                           (double)ff_run_waiting(h->run), ff_run_underway(h->run), ff_run_shares_trajectories(h->run)};
  return ffi_numbers(6, names, values);
}

/* The firings as list(trajectory, time, reaction); trajectories and reactions are numbered from 1. */
static SEXP firings_of(const ff_run *run, double first) {
  static const char *const names[] = {"trajectory", "time", "reaction"};
  const uint64_t n = ff_run_n_firings(run);
  ff_error err;
  SEXP out = PROTECT(ffi_list(3, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(REALSXP, (R_xlen_t)n));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, (R_xlen_t)n));
  SET_VECTOR_ELT(out, 2, Rf_allocVector(INTSXP, (R_xlen_t)n));
  double *trajectory = REAL(VECTOR_ELT(out, 0));
  int *reaction = INTEGER(VECTOR_ELT(out, 2));
  ffi_check(ff_run_firings(run, trajectory, REAL(VECTOR_ELT(out, 1)), reaction, &err), &err);
  for (uint64_t i = 0; i < n; i++) {
    trajectory[i] += first + 1;
    reaction[i]++;
  }
  UNPROTECT(1);
  return out;
}

/* A list with the elements of `added`, and then `n` NULLs with these names. */
static SEXP longer_list(SEXP added, int n, const char *const *names) {
  const R_xlen_t before = XLENGTH(added);
  SEXP out = PROTECT(Rf_xlengthgets(added, before + n)), labels = Rf_getAttrib(out, R_NamesSymbol);
  for (int i = 0; i < n; i++) SET_STRING_ELT(labels, before + i, Rf_mkChar(names[i]));
  UNPROTECT(1);
  return out;
}

/* Returns what the engine adds, and list(events, states, tally, firings, stopped, device), of a run that is done. Either the
 * states were kept, or there is a tally of statistics. `stopped` has the time at which each trajectory has ended, or NaN.
 * `device` describes the devices that have run. What there is not is NULL. */
static SEXP result_of(const ffi_ensemble *h, ff_run *run, const char *lost) {
  static const char *const names[] = {"events", "states", "tally", "firings", "stopped", "device"};
  ff_error err;
  SEXP added = PROTECT(h->engine->describe(h->own, h->observed, h->n_observed));
  SEXP out = PROTECT(longer_list(added, 6, names)), options = VECTOR_ELT(h->kept, OPTIONS);
  ffi_set(out, "events", Rf_ScalarReal((double)ff_run_steps(run)));
  ffi_set(out, "states", VECTOR_ELT(h->kept, STATES));
  ffi_set(out, "stopped", VECTOR_ELT(h->kept, STOPPED));
  if (VECTOR_ELT(h->kept, STATES) == R_NilValue) {
    ff_sums *sums;
    ffi_check(ff_run_sums(run, &sums, &err), &err);
    ffi_set(out, "tally", ffi_tally(sums, h->n));
  }
  if (number(options, "firings") > 0) ffi_set(out, "firings", firings_of(run, number(options, "first")));
  ff_ensemble_info info;
  if (ff_run_device(run, &info)) ffi_set(out, "device", ffi_device(&info, lost));
  UNPROTECT(2);
  return out;
}

SEXP ffi_ensemble_result(SEXP pointer) {
  const ffi_ensemble *h = held_of(pointer);
  return result_of(h, h->run, ff_run_lost(h->run));
}

/* ---- sweeps -------------------------------------------------------------------------------------------------------------- */

typedef struct {
  const ffi_engine *engine;
  uint32_t n;
  ffi_ensemble *points; /* without runs, which the sweep has */
  ff_sweep *sweep;
  int done;
} held_sweep;

/* What R keeps for a sweep: for each point what it keeps for a run, and the backend of its devices. */
enum { SWEEP_POINTS, SWEEP_BACKEND, SWEEP_KEPT };

static void release_sweep(SEXP pointer) {
  held_sweep *h = R_ExternalPtrAddr(pointer);
  if (h == NULL) return;
  SEXP backend = VECTOR_ELT(R_ExternalPtrProtected(pointer), SWEEP_BACKEND);
  if (backend == R_NilValue || ffi_backend_may_free(backend)) ff_sweep_free(h->sweep);
  for (uint32_t i = 0; i < h->n; i++) release_parts(h->points + i);
  free(h->points);
  free(h);
  R_ClearExternalPtr(pointer);
}

static held_sweep *sweep_of(SEXP pointer) { return ffi_held(pointer, "a sweep"); }

SEXP ffi_sweep_make(const ffi_engine *engine, SEXP models, SEXP seeds, SEXP options) {
  ff_error err;
  ffi_listed(models, 0, "models");
  const uint32_t n = (uint32_t)XLENGTH(models);
  const double *seed = ffi_doubles(seeds, n, FFI_ARGUMENT, "seeds", "a number for each network");
  SEXP kept = PROTECT(Rf_allocVector(VECSXP, SWEEP_KEPT)), pointer = PROTECT(ffi_pointer(release_sweep, 1, kept));
  SEXP all = Rf_allocVector(VECSXP, n);
  SET_VECTOR_ELT(kept, SWEEP_POINTS, all);
  ff_point *points = (ff_point *)R_alloc(n, sizeof *points);
  held_sweep *h = ff_calloc(1, sizeof *h);
  if (h == NULL) ffi_no_memory("a sweep");
  R_SetExternalPtrAddr(pointer, h);
  h->engine = engine;
  h->points = ff_calloc(n, sizeof *h->points);
  if (h->points == NULL) ffi_no_memory("a sweep");
  for (h->n = 0; h->n < n;) {
    const uint32_t i = h->n++;
    if (i % 16 == 0) R_CheckUserInterrupt();
    if (!(seed[i] >= 0 && seed[i] <= FFI_MOST)) ffi_stop_found(FFI_ARGUMENT, "seeds", "whole numbers from 0 to 2^53", "others");
    SEXP kept_of = Rf_allocVector(VECSXP, KEPT);
    SET_VECTOR_ELT(all, i, kept_of);
    points[i].engine = engine->engine;
    points[i].model =
        fill(h->points + i, engine, VECTOR_ELT(models, i), options, (uint64_t)seed[i], kept_of, &points[i].options);
  }
  ffi_check(ff_sweep_new(&h->sweep, points, n, whole(options, "threads"), &err), &err);
  UNPROTECT(2);
  return pointer;
}

/* The reason why no device can simulate a point, as a clause, or NULL. */
SEXP ffi_sweep_why_not(SEXP pointer) {
  ff_error err;
  return ff_sweep_check_devices(sweep_of(pointer)->sweep, &err) == FF_OK ? R_NilValue : Rf_mkString(err.text);
}

/* As ffi_ensemble_use(), ffi_ensemble_ready() and ffi_ensemble_advance(), for sweeps. */
SEXP ffi_sweep_use(SEXP pointer, SEXP backend, SEXP devices, SEXP kernel, SEXP cache) {
  ff_error err;
  held_sweep *h = sweep_of(pointer);
  const ff_fleet_choice choice = choice_of(h->engine, backend, devices, kernel, cache);
  SET_VECTOR_ELT(R_ExternalPtrProtected(pointer), SWEEP_BACKEND, backend);
  ffi_check(ff_sweep_use(h->sweep, &choice, &err), &err);
  return R_NilValue;
}

SEXP ffi_sweep_ready(SEXP pointer, SEXP seconds) {
  ff_error err;
  int ready = 0;
  held_sweep *h = sweep_of(pointer);
  R_CheckUserInterrupt();
  ffi_check(ff_sweep_ready(h->sweep, ffi_number(seconds, "seconds"), &ready, &err), &err);
  return Rf_ScalarLogical(ready);
}

SEXP ffi_sweep_advance(SEXP pointer, SEXP seconds) {
  static const char *const names[] = {"done", "complete", "events", "waiting"};
  ff_error err;
  held_sweep *h = sweep_of(pointer);
  R_CheckUserInterrupt();
  if (!h->done) ffi_check(ff_sweep_advance(h->sweep, ffi_number(seconds, "seconds"), &h->done, &err), &err);
  const double values[] = {h->done, (double)ff_sweep_complete(h->sweep), (double)ff_sweep_steps(h->sweep),
                           (double)ff_sweep_waiting(h->sweep)};
  return ffi_numbers(4, names, values);
}

/* The number of the first point that has failed, from 1, or NA. */
SEXP ffi_sweep_failed(SEXP pointer) {
  const held_sweep *h = sweep_of(pointer);
  const uint32_t failed = ff_sweep_failed(h->sweep);
  return Rf_ScalarInteger(failed < h->n ? (int)failed + 1 : NA_INTEGER);
}

/* Takes the results of points that are done: a list with an element for each point, as ffi_ensemble_result() gives it. The
 * element is NULL if the point is not done, is left to the caller, or was taken before. */
SEXP ffi_sweep_take(SEXP pointer) {
  held_sweep *h = sweep_of(pointer);
  SEXP out = PROTECT(Rf_allocVector(VECSXP, h->n));
  for (uint32_t i = 0; i < h->n; i++) {
    ff_run *run = ff_sweep_run(h->sweep, i);
    if (run == NULL) continue;
    SET_VECTOR_ELT(out, i, result_of(h->points + i, run, ff_sweep_lost(h->sweep)));
    ff_sweep_drop(h->sweep, i);
  }
  UNPROTECT(1);
  return out;
}
