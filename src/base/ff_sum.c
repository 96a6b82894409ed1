#include "ff_sum.h"

/* ---- whole numbers of many words, the low word first ---- */

#define WORDS 7
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
  const wide second = plus(wide_of(sums->second, 3), wide_of(others->second, 3));
  for (int i = 0; i < 3; i++) sums->second[i] = second.word[i];
  const wide third = plus(wide_of(sums->third, 4), wide_of(others->third, 4));
  for (int i = 0; i < 4; i++) sums->third[i] = third.word[i];
  const wide fourth = plus(wide_of(sums->fourth, 4), wide_of(others->fourth, 4));
  for (int i = 0; i < 4; i++) sums->fourth[i] = fourth.word[i];
}

/* With sums s1, s2, s3, s4 of n numbers: n^2 second = n s2 - s1^2, n^3 third = n^2 s3 + 2 s1^3 - 3 n s1 s2, and
 * n^4 fourth = n^3 s4 + 6 n s1^2 s2 - 4 n^2 s1 s3 - 3 s1^4. All products are below 2^396. */
ff_sum_central ff_sum_moments(const ff_sum_powers *sums, uint64_t n) {
  const uint64_t small[] = {2, 3, 4, 6};
  const wide two = wide_of(small, 1), three = wide_of(small + 1, 1), four = wide_of(small + 2, 1), six = wide_of(small + 3, 1);
  const wide count = wide_of(&n, 1), s1 = wide_of(sums->first, 2), s2 = wide_of(sums->second, 3), s3 = wide_of(sums->third, 4);
  const wide s4 = wide_of(sums->fourth, 4), square = times(s1, s1), n2 = times(count, count);
  const wide more3 = plus(times(n2, s3), times(two, times(s1, square)));
  const wide less3 = times(three, times(count, times(s1, s2)));
  const wide more4 = plus(times(count, times(n2, s4)), times(six, times(times(count, square), s2)));
  const wide less4 = plus(times(four, times(n2, times(s1, s3))), times(three, times(square, square)));
  const double size = (double)n;
  return (ff_sum_central){ff_sum_value(sums->first) / size, minus(times(count, s2), square) / size / size,
                          minus(more3, less3) / size / size / size, minus(more4, less4) / size / size / size / size};
}

double ff_sum_difference(const uint64_t a[2], const uint64_t b[2], const uint64_t c[2], const uint64_t d[2]) {
  return minus(times(wide_of(a, 2), wide_of(b, 2)), times(wide_of(c, 2), wide_of(d, 2)));
}

double ff_sum_covariance(const uint64_t xy[2], const uint64_t x[2], const uint64_t y[2], uint64_t n) {
  const wide count = wide_of(&n, 1), means = times(wide_of(x, 2), wide_of(y, 2));
  const double size = (double)n, lost = -minus(times(count, wide_of(xy, 2)), means) / size * 0x1p-128;
  const uint64_t whole[3] = {xy[0], xy[1], lost >= 0.5 ? (uint64_t)(lost + 0.5) : 0};
  return minus(times(count, wide_of(whole, 3)), means) / size / size;
}
