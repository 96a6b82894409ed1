/* Trajectories of small nets: how they begin and end, and what they record. A part of ff_petri_thread.h. */
#ifndef FF_PETRI_THREAD_TAKE_H
#define FF_PETRI_THREAD_TAKE_H

FF_WARP void p_set(p_thread *t, uint32_t unit);
FF_WARP void p_store(const p_thread *t, double *to, const double *y);

/* Levels that may be 0 but for errors become 0, if they would not fall then. */
FF_WARP void p_round_to_zero(const p_thread *t, double time, double *y) {
  double at[P_ROOM(P_LEVELS)], slope[P_ROOM(P_LEVELS)];
  P_EACH(i, P_LEVELS) at[i] = y[i] < 0 && y[i] >= -P_DOUBT ? 0 : y[i];
  p_slopes(t, time, at, slope);
  P_EACH(i, P_LEVELS)
    if (at[i] == 0 && slope[i] >= 0) y[i] = 0;
}

/* Rare work takes and gives a thread as a value, so that it stays in registers elsewhere. */
P_APART void p_record(p_thread own, double time) {
  const p_thread *const t = &own;
  double y[P_ROOM(P_LEVELS)];
  uint32_t doubtful = 0u;
  p_levels_at(t, time, y);
  P_EACH(i, P_LEVELS) doubtful |= y[i] < 0 && y[i] >= -P_DOUBT;
  if (doubtful != 0u) p_round_to_zero(t, time, y);
  p_store(t, FF_RECORD_REAL_OF(t->run, P_NUMBER, P_UNIT), y);
}

/* The group has fired, or begins. */
FF_WARP void p_draw(p_thread *t, uint32_t g) {
  const ff_philox_block at = ff_philox_counter(FF_PETRI_DRAW_FIRING, g, P_FIRED(g), P_TRAJECTORY);
  const ff_philox_block w = ff_philox(at, P_KEY);
  P_LEFT(g) = ff_exponential(w.v[0], w.v[1]);
  P_CHOICE(g) = ff_closed(w.v[2], w.v[3]);
  P_SINCE(g) = t->now;
}

/* Begins the next trajectory of the wave. If there is none, the slot is empty. */
FF_WARP void p_take(p_thread *t) {
  const uint64_t k = P_FETCH_ADD(&t->run->counters->begun, 1u);
  int fine = 1;
  t->phase = k < t->run->units ? P_BEGINS : P_EMPTY;
  if (t->phase == P_EMPTY) return;
  P_UNIT = (uint32_t)k;
  P_NUMBER = P_FIRINGS = P_STIFF = P_CALM = 0u;
  P_WANTED = t->run->times[0];
  p_use_point(t);
  p_set(t, (uint32_t)k);
  t->now = t->from = t->to = 0;
  P_REACH = P_INFINITY;
  P_NEXT = P_TRIED = P_SHORTEST = 0;
#if P_TIMED_FLOWS
  P_REAL(P_AT_TIME) = 0;
#endif
#if P_TIMED_FLOWS && P_IMPLICIT
  P_FIRST_LENGTH = 0;
#endif
  t->is = P_OWN | P_FLAT | P_STIRRED | P_FRESH; /* flat: nothing is left of a segment before */
  t->varies = t->pending = t->integrated = t->several = t->dirty = t->cells = 0u;
  p_derive(t);
  P_EACH_GROUP(g) {
    P_FIRED(g) = 0u;
    p_draw(t, g);
    P_RATE(g) = 0;
    P_CANDIDATE(g) = P_INFINITY;
    t->dirty |= P_BIT(g);
    fine &= p_sums(t, g);
  }
#if P_UNTIL
  if (p_is_over(t)) t->is |= P_OVER;
#endif
#if P_INSTANT
  fine &= p_begin_instant(t);
#endif
  if (!fine) t->phase = P_REFUSES;
}

/* The trajectory has ended, or is refused; or the slot has none yet. */
P_APART p_thread p_leave(p_thread own) {
  p_thread *const t = &own;
  const ff_launch *run = t->run;
  if (t->phase == P_NEW) {
    p_take(t);
    return own;
  }
  if (t->phase == P_REFUSES) {
    P_OR(run->refused + P_UNIT / 32u, 1u << (P_UNIT % 32u));
  } else {
    P_FETCH_ADD(&run->counters->steps, P_FIRINGS);
#if P_POINTS
    P_FETCH_ADD(run->point_steps + P_POINT, P_FIRINGS);
#endif
  }
  P_FETCH_ADD(&run->counters->complete, 1u);
  p_take(t);
  return own;
}

#if P_UNTIL
/* A condition has ended the trajectory, which keeps its state. As on the processor, this is noted when it is known what would
 * have happened next: so a trajectory that fails in the same moment is refused. */
FF_WARP int p_stop(p_thread *t) {
  FF_NO_UNROLL for (uint32_t at = P_NUMBER; at < t->run->n_times; at++) {
    P_NUMBER = at;
    p_record(*t, t->now);
  }
  t->run->stopped[P_UNIT] = t->now;
  t->phase = P_ENDS;
  return 0;
}
#endif

/* Records what the trajectory has reached: its state lasts until next_time. Returns whether it goes on. */
FF_WARP int p_serve(p_thread *t, double next_time) {
  const ff_launch *run = t->run;
#if P_UNTIL
  if (t->is & P_OVER) return p_stop(t);
#endif
  if (P_WANTED >= next_time) return 1;
  uint32_t at = P_NUMBER;
  FF_NO_UNROLL for (; at < run->n_times && run->times[at] < next_time; at++) {
    P_NUMBER = at;
    p_record(*t, run->times[at]);
  }
  if (at == run->n_times) {
    t->phase = P_ENDS;
    return 0;
  }
  P_NUMBER = at;
  P_WANTED = run->times[at];
  return 1;
}

#endif
