/* Petri nets as an engine of ensembles (ensemble/ff_engine.h). */
#ifndef FF_PETRI_RUN_H
#define FF_PETRI_RUN_H

#include "../../ensemble/ff_run.h"
#include "../program/ff_petri_program.h"

/* The methods of a run's options. */
typedef enum { FF_PETRI_EXACT, FF_PETRI_WINDOWS, FF_PETRI_METHODS } ff_petri_method;

/* The faster method for this net: windows if there are at least FF_PETRI_MANY_BLOCKS blocks with groups and levels, at most a
 * quarter as many types, no events, and no condition that stops trajectories. Fails with FF_EMEMORY only. O(1), or for large
 * nets what ff_petri_blocks_new() takes. */
#define FF_PETRI_MANY_BLOCKS 200u
ff_status ff_petri_method_of(ff_petri_method *out, const ff_petri_program *program, const ff_run_options *options, ff_error *err);

/* The engine. Its models are programs (ff_petri_program). The counts of a run are the flat places of the net, in their order;
 * continuous ones are real. Its variables are those of the net. What fires is the number of a transition: those of the families,
 * one after the other. A firing is a step. So are the ends of a solver's steps and crossings, which ff_run_steps() does not
 * count. Tolerances are those of the program. The option `tolerance` is not read. Options: FF_EARGUMENT if a marking at the
 * start is negative, not finite, or of a discrete place not whole or above 2^53. Trajectories: FF_EMODEL, FF_ESIZE and
 * FF_EMEMORY; the message names the place or transition, the time and the trajectory. */
extern const ff_engine ff_petri_engine;

#endif
