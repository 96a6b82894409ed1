/* Reactions in partial equilibrium: which they are, how fast they return to it, and how they fluctuate there. Implicit leaps jump
 * over the relaxation of such reactions (Cao, Gillespie and Petzold 2007). */
#ifndef FF_SSA_BALANCE_H
#define FF_SSA_BALANCE_H

#include "ff_ssa_length.h"

/* Reactions with the same change but for its sign are a group. Its extent is the number of firings in one direction minus those
 * in the other. Groups of which one changes what another one reads are a cluster. Extents of a cluster relax with the symmetric
 * matrix A, if each is divided by the square root of its group's flow. */
typedef struct {
  uint32_t n_groups;
  uint32_t *group;                 /* for each reaction: its group, or UINT32_MAX if no reaction reverses it */
  uint32_t *member, *member_first; /* the reactions of each group: n_groups + 1 entries */
  uint8_t *backward;               /* for each reaction: 1 if its change has the other sign */
  uint8_t *detailed;               /* for each group: 1 if it is one reaction of mass action and its reverse */
  uint8_t *balanced;               /* for each reaction: 1 if it is in partial equilibrium */
  double *speed;                   /* for each group in partial equilibrium: the rate of its own relaxation; else 0 */
  double *flow, *net;              /* for each group: the mean and the difference of both directions */
  uint32_t n_clusters, largest;    /* largest: the groups of the largest cluster since the search began */
  uint32_t *cluster, *cluster_first; /* the groups of each cluster */
  uint32_t *parent, *head, *next;  /* for the search for clusters */
  size_t room;                     /* of the matrices of all clusters together */
  double *rate;                    /* for each cluster: the slowest rate of relaxation */
  double *root;                    /* for each cluster: the lower triangular root of A */
  double *matrix, *diagonal, *beside, *vector; /* for computations */
  double *shift, *variance;        /* for each species; all 0 between uses */
} ff_ssa_balance;

/* Finds the groups. The caller frees what it has with ff_ssa_balance_free(), also after a failure. O(reactions log reactions). */
ff_status ff_ssa_balance_new(ff_ssa_balance *balance, const ff_ssa_program *program, ff_error *err);
void ff_ssa_balance_free(ff_ssa_balance *balance);

/* How long a leap may be, if `shorter` is the longest explicit one. Without the reactions in partial equilibrium, no propensity
 * is likely to change by more than the tolerance, and these reactions relax much faster than that. The result is `shorter`, and
 * no reaction is in partial equilibrium, if this is not much longer. The critical reactions and all propensities are known.
 * O(reactions, and the cubes of the sizes of clusters). */
double ff_ssa_balance_longest(ff_ssa_balance *balance, ff_ssa_length *length, ff_ssa_path *path, double shorter);

/* Finds the fluctuations of the reactions in partial equilibrium anew, at other counts of the path: those to which the reactions
 * have relaxed. Returns 0 if they are in no equilibrium there. O(reactions, and the cubes of the sizes of clusters). */
int ff_ssa_balance_measure(ff_ssa_balance *balance, const ff_ssa_length *length, ff_ssa_path *path);

/* For each group in partial equilibrium: the length of an implicit step that relaxes as the group does in the first `part` of a
 * leap of length tau, and the noise of the extent for which this step gives the group's fluctuations. The draws are those of the
 * leap with this address, and the same for all parts. O(groups, and the squares of the sizes of clusters). */
void ff_ssa_balance_fluctuate(ff_ssa_balance *balance, const ff_ssa_path *path, uint64_t address, double tau, double part,
                              double *step, double *extent);

#endif
