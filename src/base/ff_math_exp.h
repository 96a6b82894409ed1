/* Logarithm, exponential function and powers; part of ff_math.h, which includes this file. */
#ifndef FF_MATH_EXP_H
#define FF_MATH_EXP_H

#include "ff_math.h"

#define FF_MATH_LN2_HIGH 0x1.62e42fefa38p-1 /* 42 bits: exact times an exponent */
#define FF_MATH_LN2_LOW 0x1.ef35793c7673p-45
#define FF_MATH_INVERSE_LN2 0x1.71547652b82fep+0

/* ---- logarithm ---------------------------------------------------------------------------------------------------------- */

/* x = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt(2) */
typedef struct {
  double k, f;
} ff_math_scaled;

/* Takes the bits of a positive normal number. */
static FF_HD inline ff_math_scaled ff_math_scale(uint64_t bits) {
  const uint64_t half_root = UINT64_C(0x3FE6A09E667F3BCD); /* sqrt(1/2) */
  ff_math_scaled out;
  bits += FF_MATH_ONE - half_root; /* the exponent grows by 1 where the significand is sqrt(2) or more */
  out.k = ff_math_from_bits((bits >> 52) | UINT64_C(0x4330000000000000)) - (0x1p52 + 1023.0);
  out.f = ff_math_from_bits((bits & UINT64_C(0x000FFFFFFFFFFFFF)) + half_root) - 1.0;
  return out;
}

/* k log(2) + log(1 + f) + more, where more is tiny. With s = f / (2 + f), log(1 + f) = 2 atanh(s) = 2 s + s R(s^2), and
 * 2 s = f - s f = f - f^2 / 2 + s f^2 / 2, where the largest term, f, is exact. */
static FF_HD inline double ff_math_log_of(ff_math_scaled x, double more) {
  const double f = x.f, s = f / (2.0 + f), z = s * s, w = z * z, half_square = 0.5 * f * f;
  const double odd = z * (0x1.5555555555592p-1 + w * (0x1.24924941e426fp-2
      + w * (0x1.74663da4a864cp-3 + w * 0x1.2f04d05e3dfc6p-3)));
  const double even = w * (0x1.999999997fefbp-2 + w * (0x1.c71c521173194p-3 + w * 0x1.39a1d22ae0fb1p-3));
  const double small = s * (half_square + (odd + even)) + (x.k * FF_MATH_LN2_LOW + more);
  return x.k * FF_MATH_LN2_HIGH - ((half_square - small) - f);
}

/* log(x) of a positive normal number, unchecked: without a branch, so that loops over it become vector code. */
static FF_HD inline double ff_log_normal(double x) { return ff_math_log_of(ff_math_scale(ff_math_bits(x)), 0.0); }

FF_SELDOM double ff_math_log_rare(double x) {
  if (x == 0.0) return -ff_math_infinity();
  if (!(x > 0.0)) return ff_math_nan();
  if (ff_math_bits(x) == FF_MATH_INFINITE) return x;
  ff_math_scaled scaled = ff_math_scale(ff_math_bits(x * 0x1p54)); /* subnormal */
  scaled.k -= 54.0;
  return ff_math_log_of(scaled, 0.0);
}

static FF_HD inline double ff_log(double x) {
  const uint64_t bits = ff_math_bits(x);
  if (FF_RARELY(bits - FF_MATH_LEAST_NORMAL >= FF_MATH_INFINITE - FF_MATH_LEAST_NORMAL)) return ff_math_log_rare(x);
  return ff_math_log_of(ff_math_scale(bits), 0.0);
}

/* log(1 + x) */
static FF_HD inline double ff_log1p(double x) {
  const uint64_t tiny = UINT64_C(0x3C90000000000000); /* 2^-54 */
  if (FF_RARELY(ff_math_magnitude(x) - tiny >= FF_MATH_INFINITE - tiny || x <= -1.0)) {
    if (ff_math_magnitude(x) < tiny) return x;
    if (x == -1.0) return -ff_math_infinity();
    return x > 0.0 ? x : ff_math_nan();
  }
  const double sum = 1.0 + x, lost = x > 1.0 ? 1.0 - (sum - x) : x - (sum - 1.0);
  ff_math_scaled scaled = ff_math_scale(ff_math_bits(sum));
  double more = lost / sum;
  if (scaled.k == 0.0) {
    scaled.f = x;
    more = 0.0;
  }
  return ff_math_log_of(scaled, more);
}

/* ---- exponential function ----------------------------------------------------------------------------------------------- */

/* What is left of an argument when k log(2) is taken away: |high + low| <= log(2) / 2, low is at most half an ulp of high. */
typedef struct {
  uint64_t k; /* modulo 2^64 */
  double high, low;
} ff_math_rest;

/* Of x + more, |x| < 2000 and |more| < 5e-5. */
static FF_HD inline ff_math_rest ff_math_exp_rest(double x, double more) {
  const double shifted = x * FF_MATH_INVERSE_LN2 + FF_MATH_ROUNDER, k = shifted - FF_MATH_ROUNDER;
  const ff_math_two r = ff_math_quick_sum(x - k * FF_MATH_LN2_HIGH, more - k * FF_MATH_LN2_LOW);
  ff_math_rest out;
  out.k = ff_math_bits(shifted) - UINT64_C(0x4338000000000000);
  out.high = r.high;
  out.low = r.low;
  return out;
}

/* cosh(r) - 1 - r^2 / 2 and sinh(r) - r for |r| <= log(2) / 2, from z = r^2 */
static FF_HD inline double ff_math_exp_even(double z) {
  const double w = z * z;
  return w * (((0x1.5555555555558p-5 + z * 0x1.6c16c16c14ffap-10) + w * (0x1.a01a01ad81044p-16 + z * 0x1.27e4cc0908f3ap-22))
      + (w * w) * 0x1.1f8bef233396ep-29);
}
static FF_HD inline double ff_math_exp_odd(double r, double z) {
  const double w = z * z;
  return (r * z) * (((0x1.5555555555555p-3 + z * 0x1.1111111111387p-7) + w * (0x1.a01a019ea0689p-13 + z * 0x1.71de4082e3234p-19))
      + (w * w) * (0x1.ae4ccdfdfe931p-26 + z * 0x1.82be9d35a6e23p-33));
}

/* exp(r.high + r.low) = exp(r.high) (1 + r.low). 1 + r.high is exact, r.high^2 / 2 the largest term after it. */
static FF_HD inline ff_math_two ff_math_exp_of(ff_math_rest r) {
  const double z = r.high * r.high;
  ff_math_two out = ff_math_quick_sum(1.0, r.high);
  out.low = 0.5 * z + ((ff_math_exp_even(z) + ff_math_exp_odd(r.high, z)) + (r.low * out.high + out.low));
  return out;
}

/* y 2^k for any |k| < 2000, 1/2 < y < 2, with one rounding */
FF_SELDOM double ff_math_times_power(double y, uint64_t k) {
  const uint64_t part = (k + 4096u) / 2u - 2048u;
  return (y * ff_math_power_of_two(part)) * ff_math_power_of_two(k - part);
}

/* exp(x + more) for any x, |more| < 5e-5 */
static FF_HD inline double ff_math_exp_sum(double x, double more) {
  const int rare = ff_math_magnitude(x) > UINT64_C(0x4086200000000000); /* 708 */
  if (FF_RARELY(rare)) {
    if (!(x < 710.0)) return x > 0.0 ? ff_math_infinity() : ff_math_nan();
    if (x < -746.0) return 0.0;
  }
  const ff_math_rest r = ff_math_exp_rest(x, more);
  const ff_math_two e = ff_math_exp_of(r);
  const double y = e.high + e.low;
  if (FF_RARELY(rare)) return ff_math_times_power(y, r.k);
  return ff_math_from_bits(ff_math_bits(y) + (r.k << 52));
}

static FF_HD inline double ff_exp(double x) { return ff_math_exp_sum(x, 0.0); }

/* exp(x) for |x| <= 708, unchecked: without a branch, so that loops over it become vector code. */
static FF_HD inline double ff_exp_normal(double x) {
  const ff_math_rest r = ff_math_exp_rest(x, 0.0);
  const ff_math_two e = ff_math_exp_of(r);
  return ff_math_from_bits(ff_math_bits(e.high + e.low) + (r.k << 52));
}

/* exp(x) - 1 */
static FF_HD inline double ff_expm1(double x) {
  const uint64_t tiny = UINT64_C(0x3C90000000000000), large = UINT64_C(0x4044000000000000); /* 2^-54, 40 */
  if (FF_RARELY(ff_math_magnitude(x) - tiny >= large - tiny)) {
    if (ff_math_magnitude(x) < tiny) return x;
    if (x < 0.0) return -1.0;
    return ff_exp(x);
  }
  const ff_math_rest r = ff_math_exp_rest(x, 0.0);
  const ff_math_two e = ff_math_exp_of(r);
  const double power = ff_math_power_of_two(r.k);
  const ff_math_two less = ff_math_sum(power * e.high, -1.0);
  return less.high + (less.low + power * e.low);
}

/* ---- powers ------------------------------------------------------------------------------------------------------------- */

/* k log(2) + log(1 + f) to about 63 bits. With s = f / (2 + f) and z = s^2, log(1 + f) = 2 s + 2 s z / 3 (1 + U(z)). 2 s and
 * 2 s z / 3 are sums of two doubles, the upper ones exact products of heads. */
static FF_HD inline ff_math_two ff_math_log_two(ff_math_scaled x) {
  const double f = x.f, third = 0x1.5555555555555p-2;
  const double quotient = f / (2.0 + f), early = quotient * quotient, q = early * early; /* near enough to z for U */
  const double u = ((0x1.3333333333464p-1 + early * 0x1.b6db6db683c21p-2)
      + q * (0x1.555555a20c1ccp-2 + early * 0x1.1745af6a9657ep-2))
      + (q * q) * ((0x1.d8ae61d549140p-3 + early * 0x1.973ff2557c1e6p-3) + q * 0x1.9562659a9341fp-3);
  const double s = ff_math_head(quotient), f_head = ff_math_head(f);
  /* what is left of f, times 1 / (2 + f) = (1 - s) / 2 */
  const double s_low = (((f - 2.0 * s) - s * f_head) - s * (f - f_head)) * (0.5 - 0.5 * quotient);
  const double square = s * s, square_more = s_low * (2.0 * s + s_low), z = square + square_more;
  const double square_head = ff_math_head(square), square_low = (square - square_head) + square_more;
  const double part = ff_math_head(quotient * third), part_low = ((s - 3.0 * part) + s_low) * third; /* s / 3 */
  const double cubic = square_head * part, cubic_low = square_head * part_low + square_low * (part + part_low);
  const ff_math_two sum = ff_math_quick_sum(x.k * FF_MATH_LN2_HIGH, 2.0 * s);
  const ff_math_two more = ff_math_quick_sum(sum.high, 2.0 * cubic);
  const double low = (x.k * FF_MATH_LN2_LOW + sum.low) + 2.0 * ((s_low + cubic_low) + (cubic + cubic_low) * (z * u));
  return ff_math_quick_sum(more.high, more.low + low);
}

/* exp(y log(x)) for 2^-65 <= |y| <= 2^65 */
static FF_HD inline double ff_math_pow_of(ff_math_scaled x, double y) {
  const ff_math_two l = ff_math_log_two(x);
  const double l_head = ff_math_head(l.high), y_head = ff_math_head(y);
  return ff_math_exp_sum(l_head * y_head, y_head * ((l.high - l_head) + l.low) + (y - y_head) * (l.high + l.low));
}

/* 1 where y is an odd integer, 2 where it is an even one or infinite, 0 where it is none. */
FF_SELDOM int ff_math_parity(double y) {
  const uint64_t bits = ff_math_magnitude(y), exponent = bits >> 52;
  if (exponent < 1023u) return bits == 0u ? 2 : 0;
  if (exponent > 1075u) return 2;
  const uint64_t significand = (bits & UINT64_C(0x000FFFFFFFFFFFFF)) | FF_MATH_LEAST_NORMAL,
      unit = UINT64_C(1) << (1075u - exponent);
  if ((significand & (unit - 1u)) != 0u) return 0;
  return (significand & unit) != 0u ? 1 : 2;
}

FF_SELDOM double ff_math_pow_rare(double x, double y) {
  if (y == 0.0 || x == 1.0) return 1.0;
  if (x != x || y != y) return ff_math_nan();
  const int parity = ff_math_parity(y), negative = (ff_math_bits(x) & FF_MATH_SIGN) != 0u;
  const double sign = negative && parity == 1 ? -1.0 : 1.0;
  double base = ff_math_absolute(x);
  if (base == 0.0 || base == ff_math_infinity()) return sign * ((base == 0.0) == (y > 0.0) ? 0.0 : ff_math_infinity());
  if (negative && parity == 0) return ff_math_nan();
  if (base == 1.0) return sign;
  if (ff_math_absolute(y) > 0x1p65) return (base > 1.0) == (y > 0.0) ? ff_math_infinity() : 0.0;
  if (ff_math_absolute(y) < 0x1p-65) return 1.0;
  double more = 0.0;
  if (base < 0x1p-1022) {
    base *= 0x1p54;
    more = 54.0;
  }
  ff_math_scaled scaled = ff_math_scale(ff_math_bits(base));
  scaled.k -= more;
  return sign * ff_math_pow_of(scaled, y);
}

static FF_HD inline double ff_pow(double x, double y) {
  const uint64_t bits = ff_math_bits(x), least = UINT64_C(0x3BE0000000000000), most = UINT64_C(0x4400000000000000); /* 2^-65,
      2^65 */
  if (FF_RARELY(bits - FF_MATH_LEAST_NORMAL >= FF_MATH_INFINITE - FF_MATH_LEAST_NORMAL ||
      ff_math_magnitude(y) - least > most - least))
    return ff_math_pow_rare(x, y);
  return ff_math_pow_of(ff_math_scale(bits), y);
}

#endif
