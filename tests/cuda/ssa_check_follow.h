/* Conditions that end trajectories, lists of firings, and trajectories that begin with counts of their own, on a GPU and on this
 * processor. A part of ssa_check.c. */
#ifndef FF_TESTS_SSA_CHECK_FOLLOW_H
#define FF_TESTS_SSA_CHECK_FOLLOW_H

#include "ssa_check_compare.h"

enum { FOLLOW_UNTIL = 1, FOLLOW_FIRES = 2, FOLLOW_STARTS = 4 };

#define FOLLOW_FIRINGS (1u << 24)

/* Counts at the start: around those of the network. largest[] becomes the largest count of each species. */
static inline double *follow_starts(const ff_ssa_program *p, uint64_t n, double *largest) {
  double *out = ff_calloc(n * p->n_species, sizeof *out);
  for (uint64_t k = 0; k < n; k++)
    for (uint32_t s = 0; s < p->n_species; s++) {
      double *x = out + k * p->n_species + s;
      *x = k % 3 == 0 ? (double)((k + s) % 4) : p->initial[s] + (double)((5 * k + 3 * s) % 11);
      if (*x > largest[s]) largest[s] = *x;
    }
  return out;
}

/* Compares the firings of all trajectories. */
static inline void compare_fired(const ff_ensemble *e, const ff_run *run, uint64_t n, const char *name) {
  uint64_t listed, wrong = 0;
  const ff_fired *fired = gpu.backend->fired(e, &listed);
  const uint64_t n_firings = ff_run_n_firings(run);
  double *trajectory = ff_calloc(n_firings, sizeof *trajectory), *time = ff_calloc(n_firings, sizeof *time);
  int32_t *reaction = ff_calloc(n_firings, sizeof *reaction);
  uint64_t *next = ff_calloc(n + 1, sizeof *next);
  ff_error err;
  FF_CHECK_OK(ff_run_firings(run, trajectory, time, reaction, &err), &err);
  FF_CHECK_SAY(listed == n_firings, "%s: %llu firings, not %llu", name, (unsigned long long)listed,
               (unsigned long long)n_firings);
  for (uint64_t i = n_firings; i-- > 0;) next[(uint64_t)trajectory[i]] = i;
  for (uint64_t i = 0; i < listed && listed == n_firings; i++) {
    const uint64_t at = next[fired[i].unit]++;
    wrong += at >= n_firings || trajectory[at] != (double)fired[i].unit || time[at] != fired[i].time ||
             reaction[at] != (int32_t)fired[i].what;
  }
  FF_CHECK_SAY(wrong == 0, "%s: %llu of %llu firings differ", name, (unsigned long long)wrong, (unsigned long long)listed);
  free(trajectory);
  free(time);
  free(reaction);
  free(next);
}

static inline void compare_follow(ff_ensemble *e, const job *j, const char *name) {
  const ff_device_request *r = &j->request;
  const uint64_t n = j->n;
  double *states[MOST_SPECIES], *here = ff_calloc(n, sizeof *here), *there = ff_calloc(n, sizeof *there);
  uint32_t *counts = ff_calloc(n * r->n_times * r->n_observed, sizeof *counts);
  uint64_t wrong = 0, refused, n_refused = 0;
  ff_error err;
  for (uint32_t s = 0; s < r->n_observed; s++) states[s] = ff_calloc(n * r->n_times, sizeof(double));
  const ff_run_options options = {.method = r->method, .key = KEY, .n = n, .initial = r->initial, .times = r->times,
                                  .n_times = r->n_times, .observed = r->observed, .n_observed = r->n_observed, .states = states,
                                  .threads = 1, .until = r->until, .stopped = here, .starts = r->starts,
                                  .max_firings = r->max_firings};
  ff_run *run = run_to_end(j->program, &options, 1);
  FF_CHECK_OK(gpu.backend->states(e, 0, n, counts, &err), &err);
  FF_CHECK_OK(gpu.backend->refused(e, 0, &refused, 1, &n_refused, &err), &err);
  FF_CHECK_SAY(n_refused == 0, "%s: trajectories are refused", name);
  for (uint64_t k = 0; k < n; k++)
    for (uint32_t i = 0; i < r->n_times; i++)
      for (uint32_t s = 0; s < r->n_observed; s++)
        wrong += counts[((uint64_t)i * r->n_observed + s) * n + k] != states[s][k * r->n_times + i];
  if (r->until != NULL) FF_CHECK_OK(gpu.backend->stopped(e, 0, n, there, &err), &err);
  for (uint64_t k = 0; k < n && r->until != NULL; k++) wrong += isnan(here[k]) ? !isnan(there[k]) : here[k] != there[k];
  FF_CHECK_SAY(wrong == 0, "%s: %llu counts and times differ", name, (unsigned long long)wrong);
  FF_CHECK_SAY(j->progress.steps == ff_run_steps(run), "%s: other steps", name);
  if (r->max_firings > 0) compare_fired(e, run, n, name);
  ff_run_free(run);
  for (uint32_t s = 0; s < r->n_observed; s++) free(states[s]);
  free(counts);
  free(here);
  free(there);
}

/* Runs a kernel with what the bits of `wanted` say, and compares its results with those of this processor. */
static inline void check_follow(const char *what, const ff_ssa_program *program, ff_ssa_method method, const char *kernel,
                                const ff_formula *until, unsigned wanted, double last, uint64_t n) {
  double times[TIMES], *largest = ff_calloc(program->n_species, sizeof *largest);
  uint32_t species[MOST_SPECIES];
  char name[160];
  ff_ensemble *e = NULL;
  ff_error err;
  n = part_of(n);
  double *starts = wanted & FOLLOW_STARTS ? follow_starts(program, n, largest) : NULL;
  job j = {.name = what, .kernel = kernel, .program = program, .n = n};
  const uint32_t n_species = program->n_species < MOST_SPECIES ? program->n_species : MOST_SPECIES;
  for (uint32_t i = 0; i < TIMES; i++) times[i] = last * i / (TIMES - 1);
  for (uint32_t s = 0; s < n_species; s++) species[s] = s;
  snprintf(name, sizeof name, "%s, %s, %s, wanted %u", what, ff_ssa_method_name(method), kernel, wanted);
  j.request = (ff_device_request){.method = method, .initial = starts != NULL ? largest : program->initial, .times = times,
                                      .n_times = TIMES, .observed = species, .n_observed = n_species,
                                      .until = wanted & FOLLOW_UNTIL ? until : NULL, .starts = starts,
                                      .max_firings = wanted & FOLLOW_FIRES ? FOLLOW_FIRINGS : 0};
  if (method == FF_SSA_OPTIMISED) begin_order(&j);
  const ff_status status = on_gpu(&e, &j, &err);
  FF_CHECK_SAY(status == FF_OK, "%s: %s", name, err.text);
  if (status == FF_OK) compare_follow(e, &j, name);
  gpu.backend->common.destroy(e);
  if (method == FF_SSA_OPTIMISED) ff_ssa_path_free(&j.order);
  free(starts);
  free(largest);
}

#endif
