/* A toy engine: a population with births and deaths, a counter of births, and an item that is no count: half of the deaths. It
 * needs nothing of another engine. */
#ifndef FF_TESTS_TOY_ENGINE_H
#define FF_TESTS_TOY_ENGINE_H

#include <math.h>
#include <stdlib.h>

#include "../../src/base/ff_philox.h"
#include "../../src/ensemble/ff_run.h"
#include "../../src/random/ff_exponential.h"

enum { TOY_BIRTH, TOY_DEATH, TOY_COUNTS = 2, TOY_ITEMS = 3 };

typedef struct {
  double birth, death, most; /* a population above `most` is a failure */
  double initial[TOY_COUNTS]; /* the population, and births so far */
  const ff_formula *variables; /* functions of the items */
  uint32_t n_variables;
} toy;

typedef struct {
  ff_lanes base;
  const toy *model;
  const double *initial;
  uint64_t key, unit, step;
  double count[TOY_ITEMS], time, next_time, wanted;
  uint32_t next;
  int started;
} toy_lane;

/* The waiting time and the kind of the next step are words of one draw, addressed by trajectory and step. */
static void toy_find(toy_lane *e) {
  const double births = e->model->birth, rate = births + e->model->death * e->count[0];
  const ff_philox_block w = ff_philox(ff_philox_counter(0, 0, e->step, e->unit), e->key);
  e->next_time = rate > 0 ? e->time + ff_exponential(w.v[0], w.v[1]) / rate : INFINITY;
  e->next = ff_closed(w.v[2], w.v[3]) * rate < births ? TOY_BIRTH : TOY_DEATH;
}

static void toy_happen(toy_lane *e) {
  e->time = e->next_time;
  e->step++;
  e->count[0] += e->next == TOY_BIRTH ? 1 : -1;
  e->count[1] += e->next == TOY_BIRTH;
  e->count[2] += e->next == TOY_DEATH ? 0.5 : 0;
  e->base.broken = e->count[0] > e->model->most;
  toy_find(e);
}

static uint64_t toy_advance(ff_lanes *lanes, uint32_t *steps) {
  toy_lane *e = (toy_lane *)lanes;
  if (!e->started && *steps > 0) {
    for (int i = 0; i < TOY_ITEMS; i++) e->count[i] = i < TOY_COUNTS ? e->initial[i] : 0;
    toy_find(e);
    e->started = 1;
    --*steps;
  }
  for (; !e->base.broken && e->next_time <= e->wanted && *steps > 0; --*steps) toy_happen(e);
  return e->started && (e->base.broken || e->wanted < e->next_time);
}

static void toy_start(ff_lanes *lanes, uint32_t lane, uint64_t unit, double wanted) {
  toy_lane *e = (toy_lane *)lanes;
  (void)lane;
  e->unit = unit;
  e->step = e->base.broken = 0;
  e->started = 0;
  e->time = e->next_time = 0;
  e->wanted = wanted;
}

static void toy_rest(ff_lanes *lanes, uint32_t lane) { ((toy_lane *)lanes)->wanted = lane == 0 ? INFINITY : 0; }

static uint64_t toy_steps(const ff_lanes *lanes, uint32_t lane) { return lane == 0 ? ((const toy_lane *)lanes)->step : 0; }

static void toy_free(ff_lanes *lanes) { free(lanes); }

static ff_status toy_lanes(ff_lanes **out, const ff_process *process, const ff_run_options *options, const double *initial,
                           uint64_t trajectories, ff_error *err) {
  toy_lane *e = ff_calloc(1, sizeof *e);
  (void)trajectories;
  if (e == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a population");
  *e = (toy_lane){.model = process->model, .initial = initial, .key = options->key, .wanted = INFINITY};
  e->base = (ff_lanes){.lanes = 1, .stride = 1, .count = e->count, .next_time = &e->next_time, .wanted = &e->wanted,
                       .next = &e->next, .start = toy_start, .rest = toy_rest, .advance = toy_advance, .steps = toy_steps,
                       .free = toy_free};
  *out = &e->base;
  return FF_OK;
}

static ff_status toy_open(ff_process *process, const ff_run_options *options, ff_error *err) {
  const toy *model = process->model;
  process->n_counts = TOY_COUNTS;
  process->n_items = TOY_ITEMS;
  process->variables = model->variables;
  process->n_variables = model->n_variables;
  for (uint32_t i = 0; i < model->n_variables; i++)
    if (model->variables[i].depth > process->depth) process->depth = model->variables[i].depth;
  process->step = 1;
  process->counted = "populations";
  return options->method == 0 ? FF_OK : ff_error_set(err, FF_EARGUMENT, "there is only one method");
}

static const double *toy_initial(const void *model) { return ((const toy *)model)->initial; }

static void toy_describe(const ff_process *process, const ff_run_options *options, ff_lanes *lanes, uint32_t lane,
                         unsigned long long number, ff_error *out) {
  ff_error_set(out, FF_ESIZE, "population %g of trajectory %llu at time %g is above %g", lanes->count[lane], number,
               options->start + ((toy_lane *)lanes)->time, ((const toy *)process->model)->most);
}

static ff_status toy_check_devices(const void *model, const ff_run_options *options, ff_error *err) {
  (void)options;
  return ((const toy *)model)->death > 0 ? FF_OK : ff_error_set(err, FF_EUNSUPPORTED, "nobody dies");
}

static int toy_shares(const ff_run_options *options) { return options->method == 0; }

static const ff_engine toy_engine = {.open = toy_open, .initial = toy_initial, .lanes = toy_lanes, .describe = toy_describe,
                                     .check_devices = toy_check_devices, .shares = toy_shares};

#endif
