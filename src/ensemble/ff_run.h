/* Runs: ensembles of trajectories. */
#ifndef FF_RUN_H
#define FF_RUN_H

#include "ff_engine.h"

/* Simulates n trajectories from the start to the last of the times. At each time, the state is that after all steps up to and
 * including this time. The times never change a trajectory. */
typedef struct ff_run ff_run;

/* Begins a run of a model, which is borrowed; what the options point to is copied, except what they call borrowed or kept by the
 * caller. The caller frees *out with ff_run_free(), which accepts NULL. FF_ESIZE if sums of products exceed max_bytes.
 * FF_EARGUMENT if an option is out of its domain. Errors of the engine's open(). Memory: O(threads * (state + times * observed)),
 * and the lanes of threads. */
ff_status ff_run_new(ff_run **out, const ff_engine *engine, const void *model, const ff_run_options *options, ff_error *err);
void ff_run_free(ff_run *run);

/* Works for about `seconds`. *done becomes 1 when all trajectories are complete. If trajectories fail, the error is that
 * of the first one, as the engine describes it. FF_ESIZE if histograms exceed max_bytes, or there are too many firings.
 * FF_EMEMORY if there is no memory for what is recorded, or for the lanes of threads. The first call that needs lanes makes them,
 * and does not look at the clock meanwhile. A failure is final: the run must be freed. */
ff_status ff_run_advance(ff_run *run, double seconds, int *done, ff_error *err);

/* The trajectories that are complete, and the steps of all trajectories, so far. O(threads). */
uint64_t ff_run_complete(const ff_run *run);
uint64_t ff_run_steps(const ff_run *run);

/* The trajectories that are on their way on this processor, added up: each as the part of the time that it has covered, from 0 to
 * 1. O(threads). */
double ff_run_underway(const ff_run *run);

/* Whether the threads of a device share a trajectory of this run. O(1). */
int ff_run_shares_trajectories(const ff_run *run);

/* The sums over all trajectories of a run that is done and does not keep the states. *out belongs to the run. O(1). */
ff_status ff_run_sums(ff_run *run, ff_sums **out, ff_error *err);

/* The firings of a run that is done: their number, and in the order of trajectories and times the number of the trajectory (from
 * 0 for the run's first one), the time and what has fired. Each array has an element for each firing.
 * O(firings + trajectories). */
uint64_t ff_run_n_firings(const ff_run *run);
ff_status ff_run_firings(const ff_run *run, double *trajectory, double *time, int32_t *what, ff_error *err);

#endif
