/* The functions of ff_math.h in long double, and the error of a result. */
#ifndef FF_TESTS_MATH_REFERENCE_H
#define FF_TESTS_MATH_REFERENCE_H

#include <float.h>
#include <math.h>

#include "long_double.h"
#include "math_cases.h"

static inline long double math_reference(int function, math_arguments at) {
  const long double x = at.x;
  switch (function) {
  case MATH_log: return logl(x);
  case MATH_log1p: return log1pl(x);
  case MATH_exp: return expl(x);
  case MATH_expm1: return expm1l(x);
  case MATH_pow: return powl(x, (long double)at.y);
  case MATH_sinh: return sinhl(x);
  case MATH_cosh: return coshl(x);
  case MATH_tanh: return tanhl(x);
  case MATH_sin: return sinl(x);
  case MATH_cos: return cosl(x);
  case MATH_tan: return tanl(x);
  case MATH_asin: return asinl(x);
  case MATH_acos: return acosl(x);
  case MATH_atan: return atanl(x);
  default: return 0.0L;
  }
}

/* |got - want| in units of the last place of a double near want. Infinity counts as 2^1024. 0 if both are NaN, 1e9 if one is. */
static inline double math_distance(double got, long double want) {
  if (isnan(want) || isnan(got)) return isnan(want) && isnan(got) ? 0.0 : 1e9;
  if (isinf(got)) {
    if (fabsl(want) >= 0x1p1024L) return (got > 0) == (want > 0) ? 0.0 : 1e9;
    return fabs((double)(((got > 0 ? 1.0L : -1.0L) - ldexpl(want, -1024)) * 0x1p53L));
  }
  if (isinf(want)) return 1e9;
  if (want == 0.0L) return got == 0.0 ? 0.0 : 1e9;
  int exponent;
  frexpl(want, &exponent);
  const int unit = exponent - 53 < -1074 ? -1074 : exponent - 53;
  return fabs((double)ldexpl((long double)got - want, -unit));
}

/* The largest error that ff_math.h allows. */
static inline double math_bound(int function) { return function == MATH_pow ? 2.0 : 1.0; }

#endif
