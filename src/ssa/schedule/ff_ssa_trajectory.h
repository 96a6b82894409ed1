/* A trajectory from its start to its last event. */
#ifndef FF_SSA_TRAJECTORY_H
#define FF_SSA_TRAJECTORY_H

#include "../path/ff_ssa_path.h"

/* Makes a path, whose next events this finder finds. Program and finder are borrowed. */
ff_status ff_ssa_path_new(ff_ssa_path *path, const ff_ssa_program *program, const ff_ssa_finder *finder, ff_error *err);
void ff_ssa_path_free(ff_ssa_path *path);
/* Lets a condition end trajectories of a program with a schedule, also between events of the network at one time. */
ff_status ff_ssa_path_end_at(ff_ssa_path *path, const ff_formula *until, ff_error *err);
/* Begins a trajectory from these counts at time 0, and finds its next event. O(reactions). */
void ff_ssa_path_start(ff_ssa_path *path, uint64_t key, uint64_t unit, const double *initial);
/* Finds the next event, or what is wrong, from counts, time and event that the caller has set. O(reactions). */
void ff_ssa_path_resume(ff_ssa_path *path);
/* Lets the next event happen, and finds the one after it. path->failure tells whether this failed. */
void ff_ssa_path_step(ff_ssa_path *path);
/* Goes on with a step, or a start, that was left halfway: path->failure.what is FF_SSA_HALFWAY. */
void ff_ssa_path_go_on(ff_ssa_path *path);

#endif
