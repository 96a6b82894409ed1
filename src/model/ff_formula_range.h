/* Ranges of formulas: bounds of all values that a formula has while its symbols and the time are within ranges, and the first
 * time at which the truth of a formula changes. */
#ifndef FF_FORMULA_RANGE_H
#define FF_FORMULA_RANGE_H

#include "ff_formula.h"

/* A set that holds all values: the numbers from low to high, none if low > high, and NaN if `nan` is 1. `exact` is 1 if all
 * values are the same, with the same bits: `low`, or NaN. */
typedef struct {
  double low, high;
  uint8_t nan, exact;
} ff_range;

/* A range that holds the value that ff_formula_value() computes, rounding included, for any symbols with low[i] <= value <=
 * high[i] and any time in `time`. `low` and `high` may be the same array. It is often wider than it must be if the formula names
 * a symbol or the time more than once. The caller provides `stack` with formula->depth entries. O(length). */
ff_range ff_formula_range(const ff_formula *formula, const double *low, const double *high, ff_range time, ff_range *stack);

/* Finds the first double above `from`, up to `to`, at which the formula is not as true as `truth` (0 or 1), while the symbols
 * keep their values. It is not missed, for any formula. Returns 1, and *at is this time. Returns 0 if there is none up to the
 * time *at, which is `to`, or less if `steps` steps do not suffice. A crossing takes about 130 steps. `from` is at least 0. The
 * caller provides the stacks with formula->depth entries. O(steps * length). */
int ff_formula_first_change(const ff_formula *formula, const double *values, double from, double to, int truth, uint32_t steps,
                            double *at, double *stack, ff_range *ranges);

/* The same for the first double at which the formula is negative or NaN. */
int ff_formula_first_invalid(const ff_formula *formula, const double *values, double from, double to, uint32_t steps, double *at,
                             double *stack, ff_range *ranges);

#endif
