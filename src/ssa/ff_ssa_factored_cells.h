/* The parts of ff_ssa_factored_kernel.h that it compiles for small whole numbers (32 bits) and for large ones (doubles):
 *   CELL           the type of a cell
 *   FF_CELLS(name) the name of a function
 *   CELLS_OF(f)    the cells of all lanes
 *   CHECKS         whether counts are compared with FF_SSA_MAX_COUNT */

/* The position of the member of molecule number *v, which becomes its number among those of this member. */
static inline uint32_t FF_CELLS(position)(const ff_ssa_factor_sum *sum, const CELL *cells, CELL *v) {
  uint32_t at = 0;
  for (uint32_t level = sum->levels; level-- > 0;)
    at = at * FF_FACTOR_FAN + FF_CELLS(rank)(cells + sum->at[level] + (size_t)at * FF_FACTOR_FAN, v);
  return at;
}

static inline uint32_t FF_CELLS(pick)(const ff_ssa_factored *f, uint32_t lane, uint32_t g, double v, double v2) {
  const ff_ssa_group *group = f->factor->groups + g;
  if (group->kind == FF_GROUP_REST) return group->hub;
  const ff_ssa_factor_sum *sum = f->factor->sums + group->sum;
  const CELL *cells = CELLS_OF(f) + lane * f->stride;
  const uint32_t *map = f->factor->map + group->map;
  CELL left = (CELL)v;
  const uint32_t i = FF_CELLS(position)(sum, cells, &left);
  if (group->kind == FF_GROUP_POOL) {
    CELL second = (CELL)(v2 < v ? v2 : v2 + 1);
    return map[i * group->units + FF_CELLS(position)(sum, cells, &second)];
  }
  if (group->units == 1) return map[i];
  const ff_ssa_member *m = f->factor->members + sum->first + i;
  const double x = f->wide.lanes.count[(size_t)m->species * FF_SSA_LANES + lane];
  return map[i * group->units + (uint32_t)((double)left / x)];
}

static inline uint32_t FF_CELLS(choose)(const ff_ssa_factored *f, uint32_t lane) {
  const ff_ssa_wide *w = &f->wide;
  const uint64_t g = w->lanes.next[lane];
  if (FF_RARELY(g >= f->factor->n_groups)) return w->lanes.program->n_reactions;
  const ff_ssa_group *group = f->factor->groups + g;
  const double n = w->lanes.count[(size_t)group->b * FF_SSA_LANES + lane];
  double v = (double)(int64_t)(f->share[lane] * n), v2 = 0;
  v = v < n ? v : n - 1;
  if (group->kind == FF_GROUP_POOL && group->units > 1) v2 = FF_KERNEL(second)(f, lane, n - 1);
  return FF_CELLS(pick)(f, lane, (uint32_t)g, v, v2);
}

#define FF_ADD(k) row[(size_t)step[k].at * FF_SSA_LANES] += (double)step[k].by
#define FF_ADD_CELL(k) cells[step[k].at] += (CELL)step[k].by

static inline void FF_CELLS(fire)(ff_ssa_factored *f, uint32_t lane, const ff_ssa_row *reaction) {
  const ff_ssa_step *step = f->factor->steps + reaction->first, *end = step + reaction->rows;
  double *row = f->wide.lanes.count + lane;
  for (; step < end; step += FF_FACTOR_STEPS) {
    FF_ADD(0);
    FF_ADD(1);
    FF_ADD(2);
    FF_ADD(3);
    for (uint32_t k = 0; CHECKS && k < FF_FACTOR_STEPS; k++)
      if (step[k].at < f->wide.lanes.program->n_species && row[(size_t)step[k].at * FF_SSA_LANES] > FF_SSA_MAX_COUNT)
        f->wide.lanes.base.broken |= UINT64_C(1) << lane;
  }
  CELL *cells = CELLS_OF(f) + lane * f->stride;
  for (end += reaction->cells; step < end; step += FF_FACTOR_STEPS) {
    FF_ADD_CELL(0);
    FF_ADD_CELL(1);
    FF_ADD_CELL(2);
    FF_ADD_CELL(3);
  }
  if (!f->factor->sparse) return;
  double *value = f->wide.value + lane;
  for (end += reaction->groups; step < end; step++) {
    const ff_ssa_group *g = f->factor->groups + step->at;
    const double a = row[(size_t)g->a * FF_SSA_LANES] - g->less;
    value[(size_t)step->at * FF_SSA_LANES] = g->rate * a * row[(size_t)g->b * FF_SSA_LANES];
  }
}
#undef FF_ADD
#undef FF_ADD_CELL

/* First all lanes choose. The processor then knows early how long their rows are. */
static inline void FF_CELLS(change)(ff_ssa_factored *f) {
  const uint32_t none = f->wide.lanes.program->n_reactions;
  const ff_ssa_row *rows[FF_SSA_LANES];
  for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++) {
    const uint32_t r = FF_CELLS(choose)(f, lane);
    rows[lane] = r < none ? f->factor->reactions + r : NULL;
  }
  for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++)
    if (rows[lane] != NULL) FF_CELLS(fire)(f, lane, rows[lane]);
}
