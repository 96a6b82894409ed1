/* Sweeps: the part of a wave that the run of a point takes. When a device has simulated a wave of several points, the run of each
 * point takes its part for an ensemble of its own, so runs need not know of other points. */
#include <stdlib.h>
#include <string.h>

#include "ff_sweep_parts.h"

typedef ff_sweep_device sweep_device;

void ff_sweep_note(sweep_device *d, ff_status status, const ff_error *err) {
  if (atomic_load(&d->failed)) return;
  d->on->status = status;
  d->on->err = *err;
  atomic_store(&d->failed, 1);
}

/* What the run of a point takes for an ensemble. */
typedef struct {
  sweep_device *of;
  ff_ensemble_info info;
  uint64_t at, n, steps;
} part;

static part *part_of(ff_ensemble *ensemble) { return (part *)ensemble; }

static void part_destroy(ff_ensemble *ensemble) { free(ensemble); }

static ff_status part_ready(ff_ensemble *ensemble, double seconds, int *is, ff_error *err) {
  (void)ensemble;
  (void)seconds;
  (void)err;
  *is = 1;
  return FF_OK;
}

static ff_ensemble_info part_info(const ff_ensemble *ensemble) { return ((const part *)ensemble)->info; }

static ff_status part_start(ff_ensemble *ensemble, uint64_t key, uint64_t first, uint64_t units, ff_error *err) {
  (void)key;
  if (first == 0 && units == part_of(ensemble)->n) return FF_OK;
  return ff_error_set(err, FF_EINTERNAL, "a device has simulated all trajectories of a point, not %llu from %llu on",
                      (unsigned long long)units, (unsigned long long)first);
}

static ff_status part_create(ff_ensemble **out, const void *model, const ff_device_request *request,
                             const ff_ensemble_options *options, ff_error *err) {
  (void)model;
  (void)request;
  (void)options;
  *out = NULL;
  return ff_error_set(err, FF_EINTERNAL, "the part of a point is not made by its run");
}

static ff_status part_advance(ff_ensemble *ensemble, double seconds, ff_device_progress *progress, ff_error *err) {
  (void)seconds;
  (void)err;
  *progress = (ff_device_progress){.complete = part_of(ensemble)->n, .steps = part_of(ensemble)->steps, .done = 1};
  return FF_OK;
}

static ff_status part_refused(ff_ensemble *ensemble, uint64_t from, uint64_t *units, uint64_t capacity, uint64_t *n,
                              ff_error *err) {
  const part *own = part_of(ensemble);
  const ff_wave *wave = &own->of->wave;
  (void)err;
  *n = 0;
  size_t i = ff_wave_refused_before(wave, own->at + from);
  for (; i < wave->n_refused && wave->refused[i] < own->at + own->n && *n < capacity; i++)
    units[(*n)++] = wave->refused[i] - own->at;
  return FF_OK;
}

/* Several threads take their parts of a wave. These two enclose a call of the ensemble, which one thread may use at a time. */
static ff_ensemble *enter(const part *own) {
  pthread_mutex_lock(&own->of->lock);
  return own->of->on->ensemble;
}

/* `fails` tells whether a status that is not FF_OK is a failure of the device. */
static ff_status leave(const part *own, ff_status status, int fails, const ff_error *why, ff_error *err) {
  if (status != FF_OK && fails) ff_sweep_note(own->of, status, why);
  pthread_mutex_unlock(&own->of->lock);
  return status == FF_OK ? FF_OK : ff_error_set(err, status, "%s", why->text);
}

static ff_status part_tally(ff_ensemble *ensemble, uint64_t first, uint64_t n, ff_sums *sums, ff_error *err) {
  const part *own = part_of(ensemble);
  ff_error why = {FF_OK, ""};
  ff_status status = own->of->sweep->calls->tally(enter(own), own->at + first, n, sums, &why);
  return leave(own, status, status != FF_ESIZE && status != FF_EMEMORY, &why, err);
}

static ff_status part_states(ff_ensemble *ensemble, uint64_t first, uint64_t n, void *counts, ff_error *err) {
  const part *own = part_of(ensemble);
  ff_error why = {FF_OK, ""};
  ff_status status = own->of->sweep->calls->states(enter(own), own->at + first, n, counts, &why);
  return leave(own, status, 1, &why, err);
}

static ff_status part_stopped(ff_ensemble *ensemble, uint64_t first, uint64_t n, double *times, ff_error *err) {
  const part *own = part_of(ensemble);
  ff_error why = {FF_OK, ""};
  ff_status status = own->of->sweep->calls->stopped(enter(own), own->at + first, n, times, &why);
  return leave(own, status, 1, &why, err);
}

static const ff_device_calls part_device = {
    .common = {.destroy = part_destroy, .ready = part_ready, .start = part_start, .info = part_info},
    .create = part_create, .advance = part_advance, .refused = part_refused, .tally = part_tally, .states = part_states,
    .stopped = part_stopped};

ff_status ff_sweep_join(ff_sweep *s, ff_sweep_point *p, ff_error *err) {
  sweep_device *d = s->devices + p->device;
  part *own = ff_calloc(1, sizeof *own);
  if (own == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a point on a device");
  *own = (part){.of = d, .info = d->info, .at = p->at, .n = p->given.options.n, .steps = p->steps};
  ff_status status = ff_run_join(p->run, &part_device, (ff_ensemble *)own, err);
  if (status != FF_OK) return status;
  const ff_waves *w = p->run->waves;
  if (w->reals != s->reals) return ff_error_set(err, FF_EUNSUPPORTED, "the counts of this point are of another kind");
  if (w->n_counts == s->n_counts && memcmp(w->counts, s->counts, w->n_counts * sizeof *w->counts) == 0) return FF_OK;
  return ff_error_set(err, FF_EUNSUPPORTED, "the variables of this point depend on other counts");
}
