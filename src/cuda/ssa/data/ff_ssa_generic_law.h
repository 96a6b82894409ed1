/* What the kernels that read a network as data share: the lanes of a warp, and propensities. The same text is compiled for device
 * and host (ff_warp.h). */
#ifndef FF_SSA_GENERIC_LAW_H
#define FF_SSA_GENERIC_LAW_H

#include "../../../model/ff_formula_math.h"
#include "../../../ssa/path/ff_ssa_draws.h"
#include "../../runtime/ff_warp.h"
#include "ff_ssa_image.h"
#include "../device/ff_ssa_launch.h"

/* ---- propensities ---------------------------------------------------------------------------------------------------------- */

/* The counts of a trajectory: that of species s is at[s * stride]. The stack of formulas is laid out alike. */
typedef struct {
  const uint32_t *at;
  uint32_t stride;
  double *stack;
  uint32_t stack_stride;
  int scheduled;         /* whether formulas read `symbols` instead of counts */
  const double *symbols;
} ff_ssa_counts;

FF_WARP double ff_ssa_count(const ff_ssa_counts *c, uint32_t species) { return (double)c->at[species * c->stride]; }

/* Not inlined on a device, because their code is long. */
FF_FUNCTION double ff_ssa_operate(uint32_t code, double a, double b, double c) { return ff_formula_operate(code, a, b, c); }

/* As ff_formula_value(), where the last value is kept in `top` and not on the stack. */
FF_FUNCTION double ff_ssa_code_value(const ff_formula_word *code, uint32_t length, const ff_ssa_counts c) {
  double top = 0.0;
  double *next = c.stack;
  FF_NO_UNROLL for (uint32_t i = 0; i < length; i++) {
    const ff_formula_word word = code[i];
    const uint32_t operands = ff_formula_operands(word.code);
    if (operands == 0u) {
      *next = top;
      next += c.stack_stride;
      top = word.code == FF_F_NUMBER ? word.number : word.code == FF_F_SYMBOL ? ff_ssa_count(&c, word.symbol) : 0.0;
    } else {
      double first = top, second = top;
      if (operands > 1u) {
        next -= (operands - 1u) * c.stack_stride;
        first = next[0];
        if (operands > 2u) second = next[c.stack_stride];
      }
      top = ff_formula_operate(word.code, first, second, top); /* only here, because its code is long */
    }
  }
  return top;
}

/* The same for a network with a schedule. */
#define FF_FORMULA_OPERATE ff_ssa_operate
#include "../../../model/ff_formula_value_math.h"
FF_FUNCTION double ff_ssa_code_value_at(const ff_formula_word *code, uint32_t length, const double *symbols, double *stack,
                                        uint32_t stride, double time) {
  ff_formula_compute(code, length, symbols, time, stack, stride);
  return stack[0];
}

/* The propensity of a law with several factors or a formula. An invalid one is 0, and *bad becomes 1. With `formulas` 0, there
 * are none in the network. A formula that is below 0 while a reactant is missing is invalid, too: the processor finds out whether
 * rounding errors alone may explain it. */
FF_WARP double ff_ssa_other_value(const ff_ssa_image *image, uint32_t number, double rate, const ff_ssa_counts *c, int formulas,
                                  int *bad) {
  const ff_ssa_image_other other = image->others[number];
  double value = rate;
  int missing = 0;
  for (uint32_t i = other.first; i < other.first + other.n && !missing; i++)
    missing = ff_ssa_count(c, image->factors[i].species) < (double)image->factors[i].count;
  if (missing && !(formulas && other.below)) return 0.0;
  if (formulas && other.law != FF_LAW_PRODUCT)
    value = c->scheduled ? ff_ssa_code_value_at(image->words + other.code, other.length, c->symbols, c->stack, c->stack_stride,
                                                0.0)
                         : ff_ssa_code_value(image->words + other.code, other.length, *c);
  if (missing) {
    if (value < 0.0) *bad = 1;
    return 0.0;
  }
  for (uint32_t i = other.first; other.law != FF_LAW_FORMULA && i < other.first + other.n; i++) {
    const double x = ff_ssa_count(c, image->factors[i].species);
    const uint32_t k = image->factors[i].count;
    value *= x;
    for (uint32_t j = 1; j < k; j++) value *= (x - (double)j) / (double)(j + 1u);
  }
  if (value >= 0.0 && value < ff_math_infinity()) return value + 0.0; /* -0 becomes 0 */
  *bad = 1;
  return 0.0;
}

FF_WARP double ff_ssa_law_value(const ff_ssa_image *image, const ff_ssa_image_law law, const ff_ssa_counts *c, int formulas,
                                int *bad) {
  if (law.b & FF_SSA_IMAGE_OTHER) return ff_ssa_other_value(image, law.a, law.rate, c, formulas, bad);
  const double less = law.b & FF_SSA_IMAGE_LESS ? 1.0 : 0.0;
  return law.rate * (ff_ssa_count(c, law.a) * (ff_ssa_count(c, law.b & FF_SSA_IMAGE_SPECIES) - less));
}

#endif
