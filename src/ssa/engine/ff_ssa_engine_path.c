/* The engine for one trajectory at a time. */
#include <stdlib.h>

#include "ff_ssa_single.h"
#include "../schedule/ff_ssa_trajectory.h"

static uint64_t advance(ff_lanes *engine, uint32_t *steps) {
  ff_ssa_single *e = (ff_ssa_single *)engine;
  ff_ssa_path *path = &e->path;
  if (!e->started && *steps > 0) {
    ff_ssa_path_start(path, path->key, path->unit, e->initial);
    e->started = 1;
    --*steps;
  } else if (path->failure.what == FF_SSA_HALFWAY && *steps > 0) {
    ff_ssa_path_go_on(path);
    --*steps;
  }
  for (; path->failure.what == FF_SSA_FINE && path->next_time <= e->wanted && *steps > 0; --*steps) ff_ssa_path_step(path);
  e->base.halfway = path->failure.what == FF_SSA_HALFWAY;
  if (e->base.halfway) {
    *steps = 0;
    return 0;
  }
  e->base.broken = path->failure.what != FF_SSA_FINE;
  e->base.reached = path->reached != 0;
  return e->started && (e->base.broken || e->wanted < path->next_time);
}

static uint64_t steps(const ff_lanes *engine, uint32_t lane) {
  (void)lane;
  return ((const ff_ssa_single *)engine)->path.step - ((const ff_ssa_single *)engine)->path.silent;
}

static void drop(ff_lanes *engine) {
  if (engine == NULL) return;
  ff_ssa_single_clear((ff_ssa_single *)engine);
  free(engine);
}

ff_status ff_ssa_engine_path(ff_lanes **out, const ff_ssa_program *program, const ff_ssa_finder *finder,
                             const double *initial, uint64_t key, ff_error *err) {
  *out = NULL;
  ff_ssa_single *e = ff_calloc(1, sizeof *e);
  if (e == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a trajectory");
  ff_status status = ff_ssa_single_fill(e, program, finder, initial, key, err);
  if (status != FF_OK) {
    drop(&e->base);
    return status;
  }
  e->base.next = &e->path.next;
  e->base.advance = advance;
  e->base.steps = steps;
  e->base.free = drop;
  *out = &e->base;
  return FF_OK;
}
