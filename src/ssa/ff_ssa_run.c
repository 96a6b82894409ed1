/* Ensembles: many trajectories, divided among threads, and their statistics. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_internal.h"

#define NO_UNIT UINT64_MAX

/* What a thread works on, and what it has found. */
typedef struct {
  ff_ssa_path path;
  uint64_t unit; /* the trajectory on its way; NO_UNIT if there is none */
  uint32_t at;   /* the next time at which its state is wanted */
  uint64_t complete, events;
  ff_ssa_moments *moments; /* first by time, then by species */
  uint64_t failed;         /* the trajectory that failed; NO_UNIT if none has */
  ff_error failure;
} worker;

struct ff_ssa_run {
  const ff_ssa_program *program;
  ff_ssa_options options;
  double *initial, *times;
  uint32_t *observed;
  worker *workers;
  int threads;
  atomic_uint_least64_t next;   /* the first trajectory that no thread has begun */
  atomic_uint_least64_t failed; /* the first trajectory that is known to fail; NO_UNIT if none is */
  double deadline;
};

/* ---- making and freeing ------------------------------------------------------------------------------------------------- */

static ff_status check_options(const ff_ssa_program *p, const ff_ssa_options *o, ff_error *err) {
  for (uint32_t i = 0; i < o->n_times; i++)
    if (!(o->times[i] >= (i > 0 ? o->times[i - 1] : 0)) || !isfinite(o->times[i]))
      return ff_error_set(err, FF_EARGUMENT, "time %u is %g; expected an ascending finite number of at least 0", i + 1,
                          o->times[i]);
  for (uint32_t j = 0; j < o->n_observed; j++)
    if (o->observed[j] >= p->n_species) return ff_error_set(err, FF_EINTERNAL, "an unknown species is observed");
  const double *initial = o->initial != NULL ? o->initial : p->initial;
  for (uint32_t s = 0; s < p->n_species; s++)
    if (!(initial[s] >= 0 && initial[s] <= FF_SSA_MAX_COUNT && initial[s] == floor(initial[s])))
      return ff_error_set(err, FF_ESIZE, "the initial count of species %s is %.17g; expected a whole number from 0 to 2^40",
                          ff_quote(p->names[s], strlen(p->names[s])).text, initial[s]);
  if (o->n_times == 0 || o->threads < 1 || (unsigned)o->method >= FF_SSA_METHODS)
    return ff_error_set(err, FF_EARGUMENT, "a run needs a time, a thread and a known method");
  if (o->n > FF_PHILOX_MAX_UNITS || o->first > FF_PHILOX_MAX_UNITS - o->n)
    return ff_error_set(err, FF_ESIZE, "trajectories are numbered up to 2^48");
  return FF_OK;
}

static ff_status copy_options(ff_ssa_run *run, ff_error *err) {
  const ff_ssa_options *o = &run->options;
  uint32_t n_species = run->program->n_species;
  run->initial = ff_calloc(n_species, sizeof *run->initial);
  run->times = ff_calloc(o->n_times, sizeof *run->times);
  run->observed = ff_calloc(o->n_observed, sizeof *run->observed);
  if (run->initial == NULL || run->times == NULL || run->observed == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for a run of %u species", n_species);
  memcpy(run->initial, o->initial != NULL ? o->initial : run->program->initial, n_species * sizeof *run->initial);
  memcpy(run->times, o->times, o->n_times * sizeof *run->times);
  if (o->n_observed > 0) memcpy(run->observed, o->observed, o->n_observed * sizeof *run->observed);
  return FF_OK;
}

static ff_status new_worker(worker *w, const ff_ssa_run *run, ff_error *err) {
  const ff_ssa_options *o = &run->options;
  ff_status status = ff_ssa_path_new(&w->path, run->program, o->method, err);
  if (status != FF_OK) return status;
  w->unit = w->failed = NO_UNIT;
  size_t cells = (size_t)o->n_times * o->n_observed;
  w->moments = ff_calloc(cells, sizeof *w->moments);
  if (w->moments == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for the statistics of %u species at %u times", o->n_observed, o->n_times);
  for (size_t i = 0; i < cells; i++) {
    w->moments[i].min = INFINITY;
    w->moments[i].max = -INFINITY;
  }
  return FF_OK;
}

ff_status ff_ssa_run_new(ff_ssa_run **out, const ff_ssa_program *program, const ff_ssa_options *options, ff_error *err) {
  *out = NULL;
  ff_status status = check_options(program, options, err);
  if (status != FF_OK) return status;
  ff_ssa_run *run = ff_calloc(1, sizeof *run);
  if (run == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a run");
  run->program = program;
  run->options = *options;
  int threads = options->n < (uint64_t)options->threads ? (int)options->n : options->threads;
  if (threads < 1) threads = 1;
  atomic_init(&run->next, 0);
  atomic_init(&run->failed, NO_UNIT);
  status = copy_options(run, err);
  run->workers = ff_calloc((size_t)threads, sizeof *run->workers);
  if (status == FF_OK && run->workers == NULL) status = ff_error_set(err, FF_EMEMORY, "no memory for %d threads", threads);
  for (; status == FF_OK && run->threads < threads; run->threads++) status = new_worker(&run->workers[run->threads], run, err);
  if (status == FF_OK)
    *out = run;
  else
    ff_ssa_run_free(run);
  return status;
}

void ff_ssa_run_free(ff_ssa_run *run) {
  if (run == NULL) return;
  for (int i = 0; i < run->threads; i++) {
    ff_ssa_path_free(&run->workers[i].path);
    free(run->workers[i].moments);
  }
  free(run->workers);
  free(run->initial);
  free(run->times);
  free(run->observed);
  free(run);
}

/* ---- work --------------------------------------------------------------------------------------------------------------- */

/* Adds the state to the statistics at time w->at. */
static void record(const ff_ssa_run *run, worker *w) {
  const ff_ssa_options *o = &run->options;
  ff_ssa_moments *moments = w->moments + (size_t)w->at * o->n_observed;
  for (uint32_t j = 0; j < o->n_observed; j++) {
    double count = w->path.count[run->observed[j]];
    ff_sum_add_powers(&moments[j].sums, (uint64_t)count);
    if (count < moments[j].min) moments[j].min = count;
    if (count > moments[j].max) moments[j].max = count;
    if (o->states != NULL) o->states[j][w->unit * o->n_times + w->at] = count;
  }
}

static void describe_failure(const ff_ssa_run *run, worker *w) {
  const ff_ssa_program *p = run->program;
  const ff_ssa_path *path = &w->path;
  const char *name = p->names[path->state == FF_SSA_BAD_RATE ? p->n_species + path->bad : path->bad];
  ff_quoted shown = ff_quote(name, strlen(name));
  unsigned long long number = run->options.first + w->unit + 1;
  if (path->state == FF_SSA_BAD_RATE)
    ff_error_set(&w->failure, FF_EMODEL,
                 "the propensity of reaction %s is %g at time %g of trajectory %llu; expected a finite number of at least "
                 "0", shown.text, path->bad_value, path->time, number);
  else
    ff_error_set(&w->failure, FF_ESIZE, "the count of species %s exceeds 2^40 at time %g of trajectory %llu", shown.text,
                 path->time, number);
}

static void fail(ff_ssa_run *run, worker *w) {
  describe_failure(run, w);
  w->failed = w->unit;
  uint_least64_t first = atomic_load(&run->failed);
  while (w->unit < first && !atomic_compare_exchange_weak(&run->failed, &first, w->unit)) continue;
  w->unit = NO_UNIT;
}

/* Begins the next trajectory. Returns 0 if there is none. After a failure, only trajectories before the failed one matter, and all
 * of them have begun, because they begin in their order. */
static int begin(ff_ssa_run *run, worker *w) {
  if (w->failed != NO_UNIT || atomic_load(&run->failed) != NO_UNIT) return 0;
  uint64_t unit = atomic_fetch_add(&run->next, 1);
  if (unit >= run->options.n) {
    atomic_store(&run->next, run->options.n);
    return 0;
  }
  w->unit = unit;
  w->at = 0;
  ff_ssa_path_start(&w->path, run->options.key, run->options.first + unit, run->initial);
  return 1;
}

/* Advances the trajectory by at most `events`. */
static void advance_path(ff_ssa_run *run, worker *w, uint32_t events) {
  ff_ssa_path *path = &w->path;
  uint64_t before = path->event;
  while (path->state == FF_SSA_FINE) {
    while (w->at < run->options.n_times && run->times[w->at] < path->next_time) {
      record(run, w);
      w->at++;
    }
    if (w->at == run->options.n_times || path->event - before >= events) break;
    ff_ssa_path_step(path);
  }
  w->events += path->event - before;
  if (path->state != FF_SSA_FINE) {
    fail(run, w);
  } else if (w->at == run->options.n_times) {
    w->complete++;
    w->unit = NO_UNIT;
  }
}

/* Some methods take time in proportion to the reactions for each event, and all do for each start. */
static uint32_t events_between_looks(const ff_ssa_run *run) {
  uint32_t reactions = run->program->n_reactions + 1;
  int all = run->options.method == FF_SSA_DIRECT || run->options.method == FF_SSA_FIRST;
  return all && reactions > 64 ? 65536 / reactions + 1 : 1024;
}

static void work(void *context, int index) {
  ff_ssa_run *run = context;
  worker *w = run->workers + index;
  uint32_t events = events_between_looks(run);
  do {
    for (uint32_t i = 0; i <= 4096 / (run->program->n_reactions + 1); i++) { /* short trajectories between two looks */
      if (w->unit == NO_UNIT && !begin(run, w)) return;
      uint64_t before = w->events;
      advance_path(run, w, events);
      if (w->events - before >= events / 4) break;
    }
    if (w->unit > atomic_load(&run->failed)) w->unit = NO_UNIT;
  } while (ff_clock() < run->deadline);
}

ff_status ff_ssa_run_advance(ff_ssa_run *run, double seconds, int *done, ff_error *err) {
  run->deadline = ff_clock() + seconds;
  ff_parallel(run->threads, work, run);
  uint64_t failed = atomic_load(&run->failed);
  *done = failed != NO_UNIT || atomic_load(&run->next) >= run->options.n;
  for (int i = 0; i < run->threads; i++) {
    if (run->workers[i].unit > failed) run->workers[i].unit = NO_UNIT;
    if (run->workers[i].unit != NO_UNIT) *done = 0;
  }
  if (!*done || failed == NO_UNIT) return FF_OK;
  for (int i = 0; i < run->threads; i++)
    if (run->workers[i].failed == failed) {
      if (err != NULL) *err = run->workers[i].failure;
      return run->workers[i].failure.status;
    }
  return ff_error_set(err, FF_EINTERNAL, "a failed trajectory was lost");
}

/* ---- results ------------------------------------------------------------------------------------------------------------ */

uint64_t ff_ssa_run_complete(const ff_ssa_run *run) {
  uint64_t n = 0;
  for (int i = 0; i < run->threads; i++) n += run->workers[i].complete;
  return n;
}

uint64_t ff_ssa_run_events(const ff_ssa_run *run) {
  uint64_t n = 0;
  for (int i = 0; i < run->threads; i++) n += run->workers[i].events;
  return n;
}

ff_ssa_moments ff_ssa_run_moments(const ff_ssa_run *run, uint32_t i, uint32_t j) {
  size_t cell = (size_t)i * run->options.n_observed + j;
  ff_ssa_moments all = {.min = INFINITY, .max = -INFINITY};
  for (int k = 0; k < run->threads; k++) {
    const ff_ssa_moments *one = run->workers[k].moments + cell;
    ff_sum_merge_powers(&all.sums, &one->sums);
    if (one->min < all.min) all.min = one->min;
    if (one->max > all.max) all.max = one->max;
  }
  return all;
}
