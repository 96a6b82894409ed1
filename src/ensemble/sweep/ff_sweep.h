/* Sweeps: ensembles of several points, which differ in their networks' parameters and initial counts, as one run. Threads take
 * work across points, and a device simulates many points in the same launch. Each point has the bits of a run of its own. */
#ifndef FF_SWEEP_H
#define FF_SWEEP_H

#include "../ff_run.h"
#include "../ff_use.h"

/* A point. Everything is borrowed for as long as the sweep. All points have the same counts, variables, times, observed
 * quantities and number of trajectories, and the same kinds of results. Threads are those of the sweep. */
typedef struct {
  const ff_engine *engine; /* the same for all points */
  const void *model;
  ff_run_options options;
} ff_point;

typedef struct ff_sweep ff_sweep;

/* Begins a sweep of n points. The caller frees *out with ff_sweep_free(), which accepts NULL. Memory: O(points), and the
 * runs of the points that have begun and were not dropped. */
ff_status ff_sweep_new(ff_sweep **out, const ff_point *points, uint32_t n, int threads, ff_error *err);
void ff_sweep_free(ff_sweep *sweep);

/* Works for about `seconds`. *done becomes 1 when all points are done or left. An error is that of the first point that fails, as
 * ff_run_new() or ff_run_advance() gives it, or of the last device. A failure is final. */
ff_status ff_sweep_advance(ff_sweep *sweep, double seconds, int *done, ff_error *err);

/* The first point that is known to have failed, or n. O(1). */
uint32_t ff_sweep_failed(const ff_sweep *sweep);

/* The trajectories that are complete, steps, and trajectories that have not begun, of all points so far. O(points). */
uint64_t ff_sweep_complete(const ff_sweep *sweep);
uint64_t ff_sweep_steps(const ff_sweep *sweep);
uint64_t ff_sweep_waiting(const ff_sweep *sweep);

/* The run of a point that is done, until it is dropped; otherwise NULL. It belongs to the sweep. */
ff_run *ff_sweep_run(const ff_sweep *sweep, uint32_t point);
/* Frees the run of a point that is done. */
void ff_sweep_drop(ff_sweep *sweep, uint32_t point);
/* Whether a point is left to the caller: devices cannot simulate it together with others, but perhaps alone. */
int ff_sweep_is_left(const ff_sweep *sweep, uint32_t point);

/* ---- devices ------------------------------------------------------------------------------------------------------------- */

/* FF_EUNSUPPORTED as ff_run_check_devices(), for the first point that no device can simulate. O(points * counts). */
ff_status ff_sweep_check_devices(const ff_sweep *sweep, ff_error *err);

/* Lets devices simulate the points that have not begun when they are ready. May be called once. As ff_run_use(), but points
 * that no device can simulate are left to the caller. */
ff_status ff_sweep_use(ff_sweep *sweep, const ff_fleet_choice *choice, ff_error *err);
/* As ff_run_ready(). It fails only if all devices fail. Once *is is 1, points that have not begun wait for devices. */
ff_status ff_sweep_ready(ff_sweep *sweep, double seconds, int *is, ff_error *err);
/* As ff_run_lost(). */
const char *ff_sweep_lost(const ff_sweep *sweep);

#endif
