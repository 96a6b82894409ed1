/* Crossings: where a level passes a number within a step of the solver, as in petri/path/ff_petri_switch.c. A part of
 * ff_petri_thread.h. The generated text defines
 *   P_SWITCHES          comparisons of levels with numbers, each of which is a derived value
 *   P_SWITCH_OF(k)      the number of this value
 *   P_NEGATED           bits of switches: whose threshold is the contrary of the comparison
 *   p_threshold(k)      the threshold of a switch
 *   p_set_switches(t, i)  sets the switches of level i, which is the one of now */
#ifndef FF_PETRI_THREAD_CROSS_H
#define FF_PETRI_THREAD_CROSS_H

#include "../../../petri/within/ff_petri_crossing.h"

#define P_LIMIT P_REAL(P_AT_SWITCHES + 2u)    /* when the crossing is */
#define P_CROSSED P_REAL(P_AT_SWITCHES + 3u)  /* and at which part of the solver's step */
#define P_CHANGED P_WORD(P_AT_INSTANT_WORDS + P_INSTANT_WORDS - 2u)   /* bits of switches that change there */
#define P_CROSSINGS P_WORD(P_AT_INSTANT_WORDS + P_INSTANT_WORDS - 1u) /* in a row */

FF_WARP ff_petri_threshold p_threshold(uint32_t k);

/* Whether the threshold of a switch holds, as it is stored. */
FF_WARP int p_holds(const p_thread *t, uint32_t k) { return (P_D(P_SWITCH_OF(k)) != 0) != (P_HAS(P_NEGATED, k) != 0u); }

/* As ff_petri_first_changes(), for thresholds. Sets the part of the step at which each switch changes, or infinity. Returns the
 * first one, or -1 if the search takes too long. */
FF_WARP double p_find_changes(const p_thread *t, double *at) {
  double first = P_INFINITY;
  int fine = 1;
  FF_NO_UNROLL for (uint32_t k = 0u; k < P_SWITCHES; k++) {
    const ff_petri_threshold of = p_threshold(k);
    const double limit = first + FF_PETRI_SURELY_APART;
    const int holds = p_holds(t, k);
    double c[FF_ODE_DENSE];
    at[k] = P_INFINITY;
    p_curve(t, of.level, c);
    if (limit < 1) {
      const ff_petri_curve part = ff_petri_curve_of(c, 0, limit);
      if (ff_petri_threshold_verdict(&of, &part, holds) == FF_PETRI_SAME) continue;
    }
    double s;
    const ff_petri_found how = ff_petri_threshold_first(&of, c, holds, 0, 1, &s);
    fine &= how != FF_PETRI_UNSURE;
    if (how != FF_PETRI_FOUND) continue;
    at[k] = s;
    first = s < first ? s : first;
  }
  return fine ? first : -1;
}

/* Finds the first crossing in the solver's step, which then ends the segment. */
P_APART p_thread p_seek(p_thread own) {
  p_thread *const t = &own;
  double at[P_SWITCHES], s = 0;
  t->is |= P_SOUGHT;
  P_STEP_TO = P_LIMIT = t->to;
  if (t->is & P_FLAT) return own;
  const double length = p_length(t), first = p_find_changes(t, at);
  if (first < 0) t->phase = P_REFUSES;
  if (!(first >= 0 && first <= 1)) return own;
  const ff_petri_step step = {t->from, t->to, length};
  const double with = first + ff_petri_together(&step, first), last = with < 1 ? with : 1;
  uint32_t changed = 0u;
  FF_NO_UNROLL for (uint32_t k = 0u; k < P_SWITCHES; k++) {
    if (!(at[k] <= last)) continue;
    changed |= P_BIT(k);
    s = at[k] > s ? at[k] : s;
  }
  t->is |= P_CROSSING;
  P_CHANGED = changed;
  P_CROSSED = s;
  if (!(s < 1)) return own;
  const double time = t->from + length * s;
  P_LIMIT = time < t->to ? time : t->to;
  if (!(P_LIMIT > t->from)) return own; /* too near to the start: the segment ends there, but is searched as a whole */
  P_PART = s;
  t->to = P_LIMIT;
  return own;
}

/* Switches change now. Returns 0 after too many crossings in a row: then the processor looks whether the time goes on. */
FF_WARP int p_cross(p_thread *t) {
  if ((t->is & P_OWN) == 0u) {
    double y[P_ROOM(P_LEVELS)];
    P_EACH(i, P_LEVELS) {
      double c[FF_ODE_DENSE];
      p_curve(t, i, c);
      y[i] = ff_ode_dense_value(c, P_CROSSED);
    }
    P_EACH(i, P_LEVELS) P_Y(i) = y[i];
  }
  t->is |= P_OWN | P_STIRRED;
  FF_NO_UNROLL for (uint32_t k = 0u; k < P_SWITCHES; k++)
    if (P_HAS(P_CHANGED, k)) P_D(P_SWITCH_OF(k)) = P_D(P_SWITCH_OF(k)) != 0 ? 0 : 1;
  return ++P_CROSSINGS <= FF_PETRI_MOST_CROSSINGS;
}

#endif
