/* Exact sums: 128-bit integers, stored as two 64-bit words with the low word first. The order of additions does not matter. */
#ifndef FF_SUM_H
#define FF_SUM_H

#include "ff_base.h"

static FF_HD inline void ff_sum_add(uint64_t sum[2], uint64_t low, uint64_t high) {
  sum[0] += low;
  sum[1] += high + (sum[0] < low);
}

/* Adds the product of a and b with all its 128 bits. */
static FF_HD inline void ff_sum_add_product(uint64_t sum[2], uint64_t a, uint64_t b) {
  const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
  const uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0, p11 = a1 * b1;
  const uint64_t middle = (p00 >> 32) + (uint32_t)p01 + (uint32_t)p10;
  ff_sum_add(sum, (uint32_t)p00 | middle << 32, p11 + (p01 >> 32) + (p10 >> 32) + (middle >> 32));
}

/* The sum as a double: each word is rounded to a double, and the two are added. */
static FF_HD inline double ff_sum_value(const uint64_t sum[2]) {
  return (double)sum[1] * 18446744073709551616.0 + (double)sum[0];
}

/* A sum can be split into four 32-bit limbs, lowest first, each in a 64-bit word of its own. Then 2^32 limbs can be added
 * without carries, and a device can add them by atomic operations in any order. ff_sum_add_limbs() adds the sum that four
 * limbs represent. */
#define FF_SUM_LIMBS 4
static FF_HD inline void ff_sum_add_limbs(uint64_t sum[2], const uint64_t limbs[FF_SUM_LIMBS]) {
  ff_sum_add(sum, limbs[0], 0);
  ff_sum_add(sum, limbs[1] << 32, limbs[1] >> 32);
  ff_sum_add(sum, 0, limbs[2]);
  ff_sum_add(sum, 0, limbs[3] << 32);
}

/* Adds x 2^shift to a sum of n words. */
static FF_HD inline void ff_sum_add_shifted(uint64_t *sum, int n, uint64_t x, int shift) {
  const int bits = shift % 64;
  uint64_t now = x << bits, next = bits > 0 ? x >> (64 - bits) : 0;
  for (int i = shift / 64; i < n; i++) {
    sum[i] += now;
    now = next + (sum[i] < now);
    next = 0;
  }
}

/* Sums of the first four powers of whole numbers up to 2^53, of fewer than 2^44 of them. */
typedef struct {
  uint64_t first[2], second[3], third[4], fourth[4];
} ff_sum_powers;

/* Adds a number of two words to a sum. Returns the carry. */
static FF_HD inline uint64_t ff_sum_add_pair(uint64_t sum[2], const uint64_t x[2]) {
  ff_sum_add(sum, x[0], x[1]);
  return sum[1] < x[1] || (sum[1] == x[1] && sum[0] < x[0]);
}

/* Adds the powers of a number of up to 53 bits. */
FF_SELDOM void ff_sum_add_long_powers(ff_sum_powers *sums, uint64_t x) {
  uint64_t square[2] = {0, 0}, part[2][2] = {{0, 0}, {0, 0}}, fourth[3][2] = {{0, 0}, {0, 0}, {0, 0}};
  ff_sum_add(sums->first, x, 0);
  ff_sum_add_product(square, x, x);
  sums->second[2] += ff_sum_add_pair(sums->second, square);
  for (int i = 0; i < 2; i++) {
    ff_sum_add_product(part[i], x, square[i]);
    ff_sum_add_product(fourth[2 * i], square[i], square[i]);
  }
  ff_sum_add_product(fourth[1], square[0], square[1]);
  for (int i = 0; i < 2; i++) {
    for (int word = 0; word < 2; word++) ff_sum_add_shifted(sums->third, 4, part[i][word], 64 * (i + word));
    for (int word = 0; word < 2; word++) ff_sum_add_shifted(sums->fourth, 4, fourth[2 * i][word], 64 * (2 * i + word));
    ff_sum_add_shifted(sums->fourth, 4, fourth[1][i], 64 * (1 + i) + 1);
  }
}

/* Adds the square of a number below 2^80, whose upper word is below 2^16. */
static FF_HD inline void ff_sum_add_fourth(uint64_t sum[4], const uint64_t square[2]) {
  uint64_t low[2] = {0, 0}, middle[2] = {0, 0}, rest[2] = {0, 0};
  ff_sum_add_product(low, square[0], square[0]);
  ff_sum_add_product(middle, square[0], 2 * square[1]);
  ff_sum_add(middle, low[1], 0); /* the words from the second on; all are below 2^96 */
  middle[1] += square[1] * square[1];
  sum[0] += low[0];
  ff_sum_add(rest, middle[0], 0);
  ff_sum_add(rest, sum[0] < low[0], 0);
  sum[1] += rest[0];
  rest[1] += sum[1] < rest[0];
  ff_sum_add(sum + 2, middle[1], 0);
  ff_sum_add(sum + 2, rest[1], 0);
}

static FF_HD inline void ff_sum_add_powers(ff_sum_powers *sums, uint64_t x) {
  uint64_t square[2] = {0, 0}, cube[2] = {0, 0};
  if (FF_RARELY(x >> 40 != 0)) {
    ff_sum_add_long_powers(sums, x);
    return;
  }
  ff_sum_add(sums->first, x, 0);
  ff_sum_add_product(square, x, x);
  sums->second[2] += ff_sum_add_pair(sums->second, square);
  ff_sum_add_product(cube, x, square[0]);
  cube[1] += x * square[1];
  if (ff_sum_add_pair(sums->third, cube)) sums->third[3] += ++sums->third[2] == 0;
  ff_sum_add_fourth(sums->fourth, square);
}

/* Adds the sums of other numbers. */
void ff_sum_merge_powers(ff_sum_powers *sums, const ff_sum_powers *others);

/* The mean of n numbers (1 <= n <= 2^48), and their central moments: the means of the powers of x - mean. The differences are
 * exact before they are rounded. */
typedef struct {
  double mean, second, third, fourth;
} ff_sum_central;
ff_sum_central ff_sum_moments(const ff_sum_powers *sums, uint64_t n);

/* a b - c d with a relative error below 1e-15, also if it is a small difference of large products. */
double ff_sum_difference(const uint64_t a[2], const uint64_t b[2], const uint64_t c[2], const uint64_t d[2]);

/* The mean of the products of n pairs minus the product of their means, from the sums of xy, x and y. The sum of xy may have lost
 * multiples of 2^128: they are found again, if the covariance is less than 2^127 / n in size. */
double ff_sum_covariance(const uint64_t xy[2], const uint64_t x[2], const uint64_t y[2], uint64_t n);

#endif
