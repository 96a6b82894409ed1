/* How statistics of real numbers are added up, exactly, for the device and the host.
 *
 * At each time there is a job for each of the first four powers of each quantity, and for each pair of quantities if their
 * products are wanted. A warp takes a part of the trajectories for a job. Each lane adds the terms of its numbers to digits of
 * its own, a column in the block's memory, so lanes share nothing until the columns are added up. */
#ifndef FF_COLLECT_REALS_H
#define FF_COLLECT_REALS_H

#include "ff_collect.h"

#define FF_COLLECT_POWERS 4u

/* Digits have room for all terms of a tally. */
typedef char ff_collect_real_has_room[FF_DEVICE_MOST_REALS * FF_REAL_TERMS <= UINT64_C(1) << 30 ? 1 : -1];

/* The words of a job on the device. First there are the digits. The last two are largest values, the others sums or bits. All
 * begin with 0. Only the first power of a quantity has a range. */
enum {
  FF_COLLECT_REAL_STRANGE = FF_REAL_DIGITS, /* bits for terms that are not finite, as in ff_real_sum */
  FF_COLLECT_REAL_N,                        /* numbers that are not NaN */
  FF_COLLECT_REAL_MOST,                     /* the key of the largest number */
  FF_COLLECT_REAL_LEAST,                    /* the key of minus the least one */
  FF_COLLECT_REAL_WORDS
};

/* What a lane has of a job besides its digits. */
typedef struct {
  uint32_t strange;
  uint64_t n, most, least;
} ff_collect_real_lane;

FF_WARP uint64_t ff_collect_real_jobs(uint32_t n_observed, int products) {
  return (uint64_t)FF_COLLECT_POWERS * n_observed + (products ? ff_collect_pair(0, n_observed) : 0);
}

/* Job number `job` of a time: *power is 1 to 4, and *j = *k; or it is 0, and *j < *k are a pair. */
FF_WARP void ff_collect_real_job(uint64_t job, uint32_t n_observed, uint32_t *j, uint32_t *k, int *power) {
  const uint64_t powers = (uint64_t)FF_COLLECT_POWERS * n_observed;
  *power = job < powers ? 1 + (int)(job % FF_COLLECT_POWERS) : 0;
  *j = *k = (uint32_t)(job / FF_COLLECT_POWERS);
  if (job < powers) return;
  job -= powers;
  *k = (uint32_t)((1 + sqrt(1 + 8 * (double)job)) / 2); /* as near as rounding permits */
  while (ff_collect_pair(0, *k) > job) --*k;
  while (ff_collect_pair(0, *k + 1) <= job) ++*k;
  *j = (uint32_t)(job - ff_collect_pair(0, *k));
}

/* Keys are in the order of numbers; that of -0 is that of 0. 0 is no key. */
FF_WARP uint64_t ff_collect_real_key(double x) {
  uint64_t bits;
  x += 0.0;
  memcpy(&bits, &x, sizeof bits);
  return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static inline double ff_collect_real_of_key(uint64_t key) {
  const uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Adds a number x, or the product of x and y if `power` is 0, to the lane's digits, each of which is `stride` words from the
 * next. */
FF_WARP void ff_collect_real_add(ff_collect_real_lane *lane, uint64_t *digits, uint32_t stride, int power, double x, double y) {
  double term[FF_REAL_TERMS];
  int n = 2;
  if (power == 0) ff_real_product(x, y, term, term + 1);
  else n = ff_real_power(x, power, term);
  for (int i = 0; i < n; i++) {
    int64_t digit[3];
    uint32_t at;
    lane->strange |= ff_real_strange(term[i]);
    if (term[i] == 0 || !isfinite(term[i])) continue;
    ff_real_digits(term[i], &at, digit);
    for (uint32_t d = 0; d < 3; d++) digits[(at + d) * stride] += (uint64_t)digit[d];
  }
  if (power != 1 || isnan(x)) return;
  const uint64_t key = ff_collect_real_key(x), opposite = ff_collect_real_key(-x);
  lane->most = key > lane->most ? key : lane->most;
  lane->least = opposite > lane->least ? opposite : lane->least;
  lane->n++;
}

/* ---- on the host -------------------------------------------------------------------------------------------------------- */

/* Adds a sum of whole numbers to n words. */
static inline void ff_collect_add_whole(uint64_t *to, int n, const ff_real_sum *sum) {
  for (int i = 0; i < n; i++) /* bit 1074 of a sum, which is bit 50 of word 16, stands for 1 */
    ff_sum_add_shifted(to, n, sum->limb[16 + i] >> 50 | sum->limb[17 + i] << 14, 64 * i);
}

/* The range of the numbers of a job. */
static inline void ff_collect_real_range(double *min, double *max, const uint64_t words[FF_COLLECT_REAL_WORDS]) {
  if (words[FF_COLLECT_REAL_N] > 0)
    ff_sums_extend(min, max, 0.0 - ff_collect_real_of_key(words[FF_COLLECT_REAL_LEAST]),
                   ff_collect_real_of_key(words[FF_COLLECT_REAL_MOST]));
  if (words[FF_COLLECT_REAL_STRANGE] & 4) ff_sums_extend(min, max, NAN, NAN);
}

/* Adds the words of job number `job` at time number i to the statistics. */
static inline void ff_collect_real_to(ff_sums *sums, uint32_t i, uint64_t job, const uint64_t words[FF_COLLECT_REAL_WORDS]) {
  ff_real_sum sum = {{0}, words[FF_COLLECT_REAL_STRANGE]};
  uint32_t j, k;
  int power;
  ff_collect_real_job(job, sums->n_observed, &j, &k, &power);
  ff_real_sum_add_digits(&sum, words);
  if (power == 0) {
    const uint64_t at = i * ff_collect_pair(0, sums->n_observed) + ff_collect_pair(j, k);
    if (sums->real_products != NULL) ff_real_sum_merge(sums->real_products + at, &sum);
    else ff_collect_add_whole(sums->products + 2 * at, 2, &sum);
  } else if (sums->real[j]) {
    ff_value_moments *m = sums->reals + (size_t)i * sums->n_reals + sums->rank[j];
    ff_real_sum_merge(&m->sums.power[power - 1], &sum);
    if (power == 1) ff_collect_real_range(&m->min, &m->max, words);
  } else {
    ff_count_moments *m = sums->counts + (size_t)i * sums->n_counts + sums->rank[j];
    uint64_t *const to[FF_COLLECT_POWERS] = {m->sums.first, m->sums.second, m->sums.third, m->sums.fourth};
    static const int n[FF_COLLECT_POWERS] = {2, 3, 4, 4};
    ff_collect_add_whole(to[power - 1], n[power - 1], &sum);
    if (power == 1) ff_collect_real_range(&m->min, &m->max, words);
  }
}

#endif
