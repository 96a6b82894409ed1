/* Truth tables of expressions, computed 32 rows at a time, and truth tables as sums of products. */
#include "ff_model_internal.h"

#include <stdlib.h>
#include <string.h>

/* Bit r is the value of input j < 5 in row r of a word of 32 rows. */
static const uint32_t low_inputs[5] = {0xAAAAAAAAu, 0xCCCCCCCCu, 0xF0F0F0F0u, 0xFF00FF00u, 0xFFFF0000u};

static uint32_t table_word(uint32_t *inputs, uint32_t k, const uint32_t *data) {
  uint32_t out = 0;
  for (uint32_t lane = 0; lane < 32; lane++) {
    uint32_t row = 0;
    for (uint32_t i = 0; i < k; i++) row = row << 1 | ((inputs[i] >> lane) & 1u);
    out |= ((data[row / 32] >> (row % 32)) & 1u) << lane;
  }
  return out;
}

/* The values of 32 rows, namely those of word number `word`. position[at] is the index of a variable among the parents. */
static uint32_t rows_of_word(const ff_expr *expr, const uint8_t *position, uint32_t word, uint32_t *stack) {
  uint32_t *top = stack;
  for (uint32_t at = 0; at < expr->length; at++) {
    uint32_t operand = FF_X_OPERAND(expr->code[at]);
    switch (FF_X_CODE(expr->code[at])) {
      case FF_X_CONST: *top++ = operand ? UINT32_MAX : 0; break;
      case FF_X_VAR: {
        uint32_t j = position[at];
        *top++ = j < 5 ? low_inputs[j] : (word >> (j - 5)) & 1u ? UINT32_MAX : 0;
        break;
      }
      case FF_X_NOT: top[-1] = ~top[-1]; break;
      case FF_X_AND: top--; top[-1] &= top[0]; break;
      case FF_X_OR: top--; top[-1] |= top[0]; break;
      case FF_X_XOR: top--; top[-1] ^= top[0]; break;
      default: /* FF_X_TABLE */
        top -= operand;
        *top = table_word(top, operand, expr->code + at + 1);
        top++;
        at += ff_table_words(operand);
    }
  }
  return stack[0];
}

static ff_status find_positions(uint8_t *position, const ff_expr *expr, const uint32_t *parents, uint32_t n,
                                ff_error *err) {
  for (uint32_t at = 0; at < expr->length; at = ff_expr_next(expr, at)) {
    if (FF_X_CODE(expr->code[at]) != FF_X_VAR) continue;
    uint32_t node = FF_X_OPERAND(expr->code[at]), j = 0;
    while (j < n && parents[j] != node) j++;
    if (j == n) return ff_error_set(err, FF_EARGUMENT, "an expression names node %u, which is not among its parents", node + 1);
    position[at] = (uint8_t)j;
  }
  return FF_OK;
}

ff_status ff_expr_table(const ff_expr *expr, const uint32_t *parents, uint32_t n, uint32_t **table, ff_error *err) {
  *table = NULL;
  if (n > FF_X_MAX_TABLE)
    return ff_error_set(err, FF_ESIZE, "a truth table has at most %d inputs, not %u", FF_X_MAX_TABLE, n);
  uint32_t words = ff_table_words(n);
  uint8_t *position = ff_calloc(expr->length, 1);
  uint32_t *stack = ff_calloc(expr->depth, sizeof *stack), *out = ff_calloc(words, sizeof *out);
  ff_status status = position == NULL || stack == NULL || out == NULL
                         ? ff_error_set(err, FF_EMEMORY, "no memory for a truth table of %u inputs", n)
                         : find_positions(position, expr, parents, n, err);
  if (status == FF_OK) {
    for (uint32_t w = 0; w < words; w++) out[w] = rows_of_word(expr, position, w, stack);
    out[words - 1] &= ff_table_mask(n);
    *table = out;
    out = NULL;
  }
  free(position);
  free(stack);
  free(out);
  return status;
}

/* ---- irredundant sums of products (Minato 1992, after Morreale) --------------------------------------------------- */

typedef struct {
  ff_cube *cube;
  size_t n, capacity;
  ff_error *err;
} cover;

static ff_status add_cube(cover *c) {
  void *memory = c->cube;
  ff_status status = ff_grow(&memory, &c->capacity, c->n + 1, sizeof *c->cube, c->err);
  c->cube = memory;
  if (status == FF_OK) c->cube[c->n++] = (ff_cube){0, 0};
  return status;
}

/* Adds the literal of input v to every cube from `start` on. */
static void add_literal(cover *c, size_t start, uint32_t v, int positive) {
  for (size_t i = start; i < c->n; i++) {
    c->cube[i].care = (uint16_t)(c->cube[i].care | 1u << v);
    if (positive) c->cube[i].value = (uint16_t)(c->cube[i].value | 1u << v);
  }
}

/* Appends cubes whose sum f is a function between `lower` and `upper` of k <= 5 inputs. Each function is a word of 2^k rows.
 * The recursion has at most 6 levels. */
static ff_status cover_word(cover *c, uint32_t lower, uint32_t upper, uint32_t k, uint32_t *f) {
  *f = 0;
  if (lower == 0) return FF_OK;
  if (upper == ff_table_mask(k)) {
    *f = upper;
    return add_cube(c);
  }
  uint32_t v = k - 1, half = 1u << v, mask = ff_table_mask(v); /* k = 0 has returned above, because `upper` contains `lower` */
  uint32_t l0 = lower & mask, l1 = lower >> half, u0 = upper & mask, u1 = upper >> half, f0, f1, both;
  size_t start = c->n;
  ff_status status = cover_word(c, l0 & ~u1, u0, v, &f0);
  if (status != FF_OK) return status;
  add_literal(c, start, v, 0);
  start = c->n;
  status = cover_word(c, l1 & ~u0, u1, v, &f1);
  if (status != FF_OK) return status;
  add_literal(c, start, v, 1);
  status = cover_word(c, (l0 & ~f0) | (l1 & ~f1), u0 & u1, v, &both);
  *f = f0 | both | (f1 | both) << half;
  return status;
}

static int all_words(const uint32_t *words, uint32_t n, uint32_t value) {
  for (uint32_t i = 0; i < n; i++)
    if (words[i] != value) return 0;
  return 1;
}

/* The same for k >= 5 inputs, where a table has whole words. This function recurses to at most 12 levels. `work` has room for
 * 5 half tables and for those of the deeper calls, 5 * words in all. */
static ff_status cover_words(cover *c, const uint32_t *lower, const uint32_t *upper, uint32_t k, uint32_t *f,
                             uint32_t *work) {
  uint32_t words = ff_table_words(k);
  if (k == 5) return cover_word(c, lower[0], upper[0], k, f);
  memset(f, 0, words * sizeof *f);
  if (all_words(lower, words, 0)) return FF_OK;
  if (all_words(upper, words, UINT32_MAX)) {
    memcpy(f, upper, words * sizeof *f);
    return add_cube(c);
  }
  uint32_t half = words / 2, v = k - 1;
  const uint32_t *l0 = lower, *l1 = lower + half, *u0 = upper, *u1 = upper + half;
  uint32_t *low = work, *high = work + half, *f0 = work + 2 * half, *f1 = work + 3 * half, *both = work + 4 * half;
  uint32_t *rest = work + 5 * half;
  size_t start = c->n;
  for (uint32_t i = 0; i < half; i++) low[i] = l0[i] & ~u1[i];
  ff_status status = cover_words(c, low, u0, v, f0, rest);
  if (status != FF_OK) return status;
  add_literal(c, start, v, 0);
  start = c->n;
  for (uint32_t i = 0; i < half; i++) low[i] = l1[i] & ~u0[i];
  status = cover_words(c, low, u1, v, f1, rest);
  if (status != FF_OK) return status;
  add_literal(c, start, v, 1);
  for (uint32_t i = 0; i < half; i++) {
    low[i] = (l0[i] & ~f0[i]) | (l1[i] & ~f1[i]);
    high[i] = u0[i] & u1[i];
  }
  status = cover_words(c, low, high, v, both, rest);
  for (uint32_t i = 0; i < half; i++) {
    f[i] = f0[i] | both[i];
    f[i + half] = f1[i] | both[i];
  }
  return status;
}

ff_status ff_table_cubes(ff_cube **cubes, size_t *n_cubes, const uint32_t *table, uint32_t k, ff_error *err) {
  *cubes = NULL;
  *n_cubes = 0;
  uint32_t words = ff_table_words(k);
  uint32_t *work = ff_calloc((size_t)words * 6, sizeof *work);
  if (work == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a truth table of %u inputs", k);
  cover c = {.err = err};
  ff_status status = k < 5 ? cover_word(&c, table[0], table[0], k, work)
                           : cover_words(&c, table, table, k, work, work + words);
  free(work);
  if (status != FF_OK) {
    free(c.cube);
    return status;
  }
  *cubes = c.cube;
  *n_cubes = c.n;
  return FF_OK;
}
