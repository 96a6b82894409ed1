/* The runner "generic": a kernel that reads a Petri net as data (ff_petri_image.h), so no code is compiled for a net. A warp runs
 * one trajectory after the other (ff_petri_warp.h), in shared memory if enough warps have room there. */
#include <stdio.h>
#include <stdlib.h>

#include "ff_petri_ensemble.h"

#include "data/ff_petri_warp.h"

#define WARPS 4         /* the most of a block */
#define BLOCKS 4        /* of a multiprocessor, for which registers are limited */
#define SHARED_LEAST 4u /* warps of a multiprocessor: with fewer in shared memory, trajectories are in the memory of the device */

typedef struct {
  ff_petri_image image; /* on the device */
  void *memory;
  uint32_t warps, blocks; /* of a block; of a multiprocessor */
  size_t shared;          /* bytes of a block */
} generic;

/* ---- the kernel ----------------------------------------------------------------------------------------------------------- */

/* There is one kernel for all nets: with one of its own for each of shared memory and implicit steps, it took three times as long
 * to compile, and the same time to run. shared: whether trajectories are in shared memory. */
__global__ static void __launch_bounds__(WARPS * 32, BLOCKS)
    run_warps(const __grid_constant__ ff_petri_image image, const __grid_constant__ ff_launch run, const int shared) {
  extern __shared__ __align__(128) char work[];
  const uint32_t warp = __shfl_sync(0xFFFFFFFFu, threadIdx.x / 32, 0);
  const uint32_t slot = FF_SLOT_OF(&run, blockIdx.x * (blockDim.x / 32) + warp);
  w_run(&image, &run, shared ? work + warp * w_state_bytes(&image) : NULL, slot);
}

/* ---- planning ------------------------------------------------------------------------------------------------------------- */

static ff_status occupancy(uint32_t *blocks, uint32_t warps, size_t shared, ff_error *err) {
  int found = 0;
  const ff_status status = ff_cuda_check(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found, run_warps, (int)warps * 32, shared), "planning a launch", err);
  *blocks = (uint32_t)found;
  return status;
}

/* Shared memory, with blocks of as many warps as give the most in all. */
static ff_status plan_shared(generic *own, const ff_ensemble *e, ff_error *err) {
  const size_t each = (size_t)w_state_bytes(&own->image), most = e->device.sharedMemPerBlockOptin;
  uint32_t best = SHARED_LEAST - 1;
  /* the maximum, not what this net needs: the setting belongs to the device, and other ensembles may use the kernel */
  ff_status status = ff_cuda_check(cudaFuncSetAttribute(run_warps, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)most),
                                   "setting the shared memory", err);
  for (uint32_t warps = WARPS; warps > 0 && status == FF_OK; warps /= 2) {
    uint32_t blocks = 0;
    if (warps * each <= most) status = occupancy(&blocks, warps, warps * each, err);
    if (blocks * warps <= best) continue;
    best = blocks * warps;
    own->warps = warps;
    own->blocks = blocks;
    own->shared = warps * each;
  }
  return status;
}

static ff_status plan(generic *own, const ff_ensemble *e, ff_error *err) {
  ff_status status = plan_shared(own, e, err);
  if (status != FF_OK || own->shared > 0) return status;
  own->warps = WARPS;
  status = occupancy(&own->blocks, WARPS, 0, err);
  if (status != FF_OK || own->blocks > 0) return status;
  return ff_error_set(err, FF_EUNSUPPORTED, "the GPU has too few registers for kernel \"generic\"");
}

static ff_status describe(const generic *own, ff_ensemble *e, ff_error *err) {
  cudaFuncAttributes attributes = {};
  const ff_status status = ff_cuda_check(cudaFuncGetAttributes(&attributes, run_warps), "planning a launch", err);
  e->slot_bytes = w_slot_bytes(&own->image);
  e->block_slots = own->warps;
  e->resident = (uint64_t)own->blocks * own->warps * (uint64_t)e->device.multiProcessorCount;
  e->info.threads = own->warps * 32;
  e->info.blocks = own->blocks;
  e->info.registers = (uint32_t)attributes.numRegs;
  e->info.shared_bytes = (uint32_t)own->shared;
  snprintf(e->info.reason, sizeof e->info.reason, "the net is data, one trajectory per warp%s",
           own->shared > 0 ? "" : ", without shared memory");
  return status;
}

static ff_status upload(generic *own, const ff_ensemble *e, ff_error *err) {
  ff_petri_image image;
  void *memory = NULL;
  size_t bytes = 0;
  ff_status status = ff_petri_image_new(&image, &memory, &bytes, e->program, &e->request, err);
  if (status == FF_OK) status = ff_cuda_upload(&own->memory, memory, bytes, "the net", err);
  if (status == FF_OK) own->image = ff_petri_image_at(&image, memory, own->memory);
  ff_free_aligned(memory);
  return status;
}

static ff_status prepare(ff_ensemble *e, ff_error *err) {
  generic *own = (generic *)ff_calloc(1, sizeof *own);
  if (own == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a net");
  e->own = own;
  ff_status status = upload(own, e, err);
  if (status == FF_OK) status = plan(own, e, err);
  return status == FF_OK ? describe(own, e, err) : status;
}

static void release(ff_ensemble *e) {
  generic *own = (generic *)e->own;
  cudaFree(own->memory);
  free(own);
}

static ff_status launch(ff_ensemble *e, const ff_launch *run, ff_error *err) {
  generic *own = (generic *)e->own;
  int shared = own->shared > 0;
  void *arguments[] = {&own->image, (void *)run, &shared};
  return ff_cuda_check(cudaLaunchKernel((const void *)run_warps, dim3(e->running / own->warps), dim3(own->warps * 32), arguments,
                                        own->shared, e->stream),
                       "launching a kernel that reads the net", err);
}

extern "C" const ff_trajectory_runner ff_petri_runner_generic = {"generic", prepare, NULL, release, launch};
