/* Records waves that have ended on devices: sums that a device has added up, or states, which all threads record; the times at
 * which a condition has ended trajectories; and firings. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/ff_philox.h"
#include "ff_waves.h"

#define PIECE_BYTES 16777216.0 /* states that are copied from a device at once */
#define REFUSED_AT_ONCE 1024
#define STOPPED_AT_ONCE UINT64_C(4194304) /* times of stopping that are copied between two looks at the clock */
#define LISTED_AT_ONCE 65536 /* firings that are recorded between two looks at the clock */
/* What a device adds up between two looks at the clock: products of counts, and counts in histograms. It adds up at least
 * LEAST_... trajectories, because each time all sums are copied, and values are listed that were listed before. */
#define PRODUCTS_AT_ONCE 2e11 /* 0.1 s on an H200 */
#define LEAST_AT_ONCE UINT64_C(8192) /* of 1e8 products take 0.5 s */
#define VALUES_AT_ONCE 4194304.0 /* 0.2 s if no two are the same; several devices take turns */
#define LEAST_OF_VALUES UINT64_C(1024)
#define LEAST_OF_REALS 512
#define REALS_AT_ONCE 1e9 /* 0.07 s on an H200 */
#define REAL_BYTES 2304.0 /* of the sums of a quantity at a time, on a device and here */
#define MOST_SUMS 1e9     /* bytes of them */
#define MULTIPLE 512 /* multiples of so many trajectories are fastest */
#define SHORT 0.05   /* seconds: the next part may be larger */

/* ---- what devices record ------------------------------------------------------------------------------------------------ */

/* Marks the counts that are needed. Returns whether all observed quantities are counts, and different ones. */
static int mark_counts(uint8_t *marked, const ff_run *run) {
  const ff_wanted *wanted = &run->wanted;
  const uint32_t n = run->process.n_counts;
  int distinct = 1;
  for (uint32_t j = 0; j < wanted->n_observed; j++) {
    const uint32_t at = wanted->observed[j];
    distinct &= at < n && !marked[at];
    if (at < n) marked[at] = 1;
  }
  for (uint32_t i = 0; i < wanted->n_needed; i++)
    if (wanted->needed[i] < n) marked[wanted->needed[i]] = 1;
  return distinct;
}

/* The largest multiple up to n, but at least so many trajectories. n may be infinite. */
static uint64_t multiple_of(double n, uint64_t least) {
  if (n < (double)least) return least;
  return n < (double)FF_PHILOX_MAX_UNITS ? (uint64_t)n / MULTIPLE * MULTIPLE : FF_PHILOX_MAX_UNITS;
}

uint64_t ff_tally_at_once(double products, double values) {
  const uint64_t a = multiple_of(PRODUCTS_AT_ONCE / products, LEAST_AT_ONCE);
  const uint64_t b = multiple_of(VALUES_AT_ONCE / values, LEAST_OF_VALUES);
  return a < b ? a : b;
}

uint64_t ff_tally_next(uint64_t at_once, uint64_t n, double seconds) {
  const int whole = n == at_once && n >= LEAST_OF_VALUES; /* the time of fewer trajectories tells little */
  return whole && seconds < SHORT ? 2 * at_once : at_once;
}

/* Devices can add up all statistics but histograms of real numbers. For few trajectories, copying their real numbers takes less
 * time than copying the sums. */
ff_status ff_waves_choose_counts(ff_waves *w, const ff_run *run, ff_error *err) {
  const uint32_t n = run->process.n_counts;
  uint8_t *needed = ff_calloc(n, 1);
  w->counts = ff_calloc(n, sizeof *w->counts);
  if (needed == NULL || w->counts == NULL) {
    free(needed);
    return ff_error_set(err, FF_EMEMORY, "no memory for the counts that devices record");
  }
  const int distinct = mark_counts(needed, run);
  w->reals = run->process.real != NULL;
  w->tallies = distinct && run->wanted.states == NULL;
  const double cells = (double)run->wanted.n_times * run->wanted.n_observed, values = run->wanted.sums & FF_HISTOGRAM ? cells : 0;
  const size_t product = w->reals ? sizeof(ff_real_sum) : 2 * sizeof(uint64_t);
  if (w->reals)
    w->tallies &= values == 0 && run->options.n >= LEAST_OF_REALS &&
                  cells * REAL_BYTES + (double)run->wanted.product_bytes <= MOST_SUMS;
  w->at_once = ff_tally_at_once((double)run->wanted.product_bytes / (double)product, values);
  if (w->reals && (double)w->at_once * cells > REALS_AT_ONCE) w->at_once = multiple_of(REALS_AT_ONCE / cells, LEAST_OF_REALS);
  if (w->tallies) {
    w->n_counts = run->wanted.n_observed;
    memcpy(w->counts, run->wanted.observed, w->n_counts * sizeof *w->counts);
  } else {
    for (uint32_t s = 0; s < n; s++)
      if (needed[s]) w->counts[w->n_counts++] = s;
    if (w->n_counts == 0) w->n_counts = 1; /* variables that depend on no count */
  }
  free(needed);
  return FF_OK;
}

ff_status ff_piece_new(ff_waves *w, const ff_run *run, ff_error *err) {
  ff_piece *piece = &w->piece;
  const size_t threads = (size_t)run->threads, each = (size_t)run->wanted.n_times * w->n_counts;
  const size_t bytes = ff_device_count_bytes(w->reals);
  const double room = PIECE_BYTES / (double)each / (double)bytes;
  if (w->tallies) return FF_OK;
  piece->room = room < 1 ? 1 : room < (double)run->options.n ? (uint64_t)room : run->options.n;
  piece->counts = ff_calloc(piece->room, each * bytes);
  piece->skip = ff_calloc(piece->room, 1);
  piece->at = ff_calloc(threads, sizeof *piece->at);
  piece->state = ff_calloc(threads * run->process.n_items, sizeof *piece->state); /* a record reads items, not only counts */
  if (piece->counts != NULL && piece->skip != NULL && piece->at != NULL && piece->state != NULL) return FF_OK;
  return ff_error_set(err, FF_EMEMORY, "no memory for the states of trajectories on devices");
}

void ff_piece_free(ff_piece *piece) {
  free(piece->counts);
  free(piece->skip);
  free(piece->at);
  free(piece->state);
  memset(piece, 0, sizeof *piece);
}

/* ---- what devices have refused ------------------------------------------------------------------------------------------ */

/* Asks for more at each call, because a device reads all its refusals in a call. */
ff_status ff_wave_list_refused(const ff_device_calls *calls, ff_wave *v) {
  uint64_t wanted = REFUSED_AT_ONCE, got = wanted;
  v->n_refused = 0;
  while (got == wanted) {
    const uint64_t from = v->n_refused > 0 ? v->refused[v->n_refused - 1] + 1 : 0;
    wanted = v->n_refused > REFUSED_AT_ONCE ? v->n_refused : REFUSED_AT_ONCE;
    ff_status status =
        ff_grow((void **)&v->refused, &v->refused_room, v->n_refused + wanted, sizeof *v->refused, &v->on->err);
    if (status == FF_OK) status = calls->refused(v->on->ensemble, from, v->refused + v->n_refused, wanted, &got, &v->on->err);
    if (status != FF_OK) return status;
    v->n_refused += got;
  }
  return FF_OK;
}

size_t ff_wave_refused_before(const ff_wave *v, uint64_t unit) {
  size_t low = 0, high = v->n_refused;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (v->refused[middle] < unit) low = middle + 1;
    else high = middle;
  }
  return low;
}

static int is_refused(const ff_wave *v, uint64_t unit) {
  const size_t at = ff_wave_refused_before(v, unit);
  return at < v->n_refused && v->refused[at] == unit;
}

/* ---- times at which trajectories have ended, and firings ---------------------------------------------------------------- */

/* Copies some of the times, and more until the deadline. Returns whether all are copied; v->on->status tells whether the device
 * has failed. This processor overwrites the times of trajectories that it simulates after a device. */
static int fetch_stopped(const ff_run *run, ff_wave *v) {
  const uint64_t all = v->range.last - v->range.next;
  if (run->options.until == NULL || run->options.stopped == NULL) return 1;
  while (v->n_stopped < all) {
    double *stopped = run->options.stopped + v->range.next + v->n_stopped;
    const uint64_t n = all - v->n_stopped < STOPPED_AT_ONCE ? all - v->n_stopped : STOPPED_AT_ONCE;
    v->on->status = run->waves->calls->stopped(v->on->ensemble, v->n_stopped, n, stopped, &v->on->err);
    if (v->on->status != FF_OK) return 0;
    for (uint64_t k = 0; k < n; k++) stopped[k] = isnan(stopped[k]) ? NAN : run->options.start + stopped[k];
    v->n_stopped += n;
    if (ff_clock() >= run->deadline) break;
  }
  return v->n_stopped == all;
}

/* Records some firings of the list, and more until the deadline. Returns whether all are recorded. */
static int record_fired(ff_run *run, ff_wave *v, double deadline) {
  ff_worker *first = &run->workers[0];
  const uint64_t before = v->listed;
  uint64_t n = 0;
  const ff_fired *fired = run->options.max_firings > 0 ? run->waves->calls->fired(v->on->ensemble, &n) : NULL;
  for (; v->listed < n; v->listed++) {
    const ff_fired *f = fired + v->listed;
    ff_error err;
    const uint64_t done = v->listed - before;
    if (done > 0 && done % LISTED_AT_ONCE == 0 && ff_clock() >= deadline) return 0;
    if (f->unit >= v->recorded || is_refused(v, f->unit)) continue;
    const uint64_t unit = v->range.next + f->unit;
    if (ff_record_firing(&first->record, &run->wanted, unit, f->time, f->what, &err) == FF_OK) continue;
    ff_worker_fail(run, first, unit, &err);
    v->listed = n;
    break;
  }
  return 1;
}

int ff_wave_lists_too_many(const ff_run *run, const ff_wave *v) {
  return run->options.max_firings > 0 && v->progress.fired > run->options.max_firings;
}

/* Lets the run fail because there are too many firings. The wave may be incomplete: nobody needs it any more. */
static void fail_by_firings(ff_run *run, ff_wave *v) {
  ff_error err;
  ff_refuse_firings(&run->wanted, &err);
  ff_worker_fail(run, &run->workers[0], v->range.next, &err);
  v->stage = FF_WAVE_NONE;
}

ff_status ff_wave_settle(ff_run *run, ff_wave *v, ff_error *err) {
  ff_waves *w = run->waves;
  const size_t refused = ff_wave_refused_before(v, v->recorded);
  record_fired(run, v, INFINITY);
  ff_status status = ff_grow((void **)&w->refused, &w->refused_room, w->n_refused + refused, sizeof *w->refused, err);
  if (status != FF_OK) return status;
  if (atomic_load(&w->next_refused) > w->n_refused) atomic_store(&w->next_refused, w->n_refused);
  for (size_t i = 0; i < refused; i++) w->refused[w->n_refused++] = v->range.next + v->refused[i];
  w->complete += v->recorded - refused;
  if (!v->range.counted) w->steps += v->progress.steps;
  v->stage = FF_WAVE_NONE;
  return FF_OK;
}

/* ---- states ------------------------------------------------------------------------------------------------------------- */

/* Copies the next states of a wave from its device. */
static ff_status fetch(ff_waves *w, ff_wave *v, const ff_run *run) {
  ff_piece *piece = &w->piece;
  const uint64_t left = v->range.last - v->range.next - v->recorded;
  piece->n = left < piece->room ? left : piece->room;
  ff_status status = w->calls->states(v->on->ensemble, v->recorded, piece->n, piece->counts, &v->on->err);
  if (status != FF_OK) return status;
  memset(piece->skip, 0, piece->n);
  for (size_t i = ff_wave_refused_before(v, v->recorded); i < v->n_refused && v->refused[i] < v->recorded + piece->n; i++)
    piece->skip[v->refused[i] - v->recorded] = 1;
  for (int i = 0; i < run->threads; i++)
    piece->at[i] = ff_share(piece->n * run->wanted.n_times, (uint64_t)i, (uint64_t)run->threads);
  piece->of = v;
  return FF_OK;
}

/* Puts the counts of a state, which begin at number `at` of the piece, to their places among all items. */
static void put_counts(const ff_waves *w, uint64_t at, double *state) {
  const uint64_t n = w->piece.n;
  if (w->reals) {
    const double *counts = (const double *)w->piece.counts + at;
    for (uint32_t j = 0; j < w->n_counts; j++) state[w->counts[j]] = counts[j * n];
  } else {
    const uint32_t *counts = (const uint32_t *)w->piece.counts + at;
    for (uint32_t j = 0; j < w->n_counts; j++) state[w->counts[j]] = counts[j * n];
  }
}

/* Records a thread's share of the piece, until the deadline or until histograms must be merged. States are numbered by their
 * times first. */
static void record_share(void *context, int index) {
  ff_run *run = context;
  const ff_waves *w = run->waves;
  const ff_piece *piece = &w->piece;
  ff_worker *worker = run->workers + index;
  double *state = piece->state + (size_t)index * run->process.n_items, budget = FF_BETWEEN_LOOKS;
  const uint64_t end = ff_share(piece->n * run->wanted.n_times, (uint64_t)index + 1, (uint64_t)run->threads);
  uint64_t *at = &piece->at[index];
  for (; *at < end; ++*at) {
    const uint64_t i = *at / piece->n, k = *at % piece->n, unit = piece->of->range.next + piece->of->recorded + k;
    ff_error err;
    if (piece->skip[k]) continue;
    if (budget <= 0) {
      if (ff_clock() >= run->deadline || atomic_load(&run->shared.full)) return;
      budget = FF_BETWEEN_LOOKS;
    }
    budget -= run->wanted.cost;
    put_counts(w, i * w->n_counts * piece->n + k, state);
    if (ff_record_state(&worker->record, &run->wanted, unit, (uint32_t)i, state, 1, &err) == FF_OK) continue;
    ff_worker_fail(run, worker, unit, &err);
    *at = end;
    return;
  }
}

/* Whether all shares of the piece are recorded. */
static int is_recorded(const ff_run *run) {
  const ff_piece *piece = &run->waves->piece;
  for (int i = 0; i < run->threads; i++)
    if (piece->at[i] < ff_share(piece->n * run->wanted.n_times, (uint64_t)i + 1, (uint64_t)run->threads)) return 0;
  return 1;
}

/* Records the states of a wave, if it is its turn. It is complete if `v->recorded` is the number of its trajectories. */
static ff_status record_states(ff_run *run, ff_wave *v) {
  ff_piece *piece = &run->waves->piece;
  if (piece->of != NULL && piece->of != v) return FF_OK;
  while (v->recorded < v->range.last - v->range.next) {
    ff_status status = piece->of == NULL ? fetch(run->waves, v, run) : FF_OK;
    if (status != FF_OK) return status;
    ff_parallel(run->threads, record_share, run);
    if (!is_recorded(run)) return FF_OK;
    v->recorded += piece->n;
    piece->of = NULL;
    if (ff_clock() >= run->deadline || atomic_load(&run->shared.full)) return FF_OK;
  }
  return FF_OK;
}

/* ---- waves -------------------------------------------------------------------------------------------------------------- */

/* Lets a device add the statistics of its next trajectories to the record of the first thread. If this processor has no memory
 * for histograms, they are incomplete, so the run fails. It also fails if they are too large; then nobody needs the rest. */
static ff_status add_next(ff_run *run, ff_wave *v, ff_error *err) {
  ff_worker *first = &run->workers[0];
  const uint64_t all = v->range.last - v->range.next, left = all - v->recorded, wanted = run->waves->at_once;
  const uint64_t most = run->waves->reals && wanted > FF_DEVICE_MOST_REALS ? FF_DEVICE_MOST_REALS : wanted;
  const uint64_t n = left < most ? left : most;
  const double began = ff_clock();
  ff_error why;
  v->on->status = run->waves->calls->tally(v->on->ensemble, v->recorded, n, &first->record.sums, &v->on->err);
  if (v->on->status == FF_EMEMORY) return ff_error_set(err, FF_EMEMORY, "%s", v->on->err.text);
  const int too_large = v->on->status == FF_ESIZE;
  if (v->on->status != FF_OK && !too_large) return FF_OK;
  v->on->status = FF_OK;
  v->recorded += n;
  run->waves->at_once = ff_tally_next(most, n, ff_clock() - began);
  if (too_large) ff_refuse_bytes(&run->wanted, &why);
  if (too_large || ff_record_look(&first->record, &run->wanted, &why) != FF_OK) {
    ff_worker_fail(run, first, v->range.next, &why);
    v->recorded = all;
  }
  return FF_OK;
}

/* Adds the statistics of some trajectories of a wave, and of more until the deadline or until histograms must be merged. */
static ff_status add_wave(ff_run *run, ff_wave *v, ff_error *err) {
  ff_status status;
  do {
    status = add_next(run, v, err);
  } while (status == FF_OK && v->on->status == FF_OK && v->recorded < v->range.last - v->range.next &&
           ff_clock() < run->deadline && !atomic_load(&run->shared.full));
  return status;
}

ff_status ff_wave_collect(ff_run *run, ff_wave *v, ff_error *err) {
  ff_waves *w = run->waves;
  const uint64_t n = v->range.last - v->range.next;
  if (ff_wave_lists_too_many(run, v)) {
    fail_by_firings(run, v);
    return FF_OK;
  }
  if (atomic_load(&run->failed) != FF_NO_UNIT) {
    if (w->piece.of == v) w->piece.of = NULL;
    v->recorded = n;
    v->listed = v->progress.fired;
  } else if (!fetch_stopped(run, v)) {
    return FF_OK;
  } else if (v->recorded < n && w->tallies) {
    ff_status status = add_wave(run, v, err);
    if (status != FF_OK) return status;
  } else if (v->recorded < n) {
    v->on->status = record_states(run, v);
  }
  if (v->on->status != FF_OK || v->recorded < n || !record_fired(run, v, run->deadline)) return FF_OK;
  return ff_wave_settle(run, v, err);
}
