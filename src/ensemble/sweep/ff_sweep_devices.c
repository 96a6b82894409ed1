/* Sweeps: devices that simulate many points in the same launch. Each device has an ensemble of the points that wait, or of those
 * of them that a kernel can run together. When a wave has ended, the run of each of its points records its part of the wave. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ff_sweep_parts.h"

#define LEAST_SECONDS 0.002 /* as for a run on devices */
#define MOST_SINGLES 8      /* ensembles of one point; after so many, points are too different, and the caller gets the others */

typedef ff_sweep_device sweep_device;
typedef ff_sweep_point point;

/* ---- ensembles ---------------------------------------------------------------------------------------------------------- */

/* Whether an ensemble may have both points. */
static int are_alike(const ff_run_options *a, const ff_run_options *b) {
  return a->method == b->method && (a->until == NULL) == (b->until == NULL);
}

/* Chooses points for the next ensemble of a device: its share of those that wait and may share an ensemble with the first one. */
static uint32_t claim(sweep_device *d) {
  ff_sweep *s = d->sweep;
  uint32_t n = 0;
  pthread_mutex_lock(&s->lock);
  const uint32_t end = ff_sweep_failed(s), most = (s->n + s->at_work - 1) / s->at_work;
  for (uint32_t i = 0; i < end && n < most; i++) {
    point *p = s->points + i;
    if (p->stage != FF_POINT_WAITS || p->alone || p->device != FF_NO_DEVICE) continue;
    if (n > 0 && !are_alike(&p->given.options, &s->points[d->members[0]].given.options)) continue;
    p->device = d->number;
    d->members[n++] = i;
  }
  pthread_mutex_unlock(&s->lock);
  return n;
}

/* Keeps the points that joined the ensemble. The others wait for another one, unless they are to be simulated `alone`. */
static void keep_members(sweep_device *d, const uint8_t *joins, int alone) {
  ff_sweep *s = d->sweep;
  const uint32_t n = d->n_members;
  d->n_members = 0;
  pthread_mutex_lock(&s->lock);
  for (uint32_t i = 0; i < n; i++) {
    point *p = s->points + d->members[i];
    if (joins != NULL && joins[i]) {
      d->members[d->n_members++] = d->members[i];
      continue;
    }
    p->device = FF_NO_DEVICE;
    p->alone |= alone;
  }
  pthread_mutex_unlock(&s->lock);
}

static void free_points(sweep_device *d) {
  const ff_engine *engine = d->process.engine;
  if (engine != NULL && engine->close != NULL) engine->close(&d->process);
  memset(&d->process, 0, sizeof d->process);
  free(d->points);
  free(d->joins);
  d->points = NULL;
  d->joins = NULL;
}

static void drop_ensemble(sweep_device *d, int alone) {
  keep_members(d, NULL, alone);
  free_points(d);
  d->sweep->calls->common.destroy(d->on->ensemble);
  d->on->ensemble = NULL;
  d->n_members = 0;
  d->stage = FF_SWEEP_NONE;
}

/* One after the other, because the driver does not create them in parallel. */
static ff_status create(sweep_device *d, ff_error *err) {
  ff_sweep *s = d->sweep;
  const ff_point *first = &s->points[d->members[0]].given;
  const uint32_t n = d->n_members;
  const ff_fleet_choice *choice = &s->fleet.choice;
  const ff_ensemble_options options = {.device = choice->devices[d->number], .kernel = choice->kernel,
                                       .units = n * first->options.n, .cache = choice->cache};
  ff_device_request request = {.method = first->options.method, .initial = d->points[0].initial,
                                         .times = first->options.times, .n_times = first->options.n_times,
                                         .observed = s->counts, .n_observed = s->n_counts, .points = d->points,
                                         .n_points = n, .n_each = first->options.n, .joins = d->joins,
                                         .until = first->options.until, .max_values = s->max_values,
                                         .product_bytes = s->product_bytes, .reals = s->reals,
                                         .tallies = s->tallies};
  if (first->engine->request != NULL) first->engine->request(&d->process, &request);
  pthread_mutex_lock(&s->creating);
  ff_status status = s->calls->create(&d->on->ensemble, first->model, &request, &options, err);
  pthread_mutex_unlock(&s->creating);
  return status;
}

/* Gives the points of an ensemble up that cannot be made. */
static void give_up(sweep_device *d, ff_status status, const ff_error *err) {
  keep_members(d, NULL, status == FF_EUNSUPPORTED);
  free_points(d);
  if (status == FF_EUNSUPPORTED) d->stage = FF_SWEEP_NONE;
  else ff_sweep_note(d, status, err);
}

/* Begins with the next ensemble. */
static void make(sweep_device *d) {
  ff_sweep *s = d->sweep;
  const uint32_t n = d->n_members = claim(d);
  d->first = d->n = 0;
  d->stage = n == 0 ? FF_SWEEP_IDLE : FF_SWEEP_STARTS;
  if (n == 0) return;
  d->points = ff_calloc(n, sizeof *d->points);
  d->joins = ff_calloc(n, 1);
  ff_error err;
  if (d->points == NULL || d->joins == NULL) {
    give_up(d, ff_error_set(&err, FF_EMEMORY, "no memory for %u points", n), &err);
    return;
  }
  for (uint32_t i = 0; i < n; i++) {
    const ff_point *p = &s->points[d->members[i]].given;
    d->points[i] = (ff_device_point){
        .model = p->model, .initial = p->options.initial != NULL ? p->options.initial : p->engine->initial(p->model),
        .key = p->options.key, .until = p->options.until};
  }
  point *first = s->points + d->members[0];
  d->process = (ff_process){.engine = first->given.engine, .model = first->given.model};
  ff_status status = first->given.engine->open(&d->process, &first->given.options, &err);
  if (status == FF_OK) return;
  keep_members(d, NULL, 0);
  free_points(d);
  pthread_mutex_lock(&s->lock);
  ff_sweep_fail(s, first, status, &err);
  pthread_mutex_unlock(&s->lock);
  d->stage = FF_SWEEP_NONE;
}

/* Makes what devices need to know of the first point, until the deadline, and then the ensemble. */
static void prepare(sweep_device *d) {
  const ff_engine *engine = d->process.engine;
  ff_run_options options = d->sweep->points[d->members[0]].given.options;
  int is = 1;
  ff_error err;
  ff_status status = FF_OK;
  options.initial = d->points[0].initial;
  if (engine->prepare != NULL) status = engine->prepare(&d->process, &options, d->sweep->deadline, &is, &err);
  if (status == FF_OK && is) status = create(d, &err);
  if (status != FF_OK) give_up(d, status, &err);
}

/* The ensemble is ready, and tells which points it has. */
static void take_ensemble(sweep_device *d) {
  d->info = d->sweep->calls->common.info(d->on->ensemble);
  d->stage = FF_SWEEP_READY;
  keep_members(d, d->joins, 0);
  free_points(d);
  if (d->n_members < 2) atomic_fetch_add(&d->sweep->singles, 1);
  if (d->info.capacity < d->sweep->points[d->members[0]].given.options.n) drop_ensemble(d, 1);
}

static void wait_for_ensemble(sweep_device *d) {
  const double left = d->sweep->deadline - ff_clock();
  int is = 0;
  ff_error err;
  ff_status status = d->sweep->calls->common.ready(d->on->ensemble, left > 0 ? left : 0, &is, &err);
  if (status == FF_EUNSUPPORTED) {
    drop_ensemble(d, 1);
  } else if (status != FF_OK) {
    ff_sweep_note(d, status, &err);
  } else if (is) {
    take_ensemble(d);
  }
}

/* ---- waves -------------------------------------------------------------------------------------------------------------- */

/* The next members that nobody has begun, as many as fit. */
static void choose_wave(sweep_device *d) {
  ff_sweep *s = d->sweep;
  const uint64_t each = s->points[d->members[0]].given.options.n;
  d->first += d->n;
  d->n = 0;
  pthread_mutex_lock(&s->lock);
  const uint32_t end = ff_sweep_failed(s);
  while (d->first < d->n_members && s->points[d->members[d->first]].stage != FF_POINT_WAITS) d->first++;
  for (uint32_t i = d->first; i < d->n_members && (d->n + 1) * each <= d->info.capacity && d->members[i] < end; i++, d->n++) {
    point *p = s->points + d->members[i];
    if (p->stage != FF_POINT_WAITS) break;
    p->stage = FF_POINT_WAVE;
    p->at = d->n * each;
  }
  pthread_mutex_unlock(&s->lock);
  d->begun = 0;
  d->progress = (ff_device_progress){0};
  d->stage = FF_SWEEP_RUNS;
  if (d->n == 0) drop_ensemble(d, 0);
}

/* Lets the points of a wave record it. */
static void end_wave(sweep_device *d) {
  ff_sweep *s = d->sweep;
  ff_error err;
  ff_status status = ff_wave_list_refused(s->calls, &d->wave);
  if (status != FF_OK) {
    ff_sweep_note(d, status, &d->on->err);
    return;
  }
  status = s->calls->steps(d->on->ensemble, d->steps, &err);
  if (status != FF_OK) {
    ff_sweep_note(d, status, &err);
    return;
  }
  d->info = s->calls->common.info(d->on->ensemble);
  pthread_mutex_lock(&s->lock);
  for (uint32_t i = 0; i < d->n; i++) {
    s->points[d->members[d->first + i]].steps = d->steps[i];
    s->points[d->members[d->first + i]].stage = FF_POINT_BACK;
  }
  d->stage = FF_SWEEP_ENDED;
  pthread_mutex_unlock(&s->lock);
}

static void run_wave(sweep_device *d) {
  ff_sweep *s = d->sweep;
  const uint64_t each = s->points[d->members[0]].given.options.n;
  const double left = s->deadline - ff_clock();
  ff_error err;
  ff_status status = FF_OK;
  d->wave.on = d->on;
  if (!d->begun) status = s->calls->common.start(d->on->ensemble, 0, d->first * each, d->n * each, &err);
  d->begun = 1;
  if (status == FF_OK)
    status = s->calls->advance(d->on->ensemble, left > LEAST_SECONDS ? left : LEAST_SECONDS, &d->progress, &err);
  if (status != FF_OK) ff_sweep_note(d, status, &err);
  else if (d->progress.done) end_wave(d);
}

/* Helps to record a wave. It goes on with the next one when all is recorded. */
static void record_wave(sweep_device *d) {
  ff_sweep *s = d->sweep;
  uint32_t left = 0;
  ff_sweep_work(s, d);
  pthread_mutex_lock(&s->lock);
  const uint32_t end = ff_sweep_failed(s);
  for (uint32_t i = 0; i < d->n; i++) {
    const point *p = s->points + d->members[d->first + i]; /* one behind a failed point may still read the ensemble */
    left += p->stage == FF_POINT_BACK && (p->busy || d->members[d->first + i] < end);
  }
  pthread_mutex_unlock(&s->lock);
  if (left == 0) d->stage = FF_SWEEP_READY;
  else nanosleep(&(struct timespec){0, 100000}, NULL); /* other threads have the last ones */
}

static void go_on(sweep_device *d) {
  switch (d->stage) {
    case FF_SWEEP_NONE: make(d); break;
    case FF_SWEEP_STARTS: d->on->ensemble != NULL ? wait_for_ensemble(d) : prepare(d); break;
    case FF_SWEEP_READY: choose_wave(d); break;
    case FF_SWEEP_RUNS: run_wave(d); break;
    case FF_SWEEP_ENDED: record_wave(d); break;
    case FF_SWEEP_IDLE:
    case FF_SWEEP_LOST: break;
  }
}

void ff_sweep_drive(sweep_device *d) {
  do {
    if (atomic_load(&d->failed) || d->stage >= FF_SWEEP_IDLE) return;
    if (d->stage == FF_SWEEP_NONE && atomic_load(&d->sweep->singles) >= MOST_SINGLES) d->stage = FF_SWEEP_IDLE;
    go_on(d);
  } while (ff_clock() < d->sweep->deadline);
}

/* ---- the choice of devices ------------------------------------------------------------------------------------------------ */

void ff_sweep_free_devices(ff_sweep *s) {
  for (uint32_t i = 0; s->devices != NULL && i < s->fleet.n; i++) {
    sweep_device *d = s->devices + i;
    pthread_mutex_destroy(&d->lock);
    free_points(d);
    free(d->members);
    free(d->steps);
    free(d->wave.refused);
  }
  free(s->devices);
  free(s->counts);
  ff_fleet_clear(&s->fleet);
  s->devices = NULL;
  s->counts = NULL;
}

/* Whether devices can simulate a point. If its options are wrong, *opens is 0, and its own run tells why. */
static ff_status check(const ff_point *p, int *opens, ff_error *err) {
  ff_process process = {.engine = p->engine, .model = p->model};
  ff_error why;
  *opens = p->engine->open(&process, &p->options, &why) == FF_OK;
  const ff_status status = *opens ? ff_process_check_devices(&process, &p->options, err) : FF_OK;
  if (p->engine->close != NULL) p->engine->close(&process);
  return status;
}

ff_status ff_sweep_check_devices(const ff_sweep *s, ff_error *err) {
  ff_status status = FF_OK;
  int opens;
  for (uint32_t i = 0; i < s->n && status == FF_OK; i++) status = check(&s->points[i].given, &opens, err);
  return status;
}

/* What the run of a point wants from its device: counts, and not too large histograms. */
static ff_status choose_record(ff_sweep *s, const ff_point *given, ff_error *err) {
  ff_waves waves = {.n_counts = 0};
  ff_run *run;
  ff_run_options options = given->options;
  options.threads = 1;
  ff_status status = ff_run_new(&run, given->engine, given->model, &options, err);
  if (status != FF_OK) return status;
  status = ff_waves_choose_counts(&waves, run, err);
  s->counts = waves.counts;
  s->n_counts = waves.n_counts;
  s->reals = waves.reals;
  s->tallies = waves.tallies;
  s->max_values = ff_most_entries(&run->wanted);
  s->product_bytes = waves.tallies ? run->wanted.product_bytes : 0;
  ff_run_free(run);
  return status;
}

static ff_status fill(ff_sweep *s, const ff_fleet_choice *choice, ff_error *err) {
  int missing = 0;
  s->calls = (const ff_device_calls *)choice->calls;
  ff_status status = ff_fleet_fill(&s->fleet, choice, err);
  if (status != FF_OK) return status;
  s->devices = ff_calloc(s->fleet.n, sizeof *s->devices);
  for (uint32_t i = 0; s->devices != NULL && i < s->fleet.n; i++) {
    sweep_device *d = s->devices + i;
    *d = (sweep_device){.sweep = s, .number = i, .on = &s->fleet.device[i]};
    d->members = ff_calloc(s->n, sizeof *d->members);
    d->steps = ff_calloc(s->n, sizeof *d->steps);
    pthread_mutex_init(&d->lock, NULL);
    missing |= d->members == NULL || d->steps == NULL;
  }
  s->at_work = s->fleet.n;
  if (s->devices != NULL && !missing) return FF_OK;
  return ff_error_set(err, FF_EMEMORY, "no memory for a sweep of %u points on devices", s->n);
}

/* Whether points with such options share an ensemble. One of several points has neither starts nor lists of firings, and its
 * trajectories are those from number 0 on, from time 0 on. */
static int can_share(const ff_point *p) {
  const ff_run_options *o = &p->options;
  const int plain = o->starts == NULL && o->max_firings == 0 && o->start == 0 && o->first == 0;
  return plain && p->engine->shares != NULL && p->engine->shares(o);
}

ff_status ff_sweep_use(ff_sweep *s, const ff_fleet_choice *choice, ff_error *err) {
  const ff_point *first = NULL;
  ff_error why;
  int opens;
  if (s->fleet.n > 0 || s->moved || choice->n_devices == 0)
    return ff_error_set(err, FF_EARGUMENT, "a sweep needs a device, and can be moved to devices only once");
  for (uint32_t i = s->n; i-- > 0;) {
    point *p = s->points + i;
    p->alone = !can_share(&p->given) || check(&p->given, &opens, &why) != FF_OK || !opens;
    if (!p->alone) first = &p->given;
  }
  ff_status status = first != NULL ? choose_record(s, first, err) : FF_OK;
  if (status == FF_OK) status = fill(s, choice, err);
  if (status != FF_OK) ff_sweep_free_devices(s);
  return status;
}

static void begin(void *context, int index) {
  ff_sweep *s = context;
  sweep_device *d = s->devices + index;
  while (!atomic_load(&d->failed) && (d->stage == FF_SWEEP_NONE || d->stage == FF_SWEEP_STARTS)) {
    if (atomic_load(&s->singles) >= MOST_SINGLES && d->stage == FF_SWEEP_NONE) d->stage = FF_SWEEP_IDLE;
    go_on(d);
    if (d->stage == FF_SWEEP_STARTS && ff_clock() > s->deadline) return;
  }
}

ff_status ff_sweep_ready(ff_sweep *s, double seconds, int *is, ff_error *err) {
  *is = s->moved;
  if (s->fleet.n == 0) return ff_error_set(err, FF_EARGUMENT, "a sweep without devices does not wait for any");
  if (s->moved) return FF_OK;
  s->deadline = ff_clock() + seconds;
  ff_parallel((int)s->fleet.n, begin, s);
  ff_status status = ff_sweep_settle(s, err);
  if (status != FF_OK) { /* the sweep goes on without devices */
    ff_sweep_free_devices(s);
    return status;
  }
  *is = 1;
  for (uint32_t i = 0; i < s->fleet.n; i++) *is &= s->devices[i].stage > FF_SWEEP_STARTS;
  s->moved = *is;
  return FF_OK;
}

/* ---- devices that fail -------------------------------------------------------------------------------------------------- */

static void lose(ff_sweep *s, sweep_device *d) {
  ff_fleet_drop(&s->fleet, d->number);
  for (uint32_t i = 0; i < s->n; i++) {
    point *p = s->points + i;
    if (p->device != d->number) continue;
    if (p->stage == FF_POINT_WAVE || p->stage == FF_POINT_BACK) {
      ff_run_free(p->run);
      p->run = NULL;
      p->stage = FF_POINT_WAITS;
    }
    if (p->stage == FF_POINT_WAITS) p->device = FF_NO_DEVICE;
  }
  d->n_members = 0;
  d->stage = FF_SWEEP_LOST;
  if (s->at_work > 1) s->at_work--;
  for (uint32_t i = 0; i < s->fleet.n; i++)
    if (s->devices[i].stage == FF_SWEEP_IDLE) s->devices[i].stage = FF_SWEEP_NONE;
}

ff_status ff_sweep_settle(ff_sweep *s, ff_error *err) {
  uint32_t at_work = 0;
  for (uint32_t i = ff_fleet_failed(&s->fleet); i < s->fleet.n; i = ff_fleet_failed(&s->fleet)) lose(s, s->devices + i);
  for (uint32_t i = 0; i < s->fleet.n; i++) at_work += s->devices[i].stage < FF_SWEEP_IDLE;
  ff_status status = ff_fleet_check(&s->fleet, err);
  if (status != FF_OK) return status;
  for (uint32_t i = 0; i < s->n && s->moved && at_work == 0; i++)
    if (s->points[i].stage == FF_POINT_WAITS) s->points[i].stage = FF_POINT_LEFT;
  return FF_OK;
}
