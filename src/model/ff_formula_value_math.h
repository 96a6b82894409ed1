/* Values of formulas, word by word. gcc, nvcc and NVRTC compile the same text.
 *
 * The text before this one may define FF_FORMULA_OPERATE, which does what ff_formula_operate() does: that code is long, so a
 * device should have it once. */
#ifndef FF_FORMULA_VALUE_MATH_H
#define FF_FORMULA_VALUE_MATH_H

#include "ff_formula_math.h"

#ifndef FF_FORMULA_OPERATE
#define FF_FORMULA_OPERATE ff_formula_operate
#endif

/* Value i on the stack is stack[i * stride]. The first one is that of the formula in the end; a NaN may have either sign.
 * O(length). */
static FF_HD inline void ff_formula_compute(const ff_formula_word *words, uint32_t length, const double *values, double time,
                                            double *stack, uint32_t stride) {
  double *top = stack; /* behind the last value */
  FF_NO_UNROLL for (uint32_t at = 0; at < length; at++) {
    const ff_formula_word word = words[at];
    if (word.code > FF_F_TIME) { /* all operations follow it */
      const uint32_t n = ff_formula_operands(word.code);
      top -= n * stride;
      *top = FF_FORMULA_OPERATE(word.code, top[0], n > 1 ? top[stride] : 0.0, n > 2 ? top[2 * stride] : 0.0);
    } else {
      *top = word.code == FF_F_NUMBER ? word.number : word.code == FF_F_SYMBOL ? values[word.symbol] : time;
    }
    top += stride;
  }
}

/* ff_formula_value() */
static FF_HD inline double ff_formula_value_of(const ff_formula *formula, const double *values, double time, double *stack) {
  ff_formula_compute(formula->word, formula->length, values, time, stack, 1);
  return formula->length == 0 || stack[0] != stack[0] ? ff_math_nan() : stack[0]; /* processors differ in the sign of a NaN */
}

/* The processor has this code once. The text before this one may choose otherwise. */
#ifndef FF_FORMULA_VALUE
#define FF_FORMULA_VALUE ff_formula_value
#endif

#endif
