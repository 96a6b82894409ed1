/* The direct method in vectors: its memory. */
#include "ff_ssa_vector16.h"

#include <stdlib.h>
#include <string.h>

int ff_ssa_engine_vector16_can(const ff_ssa_program *program) {
  return program->n_reactions > 0 && program->n_reactions <= FF_SSA_VECTOR16_REACTIONS;
}

/* The shape of the tree of n propensities. Returns the number of nodes, with those that fill the last groups. */
static size_t shape_of(ff_ssa_vector16 *vector, uint32_t n) {
  size_t room = 0;
  for (uint32_t nodes = n;; nodes = (nodes + FF_SSA_FAN - 1) / FF_SSA_FAN) {
    vector->first[vector->levels] = (uint32_t)room;
    vector->n[vector->levels++] = nodes;
    room += ((size_t)nodes + FF_SSA_FAN - 1) / FF_SSA_FAN * FF_SSA_FAN;
    if (nodes == 1) return room;
  }
}

void ff_ssa_vector16_clear(ff_ssa_vector16 *w) {
  ff_ssa_lanes_clear(&w->lanes);
  ff_free_aligned(w->value);
  ff_free_aligned(w->stack);
}

static void drop(ff_lanes *engine) {
  if (engine == NULL) return;
  ff_ssa_vector16_clear((ff_ssa_vector16 *)engine);
  free(engine);
}

ff_status ff_ssa_vector16_fill(ff_ssa_vector16 *w, const ff_ssa_program *program, ff_ssa_vector16_shape shape,
                               const double *initial,
                               uint64_t key, ff_simd *simd, ff_error *err) {
  const ff_ssa_lanes_shape lanes = {.lanes = FF_SSA_LANES, .rows = shape.rows, .draws = shape.draws};
  ff_status status = ff_ssa_lanes_fill(&w->lanes, program, lanes, initial, key, simd, err);
  if (status != FF_OK) return status;
  w->value = ff_calloc_aligned(shape_of(w, shape.leaves) * FF_SSA_LANES, sizeof *w->value);
  w->stack = ff_calloc_aligned(((size_t)program->depth + 1) * FF_SSA_LANES, sizeof *w->stack);
  if (w->value != NULL && w->stack != NULL) return FF_OK;
  return ff_error_set(err, FF_EMEMORY, "no memory for the propensities of %u reactions", program->n_reactions);
}

ff_status ff_ssa_vector16_end(ff_lanes **out, ff_ssa_vector16 *w, const ff_lanes *calls, ff_status status) {
  ff_lanes *base = &w->lanes.base;
  if (status != FF_OK) {
    calls->free(base);
    return status;
  }
  base->advance = calls->advance;
  base->free = calls->free;
  if (calls->start != NULL) base->start = calls->start;
  if (calls->rest != NULL) base->rest = calls->rest;
  if (calls->diagnose != NULL) base->diagnose = calls->diagnose;
  ff_ssa_lanes_rest(&w->lanes);
  *out = base;
  return FF_OK;
}

ff_status ff_ssa_list_observed(uint32_t **observed, uint32_t *n_observed, const ff_ssa_program *program,
                               const ff_run_options *options, ff_error *err) {
  const uint32_t n = options->n_observed;
  for (uint32_t i = 0; i < n; i++)
    if (options->observed[i] >= program->n_species) return FF_OK;
  *observed = ff_calloc(n, sizeof **observed);
  if (*observed == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u observed species", n);
  if (n > 0) memcpy(*observed, options->observed, n * sizeof **observed);
  *n_observed = n;
  return FF_OK;
}

ff_status ff_ssa_engine_vector16(ff_lanes **out, const ff_ssa_program *program, const double *initial, uint64_t key,
                             ff_simd simd, ff_error *err) {
  *out = NULL;
  ff_ssa_vector16 *w = ff_calloc(1, sizeof *w);
  if (w == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for trajectories");
  const ff_ssa_vector16_shape shape = {.rows = program->n_species, .leaves = program->n_reactions, .draws = 1};
  ff_status status = ff_ssa_vector16_fill(w, program, shape, initial, key, &simd, err);
  const ff_lanes calls = {.advance = FF_SSA_KERNEL_FOR(simd, advance), .free = drop};
  return ff_ssa_vector16_end(out, w, &calls, status);
}
