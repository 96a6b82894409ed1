/* Lanes of factored trajectories: rows and cells from counts, counts from rows, and the change of layout. */
#include <math.h>
#include <string.h>

#include "ff_ssa_factored.h"

#define BEYOND 0x1p60 /* it exceeds all totals */

void ff_ssa_factored_sum_up(const ff_ssa_factored *f, double *rows, size_t stride, double *cells) {
  const ff_ssa_factor *factor = f->factor;
  memset(cells, 0, factor->n_cells * sizeof *cells);
  rows[f->vector.lanes.program->n_species * stride] = 1;
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
    rows[FF_FACTOR_ROW_OF_SUM(f->vector.lanes.program, i) * stride] = total;
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
      f->vector.lanes.count[at] = f->rows[at];
    }
  }
}

void ff_ssa_factored_set_initial(ff_ssa_factored *f) {
  if (f->dense != NULL) {
    ff_ssa_dense_sum_up(f->dense, f->factor, f->initial_rows, 1, f->initial_small);
    return;
  }
  ff_ssa_factored_sum_up(f, f->initial_rows, 1, f->initial_large);
  for (uint32_t i = 0; i < f->factor->n_cells && !f->is_large; i++)
    f->initial_small[i] = f->initial_large[i] < BEYOND ? (int32_t)f->initial_large[i] : INT32_MAX;
}

/* The cells of all lanes are sums of vector.lanes.count. */
static void set_cells(ff_ssa_factored *f) {
  ff_ssa_factored_set_initial(f);
  for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++) {
    double *large = f->large + lane * f->stride;
    ff_ssa_factored_sum_up(f, f->vector.lanes.count + lane, FF_SSA_LANES, large);
    for (uint32_t i = 0; i < f->factor->n_cells && !f->is_large; i++)
      f->small[lane * f->stride + i] = large[i] < BEYOND ? (int32_t)large[i] : INT32_MAX;
  }
}

void ff_ssa_factored_set_values(ff_ssa_factored *f, uint32_t lane, const double *rows, size_t stride) {
  for (uint32_t g = 0; g < f->factor->n_factored; g++) {
    const ff_ssa_factor_group *group = f->factor->groups + g;
    const double a = rows[group->a * stride] - group->less;
    f->vector.value[(size_t)g * FF_SSA_LANES + lane] = group->rate * a * rows[group->b * stride];
  }
}

/* Changes to the other layout. vector.lanes.count must be set. */
static void leave_dense(ff_ssa_factored *f) {
  for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++) {
    f->vector.lanes.next[lane] = f->group[lane] < f->factor->n_groups ? f->group[lane] : f->vector.lanes.program->n_reactions;
    if (f->factor->sparse) ff_ssa_factored_set_values(f, lane, f->vector.lanes.count + lane, FF_SSA_LANES);
  }
  f->dense = NULL;
}

/* The number of steps after which all totals are surely still below `limit`. */
static double safe_steps(const ff_ssa_factored *f, double limit) {
  return f->factor->most > 0 ? (limit - f->most) / f->factor->most : INFINITY;
}

void ff_ssa_factored_prepare(ff_ssa_factored *f, uint32_t steps) {
  uint64_t most = 0; /* steps; `step` is UINT64_MAX before the first one */
  for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++)
    most = f->vector.lanes.step[lane] + 1 > most ? f->vector.lanes.step[lane] + 1 : most;
  const double later = (double)most + steps;
  if (f->is_large || later < safe_steps(f, f->dense != NULL ? FF_DENSE_SMALL : FF_FACTORED_SMALL)) return;
  ff_ssa_factored_set_counts(f, UINT64_MAX, 1);
  if (f->dense != NULL) leave_dense(f);
  f->is_large = later >= safe_steps(f, FF_FACTORED_SMALL);
  set_cells(f);
}
