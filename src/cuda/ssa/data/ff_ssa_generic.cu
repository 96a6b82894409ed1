/* Kernels that read a reaction network as data: they run where no code can be compiled for the network.
 *
 * If steps change few propensities, a thread runs a trajectory (ff_ssa_generic_thread.h): then most lanes of a warp would
 * have nothing to do. Otherwise, or if there are few trajectories, a warp does (ff_ssa_generic_step.h). Counts and the tree of
 * sums are in shared memory if enough trajectories have room there, else in global memory, where the caches help. So networks of
 * any size can be simulated. For few trajectories of strongly coupled networks, a block of warps runs a trajectory
 * (ff_ssa_generic_block.h). With events, or with rates that depend on the time, a warp runs a trajectory in global memory
 * (ff_ssa_generic_schedule.h). A warp also runs a trajectory if there is a condition, a list of firings, or starts: counts at the
 * start that are the trajectory's own.
 *
 * The kernels of the logarithmic method are compiled ahead. Those of other methods are compiled at run time, once for each need
 * (ff_ssa_generic_kernel.h), which takes a second or two.
 *
 * The points of a sweep have an image each, in device memory: those that differ only in numbers have the same layout of a slot. A
 * slot takes the image of the point that its trajectory belongs to. A block of warps runs trajectories of one point only. */
#include "../../runtime/ff_jit.h"
#include "ff_ssa_data_runner.h"
#include "ff_ssa_generic_kernel.h"

#include <math.h>

#define WARPS FF_SSA_GENERIC_WARPS

/* The most propensities that a step changes, on average, if a thread runs a trajectory; and the fewest trajectories for each
 * warp that the device could run instead. */
#define COUPLING_MOST 16
#define COUPLING_FEW 4 /* then even without shared memory, if a warp has no room for all of its state there */
#define TRAJECTORIES_LEAST 4
#define MEMORY_SHARE 0.4 /* of the device's memory, for trajectories on their way */
#define BLOCK_WARPS 32 /* of a multiprocessor, which blocks for all trajectories must not exceed */
#define BLOCK_WORK 256 /* propensities that a step computes, on average, if a block runs a trajectory */
#define STACKS_MOST 32768  /* bytes of shared memory for the stacks of a block */
#define THREADS_LEAST 192 /* of a multiprocessor, with shared memory; with fewer, it is faster without */

typedef struct {
  ff_ssa_data_plan plan;
  ff_ssa_image image; /* of points, the first one */
  ff_ssa_slot_layout at;
  ff_ssa_generic_need need;
  ff_jit *jit;                         /* NULL if the kernels are compiled ahead */
  ff_ssa_data_kernel compiled, thread; /* of jit, once it is loaded: s_kernel and s_threads */
  int planned;                         /* whether the launch is */
  int threads;                         /* whether a thread runs a trajectory */
} generic;

/* ---- kernels of the logarithmic method ----------------------------------------------------------------------------------- */

template <bool SHARED, bool FORMULAS>
__global__ static void __launch_bounds__(WARPS * 32, FORMULAS ? FF_SSA_GENERIC_BLOCKS_FEW : FF_SSA_GENERIC_BLOCKS)
    run_warps(FF_SSA_GENERIC_ARGUMENTS) {
  extern __shared__ __align__(128) char shared[];
  run_warp(image, run, at, shared, FF_SSA_TREE, SHARED, FORMULAS, false, false);
}

/* To keep the backend small, the code for several points, and for a condition, a list or starts, is for both kinds of memory, and
 * the latter for networks with formulas and without. */
template <bool FORMULAS>
__global__ static void __launch_bounds__(WARPS * 32, FF_SSA_GENERIC_BLOCKS_FEW) run_points(FF_SSA_GENERIC_ARGUMENTS) {
  extern __shared__ __align__(128) char shared[];
  run_warp(image, run, at, shared, FF_SSA_TREE, at.shared != 0, FORMULAS, true, false);
}

template <bool SEVERAL>
__global__ static void __launch_bounds__(WARPS * 32, FF_SSA_GENERIC_BLOCKS_FEW) run_following(FF_SSA_GENERIC_ARGUMENTS) {
  extern __shared__ __align__(128) char shared[];
  run_warp(image, run, at, shared, FF_SSA_TREE, at.shared != 0, true, SEVERAL, true);
}

template <bool SEVERAL>
__global__ static void __launch_bounds__(WARPS * 32, FF_SSA_GENERIC_BLOCKS_FEW) run_scheduled(FF_SSA_GENERIC_ARGUMENTS) {
  run_schedule(image, run, at, FF_SSA_TREE, SEVERAL);
}

template <bool FORMULAS>
__global__ static void __launch_bounds__(FF_SSA_BLOCK_MOST * 32, FORMULAS ? 1 : 2) run_block(FF_SSA_GENERIC_ARGUMENTS) {
  extern __shared__ __align__(128) char shared[];
  run_together(image, run, at, shared, FF_SSA_TREE, FORMULAS);
}

template <bool SHARED, bool FORMULAS, bool SEVERAL>
__global__ static void __launch_bounds__(WARPS * 32, FORMULAS ? FF_SSA_GENERIC_BLOCKS_FEW : FF_SSA_GENERIC_BLOCKS)
    run_threads(FF_SSA_GENERIC_ARGUMENTS) {
  extern __shared__ __align__(128) char shared[];
  run_thread(image, run, at, shared, FF_SSA_TREE, SHARED, FORMULAS, SEVERAL);
}

typedef void (*ahead)(const ff_ssa_image, const ff_launch, const ff_ssa_slot_layout);

/* ---- the choice of a kernel ------------------------------------------------------------------------------------------------ */

static ff_ssa_data_kernel warps_kernel(const generic *own, int is_shared) {
  const ff_ssa_generic_need *need = &own->need;
  const int formulas = need->formulas, several = need->several;
  ahead kernel;
  if (own->jit != NULL) return own->compiled;
  if (need->scheduled) kernel = several ? run_scheduled<true> : run_scheduled<false>;
  else if (need->follows) kernel = several ? run_following<true> : run_following<false>;
  else if (several) kernel = formulas ? run_points<true> : run_points<false>;
  else if (is_shared) kernel = formulas ? run_warps<true, true> : run_warps<true, false>;
  else kernel = formulas ? run_warps<false, true> : run_warps<false, false>;
  return ff_ssa_data_ahead((const void *)kernel);
}

static ff_ssa_data_kernel threads_kernel(const generic *own, int is_shared) {
  const int formulas = own->need.formulas;
  ahead kernel;
  if (own->jit != NULL) return own->thread; /* in shared memory */
  if (own->need.several) kernel = is_shared ? run_threads<true, false, true> : run_threads<false, false, true>;
  else if (is_shared) kernel = formulas ? run_threads<true, true, false> : run_threads<true, false, false>;
  else kernel = formulas ? run_threads<false, true, false> : run_threads<false, false, false>;
  return ff_ssa_data_ahead((const void *)kernel);
}

static ff_ssa_data_kernel block_kernel(const generic *own) {
  if (own->jit != NULL) return own->compiled;
  return ff_ssa_data_ahead((const void *)(ahead)(own->need.formulas ? run_block<true> : run_block<false>));
}

/* ---- planning ------------------------------------------------------------------------------------------------------------ */

/* Tries all sizes of a block whose warps need `each` bytes of shared memory. Takes the kernel if a multiprocessor can run at
 * least `least` warps. */
static ff_status try_shared(generic *own, const ff_ensemble *e, ff_ssa_data_kernel kernel, uint64_t each, uint32_t least,
                            ff_error *err) {
  uint32_t best = least > 0 ? least - 1 : 0;
  for (uint32_t warps = WARPS; warps > 0; warps /= 2) {
    uint32_t blocks;
    ff_status status = ff_ssa_data_occupancy(&blocks, e, &kernel, warps, warps * each, err);
    if (status != FF_OK) return status;
    if (blocks * warps <= best) continue;
    best = blocks * warps;
    own->plan.kernel = kernel;
    own->plan.warps = warps;
    own->plan.shared = (size_t)(warps * each);
    own->plan.blocks = blocks;
  }
  return FF_OK;
}

/* A kernel that does not use shared memory. */
static ff_status plan_global(generic *own, const ff_ensemble *e, ff_ssa_data_kernel kernel, ff_error *err) {
  own->plan.kernel = kernel;
  own->plan.warps = 1;
  ff_status status = ff_ssa_data_occupancy(&own->plan.blocks, e, &kernel, 1, 0, err);
  if (status != FF_OK || own->plan.blocks > 0) return status;
  return ff_error_set(err, FF_EUNSUPPORTED, "the GPU has too few registers for kernel \"generic\"");
}

/* Whether there are so many trajectories, and memory for them, that a thread may run each of them. To keep the backend small,
 * there is no such kernel for several points with formulas. */
static int threads_pay(const generic *own, const ff_ensemble *e) {
  const double least = (double)TRAJECTORIES_LEAST * own->plan.blocks * own->plan.warps * e->device.multiProcessorCount;
  const double room = MEMORY_SHARE * (double)e->device.totalGlobalMem / (double)own->at.bytes;
  if (own->need.follows || (own->need.several && own->need.formulas)) return 0;
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
  for (uint32_t top = 1; status == FF_OK && own->plan.shared == 0 && !own->need.follows && top < own->image.levels; top++) {
    const uint32_t bytes = ff_ssa_slot_split(&own->at, &own->image, top);
    status = try_shared(own, e, warps_kernel(own, 0), bytes, own->plan.blocks * own->plan.warps / 4 * 3, err);
  }
  if (own->plan.shared == 0) own->at.top = 0;
  return status;
}

/* A thread for each trajectory, in shared memory if this suffices: of the direct method, and of the methods that search one place
 * after the other. */
static ff_status plan_threads(generic *own, const ff_ensemble *e, ff_error *err) {
  const uint64_t each = 32 * ff_ssa_thread_bytes(&own->image);
  if (own->need.method != FF_SSA_TREE && !ff_ssa_generic_has_threads(&own->need)) return FF_OK;
  ff_status status = try_shared(own, e, threads_kernel(own, 1), each, THREADS_LEAST / 32, err);
  own->threads = own->plan.shared > 0;
  return status;
}

/* For many trajectories, a thread each in shared memory is faster than a warp there, and this is faster than threads without
 * shared memory. */
static ff_status plan(generic *own, const ff_ensemble *e, ff_error *err) {
  ff_status status = plan_global(own, e, warps_kernel(own, 0), err); /* how many warps could run */
  if (own->need.scheduled) return status;
  const int threads = status == FF_OK && threads_pay(own, e);
  if (threads) status = plan_threads(own, e, err);
  if (status != FF_OK || own->threads) return status;
  status = plan_warps(own, e, err);
  const int few = own->at.top > 0 && e->program->coupling <= COUPLING_FEW;
  own->threads = status == FF_OK && threads && own->need.method == FF_SSA_TREE && (own->plan.shared == 0 || few);
  if (own->threads) own->plan.shared = own->at.top = 0;
  return own->threads ? plan_global(own, e, threads_kernel(own, 0), err) : status;
}

/* The warps of a block for each trajectory; 1: a warp or a thread runs a trajectory. A block is faster if the trajectories are
 * fewer than the warps that the device can run, and if a step gives all lanes of the block something to do
 * (docs/decisions/16-gpu-blocks-of-warps.md). */
static uint32_t choose_warps(const ff_ssa_image *image, const ff_ensemble *e) {
  const double work = image->method == FF_SSA_FIRST ? image->n_reactions : e->program->coupling;
  const uint64_t most = (uint64_t)e->device.multiProcessorCount * BLOCK_WARPS;
  uint32_t warps = 1;
  if (!ff_ssa_block_has(image->method) || ff_ssa_program_scheduled(e->program) || e->request.n_points > 0) return 1;
  if (ff_device_follows(&e->request)) return 1;
  if (e->request.warps > 0) return e->request.warps < FF_SSA_BLOCK_MOST ? e->request.warps : FF_SSA_BLOCK_MOST;
  if (work < BLOCK_WORK || e->options.units == 0) return 1; /* 0: unknown, so there may be many */
  while (warps < FF_SSA_BLOCK_MOST && 2 * warps * e->options.units <= most) warps *= 2;
  return warps;
}

/* Uses so much shared memory of each block besides its tasks, if `least` blocks of a multiprocessor can run with it. */
static ff_status try_block(generic *own, const ff_ensemble *e, uint64_t bytes, uint32_t least, int *fits, ff_error *err) {
  uint32_t blocks;
  *fits = 0;
  ff_status status = ff_ssa_data_occupancy(&blocks, e, &own->plan.kernel, own->plan.warps, FF_SSA_TASKS_BYTES + bytes, err);
  if (status != FF_OK || blocks < least) return status;
  own->plan.shared = (size_t)(FF_SSA_TASKS_BYTES + bytes);
  own->plan.blocks = blocks;
  *fits = 1;
  return FF_OK;
}

/* A block for each trajectory. Its state is in shared memory if the trajectories that a multiprocessor gets have room there; if
 * not, as many of the upper levels of the tree as have. */
static ff_status plan_block(generic *own, const ff_ensemble *e, ff_error *err) {
  const ff_ssa_image *image = &own->image;
  const uint32_t warps = own->plan.warps;
  const uint64_t share = e->options.units / (uint64_t)e->device.multiProcessorCount + 1;
  const uint64_t stacks = (uint64_t)image->depth * 32 * 8 * warps;
  int fits;
  own->at = ff_ssa_slot_lay_out(image, warps);
  own->plan.kernel = block_kernel(own);
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

/* Plans the launch, once there is a kernel. */
static ff_status settle(generic *own, ff_ensemble *e, ff_error *err) {
  const int together = own->need.together;
  ff_status status = together ? plan_block(own, e, err) : plan(own, e, err);
  if (status != FF_OK) return status;
  own->planned = 1;
  if (!together) own->at.shared = own->plan.shared > 0 && own->at.top == 0;
  const uint64_t slot_bytes = own->threads && own->plan.shared > 0 ? 4 * ff_ssa_thread_words(&own->image) : own->at.bytes;
  const uint32_t block_slots = together ? 1 : own->threads ? own->plan.warps * 32 : own->plan.warps;
  status = ff_ssa_data_describe(e, block_slots, slot_bytes, err);
  if (status != FF_OK) return status;
  char who[40] = "warp";
  if (own->threads) snprintf(who, sizeof who, "thread");
  if (together) snprintf(who, sizeof who, "block of %u warps", (unsigned)own->plan.warps);
  snprintf(e->info.reason, sizeof e->info.reason, "the network is read as data, a %s for each trajectory, states in %s memory",
           who, own->at.shared ? "shared" : own->at.top > 0 ? "global and shared" : "global");
  return FF_OK;
}

/* ---- code that is compiled at run time ------------------------------------------------------------------------------------- */

static ff_status start_code(generic *own, const ff_ensemble *e, ff_error *err) {
  char text[FF_SSA_GENERIC_TEXT];
  const char *const parts[] = {text};
  ff_ssa_generic_text(text, &own->need);
  const ff_jit_request request = {.parts = parts, .options = NULL, .n_parts = 1, .n_options = 0,
                                  .arch = e->device.major * 10 + e->device.minor, .cache = e->options.cache, .saves = 0,
                                  .price = -INFINITY};
  return ff_jit_start(&own->jit, &request, err);
}

static ff_status take_kernel(ff_ssa_data_kernel *out, const generic *own, const ff_ensemble *e, const char *name, ff_error *err) {
  out->module = ff_jit_module(own->jit);
  return ff_module_kernel_of(&out->late, out->module, name, 32, e->device.sharedMemPerBlockOptin, err);
}

/* Waits for the code and plans the launch. FF_EUNSUPPORTED, with the reason, if the code is not available. */
static ff_status wait_for_code(generic *own, ff_ensemble *e, double seconds, ff_error *err) {
  ff_jit_outcome outcome;
  ff_status status = ff_jit_wait(own->jit, seconds, &outcome, err);
  if (status != FF_OK || outcome == FF_JIT_COMPILING) return status;
  if (outcome != FF_JIT_LOADED)
    return ff_error_set(err, FF_EUNSUPPORTED, "the kernel of this method is compiled at run time by the library libnvrtc, and "
                        "that of method \"logarithmic_direct\" is not; %s", ff_jit_reason(own->jit));
  status = take_kernel(&own->compiled, own, e, "s_kernel", err);
  if (status == FF_OK && ff_ssa_generic_has_threads(&own->need)) status = take_kernel(&own->thread, own, e, "s_threads", err);
  return status == FF_OK ? settle(own, e, err) : status;
}

static ff_status prepare(ff_ensemble *e, ff_error *err) {
  if (e->request.n_points > 0 && e->request.method == FF_SSA_OPTIMISED)
    return ff_error_set(err, FF_EUNSUPPORTED, "points have different orders of the reactions");
  ff_status status = ff_ssa_data_new(e, sizeof(generic), err);
  generic *own = (generic *)e->own;
  if (status == FF_OK) status = upload(own, e, err);
  if (status != FF_OK) return status;
  own->plan.warps = choose_warps(&own->image, e);
  own->need = ff_ssa_generic_need_of(&own->image, e->request.n_points > 0, ff_device_follows(&e->request), own->plan.warps);
  return own->need.method == FF_SSA_TREE ? settle(own, e, err) : start_code(own, e, err);
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
  generic *own = (generic *)e->own;
  const double deadline = ff_clock() + seconds;
  *is = 0;
  if (!own->planned) {
    const ff_status status = wait_for_code(own, e, seconds, err);
    if (status != FF_OK || !own->planned) return status;
  }
  const double left = deadline - ff_clock();
  return ff_ssa_images_ready(&own->plan.images, e, put, left > 0 ? left : 0, is, err);
}

static void release(ff_ensemble *e) {
  ff_jit_free(((generic *)e->own)->jit);
  ff_ssa_data_release(e);
}

static ff_status launch(ff_ensemble *e, const ff_launch *run, ff_error *err) {
  generic *own = (generic *)e->own;
  void *arguments[] = {&own->image, (void *)run, &own->at};
  return ff_ssa_data_launch(e, arguments, err);
}

extern "C" const ff_ssa_runner ff_ssa_runner_generic = {"generic", prepare, ready, release, launch};
