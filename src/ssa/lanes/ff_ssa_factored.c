/* The engine for groups: memory, start and rest. */
#include "ff_ssa_factored.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PORTABLE_LINES 16u /* the most for which the dense layout is faster without vector instructions */

int ff_ssa_engine_factored_can(const ff_ssa_program *program) { return program->factor->n_groups != FF_FACTOR_NONE; }

static void start(ff_lanes *engine, uint32_t lane, uint64_t unit, double wanted) {
  ff_ssa_factored *f = (ff_ssa_factored *)engine;
  const ff_ssa_factor *factor = f->factor;
  ff_ssa_lanes_start(engine, lane, unit, wanted);
  f->group[lane] = factor->n_groups;
  f->share[lane] = 0; /* after a failure, it may be no number */
  for (uint32_t i = 0; i < factor->n_rows; i++) {
    const size_t at = (size_t)i * FF_SSA_LANES + lane;
    if (f->is_large)
      f->vector.lanes.count[at] = f->initial_rows[i];
    else
      f->rows[at] = (int32_t)f->initial_rows[i];
  }
  if (f->is_large)
    memcpy(f->large + lane * f->stride, f->initial_large, factor->n_cells * sizeof *f->large);
  else
    memcpy(f->small + lane * f->stride, f->initial_small, f->stride * sizeof *f->small);
  if (factor->sparse) ff_ssa_factored_set_values(f, lane, f->initial_rows, 1);
}

/* In an idle lane all rows and cells are 0 at first, so only reactions whose rates are formulas happen then. The species of
 * which there is always one is read by searches without a group. */
static void rest(ff_lanes *engine, uint32_t lane) {
  ff_ssa_factored *f = (ff_ssa_factored *)engine;
  const uint32_t beyond = f->dense != NULL ? f->dense->beyond : f->factor->beyond;
  start(engine, lane, 0, INFINITY);
  for (uint32_t i = 0; i < f->factor->n_rows; i++) {
    const int x = i == f->vector.lanes.program->n_species;
    if (f->is_large)
      f->vector.lanes.count[(size_t)i * FF_SSA_LANES + lane] = x;
    else
      f->rows[(size_t)i * FF_SSA_LANES + lane] = x;
  }
  if (f->is_large)
    memset(f->large + lane * f->stride, 0, f->factor->beyond * sizeof *f->large);
  else
    memset(f->small + lane * f->stride, 0, beyond * sizeof *f->small);
  for (uint32_t g = 0; g < f->factor->n_groups; g++) f->vector.value[(size_t)g * FF_SSA_LANES + lane] = 0;
}

static void diagnose(ff_lanes *engine, uint32_t lane, ff_failure *out) {
  ff_ssa_factored *f = (ff_ssa_factored *)engine;
  ff_ssa_factored_set_counts(f, UINT64_C(1) << lane, 1);
  f->diagnose(engine, lane, out);
}

static void drop(ff_lanes *engine) {
  ff_ssa_factored *f = (ff_ssa_factored *)engine;
  if (f == NULL) return;
  ff_ssa_vector16_clear(&f->vector);
  ff_free_aligned(f->group);
  ff_free_aligned(f->share);
  ff_free_aligned(f->rows);
  ff_free_aligned(f->small);
  ff_free_aligned(f->large);
  free(f->initial_rows);
  free(f->initial_small);
  free(f->initial_large);
  free(f->observed);
  free(f);
}

static ff_status allocate(ff_ssa_factored *f, ff_error *err) {
  const size_t cells = f->factor->n_cells;
  f->stride = (cells / FF_FACTOR_FAN + 1) * FF_FACTOR_FAN;
  if (f->dense != NULL && f->dense->stride > f->stride) f->stride = f->dense->stride;
  f->group = ff_calloc_aligned(FF_SSA_LANES, sizeof *f->group);
  f->share = ff_calloc_aligned(FF_SSA_LANES, sizeof *f->share);
  f->rows = ff_calloc_aligned((size_t)f->factor->n_rows * FF_SSA_LANES, sizeof *f->rows);
  f->small = ff_calloc_aligned(f->stride * FF_SSA_LANES, sizeof *f->small);
  f->large = ff_calloc_aligned(f->stride * FF_SSA_LANES, sizeof *f->large);
  f->initial_rows = ff_calloc(f->factor->n_rows, sizeof *f->initial_rows);
  f->initial_small = ff_calloc(f->stride, sizeof *f->initial_small);
  f->initial_large = ff_calloc(cells, sizeof *f->initial_large);
  const int all = f->group && f->share && f->rows && f->small && f->large;
  if (all && f->initial_rows && f->initial_small && f->initial_large) return FF_OK;
  return ff_error_set(err, FF_EMEMORY, "no memory for trajectories of %u species", f->vector.lanes.program->n_species);
}

static ff_status fill(ff_ssa_factored *f, const ff_ssa_program *program, const ff_run_options *options, const double *initial,
                      ff_simd *simd, ff_error *err) {
  const ff_ssa_factor *factor = f->factor = program->factor;
  const ff_ssa_vector16_shape shape = {.rows = factor->n_rows, .leaves = factor->n_groups, .draws = FF_SSA_DRAWS};
  ff_status status = ff_ssa_vector16_fill(&f->vector, program, shape, initial, options->key, simd, err);
  f->dense = factor->dense;
  if (*simd == FF_SIMD_PORTABLE && f->dense != NULL && f->dense->lines > PORTABLE_LINES) f->dense = NULL;
  f->vector.lanes.drawn = FF_SSA_DRAWS;
  if (status == FF_OK) status = allocate(f, err);
  if (status == FF_OK) status = ff_ssa_list_observed(&f->observed, &f->n_observed, program, options, err);
  if (status != FF_OK) return status;
  memcpy(f->initial_rows, initial, program->n_species * sizeof *initial);
  ff_ssa_factored_sum_up(f, f->initial_rows, 1, f->initial_large);
  for (uint32_t i = 0; i < f->factor->n_rows; i++)
    if (f->initial_rows[i] > f->most) f->most = f->initial_rows[i];
  if (f->most >= FF_DENSE_SMALL) f->dense = NULL;
  f->is_large = f->most >= FF_FACTORED_SMALL;
  ff_ssa_factored_set_initial(f);
  return FF_OK;
}

ff_status ff_ssa_engine_factored(ff_lanes **out, const ff_ssa_program *program, const ff_run_options *options,
                                 const double *initial, ff_error *err) {
  ff_simd simd = options->simd;
  *out = NULL;
  ff_ssa_factored *f = ff_calloc(1, sizeof *f);
  if (f == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for trajectories");
  ff_status status = fill(f, program, options, initial, &simd, err);
  const ff_lanes calls = {.start = start, .rest = rest, .advance = FF_SSA_KERNEL_FOR(simd, advance_factored),
                               .diagnose = diagnose, .free = drop};
  f->diagnose = f->vector.lanes.base.diagnose;
  return ff_ssa_vector16_end(out, &f->vector, &calls, status);
}
