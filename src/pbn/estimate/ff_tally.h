/* Tallies: sums over trajectories, all integers, so that shards add up to the same bits in any order; and what they say. */
#ifndef FF_TALLY_H
#define FF_TALLY_H

#include "../ff_engine.h"
#include "../ff_sums.h"

typedef struct {
  uint32_t n, n_terms;
  uint32_t *first;   /* n + 1 */
  double *weights;   /* per term */
  uint64_t tiles;
  uint64_t half[2];  /* counted steps of a trajectory */
  uint64_t *words;   /* as ff_sums.h says */
  size_t n_words;
} ff_tally;

ff_status ff_tally_new(ff_tally *out, const ff_observables *observables, ff_error *err);
void ff_tally_free(ff_tally *tally);
void ff_tally_clear(ff_tally *tally, uint64_t half0, uint64_t half1);

/* Adds a tile: `first_half` is a copy of the counts at half time, `harvest` what was counted at the end. */
void ff_tally_add(ff_tally *tally, const uint32_t *first_half, const ff_harvest *harvest);
/* ... where term i's counts stand at at[i] (see ff_counted). */
void ff_tally_add_at(ff_tally *tally, const uint32_t *at, const uint32_t *first_half, const ff_harvest *harvest);

/* A term's weight in units of 2^-20, as tallies have it. */
uint32_t ff_tally_weight(double weight);

/* Adds another tally of the same plan. */
ff_status ff_tally_merge(ff_tally *into, const ff_tally *from, ff_error *err);

#define FF_FEW_VISITS 50 /* under so many the spread between trajectories may miss the long ones */

/* What a tally says of one observable. A state set that never (or always) held has mean 0 (or 1) and no errors. */
typedef struct {
  double mean;
  double se_two_state; /* standard error by the two-state formula; 0 where the observable is no state set */
  double se_between;   /* ... by the spread of the trajectories' means */
  double se;           /* the one that counts: between trajectories; the larger while visits are too few for their spread to tell */
  double visits;       /* independent visits, of the rarer value, that would give this standard error */
  double unseen[2];    /* weight of the terms that never held, and of those that always did, though they need not */
  double rhat;         /* potential scale reduction factor; NaN where nothing varied */
  double gap;          /* mean of the second half minus that of the first ... */
  double gap_se;       /* ... and its standard error */
  double drift;        /* their quotient; infinite where halves differ and trajectories do not */
  double half_cov;     /* covariance of the means of a trajectory's halves, over trajectories ... */
  double half_var;     /* ... and the variance of either mean */
  double inflation;    /* variance of a trajectory's mean, against that of independent samples */
  double alpha, beta;  /* transition probabilities 0 -> 1, 1 -> 0; NaN where the observable is no state set */
  uint64_t n01, n10;   /* transitions */
  int visited;         /* 0: held never (or has value 0 always), 1: sometimes, 2: always */
} ff_moments;
ff_moments ff_tally_moments(const ff_tally *tally, uint32_t observable);

/* Means over the second half: share[0] of trajectories that were outside the set in the first half, share[1] of those that were in
 * it, each weighted by how long (of an influence, by its value against the sum of the weights). NaN where there are none. */
void ff_tally_memory(const ff_tally *tally, uint32_t observable, double share[2]);

#endif
