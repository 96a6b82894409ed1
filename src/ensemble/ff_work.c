/* The work of a thread of a run: trajectories in its lanes, and what it records of them. */
#include <math.h>
#include <string.h>

#include "ff_run.h"
#include "ff_run_internal.h"

void ff_worker_equip(const ff_run *run, ff_worker *w) {
  const ff_run_options *o = &run->options;
  const double *initial = w->initial != NULL ? w->initial : run->initial;
  const uint64_t threads = (uint64_t)run->threads;
  const uint64_t each = o->max_firings > 0 ? 1 : (o->n + threads - 1) / threads; /* one lane lists firings */
  if (w->lanes == NULL)
    w->status = run->process.engine->lanes(&w->lanes, &run->process, o, initial, each, &w->failure);
}

/* ---- work --------------------------------------------------------------------------------------------------------------- */

/* Returns the next trajectory, or FF_NO_UNIT if there is none. After a failure, only trajectories before the failed one
 * matter. All of them have begun, because they begin in their order, but devices may have refused some. */
static uint64_t next_unit(ff_run *run) {
  if (atomic_load(&run->failed) == FF_NO_UNIT) {
    const uint64_t unit = atomic_fetch_add(&run->next, 1);
    if (unit < run->options.n) return unit;
    atomic_store(&run->next, run->options.n);
  }
  return ff_waves_refused(run);
}

static void start_lane(ff_run *run, ff_worker *w, uint32_t lane) {
  const size_t n = run->process.n_counts;
  w->unit[lane] = next_unit(run);
  w->at[lane] = 0;
  w->ended &= ~(UINT64_C(1) << lane);
  if (w->unit[lane] == FF_NO_UNIT) {
    w->lanes->rest(w->lanes, lane);
    return;
  }
  if (run->options.stopped != NULL) run->options.stopped[w->unit[lane]] = NAN;
  if (w->initial != NULL && n > 0)
    memcpy(w->initial, run->options.starts + w->unit[lane] * n, n * sizeof *w->initial);
  w->lanes->start(w->lanes, lane, run->options.first + w->unit[lane], run->wanted.since[0]);
}

static int has_bit(uint64_t lanes, uint32_t lane) { return (int)(lanes >> lane & 1); }

/* Records the states at all times before the next step, or as many as the budget permits. A trajectory that a condition has ended
 * keeps the state of its last step for ever. Fails if the lane is broken, or breaks when it shows a state. */
static ff_status record_until(const ff_run *run, ff_worker *w, uint32_t lane, ff_error *err) {
  ff_lanes *e = w->lanes;
  const int ended = has_bit(w->ended, lane);
  const double *since = run->wanted.since, end = ended ? INFINITY : e->next_time[lane];
  ff_status status = FF_OK;
  for (; status == FF_OK && !has_bit(e->broken, lane) && w->at[lane] < run->wanted.n_times && since[w->at[lane]] < end &&
         w->budget > 0; w->at[lane]++) {
    if (e->show != NULL && !ended) e->show(e, lane, since[w->at[lane]]);
    if (has_bit(e->broken, lane)) break;
    status = ff_record_state(&w->record, &run->wanted, w->unit[lane], w->at[lane], e->count + lane, e->stride, err);
    w->budget -= run->wanted.cost;
  }
  if (!has_bit(e->broken, lane)) return status;
  run->process.engine->describe(&run->process, &run->options, e, lane, run->options.first + w->unit[lane] + 1, err);
  return err->status;
}

/* Records what the lane has reached. If the budget is used up, the lane is reported again when it goes on. */
static void serve_lane(ff_run *run, ff_worker *w, uint32_t lane) {
  ff_lanes *e = w->lanes;
  ff_error err;
  const int failed = record_until(run, w, lane, &err) != FF_OK, complete = !failed && w->at[lane] == run->wanted.n_times;
  if (failed) {
    ff_worker_fail(run, w, w->unit[lane], &err);
  } else if (complete) {
    w->complete++;
    w->steps += e->steps(e, lane);
  }
  if (failed || complete)
    start_lane(run, w, lane);
  else
    e->wanted[lane] = run->wanted.since[w->at[lane]];
}

/* Serves the lanes of these bits. */
static void serve_lanes(ff_run *run, ff_worker *w, uint64_t lanes) {
  for (uint32_t lane = 0; lane < w->lanes->lanes && lanes >> lane != 0; lane++)
    if (has_bit(lanes, lane)) serve_lane(run, w, lane);
}

/* Records the firing of a step at `time` with one lane. */
static int list_firing(ff_run *run, ff_worker *w, double time, uint32_t what) {
  ff_error err;
  if (ff_record_firing(&w->record, &run->wanted, w->unit[0], time, what, &err) == FF_OK) return 1;
  ff_worker_fail(run, w, w->unit[0], &err);
  start_lane(run, w, 0);
  return 0;
}

/* The lanes whose trajectories end because the condition holds after the last step, which was at the time of each lane. */
static uint64_t end_lanes(const ff_run *run, const ff_worker *w, const double *time) {
  const ff_run_options *o = &run->options;
  const ff_lanes *e = w->lanes;
  uint64_t holds = 0, ended = 0;
  if (o->until == NULL || e->halfway) return 0;
  if (e->looks) {
    holds = e->reached;
  } else {
    ff_formula_values(o->until, e->count, e->stride, e->lanes, w->stack);
    for (uint32_t lane = 0; lane < e->lanes; lane++) holds |= (uint64_t)(w->stack[lane] != 0) << lane;
  }
  holds &= ~e->broken;
  for (uint32_t lane = 0; lane < e->lanes && holds >> lane != 0; lane++) {
    if (!has_bit(holds, lane) || w->unit[lane] == FF_NO_UNIT) continue;
    ended |= UINT64_C(1) << lane;
    if (o->stopped != NULL) o->stopped[w->unit[lane]] = o->start + time[lane];
  }
  return ended;
}

/* As advance_lanes(), but one step of each lane after the other. */
static void follow_steps(ff_run *run, ff_worker *w, uint32_t steps) {
  ff_lanes *e = w->lanes;
  double time[FF_MAX_LANES];
  while (steps > 0 && w->budget > 0 && ff_worker_busy(w)) {
    uint32_t one = 1;
    if (w->ended) { /* before the next step changes their states */
      serve_lanes(run, w, w->ended);
      continue;
    }
    memcpy(time, e->next_time, e->lanes * sizeof *time);
    const int lists = run->options.max_firings > 0;
    const uint32_t what = lists ? *e->next : 0;
    const uint64_t before = lists ? e->steps(e, 0) : 0, reports = e->advance(e, &one);
    if (one == 0) {
      steps--;
      if (lists && !(e->broken & 1) && e->steps(e, 0) > before && !list_firing(run, w, time[0], what)) continue;
      w->ended = end_lanes(run, w, time);
    }
    serve_lanes(run, w, reports | w->ended);
    if (e->halfway) return;
  }
}

/* Advances all lanes by at most `steps`, until the budget is used up. Returns 0 if there is nothing left to do. */
static int advance_lanes(ff_run *run, ff_worker *w, uint32_t steps) {
  ff_lanes *e = w->lanes;
  if (!ff_worker_busy(w))
    for (uint32_t lane = 0; lane < e->lanes; lane++) start_lane(run, w, lane);
  if (!ff_worker_busy(w)) return 0;
  if (ff_run_follows(&run->options)) {
    follow_steps(run, w, steps);
    return 1;
  }
  while (steps > 0 && w->budget > 0) {
    uint64_t reports = e->advance(e, &steps); /* those that are not served are reported again */
    serve_lanes(run, w, reports);
    if (reports != 0 && !ff_worker_busy(w)) break;
  }
  return 1;
}

void ff_run_work(ff_run *run, ff_worker *w) {
  const uint32_t steps = (uint32_t)(65536 / (run->process.step + 16)) + 1;
  do {
    w->budget = FF_BETWEEN_LOOKS;
    if (!advance_lanes(run, w, steps)) return;
    ff_worker_drop(run, w);
  } while (ff_clock() < run->deadline && !atomic_load(&run->shared.full) && !ff_waves_ended(run));
}
