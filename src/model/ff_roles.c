/* Which nodes are held at a value, and which nodes are inputs. */
#include "ff_model_internal.h"

#include <stdlib.h>

/* Memory for evaluating functions: a state of the whole network, all 0, and a stack. */
typedef struct {
  uint32_t *state;
  uint8_t *stack;
} room;

static void room_free(room *r) {
  free(r->state);
  free(r->stack);
}

static ff_status room_new(room *r, const ff_pbn *pbn, ff_error *err) {
  uint32_t depth = 1;
  for (uint32_t f = 0; f < pbn->first[pbn->n_nodes]; f++)
    if (pbn->predictors[f].expr.depth > depth) depth = pbn->predictors[f].expr.depth;
  *r = (room){ff_calloc(pbn->n_nodes / 32 + 1u, sizeof *r->state), ff_calloc(depth, 1)};
  if (r->state != NULL && r->stack != NULL) return FF_OK;
  room_free(r);
  return ff_error_set(err, FF_EMEMORY, "no memory to evaluate the functions of %u nodes", pbn->n_nodes);
}

/* 1 if every predictor function of the node names no other node and returns `value` when the node has it, else 0. */
static int keeps(const ff_pbn *pbn, uint32_t node, int value, room *r) {
  uint32_t mask = UINT32_C(1) << (node % 32);
  for (uint32_t f = pbn->first[node]; f < pbn->first[node + 1]; f++) {
    const ff_predictor *predictor = &pbn->predictors[f];
    if (predictor->n_parents > 1 || (predictor->n_parents == 1 && predictor->parents[0] != node)) return 0;
    if (value) r->state[node / 32] |= mask;
    int next = ff_expr_value(&predictor->expr, r->state, r->stack);
    r->state[node / 32] &= ~mask;
    if (next != value) return 0;
  }
  return 1;
}

ff_status ff_pbn_held(int8_t *held, const ff_pbn *pbn, ff_error *err) {
  room r;
  ff_status status = room_new(&r, pbn, err);
  if (status != FF_OK) return status;
  for (uint32_t i = 0; i < pbn->n_nodes; i++) {
    int value = pbn->initial[i], flips = pbn->perturbation > 0 && pbn->perturbed[i];
    held[i] = (int8_t)(value >= 0 && !flips && keeps(pbn, i, value, &r) ? value : -1);
  }
  room_free(&r);
  return FF_OK;
}

ff_status ff_pbn_inputs(uint8_t *input, const ff_pbn *pbn, ff_error *err) {
  room r;
  ff_status status = room_new(&r, pbn, err);
  if (status != FF_OK) return status;
  for (uint32_t i = 0; i < pbn->n_nodes; i++) input[i] = keeps(pbn, i, 0, &r) && keeps(pbn, i, 1, &r);
  room_free(&r);
  return FF_OK;
}
