/* The direct method for small networks in vectors: its tables. */
#include "ff_ssa_vector32.h"

#include <stdlib.h>

#include "../../base/ff_math.h"

int ff_ssa_engine_vector32_can(const ff_ssa_program *program) {
  if (program->n_reactions == 0 || program->n_reactions > FF_SSA_VECTOR32_REACTIONS) return 0;
  for (uint32_t r = 0; r < program->n_reactions; r++)
    if (program->propensities[r].law > FF_LAW_TWIN) return 0;
  return 1;
}

static void drop(ff_lanes *engine) {
  ff_ssa_vector32 *w = (ff_ssa_vector32 *)engine;
  if (w == NULL) return;
  ff_ssa_lanes_clear(&w->lanes);
  free(w->changed);
  ff_free_aligned(w->change);
  ff_free_aligned(w->high);
  free(w);
}

static void set_laws(ff_ssa_vector32 *w) {
  const ff_ssa_program *p = w->lanes.program;
  const uint32_t one = p->n_species;
  for (uint32_t r = 0; r < FF_SSA_VECTOR32_TABLE; r++) w->a[r] = w->b[r] = one;
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    const ff_ssa_propensity *law = p->propensities + r;
    w->rate[r] = law->rate;
    w->a[r] = law->law == FF_LAW_CONSTANT ? one : law->a;
    w->b[r] = law->law == FF_LAW_PAIR ? law->b : law->law == FF_LAW_TWIN ? law->a : one;
    w->less[r] = law->law == FF_LAW_TWIN;
  }
  for (uint32_t s = 0; s < p->n_species; s++) {
    if (!p->changed[s]) continue;
    double *table = w->change + (size_t)w->n_changed * FF_SSA_VECTOR32_TABLE;
    for (uint32_t r = 0; r < p->n_reactions; r++)
      for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++)
        if (p->changes[i].species == s) table[r] = (double)p->changes[i].by;
    w->changed[w->n_changed++] = s;
  }
  for (uint32_t lane = 0; lane < FF_SSA_VECTOR32_LANES; lane++) w->lanes.count[(size_t)one * FF_SSA_VECTOR32_LANES + lane] = 1;
}

/* Vectors of 256 bits find a word by one instruction, but a double only by a gather. The lower words of small numbers are 0. */
static ff_status set_high(ff_ssa_vector32 *w, ff_error *err) {
  const uint32_t n = w->lanes.program->n_reactions;
  if (n >= FF_SSA_FAN) return FF_OK;
  for (size_t i = 0; i < (size_t)w->n_changed * FF_SSA_VECTOR32_TABLE; i++)
    if ((uint32_t)ff_math_bits(w->change[i]) != 0) return FF_OK;
  w->high = ff_calloc_aligned((size_t)w->n_changed * FF_SSA_FAN + 1, sizeof *w->high);
  if (w->high == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the changes of %u species", w->n_changed);
  for (size_t i = 0; i < (size_t)w->n_changed * FF_SSA_FAN; i++)
    w->high[i] = (int32_t)(ff_math_bits(w->change[i / FF_SSA_FAN * FF_SSA_VECTOR32_TABLE + i % FF_SSA_FAN]) >> 32);
  return FF_OK;
}

static ff_status fill(ff_ssa_vector32 *w, const ff_ssa_program *program, const double *initial, uint64_t key, ff_simd *simd,
                      ff_error *err) {
  const ff_ssa_lanes_shape shape = {FF_SSA_VECTOR32_LANES, program->n_species + 1, FF_SSA_DRAWS};
  ff_status status = ff_ssa_lanes_fill(&w->lanes, program, shape, initial, key, simd, err);
  if (status != FF_OK) return status;
  w->lanes.drawn = FF_SSA_DRAWS;
  w->changed = ff_calloc(program->n_species, sizeof *w->changed);
  w->change = ff_calloc_aligned((size_t)program->n_species * FF_SSA_VECTOR32_TABLE, sizeof *w->change);
  if (w->changed == NULL || w->change == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for the changes of %u species", program->n_species);
  set_laws(w);
  return set_high(w, err);
}

ff_status ff_ssa_engine_vector32(ff_lanes **out, const ff_ssa_program *program, const double *initial, uint64_t key,
                              ff_simd simd, ff_error *err) {
  *out = NULL;
  ff_ssa_vector32 *w = ff_calloc(1, sizeof *w);
  if (w == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for trajectories");
  ff_status status = fill(w, program, initial, key, &simd, err);
  if (status != FF_OK) {
    drop(&w->lanes.base);
    return status;
  }
  w->lanes.base.advance = FF_SSA_KERNEL_FOR(simd, vector32);
  w->lanes.base.free = drop;
  ff_ssa_lanes_rest(&w->lanes);
  *out = &w->lanes.base;
  return FF_OK;
}
