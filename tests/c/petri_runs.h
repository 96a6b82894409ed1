/* Runs of Petri nets for tests: nets from texts, and the states or firings of ensembles. */
#ifndef FF_TESTS_PETRI_RUNS_H
#define FF_TESTS_PETRI_RUNS_H

#include "../../src/petri/ff_petri_engine.h"
#include "check.h"
#include "petri_nets.h"

/* A net that is being written. The first error stays. */
typedef struct {
  ff_petri *net;
  ff_petri_flat *flat;
  ff_petri_program *program;
  ff_status status;
  ff_error err;
} petri_text;

static inline void petri_begin(petri_text *x) {
  memset(x, 0, sizeof *x);
  x->status = ff_petri_new(&x->net, &x->err);
}

/* A place, which is continuous or not, with its marking at the start. */
static inline void petri_place(petri_text *x, const char *name, int continuous, const char *marking) {
  if (x->status == FF_OK) x->status = ff_petri_add_place(x->net, name, FF_PETRI_NONE, continuous, 0, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_add_marking(x->net, name, NULL, marking, 0, petri_nowhere, &x->err);
}

static inline void petri_transition(petri_text *x, const char *name, ff_petri_kind kind, const char *equation, const char *tests,
                                    const char *resets, const char *number, int mass_action) {
  if (x->status == FF_OK)
    x->status = petri_add(x->net, name, kind, equation, NULL, tests, resets, number, mass_action, &x->err);
}

static inline void petri_fires(petri_text *x, const char *name, const char *equation, const char *rate) {
  petri_transition(x, name, FF_PETRI_STOCHASTIC, equation, NULL, NULL, rate, 0);
}

static inline void petri_flows(petri_text *x, const char *name, const char *equation, const char *rate) {
  petri_transition(x, name, FF_PETRI_CONTINUOUS, equation, NULL, NULL, rate, 0);
}

/* When scheduled transition t fires: begin, period and end, which may be NULL. */
static inline void petri_schedule_of(petri_text *x, uint32_t t, const char *const *at) {
  for (int k = 0; k < 3 && x->status == FF_OK; k++)
    if (at[k] != NULL) x->status = ff_petri_at(x->net, t, k, at[k], petri_nowhere, &x->err);
}

/* The same for the last transition. */
static inline void petri_schedule(petri_text *x, const char *const *at) {
  if (x->status == FF_OK) petri_schedule_of(x, x->net->n_transitions - 1, at);
}

static inline void petri_compile(petri_text *x, const ff_petri_options *options) {
  if (x->status == FF_OK) x->status = ff_petri_finish(x->net, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_unfold(&x->flat, x->net, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_program_new(&x->program, x->flat, options, &x->err);
  FF_CHECK_SAY(x->status == FF_OK, "%s\n", x->err.text);
}

static inline void petri_end(petri_text *x) {
  ff_petri_program_free(x->program);
  ff_petri_flat_free(x->flat);
  ff_petri_free(x->net);
  memset(x, 0, sizeof *x);
}

/* The states of n trajectories at some times: state[(k * n + trajectory) * n_times + time] of the k-th observed place. */
typedef struct {
  uint64_t n;
  uint32_t n_times, n_observed;
  double *state;
} petri_states;

static inline ff_status petri_observe(petri_states *out, const ff_petri_program *program, uint64_t n, const double *times,
                                      uint32_t n_times, uint32_t n_observed, uint64_t key, int threads, ff_error *err) {
  uint32_t observed[8];
  double *states[8];
  ff_run *run = NULL;
  int done = 0;
  *out = (petri_states){n, n_times, n_observed, calloc(n * n_times * n_observed, sizeof *out->state)};
  for (uint32_t k = 0; k < n_observed; k++) {
    observed[k] = k;
    states[k] = out->state + k * n * n_times;
  }
  const ff_run_options options = {.key = key, .n = n, .times = times, .n_times = n_times, .observed = observed,
                                  .n_observed = n_observed, .states = states, .threads = threads};
  ff_status status = ff_run_new(&run, &ff_petri_engine, program, &options, err);
  while (status == FF_OK && !done) status = ff_run_advance(run, 10, &done, err);
  ff_run_free(run);
  return status;
}

static inline double petri_state(const petri_states *x, uint32_t k, uint64_t trajectory, uint32_t time) {
  return x->state[(k * x->n + trajectory) * x->n_times + time];
}

static inline void petri_states_free(petri_states *x) {
  free(x->state);
  x->state = NULL;
}

/* The firings of n trajectories up to a time. */
typedef struct {
  uint64_t n;
  double *trajectory, *time;
  int32_t *what;
} petri_firings;

static inline ff_status petri_list(petri_firings *out, const ff_petri_program *program, uint64_t n, double end, uint64_t key,
                                   ff_error *err) {
  const uint32_t observed = 0;
  double *state = calloc(n, sizeof *state);
  double *const states[1] = {state};
  ff_run *run = NULL;
  int done = 0;
  memset(out, 0, sizeof *out);
  const ff_run_options options = {.key = key, .n = n, .times = &end, .n_times = 1, .observed = &observed, .n_observed = 1,
                                  .states = states, .threads = 1, .max_firings = 100000000};
  ff_status status = ff_run_new(&run, &ff_petri_engine, program, &options, err);
  while (status == FF_OK && !done) status = ff_run_advance(run, 10, &done, err);
  if (status == FF_OK) {
    out->n = ff_run_n_firings(run);
    out->trajectory = calloc(out->n + 1, sizeof *out->trajectory);
    out->time = calloc(out->n + 1, sizeof *out->time);
    out->what = calloc(out->n + 1, sizeof *out->what);
    status = ff_run_firings(run, out->trajectory, out->time, out->what, err);
  }
  ff_run_free(run);
  free(state);
  return status;
}

static inline void petri_firings_free(petri_firings *x) {
  free(x->trajectory);
  free(x->time);
  free(x->what);
  memset(x, 0, sizeof *x);
}

static inline int petri_ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The largest distance between the distribution of n numbers, which are sorted, and a distribution function. */
static inline double petri_distance(double *x, uint64_t n, double (*cdf)(double)) {
  double most = 0;
  qsort(x, n, sizeof *x, petri_ascending);
  for (uint64_t i = 0; i < n; i++) {
    const double f = cdf(x[i]), below = f - (double)i / (double)n, above = (double)(i + 1) / (double)n - f;
    most = below > most ? below : most;
    most = above > most ? above : most;
  }
  return most;
}

#endif
