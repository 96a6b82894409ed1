/* Firings. A part of ff_petri_thread.h. */
#ifndef FF_PETRI_THREAD_FIRE_H
#define FF_PETRI_THREAD_FIRE_H

#if P_WINDOWS
FF_WARP void p_tell_firing(p_thread *t, uint32_t m);
#else
FF_WARP uint32_t p_number(uint32_t m);

/* Lists a firing. */
FF_WARP void p_list(const p_thread *t, uint32_t m) {
  const ff_fired fired = {P_UNIT, p_number(m), t->now};
  t->run->fired[P_FETCH_ADD(&t->run->counters->fired, 1u)] = fired;
}
#endif

/* The transition m fires now. Returns 0 if the trajectory is refused. */
FF_WARP int p_happen(p_thread *t, uint32_t m) {
  P_FIRINGS++;
#if !P_WINDOWS
  if (P_LISTS) p_list(t, m);
#endif
  const uint32_t changes = p_change(t, m, t->now);
  if (p_derive(t) || (changes & P_CHANGES_STIR) != 0u) t->is |= P_STIRRED;
#if P_UNTIL
  if (p_is_over(t)) t->is |= P_OVER;
#endif
  return (changes & P_CHANGES_FAIL) == 0u && P_FIRINGS < P_LARGEST;
}

FF_WARP uint32_t p_phase_after(const p_thread *t) {
  return (t->is & P_STIRRED) != 0u || !(t->now < t->to) ? P_BEGINS : P_SEARCHES;
}

/* The transition m of group g fires now. */
FF_WARP void p_let_fire(p_thread *t, uint32_t g, uint32_t m) {
  P_FIRED(g)++;
  p_draw(t, g);
  t->dirty |= P_BIT(g);
  const int fine = p_happen(t, m);
  t->phase = p_sums(t, g) && fine ? p_phase_after(t) : P_REFUSES;
#if P_WINDOWS
  p_tell_firing(t, m);
#endif
}

#if !P_INSTANT
/* Finds the next firing, and lets it happen. */
FF_WARP void p_fire(p_thread *t) {
  double time;
  P_EACH_GROUP(g) {
    if (!P_HAS(t->pending, g)) continue;
    P_CANDIDATE(g) = p_time_of_firing(t, g);
  }
  t->pending = 0u;
  const uint32_t g = p_first_group(t, &time);
  const uint32_t m = p_choose(t, g, time);
  if (!p_serve(t, time)) return;
  t->now = time;
  p_let_fire(t, g, m);
}
#endif

#endif
