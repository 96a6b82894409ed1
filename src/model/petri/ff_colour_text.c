/* Translates expressions of colours to text. As in the parser, the stack is on the heap. */
#include "../../base/ff_text.h"
#include "../ff_formula_code.h"
#include "ff_colour_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is still to be written: a piece of text, or the subexpression whose last word is at `at`. */
typedef struct {
  const char *text; /* the piece of text, or NULL for a subexpression */
  uint32_t at;
  int level;  /* an operation between operands that binds less tightly needs parentheses */
  int follow; /* how tightly the operator right after the subexpression binds. An operation before an operand needs parentheses
               * if it binds less tightly, because this operator would take the operand from it. */
} piece;

typedef struct {
  const ff_colour_word *word;
  const ff_colour_scope *scope;
  ff_colour_dialect dialect;
  ff_colour_stands stands;
  uint32_t *start; /* for each word: where the code of its subexpression starts */
  piece *stack;
  size_t height, capacity;
  ff_string out;
  ff_error *err;
} writer;

static ff_status push(writer *w, piece p) {
  void *memory = w->stack;
  const ff_status status = ff_grow(&memory, &w->capacity, w->height + 1, sizeof *w->stack, w->err);
  w->stack = memory;
  if (status == FF_OK) w->stack[w->height++] = p;
  return status;
}

static ff_status push_text(writer *w, const char *text) { return push(w, (piece){.text = text}); }
static ff_status put(writer *w, const char *text) { return ff_string_puts(&w->out, text, w->err); }

static const char *text_of_code(uint32_t code, ff_colour_dialect dialect) {
  static const char *const text[][2] = {
#define FF_X(code, operands, r, candl) {r, candl},
      FF_COLOUR_LIST(FF_X)
#undef FF_X
  };
  return text[code][dialect == FF_COLOUR_CANDL];
}

/* ---- names and numbers -------------------------------------------------------------------------------------------------- */

static ff_status write_name(writer *w, const char *name) {
  const size_t length = strlen(name);
  const int plain = ff_formula_name_length(name, length) == length && length > 0;
  const char *quote = plain ? "" : strchr(name, '`') == NULL ? "`" : "\"";
  if (!plain && strchr(name, quote[0]) != NULL)
    return ff_error_set(w->err, FF_EMODEL, "the name %s cannot be written in an expression, because it contains ` and \"",
                        ff_quote(name, length).text);
  ff_status status = put(w, quote);
  if (status == FF_OK) status = put(w, name);
  return status == FF_OK ? put(w, quote) : status;
}

/* The index that stands for a component in the predicate of a subset. */
static int find_stand(writer *w, uint32_t component, uint32_t *index, uint32_t *k) {
  if (component >= FF_COLOUR_MAX_WIDTH) return 0;
  *index = w->stands.index[component];
  for (uint32_t i = 0; i < w->scope->n_indices && *index == UINT32_MAX; i++) {
    const int first = ff_colour_stand(&w->stands, w->scope, i);
    if (first < 0 || component < (uint32_t)first) continue;
    if (component - (uint32_t)first >= ff_colour_width(w->scope, w->scope->index[i].set)) continue;
    *index = i;
    ff_colour_take(&w->stands, w->scope, i, first);
  }
  if (*index == UINT32_MAX) return 0;
  *k = component - w->stands.first[component];
  return 1;
}

static ff_status write_index(writer *w, uint32_t component) {
  uint32_t index, k;
  const int found = w->scope->subset_of != UINT32_MAX ? find_stand(w, component, &index, &k)
                                                      : ff_colour_index_at(w->scope, component, &index, &k);
  if (!found) return ff_error_set(w->err, FF_EMODEL, "no index stands for component %u of an expression", component + 1);
  const ff_colour_index *x = &w->scope->index[index];
  const ff_status status = write_name(w, x->name);
  if (status != FF_OK || ff_colour_width(w->scope, x->set) == 1) return status;
  char text[24];
  snprintf(text, sizeof text, w->dialect == FF_COLOUR_R ? "[%u]" : ":%u", k + 1);
  return put(w, text);
}

static ff_status write_number(writer *w, int64_t value, int follow) {
  if (value >= FF_COLOUR_NAMES) return write_name(w, w->scope->colour[value - FF_COLOUR_NAMES]);
  char text[24];
  const int wrap = value < 0 && follow > FF_COLOUR_SIGN_LEVEL;
  snprintf(text, sizeof text, wrap ? "(%lld)" : "%lld", (long long)value);
  return put(w, text);
}

static ff_status write_atom(writer *w, piece p) {
  const ff_colour_word *word = &w->word[p.at];
  switch (word->code) {
    case FF_C_NUMBER: return write_number(w, word->value, p.follow);
    case FF_C_CONSTANT: return write_name(w, w->scope->parameter[word->of]);
    case FF_C_INDEX: return write_index(w, word->of);
    default: return write_name(w, w->scope->within->argument[word->of]);
  }
}

/* ---- operations --------------------------------------------------------------------------------------------------------- */

/* Writes the name of a function and pushes its arguments, the last one first. */
static ff_status write_call(writer *w, piece p) {
  const ff_colour_word *word = &w->word[p.at];
  const char *name = word->code == FF_C_CALL ? w->scope->function[word->of].name : text_of_code(word->code, w->dialect);
  uint32_t at = p.at - 1;
  ff_status status = put(w, name);
  if (status == FF_OK) status = put(w, "(");
  if (status == FF_OK) status = push_text(w, ")");
  for (uint32_t left = ff_colour_operands(w->scope, word); left > 0 && status == FF_OK; left--) {
    status = push(w, (piece){.at = at});
    if (status == FF_OK && left > 1) status = push_text(w, ", ");
    if (left > 1) at = w->start[at] - 1;
  }
  return status;
}

/* A sign before a sign is in parentheses, because CANDL has other meanings for "++" and "--". */
static ff_status write_before(writer *w, piece p, int own) {
  const uint32_t inner = w->word[p.at - 1].code;
  const int wrap =
      w->dialect == FF_COLOUR_CANDL && w->word[p.at].code != FF_C_NOT && (ff_colour_steps(inner) || inner == FF_C_NEG);
  ff_status status = put(w, text_of_code(w->word[p.at].code, w->dialect));
  if (status == FF_OK && wrap) status = put(w, "(");
  if (status == FF_OK && wrap) status = push_text(w, ")");
  return status == FF_OK ? push(w, (piece){.at = p.at - 1, .level = own, .follow = wrap ? FF_COLOUR_ANY : p.follow}) : status;
}

static ff_status write_between(writer *w, piece p, int own) {
  const uint32_t code = w->word[p.at].code;
  const int right_first = own == FF_COLOUR_POWER_LEVEL;
  const int left = own + (right_first || ff_colour_compares(code)), right = own + !right_first;
  const char *blank = right_first ? "" : " ";
  ff_status status = push(w, (piece){.at = p.at - 1, .level = right, .follow = p.follow});
  if (status == FF_OK) status = push_text(w, blank);
  if (status == FF_OK) status = push_text(w, text_of_code(code, w->dialect));
  if (status == FF_OK) status = push_text(w, blank);
  if (status == FF_OK) status = push(w, (piece){.at = w->start[p.at - 1] - 1, .level = left, .follow = own});
  return status;
}

/* Writes the start of a subexpression and pushes what follows it, the last piece first. */
static ff_status write_piece(writer *w, piece p) {
  const uint32_t code = w->word[p.at].code;
  const int own = ff_colour_level(code, w->dialect), before = ff_colour_operands(w->scope, &w->word[p.at]) == 1;
  if (code == FF_C_CALL || (own == FF_COLOUR_ATOM && (ff_colour_steps(code) || code == FF_C_ABS))) return write_call(w, p);
  if (own == FF_COLOUR_ATOM) return write_atom(w, p);
  ff_status status = FF_OK;
  if (before ? p.follow > own : p.level > own) {
    status = put(w, "(");
    if (status == FF_OK) status = push_text(w, ")");
    p.follow = FF_COLOUR_ANY;
  }
  if (status != FF_OK) return status;
  return before ? write_before(w, p, own) : write_between(w, p, own);
}

/* For each word, where its subexpression starts. */
static ff_status find_starts(writer *w, uint32_t length) {
  w->start = ff_calloc(length, sizeof *w->start);
  if (w->start == NULL) return ff_error_set(w->err, FF_EMEMORY, "no memory for the text of %u words", length);
  for (uint32_t i = 0; i < length; i++) {
    uint32_t at = i;
    for (uint32_t left = ff_colour_operands(w->scope, &w->word[i]); left > 0; left--) at = w->start[at - 1];
    w->start[i] = at;
  }
  return FF_OK;
}

ff_status ff_colour_text(char **out, const ff_colour_expr *expr, ff_colour_dialect dialect, const ff_colour_scope *scope,
                         ff_error *err) {
  *out = NULL;
  if (expr->length == 0) return ff_error_set(err, FF_EINTERNAL, "an expression of colours is empty");
  writer w = {.word = expr->word, .scope = scope, .dialect = dialect, .stands = ff_colour_stands_none(), .err = err};
  ff_status status = find_starts(&w, expr->length);
  if (status == FF_OK) status = push(&w, (piece){.at = expr->length - 1});
  while (status == FF_OK && w.height > 0) {
    const piece p = w.stack[--w.height];
    status = p.text != NULL ? put(&w, p.text) : write_piece(&w, p);
  }
  free(w.start);
  free(w.stack);
  if (status == FF_OK)
    *out = w.out.text;
  else
    free(w.out.text);
  return status;
}
