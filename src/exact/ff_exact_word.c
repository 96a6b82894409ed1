/* Expressions over all states: a word holds the values in 64 consecutive states. */
#include "ff_exact_internal.h"

#include <math.h>
#include <stdlib.h>

static const uint64_t PATTERN[6] = {UINT64_C(0xAAAAAAAAAAAAAAAA), UINT64_C(0xCCCCCCCCCCCCCCCC),
                                    UINT64_C(0xF0F0F0F0F0F0F0F0), UINT64_C(0xFF00FF00FF00FF00),
                                    UINT64_C(0xFFFF0000FFFF0000), UINT64_C(0xFFFFFFFF00000000)};

static uint64_t variable(const ff_exact *ex, uint32_t node, size_t w) {
  int bit = ex->bit[node];
  if (bit < 0) return bit == FF_HELD_1 ? ~UINT64_C(0) : 0;
  if (bit < 6) return PATTERN[bit];
  return (w >> (bit - 6)) & 1u ? ~UINT64_C(0) : 0;
}

/* Small tables are folded input by input, the least significant first. Large ones are looked up state by state. */
static uint64_t table(const uint64_t *input, uint32_t k, const ff_op *data) {
  if (k > 7) {
    uint64_t out = 0;
    for (uint32_t lane = 0; lane < 64; lane++) {
      uint32_t row = 0;
      for (uint32_t i = 0; i < k; i++) row = row << 1 | (uint32_t)(input[i] >> lane & 1u);
      out |= (uint64_t)(data[row / 32] >> (row % 32) & 1u) << lane;
    }
    return out;
  }
  uint64_t value[128];
  uint32_t rows = UINT32_C(1) << k;
  for (uint32_t r = 0; r < rows; r++) value[r] = data[r / 32] >> (r % 32) & 1u ? ~UINT64_C(0) : 0;
  for (uint32_t i = k; i-- > 0;) {
    rows /= 2;
    for (uint32_t r = 0; r < rows; r++) value[r] = (value[2 * r] & ~input[i]) | (value[2 * r + 1] & input[i]);
  }
  return value[0];
}

uint64_t ff_exact_word(const ff_exact *ex, const ff_expr *expr, size_t w, uint64_t *stack) {
  uint32_t top = 0;
  for (uint32_t at = 0; at < expr->length; at = ff_expr_next(expr, at)) {
    ff_op op = expr->code[at];
    uint32_t operand = FF_X_OPERAND(op);
    switch (FF_X_CODE(op)) {
      case FF_X_CONST: stack[top++] = operand ? ~UINT64_C(0) : 0; break;
      case FF_X_VAR: stack[top++] = variable(ex, operand, w); break;
      case FF_X_NOT: stack[top - 1] = ~stack[top - 1]; break;
      case FF_X_AND: top--; stack[top - 1] &= stack[top]; break;
      case FF_X_OR: top--; stack[top - 1] |= stack[top]; break;
      case FF_X_XOR: top--; stack[top - 1] ^= stack[top]; break;
      default:
        top -= operand;
        stack[top] = table(stack + top, operand, expr->code + at + 1);
        top++;
    }
  }
  return stack[0];
}

ff_status ff_exact_sum_advance(ff_exact_sum *sum, const double *pi, const ff_expr *set, const ff_exact *exact,
                               double seconds, int *done, ff_error *err) {
  ff_exact_turn turn = ff_exact_turn_of(seconds);
  uint64_t *stack = ff_calloc(set->depth + 1u, sizeof *stack);
  if (!stack) return ff_error_set(err, FF_EMEMORY, "no memory for the value of a set");
  for (; sum->at < exact->words && ff_exact_more(&turn, set->length + 64); sum->at++) {
    uint64_t in = ff_exact_word(exact, set, sum->at, stack);
    if (exact->n_states < 64) in &= (UINT64_C(1) << exact->n_states) - 1;
    double part = 0;
    for (uint32_t l = 0; l < 64 && in >> l; l++)
      if (in >> l & 1u) part += pi[sum->at * 64 + l];
    double y = part - sum->lost, t = sum->value + y; /* Kahan's summation, so that sums over a million states lose no digits */
    sum->lost = (t - sum->value) - y;
    sum->value = t;
  }
  free(stack);
  *done = sum->at == exact->words;
  return FF_OK;
}

ff_status ff_exact_probability(double *out, const double *pi, const ff_expr *set, const ff_exact *exact,
                               ff_error *err) {
  ff_exact_sum sum = {0};
  int done;
  ff_status status = ff_exact_sum_advance(&sum, pi, set, exact, INFINITY, &done, err);
  *out = sum.value;
  return status;
}
