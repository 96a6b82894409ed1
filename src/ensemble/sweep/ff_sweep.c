/* Sweeps: making and freeing, work for a limited time, and results. */
#include <stdlib.h>
#include <string.h>

#include "ff_sweep_parts.h"

/* The fewest trajectories for each thread with which all threads work on one point at a time: then the lanes of their engines are
 * full, and no thread is idle for long. With fewer, each point has one thread. */
#define MANY_EACH 64

typedef ff_sweep_point point;

/* ---- making and freeing ------------------------------------------------------------------------------------------------- */

ff_status ff_sweep_new(ff_sweep **out, const ff_point *points, uint32_t n, int threads, ff_error *err) {
  *out = NULL;
  if (n == 0 || threads < 1) return ff_error_set(err, FF_EARGUMENT, "a sweep needs a point and a thread");
  ff_sweep *s = ff_calloc(1, sizeof *s);
  if (s != NULL) s->points = ff_calloc(n, sizeof *s->points);
  if (s == NULL || s->points == NULL) {
    free(s);
    return ff_error_set(err, FF_EMEMORY, "no memory for a sweep of %u points", n);
  }
  for (uint32_t i = 0; i < n; i++) s->points[i] = (point){.given = points[i], .device = FF_NO_DEVICE};
  const int many = points[0].options.n / (uint64_t)threads >= MANY_EACH, few = n < (uint32_t)threads;
  s->n = s->failed = n;
  s->threads = threads;
  s->each = many ? threads : few ? threads / (int)n : 1;
  s->side = threads / s->each;
  pthread_mutex_init(&s->lock, NULL);
  pthread_mutex_init(&s->creating, NULL);
  *out = s;
  return FF_OK;
}

void ff_sweep_free(ff_sweep *s) {
  if (s == NULL) return;
  for (uint32_t i = 0; i < s->n; i++) ff_run_free(s->points[i].run);
  ff_sweep_free_devices(s);
  pthread_mutex_destroy(&s->lock);
  pthread_mutex_destroy(&s->creating);
  free(s->points);
  free(s);
}

/* ---- work --------------------------------------------------------------------------------------------------------------- */

static void work(void *context, int index) {
  ff_sweep *s = context;
  const int devices = s->moved ? (int)s->fleet.n : 0;
  if (index < devices)
    ff_sweep_drive(s->devices + index);
  else
    ff_sweep_work(s, NULL);
}

static int is_over(const ff_sweep *s) {
  const uint32_t end = ff_sweep_failed(s);
  for (uint32_t i = s->over; i < end; i++)
    if (s->points[i].stage != FF_POINT_OVER && s->points[i].stage != FF_POINT_LEFT) return 0;
  return 1;
}

ff_status ff_sweep_advance(ff_sweep *s, double seconds, int *done, ff_error *err) {
  s->deadline = ff_clock() + seconds;
  do {
    ff_parallel(s->moved ? (int)s->fleet.n + s->threads : s->side, work, s);
    ff_status status = ff_sweep_settle(s, err);
    *done = status != FF_OK || is_over(s);
    if (status != FF_OK) return status;
  } while (!*done && ff_clock() < s->deadline);
  const uint32_t failed = ff_sweep_failed(s);
  if (!*done || failed == s->n) return FF_OK;
  return ff_error_set(err, s->points[failed].status, "%s", s->points[failed].err.text);
}

/* ---- results ------------------------------------------------------------------------------------------------------------ */

uint64_t ff_sweep_complete(const ff_sweep *s) {
  uint64_t n = s->complete;
  for (uint32_t i = 0; i < s->n; i++)
    n += s->points[i].run != NULL ? ff_run_complete(s->points[i].run)
                                  : s->points[i].stage == FF_POINT_BACK ? s->points[i].given.options.n : 0;
  for (uint32_t i = 0; i < s->fleet.n; i++)
    n += s->devices[i].stage == FF_SWEEP_RUNS ? s->devices[i].progress.complete : 0;
  return n;
}

uint64_t ff_sweep_steps(const ff_sweep *s) {
  uint64_t n = s->steps;
  for (uint32_t i = 0; i < s->n; i++)
    n += s->points[i].run != NULL ? ff_run_steps(s->points[i].run)
                                  : s->points[i].stage == FF_POINT_BACK ? s->points[i].steps : 0;
  for (uint32_t i = 0; i < s->fleet.n; i++)
    n += s->devices[i].stage == FF_SWEEP_RUNS ? s->devices[i].progress.steps : 0;
  return n;
}

uint64_t ff_sweep_waiting(const ff_sweep *s) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < s->n; i++) {
    const point *p = s->points + i;
    n += p->stage == FF_POINT_WAITS ? p->given.options.n : p->run != NULL ? ff_run_waiting(p->run) : 0;
  }
  return n;
}

ff_run *ff_sweep_run(const ff_sweep *s, uint32_t i) {
  const point *p = s->points + i;
  return p->stage == FF_POINT_OVER && p->status == FF_OK ? p->run : NULL;
}

void ff_sweep_drop(ff_sweep *s, uint32_t i) {
  ff_run *run = ff_sweep_run(s, i);
  if (run == NULL) return;
  s->complete += ff_run_complete(run);
  s->steps += ff_run_steps(run);
  ff_run_free(run);
  s->points[i].run = NULL;
}

int ff_sweep_is_left(const ff_sweep *s, uint32_t i) { return s->points[i].stage == FF_POINT_LEFT; }

const char *ff_sweep_lost(const ff_sweep *s) { return s->fleet.lost[0] != '\0' ? s->fleet.lost : NULL; }
