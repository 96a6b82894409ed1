#include "ff_sum.h"

/* ---- whole numbers of many words, the low word first ---- */

#define WORDS 6
typedef struct {
  uint64_t word[WORDS];
} wide;

static wide wide_of(const uint64_t *words, int n) {
  wide out = {{0}};
  for (int i = 0; i < n; i++) out.word[i] = words[i];
  return out;
}

static wide plus(wide x, wide y) {
  uint64_t carry = 0;
  for (int i = 0; i < WORDS; i++) {
    const uint64_t sum = x.word[i] + y.word[i], whole = sum + carry;
    carry = (sum < y.word[i]) + (whole < sum);
    x.word[i] = whole;
  }
  return x;
}

/* The product must be below 2^(64 * WORDS). */
static wide times(wide x, wide y) {
  wide out = {{0}};
  for (int i = 0; i < WORDS; i++) {
    if (x.word[i] == 0) continue;
    uint64_t carry = 0;
    for (int j = 0; i + j < WORDS; j++) {
      uint64_t sum[2] = {out.word[i + j], 0}; /* a b + c + d is below 2^128 */
      ff_sum_add(sum, carry, 0);
      ff_sum_add_product(sum, x.word[i], y.word[j]);
      out.word[i + j] = sum[0];
      carry = sum[1];
    }
  }
  return out;
}

/* x - y, rounded. */
static double minus(wide x, wide y) {
  int last = WORDS - 1;
  while (last > 0 && x.word[last] == y.word[last]) last--;
  const int smaller = x.word[last] < y.word[last];
  const wide *more = smaller ? &y : &x, *less = smaller ? &x : &y;
  uint64_t borrow = 0;
  double out = 0, unit = 1;
  for (int i = 0; i < WORDS; i++, unit *= 18446744073709551616.0) {
    const uint64_t a = more->word[i], b = less->word[i];
    out += (double)(a - b - borrow) * unit;
    borrow = a < b || (a == b && borrow);
  }
  return smaller ? -out : out;
}

void ff_sum_merge_powers(ff_sum_powers *sums, const ff_sum_powers *others) {
  ff_sum_add(sums->first, others->first[0], others->first[1]);
  ff_sum_add(sums->second, others->second[0], others->second[1]);
  const wide third = plus(wide_of(sums->third, 3), wide_of(others->third, 3));
  for (int i = 0; i < 3; i++) sums->third[i] = third.word[i];
}

/* With sums s1, s2, s3 of n numbers: n^2 second = n s2 - s1^2, and n^3 third = n^2 s3 + 2 s1^3 - 3 n s1 s2. */
ff_sum_central ff_sum_moments(const ff_sum_powers *sums, uint64_t n) {
  const uint64_t two = 2, three = 3;
  const wide count = wide_of(&n, 1), s1 = wide_of(sums->first, 2), s2 = wide_of(sums->second, 2), s3 = wide_of(sums->third, 3);
  const wide more = plus(times(times(count, count), s3), times(wide_of(&two, 1), times(s1, times(s1, s1))));
  const wide less = times(wide_of(&three, 1), times(count, times(s1, s2)));
  const double size = (double)n;
  return (ff_sum_central){ff_sum_value(sums->first) / size, minus(times(count, s2), times(s1, s1)) / size / size,
                          minus(more, less) / size / size / size};
}

double ff_sum_difference(const uint64_t a[2], const uint64_t b[2], const uint64_t c[2], const uint64_t d[2]) {
  return minus(times(wide_of(a, 2), wide_of(b, 2)), times(wide_of(c, 2), wide_of(d, 2)));
}
