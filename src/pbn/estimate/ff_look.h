/* Looks at sums while an estimate grows: how precise it is, and whether its trajectories have forgotten where they started.
 * Internal to estimate/. */
#ifndef FF_LOOK_H
#define FF_LOOK_H

#include "ff_estimate.h"

/* What a look is judged by. */
typedef struct {
  const double *precision; /* per observable asked for: half the width wanted */
  uint32_t n_asked;        /* they come first; the others are monitors */
  uint32_t n_judged;       /* all together */
  double z;                /* normal quantile */
  double unit;             /* options.precision, the unit in which widths are told */
  double negligible;       /* a difference between probabilities that matters to no observable asked for */
  int forgets;             /* the long run does not depend on the start (ff_program_forgets) */
} ff_look_rule;

/* The largest of each over the observables asked for. */
typedef struct {
  double rhat, width, drift;
} ff_look;
ff_look ff_look_at(const ff_tally *tally, const ff_look_rule *rule);

/* How far an observable is from having mixed, as a multiple of what is allowed: at most 1 where it has, or where it cannot matter.
 *  - Where the network forgets its start, the means of a trajectory's two halves must be all but uncorrelated: what both halves
 *    share is what the trajectory has not forgotten. For a memory of t steps the correlation is near t / window, so that the
 *    windows allowed are some 13 times as long as the memory.
 *  - Where it does not, trajectories may differ for ever; but within each, the difference between the halves must shrink as the
 *    window grows, its variance to half with a window twice as long. *within holds that variance at the look before (0: there was
 *    none, or nothing varied) and is replaced.
 * Where neither half varies between trajectories, they must have the same mean. O(1). */
double ff_look_unmixed(const ff_moments *m, double chains, const ff_look_rule *rule, double *within);

#endif
