/* The statistics of a wave whose trajectories have recorded real numbers: exact sums, in any order.
 *
 * Upper bounds on an H200. The four powers of a number have 13 terms, and each of them is added to three digits in the memory of
 * a multiprocessor. A term takes some 40 instructions. 132 multiprocessors with four schedulers, each of which issues at every
 * second cycle, add up some 3e10 numbers per second; 1.5e10 were measured. Reading each number four times, from the cache but for
 * the first, takes less. */
#include <stdlib.h>

#include "ff_collect_device.h"

extern "C" {
#include "ff_collect_reals.h"
}

#define THREADS 64u /* both warps have a column of digits for each lane: 34 KB */
#define WARPS (THREADS / 32u)
#define AT_ONCE 8u     /* numbers that a lane reads before it adds them */
#define TURN (32u * AT_ONCE)
#define LEAST_TURNS 8u /* of a warp, unless there are fewer: otherwise adding up columns takes longer than adding up numbers */

typedef struct {
  const double *recorded;
  const uint32_t *refused;
  uint64_t first, units, wave; /* trajectories first ... first + units - 1 of a wave of `wave` */
  uint64_t each;               /* jobs of a time */
  uint64_t parts, items;       /* parts of the trajectories, and what a warp does at a time: a part of a job */
  uint32_t n_observed;
  word *words;
} real_input;

__device__ static uint32_t bits_of_lanes(uint32_t x) {
  for (int offset = 16; offset > 0; offset /= 2) x |= __shfl_xor_sync(EVERYONE, x, offset);
  return x;
}

__device__ static word sum_of_lanes(word x) {
  for (int offset = 16; offset > 0; offset /= 2) x += __shfl_xor_sync(EVERYONE, x, offset);
  return x;
}

/* Adds what the lane reads of two cells, x and y, from number `from` on. */
template <int POWER>
__device__ static void add_turn(const real_input *in, ff_collect_real_lane *own, uint64_t *column, const double *x,
                                const double *y, uint64_t from) {
  double a[AT_ONCE], b[AT_ONCE];
  uint32_t kept = 0;
#pragma unroll
  for (uint32_t i = 0; i < AT_ONCE; i++) {
    const uint64_t k = from + i * 32, at = in->first + k;
    if (k >= in->units || (in->refused[at / 32] >> at % 32 & 1)) continue;
    kept |= 1u << i;
    a[i] = x[at];
    if (POWER == 0) b[i] = y[at];
  }
#pragma unroll
  for (uint32_t i = 0; i < AT_ONCE; i++)
    if (kept >> i & 1u) ff_collect_real_add(own, column, 32, POWER, a[i], POWER == 0 ? b[i] : 0);
}

template <int POWER>
__device__ static void add_part(const real_input *in, ff_collect_real_lane *own, uint64_t *column, const double *x,
                                const double *y, uint64_t part) {
  for (uint64_t from = part * TURN; from < in->units; from += in->parts * TURN)
    add_turn<POWER>(in, own, column, x, y, from + threadIdx.x % 32);
}

__global__ static void __launch_bounds__(THREADS) add_reals(real_input in) {
  __shared__ uint64_t digits[WARPS][FF_REAL_DIGITS][32];
  const uint32_t lane = threadIdx.x % 32;
  uint64_t(*all)[32] = digits[threadIdx.x / 32], *column = &all[0][lane];
  for (uint64_t item = (uint64_t)blockIdx.x * WARPS + threadIdx.x / 32; item < in.items; item += (uint64_t)gridDim.x * WARPS) {
    const uint64_t job = item / in.parts, time = job / in.each, part = item % in.parts;
    ff_collect_real_lane own = {0, 0, 0, 0};
    uint32_t j, k;
    int power;
    ff_collect_real_job(job % in.each, in.n_observed, &j, &k, &power);
    const double *x = in.recorded + (time * in.n_observed + j) * in.wave;
    const double *y = in.recorded + (time * in.n_observed + k) * in.wave;
    for (uint32_t d = 0; d < FF_REAL_DIGITS; d++) all[d][lane] = 0;
    if (power == 0) add_part<0>(&in, &own, column, x, y, part);
    else if (power == 1) add_part<1>(&in, &own, column, x, y, part);
    else if (power == 2) add_part<2>(&in, &own, column, x, y, part);
    else if (power == 3) add_part<3>(&in, &own, column, x, y, part);
    else add_part<4>(&in, &own, column, x, y, part);
    __syncwarp();
    word *to = in.words + job * FF_COLLECT_REAL_WORDS;
    for (uint32_t d = lane; d < FF_REAL_DIGITS; d += 32) {
      word sum = 0;
      for (uint32_t i = 0; i < 32; i++) sum += all[d][(i + lane) % 32]; /* lanes read different banks */
      if (sum != 0) atomicAdd(to + d, sum);
    }
    const uint32_t strange = bits_of_lanes(own.strange);
    const word n = sum_of_lanes(own.n), most = ff_collect_most((word)own.most), least = ff_collect_most((word)own.least);
    if (lane == 0 && strange != 0) atomicOr(to + FF_COLLECT_REAL_STRANGE, (word)strange);
    if (lane == 0 && n > 0) {
      atomicAdd(to + FF_COLLECT_REAL_N, n);
      atomicMax(to + FF_COLLECT_REAL_MOST, most);
      atomicMax(to + FF_COLLECT_REAL_LEAST, least);
    }
    __syncwarp(); /* before the digits are used again */
  }
}

/* ---- on the host -------------------------------------------------------------------------------------------------------- */

/* Queues all jobs. */
static ff_status add_up(ff_trajectories *e, uint64_t first, uint64_t n, uint64_t jobs, ff_error *err) {
  const ff_launch *run = &e->launch;
  const size_t bytes = jobs * FF_COLLECT_REAL_WORDS * sizeof(word);
  ff_status status = ff_cuda_room_take(&e->sums, bytes, "sums", err);
  if (status == FF_OK) status = ff_cuda_check(cudaMemsetAsync(e->sums.at, 0, bytes, e->stream), "adding up", err);
  if (status != FF_OK) return status;
  const uint64_t turns = (n + TURN - 1) / TURN, most = (turns + LEAST_TURNS - 1) / LEAST_TURNS;
  const uint64_t wanted = ((uint64_t)e->device.multiProcessorCount * 64 + jobs - 1) / jobs; /* all warps, several times */
  real_input in = {};
  in.recorded = (const double *)run->recorded;
  in.refused = run->refused;
  in.first = first;
  in.units = n;
  in.wave = run->units;
  in.n_observed = run->n_observed;
  in.each = jobs / run->n_times;
  in.parts = wanted < most ? wanted : most;
  in.items = jobs * in.parts;
  in.words = (word *)e->sums.at;
  const uint64_t blocks = (in.items + WARPS - 1) / WARPS;
  add_reals<<<(unsigned)(blocks < 1u << 30 ? blocks : 1u << 30), THREADS, 0, e->stream>>>(in);
  return ff_cuda_check(cudaGetLastError(), "adding up", err);
}

ff_status ff_collect_reals(ff_trajectories *e, uint64_t first, uint64_t n, ff_sums *sums, ff_error *err) {
  const int products = sums->products != NULL || sums->real_products != NULL;
  const uint64_t each = ff_collect_real_jobs(e->launch.n_observed, products), jobs = each * e->launch.n_times;
  if (jobs == 0 || n == 0) return FF_OK;
  if (n > FF_DEVICE_MOST_REALS) return ff_error_set(err, FF_EINTERNAL, "too many trajectories for exact sums");
  uint64_t *got = (uint64_t *)ff_calloc(jobs, FF_COLLECT_REAL_WORDS * sizeof *got);
  if (got == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for sums");
  ff_status status = add_up(e, first, n, jobs, err);
  const size_t bytes = jobs * FF_COLLECT_REAL_WORDS * sizeof *got;
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemcpyAsync(got, e->sums.at, bytes, cudaMemcpyDeviceToHost, e->stream), "adding up", err);
  if (status == FF_OK) status = ff_stages_wait(e, "adding up", err);
  for (uint64_t job = 0; job < jobs && status == FF_OK; job++)
    ff_collect_real_to(sums, (uint32_t)(job / each), job % each, got + job * FF_COLLECT_REAL_WORDS);
  free(got);
  return status;
}
