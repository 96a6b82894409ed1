/* Numbers of 192 bits, 128 of them behind the point, for tables of probabilities: doubles are too coarse for these, and integers
 * give every machine the same table. Each operation cuts off what is below 2^-128. */
#ifndef FF_FIXED_H
#define FF_FIXED_H

#include <stddef.h>
#include <stdint.h>

#define FF_FIXED_LIMBS 6
#define FF_FIXED_POINT 4 /* limbs behind the point */

typedef struct {
  uint32_t limb[FF_FIXED_LIMBS]; /* least significant first */
} ff_fixed;

ff_fixed ff_fixed_of(double x); /* 0 <= x < 2^64 */
ff_fixed ff_fixed_sum(ff_fixed a, ff_fixed b);
ff_fixed ff_fixed_product(ff_fixed a, ff_fixed b);
ff_fixed ff_fixed_over(ff_fixed a, uint32_t n);
ff_fixed ff_fixed_inverse(ff_fixed x);  /* 1/x, x > 1/2; to 2^-125 */
ff_fixed ff_fixed_neg_log1m(double p); /* -log(1-p), 0 <= p < 1; to 2^-120 */

/* The multiple of 2^-64 next to a number in [0, 1], as a count of these; 1 itself is 2^64 - 1. */
uint64_t ff_fixed_fraction(ff_fixed x);

/* Bounds for a uniform number of 64 bits that is to choose among n alternatives: it is below cut[j] with the probability of
 * the first j + 1 of them, to 2^-64; n - 1 cuts. Alternative i's weight stands i * stride bytes after the first one; the
 * weights are divided by their sum, which is above 1/2. */
void ff_fixed_cuts(uint64_t *cut, const double *weight, size_t stride, uint32_t n);

/* The same among `all` groups of equal probability, for the one group that stands after `before` others: bounds of the first n_cuts
 * of its n alternatives. The last one's, which takes in the whole group, is (before + 1) / all. */
void ff_fixed_cuts_within(uint64_t *cut, const double *weight, size_t stride, uint32_t n, uint32_t n_cuts, uint32_t before,
                          uint32_t all);

#endif
