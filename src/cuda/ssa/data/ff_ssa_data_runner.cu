#include "ff_ssa_data_runner.h"

#include <stdlib.h>

ff_status ff_ssa_data_new(ff_ensemble *e, size_t bytes, ff_error *err) {
  e->own = ff_calloc(1, bytes);
  return e->own != NULL ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for a network");
}

void ff_ssa_data_release(ff_ensemble *e) {
  if (e->own == NULL) return;
  ff_ssa_images_free(&((ff_ssa_data_plan *)e->own)->images);
  free(e->own);
  e->own = NULL;
}

ff_ssa_data_kernel ff_ssa_data_ahead(const void *kernel) {
  const ff_ssa_data_kernel ahead = {kernel, NULL, {}};
  return ahead;
}

static ff_status occupancy(int *blocks, const ff_ensemble *e, const void *kernel, int threads, size_t shared, ff_error *err) {
  ff_status status = FF_OK;
  /* the maximum, not what this ensemble needs: the setting belongs to the device, and other ensembles may use the kernel */
  if (shared > 0)
    status = ff_cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                (int)e->device.sharedMemPerBlockOptin),
                           "setting the shared memory", err);
  if (status != FF_OK) return status;
  return ff_cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared), "planning a launch", err);
}

ff_status ff_ssa_data_occupancy(uint32_t *blocks, const ff_ensemble *e, const ff_ssa_data_kernel *kernel, uint32_t warps,
                                uint64_t shared, ff_error *err) {
  const int threads = (int)warps * 32;
  int found = 0;
  ff_status status = FF_OK;
  if (shared <= e->device.sharedMemPerBlockOptin)
    status = kernel->ahead != NULL
                 ? occupancy(&found, e, kernel->ahead, threads, (size_t)shared, err)
                 : ff_module_occupancy(&found, kernel->module, &kernel->late, threads, (size_t)shared, err);
  *blocks = (uint32_t)found;
  return status;
}

ff_status ff_ssa_data_describe(ff_ensemble *e, uint32_t block_slots, uint64_t slot_bytes, ff_error *err) {
  const ff_ssa_data_plan *plan = (const ff_ssa_data_plan *)e->own;
  cudaFuncAttributes attributes = {};
  attributes.numRegs = plan->kernel.late.registers;
  if (plan->kernel.ahead != NULL) {
    const ff_status status = ff_cuda_check(cudaFuncGetAttributes(&attributes, plan->kernel.ahead), "planning a launch", err);
    if (status != FF_OK) return status;
  }
  e->slot_bytes = slot_bytes;
  e->block_slots = block_slots;
  e->resident = (uint64_t)plan->blocks * block_slots * (uint64_t)e->device.multiProcessorCount;
  e->info.threads = plan->warps * 32;
  e->info.blocks = plan->blocks;
  e->info.registers = (uint32_t)attributes.numRegs;
  e->info.shared_bytes = (uint32_t)plan->shared;
  return ff_ssa_images_pay(&plan->images, e, err);
}

ff_status ff_ssa_data_launch(ff_ensemble *e, void **arguments, ff_error *err) {
  const ff_ssa_data_plan *plan = (const ff_ssa_data_plan *)e->own;
  const ff_ssa_data_kernel *kernel = &plan->kernel;
  const uint32_t blocks = e->running / e->block_slots, threads = plan->warps * 32;
  if (kernel->ahead == NULL)
    return ff_module_launch(kernel->module, &kernel->late, blocks, 1, threads, plan->shared, e->stream, arguments, err);
  return ff_cuda_check(cudaLaunchKernel(kernel->ahead, dim3(blocks), dim3(threads), arguments, plan->shared, e->stream),
                       "launching a kernel that reads the network", err);
}
