#include "ff_real_sum.h"

#define LOWEST 1074 /* bit 0 of a sum stands for 2^-1074 */

/* ---- additions ---------------------------------------------------------------------------------------------------------- */

static void add_at(uint64_t *limb, uint32_t at, uint64_t low, uint64_t high) {
  limb[at] += low;
  uint64_t carry = limb[at] < low;
  if (at + 1 == FF_REAL_LIMBS) return;
  limb[at + 1] += high;
  uint64_t next = limb[at + 1] < high;
  limb[at + 1] += carry;
  next += limb[at + 1] < carry;
  for (uint32_t i = at + 2; next != 0 && i < FF_REAL_LIMBS; i++) {
    limb[i] += next;
    next = limb[i] < next;
  }
}

static void subtract_at(uint64_t *limb, uint32_t at, uint64_t low, uint64_t high) {
  uint64_t borrow = limb[at] < low;
  limb[at] -= low;
  if (at + 1 == FF_REAL_LIMBS) return;
  uint64_t next = limb[at + 1] < high;
  limb[at + 1] -= high;
  next += limb[at + 1] < borrow;
  limb[at + 1] -= borrow;
  for (uint32_t i = at + 2; next != 0 && i < FF_REAL_LIMBS; i++) {
    borrow = limb[i] < next;
    limb[i] -= next;
    next = borrow;
  }
}

void ff_real_sum_add(ff_real_sum *sum, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  const uint32_t exponent = (uint32_t)(bits >> 52) & 0x7FF;
  uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
  if (FF_RARELY(exponent == 0x7FF)) {
    sum->strange |= mantissa != 0 ? 4 : bits >> 63 ? 2 : 1;
    return;
  }
  if (exponent > 0) mantissa |= UINT64_C(1) << 52;
  const uint32_t place = exponent > 0 ? exponent - 1 : 0, shift = place % 64;
  const uint64_t low = mantissa << shift, high = shift > 0 ? mantissa >> (64 - shift) : 0;
  if (bits >> 63)
    subtract_at(sum->limb, place / 64, low, high);
  else
    add_at(sum->limb, place / 64, low, high);
}

void ff_real_sum_add_product(ff_real_sum *sum, double x, double y) {
  double high, low;
  ff_real_product(x, y, &high, &low);
  ff_real_sum_add(sum, high);
  ff_real_sum_add(sum, low);
}

void ff_real_sum_add_whole(ff_real_sum *sum, const uint64_t whole[2]) {
  for (int i = 0; i < 4; i++) {
    const uint32_t part = (uint32_t)(whole[i / 2] >> 32 * (i % 2));
    ff_real_sum_add(sum, ldexp((double)part, 32 * i));
  }
}

void ff_real_sum_merge(ff_real_sum *sum, const ff_real_sum *other) {
  uint64_t carry = 0;
  for (int i = 0; i < FF_REAL_LIMBS; i++) {
    const uint64_t part = sum->limb[i] + other->limb[i], whole = part + carry;
    carry = (part < other->limb[i]) + (whole < part);
    sum->limb[i] = whole;
  }
  sum->strange |= other->strange;
}

void ff_real_sum_add_digits(ff_real_sum *sum, const uint64_t digit[FF_REAL_DIGITS]) {
  ff_real_sum all = {{0}, 0};
  int64_t carry = 0;
  for (int i = 0; i < FF_REAL_DIGITS; i++) {
    const int64_t whole = (int64_t)digit[i] + carry, low = (int64_t)((uint64_t)whole & 0xFFFFFFFF);
    all.limb[i / 2] |= (uint64_t)low << 32 * (i % 2);
    carry = (whole - low) / (INT64_C(1) << 32);
  }
  ff_real_sum_merge(sum, &all);
}

/* ---- values ------------------------------------------------------------------------------------------------------------- */

static int bit_of(const uint64_t *limb, int i) { return (int)(limb[i / 64] >> (i % 64) & 1); }

/* The 53 bits from bit `first` on. */
static uint64_t mantissa_at(const uint64_t *limb, int first) {
  const int at = first / 64, shift = first % 64;
  uint64_t out = limb[at] >> shift;
  if (shift > 0 && at + 1 < FF_REAL_LIMBS) out |= limb[at + 1] << (64 - shift);
  return out & ((UINT64_C(1) << 53) - 1);
}

static int any_below(const uint64_t *limb, int bit) {
  for (int i = 0; i < bit / 64; i++)
    if (limb[i] != 0) return 1;
  return bit % 64 > 0 && limb[bit / 64] << (64 - bit % 64) != 0;
}

/* The sum times 2^shift, rounded to the nearest double. */
static double scaled_value(const ff_real_sum *sum, int shift) {
  if (sum->strange != 0) return sum->strange == 1 ? INFINITY : sum->strange == 2 ? -INFINITY : NAN;
  uint64_t limb[FF_REAL_LIMBS];
  const int negative = sum->limb[FF_REAL_LIMBS - 1] >> 63 != 0;
  uint64_t carry = 1;
  for (int i = 0; i < FF_REAL_LIMBS; i++) {
    limb[i] = negative ? ~sum->limb[i] + carry : sum->limb[i];
    carry = carry && limb[i] == 0;
  }
  int top = FF_REAL_LIMBS * 64 - 1;
  while (top > 0 && !bit_of(limb, top)) top--;
  double out;
  if (top <= 52) {
    out = ldexp((double)limb[0], shift - LOWEST);
  } else {
    const int first = top - 52;
    uint64_t mantissa = mantissa_at(limb, first);
    const int half = first > 0 && bit_of(limb, first - 1);
    if (half && (mantissa % 2 == 1 || any_below(limb, first - 1))) mantissa++;
    out = ldexp((double)mantissa, shift + first - LOWEST);
  }
  return negative ? -out : out;
}

double ff_real_sum_value(const ff_real_sum *sum) { return scaled_value(sum, 0); }

/* The sum of n numbers divided by n. The sum may be too large for a double although the numbers are not. */
static double mean_of(const ff_real_sum *sum, double n) {
  const double whole = ff_real_sum_value(sum);
  return isinf(whole) && sum->strange == 0 ? ldexp(scaled_value(sum, -64) / n, 64) : whole / n;
}

/* ---- powers ------------------------------------------------------------------------------------------------------------- */

/* The terms of ff_real_power(), without a list of them, which would take a fifth longer. */
void ff_real_powers_add(ff_real_powers *sums, double x) {
  double high, low;
  ff_real_product(x, x, &high, &low);
  ff_real_sum_add(&sums->power[0], x);
  ff_real_sum_add(&sums->power[1], high);
  ff_real_sum_add(&sums->power[1], low);
  ff_real_sum_add_product(&sums->power[2], high, x);
  ff_real_sum_add_product(&sums->power[2], low, x);
  ff_real_sum_add_product(&sums->power[3], high, high);
  ff_real_sum_add_product(&sums->power[3], 2 * high, low);
  ff_real_sum_add_product(&sums->power[3], low, low);
}

void ff_real_powers_merge(ff_real_powers *sums, const ff_real_powers *others) {
  for (int i = 0; i < 4; i++) ff_real_sum_merge(&sums->power[i], &others->power[i]);
}

/* ---- differences of products -------------------------------------------------------------------------------------------- */

/* A number as a sum of doubles, largest first. */
#define TERMS 4
typedef struct {
  double term[TERMS];
} expansion;

static expansion expand(const ff_real_sum *sum) {
  expansion out;
  ff_real_sum rest = *sum;
  for (int i = 0; i < TERMS; i++) {
    out.term[i] = ff_real_sum_value(&rest);
    if (isfinite(out.term[i])) ff_real_sum_add(&rest, -out.term[i]);
  }
  return out;
}

static expansion number(double x) { return (expansion){{x}}; }

static expansion opposite(const expansion *x) {
  expansion out;
  for (int i = 0; i < TERMS; i++) out.term[i] = -x->term[i];
  return out;
}

/* Adds a b c d. */
static void add_quadruple(ff_real_sum *sum, const expansion *a, const expansion *b, const expansion *c, const expansion *d) {
  for (int at = 0; at < TERMS * TERMS * TERMS * TERMS; at++) {
    const double x = a->term[at % TERMS], y = b->term[at / TERMS % TERMS];
    const double u = c->term[at / TERMS / TERMS % TERMS], v = d->term[at / TERMS / TERMS / TERMS];
    double high, low, more, less;
    if (x == 0 || y == 0 || u == 0 || v == 0) continue;
    ff_real_product(x, y, &high, &low);
    ff_real_product(u, v, &more, &less);
    ff_real_sum_add_product(sum, high, more);
    ff_real_sum_add_product(sum, high, less);
    ff_real_sum_add_product(sum, low, more);
    ff_real_sum_add_product(sum, low, less);
  }
}

/* The formulas of ff_sum_moments(). */
ff_sum_central ff_real_moments(const ff_real_powers *sums, uint64_t n) {
  const double size = (double)n;
  const expansion one = number(1), count = number(size), s1 = expand(&sums->power[0]), s2 = expand(&sums->power[1]);
  const expansion s3 = expand(&sums->power[2]), s4 = expand(&sums->power[3]), minus_s1 = opposite(&s1);
  const expansion three_n = number(-3 * size), four_n = number(4 * size), six_n = number(6 * size), two = number(2);
  ff_real_sum second = {{0}, 0}, third = {{0}, 0}, fourth = {{0}, 0}, power = {{0}, 0};
  add_quadruple(&second, &count, &s2, &one, &one);
  add_quadruple(&second, &s1, &minus_s1, &one, &one);
  add_quadruple(&third, &count, &count, &s3, &one);
  add_quadruple(&third, &two, &s1, &s1, &s1);
  add_quadruple(&third, &three_n, &s1, &s2, &one);
  add_quadruple(&fourth, &count, &count, &count, &s4);
  add_quadruple(&fourth, &six_n, &s1, &s1, &s2);
  add_quadruple(&fourth, &four_n, &count, &minus_s1, &s3);
  add_quadruple(&power, &s1, &s1, &s1, &minus_s1);
  for (int i = 0; i < 3; i++) ff_real_sum_merge(&fourth, &power); /* -3 s1^4 */
  return (ff_sum_central){mean_of(&sums->power[0], size), ff_real_sum_value(&second) / size / size,
                          ff_real_sum_value(&third) / size / size / size,
                          ff_real_sum_value(&fourth) / size / size / size / size};
}

double ff_real_covariance(const ff_real_sum *xy, const ff_real_sum *x, const ff_real_sum *y, uint64_t n) {
  const expansion one = number(1), count = number((double)n), product = expand(xy), first = expand(x), minus = number(-1);
  const expansion second = expand(y);
  ff_real_sum all = {{0}, 0};
  add_quadruple(&all, &count, &product, &one, &one);
  add_quadruple(&all, &first, &second, &minus, &one);
  return ff_real_sum_value(&all) / (double)n / (double)n;
}
