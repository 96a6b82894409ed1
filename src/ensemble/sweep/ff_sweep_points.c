/* Sweeps: work on points. A thread takes a point, lets its run go on, and gives the point back. */
#include "ff_sweep_parts.h"

typedef ff_sweep_point point;

uint32_t ff_sweep_failed(const ff_sweep *s) { return s->failed; }

/* If fewer points than threads are left at the end, each of these points has several threads. */
static int threads_of(const ff_sweep *s, uint32_t i) {
  const uint32_t threads = (uint32_t)s->threads, rest = s->n % threads;
  if (s->moved) return s->n < threads ? (int)(threads / s->n) : 1;
  return s->each == 1 && i >= s->n - rest ? (int)(threads / rest) : s->each;
}

static int is_over(const point *p) { return p->stage == FF_POINT_OVER || p->stage == FF_POINT_LEFT; }

/* Whether a thread can go on with a point: its run is on this processor, or the point is back from its device. */
static int can_go_on(const ff_sweep *s, const point *p, const ff_sweep_device *device) {
  if (p->busy) return 0;
  if (p->stage != FF_POINT_BACK) return device == NULL && p->stage == FF_POINT_BEGUN;
  return (device == NULL || p->device == device->number) && !atomic_load(&s->devices[p->device].failed);
}

/* The first point with which a thread can go on, or NULL. *begun becomes the number of points before it that have runs here. */
static point *pick_begun(ff_sweep *s, const ff_sweep_device *device, uint32_t *begun) {
  const uint32_t end = ff_sweep_failed(s);
  *begun = 0;
  for (uint32_t i = s->over; i < end; i++) {
    point *p = s->points + i;
    if (!s->moved && p->stage == FF_POINT_WAITS) break; /* on this processor, points begin in their order */
    if (can_go_on(s, p, device)) return p;
    *begun += p->stage == FF_POINT_BEGUN;
  }
  return NULL;
}

/* The first point that nobody has begun, or NULL. */
static point *pick_waiting(ff_sweep *s) {
  const uint32_t end = ff_sweep_failed(s);
  for (uint32_t i = s->over; i < end; i++)
    if (s->points[i].stage == FF_POINT_WAITS) return s->points + i;
  return NULL;
}

/* Takes the first point that somebody has begun, or else a new one. Those after a failed one do not matter. */
static point *pick(ff_sweep *s, const ff_sweep_device *device) {
  uint32_t begun;
  pthread_mutex_lock(&s->lock);
  while (s->over < ff_sweep_failed(s) && is_over(s->points + s->over)) s->over++;
  point *found = pick_begun(s, device, &begun);
  if (found == NULL && device == NULL && !s->moved && begun < (uint32_t)s->side) {
    found = pick_waiting(s);
    if (found != NULL) found->stage = FF_POINT_BEGUN;
  }
  if (found != NULL) found->busy = 1;
  pthread_mutex_unlock(&s->lock);
  return found;
}

static ff_status begin(ff_sweep *s, point *p, ff_error *err) {
  ff_run_options options = p->given.options;
  options.threads = threads_of(s, (uint32_t)(p - s->points));
  ff_status status = ff_run_new(&p->run, p->given.engine, p->given.model, &options, err);
  return status == FF_OK && p->stage == FF_POINT_BACK ? ff_sweep_join(s, p, err) : status;
}

static int is_off_devices(const ff_run *run) {
  const ff_waves *w = run->waves;
  return w == NULL || (w->n_left == 0 && w->waves[0].stage == FF_WAVE_NONE);
}

void ff_sweep_fail(ff_sweep *s, point *p, ff_status status, const ff_error *err) {
  const uint32_t i = (uint32_t)(p - s->points);
  p->status = status;
  p->err = *err;
  p->stage = FF_POINT_OVER;
  if (i < s->failed) s->failed = i;
}

/* What follows from a step of a point. */
static void settle_point(ff_sweep *s, point *p, ff_status status, const ff_error *err, int done) {
  const int back = p->stage == FF_POINT_BACK;
  p->busy = 0;
  /* after a failure of its device, ff_sweep_settle() lets it wait again */
  if (back && status != FF_OK && atomic_load(&s->devices[p->device].failed)) return;
  if (back && status == FF_EUNSUPPORTED) {
    p->stage = FF_POINT_LEFT;
    ff_run_free(p->run);
    p->run = NULL;
  } else if (status != FF_OK) {
    ff_sweep_fail(s, p, status, err);
  } else if (done) {
    p->stage = FF_POINT_OVER;
  } else if (back && is_off_devices(p->run)) {
    p->stage = FF_POINT_BEGUN;
  }
}

static void work_on(ff_sweep *s, point *p) {
  const double left = s->deadline - ff_clock();
  ff_error err;
  int done = 0;
  ff_status status = p->run == NULL ? begin(s, p, &err) : FF_OK;
  if (status == FF_OK) status = ff_run_advance(p->run, left > 0 ? left : 0, &done, &err);
  pthread_mutex_lock(&s->lock);
  settle_point(s, p, status, &err, done);
  pthread_mutex_unlock(&s->lock);
}

void ff_sweep_work(ff_sweep *s, const ff_sweep_device *device) {
  do {
    if (device != NULL && atomic_load(&device->failed)) return;
    point *p = pick(s, device);
    if (p == NULL) return;
    work_on(s, p);
  } while (ff_clock() < s->deadline);
}
