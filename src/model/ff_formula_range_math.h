/* Interval arithmetic on formulas. gcc, nvcc and NVRTC compile the same text.
 *
 * IEEE operations are monotone, also after rounding, so the values at the ends of a range bound those within it. Elementary
 * functions are not quite monotone after rounding: their errors are below 2 units in the last place, and the range is widened by
 * more than twice that. So the range of a function also holds its value without rounding; that of a sum, a product or a quotient
 * does so once ff_range_rounded() has widened it. */
#ifndef FF_FORMULA_RANGE_MATH_H
#define FF_FORMULA_RANGE_MATH_H

#include "ff_formula_math.h"
#include "ff_formula_range.h"

#define FF_INF ff_math_infinity()

/* Generated code that names its operations calls these for each of them, so that the compiler knows the operation. */
#if defined(FF_FORMULA_OPERATIONS) && defined(__CUDACC__)
#define FF_RANGE_INLINE static FF_HD __forceinline__
#else
#define FF_RANGE_INLINE static FF_HD inline
#endif

static FF_HD inline ff_range ff_range_new(double low, double high, int nan, int exact) {
  ff_range out;
  out.low = low;
  out.high = high;
  out.nan = (uint8_t)(nan != 0);
  out.exact = (uint8_t)(exact != 0);
  return out;
}

static FF_HD inline ff_range ff_range_anything(void) { return ff_range_new(-FF_INF, FF_INF, 1, 0); }

static FF_HD inline ff_range ff_range_of_value(double x) {
  if (x != x) return ff_range_new(FF_INF, -FF_INF, 1, 1);
  return ff_range_new(x, x, 0, 1);
}

static FF_HD inline double ff_range_number(ff_range exact) { return exact.nan ? ff_math_nan() : exact.low; }

static FF_HD inline int ff_range_is_empty(ff_range x) { return x.low > x.high; }
static FF_HD inline int ff_range_holds(ff_range x, double value) { return x.low <= value && value <= x.high; }
static FF_HD inline int ff_range_has_zero(ff_range x) { return ff_range_holds(x, 0.0); }
static FF_HD inline int ff_range_is_zero(ff_range x) { return x.low == 0.0 && x.high == 0.0; }
static FF_HD inline int ff_range_has_infinity(ff_range x) {
  return !ff_range_is_empty(x) && (x.low == -FF_INF || x.high == FF_INF);
}

/* A sum or a difference of two ends; NaN stands for an end that is not known. */
static FF_HD inline ff_range ff_range_of_ends(double low, double high, int nan) {
  return ff_range_new(low != low ? -FF_INF : low, high != high ? FF_INF : high, nan != 0, 0);
}

static FF_HD inline ff_range ff_range_of_truth(int no, int yes) {
  return no ? ff_range_of_value(0.0) : yes ? ff_range_of_value(1.0) : ff_range_of_ends(0.0, 1.0, 0);
}

static FF_HD inline ff_range ff_range_either(ff_range a, ff_range b) {
  return ff_range_new(a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high, a.nan || b.nan, 0);
}

static FF_HD inline double ff_range_below(double x) { return x - (ff_math_absolute(x) * 0x1p-49 + 0x1p-1070); }
static FF_HD inline double ff_range_above(double x) { return x + (ff_math_absolute(x) * 0x1p-49 + 0x1p-1070); }

/* The range of a function that is monotone but for rounding. An infinite end stays one. */
static FF_HD inline ff_range ff_range_widened(double a, double b) {
  if (a != a || b != b) return ff_range_anything();
  const double low = a < b ? a : b, high = a < b ? b : a;
  const int low_is_finite = low > -FF_INF && low < FF_INF, high_is_finite = high > -FF_INF && high < FF_INF;
  return ff_range_of_ends(low_is_finite ? ff_range_below(low) : low, high_is_finite ? ff_range_above(high) : high, 0);
}

static FF_HD inline ff_range ff_range_clipped(ff_range x, double low, double high) {
  return ff_range_of_ends(x.low < low ? low : x.low, x.high > high ? high : x.high, x.nan);
}

static FF_HD inline ff_range ff_range_with_nan(ff_range x, int nan) {
  if (!nan || x.nan) return x;
  x.nan = 1;
  x.exact = 0;
  return x;
}

/* Zero times infinity is left out: other values of the same range bound the numbers. */
FF_RANGE_INLINE ff_range ff_range_of_corners(double a, double b, double c, double d) {
  const double corner[] = {a, b, c, d};
  ff_range out = ff_range_new(FF_INF, -FF_INF, 0, 0);
  for (int i = 0; i < 4; i++) {
    const double x = corner[i] == corner[i] ? corner[i] : 0.0;
    out.low = x < out.low ? x : out.low;
    out.high = x > out.high ? x : out.high;
  }
  return out;
}

/* ---- arithmetic --------------------------------------------------------------------------------------------------------- */

FF_RANGE_INLINE ff_range ff_range_sum(ff_range a, ff_range b) {
  const int opposite = (a.high == FF_INF && b.low == -FF_INF) || (a.low == -FF_INF && b.high == FF_INF);
  return ff_range_of_ends(a.low + b.low, a.high + b.high, opposite);
}

static FF_HD inline ff_range ff_range_negative(ff_range x) { return ff_range_new(-x.high, -x.low, x.nan, 0); }

FF_RANGE_INLINE ff_range ff_range_product(ff_range a, ff_range b) {
  const int undefined = (ff_range_has_zero(a) && ff_range_has_infinity(b)) || (ff_range_has_zero(b) && ff_range_has_infinity(a));
  return ff_range_with_nan(ff_range_of_corners(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high), undefined);
}

/* A divisor of 0 may have either sign. */
FF_RANGE_INLINE ff_range ff_range_quotient(ff_range a, ff_range b) {
  const int both = ff_range_has_infinity(a) && ff_range_has_infinity(b);
  const int undefined = (ff_range_has_zero(a) && ff_range_has_zero(b)) || both;
  if (ff_range_is_zero(a) && ff_range_is_zero(b)) return ff_range_of_value(ff_math_nan());
  if (ff_range_has_zero(b) || both) return ff_range_of_ends(-FF_INF, FF_INF, undefined);
  return ff_range_of_corners(a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high);
}

/* A power with the same whole exponent everywhere. */
FF_RANGE_INLINE ff_range ff_range_whole_power(ff_range x, double y) {
  const double a = ff_formula_pow(x.low, y), b = ff_formula_pow(x.high, y);
  const int even = ff_formula_floor(y / 2.0) * 2.0 == y;
  if (y < 0.0 && ff_range_has_zero(x)) return ff_range_of_ends(even ? 0.0 : -FF_INF, FF_INF, 0);
  ff_range out = ff_range_widened(a, b);
  if (even && ff_range_has_zero(x)) out.low = 0.0;
  return even ? ff_range_clipped(out, 0.0, FF_INF) : out;
}

/* A power for x >= 0: it is monotone in x and in y, so its extremes are at the corners, but for 0^0. */
FF_RANGE_INLINE ff_range ff_range_positive_power(ff_range x, ff_range y) {
  const ff_range corners = ff_range_of_corners(ff_formula_pow(x.low, y.low), ff_formula_pow(x.low, y.high),
                                               ff_formula_pow(x.high, y.low), ff_formula_pow(x.high, y.high));
  ff_range out = ff_range_clipped(ff_range_widened(corners.low, corners.high), 0.0, FF_INF);
  if (x.low == 0.0 && ff_range_has_zero(y)) out.low = 0.0;
  if (x.low == 0.0 && y.low < 0.0) out.high = FF_INF;
  if (x.low == 0.0 && y.low < 0.0 && y.low != y.high) out.low = -FF_INF; /* a negative zero to an odd power */
  return ff_range_has_zero(y) || ff_range_holds(x, 1.0) ? ff_range_either(out, ff_range_of_value(1.0)) : out;
}

FF_RANGE_INLINE ff_range ff_range_power(ff_range x, ff_range y) {
  if (ff_range_is_zero(y)) return ff_range_of_value(1.0); /* even of NaN */
  const ff_range one = ff_range_of_value(1.0);
  ff_range out = ff_range_new(FF_INF, -FF_INF, x.nan || y.nan, 0);
  if ((x.nan && ff_range_has_zero(y)) || (y.nan && ff_range_holds(x, 1.0))) out = ff_range_either(out, one); /* NaN^0 and 1^NaN */
  if (ff_range_is_empty(x) || ff_range_is_empty(y)) return out;
  if (y.low == y.high && ff_formula_floor(y.low) == y.low) return ff_range_either(out, ff_range_whole_power(x, y.low));
  if (x.low >= 0.0) return ff_range_either(out, ff_range_positive_power(x, y));
  if (x.low == -FF_INF || ff_range_has_infinity(y) || y.low != y.high) return ff_range_anything();
  out.nan = 1; /* a negative number to a power that is not whole */
  return x.high < 0.0 ? out : ff_range_either(out, ff_range_positive_power(ff_range_of_ends(0.0, x.high, 0), y));
}

/* ---- truth -------------------------------------------------------------------------------------------------------------- */

static FF_HD inline int ff_range_is_false(ff_range x) { return ff_range_is_zero(x) && !x.nan; }
static FF_HD inline int ff_range_is_true(ff_range x) { return !ff_range_has_zero(x); } /* NaN is not 0 */

static FF_HD inline ff_range ff_range_compare_numbers(uint32_t code, ff_range a, ff_range b) {
  const int less = a.high < b.low, greater = a.low > b.high, one = a.low == a.high && b.low == b.high && a.low == b.low;
  switch (code) {
    case FF_F_LT: return ff_range_of_truth(a.low >= b.high, less);
    case FF_F_LE: return ff_range_of_truth(greater, a.high <= b.low);
    case FF_F_GT: return ff_range_of_truth(a.high <= b.low, greater);
    case FF_F_GE: return ff_range_of_truth(less, a.low >= b.high);
    case FF_F_EQ: return ff_range_of_truth(less || greater, one);
    default: return ff_range_of_truth(one, less || greater);
  }
}

/* A comparison with NaN is false, but NaN is not equal to ff_range_anything(). */
static FF_HD inline ff_range ff_range_compare(uint32_t code, ff_range a, ff_range b) {
  const ff_range with_nan = ff_range_of_value(code == FF_F_NE ? 1.0 : 0.0);
  if (ff_range_is_empty(a) || ff_range_is_empty(b)) return with_nan;
  const ff_range out = ff_range_compare_numbers(code, a, b);
  return a.nan || b.nan ? ff_range_either(out, with_nan) : out;
}

/* ---- functions ---------------------------------------------------------------------------------------------------------- */

static FF_HD inline ff_range ff_range_absolute(ff_range x) {
  const double a = ff_math_absolute(x.low), b = ff_math_absolute(x.high), larger = a > b ? a : b, smaller = a > b ? b : a;
  return ff_range_of_ends(ff_range_has_zero(x) ? 0.0 : smaller, larger, 0);
}

/* Whether the range may hold a number of the form phase + k * period, for a whole k. */
static FF_HD inline int ff_range_may_hold(ff_range x, double phase, double period) {
  const double first = (x.low - phase) / period, last = (x.high - phase) / period;
  const double slack = 0x1p-49 * (2.0 + ff_math_absolute(first) + ff_math_absolute(last));
  return ff_formula_floor(last + slack) >= first - slack;
}

#define FF_RANGE_PI 0x1.921fb54442d18p+1

/* A sine or a cosine. `top` is where it is 1, and `bottom` where it is -1. */
static FF_HD inline ff_range ff_range_wave(ff_range x, double at_low, double at_high, double top, double bottom) {
  if (ff_range_has_infinity(x)) return ff_range_of_ends(-1.0, 1.0, 1);
  ff_range out = ff_range_widened(at_low, at_high);
  if (ff_range_may_hold(x, top, 2.0 * FF_RANGE_PI)) out.high = 1.0;
  if (ff_range_may_hold(x, bottom, 2.0 * FF_RANGE_PI)) out.low = -1.0;
  return ff_range_clipped(out, -1.0, 1.0);
}

static FF_HD inline ff_range ff_range_sine(ff_range x) {
  return ff_range_wave(x, ff_sin(x.low), ff_sin(x.high), FF_RANGE_PI / 2.0, -FF_RANGE_PI / 2.0);
}

static FF_HD inline ff_range ff_range_cosine(ff_range x) {
  return ff_range_wave(x, ff_cos(x.low), ff_cos(x.high), 0.0, FF_RANGE_PI);
}

static FF_HD inline ff_range ff_range_tangent(ff_range x) {
  if (ff_range_has_infinity(x) || ff_range_may_hold(x, FF_RANGE_PI / 2.0, FF_RANGE_PI)) return ff_range_anything();
  return ff_range_widened(ff_tan(x.low), ff_tan(x.high));
}

static FF_HD inline ff_range ff_range_hyperbolic_cosine(ff_range x) {
  const ff_range size = ff_range_absolute(x);
  return ff_range_clipped(ff_range_widened(ff_cosh(size.low), ff_cosh(size.high)), 1.0, FF_INF);
}

/* Where a function is defined. */
static FF_HD inline ff_range ff_range_domain(uint32_t code) {
  switch (code) {
    case FF_F_SQRT:
    case FF_F_LOG:
    case FF_F_LOG2:
    case FF_F_LOG10: return ff_range_of_ends(0.0, FF_INF, 0);
    case FF_F_LOG1P: return ff_range_of_ends(-1.0, FF_INF, 0);
    case FF_F_ASIN:
    case FF_F_ACOS: return ff_range_of_ends(-1.0, 1.0, 0);
    default: return ff_range_of_ends(-FF_INF, FF_INF, 0);
  }
}

/* Functions that are monotone where they are defined, and NaN elsewhere. */
static FF_HD inline ff_range ff_range_monotone(uint32_t code, ff_range all) {
  const ff_range domain = ff_range_domain(code), x = ff_range_clipped(all, domain.low, domain.high);
  const int outside = all.low < domain.low || all.high > domain.high;
  if (ff_range_is_empty(x)) return ff_range_of_value(ff_math_nan());
  const double a = ff_formula_operate(code, x.low, 0.0, 0.0), b = ff_formula_operate(code, x.high, 0.0, 0.0);
  if (code == FF_F_FLOOR && b == 0.0 && x.low > 0.0) return ff_range_of_value(0.0); /* no negative zero */
  if (code == FF_F_FLOOR || code == FF_F_CEILING) return ff_range_of_ends(a, b, 0);
  ff_range out = ff_range_widened(a, b);
  if (code == FF_F_SQRT || code == FF_F_EXP) out = ff_range_clipped(out, 0.0, FF_INF);
  if (code == FF_F_EXPM1) out = ff_range_clipped(out, -1.0, FF_INF);
  if (code == FF_F_TANH) out = ff_range_clipped(out, -1.0, 1.0);
  return ff_range_with_nan(out, outside);
}

FF_RANGE_INLINE ff_range ff_range_function(uint32_t code, ff_range x) {
  switch (code) {
    case FF_F_ABS: return ff_range_absolute(x);
    case FF_F_SIN: return FF_FORMULA_HAS(FF_F_SIN) ? ff_range_sine(x) : ff_range_anything();
    case FF_F_COS: return FF_FORMULA_HAS(FF_F_COS) ? ff_range_cosine(x) : ff_range_anything();
    case FF_F_TAN: return FF_FORMULA_HAS(FF_F_TAN) ? ff_range_tangent(x) : ff_range_anything();
    case FF_F_COSH: return FF_FORMULA_HAS(FF_F_COSH) ? ff_range_hyperbolic_cosine(x) : ff_range_anything();
    default: return ff_range_monotone(code, x);
  }
}

/* The numbers that an operation on numbers gives, where NaN gives NaN. */
FF_RANGE_INLINE ff_range ff_range_operate_numbers(uint32_t code, ff_range a, ff_range b) {
  switch (code) {
    case FF_F_NEG: return ff_range_negative(a);
    case FF_F_ADD: return ff_range_sum(a, b);
    case FF_F_SUB: return ff_range_sum(a, ff_range_negative(b));
    case FF_F_MUL: return ff_range_product(a, b);
    case FF_F_DIV: return ff_range_quotient(a, b);
    case FF_F_MIN:
      if (a.high < b.low || b.high < a.low) return a.high < b.low ? a : b; /* unchanged, so an exact range stays exact */
      return ff_range_of_ends(ff_formula_min(a.low, b.low), ff_formula_min(a.high, b.high), 0);
    case FF_F_MAX:
      if (a.high < b.low || b.high < a.low) return a.high < b.low ? b : a;
      return ff_range_of_ends(ff_formula_max(a.low, b.low), ff_formula_max(a.high, b.high), 0);
    default: return ff_range_function(code, a);
  }
}

/* One case for each kind of operation. */
FF_RANGE_INLINE ff_range ff_range_operate(uint32_t code, uint32_t operands, ff_range a, ff_range b, ff_range c) {
  if (a.exact && (operands < 2 || b.exact) && (operands < 3 || c.exact))
    return ff_range_of_value(ff_formula_operate(code, ff_range_number(a), ff_range_number(b), ff_range_number(c)));
  switch (code) {
    case FF_F_POW: return FF_FORMULA_HAS(FF_F_POW) ? ff_range_power(a, b) : ff_range_anything();
    case FF_F_LT:
    case FF_F_LE:
    case FF_F_GT:
    case FF_F_GE:
    case FF_F_EQ:
    case FF_F_NE: return ff_range_compare(code, a, b);
    case FF_F_AND:
      return ff_range_of_truth(ff_range_is_false(a) || ff_range_is_false(b), ff_range_is_true(a) && ff_range_is_true(b));
    case FF_F_OR:
      return ff_range_of_truth(ff_range_is_false(a) && ff_range_is_false(b), ff_range_is_true(a) || ff_range_is_true(b));
    case FF_F_NOT: return ff_range_of_truth(ff_range_is_true(a), ff_range_is_false(a));
    case FF_F_IF: return ff_range_is_true(a) ? b : ff_range_is_false(a) ? c : ff_range_either(b, c);
    default:
      if (ff_range_is_empty(a) || (operands > 1 && ff_range_is_empty(b))) return ff_range_of_value(ff_math_nan());
      return ff_range_with_nan(ff_range_operate_numbers(code, a, b), a.nan || (operands > 1 && b.nan));
  }
}

/* ---- rounding ----------------------------------------------------------------------------------------------------------- */

/* A number that is at least half a unit in the last place away. */
static FF_HD inline double ff_range_just_below(double x) { return x - (ff_math_absolute(x) * 0x1p-52 + 0x1p-1074); }
static FF_HD inline double ff_range_just_above(double x) { return x + (ff_math_absolute(x) * 0x1p-52 + 0x1p-1074); }

/* Whether a sum is without a rounding error, by Knuth's two-sum. An infinite sum counts as such. */
static FF_HD inline int ff_range_is_exact_sum(double a, double b) {
  const double total = a + b, other = total - a;
  if (!(ff_math_absolute(total) < FF_INF)) return 1;
  return (a - (total - other)) + (b - other) == 0.0;
}

static FF_HD inline int ff_range_may_be_zero(ff_range x) { return x.low == 0.0 || x.high == 0.0; }

/* Widens the range of a sum, a product or a quotient by its rounding error. What has an operand 0 has none. */
static FF_HD inline ff_range ff_range_rounded(uint32_t code, ff_range out, ff_range a, ff_range b) {
  int low = 0, high = 0;
  if (ff_range_is_empty(out)) return out;
  switch (code) {
    case FF_F_ADD:
      low = ff_range_is_exact_sum(a.low, b.low);
      high = ff_range_is_exact_sum(a.high, b.high);
      break;
    case FF_F_SUB:
      low = ff_range_is_exact_sum(a.low, -b.high);
      high = ff_range_is_exact_sum(a.high, -b.low);
      break;
    case FF_F_MUL:
    case FF_F_DIV:
      low = out.low == 0.0 && (ff_range_may_be_zero(a) || (code == FF_F_MUL && ff_range_may_be_zero(b)));
      high = out.high == 0.0 && (ff_range_may_be_zero(a) || (code == FF_F_MUL && ff_range_may_be_zero(b)));
      break;
    default: return out;
  }
  if (!low && ff_math_absolute(out.low) < FF_INF) out.low = ff_range_just_below(out.low);
  if (!high && ff_math_absolute(out.high) < FF_INF) out.high = ff_range_just_above(out.high);
  return out;
}

/* A number, a symbol or the time whose last bit may be rounded. Whole numbers are not. */
static FF_HD inline ff_range ff_range_inexact(ff_range x) {
  x.exact = x.nan || (x.low == x.high && ff_formula_floor(x.low) == x.low);
  if (ff_range_is_empty(x) || !(ff_math_absolute(x.low) < FF_INF && ff_math_absolute(x.high) < FF_INF)) return x;
  if (ff_formula_floor(x.low) != x.low) x.low = ff_range_just_below(x.low);
  if (ff_formula_floor(x.high) != x.high) x.high = ff_range_just_above(x.high);
  return x;
}

/* ---- values without error ----------------------------------------------------------------------------------------------- */

/* A range that is exact in FF_RANGE_INEXACT holds one value, which has no error: whole numbers, and what follows from them and
 * from zeros and infinities without rounding. So 5 / (1 + (3 / A)^2) is 0 where A is 0. */

/* 1 or -1 if all values have this sign, which a zero has, too; 0 if this is not known. */
static FF_HD inline double ff_range_sign(ff_range x) {
  if (x.nan || ff_range_is_empty(x)) return 0.0;
  if (x.exact) return (ff_math_bits(x.low) >> 63) != 0 ? -1.0 : 1.0;
  return x.low > 0.0 ? 1.0 : x.high < 0.0 ? -1.0 : 0.0;
}

static FF_HD inline int ff_range_is_finite(ff_range x) { return !x.nan && !ff_range_is_empty(x) && !ff_range_has_infinity(x); }
static FF_HD inline int ff_range_is_end(ff_range x) { /* exactly 0 or infinite */
  return x.exact && !x.nan && (x.low == 0.0 || ff_math_absolute(x.low) == FF_INF);
}
static FF_HD inline int ff_range_is_whole(double x) { return ff_formula_floor(x) == x && ff_math_absolute(x) <= 0x1p53; }

/* Whether an operation on numbers without error gives one. One case for each operation. */
static FF_HD inline int ff_range_keeps(uint32_t code, double a, double b, double value) {
  const int end = a == 0.0 || b == 0.0 || !(ff_math_absolute(a) < FF_INF && ff_math_absolute(b) < FF_INF);
  switch (code) {
    case FF_F_ADD: return ff_range_is_exact_sum(a, b);
    case FF_F_SUB: return ff_range_is_exact_sum(a, -b);
    case FF_F_MUL: return end || (ff_range_is_whole(a) && ff_range_is_whole(b) && ff_range_is_whole(value));
    case FF_F_DIV: return end || (ff_range_is_whole(a) && ff_range_is_whole(b) && ff_range_is_whole(value) && value * b == a);
    case FF_F_POW: return end || a == 1.0 || b == 1.0;
    case FF_F_SQRT: return value != value || (ff_range_is_whole(value) && value * value == a);
    case FF_F_LOG:
    case FF_F_LOG2:
    case FF_F_LOG10: return value != value || a == 0.0 || a == 1.0;
    case FF_F_ACOS: return value != value || a == 1.0;
    case FF_F_EXP:
    case FF_F_EXPM1:
    case FF_F_LOG1P:
    case FF_F_SIN:
    case FF_F_COS:
    case FF_F_TAN:
    case FF_F_ASIN:
    case FF_F_ATAN:
    case FF_F_SINH:
    case FF_F_COSH:
    case FF_F_TANH: return value != value || a == 0.0;
    default: return 1;
  }
}

/* Whether the result follows from an operand that is exactly 0 or infinite, and from the other one's sign. Then numbers with
 * these signs, *a and *b, give it. */
static FF_HD inline int ff_range_follows(uint32_t code, ff_range x, ff_range y, double *a, double *b) {
  const double sign_x = ff_range_sign(x), sign_y = ff_range_sign(y);
  const int end_x = ff_range_is_end(x), end_y = ff_range_is_end(y);
  *a = x.exact ? x.low : sign_x;
  *b = y.exact ? y.low : sign_y;
  if (end_x == end_y || !ff_range_is_finite(end_x ? y : x)) return 0;
  switch (code) {
    case FF_F_ADD:
    case FF_F_SUB: return ff_math_absolute(end_x ? x.low : y.low) == FF_INF;
    case FF_F_MUL:
    case FF_F_DIV: return sign_x != 0.0 && sign_y != 0.0;
    case FF_F_POW: return end_x && sign_x > 0.0 && sign_y != 0.0;
    default: return 0;
  }
}

/* Whether the result of an operation on a and b is known without error. Then *value is the result. */
static FF_HD inline int ff_range_errorless(uint32_t code, uint32_t n, ff_range a, ff_range b, double *value) {
  double x = ff_range_number(a), y = n > 1 ? ff_range_number(b) : 1.0;
  if (code == FF_F_IF) return 0;
  if (a.exact && (n < 2 || b.exact)) {
    *value = ff_formula_operate(code, x, y, 0.0);
    return x != x || y != y || ff_range_keeps(code, x, y, *value);
  }
  if (n != 2 || !ff_range_follows(code, a, b, &x, &y)) return 0;
  *value = ff_formula_operate(code, x, y, 0.0);
  return 1;
}

/* Whether a result is one of the operands, or a truth, and so exact if this is. */
static FF_HD inline int ff_range_passes(uint32_t code) {
  return code == FF_F_IF || code == FF_F_MIN || code == FF_F_MAX || (code >= FF_F_LT && code <= FF_F_NOT);
}

static FF_HD inline ff_range ff_range_apply_inexact(uint32_t code, uint32_t n, ff_range a, ff_range b, ff_range c) {
  double value;
  if (ff_range_errorless(code, n, a, b, &value)) return ff_range_of_value(value);
  if (ff_range_passes(code)) return ff_range_operate(code, n, a, b, c);
  a.exact = b.exact = 0;
  ff_range out = ff_range_operate(code, n, a, b, c);
  out = ff_range_rounded(code, out, a, b);
  out.exact = 0;
  return out;
}

/* ---- formulas ----------------------------------------------------------------------------------------------------------- */

static FF_HD inline ff_range ff_range_of_symbol(double low, double high) {
  if (ff_math_bits(low) == ff_math_bits(high)) return ff_range_of_value(low);
  return low <= high ? ff_range_of_ends(low, high, 0) : ff_range_anything();
}

/* The range of an operation with n operands; those that it does not have are ignored. */
FF_RANGE_INLINE ff_range ff_range_apply(ff_range_kind kind, uint32_t code, uint32_t n, ff_range a, ff_range b, ff_range c) {
  if (kind == FF_RANGE_INEXACT) return ff_range_apply_inexact(code, n, a, b, c);
  ff_range out = ff_range_operate(code, n, a, b, c);
  if (kind != FF_RANGE_COMPUTED && !out.exact) out = ff_range_rounded(code, out, a, b);
  if (!out.nan && out.low == out.high && out.low != 0.0) out.exact = 1; /* a zero may have either sign */
  return out;
}

/* A number, a symbol or the time. */
static FF_HD inline ff_range ff_range_leaf(ff_range_kind kind, ff_range x) {
  return kind == FF_RANGE_INEXACT ? ff_range_inexact(x) : x;
}

/* 1 or 0 if all values are true, or all are false (which only 0 is), and -1 if this is not known. */
static FF_HD inline int ff_range_truth(ff_range x) { return ff_range_is_true(x) ? 1 : ff_range_is_false(x) ? 0 : -1; }

#undef FF_INF

#endif
