/* Ranges of formulas: bounds of all values that a formula has while its symbols and the time are within ranges. */
#ifndef FF_FORMULA_RANGE_H
#define FF_FORMULA_RANGE_H

#include "ff_formula.h"

/* A set that holds all values: the numbers from low to high, none if low > high, and NaN if `nan` is 1. `exact` is 1 if all
 * values are the same, with the same bits: `low`, or NaN. */
typedef struct {
  double low, high;
  uint8_t nan, exact;
} ff_range;

/* What a range holds. */
typedef enum {
  FF_RANGE_COMPUTED, /* the values that ff_formula_value() computes, rounding included */
  FF_RANGE_CERTAIN,  /* and the values without the rounding errors of the parts that vary within the range. Parts that do not,
                      * such as 0.1 * floor(time) between two whole times, have the values that are computed. */
  FF_RANGE_INEXACT   /* and the values without any rounding error, also for all numbers, symbols and times that differ in the last
                      * bit and are not whole */
} ff_range_kind;

/* A range that holds the value for any symbols with low[i] <= value <= high[i] and any time in `time`. `low` and `high` may be
 * the same array. It is often wider than it must be if the formula names a symbol or the time more than once. The caller provides
 * `stack` with formula->depth entries. O(length). */
ff_range ff_formula_range(const ff_formula *formula, ff_range_kind kind, const double *low, const double *high, ff_range time,
                          ff_range *stack);

/* What is known of the symbols of a formula: `symbol` has a value from `low` to `high`, the other ones of the first n_counts are
 * from 0 to `most`, and those that follow have any value. */
typedef struct {
  uint32_t symbol, n_counts;
  double low, high, most;
} ff_formula_counts;

/* *never becomes 1 if this shows that the formula has no value below 0 at any time from 0 on, else 0. NaN is not below 0.
 * O(length). */
ff_status ff_formula_never_below(int *never, const ff_formula *formula, const ff_formula_counts *counts, ff_error *err);

#endif
