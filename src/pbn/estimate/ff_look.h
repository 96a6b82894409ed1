/* Looks at sums while an estimate grows: the precision, and whether trajectories have forgotten their start. Internal to
 * pbn/estimate/. */
#ifndef FF_LOOK_H
#define FF_LOOK_H

#include "ff_pbn_estimate.h"

/* The criteria of a look. */
typedef struct {
  const double *precision; /* for each observable asked for: half the width wanted */
  uint32_t n_asked;        /* number of observables asked for; they come first, and the others are monitors */
  uint32_t n_judged;       /* number of all of them */
  double z;                /* normal quantile */
  double unit;             /* options.precision, the unit of widths */
  double negligible;       /* a difference between probabilities that does not matter to any observable asked for */
  int forgets;             /* 1 if the long run does not depend on the start (ff_pbn_program_forgets()) */
} ff_look_rule;

/* The largest values over the observables asked for. */
typedef struct {
  double rhat, width, drift;
} ff_look;
ff_look ff_look_at(const ff_pbn_tally *tally, const ff_look_rule *rule);

/* The error that is allowed for the largest of n correlations over this number of trajectories. */
double ff_look_sampling(uint32_t n, double chains);

/* How far an observable is from having mixed, as a multiple of what is allowed. At most 1 if it has mixed, or if it cannot
 * matter.
 * - If the network forgets its start, the means of the two halves of a trajectory's window must be nearly uncorrelated: what
 *   both halves share is what the trajectory has not forgotten. For a recall of t steps the correlation is about t / window,
 *   so an accepted window is about 13 times as long as the recall.
 * - If it does not forget its start, trajectories may differ for ever. But within each trajectory, the difference between the
 *   halves must shrink as the window grows; a window twice as long should halve its variance. *within is that variance at the
 *   look before (0: there was none, or nothing varied) and is replaced.
 *
 * If neither half varies between trajectories, both must have the same mean. O(1).
 */
double ff_look_unmixed(const ff_moments *m, double chains, const ff_look_rule *rule, double *within);

#endif
