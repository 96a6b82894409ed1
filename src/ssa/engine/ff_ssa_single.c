/* What the engines for one trajectory at a time share. */
#include "ff_ssa_single.h"

#include <math.h>

#include "../path/ff_ssa_draws.h"
#include "../schedule/ff_ssa_trajectory.h"

void ff_ssa_single_start(ff_lanes *engine, uint32_t lane, uint64_t unit, double wanted) {
  ff_ssa_single *e = (ff_ssa_single *)engine;
  (void)lane;
  e->path.unit = unit;
  e->path.step = e->path.silent = 0;
  e->path.failure.what = FF_SSA_FINE;
  e->path.next_time = 0;
  e->base.broken = 0;
  e->base.halfway = 0;
  e->wanted = wanted;
  e->started = 0;
}

static void rest(ff_lanes *engine, uint32_t lane) {
  (void)lane;
  ((ff_ssa_single *)engine)->wanted = INFINITY;
}

static void diagnose(ff_lanes *engine, uint32_t lane, ff_failure *out) {
  (void)lane;
  *out = ((ff_ssa_single *)engine)->path.failure;
}

ff_status ff_ssa_single_fill(ff_ssa_single *e, const ff_ssa_program *program, const ff_ssa_finder *finder,
                             const double *initial, uint64_t key, ff_error *err) {
  ff_status status = ff_ssa_path_new(&e->path, program, finder, err);
  if (status != FF_OK) return status;
  e->base = (ff_lanes){.lanes = 1, .stride = 1, .count = e->path.count, .next_time = &e->path.next_time,
                            .wanted = &e->wanted, .start = ff_ssa_single_start, .rest = rest, .diagnose = diagnose};
  e->path.key = key;
  e->initial = initial;
  e->wanted = INFINITY;
  return FF_OK;
}

void ff_ssa_single_clear(ff_ssa_single *e) { ff_ssa_path_free(&e->path); }

uint64_t ff_ssa_step_key(const ff_ssa_path *path, uint64_t step, uint32_t reaction) {
  const ff_philox_block words = ff_philox(ff_philox_counter(FF_SSA_DRAW_LEAP, reaction, step, path->unit), path->key);
  return (uint64_t)words.v[1] << 32 | words.v[0];
}

void ff_ssa_single_check_shown(ff_ssa_single *e, const double *shown, double t) {
  for (uint32_t s = 0; s < e->path.program->n_species; s++) {
    if (shown[s] <= FF_SSA_MAX_COUNT) continue;
    ff_ssa_path_fail(&e->path, FF_SSA_BAD_COUNT, s, shown[s]);
    e->path.failure.time = t;
    e->base.broken = 1;
    return;
  }
}
