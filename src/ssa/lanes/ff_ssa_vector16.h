/* The direct method for 16 trajectories at once, in the lanes of vectors. Each lane has the same bits as ff_ssa_path. */
#ifndef FF_SSA_VECTOR16_H
#define FF_SSA_VECTOR16_H

#include "ff_ssa_lanes.h"

#define FF_SSA_VECTOR_CHANGES 96  /* with more changes than this in all reactions, it is faster if each lane makes its own */

/* Arrays are first by item, then by lane. */
typedef struct {
  ff_ssa_lanes lanes;
  double *value; /* by node of the tree of propensities, as in ff_ssa_tree */
  double *stack; /* by depth */
  uint32_t levels, first[FF_SSA_MAX_LEVELS], n[FF_SSA_MAX_LEVELS]; /* as in ff_ssa_tree */
} ff_ssa_vector16;

typedef struct {
  uint32_t rows, leaves, draws; /* rows and draws as in ff_ssa_lanes_shape, and leaves of the tree */
} ff_ssa_vector16_shape;

/* For lanes that have it as their first member: as ff_ssa_lanes_fill(). Frees what it has, also after a failure. */
ff_status ff_ssa_vector16_fill(ff_ssa_vector16 *vector, const ff_ssa_program *program, ff_ssa_vector16_shape shape,
                               const double *initial,
                               uint64_t key, ff_simd *simd, ff_error *err);
void ff_ssa_vector16_clear(ff_ssa_vector16 *vector);
/* Ends the making of such an engine, with the status of what was done so far, and returns it. If it is FF_OK, the calls that are
 * not NULL take the place of those of ff_ssa_lanes, and all lanes are idle; else calls->free() frees the engine. */
ff_status ff_ssa_vector16_end(ff_lanes **out, ff_ssa_vector16 *vector, const ff_lanes *calls, ff_status status);
/* Lists the species that reports need: those that are observed. If a variable is, which may read all species, nothing is
 * listed. */
ff_status ff_ssa_list_observed(uint32_t **observed, uint32_t *n_observed, const ff_ssa_program *program,
                               const ff_run_options *options, ff_error *err);

/* The kernels: ff_lanes.advance. */
uint64_t ff_ssa_advance_portable(ff_lanes *engine, uint32_t *steps);
uint64_t ff_ssa_advance_avx2(ff_lanes *engine, uint32_t *steps);
uint64_t ff_ssa_advance_avx512(ff_lanes *engine, uint32_t *steps);

/* The engine. O(size of the program and lanes). `initial` is borrowed. */
ff_status ff_ssa_engine_vector16(ff_lanes **out, const ff_ssa_program *program, const double *initial, uint64_t key,
                             ff_simd simd, ff_error *err);
#define FF_SSA_VECTOR16_REACTIONS 512 /* the most for this engine: the state of its lanes then fits in the caches */
int ff_ssa_engine_vector16_can(const ff_ssa_program *program);

#endif
