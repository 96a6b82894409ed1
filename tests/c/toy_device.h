/* A device that pretends: it simulates the toy engine's trajectories on this processor, and refuses one in five. */
#ifndef FF_TESTS_TOY_DEVICE_H
#define FF_TESTS_TOY_DEVICE_H

#include "../../src/ensemble/ff_use.h"
#include "toy_engine.h"

#define TOY_CAPACITY 100u

typedef struct {
  const toy *model;
  ff_device_request request;
  ff_device_point points[8]; /* that have joined; the first one is the model if there are no others */
  uint64_t key, first, units, steps, steps_of[8];
  double *count[TOY_COUNTS], stopped[TOY_CAPACITY];
} toy_ensemble;

static struct {
  _Atomic uint32_t made, freed, waves; /* devices work at the same time */
  _Atomic uint32_t warps;              /* as the last request had it */
  uint32_t fails; /* a bit for each device whose first wave fails */
} toy_devices;

static toy_ensemble *toy_of(const ff_ensemble *ensemble) { return (toy_ensemble *)ensemble; }

static int toy_refuses(const toy_ensemble *e, uint64_t unit) { return (e->first + unit) % 5 == 3; }

static void toy_destroy(ff_ensemble *ensemble) {
  if (ensemble == NULL) return;
  for (int i = 0; i < TOY_COUNTS; i++) free(toy_of(ensemble)->count[i]);
  free((double *)toy_of(ensemble)->request.times);
  free(ensemble);
  toy_devices.freed++;
}

static ff_status toy_create(ff_ensemble **out, const void *model, const ff_device_request *request,
                            const ff_ensemble_options *options, ff_error *err) {
  toy_ensemble *e = calloc(1, sizeof *e);
  double *times = calloc(request->n_times, sizeof *times);
  (void)err;
  memcpy(times, request->times, request->n_times * sizeof *times);
  *e = (toy_ensemble){.model = model, .request = *request};
  e->request.times = times;
  e->points[0] = (ff_device_point){.model = model, .initial = ((const toy *)model)->initial};
  for (uint32_t i = 0; i < request->n_points; i++) {
    e->points[i] = request->points[i];
    e->points[i].initial = ((const toy *)request->points[i].model)->initial;
    request->joins[i] = 1;
  }
  for (int i = 0; i < TOY_COUNTS; i++) e->count[i] = calloc(TOY_CAPACITY * (size_t)request->n_times, sizeof *e->count[i]);
  e->request.bits32 = (int)options->device;
  toy_devices.made++;
  toy_devices.warps = request->warps;
  *out = (ff_ensemble *)e;
  return FF_OK;
}

static ff_status toy_ready(ff_ensemble *ensemble, double seconds, int *is, ff_error *err) {
  (void)ensemble, (void)seconds, (void)err;
  *is = 1;
  return FF_OK;
}

static ff_ensemble_info toy_info(const ff_ensemble *ensemble) {
  (void)ensemble;
  return (ff_ensemble_info){.kernel = "toy", .capacity = TOY_CAPACITY, .bytes = 1};
}

static ff_status toy_begin(ff_ensemble *ensemble, uint64_t key, uint64_t first, uint64_t units, ff_error *err) {
  toy_ensemble *e = toy_of(ensemble);
  if (toy_devices.fails >> e->request.bits32 & 1) return ff_error_set(err, FF_EBACKEND, "the device is on fire");
  e->key = key;
  e->first = first;
  e->units = units;
  e->steps = 0;
  toy_devices.waves++;
  return FF_OK;
}

/* Simulates trajectories `from` ... `from` + n - 1 of the wave, which are those of a model from number `first` on. */
static void toy_simulate(toy_ensemble *e, const ff_device_point *p, uint64_t key, uint64_t first, uint64_t from, uint64_t n) {
  const ff_device_request *r = &e->request;
  double *states[TOY_COUNTS];
  ff_error err;
  for (uint64_t k = 0; k < n; k++) {
    ff_run *run;
    int done = 0;
    for (uint32_t j = 0; j < r->n_observed; j++) states[j] = e->count[j] + (from + k) * r->n_times;
    const ff_run_options options = {.key = key, .first = first + k, .n = 1, .initial = p->initial, .times = r->times,
                                    .n_times = r->n_times, .observed = r->observed, .n_observed = r->n_observed,
                                    .states = states, .threads = 1, .until = r->until, .stopped = e->stopped + from + k};
    if (ff_run_new(&run, &toy_engine, p->model, &options, &err) != FF_OK) abort();
    while (!done)
      if (ff_run_advance(run, 1, &done, &err) != FF_OK) abort();
    if (!toy_refuses(e, from + k)) e->steps += ff_run_steps(run);
    ff_run_free(run);
  }
}

static ff_status toy_go_on(ff_ensemble *ensemble, double seconds, ff_device_progress *progress, ff_error *err) {
  toy_ensemble *e = toy_of(ensemble);
  const uint64_t each = e->request.n_points > 0 ? e->request.n_each : e->units, n = e->units / each;
  (void)seconds, (void)err;
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t before = e->steps;
    const ff_device_point *p = e->points + (e->request.n_points > 0 ? e->first / each + i : 0);
    const uint64_t key = e->request.n_points > 0 ? p->key : e->key;
    toy_simulate(e, p, key, e->request.n_points > 0 ? 0 : e->first, i * each, each);
    e->steps_of[i] = e->steps - before;
  }
  *progress = (ff_device_progress){.complete = e->units, .steps = e->steps, .done = 1};
  return FF_OK;
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

static ff_status toy_tally(ff_ensemble *ensemble, uint64_t first, uint64_t n, ff_sums *sums, ff_error *err) {
  const toy_ensemble *e = toy_of(ensemble);
  uint64_t bytes = 0;
  for (uint64_t k = first; k < first + n; k++)
    for (uint32_t i = 0; i < e->request.n_times && !toy_refuses(e, k); i++) {
      double x[TOY_COUNTS];
      for (uint32_t j = 0; j < e->request.n_observed; j++) x[j] = e->count[j][k * e->request.n_times + i];
      if (ff_sums_add(sums, i, x, &bytes, err) != FF_OK) return err->status;
    }
  return FF_OK;
}

static ff_status toy_states(ff_ensemble *ensemble, uint64_t first, uint64_t n, uint32_t *counts, ff_error *err) {
  const toy_ensemble *e = toy_of(ensemble);
  (void)err;
  for (uint32_t i = 0; i < e->request.n_times; i++)
    for (uint32_t j = 0; j < e->request.n_observed; j++)
      for (uint64_t k = 0; k < n; k++)
        counts[(i * e->request.n_observed + j) * n + k] = (uint32_t)e->count[j][(first + k) * e->request.n_times + i];
  return FF_OK;
}

static ff_status toy_stopped(ff_ensemble *ensemble, uint64_t first, uint64_t n, double *times, ff_error *err) {
  (void)err;
  memcpy(times, toy_of(ensemble)->stopped + first, n * sizeof *times);
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
