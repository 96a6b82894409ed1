/* Estimates in which attractors a network without perturbation ends from its start, and with what probabilities. Uses base/,
 * model/ and pbn/.
 *
 * Tiles of 1,024 trajectories run. At steps 0, 1, 2, 4, 8, ... the state of each trajectory is explored (ff_attractors.h). If
 * it can end in only one attractor, this is the trajectory's outcome. The other trajectories go on. So each outcome is
 * certain, and only its probability is estimated, from independent trajectories. The answer depends only on the network and
 * on the options except threads and simd.
 */
#ifndef FF_OUTCOME_H
#define FF_OUTCOME_H

#include "../ff_pbn_engine.h"
#include "ff_attractors.h"

typedef struct {
  uint64_t trajectories; /* rounded up to whole tiles */
  uint64_t key;
  uint64_t max_steps;  /* after this many steps, a trajectory without an outcome is given up */
  uint32_t max_states; /* largest number of states of one exploration */
  int threads;
  ff_simd simd;
} ff_outcome_options;

typedef struct ff_outcome ff_outcome;

/* Makes an estimate of outcomes. The network is borrowed and must outlive it. FF_EARGUMENT if a node can flip. Memory: up to
 * 64 tiles of up to 256 MB together (but at least 4 tiles), and that of ff_attractors. The caller frees *out with
 * ff_outcome_free(), which accepts NULL. */
ff_status ff_outcome_new(ff_outcome **out, const ff_pbn *pbn, ff_outcome_options options, ff_error *err);
void ff_outcome_free(ff_outcome *outcome);

/* Works for about `seconds`. Must be called until *done is 1. */
ff_status ff_outcome_advance(ff_outcome *outcome, double seconds, int *done, ff_error *err);

typedef struct {
  uint64_t trajectories; /* their number in all */
  uint64_t arrived;      /* number of those whose outcome is known */
  uint64_t begun;        /* number of those that have been started */
  uint64_t step;         /* the step that the current trajectories have reached or are running to */
  int certain;           /* 1 if the start is one state that leads to one attractor, so that nothing was simulated */
  /* when done, among those that have been started and have no outcome: */
  uint64_t undecided; /* can still end in several attractors; from the others, more than max_states states can follow */
} ff_outcome_state;
ff_outcome_state ff_outcome_now(const ff_outcome *outcome);

/* The attractors, and the number of trajectories that end in each: NULL if no attractor is known yet, else
 * ff_attractors_count() numbers. Attractors that a trajectory could have ended in but did not have 0. Both belong to the
 * ff_outcome. */
const ff_attractors *ff_outcome_attractors(const ff_outcome *outcome);
const uint64_t *ff_outcome_counts(const ff_outcome *outcome);

#endif
