/* Trajectories on a device, for any engine whose kernels read an ff_launch: slots that run one trajectory after the other, what
 * is recorded, and the interface ff_device_calls. */
#ifndef FF_TRAJECTORIES_H
#define FF_TRAJECTORIES_H

#include "../runtime/ff_jit.h"
#include "ff_stages.h"

extern "C" {
#include "../../ensemble/ff_device.h"
#include "ff_launch.h"
}

/* A kernel that advances trajectories. prepare(), or ready(), fills e->slot_bytes, e->block_slots and e->fills, too; for an
 * ensemble of several points, ready() also sets e->n_points, e->point_words and e->points. */
struct ff_trajectory_runner : ff_runner {
  /* Launches the kernel for e->running slots. launch->state has room for launch->slots trajectories of e->slot_bytes each. */
  ff_status (*launch)(ff_ensemble *e, const ff_launch *launch, ff_error *err);
};

/* The first base of an engine's `struct ff_ensemble`. Units are trajectories. */
struct ff_trajectories : ff_staged {
  ff_device_request request; /* its arrays are owned */
  uint32_t n_counts;   /* of a state of the model */
  uint32_t n_order;    /* numbers in the request's order */
  uint32_t round;      /* a launch may make fewer than so many steps more than it shall */
  uint64_t slot_bytes; /* device memory that the runner needs for each trajectory on its way */
  uint32_t block_slots; /* trajectories of a block */
  uint32_t running;    /* slots of a launch */
  int fills;           /* whether a part of the slots that a multiprocessor can run keep it busy */
  uint64_t units;      /* trajectories of the current wave */
  ff_wave_counters done; /* as last read */
  double lasted;       /* seconds of launches of the current wave */
  ff_launch launch;    /* the device memory of a wave belongs to the ensemble */
  uint64_t n_starts;   /* counts at the start of the wave's trajectories that are on the device */
  ff_cuda_room sums;   /* for ff_collect() */
  uint32_t firings_each; /* steps of a slot in a launch whose firings are listed, or 0 */
  ff_fired *fired;   /* the list of the wave, in memory of the host */
  size_t n_fired, fired_room;
  uint64_t n_points;   /* points of the ensemble, or 0 if it is no sweep */
  uint32_t point_words, *points; /* what launch.points is a part of: device memory */
};

/* As ff_device_calls's create(): allocates an ensemble of the engine with ff_calloc(), sets its options, its candidates,
 * n_counts, n_order and round, and calls ff_trajectories_open(). */
typedef ff_status (*ff_trajectories_create)(ff_ensemble **out, const void *model, const ff_device_request *request,
                                            const ff_ensemble_options *options, ff_error *err);
/* Copies the request, and asks the candidates. After an error the ensemble is freed. */
ff_status ff_trajectories_open(ff_trajectories *e, const ff_device_request *request, ff_error *err);
/* The interface of an engine. */
ff_device_calls ff_trajectories_calls(ff_trajectories_create create);

/* ---- for runners whose code is generated for one model ---- */

/* Begins to load or compile the code, which has three parts. FF_EUNSUPPORTED, with the reason, if it is known at once that the
 * code is not available. The caller frees *out with ff_jit_free(), after an error, too. */
ff_status ff_trajectories_start_code(ff_trajectories *e, ff_jit **out, const char *const *parts, ff_error *err);
/* As ff_jit_wait(). FF_EUNSUPPORTED, with the reason, if the code is not available. */
ff_status ff_trajectories_wait_for_code(ff_jit *jit, double seconds, int *loaded, ff_error *err);
/* Sets e->resident, e->block_slots and e->info for the kernel, whose blocks have so many threads and slots. The reason names the
 * model, "network", and tells how threads share the work: "one trajectory per thread". */
void ff_trajectories_use_code(ff_trajectories *e, const ff_jit *jit, const ff_module_kernel *kernel, uint32_t threads,
                              uint32_t slots, size_t shared, const char *model, const char *work);

/* ---- for the files of this folder ---- */

/* Decides how many slots the ensemble has, and how many trajectories a wave, and allocates the device memory for both. The runner
 * is ready. FF_EMEMORY if not even one trajectory fits. */
ff_status ff_trajectories_take_memory(ff_trajectories *e, ff_error *err);
/* The firings for which the list of a launch has room. */
uint64_t ff_trajectories_list_room(const ff_trajectories *e);
/* As ff_device_calls's tally(). O(counts that these trajectories have recorded) work on the device. */
ff_status ff_collect(ff_trajectories *e, uint64_t first, uint64_t n, ff_sums *sums, ff_error *err);

#endif
