/* What the files of this folder share. */
#ifndef FF_PETRI_PATH_INTERNAL_H
#define FF_PETRI_PATH_INTERNAL_H

#include <math.h>

#include "ff_petri_draws.h"
#include "ff_petri_hazard_math.h"
#include "ff_petri_path.h"

/* ---- what has changed: ff_petri_touch.c --------------------------------------------------------------------------------- */

/* A value has changed. Lists what depends on it, which ff_petri_update() then computes. */
void ff_petri_touch(ff_petri_path *path, uint32_t value);

/* ---- values: ff_petri_flow.c -------------------------------------------------------------------------------------------- */

/* A value at a time from `now` on, within the segment. */
double ff_petri_value_at(ff_petri_path *path, double t, uint32_t value);

/* The value of a term, and of a formula of values (with the time as word or as value), at such a time. O(length). */
double ff_petri_term_at(ff_petri_path *path, double t, const ff_petri_law *law, const ff_petri_term *term, uint32_t i);
double ff_petri_plain_at(ff_petri_path *path, double t, const ff_petri_plain *plain);

/* Sets all levels at `now`, unless they are set. O(levels). */
void ff_petri_own_levels(ff_petri_path *path);

/* Sets what flows read for levels x, and their rates, in the order of laws. */
void ff_petri_set_flow_values(ff_petri_path *path, double t, const double *x);
void ff_petri_all_rates(ff_petri_path *path);

/* The slopes of levels for these values, where none is empty. */
void ff_petri_free_slopes(ff_petri_path *path, double *out);

/* Lists what flows do that are no multiples of a value, for ff_petri_path_coupling(). */
void ff_petri_list_singles(ff_petri_path *path);

/* ---- empty levels: ff_petri_hold.c -------------------------------------------------------------------------------------- */

void ff_petri_hold_begin(ff_petri_path *path);
/* The right-hand side of the levels. */
int ff_petri_slope(void *of, double t, const double *x, double *out);
/* At the start of a segment whose levels are in value[]: which of them are empty. */
void ff_petri_hold_check(ff_petri_path *path);
/* After a step of the solver: if an empty level begins to rise within it, the step ends there, and path->leaves is this level.
 * Returns 0 if the solver has failed. */
int ff_petri_hold_find(ff_petri_path *path);
void ff_petri_hold_enter(ff_petri_path *path, uint32_t level);
void ff_petri_hold_leave(ff_petri_path *path, uint32_t level);

/* ---- profiles: ff_petri_profile.c --------------------------------------------------------------------------------------- */

/* Integrates a profile over the segment, for hazards of `size` times the profile over its length, unless it was integrated
 * precisely enough before. Returns the part of the segment up to which the profile is valid: 1, or less if it is not finite or
 * changes its sign from there on. */
double ff_petri_profile_integrate(ff_petri_path *path, uint32_t profile, double size);

/* The integral from the start of the segment to part s, in units of its length, and the profile there. */
double ff_petri_profile_integral(const ff_petri_path *path, uint32_t profile, double s, double *rate);

/* The profile itself. Levels below 0 count as 0. */
double ff_petri_profile_at(ff_petri_path *path, double t, uint32_t profile);

/* ---- narrow peaks: ff_petri_peak.c --------------------------------------------------------------------------------------- */

ff_status ff_petri_peak_new(ff_petri_path *path, ff_error *err);
void ff_petri_peak_free(ff_petri_path *path);
/* A profile as a formula of the present segment, whose step is path->peaks.step, until the next formula is looked at.
 * O(symbols). */
ff_petri_formula ff_petri_peak_profile(ff_petri_path *path, uint32_t profile);
/* Quick bounds in the solver's whole step, of a formula for which ff_petri_span_can(); symbol k is the value value[k], which is
 * not the time. O(length). */
ff_petri_span ff_petri_peak_span(ff_petri_path *path, const ff_formula *formula, const uint32_t *value, int clips);
/* After a step of the solver: makes it once more, shorter, until no flow may have a peak that the solver has not seen. Returns 0
 * if the solver has failed. */
int ff_petri_peak_shorten(ff_petri_path *path);
/* Whether this would find at once that there is none. */
int ff_petri_peak_is_settled(const ff_petri_path *path);

/* ---- groups: ff_petri_clock.c ------------------------------------------------------------------------------------------- */

void ff_petri_clock_begin(ff_petri_path *path);
/* Subtracts the integral of a group's hazard up to `now` from its threshold. To be called before a coefficient of it changes. */
void ff_petri_clock_settle(ff_petri_path *path, uint32_t group);
/* Takes this much from it. */
void ff_petri_clock_use(ff_petri_path *path, uint32_t group, double used);
/* The group has fired. */
void ff_petri_clock_draw(ff_petri_path *path, uint32_t group);
/* Makes the sum of a cell's coefficients anew. */
void ff_petri_clock_sum(ff_petri_path *path, uint32_t cell);
/* Finds the next firing of a group in the segment. */
void ff_petri_clock_search(ff_petri_path *path, uint32_t group);
/* Chooses what fires in a group at a time. */
ff_petri_member ff_petri_clock_choose(ff_petri_path *path, uint32_t group, double t);

/* ---- changes: ff_petri_fire.c ------------------------------------------------------------------------------------------- */

void ff_petri_fire(ff_petri_path *path, ff_petri_member member); /* then ff_petri_update() is due */
/* Computes what depends on values that have changed. */
void ff_petri_update(ff_petri_path *path);
void ff_petri_derive(ff_petri_path *path, uint32_t derived); /* computes it */
void ff_petri_refresh(ff_petri_path *path, ff_petri_member member); /* computes a coefficient, or tests */
void ff_petri_refresh_all(ff_petri_path *path); /* computes all coefficients, which are 0 */

/* ---- immediate and timed transitions: ff_petri_timed.c ------------------------------------------------------------------ */

/* Words of path->enabled. */
static inline size_t ff_petri_enabled_words(const ff_petri_program *p) { return ((size_t)p->n_immediate + 63) / 64; }

void ff_petri_timed_begin(ff_petri_path *path);
void ff_petri_timed_enable(ff_petri_path *path, ff_petri_member member, int enabled);
/* Sets the next step, if it is of this kind. */
int ff_petri_find_immediate(ff_petri_path *path);
int ff_petri_find_in_batch(ff_petri_path *path);
/* Sets the next step: what is due at this time fires then. */
void ff_petri_find_due(ff_petri_path *path, double t);
void ff_petri_immediate_enable(ff_petri_path *path, ff_petri_member member, int enabled);

/* ---- Algorithm 1: ff_petri_paper.c --------------------------------------------------------------------------------------- */

static inline int ff_petri_is_paper(const ff_petri_path *path) { return path->program->options.paper; }

/* Makes its arrays, and the pattern of its equations, before the solver. */
ff_status ff_petri_paper_new(ff_petri_path *path, ff_error *err);
void ff_petri_paper_free(ff_petri_path *path);
/* The right-hand side of the levels and of the integral. */
int ff_petri_paper_slope(void *of, double t, const double *x, double *out);
/* ff_petri_paper_used(): the integral up to `now`. ff_petri_paper_restart(): the solver begins with the levels in value[] and
 * this integral, which is 0 after a firing. */
double ff_petri_paper_used(ff_petri_path *path);
void ff_petri_paper_restart(ff_petri_path *path, double used);
/* Finds the next firing in the segment. */
void ff_petri_paper_search(ff_petri_path *path);
/* The solver has failed because of hazards. Returns 0 if they are not the reason. */
int ff_petri_paper_fail(ff_petri_path *path);

/* ---- events: ff_petri_event.c -------------------------------------------------------------------------------------------- */

void ff_petri_events_free(ff_petri_path *path);
void ff_petri_events_begin(ff_petri_path *path);
/* Looks at the triggers that read what has changed. To be called after each step, when all values are those at `now`. */
void ff_petri_events_look(ff_petri_path *path);
/* Sets the next step, if an event is due now. */
int ff_petri_find_event(ff_petri_path *path);
void ff_petri_happen(ff_petri_path *path); /* then ff_petri_update() is due */

/* ---- switches: ff_petri_switch.c ---------------------------------------------------------------------------------------- */

ff_status ff_petri_switches_new(ff_petri_path *path, ff_error *err);
void ff_petri_switches_free(ff_petri_path *path);
void ff_petri_switches_set(ff_petri_path *path); /* their stored values are those of value[] */
void ff_petri_switch_set(ff_petri_path *path, uint32_t derived);
/* Finds the first crossing in the segment, and sets `limit`. */
void ff_petri_find_crossing(ff_petri_path *path);
void ff_petri_cross(ff_petri_path *path); /* then ff_petri_update() is due */

/* ---- the start: ff_petri_path.c ----------------------------------------------------------------------------------------- */

/* Sets all that a later step reads, whatever was simulated before: the state at the start. */
void ff_petri_path_begin(ff_petri_path *path);
/* Nothing is listed to be computed anew, and there is no segment. */
void ff_petri_path_forget(ff_petri_path *path);

/* ---- segments: ff_petri_segment.c --------------------------------------------------------------------------------------- */

/* Groups whose hazards vary keep what is left of their thresholds. */
void ff_petri_leave_segment(ff_petri_path *path);

/* Finds the next step. */
void ff_petri_path_find(ff_petri_path *path);

static inline double ff_petri_part_of(const ff_petri_path *path, double t) {
  return ff_petri_part_at(t, path->from, path->length);
}

static inline void ff_petri_set_next(ff_petri_path *path, ff_petri_event event, double t) {
  path->event = event;
  path->next_time = t;
}

static inline void ff_petri_set_fires(ff_petri_path *path, ff_petri_member member, double t) {
  ff_petri_set_next(path, FF_PETRI_FIRES, t);
  path->fires = member;
  path->next = ff_petri_number_of(path->program, member);
}

#endif
