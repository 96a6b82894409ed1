/* What may follow a set of states in which each node has its own possible values. */
#include <stdlib.h>
#include <string.h>

#include "ff_model_internal.h"

#define SWEEPS 64u /* over all nodes, up and down by turns */

static uint8_t negated(uint8_t a) { return (uint8_t)((a & 1u) << 1 | a >> 1); }

/* For `and`: 0 is possible if it is for one operand, 1 if it is for both. */
static uint8_t both(uint8_t a, uint8_t b) { return (uint8_t)(((a | b) & 1u) | (a & b & 2u)); }

static uint8_t differ(uint8_t a, uint8_t b) { return a == 3 || b == 3 ? 3 : a == b ? 1 : 2; }

/* Looks up all rows that the inputs may select; the first input is the most significant bit. */
static uint8_t table_values(const ff_op *data, const uint8_t *input, uint32_t k) {
  uint32_t open = 0, row = 0, out = 0, sub = 0;
  for (uint32_t i = 0; i < k; i++) {
    row |= (uint32_t)(input[i] == 2) << (k - 1 - i);
    open |= (uint32_t)(input[i] == 3) << (k - 1 - i);
  }
  do {
    uint32_t at = row | sub;
    out |= (data[at / 32] >> at % 32 & 1u) + 1;
    sub = (sub - open) & open; /* the next subset of the open inputs */
  } while (sub != 0 && out != 3);
  return (uint8_t)out;
}

uint8_t ff_expr_possible(const ff_expr *expr, const uint8_t *can, uint8_t *stack) {
  uint8_t *top = stack; /* one past the last value */
  for (uint32_t at = 0; at < expr->length; at = ff_expr_next(expr, at)) {
    uint32_t operand = FF_X_OPERAND(expr->code[at]);
    switch (FF_X_CODE(expr->code[at])) {
      case FF_X_CONST: *top++ = (uint8_t)(operand + 1); break;
      case FF_X_VAR: *top++ = can[operand]; break;
      case FF_X_NOT: top[-1] = negated(top[-1]); break;
      case FF_X_AND: top--; top[-1] = both(top[-1], top[0]); break;
      case FF_X_OR: top--; top[-1] = negated(both(negated(top[-1]), negated(top[0]))); break;
      case FF_X_XOR: top--; top[-1] = differ(top[-1], top[0]); break;
      default: /* FF_X_TABLE */
        top -= operand;
        *top = table_values(expr->code + at + 1, top, operand);
        top++;
    }
  }
  return stack[0];
}

ff_status ff_pbn_possible(uint8_t *can, const ff_pbn *pbn, ff_error *err) {
  uint32_t n = pbn->n_nodes, depth = 1;
  for (uint32_t f = 0; f < pbn->first[n]; f++)
    if (pbn->predictors[f].expr.depth > depth) depth = pbn->predictors[f].expr.depth;
  uint8_t *stack = ff_calloc(depth, sizeof *stack);
  if (stack == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the values that %u nodes may have", n);
  for (uint32_t i = 0; i < n; i++)
    if (pbn->perturbed[i] && pbn->perturbation > 0) can[i] = 3;
  int more = 1;
  for (uint32_t sweep = 0; sweep < SWEEPS && more; sweep++) {
    more = 0;
    for (uint32_t k = 0; k < n; k++) {
      uint32_t i = sweep % 2 == 0 ? k : n - 1 - k;
      for (uint32_t f = pbn->first[i]; f < pbn->first[i + 1] && can[i] != 3; f++) {
        uint8_t values = ff_expr_possible(&pbn->predictors[f].expr, can, stack);
        more |= (values & ~can[i]) != 0;
        can[i] |= values;
      }
    }
  }
  if (more) memset(can, 3, n); /* not settled, so nothing is excluded */
  free(stack);
  return FF_OK;
}
