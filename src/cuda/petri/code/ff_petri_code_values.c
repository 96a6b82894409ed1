/* Values of a net in generated code, and its formulas. */
#include "ff_petri_code_internal.h"

#include <stdlib.h>
#include <string.h>

#include "../../../base/ff_decimal.h"
#include "../../../model/ff_formula_math.h"

/* ---- values ------------------------------------------------------------------------------------------------------------- */

void ff_petri_code_define_map(ff_petri_coder *g, const char *name, const uint32_t *of, uint32_t n) {
  ff_write(&g->out, "#define %s(i) (", name);
  for (uint32_t i = 0; i + 1 < n; i++) ff_write(&g->out, "(i) == %uu ? %uu : ", i, of[i]);
  ff_write(&g->out, "%uu)\n", n > 0 ? of[n - 1] : 0);
}

void ff_petri_code_begin(ff_petri_coder *g, const char *head, int now) {
  memset(g->declared, 0, g->n_values);
  g->now = now;
  g->formulas.variables = 0;
  g->formulas.n_shared = 0;
  ff_write(&g->out, "%s {\n", head);
}

void ff_petri_code_number(ff_petri_coder *g, double number) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  ff_write(&g->out, "ff_math_from_bits(0x%llXull)", (unsigned long long)bits);
}

void ff_petri_code_number_at(ff_petri_coder *g, const double *number) {
  const uint32_t datum = ff_petri_code_datum_of(g, number);
  if (datum == FF_PETRI_CODE_NO_DATA)
    ff_petri_code_number(g, *number);
  else
    ff_write(&g->out, "P_OF_POINT(%u)", datum);
}

void ff_petri_code_declare(ff_petri_coder *g, uint32_t value) {
  const uint32_t at = g->number[value];
  if (g->declared[value]) return;
  g->declared[value] = 1;
  ff_write(&g->out, "  const double x%u = ", g->name[value]);
  switch ((ff_petri_code_room)g->room[value]) {
    case FF_PETRI_IN_LEVELS:
      ff_write(&g->out, g->now ? "p_level_at(t, %uu, now)" : "y[%u]", at);
      break;
    case FF_PETRI_IN_OTHERS: ff_write(&g->out, "p_given(t, %uu, time)", at); break;
    case FF_PETRI_IN_COUNTS: ff_write(&g->out, "(double)P_X(%u)", at); break;
    case FF_PETRI_IN_REALS: ff_write(&g->out, "P_R(%u)", at); break;
    case FF_PETRI_IN_DERIVED: ff_write(&g->out, "P_D(%u)", at); break;
    case FF_PETRI_IN_TIME: ff_write(&g->out, "time"); break;
    case FF_PETRI_IN_POINT: ff_write(&g->out, "P_OF_POINT(%u)", at); break;
    default: ff_petri_code_number_at(g, &g->p->initial[value]);
  }
  ff_write(&g->out, ";\n  (void)x%u;\n", g->name[value]);
}

/* ---- formulas ----------------------------------------------------------------------------------------------------------- */

/* What stands for a word of a formula. */
static ff_formula_word word_of_values(const ff_petri_coder *g, const ff_formula_word *word, const uint32_t *of) {
  const double *number = word->code == FF_F_NUMBER ? &word->number : NULL;
  ff_formula_word out = *word;
  if (word->code == FF_F_SYMBOL) {
    out.symbol = of[word->symbol];
    if (g->room[out.symbol] == FF_PETRI_IN_TEXT) number = &g->p->initial[out.symbol];
  }
  const uint32_t datum = number != NULL ? ff_petri_code_datum_of(g, number) : FF_PETRI_CODE_NO_DATA;
  if (datum != FF_PETRI_CODE_NO_DATA) out = (ff_formula_word){FF_F_SYMBOL, g->p->n_values + datum, 0};
  return out;
}

ff_formula ff_petri_code_of_values(ff_petri_coder *g, const ff_formula *formula, const uint32_t *of) {
  for (uint32_t k = 0; k < formula->length; k++) g->words[k] = word_of_values(g, &formula->word[k], of);
  g->formulas.place = g->name;
  return (ff_formula){g->words, formula->length, formula->depth};
}

static uint32_t write_formula(ff_petri_coder *g, const ff_formula *formula, const uint32_t *of) {
  const ff_formula own = ff_petri_code_of_values(g, formula, of);
  for (uint32_t k = 0; k < own.length; k++)
    if (own.word[k].code == FF_F_SYMBOL) ff_petri_code_declare(g, own.word[k].symbol);
  return ff_formula_write(&g->formulas, &own);
}

uint32_t ff_petri_code_plain(ff_petri_coder *g, const ff_petri_plain *plain) {
  return write_formula(g, &plain->formula, plain->read);
}

ff_status ff_petri_code_symbols(uint32_t **out, const ff_petri_coder *g, const ff_petri_law *law, const ff_petri_term *term,
                                uint32_t i, ff_error *err) {
  const uint32_t n = law->n > 1 ? term->n : g->p->n_values;
  uint32_t *of = *out = ff_calloc(n, sizeof *of);
  if (of == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for code");
  for (uint32_t k = 0; k < n; k++) of[k] = law->n > 1 ? ff_petri_value_of(law, term->row[k], i) : k;
  return FF_OK;
}

/* As term_value() of petri/path/: simple terms first. */
uint32_t ff_petri_code_term(ff_petri_coder *g, const ff_petri_law *law, const ff_petri_term *term, uint32_t i) {
  uint32_t *of;
  const ff_status status = ff_petri_code_symbols(&of, g, law, term, i, g->out.err);
  if (status != FF_OK) {
    g->out.status = g->out.status == FF_OK ? status : g->out.status;
    return 0;
  }
  uint32_t to = 0;
  if (term->simple == FF_PETRI_COMPLEX) {
    to = write_formula(g, &term->formula, of);
  } else {
    if (term->simple != FF_PETRI_NUMBER) ff_petri_code_declare(g, of[term->symbol]);
    to = g->formulas.variables++;
    ff_write(&g->out, "  const double f%u = ", to);
    if (term->simple != FF_PETRI_SYMBOL) ff_petri_code_number_at(g, &term->number);
    if (term->simple == FF_PETRI_MULTIPLE) ff_write(&g->out, " * ");
    if (term->simple != FF_PETRI_NUMBER) ff_write(&g->out, "x%u", g->name[of[term->symbol]]);
    ff_write(&g->out, ";\n");
  }
  free(of);
  return to;
}

/* ---- bounds ------------------------------------------------------------------------------------------------------------- */

/* `exponent`: the word before this one. */
static void write_span_of_word(ff_petri_coder *g, const ff_formula_word *word, const uint32_t *operand,
                               const ff_formula_word *exponent) {
  static const char *const names[] = {[FF_F_ADD] = "sum", [FF_F_SUB] = "difference", [FF_F_MUL] = "product",
                                      [FF_F_DIV] = "quotient"};
  const uint32_t a = operand[0], b = operand[1];
  switch (word->code) {
    case FF_F_NUMBER:
      ff_write(&g->out, "p_span_new(");
      ff_petri_code_number(g, word->number);
      ff_write(&g->out, ")");
      break;
    case FF_F_SYMBOL:
      if (g->room[word->symbol] == FF_PETRI_IN_LEVELS)
        ff_write(&g->out, "span[%u]", g->number[word->symbol]);
      else
        ff_write(&g->out, "p_span_new(x%u)", g->name[word->symbol]);
      break;
    case FF_F_NEG: ff_write(&g->out, "p_span_negative(s%u)", a); break;
    case FF_F_POW:
      ff_write(&g->out, "p_span_power(s%u, ", a);
      if (exponent->code == FF_F_SYMBOL)
        ff_write(&g->out, "x%u", g->name[exponent->symbol]);
      else
        ff_petri_code_number(g, exponent->number);
      ff_write(&g->out, ")");
      break;
    default: ff_write(&g->out, "p_span_%s(s%u, s%u)", names[word->code], a, b);
  }
}

uint32_t ff_petri_code_span(ff_petri_coder *g, const ff_formula *formula, const uint32_t *of) {
  uint32_t top = 0, *stack = g->formulas.stack;
  const ff_formula own = ff_petri_code_of_values(g, formula, of);
  for (uint32_t k = 0; k < own.length; k++)
    if (own.word[k].code == FF_F_SYMBOL && g->room[own.word[k].symbol] != FF_PETRI_IN_LEVELS)
      ff_petri_code_declare(g, own.word[k].symbol);
  for (uint32_t k = 0; k < own.length; k++) {
    const ff_formula_word *word = own.word + k;
    int is_new;
    top -= ff_formula_operands(word->code);
    const uint32_t to = ff_formula_share(&g->formulas, word, stack + top, &is_new);
    if (is_new) {
      ff_write(&g->out, "  const p_span s%u = ", to);
      write_span_of_word(g, word, stack + top, k > 0 ? word - 1 : word);
      ff_write(&g->out, ";\n");
    }
    stack[top++] = to;
  }
  return stack[0];
}

/* What a symbol of a slow bound reads: see p_formula. Numbers become words. */
static uint32_t read_of(const ff_petri_coder *g, uint32_t value) {
  switch ((ff_petri_code_room)g->room[value]) {
    case FF_PETRI_IN_LEVELS: return g->number[value];
    case FF_PETRI_IN_COUNTS: return g->p->n_levels + g->number[value];
    case FF_PETRI_IN_REALS: return g->p->n_levels + g->n_counts + g->number[value];
    case FF_PETRI_IN_DERIVED: return g->p->n_levels + g->n_counts + g->n_reals + g->number[value];
    case FF_PETRI_IN_POINT: return g->p->n_levels + g->n_counts + g->n_reals + g->p->n_derived + g->number[value];
    default: return UINT32_MAX;
  }
}

void ff_petri_code_data(ff_petri_coder *g, const char *what, uint32_t number, const ff_formula *formula, const uint32_t *of) {
  uint32_t *read = g->formulas.stack + g->depth + 1, n = 0; /* the room behind the stack */
  const ff_formula own = ff_petri_code_of_values(g, formula, of);
  ff_write(&g->out, "P_DATA ff_formula_word p_%s_words_%u[] = {", what, number);
  for (uint32_t k = 0; k < own.length; k++) {
    ff_formula_word word = own.word[k];
    if (word.code == FF_F_SYMBOL && g->room[word.symbol] == FF_PETRI_IN_TEXT)
      word = (ff_formula_word){FF_F_NUMBER, 0, g->p->initial[word.symbol]};
    uint32_t at = 0;
    if (word.code == FF_F_SYMBOL) {
      const uint32_t reads = read_of(g, word.symbol);
      while (at < n && read[at] != reads) at++;
      if (at == n) read[n++] = reads;
    }
    ff_write(&g->out, "{%uu, %uu, %s}, ", word.code, at, ff_show_exact(word.code == FF_F_NUMBER ? word.number : 0).text);
  }
  ff_write(&g->out, "};\nP_DATA uint32_t p_%s_reads_%u[] = {", what, number);
  for (uint32_t k = 0; k < n; k++) ff_write(&g->out, "%uu, ", read[k]);
  ff_write(&g->out, "0u};\n");
  if (n > g->reads) g->reads = n;
  ff_write(&g->out, "#define P_%s_%u {p_%s_words_%u, p_%s_reads_%u, %uu, %uu}\n", what, number, what, number, what, number,
           formula->length, n);
}

/* ---- places ------------------------------------------------------------------------------------------------------------- */

static void write_set(ff_petri_coder *g) {
  const ff_petri_program *p = g->p;
  static const char *const array[] = {[FF_PETRI_IN_LEVELS] = "Y", [FF_PETRI_IN_COUNTS] = "X", [FF_PETRI_IN_REALS] = "R"};
  ff_petri_code_begin(g, "FF_WARP void p_set(p_thread *t, uint32_t unit)", 0);
  for (uint32_t f = 0; f < p->n_places; f++) {
    const uint32_t value = p->place_value[f];
    ff_write(&g->out, "  P_%s(%u) = %s(", array[g->room[value]], g->number[value],
             g->room[value] == FF_PETRI_IN_COUNTS ? "(uint32_t)" : "ff_petri_reset_to");
    if (g->request->starts != NULL)
      ff_write(&g->out, "FF_START_REAL_OF(t->run, %uu, unit, %uu));\n", p->n_places, f);
    else
      ff_write(&g->out, "t->initial[%u]);\n", f);
  }
  if (g->n_switches > 0) ff_write(&g->out, "  for (uint32_t i = 0u; i < P_LEVELS; i++) p_set_switches(t, i);\n");
  ff_write(&g->out, "  (void)unit;\n}\n\n");
}

static void write_store(ff_petri_coder *g) {
  const ff_petri_program *p = g->p;
  ff_petri_code_begin(g, "FF_WARP void p_store(const p_thread *t, double *to, const double *y)", 0);
  for (uint32_t f = 0; f < p->n_places; f++) {
    ff_petri_code_declare(g, p->place_value[f]);
    ff_write(&g->out, "  if (t->table[%u] != P_NONE) to[t->table[%u] * t->run->units] = x%u + 0.0;\n", f, f,
             g->name[p->place_value[f]]);
  }
  ff_write(&g->out, "  (void)y;\n}\n\n");
}

/* The own places of a block: levels, and then the others. */
static void write_show(ff_petri_coder *g) {
  const ff_petri_program *p = g->p;
  ff_petri_code_begin(g, "FF_WARP double p_show(const p_thread *t, const double *y, uint32_t i)", 0);
  ff_write(&g->out, "  double value = 0;\n");
  for (uint32_t v = 0, i = 0; v < p->n_places; v++) {
    if (g->room[v] == FF_PETRI_IN_OTHERS) continue;
    ff_petri_code_declare(g, v);
    ff_write(&g->out, "  value = i == %uu ? x%u : value;\n", i++, g->name[v]);
  }
  ff_write(&g->out, "  (void)t;\n  (void)y;\n  (void)i;\n  return value;\n}\n\n");
}

static void write_value(ff_petri_coder *g) {
  const ff_petri_program *p = g->p;
  ff_petri_code_begin(g, "FF_WARP double p_value(const p_thread *t, uint32_t i)", 0);
  ff_write(&g->out, "  double value = 0;\n");
  for (uint32_t v = 0; v < p->n_values; v++) {
    const uint32_t read = read_of(g, v);
    if (g->room[v] == FF_PETRI_IN_LEVELS || read == UINT32_MAX) continue;
    ff_petri_code_declare(g, v);
    ff_write(&g->out, "  value = i == %uu ? x%u : value;\n", read - p->n_levels, g->name[v]);
  }
  if (g->n_values > p->n_values)
    ff_write(&g->out, "  if (i >= P_COUNTS + P_REALS + P_DERIVED) value = P_OF_POINT(i - (P_COUNTS + P_REALS + P_DERIVED));\n");
  ff_write(&g->out, "  (void)t;\n  (void)i;\n  return value;\n}\n\n");
}

static void write_derive(ff_petri_coder *g) {
  const ff_petri_program *p = g->p;
  ff_petri_code_begin(g, "FF_WARP int p_derive(p_thread *t)", 0);
  ff_write(&g->out, "  int stirs = 0;\n");
  for (uint32_t k = 0; k < p->n_derived; k++) {
    if (p->derived[k].kind != FF_PETRI_DISCRETE) continue;
    const uint32_t f = ff_petri_code_plain(g, &p->derived[k].plain), at = g->number[p->derived[k].value];
    if (p->stirs[p->derived[k].value]) ff_write(&g->out, "  stirs |= !(f%u == P_D(%u));\n", f, at);
    ff_write(&g->out, "  P_D(%u) = f%u;\n", at, f);
  }
  ff_write(&g->out, "  (void)t;\n  return stirs;\n}\n\n");
}

static void write_condition(ff_petri_coder *g) {
  ff_petri_code_begin(g, "FF_WARP int p_is_over(const p_thread *t)", 0);
  const uint32_t f = ff_petri_code_plain(g, &g->until);
  ff_write(&g->out, "  (void)t;\n  return f%u != 0;\n}\n\n", f);
}

void ff_petri_code_places(ff_petri_coder *g) {
  if (!g->is_block) write_set(g);
  if (!g->is_block)
    write_store(g);
  else
    write_show(g);
  write_value(g);
  write_derive(g);
  if (g->until.formula.length > 0) write_condition(g);
}
