/* What elementary functions are made of: bits of doubles, exact sums and products. Part of ff_math.h. */
#ifndef FF_MATH_PARTS_H
#define FF_MATH_PARTS_H

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

static FF_HD inline double ff_math_from_words(uint32_t high, uint32_t low) {
  return ff_math_from_bits((uint64_t)high << 32 | low);
}

static FF_HD inline double ff_math_nan(void) { return ff_math_from_bits(UINT64_C(0x7FF8000000000000)); }
static FF_HD inline double ff_math_infinity(void) { return ff_math_from_bits(FF_MATH_INFINITE); }

/* The bits of |x|. They are in the same order as the numbers. The bits of a NaN are above FF_MATH_INFINITE. */
static FF_HD inline uint64_t ff_math_magnitude(double x) { return ff_math_bits(x) & ~FF_MATH_SIGN; }

static FF_HD inline double ff_math_absolute(double x) { return ff_math_from_bits(ff_math_magnitude(x)); }

/* `magnitude`, which must not be negative, with the sign of x */
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

/* Adding this to x, |x| < 2^51, rounds x to the nearest integer, which is then in the last bits of the sum. Subtracting it
 * again gives that integer as a double. */
#define FF_MATH_ROUNDER 0x1.8p52

/* ---- sums of two doubles ------------------------------------------------------------------------------------------------- */

/* A number represented as high + low, where |low| is small compared with |high|. It has about 106 bits. */
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

/* a + b exactly, if |a| >= |b| or a is 0 */
static FF_HD inline ff_math_two ff_math_quick_sum(double a, double b) {
  ff_math_two out;
  out.high = a + b;
  out.low = (a - out.high) + b;
  return out;
}

/* x with all but the upper 26 bits of its significand set to zero. The product of two such numbers is exact, and so is the
 * product of one of them and a remainder x - head(x). Fused multiply-adds would save a few operations. But if the compiler
 * may not assume that the processor has the instruction, as in R packages for x86-64, each is a function call of 3 ns or
 * more. */
static FF_HD inline double ff_math_head(double x) { return ff_math_from_bits(ff_math_bits(x) & ~UINT64_C(0x7FFFFFF)); }

/* (n.high + n.low) / (d.high + d.low), nearly correctly rounded. Each low part may be as large as its high part. */
static FF_HD inline double ff_math_ratio(ff_math_two n, ff_math_two d) {
  n = ff_math_quick_sum(n.high, n.low);
  d = ff_math_quick_sum(d.high, d.low);
  const double inverse = 1.0 / d.high, quotient = ff_math_head(n.high * inverse), d_head = ff_math_head(d.high);
  const double rest = (n.high - quotient * d_head) - quotient * (d.high - d_head);
  return quotient + (rest + (n.low - quotient * d.low)) * inverse;
}

#endif
