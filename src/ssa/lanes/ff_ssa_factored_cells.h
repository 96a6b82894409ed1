/* The parts of ff_ssa_factored_kernel.h that it compiles for small whole numbers (32 bits) and for large ones (doubles):
 *   CELL           the type of a row or cell
 *   FF_CELLS(name) the name of a function
 *   ROWS_OF(f), CELLS_OF(f)   those of all lanes
 *   ROW_LOAD(p)    a vector of doubles from rows
 *   CHECKS         whether counts are compared with FF_SSA_MAX_COUNT */

#include "ff_ssa_factored.h"

/* ---- groups ------------------------------------------------------------------------------------------------------------- */

/* The groups of kind FF_GROUP_REST. */
static inline void FF_CELLS(rest)(ff_ssa_factored *f) {
  ff_ssa_vector16 *w = &f->vector;
  const ff_ssa_factor *factor = f->factor;
  const CELL *rows = ROWS_OF(f);
  for (uint32_t i = 0; i < factor->n_rest && !CHECKS; i++)
    EACH(h) D_STORE(AT(w->lanes.count, factor->rest[i], h), ROW_LOAD(AT(rows, factor->rest[i], h)));
  for (uint32_t g = factor->n_factored; g < factor->n_groups; g++) FF_KERNEL(checked)(w, factor->groups[g].hub, g);
}

/* All groups, or only those that are not computed when a row changes. */
static inline void FF_CELLS(groups)(ff_ssa_factored *f) {
  ff_ssa_vector16 *w = &f->vector;
  const ff_ssa_factor *factor = f->factor;
  const CELL *rows = ROWS_OF(f);
  FF_CELLS(rest)(f);
  if (factor->sparse) return;
  for (uint32_t g = 0; g < factor->n_factored; g++) {
    const ff_ssa_factor_group *group = factor->groups + g;
    const CELL *a = AT(rows, group->a, 0), *b = AT(rows, group->b, 0);
    const D rate = D_SET(group->rate), less = D_SET(group->less);
    EACH(h) D_STORE(AT(w->value, g, h), rate * (ROW_LOAD(AT(a, 0, h)) - less) * ROW_LOAD(AT(b, 0, h)));
  }
}

/* ---- choices ------------------------------------------------------------------------------------------------------------ */

/* Finds the reactions of a molecule in each lane, and the positions of their members. No branch depends on the lane, because the
 * processor would often guess it wrong. */
static inline void FF_CELLS(search)(const ff_ssa_factored *f, const ff_ssa_search *const search[FF_SSA_LANES],
                                    CELL v[FF_SSA_LANES], uint32_t at[FF_SSA_LANES], uint32_t reaction[FF_SSA_LANES]) {
  const ff_ssa_factor *factor = f->factor;
  for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++) at[lane] = 0;
  for (uint32_t level = factor->levels; level-- > 0;)
    for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++) {
      const CELL *cells = CELLS_OF(f) + lane * f->stride + search[lane]->at[level];
      at[lane] = at[lane] * FF_FACTOR_FAN + FF_CELLS(rank)(cells + (size_t)at[lane] * FF_FACTOR_FAN, v + lane);
    }
  for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++) {
    uint32_t unit = 0;
    if (factor->ranges > 1) {
      const uint32_t species = factor->members[search[lane]->member + at[lane]].species;
      const CELL x = ROWS_OF(f)[(size_t)species * FF_SSA_LANES + lane];
      unit = (uint32_t)(v[lane] / (x > 1 ? x : 1));
    }
    reaction[lane] = factor->map[search[lane]->map + (size_t)at[lane] * search[lane]->ranges + unit];
  }
}

/* The reaction of a pool whose second molecule has number v2 of those that are left after number v, of the member at `first`. */
static inline uint32_t FF_CELLS(reaction_of_pair)(const ff_ssa_factored *f, uint32_t lane, const ff_ssa_search *search,
                                                  uint32_t first, double v, double v2) {
  CELL left = (CELL)(v2 < v ? v2 : v2 + 1);
  uint32_t at = 0;
  for (uint32_t level = f->factor->levels; level-- > 0;) {
    const CELL *cells = CELLS_OF(f) + lane * f->stride + search->at[level];
    at = at * FF_FACTOR_FAN + FF_CELLS(rank)(cells + (size_t)at * FF_FACTOR_FAN, &left);
  }
  return f->factor->map[search->map + (size_t)first * search->ranges + at];
}

static inline void FF_CELLS(choose)(const ff_ssa_factored *f, uint32_t reaction[FF_SSA_LANES]) {
  const ff_ssa_factor *factor = f->factor;
  const ff_ssa_search *search[FF_SSA_LANES];
  uint32_t at[FF_SSA_LANES];
  CELL v[FF_SSA_LANES], left[FF_SSA_LANES];
  for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++) {
    const uint64_t next = f->vector.lanes.next[lane];
    search[lane] = factor->searches + (next < factor->n_groups ? next : factor->n_groups);
    const CELL n = ROWS_OF(f)[(size_t)search[lane]->b * FF_SSA_LANES + lane];
    const CELL chosen = (CELL)(int64_t)(f->share[lane] * (double)n);
    left[lane] = v[lane] = chosen < n ? chosen : n - 1;
  }
  FF_CELLS(search)(f, search, left, at, reaction);
  for (uint32_t lane = 0; lane < FF_SSA_LANES && factor->pools; lane++) {
    const uint64_t g = f->vector.lanes.next[lane];
    if (g >= factor->n_factored || factor->groups[g].kind != FF_GROUP_POOL || search[lane]->ranges == 1) continue;
    const CELL n = ROWS_OF(f)[(size_t)search[lane]->b * FF_SSA_LANES + lane];
    const double v2 = FF_KERNEL(second)(f, lane, (double)n - 1);
    reaction[lane] = FF_CELLS(reaction_of_pair)(f, lane, search[lane], at[lane], (double)v[lane], v2);
  }
}

static inline uint32_t FF_CELLS(reaction_of)(const ff_ssa_factored *f, uint32_t lane, uint32_t g, double v, double v2) {
  const ff_ssa_search *search[FF_SSA_LANES];
  uint32_t at[FF_SSA_LANES], reaction[FF_SSA_LANES];
  CELL left[FF_SSA_LANES];
  for (uint32_t i = 0; i < FF_SSA_LANES; i++) {
    search[i] = f->factor->searches + (i == lane ? g : f->factor->n_groups);
    left[i] = i == lane ? (CELL)v : 0;
  }
  FF_CELLS(search)(f, search, left, at, reaction);
  if (f->factor->groups[g].kind != FF_GROUP_POOL) return reaction[lane];
  return FF_CELLS(reaction_of_pair)(f, lane, search[lane], at[lane], v, v2);
}

/* ---- changes ------------------------------------------------------------------------------------------------------------ */

#define ADDEND_AT(k) (size_t)(bits32 ? factor->addends32[at + (k)].at : factor->addends[at + (k)].at)
#define ADDEND_BY(k) (CELL)(bits32 ? factor->addends32[at + (k)].by : factor->addends[at + (k)].by)
#define ADD(k) to[ADDEND_AT(k) * item] += ADDEND_BY(k)

/* The lists of addends that are not empty. */
typedef struct {
  size_t n, blocks; /* lists, and blocks of FF_FACTOR_ADDENDS addends */
  size_t first[FF_SSA_LANES + 1], end[FF_SSA_LANES + 1];
  CELL *to[FF_SSA_LANES + 1]; /* entry 0 of the lane */
} FF_CELLS(lists);

static inline void FF_CELLS(add_list)(FF_CELLS(lists) *lists, size_t first, size_t n, CELL *to) {
  lists->first[lists->n] = first;
  lists->end[lists->n] = first + n;
  lists->to[lists->n] = to;
  lists->n += n > 0;
  lists->blocks += n / FF_FACTOR_ADDENDS;
}

/* Adds the addends of all lists in one loop. With a loop for each lane, the processor would guess the end of most of them wrong.
 * Entry i of a lane is to[i * item]. */
FF_INLINED void FF_CELLS(add_all)(ff_ssa_factored *f, FF_CELLS(lists) *lists, size_t item, int bits32, int check) {
  const ff_ssa_factor *factor = f->factor;
  size_t list = 0, at = lists->first[0];
  lists->first[lists->n] = 0;
  for (size_t block = lists->blocks; block > 0; block--) {
    CELL *to = lists->to[list];
    ADD(0);
    ADD(1);
    ADD(2);
    ADD(3);
    for (uint32_t k = 0; check && k < FF_FACTOR_ADDENDS; k++)
      if (ADDEND_AT(k) < f->vector.lanes.program->n_species && (double)to[ADDEND_AT(k) * item] > FF_SSA_MAX_COUNT)
        f->vector.lanes.base.broken |= UINT64_C(1) << (to - ROWS_OF(f));
    at += FF_FACTOR_ADDENDS;
    const size_t done = at == lists->end[list], next = lists->first[list + 1];
    at = done ? next : at;
    list += done;
  }
}
#undef ADD

/* Computes the groups that a reaction of the lane has changed. */
static inline void FF_CELLS(compute)(ff_ssa_factored *f, uint32_t lane, const ff_ssa_row *reaction) {
  const ff_ssa_factor *factor = f->factor;
  const CELL *rows = ROWS_OF(f) + lane;
  const int bits32 = factor->addends == NULL;
  double *value = f->vector.value + lane;
  for (uint32_t at = reaction->first + reaction->rows + reaction->cells, end = at + reaction->groups; at < end; at++) {
    const ff_ssa_factor_group *g = factor->groups + ADDEND_AT(0);
    const double a = (double)rows[(size_t)g->a * FF_SSA_LANES] - g->less;
    value[ADDEND_AT(0) * FF_SSA_LANES] = g->rate * a * (double)rows[(size_t)g->b * FF_SSA_LANES];
  }
}
#undef ADDEND_AT
#undef ADDEND_BY

/* Changes a lane by the lists of the species that a reaction changes. */
static inline void FF_CELLS(change_species)(ff_ssa_factored *f, uint32_t lane, uint32_t reaction) {
  const ff_ssa_program *p = f->vector.lanes.program;
  FF_CELLS(lists) rows, cells;
  rows.n = cells.n = rows.blocks = cells.blocks = 0;
  for (uint32_t i = p->change_first[reaction]; i < p->change_first[reaction + 1]; i++) {
    const int64_t by = p->changes[i].by;
    const ff_ssa_row *r = f->factor->species + 2 * (size_t)p->changes[i].species + (by < 0);
    for (int64_t k = by < 0 ? -by : by; k > 0; k--) {
      FF_CELLS(add_list)(&rows, r->first, r->rows, ROWS_OF(f) + lane);
      FF_CELLS(add_list)(&cells, r->first + r->rows, r->cells, CELLS_OF(f) + lane * f->stride);
    }
  }
  if (rows.n > 0) FF_CELLS(add_all)(f, &rows, FF_SSA_LANES, 1, CHECKS);
  if (cells.n > 0) FF_CELLS(add_all)(f, &cells, 1, 1, 0);
}

static inline void FF_CELLS(change)(ff_ssa_factored *f) {
  const ff_ssa_factor *factor = f->factor;
  FF_CELLS(lists) rows, cells;
  uint32_t reaction[FF_SSA_LANES];
  FF_CELLS(choose)(f, reaction);
  if (factor->species != NULL) {
    for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++)
      if (reaction[lane] < f->vector.lanes.program->n_reactions) FF_CELLS(change_species)(f, lane, reaction[lane]);
    return;
  }
  rows.n = cells.n = rows.blocks = cells.blocks = 0;
  for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++) {
    const ff_ssa_row *r = factor->reactions + reaction[lane];
    FF_CELLS(add_list)(&rows, r->first, r->rows, ROWS_OF(f) + lane);
    FF_CELLS(add_list)(&cells, r->first + r->rows, r->cells, CELLS_OF(f) + lane * f->stride);
  }
  if (factor->addends != NULL) {
    FF_CELLS(add_all)(f, &rows, FF_SSA_LANES, 0, CHECKS);
    FF_CELLS(add_all)(f, &cells, 1, 0, 0);
  } else {
    FF_CELLS(add_all)(f, &rows, FF_SSA_LANES, 1, CHECKS);
    FF_CELLS(add_all)(f, &cells, 1, 1, 0);
  }
  for (uint32_t lane = 0; lane < FF_SSA_LANES && factor->sparse; lane++)
    FF_CELLS(compute)(f, lane, factor->reactions + reaction[lane]);
}
