/* Runs the pilot or the run of an estimate on the devices of a backend, in waves of tiles. Internal to pbn/estimate/. */
#ifndef FF_PBN_WAVES_H
#define FF_PBN_WAVES_H

#include "../../ensemble/ff_fleet.h"
#include "../ff_pbn_device.h"
#include "ff_pbn_estimate.h"

typedef struct ff_pbn_waves ff_pbn_waves;

/* Prepares ensembles on the devices, for about `tiles` tiles of `steps` steps in all; ff_pbn_waves_ready() creates them. Borrows
 * the backend, `program`, `at` and the observables' arrays. The caller frees *out with ff_pbn_waves_free(), which accepts
 * NULL. */
ff_status ff_pbn_waves_new(ff_pbn_waves **out, const ff_fleet_choice *choice, const ff_pbn_program *program,
                           const ff_observables *observables, const uint32_t *at, uint64_t tiles, uint64_t steps, ff_error *err);
void ff_pbn_waves_free(ff_pbn_waves *waves);

/* Works for about `seconds` (at least on one device). *ready becomes 1 when all devices can start. No other function except
 * ff_pbn_waves_pilot(), ff_pbn_waves_lost() and ff_pbn_waves_free() may be called before. */
ff_status ff_pbn_waves_ready(ff_pbn_waves *waves, double seconds, int *ready, ff_error *err);

/* Sets a new plan: the steps at which burn-in, first and second half window end, and the lengths of the half windows. */
void ff_pbn_waves_plan(ff_pbn_waves *waves, const uint64_t target[3], const uint64_t half[2]);

/* The pilot's record. For n terms (positions in the program, or FF_TERM_0 or FF_TERM_1) it has the values in 64 trajectories
 * of the first tile at each of the last `steps` steps of a window: words[i * steps + steps - 1 - t] is t steps before the
 * end. */
typedef struct {
  const uint32_t *at;
  uint32_t n, steps;
  uint64_t *words;
} ff_pbn_record;

/* Declares that these waves are the pilot's, on one device that holds all its tiles at once. They continue from window to
 * window and fill the record. Borrows what the record points to. */
ff_status ff_pbn_waves_pilot(ff_pbn_waves *waves, const ff_pbn_record *record, ff_error *err);

/* Works until about `deadline` on tiles *next .. stop - 1, all of which it accepts at once, and on tiles accepted before.
 * Finished tiles are added to *tally, *busy tells whether anything is left, and *steps grows by the trajectory-steps. */
ff_status ff_pbn_waves_work(ff_pbn_waves *waves, uint64_t key, uint64_t *next, uint64_t stop, double deadline,
                            ff_pbn_tally *tally, int *busy,
                            uint64_t *steps, ff_error *err);

/* Info of the first device that runs, with the bytes and capacity of all devices. */
ff_ensemble_info ff_pbn_waves_info(const ff_pbn_waves *waves);

/* The devices that have failed so far and why, or NULL. The other devices do their share, and the answer is the same. The
 * functions above fail only if the last device fails. */
const char *ff_pbn_waves_lost(const ff_pbn_waves *waves);

#endif
