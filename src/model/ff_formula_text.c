/* Translates formulas to text. As in the parser, the stack is on the heap. */
#include "../base/ff_decimal.h"
#include "ff_formula_code.h"

#include <stdlib.h>
#include <string.h>

/* ---- operations ------------------------------------------------------------------------------------------------------- */

/* How tightly an operation binds. An argument of a function needs no parentheses. */
enum {
  ARGUMENTS = -1,
  ANY,
  OR_LEVEL,
  AND_LEVEL,
  NOT_LEVEL,
  COMPARISON_LEVEL,
  SUM_LEVEL,
  PRODUCT_LEVEL,
  SIGN_LEVEL,
  POWER_LEVEL,
  ATOM
};

/* What is still to be written: a piece of text, or the subexpression whose last word is at `at`. */
typedef struct {
  const char *text; /* the piece of text, or NULL for a subexpression */
  uint32_t at;
  int level;  /* an operation between operands that binds less tightly needs parentheses; ARGUMENTS: only the arguments of a
               * function are written */
  int follow; /* how tightly the operator right after the subexpression binds. An operation before an operand needs parentheses
               * if it binds less tightly, because this operator would take the operand from it. */
} piece;

typedef struct {
  const ff_formula_word *word;
  char *const *names;
  uint32_t first_plain; /* symbols from here on have names that are written as they are */
  uint32_t *start; /* for each word: where the code of its subexpression starts */
  piece *stack;
  size_t height, capacity;
  ff_string out;
  ff_error *err;
} writer;

static ff_status push(writer *w, piece p) {
  void *memory = w->stack;
  ff_status status = ff_grow(&memory, &w->capacity, w->height + 1, sizeof *w->stack, w->err);
  w->stack = memory;
  if (status == FF_OK) w->stack[w->height++] = p;
  return status;
}

static ff_status push_text(writer *w, const char *text) { return push(w, (piece){.text = text}); }

static const char *text_of_code(uint32_t code) {
  static const char *const text[] = {
#define FF_X(code, operands, text) text,
      FF_FORMULA_LIST(FF_X)
#undef FF_X
  };
  return text[code];
}

static int level_of(uint32_t code) {
  switch (code) {
    case FF_F_OR: return OR_LEVEL;
    case FF_F_AND: return AND_LEVEL;
    case FF_F_NOT: return NOT_LEVEL;
    case FF_F_LT:
    case FF_F_LE:
    case FF_F_GT:
    case FF_F_GE:
    case FF_F_EQ:
    case FF_F_NE: return COMPARISON_LEVEL;
    case FF_F_ADD:
    case FF_F_SUB: return SUM_LEVEL;
    case FF_F_MUL:
    case FF_F_DIV: return PRODUCT_LEVEL;
    case FF_F_NEG: return SIGN_LEVEL;
    case FF_F_POW: return POWER_LEVEL;
    default: return ATOM;
  }
}

ff_status ff_formula_add_name(ff_string *out, const char *name, ff_error *err) {
  size_t length = strlen(name);
  double number;
  int plain = ff_formula_name_length(name, length) == length && length > 0 && !ff_formula_is_reserved(name, length, &number);
  const char *quote = plain ? "" : strchr(name, '`') == NULL ? "`" : "\"";
  if (!plain && strchr(name, quote[0]) != NULL) {
    ff_quoted shown = ff_quote(name, length);
    return ff_error_set(err, FF_EMODEL, "the name %s cannot be written in a formula, because it contains ` and \"",
                        shown.text);
  }
  ff_status status = ff_string_puts(out, quote, err);
  if (status == FF_OK) status = ff_string_puts(out, name, err);
  return status == FF_OK ? ff_string_puts(out, quote, err) : status;
}

static ff_status write_atom(writer *w, piece p) {
  const ff_formula_word *word = &w->word[p.at];
  if (word->code == FF_F_SYMBOL && word->symbol >= w->first_plain) return ff_string_puts(&w->out, w->names[word->symbol], w->err);
  if (word->code == FF_F_SYMBOL) return ff_formula_add_name(&w->out, w->names[word->symbol], w->err);
  if (word->code == FF_F_TIME) return ff_string_puts(&w->out, "time()", w->err); /* no symbol hides it */
  ff_shown number = ff_show_as_r(word->number, 17);
  int wrap = number.text[0] == '-' && p.follow > SIGN_LEVEL;
  ff_status status = wrap ? ff_string_puts(&w->out, "(", w->err) : FF_OK;
  if (status == FF_OK) status = ff_string_puts(&w->out, number.text, w->err);
  return wrap && status == FF_OK ? ff_string_puts(&w->out, ")", w->err) : status;
}

/* Writes the name of a function and pushes its arguments, the last one first. min(min(a, b), c) becomes min(a, b, c). */
static ff_status write_call(writer *w, piece p) {
  uint32_t code = w->word[p.at].code, at = p.at - 1;
  int several = code == FF_F_MIN || code == FF_F_MAX;
  ff_status status = FF_OK;
  if (p.level != ARGUMENTS) {
    status = ff_string_puts(&w->out, text_of_code(code), w->err);
    if (status == FF_OK) status = ff_string_puts(&w->out, "(", w->err);
    if (status == FF_OK) status = push_text(w, ")");
  }
  for (uint32_t left = ff_formula_operands(code); left > 0 && status == FF_OK; left--) {
    int joined = several && left == 1 && w->word[at].code == code;
    status = push(w, (piece){.at = at, .level = joined ? ARGUMENTS : ANY});
    if (status == FF_OK && left > 1) status = push_text(w, ", ");
    if (left > 1) at = w->start[at] - 1;
  }
  return status;
}

static ff_status write_before(writer *w, piece p, int own) {
  ff_status status = ff_string_puts(&w->out, text_of_code(w->word[p.at].code), w->err);
  return status == FF_OK ? push(w, (piece){.at = p.at - 1, .level = own, .follow = p.follow}) : status;
}

static ff_status write_between(writer *w, piece p, int own) {
  static const char *const spaced[] = {[FF_F_ADD] = " + ", [FF_F_SUB] = " - ", [FF_F_MUL] = " * ", [FF_F_DIV] = " / ",
                                       [FF_F_POW] = "^",   [FF_F_LT] = " < ",  [FF_F_LE] = " <= ", [FF_F_GT] = " > ",
                                       [FF_F_GE] = " >= ", [FF_F_EQ] = " == ", [FF_F_NE] = " != ", [FF_F_AND] = " & ",
                                       [FF_F_OR] = " | "};
  int left = own + (own == POWER_LEVEL || own == COMPARISON_LEVEL), right = own + (own != POWER_LEVEL);
  ff_status status = push(w, (piece){.at = p.at - 1, .level = right, .follow = p.follow});
  if (status == FF_OK) status = push_text(w, spaced[w->word[p.at].code]);
  if (status == FF_OK) status = push(w, (piece){.at = w->start[p.at - 1] - 1, .level = left, .follow = own});
  return status;
}

/* Writes the start of a subexpression and pushes what follows it, the last piece first. */
static ff_status write_piece(writer *w, piece p) {
  uint32_t code = w->word[p.at].code;
  int own = level_of(code), before = code == FF_F_NEG || code == FF_F_NOT;
  if (own == ATOM) return ff_formula_operands(code) == 0 ? write_atom(w, p) : write_call(w, p);
  ff_status status = FF_OK;
  if (before ? p.follow > own : p.level > own) {
    status = ff_string_puts(&w->out, "(", w->err);
    if (status == FF_OK) status = push_text(w, ")");
    p.follow = ANY;
  }
  if (status != FF_OK) return status;
  return before ? write_before(w, p, own) : write_between(w, p, own);
}

ff_status ff_formula_text(char **out, const ff_formula *formula, char *const *names, ff_error *err) {
  return ff_formula_text_elements(out, formula, names, UINT32_MAX, err);
}

ff_status ff_formula_text_elements(char **out, const ff_formula *formula, char *const *names, uint32_t first, ff_error *err) {
  *out = NULL;
  if (formula->length == 0) return ff_error_set(err, FF_EINTERNAL, "a formula is empty");
  writer w = {.word = formula->word, .names = names, .first_plain = first, .err = err};
  w.start = ff_calloc(formula->length, sizeof *w.start);
  if (w.start == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the text of %u words", formula->length);
  ff_formula_starts(w.start, formula);
  ff_status status = push(&w, (piece){.at = formula->length - 1});
  while (status == FF_OK && w.height > 0) {
    piece p = w.stack[--w.height];
    status = p.text != NULL ? ff_string_puts(&w.out, p.text, err) : write_piece(&w, p);
  }
  free(w.start);
  free(w.stack);
  if (status == FF_OK)
    *out = w.out.text;
  else
    free(w.out.text);
  return status;
}
