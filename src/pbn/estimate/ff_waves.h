/* Pilot and run of an estimate on a backend's devices: each takes tiles in waves. Internal to pbn/estimate/. */
#ifndef FF_WAVES_H
#define FF_WAVES_H

#include "../ff_pbn_device.h"
#include "ff_estimate.h"

typedef struct ff_waves ff_waves;

/* Ensembles on the devices, for about `tiles` tiles of so many steps in all, which ff_waves_ready makes. Borrows backend, program,
 * at and observables. */
ff_status ff_waves_new(ff_waves **out, const ff_engine_choice *choice, const ff_program *program,
                       const ff_observables *observables, const uint32_t *at, uint64_t tiles, uint64_t steps, ff_error *err);
void ff_waves_free(ff_waves *waves);

/* Works for about `seconds` (a device at least); *ready becomes 1 when all can start, before which nothing else may be asked. */
ff_status ff_waves_ready(ff_waves *waves, double seconds, int *ready, ff_error *err);

/* A new plan: steps at which burn-in, first and second half end. */
void ff_waves_plan(ff_waves *waves, const uint64_t target[3], const uint64_t half[2]);

/* The pilot's record: of n terms (places in the program, or FF_TERM_0/1) the values in 64 trajectories of the first tile at each
 * of a window's last `steps` steps: words[i * steps + steps - 1 - t] at t steps from its end. */
typedef struct {
  const uint32_t *at;
  uint32_t n, steps;
  uint64_t *words;
} ff_record;

/* These waves are the pilot's, on one device that holds all its tiles at once: they go on from window to window, and keep the
 * record. Borrows what it names. */
ff_status ff_waves_pilot(ff_waves *waves, const ff_record *record, ff_error *err);

/* Works until about `deadline` on tiles *next .. stop - 1, which it takes all at once, and on what it has taken before; what is
 * finished is added to *tally, *busy tells whether anything is left, *steps grows by trajectory-steps. */
ff_status ff_waves_work(ff_waves *waves, uint64_t key, uint64_t *next, uint64_t stop, double deadline, ff_tally *tally, int *busy,
                        uint64_t *steps, ff_error *err);

/* Of the first device that runs; bytes and capacity of all. */
ff_ensemble_info ff_waves_info(const ff_waves *waves);

/* Devices that have failed so far, and why: the others do their share, and the answer is the same. NULL: none. Only where the last one
 * fails do the functions above. */
const char *ff_waves_lost(const ff_waves *waves);

#endif
