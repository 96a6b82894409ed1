/* Exact sums of doubles. A sum is a whole number of units of 2^-1074, in 2,176 bits, so the order of additions changes no bit. */
#ifndef FF_REAL_SUM_H
#define FF_REAL_SUM_H

#include <math.h>
#include <string.h>

#include "ff_sum.h"

#define FF_REAL_LIMBS 34

/* Zero when all its bytes are. It holds the sum of at least 2^48 doubles. */
typedef struct {
  uint64_t limb[FF_REAL_LIMBS]; /* in two's complement, the low word first */
  uint64_t strange;             /* bits for terms that are not finite: 1 for infinity, 2 for -infinity, 4 for NaN */
} ff_real_sum;

/* Adds a double. O(1). */
void ff_real_sum_add(ff_real_sum *sum, double x);

/* Adds the product of x and y. It is exact if it is 0 or its size is from 2^-960 to 2^1023. A smaller one is added with an error
 * of at most 2^-1074, which is the same in any order; a larger one counts as NaN. O(1). */
void ff_real_sum_add_product(ff_real_sum *sum, double x, double y);

/* Adds another sum. O(limbs). */
void ff_real_sum_merge(ff_real_sum *sum, const ff_real_sum *other);

/* The sum, rounded to the nearest double; infinite or NaN if a term was. O(limbs). */
double ff_real_sum_value(const ff_real_sum *sum);

/* Sums of the first four powers. They are exact for |x| from 1e-60 to 1e75, and for 0. */
typedef struct {
  ff_real_sum power[4];
} ff_real_powers;
void ff_real_powers_add(ff_real_powers *sums, double x);
void ff_real_powers_merge(ff_real_powers *sums, const ff_real_powers *others);

/* As ff_sum_moments(). The differences of products are computed from the first 212 bits of each sum. */
ff_sum_central ff_real_moments(const ff_real_powers *sums, uint64_t n);

/* The mean of the products of n pairs minus the product of their means, from the sums of xy, x and y. */
double ff_real_covariance(const ff_real_sum *xy, const ff_real_sum *x, const ff_real_sum *y, uint64_t n);

/* Adds a 128-bit whole number, with the low word first. */
void ff_real_sum_add_whole(ff_real_sum *sum, const uint64_t whole[2]);

/* ---- what is added, for devices too ------------------------------------------------------------------------------------- */

/* fma() and the tests for infinity give the same bits everywhere, so they may come from <math.h>. */
#define FF_REAL_TERMS 6   /* of a power, at most */
#define FF_REAL_DIGITS 68 /* of 32 bits, the lowest first */

/* x y = *high + *low, within the limits of ff_real_sum_add_product(). */
static FF_HD inline void ff_real_product(double x, double y, double *high, double *low) {
  *high = x * y;
  *low = fma(x, y, -*high);
}

/* The terms of a power of x, from 1 to 4, the same as those that ff_real_powers_add() adds. Returns how many they are. */
static FF_HD inline int ff_real_power(double x, int power, double term[FF_REAL_TERMS]) {
  double high, low;
  term[0] = x;
  if (power == 1) return 1;
  ff_real_product(x, x, &high, &low);
  term[0] = high;
  term[1] = low;
  if (power == 2) return 2;
  if (power == 3) {
    ff_real_product(high, x, term, term + 1);
    ff_real_product(low, x, term + 2, term + 3);
    return 4;
  }
  ff_real_product(high, high, term, term + 1);
  ff_real_product(2 * high, low, term + 2, term + 3);
  ff_real_product(low, low, term + 4, term + 5);
  return 6;
}

/* The bits for a term that is not finite, or 0. */
static FF_HD inline uint32_t ff_real_strange(double x) {
  if (isfinite(x)) return 0;
  return isnan(x) ? 4 : x < 0 ? 2 : 1;
}

/* A finite double as three digits of a sum, from number *at on. All have the sign of x. */
static FF_HD inline void ff_real_digits(double x, uint32_t *at, int64_t digit[3]) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  const uint32_t exponent = (uint32_t)(bits >> 52) & 0x7FF, place = exponent > 0 ? exponent - 1 : 0, shift = place % 32;
  const uint64_t mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | (uint64_t)(exponent > 0) << 52, rest = mantissa >> (32 - shift);
  const int64_t sign = bits >> 63 ? -1 : 1;
  *at = place / 32;
  digit[0] = sign * (int64_t)(uint32_t)(mantissa << shift);
  digit[1] = sign * (int64_t)(uint32_t)rest;
  digit[2] = sign * (int64_t)(rest >> 32);
}

/* Adds digits, each a sum of at most 2^30 of those above, in two's complement. O(digits). */
void ff_real_sum_add_digits(ff_real_sum *sum, const uint64_t digit[FF_REAL_DIGITS]);

#endif
