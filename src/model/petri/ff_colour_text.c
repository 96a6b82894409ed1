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

/* As in ff_colour_parse.c; a case for each operation. */
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

/* A sign is kept apart from an index, so that it does not mean a neighbour. */
static part prefix_text(const part *of, const char *name, int rank, int negative, ff_colour_dialect dialect) {
  const int brackets = of->rank < rank, digit = of->text[0] >= '0' && of->text[0] <= '9';
  if (negative && of->rank == OPERAND && !digit)
    return (part){join("0 - ", of->text, "", "", ""), rank_of(FF_C_SUB, dialect)};
  return (part){join(name, brackets ? "(" : "", of->text, brackets ? ")" : "", ""), rank};
}

/* Comparisons are not chained in R. */
static part infix_text(const part *of, const char *name, uint32_t code, ff_colour_dialect dialect) {
  const int rank = rank_of(code, dialect), r = dialect == FF_COLOUR_R;
  const int chained = r && code >= FF_C_LT && code <= FF_C_NE && of[0].rank == rank;
  char *left = chained ? join("(", of[0].text, ")", "", "") : NULL;
  const part first = chained ? (part){left, OPERAND} : of[0];
  const part out = {first.text != NULL ? binary_text(&first, &of[1], name, rank, code == FF_C_POW && r) : NULL, rank};
  free(left);
  return out;
}

/* The text of the last `n` parts under an operation. */
static part combine(const part *of, uint32_t n, const ff_colour_word *word, const ff_colour_scope *scope,
                    ff_colour_dialect dialect) {
  const char *name = texts_of[dialect == FF_COLOUR_CANDL][word->code];
  const int rank = rank_of(word->code, dialect), neighbour = word->code == FF_C_NEXT || word->code == FF_C_PREVIOUS;
  if (word->code == FF_C_CALL) return (part){call_text(of, n, scope->function[word->of].name), rank};
  if (n == 0) return (part){operand_text(word, scope, dialect), rank};
  if (n == 2) return infix_text(of, name, word->code, dialect);
  if (neighbour && dialect == FF_COLOUR_CANDL) {
    const int nested = of[0].text[0] == '+' || of[0].text[0] == '-';
    return (part){join(name, nested ? "(" : "", of[0].text, nested ? ")" : "", ""), rank};
  }
  if (neighbour || word->code == FF_C_ABS) return (part){call_text(of, 1, name), rank};
  return prefix_text(of, name, rank, word->code == FF_C_NEG, dialect);
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
