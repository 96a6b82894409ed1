/* What events of the network, and rates that depend on the time, do to a trajectory. */
#ifndef FF_SSA_SCHEDULE_H
#define FF_SSA_SCHEDULE_H

#include "../path/ff_ssa_path.h"

typedef struct ff_ssa_schedule ff_ssa_schedule; /* what a trajectory keeps about them */

ff_status ff_ssa_schedule_new(ff_ssa_path *path, ff_error *err); /* sets path->schedule */
/* The formulas that a step may evaluate, unless it is left halfway. O(length of the triggers). */
double ff_ssa_schedule_cost(const ff_ssa_program *program);
void ff_ssa_schedule_free(ff_ssa_schedule *schedule);            /* accepts NULL */
/* Begins a trajectory at time 0. Its counts are set. Lets the events of the network happen that are due at time 0. */
void ff_ssa_schedule_start(ff_ssa_path *path);
/* Finds the next event from here, with draws that were not used before. */
void ff_ssa_schedule_resume(ff_ssa_path *path);
void ff_ssa_schedule_step(ff_ssa_path *path);
/* Goes on with events that were left halfway. */
void ff_ssa_schedule_go_on(ff_ssa_path *path);
/* Describes a failure; `number` is that of the trajectory. */
ff_status ff_ssa_schedule_describe(const ff_ssa_program *program, const ff_failure *failure, unsigned long long number,
                                   ff_error *err);

#endif
