/* Steps of blocks. Lanes of a block of the net read given levels side by side, and one of them makes the steps. A part of
 * ff_petri_sweep.h. */
#ifndef FF_PETRI_SWEEP_STEP_H
#define FF_PETRI_SWEEP_STEP_H

/* A step that is about to be tried. */
typedef struct {
  ff_ode_pace pace;
  ff_ode_plan plan;
} p_planned;

/* A thread whose phase is P_STEPS. */
FF_WARP void p_plan_step(p_thread *t, p_planned *x) {
  double y[P_ROOM(P_LEVELS)], slope[P_ROOM(P_LEVELS)] = {0};
  P_EACH(i, P_LEVELS) y[i] = P_Y(i);
  if (!(P_NEXT > 0)) p_slopes(t, t->from, y, slope);
  p_plan(t, &x->pace, &x->plan, y, slope);
}

FF_WARP void p_times_of(double from, double h, double *time) {
  P_EACH(i, P_NODES) time[i] = from + ff_ode_explicit_node((int)i) * h;
}

#if P_GIVEN
/* Room of a block of the net: a number for each term and time, and for each level and time. */
#define P_SHARED_NUMBERS ((P_TERMS + P_LEVELS) * P_NODES)

#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
/* Lanes of a block of the net compute what given levels make of its slopes. All lanes of a warp call this. */
FF_WARP void p_share_given(p_thread *t, double h) {
  const uint32_t lanes = t->net->lanes, me = threadIdx.x % lanes, leader = (threadIdx.x & 31u) - me;
  if (lanes == 1u) return;
  const int steps = __shfl_sync(0xFFFFFFFFu, (int)(t->phase == P_STEPS), leader);
  p_thread of = *t;
  of.block = __shfl_sync(0xFFFFFFFFu, t->block, leader);
  of.from = __shfl_sync(0xFFFFFFFFu, t->from, leader);
  of.word = t->word - me;
  h = __shfl_sync(0xFFFFFFFFu, h, leader);
  if (steps) {
    const uint32_t first = p_terms(&of, 0u)[0], end = p_terms(&of, P_LEVELS)[0];
    double time[P_NODES];
    p_times_of(of.from, h, time);
    FF_NO_UNROLL for (uint32_t term = first + me; term < end; term += lanes) {
      const uint32_t value = t->net->linear_value[term];
      if (value < P_LEVELS) continue;
      const double by = t->net->linear_by[term];
      double x[P_NODES];
      p_read(&of, p_source_of(&of, value - P_LEVELS), time, P_NODES, x);
      P_EACH(i, P_NODES) t->shared[(term - first) * P_NODES + i] = by * x[i];
    }
  }
  __syncwarp();
  if (steps) {
    const uint32_t first = p_terms(&of, 0u)[0];
    FF_NO_UNROLL for (uint32_t q = me; q < P_LEVELS * P_NODES; q += lanes) {
      const uint32_t *terms = p_terms(&of, q / P_NODES);
      double sum = 0;
      FF_NO_UNROLL for (uint32_t term = terms[0]; term < terms[1]; term++) sum += t->shared[(term - first) * P_NODES + q % P_NODES];
      t->shared[P_TERMS * P_NODES + q] = sum;
    }
  }
  __syncwarp();
}
#else
FF_WARP void p_share_given(p_thread *t, double h) {
  (void)t;
  (void)h;
}
#endif

FF_WARP void p_take_given(const p_thread *t, double h, p_given_of *out) {
  p_own_weights(t, out->by);
  if (t->net->lanes == 1u) {
    double time[P_NODES];
    p_times_of(t->from, h, time);
    P_EACH(i, P_LEVELS) p_given_slopes(t, i, time, P_NODES, out->sum[i]);
  } else {
    P_EACH(i, P_LEVELS) P_EACH(k, P_NODES) out->sum[i][k] = t->shared[P_TERMS * P_NODES + i * P_NODES + k];
  }
}

/* Tries the step. The slopes at its start are those of the last stage of the step before, unless that was another solution. */
FF_WARP void p_step(p_thread *t, const p_planned *x) {
  double k[FF_ODE_EXPLICIT_STAGES][P_ROOM(P_LEVELS)], y[P_ROOM(P_LEVELS)];
  p_given_of given;
  P_EACH(i, P_LEVELS) y[i] = P_Y(i);
  p_take_given(t, x->pace.tried, &given);
  if ((t->is & (P_FRESH | P_FIRST_TRY)) == (P_FRESH | P_FIRST_TRY)) {
    p_stage(t, 0, 0, &given, y, k[0]);
    P_EACH(i, P_LEVELS) P_SLOPE(i) = k[0][i];
  } else {
    P_EACH(i, P_LEVELS) k[0][i] = P_SLOPE(i);
  }
  t->is &= ~(uint32_t)P_FIRST_TRY;
  p_try(t, x->pace, &x->plan, &given, y, k);
}
#endif

#endif
