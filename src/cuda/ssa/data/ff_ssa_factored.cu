/* The kernel that reads a network with common factors as data: a warp runs a trajectory (ff_ssa_factored_step.h). It runs where
 * no code is generated, or where generated code would be slower: for networks whose steps change many groups, and for large
 * sums. Totals are in shared memory. Counts and cells are there, too, if enough warps have room. Several points of a sweep have
 * an image each (ff_ssa_images.h), and their leaves are in global memory. */
#include "ff_ssa_data_runner.h"
#include "ff_ssa_factored_step.h"

#include <stdio.h>

#define WARPS 4 /* of a block */
#define BLOCKS 8 /* of a multiprocessor, for which registers are limited */
#define BLOCKS_EIGHT 5 /* the same for networks with eight groups for each lane */
#define BLOCKS_ROUNDS 3 /* the same for networks with several rounds */
#define WARPS_LEAST 24 /* of a multiprocessor. If fewer have room, counts and then cells leave shared memory */

typedef void (*factored_kernel)(const ff_ssa_factored_image, const ff_launch, const ff_ssa_factored_layout);

typedef struct {
  ff_ssa_data_plan plan;
  ff_ssa_factored_image image;
  ff_ssa_factored_layout at;
} factored;

template <uint32_t EACH, uint32_t ROUNDS, bool SEVERAL>
__global__ static void __launch_bounds__(WARPS * 32, ROUNDS > 1 ? BLOCKS_ROUNDS : EACH >= 8 ? BLOCKS_EIGHT : BLOCKS)
    run_factored(const __grid_constant__ ff_ssa_factored_image net, const __grid_constant__ ff_launch run,
                 const __grid_constant__ ff_ssa_factored_layout at) {
  extern __shared__ __align__(128) uint32_t words[]; /* the leaves, then the words of trajectories */
  const ff_ssa_factored_point *const first = (const ff_ssa_factored_point *)(const void *)run.points;
  const uint32_t leaves = 32 * EACH * ROUNDS;
  if (!SEVERAL)
    for (uint32_t i = threadIdx.x; i < leaves; i += WARPS * 32) ((ff_ssa_factored_leaf *)words)[i] = net.leaves[i];
  __syncthreads();
  const uint32_t warp = __shfl_sync(0xFFFFFFFFu, threadIdx.x / 32, 0);
  ff_ssa_factored_warp w;
  w.net = SEVERAL ? &first->image : &net;
  w.leaves = (const ff_ssa_factored_leaf *)words;
  w.base.run = &run;
  w.base.point_words = SEVERAL ? (uint32_t)(sizeof *first / 4) : 0;
  uint32_t *const place = words + (SEVERAL ? 0 : leaves * (sizeof *w.leaves / 4)) + warp * at.elsewhere;
  ff_ssa_factored_run(&w, &at, FF_SLOT_OF(&run, blockIdx.x * WARPS + warp), place, EACH, ROUNDS);
}

template <bool SEVERAL>
static factored_kernel kernel_of(const ff_ssa_factored_image *image) {
  if (image->rounds > 1) return image->rounds > 2 ? run_factored<8, 3, SEVERAL> : run_factored<8, 2, SEVERAL>;
  switch (image->each) {
  case 1: return run_factored<1, 1, SEVERAL>;
  case 2: return run_factored<2, 1, SEVERAL>;
  case 4: return run_factored<4, 1, SEVERAL>;
  default: return run_factored<8, 1, SEVERAL>;
  }
}

/* Computes how many blocks a multiprocessor can run at the same time if trajectories are laid out like this. */
static ff_status try_layout(factored *own, const ff_ensemble *e, int stay_cells, int stay_counts, ff_error *err) {
  own->at = ff_ssa_factored_lay_out(&own->image, stay_cells, stay_counts);
  own->plan.shared = (size_t)own->at.elsewhere * 4 * WARPS;
  if (own->plan.images.points == NULL)
    own->plan.shared += 32 * sizeof(ff_ssa_factored_leaf) * own->image.each * own->image.rounds;
  return ff_ssa_data_occupancy(&own->plan.blocks, e, &own->plan.kernel, WARPS, own->plan.shared, err);
}

static ff_status plan(factored *own, const ff_ensemble *e, ff_error *err) {
  ff_status status = FF_OK;
  const factored_kernel kernel = own->plan.images.points != NULL ? kernel_of<true>(&own->image) : kernel_of<false>(&own->image);
  own->plan.kernel = ff_ssa_data_ahead((const void *)kernel);
  own->plan.warps = WARPS;
  for (int stay = 0; stay < 3 && status == FF_OK; stay++) {
    status = try_layout(own, e, stay > 1, stay > 0, err);
    if (own->plan.blocks * WARPS >= WARPS_LEAST) return status;
  }
  if (status != FF_OK || own->plan.blocks > 0) return status;
  return ff_error_set(err, FF_EUNSUPPORTED, "a trajectory needs %zu bytes of shared memory", own->plan.shared / WARPS);
}

static ff_status upload(factored *own, const ff_ensemble *e, ff_error *err) {
  ff_ssa_factored_image image;
  void *memory = NULL;
  size_t bytes = 0;
  ff_status status = ff_ssa_factored_image_new(&image, &memory, &bytes, e->program, e->request.initial, err);
  if (status != FF_OK) return status;
  status = ff_ssa_images_new(&own->plan.images, e, memory, bytes, sizeof(ff_ssa_factored_point), err);
  if (status == FF_OK) own->image = ff_ssa_factored_image_at(&image, memory, own->plan.images.memory);
  ff_free_aligned(memory);
  return status;
}

static ff_status prepare(ff_ensemble *e, ff_error *err) {
  ff_status status = ff_ssa_data_new(e, sizeof(factored), err);
  factored *own = (factored *)e->own;
  if (status == FF_OK) status = upload(own, e, err);
  if (status == FF_OK) status = plan(own, e, err);
  if (status == FF_OK) status = ff_ssa_data_describe(e, WARPS, own->at.bytes, err);
  if (status != FF_OK) return status;
  snprintf(e->info.reason, sizeof e->info.reason,
           "groups of reactions are read as data, a warp for each trajectory, counts in %s memory",
           own->at.stay_counts == 0 ? "shared" : "global");
  return FF_OK;
}

static ff_status put(ff_ensemble *e, const ff_device_point *point, void *to, char *memory, uint8_t *joins, ff_error *err) {
  const factored *own = (const factored *)e->own;
  ff_ssa_factored_image image;
  void *from = NULL;
  size_t bytes = 0;
  const ff_ssa_program *program = (const ff_ssa_program *)point->model;
  if (program->factor->n_groups == FF_FACTOR_NONE || program->ring != NULL) return FF_OK;
  ff_status status = ff_ssa_factored_image_new(&image, &from, &bytes, program, point->initial, err);
  if (status != FF_OK) return status;
  *joins = bytes == own->plan.images.bytes && ff_ssa_factored_image_alike(&own->image, &image);
  if (*joins) status = ff_cuda_check(cudaMemcpy(memory, from, bytes, cudaMemcpyHostToDevice), "copying a point", err);
  if (*joins) ((ff_ssa_factored_point *)to)->image = ff_ssa_factored_image_at(&image, from, memory);
  ff_free_aligned(from);
  return status;
}

static ff_status ready(ff_ensemble *e, double seconds, int *is, ff_error *err) {
  return ff_ssa_images_ready(&((factored *)e->own)->plan.images, e, put, seconds, is, err);
}

static ff_status launch(ff_ensemble *e, const ff_launch *run, ff_error *err) {
  factored *own = (factored *)e->own;
  void *arguments[] = {&own->image, (void *)run, &own->at};
  return ff_ssa_data_launch(e, arguments, err);
}

extern "C" const ff_ssa_runner ff_ssa_runner_factored = {"generic", prepare, ready, ff_ssa_data_release, launch};
