/* Programs of a Stochastic Simulation Processor as an engine of ensembles: lanes of one SPE, and why trajectories fail. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_decimal.h"
#include "../../base/ff_names.h"
#include "ff_ssp_run_internal.h"

/* ---- lanes ------------------------------------------------------------------------------------------------------------- */

typedef struct {
  ff_lanes base;
  ff_ssp_spe *spe;
  const double *initial;
  double wanted, next_time;
  uint64_t key, unit;
  int started;
} ssp_lane;

static void start(ff_lanes *lanes, uint32_t lane, uint64_t unit, double wanted) {
  ssp_lane *e = (ssp_lane *)lanes;
  (void)lane;
  e->unit = unit;
  e->wanted = wanted;
  e->next_time = 0;
  e->started = 0;
  e->base.broken = 0;
}

static void rest(ff_lanes *lanes, uint32_t lane) {
  (void)lane;
  ((ssp_lane *)lanes)->wanted = INFINITY;
}

/* Finds the next step. */
static void find(ssp_lane *e) {
  e->next_time = ff_ssp_spe_step(e->spe) ? e->spe->winner.time : INFINITY;
  e->base.broken = e->spe->failure.what != FF_SSP_FINE;
}

static uint64_t advance(ff_lanes *lanes, uint32_t *steps) {
  ssp_lane *e = (ssp_lane *)lanes;
  if (!e->started && *steps > 0) {
    ff_ssp_spe_start(e->spe, e->key, e->unit, e->initial);
    e->started = 1;
    find(e);
    --*steps;
  }
  for (; e->started && !e->base.broken && e->next_time <= e->wanted && e->next_time < INFINITY && *steps > 0; --*steps) find(e);
  return e->started && (e->base.broken || e->wanted < e->next_time);
}

static uint64_t steps_of(const ff_lanes *lanes, uint32_t lane) {
  const ssp_lane *e = (const ssp_lane *)lanes;
  (void)lane;
  return e->started ? e->spe->winner.step : 0;
}

static void diagnose(ff_lanes *lanes, uint32_t lane, ff_failure *out) {
  (void)lane;
  ff_ssp_spe_diagnose(((ssp_lane *)lanes)->spe, out);
}

static void free_lane(ff_lanes *lanes) {
  if (lanes == NULL) return;
  ff_ssp_spe_free(((ssp_lane *)lanes)->spe);
  free(lanes);
}

static ff_status make_lanes(ff_lanes **out, const ff_process *process, const ff_run_options *options, const double *initial,
                            uint64_t trajectories, ff_error *err) {
  (void)trajectories;
  *out = NULL;
  ssp_lane *e = ff_calloc(1, sizeof *e);
  if (e == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a trajectory");
  const ff_status status = ff_ssp_spe_new(&e->spe, process->model, NULL, err);
  if (status != FF_OK) {
    free(e);
    return status;
  }
  e->base = (ff_lanes){.lanes = 1, .stride = 1, .count = e->spe->state, .next_time = &e->next_time, .wanted = &e->wanted,
                       .next = &e->spe->winner.tag, .start = start, .rest = rest, .advance = advance, .steps = steps_of,
                       .diagnose = diagnose, .free = free_lane};
  e->initial = initial;
  e->key = options->key;
  e->wanted = INFINITY;
  *out = &e->base;
  return FF_OK;
}

/* ---- options ----------------------------------------------------------------------------------------------------------- */

/* The name of a species or, after them, of a reaction, as messages show it. */
static ff_quoted name_of(const ff_ssp_code *code, uint32_t item) {
  const uint32_t n = code->n_species;
  char plain[32];
  snprintf(plain, sizeof plain, "number %u", item < n ? item + 1 : item - n + 1);
  const char *name = code->program->names != NULL ? code->program->names[item] : plain;
  return ff_quote(name, strlen(name));
}

static ff_status check_counts(const ff_ssp_code *code, const double *initial, ff_error *err) {
  for (uint32_t s = 0; s < code->n_species; s++) {
    if (!(initial[s] >= 0 && initial[s] <= FF_SSP_MOST))
      return ff_error_set(err, FF_ESIZE, "the initial count of species %s is %s; populations are from 0 to 2^32 - 1",
                          name_of(code, s).text, ff_show(initial[s], 17).text);
    if (initial[s] != floor(initial[s]))
      return ff_error_set(err, FF_EARGUMENT, "the initial count of species %s is %s; the processor needs a whole number",
                          name_of(code, s).text, ff_show(initial[s], 17).text);
  }
  return FF_OK;
}

static ff_status open_process(ff_process *process, const ff_run_options *o, ff_error *err) {
  const ff_ssp_code *code = process->model;
  if (o->method != 0) return ff_error_set(err, FF_EARGUMENT, "the processor has one method, number 0; found %d", o->method);
  process->n_counts = process->n_items = code->n_species;
  process->step = 4.0 * (double)ff_ssp_instructions(code->program); /* an instruction takes some nanoseconds */
  process->counted = "species";
  ff_status status = check_counts(code, o->initial != NULL ? o->initial : code->initial, err);
  for (uint64_t i = 0; o->starts != NULL && i < o->n && status == FF_OK; i++)
    status = check_counts(code, o->starts + i * code->n_species, err);
  return status;
}

static void close_process(ff_process *process) { (void)process; }

static const double *initial_of(const void *model) { return ((const ff_ssp_code *)model)->initial; }

static ff_status check_devices(const void *model, const ff_run_options *options, ff_error *err) {
  (void)model, (void)options;
  return ff_error_set(err, FF_EUNSUPPORTED, "programs of a Stochastic Simulation Processor run on this processor only");
}

static int shares(const ff_run_options *options) {
  (void)options;
  return 0;
}

/* ---- failures ---------------------------------------------------------------------------------------------------------- */

ff_status ff_ssp_describe_failure(const ff_ssp_code *code, const ff_failure *failure, double start, unsigned long long number,
                                  ff_error *out) {
  const double time = start + failure->time;
  if (failure->what == FF_SSP_BAD_POPULATION)
    return ff_error_set(out, FF_ESIZE,
                        "the population of species %s is %s at time %g of trajectory %llu; populations are from 0 to 2^32 - 1",
                        name_of(code, failure->item).text, ff_show(failure->value, 17).text, time, number);
  return ff_error_set(out, FF_EMODEL,
                      "the propensity of reaction %s exceeds the largest number of %u bits at time %g of trajectory %llu",
                      name_of(code, code->n_species + failure->item).text, code->program->chip.precision, time, number);
}

static void describe(const ff_process *process, const ff_run_options *o, ff_lanes *lanes, uint32_t lane,
                     unsigned long long number, ff_error *out) {
  ff_failure failure;
  lanes->diagnose(lanes, lane, &failure);
  ff_ssp_describe_failure(process->model, &failure, o->start, number, out);
}

const ff_engine ff_ssp_engine = {.open = open_process, .close = close_process, .initial = initial_of, .lanes = make_lanes,
                                 .describe = describe, .check_devices = check_devices, .shares = shares};
