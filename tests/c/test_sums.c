/* Exact sums of doubles, the statistics that follow from them, and tables of frequencies. */
#include <float.h>
#include <math.h>

#include "../../src/base/ff_frequency.h"
#include "../../src/base/ff_real_sum.h"
#include "../../src/ssa/ff_ssa.h"
#include "check.h"
#include "random.h"

/* A double with random bits, which is finite. */
static double any_double(uint64_t *state) {
  double x;
  do {
    const uint64_t bits = next_random(state) ^ next_random(state) >> 32;
    memcpy(&x, &bits, sizeof x);
  } while (!isfinite(x));
  return x;
}

static double sum_of(const double *x, size_t n) {
  ff_real_sum sum = {{0}, 0};
  for (size_t i = 0; i < n; i++) ff_real_sum_add(&sum, x[i]);
  return ff_real_sum_value(&sum);
}

/* Sums whose value is known: terms that cancel, halves of the last bit, and the ends of the range. */
static void values_are_rounded_once(void) {
  const double huge[] = {DBL_MAX, DBL_MAX, 3, -DBL_MAX, 0x1p-1074, -DBL_MAX, -3};
  FF_CHECK(sum_of(huge, 7) == 0x1p-1074);
  FF_CHECK(sum_of(huge, 2) == INFINITY);
  const double even[] = {1, 0x1p-53}, odd[] = {1 + 0x1p-52, 0x1p-53}, above[] = {1, 0x1p-53, 0x1p-1000};
  FF_CHECK(sum_of(even, 2) == 1);
  FF_CHECK(sum_of(odd, 2) == 1 + 0x1p-51);
  FF_CHECK(sum_of(above, 3) == 1 + 0x1p-52);
  const double carry[] = {2 - 0x1p-52, 0x1p-53}, negative[] = {-5, 2.5, 0x1p-1074};
  FF_CHECK(sum_of(carry, 2) == 2);
  FF_CHECK(sum_of(negative, 3) == -2.5);
  FF_CHECK(sum_of(NULL, 0) == 0);
  const double small[] = {0x1p-1074, 0x1p-1073, DBL_MIN}, strange[] = {INFINITY, 1, -INFINITY};
  FF_CHECK(sum_of(small, 3) == DBL_MIN + 3 * 0x1p-1074);
  FF_CHECK(sum_of(strange, 2) == INFINITY && isnan(sum_of(strange, 3)) && sum_of(strange + 2, 1) == -INFINITY);
  uint64_t seed = 1;
  for (int i = 0; i < 10000; i++) { /* a sum of two is rounded as the processor does it */
    const double x = any_double(&seed), pair[] = {x, any_double(&seed) * 0x1p-1}, near[] = {x, -x * (1 + 0x1p-20)};
    FF_CHECK(sum_of(&x, 1) == x);
    FF_CHECK(sum_of(pair, 2) == pair[0] + pair[1]);
    FF_CHECK(sum_of(near, 2) == near[0] + near[1]);
  }
}

/* Forwards, backwards, and in two parts: the same bits. */
static void order_changes_no_bit(void) {
  enum { N = 3000 };
  static double x[N];
  uint64_t seed = 5;
  ff_real_sum forth = {{0}, 0}, back = {{0}, 0}, parts[2] = {{{0}, 0}, {{0}, 0}};
  for (int i = 0; i < N; i++) x[i] = any_double(&seed);
  for (int i = 0; i < N; i++) {
    ff_real_sum_add(&forth, x[i]);
    ff_real_sum_add(&back, x[N - 1 - i]);
    ff_real_sum_add(&parts[i % 3 == 0], x[i]);
  }
  ff_real_sum_merge(&parts[0], &parts[1]);
  FF_CHECK(memcmp(&forth, &back, sizeof forth) == 0 && memcmp(&forth, &parts[0], sizeof forth) == 0);
  for (int i = 0; i < N; i++) ff_real_sum_add(&forth, -x[i]);
  FF_CHECK(ff_real_sum_value(&forth) == 0);
}

static void products_are_exact(void) {
  ff_real_sum sum = {{0}, 0};
  ff_real_sum_add_product(&sum, 1 + 0x1p-52, 1 - 0x1p-52);
  ff_real_sum_add(&sum, -1);
  FF_CHECK(ff_real_sum_value(&sum) == -0x1p-104);
  ff_real_sum whole = {{0}, 0};
  const uint64_t number[2] = {UINT64_MAX, 5};
  ff_real_sum_add_whole(&whole, number);
  ff_real_sum_add(&whole, -0x6p64);
  FF_CHECK(ff_real_sum_value(&whole) == -1);
}

/* Counts have the same moments as whole numbers and as doubles; a large mean hides no small deviation. */
static void moments_are_exact(void) {
  ff_real_powers powers, far;
  ff_sum_powers counts;
  memset(&powers, 0, sizeof powers);
  memset(&far, 0, sizeof far);
  memset(&counts, 0, sizeof counts);
  uint64_t seed = 3;
  for (int i = 0; i < 1000; i++) {
    const uint64_t x = next_random(&seed) >> 24;
    ff_sum_add_powers(&counts, x);
    ff_real_powers_add(&powers, (double)x);
    ff_real_powers_add(&far, 0x1p100 + (i % 3 == 0) * 0x1p50 + (i % 3 == 1) * 0x1p51);
  }
  const ff_sum_central whole = ff_sum_moments(&counts, 1000), real = ff_real_moments(&powers, 1000);
  FF_CHECK_NEAR(real.mean / whole.mean, 1, 1e-15);
  FF_CHECK_NEAR(real.second / whole.second, 1, 1e-15);
  FF_CHECK_NEAR(real.third / whole.third, 1, 1e-14);
  FF_CHECK_NEAR(real.fourth / whole.fourth, 1, 1e-15);
  const ff_sum_central m = ff_real_moments(&far, 1000); /* 334 times 1, 333 times 2 and 333 times 0, in units of 2^50 */
  const double p = 0.334, q = 0.333, mean = p + 2 * q;
  FF_CHECK_NEAR(m.second * 0x1p-100, p * pow(1 - mean, 2) + q * pow(2 - mean, 2) + q * mean * mean, 1e-15);
  FF_CHECK_NEAR(m.third * 0x1p-150, p * pow(1 - mean, 3) + q * pow(2 - mean, 3) - q * pow(mean, 3), 1e-15);
  FF_CHECK_NEAR(m.fourth * 0x1p-200, p * pow(1 - mean, 4) + q * pow(2 - mean, 4) + q * pow(mean, 4), 1e-15);
  ff_real_powers_add(&far, NAN);
  FF_CHECK(isnan(ff_real_moments(&far, 1001).second));
}

/* Numbers whose powers are too small have no moments that could be wrong; the mean of large numbers is finite. */
static void extreme_moments_are_not_wrong(void) {
  const uint8_t real[2] = {1, 1};
  static const double sizes[] = {1e-50, 1e-100, 1e-140, 1e-200, 0x1p-1074, 1e307};
  for (int s = 0; s < 6; s++) {
    ff_sums sums;
    ff_error err;
    uint64_t bytes = 0;
    double min, max;
    const double unit = sizes[s];
    FF_CHECK_OK(ff_sums_new(&sums, 1, 2, real, 0, &err), &err);
    for (int i = 0; i < 100; i++) {
      const double x[2] = {unit * (1 + i % 4), 3 * unit};
      FF_CHECK_OK(ff_sums_add(&sums, 0, x, &bytes, &err), &err);
    }
    const ff_sum_central m = ff_sums_moments(&sums, 0, 0, 100, &min, &max);
    const ff_sum_central same = ff_sums_moments(&sums, 0, 1, 100, &min, &max);
    FF_CHECK(fabs(m.mean - 2.5 * unit) <= unit * 1e-15 || unit == 0x1p-1074);
    if (unit <= 1e-140)
      FF_CHECK(isnan(m.second));
    else if (unit < 1)
      FF_CHECK_NEAR(m.second / unit / unit, 1.25, 1e-14);
    if (unit <= 1e-100)
      FF_CHECK(isnan(m.third) && isnan(m.fourth));
    else if (unit < 1)
      FF_CHECK_NEAR(m.fourth / unit / unit / unit / unit, 2.5625, 1e-13);
    FF_CHECK(same.second == 0 || unit > 1);
    ff_sums_free(&sums);
  }
}

/* A covariance that the sums of products are too inexact for is not known. */
static void tiny_covariances_are_not_wrong(void) {
  const uint8_t real[3] = {1, 1, 0};
  ff_sums sums;
  ff_error err;
  uint64_t bytes = 0;
  FF_CHECK_OK(ff_sums_new(&sums, 1, 3, real, FF_COVARIANCE, &err), &err);
  for (int i = 0; i < 100; i++) {
    const double x[3] = {1e-200 * (1 + i % 4), 1e-100 * (i % 4), i % 4};
    FF_CHECK_OK(ff_sums_add(&sums, 0, x, &bytes, &err), &err);
  }
  FF_CHECK(isnan(ff_sums_covariance(&sums, 0, 0, 1, 100)));
  FF_CHECK_NEAR(ff_sums_covariance(&sums, 0, 0, 2, 100) / 1e-200, 1.25, 1e-14);
  FF_CHECK_NEAR(ff_sums_covariance(&sums, 0, 1, 2, 100) / 1e-100, 1.25, 1e-14);
  ff_sums_free(&sums);
}

static void covariances_are_exact(void) {
  ff_real_sum x = {{0}, 0}, y = {{0}, 0}, xy = {{0}, 0};
  for (int i = 0; i < 4; i++) {
    const double a = 1e9 + i, b = -1e9 + (i % 3 == 0) * 4;
    ff_real_sum_add(&x, a);
    ff_real_sum_add(&y, i < 3 ? b : b + 1);
    ff_real_sum_add_product(&xy, a, i < 3 ? b : b + 1);
  }
  /* x: 0 1 2 3; y: 4 0 0 5: mean of xy 15 / 4, means 3 / 2 and 9 / 4 */
  FF_CHECK(ff_real_covariance(&xy, &x, &y, 4) == 15.0 / 4 - 27.0 / 8);
}

/* The covariance is -2, of up to 2^30 pairs: sums of their products have up to 136 bits. Covariances that may be of any size then
 * are not known. */
static void covariances_of_large_counts_are_right(void) {
  static const uint8_t real[2] = {0, 0};
  const double large = 0x1p53 - 8, apart[] = {0x1p53, 0};
  uint64_t bytes = 0;
  ff_sums sums;
  ff_error err;
  FF_CHECK_OK(ff_sums_new(&sums, 2, 2, real, FF_COVARIANCE, &err), &err);
  for (int i = 0; i < 4; i++) {
    const double x[] = {large + 4 * (i / 2), large - 2 * (i / 2)}, y[] = {apart[i % 2], apart[i / 2]};
    FF_CHECK_OK(ff_sums_add(&sums, 0, x, &bytes, &err), &err);
    FF_CHECK_OK(ff_sums_add(&sums, 1, y, &bytes, &err), &err);
  }
  for (int doubled = 2; doubled <= 30; doubled++) {
    FF_CHECK(ff_sums_covariance(&sums, 0, 0, 1, UINT64_C(1) << doubled) == -2);
    if (doubled < 23) FF_CHECK(ff_sums_covariance(&sums, 1, 0, 1, UINT64_C(1) << doubled) == 0);
    else FF_CHECK(isnan(ff_sums_covariance(&sums, 1, 0, 1, UINT64_C(1) << doubled)));
    ff_sums_merge(&sums, &sums, 0);
    ff_sums_merge(&sums, &sums, 1);
  }
  ff_sums_free(&sums);
}

static void frequencies_are_counted(void) {
  enum { VALUES = 5000 };
  ff_frequency table = {NULL, 0, 0};
  uint64_t bytes = 0;
  ff_error err;
  static double values[VALUES + 3], counts[VALUES + 3];
  for (int round = 0; round < 3; round++)
    for (uint64_t i = 0; i < VALUES; i++)
      FF_CHECK_OK(ff_frequency_add(&table, (double)((i * 4999 + (uint64_t)round) % VALUES), 1 + i % 2, &bytes, &err), &err);
  FF_CHECK_INT(table.used, VALUES);
  for (int i = 0; i < 3; i++) FF_CHECK_OK(ff_frequency_add(&table, i == 1 ? -0.0 : 0.0, 1, &bytes, &err), &err);
  FF_CHECK_OK(ff_frequency_add(&table, NAN, 2, &bytes, &err), &err);
  FF_CHECK_OK(ff_frequency_add(&table, -NAN, 2, &bytes, &err), &err);
  FF_CHECK_OK(ff_frequency_add(&table, -INFINITY, 7, &bytes, &err), &err);
  FF_CHECK_OK(ff_frequency_add(&table, 3, 0, &bytes, &err), &err); /* none */
  FF_CHECK_INT(table.used, VALUES + 2);
  FF_CHECK_INT(bytes, table.room * sizeof *table.entry);
  ff_frequency_list(&table, values, counts);
  FF_CHECK(values[0] == -INFINITY && counts[0] == 7 && isnan(values[VALUES + 1]) && counts[VALUES + 1] == 4);
  double all = 0;
  for (int i = 0; i < VALUES; i++) {
    FF_CHECK(values[i + 1] == i);
    all += counts[i + 1];
  }
  FF_CHECK(all == 3 * 1.5 * VALUES + 3);
  values[1] = counts[2] = -5;
  ff_frequency_list(&table, values, counts); /* again */
  FF_CHECK(values[0] == -INFINITY && values[1] == 0 && counts[2] == counts[4] && isnan(values[VALUES + 1]));
  ff_frequency_free(&table);
}

FF_TEST_MAIN("sums", values_are_rounded_once, order_changes_no_bit, products_are_exact, moments_are_exact,
             extreme_moments_are_not_wrong, tiny_covariances_are_not_wrong, covariances_are_exact,
             covariances_of_large_counts_are_right, frequencies_are_counted)
