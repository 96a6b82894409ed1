/* Transitions that fire, other than stochastic ones: as in petri/path/ff_petri_timed.c. A part of ff_petri_thread.h.
 *
 * What is left of an instant is in phase P_FIRES, too: so all firings share the code of what they change, and a turn has one at
 * most. The generated text defines
 *   P_INSTANT           whether there are such transitions; P_INSTANT_REALS, P_INSTANT_WORDS: the rows that they need
 *   P_STOCHASTIC, P_IMMEDIATE   transitions of each kind. Immediate transition k fires as number P_STOCHASTIC + k
 *   P_MOST_AT_ONCE      such firings at one instant; a trajectory with more is refused
 *   P_REACHED           bits of groups whose coefficients they may change; P_KEPT: how many coefficients these have
 *   p_has_changed(t, g) whether a coefficient of such a group differs from the one that is kept
 *   p_weight(t, k, now) the weight of immediate transition k; 0 if it is not enabled */
#ifndef FF_PETRI_THREAD_INSTANT_H
#define FF_PETRI_THREAD_INSTANT_H

#if P_INSTANT
#include "../../../petri/path/ff_petri_instant_math.h"

FF_WARP int p_has_changed(const p_thread *t, uint32_t g);
FF_WARP double p_weight(const p_thread *t, uint32_t k, double now);

/* Rows: coefficients, and the time of the last firing of this kind. */
#define P_COEFFICIENT(i) P_REAL(P_AT_INSTANT + (i))
#define P_INSTANT_TIME P_REAL(P_AT_INSTANT + P_KEPT)
#define P_CHOSEN P_WORD(P_AT_INSTANT_WORDS)       /* what fires next at this instant, or P_NONE */
#define P_COUNTED P_WORD(P_AT_INSTANT_WORDS + 1u) /* such firings at that time */
#define P_CHOICES P_WORD(P_AT_INSTANT_WORDS + 2u) /* firings of immediate transitions */
#define P_WRONG (P_NONE - 1u)

/* ---- immediate transitions ---------------------------------------------------------------------------------------------- */

/* The immediate transition that fires now, P_NONE, or P_WRONG if a weight is not finite. */
FF_WARP uint32_t p_choose_immediate(const p_thread *t) {
  double total = 0;
  int fine = 1;
  FF_NO_UNROLL for (uint32_t k = 0u; k < P_IMMEDIATE; k++) {
    const double weight = p_weight(t, k, t->now);
    fine &= !p_is_bad(weight);
    if (weight > 0) total += weight;
  }
  if (!fine) return P_WRONG;
  if (!(total > 0)) return P_NONE;
  ff_petri_choice choice;
  choice.left = ff_petri_drawn(FF_PETRI_DRAW_IMMEDIATE, 0u, P_CHOICES, t->run->first + P_UNIT, t->run->key) * total;
  choice.chosen = 0u;
  FF_NO_UNROLL for (uint32_t k = 0u; k < P_IMMEDIATE; k++)
    if (!ff_petri_choice_goes_on(&choice, k, p_weight(t, k, t->now))) break;
  return P_STOCHASTIC + choice.chosen;
}

/* What fires next at this instant, P_NONE, or P_WRONG. */
P_APART uint32_t p_next_at_once(p_thread own) { return p_choose_immediate(&own); }

/* ---- firings ------------------------------------------------------------------------------------------------------------ */

/* All that a trajectory knows of these transitions begins. Returns 0 if it is refused. */
FF_WARP int p_begin_instant(p_thread *t) {
  P_INSTANT_TIME = 0;
  P_COUNTED = P_CHOICES = 0u;
  const uint32_t next = p_next_at_once(*t);
  P_CHOSEN = next;
  if (next != P_NONE) t->phase = P_FIRES;
  return next != P_WRONG;
}

/* A transition fires that is not stochastic. Returns 0 if there are too many at this instant. */
FF_WARP int p_count_at_once(p_thread *t, uint32_t m) {
  P_COUNTED = P_INSTANT_TIME < t->now ? 1u : P_COUNTED + 1u;
  P_INSTANT_TIME = t->now;
  if (m < P_STOCHASTIC + P_IMMEDIATE) P_CHOICES++;
  return P_COUNTED <= P_MOST_AT_ONCE;
}

/* Sums of the group that has fired; and where a coefficient has changed, what is left of the threshold, and sums. Returns 0 if a
 * coefficient is not valid. */
FF_WARP int p_sum_changed(p_thread *t, uint32_t fired) {
  int fine = 1;
  FF_NO_UNROLL for (uint32_t g = 0u; g < P_GROUPS; g++) {
    if (g != fired) {
      if (fired != P_GROUPS || !P_HAS(P_REACHED, g) || !p_has_changed(t, g)) continue;
      p_settle(t, g);
    }
    t->dirty |= P_BIT(g);
    fine &= p_sums(t, g);
  }
  return fine;
}

/* The transition m fires now, of group g, or of none (P_GROUPS). */
FF_WARP void p_let_any_fire(p_thread *t, uint32_t g, uint32_t m) {
  uint32_t next = P_WRONG;
  int fine = 1;
  if (g < P_GROUPS) {
    P_FIRED(g)++;
    p_draw(t, g);
  } else {
    fine = p_count_at_once(t, m);
  }
  fine &= p_happen(t, m);
  fine &= p_sum_changed(t, g);
  if (fine) next = p_next_at_once(*t);
  P_CHOSEN = next;
  t->phase = next == P_WRONG ? P_REFUSES : next != P_NONE ? P_FIRES : p_phase_after(t);
}

/* Lets happen what is left of this instant; or finds the next firing. */
FF_WARP void p_fire(p_thread *t) {
  uint32_t g = P_GROUPS, m = P_CHOSEN;
  if (m == P_NONE) {
    double time;
    P_EACH_GROUP(k) {
      if (P_HAS(t->pending, k)) P_CANDIDATE(k) = p_time_of_firing(t, k);
    }
    t->pending = 0u;
    g = p_first_group(t, &time);
    m = p_choose(t, g, time);
    if (!p_serve(t, time)) return;
    t->now = time;
  }
  p_let_any_fire(t, g, m);
}
#endif

#endif
