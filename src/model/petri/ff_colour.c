/* Expressions of colours: their values, and the same without functions and constants. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ff_colour_internal.h"

static const uint8_t operands_of[FF_C_COUNT] = {
#define FF_X(code, operands, r, candl) operands,
    FF_COLOUR_LIST(FF_X)
#undef FF_X
};

uint32_t ff_colour_operands(const ff_colour_word *word, const ff_colour_scope *scope) {
  return word->code == FF_C_CALL ? scope->function[word->of].n_arguments : operands_of[word->code];
}

void ff_colour_free(ff_colour_expr *expr) {
  if (expr == NULL) return;
  free(expr->word);
  *expr = (ff_colour_expr){0};
}

ff_status ff_colour_copy(ff_colour_expr *out, const ff_colour_expr *expr, ff_error *err) {
  *out = (ff_colour_expr){0};
  if (expr->length == 0) return FF_OK;
  out->word = ff_calloc(expr->length, sizeof *out->word);
  if (out->word == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for an expression of %u words", expr->length);
  memcpy(out->word, expr->word, expr->length * sizeof *out->word);
  out->length = expr->length;
  out->depth = expr->depth;
  return FF_OK;
}

void *ff_colour_larger(void *old, size_t n, size_t room, size_t size) {
  void *larger = ff_calloc(room, size);
  if (larger == NULL) return NULL;
  if (n > 0) memcpy(larger, old, n * size);
  free(old);
  return larger;
}

/* The array has room for the next power of two of its length. */
ff_status ff_colour_push(ff_colour_expr *expr, ff_colour_word word, ff_error *err) {
  if (expr->length == FF_COLOUR_MAX_WORDS)
    return ff_error_set(err, FF_ESIZE, "an expression of colours has more than %u words", FF_COLOUR_MAX_WORDS);
  if ((expr->length & (expr->length - 1)) == 0) {
    const size_t room = expr->length > 0 ? 2 * (size_t)expr->length : 1;
    ff_colour_word *larger = ff_colour_larger(expr->word, expr->length, room, sizeof *larger);
    if (larger == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for an expression of %u words", expr->length + 1);
    expr->word = larger;
  }
  expr->word[expr->length++] = word;
  return FF_OK;
}

void ff_colour_measure(ff_colour_expr *expr, const ff_colour_scope *scope) {
  uint32_t height = 0;
  expr->depth = 0;
  for (uint32_t i = 0; i < expr->length; i++) {
    height += 1 - ff_colour_operands(&expr->word[i], scope);
    if (height > expr->depth) expr->depth = height;
  }
}

/* ---- functions and constants -------------------------------------------------------------------------------------------- */

static ff_status constant_of(ff_colour_word *out, const ff_colour_scope *scope, uint32_t parameter, ff_error *err) {
  const double value = scope->value[parameter];
  const char *name = scope->parameter[parameter];
  if (!(value == floor(value) && fabs(value) < (double)FF_COLOUR_MOST))
    return ff_error_set(err, FF_EMODEL, "the constant %s is %.17g; an expression of colours needs a whole number",
                        ff_quote(name, strlen(name)).text, value);
  *out = (ff_colour_word){FF_C_NUMBER, 0, (int64_t)value};
  return FF_OK;
}

/* The words of an expression, with those of its functions in their place. `argument` has the expanded arguments. */
static ff_status expand_into(ff_colour_expr *out, const ff_colour_expr *expr, const ff_colour_expr *argument,
                             const ff_colour_scope *scope, ff_error *err);

/* The last `n` values of `out` are the arguments of a call: they become expressions of their own, and the function's takes their
 * place. */
static ff_status expand_call(ff_colour_expr *out, const ff_colour_function *function, const ff_colour_scope *scope,
                             ff_error *err) {
  const uint32_t n = function->n_arguments;
  ff_colour_expr *argument = ff_calloc(n, sizeof *argument);
  if (argument == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u arguments", n);
  uint32_t end = out->length;
  ff_status status = FF_OK;
  for (uint32_t k = n; k-- > 0 && status == FF_OK;) {
    uint32_t start = end, open = 1; /* values that are still to be found */
    while (open > 0) open += ff_colour_operands(&out->word[--start], scope) - 1;
    for (uint32_t i = start; i < end && status == FF_OK; i++) status = ff_colour_push(&argument[k], out->word[i], err);
    end = start;
  }
  if (status == FF_OK) {
    ff_colour_expr kept = {0}; /* its array grows from powers of two, so it is made anew */
    for (uint32_t i = 0; i < end && status == FF_OK; i++) status = ff_colour_push(&kept, out->word[i], err);
    ff_colour_free(out);
    *out = kept;
  }
  if (status == FF_OK) status = expand_into(out, &function->value, argument, scope, err);
  for (uint32_t k = 0; k < n; k++) ff_colour_free(&argument[k]);
  free(argument);
  return status;
}

static ff_status expand_into(ff_colour_expr *out, const ff_colour_expr *expr, const ff_colour_expr *argument,
                             const ff_colour_scope *scope, ff_error *err) {
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < expr->length && status == FF_OK; i++) {
    ff_colour_word word = expr->word[i];
    if (word.code == FF_C_ARGUMENT && argument != NULL) {
      for (uint32_t k = 0; k < argument[word.of].length && status == FF_OK; k++)
        status = ff_colour_push(out, argument[word.of].word[k], err);
    } else if (word.code == FF_C_CALL) {
      status = expand_call(out, &scope->function[word.of], scope, err);
    } else {
      if (word.code == FF_C_CONSTANT) status = constant_of(&word, scope, word.of, err);
      if (status == FF_OK) status = ff_colour_push(out, word, err);
    }
  }
  return status;
}

ff_status ff_colour_expand(ff_colour_expr *out, const ff_colour_expr *expr, const ff_colour_scope *scope, ff_error *err) {
  *out = (ff_colour_expr){0};
  ff_status status = expand_into(out, expr, NULL, scope, err);
  if (status == FF_OK)
    ff_colour_measure(out, scope);
  else
    ff_colour_free(out);
  return status;
}

/* ---- values ------------------------------------------------------------------------------------------------------------- */

static int is_number(int64_t x) { return x < FF_COLOUR_MOST && x > -FF_COLOUR_MOST; }

static int power_of(int64_t *value, int64_t base, int64_t exponent) {
  if (exponent < 0) return 0;
  *value = 1;
  if (base == 0 || base == 1 || base == -1) {
    *value = exponent == 0 ? 1 : base == -1 && exponent % 2 == 0 ? 1 : base;
    return 1;
  }
  for (; exponent > 0; exponent--) {
    if (!is_number(*value)) return 0;
    if (__builtin_mul_overflow(*value, base, value)) return 0;
  }
  return is_number(*value);
}

static int compare(int64_t *value, uint32_t code, int64_t a, int64_t b) {
  if (code == FF_C_EQ || code == FF_C_NE) {
    *value = (a == b) == (code == FF_C_EQ);
    return 1;
  }
  if (is_number(a) != is_number(b)) return 0; /* a number and a name */
  *value = code == FF_C_LT ? a < b : code == FF_C_LE ? a <= b : code == FF_C_GT ? a > b : a >= b;
  return 1;
}

/* A case for each operation. */
int ff_colour_operate(int64_t *value, uint32_t code, int64_t a, int64_t b) {
  if (code >= FF_C_LT && code <= FF_C_NE) return compare(value, code, a, b);
  if (!is_number(a) || !is_number(b)) return 0;
  switch (code) {
    case FF_C_NEG: *value = -a; return 1;
    case FF_C_ABS: *value = a < 0 ? -a : a; return 1;
    case FF_C_NOT: *value = a == 0; return 1;
    case FF_C_AND: *value = a != 0 && b != 0; return 1;
    case FF_C_OR: *value = a != 0 || b != 0; return 1;
    case FF_C_ADD: *value = a + b; return is_number(*value);
    case FF_C_SUB: *value = a - b; return is_number(*value);
    case FF_C_MUL: return !__builtin_mul_overflow(a, b, value) && is_number(*value);
    case FF_C_DIV: *value = b != 0 ? a / b : 0; return b != 0;
    case FF_C_MOD: *value = b != 0 ? a % b : 0; return b != 0;
    default: return power_of(value, a, b);
  }
}

int ff_colour_neighbour(int64_t *value, const ff_colours *set, int64_t of, int next) {
  const int64_t at = ff_colours_find(set, &of), n = ff_colours_n(set);
  if (at < 0) return 0;
  ff_colours_at(set, (uint32_t)((at + (next ? 1 : n - 1)) % n), value);
  return 1;
}

#define NO_VALUE INT64_MIN

static int is_logical(uint32_t code) { return code == FF_C_AND || code == FF_C_OR || code == FF_C_NOT; }

/* Logical operations take what has no value as false, and so are comparisons of it. */
static int64_t operate(uint32_t code, int64_t a, int64_t b) {
  int64_t value;
  if (is_logical(code)) {
    if (a == NO_VALUE) a = 0;
    if (b == NO_VALUE) b = 0;
  } else if (a == NO_VALUE || b == NO_VALUE) {
    return code >= FF_C_LT && code <= FF_C_NE ? 0 : NO_VALUE;
  }
  if (ff_colour_operate(&value, code, a, b)) return value;
  return code >= FF_C_LT && code <= FF_C_NE ? 0 : NO_VALUE;
}

static int64_t neighbour(const ff_colours *set, int64_t of, int next) {
  int64_t value;
  return of != NO_VALUE && ff_colour_neighbour(&value, set, of, next) ? value : NO_VALUE;
}

int ff_colour_value(int64_t *value, const ff_colour_expr *expr, const ff_colour_scope *scope, const int64_t *component,
                    int64_t *stack) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < expr->length; i++) {
    const ff_colour_word *word = &expr->word[i];
    switch (word->code) {
      case FF_C_NUMBER: stack[n++] = word->value; break;
      case FF_C_INDEX: stack[n++] = component[word->of]; break;
      case FF_C_NEXT:
      case FF_C_PREVIOUS:
        stack[n - 1] = neighbour(scope->colours[word->of], stack[n - 1], word->code == FF_C_NEXT);
        break;
      default: {
        const uint32_t operands = operands_of[word->code];
        n -= operands;
        stack[n] = operate(word->code, stack[n], operands > 1 ? stack[n + 1] : 0);
        n++;
      }
    }
  }
  *value = n > 0 ? stack[0] : 1;
  return *value != NO_VALUE;
}
