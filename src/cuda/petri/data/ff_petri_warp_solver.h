/* Segments: where they end at the latest, and the solver's steps. Those by the method of Dormand and Prince are here. A part of
 * ff_petri_warp.h. Lanes share the flows of a stage, and then the levels. */
#ifndef FF_PETRI_WARP_SOLVER_H
#define FF_PETRI_WARP_SOLVER_H

/* ---- groups whose hazards are constant ---------------------------------------------------------------------------------- */

/* The next cell of a group, from c on, whose coefficients are not 0 and whose profile is not 1; or its end. */
FF_WARP uint32_t w_next_cell(const w_warp *w, uint32_t g, uint32_t c) {
  const ff_petri_image *m = w->image;
  const uint32_t end = m->cell_first[g + 1u];
  FF_NO_UNROLL while (c < end && !(m->cell_profile[c] != 0u && W_SUM(w, c) != 0)) c++;
  return c;
}

#define W_EACH_CELL(c, w, g)                                                                                   \
  FF_NO_UNROLL for (uint32_t c = w_next_cell((w), (g), (w)->image->cell_first[g]); c < (w)->image->cell_first[(g) + 1u]; \
                    c = w_next_cell((w), (g), c + 1u))

/* Whether the hazard of a group depends on counts alone, as its coefficients are now. */
FF_WARP int w_is_constant(const w_warp *w, uint32_t g) {
  return w_next_cell(w, g, w->image->cell_first[g]) == w->image->cell_first[g + 1u];
}

/* The hazard of cells whose profile is 1. */
FF_WARP double w_constant_rate(const w_warp *w, uint32_t g) {
  const ff_petri_image *m = w->image;
  double rate = 0;
  FF_NO_UNROLL for (uint32_t c = m->cell_first[g]; c < m->cell_first[g + 1u]; c++)
    if (m->cell_profile[c] == 0u && W_SUM(w, c) != 0) rate += W_SUM(w, c);
  return rate;
}

/* The group that fires first; of several at the same time, the one with the smallest number. */
FF_WARP uint32_t w_first_group(const w_warp *w, double *time) {
  FF_LANE_IN;
  FF_LANE_VAR(double, least);
  FF_LANE_VAR(uint32_t, which);
  uint32_t out;
  FF_EACH_LANE {
    FF_L(least) = W_INFINITY;
    FF_L(which) = W_NONE;
    for (uint32_t g = lane; g < w->image->n_groups; g += 32u)
      if (W_GROUP(w, W_CANDIDATE, g) < FF_L(least)) {
        FF_L(least) = W_GROUP(w, W_CANDIDATE, g);
        FF_L(which) = g;
      }
  }
  FF_NO_UNROLL for (uint32_t bit = 1u; bit < 32u; bit *= 2u) {
    FF_LANE_VAR(double, other);
    FF_LANE_VAR(uint32_t, there);
    FF_EXCHANGE(other, least, bit);
    FF_EXCHANGE(there, which, bit);
    FF_EACH_LANE if (FF_L(other) < FF_L(least) || (FF_L(other) == FF_L(least) && FF_L(there) < FF_L(which))) {
      FF_L(least) = FF_L(other);
      FF_L(which) = FF_L(there);
    }
  }
  FF_FIRST_LANE(*time, least);
  FF_FIRST_LANE(out, which);
  return out;
}

/* ---- the start of a segment --------------------------------------------------------------------------------------------- */

FF_WARP void w_settle(const w_warp *w, uint32_t g);
FF_WARP uint32_t w_choose(const w_warp *w, uint32_t g, double time);

/* As ff_petri_leave_segment(): a group that varies goes on with what is left of its threshold. Then the next firing of a group
 * whose hazard is constant is found. */
FF_WARP void w_leave_segment(const w_warp *w, uint32_t g) {
  const uint32_t moves = w->image->group_is[g] & FF_PETRI_IMAGE_MOVES;
  const int constant = moves == 0u || w_is_constant(w, g);
  if (moves != 0u && (W_BITS(w, g) != 0u || !constant)) {
    w_settle(w, g);
    W_GROUP(w, W_CANDIDATE, g) = W_INFINITY;
    W_GROUP(w, W_RATE, g) = 0;
    W_BITS(w, g) = W_DIRTY;
  }
  if ((W_BITS(w, g) & W_DIRTY) == 0u || !constant) return;
  const double rate = W_GROUP(w, W_RATE, g) = w_constant_rate(w, g);
  W_GROUP(w, W_CANDIDATE, g) = rate > 0 ? W_GROUP(w, W_SINCE, g) + W_GROUP(w, W_LEFT, g) / rate : W_INFINITY;
  W_BITS(w, g) = 0u;
}

/* As known_end() of petri/path/: a segment ends where a group with a constant hazard fires, if this changes a flow. */
FF_WARP double w_known_end(const w_warp *w) {
  const ff_petri_image *m = w->image;
  const double most = ff_petri_end_of_reach(w->s.now, w->s.reach, (m->timed_flows | m->timed_profiles) != 0u);
  double time;
  const uint32_t g = w_first_group(w, &time);
  if (g == W_NONE || !(time < most) || !(time > w->s.now)) return most;
  if ((m->group_is[g] & FF_PETRI_IMAGE_ALL_STIR) != 0u) return time;
  if ((m->group_is[g] & FF_PETRI_IMAGE_SOME_STIR) == 0u) return most;
  return m->transition_stirs[w_choose(w, g, w->s.now)] ? time : most;
}

/* As new_segment(). */
FF_WARP void w_begin(w_warp *w) {
  FF_LANE_IN;
  w_kept *const s = &w->s;
  W_EACH(g, w->image->n_groups) w_leave_segment(w, g);
  FF_SYNCWARP();
  if ((s->is & (W_STIRRED | W_FLAT)) == 0u) s->reach = ff_petri_longer_reach(s->reach, w_length(w));
  if ((s->is & W_STIRRED) != 0u) {
    if ((s->is & W_FLAT) == 0u) {
      const double length = s->now - s->from;
      if (s->now < s->to && length > 0) s->reach = ff_petri_shorter_reach(s->reach, length);
      w_own_levels(w);
      if (s->now >= s->from && s->now < s->to && s->next > s->tried) s->next = s->tried;
    }
    s->is = (s->is | W_OWN | W_FRESH) & ~(uint32_t)W_HAS_SLOPE;
  }
  s->is = (s->is | W_FIRST) & ~(uint32_t)(W_STIRRED | W_IS_OPEN);
  s->from = s->now;
  s->segment++;
  s->tries = s->pieces = 0u;
  s->low = 0u;
  s->high = w->image->n_groups;
  s->most = w_known_end(w);
  s->phase = s->most > s->now ? W_STEPS : W_REFUSES;
}

/* ---- slopes ------------------------------------------------------------------------------------------------------------- */

/* The rates of all flows, for the levels of a row. */
FF_WARP void w_rates(w_warp *w, uint32_t row, double time) {
  FF_LANE_IN;
  const ff_petri_image *m = w->image;
  const w_point at = w_at_row(row, time, 0u);
  W_EACH(f, m->n_flows) {
    const double rate = w_value(w, &m->flow[f], at);
    w->FF_L(bad) |= (uint32_t)w_is_bad(rate);
    W_SCRATCH(w, f) = rate;
  }
  FF_SYNCWARP();
}

/* The slope of a level for these rates: a sum in the order of the net. */
FF_WARP double w_slope(const w_warp *w, uint32_t i, uint32_t row, double time) {
  const ff_petri_image *m = w->image;
  const w_point at = w_at_row(row, time, 0u);
  double sum = 0;
  FF_NO_UNROLL for (uint32_t k = m->term_first[i]; k < m->term_first[i + 1u]; k++) {
    const ff_petri_image_term term = m->term[k];
    sum += (term.weight == W_NONE ? term.by : w_value(w, &m->weight[term.weight], at)) * W_SCRATCH(w, term.flow);
  }
  return sum;
}

/* Whether a lane has found a rate that is not finite. */
FF_WARP int w_has_failed(const w_warp *w) {
  FF_LANE_IN;
  uint32_t who;
  FF_BALLOT(who, w->FF_L(bad) != 0u);
  return who != 0u;
}

/* The slopes of levels in row `row`, as row `to`. */
FF_WARP void w_slopes(w_warp *w, uint32_t row, double time, uint32_t to) {
  FF_LANE_IN;
  w_rates(w, row, time);
  W_EACH(i, w->image->n_levels) W_LEVEL(w, to, i) = w_slope(w, i, row, time);
  FF_SYNCWARP();
}

/* ---- steps -------------------------------------------------------------------------------------------------------------- */

/* A level at stage 1 to 6 of a step of length h from y. */
FF_WARP double w_at_stage(const w_warp *w, int stage, uint32_t i, double y, double h) {
  const uint32_t n = w->image->n_levels;
  const double *k = &W_LEVEL(w, W_ROW_K, i);
  switch (stage) {
    case 1: return ff_ode_explicit_1(y, h, k[0]);
    case 2: return ff_ode_explicit_2(y, h, k[0], k[n]);
    case 3: return ff_ode_explicit_3(y, h, k[0], k[n], k[2u * n]);
    case 4: return ff_ode_explicit_4(y, h, k[0], k[n], k[2u * n], k[3u * n]);
    case 5: return ff_ode_explicit_5(y, h, k[0], k[n], k[2u * n], k[3u * n], k[4u * n]);
    default: return ff_ode_explicit_6(y, h, k[0], k[2u * n], k[3u * n], k[4u * n], k[5u * n]);
  }
}

/* All stages of a step of length h but the first. Levels at a stage are in one of two rows, so that lanes that are ahead do not
 * change what others read. */
FF_WARP void w_stages(w_warp *w, double h) {
  FF_LANE_IN;
  const uint32_t n = w->image->n_levels;
  W_EACH(i, n) W_LEVEL(w, W_ROW_AT, i) = w_at_stage(w, 1, i, W_LEVEL(w, W_ROW_Y, i), h);
  FF_SYNCWARP();
  FF_NO_UNROLL for (int stage = 1; stage < W_STAGES; stage++) {
    const uint32_t row = stage % 2 == 1 ? W_ROW_AT : W_ROW_END, other = stage % 2 == 1 ? W_ROW_END : W_ROW_AT;
    const double time = w->s.from + ff_ode_explicit_node(stage) * h;
    w_rates(w, row, time);
    W_EACH(i, n) {
      W_LEVEL(w, W_ROW_K + (uint32_t)stage, i) = w_slope(w, i, row, time);
      if (stage + 1 < W_STAGES) W_LEVEL(w, other, i) = w_at_stage(w, stage + 1, i, W_LEVEL(w, W_ROW_Y, i), h);
    }
    FF_SYNCWARP();
  }
}

FF_WARP void w_slopes_of(const w_warp *w, uint32_t i, double *k) {
  FF_UNROLL for (uint32_t stage = 0; stage < (uint32_t)W_STAGES; stage++) k[stage] = W_LEVEL(w, W_ROW_K + stage, i);
}

FF_WARP double w_size(const w_warp *w) { return w->image->absolute / w->image->relative; }

/* The larger one of an error, and of the one that is found for a level, as a part of what the tolerance permits; infinity if it
 * is not a number. */
FF_WARP double w_larger_error(const w_warp *w, double error, double found, uint32_t i) {
  const double start = W_LEVEL(w, W_ROW_Y, i), end = W_LEVEL(w, W_ROW_END, i);
  const double larger = ff_ode_larger(ff_math_absolute(start), ff_math_absolute(end));
  const double part = found / (w->image->relative * (w_size(w) + larger));
  if (!(part < W_INFINITY)) return W_INFINITY;
  return ff_ode_error_below(ff_ode_larger(error, part), end, FF_PETRI_DOUBT * w->image->absolute);
}

/* The largest error of a level. */
FF_WARP double w_error(const w_warp *w, double h) {
  FF_LANE_IN;
  FF_LANE_VAR(double, error);
  FF_EACH_LANE {
    FF_L(error) = 0;
    for (uint32_t i = lane; i < w->image->n_levels; i += 32u) {
      double k[W_STAGES];
      w_slopes_of(w, i, k);
      FF_L(error) = w_larger_error(w, FF_L(error), ff_ode_explicit_error(h, k), i);
    }
  }
  return w_largest(error);
}

/* As ff_ode_explicit_speed(). */
FF_WARP double w_speed(const w_warp *w) {
  FF_LANE_IN;
  FF_LANE_VAR(double, by);
  FF_LANE_VAR(double, apart);
  FF_EACH_LANE {
    FF_L(by) = FF_L(apart) = 0;
    for (uint32_t i = lane; i < w->image->n_levels; i += 32u) {
      const double end = W_LEVEL(w, W_ROW_END, i), size = w_size(w) + ff_math_absolute(end);
      const double slopes = W_LEVEL(w, W_ROW_K + 6u, i) - W_LEVEL(w, W_ROW_K + 5u, i);
      FF_L(by) = ff_ode_larger(FF_L(by), ff_math_absolute(slopes) / size);
      FF_L(apart) = ff_ode_larger(FF_L(apart), ff_math_absolute(end - W_LEVEL(w, W_ROW_AT, i)) / size);
    }
  }
  const double largest = w_largest(by), far = w_largest(apart);
  return far > 0 ? largest / far : 0;
}

FF_WARP double w_first_step(const w_warp *w) {
  FF_LANE_IN;
  FF_LANE_VAR(double, fastest);
  FF_EACH_LANE {
    FF_L(fastest) = 0;
    for (uint32_t i = lane; i < w->image->n_levels; i += 32u)
      FF_L(fastest) = ff_ode_larger(ff_math_absolute(W_LEVEL(w, W_ROW_K, i)) /
                                        (w_size(w) + ff_math_absolute(W_LEVEL(w, W_ROW_Y, i))), FF_L(fastest));
  }
  return ff_ode_first_step(w_largest(fastest));
}

/* Whether no level moves. */
FF_WARP int w_is_still(const w_warp *w) {
  FF_LANE_IN;
  FF_LANE_VAR(uint32_t, moves);
  uint32_t who;
  FF_EACH_LANE {
    FF_L(moves) = 0u;
    for (uint32_t i = lane; i < w->image->n_levels; i += 32u) FF_L(moves) |= W_LEVEL(w, W_ROW_K, i) != 0;
  }
  FF_BALLOT(who, FF_L(moves) != 0u);
  return who == 0u && !w->image->timed_flows;
}

FF_WARP int w_mended_slopes(w_warp *w, uint32_t row, double time, double *to);

/* Sets the slopes at the start of a step, unless a trial before has done so. */
FF_WARP void w_open_step(w_warp *w, int implicit) {
  FF_LANE_IN;
  if ((w->s.is & W_IS_OPEN) != 0u) return;
  if ((w->s.is & W_HAS_SLOPE) != 0u) {
    W_EACH(i, w->image->n_levels) W_LEVEL(w, W_ROW_K, i) = W_LEVEL(w, W_ROW_K + 6u, i);
    FF_SYNCWARP();
  } else if (!implicit) {
    w_slopes(w, W_ROW_Y, w->s.from, W_ROW_K);
  } else if (!w_mended_slopes(w, W_ROW_Y, w->s.from, &W_LEVEL(w, W_ROW_K, 0u))) {
    FF_EACH_LANE w->FF_L(bad) = 1u;
  }
  w->s.is = (w->s.is | W_IS_OPEN) & ~(uint32_t)W_IS_DERIVED;
}

/* The curve of a level in the step that was accepted, and its end. */
FF_WARP void w_set_curve(const w_warp *w, uint32_t i, const double *c) {
  W_LEVEL(w, W_ROW_START, i) = c[0];
  FF_UNROLL for (uint32_t j = 2u; j < FF_ODE_DENSE; j++) W_LEVEL(w, W_ROW_START + j - 1u, i) = c[j];
  W_LEVEL(w, W_ROW_Y, i) = W_LEVEL(w, W_ROW_END, i);
}

FF_WARP void w_accept(const w_warp *w, double h) {
  FF_LANE_IN;
  W_EACH(i, w->image->n_levels) {
    double k[W_STAGES], c[FF_ODE_DENSE];
    w_slopes_of(w, i, k);
    ff_ode_explicit_dense(h, W_LEVEL(w, W_ROW_Y, i), W_LEVEL(w, W_ROW_END, i), k, c);
    w_set_curve(w, i, c);
  }
}

/* The step is made once more, up to its middle. */
FF_WARP void w_cut_step(w_warp *w, double middle) {
  FF_LANE_IN;
  w_kept *const s = &w->s;
  FF_SYNCWARP(); /* other lanes may read these levels for bounds */
  W_EACH(i, w->image->n_levels) W_LEVEL(w, W_ROW_Y, i) = W_LEVEL(w, W_ROW_START, i);
  FF_SYNCWARP();
  s->is = (s->is | W_OWN) & ~(uint32_t)W_HAS_SLOPE;
  s->to = s->from;
  if (s->next > s->tried) s->next = s->tried;
  s->most = middle;
  s->tries++;
  s->phase = W_STEPS;
}

FF_WARP int w_rates_hide(const w_warp *w);

/* As ff_petri_peak_shorten(). */
FF_WARP void w_look(w_warp *w) {
  const double middle = w->s.from + w_length(w) / 2;
  if (w->image->n_narrow == 0u || w->s.tries == FF_PETRI_PEAK_TRIES || !(middle > w->s.from && middle < w->s.to)) return;
  if (w_rates_hide(w)) w_cut_step(w, middle);
}

/* The lengths after a try with this error. */
FF_WARP void w_set_pace(w_warp *w, ff_ode_pace *pace, const ff_ode_plan *plan, double error, int accepted) {
  w_kept *const s = &w->s;
  ff_ode_next_length(pace, plan, ff_ode_factor(error, 5, accepted), accepted);
  s->next = pace->next;
  s->tried = pace->tried;
  s->shortest = accepted && pace->tried < pace->shortest ? pace->tried : pace->shortest;
}

/* Counts a step that was accepted, if the solver looks for stiffness: see ff_ode_count_stiff(). */
FF_WARP void w_count_stiff(w_warp *w, ff_ode_pace *pace, double speed, int explicit_step) {
  ff_ode_count_stiff(pace, pace->tried * speed > FF_ODE_STIFF_BORDER, explicit_step);
  w->s.stiff = pace->stiff;
  w->s.calm = pace->calm;
}

/* The curves of a step that was accepted are set. */
FF_WARP void w_end_step(w_warp *w, double h, int limited, uint32_t by) {
  w_kept *const s = &w->s;
  FF_SYNCWARP();
  s->to = limited ? s->most : s->from + h;
  s->is = (s->is | W_HAS_SLOPE) & ~(uint32_t)(W_FRESH | W_FLAT | W_OWN | W_IS_OPEN | W_BY_IMPLICIT);
  s->is |= by;
  s->phase = W_SEARCHES;
  w_look(w);
}

/* Tries a step that is planned. Refused are steps that become too short, and rates that are no numbers. */
FF_WARP void w_try(w_warp *w, ff_ode_pace *pace, const ff_ode_plan *plan) {
  const double h = pace->tried;
  w_stages(w, h);
  const double error = w_error(w, h);
  const int accepted = error <= 1;
  if (plan->least || !(error < W_INFINITY) || w_has_failed(w)) {
    w->s.phase = W_REFUSES;
    return;
  }
  w_set_pace(w, pace, plan, error, accepted);
  if (!accepted) return;
  if (w->image->automatic) w_count_stiff(w, pace, w_speed(w), 1);
  w_accept(w, h);
  w_end_step(w, h, plan->limited, 0u);
}

/* Begins a step, or finds that nothing moves, or refuses the trajectory. Returns whether there is a step to try. */
FF_WARP int w_plan(w_warp *w, ff_ode_pace *pace, ff_ode_plan *plan, int implicit) {
  w_kept *const s = &w->s;
  const ff_ode_pace kept = {s->next, s->tried, s->shortest, 0u, s->stiff, s->calm};
  const ff_ode_plan until = {s->most, 0, 0};
  w_open_step(w, implicit);
  const int rests = (s->is & W_FIRST) != 0u && w_is_still(w);
  s->phase = w_has_failed(w) ? W_REFUSES : rests ? W_SEARCHES : W_STEPS;
  if (s->phase == W_SEARCHES) {
    s->is |= W_FLAT | W_OWN;
    s->to = w->image->timed_profiles ? s->most : W_INFINITY;
  }
  if (s->phase != W_STEPS) return 0;
  s->is &= ~(uint32_t)W_FIRST;
  *pace = kept;
  *plan = until;
  if (!(pace->next > 0)) pace->next = pace->shortest = w_first_step(w);
  ff_ode_plan_step(pace, plan, s->from, FF_ODE_LEAST_STEP, (s->is & W_FRESH) != 0u);
  return 1;
}

FF_FUNCTION w_warp w_step_implicitly(w_warp own);

/* Tries a step. Without implicit steps, equations that are stiff are refused. */
FF_WARP void w_step(w_warp *w) {
  const uint32_t stiff = w->image->automatic && w->s.stiff == FF_ODE_STIFF_STEPS;
  ff_ode_pace pace;
  ff_ode_plan plan;
  if (w->image->implicit && (stiff || !w->image->automatic)) {
    *w = w_step_implicitly(*w);
    return;
  }
  if (!w_plan(w, &pace, &plan, 0)) return;
  if (stiff)
    w->s.phase = W_REFUSES;
  else
    w_try(w, &pace, &plan);
}

#endif
