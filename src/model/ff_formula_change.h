/* The times at which a formula of the time becomes true or false, or invalid: ff_formula_change_math.h has the searches. */
#ifndef FF_FORMULA_CHANGE_H
#define FF_FORMULA_CHANGE_H

#include "ff_formula_range.h"

/* A formula, the values of its symbols, and room for formula->depth entries. All are borrowed. */
typedef struct {
  const ff_formula *formula;
  const double *values;
  double *stack;
  ff_range *ranges;
} ff_formula_at;

typedef enum {
  FF_CHANGE_NONE,   /* no change up to *at */
  FF_CHANGE_FOUND,  /* a change at *at */
  FF_CHANGE_UNSURE, /* no change up to *at; from there on, rounding errors decide, and ff_change_first_sure() goes on */
} ff_change;

/* Whether the value of a propensity is valid: not below 0, and no NaN unless a reactant is missing. */
static FF_HD inline int ff_formula_is_valid(double value, int missing) { return value >= 0.0 || (missing && value != value); }

#endif
