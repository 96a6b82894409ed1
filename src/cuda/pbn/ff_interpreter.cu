/* The interpreter of the sliced program. A block runs one tile, and its warps run segments of the program (ff_slice_warp.h). It
 * runs networks of any size: states are in shared memory if they fit, else in global memory, where the caches help. */
#include "ff_slice.h"
#include "ff_slice_warp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* per multiprocessor; a thread then has 96 registers, and with fewer registers the inner loops need more instructions */
#define MOST_WARPS 20

/* Where the rows of a tile are stored. STAGED: in global memory, and each segment first copies the rows that it reads. */
enum { BOTH_SHARED, NOW_SHARED, STAGED, NONE_SHARED };

/* Offsets in the shared memory of a block, in words. */
typedef struct {
  uint32_t functions, now, next, stay, scratch, items, window, words;
} layout;

typedef struct {
  ff_slice_device device;
  uint32_t warps;
  int where;
  layout at;
  size_t shared;
} interpreter;

static layout lay_out(const ff_slice_image *image, uint32_t warps, int where) {
  const size_t rows = where == BOTH_SHARED || where == NOW_SHARED ? image->n_nodes : 0;
  const size_t next_rows = where == BOTH_SHARED ? (size_t)image->n_nodes + image->n_terms : 0;
  const size_t scratch = (size_t)image->scratch_rows * 32;
  const size_t words = (warps + 1) / 2 * FF_FUNCTIONS + (rows + next_rows + 2) * 32 + warps * (scratch + FF_ITEMS + FF_WINDOW);
  layout out = {};
  out.words = words < UINT32_MAX / 4 ? (uint32_t)words : UINT32_MAX / 4; /* a number that is certainly too large */
  out.now = (warps + 1) / 2 * FF_FUNCTIONS;
  out.next = out.now + (uint32_t)rows * 32;
  out.stay = out.next + (uint32_t)next_rows * 32;
  out.scratch = out.stay + 64;
  out.items = out.scratch + warps * (uint32_t)scratch;
  out.window = out.items + warps * FF_ITEMS;
  return out;
}

/* Keeps a value in a register. Otherwise the compiler would compute it again each time, because it does not know that a lane
 * reads its own value here. */
__device__ static __forceinline__ uint32_t kept(uint32_t x) { return __shfl_sync(0xFFFFFFFFu, x, threadIdx.x % 32); }

__device__ static __forceinline__ uint32_t *kept_global(uint32_t *x) {
  const uint64_t bits = (uint64_t)x;
  uint32_t *out = (uint32_t *)((uint64_t)kept((uint32_t)(bits >> 32)) << 32 | kept((uint32_t)bits));
  __builtin_assume(__isGlobal(out));
  return out;
}

template <int WHERE>
__global__ static void __launch_bounds__(MOST_WARPS * 32, 1)
    interpret(const __grid_constant__ ff_slice_image image, const __grid_constant__ ff_slice_launch run,
              const __grid_constant__ layout at, uint32_t *global_next) {
  extern __shared__ __align__(128) uint32_t shared[];
  const uint32_t warp = __shfl_sync(0xFFFFFFFFu, threadIdx.x / 32, 0), warps = blockDim.x / 32, tile = blockIdx.x;
  const size_t words = (size_t)image.n_nodes * 32;
  uint32_t *state = run.state + tile * words;
  ff_slice_warp w;
  w.image = &image;
  w.round_key = run.round_key;
  w.functions = shared + at.functions;
  w.pair = kept(warp / 2 * 0x10101010u);
  w.low = kept(warp % 2 * 128);
  w.column = shared + kept(at.functions + warp / 2 * FF_FUNCTIONS + warp % 2 * 32);
  w.stay = shared + at.stay;
  w.turn = shared + at.stay + 32;
  w.scratch = shared + kept(at.scratch + warp * image.scratch_rows * 32);
  w.items = shared + kept(at.items + warp * FF_ITEMS);
  w.window = shared + kept(at.window + warp * FF_WINDOW);
  w.now = WHERE == NONE_SHARED || WHERE == STAGED ? state : shared + at.now;
  w.next = WHERE == BOTH_SHARED ? shared + at.next : kept_global(global_next + tile * (words + (size_t)image.n_terms * 32));
  w.inputs = WHERE == STAGED ? w.scratch : w.now;
  w.counters = run.counters + (size_t)tile * image.n_terms * FF_COUNTER_ROWS * 32;
  w.before = run.before + (size_t)tile * image.n_terms;
  w.unit = run.unit + tile;
  w.warp = warp;
  w.warps = warps;
  w.most_items = FF_ITEMS;
  w.lane = kept(threadIdx.x % 32);
  w.staged = WHERE == STAGED;
  for (size_t i = threadIdx.x; i < words; i += blockDim.x) {
    if (WHERE == BOTH_SHARED || WHERE == NOW_SHARED) w.now[i] = state[i];
    w.next[i] = state[i];
  }
  ff_phase_begin(&w);
  __syncthreads();
  if (run.fresh) {
    ff_phase_terms(&w, 0, 1);
    __syncthreads();
  }
  for (uint64_t s = 0; s < run.steps; s++) {
    w.step = run.step + s;
    ff_phase_hits(&w);
    __syncthreads();
    ff_phase_update(&w);
    __syncthreads();
    ff_phase_commit(&w);
    __syncthreads();
    if (run.count) {
      ff_phase_terms(&w, run.counted + (uint32_t)s, 0);
      __syncthreads();
    }
  }
  if (WHERE == BOTH_SHARED || WHERE == NOW_SHARED)
    for (size_t i = threadIdx.x; i < words; i += blockDim.x) state[i] = w.now[i];
}

typedef void (*kernel)(const ff_slice_image, const ff_slice_launch, const layout, uint32_t *);

static kernel kernel_of(int where) {
  return where == BOTH_SHARED  ? interpret<BOTH_SHARED>
         : where == NOW_SHARED ? interpret<NOW_SHARED>
         : where == STAGED     ? interpret<STAGED>
                               : interpret<NONE_SHARED>;
}

/* Computes how many blocks a multiprocessor can run at the same time; 0 if the shared memory does not suffice for one. */
static ff_status occupancy(int *blocks, const ff_ensemble *e, const ff_slice_image *image, uint32_t warps, int where,
                           ff_error *err) {
  const size_t shared = (size_t)lay_out(image, warps, where).words * 4;
  *blocks = 0;
  if (shared > e->device.sharedMemPerBlockOptin) return FF_OK;
  const kernel run = kernel_of(where);
  /* the maximum, not what this ensemble needs: the setting belongs to the device, and other ensembles may use the kernel */
  ff_status status = ff_cuda_check(cudaFuncSetAttribute((const void *)run, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                        (int)e->device.sharedMemPerBlockOptin),
                                   "setting the shared memory", err);
  if (status != FF_OK) return status;
  return ff_cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, run, (int)warps * 32, shared),
                       "planning a launch", err);
}

/* Estimates how many warps are busy on average. At the end of a step, the warps of a tile wait for the last one, on average for
 * half a segment. Other tiles of the multiprocessor can use that time. New states in global memory cost a little, and so does
 * each further tile. */
static double worth(const ff_slice_image *image, uint32_t warps, int blocks, int where) {
  const double segments = image->n_update > 0 ? image->n_update : 1, idle = 0.5 * warps / segments / blocks;
  return (double)blocks * warps * (1 - (idle < 0.9 ? idle : 0.9)) * (1 - 0.005 * blocks) * (where == BOTH_SHARED ? 1 : 0.97);
}

/* Tries all numbers of warps per tile. A multiprocessor never gets more tiles than there are. */
static ff_status plan_where(interpreter *own, const ff_ensemble *e, int where, double *best, ff_error *err) {
  const ff_slice_image *image = &own->device.image;
  const uint64_t processors = (uint64_t)e->device.multiProcessorCount,
                 share = (e->options.units + processors - 1) / processors;
  const uint32_t most = image->n_update > MOST_WARPS ? MOST_WARPS : image->n_update > 0 ? image->n_update : 1;
  for (uint32_t warps = 1; warps <= most; warps++) {
    int blocks = 0;
    ff_status status = occupancy(&blocks, e, image, warps, where, err);
    if (status != FF_OK) return status;
    if (share > 0 && (uint64_t)blocks > share) blocks = (int)share;
    if (blocks == 0 || worth(image, warps, blocks, where) <= *best) continue;
    *best = worth(image, warps, blocks, where);
    own->warps = warps;
    own->where = where;
  }
  return FF_OK;
}

static ff_status upload_staged(interpreter *own, const ff_pbn_program *program, ff_error *err) {
  void *memory = NULL;
  size_t bytes = 0;
  ff_slice_image image;
  ff_slice_release(&own->device);
  ff_status status = ff_slice_image_staged(&image, &memory, &bytes, program, err);
  if (status != FF_OK) return status;
  status = ff_cuda_upload(&own->device.memory, memory, bytes, "the program", err);
  if (status == FF_OK) own->device.image = ff_slice_image_at(&image, memory, own->device.memory);
  ff_free_aligned(memory);
  return status;
}

/* Chooses which states are in shared memory: the old and the new ones, else the old ones, else only the rows that a segment
 * reads. */
static ff_status plan(interpreter *own, ff_ensemble *e, int *blocks, ff_error *err) {
  double best = 0;
  ff_status status = ff_slice_upload(&own->device, e->program, err);
  if (status == FF_OK) status = plan_where(own, e, BOTH_SHARED, &best, err);
  if (status == FF_OK) status = plan_where(own, e, NOW_SHARED, &best, err);
  if (status == FF_OK && best == 0) {
    status = upload_staged(own, e->program, err);
    if (status == FF_OK) status = plan_where(own, e, STAGED, &best, err);
  }
  if (status == FF_OK && best == 0) { /* a node reads more rows than fit */
    ff_slice_release(&own->device);
    status = ff_slice_upload(&own->device, e->program, err);
    if (status == FF_OK) status = plan_where(own, e, NONE_SHARED, &best, err);
  }
  if (status != FF_OK) return status;
  if (best == 0)
    return ff_error_set(err, FF_EARGUMENT, "its temporary rows (%zu bytes per warp) exceed shared memory",
                        (size_t)lay_out(&own->device.image, 1, NONE_SHARED).words * 4);
  own->at = lay_out(&own->device.image, own->warps, own->where);
  own->shared = (size_t)own->at.words * 4;
  return occupancy(blocks, e, &own->device.image, own->warps, own->where, err);
}

static ff_status prepare(ff_ensemble *e, ff_error *err) {
  interpreter *own = (interpreter *)ff_calloc(1, sizeof *own);
  if (own == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a program");
  e->own = own;
  int blocks = 0;
  cudaFuncAttributes attributes;
  ff_status status = plan(own, e, &blocks, err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaFuncGetAttributes(&attributes, (const void *)kernel_of(own->where)), "planning a launch", err);
  if (status != FF_OK) return status;
  e->resident = (uint64_t)blocks * (uint64_t)e->device.multiProcessorCount;
  e->tile_bytes = ff_slice_tile_bytes(e->program);
  if (own->where != BOTH_SHARED) e->tile_bytes += ((uint64_t)e->program->n_nodes + e->program->n_terms) * 128;
  e->info.threads = own->warps * 32;
  e->info.blocks = (uint32_t)blocks;
  e->info.registers = (uint32_t)attributes.numRegs;
  e->info.shared_bytes = (uint32_t)own->shared;
  snprintf(e->info.reason, sizeof e->info.reason, "interpreter, %u warps per tile, states in %s", own->warps,
           own->where == BOTH_SHARED  ? "shared memory"
           : own->where == NOW_SHARED ? "shared memory, new ones in global memory"
           : own->where == STAGED     ? "global memory, what a segment reads in shared memory"
                                      : "global memory");
  return FF_OK;
}

static ff_status allocate(ff_ensemble *e, ff_error *err) {
  interpreter *own = (interpreter *)e->own;
  ff_status status = ff_slice_allocate(&own->device, e, err);
  if (status != FF_OK || own->where == BOTH_SHARED) return status;
  const size_t rows = (size_t)e->program->n_nodes + e->program->n_terms;
  return ff_cuda_new((void **)&own->device.next, e->capacity * rows * 128, "states", err);
}

static void release(ff_ensemble *e) {
  ff_slice_release(&((interpreter *)e->own)->device);
  free(e->own);
}

static ff_status start(ff_ensemble *e, ff_error *err) { return ff_slice_start(&((interpreter *)e->own)->device, e, err); }

static ff_status steps(ff_ensemble *e, uint64_t n, int count, int fresh, ff_error *err) {
  const interpreter *own = (const interpreter *)e->own;
  const ff_slice_launch run = ff_slice_launch_of(&own->device, e, n, count, fresh);
  const kernel interpreter_kernel = kernel_of(own->where);
  interpreter_kernel<<<(unsigned)e->tiles, own->warps * 32, own->shared, e->stream>>>(own->device.image, run, own->at,
                                                                                      own->device.next);
  return ff_cuda_check(cudaGetLastError(), "launching the interpreter", err);
}

static ff_status spill(ff_ensemble *e, ff_error *err) { return ff_slice_spill(&((interpreter *)e->own)->device, e, err); }

static ff_status state(ff_ensemble *e, uint64_t tile, uint64_t *rows, ff_error *err) {
  return ff_slice_state(&((interpreter *)e->own)->device, e, tile, rows, err);
}

static ff_status terms(ff_ensemble *e, uint64_t tile, uint32_t n, uint64_t *words, ff_error *err) {
  return ff_slice_terms(&((interpreter *)e->own)->device, e, tile, n, words, err);
}

extern "C" const ff_pbn_runner ff_pbn_runner_interpreter = {"interpreter", prepare, NULL, release, allocate, start,
                                                           steps, spill, state, terms};
