/* What the runners have in common that read a network as data: ff_ssa_factored.cu and ff_ssa_generic.cu. */
#ifndef FF_SSA_DATA_RUNNER_H
#define FF_SSA_DATA_RUNNER_H

#include "../../runtime/ff_module.h"
#include "ff_ssa_images.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel that was compiled ahead, or, if `ahead` is NULL, one of a module. */
typedef struct {
  const void *ahead;
  ff_module *module;
  ff_module_kernel late;
} ff_ssa_data_kernel;

/* The plan of a launch. It is the first member of e->own. */
typedef struct {
  ff_ssa_images images; /* of the network, or of the points of a sweep */
  ff_ssa_data_kernel kernel;
  uint32_t warps;       /* of a block */
  uint32_t blocks;      /* of a multiprocessor */
  size_t shared;        /* of a block */
} ff_ssa_data_plan;

/* Sets e->own to so many zero bytes. */
ff_status ff_ssa_data_new(ff_ensemble *e, size_t bytes, ff_error *err);
/* The function release() of these runners. */
void ff_ssa_data_release(ff_ensemble *e);

ff_ssa_data_kernel ff_ssa_data_ahead(const void *kernel);

/* Computes how many blocks of so many warps a multiprocessor can run at the same time; 0 if it has less shared memory than a
 * block needs. Allows the kernel all shared memory if it needs any. */
ff_status ff_ssa_data_occupancy(uint32_t *blocks, const ff_ensemble *e, const ff_ssa_data_kernel *kernel, uint32_t warps,
                                uint64_t shared, ff_error *err);

/* Once the launch is planned: fills what prepare() fills, but for the reason. FF_EUNSUPPORTED if points gain nothing from each
 * other. */
ff_status ff_ssa_data_describe(ff_ensemble *e, uint32_t block_slots, uint64_t slot_bytes, ff_error *err);

/* Launches the kernel of the plan for e->running slots. */
ff_status ff_ssa_data_launch(ff_ensemble *e, void **arguments, ff_error *err);

#ifdef __cplusplus
}
#endif

#endif
