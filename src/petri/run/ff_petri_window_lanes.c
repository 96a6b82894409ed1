/* A lane for one trajectory by windows. */
#include <math.h>
#include <stdlib.h>

#include "../windows/ff_petri_windows.h"
#include "ff_petri_run_internal.h"

typedef struct {
  ff_lanes base;
  ff_petri_windows *windows;
  const double *initial;
  double *count;
  double start, wanted;
  uint64_t key;
  int begun;
} window_lane;

static void start(ff_lanes *lanes, uint32_t lane, uint64_t unit, double wanted) {
  window_lane *e = (window_lane *)lanes;
  (void)lane;
  ff_petri_windows_start(e->windows, e->key, unit, e->initial, e->start);
  e->base.broken = 0;
  e->base.halfway = 0;
  e->wanted = wanted;
  e->begun = 0;
}

static void rest(ff_lanes *lanes, uint32_t lane) {
  (void)lane;
  ((window_lane *)lanes)->wanted = INFINITY;
  lanes->halfway = 0;
}

static uint64_t advance(ff_lanes *lanes, uint32_t *steps) {
  window_lane *e = (window_lane *)lanes;
  const ff_petri_windows_state *now = ff_petri_windows_now(e->windows);
  while (e->base.halfway || !(e->begun && (now->failure.what != FF_PETRI_FINE || e->wanted < now->next_time))) {
    if (*steps == 0 || (e->wanted == INFINITY && !e->base.halfway)) return 0;
    --*steps;
    e->begun = 1;
    e->base.halfway = !ff_petri_windows_step(e->windows);
    if (e->base.halfway) {
      *steps = 0;
      return 0;
    }
  }
  e->base.broken = now->failure.what != FF_PETRI_FINE;
  return 1;
}

static void show(ff_lanes *lanes, uint32_t lane, double t) {
  window_lane *e = (window_lane *)lanes;
  (void)lane;
  ff_petri_windows_show(e->windows, t, e->count, 1);
}

static uint64_t steps(const ff_lanes *lanes, uint32_t lane) {
  (void)lane;
  return ff_petri_windows_now(((const window_lane *)lanes)->windows)->firings;
}

static void diagnose(ff_lanes *lanes, uint32_t lane, ff_failure *out) {
  (void)lane;
  *out = ff_petri_windows_now(((window_lane *)lanes)->windows)->failure;
}

static void drop(ff_lanes *lanes) {
  window_lane *e = (window_lane *)lanes;
  if (e == NULL) return;
  ff_petri_windows_free(e->windows);
  free(e->count);
  free(e);
}

ff_status ff_petri_window_lanes(ff_lanes **out, const ff_process *process, const ff_run_options *options, const double *initial,
                                ff_error *err) {
  const ff_petri_program *program = process->model;
  const ff_petri_parts *parts = process->own;
  const uint64_t lanes = options->n < (uint64_t)options->threads ? options->n : (uint64_t)options->threads;
  *out = NULL;
  window_lane *e = ff_calloc(1, sizeof *e);
  if (e == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a trajectory");
  e->count = ff_calloc(program->n_places, sizeof *e->count);
  ff_status status = e->count != NULL ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for %u places", program->n_places);
  if (status == FF_OK)
    status = ff_petri_windows_new(&e->windows, parts->blocks, options->threads / (lanes > 0 ? (int)lanes : 1), options->simd,
                                  ff_run_follows(options), err);
  if (status != FF_OK) {
    drop(&e->base);
    return status;
  }
  ff_petri_windows_state *now = ff_petri_windows_now(e->windows);
  e->initial = initial;
  e->start = options->start;
  e->key = options->key;
  e->wanted = INFINITY;
  e->base = (ff_lanes){.lanes = 1, .stride = 1, .count = e->count, .next_time = &now->next_time, .wanted = &e->wanted,
                       .next = &now->next, .start = start, .rest = rest, .advance = advance, .steps = steps, .show = show,
                       .diagnose = diagnose, .free = drop};
  *out = &e->base;
  return FF_OK;
}
