/* Waves of several points, compared with runs of the processor. */
#ifndef FF_TESTS_SSA_POINTS_H
#define FF_TESTS_SSA_POINTS_H

#include "../../src/ssa/groups/ff_ssa_factor.h"
#include "../../src/ssa/rings/ff_ssa_ring.h"
#include "ssa_launch.h"

#define POINTS 3u
#define EACH 7u

static const ff_formula *point_until; /* the conditions of POINTS points; NULL if they have none */
static uint32_t points_ended;         /* trajectories that these conditions have ended */

/* Makes a launch of a wave of several points, which have these events. The caller frees it with launch_free(). */
static inline ff_launch points_launch(const ff_device_request *request, uint32_t state_words, uint64_t events[POINTS]) {
  ff_launch run = launch_new(request, state_words);
  run.key = run.first = UINT64_MAX; /* nobody reads them */
  memset(run.round_key, 0xA5, sizeof run.round_key);
  run.units = POINTS * EACH;
  free(run.recorded);
  run.recorded = ff_calloc((size_t)run.units * request->n_times * request->n_observed, sizeof *run.recorded);
  run.each = EACH;
  run.point_steps = events;
  return run;
}

/* Compares what the points of a wave have recorded with runs of the processor. */
static inline void compare_points(const ff_launch *run, ff_ssa_program *const *programs,
                                  const ff_device_request *request, const char *what) {
  double *states[64], stopped[EACH];
  for (uint32_t j = 0; j < request->n_observed; j++) states[j] = ff_calloc((size_t)EACH * run->n_times, sizeof(double));
  for (uint32_t p = 0; p < POINTS; p++) {
    const ff_run_options options = {.method = request->method, .key = request->points[p].key, .n = EACH,
                                    .initial = request->points[p].initial, .times = request->times, .n_times = request->n_times,
                                    .observed = request->observed, .n_observed = request->n_observed, .states = states,
                                    .threads = 1, .until = request->points[p].until,
                                    .stopped = request->points[p].until != NULL ? stopped : NULL};
    ff_run *cpu = run_to_end(programs[p], &options, 1);
    uint32_t wrong = 0;
    for (uint32_t k = 0; k < EACH; k++)
      for (uint32_t i = 0; i < run->n_times; i++)
        for (uint32_t j = 0; j < request->n_observed; j++)
          wrong += (double)FF_RECORD_OF(run, i, p * EACH + k)[j * run->units] != states[j][k * run->n_times + i];
    for (uint32_t k = 0; k < EACH && options.until != NULL; k++) {
      const double there = run->stopped[p * EACH + k];
      wrong += isnan(stopped[k]) ? !isnan(there) : stopped[k] != there;
      points_ended += !isnan(stopped[k]);
    }
    FF_CHECK_SAY(wrong == 0, "%s: %u counts or times of point %u differ", what, wrong, p);
    FF_CHECK_SAY(run->point_steps[p] == ff_run_steps(cpu), "%s: %llu events, not %llu", what,
                 (unsigned long long)run->point_steps[p], (unsigned long long)ff_run_steps(cpu));
    ff_run_free(cpu);
  }
  FF_CHECK_SAY(run->refused[0] == 0, "%s: refused", what);
  for (uint32_t j = 0; j < request->n_observed; j++) free(states[j]);
}

/* Conditions on the species A and B, which differ in their numbers. The caller frees them with free_conditions(). */
static inline void make_conditions(ff_formula until[POINTS]) {
  for (uint32_t p = 0; p < POINTS; p++) {
    char text[40];
    snprintf(text, sizeof text, "B > %u | A < %u", 9 + p, 3 + 2 * p);
    until[p] = formula_of(text);
  }
  point_until = until;
  points_ended = 0;
}

static inline void free_conditions(ff_formula until[POINTS]) {
  FF_CHECK(points_ended > 0);
  for (uint32_t p = 0; p < POINTS; p++) ff_formula_free(&until[p]);
  point_until = NULL;
}

/* Changes the rate constants and initial counts of a program, as another row of a sweep would. */
static inline void vary_point(ff_ssa_program *p, uint32_t by) {
  for (uint32_t s = 0; s < p->n_species; s++) p->initial[s] += by * (s % 2);
  for (uint32_t r = 0; r < p->n_reactions; r++) p->propensities[r].rate *= 1 + 0.25 * by;
  for (uint32_t i = 0; i < p->factor->n_groups && p->factor->n_groups != FF_FACTOR_NONE; i++)
    p->factor->groups[i].rate *= 1 + 0.25 * by;
  for (uint32_t i = 0; p->ring != NULL && i < p->ring->n_terms; i++) p->ring->terms[i].rate *= 1 + 0.25 * by;
  for (uint32_t f = 0; f < p->n_formulas; f++)
    for (uint32_t i = 0; i < p->formulas[f].length; i++)
      if (p->formulas[f].word[i].code == FF_F_NUMBER) p->formulas[f].word[i].number *= 1 + 0.125 * by;
}

#endif
