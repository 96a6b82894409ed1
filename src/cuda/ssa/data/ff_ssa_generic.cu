/* Kernels that read a reaction network as data: they run where no code can be compiled for the network.
 *
 * If events change few propensities, a thread runs a trajectory (ff_ssa_generic_thread.h): then most lanes of a warp would
 * have nothing to do. Otherwise, or if there are few trajectories, a warp does (ff_ssa_generic_step.h). Counts and the tree of
 * sums are in shared memory if enough trajectories have room there, else in global memory, where the caches help. So networks of
 * any size can be simulated. For few trajectories of strongly coupled networks, a block of warps runs a trajectory
 * (ff_ssa_generic_block.h). With events, or with rates that depend on the time, a warp runs a trajectory in global memory
 * (ff_ssa_generic_schedule.h). A warp also runs a trajectory if there is a condition, a list of firings, or starts: counts at the
 * start that are the trajectory's own.
 *
 * The points of a sweep have an image each, in device memory: those that differ only in numbers have the same layout of a slot. A
 * slot takes the image of the point that its trajectory belongs to. A block of warps runs trajectories of one point only. */
#include "ff_ssa_data_runner.h"
#include "ff_ssa_generic_block.h"
#include "ff_ssa_generic_schedule.h"
#include "ff_ssa_generic_thread.h"

#include <stdio.h>

#define WARPS 4 /* the most of a block. Without shared memory it has one, so that all multiprocessors have equal shares. */
/* Blocks of a multiprocessor for which registers are limited. Formulas need more registers. */
#define BLOCKS 8
#define BLOCKS_FORMULAS 5
#define ANY 0 /* any method: no image has this number as its method */

/* The most propensities that an event changes, on average, if a thread runs a trajectory; and the fewest trajectories for each
 * warp that the device could run instead. */
#define COUPLING_MOST 16
#define COUPLING_FEW 4 /* then even without shared memory, if a warp has no room for all of its state there */
#define TRAJECTORIES_LEAST 4
#define MEMORY_SHARE 0.4 /* of the device's memory, for trajectories on their way */
#define BLOCK_WARPS 32 /* of a multiprocessor, which blocks for all trajectories must not exceed */
#define BLOCK_WORK 256 /* propensities that an event computes, on average, if a block runs a trajectory */
#define TASKS_BYTES ((2 * sizeof(ff_ssa_task) + 127) / 128 * 128) /* of shared memory, in a block that runs a trajectory */
#define STACKS_MOST 32768  /* bytes of shared memory for the stacks of a block */
#define THREADS_LEAST 192 /* of a multiprocessor, with shared memory; with fewer, it is faster without */
#define POINT_WORDS ((uint32_t)(sizeof(ff_ssa_image_point) / 4))

typedef void (*generic_kernel)(const ff_ssa_image, const ff_ssa_launch, const ff_ssa_slot_layout);

typedef struct {
  ff_ssa_data_plan plan;
  ff_ssa_image image; /* of points, the first one */
  ff_ssa_slot_layout at;
  generic_kernel kernel;
  int follows;  /* whether there is a condition, a list of firings, or starts */
  int threads;  /* whether a thread runs a trajectory */
  int together; /* whether a block does */
} generic;

__device__ __forceinline__ static const ff_ssa_image *image_of(const ff_ssa_launch &run) {
  return &((const ff_ssa_image_point *)(const void *)run.points)->image;
}

__device__ __forceinline__ static void begin_warp(ff_ssa_warp *w, const ff_ssa_image &image, const ff_ssa_launch &run,
                                                  bool several) {
  w->image = several ? image_of(run) : &image;
  w->run = &run;
  w->scheduled = w->follows = 0;
  w->point_words = several ? POINT_WORDS : 0;
  w->helpers = w->member = w->n_tasks = 0;
  w->tasks = NULL;
}

__device__ __forceinline__ static size_t top_bytes(const ff_ssa_slot_layout &at) {
  return at.top == 0 ? 0u : (at.top_values * 8u + 127u) / 128u * 128u;
}

__device__ __forceinline__ static void run_warp(const ff_ssa_image &image, const ff_ssa_launch &run, const ff_ssa_slot_layout &at,
                                                char *shared, int method, bool is_shared, bool formulas, bool several = false,
                                                bool follows = false) {
  const uint32_t warp = __shfl_sync(0xFFFFFFFFu, threadIdx.x / 32, 0);
  const uint32_t slot = FF_SSA_SLOT_OF(&run, blockIdx.x * (blockDim.x / 32) + warp);
  ff_ssa_warp w;
  begin_warp(&w, image, run, several);
  w.formulas = formulas;
  w.follows = follows;
  w.method = method;
  double *const top = is_shared || at.top == 0 ? NULL : (double *)(shared + warp * top_bytes(at));
  ff_ssa_warp_place(&w, &at, is_shared ? shared + warp * (at.bytes - FF_SSA_SLOT_HEAD)
                                      : (char *)run.state + slot * at.bytes + FF_SSA_SLOT_HEAD, top);
  ff_ssa_warp_run(&w, &at, slot, is_shared);
}

template <bool SHARED, bool FORMULAS>
__global__ static void __launch_bounds__(WARPS * 32, FORMULAS ? BLOCKS_FORMULAS : BLOCKS)
    run_warps(const __grid_constant__ ff_ssa_image image, const __grid_constant__ ff_ssa_launch run,
              const __grid_constant__ ff_ssa_slot_layout at) {
  extern __shared__ __align__(128) char shared[];
  run_warp(image, run, at, shared, FF_SSA_TREE, SHARED, FORMULAS);
}

/* The other methods. To keep the backend small, their code is for both kinds of memory. Networks with formulas have one kernel
 * for all methods (METHOD is ANY). */
template <int METHOD>
__global__ static void __launch_bounds__(WARPS * 32, METHOD == ANY ? BLOCKS_FORMULAS : BLOCKS)
    run_method(const __grid_constant__ ff_ssa_image image, const __grid_constant__ ff_ssa_launch run,
               const __grid_constant__ ff_ssa_slot_layout at) {
  extern __shared__ __align__(128) char shared[];
  run_warp(image, run, at, shared, METHOD == ANY ? (int)image.method : METHOD, at.shared != 0, METHOD == ANY);
}

/* Several points of networks without a schedule: one kernel for all methods, with formulas and without. */
template <bool FORMULAS>
__global__ static void __launch_bounds__(WARPS * 32, BLOCKS_FORMULAS)
    run_points(const __grid_constant__ ff_ssa_image image, const __grid_constant__ ff_ssa_launch run,
               const __grid_constant__ ff_ssa_slot_layout at) {
  extern __shared__ __align__(128) char shared[];
  run_warp(image, run, at, shared, (int)image.method, at.shared != 0, FORMULAS, true);
}

/* With a condition, a list of firings, or starts: for all methods, with formulas and without. Methods with rows never have rates
 * that are formulas, and need `formulas` to be 0. */
template <bool SEVERAL>
__global__ static void __launch_bounds__(WARPS * 32, BLOCKS_FORMULAS)
    run_following(const __grid_constant__ ff_ssa_image image, const __grid_constant__ ff_ssa_launch run,
                  const __grid_constant__ ff_ssa_slot_layout at) {
  extern __shared__ __align__(128) char shared[];
  run_warp(image, run, at, shared, (int)image.method, at.shared != 0, !ff_ssa_method_has_rows((int)image.method), SEVERAL, true);
}

/* With a schedule, for all methods. */
template <bool SEVERAL>
__global__ static void __launch_bounds__(WARPS * 32, BLOCKS_FORMULAS)
    run_scheduled(const __grid_constant__ ff_ssa_image image, const __grid_constant__ ff_ssa_launch run,
                  const __grid_constant__ ff_ssa_slot_layout at) {
  const uint32_t warp = __shfl_sync(0xFFFFFFFFu, threadIdx.x / 32, 0);
  const uint32_t slot = FF_SSA_SLOT_OF(&run, blockIdx.x * (blockDim.x / 32) + warp);
  ff_ssa_warp w;
  begin_warp(&w, image, run, SEVERAL);
  w.formulas = w.scheduled = 1;
  w.method = (int)image.method;
  ff_ssa_warp_place(&w, &at, (char *)run.state + slot * at.bytes + FF_SSA_SLOT_HEAD, NULL);
  ff_ssa_scheduled_run(&w, &at, slot);
}

/* A block for each trajectory, for the methods of ff_ssa_block_has(). */
template <bool FORMULAS>
__global__ static void __launch_bounds__(FF_SSA_BLOCK_MOST * 32, FORMULAS ? 1 : 2)
    run_block(const __grid_constant__ ff_ssa_image image, const __grid_constant__ ff_ssa_launch run,
              const __grid_constant__ ff_ssa_slot_layout at) {
  extern __shared__ __align__(128) char tasks[];
  char *const shared = tasks + TASKS_BYTES;
  const uint32_t slot = FF_SSA_SLOT_OF(&run, blockIdx.x);
  const bool is_shared = at.shared != 0;
  ff_ssa_warp w;
  begin_warp(&w, image, run, false);
  w.formulas = FORMULAS;
  w.method = image.method == FF_SSA_NEXT ? FF_SSA_NEXT : image.method == FF_SSA_FIRST ? FF_SSA_FIRST : FF_SSA_TREE;
  w.helpers = blockDim.x / 32 - 1;
  w.member = __shfl_sync(0xFFFFFFFFu, threadIdx.x / 32, 0);
  w.tasks = (ff_ssa_task *)tasks;
  ff_ssa_warp_place(&w, &at, is_shared ? shared : (char *)run.state + slot * at.bytes + FF_SSA_SLOT_HEAD,
                    is_shared || at.top == 0 ? NULL : (double *)shared);
  if (at.stacks_shared) w.stack = (double *)(shared + top_bytes(at));
  w.stack += (size_t)w.member * image.depth * 32u;
  ff_ssa_block_run(&w, &at, slot, is_shared);
}

/* optimised_direct and sorting_direct, without formulas, in shared memory. */
__global__ static void __launch_bounds__(WARPS * 32, BLOCKS)
    run_searches(const __grid_constant__ ff_ssa_image image, const __grid_constant__ ff_ssa_launch run,
                 const __grid_constant__ ff_ssa_slot_layout) {
  extern __shared__ __align__(128) char shared[];
  ff_ssa_thread t;
  t.image = &image;
  t.run = &run;
  t.formulas = t.several = 0;
  t.method = image.method == FF_SSA_SORTING ? FF_SSA_SORTING : FF_SSA_OPTIMISED;
  ff_ssa_thread_run(&t, shared, blockDim.x, threadIdx.x, FF_SSA_SLOT_OF(&run, blockIdx.x * blockDim.x + threadIdx.x));
}

template <bool SHARED, bool FORMULAS, bool SEVERAL>
__global__ static void __launch_bounds__(WARPS * 32, FORMULAS ? BLOCKS_FORMULAS : BLOCKS)
    run_threads(const __grid_constant__ ff_ssa_image image, const __grid_constant__ ff_ssa_launch run,
                const __grid_constant__ ff_ssa_slot_layout at) {
  extern __shared__ __align__(128) char shared[];
  const uint32_t slot = FF_SSA_SLOT_OF(&run, blockIdx.x * blockDim.x + threadIdx.x);
  ff_ssa_thread t;
  t.image = SEVERAL ? image_of(run) : &image;
  t.run = &run;
  t.formulas = FORMULAS;
  t.method = FF_SSA_TREE;
  t.several = SEVERAL;
  if (SHARED)
    ff_ssa_thread_run(&t, shared, blockDim.x, threadIdx.x, slot);
  else
    ff_ssa_thread_run_there(&t, &at, slot);
}

static generic_kernel method_kernel(uint32_t method) {
  switch (method) {
  case FF_SSA_FIRST: return run_method<FF_SSA_FIRST>;
  case FF_SSA_NEXT: return run_method<FF_SSA_NEXT>;
  case FF_SSA_OPTIMISED: return run_method<FF_SSA_OPTIMISED>;
  case FF_SSA_SORTING: return run_method<FF_SSA_SORTING>;
  case FF_SSA_RSSA: return run_method<FF_SSA_RSSA>;
  case FF_SSA_PDM: return run_method<FF_SSA_PDM>;
  case FF_SSA_PSSA_CR: return run_method<FF_SSA_PSSA_CR>;
  default: return run_method<FF_SSA_BLOCK>;
  }
}

static int is_scheduled(const ff_ssa_image *image) { return image->schedule.formulas != NULL; }

static generic_kernel warps_kernel(const generic *own, int is_shared) {
  const ff_ssa_image *image = &own->image;
  const int formulas = image->depth > 0, several = own->plan.images.points != NULL;
  if (is_scheduled(image)) return several ? run_scheduled<true> : run_scheduled<false>;
  if (own->follows) return several ? run_following<true> : run_following<false>;
  if (several) return formulas ? run_points<true> : run_points<false>;
  if (image->method != FF_SSA_TREE) return formulas ? run_method<ANY> : method_kernel(image->method);
  if (is_shared) return formulas ? run_warps<true, true> : run_warps<true, false>;
  return formulas ? run_warps<false, true> : run_warps<false, false>;
}

static generic_kernel threads_kernel(int several, int is_shared, int formulas) {
  if (several) return is_shared ? run_threads<true, false, true> : run_threads<false, false, true>;
  if (is_shared) return formulas ? run_threads<true, true, false> : run_threads<true, false, false>;
  return formulas ? run_threads<false, true, false> : run_threads<false, false, false>;
}

/* ---- planning ------------------------------------------------------------------------------------------------------------ */

/* Tries all sizes of a block whose warps need `each` bytes of shared memory. Takes the kernel if a multiprocessor can run at
 * least `least` warps. */
static ff_status try_shared(generic *own, const ff_ensemble *e, generic_kernel kernel, uint64_t each, uint32_t least,
                            ff_error *err) {
  uint32_t best = least > 0 ? least - 1 : 0;
  for (uint32_t warps = WARPS; warps > 0; warps /= 2) {
    uint32_t blocks;
    ff_status status = ff_ssa_data_occupancy(&blocks, e, (const void *)kernel, warps, warps * each, err);
    if (status != FF_OK) return status;
    if (blocks * warps <= best) continue;
    best = blocks * warps;
    own->kernel = kernel;
    own->plan.warps = warps;
    own->plan.shared = (size_t)(warps * each);
    own->plan.blocks = blocks;
  }
  return FF_OK;
}

/* A kernel that does not use shared memory. */
static ff_status plan_global(generic *own, const ff_ensemble *e, generic_kernel kernel, ff_error *err) {
  own->kernel = kernel;
  own->plan.warps = 1;
  ff_status status = ff_ssa_data_occupancy(&own->plan.blocks, e, (const void *)kernel, 1, 0, err);
  if (status != FF_OK || own->plan.blocks > 0) return status;
  return ff_error_set(err, FF_EUNSUPPORTED, "the GPU has too few registers for kernel \"generic\"");
}

/* Whether there are so many trajectories, and memory for them, that a thread may run each of them. To keep the backend small,
 * there is no such kernel for several points with formulas. */
static int threads_pay(const generic *own, const ff_ensemble *e) {
  const double least = (double)TRAJECTORIES_LEAST * own->plan.blocks * own->plan.warps * e->device.multiProcessorCount;
  const double room = MEMORY_SHARE * (double)e->device.totalGlobalMem / (double)own->at.bytes;
  if (own->follows || (own->plan.images.points != NULL && own->image.depth > 0)) return 0;
  return own->image.dependents != NULL && e->program->coupling <= COUPLING_MOST && room >= least &&
         (e->options.units == 0 || (double)e->options.units >= least);
}

/* A warp for each trajectory. Warps use shared memory if at least half as many of them can run with it; if not, for as many upper
 * levels of the tree as leave room for three quarters of them. */
static ff_status plan_warps(generic *own, const ff_ensemble *e, ff_error *err) {
  ff_status status = plan_global(own, e, warps_kernel(own, 0), err);
  const uint32_t least = (own->plan.blocks * own->plan.warps + 1) / 2;
  if (status != FF_OK) return status;
  status = try_shared(own, e, warps_kernel(own, 1), own->at.bytes - FF_SSA_SLOT_HEAD, least, err);
  if (own->plan.shared > 0) return status;
  for (uint32_t top = 1; status == FF_OK && own->plan.shared == 0 && !own->follows && top < own->image.levels; top++) {
    const uint32_t bytes = ff_ssa_slot_split(&own->at, &own->image, top);
    status = try_shared(own, e, warps_kernel(own, 0), bytes, own->plan.blocks * own->plan.warps / 4 * 3, err);
  }
  if (own->plan.shared == 0) own->at.top = 0;
  return status;
}

/* A thread for each trajectory, in shared memory if this suffices: of the direct method, and of the methods that search one place
 * after the other. */
static ff_status plan_threads(generic *own, const ff_ensemble *e, ff_error *err) {
  const ff_ssa_image *image = &own->image;
  const int formulas = image->depth > 0, tree = image->method == FF_SSA_TREE, several = own->plan.images.points != NULL;
  const int searches = !formulas && !several && ff_ssa_method_searches(image->method);
  const uint64_t each = 32 * ff_ssa_thread_bytes(image);
  if (!tree && !searches) return FF_OK;
  const generic_kernel kernel = tree ? threads_kernel(several, 1, formulas) : run_searches;
  ff_status status = try_shared(own, e, kernel, each, THREADS_LEAST / 32, err);
  own->threads = own->plan.shared > 0;
  return status;
}

/* For many trajectories, a thread each in shared memory is faster than a warp there, and this is faster than threads without
 * shared memory. */
static ff_status plan(generic *own, const ff_ensemble *e, ff_error *err) {
  const int formulas = own->image.depth > 0, tree = own->image.method == FF_SSA_TREE;
  const int several = own->plan.images.points != NULL;
  ff_status status = plan_global(own, e, warps_kernel(own, 0), err); /* how many warps could run */
  if (is_scheduled(&own->image)) return status;
  const int threads = status == FF_OK && threads_pay(own, e);
  if (threads) status = plan_threads(own, e, err);
  if (status != FF_OK || own->threads) return status;
  status = plan_warps(own, e, err);
  const int few = own->at.top > 0 && e->program->coupling <= COUPLING_FEW;
  own->threads = status == FF_OK && threads && tree && (own->plan.shared == 0 || few);
  if (own->threads) own->plan.shared = own->at.top = 0;
  return own->threads ? plan_global(own, e, threads_kernel(several, 0, formulas), err) : status;
}

/* The warps of a block for each trajectory; 1: a warp or a thread runs a trajectory. A block is faster if the trajectories are
 * fewer than the warps that the device can run, and if an event gives all lanes of the block something to do
 * (docs/decisions/16-gpu-blocks-of-warps.md). */
static uint32_t choose_warps(const generic *own, const ff_ensemble *e) {
  const ff_ssa_image *image = &own->image;
  const int several = own->plan.images.points != NULL;
  const double work = image->method == FF_SSA_FIRST ? image->n_reactions : e->program->coupling;
  const uint64_t most = (uint64_t)e->device.multiProcessorCount * BLOCK_WARPS;
  uint32_t warps = 1;
  if (!ff_ssa_block_has(image->method) || is_scheduled(image) || several || own->follows) return 1;
  if (e->request.warps > 0) return e->request.warps < FF_SSA_BLOCK_MOST ? e->request.warps : FF_SSA_BLOCK_MOST;
  if (work < BLOCK_WORK || e->options.units == 0) return 1; /* 0: unknown, so there may be many */
  while (warps < FF_SSA_BLOCK_MOST && 2 * warps * e->options.units <= most) warps *= 2;
  return warps;
}

/* Uses so much shared memory of each block besides its tasks, if `least` blocks of a multiprocessor can run with it. */
static ff_status try_block(generic *own, const ff_ensemble *e, uint64_t bytes, uint32_t least, int *fits, ff_error *err) {
  uint32_t blocks;
  *fits = 0;
  ff_status status = ff_ssa_data_occupancy(&blocks, e, (const void *)own->kernel, own->plan.warps, TASKS_BYTES + bytes, err);
  if (status != FF_OK || blocks < least) return status;
  own->plan.shared = (size_t)(TASKS_BYTES + bytes);
  own->plan.blocks = blocks;
  *fits = 1;
  return FF_OK;
}

/* A block for each trajectory. Its state is in shared memory if the trajectories that a multiprocessor gets have room there; if
 * not, as many of the upper levels of the tree as have. */
static ff_status plan_block(generic *own, const ff_ensemble *e, uint32_t warps, ff_error *err) {
  const ff_ssa_image *image = &own->image;
  const uint64_t share = e->options.units / (uint64_t)e->device.multiProcessorCount + 1;
  const uint64_t stacks = (uint64_t)image->depth * 32 * 8 * warps;
  int fits;
  own->at = ff_ssa_slot_lay_out(image, warps);
  own->kernel = image->depth > 0 ? run_block<true> : run_block<false>;
  own->plan.warps = warps;
  own->together = 1;
  own->at.stacks_shared = stacks > 0 && stacks <= STACKS_MOST;
  const uint64_t rest = own->at.stacks_shared ? stacks : 0;
  ff_status status = try_block(own, e, rest, 1, &fits, err);
  if (status != FF_OK || !fits) return status == FF_OK ? ff_error_set(err, FF_EUNSUPPORTED, "no block can run") : status;
  const uint32_t least = share < own->plan.blocks ? (uint32_t)share : own->plan.blocks;
  status = try_block(own, e, own->at.bytes - FF_SSA_SLOT_HEAD, least, &fits, err);
  own->at.shared = (uint64_t)fits;
  if (fits) own->at.stacks_shared = 0;
  for (uint32_t top = 1; status == FF_OK && !fits && top < image->levels; top++)
    status = try_block(own, e, ff_ssa_slot_split(&own->at, image, top) + rest, least, &fits, err);
  if (!fits || own->at.shared) own->at.top = 0;
  return status;
}

static ff_status upload(generic *own, const ff_ensemble *e, ff_error *err) {
  ff_ssa_image image;
  void *memory = NULL;
  size_t bytes = 0;
  ff_status status = ff_ssa_image_new(&image, &memory, &bytes, e->program, &e->request, err);
  if (status != FF_OK) return status;
  status = ff_ssa_images_new(&own->plan.images, e, memory, bytes, sizeof(ff_ssa_image_point), err);
  if (status == FF_OK) own->image = ff_ssa_image_at(&image, memory, own->plan.images.memory);
  ff_free_aligned(memory);
  own->at = ff_ssa_slot_lay_out(&own->image, 1);
  return status;
}

static ff_status prepare(ff_ensemble *e, ff_error *err) {
  if (e->request.n_points > 0 && e->request.method == FF_SSA_OPTIMISED)
    return ff_error_set(err, FF_EUNSUPPORTED, "points have different orders of the reactions");
  ff_status status = ff_ssa_data_new(e, sizeof(generic), err);
  generic *own = (generic *)e->own;
  if (status == FF_OK) status = upload(own, e, err);
  if (status == FF_OK) own->follows = ff_device_follows(&e->request);
  const uint32_t warps = status == FF_OK ? choose_warps(own, e) : 1;
  if (status == FF_OK) status = warps > 1 ? plan_block(own, e, warps, err) : plan(own, e, err);
  if (status != FF_OK) return status;
  if (!own->together) own->at.shared = own->plan.shared > 0 && own->at.top == 0;
  const uint64_t slot_bytes = own->threads && own->plan.shared > 0 ? 4 * ff_ssa_thread_words(&own->image) : own->at.bytes;
  const uint32_t block_slots = own->together ? 1 : own->threads ? own->plan.warps * 32 : own->plan.warps;
  status = ff_ssa_data_describe(e, (const void *)own->kernel, block_slots, slot_bytes, err);
  if (status != FF_OK) return status;
  char who[40] = "warp";
  if (own->threads) snprintf(who, sizeof who, "thread");
  if (own->together) snprintf(who, sizeof who, "block of %u warps", (unsigned)own->plan.warps);
  snprintf(e->info.reason, sizeof e->info.reason, "the network is read as data, a %s for each trajectory, states in %s memory",
           who, own->at.shared ? "shared" : own->at.top > 0 ? "global and shared" : "global");
  return FF_OK;
}

static ff_status put(ff_ensemble *e, const ff_device_point *point, void *to, char *memory, uint8_t *joins, ff_error *err) {
  const generic *own = (const generic *)e->own;
  ff_device_request request = e->request;
  ff_ssa_image image;
  void *from = NULL;
  size_t bytes = 0;
  request.initial = point->initial;
  request.until = point->until;
  ff_status status = ff_ssa_image_new(&image, &from, &bytes, (const ff_ssa_program *)point->model, &request, err);
  if (status != FF_OK) return status;
  *joins = bytes == own->plan.images.bytes && ff_ssa_image_alike(&own->image, &image);
  if (*joins) status = ff_cuda_check(cudaMemcpy(memory, from, bytes, cudaMemcpyHostToDevice), "copying a point", err);
  if (*joins) ((ff_ssa_image_point *)to)->image = ff_ssa_image_at(&image, from, memory);
  ff_free_aligned(from);
  return status;
}

static ff_status ready(ff_ensemble *e, double seconds, int *is, ff_error *err) {
  return ff_ssa_images_ready(&((generic *)e->own)->plan.images, e, put, seconds, is, err);
}

static ff_status launch(ff_ensemble *e, const ff_ssa_launch *run, ff_error *err) {
  const generic *own = (const generic *)e->own;
  own->kernel<<<e->running / e->block_slots, own->plan.warps * 32, own->plan.shared, e->stream>>>(own->image, *run, own->at);
  return ff_cuda_check(cudaGetLastError(), "launching the kernel that reads the network", err);
}

extern "C" const ff_ssa_runner ff_ssa_runner_generic = {"generic", prepare, ready, ff_ssa_data_release, launch};
