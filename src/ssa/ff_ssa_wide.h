/* The direct method for 16 trajectories at once, in the lanes of vectors. Each lane has the same bits as ff_ssa_path. */
#ifndef FF_SSA_WIDE_H
#define FF_SSA_WIDE_H

#include "ff_ssa_internal.h"

#define FF_SSA_LANES 16
#define FF_SSA_WIDE_REACTIONS 512 /* the most that are simulated in this way: the state of the lanes then fits in the caches */
#define FF_SSA_VECTOR_CHANGES 96  /* with more changes than this in all reactions, it is faster if each lane makes its own */

/* Arrays of numbers are first by item (species, node of the tree), then by lane. */
typedef struct {
  const ff_ssa_program *program;
  uint64_t key;
  uint64_t key_words[2][FF_PHILOX_ROUNDS]; /* the words of the key in each round of Philox */
  double *count;   /* by species */
  double *initial; /* by species: what idle lanes start from */
  double *value;   /* by node of the tree of propensities, as in ff_ssa_tree */
  double *stack;   /* by depth */
  uint32_t levels, first[FF_SSA_MAX_LEVELS], n[FF_SSA_MAX_LEVELS]; /* as in ff_ssa_tree */
  double *time, *next_time;
  double *wait, *choice; /* the draws for the event after the next one */
  double *wanted;  /* the next time at which the state is wanted; infinity for idle lanes */
  uint64_t *unit, *event; /* `event` is UINT64_MAX before the first step of a trajectory, which only finds its first event */
  uint64_t *next;         /* the reaction; the number of reactions if none can fire */
  uint32_t broken; /* a bit for each lane with a propensity or count that is not valid */
  /* Lets events happen until a lane has something to report, or `steps` times; *steps becomes what is left. Returns a bit for
   * each lane that has passed its wanted time or is broken. */
  uint32_t (*advance)(void *wide, uint32_t *steps);
} ff_ssa_wide;

/* Whether a program can be simulated in this way. O(1). */
int ff_ssa_wide_can(const ff_ssa_program *program);

/* All lanes are idle. The program is borrowed. FF_EARGUMENT if the processor lacks these vectors. */
ff_status ff_ssa_wide_new(ff_ssa_wide *wide, const ff_ssa_program *program, const double *initial, uint64_t key, ff_simd simd,
                          ff_error *err);
void ff_ssa_wide_free(ff_ssa_wide *wide);

/* Lets a lane begin a trajectory at time 0, or makes it idle. The next step finds its first event. O(species). */
void ff_ssa_wide_start(ff_ssa_wide *wide, uint32_t lane, uint64_t unit, double wanted);
void ff_ssa_wide_rest(ff_ssa_wide *wide, uint32_t lane);

/* The kernels, as the members of the struct. */
uint32_t ff_ssa_advance_portable(void *wide, uint32_t *steps);
uint32_t ff_ssa_advance_avx2(void *wide, uint32_t *steps);
uint32_t ff_ssa_advance_avx512(void *wide, uint32_t *steps);

#endif
