#include "ff_formula_writer.h"

#include <string.h>

#include "../../model/ff_formula_math.h"

/* Writes a number as an expression: its bits, or its place among the numbers that are data. */
static void write_number(ff_formula_writer *w, double number) {
  ff_formula_numbers *numbers = w->numbers;
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  if (numbers == NULL) {
    ff_write(w->out, "ff_math_from_bits(0x%llXull)", (unsigned long long)bits);
    return;
  }
  ff_error why;
  if (ff_grow((void **)&numbers->at, &numbers->room, numbers->n + 1, sizeof number, &why) != FF_OK) {
    if (w->out->status == FF_OK) w->out->status = ff_error_set(w->out->err, FF_EMEMORY, "no memory for code");
    return;
  }
  ff_write(w->out, "S_NUMBER(%zu)", numbers->n);
  numbers->at[numbers->n++] = number;
}

/* Whether an operation takes many instructions. */
static int is_long(uint32_t operation) {
  return operation == FF_F_POW || (operation > FF_F_SQRT && ff_formula_operands(operation) == 1);
}

static void write_operation(ff_formula_writer *w, const ff_formula_word *word, uint32_t to, const uint32_t *operand) {
  const uint32_t n = ff_formula_operands(word->code), most = w->array && is_long(word->code) ? 2 : 3;
  if (most == 2)
    ff_write(w->out, "  const double f%u = s_operate_%u(", to, word->code);
  else
    ff_write(w->out, "  const double f%u = ff_formula_operate(%uu, ", to, word->code);
  for (uint32_t k = 0; k < most; k++)
    if (k < n)
      ff_write(w->out, k > 0 ? ", f%u" : "f%u", operand[k]);
    else
      ff_write(w->out, ", 0.0");
  ff_write(w->out, ");\n");
}

/* The part that a word stands for. */
static ff_formula_written part_of(const ff_formula_writer *w, const ff_formula_word *word, const uint32_t *operand) {
  const uint32_t n = ff_formula_operands(word->code);
  ff_formula_written part = {.code = word->code};
  for (uint32_t k = 0; k < n; k++) part.operand[k] = operand[k];
  if (word->code == FF_F_SYMBOL) part.operand[0] = w->place[word->symbol];
  if (word->code == FF_F_NUMBER) memcpy(&part.bits, &word->number, sizeof part.bits);
  return part;
}

/* The variable of an equal part that was written before, or UINT32_MAX. */
static uint32_t find_part(const ff_formula_writer *w, const ff_formula_written *part) {
  for (uint32_t k = 0; w->shared != NULL && k < w->n_shared; k++) {
    const ff_formula_written *x = &w->shared[k];
    if (x->code == part->code && x->bits == part->bits && memcmp(x->operand, part->operand, sizeof x->operand) == 0)
      return x->variable;
  }
  return UINT32_MAX;
}

uint32_t ff_formula_share(ff_formula_writer *w, const ff_formula_word *word, const uint32_t *operand, int *is_new) {
  ff_formula_written part = part_of(w, word, operand);
  const uint32_t before = find_part(w, &part);
  *is_new = before == UINT32_MAX;
  if (!*is_new) return before;
  part.variable = w->variables++;
  if (w->shared != NULL && w->n_shared < w->room) w->shared[w->n_shared++] = part;
  return part.variable;
}

static uint32_t write_word(ff_formula_writer *w, const ff_formula_word *word, const uint32_t *operand) {
  int is_new;
  const uint32_t to = ff_formula_share(w, word, operand, &is_new);
  if (!is_new) return to;
  if (word->code == FF_F_NUMBER) {
    ff_write(w->out, "  const double f%u = ", to);
    write_number(w, word->number);
    ff_write(w->out, ";\n");
  } else if (word->code == FF_F_SYMBOL) {
    ff_write(w->out, w->array ? "  const double f%u = y[%u];\n" : "  const double f%u = x%u;\n", to, w->place[word->symbol]);
  } else if (word->code == FF_F_TIME) {
    ff_write(w->out, "  const double f%u = time;\n", to);
  } else {
    write_operation(w, word, to, operand);
  }
  return to;
}

uint32_t ff_formula_write(ff_formula_writer *w, const ff_formula *formula) {
  uint32_t top = 0, *stack = w->stack;
  for (uint32_t i = 0; i < formula->length; i++) {
    const ff_formula_word *word = formula->word + i;
    top -= ff_formula_operands(word->code);
    const uint32_t to = write_word(w, word, stack + top);
    stack[top++] = to;
  }
  return stack[0];
}

uint32_t ff_formula_write_range(ff_formula_writer *w, const ff_formula *formula) {
  uint32_t top = 0, *stack = w->stack;
  for (uint32_t i = 0; i < formula->length; i++) {
    const ff_formula_word *word = formula->word + i;
    const uint32_t n = ff_formula_operands(word->code), to = w->variables++;
    ff_write(w->out, "  const ff_range f%u = ", to);
    if (word->code == FF_F_NUMBER) {
      ff_write(w->out, "ff_range_leaf(kind, ff_range_of_value(");
      write_number(w, word->number);
      ff_write(w->out, "));\n");
    } else if (word->code == FF_F_SYMBOL) {
      ff_write(w->out, "ff_range_leaf(kind, ff_range_of_value(y[%u]));\n", w->place[word->symbol]);
    } else if (word->code == FF_F_TIME) {
      ff_write(w->out, "time;\n");
    } else {
      top -= n;
      ff_write(w->out, "s_range_%u(kind", word->code);
      for (uint32_t k = 0; k < n; k++) ff_write(w->out, ", f%u", stack[top + k]);
      ff_write(w->out, ");\n");
    }
    stack[top++] = to;
  }
  return stack[0];
}

void ff_formula_write_operations(ff_writer *out, const ff_formula *const *formulas, uint32_t n_formulas) {
  uint8_t value[FF_F_COUNT] = {0}, range[FF_F_COUNT] = {0};
  for (uint32_t i = 0; i < n_formulas; i++)
    for (uint32_t k = 0; k < formulas[i]->length; k++) {
      const uint32_t operation = formulas[i]->word[k].code;
      if (is_long(operation)) value[operation] = 1;
      if (ff_formula_has_time(formulas[i]) && ff_formula_operands(operation) > 0) range[operation] = 1;
    }
  for (uint32_t operation = 0; operation < FF_F_COUNT; operation++) {
    const uint32_t n = ff_formula_operands(operation);
    if (value[operation])
      ff_write(out, "S_CALL double s_operate_%u(double a, double b) { return ff_formula_operate(%uu, a, b, 0.0); }\n", operation,
               operation);
    if (range[operation])
      ff_write(out, "S_CALL ff_range s_range_%u(ff_range_kind kind, ff_range a%s%s) {\n"
               "  return ff_range_apply(kind, %uu, %uu, a, %s, %s);\n}\n", operation, n > 1 ? ", ff_range b" : "",
               n > 2 ? ", ff_range c" : "", operation, n, n > 1 ? "b" : "a", n > 2 ? "c" : "a");
  }
}
