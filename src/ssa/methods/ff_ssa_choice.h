/* The choice of a method and of an engine. */
#ifndef FF_SSA_CHOICE_H
#define FF_SSA_CHOICE_H

#include "../engine/ff_ssa_engine.h"

/* The method that is likely to be the fastest for a program among those that can do what the options want. It depends on the
 * program, and on whether the options want firings, a condition or starts; options->method is ignored. *changed becomes the mean
 * number of propensities that a firing changes: that of ff_ssa_program_coupling(), or that of a short simulation if it is larger.
 * There is such a simulation for networks without a schedule that have groups, or more than 256 reactions, unless the answer is
 * FF_SSA_FACTORED. O(reactions + firings of this simulation). */
ff_ssa_method ff_ssa_method_of(const ff_ssa_program *program, const ff_run_options *options, double *changed);

/* Makes an engine for n trajectories of a method. It depends on the number of trajectories for each thread, but its answers do
 * not. The program and `initial` are borrowed. Engines of networks without groups read `initial` whenever a trajectory begins.
 * All lanes are idle. */
ff_status ff_ssa_engine_new(ff_lanes **out, const ff_ssa_program *program, const ff_run_options *options,
                            const double *initial, uint64_t trajectories, ff_error *err);

#endif
