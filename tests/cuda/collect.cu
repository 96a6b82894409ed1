/* Compares the statistics of a wave of trajectories, added up on a GPU, with this processor, bit for bit, and measures how fast
 * the GPU adds them up. The recorded counts are random numbers. `make cuda-collect` builds this program, and `make gpu-check`
 * runs it on a machine with a GPU:
 *
 *   collect [fast] [test ...]
 *
 * `fast` leaves out the measurements, for compute-sanitizer.
 */
#include "../../src/cuda/device/ff_trajectories.h"

extern "C" {
#include "../c/fake_wave.h"
#include "../c/real_wave.h"
#include "../c/same_sums.h"
}

#include <cstdio>
#include <cstring>

/* What ff_collect() needs of an ensemble. */
ff_status ff_stages_wait(ff_staged *s, const char *doing, ff_error *err) {
  return ff_cuda_check(cudaStreamSynchronize(s->stream), doing, err);
}

static ff_status new_wave(ff_trajectories *e, const wave_shape *s, int reals, ff_error *err) {
  *e = {};
  e->request.reals = reals;
  e->launch.units = e->units = s->units;
  e->launch.n_times = s->n_times;
  e->launch.n_observed = s->n_observed;
  ff_status status = ff_cuda_check(cudaGetDeviceProperties(&e->device, 0), "describing the device", err);
  if (status == FF_OK) status = ff_cuda_check(cudaStreamCreate(&e->stream), "creating a stream", err);
  const size_t counts = (size_t)s->n_times * s->n_observed * s->units;
  if (status == FF_OK) status = ff_cuda_new((void **)&e->launch.recorded, counts * ff_device_count_bytes(reals), "counts", err);
  if (status == FF_OK) status = ff_cuda_new((void **)&e->launch.refused, (s->units + 31) / 32 * 4, "refused", err);
  return status;
}

static void free_wave(ff_trajectories *e) {
  cudaFree(e->launch.recorded);
  cudaFree(e->launch.refused);
  cudaFree(e->sums.at);
  if (e->stream != NULL) cudaStreamDestroy(e->stream);
}

static ff_status upload(ff_trajectories *e, const wave_shape *s, const void *counts, const uint32_t *refused, ff_error *err) {
  const size_t bytes = (size_t)s->n_times * s->n_observed * s->units * ff_device_count_bytes(e->request.reals);
  ff_status status = ff_cuda_check(cudaMemcpy(e->launch.recorded, counts, bytes, cudaMemcpyHostToDevice), "copying", err);
  if (status != FF_OK) return status;
  return ff_cuda_check(cudaMemcpy(e->launch.refused, refused, (s->units + 31) / 32 * 4, cudaMemcpyHostToDevice), "copying", err);
}

/* Collects a wave at once, or in two parts, as the points of a sweep take their parts. The second part begins anywhere in a
 * word of `refused`. */
static ff_status collect(ff_trajectories *e, int in_parts, ff_sums *sums, ff_error *err) {
  const uint64_t first = in_parts ? e->units / 3 : 0;
  const ff_status status = ff_collect(e, 0, first, sums, err);
  return status == FF_OK ? ff_collect(e, first, e->units - first, sums, err) : status;
}

/* Collects two waves and compares their sums. */
static void check_wave(wave_shape s, unsigned wanted, uint64_t seed) {
  ff_error err = {FF_OK, ""};
  ff_trajectories e;
  ff_sums want = {}, got = {};
  FF_CHECK_OK(wave_sums(&want, &s, wanted, &err), &err);
  FF_CHECK_OK(wave_sums(&got, &s, wanted, &err), &err);
  ff_status status = new_wave(&e, &s, 0, &err);
  for (uint64_t wave = 0; wave < 2 && status == FF_OK; wave++) {
    uint32_t *counts = wave_counts(&s, seed + 2 * wave), *refused = wave_refused(&s, seed + 2 * wave + 1);
    FF_CHECK(counts != NULL && refused != NULL);
    status = upload(&e, &s, counts, refused, &err);
    if (status == FF_OK) status = collect(&e, wave == 1, &got, &err);
    if (status == FF_OK) status = wave_add(&want, &s, counts, refused, &err);
    free(counts);
    free(refused);
  }
  FF_CHECK_OK(status, &err);
  const size_t differ = wave_differences(&want, &got);
  FF_CHECK_SAY(differ == 0, "%u times, %u species, %llu trajectories: %zu sums differ", s.n_times, s.n_observed,
               (unsigned long long)s.units, differ);
  if (got.frequency != NULL) FF_CHECK_INT(wave_histograms_differ(&want, &got), 0);
  free_wave(&e);
  ff_sums_free(&want);
  ff_sums_free(&got);
}

static void moments(void) {
  const uint64_t units[] = {1, 31, 32, 33, 511, 512, 513, 4096, 5003, 100000};
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
    for (int each = 0; each < 4; each++)
      check_wave({3, WAVE_KINDS + 1, units[i], each * each * each}, 0, 100 * i + (uint64_t)each);
}

static void histograms(void) {
  const uint64_t units[] = {1, 31, 33, 513, 5003, 100000};
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
    for (int each = 0; each < 3; each++)
      check_wave({3, WAVE_KINDS + 1, units[i], each * each * each}, FF_HISTOGRAM, 100 * i + (uint64_t)each);
  check_wave({2, 5, 3001, 4}, FF_HISTOGRAM | FF_COVARIANCE, 1000);
}

/* Ranges that take several jobs, and several groups of jobs. */
static void large_histograms(void) {
  check_wave({1, WAVE_KINDS, (1 << 21) + 5, 0}, FF_HISTOGRAM, 1);
  check_wave({500, 200, 19, 4}, FF_HISTOGRAM, 2);
}

/* Histograms with more entries than are wanted are refused, and nothing is added. */
static void too_large_histograms(void) {
  const wave_shape s = {1, 1, 5003, 0}; /* counts below 2^30: nearly all of them differ */
  ff_error err = {FF_OK, ""};
  ff_trajectories e;
  ff_sums none = {}, got = {};
  FF_CHECK_OK(wave_sums(&none, &s, FF_HISTOGRAM, &err), &err);
  FF_CHECK_OK(wave_sums(&got, &s, FF_HISTOGRAM, &err), &err);
  uint32_t *counts = wave_counts(&s, 1), *refused = wave_refused(&s, 2);
  ff_status status = new_wave(&e, &s, 0, &err);
  FF_CHECK(counts != NULL && refused != NULL);
  if (status == FF_OK) status = upload(&e, &s, counts, refused, &err);
  FF_CHECK_OK(status, &err);
  e.request.max_values = 4000;
  FF_CHECK(ff_collect(&e, 0, s.units, &got, &err) == FF_ESIZE);
  FF_CHECK_INT(wave_differences(&none, &got), 0);
  FF_CHECK_INT(got.frequency[0].used, 0);
  e.request.max_values = s.units;
  FF_CHECK_OK(ff_collect(&e, 0, s.units, &got, &err), &err);
  FF_CHECK(got.frequency[0].used > 4000);
  free(counts);
  free(refused);
  free_wave(&e);
  ff_sums_free(&none);
  ff_sums_free(&got);
}

/* Few cells of many trajectories, and many of few. */
static void divisions(void) {
  check_wave({1, 1, 3000001, 1000}, 0, 1);
  check_wave({1, 2, 1000003, 0}, FF_COVARIANCE, 2);
  check_wave({300, 120, 37, 5}, 0, 3);
  check_wave({2000, 5, 513, 0}, FF_COVARIANCE, 4);
}

static void products(void) {
  for (uint32_t n = 1; n < 23; n++) check_wave({2, n, 300 + 37 * n, n % 3 ? 10 : 0}, FF_COVARIANCE, n);
  check_wave({1, 70, 4099, 0}, FF_COVARIANCE, 100);
  check_wave({1, 131, 700, 3}, FF_COVARIANCE, 101);
}

/* 2^20 of the largest counts: each word of a sum has a carry. */
static void carries(void) { check_wave({1, 3, 1 << 20, 50}, FF_COVARIANCE, 7); }

/* ---- real numbers ------------------------------------------------------------------------------------------------------- */

static void check_reals(wave_shape s, unsigned wanted, uint64_t seed) {
  const size_t cells = (size_t)s.n_times * s.n_observed;
  double *x = (double *)ff_calloc(cells * s.units, sizeof *x), *state = (double *)ff_calloc(s.n_observed, sizeof *state);
  uint8_t *real = (uint8_t *)ff_calloc(s.n_observed, 1);
  uint32_t *refused = wave_refused(&s, seed);
  uint64_t bytes = 0;
  ff_error err = {FF_OK, ""};
  ff_trajectories e;
  ff_sums want = {}, got = {};
  for (uint32_t j = 0; j < s.n_observed; j++) real[j] = !real_is_whole(j);
  FF_CHECK_OK(ff_sums_new(&want, s.n_times, s.n_observed, real, wanted, &err), &err);
  FF_CHECK_OK(ff_sums_new(&got, s.n_times, s.n_observed, real, wanted, &err), &err);
  for (uint64_t k = 0; k < s.units; k++) {
    for (size_t cell = 0; cell < cells; cell++) x[cell * s.units + k] = real_number(cell % s.n_observed, &seed);
    for (uint32_t i = 0; i < s.n_times && !(refused[k / 32] >> k % 32 & 1u); i++) {
      for (uint32_t j = 0; j < s.n_observed; j++) state[j] = x[((size_t)i * s.n_observed + j) * s.units + k];
      FF_CHECK_OK(ff_sums_add(&want, i, state, &bytes, &err), &err);
    }
  }
  ff_status status = new_wave(&e, &s, 1, &err);
  if (status == FF_OK) status = upload(&e, &s, x, refused, &err);
  if (status == FF_OK) status = collect(&e, 1, &got, &err);
  FF_CHECK_OK(status, &err);
  FF_CHECK_SAY(sums_are_same(&want, &got), "%u times, %u real quantities, %llu trajectories", s.n_times, s.n_observed,
               (unsigned long long)s.units);
  free_wave(&e);
  ff_sums_free(&want);
  ff_sums_free(&got);
  free(x);
  free(state);
  free(real);
  free(refused);
}

static void real_numbers(void) {
  const uint64_t units[] = {1, 31, 33, 255, 256, 257, 5003, 70000};
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
    for (int each = 0; each < 3; each++) check_reals({2, REAL_KINDS, units[i], 4 * each}, each == 1 ? FF_COVARIANCE : 0, i);
  check_reals({300, 40, 97, 5}, 0, 10);
  check_reals({1, 60, 1003, 5}, FF_COVARIANCE, 11);
}

/* ---- speed -------------------------------------------------------------------------------------------------------------- */

__global__ static void fill(uint32_t *counts, uint64_t n, uint32_t mask) {
  for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (uint64_t)gridDim.x * blockDim.x) {
    uint64_t x = (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    counts[i] = (uint32_t)(x >> 32) & mask;
  }
}

__global__ static void fill_reals(double *x, uint64_t n) {
  for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (uint64_t)gridDim.x * blockDim.x)
    x[i] = 1 + (double)((i + 1) * UINT64_C(0x9E3779B97F4A7C15) >> 11) * 0x1p-50;
}

__global__ static void read_all(const uint4 *from, uint64_t n, uint32_t *to) {
  uint32_t all = 0;
  for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (uint64_t)gridDim.x * blockDim.x) {
    const uint4 x = from[i];
    all ^= x.x ^ x.y ^ x.z ^ x.w;
  }
  if (all == 12345) *to = all;
}

/* The shortest of seven runs of the whole call, in seconds, and of its work on the device. */
static ff_status best_of(double *whole, double *device, ff_trajectories *e, ff_sums *sums, ff_error *err) {
  cudaEvent_t begin = NULL, end = NULL;
  ff_status status = ff_cuda_check(cudaEventCreate(&begin), "creating an event", err);
  if (status == FF_OK) status = ff_cuda_check(cudaEventCreate(&end), "creating an event", err);
  *whole = *device = 1e300;
  for (int run = 0; run < 7 && status == FF_OK; run++) {
    float ms = 0;
    const double since = ff_clock();
    status = ff_cuda_check(cudaEventRecord(begin, e->stream), "measuring", err);
    if (status == FF_OK) status = ff_collect(e, 0, e->units, sums, err);
    const double took = ff_clock() - since;
    if (status == FF_OK) status = ff_cuda_check(cudaEventRecord(end, e->stream), "measuring", err);
    if (status == FF_OK) status = ff_cuda_check(cudaEventSynchronize(end), "measuring", err);
    if (status == FF_OK) status = ff_cuda_check(cudaEventElapsedTime(&ms, begin, end), "measuring", err);
    if (took < *whole) *whole = took;
    if (ms * 1e-3 < *device) *device = ms * 1e-3;
  }
  if (begin != NULL) cudaEventDestroy(begin);
  if (end != NULL) cudaEventDestroy(end);
  return status;
}

static void measure_reading(ff_trajectories *e, uint64_t counts) {
  cudaEvent_t begin, end;
  float ms, best = 1e30f;
  if (cudaEventCreate(&begin) != cudaSuccess || cudaEventCreate(&end) != cudaSuccess) return;
  for (int run = 0; run < 7; run++) {
    cudaEventRecord(begin, e->stream);
    read_all<<<e->device.multiProcessorCount * 16, 512, 0, e->stream>>>((const uint4 *)e->launch.recorded, counts / 4,
                                                                       e->launch.refused);
    cudaEventRecord(end, e->stream);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, begin, end);
    if (ms < best) best = ms;
  }
  FF_CHECK(cudaGetLastError() == cudaSuccess);
  printf("  only reading:                  %9.1f us, %.2f TB/s\n", best * 1e3, (double)counts * 4 / best * 1e-9);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
}

static void measure(wave_shape s, unsigned wanted, int bits) {
  ff_error err = {FF_OK, ""};
  ff_trajectories e;
  ff_sums sums = {};
  double whole = 0, device = 0;
  const uint64_t counts = s.units * s.n_times * s.n_observed;
  FF_CHECK_OK(wave_sums(&sums, &s, wanted, &err), &err);
  ff_status status = new_wave(&e, &s, 0, &err);
  if (status == FF_OK) {
    fill<<<e.device.multiProcessorCount * 16, 512, 0, e.stream>>>(e.launch.recorded, counts, (1u << bits) - 1);
    status = best_of(&whole, &device, &e, &sums, &err);
  }
  FF_CHECK_OK(status, &err);
  printf("%u times, %u species, %llu trajectories, counts below 2^%d%s\n", s.n_times, s.n_observed, (unsigned long long)s.units,
         bits, wanted & FF_COVARIANCE   ? ", with products"
               : wanted & FF_HISTOGRAM ? ", with histograms"
                                           : "");
  printf("  statistics: %9.1f us whole call, %9.1f us on the device, %.2f TB/s", whole * 1e6, device * 1e6,
         (double)counts * 4 / device * 1e-12);
  if (wanted & FF_COVARIANCE) printf(", %.3g products/s", (double)counts * (s.n_observed - 1) / 2 / device);
  printf("\n");
  if (status == FF_OK && wanted == 0) measure_reading(&e, counts);
  free_wave(&e);
  ff_sums_free(&sums);
}

static void measure_reals(wave_shape s, unsigned wanted) {
  ff_error err = {FF_OK, ""};
  ff_trajectories e;
  ff_sums sums = {};
  double whole = 0, device = 0;
  const uint64_t numbers = s.units * s.n_times * s.n_observed;
  uint8_t *real = (uint8_t *)ff_calloc(s.n_observed, 1);
  memset(real, 1, s.n_observed);
  FF_CHECK_OK(ff_sums_new(&sums, s.n_times, s.n_observed, real, wanted, &err), &err);
  ff_status status = new_wave(&e, &s, 1, &err);
  if (status == FF_OK) {
    fill_reals<<<e.device.multiProcessorCount * 16, 512, 0, e.stream>>>((double *)e.launch.recorded, numbers);
    status = best_of(&whole, &device, &e, &sums, &err);
  }
  FF_CHECK_OK(status, &err);
  printf("%u times, %u real quantities, %llu trajectories%s\n", s.n_times, s.n_observed, (unsigned long long)s.units,
         wanted & FF_COVARIANCE ? ", with products" : "");
  printf("  statistics: %9.1f us whole call, %9.1f us on the device, %.3g numbers/s\n", whole * 1e6, device * 1e6,
         (double)numbers / device);
  free_wave(&e);
  ff_sums_free(&sums);
  free(real);
}

static int leave_out_speed = 0;

static void speed(void) {
  if (leave_out_speed) return;
  for (int bits = 8; bits <= 30; bits += 22) {
    measure({100, 100, 100000, 0}, 0, bits);     /* 4 GB */
    measure({10, 1, 100000000, 0}, 0, bits);     /* the same size, few cells */
    measure({1000, 1000, 1000, 0}, 0, bits);     /* many cells */
    measure({11, 3, 1000000, 0}, 0, bits);       /* as users ask for it */
    measure({100, 100, 100000, 0}, FF_COVARIANCE, bits);
    measure({100, 2, 1000000, 0}, FF_COVARIANCE, bits);
    measure({10, 1000, 10000, 0}, FF_COVARIANCE, bits);
  }
  for (int bits = 8; bits <= 24; bits += 8) measure({11, 3, 1000000, 0}, FF_HISTOGRAM, bits);
  measure_reals({100, 1, 1 << 20, 0}, 0); /* as users ask for it */
  measure_reals({100, 100, 20000, 0}, 0);
  measure_reals({100, 8, 100000, 0}, FF_COVARIANCE);
}

int main(int argc, char **argv) {
  static const ff_check_test tests[] = {{"moments", moments}, {"histograms", histograms}, {"large_histograms", large_histograms},
                                        {"too_large_histograms", too_large_histograms},
                                        {"divisions", divisions}, {"products", products}, {"carries", carries},
                                        {"real_numbers", real_numbers}, {"speed", speed}};
  if (argc > 1 && strcmp(argv[1], "fast") == 0) {
    leave_out_speed = 1;
    argv[1] = argv[0];
    argc--;
    argv++;
  }
  return ff_check_main("collect", tests, sizeof tests / sizeof tests[0], argc, argv);
}
