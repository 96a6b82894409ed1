/* What the operations of formulas compute. Only functions of base/ff_math.h and IEEE 754 arithmetic are used, so every bit of a
 * result is the same on every processor and GPU, except for the sign of a NaN. Each call takes O(1) time. */
#ifndef FF_FORMULA_MATH_H
#define FF_FORMULA_MATH_H

#include "../base/ff_math.h"
#include "ff_formula.h"

/* Whether an operation may occur. Generated code for a device says which ones do, as bits, so that its compiler, which is slow,
 * leaves out the others. */
#ifdef FF_FORMULA_OPERATIONS
#define FF_FORMULA_HAS(code) (FF_FORMULA_OPERATIONS >> (code) & 1)
#else
#define FF_FORMULA_HAS(code) 1
#endif

/* The number of operands of an operation. */
static FF_HD inline uint32_t ff_formula_operands(uint32_t code) {
  switch (code) {
#define FF_X(code, operands, text) \
  case code: return operands;
    FF_FORMULA_LIST(FF_X)
#undef FF_X
    default: return 0;
  }
}

/* The largest integer that is not above x. Adding 2^52 to a number below 2^52 rounds it to an integer. */
static FF_HD inline double ff_formula_floor(double x) {
  const double size = ff_math_absolute(x);
  if (!(size < 0x1p52)) return x;
  const double nearest = ff_math_signed((size + 0x1p52) - 0x1p52, x);
  return nearest > x ? nearest - 1.0 : nearest;
}

static FF_HD inline double ff_formula_ceiling(double x) { return -ff_formula_floor(-x); }

/* ff_count_of(): whether a number is a count; if so, *count becomes this count. Only numbers near a whole one are counts, so it
 * does not matter how others are rounded. */
static FF_HD inline int ff_formula_count(double number, double *count) {
  const double size = ff_math_absolute(number), gap = size * 1e-9;
  *count = ff_math_signed(size < 0x1p52 ? (size + 0x1p52) - 0x1p52 : size, number) + 0.0; /* no negative zero */
  return ff_math_absolute(number - *count) <= (gap < 1e-3 ? gap : 1e-3) && *count >= 0.0;
}

/* x^y as in C99, Annex F. For y = 1 to 4 it is a product, which takes a tenth of the time of ff_pow(). Its error is below 1.5
 * units in the last place. */
static FF_HD inline double ff_formula_pow(double x, double y) {
  const double square = x * x;
  if (y == 2.0) return square;
  if (y == 3.0) return square * x;
  if (y == 4.0) return square * square;
  return y == 1.0 ? x : ff_pow(x, y);
}

/* The logarithm whose base has the natural logarithm `base`. The logarithm has about 63 bits before the division, so results are
 * nearly correctly rounded, and integers are exact: log2(8) is 3, log10(1000) is 3 and log10(0.001) is -3. */
static FF_HD inline double ff_formula_log_base(double x, ff_math_two base) {
  const uint64_t bits = ff_math_bits(x);
  if (bits - 1u >= FF_MATH_INFINITE - 1u) return ff_log(x); /* zeros, negative numbers, infinities and NaN */
  const int subnormal = bits < FF_MATH_LEAST_NORMAL;
  ff_math_scaled scaled = ff_math_scale(ff_math_bits(subnormal ? x * 0x1p54 : x));
  if (subnormal) scaled.k -= 54.0;
  return x == 1.0 ? 0.0 : ff_math_ratio(ff_math_log_two(scaled), base);
}

static FF_HD inline double ff_formula_log2(double x) {
  const ff_math_two base = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
  return ff_formula_log_base(x, base);
}

static FF_HD inline double ff_formula_log10(double x) {
  const ff_math_two base = {0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53};
  return ff_formula_log_base(x, base);
}

/* The smaller number, or the first if they are equal. NaN if one is NaN. */
static FF_HD inline double ff_formula_min(double a, double b) {
  if (a != a || b != b) return ff_math_nan();
  return b < a ? b : a;
}

/* The larger number, or the first if they are equal. NaN if one is NaN. */
static FF_HD inline double ff_formula_max(double a, double b) {
  if (a != a || b != b) return ff_math_nan();
  return b > a ? b : a;
}

/* The value of an operation whose operands are a, b and c, from the first; those that it does not have are ignored. Numbers,
 * symbols and the time are no operations. One case for each operation. */
static FF_HD inline double ff_formula_operate(uint32_t code, double a, double b, double c) {
  switch (code) {
    case FF_F_NEG: return -a;
    case FF_F_ADD: return a + b;
    case FF_F_SUB: return a - b;
    case FF_F_MUL: return a * b;
    case FF_F_DIV: return a / b;
    case FF_F_POW: return FF_FORMULA_HAS(FF_F_POW) ? ff_formula_pow(a, b) : ff_math_nan();
    case FF_F_LT: return a < b;
    case FF_F_LE: return a <= b;
    case FF_F_GT: return a > b;
    case FF_F_GE: return a >= b;
    case FF_F_EQ: return a == b;
    case FF_F_NE: return a != b;
    case FF_F_AND: return a != 0.0 && b != 0.0;
    case FF_F_OR: return a != 0.0 || b != 0.0;
    case FF_F_NOT: return a == 0.0;
    case FF_F_IF: return a != 0.0 ? b : c;
    case FF_F_MIN: return ff_formula_min(a, b);
    case FF_F_MAX: return ff_formula_max(a, b);
    case FF_F_ABS: return ff_math_absolute(a);
    case FF_F_FLOOR: return ff_formula_floor(a);
    case FF_F_CEILING: return ff_formula_ceiling(a);
    case FF_F_SQRT: return FF_FORMULA_HAS(FF_F_SQRT) ? ff_math_sqrt(a) : ff_math_nan();
    case FF_F_EXP: return FF_FORMULA_HAS(FF_F_EXP) ? ff_exp(a) : ff_math_nan();
    case FF_F_EXPM1: return FF_FORMULA_HAS(FF_F_EXPM1) ? ff_expm1(a) : ff_math_nan();
    case FF_F_LOG: return FF_FORMULA_HAS(FF_F_LOG) ? ff_log(a) : ff_math_nan();
    case FF_F_LOG1P: return FF_FORMULA_HAS(FF_F_LOG1P) ? ff_log1p(a) : ff_math_nan();
    case FF_F_LOG2: return FF_FORMULA_HAS(FF_F_LOG2) ? ff_formula_log2(a) : ff_math_nan();
    case FF_F_LOG10: return FF_FORMULA_HAS(FF_F_LOG10) ? ff_formula_log10(a) : ff_math_nan();
    case FF_F_SIN: return FF_FORMULA_HAS(FF_F_SIN) ? ff_sin(a) : ff_math_nan();
    case FF_F_COS: return FF_FORMULA_HAS(FF_F_COS) ? ff_cos(a) : ff_math_nan();
    case FF_F_TAN: return FF_FORMULA_HAS(FF_F_TAN) ? ff_tan(a) : ff_math_nan();
    case FF_F_ASIN: return FF_FORMULA_HAS(FF_F_ASIN) ? ff_asin(a) : ff_math_nan();
    case FF_F_ACOS: return FF_FORMULA_HAS(FF_F_ACOS) ? ff_acos(a) : ff_math_nan();
    case FF_F_ATAN: return FF_FORMULA_HAS(FF_F_ATAN) ? ff_atan(a) : ff_math_nan();
    case FF_F_SINH: return FF_FORMULA_HAS(FF_F_SINH) ? ff_sinh(a) : ff_math_nan();
    case FF_F_COSH: return FF_FORMULA_HAS(FF_F_COSH) ? ff_cosh(a) : ff_math_nan();
    case FF_F_TANH: return FF_FORMULA_HAS(FF_F_TANH) ? ff_tanh(a) : ff_math_nan();
    default: return ff_math_nan();
  }
}

#endif
