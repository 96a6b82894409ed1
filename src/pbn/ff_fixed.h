/* Numbers of 192 bits, 128 of them after the binary point, for tables of probabilities. Doubles are not precise enough for
 * these, and with integers every machine gets the same table. Each operation discards what is below 2^-128. All operations
 * are O(1), except ff_fixed_neg_log1m(), which takes about 128 operations at most, and the functions of cuts, O(n). */
#ifndef FF_FIXED_H
#define FF_FIXED_H

#include <stddef.h>
#include <stdint.h>

#define FF_FIXED_LIMBS 6
#define FF_FIXED_POINT 4 /* limbs after the binary point */

typedef struct {
  uint32_t limb[FF_FIXED_LIMBS]; /* least significant first */
} ff_fixed;

/* x as a fixed-point number, and a + b, a b, a / n. */
ff_fixed ff_fixed_of(double x); /* 0 <= x < 2^64 */
ff_fixed ff_fixed_sum(ff_fixed a, ff_fixed b);
ff_fixed ff_fixed_product(ff_fixed a, ff_fixed b);
ff_fixed ff_fixed_over(ff_fixed a, uint32_t n);
ff_fixed ff_fixed_inverse(ff_fixed x);  /* 1/x for x > 1/2, to 2^-125 */
ff_fixed ff_fixed_neg_log1m(double p); /* -log(1-p) for 0 <= p < 1, to 2^-120 */

/* A number in [0, 1] rounded to the nearest multiple of 2^-64, in units of 2^-64. 1 itself gives 2^64 - 1. */
uint64_t ff_fixed_fraction(ff_fixed x);

/* Bounds for choosing among n alternatives by a uniform number of 64 bits: the number is below cut[j] with the probability of
 * the first j + 1 alternatives, to 2^-64. There are n - 1 bounds. The weight of alternative i is i * stride bytes after the
 * first one. Weights are divided by their sum, which must be above 1/2. */
void ff_fixed_cuts(uint64_t *cut, const double *weight, size_t stride, uint32_t n);

/* The same for alternatives in `all` groups of equal probability. Sets the bounds of the first n_cuts of the n alternatives of
 * one group, which comes after `before` other groups. The bound of the last alternative of the group is (before + 1) / all. */
void ff_fixed_cuts_within(uint64_t *cut, const double *weight, size_t stride, uint32_t n, uint32_t n_cuts, uint32_t before,
                          uint32_t all);

#endif
