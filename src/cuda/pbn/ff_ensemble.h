/* An ensemble of tiles on a device, and the kernels (runners) that can advance it: what the files of this folder share. */
#ifndef FF_ENSEMBLE_H
#define FF_ENSEMBLE_H

#include "../runtime/ff_curand.h"
#include "../runtime/ff_device.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "../../pbn/ff_pbn_device.h"
#include "../../pbn/ff_engine_internal.h"

/* A kernel that advances tiles. Calls are queued on the ensemble's stream; all return FF_OK or fill err. */
typedef struct {
  const char *kernel; /* its name */
  /* Decides whether it is to run this program (else FF_EARGUMENT, with the reason), uploads it, and fills own, tile_bytes
   * (device memory that one tile takes beyond what is common), resident and info ... */
  ff_status (*prepare)(ff_ensemble *e, ff_error *err);
  /* ... or, where that takes long, only begins to; then this works for at most about `seconds` until *is becomes 1. May be NULL. */
  ff_status (*ready)(ff_ensemble *e, double seconds, int *is, ff_error *err);
  /* Takes the memory of e->capacity tiles. */
  ff_status (*allocate)(ff_ensemble *e, ff_error *err);
  void (*release)(ff_ensemble *e);
  ff_status (*start)(ff_ensemble *e, ff_error *err);
  /* `fresh`: nothing counted yet, so that e->before is to be filled first. */
  ff_status (*steps)(ff_ensemble *e, uint64_t steps, int count, int fresh, ff_error *err);
  /* Moves what counters hold into e->counts and e->changes, and fills e->after. */
  ff_status (*spill)(ff_ensemble *e, ff_error *err);
  ff_status (*state)(ff_ensemble *e, uint64_t tile, uint64_t *rows, ff_error *err);
  ff_status (*terms)(ff_ensemble *e, uint64_t tile, uint32_t n, uint64_t *words, ff_error *err);
} ff_runner;

extern const ff_runner ff_runner_generated, ff_runner_interpreter, ff_runner_table;
extern const ff_runner ff_runner_table_unsplit; /* its tables left in global memory, to measure what arranging them gives */

/* How far an ensemble is. A runner that refuses leads back to the next one; the last two are final. */
typedef enum {
  FF_STAGE_CHOOSE,   /* asks the next runner */
  FF_STAGE_PREPARE,  /* the runner prepares, which may take long */
  FF_STAGE_ALLOCATE, /* the runner is prepared: memory for a wave */
  FF_STAGE_RUNS,
  FF_STAGE_FAILED
} ff_stage;

struct ff_ensemble {
  const ff_program *program;
  const ff_runner *runner, *runners[2]; /* the one that runs it; those that could, in the order of preference */
  int n_runners, tried;
  ff_stage stage;
  ff_error refused;     /* why the runner before does not run it, or why none does */
  ff_ensemble_options options; /* cache and kernel's names only while it is made */
  ff_ensemble_info info;
  cudaStream_t stream;
  cudaEvent_t begin, end;
  struct cudaDeviceProp device;
  void *own;            /* the runner's */
  uint64_t tile_bytes;  /* of the runner, a tile */
  uint64_t resident;    /* tiles that the device runs at a time */
  uint64_t capacity;
  uint64_t key, unit, tiles, step; /* of the wave */
  uint64_t counted;     /* steps since counting started */
  uint64_t in_counters; /* of these, since the last spill */
  double second_steps[2]; /* steps that a second of kernel time did last, uncounted and counted; 0: not known yet */
  /* device memory; index (tile * n_terms + term), and * 1,024 + lane for counts */
  uint32_t *counts, *first_half;
  uint64_t *changes;
  uint32_t *before, *after;
  ff_cuda_room sums;    /* what the tally kernels add up */
  ff_cuda_room observables; /* what is summed, of the last tally */
};

/* Waits for all that is queued. */
ff_status ff_ensemble_wait(ff_ensemble *e, const char *doing, ff_error *err);

/* Moves what the runner's counters hold into e->counts and e->changes. */
ff_status ff_ensemble_spill(ff_ensemble *e, ff_error *err);

/* Adds the wave's counts to sums->words, once they are spilled. */
ff_status ff_ensemble_add_up(ff_ensemble *e, const ff_sums *sums, ff_error *err);

/* The interface that backends of CUDA have for programs and tiles. */
extern const ff_pbn_device ff_cuda_pbn;

#ifdef __cplusplus
}
#endif

#endif
