/* Poisson and binomial numbers: by inversion or by counting bits if they are small, and otherwise by transformed rejection with
 * squeeze (Hoermann 1993, algorithms PTRS and BTRS). */
#include "ff_variates.h"

#include <math.h>

#include "../base/ff_math.h"
#include "ff_exponential.h"

static const uint32_t *take(ff_sequence *s) {
  if (s->used == 4) {
    const ff_philox_block counter = {{s->block++, (uint32_t)s->node, (uint32_t)(s->node >> 32), 0}};
    s->words = ff_philox(counter, s->key);
    s->used = 0;
  }
  s->used += 2;
  return s->words.v + s->used - 2;
}

static double next_open(ff_sequence *s) {
  const uint32_t *v = take(s);
  return ff_open(v[0], v[1]);
}

/* log(k!) - (log(sqrt(2 pi)) + (k + 1/2) log(k + 1) - (k + 1)), with an absolute error below 1e-10 */
static double stirling_rest(double k) {
  static const double small[] = {0.08106146679532726, 0.04134069595540929, 0.02767792568499834, 0.02079067210376509,
                                 0.01664469118982119, 0.01387612882307075, 0.01189670994589177, 0.01041126526197209,
                                 0.009255462182712733, 0.008330563433362871};
  if (k < 10) return small[(int)k];
  const double x = 1 / (k + 1), square = x * x;
  return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - square / 1680) * square) * square) * x;
}

/* ---- Poisson ------------------------------------------------------------------------------------------------------------ */

/* The logarithm of the probability of k. The large parts of k log(mean) - mean - log(k!) cancel before they are rounded. */
static double log_poisson(double mean, double k) {
  const double half_log_two_pi = 0.91893853320467274178, d = (mean - (k + 1)) / (k + 1), log_part = ff_log1p(d);
  return (k + 1) * (log_part - d) - log_part - 0.5 * ff_log(k + 1) - half_log_two_pi - stirling_rest(k);
}

static double poisson_inversion(ff_sequence *s, double mean) {
  double at = next_open(s), term = ff_exp(-mean), k = 0;
  for (; at > term && term > 0; k++) {
    at -= term;
    term *= mean / (k + 1);
  }
  return k;
}

static double poisson_rejection(ff_sequence *s, double mean) {
  const double b = 0.931 + 2.53 * ff_math_sqrt(mean), a = -0.059 + 0.02483 * b;
  const double log_inverse_alpha = ff_log(1.1239 + 1.1328 / (b - 3.4)), squeeze = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = next_open(s) - 0.5, v = next_open(s), distance = 0.5 - fabs(u);
    if (!(distance > 0)) continue;
    const double k = floor((2 * a / distance + b) * u + mean + 0.43);
    if (distance >= 0.07 && v <= squeeze) return k;
    if (k < 0 || (distance < 0.013 && v > distance)) continue;
    const double left = ff_log(v) + log_inverse_alpha - ff_log(a / (distance * distance) + b);
    if (left <= log_poisson(mean, k)) return k;
  }
}

double ff_variate_poisson(ff_sequence *s, double mean) {
  if (!(mean > 0)) return 0;
  return mean < 10 ? poisson_inversion(s, mean) : poisson_rejection(s, mean);
}

/* ---- binomial ----------------------------------------------------------------------------------------------------------- */

#define COUNTED_MOST 2048

static uint32_t bits_of(uint32_t x) {
  x -= x >> 1 & 0x55555555u;
  x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
  x = (x + (x >> 4)) & 0x0F0F0F0Fu;
  return x * 0x01010101u >> 24;
}

static double count_bits(ff_sequence *s, uint32_t n) {
  uint32_t found = 0;
  while (n > 0) {
    const uint32_t *v = take(s);
    const uint32_t low = n < 32 ? n : 32, high = n - low < 32 ? n - low : 32;
    found += bits_of(low < 32 ? v[0] & (((uint32_t)1 << low) - 1) : v[0]);
    found += bits_of(high < 32 ? v[1] & (((uint32_t)1 << high) - 1) : v[1]);
    n -= low + high;
  }
  return found;
}

/* log(C(n, k)) - log(C(n, m)), for k and m near n / 2 */
static double log_ratio(double n, double k, double m) {
  return (m + 0.5) * ff_log1p((2 * m - n) / (n - m + 1)) + (n + 1) * ff_log1p((k - m) / (n - k + 1)) +
         (k + 0.5) * ff_log1p((n - 2 * k) / (k + 1)) + stirling_rest(m) + stirling_rest(n - m) - stirling_rest(k) -
         stirling_rest(n - k);
}

static double halves_rejection(ff_sequence *s, double n) {
  const double deviation = 0.5 * ff_math_sqrt(n), b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.005;
  const double alpha = (2.83 + 5.1 / b) * deviation, squeeze = 0.92 - 4.2 / b, m = floor((n + 1) / 2);
  for (;;) {
    const double v = next_open(s), u = next_open(s) - 0.5, distance = 0.5 - fabs(u);
    if (!(distance > 0)) continue;
    const double k = floor((2 * a / distance + b) * u + n / 2 + 0.5);
    if (distance >= 0.07 && v <= squeeze) return k;
    if (k < 0 || k > n) continue;
    if (ff_log(v * alpha / (a / (distance * distance) + b)) <= log_ratio(n, k, m)) return k;
  }
}

double ff_variate_halves(ff_sequence *s, double n) {
  return n <= COUNTED_MOST ? count_bits(s, (uint32_t)n) : halves_rejection(s, n);
}

/* ---- normal ------------------------------------------------------------------------------------------------------------- */

double ff_variate_normal(ff_sequence *s) {
  const double radius = ff_math_sqrt(-2 * ff_log(next_open(s))), turn = next_open(s);
  return radius * ff_cos(6.28318530717958647692 * turn);
}
