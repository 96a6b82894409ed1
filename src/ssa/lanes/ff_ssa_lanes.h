/* What the engines for several trajectories share: lanes, which vectors advance together. */
#ifndef FF_SSA_LANES_H
#define FF_SSA_LANES_H

#include "../engine/ff_ssa_engine.h"

#define FF_SSA_DRAWS 4 /* draws are made for so many steps in advance, by engines that do so */

/* The first member of such an engine's struct. Arrays of numbers are first by item (a species, a draw), then by lane. */
typedef struct {
  ff_lanes base;
  const ff_ssa_program *program;
  ff_ssa_path path; /* finds out what is wrong with a lane */
  uint64_t key;
  uint64_t key_words[2][FF_PHILOX_ROUNDS]; /* the words of the key in each round of Philox */
  double *count, *next_time, *wanted;      /* as in `base` */
  const double *initial;                   /* by species: what a trajectory that begins now starts from. Borrowed. */
  double *time;
  double *wait, *choice;  /* by the number of the draw: draws for the steps to come */
  uint32_t draws, drawn;  /* how many draws are made at once, and the number of the next one: `draws` if new ones must be made */
  uint64_t *unit, *step; /* `step` is UINT64_MAX until a trajectory has found its first reaction */
  uint64_t *next;         /* the reaction; the number of reactions if none can fire */
} ff_ssa_lanes;

typedef struct {
  uint32_t lanes, rows, draws; /* a row of `count` for each species, and more rows after them */
} ff_ssa_lanes_shape;

/* Fills lanes that are all 0, and chooses instructions if *simd leaves it open. It sets all functions but advance() and free();
 * the caller may replace start() and rest(). */
ff_status ff_ssa_lanes_fill(ff_ssa_lanes *lanes, const ff_ssa_program *program, ff_ssa_lanes_shape shape, const double *initial,
                            uint64_t key, ff_simd *simd, ff_error *err);
/* Frees what they have, also after a failure. */
void ff_ssa_lanes_clear(ff_ssa_lanes *lanes);

/* Whether the formula of reaction r, of which a reactant is missing, is below 0 in this lane: see ff_ssa_path_below(). */
int ff_ssa_lanes_below(ff_ssa_lanes *lanes, uint32_t lane, uint32_t r);

void ff_ssa_lanes_start(ff_lanes *engine, uint32_t lane, uint64_t unit, double wanted);
void ff_ssa_lanes_rest(ff_ssa_lanes *lanes); /* makes all of them idle */

/* The function that is compiled for these instructions: FF_KERNEL(name) in ff_ssa_vector16_kernel.h. */
#if defined(__x86_64__)
#define FF_SSA_KERNEL_FOR(simd, name)                               \
  ((simd) == FF_SIMD_AVX512 ? ff_ssa_##name##_avx512                \
                            : (simd) == FF_SIMD_AVX2 ? ff_ssa_##name##_avx2 : ff_ssa_##name##_portable)
#else
#define FF_SSA_KERNEL_FOR(simd, name) ((void)(simd), ff_ssa_##name##_portable)
#endif

#endif
