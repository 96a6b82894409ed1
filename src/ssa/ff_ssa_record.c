/* Records of trajectories. */
#include "ff_ssa_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ff_status ff_ssa_wanted_new(ff_ssa_wanted *wanted, const ff_ssa_program *program, const ff_ssa_options *options, ff_error *err) {
  const ff_ssa_options *o = options;
  memset(wanted, 0, sizeof *wanted);
  for (uint32_t i = 0; i < o->n_times; i++)
    if (!(o->times[i] >= (i > 0 ? o->times[i - 1] : 0)) || !isfinite(o->times[i]))
      return ff_error_set(err, FF_EARGUMENT, "time %u is %g; expected an ascending finite number of at least 0", i + 1,
                          o->times[i]);
  for (uint32_t j = 0; j < o->n_observed; j++)
    if (o->observed[j] >= program->n_species) return ff_error_set(err, FF_EINTERNAL, "an unknown species is observed");
  wanted->n = o->n;
  wanted->n_times = o->n_times;
  wanted->n_observed = o->n_observed;
  wanted->times = ff_calloc(o->n_times, sizeof *wanted->times);
  wanted->observed = ff_calloc(o->n_observed, sizeof *wanted->observed);
  if (o->states != NULL) wanted->states = ff_calloc(o->n_observed, sizeof *wanted->states);
  if (wanted->times == NULL || wanted->observed == NULL || (o->states != NULL && wanted->states == NULL))
    return ff_error_set(err, FF_EMEMORY, "no memory for a run that observes %u species", o->n_observed);
  memcpy(wanted->times, o->times, o->n_times * sizeof *wanted->times);
  if (o->n_observed > 0) memcpy(wanted->observed, o->observed, o->n_observed * sizeof *wanted->observed);
  for (uint32_t j = 0; wanted->states != NULL && j < o->n_observed; j++) wanted->states[j] = o->states[j];
  return FF_OK;
}

void ff_ssa_wanted_free(ff_ssa_wanted *wanted) {
  free(wanted->times);
  free(wanted->observed);
  free(wanted->states);
  memset(wanted, 0, sizeof *wanted);
}

ff_status ff_ssa_record_new(ff_ssa_record *record, const ff_ssa_wanted *wanted, ff_error *err) {
  size_t cells = wanted->states != NULL ? 0 : (size_t)wanted->n_times * wanted->n_observed;
  record->moments = ff_calloc(cells, sizeof *record->moments);
  if (record->moments == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for the statistics of %u species at %u times", wanted->n_observed,
                        wanted->n_times);
  for (size_t i = 0; i < cells; i++) {
    record->moments[i].min = INFINITY;
    record->moments[i].max = -INFINITY;
  }
  return FF_OK;
}

void ff_ssa_record_free(ff_ssa_record *record) {
  free(record->moments);
  record->moments = NULL;
}

void ff_ssa_record_state(ff_ssa_record *record, const ff_ssa_wanted *wanted, uint64_t trajectory, uint32_t at,
                         const double *count, size_t stride) {
  ff_ssa_moments *moments = record->moments + (size_t)at * wanted->n_observed;
  for (uint32_t j = 0; j < wanted->n_observed; j++) {
    const double x = count[wanted->observed[j] * stride];
    if (wanted->states != NULL) {
      wanted->states[j][trajectory * wanted->n_times + at] = x;
      continue;
    }
    ff_sum_add_powers(&moments[j].sums, (uint64_t)x);
    if (x < moments[j].min) moments[j].min = x;
    if (x > moments[j].max) moments[j].max = x;
  }
}

void ff_ssa_record_merge(ff_ssa_moments *all, const ff_ssa_record *record, const ff_ssa_wanted *wanted, uint32_t i, uint32_t j) {
  const ff_ssa_moments *one = record->moments + (size_t)i * wanted->n_observed + j;
  ff_sum_merge_powers(&all->sums, &one->sums);
  if (one->min < all->min) all->min = one->min;
  if (one->max > all->max) all->max = one->max;
}
