/* Runs move to devices: whether devices can simulate a run, what is made for it, and the wait until ensembles are ready. */
#include "ff_ssa_waves.h"

#include <stdlib.h>
#include <string.h>

#include "../methods/ff_ssa_finders.h"
#include "../methods/ff_ssa_methods.h"
#include "../schedule/ff_ssa_trajectory.h"

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
  w->left = ff_calloc(2 * (size_t)w->n + 1, sizeof *w->left); /* of each device, its wave and what a smaller wave leaves */
  if (missing || w->devices == NULL || w->waves == NULL || w->left == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for a run on %u devices", w->n);
  memcpy(w->devices, choice->devices, w->n * sizeof *w->devices);
  w->choice.devices = w->devices;
  ff_status status = ff_ssa_waves_choose_species(w, run, err);
  if (status == FF_OK && run->options.starts != NULL) status = find_largest(w, run, err);
  if (status == FF_OK && ff_ssa_row_of(run->options.method)->ordered) status = begin_order(w, run->program, err);
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

/* ---- until they are ready ----------------------------------------------------------------------------------------------- */

/* Sorts the reactions until the deadline, if the method does. Returns whether this is complete. */
static int find_order(ff_ssa_run *run) {
  ff_ssa_path *path = run->waves->order;
  if (path == NULL || ff_ssa_optimised_order(path) != NULL) return 1;
  ff_ssa_path_start(path, run->options.key, 0, run->program->initial);
  while (path->failure.what == FF_SSA_HALFWAY && ff_clock() <= run->deadline) ff_ssa_path_go_on(path);
  return ff_ssa_optimised_order(path) != NULL;
}

static void make_next(const ff_ssa_run *run) {
  ff_ssa_waves *w = run->waves;
  ff_ssa_wave *v = &w->waves[w->made++];
  v->status = ff_ssa_wave_create(run, v, 0, &v->ensemble, &v->err);
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
  ff_status status = ff_ssa_waves_drop_failed(run, err);
  if (status != FF_OK) return status;
  ff_parallel((int)w->n, settle, run);
  status = ff_ssa_waves_drop_failed(run, err);
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
  ff_ssa_waves_plan(w);
  ff_ssa_waves_begin(run);
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
  run->waves->waves[0].stays = 1;
  return ff_ssa_run_ready(run, 0, &is, err);
}
