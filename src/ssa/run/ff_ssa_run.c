/* Reaction networks as an engine of ensembles: checks, what a run must know of a program, and why trajectories fail. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_decimal.h"
#include "../methods/ff_ssa_choice.h"
#include "../methods/ff_ssa_finders.h"
#include "../methods/ff_ssa_methods.h"
#include "../schedule/ff_ssa_schedule.h"
#include "../schedule/ff_ssa_trajectory.h"
#include "ff_ssa_run.h"

/* ---- options ------------------------------------------------------------------------------------------------------------ */

/* Methods with real counts may start from counts that are not whole: from the end of an earlier run by such a method. */
static ff_status check_counts(const ff_ssa_program *p, const double *initial, ff_ssa_method method, ff_error *err) {
  const int whole = ff_ssa_method_whole(method);
  for (uint32_t s = 0; s < p->n_species; s++) {
    const int broken = whole && initial[s] != floor(initial[s]);
    if (initial[s] >= 0 && initial[s] <= FF_SSA_MAX_COUNT && !broken) continue;
    const ff_quoted name = ff_quote(p->names[s], strlen(p->names[s]));
    if (!(initial[s] >= 0 && initial[s] <= FF_SSA_MAX_COUNT))
      return ff_error_set(err, FF_ESIZE, "the initial count of species %s is %.17g; expected a %snumber from 0 to 2^40",
                          name.text, initial[s], whole ? "whole " : "");
    return ff_error_set(err, FF_EARGUMENT, "the initial count of species %s is %.17g; method \"%s\" needs a whole number",
                        name.text, initial[s], ff_ssa_method_name(method));
  }
  return FF_OK;
}

/* Engines count the time from the start. Rates that depend on the time must have been compiled for this start. A network with
 * events must start at time 0. */
static ff_status check_start(const ff_ssa_program *p, const ff_run_options *o, ff_error *err) {
  ff_status status = FF_OK;
  for (uint64_t i = 0; o->starts != NULL && i < o->n && status == FF_OK; i++)
    status = check_counts(p, o->starts + i * p->n_species, o->method, err);
  if (status != FF_OK) return status;
  if (o->start > 0 && p->n_events > 0)
    return ff_error_set(err, FF_EUNSUPPORTED, "a run that starts at time %g needs a network without events", o->start);
  if (p->timed != NULL && p->start != o->start)
    return ff_error_set(err, FF_EARGUMENT, "the run starts at time %g; expected %g, for which the rates were compiled", o->start,
                        p->start);
  return FF_OK;
}

/* All counts of such a method are real numbers. */
static ff_status mark_real(ff_process *process, uint32_t n, ff_error *err) {
  uint8_t *real = ff_calloc(n, sizeof *real);
  if (real == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u counts", n);
  if (n > 0) memset(real, 1, n);
  process->real = real;
  return FF_OK;
}

/* An event takes time in proportion to the propensities that are computed or searched. An approximate method finds the state
 * within a step by up to 62 halvings of the step. */
static ff_status open_process(ff_process *process, const ff_run_options *o, ff_error *err) {
  const ff_ssa_program *p = process->model;
  if ((unsigned)o->method >= FF_SSA_METHODS) return ff_error_set(err, FF_EARGUMENT, "a run needs a known method");
  const ff_ssa_method_row *row = ff_ssa_row_of((ff_ssa_method)o->method);
  process->variables = p->variables;
  process->n_counts = p->n_species;
  process->n_items = p->n_species + p->n_settable;
  process->n_variables = p->n_variables;
  process->depth = p->depth;
  process->step = ff_ssa_program_scheduled(p) ? ff_ssa_schedule_cost(p) : row->work(p);
  process->look = row->exact ? 0 : p->n_species + 256.0 * p->n_reactions;
  process->counted = "species";
  ff_status status = check_counts(p, o->initial != NULL ? o->initial : p->initial, o->method, err);
  if (status == FF_OK) status = check_start(p, o, err);
  if (status == FF_OK && !row->whole) status = mark_real(process, p->n_species, err);
  return status == FF_OK ? ff_ssa_method_check_options(p, o, err) : status;
}

static const double *initial_of(const void *model) { return ((const ff_ssa_program *)model)->initial; }

static ff_status make_lanes(ff_lanes **out, const ff_process *process, const ff_run_options *options, const double *initial,
                            uint64_t trajectories, ff_error *err) {
  return ff_ssa_engine_new(out, process->model, options, initial, trajectories, err);
}

/* ---- failures ----------------------------------------------------------------------------------------------------------- */

#define MOST_TOLD 6u

static int compare_reactions(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Writes the counts that the propensity of reaction r reads, such as `, where "A" is 2, "B" is 3`. */
static void tell_counts(const ff_ssa_program *p, const ff_lanes *e, uint32_t lane, uint32_t r, char *out, size_t size) {
  size_t used = 0;
  uint32_t told = 0;
  out[0] = '\0';
  for (uint32_t s = 0; s < p->n_species && used < size; s++) {
    const size_t first = p->reader_first[s], n = p->reader_first[s + 1] - first;
    if (n == 0 || bsearch(&r, p->readers + first, n, sizeof r, compare_reactions) == NULL) continue;
    if (told == MOST_TOLD) {
      snprintf(out + used, size - used, ", ...");
      return;
    }
    const int length = snprintf(out + used, size - used, "%s %s is %s", told++ == 0 ? ", where" : ",",
                                ff_quote(p->names[s], strlen(p->names[s])).text,
                                ff_show(e->count[s * e->stride + lane], 15).text);
    used += length > 0 ? (size_t)length : 0;
  }
}

/* Writes the names of reactions that make a species, such as `; reactions that make it: "R1", "R3"`. */
static void tell_makers(const ff_ssa_program *p, uint32_t species, char *out, size_t size) {
  size_t used = 0;
  uint32_t told = 0;
  out[0] = '\0';
  for (uint32_t r = 0; r < p->n_reactions && used < size; r++) {
    int makes = 0;
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++)
      makes |= p->changes[i].species == species && p->changes[i].by > 0;
    if (!makes) continue;
    if (told == MOST_TOLD) {
      snprintf(out + used, size - used, ", ...");
      return;
    }
    const char *name = p->names[p->n_species + r];
    const int length = snprintf(out + used, size - used, "%s %s", told++ == 0 ? "; reactions that make it:" : ",",
                                ff_quote(name, strlen(name)).text);
    used += length > 0 ? (size_t)length : 0;
  }
}

static void describe(const ff_process *process, const ff_run_options *o, ff_lanes *lanes, uint32_t lane,
                     unsigned long long number, ff_error *out) {
  const ff_ssa_program *p = process->model;
  ff_failure failure;
  lanes->diagnose(lanes, lane, &failure);
  if (failure.what >= FF_SSA_BAD_SET) {
    ff_ssa_schedule_describe(p, &failure, number, out);
    return;
  }
  const char *name = p->names[failure.what == FF_SSA_BAD_COUNT ? failure.item : p->n_species + failure.item];
  ff_quoted shown = ff_quote(name, strlen(name));
  failure.time += o->start;
  const int rounded = failure.what == FF_SSA_ROUNDED;
  char where[MOST_TOLD * (sizeof shown.text + 40)] = "";
  const int counts = ff_ssa_method_exact(o->method); /* others may have failed within a step */
  if (failure.what == FF_SSA_BAD_COUNT)
    tell_makers(p, failure.item, where, sizeof where);
  else if (counts)
    tell_counts(p, lanes, lane, failure.item, where, sizeof where);
  if (failure.what == FF_SSA_BAD_RATE && ff_ssa_row_of(o->method)->signs)
    ff_error_set(out, FF_EMODEL, "the rate of reaction %s is %s at time %g of trajectory %llu; expected a finite number",
                 shown.text, ff_show(failure.value, 6).text, failure.time, number);
  else if (rounded || failure.what == FF_SSA_BAD_RATE)
    ff_error_set(out, FF_EMODEL,
                 "the propensity of reaction %s is %s at time %g of trajectory %llu%s%s; expected a finite number of at least "
                 "0%s", shown.text, ff_show(failure.value, 6).text, failure.time, number, where,
                 rounded ? ", perhaps by rounding errors alone" : "", rounded ? ", such as max(0, ...)" : "");
  else if (failure.what == FF_SSA_BAD_SUM)
    ff_error_set(out, FF_EMODEL,
                 "the sum of the propensities is infinite at time %g of trajectory %llu; the largest is %s, of reaction %s%s",
                 failure.time, number, ff_show(failure.value, 6).text, shown.text, where);
  else if (failure.what == FF_SSA_BAD_STEP)
    ff_error_set(out, FF_EMODEL,
                 "the differential equations cannot be solved beyond time %g of trajectory %llu: the steps become too short",
                 failure.time, number);
  else
    ff_error_set(out, FF_ESIZE, "the count of species %s exceeds 2^40 at time %g of trajectory %llu%s", shown.text,
                 failure.time, number, where);
}

/* ---- whether devices can do a run --------------------------------------------------------------------------------------- */

static ff_status check_initial(const ff_ssa_program *program, const double *initial, ff_error *err) {
  for (uint32_t s = 0; s < program->n_species; s++)
    if (initial[s] > FF_DEVICE_MOST) {
      const ff_quoted name = ff_quote(program->names[s], strlen(program->names[s]));
      return ff_error_set(err, FF_EUNSUPPORTED, "the initial count of species %s is %.17g, and the largest count on a GPU is %u",
                          name.text, initial[s], FF_DEVICE_MOST);
    }
  return FF_OK;
}

/* Devices record counts, but not the parameters that events set. */
static ff_status check_observed(const ff_ssa_program *p, const ff_run_options *o, ff_error *err) {
  for (uint32_t j = 0; j < o->n_observed && p->n_settable > 0; j++) {
    if (o->observed[j] < p->n_species) continue;
    const ff_formula *formula = p->variables + (o->observed[j] - p->n_species);
    for (uint32_t i = 0; i < formula->length; i++) {
      if (formula->word[i].code != FF_F_SYMBOL || formula->word[i].symbol < p->n_species) continue;
      const char *name = p->settable_names[formula->word[i].symbol - p->n_species];
      return ff_error_set(err, FF_EUNSUPPORTED, "a variable that is observed depends on parameter %s, which an event sets, and "
                          "GPUs record only counts", ff_quote(name, strlen(name)).text);
    }
  }
  return FF_OK;
}

static ff_status check_devices(const void *model, const ff_run_options *o, ff_error *err) {
  const ff_ssa_program *program = model;
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

/* The order of the reactions in optimised_direct follows from the key, and an ensemble has one order. */
static int shares(const ff_run_options *o) {
  return ff_ssa_method_on_devices(o->method) && !ff_ssa_row_of(o->method)->ordered;
}

/* ---- the order of reactions, for devices -------------------------------------------------------------------------------- */

/* Sorts the reactions, if the method does: before a trajectory, which is kept in process->own. */
static ff_status prepare(ff_process *process, const ff_run_options *o, double deadline, int *is, ff_error *err) {
  const ff_ssa_program *p = process->model;
  ff_ssa_path *path = process->own;
  *is = !ff_ssa_row_of(o->method)->ordered;
  if (*is) return FF_OK;
  if (path == NULL) {
    path = process->own = ff_calloc(1, sizeof *path);
    if (path == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the order of %u reactions", p->n_reactions);
    ff_status status = ff_ssa_path_new(path, p, &ff_ssa_finder_optimised, err);
    if (status != FF_OK) return status;
  }
  if (ff_ssa_optimised_order(path) == NULL) {
    ff_ssa_path_start(path, o->key, 0, p->initial);
    while (path->failure.what == FF_SSA_HALFWAY && ff_clock() <= deadline) ff_ssa_path_go_on(path);
  }
  *is = ff_ssa_optimised_order(path) != NULL;
  return FF_OK;
}

static void request(const ff_process *process, ff_device_request *out) {
  out->order = process->own != NULL ? ff_ssa_optimised_order(process->own) : NULL;
}

static void close_process(ff_process *process) {
  if (process->own != NULL) ff_ssa_path_free(process->own);
  free(process->own);
  free((uint8_t *)process->real);
}

const ff_engine ff_ssa_engine = {.open = open_process, .close = close_process, .initial = initial_of, .lanes = make_lanes,
                                 .describe = describe, .check_devices = check_devices, .shares = shares, .prepare = prepare,
                                 .request = request};
