/* The GPU programs of Koester, Herrmann, Andelfinger and Uhrmacher (2022), "GPU-accelerated simulation ensembles of stochastic
 * reaction networks", for comparisons on the same card. They give each trajectory a thread. Counts and propensities are in global
 * memory, and those of adjacent trajectories are adjacent. As in the paper, code is generated for each network, by
 * bench/paper_code.cpp. bench/paper_ssa.sh generates the code, and compiles and runs the programs:
 *
 *   nvcc -DCODE='"CODE"' -o simulate paper_ssa.cu
 *   simulate TRAJECTORIES TIME LIMIT STEPS SPECIES SPECIES [VARIANT ...]
 *
 * A variant that takes longer than LIMIT seconds is stopped, and so is one that has made STEPS steps, unless this is 0. One line
 * is printed for each variant: its name, trajectories, events, seconds, seconds of sorting, events per second, 1 if all
 * trajectories ended, and the mean and its standard error at the end for two species, which are numbered from 0. The variants:
 *
 *   direct        the direct method: all propensities are computed after each reaction, from tables, in the order of the file
 *   odm_step      the optimized direct method: a reaction's generated code computes the propensities that depend on it; each step
 *                 is a kernel launch
 *   odm_loop      the same with many steps in a launch, which the paper does not describe
 *   odm_data      odm_loop with tables instead of generated code, which the paper does not have
 *   odm_logical   as odm_step, but in each step threads take trajectories in the order of their next reactions
 *   odm_physical  as odm_logical, but the state itself is moved
 *
 * The optimized direct method searches the reactions one after the other, those first that fire most often. Each step sums all
 * propensities anew (section 3.4 of the paper). All its variants draw the same random numbers, so they have the same results.
 * Philox replaces the paper's XORWOW.
 *
 * With -DHOST, a C++ compiler makes this program for the processor (g++ -x c++), which tests the logic. */
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "../src/base/ff_philox.h"
#include "paper_parts.h"

struct change {
  uint32_t species;
  int32_t by;
};

#include CODE

#ifdef HOST
#define DEVICE static inline
#define UNROLL
#define KERNEL static void
#define EACH(i, n) (uint32_t i = 0; i < (n); i++)
#define ROWS(row, rows) (size_t row = 0; row < (rows); row++)
#define LAUNCH_ROWS(kernel, rows, n, ...) kernel(rows, n, __VA_ARGS__)
#define LAUNCH(kernel, n, ...) kernel(n, __VA_ARGS__)
#else
#include <cub/device/device_radix_sort.cuh>
#define DEVICE static __device__ __forceinline__
#define UNROLL _Pragma("unroll 8")
#define KERNEL static __global__ void
#define THREADS 128
#define EACH(i, n) (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += gridDim.x * blockDim.x)
#define ROWS(row, rows) (size_t row = blockIdx.y; row < (rows); row += gridDim.y)
#define GRID(rows, n) dim3(((n) + THREADS - 1) / THREADS, (rows) < 65535 ? (rows) : 65535)
#define LAUNCH_ROWS(kernel, rows, n, ...) \
  (kernel<<<GRID(rows, n), THREADS>>>(rows, n, __VA_ARGS__), check(cudaGetLastError(), #kernel))
#define LAUNCH(kernel, n, ...) (kernel<<<GRID(1, n), THREADS>>>(n, __VA_ARGS__), check(cudaGetLastError(), #kernel))
#endif

#define NONE REACTIONS /* the next reaction of a trajectory that has ended */
#define ALIVE UINT32_MAX
#define BATCH 64 /* steps between looks at the clock */

/* A network as tables: what reaction r reads is in[from[r]] to in[from[r + 1] - 1], and so on. */
struct tables {
  double *rate;
  uint32_t *in_from, *out_from, *dependents_from, *dependents;
  change *in, *out;
  int32_t *initial;
};

/* Place i of trajectory j is [i * n + j]. Physical sorting moves trajectories, so each has an id. */
struct ensemble {
  int32_t *x;
  double *a, *time;
  uint32_t *id, *steps; /* steps of a trajectory that has ended, by id */
  size_t n;
};

/* What sorting needs. */
struct sorting {
  uint32_t *next, *next_sorted, *identity, *map;
  void *scratch;
  size_t scratch_bytes;
};

DEVICE double propensity(const tables &t, uint32_t r, const int32_t *x, size_t n) {
  double a = t.rate[r];
  for (uint32_t k = t.in_from[r]; k < t.in_from[r + 1]; k++) {
    const int32_t count = x[t.in[k].species * n];
    for (int32_t m = 0; m < t.in[k].by; m++) a *= (double)(count - m);
  }
  return a;
}

DEVICE void change_counts(const tables &t, uint32_t r, int32_t *x, size_t n) {
  for (uint32_t k = t.out_from[r]; k < t.out_from[r + 1]; k++) x[t.out[k].species * n] += t.out[k].by;
}

DEVICE double uniform(uint32_t low, uint32_t high) { return ((double)(((uint64_t)high << 32 | low) >> 11) + 0.5) * 0x1p-53; }

/* The sum of all propensities. */
DEVICE double total_of(const double *a, size_t n) {
  double total = 0;
  UNROLL
  for (uint32_t r = 0; r < REACTIONS; r++) total += a[r * n];
  return total;
}

/* Draws the time of the next reaction and searches the reaction. The loop ends at the latest where the sum reaches the total, so
 * the reaction's propensity is not 0. */
DEVICE uint32_t next_reaction(const ensemble &e, uint32_t i, uint32_t step, double total, double end) {
  const uint32_t id = e.id[i];
  const ff_philox_block drawn = ff_philox(ff_philox_counter(0, 0, step, id), 7);
  const double time = total > 0 ? e.time[i] - log(uniform(drawn.v[0], drawn.v[1])) / total : INFINITY;
  e.time[i] = time;
  if (time > end) {
    e.steps[id] = step;
    return NONE;
  }
  const double at = uniform(drawn.v[2], drawn.v[3]) * total;
  const double *a = e.a + i;
  double sum = a[0];
  uint32_t r = 0;
  while (sum <= at && sum < total && r + 1 < REACTIONS) sum += a[++r * e.n];
  return r;
}

KERNEL begin(uint32_t n, ensemble e, tables t) {
  for EACH(i, n) {
    for (uint32_t s = 0; s < SPECIES; s++) e.x[s * e.n + i] = t.initial[s];
    for (uint32_t r = 0; r < REACTIONS; r++) e.a[r * e.n + i] = propensity(t, r, e.x + i, e.n);
    e.time[i] = 0;
    e.id[i] = i;
    e.steps[i] = ALIVE;
  }
}

KERNEL direct_steps(uint32_t n, ensemble e, tables t, uint32_t step, uint32_t steps, double end) {
  for EACH(i, n) {
    if (e.time[i] > end) continue;
    for (uint32_t s = step; s < step + steps; s++) {
      double total = 0;
      for (uint32_t r = 0; r < REACTIONS; r++) total += e.a[r * e.n + i] = propensity(t, r, e.x + i, e.n);
      const uint32_t r = next_reaction(e, i, s, total, end);
      if (r == NONE) break;
      change_counts(t, r, e.x + i, e.n);
    }
  }
}

/* With `next`, only the second half of a step: next[i] happens in trajectory map[i], or in i if the state has been moved and map
 * is NULL. Both are one kernel, because compilers would compile fire() for each. */
KERNEL odm_steps(uint32_t n, ensemble e, const uint32_t *next, const uint32_t *map, uint32_t step, uint32_t steps, double end) {
  for EACH(i, n) {
    const uint32_t k = map != NULL ? map[i] : i;
    if (next == NULL && e.time[k] > end) continue;
    for (uint32_t s = step; s < step + steps; s++) {
      const uint32_t r = next != NULL ? next[i] : next_reaction(e, k, s, total_of(e.a + k, e.n), end);
      if (r == NONE) break;
      fire(r, e.x + k, e.a + k, e.n);
    }
  }
}

KERNEL odm_data_steps(uint32_t n, ensemble e, tables t, uint32_t step, uint32_t steps, double end) {
  for EACH(i, n) {
    if (e.time[i] > end) continue;
    for (uint32_t s = step; s < step + steps; s++) {
      const uint32_t r = next_reaction(e, i, s, total_of(e.a + i, e.n), end);
      if (r == NONE) break;
      change_counts(t, r, e.x + i, e.n);
      for (uint32_t k = t.dependents_from[r]; k < t.dependents_from[r + 1]; k++)
        e.a[t.dependents[k] * e.n + i] = propensity(t, t.dependents[k], e.x + i, e.n);
    }
  }
}

/* The first half of a step. */
KERNEL choose(uint32_t n, ensemble e, uint32_t *next, uint32_t step, double end) {
  for EACH(i, n) next[i] = e.time[i] > end ? NONE : next_reaction(e, i, step, total_of(e.a + i, e.n), end);
}

template <class type> KERNEL move_rows(uint32_t rows, uint32_t n, type *to, const type *from, const uint32_t *map) {
  for EACH(i, n)
    for ROWS(row, rows) to[row * n + i] = from[row * n + map[i]];
}

KERNEL number_all(uint32_t n, uint32_t *identity) {
  for EACH(i, n) identity[i] = i;
}

KERNEL look(uint32_t n, const double *time, double end, uint32_t *alive) {
  for EACH(i, n)
    if (time[i] <= end) *alive = 1;
}

/* ---- memory, clocks and sorting -------------------------------------------------------------------------------------------- */

/* NULL if there is not enough memory. */
template <class type> static type *new_array(size_t n) {
#ifdef HOST
  return (type *)calloc(n + 1, sizeof(type));
#else
  void *memory = NULL;
  if (cudaMalloc(&memory, (n + 1) * sizeof(type)) == cudaSuccess) return (type *)memory;
  cudaGetLastError();
  return NULL;
#endif
}

template <class type, size_t n> static type *on_device(const type (&values)[n]) {
  type *array = new_array<type>(n);
  if (array == NULL) fail("tables", "too little memory");
  copy(array, values, sizeof values);
  return array;
}

static double now(void) {
#ifndef HOST
  check(cudaDeviceSynchronize(), "a kernel");
#endif
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/* The seconds of sorting in a batch, without waiting for each step. The processor's program does not measure them. */
#ifdef HOST
struct stopwatch {
  void start(uint32_t) {}
  void stop(uint32_t) {}
  double read(uint32_t) { return 0; }
};
#else
struct stopwatch {
  cudaEvent_t from[BATCH], to[BATCH];
  stopwatch() {
    for (uint32_t k = 0; k < BATCH; k++) {
      check(cudaEventCreate(from + k), "cudaEventCreate");
      check(cudaEventCreate(to + k), "cudaEventCreate");
    }
  }
  void start(uint32_t k) { check(cudaEventRecord(from[k]), "cudaEventRecord"); }
  void stop(uint32_t k) { check(cudaEventRecord(to[k]), "cudaEventRecord"); }
  double read(uint32_t steps) {
    double all = 0;
    for (uint32_t k = 0; k < steps; k++) {
      float one = 0;
      check(cudaEventElapsedTime(&one, from[k], to[k]), "cudaEventElapsedTime");
      all += 1e-3 * one;
    }
    return all;
  }
};
#endif

/* Sorts trajectories by their next reactions. */
static void sort(sorting &s, uint32_t n) {
#ifdef HOST
  std::stable_sort(s.map, s.map + n, [&](uint32_t left, uint32_t right) {
    return s.next[left] != s.next[right] ? s.next[left] < s.next[right] : left < right;
  });
  for (uint32_t i = 0; i < n; i++) s.next_sorted[i] = s.next[s.map[i]];
#else
  int bits = 1;
  while (NONE >> bits != 0) bits++;
  check(cub::DeviceRadixSort::SortPairs(s.scratch, s.scratch_bytes, s.next, s.next_sorted, s.identity, s.map, (int)n, 0, bits),
        "DeviceRadixSort");
#endif
}

/* ---- runs ---------------------------------------------------------------------------------------------------------------- */

static const char *const names[] = {"direct", "odm_step", "odm_loop", "odm_data", "odm_logical", "odm_physical"};
enum { DIRECT, ODM_STEP, ODM_LOOP, ODM_DATA, ODM_LOGICAL, ODM_PHYSICAL, VARIANTS };

struct run {
  ensemble e, moved; /* `moved` is the other copy of the state, for physical sorting */
  tables tables_of[2]; /* in the order of the file; in the order of the search */
  sorting by_next;
  stopwatch watch;
  uint32_t *alive, species[2], steps;
  double end, limit;
};

static void move_state(run &c) {
  const uint32_t n = (uint32_t)c.e.n;
  LAUNCH_ROWS(move_rows<double>, REACTIONS, n, c.moved.a, c.e.a, c.by_next.map);
  LAUNCH_ROWS(move_rows<int32_t>, SPECIES, n, c.moved.x, c.e.x, c.by_next.map);
  LAUNCH_ROWS(move_rows<double>, 1, n, c.moved.time, c.e.time, c.by_next.map);
  LAUNCH_ROWS(move_rows<uint32_t>, 1, n, c.moved.id, c.e.id, c.by_next.map);
  std::swap(c.e, c.moved);
}

static void sorted_step(run &c, int variant, uint32_t step, uint32_t k) {
  const uint32_t n = (uint32_t)c.e.n;
  LAUNCH(choose, n, c.e, c.by_next.next, step, c.end);
  c.watch.start(k);
  sort(c.by_next, n);
  if (variant == ODM_PHYSICAL) move_state(c);
  c.watch.stop(k);
  const uint32_t *map = variant == ODM_PHYSICAL ? NULL : c.by_next.map;
  LAUNCH(odm_steps, n, c.e, c.by_next.next_sorted, map, step, 1, c.end);
}

static void batch(run &c, int variant, uint32_t step, uint32_t steps) {
  const uint32_t n = (uint32_t)c.e.n;
  if (variant == DIRECT) LAUNCH(direct_steps, n, c.e, c.tables_of[0], step, steps, c.end);
  if (variant == ODM_LOOP) LAUNCH(odm_steps, n, c.e, NULL, NULL, step, steps, c.end);
  if (variant == ODM_DATA) LAUNCH(odm_data_steps, n, c.e, c.tables_of[1], step, steps, c.end);
  for (uint32_t k = 0; k < steps; k++) {
    if (variant == ODM_STEP) LAUNCH(odm_steps, n, c.e, NULL, NULL, step + k, 1, c.end);
    if (variant >= ODM_LOGICAL) sorted_step(c, variant, step + k, k);
  }
}

static int any_alive(run &c) {
  uint32_t alive = 0;
  copy(c.alive, &alive, sizeof alive);
  LAUNCH(look, (uint32_t)c.e.n, c.e.time, c.end, c.alive);
  copy(&alive, c.alive, sizeof alive);
  return alive != 0;
}

static void print_mean(const run &c, uint32_t species) {
  std::vector<int32_t> counts(c.e.n);
  copy(counts.data(), c.e.x + species * c.e.n, c.e.n * sizeof(int32_t));
  double mean = 0, squares = 0;
  for (int32_t count : counts) mean += (double)count / (double)c.e.n;
  for (int32_t count : counts) squares += ((double)count - mean) * ((double)count - mean);
  printf(",%.8g,%.3g", mean, sqrt(squares / ((double)c.e.n - 1) / (double)c.e.n));
}

static void measure(run &c, int variant) {
  const uint32_t n = (uint32_t)c.e.n;
  double seconds = 0, sorting = 0;
  uint32_t step = 0;
  uint64_t events = 0;
  int alive = 1;
  LAUNCH(begin, n, c.e, c.tables_of[variant != DIRECT]);
  batch(c, variant, 0, 2); /* loads the kernels */
  LAUNCH(begin, n, c.e, c.tables_of[variant != DIRECT]);
  const double from = now();
  while (alive && seconds < c.limit && step < c.steps) {
    const uint32_t steps = std::min<uint32_t>(BATCH, c.steps - step);
    batch(c, variant, step, steps);
    step += steps;
    alive = any_alive(c);
    seconds = now() - from;
    if (variant >= ODM_LOGICAL) sorting += c.watch.read(steps);
  }
  std::vector<uint32_t> steps(n);
  copy(steps.data(), c.e.steps, n * sizeof(uint32_t));
  for (uint32_t made : steps) events += made == ALIVE ? step : made;
  printf("%s,%u,%llu,%.6f,%.6f,%.5g,%d", names[variant], n, (unsigned long long)events, seconds, sorting,
         (double)events / seconds, !alive);
  for (uint32_t species : c.species) print_mean(c, species);
  printf("\n");
  fflush(stdout);
}

static tables tables_of(int order) {
  return tables{on_device(rate_of[order]), on_device(in_from_of[order]), on_device(out_from_of[order]),
                on_device(dependents_from_of[order]), on_device(dependents_of[order]), on_device(in_of[order]),
                on_device(out_of[order]), on_device(initial_counts)};
}

static int allocate(ensemble &e, size_t n) {
  e.n = n;
  e.x = new_array<int32_t>(SPECIES * n);
  e.a = new_array<double>(REACTIONS * n);
  e.time = new_array<double>(n);
  e.id = new_array<uint32_t>(n);
  return e.x != NULL && e.a != NULL && e.time != NULL && e.id != NULL;
}

static void allocate_sorting(sorting &s, uint32_t n) {
  uint32_t **const arrays[] = {&s.next, &s.next_sorted, &s.identity, &s.map};
  for (uint32_t **array : arrays)
    if ((*array = new_array<uint32_t>(n)) == NULL) fail("sorting", "too little memory");
  LAUNCH(number_all, n, s.identity);
  LAUNCH(number_all, n, s.map);
#ifndef HOST
  s.scratch = NULL;
  sort(s, n); /* without memory, it only tells how much it needs */
  if ((s.scratch = new_array<char>(s.scratch_bytes)) == NULL) fail("sorting", "too little memory");
#endif
}

/* The process ends afterwards, which frees all memory. */
int main(int argc, char **argv) {
  if (argc < 7) fail("usage", "simulate TRAJECTORIES TIME LIMIT STEPS SPECIES SPECIES [VARIANT ...]");
  run c;
  const uint32_t n = (uint32_t)strtoul(argv[1], NULL, 10);
  c.end = atof(argv[2]);
  c.limit = atof(argv[3]);
  c.steps = strtoul(argv[4], NULL, 10) > 0 ? (uint32_t)strtoul(argv[4], NULL, 10) : UINT32_MAX - BATCH;
  for (int k = 0; k < 2; k++)
    if ((c.species[k] = (uint32_t)strtoul(argv[5 + k], NULL, 10)) >= SPECIES) fail(argv[5 + k], "there is no such species");
  for (int order = 0; order < 2; order++) c.tables_of[order] = tables_of(order);
  c.alive = new_array<uint32_t>(1);
  if (n == 0 || !allocate(c.e, n) || (c.e.steps = new_array<uint32_t>(n)) == NULL || c.alive == NULL)
    fail("trajectories", "none, or too little memory");
  allocate_sorting(c.by_next, n);
  for (int variant = 0; variant < VARIANTS; variant++) {
    int wanted = argc == 7;
    for (int k = 7; k < argc; k++) wanted |= strcmp(argv[k], names[variant]) == 0;
    if (!wanted) continue;
    if (variant == ODM_PHYSICAL && !allocate(c.moved, n)) fail(names[variant], "too little memory"); /* it is the last variant */
    c.moved.steps = c.e.steps;
    measure(c, variant);
  }
  return 0;
}
