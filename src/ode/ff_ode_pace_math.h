/* The lengths of a solver's steps. gcc, nvcc and NVRTC compile the same text. All calls take O(1). */
#ifndef FF_ODE_PACE_MATH_H
#define FF_ODE_PACE_MATH_H

#include "ff_ode_explicit_math.h"

#define FF_ODE_LEAST_STEP 0x1p-46
#define FF_ODE_FIRST_STEP 0.01    /* in the first step, components change by this part of their sizes */
#define FF_ODE_STIFF_BORDER 2     /* a step times the speed of a mode; above this, the mode is damped and not followed. Steps are
                                   * unstable above 3.3. */
#define FF_ODE_STIFF_STEPS 15u    /* after so many such steps, the equations are stiff */
#define FF_ODE_ERROR_BELOW 32     /* of a step that ends below 0: the next trial has less than half of its length */
#define FF_ODE_CALM_STEPS 6u      /* so many other steps in a row set this number to 0 */

/* What the next steps of a solution follow from, but for the time and the state. */
typedef struct {
  double next;                 /* the length of the next step; 0: the solver chooses it */
  double tried;                /* and that of the last one, before it was cut */
  double shortest;             /* the shortest length so far; of the first step, also those that were tried in vain */
  uint32_t jumps, stiff, calm; /* steps in a row that jumped; steps that were stiff; steps in a row that were not */
} ff_ode_pace;

/* A step that is tried. */
typedef struct {
  double most;        /* where it ends at the latest */
  int limited, least; /* whether it ends there; whether it is the shortest one */
} ff_ode_plan;

static FF_HD inline double ff_ode_larger(double a, double b) { return a > b ? a : b; }

/* The error of a step, as a part of what the tolerance permits, where this component cannot be below -most. If it is, stages
 * have passed over what keeps it above 0. */
static FF_HD inline double ff_ode_error_below(double error, double end, double most) {
  return end < -most ? ff_ode_larger(error, FF_ODE_ERROR_BELOW) : error;
}

/* The length of the first step, if the components change by at most this part of their sizes in a unit of time. */
static FF_HD inline double ff_ode_first_step(double fastest) { return fastest > 0 ? FF_ODE_FIRST_STEP / fastest : 1; }

/* Plans a step from this time to plan->most at the latest. `part`: the shortest one, as a part of the time and the shortest so
 * far. fresh: whether no step was made since the solution began, or went on in another state. */
static FF_HD inline void ff_ode_plan_step(ff_ode_pace *pace, ff_ode_plan *plan, double from, double part, int fresh) {
  const double rest = plan->most - from, least = part * (ff_math_absolute(from) + pace->shortest);
  plan->least = !(pace->next > least);
  double h = plan->least ? least : pace->next;
  plan->limited = h >= rest;
  if (plan->limited) h = rest;
  if (fresh && h < pace->shortest) pace->shortest = ff_ode_larger(h, FF_ODE_TINY); /* the first guess may be far too long */
  pace->tried = h;
}

/* The length of the step after this one, or of the next trial. */
static FF_HD inline void ff_ode_next_length(ff_ode_pace *pace, const ff_ode_plan *plan, double factor, int accepted) {
  const double next = pace->tried * factor;
  pace->next = plan->limited && accepted ? ff_ode_larger(next, pace->next) : next;
}

/* Counts steps that were accepted. While steps are implicit, pace->stiff is FF_ODE_STIFF_STEPS. */
static FF_HD inline void ff_ode_count_stiff(ff_ode_pace *pace, int fast, int explicit_step) {
  if (fast) {
    pace->calm = 0;
    if (explicit_step) pace->stiff++;
  } else if (++pace->calm == FF_ODE_CALM_STEPS) {
    pace->stiff = 0;
  }
}

#endif
