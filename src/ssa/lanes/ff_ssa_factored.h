/* The engine for networks with factors: 16 trajectories at once. Groups are computed and chosen for all of them in vectors; then
 * each lane searches its molecule and makes its changes.
 *
 * At each step, one random number chooses the group by its share of the sum of all, and what is left of it the molecule. Both
 * come from 53 bits, so the probability of a reaction has an absolute error of some 2^-53, as in the direct method. The second
 * molecule of a pool has a number of its own: block 1 of FF_SSA_DRAW_STEP, words 0 and 1.
 */
#ifndef FF_SSA_FACTORED_H
#define FF_SSA_FACTORED_H

#include "../groups/ff_ssa_dense.h"
#include "../groups/ff_ssa_factor.h"
#include "ff_ssa_vector16.h"

typedef struct {
  ff_ssa_vector16 vector; /* its leaves are the groups, and so is vector.next */
  const ff_ssa_factor *factor;
  const ff_ssa_dense *dense; /* the layout of cells; NULL for that of ff_ssa_factor. With it, totals are below FF_DENSE_SMALL */
  uint32_t *group; /* for each lane with the dense layout: the group of the next step,
  or n_groups. vector.next is then not set */
  double *share;  /* for each lane: what is left of its choice, from 0 to 1 */
  int32_t *rows;  /* first by row, while totals are small; vector.lanes.count is then set only for lanes that are reported */
  int32_t *small; /* cells of either layout, first by lane, while totals are small */
  double *large;  /* the cells if is_large; the rows are then in vector.lanes.count, and counts are compared with the most */
  size_t stride;  /* of the cells of a lane */
  int is_large;
  double most; /* the largest total at the beginning */
  double *initial_rows, *initial_large;
  int32_t *initial_small;
  uint32_t *observed, n_observed; /* the species that reports need, if not all */
  void (*diagnose)(ff_lanes *engine, uint32_t lane, ff_failure *out); /* that of ff_ssa_lanes */
} ff_ssa_factored;

_Static_assert(FF_FACTOR_MOLECULES <= FF_SSA_LANES, "a list of addends for each molecule that an event adds or removes");

/* Small totals are below this. */
#define FF_FACTORED_SMALL 0x1p30

/* ---- lanes (ff_ssa_factored_state.c) ------------------------------------------------------------------------------------ */

/* Sums of a state, and the cells of the layout of ff_ssa_factor. Row i is rows[i * stride]; those of species are given. */
void ff_ssa_factored_sum_up(const ff_ssa_factored *engine, double *rows, size_t stride, double *cells);
/* Sets the cells that a trajectory begins with, from the initial rows. */
void ff_ssa_factored_set_initial(ff_ssa_factored *engine);
/* Sets the groups of a lane, for networks whose groups are computed only when they change. Row i is rows[i * stride]. */
void ff_ssa_factored_set_values(ff_ssa_factored *engine, uint32_t lane, const double *rows, size_t stride);

/* Leaves the dense layout, or makes rows and cells large, if totals may become too large within so many steps. It changes no bit
 * of a trajectory. */
void ff_ssa_factored_prepare(ff_ssa_factored *engine, uint32_t steps);

/* Sets vector.lanes.count of the lanes with these bits from small rows: of all rows, or of those that reports need. */
void ff_ssa_factored_set_counts(ff_ssa_factored *engine, uint64_t lanes, int all);

uint64_t ff_ssa_advance_factored_portable(ff_lanes *engine, uint32_t *steps);
uint64_t ff_ssa_advance_factored_avx2(ff_lanes *engine, uint32_t *steps);
uint64_t ff_ssa_advance_factored_avx512(ff_lanes *engine, uint32_t *steps);

/* The reaction of molecule number v of a group's sum in a lane; for a pool, of molecule v, and then v2 of those that are left.
 * For tests. */
uint32_t ff_ssa_reaction_of_portable(const ff_ssa_factored *engine, uint32_t lane, uint32_t group, double v, double v2);
uint32_t ff_ssa_reaction_of_avx2(const ff_ssa_factored *engine, uint32_t lane, uint32_t group, double v, double v2);
uint32_t ff_ssa_reaction_of_avx512(const ff_ssa_factored *engine, uint32_t lane, uint32_t group, double v, double v2);

/* The engine. O(size of the program and lanes). `initial` is borrowed. */
ff_status ff_ssa_engine_factored(ff_lanes **out, const ff_ssa_program *program, const ff_run_options *options,
                                 const double *initial, ff_error *err);
int ff_ssa_engine_factored_can(const ff_ssa_program *program);

#endif
