/* Ensembles of several points on a GPU, and whole sweeps, compared with this processor. A part of ssa_check.c. */
#ifndef FF_TESTS_SSA_CHECK_POINTS_H
#define FF_TESTS_SSA_CHECK_POINTS_H

#include "../../src/ssa/groups/ff_ssa_factor.h"
#include "../../src/ssa/rings/ff_ssa_ring.h"
#include "../../src/ensemble/sweep/ff_sweep.h"
#include "../c/schedule_points.h"
#include "ssa_check_compare.h"

#define MOST_POINTS 10000u

/* Changes the rate constants of a program, the numbers of formulas for rates, and its initial counts by whole numbers. */
static inline void vary(ff_ssa_program *p, double factor, uint32_t add) {
  for (uint32_t s = 0; s < p->n_species; s++) p->initial[s] += s % 2 == 0 ? add : 0;
  for (uint32_t r = 0; r < p->n_reactions; r++) p->propensities[r].rate *= factor;
  for (uint32_t i = 0; p->factor->n_groups != FF_FACTOR_NONE && i < p->factor->n_groups; i++)
    p->factor->groups[i].rate *= factor;
  for (uint32_t i = 0; p->ring != NULL && i < p->ring->n_terms; i++) p->ring->terms[i].rate *= factor;
  for (uint32_t f = 0; f < p->n_formulas; f++)
    for (uint32_t i = 0; i < p->formulas[f].length; i++)
      if (p->formulas[f].word[i].code == FF_F_NUMBER) p->formulas[f].word[i].number *= factor;
}

typedef struct {
  uint32_t n;
  ff_ssa_program **programs;
  ff_device_point *points;
  uint8_t *joins;
} sweep;

static inline void sweep_free(sweep *s) {
  for (uint32_t i = 0; i < s->n; i++) ff_ssa_program_free(s->programs[i]);
  free(s->programs);
  free(s->points);
  free(s->joins);
}

static inline sweep sweep_new(uint32_t n) {
  return (sweep){n, ff_calloc(n, sizeof(ff_ssa_program *)), ff_calloc(n, sizeof(ff_device_point)), ff_calloc(n, 1)};
}

static inline void sweep_point(sweep *s, uint32_t i, ff_ssa_program *program) {
  s->programs[i] = program;
  s->points[i] = (ff_device_point){program, program->initial, KEY + i, NULL};
}

/* Compares point i of the wave, which is point `at` of the sweep: its counts, statistics and steps. */
static inline void compare_point(ff_ensemble *e, const job *whole, uint32_t i, uint32_t at, uint64_t steps, const sweep *s) {
  const uint64_t each = whole->request.n_each;
  const ff_device_request *r = &whole->request;
  const uint8_t counts[MOST_SPECIES] = {0};
  const size_t cells = (size_t)r->n_times * r->n_observed;
  double *states[MOST_SPECIES];
  ff_sums sums, own;
  ff_error err;
  uint32_t wrong = 0;
  uint64_t bytes = 0;
  uint32_t *got = ff_calloc(each * cells, sizeof *got);
  for (uint32_t j = 0; j < r->n_observed; j++) states[j] = ff_calloc(each * r->n_times, sizeof(double));
  const ff_run_options options = {.method = r->method, .key = s->points[at].key, .n = each, .initial = s->points[at].initial,
                                  .times = r->times, .n_times = r->n_times, .observed = r->observed, .n_observed = r->n_observed,
                                  .states = states, .threads = 1, .simd = FF_SIMD_BEST, .until = r->until};
  ff_run *run = run_to_end(s->programs[at], &options, 1);
  FF_CHECK_OK(gpu.backend->states(e, i * each, each, got, &err), &err);
  FF_CHECK_OK(ff_sums_new(&sums, r->n_times, r->n_observed, counts, FF_COVARIANCE | FF_HISTOGRAM, &err), &err);
  FF_CHECK_OK(ff_sums_new(&own, r->n_times, r->n_observed, counts, FF_COVARIANCE | FF_HISTOGRAM, &err), &err);
  FF_CHECK_OK(gpu.backend->tally(e, i * each, each, &sums, &err), &err);
  for (uint64_t k = 0; k < each; k++)
    for (uint32_t t = 0; t < r->n_times; t++) {
      double x[MOST_SPECIES];
      for (uint32_t j = 0; j < r->n_observed; j++) {
        x[j] = states[j][k * r->n_times + t];
        wrong += got[((uint64_t)t * r->n_observed + j) * each + k] != x[j];
      }
      FF_CHECK_OK(ff_sums_add(&own, t, x, &bytes, &err), &err);
    }
  FF_CHECK_SAY(wrong == 0, "%s: %u counts of point %u differ", whole->name, wrong, at);
  wrong = 0;
  for (size_t c = 0; c < cells; c++) {
    wrong += memcmp(&sums.counts[c].sums, &own.counts[c].sums, sizeof own.counts[c].sums) != 0;
    wrong += sums.frequency[c].used != own.frequency[c].used;
  }
  for (size_t c = 0; c < (size_t)r->n_observed * (r->n_observed - 1) * r->n_times; c++)
    wrong += sums.products[c] != own.products[c];
  FF_CHECK_SAY(wrong == 0, "%s: %u sums of point %u differ", whole->name, wrong, at);
  FF_CHECK_SAY(steps == ff_run_steps(run), "%s: %llu steps of point %u, not %llu", whole->name,
               (unsigned long long)steps, at, (unsigned long long)ff_run_steps(run));
  ff_run_free(run);
  ff_sums_free(&sums);
  ff_sums_free(&own);
  for (uint32_t j = 0; j < r->n_observed; j++) free(states[j]);
  free(got);
}

/* Adds up each point of a wave, as a sweep does. Returns the seconds. */
static inline double add_up(ff_ensemble *e, const job *j) {
  const uint8_t counts[MOST_SPECIES] = {0};
  const double began = ff_clock();
  for (uint64_t first = 0; first < j->n; first += j->request.n_each) {
    ff_sums sums;
    ff_error err;
    FF_CHECK_OK(ff_sums_new(&sums, j->request.n_times, j->request.n_observed, counts, 0, &err), &err);
    FF_CHECK_OK(gpu.backend->tally(e, first, j->request.n_each, &sums, &err), &err);
    ff_sums_free(&sums);
  }
  return ff_clock() - began;
}

/* Runs the points of a sweep one after the other, to compare the time. */
static inline void run_apart(const char *name, const sweep *s, job *j, uint64_t each) {
  const double began = ff_clock();
  double seconds = 0, ready = 0;
  for (uint32_t i = 0; i < s->n; i++) {
    ff_ensemble *e = NULL;
    ff_error err;
    j->kernel = gpu.kernel;
    j->program = s->programs[i];
    j->n = each;
    j->request.initial = s->points[i].initial;
    j->request.points = NULL;
    j->request.n_points = 0;
    j->progress = (ff_device_progress){0};
    FF_CHECK_OK(on_gpu(&e, j, &err), &err);
    ready += j->ready;
    if (e != NULL) seconds += gpu.backend->common.info(e).device_seconds;
    if (e != NULL) add_up(e, &(job){.n = each, .request = j->request});
    gpu.backend->common.destroy(e);
  }
  printf("%s: %u points apart: %.3f s, of which %.3f s to be ready and %.4f s on the GPU\n", name, s->n, ff_clock() - began,
         ready, seconds);
  fflush(stdout);
}

/* Runs a sweep as one ensemble, with the condition of its first point. `compared` of its points are compared, evenly spread; 0:
 * all. */
static inline void check_sweep(const char *name, sweep *s, ff_ssa_method method, const char *kernel, double last, uint64_t each,
                               uint32_t compared) {
  double times[TIMES];
  uint32_t species[MOST_SPECIES], n = 0, at[MOST_POINTS];
  ff_ensemble *e = NULL;
  ff_error err;
  const uint32_t all = s->programs[0]->n_species, n_species = all < 3 ? all : 3;
  for (uint32_t i = 0; i < TIMES; i++) times[i] = last * i / (TIMES - 1);
  for (uint32_t j = 0; j < n_species; j++) species[j] = j == 0 ? 0 : all - j;
  job j = {.name = name, .program = s->programs[0], .n = s->n * each};
  j.request = (ff_device_request){.method = method, .initial = s->points[0].initial, .times = times, .n_times = TIMES,
                                      .observed = species, .n_observed = n_species, .points = s->points, .n_points = s->n,
                                      .n_each = each, .joins = s->joins, .warps = gpu.warps, .until = s->points[0].until};
  if (gpu.apart) {
    run_apart(name, s, &j, each);
    return;
  }
  const ff_ensemble_options options = {.kernel = kernel, .units = j.n, .cache = gpu.cache};
  double began = ff_clock();
  int ready = 0;
  ff_status status = gpu.backend->create(&e, j.program, &j.request, &options, &err);
  while (status == FF_OK && !ready) status = gpu.backend->common.ready(e, 1, &ready, &err);
  j.ready = ff_clock() - began;
  for (uint32_t i = 0; i < s->n; i++)
    if (s->joins[i]) at[n++] = i;
  j.n = n * each;
  began = ff_clock();
  if (status == FF_OK) status = gpu.backend->common.start(e, 0, 0, j.n, &err);
  while (status == FF_OK && !j.progress.done) status = gpu.backend->advance(e, 0.5, &j.progress, &err);
  j.whole = ff_clock() - began;
  uint64_t *steps = ff_calloc(n + 1, sizeof *steps), refused[8], n_refused = 0;
  if (status == FF_OK) status = gpu.backend->steps(e, steps, &err);
  if (status == FF_OK) status = gpu.backend->refused(e, 0, refused, 8, &n_refused, &err);
  FF_CHECK_OK(status, &err);
  FF_CHECK_SAY(s->joins[0] && n_refused == 0, "%s: %llu refused", name, (unsigned long long)n_refused);
  for (uint32_t i = 0; i < n && status == FF_OK; i += compared > 0 && compared < n ? n / compared : 1)
    compare_point(e, &j, i, at[i], steps[i], s);
  if (status == FF_OK && compared > 0) {
    const double seconds = add_up(e, &j);
    printf("%u of %u points; added up in %.4f s\n", n, s->n, seconds);
    report(e, &j);
  }
  free(steps);
  gpu.backend->common.destroy(e);
}

/* Compares the points of a sweep that is done with runs of their own. Returns the number of points that are left. */
static inline uint32_t compare_runs(ff_sweep *done, const ff_point *points, uint32_t n, const char *name) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < n; i++) {
    ff_run *run = ff_sweep_run(done, i), *want;
    ff_sums *a, *b;
    ff_error err;
    left += ff_sweep_is_left(done, i) != 0;
    if (run == NULL) continue;
    want = run_to_end(points[i].model, &points[i].options, 1);
    FF_CHECK_OK(ff_run_sums(run, &a, &err), &err);
    FF_CHECK_OK(ff_run_sums(want, &b, &err), &err);
    const size_t counts = (size_t)a->n_times * a->n_counts * sizeof *a->counts;
    FF_CHECK_SAY(memcmp(a->counts, b->counts, counts) == 0, "%s: sums of point %u differ", name, i);
    FF_CHECK_SAY(ff_run_steps(run) == ff_run_steps(want), "%s: steps of point %u differ", name, i);
    ff_run_free(want);
  }
  return left;
}

#endif
