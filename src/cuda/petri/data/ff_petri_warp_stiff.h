/* Implicit steps, as in ode/ff_ode_implicit.c. A part of ff_petri_warp.h. Lanes share the columns of derivatives, what a pivot of
 * the elimination changes, the rows that can be solved at the same time, and levels. Each number is made of the same terms in the
 * same order as on the processor. */
#ifndef FF_PETRI_WARP_STIFF_H
#define FF_PETRI_WARP_STIFF_H

/* Rows of levels that are free while a step is tried: mended levels; the right side, or sizes; the solution in the order of the
 * elimination. */
enum { W_ROW_MENDED = W_ROW_K + 1, W_ROW_RIGHT = W_ROW_K + 2, W_ROW_SOLUTION = W_ROW_K + 3 };

#define W_DERIVATIVE(w, p) ((w)->stiff[p])
#define W_IN_TIME(w) ((w)->stiff + W_AT_IN_TIME((w)->image))
#define W_FACTOR(w) ((w)->stiff + W_AT_FACTORS((w)->image))
#define W_INVERSE(w) ((w)->stiff + W_AT_INVERSES((w)->image))
#define W_STAGE(w, stage) ((w)->stiff + W_AT_SOLUTIONS((w)->image) + (size_t)(stage) * (w)->image->n_levels)
#define W_LEVELS(w, row) (&W_LEVEL((w), (row), 0u))

FF_WARP ff_ode_pattern w_pattern(const w_warp *w) {
  const ff_petri_image *m = w->image;
  const ff_ode_pattern out = {m->n_levels, m->column_first, m->column_row};
  return out;
}

FF_WARP ff_sparse_order w_elimination(const w_warp *w) {
  const ff_petri_image *m = w->image;
  const ff_sparse_order out = {m->n_levels, (uint32_t *)m->order, (size_t *)m->factor_first, (size_t *)m->diagonal,
                               (uint32_t *)m->factor_column, (size_t *)m->source};
  return out;
}

/* ---- slopes ------------------------------------------------------------------------------------------------------------- */

/* Whether a flow takes from a place that has nothing, where levels are those of a row. */
FF_WARP int w_lacks_input(const w_warp *w, uint32_t f, uint32_t row) {
  const ff_petri_image *m = w->image;
  const w_point at = w_at_row(row, 0, 0u);
  FF_NO_UNROLL for (uint32_t k = m->input_first[f]; k < m->input_first[f + 1u]; k++)
    if (!(w_read(m, w->real, m->input[k], &at) > 0)) return 1;
  return 0;
}

/* As mend_rate() of petri/path/ff_petri_flow.c, for all rates that are not finite. Returns 0 if one does not exist. */
FF_WARP int w_mend_rates(const w_warp *w, uint32_t row, double time) {
  FF_LANE_IN;
  const ff_petri_image *m = w->image;
  const double doubt = FF_PETRI_DOUBT * m->absolute;
  const w_point at = w_at_row(W_ROW_MENDED, time, 0u);
  FF_LANE_VAR(uint32_t, lacks);
  uint32_t who;
  W_EACH(i, m->n_levels) W_LEVEL(w, W_ROW_MENDED, i) = ff_petri_mended(W_LEVEL(w, row, i), doubt);
  FF_SYNCWARP();
  FF_EACH_LANE {
    FF_L(lacks) = 0u;
    for (uint32_t f = lane; f < m->n_flows; f += 32u) {
      if (!w_is_bad(W_SCRATCH(w, f))) continue;
      const double rate = w_value(w, &m->flow[f], at);
      FF_L(lacks) |= (uint32_t)(w_is_bad(rate) && !w_lacks_input(w, f, row));
      W_SCRATCH(w, f) = w_is_bad(rate) ? 0 : rate;
    }
  }
  FF_SYNCWARP();
  FF_BALLOT(who, FF_L(lacks) != 0u);
  return who == 0u;
}

/* The slopes of levels in row `row`. Returns 0 if a rate does not exist: in its place is 0. */
FF_WARP int w_mended_slopes(w_warp *w, uint32_t row, double time, double *to) {
  FF_LANE_IN;
  const ff_petri_image *m = w->image;
  const w_point at = w_at_row(row, time, 0u);
  FF_LANE_VAR(uint32_t, asks);
  uint32_t who;
  FF_EACH_LANE {
    FF_L(asks) = 0u;
    for (uint32_t f = lane; f < m->n_flows; f += 32u) {
      W_SCRATCH(w, f) = w_value(w, &m->flow[f], at);
      FF_L(asks) |= (uint32_t)w_is_bad(W_SCRATCH(w, f));
    }
  }
  FF_SYNCWARP();
  FF_BALLOT(who, FF_L(asks) != 0u);
  const int fine = who == 0u || w_mend_rates(w, row, time);
  W_EACH(i, m->n_levels) to[i] = w_slope(w, i, row, time);
  FF_SYNCWARP();
  return fine;
}

/* ---- derivatives -------------------------------------------------------------------------------------------------------- */

/* Those by the time: as differentiate_time() of ode/ff_ode_jacobian.c. */
FF_WARP int w_differentiate_time(w_warp *w, double tried) {
  FF_LANE_IN;
  const double later = ff_ode_later(w->s.from, tried);
  double *const to = W_IN_TIME(w);
  const int fine = w_mended_slopes(w, W_ROW_Y, later, to);
  W_EACH(i, w->image->n_levels) to[i] = ff_ode_slope_in_time(w->s.from, later, W_LEVEL(w, W_ROW_K, i), to[i]);
  FF_SYNCWARP();
  return fine;
}

/* The columns of a group: as differentiate_group(). */
FF_WARP int w_differentiate_group(w_warp *w, uint32_t g) {
  FF_LANE_IN;
  const ff_petri_image *m = w->image;
  const ff_ode_pattern pattern = w_pattern(w);
  double *const other = W_STAGE(w, 0);
  int fine = 0;
  FF_NO_UNROLL for (int sign = 1; sign >= -1 && !fine; sign -= 2) {
    W_EACH(i, m->n_levels) {
      const double y = W_LEVEL(w, W_ROW_Y, i);
      W_LEVEL(w, W_ROW_AT, i) = m->column_group[i] == g ? ff_ode_shifted(y, w_size(w), sign) : y;
    }
    FF_SYNCWARP();
    fine = w_mended_slopes(w, W_ROW_AT, w->s.from, other);
  }
  W_EACH(c, m->n_levels)
    if (m->column_group[c] == g)
      ff_ode_difference(&pattern, c, W_LEVELS(w, W_ROW_Y), W_LEVELS(w, W_ROW_K), W_LEVELS(w, W_ROW_AT), other, w->stiff);
  FF_SYNCWARP();
  return fine;
}

/* The derivatives at the start of a step, once for all its tries. Returns 0 if they do not exist. */
FF_WARP int w_differentiate(w_warp *w, double tried) {
  int fine = 1;
  if ((w->s.is & W_IS_DERIVED) != 0u) return 1;
  if (w->image->timed_flows) fine = w_differentiate_time(w, tried);
  FF_NO_UNROLL for (uint32_t g = 0u; g < w->image->n_column_groups && fine; g++) fine = w_differentiate_group(w, g);
  w->s.is |= W_IS_DERIVED;
  return fine;
}

/* ---- elimination -------------------------------------------------------------------------------------------------------- */

/* Divides the entries below pivot k, and changes the rows of these. */
FF_WARP void w_eliminate(const w_warp *w, uint32_t k, double inverse) {
  FF_LANE_IN;
  const ff_petri_image *m = w->image;
  const uint32_t *const below = m->below + m->below_first[k], *const update = m->update + m->update_first[k];
  const uint32_t n = m->below_first[k + 1u] - m->below_first[k];
  const uint32_t right = (uint32_t)m->diagonal[k] + 1u, width = (uint32_t)m->factor_first[k + 1u] - right;
  double *const value = W_FACTOR(w);
  if (n == 0u) return;
  W_EACH(i, n) value[below[i]] *= inverse;
  FF_SYNCWARP();
  W_EACH(i, n * width) value[update[i]] -= value[below[i / width]] * value[right + i % width];
  FF_SYNCWARP();
}

/* Sets the factors: as ff_sparse_factor(), but pivot by pivot. An entry is changed by the pivots in the same order. Returns 0 if
 * a pivot is 0 or not finite. */
FF_WARP int w_factor(const w_warp *w, double shift) {
  FF_LANE_IN;
  const ff_petri_image *m = w->image;
  double *const value = W_FACTOR(w);
  W_EACH(p, m->n_factors) value[p] = m->source[p] == FF_SPARSE_NONE ? 0 : W_DERIVATIVE(w, m->source[p]);
  FF_SYNCWARP();
  W_EACH(i, m->n_levels) value[m->diagonal[i]] += shift;
  FF_SYNCWARP();
  FF_NO_UNROLL for (uint32_t k = 0u; k < m->n_levels; k++) {
    const double pivot = value[m->diagonal[k]];
    if (!ff_sparse_is_pivot(pivot)) return 0;
    FF_EACH_LANE if (lane == 0u) W_INVERSE(w)[k] = 1 / pivot;
    w_eliminate(w, k, 1 / pivot);
  }
  FF_SYNCWARP();
  return 1;
}

/* Replaces y by the solution: as ff_sparse_solve(). */
FF_WARP void w_solve(const w_warp *w, double *y) {
  FF_LANE_IN;
  const ff_petri_image *m = w->image;
  const ff_sparse_order order = w_elimination(w);
  double *const x = W_LEVELS(w, W_ROW_SOLUTION);
  FF_NO_UNROLL for (uint32_t part = 0u; part < m->n_forward; part++) {
    W_EACH(i, m->forward_first[part + 1u] - m->forward_first[part])
      ff_sparse_forward(&order, m->forward[m->forward_first[part] + i], W_FACTOR(w), x, y);
    FF_SYNCWARP();
  }
  FF_NO_UNROLL for (uint32_t part = 0u; part < m->n_backward; part++) {
    W_EACH(i, m->backward_first[part + 1u] - m->backward_first[part])
      ff_sparse_backward(&order, m->backward[m->backward_first[part] + i], W_FACTOR(w), W_INVERSE(w), x, y);
    FF_SYNCWARP();
  }
}

/* ---- stages ------------------------------------------------------------------------------------------------------------- */

/* Whether u solves the equations of the first stage: as ff_ode_implicit_solves(). */
FF_WARP int w_is_solved(const w_warp *w, const double *u, double shift) {
  FF_LANE_IN;
  const ff_petri_image *m = w->image;
  const double permitted = m->relative * w_size(w);
  FF_LANE_VAR(uint32_t, misses);
  uint32_t who;
  FF_EACH_LANE {
    FF_L(misses) = 0u;
    for (uint32_t i = lane; i < m->n_levels; i += 32u) {
      const double right = W_LEVEL(w, W_ROW_RIGHT, i);
      double misfit = -shift * u[i] - right, terms = ff_math_absolute(shift * u[i]) + ff_math_absolute(right);
      for (uint32_t k = m->row_first[i]; k < m->row_first[i + 1u]; k++) {
        const double term = W_DERIVATIVE(w, m->row_entry[k]) * u[m->row_column[k]];
        misfit += term;
        terms += ff_math_absolute(term);
      }
      FF_L(misses) |= (uint32_t)!ff_ode_implicit_fits(misfit, terms, shift, permitted);
    }
  }
  FF_BALLOT(who, FF_L(misses) != 0u);
  return who == 0u;
}

/* Sets levels at stage i of a step of length h, and slopes there. Returns 0 if a rate does not exist. */
FF_WARP int w_implicit_slopes(w_warp *w, int i, double h) {
  FF_LANE_IN;
  const uint32_t n = w->image->n_levels;
  double *const k = W_STAGE(w, i);
  if (i == 0) {
    W_EACH(s, n) k[s] = W_LEVEL(w, W_ROW_K, s);
    return 1;
  }
  W_EACH(s, n)
    W_LEVEL(w, W_ROW_AT, s) = ff_ode_implicit_at(i, n, W_LEVEL(w, W_ROW_Y, s), W_LEVEL(w, W_ROW_AT, s), W_STAGE(w, 0) + s);
  FF_SYNCWARP();
  return w_mended_slopes(w, W_ROW_AT, ff_ode_implicit_time(i, w->s.from, h), k);
}

/* Sets row AT to what estimates errors within a step: see ff_ode_implicit_misses(). Returns 0 if a rate does not exist. */
FF_WARP int w_find_misses(w_warp *w, double h) {
  FF_LANE_IN;
  const uint32_t n = w->image->n_levels;
  const double *const k = W_STAGE(w, 0);
  W_EACH(s, n)
    W_LEVEL(w, W_ROW_AT, s) = ff_ode_implicit_middle_of(W_LEVEL(w, W_ROW_Y, s), W_LEVEL(w, W_ROW_END, s), k + s, n);
  FF_SYNCWARP();
  const int fine = w_mended_slopes(w, W_ROW_AT, w->s.from + 0.5 * h, W_LEVELS(w, W_ROW_RIGHT));
  W_EACH(s, n)
    W_LEVEL(w, W_ROW_AT, s) = ff_ode_implicit_miss_of(h, W_LEVEL(w, W_ROW_Y, s), W_LEVEL(w, W_ROW_END, s), k + s, n,
                                                      W_LEVEL(w, W_ROW_RIGHT, s));
  FF_SYNCWARP();
  w_solve(w, W_LEVELS(w, W_ROW_AT));
  return fine;
}

FF_WARP double w_far(const w_warp *w, uint32_t s) {
  return ff_ode_implicit_far(w->image->relative, w_size(w), W_LEVEL(w, W_ROW_Y, s));
}

/* Whether level s must not stay. Replaces rows AT and RIGHT. */
FF_WARP int w_level_stalls(w_warp *w, uint32_t s, double h) {
  FF_LANE_IN;
  const double far = w_far(w, s), slope = W_LEVEL(w, W_ROW_K, s);
  W_EACH(i, w->image->n_levels) {
    const double y = W_LEVEL(w, W_ROW_Y, i);
    W_LEVEL(w, W_ROW_AT, i) = i == s ? ff_ode_implicit_away(y, slope, far) : y;
  }
  FF_SYNCWARP();
  return w_mended_slopes(w, W_ROW_AT, w->s.from, W_LEVELS(w, W_ROW_RIGHT)) &&
         ff_ode_implicit_stalls(h, W_LEVEL(w, W_ROW_Y, s), W_LEVEL(w, W_ROW_END, s), slope, W_LEVEL(w, W_ROW_RIGHT, s), far);
}

FF_WARP int w_stays(const w_warp *w, uint32_t s, double h) {
  return ff_ode_implicit_stays(h, W_LEVEL(w, W_ROW_Y, s), W_LEVEL(w, W_ROW_END, s), W_LEVEL(w, W_ROW_K, s), w_far(w, s));
}

/* As stall_together() of ode/ff_ode_implicit.c. Replaces rows AT and RIGHT. */
FF_WARP int w_stall_together(w_warp *w, double h, double fastest) {
  FF_LANE_IN;
  const uint32_t n = w->image->n_levels;
  FF_LANE_VAR(uint32_t, rests);
  uint32_t who;
  W_EACH(s, n) {
    const double y = W_LEVEL(w, W_ROW_Y, s);
    W_LEVEL(w, W_ROW_AT, s) = w_stays(w, s, h) ? ff_ode_implicit_together(y, W_LEVEL(w, W_ROW_K, s), fastest) : y;
  }
  FF_SYNCWARP();
  if (!w_mended_slopes(w, W_ROW_AT, w->s.from, W_LEVELS(w, W_ROW_RIGHT))) return 0;
  FF_EACH_LANE {
    FF_L(rests) = 0u;
    for (uint32_t s = lane; s < n; s += 32u)
      FF_L(rests) |= (uint32_t)(w_stays(w, s, h) &&
                                !ff_ode_implicit_stalls(h, W_LEVEL(w, W_ROW_Y, s), W_LEVEL(w, W_ROW_END, s),
                                                        W_LEVEL(w, W_ROW_K, s), W_LEVEL(w, W_ROW_RIGHT, s), w_far(w, s)));
  }
  FF_BALLOT(who, FF_L(rests) != 0u);
  return who == 0u;
}

/* As stalls() there. */
FF_WARP int w_stalls(w_warp *w, double h) {
  FF_LANE_IN;
  const uint32_t n = w->image->n_levels;
  uint32_t staying = 0u;
  FF_LANE_VAR(double, fastest);
  FF_EACH_LANE FF_L(fastest) = 0;
  FF_NO_UNROLL for (uint32_t from = 0u; from < n; from += 32u) {
    FF_LANE_VAR(uint32_t, stays);
    uint32_t who;
    FF_EACH_LANE {
      const uint32_t s = from + lane;
      FF_L(stays) = s < n && w_stays(w, s, h);
      if (FF_L(stays)) FF_L(fastest) = ff_ode_larger(FF_L(fastest), ff_ode_implicit_haste(W_LEVEL(w, W_ROW_K, s), w_far(w, s)));
    }
    FF_BALLOT(who, FF_L(stays) != 0u);
    staying += FF_POPCOUNT(who);
    FF_NO_UNROLL for (; who != 0u; who &= who - 1u)
      if (w_level_stalls(w, from + FF_LOWEST(who), h)) return 1;
    FF_SYNCWARP();
  }
  const double most = staying > 1u ? w_largest(fastest) : 0;
  return most > 0 && w_stall_together(w, h, most);
}

/* All stages of a step of length h. Returns 0 if its equations cannot be solved. *fine: whether all slopes exist. */
FF_WARP int w_implicit_stages(w_warp *w, double h, int *fine) {
  FF_LANE_IN;
  const uint32_t n = w->image->n_levels, timed = w->image->timed_flows;
  const double shift = ff_ode_implicit_shift(h);
  const double *const last = W_STAGE(w, FF_ODE_IMPLICIT_STAGES - 1);
  *fine = 1;
  if (!w_factor(w, -shift)) return 0;
  FF_NO_UNROLL for (int i = 0; i < FF_ODE_IMPLICIT_STAGES; i++) {
    double *const k = W_STAGE(w, i);
    *fine &= w_implicit_slopes(w, i, h);
    W_EACH(s, n)
      k[s] = W_LEVEL(w, W_ROW_RIGHT, s) = ff_ode_implicit_side(i, n, h, timed ? W_IN_TIME(w) + s : 0, W_STAGE(w, 0) + s);
    FF_SYNCWARP();
    w_solve(w, k);
    if (i == 0 && !w_is_solved(w, k, shift)) return 0;
  }
  W_EACH(s, n) W_LEVEL(w, W_ROW_END, s) = W_LEVEL(w, W_ROW_AT, s) + last[s];
  FF_SYNCWARP();
  if (w_stalls(w, h)) return 0;
  *fine &= w_find_misses(w, h);
  *fine &= w_mended_slopes(w, W_ROW_END, w->s.from + h, W_LEVELS(w, W_ROW_K + 6u));
  return 1;
}

/* ---- steps -------------------------------------------------------------------------------------------------------------- */

/* The largest error of a level, as w_error(). */
FF_WARP double w_implicit_error(const w_warp *w) {
  FF_LANE_IN;
  FF_LANE_VAR(double, error);
  const double *const last = W_STAGE(w, FF_ODE_IMPLICIT_STAGES - 1);
  FF_EACH_LANE {
    FF_L(error) = 0;
    for (uint32_t i = lane; i < w->image->n_levels; i += 32u)
      FF_L(error) = w_larger_error(w, FF_L(error), ff_ode_implicit_error(last[i], W_LEVEL(w, W_ROW_AT, i)), i);
  }
  return w_largest(error);
}

/* As ff_ode_implicit_fastest(). */
FF_WARP double w_implicit_speed(const w_warp *w) {
  FF_LANE_IN;
  const ff_petri_image *m = w->image;
  FF_LANE_VAR(double, most);
  W_EACH(i, m->n_levels) W_LEVEL(w, W_ROW_RIGHT, i) = w_size(w) + ff_math_absolute(W_LEVEL(w, W_ROW_END, i));
  FF_SYNCWARP();
  FF_EACH_LANE {
    FF_L(most) = 0;
    for (uint32_t i = lane; i < m->n_levels; i += 32u) {
      double sum = 0;
      for (uint32_t k = m->row_first[i]; k < m->row_first[i + 1u]; k++)
        sum += ff_math_absolute(W_DERIVATIVE(w, m->row_entry[k])) * W_LEVEL(w, W_ROW_RIGHT, m->row_column[k]);
      FF_L(most) = ff_ode_larger(FF_L(most), sum / W_LEVEL(w, W_ROW_RIGHT, i));
    }
  }
  return w_largest(most);
}

FF_WARP void w_accept_implicit(const w_warp *w) {
  FF_LANE_IN;
  const uint32_t n = w->image->n_levels;
  W_EACH(i, n) {
    double c[FF_ODE_DENSE];
    ff_ode_implicit_dense(W_LEVEL(w, W_ROW_Y, i), W_LEVEL(w, W_ROW_END, i), W_STAGE(w, 0) + i, n, c);
    w_set_curve(w, i, c);
  }
}

/* As w_try(). */
FF_WARP void w_try_implicit(w_warp *w, ff_ode_pace *pace, const ff_ode_plan *plan) {
  const double h = pace->tried;
  int fine;
  if (plan->least || !w_differentiate(w, h)) {
    w->s.phase = W_REFUSES;
    return;
  }
  const double error = w_implicit_stages(w, h, &fine) ? w_implicit_error(w) : W_INFINITY;
  const int accepted = error <= 1 && fine;
  w_set_pace(w, pace, plan, error, accepted);
  if (!accepted) return;
  if (w->image->automatic) w_count_stiff(w, pace, w_implicit_speed(w), 0);
  FF_SYNCWARP();
  w_accept_implicit(w);
  w_end_step(w, h, plan->limited, W_BY_IMPLICIT);
}

/* A device has this code once, and registers of other phases do not count in it. */
FF_FUNCTION w_warp w_step_implicitly(w_warp own) {
  w_warp *const w = &own;
  ff_ode_pace pace;
  ff_ode_plan plan;
  if (w_plan(w, &pace, &plan, 1)) w_try_implicit(w, &pace, &plan);
  return own;
}

#endif
