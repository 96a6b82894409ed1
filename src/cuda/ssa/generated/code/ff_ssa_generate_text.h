/* What the generators for networks share: texts of sums, and of rate laws. */
#ifndef FF_SSA_GENERATE_TEXT_H
#define FF_SSA_GENERATE_TEXT_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../../formula/ff_formula_writer.h"
#include "ff_ssa_generate.h"

/* Writes the sum of `size` children of a node from number i on, as the tree adds them: halves, down to pairs. Child i is variable
 * <child>i. Children from number n on are 0, and adding 0 changes no bit. O(size). */
void ff_ssa_write_sum(ff_writer *out, const char *child, uint32_t i, uint32_t size, uint32_t n);

/* Writes the prefix sums <sum>1 ... <sum>n of n children of a node, in the order of FF_SSA_TREE_PREFIX. O(n). */
void ff_ssa_write_prefix(ff_writer *out, const char *child, const char *sum, uint32_t n);

/* Writes variable p<leaf>, the propensity of reaction r with rate constant number `rate`, as checked_propensity() in
 * ff_ssa_path.c computes it, for a law of more than two molecules or a formula. `law->stack` has room for p->depth + 1 numbers. The
 * text sets `invalid` if it is not valid. O(size of the law). */
void ff_ssa_write_law(ff_formula_writer *law, const ff_ssa_program *p, uint32_t r, uint32_t leaf, uint32_t rate);

#ifdef __cplusplus
}
#endif

#endif
