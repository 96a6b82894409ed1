/* Sums over trajectories. */
#ifndef FF_SUMS_H
#define FF_SUMS_H

#include "../base/ff_frequency.h"
#include "../base/ff_real_sum.h"

/* Statistics of one count at one time. */
typedef struct {
  ff_sum_powers sums; /* of counts */
  double min, max;
} ff_count_moments;

/* Statistics of one variable at one time. */
typedef struct {
  ff_real_powers sums;
  double min, max; /* NaN if a value was */
} ff_value_moments;

/* Sums over trajectories, at each time and for each observed quantity. There are two kinds of quantities: counts, which are
 * whole numbers; and real numbers, which are variables, and counts that the engine calls real. The sums are exact, so the order
 * in which trajectories are added changes no bit. */
typedef struct {
  uint32_t n_times, n_observed, n_counts, n_reals; /* n_observed = n_counts + n_reals */
  uint8_t *real;            /* for each quantity: 1 if it is a real number */
  uint32_t *rank;           /* for each quantity: its number among those of its kind */
  ff_count_moments *counts; /* n_times x n_counts, first by time */
  ff_value_moments *reals;  /* n_times x n_reals */
  uint64_t *products; /* n_times x pairs x 2 words: sums of products, if there are only counts; pair (j, k), j < k, has the
                       * number k (k - 1) / 2 + j; NULL if not wanted. Multiples of 2^128 are lost: see ff_sum_covariance() */
  ff_real_sum *real_products; /* n_times x pairs, if a quantity is real; or NULL */
  ff_frequency *frequency;    /* n_times x n_observed: how often each value occurs; or NULL */
} ff_sums;

/* Extends a range to values from `low` to `high`. A NaN becomes both of its ends, and stays. */
static inline void ff_sums_extend(double *min, double *max, double low, double high) {
  if (!(low >= *min)) *min = isnan(*min) ? *min : low;
  if (!(high <= *max)) *max = isnan(*max) ? *max : high;
}

enum { FF_COVARIANCE = 1, FF_HISTOGRAM = 2 }; /* what is added up beside moments */

/* Makes sums of no trajectory. `real` is copied. The caller frees the contents with ff_sums_free(), also after a failure.
 * O(size). */
ff_status ff_sums_new(ff_sums *sums, uint32_t n_times, uint32_t n_observed, const uint8_t *real, unsigned wanted,
                      ff_error *err);
void ff_sums_free(ff_sums *sums);

/* Adds a trajectory's quantities x[] at the time with number i. *bytes grows by the memory of histograms. O(quantities), and with
 * covariances O(quantities^2). */
ff_status ff_sums_add(ff_sums *sums, uint32_t i, const double *x, uint64_t *bytes, ff_error *err);

/* Adds other sums of the same quantities and times at the time with number i, but not their histograms. O(quantities), and with
 * covariances O(quantities^2). */
void ff_sums_merge(ff_sums *sums, const ff_sums *others, uint32_t i);

/* Where histograms are moved: the next one, and the next entry of its table. It begins with zeros. */
typedef struct {
  size_t cell, entry;
} ff_sum_place;

/* Moves some of the others' histograms, which are left empty. *done becomes 1 after the last of them. *bytes grows by the memory
 * of histograms. A failure leaves both incomplete. O(1). */
ff_status ff_sums_move(ff_sums *sums, ff_sums *others, ff_sum_place *at, uint64_t *bytes, int *done, ff_error *err);

/* The memory that the histograms take at most. It follows from the number of different values alone. O(size). */
uint64_t ff_sums_bytes(const ff_sums *sums);

/* The memory of moments, of quantities of which so many are real. O(1). */
double ff_sums_moment_bytes(uint32_t n_times, uint32_t n_observed, uint32_t n_reals);
/* The memory of sums of products. O(1). */
double ff_sums_product_bytes(uint32_t n_times, uint32_t n_observed, int any_real);

/* Mean and central moments of quantity j at time i over n trajectories, and its least and largest value. O(1). */
ff_sum_central ff_sums_moments(const ff_sums *sums, uint32_t i, uint32_t j, uint64_t n, double *min, double *max);

/* The mean of the products of the deviations of quantities j < k from their means. O(1). */
double ff_sums_covariance(const ff_sums *sums, uint32_t i, uint32_t j, uint32_t k, uint64_t n);

#endif
