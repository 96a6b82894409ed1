/* Launches of kernels for reaction networks on this processor, compared with its own engines. */
#ifndef FF_TESTS_SSA_LAUNCH_H
#define FF_TESTS_SSA_LAUNCH_H

#include "../../src/cuda/ssa/generated/code/ff_ssa_generate.h"
#include "../../src/cuda/device/ff_turns.h"
#include "../../src/ensemble/ff_device.h"
#include "../../src/ssa/methods/ff_ssa_finders.h"
#include "../../src/ssa/schedule/ff_ssa_trajectory.h"
#include "simulations.h"

#define LAUNCH_UNITS 20u
#define LAUNCH_MOST_UNITS 24u /* tests that change the size of the wave have at most so many */
#define LAUNCH_SLOTS 8u
#define LAUNCH_TURN 5u /* slots of a launch if they take turns */
#define LAUNCH_SLOTS_ROOM 512u /* a block of threads may share a part of the state */
#define LAUNCH_TIMES 6u
#define LAUNCH_FIRINGS (1u << 21) /* that a wave may list in all its launches */
#define LAUNCH_FIRST UINT64_C(0x123456789A0)
#define LAUNCH_KEY UINT64_C(0x5EED0FF1CE)

/* A trajectory that knows the order in which optimised_direct reads the reactions. The caller frees it. */
static inline ff_ssa_path order_of(const ff_ssa_program *program, uint64_t key) {
  ff_ssa_path path;
  ff_error err;
  FF_CHECK_OK(ff_ssa_path_new(&path, program, &ff_ssa_finder_optimised, &err), &err);
  FF_CHECK(ff_ssa_optimised_order(&path) == NULL);
  ff_ssa_path_start(&path, key, 0, program->initial);
  while (path.failure.what == FF_SSA_HALFWAY) ff_ssa_path_go_on(&path);
  return path;
}

/* Runs one slot of a launch. */
typedef void (*launch_slot)(void *kernel, const ff_launch *run, uint32_t slot);

/* Allocates what a wave records besides counts, if the request wants it. */
static inline void launch_follow(ff_launch *run, const ff_device_request *request) {
  if (request->until != NULL) {
    run->stopped = ff_calloc(LAUNCH_MOST_UNITS, sizeof *run->stopped);
    memset(run->stopped, 0xFF, LAUNCH_MOST_UNITS * sizeof *run->stopped);
  }
  if (request->max_firings > 0) run->fired = ff_calloc(LAUNCH_FIRINGS, sizeof *run->fired);
}

/* The counts at the start of LAUNCH_UNITS trajectories, as devices get them. */
static inline uint32_t *launch_starts(const double *starts, uint32_t n_species) {
  const size_t n = (size_t)LAUNCH_UNITS * n_species;
  uint32_t *out = ff_calloc(n, sizeof *out);
  for (size_t i = 0; i < n; i++) out[i] = (uint32_t)starts[i];
  return out;
}

/* Makes a launch of a wave; state_words is what a slot keeps. The caller frees it with launch_free(). If the request has starts,
 * the caller sets those of the launch. */
static inline ff_launch launch_new(const ff_device_request *request, uint32_t state_words) {
  ff_launch run = {.key = LAUNCH_KEY, .first = LAUNCH_FIRST, .units = LAUNCH_UNITS, .slots = LAUNCH_SLOTS,
                       .nanoseconds = UINT64_MAX, .n_times = request->n_times, .n_observed = request->n_observed,
                       .times = request->times, .observed = request->observed};
  run.recorded = ff_calloc((size_t)LAUNCH_UNITS * request->n_times * request->n_observed, sizeof *run.recorded);
  run.refused = ff_calloc((LAUNCH_UNITS + 31) / 32, sizeof *run.refused);
  run.counters = ff_calloc(1, sizeof *run.counters);
  run.state = ff_calloc((size_t)LAUNCH_SLOTS_ROOM * state_words, sizeof *run.state);
  ff_philox_round_keys(run.round_key, LAUNCH_KEY);
  launch_follow(&run, request);
  return run;
}

static inline void launch_free(ff_launch *run) {
  free(run->recorded);
  free(run->refused);
  free(run->counters);
  free(run->state);
  free(run->stopped);
  free(run->fired);
}

/* Launches `running` of the slots, until the wave is complete, with few steps at a time. */
static inline void launch_all(ff_launch *run, launch_slot slot_of, void *kernel, uint32_t running) {
  static const uint32_t steps[] = {1, 7, 1300, 64};
  for (uint32_t i = 0; run->counters->complete < run->units && i < 100000; i++) {
    const uint64_t before = run->counters->fired;
    run->steps = steps[i % 4];
    for (uint32_t k = 0; k < running; k++) slot_of(kernel, run, FF_SLOT_OF(run, k));
    FF_CHECK(run->counters->fired - before <= (uint64_t)running * (run->steps + FF_SSA_CODE_ROUND));
    ff_next_turn(run, running);
  }
}

static inline int launch_refuses(const ff_launch *run, uint64_t k) { return run->refused[k / 32] >> (k % 32) & 1; }

/* Compares the lists of firings of trajectories that were not refused. */
static inline void launch_compare_fired(const ff_launch *run, const ff_run *cpu, const char *what) {
  const uint64_t n = ff_run_n_firings(cpu);
  double *trajectory = ff_calloc(n, sizeof *trajectory), *time = ff_calloc(n, sizeof *time);
  int32_t *reaction = ff_calloc(n, sizeof *reaction);
  uint64_t at = 0, wrong = 0;
  ff_error err;
  FF_CHECK(run->counters->fired <= LAUNCH_FIRINGS);
  FF_CHECK_OK(ff_run_firings(cpu, trajectory, time, reaction, &err), &err);
  for (uint64_t k = 0; k < run->units; k++) {
    const uint64_t first = at;
    while (at < n && trajectory[at] == (double)k) at++;
    if (launch_refuses(run, k)) continue;
    uint64_t next = first;
    for (uint64_t i = 0; i < run->counters->fired; i++) {
      const ff_fired *f = run->fired + i;
      if (f->unit != k) continue;
      wrong += next >= at || f->time != time[next] || (int32_t)f->what != reaction[next];
      next++;
    }
    wrong += next != at;
  }
  FF_CHECK_SAY(wrong == 0, "%s: %llu of %llu firings differ", what, (unsigned long long)wrong, (unsigned long long)n);
  free(trajectory);
  free(time);
  free(reaction);
}

/* Compares the times at which a condition has ended trajectories. */
static inline void launch_compare_stopped(const ff_launch *run, const double *stopped, const char *what) {
  uint32_t wrong = 0;
  for (uint64_t k = 0; k < run->units && run->stopped != NULL; k++) {
    const int same = isnan(stopped[k]) ? isnan(run->stopped[k]) : stopped[k] == run->stopped[k];
    wrong += !launch_refuses(run, k) && !same;
  }
  FF_CHECK_SAY(wrong == 0, "%s: %u times differ", what, wrong);
}

/* Compares the counts that a wave has recorded, its steps and those it refused with a run of the processor. `refuses` is 1 if
 * all trajectories must be refused, 0 if none may be, and -1 if some must be but not all. */
static inline void launch_compare(const ff_launch *run, const ff_ssa_program *program, const ff_device_request *request,
                                  int refuses, const char *what) {
  double *states[64], stopped[LAUNCH_UNITS] = {0};
  ff_error err;
  ff_run *cpu;
  uint32_t wrong = 0, refused = 0;
  FF_CHECK(request->n_observed <= 64);
  for (uint32_t k = 0; k < run->units; k++) refused += (uint32_t)launch_refuses(run, k);
  FF_CHECK_SAY(run->counters->complete == run->units, "%s: %llu complete", what, (unsigned long long)run->counters->complete);
  FF_CHECK_SAY(refuses < 0 ? refused > 0 && refused < run->units : refused == (refuses ? run->units : 0), "%s: %u refused", what,
               refused);
  if (refuses > 0) return;
  for (uint32_t j = 0; j < request->n_observed; j++) states[j] = ff_calloc((size_t)run->units * run->n_times, sizeof(double));
  const ff_run_options options = {.method = request->method, .key = run->key, .first = run->first, .n = run->units,
                                  .initial = request->initial, .times = request->times, .n_times = request->n_times,
                                  .observed = request->observed, .n_observed = request->n_observed, .states = states, .threads = 1,
                                  .until = request->until, .stopped = request->until != NULL ? stopped : NULL,
                                  .starts = request->starts, .max_firings = request->max_firings};
  FF_CHECK_OK(run_pieces(&cpu, program, &options, 1, &err), &err);
  for (uint64_t k = 0; k < run->units; k++)
    for (uint32_t i = 0; i < run->n_times && !launch_refuses(run, k); i++)
      for (uint32_t j = 0; j < request->n_observed; j++)
        wrong += (double)FF_RECORD_OF(run, i, k)[j * run->units] != states[j][k * run->n_times + i];
  FF_CHECK_SAY(wrong == 0, "%s: %u of %llu counts differ", what, wrong,
               (unsigned long long)run->units * run->n_times * request->n_observed);
  FF_CHECK_SAY(refuses < 0 || run->counters->steps == ff_run_steps(cpu), "%s: %llu steps, not %llu", what,
               (unsigned long long)run->counters->steps, (unsigned long long)ff_run_steps(cpu));
  const int quiet = program->n_reactions == 0 || request->until != NULL || request->max_firings > 0;
  FF_CHECK_SAY(run->counters->steps > 0 || quiet, "%s: no steps", what);
  launch_compare_stopped(run, stopped, what);
  if (request->max_firings > 0) launch_compare_fired(run, cpu, what);
  ff_run_free(cpu);
  for (uint32_t j = 0; j < request->n_observed; j++) free(states[j]);
}

#endif
