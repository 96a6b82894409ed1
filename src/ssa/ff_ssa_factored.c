/* Lanes of factored trajectories: their memory. */
#include "ff_ssa_factored.h"

#include <stdlib.h>
#include <string.h>

int ff_ssa_engine_factored_can(const ff_ssa_program *program) { return program->factor->n_groups != FF_FACTOR_NONE; }

static void start(ff_ssa_engine *engine, uint32_t lane, uint64_t unit, double wanted) {
  ff_ssa_factored *f = (ff_ssa_factored *)engine;
  ff_ssa_wide_start(engine, lane, unit, wanted);
  for (uint32_t s = 0; s < f->factor->n_sums; s++) f->total[(size_t)s * FF_SSA_LANES + lane] = f->initial_total[s];
  if (f->factor->n_cells > 0) memcpy(f->cells + lane * f->stride, f->initial_cells, f->factor->n_cells * sizeof *f->cells);
}

static void drop(ff_ssa_engine *engine) {
  ff_ssa_factored *f = (ff_ssa_factored *)engine;
  if (f == NULL) return;
  ff_ssa_wide_clear(&f->wide);
  ff_free_aligned(f->total);
  ff_free_aligned(f->share);
  ff_free_aligned(f->cells);
  free(f->initial_total);
  free(f->initial_cells);
  free(f);
}

/* Sums of the initial state. */
static void sum_up(ff_ssa_factored *f, const double *initial) {
  const ff_ssa_factor *factor = f->factor;
  for (uint32_t i = 0; i < factor->n_sums; i++) {
    const ff_ssa_factor_sum *s = factor->sums + i;
    for (uint32_t k = 0; k < s->n; k++) {
      const ff_ssa_member *m = factor->members + s->first + k;
      const double x = (m->species == f->wide.program->n_species ? 1 : initial[m->species]) * m->weight;
      uint32_t position = k;
      f->initial_total[i] += x;
      for (uint32_t level = 0; level < s->levels; level++, position /= FF_FACTOR_FAN)
        f->initial_cells[s->at[level] + position] += x;
    }
  }
}

static ff_status fill(ff_ssa_factored *f, const ff_ssa_program *program, const double *initial, uint64_t key, ff_simd simd,
                      ff_error *err) {
  f->factor = program->factor;
  ff_status status = ff_ssa_wide_fill(&f->wide, program, f->factor->n_groups, initial, key, simd, err);
  if (status != FF_OK) return status;
  f->stride = ((size_t)f->factor->n_cells + FF_FACTOR_FAN) / FF_FACTOR_FAN * FF_FACTOR_FAN; /* lanes do not begin at one place
                                                                                             * of the cache */
  f->total = ff_calloc_aligned(((size_t)f->factor->n_sums + 1) * FF_SSA_LANES, sizeof *f->total);
  f->share = ff_calloc_aligned(FF_SSA_LANES, sizeof *f->share);
  f->cells = ff_calloc_aligned(f->stride * FF_SSA_LANES, sizeof *f->cells);
  f->initial_total = ff_calloc(f->factor->n_sums, sizeof *f->initial_total);
  f->initial_cells = ff_calloc(f->factor->n_cells, sizeof *f->initial_cells);
  if (!f->total || !f->share || !f->cells || !f->initial_total || !f->initial_cells)
    return ff_error_set(err, FF_EMEMORY, "no memory for trajectories of %u species", program->n_species);
  sum_up(f, initial);
  return FF_OK;
}

static void set_functions(ff_ssa_engine *base, ff_simd simd) {
  base->start = start;
  base->free = drop;
  base->advance = ff_ssa_advance_factored_portable;
#if defined(__x86_64__)
  if (simd == FF_SIMD_AVX512) base->advance = ff_ssa_advance_factored_avx512;
  if (simd == FF_SIMD_AVX2) base->advance = ff_ssa_advance_factored_avx2;
#else
  (void)simd;
#endif
}

ff_status ff_ssa_engine_factored(ff_ssa_engine **out, const ff_ssa_program *program, const double *initial, uint64_t key,
                                 ff_simd simd, ff_error *err) {
  *out = NULL;
  ff_status status = ff_simd_choose(&simd, err);
  if (status != FF_OK) return status;
  ff_ssa_factored *f = ff_calloc(1, sizeof *f);
  if (f == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for trajectories");
  status = fill(f, program, initial, key, simd, err);
  if (status != FF_OK) {
    drop(&f->wide.base);
    return status;
  }
  set_functions(&f->wide.base, simd);
  for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++) f->wide.base.rest(&f->wide.base, lane);
  *out = &f->wide.base;
  return FF_OK;
}
