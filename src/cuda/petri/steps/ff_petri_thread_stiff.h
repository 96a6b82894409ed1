/* Implicit steps, as in ode/ff_ode_implicit.c. A part of ff_petri_thread.h. The generated text defines
 *   P_IMPLICIT          0: there are none; 1: there are while the equations are stiff; 2: all steps are implicit
 *   P_ENTRIES, P_COLUMN_FIRST, P_COLUMN_ROW   the derivatives of slopes by levels that may differ from 0, column by column
 *   P_COLUMN_GROUPS, P_COLUMN_GROUP   groups of columns; the group of each column
 *   P_FACTORS, P_ORDER, P_ROW_FIRST, P_DIAGONAL, P_PLACE, P_SOURCE   of the elimination: see ff_sparse_order.h
 * but for P_ENTRIES, P_COLUMN_GROUPS and P_FACTORS, which are numbers, these are the values of tables. And it defines
 *   p_flow_rate(t, f, time, y)         the rate of flow f
 *   p_mended_slopes(t, time, y, out)   as p_slopes(), with p_mended_rate(); returns 0 if a slope does not exist
 *
 * A try of a step begins anew, but for the length of the first one. This takes less room than to keep derivatives. */
#ifndef FF_PETRI_THREAD_STIFF_H
#define FF_PETRI_THREAD_STIFF_H

#if P_IMPLICIT
#include "../../../ode/ff_ode_implicit_math.h"

P_TABLE size_t p_column_first[] = P_COLUMN_FIRST;
P_TABLE uint32_t p_column_row[] = P_COLUMN_ROW;
P_TABLE uint32_t p_column_group[] = P_COLUMN_GROUP;
P_TABLE uint32_t p_order[] = P_ORDER;
P_TABLE size_t p_row_first[] = P_ROW_FIRST;
P_TABLE size_t p_diagonal[] = P_DIAGONAL;
P_TABLE uint32_t p_place[] = P_PLACE;
P_TABLE size_t p_source[] = P_SOURCE;

/* A step that is tried: derivatives and their factors, slopes and solutions of stages, and room. */
typedef struct {
  double start[P_LEVELS], slope[P_LEVELS], end[P_LEVELS];
  double entry[P_ROOM(P_ENTRIES)], in_time[P_LEVELS];
  double factor[P_FACTORS], inverse[P_LEVELS], room[P_LEVELS];
  double k[FF_ODE_IMPLICIT_STAGES * P_LEVELS], at[P_LEVELS], other[P_LEVELS], terms[P_LEVELS];
  int solved; /* whether the end is known, and in `at` what the polynomial within the step misses */
} p_implicit;

FF_WARP ff_ode_pattern p_pattern(void) {
  ff_ode_pattern out;
  out.n = P_LEVELS;
  out.first = p_column_first;
  out.row = p_column_row;
  return out;
}

FF_WARP ff_sparse_order p_elimination(void) {
  ff_sparse_order out;
  out.n = P_LEVELS;
  out.order = (uint32_t *)p_order;
  out.first = (size_t *)p_row_first;
  out.diagonal = (size_t *)p_diagonal;
  out.column = (uint32_t *)p_place;
  out.source = (size_t *)p_source;
  return out;
}

P_APART double p_flow_rate(p_thread own, uint32_t f, double time, const double *y);
FF_WARP int p_mended_slopes(const p_thread *t, double time, const double *y, double *out);

/* As mend_rate() of petri/path/ff_petri_flow.c. takes: bits of the levels that the flow takes from. */
FF_WARP double p_mended_rate(const p_thread *t, uint32_t f, double time, const double *y, double rate, uint32_t takes,
                             int *fine) {
  double at[P_LEVELS];
  if (!p_is_bad(rate)) return rate;
  P_EACH(i, P_LEVELS) at[i] = p_mended(y[i]);
  const double mended = p_flow_rate(*t, f, time, at);
  if (!p_is_bad(mended)) return mended;
  uint32_t empty = 0u;
  P_EACH(i, P_LEVELS) empty |= (uint32_t)!(y[i] > 0) << i;
  if ((takes & empty) == 0u) *fine = 0;
  return 0;
}

/* The code of slopes is there once for all that calls this. Returns 0 if a slope does not exist. */
P_APART int p_slopes_apart(p_thread own, double time, const double *y, double *out) {
  return p_mended_slopes(&own, time, y, out);
}

/* The columns of a group: as differentiate_group() of ode/ff_ode_jacobian.c. */
FF_WARP int p_differentiate_group(const p_thread *t, p_implicit *x, uint32_t g) {
  const ff_ode_pattern pattern = p_pattern();
  int fine = 0;
  FF_NO_UNROLL for (int sign = 1; sign >= -1 && !fine; sign -= 2) {
    for (uint32_t c = 0u; c < P_LEVELS; c++)
      x->at[c] = p_column_group[c] == g ? ff_ode_shifted(x->start[c], P_SIZE, sign) : x->start[c];
    fine = p_slopes_apart(*t, t->from, x->at, x->other);
  }
  ff_ode_differences(&pattern, p_column_group, g, x->start, x->slope, x->at, x->other, x->entry);
  return fine;
}

/* The derivatives at the start of a step whose first try had this length. Returns 0 if they do not exist. */
FF_WARP int p_differentiate(const p_thread *t, p_implicit *x, double first) {
  int fine = 1;
#if P_TIMED_FLOWS
  const double later = ff_ode_later(t->from, first);
  fine &= p_slopes_apart(*t, later, x->start, x->other);
  ff_ode_difference_in_time(P_LEVELS, t->from, later, x->slope, x->other, x->in_time);
#endif
  (void)first;
  FF_NO_UNROLL for (uint32_t g = 0u; g < P_COLUMN_GROUPS; g++) fine &= p_differentiate_group(t, x, g);
  return fine;
}

/* Whether the first stage is solved. */
FF_WARP int p_solves_first(p_implicit *x, double shift) {
  const ff_ode_pattern pattern = p_pattern();
  double *const permitted = x->end;
  P_EACH(i, P_LEVELS) permitted[i] = P_RELATIVE * P_SIZE;
  return ff_ode_implicit_solves(&pattern, x->entry, shift, x->k, x->other, permitted, x->room, x->terms);
}

FF_WARP double p_far(const p_implicit *x, uint32_t s) { return ff_ode_implicit_far(P_RELATIVE, P_SIZE, x->start[s]); }

FF_WARP int p_stays(const p_implicit *x, uint32_t s, double h) {
  return ff_ode_implicit_stays(h, x->start[s], x->end[s], x->slope[s], p_far(x, s));
}

/* Whether level s must not stay. Moved levels are in `at`. Replaces `other`. */
FF_WARP int p_level_stalls(const p_thread *t, p_implicit *x, uint32_t s, double h) {
  return p_slopes_apart(*t, t->from, x->at, x->other) &&
         ff_ode_implicit_stalls(h, x->start[s], x->end[s], x->slope[s], x->other[s], p_far(x, s));
}

/* As stall_together() of ode/ff_ode_implicit.c. */
FF_WARP int p_stall_together(const p_thread *t, p_implicit *x, double h, double fastest) {
  FF_NO_UNROLL for (uint32_t s = 0u; s < P_LEVELS; s++)
    x->at[s] = p_stays(x, s, h) ? ff_ode_implicit_together(x->start[s], x->slope[s], fastest) : x->start[s];
  if (!p_slopes_apart(*t, t->from, x->at, x->other)) return 0;
  FF_NO_UNROLL for (uint32_t s = 0u; s < P_LEVELS; s++)
    if (p_stays(x, s, h) && !ff_ode_implicit_stalls(h, x->start[s], x->end[s], x->slope[s], x->other[s], p_far(x, s))) return 0;
  return 1;
}

/* As stalls() there. Replaces `at` and `other`. */
FF_WARP int p_stalls(const p_thread *t, p_implicit *x, double h) {
  double fastest = 0;
  uint32_t staying = 0u;
  FF_NO_UNROLL for (uint32_t s = 0u; s < P_LEVELS; s++) {
    if (!p_stays(x, s, h)) continue;
    staying++;
    fastest = ff_ode_larger(fastest, ff_ode_implicit_haste(x->slope[s], p_far(x, s)));
    P_EACH(i, P_LEVELS) x->at[i] = x->start[i];
    x->at[s] = ff_ode_implicit_away(x->start[s], x->slope[s], p_far(x, s));
    if (p_level_stalls(t, x, s, h)) return 1;
  }
  return staying > 1u && fastest > 0 && p_stall_together(t, x, h, fastest);
}

/* All stages of a step of length h. Returns 0 if its equations cannot be solved, or a slope does not exist. */
FF_WARP int p_solve_stages(const p_thread *t, p_implicit *x, double h) {
  const ff_sparse_order order = p_elimination();
  const double shift = ff_ode_implicit_shift(h);
  int fine = 1;
  x->solved = 0;
  if (!ff_sparse_factor(&order, x->entry, -shift, x->factor, x->inverse, x->room)) return 0;
  FF_NO_UNROLL for (int i = 0; i < FF_ODE_IMPLICIT_STAGES; i++) {
    double *const k = x->k + i * (int)P_LEVELS;
    ff_ode_implicit_state(i, P_LEVELS, x->start, x->k, x->at);
    if (i == 0)
      P_EACH(s, P_LEVELS) k[s] = x->slope[s];
    else
      fine &= p_slopes_apart(*t, ff_ode_implicit_time(i, t->from, h), x->at, k);
    ff_ode_implicit_right(i, P_LEVELS, h, P_TIMED_FLOWS ? x->in_time : 0, x->k, x->other);
    ff_sparse_solve(&order, x->factor, x->inverse, x->room, k);
    if (i == 0 && !p_solves_first(x, shift)) return 0;
  }
  P_EACH(s, P_LEVELS) x->end[s] = x->at[s] + x->k[(FF_ODE_IMPLICIT_STAGES - 1) * P_LEVELS + s];
  if (p_stalls(t, x, h)) return 0;
  ff_ode_implicit_middle(P_LEVELS, x->start, x->end, x->k, x->at);
  fine &= p_slopes_apart(*t, t->from + 0.5 * h, x->at, x->other);
  ff_ode_implicit_misses(P_LEVELS, h, x->start, x->end, x->k, x->other, x->at);
  ff_sparse_solve(&order, x->factor, x->inverse, x->room, x->at);
  x->solved = 1;
  return p_slopes_apart(*t, t->from + h, x->end, x->other) && fine;
}

/* The largest error of a level, as p_error(). */
FF_WARP double p_implicit_error(const p_implicit *x) {
  double error = 0;
  P_EACH(i, P_LEVELS) {
    const double found = ff_ode_implicit_error(x->k[(FF_ODE_IMPLICIT_STAGES - 1) * P_LEVELS + i], x->at[i]);
    error = p_larger_error(error, found, x->start[i], x->end[i]);
  }
  return error;
}

/* Counts a step, as p_count_stiff() does. */
FF_WARP void p_count_implicit(p_thread *t, p_implicit *x, ff_ode_pace *pace) {
  const ff_ode_pattern pattern = p_pattern();
  double *const size = x->other;
  P_EACH(i, P_LEVELS) size[i] = P_SIZE + ff_math_absolute(x->end[i]);
  const double speed = ff_ode_implicit_fastest(&pattern, x->entry, size, x->terms);
  p_count_stiff(t, pace, pace->tried * speed > FF_ODE_STIFF_BORDER, 0);
}

FF_WARP void p_accept_implicit(p_thread *t, const p_implicit *x, double h, int limited) {
  p_end_step(t, h, limited);
  t->is |= P_BY_IMPLICIT;
  P_EACH(i, P_LEVELS) {
    double c[FF_ODE_DENSE];
    ff_ode_implicit_dense(x->start[i], x->end[i], x->k + i, P_LEVELS, c);
    p_set_curve(t, i, c);
    P_Y(i) = x->end[i];
  }
#if P_TIMED_FLOWS
  P_FIRST_LENGTH = 0;
#endif
  p_go_on_after_step(t);
}

/* The step is tried with the length that is planned. */
FF_WARP void p_try_implicit(p_thread *t, p_implicit *x, ff_ode_pace *pace, const ff_ode_plan *plan) {
  const double h = pace->tried;
  double first = h;
#if P_TIMED_FLOWS
  if (!(P_FIRST_LENGTH > 0)) P_FIRST_LENGTH = h;
  first = P_FIRST_LENGTH;
#endif
  if (plan->least || !p_differentiate(t, x, first)) {
    t->phase = P_REFUSES;
    return;
  }
  const int fine = p_solve_stages(t, x, h);
  const double error = x->solved ? p_implicit_error(x) : P_INFINITY;
  if (!p_set_pace(t, pace, plan, error, error <= 1 && fine)) return;
  if (P_AUTO) p_count_implicit(t, x, pace);
  p_accept_implicit(t, x, h, plan->limited);
}

/* As p_step(). */
P_APART p_thread p_step_implicitly(p_thread own) {
  p_thread *const t = &own;
  p_implicit x;
  ff_ode_pace pace;
  ff_ode_plan plan;
  P_EACH(i, P_LEVELS) x.start[i] = P_Y(i);
  if (!p_slopes_apart(*t, p_first_time(t), x.start, x.slope)) {
    t->phase = P_REFUSES;
    return own;
  }
  if (p_stands_still(t, x.slope)) return own;
  p_plan(t, &pace, &plan, x.start, x.slope);
  p_try_implicit(t, &x, &pace, &plan);
  return own;
}
#endif

#endif
