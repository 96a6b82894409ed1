/* Where trajectories start, and whether the long run depends on it. */
#include <stdlib.h>

#include "ff_engine_internal.h"

static int can_flip(const ff_pbn *pbn, uint32_t node) { return pbn->perturbed[node] && pbn->perturbation > 0; }

/* A node's parents among the nodes that are neither held nor able to flip and are not settled yet. */
static uint32_t open_parents(const ff_pbn *pbn, uint32_t node, const uint8_t *settled) {
  uint32_t n = 0;
  for (uint32_t f = pbn->first[node]; f < pbn->first[node + 1]; f++)
    for (uint32_t j = 0; j < pbn->predictors[f].n_parents; j++) n += !settled[pbn->predictors[f].parents[j]];
  return n;
}

ff_status ff_start_classify(ff_program *program, const ff_pbn *pbn, ff_error *err) {
  uint32_t n = pbn->n_nodes, open = 0;
  program->held = ff_calloc(n, 1);
  uint8_t *settled = ff_calloc(n, 1);
  if (program->held == NULL || settled == NULL) {
    free(settled);
    return ff_error_set(err, FF_EMEMORY, "no memory for the starts of %u nodes", n);
  }
  ff_status status = ff_pbn_held(program->held, pbn, err);
  if (status != FF_OK) {
    free(settled);
    return status;
  }
  for (uint32_t i = 0; i < n; i++) {
    settled[i] = program->held[i] >= 0 || can_flip(pbn, i);
    open += !settled[i];
  }
  /* an exempt node forgets its start once all its parents have; passes go on while one of them settles a node */
  for (uint32_t before = open + 1; open > 0 && open < before;) {
    before = open;
    for (uint32_t i = 0; i < n; i++) {
      if (settled[i] || open_parents(pbn, i, settled) > 0) continue;
      settled[i] = 1;
      open--;
    }
  }
  free(settled);
  program->forgets = open == 0;
  return FF_OK;
}

void ff_program_spread(ff_program *program) {
  if (!program->forgets) return;
  for (uint32_t i = 0; i < program->n_nodes; i++)
    if (program->held[i] < 0 && program->initial[i] <= 1) program->initial[i] = (int8_t)(program->initial[i] + FF_START_SPREAD);
}
