/* Devices simulate trajectories in waves. What they refuse is simulated on this processor. */
#include "ff_ssa_waves.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEAST_SECONDS 0.002 /* a device gets at least this time, however near the deadline is */
#define MOST_SECONDS 0.25   /* and at most this time at once, if other devices may end meanwhile; a launch takes half of it */
/* A device prepares an ensemble for larger counts if it refuses at least 1 / WIDE_PART of a wave, and if it refuses much, here
 * and later: WIDE_UNITS trajectories, or WIDE_EVENTS events for each thread of this processor. */
#define WIDE_PART 64
#define WIDE_UNITS 4096
#define WIDE_EVENTS 2e7 /* about a second */

/* ---- dividing the work -------------------------------------------------------------------------------------------------- */

void ff_ssa_waves_plan(ff_ssa_waves *w) {
  double left = 0, capacity = 0;
  for (uint32_t i = 0; i < w->n_left; i++) left += (double)(w->left[i].last - w->left[i].next);
  for (uint32_t i = 0; i < w->n; i++) capacity += w->waves[i].lost ? 0 : (double)w->waves[i].capacity;
  if (capacity == 0) return; /* none is ready */
  const double rounds = ceil(left / capacity);
  for (uint32_t i = 0; i < w->n; i++) {
    ff_ssa_wave *v = &w->waves[i];
    const double size = rounds > 0 ? ceil(left / rounds * ((double)v->capacity / capacity)) : 1;
    v->size = size < (double)v->capacity ? (uint64_t)size : v->capacity;
  }
}

/* Takes the next trajectories, in their order: after a failure, only those before the failed one matter. Returns 0 if there are
 * none. */
static int take(ff_ssa_waves *w, uint64_t failed, uint64_t size, ff_ssa_range *out) {
  uint32_t first = 0;
  for (uint32_t i = 1; i < w->n_left; i++)
    if (w->left[i].next < w->left[first].next) first = i;
  if (w->n_left == 0 || w->left[first].next >= failed) return 0;
  ff_ssa_range *from = &w->left[first];
  *out = *from;
  if (out->last - out->next > size) out->last = out->next + size;
  from->next = out->last;
  if (from->next == from->last) *from = w->left[--w->n_left];
  return 1;
}

/* Lets a wave begin with the first of its trajectories. */
static void begin_anew(ff_ssa_wave *v, ff_ssa_wave_stage stage) {
  v->stage = stage;
  v->begun = 0;
  v->recorded = 0;
  v->n_refused = 0;
  v->n_stopped = 0;
  v->listed = 0;
  v->progress = (ff_ssa_device_progress){0};
}

void ff_ssa_waves_begin(ff_ssa_run *run) {
  ff_ssa_waves *w = run->waves;
  const uint64_t failed = atomic_load(&run->failed);
  for (uint32_t i = 0; i < w->n; i++) {
    ff_ssa_wave *v = &w->waves[i];
    const int ready = v->capacity > 0;
    if (v->lost || v->stage != FF_SSA_WAVE_NONE || !take(w, failed, ready ? v->size : UINT64_MAX, &v->range)) continue;
    w->used = 1;
    begin_anew(v, ready ? FF_SSA_WAVE_RUNS : FF_SSA_WAVE_WIDENS);
  }
}

/* ---- devices that fail -------------------------------------------------------------------------------------------------- */

/* Drops a device that has failed. Its trajectories that are not recorded go to the others. */
static ff_status lose(ff_ssa_run *run, ff_ssa_wave *v, ff_error *err) {
  ff_ssa_waves *w = run->waves;
  const size_t said = strlen(w->lost);
  const ff_ssa_range left = {v->range.next + v->recorded, v->range.last, v->range.counted || v->recorded > 0};
  ff_status status = FF_OK;
  snprintf(w->lost + said, sizeof w->lost - said, "%sGPU %u: %.200s", said > 0 ? "; " : "", w->devices[v - w->waves],
           v->err.text);
  if (v->stage != FF_SSA_WAVE_NONE) {
    if (v->recorded > 0) status = ff_ssa_wave_settle(run, v, err);
    if (left.next < left.last) w->left[w->n_left++] = left;
  }
  w->backend->common.destroy(v->ensemble);
  v->ensemble = NULL;
  v->lost = 1;
  v->stage = FF_SSA_WAVE_NONE;
  if (w->ready) ff_ssa_waves_plan(w);
  return status;
}

ff_status ff_ssa_waves_drop_failed(ff_ssa_run *run, ff_error *err) {
  ff_ssa_waves *w = run->waves;
  const ff_ssa_wave *failed = NULL;
  uint32_t left = 0;
  for (uint32_t i = 0; i < w->n; i++) {
    ff_ssa_wave *v = &w->waves[i];
    if (!v->lost && v->status != FF_OK) {
      ff_status status = lose(run, v, err);
      if (status != FF_OK) return status;
    }
    left += !v->lost;
    if (v->lost && failed == NULL) failed = v;
  }
  return left > 0 ? FF_OK : ff_error_set(err, failed->status, "%s", failed->err.text);
}

/* ---- work --------------------------------------------------------------------------------------------------------------- */

int ff_ssa_waves_devices(const ff_ssa_run *run) {
  return run->waves != NULL && run->waves->ready ? (int)run->waves->n : 0;
}

/* Whether a device has refused so much of its wave that it should begin anew, with room for larger counts: if this processor
 * would need longer for what is refused, here and later, than the device needs for other code and the wave. Refused trajectories
 * have stopped, and may have more events in all than the complete ones. Hence their number counts, too. If none is complete,
 * there may be any number of events. */
static int should_widen(const ff_ssa_run *run, const ff_ssa_wave *v) {
  const ff_ssa_waves *w = run->waves;
  const double n = (double)(v->range.last - v->range.next), part = (double)v->n_refused / n, complete = n - (double)v->n_refused;
  const double units = part * (double)ff_ssa_wave_units(run, v);
  const double events = complete > 0 ? units * (double)v->progress.events / complete : INFINITY;
  const double most = w->choice.wide_events > 0 ? w->choice.wide_events : WIDE_EVENTS * run->threads;
  if (v->stays || v->recorded > 0 || w->piece.of == v) return 0; /* the piece may be recorded in part */
  if (part * WIDE_PART < 1 || atomic_load(&run->failed) != FF_SSA_NO_UNIT) return 0;
  if (units < WIDE_UNITS && events < most) return 0;
  return w->backend->common.info(v->ensemble).narrow && !ff_ssa_wave_lists_too_many(run, v);
}

/* Lets a device prepare an ensemble for larger counts. If there is none, the processor simulates what the device has refused. */
static void widen(ff_ssa_run *run, ff_ssa_wave *v) {
  ff_ensemble *wide = NULL;
  ff_error why;
  v->stays = 1;
  if (ff_ssa_wave_create(run, v, 1, &wide, &why) != FF_OK) return;
  v->seconds = run->waves->backend->common.info(v->ensemble).device_seconds;
  run->waves->backend->common.destroy(v->ensemble);
  v->ensemble = wide;
  v->wide = 1;
  v->capacity = 0;
  begin_anew(v, FF_SSA_WAVE_WIDENS);
}

/* Prepares the ensemble until the deadline, or until it is ready. */
static void prepare_wide(ff_ssa_run *run, ff_ssa_wave *v) {
  ff_ssa_waves *w = run->waves;
  int ready = v->capacity > 0;
  for (double left = run->deadline - ff_clock(); v->status == FF_OK && !ready; left = run->deadline - ff_clock()) {
    const double most = w->n > 1 ? MOST_SECONDS : INFINITY;
    v->status = w->backend->common.ready(v->ensemble, left < 0 ? 0 : left < most ? left : most, &ready, &v->err);
    if (left <= 0 || atomic_load(&w->ended)) break;
  }
  if (v->status != FF_OK || !ready) return;
  v->capacity = w->backend->common.info(v->ensemble).capacity;
  atomic_store(&w->ended, 1);
}

/* Lets a device whose new ensemble is ready begin its wave anew, or as much of it as the ensemble has room for. */
static void begin_wide(ff_ssa_waves *w, ff_ssa_wave *v) {
  ff_ssa_range rest = v->range;
  rest.next += v->capacity;
  if (rest.next < rest.last) {
    w->left[w->n_left++] = rest;
    v->range.last = rest.next;
  }
  v->stage = FF_SSA_WAVE_RUNS;
  ff_ssa_waves_plan(w);
}

int ff_ssa_waves_ended(const ff_ssa_run *run) { return run->waves != NULL && atomic_load(&run->waves->ended); }

void ff_ssa_waves_work(ff_ssa_run *run, int device) {
  ff_ssa_waves *w = run->waves;
  ff_ssa_wave *v = &w->waves[device];
  const double most = w->n > 1 ? MOST_SECONDS : INFINITY;
  if (v->stage == FF_SSA_WAVE_WIDENS) prepare_wide(run, v);
  if (v->stage != FF_SSA_WAVE_RUNS) return;
  if (!v->begun)
    v->status = w->backend->common.start(v->ensemble, run->options.key, run->options.first + v->range.next,
                                         v->range.last - v->range.next, &v->err);
  v->begun = 1;
  double left = run->deadline - ff_clock();
  while (v->status == FF_OK && !v->progress.done) {
    const double seconds = left < LEAST_SECONDS ? LEAST_SECONDS : left < most ? left : most;
    v->status = w->backend->advance(v->ensemble, seconds, &v->progress, &v->err);
    left = run->deadline - ff_clock();
    if (left <= 0 || atomic_load(&w->ended) || ff_ssa_wave_lists_too_many(run, v)) break;
  }
  if (v->status != FF_OK || !(v->progress.done || ff_ssa_wave_lists_too_many(run, v))) return;
  if (v->progress.done) v->status = ff_ssa_wave_list_refused(w->backend, v); /* else the run fails */
  if (v->status != FF_OK) return;
  v->stage = FF_SSA_WAVE_ENDED;
  atomic_store(&w->ended, 1);
}

uint64_t ff_ssa_waves_refused(ff_ssa_run *run) {
  ff_ssa_waves *w = run->waves;
  if (w == NULL) return FF_SSA_NO_UNIT;
  for (;;) {
    const size_t i = atomic_fetch_add(&w->next_refused, 1);
    if (i >= w->n_refused) return FF_SSA_NO_UNIT;
    if (w->refused[i] < atomic_load(&run->failed)) return w->refused[i];
  }
}

ff_status ff_ssa_waves_collect(ff_ssa_run *run, ff_error *err) {
  ff_ssa_waves *w = run->waves;
  if (w == NULL || !w->ready) return FF_OK;
  ff_status status = ff_ssa_waves_drop_failed(run, err);
  for (uint32_t i = 0; i < w->n && status == FF_OK; i++) {
    ff_ssa_wave *v = &w->waves[i];
    if (v->stage == FF_SSA_WAVE_ENDED && should_widen(run, v)) widen(run, v);
    if (v->stage == FF_SSA_WAVE_ENDED) status = ff_ssa_wave_collect(run, v, err);
    if (v->stage == FF_SSA_WAVE_WIDENS && v->capacity > 0) begin_wide(w, v);
  }
  if (status == FF_OK) status = ff_ssa_waves_drop_failed(run, err);
  if (status != FF_OK) return status;
  const uint64_t failed = atomic_load(&run->failed);
  int ended = 0;
  for (uint32_t i = 0; i < w->n; i++) {
    ff_ssa_wave *v = &w->waves[i];
    if (v->stage != FF_SSA_WAVE_NONE && v->range.next > failed) v->stage = FF_SSA_WAVE_NONE; /* it does not matter */
    ended |= v->stage == FF_SSA_WAVE_ENDED;
  }
  atomic_store(&w->ended, ended);
  ff_ssa_waves_begin(run);
  return FF_OK;
}

/* ---- what is left, and results ------------------------------------------------------------------------------------------ */

int ff_ssa_waves_any_refused(const ff_ssa_run *run) {
  const ff_ssa_waves *w = run->waves;
  if (w == NULL) return 0;
  for (size_t i = atomic_load(&w->next_refused); i < w->n_refused; i++)
    if (w->refused[i] < atomic_load(&run->failed)) return 1;
  return 0;
}

int ff_ssa_waves_left(const ff_ssa_run *run) {
  const ff_ssa_waves *w = run->waves;
  if (w == NULL) return 0;
  const uint64_t failed = atomic_load(&run->failed);
  for (uint32_t i = 0; i < w->n_left; i++)
    if (w->left[i].next < failed) return 1;
  for (uint32_t i = 0; i < w->n; i++)
    if (w->waves[i].stage != FF_SSA_WAVE_NONE) return 1;
  return ff_ssa_waves_any_refused(run);
}

uint64_t ff_ssa_waves_complete(const ff_ssa_run *run) {
  const ff_ssa_waves *w = run->waves;
  if (w == NULL) return 0;
  uint64_t n = w->complete;
  for (uint32_t i = 0; i < w->n; i++)
    if (w->waves[i].stage != FF_SSA_WAVE_NONE) n += w->waves[i].progress.complete;
  return n;
}

uint64_t ff_ssa_waves_events(const ff_ssa_run *run) {
  const ff_ssa_waves *w = run->waves;
  if (w == NULL) return 0;
  uint64_t n = w->events;
  for (uint32_t i = 0; i < w->n; i++)
    if (w->waves[i].stage != FF_SSA_WAVE_NONE && !w->waves[i].range.counted) n += w->waves[i].progress.events;
  return n;
}

int ff_ssa_run_device(const ff_ssa_run *run, ff_ensemble_info *out) {
  const ff_ssa_waves *w = run->waves;
  const ff_ssa_wave *first = w != NULL && w->used ? ff_ssa_waves_first(w, 0) : NULL;
  if (first == NULL) return 0;
  *out = w->backend->common.info(first->ensemble);
  out->device_seconds += first->seconds;
  out->devices = 1;
  out->refused = w->n_refused;
  for (const ff_ssa_wave *v = first + 1; v < w->waves + w->n; v++) {
    if (v->ensemble == NULL) continue;
    const ff_ensemble_info other = w->backend->common.info(v->ensemble);
    out->devices++;
    out->bytes += other.bytes;
    out->capacity += other.capacity;
    out->device_seconds = fmax(out->device_seconds, v->seconds + other.device_seconds);
  }
  return 1;
}

const char *ff_ssa_run_lost(const ff_ssa_run *run) {
  return run->waves != NULL && run->waves->lost[0] != '\0' ? run->waves->lost : NULL;
}
