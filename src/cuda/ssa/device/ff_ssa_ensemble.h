/* An ensemble of trajectories on a device, and the kernels (runners) that can advance it. The files of this folder share these
 * declarations. */
#ifndef FF_SSA_ENSEMBLE_H
#define FF_SSA_ENSEMBLE_H

#include "../../runtime/ff_curand.h"
#include "../../runtime/ff_device.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "../../../ssa/groups/ff_ssa_factor.h"
#include "../../../ssa/run/ff_ssa_device.h"
#include "ff_ssa_launch.h"

/* A kernel that advances trajectories. Its functions queue their work on the ensemble's stream. */
typedef struct {
  const char *kernel; /* its name, valid as long as the process */
  /* Decides whether this runner can run the program with this method. If not, it returns FF_EUNSUPPORTED and gives the reason.
   * Otherwise it fills e->own, e->slot_bytes, e->block_slots, e->resident and e->info. If this takes long, it
   * only begins, and ready() goes on. After any status but FF_OK the next runner is asked. */
  ff_status (*prepare)(ff_ensemble *e, ff_error *err);
  /* Continues what prepare() began, for about `seconds` at most. *is becomes 1 once all is done. NULL if prepare() does
   * everything. */
  ff_status (*ready)(ff_ensemble *e, double seconds, int *is, ff_error *err);
  /* Frees e->own and all that it holds. */
  void (*release)(ff_ensemble *e);
  /* Launches the kernel for e->running slots. e->launch.state has room for e->launch.slots trajectories of e->slot_bytes
   * each. */
  ff_status (*launch)(ff_ensemble *e, const ff_ssa_launch *launch, ff_error *err);
} ff_ssa_runner;

/* Code that is generated for the network (ff_ssa_generated.cu), and kernels that read the network as data: with its groups of
 * reactions (ff_ssa_factored.cu), and without (ff_ssa_generic.cu). The latter two have the same name. */
extern const ff_ssa_runner ff_ssa_runner_generated, ff_ssa_runner_factored, ff_ssa_runner_generic;

/* The stage of an ensemble. If a runner refuses, the stage is FF_SSA_CHOOSE again. The last two stages are final. */
typedef enum { FF_SSA_CHOOSE, FF_SSA_PREPARE, FF_SSA_ALLOCATE, FF_SSA_RUNS, FF_SSA_FAILED } ff_ssa_stage;

struct ff_ensemble {
  const ff_ssa_program *program;
  ff_ssa_device_request request; /* its arrays are owned */
  const ff_ssa_runner *runner, *runners[2]; /* the runner in use, and the candidates in the order in which they are asked */
  int n_runners, tried;
  ff_ssa_stage stage;
  ff_error refused;            /* why the previous runner refused, or why no runner is left */
  ff_ensemble_options options; /* its texts are owned; `like` is valid only while the ensemble is created */
  ff_ensemble_info info;
  cudaStream_t stream;
  cudaEvent_t begin, end;
  struct cudaDeviceProp device;
  void *own;           /* the runner's own data */
  uint64_t slot_bytes; /* device memory that the runner needs for each trajectory on its way */
  uint32_t block_slots; /* trajectories of a block */
  uint64_t resident;   /* trajectories that the device can run at the same time: of whole blocks */
  uint32_t running;    /* slots of a launch */
  int fills;           /* whether a part of the slots that a multiprocessor can run keep it busy */
  uint64_t capacity;   /* trajectories of a wave */
  uint64_t units;      /* trajectories of the current wave */
  ff_ssa_counters done; /* as last read */
  double lasted;       /* seconds of launches of the current wave */
  ff_ssa_launch launch; /* the device memory of a wave belongs to the ensemble */
  uint64_t n_starts;   /* counts at the start of the wave's trajectories that are on the device */
  ff_cuda_room sums;   /* for ff_ssa_collect() */
  uint32_t firings_each; /* steps of a slot in a launch whose firings are listed, or 0 */
  ff_ssa_fired *fired;   /* the list of the wave, in memory of the host */
  size_t n_fired, fired_room;
  uint64_t n_points;   /* points of the ensemble, or 0 if it is no sweep; ready() sets this and point_words */
  uint32_t point_words, *points; /* what launch.points is a part of: device memory that the runner's ready() fills */
};

/* Waits until all work queued on the ensemble's stream is done. FF_EBACKEND if it failed; `doing` names the work in the error. */
ff_status ff_ssa_ensemble_wait(ff_ensemble *e, const char *doing, ff_error *err);

/* Decides how many slots the ensemble has, and how many trajectories a wave, and allocates the device memory for both. The runner
 * is ready. FF_EMEMORY if not even one trajectory fits. */
ff_status ff_ssa_ensemble_take_memory(ff_ensemble *e, ff_error *err);
/* The firings for which the list of a launch has room. */
uint64_t ff_ssa_ensemble_list_room(const ff_ensemble *e);

/* As ff_ssa_device's tally(). O(counts that these trajectories have recorded) work on the device. */
ff_status ff_ssa_collect(ff_ensemble *e, uint64_t first, uint64_t n, ff_ssa_sums *sums, ff_error *err);

#ifdef __cplusplus
}
#endif

#endif
