#include "ff_ssa_generate_text.h"

#include <string.h>

#include "../../../../model/ff_formula_math.h"

void ff_ssa_write_sum(ff_writer *out, const char *child, uint32_t i, uint32_t size, uint32_t n) {
  if (size == 1) {
    ff_write(out, "%s%u", child, i);
  } else if (i + size / 2 >= n) {
    ff_ssa_write_sum(out, child, i, size / 2, n);
  } else {
    ff_write(out, "(");
    ff_ssa_write_sum(out, child, i, size / 2, n);
    ff_write(out, " + ");
    ff_ssa_write_sum(out, child, i + size / 2, size / 2, n);
    ff_write(out, ")");
  }
}

void ff_ssa_write_prefix(ff_writer *out, const char *child, const char *sum, uint32_t n) {
  for (uint32_t i = 1; i <= n; i++) {
    const uint32_t from = i <= 2 ? 0 : i <= 4 ? 2 : 4;
    ff_write(out, "  const double %s%u = ", sum, i);
    if (from > 0) ff_write(out, "%s%u + ", sum, from);
    ff_ssa_write_sum(out, child, from, from > 0 ? from : i, i);
    ff_write(out, ";\n");
  }
}

/* Writes a number of a formula as an expression: its bits, or its place among the numbers of a point. */
static void write_number(ff_ssa_law_text *law, double number) {
  ff_ssa_code *code = law->code;
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  if (code == NULL) {
    ff_write(law->out, "ff_math_from_bits(0x%llXull)", (unsigned long long)bits);
    return;
  }
  ff_error why;
  if (ff_grow((void **)&code->numbers, &code->numbers_room, code->n_numbers + 1, sizeof number, &why) != FF_OK) {
    if (law->out->status == FF_OK) law->out->status = ff_error_set(law->out->err, FF_EMEMORY, "no memory for code");
    return;
  }
  ff_write(law->out, "S_NUMBER(%zu)", code->n_numbers);
  code->numbers[code->n_numbers++] = number;
}

int ff_ssa_is_long(uint32_t operation) {
  return operation == FF_F_POW || (operation > FF_F_SQRT && ff_formula_operands(operation) == 1);
}

static void write_operation(ff_ssa_law_text *law, const ff_formula_word *word, uint32_t to, const uint32_t *operand) {
  const uint32_t n = ff_formula_operands(word->code), most = law->array && ff_ssa_is_long(word->code) ? 2 : 3;
  if (most == 2)
    ff_write(law->out, "  const double f%u = s_operate_%u(", to, word->code);
  else
    ff_write(law->out, "  const double f%u = ff_formula_operate(%uu, ", to, word->code);
  for (uint32_t k = 0; k < most; k++)
    if (k < n)
      ff_write(law->out, k > 0 ? ", f%u" : "f%u", operand[k]);
    else
      ff_write(law->out, ", 0.0");
  ff_write(law->out, ");\n");
}

uint32_t ff_ssa_write_formula(ff_ssa_law_text *law, const ff_formula *formula) {
  uint32_t top = 0, *stack = law->stack;
  for (uint32_t i = 0; i < formula->length; i++) {
    const ff_formula_word *word = formula->word + i;
    const uint32_t n = ff_formula_operands(word->code), to = law->variables++;
    if (word->code == FF_F_NUMBER) {
      ff_write(law->out, "  const double f%u = ", to);
      write_number(law, word->number);
      ff_write(law->out, ";\n");
    } else if (word->code == FF_F_SYMBOL) {
      ff_write(law->out, law->array ? "  const double f%u = y[%u];\n" : "  const double f%u = x%u;\n", to,
               law->place[word->symbol]);
    } else if (word->code == FF_F_TIME) {
      ff_write(law->out, "  const double f%u = time;\n", to);
    } else {
      top -= n;
      write_operation(law, word, to, stack + top);
    }
    stack[top++] = to;
  }
  return stack[0];
}

uint32_t ff_ssa_write_range(ff_ssa_law_text *law, const ff_formula *formula) {
  uint32_t top = 0, *stack = law->stack;
  for (uint32_t i = 0; i < formula->length; i++) {
    const ff_formula_word *word = formula->word + i;
    const uint32_t n = ff_formula_operands(word->code), to = law->variables++;
    ff_write(law->out, "  const ff_range f%u = ", to);
    if (word->code == FF_F_NUMBER) {
      ff_write(law->out, "ff_range_leaf(kind, ff_range_of_value(");
      write_number(law, word->number);
      ff_write(law->out, "));\n");
    } else if (word->code == FF_F_SYMBOL) {
      ff_write(law->out, "ff_range_leaf(kind, ff_range_of_value(y[%u]));\n", law->place[word->symbol]);
    } else if (word->code == FF_F_TIME) {
      ff_write(law->out, "time;\n");
    } else {
      top -= n;
      ff_write(law->out, "s_range_%u(kind", word->code);
      for (uint32_t k = 0; k < n; k++) ff_write(law->out, ", f%u", stack[top + k]);
      ff_write(law->out, ");\n");
    }
    stack[top++] = to;
  }
  return stack[0];
}

void ff_ssa_write_law(ff_ssa_law_text *law, uint32_t r, uint32_t leaf, uint32_t rate) {
  const ff_ssa_program *p = law->program;
  const ff_ssa_propensity *a = p->propensities + r;
  const int formula = a->law != FF_LAW_PRODUCT;
  const uint32_t f = formula ? ff_ssa_write_formula(law, p->formulas + a->a) : 0;
  if (formula)
    ff_write(law->out, "  double v%u = f%u;\n", leaf, f);
  else
    ff_write(law->out, "  double v%u = S_RATE(%u);\n", leaf, rate);
  for (uint32_t i = a->first; i < a->first + a->n && a->law != FF_LAW_FORMULA; i++) {
    const uint32_t x = law->place[p->factors[i].species];
    ff_write(law->out, "  v%u *= x%u;\n", leaf, x);
    for (uint32_t j = 1; j < p->factors[i].count; j++)
      ff_write(law->out, "  v%u *= (x%u - %u.0) / %u.0;\n", leaf, x, j, j + 1);
  }
  for (uint32_t i = a->first; i < a->first + a->n; i++)
    if (ff_ssa_may_be_below(a)) /* the processor finds out whether rounding errors alone may explain it */
      ff_write(law->out, "  if (x%u < %u.0 && !(v%u < 0.0)) v%u = 0.0;\n", law->place[p->factors[i].species],
               p->factors[i].count, leaf, leaf);
    else
      ff_write(law->out, "  if (x%u < %u.0) v%u = 0.0;\n", law->place[p->factors[i].species], p->factors[i].count, leaf);
  ff_write(law->out, "  invalid |= !(v%u >= 0.0 && v%u < ff_math_infinity());\n", leaf, leaf);
  ff_write(law->out, "  const double p%u = v%u + 0.0;\n", leaf, leaf);
}
