/* Sweeps: ensembles of several points, which differ in their networks' parameters and initial counts, as one run. Threads take
 * work across points, and a device simulates many points in the same launch. Each point has the bits of a run of its own. */
#ifndef FF_SSA_SWEEP_H
#define FF_SSA_SWEEP_H

#include "../run/ff_ssa_run.h"
#include "../run/ff_ssa_use.h"

/* A point. Everything is borrowed for as long as the sweep. All points have the same species, variables, times, observed
 * quantities and number of trajectories, and the same kinds of results. Threads are those of the sweep. */
typedef struct {
  const ff_ssa_program *program;
  ff_ssa_options options;
} ff_ssa_point;

typedef struct ff_ssa_sweep ff_ssa_sweep;

/* Begins a sweep of n points. The caller frees *out with ff_ssa_sweep_free(), which accepts NULL. Memory: O(points), and the
 * runs of the points that have begun and were not dropped. */
ff_status ff_ssa_sweep_new(ff_ssa_sweep **out, const ff_ssa_point *points, uint32_t n, int threads, ff_error *err);
void ff_ssa_sweep_free(ff_ssa_sweep *sweep);

/* Works for about `seconds`. *done becomes 1 when all points are done or left. An error is that of the first point that fails, as
 * ff_ssa_run_new() or ff_ssa_run_advance() gives it, or of the last device. A failure is final. */
ff_status ff_ssa_sweep_advance(ff_ssa_sweep *sweep, double seconds, int *done, ff_error *err);

/* The first point that is known to have failed, or n. O(1). */
uint32_t ff_ssa_sweep_failed(const ff_ssa_sweep *sweep);

/* The trajectories that are complete, events, and trajectories that have not begun, of all points so far. O(points). */
uint64_t ff_ssa_sweep_complete(const ff_ssa_sweep *sweep);
uint64_t ff_ssa_sweep_events(const ff_ssa_sweep *sweep);
uint64_t ff_ssa_sweep_waiting(const ff_ssa_sweep *sweep);

/* The run of a point that is done, until it is dropped; otherwise NULL. It belongs to the sweep. */
ff_ssa_run *ff_ssa_sweep_run(const ff_ssa_sweep *sweep, uint32_t point);
/* Frees the run of a point that is done. */
void ff_ssa_sweep_drop(ff_ssa_sweep *sweep, uint32_t point);
/* Whether a point is left to the caller: devices cannot simulate it together with others, but perhaps alone. */
int ff_ssa_sweep_is_left(const ff_ssa_sweep *sweep, uint32_t point);

/* ---- devices ------------------------------------------------------------------------------------------------------------- */

/* FF_EUNSUPPORTED as ff_ssa_run_check_devices(), for the first point that no device can simulate. O(points * species). */
ff_status ff_ssa_sweep_check_devices(const ff_ssa_sweep *sweep, ff_error *err);

/* Lets devices simulate the points that have not begun when they are ready. May be called once. As ff_ssa_run_use(), but points
 * that no device can simulate are left to the caller. */
ff_status ff_ssa_sweep_use(ff_ssa_sweep *sweep, const ff_ssa_choice *choice, ff_error *err);
/* As ff_ssa_run_ready(). It fails only if all devices fail. Once *is is 1, points that have not begun wait for devices. */
ff_status ff_ssa_sweep_ready(ff_ssa_sweep *sweep, double seconds, int *is, ff_error *err);
/* As ff_ssa_run_lost(). */
const char *ff_ssa_sweep_lost(const ff_ssa_sweep *sweep);

#endif
