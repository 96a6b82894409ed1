/* Ensembles of tiles on a device: the choice of a runner, memory, launches, and the interface "pbn". */
#include "ff_ensemble.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_STEPS 4      /* in the first launch, because the time per step is not known yet */
#define LONG_LAUNCH 0.02   /* seconds; a launch aims at half of the caller's time, or at all of it if that is below this limit */
#define SPILL_STEPS ((1u << FF_COUNT_LEVELS) - 1u)

/* ---- ensembles -------------------------------------------------------------------------------------------------- */

static void give_back(ff_ensemble *e) {
  if (e->stream != NULL) cudaStreamSynchronize(e->stream);
  if (e->runner != NULL && e->own != NULL) e->runner->release(e);
  void *const memory[] = {e->counts, e->first_half, e->changes, e->before, e->after, e->sums.at, e->observables.at};
  for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++) cudaFree(memory[i]);
  if (e->begin != NULL) cudaEventDestroy(e->begin);
  if (e->end != NULL) cudaEventDestroy(e->end);
  if (e->stream != NULL) cudaStreamDestroy(e->stream);
  cudaGetLastError();
}

static void destroy(ff_ensemble *e) {
  if (e == NULL) return;
  ff_cuda_guard guard;
  ff_cuda_enter(&guard, e->options.device, NULL);
  give_back(e);
  ff_cuda_leave(&guard);
  free(e);
}

static size_t common_bytes(const ff_pbn_program *p) { return (size_t)p->n_terms * (FF_TILE * 8 + 16); }

static int is(const char *name, const char *what) { return name != NULL && strcmp(name, what) == 0; }

/* Lists the candidates in the order in which they are asked. */
static void list_runners(ff_ensemble *e) {
  static const ff_runner *const packed[] = {&ff_runner_table, &ff_runner_table_unsplit};
  static const ff_runner *const sliced[] = {&ff_runner_generated, &ff_runner_interpreter};
  const int is_packed = e->program->layout == FF_LAYOUT_PACKED;
  const char *wanted = e->options.kernel;
  for (int i = 0; i < 2; i++) {
    const ff_runner *runner = is_packed ? packed[i] : sliced[i];
    const int left_out =
        runner == &ff_runner_table_unsplit || (runner == &ff_runner_generated && is(ff_ensemble_like(e), "interpreter"));
    if (wanted != NULL ? is(wanted, runner->kernel) : !left_out) e->runners[e->n_runners++] = runner;
  }
}

/* The current runner refuses, for any reason. Then the next one is asked. */
static ff_stage refuse(ff_ensemble *e, const ff_error *why) {
  if (e->own != NULL) e->runner->release(e);
  e->own = NULL;
  e->refused = *why;
  return FF_STAGE_CHOOSE;
}

static ff_stage choose(ff_ensemble *e) {
  ff_error why;
  if (e->tried == e->n_runners) return FF_STAGE_FAILED;
  e->runner = e->runners[e->tried++];
  e->info.kernel = e->runner->kernel;
  return e->runner->prepare(e, &why) == FF_OK ? FF_STAGE_PREPARE : refuse(e, &why);
}

/* A wave has as many tiles as the device can run at the same time, if memory allows. A smaller last wave costs less than equal
 * waves would, because the fullest multiprocessor determines a wave's time. */
static ff_status size_up(ff_ensemble *e, ff_error *err) {
  size_t unused = 0, all = 0;
  ff_status status = ff_cuda_check(cudaMemGetInfo(&unused, &all), "reading its memory size", err);
  if (status != FF_OK) return status;
  uint64_t a_tile = e->tile_bytes + common_bytes(e->program),
           fits = (uint64_t)((double)unused * 0.9) / (a_tile > 0 ? a_tile : 1);
  uint64_t tiles = e->resident > 0 ? e->resident : 1;
  if (tiles > fits) tiles = fits;
  if (tiles == 0)
    return ff_error_set(err, FF_EMEMORY, "1,024 trajectories take %llu bytes of GPU memory, but only %llu are free",
                        (unsigned long long)a_tile, (unsigned long long)unused);
  if (e->options.units > 0 && e->options.units < tiles) tiles = e->options.units;
  e->capacity = e->info.capacity = tiles;
  e->info.bytes += tiles * a_tile;
  return FF_OK;
}

static ff_status take_memory(ff_ensemble *e, ff_error *err) {
  const uint64_t n = e->capacity * e->program->n_terms;
  ff_status status = ff_cuda_new((void **)&e->counts, n * FF_TILE * sizeof *e->counts, "counts", err);
  if (status == FF_OK) status = ff_cuda_new((void **)&e->first_half, n * FF_TILE * sizeof *e->first_half, "counts", err);
  if (status == FF_OK) status = ff_cuda_new((void **)&e->changes, n * sizeof *e->changes, "counts", err);
  if (status == FF_OK) status = ff_cuda_new((void **)&e->before, n * sizeof *e->before, "counts", err);
  if (status == FF_OK) status = ff_cuda_new((void **)&e->after, n * sizeof *e->after, "counts", err);
  return status;
}

/* Memory is cleared and filled on the default stream, and the ensemble's stream does not wait for that one. */
static ff_status settle_memory(ff_error *err) {
  return ff_cuda_check(cudaStreamSynchronize(cudaStreamLegacy), "filling its memory", err);
}

static ff_status set_up(ff_ensemble *e, ff_error *err) {
  ff_status status = ff_cuda_check(cudaGetDeviceProperties(&e->device, (int)e->options.device), "reading its properties", err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaStreamCreateWithFlags(&e->stream, cudaStreamNonBlocking), "creating a stream", err);
  if (status == FF_OK) status = ff_cuda_check(cudaEventCreate(&e->begin), "creating a timer", err);
  if (status == FF_OK) status = ff_cuda_check(cudaEventCreate(&e->end), "creating a timer", err);
  return status;
}

static ff_stage prepare(ff_ensemble *e, double seconds) {
  ff_error why;
  int prepared = 1;
  if (e->runner->ready != NULL && e->runner->ready(e, seconds, &prepared, &why) != FF_OK) return refuse(e, &why);
  return prepared ? FF_STAGE_ALLOCATE : FF_STAGE_PREPARE;
}

static ff_stage allocate(ff_ensemble *e) {
  if (e->refused.status != FF_OK) { /* the reason why the previous runner refused */
    char first[sizeof e->info.reason];
    snprintf(first, sizeof first, "%s", e->info.reason);
    snprintf(e->info.reason, sizeof e->info.reason, "%.90s; %.150s", first, e->refused.text);
  }
  ff_status status = size_up(e, &e->refused);
  if (status == FF_OK) status = take_memory(e, &e->refused);
  if (status == FF_OK) status = e->runner->allocate(e, &e->refused);
  if (status == FF_OK) status = settle_memory(&e->refused);
  return status == FF_OK ? FF_STAGE_RUNS : FF_STAGE_FAILED;
}

/* Changes the stage, until the ensemble runs, has failed, or must wait for its runner. create() alone also calls choose(). */
static ff_status advance(ff_ensemble *e, double seconds, ff_error *err) {
  for (;;) {
    switch (e->stage) {
    case FF_STAGE_CHOOSE: e->stage = choose(e); break;
    case FF_STAGE_PREPARE:
      e->stage = prepare(e, seconds);
      if (e->stage == FF_STAGE_PREPARE) return FF_OK;
      break;
    case FF_STAGE_ALLOCATE: e->stage = allocate(e); break;
    case FF_STAGE_RUNS: return FF_OK;
    case FF_STAGE_FAILED: return ff_error_set(err, e->refused.status, "%s", e->refused.text);
    }
  }
}

static ff_status ready(ff_ensemble *e, double seconds, int *is, ff_error *err) {
  ff_status status = advance(e, seconds, err);
  *is = status == FF_OK && e->stage == FF_STAGE_RUNS;
  return status;
}

static ff_status create(ff_ensemble **out, const ff_pbn_program *program, const ff_ensemble_options *options, ff_error *err) {
  *out = NULL;
  ff_ensemble *e = (ff_ensemble *)ff_calloc(1, sizeof *e);
  if (e == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for an ensemble");
  ff_cuda_guard guard;
  e->program = program;
  e->options = *options;
  e->info.kernel = "";
  ff_error_set(&e->refused, FF_EARGUMENT, "no kernel of this name runs a program of layout \"%s\"",
               program->layout == FF_LAYOUT_PACKED ? "packed" : "sliced");
  list_runners(e);
  if (e->n_runners > 0) e->refused = {};
  ff_status status = ff_cuda_enter(&guard, options->device, err);
  if (status == FF_OK) status = set_up(e, err);
  while (status == FF_OK && e->stage == FF_STAGE_CHOOSE) e->stage = choose(e); /* what takes long is only begun here */
  if (status == FF_OK && e->stage == FF_STAGE_FAILED) status = ff_error_set(err, e->refused.status, "%s", e->refused.text);
  ff_cuda_leave(&guard);
  e->options.cache = e->options.kernel = NULL; /* these belong to the caller */
  e->options.like = NULL;
  if (status != FF_OK) {
    destroy(e);
    return status;
  }
  *out = e;
  return FF_OK;
}

static ff_ensemble_info info(const ff_ensemble *e) { return e->info; }

extern "C" ff_status ff_ensemble_wait(ff_ensemble *e, const char *doing, ff_error *err) {
  ff_status status = ff_cuda_check(cudaGetLastError(), doing, err);
  return status == FF_OK ? ff_cuda_check(cudaStreamSynchronize(e->stream), doing, err) : status;
}

extern "C" ff_status ff_ensemble_forget(ff_ensemble *e, ff_error *err) {
  const uint64_t n = e->tiles * e->program->n_terms;
  e->counted = e->in_counters = 0;
  ff_status status = ff_cuda_check(cudaMemsetAsync(e->counts, 0, n * FF_TILE * sizeof *e->counts, e->stream),
                                   "clearing counts", err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemsetAsync(e->first_half, 0, n * FF_TILE * sizeof *e->first_half, e->stream),
                           "clearing counts", err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemsetAsync(e->changes, 0, n * sizeof *e->changes, e->stream), "clearing counts", err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemsetAsync(e->before, 0, n * sizeof *e->before, e->stream), "clearing counts", err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemsetAsync(e->after, 0, n * sizeof *e->after, e->stream), "clearing counts", err);
  return status;
}

static ff_status start(ff_ensemble *e, uint64_t key, uint64_t unit, uint64_t tiles, ff_error *err) {
  if (tiles > e->capacity || tiles == 0)
    return ff_error_set(err, FF_EINTERNAL, "a wave of %llu tiles, but at most %llu fit", (unsigned long long)tiles,
                        (unsigned long long)e->capacity);
  e->key = key;
  e->unit = unit;
  e->tiles = tiles;
  e->step = 0;
  ff_status status = ff_ensemble_forget(e, err);
  if (status == FF_OK) status = e->runner->start(e, err);
  return status == FF_OK ? ff_ensemble_wait(e, "starting trajectories", err) : status;
}

/* Runs one launch and measures its time. */
static ff_status launch(ff_ensemble *e, uint64_t steps, int count, ff_error *err) {
  ff_status status = ff_cuda_check(cudaEventRecord(e->begin, e->stream), "timing", err);
  if (status == FF_OK) status = e->runner->steps(e, steps, count, count && e->counted == 0, err);
  if (status == FF_OK) status = ff_cuda_check(cudaEventRecord(e->end, e->stream), "timing", err);
  if (status == FF_OK) status = ff_ensemble_wait(e, "running steps", err);
  float milliseconds = 0;
  if (status == FF_OK) status = ff_cuda_check(cudaEventElapsedTime(&milliseconds, e->begin, e->end), "timing", err);
  if (status != FF_OK) return status;
  e->info.device_seconds += milliseconds / 1000.0;
  if (milliseconds > 0) e->second_steps[count != 0] = (double)steps * 1000.0 / milliseconds;
  e->step += steps;
  if (count) e->counted += steps;
  if (count) e->in_counters += steps;
  return FF_OK;
}

extern "C" ff_status ff_ensemble_spill(ff_ensemble *e, ff_error *err) {
  ff_status status = e->runner->spill(e, err);
  e->in_counters = 0;
  return status;
}

static ff_status steps(ff_ensemble *e, uint64_t wanted, int count, double seconds, uint64_t *done, ff_error *err) {
  *done = 0;
  ff_status status = FF_OK;
  const double stop = ff_clock() + seconds;
  while (status == FF_OK && *done < wanted) {
    double share = seconds < LONG_LAUNCH ? seconds : seconds / 2, left = stop - ff_clock();
    /* so that several devices end at the same time, and the caller does not wait long */
    if (left < share && left > 0) share = left;
    double most = e->second_steps[count != 0] > 0 ? e->second_steps[count != 0] * share : FIRST_STEPS;
    uint64_t chunk = most < 1 ? 1 : most > 1e9 ? 1000000000 : (uint64_t)most;
    if (chunk > wanted - *done) chunk = wanted - *done;
    if (count) {
      uint64_t room = SPILL_STEPS - e->in_counters;
      if (chunk > room) chunk = room;
    }
    status = launch(e, chunk, count, err);
    if (status == FF_OK && e->in_counters == SPILL_STEPS) status = ff_ensemble_spill(e, err);
    if (status == FF_OK) *done += chunk;
    if (ff_clock() > stop) break;
  }
  return status;
}

static ff_status half(ff_ensemble *e, ff_error *err) {
  ff_status status = ff_ensemble_spill(e, err);
  const uint64_t n = e->tiles * e->program->n_terms;
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemcpyAsync(e->first_half, e->counts, n * FF_TILE * sizeof *e->counts,
                                           cudaMemcpyDeviceToDevice, e->stream),
                           "storing the first half", err);
  return status == FF_OK ? ff_ensemble_wait(e, "storing the first half", err) : status;
}

static ff_status tally(ff_ensemble *e, const ff_pbn_sums *sums, ff_error *err) {
  ff_status status = ff_ensemble_spill(e, err);
  if (status != FF_OK) return status;
  return sums->n_terms > 0 ? ff_ensemble_add_up(e, sums, err) : ff_ensemble_forget(e, err);
}

/* ---- the interface: each call makes the ensemble's device the thread's current one ---------------------------------- */

#define ON_DEVICE(e, call, err)                                                  \
  do {                                                                           \
    ff_cuda_guard guard;                                                         \
    ff_status status = ff_cuda_enter(&guard, (e)->options.device, err);          \
    if (status == FF_OK) status = call;                                          \
    ff_cuda_leave(&guard);                                                       \
    return status;                                                               \
  } while (0)

static ff_status ready_there(ff_ensemble *e, double seconds, int *is, ff_error *err) {
  ON_DEVICE(e, ready(e, seconds, is, err), err);
}

static ff_status start_there(ff_ensemble *e, uint64_t key, uint64_t first, uint64_t tiles, ff_error *err) {
  ON_DEVICE(e, start(e, key, first, tiles, err), err);
}

static ff_status steps_there(ff_ensemble *e, uint64_t wanted, int count, double seconds, uint64_t *done, ff_error *err) {
  ON_DEVICE(e, steps(e, wanted, count, seconds, done, err), err);
}

static ff_status half_there(ff_ensemble *e, ff_error *err) { ON_DEVICE(e, half(e, err), err); }

static ff_status tally_there(ff_ensemble *e, const ff_pbn_sums *sums, ff_error *err) { ON_DEVICE(e, tally(e, sums, err), err); }

static ff_status state_there(ff_ensemble *e, uint64_t tile, uint64_t *rows, ff_error *err) {
  ON_DEVICE(e, e->runner->state(e, tile, rows, err), err);
}

static ff_status terms_there(ff_ensemble *e, uint64_t tile, uint32_t n, uint64_t *words, ff_error *err) {
  if (n == 0) return FF_OK;
  ON_DEVICE(e, e->runner->terms(e, tile, n, words, err), err);
}

const ff_pbn_device ff_cuda_pbn = {.common = {.destroy = destroy, .ready = ready_there, .start = start_there, .info = info},
                                   .create = create,
                                   .steps = steps_there,
                                   .half = half_there,
                                   .tally = tally_there,
                                   .state = state_there,
                                   .terms = terms_there};
