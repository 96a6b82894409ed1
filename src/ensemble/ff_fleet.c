/* Fleets: devices of a run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ff_fleet.h"

/* A copy of a text that may be NULL. Sets *missing to 1 if there is no memory for it. */
static char *copy_text(const char *text, int *missing) {
  char *copy = text != NULL ? ff_strndup(text, strlen(text)) : NULL;
  *missing |= text != NULL && copy == NULL;
  return copy;
}

ff_status ff_fleet_fill(ff_fleet *fleet, const ff_fleet_choice *choice, ff_error *err) {
  int missing = 0;
  uint32_t *devices = ff_calloc(choice->n_devices, sizeof *devices);
  *fleet = (ff_fleet){.choice = *choice, .device = ff_calloc(choice->n_devices, sizeof *fleet->device)};
  fleet->choice.cache = copy_text(choice->cache, &missing);
  fleet->choice.kernel = copy_text(choice->kernel, &missing);
  fleet->choice.devices = devices;
  if (devices == NULL || fleet->device == NULL || missing)
    return ff_error_set(err, FF_EMEMORY, "no memory for a run on %u devices", choice->n_devices);
  memcpy(devices, choice->devices, choice->n_devices * sizeof *devices);
  fleet->n = choice->n_devices;
  return FF_OK;
}

static void destroy(void *context, int index) {
  const ff_fleet *fleet = context;
  fleet->choice.calls->destroy(fleet->device[index].ensemble);
}

void ff_fleet_clear(ff_fleet *fleet) {
  if (fleet->n > 0) ff_parallel((int)fleet->n, destroy, fleet);
  free(fleet->device);
  free((uint32_t *)fleet->choice.devices);
  free((char *)fleet->choice.cache);
  free((char *)fleet->choice.kernel);
  memset(fleet, 0, sizeof *fleet);
}

/* ---- until they are ready ----------------------------------------------------------------------------------------------- */

static const ff_fleet_device *first_of(const ff_fleet *fleet) {
  for (uint32_t i = 0; i < fleet->n; i++)
    if (fleet->device[i].ensemble != NULL) return &fleet->device[i];
  return NULL;
}

ff_ensemble_options ff_fleet_options(const ff_fleet *fleet, uint32_t i) {
  const ff_fleet_device *first = first_of(fleet);
  return (ff_ensemble_options){.device = fleet->choice.devices[i], .kernel = fleet->choice.kernel,
                               .like = first != NULL ? first->ensemble : NULL, .cache = fleet->choice.cache};
}

typedef struct {
  ff_fleet *fleet;
  double deadline;
} waiting;

static void wait_for(void *context, int index) {
  const waiting *w = context;
  ff_fleet_device *d = &w->fleet->device[index];
  const double left = w->deadline - ff_clock();
  int ready = 0;
  if (d->lost || d->capacity > 0) return;
  d->status = w->fleet->choice.calls->ready(d->ensemble, left > 0 ? left : 0, &ready, &d->err);
  if (d->status == FF_OK && ready) d->capacity = w->fleet->choice.calls->info(d->ensemble).capacity;
}

static ff_status drop_failed(ff_fleet *fleet, ff_error *err) {
  for (uint32_t i = ff_fleet_failed(fleet); i < fleet->n; i = ff_fleet_failed(fleet)) ff_fleet_drop(fleet, i);
  return ff_fleet_check(fleet, err);
}

ff_status ff_fleet_ready(ff_fleet *fleet, double deadline, ff_fleet_create *create, void *context, int *is, ff_error *err) {
  *is = 0;
  while (fleet->made < fleet->n) { /* one after the other, because the driver does not create them in parallel */
    const uint32_t i = fleet->made++;
    ff_fleet_device *d = &fleet->device[i];
    ff_ensemble_options options = ff_fleet_options(fleet, i);
    d->status = create(context, i, &options, &d->ensemble, &d->err);
    if (ff_clock() > deadline && fleet->made < fleet->n) return FF_OK;
  }
  ff_status status = drop_failed(fleet, err);
  if (status != FF_OK) return status;
  ff_parallel((int)fleet->n, wait_for, &(waiting){fleet, deadline});
  status = drop_failed(fleet, err);
  *is = status == FF_OK;
  for (uint32_t i = 0; i < fleet->n; i++) *is &= fleet->device[i].lost || fleet->device[i].capacity > 0;
  return status;
}

/* ---- devices that fail -------------------------------------------------------------------------------------------------- */

uint32_t ff_fleet_failed(const ff_fleet *fleet) {
  uint32_t i = 0;
  while (i < fleet->n && (fleet->device[i].lost || fleet->device[i].status == FF_OK)) i++;
  return i;
}

void ff_fleet_drop(ff_fleet *fleet, uint32_t i) {
  ff_fleet_device *d = &fleet->device[i];
  const size_t said = strlen(fleet->lost);
  snprintf(fleet->lost + said, sizeof fleet->lost - said, "%sGPU %u: %.200s", said > 0 ? "; " : "", fleet->choice.devices[i],
           d->err.text);
  fleet->choice.calls->destroy(d->ensemble);
  d->ensemble = NULL;
  d->lost = 1;
}

ff_status ff_fleet_check(const ff_fleet *fleet, ff_error *err) {
  const ff_fleet_device *failed = NULL;
  for (uint32_t i = 0; i < fleet->n; i++) {
    if (!fleet->device[i].lost) return FF_OK;
    if (failed == NULL) failed = &fleet->device[i];
  }
  return failed != NULL ? ff_error_set(err, failed->status, "%s", failed->err.text) : FF_OK;
}

/* ---- results ------------------------------------------------------------------------------------------------------------ */

int ff_fleet_info(const ff_fleet *fleet, ff_ensemble_info *out) {
  const ff_fleet_device *first = first_of(fleet);
  if (first == NULL) return 0;
  *out = fleet->choice.calls->info(first->ensemble);
  out->device_seconds += first->seconds;
  out->devices = 1;
  for (const ff_fleet_device *d = first + 1; d < fleet->device + fleet->n; d++) {
    if (d->ensemble == NULL) continue;
    const ff_ensemble_info other = fleet->choice.calls->info(d->ensemble);
    const double seconds = d->seconds + other.device_seconds;
    out->devices++;
    out->bytes += other.bytes;
    out->capacity += other.capacity;
    if (seconds > out->device_seconds) out->device_seconds = seconds;
  }
  return 1;
}
