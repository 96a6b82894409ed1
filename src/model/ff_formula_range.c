/* Interval arithmetic on formulas.
 *
 * IEEE operations are monotone, also after rounding, so the values at the ends of a range bound those within it. Elementary
 * functions are not quite monotone after rounding: their errors are below 2 units in the last place, and the range is widened by
 * more than twice that. So the range of a function also holds its value without rounding; that of a sum, a product or a quotient
 * does so once `rounded()` has widened it. */
#include "ff_formula_range.h"

#include <math.h>

#include "ff_formula_math.h"

static const ff_range anything = {-INFINITY, INFINITY, 1, 0};

static ff_range value_of(double x) {
  if (x != x) return (ff_range){INFINITY, -INFINITY, 1, 1};
  return (ff_range){x, x, 0, 1};
}

static double number_of(ff_range exact) { return exact.nan ? ff_math_nan() : exact.low; }

static int is_empty(ff_range x) { return x.low > x.high; }
static int holds(ff_range x, double value) { return x.low <= value && value <= x.high; }
static int has_zero(ff_range x) { return holds(x, 0.0); }
static int is_zero(ff_range x) { return x.low == 0.0 && x.high == 0.0; }
static int has_infinity(ff_range x) { return !is_empty(x) && (x.low == -INFINITY || x.high == INFINITY); }

/* A sum or a difference of two ends; NaN stands for an end that is not known. */
static ff_range range_of(double low, double high, int nan) {
  return (ff_range){low != low ? -INFINITY : low, high != high ? INFINITY : high, nan != 0, 0};
}

static ff_range truth_of(int no, int yes) { return no ? value_of(0.0) : yes ? value_of(1.0) : range_of(0.0, 1.0, 0); }

static ff_range either(ff_range a, ff_range b) {
  return (ff_range){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high, a.nan || b.nan, 0};
}

static double below(double x) { return x - (ff_math_absolute(x) * 0x1p-49 + 0x1p-1070); }
static double above(double x) { return x + (ff_math_absolute(x) * 0x1p-49 + 0x1p-1070); }

/* The range of a function that is monotone but for rounding. An infinite end stays one. */
static ff_range widened(double a, double b) {
  if (a != a || b != b) return anything;
  const double low = a < b ? a : b, high = a < b ? b : a;
  const int low_is_finite = low > -INFINITY && low < INFINITY, high_is_finite = high > -INFINITY && high < INFINITY;
  return range_of(low_is_finite ? below(low) : low, high_is_finite ? above(high) : high, 0);
}

static ff_range clipped(ff_range x, double low, double high) {
  return range_of(x.low < low ? low : x.low, x.high > high ? high : x.high, x.nan);
}

static ff_range with_nan(ff_range x, int nan) {
  if (!nan || x.nan) return x;
  x.nan = 1;
  x.exact = 0;
  return x;
}

/* Zero times infinity is left out: other values of the same range bound the numbers. */
static ff_range of_corners(double a, double b, double c, double d) {
  const double corner[] = {a, b, c, d};
  ff_range out = {INFINITY, -INFINITY, 0, 0};
  for (int i = 0; i < 4; i++) {
    const double x = corner[i] == corner[i] ? corner[i] : 0.0;
    out.low = x < out.low ? x : out.low;
    out.high = x > out.high ? x : out.high;
  }
  return out;
}

/* ---- arithmetic --------------------------------------------------------------------------------------------------------- */

static ff_range sum(ff_range a, ff_range b) {
  const int opposite = (a.high == INFINITY && b.low == -INFINITY) || (a.low == -INFINITY && b.high == INFINITY);
  return range_of(a.low + b.low, a.high + b.high, opposite);
}

static ff_range negative(ff_range x) { return (ff_range){-x.high, -x.low, x.nan, 0}; }

static ff_range product(ff_range a, ff_range b) {
  const int undefined = (has_zero(a) && has_infinity(b)) || (has_zero(b) && has_infinity(a));
  return with_nan(of_corners(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high), undefined);
}

/* A divisor of 0 may have either sign. */
static ff_range quotient(ff_range a, ff_range b) {
  const int undefined = (has_zero(a) && has_zero(b)) || (has_infinity(a) && has_infinity(b));
  if (is_zero(a) && is_zero(b)) return value_of(ff_math_nan());
  if (has_zero(b) || (has_infinity(a) && has_infinity(b))) return range_of(-INFINITY, INFINITY, undefined);
  return of_corners(a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high);
}

/* A power with the same whole exponent everywhere. */
static ff_range whole_power(ff_range x, double y) {
  const double a = ff_formula_pow(x.low, y), b = ff_formula_pow(x.high, y);
  const int even = ff_formula_floor(y / 2.0) * 2.0 == y;
  if (y < 0.0 && has_zero(x)) return range_of(even ? 0.0 : -INFINITY, INFINITY, 0);
  ff_range out = widened(a, b);
  if (even && has_zero(x)) out.low = 0.0;
  return even ? clipped(out, 0.0, INFINITY) : out;
}

/* For x from 0 on: it is monotone in each of both, so its extremes are at the corners, but for 0^0. */
static ff_range positive_power(ff_range x, ff_range y) {
  const ff_range corners = of_corners(ff_formula_pow(x.low, y.low), ff_formula_pow(x.low, y.high), ff_formula_pow(x.high, y.low),
                                      ff_formula_pow(x.high, y.high));
  ff_range out = clipped(widened(corners.low, corners.high), 0.0, INFINITY);
  if (x.low == 0.0 && has_zero(y)) out.low = 0.0;
  if (x.low == 0.0 && y.low < 0.0) out.high = INFINITY;
  if (x.low == 0.0 && y.low < 0.0 && y.low != y.high) out.low = -INFINITY; /* a negative zero to an odd power */
  return has_zero(y) || holds(x, 1.0) ? either(out, value_of(1.0)) : out;
}

static ff_range power(ff_range x, ff_range y) {
  if (is_zero(y)) return value_of(1.0); /* even of NaN */
  const ff_range one = value_of(1.0);
  ff_range out = {INFINITY, -INFINITY, x.nan || y.nan, 0};
  if ((x.nan && has_zero(y)) || (y.nan && holds(x, 1.0))) out = either(out, one); /* NaN^0 and 1^NaN */
  if (is_empty(x) || is_empty(y)) return out;
  if (y.low == y.high && ff_formula_floor(y.low) == y.low) return either(out, whole_power(x, y.low));
  if (x.low >= 0.0) return either(out, positive_power(x, y));
  if (x.low == -INFINITY || has_infinity(y) || y.low != y.high) return anything;
  out.nan = 1; /* a negative number to a power that is not whole */
  return x.high < 0.0 ? out : either(out, positive_power(range_of(0.0, x.high, 0), y));
}

/* ---- truth -------------------------------------------------------------------------------------------------------------- */

static int is_false(ff_range x) { return is_zero(x) && !x.nan; }
static int is_true(ff_range x) { return !has_zero(x); } /* NaN is not 0 */

static ff_range compare_numbers(uint32_t code, ff_range a, ff_range b) {
  const int less = a.high < b.low, greater = a.low > b.high, one = a.low == a.high && b.low == b.high && a.low == b.low;
  switch (code) {
    case FF_F_LT: return truth_of(a.low >= b.high, less);
    case FF_F_LE: return truth_of(greater, a.high <= b.low);
    case FF_F_GT: return truth_of(a.high <= b.low, greater);
    case FF_F_GE: return truth_of(less, a.low >= b.high);
    case FF_F_EQ: return truth_of(less || greater, one);
    default: return truth_of(one, less || greater);
  }
}

/* A comparison with NaN is false, but NaN is not equal to anything. */
static ff_range compare(uint32_t code, ff_range a, ff_range b) {
  const ff_range with_nan = value_of(code == FF_F_NE);
  if (is_empty(a) || is_empty(b)) return with_nan;
  const ff_range out = compare_numbers(code, a, b);
  return a.nan || b.nan ? either(out, with_nan) : out;
}

/* ---- functions ---------------------------------------------------------------------------------------------------------- */

static ff_range absolute(ff_range x) {
  const double a = ff_math_absolute(x.low), b = ff_math_absolute(x.high), larger = a > b ? a : b, smaller = a > b ? b : a;
  return range_of(has_zero(x) ? 0.0 : smaller, larger, 0);
}

/* Whether the range may hold a number of the form phase + k * period, for a whole k. */
static int may_hold(ff_range x, double phase, double period) {
  const double first = (x.low - phase) / period, last = (x.high - phase) / period;
  const double slack = 0x1p-49 * (2.0 + ff_math_absolute(first) + ff_math_absolute(last));
  return ff_formula_floor(last + slack) >= first - slack;
}

static const double pi = 0x1.921fb54442d18p+1;

/* A sine or a cosine. `top` is where it is 1, and `bottom` where it is -1. */
static ff_range wave(ff_range x, double at_low, double at_high, double top, double bottom) {
  if (has_infinity(x)) return range_of(-1.0, 1.0, 1);
  ff_range out = widened(at_low, at_high);
  if (may_hold(x, top, 2.0 * pi)) out.high = 1.0;
  if (may_hold(x, bottom, 2.0 * pi)) out.low = -1.0;
  return clipped(out, -1.0, 1.0);
}

static ff_range tangent(ff_range x) {
  if (has_infinity(x) || may_hold(x, pi / 2.0, pi)) return anything;
  return widened(ff_tan(x.low), ff_tan(x.high));
}

static ff_range hyperbolic_cosine(ff_range x) {
  const ff_range size = absolute(x);
  return clipped(widened(ff_cosh(size.low), ff_cosh(size.high)), 1.0, INFINITY);
}

/* Where a function is defined. */
static ff_range domain_of(uint32_t code) {
  switch (code) {
    case FF_F_SQRT:
    case FF_F_LOG:
    case FF_F_LOG2:
    case FF_F_LOG10: return range_of(0.0, INFINITY, 0);
    case FF_F_LOG1P: return range_of(-1.0, INFINITY, 0);
    case FF_F_ASIN:
    case FF_F_ACOS: return range_of(-1.0, 1.0, 0);
    default: return range_of(-INFINITY, INFINITY, 0);
  }
}

/* Functions that are monotone where they are defined, and NaN elsewhere. */
static ff_range monotone(uint32_t code, ff_range all) {
  const ff_range domain = domain_of(code), x = clipped(all, domain.low, domain.high);
  const int outside = all.low < domain.low || all.high > domain.high;
  if (is_empty(x)) return value_of(ff_math_nan());
  const double a = ff_formula_operate(code, x.low, 0.0, 0.0), b = ff_formula_operate(code, x.high, 0.0, 0.0);
  if (code == FF_F_FLOOR && b == 0.0 && x.low > 0.0) return value_of(0.0); /* no negative zero */
  if (code == FF_F_FLOOR || code == FF_F_CEILING) return range_of(a, b, 0);
  ff_range out = widened(a, b);
  if (code == FF_F_SQRT || code == FF_F_EXP) out = clipped(out, 0.0, INFINITY);
  if (code == FF_F_EXPM1) out = clipped(out, -1.0, INFINITY);
  if (code == FF_F_TANH) out = clipped(out, -1.0, 1.0);
  return with_nan(out, outside);
}

static ff_range function(uint32_t code, ff_range x) {
  switch (code) {
    case FF_F_ABS: return absolute(x);
    case FF_F_SIN: return wave(x, ff_sin(x.low), ff_sin(x.high), pi / 2.0, -pi / 2.0);
    case FF_F_COS: return wave(x, ff_cos(x.low), ff_cos(x.high), 0.0, pi);
    case FF_F_TAN: return tangent(x);
    case FF_F_COSH: return hyperbolic_cosine(x);
    default: return monotone(code, x);
  }
}

/* The numbers that an operation on numbers gives, where NaN gives NaN. */
static ff_range operate_numbers(uint32_t code, ff_range a, ff_range b) {
  switch (code) {
    case FF_F_NEG: return negative(a);
    case FF_F_ADD: return sum(a, b);
    case FF_F_SUB: return sum(a, negative(b));
    case FF_F_MUL: return product(a, b);
    case FF_F_DIV: return quotient(a, b);
    case FF_F_MIN:
      if (a.high < b.low || b.high < a.low) return a.high < b.low ? a : b; /* which may be exact */
      return range_of(ff_formula_min(a.low, b.low), ff_formula_min(a.high, b.high), 0);
    case FF_F_MAX:
      if (a.high < b.low || b.high < a.low) return a.high < b.low ? b : a;
      return range_of(ff_formula_max(a.low, b.low), ff_formula_max(a.high, b.high), 0);
    default: return function(code, a);
  }
}

static ff_range operate(uint32_t code, uint32_t operands, ff_range a, ff_range b, ff_range c) {
  if (a.exact && (operands < 2 || b.exact) && (operands < 3 || c.exact))
    return value_of(ff_formula_operate(code, number_of(a), number_of(b), number_of(c)));
  switch (code) {
    case FF_F_POW: return power(a, b);
    case FF_F_LT:
    case FF_F_LE:
    case FF_F_GT:
    case FF_F_GE:
    case FF_F_EQ:
    case FF_F_NE: return compare(code, a, b);
    case FF_F_AND: return truth_of(is_false(a) || is_false(b), is_true(a) && is_true(b));
    case FF_F_OR: return truth_of(is_false(a) && is_false(b), is_true(a) || is_true(b));
    case FF_F_NOT: return truth_of(is_true(a), is_false(a));
    case FF_F_IF: return is_true(a) ? b : is_false(a) ? c : either(b, c);
    default:
      if (is_empty(a) || (operands > 1 && is_empty(b))) return value_of(ff_math_nan());
      return with_nan(operate_numbers(code, a, b), a.nan || (operands > 1 && b.nan));
  }
}

/* ---- rounding ----------------------------------------------------------------------------------------------------------- */

/* At least half a unit in the last place away. */
static double just_below(double x) { return x - (ff_math_absolute(x) * 0x1p-52 + 0x1p-1074); }
static double just_above(double x) { return x + (ff_math_absolute(x) * 0x1p-52 + 0x1p-1074); }

/* Whether a sum is without a rounding error, by Knuth's two-sum. An infinite sum counts as such. */
static int is_exact_sum(double a, double b) {
  const double total = a + b, other = total - a;
  if (!(ff_math_absolute(total) < INFINITY)) return 1;
  return (a - (total - other)) + (b - other) == 0.0;
}

static int may_be_zero(ff_range x) { return x.low == 0.0 || x.high == 0.0; }

/* Widens the range of a sum, a product or a quotient by its rounding error. What has an operand 0 has none. */
static ff_range rounded(uint32_t code, ff_range out, ff_range a, ff_range b) {
  int low = 0, high = 0;
  if (is_empty(out)) return out;
  switch (code) {
    case FF_F_ADD:
      low = is_exact_sum(a.low, b.low);
      high = is_exact_sum(a.high, b.high);
      break;
    case FF_F_SUB:
      low = is_exact_sum(a.low, -b.high);
      high = is_exact_sum(a.high, -b.low);
      break;
    case FF_F_MUL:
    case FF_F_DIV:
      low = out.low == 0.0 && (may_be_zero(a) || (code == FF_F_MUL && may_be_zero(b)));
      high = out.high == 0.0 && (may_be_zero(a) || (code == FF_F_MUL && may_be_zero(b)));
      break;
    default: return out;
  }
  if (!low && ff_math_absolute(out.low) < INFINITY) out.low = just_below(out.low);
  if (!high && ff_math_absolute(out.high) < INFINITY) out.high = just_above(out.high);
  return out;
}

/* A number, a symbol or the time whose last bit may be rounded. Whole numbers are not. */
static ff_range inexact(ff_range x) {
  x.exact = 0;
  if (is_empty(x) || !(ff_math_absolute(x.low) < INFINITY && ff_math_absolute(x.high) < INFINITY)) return x;
  if (ff_formula_floor(x.low) != x.low) x.low = just_below(x.low);
  if (ff_formula_floor(x.high) != x.high) x.high = just_above(x.high);
  return x;
}

/* ---- formulas ----------------------------------------------------------------------------------------------------------- */

static ff_range symbol_of(double low, double high) {
  if (ff_math_bits(low) == ff_math_bits(high)) return value_of(low);
  return low <= high ? range_of(low, high, 0) : anything;
}

static ff_range apply(ff_range_kind kind, const ff_formula_word *word, uint32_t n, const ff_range *operand) {
  const ff_range a = operand[0], b = n > 1 ? operand[1] : anything, c = n > 2 ? operand[2] : anything;
  ff_range out = operate(word->code, n, a, b, c);
  if (kind != FF_RANGE_COMPUTED && !out.exact) out = rounded(word->code, out, a, b);
  if (kind == FF_RANGE_INEXACT)
    out.exact = 0;
  else if (!out.nan && out.low == out.high && out.low != 0.0) /* a zero may have either sign */
    out.exact = 1;
  return out;
}

ff_range ff_formula_range(const ff_formula *formula, ff_range_kind kind, const double *low, const double *high, ff_range time,
                          ff_range *stack) {
  const int inexact_leaves = kind == FF_RANGE_INEXACT;
  ff_range *top = stack;
  for (uint32_t at = 0; at < formula->length; at++) {
    const ff_formula_word *word = &formula->word[at];
    const uint32_t n = ff_formula_operands(word->code);
    ff_range next = time;
    if (word->code == FF_F_NUMBER) next = value_of(word->number);
    if (word->code == FF_F_SYMBOL) next = symbol_of(low[word->symbol], high[word->symbol]);
    if (n == 0 && inexact_leaves) next = inexact(next);
    top -= n;
    *top = n == 0 ? next : apply(kind, word, n, top);
    top++;
  }
  return formula->length == 0 ? anything : stack[0];
}

int ff_formula_is_true_in(ff_range x) { return is_true(x) ? 1 : is_false(x) ? 0 : -1; }
