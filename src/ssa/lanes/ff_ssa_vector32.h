/* The direct method for networks of few reactions with simple laws: 32 trajectories at once, in the lanes of vectors. Each lane
 * has the same bits as ff_ssa_path. */
#ifndef FF_SSA_VECTOR32_H
#define FF_SSA_VECTOR32_H

#include "ff_ssa_lanes.h"

#define FF_SSA_VECTOR32_LANES 32
#define FF_SSA_VECTOR32_REACTIONS 31 /* the most: a table has an entry for each, and one for no reaction */
#define FF_SSA_VECTOR32_GROUPS 4     /* nodes of ff_ssa_tree above the reactions */
#define FF_SSA_VECTOR32_TABLE 32     /* entries of a table by reaction; entry n_reactions is for no reaction */

typedef struct {
  ff_ssa_lanes lanes;
  /* Reaction r has the propensity rate[r] * (count[a[r]] * (count[b[r]] - less[r])). One item more than the species has the
   * count 1. Reactions that only fill a group have the rate 0. */
  double rate[FF_SSA_VECTOR32_TABLE], less[FF_SSA_VECTOR32_TABLE];
  uint32_t a[FF_SSA_VECTOR32_TABLE], b[FF_SSA_VECTOR32_TABLE];
  uint32_t n_changed, *changed; /* the species that reactions change ... */
  double *change;               /* ... and for each of them, the change by each reaction: a table */
  int32_t *high; /* the same as the upper words of the numbers, FF_SSA_FAN for each; NULL if they have more reactions or words */
} ff_ssa_vector32;

uint64_t ff_ssa_vector32_portable(ff_lanes *engine, uint32_t *steps);
uint64_t ff_ssa_vector32_avx2(ff_lanes *engine, uint32_t *steps);
uint64_t ff_ssa_vector32_avx512(ff_lanes *engine, uint32_t *steps);

/* The engine. O(size of the program and lanes). `initial` is borrowed. */
ff_status ff_ssa_engine_vector32(ff_lanes **out, const ff_ssa_program *program, const double *initial, uint64_t key,
                              ff_simd simd, ff_error *err);
int ff_ssa_engine_vector32_can(const ff_ssa_program *program);

#endif
