/* Events of the network, and rates that depend on the time, for kernels: what ff_ssa_schedule.c and ff_ssa_due.c do for one
 * trajectory, operation by operation. A thread that runs a trajectory by generated code does this (ff_ssa_thread_schedule.h), and
 * one lane of a warp that reads the network as data (ff_ssa_generic_schedule.h). If something fails, or cannot be done in this
 * way, `failed` becomes 1, and the trajectory is refused. If a condition ends it, `reached` becomes 1, and the rest of the step
 * is left out.
 *
 * The text that comes before this one defines S_CALL, the types s_schedule and s_at_formula, and
 *   S_TRIGGERS(s), S_TIMED(s), S_SPECIES(s)   how many events, rates that depend on the time, and counts there are
 *   S_DUE(s), S_SETS(s)   events that may wait, and the most values that an event sets
 *   S_AT_EVENTS           where the events begin in the table, each with five words: delay and priority (formulas or S_NONE),
 *                         flags, and where its sets begin and their number; a set is a symbol, a formula, and the
 *                         formula of a factor or S_NONE
 *   S_IS_TIMED(s, e)      whether the trigger of event e depends on the time
 *   S_BIT(bits, e), S_SET_BIT, S_CLEAR_BIT, S_FLIP_BIT   bits of truth, fresh and doubt
 *   S_REFRESH(s, symbol)  sets the bits in `fresh` of the events whose triggers read a symbol
 *   S_AT(s, formula)      an s_at_formula
 *   S_VALUE(s, formula, time), S_RANGE(s, formula, kind, from, to)   of formulas; the trigger of event e is formula e, and the
 *                         rate of number k is formula S_TRIGGERS(s) + k
 *   S_LAW_OF(s, k, rate)  the propensity of the timed reaction k whose formula has this value
 *   S_MISSING(s, k)       0 if it has all its reactants; 1 if one is missing; 2 if the formula may then be below 0
 *   S_MOST_SET            the most that an event may set a species to
 *   S_SEARCH_AT_ONCE      steps of a search until it is left halfway
 *   S_EVERY               stands for all triggers in the place of a reaction
 *   S_ENDS(s)             whether the condition that ends trajectories holds; 0 if there is none
 *   S_CHECK_KEY(s), S_CHECK_NUMBER(s)   the key of each round, and the number of the trajectory, for random numbers
 * The text that comes after this one defines
 *   s_watch(s, reaction)  looks at the triggers that read what a reaction has changed, or at all of them; returns whether one of
 *                         them has changed
 */
#ifndef FF_SSA_KERNEL_SCHEDULE_H
#define FF_SSA_KERNEL_SCHEDULE_H

#include "../../../ssa/path/ff_ssa_draws.h"
#include "../../../ssa/schedule/ff_ssa_schedule_rules.h"

#define S_AT_ONCE 1024u  /* events at the same time; the processor allows more, and then reports that they never end */
#define S_PIECES 8u      /* the most pieces of a search that makes little progress; the processor allows FF_SSA_MOST_PIECES */
#define S_INITIALLY 1u
#define S_PERSISTENT 2u
#define S_LATE 4u

#define S_EVENT_DELAY(s, e) ((s)->table[S_AT_EVENTS + 5u * (e)])
#define S_EVENT_PRIORITY(s, e) ((s)->table[S_AT_EVENTS + 5u * (e) + 1u])
#define S_EVENT_FLAGS(s, e) ((s)->table[S_AT_EVENTS + 5u * (e) + 2u])
#define S_EVENT_SETS(s, e) ((s)->table[S_AT_EVENTS + 5u * (e) + 3u])
#define S_EVENT_N_SETS(s, e) ((s)->table[S_AT_EVENTS + 5u * (e) + 4u])

FF_WARP int s_watch(s_schedule *s, uint32_t reaction);

/* ---- searches: ff_formula_change.h ---------------------------------------------------------------------------------------- */

FF_WARP s_at_formula s_at_of(const s_schedule *s, uint32_t formula) {
  const s_at_formula out = S_AT(s, formula);
  return out;
}

S_CALL int s_is_sure(const s_schedule *s, uint32_t e) {
  const s_at_formula trigger = s_at_of(s, e);
  return ff_change_is_sure(&trigger, s->time) >= 0;
}

S_CALL int s_is_steady(const s_schedule *s, uint32_t e) {
  const s_at_formula trigger = s_at_of(s, e);
  return ff_change_is_steady(&trigger, s->time);
}

/* ---- events that wait ------------------------------------------------------------------------------------------------------ */

/* The store of a trajectory holds the numbers of S_DUE(s) places: first those of events whose time has come, in the order in
 * which this was found, then those that are delayed, in any order, and then the unused ones. The places follow: time, serial
 * number, event, and the values that it sets. */
#define S_PLACE_WORDS(s) (4u + 2u * S_SETS(s))
#define S_PLACE(s, i) ((s)->store[i])
#define S_DUE_WORD(s, place, i) ((s)->store[S_DUE(s) + (place)*S_PLACE_WORDS(s) + (i)])

FF_WARP double s_number_at(const uint32_t *words) { return ff_math_from_bits((uint64_t)words[1] << 32 | words[0]); }

FF_WARP void s_put_number(uint32_t *words, double x) {
  const uint64_t bits = ff_math_bits(x);
  words[0] = (uint32_t)bits;
  words[1] = (uint32_t)(bits >> 32);
}

#define S_DUE_TIME(s, place) s_number_at(&S_DUE_WORD(s, place, 0u))
#define S_DUE_SERIAL(s, place) S_DUE_WORD(s, place, 2u)
#define S_DUE_EVENT(s, place) S_DUE_WORD(s, place, 3u)
#define S_DUE_VALUES(s, place) (&S_DUE_WORD(s, place, 4u))

FF_WARP int s_before(const s_schedule *s, uint32_t a, uint32_t b) {
  const double x = S_DUE_TIME(s, a), y = S_DUE_TIME(s, b);
  return x < y || (x == y && S_DUE_SERIAL(s, a) < S_DUE_SERIAL(s, b));
}

/* The index of the earliest delayed event. There is at least one. */
FF_WARP uint32_t s_earliest(const s_schedule *s) {
  const uint32_t first = s->kept.k.n_now, end = first + s->kept.k.n_later;
  uint32_t best = first;
  FF_NO_UNROLL for (uint32_t i = first + 1u; i < end; i++)
    if (s_before(s, S_PLACE(s, i), S_PLACE(s, best))) best = i;
  return best;
}

FF_WARP void s_set_later_time(s_schedule *s) {
  s->kept.k.later_time = s->kept.k.n_later > 0u ? S_DUE_TIME(s, S_PLACE(s, s_earliest(s))) : ff_math_infinity();
}

FF_WARP void s_compute_values(s_schedule *s, uint32_t place) {
  const uint32_t e = S_DUE_EVENT(s, place), sets = S_EVENT_SETS(s, e), n = S_EVENT_N_SETS(s, e);
  FF_NO_UNROLL for (uint32_t i = 0; i < n; i++)
    s_put_number(S_DUE_VALUES(s, place) + 2u * i, S_VALUE(s, s->table[sets + 3u * i + 1u], s->time));
}

/* The trigger has become true. */
FF_WARP void s_add(s_schedule *s, uint32_t e) {
  s_kept *k = &s->kept.k;
  const uint32_t formula = S_EVENT_DELAY(s, e);
  const double delay = formula != S_NONE ? S_VALUE(s, formula, s->time) : 0.0;
  if (!(delay >= 0.0 && delay < ff_math_infinity()) || k->n_now + k->n_later == S_DUE(s) || k->serial == S_NONE) {
    s->failed = 1;
    return;
  }
  const uint32_t place = S_PLACE(s, k->n_now + k->n_later);
  const double due = s->time + delay;
  k->n_later++;
  s_put_number(&S_DUE_WORD(s, place, 0u), due);
  S_DUE_SERIAL(s, place) = k->serial++;
  S_DUE_EVENT(s, place) = e;
  if (!(S_EVENT_FLAGS(s, e) & S_LATE)) s_compute_values(s, place);
  if (due < k->later_time) k->later_time = due;
}

/* Makes the place at this index unused. The others keep their order. */
FF_WARP void s_drop(s_schedule *s, uint32_t at) {
  s_kept *k = &s->kept.k;
  const uint32_t n = k->n_now + k->n_later, place = S_PLACE(s, at);
  FF_NO_UNROLL for (uint32_t i = at + 1u; i < n; i++) S_PLACE(s, i - 1u) = S_PLACE(s, i);
  S_PLACE(s, n - 1u) = place;
  if (at < k->n_now)
    k->n_now--;
  else
    k->n_later--;
}

/* Drops the occurrences of this event that have not happened yet. */
FF_WARP void s_cancel(s_schedule *s, uint32_t e) {
  FF_NO_UNROLL for (uint32_t i = s->kept.k.n_now + s->kept.k.n_later; i-- > 0u;)
    if (S_DUE_EVENT(s, S_PLACE(s, i)) == e) s_drop(s, i);
  s_set_later_time(s);
}

/* ---- triggers -------------------------------------------------------------------------------------------------------------- */

/* is_kept() of ff_ssa_due.c */
FF_WARP int s_is_kept(s_schedule *s, uint32_t e, uint32_t truth) {
  s_kept *k = &s->kept.k;
  const uint32_t fresh = S_BIT(k->fresh, e), was = S_BIT(k->truth, e);
  const int within = k->zone[e] >= 0.0 && !fresh;
  if (!within && !fresh && truth == was) return 0;
  const int sure = s_is_sure(s, e);
  if (within && !sure) return 1;
  if (within && truth == was && S_BIT(k->doubt, e)) s->failed = 1;
  k->zone[e] = sure ? FF_SSA_NO_ZONE : s->time;
  S_CLEAR_BIT(k->doubt, e);
  return !sure && truth != was && fresh && s->time > 0.0 && !s_is_steady(s, e);
}

/* Returns whether the truth has changed. */
FF_WARP int s_look_at(s_schedule *s, uint32_t e) {
  s_kept *k = &s->kept.k;
  const uint32_t truth = S_VALUE(s, e, s->time) != 0.0;
  const int kept = S_IS_TIMED(s, e) && s_is_kept(s, e, truth);
  S_CLEAR_BIT(k->fresh, e);
  if (kept || truth == S_BIT(k->truth, e)) return 0;
  S_FLIP_BIT(k->truth, e);
  if (truth)
    s_add(s, e);
  else if (!(S_EVENT_FLAGS(s, e) & S_PERSISTENT))
    s_cancel(s, e);
  return 1;
}

/* ---- what happens ---------------------------------------------------------------------------------------------------------- */

/* Moves the events whose time has come. */
FF_WARP void s_take_ready(s_schedule *s) {
  s_kept *k = &s->kept.k;
  FF_NO_UNROLL while (k->n_later > 0u && k->later_time <= s->time) {
    const uint32_t at = s_earliest(s), place = S_PLACE(s, at);
    S_PLACE(s, at) = S_PLACE(s, k->n_now);
    S_PLACE(s, k->n_now) = place;
    k->n_now++;
    k->n_later--;
    s_set_later_time(s);
  }
}

/* precedence() of ff_ssa_due.c; `a` and `b` are places. */
FF_WARP int s_precedence(const s_schedule *s, uint32_t a, double priority_a, uint32_t b, double priority_b) {
  const uint32_t event_a = S_DUE_EVENT(s, a), event_b = S_DUE_EVENT(s, b);
  const int has_a = S_EVENT_PRIORITY(s, event_a) != S_NONE, has_b = S_EVENT_PRIORITY(s, event_b) != S_NONE;
  if (has_a != has_b) return has_a ? 1 : -1;
  if (has_a) return priority_a > priority_b ? 1 : priority_a < priority_b ? -1 : 0;
  if (event_a != event_b) return event_a < event_b ? 1 : -1;
  return s_before(s, a, b) ? 1 : -1;
}

FF_WARP double s_check_number(const s_schedule *s, uint32_t block) {
  const ff_philox_block counter = ff_philox_counter(FF_SSA_DRAW_CHECK, block, s->event, S_CHECK_NUMBER(s));
  const ff_philox_block words = ff_philox_rounds(S_CHECK_KEY(s), 0, counter);
  return ff_closed(words.v[0], words.v[1]);
}

/* The index of the event that happens first: choose() of ff_ssa_due.c. */
FF_WARP uint32_t s_choose(s_schedule *s) {
  uint32_t best = 0u, equal = 1u;
  double highest = 0.0;
  FF_NO_UNROLL for (uint32_t i = 0; i < s->kept.k.n_now; i++) {
    const uint32_t place = S_PLACE(s, i), formula = S_EVENT_PRIORITY(s, S_DUE_EVENT(s, place));
    const double priority = formula != S_NONE ? S_VALUE(s, formula, s->time) : 0.0;
    if (priority != priority) s->failed = 1;
    int better = i == 0u ? 1 : s_precedence(s, place, priority, S_PLACE(s, best), highest);
    equal = better == 1 ? 1u : equal + (better == 0 ? 1u : 0u);
    if (better == 0) better = s_check_number(s, 1u + s->ties++ % (FF_PHILOX_MAX_BLOCKS - 1u)) * (double)equal < 1.0;
    if (better != 1) continue;
    best = i;
    highest = priority;
  }
  return best;
}

/* Sets what the event at this place sets. */
FF_WARP void s_set_values(s_schedule *s, uint32_t place) {
  s_kept *k = &s->kept.k;
  const uint32_t e = S_DUE_EVENT(s, place), sets = S_EVENT_SETS(s, e), n = S_EVENT_N_SETS(s, e);
  if (S_EVENT_FLAGS(s, e) & S_LATE) s_compute_values(s, place);
  FF_NO_UNROLL for (uint32_t i = 0; i < n; i++) {
    const uint32_t factor = s->table[sets + 3u * i + 2u];
    uint32_t *const words = S_DUE_VALUES(s, place) + 2u * i;
    if (factor != S_NONE) s_put_number(words, s_number_at(words) * S_VALUE(s, factor, s->time));
  }
  FF_NO_UNROLL for (uint32_t i = 0; i < n && !s->failed; i++) {
    const uint32_t symbol = s->table[sets + 3u * i];
    const double value = s_number_at(S_DUE_VALUES(s, place) + 2u * i), before = k->y[symbol];
    double after = value;
    if (symbol < S_SPECIES(s))
      s->failed = !ff_formula_count(value, &after) || after > (double)S_MOST_SET;
    else
      s->failed = value != value;
    if (s->failed) return;
    k->y[symbol] = after;
    if (after != before) S_REFRESH(s, symbol);
  }
}

/* Sets `reached` to whether the condition that ends trajectories holds in the state y, and returns it. */
FF_WARP int s_reaches(s_schedule *s) {
  s->reached = !s->failed && S_ENDS(s);
  return s->reached;
}

/* Looks at the triggers that a reaction may have changed (at all of them for S_EVERY), and lets all events happen that are
 * due now, and those that follow from them at the same time. Ends early if the condition holds after one of them. Returns how
 * many have happened. */
S_CALL uint32_t s_happen(s_schedule *s, uint32_t reaction) {
  s_kept *k = &s->kept.k;
  uint32_t happened = 0u;
  s->ties = 0u;
  FF_NO_UNROLL for (;;) {
    const int changed = s_watch(s, reaction), all = reaction == S_EVERY;
    reaction = S_EVERY;
    if (s->failed || (!all && !changed)) return 0u;
    if (!all) continue;
    s_take_ready(s);
    if (k->n_now == 0u) return happened;
    const uint32_t at = s_choose(s), place = S_PLACE(s, at);
    if (happened == S_AT_ONCE) s->failed = 1;
    if (s->failed) return happened;
    s_drop(s, at); /* its values stay readable: no event is added before they are set */
    s_set_values(s, place);
    happened++;
    if (s_reaches(s)) return happened;
  }
}

/* ---- when something may happen next ---------------------------------------------------------------------------------------- */

/* Searches the piece that begins at search_at. Returns 0 if it is left halfway. */
FF_WARP int s_search_piece(s_schedule *s, const s_at_formula *trigger, double to, int truth, ff_change *found, double *at) {
  *found = FF_CHANGE_NONE;
  *at = to;
  if (!s->searches && !ff_change_search_begin(&s->search, s->kept.k.search_at, to, FF_SSA_SEARCH_STEPS)) return 1;
  s->searches = 1;
  FF_NO_UNROLL for (uint32_t i = 0; i < S_SEARCH_AT_ONCE && s->searches; i++)
    s->searches = !ff_change_search_step(trigger, &s->search, to, truth, found, at);
  return !s->searches;
}

/* next_change() of ff_ssa_due.c. Returns 0 if the search is left halfway. */
FF_WARP int s_next_change(s_schedule *s, uint32_t e, double to, int goes_on, double *change) {
  s_kept *k = &s->kept.k;
  const s_at_formula trigger = s_at_of(s, e);
  const int truth = (int)S_BIT(k->truth, e);
  ff_change found = FF_CHANGE_NONE;
  uint8_t doubt = 0;
  double at = s->time;
  *change = ff_math_infinity();
  if (!goes_on) {
    k->piece = 0u;
    k->search_at = s->time;
    s->searches = 0;
  }
  FF_NO_UNROLL while (k->zone[e] < 0.0 && found == FF_CHANGE_NONE) {
    if (k->piece == S_PIECES) {
      s->failed = 1;
      return 1;
    }
    if (!s_search_piece(s, &trigger, to, truth, &found, &at)) return 0;
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

/* ---- rates that depend on the time ----------------------------------------------------------------------------------------- */

FF_WARP int s_is_valid(double propensity) { return propensity >= 0.0 && propensity < ff_math_infinity(); }

/* The propensity of the timed reaction k at this time. */
S_CALL double s_timed_law(const s_schedule *s, uint32_t k, double time) {
  const s_at_formula rate = s_at_of(s, S_TRIGGERS(s) + k);
  const int missing = S_MISSING(s, k);
  const double value = missing == 1 ? 0.0 : ff_change_propensity(&rate, time);
  if (missing) return value < 0.0 ? value : 0.0;
  return S_LAW_OF(s, k, value);
}

/* search_invalid() of ff_ssa_state.c */
S_CALL void s_search_invalid(s_schedule *s, uint32_t rate_of, int missing) {
  s_kept *k = &s->kept.k;
  const s_at_formula rate = s_at_of(s, rate_of);
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

/* Sets the bound of the timed reaction number i: bound_of() of ff_ssa_state.c. */
FF_WARP void s_set_bound(s_schedule *s, uint32_t i) {
  s_kept *k = &s->kept.k;
  const int missing = S_MISSING(s, i);
  k->bound[i] = 0.0;
  if (missing == 1) return;
  const ff_range range = S_RANGE(s, S_TRIGGERS(s) + i, FF_RANGE_COMPUTED, k->from, k->until);
  if ((range.nan && !missing) || range.low < 0.0) s_search_invalid(s, S_TRIGGERS(s) + i, missing);
  if (missing) return;
  const double bound = S_LAW_OF(s, i, range.high);
  if (bound <= FF_SSA_MOST_BOUND)
    k->bound[i] = bound > 0.0 ? bound : 0.0;
  else
    k->unbounded = 1u;
}

/* open_window() of ff_ssa_schedule.c */
S_CALL void s_open_window(s_schedule *s) {
  s_kept *k = &s->kept.k;
  k->rejected = k->cut = k->unbounded = 0u;
  k->from = s->time;
  k->until = ff_math_infinity();
  FF_NO_UNROLL for (uint32_t i = 0; i < S_TIMED(s); i++)
    if (!s_is_valid(s_timed_law(s, i, s->time))) s->failed = 1;
  const double least = k->from * FF_SSA_LEAST_WIDTH;
  if (k->width < least) k->width = least;
  FF_NO_UNROLL while (S_TIMED(s) > 0u && !s->failed) {
    k->until = k->from + k->width;
    k->unbounded = k->cut = 0u;
    FF_NO_UNROLL for (uint32_t i = 0; i < S_TIMED(s) && !k->unbounded; i++) s_set_bound(s, i);
    if (!k->unbounded) return;
    k->width /= 2.0;
    if (k->width < least || k->width < 1e-300) s->failed = 1;
  }
}

/* Whether the timed reaction k fires, which may do so now. */
S_CALL int s_fires(s_schedule *s, uint32_t k) {
  const double now = s_timed_law(s, k, s->time), bound = s->kept.k.bound[k];
  if (!s_is_valid(now) || now > bound) s->failed = 1;
  return s_check_number(s, 0u) * bound < now;
}

#endif
