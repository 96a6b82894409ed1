/* Reactions in partial equilibrium: which they are, how fast they return to it, and how they fluctuate there. Implicit leaps jump
 * over the relaxation of such reactions (Cao, Gillespie and Petzold 2007). */
#ifndef FF_SSA_BALANCE_H
#define FF_SSA_BALANCE_H

#include "ff_ssa_length.h"
#include "../../linear/ff_modes.h"
#include "ff_ssa_pairs.h"

/* The extent of a pair is the number of its firings in one direction minus those in the other. Pairs that change the same counts
 * are a cluster. Extents of a cluster relax with the symmetric matrix A, if each is divided by the square root of its pair's
 * flow. */
typedef struct {
  ff_ssa_pairs pairs;
  double *speed;                   /* for each pair in partial equilibrium: the rate of its own relaxation; else 0 */
  double *flow, *net;              /* for each pair: the mean and the difference of both directions */
  uint32_t n_clusters, largest;    /* largest: the pairs of the largest cluster since the search began */
  uint32_t *cluster, *cluster_first; /* the pairs of each cluster */
  uint32_t *changer;               /* for each species: a pair that changes it; for the search for clusters */
  uint32_t *parent, *head, *next;  /* the same for each pair */
  size_t room;                     /* of the matrices of all clusters together */
  double *rate;                    /* for each cluster: the slowest rate of relaxation */
  double *root;                    /* for each cluster: the lower triangular root of A */
  ff_modes modes;              /* for computations */
  double *shift, *variance;        /* for each species; all 0 between uses */
} ff_ssa_balance;

/* Finds the pairs. The caller frees what it has with ff_ssa_balance_free(), also after a failure. O(reactions log reactions). */
ff_status ff_ssa_balance_new(ff_ssa_balance *balance, const ff_ssa_program *program, ff_error *err);
void ff_ssa_balance_free(ff_ssa_balance *balance);

/* Whether reaction r is in partial equilibrium. */
int ff_ssa_balance_has(const ff_ssa_balance *balance, uint32_t r);

/* How long a leap may be, if `shorter` is the longest explicit one. Without the reactions in partial equilibrium, no propensity
 * is likely to change by more than the tolerance, and these reactions relax much faster than that. The result is `shorter`, and
 * no reaction is in partial equilibrium, if this is not much longer. The critical reactions and all propensities are known.
 * O(reactions, and the cubes of the sizes of clusters). */
double ff_ssa_balance_longest(ff_ssa_balance *balance, ff_ssa_length *length, ff_ssa_path *path, double shorter);

/* Finds the fluctuations of the reactions in partial equilibrium anew, at other counts of the path: those to which the reactions
 * have relaxed. Returns 0 if they are in no equilibrium there, or if a count is less than half of what a leap may begin with.
 * O(reactions, and the cubes of the sizes of clusters). */
int ff_ssa_balance_measure(ff_ssa_balance *balance, const ff_ssa_length *length, ff_ssa_path *path);

/* For each pair in partial equilibrium: the length of an implicit step that relaxes as the pair does in the first `part` of a
 * leap of length tau, and the noise of the extent for which this step gives the pair's fluctuations. The draws are those of the
 * leap with this address, and the same for all parts. O(pairs, and the squares of the sizes of clusters). */
void ff_ssa_balance_fluctuate(ff_ssa_balance *balance, const ff_ssa_path *path, uint64_t address, double tau, double part,
                              double *step, double *extent);

/* For each pair in partial equilibrium: the length of that step for the whole leap. O(pairs). */
void ff_ssa_balance_steps(const ff_ssa_balance *balance, double tau, double *step);

#endif
