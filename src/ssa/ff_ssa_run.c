/* Ensembles: many trajectories, divided among threads, and their statistics. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_wide.h"

#define NO_UNIT UINT64_MAX

/* What a thread works on, and what it has found. */
typedef struct {
  ff_ssa_path path;
  ff_ssa_wide *wide;             /* NULL if only one trajectory at a time is simulated, in lane 0 */
  uint64_t unit[FF_SSA_LANES];   /* the trajectories on their way; NO_UNIT if there is none */
  uint32_t at[FF_SSA_LANES];     /* the next time at which the state is wanted */
  uint64_t complete, events;     /* of trajectories that are complete */
  ff_ssa_moments *moments; /* first by time, then by species */
  uint64_t failed;         /* the trajectory that failed; NO_UNIT if none has */
  ff_error failure;
} worker;

struct ff_ssa_run {
  const ff_ssa_program *program;
  ff_ssa_options options;
  double *initial, *times, **states;
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
  if (o->states != NULL) run->states = ff_calloc(o->n_observed, sizeof *run->states);
  if (run->initial == NULL || run->times == NULL || run->observed == NULL || (o->states != NULL && run->states == NULL))
    return ff_error_set(err, FF_EMEMORY, "no memory for a run of %u species", n_species);
  memcpy(run->initial, o->initial != NULL ? o->initial : run->program->initial, n_species * sizeof *run->initial);
  memcpy(run->times, o->times, o->n_times * sizeof *run->times);
  if (o->n_observed > 0) memcpy(run->observed, o->observed, o->n_observed * sizeof *run->observed);
  for (uint32_t j = 0; run->states != NULL && j < o->n_observed; j++) run->states[j] = o->states[j];
  return FF_OK;
}

/* Whether a thread has so few trajectories that most lanes would be idle. */
static int few_trajectories(const ff_ssa_run *run, int threads) { return run->options.n < 4 * (uint64_t)threads; }

static ff_status new_worker(worker *w, const ff_ssa_run *run, int threads, ff_error *err) {
  const ff_ssa_options *o = &run->options;
  int wide = o->method == FF_SSA_DIRECT && ff_ssa_wide_can(run->program) && !few_trajectories(run, threads);
  /* the logarithmic method has the bits of the direct one */
  ff_ssa_method method = !wide && o->method == FF_SSA_DIRECT && ff_ssa_wide_can(run->program) ? FF_SSA_TREE : o->method;
  w->failed = NO_UNIT;
  for (int lane = 0; lane < FF_SSA_LANES; lane++) w->unit[lane] = NO_UNIT;
  ff_status status = ff_ssa_path_new(&w->path, run->program, method, err);
  if (status == FF_OK && wide) {
    w->wide = ff_calloc(1, sizeof *w->wide);
    if (w->wide == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a run");
    status = ff_ssa_wide_new(w->wide, run->program, run->initial, o->key, o->simd, err);
  }
  if (status != FF_OK) return status;
  size_t cells = run->states != NULL ? 0 : (size_t)o->n_times * o->n_observed;
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
  while (status == FF_OK && run->threads < threads) status = new_worker(&run->workers[run->threads++], run, threads, err);
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
    if (run->workers[i].wide != NULL) ff_ssa_wide_free(run->workers[i].wide);
    free(run->workers[i].wide);
    free(run->workers[i].moments);
  }
  free(run->workers);
  free(run->initial);
  free(run->times);
  free(run->observed);
  free(run->states);
  free(run);
}

/* ---- work --------------------------------------------------------------------------------------------------------------- */

/* Keeps the state of a lane at its wanted time, or adds it to the statistics. */
static void record(const ff_ssa_run *run, worker *w, uint32_t lane) {
  const ff_ssa_options *o = &run->options;
  ff_ssa_moments *moments = w->moments + (size_t)w->at[lane] * o->n_observed;
  const double *counts = w->wide != NULL ? w->wide->count + lane : w->path.count;
  const size_t stride = w->wide != NULL ? FF_SSA_LANES : 1;
  for (uint32_t j = 0; j < o->n_observed; j++) {
    double count = counts[run->observed[j] * stride];
    if (run->states != NULL) {
      run->states[j][w->unit[lane] * o->n_times + w->at[lane]] = count;
      continue;
    }
    ff_sum_add_powers(&moments[j].sums, (uint64_t)count);
    if (count < moments[j].min) moments[j].min = count;
    if (count > moments[j].max) moments[j].max = count;
  }
}

/* Records the states at all times before the next event. Returns whether the trajectory is complete. */
static int record_until(const ff_ssa_run *run, worker *w, uint32_t lane, double next_time) {
  for (; w->at[lane] < run->options.n_times && run->times[w->at[lane]] < next_time; w->at[lane]++) record(run, w, lane);
  return w->at[lane] == run->options.n_times;
}

static void describe_failure(const ff_ssa_run *run, worker *w, uint64_t unit) {
  const ff_ssa_program *p = run->program;
  const ff_ssa_path *path = &w->path;
  const char *name = p->names[path->state == FF_SSA_BAD_COUNT ? path->bad : p->n_species + path->bad];
  ff_quoted shown = ff_quote(name, strlen(name));
  unsigned long long number = run->options.first + unit + 1;
  if (path->state == FF_SSA_BAD_RATE)
    ff_error_set(&w->failure, FF_EMODEL,
                 "the propensity of reaction %s is %g at time %g of trajectory %llu; expected a finite number of at least 0",
                 shown.text, path->bad_value, path->time, number);
  else if (path->state == FF_SSA_BAD_SUM)
    ff_error_set(&w->failure, FF_EMODEL,
                 "the sum of the propensities is infinite at time %g of trajectory %llu; the largest is %g, of reaction %s",
                 path->time, number, path->bad_value, shown.text);
  else
    ff_error_set(&w->failure, FF_ESIZE, "the count of species %s exceeds 2^40 at time %g of trajectory %llu", shown.text,
                 path->time, number);
}

/* The first of the thread's failures is described. */
static void fail(ff_ssa_run *run, worker *w, uint64_t unit) {
  if (unit < w->failed) {
    describe_failure(run, w, unit);
    w->failed = unit;
  }
  uint_least64_t first = atomic_load(&run->failed);
  while (unit < first && !atomic_compare_exchange_weak(&run->failed, &first, unit)) continue;
}

/* Returns the next trajectory, or NO_UNIT if there is none. After a failure, only trajectories before the failed one matter, and
 * all of them have begun, because they begin in their order. */
static uint64_t next_unit(ff_ssa_run *run) {
  if (atomic_load(&run->failed) != NO_UNIT) return NO_UNIT;
  uint64_t unit = atomic_fetch_add(&run->next, 1);
  if (unit < run->options.n) return unit;
  atomic_store(&run->next, run->options.n);
  return NO_UNIT;
}

/* ---- one trajectory at a time ---- */

/* Begins or advances the trajectory by at most `events`. Returns 0 if there is nothing left to do. */
static int advance_path(ff_ssa_run *run, worker *w, uint64_t events) {
  ff_ssa_path *path = &w->path;
  if (w->unit[0] == NO_UNIT) {
    w->unit[0] = next_unit(run);
    w->at[0] = 0;
    if (w->unit[0] == NO_UNIT) return 0;
    ff_ssa_path_start(path, run->options.key, run->options.first + w->unit[0], run->initial);
  }
  uint64_t end = path->event + events;
  int complete = 0;
  while (path->state == FF_SSA_FINE && !(complete = record_until(run, w, 0, path->next_time)) && path->event < end)
    ff_ssa_path_step(path);
  if (path->state != FF_SSA_FINE) fail(run, w, w->unit[0]);
  if (complete) {
    w->complete++;
    w->events += path->event;
  }
  if (complete || path->state != FF_SSA_FINE) w->unit[0] = NO_UNIT;
  return 1;
}

/* ---- several at once ---- */

/* The method for one trajectory looks at the state and says what is wrong. */
static void fail_lane(ff_ssa_run *run, worker *w, uint32_t lane) {
  for (uint32_t s = 0; s < run->program->n_species; s++) w->path.count[s] = w->wide->count[(size_t)s * FF_SSA_LANES + lane];
  w->path.key = run->options.key;
  w->path.unit = w->wide->unit[lane];
  w->path.event = w->wide->event[lane];
  w->path.time = w->wide->time[lane];
  ff_ssa_path_diagnose(&w->path);
  fail(run, w, w->unit[lane]);
}

static void start_lane(ff_ssa_run *run, worker *w, uint32_t lane) {
  w->unit[lane] = next_unit(run);
  w->at[lane] = 0;
  if (w->unit[lane] == NO_UNIT)
    ff_ssa_wide_rest(w->wide, lane);
  else
    ff_ssa_wide_start(w->wide, lane, run->options.first + w->unit[lane], run->times[0]);
}

/* Deals with the lanes that report something. */
static void serve_lanes(ff_ssa_run *run, worker *w, uint32_t reports) {
  ff_ssa_wide *wide = w->wide;
  for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++) {
    if (!(reports >> lane & 1)) continue;
    int broken = wide->broken >> lane & 1, complete = 0;
    if (broken)
      fail_lane(run, w, lane);
    else
      complete = record_until(run, w, lane, wide->next_time[lane]);
    if (complete) {
      w->complete++;
      w->events += wide->event[lane];
    }
    if (broken || complete)
      start_lane(run, w, lane);
    else
      wide->wanted[lane] = run->times[w->at[lane]];
  }
}

static int any_lane(const worker *w) {
  for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++)
    if (w->unit[lane] != NO_UNIT) return 1;
  return 0;
}

/* Advances all lanes by at most `steps`. Returns 0 if there is nothing left to do. */
static int advance_lanes(ff_ssa_run *run, worker *w, uint32_t steps) {
  if (!any_lane(w))
    for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++) start_lane(run, w, lane);
  if (!any_lane(w)) return 0;
  while (steps > 0) {
    uint32_t reports = w->wide->advance(w->wide, &steps); /* those that are not served are reported again */
    if (reports != 0) serve_lanes(run, w, reports);
  }
  return 1;
}

/* ---- all ---- */

/* Trajectories after a failed one do not matter. */
static void drop_lanes(ff_ssa_run *run, worker *w) {
  uint64_t failed = atomic_load(&run->failed);
  for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++) {
    if (w->unit[lane] == NO_UNIT || w->unit[lane] <= failed) continue;
    w->unit[lane] = NO_UNIT;
    if (w->wide != NULL) ff_ssa_wide_rest(w->wide, lane);
  }
}

/* An event takes time in proportion to the propensities that are computed: all of them, or those that it changes. */
static uint32_t events_between_looks(const ff_ssa_run *run) {
  int all = run->options.method == FF_SSA_DIRECT || run->options.method == FF_SSA_FIRST;
  double cost = all ? run->program->n_reactions : ff_ssa_program_coupling(run->program);
  return (uint32_t)(65536 / (cost + 16)) + 1;
}

static void work(void *context, int index) {
  ff_ssa_run *run = context;
  worker *w = run->workers + index;
  uint32_t events = events_between_looks(run), many = 1024 / (run->program->n_reactions + 1) + 1;
  do {
    uint64_t before = w->complete;
    for (uint32_t i = 0; i < many && (i == 0 || w->complete > before); i++) { /* short trajectories between two looks */
      before = w->complete;
      if (!(w->wide != NULL ? advance_lanes(run, w, events) : advance_path(run, w, events))) return;
      if (w->wide != NULL) break;
    }
    drop_lanes(run, w);
  } while (ff_clock() < run->deadline);
}

ff_status ff_ssa_run_advance(ff_ssa_run *run, double seconds, int *done, ff_error *err) {
  run->deadline = ff_clock() + seconds;
  ff_parallel(run->threads, work, run);
  uint64_t failed = atomic_load(&run->failed);
  *done = failed != NO_UNIT || atomic_load(&run->next) >= run->options.n;
  for (int i = 0; i < run->threads; i++) {
    drop_lanes(run, run->workers + i);
    if (any_lane(run->workers + i)) *done = 0;
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
  for (int i = 0; i < run->threads; i++) {
    const worker *w = run->workers + i;
    n += w->events;
    for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++) {
      if (w->unit[lane] == NO_UNIT) continue;
      uint64_t events = w->wide == NULL ? w->path.event : w->wide->event[lane];
      if (events != UINT64_MAX) n += events;
    }
  }
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
