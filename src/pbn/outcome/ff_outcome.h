/* In which attractors a network without perturbation ends, from its start, and how many of many trajectories in each. Stands
 * on base/, model/ and pbn/.
 *
 * Tiles of 1,024 trajectories run; at steps 0, 1, 2, 4, 8, ... each trajectory's state is looked at (ff_attractors.h), and
 * where it can end in one attractor alone, that is the trajectory's outcome. The others run on. So an outcome is certain;
 * only how probable it is, is estimated, by independent trajectories. The answer depends on (network, options but threads and
 * simd) alone.
 */
#ifndef FF_OUTCOME_H
#define FF_OUTCOME_H

#include "../ff_engine.h"
#include "ff_attractors.h"

typedef struct {
  uint64_t trajectories; /* rounded up to tiles */
  uint64_t key;
  uint64_t max_steps;  /* after which a trajectory that has not arrived is given up */
  uint32_t max_states; /* how far one exploration goes */
  int threads;
  ff_simd simd;
} ff_outcome_options;

typedef struct ff_outcome ff_outcome;

/* Borrows the network. FF_EARGUMENT where a node can flip. Memory: up to 64 tiles of up to 256 MB together (4 at least), and
 * that of ff_attractors. */
ff_status ff_outcome_new(ff_outcome **out, const ff_pbn *pbn, ff_outcome_options options, ff_error *err);
void ff_outcome_free(ff_outcome *outcome);

/* Works for about `seconds`; call until *done. */
ff_status ff_outcome_advance(ff_outcome *outcome, double seconds, int *done, ff_error *err);

typedef struct {
  uint64_t trajectories; /* in all */
  uint64_t arrived;      /* whose outcome is known */
  uint64_t begun;        /* that have been run at all */
  uint64_t step;         /* to which those at hand have run, or will have */
  int certain;           /* the start is one state that leads to one attractor: nothing was drawn */
  /* once done, of those that have begun and not arrived: */
  uint64_t undecided; /* can still end in several attractors; of the others more states can follow than max_states */
} ff_outcome_state;
ff_outcome_state ff_outcome_now(const ff_outcome *outcome);

/* The attractors, and how many trajectories end in each: NULL where there is none yet, else one number for each that
 * ff_attractors_count counts. Attractors that a trajectory only might have ended in have 0. */
const ff_attractors *ff_outcome_attractors(const ff_outcome *outcome);
const uint64_t *ff_outcome_counts(const ff_outcome *outcome);

#endif
