/* The direct method for 16 trajectories at once, in the lanes of vectors. Each lane has the same bits as ff_ssa_path. */
#ifndef FF_SSA_WIDE_H
#define FF_SSA_WIDE_H

#include "ff_ssa_engine.h"

#define FF_SSA_LANES 16
#define FF_SSA_VECTOR_CHANGES 96  /* with more changes than this in all reactions, it is faster if each lane makes its own */

/* Arrays of numbers are first by item (species, node of the tree), then by lane. */
typedef struct {
  ff_ssa_engine base;
  const ff_ssa_program *program;
  ff_ssa_path path; /* finds out what is wrong with a lane */
  uint64_t key;
  uint64_t key_words[2][FF_PHILOX_ROUNDS]; /* the words of the key in each round of Philox */
  double *count;   /* by species; as in `base`, and so are the next two */
  double *next_time, *wanted;
  double *initial; /* by species: what idle lanes start from */
  double *value;   /* by node of the tree of propensities, as in ff_ssa_tree */
  double *stack;   /* by depth */
  uint32_t levels, first[FF_SSA_MAX_LEVELS], n[FF_SSA_MAX_LEVELS]; /* as in ff_ssa_tree */
  double *time;
  double *wait, *choice; /* the draws for the event after the next one */
  uint64_t *unit, *event; /* `event` is UINT64_MAX before the first step of a trajectory, which only finds its first event */
  uint64_t *next;         /* the reaction; the number of reactions if none can fire */
} ff_ssa_wide;

/* For engines that have a wide one as their first member: fills one that is all 0, with a row for each species and more rows
 * after them, and a tree with this number of leaves, and sets its functions. Frees what it has, also after a
 * failure. Begins a trajectory. */
ff_status ff_ssa_wide_fill(ff_ssa_wide *wide, const ff_ssa_program *program, uint32_t rows, uint32_t leaves,
                           const double *initial, uint64_t key, ff_simd simd, ff_error *err);
void ff_ssa_wide_clear(ff_ssa_wide *wide);
void ff_ssa_wide_start(ff_ssa_engine *engine, uint32_t lane, uint64_t unit, double wanted);

/* The kernels: ff_ssa_engine.advance. */
uint64_t ff_ssa_advance_portable(ff_ssa_engine *engine, uint32_t *steps);
uint64_t ff_ssa_advance_avx2(ff_ssa_engine *engine, uint32_t *steps);
uint64_t ff_ssa_advance_avx512(ff_ssa_engine *engine, uint32_t *steps);

#endif
