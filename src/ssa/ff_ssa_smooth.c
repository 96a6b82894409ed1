/* What the engines for real counts share. */
#include "ff_ssa_smooth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void start(ff_ssa_engine *engine, uint32_t lane, uint64_t unit, double wanted) {
  ff_ssa_smooth *e = (ff_ssa_smooth *)engine;
  (void)lane;
  e->path.unit = unit;
  e->path.event = 0;
  e->path.failure.what = FF_SSA_FINE;
  e->base.broken = 0;
  e->wanted = wanted;
  e->started = 0;
}

static void rest(ff_ssa_engine *engine, uint32_t lane) {
  (void)lane;
  ((ff_ssa_smooth *)engine)->wanted = INFINITY;
}

static void take_step(ff_ssa_smooth *e) {
  ff_ssa_path *path = &e->path;
  const uint32_t n = path->program->n_species;
  if (e->started) {
    path->time = e->end;
    path->event++;
    memcpy(path->count, e->after, n * sizeof *path->count);
  } else {
    path->time = 0;
    memcpy(path->count, e->initial, n * sizeof *path->count);
    if (e->begin != NULL) e->begin(e);
  }
  e->started = 1;
  for (uint32_t s = 0; s < n; s++)
    if (path->count[s] > FF_SSA_MAX_COUNT) ff_ssa_path_fail(path, FF_SSA_BAD_COUNT, s, path->count[s]);
  if (path->failure.what == FF_SSA_FINE) e->step(e);
}

static uint64_t advance(ff_ssa_engine *engine, uint32_t *steps) {
  ff_ssa_smooth *e = (ff_ssa_smooth *)engine;
  while (!(e->started && (e->path.failure.what != FF_SSA_FINE || e->wanted < e->end))) {
    if (*steps == 0 || (e->started && e->end == INFINITY)) return 0;
    --*steps;
    take_step(e);
  }
  e->base.broken = e->path.failure.what != FF_SSA_FINE;
  if (e->base.broken) return 1;
  if (e->end == INFINITY)
    memcpy(e->shown, e->path.count, e->path.program->n_species * sizeof *e->shown);
  else
    e->show(e, (e->wanted - e->path.time) / (e->end - e->path.time));
  for (uint32_t s = 0; s < e->path.program->n_species; s++)
    if (!(e->shown[s] > 0)) e->shown[s] = 0;
  e->path.next_time = e->end == INFINITY ? INFINITY : nextafter(e->wanted, INFINITY);
  return 1;
}

static uint64_t events(const ff_ssa_engine *engine, uint32_t lane) {
  (void)lane;
  return ((const ff_ssa_smooth *)engine)->path.event;
}

static void diagnose(ff_ssa_engine *engine, uint32_t lane, ff_ssa_failure *out) {
  (void)lane;
  *out = ((ff_ssa_smooth *)engine)->path.failure;
}

static void drop(ff_ssa_engine *engine) {
  ff_ssa_smooth *e = (ff_ssa_smooth *)engine;
  if (e == NULL) return;
  if (e->drop != NULL) e->drop(e);
  if (e->path.finder != NULL) ff_ssa_path_free(&e->path);
  free(e->after);
  free(e->shown);
  free(e);
}

ff_status ff_ssa_smooth_new(ff_ssa_smooth **out, const ff_ssa_program *program, const ff_ssa_options *options,
                            const double *initial, ff_error *err) {
  *out = NULL;
  ff_ssa_smooth *e = ff_calloc(1, sizeof *e);
  if (e == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a trajectory");
  e->base = (ff_ssa_engine){.lanes = 1, .stride = 1, .start = start, .rest = rest, .advance = advance, .events = events,
                            .diagnose = diagnose, .free = drop};
  e->after = ff_calloc(program->n_species, sizeof *e->after);
  e->shown = ff_calloc(program->n_species, sizeof *e->shown);
  ff_status status = ff_ssa_path_new(&e->path, program, FF_SSA_FIRST, err);
  if (status == FF_OK && (e->after == NULL || e->shown == NULL))
    status = ff_error_set(err, FF_EMEMORY, "no memory for a trajectory of %u species", program->n_species);
  if (status != FF_OK) {
    drop(&e->base);
    return status;
  }
  e->base.count = e->shown;
  e->base.next_time = &e->path.next_time;
  e->base.wanted = &e->wanted;
  e->initial = initial;
  e->path.key = options->key;
  e->tolerance = options->tolerance;
  e->wanted = INFINITY;
  *out = e;
  return FF_OK;
}
