/* A device that pretends: it simulates an engine's trajectories on this processor, and refuses some of them. */
#ifndef FF_TESTS_TOY_DEVICE_H
#define FF_TESTS_TOY_DEVICE_H

#include "../../src/ensemble/ff_use.h"
#include "toy_engine.h"

#define TOY_CAPACITY 100u

/* Behind an ff_ensemble *, whose struct another fake may define. */
typedef struct {
  const void *model;
  ff_device_request request; /* its arrays of times and counts are owned */
  uint32_t device;
  ff_device_point points[8]; /* that have joined; the first one is the model if there are no others. `initial` is owned */
  uint64_t key, first, units, capacity, steps, steps_of[8];
  double *count, *stopped; /* count[(j * capacity + k) * n_times + i]: count j of trajectory k at time i */
  uint8_t *fails;          /* for each trajectory: 1 if it failed, and so is refused */
} toy_ensemble;

static struct {
  _Atomic uint32_t made, freed, waves; /* devices work at the same time */
  _Atomic uint32_t copies;             /* calls of states() */
  _Atomic uint32_t warps, reals;       /* as the last request had it */
  uint32_t fails;          /* a bit for each device whose first wave fails */
  const ff_engine *engine; /* whose models these devices simulate; NULL: the toy engine */
  uint32_t n_counts;       /* of these models; 0: those of the toy engine */
  uint64_t capacity;       /* trajectories of a wave; 0: TOY_CAPACITY */
  uint64_t refuses;        /* of so many trajectories, one is refused; 0: of 5 */
} toy_devices;

static toy_ensemble *toy_of(const ff_ensemble *ensemble) { return (toy_ensemble *)ensemble; }

static const ff_engine *toy_simulates(void) { return toy_devices.engine != NULL ? toy_devices.engine : &toy_engine; }

static size_t toy_n_counts(void) { return toy_devices.n_counts > 0 ? toy_devices.n_counts : TOY_COUNTS; }

static int toy_refuses(const toy_ensemble *e, uint64_t unit) {
  const uint64_t each = toy_devices.refuses > 0 ? toy_devices.refuses : 5;
  return e->fails[unit] || (e->first + unit) % each == 3 % each;
}

static void toy_destroy(ff_ensemble *ensemble) {
  toy_ensemble *e = toy_of(ensemble);
  if (e == NULL) return;
  for (int i = 0; i < 8; i++) free((double *)e->points[i].initial);
  free((double *)e->request.times);
  free((uint32_t *)e->request.observed);
  free(e->count);
  free(e->stopped);
  free(e->fails);
  free(e);
  toy_devices.freed++;
}

static void *toy_copy(const void *from, size_t bytes) {
  void *out = malloc(bytes + 1);
  return memcpy(out, from, bytes);
}

static ff_status toy_create(ff_ensemble **out, const void *model, const ff_device_request *request,
                            const ff_ensemble_options *options, ff_error *err) {
  toy_ensemble *e = calloc(1, sizeof *e);
  const size_t bytes = toy_n_counts() * sizeof(double);
  (void)err;
  *e = (toy_ensemble){.model = model, .request = *request, .device = options->device};
  e->capacity = toy_devices.capacity > 0 ? toy_devices.capacity : TOY_CAPACITY;
  e->request.times = toy_copy(request->times, request->n_times * sizeof *request->times);
  e->request.observed = toy_copy(request->observed, request->n_observed * sizeof *request->observed);
  if (request->n_points == 0) e->points[0] = (ff_device_point){.model = model, .initial = toy_copy(request->initial, bytes)};
  for (uint32_t i = 0; i < request->n_points; i++) {
    e->points[i] = request->points[i];
    e->points[i].initial = toy_copy(request->points[i].initial, bytes);
    request->joins[i] = 1;
  }
  e->count = calloc(request->n_observed * e->capacity * request->n_times, sizeof *e->count);
  e->stopped = calloc(e->capacity, sizeof *e->stopped);
  e->fails = calloc(e->capacity, 1);
  toy_devices.made++;
  toy_devices.warps = request->warps;
  toy_devices.reals = request->reals != 0;
  *out = (ff_ensemble *)e;
  return FF_OK;
}

static ff_status toy_ready(ff_ensemble *ensemble, double seconds, int *is, ff_error *err) {
  (void)ensemble, (void)seconds, (void)err;
  *is = 1;
  return FF_OK;
}

static ff_ensemble_info toy_info(const ff_ensemble *ensemble) {
  return (ff_ensemble_info){.kernel = "toy", .capacity = toy_of(ensemble)->capacity, .bytes = 1};
}

static ff_status toy_begin(ff_ensemble *ensemble, uint64_t key, uint64_t first, uint64_t units, ff_error *err) {
  toy_ensemble *e = toy_of(ensemble);
  if (units > e->capacity) return ff_error_set(err, FF_EINTERNAL, "a wave of the wrong size");
  if (toy_devices.fails >> e->device & 1) return ff_error_set(err, FF_EBACKEND, "the device is on fire");
  e->key = key;
  e->first = first;
  e->units = units;
  e->steps = 0;
  memset(e->fails, 0, e->capacity);
  toy_devices.waves++;
  return FF_OK;
}

/* Simulates trajectory k of the wave, which is trajectory `number` of a model. It is refused if it fails, but for a lack of
 * memory. */
static ff_status toy_trajectory(toy_ensemble *e, const ff_device_point *p, uint64_t key, uint64_t number, uint64_t k,
                                ff_error *err) {
  const ff_device_request *r = &e->request;
  double **states = calloc(r->n_observed, sizeof *states);
  ff_run *run = NULL;
  int done = 0;
  for (uint32_t j = 0; j < r->n_observed; j++) states[j] = e->count + (j * e->capacity + k) * r->n_times;
  const double *starts = r->starts != NULL ? r->starts + (number - r->first_start) * toy_n_counts() : NULL;
  const ff_run_options options = {.method = r->method, .key = key, .first = number, .n = 1, .initial = p->initial,
                                  .times = r->times, .n_times = r->n_times, .observed = r->observed, .n_observed = r->n_observed,
                                  .states = states, .threads = 1, .until = p->until, .stopped = e->stopped + k,
                                  .starts = starts};
  ff_status status = ff_run_new(&run, toy_simulates(), p->model, &options, err);
  while (status == FF_OK && !done) status = ff_run_advance(run, 1, &done, err);
  e->fails[k] = status != FF_OK && status != FF_EMEMORY;
  if (status == FF_OK && !toy_refuses(e, k)) e->steps += ff_run_steps(run);
  ff_run_free(run);
  free(states);
  return status == FF_EMEMORY ? status : FF_OK;
}

static ff_status toy_go_on(ff_ensemble *ensemble, double seconds, ff_device_progress *progress, ff_error *err) {
  toy_ensemble *e = toy_of(ensemble);
  const int several = e->request.n_points > 0;
  const uint64_t each = several ? e->request.n_each : e->units, n = e->units / each;
  ff_status status = FF_OK;
  (void)seconds;
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t before = e->steps;
    ff_device_point p = e->points[several ? e->first / each + i : 0];
    if (!several) p.until = e->request.until;
    for (uint64_t k = 0; k < each && status == FF_OK; k++)
      status = toy_trajectory(e, &p, several ? p.key : e->key, several ? k : e->first + k, i * each + k, err);
    e->steps_of[i] = e->steps - before;
  }
  *progress = (ff_device_progress){.complete = e->units, .steps = e->steps, .done = 1};
  return status;
}

static ff_status toy_refused(ff_ensemble *ensemble, uint64_t from, uint64_t *units, uint64_t capacity, uint64_t *n,
                             ff_error *err) {
  const toy_ensemble *e = toy_of(ensemble);
  (void)err;
  *n = 0;
  for (uint64_t k = from; k < e->units && *n < capacity; k++)
    if (toy_refuses(e, k)) units[(*n)++] = k;
  return FF_OK;
}

/* Count j of trajectory k at time i. */
static double toy_count(const toy_ensemble *e, uint64_t k, uint32_t i, uint32_t j) {
  return e->count[(j * e->capacity + k) * e->request.n_times + i];
}

static ff_status toy_tally(ff_ensemble *ensemble, uint64_t first, uint64_t n, ff_sums *sums, ff_error *err) {
  const toy_ensemble *e = toy_of(ensemble);
  uint64_t bytes = 0;
  if (!e->request.tallies) return ff_error_set(err, FF_EINTERNAL, "sums that were not asked for");
  if (e->request.reals && sums->frequency != NULL) return ff_error_set(err, FF_EINTERNAL, "histograms of real numbers");
  for (uint64_t k = first; k < first + n; k++)
    for (uint32_t i = 0; i < e->request.n_times && !toy_refuses(e, k); i++) {
      double x[TOY_COUNTS];
      for (uint32_t j = 0; j < e->request.n_observed; j++) x[j] = toy_count(e, k, i, j);
      if (ff_sums_add(sums, i, x, &bytes, err) != FF_OK) return err->status;
    }
  return FF_OK;
}

/* What refused trajectories seem to have recorded is no number of theirs. */
static ff_status toy_states(ff_ensemble *ensemble, uint64_t first, uint64_t n, void *counts, ff_error *err) {
  const toy_ensemble *e = toy_of(ensemble);
  const uint32_t n_observed = e->request.n_observed;
  double *real = counts;
  uint32_t *whole = counts;
  if (first + n > e->units) return ff_error_set(err, FF_EINTERNAL, "states of trajectories that are not in the wave");
  for (uint32_t i = 0; i < e->request.n_times; i++)
    for (uint32_t j = 0; j < n_observed; j++)
      for (uint64_t k = 0; k < n; k++) {
        const uint64_t at = (i * n_observed + j) * n + k;
        const double x = toy_refuses(e, first + k) ? 77 : toy_count(e, first + k, i, j);
        if (e->request.reals) real[at] = x;
        else whole[at] = (uint32_t)x;
      }
  toy_devices.copies++;
  return FF_OK;
}

static ff_status toy_stopped(ff_ensemble *ensemble, uint64_t first, uint64_t n, double *times, ff_error *err) {
  const toy_ensemble *e = toy_of(ensemble);
  (void)err;
  for (uint64_t k = 0; k < n; k++) times[k] = toy_refuses(e, first + k) ? 77 : e->stopped[first + k];
  return FF_OK;
}

static ff_status toy_steps_of(ff_ensemble *ensemble, uint64_t *steps, ff_error *err) {
  const toy_ensemble *e = toy_of(ensemble);
  (void)err;
  memcpy(steps, e->steps_of, e->units / e->request.n_each * sizeof *steps);
  return FF_OK;
}

static const ff_device_calls toy_device = {
    .common = {.destroy = toy_destroy, .ready = toy_ready, .start = toy_begin, .info = toy_info},
    .create = toy_create, .advance = toy_go_on, .refused = toy_refused, .tally = toy_tally, .states = toy_states,
    .stopped = toy_stopped, .steps = toy_steps_of};

#endif
