/* Steps of a trajectory whose network is read from lists, on the processor (ff_ssa_schedule.c) and by one lane of a warp
 * (ff_ssa_generic_schedule.h). The method finds the reaction that may fire next, and when.
 *
 * The text that comes before this one defines what ff_ssa_schedule_steps.h wants, but for S_REFRESH and S_IS_TIMED, and
 *   S_PUT_COUNT(s, symbol)   what else keeps a count that an event sets
 *   S_WATCH_FIRST(s, symbol), S_WATCHER(s, k)   where the events begin in a list whose triggers read a symbol, and an entry
 *   S_CHANGE_FIRST(s, reaction), S_CHANGE_END(s, reaction), S_CHANGED(s, i)   a list of species that reactions change
 *   S_N_WATCHED(s), S_WATCHED(s, i), S_KIND(s, e)   the events whose triggers depend on the time; what a trigger reads
 *   S_TIMED_OF(s, reaction)  the number of a timed reaction, or S_EVERY
 *   S_APPLY(s, reaction)     lets a reaction change the counts */
#ifndef FF_SSA_SCHEDULE_LISTS_H
#define FF_SSA_SCHEDULE_LISTS_H

#define S_REFRESH(s, symbol) s_refresh((s), (symbol))
#define S_IS_TIMED(s, e) (S_KIND(s, e) != FF_SSA_BY_STATE)

S_INLINE void s_refresh(s_schedule *s, uint32_t symbol);

#include "ff_ssa_schedule_steps.h"

S_INLINE void s_refresh(s_schedule *s, uint32_t symbol) {
  S_PUT_COUNT(s, symbol);
  FF_NO_UNROLL for (uint64_t k = S_WATCH_FIRST(s, symbol); k < S_WATCH_FIRST(s, symbol + 1u); k++)
    S_SET_BIT(S_OWN(s)->fresh, S_WATCHER(s, k));
}

S_INLINE int s_watch(s_schedule *s, uint32_t reaction) {
  int changed = 0;
  FF_NO_UNROLL for (uint32_t e = 0; reaction == S_EVERY && e < S_TRIGGERS(s) && !S_HAS_FAILED(s); e++) changed |= s_look_at(s, e);
  if (reaction == S_EVERY) return changed;
  FF_NO_UNROLL for (uint32_t i = S_CHANGE_FIRST(s, reaction); i < S_CHANGE_END(s, reaction); i++) {
    const uint32_t species = S_CHANGED(s, i);
    s_refresh(s, species);
    FF_NO_UNROLL for (uint64_t k = S_WATCH_FIRST(s, species); k < S_WATCH_FIRST(s, species + 1u) && !S_HAS_FAILED(s); k++)
      changed |= s_look_at(s, S_WATCHER(s, k));
  }
  return changed;
}

/* What has happened, as bits: the method must begin anew; it goes on after the reaction that was due, which has fired or not. */
enum { S_BEGINS = 1, S_GOES_ON = 2, S_FIRED = 4 };

/* The time has come at which this reaction may fire. */
S_INLINE uint32_t s_react(s_schedule *s, uint32_t reaction) {
  const uint32_t r = S_TIMED_OF(s, reaction);
  if (r != S_EVERY && !s_fires(s, r)) return s_reject(s) ? S_BEGINS : S_GOES_ON;
  if (S_HAS_FAILED(s)) return 0u;
  S_APPLY(s, reaction);
  if (s_reaches(s)) return S_FIRED;
  const uint32_t n = S_TRIGGERS(s) > 0u && !S_HAS_FAILED(s) ? s_happen(s, reaction) : 0u;
  return S_FIRED | (n > 0u ? S_BEGINS : S_GOES_ON);
}

/* Lets happen what is next: events or a change of a trigger, the reaction that may fire, or the end of the window. */
S_INLINE uint32_t s_advance(s_schedule *s, uint32_t reaction) {
  s_kept *k = S_OWN(s);
  if (k->event_time <= s->time) {
    S_SILENT(s)++;
    return s_happen(s, S_EVERY) > 0u ? S_BEGINS : 0u;
  }
  if (k->firing <= k->until) return s_react(s, reaction);
  s_end_window(s);
  return S_BEGINS;
}

/* Finds what happens before `firing`, the time at which a reaction may fire, and returns when. */
S_CALL double s_settle(s_schedule *s, double firing) {
  s_kept *k = S_OWN(s);
  const double limit = firing < k->until ? firing : k->until;
  k->firing = firing;
  k->event_time = k->later_time;
  FF_NO_UNROLL for (uint32_t i = 0; i < S_N_WATCHED(s) && !S_HAS_FAILED(s); i++)
    (void)s_due_trigger(s, S_WATCHED(s, i), S_KIND(s, S_WATCHED(s, i)) == FF_SSA_BY_TIME, limit, 0);
  return k->event_time < limit ? k->event_time : limit;
}

#endif
