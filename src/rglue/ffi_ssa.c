/* Ensembles of reaction networks: a run, or a sweep, behind an external pointer. ffi_ssa_tally.c holds their sums. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../ensemble/sweep/ff_sweep.h"
#include "ffi_backend.h"
#include "ffi_ssa.h"
#include "ffi_values.h"

typedef struct {
  ff_ssa_compiler *compiler; /* until there is a program */
  ff_ssa_program *program;
  ff_run *run;
  ff_formula until;
  uint64_t n;
  uint32_t n_species, n_times, n_observed, *observed;
  double **states; /* the columns of the states that are kept */
  ff_ssa_method method;
  int done;
  double changed; /* as ff_ssa_method_of() */
} held;

/* What R keeps for a run: the states, the times at which trajectories have ended, the options, the numbers that the run borrows,
 * and the backend of its devices. */
enum { STATES, STOPPED, OPTIONS, TIMES, STARTS, BACKEND, KEPT };

static void release_parts(held *h) {
  ff_ssa_compiler_free(h->compiler);
  ff_ssa_program_free(h->program);
  ff_formula_free(&h->until);
  free(h->observed);
  free(h->states);
}

static void release(SEXP pointer) {
  held *h = R_ExternalPtrAddr(pointer);
  if (h == NULL) return;
  SEXP backend = VECTOR_ELT(R_ExternalPtrProtected(pointer), BACKEND);
  /* in a forked process, objects that the backend made must not be freed */
  if (backend == R_NilValue || ffi_backend_may_free(backend)) ff_run_free(h->run);
  release_parts(h);
  free(h);
  R_ClearExternalPtr(pointer);
}

static held *held_of(SEXP pointer) { return ffi_held(pointer, "an ensemble"); }

/* A list with a numeric vector for each observed species, which has a row for each trajectory and time. */
static SEXP new_columns(const held *h) {
  SEXP columns = PROTECT(Rf_allocVector(VECSXP, h->n_observed));
  for (uint32_t j = 0; j < h->n_observed; j++)
    SET_VECTOR_ELT(columns, j, Rf_allocVector(REALSXP, (R_xlen_t)(h->n * h->n_times)));
  UNPROTECT(1);
  return columns;
}

static int method_of(const char *name, ff_ssa_method *method) {
  for (*method = 0; *method < FF_SSA_METHODS; (*method)++)
    if (strcmp(ff_ssa_method_name(*method), name) == 0) return 1;
  return 0;
}

/* Elements of the options. */
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

static ff_run_options options_of(const held *h, SEXP options, SEXP kept) {
  SEXP starts = ffi_element(options, "starts"), stopped = VECTOR_ELT(kept, STOPPED);
  return (ff_run_options){.first = count(options, "first"),
                          .n = h->n,
                          .times = numbers(options, "times", h->n_times, kept, TIMES),
                          .n_times = h->n_times,
                          .observed = h->observed,
                          .n_observed = h->n_observed,
                          .wanted = (flag(options, "covariance") ? FF_COVARIANCE : 0) |
                                    (flag(options, "histogram") ? FF_HISTOGRAM : 0),
                          .max_firings = count(options, "firings"),
                          .until = h->until.word != NULL ? &h->until : NULL,
                          .stopped = stopped == R_NilValue ? NULL : REAL(stopped),
                          .starts = starts == R_NilValue
                                        ? NULL
                                        : numbers(options, "starts", (R_xlen_t)(h->n * h->n_species), kept, STARTS),
                          .start = number(options, "start"),
                          .threads = whole(options, "threads"),
                          .simd = (ff_simd)whole(options, "simd"),
                          .tolerance = number(options, "tolerance")};
}

/* Compiles the network, which may take some seconds if it is very large. */
static void compile(held *h, const ff_reactions *net, double start) {
  ff_error err;
  ffi_check(ff_ssa_compiler_new(&h->compiler, net, start, &err), &err);
  while (h->program == NULL) {
    R_CheckUserInterrupt();
    ffi_check(ff_ssa_compiler_step(h->compiler, &h->program, &err), &err);
  }
  ff_ssa_compiler_free(h->compiler);
  h->compiler = NULL;
}

/* Fills what a run needs, which `h` and `kept` hold. `seed` is that of the run. */
static ff_run_options fill(held *h, const ff_reactions *net, SEXP options, uint64_t seed, SEXP kept) {
  ff_error err;
  SEXP observed = ffi_element(options, "observed"), until = ffi_element(options, "until");
  h->n = count(options, "nsim");
  h->n_species = net->n_species;
  h->n_times = (uint32_t)Rf_xlength(ffi_element(options, "times"));
  h->n_observed = (uint32_t)Rf_xlength(observed);
  const uint32_t *observed_at = ffi_nodes(observed, -1, "observed", net->n_species + net->n_variables);
  SET_VECTOR_ELT(kept, OPTIONS, options);
  if (until != R_NilValue) {
    SET_VECTOR_ELT(kept, STOPPED, Rf_allocVector(REALSXP, (R_xlen_t)h->n));
    ffi_check(ff_ssa_condition(&h->until, net, ffi_text(until, "until"), &err), &err);
  }
  compile(h, net, number(options, "start"));
  if (flag(options, "keep")) SET_VECTOR_ELT(kept, STATES, new_columns(h));
  SEXP columns = VECTOR_ELT(kept, STATES);
  h->observed = ff_calloc(h->n_observed, sizeof *h->observed);
  h->states = ff_calloc(columns != R_NilValue ? h->n_observed : 0, sizeof *h->states);
  if (h->observed == NULL || h->states == NULL) ffi_no_memory("an ensemble");
  for (uint32_t j = 0; j < h->n_observed; j++) {
    h->observed[j] = observed_at[j];
    if (columns != R_NilValue) h->states[j] = REAL(VECTOR_ELT(columns, j));
  }
  ff_run_options o = options_of(h, options, kept);
  o.key = seed;
  h->changed = ff_ssa_program_coupling(h->program);
  if (!method_of(ffi_text(ffi_element(options, "method"), "method"), &h->method)) /* "auto" */
    h->method = ff_ssa_method_of(h->program, &o, &h->changed);
  o.method = h->method;
  if (columns != R_NilValue) o.states = h->states;
  return o;
}

/* `options` is list(nsim, seed, first, times, observed, method, threads, simd, keep, covariance, histogram, firings, until,
 * starts, start, tolerance). `method` is a name or "auto". With `keep`, the states of all trajectories are kept. `firings` is the
 * largest number of firings to keep, or 0. `until` is NULL or a condition. `starts` is NULL or a matrix with a column of counts
 * per trajectory. A tolerance of 0 is the method's own. */
SEXP ffi_ssa_new(SEXP model, SEXP options) {
  ff_error err;
  ff_reactions *net;
  SEXP kept = PROTECT(Rf_allocVector(VECSXP, KEPT)), pointer = PROTECT(ffi_pointer(release, 1, kept));
  PROTECT(ffi_reactions_hold(model, &net));
  held *h = ff_calloc(1, sizeof *h);
  if (h == NULL) ffi_no_memory("an ensemble");
  R_SetExternalPtrAddr(pointer, h);
  const ff_run_options o = fill(h, net, options, count(options, "seed"), kept);
  ffi_check(ff_ssa_run_new(&h->run, h->program, &o, &err), &err);
  UNPROTECT(3);
  return pointer;
}

/* The reason why no device can do a run, as a clause, or NULL. */
SEXP ffi_ssa_why_not(SEXP pointer) {
  ff_error err;
  return ff_run_check_devices(held_of(pointer)->run, &err) == FF_OK ? R_NilValue : Rf_mkString(err.text);
}

static ff_fleet_choice choice_of(SEXP backend, SEXP devices, SEXP kernel, SEXP cache) {
  return (ff_fleet_choice){.calls = ffi_backend_interface(backend, FF_SSA_INTERFACE),
                         .devices = ffi_device_numbers(devices),
                         .n_devices = (uint32_t)Rf_xlength(devices),
                         .kernel = ffi_kernel(kernel),
                         .cache = ffi_cache(cache)};
}

/* Lets devices of a backend (numbered from 0) simulate what has not begun when they are ready. `kernel` is the name of a kernel,
 * or NULL; `blocks` is for measurements: see ff_device_request. */
SEXP ffi_ssa_use(SEXP pointer, SEXP backend, SEXP devices, SEXP kernel, SEXP cache, SEXP blocks) {
  ff_error err;
  held *h = held_of(pointer);
  const double wanted = ffi_number(blocks, "blocks");
  ff_fleet_choice choice = choice_of(backend, devices, kernel, cache);
  choice.blocks = wanted > 0 && wanted <= INT32_MAX ? (uint32_t)wanted : 0;
  SET_VECTOR_ELT(R_ExternalPtrProtected(pointer), BACKEND, backend);
  ffi_check(ff_run_use(h->run, &choice, &err), &err);
  return R_NilValue;
}

/* Waits for the devices for `seconds` at most. Returns whether they have begun. */
SEXP ffi_ssa_ready(SEXP pointer, SEXP seconds) {
  ff_error err;
  int ready = 0;
  held *h = held_of(pointer);
  R_CheckUserInterrupt();
  ffi_check(ff_run_ready(h->run, ffi_number(seconds, "seconds"), &ready, &err), &err);
  return Rf_ScalarLogical(ready);
}

/* Works for about `seconds`. Returns list(done, complete, events, waiting): `waiting` is the number of trajectories that have not
 * begun. */
SEXP ffi_ssa_advance(SEXP pointer, SEXP seconds) {
  static const char *const names[] = {"done", "complete", "events", "waiting"};
  ff_error err;
  held *h = held_of(pointer);
  R_CheckUserInterrupt();
  if (!h->done) ffi_check(ff_run_advance(h->run, ffi_number(seconds, "seconds"), &h->done, &err), &err);
  const double values[] = {h->done, (double)ff_run_complete(h->run), (double)ff_run_steps(h->run),
                           (double)ff_run_waiting(h->run)};
  return ffi_numbers(4, names, values);
}

/* The firings as list(trajectory, time, reaction); trajectories and reactions are numbered from 1. */
static SEXP firings_of(const held *h, double first) {
  static const char *const names[] = {"trajectory", "time", "reaction"};
  const uint64_t n = ff_run_n_firings(h->run);
  ff_error err;
  SEXP out = PROTECT(ffi_list(3, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(REALSXP, (R_xlen_t)n));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, (R_xlen_t)n));
  SET_VECTOR_ELT(out, 2, Rf_allocVector(INTSXP, (R_xlen_t)n));
  double *trajectory = REAL(VECTOR_ELT(out, 0));
  int *reaction = INTEGER(VECTOR_ELT(out, 2));
  ffi_check(ff_run_firings(h->run, trajectory, REAL(VECTOR_ELT(out, 1)), reaction, &err), &err);
  for (uint64_t i = 0; i < n; i++) {
    trajectory[i] += first + 1;
    reaction[i]++;
  }
  UNPROTECT(1);
  return out;
}

/* Returns list(method, coupling, changed, groups, formulas, events, varies, states, tally, firings, stopped, device) of a run
 * that is done. `changed` is that of ff_ssa_method_of(), or `coupling` if the method was given. `varies` tells for each observed
 * quantity whether a reaction may change it. Either the states were kept, or there is a tally of statistics. `stopped` has the
 * time at which each trajectory has ended, or NaN. `device` describes the devices that have run. What there is not is NULL. */
static SEXP result_of(const held *h, ff_run *run, SEXP kept, const char *lost) {
  static const char *const names[] = {"method", "coupling", "changed", "groups",  "formulas", "events",
                                      "varies", "states",   "tally",   "firings", "stopped",  "device"};
  ff_error err;
  SEXP out = PROTECT(ffi_list(12, names)), options = VECTOR_ELT(kept, OPTIONS);
  ffi_set(out, "method", Rf_mkString(ff_ssa_method_name(h->method)));
  ffi_set(out, "coupling", Rf_ScalarReal(ff_ssa_program_coupling(h->program)));
  ffi_set(out, "changed", Rf_ScalarReal(h->changed));
  ffi_set(out, "groups", Rf_ScalarReal(ff_ssa_program_groups(h->program)));
  ffi_set(out, "formulas", Rf_ScalarReal(ff_ssa_program_formulas(h->program)));
  ffi_set(out, "events", Rf_ScalarReal((double)ff_run_steps(run)));
  SEXP varies = Rf_allocVector(LGLSXP, h->n_observed);
  ffi_set(out, "varies", varies);
  for (uint32_t j = 0; j < h->n_observed; j++) LOGICAL(varies)[j] = ff_ssa_program_changes(h->program, h->observed[j]);
  ffi_set(out, "states", VECTOR_ELT(kept, STATES));
  ffi_set(out, "stopped", VECTOR_ELT(kept, STOPPED));
  if (VECTOR_ELT(kept, STATES) == R_NilValue) {
    ff_sums *sums;
    ffi_check(ff_run_sums(run, &sums, &err), &err);
    ffi_set(out, "tally", ffi_ssa_tally(sums, h->n));
  }
  if (number(options, "firings") > 0) ffi_set(out, "firings", firings_of(h, number(options, "first")));
  ff_ensemble_info info;
  if (ff_run_device(run, &info)) ffi_set(out, "device", ffi_device(&info, lost));
  UNPROTECT(1);
  return out;
}

SEXP ffi_ssa_result(SEXP pointer) {
  const held *h = held_of(pointer);
  return result_of(h, h->run, R_ExternalPtrProtected(pointer), ff_run_lost(h->run));
}

/* ---- sweeps -------------------------------------------------------------------------------------------------------------- */

typedef struct {
  uint32_t n;
  held *points; /* without runs, which the sweep has */
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

static void fill_point(held_sweep *h, uint32_t i, SEXP model, SEXP options, uint64_t seed, SEXP all, ff_point *point) {
  ff_reactions *net;
  SEXP kept = PROTECT(Rf_allocVector(VECSXP, KEPT));
  SEXP net_of = PROTECT(ffi_reactions_hold(model, &net));
  SET_VECTOR_ELT(all, i, kept);
  point->options = fill(h->points + i, net, options, seed, kept);
  point->engine = &ff_ssa_engine;
  point->model = h->points[i].program;
  (void)net_of;
  UNPROTECT(2);
}

/* `models` is a list of networks, one for each point, and `seeds` are those of the points. `options`, for all points, is that of
 * ffi_ssa_new(). */
SEXP ffi_sweep_new(SEXP models, SEXP seeds, SEXP options) {
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
  h->points = ff_calloc(n, sizeof *h->points);
  if (h->points == NULL) ffi_no_memory("a sweep");
  for (h->n = 0; h->n < n;) {
    const uint32_t i = h->n++;
    if (i % 16 == 0) R_CheckUserInterrupt();
    if (!(seed[i] >= 0 && seed[i] <= FFI_MOST)) ffi_stop_found(FFI_ARGUMENT, "seeds", "whole numbers from 0 to 2^53", "others");
    fill_point(h, i, VECTOR_ELT(models, i), options, (uint64_t)seed[i], all, points + i);
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

/* As ffi_ssa_use(), ffi_ssa_ready() and ffi_ssa_advance(), for sweeps. */
SEXP ffi_sweep_use(SEXP pointer, SEXP backend, SEXP devices, SEXP kernel, SEXP cache) {
  ff_error err;
  held_sweep *h = sweep_of(pointer);
  const ff_fleet_choice choice = choice_of(backend, devices, kernel, cache);
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

/* Takes the results of points that are done: a list with an element for each point, as ffi_ssa_result() gives it. The element is
 * NULL if the point is not done, is left to the caller, or was taken before. */
SEXP ffi_sweep_take(SEXP pointer) {
  held_sweep *h = sweep_of(pointer);
  SEXP all = VECTOR_ELT(R_ExternalPtrProtected(pointer), SWEEP_POINTS), out = PROTECT(Rf_allocVector(VECSXP, h->n));
  for (uint32_t i = 0; i < h->n; i++) {
    ff_run *run = ff_sweep_run(h->sweep, i);
    if (run == NULL) continue;
    SET_VECTOR_ELT(out, i, result_of(h->points + i, run, VECTOR_ELT(all, i), ff_sweep_lost(h->sweep)));
    ff_sweep_drop(h->sweep, i);
  }
  UNPROTECT(1);
  return out;
}

/* Returns list(name, about, cost, exact, whole, gpu) of the methods: what they do, what an event costs, whether they are exact,
 * whether their counts are whole numbers, and whether GPUs have them. */
SEXP ffi_ssa_methods(void) {
  static const char *const names[] = {"name", "about", "cost", "exact", "whole", "gpu"};
  enum { TEXTS = 3, FLAGS = 3 };
  SEXP out = PROTECT(ffi_list(TEXTS + FLAGS, names));
  for (int k = 0; k < TEXTS + FLAGS; k++)
    SET_VECTOR_ELT(out, k, Rf_allocVector(k < TEXTS ? STRSXP : LGLSXP, FF_SSA_METHODS));
  for (int i = 0; i < FF_SSA_METHODS; i++) {
    const ff_ssa_method m = (ff_ssa_method)i;
    const char *const texts[TEXTS] = {ff_ssa_method_name(m), ff_ssa_method_about(m), ff_ssa_method_cost(m)};
    const int flags[FLAGS] = {ff_ssa_method_exact(m), ff_ssa_method_whole(m), ff_ssa_method_on_devices(m)};
    for (int k = 0; k < TEXTS; k++) SET_STRING_ELT(VECTOR_ELT(out, k), i, Rf_mkChar(texts[k]));
    for (int k = 0; k < FLAGS; k++) LOGICAL(VECTOR_ELT(out, TEXTS + k))[i] = flags[k];
  }
  UNPROTECT(1);
  return out;
}
