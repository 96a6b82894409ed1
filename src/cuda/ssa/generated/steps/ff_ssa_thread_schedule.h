/* The part of generated code for networks with events, or with rates that depend on the time: the steps of
 * ff_ssa_schedule_steps.h, for the trajectory of a thread. If something fails, or cannot be done in this way, the thread refuses
 * the trajectory.
 *
 * Counts are in registers. What ff_ssa_thread_kept.h declares is in memory of the thread's own: numbers that are read by index,
 * and what is needed only when a trigger changes or a window ends. Functions that few steps call are not inlined
 * (S_CALL).
 *
 * The text that comes before this one defines what ff_ssa_thread_kept.h wants. The text that comes after this one defines
 *   s_value(formula, s, time)              the value of a formula, whose symbols are s->kept.k.y
 *   s_range(formula, kind, s, from, to)    the range of one that depends on the time
 *   s_law_of(k, y, rate)                   the propensity of the timed reaction k whose formula has this value
 *   s_missing(k, y)                        what S_MISSING of ff_ssa_schedule_steps.h is
 *   s_truths(t)                            the truths of the triggers by state, as bits
 *   s_show(t)                              copies the counts to the symbols
 *   s_take_back(t)                         copies the counts back
 */
#ifndef FF_SSA_THREAD_SCHEDULE_H
#define FF_SSA_THREAD_SCHEDULE_H

#include "ff_ssa_thread.h"

#ifndef S_SEARCH_AT_ONCE
#define S_SEARCH_AT_ONCE 8u /* steps of a search in one step of a thread, so that other threads need not wait for its end */
#endif
#define S_SEARCHES ((S_BY_TIME | S_BY_BOTH) != 0u) /* whether times of events are searched for */
#define S_MOST_SET (S_LARGEST / 2u) /* that an event may set a species to, so that no count exceeds S_LARGEST before a check */

S_CALL double s_law_of(uint32_t k, const double *y, double rate);
S_CALL int s_missing(uint32_t k, const double *y);
FF_WARP uint32_t s_truths(const s_thread *t);
FF_WARP void s_show(s_thread *t);
FF_WARP void s_take_back(s_thread *t);
FF_WARP void s_refuse(s_thread *t);
FF_WARP void s_end(const s_thread *t);
FF_WARP void s_list(const s_thread *t, uint32_t reaction, double time);
FF_WARP int s_serve(s_thread *t, double total, double next_time);
FF_WARP void s_draw(s_thread *t);

#define S_TRIGGERS(s) S_N_TRIGGERS
#define S_TIMED(s) S_N_TIMED
#define S_SPECIES(s) S_COUNTS
#define S_DUE(s) S_N_DUE
#define S_SETS(s) S_MOST_SETS
#define S_BIT(bits, e) ((bits) >> (e) & 1u)
#define S_SET_BIT(bits, e) ((bits) |= 1u << (e))
#define S_CLEAR_BIT(bits, e) ((bits) &= ~(1u << (e)))
#define S_FLIP_BIT(bits, e) ((bits) ^= 1u << (e))
#define S_IS_TIMED(s, e) (!S_BIT(S_BY_STATE, e))
#define S_REFRESH(s, symbol) ((s)->kept.k.fresh |= S_READERS(s, symbol))
#define S_AT(s, formula) {(formula), (s)}
#define S_VALUE(s, formula, time) s_value((formula), (s), (time))
#define S_RANGE(s, formula, kind, from, to) s_range((formula), (kind), (s), (from), (to))
#define S_LAW_OF(s, number, rate) s_law_of((number), (s)->kept.k.y, (rate))
#define S_MISSING(s, number) s_missing((number), (s)->kept.k.y)
#if S_UNTIL
#define S_ENDS(s) (s_value(S_CONDITION, (s), 0.0) != 0.0)
#else
#define S_ENDS(s) 0
#endif
#if S_POINTS
#define S_CHECK_KEY(s) ((s)->point)
#define S_CHECK_NUMBER(s) ((uint64_t)(s)->number)
#else
#define S_CHECK_KEY(s) ((s)->run->round_key)
#define S_CHECK_NUMBER(s) ((s)->run->first + (s)->unit)
#endif
#define S_READERS(s, symbol) ((s)->table[S_AT_READERS + (symbol)])
#define S_REACTION(s, r, i) ((s)->table[S_AT_REACTIONS + 6u * (r) + (i)])

#include "../../device/ff_ssa_kernel_schedule.h"
#include "../../../../ssa/schedule/ff_ssa_schedule_steps.h"

/* ---- triggers -------------------------------------------------------------------------------------------------------------- */

/* Looks at the triggers that read what a reaction has changed, or at all of them. */
FF_WARP int s_watch(s_schedule *s, uint32_t reaction) {
  const int all = reaction == S_EVERY;
  const uint32_t first = all ? 0u : S_REACTION(s, reaction, 0u), n = all ? 1u : S_REACTION(s, reaction, 1u);
  int changed = 0;
  FF_NO_UNROLL for (uint32_t i = 0; i < n; i++) {
    uint32_t left = all ? (uint32_t)((1ull << S_N_TRIGGERS) - 1u) : S_READERS(s, s->table[first + i]);
    if (!all) s->kept.k.fresh |= left;
    FF_NO_UNROLL for (; left != 0u && !s->failed; left &= left - 1u) changed |= s_look_at(s, FF_LOWEST(left));
  }
  return changed;
}

/* ---- when something may happen next ---------------------------------------------------------------------------------------- */

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
    if (!s_due_trigger(s, e, (int)S_BIT(S_BY_TIME, e), limit, goes_on)) return 0;
    goes_on = 0;
  }
  return 1;
}

/* ---- rates that depend on the time ----------------------------------------------------------------------------------------- */

/* The bounds of those whose bits are set. */
S_CALL void s_set_bounds(s_schedule *s, uint64_t left) {
  FF_NO_UNROLL for (uint32_t i = 0; i < S_N_TIMED && left != 0u; i++, left >>= 1)
    if (left & 1u) s_set_bound(s, i);
}

/* ---- steps ----------------------------------------------------------------------------------------------------------------- */

/* What a step does before the next step is found. */
typedef struct {
  int begins;  /* a new window, and a new draw */
  int goes_on; /* a new draw */
  int happens; /* whether events may be due, or a trigger may have changed */
  int fired;
  int failed;
} s_doing;

/* What functions that are not inlined read. */
FF_WARP void s_tell(const s_thread *t, s_schedule *s) {
  s->time = t->time;
  s->step = t->step;
  s->unit = t->unit;
#if S_POINTS
  s->point = t->point;
  s->number = t->number;
#endif
}

FF_WARP double s_until(const s_kept *k) { return S_N_TIMED > 0u ? k->until : ff_math_infinity(); }

/* When a trigger may change or an event happens, if this is before the next firing. */
FF_WARP double s_event_time(const s_kept *k) {
  return S_SEARCHES ? k->event_time : S_N_TRIGGERS > 0u ? k->later_time : ff_math_infinity();
}

/* The end of the window is reached, or the time at which a reaction may fire. */
FF_WARP s_doing s_move(s_thread *t, s_schedule *s, const s_next *next) {
  s_kept *k = &s->kept.k;
  s_doing out = {0, 1, 0, 0, 0};
  if (S_N_TIMED > 0u && !(t->firing <= k->until)) {
    s_end_window(s);
    out.begins = 1;
    return out;
  }
  const uint32_t number = S_N_TIMED > 0u ? S_REACTION(s, next->reaction, 4u) : S_NONE;
  if (number != S_NONE && !s_fires(s, number)) {
    out.begins = s_reject(s);
    return out;
  }
  s_fire(t, next);
  out.fired = 1;
  if (S_FIRES) s_list(t, next->reaction, t->time);
  if (S_UNTIL) {
    s_show(t);
    if (s_reaches(s)) return out;
  }
  out.happens = S_N_TRIGGERS > 0u && (((s_truths(t) ^ k->truth) & S_BY_STATE) != 0u ||
                                    (S_BY_BOTH != 0u && S_REACTION(s, next->reaction, 5u) != 0u));
  if (S_N_TIMED > 0u || S_BY_BOTH != 0u) s_show(t);
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

/* Lets what is next happen: the trajectory begins, or a reaction may fire, or events may be due. */
FF_WARP s_doing s_proceed(s_thread *t, s_schedule *s, const s_next *next) {
  s_kept *k = &s->kept.k;
  s_doing doing = {1, 0, S_N_TRIGGERS > 0u, 0, 0};
  const int starts = t->starts != 0u, is_time = !starts && s_event_time(k) <= t->next_time;
  t->time = starts ? 0.0 : t->next_time;
  t->step = starts ? 0u : t->step + 1u;
  if (S_N_TIMED > 0u || S_SEARCHES || S_UNTIL) s_tell(t, s);
  if (starts) {
    t->starts = 0u;
    FF_NO_UNROLL for (uint32_t i = 0; i < S_SETTABLE; i++) k->y[S_COUNTS + i] = S_LOAD_RATE(S_REACTIONS + i);
    s_number_places(s);
    s_start(s);
    s_show(t);
    if (S_UNTIL) (void)s_reaches(s);
  } else if (is_time) {
    doing.begins = 0;
    k->silent++;
  } else {
    doing = s_move(t, s, next);
  }
  if (doing.happens && !s->reached) {
    s_tell(t, s);
    s_show(t);
    if (s_happen(s, doing.fired ? next->reaction : S_EVERY) > 0u) doing.begins = 1;
    s_take_back(t);
    doing.failed = s->failed;
  }
  return doing;
}

/* Lets the next step happen, and finds the one after it, but for what happens before. Returns whether this fails. */
FF_WARP int s_pass(s_thread *t, s_schedule *s) {
  s_kept *k = &s->kept.k;
  s_next next;
  next.reaction = t->next;
  s_doing doing = s_proceed(t, s, &next);
  if (s->reached) return doing.failed;
  if (S_N_TIMED > 0u && doing.goes_on && !doing.begins) {
    s_set_bounds(s, (uint64_t)S_REACTION(s, next.reaction, 3u) << 32 | S_REACTION(s, next.reaction, 2u));
    if (doing.fired && k->unbounded) {
      t->step++;
      k->silent++;
      doing.begins = 1;
    }
  }
  if (S_N_TIMED > 0u && doing.begins) s_open_window(s);
  if (S_N_TIMED > 0u) doing.failed |= s->failed;
  if (doing.begins || doing.goes_on) doing.failed |= s_find_next(t);
  return doing.failed;
}

/* A trajectory may be left halfway, in a search for what happens before a reaction may fire. */
FF_WARP void s_scheduled_step(s_thread *t, s_schedule *s) {
  s_kept *k = &s->kept.k;
  int failed = 0, settled = 1;
  if (!S_SEARCHES || k->left == 0u) failed = s_pass(t, s);
#if S_UNTIL
  if (s->reached && !failed) {
    s->reached = 0;
    s_end(t);
    s_serve(t, 1.0, ff_math_infinity());
    t->step = 0u; /* of the next trajectory */
    return;
  }
  s->reached = 0;
#endif
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
  if (t->starts) t->step = 0u; /* of the next trajectory */
}

#endif
