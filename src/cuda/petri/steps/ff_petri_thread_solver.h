/* Segments: where they end at the latest, and the solver's steps, by the method of Dormand and Prince. A part of
 * ff_petri_thread.h. */
#ifndef FF_PETRI_THREAD_SOLVER_H
#define FF_PETRI_THREAD_SOLVER_H

FF_WARP void p_settle(p_thread *t, uint32_t g);
FF_WARP int p_is_constant(const p_thread *t, uint32_t g);
FF_WARP uint32_t p_choose(const p_thread *t, uint32_t g, double time);
#if P_NARROW > 0u
FF_WARP uint32_t p_suspects(const p_thread *t);
#endif

/* ---- the begin of a segment ------------------------------------------------------------------------------------------------ */

/* As ff_petri_leave_segment(): groups that vary go on with what is left of their thresholds. */
FF_WARP void p_leave_segment(p_thread *t) {
  P_EACH(g, P_GROUPS) {
    if (!P_HAS(P_MOVING, g)) continue;
    if (!P_HAS(t->varies | t->dirty, g) && p_is_constant(t, g)) continue;
    p_settle(t, g);
    t->candidate[g] = P_INFINITY;
    t->varies &= ~((uint64_t)1 << g);
    t->rate[g] = 0;
    t->dirty |= (uint64_t)1 << g;
  }
  t->pending = 0u;
}

/* Finds the next firings of groups whose hazards are constant. */
FF_WARP void p_search_constant(p_thread *t) {
  P_EACH(g, P_GROUPS) {
    double rate = 0;
    if (!P_HAS(t->dirty, g) || (P_HAS(P_MOVING, g) && !p_is_constant(t, g))) continue;
    P_EACH(c, P_CELLS)
      if (P_GROUP_OF(c) == g && P_PROFILE_OF(c) == 0u && t->sum[c] != 0) rate += t->sum[c];
    t->rate[g] = rate;
    t->whole[g] = -1;
    t->candidate[g] = rate > 0 ? t->since[g] + t->left[g] / rate : P_INFINITY;
    t->dirty &= ~((uint64_t)1 << g);
  }
}

/* The first candidate, or P_GROUPS. */
FF_WARP uint32_t p_first_group(const p_thread *t, double *time) {
  uint32_t first = P_GROUPS;
  *time = P_INFINITY;
  P_EACH(g, P_GROUPS)
    if (t->candidate[g] < *time) {
      *time = t->candidate[g];
      first = g;
    }
  return first;
}

/* As known_end() of petri/path/: a segment ends where a group with a constant hazard fires, if this changes a flow. */
FF_WARP double p_known_end(const p_thread *t) {
  const double most = ff_petri_end_of_reach(t->now, t->reach, P_TIMED);
  double time;
  const uint32_t g = p_first_group(t, &time);
  if (g == P_GROUPS || !(time < most) || !(time > t->now)) return most;
  const int stirs = P_HAS(P_ALL_STIR, g) ? 1 : P_HAS(P_SOME_STIR, g) ? p_stirs(p_choose(t, g, t->now)) : 0;
  return stirs ? time : most;
}

/* As new_segment(). */
FF_WARP void p_begin(p_thread *t) {
  p_leave_segment(t);
  p_search_constant(t);
  if (!t->stirred && !t->flat) t->reach = ff_petri_longer_reach(t->reach, t->length);
  if (t->stirred) {
    if (!t->flat) {
      const double length = t->now - t->from;
      if (t->now < t->to && length > 0) t->reach = ff_petri_shorter_reach(t->reach, length);
      p_own_levels(t);
      if (t->now >= t->from && t->now < t->to && t->pace.next > t->pace.tried) t->pace.next = t->pace.tried;
    }
    t->own = t->fresh = 1u;
    t->slope_time = t->now;
  }
  t->stirred = 0u;
  t->from = t->now;
  t->begins = 1u;
  t->tries = 0u;
  t->pieces = 0u;
  P_EACH(k, P_PROFILES) t->n[k] = 0u;
  t->most = p_known_end(t);
  t->phase = t->most > t->now ? P_STEPS : P_REFUSES;
}

/* ---- steps ---------------------------------------------------------------------------------------------------------------- */

/* Nothing moves in this segment. */
FF_WARP void p_be_flat(p_thread *t) {
  t->flat = t->own = 1u;
  t->to = t->limit = P_TIMED_PROFILES ? t->most : P_INFINITY;
  t->length = t->to - t->from;
  t->phase = P_SEARCHES;
}

FF_WARP void p_set_first_step(p_thread *t, const double *slope) {
  double fastest = 0;
  P_EACH(i, P_LEVELS)
    fastest = ff_ode_larger(ff_math_absolute(slope[i]) / (P_SIZE + ff_math_absolute(t->y[i])), fastest);
  t->pace.next = t->pace.shortest = ff_ode_first_step(fastest);
}

/* The slopes at a stage of a step of length h. */
FF_WARP void p_stage(const p_thread *t, int stage, double h, const double *y, double *out) {
  p_slopes(t, t->from + ff_ode_explicit_node(stage) * h, y, out);
}

/* The largest error of a level, as a part of what the tolerance permits; infinity if it is not a number. */
FF_WARP double p_error(const double *start, const double *end, double h, const double (*k)[P_ROOM(P_LEVELS)]) {
  double error = 0;
  P_EACH(i, P_LEVELS) {
    const double of[FF_ODE_EXPLICIT_STAGES] = {k[0][i], k[1][i], k[2][i], k[3][i], k[4][i], k[5][i], k[6][i]};
    const double most = P_RELATIVE * (P_SIZE + ff_ode_larger(ff_math_absolute(start[i]), ff_math_absolute(end[i])));
    const double part = ff_ode_explicit_error(h, of) / most;
    error = part < P_INFINITY ? ff_ode_larger(error, part) : P_INFINITY;
  }
  return error;
}

/* As ff_ode_explicit_speed(). */
FF_WARP double p_speed(const double *at, const double *end, const double *k5, const double *k6) {
  double by = 0, apart = 0;
  P_EACH(i, P_LEVELS) {
    const double size = P_SIZE + ff_math_absolute(end[i]);
    by = ff_ode_larger(by, ff_math_absolute(k6[i] - k5[i]) / size);
    apart = ff_ode_larger(apart, ff_math_absolute(end[i] - at[i]) / size);
  }
  return apart > 0 ? by / apart : 0;
}

FF_WARP double p_root(double error) {
  double size;
  return error >= 0x1p-1022 ? ff_pow_normal(error, -1.0 / 5, &size) : P_INFINITY;
}

/* A step of length pace.tried was accepted. */
FF_WARP void p_accept(p_thread *t, const ff_ode_plan *plan, const double *end, const double (*k)[P_ROOM(P_LEVELS)]) {
  const double h = t->pace.tried;
  if (h < t->pace.shortest) t->pace.shortest = h;
  t->to = t->limit = plan->limited ? t->most : t->from + h;
  t->length = t->to - t->from;
  t->slope_time = t->from + h;
  t->fresh = t->flat = t->own = 0u;
  double fires;
  if (!P_DENSE) p_first_group(t, &fires);
  P_EACH(i, P_LEVELS) {
    const double of[FF_ODE_EXPLICIT_STAGES] = {k[0][i], k[1][i], k[2][i], k[3][i], k[4][i], k[5][i], k[6][i]};
    if (P_DENSE || t->wanted < t->to || fires < t->to)
      ff_ode_explicit_dense(h, t->y[i], end[i], of, t->dense + FF_ODE_DENSE * i);
    t->y[i] = end[i];
  }
}

/* Tries a step. The slopes at its begin are those of the last stage before, computed again: this takes fewer registers than to keep
 * them. */
FF_WARP void p_step(p_thread *t) {
  double k[FF_ODE_EXPLICIT_STAGES][P_ROOM(P_LEVELS)], at[P_ROOM(P_LEVELS)], end[P_ROOM(P_LEVELS)];
  ff_ode_plan plan;
  int still = !P_TIMED_FLOWS;
  p_slopes(t, t->slope_time, t->y, k[0]);
  P_EACH(i, P_LEVELS) still &= k[0][i] == 0;
  if (t->begins && still) {
    p_be_flat(t);
    return;
  }
  t->begins = 0u;
  if (P_AUTO && t->pace.stiff == FF_ODE_STIFF_STEPS) {
    t->phase = P_REFUSES;
    return;
  }
  if (!(t->pace.next > 0)) p_set_first_step(t, k[0]);
  plan.most = t->most;
  ff_ode_plan_step(&t->pace, &plan, t->from, FF_ODE_LEAST_STEP, (int)t->fresh);
  const double h = t->pace.tried, *y = t->y;
  P_EACH(i, P_LEVELS) at[i] = ff_ode_explicit_1(y[i], h, k[0][i]);
  p_stage(t, 1, h, at, k[1]);
  P_EACH(i, P_LEVELS) at[i] = ff_ode_explicit_2(y[i], h, k[0][i], k[1][i]);
  p_stage(t, 2, h, at, k[2]);
  P_EACH(i, P_LEVELS) at[i] = ff_ode_explicit_3(y[i], h, k[0][i], k[1][i], k[2][i]);
  p_stage(t, 3, h, at, k[3]);
  P_EACH(i, P_LEVELS) at[i] = ff_ode_explicit_4(y[i], h, k[0][i], k[1][i], k[2][i], k[3][i]);
  p_stage(t, 4, h, at, k[4]);
  P_EACH(i, P_LEVELS) at[i] = ff_ode_explicit_5(y[i], h, k[0][i], k[1][i], k[2][i], k[3][i], k[4][i]);
  p_stage(t, 5, h, at, k[5]);
  P_EACH(i, P_LEVELS) end[i] = ff_ode_explicit_6(y[i], h, k[0][i], k[1][i], k[2][i], k[3][i], k[4][i], k[5][i]);
  p_stage(t, 6, h, end, k[6]);
  const double error = p_error(y, end, h, k);
  const int accepted = error <= 1;
  if (plan.least || !(error < P_INFINITY)) { /* steps that become too short, or rates that are no numbers */
    t->phase = P_REFUSES;
    return;
  }
  ff_ode_next_length(&t->pace, &plan, ff_ode_factor_of_root(error, p_root(error), accepted), accepted);
  if (!accepted) return;
  if (P_AUTO) ff_ode_count_stiff(&t->pace, h * p_speed(at, end, k[5], k[6]) > FF_ODE_STIFF_BORDER, 1);
  p_accept(t, &plan, end, k);
#if P_NARROW > 0u
  t->asked = p_suspects(t);
  t->phase = t->asked != 0u ? P_LOOKS : P_SEARCHES;
#else
  t->phase = P_SEARCHES;
#endif
}

#endif
