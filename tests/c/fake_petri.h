/* A fake interface "petri" of a backend, for tests without a GPU: its devices take the nets for which code can be generated, and
 * run one trajectory after the other with the engine of this processor. */
#ifndef FF_TESTS_FAKE_PETRI_H
#define FF_TESTS_FAKE_PETRI_H

#include "../../src/cuda/petri/data/ff_petri_image.h"
#include "../../src/cuda/petri/windows/ff_petri_tissue_data.h"
#include "../../src/petri/run/ff_petri_run.h"
#include "fake_parts.h"
#include "real_wave.h"

static struct {
  unsigned capacity; /* trajectories of a wave; 0: 1000 */
  unsigned refuses;  /* trajectories whose number is a multiple of this are refused; 0: only those that fail */
  unsigned made, waves; /* ensembles, and waves of all of them */
  unsigned tallies;     /* parts of waves that were added up */
} fake_petri;

/* Behind an ff_ensemble *, whose struct another fake may define. */
typedef struct {
  const ff_petri_program *program;
  ff_device_request request; /* its arrays are owned */
  uint64_t key, first, n, capacity;
  double *count; /* of one trajectory after the other: time by time, and place by place */
  double *stopped; /* of each */
  uint8_t *refused;
  ff_device_progress progress;
  fake_firings firings;
  ff_device_point *points; /* those that joined; their markings are owned */
  uint32_t n_points;
  uint64_t *steps; /* of each point of the wave */
} fake_petri_ensemble;

/* Looks at the net as a GPU's ensemble does first: it needs code, or else data for a kernel. So the same nets are refused with
 * the same reasons, and the same points join. */
static ff_status fake_petri_look(const ff_petri_program *program, const ff_device_request *request, ff_error *err) {
  ff_petri_code code;
  ff_petri_image image;
  void *memory = NULL;
  size_t bytes;
  ff_error first, second;
  ff_status status = ff_petri_check_request(program, request, err);
  if (status == FF_OK) status = ff_petri_check_kinds(program, err);
  if (status != FF_OK) return status;
  if (ff_petri_code_new(&code, program, request, FF_PETRI_CODE_SHARED, &first) == FF_OK) {
    ff_petri_code_free(&code);
    return FF_OK;
  }
  status = ff_petri_image_new(&image, &memory, &bytes, program, request, &second);
  ff_free_aligned(memory);
  return status == FF_OK ? FF_OK : ff_error_set(err, status, "%.400s; %.400s", first.text, second.text);
}

static ff_status fake_petri_look_at_parts(const ff_petri_parts *parts, const ff_device_request *request, ff_error *err) {
  ff_petri_tissue_data data;
  const ff_status status = ff_petri_tissue_data_new(&data, parts, request, err);
  ff_petri_tissue_data_free(&data);
  return status;
}

static void fake_petri_take_points(fake_petri_ensemble *e, const ff_device_request *request) {
  const uint32_t n = request->points != NULL ? request->n_points : 0;
  e->points = calloc(n + 1, sizeof *e->points);
  e->steps = calloc(n + 1, sizeof *e->steps);
  for (uint32_t i = 0; i < n; i++) {
    if (!request->joins[i]) continue;
    e->points[e->n_points] = request->points[i];
    e->points[e->n_points++].initial = fake_copy(request->points[i].initial, e->program->n_places * sizeof(double));
  }
  e->request.points = NULL;
  e->request.joins = NULL;
}

static ff_status fake_petri_create(ff_ensemble **out, const void *model, const ff_device_request *request,
                                   const ff_ensemble_options *options, ff_error *err) {
  const ff_petri_program *program = model;
  const size_t each = (size_t)request->n_times * request->n_observed;
  (void)options;
  *out = NULL;
  if (!request->reals) return ff_error_set(err, FF_EINTERNAL, "levels that are whole numbers");
  const ff_status status = request->own != NULL ? fake_petri_look_at_parts(request->own, request, err)
                                                : fake_petri_look(program, request, err);
  if (status != FF_OK) return status;
  fake_petri_ensemble *e = calloc(1, sizeof *e);
  e->program = program;
  e->request = *request;
  e->request.initial = fake_copy(request->initial, program->n_places * sizeof *request->initial);
  e->request.times = fake_copy(request->times, request->n_times * sizeof *request->times);
  e->request.observed = fake_copy(request->observed, request->n_observed * sizeof *request->observed);
  e->capacity = fake_petri.capacity > 0 ? fake_petri.capacity : 1000;
  e->count = calloc(e->capacity * each + 1, sizeof *e->count);
  e->refused = calloc(e->capacity, 1);
  e->stopped = calloc(e->capacity, sizeof *e->stopped);
  fake_petri_take_points(e, request);
  fake_petri.made++;
  *out = (ff_ensemble *)e;
  return FF_OK;
}

static void fake_petri_destroy(ff_ensemble *ensemble) {
  fake_petri_ensemble *e = (fake_petri_ensemble *)ensemble;
  if (e == NULL) return;
  free((double *)e->request.initial);
  free((double *)e->request.times);
  free((uint32_t *)e->request.observed);
  free(e->count);
  free(e->refused);
  free(e->stopped);
  free(e->firings.fired);
  for (uint32_t i = 0; i < e->n_points; i++) free((double *)e->points[i].initial);
  free(e->points);
  free(e->steps);
  free(e);
}

static ff_status fake_petri_ready(ff_ensemble *ensemble, double seconds, int *is, ff_error *err) {
  (void)ensemble, (void)seconds, (void)err;
  *is = 1;
  return FF_OK;
}

static ff_ensemble_info fake_petri_info(const ff_ensemble *ensemble) {
  const fake_petri_ensemble *e = (const fake_petri_ensemble *)ensemble;
  return (ff_ensemble_info){.kernel = "fake", .capacity = e->capacity, .bytes = 10, .device_seconds = 1,
                            .reason = "there is no other"};
}

static ff_status fake_petri_start(ff_ensemble *ensemble, uint64_t key, uint64_t first, uint64_t units, ff_error *err) {
  fake_petri_ensemble *e = (fake_petri_ensemble *)ensemble;
  if (units > e->capacity || units == 0) return ff_error_set(err, FF_EINTERNAL, "a wave of the wrong size");
  e->key = key;
  e->first = first;
  e->n = units;
  e->firings.n = 0;
  e->progress = (ff_device_progress){0};
  memset(e->refused, 0, e->capacity);
  memset(e->steps, 0, e->n_points * sizeof *e->steps);
  fake_petri.waves++;
  const uint64_t each = e->request.n_each;
  if (e->n_points > 0 && (first % each != 0 || units % each != 0 || (first + units) / each > e->n_points))
    return ff_error_set(err, FF_EINTERNAL, "a wave that is not of whole points");
  return FF_OK;
}

/* Simulates trajectory k of the wave. One that fails is refused. What a refused one seems to have recorded is wrong. */
static ff_status fake_petri_simulate(fake_petri_ensemble *e, uint64_t k, ff_error *err) {
  const ff_device_request *r = &e->request;
  const size_t each = (size_t)r->n_times * r->n_observed;
  const ff_device_point *p = e->n_points > 0 ? e->points + (e->first + k) / r->n_each : NULL;
  const uint64_t number = p != NULL ? (e->first + k) % r->n_each : e->first + k;
  double *values = malloc((each + 1) * sizeof *values), **columns = malloc((r->n_observed + 1) * sizeof *columns);
  for (uint32_t j = 0; j < r->n_observed; j++) columns[j] = values + (size_t)j * r->n_times;
  const double *starts = r->starts != NULL ? r->starts + (number - r->first_start) * e->program->n_places : NULL;
  const ff_run_options options = {.method = r->method, .key = p != NULL ? p->key : e->key, .first = number, .n = 1,
                                  .initial = p != NULL ? p->initial : r->initial, .times = r->times, .n_times = r->n_times,
                                  .observed = r->observed, .n_observed = r->n_observed, .states = columns, .threads = 1,
                                  .starts = starts, .until = r->until, .stopped = r->until != NULL ? e->stopped + k : NULL,
                                  .max_firings = r->max_firings > 0 ? UINT64_C(1000000000) : 0};
  ff_run *run = NULL;
  int done = 0;
  ff_status status = ff_run_new(&run, &ff_petri_engine, p != NULL ? p->model : e->program, &options, err);
  while (status == FF_OK && !done) status = ff_run_advance(run, 10, &done, err);
  const int failed = status == FF_EMODEL || status == FF_ESIZE;
  e->refused[k] = (uint8_t)(status != FF_OK || (fake_petri.refuses > 0 && number % fake_petri.refuses == 0));
  for (uint32_t i = 0; i < r->n_times; i++)
    for (uint32_t j = 0; j < r->n_observed; j++)
      e->count[k * each + (size_t)i * r->n_observed + j] = e->refused[k] ? 1e300 : columns[j][i];
  if (!e->refused[k]) e->progress.steps += ff_run_steps(run);
  if (!e->refused[k] && p != NULL) e->steps[k / r->n_each] += ff_run_steps(run);
  if (status == FF_OK && r->max_firings > 0) fake_firings_add(&e->firings, k, run, e->refused[k]);
  ff_run_free(run);
  free(values);
  free(columns);
  return failed ? FF_OK : status;
}

static ff_status fake_petri_advance(ff_ensemble *ensemble, double seconds, ff_device_progress *progress, ff_error *err) {
  fake_petri_ensemble *e = (fake_petri_ensemble *)ensemble;
  ff_status status = FF_OK;
  (void)seconds;
  while (e->progress.complete < e->n && status == FF_OK && !fake_firings_are_too_many(&e->firings, &e->request))
    status = fake_petri_simulate(e, e->progress.complete++, err);
  e->progress.done = e->progress.complete == e->n;
  e->progress.fired = e->firings.n;
  *progress = e->progress;
  return status;
}

static ff_status fake_petri_refused(ff_ensemble *ensemble, uint64_t from, uint64_t *units, uint64_t capacity, uint64_t *n,
                                    ff_error *err) {
  const fake_petri_ensemble *e = (const fake_petri_ensemble *)ensemble;
  (void)err;
  *n = 0;
  for (uint64_t k = from; k < e->n && *n < capacity; k++)
    if (e->refused[k]) units[(*n)++] = k;
  return FF_OK;
}

static ff_status fake_petri_tally(ff_ensemble *ensemble, uint64_t first, uint64_t n, ff_sums *sums, ff_error *err) {
  const fake_petri_ensemble *e = (const fake_petri_ensemble *)ensemble;
  const real_wave wave = {e->count, 1, (size_t)e->request.n_times * e->request.n_observed, e->refused};
  if (first + n > e->n) return ff_error_set(err, FF_EINTERNAL, "sums of trajectories that are not in the wave");
  if (!e->request.tallies || sums->frequency != NULL) return ff_error_set(err, FF_EINTERNAL, "sums that were not asked for");
  fake_petri.tallies++;
  real_wave_tally(sums, &wave, first, n, 3);
  return FF_OK;
}

static ff_status fake_petri_states(ff_ensemble *ensemble, uint64_t first, uint64_t n, void *counts, ff_error *err) {
  const fake_petri_ensemble *e = (const fake_petri_ensemble *)ensemble;
  const size_t each = (size_t)e->request.n_times * e->request.n_observed;
  if (first + n > e->n) return ff_error_set(err, FF_EINTERNAL, "states of trajectories that are not in the wave");
  for (size_t cell = 0; cell < each; cell++)
    for (uint64_t k = 0; k < n; k++) ((double *)counts)[cell * n + k] = e->count[(first + k) * each + cell];
  return FF_OK;
}

static ff_status fake_petri_stopped(ff_ensemble *ensemble, uint64_t first, uint64_t n, double *times, ff_error *err) {
  const fake_petri_ensemble *e = (const fake_petri_ensemble *)ensemble;
  (void)err;
  for (uint64_t k = 0; k < n; k++) times[k] = e->refused[first + k] ? 77 : e->stopped[first + k];
  return FF_OK;
}

static const ff_fired *fake_petri_fired(const ff_ensemble *ensemble, uint64_t *n) {
  const fake_petri_ensemble *e = (const fake_petri_ensemble *)ensemble;
  *n = e->firings.n;
  return e->firings.fired;
}

static ff_status fake_petri_steps(ff_ensemble *ensemble, uint64_t *steps, ff_error *err) {
  const fake_petri_ensemble *e = (const fake_petri_ensemble *)ensemble;
  (void)err;
  for (uint64_t i = 0; i < e->n / e->request.n_each; i++) steps[i] = e->steps[i];
  return FF_OK;
}

static const ff_device_calls fake_petri_device = {
    .common = {.destroy = fake_petri_destroy, .ready = fake_petri_ready, .start = fake_petri_start, .info = fake_petri_info},
    .create = fake_petri_create, .advance = fake_petri_advance, .refused = fake_petri_refused, .tally = fake_petri_tally,
    .states = fake_petri_states, .steps = fake_petri_steps, .stopped = fake_petri_stopped, .fired = fake_petri_fired};

#endif
