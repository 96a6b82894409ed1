/* Changes of formulas of levels, and the first ones of many conditions: ff_petri_changes_math.h has the searches. */
#include "ff_petri_changes_math.h"

double ff_petri_formula_value(const ff_petri_formula *of, const ff_petri_step *step, double s) {
  return ff_petri_formula_at(of, step, s);
}

ff_petri_found ff_petri_formula_first(const ff_petri_formula *of, const ff_petri_step *step, double was, double s0, double s1,
                                      double *s, double *now) {
  return ff_petri_change_of_formula(of, step, was, s0, s1, s, now);
}

uint32_t ff_petri_first_changes(const ff_petri_conditions *of, const ff_petri_step *step, const double *dense,
                                const double *value, double s0, double s1, ff_petri_change *change, double *until) {
  return ff_petri_change_first(of, step, dense, value, s0, s1, change, until);
}
