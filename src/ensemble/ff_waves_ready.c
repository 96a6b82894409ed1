/* Runs move to devices: whether devices can simulate a run, what is made for it, and the wait until ensembles are ready. */
#include "ff_waves.h"

#include <stdlib.h>
#include <string.h>

/* ---- making and freeing ------------------------------------------------------------------------------------------------- */

void ff_waves_free(ff_waves *w) {
  if (w == NULL) return;
  for (uint32_t i = 0; w->waves != NULL && i < w->fleet.n; i++) free(w->waves[i].refused);
  ff_fleet_clear(&w->fleet);
  ff_piece_free(&w->piece);
  free(w->waves);
  free(w->left);
  free(w->refused);
  free(w->counts);
  free(w->largest);
  free(w);
}

/* Finds the largest of each count at the start of any trajectory: devices prepare numbers that have room for it. */
static ff_status find_largest(ff_waves *w, const ff_run *run, ff_error *err) {
  const uint32_t n = run->process.n_counts;
  const double *from = run->options.starts;
  w->largest = ff_calloc(n, sizeof *w->largest);
  if (w->largest == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u counts", n);
  for (uint64_t i = 0; i < run->options.n; i++, from += n)
    for (uint32_t s = 0; s < n; s++)
      if (from[s] > w->largest[s]) w->largest[s] = from[s];
  return FF_OK;
}

static ff_status fill_waves(ff_waves *w, const ff_run *run, const ff_fleet_choice *choice, ff_error *err) {
  const size_t n = choice->n_devices;
  w->calls = (const ff_device_calls *)choice->calls;
  ff_status status = ff_fleet_fill(&w->fleet, choice, err);
  if (status != FF_OK) return status;
  w->waves = ff_calloc(n, sizeof *w->waves);
  w->left = ff_calloc(2 * n + 1, sizeof *w->left); /* of each device, its wave and what a smaller wave leaves */
  if (w->waves == NULL || w->left == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a run on %u devices", w->fleet.n);
  for (size_t i = 0; i < n; i++) w->waves[i].on = &w->fleet.device[i];
  status = ff_waves_choose_counts(w, run, err);
  if (status == FF_OK && run->options.starts != NULL) status = find_largest(w, run, err);
  return status == FF_OK ? ff_piece_new(w, run, err) : status;
}

/* Whether a formula depends on nothing but counts and the time. Devices record no other items. */
static int is_of_counts(const ff_process *p, const ff_formula *formula) {
  for (uint32_t i = 0; i < formula->length; i++)
    if (formula->word[i].code == FF_F_SYMBOL && formula->word[i].symbol >= p->n_counts) return 0;
  return 1;
}

ff_status ff_process_check_devices(const ff_process *p, const ff_run_options *o, ff_error *err) {
  if (p->engine->check_devices == NULL) return ff_error_set(err, FF_EUNSUPPORTED, "no device has this engine");
  ff_status status = p->engine->check_devices(p->model, o, err);
  for (uint32_t j = 0; j < o->n_observed && status == FF_OK; j++) {
    const uint32_t at = o->observed[j];
    if (at < p->n_counts || is_of_counts(p, p->variables + (at - p->n_counts))) continue;
    status = ff_error_set(err, FF_EUNSUPPORTED, "what is observed depends on more than %s, and devices record only these",
                          p->counted);
  }
  return status;
}

ff_status ff_run_check_devices(const ff_run *run, ff_error *err) {
  return ff_process_check_devices(&run->process, &run->options, err);
}

ff_status ff_run_use(ff_run *run, const ff_fleet_choice *choice, ff_error *err) {
  if (run->waves != NULL || choice->n_devices == 0)
    return ff_error_set(err, FF_EARGUMENT, "a run needs a device, and can be moved to devices only once");
  ff_status status = ff_run_check_devices(run, err);
  if (status != FF_OK) return status;
  ff_waves *w = ff_calloc(1, sizeof *w);
  if (w == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a run on %u devices", choice->n_devices);
  atomic_init(&w->next_refused, 0);
  atomic_init(&w->ended, 0);
  status = fill_waves(w, run, choice, err);
  if (status == FF_OK)
    run->waves = w;
  else
    ff_waves_free(w);
  return status;
}

/* ---- until they are ready ----------------------------------------------------------------------------------------------- */

static ff_status create(void *context, uint32_t i, ff_ensemble_options *options, ff_ensemble **out, ff_error *err) {
  const ff_run *run = context;
  return ff_wave_create(run, &run->waves->waves[i], 0, options, out, err);
}

static ff_status make_ready(ff_run *run, int *is, ff_error *err) {
  const ff_engine *engine = run->process.engine;
  int prepared = 1;
  ff_status status = FF_OK;
  if (engine->prepare != NULL) status = engine->prepare(&run->process, &run->options, run->deadline, &prepared, err);
  if (status != FF_OK || !prepared) return status;
  return ff_fleet_ready(&run->waves->fleet, run->deadline, create, run, is, err);
}

/* Gives the devices all trajectories that have not begun. */
static void move(ff_run *run) {
  ff_waves *w = run->waves;
  const uint64_t next = atomic_load(&run->next);
  if (next < run->options.n && atomic_load(&run->failed) == FF_NO_UNIT)
    w->left[w->n_left++] = (ff_unit_range){next, run->options.n, 0};
  atomic_store(&run->next, run->options.n);
  w->ready = 1;
  ff_waves_plan(w);
  ff_waves_begin(run);
}

/* The run goes on without devices. */
static void drop_waves(ff_run *run) {
  ff_waves_free(run->waves);
  run->waves = NULL;
}

ff_status ff_run_ready(ff_run *run, double seconds, int *is, ff_error *err) {
  *is = 0;
  if (run->waves == NULL) return ff_error_set(err, FF_EARGUMENT, "a run without devices does not wait for any");
  *is = run->waves->ready;
  if (*is) return FF_OK;
  run->deadline = ff_clock() + seconds;
  ff_status status = make_ready(run, is, err);
  if (status != FF_OK) drop_waves(run);
  else if (*is) move(run);
  return status;
}

ff_status ff_run_join(ff_run *run, const ff_device_calls *calls, ff_ensemble *ensemble, ff_error *err) {
  const uint32_t number = 0;
  const ff_fleet_choice choice = {.calls = &calls->common, .devices = &number, .n_devices = 1};
  int is = 0;
  ff_status status = ff_run_use(run, &choice, err);
  if (status != FF_OK) {
    calls->common.destroy(ensemble);
    return status;
  }
  run->waves->fleet.device[0].ensemble = ensemble;
  run->waves->fleet.made = 1;
  run->waves->waves[0].stays = 1;
  run->deadline = ff_clock();
  status = ff_fleet_ready(&run->waves->fleet, run->deadline, create, run, &is, err); /* nothing is left to prepare */
  if (status == FF_OK && !is) status = ff_error_set(err, FF_EINTERNAL, "a run joins an ensemble that is not ready");
  if (status != FF_OK) drop_waves(run);
  else move(run);
  return status;
}
