/* Trigonometric functions and their inverses; part of ff_math.h, which includes this file. */
#ifndef FF_MATH_TRIG_H
#define FF_MATH_TRIG_H

#include "ff_math_hyperbolic.h"

#define FF_MATH_HALF_PI_HIGH 0x1.921fb54442d18p+0
#define FF_MATH_HALF_PI_LOW 0x1.1a62633145c07p-54
#define FF_MATH_TWO_OVER_PI 0x1.45f306dc9c883p-1
#define FF_MATH_MANY_TURNS UINT64_C(0x4130000000000000) /* 2^20: from here on arguments are reduced in integers */

/* ---- reduction: x = quadrant pi/2 + r, |r| <= pi/4 ------------------------------------------------------------------------- */

/* For |x| < 2^20. pi/2 is taken in three parts of 33 bits, so that their products with the quadrant are exact, and a fourth. */
static FF_HD inline uint64_t ff_math_quadrant(double x, ff_math_two *r) {
  const double shifted = x * FF_MATH_TWO_OVER_PI + FF_MATH_ROUNDER, n = shifted - FF_MATH_ROUNDER;
  const ff_math_two a = ff_math_sum(x - n * 0x1.921fb544p+0, -(n * 0x1.0b4611a6p-34));
  const ff_math_two b = ff_math_sum(a.high, -(n * 0x1.3198a2ep-69));
  *r = ff_math_quick_sum(b.high, (a.low + b.low) - n * 0x1.b839a252049c1p-104);
  return ff_math_bits(shifted);
}

/* the upper 64 of the 128 bits of a * b */
static FF_HD inline uint64_t ff_math_upper_product(uint64_t a, uint64_t b) {
  const uint64_t low = UINT64_C(0xFFFFFFFF), a0 = a & low, a1 = a >> 32, b0 = b & low, b1 = b >> 32;
  const uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & low);
  return a1 * b1 + (middle >> 32) + (other >> 32);
}

/* For finite |x| >= 2^20 (Payne and Hanek 1983). x is an integer m of 53 bits times 2^e. Of 2/pi those bits matter whose product
 * with x is no multiple of 4, and of these 192 suffice: r has 67 correct bits or more, since no double is nearer to a multiple of
 * pi/2 than 2^-61 (Kahan; see Muller, Elementary Functions, 11.3). */
FF_SELDOM uint64_t ff_math_quadrant_large(double x, ff_math_two *r) {
  static const uint64_t two_over_pi[20] = {/* after 64 zeros, of which the last stands for the unit */
      UINT64_C(0x0000000000000000), UINT64_C(0xA2F9836E4E441529), UINT64_C(0xFC2757D1F534DDC0), UINT64_C(0xDB6295993C439041),
      UINT64_C(0xFE5163ABDEBBC561), UINT64_C(0xB7246E3A424DD2E0), UINT64_C(0x06492EEA09D1921C), UINT64_C(0xFE1DEB1CB129A73E),
      UINT64_C(0xE88235F52EBB4484), UINT64_C(0xE99C7026B45F7E41), UINT64_C(0x3991D639835339F4), UINT64_C(0x9C845F8BBDF9283B),
      UINT64_C(0x1FF897FFDE05980F), UINT64_C(0xEF2F118B5A0A6D1F), UINT64_C(0x6D367ECF27CB09B7), UINT64_C(0x4F463F669E5FEA2D),
      UINT64_C(0x7527BAC7EBE5F17B), UINT64_C(0x3D0739F78A5292EA), UINT64_C(0x6BFB5FB11F8D5D08), UINT64_C(0x56033046FC7B6BAB)};
  const uint64_t bits = ff_math_magnitude(x), m = (bits & UINT64_C(0x000FFFFFFFFFFFFF)) | FF_MATH_LEAST_NORMAL;
  const uint64_t first = (bits >> 52) - 1075u + 62u, shift = first % 64u; /* the bit worth 2 after multiplication by 2^e */
  const uint64_t *word = two_over_pi + first / 64u;
  uint64_t window[3];
  for (int i = 0; i < 3; i++) window[i] = word[i] << shift | word[i + 1] >> 1 >> (63u - shift);
  /* m * window modulo 2^192, a fixed-point number below 4, of which the upper 130 bits are kept: a quadrant and a fraction */
  const uint64_t p2 = ff_math_upper_product(m, window[2]), p1 = m * window[1] + p2;
  const uint64_t p0 = m * window[0] + ff_math_upper_product(m, window[1]) + (p1 < p2);
  uint64_t quadrant = p0 >> 62, f0 = p0 << 2 | p1 >> 62, f1 = p1 << 2 | (m * window[2]) >> 62;
  uint64_t sign = ff_math_bits(x) & FF_MATH_SIGN;
  if (sign != 0u) quadrant = 0u - quadrant;
  if (f0 >> 63 != 0u) { /* above 1/2: the next quadrant, and a negative rest */
    quadrant = sign != 0u ? quadrant - 1u : quadrant + 1u;
    sign ^= FF_MATH_SIGN;
    f1 = ~f1 + 1u;
    f0 = ~f0 + (f1 == 0u);
  }
  uint64_t exponent = 1023u - 53u;
  for (; f0 >> 63 == 0u; exponent--) {
    f0 = f0 << 1 | f1 >> 63;
    f1 <<= 1;
  }
  const double high = (double)(int64_t)(f0 >> 11) * ff_math_from_bits(exponent << 52 | sign);
  const double low = (double)(int64_t)((f0 & 0x7FFu) << 42 | f1 >> 22) * ff_math_from_bits((exponent - 53u) << 52 | sign);
  const double high_head = ff_math_head(high), half_pi_head = 0x1.921fb50000000p+0, half_pi_rest = 0x1.110b4611a6263p-26;
  *r = ff_math_quick_sum(high_head * half_pi_head,
      high_head * half_pi_rest + ((high - high_head) * FF_MATH_HALF_PI_HIGH + low * FF_MATH_HALF_PI_HIGH));
  return quadrant;
}

/* ---- sine, cosine, tangent ------------------------------------------------------------------------------------------------- */

/* z is r.high^2 rounded; z_low what it rounded away, or 0 where that matters little. */
static FF_HD inline ff_math_two ff_math_sin_two(ff_math_two r, double z, double z_low) {
  const double w = z * z;
  const double cubic = (-0x1.5555555555549p-3 + z * 0x1.111111110f8a3p-7)
      + w * ((-0x1.a01a019c157f6p-13 + z * 0x1.71de357a711d5p-19) + w * (-0x1.ae5e6802d3643p-26 + z * 0x1.5d9371ec4b5cdp-33));
  ff_math_two out;
  out.high = r.high;
  out.low = (r.high * z) * cubic + (r.low * (1.0 - 0.5 * z) - r.high * z_low);
  return out;
}

static FF_HD inline ff_math_two ff_math_cos_two(ff_math_two r, double z, double z_low) {
  const double w = z * z;
  const double quartic = (0x1.555555555554cp-5 - z * 0x1.6c16c16c1521ep-10) + w * ((0x1.a01a019cbf351p-16
      - z * 0x1.27e4f81288603p-22) + w * (0x1.1ee9f12b0badfp-29 - z * 0x1.8fb11890d4a7dp-37));
  ff_math_two out = ff_math_quick_sum(1.0, -0.5 * z);
  out.low += w * quartic - (r.high * r.low + 0.5 * z_low);
  return out;
}

/* The sine of what is `quadrant` quarters of a turn and r. */
static FF_HD inline double ff_math_sin_of(uint64_t quadrant, ff_math_two r) {
  const double z = r.high * r.high;
  const ff_math_two s = ff_math_sin_two(r, z, 0.0), c = ff_math_cos_two(r, z, 0.0);
  const double y = (quadrant & 1u) != 0u ? c.high + c.low : s.high + s.low;
  return (quadrant & 2u) != 0u ? -y : y;
}

static FF_HD inline double ff_sin(double x) {
  ff_math_two r;
  uint64_t quadrant;
  if (FF_RARELY(ff_math_magnitude(x) - FF_MATH_TINY >= FF_MATH_MANY_TURNS - FF_MATH_TINY)) {
    if (ff_math_magnitude(x) < FF_MATH_TINY) return x;
    if (ff_math_magnitude(x) >= FF_MATH_INFINITE) return ff_math_nan();
    quadrant = ff_math_quadrant_large(x, &r);
  } else {
    quadrant = ff_math_quadrant(x, &r);
  }
  return ff_math_sin_of(quadrant, r);
}

static FF_HD inline double ff_cos(double x) {
  ff_math_two r;
  uint64_t quadrant;
  if (FF_RARELY(ff_math_magnitude(x) >= FF_MATH_MANY_TURNS)) {
    if (ff_math_magnitude(x) >= FF_MATH_INFINITE) return ff_math_nan();
    quadrant = ff_math_quadrant_large(x, &r);
  } else {
    quadrant = ff_math_quadrant(x, &r);
  }
  return ff_math_sin_of(quadrant + 1u, r);
}

static FF_HD inline double ff_tan(double x) {
  ff_math_two r;
  uint64_t quadrant;
  if (FF_RARELY(ff_math_magnitude(x) - FF_MATH_TINY >= FF_MATH_MANY_TURNS - FF_MATH_TINY)) {
    if (ff_math_magnitude(x) < FF_MATH_TINY) return x;
    if (ff_math_magnitude(x) >= FF_MATH_INFINITE) return ff_math_nan();
    quadrant = ff_math_quadrant_large(x, &r);
  } else {
    quadrant = ff_math_quadrant(x, &r);
  }
  const double z = r.high * r.high, head = ff_math_head(r.high), z_low = (head * head - z) + (r.high - head) * (r.high + head);
  const ff_math_two s = ff_math_sin_two(r, z, z_low * (1.0 / 6.0)), c = ff_math_cos_two(r, z, z_low);
  const int odd = (quadrant & 1u) != 0u;
  ff_math_two above, below;
  above.high = odd ? -c.high : s.high;
  above.low = odd ? -c.low : s.low;
  below.high = odd ? s.high : c.high;
  below.low = odd ? s.low : c.low;
  return ff_math_ratio(above, below);
}

/* ---- inverses -------------------------------------------------------------------------------------------------------------- */

/* atan(x) = atan(c) + atan(t), t = (x - c) / (1 + c x), for the nearest c of 0, 1/2, 1, 3/2 and infinity: |t| <= 7/16. */
static FF_HD inline double ff_atan(double x) {
  const double size = ff_math_absolute(x);
  const uint64_t large = UINT64_C(0x4360000000000000); /* 2^55 */
  if (FF_RARELY(ff_math_bits(size) - FF_MATH_TINY >= large - FF_MATH_TINY)) {
    if (ff_math_bits(size) < FF_MATH_TINY) return x;
    return x != x ? ff_math_nan() : ff_math_signed(FF_MATH_HALF_PI_HIGH, x);
  }
  double c = 0.0, high = 0.0, low = 0.0;
  if (size >= 0.4375) {
    c = 0.5;
    high = 0x1.dac670561bb4fp-2;
    low = 0x1.a2b7f222f65e2p-56;
  }
  if (size >= 0.6875) {
    c = 1.0;
    high = 0x1.921fb54442d18p-1;
    low = 0x1.1a62633145c07p-55;
  }
  if (size >= 1.1875) {
    c = 1.5;
    high = 0x1.f730bd281f69bp-1;
    low = 0x1.007887af0cbbdp-56;
  }
  double above = size - c, below = 1.0 + c * size;
  if (size >= 2.4375) {
    above = -1.0;
    below = size;
    high = FF_MATH_HALF_PI_HIGH;
    low = FF_MATH_HALF_PI_LOW;
  }
  const double t = above / below, z = t * t, w = z * z;
  const double even = -0x1.555555555550dp-2 + w * (-0x1.2492492007cd6p-3 + w * (-0x1.745cdc4ef2038p-4
      + w * (-0x1.10d6658d7626ap-4 + w * (-0x1.97b3a15653942p-5 - w * 0x1.0ace5d0abb5afp-6))));
  const double odd = 0x1.999999998ebb7p-3 + w * (0x1.c71c6fe1ff6cbp-4 + w * (0x1.3b0f2a8fe8432p-4
      + w * (0x1.dde295e4b8577p-5 + w * 0x1.2b41b032e761fp-5)));
  return ff_math_signed(high + (t + (low + (t * z) * (even + z * odd))), x);
}

/* asin(t) - t for 0 <= t <= 1/2, from z = t^2 */
static FF_HD inline double ff_math_asin_more(double t, double z) {
  const double w = z * z;
  const double even = 0x1.5555555555387p-3 + w * (0x1.6db6db41d4ca0p-5 + w * (0x1.6e89ef7f6f6dap-6
      + w * (0x1.c6f882f16b8c6p-7 + w * (0x1.aab493822a439p-8 - w * 0x1.0af427a917ec8p-6))));
  const double odd = 0x1.333333336f86fp-4 + w * (0x1.f1c72c6d0b586p-6 + w * (0x1.1c6c2773258b3p-6
      + w * (0x1.8ee4881156331p-7 + w * (0x1.40b15a68e3211p-6 + w * 0x1.05ce2be1d2d2cp-5))));
  return (t * z) * (even + z * odd);
}

/* sqrt(z) as a sum of two doubles */
static FF_HD inline ff_math_two ff_math_root(double z) {
  ff_math_two out;
  out.high = ff_math_sqrt(z);
  const double head = ff_math_head(out.high), rest = (z - head * head) - (out.high - head) * (out.high + head);
  out.low = z > 0.0 ? rest / (2.0 * out.high) : 0.0;
  return out;
}

/* Above 1/2, asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)). */
static FF_HD inline double ff_asin(double x) {
  const double size = ff_math_absolute(x);
  if (FF_RARELY(ff_math_bits(size) - FF_MATH_TINY > FF_MATH_ONE - FF_MATH_TINY))
    return ff_math_bits(size) < FF_MATH_TINY ? x : ff_math_nan();
  const int small = size <= 0.5;
  const double z = small ? size * size : 0.5 * (1.0 - size);
  const ff_math_two root = ff_math_root(z);
  const double more = ff_math_asin_more(small ? size : root.high, z);
  const ff_math_two rest = ff_math_quick_sum(FF_MATH_HALF_PI_HIGH, -2.0 * root.high);
  const double upper = rest.high + (rest.low + (FF_MATH_HALF_PI_LOW - 2.0 * (root.low + more)));
  return ff_math_signed(small ? size + more : upper, x);
}

static FF_HD inline double ff_acos(double x) {
  const double size = ff_math_absolute(x);
  if (FF_RARELY(!(size <= 1.0))) return ff_math_nan();
  const int small = size <= 0.5;
  const double z = small ? size * size : 0.5 * (1.0 - size);
  const ff_math_two root = ff_math_root(z);
  const double more = ff_math_asin_more(small ? x : root.high, z);
  const ff_math_two near_half_pi = ff_math_quick_sum(FF_MATH_HALF_PI_HIGH, -x);
  const ff_math_two near_pi = ff_math_quick_sum(2.0 * FF_MATH_HALF_PI_HIGH, -2.0 * root.high);
  const double middle = near_half_pi.high + (near_half_pi.low + (FF_MATH_HALF_PI_LOW - more));
  const double left = near_pi.high + (near_pi.low + 2.0 * (FF_MATH_HALF_PI_LOW - (root.low + more)));
  const double right = 2.0 * (root.high + (root.low + more));
  if (small) return middle;
  return x < 0.0 ? left : right;
}

#endif
