/* A wave of tiles of the sliced program on the device: initial states, and the conversion of vertical counters to counts. */
#include "ff_slice.h"

#include <string.h>

static_assert(FF_COUNTER_LEVELS == FF_COUNT_LEVELS, "counters spill after as many steps as the processor's");

extern "C" ff_status ff_slice_upload(ff_slice_device *out, const ff_pbn_program *program, ff_error *err) {
  void *memory = NULL;
  size_t bytes = 0;
  memset(out, 0, sizeof *out);
  ff_slice_image image;
  ff_status status = ff_slice_image_new(&image, &memory, &bytes, program, err);
  if (status != FF_OK) return status;
  status = ff_cuda_upload(&out->memory, memory, bytes, "the program", err);
  if (status == FF_OK) out->image = ff_slice_image_at(&image, memory, out->memory);
  ff_free_aligned(memory);
  return status;
}

extern "C" void ff_slice_release(ff_slice_device *d) {
  cudaFree(d->memory);
  cudaFree(d->state);
  cudaFree(d->counters);
  cudaFree(d->next);
  memset(d, 0, sizeof *d);
}

static size_t counter_bytes(const ff_pbn_program *p) { return (size_t)p->n_terms * FF_COUNTER_ROWS * 128; }

extern "C" uint64_t ff_slice_tile_bytes(const ff_pbn_program *p) { return (uint64_t)p->n_nodes * 128 + counter_bytes(p); }

extern "C" ff_status ff_slice_allocate(ff_slice_device *d, ff_ensemble *e, ff_error *err) {
  ff_status status = ff_cuda_new((void **)&d->state, e->capacity * e->program->n_nodes * 128, "states", err);
  if (status == FF_OK) status = ff_cuda_new((void **)&d->counters, e->capacity * counter_bytes(e->program), "counters", err);
  return status;
}

/* One thread per word. One draw gives four rows of a lane. */
__global__ static void start_states(ff_slice_image image, uint32_t *state, uint64_t key, uint64_t unit, uint64_t tiles) {
  const uint32_t lane = threadIdx.x % 32, groups = (image.n_nodes + 3) / 4;
  const uint64_t of = (uint64_t)groups * tiles;
  for (uint64_t i = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32; i < of; i += (uint64_t)gridDim.x * blockDim.x / 32) {
    const uint64_t tile = i / groups;
    const uint32_t group = (uint32_t)(i % groups);
    const ff_philox_block draw = ff_philox(ff_philox_counter(FF_DRAW_INITIAL, group * 32 + lane, 0, unit + tile), key);
    for (uint32_t j = 0; j < 4 && group * 4 + j < image.n_nodes; j++) {
      const uint32_t node = group * 4 + j;
      state[(tile * image.n_nodes + node) * 32 + lane] = ff_start_bits(image.initial[node], draw.v[j]);
    }
  }
}

extern "C" ff_status ff_slice_start(ff_slice_device *d, ff_ensemble *e, ff_error *err) {
  start_states<<<e->device.multiProcessorCount * 4, 256, 0, e->stream>>>(d->image, d->state, e->key, e->unit, e->tiles);
  ff_status status = ff_cuda_check(cudaGetLastError(), "starting trajectories", err);
  if (status != FF_OK) return status;
  return ff_cuda_check(cudaMemsetAsync(d->counters, 0, e->tiles * counter_bytes(e->program), e->stream),
                       "clearing counters", err);
}

/* One warp per tile and term. Adds the counters to the counts, 32 trajectories per lane, and clears the counters. */
__global__ static void spill_counters(uint32_t *counters, uint32_t *counts, uint64_t *changes, uint32_t *after, uint64_t n,
                                      uint32_t counted) {
  const uint32_t lane = threadIdx.x % 32;
  for (uint64_t i = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32; i < n; i += (uint64_t)gridDim.x * blockDim.x / 32) {
    uint32_t *counter = counters + i * FF_COUNTER_ROWS * 32 + lane, more[32] = {0};
    uint4 *to = (uint4 *)(counts + i * FF_TILE) + lane * 8;
    for (uint32_t level = 0; level < FF_COUNTER_LEVELS && counted >> level != 0; level++) {
      const uint32_t sum = counter[level * 32], held = counted >> level & 1 ? counter[(FF_COUNTER_HELD + level) * 32] : 0;
#pragma unroll
      for (uint32_t bit = 0; bit < 32; bit++) more[bit] += ((sum >> bit & 1) + (held >> bit & 1)) << level;
      counter[level * 32] = counter[(FF_COUNTER_HELD + level) * 32] = 0;
    }
#pragma unroll
    for (uint32_t j = 0; j < 8; j++) {
      uint4 four = to[j];
      four.x += more[4 * j];
      four.y += more[4 * j + 1];
      four.z += more[4 * j + 2];
      four.w += more[4 * j + 3];
      to[j] = four;
    }
    uint64_t changed = counter[FF_COUNTER_CHANGED * 32];
    uint32_t now = __popc(counter[FF_COUNTER_BEFORE * 32]);
    counter[FF_COUNTER_CHANGED * 32] = 0;
    for (int offset = 16; offset > 0; offset /= 2) {
      changed += __shfl_down_sync(0xFFFFFFFFu, changed, offset);
      now += __shfl_down_sync(0xFFFFFFFFu, now, offset);
    }
    if (lane != 0) continue;
    changes[i] += changed;
    after[i] = now;
  }
}

extern "C" ff_status ff_slice_spill(ff_slice_device *d, ff_ensemble *e, ff_error *err) {
  const uint64_t n = e->tiles * e->program->n_terms;
  if (n == 0 || e->counted == 0) return FF_OK;
  const uint64_t blocks = (n + 7) / 8;
  spill_counters<<<(unsigned)(blocks < 65536 ? blocks : 65536), 256, 0, e->stream>>>(d->counters, e->counts, e->changes,
                                                                                    e->after, n, (uint32_t)e->in_counters);
  return ff_cuda_check(cudaGetLastError(), "reading counters", err);
}

extern "C" ff_status ff_slice_state(ff_slice_device *d, ff_ensemble *e, uint64_t tile, uint64_t *rows, ff_error *err) {
  const size_t bytes = (size_t)e->program->n_nodes * 128;
  return ff_cuda_check(cudaMemcpy(rows, (const char *)d->state + tile * bytes, bytes, cudaMemcpyDeviceToHost),
                       "reading states", err);
}

/* Every launch leaves the last values of the terms in the rows FF_COUNTER_BEFORE of the counters. */
extern "C" ff_status ff_slice_terms(ff_slice_device *d, ff_ensemble *e, uint64_t tile, uint32_t n, uint64_t *words,
                                    ff_error *err) {
  const char *from = (const char *)d->counters + tile * counter_bytes(e->program) + FF_COUNTER_BEFORE * 128;
  return ff_cuda_check(cudaMemcpy2D(words, sizeof *words, from, FF_COUNTER_ROWS * 128, sizeof *words, n, cudaMemcpyDeviceToHost),
                       "reading terms", err);
}

extern "C" ff_slice_launch ff_slice_launch_of(const ff_slice_device *d, const ff_ensemble *e, uint64_t steps, int count,
                                              int fresh) {
  ff_slice_launch out;
  out.state = d->state;
  out.counters = d->counters;
  out.before = e->before;
  out.key = e->key;
  out.unit = e->unit;
  out.step = e->step;
  out.steps = steps;
  out.tiles = (uint32_t)e->tiles;
  out.counted = (uint32_t)e->in_counters;
  out.count = count;
  out.fresh = fresh;
  ff_philox_round_keys(out.round_key, e->key);
  return out;
}
