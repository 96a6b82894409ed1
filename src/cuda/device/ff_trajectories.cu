#include "ff_trajectories.h"
#include "ff_turns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_STEPS 0x40000000u
#define SHORT_TURN 0.001   /* seconds: the least and the most that slots run before others have their turn, */
#define LONG_TURN 0.02
#define TURNS 32.0         /* and the part of the time so far */
#define STARTS_AT_ONCE UINT64_C(16777216) /* counts at the start that are copied between two looks at the clock */

/* ---- making and freeing ------------------------------------------------------------------------------------------ */

static void free_request(ff_device_request *request) {
  free((void *)request->initial);
  free((void *)request->times);
  free((void *)request->observed);
  free((void *)request->order);
}

static ff_trajectories *of(ff_ensemble *e) { return (ff_trajectories *)e; }

static void give_back(ff_ensemble *ensemble) {
  ff_trajectories *e = of(ensemble);
  void *const memory[] = {(void *)e->launch.times, (void *)e->launch.observed, e->launch.recorded, e->launch.refused,
                          e->launch.counters, e->launch.state, e->launch.point_steps, e->points, e->sums.at,
                          (void *)e->launch.starts, e->launch.stopped, e->launch.fired};
  for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++) cudaFree(memory[i]);
}

/* The next runner begins anew with the points. */
static void forget_points(ff_ensemble *ensemble) {
  ff_trajectories *e = of(ensemble);
  e->n_points = 0;
  if (e->request.joins != NULL) memset(e->request.joins, 0, e->request.n_points);
}

static ff_status allocate(ff_ensemble *e, ff_error *err) { return ff_trajectories_take_memory(of(e), err); }

static void destroy(ff_ensemble *ensemble) {
  ff_trajectories *e = of(ensemble);
  if (e == NULL) return;
  ff_stages_close(e);
  free_request(&e->request);
  free(e->fired);
  free(e);
}

static void *copy_of(const void *from, size_t n, size_t size) {
  void *to = ff_calloc(n, size);
  if (to != NULL && n > 0) memcpy(to, from, n * size);
  return to;
}

static ff_status copy_request(ff_trajectories *e, const ff_device_request *request, ff_error *err) {
  ff_device_request *r = &e->request;
  *r = *request;
  r->initial = (double *)copy_of(request->initial, e->n_counts, sizeof *r->initial);
  r->times = (double *)copy_of(request->times, request->n_times, sizeof *r->times);
  r->observed = (uint32_t *)copy_of(request->observed, request->n_observed, sizeof *r->observed);
  if (request->order != NULL) r->order = (uint32_t *)copy_of(request->order, e->n_order, sizeof *r->order);
  const int ordered = (r->order != NULL) == (request->order != NULL);
  if (r->initial != NULL && r->times != NULL && r->observed != NULL && ordered) return FF_OK;
  return ff_error_set(err, FF_EMEMORY, "no memory for an ensemble");
}

ff_status ff_trajectories_open(ff_trajectories *e, const ff_device_request *request, ff_error *err) {
  static const ff_staged_kind kind = {allocate, forget_points, give_back};
  ff_error none;
  e->kind = &kind;
  ff_error_set(&none, FF_EUNSUPPORTED, "there is no kernel of this name");
  ff_status status = copy_request(e, request, err);
  if (status == FF_OK) status = ff_stages_open(e, &none, err);
  if (status != FF_OK) destroy((ff_ensemble *)e);
  return status;
}

static ff_status ready(ff_trajectories *e, double seconds, int *is, ff_error *err) {
  const ff_status status = ff_stages_ready(e, seconds, is, err);
  if (*is) e->request.points = NULL, e->request.joins = NULL; /* these belong to the caller */
  return status;
}

static ff_ensemble_info info(const ff_ensemble *e) { return ((const ff_trajectories *)e)->info; }

/* ---- waves --------------------------------------------------------------------------------------------------------- */

/* Lets a wave begin at the point of its first trajectory. */
static ff_status start_points(ff_trajectories *e, uint64_t first, uint64_t units, ff_error *err) {
  ff_launch *l = &e->launch;
  const uint64_t each = e->request.n_each, at = first / each;
  if (first % each != 0 || units % each != 0 || at + units / each > e->n_points)
    return ff_error_set(err, FF_EINTERNAL, "a wave that is not of whole points");
  l->each = (uint32_t)each;
  l->points = e->points + at * e->point_words;
  return ff_cuda_check(cudaMemsetAsync(l->point_steps, 0, units / each * sizeof *l->point_steps, e->stream), "starting", err);
}

/* The counts at the start of the wave's trajectories that are not on the device yet. */
static uint64_t missing_starts(const ff_trajectories *e) {
  return e->launch.starts != NULL ? e->units * e->n_counts - e->n_starts : 0;
}

/* Copies the next of these counts, and more until the time `stop`: real ones as they are, whole ones as the kernels read them.
 * They are copied on the ensemble's stream, because its kernels do not wait for the default one. */
static ff_status copy_starts(ff_trajectories *e, double stop, ff_error *err) {
  const uint64_t most = missing_starts(e) < STARTS_AT_ONCE ? missing_starts(e) : STARTS_AT_ONCE;
  const double *from = e->request.starts + (e->launch.first - e->request.first_start) * e->n_counts;
  const int reals = e->request.reals;
  const size_t bytes = ff_device_count_bytes(reals);
  uint32_t *counts = reals ? NULL : (uint32_t *)ff_calloc((size_t)most, sizeof *counts);
  ff_status status = FF_OK;
  if (!reals && counts == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for %llu counts at the start", (unsigned long long)most);
  do {
    const uint64_t piece = missing_starts(e) < most ? missing_starts(e) : most;
    for (uint64_t i = 0; !reals && i < piece; i++) counts[i] = (uint32_t)from[e->n_starts + i];
    const void *next = reals ? (const void *)(from + e->n_starts) : counts;
    status = ff_cuda_check(cudaMemcpyAsync((char *)e->launch.starts + e->n_starts * bytes, next, piece * bytes,
                                           cudaMemcpyHostToDevice, e->stream), "copying counts at the start", err);
    if (status == FF_OK) status = ff_stages_wait(e, "copying counts at the start", err);
    e->n_starts += piece;
  } while (status == FF_OK && missing_starts(e) > 0 && ff_clock() < stop);
  free(counts);
  return status;
}

static ff_status start(ff_trajectories *e, uint64_t key, uint64_t first, uint64_t units, ff_error *err) {
  ff_launch *l = &e->launch;
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
  return status == FF_OK ? ff_stages_wait(e, "starting trajectories", err) : status;
}

/* The seconds of a launch. Turns are short in the beginning, so that shares are about equal whenever the wave ends. */
static double share_of(const ff_trajectories *e, double seconds, double left) {
  const double share = ff_launch_share(seconds, left);
  double turn = e->lasted / TURNS;
  if (e->running == e->launch.slots) return share;
  turn = turn < SHORT_TURN ? SHORT_TURN : turn < LONG_TURN ? turn : LONG_TURN;
  return turn < share ? turn : share;
}

/* Appends the firings of the last launch to the list of the wave. */
static ff_status take_fired(ff_trajectories *e, ff_error *err) {
  const size_t n = (size_t)e->done.fired;
  if (n > ff_trajectories_list_room(e))
    return ff_error_set(err, FF_EINTERNAL, "a launch has listed more firings than its list has room for");
  ff_status status = ff_grow((void **)&e->fired, &e->fired_room, e->n_fired + n, sizeof *e->fired, err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemcpyAsync(e->fired + e->n_fired, e->launch.fired, n * sizeof *e->fired, cudaMemcpyDeviceToHost,
                                           e->stream), "reading firings", err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemsetAsync(&e->launch.counters->fired, 0, sizeof e->launch.counters->fired, e->stream),
                           "reading firings", err);
  if (status == FF_OK) status = ff_stages_wait(e, "reading firings", err);
  if (status == FF_OK) e->n_fired += n;
  return status;
}

/* Runs one launch, measures its time and reads the counters. */
static ff_status launch(ff_trajectories *e, double seconds, ff_error *err) {
  const ff_trajectory_runner *runner = static_cast<const ff_trajectory_runner *>(e->runner);
  double lasted = 0;
  e->launch.steps = e->request.max_firings > 0 ? e->firings_each : MOST_STEPS;
  e->launch.nanoseconds = (uint64_t)(seconds * 1e9);
  ff_status status = ff_launch_begin(e, err);
  if (status == FF_OK) status = runner->launch((ff_ensemble *)e, &e->launch, err);
  if (status == FF_OK) status = ff_launch_end(e, err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemcpyAsync(&e->done, e->launch.counters, sizeof e->done, cudaMemcpyDeviceToHost, e->stream),
                           "reading its counters", err);
  if (status == FF_OK) status = ff_launch_lasted(e, "simulating trajectories", &lasted, err);
  if (status != FF_OK) return status;
  e->lasted += lasted;
  ff_next_turn(&e->launch, e->running);
  return e->request.max_firings > 0 ? take_fired(e, err) : FF_OK;
}

static int lists_too_many(const ff_trajectories *e) {
  return e->request.max_firings > 0 && e->n_fired > e->request.max_firings;
}

static ff_status advance(ff_trajectories *e, double seconds, ff_device_progress *progress, ff_error *err) {
  const double stop = ff_clock() + seconds;
  ff_status status = missing_starts(e) > 0 ? copy_starts(e, stop, err) : FF_OK;
  while (status == FF_OK && missing_starts(e) == 0 && e->done.complete < e->units && !lists_too_many(e)) {
    status = launch(e, share_of(e, seconds, stop - ff_clock()), err);
    if (ff_clock() > stop) break;
  }
  *progress = {.complete = e->done.complete, .steps = e->done.steps, .fired = e->n_fired,
               .done = e->done.complete == e->units};
  return status;
}

static ff_status refused(ff_trajectories *e, uint64_t from, uint64_t *units, uint64_t capacity, uint64_t *n, ff_error *err) {
  const size_t words = (size_t)((e->units + 31) / 32);
  *n = 0;
  uint32_t *bits = (uint32_t *)ff_calloc(words, sizeof *bits);
  if (bits == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for a wave of %llu trajectories", (unsigned long long)e->units);
  ff_status status = ff_cuda_check(cudaMemcpyAsync(bits, e->launch.refused, words * sizeof *bits, cudaMemcpyDeviceToHost,
                                                   e->stream), "reading what it refused", err);
  if (status == FF_OK) status = ff_stages_wait(e, "reading what it refused", err);
  for (uint64_t k = from; status == FF_OK && k < e->units && *n < capacity; k++) {
    if (bits[k / 32] == 0) k |= 31;
    else if (bits[k / 32] >> (k % 32) & 1) units[(*n)++] = k;
  }
  free(bits);
  return status;
}

static ff_status states(ff_trajectories *e, uint64_t first, uint64_t n, void *counts, ff_error *err) {
  const size_t lines = (size_t)e->request.n_times * e->request.n_observed, bytes = ff_device_count_bytes(e->request.reals);
  const char *from = (const char *)e->launch.recorded + first * bytes;
  if (first > e->units || n > e->units - first) return ff_error_set(err, FF_EINTERNAL, "trajectories beyond the wave");
  if (n == 0 || lines == 0) return FF_OK;
  const int all = n == e->units; /* nothing is between the lines, which may be many and short */
  const int at_once = e->units * bytes <= e->device.memPitch; /* else line by line: there are few lines of so many trajectories */
  ff_status status = FF_OK;
  if (all)
    status = ff_cuda_check(cudaMemcpyAsync(counts, from, lines * n * bytes, cudaMemcpyDeviceToHost, e->stream), "reading counts",
                           err);
  else if (at_once)
    status = ff_cuda_check(cudaMemcpy2DAsync(counts, n * bytes, from, e->units * bytes, n * bytes, lines,
                                             cudaMemcpyDeviceToHost, e->stream), "reading counts", err);
  for (size_t i = 0; !all && !at_once && i < lines && status == FF_OK; i++)
    status = ff_cuda_check(cudaMemcpyAsync((char *)counts + i * n * bytes, from + i * e->units * bytes, n * bytes,
                                           cudaMemcpyDeviceToHost, e->stream), "reading counts", err);
  return status == FF_OK ? ff_stages_wait(e, "reading counts", err) : status;
}

static ff_status stopped(ff_trajectories *e, uint64_t first, uint64_t n, double *times, ff_error *err) {
  if (first > e->units || n > e->units - first || e->launch.stopped == NULL)
    return ff_error_set(err, FF_EINTERNAL, "trajectories beyond the wave, or without a condition");
  const ff_status status = ff_cuda_check(cudaMemcpyAsync(times, e->launch.stopped + first, n * sizeof *times,
                                                         cudaMemcpyDeviceToHost, e->stream), "reading times", err);
  return status == FF_OK ? ff_stages_wait(e, "reading times", err) : status;
}

static const ff_fired *fired(const ff_ensemble *ensemble, uint64_t *n) {
  const ff_trajectories *e = (const ff_trajectories *)ensemble;
  *n = e->n_fired;
  return e->fired;
}

static ff_status steps(ff_trajectories *e, uint64_t *out, ff_error *err) {
  const size_t bytes = e->n_points > 0 ? (size_t)(e->units / e->request.n_each) * sizeof *out : 0;
  ff_status status = ff_cuda_check(cudaMemcpyAsync(out, e->launch.point_steps, bytes, cudaMemcpyDeviceToHost, e->stream),
                                   "reading steps", err);
  return status == FF_OK ? ff_stages_wait(e, "reading steps", err) : status;
}

/* ---- code that is generated at run time ------------------------------------------------------------------------------- */

ff_status ff_trajectories_wait_for_code(ff_jit *jit, double seconds, int *loaded, ff_error *err) {
  ff_jit_outcome outcome;
  const ff_status status = ff_jit_wait(jit, seconds, &outcome, err);
  *loaded = status == FF_OK && outcome == FF_JIT_LOADED;
  if (status != FF_OK || *loaded || outcome == FF_JIT_COMPILING) return status;
  return ff_error_set(err, FF_EUNSUPPORTED, "%s", ff_jit_reason(jit));
}

ff_status ff_trajectories_start_code(ff_trajectories *e, ff_jit **out, const char *const *parts, ff_error *err) {
  const ff_jit_request request = {.parts = parts, .options = NULL, .n_parts = 3, .n_options = 0,
                                  .arch = e->device.major * 10 + e->device.minor, .cache = e->options.cache, .saves = 0,
                                  .price = -INFINITY};
  const ff_status status = ff_jit_start(out, &request, err);
  int loaded;
  return status == FF_OK ? ff_trajectories_wait_for_code(*out, 0, &loaded, err) : status;
}

void ff_trajectories_use_code(ff_trajectories *e, const ff_jit *jit, const ff_module_kernel *kernel, uint32_t threads,
                              uint32_t slots, size_t shared, const char *model, const char *work) {
  const char *note = ff_jit_reason(jit);
  e->resident = (uint64_t)kernel->blocks * slots * (uint64_t)e->device.multiProcessorCount;
  e->block_slots = slots;
  e->info.threads = threads;
  e->info.blocks = (uint32_t)kernel->blocks;
  e->info.registers = (uint32_t)kernel->registers;
  e->info.shared_bytes = (uint32_t)shared;
  snprintf(e->info.reason, sizeof e->info.reason, "code generated for this %s%s, %s%s%.120s", model,
           ff_jit_kept(jit) ? " (from the cache)" : "", work, note[0] != '\0' ? "; " : "", note);
}

/* ---- the interface: each call makes the ensemble's device the thread's current one ------------------------------------ */

static ff_status ready_there(ff_ensemble *e, double seconds, int *is, ff_error *err) {
  FF_ON_DEVICE(of(e), ready(of(e), seconds, is, err), err);
}

static ff_status start_there(ff_ensemble *e, uint64_t key, uint64_t first, uint64_t units, ff_error *err) {
  FF_ON_DEVICE(of(e), start(of(e), key, first, units, err), err);
}

static ff_status advance_there(ff_ensemble *e, double seconds, ff_device_progress *progress, ff_error *err) {
  FF_ON_DEVICE(of(e), advance(of(e), seconds, progress, err), err);
}

static ff_status refused_there(ff_ensemble *e, uint64_t from, uint64_t *units, uint64_t capacity, uint64_t *n, ff_error *err) {
  FF_ON_DEVICE(of(e), refused(of(e), from, units, capacity, n, err), err);
}

static ff_status tally_there(ff_ensemble *e, uint64_t first, uint64_t n, ff_sums *sums, ff_error *err) {
  if (first > of(e)->units || n > of(e)->units - first) return ff_error_set(err, FF_EINTERNAL, "trajectories beyond the wave");
  FF_ON_DEVICE(of(e), ff_collect(of(e), first, n, sums, err), err);
}

static ff_status steps_there(ff_ensemble *e, uint64_t *out, ff_error *err) { FF_ON_DEVICE(of(e), steps(of(e), out, err), err); }

static ff_status stopped_there(ff_ensemble *e, uint64_t first, uint64_t n, double *times, ff_error *err) {
  FF_ON_DEVICE(of(e), stopped(of(e), first, n, times, err), err);
}

static ff_status states_there(ff_ensemble *e, uint64_t first, uint64_t n, void *counts, ff_error *err) {
  FF_ON_DEVICE(of(e), states(of(e), first, n, counts, err), err);
}

ff_device_calls ff_trajectories_calls(ff_trajectories_create create) {
  return {.common = {.destroy = destroy, .ready = ready_there, .start = start_there, .info = info},
          .create = create,
          .advance = advance_there,
          .refused = refused_there,
          .tally = tally_there,
          .states = states_there,
          .stopped = stopped_there,
          .fired = fired,
          .steps = steps_there};
}
