/* Reactions that reverse each other, and may be in partial equilibrium. */
#ifndef FF_SSA_PAIRS_H
#define FF_SSA_PAIRS_H

#include "../program/ff_ssa_program.h"

/* A pair is one reaction of mass action and its reverse: the products of each are the reactants of the other one. No third
 * reaction makes the same change. So a cluster of pairs that are all in equilibrium has detailed balance, and this equilibrium is
 * stable and the only one. All propensities that read a count which pairs change are mass action of at most two such molecules:
 * the mean of such a propensity is nearly the propensity of the means, also if the counts fluctuate. */
typedef struct {
  uint32_t n;
  uint32_t *forward, *backward; /* the reactions of each pair */
  uint32_t *of;                 /* for each reaction: its pair, or UINT32_MAX */
} ff_ssa_pairs;

/* The caller frees what the pairs have with ff_ssa_pairs_free(), also after a failure. O(reactions log reactions). */
ff_status ff_ssa_pairs_new(ff_ssa_pairs *pairs, const ff_ssa_program *program, ff_error *err);
void ff_ssa_pairs_free(ff_ssa_pairs *pairs);

#endif
