/* What the generators for networks share: definitions, and the texts of rate laws. */
#ifndef FF_SSA_GENERATE_TEXT_H
#define FF_SSA_GENERATE_TEXT_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../../formula/ff_formula_writer.h"
#include "ff_ssa_generate.h"

/* Writes macros whose values are numbers. */
typedef struct {
  const char *name;
  uint32_t value;
} ff_ssa_definition;
void ff_ssa_define(ff_writer *out, const ff_ssa_definition *list, size_t n);

/* Writes variable p<leaf>, the propensity of reaction r with rate constant number `rate`, as checked_propensity() in
 * ff_ssa_state.c computes it, for a law of more than two molecules or a formula. The text sets `invalid` if it is not valid.
 * O(size of the law). */
void ff_ssa_write_law(ff_formula_writer *law, const ff_ssa_program *p, uint32_t r, uint32_t leaf, uint32_t rate);

#ifdef __cplusplus
}
#endif

#endif
