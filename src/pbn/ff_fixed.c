/* Arithmetic with 192-bit fixed-point numbers, limited to what the tables of flips and choices need. */
#include "ff_fixed.h"

ff_fixed ff_fixed_of(double x) {
  ff_fixed out;
  x /= 4294967296.0; /* every operation here is exact */
  for (int i = FF_FIXED_LIMBS - 1; i >= 0; i--) {
    out.limb[i] = (uint32_t)x;
    x = (x - (double)out.limb[i]) * 4294967296.0;
  }
  return out;
}

ff_fixed ff_fixed_sum(ff_fixed a, ff_fixed b) {
  uint64_t carry = 0;
  for (int i = 0; i < FF_FIXED_LIMBS; i++) {
    carry += (uint64_t)a.limb[i] + b.limb[i];
    a.limb[i] = (uint32_t)carry;
    carry >>= 32;
  }
  return a;
}

ff_fixed ff_fixed_product(ff_fixed a, ff_fixed b) {
  uint32_t limb[2 * FF_FIXED_LIMBS] = {0};
  for (int i = 0; i < FF_FIXED_LIMBS; i++) {
    uint64_t carry = 0;
    for (int j = 0; j < FF_FIXED_LIMBS; j++) {
      carry += (uint64_t)a.limb[i] * b.limb[j] + limb[i + j];
      limb[i + j] = (uint32_t)carry;
      carry >>= 32;
    }
    limb[i + FF_FIXED_LIMBS] = (uint32_t)carry;
  }
  for (int i = 0; i < FF_FIXED_LIMBS; i++) a.limb[i] = limb[i + FF_FIXED_POINT];
  return a;
}

ff_fixed ff_fixed_over(ff_fixed a, uint32_t n) {
  uint64_t rest = 0;
  for (int i = FF_FIXED_LIMBS - 1; i >= 0; i--) {
    rest = rest << 32 | a.limb[i];
    a.limb[i] = (uint32_t)(rest / n);
    rest %= n;
  }
  return a;
}

/* 2 - a, for 0 <= a <= 2. */
static ff_fixed two_less(ff_fixed a) {
  ff_fixed two = {{0, 0, 0, 0, 2, 0}};
  uint64_t borrow = 0;
  for (int i = 0; i < FF_FIXED_LIMBS; i++) {
    uint64_t part = (uint64_t)two.limb[i] - a.limb[i] - borrow;
    two.limb[i] = (uint32_t)part;
    borrow = part >> 63;
  }
  return two;
}

/* Newton's method: first 53 correct bits, then 106, then all. */
ff_fixed ff_fixed_inverse(ff_fixed x) {
  double near = 0.0;
  for (int i = 0; i < FF_FIXED_LIMBS; i++) near = near / 4294967296.0 + (double)x.limb[i];
  ff_fixed out = ff_fixed_of(1.0 / (near * 4294967296.0));
  for (int i = 0; i < 2; i++) out = ff_fixed_product(out, two_less(ff_fixed_product(x, out)));
  return out;
}

static int is_zero(ff_fixed a) {
  uint32_t any = 0;
  for (int i = 0; i < FF_FIXED_LIMBS; i++) any |= a.limb[i];
  return any == 0;
}

/* -log(1-x) = x + x^2/2 + x^3/3 + ..., for x up to 1/2. */
static ff_fixed series(double x) {
  ff_fixed factor = ff_fixed_of(x), power = factor, sum = {{0}};
  for (uint32_t k = 1; !is_zero(power); k++) {
    sum = ff_fixed_sum(sum, ff_fixed_over(power, k));
    power = ff_fixed_product(power, factor);
  }
  return sum;
}

ff_fixed ff_fixed_neg_log1m(double p) {
  if (p <= 0.5) return series(p);
  double rest = 1.0 - p; /* exact; doubled until it is in [1/2, 1) */
  uint32_t doublings = 0;
  for (; rest < 0.5; doublings++) rest *= 2.0;
  return ff_fixed_sum(series(1.0 - rest), ff_fixed_product(ff_fixed_of((double)doublings), series(0.5)));
}

uint64_t ff_fixed_fraction(ff_fixed x) {
  const ff_fixed half = {{0, 1u << 31, 0, 0, 0, 0}};
  x = ff_fixed_sum(x, half);
  return x.limb[FF_FIXED_POINT] != 0 ? UINT64_MAX : (uint64_t)x.limb[FF_FIXED_POINT - 1] << 32 | x.limb[FF_FIXED_POINT - 2];
}

/* For each alternative, the sum of the weights up to it is divided by the sum of all weights. This gives a number in [0, 1]. The
 * cut is (before + number) / all. */
void ff_fixed_cuts_within(uint64_t *cut, const double *weight, size_t stride, uint32_t n, uint32_t n_cuts, uint32_t before,
                          uint32_t all) {
  const char *at = (const char *)weight;
  ff_fixed sum = {{0}};
  for (uint32_t i = 0; i < n; i++) sum = ff_fixed_sum(sum, ff_fixed_of(*(const double *)(const void *)(at + i * stride)));
  const ff_fixed inverse = ff_fixed_inverse(sum);
  sum = (ff_fixed){{0}};
  for (uint32_t i = 0; i < n_cuts; i++) {
    sum = ff_fixed_sum(sum, ff_fixed_of(*(const double *)(const void *)(at + i * stride)));
    ff_fixed share = i + 1 < n ? ff_fixed_product(sum, inverse) : ff_fixed_of(1.0);
    cut[i] = ff_fixed_fraction(ff_fixed_over(ff_fixed_sum(ff_fixed_of(before), share), all));
  }
}

void ff_fixed_cuts(uint64_t *cut, const double *weight, size_t stride, uint32_t n) {
  if (n > 1) ff_fixed_cuts_within(cut, weight, stride, n, n - 1, 0, 1);
}
