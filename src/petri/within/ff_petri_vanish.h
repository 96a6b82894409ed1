/* Whether flows end by themselves where a level is 0. */
#ifndef FF_PETRI_VANISH_H
#define FF_PETRI_VANISH_H

#include "../../model/ff_formula_range.h"

/* What is known of a part of a formula. */
typedef struct {
  ff_range range;
  uint8_t vanishes;
} ff_petri_vanishing;

/* Whether a formula, as of a rate, has the symbol as a factor near 0: whether its size is at most a number times the symbol, for
 * symbols from 0 to 1, and all other symbols and the time from 0 to 2^100. So x' = -rate does not reach 0, and needs no watch: k
 * * x * y, x^2, x / (3 + x), min(x, y), 1 - exp(-x) as -expm1(-x). Not so are k, sqrt(x), k * (x > 0), x / (K + x) where K may be
 * 0. A formula that is more complicated than this can tell does not vanish. The caller provides `stack` with formula->depth
 * entries. O(length). */
int ff_petri_vanishes(const ff_formula *formula, uint32_t symbol, ff_petri_vanishing *stack);

#endif
