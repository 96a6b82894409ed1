/* Ensembles of trajectories on a device: the choice of a runner, launches, and the interface "ssa". */
#include "device/ff_ssa_ensemble.h"
#include "ff_cuda_ssa.h"
#include "device/ff_ssa_turns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_STEPS 0x40000000u
#define LONG_LAUNCH 0.02   /* seconds; a launch aims at half of the caller's time, or at all of it if that is below this limit */
#define SHORT_TURN 0.001   /* seconds: the least and the most that slots run before others have their turn, */
#define LONG_TURN 0.02
#define TURNS 32.0         /* and the part of the time so far */
#define STARTS_AT_ONCE UINT64_C(16777216) /* counts at the start that are copied between two looks at the clock */

/* ---- making and freeing ------------------------------------------------------------------------------------------ */

static void free_request(ff_ssa_device_request *request) {
  free((void *)request->initial);
  free((void *)request->times);
  free((void *)request->species);
  free((void *)request->order);
}

static void give_back(ff_ensemble *e) {
  if (e->stream != NULL) cudaStreamSynchronize(e->stream);
  if (e->runner != NULL && e->own != NULL) e->runner->release(e);
  void *const memory[] = {(void *)e->launch.times, (void *)e->launch.species, e->launch.recorded, e->launch.refused,
                          e->launch.counters, e->launch.state, e->launch.point_events, e->points, e->sums.at,
                          (void *)e->launch.starts, e->launch.stopped, e->launch.fired};
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
  free_request(&e->request);
  free((void *)e->options.cache);
  free((void *)e->options.kernel);
  free(e->fired);
  free(e);
}

static void *copy_of(const void *from, size_t n, size_t size) {
  void *to = ff_calloc(n, size);
  if (to != NULL && n > 0) memcpy(to, from, n * size);
  return to;
}

static ff_status copy_request(ff_ensemble *e, const ff_ssa_device_request *request, ff_error *err) {
  ff_ssa_device_request *r = &e->request;
  *r = *request;
  r->initial = (double *)copy_of(request->initial, e->program->n_species, sizeof *r->initial);
  r->times = (double *)copy_of(request->times, request->n_times, sizeof *r->times);
  r->species = (uint32_t *)copy_of(request->species, request->n_species, sizeof *r->species);
  if (request->order != NULL) r->order = (uint32_t *)copy_of(request->order, e->program->n_reactions, sizeof *r->order);
  const int ordered = (r->order != NULL) == (request->order != NULL);
  if (r->initial != NULL && r->times != NULL && r->species != NULL && ordered) return FF_OK;
  return ff_error_set(err, FF_EMEMORY, "no memory for an ensemble");
}

/* A runner may be asked late, so texts are copied. */
static ff_status copy_options(ff_ensemble *e, const ff_ensemble_options *options, ff_error *err) {
  const char *const cache = options->cache, *const kernel = options->kernel;
  e->options = *options;
  e->options.cache = cache != NULL ? ff_strndup(cache, strlen(cache)) : NULL;
  e->options.kernel = kernel != NULL ? ff_strndup(kernel, strlen(kernel)) : NULL;
  if ((e->options.cache != NULL) == (cache != NULL) && (e->options.kernel != NULL) == (kernel != NULL)) return FF_OK;
  return ff_error_set(err, FF_EMEMORY, "no memory for an ensemble");
}

/* Lists the candidates in the order in which they are asked. */
static void list_runners(ff_ensemble *e) {
  const int factored = e->request.method == FF_SSA_FACTORED && e->program->factor->n_groups != FF_FACTOR_NONE &&
                       e->program->modules == NULL && !ff_ssa_program_scheduled(e->program);
  const ff_ssa_runner *const all[] = {&ff_ssa_runner_generated, factored ? &ff_ssa_runner_factored : &ff_ssa_runner_generic};
  const char *wanted = e->options.kernel, *like = e->options.like != NULL ? e->options.like->info.kernel : NULL;
  for (int i = 0; i < 2; i++) {
    if (wanted != NULL && strcmp(wanted, all[i]->kernel) != 0) continue;
    if (wanted == NULL && i == 0 && like != NULL && strcmp(like, all[1]->kernel) == 0) continue;
    e->runners[e->n_runners++] = all[i];
  }
}

static ff_status set_up(ff_ensemble *e, ff_error *err) {
  ff_status status = ff_cuda_check(cudaGetDeviceProperties(&e->device, (int)e->options.device), "reading its properties", err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaStreamCreateWithFlags(&e->stream, cudaStreamNonBlocking), "creating a stream", err);
  if (status == FF_OK) status = ff_cuda_check(cudaEventCreate(&e->begin), "creating a timer", err);
  if (status == FF_OK) status = ff_cuda_check(cudaEventCreate(&e->end), "creating a timer", err);
  return status;
}

/* ---- stages ------------------------------------------------------------------------------------------------------ */

/* The current runner refuses, for any reason. Then the next one is asked. The reasons of all runners are kept. */
static ff_ssa_stage refuse(ff_ensemble *e, const ff_error *why) {
  const ff_error before = e->refused;
  if (e->own != NULL) e->runner->release(e);
  e->own = NULL;
  e->n_points = 0;
  if (e->request.joins != NULL) memset(e->request.joins, 0, e->request.n_points);
  e->refused = *why;
  if (before.status != FF_OK) ff_error_set(&e->refused, why->status, "%.400s; %.400s", before.text, why->text);
  return FF_SSA_CHOOSE;
}

static ff_ssa_stage choose(ff_ensemble *e) {
  ff_error why;
  if (e->tried == e->n_runners) return FF_SSA_FAILED;
  e->runner = e->runners[e->tried++];
  e->info.kernel = e->runner->kernel;
  return e->runner->prepare(e, &why) == FF_OK ? FF_SSA_PREPARE : refuse(e, &why);
}

static ff_ssa_stage prepare(ff_ensemble *e, double seconds) {
  ff_error why;
  int prepared = 1;
  if (e->runner->ready != NULL && e->runner->ready(e, seconds, &prepared, &why) != FF_OK) return refuse(e, &why);
  return prepared ? FF_SSA_ALLOCATE : FF_SSA_PREPARE;
}

static ff_ssa_stage allocate(ff_ensemble *e) {
  if (e->refused.status != FF_OK) { /* the reason why the previous runner refused */
    char first[sizeof e->info.reason];
    snprintf(first, sizeof first, "%s", e->info.reason);
    snprintf(e->info.reason, sizeof e->info.reason, "%.90s; %.150s", first, e->refused.text);
  }
  return ff_ssa_ensemble_take_memory(e, &e->refused) == FF_OK ? FF_SSA_RUNS : FF_SSA_FAILED;
}

/* Changes the stage, until the ensemble runs, has failed, or must wait for its runner. create() alone also calls choose(). */
static ff_status ready(ff_ensemble *e, double seconds, int *is, ff_error *err) {
  *is = 0;
  for (;;) {
    switch (e->stage) {
    case FF_SSA_CHOOSE: e->stage = choose(e); break;
    case FF_SSA_PREPARE:
      e->stage = prepare(e, seconds);
      if (e->stage == FF_SSA_PREPARE) return FF_OK;
      break;
    case FF_SSA_ALLOCATE: e->stage = allocate(e); break;
    case FF_SSA_RUNS:
      e->request.points = NULL; /* these belong to the caller */
      e->request.joins = NULL;
      *is = 1;
      return FF_OK;
    case FF_SSA_FAILED: return ff_error_set(err, e->refused.status, "%s", e->refused.text);
    }
  }
}

static ff_status create(ff_ensemble **out, const ff_ssa_program *program, const ff_ssa_device_request *request,
                        const ff_ensemble_options *options, ff_error *err) {
  *out = NULL;
  ff_ensemble *e = (ff_ensemble *)ff_calloc(1, sizeof *e);
  if (e == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for an ensemble");
  ff_cuda_guard guard;
  e->program = program;
  e->info.kernel = "";
  ff_error_set(&e->refused, FF_EUNSUPPORTED, "there is no kernel of this name");
  ff_status status = copy_options(e, options, err);
  if (status == FF_OK) status = copy_request(e, request, err);
  list_runners(e);
  if (e->n_runners > 0) e->refused = {};
  if (status == FF_OK) {
    status = ff_cuda_enter(&guard, options->device, err);
    if (status == FF_OK) status = set_up(e, err);
    while (status == FF_OK && e->stage == FF_SSA_CHOOSE) e->stage = choose(e); /* what takes long is only begun here */
    if (status == FF_OK && e->stage == FF_SSA_FAILED) status = ff_error_set(err, e->refused.status, "%s", e->refused.text);
    ff_cuda_leave(&guard);
  }
  e->options.like = NULL; /* it may be freed first */
  if (status != FF_OK) {
    destroy(e);
    return status;
  }
  *out = e;
  return FF_OK;
}

static ff_ensemble_info info(const ff_ensemble *e) { return e->info; }

/* ---- waves --------------------------------------------------------------------------------------------------------- */

extern "C" ff_status ff_ssa_ensemble_wait(ff_ensemble *e, const char *doing, ff_error *err) {
  ff_status status = ff_cuda_check(cudaGetLastError(), doing, err);
  return status == FF_OK ? ff_cuda_check(cudaStreamSynchronize(e->stream), doing, err) : status;
}

/* Lets a wave begin at the point of its first trajectory. */
static ff_status start_points(ff_ensemble *e, uint64_t first, uint64_t units, ff_error *err) {
  ff_ssa_launch *l = &e->launch;
  const uint64_t each = e->request.n_each, at = first / each;
  if (first % each != 0 || units % each != 0 || at + units / each > e->n_points)
    return ff_error_set(err, FF_EINTERNAL, "a wave that is not of whole points");
  l->each = (uint32_t)each;
  l->points = e->points + at * e->point_words;
  return ff_cuda_check(cudaMemsetAsync(l->point_events, 0, units / each * sizeof *l->point_events, e->stream), "starting", err);
}

/* The counts at the start of the wave's trajectories that are not on the device yet. */
static uint64_t missing_starts(const ff_ensemble *e) {
  return e->launch.starts != NULL ? e->units * e->program->n_species - e->n_starts : 0;
}

/* Copies the next of these counts, and more until the time `stop`. They are copied on the ensemble's stream, because its kernels
 * do not wait for the default one. */
static ff_status copy_starts(ff_ensemble *e, double stop, ff_error *err) {
  const uint64_t most = missing_starts(e) < STARTS_AT_ONCE ? missing_starts(e) : STARTS_AT_ONCE;
  const double *from = e->request.starts + (e->launch.first - e->request.first_start) * e->program->n_species;
  uint32_t *counts = (uint32_t *)ff_calloc((size_t)most, sizeof *counts);
  ff_status status = FF_OK;
  if (counts == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %llu counts at the start", (unsigned long long)most);
  do {
    const uint64_t piece = missing_starts(e) < most ? missing_starts(e) : most;
    for (uint64_t i = 0; i < piece; i++) counts[i] = (uint32_t)from[e->n_starts + i];
    status = ff_cuda_check(cudaMemcpyAsync((void *)(e->launch.starts + e->n_starts), counts, piece * sizeof *counts,
                                           cudaMemcpyHostToDevice, e->stream), "copying counts at the start", err);
    if (status == FF_OK) status = ff_ssa_ensemble_wait(e, "copying counts at the start", err);
    e->n_starts += piece;
  } while (status == FF_OK && missing_starts(e) > 0 && ff_clock() < stop);
  free(counts);
  return status;
}

static ff_status start(ff_ensemble *e, uint64_t key, uint64_t first, uint64_t units, ff_error *err) {
  ff_ssa_launch *l = &e->launch;
  if (units > e->capacity || units == 0)
    return ff_error_set(err, FF_EINTERNAL, "a wave of %llu trajectories, but at most %llu fit", (unsigned long long)units,
                        (unsigned long long)e->capacity);
  e->units = l->units = units;
  e->done = {};
  l->key = key;
  l->first = first;
  l->from = l->begun = 0;
  e->lasted = 0;
  e->n_fired = 0;
  e->n_starts = 0; /* advance() copies them, because they may be many */
  ff_philox_round_keys(l->round_key, key);
  ff_status status = ff_cuda_check(cudaMemsetAsync(l->counters, 0, sizeof *l->counters, e->stream), "starting", err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemsetAsync(l->refused, 0, (units + 31) / 32 * 4, e->stream), "starting", err);
  if (status == FF_OK && e->n_points > 0) status = start_points(e, first, units, err);
  if (status == FF_OK && l->stopped != NULL) /* all bits set: NaN */
    status = ff_cuda_check(cudaMemsetAsync(l->stopped, 0xFF, units * sizeof *l->stopped, e->stream), "starting", err);
  return status == FF_OK ? ff_ssa_ensemble_wait(e, "starting trajectories", err) : status;
}

/* The seconds of a launch. Turns are short in the beginning, so that shares are about equal whenever the wave ends. */
static double share_of(const ff_ensemble *e, double seconds, double left) {
  double share = seconds < LONG_LAUNCH ? seconds : seconds / 2, turn = e->lasted / TURNS;
  if (left < share && left > 0) share = left;
  if (e->running == e->launch.slots) return share;
  turn = turn < SHORT_TURN ? SHORT_TURN : turn < LONG_TURN ? turn : LONG_TURN;
  return turn < share ? turn : share;
}

/* Appends the firings of the last launch to the list of the wave. */
static ff_status take_fired(ff_ensemble *e, ff_error *err) {
  const size_t n = (size_t)e->done.fired;
  if (n > ff_ssa_ensemble_list_room(e))
    return ff_error_set(err, FF_EINTERNAL, "a launch has listed more firings than its list has room for");
  ff_status status = ff_grow((void **)&e->fired, &e->fired_room, e->n_fired + n, sizeof *e->fired, err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemcpyAsync(e->fired + e->n_fired, e->launch.fired, n * sizeof *e->fired, cudaMemcpyDeviceToHost,
                                           e->stream), "reading firings", err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemsetAsync(&e->launch.counters->fired, 0, sizeof e->launch.counters->fired, e->stream),
                           "reading firings", err);
  if (status == FF_OK) status = ff_ssa_ensemble_wait(e, "reading firings", err);
  if (status == FF_OK) e->n_fired += n;
  return status;
}

/* Runs one launch, measures its time and reads the counters. */
static ff_status launch(ff_ensemble *e, double seconds, ff_error *err) {
  e->launch.steps = e->request.max_firings > 0 ? e->firings_each : MOST_STEPS;
  e->launch.nanoseconds = (uint64_t)(seconds * 1e9);
  ff_status status = ff_cuda_check(cudaEventRecord(e->begin, e->stream), "timing", err);
  if (status == FF_OK) status = e->runner->launch(e, &e->launch, err);
  if (status == FF_OK) status = ff_cuda_check(cudaEventRecord(e->end, e->stream), "timing", err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemcpyAsync(&e->done, e->launch.counters, sizeof e->done, cudaMemcpyDeviceToHost, e->stream),
                           "reading its counters", err);
  if (status == FF_OK) status = ff_ssa_ensemble_wait(e, "simulating trajectories", err);
  float milliseconds = 0;
  if (status == FF_OK) status = ff_cuda_check(cudaEventElapsedTime(&milliseconds, e->begin, e->end), "timing", err);
  if (status != FF_OK) return status;
  e->info.device_seconds += milliseconds / 1000.0;
  e->lasted += milliseconds / 1000.0;
  ff_ssa_next_turn(&e->launch, e->running);
  return e->request.max_firings > 0 ? take_fired(e, err) : FF_OK;
}

static int lists_too_many(const ff_ensemble *e) {
  return e->request.max_firings > 0 && e->n_fired > e->request.max_firings;
}

static ff_status advance(ff_ensemble *e, double seconds, ff_ssa_device_progress *progress, ff_error *err) {
  const double stop = ff_clock() + seconds;
  ff_status status = missing_starts(e) > 0 ? copy_starts(e, stop, err) : FF_OK;
  while (status == FF_OK && missing_starts(e) == 0 && e->done.complete < e->units && !lists_too_many(e)) {
    status = launch(e, share_of(e, seconds, stop - ff_clock()), err);
    if (ff_clock() > stop) break;
  }
  *progress = {.complete = e->done.complete, .events = e->done.events, .fired = e->n_fired,
               .done = e->done.complete == e->units};
  return status;
}

static ff_status refused(ff_ensemble *e, uint64_t from, uint64_t *units, uint64_t capacity, uint64_t *n, ff_error *err) {
  const size_t words = (size_t)((e->units + 31) / 32);
  *n = 0;
  uint32_t *bits = (uint32_t *)ff_calloc(words, sizeof *bits);
  if (bits == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for a wave of %llu trajectories", (unsigned long long)e->units);
  ff_status status = ff_cuda_check(cudaMemcpyAsync(bits, e->launch.refused, words * sizeof *bits, cudaMemcpyDeviceToHost,
                                                   e->stream), "reading what it refused", err);
  if (status == FF_OK) status = ff_ssa_ensemble_wait(e, "reading what it refused", err);
  for (uint64_t k = from; status == FF_OK && k < e->units && *n < capacity; k++) {
    if (bits[k / 32] == 0) k |= 31;
    else if (bits[k / 32] >> (k % 32) & 1) units[(*n)++] = k;
  }
  free(bits);
  return status;
}

static ff_status states(ff_ensemble *e, uint64_t first, uint64_t n, uint32_t *counts, ff_error *err) {
  const size_t lines = (size_t)e->request.n_times * e->request.n_species;
  if (first > e->units || n > e->units - first) return ff_error_set(err, FF_EINTERNAL, "trajectories beyond the wave");
  if (n == 0 || lines == 0) return FF_OK;
  const int at_once = e->units * 4 <= e->device.memPitch; /* else line by line: there are few lines of so many trajectories */
  ff_status status = FF_OK;
  if (at_once)
    status = ff_cuda_check(cudaMemcpy2DAsync(counts, n * 4, e->launch.recorded + first, e->units * 4, n * 4, lines,
                                             cudaMemcpyDeviceToHost, e->stream), "reading counts", err);
  for (size_t i = 0; !at_once && i < lines && status == FF_OK; i++)
    status = ff_cuda_check(cudaMemcpyAsync(counts + i * n, e->launch.recorded + i * e->units + first, n * 4,
                                           cudaMemcpyDeviceToHost, e->stream), "reading counts", err);
  return status == FF_OK ? ff_ssa_ensemble_wait(e, "reading counts", err) : status;
}

static ff_status stopped(ff_ensemble *e, uint64_t first, uint64_t n, double *times, ff_error *err) {
  if (first > e->units || n > e->units - first || e->launch.stopped == NULL)
    return ff_error_set(err, FF_EINTERNAL, "trajectories beyond the wave, or without a condition");
  const ff_status status = ff_cuda_check(cudaMemcpyAsync(times, e->launch.stopped + first, n * sizeof *times,
                                                         cudaMemcpyDeviceToHost, e->stream), "reading times", err);
  return status == FF_OK ? ff_ssa_ensemble_wait(e, "reading times", err) : status;
}

static const ff_ssa_fired *fired(const ff_ensemble *e, uint64_t *n) {
  *n = e->n_fired;
  return e->fired;
}

static ff_status events(ff_ensemble *e, uint64_t *out, ff_error *err) {
  const size_t bytes = e->n_points > 0 ? (size_t)(e->units / e->request.n_each) * sizeof *out : 0;
  ff_status status = ff_cuda_check(cudaMemcpyAsync(out, e->launch.point_events, bytes, cudaMemcpyDeviceToHost, e->stream),
                                   "reading events", err);
  return status == FF_OK ? ff_ssa_ensemble_wait(e, "reading events", err) : status;
}

/* ---- the interface: each call makes the ensemble's device the thread's current one ------------------------------------ */

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

static ff_status start_there(ff_ensemble *e, uint64_t key, uint64_t first, uint64_t units, ff_error *err) {
  ON_DEVICE(e, start(e, key, first, units, err), err);
}

static ff_status advance_there(ff_ensemble *e, double seconds, ff_ssa_device_progress *progress, ff_error *err) {
  ON_DEVICE(e, advance(e, seconds, progress, err), err);
}

static ff_status refused_there(ff_ensemble *e, uint64_t from, uint64_t *units, uint64_t capacity, uint64_t *n, ff_error *err) {
  ON_DEVICE(e, refused(e, from, units, capacity, n, err), err);
}

static ff_status tally_there(ff_ensemble *e, uint64_t first, uint64_t n, ff_ssa_sums *sums, ff_error *err) {
  if (first > e->units || n > e->units - first) return ff_error_set(err, FF_EINTERNAL, "trajectories beyond the wave");
  ON_DEVICE(e, ff_ssa_collect(e, first, n, sums, err), err);
}

static ff_status events_there(ff_ensemble *e, uint64_t *out, ff_error *err) { ON_DEVICE(e, events(e, out, err), err); }

static ff_status stopped_there(ff_ensemble *e, uint64_t first, uint64_t n, double *times, ff_error *err) {
  ON_DEVICE(e, stopped(e, first, n, times, err), err);
}

static ff_status states_there(ff_ensemble *e, uint64_t first, uint64_t n, uint32_t *counts, ff_error *err) {
  ON_DEVICE(e, states(e, first, n, counts, err), err);
}

const ff_ssa_device ff_cuda_ssa = {.common = {.destroy = destroy, .ready = ready_there, .start = start_there, .info = info},
                                   .create = create,
                                   .advance = advance_there,
                                   .refused = refused_there,
                                   .tally = tally_there,
                                   .states = states_there,
                                   .stopped = stopped_there,
                                   .fired = fired,
                                   .events = events_there};
