/* The interpreter of the sliced program: a block runs a tile, its warps take segments of the program (ff_slice_warp.h). For
 * networks of any size: states lie in shared memory where they fit, else in global memory, which the caches then hold. */
#include "ff_slice.h"
#include "ff_slice_warp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_WARPS 16

/* Where a tile's rows are. */
enum { BOTH_SHARED, NOW_SHARED, NONE_SHARED };

typedef struct {
  ff_slice_device device;
  uint32_t warps;
  int where;
  size_t shared;
} interpreter;

static size_t shared_bytes(const ff_slice_image *image, uint32_t warps, int where) {
  size_t rows = 1 + (size_t)warps * image->scratch_rows;
  if (where != NONE_SHARED) rows += image->n_nodes;
  if (where == BOTH_SHARED) rows += (size_t)image->n_nodes + image->n_terms;
  return rows * 128 + (size_t)warps * FF_ITEMS * sizeof(ff_open_item);
}

template <int WHERE>
__global__ static void interpret(const ff_slice_image image, const ff_slice_launch run, uint32_t *global_next) {
  extern __shared__ __align__(128) uint32_t shared[];
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32, tile = blockIdx.x;
  const size_t words = (size_t)image.n_nodes * 32, all_words = words + (size_t)image.n_terms * 32;
  uint32_t *state = run.state + tile * words, *at = shared;
  ff_slice_warp w;
  w.image = &image;
  w.stay = at;
  at += 32;
  w.scratch = at + (size_t)warp * image.scratch_rows * 32;
  at += (size_t)warps * image.scratch_rows * 32;
  w.items = (ff_open_item *)at + (size_t)warp * FF_ITEMS;
  at += (size_t)warps * FF_ITEMS * (sizeof(ff_open_item) / 4);
  w.now = WHERE == NONE_SHARED ? state : at;
  w.next = WHERE == BOTH_SHARED ? at + words : global_next + tile * all_words;
  w.counters = run.counters + (size_t)tile * image.n_terms * FF_COUNTER_ROWS * 32;
  w.before = run.before + (size_t)tile * image.n_terms;
  w.key = run.key;
  w.unit = run.unit + tile;
  w.warp = warp;
  w.warps = warps;
  for (uint32_t row = warp; row < image.n_nodes; row += warps) {
    const uint32_t word = state[row * 32 + lane];
    if (WHERE != NONE_SHARED) w.now[row * 32 + lane] = word;
    w.next[row * 32 + lane] = word;
  }
  if (warp == 0) w.stay[lane] = 0;
  __syncthreads();
  if (run.fresh) ff_phase_terms(&w, 0, 1);
  for (uint64_t s = 0; s < run.steps; s++) {
    w.step = run.step + s;
    ff_phase_hits(&w);
    __syncthreads();
    ff_phase_update(&w);
    __syncthreads();
    ff_phase_commit(&w);
    __syncthreads();
    if (run.count) ff_phase_terms(&w, run.counted + (uint32_t)s, 0);
  }
  for (uint32_t row = warp; WHERE != NONE_SHARED && row < image.n_nodes; row += warps) state[row * 32 + lane] = w.now[row * 32 + lane];
}

typedef void (*kernel)(const ff_slice_image, const ff_slice_launch, uint32_t *);

static kernel kernel_of(int where) {
  return where == BOTH_SHARED ? interpret<BOTH_SHARED> : where == NOW_SHARED ? interpret<NOW_SHARED> : interpret<NONE_SHARED>;
}

/* Tiles and warps that a multiprocessor then runs. */
static ff_status occupancy(int *blocks, const ff_slice_image *image, uint32_t warps, int where, ff_error *err) {
  const size_t shared = shared_bytes(image, warps, where);
  ff_status status = ff_cuda_check(cudaFuncSetAttribute((const void *)kernel_of(where), cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared),
                                   "asking for shared memory", err);
  if (status != FF_OK) return status;
  return ff_cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel_of(where), (int)warps * 32, shared), "planning a launch", err);
}

/* Shared memory first; of the numbers of warps to a tile the one that keeps most of them busy, the smallest of equal ones. */
static ff_status plan(interpreter *own, ff_ensemble *e, int *best_blocks, ff_error *err) {
  const ff_slice_image *image = &own->device.image;
  const size_t limit = e->device.sharedMemPerBlockOptin;
  uint32_t most = image->n_update > MOST_WARPS ? MOST_WARPS : image->n_update > 0 ? image->n_update : 1;
  uint32_t busiest = 0;
  for (int where = BOTH_SHARED; where <= NONE_SHARED && busiest < 8; where++)
    for (uint32_t warps = 1; warps <= most; warps *= 2) {
      int blocks = 0;
      if (shared_bytes(image, warps, where) > limit) break;
      ff_status status = occupancy(&blocks, image, warps, where, err);
      if (status != FF_OK) return status;
      if (blocks == 0 || (uint32_t)blocks * warps <= busiest) continue;
      busiest = (uint32_t)blocks * warps;
      own->warps = warps;
      own->where = where;
      *best_blocks = blocks;
    }
  if (busiest == 0)
    return ff_error_set(err, FF_EARGUMENT, "its temporary rows (%zu bytes a warp) exceed shared memory", shared_bytes(image, 1, NONE_SHARED));
  own->shared = shared_bytes(image, own->warps, own->where);
  return occupancy(best_blocks, image, own->warps, own->where, err);
}

static ff_status prepare(ff_ensemble *e, ff_error *err) {
  interpreter *own = (interpreter *)ff_calloc(1, sizeof *own);
  if (own == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a program");
  e->own = own;
  int blocks = 0;
  cudaFuncAttributes attributes;
  ff_status status = ff_slice_upload(&own->device, e->program, err);
  if (status == FF_OK) status = plan(own, e, &blocks, err);
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
  snprintf(e->info.reason, sizeof e->info.reason, "interpreter, a tile on %u warps, states in %s", own->warps,
           own->where == BOTH_SHARED ? "shared memory" : own->where == NOW_SHARED ? "shared memory, new ones in global memory" : "global memory");
  return FF_OK;
}

static ff_status allocate(ff_ensemble *e, ff_error *err) {
  interpreter *own = (interpreter *)e->own;
  ff_status status = ff_slice_allocate(&own->device, e, err);
  if (status != FF_OK || own->where == BOTH_SHARED) return status;
  return ff_cuda_new((void **)&own->device.next, e->capacity * ((size_t)e->program->n_nodes + e->program->n_terms) * 128, "states", err);
}

static void release(ff_ensemble *e) {
  ff_slice_release(&((interpreter *)e->own)->device);
  free(e->own);
}

static ff_status start(ff_ensemble *e, ff_error *err) { return ff_slice_start(&((interpreter *)e->own)->device, e, err); }

static ff_status steps(ff_ensemble *e, uint64_t n, int count, int fresh, ff_error *err) {
  const interpreter *own = (const interpreter *)e->own;
  const ff_slice_launch run = ff_slice_launch_of(&own->device, e, n, count, fresh);
  kernel_of(own->where)<<<(unsigned)e->tiles, own->warps * 32, own->shared, e->stream>>>(own->device.image, run, own->device.next);
  return ff_cuda_check(cudaGetLastError(), "launching the interpreter", err);
}

static ff_status spill(ff_ensemble *e, ff_error *err) { return ff_slice_spill(&((interpreter *)e->own)->device, e, err); }

static ff_status state(ff_ensemble *e, uint64_t tile, uint64_t *rows, ff_error *err) {
  return ff_slice_state(&((interpreter *)e->own)->device, e, tile, rows, err);
}

extern "C" const ff_runner ff_runner_interpreter = {FF_KERNEL_INTERPRETER, prepare, allocate, release, start, steps, spill, state};
