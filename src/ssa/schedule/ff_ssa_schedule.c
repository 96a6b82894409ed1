/* Trajectories of networks with events, or with rates that depend on the time, on this processor. ff_ssa_schedule_lists.h has the
 * steps, which kernels share. Here is what they work with, and how they call a method. */
#include "ff_ssa_schedule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_decimal.h"
#include "../../model/ff_formula_change_math.h"

#define MOST_LATER (1u << 20)    /* events that are delayed */
#define WORK_AT_ONCE 16384u      /* formulas that are evaluated before the step is left halfway */

/* ---- what a trajectory keeps ----------------------------------------------------------------------------------------------- */

/* An event that will happen, or a place for one. */
typedef struct {
  double time;
  uint64_t serial; /* in the order in which triggers became true */
  uint32_t event, row; /* its values are in this row */
} s_due;

struct ff_ssa_schedule {
  uint8_t *kind;   /* for each event of the network: what its trigger reads, FF_SSA_BY_... */
  uint8_t *truth;  /* that of its trigger */
  uint8_t *fresh;  /* whether what its trigger reads has changed, and it must be looked at */
  double *change;  /* for each event whose trigger depends on the time alone: it does not change before this time */
  double *zone;    /* for each event whose trigger depends on the time: the time since which rounding errors decide, so that its
                    * trigger keeps its truth; below 0 if they do not decide */
  uint8_t *doubt;  /* whether the opposite truth was computed since then */
  uint32_t *watched; /* the events whose triggers depend on the time */
  uint32_t n_watched;
  s_due *waits;          /* events that wait */
  uint32_t room;
  double *values;        /* rows of program->most_sets */
  size_t values_room;
  uint32_t n_later, n_now; /* events that are delayed, and those whose time has come */
  uint64_t serial;
  double later_time;     /* of the next event that is delayed */
  uint32_t ties;         /* random choices among events at the present time */
  uint32_t happened;     /* events at the present time */
  double event_time;     /* when a trigger may change or an event happens, if this is before the next firing */
  double search_at;      /* where the present piece of a search begins */
  uint32_t piece;

  double *bound;       /* for each reaction whose propensity depends on the time: in the present window and state */
  int opened;          /* whether the window has just begun, so that these bounds hold */
  uint32_t *reactions; /* those whose propensities depend on the time */
  uint32_t n_reactions;
  double firing;       /* when a reaction may fire next */
  double from, until;  /* the window in which the bounds of the propensities hold */
  double width;        /* of the window */
  uint32_t rejected;   /* how often no reaction fired in this window */
  uint32_t unbounded;  /* whether a propensity has no finite bound in this window */
  uint32_t cut;        /* whether this window ends where a search for invalid rates has given up */
};

/* Makes room for one more event that waits: all places are used. */
static int grow(ff_ssa_path *path, uint32_t event) {
  ff_ssa_schedule *s = path->schedule;
  const uint32_t old = s->room, room = old > 0 ? 2 * old : 16;
  if (old == MOST_LATER) {
    ff_ssa_path_fail(path, FF_SSA_TOO_MANY, event, 0);
    return 0;
  }
  size_t n_waits = old; /* begins with 16, too, and is doubled */
  void *waits = s->waits, *values = s->values;
  ff_status status = ff_grow(&waits, &n_waits, room, sizeof *s->waits, NULL);
  if (status == FF_OK)
    status = ff_grow(&values, &s->values_room, (size_t)room * path->program->most_sets, sizeof *s->values, NULL);
  s->waits = waits;
  s->values = values;
  if (status != FF_OK) {
    ff_ssa_path_fail(path, FF_SSA_NO_MEMORY, event, 0);
    return 0;
  }
  memmove(s->waits + room - s->n_now, s->waits + s->n_later, s->n_now * sizeof *s->waits);
  for (uint32_t i = old; i < room; i++) s->waits[s->n_later + i - old].row = i;
  s->room = room;
  return 1;
}

static int condition_holds(ff_ssa_path *path) {
  if (path->until == NULL || ff_formula_value(path->until, path->count, 0, path->stack) == 0) return 0;
  path->next_time = INFINITY;
  return 1;
}

/* As S_MISSING. */
static int missing_of(const ff_ssa_path *path, uint32_t r) {
  const ff_ssa_propensity *a = path->program->propensities + r;
  return !ff_ssa_reactants_missing(path->program, a, path->count) ? 0 : ff_ssa_may_be_below(a) ? 2 : 1;
}

/* A function of its own: networks whose triggers depend on the time spend most of theirs here. */
static __attribute__((noinline)) ff_change search(const ff_formula_at *f, double from, double to, int truth, uint32_t steps,
                                                  double *at) {
  return ff_change_first(f, from, to, truth, steps, at);
}

static void fail_set(ff_ssa_path *path, uint32_t event, uint32_t symbol, double value) {
  ff_ssa_path_fail(path, FF_SSA_BAD_SET, event, value);
  path->failure.symbol = symbol;
}


static int leave_halfway(ff_ssa_path *path) {
  ff_ssa_path_pause(path);
  return 1;
}

/* ---- the steps ------------------------------------------------------------------------------------------------------------- */

typedef ff_ssa_path s_schedule;
typedef ff_ssa_schedule s_kept;
typedef ff_formula_at s_at_formula;
typedef const ff_formula *s_formula;
#define S_CALL static
#define S_INLINE static inline
#define S_OWN(s) ((s)->schedule)
#define S_WORK(s) ((s)->schedule)
#define S_Y(s) ((s)->count)
#define S_SILENT(s) ((s)->silent)
#define S_TRIGGERS(s) ((s)->program->n_events)
#define S_SPECIES(s) ((s)->program->n_species)
#define S_EVENT(s, e) ((s)->program->events + (e))
#define S_IS_EMPTY(formula) ((formula)->length == 0)
#define S_AT(s, formula) {(formula), (s)->count, (s)->stack, (s)->ranges}
#define S_VALUE(s, formula, time) ff_formula_value((formula), (s)->count, (time), (s)->stack)
#define S_RANGE(s, formula, kind, from, to)                                                                                    \
  ff_formula_range((formula), (kind), (s)->count, (s)->count, ff_range_new((from), (to), 0, 0), (s)->ranges)
#define S_TRIGGER(s, e) (&S_EVENT(s, e)->trigger)
#define S_DELAY(s, e) (&S_EVENT(s, e)->delay)
#define S_PRIORITY(s, e) (&S_EVENT(s, e)->priority)
#define S_IS_INITIALLY(s, e) (S_EVENT(s, e)->initially)
#define S_IS_PERSISTENT(s, e) (S_EVENT(s, e)->persistent)
#define S_IS_LATE(s, e) (S_EVENT(s, e)->late)
#define S_N_SETS(s, e) (S_EVENT(s, e)->n_sets)
#define S_SET_SYMBOL(s, e, i) (S_EVENT(s, e)->sets[i].symbol)
#define S_SET_VALUE(s, e, i) (&S_EVENT(s, e)->sets[i].value)
#define S_SET_FACTOR(s, e, i) (&S_EVENT(s, e)->sets[i].factor)
#define S_BIT(bits, e) ((uint32_t)(bits)[e])
#define S_SET_BIT(bits, e) ((bits)[e] = 1)
#define S_CLEAR_BIT(bits, e) ((bits)[e] = 0)
#define S_FLIP_BIT(bits, e) ((bits)[e] ^= 1)
#define S_ROOM(s) ((s)->schedule->room)
#define S_MAKE_ROOM(s, e) ((s)->schedule->n_now + (s)->schedule->n_later < (s)->schedule->room || grow((s), (e)))
#define S_WAITS(s, i) ((s)->schedule->waits[i])
#define S_DUE_TIME(s, due) ((void)(s), (due).time)
#define S_DUE_SERIAL(s, due) ((due).serial)
#define S_DUE_EVENT(s, due) ((due).event)
#define S_SET_DUE(s, due, time, serial, e) ((due) = (s_due){(time), (serial), (e), (due).row})
#define S_DUE_VALUE(s, due, i) ((s)->schedule->values[(size_t)(due).row * (s)->program->most_sets + (i)])
#define S_SET_DUE_VALUE(s, due, i, x) (S_DUE_VALUE(s, due, i) = (x))
#define S_MOST_SET FF_SSA_MAX_COUNT
#define S_MOST_AT_ONCE 100000u /* if there are more, they trigger each other without end */
#define S_PAUSES(s, work) ((work) > WORK_AT_ONCE && leave_halfway(s))
#define S_SEARCH(s, trigger, to, truth, goes_on, found, at)                                                                    \
  (*(found) = search((trigger), (s)->schedule->search_at, (to), (truth), FF_SSA_SEARCH_STEPS, (at)), 1)
#define S_MOST_PIECES 128u
#define S_TIMED(s) ((s)->schedule->n_reactions)
#define S_TIMED_AT(s, i) ((s)->schedule->reactions[i])
#define S_RATE(s, r) (&(s)->program->formulas[(s)->program->propensities[r].a])
#define S_LAW_OF(s, r, rate) ff_ssa_path_law_of((s), (r), (rate))
#define S_MISSING(s, r) missing_of((s), (r))
#define S_DRAW(s, block) ff_ssa_path_draw((s), FF_SSA_DRAW_CHECK, (block))
#define S_ENDS(s) condition_holds(s)
#define S_FAIL(s, what, item, value) ff_ssa_path_fail((s), (what), (item), (value))
#define S_FAIL_SET(s, e, symbol, value) fail_set((s), (e), (symbol), (value))
#define S_HAS_FAILED(s) ((s)->failure.what != FF_SSA_FINE)
#define S_PUT_COUNT(s, symbol) ((void)(symbol))
#define S_WATCH_FIRST(s, symbol) ((s)->program->watch_first[symbol])
#define S_WATCHER(s, k) ((s)->program->watchers[k])
#define S_CHANGE_FIRST(s, reaction) ((s)->program->change_first[reaction])
#define S_CHANGE_END(s, reaction) ((s)->program->change_first[(reaction) + 1])
#define S_CHANGED(s, i) ((s)->program->changes[i].species)
#define S_N_WATCHED(s) ((s)->schedule->n_watched)
#define S_WATCHED(s, i) ((s)->schedule->watched[i])
#define S_KIND(s, e) ((s)->schedule->kind[e])
#define S_TIMED_OF(s, reaction) ((s)->program->timed != NULL && (s)->program->timed[reaction] ? (reaction) : S_EVERY)
#define S_APPLY(s, reaction) ff_ssa_path_apply(s) /* of path->next */

#include "ff_ssa_schedule_lists.h"

/* ff_ssa_path_propensity() of a reaction whose propensity depends on the time. */
static double bound_of(ff_ssa_path *path, uint32_t r) {
  if (!path->schedule->opened) s_set_bound(path, r);
  return path->schedule->bound[r];
}

static void settle(ff_ssa_path *path, double firing) {
  if (!S_HAS_FAILED(path)) path->next_time = s_settle(path, firing);
}

void ff_ssa_schedule_resume(ff_ssa_path *path) {
  s_open_window(path);
  path->schedule->opened = 1;
  if (!S_HAS_FAILED(path)) path->finder->begin(path);
  path->schedule->opened = 0;
  settle(path, path->next_time);
}

void ff_ssa_schedule_start(ff_ssa_path *path) {
  path->failure.what = FF_SSA_FINE;
  for (uint32_t i = 0; i < path->program->n_settable; i++) path->count[path->program->n_species + i] = path->program->settable[i];
  s_start(path);
  if (!s_reaches(path)) (void)s_happen(path, S_EVERY);
}

void ff_ssa_schedule_go_on(ff_ssa_path *path) {
  (void)s_happen_on(path, S_EVERY); /* some events have happened, otherwise the step would not have been left halfway */
  if (!S_HAS_FAILED(path) && !path->reached) ff_ssa_schedule_resume(path);
}

void ff_ssa_schedule_step(ff_ssa_path *path) {
  path->time = path->next_time;
  path->step++;
  uint32_t doing = s_advance(path, path->next);
  if (S_HAS_FAILED(path) || path->reached) return;
  if (doing & S_GOES_ON) path->finder->go_on(path);
  if (doing & S_GOES_ON && doing & S_FIRED && path->schedule->unbounded) {
    path->step++;
    path->silent++;
    doing = S_BEGINS;
  }
  if (doing & S_BEGINS)
    ff_ssa_schedule_resume(path);
  else
    settle(path, doing & S_GOES_ON ? path->next_time : path->schedule->firing);
}

/* ---- making ---------------------------------------------------------------------------------------------------------------- */

void ff_ssa_schedule_free(ff_ssa_schedule *s) {
  if (s == NULL) return;
  free(s->kind);
  free(s->truth);
  free(s->fresh);
  free(s->doubt);
  free(s->change);
  free(s->zone);
  free(s->watched);
  free(s->waits);
  free(s->values);
  free(s->bound);
  free(s->reactions);
  free(s);
}

ff_status ff_ssa_schedule_new(ff_ssa_path *path, ff_error *err) {
  const ff_ssa_program *p = path->program;
  ff_ssa_schedule *s = path->schedule = ff_calloc(1, sizeof *s);
  path->bound = bound_of;
  if (s == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the events of a trajectory");
  s->kind = ff_calloc(p->n_events, sizeof *s->kind);
  s->truth = ff_calloc(p->n_events, sizeof *s->truth);
  s->fresh = ff_calloc(p->n_events, sizeof *s->fresh);
  s->doubt = ff_calloc(p->n_events, sizeof *s->doubt);
  s->change = ff_calloc(p->n_events, sizeof *s->change);
  s->zone = ff_calloc(p->n_events, sizeof *s->zone);
  s->watched = ff_calloc(p->n_events, sizeof *s->watched);
  s->bound = ff_calloc(p->timed != NULL ? p->n_reactions : 0, sizeof *s->bound);
  s->reactions = ff_calloc(p->timed != NULL ? p->n_reactions : 0, sizeof *s->reactions);
  if (!s->kind || !s->truth || !s->fresh || !s->doubt || !s->change || !s->zone || !s->watched || !s->bound || !s->reactions)
    return ff_error_set(err, FF_EMEMORY, "no memory for the events of a trajectory");
  for (uint32_t e = 0; e < p->n_events; e++) {
    s->kind[e] = (uint8_t)ff_ssa_trigger_kind(&p->events[e].trigger);
    if (s->kind[e] != FF_SSA_BY_STATE) s->watched[s->n_watched++] = e;
  }
  for (uint32_t r = 0; p->timed != NULL && r < p->n_reactions; r++)
    if (p->timed[r]) s->reactions[s->n_reactions++] = r;
  return FF_OK;
}

double ff_ssa_schedule_cost(const ff_ssa_program *p) {
  double cost = (double)p->n_reactions + p->n_events;
  for (uint32_t e = 0; e < p->n_events; e++) cost += ff_formula_has_time(&p->events[e].trigger) ? FF_SSA_SEARCH_STEPS : 0;
  return cost;
}

/* ---- failures ----------------------------------------------------------------------------------------------------------- */

ff_status ff_ssa_schedule_describe(const ff_ssa_program *p, const ff_failure *f, unsigned long long number, ff_error *err) {
  const int reaction = f->what == FF_SSA_BAD_BOUND, species = f->symbol < p->n_species;
  const char *name = reaction ? p->names[p->n_species + f->item] : p->events[f->item].name;
  const ff_quoted event = ff_quote(name, strlen(name));
  char when[80];
  snprintf(when, sizeof when, "at time %s of trajectory %llu", ff_show(f->time, 6).text, number);
  switch (f->what) {
    case FF_SSA_BAD_SET:
      name = species ? p->names[f->symbol] : p->settable_names[f->symbol - p->n_species];
      if (species && f->value > FF_SSA_MAX_COUNT && isfinite(f->value))
        return ff_error_set(err, FF_ESIZE, "event %s sets species %s to %s %s; expected at most 2^40", event.text,
                            ff_quote(name, strlen(name)).text, ff_show(f->value, 15).text, when);
      return ff_error_set(err, FF_EMODEL, "event %s sets %s %s to %s %s; expected %s", event.text,
                          species ? "species" : "parameter", ff_quote(name, strlen(name)).text,
                          ff_show(f->value, 15).text, when,
                          !species ? "a number"
                          : f->value > 0 ? "a whole number, as floor() gives" : "a whole number of at least 0");
    case FF_SSA_BAD_DELAY:
      return ff_error_set(err, FF_EMODEL, "the delay of event %s is %s %s; expected a finite number of at least 0", event.text,
                          ff_show(f->value, 6).text, when);
    case FF_SSA_BAD_PRIORITY:
      return ff_error_set(err, FF_EMODEL, "the priority of event %s is NaN %s; expected a number", event.text, when);
    case FF_SSA_BAD_TRIGGER:
      return ff_error_set(err, FF_EUNSUPPORTED, "the condition of event %s changes too often or too slowly %s: it cannot be "
                          "decided when it becomes true", event.text, when);
    case FF_SSA_ENDLESS:
      return ff_error_set(err, FF_EMODEL, "more than 100,000 events happen %s, and event %s is next; expected events that do "
                          "not trigger each other for ever", when, event.text);
    case FF_SSA_TOO_MANY:
      return ff_error_set(err, FF_ESIZE, "more than 2^20 events are delayed %s, the last of them event %s", when, event.text);
    case FF_SSA_BAD_BOUND:
      return ff_error_set(err, FF_EMODEL, "the propensity of reaction %s has no finite bound after time %g of trajectory %llu",
                          event.text, f->time, number);
    default: return ff_error_set(err, FF_EMEMORY, "no memory for the events that are delayed %s", when);
  }
}
