/* Division without the checks that a compiler adds for numbers near underflow and overflow. Depends on no engine. */
#ifndef FF_DIVIDE_H
#define FF_DIVIDE_H

#include "ff_warp.h"

/* a / b, correctly rounded, for b from 1e-200 to 1e250, and a that is 0, or from 1e-20 to 100, or at least 1e-250 if the quotient
 * is from 1e-50 to 2: the quotient and the remainders are no subnormal numbers then. If b is 0 or -0, infinity or NaN, but never
 * -infinity. The device makes the same steps as the compiler's division: two of Newton's for 1 / b, and a correction of the
 * quotient by its exact remainder. tests/cuda/math.cu compares the two. */
FF_WARP double ff_divide(double a, double b) {
#if defined(__CUDA_ARCH__)
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(b));
  r = __hiloint2double(__double2hiint(r), 1);
  double e = __fma_rn(-b, r, 1.0);
  e = __fma_rn(e, e, e);
  r = __fma_rn(r, e, r);
  e = __fma_rn(-b, r, 1.0);
  r = __fma_rn(r, e, r);
  const double q = a * r;
  return __fma_rn(r, __fma_rn(-b, q, a), q);
#else
  return a / (b + 0.0); /* -0 + 0 is 0 */
#endif
}

#endif
