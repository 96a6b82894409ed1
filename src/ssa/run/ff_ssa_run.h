/* Reaction networks as an engine of ensembles (ensemble/ff_engine.h). */
#ifndef FF_SSA_RUN_H
#define FF_SSA_RUN_H

#include "../../ensemble/ff_run.h"
#include "../program/ff_ssa_program.h"

/* The engine. Its models are programs (ff_ssa_program); the methods of its options are those of ff_ssa_method.
 * Options: FF_ESIZE if an initial count is above FF_SSA_MAX_COUNT. FF_EARGUMENT if a count is not whole, but those of the method
 * are (ff_ssa_method_whole()). FF_EUNSUPPORTED if the network has events, or rates that depend on the time, and the method does
 * not simulate them or the start is not 0.
 * Trajectories: FF_EMODEL if a propensity is negative or not finite, if an event sets a species to a value that is not a count,
 * or if the steps of a method become too short. FF_ESIZE if a count exceeds FF_SSA_MAX_COUNT. The message names the reaction,
 * species or event, the time, and the trajectory. */
extern const ff_engine ff_ssa_engine;

/* Begins a run of a program: ff_run_new(). */
static inline ff_status ff_ssa_run_new(ff_run **out, const ff_ssa_program *program, const ff_run_options *options,
                                       ff_error *err) {
  return ff_run_new(out, &ff_ssa_engine, program, options, err);
}

#endif
