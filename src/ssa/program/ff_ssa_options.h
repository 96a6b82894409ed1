/* The methods, and what they read in the options of a run. */
#ifndef FF_SSA_OPTIONS_H
#define FF_SSA_OPTIONS_H

#include "../../ensemble/ff_run_options.h"
#include "ff_ssa_method_kinds.h"

#define FF_SSA_INTERFACE "ssa" /* of a backend: ff_device_calls whose models are programs (ff_ssa_program) */

/* The tolerance of FF_SSA_TAU to FF_SSA_LANGEVIN, the relative change of propensities in a leap, if the options give none. That
 * of FF_SSA_ODE is 1e-8: the relative error of a step, and the absolute one of counts. */
#define FF_SSA_TOLERANCE 0.03
#define FF_SSA_LANES 16 /* trajectories that vectors of the processor advance together */

#endif
