/* Values and bounds of formulas of levels within a part of a step: ff_petri_bounds_math.h has the arithmetic. */
#include "ff_petri_bounds_math.h"

double ff_petri_formula_value(const ff_petri_formula *of, const ff_petri_step *step, double s) {
  return ff_petri_formula_at(of, step, s);
}

ff_range ff_petri_formula_range(const ff_petri_formula *of, const ff_petri_step *step, double a, double b,
                                ff_petri_verdict *why) {
  return ff_petri_bound_range(of, step, a, b, why);
}

ff_range ff_petri_formula_outline(const ff_petri_formula *of, const ff_petri_step *step) {
  return ff_petri_bound_outline(of, step);
}

ff_range ff_petri_formula_span(const ff_petri_formula *of, const ff_petri_step *step, double a, double b) {
  return ff_petri_bound_span(of, step, a, b);
}
