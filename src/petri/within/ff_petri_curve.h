/* Levels within a step of the solver: polynomials of degree 4 in s, the part of the step, which goes from 0 to 1. This header
 * has bounds of all values that ff_ode_dense_value() computes in a part of the step. gcc, nvcc and NVRTC compile the same text.
 * All calls take O(1) for a level.
 *
 * A polynomial lies between the least and the largest of its coefficients in Bernstein's form. They are near to it where it is
 * nearly straight. `error` bounds the rounding errors of these coefficients and of the values that are computed. */
#ifndef FF_PETRI_CURVE_H
#define FF_PETRI_CURVE_H

#include "../../ode/ff_ode_explicit_math.h"

/* The step. */
typedef struct {
  double from, to, length; /* to is from + length, but for rounding */
} ff_petri_step;

/* Coefficients in Bernstein's form, for the polynomial between two parts of a step. */
typedef struct {
  double b[FF_ODE_DENSE], low, high, error; /* all values are from low to high, which include `error` */
} ff_petri_curve;

/* The time at a part of the step. It does not fall as s grows. */
static FF_HD inline double ff_petri_time(const ff_petri_step *step, double s) {
  const double t = step->from + step->length * s;
  return s < 1 && t < step->to ? t : step->to;
}

/* Sets the bounds from coefficients and their error. NaN makes bounds that are NaN, which decide nothing. */
static FF_HD inline void ff_petri_curve_bound(ff_petri_curve *x) {
  double low = x->b[0], high = x->b[0];
  for (int i = 1; i < FF_ODE_DENSE; i++) {
    low = x->b[i] < low ? x->b[i] : low;
    high = x->b[i] > high ? x->b[i] : high;
  }
  x->low = low - x->error;
  x->high = high + x->error;
}

/* The polynomial with the coefficients c of the dense output, between the parts a and b of the step.
 *
 * Coefficients d are those of p(s) - c[0], so that what is computed of them has errors in proportion to b: with u = 2^-53 and
 * S = |c[1]| + ... + |c[4]|, all |d| are at most S, the four rounds that cut at b leave errors below 40 u b S, those that cut
 * at a below 60 u b S, and ff_ode_dense_value() has an error below 10 u b S. The sum with c[0] is rounded here and there,
 * which gives 2 u |p|. A level that does not move has no error. */
static FF_HD inline ff_petri_curve ff_petri_curve_of(const double *c, double a, double b) {
  ff_petri_curve x;
  double *d = x.b;
  const double size = ff_math_absolute(c[1]) + ff_math_absolute(c[2]) + ff_math_absolute(c[3]) + ff_math_absolute(c[4]);
  d[0] = 0;
  d[1] = (c[1] + c[2]) / 4;
  d[2] = c[1] / 2 + c[2] / 3 + (c[3] + c[4]) / 6;
  d[3] = c[1] * 0.75 + (c[2] + c[3]) / 4;
  d[4] = c[1];
  if (b < 1)
    for (int k = 1; k < FF_ODE_DENSE; k++)
      for (int i = FF_ODE_DENSE - 1; i >= k; i--) d[i] = d[i - 1] + b * (d[i] - d[i - 1]);
  if (a > 0)
    for (int k = 1; k < FF_ODE_DENSE; k++)
      for (int i = 0; i < FF_ODE_DENSE - k; i++) d[i] += a / b * (d[i + 1] - d[i]);
  for (int i = 0; i < FF_ODE_DENSE; i++) d[i] += c[0];
  x.error = size == 0 ? 0 : 0x1p-52 * (ff_math_absolute(c[0]) + 64 * b * size) + 0x1p-1060;
  ff_petri_curve_bound(&x);
  return x;
}

/* How far values are from c[0] at most, computed or not: s (1 - s), s^2 (1 - s) and s^2 (1 - s)^2 are at most 1/4. */
static FF_HD inline double ff_petri_curve_reach(const double *c) {
  const double reach = ff_math_absolute(c[1]) + (ff_math_absolute(c[2]) + ff_math_absolute(c[3]) + ff_math_absolute(c[4])) / 4;
  return reach + 0x1p-48 * (reach + ff_math_absolute(c[0]));
}

/* Sets the coefficients of a polynomial that has these values at the parts 0, 1/4, 1/2, 3/4 and 1 of the step. With them,
 * ff_petri_threshold_first() searches what is no level, such as ff_petri_excess(). */
static FF_HD inline void ff_petri_curve_through(const double *value, double *c) {
  const double by = value[4] - value[0]; /* what is left of the values, over s (1 - s), is c[2] + c[3] s + c[4] s (1 - s) */
  const double quarter = (value[1] - value[0] - by / 4) * (16.0 / 3), half = (value[2] - value[0] - by / 2) * 4;
  const double three = (value[3] - value[0] - by * 0.75) * (16.0 / 3);
  c[0] = value[0];
  c[1] = by;
  c[3] = 2 * (three - quarter);
  c[4] = 16 * (half - (quarter + three) / 2);
  c[2] = half - c[3] / 2 - c[4] / 4;
}

/* Whether nothing but rounding errors moves the values. */
static FF_HD inline int ff_petri_curve_is_still(const ff_petri_curve *x) { return !(x->high - x->low > 4 * x->error); }

/* Bounds of n levels between the parts a and b of the step: dense has FF_ODE_DENSE coefficients for each. O(n). */
static FF_HD inline void ff_petri_levels_range(const double *dense, uint32_t n, double a, double b, double *low, double *high) {
  for (uint32_t i = 0; i < n; i++) {
    const ff_petri_curve x = ff_petri_curve_of(dense + (size_t)i * FF_ODE_DENSE, a, b);
    low[i] = x.low;
    high[i] = x.high;
  }
}

#endif
