/* A hybrid toy engine: a level that flows in a straight line, and jumps at known times that take a part of it and are counted.
 * Several trajectories may run at a time. */
#ifndef FF_TESTS_TOY_HYBRID_H
#define FF_TESTS_TOY_HYBRID_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/ensemble/ff_run.h"

enum { HYBRID_JUMPS, HYBRID_LEVEL, HYBRID_COUNTS, HYBRID_JUMP = 7, HYBRID_MOST = 4 };

typedef struct {
  double every, takes; /* a jump at each multiple of `every` takes so much */
  double most;         /* a level that is shown above this is a failure */
  double mark;         /* a condition stands for this level: it holds when the level is reached */
  uint32_t lanes;
  int tells, looks; /* whether `next` tells what fires, and lanes look at the condition */
  int whole;        /* whether its levels are called whole, and so must be */
  double initial[HYBRID_COUNTS];
} hybrid;

typedef struct {
  ff_lanes base;
  const hybrid *model;
  const double *initial;
  int ends;
  double count[HYBRID_COUNTS * HYBRID_MOST], time[HYBRID_MOST], level[HYBRID_MOST], slope[HYBRID_MOST];
  double next_time[HYBRID_MOST], wanted[HYBRID_MOST];
  uint64_t steps[HYBRID_MOST], jumps[HYBRID_MOST];
  uint32_t next;
  uint8_t started[HYBRID_MOST], passed[HYBRID_MOST];
} hybrid_lanes;

/* The level of trajectory u grows by u + 1 in each unit of time. */
static double hybrid_level(const hybrid_lanes *e, uint32_t l, double t) { return e->level[l] + e->slope[l] * (t - e->time[l]); }

static void hybrid_show(ff_lanes *lanes, uint32_t l, double t) {
  hybrid_lanes *e = (hybrid_lanes *)lanes;
  e->count[HYBRID_LEVEL * lanes->stride + l] = hybrid_level(e, l, t);
  if (hybrid_level(e, l, t) > e->model->most) lanes->broken |= UINT64_C(1) << l;
}

/* The level reaches the mark before the next jump, or it does not: both are steps. */
static void hybrid_find(hybrid_lanes *e, uint32_t l) {
  const double jump = e->model->every * ((double)e->jumps[l] + 1);
  const double mark = e->time[l] + (e->model->mark - e->level[l]) / e->slope[l];
  e->passed[l] = e->ends && mark <= jump;
  e->next_time[l] = e->passed[l] ? mark : jump;
}

static void hybrid_step(hybrid_lanes *e, uint32_t l) {
  const double level = hybrid_level(e, l, e->next_time[l]);
  const int jumps = !e->passed[l];
  e->time[l] = e->next_time[l];
  e->level[l] = level - jumps * e->model->takes;
  e->jumps[l] += (uint64_t)jumps;
  e->steps[l]++;
  e->count[HYBRID_JUMPS * e->base.stride + l] += jumps;
  e->count[HYBRID_LEVEL * e->base.stride + l] = e->level[l];
  if (!jumps) e->base.reached |= UINT64_C(1) << l;
  hybrid_find(e, l);
}

static uint64_t hybrid_advance(ff_lanes *lanes, uint32_t *steps) {
  hybrid_lanes *e = (hybrid_lanes *)lanes;
  for (;; --*steps) {
    uint64_t reports = lanes->broken;
    for (uint32_t l = 0; l < lanes->lanes; l++)
      if (e->started[l] && e->wanted[l] < e->next_time[l]) reports |= UINT64_C(1) << l;
    if (reports != 0 || *steps == 0) return reports;
    for (uint32_t l = 0; l < lanes->lanes; l++) {
      if (e->wanted[l] == INFINITY) continue;
      if (e->started[l]) hybrid_step(e, l);
      else hybrid_find(e, l);
      e->started[l] = 1;
    }
  }
}

static void hybrid_start(ff_lanes *lanes, uint32_t l, uint64_t unit, double wanted) {
  hybrid_lanes *e = (hybrid_lanes *)lanes;
  for (uint32_t i = 0; i < HYBRID_COUNTS; i++) e->count[i * lanes->stride + l] = e->initial[i];
  e->level[l] = e->initial[HYBRID_LEVEL];
  e->slope[l] = (double)(unit + 1);
  e->time[l] = e->next_time[l] = 0;
  e->steps[l] = e->jumps[l] = e->started[l] = 0;
  lanes->broken &= ~(UINT64_C(1) << l);
  lanes->reached &= ~(UINT64_C(1) << l);
  e->wanted[l] = wanted;
}

static void hybrid_rest(ff_lanes *lanes, uint32_t l) {
  hybrid_lanes *e = (hybrid_lanes *)lanes;
  e->wanted[l] = INFINITY;
  e->started[l] = 0;
  lanes->broken &= ~(UINT64_C(1) << l);
  lanes->reached &= ~(UINT64_C(1) << l);
}

static uint64_t hybrid_steps(const ff_lanes *lanes, uint32_t l) { return ((const hybrid_lanes *)lanes)->steps[l]; }

static void hybrid_free(ff_lanes *lanes) { free(lanes); }

static ff_status hybrid_new(ff_lanes **out, const ff_process *process, const ff_run_options *options, const double *initial,
                            uint64_t trajectories, ff_error *err) {
  const hybrid *model = process->model;
  hybrid_lanes *e = ff_calloc(1, sizeof *e);
  (void)trajectories;
  if (e == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for levels");
  *e = (hybrid_lanes){.model = model, .initial = initial, .ends = options->until != NULL, .next = HYBRID_JUMP};
  e->base = (ff_lanes){.lanes = model->lanes, .stride = model->lanes, .count = e->count, .next_time = e->next_time,
                       .wanted = e->wanted, .looks = model->looks, .next = model->tells ? &e->next : NULL, .start = hybrid_start,
                       .rest = hybrid_rest, .advance = hybrid_advance, .steps = hybrid_steps, .show = hybrid_show,
                       .free = hybrid_free};
  for (uint32_t l = 0; l < model->lanes; l++) e->wanted[l] = INFINITY;
  *out = &e->base;
  return FF_OK;
}

static ff_status hybrid_open(ff_process *process, const ff_run_options *options, ff_error *err) {
  static const uint8_t real[HYBRID_COUNTS] = {0, 1};
  const hybrid *model = process->model;
  (void)options, (void)err;
  process->n_counts = process->n_items = HYBRID_COUNTS;
  process->real = model->whole ? NULL : real;
  process->step = 1;
  process->counted = "places";
  return FF_OK;
}

static const double *hybrid_initial(const void *model) { return ((const hybrid *)model)->initial; }

static void hybrid_describe(const ff_process *process, const ff_run_options *options, ff_lanes *lanes, uint32_t lane,
                            unsigned long long number, ff_error *out) {
  (void)process, (void)options;
  ff_error_set(out, FF_ESIZE, "level %g of trajectory %llu", lanes->count[HYBRID_LEVEL * lanes->stride + lane], number);
}

static ff_status hybrid_check_devices(const void *model, const ff_run_options *options, ff_error *err) {
  (void)model, (void)options, (void)err;
  return FF_OK;
}

static const ff_engine hybrid_engine = {.open = hybrid_open, .initial = hybrid_initial, .lanes = hybrid_new,
                                        .describe = hybrid_describe, .check_devices = hybrid_check_devices};

#endif
