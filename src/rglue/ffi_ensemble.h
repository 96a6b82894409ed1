/* Ensembles of any engine, behind external pointers: runs, and sweeps of several points. An engine's file makes them, and
 * ffi_ensemble.c does what R does with them afterwards. */
#ifndef FFI_ENSEMBLE_H
#define FFI_ENSEMBLE_H

#include "../ensemble/ff_run.h"
#include "ffi.h"

typedef struct ffi_ensemble ffi_ensemble;

/* What the file of an engine gives. `own` is what an ensemble holds of the engine. */
typedef struct {
  const ff_engine *engine;
  const char *interface; /* the name of its table in a backend */
  /* Compiles a network of R, and returns the model of ff_run_new(). First it lets *ffi_ensemble_own() be `own`, which will hold
   * the model, so that no R error leaks it. Then it calls ffi_ensemble_observe(), and fills *o by ffi_ensemble_options(). */
  const void *(*make)(ffi_ensemble *ensemble, SEXP model, SEXP options, uint64_t seed, ff_run_options *o);
  void (*release)(void *own); /* accepts NULL, and what make() has begun; raises no error */
  /* Makes the list of what the engine adds to a result, where n quantities are observed. The caller PROTECTs it. */
  SEXP (*describe)(const void *own, const uint32_t *observed, uint32_t n);
} ffi_engine;

/* Where an ensemble keeps `own`: NULL at first. */
void **ffi_ensemble_own(ffi_ensemble *ensemble);

/* Reads from the options how much is observed, and what: numbers below `n_observable`. Returns the condition that ends
 * trajectories, as a text, or NULL. */
const char *ffi_ensemble_observe(ffi_ensemble *ensemble, SEXP options, uint32_t n_observable);

/* The options of a run, but for the method. `until` is borrowed, as in ff_run_options. The model has n_counts counts. */
ff_run_options ffi_ensemble_options(ffi_ensemble *ensemble, SEXP options, uint64_t seed, const ff_formula *until,
                                    uint32_t n_counts);

/* Makes a run. `options` is list(nsim, seed, first, times, observed, method, threads, simd, keep, covariance, histogram, firings,
 * until, starts, start, tolerance). With `keep`, the states of all trajectories are kept. `firings` is the largest number of
 * firings to keep, or 0. `until` is NULL or a condition. `starts` is NULL or a matrix with a column of counts per trajectory. A
 * tolerance of 0 is the method's own. */
SEXP ffi_ensemble_make(const ffi_engine *engine, SEXP model, SEXP options);

/* Makes a sweep. `models` is a list of networks, one for each point, and `seeds` are those of the points. `options` are for all
 * points. */
SEXP ffi_sweep_make(const ffi_engine *engine, SEXP models, SEXP seeds, SEXP options);

/* Makes a tally from the sums of n trajectories, whose histograms cannot be added to afterwards. The caller PROTECTs it. */
SEXP ffi_tally(ff_sums *sums, uint64_t n);

#endif
