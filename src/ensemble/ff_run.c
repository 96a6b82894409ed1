/* Ensembles: many trajectories, divided among threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/ff_philox.h"
#include "ff_run.h"
#include "ff_run_internal.h"

/* ---- making and freeing ------------------------------------------------------------------------------------------------- */

static ff_status check_options(const ff_run_options *o, ff_error *err) {
  if (o->n_times == 0 || o->threads < 1) return ff_error_set(err, FF_EARGUMENT, "a run needs a time and a thread");
  if (o->n > FF_PHILOX_MAX_UNITS || o->first > FF_PHILOX_MAX_UNITS - o->n)
    return ff_error_set(err, FF_ESIZE, "trajectories are numbered up to 2^48");
  if (!(o->start >= 0 && isfinite(o->start)))
    return ff_error_set(err, FF_EARGUMENT, "the start is %g; expected a finite number of at least 0", o->start);
  return FF_OK;
}

static ff_status new_worker(ff_worker *w, ff_run *run, ff_error *err) {
  const ff_run_options *o = &run->options;
  w->failed = FF_NO_UNIT;
  for (int lane = 0; lane < FF_MAX_LANES; lane++) w->unit[lane] = FF_NO_UNIT;
  ff_status status = ff_record_new(&w->record, &run->wanted, &run->shared, err);
  if (status != FF_OK) return status;
  if (o->starts != NULL) w->initial = ff_calloc(run->process.n_counts, sizeof *w->initial);
  if (o->until != NULL) w->stack = ff_calloc((size_t)o->until->depth * FF_MAX_LANES, sizeof *w->stack);
  if ((o->starts != NULL && w->initial == NULL) || (o->until != NULL && w->stack == NULL))
    return ff_error_set(err, FF_EMEMORY, "no memory for a trajectory of %u %s", run->process.n_counts,
                        run->process.counted);
  return FF_OK;
}

static ff_status worker_status(const ff_worker *w, ff_error *err) {
  if (w->status != FF_OK && err != NULL) *err = w->failure;
  return w->status;
}

/* A run that looks at every step needs lanes that tell what happens then. */
static ff_status check_lanes(const ff_lanes *e, const ff_run_options *o, ff_error *err) {
  if (o->max_firings > 0 && (e->lanes != 1 || e->next == NULL))
    return ff_error_set(err, FF_EUNSUPPORTED, "firings are listed of one trajectory at a time, if it is known what fires");
  if (o->until != NULL && e->show != NULL && !e->looks)
    return ff_error_set(err, FF_EUNSUPPORTED, "a condition cannot end trajectories whose states change between steps");
  return FF_OK;
}

/* All threads' lanes are made with the same options, also after the caller's arrays are gone. */
static void own_options(ff_run *run) {
  run->options.times = run->wanted.times;
  run->options.initial = run->initial;
  run->options.observed = run->wanted.observed;
  run->options.states = run->wanted.states;
}

static ff_status fill_run(ff_run *run, const ff_run_options *options, ff_error *err) {
  const uint32_t n = run->process.n_counts;
  ff_status status = ff_wanted_new(&run->wanted, &run->process, options, err);
  if (status != FF_OK) return status;
  const int threads = ff_wanted_threads(&run->wanted, options->threads);
  run->initial = ff_calloc(n, sizeof *run->initial);
  run->workers = ff_calloc((size_t)threads, sizeof *run->workers);
  if (run->initial == NULL || run->workers == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %d threads", threads);
  const double *initial = options->initial != NULL ? options->initial : run->process.engine->initial(run->process.model);
  memcpy(run->initial, initial, n * sizeof *run->initial);
  own_options(run);
  while (status == FF_OK && run->threads < threads) status = new_worker(&run->workers[run->threads++], run, err);
  if (status != FF_OK) return status;
  ff_worker_equip(run, run->workers); /* it tells whether the method can do this run */
  status = worker_status(run->workers, err);
  return status == FF_OK ? check_lanes(run->workers->lanes, options, err) : status;
}

ff_status ff_run_new(ff_run **out, const ff_engine *engine, const void *model, const ff_run_options *options, ff_error *err) {
  *out = NULL;
  ff_status status = check_options(options, err);
  if (status != FF_OK) return status;
  ff_run *run = ff_calloc(1, sizeof *run);
  if (run == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a run");
  run->process = (ff_process){.engine = engine, .model = model};
  run->options = *options;
  atomic_init(&run->next, 0);
  atomic_init(&run->shared.bytes, 0);
  atomic_init(&run->shared.firings, 0);
  atomic_init(&run->shared.full, 0);
  atomic_init(&run->failed, FF_NO_UNIT);
  status = engine->open(&run->process, options, err);
  if (status == FF_OK) status = fill_run(run, options, err);
  if (status == FF_OK)
    *out = run;
  else
    ff_run_free(run);
  return status;
}

void ff_run_free(ff_run *run) {
  if (run == NULL) return;
  ff_waves_free(run->waves);
  for (int i = 0; i < run->threads; i++) {
    ff_lanes *const lanes = run->workers[i].lanes;
    if (lanes != NULL) lanes->free(lanes);
    ff_record_free(&run->workers[i].record);
    free(run->workers[i].initial);
    free(run->workers[i].stack);
  }
  free(run->workers);
  free(run->initial);
  ff_wanted_free(&run->wanted);
  if (run->process.engine->close != NULL) run->process.engine->close(&run->process);
  free(run);
}

/* ---- work --------------------------------------------------------------------------------------------------------------- */

/* One thread for each device, and then those of this processor. */
static void work(void *context, int index) {
  ff_run *run = context;
  const int devices = ff_waves_devices(run);
  if (index < devices)
    ff_waves_work(run, index);
  else
    ff_run_work(run, run->workers + (index - devices));
}

/* Whether a thread of this processor has something to do. */
static int any_work(const ff_run *run) {
  int busy = ff_waves_devices(run) == 0 || ff_waves_any_refused(run);
  for (int i = 0; i < run->threads; i++) busy |= ff_worker_busy(run->workers + i);
  return busy;
}

/* Sets run->over. Trajectories after a failed one do not matter. */
static void look_for_end(ff_run *run) {
  const int begun = atomic_load(&run->failed) != FF_NO_UNIT || atomic_load(&run->next) >= run->options.n;
  run->over = begun && !ff_waves_left(run);
  for (int i = 0; i < run->threads; i++) {
    ff_worker_drop(run, run->workers + i);
    if (ff_worker_busy(run->workers + i)) run->over = 0;
  }
}

static void equip(void *context, int index) {
  ff_run *run = context;
  ff_worker_equip(run, run->workers + index);
}

/* Makes the lanes of all threads, at the same time. A run on devices may never need them. */
static ff_status equip_all(ff_run *run, ff_error *err) {
  ff_status status = FF_OK;
  if (run->equipped) return FF_OK;
  ff_parallel(run->threads, equip, run);
  for (int i = 0; i < run->threads && status == FF_OK; i++) status = worker_status(run->workers + i, err);
  run->equipped = status == FF_OK;
  return status;
}

static ff_status simulate(ff_run *run, ff_error *err) {
  do {
    const int works = any_work(run);
    ff_status status = works ? equip_all(run, err) : FF_OK;
    if (status != FF_OK) return status;
    ff_parallel(ff_waves_devices(run) + (works ? run->threads : 0), work, run);
    status = ff_waves_collect(run, err);
    if (status != FF_OK) return status;
    look_for_end(run);
  } while (!run->over && ff_clock() < run->deadline && !atomic_load(&run->shared.full));
  const uint64_t failed = atomic_load(&run->failed);
  run->merging = run->wanted.states == NULL && (run->over || atomic_load(&run->shared.full));
  if (!run->over || failed == FF_NO_UNIT) return FF_OK;
  for (int i = 0; i < run->threads; i++)
    if (run->workers[i].failed == failed) {
      if (err != NULL) *err = run->workers[i].failure;
      return run->workers[i].failure.status;
    }
  return ff_error_set(err, FF_EINTERNAL, "a failed trajectory was lost");
}

/* Merges a part of the record of a worker into that of the first one. */
static ff_status merge_part(ff_run *run, ff_worker *from, ff_error *err) {
  ff_record *all = &run->workers[0].record;
  int done = 0;
  if (run->over && run->at_time < run->wanted.n_times) {
    ff_sums_merge(&all->sums, &from->record.sums, run->at_time++);
    return FF_OK;
  }
  ff_status status = ff_sums_move(&all->sums, &from->record.sums, &run->at, &all->bytes, &done, err);
  if (!done) return status;
  if (run->over) ff_sums_free(&from->record.sums);
  from->record.bytes = 0;
  run->from++;
  run->at_time = 0;
  run->at = (ff_sum_place){0, 0};
  return FF_OK;
}

/* Merges records until the deadline. Whether the merged histograms are too large does not depend on the threads. */
static ff_status merge(ff_run *run, ff_error *err) {
  if (run->from == 0) run->from = 1;
  do {
    if (run->from == run->threads) {
      run->merging = run->from = 0;
      run->merged = run->over;
      atomic_store(&run->shared.bytes, 0);
      atomic_store(&run->shared.full, 0);
      const uint64_t bytes = ff_sums_bytes(&run->workers[0].record.sums);
      return bytes <= run->wanted.max_bytes ? FF_OK : ff_refuse_bytes(&run->wanted, err);
    }
    ff_status status = merge_part(run, run->workers + run->from, err);
    if (status != FF_OK) return status;
  } while (ff_clock() < run->deadline);
  return FF_OK;
}

ff_status ff_run_advance(ff_run *run, double seconds, int *done, ff_error *err) {
  run->deadline = ff_clock() + seconds;
  ff_status status = run->merging ? FF_OK : simulate(run, err);
  if (status == FF_OK && run->merging) status = merge(run, err);
  *done = status != FF_OK || (run->over && !run->merging);
  return status;
}

/* ---- results ------------------------------------------------------------------------------------------------------------ */

uint64_t ff_run_complete(const ff_run *run) { return ff_waves_complete(run) + ff_workers_complete(run); }

uint64_t ff_run_steps(const ff_run *run) { return ff_waves_steps(run) + ff_workers_steps(run); }

double ff_run_underway(const ff_run *run) { return ff_workers_underway(run); }

int ff_run_shares_trajectories(const ff_run *run) { return run->process.shared; }

ff_status ff_run_sums(ff_run *run, ff_sums **out, ff_error *err) {
  if (!run->merged) return ff_error_set(err, FF_EINTERNAL, "a run that is not done has no sums");
  *out = &run->workers[0].record.sums;
  return FF_OK;
}

uint64_t ff_run_n_firings(const ff_run *run) {
  uint64_t n = 0;
  for (int k = 0; k < run->threads; k++) n += run->workers[k].record.n_firings;
  return n;
}

/* The firings of a trajectory are in the record of one thread, in their order. Those that a device has listed are mixed with the
 * firings of other trajectories. */
ff_status ff_run_firings(const ff_run *run, double *trajectory, double *time, int32_t *what, ff_error *err) {
  uint64_t *at = ff_calloc(run->options.n + 1, sizeof *at);
  if (at == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the firings of the trajectories");
  for (int k = 0; k < run->threads; k++)
    for (size_t i = 0; i < run->workers[k].record.n_firings; i++) at[run->workers[k].record.firing[i].trajectory + 1]++;
  for (uint64_t i = 0; i < run->options.n; i++) at[i + 1] += at[i];
  for (int k = 0; k < run->threads; k++)
    for (size_t i = 0; i < run->workers[k].record.n_firings; i++) {
      const ff_firing *firing = run->workers[k].record.firing + i;
      const uint64_t place = at[firing->trajectory]++;
      trajectory[place] = (double)firing->trajectory;
      time[place] = firing->time;
      what[place] = (int32_t)firing->what;
    }
  free(at);
  return FF_OK;
}
