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

static const ff_range anything = {-INFINITY, INFINITY};
static const ff_range undecided = {0.0, 1.0};

static int is_anything(ff_range x) { return !(x.low > -INFINITY || x.high < INFINITY); }

static ff_range range_of(double low, double high) {
  if (low != low || high != high) return anything;
  return (ff_range){low, high};
}

static ff_range truth_of(int no, int yes) { return no ? (ff_range){0.0, 0.0} : yes ? (ff_range){1.0, 1.0} : undecided; }

static double below(double x) { return x - (ff_math_absolute(x) * 0x1p-49 + 0x1p-1070); }
static double above(double x) { return x + (ff_math_absolute(x) * 0x1p-49 + 0x1p-1070); }

/* The range of a function that is monotone but for rounding. An infinite end stays one. */
static ff_range widened(double a, double b) {
  if (a != a || b != b) return anything;
  const double low = a < b ? a : b, high = a < b ? b : a;
  const int low_is_finite = low > -INFINITY && low < INFINITY, high_is_finite = high > -INFINITY && high < INFINITY;
  return (ff_range){low_is_finite ? below(low) : low, high_is_finite ? above(high) : high};
}

static ff_range clipped(ff_range x, double low, double high) {
  return (ff_range){x.low < low ? low : x.low, x.high > high ? high : x.high};
}

static ff_range of_corners(double a, double b, double c, double d) {
  if (a != a || b != b || c != c || d != d) return anything;
  const double low = (a < b ? a : b) < (c < d ? c : d) ? (a < b ? a : b) : (c < d ? c : d);
  const double high = (a > b ? a : b) > (c > d ? c : d) ? (a > b ? a : b) : (c > d ? c : d);
  return (ff_range){low, high};
}

static int has_zero(ff_range x) { return x.low <= 0.0 && x.high >= 0.0; }
static int has_infinity(ff_range x) { return x.low == -INFINITY || x.high == INFINITY; }

/* ---- arithmetic --------------------------------------------------------------------------------------------------------- */

static ff_range product(ff_range a, ff_range b) {
  if ((has_zero(a) && has_infinity(b)) || (has_zero(b) && has_infinity(a))) return anything; /* 0 times infinity is NaN */
  return of_corners(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high);
}

static ff_range quotient(ff_range a, ff_range b) {
  if (has_zero(b) || (has_infinity(a) && has_infinity(b))) return anything;
  return of_corners(a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high);
}

/* A power with the same whole exponent everywhere. */
static ff_range whole_power(ff_range x, double y) {
  const double a = ff_formula_pow(x.low, y), b = ff_formula_pow(x.high, y);
  const int even = ff_formula_floor(y / 2.0) * 2.0 == y;
  if (y < 0.0 && has_zero(x)) return anything;
  ff_range out = widened(a, b);
  if (even && has_zero(x)) out.low = 0.0;
  return even ? clipped(out, 0.0, INFINITY) : out;
}

static ff_range power(ff_range x, ff_range y) {
  if (y.low == 0.0 && y.high == 0.0) return (ff_range){1.0, 1.0}; /* even of NaN */
  if (is_anything(x) || is_anything(y)) return anything;
  if (y.low == y.high && ff_formula_floor(y.low) == y.low) return whole_power(x, y.low);
  if (x.low < 0.0 || (x.low == 0.0 && y.low < 0.0)) return anything; /* a negative zero has the power -infinity or infinity */
  /* it is monotone in each of both, so its extremes are at the corners, but for 0^0 */
  const ff_range corners = of_corners(ff_formula_pow(x.low, y.low), ff_formula_pow(x.low, y.high), ff_formula_pow(x.high, y.low),
                                      ff_formula_pow(x.high, y.high));
  ff_range out = clipped(widened(corners.low, corners.high), 0.0, INFINITY);
  if (x.low == 0.0 && has_zero(y)) out = (ff_range){0.0, out.high > 1.0 ? out.high : 1.0};
  return out;
}

/* ---- truth -------------------------------------------------------------------------------------------------------------- */

static int is_false(ff_range x) { return x.low == 0.0 && x.high == 0.0; }
static int is_true(ff_range x) { return x.low > 0.0 || x.high < 0.0; }

static ff_range compare(uint32_t code, ff_range a, ff_range b) {
  if (is_anything(a) || is_anything(b)) return undecided;
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

static ff_range either(ff_range a, ff_range b) {
  return (ff_range){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

/* ---- functions ---------------------------------------------------------------------------------------------------------- */

static ff_range absolute(ff_range x) {
  if (is_anything(x)) return anything;
  const double a = ff_math_absolute(x.low), b = ff_math_absolute(x.high), larger = a > b ? a : b, smaller = a > b ? b : a;
  return (ff_range){has_zero(x) ? 0.0 : smaller, larger};
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
  if (has_infinity(x)) return anything;
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
  return is_anything(x) ? anything : clipped(widened(ff_cosh(size.low), ff_cosh(size.high)), 1.0, INFINITY);
}

/* Functions that are monotone where they are defined. Where they are not, the ends or these checks give NaN. */
static ff_range monotone(uint32_t code, ff_range x) {
  if (is_anything(x)) return anything;
  ff_range out = widened(ff_formula_operate(code, x.low, 0.0, 0.0), ff_formula_operate(code, x.high, 0.0, 0.0));
  switch (code) {
    case FF_F_FLOOR:
    case FF_F_CEILING:
      return (ff_range){ff_formula_operate(code, x.low, 0.0, 0.0), ff_formula_operate(code, x.high, 0.0, 0.0)};
    case FF_F_SQRT:
    case FF_F_EXP: return is_anything(out) ? out : clipped(out, 0.0, INFINITY);
    case FF_F_EXPM1: return is_anything(out) ? out : clipped(out, -1.0, INFINITY);
    case FF_F_TANH: return clipped(out, -1.0, 1.0);
    default: return out;
  }
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

static ff_range operate(uint32_t code, ff_range a, ff_range b, ff_range c) {
  switch (code) {
    case FF_F_NEG: return (ff_range){-a.high, -a.low};
    case FF_F_ADD: return range_of(a.low + b.low, a.high + b.high);
    case FF_F_SUB: return range_of(a.low - b.high, a.high - b.low);
    case FF_F_MUL: return product(a, b);
    case FF_F_DIV: return quotient(a, b);
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
    case FF_F_MIN:
      if (is_anything(a) || is_anything(b)) return anything;
      return (ff_range){ff_formula_min(a.low, b.low), ff_formula_min(a.high, b.high)};
    case FF_F_MAX:
      if (is_anything(a) || is_anything(b)) return anything;
      return (ff_range){ff_formula_max(a.low, b.low), ff_formula_max(a.high, b.high)};
    default: return function(code, a);
  }
}

ff_range ff_formula_range(const ff_formula *formula, const double *low, const double *high, ff_range time, ff_range *stack) {
  ff_range *top = stack;
  for (uint32_t at = 0; at < formula->length; at++) {
    const ff_formula_word *word = &formula->word[at];
    switch (word->code) {
      case FF_F_NUMBER: *top++ = range_of(word->number, word->number); break;
      case FF_F_SYMBOL: *top++ = range_of(low[word->symbol], high[word->symbol]); break;
      case FF_F_TIME: *top++ = time; break;
      default: {
        const uint32_t n = ff_formula_operands(word->code);
        top -= n;
        *top = operate(word->code, top[0], n > 1 ? top[1] : anything, n > 2 ? top[2] : anything);
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

/* 1 or 0 if the formula is true or false at all times of a range, and -1 if this is not known. */
static int truth_within(const ff_formula *formula, const double *values, uint64_t a, uint64_t b, double *stack,
                        ff_range *ranges) {
  if (a == b) return ff_formula_value(formula, values, double_of(a), stack) != 0.0;
  const ff_range x = ff_formula_range(formula, values, values, (ff_range){double_of(a), double_of(b)}, ranges);
  return is_anything(x) ? -1 : is_true(x) ? 1 : is_false(x) ? 0 : -1;
}

/* The range of times is halved until it is decided; the earlier half comes first. */
int ff_formula_first_change(const ff_formula *formula, const double *values, double from, double to, int truth, uint32_t steps,
                            double *at, double *stack, ff_range *ranges) {
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
    const int now = truth_within(formula, values, start, stop, stack, ranges);
    if (now == -1) {
      end[n++] = start + (stop - start) / 2;
    } else if (now != truth) {
      *at = double_of(start);
      return 1;
    } else {
      start = stop + 1;
      n--;
    }
  }
  return 0;
}
