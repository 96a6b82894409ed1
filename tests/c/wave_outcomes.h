/* Ensembles on fake devices, for tests: what is run, in which ways, and whether two results have the same bits. */
#ifndef FF_TESTS_WAVE_OUTCOMES_H
#define FF_TESTS_WAVE_OUTCOMES_H

#include "../../src/ensemble/ff_waves.h"
#include "device_ways.h"
#include "simulations.h"

enum { RUNS = 53, TIMES = 3, MOST = 4 };
static const double times[] = {0, 0.2, 0.5};

/* ---- what is run -------------------------------------------------------------------------------------------------------- */

static const reaction_text busy[] = {{"A -> 0", "1"}, {"2 A -> B", "0.01"}, {"B -> 2 A", "0.5"}, {"0 -> A", "20"}, {NULL, NULL}};
static const double busy_initial[] = {40, 5};

/* A busy program with the variables A / (1 + B) and 7. */
static inline ff_ssa_program *program_with_variables(void) {
  static const char *const texts[] = {"A / (1 + B)", "7"};
  ff_ssa_program *p = program_of(busy, busy_initial, 2);
  free(p->variables);
  p->variables = ff_calloc(2, sizeof *p->variables);
  p->n_variables = 2;
  for (int v = 0; v < 2; v++) {
    p->variables[v] = formula_of(texts[v]);
    if (p->variables[v].depth > p->depth) p->depth = p->variables[v].depth;
  }
  return p;
}

/* What is observed, and how. With `keep`, states are kept. */
typedef struct {
  const char *name;
  uint32_t observed[MOST], n_observed;
  unsigned wanted;
  int keep, tallies; /* whether a device can add up the statistics */
} output;

static const output outputs[] = {
    {"moments", {1, 0}, 2, 0, 0, 1},
    {"covariances", {1, 0}, 2, FF_COVARIANCE, 0, 1},
    {"one species", {1}, 1, 0, 0, 1},
    {"histograms", {1, 0}, 2, FF_HISTOGRAM | FF_COVARIANCE, 0, 1},
    {"the same twice", {1, 0, 1}, 3, FF_COVARIANCE, 0, 0},
    {"variables", {2, 0, 3, 1}, 4, FF_COVARIANCE | FF_HISTOGRAM, 0, 0},
    {"a constant", {3}, 1, 0, 0, 0},
    {"states", {0, 1}, 2, 0, 1, 0},
    {"states of variables", {2, 1}, 2, 0, 1, 0},
};
enum { OUTPUTS = sizeof outputs / sizeof outputs[0] };

static const way ways[] = {
    {1, 1, 1000, 0, 0, 10, 0}, {1, 2, 10, 3, 0, 0, 0},  {3, 2, 5, 2, 4, 0, 0},   {2, 3, 1, 0, 1, 10, 0},
    {4, 1, 7, 0, 3, 10, 0},    {2, 1, 1000, 9, 7, 0, 2}, {3, 2, 1000, 0, 0, 10, 0}, {1, 1, 20, 0, 2, 0, 1},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

typedef struct {
  ff_run *run;
  double value[MOST][RUNS * TIMES];
  ff_status status;
  ff_error err;
  uint64_t complete, steps;
} outcome;

static ff_run_options options_of(ff_ssa_method method, const output *o, const way *w) {
  return (ff_run_options){.method = method, .key = 5, .first = 100, .n = RUNS, .times = times, .n_times = TIMES,
                          .observed = o->observed, .n_observed = o->n_observed, .wanted = o->wanted, .threads = w->threads};
}

/* Runs to the end or to a failure. */
static inline void play(outcome *out, const ff_ssa_program *program, ff_run_options options, int keep, const way *w) {
  double *columns[MOST];
  for (int j = 0; j < MOST; j++) columns[j] = out->value[j];
  memset(out->value, 0, sizeof out->value);
  options.states = keep ? columns : NULL;
  out->status = run_in_way(&out->run, program, &options, w, &out->err);
  out->complete = ff_run_complete(out->run);
  out->steps = ff_run_steps(out->run);
}

/* ---- comparing ---------------------------------------------------------------------------------------------------------- */

static inline void compare_histograms(const ff_sums *a, const ff_sums *b, const char *what) {
  for (size_t i = 0; i < (size_t)a->n_times * a->n_observed; i++) {
    double x[RUNS], y[RUNS], n[RUNS], m[RUNS];
    FF_CHECK_SAY(a->frequency[i].used == b->frequency[i].used && a->frequency[i].used <= RUNS, "%s", what);
    ff_frequency_list(a->frequency + i, x, n);
    ff_frequency_list(b->frequency + i, y, m);
    const size_t bytes = a->frequency[i].used * sizeof *x;
    FF_CHECK_SAY(memcmp(x, y, bytes) == 0 && memcmp(n, m, bytes) == 0, "%s: another histogram", what);
  }
}

static inline void compare_sums(ff_run *got, ff_run *want, const char *what) {
  ff_sums *a, *b;
  ff_error err;
  FF_CHECK_OK(ff_run_sums(got, &a, &err), &err);
  FF_CHECK_OK(ff_run_sums(want, &b, &err), &err);
  FF_CHECK_SAY(memcmp(a->counts, b->counts, (size_t)a->n_times * a->n_counts * sizeof *a->counts) == 0, "%s: other sums", what);
  FF_CHECK_SAY(memcmp(a->reals, b->reals, (size_t)a->n_times * a->n_reals * sizeof *a->reals) == 0, "%s: other sums", what);
  FF_CHECK((a->products == NULL) == (b->products == NULL) && (a->frequency == NULL) == (b->frequency == NULL));
  const int products = a->products != NULL || a->real_products != NULL;
  for (uint32_t i = 0; i < a->n_times && products; i++)
    for (uint32_t k = 1; k < a->n_observed; k++)
      for (uint32_t j = 0; j < k; j++)
        FF_CHECK_SAY(ff_sums_covariance(a, i, j, k, RUNS) == ff_sums_covariance(b, i, j, k, RUNS), "%s", what);
  if (a->frequency != NULL) compare_histograms(a, b, what);
}

static inline void compare(const outcome *got, const outcome *want, int keep, const char *what) {
  FF_CHECK_SAY(got->status == FF_OK && want->status == FF_OK, "%s: %s", what, got->err.text);
  if (got->status != FF_OK) return;
  FF_CHECK_SAY(got->complete == want->complete && got->complete == RUNS, "%s: %llu complete", what,
               (unsigned long long)got->complete);
  FF_CHECK_SAY(got->steps == want->steps, "%s: %llu steps, not %llu", what, (unsigned long long)got->steps,
               (unsigned long long)want->steps);
  if (keep)
    FF_CHECK_SAY(memcmp(got->value, want->value, sizeof got->value) == 0, "%s: other states", what);
  else
    compare_sums(got->run, want->run, what);
}

#endif
