/* Scenarios of test_memory: devices that record real numbers. */
#ifndef FF_TESTS_MEMORY_LEVELS_H
#define FF_TESTS_MEMORY_LEVELS_H

#include "../../src/ensemble/sweep/ff_sweep.h"
#include "memory_reactions.h"
#include "toy_device.h"
#include "toy_hybrid.h"

static int share_levels(const ff_run_options *options) {
  (void)options;
  return 1;
}

/* The number of threads at a time depends on the clock, and the C library keeps what it has allocated for them. */
static void prepare_levels(void) { ff_parallel(6, nap, NULL); }

/* Variant 0: a run from starts of its own until a condition holds; variant 1: a sweep. The device copies doubles, and refuses
 * some trajectories. */
static ff_status records_levels(ff_error *err) {
  static const double times[] = {0.5, 2}, starts[] = {0, 0.25, 1, 0.5, 0, 0.75, 2, 1, 0, 1.25, 0, 1.5};
  static const uint32_t observed[] = {HYBRID_LEVEL, HYBRID_JUMPS}, number = 0;
  static const hybrid flow = {.every = 1.5, .takes = 0.5, .most = 1e9, .mark = 3, .lanes = 1, .looks = 1, .initial = {0, 0.25}};
  ff_formula_word word[] = {{FF_F_SYMBOL, HYBRID_LEVEL, 0}, {FF_F_NUMBER, 0, 3}, {FF_F_GE, 0, 0}};
  const ff_formula until = {word, 3, 2};
  const int alone = given.variant == 0;
  double stopped[6];
  ff_engine engine = hybrid_engine;
  engine.shares = share_levels;
  const ff_run_options options = {.n = 6, .times = times, .n_times = 2, .observed = observed, .n_observed = 2, .threads = 1,
                                  .wanted = FF_COVARIANCE | FF_HISTOGRAM, .starts = alone ? starts : NULL,
                                  .until = alone ? &until : NULL, .stopped = alone ? stopped : NULL};
  const ff_point point = {&engine, &flow, options}, points[] = {point, point, point};
  const ff_fleet_choice choice = {.calls = &toy_device.common, .devices = &number, .n_devices = 1};
  ff_run *run = NULL;
  ff_sweep *sweep = NULL;
  int is = 0, done = 0;
  memset(&toy_devices, 0, sizeof toy_devices);
  toy_devices.engine = &engine;
  toy_devices.n_counts = HYBRID_COUNTS;
  toy_devices.capacity = alone ? 4 : 12;
  ff_status status = alone ? ff_run_new(&run, &engine, &flow, &options, err) : ff_sweep_new(&sweep, points, 3, 1, err);
  CHECK_OUT(status, alone ? (void *)run : (void *)sweep);
  if (status == FF_OK) status = alone ? ff_run_use(run, &choice, err) : ff_sweep_use(sweep, &choice, err);
  while (status == FF_OK && !is) status = alone ? ff_run_ready(run, 1, &is, err) : ff_sweep_ready(sweep, 1, &is, err);
  while (status == FF_OK && !done) status = alone ? ff_run_advance(run, 10, &done, err) : ff_sweep_advance(sweep, 10, &done, err);
  FF_CHECK(status != FF_OK || toy_devices.copies > 0);
  ff_run_free(run);
  ff_sweep_free(sweep);
  FF_CHECK_INT(toy_devices.freed, toy_devices.made);
  return status;
}

#endif
