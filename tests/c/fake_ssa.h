/* A fake interface "ssa" of a backend, for tests without a GPU: its devices run one trajectory after the other with the engine of
 * this processor. `fake_ssa` says how fast they are, what they refuse, and when they fail. */
#ifndef FF_TESTS_FAKE_SSA_H
#define FF_TESTS_FAKE_SSA_H

#include <stdio.h>

#include "../../src/ssa/program/ff_ssa_options.h"
#include "../../src/ssa/run/ff_ssa_run.h"
#include "fake_parts.h"

static struct {
  uint64_t capacity;    /* trajectories of a wave; 0: 1000 */
  uint64_t at_once;     /* trajectories that advance() completes; 0: all */
  uint64_t refuses;     /* trajectories whose number is a multiple of this are refused; 0: only those that fail */
  uint32_t bits16;      /* trajectories with larger counts are refused, unless the request has bits32; 0: none */
  uint64_t bits32_capacity; /* trajectories of a wave for a request with bits32; 0: as for others */
  double anew_steps;    /* as in ff_fleet_choice */
  int bits32_fails;     /* whether create() refuses requests with bits32 (1), or ready() fails for them (2) */
  int delays;           /* calls of ready() until an ensemble is ready */
  int fails_at;         /* of all calls of start(), advance(), refused(), tally(), states(), stopped() and steps(), the one that
                         * fails (0: none) */
  _Atomic int calls;
  int again;            /* whether all calls after it fail too */
  int lacks_memory;     /* whether they fail for a lack of memory */
  uint32_t broken;      /* bit i: device i cannot start, either at once or when it should be ready */
  int breaks_late;
  int unsupported;      /* whether no kernel can run the program */
  _Atomic int made, freed, alike;     /* ensembles, and those that got a `like` with which they may share */
  _Atomic int tallies, copies, lists; /* calls of tally(), states() and refused() */
  _Atomic int stops;                  /* calls of stopped() */
  _Atomic int too_large;              /* calls of tally() that found too many entries of histograms */
  _Atomic uint64_t listed;            /* firings in the longest list; may be too small if devices are in parallel */
  _Atomic uint64_t units, steps;      /* of the last ensemble */
  _Atomic uint64_t started[16];       /* the sizes of the first waves */
  _Atomic int waves;
  _Atomic uint32_t joined;            /* points of the last ensemble of several ones */
} fake_ssa;

/* Behind an ff_ensemble *, whose struct another fake may define. */
typedef struct {
  const ff_ssa_program *program;
  ff_device_request request; /* its arrays are owned */
  uint64_t capacity, key, first, n;
  uint32_t *counts; /* of one trajectory after the other */
  uint8_t *refused;
  ff_device_progress progress;
  int delays, broken;
  ff_device_point *points; /* that joined */
  uint32_t n_points;
  uint64_t *steps; /* of the points of the wave */
  double *stopped;  /* for each trajectory */
  fake_firings firings;
} fake_ssa_ensemble;

/* Whether the code of a program could be that of the first one: the same reactions have the rate constant 0. */
static int fake_ssa_alike(const ff_ssa_program *a, const ff_ssa_program *b) {
  if (a->n_reactions != b->n_reactions) return 0;
  for (uint32_t r = 0; r < a->n_reactions; r++)
    if ((a->propensities[r].rate == 0) != (b->propensities[r].rate == 0)) return 0;
  return 1;
}

static int fake_ssa_same(const void *a, const void *b, size_t bytes) {
  return a == NULL || b == NULL ? a == b : memcmp(a, b, bytes) == 0;
}

/* Whether what was made for an ensemble may be shared with one for this program and request: if its own are the same. */
static int fake_ssa_may_share(const ff_ensemble *ensemble, const ff_ssa_program *program, const ff_device_request *request) {
  const fake_ssa_ensemble *e = (const fake_ssa_ensemble *)ensemble;
  const ff_device_request *r = &e->request;
  return e->program == program && r->method == request->method && r->n_times == request->n_times &&
         r->n_observed == request->n_observed && r->blocks == request->blocks && r->warps == request->warps &&
         r->points == NULL && request->points == NULL && r->until == request->until && r->starts == request->starts &&
         r->first_start == request->first_start && r->max_firings == request->max_firings && r->bits32 == request->bits32 &&
         fake_ssa_same(r->initial, request->initial, program->n_species * sizeof *r->initial) &&
         fake_ssa_same(r->times, request->times, r->n_times * sizeof *r->times) &&
         fake_ssa_same(r->observed, request->observed, r->n_observed * sizeof *r->observed) &&
         fake_ssa_same(r->order, request->order, program->n_reactions * sizeof *r->order);
}

/* Points join when the ensemble is ready. */
static void fake_ssa_join(fake_ssa_ensemble *e) {
  const ff_device_request *request = &e->request;
  if (request->points == NULL) return;
  e->points = calloc(request->n_points, sizeof *e->points);
  e->steps = calloc(request->n_points, sizeof *e->steps);
  for (uint32_t i = 0; i < request->n_points; i++) {
    const ff_device_point *p = request->points + i;
    const ff_ssa_program *program = p->model;
    request->joins[i] = (uint8_t)fake_ssa_alike(program, e->program);
    if (!request->joins[i]) continue;
    e->points[e->n_points] = *p;
    e->points[e->n_points++].initial = fake_copy(p->initial, program->n_species * sizeof *p->initial);
  }
  e->request.points = NULL;
  e->request.joins = NULL;
  fake_ssa.joined = e->n_points;
}

static ff_status fake_ssa_create(ff_ensemble **out, const void *model, const ff_device_request *request,
                                 const ff_ensemble_options *options, ff_error *err) {
  const ff_ssa_program *program = model;
  const int broken = fake_ssa.broken >> options->device & 1;
  const size_t n_species = program->n_species, each = (size_t)request->n_times * request->n_observed;
  *out = NULL;
  if ((request->order != NULL) != (request->method == FF_SSA_OPTIMISED))
    return ff_error_set(err, request->points != NULL ? FF_EUNSUPPORTED : FF_EBACKEND, "an odd order");
  if (request->reals) return ff_error_set(err, FF_EINTERNAL, "real counts of a reaction network");
  if (request->bits32 && fake_ssa.bits32_fails == 1) return ff_error_set(err, FF_EUNSUPPORTED, "counts are too large");
  if (fake_ssa.unsupported) return ff_error_set(err, FF_EUNSUPPORTED, "this network is too odd");
  if (getenv("FAKE_COMPILER") != NULL && request->method != FF_SSA_TREE)
    return ff_error_set(err, FF_EUNSUPPORTED, "%s", getenv("FAKE_COMPILER"));
  if (broken && !fake_ssa.breaks_late) return ff_error_set(err, FF_EMEMORY, "the device is full");
  fake_ssa_ensemble *e = calloc(1, sizeof *e);
  e->program = program;
  e->request = *request;
  e->request.initial = fake_copy(request->initial, n_species * sizeof *request->initial);
  e->request.times = fake_copy(request->times, request->n_times * sizeof *request->times);
  e->request.observed = fake_copy(request->observed, request->n_observed * sizeof *request->observed);
  if (request->order != NULL)
    e->request.order = fake_copy(request->order, program->n_reactions * sizeof *request->order);
  e->capacity = fake_ssa.capacity > 0 ? fake_ssa.capacity : 1000;
  if (request->bits32 && fake_ssa.bits32_capacity > 0) e->capacity = fake_ssa.bits32_capacity;
  e->counts = calloc(e->capacity * each + 1, sizeof *e->counts);
  e->refused = calloc(e->capacity, 1);
  e->stopped = calloc(e->capacity, sizeof *e->stopped);
  e->delays = fake_ssa.delays;
  e->broken = broken || (request->bits32 && fake_ssa.bits32_fails == 2);
  fake_ssa.units = options->units;
  fake_ssa.steps = options->steps;
  fake_ssa.alike += options->like != NULL && fake_ssa_may_share(options->like, program, request);
  fake_ssa.made++;
  *out = (ff_ensemble *)e;
  return FF_OK;
}

static void fake_ssa_destroy(ff_ensemble *ensemble) {
  fake_ssa_ensemble *e = (fake_ssa_ensemble *)ensemble;
  if (e == NULL) return;
  free((double *)e->request.initial);
  free((double *)e->request.times);
  free((uint32_t *)e->request.observed);
  free((uint32_t *)e->request.order);
  free(e->counts);
  free(e->refused);
  free(e->stopped);
  free(e->firings.fired);
  for (uint32_t i = 0; i < e->n_points; i++) free((double *)e->points[i].initial);
  free(e->points);
  free(e->steps);
  free(e);
  fake_ssa.freed++;
}

static ff_status fake_ssa_ready(ff_ensemble *ensemble, double seconds, int *is, ff_error *err) {
  fake_ssa_ensemble *e = (fake_ssa_ensemble *)ensemble;
  (void)seconds;
  *is = e->delays-- <= 0;
  if (*is) fake_ssa_join(e);
  return *is && e->broken ? ff_error_set(err, FF_EBACKEND, "the code does not load") : FF_OK;
}

static ff_ensemble_info fake_ssa_info(const ff_ensemble *ensemble) {
  const fake_ssa_ensemble *e = (const fake_ssa_ensemble *)ensemble;
  return (ff_ensemble_info){.kernel = "fake", .capacity = e->capacity, .bytes = 10, .device_seconds = 1,
                            .bits16 = fake_ssa.bits16 > 0 && !e->request.bits32, .reason = "there is no other"};
}

static ff_status fake_ssa_call(ff_error *err) {
  const int call = ++fake_ssa.calls;
  const int fails = call == fake_ssa.fails_at || (fake_ssa.again && fake_ssa.fails_at > 0 && call > fake_ssa.fails_at);
  if (fails && fake_ssa.lacks_memory) return ff_error_set(err, FF_EMEMORY, "the device is full");
  return fails ? ff_error_set(err, FF_EBACKEND, "the device is on fire") : FF_OK;
}

static ff_status fake_ssa_start(ff_ensemble *ensemble, uint64_t key, uint64_t first, uint64_t units, ff_error *err) {
  fake_ssa_ensemble *e = (fake_ssa_ensemble *)ensemble;
  if (e->delays >= 0) return ff_error_set(err, FF_EINTERNAL, "a wave of an ensemble that is not ready");
  if (units > e->capacity || units == 0) return ff_error_set(err, FF_EINTERNAL, "a wave of the wrong size");
  const int wave = fake_ssa.waves++;
  if (wave < 16) fake_ssa.started[wave] = units;
  e->key = key;
  e->first = first;
  e->n = units;
  e->firings.n = 0;
  e->progress = (ff_device_progress){0};
  memset(e->refused, 0, e->capacity);
  const uint64_t each = e->request.n_each;
  if (e->n_points > 0 && (first % each != 0 || units % each != 0 || (first + units) / each > e->n_points))
    return ff_error_set(err, FF_EINTERNAL, "a wave that is not of whole points");
  for (uint32_t i = 0; i < e->n_points; i++) e->steps[i] = 0;
  return fake_ssa_call(err);
}

/* Simulates trajectory k of the wave. One that fails is refused. */
static ff_status fake_ssa_simulate(fake_ssa_ensemble *e, uint64_t k, ff_error *err) {
  const ff_device_request *r = &e->request;
  const size_t each = (size_t)r->n_times * r->n_observed;
  double *values = malloc((each + 1) * sizeof *values), **columns = malloc((r->n_observed + 1) * sizeof *columns);
  for (uint32_t j = 0; j < r->n_observed; j++) columns[j] = values + (size_t)j * r->n_times;
  const double *start = r->starts != NULL ? r->starts + (e->first + k - r->first_start) * e->program->n_species : NULL;
  const ff_device_point *p = e->n_points > 0 ? e->points + (e->first + k) / r->n_each : NULL;
  const ff_run_options options = {.method = r->method, .key = p != NULL ? p->key : e->key,
                                  .first = p != NULL ? (e->first + k) % r->n_each : e->first + k, .n = 1,
                                  .initial = p != NULL ? p->initial : r->initial, .times = r->times,
                                  .n_times = r->n_times, .observed = r->observed, .n_observed = r->n_observed,
                                  .states = columns, .threads = 1,
                                  .until = p != NULL ? p->until : r->until,
                                  .stopped = r->until != NULL ? e->stopped + k : NULL,
                                  .starts = r->starts != NULL ? start : NULL,
                                  .max_firings = r->max_firings > 0 ? UINT64_C(1000000000) : 0};
  ff_run *run = NULL;
  int done = 0;
  ff_status status = ff_ssa_run_new(&run, p != NULL ? p->model : e->program, &options, err);
  while (status == FF_OK && !done) status = ff_run_advance(run, 10, &done, err);
  const int failed = status == FF_EMODEL || status == FF_ESIZE;
  int large = 0;
  for (size_t i = 0; i < each && status == FF_OK; i++) large |= columns[0][i] > fake_ssa.bits16;
  large &= fake_ssa.bits16 > 0 && !r->bits32;
  const int refused = failed || large || status != FF_OK || (fake_ssa.refuses > 0 && (e->first + k) % fake_ssa.refuses == 0);
  e->refused[k] = (uint8_t)refused;
  for (uint32_t i = 0; i < r->n_times; i++)
    for (uint32_t j = 0; j < r->n_observed; j++)
      e->counts[k * each + (size_t)i * r->n_observed + j] = refused ? 999999999 : (uint32_t)columns[j][i];
  if (status == FF_OK && !refused) e->progress.steps += ff_run_steps(run);
  if (status == FF_OK && !refused && p != NULL) e->steps[k / r->n_each] += ff_run_steps(run);
  if (status == FF_OK && r->max_firings > 0) fake_firings_add(&e->firings, k, run, refused);
  ff_run_free(run);
  free(values);
  free(columns);
  return failed ? FF_OK : status;
}

static ff_status fake_ssa_advance(ff_ensemble *ensemble, double seconds, ff_device_progress *progress, ff_error *err) {
  fake_ssa_ensemble *e = (fake_ssa_ensemble *)ensemble;
  const uint64_t left = e->n - e->progress.complete, most = fake_ssa.at_once;
  ff_status status = fake_ssa_call(err);
  (void)seconds;
  uint64_t n = most > 0 && most < left ? most : left;
  for (; n > 0 && status == FF_OK && !fake_firings_are_too_many(&e->firings, &e->request); n--)
    status = fake_ssa_simulate(e, e->progress.complete++, err);
  e->progress.done = e->progress.complete == e->n;
  e->progress.fired = e->firings.n;
  if (e->firings.n > fake_ssa.listed) fake_ssa.listed = e->firings.n;
  *progress = e->progress;
  return status;
}

static ff_status fake_ssa_refused(ff_ensemble *ensemble, uint64_t from, uint64_t *units, uint64_t capacity, uint64_t *n,
                                  ff_error *err) {
  fake_ssa_ensemble *e = (fake_ssa_ensemble *)ensemble;
  *n = 0;
  for (uint64_t k = from; k < e->n && *n < capacity; k++)
    if (e->refused[k]) units[(*n)++] = k;
  fake_ssa.lists++;
  return fake_ssa_call(err);
}

/* The entries of the histograms of the trajectories first ... first + n - 1 of the wave. */
static uint64_t fake_ssa_entries(const fake_ssa_ensemble *e, uint64_t first, uint64_t n) {
  const uint64_t cells = (uint64_t)e->request.n_times * e->request.n_observed;
  uint64_t entries = 0;
  for (uint64_t cell = 0; cell < cells; cell++)
    for (uint64_t k = first; k < first + n; k++) {
      uint64_t before = first;
      while (before < k && (e->refused[before] || e->counts[before * cells + cell] != e->counts[k * cells + cell])) before++;
      entries += before == k && !e->refused[k];
    }
  return entries;
}

static ff_status fake_ssa_tally(ff_ensemble *ensemble, uint64_t first, uint64_t n_units, ff_sums *sums, ff_error *err) {
  fake_ssa_ensemble *e = (fake_ssa_ensemble *)ensemble;
  const uint32_t n = e->request.n_observed;
  double *x = malloc((n + 1) * sizeof *x);
  uint64_t bytes = 0;
  ff_status status = fake_ssa_call(err);
  fake_ssa.tallies++;
  if (first > e->n || n_units > e->n - first) status = ff_error_set(err, FF_EINTERNAL, "trajectories that are not in the wave");
  const double products = sums->products != NULL ? ff_sums_product_bytes(e->request.n_times, n, 0) : 0;
  if ((double)e->request.product_bytes != products) status = ff_error_set(err, FF_EINTERNAL, "other sums than were asked for");
  const uint64_t most = sums->frequency != NULL ? e->request.max_values : 0;
  if (status == FF_OK && most > 0 && fake_ssa_entries(e, first, n_units) > most) {
    status = ff_error_set(err, FF_ESIZE, "too many entries");
    fake_ssa.too_large++;
  }
  for (uint64_t k = first; k < first + n_units && status == FF_OK; k++)
    for (uint32_t i = 0; i < e->request.n_times && !e->refused[k] && status == FF_OK; i++) {
      for (uint32_t j = 0; j < n; j++) x[j] = e->counts[(k * e->request.n_times + i) * n + j];
      status = ff_sums_add(sums, i, x, &bytes, err);
    }
  free(x);
  return status;
}

static ff_status fake_ssa_states(ff_ensemble *ensemble, uint64_t first, uint64_t n, void *states, ff_error *err) {
  fake_ssa_ensemble *e = (fake_ssa_ensemble *)ensemble;
  uint32_t *counts = states;
  const uint32_t cells = e->request.n_times * e->request.n_observed;
  if (first + n > e->n) return ff_error_set(err, FF_EINTERNAL, "states of trajectories that are not in the wave");
  for (uint32_t cell = 0; cell < cells; cell++)
    for (uint64_t k = 0; k < n; k++) counts[cell * n + k] = e->counts[(first + k) * cells + cell];
  fake_ssa.copies++;
  return fake_ssa_call(err);
}

static ff_status fake_ssa_stopped(ff_ensemble *ensemble, uint64_t first, uint64_t n, double *times, ff_error *err) {
  const fake_ssa_ensemble *e = (const fake_ssa_ensemble *)ensemble;
  if (first + n > e->n) return ff_error_set(err, FF_EINTERNAL, "times of trajectories that are not in the wave");
  fake_ssa.stops++;
  for (uint64_t k = 0; k < n; k++) times[k] = e->refused[first + k] ? 77 : e->stopped[first + k];
  return fake_ssa_call(err);
}

static const ff_fired *fake_ssa_fired(const ff_ensemble *ensemble, uint64_t *n) {
  const fake_ssa_ensemble *e = (const fake_ssa_ensemble *)ensemble;
  *n = e->firings.n;
  return e->firings.fired;
}

static ff_status fake_ssa_steps(ff_ensemble *ensemble, uint64_t *steps, ff_error *err) {
  const fake_ssa_ensemble *e = (const fake_ssa_ensemble *)ensemble;
  for (uint64_t i = 0; i < e->n / e->request.n_each; i++) steps[i] = e->steps[i];
  return fake_ssa_call(err);
}

static const ff_device_calls fake_ssa_device = {
    .common = {.destroy = fake_ssa_destroy, .ready = fake_ssa_ready, .start = fake_ssa_start, .info = fake_ssa_info},
    .create = fake_ssa_create, .advance = fake_ssa_advance, .refused = fake_ssa_refused, .tally = fake_ssa_tally,
    .states = fake_ssa_states, .steps = fake_ssa_steps, .stopped = fake_ssa_stopped, .fired = fake_ssa_fired};

#endif
