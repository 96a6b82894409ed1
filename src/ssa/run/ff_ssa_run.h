/* Runs: ensembles of trajectories. */
#ifndef FF_SSA_RUN_H
#define FF_SSA_RUN_H

#include "../program/ff_ssa_options.h"
#include "../program/ff_ssa_program.h"
#include "ff_ssa_sums.h"

/* Simulates n trajectories from the start to the last of the times. At each time, the state is that after all events up to and
 * including this time. The times never change a trajectory. */
typedef struct ff_ssa_run ff_ssa_run;

/* Begins a run. The program is borrowed; what the options point to is copied, except what they call borrowed or kept by the
 * caller. The caller frees *out with ff_ssa_run_free(), which accepts NULL. FF_ESIZE if an initial count is above
 * FF_SSA_MAX_COUNT, or sums of products exceed max_bytes. FF_EARGUMENT if a count is not whole, but those of the method are
 * (ff_ssa_method_whole()). FF_EUNSUPPORTED if the network has events, or rates that depend on the time, and the method does not
 * simulate them or the start is not 0. Memory: O(threads * (species + reactions + times * observed)). */
ff_status ff_ssa_run_new(ff_ssa_run **out, const ff_ssa_program *program, const ff_ssa_options *options, ff_error *err);
void ff_ssa_run_free(ff_ssa_run *run);

/* Works for about `seconds`. *done becomes 1 when all trajectories are complete. FF_EMODEL if a propensity is negative or not
 * finite, if an event sets a species to a value that is not a count, or if the steps of a method become too short. FF_ESIZE if a
 * count exceeds FF_SSA_MAX_COUNT, histograms exceed max_bytes, or there are too many firings. The message names the reaction,
 * species or event, the time, and the first trajectory in which this happens. FF_EMEMORY if there is no memory for what is
 * recorded, or for the engines of threads. The first call that needs engines makes them, and does not look at the clock
 * meanwhile. A failure is final: the run must be freed. */
ff_status ff_ssa_run_advance(ff_ssa_run *run, double seconds, int *done, ff_error *err);

/* The trajectories that are complete, and the events of all trajectories, so far. O(threads). */
uint64_t ff_ssa_run_complete(const ff_ssa_run *run);
uint64_t ff_ssa_run_events(const ff_ssa_run *run);

/* The sums over all trajectories of a run that is done and does not keep the states. *out belongs to the run. O(1). */
ff_status ff_ssa_run_sums(ff_ssa_run *run, ff_ssa_sums **out, ff_error *err);

/* The firings of a run that is done: their number, and in the order of trajectories and times the number of the trajectory (from
 * 0 for the run's first one), the time and the reaction. Each array has an element for each firing. O(firings + trajectories). */
uint64_t ff_ssa_run_n_firings(const ff_ssa_run *run);
ff_status ff_ssa_run_firings(const ff_ssa_run *run, double *trajectory, double *time, int32_t *reaction, ff_error *err);

#endif
