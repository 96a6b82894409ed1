/* Exact sums of doubles. A sum is a whole number of units of 2^-1074, in 2,176 bits, so the order of additions changes no bit. */
#ifndef FF_REAL_SUM_H
#define FF_REAL_SUM_H

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

#endif
