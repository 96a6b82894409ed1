/* What the engines for real counts share. */
#include "ff_ssa_smooth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void take_step(ff_ssa_smooth *e) {
  ff_ssa_path *path = &e->single.path;
  const uint32_t n = path->program->n_species;
  if (e->single.started) {
    path->time = e->end;
    path->step++;
    memcpy(path->count, e->after, n * sizeof *path->count);
  } else {
    path->time = 0;
    memcpy(path->count, e->single.initial, n * sizeof *path->count);
    if (e->begin != NULL) e->begin(e);
  }
  e->single.started = 1;
  for (uint32_t s = 0; s < n; s++)
    if (path->count[s] > FF_SSA_MAX_COUNT) ff_ssa_path_fail(path, FF_SSA_BAD_COUNT, s, path->count[s]);
  if (path->failure.what == FF_SSA_FINE) e->step(e);
}

static uint64_t advance(ff_lanes *engine, uint32_t *steps) {
  ff_ssa_smooth *e = (ff_ssa_smooth *)engine;
  ff_ssa_path *path = &e->single.path;
  const double wanted = e->single.wanted;
  while (!(e->single.started && (path->failure.what != FF_SSA_FINE || wanted < e->end))) {
    if (*steps == 0 || (e->single.started && e->end == INFINITY)) return 0;
    --*steps;
    take_step(e);
  }
  engine->broken = path->failure.what != FF_SSA_FINE;
  path->next_time = e->end;
  return 1;
}

static void show(ff_lanes *engine, uint32_t lane, double t) {
  ff_ssa_smooth *e = (ff_ssa_smooth *)engine;
  const ff_ssa_path *path = &e->single.path;
  const uint32_t n = path->program->n_species;
  (void)lane;
  if (e->end == INFINITY)
    memcpy(e->shown, path->count, n * sizeof *e->shown);
  else
    e->show(e, t);
  if (e->round != NULL) e->round(e);
  for (uint32_t s = 0; s < n; s++)
    if (!(e->shown[s] > 0 || (e->round != NULL && e->shown[s] < 0))) e->shown[s] = 0;
  ff_ssa_single_check_shown(&e->single, e->shown, t);
}

static uint64_t steps(const ff_lanes *engine, uint32_t lane) {
  (void)lane;
  return ((const ff_ssa_smooth *)engine)->single.path.step;
}

static void drop(ff_lanes *engine) {
  ff_ssa_smooth *e = (ff_ssa_smooth *)engine;
  if (e == NULL) return;
  if (e->drop != NULL) e->drop(e);
  ff_ssa_single_clear(&e->single);
  free(e->doubt);
  free(e->after);
  free(e->shown);
  free(e);
}

ff_status ff_ssa_smooth_new(ff_ssa_smooth **out, const ff_ssa_program *program, const ff_run_options *options,
                            const double *initial, ff_error *err) {
  *out = NULL;
  ff_ssa_smooth *e = ff_calloc(1, sizeof *e);
  if (e == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a trajectory");
  e->after = ff_calloc(program->n_species, sizeof *e->after);
  e->shown = ff_calloc(program->n_species, sizeof *e->shown);
  ff_status status = ff_ssa_single_fill(&e->single, program, &ff_ssa_finder_first, initial, options->key, err);
  if (status == FF_OK && (e->after == NULL || e->shown == NULL))
    status = ff_error_set(err, FF_EMEMORY, "no memory for a trajectory of %u species", program->n_species);
  if (status != FF_OK) {
    drop(&e->single.base);
    return status;
  }
  e->single.base.count = e->shown;
  e->single.base.advance = advance;
  e->single.base.show = show;
  e->single.base.steps = steps;
  e->single.base.free = drop;
  e->tolerance = options->tolerance;
  *out = e;
  return FF_OK;
}
