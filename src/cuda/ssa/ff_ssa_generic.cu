/* Kernels that read a reaction network as data: they run where no code can be compiled for the network. A warp runs a trajectory
 * (ff_ssa_generic_step.h). Its counts and its tree of sums are in shared memory if enough warps have room there, else in global
 * memory, where the caches help. So networks of any size can be simulated. */
#include "ff_ssa_ensemble.h"
#include "ff_ssa_generic_step.h"

#include <stdio.h>
#include <stdlib.h>

#define WARPS 4 /* of a block; in shared memory also fewer */
/* Blocks of a multiprocessor for which registers are limited. Formulas need more registers. */
#define BLOCKS 8
#define BLOCKS_FORMULAS 5

typedef void (*ff_ssa_warp_kernel)(const ff_ssa_image, const ff_ssa_launch, const ff_ssa_slot_layout);

typedef struct {
  ff_ssa_image image;
  void *memory;
  ff_ssa_slot_layout at;
  ff_ssa_warp_kernel kernel;
  uint32_t warps; /* of a block */
  size_t shared;  /* of a block */
} generic;

template <bool SHARED, bool FORMULAS>
__global__ static void __launch_bounds__(WARPS * 32, FORMULAS ? BLOCKS_FORMULAS : BLOCKS)
    run_warps(const __grid_constant__ ff_ssa_image image, const __grid_constant__ ff_ssa_launch run,
              const __grid_constant__ ff_ssa_slot_layout at) {
  extern __shared__ __align__(128) char shared[];
  const uint32_t warp = __shfl_sync(0xFFFFFFFFu, threadIdx.x / 32, 0), slot = blockIdx.x * (blockDim.x / 32) + warp;
  if (slot >= run.slots) return;
  char *kept = (char *)run.state + slot * at.bytes;
  ff_ssa_warp w;
  w.image = &image;
  w.run = &run;
  w.formulas = FORMULAS;
  ff_ssa_warp_place(&w, &at, SHARED ? shared + warp * (at.bytes - FF_SSA_SLOT_HEAD) : kept + FF_SSA_SLOT_HEAD);
  ff_ssa_warp_run(&w, &at, kept, SHARED);
}

static ff_ssa_warp_kernel kernel_of(int is_shared, int formulas) {
  if (is_shared) return formulas ? run_warps<true, true> : run_warps<true, false>;
  return formulas ? run_warps<false, true> : run_warps<false, false>;
}

/* ---- planning ------------------------------------------------------------------------------------------------------------ */

/* Computes how many blocks a multiprocessor can run at the same time; 0 if the shared memory does not suffice for one. */
static ff_status occupancy(int *blocks, const ff_ensemble *e, ff_ssa_warp_kernel kernel, uint32_t warps, uint64_t shared,
                           ff_error *err) {
  *blocks = 0;
  if (shared > e->device.sharedMemPerBlockOptin) return FF_OK;
  /* the maximum, not what this ensemble needs: the setting belongs to the device, and other ensembles may use the kernel */
  ff_status status = FF_OK;
  if (shared > 0)
    status = ff_cuda_check(cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                (int)e->device.sharedMemPerBlockOptin),
                           "setting the shared memory", err);
  if (status != FF_OK) return status;
  return ff_cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, (int)warps * 32, (size_t)shared),
                       "planning a launch", err);
}

/* Chooses shared memory if at least half as many warps can run with it. *blocks are those of a multiprocessor. */
static ff_status plan(generic *own, const ff_ensemble *e, int *blocks, ff_error *err) {
  const int formulas = own->image.depth > 0;
  own->kernel = kernel_of(0, formulas);
  own->warps = WARPS;
  ff_status status = occupancy(blocks, e, own->kernel, WARPS, 0, err);
  const uint64_t wanted = ((uint64_t)*blocks * WARPS + 1) / 2;
  uint64_t best = 0;
  for (uint32_t warps = WARPS; warps > 0 && status == FF_OK; warps /= 2) {
    const uint64_t shared = warps * (own->at.bytes - FF_SSA_SLOT_HEAD);
    int found = 0;
    status = occupancy(&found, e, kernel_of(1, formulas), warps, shared, err);
    if (status != FF_OK || found * warps < wanted || found * warps <= best) continue;
    best = found * warps;
    *blocks = found;
    own->kernel = kernel_of(1, formulas);
    own->warps = warps;
    own->shared = (size_t)shared;
  }
  if (status == FF_OK && *blocks == 0) return ff_error_set(err, FF_EUNSUPPORTED, "the GPU has too few registers for it");
  return status;
}

/* The factored method of a network that is not factored is the logarithmic one. */
static ff_status check(const ff_ensemble *e, ff_error *err) {
  const ff_ssa_method method = e->request.method;
  if (ff_ssa_program_scheduled(e->program))
    return ff_error_set(err, FF_EUNSUPPORTED, "the network has events, or rates that depend on the time");
  if (method == FF_SSA_DIRECT || method == FF_SSA_TREE) return FF_OK;
  if (method == FF_SSA_FACTORED && e->program->factor->n_groups == FF_FACTOR_NONE) return FF_OK;
  return ff_error_set(err, FF_EUNSUPPORTED, "it runs the methods \"direct\" and \"logarithmic_direct\" alone");
}

static ff_status upload(generic *own, const ff_ensemble *e, ff_error *err) {
  ff_ssa_image image;
  void *memory = NULL;
  size_t bytes = 0;
  ff_status status = ff_ssa_image_new(&image, &memory, &bytes, e->program, e->request.initial, err);
  if (status != FF_OK) return status;
  status = ff_cuda_upload(&own->memory, memory, bytes, "the network", err);
  if (status == FF_OK) own->image = ff_ssa_image_at(&image, memory, own->memory);
  ff_free_aligned(memory);
  own->at = ff_ssa_slot_lay_out(&own->image);
  return status;
}

static ff_status prepare(ff_ensemble *e, ff_error *err) {
  ff_status status = check(e, err);
  if (status != FF_OK) return status;
  generic *own = (generic *)ff_calloc(1, sizeof *own);
  if (own == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a network");
  e->own = own;
  int blocks = 0;
  cudaFuncAttributes attributes;
  status = upload(own, e, err);
  if (status == FF_OK) status = plan(own, e, &blocks, err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaFuncGetAttributes(&attributes, (const void *)own->kernel), "planning a launch", err);
  if (status != FF_OK) return status;
  e->slot_bytes = own->at.bytes;
  e->resident = (uint64_t)blocks * own->warps * (uint64_t)e->device.multiProcessorCount;
  e->info.threads = own->warps * 32;
  e->info.blocks = (uint32_t)blocks;
  e->info.registers = (uint32_t)attributes.numRegs;
  e->info.shared_bytes = (uint32_t)own->shared;
  snprintf(e->info.reason, sizeof e->info.reason, "the network is read as data, a warp for each trajectory, states in %s memory",
           own->shared > 0 ? "shared" : "global");
  return FF_OK;
}

static void release(ff_ensemble *e) {
  generic *own = (generic *)e->own;
  if (own == NULL) return;
  cudaFree(own->memory);
  free(own);
  e->own = NULL;
}

static ff_status launch(ff_ensemble *e, const ff_ssa_launch *run, ff_error *err) {
  const generic *own = (const generic *)e->own;
  const unsigned blocks = (run->slots + own->warps - 1) / own->warps;
  own->kernel<<<blocks, own->warps * 32, own->shared, e->stream>>>(own->image, *run, own->at);
  return ff_cuda_check(cudaGetLastError(), "launching the kernel that reads the network", err);
}

extern "C" const ff_ssa_runner ff_ssa_runner_generic = {"generic", prepare, NULL, release, launch};
