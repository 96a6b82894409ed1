/* Firings. A part of ff_petri_thread.h. */
#ifndef FF_PETRI_THREAD_FIRE_H
#define FF_PETRI_THREAD_FIRE_H

/* Lists a firing. */
FF_WARP void p_list(const p_thread *t, uint32_t m) {
  const ff_fired fired = {t->unit, p_number(m), t->now};
  t->run->fired[P_FETCH_ADD(&t->run->counters->fired, 1u)] = fired;
}

/* The transition m of group g fires now. */
FF_WARP void p_let_fire(p_thread *t, uint32_t g, uint32_t m) {
  int fine = 1;
  t->firings++;
  P_EACH(of, P_GROUPS) if (of == g) {
    t->fired[of]++;
    p_draw(t, of);
    t->dirty |= (uint64_t)1 << of;
    t->pending &= ~((uint64_t)1 << of);
  }
  if (P_FIRINGS) p_list(t, m);
  const uint32_t changes = p_change(t, m, t->now);
  if (p_derive(t) || (changes & P_CHANGES_STIR) != 0u) t->stirred = 1u;
  P_EACH(of, P_GROUPS) if (of == g) fine &= p_sums(t, of);
  if (!fine || (changes & P_CHANGES_FAIL) != 0u || t->firings >= P_LARGEST)
    t->phase = P_REFUSES;
  else
    t->phase = t->stirred || !(t->now < t->limit) ? P_BEGINS : P_SEARCHES;
}

/* Finds the next firing, and lets it happen. */
FF_WARP void p_fire(p_thread *t) {
  double time;
  P_EACH(g, P_GROUPS) {
    if (!P_HAS(t->pending, g)) continue;
    t->candidate[g] = p_time_of_firing(t, g);
    t->pending &= ~((uint64_t)1 << g);
  }
  const uint32_t g = p_first_group(t, &time);
  const uint32_t m = p_choose(t, g, time);
  if (!p_serve(t, time)) return;
  t->now = time;
  p_let_fire(t, g, m);
}

#endif
