/* Signs of arrows: whether a parent activates or inhibits its child. */
#include "ff_model_internal.h"

#include <stdlib.h>

/* Bit r is set if input j < 5 is 0 in row r of a word of 32 rows. */
static const uint32_t low_rows[5] = {0x55555555u, 0x33333333u, 0x0F0F0F0Fu, 0x00FF00FFu, 0x0000FFFFu};

/* The sign of input j in a truth table of n inputs. Compares each row where j is 0 with the row where only j differs. */
static uint8_t table_sign(const uint32_t *table, uint32_t n, uint32_t j) {
  uint32_t up = 0, down = 0, words = ff_table_words(n);
  for (uint32_t w = 0; w < words; w++) {
    uint32_t off, on;
    if (j < 5) {
      uint32_t rows = low_rows[j] & ff_table_mask(n);
      off = table[w] & rows;
      on = (table[w] >> (1u << j)) & rows;
    } else {
      if ((w >> (j - 5)) & 1u) continue;
      off = table[w];
      on = table[w | UINT32_C(1) << (j - 5)];
    }
    up |= on & ~off;
    down |= off & ~on;
  }
  return (uint8_t)((up ? FF_SIGN_UP : 0) | (down ? FF_SIGN_DOWN : 0));
}

static uint8_t turned(uint8_t sign) {
  return (uint8_t)((sign & FF_SIGN_UP ? FF_SIGN_DOWN : 0) | (sign & FF_SIGN_DOWN ? FF_SIGN_UP : 0));
}

static void mark(uint8_t *sign, const ff_predictor *predictor, uint32_t node, uint8_t how) {
  uint32_t low = 0, high = predictor->n_parents;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (predictor->parents[middle] <= node) low = middle;
    else high = middle;
  }
  sign[low] |= how;
}

/* The signs that follow from the written expression: a parent that occurs only under an even number of negations never lowers
 * the function. The loop goes from the last operation, the root, to the first. Each operation passes its sign to its
 * arguments. */
static ff_status written_signs(uint8_t *sign, const ff_predictor *predictor, ff_error *err) {
  const ff_expr *expr = &predictor->expr;
  uint32_t n = 0, top = 0;
  uint32_t *at = ff_calloc(expr->length, sizeof *at);
  uint8_t *stack = ff_calloc((size_t)expr->length + 1, 1);
  if (at == NULL || stack == NULL) {
    free(at);
    free(stack);
    return ff_error_set(err, FF_EMEMORY, "no memory for the signs of a function of %u parents", predictor->n_parents);
  }
  for (uint32_t i = 0; i < expr->length; i = ff_expr_next(expr, i)) at[n++] = i;
  stack[top++] = FF_SIGN_UP;
  while (n > 0) {
    ff_op op = expr->code[at[--n]];
    uint8_t how = stack[--top];
    uint32_t arguments = 2;
    switch (FF_X_CODE(op)) {
      case FF_X_CONST: arguments = 0; break;
      case FF_X_VAR:
        arguments = 0;
        mark(sign, predictor, FF_X_OPERAND(op), how);
        break;
      case FF_X_NOT:
        arguments = 1;
        how = turned(how);
        break;
      case FF_X_AND:
      case FF_X_OR: break;
      case FF_X_XOR: how = FF_SIGN_UP | FF_SIGN_DOWN; break;
      default: /* FF_X_TABLE */
        arguments = FF_X_OPERAND(op);
        how = FF_SIGN_UP | FF_SIGN_DOWN;
    }
    for (uint32_t i = 0; i < arguments; i++) stack[top++] = how;
  }
  free(at);
  free(stack);
  for (uint32_t j = 0; j < predictor->n_parents; j++)
    if (sign[j] == (FF_SIGN_UP | FF_SIGN_DOWN)) sign[j] = FF_SIGN_UNKNOWN; /* both signs occur, which proves nothing */
  return FF_OK;
}

/* The signs of a function's parents, in their order. sign[] must be zeroed. */
static ff_status predictor_signs(uint8_t *sign, const ff_predictor *predictor, ff_error *err) {
  uint32_t n = predictor->n_parents, *table = NULL;
  if (n > FF_X_MAX_TABLE) return written_signs(sign, predictor, err);
  ff_status status = ff_expr_table(&predictor->expr, predictor->parents, n, &table, err);
  if (status != FF_OK) return status;
  for (uint32_t j = 0; j < n; j++) sign[j] = table_sign(table, n, j);
  free(table);
  return FF_OK;
}

ff_status ff_pbn_signs(uint8_t *sign, const ff_pbn *pbn, const uint32_t *from, const uint32_t *to, size_t n_arrows,
                       ff_error *err) {
  for (size_t i = 0; i < n_arrows; i++) sign[i] = 0;
  size_t first = 0;
  for (uint32_t node = 0; node < pbn->n_nodes; node++) {
    size_t end = first;
    while (end < n_arrows && to[end] == node) end++;
    for (uint32_t f = pbn->first[node]; f < pbn->first[node + 1]; f++) {
      const ff_predictor *predictor = &pbn->predictors[f];
      uint8_t *own = ff_calloc(predictor->n_parents + 1u, 1);
      ff_status status = own == NULL ? ff_error_set(err, FF_EMEMORY, "no memory for the signs of node %u", node + 1)
                                     : predictor_signs(own, predictor, err);
      /* both lists of parents are in ascending order */
      for (size_t i = first, j = 0; status == FF_OK && j < predictor->n_parents; j++) {
        while (i < end && from[i] < predictor->parents[j]) i++;
        if (i < end && from[i] == predictor->parents[j]) sign[i] |= own[j];
      }
      free(own);
      if (status != FF_OK) return status;
    }
    first = end;
  }
  return FF_OK;
}
