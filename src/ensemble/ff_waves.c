/* Devices simulate trajectories in waves. What they refuse is simulated on this processor. */
#include "ff_waves.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEAST_SECONDS 0.002 /* a device gets at least this time, however near the deadline is */
#define MOST_SECONDS 0.25   /* and at most this time at once, if other devices may end meanwhile; a launch takes half of it */
/* A device prepares an ensemble for larger counts if it refuses at least 1 / ANEW_PART of a wave, and if it refuses much, here
 * and later: ANEW_UNITS trajectories, or ANEW_STEPS steps for each thread of this processor. */
#define ANEW_PART 64
#define ANEW_UNITS 4096
#define ANEW_STEPS 2e7 /* about a second */

/* ---- dividing the work -------------------------------------------------------------------------------------------------- */

void ff_waves_plan(ff_waves *w) {
  double left = 0, capacity = 0;
  for (uint32_t i = 0; i < w->n_left; i++) left += (double)(w->left[i].last - w->left[i].next);
  for (uint32_t i = 0; i < w->fleet.n; i++) capacity += w->waves[i].on->lost ? 0 : (double)w->waves[i].on->capacity;
  if (capacity == 0) return; /* none is ready */
  const double rounds = ceil(left / capacity);
  for (uint32_t i = 0; i < w->fleet.n; i++) {
    ff_wave *v = &w->waves[i];
    const double size = rounds > 0 ? ceil(left / rounds * ((double)v->on->capacity / capacity)) : 1;
    v->size = size < (double)v->on->capacity ? (uint64_t)size : v->on->capacity;
  }
}

/* Takes the next trajectories, in their order: after a failure, only those before the failed one matter. Returns 0 if there are
 * none. */
static int take(ff_waves *w, uint64_t failed, uint64_t size, ff_unit_range *out) {
  uint32_t first = 0;
  for (uint32_t i = 1; i < w->n_left; i++)
    if (w->left[i].next < w->left[first].next) first = i;
  if (w->n_left == 0 || w->left[first].next >= failed) return 0;
  ff_unit_range *from = &w->left[first];
  *out = *from;
  if (out->last - out->next > size) out->last = out->next + size;
  from->next = out->last;
  if (from->next == from->last) *from = w->left[--w->n_left];
  return 1;
}

/* Lets a wave begin with the first of its trajectories. */
static void begin_anew(ff_wave *v, ff_wave_stage stage) {
  v->stage = stage;
  v->begun = 0;
  v->recorded = 0;
  v->n_refused = 0;
  v->n_stopped = 0;
  v->listed = 0;
  v->progress = (ff_device_progress){0};
}

void ff_waves_begin(ff_run *run) {
  ff_waves *w = run->waves;
  const uint64_t failed = atomic_load(&run->failed);
  for (uint32_t i = 0; i < w->fleet.n; i++) {
    ff_wave *v = &w->waves[i];
    const int ready = v->on->capacity > 0;
    if (v->on->lost || v->stage != FF_WAVE_NONE || !take(w, failed, ready ? v->size : UINT64_MAX, &v->range)) continue;
    w->used = 1;
    begin_anew(v, ready ? FF_WAVE_RUNS : FF_WAVE_WIDENS);
  }
}

/* ---- devices that fail -------------------------------------------------------------------------------------------------- */

/* Returns the trajectories of a device that has failed, except those that are recorded. */
static ff_status give_back(ff_run *run, ff_wave *v, ff_error *err) {
  ff_waves *w = run->waves;
  const ff_unit_range left = {v->range.next + v->recorded, v->range.last, v->range.counted || v->recorded > 0};
  ff_status status = FF_OK;
  if (v->stage == FF_WAVE_NONE) return FF_OK;
  if (v->recorded > 0) status = ff_wave_settle(run, v, err);
  if (left.next < left.last) w->left[w->n_left++] = left;
  v->stage = FF_WAVE_NONE;
  return status;
}

ff_status ff_waves_drop_failed(ff_run *run, ff_error *err) {
  ff_waves *w = run->waves;
  for (uint32_t i = ff_fleet_failed(&w->fleet); i < w->fleet.n; i = ff_fleet_failed(&w->fleet)) {
    ff_status status = give_back(run, &w->waves[i], err);
    ff_fleet_drop(&w->fleet, i);
    if (w->ready) ff_waves_plan(w);
    if (status != FF_OK) return status;
  }
  return ff_fleet_check(&w->fleet, err);
}

/* ---- work --------------------------------------------------------------------------------------------------------------- */

int ff_waves_devices(const ff_run *run) {
  return run->waves != NULL && run->waves->ready ? (int)run->waves->fleet.n : 0;
}

/* Whether a device has refused so much of its wave that it should begin anew, with room for larger counts: if this processor
 * would need longer for what is refused, here and later, than the device needs for other code and the wave. Refused trajectories
 * have stopped, and may have more steps in all than the complete ones. Hence their number counts, too. If none is complete,
 * there may be any number of steps. */
static int should_widen(const ff_run *run, const ff_wave *v) {
  const ff_waves *w = run->waves;
  const double n = (double)(v->range.last - v->range.next), part = (double)v->n_refused / n, complete = n - (double)v->n_refused;
  const double units = part * (double)ff_wave_units(run, v);
  const double steps = complete > 0 ? units * (double)v->progress.steps / complete : INFINITY;
  const double most = w->fleet.choice.anew_steps > 0 ? w->fleet.choice.anew_steps : ANEW_STEPS * run->threads;
  if (v->stays || v->recorded > 0 || w->piece.of == v) return 0; /* the piece may be recorded in part */
  if (part * ANEW_PART < 1 || atomic_load(&run->failed) != FF_NO_UNIT) return 0;
  if (units < ANEW_UNITS && steps < most) return 0;
  return w->calls->common.info(v->on->ensemble).bits16 && !ff_wave_lists_too_many(run, v);
}

/* Lets a device prepare an ensemble for larger counts. If there is none, the processor simulates what the device has refused. */
static void widen(ff_run *run, ff_wave *v) {
  const ff_waves *w = run->waves;
  ff_ensemble_options options = ff_fleet_options(&w->fleet, (uint32_t)(v - w->waves));
  ff_ensemble *larger = NULL;
  ff_error why;
  v->stays = 1;
  if (ff_wave_create(run, v, 1, &options, &larger, &why) != FF_OK) return;
  v->on->seconds = w->calls->common.info(v->on->ensemble).device_seconds;
  w->calls->common.destroy(v->on->ensemble);
  v->on->ensemble = larger;
  v->bits32 = 1;
  v->on->capacity = 0;
  begin_anew(v, FF_WAVE_WIDENS);
}

/* Prepares the ensemble until the deadline, or until it is ready. */
static void prepare_bits32(ff_run *run, ff_wave *v) {
  ff_waves *w = run->waves;
  int ready = v->on->capacity > 0;
  for (double left = run->deadline - ff_clock(); v->on->status == FF_OK && !ready; left = run->deadline - ff_clock()) {
    const double most = w->fleet.n > 1 ? MOST_SECONDS : INFINITY;
    v->on->status = w->calls->common.ready(v->on->ensemble, left < 0 ? 0 : left < most ? left : most, &ready, &v->on->err);
    if (left <= 0 || atomic_load(&w->ended)) break;
  }
  if (v->on->status != FF_OK || !ready) return;
  v->on->capacity = w->calls->common.info(v->on->ensemble).capacity;
  atomic_store(&w->ended, 1);
}

/* Lets a device whose new ensemble is ready begin its wave anew, or as much of it as the ensemble has room for. */
static void begin_bits32(ff_waves *w, ff_wave *v) {
  ff_unit_range rest = v->range;
  rest.next += v->on->capacity;
  if (rest.next < rest.last) {
    w->left[w->n_left++] = rest;
    v->range.last = rest.next;
  }
  v->stage = FF_WAVE_RUNS;
  ff_waves_plan(w);
}

int ff_waves_ended(const ff_run *run) { return run->waves != NULL && atomic_load(&run->waves->ended); }

void ff_waves_work(ff_run *run, int device) {
  ff_waves *w = run->waves;
  ff_wave *v = &w->waves[device];
  const double most = w->fleet.n > 1 ? MOST_SECONDS : INFINITY;
  if (v->stage == FF_WAVE_WIDENS) prepare_bits32(run, v);
  if (v->stage != FF_WAVE_RUNS) return;
  if (!v->begun)
    v->on->status = w->calls->common.start(v->on->ensemble, run->options.key, run->options.first + v->range.next,
                                         v->range.last - v->range.next, &v->on->err);
  v->begun = 1;
  double left = run->deadline - ff_clock();
  while (v->on->status == FF_OK && !v->progress.done) {
    const double seconds = left < LEAST_SECONDS ? LEAST_SECONDS : left < most ? left : most;
    v->on->status = w->calls->advance(v->on->ensemble, seconds, &v->progress, &v->on->err);
    left = run->deadline - ff_clock();
    if (left <= 0 || atomic_load(&w->ended) || ff_wave_lists_too_many(run, v)) break;
  }
  if (v->on->status != FF_OK || !(v->progress.done || ff_wave_lists_too_many(run, v))) return;
  if (v->progress.done) v->on->status = ff_wave_list_refused(w->calls, v); /* else the run fails */
  if (v->on->status != FF_OK) return;
  v->stage = FF_WAVE_ENDED;
  atomic_store(&w->ended, 1);
}

uint64_t ff_waves_refused(ff_run *run) {
  ff_waves *w = run->waves;
  if (w == NULL) return FF_NO_UNIT;
  for (;;) {
    const size_t i = atomic_fetch_add(&w->next_refused, 1);
    if (i >= w->n_refused) return FF_NO_UNIT;
    if (w->refused[i] < atomic_load(&run->failed)) return w->refused[i];
  }
}

ff_status ff_waves_collect(ff_run *run, ff_error *err) {
  ff_waves *w = run->waves;
  if (w == NULL || !w->ready) return FF_OK;
  ff_status status = ff_waves_drop_failed(run, err);
  for (uint32_t i = 0; i < w->fleet.n && status == FF_OK; i++) {
    ff_wave *v = &w->waves[i];
    if (v->stage == FF_WAVE_ENDED && should_widen(run, v)) widen(run, v);
    if (v->stage == FF_WAVE_ENDED) status = ff_wave_collect(run, v, err);
    if (v->stage == FF_WAVE_WIDENS && v->on->capacity > 0) begin_bits32(w, v);
  }
  if (status == FF_OK) status = ff_waves_drop_failed(run, err);
  if (status != FF_OK) return status;
  const uint64_t failed = atomic_load(&run->failed);
  int ended = 0;
  for (uint32_t i = 0; i < w->fleet.n; i++) {
    ff_wave *v = &w->waves[i];
    if (v->stage != FF_WAVE_NONE && v->range.next > failed) v->stage = FF_WAVE_NONE; /* it does not matter */
    ended |= v->stage == FF_WAVE_ENDED;
  }
  atomic_store(&w->ended, ended);
  ff_waves_begin(run);
  return FF_OK;
}

/* ---- what is left, and results ------------------------------------------------------------------------------------------ */

int ff_waves_any_refused(const ff_run *run) {
  const ff_waves *w = run->waves;
  if (w == NULL) return 0;
  for (size_t i = atomic_load(&w->next_refused); i < w->n_refused; i++)
    if (w->refused[i] < atomic_load(&run->failed)) return 1;
  return 0;
}

int ff_waves_left(const ff_run *run) {
  const ff_waves *w = run->waves;
  if (w == NULL) return 0;
  const uint64_t failed = atomic_load(&run->failed);
  for (uint32_t i = 0; i < w->n_left; i++)
    if (w->left[i].next < failed) return 1;
  for (uint32_t i = 0; i < w->fleet.n; i++)
    if (w->waves[i].stage != FF_WAVE_NONE) return 1;
  return ff_waves_any_refused(run);
}

uint64_t ff_waves_complete(const ff_run *run) {
  const ff_waves *w = run->waves;
  if (w == NULL) return 0;
  uint64_t n = w->complete;
  for (uint32_t i = 0; i < w->fleet.n; i++)
    if (w->waves[i].stage != FF_WAVE_NONE) n += w->waves[i].progress.complete;
  return n;
}

uint64_t ff_waves_steps(const ff_run *run) {
  const ff_waves *w = run->waves;
  if (w == NULL) return 0;
  uint64_t n = w->steps;
  for (uint32_t i = 0; i < w->fleet.n; i++)
    if (w->waves[i].stage != FF_WAVE_NONE && !w->waves[i].range.counted) n += w->waves[i].progress.steps;
  return n;
}

int ff_run_device(const ff_run *run, ff_ensemble_info *out) {
  const ff_waves *w = run->waves;
  if (w == NULL || !w->used || !ff_fleet_info(&w->fleet, out)) return 0;
  out->refused = w->n_refused;
  return 1;
}

const char *ff_run_lost(const ff_run *run) {
  return run->waves != NULL && run->waves->fleet.lost[0] != '\0' ? run->waves->fleet.lost : NULL;
}
