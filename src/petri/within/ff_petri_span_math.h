/* Quick bounds of formulas within a step, for a first look. They leave out rounding errors, and know only the operations of
 * arithmetic. gcc, nvcc and NVRTC compile the same text. All calls take O(1). Bounds that are not known are infinite, or NaN. */
#ifndef FF_PETRI_SPAN_MATH_H
#define FF_PETRI_SPAN_MATH_H

#include "../../model/ff_formula_math.h"
#include "../../ode/ff_ode_explicit_math.h"

typedef struct {
  double low, high;
} ff_petri_span;

static FF_HD inline ff_petri_span ff_petri_span_new(double low, double high) {
  ff_petri_span out;
  out.low = low;
  out.high = high;
  return out;
}

static FF_HD inline double ff_petri_span_less(double a, double b) { return a < b ? a : b; }
static FF_HD inline double ff_petri_span_more(double a, double b) { return a > b ? a : b; }

/* A level in the whole step, from the coefficients of the dense output: see ff_petri_curve.h. */
static FF_HD inline ff_petri_span ff_petri_span_of_level(const double *c, int clips) {
  const double d1 = (c[1] + c[2]) / 4, d2 = c[1] / 2 + c[2] / 3 + (c[3] + c[4]) / 6, d3 = c[1] * 0.75 + (c[2] + c[3]) / 4;
  const double least = ff_petri_span_less(ff_petri_span_less(0, d1), ff_petri_span_less(ff_petri_span_less(d2, d3), c[1]));
  const double most = ff_petri_span_more(ff_petri_span_more(0, d1), ff_petri_span_more(ff_petri_span_more(d2, d3), c[1]));
  const double low = c[0] + least, high = c[0] + most;
  return ff_petri_span_new(clips && low < 0 ? 0 : low, clips && high < 0 ? 0 : high);
}

static FF_HD inline ff_petri_span ff_petri_span_sum(ff_petri_span a, ff_petri_span b) {
  return ff_petri_span_new(a.low + b.low, a.high + b.high);
}

static FF_HD inline ff_petri_span ff_petri_span_difference(ff_petri_span a, ff_petri_span b) {
  return ff_petri_span_new(a.low - b.high, a.high - b.low);
}

static FF_HD inline ff_petri_span ff_petri_span_of_corners(double a, double b, double c, double d) {
  return ff_petri_span_new(ff_petri_span_less(ff_petri_span_less(a, b), ff_petri_span_less(c, d)),
                           ff_petri_span_more(ff_petri_span_more(a, b), ff_petri_span_more(c, d)));
}

static FF_HD inline ff_petri_span ff_petri_span_product(ff_petri_span a, ff_petri_span b) {
  return ff_petri_span_of_corners(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high);
}

static FF_HD inline ff_petri_span ff_petri_span_quotient(ff_petri_span a, ff_petri_span b) {
  const ff_petri_span out = ff_petri_span_of_corners(a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high);
  const int sure = b.low > 0 || b.high < 0;
  return ff_petri_span_new(sure ? out.low : ff_math_nan(), sure ? out.high : ff_math_nan());
}

/* A power with the exponent y, from the powers of both ends. */
static FF_HD inline ff_petri_span ff_petri_span_power(double y, double low, double of_low, double of_high) {
  const double none = ff_math_nan();
  return ff_petri_span_new(low >= 0 ? y < 0 ? of_high : of_low : none, low >= 0 ? y < 0 ? of_low : of_high : none);
}

/* An operation of arithmetic on bounds; the exponent of a power is a number. A case for each operation. */
static FF_HD inline ff_petri_span ff_petri_span_operate(uint32_t code, ff_petri_span a, ff_petri_span b) {
  switch (code) {
    case FF_F_ADD: return ff_petri_span_sum(a, b);
    case FF_F_SUB: return ff_petri_span_difference(a, b);
    case FF_F_MUL: return ff_petri_span_product(a, b);
    case FF_F_DIV: return ff_petri_span_quotient(a, b);
    case FF_F_NEG: return ff_petri_span_new(-a.high, -a.low);
    default: return ff_petri_span_power(b.low, a.low, ff_formula_pow(a.low, b.low), ff_formula_pow(a.high, b.low));
  }
}

/* Whether bounds are farther from computed values, which are from `low` to `high`, than four times high - low, an eighth of
 * their size, and `slack` together. */
static FF_HD inline int ff_petri_span_is_far(ff_petri_span x, double low, double high, double slack) {
  const double size = ff_petri_span_more(ff_math_absolute(low), ff_math_absolute(high));
  const double most = 4 * (high - low) + size / 8 + slack;
  return x.high > high + most || x.low < low - most;
}

/* Whether bounds are known and not far from computed values. */
static FF_HD inline int ff_petri_span_is_near(ff_petri_span x, double low, double high, double slack) {
  return x.high - x.low < ff_math_infinity() && !ff_petri_span_is_far(x, low, high, slack);
}

/* Whether a formula may have narrow peaks for other reasons than narrow peaks of what it reads: not if it is a polynomial of low
 * degree, a root, or a logarithm. */
static FF_HD inline int ff_petri_span_may_be_narrow(const ff_formula *f) {
  for (uint32_t at = 0; at < f->length; at++) {
    const uint32_t code = f->word[at].code;
    const int number = at > 0 && f->word[at - 1].code == FF_F_NUMBER;
    if (code == FF_F_DIV && !number) return 1;
    if (code == FF_F_POW && !(number && f->word[at - 1].number >= 0 && f->word[at - 1].number <= 3)) return 1;
    if (code == FF_F_EXP || code == FF_F_EXPM1 || code >= FF_F_SIN) return 1;
  }
  return 0;
}

/* Whether a formula has operations of arithmetic alone, with numbers as exponents of powers. O(length). */
static FF_HD inline int ff_petri_span_can(const ff_formula *f) {
  for (uint32_t at = 0; at < f->length; at++) {
    const uint32_t code = f->word[at].code;
    const int arithmetic = code == FF_F_NUMBER || code == FF_F_SYMBOL || code == FF_F_NEG || code == FF_F_ADD ||
                           code == FF_F_SUB || code == FF_F_MUL || code == FF_F_DIV;
    if (!arithmetic && !(code == FF_F_POW && f->word[at - 1].code == FF_F_NUMBER)) return 0;
  }
  return 1;
}

#endif
