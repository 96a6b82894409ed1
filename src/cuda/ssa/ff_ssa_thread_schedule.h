/* The part of generated code for networks with events, or with rates that depend on the time: what ff_ssa_schedule.c and
 * ff_ssa_due.c do, for the trajectory of a thread. The same text is compiled for device and host. All operations have the order
 * of the processor's code, so all bits are the same. What a thread cannot do in this way, or what fails, lets it refuse the
 * trajectory.
 *
 * Counts are in registers. What ff_ssa_thread_kept.h declares is in memory of the thread's own: numbers that are read by index,
 * and what is needed only when a trigger changes or a window ends. Functions that few steps call are no part of the loop
 * (S_CALL).
 *
 * The text that comes before this one defines what ff_ssa_thread_kept.h wants. The text that comes after this one defines
 *   s_value(formula, y, time)              the value of a formula
 *   s_range(formula, kind, y, from, to)    the range of one that depends on the time
 *   s_law_of(k, y, rate)                   the propensity of the timed reaction k whose formula has this value
 *   s_missing(k, y)                        whether one of its reactants is missing
 *   s_truths(t)                            the truths of the triggers by state, as bits
 *   s_show(t)                              copies the counts to the symbols
 *   s_take_back(t)                         copies the counts back
 */
#ifndef FF_SSA_THREAD_SCHEDULE_H
#define FF_SSA_THREAD_SCHEDULE_H

#include "../../ssa/ff_ssa_schedule_rules.h"
#include "ff_ssa_thread.h"

#define S_AT_ONCE 1024u  /* events at the same time; the processor allows more, and then reports that they never end */
#define S_PIECES 8u      /* of a search that makes little progress; the processor allows FF_SSA_MOST_PIECES */
#ifndef S_SEARCH_AT_ONCE
#define S_SEARCH_AT_ONCE 8u /* steps of a search; then other threads of the warp need not wait for its end */
#endif
#define S_SEARCHES ((S_BY_TIME | S_BY_BOTH) != 0u) /* for the times of events */
#define S_MOST_SET (S_LARGEST / 2u) /* that an event may set a species to, so that no count exceeds S_LARGEST before a check */
#define S_INITIALLY 1u
#define S_PERSISTENT 2u
#define S_LATE 4u

S_CALL double s_law_of(uint32_t k, const double *y, double rate);
S_CALL int s_missing(uint32_t k, const double *y);
FF_WARP uint32_t s_truths(const s_thread *t);
FF_WARP void s_show(s_thread *t);
FF_WARP void s_take_back(s_thread *t);
FF_WARP void s_refuse(s_thread *t);
FF_WARP int s_serve(s_thread *t, double total, double next_time);
FF_WARP void s_draw(s_thread *t);

#define S_EVENT_DELAY(s, e) ((s)->table[S_AT_EVENTS + 5u * (e)])
#define S_EVENT_PRIORITY(s, e) ((s)->table[S_AT_EVENTS + 5u * (e) + 1u])
#define S_EVENT_FLAGS(s, e) ((s)->table[S_AT_EVENTS + 5u * (e) + 2u])
#define S_EVENT_SETS(s, e) ((s)->table[S_AT_EVENTS + 5u * (e) + 3u])
#define S_EVENT_N_SETS(s, e) ((s)->table[S_AT_EVENTS + 5u * (e) + 4u])
#define S_READERS(s, symbol) ((s)->table[S_AT_READERS + (symbol)])
#define S_REACTION(s, r, i) ((s)->table[S_AT_REACTIONS + 6u * (r) + (i)])

/* ---- searches: ff_formula_change.h ---------------------------------------------------------------------------------------- */

FF_WARP s_at_formula s_at_of(const s_schedule *s, uint32_t formula) {
  const s_at_formula out = {formula, s->kept.k.y};
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

/* The store of a thread holds the numbers of S_DUE places: first those of events whose time has come, in the order in which this
 * was found, then those that are delayed, in any order, and then the unused ones. The places follow: time, serial number, event,
 * and the values that it sets. */
#define S_PLACE_WORDS (4u + 2u * S_SETS)
#define S_PLACE(s, i) ((s)->store[i])
#define S_DUE_WORD(s, place, i) ((s)->store[S_DUE + (place)*S_PLACE_WORDS + (i)])

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

/* The index of the earliest of those that are delayed. There is one. */
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
    s_put_number(S_DUE_VALUES(s, place) + 2u * i, s_value(s->table[sets + 2u * i + 1u], s->kept.k.y, s->time));
}

/* The trigger has become true. */
FF_WARP void s_add(s_schedule *s, uint32_t e) {
  s_kept *k = &s->kept.k;
  const uint32_t formula = S_EVENT_DELAY(s, e);
  const double delay = formula != S_NONE ? s_value(formula, k->y, s->time) : 0.0;
  if (!(delay >= 0.0 && delay < ff_math_infinity()) || k->n_now + k->n_later == S_DUE || k->serial == S_NONE) {
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
  const uint32_t bit = 1u << e, fresh = k->fresh & bit, was = (k->truth & bit) != 0u;
  const int within = k->zone[e] >= 0.0 && !fresh;
  if (!within && !fresh && truth == was) return 0;
  const int sure = s_is_sure(s, e);
  if (within && !sure) return 1;
  if (within && truth == was && (k->doubt & bit)) s->failed = 1;
  k->zone[e] = sure ? FF_SSA_NO_ZONE : s->time;
  k->doubt &= ~bit;
  return !sure && truth != was && fresh && s->time > 0.0 && !s_is_steady(s, e);
}

/* Returns whether the truth has changed. */
FF_WARP int s_look_at(s_schedule *s, uint32_t e) {
  s_kept *k = &s->kept.k;
  const uint32_t bit = 1u << e, truth = s_value(e, k->y, s->time) != 0.0;
  const int kept = (S_BY_STATE & bit) == 0u && s_is_kept(s, e, truth);
  k->fresh &= ~bit;
  if (kept || truth == ((k->truth & bit) != 0u)) return 0;
  k->truth ^= bit;
  if (truth)
    s_add(s, e);
  else if (!(S_EVENT_FLAGS(s, e) & S_PERSISTENT))
    s_cancel(s, e);
  return 1;
}

/* Looks at the triggers that read what a reaction has changed, or at all of them. */
FF_WARP int s_watch(s_schedule *s, uint32_t reaction) {
  const int all = reaction == S_REACTIONS;
  const uint32_t first = all ? 0u : S_REACTION(s, reaction, 0u), n = all ? 1u : S_REACTION(s, reaction, 1u);
  int changed = 0;
  FF_NO_UNROLL for (uint32_t i = 0; i < n; i++) {
    uint32_t left = all ? (uint32_t)((1ull << S_TRIGGERS) - 1u) : S_READERS(s, s->table[first + i]);
    if (!all) s->kept.k.fresh |= left;
    FF_NO_UNROLL for (; left != 0u && !s->failed; left &= left - 1u) changed |= s_look_at(s, FF_LOWEST(left));
  }
  return changed;
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
  const ff_philox_block counter = ff_philox_counter(FF_SSA_DRAW_CHECK, block, s->event, s->run->first + s->unit);
  const ff_philox_block words = ff_philox_rounds(s->run->round_key, 0, counter);
  return ff_ssa_closed(words.v[0], words.v[1]);
}

/* The index of the event that happens first: choose() of ff_ssa_due.c. */
FF_WARP uint32_t s_choose(s_schedule *s) {
  uint32_t best = 0u, equal = 1u;
  double highest = 0.0;
  FF_NO_UNROLL for (uint32_t i = 0; i < s->kept.k.n_now; i++) {
    const uint32_t place = S_PLACE(s, i), formula = S_EVENT_PRIORITY(s, S_DUE_EVENT(s, place));
    const double priority = formula != S_NONE ? s_value(formula, s->kept.k.y, s->time) : 0.0;
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
  FF_NO_UNROLL for (uint32_t i = 0; i < n && !s->failed; i++) {
    const uint32_t symbol = s->table[sets + 2u * i];
    const double value = s_number_at(S_DUE_VALUES(s, place) + 2u * i), before = k->y[symbol];
    double after = value;
    if (symbol < S_COUNTS)
      s->failed = !ff_formula_count(value, &after) || after > (double)S_MOST_SET;
    else
      s->failed = value != value;
    if (s->failed) return;
    k->y[symbol] = after;
    if (after != before) k->fresh |= S_READERS(s, symbol);
  }
}

/* Looks at the triggers that a reaction may have changed (at all of them for S_REACTIONS), and lets all events happen that are
 * due now, and those that follow from them at the same time. Returns how many there were. */
S_CALL uint32_t s_happen(s_schedule *s, uint32_t reaction) {
  s_kept *k = &s->kept.k;
  uint32_t happened = 0u;
  s->ties = 0u;
  FF_NO_UNROLL for (;;) {
    const int changed = s_watch(s, reaction), all = reaction == S_REACTIONS;
    reaction = S_REACTIONS;
    if (s->failed || (!all && !changed)) return 0u;
    if (!all) continue;
    s_take_ready(s);
    if (k->n_now == 0u) return happened;
    const uint32_t at = s_choose(s), place = S_PLACE(s, at);
    if (happened == S_AT_ONCE) s->failed = 1;
    if (s->failed) return happened;
    s_drop(s, at); /* its values stay, as nothing is added before they are set */
    s_set_values(s, place);
    happened++;
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
  const int truth = (k->truth >> e & 1u) != 0u;
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
  if (doubt) k->doubt |= 1u << e;
  if (is_sure || at < to) *change = at;
  return 1;
}

/* Sets event_time, if it is at most `limit`; until then, no reaction fires. Returns 0 if this is left halfway; then the next call
 * goes on. */
S_CALL int s_due_next(s_schedule *s, double limit) {
  s_kept *k = &s->kept.k;
  int goes_on = k->left != 0u;
  if (!goes_on) {
    k->event_time = k->later_time;
    k->left = S_BY_TIME | S_BY_BOTH;
  }
  FF_NO_UNROLL for (; k->left != 0u && !s->failed; k->left &= k->left - 1u) {
    const uint32_t e = FF_LOWEST(k->left);
    const int by_time = (S_BY_TIME >> e & 1u) != 0u;
    const double to = by_time ? ff_math_infinity() : k->event_time < limit ? k->event_time : limit;
    double change = k->change[e];
    if ((!by_time || change <= s->time) && !s_next_change(s, e, to, goes_on, &change)) return 0;
    if (by_time) k->change[e] = change;
    if (change < k->event_time) k->event_time = change;
    goes_on = 0;
  }
  return 1;
}

/* ---- rates that depend on the time ----------------------------------------------------------------------------------------- */

FF_WARP int s_is_valid(double propensity) { return propensity >= 0.0 && propensity < ff_math_infinity(); }

/* The propensity of the timed reaction k at this time. */
S_CALL double s_timed_law(const s_schedule *s, uint32_t k, double time) {
  const double *y = s->kept.k.y;
  const s_at_formula rate = s_at_of(s, S_TRIGGERS + k);
  return s_missing(k, y) ? 0.0 : s_law_of(k, y, ff_change_propensity(&rate, time));
}

/* search_invalid() of ff_ssa_schedule.c */
S_CALL void s_search_invalid(s_schedule *s, uint32_t rate_of) {
  s_kept *k = &s->kept.k;
  const s_at_formula rate = s_at_of(s, rate_of);
  double at;
  if (ff_change_first_invalid(&rate, s->time, k->until, FF_SSA_INVALID_STEPS, &at)) {
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
    if (sample <= at || ff_change_propensity(&rate, sample) >= 0.0) continue;
    k->until = sample;
    return;
  }
}

/* Sets the bound of the timed reaction number i: ff_ssa_schedule_bound(). */
FF_WARP void s_set_bound(s_schedule *s, uint32_t i) {
  s_kept *k = &s->kept.k;
  k->bound[i] = 0.0;
  if (s_missing(i, k->y)) return;
  const ff_range range = s_range(S_TRIGGERS + i, FF_RANGE_COMPUTED, k->y, k->from, k->until);
  if (range.nan || range.low < 0.0) s_search_invalid(s, S_TRIGGERS + i);
  const double bound = s_law_of(i, k->y, range.high);
  if (bound <= FF_SSA_MOST_BOUND)
    k->bound[i] = bound > 0.0 ? bound : 0.0;
  else
    k->unbounded = 1u;
}

/* The bounds of those whose bits are set. */
S_CALL void s_set_bounds(s_schedule *s, uint64_t left) {
  FF_NO_UNROLL for (uint32_t i = 0; i < S_TIMED && left != 0u; i++, left >>= 1)
    if (left & 1u) s_set_bound(s, i);
}

/* open_window() of ff_ssa_schedule.c */
S_CALL void s_open_window(s_schedule *s) {
  s_kept *k = &s->kept.k;
  k->rejected = k->cut = k->unbounded = 0u;
  k->from = s->time;
  k->until = ff_math_infinity();
  FF_NO_UNROLL for (uint32_t i = 0; i < S_TIMED; i++)
    if (!s_is_valid(s_timed_law(s, i, s->time))) s->failed = 1;
  const double least = k->from * FF_SSA_LEAST_WIDTH;
  if (k->width < least) k->width = least;
  FF_NO_UNROLL while (S_TIMED > 0u && !s->failed) {
    k->until = k->from + k->width;
    k->unbounded = k->cut = 0u;
    FF_NO_UNROLL for (uint32_t i = 0; i < S_TIMED && !k->unbounded; i++) s_set_bound(s, i);
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

/* ---- steps ----------------------------------------------------------------------------------------------------------------- */

/* A trajectory begins. */
FF_WARP void s_start(s_schedule *s, const s_rates *rates) {
  s_kept *k = &s->kept.k;
  FF_NO_UNROLL for (uint32_t i = 0; i < S_SLOTS; i++) k->y[S_COUNTS + i] = rates->value[S_REACTIONS + i];
  k->truth = 0u;
  FF_NO_UNROLL for (uint32_t e = 0; e < S_TRIGGERS; e++) {
    k->truth |= (S_EVENT_FLAGS(s, e) & S_INITIALLY ? 1u : 0u) << e;
    k->change[e] = 0.0;
    k->zone[e] = FF_SSA_NO_ZONE;
  }
  FF_NO_UNROLL for (uint32_t i = 0; i < S_DUE; i++) S_PLACE(s, i) = i;
  k->fresh = (uint32_t)((1ull << S_TRIGGERS) - 1u);
  k->doubt = k->n_now = k->n_later = k->serial = k->silent = k->left = 0u;
  k->later_time = ff_math_infinity();
  k->width = FF_SSA_FIRST_WIDTH;
}

/* What a step does before the next event is found. */
typedef struct {
  int begins;  /* a new window, and a new draw */
  int goes_on; /* a new draw */
  int happens; /* whether events may be due, or a trigger may have changed */
  int fired;
} s_doing;

/* What functions that are not inlined read. */
FF_WARP void s_tell(const s_thread *t, s_schedule *s) {
  s->time = t->time;
  s->event = t->event;
  s->unit = t->unit;
}

FF_WARP double s_until(const s_kept *k) { return S_TIMED > 0u ? k->until : ff_math_infinity(); }

/* When a trigger may change or an event happens, if this is before the next firing. */
FF_WARP double s_event_time(const s_kept *k) {
  return S_SEARCHES ? k->event_time : S_TRIGGERS > 0u ? k->later_time : ff_math_infinity();
}

/* The time has come for the end of the window, or for a reaction, which may not fire. */
FF_WARP s_doing s_move(s_thread *t, s_schedule *s, const s_next *next) {
  s_kept *k = &s->kept.k;
  s_doing out = {0, 1, 0, 0};
  if (S_TIMED > 0u && !(t->firing <= k->until)) {
    k->silent++;
    if (k->rejected == 0u && !k->cut && k->width < FF_SSA_MOST_WIDTH) k->width *= 2.0;
    out.begins = 1;
    return out;
  }
  const uint32_t number = S_TIMED > 0u ? S_REACTION(s, next->reaction, 4u) : S_NONE;
  if (number != S_NONE && !s_fires(s, number)) {
    k->silent++;
    if (++k->rejected < FF_SSA_MOST_REJECTED) return out;
    k->width /= 2.0;
    out.begins = 1;
    return out;
  }
  s_fire(t, next);
  out.fired = 1;
  out.happens = S_TRIGGERS > 0u && (((s_truths(t) ^ k->truth) & S_BY_STATE) != 0u ||
                                    (S_BY_BOTH != 0u && S_REACTION(s, next->reaction, 5u) != 0u));
  if (S_TIMED > 0u || S_BY_BOTH != 0u) s_show(t);
  return out;
}

/* Finds when a reaction may fire next. Returns whether a propensity is invalid. */
FF_WARP int s_find_next(s_thread *t) {
  s_next next;
#if S_FIRST
  const double wait = s_first(t, &next), total = wait == wait ? 1.0 : wait;
  t->firing = t->time + wait;
#else
  s_draw(t);
  const double wait = t->wait, total = s_find(t, t->choice, &next);
  t->firing = total > 0.0 ? t->time + S_DIVIDE(wait, total) : ff_math_infinity();
#endif
  t->next = next.reaction;
  return !(total < ff_math_infinity());
}

/* Lets the next event happen, and finds the one after it, but for what happens before. Returns whether this fails. */
FF_WARP int s_pass(s_thread *t, s_schedule *s) {
  s_kept *k = &s->kept.k;
  s_doing doing = {1, 0, S_TRIGGERS > 0u, 0};
  s_next next;
  next.reaction = t->next;
  int failed = 0;
  const int starts = t->starts != 0u, is_time = !starts && s_event_time(k) <= t->next_time;
  t->time = starts ? 0.0 : t->next_time;
  t->event = starts ? 0u : t->event + 1u;
  if (S_TIMED > 0u || S_SEARCHES) s_tell(t, s);
  if (starts) {
    t->starts = 0u;
    s_start(s, t->rates);
    s_show(t);
  } else if (is_time) {
    doing.begins = 0;
    k->silent++;
  } else {
    doing = s_move(t, s, &next);
  }
  if (doing.happens) {
    s_tell(t, s);
    s_show(t);
    const uint32_t n = s_happen(s, doing.fired ? next.reaction : S_REACTIONS);
    s_take_back(t);
    if (n > 0u) doing.begins = 1;
    failed = s->failed;
  }
  if (S_TIMED > 0u && doing.goes_on && !doing.begins) {
    s_set_bounds(s, (uint64_t)S_REACTION(s, next.reaction, 3u) << 32 | S_REACTION(s, next.reaction, 2u));
    if (doing.fired && k->unbounded) {
      t->event++;
      k->silent++;
      doing.begins = 1;
    }
  }
  if (S_TIMED > 0u && doing.begins) s_open_window(s);
  if (S_TIMED > 0u) failed |= s->failed;
  if (doing.begins || doing.goes_on) failed |= s_find_next(t);
  return failed;
}

/* A trajectory may be left halfway, in a search for what happens before a reaction may fire. */
FF_WARP void s_scheduled_step(s_thread *t, s_schedule *s) {
  s_kept *k = &s->kept.k;
  int failed = 0, settled = 1;
  if (!S_SEARCHES || k->left == 0u) failed = s_pass(t, s);
  const double until = s_until(k), limit = t->firing < until ? t->firing : until;
  if (S_SEARCHES) {
    s_tell(t, s);
    settled = s_due_next(s, limit);
    failed |= s->failed;
  }
  const double event_time = s_event_time(k);
  t->next_time = event_time < limit ? event_time : limit;
  if (failed) {
    s->failed = 0;
    s_refuse(t);
  } else if (settled && !(t->next_time <= t->wanted)) {
    s_serve(t, 1.0, t->next_time);
  }
  if (t->starts) t->event = 0u; /* of the next trajectory */
}

#endif
