/* Whether flows end by themselves where a level is 0. */
#ifndef FF_PETRI_VANISH_H
#define FF_PETRI_VANISH_H

#include "../../model/ff_formula_range.h"

/* What is known of a part of a formula. */
typedef struct {
  ff_range range;
  uint8_t vanishes;
} ff_petri_vanishing;

/* Whether the size of a formula, such as a rate, is at most a constant times the symbol, where the symbol is from 0 to 1, and
 * all other symbols and the time are from 0 to 2^100. If so, x' = -rate does not reach 0, and x need not be watched. Examples
 * are k * x * y, x^2, x / (3 + x), min(x, y), and 1 - exp(-x) as -expm1(-x). It is not so for k, sqrt(x), k * (x > 0), and x /
 * (K + x) where K may be 0. If a formula is too complicated for this function, the answer is no. The caller provides `stack`
 * with formula->depth entries. O(length). */
int ff_petri_vanishes(const ff_formula *formula, uint32_t symbol, ff_petri_vanishing *stack);

#endif
