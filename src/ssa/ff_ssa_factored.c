/* Lanes of factored trajectories: their memory. */
#include "ff_ssa_factored.h"
#include "ff_ssa_modules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PORTABLE_LINES 16u /* the most for which the dense layout is faster without vector instructions */
#define BEYOND 0x1p60 /* it exceeds all totals */

int ff_ssa_engine_factored_can(const ff_ssa_program *program) { return program->factor->n_groups != FF_FACTOR_NONE; }

/* Sums of a state, and the cells. Row i is rows[i * stride]; those of species are given. */
static void sum_up(const ff_ssa_factored *f, double *rows, size_t stride, double *cells) {
  const ff_ssa_factor *factor = f->factor;
  memset(cells, 0, factor->n_cells * sizeof *cells);
  rows[f->wide.lanes.program->n_species * stride] = 1;
  for (uint32_t i = 0; i < factor->n_sums; i++) {
    const ff_ssa_factor_sum *s = factor->sums + i;
    double total = 0;
    for (uint32_t k = 0; k < s->n; k++) {
      const ff_ssa_member *m = factor->members + s->first + k;
      const double x = rows[m->species * stride] * m->weight;
      uint32_t position = k;
      total += x;
      for (uint32_t level = 0; level < s->levels; level++, position /= FF_FACTOR_FAN) cells[s->at[level] + position] += x;
    }
    rows[FF_FACTOR_ROW_OF_SUM(f->wide.lanes.program, i) * stride] = total;
  }
  cells[factor->beyond] = BEYOND;
}

void ff_ssa_factored_set_counts(ff_ssa_factored *f, uint64_t lanes, int all) {
  const int some = !all && f->observed != NULL;
  const uint32_t n = some ? f->n_observed : f->factor->n_rows;
  for (uint32_t lane = 0; lane < FF_SSA_LANES && !f->is_large; lane++) {
    if ((lanes >> lane & 1) == 0) continue;
    for (uint32_t i = 0; i < n; i++) {
      const size_t at = (size_t)(some ? f->observed[i] : i) * FF_SSA_LANES + lane;
      f->wide.lanes.count[at] = f->rows[at];
    }
  }
}

/* The cells that a trajectory begins with. */
static void set_initial_cells(ff_ssa_factored *f) {
  if (f->dense != NULL) {
    ff_ssa_dense_sum_up(f->dense, f->factor, f->initial_rows, 1, f->initial_small);
    return;
  }
  sum_up(f, f->initial_rows, 1, f->initial_large);
  for (uint32_t i = 0; i < f->factor->n_cells && !f->is_large; i++)
    f->initial_small[i] = f->initial_large[i] < BEYOND ? (int32_t)f->initial_large[i] : INT32_MAX;
}

/* The cells of all lanes are sums of wide.lanes.count. */
static void set_cells(ff_ssa_factored *f) {
  set_initial_cells(f);
  for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++) {
    double *large = f->large + lane * f->stride;
    sum_up(f, f->wide.lanes.count + lane, FF_SSA_LANES, large);
    for (uint32_t i = 0; i < f->factor->n_cells && !f->is_large; i++)
      f->small[lane * f->stride + i] = large[i] < BEYOND ? (int32_t)large[i] : INT32_MAX;
  }
}

/* The groups of a lane, for networks whose groups are computed only when they change. Row i is rows[i * stride]. */
static void set_values(ff_ssa_factored *f, uint32_t lane, const double *rows, size_t stride) {
  for (uint32_t g = 0; g < f->factor->n_factored; g++) {
    const ff_ssa_factor_group *group = f->factor->groups + g;
    const double a = rows[group->a * stride] - group->less;
    f->wide.value[(size_t)g * FF_SSA_LANES + lane] = group->rate * a * rows[group->b * stride];
  }
}

/* Changes to the other layout. wide.lanes.count must be set. */
static void leave_dense(ff_ssa_factored *f) {
  for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++) {
    f->wide.lanes.next[lane] = f->group[lane] < f->factor->n_groups ? f->group[lane] : f->wide.lanes.program->n_reactions;
    if (f->factor->sparse) set_values(f, lane, f->wide.lanes.count + lane, FF_SSA_LANES);
  }
  f->dense = NULL;
}

/* The number of events after which all totals are surely still below `limit`. */
static double safe_events(const ff_ssa_factored *f, double limit) {
  return f->factor->most > 0 ? (limit - f->most) / f->factor->most : INFINITY;
}

void ff_ssa_factored_prepare(ff_ssa_factored *f, uint32_t steps) {
  uint64_t most = 0; /* events; `event` is UINT64_MAX before the first step */
  for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++)
    most = f->wide.lanes.event[lane] + 1 > most ? f->wide.lanes.event[lane] + 1 : most;
  const double events = (double)most + steps;
  if (f->is_large || events < safe_events(f, f->dense != NULL ? FF_DENSE_SMALL : FF_FACTORED_SMALL)) return;
  ff_ssa_factored_set_counts(f, UINT64_MAX, 1);
  if (f->dense != NULL) leave_dense(f);
  f->is_large = events >= safe_events(f, FF_FACTORED_SMALL);
  set_cells(f);
}

uint32_t ff_ssa_program_groups(const ff_ssa_program *program) {
  if (program->modules != NULL) return program->modules->n_terms;
  return ff_ssa_engine_factored_can(program) ? program->factor->n_groups : 0;
}

static void start(ff_ssa_engine *engine, uint32_t lane, uint64_t unit, double wanted) {
  ff_ssa_factored *f = (ff_ssa_factored *)engine;
  const ff_ssa_factor *factor = f->factor;
  ff_ssa_lanes_start(engine, lane, unit, wanted);
  f->group[lane] = factor->n_groups;
  f->share[lane] = 0; /* after a failure, it may be no number */
  for (uint32_t i = 0; i < factor->n_rows; i++) {
    const size_t at = (size_t)i * FF_SSA_LANES + lane;
    if (f->is_large)
      f->wide.lanes.count[at] = f->initial_rows[i];
    else
      f->rows[at] = (int32_t)f->initial_rows[i];
  }
  if (f->is_large)
    memcpy(f->large + lane * f->stride, f->initial_large, factor->n_cells * sizeof *f->large);
  else
    memcpy(f->small + lane * f->stride, f->initial_small, f->stride * sizeof *f->small);
  if (factor->sparse) set_values(f, lane, f->initial_rows, 1);
}

/* In an idle lane all rows and cells are 0 at first, so only reactions whose rates are formulas happen then. The species of
 * which there is always one is read by searches without a group. */
static void rest(ff_ssa_engine *engine, uint32_t lane) {
  ff_ssa_factored *f = (ff_ssa_factored *)engine;
  const uint32_t beyond = f->dense != NULL ? f->dense->beyond : f->factor->beyond;
  start(engine, lane, 0, INFINITY);
  for (uint32_t i = 0; i < f->factor->n_rows; i++) {
    const int x = i == f->wide.lanes.program->n_species;
    if (f->is_large)
      f->wide.lanes.count[(size_t)i * FF_SSA_LANES + lane] = x;
    else
      f->rows[(size_t)i * FF_SSA_LANES + lane] = x;
  }
  if (f->is_large)
    memset(f->large + lane * f->stride, 0, f->factor->beyond * sizeof *f->large);
  else
    memset(f->small + lane * f->stride, 0, beyond * sizeof *f->small);
  for (uint32_t g = 0; g < f->factor->n_groups; g++) f->wide.value[(size_t)g * FF_SSA_LANES + lane] = 0;
}

static void diagnose(ff_ssa_engine *engine, uint32_t lane, ff_ssa_failure *out) {
  ff_ssa_factored *f = (ff_ssa_factored *)engine;
  ff_ssa_factored_set_counts(f, UINT64_C(1) << lane, 1);
  f->diagnose(engine, lane, out);
}

static void drop(ff_ssa_engine *engine) {
  ff_ssa_factored *f = (ff_ssa_factored *)engine;
  if (f == NULL) return;
  ff_ssa_wide_clear(&f->wide);
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
  return ff_error_set(err, FF_EMEMORY, "no memory for trajectories of %u species", f->wide.lanes.program->n_species);
}

static ff_status fill(ff_ssa_factored *f, const ff_ssa_program *program, const ff_ssa_options *options, const double *initial,
                      ff_simd *simd, ff_error *err) {
  const ff_ssa_factor *factor = f->factor = program->factor;
  const ff_ssa_wide_shape shape = {.rows = factor->n_rows, .leaves = factor->n_groups, .draws = FF_SSA_DRAWS};
  ff_status status = ff_ssa_wide_fill(&f->wide, program, shape, initial, options->key, simd, err);
  f->dense = factor->dense;
  if (*simd == FF_SIMD_PORTABLE && f->dense != NULL && f->dense->lines > PORTABLE_LINES) f->dense = NULL;
  f->wide.lanes.drawn = FF_SSA_DRAWS;
  if (status == FF_OK) status = allocate(f, err);
  if (status == FF_OK) status = ff_ssa_list_observed(&f->observed, &f->n_observed, program, options, err);
  if (status != FF_OK) return status;
  memcpy(f->initial_rows, initial, program->n_species * sizeof *initial);
  sum_up(f, f->initial_rows, 1, f->initial_large);
  for (uint32_t i = 0; i < f->factor->n_rows; i++)
    if (f->initial_rows[i] > f->most) f->most = f->initial_rows[i];
  if (f->most >= FF_DENSE_SMALL) f->dense = NULL;
  f->is_large = f->most >= FF_FACTORED_SMALL;
  set_initial_cells(f);
  return FF_OK;
}

ff_status ff_ssa_engine_factored(ff_ssa_engine **out, const ff_ssa_program *program, const ff_ssa_options *options,
                                 const double *initial, ff_error *err) {
  ff_simd simd = options->simd;
  *out = NULL;
  ff_ssa_factored *f = ff_calloc(1, sizeof *f);
  if (f == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for trajectories");
  ff_status status = fill(f, program, options, initial, &simd, err);
  const ff_ssa_engine calls = {.start = start, .rest = rest, .advance = FF_SSA_KERNEL_FOR(simd, advance_factored),
                               .diagnose = diagnose, .free = drop};
  f->diagnose = f->wide.lanes.base.diagnose;
  return ff_ssa_wide_end(out, &f->wide, &calls, status);
}
