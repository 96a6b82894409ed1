/* Switches that compare one level with a number, which are searched faster than others. */
#ifndef FF_PETRI_THRESHOLD_H
#define FF_PETRI_THRESHOLD_H

#include "../program/ff_petri_program.h"
#include "../within/ff_petri_crossing.h"

/* Whether a formula is such a comparison; *negated tells whether the threshold is its contrary. O(1). */
static inline int ff_petri_as_threshold(const ff_petri_program *p, const ff_petri_derived *d, ff_petri_threshold *out,
                                        uint8_t *negated) {
  const ff_formula_word *w = d->plain.formula.word;
  if (d->kind != FF_PETRI_TRUTH || d->plain.formula.length != 3 || d->plain.n != 1 || d->plain.read[0] >= p->n_levels) return 0;
  const int turned = w[0].code == FF_F_NUMBER && w[1].code == FF_F_SYMBOL;
  if (!turned && !(w[0].code == FF_F_SYMBOL && w[1].code == FF_F_NUMBER)) return 0;
  const uint32_t code = w[2].code;
  if (code < FF_F_LT || code > FF_F_GE) return 0;
  const int above = (code == FF_F_GT || code == FF_F_GE) != turned, with = code == FF_F_LE || code == FF_F_GE;
  *negated = !above;
  *out = (ff_petri_threshold){w[turned ? 0 : 1].number, d->plain.read[0], (uint8_t)(above ? !with : with)};
  return 1;
}

#endif
