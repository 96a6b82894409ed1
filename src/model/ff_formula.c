/* Values of formulas, and formulas made from others. */
#include "ff_formula_code.h"
#include "ff_formula_value_math.h"

#include <stdlib.h>
#include <string.h>

static void count_values(ff_formula_builder *builder, uint32_t code) {
  builder->height = builder->height - ff_formula_operands(code) + 1;
  if (builder->height > builder->depth) builder->depth = builder->height;
}

ff_status ff_formula_push(ff_formula_builder *builder, ff_formula_word word, ff_error *err) {
  if (builder->length == FF_FORMULA_MAX)
    return ff_error_set(err, FF_ESIZE, "a formula has more than %lu numbers, names and operations",
                        (unsigned long)FF_FORMULA_MAX);
  void *memory = builder->word;
  ff_status status = ff_grow(&memory, &builder->capacity, builder->length + 1, sizeof *builder->word, err);
  builder->word = memory;
  if (status != FF_OK) return status;
  builder->word[builder->length++] = word;
  count_values(builder, word.code);
  return FF_OK;
}

void ff_formula_finish(ff_formula *out, ff_formula_builder *builder) {
  *out = (ff_formula){ff_shrink(builder->word, builder->length, sizeof *builder->word), (uint32_t)builder->length,
                      builder->depth};
  *builder = (ff_formula_builder){0};
}

ff_status ff_formula_of_number(ff_formula *out, double number, ff_error *err) {
  *out = (ff_formula){0};
  ff_formula_word *word = ff_calloc(1, sizeof *word);
  if (word == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a formula");
  *word = (ff_formula_word){FF_F_NUMBER, 0, number};
  *out = (ff_formula){word, 1, 1};
  return FF_OK;
}

void ff_formula_free(ff_formula *formula) {
  if (formula == NULL) return;
  free(formula->word);
  *formula = (ff_formula){0};
}

ff_status ff_formula_copy(ff_formula *out, const ff_formula *formula, ff_error *err) {
  *out = (ff_formula){0};
  if (formula->length == 0) return FF_OK;
  ff_formula_word *word = ff_calloc(formula->length, sizeof *word);
  if (word == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a formula of %u words", formula->length);
  memcpy(word, formula->word, formula->length * sizeof *word);
  *out = (ff_formula){word, formula->length, formula->depth};
  return FF_OK;
}

double ff_formula_value(const ff_formula *formula, const double *values, double time, double *stack) {
  return ff_formula_value_of(formula, values, time, stack);
}

/* Operands a, b and c of n states; a becomes the value. The compiler makes vectors of what most conditions consist of. */
static void operate_on_all(uint32_t code, double *a, const double *b, const double *c, uint32_t n) {
#define FF_EACH(value) \
  for (uint32_t k = 0; k < n; k++) a[k] = (value); \
  break
  switch (code) {
    case FF_F_ADD: FF_EACH(a[k] + b[k]);
    case FF_F_SUB: FF_EACH(a[k] - b[k]);
    case FF_F_MUL: FF_EACH(a[k] * b[k]);
    case FF_F_DIV: FF_EACH(a[k] / b[k]);
    case FF_F_LT: FF_EACH(a[k] < b[k]);
    case FF_F_LE: FF_EACH(a[k] <= b[k]);
    case FF_F_GT: FF_EACH(a[k] > b[k]);
    case FF_F_GE: FF_EACH(a[k] >= b[k]);
    default: FF_EACH(ff_formula_operate(code, a[k], b[k], c[k]));
  }
#undef FF_EACH
}

void ff_formula_values(const ff_formula *formula, const double *values, size_t stride, uint32_t n, double *stack) {
  double *top = stack; /* behind the last values */
  for (uint32_t at = 0; at < formula->length; at++) {
    const ff_formula_word *word = &formula->word[at];
    const uint32_t operands = ff_formula_operands(word->code);
    top -= (size_t)operands * n;
    if (word->code == FF_F_SYMBOL)
      memcpy(top, values + word->symbol * stride, n * sizeof *top);
    else if (operands == 0)
      for (uint32_t k = 0; k < n; k++) top[k] = word->code == FF_F_NUMBER ? word->number : 0.0;
    else
      operate_on_all(word->code, top, operands > 1 ? top + n : top, operands > 2 ? top + 2 * (size_t)n : top, n);
    top += n;
  }
}

int ff_formula_is_number(const ff_formula *formula, double *number) {
  if (formula->length != 1 || formula->word[0].code != FF_F_NUMBER) return 0;
  *number = formula->word[0].number;
  return 1;
}

ff_status ff_formula_constant(const ff_formula *formula, double *value, ff_error *err) {
  if (ff_formula_is_number(formula, value)) return FF_OK;
  double *stack = ff_calloc(formula->depth, sizeof *stack);
  if (stack == NULL) return ff_error_set(err, FF_EMEMORY, "no memory to compute a value");
  *value = ff_formula_value(formula, NULL, 0.0, stack);
  free(stack);
  return FF_OK;
}

int ff_count_of(double number, double *count) { return ff_formula_count(number, count); }

int ff_formula_valid(const ff_formula *formula, uint32_t n_symbols, int *constant) {
  uint32_t height = 0, depth = 0;
  *constant = 1;
  for (uint32_t i = 0; i < formula->length; i++) {
    const ff_formula_word *word = &formula->word[i];
    if (word->code >= FF_F_COUNT || height < ff_formula_operands(word->code)) return 0;
    if (word->code == FF_F_SYMBOL && word->symbol >= n_symbols) return 0;
    if (word->code == FF_F_SYMBOL || word->code == FF_F_TIME) *constant = 0;
    height += 1u - ff_formula_operands(word->code);
    if (height > depth) depth = height;
  }
  return height == 1 && depth == formula->depth;
}

void ff_formula_starts(uint32_t *start, const ff_formula *formula) {
  for (uint32_t at = 0; at < formula->length; at++) {
    start[at] = at;
    for (uint32_t n = ff_formula_operands(formula->word[at].code); n > 0; n--) start[at] = start[start[at] - 1];
  }
}

ff_status ff_formula_later(ff_formula *out, const ff_formula *formula, double delay, ff_error *err) {
  const ff_formula_word by = {FF_F_NUMBER, 0, delay}, add = {FF_F_ADD, 0, 0};
  ff_formula_builder builder = {0};
  ff_status status = FF_OK;
  *out = (ff_formula){0};
  for (uint32_t at = 0; at < formula->length && status == FF_OK; at++) {
    status = ff_formula_push(&builder, formula->word[at], err);
    if (formula->word[at].code != FF_F_TIME) continue;
    if (status == FF_OK) status = ff_formula_push(&builder, by, err);
    if (status == FF_OK) status = ff_formula_push(&builder, add, err);
  }
  if (status == FF_OK) ff_formula_finish(out, &builder);
  else free(builder.word);
  return status;
}

/* ---- replacement ---------------------------------------------------------------------------------------------------- */

/* The code after replacement. A word that is dropped before others is only marked, with the code DROPPED. */
enum { DROPPED = FF_F_COUNT };

/* A value on the stack. */
typedef struct {
  uint32_t start; /* where its code starts */
  int is_number;  /* whether the code is one number */
} folded;

typedef struct {
  ff_formula_word *word;
  uint32_t length;
  folded *stack;
  uint32_t height;
} folder;

static int is_neutral(const folder *f, folded operand, double number) {
  return operand.is_number && f->word[operand.start].number == number;
}

/* Applies x * 1, 1 * x, x / 1, x + 0, 0 + x, x - 0 and x ^ 1 to the last two values. Returns whether one of them applied. */
static int drop_neutral(folder *f, uint32_t code) {
  folded left = f->stack[f->height - 2], right = f->stack[f->height - 1];
  int sum = code == FF_F_ADD || code == FF_F_SUB;
  if (!sum && code != FF_F_MUL && code != FF_F_DIV && code != FF_F_POW) return 0;
  double neutral = sum ? 0.0 : 1.0;
  if (is_neutral(f, right, neutral))
    f->length = right.start;
  else if ((code == FF_F_ADD || code == FF_F_MUL) && is_neutral(f, left, neutral))
    f->word[left.start].code = DROPPED;
  else
    return 0;
  return 1;
}

/* Appends an operation, or replaces it and its operands by its value if they are numbers. */
static void fold_operation(folder *f, ff_formula_word word) {
  uint32_t n = ff_formula_operands(word.code);
  folded *first = &f->stack[f->height - n];
  double operand[3] = {0, 0, 0};
  int all = 1;
  for (uint32_t i = 0; i < n; i++) {
    all &= first[i].is_number;
    operand[i] = f->word[first[i].start].number;
  }
  if (all) {
    double value = ff_formula_operate(word.code, operand[0], operand[1], operand[2]);
    f->length = first->start;
    f->word[f->length++] = (ff_formula_word){FF_F_NUMBER, 0, value != value ? ff_math_nan() : value};
  } else if (n != 2 || !drop_neutral(f, word.code)) {
    f->word[f->length++] = word;
  }
  first->is_number = all;
  f->height = f->height - n + 1;
}

static void fold(folder *f, const ff_formula *formula, const ff_formula *const *replacement) {
  for (uint32_t at = 0; at < formula->length; at++) {
    ff_formula_word word = formula->word[at];
    const ff_formula *other = word.code == FF_F_SYMBOL && replacement != NULL ? replacement[word.symbol] : NULL;
    if (other != NULL && other->length > 0) {
      fold(f, other, NULL); /* goes no deeper */
    } else if (ff_formula_operands(word.code) > 0) {
      fold_operation(f, word);
    } else {
      f->stack[f->height++] = (folded){f->length, word.code == FF_F_NUMBER};
      f->word[f->length++] = word;
    }
  }
}

/* The numbers of words, and of values on the stack, that suffice before anything is folded. Fails with FF_ESIZE if there are too
 * many words. */
static ff_status measure(const ff_formula *formula, const ff_formula *const *replacement, uint32_t *length, uint32_t *depth,
                         ff_error *err) {
  uint64_t words = 0;
  uint32_t deepest = 0;
  for (uint32_t at = 0; at < formula->length; at++) {
    const ff_formula_word *word = &formula->word[at];
    const ff_formula *other = word->code == FF_F_SYMBOL ? replacement[word->symbol] : NULL;
    int replaced = other != NULL && other->length > 0;
    words += replaced ? other->length : 1;
    if (replaced && other->depth > deepest) deepest = other->depth;
  }
  if (words > FF_FORMULA_MAX)
    return ff_error_set(err, FF_ESIZE, "a formula in which names are replaced by formulas would have %llu words; at most %lu are "
                        "possible", (unsigned long long)words, (unsigned long)FF_FORMULA_MAX);
  *length = (uint32_t)words;
  *depth = formula->depth + deepest;
  return FF_OK;
}

ff_status ff_formula_replace(ff_formula *out, const ff_formula *formula, const ff_formula *const *replacement, ff_error *err) {
  uint32_t length = 0, depth = 0;
  *out = (ff_formula){0};
  if (formula->length == 0) return ff_error_set(err, FF_EINTERNAL, "a formula is empty");
  ff_status status = measure(formula, replacement, &length, &depth, err);
  if (status != FF_OK) return status;
  folder f = {.word = ff_calloc(length, sizeof *f.word), .stack = ff_calloc(depth, sizeof *f.stack)};
  if (f.word == NULL || f.stack == NULL) {
    free(f.word);
    free(f.stack);
    return ff_error_set(err, FF_EMEMORY, "no memory for a formula of %u words", length);
  }
  fold(&f, formula, replacement);
  free(f.stack);
  ff_formula_builder kept = {.word = f.word};
  for (uint32_t at = 0; at < f.length; at++) {
    if (f.word[at].code == DROPPED) continue;
    f.word[kept.length++] = f.word[at];
    count_values(&kept, f.word[at].code);
  }
  ff_formula_finish(out, &kept);
  return FF_OK;
}
