/* Times at which formulas change. ff_formula_change_math.h has the searches. */
#include "ff_formula_change.h"

#define FF_CHANGE_AT const ff_formula_at *
#define FF_CHANGE_VALUE(f, time) ff_formula_value((f)->formula, (f)->values, time, (f)->stack)
#define FF_CHANGE_RANGE(f, kind, from, to)                                                                                     \
  ff_formula_range((f)->formula, kind, (f)->values, (f)->values, (ff_range){.low = (from), .high = (to)}, (f)->ranges)
#include "ff_formula_change_math.h"

int ff_formula_is_sure(const ff_formula_at *f, double time) { return ff_change_is_sure(f, time); }

int ff_formula_is_steady(const ff_formula_at *f, double time) { return ff_change_is_steady(f, time); }

int ff_formula_first_sure(const ff_formula_at *f, double zone, double from, double to, int truth, uint32_t steps, double *at,
                          uint8_t *doubt) {
  return ff_change_first_sure(f, zone, from, to, truth, steps, at, doubt);
}

ff_change ff_formula_first_change(const ff_formula_at *f, double from, double to, int truth, uint32_t steps, double *at) {
  return ff_change_first(f, from, to, truth, steps, at);
}

double ff_formula_propensity(const ff_formula_at *f, double time) { return ff_change_propensity(f, time); }

int ff_formula_first_invalid(const ff_formula_at *f, double from, double to, int missing, uint32_t steps, double *at) {
  return ff_change_first_invalid(f, from, to, missing, steps, at);
}
