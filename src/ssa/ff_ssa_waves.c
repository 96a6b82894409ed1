/* Devices simulate trajectories in waves. What they refuse is simulated on this processor. */
#include "ff_ssa_waves.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_SECONDS 0.002 /* a device gets at least this time, however near the deadline is */
#define MOST_SECONDS 0.25   /* and at most this time at once, if other devices may end meanwhile; a launch takes half of it */
#define WIDE_PART 64        /* a device that refuses this part of a wave (1 / WIDE_PART), */
#define WIDE_EVENTS 2e7     /* and so many events for each thread of this processor, which take about a second, */
#define WIDE_UNITS 4096     /* or so many trajectories, prepares an ensemble for larger counts */

/* ---- whether devices can do a run --------------------------------------------------------------------------------------- */

static ff_status check_initial(const ff_ssa_program *program, const double *initial, ff_error *err) {
  for (uint32_t s = 0; s < program->n_species; s++)
    if (initial[s] > FF_SSA_DEVICE_MOST) {
      const ff_quoted name = ff_quote(program->names[s], strlen(program->names[s]));
      return ff_error_set(err, FF_EUNSUPPORTED, "the initial count of species %s is %.17g, and the largest count on a GPU is %u",
                          name.text, initial[s], FF_SSA_DEVICE_MOST);
    }
  return FF_OK;
}

/* Devices record counts, but not the parameters that events set. */
static ff_status check_observed(const ff_ssa_program *p, const ff_ssa_options *o, ff_error *err) {
  for (uint32_t j = 0; j < o->n_observed && p->n_slots > 0; j++) {
    if (o->observed[j] < p->n_species) continue;
    const ff_formula *formula = p->variables + (o->observed[j] - p->n_species);
    for (uint32_t i = 0; i < formula->length; i++) {
      if (formula->word[i].code != FF_F_SYMBOL || formula->word[i].symbol < p->n_species) continue;
      const char *name = p->slot_names[formula->word[i].symbol - p->n_species];
      return ff_error_set(err, FF_EUNSUPPORTED, "a variable that is observed depends on parameter %s, which an event sets, and "
                          "GPUs record only counts", ff_quote(name, strlen(name)).text);
    }
  }
  return FF_OK;
}

ff_status ff_ssa_check_devices(const ff_ssa_program *program, const ff_ssa_options *options, ff_error *err) {
  const ff_ssa_options *o = options;
  ff_status status = ff_ssa_method_check_devices(o->method, err);
  if (status == FF_OK) status = check_observed(program, o, err);
  if (status != FF_OK) return status;
  if (o->n_observed == 0 || program->n_species == 0)
    return ff_error_set(err, FF_EUNSUPPORTED, "no species is observed");
  if (o->starts == NULL) return check_initial(program, o->initial != NULL ? o->initial : program->initial, err);
  for (uint64_t i = 0; i < o->n && status == FF_OK; i++)
    status = check_initial(program, o->starts + i * program->n_species, err);
  return status;
}

ff_status ff_ssa_run_check_devices(const ff_ssa_run *run, ff_error *err) {
  return ff_ssa_check_devices(run->program, &run->options, err);
}

/* ---- making and freeing ------------------------------------------------------------------------------------------------- */

static void free_wave(void *context, int index) {
  const ff_ssa_waves *w = context;
  w->backend->common.destroy(w->waves[index].ensemble);
  free(w->waves[index].refused);
}

void ff_ssa_waves_free(ff_ssa_waves *w) {
  if (w == NULL) return;
  if (w->waves != NULL) ff_parallel((int)w->n, free_wave, w); /* it takes a while to free much memory of a device */
  ff_ssa_piece_free(&w->piece);
  if (w->order != NULL) ff_ssa_path_free(w->order);
  free(w->order);
  free(w->waves);
  free(w->left);
  free(w->refused);
  free(w->species);
  free(w->largest);
  free(w->devices);
  free((char *)w->choice.cache);
  free((char *)w->choice.kernel);
  free(w);
}

/* A copy of a text that may be NULL. Sets *missing to 1 if there is no memory for it. */
static char *copy_text(const char *text, int *missing) {
  char *copy = text != NULL ? ff_strndup(text, strlen(text)) : NULL;
  *missing |= text != NULL && copy == NULL;
  return copy;
}

/* Makes the trajectory before which reactions are sorted. It begins in find_order(). */
static ff_status begin_order(ff_ssa_waves *w, const ff_ssa_program *program, ff_error *err) {
  w->order = ff_calloc(1, sizeof *w->order);
  if (w->order == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the order of %u reactions", program->n_reactions);
  return ff_ssa_path_new(w->order, program, &ff_ssa_finder_optimised, err);
}

/* Finds the largest count of each species at the start of any trajectory: devices prepare numbers that have room for it. */
static ff_status find_largest(ff_ssa_waves *w, const ff_ssa_run *run, ff_error *err) {
  const uint32_t n = run->program->n_species;
  const double *from = run->options.starts;
  w->largest = ff_calloc(n, sizeof *w->largest);
  if (w->largest == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u counts", n);
  for (uint64_t i = 0; i < run->options.n; i++, from += n)
    for (uint32_t s = 0; s < n; s++)
      if (from[s] > w->largest[s]) w->largest[s] = from[s];
  return FF_OK;
}

static ff_status fill_waves(ff_ssa_waves *w, const ff_ssa_run *run, const ff_ssa_choice *choice, ff_error *err) {
  int missing = 0;
  w->backend = choice->backend;
  w->n = choice->n_devices;
  w->choice = *choice;
  w->choice.cache = copy_text(choice->cache, &missing);
  w->choice.kernel = copy_text(choice->kernel, &missing);
  w->devices = ff_calloc(w->n, sizeof *w->devices);
  w->waves = ff_calloc(w->n, sizeof *w->waves);
  w->left = ff_calloc(2 * (size_t)w->n + 1, sizeof *w->left); /* of each device, its wave and what a wave leaves */
  if (missing || w->devices == NULL || w->waves == NULL || w->left == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for a run on %u devices", w->n);
  memcpy(w->devices, choice->devices, w->n * sizeof *w->devices);
  w->choice.devices = w->devices;
  ff_status status = ff_ssa_waves_choose_species(w, run, err);
  if (status == FF_OK && run->options.starts != NULL) status = find_largest(w, run, err);
  if (status == FF_OK && run->options.method == FF_SSA_OPTIMISED) status = begin_order(w, run->program, err);
  return status == FF_OK ? ff_ssa_piece_new(w, run, err) : status;
}

ff_status ff_ssa_run_use(ff_ssa_run *run, const ff_ssa_choice *choice, ff_error *err) {
  if (run->waves != NULL || choice->n_devices == 0)
    return ff_error_set(err, FF_EARGUMENT, "a run needs a device, and can be moved to devices only once");
  ff_status status = ff_ssa_run_check_devices(run, err);
  if (status != FF_OK) return status;
  ff_ssa_waves *w = ff_calloc(1, sizeof *w);
  if (w == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a run on %u devices", choice->n_devices);
  atomic_init(&w->next_refused, 0);
  atomic_init(&w->ended, 0);
  status = fill_waves(w, run, choice, err);
  if (status == FF_OK)
    run->waves = w;
  else
    ff_ssa_waves_free(w);
  return status;
}

/* ---- dividing the work -------------------------------------------------------------------------------------------------- */

/* Divides what is left into waves of about equal size, so that the devices end together. */
static void plan_waves(ff_ssa_waves *w) {
  double left = 0, capacity = 0;
  for (uint32_t i = 0; i < w->n_left; i++) left += (double)(w->left[i].last - w->left[i].next);
  for (uint32_t i = 0; i < w->n; i++) capacity += w->waves[i].lost ? 0 : (double)w->waves[i].capacity;
  if (capacity == 0) return; /* none is ready */
  const double rounds = ceil(left / capacity);
  for (uint32_t i = 0; i < w->n; i++) {
    ff_ssa_wave *v = &w->waves[i];
    const double size = rounds > 0 ? ceil(left / rounds * ((double)v->capacity / capacity)) : 1;
    v->size = size < (double)v->capacity ? (uint64_t)size : v->capacity;
  }
}

/* Takes the next trajectories, in their order: after a failure, only those before the failed one matter. Returns 0 if there are
 * none. */
static int take(ff_ssa_waves *w, uint64_t failed, uint64_t size, ff_ssa_range *out) {
  uint32_t first = 0;
  for (uint32_t i = 1; i < w->n_left; i++)
    if (w->left[i].next < w->left[first].next) first = i;
  if (w->n_left == 0 || w->left[first].next >= failed) return 0;
  ff_ssa_range *from = &w->left[first];
  *out = *from;
  if (out->last - out->next > size) out->last = out->next + size;
  from->next = out->last;
  if (from->next == from->last) *from = w->left[--w->n_left];
  return 1;
}

/* Lets a wave begin with the first of its trajectories. */
static void begin_anew(ff_ssa_wave *v, ff_ssa_wave_stage stage) {
  v->stage = stage;
  v->begun = 0;
  v->recorded = 0;
  v->n_refused = 0;
  v->n_stopped = 0;
  v->listed = 0;
  v->progress = (ff_ssa_device_progress){0};
}

/* Gives a wave to each device that has none. */
static void begin_waves(ff_ssa_run *run) {
  ff_ssa_waves *w = run->waves;
  const uint64_t failed = atomic_load(&run->failed);
  for (uint32_t i = 0; i < w->n; i++) {
    ff_ssa_wave *v = &w->waves[i];
    if (v->lost || v->stage != FF_SSA_WAVE_NONE || !take(w, failed, v->size, &v->range)) continue;
    w->used = 1;
    begin_anew(v, FF_SSA_WAVE_RUNS);
  }
}

/* ---- devices that fail -------------------------------------------------------------------------------------------------- */

/* Drops a device that has failed. Its trajectories that are not recorded go to the others. */
static ff_status lose(ff_ssa_run *run, ff_ssa_wave *v, ff_error *err) {
  ff_ssa_waves *w = run->waves;
  const size_t said = strlen(w->lost);
  const ff_ssa_range left = {v->range.next + v->recorded, v->range.last, v->range.counted || v->recorded > 0};
  ff_status status = FF_OK;
  snprintf(w->lost + said, sizeof w->lost - said, "%sGPU %u: %.200s", said > 0 ? "; " : "", w->devices[v - w->waves],
           v->err.text);
  if (v->stage != FF_SSA_WAVE_NONE) {
    if (v->recorded > 0) status = ff_ssa_wave_settle(run, v, err);
    if (left.next < left.last) w->left[w->n_left++] = left;
  }
  w->backend->common.destroy(v->ensemble);
  v->ensemble = NULL;
  v->lost = 1;
  v->stage = FF_SSA_WAVE_NONE;
  if (w->ready) plan_waves(w);
  return status;
}

/* Drops devices that have just failed. An error if no device is left. */
static ff_status drop_failed(ff_ssa_run *run, ff_error *err) {
  ff_ssa_waves *w = run->waves;
  const ff_ssa_wave *failed = NULL;
  uint32_t left = 0;
  for (uint32_t i = 0; i < w->n; i++) {
    ff_ssa_wave *v = &w->waves[i];
    if (!v->lost && v->status != FF_OK) {
      ff_status status = lose(run, v, err);
      if (status != FF_OK) return status;
    }
    left += !v->lost;
    if (v->lost && failed == NULL) failed = v;
  }
  return left > 0 ? FF_OK : ff_error_set(err, failed->status, "%s", failed->err.text);
}

/* ---- until they are ready ----------------------------------------------------------------------------------------------- */

/* Sorts the reactions until the deadline, if the method does. Returns whether this is complete. */
static int find_order(ff_ssa_run *run) {
  ff_ssa_path *path = run->waves->order;
  if (path == NULL || ff_ssa_optimised_order(path) != NULL) return 1;
  ff_ssa_path_start(path, run->options.key, 0, run->program->initial);
  while (path->failure.what == FF_SSA_HALFWAY && ff_clock() <= run->deadline) ff_ssa_path_go_on(path);
  return ff_ssa_optimised_order(path) != NULL;
}

/* The first device that has an ensemble, or NULL. */
static const ff_ssa_wave *first_wave(const ff_ssa_waves *w) {
  for (uint32_t i = 0; i < w->n; i++)
    if (w->waves[i].ensemble != NULL) return &w->waves[i];
  return NULL;
}

/* The trajectories that a device may expect in all: those of its wave, and its share of those that wait. */
static uint64_t expected_units(const ff_ssa_run *run, const ff_ssa_wave *v) {
  const uint32_t n = run->waves->n;
  return v->range.last - v->range.next + (ff_ssa_run_waiting(run) + n - 1) / n;
}

/* Creates an ensemble of a device. All devices use the kernel of the first one, because they shall end together. A wide one
 * begins with the device's wave. */
static ff_status create(const ff_ssa_run *run, const ff_ssa_wave *v, int wide, ff_ensemble **out, ff_error *err) {
  const ff_ssa_waves *w = run->waves;
  const ff_ssa_wave *first = wide ? NULL : first_wave(w);
  const uint64_t complete = ff_ssa_workers_complete(run);
  const ff_ensemble_options options = {.device = w->devices[v - w->waves],
                                       .kernel = w->choice.kernel,
                                       .like = first != NULL ? first->ensemble : NULL,
                                       .units = expected_units(run, v),
                                       .steps = complete > 0 ? ff_ssa_workers_events(run) / complete : 0,
                                       .cache = w->choice.cache};
  const ff_ssa_device_request request = {.method = run->options.method,
                                         .initial = w->largest != NULL ? w->largest : run->initial,
                                         .until = run->options.until,
                                         .starts = run->options.starts,
                                         .first_start = run->options.first,
                                         .max_firings = run->options.max_firings,
                                         .max_values = ff_ssa_most_entries(&run->wanted),
                                         .wide = wide,
                                         .product_bytes = w->tallies ? run->wanted.product_bytes : 0,
                                         .times = run->wanted.since,
                                         .n_times = run->wanted.n_times,
                                         .species = w->species,
                                         .n_species = w->n_species,
                                         .blocks = w->choice.blocks,
                                         .order = w->order != NULL ? ff_ssa_optimised_order(w->order) : NULL};
  return w->backend->create(out, run->program, &request, &options, err);
}

static void make_next(const ff_ssa_run *run) {
  ff_ssa_waves *w = run->waves;
  ff_ssa_wave *v = &w->waves[w->made++];
  v->status = create(run, v, 0, &v->ensemble, &v->err);
}

static void settle(void *context, int index) {
  const ff_ssa_run *run = context;
  ff_ssa_wave *v = &run->waves->waves[index];
  const double left = run->deadline - ff_clock();
  int ready = 0;
  if (v->lost || v->capacity > 0) return;
  v->status = run->waves->backend->common.ready(v->ensemble, left > 0 ? left : 0, &ready, &v->err);
  if (v->status == FF_OK && ready) v->capacity = run->waves->backend->common.info(v->ensemble).capacity;
}

static ff_status make_ready(ff_ssa_run *run, int *is, ff_error *err) {
  ff_ssa_waves *w = run->waves;
  if (!find_order(run)) return FF_OK;
  while (w->made < w->n) { /* one after the other, because the driver does not create them in parallel */
    make_next(run);
    if (ff_clock() > run->deadline && w->made < w->n) return FF_OK;
  }
  ff_status status = drop_failed(run, err);
  if (status != FF_OK) return status;
  ff_parallel((int)w->n, settle, run);
  status = drop_failed(run, err);
  *is = status == FF_OK;
  for (uint32_t i = 0; i < w->n; i++) *is &= w->waves[i].lost || w->waves[i].capacity > 0;
  return status;
}

ff_status ff_ssa_run_ready(ff_ssa_run *run, double seconds, int *is, ff_error *err) {
  ff_ssa_waves *w = run->waves;
  *is = 0;
  if (w == NULL) return ff_error_set(err, FF_EARGUMENT, "a run without devices does not wait for any");
  *is = w->ready;
  if (w->ready) return FF_OK;
  run->deadline = ff_clock() + seconds;
  ff_status status = make_ready(run, is, err);
  if (status != FF_OK) { /* the run goes on without devices */
    ff_ssa_waves_free(w);
    run->waves = NULL;
    return status;
  }
  if (!*is) return FF_OK;
  const uint64_t next = atomic_load(&run->next);
  if (next < run->options.n && atomic_load(&run->failed) == FF_SSA_NO_UNIT)
    w->left[w->n_left++] = (ff_ssa_range){next, run->options.n, 0};
  atomic_store(&run->next, run->options.n);
  w->ready = 1;
  plan_waves(w);
  begin_waves(run);
  return FF_OK;
}

ff_status ff_ssa_run_join(ff_ssa_run *run, const ff_ssa_device *backend, ff_ensemble *ensemble, ff_error *err) {
  const uint32_t number = 0;
  const ff_ssa_choice choice = {.backend = backend, .devices = &number, .n_devices = 1};
  int is = 0;
  ff_status status = ff_ssa_run_use(run, &choice, err);
  if (status != FF_OK) {
    backend->common.destroy(ensemble);
    return status;
  }
  run->waves->waves[0].ensemble = ensemble;
  run->waves->made = 1;
  run->waves->waves[0].wide = 1; /* no other ensemble is made for it */
  return ff_ssa_run_ready(run, 0, &is, err);
}

/* ---- work --------------------------------------------------------------------------------------------------------------- */

int ff_ssa_waves_devices(const ff_ssa_run *run) {
  return run->waves != NULL && run->waves->ready ? (int)run->waves->n : 0;
}

/* Whether a device has refused so much of its wave that it should begin anew, with room for larger counts: if this processor
 * would need longer for what is refused, here and later, than the device needs for other code and the wave. Refused trajectories
 * have stopped, so that their events may be a small part of what they have in all. Hence their number counts, too. */
static int should_widen(const ff_ssa_run *run, const ff_ssa_wave *v) {
  const ff_ssa_waves *w = run->waves;
  const double n = (double)(v->range.last - v->range.next), part = (double)v->n_refused / n;
  const double units = part * (double)expected_units(run, v), events = units * (double)v->progress.events / n;
  const double most = w->choice.wide_events > 0 ? w->choice.wide_events : WIDE_EVENTS * run->threads;
  if (v->wide || v->recorded > 0 || part * WIDE_PART < 1 || atomic_load(&run->failed) != FF_SSA_NO_UNIT) return 0;
  if (units < WIDE_UNITS && events < most) return 0;
  return w->backend->common.info(v->ensemble).narrow && !ff_ssa_wave_lists_too_many(run, v);
}

/* Lets a device prepare an ensemble for larger counts. If there is none, the processor simulates what the device has refused. */
static void widen(ff_ssa_run *run, ff_ssa_wave *v) {
  ff_ensemble *wide = NULL;
  ff_error why;
  v->wide = 1;
  if (create(run, v, 1, &wide, &why) != FF_OK) return;
  run->waves->backend->common.destroy(v->ensemble);
  v->ensemble = wide;
  v->capacity = 0;
  begin_anew(v, FF_SSA_WAVE_WIDENS);
}

/* Prepares the ensemble until the deadline, or until it is ready. */
static void prepare_wide(ff_ssa_run *run, ff_ssa_wave *v) {
  ff_ssa_waves *w = run->waves;
  int ready = v->capacity > 0;
  for (double left = run->deadline - ff_clock(); v->status == FF_OK && !ready; left = run->deadline - ff_clock()) {
    const double most = w->n > 1 ? MOST_SECONDS : INFINITY;
    v->status = w->backend->common.ready(v->ensemble, left < 0 ? 0 : left < most ? left : most, &ready, &v->err);
    if (left <= 0 || atomic_load(&w->ended)) break;
  }
  if (v->status != FF_OK || !ready) return;
  v->capacity = w->backend->common.info(v->ensemble).capacity;
  atomic_store(&w->ended, 1);
}

/* Lets a device whose new ensemble is ready begin its wave anew, or as much of it as the ensemble has room for. */
static void begin_wide(ff_ssa_waves *w, ff_ssa_wave *v) {
  ff_ssa_range rest = v->range;
  rest.next += v->capacity;
  if (rest.next < rest.last) {
    w->left[w->n_left++] = rest;
    v->range.last = rest.next;
  }
  v->stage = FF_SSA_WAVE_RUNS;
  plan_waves(w);
}

int ff_ssa_waves_ended(const ff_ssa_run *run) { return run->waves != NULL && atomic_load(&run->waves->ended); }

void ff_ssa_waves_work(ff_ssa_run *run, int device) {
  ff_ssa_waves *w = run->waves;
  ff_ssa_wave *v = &w->waves[device];
  const double most = w->n > 1 ? MOST_SECONDS : INFINITY;
  if (v->stage == FF_SSA_WAVE_WIDENS) prepare_wide(run, v);
  if (v->stage != FF_SSA_WAVE_RUNS) return;
  if (!v->begun)
    v->status = w->backend->common.start(v->ensemble, run->options.key, run->options.first + v->range.next,
                                         v->range.last - v->range.next, &v->err);
  v->begun = 1;
  double left = run->deadline - ff_clock();
  while (v->status == FF_OK && !v->progress.done) {
    const double seconds = left < LEAST_SECONDS ? LEAST_SECONDS : left < most ? left : most;
    v->status = w->backend->advance(v->ensemble, seconds, &v->progress, &v->err);
    left = run->deadline - ff_clock();
    if (left <= 0 || atomic_load(&w->ended) || ff_ssa_wave_lists_too_many(run, v)) break;
  }
  if (v->status != FF_OK || !(v->progress.done || ff_ssa_wave_lists_too_many(run, v))) return;
  if (v->progress.done) v->status = ff_ssa_wave_list_refused(w->backend, v); /* else the run fails */
  if (v->status != FF_OK) return;
  v->stage = FF_SSA_WAVE_ENDED;
  atomic_store(&w->ended, 1);
}

uint64_t ff_ssa_waves_refused(ff_ssa_run *run) {
  ff_ssa_waves *w = run->waves;
  if (w == NULL) return FF_SSA_NO_UNIT;
  for (;;) {
    const size_t i = atomic_fetch_add(&w->next_refused, 1);
    if (i >= w->n_refused) return FF_SSA_NO_UNIT;
    if (w->refused[i] < atomic_load(&run->failed)) return w->refused[i];
  }
}

ff_status ff_ssa_waves_collect(ff_ssa_run *run, ff_error *err) {
  ff_ssa_waves *w = run->waves;
  if (w == NULL || !w->ready) return FF_OK;
  ff_status status = drop_failed(run, err);
  for (uint32_t i = 0; i < w->n && status == FF_OK; i++) {
    ff_ssa_wave *v = &w->waves[i];
    if (v->stage == FF_SSA_WAVE_ENDED && should_widen(run, v)) widen(run, v);
    if (v->stage == FF_SSA_WAVE_ENDED) status = ff_ssa_wave_collect(run, v, err);
    if (v->stage == FF_SSA_WAVE_WIDENS && v->capacity > 0) begin_wide(w, v);
  }
  if (status == FF_OK) status = drop_failed(run, err);
  if (status != FF_OK) return status;
  const uint64_t failed = atomic_load(&run->failed);
  int ended = 0;
  for (uint32_t i = 0; i < w->n; i++) {
    ff_ssa_wave *v = &w->waves[i];
    if (v->stage != FF_SSA_WAVE_NONE && v->range.next > failed) v->stage = FF_SSA_WAVE_NONE; /* it does not matter */
    ended |= v->stage == FF_SSA_WAVE_ENDED;
  }
  atomic_store(&w->ended, ended);
  begin_waves(run);
  return FF_OK;
}

/* ---- what is left, and results ------------------------------------------------------------------------------------------ */

int ff_ssa_waves_any_refused(const ff_ssa_run *run) {
  const ff_ssa_waves *w = run->waves;
  if (w == NULL) return 0;
  for (size_t i = atomic_load(&w->next_refused); i < w->n_refused; i++)
    if (w->refused[i] < atomic_load(&run->failed)) return 1;
  return 0;
}

int ff_ssa_waves_left(const ff_ssa_run *run) {
  const ff_ssa_waves *w = run->waves;
  if (w == NULL) return 0;
  const uint64_t failed = atomic_load(&run->failed);
  for (uint32_t i = 0; i < w->n_left; i++)
    if (w->left[i].next < failed) return 1;
  for (uint32_t i = 0; i < w->n; i++)
    if (w->waves[i].stage != FF_SSA_WAVE_NONE) return 1;
  return ff_ssa_waves_any_refused(run);
}

uint64_t ff_ssa_waves_complete(const ff_ssa_run *run) {
  const ff_ssa_waves *w = run->waves;
  if (w == NULL) return 0;
  uint64_t n = w->complete;
  for (uint32_t i = 0; i < w->n; i++)
    if (w->waves[i].stage != FF_SSA_WAVE_NONE) n += w->waves[i].progress.complete;
  return n;
}

uint64_t ff_ssa_waves_events(const ff_ssa_run *run) {
  const ff_ssa_waves *w = run->waves;
  if (w == NULL) return 0;
  uint64_t n = w->events;
  for (uint32_t i = 0; i < w->n; i++)
    if (w->waves[i].stage != FF_SSA_WAVE_NONE && !w->waves[i].range.counted) n += w->waves[i].progress.events;
  return n;
}

uint64_t ff_ssa_run_waiting(const ff_ssa_run *run) {
  const uint64_t next = atomic_load(&run->next);
  uint64_t n = next < run->options.n ? run->options.n - next : 0;
  for (uint32_t i = 0; run->waves != NULL && i < run->waves->n_left; i++)
    n += run->waves->left[i].last - run->waves->left[i].next;
  return n;
}

int ff_ssa_run_device(const ff_ssa_run *run, ff_ensemble_info *out) {
  const ff_ssa_waves *w = run->waves;
  const ff_ssa_wave *first = w != NULL && w->used ? first_wave(w) : NULL;
  if (first == NULL) return 0;
  *out = w->backend->common.info(first->ensemble);
  out->devices = 1;
  out->refused = w->n_refused;
  for (const ff_ssa_wave *v = first + 1; v < w->waves + w->n; v++) {
    if (v->ensemble == NULL) continue;
    const ff_ensemble_info other = w->backend->common.info(v->ensemble);
    out->devices++;
    out->bytes += other.bytes;
    out->capacity += other.capacity;
    if (other.device_seconds > out->device_seconds) out->device_seconds = other.device_seconds;
  }
  return 1;
}

const char *ff_ssa_run_lost(const ff_ssa_run *run) {
  return run->waves != NULL && run->waves->lost[0] != '\0' ? run->waves->lost : NULL;
}
