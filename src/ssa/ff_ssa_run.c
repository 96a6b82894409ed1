/* Ensembles: many trajectories, divided among threads. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_engine.h"
#include "ff_ssa_implicit.h"
#include "ff_ssa_record.h"

#define NO_UNIT UINT64_MAX
#define RECORDS_BETWEEN_LOOKS 16384.0 /* as ff_ssa_wanted counts their cost */

/* What a thread works on, and what it has found. */
typedef struct {
  ff_ssa_engine *engine;
  uint64_t unit[FF_SSA_MAX_LANES]; /* the trajectory on its way in each lane; NO_UNIT if there is none */
  uint32_t at[FF_SSA_MAX_LANES];   /* the next time at which its state is wanted */
  double budget;                   /* what may be recorded until the thread looks at the clock */
  int ended;                       /* whether a condition has ended the trajectory, and its state must be recorded to the end */
  uint64_t complete, events;       /* of trajectories that are complete */
  ff_ssa_record record;
  double *initial; /* counts at the start of the next trajectory; NULL if they are the same for all */
  double *stack;   /* for the condition */
  uint64_t failed; /* the trajectory that failed; NO_UNIT if none has */
  ff_error failure;
} worker;

struct ff_ssa_run {
  const ff_ssa_program *program;
  ff_ssa_options options; /* without pointers, but for those that the caller keeps */
  ff_ssa_wanted wanted;
  double *initial;
  worker *workers;
  int threads;
  ff_ssa_shared shared;
  int over;         /* whether all trajectories are complete */
  int merging;      /* whether records are being merged into that of the first worker: all sums if it is over, else histograms */
  int merged;       /* whether the first worker's record holds all sums */
  int from;         /* the worker whose record is merged */
  uint32_t at_time; /* the next of its sums */
  ff_ssa_place at;  /* and of its histograms */
  atomic_uint_least64_t next;   /* the first trajectory that no thread has begun */
  atomic_uint_least64_t failed; /* the first trajectory that is known to fail; NO_UNIT if none is */
  double deadline;
};

/* ---- making and freeing ------------------------------------------------------------------------------------------------- */

/* Methods with real counts may start from counts that are not whole: from the end of an earlier run by such a method. */
static ff_status check_counts(const ff_ssa_program *p, const double *initial, ff_ssa_method method, ff_error *err) {
  const int whole = ff_ssa_method_whole(method);
  for (uint32_t s = 0; s < p->n_species; s++) {
    const int broken = whole && initial[s] != floor(initial[s]);
    if (initial[s] >= 0 && initial[s] <= FF_SSA_MAX_COUNT && !broken) continue;
    const ff_quoted name = ff_quote(p->names[s], strlen(p->names[s]));
    if (!(initial[s] >= 0 && initial[s] <= FF_SSA_MAX_COUNT))
      return ff_error_set(err, FF_ESIZE, "the initial count of species %s is %.17g; expected a %snumber from 0 to 2^40",
                          name.text, initial[s], whole ? "whole " : "");
    return ff_error_set(err, FF_EARGUMENT, "the initial count of species %s is %.17g; method \"%s\" needs a whole number",
                        name.text, initial[s], ff_ssa_method_name(method));
  }
  return FF_OK;
}

/* Engines begin at time 0, which changes nothing if no rate depends on the time. */
static ff_status check_start(const ff_ssa_program *p, const ff_ssa_options *o, ff_error *err) {
  ff_status status = FF_OK;
  for (uint64_t i = 0; o->starts != NULL && i < o->n && status == FF_OK; i++)
    status = check_counts(p, o->starts + i * p->n_species, o->method, err);
  if (status != FF_OK || o->start == 0) return status;
  if (!(o->start > 0 && isfinite(o->start)))
    return ff_error_set(err, FF_EARGUMENT, "the start is %g; expected a finite number of at least 0", o->start);
  if (ff_ssa_program_scheduled(p))
    return ff_error_set(err, FF_EUNSUPPORTED, "a run that starts at time %g needs a network without events, and rates that do "
                        "not depend on the time", o->start);
  return FF_OK;
}

static ff_status check_options(const ff_ssa_program *p, const ff_ssa_options *o, ff_error *err) {
  if (o->n_times == 0 || o->threads < 1 || (unsigned)o->method >= FF_SSA_METHODS)
    return ff_error_set(err, FF_EARGUMENT, "a run needs a time, a thread and a known method");
  ff_status status = check_counts(p, o->initial != NULL ? o->initial : p->initial, o->method, err);
  if (status == FF_OK) status = check_start(p, o, err);
  if (status != FF_OK) return status;
  if (o->n > FF_PHILOX_MAX_UNITS || o->first > FF_PHILOX_MAX_UNITS - o->n)
    return ff_error_set(err, FF_ESIZE, "trajectories are numbered up to 2^48");
  return ff_ssa_method_check_options(p, o, err);
}

static ff_status new_engine(worker *w, const ff_ssa_run *run, int threads, ff_error *err) {
  const ff_ssa_options *o = &run->options;
  const int one_lane = ff_ssa_follows_events(o) || o->starts != NULL;
  const uint64_t each = one_lane ? 1 : (o->n + (uint64_t)threads - 1) / (uint64_t)threads;
  return ff_ssa_engine_new(&w->engine, run->program, o, w->initial != NULL ? w->initial : run->initial, each, err);
}

static ff_status new_worker(worker *w, ff_ssa_run *run, int threads, ff_error *err) {
  const ff_ssa_options *o = &run->options;
  w->failed = NO_UNIT;
  for (int lane = 0; lane < FF_SSA_MAX_LANES; lane++) w->unit[lane] = NO_UNIT;
  ff_status status = ff_ssa_record_new(&w->record, &run->wanted, &run->shared, err);
  if (status != FF_OK) return status;
  if (o->starts != NULL) w->initial = ff_calloc(run->program->n_species, sizeof *w->initial);
  if (o->until != NULL) w->stack = ff_calloc(o->until->depth, sizeof *w->stack);
  if ((o->starts != NULL && w->initial == NULL) || (o->until != NULL && w->stack == NULL))
    return ff_error_set(err, FF_EMEMORY, "no memory for a trajectory of %u species", run->program->n_species);
  return new_engine(w, run, threads, err);
}

/* The sums of products of all threads together take at most max_bytes. */
static int threads_of(const ff_ssa_run *run, const ff_ssa_options *o) {
  const uint64_t each = run->wanted.product_bytes, all = each + run->wanted.max_bytes;
  uint64_t threads = o->n < (uint64_t)o->threads ? o->n : (uint64_t)o->threads;
  if (each > 0 && threads > all / each) threads = all / each;
  return threads > 0 ? (int)threads : 1;
}

static ff_status fill_run(ff_ssa_run *run, const ff_ssa_options *options, ff_error *err) {
  const uint32_t n_species = run->program->n_species;
  ff_status status = ff_ssa_wanted_new(&run->wanted, run->program, options, err);
  if (status != FF_OK) return status;
  const int threads = threads_of(run, options);
  run->initial = ff_calloc(n_species, sizeof *run->initial);
  run->workers = ff_calloc((size_t)threads, sizeof *run->workers);
  if (run->initial == NULL || run->workers == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %d threads", threads);
  memcpy(run->initial, options->initial != NULL ? options->initial : run->program->initial, n_species * sizeof *run->initial);
  while (status == FF_OK && run->threads < threads) status = new_worker(&run->workers[run->threads++], run, threads, err);
  return status;
}

ff_status ff_ssa_run_new(ff_ssa_run **out, const ff_ssa_program *program, const ff_ssa_options *options, ff_error *err) {
  *out = NULL;
  ff_status status = check_options(program, options, err);
  if (status != FF_OK) return status;
  ff_ssa_run *run = ff_calloc(1, sizeof *run);
  if (run == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a run");
  run->program = program;
  run->options = *options;
  atomic_init(&run->next, 0);
  atomic_init(&run->shared.bytes, 0);
  atomic_init(&run->shared.firings, 0);
  atomic_init(&run->shared.full, 0);
  atomic_init(&run->failed, NO_UNIT);
  status = fill_run(run, options, err);
  run->options.times = run->options.initial = NULL;
  run->options.observed = NULL;
  run->options.states = NULL;
  if (status == FF_OK)
    *out = run;
  else
    ff_ssa_run_free(run);
  return status;
}

void ff_ssa_run_free(ff_ssa_run *run) {
  if (run == NULL) return;
  for (int i = 0; i < run->threads; i++) {
    if (run->workers[i].engine != NULL) run->workers[i].engine->free(run->workers[i].engine);
    ff_ssa_record_free(&run->workers[i].record);
    free(run->workers[i].initial);
    free(run->workers[i].stack);
  }
  free(run->workers);
  free(run->initial);
  ff_ssa_wanted_free(&run->wanted);
  free(run);
}

/* ---- failures ----------------------------------------------------------------------------------------------------------- */

static void describe_failure(const ff_ssa_run *run, worker *w, uint32_t lane) {
  const ff_ssa_program *p = run->program;
  ff_ssa_failure failure;
  w->engine->diagnose(w->engine, lane, &failure);
  if (failure.what >= FF_SSA_BAD_SET) {
    ff_ssa_schedule_describe(p, &failure, run->options.first + w->unit[lane] + 1, &w->failure);
    return;
  }
  const char *name = p->names[failure.what == FF_SSA_BAD_COUNT ? failure.item : p->n_species + failure.item];
  ff_quoted shown = ff_quote(name, strlen(name));
  unsigned long long number = run->options.first + w->unit[lane] + 1;
  failure.time += run->options.start;
  const int rounded = failure.what == FF_SSA_ROUNDED;
  if (rounded || failure.what == FF_SSA_BAD_RATE)
    ff_error_set(&w->failure, FF_EMODEL,
                 "the propensity of reaction %s is %g at time %g of trajectory %llu%s; expected a finite number of at least 0%s",
                 shown.text, failure.value, failure.time, number, rounded ? ", perhaps by rounding errors alone" : "",
                 rounded ? ", such as max(0, ...)" : "");
  else if (failure.what == FF_SSA_BAD_SUM)
    ff_error_set(&w->failure, FF_EMODEL,
                 "the sum of the propensities is infinite at time %g of trajectory %llu; the largest is %g, of reaction %s",
                 failure.time, number, failure.value, shown.text);
  else if (failure.what == FF_SSA_BAD_STEP)
    ff_error_set(&w->failure, FF_EMODEL,
                 "the differential equations cannot be solved beyond time %g of trajectory %llu: the steps become too short",
                 failure.time, number);
  else
    ff_error_set(&w->failure, FF_ESIZE, "the count of species %s exceeds 2^40 at time %g of trajectory %llu", shown.text,
                 failure.time, number);
}

/* Describes the failure of the first trajectory that failed in this thread. `other` is a description of a failure that is not the
 * engine's, or NULL. */
static void fail(ff_ssa_run *run, worker *w, uint32_t lane, const ff_error *other) {
  const uint64_t unit = w->unit[lane];
  if (unit < w->failed) {
    if (other != NULL)
      w->failure = *other;
    else
      describe_failure(run, w, lane);
    w->failed = unit;
  }
  uint_least64_t first = atomic_load(&run->failed);
  while (unit < first && !atomic_compare_exchange_weak(&run->failed, &first, unit)) continue;
}

/* ---- work --------------------------------------------------------------------------------------------------------------- */

/* Returns the next trajectory, or NO_UNIT if there is none. After a failure, only trajectories before the failed one matter, and
 * all of them have begun, because they begin in their order. */
static uint64_t next_unit(ff_ssa_run *run) {
  if (atomic_load(&run->failed) != NO_UNIT) return NO_UNIT;
  uint64_t unit = atomic_fetch_add(&run->next, 1);
  if (unit < run->options.n) return unit;
  atomic_store(&run->next, run->options.n);
  return NO_UNIT;
}

static void start_lane(ff_ssa_run *run, worker *w, uint32_t lane) {
  const size_t n_species = run->program->n_species;
  w->unit[lane] = next_unit(run);
  w->at[lane] = 0;
  w->ended = 0;
  if (w->unit[lane] == NO_UNIT) {
    w->engine->rest(w->engine, lane);
    return;
  }
  if (run->options.stopped != NULL) run->options.stopped[w->unit[lane]] = NAN;
  if (w->initial != NULL && n_species > 0)
    memcpy(w->initial, run->options.starts + w->unit[lane] * n_species, n_species * sizeof *w->initial);
  w->engine->start(w->engine, lane, run->options.first + w->unit[lane], run->wanted.times[0]);
}

/* Records the states at all times before the next event, or as many as the budget permits. *complete tells whether these are all
 * times. */
static ff_status record_until(const ff_ssa_run *run, worker *w, uint32_t lane, double next_time, int *complete, ff_error *err) {
  const ff_ssa_engine *e = w->engine;
  ff_status status = FF_OK;
  for (; status == FF_OK && w->at[lane] < run->wanted.n_times && run->wanted.times[w->at[lane]] < next_time && w->budget > 0;
       w->at[lane]++) {
    status = ff_ssa_record_state(&w->record, &run->wanted, w->unit[lane], w->at[lane], e->count + lane, e->stride, err);
    w->budget -= run->wanted.cost;
  }
  *complete = w->at[lane] == run->wanted.n_times;
  return status;
}

/* Records what the lane has reached. Its state lasts until next_time. If the budget is used up, the engine reports the lane again
 * when it goes on. */
static void serve_lane(ff_ssa_run *run, worker *w, uint32_t lane, double next_time) {
  ff_ssa_engine *e = w->engine;
  ff_error err;
  int broken = e->broken >> lane & 1, complete = 0;
  if (broken) {
    fail(run, w, lane, NULL);
  } else if (record_until(run, w, lane, next_time, &complete, &err) != FF_OK) {
    fail(run, w, lane, &err);
    broken = 1;
  } else if (complete) {
    w->complete++;
    w->events += e->events(e, lane);
  }
  if (broken || complete)
    start_lane(run, w, lane);
  else
    e->wanted[lane] = run->wanted.times[w->at[lane]];
}

static int any_lane(const worker *w) {
  for (uint32_t lane = 0; lane < w->engine->lanes; lane++)
    if (w->unit[lane] != NO_UNIT) return 1;
  return 0;
}

/* Records the firing of a step at `time` of an engine with one lane, and checks the condition in the new state. `fired` tells
 * whether a reaction has fired; then it is `reaction`. Returns whether the trajectory ends there. */
static int look_at_event(ff_ssa_run *run, worker *w, double time, int fired, uint32_t reaction, ff_error *err,
                         ff_status *status) {
  const ff_ssa_options *o = &run->options;
  *status = FF_OK;
  if (fired && o->max_firings > 0)
    *status = ff_ssa_record_firing(&w->record, &run->wanted, w->unit[0], time, reaction, err);
  if (o->until == NULL || *status != FF_OK) return 0;
  const ff_ssa_engine *e = w->engine;
  const int reached = e->reached != NULL ? *e->reached : ff_formula_value(o->until, e->count, 0, w->stack) != 0;
  if (!reached || e->halfway) return 0;
  if (o->stopped != NULL) o->stopped[w->unit[0]] = o->start + time;
  return 1;
}

/* As advance_lanes(), but for an engine with one lane, and one event after the other. */
static void follow_events(ff_ssa_run *run, worker *w, uint32_t steps) {
  ff_ssa_engine *e = w->engine;
  while (steps > 0 && w->budget > 0 && any_lane(w)) {
    ff_error err;
    ff_status status = FF_OK;
    uint32_t one = 1;
    if (w->ended) {
      serve_lane(run, w, 0, INFINITY);
      continue;
    }
    const double time = e->next_time[0];
    const uint32_t reaction = *e->next;
    const uint64_t before = e->events(e, 0), reports = e->advance(e, &one);
    if (one == 0) {
      steps--;
      if (!(e->broken & 1)) w->ended = look_at_event(run, w, time, e->events(e, 0) > before, reaction, &err, &status);
    }
    if (status != FF_OK) {
      fail(run, w, 0, &err);
      start_lane(run, w, 0);
    } else if (w->ended || (reports & 1)) {
      serve_lane(run, w, 0, w->ended ? INFINITY : e->next_time[0]);
    }
    if (e->halfway) return;
  }
}

/* Advances all lanes by at most `steps`, until the budget is used up. Returns 0 if there is nothing left to do. */
static int advance_lanes(ff_ssa_run *run, worker *w, uint32_t steps) {
  ff_ssa_engine *e = w->engine;
  if (!any_lane(w))
    for (uint32_t lane = 0; lane < e->lanes; lane++) start_lane(run, w, lane);
  if (!any_lane(w)) return 0;
  if (ff_ssa_follows_events(&run->options)) {
    follow_events(run, w, steps);
    return 1;
  }
  while (steps > 0 && w->budget > 0) {
    uint64_t reports = e->advance(e, &steps); /* those that are not served are reported again */
    for (uint32_t lane = 0; reports >> lane != 0; lane++) {
      if (reports >> lane & 1) serve_lane(run, w, lane, e->next_time[lane]);
      if (lane + 1 == e->lanes) break;
    }
    if (reports != 0 && !any_lane(w)) break;
  }
  return 1;
}

/* Trajectories after a failed one do not matter. */
static void drop_lanes(ff_ssa_run *run, worker *w) {
  uint64_t failed = atomic_load(&run->failed);
  for (uint32_t lane = 0; lane < w->engine->lanes; lane++) {
    if (w->unit[lane] == NO_UNIT || w->unit[lane] <= failed) continue;
    w->unit[lane] = NO_UNIT;
    w->engine->rest(w->engine, lane);
  }
}

/* An event takes time in proportion to the propensities that are computed or searched: all of them, or those that it changes. */
static uint32_t events_between_looks(const ff_ssa_run *run) {
  const ff_ssa_program *p = run->program;
  double cost = p->n_reactions;
  switch (run->options.method) {
    case FF_SSA_TREE:
    case FF_SSA_NEXT:
    case FF_SSA_COMPOSITION:
    case FF_SSA_RSSA:
    case FF_SSA_RSSA_CR: cost = ff_ssa_program_coupling(p); break;
    case FF_SSA_FACTORED: cost = ff_ssa_program_coupling(p) + ff_ssa_program_groups(p); break;
    default: break;
  }
  if (!ff_ssa_method_exact(run->options.method)) cost *= 16; /* random numbers, and stages */
  if (ff_ssa_program_scheduled(p)) cost = ff_ssa_schedule_cost(p);
  if (run->options.method == FF_SSA_IMPLICIT) cost += ff_ssa_implicit_cost(p);
  return (uint32_t)(65536 / (cost + 16)) + 1;
}

static void work(void *context, int index) {
  ff_ssa_run *run = context;
  worker *w = run->workers + index;
  uint32_t events = events_between_looks(run);
  do {
    w->budget = RECORDS_BETWEEN_LOOKS;
    if (!advance_lanes(run, w, events)) return;
    drop_lanes(run, w);
  } while (ff_clock() < run->deadline && !atomic_load(&run->shared.full));
}

static ff_status simulate(ff_ssa_run *run, ff_error *err) {
  ff_parallel(run->threads, work, run);
  uint64_t failed = atomic_load(&run->failed);
  run->over = failed != NO_UNIT || atomic_load(&run->next) >= run->options.n;
  for (int i = 0; i < run->threads; i++) {
    drop_lanes(run, run->workers + i);
    if (any_lane(run->workers + i)) run->over = 0;
  }
  run->merging = run->wanted.states == NULL && (run->over || atomic_load(&run->shared.full));
  if (!run->over || failed == NO_UNIT) return FF_OK;
  for (int i = 0; i < run->threads; i++)
    if (run->workers[i].failed == failed) {
      if (err != NULL) *err = run->workers[i].failure;
      return run->workers[i].failure.status;
    }
  return ff_error_set(err, FF_EINTERNAL, "a failed trajectory was lost");
}

/* Merges a part of the record of a worker into that of the first one. */
static ff_status merge_part(ff_ssa_run *run, worker *from, ff_error *err) {
  ff_ssa_record *all = &run->workers[0].record;
  int done = 0;
  if (run->over && run->at_time < run->wanted.n_times) {
    ff_ssa_sums_merge(&all->sums, &from->record.sums, run->at_time++);
    return FF_OK;
  }
  ff_status status = ff_ssa_sums_move(&all->sums, &from->record.sums, &run->at, &all->bytes, &done, err);
  if (!done) return status;
  if (run->over) ff_ssa_sums_free(&from->record.sums);
  from->record.bytes = 0;
  run->from++;
  run->at_time = 0;
  run->at = (ff_ssa_place){0, 0};
  return FF_OK;
}

/* Merges records until the deadline. Whether the merged histograms are too large does not depend on the threads. */
static ff_status merge(ff_ssa_run *run, ff_error *err) {
  if (run->from == 0) run->from = 1;
  do {
    if (run->from == run->threads) {
      run->merging = run->from = 0;
      run->merged = run->over;
      atomic_store(&run->shared.bytes, 0);
      atomic_store(&run->shared.full, 0);
      const uint64_t bytes = ff_ssa_sums_bytes(&run->workers[0].record.sums);
      return bytes <= run->wanted.max_bytes ? FF_OK : ff_ssa_refuse_bytes(&run->wanted, err);
    }
    ff_status status = merge_part(run, run->workers + run->from, err);
    if (status != FF_OK) return status;
  } while (ff_clock() < run->deadline);
  return FF_OK;
}

ff_status ff_ssa_run_advance(ff_ssa_run *run, double seconds, int *done, ff_error *err) {
  run->deadline = ff_clock() + seconds;
  ff_status status = run->merging ? FF_OK : simulate(run, err);
  if (status == FF_OK && run->merging) status = merge(run, err);
  *done = status != FF_OK || (run->over && !run->merging);
  return status;
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
    for (uint32_t lane = 0; lane < w->engine->lanes; lane++)
      if (w->unit[lane] != NO_UNIT) n += w->engine->events(w->engine, lane);
  }
  return n;
}

ff_status ff_ssa_run_sums(ff_ssa_run *run, ff_ssa_sums **out, ff_error *err) {
  if (!run->merged) return ff_error_set(err, FF_EINTERNAL, "a run that is not done has no sums");
  *out = &run->workers[0].record.sums;
  return FF_OK;
}

uint64_t ff_ssa_run_n_firings(const ff_ssa_run *run) {
  uint64_t n = 0;
  for (int k = 0; k < run->threads; k++) n += run->workers[k].record.n_firings;
  return n;
}

/* A thread simulates one trajectory after the other, so the firings of each are together and in order. */
ff_status ff_ssa_run_firings(const ff_ssa_run *run, double *trajectory, double *time, int32_t *reaction, ff_error *err) {
  uint64_t *at = ff_calloc(run->options.n + 1, sizeof *at);
  if (at == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the firings of the trajectories");
  for (int k = 0; k < run->threads; k++)
    for (size_t i = 0; i < run->workers[k].record.n_firings; i++) at[run->workers[k].record.firing[i].trajectory + 1]++;
  for (uint64_t i = 0; i < run->options.n; i++) at[i + 1] += at[i];
  for (int k = 0; k < run->threads; k++)
    for (size_t i = 0; i < run->workers[k].record.n_firings; i++) {
      const ff_ssa_firing *firing = run->workers[k].record.firing + i;
      const uint64_t place = at[firing->trajectory]++;
      trajectory[place] = (double)firing->trajectory;
      time[place] = firing->time;
      reaction[place] = (int32_t)firing->reaction;
    }
  free(at);
  return FF_OK;
}
