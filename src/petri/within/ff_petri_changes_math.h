/* Changes of formulas of levels, and the first ones of many conditions. gcc, nvcc and NVRTC can compile the text; no kernel uses
 * it yet. ff_petri_crossing.h says what ff_petri_change_of_formula() and ff_petri_change_first() do, as
 * ff_petri_formula_first() and ff_petri_first_changes(). */
#ifndef FF_PETRI_CHANGES_MATH_H
#define FF_PETRI_CHANGES_MATH_H

#include "ff_petri_bounds_math.h"

/* ---- changes of a formula ----------------------------------------------------------------------------------------------- */

static FF_HD inline int ff_petri_change_differs(double a, double b) { return !(a == b || (a != a && b != b)); }

/* 1 or 0 if all values of a range are the stored one, or none is; -1 if this is not known. */
static FF_HD inline int ff_petri_change_is_value(const ff_petri_formula *of, ff_range x, double was) {
  if (!of->whole) {
    const int truth = ff_range_truth(x);
    return truth < 0 ? -1 : truth == (was != 0);
  }
  if (was != was ? !x.nan : !ff_range_holds(x, was)) return 0;
  if (was != was) return ff_range_is_empty(x) ? 1 : -1;
  return x.exact || (x.low == x.high && !x.nan) ? 1 : -1;
}

/* The same between two parts of the step. */
static FF_HD inline int ff_petri_change_is_value_within(const ff_petri_formula *of, const ff_petri_step *step, double was,
                                                        double a, double b) {
  ff_petri_verdict why;
  return ff_petri_change_is_value(of, FF_PETRI_RANGE(of, step, a, b, &why), was);
}

static FF_HD inline int ff_petri_change_is_open_at(const ff_petri_formula *of, const ff_petri_step *step, double was, double s) {
  return ff_petri_change_is_value_within(of, step, was, s, s) < 0;
}

/* A comparison that grows or falls, and surely has another truth at the end of the part, has it from its change on. */
static FF_HD inline ff_petri_verdict ff_petri_change_verdict(const ff_petri_formula *of, const ff_petri_step *step, double was,
                                                             const ff_petri_search *x) {
  ff_petri_verdict why;
  const int same = ff_petri_change_is_value(of, FF_PETRI_RANGE(of, step, x->a, x->b, &why), was);
  if (same >= 0) return same ? FF_PETRI_SAME : FF_PETRI_OTHER;
  if (why == FF_PETRI_CROSSES && ff_petri_change_is_value_within(of, step, was, x->b, x->b) != 0) why = FF_PETRI_OPEN;
  if (why == FF_PETRI_OPEN && ff_petri_search_is_late(x) && ff_petri_change_is_open_at(of, step, was, x->a) &&
      ff_petri_change_is_open_at(of, step, was, x->b) && ff_petri_change_is_open_at(of, step, was, x->a + (x->b - x->a) / 2))
    return FF_PETRI_STILL;
  return why;
}

static FF_HD inline ff_petri_found ff_petri_change_of_formula(const ff_petri_formula *of, const ff_petri_step *step, double was,
                                                              double s0, double s1, double *s, double *now) {
  if (ff_petri_change_is_value(of, FF_PETRI_OUTLINE(of, step), was) == 1) return FF_PETRI_NO_CHANGE;
  ff_petri_search x = ff_petri_search_new(s0, s1, FF_PETRI_FORMULA_STEPS);
  while (ff_petri_search_next(&x)) ff_petri_search_take(&x, ff_petri_change_verdict(of, step, was, &x));
  *s = x.a;
  if (!x.found && x.n > 0) return FF_PETRI_UNSURE;
  /* at the end itself it may be sure, as of time >= 1 */
  if (!x.found && !(x.low < s1 && ff_petri_change_is_value_within(of, step, was, s1, s1) == 0)) return FF_PETRI_NO_CHANGE;
  *now = FF_PETRI_VALUE(of, step, x.high);
  while (x.high - x.low > FF_PETRI_FINEST) {
    const double middle = x.low + (x.high - x.low) / 2, value = FF_PETRI_VALUE(of, step, middle);
    if (ff_petri_change_differs(value, was)) {
      x.high = middle;
      *now = value;
    } else {
      x.low = middle;
    }
  }
  *s = x.high;
  return FF_PETRI_FOUND;
}

/* ---- many conditions ---------------------------------------------------------------------------------------------------- */

/* What comes together with a change is sure so much later at most, unless a level hardly moves. */
#define FF_PETRI_SURELY_APART 0x1p-20

/* Whether condition k surely has its old value between two parts of the step. */
static FF_HD inline int ff_petri_change_is_same(const ff_petri_conditions *of, const ff_petri_step *step, const double *c,
                                                uint32_t k, double was, double a, double b) {
  if (k >= of->n_thresholds) return ff_petri_change_is_value_within(&of->formula[k - of->n_thresholds], step, was, a, b) == 1;
  const ff_petri_curve part = ff_petri_curve_of(c, a, b);
  return ff_petri_threshold_verdict(&of->threshold[k], &part, was != 0) == FF_PETRI_SAME;
}

/* The first change of condition k, if it may come until `limit`. The search is the same for any limit, so where rounding errors
 * decide, others do not matter. */
static FF_HD inline ff_petri_found ff_petri_change_search(const ff_petri_conditions *of, const ff_petri_step *step,
                                                          const double *dense, uint32_t k, double was, double s0, double s1,
                                                          double limit, ff_petri_change *change) {
  const double *c = k < of->n_thresholds ? dense + (size_t)of->threshold[k].level * FF_ODE_DENSE : NULL;
  change->condition = k;
  change->value = was == 0;
  if (limit < s1 && ff_petri_change_is_same(of, step, c, k, was, s0, limit)) return FF_PETRI_NO_CHANGE;
  if (c != NULL) return ff_petri_threshold_first(&of->threshold[k], c, was != 0, s0, s1, &change->s);
  return ff_petri_change_of_formula(&of->formula[k - of->n_thresholds], step, was, s0, s1, &change->s, &change->value);
}

/* Gives all changes the same s: that of the last one. A formula has the value there, unless rounding errors make it the old
 * one. */
static FF_HD inline void ff_petri_change_join(const ff_petri_conditions *of, const ff_petri_step *step, const double *value,
                                              ff_petri_change *change, uint32_t n) {
  double s = 0;
  for (uint32_t i = 0; i < n; i++)
    if (change[i].s > s) s = change[i].s;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t k = change[i].condition;
    const int later = change[i].s < s;
    change[i].s = s;
    if (!later || k < of->n_thresholds) continue;
    const double now = FF_PETRI_VALUE(&of->formula[k - of->n_thresholds], step, s);
    if (ff_petri_change_differs(now, value[k])) change[i].value = now;
  }
}

static FF_HD inline uint32_t ff_petri_change_first(const ff_petri_conditions *of, const ff_petri_step *step, const double *dense,
                                                   const double *value, double s0, double s1, ff_petri_change *change,
                                                   double *until) {
  double first = ff_math_infinity();
  uint32_t found = 0, n = 0;
  *until = s1;
  for (uint32_t k = 0; k < of->n_thresholds + of->n_formulas; k++) {
    const double limit = first + FF_PETRI_SURELY_APART;
    const ff_petri_found how = ff_petri_change_search(of, step, dense, k, value[k], s0, s1, limit, &change[found]);
    if (how == FF_PETRI_UNSURE && change[found].s < *until) *until = change[found].s;
    if (how != FF_PETRI_FOUND) continue;
    if (change[found].s < first) first = change[found].s;
    found++;
  }
  const double with = first + ff_petri_together(step, first), last = with < *until ? with : *until;
  for (uint32_t i = 0; i < found; i++)
    if (change[i].s <= last) change[n++] = change[i];
  ff_petri_change_join(of, step, value, change, n);
  return n;
}

#endif
