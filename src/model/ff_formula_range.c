/* Interval arithmetic on formulas.
 *
 * IEEE operations are monotone, also after rounding, so the values at the ends of a range bound those within it. Elementary
 * functions are not quite monotone after rounding: their errors are below 2 units in the last place, and the range is widened by
 * more than twice that. */
#include "ff_formula_range.h"

#include <float.h>
#include <math.h>
#include <string.h>

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
  x.nan |= nan != 0;
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
    case FF_F_MIN: return range_of(ff_formula_min(a.low, b.low), ff_formula_min(a.high, b.high), 0);
    case FF_F_MAX: return range_of(ff_formula_max(a.low, b.low), ff_formula_max(a.high, b.high), 0);
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

static ff_range symbol_of(double low, double high) {
  if (ff_math_bits(low) == ff_math_bits(high)) return value_of(low);
  return low <= high ? range_of(low, high, 0) : anything;
}

ff_range ff_formula_range(const ff_formula *formula, const double *low, const double *high, ff_range time, ff_range *stack) {
  ff_range *top = stack;
  for (uint32_t at = 0; at < formula->length; at++) {
    const ff_formula_word *word = &formula->word[at];
    switch (word->code) {
      case FF_F_NUMBER: *top++ = value_of(word->number); break;
      case FF_F_SYMBOL: *top++ = symbol_of(low[word->symbol], high[word->symbol]); break;
      case FF_F_TIME: *top++ = time; break;
      default: {
        const uint32_t n = ff_formula_operands(word->code);
        top -= n;
        *top = operate(word->code, n, top[0], n > 1 ? top[1] : anything, n > 2 ? top[2] : anything);
        top++;
      }
    }
  }
  return formula->length == 0 ? anything : stack[0];
}

/* ---- changes of truth --------------------------------------------------------------------------------------------------- */

/* Doubles of at least 0 have the order of their bits. */
static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static double double_of(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

typedef struct {
  const ff_formula *formula;
  const double *values;
  double *stack;
  ff_range *ranges;
} searched;

/* 1 or 0 if the formula has a property at all times of a range, or at none of them, and -1 if this is not known. */
typedef int property(const searched *f, double from, double to);

static ff_range range_within(const searched *f, double from, double to) {
  return ff_formula_range(f->formula, f->values, f->values, range_of(from, to, 0), f->ranges);
}

static int is_true_within(const searched *f, double from, double to) {
  if (from == to) return ff_formula_value(f->formula, f->values, from, f->stack) != 0.0;
  const ff_range x = range_within(f, from, to);
  return is_true(x) ? 1 : is_false(x) ? 0 : -1;
}

static int is_valid_within(const searched *f, double from, double to) {
  if (from == to) return ff_formula_value(f->formula, f->values, from, f->stack) >= 0.0;
  const ff_range x = range_within(f, from, to);
  return x.high < 0.0 ? 0 : x.low >= 0.0 && !x.nan ? 1 : -1;
}

/* The first double at which the property is not `now`. The range of times is halved until it is decided; the earlier half comes
 * first. */
static int first_change(const searched *f, property has, int now, double from, double to, uint32_t steps, double *at) {
  uint64_t end[66]; /* the ends of the parts that are left, the next one last: each is half of the one before */
  uint32_t n = 0;
  uint64_t start = bits_of(from + 0.0) + 1;
  *at = to;
  if (!(to > from) || from >= DBL_MAX) return 0;
  end[n++] = bits_of(to < DBL_MAX ? to : DBL_MAX);
  for (; n > 0; steps--) {
    const uint64_t stop = end[n - 1];
    if (steps == 0) {
      *at = double_of(start - 1);
      return 0;
    }
    const int found = has(f, double_of(start), double_of(stop));
    if (found == -1) {
      end[n++] = start + (stop - start) / 2;
    } else if (found != now) {
      *at = double_of(start);
      return 1;
    } else {
      start = stop + 1;
      n--;
    }
  }
  return 0;
}

int ff_formula_first_change(const ff_formula *formula, const double *values, double from, double to, int truth, uint32_t steps,
                            double *at, double *stack, ff_range *ranges) {
  return first_change(&(searched){formula, values, stack, ranges}, is_true_within, truth, from, to, steps, at);
}

int ff_formula_first_invalid(const ff_formula *formula, const double *values, double from, double to, uint32_t steps, double *at,
                             double *stack, ff_range *ranges) {
  return first_change(&(searched){formula, values, stack, ranges}, is_valid_within, 1, from, to, steps, at);
}
