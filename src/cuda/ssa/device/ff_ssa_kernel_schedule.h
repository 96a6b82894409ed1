/* Events of the network, and rates that depend on the time, for kernels: where the events are in memory, and those that wait. A
 * thread with generated code (ff_ssa_thread_schedule.h) and one lane of a warp that reads the network as data
 * (ff_ssa_generic_schedule.h) do what ff_ssa_schedule_steps.h describes. If something fails, or cannot be done in this way,
 * `failed` becomes 1, and the trajectory is refused.
 *
 * The text that comes before this one defines s_schedule, whose part kept.k is an s_kept; what ff_ssa_schedule_steps.h wants and
 * this header does not define; and
 *   S_AT_EVENTS           where the events begin in the table, each with five words: delay and priority (formulas or S_NONE),
 *                         flags, and where its sets begin and their number; a set is a symbol, a formula, and the
 *                         formula of a factor or S_NONE. The trigger of event e is formula e, and the rate of number r is formula
 *                         S_TRIGGERS(s) + r
 *   S_SEARCH_AT_ONCE      steps of a search until it is left halfway
 *   S_DUE(s), S_SETS(s)   events that may wait, and the most values that an event sets
 *   S_CHECK_KEY(s), S_CHECK_NUMBER(s)   the key of each round, and the number of the trajectory, for random numbers */
#ifndef FF_SSA_KERNEL_SCHEDULE_H
#define FF_SSA_KERNEL_SCHEDULE_H

#define S_INLINE FF_WARP
#define S_OWN(s) (&(s)->kept.k)
#define S_WORK(s) (s)
#define S_Y(s) ((s)->kept.k.y)
#define S_SILENT(s) ((s)->kept.k.silent)
#define S_FAIL(s, what, item, value) ((s)->failed = 1)
#define S_FAIL_SET(s, e, symbol, value) ((s)->failed = 1)
#define S_HAS_FAILED(s) ((s)->failed)
#define S_MOST_AT_ONCE 1024u /* the processor allows more, and then reports that they never end */
#define S_MOST_PIECES 8u     /* the processor allows more */
#define S_PAUSES(s, work) ((void)(work), 0)
#define S_TIMED_AT(s, i) (i)
#define S_SEARCH(s, trigger, to, truth, goes_on, found, at)                                                                    \
  s_search((s), (trigger), (to), (truth), FF_SSA_SEARCH_STEPS, (goes_on), (found), (at))
#define S_DRAW(s, block)                                                                                                       \
  ff_philox_rounds(S_CHECK_KEY(s), 0, ff_philox_counter(FF_SSA_DRAW_CHECK, (block), (s)->step, S_CHECK_NUMBER(s)))

/* ---- events ---------------------------------------------------------------------------------------------------------------- */

typedef uint32_t s_formula;
#define S_IS_EMPTY(formula) ((formula) == S_NONE)
#define S_TRIGGER(s, e) (e)
#define S_RATE(s, r) (S_TRIGGERS(s) + (r))
#define S_EVENT(s, e, word) ((s)->table[S_AT_EVENTS + 5u * (e) + (word)])
#define S_DELAY(s, e) S_EVENT(s, e, 0u)
#define S_PRIORITY(s, e) S_EVENT(s, e, 1u)
#define S_IS_INITIALLY(s, e) (S_EVENT(s, e, 2u) & 1u)
#define S_IS_PERSISTENT(s, e) (S_EVENT(s, e, 2u) & 2u)
#define S_IS_LATE(s, e) (S_EVENT(s, e, 2u) & 4u)
#define S_SET_SYMBOL(s, e, i) ((s)->table[S_EVENT(s, e, 3u) + 3u * (i)])
#define S_SET_VALUE(s, e, i) ((s)->table[S_EVENT(s, e, 3u) + 3u * (i) + 1u])
#define S_SET_FACTOR(s, e, i) ((s)->table[S_EVENT(s, e, 3u) + 3u * (i) + 2u])
#define S_N_SETS(s, e) S_EVENT(s, e, 4u)

/* ---- events that wait ------------------------------------------------------------------------------------------------------ */

/* The store of a trajectory holds the numbers of S_DUE(s) places. The places follow: time, serial number, event, and the values
 * that it sets. */
#define S_ROOM(s) S_DUE(s)
typedef uint32_t s_due;
#define S_WAITS(s, i) ((s)->store[i])
#define S_DUE_WORD(s, due, i) ((s)->store[S_DUE(s) + (due) * (4u + 2u * S_SETS(s)) + (i)])
#define S_DUE_TIME(s, due) s_number_at(&S_DUE_WORD(s, due, 0u))
#define S_DUE_SERIAL(s, due) S_DUE_WORD(s, due, 2u)
#define S_DUE_EVENT(s, due) S_DUE_WORD(s, due, 3u)
#define S_DUE_VALUE(s, due, i) s_number_at(&S_DUE_WORD(s, due, 4u + 2u * (i)))
#define S_SET_DUE(s, due, time, serial, e)                                                                                   \
  (s_put_number(&S_DUE_WORD(s, due, 0u), (time)), S_DUE_SERIAL(s, due) = (serial), S_DUE_EVENT(s, due) = (e))
#define S_SET_DUE_VALUE(s, due, i, x) s_put_number(&S_DUE_WORD(s, due, 4u + 2u * (i)), (x))
#define S_MAKE_ROOM(s, e) s_make_room(s)

FF_WARP double s_number_at(const uint32_t *words) { return ff_math_from_bits((uint64_t)words[1] << 32 | words[0]); }

FF_WARP void s_put_number(uint32_t *words, double x) {
  const uint64_t bits = ff_math_bits(x);
  words[0] = (uint32_t)bits;
  words[1] = (uint32_t)(bits >> 32);
}

FF_WARP int s_make_room(s_schedule *s) {
  if (S_OWN(s)->n_now + S_OWN(s)->n_later == S_DUE(s) || S_OWN(s)->serial == S_NONE) s->failed = 1;
  return !s->failed;
}

FF_WARP void s_number_places(s_schedule *s) {
  FF_NO_UNROLL for (uint32_t i = 0; i < S_DUE(s); i++) S_WAITS(s, i) = i;
}

/* ---- searches -------------------------------------------------------------------------------------------------------------- */

/* A search may have been left halfway in the launch before; then it begins anew at search_at. */
FF_WARP int s_search(s_schedule *s, const s_at_formula *trigger, double to, int truth, uint32_t steps, int goes_on,
                     ff_change *found, double *at) {
  *found = FF_CHANGE_NONE;
  *at = to;
  if (!goes_on) s->searches = 0;
  if (!s->searches && !ff_change_search_begin(&s->search, s->kept.k.search_at, to, steps)) return 1;
  s->searches = 1;
  FF_NO_UNROLL for (uint32_t i = 0; i < S_SEARCH_AT_ONCE && s->searches; i++)
    s->searches = !ff_change_search_step(trigger, &s->search, to, truth, found, at);
  return !s->searches;
}

#endif
