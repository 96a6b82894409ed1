/* Trajectories of networks with events, or with rates that depend on the time.
 *
 * Such rates are simulated by thinning (Lewis and Shedler 1979), which is exact. A method works with upper bounds of the
 * propensities, which hold within a window of time. When it lets a reaction fire, the reaction does so with the probability
 * propensity / bound. Otherwise, nothing happens, and the method goes on as after an event that changes no count. At the end of a
 * window, the method begins anew with new bounds. This changes no probability, because the waiting times are exponential. */
#include "ff_ssa_schedule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_decimal.h"
#include "../path/ff_ssa_draws.h"

/* ---- bounds of propensities that depend on the time --------------------------------------------------------------------- */

/* Searches the window for an invalid rate, and ends the window at the first one. If the search takes too many steps, this window
 * is `cut`, and the search goes on in the next one. Times that it passes over are checked at FF_SSA_SAMPLES points. */
static void search_invalid(ff_ssa_path *path, const ff_formula_at *formula, int missing) {
  ff_ssa_schedule *s = path->schedule;
  double at;
  if (ff_formula_first_invalid(formula, path->time, s->until, missing, FF_SSA_INVALID_STEPS, &at)) {
    s->until = at;
    return;
  }
  if (!(at < s->until)) return;
  const double step = (s->until - path->time) * FF_SSA_LEAST_SEARCHED / FF_SSA_SAMPLES;
  const double least = path->time + FF_SSA_SAMPLES * step;
  s->cut = 1;
  s->until = at > least ? at : least;
  for (int i = 1; i <= FF_SSA_SAMPLES && at < least; i++) {
    const double sample = path->time + i * step;
    if (sample <= at || ff_formula_is_valid(ff_formula_propensity(formula, sample), missing)) continue;
    s->until = sample;
    return;
  }
}

/* An upper bound of the propensity of reaction r in the present window of time, and in the present state. IEEE operations are
 * monotone, so the propensity that follows from an upper bound of the formula is an upper bound of the propensity. If the formula
 * may become negative or NaN, the window ends there, so that the check at the beginning of the next one finds it. While a
 * reactant is missing, NaN is valid, and the bound is 0. */
static double bound_of(ff_ssa_path *path, uint32_t r) {
  ff_ssa_schedule *s = path->schedule;
  if (s->opened) return s->bound[r];
  const ff_ssa_propensity *a = path->program->propensities + r;
  const int missing = ff_ssa_reactants_missing(path->program, a, path->count);
  if (missing && !ff_ssa_may_be_below(a)) return 0;
  const ff_formula_at formula = ff_ssa_path_formula(path, r);
  const ff_range window = {.low = s->from, .high = s->until};
  const ff_range range = ff_formula_range(formula.formula, FF_RANGE_COMPUTED, path->count, path->count, window, path->ranges);
  if ((range.nan && !missing) || range.low < 0) search_invalid(path, &formula, missing);
  if (missing) return 0;
  const double bound = ff_ssa_path_law_of(path, r, range.high);
  if (bound <= FF_SSA_MOST_BOUND) return bound > 0 ? bound : 0;
  s->unbounded = 1;
  return 0;
}

/* ---- making ------------------------------------------------------------------------------------------------------------- */

void ff_ssa_schedule_free(ff_ssa_schedule *s) {
  if (s == NULL) return;
  free(s->truth);
  free(s->fresh);
  free(s->doubt);
  free(s->zone);
  free(s->timed);
  free(s->watched);
  free(s->bound);
  free(s->change);
  free(s->later.item);
  free(s->now.item);
  free(s->values);
  free(s->unused);
  free(s->reactions);
  free(s);
}

static uint8_t kind_of(const ff_formula *trigger) {
  if (!ff_formula_has_time(trigger)) return 0;
  for (uint32_t i = 0; i < trigger->length; i++)
    if (trigger->word[i].code == FF_F_SYMBOL) return 2;
  return 1;
}

ff_status ff_ssa_schedule_new(ff_ssa_path *path, ff_error *err) {
  const ff_ssa_program *p = path->program;
  ff_ssa_schedule *s = path->schedule = ff_calloc(1, sizeof *s);
  path->bound = bound_of;
  if (s == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the events of a trajectory");
  s->truth = ff_calloc(p->n_events, sizeof *s->truth);
  s->fresh = ff_calloc(p->n_events, sizeof *s->fresh);
  s->doubt = ff_calloc(p->n_events, sizeof *s->doubt);
  s->zone = ff_calloc(p->n_events, sizeof *s->zone);
  s->timed = ff_calloc(p->n_events, sizeof *s->timed);
  s->change = ff_calloc(p->n_events, sizeof *s->change);
  s->watched = ff_calloc(p->n_events, sizeof *s->watched);
  s->bound = ff_calloc(p->timed != NULL ? p->n_reactions : 0, sizeof *s->bound);
  s->unused_room = 1;
  s->unused = ff_calloc(s->unused_room, sizeof *s->unused);
  s->reactions = ff_calloc(p->timed != NULL ? p->n_reactions : 0, sizeof *s->reactions);
  if (!s->truth || !s->fresh || !s->doubt || !s->zone || !s->timed || !s->change || !s->watched || !s->bound || !s->unused ||
      !s->reactions)
    return ff_error_set(err, FF_EMEMORY, "no memory for the events of a trajectory");
  for (uint32_t e = 0; e < p->n_events; e++) {
    s->timed[e] = kind_of(&p->events[e].trigger);
    if (s->timed[e] != 0) s->watched[s->n_watched++] = e;
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

/* ---- windows --------------------------------------------------------------------------------------------------------------- */

static int is_valid(double propensity) { return propensity >= 0 && propensity < INFINITY; }

/* Chooses the end of the window, so that all propensities have bounds. */
static void open_window(ff_ssa_path *path) {
  ff_ssa_schedule *s = path->schedule;
  uint32_t i;
  s->rejected = s->cut = 0;
  s->unbounded = 0;
  s->from = path->time;
  s->until = INFINITY;
  for (i = 0; i < s->n_reactions; i++) {
    const double now = ff_ssa_path_law(path, s->reactions[i], path->time);
    if (!is_valid(now)) ff_ssa_path_fail(path, FF_SSA_BAD_RATE, s->reactions[i], now);
  }
  const double least = s->from * FF_SSA_LEAST_WIDTH;
  if (s->width < least) s->width = least;
  while (s->n_reactions > 0 && path->failure.what == FF_SSA_FINE) {
    s->until = s->from + s->width;
    s->unbounded = s->cut = 0;
    for (i = 0; i < s->n_reactions && !s->unbounded; i++)
      s->bound[s->reactions[i]] = ff_ssa_path_propensity(path, s->reactions[i]);
    if (!s->unbounded) return;
    s->width /= 2;
    if (s->width < least || s->width < 1e-300) ff_ssa_path_fail(path, FF_SSA_BAD_BOUND, s->reactions[i - 1], 0);
  }
}

/* ---- steps -------------------------------------------------------------------------------------------------------------- */

/* The method has found when a reaction may fire. This finds what happens before that time. */
static void settle(ff_ssa_path *path) {
  ff_ssa_schedule *s = path->schedule;
  s->firing = path->next_time;
  if (path->failure.what != FF_SSA_FINE) return;
  const double limit = s->firing < s->until ? s->firing : s->until;
  ff_ssa_due_next(path, limit);
  path->next_time = s->event_time < limit ? s->event_time : limit;
}

void ff_ssa_schedule_resume(ff_ssa_path *path) {
  open_window(path);
  path->schedule->opened = 1;
  if (path->failure.what == FF_SSA_FINE) path->finder->begin(path);
  path->schedule->opened = 0;
  settle(path);
}

void ff_ssa_schedule_start(ff_ssa_path *path) {
  path->failure.what = FF_SSA_FINE;
  for (uint32_t i = 0; i < path->program->n_slots; i++) path->count[path->program->n_species + i] = path->program->slots[i];
  path->schedule->width = FF_SSA_FIRST_WIDTH;
  ff_ssa_due_start(path);
  if (!ff_ssa_path_has_reached(path)) ff_ssa_due_happen(path);
}

void ff_ssa_schedule_go_on(ff_ssa_path *path) {
  ff_ssa_due_go_on(path); /* some events have happened, otherwise the step would not have been left halfway */
  if (path->failure.what == FF_SSA_FINE && !path->reached) ff_ssa_schedule_resume(path);
}

/* The time has come for events, or for a look at the triggers. */
static void step_events(ff_ssa_path *path) {
  path->silent++;
  const uint32_t n = ff_ssa_due_happen(path);
  if (path->failure.what != FF_SSA_FINE || path->reached) return;
  if (n > 0) {
    ff_ssa_schedule_resume(path);
  } else {
    path->next_time = path->schedule->firing;
    settle(path);
  }
}

/* The width of windows is such that about one reaction in each does not fire. A rejection costs as much as a new window, and
 * the number of rejections in a window grows as the square of its width. So the sum of both costs is smallest here. A window that
 * was cut is not made wider, as more would be passed over. */
static void step_window(ff_ssa_path *path) {
  ff_ssa_schedule *s = path->schedule;
  path->silent++;
  if (s->rejected == 0 && !s->cut && s->width < FF_SSA_MOST_WIDTH) s->width *= 2;
  ff_ssa_schedule_resume(path);
}

/* Whether reaction path->next fires. */
static int fires(ff_ssa_path *path) {
  const uint32_t r = path->next;
  if (path->program->timed == NULL || !path->program->timed[r]) return 1;
  const double now = ff_ssa_path_law(path, r, path->time);
  if (!is_valid(now) || now > path->propensity[r]) ff_ssa_path_fail(path, FF_SSA_BAD_RATE, r, now);
  const ff_philox_block words = ff_ssa_path_draw(path, FF_SSA_DRAW_CHECK, 0);
  return ff_closed(words.v[0], words.v[1]) * path->propensity[r] < now;
}

static void reject(ff_ssa_path *path) {
  ff_ssa_schedule *s = path->schedule;
  path->silent++;
  if (++s->rejected < FF_SSA_MOST_REJECTED) {
    path->finder->go_on(path);
    settle(path);
    return;
  }
  s->width /= 2;
  ff_ssa_schedule_resume(path);
}

static void step_reaction(ff_ssa_path *path) {
  const int accepted = fires(path);
  if (path->failure.what != FF_SSA_FINE) return;
  if (!accepted) {
    reject(path);
    return;
  }
  ff_ssa_path_apply(path);
  if (ff_ssa_path_has_reached(path)) return;
  const uint32_t n = ff_ssa_due_watch(path) && path->failure.what == FF_SSA_FINE ? ff_ssa_due_happen(path) : 0;
  if (path->failure.what != FF_SSA_FINE || path->reached) return;
  if (n == 0) path->finder->go_on(path);
  if (n == 0 && path->schedule->unbounded) {
    path->event++;
    path->silent++;
  }
  if (n > 0 || path->schedule->unbounded)
    ff_ssa_schedule_resume(path);
  else
    settle(path);
}

void ff_ssa_schedule_step(ff_ssa_path *path) {
  const ff_ssa_schedule *s = path->schedule;
  path->time = path->next_time;
  path->event++;
  if (s->event_time <= path->time)
    step_events(path);
  else if (s->firing <= s->until)
    step_reaction(path);
  else
    step_window(path);
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
      name = species ? p->names[f->symbol] : p->slot_names[f->symbol - p->n_species];
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
