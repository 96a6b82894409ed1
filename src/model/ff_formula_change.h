/* The times at which a formula of the time becomes true or false, or invalid. */
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
  FF_CHANGE_UNSURE, /* no change up to *at; from there on, rounding errors decide, and ff_formula_first_sure() goes on */
} ff_change;

/* Whether the formula is true at this time: 1 or 0 if this is sure, and -1 if rounding errors decide. If it is sure, it is what
 * ff_formula_value() computes. O(length). */
int ff_formula_is_sure(const ff_formula_at *f, double time);

/* Where rounding errors decide: whether they do so for few doubles only, or the truth that is computed is the same from this time
 * on for some tens of doubles. O(length). */
int ff_formula_is_steady(const ff_formula_at *f, double time);

/* Finds the first double above `from`, up to `to`, at which the formula is not as true as `truth` (0 or 1), while the symbols
 * keep their values. It is not missed, for any formula. Near it, rounding errors may let the computed truth change several times;
 * the first of these is found. If rounding errors decide for more than about 1,000 doubles, the search ends there. *at is less
 * than `to`, too, if `steps` steps do not suffice. A crossing takes about 130 steps. `from` is at least 0. O(steps * length). */
ff_change ff_formula_first_change(const ff_formula_at *f, double from, double to, int truth, uint32_t steps, double *at);

/* Rounding errors decide from the time `zone` on. Finds the time above `from`, up to `to`, at which this ends. Returns 1, and
 * *at is this time; 0 if it is none up to *at, as above. Looks at one double in each sixteenth of the distance from `zone`.
 * *doubt becomes 1 if the computed truth is not `truth` at one of them that is far from `zone`. O(steps * length). */
int ff_formula_first_sure(const ff_formula_at *f, double zone, double from, double to, int truth, uint32_t steps, double *at,
                          uint8_t *doubt);

/* The value of a propensity: a negative one is 0 if it may be so because of rounding errors. O(length). */
double ff_formula_propensity(const ff_formula_at *f, double time);

/* Whether the value of a propensity is valid: not below 0, and no NaN unless a reactant is missing. */
static FF_HD inline int ff_formula_is_valid(double value, int missing) { return value >= 0.0 || (missing && value != value); }

/* Finds the first double above `from`, up to `to`, at which this propensity is not valid. Returns 1, and *at is this time.
 * Returns 0 if there is none up to the time *at, which is less than `to` if `steps` steps do not suffice. */
int ff_formula_first_invalid(const ff_formula_at *f, double from, double to, int missing, uint32_t steps, double *at);

#endif
