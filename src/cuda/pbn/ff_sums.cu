/* Sums over a wave's trajectories, reduced on the device. */
#include <stdlib.h>
#include <string.h>

#include "ff_ensemble.h"

#define LIMBS 4 /* a sum is kept in 32-bit limbs, each in a word of its own, so that atomics can add it */

typedef struct {
  const uint32_t *counts, *first_half, *before, *after;
  const uint64_t *changes;
  const uint32_t *first, *weights, *at;
  const uint8_t *sets;
  uint32_t n, n_terms, n_counted; /* observables, their terms, and what the program counts */
  uint64_t tiles, half[2];
  uint64_t *sums;
} tally_input;

typedef unsigned long long word;

__device__ static void add_limbs(word *sum, word low, word high) {
  sum[0] += (uint32_t)low;
  sum[1] += low >> 32;
  sum[2] += (uint32_t)high;
  sum[3] += high >> 32;
}

__device__ static void add_block(word *shared, word *to, const word *mine, int n) {
  for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x) shared[i] = 0;
  __syncthreads();
  for (int i = 0; i < n; i++) {
    word sum = mine[i];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xFFFFFFFFu, sum, offset);
    if (threadIdx.x % 32 == 0 && sum != 0) atomicAdd(&shared[i], sum);
  }
  __syncthreads();
  for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x)
    if (shared[i] != 0) atomicAdd(&to[i], shared[i]);
  __syncthreads();
}

/* A term's counts in the first half and in all, of one trajectory; a constant one has them all, or none. */
__device__ static void read_counts(const tally_input *in, uint32_t term, word tile, uint32_t lane, word *early, word *all) {
  const uint32_t at = in->at[term];
  if (at >= FF_SUMS_0) {
    *early = at == FF_SUMS_1 ? in->half[0] : 0;
    *all = at == FF_SUMS_1 ? in->half[0] + in->half[1] : 0;
    return;
  }
  const word i = (tile * in->n_counted + at) * FF_TILE + lane;
  *early = in->first_half[i];
  *all = in->counts[i];
}

/* Five plain sums a term: after its counts a state set has its changes, and how many trajectories begin and end there; another term
 * has the trajectories' halves in which it held, and in which it did not, at some step. */
__global__ static void tally_terms(tally_input in) {
  __shared__ word shared[5];
  for (uint32_t observable = blockIdx.x; observable < in.n; observable += gridDim.x)
    for (uint32_t i = in.first[observable]; i < in.first[observable + 1]; i++) {
      const int set = in.sets[observable], constant = in.at[i] >= FF_SUMS_0;
      word mine[5] = {0, 0, 0, 0, 0};
      for (uint64_t tile = blockIdx.y; tile < in.tiles; tile += gridDim.y) {
        for (uint32_t lane = threadIdx.x; lane < FF_TILE; lane += blockDim.x) {
          word early, all;
          read_counts(&in, i, tile, lane, &early, &all);
          mine[0] += early;
          mine[1] += all;
          if (set) continue;
          const word late = all - early;
          mine[2] += constant ? 2 : (early > 0) + (late > 0);
          mine[3] += constant ? 2 : (early < in.half[0]) + (late < in.half[1]);
        }
        if (!set || threadIdx.x != 0) continue;
        const uint64_t held = in.at[i] == FF_SUMS_1 ? FF_TILE : 0, at = constant ? 0 : tile * in.n_counted + in.at[i];
        mine[2] += !constant ? in.changes[at] : 0;
        mine[3] += constant ? held : in.before[at];
        mine[4] += constant ? held : in.after[at];
      }
      add_block(shared, (word *)in.sums + (size_t)i * 5, mine, 5);
    }
}

/* Five sums of limbs an observable: a, b, a a, b b, a b of a trajectory's weighted counts in the halves. */
__global__ static void tally_observables(tally_input in) {
  __shared__ word shared[5 * LIMBS];
  for (uint32_t i = blockIdx.x; i < in.n; i += gridDim.x) {
    word mine[5 * LIMBS] = {0};
    for (uint64_t tile = blockIdx.y; tile < in.tiles; tile += gridDim.y)
      for (uint32_t lane = threadIdx.x; lane < FF_TILE; lane += blockDim.x) {
        word a = 0, whole = 0;
        for (uint32_t j = in.first[i]; j < in.first[i + 1]; j++) {
          word early, all;
          read_counts(&in, j, tile, lane, &early, &all);
          a += in.weights[j] * early;
          whole += in.weights[j] * all;
        }
        const word b = whole - a;
        add_limbs(mine, a, 0);
        add_limbs(mine + LIMBS, b, 0);
        add_limbs(mine + 2 * LIMBS, a * a, __umul64hi(a, a));
        add_limbs(mine + 3 * LIMBS, b * b, __umul64hi(b, b));
        add_limbs(mine + 4 * LIMBS, a * b, __umul64hi(a, b));
      }
    add_block(shared, (word *)in.sums + (size_t)in.n_terms * 5 + (size_t)i * 5 * LIMBS, mine, 5 * LIMBS);
  }
}

/* What is summed, one array behind the other in the ensemble's memory for it. */
typedef struct {
  const uint32_t *first, *weights, *at;
  const uint8_t *sets;
} on_device;

static size_t aligned(size_t bytes) { return (bytes + 15) / 16 * 16; }

static ff_status upload_observables(ff_ensemble *e, const ff_sums *sums, on_device *out, ff_error *err) {
  const size_t first = aligned(((size_t)sums->n + 1) * 4), terms = aligned((size_t)sums->n_terms * 4), all = first + 2 * terms + sums->n;
  char *here = (char *)ff_calloc(all, 1);
  if (here == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for sums");
  memcpy(here, sums->first, ((size_t)sums->n + 1) * 4);
  memcpy(here + first, sums->weights, (size_t)sums->n_terms * 4);
  for (uint32_t i = 0; i < sums->n_terms; i++) ((uint32_t *)(here + first + terms))[i] = sums->at != NULL ? sums->at[i] : i;
  memcpy(here + first + 2 * terms, sums->sets, sums->n);
  ff_status status = ff_cuda_room_take(&e->observables, all, "sums", err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemcpyAsync(e->observables.at, here, all, cudaMemcpyHostToDevice, e->stream), "adding up", err);
  if (status == FF_OK) status = ff_ensemble_wait(e, "adding up", err); /* before `here` goes */
  free(here);
  const char *there = (const char *)e->observables.at;
  *out = {(const uint32_t *)there, (const uint32_t *)(there + first), (const uint32_t *)(there + first + terms),
          (const uint8_t *)(there + first + 2 * terms)};
  return status;
}

static void add_words(uint64_t *sum, uint64_t low, uint64_t high) {
  sum[0] += low;
  sum[1] += high + (sum[0] < low);
}

static void add_to(const ff_sums *sums, const uint64_t *from) {
  const size_t plain = (size_t)sums->n_terms * 5;
  for (size_t i = 0; i < plain; i++) sums->words[i] += from[i];
  for (size_t i = 0; i < (size_t)sums->n * 5; i++) {
    const uint64_t *limb = from + plain + i * LIMBS;
    uint64_t *to = sums->words + plain + i * 2;
    add_words(to, limb[0], 0);
    add_words(to, limb[1] << 32, limb[1] >> 32);
    add_words(to, 0, limb[2]);
    add_words(to, 0, limb[3] << 32);
  }
}

extern "C" ff_status ff_ensemble_add_up(ff_ensemble *e, const ff_sums *sums, ff_error *err) {
  const size_t words = (size_t)sums->n_terms * 5 + (size_t)sums->n * 5 * LIMBS;
  on_device what = {};
  ff_status status = upload_observables(e, sums, &what, err);
  if (status == FF_OK) status = ff_cuda_room_take(&e->sums, words * 8, "sums", err);
  if (status == FF_OK) status = ff_cuda_check(cudaMemsetAsync(e->sums.at, 0, words * 8, e->stream), "adding up", err);
  if (status != FF_OK) return status;
  const tally_input in = {.counts = e->counts, .first_half = e->first_half, .before = e->before, .after = e->after,
                          .changes = e->changes, .first = what.first, .weights = what.weights, .at = what.at, .sets = what.sets,
                          .n = sums->n, .n_terms = sums->n_terms, .n_counted = e->program->n_terms, .tiles = e->tiles,
                          .half = {sums->half[0], sums->half[1]}, .sums = (uint64_t *)e->sums.at};
  const uint64_t fill = (uint64_t)e->device.multiProcessorCount * 8 / sums->n + 1; /* blocks an observable, to fill the device */
  const unsigned deep = (unsigned)(e->tiles < fill ? e->tiles : fill);
  tally_terms<<<dim3(sums->n < 4096 ? sums->n : 4096, deep), 256, 0, e->stream>>>(in);
  tally_observables<<<dim3(sums->n < 4096 ? sums->n : 4096, deep), 256, 0, e->stream>>>(in);
  status = ff_cuda_check(cudaGetLastError(), "adding up", err);
  uint64_t *got = (uint64_t *)ff_calloc(words, sizeof *got);
  if (got == NULL) status = ff_error_set(err, FF_EMEMORY, "no memory for sums");
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemcpyAsync(got, e->sums.at, words * sizeof *got, cudaMemcpyDeviceToHost, e->stream), "adding up", err);
  if (status == FF_OK) status = ff_ensemble_wait(e, "adding up", err);
  if (status == FF_OK) add_to(sums, got);
  free(got);
  return status;
}
