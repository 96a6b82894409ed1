/* The statistics of a wave of trajectories, computed on the device: sums of integers, in any order.
 *
 * Each warp takes a part of the trajectories, for one cell (a quantity at a time) or one square of pairs of them at a time, and
 * adds its sums to those in device memory by one atomic operation per word. Warps share nothing else.
 *
 * Upper bounds on an H200. Moments read 4 bytes per count: 4.8 TB/s are 1.2e12 counts per second. Each multiprocessor does 64
 * multiplications and 64 other integer operations per cycle, 1.5e13 of each per second in all at 1.8 GHz. With more than 12 of
 * each per count, arithmetic is slower than memory. Counts below 2^15 need 3 multiplications, larger ones 6, nearly all of them
 * 32 x 32 + 64 bits. Products need one such multiplication each. A warp loads 8 counts per lane for 16 of them, and the warps of
 * a block take squares that share quantities, so most loads come from the cache. */
#include <stdlib.h>

#include "ff_collect_device.h"

#define POWER_THREADS 256
#define PRODUCT_THREADS 384
#define LEAST_TILES 4 /* of a warp, unless there are fewer: otherwise adding up lanes takes longer than adding up counts */

typedef struct {
  const uint32_t *recorded, *refused;
  uint64_t first, units, tiles; /* trajectories first ... first + units - 1 of a wave of `wave` */
  uint64_t wave;
  uint64_t parts, items; /* parts of the trajectories, and what a warp does at a time: a part of a cell, or of a square */
  uint32_t n_observed;
  uint64_t squares, pairs;
  word *words;
} collect_input;

/* Lane i returns the sum of word i over all lanes. At each step, lanes exchange the half of their words that the other keeps. */
__device__ static word sum_lanes(uint64_t v[32]) {
  const unsigned lane = threadIdx.x % 32;
#pragma unroll
  for (unsigned step = 0; step < 5; step++)
#pragma unroll
    for (unsigned i = 0; i < 16; i++) {
      const unsigned half = 16 >> step;
      if (i >= half) continue;
      const uint64_t keep = lane & half ? v[i + half] : v[i], give = lane & half ? v[i] : v[i + half];
      v[i] = keep + __shfl_xor_sync(EVERYONE, (word)give, (int)half);
    }
  return v[0];
}

/* As ff_collect_batch_kept(). One load tells whether the tile is complete. If its bits begin within a word, they end in another
 * one. */
__device__ static uint32_t kept_of(const collect_input *in, uint64_t tile, unsigned lane) {
  const int complete = (tile + 1) * FF_COLLECT_TILE <= in->units;
  const unsigned words = in->first % 32 == 0 ? FF_COLLECT_BATCH : FF_COLLECT_BATCH + 1;
  const uint32_t refused = complete ? in->refused[in->first / 32 + tile * FF_COLLECT_BATCH + lane % words] : 1;
  if (!__any_sync(EVERYONE, refused != 0)) return FF_COLLECT_KEPT;
  return ff_collect_batch_kept(in->refused, in->first, in->units, tile, lane);
}

__global__ static void __launch_bounds__(POWER_THREADS, 3) add_powers(collect_input in) {
  const unsigned lane = threadIdx.x % 32, warps = POWER_THREADS / 32;
  for (uint64_t item = (uint64_t)blockIdx.x * warps + threadIdx.x / 32; item < in.items; item += (uint64_t)gridDim.x * warps) {
    const uint64_t cell = item / in.parts;
    ff_collect_lane_powers own;
    ff_collect_lane_clear(&own);
    for (uint64_t tile = item % in.parts; tile < in.tiles; tile += in.parts) {
      const uint64_t first = tile * FF_COLLECT_TILE + lane;
      const uint32_t *counts = in.recorded + cell * in.wave + in.first + first;
      uint32_t x[FF_COLLECT_BATCH];
      if ((tile + 1) * FF_COLLECT_TILE <= in.units) {
#pragma unroll
        for (unsigned i = 0; i < FF_COLLECT_BATCH; i++) x[i] = __ldg(counts + i * 32);
      } else {
#pragma unroll
        for (unsigned i = 0; i < FF_COLLECT_BATCH; i++) x[i] = first + i * 32 < in.units ? __ldg(counts + i * 32) : 0;
      }
      ff_collect_lane_add(&own, x, kept_of(&in, tile, lane));
    }
    uint64_t words[32] = {0};
    ff_collect_lane_words(&own, words);
    const uint32_t most = ff_collect_most((uint32_t)words[FF_COLLECT_WORD_MOST]);
    const uint32_t least = ff_collect_most((uint32_t)words[FF_COLLECT_WORD_LEAST]);
    const word sum = sum_lanes(words);
    word *to = in.words + cell * FF_COLLECT_WORDS + lane;
    if (lane < FF_COLLECT_WORD_MOST) atomicAdd(to, sum);
    else if (lane < FF_COLLECT_WORDS) atomicMax(to, (word)(lane == FF_COLLECT_WORD_MOST ? most : least));
  }
}

__global__ static void __launch_bounds__(PRODUCT_THREADS, 1) add_products(collect_input in) {
  const unsigned lane = threadIdx.x % 32, warps = PRODUCT_THREADS / 32;
  for (uint64_t item = (uint64_t)blockIdx.x * warps + threadIdx.x / 32; item < in.items; item += (uint64_t)gridDim.x * warps) {
    const uint64_t time = item / in.squares / in.parts;
    uint32_t row, column;
    ff_collect_square_of(item % in.squares, in.n_observed, &row, &column);
    row *= FF_COLLECT_SIDE;
    column *= FF_COLLECT_SIDE;
    const uint32_t *counts = in.recorded + time * in.n_observed * in.wave + in.first;
    const uint32_t *from[2 * FF_COLLECT_SIDE]; /* one that does not exist is replaced by the last, and left out below */
#pragma unroll
    for (uint32_t i = 0; i < FF_COLLECT_SIDE; i++) {
      from[i] = counts + min(row + i, in.n_observed - 1) * in.wave;
      from[FF_COLLECT_SIDE + i] = counts + min(column + i, in.n_observed - 1) * in.wave;
    }
    uint64_t limbs[2 * FF_COLLECT_SQUARE] = {0};
    for (uint64_t tile = item / in.squares % in.parts; tile < in.tiles; tile += in.parts) {
      const uint32_t kept = kept_of(&in, tile, lane);
      uint64_t sum[FF_COLLECT_SQUARE] = {0};
#pragma unroll 2
      for (unsigned i = 0; i < FF_COLLECT_BATCH; i++) {
        const uint64_t at = min(tile * FF_COLLECT_TILE + i * 32 + lane, in.units - 1);
        const uint32_t mask = 0u - (kept >> i & 1); /* not a condition, so that loads need not wait */
        uint32_t x[FF_COLLECT_SIDE], y[FF_COLLECT_SIDE];
#pragma unroll
        for (uint32_t j = 0; j < FF_COLLECT_SIDE; j++) {
          x[j] = __ldg(from[j] + at) & mask;
          y[j] = __ldg(from[FF_COLLECT_SIDE + j] + at);
        }
        ff_collect_square_add(sum, x, y);
      }
      ff_collect_square_split(limbs, sum);
    }
    const word all = sum_lanes(limbs);
    const uint32_t j = row + lane / 2 / FF_COLLECT_SIDE, k = column + lane / 2 % FF_COLLECT_SIDE;
    if (j < k && k < in.n_observed) atomicAdd(in.words + 2 * (time * in.pairs + ff_collect_pair(j, k)) + lane % 2, all);
  }
}

/* ---- on the host -------------------------------------------------------------------------------------------------------- */

/* Divides the trajectories into so many parts that the device is fully used by `jobs` jobs for each. */
static void divide(collect_input *in, uint64_t jobs, const struct cudaDeviceProp *device) {
  const uint64_t warps = (uint64_t)device->multiProcessorCount * 128;
  const uint64_t wanted = (warps + jobs - 1) / jobs, most = (in->tiles + LEAST_TILES - 1) / LEAST_TILES;
  in->parts = wanted < most ? wanted : most;
  in->items = jobs * in->parts;
}

static unsigned blocks_for(const collect_input *in, unsigned threads) {
  const uint64_t warps = threads / 32, blocks = (in->items + warps - 1) / warps;
  return blocks < 1u << 30 ? (unsigned)blocks : 1u << 30;
}

/* Queues all that the device adds up. The words of cells are followed by the limbs of products. */
static ff_status add_up(ff_trajectories *e, uint64_t first, uint64_t n, size_t cells, size_t products, ff_error *err) {
  const ff_launch *run = &e->launch;
  const size_t bytes = (cells * FF_COLLECT_WORDS + products * 2) * sizeof(word);
  ff_status status = ff_cuda_room_take(&e->sums, bytes, "sums", err);
  if (status == FF_OK) status = ff_cuda_check(cudaMemsetAsync(e->sums.at, 0, bytes, e->stream), "adding up", err);
  if (status != FF_OK) return status;
  collect_input in = {};
  in.recorded = run->recorded;
  in.refused = run->refused;
  in.first = first;
  in.units = n;
  in.wave = run->units;
  in.tiles = (n + FF_COLLECT_TILE - 1) / FF_COLLECT_TILE;
  in.n_observed = run->n_observed;
  in.words = (word *)e->sums.at;
  divide(&in, cells, &e->device);
  add_powers<<<blocks_for(&in, POWER_THREADS), POWER_THREADS, 0, e->stream>>>(in);
  status = ff_cuda_check(cudaGetLastError(), "adding up", err);
  if (status != FF_OK || products == 0) return status;
  in.words += cells * FF_COLLECT_WORDS;
  in.squares = ff_collect_squares(run->n_observed);
  in.pairs = products / run->n_times;
  divide(&in, run->n_times * in.squares, &e->device);
  add_products<<<blocks_for(&in, PRODUCT_THREADS), PRODUCT_THREADS, 0, e->stream>>>(in);
  return ff_cuda_check(cudaGetLastError(), "adding up", err);
}

static void add_to(ff_sums *sums, const uint64_t *words, size_t cells, size_t products) {
  for (size_t i = 0; i < cells; i++, words += FF_COLLECT_WORDS) ff_collect_words_to(sums->counts + i, words);
  for (size_t i = 0; i < products; i++) ff_collect_pair_add(sums->products + 2 * i, words + 2 * i);
}

static ff_status add_values(ff_sums *sums, const ff_collect_values *values, ff_error *err) {
  uint64_t bytes = 0;
  ff_status status = FF_OK;
  for (size_t i = 0; i < values->n && status == FF_OK; i++)
    status = ff_frequency_add(sums->frequency + values->at[i].cell, values->at[i].value, values->at[i].count, &bytes, err);
  return status;
}

/* The caller takes a lack of memory for one of this processor, after which histograms are incomplete. Before anything is added,
 * it is a failure of the device: others can add up the wave. */
static ff_status before_adding(ff_status status, ff_error *err) {
  if (status != FF_EMEMORY) return status;
  if (err != NULL) err->status = FF_EBACKEND;
  return FF_EBACKEND;
}

static ff_status collect_counts(ff_trajectories *e, uint64_t first, uint64_t n, ff_sums *sums, ff_error *err) {
  const size_t n_observed = e->launch.n_observed, cells = e->launch.n_times * n_observed;
  const size_t products = sums->products != NULL ? e->launch.n_times * (n_observed * (n_observed - 1) / 2) : 0;
  const size_t words = cells * FF_COLLECT_WORDS + products * 2;
  ff_collect_values values = {};
  if (cells == 0 || n == 0) return FF_OK;
  uint64_t *got = (uint64_t *)ff_calloc(words, sizeof *got);
  if (got == NULL) return before_adding(ff_error_set(err, FF_EMEMORY, "no memory for sums"), err);
  ff_status status = add_up(e, first, n, cells, products, err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemcpyAsync(got, e->sums.at, words * sizeof *got, cudaMemcpyDeviceToHost, e->stream), "adding up",
                           err);
  if (status == FF_OK) status = ff_stages_wait(e, "adding up", err);
  if (status == FF_OK && sums->frequency != NULL) status = ff_collect_values_of(&values, e, first, n, got, cells, err);
  status = before_adding(status, err);
  if (status == FF_OK && sums->frequency != NULL) status = add_values(sums, &values, err); /* first what may fail */
  if (status == FF_OK) add_to(sums, got, cells, products);
  free(values.at);
  free(got);
  return status;
}

ff_status ff_collect(ff_trajectories *e, uint64_t first, uint64_t n, ff_sums *sums, ff_error *err) {
  if (e->request.reals) return before_adding(ff_collect_reals(e, first, n, sums, err), err);
  return collect_counts(e, first, n, sums, err);
}
