/* Lanes of trajectories: their memory, and how a trajectory begins. */
#include "ff_ssa_lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../path/ff_ssa_draws.h"
#include "../schedule/ff_ssa_trajectory.h"

/* ---- trajectories ------------------------------------------------------------------------------------------------------- */

void ff_ssa_lanes_start(ff_lanes *engine, uint32_t lane, uint64_t unit, double wanted) {
  ff_ssa_lanes *l = (ff_ssa_lanes *)engine;
  const size_t stride = engine->stride;
  for (uint32_t draw = l->drawn; draw < l->draws; draw++) {
    const ff_philox_block words = ff_philox(ff_philox_counter(FF_SSA_DRAW_STEP, 0, draw - l->drawn, unit), l->key);
    l->wait[draw * stride + lane] = ff_exponential(words.v[0], words.v[1]);
    l->choice[draw * stride + lane] = ff_closed(words.v[2], words.v[3]);
  }
  for (uint32_t s = 0; s < l->program->n_species; s++) l->count[s * stride + lane] = l->initial[s];
  l->next[lane] = l->program->n_reactions;
  l->time[lane] = l->next_time[lane] = 0;
  l->unit[lane] = unit;
  l->step[lane] = UINT64_MAX;
  l->wanted[lane] = wanted;
  engine->broken &= ~(UINT64_C(1) << lane);
}

/* An idle lane simulates a trajectory that nobody wants. */
static void rest(ff_lanes *engine, uint32_t lane) { engine->start(engine, lane, 0, INFINITY); }

void ff_ssa_lanes_rest(ff_ssa_lanes *l) {
  for (uint32_t lane = 0; lane < l->base.lanes; lane++) l->base.rest(&l->base, lane);
}

static uint64_t steps(const ff_lanes *engine, uint32_t lane) {
  const uint64_t n = ((const ff_ssa_lanes *)engine)->step[lane];
  return n == UINT64_MAX ? 0 : n;
}

static void copy_counts(ff_ssa_lanes *l, uint32_t lane) {
  for (uint32_t s = 0; s < l->program->n_species; s++) l->path.count[s] = l->count[s * l->base.stride + lane];
}

int ff_ssa_lanes_below(ff_ssa_lanes *l, uint32_t lane, uint32_t r) {
  copy_counts(l, lane);
  return ff_ssa_path_below(&l->path, r, 0) < 0;
}

/* The method for one trajectory looks at the state and says what is wrong. */
static void diagnose(ff_lanes *engine, uint32_t lane, ff_failure *out) {
  ff_ssa_lanes *l = (ff_ssa_lanes *)engine;
  copy_counts(l, lane);
  l->path.key = l->key;
  l->path.unit = l->unit[lane];
  l->path.step = l->step[lane];
  l->path.time = l->time[lane];
  ff_ssa_path_resume(&l->path);
  *out = l->path.failure;
}

/* ---- making and freeing ------------------------------------------------------------------------------------------------- */

void ff_ssa_lanes_clear(ff_ssa_lanes *l) {
  double *const numbers[] = {l->count, l->next_time, l->wanted, l->time, l->wait, l->choice};
  uint64_t *const words[] = {l->unit, l->step, l->next};
  ff_ssa_path_free(&l->path);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) ff_free_aligned(numbers[i]);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) ff_free_aligned(words[i]);
}

static ff_status allocate(ff_ssa_lanes *l, ff_ssa_lanes_shape shape, ff_error *err) {
  struct { double **array; size_t items; } numbers[] = {
      {&l->count, shape.rows}, {&l->next_time, 1},      {&l->wanted, 1},
      {&l->time, 1},           {&l->wait, shape.draws}, {&l->choice, shape.draws}};
  uint64_t **words[] = {&l->unit, &l->step, &l->next};
  int missing = 0;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    missing |= (*numbers[i].array = ff_calloc_aligned(numbers[i].items * shape.lanes, sizeof(double))) == NULL;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    missing |= (*words[i] = ff_calloc_aligned(shape.lanes, sizeof(uint64_t))) == NULL;
  if (!missing) return FF_OK;
  return ff_error_set(err, FF_EMEMORY, "no memory for trajectories of %u species", l->program->n_species);
}

ff_status ff_ssa_lanes_fill(ff_ssa_lanes *l, const ff_ssa_program *program, ff_ssa_lanes_shape shape, const double *initial,
                            uint64_t key, ff_simd *simd, ff_error *err) {
  l->program = program;
  l->initial = initial;
  l->key = key;
  l->draws = shape.draws;
  for (uint32_t round = 0; round < FF_PHILOX_ROUNDS; round++) {
    l->key_words[0][round] = (uint32_t)key + round * FF_PHILOX_W0;
    l->key_words[1][round] = (uint32_t)(key >> 32) + round * FF_PHILOX_W1;
  }
  ff_status status = ff_simd_choose(simd, err);
  if (status == FF_OK) status = allocate(l, shape, err);
  if (status == FF_OK) status = ff_ssa_path_new(&l->path, program, &ff_ssa_finder_direct, err);
  if (status != FF_OK) return status;
  l->base = (ff_lanes){.lanes = shape.lanes, .stride = shape.lanes, .count = l->count, .next_time = l->next_time,
                            .wanted = l->wanted, .start = ff_ssa_lanes_start, .rest = rest, .steps = steps,
                            .diagnose = diagnose};
  return FF_OK;
}
