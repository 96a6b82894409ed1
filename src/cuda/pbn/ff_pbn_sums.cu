/* The sums over all trajectories of a wave, computed on the device. */
#include <stdlib.h>
#include <string.h>

#include "ff_pbn_ensemble.h"

extern "C" {
#include "../../base/ff_sum.h"
}

#define OBSERVABLE_WORDS (FF_OBSERVABLE_SUMS * FF_SUM_LIMBS)

typedef struct {
  const uint32_t *counts, *first_half, *before, *after;
  const uint64_t *changes;
  const uint32_t *first, *weights, *at;
  const uint8_t *sets;
  uint32_t n, n_terms, n_counted; /* observables, their terms, and the terms that the program counts */
  uint64_t tiles, half[2];
  uint64_t *sums;
} tally_input;

typedef unsigned long long word;

/* The words of the sums on the device, where each 128-bit sum is stored in limbs. */
static __host__ __device__ size_t device_words(size_t terms, size_t observables) {
  return terms * FF_TERM_WORDS + observables * FF_OBSERVABLE_SUMS * FF_SUM_LIMBS;
}

__device__ static void add_limbs(word *sum, word low, word high) {
  sum[0] += (uint32_t)low;
  sum[1] += low >> 32;
  sum[2] += (uint32_t)high;
  sum[3] += high >> 32;
}

/* The first limb of one of an observable's sums. */
__device__ static word *limbs_of(word *mine, int sum) { return mine + sum / 2 * FF_SUM_LIMBS; }

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

/* The counts of one trajectory for a term: in the first half window, and in both. A constant term is counted at all steps or at
 * none. */
__device__ static void read_counts(const tally_input *in, uint32_t term, word tile, uint32_t lane, word *early, word *all) {
  const uint32_t at = in->at[term];
  if (at >= FF_TERM_0) {
    *early = at == FF_TERM_1 ? in->half[0] : 0;
    *all = at == FF_TERM_1 ? in->half[0] + in->half[1] : 0;
    return;
  }
  const word i = (tile * in->n_counted + at) * FF_TILE + lane;
  *early = in->first_half[i];
  *all = in->counts[i];
}

/* Computes five plain sums per term. The first two are its counts. For a state set, the others are its changes and the numbers of
 * trajectories that begin and end in it. For another term, they are the numbers of half windows in which it held, and did not
 * hold, at some step. */
__global__ static void tally_terms(tally_input in) {
  __shared__ word shared[FF_TERM_WORDS];
  for (uint32_t observable = blockIdx.x; observable < in.n; observable += gridDim.x)
    for (uint32_t i = in.first[observable]; i < in.first[observable + 1]; i++) {
      const int set = in.sets[observable], constant = in.at[i] >= FF_TERM_0;
      word mine[FF_TERM_WORDS] = {0};
      for (uint64_t tile = blockIdx.y; tile < in.tiles; tile += gridDim.y) {
        for (uint32_t lane = threadIdx.x; lane < FF_TILE; lane += blockDim.x) {
          word early, all;
          read_counts(&in, i, tile, lane, &early, &all);
          mine[FF_TERM_EARLY] += early;
          mine[FF_TERM_ALL] += all;
          if (set) continue;
          const word late = all - early;
          mine[FF_TERM_SEEN_ON] += constant ? 2 : (early > 0) + (late > 0);
          mine[FF_TERM_SEEN_OFF] += constant ? 2 : (early < in.half[0]) + (late < in.half[1]);
        }
        if (!set || threadIdx.x != 0) continue;
        const uint64_t held = in.at[i] == FF_TERM_1 ? FF_TILE : 0, at = constant ? 0 : tile * in.n_counted + in.at[i];
        mine[FF_TERM_CHANGES] += !constant ? in.changes[at] : 0;
        mine[FF_TERM_BEFORE] += constant ? held : in.before[at];
        mine[FF_TERM_AFTER] += constant ? held : in.after[at];
      }
      add_block(shared, (word *)in.sums + device_words(i, 0), mine, FF_TERM_WORDS);
    }
}

/* Computes five sums in limbs per observable: a, b, a a, b b and a b, where a and b are a trajectory's weighted counts in the two
 * half windows. */
__global__ static void tally_observables(tally_input in) {
  __shared__ word shared[OBSERVABLE_WORDS];
  for (uint32_t i = blockIdx.x; i < in.n; i += gridDim.x) {
    word mine[OBSERVABLE_WORDS] = {0};
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
        add_limbs(limbs_of(mine, FF_SUM_A), a, 0);
        add_limbs(limbs_of(mine, FF_SUM_B), b, 0);
        add_limbs(limbs_of(mine, FF_SUM_AA), a * a, __umul64hi(a, a));
        add_limbs(limbs_of(mine, FF_SUM_BB), b * b, __umul64hi(b, b));
        add_limbs(limbs_of(mine, FF_SUM_AB), a * b, __umul64hi(a, b));
      }
    add_block(shared, (word *)in.sums + device_words(in.n_terms, i), mine, OBSERVABLE_WORDS);
  }
}

/* The observables on the device, as arrays one after the other in e->observables. */
typedef struct {
  const uint32_t *first, *weights, *at;
  const uint8_t *sets;
} on_device;

static size_t aligned(size_t bytes) { return (bytes + 15) / 16 * 16; }

static ff_status upload_observables(ff_ensemble *e, const ff_pbn_sums *sums, on_device *out, ff_error *err) {
  const size_t first = aligned(((size_t)sums->n + 1) * 4), terms = aligned((size_t)sums->n_terms * 4),
               all = first + 2 * terms + sums->n;
  char *here = (char *)ff_calloc(all, 1);
  if (here == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for sums");
  memcpy(here, sums->first, ((size_t)sums->n + 1) * 4);
  memcpy(here + first, sums->weights, (size_t)sums->n_terms * 4);
  for (uint32_t i = 0; i < sums->n_terms; i++) ((uint32_t *)(here + first + terms))[i] = sums->at != NULL ? sums->at[i] : i;
  memcpy(here + first + 2 * terms, sums->sets, sums->n);
  ff_status status = ff_cuda_room_take(&e->observables, all, "sums", err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemcpyAsync(e->observables.at, here, all, cudaMemcpyHostToDevice, e->stream), "adding up", err);
  if (status == FF_OK) status = ff_stages_wait(e, "adding up", err); /* before `here` is freed */
  free(here);
  const char *there = (const char *)e->observables.at;
  *out = {(const uint32_t *)there, (const uint32_t *)(there + first), (const uint32_t *)(there + first + terms),
          (const uint8_t *)(there + first + 2 * terms)};
  return status;
}

static void add_to(const ff_pbn_sums *sums, const uint64_t *from) {
  const size_t plain = ff_pbn_sums_words(sums->n_terms, 0);
  for (size_t i = 0; i < plain; i++) sums->words[i] += from[i];
  for (size_t i = 0; i < (size_t)sums->n * FF_OBSERVABLE_SUMS; i++)
    ff_sum_add_limbs(sums->words + plain + i * 2, from + plain + i * FF_SUM_LIMBS);
}

ff_status ff_pbn_ensemble_add_up(ff_ensemble *e, const ff_pbn_sums *sums, ff_error *err) {
  const size_t words = device_words(sums->n_terms, sums->n);
  on_device what = {};
  ff_status status = upload_observables(e, sums, &what, err);
  if (status == FF_OK) status = ff_cuda_room_take(&e->sums, words * 8, "sums", err);
  if (status == FF_OK) status = ff_cuda_check(cudaMemsetAsync(e->sums.at, 0, words * 8, e->stream), "adding up", err);
  if (status != FF_OK) return status;
  const tally_input in = {.counts = e->counts, .first_half = e->first_half, .before = e->before, .after = e->after,
                          .changes = e->changes, .first = what.first, .weights = what.weights, .at = what.at, .sets = what.sets,
                          .n = sums->n, .n_terms = sums->n_terms, .n_counted = e->program->n_terms, .tiles = e->tiles,
                          .half = {sums->half[0], sums->half[1]}, .sums = (uint64_t *)e->sums.at};
  /* blocks per observable, so that the device is fully used */
  const uint64_t fill = (uint64_t)e->device.multiProcessorCount * 8 / sums->n + 1;
  const unsigned deep = (unsigned)(e->tiles < fill ? e->tiles : fill);
  tally_terms<<<dim3(sums->n < 4096 ? sums->n : 4096, deep), 256, 0, e->stream>>>(in);
  tally_observables<<<dim3(sums->n < 4096 ? sums->n : 4096, deep), 256, 0, e->stream>>>(in);
  status = ff_cuda_check(cudaGetLastError(), "adding up", err);
  uint64_t *got = (uint64_t *)ff_calloc(words, sizeof *got);
  if (got == NULL) status = ff_error_set(err, FF_EMEMORY, "no memory for sums");
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemcpyAsync(got, e->sums.at, words * sizeof *got, cudaMemcpyDeviceToHost, e->stream),
                           "adding up", err);
  if (status == FF_OK) status = ff_stages_wait(e, "adding up", err);
  if (status == FF_OK) status = ff_pbn_ensemble_forget(e, err); /* first what may fail: a wave that fails adds nothing */
  if (status == FF_OK) add_to(sums, got);
  free(got);
  return status;
}
