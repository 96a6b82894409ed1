/* What the generators for networks share: texts of sums, and of rate laws. */
#ifndef FF_SSA_GENERATE_TEXT_H
#define FF_SSA_GENERATE_TEXT_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../../runtime/ff_writer.h"
#include "ff_ssa_generate.h"

/* Writes the sum of `size` children of a node from number i on, as the tree adds them: halves, down to pairs. Child i is variable
 * <child>i. Children from number n on are 0, and adding 0 changes no bit. O(size). */
void ff_ssa_write_sum(ff_writer *out, const char *child, uint32_t i, uint32_t size, uint32_t n);

/* Writes the prefix sums <sum>1 ... <sum>n of n children of a node, in the order of FF_SSA_TREE_PREFIX. O(n). */
void ff_ssa_write_prefix(ff_writer *out, const char *child, const char *sum, uint32_t n);

/* A law of more than two molecules, or a formula. The value of symbol s is variable x<place[s]>, or y[place[s]] if `array` is
 * not 0; then operations that take many instructions are calls of s_operate_<code>(). `variables` numbers the variables of
 * formulas, and `stack` has room for program->depth + 1 of them. */
typedef struct {
  ff_writer *out;
  const ff_ssa_program *program;
  const uint32_t *place;
  uint32_t *stack;
  uint32_t variables;
  ff_ssa_code *code; /* NULL, or the numbers of formulas become numbers of this code, because points may differ in them */
  int array;
} ff_ssa_law_text;

/* Writes a formula. Its value is variable f<n>, and n is returned. The time is variable `time`. O(length). */
uint32_t ff_ssa_write_formula(ff_ssa_law_text *law, const ff_formula *formula);
/* Writes the range of a formula of y[]: its kind is variable `kind`, the range of the time is variable `time`, and operations are
 * functions s_range_<code>(). O(length). */
uint32_t ff_ssa_write_range(ff_ssa_law_text *law, const ff_formula *formula);
/* Whether an operation takes many instructions. */
int ff_ssa_is_long(uint32_t operation);

/* Writes variable p<leaf>, the propensity of reaction r with rate constant number `rate`, as checked_propensity() in
 * ff_ssa_path.c computes it. The text sets `invalid` if it is not valid. O(size of the law). */
void ff_ssa_write_law(ff_ssa_law_text *law, uint32_t r, uint32_t leaf, uint32_t rate);

#ifdef __cplusplus
}
#endif

#endif
