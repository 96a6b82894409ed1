/* When conditions on levels change within a step of the solver. Levels are polynomials of degree 4 in s, the part of the step.
 * Everything else that a condition reads is constant, except the time.
 *
 * A condition has a stored value, which holds at s0. A search finds the first part of (s0, s1] at which the computed value
 * surely is another one. Before this, there may be a time in which rounding errors decide. *s becomes the first s in this time
 * at which another value is computed, to FF_PETRI_FINEST. No change is missed, even if two of them are near to each other.
 * ff_petri_search.h tells what happens where rounding errors decide. The state at s is that of ff_ode_dense_value(). At s = 1,
 * it may differ by a rounding from the solver's state at the end, and the caller goes on with it. The time is ff_petri_time().
 *
 * A formula of several comparisons changes only where its value is sure. If x and y are the same, x > y | z > 0 is never surely
 * false. So each comparison should be a condition of its own.
 *
 * Thresholds need nothing but this header, which gcc, nvcc and NVRTC compile. ff_petri_bounds_math.h has values and bounds of
 * formulas for a device. */
#ifndef FF_PETRI_CROSSING_H
#define FF_PETRI_CROSSING_H

#include "../../model/ff_formula_range.h"
#include "../../ode/ff_ode_locate_math.h"
#include "ff_petri_curve.h"
#include "ff_petri_search.h"

#define FF_PETRI_THRESHOLD_STEPS 2000u
#define FF_PETRI_FORMULA_STEPS 20000u
#define FF_PETRI_MOST_CROSSINGS 1000u /* in a row, with hardly any time in between */
/* What comes together with a change is sure so much later at most, unless a level hardly moves. */
#define FF_PETRI_SURELY_APART 0x1p-20

typedef enum {
  FF_PETRI_NO_CHANGE,
  FF_PETRI_FOUND,
  FF_PETRI_UNSURE /* the steps did not suffice: there is no change up to *s, where a new search may go on */
} ff_petri_found;

/* ---- thresholds --------------------------------------------------------------------------------------------------------- */

typedef struct {
  double weight;
  uint32_t level;
  uint8_t strict; /* level > weight, not level >= weight */
} ff_petri_threshold;

static FF_HD inline int ff_petri_threshold_holds(const ff_petri_threshold *of, double level) {
  return of->strict ? level > of->weight : level >= of->weight;
}

/* What the bounds tell of level >= weight, or level > weight. */
static FF_HD inline ff_petri_verdict ff_petri_threshold_verdict(const ff_petri_threshold *of, const ff_petri_curve *x,
                                                                int holds) {
  const double w = of->weight, sign = holds ? -1 : 1; /* the level must go this way for a change */
  const int yes = of->strict ? x->low > w : x->low >= w, no = of->strict ? x->high <= w : x->high < w;
  if (yes || no) return yes == holds ? FF_PETRI_SAME : FF_PETRI_OTHER;
  if (ff_petri_curve_is_still(x)) return FF_PETRI_STILL;
  int monotone = sign * (x->b[FF_ODE_DENSE - 1] - w) > x->error;
  for (int i = 1; i < FF_ODE_DENSE; i++) monotone &= sign * (x->b[i] - x->b[i - 1]) >= 0;
  return monotone ? FF_PETRI_CROSSES : FF_PETRI_OPEN;
}

/* An s in (low, high] at which the computed truth is the new one, as at `high`, while it is the old one just before. "Just
 * before" is FF_PETRI_FINEST and the time in which the level moves by a rounding. With less, the search would go in small
 * steps through equal values. */
static FF_HD inline double ff_petri_threshold_locate(const ff_petri_threshold *of, const double *c, int holds, double low,
                                                     double high) {
  const double sign = of->strict ? -1 : 1; /* sign * (level - weight) >= 0 is the condition, or its negation if strict */
  double at_low = sign * (ff_ode_dense_value(c, low) - of->weight), at_high = sign * (ff_ode_dense_value(c, high) - of->weight);
  const int before = of->strict ? !holds : holds;
  if ((at_low >= 0) != before) at_low = before ? 0 : -0x1p-1022; /* rounding errors decide there */
  const double rounding = 0x1p-53 * (ff_math_absolute(of->weight) + ff_math_absolute(c[0]));
  const double slow = rounding * (high - low) / ff_math_absolute(at_high - at_low);
  ff_ode_bracket b = ff_ode_bracket_new(low, high, at_low, at_high, FF_PETRI_FINEST + (slow < 1 ? slow : 0));
  double s;
  while (ff_ode_bracket_next(&b, &s)) ff_ode_bracket_take(&b, s, sign * (ff_ode_dense_value(c, s) - of->weight));
  return b.high;
}

/* c has the coefficients of the level. A level that stays away takes some 10 operations; a crossing about 10 values. */
static FF_HD inline ff_petri_found ff_petri_threshold_first(const ff_petri_threshold *of, const double *c, int holds, double s0,
                                                            double s1, double *s) {
  const double gap = holds ? c[0] - of->weight : of->weight - c[0];
  if (gap > ff_petri_curve_reach(c)) return FF_PETRI_NO_CHANGE;
  ff_petri_search x = ff_petri_search_new(s0, s1, FF_PETRI_THRESHOLD_STEPS);
  while (ff_petri_search_next(&x)) {
    const ff_petri_curve part = ff_petri_curve_of(c, x.a, x.b);
    ff_petri_search_take(&x, ff_petri_threshold_verdict(of, &part, holds));
  }
  *s = x.a;
  if (!x.found) return x.n > 0 ? FF_PETRI_UNSURE : FF_PETRI_NO_CHANGE;
  *s = ff_petri_threshold_locate(of, c, holds, x.low, x.high);
  return FF_PETRI_FOUND;
}

/* ---- formulas ----------------------------------------------------------------------------------------------------------- */

/* What is known of a part of a formula between two parts of the step: see ff_petri_bounds_math.h. */
typedef struct {
  ff_range range;         /* all values */
  ff_range slope;         /* if smooth: how the value changes, for all of this part of the step */
  double middle, error;   /* if smooth: the value at the middle, and its error */
  double b[FF_ODE_DENSE]; /* if straight: the coefficients of a polynomial, as in ff_petri_curve */
  uint8_t smooth, straight;
  uint8_t truth; /* whether it is a truth that is open: of a comparison, or of several */
} ff_petri_bound;

/* A formula and its symbols: curve[i] has the coefficients of symbol i, or is NULL, and then value[i] is its value. `at`,
 * `stack` and `bound` are room: for n numbers, for formula->depth numbers and for formula->depth bounds. All are borrowed. */
typedef struct {
  const ff_formula *formula;
  uint32_t n;
  const double *const *curve;
  const double *value;
  double *at, *stack;
  ff_petri_bound *bound;
  uint8_t whole; /* changes of its value count, as of floor(x); else those of its truth, which is value != 0 */
  uint8_t clips; /* for ranges: levels below 0 count as 0 */
} ff_petri_formula;

/* The value at a part of the step; 0 or 1 if it is the truth that counts. O(n + length). */
double ff_petri_formula_value(const ff_petri_formula *of, const ff_petri_step *step, double s);

/* Bounds of all values that are computed of the formula (not of its truth) between the parts a and b of the step. If they leave
 * the truth open, *why becomes FF_PETRI_STILL if rounding errors alone do so; FF_PETRI_CROSSES if a single comparison does so,
 * whose difference only grows or only falls; else FF_PETRI_OPEN. Bounds are too wide by the square of b - a at most, where the
 * formula is smooth; those of sums and multiples of levels and of the time are as tight as those of a level. O(n + length). */
ff_range ff_petri_formula_range(const ff_petri_formula *of, const ff_petri_step *step, double a, double b,
                                ff_petri_verdict *why);

/* Wider bounds of all values, in the whole step in a fifth of the time, and between two parts of it in less than half of the
 * time. They are as tight where each level is named once. O(length). */
ff_range ff_petri_formula_outline(const ff_petri_formula *of, const ff_petri_step *step);
ff_range ff_petri_formula_span(const ff_petri_formula *of, const ff_petri_step *step, double a, double b);

/* As ff_petri_threshold_first(): `was` is the stored value, and *now becomes the new one. Some 100 times O(n + length) for a
 * change. */
ff_petri_found ff_petri_formula_first(const ff_petri_formula *of, const ff_petri_step *step, double was, double s0, double s1,
                                      double *s, double *now);

/* ---- many conditions ---------------------------------------------------------------------------------------------------- */

/* Changes that are nearer to each other than this come together. */
static FF_HD inline double ff_petri_together(const ff_petri_step *step, double s) {
  return 4 * FF_ODE_ROUNDING * (1 + ff_math_absolute(ff_petri_time(step, s)) / step->length);
}

/* Conditions are numbered from 0: thresholds, then formulas. */
typedef struct {
  uint32_t n_thresholds, n_formulas;
  const ff_petri_threshold *threshold;
  const ff_petri_formula *formula;
} ff_petri_conditions;

typedef struct {
  uint32_t condition;
  double s, value; /* its new value: 0 or 1, or that of a formula whose value counts */
} ff_petri_change;

/* Finds the first changes. dense has FF_ODE_DENSE coefficients for each level; value[k] is the stored value of condition k.
 * Returns how many conditions change, in ascending order in change[], which has room for all; their s is the same. If there is
 * none, *until is how far this is known: less than s1 if steps did not suffice. O(conditions), and each change as above. */
uint32_t ff_petri_first_changes(const ff_petri_conditions *of, const ff_petri_step *step, const double *dense,
                                const double *value, double s0, double s1, ff_petri_change *change, double *until);

#endif
