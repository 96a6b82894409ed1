/* Elementary functions whose results have the same bits on every processor and GPU: ff_log, ff_log1p, ff_exp, ff_expm1, ff_pow
 * (ff_math_exp.h), ff_sinh, ff_cosh, ff_tanh (ff_math_hyperbolic.h), ff_sin, ff_cos, ff_tan, ff_asin, ff_acos, ff_atan
 * (ff_math_trig.h). Header only, the same text for gcc, nvcc and NVRTC.
 *
 * They are made of +, -, *, /, the square root and integer operations on the bits of doubles, each of which IEEE 754 defines to
 * the last bit, in an order that the text fixes. Compilers must not fuse a product and a sum: -ffp-contract=off for gcc and
 * clang, -fmad=false for nvcc and NVRTC. The rounding mode is to nearest.
 *
 * Errors are below 1 unit in the last place, those of ff_pow below 2 (0.5 is what rounding alone costs; bench/NOTES.md has the
 * largest errors found). Zeros, infinities, NaN, subnormal numbers, overflow and underflow give the values of C99, Annex F. A
 * result that is no number is always the same NaN, whatever NaN came in. Floating-point exceptions and errno are unspecified.
 *
 * The formulas are textbook mathematics; tools/math-coefficients computes all coefficients and constants.
 */
#ifndef FF_MATH_H
#define FF_MATH_H

#include "ff_base.h"

#if defined(__FLT_EVAL_METHOD__) && !defined(__CUDACC__)
#if __FLT_EVAL_METHOD__ == 2 || __FLT_EVAL_METHOD__ < 0
#error "ff_math.h needs doubles that are computed as doubles: on 32-bit x86 compile with -msse2 -mfpmath=sse"
#endif
#endif
#if defined(__FAST_MATH__)
#error "ff_math.h gives wrong results under -ffast-math"
#endif

#if !defined(__CUDACC__) && !defined(__GNUC__)
#include <math.h>
#include <string.h>
#endif

/* ---- bits ------------------------------------------------------------------------------------------------------------- */

#define FF_MATH_SIGN UINT64_C(0x8000000000000000)
#define FF_MATH_INFINITE UINT64_C(0x7FF0000000000000)
#define FF_MATH_ONE UINT64_C(0x3FF0000000000000)
#define FF_MATH_LEAST_NORMAL UINT64_C(0x0010000000000000)

static FF_HD inline uint64_t ff_math_bits(double x) {
#if defined(__CUDA_ARCH__)
  return (uint64_t)__double_as_longlong(x);
#else
  uint64_t bits;
#if defined(__GNUC__)
  __builtin_memcpy(&bits, &x, sizeof bits);
#else
  memcpy(&bits, &x, sizeof bits);
#endif
  return bits;
#endif
}

static FF_HD inline double ff_math_from_bits(uint64_t bits) {
#if defined(__CUDA_ARCH__)
  return __longlong_as_double((long long)bits);
#else
  double x;
#if defined(__GNUC__)
  __builtin_memcpy(&x, &bits, sizeof x);
#else
  memcpy(&x, &bits, sizeof x);
#endif
  return x;
#endif
}

static FF_HD inline double ff_math_nan(void) { return ff_math_from_bits(UINT64_C(0x7FF8000000000000)); }
static FF_HD inline double ff_math_infinity(void) { return ff_math_from_bits(FF_MATH_INFINITE); }

/* The bits of |x|, in the order of the numbers; those of a NaN are above FF_MATH_INFINITE. */
static FF_HD inline uint64_t ff_math_magnitude(double x) { return ff_math_bits(x) & ~FF_MATH_SIGN; }

static FF_HD inline double ff_math_absolute(double x) { return ff_math_from_bits(ff_math_magnitude(x)); }

/* magnitude, which is not negative, with the sign of x */
static FF_HD inline double ff_math_signed(double magnitude, double x) {
  return ff_math_from_bits(ff_math_bits(magnitude) | (ff_math_bits(x) & FF_MATH_SIGN));
}

/* 2^k for -1022 <= k <= 1023; k may be given modulo 2^64 */
static FF_HD inline double ff_math_power_of_two(uint64_t k) { return ff_math_from_bits((k + 1023u) << 52); }

static FF_HD inline double ff_math_sqrt(double x) {
#if defined(__CUDA_ARCH__)
  return __dsqrt_rn(x);
#elif defined(__GNUC__)
  return __builtin_sqrt(x);
#else
  return sqrt(x);
#endif
}

/* Added to x, |x| < 2^51, this leaves the nearest integer in the last bits of the sum; subtracted again, as a double. */
#define FF_MATH_ROUNDER 0x1.8p52

/* ---- sums of two doubles ------------------------------------------------------------------------------------------------- */

/* A number as high + low, where low is small against high: about 106 bits. */
typedef struct {
  double high, low;
} ff_math_two;

/* a + b exactly */
static FF_HD inline ff_math_two ff_math_sum(double a, double b) {
  ff_math_two out;
  out.high = a + b;
  const double b_there = out.high - a;
  out.low = (a - (out.high - b_there)) + (b - b_there);
  return out;
}

/* The same where |a| >= |b| or a is 0. */
static FF_HD inline ff_math_two ff_math_quick_sum(double a, double b) {
  ff_math_two out;
  out.high = a + b;
  out.low = (a - out.high) + b;
  return out;
}

/* The upper 26 bits of x. The product of two such numbers is exact, and so is that of one and what another left, x - head(x).
 * Fused multiply-adds would save a few operations, but they are a call of 3 ns or more where the compiler may not assume the
 * instruction, as in R packages for x86-64. */
static FF_HD inline double ff_math_head(double x) { return ff_math_from_bits(ff_math_bits(x) & ~UINT64_C(0x7FFFFFF)); }

/* (n.high + n.low) / (d.high + d.low), nearly correctly rounded; each low may be as large as its high */
static FF_HD inline double ff_math_ratio(ff_math_two n, ff_math_two d) {
  n = ff_math_quick_sum(n.high, n.low);
  d = ff_math_quick_sum(d.high, d.low);
  const double inverse = 1.0 / d.high, quotient = ff_math_head(n.high * inverse), d_head = ff_math_head(d.high);
  const double rest = (n.high - quotient * d_head) - quotient * (d.high - d_head);
  return quotient + (rest + (n.low - quotient * d.low)) * inverse;
}

#include "ff_math_exp.h"
#include "ff_math_hyperbolic.h"
#include "ff_math_trig.h"

#endif
