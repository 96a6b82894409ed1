/* What the tests of levels within a step share: polynomials with given roots, and where they pass a threshold. Exact values are
 * long doubles, whose errors are a thousandth of what rounding errors of doubles are. */
#ifndef FF_TESTS_CURVES_H
#define FF_TESTS_CURVES_H

#include <math.h>

#include "../../src/petri/within/ff_petri_curve.h"
#include "random.h"

enum { TERMS = FF_ODE_DENSE };

/* The coefficients of 1, s, s^2 ... of the dense output c, less w. */
static inline void powers_of(const double *c, long double w, long double *m) {
  m[0] = c[0] - w;
  m[1] = (long double)c[1] + c[2];
  m[2] = (long double)c[3] + c[4] - c[2];
  m[3] = -(long double)c[3] - 2 * (long double)c[4];
  m[4] = c[4];
}

/* The dense output with these coefficients, but for rounding. */
static inline void dense_of(const long double *m, double *c) {
  c[4] = (double)m[4];
  c[3] = (double)(-m[3] - 2 * m[4]);
  c[2] = (double)(-m[3] - m[4] - m[2]);
  c[1] = (double)(m[1] + m[3] + m[4] + m[2]);
  c[0] = (double)m[0];
}

static inline long double power_value(const long double *m, int degree, long double s) {
  long double value = 0;
  for (int i = degree; i >= 0; i--) value = value * s + m[i];
  return value;
}

/* Where a function that is monotone between a and b passes 0, by halving. */
static inline long double passes_zero(const long double *m, int degree, long double a, long double b) {
  const int before = power_value(m, degree, a) > 0;
  for (int i = 0; i < 80; i++) {
    const long double middle = a + (b - a) / 2;
    if ((power_value(m, degree, middle) > 0) == before)
      a = middle;
    else
      b = middle;
  }
  return b;
}

/* The points between a and b, these included, between which the polynomial is monotone, in ascending order. Returns how many. */
static inline int turning_points(const long double *m, int degree, long double a, long double b, long double *at) {
  long double slope[TERMS], turn[TERMS + 2];
  int n = 0;
  at[n++] = a;
  if (degree > 1) {
    for (int i = 0; i < degree; i++) slope[i] = m[i + 1] * (i + 1);
    const int turns = turning_points(slope, degree - 1, a, b, turn);
    for (int i = 0; i + 1 < turns; i++) {
      const long double low = power_value(slope, degree - 1, turn[i]), high = power_value(slope, degree - 1, turn[i + 1]);
      if ((low > 0) != (high > 0)) at[n++] = passes_zero(slope, degree - 1, turn[i], turn[i + 1]);
    }
  }
  at[n++] = b;
  return n;
}

/* The first s after a, up to b, at which sign * p is more than `by`, and 2 if there is none. */
static inline long double first_beyond(const long double *p, int sign, long double by, long double a, long double b) {
  long double m[TERMS], at[TERMS + 2];
  for (int i = 0; i < TERMS; i++) m[i] = sign * p[i];
  m[0] -= by;
  const int n = turning_points(m, TERMS - 1, a, b, at);
  if (power_value(m, TERMS - 1, a) > 0) return a;
  for (int i = 1; i < n; i++)
    if (power_value(m, TERMS - 1, at[i]) > 0) return passes_zero(m, TERMS - 1, at[i - 1], at[i]);
  return 2;
}

/* A number from -1 to 1, often near 0. */
static inline double around_zero(uint64_t *seed) {
  const double x = 2 * uniform(seed) - 1;
  return below(seed, 3) == 0 ? x * pow(10, -12 * uniform(seed)) : x;
}

/* Polynomials around 0: any, or with roots that are given: simple ones, pairs, touching ones, at the ends of the step. */
static inline void random_powers(uint64_t *seed, long double *m) {
  static const double apart[] = {0, 1e-6, 1e-3, 1e-9, 1e-13};
  double root[TERMS - 1];
  long double product[TERMS] = {0};
  if (below(seed, 4) == 0) {
    for (int i = 0; i < TERMS; i++) m[i] = around_zero(seed);
    return;
  }
  const int n = 1 + (int)below(seed, TERMS - 1);
  for (int i = 0; i < n; i++) root[i] = 1.4 * uniform(seed) - 0.2;
  if (n > 1 && below(seed, 2) == 0) root[1] = root[0] + apart[below(seed, 5)];
  if (below(seed, 4) == 0) root[n - 1] = below(seed, 2);
  product[0] = (below(seed, 2) ? 1 : -1) * (0.1 + uniform(seed));
  for (int i = 0; i < n; i++)
    for (int k = i + 1; k >= 0; k--) product[k] = (k > 0 ? product[k - 1] : 0) - root[i] * product[k];
  for (int i = 0; i < TERMS; i++) m[i] = product[i];
  if (below(seed, 4) == 0) m[0] += around_zero(seed) * pow(10, -14 * uniform(seed));
}

#endif
