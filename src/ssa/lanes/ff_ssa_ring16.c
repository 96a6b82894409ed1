/* The engine for rings: memory, start and rest. */
#include "ff_ssa_ring16.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_FOR_A_GATHER 4 /* a gather takes as long as reading so many rows; without vectors, as reading one */

/* ---- trajectories ------------------------------------------------------------------------------------------------------- */

static void copy_lane(const ff_ssa_ring16 *f, const ff_ssa_ring16_lane *from, ff_ssa_ring16_lane *to) {
  memcpy(to->q, from->q, sizeof to->q);
  memcpy(to->blocks, from->blocks, (size_t)f->plan->n_terms * f->plan->blocks * sizeof *to->blocks);
}

static void start(ff_lanes *engine, uint32_t lane, uint64_t unit, double wanted) {
  ff_ssa_ring16 *f = (ff_ssa_ring16 *)engine;
  ff_ssa_lanes_start(engine, lane, unit, wanted);
  f->term[lane] = FF_RING16_NONE;
  f->share[lane] = 0;
  f->v[lane] = UINT32_MAX;
  f->real_term[lane] = f->real_v[lane] = -1;
  if (f->size == FF_RING16_LARGE)
    copy_lane(f, &f->initial_lane, f->lane + lane);
  else if (f->size == FF_RING16_REAL)
    for (uint32_t i = 0; i < f->plan->items; i++) f->real[(size_t)i * FF_SSA_LANES + lane] = f->initial_real[i];
  else
    for (uint32_t i = 0; i < f->plan->items; i++) f->cells[(size_t)i * FF_SSA_LANES + lane] = f->initial_cells[f->size][i];
}

/* In an idle lane all numbers are 0, so nothing happens. */
static void rest(ff_lanes *engine, uint32_t lane) {
  ff_ssa_ring16 *f = (ff_ssa_ring16 *)engine;
  start(engine, lane, 0, INFINITY);
  for (uint32_t i = 0; i < f->plan->items; i++) f->cells[(size_t)i * FF_SSA_LANES + lane] = 0;
  for (uint32_t i = 0; i < f->plan->items; i++) f->real[(size_t)i * FF_SSA_LANES + lane] = 0;
  for (uint32_t s = 0; s < f->vector.lanes.program->n_species; s++) f->vector.lanes.count[(size_t)s * FF_SSA_LANES + lane] = 0;
  ff_ssa_ring16_clear(f, f->lane + lane);
  for (uint32_t t = 0; t < f->plan->n_terms; t++) f->vector.value[(size_t)t * FF_SSA_LANES + lane] = 0;
}

static void diagnose(ff_lanes *engine, uint32_t lane, ff_failure *out) {
  ff_ssa_ring16 *f = (ff_ssa_ring16 *)engine;
  ff_ssa_ring16_set_counts(f, UINT64_C(1) << lane, 1);
  f->diagnose(engine, lane, out);
}

/* ---- making and freeing ------------------------------------------------------------------------------------------------- */

static void drop(ff_lanes *engine) {
  ff_ssa_ring16 *f = (ff_ssa_ring16 *)engine;
  if (f == NULL) return;
  ff_ssa_vector16_clear(&f->vector);
  ff_free_aligned(f->plans);
  ff_free_aligned(f->cells);
  ff_free_aligned(f->share);
  ff_free_aligned(f->term);
  ff_free_aligned(f->v);
  ff_free_aligned(f->real);
  ff_free_aligned(f->real_term);
  ff_free_aligned(f->real_v);
  free(f->initial_real);
  free(f->initial_cells[0]);
  free(f->initial_cells[1]);
  free(f->place_of);
  free(f->fixed);
  free(f->observed);
  free(f->initial_lane.blocks); /* those of all lanes follow */
  free(f);
}

static int allocate_cells(ff_ssa_ring16 *f) {
  const ff_ssa_ring16_plan *plan = f->plans + 1; /* it has more items */
  const size_t blocks = (size_t)plan->n_terms * plan->blocks;
  f->cells = ff_calloc_aligned((size_t)plan->items * FF_SSA_LANES, sizeof *f->cells);
  for (int i = 0; i < 2; i++) f->initial_cells[i] = ff_calloc(plan->items, sizeof *f->initial_cells[i]);
  f->real = ff_calloc_aligned((size_t)plan->items * FF_SSA_LANES, sizeof *f->real);
  f->initial_real = ff_calloc(plan->items, sizeof *f->initial_real);
  f->initial_lane.blocks = ff_calloc(blocks * (FF_SSA_LANES + 1), sizeof *f->initial_lane.blocks);
  for (size_t lane = 0; lane < FF_SSA_LANES && f->initial_lane.blocks != NULL; lane++)
    f->lane[lane].blocks = f->initial_lane.blocks + (lane + 1) * blocks;
  return f->cells && f->initial_cells[0] && f->initial_cells[1] && f->real && f->initial_real && f->initial_lane.blocks;
}

static ff_status allocate(ff_ssa_ring16 *f, const ff_ssa_program *program, ff_simd simd, ff_error *err) {
  const uint32_t rows = simd == FF_SIMD_PORTABLE ? 1 : ROWS_FOR_A_GATHER;
  f->plans = ff_calloc_aligned(2, sizeof *f->plans);
  for (int i = 0; i < 2 && f->plans != NULL; i++) ff_ssa_ring16_make_plan(f->plans + i, f->ring, i == 0, rows);
  f->share = ff_calloc_aligned(FF_SSA_LANES, sizeof *f->share);
  f->term = ff_calloc_aligned(FF_SSA_LANES, sizeof *f->term);
  f->v = ff_calloc_aligned(FF_SSA_LANES, sizeof *f->v);
  f->real_term = ff_calloc_aligned(FF_SSA_LANES, sizeof *f->real_term);
  f->real_v = ff_calloc_aligned(FF_SSA_LANES, sizeof *f->real_v);
  f->place_of = ff_calloc(program->n_species, sizeof *f->place_of);
  f->fixed = ff_calloc(program->n_species, sizeof *f->fixed);
  if (f->plans && allocate_cells(f) && f->share && f->term && f->v && f->real_term && f->real_v && f->place_of && f->fixed)
    return FF_OK;
  return ff_error_set(err, FF_EMEMORY, "no memory for trajectories of %u species", program->n_species);
}

static ff_status fill(ff_ssa_ring16 *f, const ff_ssa_program *program, const ff_run_options *options, const double *initial,
                      ff_simd *simd, ff_error *err) {
  const ff_ssa_ring *m = f->ring = program->ring;
  const ff_ssa_vector16_shape shape = {.rows = program->n_species, .leaves = m->n_terms, .draws = 1};
  ff_status status = ff_ssa_vector16_fill(&f->vector, program, shape, initial, options->key, simd, err);
  if (status == FF_OK) status = allocate(f, program, *simd, err);
  if (status == FF_OK) status = ff_ssa_list_observed(&f->observed, &f->n_observed, program, options, err);
  if (status == FF_OK) ff_ssa_ring16_begin(f, initial);
  return status;
}

ff_status ff_ssa_engine_ring16(ff_lanes **out, const ff_ssa_program *program, const ff_run_options *options,
                                const double *initial, ff_error *err) {
  ff_simd simd = options->simd;
  *out = NULL;
  ff_ssa_ring16 *f = ff_calloc(1, sizeof *f);
  if (f == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for trajectories");
  ff_status status = fill(f, program, options, initial, &simd, err);
  const ff_lanes calls = {.start = start, .rest = rest, .advance = FF_SSA_KERNEL_FOR(simd, advance_ring16),
                               .diagnose = diagnose, .free = drop};
  f->diagnose = f->vector.lanes.base.diagnose;
  return ff_ssa_vector16_end(out, &f->vector, &calls, status);
}
