/* The kernels that read a network as data, without their names: what each thread of a grid does. ff_ssa_generic.cu compiles those
 * of the logarithmic method ahead, so that they run where no code can be compiled. Those of the other methods are compiled at
 * run time, each for one need: then this header defines s_kernel, and with S_THREADS also s_threads. */
#ifndef FF_SSA_GENERIC_KERNEL_H
#define FF_SSA_GENERIC_KERNEL_H

#include "ff_ssa_generic_block.h"
#include "ff_ssa_generic_schedule.h"
#include "ff_ssa_generic_thread.h"

#if !defined(__CUDACC_RTC__)
#include <stdio.h>

typedef struct {
  uint32_t method; /* that of the image */
  int formulas;    /* of rates */
  int several;     /* points */
  int follows;     /* a condition, a list of firings, or starts */
  int scheduled;   /* events, or rates that depend on the time */
  int together;    /* a block of warps runs a trajectory */
} ff_ssa_generic_need;

/* What an image needs for a wave of one point or several, whose trajectories so many warps run together. What does not matter is
 * 0, so that the code is the same. Methods with rows never have rates that are formulas. */
static inline ff_ssa_generic_need ff_ssa_generic_need_of(const ff_ssa_image *image, int several, int follows, uint32_t warps) {
  ff_ssa_generic_need need = {.method = image->method, .several = several, .scheduled = image->schedule.formulas != NULL};
  need.follows = follows && !need.scheduled;
  need.formulas = image->depth > 0 && !need.scheduled && !ff_ssa_method_has_rows((int)image->method);
  need.together = warps > 1;
  return need;
}

/* Whether there is also a kernel with a thread for each trajectory. */
static inline int ff_ssa_generic_has_threads(const ff_ssa_generic_need *need) {
  return ff_ssa_method_searches((int)need->method) && !need->formulas && !need->several && !need->follows;
}

#define FF_SSA_GENERIC_TEXT 400 /* bytes */

/* Writes the text of the kernel, for ff_expand(). */
static inline void ff_ssa_generic_text(char text[FF_SSA_GENERIC_TEXT], const ff_ssa_generic_need *need) {
  const int few = need->formulas || need->several || need->follows || need->scheduled;
  snprintf(text, FF_SSA_GENERIC_TEXT,
           "#define S_METHOD %u\n#define S_FORMULAS %d\n#define S_SEVERAL %d\n#define S_FOLLOWS %d\n#define S_SCHEDULED %d\n"
           "#define S_BLOCK %d\n#define S_FEW %d\n#define S_THREADS %d\n"
           "#include \"cuda/ssa/data/ff_ssa_generic_kernel.h\"\n",
           need->method, need->formulas, need->several, need->follows, need->scheduled, need->together, few,
           ff_ssa_generic_has_threads(need));
}
#endif

#if defined(__CUDACC__)
#define FF_SSA_GENERIC_WARPS 4 /* the most of a block. Without shared memory it has one, so that all multiprocessors have equal
                                * shares. */
/* Blocks of a multiprocessor for which registers are limited. Formulas need more registers, and so do several points. */
#define FF_SSA_GENERIC_BLOCKS 8
#define FF_SSA_GENERIC_BLOCKS_FEW 5
/* Bytes of shared memory for the tasks of a block that runs a trajectory. */
#define FF_SSA_TASKS_BYTES ((2 * sizeof(ff_ssa_task) + 127) / 128 * 128)

#define FF_SSA_GENERIC_ARGUMENTS                                                                   \
  const __grid_constant__ ff_ssa_image image, const __grid_constant__ ff_launch run,           \
      const __grid_constant__ ff_ssa_slot_layout at

__device__ __forceinline__ static const ff_ssa_image *image_of(const ff_launch &run) {
  return &((const ff_ssa_image_point *)(const void *)run.points)->image;
}

__device__ __forceinline__ static void begin_warp(ff_ssa_warp *w, const ff_ssa_image &image, const ff_launch &run, int method,
                                                  bool several) {
  w->image = several ? image_of(run) : &image;
  w->run = &run;
  w->method = method;
  w->scheduled = w->follows = 0;
  w->point_words = several ? (uint32_t)(sizeof(ff_ssa_image_point) / 4) : 0;
  w->helpers = w->member = w->n_tasks = 0;
  w->tasks = NULL;
}

__device__ __forceinline__ static size_t top_bytes(const ff_ssa_slot_layout &at) {
  return at.top == 0 ? 0u : (at.top_values * 8u + 127u) / 128u * 128u;
}

/* A warp for each trajectory, in shared memory or not. */
__device__ __forceinline__ static void run_warp(const ff_ssa_image &image, const ff_launch &run, const ff_ssa_slot_layout &at,
                                                char *shared, int method, bool is_shared, bool formulas, bool several,
                                                bool follows) {
  const uint32_t warp = __shfl_sync(0xFFFFFFFFu, threadIdx.x / 32, 0);
  const uint32_t slot = FF_SLOT_OF(&run, blockIdx.x * (blockDim.x / 32) + warp);
  ff_ssa_warp w;
  begin_warp(&w, image, run, method, several);
  w.formulas = formulas;
  w.follows = follows;
  double *const top = is_shared || at.top == 0 ? NULL : (double *)(shared + warp * top_bytes(at));
  ff_ssa_warp_place(&w, &at, is_shared ? shared + warp * (at.bytes - FF_SSA_SLOT_HEAD)
                                      : (char *)run.state + slot * at.bytes + FF_SSA_SLOT_HEAD, top);
  ff_ssa_warp_run(&w, &at, slot, is_shared);
}

/* The same with a schedule. */
__device__ __forceinline__ static void run_schedule(const ff_ssa_image &image, const ff_launch &run,
                                                    const ff_ssa_slot_layout &at, int method, bool several) {
  const uint32_t warp = __shfl_sync(0xFFFFFFFFu, threadIdx.x / 32, 0);
  const uint32_t slot = FF_SLOT_OF(&run, blockIdx.x * (blockDim.x / 32) + warp);
  ff_ssa_warp w;
  begin_warp(&w, image, run, method, several);
  w.formulas = w.scheduled = 1;
  ff_ssa_warp_place(&w, &at, (char *)run.state + slot * at.bytes + FF_SSA_SLOT_HEAD, NULL);
  ff_ssa_scheduled_run(&w, &at, slot);
}

/* A block for each trajectory, for the methods of ff_ssa_block_has(). */
__device__ __forceinline__ static void run_together(const ff_ssa_image &image, const ff_launch &run,
                                                    const ff_ssa_slot_layout &at, char *tasks, int method, bool formulas) {
  char *const shared = tasks + FF_SSA_TASKS_BYTES;
  const uint32_t slot = FF_SLOT_OF(&run, blockIdx.x);
  const bool is_shared = at.shared != 0;
  ff_ssa_warp w;
  begin_warp(&w, image, run, method, false);
  w.formulas = formulas;
  w.helpers = blockDim.x / 32 - 1;
  w.member = __shfl_sync(0xFFFFFFFFu, threadIdx.x / 32, 0);
  w.tasks = (ff_ssa_task *)tasks;
  ff_ssa_warp_place(&w, &at, is_shared ? shared : (char *)run.state + slot * at.bytes + FF_SSA_SLOT_HEAD,
                    is_shared || at.top == 0 ? NULL : (double *)shared);
  if (at.stacks_shared) w.stack = (double *)(shared + top_bytes(at));
  w.stack += (size_t)w.member * image.depth * 32u;
  ff_ssa_block_run(&w, &at, slot, is_shared);
}

/* A thread for each trajectory, of the logarithmic method or of those that search. */
__device__ __forceinline__ static void run_thread(const ff_ssa_image &image, const ff_launch &run,
                                                  const ff_ssa_slot_layout &at, char *shared, int method, bool is_shared,
                                                  bool formulas, bool several) {
  const uint32_t slot = FF_SLOT_OF(&run, blockIdx.x * blockDim.x + threadIdx.x);
  ff_ssa_thread t;
  t.image = several ? image_of(run) : &image;
  t.run = &run;
  t.formulas = formulas;
  t.method = method;
  t.several = several;
  if (is_shared)
    ff_ssa_thread_run(&t, shared, blockDim.x, threadIdx.x, slot);
  else
    ff_ssa_thread_run_there(&t, &at, slot);
}

/* ---- at run time ----------------------------------------------------------------------------------------------------------- */

#if defined(__CUDACC_RTC__)
#if S_BLOCK
extern "C" __global__ void __launch_bounds__(FF_SSA_BLOCK_MOST * 32, S_FORMULAS ? 1 : 2) s_kernel(FF_SSA_GENERIC_ARGUMENTS) {
  extern __shared__ __align__(128) char shared[];
  run_together(image, run, at, shared, S_METHOD, S_FORMULAS);
}
#else
extern "C" __global__ void
    __launch_bounds__(FF_SSA_GENERIC_WARPS * 32, S_FEW ? FF_SSA_GENERIC_BLOCKS_FEW : FF_SSA_GENERIC_BLOCKS)
        s_kernel(FF_SSA_GENERIC_ARGUMENTS) {
#if S_SCHEDULED
  run_schedule(image, run, at, S_METHOD, S_SEVERAL);
#else
  extern __shared__ __align__(128) char shared[]; /* to keep the code small, it is for both kinds of memory */
  run_warp(image, run, at, shared, S_METHOD, at.shared != 0, S_FORMULAS, S_SEVERAL, S_FOLLOWS);
#endif
}
#endif

#if S_THREADS
extern "C" __global__ void __launch_bounds__(FF_SSA_GENERIC_WARPS * 32, FF_SSA_GENERIC_BLOCKS)
    s_threads(FF_SSA_GENERIC_ARGUMENTS) {
  extern __shared__ __align__(128) char shared[];
  run_thread(image, run, at, shared, S_METHOD, true, false, false);
}
#endif
#endif
#endif

#endif
