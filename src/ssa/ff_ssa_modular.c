/* Lanes of modules: their memory, and whether their numbers are small. */
#include "ff_ssa_modular.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SMALL 0x1p31        /* small counts and sums are below this */
#define BETWEEN_CHECKS 1024 /* steps */

/* ---- small and large numbers -------------------------------------------------------------------------------------------- */

/* Cells of a state whose numbers are small. Entry i is cells[i * stride]. */
static void fill_cells(const ff_ssa_modular *f, const double *count, size_t count_stride, const ff_ssa_modular_lane *sums,
                       uint32_t *cells, size_t stride) {
  const ff_ssa_modular_plan *plan = f->plan;
  const ff_ssa_modules *m = f->modules;
  for (uint32_t i = 0; i < plan->items; i++) cells[i * stride] = 0;
  for (uint32_t s = 0; s < f->wide.lanes.program->n_species; s++) cells[f->item_of[s] * stride] = (uint32_t)count[s * count_stride];
  for (uint32_t t = 0; t < plan->n_terms; t++) {
    cells[(plan->total_item + t) * stride] = (uint32_t)sums->q[t].low;
    for (uint32_t b = 0; b < plan->blocks; b++)
      cells[(plan->block_item + t * plan->blocks + b) * stride] = (uint32_t)sums->blocks[t * plan->blocks + b].low;
    for (uint32_t j = 0; j < plan->n; j++)
      cells[(plan->terms[t].item + j) * stride] = (uint32_t)ff_ssa_modular_value(m, count, count_stride, t, j);
  }
}

static void clear_lane(const ff_ssa_modular *f, ff_ssa_modular_lane *lane) {
  memset(lane->q, 0, sizeof lane->q);
  memset(lane->blocks, 0, (size_t)f->plan->n_terms * f->plan->blocks * sizeof *lane->blocks);
}

/* Nothing happens in an idle lane, also if reactions need no molecules. */
static void make_large(ff_ssa_modular *f) {
  ff_ssa_modular_set_counts(f, UINT64_MAX, 1);
  f->is_large = 1;
  for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++)
    if (f->wide.lanes.wanted[lane] < INFINITY)
      ff_ssa_modular_sum(f, f->wide.lanes.count + lane, FF_SSA_LANES, f->lane + lane);
    else
      clear_lane(f, f->lane + lane);
}

static void make_small(ff_ssa_modular *f) {
  f->is_large = 0;
  for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++) {
    const uint32_t t = f->term[lane];
    fill_cells(f, f->wide.lanes.count + lane, FF_SSA_LANES, f->lane + lane, f->cells + lane, FF_SSA_LANES);
    if (t == FF_MODULAR_NONE) continue;
    const double q = (double)f->lane[lane].q[t].low, v = f->share[lane] * q;
    f->v[lane] = (uint32_t)(v < q - 1 ? v : q - 1);
  }
}

/* The most that Q of a term may change within so many steps from counts of at most `most`, which grow to `later`. An effect
 * changes A F by A dF + dA (F + dF). */
static double most_change(const ff_ssa_modular *f, uint32_t t, double later, double steps) {
  double sum = 0;
  for (uint32_t i = 0; i < f->plan->n_effects; i++) {
    const ff_ssa_modular_effect *e = f->plan->effects + i;
    double weights = 0, a = 0, df = 0;
    if (e->term != t) continue;
    for (uint32_t k = 0; k < e->n; k++) weights += e->parts[k].weight;
    for (uint32_t k = 0; k < FF_MODULAR_SLOTS; k++) {
      a = fmax(a, fabs((double)e->a[k]));
      df = fmax(df, fabs((double)e->f[k]));
    }
    sum += (e->hub == f->plan->n_reads ? 1 : later) * df + a * (weights * later + df);
  }
  return sum * steps;
}

static int stays_small(const ff_ssa_modular *f, double most, const double q[FF_MODULES_TERMS], double steps) {
  const double later = most + steps * f->most_added;
  for (uint32_t t = 0; t < f->plan->n_terms; t++)
    if (!(q[t] + most_change(f, t, later, steps) < SMALL)) return 0;
  return later < SMALL;
}

static double largest_of(const double *count, size_t n) {
  double most = 1;
  for (size_t i = 0; i < n; i++)
    if (count[i] > most) most = count[i];
  return most;
}

static double largest_count(const ff_ssa_modular *f) {
  const uint32_t n = f->wide.lanes.program->n_species;
  double most = largest_of(f->wide.lanes.initial, n);
  if (f->is_large) return fmax(most, largest_of(f->wide.lanes.count, (size_t)n * FF_SSA_LANES));
  uint32_t found = 0;
  const size_t rows = (size_t)f->modules->n_species * (f->plan->blocks << f->plan->shift);
  for (size_t i = 0; i < rows * FF_SSA_LANES; i++) found = f->cells[i] > found ? f->cells[i] : found;
  return fmax(most, found);
}

/* A lane may begin a trajectory at any step, so the state from which they begin counts too. */
void ff_ssa_modular_prepare(ff_ssa_modular *f) {
  double q[FF_MODULES_TERMS];
  for (uint32_t t = 0; t < f->plan->n_terms; t++) {
    q[t] = ff_ssa_whole_double(f->initial_lane.q[t]);
    for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++) {
      const double own = f->is_large ? ff_ssa_whole_double(f->lane[lane].q[t])
                                     : f->cells[(size_t)(f->plan->total_item + t) * FF_SSA_LANES + lane];
      if (own > q[t]) q[t] = own;
    }
  }
  const int small = stays_small(f, largest_count(f), q, BETWEEN_CHECKS);
  if (!small && !f->is_large) make_large(f);
  if (small && f->is_large) make_small(f);
  f->budget = BETWEEN_CHECKS;
}

void ff_ssa_modular_set_counts(ff_ssa_modular *f, uint64_t lanes, int all) {
  const int some = !all && f->observed != NULL;
  const uint32_t n = some ? f->n_observed : f->wide.lanes.program->n_species;
  for (uint32_t lane = 0; lane < FF_SSA_LANES && !f->is_large; lane++) {
    if ((lanes >> lane & 1) == 0) continue;
    for (uint32_t i = 0; i < n; i++) {
      const uint32_t s = some ? f->observed[i] : i;
      f->wide.lanes.count[(size_t)s * FF_SSA_LANES + lane] = f->cells[(size_t)f->item_of[s] * FF_SSA_LANES + lane];
    }
  }
}

/* ---- trajectories ------------------------------------------------------------------------------------------------------- */

static void copy_lane(const ff_ssa_modular *f, const ff_ssa_modular_lane *from, ff_ssa_modular_lane *to) {
  memcpy(to->q, from->q, sizeof to->q);
  memcpy(to->blocks, from->blocks, (size_t)f->plan->n_terms * f->plan->blocks * sizeof *to->blocks);
}

static void start(ff_ssa_engine *engine, uint32_t lane, uint64_t unit, double wanted) {
  ff_ssa_modular *f = (ff_ssa_modular *)engine;
  ff_ssa_lanes_start(engine, lane, unit, wanted);
  f->term[lane] = FF_MODULAR_NONE;
  f->share[lane] = 0;
  f->v[lane] = 0;
  if (f->is_large)
    copy_lane(f, &f->initial_lane, f->lane + lane);
  else
    for (uint32_t i = 0; i < f->plan->items; i++) f->cells[(size_t)i * FF_SSA_LANES + lane] = f->initial_cells[i];
}

/* In an idle lane all numbers are 0, so nothing happens. */
static void rest(ff_ssa_engine *engine, uint32_t lane) {
  ff_ssa_modular *f = (ff_ssa_modular *)engine;
  start(engine, lane, 0, INFINITY);
  for (uint32_t i = 0; i < f->plan->items; i++) f->cells[(size_t)i * FF_SSA_LANES + lane] = 0;
  for (uint32_t s = 0; s < f->wide.lanes.program->n_species; s++) f->wide.lanes.count[(size_t)s * FF_SSA_LANES + lane] = 0;
  clear_lane(f, f->lane + lane);
  for (uint32_t t = 0; t < f->plan->n_terms; t++) f->wide.value[(size_t)t * FF_SSA_LANES + lane] = 0;
}

static void diagnose(ff_ssa_engine *engine, uint32_t lane, ff_ssa_failure *out) {
  ff_ssa_modular *f = (ff_ssa_modular *)engine;
  ff_ssa_modular_set_counts(f, UINT64_C(1) << lane, 1);
  f->diagnose(engine, lane, out);
}

/* ---- making and freeing ------------------------------------------------------------------------------------------------- */

static void drop(ff_ssa_engine *engine) {
  ff_ssa_modular *f = (ff_ssa_modular *)engine;
  if (f == NULL) return;
  ff_ssa_wide_clear(&f->wide);
  ff_free_aligned(f->plan);
  ff_free_aligned(f->cells);
  ff_free_aligned(f->share);
  ff_free_aligned(f->term);
  ff_free_aligned(f->v);
  free(f->initial_cells);
  free(f->item_of);
  free(f->observed);
  free(f->initial_lane.blocks); /* those of all lanes follow */
  free(f);
}

static ff_status allocate(ff_ssa_modular *f, const ff_ssa_program *program, ff_error *err) {
  f->plan = ff_calloc_aligned(1, sizeof *f->plan);
  if (f->plan != NULL) ff_ssa_modular_make_plan(f->plan, f->modules);
  if (f->plan != NULL) {
    const size_t blocks = (size_t)f->plan->n_terms * f->plan->blocks;
    f->cells = ff_calloc_aligned((size_t)f->plan->items * FF_SSA_LANES, sizeof *f->cells);
    f->initial_cells = ff_calloc(f->plan->items, sizeof *f->initial_cells);
    f->initial_lane.blocks = ff_calloc(blocks * (FF_SSA_LANES + 1), sizeof *f->initial_lane.blocks);
    for (size_t lane = 0; lane < FF_SSA_LANES && f->initial_lane.blocks != NULL; lane++)
      f->lane[lane].blocks = f->initial_lane.blocks + (lane + 1) * blocks;
  }
  f->share = ff_calloc_aligned(FF_SSA_LANES, sizeof *f->share);
  f->term = ff_calloc_aligned(FF_SSA_LANES, sizeof *f->term);
  f->v = ff_calloc_aligned(FF_SSA_LANES, sizeof *f->v);
  f->item_of = ff_calloc(program->n_species, sizeof *f->item_of);
  if (f->plan && f->cells && f->initial_cells && f->initial_lane.blocks && f->share && f->term && f->v && f->item_of)
    return FF_OK;
  return ff_error_set(err, FF_EMEMORY, "no memory for trajectories of %u species", program->n_species);
}

/* Reports need only the species that are observed, unless a variable is, which may read all. */
static ff_status list_observed(ff_ssa_modular *f, const ff_ssa_options *options, ff_error *err) {
  const uint32_t n = options->n_observed;
  for (uint32_t i = 0; i < n; i++)
    if (options->observed[i] >= f->wide.lanes.program->n_species) return FF_OK;
  f->observed = ff_calloc(n, sizeof *f->observed);
  if (f->observed == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u observed species", n);
  if (n > 0) memcpy(f->observed, options->observed, n * sizeof *f->observed);
  f->n_observed = n;
  return FF_OK;
}

static ff_status fill(ff_ssa_modular *f, const ff_ssa_program *program, const ff_ssa_options *options, const double *initial,
                      ff_simd *simd, ff_error *err) {
  const ff_ssa_modules *m = f->modules = program->modules;
  double q[FF_MODULES_TERMS];
  ff_status status = ff_ssa_wide_fill(&f->wide, program, program->n_species, m->n_terms, initial, options->key, simd, err);
  if (status == FF_OK) status = allocate(f, program, err);
  if (status == FF_OK) status = list_observed(f, options, err);
  if (status != FF_OK) return status;
  for (uint32_t j = 0; j < m->n; j++)
    for (uint32_t k = 0; k < m->n_species; k++)
      f->item_of[m->species[j * m->n_species + k]] = k * (f->plan->blocks << f->plan->shift) + j;
  for (uint32_t i = 0; i < f->plan->n_changes; i++)
    for (uint32_t k = 0; k < FF_MODULAR_SLOTS; k++) f->most_added = fmax(f->most_added, f->plan->changes[i].by[k]);
  ff_ssa_modular_sum(f, initial, 1, &f->initial_lane);
  for (uint32_t t = 0; t < m->n_terms; t++) q[t] = ff_ssa_whole_double(f->initial_lane.q[t]);
  f->is_large = !stays_small(f, largest_of(initial, program->n_species), q, BETWEEN_CHECKS);
  if (!f->is_large) fill_cells(f, initial, 1, &f->initial_lane, f->initial_cells, 1);
  return FF_OK;
}

ff_status ff_ssa_engine_modular(ff_ssa_engine **out, const ff_ssa_program *program, const ff_ssa_options *options,
                                const double *initial, ff_error *err) {
  ff_simd simd = options->simd;
  *out = NULL;
  ff_ssa_modular *f = ff_calloc(1, sizeof *f);
  if (f == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for trajectories");
  ff_status status = fill(f, program, options, initial, &simd, err);
  if (status != FF_OK) {
    drop(&f->wide.lanes.base);
    return status;
  }
  ff_ssa_engine *base = &f->wide.lanes.base;
  base->start = start;
  base->rest = rest;
  f->diagnose = base->diagnose;
  base->diagnose = diagnose;
  base->advance = FF_SSA_KERNEL_FOR(simd, advance_modular);
  base->free = drop;
  ff_ssa_lanes_rest(&f->wide.lanes);
  *out = base;
  return FF_OK;
}
