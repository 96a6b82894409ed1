/* Compiles the packed program. The first 32-bit word of each truth table is in one array, and the other words are in another
 * array (Mizera, Pang, Yuan, section 3.3). Nodes are in ascending order of their number of functions (section 3.4).
 * Expressions are one array of words, whose evaluation needs at most 32 bits of stack. */
#include <stdlib.h>
#include <string.h>

#include "reduce/ff_reduce.h"
#include "ff_fixed.h"
#include "ff_packed_step.h"

#define PACKED_INPUTS 12           /* functions with more inputs stay expressions; 2^12 bits are half a kilobyte */
#define FAST_BYTES (32 * 1024)     /* the split assumes a first-level cache of this size, on every machine */
#define STACK_BITS 32

void ff_packed_free(ff_packed *packed) {
  free(packed->order);
  free(packed->first);
  free(packed->function);
  free(packed->parents);
  free(packed->extra_at);
  free(packed->extra);
  free(packed->code_at);
  free(packed->code);
  free(packed->cut);
  free(packed->cut_further);
  free(packed->context);
  free(packed->context_cut);
  free(packed->context_further);
  *packed = (ff_packed){0};
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

/* An operation with its operands. A table together with its inputs is one operation. */
typedef struct {
  uint32_t at, length;    /* position and number of its words */
  uint32_t first, second; /* operands in the order in which they are evaluated, or NONE */
  uint32_t bits;          /* number of bits of stack that it needs */
} operation;
#define NONE UINT32_MAX

/* Makes *op the operation at `at` and takes its operands from the stack of operations. Returns the new height of the stack. */
static uint32_t take_operands(operation *op, const operation *all, const uint32_t *stack, uint32_t height,
                              const ff_expr *expr, uint32_t at) {
  uint32_t code = FF_X_CODE(expr->code[at]), k = FF_X_OPERAND(expr->code[at]);
  *op = (operation){at, ff_expr_next(expr, at) - at, NONE, NONE, 1};
  if (code == FF_X_NOT) {
    op->first = stack[--height];
    op->bits = all[op->first].bits;
  } else if (code == FF_X_TABLE) {
    height -= k;
    op->at -= k;
    op->length += k;
    op->bits = k;
  } else if (code == FF_X_AND || code == FF_X_OR || code == FF_X_XOR) {
    uint32_t b = stack[--height], a = stack[--height];
    int swap = all[b].bits > all[a].bits;
    op->first = swap ? b : a;
    op->second = swap ? a : b;
    op->bits = all[a].bits == all[b].bits ? all[a].bits + 1 : all[op->first].bits;
  }
  return height;
}

/* Writes an expression so that the operand that needs more stack comes first (Sethi and Ullman). The stack then grows only
 * with the logarithm of the length. The caller provides `all` with `length` operations and `stack` with 2 * `length` numbers. */
static ff_status write_expression(uint32_t *out, const ff_expr *expr, operation *all, uint32_t *stack, ff_error *err) {
  uint32_t n = 0, height = 0, end = expr->length;
  for (uint32_t at = 0; at < expr->length; at = ff_expr_next(expr, at), n++) {
    height = take_operands(&all[n], all, stack, height, expr, at);
    stack[height++] = n;
  }
  if (all[n - 1].bits > STACK_BITS)
    return ff_error_set(err, FF_ESIZE, "an expression of %u words needs %u bits of stack, at most %d are there", expr->length,
                        all[n - 1].bits, STACK_BITS);
  while (height > 0) { /* from the end to the start */
    const operation *op = &all[stack[--height]];
    end -= op->length;
    memcpy(out + end, expr->code + op->at, op->length * sizeof *out);
    if (op->first != NONE) stack[height++] = op->first;
    if (op->second != NONE) stack[height++] = op->second;
  }
  return FF_OK;
}

static ff_status write_expressions(ff_packed *q, const ff_expr *const *expr, uint32_t n, ff_error *err) {
  uint64_t words = 0;
  uint32_t longest = 0;
  for (uint32_t i = 0; i < n; i++) {
    words += expr[i]->length;
    if (expr[i]->length > longest) longest = expr[i]->length;
  }
  if (words > UINT32_MAX)
    return ff_error_set(err, FF_ESIZE, "%llu words of expressions are more than a packed program can number",
                        (unsigned long long)words);
  q->n_code = (uint32_t)words;
  q->code = ff_calloc((size_t)words, sizeof *q->code);
  q->code_at = ff_calloc((size_t)n + 1, sizeof *q->code_at);
  operation *all = ff_calloc(longest, sizeof *all);
  uint32_t *stack = ff_calloc(longest, 2 * sizeof *stack);
  ff_status status = FF_OK;
  if (q->code == NULL || q->code_at == NULL || all == NULL || stack == NULL)
    status = ff_error_set(err, FF_EMEMORY, "no memory for %llu words of expressions", (unsigned long long)words);
  for (uint32_t i = 0; i < n && status == FF_OK; i++) {
    status = write_expression(q->code + q->code_at[i], expr[i], all, stack, err);
    q->code_at[i + 1] = q->code_at[i] + expr[i]->length;
  }
  free(all);
  free(stack);
  return status;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* The bounds of a choice, in two halves. The last alternative gets the remaining probability and has the largest bound. `room`
 * has n entries. */
static void cut_in_halves(uint32_t *high, uint32_t *low, uint64_t *room, const double *probability, size_t stride, uint32_t n) {
  ff_fixed_cuts(room, probability, stride, n);
  room[n - 1] = UINT64_MAX;
  for (uint32_t i = 0; i < n; i++) {
    high[i] = (uint32_t)(room[i] >> 32);
    low[i] = (uint32_t)room[i];
  }
}

static ff_status allocate(ff_packed *q, const ff_pbn *pbn, ff_error *err) {
  uint32_t n = pbn->n_nodes, m = pbn->first[n];
  uint64_t parents = 0, extra = 0;
  for (uint32_t f = 0; f < m; f++) {
    uint32_t k = pbn->predictors[f].n_parents;
    if (k <= PACKED_INPUTS) parents += k;
    if (k > 5 && k <= PACKED_INPUTS) extra += (UINT64_C(1) << (k - 5)) - 1;
  }
  if (parents >= UINT32_MAX / 16 || m >= UINT32_MAX / 16 || extra > UINT32_MAX)
    return ff_error_set(err, FF_ESIZE,
                        "%u functions, %llu parents and %llu words of truth tables are more than a packed program can number",
                        m, (unsigned long long)parents, (unsigned long long)extra);
  q->order = ff_calloc(n, sizeof *q->order);
  q->first = ff_calloc((size_t)n + 1, sizeof *q->first);
  q->function = ff_calloc(m, sizeof *q->function);
  q->parents = ff_calloc((size_t)parents, sizeof *q->parents);
  q->extra_at = ff_calloc(m, sizeof *q->extra_at);
  q->extra = ff_calloc((size_t)extra, sizeof *q->extra);
  q->cut = ff_calloc(m, sizeof *q->cut);
  q->cut_further = ff_calloc(m, sizeof *q->cut_further);
  if (q->order == NULL || q->first == NULL || q->function == NULL || q->parents == NULL || q->extra_at == NULL ||
      q->extra == NULL || q->cut == NULL || q->cut_further == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for a packed program of %u nodes", n);
  return FF_OK;
}

/* Stores the next predictor function. The expression of a wide function is added to `wide`. */
static ff_status place_function(ff_packed *q, const ff_predictor *f, const ff_expr **wide, ff_error *err) {
  uint32_t g = q->n_functions++, k = f->n_parents;
  q->extra_at[g] = q->n_extra;
  if (k > PACKED_INPUTS) {
    q->function[g] = q->n_wide * 16 + FF_STEP_WIDE;
    wide[q->n_wide++] = &f->expr;
    return FF_OK;
  }
  uint32_t *table = NULL;
  ff_status status = ff_expr_table(&f->expr, f->parents, k, &table, err);
  if (status != FF_OK) return status;
  q->function[g] = (uint64_t)table[0] << 32 | (q->n_parents * 16 + k);
  for (uint32_t i = 0; i < k; i++) q->parents[q->n_parents++] = f->parents[k - 1 - i];
  if (k > 5) {
    uint32_t words = (1u << (k - 5)) - 1;
    memcpy(q->extra + q->n_extra, table + 1, words * sizeof *table);
    q->n_extra += words;
  }
  free(table);
  return FF_OK;
}

static ff_status place_contexts(ff_packed *q, const ff_pbn *pbn, uint64_t *room, ff_error *err) {
  uint32_t n = pbn->n_nodes;
  q->n_contexts = pbn->n_contexts;
  if (q->n_contexts == 0) return FF_OK;
  q->context = ff_calloc((size_t)n * q->n_contexts, sizeof *q->context);
  q->context_cut = ff_calloc(q->n_contexts, sizeof *q->context_cut);
  q->context_further = ff_calloc(q->n_contexts, sizeof *q->context_further);
  if (q->context == NULL || q->context_cut == NULL || q->context_further == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for %u contexts", q->n_contexts);
  const double *probability = pbn->context_probability;
  cut_in_halves(q->context_cut, q->context_further, room, probability, sizeof *probability, q->n_contexts);
  for (uint32_t c = 0; c < q->n_contexts; c++) {
    for (uint32_t place = 0; place < n; place++)
      q->context[(size_t)c * n + place] = q->first[place] + pbn->context[(size_t)c * n + q->order[place]];
  }
  return FF_OK;
}

/* Stores all functions, place by place. The expressions of wide functions are added to `expr`. */
static ff_status place_all(ff_packed *q, const ff_pbn *pbn, const ff_expr **expr, uint64_t *room, ff_error *err) {
  ff_status status = FF_OK;
  for (uint32_t place = 0; place < pbn->n_nodes && status == FF_OK; place++) {
    uint32_t node = q->order[place], first = pbn->first[node], last = pbn->first[node + 1], at = q->n_functions;
    const ff_predictor *f = &pbn->predictors[first];
    cut_in_halves(q->cut + at, q->cut_further + at, room, &f->probability, sizeof *f, last - first);
    for (uint32_t i = first; i < last && status == FF_OK; i++)
      status = place_function(q, &pbn->predictors[i], expr, err);
    q->first[place + 1] = q->n_functions;
  }
  return status;
}

ff_status ff_packed_compile(ff_pbn_program *program, const ff_pbn *pbn, ff_error *err) {
  ff_packed *q = &program->packed;
  ff_status status = allocate(q, pbn, err);
  if (status != FF_OK) return status;
  uint32_t n = pbn->n_nodes, m = pbn->first[n], split;
  q->words = (uint32_t)(((uint64_t)n + 31) / 32);
  status = ff_pbn_order(q->order, &split, pbn, FAST_BYTES, err);
  if (status != FF_OK) return status;
  const ff_expr **expr = ff_calloc((size_t)m + program->n_terms, sizeof *expr);
  uint64_t *room = ff_calloc(m > pbn->n_contexts ? m : pbn->n_contexts, sizeof *room);
  if (expr == NULL || room == NULL) {
    free(expr);
    free(room);
    return ff_error_set(err, FF_EMEMORY, "no memory for a packed program of %u nodes", n);
  }
  status = place_all(q, pbn, expr, room, err);
  if (status == FF_OK) status = place_contexts(q, pbn, room, err);
  free(room);
  for (uint32_t i = 0; i < program->n_terms; i++) expr[q->n_wide + i] = &program->terms[i];
  if (status == FF_OK) status = write_expressions(q, expr, q->n_wide + program->n_terms, err);
  free(expr);
  program->bytes += ((size_t)n * 2 + (size_t)m * 5 + q->n_parents + q->n_extra + (size_t)q->n_contexts * n + q->n_wide +
                     program->n_terms + q->n_code) * 4;
  return status;
}
