/* Segments: where they end at the latest, and the solver's steps. Those by the method of Dormand and Prince are here. A part of
 * ff_petri_thread.h. */
#ifndef FF_PETRI_THREAD_SOLVER_H
#define FF_PETRI_THREAD_SOLVER_H

FF_WARP void p_settle(p_thread *t, uint32_t g);
FF_WARP int p_is_constant(const p_thread *t, uint32_t g);
P_APART uint32_t p_choose_apart(p_thread own, uint32_t g, double time);
#if P_NARROW > 0u
FF_WARP uint32_t p_suspects(const p_thread *t);
#endif
#if P_GIVEN
FF_WARP void p_look_near(p_thread *t);
#endif

/* ---- the start of a segment --------------------------------------------------------------------------------------------- */

/* As ff_petri_leave_segment(): groups that vary go on with what is left of their thresholds. */
FF_WARP void p_leave_segment(p_thread *t) {
  P_EACH_GROUP(g) {
    if (!P_HAS(P_MOVING, g)) continue;
    if (!P_HAS(t->varies | t->dirty, g) && p_is_constant(t, g)) continue;
    p_settle(t, g);
    P_CANDIDATE(g) = P_INFINITY;
    t->varies &= ~P_BIT(g);
    P_RATE(g) = 0;
    t->dirty |= P_BIT(g);
  }
  t->pending = 0u;
}

/* The hazard of a group that does not vary: of the cell whose profile is 1, which is the first one. */
FF_WARP double p_constant_rate(const p_thread *t, uint32_t g) {
  return P_PROFILE_OF(P_FIRST_CELL(g)) == 0u ? P_SUM(P_FIRST_CELL(g)) : 0;
}

/* Finds the next firings of groups whose hazards are constant. */
FF_WARP void p_search_constant(p_thread *t) {
  P_EACH_GROUP(g) {
    if (!P_HAS(t->dirty, g) || (P_HAS(P_MOVING, g) && !p_is_constant(t, g))) continue;
    const double rate = P_RATE(g) = p_constant_rate(t, g);
    P_CANDIDATE(g) = rate > 0 ? P_SINCE(g) + P_LEFT(g) / rate : P_INFINITY;
    t->dirty &= ~P_BIT(g);
  }
}

/* The first candidate, or P_GROUPS. */
FF_WARP uint32_t p_first_group(const p_thread *t, double *time) {
  uint32_t first = P_GROUPS;
  *time = P_INFINITY;
  P_EACH_GROUP(g) {
    const double candidate = P_CANDIDATE(g);
    if (candidate < *time) {
      *time = candidate;
      first = g;
    }
  }
  return first;
}

/* As known_end() of petri/path/: a segment ends where a group with a constant hazard fires, if this changes a flow. */
FF_WARP double p_known_end(p_thread *t) {
  double most = ff_petri_end_of_reach(t->now, P_REACH, P_TIMED), time;
#if P_WINDOWS
  while (t->at_stop < t->n_stops && !(t->stop[t->at_stop] > t->now)) t->at_stop++;
  if (t->at_stop < t->n_stops && t->stop[t->at_stop] < most) most = t->stop[t->at_stop];
#endif
#if P_CLOCKS > 0u
  most = p_end_by_clocks(t, most);
#endif
  const uint32_t g = p_first_group(t, &time);
  if (g == P_GROUPS || !(time < most) || !(time > t->now)) return most;
  const int stirs = P_HAS(P_ALL_STIR, g) ? 1 : P_HAS(P_SOME_STIR, g) ? p_stirs(p_choose_apart(*t, g, t->now)) : 0;
  return stirs ? time : most;
}

/* The phase in which the next step is tried. */
FF_WARP uint32_t p_phase_of_steps(const p_thread *t) {
  return P_IMPLICIT == 1 && (t->is & P_IS_STIFF) != 0u ? P_STIFF_STEPS : P_STEPS;
}

/* As new_segment(). */
FF_WARP void p_begin(p_thread *t) {
  p_leave_segment(t);
  p_search_constant(t);
  if ((t->is & (P_STIRRED | P_FLAT)) == 0u) P_REACH = ff_petri_longer_reach(P_REACH, p_length(t));
#if P_WINDOWS
  if (t->at_stop < t->n_stops && t->now == t->stop[t->at_stop]) t->is |= P_STIRRED; /* given levels have a bend */
#endif
  if (t->is & P_STIRRED) {
    if ((t->is & P_FLAT) == 0u) {
      const double length = t->now - t->from;
      if (t->now < P_STEP_TO && length > 0) P_REACH = ff_petri_shorter_reach(P_REACH, length);
      p_own_levels(t);
      if (t->now >= t->from && t->now < P_STEP_TO && P_NEXT > P_TRIED) P_NEXT = P_TRIED;
    }
    t->is |= P_OWN | P_FRESH;
#if P_TIMED_FLOWS && !P_GIVEN
    P_REAL(P_AT_TIME) = t->now;
#endif
  }
  t->is = (t->is & ~(uint32_t)(P_STIRRED | P_TOLD | P_SOUGHT | P_CROSSING)) | P_FIRST_TRY;
  t->from = t->now;
#if P_GIVEN
  P_EACH(i, P_LEVELS) P_SLOPE(i) = P_END_SLOPE(i);
  p_look_near(t);
#endif
  t->integrated = t->several = 0u;
#if P_SWITCHES > 0u
  P_PART = 1;
#endif
  if (P_LOOKS_AGAIN) P_TRIES = P_PIECES_USED = 0u;
  const double most = p_known_end(t);
  P_MOST = most;
  t->phase = most > t->now ? p_phase_of_steps(t) : P_REFUSES;
}

/* ---- steps -------------------------------------------------------------------------------------------------------------- */

/* Nothing moves in this segment. */
FF_WARP void p_be_flat(p_thread *t) {
  t->is |= P_FLAT | P_OWN;
  t->to = P_TIMED_PROFILES ? P_MOST : P_INFINITY;
  t->phase = P_SEARCHES;
}

FF_WARP double p_first_step(const double *y, const double *slope) {
  double fastest = 0;
  P_EACH(i, P_LEVELS) fastest = ff_ode_larger(ff_math_absolute(slope[i]) / (P_SIZE + ff_math_absolute(y[i])), fastest);
  return ff_ode_first_step(fastest);
}

typedef double p_slopes_of[FF_ODE_EXPLICIT_STAGES][P_ROOM(P_LEVELS)];

/* What levels of other blocks make of slopes, at the times of stages; and weights of the block's own values. */
typedef struct {
  double sum[P_ROOM(P_LEVELS)][P_NODES], by[P_ROOM(P_OWN_TERMS)];
} p_given_of;

/* The slopes at a stage of a step of length h. The last two stages are at the same time. */
FF_WARP void p_stage(const p_thread *t, int stage, double h, const p_given_of *given, const double *y, double *out) {
  const double time = t->from + ff_ode_explicit_node(stage) * h;
#if P_GIVEN
  P_EACH(i, P_LEVELS) out[i] = given->sum[i][stage < (int)P_NODES ? stage : (int)P_NODES - 1];
  p_own_slopes(t, given->by, time, y, out);
#else
  (void)given;
  p_slopes(t, time, y, out);
#endif
}

/* The larger one of an error, and of the one that is found for a level, as a part of what the tolerance permits; infinity if it
 * is not a number. */
FF_WARP double p_larger_error(double error, double found, double start, double end) {
  const double most = P_RELATIVE * (P_SIZE + ff_ode_larger(ff_math_absolute(start), ff_math_absolute(end)));
  const double part = found / most;
  return part < P_INFINITY ? ff_ode_error_below(ff_ode_larger(error, part), end, P_DOUBT) : P_INFINITY;
}

/* The largest error of a level. */
FF_WARP double p_error(const double *start, const double *end, double h, const p_slopes_of k) {
  double error = 0;
  P_EACH(i, P_LEVELS) {
    const double of[FF_ODE_EXPLICIT_STAGES] = {k[0][i], k[1][i], k[2][i], k[3][i], k[4][i], k[5][i], k[6][i]};
    error = p_larger_error(error, ff_ode_explicit_error(h, of), start[i], end[i]);
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

/* Whether a step is fast: see ff_ode_count_stiff(). If no level moves fast compared with how far its last stages are apart, the
 * largest quotients need not be computed; 2^-10 is more than rounding errors. */
FF_WARP int p_is_fast(double h, const double *at, const double *end, const double *k5, const double *k6) {
  int slow = 1;
  P_EACH(i, P_LEVELS)
    slow &= h * ff_math_absolute(k6[i] - k5[i]) < (FF_ODE_STIFF_BORDER - 0x1p-10) * ff_math_absolute(end[i] - at[i]);
  return !slow && h * p_speed(at, end, k5, k6) > FF_ODE_STIFF_BORDER;
}

/* Counts a step that was accepted: see ff_ode_count_stiff(). */
FF_WARP void p_count_stiff(p_thread *t, ff_ode_pace *pace, int fast, int explicit_step) {
  ff_ode_count_stiff(pace, fast, explicit_step);
  P_STIFF = pace->stiff;
  P_CALM = pace->calm;
  if (P_IMPLICIT) t->is = pace->stiff == FF_ODE_STIFF_STEPS ? t->is | P_IS_STIFF : t->is & ~(uint32_t)P_IS_STIFF;
}

/* A step of length h was accepted. */
FF_WARP void p_end_step(p_thread *t, double h, int limited) {
  t->to = limited ? P_MOST : t->from + h;
  t->is &= ~(uint32_t)(P_FRESH | P_FLAT | P_OWN | P_BY_IMPLICIT);
#if P_TIMED_FLOWS && !P_GIVEN
  P_REAL(P_AT_TIME) = t->from + h;
#endif
}

FF_WARP void p_set_curve(const p_thread *t, uint32_t i, const double *c) {
  P_REAL(P_AT_CURVE + P_CURVE * i) = c[0];
  P_REAL(P_AT_CURVE + P_CURVE * i + 1u) = c[2];
  P_REAL(P_AT_CURVE + P_CURVE * i + 2u) = c[3];
  P_REAL(P_AT_CURVE + P_CURVE * i + 3u) = c[4];
}

FF_WARP void p_accept(p_thread *t, double h, int limited, const double *y, const double *end, const p_slopes_of k) {
  double fires = P_INFINITY;
  p_end_step(t, h, limited);
#if P_GIVEN
  P_EACH(i, P_LEVELS) P_END_SLOPE(i) = k[6][i];
#endif
  if (!P_DENSE) p_first_group(t, &fires);
  P_EACH(i, P_LEVELS) {
    const double of[FF_ODE_EXPLICIT_STAGES] = {k[0][i], k[1][i], k[2][i], k[3][i], k[4][i], k[5][i], k[6][i]};
    if (P_DENSE || P_WANTED < t->to || fires < t->to) {
      double c[FF_ODE_DENSE];
      ff_ode_explicit_dense(h, y[i], end[i], of, c);
      p_set_curve(t, i, c);
    }
    P_Y(i) = end[i];
  }
}

/* All stages of a step but the first: slopes, the levels at the last stage before the end, and at the end. */
FF_WARP void p_stages(const p_thread *t, double h, const p_given_of *given, const double *y, p_slopes_of k, double *at,
                      double *end) {
  P_EACH(i, P_LEVELS) at[i] = ff_ode_explicit_1(y[i], h, k[0][i]);
  p_stage(t, 1, h, given, at, k[1]);
  P_EACH(i, P_LEVELS) at[i] = ff_ode_explicit_2(y[i], h, k[0][i], k[1][i]);
  p_stage(t, 2, h, given, at, k[2]);
  P_EACH(i, P_LEVELS) at[i] = ff_ode_explicit_3(y[i], h, k[0][i], k[1][i], k[2][i]);
  p_stage(t, 3, h, given, at, k[3]);
  P_EACH(i, P_LEVELS) at[i] = ff_ode_explicit_4(y[i], h, k[0][i], k[1][i], k[2][i], k[3][i]);
  p_stage(t, 4, h, given, at, k[4]);
  P_EACH(i, P_LEVELS) at[i] = ff_ode_explicit_5(y[i], h, k[0][i], k[1][i], k[2][i], k[3][i], k[4][i]);
  p_stage(t, 5, h, given, at, k[5]);
  P_EACH(i, P_LEVELS) end[i] = ff_ode_explicit_6(y[i], h, k[0][i], k[2][i], k[3][i], k[4][i], k[5][i]);
  p_stage(t, 6, h, given, end, k[6]);
}

/* Whether nothing fires or is recorded until the end of the step, and nothing limits the next segment. Then p_search() and
 * p_begin() would change only what p_try() sets here. */
FF_WARP int p_goes_straight_on(const p_thread *t) {
  double time;
  if (P_DENSE || P_TIMED || P_WANTED < t->to || P_REACH < P_INFINITY) return 0;
  p_first_group(t, &time);
  return time > t->to;
}

/* What comes after a step. */
FF_WARP void p_go_on_after_step(p_thread *t) {
#if P_NARROW > 0u
  P_ASKED = p_suspects(t);
  t->phase = P_ASKED != 0u ? P_LOOKS : P_SEARCHES;
#else
  t->phase = P_SEARCHES;
  if (p_goes_straight_on(t)) {
    t->now = t->from = t->to;
    t->is |= P_FIRST_TRY;
    t->phase = p_phase_of_steps(t);
  }
#endif
}

/* The lengths after a try with this error. Returns whether it is accepted. */
FF_WARP int p_set_pace(const p_thread *t, ff_ode_pace *pace, const ff_ode_plan *plan, double error, int accepted) {
  ff_ode_next_length(pace, plan, ff_ode_factor(error, 5, accepted), accepted);
  P_NEXT = pace->next;
  P_TRIED = pace->tried;
  P_SHORTEST = accepted && pace->tried < pace->shortest ? pace->tried : pace->shortest;
  return accepted;
}

/* A step is tried: a plan, the levels, and the slopes at its start. */
FF_WARP void p_try(p_thread *t, ff_ode_pace pace, const ff_ode_plan *plan, const p_given_of *given, const double *y,
                   p_slopes_of k) {
  double at[P_ROOM(P_LEVELS)], end[P_ROOM(P_LEVELS)];
  const double h = pace.tried;
  p_stages(t, h, given, y, k, at, end);
  const double error = p_error(y, end, h, k);
  /* Steps that become too short, rates that are no numbers, and stiff equations without the code for implicit steps. */
  if (plan->least || !(error < P_INFINITY) || (P_AUTO && !P_IMPLICIT && pace.stiff == FF_ODE_STIFF_STEPS)) {
    t->phase = P_REFUSES;
    return;
  }
  if (!p_set_pace(t, &pace, plan, error, error <= 1)) return;
  if (P_AUTO) p_count_stiff(t, &pace, p_is_fast(h, at, end, k[5], k[6]), 1);
  p_accept(t, h, plan->limited, y, end, k);
  p_go_on_after_step(t);
}

/* Plans a step from the levels y. The slopes at its start are read if there was none before. */
FF_WARP void p_plan(const p_thread *t, ff_ode_pace *pace, ff_ode_plan *plan, const double *y, const double *slope) {
  pace->next = P_NEXT;
  pace->shortest = P_SHORTEST;
  pace->jumps = 0u;
  pace->stiff = P_STIFF;
  pace->calm = P_CALM;
  if (!(pace->next > 0)) pace->next = pace->shortest = p_first_step(y, slope);
  plan->most = P_MOST;
  ff_ode_plan_step(pace, plan, t->from, FF_ODE_LEAST_STEP, (t->is & P_FRESH) != 0u);
}

#if !P_GIVEN
/* The time of the slopes at the start of a step: those of the last stage of the step before. They are computed again, which takes
 * less room than to keep them. */
FF_WARP double p_first_time(const p_thread *t) {
#if P_TIMED_FLOWS
  return P_REAL(P_AT_TIME);
#else
  return t->from;
#endif
}

/* Whether nothing moves in the segment that begins. */
FF_WARP int p_stands_still(p_thread *t, const double *slope) {
  int still = !P_TIMED_FLOWS && (t->is & P_FIRST_TRY) != 0u;
  P_EACH(i, P_LEVELS) still &= slope[i] == 0;
  if (still) p_be_flat(t);
  t->is &= ~(uint32_t)P_FIRST_TRY;
  return still;
}

#if P_IMPLICIT
P_APART p_thread p_step_implicitly(p_thread own);
#endif

/* Tries a step. With given levels, ../windows/ff_petri_sweep_step.h does it. */
FF_WARP void p_step(p_thread *t) {
#if P_IMPLICIT == 2
  *t = p_step_implicitly(*t);
#else
  double k[FF_ODE_EXPLICIT_STAGES][P_ROOM(P_LEVELS)], y[P_ROOM(P_LEVELS)];
  ff_ode_pace pace;
  ff_ode_plan plan;
  P_EACH(i, P_LEVELS) y[i] = P_Y(i);
  p_slopes(t, p_first_time(t), y, k[0]);
  if (p_stands_still(t, k[0])) return;
  p_plan(t, &pace, &plan, y, k[0]);
  p_try(t, pace, &plan, 0, y, k);
#endif
}

FF_WARP void p_steps(p_thread *t, int steps) {
  if (steps) p_step(t);
}
#endif

#endif
