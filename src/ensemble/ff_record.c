/* Records of trajectories. */
#include "ff_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is wanted ----------------------------------------------------------------------------------------------------- */

static ff_status check(const ff_process *process, const ff_run_options *o, ff_error *err) {
  for (uint32_t i = 0; i < o->n_times; i++)
    if (!(o->times[i] >= (i > 0 ? o->times[i - 1] : o->start)) || !isfinite(o->times[i]))
      return ff_error_set(err, FF_EARGUMENT, "time %u is %g; expected an ascending finite number of at least %g", i + 1,
                          o->times[i], o->start);
  for (uint32_t j = 0; j < o->n_observed; j++)
    if (o->observed[j] >= process->n_counts + process->n_variables)
      return ff_error_set(err, FF_EINTERNAL, "an unknown quantity is observed");
  return FF_OK;
}

/* Real numbers take longer than counts. */
static double cost_of(const ff_wanted *wanted, const ff_process *p, const ff_run_options *o) {
  const double n = o->n_observed;
  double cells = n + 1, real = 0;
  if (wanted->states == NULL && (o->wanted & FF_COVARIANCE)) cells += n * (n - 1) / 2;
  if (wanted->states == NULL && (o->wanted & FF_HISTOGRAM)) cells += 4 * n;
  for (uint32_t j = 0; j < o->n_observed; j++) {
    real = wanted->real[j] ? 16 : real;
    if (o->observed[j] >= p->n_counts) cells += p->variables[o->observed[j] - p->n_counts].length;
  }
  if (wanted->states == NULL && real > 0) cells *= real;
  return cells + wanted->n_needed + p->look;
}

/* Counts moments and sums of products. The memory that products take is not available for histograms. */
static ff_status limit_sums(ff_wanted *wanted, const ff_run_options *o, ff_error *err) {
  uint32_t n_reals = 0;
  if (wanted->states != NULL) return FF_OK;
  for (uint32_t j = 0; j < o->n_observed; j++) n_reals += wanted->real[j] != 0;
  wanted->moment_bytes = ff_sums_moment_bytes(o->n_times, o->n_observed, n_reals);
  if (!(o->wanted & FF_COVARIANCE)) return FF_OK;
  const double bytes = ff_sums_product_bytes(o->n_times, o->n_observed, n_reals > 0);
  if (bytes > (double)wanted->max_bytes)
    return ff_error_set(err, FF_ESIZE, "the covariances of %u %s at %u times take %.3g GB; expected at most %.3g GB: observe "
                        "fewer %s or times", o->n_observed, wanted->process->counted, o->n_times, bytes / 1e9,
                        (double)wanted->max_bytes / 1e9, wanted->process->counted);
  wanted->product_bytes = (uint64_t)bytes;
  wanted->max_bytes -= wanted->product_bytes;
  return FF_OK;
}

/* Of many items, a variable needs a few. */
static ff_status list_needed(ff_wanted *wanted, const ff_process *p, ff_error *err) {
  uint8_t *is = ff_calloc(p->n_items, sizeof *is);
  uint32_t n = 0;
  for (uint32_t j = 0; is != NULL && j < wanted->n_observed; j++) {
    if (wanted->observed[j] < p->n_counts) continue;
    const ff_formula *formula = p->variables + (wanted->observed[j] - p->n_counts);
    for (uint32_t i = 0; i < formula->length; i++) {
      if (formula->word[i].code != FF_F_SYMBOL || is[formula->word[i].symbol]) continue;
      is[formula->word[i].symbol] = 1;
      n++;
    }
  }
  wanted->needed = ff_calloc(n, sizeof *wanted->needed);
  for (uint32_t i = 0; is != NULL && wanted->needed != NULL && i < p->n_items; i++)
    if (is[i]) wanted->needed[wanted->n_needed++] = i;
  free(is);
  if (is != NULL && wanted->needed != NULL) return FF_OK;
  return ff_error_set(err, FF_EMEMORY, "no memory for a run that observes functions of %u numbers", n);
}

ff_status ff_wanted_new(ff_wanted *wanted, const ff_process *process, const ff_run_options *options, ff_error *err) {
  const ff_run_options *o = options;
  memset(wanted, 0, sizeof *wanted);
  ff_status status = check(process, o, err);
  if (status != FF_OK) return status;
  *wanted = (ff_wanted){.process = process, .n = o->n, .n_times = o->n_times, .n_observed = o->n_observed, .start = o->start,
                            .sums = o->wanted, .max_bytes = o->max_bytes > 0 ? o->max_bytes : FF_RUN_MAX_BYTES,
                            .max_firings = o->max_firings, .stopped = o->until != NULL ? o->stopped : NULL};
  wanted->times = ff_calloc(o->n_times, sizeof *wanted->times);
  wanted->since = ff_calloc(o->n_times, sizeof *wanted->since);
  wanted->observed = ff_calloc(o->n_observed, sizeof *wanted->observed);
  wanted->real = ff_calloc(o->n_observed, sizeof *wanted->real);
  if (o->states != NULL) wanted->states = ff_calloc(o->n_observed, sizeof *wanted->states);
  const int has_times = wanted->times != NULL && wanted->since != NULL;
  if (!has_times || !wanted->observed || !wanted->real || (o->states != NULL && wanted->states == NULL))
    return ff_error_set(err, FF_EMEMORY, "no memory for a run that observes %u quantities", o->n_observed);
  for (uint32_t i = 0; i < o->n_times; i++) {
    wanted->times[i] = o->times[i];
    wanted->since[i] = o->times[i] - o->start;
  }
  for (uint32_t j = 0; j < o->n_observed; j++) {
    wanted->observed[j] = o->observed[j];
    const int variable = o->observed[j] >= process->n_counts;
    wanted->real[j] = variable || (process->real != NULL && process->real[o->observed[j]]);
    if (wanted->states != NULL) wanted->states[j] = o->states[j];
  }
  status = list_needed(wanted, process, err);
  if (status != FF_OK) return status;
  wanted->cost = cost_of(wanted, process, o);
  return limit_sums(wanted, o, err);
}

int ff_wanted_threads(const ff_wanted *wanted, int threads) {
  const uint64_t each = wanted->product_bytes, all = each + wanted->max_bytes;
  uint64_t n = wanted->n < (uint64_t)threads ? wanted->n : (uint64_t)threads;
  if (each > 0 && n > all / each) n = all / each;
  if ((double)n * wanted->moment_bytes > FF_RUN_MAX_MOMENTS) n = (uint64_t)(FF_RUN_MAX_MOMENTS / wanted->moment_bytes);
  return n > 0 ? (int)n : 1;
}

void ff_wanted_free(ff_wanted *wanted) {
  free(wanted->times);
  free(wanted->since);
  free(wanted->observed);
  free(wanted->real);
  free(wanted->needed);
  free(wanted->states);
  memset(wanted, 0, sizeof *wanted);
}

/* ---- records ------------------------------------------------------------------------------------------------------------ */

ff_status ff_record_new(ff_record *record, const ff_wanted *wanted, ff_shared *shared, ff_error *err) {
  memset(record, 0, sizeof *record);
  record->shared = shared;
  record->value = ff_calloc(wanted->n_observed, sizeof *record->value);
  record->state = ff_calloc(wanted->n_needed > 0 ? wanted->process->n_items : 0, sizeof *record->state);
  record->stack = ff_calloc(wanted->process->n_variables > 0 ? wanted->process->depth : 0, sizeof *record->stack);
  if (record->value == NULL || record->state == NULL || record->stack == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for %u observed quantities", wanted->n_observed);
  if (wanted->states != NULL) return FF_OK;
  return ff_sums_new(&record->sums, wanted->n_times, wanted->n_observed, wanted->real, wanted->sums, err);
}

void ff_record_free(ff_record *record) {
  ff_sums_free(&record->sums);
  free(record->firing);
  free(record->value);
  free(record->state);
  free(record->stack);
  memset(record, 0, sizeof *record);
}

/* ---- states ------------------------------------------------------------------------------------------------------------- */

static void observe(ff_record *record, const ff_wanted *wanted, double time, const double *count, size_t stride) {
  const ff_process *p = wanted->process;
  for (uint32_t i = 0; i < wanted->n_needed; i++) record->state[wanted->needed[i]] = count[wanted->needed[i] * stride];
  for (uint32_t j = 0; j < wanted->n_observed; j++) {
    const uint32_t at = wanted->observed[j];
    if (at < p->n_counts)
      record->value[j] = count[at * stride];
    else
      record->value[j] = ff_formula_value(p->variables + (at - p->n_counts), record->state, time, record->stack);
  }
}

/* The message gives the size for the case in which no two trajectories have the same count. */
ff_status ff_refuse_bytes(const ff_wanted *wanted, ff_error *err) {
  const double worst = 32.0 * (double)wanted->n * wanted->n_times * wanted->n_observed;
  return ff_error_set(err, FF_ESIZE,
                      "the histograms of %u %s at %u times take more than %.3g GB, and may take up to %.3g GB for %llu "
                      "trajectories; observe fewer %s or times", wanted->n_observed, wanted->process->counted,
                      wanted->n_times, (double)wanted->max_bytes / 1e9, worst / 1e9, (unsigned long long)wanted->n,
                      wanted->process->counted);
}

/* A table has room for at least twice its entries. */
uint64_t ff_most_entries(const ff_wanted *wanted) {
  return wanted->sums & FF_HISTOGRAM ? wanted->max_bytes / (2 * sizeof(ff_frequency_entry)) : 0;
}

/* The record's histograms had `before` bytes. */
static ff_status check_bytes(const ff_record *record, const ff_wanted *wanted, uint64_t before, ff_error *err) {
  if (record->bytes <= before) return FF_OK;
  const uint64_t added = record->bytes - before, all = atomic_fetch_add(&record->shared->bytes, added) + added;
  if (all > wanted->max_bytes) atomic_store(&record->shared->full, 1);
  return record->bytes <= wanted->max_bytes ? FF_OK : ff_refuse_bytes(wanted, err);
}

ff_status ff_record_look(ff_record *record, const ff_wanted *wanted, ff_error *err) {
  const size_t cells = record->sums.frequency != NULL ? (size_t)wanted->n_times * wanted->n_observed : 0;
  const uint64_t before = record->bytes;
  record->bytes = 0;
  for (size_t i = 0; i < cells; i++) record->bytes += record->sums.frequency[i].room * sizeof(ff_frequency_entry);
  return check_bytes(record, wanted, before, err);
}

ff_status ff_record_state(ff_record *record, const ff_wanted *wanted, uint64_t trajectory, uint32_t at,
                          const double *count, size_t stride, ff_error *err) {
  const double time = wanted->times[at], stopped = wanted->stopped != NULL ? wanted->stopped[trajectory] : NAN;
  observe(record, wanted, stopped < time ? stopped : time, count, stride); /* NaN: not stopped */
  if (wanted->states != NULL) {
    for (uint32_t j = 0; j < wanted->n_observed; j++)
      wanted->states[j][trajectory * wanted->n_times + at] = record->value[j];
    return FF_OK;
  }
  const uint64_t before = record->bytes;
  ff_status status = ff_sums_add(&record->sums, at, record->value, &record->bytes, err);
  return status == FF_OK ? check_bytes(record, wanted, before, err) : status;
}

/* ---- firings ------------------------------------------------------------------------------------------------------------ */

ff_status ff_refuse_firings(const ff_wanted *wanted, ff_error *err) {
  return ff_error_set(err, FF_ESIZE, "the trajectories have more than %.6g firings, which are too many to keep; expected fewer "
                      "trajectories or an earlier end", (double)wanted->max_firings);
}

ff_status ff_record_firing(ff_record *record, const ff_wanted *wanted, uint64_t trajectory, double time,
                           uint32_t what, ff_error *err) {
  if (atomic_fetch_add(&record->shared->firings, 1) >= wanted->max_firings)
    return ff_refuse_firings(wanted, err);
  ff_status status = ff_grow((void **)&record->firing, &record->firings_room, record->n_firings + 1, sizeof *record->firing, err);
  if (status != FF_OK) return status;
  record->firing[record->n_firings++] = (ff_firing){trajectory, wanted->start + time, what};
  return FF_OK;
}
