#include "ff_pbn_waves.h"

#include "ff_influence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_SECONDS 0.002 /* a device gets at least this time, however near the deadline is */

typedef struct {
  uint64_t next, last;
} range;

/* The tiles of the current round that a device has not begun yet, and its current wave. */
typedef struct {
  ff_fleet_device *on;
  range to_do;
  uint64_t first, tiles, step;
  int busy, half_noted;
  ff_pbn_tally tally; /* of the waves that it has finished in this call */
  uint64_t steps;     /* trajectory-steps in this call */
} wave;

struct ff_pbn_waves {
  const ff_pbn_device *backend;
  const ff_pbn_program *program;
  ff_fleet fleet; /* a device that fails is dropped, and the others take over its share */
  wave *waves;    /* for each device */
  range *returned;         /* tiles that failed devices have not finished */
  uint32_t n_returned;
  uint64_t wasted; /* trajectory-steps of these tiles */
  uint64_t tiles, steps;   /* tiles per device, about; steps per tile */
  ff_pbn_sums sums;            /* without `words` */
  uint32_t *weights;
  uint8_t *sets;
  uint64_t target[3];
  int pilot;
  ff_pbn_record record;
  uint32_t n_read;
  uint64_t *terms; /* values of the program's first n_read terms at a recorded step */
  /* for the current call */
  uint64_t key;
  double deadline;
};

void ff_pbn_waves_free(ff_pbn_waves *w) {
  if (w == NULL) return;
  for (uint32_t i = 0; w->waves != NULL && i < w->fleet.n; i++) ff_pbn_tally_free(&w->waves[i].tally);
  ff_fleet_clear(&w->fleet);
  free(w->waves);
  free(w->returned);
  free(w->weights);
  free(w->sets);
  free(w->terms);
  free(w);
}

/* The tiles that a device has not begun, and those that it has begun but not finished. */
static range unfinished(const wave *v) { return (range){v->busy ? v->first : v->to_do.next, v->to_do.last}; }

/* Drops devices that have just failed. This is an error only if no device is left. */
static ff_status drop_failed(ff_pbn_waves *w, ff_error *err) {
  for (uint32_t i = ff_fleet_failed(&w->fleet); i < w->fleet.n; i = ff_fleet_failed(&w->fleet)) {
    wave *v = &w->waves[i];
    const range left = unfinished(v);
    if (left.next < left.last) w->returned[w->n_returned++] = left;
    if (v->busy) w->wasted += v->step * v->tiles * FF_TILE;
    v->busy = 0;
    v->to_do = (range){0, 0};
    ff_fleet_drop(&w->fleet, i);
  }
  return ff_fleet_check(&w->fleet, err);
}

ff_status ff_pbn_waves_new(ff_pbn_waves **out, const ff_fleet_choice *choice, const ff_pbn_program *program,
                           const ff_observables *observables, const uint32_t *at, uint64_t tiles, uint64_t steps, ff_error *err) {
  *out = NULL;
  ff_pbn_waves *w = ff_calloc(1, sizeof *w);
  if (w == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a run on %u devices", choice->n_devices);
  uint32_t n_terms = observables->first[observables->n];
  w->backend = (const ff_pbn_device *)choice->calls;
  w->program = program;
  ff_status status = ff_fleet_fill(&w->fleet, choice, err);
  w->waves = ff_calloc(choice->n_devices, sizeof *w->waves);
  w->returned = ff_calloc(choice->n_devices, sizeof *w->returned);
  w->weights = ff_calloc(n_terms, sizeof *w->weights);
  w->sets = ff_calloc(observables->n, 1);
  if (w->waves == NULL || w->returned == NULL || w->weights == NULL || w->sets == NULL)
    status = ff_error_set(err, FF_EMEMORY, "no memory for a run on %u devices", choice->n_devices);
  for (uint32_t i = 0; status == FF_OK && i < w->fleet.n; i++) {
    w->waves[i].on = &w->fleet.device[i];
    status = ff_pbn_tally_new(&w->waves[i].tally, observables, err);
  }
  if (status != FF_OK) {
    ff_pbn_waves_free(w);
    return status;
  }
  for (uint32_t i = 0; i < n_terms; i++) w->weights[i] = ff_pbn_tally_weight(observables->weights[i]);
  for (uint32_t i = 0; i < observables->n; i++)
    w->sets[i] = (uint8_t)ff_is_set(observables->first, observables->weights, i);
  w->sums = (ff_pbn_sums){
      .n = observables->n, .n_terms = n_terms, .first = observables->first, .weights = w->weights, .at = at, .sets = w->sets};
  w->tiles = (tiles + w->fleet.n - 1) / w->fleet.n;
  w->steps = steps;
  *out = w;
  return FF_OK;
}

static ff_status create(void *context, uint32_t i, ff_ensemble_options *options, ff_ensemble **out, ff_error *err) {
  const ff_pbn_waves *w = context;
  (void)i;
  options->units = w->tiles;
  options->steps = w->steps;
  return w->backend->create(out, w->program, options, err);
}

ff_status ff_pbn_waves_ready(ff_pbn_waves *w, double seconds, int *ready, ff_error *err) {
  return ff_fleet_ready(&w->fleet, ff_clock() + seconds, create, w, ready, err);
}

void ff_pbn_waves_plan(ff_pbn_waves *w, const uint64_t target[3], const uint64_t half[2]) {
  memcpy(w->target, target, sizeof w->target);
  memcpy(w->sums.half, half, sizeof w->sums.half);
  for (uint32_t i = 0; i < w->fleet.n; i++) {
    w->waves[i].busy = w->pilot && w->waves[i].tiles > 0;
    w->waves[i].half_noted = 0;
    w->waves[i].to_do = (range){0, 0};
    ff_pbn_tally_clear(&w->waves[i].tally, half[0], half[1]);
  }
}

static ff_status begin(ff_pbn_waves *w, wave *v) {
  if (v->to_do.next == v->to_do.last) return FF_OK;
  v->first = v->to_do.next;
  v->tiles = v->to_do.last - v->first < v->on->capacity ? v->to_do.last - v->first : v->on->capacity;
  v->to_do.next += v->tiles;
  v->busy = 1;
  v->half_noted = 0;
  v->step = 0;
  return w->backend->common.start(v->on->ensemble, w->key, v->first, v->tiles, &v->on->err);
}

ff_status ff_pbn_waves_pilot(ff_pbn_waves *w, const ff_pbn_record *record, ff_error *err) {
  w->pilot = 1;
  w->record = *record;
  for (uint32_t i = 0; i < record->n; i++)
    if (record->at[i] < FF_TERM_0 && record->at[i] >= w->n_read) w->n_read = record->at[i] + 1;
  w->terms = ff_calloc(w->n_read, sizeof *w->terms);
  return w->terms != NULL ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for the record of %u terms", w->n_read);
}

/* Records the step that was just counted. */
static ff_status keep_record(ff_pbn_waves *w, wave *v) {
  const ff_pbn_record *r = &w->record;
  uint64_t to_go = w->target[2] - v->step;
  ff_status status = w->backend->terms(v->on->ensemble, 0, w->n_read, w->terms, &v->on->err);
  for (uint32_t i = 0; i < r->n && status == FF_OK; i++)
    r->words[(size_t)i * r->steps + (r->steps - 1 - to_go)] = r->at[i] == FF_TERM_0   ? 0
                                                               : r->at[i] == FF_TERM_1 ? UINT64_MAX
                                                                                       : w->terms[r->at[i]];
  return status;
}

/* The number of steps that can be run at once: to the end of the part, and one by one if they are recorded. */
static uint64_t at_once(const ff_pbn_waves *w, const wave *v, int part) {
  uint64_t steps = w->target[part] - v->step, to_go = w->target[2] - v->step;
  if (part == 0 || w->record.n == 0) return steps;
  if (to_go <= w->record.steps) return 1;
  return steps < to_go - w->record.steps ? steps : to_go - w->record.steps;
}

/* Runs the wave to the end of its window or to the deadline. */
static ff_status go_on(ff_pbn_waves *w, wave *v) {
  for (int part = 0; part < 3; part++) {
    while (v->step < w->target[part]) {
      double seconds = w->deadline - ff_clock();
      uint64_t done = 0;
      if (seconds <= 0 && v->steps > 0) return FF_OK;
      const int recorded = part > 0 && w->target[2] - v->step <= w->record.steps && w->record.n > 0;
      ff_status status = w->backend->steps(v->on->ensemble, at_once(w, v, part), part > 0,
                                           seconds > LEAST_SECONDS ? seconds : LEAST_SECONDS, &done, &v->on->err);
      if (status != FF_OK) return status;
      v->step += done;
      v->steps += done * v->tiles * FF_TILE;
      if (recorded) status = keep_record(w, v);
      if (status != FF_OK) return status;
    }
    if (part != 1 || v->half_noted) continue;
    ff_status status = w->backend->half(v->on->ensemble, &v->on->err);
    if (status != FF_OK) return status;
    v->half_noted = 1;
  }
  ff_pbn_sums sums = w->sums;
  sums.words = v->tally.words;
  ff_status status = w->backend->tally(v->on->ensemble, &sums, &v->on->err);
  if (status != FF_OK) return status;
  v->busy = 0;
  v->tally.tiles += v->tiles;
  return FF_OK;
}

static void share(void *context, int index) {
  ff_pbn_waves *w = context;
  wave *v = &w->waves[index];
  if (v->on->lost) return;
  do {
    if (!v->busy) v->on->status = begin(w, v);
    if (v->on->status != FF_OK || !v->busy) return;
    v->on->status = go_on(w, v);
  } while (v->on->status == FF_OK && !v->busy && ff_clock() < w->deadline);
}

/* Divides some tiles equally among the devices, because GPUs of one host are usually alike. If `idle` is 1, only devices without
 * work get tiles. Returns 1 if there was such a device. */
static int divide(ff_pbn_waves *w, range tiles, int idle) {
  uint64_t n = 0, i = 0;
  const uint64_t span = tiles.last - tiles.next;
  for (uint32_t j = 0; j < w->fleet.n; j++) n += !w->waves[j].on->lost && !(idle && w->waves[j].busy);
  for (uint32_t j = 0; j < w->fleet.n && n > 0; j++) {
    wave *v = &w->waves[j];
    if (v->on->lost || (idle && v->busy)) continue;
    v->to_do = (range){tiles.next + ff_share(span, i, n), tiles.next + ff_share(span, i + 1, n)};
    i++;
  }
  return n > 0;
}

/* Divides the tiles of failed devices, one range at a time, among devices that have no other work. */
static void divide_returned(ff_pbn_waves *w) {
  for (uint32_t i = 0; i < w->fleet.n; i++)
    if (!w->waves[i].busy && w->waves[i].to_do.next < w->waves[i].to_do.last) return;
  if (w->n_returned > 0 && divide(w, w->returned[w->n_returned - 1], 1)) w->n_returned--;
}

ff_status ff_pbn_waves_work(ff_pbn_waves *w, uint64_t key, uint64_t *next, uint64_t stop, double deadline, ff_pbn_tally *tally,
                            int *busy,
                            uint64_t *steps, ff_error *err) {
  if (*next < stop)
    divide(w, (range){*next, stop}, 0);
  else
    divide_returned(w);
  *next = stop;
  w->key = key;
  w->deadline = deadline;
  ff_parallel((int)w->fleet.n, share, w);
  ff_status status = drop_failed(w, err);
  *busy = w->n_returned > 0;
  for (uint32_t i = 0; i < w->fleet.n && status == FF_OK; i++) {
    wave *v = &w->waves[i];
    *busy |= v->busy || v->to_do.next < v->to_do.last;
    *steps += v->steps;
    v->steps = 0;
    if (v->tally.tiles == 0) continue;
    status = ff_pbn_tally_merge(tally, &v->tally, err);
    ff_pbn_tally_clear(&v->tally, w->sums.half[0], w->sums.half[1]);
  }
  if (status == FF_OK) *steps -= w->wasted; /* these steps were added before, in this call or an earlier one */
  w->wasted = 0;
  return status;
}

ff_ensemble_info ff_pbn_waves_info(const ff_pbn_waves *w) {
  ff_ensemble_info out = {.kernel = ""};
  ff_fleet_info(&w->fleet, &out);
  return out;
}

const char *ff_pbn_waves_lost(const ff_pbn_waves *w) { return w->fleet.lost[0] != '\0' ? w->fleet.lost : NULL; }
