/* Tallies: sums over trajectories, and the estimates that follow from them. The sums are integers, so shards can be added in
 * any order and give the same bits. */
#ifndef FF_PBN_TALLY_H
#define FF_PBN_TALLY_H

#include "../ff_pbn_engine.h"
#include "../ff_pbn_sums.h"

typedef struct {
  uint32_t n, n_terms;
  uint32_t *first;   /* n + 1 entries */
  double *weights;   /* for each term */
  uint64_t tiles;
  uint64_t half[2];  /* counted steps of a trajectory in each half window */
  uint64_t *words;   /* in the layout of ff_pbn_sums.h */
  size_t n_words;
} ff_pbn_tally;

/* Makes a tally of 0 tiles. The caller frees its contents with ff_pbn_tally_free(). ff_pbn_tally_clear() sets all sums to 0.
 * O(terms + observables). */
ff_status ff_pbn_tally_new(ff_pbn_tally *out, const ff_observables *observables, ff_error *err);
void ff_pbn_tally_free(ff_pbn_tally *tally);
void ff_pbn_tally_clear(ff_pbn_tally *tally, uint64_t half0, uint64_t half1);

/* Adds a tile. `first_half` is a copy of the counts at the end of the first half window; `harvest` has the counts at the end.
 * The counts of term i are at position at[i] (see ff_counted), or at i if `at` is NULL. O(1,024 * terms). */
void ff_pbn_tally_add(ff_pbn_tally *tally, const uint32_t *at, const uint32_t *first_half, const ff_harvest *harvest);

/* A term's weight in units of 2^-20, as tallies use it. */
uint32_t ff_pbn_tally_weight(double weight);

/* Adds another tally of the same plan. FF_EARGUMENT if the plans differ. O(terms + observables). */
ff_status ff_pbn_tally_merge(ff_pbn_tally *into, const ff_pbn_tally *from, ff_error *err);

#define FF_FEW_VISITS 50 /* with fewer visits, the spread between trajectories may miss long ones */

/* The estimates for one observable. A state set that was never (or always) visited has mean 0 (or 1) and no errors. */
typedef struct {
  double mean;
  double se_two_state; /* standard error by the two-state formula; 0 if the observable is not a state set */
  double se_between;   /* standard error from the spread of the trajectories' means */
  double se;           /* the standard error to use: se_between, or the larger one while there are too few visits for the
                        * spread to be reliable */
  double visits;       /* number of independent visits, of the rarer value, that would give this standard error */
  double unseen[2];    /* weight of the terms that were never 1, and of those that were always 1, although they are not
                        * constant */
  double rhat;         /* potential scale reduction factor; NaN if nothing varied */
  double gap;          /* mean of the second half window minus that of the first ... */
  double gap_se;       /* ... and its standard error */
  double drift;        /* their quotient; infinite if halves differ and trajectories do not */
  double half_cov;     /* covariance, over trajectories, of the means of the two half windows ... */
  double half_var;     /* ... and the variance of such a mean */
  double inflation;    /* variance of a trajectory's mean, divided by that of independent samples */
  double alpha, beta;  /* transition probabilities 0 -> 1 and 1 -> 0; NaN if the observable is not a state set */
  uint64_t n01, n10;   /* numbers of transitions */
  int visited;         /* 0: never visited (the value is always 0), 1: sometimes, 2: always */
} ff_moments;
ff_moments ff_pbn_tally_moments(const ff_pbn_tally *tally, uint32_t observable);

/* Means over the second half window. share[0] is that of trajectories that were outside the set in the first half window, and
 * share[1] that of trajectories that were in it. Each trajectory is weighted by its time there (for an influence, by its
 * value relative to the sum of the weights). NaN if there are none. O(terms of the observable). */
void ff_pbn_tally_recall(const ff_pbn_tally *tally, uint32_t observable, double share[2]);

#endif
