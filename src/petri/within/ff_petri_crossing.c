/* Changes of formulas of levels, and the first ones of many conditions. */
#include "ff_petri_crossing.h"

#include "../../model/ff_formula_range_math.h"

/* ---- changes of a formula ----------------------------------------------------------------------------------------------- */

static int differs(double a, double b) { return !(a == b || (a != a && b != b)); }

/* 1 or 0 if all values of a range are the stored one, or none is; -1 if this is not known. */
static int is_value(const ff_petri_formula *of, ff_range x, double was) {
  if (!of->whole) {
    const int truth = ff_range_truth(x);
    return truth < 0 ? -1 : truth == (was != 0);
  }
  if (was != was ? !x.nan : !ff_range_holds(x, was)) return 0;
  if (was != was) return ff_range_is_empty(x) ? 1 : -1;
  return x.exact || (x.low == x.high && !x.nan) ? 1 : -1;
}

/* The same between two parts of the step. */
static int is_value_within(const ff_petri_formula *of, const ff_petri_step *step, double was, double a, double b) {
  ff_petri_verdict why;
  return is_value(of, ff_petri_formula_range(of, step, a, b, &why), was);
}

static int is_open_at(const ff_petri_formula *of, const ff_petri_step *step, double was, double s) {
  return is_value_within(of, step, was, s, s) < 0;
}

/* A comparison that grows or falls, and surely has another truth at the end of the part, has it from its change on. */
static ff_petri_verdict verdict_of(const ff_petri_formula *of, const ff_petri_step *step, double was, const ff_petri_search *x) {
  ff_petri_verdict why;
  const int same = is_value(of, ff_petri_formula_range(of, step, x->a, x->b, &why), was);
  if (same >= 0) return same ? FF_PETRI_SAME : FF_PETRI_OTHER;
  if (why == FF_PETRI_CROSSES && is_value_within(of, step, was, x->b, x->b) != 0) why = FF_PETRI_OPEN;
  if (why == FF_PETRI_OPEN && ff_petri_search_is_late(x) && is_open_at(of, step, was, x->a) &&
      is_open_at(of, step, was, x->b) && is_open_at(of, step, was, x->a + (x->b - x->a) / 2))
    return FF_PETRI_STILL;
  return why;
}

ff_petri_found ff_petri_formula_first(const ff_petri_formula *of, const ff_petri_step *step, double was, double s0, double s1,
                                      double *s, double *now) {
  if (is_value(of, ff_petri_formula_outline(of, step), was) == 1) return FF_PETRI_NO_CHANGE;
  ff_petri_search x = ff_petri_search_new(s0, s1, FF_PETRI_FORMULA_STEPS);
  while (ff_petri_search_next(&x)) ff_petri_search_take(&x, verdict_of(of, step, was, &x));
  *s = x.a;
  if (!x.found && x.n > 0) return FF_PETRI_UNSURE;
  /* at the end itself it may be sure, as of time >= 1 */
  if (!x.found && !(x.low < s1 && is_value_within(of, step, was, s1, s1) == 0)) return FF_PETRI_NO_CHANGE;
  *now = ff_petri_formula_value(of, step, x.high);
  while (x.high - x.low > FF_PETRI_FINEST) {
    const double middle = x.low + (x.high - x.low) / 2, value = ff_petri_formula_value(of, step, middle);
    if (differs(value, was)) {
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

/* Whether condition k surely has its old value between two parts of the step. */
static int is_same(const ff_petri_conditions *of, const ff_petri_step *step, const double *c, uint32_t k, double was, double a,
                   double b) {
  if (k >= of->n_thresholds) return is_value_within(&of->formula[k - of->n_thresholds], step, was, a, b) == 1;
  const ff_petri_curve part = ff_petri_curve_of(c, a, b);
  return ff_petri_threshold_verdict(&of->threshold[k], &part, was != 0) == FF_PETRI_SAME;
}

/* The first change of condition k, if it may come until `limit`. The search is the same for any limit, so where rounding errors
 * decide, others do not matter. */
static ff_petri_found search_one(const ff_petri_conditions *of, const ff_petri_step *step, const double *dense, uint32_t k,
                                 double was, double s0, double s1, double limit, ff_petri_change *change) {
  const double *c = k < of->n_thresholds ? dense + (size_t)of->threshold[k].level * FF_ODE_DENSE : NULL;
  change->condition = k;
  change->value = was == 0;
  if (limit < s1 && is_same(of, step, c, k, was, s0, limit)) return FF_PETRI_NO_CHANGE;
  if (c != NULL) return ff_petri_threshold_first(&of->threshold[k], c, was != 0, s0, s1, &change->s);
  return ff_petri_formula_first(&of->formula[k - of->n_thresholds], step, was, s0, s1, &change->s, &change->value);
}

/* Gives all changes the same s: that of the last one. A formula has the value there, unless rounding errors make it the old
 * one. */
static void join(const ff_petri_conditions *of, const ff_petri_step *step, const double *value, ff_petri_change *change,
                 uint32_t n) {
  double s = 0;
  for (uint32_t i = 0; i < n; i++)
    if (change[i].s > s) s = change[i].s;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t k = change[i].condition;
    const int later = change[i].s < s;
    change[i].s = s;
    if (!later || k < of->n_thresholds) continue;
    const double now = ff_petri_formula_value(&of->formula[k - of->n_thresholds], step, s);
    if (differs(now, value[k])) change[i].value = now;
  }
}

uint32_t ff_petri_first_changes(const ff_petri_conditions *of, const ff_petri_step *step, const double *dense,
                                const double *value, double s0, double s1, ff_petri_change *change, double *until) {
  double first = ff_math_infinity();
  uint32_t found = 0, n = 0;
  *until = s1;
  for (uint32_t k = 0; k < of->n_thresholds + of->n_formulas; k++) {
    const ff_petri_found how = search_one(of, step, dense, k, value[k], s0, s1, first + FF_PETRI_SURELY_APART, &change[found]);
    if (how == FF_PETRI_UNSURE && change[found].s < *until) *until = change[found].s;
    if (how != FF_PETRI_FOUND) continue;
    if (change[found].s < first) first = change[found].s;
    found++;
  }
  const double with = first + ff_petri_together(step, first), last = with < *until ? with : *until;
  for (uint32_t i = 0; i < found; i++)
    if (change[i].s <= last) change[n++] = change[i];
  join(of, step, value, change, n);
  return n;
}
