/* Bounds of formulas of levels within a part of a step. gcc, nvcc and NVRTC compile the same text. ff_petri_crossing.h says what
 * ff_petri_bound_range(), ff_petri_bound_outline() and ff_petri_bound_span() do.
 *
 * The range of an operation on ranges is often too wide: that of x * y is about as wide as those of x and y, even where the
 * product turns. So where an operation is smooth, its slope is bounded, too, and its values are those at the middle of the part
 * and half of the slope more or less: this is too wide by the square of the part's width only (Moore's mean value form).
 * Otherwise a search would halve a part 1 / d times where levels that move come as near as d^2 to a change; so it does about
 * log(1 / d) times.
 *
 * Sums and multiples of levels are "straight": polynomials of the same degree, whose coefficients are sums and multiples. So x >
 * y is not open all the time if x and y are the same.
 *
 * Three functions of s play a role: the formula of the exact polynomials; what is computed of it; and the formula, without
 * rounding errors, of the polynomials whose coefficients ff_petri_curve_of() has computed. Slopes are those of the last one.
 * `error` bounds how far the others, and the value at the middle, are from it. An operation passes the errors of its operands on
 * by its partial derivatives, and adds its own rounding.
 *
 * The code is long, so the processor has it once, in ff_petri_bounds.c. Searches call FF_PETRI_RANGE and the like (see the end),
 * which the text before this one may define for a device. */
#ifndef FF_PETRI_BOUNDS_MATH_H
#define FF_PETRI_BOUNDS_MATH_H

#include "../../model/ff_formula_range_math.h"
#include "../../model/ff_formula_value_math.h"
#include "ff_petri_crossing.h"

#define FF_PETRI_BOUND_ROUNDING 0x1p-50 /* four times what an elementary function has at most */
#define FF_PETRI_BOUND_TINIEST 0x1p-1040

/* Of what is long, a device has one copy, because its compiler is slow. What is called for operations that the compiler knows
 * becomes short where it is called. */
#if defined(__CUDACC__)
#define FF_PETRI_ONCE static FF_HD __noinline__
#define FF_PETRI_INLINE static FF_HD __forceinline__
#else
#define FF_PETRI_ONCE static inline
#define FF_PETRI_INLINE static inline
#endif

static FF_HD inline double ff_petri_bound_larger(double a, double b) { return a > b ? a : b; }

static FF_HD inline double ff_petri_bound_size(ff_range x) {
  return ff_petri_bound_larger(ff_math_absolute(x.low), ff_math_absolute(x.high));
}

static FF_HD inline int ff_petri_bound_is_finite(ff_range x) { return !x.nan && x.high - x.low < ff_math_infinity(); }
static FF_HD inline int ff_petri_bound_is_known(ff_range x) { return x.exact || (x.low == x.high && !x.nan); }

/* Half of the largest change in the part. */
static FF_HD inline double ff_petri_bound_spread(const ff_petri_bound *x) {
  return ff_petri_bound_larger(ff_math_absolute(x->slope.low), ff_math_absolute(x->slope.high)) * (0.5 + 0x1p-40);
}

static FF_HD inline int ff_petri_bound_is_still(const ff_petri_bound *x) {
  return x->smooth && !(ff_petri_bound_spread(x) > 2 * x->error);
}

static FF_HD inline ff_petri_bound ff_petri_bound_of(ff_range range) {
  ff_petri_bound out;
  out.range = range;
  out.slope = ff_range_of_value(0);
  out.middle = out.error = 0;
  out.smooth = out.straight = out.truth = 0;
  return out;
}

static FF_HD inline ff_petri_bound ff_petri_bound_of_number(double x) {
  ff_petri_bound out = ff_petri_bound_of(ff_range_of_value(x));
  out.middle = x;
  for (int i = 0; i < FF_ODE_DENSE; i++) out.b[i] = x;
  out.smooth = out.straight = ff_math_absolute(x) < ff_math_infinity();
  return out;
}

/* The range, and what the middle and the slope tell of it. */
static FF_HD inline ff_petri_bound ff_petri_bound_of_slope(ff_range range, double middle, ff_range slope, double error) {
  ff_petri_bound out = ff_petri_bound_of(range);
  out.smooth = ff_petri_bound_is_finite(range) && ff_petri_bound_is_finite(slope) && error < ff_math_infinity();
  if (!out.smooth) return out;
  out.middle = middle;
  out.slope = slope;
  out.error = error;
  const double reach = ff_petri_bound_spread(&out) + 2 * error;
  out.range.low = ff_petri_bound_larger(range.low, middle - reach);
  out.range.high = -ff_petri_bound_larger(-range.high, -middle - reach);
  return out;
}

/* The range, and what the coefficients b tell of it. */
FF_PETRI_INLINE ff_petri_bound ff_petri_bound_of_straight(ff_range range, const double *b, double error) {
  ff_petri_curve x;
  double low = b[1] - b[0], high = low;
  for (int i = 0; i < FF_ODE_DENSE; i++) x.b[i] = b[i];
  for (int i = 1; i + 1 < FF_ODE_DENSE; i++) {
    low = -ff_petri_bound_larger(-low, b[i] - b[i + 1]);
    high = ff_petri_bound_larger(high, b[i + 1] - b[i]);
  }
  x.error = error;
  ff_petri_curve_bound(&x);
  if (!(x.high - x.low < ff_math_infinity())) return ff_petri_bound_of(range);
  range = ff_range_of_ends(ff_petri_bound_larger(range.low, x.low), -ff_petri_bound_larger(-range.high, -x.high), 0);
  const double middle = (b[0] + 4 * b[1] + 6 * b[2] + 4 * b[3] + b[4]) / 16;
  ff_petri_bound out = ff_petri_bound_of_slope(range, middle, ff_range_of_ends(4 * low, 4 * high, 0), error);
  for (int i = 0; i < FF_ODE_DENSE; i++) out.b[i] = b[i];
  out.straight = out.smooth;
  return out;
}

/* ---- levels and the time ------------------------------------------------------------------------------------------------- */

static FF_HD inline ff_petri_bound ff_petri_bound_of_level(const double *c, double a, double b) {
  const ff_petri_curve x = ff_petri_curve_of(c, a, b);
  return x.error == 0 ? ff_petri_bound_of_number(c[0]) : ff_petri_bound_of_straight(ff_range_anything(), x.b, x.error);
}

/* The time does not fall, so its range has no error. */
static FF_HD inline ff_petri_bound ff_petri_bound_of_time(const ff_petri_step *step, double a, double b) {
  const double first = ff_petri_time(step, a), last = ff_petri_time(step, b);
  double line[FF_ODE_DENSE];
  if (first == last) return ff_petri_bound_of_number(first);
  for (int i = 0; i < FF_ODE_DENSE; i++) line[i] = first + (last - first) * (i / 4.0);
  return ff_petri_bound_of_straight(ff_range_of_ends(first, last, 0), line,
                           0x1p-50 * ff_petri_bound_larger(ff_math_absolute(first), ff_math_absolute(last)));
}

/* ---- operations ----------------------------------------------------------------------------------------------------------- */

static FF_HD inline ff_range ff_petri_bound_inverse(ff_range x) { return ff_range_quotient(ff_range_of_value(1), x); }

/* The derivative of a function of one number; `value` is the range of the function. It is infinite or NaN where there is none, or
 * none is known. One case for each function. */
FF_PETRI_ONCE ff_range ff_petri_bound_derivative(uint32_t code, ff_range x, ff_range value) {
  switch (code) {
    case FF_F_NEG: return ff_range_of_value(-1);
    case FF_F_ABS: return x.low >= 0 ? ff_range_of_value(1) : x.high <= 0 ? ff_range_of_value(-1) : ff_range_of_ends(-1, 1, 0);
    case FF_F_SQRT: return ff_range_product(ff_range_of_value(0.5), ff_petri_bound_inverse(value));
    case FF_F_EXP: return value;
    case FF_F_EXPM1: return ff_range_sum(value, ff_range_of_value(1));
    case FF_F_LOG: return ff_petri_bound_inverse(x);
    case FF_F_LOG1P: return ff_petri_bound_inverse(ff_range_sum(x, ff_range_of_value(1)));
    case FF_F_LOG2: return ff_petri_bound_inverse(ff_range_product(x, ff_range_of_value(0x1.62e42fefa39efp-1)));
    case FF_F_LOG10: return ff_petri_bound_inverse(ff_range_product(x, ff_range_of_value(0x1.26bb1bbb55516p+1)));
    case FF_F_SIN: return ff_range_function(FF_F_COS, x);
    case FF_F_COS: return ff_range_negative(ff_range_function(FF_F_SIN, x));
    case FF_F_TAN: return ff_range_sum(ff_range_of_value(1), ff_range_whole_power(value, 2));
    case FF_F_ATAN: return ff_petri_bound_inverse(ff_range_sum(ff_range_of_value(1), ff_range_whole_power(x, 2)));
    case FF_F_SINH: return ff_range_function(FF_F_COSH, x);
    case FF_F_COSH: return ff_range_function(FF_F_SINH, x);
    case FF_F_TANH: return ff_range_of_ends(0, 1, 0);
    default: return ff_range_anything();
  }
}

/* The smaller and the larger of two numbers turn from one to the other at once, but do not jump: their slopes are between those
 * of both. */
static FF_HD inline ff_range ff_petri_bound_choice(uint32_t code, ff_range a, ff_range b, int first) {
  if (a.high < b.low || b.high < a.low) return ff_range_of_value((a.high < b.low) == (code == FF_F_MIN) ? first : !first);
  return ff_range_of_ends(0, 1, 0);
}

/* The partial derivatives of an operation on a and b, which are NaN or infinite where there are none. */
FF_PETRI_INLINE void ff_petri_bound_partials(uint32_t code, const ff_petri_bound *a, const ff_petri_bound *b, ff_range value,
                                                 ff_range *da, ff_range *db) {
  *db = ff_range_of_value(0);
  switch (code) {
    case FF_F_ADD:
    case FF_F_SUB:
      *da = ff_range_of_value(1);
      *db = ff_range_of_value(code == FF_F_ADD ? 1 : -1);
      break;
    case FF_F_MUL:
      *da = b->range;
      *db = a->range;
      break;
    case FF_F_DIV:
      *da = ff_petri_bound_inverse(b->range);
      *db = ff_range_negative(ff_range_product(value, *da));
      break;
    case FF_F_MIN:
    case FF_F_MAX:
      *da = ff_petri_bound_choice(code, a->range, b->range, 1);
      *db = ff_petri_bound_choice(code, a->range, b->range, 0);
      break;
    case FF_F_POW:
      *da = *db = ff_range_anything();
      if (FF_FORMULA_HAS(FF_F_POW) && b->range.exact)
        *da = ff_range_product(b->range, ff_range_power(a->range, ff_range_of_value(b->range.low - 1)));
      if (b->range.exact) *db = ff_range_of_value(0);
      break;
    default: *da = ff_petri_bound_derivative(code, a->range, value);
  }
}

/* Sets the coefficients of a sum or a multiple. Returns 0 if the operation is another one. */
FF_PETRI_INLINE int ff_petri_bound_straight(uint32_t code, uint32_t n, const ff_petri_bound *a, const ff_petri_bound *b,
                                                ff_range da, ff_range db, double *coefficient) {
  const int scales = (code == FF_F_MUL && (a->range.exact || b->range.exact)) || (code == FF_F_DIV && b->range.exact);
  const int adds = code != FF_F_MUL && code != FF_F_DIV && code != FF_F_POW && da.exact && db.exact;
  if (!a->straight || (n > 1 && !b->straight) || (!scales && !adds)) return 0;
  for (int i = 0; i < FF_ODE_DENSE; i++)
    coefficient[i] = scales ? ff_formula_operate(code, a->b[i], b->b[i], 0) : da.low * a->b[i] + (n > 1 ? db.low * b->b[i] : 0);
  return 1;
}

FF_PETRI_INLINE ff_petri_bound ff_petri_bound_smooth(uint32_t code, uint32_t n, const ff_petri_bound *a,
                                                         const ff_petri_bound *b, ff_range range) {
  double coefficient[FF_ODE_DENSE];
  ff_range da, db;
  if (!a->smooth || (n > 1 && !b->smooth) || !ff_petri_bound_is_finite(range)) return ff_petri_bound_of(range);
  ff_petri_bound_partials(code, a, b, range, &da, &db);
  if (!ff_petri_bound_is_finite(da) || !ff_petri_bound_is_finite(db)) return ff_petri_bound_of(range);
  const double error = ff_petri_bound_size(da) * a->error + (n > 1 ? ff_petri_bound_size(db) * b->error : 0) +
                       FF_PETRI_BOUND_ROUNDING * ff_petri_bound_size(range) + FF_PETRI_BOUND_TINIEST;
  if (ff_petri_bound_straight(code, n, a, b, da, db, coefficient)) return ff_petri_bound_of_straight(range, coefficient, error);
  ff_range slope = ff_range_product(da, a->slope);
  if (n > 1) slope = ff_range_sum(slope, ff_range_product(db, b->slope));
  return ff_petri_bound_of_slope(range, ff_formula_operate(code, a->middle, b->middle, 0), slope, error);
}

/* What bounds leave open in a part of the step: in how many places, and in how many of these rounding errors do so, and in how
 * many the truth changes once. `mixed`: a truth follows from a number that may be 0, not from a comparison. */
typedef struct {
  uint32_t open, still, once;
  int mixed;
} ff_petri_bound_places;

static FF_HD inline ff_petri_bound ff_petri_bound_leave_open(ff_range range, ff_petri_bound_places *places,
                                                             const ff_petri_bound *x) {
  places->open++;
  places->still += (uint32_t)ff_petri_bound_is_still(x);
  places->once += x->smooth && (x->slope.low >= 0 || x->slope.high <= 0);
  return ff_petri_bound_of(range);
}

static FF_HD inline ff_petri_bound ff_petri_bound_of_truth(ff_range range) {
  ff_petri_bound out = ff_petri_bound_of(range);
  out.truth = !ff_petri_bound_is_known(range);
  return out;
}

/* The sign of a difference of doubles is exact, so that of the difference decides. */
static FF_HD inline ff_petri_bound ff_petri_bound_compare(uint32_t code, const ff_petri_bound *a, const ff_petri_bound *b,
                                                          ff_range range, ff_petri_bound_places *places) {
  if (ff_petri_bound_is_known(range)) return ff_petri_bound_of(range);
  const ff_range gap = ff_range_apply(FF_RANGE_COMPUTED, FF_F_SUB, 2, a->range, b->range, ff_range_anything());
  const ff_petri_bound x = ff_petri_bound_smooth(FF_F_SUB, 2, a, b, gap);
  if (x.smooth) range = ff_range_apply(FF_RANGE_COMPUTED, code, 2, x.range, ff_range_of_value(0), ff_range_anything());
  if (!ff_petri_bound_is_known(range)) ff_petri_bound_leave_open(range, places, &x);
  return ff_petri_bound_of_truth(range);
}

static FF_HD inline int ff_petri_bound_is_logical(uint32_t code) {
  return code == FF_F_AND || code == FF_F_OR || code == FF_F_NOT;
}

FF_PETRI_INLINE ff_petri_bound ff_petri_bound_apply(uint32_t code, uint32_t n, const ff_petri_bound *a,
                                                        const ff_petri_bound *b, const ff_petri_bound *c,
                                                        ff_petri_bound_places *places) {
  const ff_range range = ff_range_apply(FF_RANGE_COMPUTED, code, n, a->range, b->range, c->range);
  if (range.exact && !range.nan) return ff_petri_bound_of_number(range.low);
  if (ff_petri_bound_is_logical(code)) {
    places->mixed |= (!a->truth && !ff_petri_bound_is_known(a->range)) ||
                     (n > 1 && !b->truth && !ff_petri_bound_is_known(b->range));
    return ff_petri_bound_of_truth(range);
  }
  if (code >= FF_F_LT && code <= FF_F_NE) return ff_petri_bound_compare(code, a, b, range, places);
  if (code == FF_F_IF) {
    const int truth = ff_range_truth(a->range);
    return truth < 0 ? ff_petri_bound_of(range) : *(truth ? b : c);
  }
  if (code != FF_F_FLOOR && code != FF_F_CEILING) return ff_petri_bound_smooth(code, n, a, b, range);
  return ff_petri_bound_is_known(range) ? ff_petri_bound_of(range) : ff_petri_bound_leave_open(range, places, a);
}

/* The same for operations that are data. */
FF_PETRI_ONCE ff_petri_bound ff_petri_bound_apply_any(uint32_t code, uint32_t n, const ff_petri_bound *a, const ff_petri_bound *b,
                                                      const ff_petri_bound *c, ff_petri_bound_places *places) {
  return ff_petri_bound_apply(code, n, a, b, c, places);
}

/* A level, which counts as 0 below if it is clipped. */
FF_PETRI_ONCE ff_petri_bound ff_petri_bound_of_place(const double *curve, double a, double b, int clips) {
  const ff_petri_bound level = ff_petri_bound_of_level(curve, a, b), zero = ff_petri_bound_of_number(0);
  ff_petri_bound_places places = {0, 0, 0, 0};
  return clips && !(level.range.low >= 0) ? ff_petri_bound_apply(FF_F_MAX, 2, &level, &zero, &zero, &places) : level;
}

static FF_HD inline ff_petri_bound ff_petri_bound_of_word(const ff_petri_formula *of, const ff_formula_word *word,
                                                          const ff_petri_step *step, double a, double b) {
  if (word->code == FF_F_NUMBER) return ff_petri_bound_of_number(word->number);
  if (word->code == FF_F_TIME) return ff_petri_bound_of_time(step, a, b);
  if (of->curve[word->symbol] == NULL) return ff_petri_bound_of_number(of->value[word->symbol]);
  return ff_petri_bound_of_place(of->curve[word->symbol], a, b, of->clips);
}

static FF_HD inline ff_petri_verdict ff_petri_bound_why_open(const ff_petri_bound_places *places, const ff_petri_bound *top,
                                                             int moves) {
  if (!moves || (places->open > 0 ? places->still == places->open : ff_petri_bound_is_still(top))) return FF_PETRI_STILL;
  return top->truth && !places->mixed && places->open == 1 && places->once == 1 ? FF_PETRI_CROSSES : FF_PETRI_OPEN;
}

FF_PETRI_ONCE ff_range ff_petri_bound_range(const ff_petri_formula *of, const ff_petri_step *step, double a, double b,
                                                  ff_petri_verdict *why) {
  const ff_petri_bound anything = ff_petri_bound_of(ff_range_anything());
  const ff_formula *f = of->formula;
  ff_petri_bound_places places = {0, 0, 0, 0};
  ff_petri_bound *top = of->bound;
  int moves = 0;
  *why = FF_PETRI_OPEN;
  if (f->length == 0) return anything.range;
  FF_NO_UNROLL for (uint32_t at = 0; at < f->length; at++) {
    const uint32_t code = f->word[at].code, n = ff_formula_operands(code);
    top -= n;
    if (n > 0) {
      *top = ff_petri_bound_apply_any(code, n, &top[0], n > 1 ? &top[1] : &anything, n > 2 ? &top[2] : &anything, &places);
    } else {
      *top = ff_petri_bound_of_word(of, &f->word[at], step, a, b);
      moves |= !ff_petri_bound_is_still(top);
    }
    top++;
  }
  *why = ff_petri_bound_why_open(&places, of->bound, moves);
  return of->bound->range;
}

/* ---- the whole step ------------------------------------------------------------------------------------------------------- */

static FF_HD inline ff_range ff_petri_bound_outline_of_word(const ff_petri_formula *of, const ff_formula_word *word,
                                                            const ff_petri_step *step) {
  if (word->code == FF_F_NUMBER) return ff_range_of_value(word->number);
  if (word->code == FF_F_TIME) return ff_range_of_symbol(step->from, step->to);
  const double *c = of->curve[word->symbol];
  if (c == NULL) return ff_range_of_value(of->value[word->symbol]);
  const double reach = ff_petri_curve_reach(c);
  return ff_range_of_symbol(c[0] - reach, c[0] + reach);
}

static FF_HD inline ff_range ff_petri_bound_span_of_place(const double *curve, double a, double b, int clips) {
  const ff_petri_curve x = ff_petri_curve_of(curve, a, b);
  const int below = clips && x.low < 0;
  return ff_range_of_symbol(below ? 0 : x.low, below ? ff_petri_bound_larger(x.high, 0) : x.high);
}

static FF_HD inline ff_range ff_petri_bound_span_of_word(const ff_petri_formula *of, const ff_formula_word *word,
                                                         const ff_petri_step *step, double a, double b) {
  if (word->code == FF_F_NUMBER) return ff_range_of_value(word->number);
  if (word->code == FF_F_TIME) return ff_range_of_symbol(ff_petri_time(step, a), ff_petri_time(step, b));
  if (of->curve[word->symbol] == NULL) return ff_range_of_value(of->value[word->symbol]);
  return ff_petri_bound_span_of_place(of->curve[word->symbol], a, b, of->clips);
}

/* All values in the step, or between two parts of it. */
FF_PETRI_ONCE ff_range ff_petri_bound_combine(const ff_petri_formula *of, const ff_petri_step *step, int whole, double a,
                                                    double b) {
  const ff_range anything = ff_range_anything();
  const ff_formula *f = of->formula;
  ff_petri_bound *top = of->bound;
  if (f->length == 0) return anything;
  FF_NO_UNROLL for (uint32_t at = 0; at < f->length; at++) {
    const uint32_t code = f->word[at].code, n = ff_formula_operands(code);
    top -= n;
    if (n > 0)
      top->range = ff_range_apply(FF_RANGE_COMPUTED, code, n, top[0].range, n > 1 ? top[1].range : anything,
                                  n > 2 ? top[2].range : anything);
    else
      top->range = whole ? ff_petri_bound_outline_of_word(of, &f->word[at], step)
                         : ff_petri_bound_span_of_word(of, &f->word[at], step, a, b);
    top++;
  }
  return of->bound->range;
}

static FF_HD inline ff_range ff_petri_bound_outline(const ff_petri_formula *of, const ff_petri_step *step) {
  return ff_petri_bound_combine(of, step, 1, 0, 1);
}

static FF_HD inline ff_range ff_petri_bound_span(const ff_petri_formula *of, const ff_petri_step *step, double a, double b) {
  return ff_petri_bound_combine(of, step, 0, a, b);
}

/* ---- what searches call --------------------------------------------------------------------------------------------------- */

/* The value at a part of the step: see ff_petri_crossing.h. */
FF_PETRI_ONCE double ff_petri_formula_at(const ff_petri_formula *of, const ff_petri_step *step, double s) {
  for (uint32_t i = 0; i < of->n; i++) of->at[i] = of->curve[i] != NULL ? ff_ode_dense_value(of->curve[i], s) : of->value[i];
  const double value = FF_FORMULA_VALUE(of->formula, of->at, ff_petri_time(step, s), of->stack);
  return of->whole ? value : value != 0;
}

#ifndef FF_PETRI_RANGE
#define FF_PETRI_VALUE ff_petri_formula_value
#define FF_PETRI_RANGE ff_petri_formula_range
#define FF_PETRI_SPAN ff_petri_formula_span
#endif

#endif
