/* Hyperbolic functions; part of ff_math.h, which includes this file. */
#ifndef FF_MATH_HYPERBOLIC_H
#define FF_MATH_HYPERBOLIC_H

#include "ff_math_exp.h"

/* 2^-28: a smaller x is itself what sinh, tanh, sin, tan, asin and atan of x round to, or next to it */
#define FF_MATH_TINY UINT64_C(0x3E30000000000000)

/* exp(x) / 2 and exp(-x) / 2 for 0 <= x <= 22: both come from one remainder r, by the even and the odd part of exp(r). */
static FF_HD inline void ff_math_exp_both(double x, ff_math_two *up, ff_math_two *down) {
  const ff_math_rest r = ff_math_exp_rest(x, 0.0);
  const double z = r.high * r.high;
  const double even = ff_math_exp_even(z), odd = ff_math_exp_odd(r.high, z);
  const double power = ff_math_power_of_two(r.k - 1u), inverse = ff_math_power_of_two(UINT64_C(0) - r.k - 1u);
  const ff_math_two a = ff_math_quick_sum(1.0, r.high), b = ff_math_quick_sum(1.0, -r.high);
  up->high = power * a.high;
  up->low = power * (0.5 * z + ((even + odd) + (r.low * a.high + a.low)));
  down->high = inverse * b.high;
  down->low = inverse * (0.5 * z + ((even - odd) + (b.low - r.low * b.high)));
}

static FF_HD inline ff_math_two ff_math_sinh_two(ff_math_two up, ff_math_two down) {
  ff_math_two out = ff_math_sum(up.high, -down.high);
  out.low += up.low - down.low;
  return out;
}

static FF_HD inline ff_math_two ff_math_cosh_two(ff_math_two up, ff_math_two down) {
  ff_math_two out = ff_math_quick_sum(up.high, down.high);
  out.low += up.low + down.low;
  return out;
}

/* exp(x) / 2, for x >= 22 or NaN */
FF_SELDOM double ff_math_half_exp(double x) {
  if (!(x < 711.0)) return x > 0.0 ? ff_math_infinity() : ff_math_nan();
  const ff_math_rest r = ff_math_exp_rest(x, 0.0);
  const ff_math_two e = ff_math_exp_of(r);
  return ff_math_times_power(e.high + e.low, r.k - 1u);
}

static FF_HD inline double ff_sinh(double x) {
  const double size = ff_math_absolute(x);
  const uint64_t large = UINT64_C(0x4036000000000000); /* 22 */
  if (FF_RARELY(ff_math_bits(size) - FF_MATH_TINY >= large - FF_MATH_TINY)) {
    if (x != x) return ff_math_nan();
    return ff_math_bits(size) < FF_MATH_TINY ? x : ff_math_signed(ff_math_half_exp(size), x);
  }
  ff_math_two up, down;
  ff_math_exp_both(size, &up, &down);
  const ff_math_two s = ff_math_sinh_two(up, down);
  return ff_math_signed(s.high + s.low, x);
}

static FF_HD inline double ff_cosh(double x) {
  const double size = ff_math_absolute(x);
  if (FF_RARELY(!(size < 22.0))) return ff_math_half_exp(size);
  ff_math_two up, down;
  ff_math_exp_both(size, &up, &down);
  const ff_math_two c = ff_math_cosh_two(up, down);
  return c.high + c.low;
}

static FF_HD inline double ff_tanh(double x) {
  const double size = ff_math_absolute(x);
  const uint64_t large = UINT64_C(0x4034000000000000); /* 20 */
  if (FF_RARELY(ff_math_bits(size) - FF_MATH_TINY >= large - FF_MATH_TINY)) {
    if (x != x) return ff_math_nan();
    return ff_math_bits(size) < FF_MATH_TINY ? x : ff_math_signed(1.0, x);
  }
  ff_math_two up, down;
  ff_math_exp_both(size, &up, &down);
  return ff_math_signed(ff_math_ratio(ff_math_sinh_two(up, down), ff_math_cosh_two(up, down)), x);
}

#endif
