/* Steps of blocks. A part of ff_petri_sweep.h. */
#ifndef FF_PETRI_SWEEP_STEP_H
#define FF_PETRI_SWEEP_STEP_H

#if P_GIVEN
/* Lanes try their steps. Given levels at all stages are read first: they do not depend on own ones. The slopes at the start
 * are those of the last stage of the step before, unless that was another solution. */
FF_WARP void p_steps(p_thread *t, int steps) {
  double k[FF_ODE_EXPLICIT_STAGES][P_ROOM(P_LEVELS)], y[P_ROOM(P_LEVELS)];
  ff_ode_pace pace;
  ff_ode_plan plan;
  p_given_of given;
  int plans = steps;
  if (steps) {
    P_EACH(i, P_LEVELS) y[i] = P_Y(i);
    P_EACH(i, P_LEVELS) k[0][i] = P_SLOPE(i);
    if (!(P_NEXT > 0)) p_slopes(t, t->from, y, k[0]);
  }
  FF_NO_UNROLL do {
    if (plans) p_plan(t, &pace, &plan, y, k[0]);
    const int fine = p_reads(t, plans, pace.tried, given.sum[0]);
    if (plans && !fine) {
      const double to = plan.limited ? plan.most : t->from + pace.tried, end = p_shorter(t, to, pace.tried);
      plans = end < to;
      if (plans) P_MOST = end;
    } else {
      plans = 0;
    }
  } while (P_WHO(plans) != 0u);
  if (!steps) return;
  p_own_weights(t, given.by);
  if ((t->is & (P_FRESH | P_FIRST_TRY)) == (P_FRESH | P_FIRST_TRY)) {
    p_stage(t, 0, 0, &given, y, k[0]);
    P_EACH(i, P_LEVELS) P_SLOPE(i) = k[0][i];
  }
  t->is &= ~(uint32_t)P_FIRST_TRY;
  p_try(t, pace, &plan, &given, y, k);
}
#endif

#endif
