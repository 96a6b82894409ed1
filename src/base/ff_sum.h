/* Exact sums: integers of 128 bits as two 64-bit words, the low one first. So an order of additions changes nothing. */
#ifndef FF_SUM_H
#define FF_SUM_H

#include "ff_base.h"

static FF_HD inline void ff_sum_add(uint64_t sum[2], uint64_t low, uint64_t high) {
  sum[0] += low;
  sum[1] += high + (sum[0] < low);
}

/* Adds a b, all 128 bits of it. */
static FF_HD inline void ff_sum_add_product(uint64_t sum[2], uint64_t a, uint64_t b) {
  const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
  const uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0, p11 = a1 * b1;
  const uint64_t middle = (p00 >> 32) + (uint32_t)p01 + (uint32_t)p10;
  ff_sum_add(sum, (uint32_t)p00 | middle << 32, p11 + (p01 >> 32) + (p10 >> 32) + (middle >> 32));
}

/* The nearest doubles of both words, added. */
static FF_HD inline double ff_sum_value(const uint64_t sum[2]) {
  return (double)sum[1] * 18446744073709551616.0 + (double)sum[0];
}

/* A sum as four 32-bit limbs, each in a word of its own, the lowest first: so 2^32 additions of limbs need no carry, and devices can
 * add them by atomics in any order. ff_sum_add_limbs turns such limbs into the sum that they stand for, and adds it. */
#define FF_SUM_LIMBS 4
static FF_HD inline void ff_sum_add_limbs(uint64_t sum[2], const uint64_t limbs[FF_SUM_LIMBS]) {
  ff_sum_add(sum, limbs[0], 0);
  ff_sum_add(sum, limbs[1] << 32, limbs[1] >> 32);
  ff_sum_add(sum, 0, limbs[2]);
  ff_sum_add(sum, 0, limbs[3] << 32);
}

/* a b - c d of sums, with one rounding at the end: what differs little is not lost. */
double ff_sum_difference(const uint64_t a[2], const uint64_t b[2], const uint64_t c[2], const uint64_t d[2]);

#endif
