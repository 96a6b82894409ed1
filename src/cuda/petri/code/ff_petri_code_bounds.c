/* Bounds of formulas in generated code: those of petri/within/ff_petri_bounds_math.h, where each operation is known to the
 * compiler. They take a twentieth of the time of bounds of formulas that are data. */
#include "ff_petri_code_internal.h"

#include "../../../model/ff_formula_math.h"

/* Ranges (r), or bounds that know slopes (b). */
typedef struct {
  ff_petri_coder *g;
  const char *type, *name; /* of variables */
  int clips;
} bounds;

static void write_leaf(const bounds *x, const ff_formula_word *word, uint32_t to) {
  ff_petri_coder *g = x->g;
  const uint32_t value = word->code == FF_F_SYMBOL ? word->symbol : 0;
  const int spans = x->name[0] == 'r';
  ff_write(&g->out, "  const %s %s%u = ", x->type, x->name, to);
  if (word->code == FF_F_SYMBOL && g->room[value] == FF_PETRI_IN_LEVELS) {
    ff_write(&g->out, "%s(c%u, a, b, %d);\n", spans ? "ff_petri_bound_span_of_place" : "ff_petri_bound_of_place",
             g->number[value], x->clips);
    return;
  }
  ff_write(&g->out, "%s(", spans ? "ff_range_of_value" : "ff_petri_bound_of_number");
  if (word->code == FF_F_SYMBOL)
    ff_write(&g->out, "x%u", g->name[value]);
  else
    ff_petri_code_number(g, word->number);
  ff_write(&g->out, ");\n");
}

static void write_operation(const bounds *x, const ff_formula_word *word, const uint32_t *operand, uint32_t to) {
  ff_petri_coder *g = x->g;
  const uint32_t n = ff_formula_operands(word->code);
  const int spans = x->name[0] == 'r';
  ff_write(&g->out, "  const %s %s%u = %s%uu, %uu", x->type, x->name, to,
           spans ? "ff_range_apply(FF_RANGE_COMPUTED, " : "ff_petri_bound_apply(", word->code, n);
  for (uint32_t k = 0; k < 3; k++)
    if (k < n)
      ff_write(&g->out, ", %s%s%u", spans ? "" : "&", x->name, operand[k]);
    else
      ff_write(&g->out, ", %s", spans ? "anything" : "&none");
  ff_write(&g->out, "%s);\n", spans ? "" : ", &places");
}

/* Writes the bounds. A part that is equal to an earlier one is not written again. */
static uint32_t write_bounds(const bounds *x, const ff_formula *formula) {
  uint32_t top = 0, *stack = x->g->formulas.stack;
  for (uint32_t k = 0; k < formula->length; k++) {
    const ff_formula_word *word = formula->word + k;
    const uint32_t n = ff_formula_operands(word->code);
    top -= n;
    int is_new;
    const uint32_t to = ff_formula_share(&x->g->formulas, word, stack + top, &is_new);
    if (is_new && n > 0) write_operation(x, word, stack + top, to);
    if (is_new && n == 0) write_leaf(x, word, to);
    stack[top++] = to;
  }
  return stack[0];
}

/* The curves of levels, and all other values. */
static void write_values(ff_petri_coder *g, const ff_formula *formula) {
  for (uint32_t k = 0; k < formula->length; k++) {
    if (formula->word[k].code != FF_F_SYMBOL) continue;
    const uint32_t value = formula->word[k].symbol;
    if (g->room[value] != FF_PETRI_IN_LEVELS) {
      ff_petri_code_declare(g, value);
    } else if (!g->declared[value]) {
      g->declared[value] = 1;
      ff_write(&g->out, "  double c%u[FF_ODE_DENSE];\n  p_curve(t, %uu, c%u);\n", g->number[value], g->number[value],
               g->number[value]);
    }
  }
}

void ff_petri_code_bounds(ff_petri_coder *g, const char *what, uint32_t number, const ff_formula *formula, const uint32_t *of,
                          int clips) {
  const bounds spans = {g, "ff_range", "r", clips}, ranges = {g, "ff_petri_bound", "b", clips};
  const ff_formula own = ff_petri_code_of_values(g, formula, of);
  ff_write(&g->out, "P_APART ff_range p_%s_outline_%u(p_thread own, double a, double b)", what, number);
  ff_petri_code_begin(g, "", 0);
  ff_write(&g->out, "  const p_thread *const t = &own;\n  const ff_range anything = ff_range_anything();\n");
  write_values(g, &own);
  ff_write(&g->out, "  (void)t;\n  (void)anything;\n  return r%u;\n}\n\n", write_bounds(&spans, &own));
  ff_write(&g->out, "P_APART ff_range p_%s_bound_%u(p_thread own, double a, double b)", what, number);
  ff_petri_code_begin(g, "", 0);
  ff_write(&g->out, "  const p_thread *const t = &own;\n  ff_petri_bound_places places = {0, 0, 0, 0};\n"
           "  const ff_petri_bound none = ff_petri_bound_of(ff_range_anything());\n");
  write_values(g, &own);
  ff_write(&g->out, "  (void)t;\n  (void)places;\n  (void)none;\n  return b%u.range;\n}\n\n", write_bounds(&ranges, &own));
}

/* A function that calls that of a number. */
void ff_petri_code_dispatch(ff_petri_coder *g, const char *what, const char *kind, const uint8_t *has, uint32_t n) {
  ff_write(&g->out, "FF_WARP ff_range p_%s_%s(const p_thread *t, uint32_t i, double a, double b) {\n", what, kind);
  ff_write(&g->out, "  switch (i) {\n");
  for (uint32_t k = 0; k < n; k++)
    if (has[k]) ff_write(&g->out, "    case %uu: return p_%s_%s_%u(*t, a, b);\n", k, what, kind, k);
  ff_write(&g->out, "    default: return ff_range_anything();\n  }\n}\n\n");
}
