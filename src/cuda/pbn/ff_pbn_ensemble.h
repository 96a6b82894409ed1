/* An ensemble of tiles on a device, and the kernels (runners) that can advance it. The files of this folder share these
 * declarations. */
#ifndef FF_PBN_ENSEMBLE_H
#define FF_PBN_ENSEMBLE_H

#include "../device/ff_stages.h"

extern "C" {
#include "../../pbn/ff_pbn_device.h"
#include "../../pbn/ff_pbn_program.h"
}

/* A kernel that advances tiles. prepare() uploads the program and fills e->tile_bytes, too. */
struct ff_pbn_runner : ff_runner {
  /* Allocates the device memory of e->capacity tiles. */
  ff_status (*allocate)(ff_ensemble *e, ff_error *err);
  /* Puts e->tiles tiles, numbered from e->unit on, into their initial states. */
  ff_status (*start)(ff_ensemble *e, ff_error *err);
  /* Runs `steps` steps of all tiles. With `count` the terms are counted, and `steps` is at most what the counters can still hold.
   * With `fresh` nothing is counted yet, and e->before is filled first. */
  ff_status (*steps)(ff_ensemble *e, uint64_t steps, int count, int fresh, ff_error *err);
  /* Adds the contents of the counters to e->counts and e->changes, clears the counters, and fills e->after. */
  ff_status (*spill)(ff_ensemble *e, ff_error *err);
  /* As ff_pbn_device's functions of the same names. Both copy from the device and wait for the copy. */
  ff_status (*state)(ff_ensemble *e, uint64_t tile, uint64_t *rows, ff_error *err);
  ff_status (*terms)(ff_ensemble *e, uint64_t tile, uint32_t n, uint64_t *words, ff_error *err);
};

extern "C" const ff_pbn_runner ff_pbn_runner_generated, ff_pbn_runner_interpreter, ff_pbn_runner_table;
/* Leaves its tables in global memory; used to measure what shared memory gains. */
extern "C" const ff_pbn_runner ff_pbn_runner_table_unsplit;

/* Units are tiles. */
struct ff_ensemble : ff_staged {
  const ff_pbn_program *program;
  uint64_t tile_bytes;  /* device memory per tile that the runner needs */
  uint64_t key, unit, tiles, step; /* of the current wave */
  uint64_t counted;     /* steps since counting started */
  uint64_t in_counters; /* steps counted since the last spill */
  double second_steps[2]; /* steps per second of kernel time in the last launch, without and with counting; 0: not known yet */
  /* device memory; index: tile * n_terms + term, for counts and first_half times 1,024, plus the lane */
  uint32_t *counts, *first_half;
  uint64_t *changes;
  uint32_t *before, *after;
  ff_cuda_room sums;    /* the sums that the tally kernels compute */
  ff_cuda_room observables; /* the observables of the last tally */
};

/* Calls the runner's spill(): afterwards e->counts, e->changes and e->after are up to date. */
ff_status ff_pbn_ensemble_spill(ff_ensemble *e, ff_error *err);

/* Restarts counting from the current state. */
ff_status ff_pbn_ensemble_forget(ff_ensemble *e, ff_error *err);

/* Adds the wave's sums to sums->words and restarts counting; if it fails, nothing is added. Call ff_pbn_ensemble_spill() first.
 * `sums` stays the caller's. O(terms x trajectories of the wave) work on the device. */
ff_status ff_pbn_ensemble_add_up(ff_ensemble *e, const ff_pbn_sums *sums, ff_error *err);

/* The interface "pbn" of the CUDA backend. */
extern const ff_pbn_device ff_cuda_pbn;

#endif
