/* Ranges of formulas. ff_formula_range_math.h has the operations. */
#include "ff_formula_range_math.h"

#include <float.h>
#include <stdlib.h>

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

/* ---- signs -------------------------------------------------------------------------------------------------------------- */

/* What is known of the sign of a value that may also be NaN. A range does not tell 0 from -0, so it does not know the sign of
 * 1 / (A + B). */
enum { ANY_SIGN, NOT_BELOW, PLUS }; /* nothing; -0 or not below 0; 0 or above */

static uint8_t lesser(uint8_t a, uint8_t b) { return a < b ? a : b; }

/* The sign of the result of an operation, from the signs of its operands; those that it does not have are ignored. One
 * case for each operation. */
static uint8_t sign_of(uint32_t code, uint8_t a, uint8_t b, uint8_t c) {
  switch (code) {
    case FF_F_ADD: return a == ANY_SIGN || b == ANY_SIGN ? ANY_SIGN : a > b ? a : b;
    case FF_F_MUL:
    case FF_F_MIN: return lesser(a, b);
    case FF_F_MAX: return a == PLUS ? PLUS : a == NOT_BELOW || b != ANY_SIGN ? NOT_BELOW : ANY_SIGN;
    case FF_F_DIV: return b == PLUS ? a : ANY_SIGN;
    case FF_F_POW: return a == PLUS ? PLUS : ANY_SIGN;
    case FF_F_IF: return lesser(b, c);
    case FF_F_LT:
    case FF_F_LE:
    case FF_F_GT:
    case FF_F_GE:
    case FF_F_EQ:
    case FF_F_NE:
    case FF_F_AND:
    case FF_F_OR:
    case FF_F_NOT:
    case FF_F_ABS:
    case FF_F_EXP: return PLUS;
    case FF_F_SQRT: return a == PLUS ? PLUS : NOT_BELOW;
    case FF_F_FLOOR:
    case FF_F_CEILING: return a;
    default: return ANY_SIGN;
  }
}

static ff_range range_of(const ff_formula_word *word, const ff_formula_counts *counts) {
  if (word->code == FF_F_NUMBER) return ff_range_of_value(word->number);
  if (word->code == FF_F_TIME) return ff_range_of_ends(0.0, DBL_MAX, 0);
  if (word->symbol >= counts->n_counts) return ff_range_anything();
  return word->symbol == counts->symbol ? ff_range_of_symbol(counts->low, counts->high) : ff_range_of_ends(0.0, counts->most, 0);
}

/* What a range and a sign tell of each other. */
static void agree(const ff_formula_word *word, ff_range *x, uint8_t *known) {
  const int number = word->code == FF_F_NUMBER, symbol = !number && ff_formula_operands(word->code) == 0;
  if (*known != ANY_SIGN && x->low < 0.0) *x = ff_range_new(0.0, x->high > 0.0 ? x->high : 0.0, x->nan, 0);
  if (*known == ANY_SIGN && x->low >= 0.0) *known = NOT_BELOW;
  if (x->low > 0.0 || (symbol && x->low == 0.0)) *known = PLUS;
  if (number && ff_math_bits(word->number) == 0) *known = PLUS;
}

ff_status ff_formula_never_below(int *never, const ff_formula *formula, const ff_formula_counts *counts, ff_error *err) {
  const ff_range anything = ff_range_anything();
  ff_range *range = ff_calloc(formula->depth, sizeof *range);
  uint8_t *sign = ff_calloc(formula->depth, 1);
  uint32_t top = 0;
  *never = 0;
  const int missing = range == NULL || sign == NULL;
  for (uint32_t at = 0; at < formula->length && !missing; at++) {
    const ff_formula_word *word = &formula->word[at];
    const uint32_t n = ff_formula_operands(word->code);
    top -= n;
    ff_range *x = range + top;
    uint8_t *known = sign + top++;
    *known = n == 0 ? ANY_SIGN : sign_of(word->code, known[0], n > 1 ? known[1] : ANY_SIGN, n > 2 ? known[2] : ANY_SIGN);
    *x = n == 0 ? range_of(word, counts)
                : ff_range_apply(FF_RANGE_COMPUTED, word->code, n, x[0], n > 1 ? x[1] : anything, n > 2 ? x[2] : anything);
    agree(word, x, known);
  }
  if (!missing) *never = formula->length > 0 && sign[0] != ANY_SIGN;
  free(range);
  free(sign);
  return missing ? ff_error_set(err, FF_EMEMORY, "no memory for the range of a formula of %u words", formula->length) : FF_OK;
}
