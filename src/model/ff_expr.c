/* Expressions in postfix code: checking, traversing, evaluating and renaming them. */
#include "ff_model_internal.h"

#include <stdlib.h>
#include <string.h>

ff_status ff_code_push(ff_code *code, ff_op word, ff_error *err) {
  if (code->length >= UINT32_MAX) return ff_error_set(err, FF_ESIZE, "an expression has more than 2^32 - 1 words");
  void *memory = code->word;
  ff_status status = ff_grow(&memory, &code->capacity, code->length + 1, sizeof *code->word, err);
  code->word = memory;
  if (status == FF_OK) code->word[code->length++] = word;
  return status;
}

void ff_code_free(ff_code *code) {
  free(code->word);
  *code = (ff_code){0};
}

ff_status ff_code_finish(ff_expr *out, ff_code *code, ff_error *err) {
  ff_op *fitted = code->length > 0 ? ff_shrink(code->word, code->length, sizeof *fitted) : code->word;
  *out = (ff_expr){.code = fitted, .length = (uint32_t)code->length};
  *code = (ff_code){0};
  ff_status status = ff_expr_measure(out, FF_X_MAX_OPERAND, err);
  if (status != FF_OK) ff_expr_free(out);
  return status;
}

void ff_expr_free(ff_expr *expr) {
  if (expr == NULL) return;
  free(expr->code);
  *expr = (ff_expr){0};
}

ff_status ff_expr_copy(ff_expr *out, const ff_expr *expr, ff_error *err) {
  *out = (ff_expr){0};
  if (expr->length == 0) return FF_OK;
  ff_op *code = ff_calloc(expr->length, sizeof *code);
  if (code == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for an expression of %u words", expr->length);
  memcpy(code, expr->code, expr->length * sizeof *code);
  *out = (ff_expr){.code = code, .length = expr->length, .depth = expr->depth};
  return FF_OK;
}

uint32_t ff_expr_next(const ff_expr *expr, uint32_t at) {
  ff_op op = expr->code[at];
  return FF_X_CODE(op) == FF_X_TABLE ? at + 1 + ff_table_words(FF_X_OPERAND(op)) : at + 1;
}

ff_status ff_expr_measure(ff_expr *expr, uint32_t n_nodes, ff_error *err) {
  uint32_t height = 0, depth = 0, variables = 0; /* variables: the number of FF_X_VAR words right before this word */
  for (uint32_t at = 0; at < expr->length;) {
    ff_op op = expr->code[at];
    uint32_t operand = FF_X_OPERAND(op), pops = 0, words = 0;
    switch (FF_X_CODE(op)) {
      case FF_X_CONST:
        if (operand > 1) return ff_error_set(err, FF_EINTERNAL, "an expression has a constant %u", operand);
        break;
      case FF_X_VAR:
        if (operand >= n_nodes)
          return ff_error_set(err, FF_EINTERNAL, "an expression names node %u of %u", operand, n_nodes);
        break;
      case FF_X_NOT: pops = 1; break;
      case FF_X_AND:
      case FF_X_OR:
      case FF_X_XOR: pops = 2; break;
      case FF_X_TABLE:
        if (operand == 0 || operand > FF_X_MAX_TABLE || operand > variables)
          return ff_error_set(err, FF_EINTERNAL, "a truth table has %u inputs", operand);
        pops = operand;
        words = ff_table_words(operand);
        if (words > expr->length - at - 1) return ff_error_set(err, FF_EINTERNAL, "a truth table is cut short");
        if ((expr->code[at + words] & ~ff_table_mask(operand)) != 0)
          return ff_error_set(err, FF_EINTERNAL, "a truth table has unused bits that are not 0");
        break;
      default: return ff_error_set(err, FF_EINTERNAL, "an expression has an operation %u", FF_X_CODE(op));
    }
    if (pops > height) return ff_error_set(err, FF_EINTERNAL, "an expression lacks an operand");
    variables = FF_X_CODE(op) == FF_X_VAR ? variables + 1 : 0;
    height = height - pops + 1;
    if (height > depth) depth = height;
    at += 1 + words;
  }
  if (height != 1) return ff_error_set(err, FF_EINTERNAL, "an expression leaves %u values", height);
  expr->depth = depth;
  return FF_OK;
}

int ff_expr_value(const ff_expr *expr, const uint32_t *state, uint8_t *stack) {
  const ff_op *code = expr->code;
  uint8_t *top = stack; /* one past the last value */
  for (uint32_t at = 0; at < expr->length; at++) {
    uint32_t operand = FF_X_OPERAND(code[at]);
    switch (FF_X_CODE(code[at])) {
      case FF_X_CONST: *top++ = (uint8_t)operand; break;
      case FF_X_VAR: *top++ = (uint8_t)((state[operand / 32] >> (operand % 32)) & 1u); break;
      case FF_X_NOT: top[-1] ^= 1u; break;
      case FF_X_AND: top--; top[-1] = (uint8_t)(top[-1] & top[0]); break;
      case FF_X_OR: top--; top[-1] = (uint8_t)(top[-1] | top[0]); break;
      case FF_X_XOR: top--; top[-1] = (uint8_t)(top[-1] ^ top[0]); break;
      default: { /* FF_X_TABLE */
        uint32_t row = 0;
        top -= operand;
        for (uint32_t i = 0; i < operand; i++) row = row << 1 | top[i];
        *top++ = (uint8_t)((code[at + 1 + row / 32] >> (row % 32)) & 1u);
        at += ff_table_words(operand);
      }
    }
  }
  return stack[0];
}

ff_status ff_expr_parents(const ff_expr *expr, uint32_t **parents, uint32_t *n_parents, ff_error *err) {
  uint32_t n = 0;
  *parents = NULL;
  *n_parents = 0;
  for (uint32_t at = 0; at < expr->length; at = ff_expr_next(expr, at)) n += FF_X_CODE(expr->code[at]) == FF_X_VAR;
  uint32_t *node = ff_calloc(n, sizeof *node);
  if (node == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u parents", n);
  n = 0;
  for (uint32_t at = 0; at < expr->length; at = ff_expr_next(expr, at))
    if (FF_X_CODE(expr->code[at]) == FF_X_VAR) node[n++] = FF_X_OPERAND(expr->code[at]);
  const uint32_t unique = (uint32_t)ff_sort_unique(node, n);
  *parents = unique < n ? ff_shrink(node, unique, sizeof *node) : node; /* sums of products name their nodes repeatedly */
  *n_parents = unique;
  return FF_OK;
}

/* ---- renaming with constants folded away -------------------------------------------------------------------------- */

/* A value on the folding stack: a constant, for which no code has been written yet, or the code from `start` on. */
typedef struct {
  uint32_t start;
  int8_t constant; /* 0, 1, or -1 if there is code */
} folded;

typedef struct {
  ff_code code;
  folded *stack;
  uint32_t height;
  const int64_t *map;
  ff_error *err;
} folder;

static void push_folded(folder *f, uint32_t start, int constant) {
  if (constant >= 0) f->code.length = start; /* the code of a constant is written only at the end */
  f->stack[f->height++] = (folded){start, (int8_t)constant};
}

static ff_status fold_variable(folder *f, uint32_t node) {
  int64_t to = f->map[node];
  uint32_t start = (uint32_t)f->code.length;
  if (to == FF_MAP_0 || to == FF_MAP_1) {
    push_folded(f, start, to == FF_MAP_1);
    return FF_OK;
  }
  if (to < 0 || to >= (int64_t)FF_X_MAX_OPERAND)
    return ff_error_set(f->err, FF_EMODEL, "an expression names node %u, which is not among those kept", node + 1);
  push_folded(f, start, -1);
  return ff_code_push(&f->code, FF_X_OP(FF_X_VAR, (uint32_t)to), f->err);
}

static ff_status fold_binary(folder *f, uint32_t code) {
  folded right = f->stack[--f->height], left = f->stack[--f->height];
  if (left.constant < 0 && right.constant < 0) {
    push_folded(f, left.start, -1);
    return ff_code_push(&f->code, FF_X_OP(code, 0), f->err);
  }
  if (left.constant >= 0 && right.constant >= 0) {
    int a = left.constant, b = right.constant;
    push_folded(f, left.start, code == FF_X_AND ? (a & b) : code == FF_X_OR ? (a | b) : (a ^ b));
    return FF_OK;
  }
  int constant = left.constant >= 0 ? left.constant : right.constant;
  if (code == FF_X_AND && constant == 0) push_folded(f, left.start, 0);
  else if (code == FF_X_OR && constant == 1) push_folded(f, left.start, 1);
  else push_folded(f, left.start, -1); /* the constant has no code, so the remaining code belongs to the other operand */
  if (code == FF_X_XOR && constant == 1) return ff_code_push(&f->code, FF_X_OP(FF_X_NOT, 0), f->err);
  return FF_OK;
}

/* Folds a table in which some inputs have become constants: keeps the rows that agree with them. */
static ff_status fold_table(folder *f, uint32_t k, const uint32_t *data) {
  f->height -= k;
  folded *input = f->stack + f->height;
  uint32_t start = input[0].start, fixed = 0, kept = 0, place[FF_X_MAX_TABLE];
  for (uint32_t i = 0; i < k; i++) {
    if (input[i].constant >= 0)
      fixed |= (uint32_t)input[i].constant << (k - 1 - i);
    else
      place[kept++] = k - 1 - i; /* from the most significant input down */
  }
  uint32_t rows = UINT32_C(1) << kept, ones = 0, word = 0;
  ff_status status = ff_code_push(&f->code, FF_X_OP(FF_X_TABLE, kept), f->err);
  for (uint32_t row = 0; row < rows && status == FF_OK; row++) {
    uint32_t old = fixed;
    for (uint32_t j = 0; j < kept; j++) old |= ((row >> (kept - 1 - j)) & 1u) << place[j];
    uint32_t bit = (data[old / 32] >> (old % 32)) & 1u;
    ones += bit;
    word |= bit << (row % 32);
    if (row % 32 == 31 || row + 1 == rows) {
      status = ff_code_push(&f->code, word, f->err);
      word = 0;
    }
  }
  if (status != FF_OK) return status;
  if (ones == 0 || ones == rows) {
    push_folded(f, start, ones != 0);
    return FF_OK;
  }
  push_folded(f, start, -1);
  return FF_OK;
}

static ff_status fold(folder *f, const ff_expr *expr) {
  ff_status status = FF_OK;
  for (uint32_t at = 0; at < expr->length && status == FF_OK; at = ff_expr_next(expr, at)) {
    uint32_t code = FF_X_CODE(expr->code[at]), operand = FF_X_OPERAND(expr->code[at]);
    switch (code) {
      case FF_X_CONST: push_folded(f, (uint32_t)f->code.length, (int)operand); break;
      case FF_X_VAR: status = fold_variable(f, operand); break;
      case FF_X_NOT: {
        folded *top = &f->stack[f->height - 1];
        if (top->constant >= 0)
          top->constant = (int8_t)!top->constant;
        else
          status = ff_code_push(&f->code, FF_X_OP(FF_X_NOT, 0), f->err);
        break;
      }
      case FF_X_TABLE: status = fold_table(f, operand, expr->code + at + 1); break;
      default: status = fold_binary(f, code);
    }
  }
  if (status == FF_OK && f->stack[0].constant >= 0)
    status = ff_code_push(&f->code, FF_X_OP(FF_X_CONST, (uint32_t)f->stack[0].constant), f->err);
  return status;
}

ff_status ff_expr_remap(ff_expr *out, const ff_expr *expr, const int64_t *map, ff_error *err) {
  *out = (ff_expr){0};
  if (expr->length == 0) return ff_error_set(err, FF_EINTERNAL, "an expression is empty");
  folder f = {.map = map, .err = err, .stack = ff_calloc(expr->depth, sizeof *f.stack)};
  if (f.stack == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a stack of %u values", expr->depth);
  ff_status status = fold(&f, expr);
  free(f.stack);
  if (status == FF_OK) return ff_code_finish(out, &f.code, err);
  ff_code_free(&f.code);
  return status;
}
