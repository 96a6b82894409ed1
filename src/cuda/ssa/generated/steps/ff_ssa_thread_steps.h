/* A trajectory of generated code, from its beginning, step by step, to its last record. A part of ff_ssa_thread.h. */
#ifndef FF_SSA_THREAD_STEPS_H
#define FF_SSA_THREAD_STEPS_H

#include "../../../../ensemble/ff_fired.h"

/* Begins the next trajectory of the wave. If there is none, the slot is empty: nobody wants its state. The next step is number
 * 0, which no reaction precedes. */
FF_WARP void s_take(s_thread *t) {
  const uint64_t k = S_FETCH_ADD(&t->run->counters->begun, 1u);
  t->unit = (uint32_t)k;
  t->member = S_NONE;
  s_number(t);
  t->step = 0xFFFFFFFFu;
  t->at = 0u;
  t->wanted = k < t->run->units ? t->run->times[0] : ff_math_infinity();
  s_begin(t);
#if S_APART
  t->begins = k < t->run->units;
#endif
}

FF_WARP void s_refuse(s_thread *t) {
  S_OR(t->run->refused + t->unit / 32u, 1u << (t->unit % 32u));
  S_FETCH_ADD(&t->run->counters->complete, 1u);
  s_take(t);
}

/* Notes the time at which the condition has ended the trajectory. An empty slot has none. */
FF_WARP void s_end(const s_thread *t) {
  if (t->wanted < ff_math_infinity()) t->run->stopped[t->unit] = t->time;
}

/* Lists a firing of the trajectory. */
FF_WARP void s_list(const s_thread *t, uint32_t reaction, double time) {
  if (!(t->wanted < ff_math_infinity())) return;
  const ff_fired fired = {t->unit, S_REACTION_OF(reaction), time};
  t->run->fired[S_FETCH_ADD(&t->run->counters->fired, 1u)] = fired;
}

/* Records what the trajectory has reached: its state lasts until next_time, or forever if the total is 0. Returns whether the
 * next reaction fires; if not, the slot has begun another trajectory, or is empty. */
FF_WARP int s_serve(s_thread *t, double total, double next_time) {
  const ff_launch *run = t->run;
  if (!(t->wanted < ff_math_infinity())) return 0;
  if (!(total < ff_math_infinity())) {
    s_refuse(t);
    return 0;
  }
  if (!(total > 0.0)) next_time = ff_math_infinity();
  FF_NO_UNROLL for (; t->at < run->n_times && run->times[t->at] < next_time; t->at++)
    s_record(t, FF_RECORD_OF(run, t->at, t->unit));
  if (t->at < run->n_times) {
    t->wanted = run->times[t->at];
    return 1;
  }
  S_FETCH_ADD(&run->counters->complete, 1u);
  S_FETCH_ADD(&run->counters->steps, S_FIRINGS(t));
#if S_POINTS
  S_FETCH_ADD(run->point_steps + t->point_at, S_FIRINGS(t));
#endif
  s_take(t);
  return 0;
}

/* Draws for a step, from its words. */
FF_WARP void s_draw_from(s_thread *t, ff_philox_block words) {
  t->wait = s_exponential(t, words.v[0], words.v[1]);
  const int second = S_POOLS && t->member != S_NONE;
  t->choice = s_choice(second ? words.v[0] : words.v[2], second ? words.v[1] : words.v[3]);
}

/* Draws for the next step, or for the second molecule of a pair. */
FF_WARP void s_draw(s_thread *t) { s_draw_from(t, s_block_words(t, t->step, S_POOLS && t->member != S_NONE ? 1u : 0u)); }

#ifdef S_KEPT
FF_WARP void s_scheduled_step(s_thread *t, s_schedule *s);

/* Finds the next step, and lets it happen. So do the others of this name. */
FF_WARP void s_step(s_thread *t) {
  if (t->wanted < ff_math_infinity()) s_scheduled_step(t, t->schedule);
  FF_SYNCWARP();
}
#else
/* Finds the next step. *next_time becomes its time. Returns the sum of propensities, or another number above 0 in its place; 0
 * if nothing can happen; NaN or infinity if a propensity is invalid. */
FF_WARP double s_next_event(s_thread *t, s_next *next, double *next_time) {
#if S_FIRST
  const double wait = s_first(t, next), total = wait == wait ? 1.0 : wait;
  *next_time = t->time + wait;
#else
  if (!S_AHEAD) s_draw(t);
  const double wait = t->wait, total = s_find(t, t->choice, next);
  *next_time = t->time + S_DIVIDE(wait, total); /* infinite or NaN if the total is 0 or -0 */
#endif
  return total;
}

/* Does what comes between two steps of some lanes: records, ends and exact choices. If a lane begins another trajectory, or is
 * empty, no reaction fires, and *words, unless it is NULL, become those of its next step. `second` tells whether the step's
 * first molecule was chosen in the last step. */
FF_WARP void s_pause(s_thread *t, s_next *next, double total, int second, double *next_time, ff_philox_block *words) {
#if S_UNTIL
  const int ends = s_ends(t);
  *next_time = ends ? ff_math_infinity() : *next_time;
#endif
  const int over = S_OVER(next), near = S_NEAR(next);
  /* In an empty slot, both times are infinite if nothing can happen: then it stops, too. */
  const int stops = !second && (!(*next_time < t->wanted) || over || (!S_PLAIN && !(total > 0.0 && total < ff_math_infinity())));
  if (S_ANY(stops || near)) {
    if (near) S_NEAR_EXACTLY(next);
#if S_UNTIL
    if (ends) s_end(t);
#endif
    if (stops && !s_serve(t, over ? ff_math_nan() : total, *next_time)) {
      next->reaction = S_REACTIONS;
      *next_time = S_START(t);
      if (words != 0) *words = s_step_words(t, t->step + 1u);
    }
    FF_SYNCWARP();
#if S_APART
    s_fill(t);
#endif
  }
}

#ifdef S_MODULES
/* Draws are made early: the compiler mixes them with the division, and with the search. */
FF_WARP void s_step(s_thread *t) {
  s_next next;
  double next_time;
  const double total = s_next_event(t, &next, &next_time);
  ff_philox_block words = s_step_words(t, t->step + 1u);
  s_pause(t, &next, total, 0, &next_time, &words);
  t->time = next_time;
  t->step++;
  s_draw_from(t, words);
  s_fire(t, &next);
}
#elif S_POOLS
/* If the step is a pair of molecules of one group, it takes two steps: s_reaction(). */
FF_WARP void s_step(s_thread *t) {
  s_next next;
  double next_time;
  const double total = s_next_event(t, &next, &next_time);
  const int second = t->member != S_NONE;
  next.reaction = second ? t->pool : next.reaction;
  next.n = second ? t->pool_n : next.n;
  next_time = second ? t->pool_time : next_time;
  s_pause(t, &next, total, second, &next_time, 0);
  s_fire(t, &next);
  const int waits = t->member != S_NONE; /* for the second molecule */
  t->pool_time = next_time;
  t->time = waits ? t->time : next_time;
  t->step += waits ? 0u : 1u;
  if (S_AHEAD) s_draw(t);
}
#else
FF_WARP void s_step(s_thread *t) {
  s_next next;
  double next_time;
  const double total = s_next_event(t, &next, &next_time);
  s_pause(t, &next, total, 0, &next_time, 0);
#if S_FIRES
  if (next.reaction != S_REACTIONS) s_list(t, next.reaction, next_time);
#endif
  s_fire(t, &next);
  t->time = next_time;
  t->step++;
  if (S_AHEAD) s_draw(t);
}
#endif
#endif

/* Counts stay below the largest in the next S_CHUNK steps. Those of empty slots begin anew. */
#if S_APART
FF_WARP void s_check(s_thread *t) {
  if (!S_IS_EMPTY(t)) {
    if (t->step + S_CHUNK > t->safe) t->safe = t->step + s_look(t);
    if (t->step + S_CHUNK > t->safe || s_most(t) > S_LARGEST - S_CHUNK * S_MOST || t->step > S_STEPS - S_CHUNK) {
      s_refuse(t);
      t->time = S_START(t);
      t->step = 0u;
    }
  }
  FF_SYNCWARP();
  s_fill(t);
}
#else
FF_WARP void s_check(s_thread *t) {
  if (!(t->wanted < ff_math_infinity())) {
    s_begin(t);
    t->member = S_NONE; /* the pair that it might choose was of other counts */
    t->time = 0.0;
  } else if (s_most(t) > S_LARGEST - S_CHUNK * S_MOST || t->step > S_STEPS - S_CHUNK) {
    s_refuse(t);
    t->time = 0.0;
    t->step = 0u;
  }
}
#endif

#endif
