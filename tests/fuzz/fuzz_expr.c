/* make fuzz: the parser of expressions and the functions that process its results. Every name of one letter is a node. */
#include "../c/same_network.h"
#include "fuzz.h"
#include "fuzz_letters.h"

static void check_text(const ff_expr *expr, char *const *names, int tables) {
  ff_error err = {FF_OK, ""};
  ff_expr again;
  char *text;
  ff_status status = ff_expr_text(&text, expr, names, tables, &err);
  MUST(status == FF_OK || (!tables && status == FF_EMODEL), err.text);
  if (status != FF_OK) return;
  MUST(ff_expr_parse(&again, text, strlen(text), find_letter, NULL, (ff_place){"text", 1}, &err) == FF_OK, err.text);
  MUST(tables ? same_expr(expr, &again) : same_meaning(expr, &again, LETTERS, 64), text);
  MUST(tables || strpbrk(text, "^{") == NULL, text);
  ff_expr_free(&again);
  free(text);
}

/* When every third node is fixed at a value, the expression must have the values that it had for these values of the nodes. */
static void check_remap(const ff_expr *expr) {
  ff_error err = {FF_OK, ""};
  int64_t map[LETTERS];
  uint32_t state[2] = {0x5A3C96F1u, 0x000C3A5Fu};
  for (int64_t i = 0; i < LETTERS; i++) {
    int value = (int)((state[i / 32] >> (i % 32)) & 1u);
    map[i] = i % 3 != 0 ? i : value ? FF_MAP_1 : FF_MAP_0;
  }
  ff_expr mapped;
  MUST(ff_expr_remap(&mapped, expr, map, &err) == FF_OK, err.text);
  uint8_t *stack = malloc(expr->depth > mapped.depth ? expr->depth : mapped.depth);
  MUST(stack != NULL && ff_expr_value(expr, state, stack) == ff_expr_value(&mapped, state, stack), "remap");
  free(stack);
  ff_expr_free(&mapped);
}

static void check_table(const ff_expr *expr) {
  ff_error err = {FF_OK, ""};
  uint32_t *parents, n, *table, state[2] = {0, 0};
  MUST(ff_expr_parents(expr, &parents, &n, &err) == FF_OK, err.text);
  if (n <= 10) {
    MUST(ff_expr_table(expr, parents, n, &table, &err) == FF_OK, err.text);
    uint8_t *stack = malloc(expr->depth);
    MUST(stack != NULL, "memory");
    for (uint32_t row = 0; row < 1u << n; row += 1 + row / 4) {
      memset(state, 0, sizeof state);
      for (uint32_t j = 0; j < n; j++) state[parents[j] / 32] |= ((row >> j) & 1u) << (parents[j] % 32);
      MUST(ff_expr_value(expr, state, stack) == (int)((table[row / 32] >> (row % 32)) & 1u), "table");
    }
    free(stack);
    free(table);
  }
  free(parents);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  letter_names all;
  name_letters(&all);
  ff_error err = {FF_OK, ""};
  ff_expr expr;
  ff_status status = ff_expr_parse(&expr, (const char *)data, size, find_letter, NULL, (ff_place){"net", 1}, &err);
  if (status != FF_OK) {
    MUST(status == FF_EPARSE && expr.code == NULL && ff_utf8_valid(err.text, strlen(err.text)), err.text);
    return 0;
  }
  check_text(&expr, all.names, 1);
  check_text(&expr, all.names, 0);
  check_remap(&expr);
  check_table(&expr);
  ff_expr_free(&expr);
  return 0;
}
