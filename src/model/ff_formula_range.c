/* Ranges of formulas. ff_formula_range_math.h has the operations. */
#include "ff_formula_range_math.h"

ff_range ff_formula_range(const ff_formula *formula, ff_range_kind kind, const double *low, const double *high, ff_range time,
                          ff_range *stack) {
  const ff_range anything = ff_range_anything();
  ff_range *top = stack;
  for (uint32_t at = 0; at < formula->length; at++) {
    const ff_formula_word *word = &formula->word[at];
    const uint32_t n = ff_formula_operands(word->code);
    ff_range next = time;
    if (word->code == FF_F_NUMBER) next = ff_range_of_value(word->number);
    if (word->code == FF_F_SYMBOL) next = ff_range_of_symbol(low[word->symbol], high[word->symbol]);
    top -= n;
    *top = n == 0 ? ff_range_leaf(kind, next)
                  : ff_range_apply(kind, word->code, n, top[0], n > 1 ? top[1] : anything, n > 2 ? top[2] : anything);
    top++;
  }
  return formula->length == 0 ? anything : stack[0];
}
