/* Immediate transitions, and those with clocks: as in petri/path/ff_petri_timed.c. A part of ff_petri_thread.h.
 *
 * What is left of an instant is in phase P_FIRES, too: so all firings share the code of what they change, and a turn has one at
 * most. The generated text defines
 *   P_INSTANT           whether there are such transitions; P_INSTANT_REALS, P_INSTANT_WORDS: the rows that they need
 *   P_STOCHASTIC, P_IMMEDIATE, P_CLOCKS   transitions of each kind, which are numbered in this order; clocks: those of
 *                       deterministic and scheduled ones
 *   P_SCHEDULED, P_TAKERS, P_CLOCKS_STIR   bits of clocks: of scheduled transitions, of those that take tokens, and of those
 *                       whose firings may change a flow
 *   P_MOST_AT_ONCE      such firings at one instant; a trajectory with more is refused
 *   P_REACHED           bits of groups whose coefficients they may change; P_KEPT: how many coefficients these have
 *   p_has_changed(t, g) whether a coefficient of such a group differs from the one that is kept
 *   p_weight(t, k, now) the weight of immediate transition k; 0 if it is not enabled
 *   p_is_enabled(t, k)  whether the tests of clock k's transition hold
 *   p_delay(t, k, now)  the delay of a deterministic one
 *   p_scheduled(k, n)   when a scheduled one is due after n times; infinity if it is not */
#ifndef FF_PETRI_THREAD_INSTANT_H
#define FF_PETRI_THREAD_INSTANT_H

#if P_INSTANT
#include "../../../petri/path/ff_petri_instant_math.h"
#if P_SWITCHES > 0u
#include "ff_petri_thread_cross.h"
#endif

FF_WARP int p_has_changed(const p_thread *t, uint32_t g);
FF_WARP double p_weight(const p_thread *t, uint32_t k, double now);
FF_WARP int p_is_enabled(const p_thread *t, uint32_t k);
FF_WARP double p_delay(const p_thread *t, uint32_t k, double now);
FF_WARP double p_scheduled(uint32_t k, uint32_t n);

/* Rows: coefficients; the time of the last firing of this kind; and when a clock is due. */
#define P_COEFFICIENT(i) P_REAL(P_AT_INSTANT + (i))
#define P_INSTANT_TIME P_REAL(P_AT_INSTANT + P_KEPT)
#define P_DUE(k) P_REAL(P_AT_INSTANT + P_KEPT + 1u + (k))
#define P_CHOSEN P_WORD(P_AT_INSTANT_WORDS)       /* what fires next at this instant, or P_NONE */
#define P_COUNTED P_WORD(P_AT_INSTANT_WORDS + 1u) /* such firings at that time */
#define P_CHOICES P_WORD(P_AT_INSTANT_WORDS + 2u) /* firings of immediate transitions */
/* Transitions that are due at the same time: how many, the next one, how many of the first ones take tokens, and bits. */
#define P_N_BATCH P_WORD(P_AT_INSTANT_WORDS + 3u)
#define P_AT_BATCH P_WORD(P_AT_INSTANT_WORDS + 4u)
#define P_N_TAKERS P_WORD(P_AT_INSTANT_WORDS + 5u)
#define P_IN_BATCH P_WORD(P_AT_INSTANT_WORDS + 6u)
#define P_BATCHES P_WORD(P_AT_INSTANT_WORDS + 7u)          /* so far */
#define P_BATCH(i) P_WORD(P_AT_INSTANT_WORDS + 8u + (i))
#define P_TIMES(k) P_WORD(P_AT_INSTANT_WORDS + 8u + P_CLOCKS + (k)) /* how often a clock was due */

#define P_FIRST_CLOCK (P_STOCHASTIC + P_IMMEDIATE)
#define P_WRONG (P_NONE - 1u)

/* ---- immediate transitions ---------------------------------------------------------------------------------------------- */

#if P_IMMEDIATE > 0u
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
  choice.left = ff_petri_drawn(FF_PETRI_DRAW_IMMEDIATE, 0u, P_CHOICES, P_TRAJECTORY, P_KEY) * total;
  choice.chosen = 0u;
  FF_NO_UNROLL for (uint32_t k = 0u; k < P_IMMEDIATE; k++)
    if (!ff_petri_choice_goes_on(&choice, k, p_weight(t, k, t->now))) break;
  return P_STOCHASTIC + choice.chosen;
}
#endif

/* ---- clocks ------------------------------------------------------------------------------------------------------------- */

#if P_CLOCKS > 0u
/* The clock that is due first, and when. */
FF_WARP uint32_t p_first_clock(const p_thread *t, double *time) {
  uint32_t first = 0u;
  *time = P_INFINITY;
  FF_NO_UNROLL for (uint32_t k = 0u; k < P_CLOCKS; k++) {
    const double due = P_DUE(k);
    first = due < *time ? k : first;
    *time = due < *time ? due : *time;
  }
  return first;
}

/* A segment ends where the first clock is due, if this changes a flow. */
FF_WARP double p_end_by_clocks(const p_thread *t, double most) {
  double due;
  const uint32_t k = p_first_clock(t, &due);
  return P_HAS(P_CLOCKS_STIR, k) && due > t->now && due < most ? due : most;
}

/* Clocks of deterministic transitions begin and end; but not of those in a batch. Returns 0 for a delay that is below 0, not a
 * number, or infinite: then the processor computes it again from time to time. */
FF_WARP int p_set_clocks(p_thread *t) {
  int fine = 1;
  FF_NO_UNROLL for (uint32_t k = 0u; k < P_CLOCKS; k++) {
    if (P_HAS(P_SCHEDULED | P_IN_BATCH, k)) continue;
    if (!p_is_enabled(t, k)) {
      P_DUE(k) = P_INFINITY;
    } else if (!(P_DUE(k) < P_INFINITY)) {
      const double delay = p_delay(t, k, t->now);
      fine &= delay >= 0 && delay < P_INFINITY;
      P_DUE(k) = t->now + delay;
    }
  }
  return fine;
}

/* All that is due now. Returns what fires first, P_NONE if nothing does, or P_WRONG. */
P_APART uint32_t p_open_batch(p_thread own) {
  p_thread *const t = &own;
  uint32_t n = 0u, takers = 0u, in_batch = 0u;
  FF_NO_UNROLL for (uint32_t k = 0u; k < P_CLOCKS; k++) {
    if (!(P_DUE(k) <= t->now)) continue;
    P_TIMES(k)++;
    P_DUE(k) = P_INFINITY;
    if (p_is_enabled(t, k)) {
      P_BATCH(n++) = k;
      in_batch |= P_BIT(k);
    } else {
      P_DUE(k) = p_scheduled(k, P_TIMES(k));
    }
  }
  FF_NO_UNROLL for (uint32_t b = 0u; b < n; b++)
    if (P_HAS(P_TAKERS, P_BATCH(b))) ff_petri_batch_swap(&P_BATCH(0u), P_SLOTS, b, takers++);
  ff_petri_batch_shuffle(&P_BATCH(0u), P_SLOTS, takers, 0u, P_BATCHES, P_TRAJECTORY, P_KEY);
  P_N_BATCH = n;
  P_AT_BATCH = 0u;
  P_N_TAKERS = takers;
  P_IN_BATCH = in_batch;
  if (++P_BATCHES >= P_LARGEST) return P_WRONG;
  return n > 0u ? P_FIRST_CLOCK + P_BATCH(0u) : P_NONE;
}

/* Those that take tokens are tested once more. */
FF_WARP uint32_t p_next_in_batch(p_thread *t) {
  FF_NO_UNROLL for (; P_AT_BATCH < P_N_BATCH; P_AT_BATCH++) {
    const uint32_t k = P_BATCH(P_AT_BATCH);
    if (P_AT_BATCH >= P_N_TAKERS || p_is_enabled(t, k)) return P_FIRST_CLOCK + k;
  }
  return P_NONE;
}

FF_WARP int p_end_batch(p_thread *t) {
  FF_NO_UNROLL for (uint32_t b = 0u; b < P_N_BATCH; b++) {
    const uint32_t k = P_BATCH(b);
    if (P_HAS(P_SCHEDULED, k)) P_DUE(k) = p_scheduled(k, P_TIMES(k));
  }
  P_N_BATCH = P_AT_BATCH = P_IN_BATCH = 0u;
  return p_set_clocks(t);
}

FF_WARP void p_begin_clocks(p_thread *t) {
  P_N_BATCH = P_AT_BATCH = P_N_TAKERS = P_IN_BATCH = P_BATCHES = 0u;
  FF_NO_UNROLL for (uint32_t k = 0u; k < P_CLOCKS; k++) {
    P_TIMES(k) = P_BATCH(k) = 0u;
    P_DUE(k) = p_scheduled(k, 0u);
  }
}
#endif

/* What fires next at this instant, P_NONE, or P_WRONG. */
P_APART uint32_t p_next_at_once(p_thread own) {
  p_thread *const t = &own;
#if P_CLOCKS > 0u
  if (!p_set_clocks(t)) return P_WRONG;
  if (P_N_BATCH > 0u) {
    const uint32_t next = p_next_in_batch(t);
    if (next != P_NONE) return next;
    if (!p_end_batch(t)) return P_WRONG;
  }
#endif
#if P_IMMEDIATE > 0u
  return p_choose_immediate(t);
#else
  (void)t;
  return P_NONE;
#endif
}

/* ---- firings ------------------------------------------------------------------------------------------------------------ */

/* All that a trajectory knows of these transitions begins. Returns 0 if it is refused. */
FF_WARP int p_begin_instant(p_thread *t) {
  P_INSTANT_TIME = 0;
  P_COUNTED = P_CHOICES = 0u;
#if P_SWITCHES > 0u
  P_CROSSINGS = 0u;
#endif
#if P_CLOCKS > 0u
  p_begin_clocks(t);
#endif
  const uint32_t next = p_next_at_once(*t);
  P_CHOSEN = next;
  if (next != P_NONE) t->phase = P_FIRES;
  return next != P_WRONG;
}

/* A transition fires that is not stochastic. Returns 0 if there are too many at this instant. */
FF_WARP int p_count_at_once(p_thread *t, uint32_t m) {
  P_COUNTED = P_INSTANT_TIME < t->now ? 1u : P_COUNTED + 1u;
  P_INSTANT_TIME = t->now;
  if (m < P_FIRST_CLOCK) P_CHOICES++;
#if P_CLOCKS > 0u
  if (m >= P_FIRST_CLOCK) P_AT_BATCH++;
#endif
  return P_COUNTED <= P_MOST_AT_ONCE;
}

/* Sums of the group that has fired; and where a coefficient has changed, what is left of the threshold, and sums. Returns 0 if a
 * coefficient is not valid. */
FF_WARP int p_sum_changed(p_thread *t, uint32_t fired) {
  int fine = 1;
  FF_NO_UNROLL for (uint32_t g = 0u; g < P_GROUPS; g++) {
    if (g != fired) {
      if ((fired != P_GROUPS && P_SWITCHES == 0u) || !P_HAS(P_REACHED, g) || !p_has_changed(t, g)) continue;
      p_settle(t, g);
    }
    t->dirty |= P_BIT(g);
    fine &= p_sums(t, g);
  }
  return fine;
}

/* The transition m fires now, of group g, or of none (P_GROUPS); or for P_NONE, levels cross values. */
FF_WARP void p_let_any_fire(p_thread *t, uint32_t g, uint32_t m) {
  int fine = 1;
  if (g < P_GROUPS) {
    P_FIRED(g)++;
    p_draw(t, g);
  } else if (m < P_NONE) {
    fine = p_count_at_once(t, m);
  }
#if P_SWITCHES > 0u
  if (m == P_NONE)
    fine = p_cross(t);
  else
    P_CROSSINGS = 0u;
#endif
  if (m < P_NONE) fine &= p_happen(t, m);
  fine &= p_sum_changed(t, g);
  const uint32_t next = fine ? p_next_at_once(*t) : P_WRONG;
  P_CHOSEN = next;
  t->phase = next == P_WRONG ? P_REFUSES : next != P_NONE ? P_FIRES : p_phase_after(t);
}

/* Lets happen what is left of this instant; or finds what comes next. */
FF_WARP void p_fire(p_thread *t) {
  uint32_t g = P_GROUPS, m = P_CHOSEN;
  int crosses = 0;
  if (m == P_NONE) {
    double time;
    P_EACH_GROUP(k) {
      if (P_HAS(t->pending, k)) P_CANDIDATE(k) = p_time_of_firing(t, k);
    }
    t->pending = 0u;
    g = p_first_group(t, &time);
#if P_CLOCKS > 0u
    double due;
    p_first_clock(t, &due);
    if (due <= time) g = P_GROUPS;
    if (due <= time) time = due;
#endif
#if P_SWITCHES > 0u
    crosses = (t->is & P_CROSSING) != 0u && P_LIMIT <= time; /* crossings come first */
    if (crosses) g = P_GROUPS;
    if (crosses) time = P_LIMIT;
#endif
    if (g < P_GROUPS) m = p_choose(t, g, time);
    if (!p_serve(t, time)) return;
    t->now = time;
#if P_CLOCKS > 0u
    if (g == P_GROUPS && !crosses) m = p_open_batch(*t);
#endif
  } else if (P_UNTIL && (t->is & P_OVER) != 0u) {
    p_serve(t, t->now);
    return;
  }
  if (crosses || m < P_WRONG)
    p_let_any_fire(t, g, m);
  else
    t->phase = m == P_WRONG ? P_REFUSES : p_phase_after(t); /* nothing that was due could fire */
}
#endif

#endif
