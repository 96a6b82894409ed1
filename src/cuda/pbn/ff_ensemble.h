/* An ensemble of tiles on a device, and the kernels (runners) that can advance it. The files of this folder share these
 * declarations. */
#ifndef FF_ENSEMBLE_H
#define FF_ENSEMBLE_H

#include "../runtime/ff_curand.h"
#include "../runtime/ff_device.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "../../pbn/ff_pbn_device.h"
#include "../../pbn/ff_pbn_program.h"

/* A kernel that advances tiles. Its functions queue their work on the ensemble's stream. They return FF_OK, or another status and
 * fill err. */
typedef struct {
  const char *kernel; /* its name, valid as long as the process */
  /* Decides whether this runner runs the program. If not, it returns FF_EARGUMENT and gives the reason. Otherwise it uploads the
   * program and fills e->own, e->tile_bytes, e->resident and e->info. If this takes long, it only begins, and ready() goes on.
   * After any status but FF_OK the next runner is asked. */
  ff_status (*prepare)(ff_ensemble *e, ff_error *err);
  /* Continues what prepare() began, for about `seconds` at most. *is becomes 1 once all is done. NULL if prepare() does
   * everything. */
  ff_status (*ready)(ff_ensemble *e, double seconds, int *is, ff_error *err);
  /* Allocates the device memory of e->capacity tiles. */
  ff_status (*allocate)(ff_ensemble *e, ff_error *err);
  /* Frees e->own and all that it holds. */
  void (*release)(ff_ensemble *e);
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
} ff_runner;

extern const ff_runner ff_runner_generated, ff_runner_interpreter, ff_runner_table;
extern const ff_runner ff_runner_table_unsplit; /* leaves its tables in global memory; used to measure what shared memory gains */

/* The stage of an ensemble. If a runner refuses, the stage is FF_STAGE_CHOOSE again. The last two stages are final. */
typedef enum {
  FF_STAGE_CHOOSE,   /* asks the next runner */
  FF_STAGE_PREPARE,  /* the runner prepares, which may take long */
  FF_STAGE_ALLOCATE, /* the runner is prepared; the memory of a wave is allocated next */
  FF_STAGE_RUNS,
  FF_STAGE_FAILED
} ff_stage;

struct ff_ensemble {
  const ff_pbn_program *program;
  const ff_runner *runner, *runners[2]; /* the runner in use, and the candidates in the order in which they are asked */
  int n_runners, tried;
  ff_stage stage;
  ff_error refused;     /* why the previous runner refused, or why no runner is left */
  ff_ensemble_options options; /* its `cache`, `kernel` and `like` are valid only while the ensemble is created */
  ff_ensemble_info info;
  cudaStream_t stream;
  cudaEvent_t begin, end;
  struct cudaDeviceProp device;
  void *own;            /* the runner's own data */
  uint64_t tile_bytes;  /* device memory per tile that the runner needs */
  uint64_t resident;    /* tiles that the device can run at the same time */
  uint64_t capacity;
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

/* The kernel of another device, which this ensemble shall use too if possible; or NULL. Only while the ensemble is created. */
static inline const char *ff_ensemble_like(const ff_ensemble *e) {
  return e->options.like != NULL ? e->options.like->info.kernel : NULL;
}

/* Waits until all work queued on the ensemble's stream is done. FF_EBACKEND if it failed; `doing` names the work in the error. */
ff_status ff_ensemble_wait(ff_ensemble *e, const char *doing, ff_error *err);

/* Calls the runner's spill(): afterwards e->counts, e->changes and e->after are up to date. */
ff_status ff_ensemble_spill(ff_ensemble *e, ff_error *err);

/* Restarts counting from the current state. */
ff_status ff_ensemble_forget(ff_ensemble *e, ff_error *err);

/* Adds the wave's sums to sums->words and restarts counting; if it fails, nothing is added. Call ff_ensemble_spill() first.
 * `sums` stays the caller's. O(terms x trajectories of the wave) work on the device. */
ff_status ff_ensemble_add_up(ff_ensemble *e, const ff_pbn_sums *sums, ff_error *err);

/* The interface "pbn" of the CUDA backend. */
extern const ff_pbn_device ff_cuda_pbn;

#ifdef __cplusplus
}
#endif

#endif
