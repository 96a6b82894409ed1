/* Formulas that have a symbol as a factor. */
#include "ff_petri_vanish.h"

#include "../../model/ff_formula_range_math.h"

#define MOST 0x1p100

static int is_finite(ff_range x) { return !x.nan && x.high - x.low < ff_math_infinity(); }
static int is_positive(ff_range x) { return !x.nan && x.low >= 0; }

/* Whether an operation vanishes with the symbol. One case for each operation. */
static int vanishes(uint32_t code, const ff_petri_vanishing *a, const ff_petri_vanishing *b, const ff_petri_vanishing *c) {
  switch (code) {
    case FF_F_ADD:
    case FF_F_SUB:
    case FF_F_MAX: return a->vanishes && b->vanishes;
    case FF_F_MUL: return (a->vanishes && is_finite(b->range)) || (b->vanishes && is_finite(a->range));
    case FF_F_DIV: return a->vanishes && !b->range.nan && !ff_range_has_zero(b->range);
    case FF_F_POW: return a->vanishes && b->range.exact && b->range.low >= 1 && is_positive(a->range);
    case FF_F_MIN:
      return (a->vanishes && b->vanishes) || ((a->vanishes || b->vanishes) && is_positive(a->range) && is_positive(b->range));
    case FF_F_IF: return b->vanishes && c->vanishes;
    case FF_F_FLOOR: return a->vanishes && is_positive(a->range);
    case FF_F_NEG:
    case FF_F_ABS: return a->vanishes;
    case FF_F_EXPM1:
    case FF_F_LOG1P:
    case FF_F_SIN:
    case FF_F_TAN:
    case FF_F_SINH:
    case FF_F_TANH:
    case FF_F_ATAN: return a->vanishes && is_finite(ff_range_function(code, a->range));
    default: return 0;
  }
}

static ff_petri_vanishing leaf(const ff_formula_word *word, uint32_t symbol) {
  const int is_symbol = word->code == FF_F_SYMBOL && word->symbol == symbol;
  ff_petri_vanishing out;
  out.range = word->code == FF_F_NUMBER ? ff_range_of_value(word->number) : ff_range_of_ends(0, is_symbol ? 1 : MOST, 0);
  out.vanishes = is_symbol || (word->code == FF_F_NUMBER && word->number == 0);
  return out;
}

int ff_petri_vanishes(const ff_formula *formula, uint32_t symbol, ff_petri_vanishing *stack) {
  const ff_petri_vanishing anything = {ff_range_anything(), 0};
  ff_petri_vanishing *top = stack;
  for (uint32_t at = 0; at < formula->length; at++) {
    const uint32_t code = formula->word[at].code, n = ff_formula_operands(code);
    top -= n;
    if (n == 0) {
      *top++ = leaf(&formula->word[at], symbol);
      continue;
    }
    const ff_petri_vanishing a = top[0], b = n > 1 ? top[1] : anything, c = n > 2 ? top[2] : anything;
    top->range = ff_range_apply(FF_RANGE_COMPUTED, code, n, a.range, b.range, c.range);
    top->vanishes = (uint8_t)vanishes(code, &a, &b, &c);
    top++;
  }
  return formula->length > 0 && stack[0].vanishes;
}
