/* The text of an expression of colours. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../ff_formula_code.h"
#include "ff_colour_internal.h"

/* A text that was made, and how tightly its last operation binds. */
typedef struct {
  char *text;
  int rank;
} part;

enum { OPERAND = 20 };

static const char *const texts_of[2][FF_C_COUNT] = {
#define FF_X(code, operands, r, candl) r,
    {FF_COLOUR_LIST(FF_X)},
#undef FF_X
#define FF_X(code, operands, r, candl) candl,
    {FF_COLOUR_LIST(FF_X)}
#undef FF_X
};

/* As in ff_colour_parse.c. */
static int rank_of(uint32_t code, ff_colour_dialect dialect) {
  const int r = dialect == FF_COLOUR_R;
  switch (code) {
    case FF_C_OR: return 1;
    case FF_C_AND: return 2;
    case FF_C_NOT: return r ? 3 : 10;
    case FF_C_EQ:
    case FF_C_NE: return r ? 4 : 3;
    case FF_C_LT:
    case FF_C_LE:
    case FF_C_GT:
    case FF_C_GE: return 4;
    case FF_C_ADD:
    case FF_C_SUB: return 5;
    case FF_C_MUL: return 6;
    case FF_C_DIV:
    case FF_C_MOD: return r ? 7 : 6;
    case FF_C_NEG: return r ? 8 : 10;
    case FF_C_POW: return r ? 9 : 6;
    default: return OPERAND;
  }
}

/* A new text from up to five. NULL without memory. */
static char *join(const char *a, const char *b, const char *c, const char *d, const char *e) {
  const size_t n = strlen(a) + strlen(b) + strlen(c) + strlen(d) + strlen(e) + 1;
  char *out = ff_calloc(n, 1);
  if (out != NULL) snprintf(out, n, "%s%s%s%s%s", a, b, c, d, e);
  return out;
}

static char *quoted(const char *name) {
  const size_t n = strlen(name);
  if (ff_formula_name_length(name, n) == n && n > 0) return join(name, "", "", "", "");
  const char *quote = strchr(name, '`') == NULL ? "`" : "\"";
  return join(quote, name, quote, "", "");
}

static char *index_text(const ff_colour_scope *scope, uint32_t component, ff_colour_dialect dialect) {
  if (scope->subset_of != UINT32_MAX) { /* the index that stands for this component */
    const uint32_t set = ff_colour_set_part(scope, scope->subset_of, component);
    uint32_t before = 0;
    for (uint32_t k = 0; k < component; k++) before += ff_colour_set_part(scope, scope->subset_of, k) == set;
    for (uint32_t i = 0; i < scope->n_indices; i++)
      if (scope->index[i].set == set && before-- == 0) return quoted(scope->index[i].name);
    return join("?", "", "", "", "");
  }
  for (uint32_t i = 0; i < scope->n_indices; i++) {
    const ff_colour_index *index = &scope->index[i];
    const uint32_t width = ff_colour_set_width(scope, index->set);
    if (component < index->first || component >= index->first + width) continue;
    char number[24], *name = quoted(index->name), *out;
    snprintf(number, sizeof number, dialect == FF_COLOUR_R ? "[%u]" : ":%u", component - index->first + 1);
    if (width == 1 || name == NULL) return name;
    out = join(name, number, "", "", "");
    free(name);
    return out;
  }
  return join("?", "", "", "", "");
}

static char *operand_text(const ff_colour_word *word, const ff_colour_scope *scope, ff_colour_dialect dialect) {
  char number[32];
  snprintf(number, sizeof number, "%lld", (long long)word->value);
  switch (word->code) {
    case FF_C_CONSTANT: return quoted(scope->parameter[word->of]);
    case FF_C_INDEX: return index_text(scope, word->of, dialect);
    case FF_C_ARGUMENT: return scope->within != NULL ? quoted(scope->within->argument[word->of]) : join("?", "", "", "", "");
    default: return word->value >= FF_COLOUR_NAMES ? quoted(scope->colour[word->value - FF_COLOUR_NAMES])
                                                   : join(number, "", "", "", "");
  }
}

static char *call_text(const part *argument, uint32_t n, const char *name) {
  char *out = join(name, "(", "", "", "");
  for (uint32_t k = 0; k < n && out != NULL; k++) {
    char *longer = join(out, k > 0 ? ", " : "", argument[k].text, "", "");
    free(out);
    out = longer;
  }
  char *whole = out != NULL ? join(out, ")", "", "", "") : NULL;
  free(out);
  return whole;
}

static char *binary_text(const part *a, const part *b, const char *operation, int rank, int right) {
  const int left_brackets = a->rank < rank || (a->rank == rank && right), right_brackets = b->rank < rank + !right;
  char *left = join(left_brackets ? "(" : "", a->text, left_brackets ? ")" : "", "", "");
  char *other = join(right_brackets ? "(" : "", b->text, right_brackets ? ")" : "", "", "");
  char *out = left != NULL && other != NULL ? join(left, " ", operation, " ", other) : NULL;
  free(left);
  free(other);
  return out;
}

/* The text of the last `n` parts under an operation. */
static part combine(const part *of, uint32_t n, const ff_colour_word *word, const ff_colour_scope *scope,
                    ff_colour_dialect dialect) {
  const char *name = texts_of[dialect == FF_COLOUR_CANDL][word->code];
  const int rank = rank_of(word->code, dialect), neighbour = word->code == FF_C_NEXT || word->code == FF_C_PREVIOUS;
  part out = {NULL, rank};
  if (n == 0)
    out.text = word->code == FF_C_CALL ? call_text(of, 0, scope->function[word->of].name) : operand_text(word, scope, dialect);
  else if (word->code == FF_C_CALL)
    out.text = call_text(of, n, scope->function[word->of].name);
  else if (neighbour && dialect == FF_COLOUR_CANDL) {
    const int nested = of[0].text[0] == '+' || of[0].text[0] == '-';
    out.text = join(name, nested ? "(" : "", of[0].text, nested ? ")" : "", "");
  } else if (neighbour || word->code == FF_C_ABS)
    out.text = call_text(of, 1, name);
  else if (n == 1) {
    /* A sign is kept apart from an index by brackets around 0 - x, so that it does not mean a neighbour. */
    const int index = word->code == FF_C_NEG && of[0].rank == OPERAND;
    const int brackets = of[0].rank < rank;
    if (index && !(of[0].text[0] >= '0' && of[0].text[0] <= '9')) {
      out.text = join("0 - ", of[0].text, "", "", "");
      out.rank = rank_of(FF_C_SUB, dialect);
    } else
      out.text = join(name, brackets ? "(" : "", of[0].text, brackets ? ")" : "", "");
  } else {
    const int comparison = word->code >= FF_C_LT && word->code <= FF_C_NE;
    out.text = binary_text(&of[0], &of[1], name, rank, word->code == FF_C_POW && dialect == FF_COLOUR_R);
    if (comparison && (of[0].rank == rank) && dialect == FF_COLOUR_R) { /* comparisons are not chained */
      char *left = join("(", of[0].text, ")", "", "");
      const part bracketed = {left, OPERAND};
      free(out.text);
      out.text = left != NULL ? binary_text(&bracketed, &of[1], name, rank, 0) : NULL;
      free(left);
    }
  }
  return out;
}

ff_status ff_colour_text(char **out, const ff_colour_expr *expr, ff_colour_dialect dialect, const ff_colour_scope *scope,
                         ff_error *err) {
  part *stack = ff_calloc(expr->depth, sizeof *stack);
  uint32_t n = 0;
  int ok = stack != NULL;
  *out = NULL;
  for (uint32_t i = 0; i < expr->length && ok; i++) {
    const uint32_t operands = ff_colour_operands(&expr->word[i], scope);
    n -= operands;
    const part made = combine(stack + n, operands, &expr->word[i], scope, dialect);
    for (uint32_t k = 0; k < operands; k++) free(stack[n + k].text);
    ok = made.text != NULL;
    if (ok) stack[n++] = made;
  }
  if (ok && n == 1) *out = stack[--n].text;
  while (n > 0 && stack != NULL) free(stack[--n].text);
  free(stack);
  return *out != NULL ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for the text of an expression");
}
