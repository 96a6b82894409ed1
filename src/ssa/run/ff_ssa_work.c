/* The work of a thread of a run: trajectories in the lanes of its engine, and what it records of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_decimal.h"
#include "../methods/ff_ssa_choice.h"
#include "../methods/ff_ssa_methods.h"
#include "ff_ssa_run.h"
#include "ff_ssa_run_internal.h"
#include "../schedule/ff_ssa_schedule.h"

/* ---- failures ----------------------------------------------------------------------------------------------------------- */

#define MOST_TOLD 6u

static int compare_reactions(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Writes the counts that the propensity of reaction r reads, such as `, where "A" is 2, "B" is 3`. */
static void tell_counts(const ff_ssa_program *p, const ff_ssa_engine *e, uint32_t lane, uint32_t r, char *out, size_t size) {
  size_t used = 0;
  uint32_t told = 0;
  out[0] = '\0';
  for (uint32_t s = 0; s < p->n_species && used < size; s++) {
    const size_t first = p->reader_first[s], n = p->reader_first[s + 1] - first;
    if (n == 0 || bsearch(&r, p->readers + first, n, sizeof r, compare_reactions) == NULL) continue;
    if (told == MOST_TOLD) {
      snprintf(out + used, size - used, ", ...");
      return;
    }
    const int length = snprintf(out + used, size - used, "%s %s is %s", told++ == 0 ? ", where" : ",",
                                ff_quote(p->names[s], strlen(p->names[s])).text,
                                ff_show(e->count[s * e->stride + lane], 15).text);
    used += length > 0 ? (size_t)length : 0;
  }
}

/* Writes the names of reactions that make a species, such as `; reactions that make it: "R1", "R3"`. */
static void tell_makers(const ff_ssa_program *p, uint32_t species, char *out, size_t size) {
  size_t used = 0;
  uint32_t told = 0;
  out[0] = '\0';
  for (uint32_t r = 0; r < p->n_reactions && used < size; r++) {
    int makes = 0;
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++)
      makes |= p->changes[i].species == species && p->changes[i].by > 0;
    if (!makes) continue;
    if (told == MOST_TOLD) {
      snprintf(out + used, size - used, ", ...");
      return;
    }
    const char *name = p->names[p->n_species + r];
    const int length = snprintf(out + used, size - used, "%s %s", told++ == 0 ? "; reactions that make it:" : ",",
                                ff_quote(name, strlen(name)).text);
    used += length > 0 ? (size_t)length : 0;
  }
}

static void describe_failure(const ff_ssa_run *run, const ff_ssa_worker *w, uint32_t lane, ff_error *out) {
  const ff_ssa_program *p = run->program;
  ff_ssa_failure failure;
  w->engine->diagnose(w->engine, lane, &failure);
  if (failure.what >= FF_SSA_BAD_SET) {
    ff_ssa_schedule_describe(p, &failure, run->options.first + w->unit[lane] + 1, out);
    return;
  }
  const char *name = p->names[failure.what == FF_SSA_BAD_COUNT ? failure.item : p->n_species + failure.item];
  ff_quoted shown = ff_quote(name, strlen(name));
  unsigned long long number = run->options.first + w->unit[lane] + 1;
  failure.time += run->options.start;
  const int rounded = failure.what == FF_SSA_ROUNDED;
  char where[MOST_TOLD * (sizeof shown.text + 40)] = "";
  const int counts = ff_ssa_method_exact(run->options.method); /* others may have failed within a step */
  if (failure.what == FF_SSA_BAD_COUNT)
    tell_makers(p, failure.item, where, sizeof where);
  else if (counts)
    tell_counts(p, w->engine, lane, failure.item, where, sizeof where);
  if (failure.what == FF_SSA_BAD_RATE && ff_ssa_row_of(run->options.method)->signs)
    ff_error_set(out, FF_EMODEL, "the rate of reaction %s is %s at time %g of trajectory %llu; expected a finite number",
                 shown.text, ff_show(failure.value, 6).text, failure.time, number);
  else if (rounded || failure.what == FF_SSA_BAD_RATE)
    ff_error_set(out, FF_EMODEL,
                 "the propensity of reaction %s is %s at time %g of trajectory %llu%s%s; expected a finite number of at least "
                 "0%s", shown.text, ff_show(failure.value, 6).text, failure.time, number, where,
                 rounded ? ", perhaps by rounding errors alone" : "", rounded ? ", such as max(0, ...)" : "");
  else if (failure.what == FF_SSA_BAD_SUM)
    ff_error_set(out, FF_EMODEL,
                 "the sum of the propensities is infinite at time %g of trajectory %llu; the largest is %s, of reaction %s%s",
                 failure.time, number, ff_show(failure.value, 6).text, shown.text, where);
  else if (failure.what == FF_SSA_BAD_STEP)
    ff_error_set(out, FF_EMODEL,
                 "the differential equations cannot be solved beyond time %g of trajectory %llu: the steps become too short",
                 failure.time, number);
  else
    ff_error_set(out, FF_ESIZE, "the count of species %s exceeds 2^40 at time %g of trajectory %llu%s", shown.text,
                 failure.time, number, where);
}

/* ---- engines ------------------------------------------------------------------------------------------------------------ */

void ff_ssa_worker_equip(const ff_ssa_run *run, ff_ssa_worker *w) {
  const ff_ssa_options *o = &run->options;
  const double *initial = w->initial != NULL ? w->initial : run->initial;
  const uint64_t threads = (uint64_t)run->threads;
  const uint64_t each = o->max_firings > 0 ? 1 : (o->n + threads - 1) / threads; /* one lane lists firings */
  if (w->engine == NULL) w->status = ff_ssa_engine_new(&w->engine, run->program, o, initial, each, &w->failure);
}

/* ---- work --------------------------------------------------------------------------------------------------------------- */

/* Returns the next trajectory, or FF_SSA_NO_UNIT if there is none. After a failure, only trajectories before the failed one
 * matter. All of them have begun, because they begin in their order, but devices may have refused some. */
static uint64_t next_unit(ff_ssa_run *run) {
  if (atomic_load(&run->failed) == FF_SSA_NO_UNIT) {
    const uint64_t unit = atomic_fetch_add(&run->next, 1);
    if (unit < run->options.n) return unit;
    atomic_store(&run->next, run->options.n);
  }
  return ff_ssa_waves_refused(run);
}

static void start_lane(ff_ssa_run *run, ff_ssa_worker *w, uint32_t lane) {
  const size_t n_species = run->program->n_species;
  w->unit[lane] = next_unit(run);
  w->at[lane] = 0;
  w->ended &= ~(UINT64_C(1) << lane);
  if (w->unit[lane] == FF_SSA_NO_UNIT) {
    w->engine->rest(w->engine, lane);
    return;
  }
  if (run->options.stopped != NULL) run->options.stopped[w->unit[lane]] = NAN;
  if (w->initial != NULL && n_species > 0)
    memcpy(w->initial, run->options.starts + w->unit[lane] * n_species, n_species * sizeof *w->initial);
  w->engine->start(w->engine, lane, run->options.first + w->unit[lane], run->wanted.since[0]);
}

/* Records the states at all times before the next event, or as many as the budget permits. *complete tells whether these are all
 * times. */
static ff_status record_until(const ff_ssa_run *run, ff_ssa_worker *w, uint32_t lane, double next_time, int *complete,
                              ff_error *err) {
  const ff_ssa_engine *e = w->engine;
  ff_status status = FF_OK;
  for (; status == FF_OK && w->at[lane] < run->wanted.n_times && run->wanted.since[w->at[lane]] < next_time && w->budget > 0;
       w->at[lane]++) {
    status = ff_ssa_record_state(&w->record, &run->wanted, w->unit[lane], w->at[lane], e->count + lane, e->stride, err);
    w->budget -= run->wanted.cost;
  }
  *complete = w->at[lane] == run->wanted.n_times;
  return status;
}

/* Records what the lane has reached. Its state lasts until next_time. If the budget is used up, the engine reports the lane again
 * when it goes on. */
static void serve_lane(ff_ssa_run *run, ff_ssa_worker *w, uint32_t lane, double next_time) {
  ff_ssa_engine *e = w->engine;
  ff_error err;
  int broken = e->broken >> lane & 1, complete = 0;
  if (broken) {
    describe_failure(run, w, lane, &err);
    ff_ssa_worker_fail(run, w, w->unit[lane], &err);
  } else if (record_until(run, w, lane, next_time, &complete, &err) != FF_OK) {
    ff_ssa_worker_fail(run, w, w->unit[lane], &err);
    broken = 1;
  } else if (complete) {
    w->complete++;
    w->events += e->events(e, lane);
  }
  if (broken || complete)
    start_lane(run, w, lane);
  else
    e->wanted[lane] = run->wanted.since[w->at[lane]];
}

/* Serves the lanes of these bits. The state of one that a condition has ended lasts for ever. */
static void serve_lanes(ff_ssa_run *run, ff_ssa_worker *w, uint64_t lanes) {
  ff_ssa_engine *e = w->engine;
  for (uint32_t lane = 0; lane < e->lanes && lanes >> lane != 0; lane++)
    if (lanes >> lane & 1) serve_lane(run, w, lane, w->ended >> lane & 1 ? INFINITY : e->next_time[lane]);
}

/* Records the firing of a step at `time` of an engine with one lane. */
static int list_firing(ff_ssa_run *run, ff_ssa_worker *w, double time, uint32_t reaction) {
  ff_error err;
  if (ff_ssa_record_firing(&w->record, &run->wanted, w->unit[0], time, reaction, &err) == FF_OK) return 1;
  ff_ssa_worker_fail(run, w, w->unit[0], &err);
  start_lane(run, w, 0);
  return 0;
}

/* The lanes whose trajectories end because the condition holds after the last step, which was at the time of each lane. */
static uint64_t end_lanes(const ff_ssa_run *run, const ff_ssa_worker *w, const double *time) {
  const ff_ssa_options *o = &run->options;
  const ff_ssa_engine *e = w->engine;
  uint64_t holds = 0, ended = 0;
  if (o->until == NULL || e->halfway) return 0;
  if (e->reached != NULL) {
    holds = *e->reached != 0;
  } else {
    ff_formula_values(o->until, e->count, e->stride, e->lanes, w->stack);
    for (uint32_t lane = 0; lane < e->lanes; lane++) holds |= (uint64_t)(w->stack[lane] != 0) << lane;
  }
  holds &= ~e->broken;
  for (uint32_t lane = 0; lane < e->lanes && holds >> lane != 0; lane++) {
    if (!(holds >> lane & 1) || w->unit[lane] == FF_SSA_NO_UNIT) continue;
    ended |= UINT64_C(1) << lane;
    if (o->stopped != NULL) o->stopped[w->unit[lane]] = o->start + time[lane];
  }
  return ended;
}

/* As advance_lanes(), but one event of each lane after the other. */
static void follow_events(ff_ssa_run *run, ff_ssa_worker *w, uint32_t steps) {
  ff_ssa_engine *e = w->engine;
  double time[FF_SSA_MAX_LANES];
  while (steps > 0 && w->budget > 0 && ff_ssa_worker_busy(w)) {
    uint32_t one = 1;
    if (w->ended) { /* before the next step changes their states */
      serve_lanes(run, w, w->ended);
      continue;
    }
    memcpy(time, e->next_time, e->lanes * sizeof *time);
    const int lists = run->options.max_firings > 0;
    const uint32_t reaction = lists ? *e->next : 0;
    const uint64_t before = lists ? e->events(e, 0) : 0, reports = e->advance(e, &one);
    if (one == 0) {
      steps--;
      if (lists && !(e->broken & 1) && e->events(e, 0) > before && !list_firing(run, w, time[0], reaction)) continue;
      w->ended = end_lanes(run, w, time);
    }
    serve_lanes(run, w, reports | w->ended);
    if (e->halfway) return;
  }
}

/* Advances all lanes by at most `steps`, until the budget is used up. Returns 0 if there is nothing left to do. */
static int advance_lanes(ff_ssa_run *run, ff_ssa_worker *w, uint32_t steps) {
  ff_ssa_engine *e = w->engine;
  if (!ff_ssa_worker_busy(w))
    for (uint32_t lane = 0; lane < e->lanes; lane++) start_lane(run, w, lane);
  if (!ff_ssa_worker_busy(w)) return 0;
  if (ff_ssa_follows_events(&run->options)) {
    follow_events(run, w, steps);
    return 1;
  }
  while (steps > 0 && w->budget > 0) {
    uint64_t reports = e->advance(e, &steps); /* those that are not served are reported again */
    serve_lanes(run, w, reports);
    if (reports != 0 && !ff_ssa_worker_busy(w)) break;
  }
  return 1;
}

/* An event takes time in proportion to the propensities that are computed or searched. */
static uint32_t events_between_looks(const ff_ssa_run *run) {
  const ff_ssa_program *p = run->program;
  const double cost = ff_ssa_program_scheduled(p) ? ff_ssa_schedule_cost(p) : ff_ssa_row_of(run->options.method)->work(p);
  return (uint32_t)(65536 / (cost + 16)) + 1;
}

void ff_ssa_work(ff_ssa_run *run, ff_ssa_worker *w) {
  const uint32_t events = events_between_looks(run);
  do {
    w->budget = FF_SSA_BETWEEN_LOOKS;
    if (!advance_lanes(run, w, events)) return;
    ff_ssa_worker_drop(run, w);
  } while (ff_clock() < run->deadline && !atomic_load(&run->shared.full) && !ff_ssa_waves_ended(run));
}
