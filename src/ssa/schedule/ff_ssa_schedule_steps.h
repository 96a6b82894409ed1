/* Events of the network, and rates that depend on the time: the one text of what they do to a trajectory. gcc compiles it for the
 * processor's engine (ff_ssa_schedule.c), nvcc for a warp that reads the network as data (ff_ssa_generic_schedule.h), and NVRTC
 * for a thread with generated code (ff_ssa_thread_schedule.h). If something fails, or if the condition that ends trajectories
 * holds (`reached` becomes 1), the rest of the step is left out.
 *
 * The text that comes before this one includes ff_formula_change_math.h and defines
 *   S_CALL, S_INLINE                 a function that is not inlined, and one that is
 *   s_schedule, S_OWN(s), S_WORK(s)  a trajectory with `time` and `reached`; what it keeps, an s_kept; and `ties` and
 *                         `happened`, which are of use during a step
 *   S_Y(s), S_SILENT(s)   the symbols of formulas: counts, then parameters that events set; how many events were no firings
 *   S_TRIGGERS(s), S_SPECIES(s)   how many events and counts there are
 *   s_formula, S_IS_EMPTY(formula), s_at_formula, S_AT(s, formula)   a formula, whether there is none, and one in a state
 *   S_VALUE(s, formula, time), S_RANGE(s, formula, kind, from, to)   its value and its range
 *   S_TRIGGER(s, e), S_DELAY(s, e), S_PRIORITY(s, e)   formulas of event e
 *   S_IS_TIMED(s, e), S_IS_INITIALLY(s, e), S_IS_PERSISTENT(s, e), S_IS_LATE(s, e)   whether the trigger depends on the time, and
 *                         is true before time 0; whether it may become false before the event; when values are computed
 *   S_N_SETS(s, e), S_SET_SYMBOL(s, e, i), S_SET_VALUE(s, e, i), S_SET_FACTOR(s, e, i)   what the event sets
 *   S_BIT(bits, e), S_SET_BIT, S_CLEAR_BIT, S_FLIP_BIT   of truth, fresh and doubt
 *   S_REFRESH(s, symbol)  sets the bits in `fresh` of the events whose triggers read a symbol, which has changed
 *   s_watch(s, reaction)  looks at the triggers that read what a reaction has changed, or for S_EVERY at all of them, with
 *                         s_look_at(); returns whether one of them has changed. Defined after this text
 *   s_due, S_ROOM(s), S_WAITS(s, i)   a place for an event that waits; how many there are; the i-th, in an order that is chosen
 *                         here. At first, each of them stands for a place of its own
 *   S_MAKE_ROOM(s, e)     whether there is room for one more. If not, this fails
 *   S_DUE_TIME(s, due), S_DUE_SERIAL, S_DUE_EVENT, S_SET_DUE(s, due, time, serial, e)   the event that waits there
 *   S_DUE_VALUE(s, due, i), S_SET_DUE_VALUE(s, due, i, x)   and the values that it sets
 *   S_MOST_SET            the most that an event may set a species to
 *   S_MOST_AT_ONCE        the most events at the same time
 *   S_PAUSES(s, work)     whether a step is left halfway after this many formulas, for s_happen_on()
 *   S_SEARCH(s, trigger, to, truth, goes_on, found, at)   searches as ff_change_first() from search_at, or goes on if the search
 *                         was left halfway; returns 0 if it is left halfway
 *   S_MOST_PIECES         the most pieces of a search that makes little progress
 *   S_TIMED(s), S_TIMED_AT(s, i), S_RATE(s, r)   rates that depend on the time: how many, the number of the i-th, the formula
 *   S_LAW_OF(s, r, rate)  the propensity of timed reaction r whose formula has this value
 *   S_MISSING(s, r)       0 if it has all its reactants; 1 if one is missing; 2 if the formula may then be below 0
 *   S_DRAW(s, block)      words of FF_SSA_DRAW_CHECK
 *   S_ENDS(s)             whether the condition that ends trajectories holds
 *   S_FAIL(s, what, item, value), S_FAIL_SET(s, e, symbol, value), S_HAS_FAILED(s)   failures, as of ff_ssa_path_fail() */
#ifndef FF_SSA_SCHEDULE_STEPS_H
#define FF_SSA_SCHEDULE_STEPS_H

#include "../path/ff_ssa_draws.h"

#define FF_SSA_FIRST_WIDTH 1.0     /* of windows */
#define FF_SSA_MOST_WIDTH 1e300
#define FF_SSA_LEAST_WIDTH 0x1p-40 /* relative to the time */
#define FF_SSA_MOST_BOUND 1e100    /* a larger bound is as bad as none: the window becomes shorter */
#define FF_SSA_MOST_REJECTED 3u
#define FF_SSA_INVALID_STEPS 256u    /* of a search for an invalid rate, which usually takes about 130 */
#define FF_SSA_LEAST_SEARCHED 0x1p-10 /* the least part of a window that is left if this search does not end: where a rate
                                       * touches 0, it may decide nothing */
#define FF_SSA_SAMPLES 32
#define FF_SSA_SEARCH_STEPS 4096u    /* of a search for the time at which a trigger changes */
#define FF_SSA_LEAST_PROGRESS 0x1p-24 /* of a search, relative to the time: near a crossing it converges, near a touch it does
                                       * not */
#define FF_SSA_NO_ZONE (-1.0)

#define S_EVERY UINT32_C(0xFFFFFFFF)

S_INLINE int s_watch(s_schedule *s, uint32_t reaction);

S_INLINE s_at_formula s_at_of(const s_schedule *s, s_formula formula) {
  const s_at_formula out = S_AT(s, formula);
  return out;
}

/* A trajectory begins: symbols and places are set. */
S_INLINE void s_start(s_schedule *s) {
  s_kept *k = S_OWN(s);
  FF_NO_UNROLL for (uint32_t e = 0; e < S_TRIGGERS(s); e++) {
    S_CLEAR_BIT(k->truth, e);
    if (S_IS_INITIALLY(s, e)) S_SET_BIT(k->truth, e);
    S_SET_BIT(k->fresh, e);
    S_CLEAR_BIT(k->doubt, e);
    k->change[e] = 0.0;
    k->zone[e] = FF_SSA_NO_ZONE;
  }
  k->n_now = k->n_later = 0u;
  k->serial = 0u;
  k->later_time = ff_math_infinity();
  k->width = FF_SSA_FIRST_WIDTH;
}

/* ---- events that wait ------------------------------------------------------------------------------------------------------ */

/* Those that are delayed come first, as a heap with the earliest in front. Those whose time has come are at the end, the last one
 * first, in the order in which this was found. Places that are not used are in between. */
#define S_NOW(s, i) S_WAITS(s, S_ROOM(s) - 1u - (i))

S_INLINE int s_before(const s_schedule *s, s_due a, s_due b) {
  const double x = S_DUE_TIME(s, a), y = S_DUE_TIME(s, b);
  return x < y || (x == y && S_DUE_SERIAL(s, a) < S_DUE_SERIAL(s, b));
}

S_CALL void s_sift_down(s_schedule *s, uint32_t at) {
  const uint32_t n = S_OWN(s)->n_later;
  const s_due moved = S_WAITS(s, at);
  FF_NO_UNROLL for (uint32_t child = 2u * at + 1u; child < n; child = 2u * at + 1u) {
    if (child + 1u < n && s_before(s, S_WAITS(s, child + 1u), S_WAITS(s, child))) child++;
    if (!s_before(s, S_WAITS(s, child), moved)) break;
    S_WAITS(s, at) = S_WAITS(s, child);
    at = child;
  }
  S_WAITS(s, at) = moved;
}

S_INLINE void s_set_later_time(s_schedule *s) {
  S_OWN(s)->later_time = S_OWN(s)->n_later > 0u ? S_DUE_TIME(s, S_WAITS(s, 0u)) : ff_math_infinity();
}

S_INLINE void s_compute_values(s_schedule *s, s_due due) {
  const uint32_t e = S_DUE_EVENT(s, due), n = S_N_SETS(s, e);
  FF_NO_UNROLL for (uint32_t i = 0; i < n; i++) S_SET_DUE_VALUE(s, due, i, S_VALUE(s, S_SET_VALUE(s, e, i), s->time));
}

/* The trigger has become true. */
S_INLINE void s_add(s_schedule *s, uint32_t e) {
  s_kept *k = S_OWN(s);
  const s_formula formula = S_DELAY(s, e);
  const double delay = S_IS_EMPTY(formula) ? 0.0 : S_VALUE(s, formula, s->time);
  if (!(delay >= 0.0 && delay < ff_math_infinity())) {
    S_FAIL(s, FF_SSA_BAD_DELAY, e, delay);
    return;
  }
  if (!S_MAKE_ROOM(s, e)) return;
  uint32_t at = k->n_later++;
  s_due due = S_WAITS(s, at);
  S_SET_DUE(s, due, s->time + delay, k->serial, e);
  k->serial++;
  if (!S_IS_LATE(s, e)) s_compute_values(s, due);
  FF_NO_UNROLL for (; at > 0u && s_before(s, due, S_WAITS(s, (at - 1u) / 2u)); at = (at - 1u) / 2u)
    S_WAITS(s, at) = S_WAITS(s, (at - 1u) / 2u);
  S_WAITS(s, at) = due;
  s_set_later_time(s);
}

/* Takes this one out of those whose time has come. What its place holds can be read until an event is added. */
S_INLINE void s_drop_now(s_schedule *s, uint32_t at) {
  const uint32_t n = --S_OWN(s)->n_now;
  const s_due due = S_NOW(s, at);
  FF_NO_UNROLL for (; at < n; at++) S_NOW(s, at) = S_NOW(s, at + 1u);
  S_NOW(s, n) = due;
}

/* Drops the occurrences of this event that have not happened yet. */
S_INLINE void s_cancel(s_schedule *s, uint32_t e) {
  s_kept *k = S_OWN(s);
  const uint32_t n = k->n_later;
  FF_NO_UNROLL for (uint32_t i = k->n_now; i-- > 0u;)
    if (S_DUE_EVENT(s, S_NOW(s, i)) == e) s_drop_now(s, i);
  FF_NO_UNROLL for (uint32_t i = n; i-- > 0u;) {
    const s_due due = S_WAITS(s, i);
    if (S_DUE_EVENT(s, due) != e) continue;
    S_WAITS(s, i) = S_WAITS(s, --k->n_later);
    S_WAITS(s, k->n_later) = due;
  }
  if (k->n_later == n) return;
  FF_NO_UNROLL for (uint32_t at = k->n_later / 2u; at-- > 0u;) s_sift_down(s, at);
  s_set_later_time(s);
}

/* Moves the events whose time has come. */
S_INLINE void s_take_ready(s_schedule *s) {
  s_kept *k = S_OWN(s);
  FF_NO_UNROLL while (k->n_later > 0u && k->later_time <= s->time) {
    const s_due due = S_WAITS(s, 0u);
    S_WAITS(s, 0u) = S_WAITS(s, --k->n_later);
    S_WAITS(s, k->n_later) = S_NOW(s, k->n_now);
    S_NOW(s, k->n_now) = due;
    k->n_now++;
    if (k->n_later > 0u) s_sift_down(s, 0u);
    s_set_later_time(s);
  }
}

/* ---- triggers -------------------------------------------------------------------------------------------------------------- */

S_CALL int s_is_sure(const s_schedule *s, uint32_t e) {
  const s_at_formula trigger = s_at_of(s, S_TRIGGER(s, e));
  return ff_change_is_sure(&trigger, s->time) >= 0;
}

S_CALL int s_is_steady(const s_schedule *s, uint32_t e) {
  const s_at_formula trigger = s_at_of(s, S_TRIGGER(s, e));
  return ff_change_is_steady(&trigger, s->time);
}

/* Whether a trigger that depends on the time keeps its truth, because rounding errors have decided since the last change of what
 * it reads, or since the trigger itself changed. So rounding errors trigger nothing twice. If what it reads has changed, the
 * trigger takes the new truth all the same, unless this changes back at once. If the truth that was kept is the right one
 * afterwards, although the opposite one was computed in between, it cannot be known whether there was a change. */
S_INLINE int s_is_kept(s_schedule *s, uint32_t e, uint32_t truth) {
  s_kept *k = S_OWN(s);
  const uint32_t fresh = S_BIT(k->fresh, e), was = S_BIT(k->truth, e);
  const int within = k->zone[e] >= 0.0 && !fresh;
  if (!within && !fresh && truth == was) return 0;
  const int sure = s_is_sure(s, e);
  if (within && !sure) return 1;
  if (within && truth == was && S_BIT(k->doubt, e)) S_FAIL(s, FF_SSA_BAD_TRIGGER, e, 0.0);
  k->zone[e] = sure ? FF_SSA_NO_ZONE : s->time;
  S_CLEAR_BIT(k->doubt, e);
  return !sure && truth != was && fresh && s->time > 0.0 && !s_is_steady(s, e);
}

/* Returns whether the truth has changed. */
S_INLINE int s_look_at(s_schedule *s, uint32_t e) {
  s_kept *k = S_OWN(s);
  const uint32_t truth = S_VALUE(s, S_TRIGGER(s, e), s->time) != 0.0;
  const int kept = S_IS_TIMED(s, e) && s_is_kept(s, e, truth);
  S_CLEAR_BIT(k->fresh, e);
  if (kept || truth == S_BIT(k->truth, e)) return 0;
  S_FLIP_BIT(k->truth, e);
  if (truth)
    s_add(s, e);
  else if (!S_IS_PERSISTENT(s, e))
    s_cancel(s, e);
  return 1;
}

/* ---- what happens ---------------------------------------------------------------------------------------------------------- */

/* Whether the event `a` has precedence over `b`, which both are due: -1 if `b` has, 0 if the choice is random.
 * Without priorities, the order is that of the network, and then that of time. */
S_INLINE int s_precedence(const s_schedule *s, s_due a, double priority_a, s_due b, double priority_b) {
  const uint32_t event_a = S_DUE_EVENT(s, a), event_b = S_DUE_EVENT(s, b);
  const int has_a = !S_IS_EMPTY(S_PRIORITY(s, event_a)), has_b = !S_IS_EMPTY(S_PRIORITY(s, event_b));
  if (has_a != has_b) return has_a ? 1 : -1;
  if (has_a) return priority_a > priority_b ? 1 : priority_a < priority_b ? -1 : 0;
  if (event_a != event_b) return event_a < event_b ? 1 : -1;
  return s_before(s, a, b) ? 1 : -1;
}

S_INLINE double s_check_number(const s_schedule *s, uint32_t block) {
  const ff_philox_block words = S_DRAW(s, block);
  return ff_closed(words.v[0], words.v[1]);
}

/* The index of the event that happens first. Each of n events with the same priority is chosen with probability 1 / n, because
 * the i-th of them replaces the choice so far with probability 1 / i. */
S_INLINE uint32_t s_choose(s_schedule *s) {
  uint32_t best = 0u, equal = 1u;
  double highest = 0.0;
  FF_NO_UNROLL for (uint32_t i = 0; i < S_OWN(s)->n_now; i++) {
    const s_due due = S_NOW(s, i);
    const uint32_t e = S_DUE_EVENT(s, due);
    const s_formula formula = S_PRIORITY(s, e);
    const double priority = S_IS_EMPTY(formula) ? 0.0 : S_VALUE(s, formula, s->time);
    if (priority != priority) S_FAIL(s, FF_SSA_BAD_PRIORITY, e, priority);
    int better = i == 0u ? 1 : s_precedence(s, due, priority, S_NOW(s, best), highest);
    equal = better == 1 ? 1u : equal + (better == 0 ? 1u : 0u);
    if (better == 0)
      better = s_check_number(s, 1u + S_WORK(s)->ties++ % (FF_PHILOX_MAX_BLOCKS - 1u)) * (double)equal < 1.0;
    if (better != 1) continue;
    best = i;
    highest = priority;
  }
  return best;
}

/* Sets what this event sets. */
S_INLINE void s_set_values(s_schedule *s, s_due due) {
  const uint32_t e = S_DUE_EVENT(s, due), n = S_N_SETS(s, e);
  if (S_IS_LATE(s, e)) s_compute_values(s, due);
  FF_NO_UNROLL for (uint32_t i = 0; i < n; i++) {
    const s_formula factor = S_SET_FACTOR(s, e, i);
    if (!S_IS_EMPTY(factor)) S_SET_DUE_VALUE(s, due, i, S_DUE_VALUE(s, due, i) * S_VALUE(s, factor, s->time));
  }
  FF_NO_UNROLL for (uint32_t i = 0; i < n && !S_HAS_FAILED(s); i++) {
    const uint32_t symbol = S_SET_SYMBOL(s, e, i);
    const double value = S_DUE_VALUE(s, due, i), before = S_Y(s)[symbol];
    double after = value;
    const int fine = symbol < S_SPECIES(s) ? ff_formula_count(value, &after) && after <= (double)S_MOST_SET : value == value;
    if (!fine) {
      S_FAIL_SET(s, e, symbol, value);
      return;
    }
    S_Y(s)[symbol] = after;
    if (after != before) S_REFRESH(s, symbol);
  }
}

/* Sets `reached` to whether the condition that ends trajectories holds in this state, and returns it. */
S_INLINE int s_reaches(s_schedule *s) {
  s->reached = !S_HAS_FAILED(s) && S_ENDS(s);
  return s->reached;
}

/* Goes on with s_happen() after S_EVERY, if the step was left halfway. */
S_INLINE uint32_t s_happen_on(s_schedule *s, uint32_t reaction) {
  s_kept *k = S_OWN(s);
  FF_NO_UNROLL for (uint32_t work = 0u; !S_PAUSES(s, work);) {
    const int changed = s_watch(s, reaction), all = reaction == S_EVERY;
    reaction = S_EVERY;
    if (S_HAS_FAILED(s) || (!all && !changed)) break;
    if (!all) continue;
    s_take_ready(s);
    if (k->n_now == 0u) break;
    work += S_TRIGGERS(s) + k->n_now;
    const uint32_t at = s_choose(s);
    const s_due due = S_NOW(s, at);
    if (S_WORK(s)->happened == S_MOST_AT_ONCE) S_FAIL(s, FF_SSA_ENDLESS, S_DUE_EVENT(s, due), 0.0);
    if (S_HAS_FAILED(s)) break;
    s_drop_now(s, at);
    s_set_values(s, due);
    S_WORK(s)->happened++;
    if (s_reaches(s)) break;
  }
  return S_WORK(s)->happened;
}

/* Looks at the triggers that a reaction may have changed (at all of them for S_EVERY). If one has changed, lets all events happen
 * that are due now, and those that follow from them at the same time. Ends early if the condition holds after one of them, or if
 * the step is left halfway. Returns how many have happened. */
S_CALL uint32_t s_happen(s_schedule *s, uint32_t reaction) {
  S_WORK(s)->ties = S_WORK(s)->happened = 0u;
  return s_happen_on(s, reaction);
}

/* ---- when something may happen next ---------------------------------------------------------------------------------------- */

/* Finds the time up to which the trigger does not change, or at which it changes; infinity if it does not up to `to`. Returns 0
 * if the search is left halfway; then the next call goes on. */
S_INLINE int s_next_change(s_schedule *s, uint32_t e, double to, int goes_on, double *change) {
  s_kept *k = S_OWN(s);
  const s_at_formula trigger = s_at_of(s, S_TRIGGER(s, e));
  const int truth = (int)S_BIT(k->truth, e);
  ff_change found = FF_CHANGE_NONE;
  uint8_t doubt = 0;
  double at = s->time;
  *change = ff_math_infinity();
  if (!goes_on) {
    k->piece = 0u;
    k->search_at = s->time;
  }
  FF_NO_UNROLL while (k->zone[e] < 0.0 && found == FF_CHANGE_NONE) {
    if (k->piece == S_MOST_PIECES) {
      S_FAIL(s, FF_SSA_BAD_TRIGGER, e, 0.0);
      return 1;
    }
    if (!S_SEARCH(s, &trigger, to, truth, goes_on, &found, &at)) return 0;
    goes_on = 0;
    if (found == FF_CHANGE_NONE && at >= to) return 1;
    if (found == FF_CHANGE_FOUND || at - s->time > s->time * FF_SSA_LEAST_PROGRESS) {
      *change = at;
      return 1;
    }
    k->piece++;
    k->search_at = at;
  }
  if (k->zone[e] < 0.0) k->zone[e] = at;
  const int is_sure = ff_change_first_sure(&trigger, k->zone[e], at > s->time ? at : s->time, to, truth, FF_SSA_SEARCH_STEPS, &at,
                                           &doubt);
  if (doubt) S_SET_BIT(k->doubt, e);
  if (is_sure || at < to) *change = at;
  return 1;
}

/* Sets event_time to when the trigger of event e, which depends on the time (on it alone, if by_time), may change, if this is
 * earlier. No reaction fires before the time `limit`. Returns 0 if the search is left halfway. */
S_INLINE int s_due_trigger(s_schedule *s, uint32_t e, int by_time, double limit, int goes_on) {
  s_kept *k = S_OWN(s);
  const double to = by_time ? ff_math_infinity() : k->event_time < limit ? k->event_time : limit;
  double change = k->change[e];
  if ((!by_time || change <= s->time) && !s_next_change(s, e, to, goes_on, &change)) return 0;
  if (by_time) k->change[e] = change;
  if (change < k->event_time) k->event_time = change;
  return 1;
}

/* ---- rates that depend on the time ----------------------------------------------------------------------------------------- */

/* Such rates are simulated by thinning (Lewis and Shedler 1979), which is exact. A method works with upper bounds of the
 * propensities, which hold within a window of time. When it lets a reaction fire, the reaction does so with the probability
 * propensity / bound. Otherwise, nothing happens, and the method goes on as after an event that changes no count. At the end of a
 * window, the method begins anew with new bounds. This changes no probability, because the waiting times are exponential. */

S_INLINE int s_is_valid(double propensity) { return propensity >= 0.0 && propensity < ff_math_infinity(); }

/* The propensity of timed reaction r at this time. */
S_CALL double s_timed_law(const s_schedule *s, uint32_t r, double time) {
  const s_at_formula rate = s_at_of(s, S_RATE(s, r));
  const int missing = S_MISSING(s, r);
  const double value = missing == 1 ? 0.0 : ff_change_propensity(&rate, time);
  if (missing) return value < 0.0 ? value : 0.0;
  return S_LAW_OF(s, r, value);
}

/* Searches the window for an invalid rate, and ends the window at the first one. If the search takes too many steps, this window
 * is `cut`, and the search goes on in the next one. Times that it passes over are checked at FF_SSA_SAMPLES points. */
S_CALL void s_search_invalid(s_schedule *s, s_formula formula, int missing) {
  s_kept *k = S_OWN(s);
  const s_at_formula rate = s_at_of(s, formula);
  double at;
  if (ff_change_first_invalid(&rate, s->time, k->until, missing, FF_SSA_INVALID_STEPS, &at)) {
    k->until = at;
    return;
  }
  if (!(at < k->until)) return;
  const double step = (k->until - s->time) * FF_SSA_LEAST_SEARCHED / FF_SSA_SAMPLES;
  const double least = s->time + FF_SSA_SAMPLES * step;
  k->cut = 1u;
  k->until = at > least ? at : least;
  FF_NO_UNROLL for (int i = 1; i <= FF_SSA_SAMPLES && at < least; i++) {
    const double sample = s->time + i * step;
    if (sample <= at || ff_formula_is_valid(ff_change_propensity(&rate, sample), missing)) continue;
    k->until = sample;
    return;
  }
}

/* Sets an upper bound of the propensity of timed reaction r in the present window of time, and in the present state. IEEE
 * operations are monotone, so the propensity that follows from an upper bound of the formula is an upper bound of the propensity.
 * If the formula may become negative or NaN, the window ends there, so that the check at the beginning of the next one finds it.
 * While a reactant is missing, NaN is valid, and the bound is 0. */
S_INLINE void s_set_bound(s_schedule *s, uint32_t r) {
  s_kept *k = S_OWN(s);
  const int missing = S_MISSING(s, r);
  k->bound[r] = 0.0;
  if (missing == 1) return;
  const ff_range range = S_RANGE(s, S_RATE(s, r), FF_RANGE_COMPUTED, k->from, k->until);
  if ((range.nan && !missing) || range.low < 0.0) s_search_invalid(s, S_RATE(s, r), missing);
  if (missing) return;
  const double bound = S_LAW_OF(s, r, range.high);
  if (bound <= FF_SSA_MOST_BOUND)
    k->bound[r] = bound > 0.0 ? bound : 0.0;
  else
    k->unbounded = 1u;
}

/* Chooses the end of the window, so that all propensities have bounds. */
S_CALL void s_open_window(s_schedule *s) {
  s_kept *k = S_OWN(s);
  k->rejected = k->cut = k->unbounded = 0u;
  k->from = s->time;
  k->until = ff_math_infinity();
  FF_NO_UNROLL for (uint32_t i = 0; i < S_TIMED(s); i++) {
    const double now = s_timed_law(s, S_TIMED_AT(s, i), s->time);
    if (!s_is_valid(now)) S_FAIL(s, FF_SSA_BAD_RATE, S_TIMED_AT(s, i), now);
  }
  const double least = k->from * FF_SSA_LEAST_WIDTH;
  if (k->width < least) k->width = least;
  FF_NO_UNROLL while (S_TIMED(s) > 0u && !S_HAS_FAILED(s)) {
    uint32_t i;
    k->until = k->from + k->width;
    k->unbounded = k->cut = 0u;
    FF_NO_UNROLL for (i = 0; i < S_TIMED(s) && !k->unbounded; i++) s_set_bound(s, S_TIMED_AT(s, i));
    if (!k->unbounded) return;
    k->width /= 2.0;
    if (k->width < least || k->width < 1e-300) S_FAIL(s, FF_SSA_BAD_BOUND, S_TIMED_AT(s, i - 1u), 0.0);
  }
}

/* The end of the window is reached. The width of windows is such that about one reaction in each does not fire. A rejection costs
 * as much as a new window, and the number of rejections in a window grows as the square of its width. So the sum of both costs is
 * smallest here. A window that was cut is not made wider, as more would be passed over. */
S_INLINE void s_end_window(s_schedule *s) {
  s_kept *k = S_OWN(s);
  S_SILENT(s)++;
  if (k->rejected == 0u && !k->cut && k->width < FF_SSA_MOST_WIDTH) k->width *= 2.0;
}

/* Whether timed reaction r fires, which may do so now. */
S_CALL int s_fires(s_schedule *s, uint32_t r) {
  const double now = s_timed_law(s, r, s->time), bound = S_OWN(s)->bound[r];
  if (!s_is_valid(now) || now > bound) S_FAIL(s, FF_SSA_BAD_RATE, r, now);
  return s_check_number(s, 0u) * bound < now;
}

/* A reaction does not fire. Returns whether the window ends. */
S_INLINE int s_reject(s_schedule *s) {
  S_SILENT(s)++;
  if (++S_OWN(s)->rejected < FF_SSA_MOST_REJECTED) return 0;
  S_OWN(s)->width /= 2.0;
  return 1;
}

#endif
