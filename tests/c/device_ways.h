/* Ways to run an ensemble of reaction networks on fake devices (fake_ssa.h). */
#ifndef FF_TESTS_DEVICE_WAYS_H
#define FF_TESTS_DEVICE_WAYS_H

#include "../../src/ensemble/ff_use.h"
#include "fake_ssa.h"

/* How it is run. With `devices` 0, on this processor alone. */
typedef struct {
  uint32_t devices;
  int threads;
  uint64_t capacity, at_once, refuses;
  double piece; /* seconds */
  int late;     /* calls of ff_run_advance() before the run moves */
} way;

static const way alone = {0, 1, 0, 0, 0, 10, 0};

static inline void reset(const way *w) {
  memset(&fake_ssa, 0, sizeof fake_ssa);
  fake_ssa.capacity = w->capacity;
  fake_ssa.at_once = w->at_once;
  fake_ssa.refuses = w->refuses;
}

/* Moves the run to devices, and waits until they are ready. */
static inline ff_status use(ff_run *run, uint32_t n_devices, ff_error *err) {
  static const uint32_t devices[] = {0, 1, 2, 3};
  const ff_fleet_choice choice = {.calls = &fake_ssa_device.common, .devices = devices, .n_devices = n_devices,
                                  .cache = "/nowhere",
                                .anew_steps = fake_ssa.anew_steps};
  ff_status status = ff_run_use(run, &choice, err);
  for (int is = 0; status == FF_OK && !is;) status = ff_run_ready(run, 0.01, &is, err);
  return status;
}

/* Runs an ensemble to its end or to a failure. The caller frees the run. */
static inline ff_status run_in_way(ff_run **run, const ff_ssa_program *program, const ff_run_options *options, const way *w,
                                   ff_error *err) {
  int done = 0;
  ff_status status = ff_ssa_run_new(run, program, options, err);
  for (int i = 0; i < w->late && !done && status == FF_OK; i++) status = ff_run_advance(*run, 0, &done, err);
  if (w->devices > 0 && status == FF_OK) status = use(*run, w->devices, err);
  while (status == FF_OK && !done) status = ff_run_advance(*run, w->piece, &done, err);
  return status;
}

#endif
