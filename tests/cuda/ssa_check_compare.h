/* Trajectories of one program on a GPU, compared with those of this processor. A part of ssa_check.c. */
#ifndef FF_TESTS_SSA_CHECK_COMPARE_H
#define FF_TESTS_SSA_CHECK_COMPARE_H

#include "../../src/ensemble/ff_device.h"
#include "../../src/ssa/methods/ff_ssa_finders.h"
#include "../../src/ssa/schedule/ff_ssa_trajectory.h"
#include "../c/simulations.h"

#define TIMES 21
#define KEY 7
#define MOST_SPECIES 24u

static struct {
  const ff_device_calls *backend;
  const char *cache, *kernel, *method;
  uint64_t n, compare;
  uint32_t random; /* networks */
  uint32_t points; /* of a sweep */
  uint32_t apart;  /* whether a sweep runs one point after the other */
  uint32_t blocks; /* of partial sums */
  uint32_t warps;  /* for each trajectory */
  uint32_t part;   /* of the trajectories of a test: 1 of so many */
  int bits32;      /* whether requests have bits32 */
} gpu = {NULL, NULL, NULL, NULL, 1 << 20, 512, 50, 1, 0, 0, 0, 1, 0};

static inline uint64_t part_of(uint64_t n) { return (n + gpu.part - 1) / gpu.part; }

/* What is compared and measured: `n` trajectories on the GPU, the first `compared` of them with the processor. */
typedef struct {
  const char *name, *kernel;
  const ff_ssa_program *program;
  ff_device_request request;
  uint64_t n, compared;
  double cpu_speed, ready, whole; /* steps per second of one thread; seconds */
  ff_ssa_path order;              /* for the order of optimised_direct */
  ff_device_progress progress;
} job;

static inline ff_run *on_cpu(job *j, double **states, unsigned wanted, uint64_t n) {
  const ff_device_request *r = &j->request;
  const ff_run_options options = {.method = r->method, .key = KEY, .n = n, .initial = r->initial, .times = r->times,
                                  .n_times = r->n_times, .observed = r->observed, .n_observed = r->n_observed, .states = states,
                                  .wanted = wanted, .threads = 1, .simd = FF_SIMD_BEST};
  const double began = ff_clock();
  ff_run *run = run_to_end(j->program, &options, 1);
  j->cpu_speed = (double)ff_run_steps(run) / (ff_clock() - began);
  return run;
}

static inline ff_status on_gpu(ff_ensemble **e, job *j, ff_error *err) {
  const ff_ensemble_options options = {.kernel = j->kernel, .units = j->n, .cache = gpu.cache};
  double began = ff_clock();
  int ready = 0;
  ff_status status = gpu.backend->create(e, j->program, &j->request, &options, err);
  while (status == FF_OK && !ready) status = gpu.backend->common.ready(*e, 1, &ready, err);
  j->ready = ff_clock() - began;
  if (status != FF_OK) return status;
  began = ff_clock();
  status = gpu.backend->common.start(*e, KEY, 0, j->n, err);
  do {
    if (status == FF_OK) status = gpu.backend->advance(*e, 0.5, &j->progress, err);
  } while (status == FF_OK && !j->progress.done);
  j->whole = ff_clock() - began;
  return status;
}

static inline void begin_order(job *j) {
  ff_error err;
  FF_CHECK_OK(ff_ssa_path_new(&j->order, j->program, &ff_ssa_finder_optimised, &err), &err);
  ff_ssa_path_start(&j->order, KEY, 0, j->program->initial);
  while (j->order.failure.what == FF_SSA_HALFWAY) ff_ssa_path_go_on(&j->order);
  j->request.order = ff_ssa_optimised_order(&j->order);
}

/* Compares the counts of each trajectory, and that none is refused. */
static inline void compare_states(ff_ensemble *e, job *j) {
  const ff_device_request *r = &j->request;
  const uint64_t n = j->compared;
  ff_error err;
  uint64_t wrong = 0, refused[8], n_refused = 0;
  double *states[MOST_SPECIES];
  uint32_t *counts = ff_calloc(n * r->n_times * r->n_observed, sizeof *counts);
  for (uint32_t s = 0; s < r->n_observed; s++) states[s] = ff_calloc(n * r->n_times, sizeof(double));
  ff_run_free(on_cpu(j, states, 0, n));
  FF_CHECK_OK(gpu.backend->states(e, 0, n, counts, &err), &err);
  FF_CHECK_OK(gpu.backend->refused(e, 0, refused, 8, &n_refused, &err), &err);
  for (uint64_t k = 0; k < n; k++)
    for (uint32_t i = 0; i < r->n_times; i++)
      for (uint32_t s = 0; s < r->n_observed; s++)
        wrong += counts[((uint64_t)i * r->n_observed + s) * n + k] != states[s][k * r->n_times + i];
  FF_CHECK_SAY(wrong == 0, "%s: %llu of %llu counts differ", j->name, (unsigned long long)wrong,
               (unsigned long long)n * r->n_times * r->n_observed);
  FF_CHECK_SAY(n_refused == 0, "%s: trajectories are refused", j->name);
  for (uint32_t s = 0; s < r->n_observed; s++) free(states[s]);
  free(counts);
}

/* Compares the statistics of all trajectories. */
static inline void compare_sums(ff_ensemble *e, job *j) {
  const ff_device_request *r = &j->request;
  const uint8_t counts[MOST_SPECIES] = {0};
  ff_sums sums, *other = NULL;
  ff_error err;
  uint32_t wrong = 0;
  FF_CHECK_OK(ff_sums_new(&sums, r->n_times, r->n_observed, counts, FF_COVARIANCE, &err), &err);
  FF_CHECK_OK(gpu.backend->tally(e, 0, j->n, &sums, &err), &err);
  ff_run *run = on_cpu(j, NULL, FF_COVARIANCE, j->n);
  FF_CHECK_OK(ff_run_sums(run, &other, &err), &err);
  for (size_t i = 0; other != NULL && i < (size_t)r->n_times * r->n_observed; i++)
    wrong += memcmp(&sums.counts[i].sums, &other->counts[i].sums, sizeof sums.counts[i].sums) != 0 ||
             sums.counts[i].min != other->counts[i].min || sums.counts[i].max != other->counts[i].max;
  const size_t pairs = (size_t)r->n_observed * (r->n_observed - 1) / 2 * r->n_times;
  for (size_t i = 0; other != NULL && i < 2 * pairs; i++) wrong += sums.products[i] != other->products[i];
  FF_CHECK_SAY(wrong == 0, "%s: %u sums differ", j->name, wrong);
  FF_CHECK_SAY(j->progress.steps == ff_run_steps(run), "%s: %llu steps, not %llu", j->name,
               (unsigned long long)j->progress.steps, (unsigned long long)ff_run_steps(run));
  ff_run_free(run);
  ff_sums_free(&sums);
}

static inline void report(ff_ensemble *e, const job *j) {
  const ff_ensemble_info info = gpu.backend->common.info(e);
  printf("%-26s %-18s %-9s %10.3e %10.3e %10.3e %7.3f %7.3f  %u x %u, %u registers, %u B\n", j->name,
         ff_ssa_method_name(j->request.method), info.kernel, (double)j->progress.steps / info.device_seconds,
         (double)j->progress.steps / j->whole, j->cpu_speed, j->ready, info.device_seconds, info.threads, info.blocks,
         info.registers, info.shared_bytes);
  fflush(stdout);
}

/* Runs a program to the last time, and compares. Returns whether a kernel could run it. */
static inline int check_program(const char *name, const ff_ssa_program *program, ff_ssa_method method, const char *kernel,
                                double last, uint64_t n, int sums) {
  double times[TIMES];
  uint32_t species[MOST_SPECIES];
  ff_ensemble *e = NULL;
  ff_error err;
  if (sums) n = part_of(n);
  job j = {.name = name, .kernel = kernel, .program = program, .n = n, .compared = sums || gpu.compare > n ? n : gpu.compare};
  const uint32_t all = program->n_species, n_species = sums ? (all < MOST_SPECIES ? all : MOST_SPECIES) : all < 2 ? all : 2;
  for (uint32_t i = 0; i < TIMES; i++) times[i] = last * i / (TIMES - 1);
  for (uint32_t s = 0; s < n_species; s++) species[s] = s;
  j.request = (ff_device_request){.method = method, .initial = program->initial, .times = times, .n_times = TIMES,
                                      .observed = species, .n_observed = n_species, .blocks = gpu.blocks, .warps = gpu.warps,
                                      .bits32 = gpu.bits32};
  if (method == FF_SSA_OPTIMISED) begin_order(&j);
  const ff_status status = on_gpu(&e, &j, &err);
  const int runs = status == FF_OK;
  if (runs) compare_states(e, &j);
  if (runs && sums) compare_sums(e, &j);
  if (runs && !sums) report(e, &j);
  if (!runs && (status != FF_EUNSUPPORTED || !sums)) FF_CHECK_OK(status, &err);
  gpu.backend->common.destroy(e);
  if (method == FF_SSA_OPTIMISED) ff_ssa_path_free(&j.order);
  return runs;
}

#endif
