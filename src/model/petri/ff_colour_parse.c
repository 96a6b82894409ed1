/* Translates expressions of colours to postfix code by the shunting-yard algorithm. The stack is on the heap, so only memory
 * limits the nesting. */
#include "../../base/ff_decimal.h"
#include "../../base/ff_text.h"
#include "../ff_formula_code.h"
#include "../ff_parse.h"
#include "ff_colour_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An operator that waits for its operands is a code or one of these: a "+" before an operand, "(", a function and "(". */
enum { SIGN = FF_C_COUNT, GROUP, CALL };
/* A word of the code for an index whose colours are tuples, until it is compared with another one; `value` is its position. */
enum { TUPLE = FF_C_COUNT };

typedef struct {
  uint32_t code;
  uint32_t function;  /* of CALL: FF_C_ABS, FF_C_NEXT, FF_C_PREVIOUS, or FF_C_COUNT + the number of a colour function */
  uint32_t arguments; /* of CALL: those that are complete */
  int tuple;          /* of a comparison: whether its left operand is a tuple */
  size_t start, end;  /* the position of the operator, or of the function's name */
} waiting;

/* A list of names. A hash table is made when it is searched often. */
typedef struct {
  char *const *name;
  uint32_t n, searches;
  ff_names *table;
} name_list;

typedef struct {
  ff_source source;
  size_t at;
  ff_colour_dialect dialect;
  const ff_colour_scope *scope;
  name_list parameters, colours;
  ff_colour_stands stands;
  ff_colour_builder code;
  waiting *operators;
  size_t n_operators, capacity;
  ff_error *err;
} parser;

static const char operand_wanted[] = "a number, a name, \"-\", \"!\" or \"(\"";

/* ---- tokens ------------------------------------------------------------------------------------------------------------- */

static size_t read_percent(const char *text, size_t length, ff_colour_dialect dialect, ff_token *t) {
  t->code = FF_C_MOD;
  if (dialect == FF_COLOUR_CANDL) return 1;
  if (length > 1 && text[1] == '%') return 2;
  t->code = FF_C_DIV;
  return length > 2 && text[1] == '/' && text[2] == '%' ? 3 : 0;
}

/* Reads the operator at the start of the text, whose length is at least 1. Returns the number of bytes, 0 if there is none. One
 * case for each operator. */
static size_t read_operator(const char *text, size_t length, ff_colour_dialect dialect, ff_token *t) {
  const int twice = length > 1 && text[1] == text[0], equal = length > 1 && text[1] == '=', candl = dialect == FF_COLOUR_CANDL;
  t->kind = FF_T_OPERATOR;
  switch (text[0]) {
    case '+': t->code = FF_C_ADD; return 1;
    case '-': t->code = FF_C_SUB; return 1;
    case '*': t->code = twice && !candl ? FF_C_POW : FF_C_MUL; return twice && !candl ? 2 : 1;
    case '/': t->code = FF_C_DIV; return candl;
    case '%': return read_percent(text, length, dialect, t);
    case '^': t->code = FF_C_POW; return 1;
    case '<':
      t->code = candl && length > 1 && text[1] == '>' ? FF_C_NE : equal ? FF_C_LE : FF_C_LT;
      return t->code == FF_C_LT ? 1 : 2;
    case '>': t->code = equal ? FF_C_GE : FF_C_GT; return equal ? 2 : 1;
    case '&': t->code = FF_C_AND; return twice ? 2 : 1;
    case '|': t->code = FF_C_OR; return twice ? 2 : 1;
    case '=': t->code = FF_C_EQ; return twice ? 2 : (size_t)candl;
    case '!':
      t->code = FF_C_NE;
      if (!equal) t->kind = FF_T_NOT;
      return equal ? 2 : 1;
    default: return 0;
  }
}

/* Reads a number or a name. Returns the number of bytes, 0 if there is none. */
static size_t read_word(const char *text, size_t length, ff_token *t) {
  size_t used = ff_decimal_length(text, length);
  t->kind = used > 0 ? FF_T_NUMBER : FF_T_NAME;
  t->name = text;
  t->name_length = used;
  if (used > 0) { /* R writes integers as 2L */
    const int suffix = used < length && text[used] == 'L' && ff_formula_name_length(text + used, length - used) == 1;
    return used + (size_t)suffix;
  }
  t->name_length = ff_formula_name_length(text, length);
  return t->name_length;
}

static ff_token read_token(parser *p) {
  ff_token t = ff_token_read(&p->source, &p->at);
  if (t.kind == FF_T_BAD) {
    const char *text = p->source.text + t.start;
    const size_t left = p->source.length - t.start;
    size_t used = read_operator(text, left, p->dialect, &t);
    if (used == 0) used = read_word(text, left, &t);
    if (used == 0) t.kind = FF_T_BAD;
    else t.end = p->at = t.start + used;
  }
  return t;
}

/* Takes the next character, after blanks, if it is this one. */
static int take_character(parser *p, char c) {
  size_t at = p->at;
  while (at < p->source.length && ff_is_blank(p->source.text[at])) at++;
  if (at == p->source.length || p->source.text[at] != c) return 0;
  p->at = at + 1;
  return 1;
}

/* ---- messages ----------------------------------------------------------------------------------------------------------- */

static ff_status fail(const parser *p, const ff_token *t, const char *wanted) {
  return ff_source_found(&p->source, t->start, t->end, wanted);
}

static const char *index_name(const parser *p, uint32_t index) { return p->scope->index[index].name; }

static ff_status fail_tuple(const parser *p, const ff_colour_word *word) {
  const char *name = index_name(p, word->of);
  const size_t start = (size_t)word->value;
  size_t end = start + 1;
  while (end < p->source.length && !ff_is_blank(p->source.text[end]) && ff_starts_name(p->source.text[end])) end++;
  const uint32_t width = ff_colour_width(p->scope, p->scope->index[word->of].set);
  const int r = p->dialect == FF_COLOUR_R;
  return ff_error_set(
      p->err, FF_EPARSE,
      "%sthe index %s stands for tuples of %u colours%s; such indices can be compared with each other by %s and !=, "
      "and %s%s is the first component",
      ff_source_place(&p->source).text, ff_quote(name, strlen(name)).text, width, ff_source_spot(&p->source, start, end).text,
      r ? "==" : "=", name, r ? "[1]" : ":1");
}

static ff_status fail_sign(const parser *p, const waiting *sign) {
  const char *what = sign->code == SIGN ? "+" : "-";
  return ff_error_set(
      p->err, FF_EPARSE,
      "%sfound \"%s\" before an index%s; next(x) and previous(x) are the neighbours of x, and 0 - x is its negative",
      ff_source_place(&p->source).text, what, ff_source_spot(&p->source, sign->start, sign->end).text);
}

static ff_status fail_step(const parser *p, const waiting *at, const char *why) {
  const char *name = p->source.text + at->start;
  return ff_error_set(p->err, FF_EPARSE, "%sfound %s of %s%s where %s was expected", ff_source_place(&p->source).text,
                      ff_quote(name, at->end - at->start).text, why, ff_source_spot(&p->source, at->start, at->end).text,
                      "an index whose set is known, or a neighbour of one");
}

static ff_status fail_unknown(const parser *p, const ff_token *t, const char *what, const char *near, const char *more) {
  return ff_source_unknown(&p->source, t->start, t->end, what, t->name, t->name_length, near, more);
}

static ff_status fail_operator(const parser *p, const ff_token *t) {
  size_t i = p->n_operators;
  while (i > 0 && p->operators[i - 1].code < GROUP) i--;
  const char bad = t->kind == FF_T_BAD ? p->source.text[t->start] : ' ';
  if (bad == '=') return fail(p, t, "an operator (\"==\" compares)");
  if (bad == '%' || bad == '/') return fail(p, t, "an operator (\"%/%\" divides, \"%%\" is what is left)");
  if (i == 0) return fail(p, t, "an operator or the end");
  return fail(p, t, p->operators[i - 1].code == CALL ? "an operator, \",\" or \")\"" : "an operator or \")\"");
}

static ff_status fail_arguments(const parser *p, const waiting *call, uint32_t wanted) {
  const size_t length = call->end - call->start;
  return ff_error_set(p->err, FF_EPARSE, "%sfound %u argument%s of %s%s where %u %s expected", ff_source_place(&p->source).text,
                      call->arguments, call->arguments == 1 ? "" : "s", ff_quote(p->source.text + call->start, length).text,
                      ff_source_spot(&p->source, call->start, call->end).text, wanted, wanted == 1 ? "was" : "were");
}

/* ---- code --------------------------------------------------------------------------------------------------------------- */

static ff_status push_operator(parser *p, waiting operator) {
  void *memory = p->operators;
  const ff_status status = ff_grow(&memory, &p->capacity, p->n_operators + 1, sizeof *p->operators, p->err);
  p->operators = memory;
  if (status == FF_OK) p->operators[p->n_operators++] = operator;
  return status;
}

static ff_status push_word(parser *p, uint32_t code, uint32_t of, int64_t value, uint32_t operands) {
  return ff_colour_push(&p->code, (ff_colour_word){code, of, value}, operands, p->err);
}

/* The operand that was completed last ends with the last word; if this word has no operands, it is the whole of it. */
static ff_colour_word *last_word(const parser *p) { return &p->code.word[p->code.length - 1]; }

static ff_status refuse_tuple(const parser *p) {
  const ff_colour_word *last = last_word(p);
  return last->code == TUPLE ? fail_tuple(p, last) : FF_OK;
}

/* Compares two tuples, the last two words, component by component. */
static ff_status emit_tuples(parser *p, uint32_t code) {
  const ff_colour_word right = *last_word(p), left = p->code.word[p->code.length - 2];
  const uint32_t width = ff_colour_width(p->scope, p->scope->index[left.of].set);
  if (ff_colour_width(p->scope, p->scope->index[right.of].set) != width)
    return ff_error_set(p->err, FF_EPARSE, "%sthe indices %s and %s have %u and %u components, so they cannot be compared",
                        ff_source_place(&p->source).text, index_name(p, left.of), index_name(p, right.of), width,
                        ff_colour_width(p->scope, p->scope->index[right.of].set));
  p->code.length -= 2;
  p->code.height -= 2;
  ff_status status = FF_OK;
  const int stand = p->scope->subset_of != UINT32_MAX;
  const uint32_t first[2] = {stand ? (uint32_t)ff_colour_stand(&p->stands, p->scope, left.of) : p->scope->index[left.of].first,
                             stand ? (uint32_t)ff_colour_stand(&p->stands, p->scope, right.of) : p->scope->index[right.of].first};
  for (uint32_t k = 0; k < width && status == FF_OK; k++) {
    status = push_word(p, FF_C_INDEX, first[0] + k, 0, 0);
    if (status == FF_OK) status = push_word(p, FF_C_INDEX, first[1] + k, 0, 0);
    if (status == FF_OK) status = push_word(p, code, 0, 0, 2);
    if (status == FF_OK && k > 0) status = push_word(p, code == FF_C_EQ ? FF_C_AND : FF_C_OR, 0, 0, 2);
  }
  return status;
}

/* Emits next() or previous() of the last operand. */
static ff_status emit_step(parser *p, uint32_t code, const waiting *at) {
  const ff_colour_word *last = last_word(p);
  uint32_t set = last->of, component = (uint32_t)last->value;
  if (last->code == FF_C_INDEX)
    ff_colour_set_of(p->scope, last->of, &set, &component);
  else if (last->code == FF_C_ARGUMENT) {
    set = p->scope->within->set[last->of];
    component = 0;
    if (set != UINT32_MAX) ff_colour_simple(p->scope, set, 0, &set, &component);
  } else if (!ff_colour_steps(last->code)) {
    return fail_step(p, at, "something else");
  }
  return push_word(p, code, set, component, 1);
}

/* A sign before an operand: the last one. */
static ff_status emit_sign(parser *p, const waiting *sign) {
  ff_colour_word *last = last_word(p);
  if (ff_colour_moves(last->code)) {
    if (p->dialect == FF_COLOUR_R) return fail_sign(p, sign);
    return emit_step(p, sign->code == SIGN ? FF_C_NEXT : FF_C_PREVIOUS, sign);
  }
  if (last->code == FF_C_NUMBER && !ff_colour_is_number(last->value)) return fail_step(p, sign, "a colour");
  if (sign->code == SIGN) return FF_OK;
  if (last->code != FF_C_NUMBER) return push_word(p, FF_C_NEG, 0, 0, 1);
  last->value = -last->value;
  return FF_OK;
}

static ff_status emit(parser *p, const waiting *operator) {
  const uint32_t code = operator->code;
  if (operator->tuple && last_word(p)->code == TUPLE) return emit_tuples(p, code);
  if (operator->tuple) return fail_tuple(p, &(ff_colour_word){TUPLE, operator->function, (int64_t)operator->arguments});
  ff_status status = refuse_tuple(p);
  if (status != FF_OK) return status;
  if (code == SIGN || code == FF_C_NEG) return emit_sign(p, operator);
  return push_word(p, code, 0, 0, code == FF_C_NOT ? 1 : 2);
}

static int level(const parser *p, uint32_t code) {
  if (code == SIGN) return FF_COLOUR_SIGN_LEVEL;
  return code >= GROUP ? FF_COLOUR_ANY : ff_colour_level(code, p->dialect); /* nothing is reduced past a parenthesis */
}

/* Emits the waiting operators that bind at least as tightly as `floor`, down to an open parenthesis. */
static ff_status reduce(parser *p, int floor) {
  while (p->n_operators > 0) {
    const waiting *top = &p->operators[p->n_operators - 1];
    if (level(p, top->code) < floor) break;
    const ff_status status = emit(p, top);
    if (status != FF_OK) return status;
    p->n_operators--;
  }
  return FF_OK;
}

/* ---- names -------------------------------------------------------------------------------------------------------------- */

enum { SEARCHES = 8 }; /* of a list, one by one, before a table is made */

static int64_t find_name(name_list *list, const ff_token *t, ff_status *status, ff_error *err) {
  if (list->n > 16 && list->table == NULL && ++list->searches > SEARCHES)
    *status = ff_names_new(&list->table, list->name, list->n, "names", err);
  if (*status != FF_OK) return -1;
  if (list->table != NULL) return ff_names_find(list->table, t->name, t->name_length);
  for (uint32_t i = 0; i < list->n; i++)
    if (ff_text_is(t->name, t->name_length, list->name[i])) return i;
  return -1;
}

static int64_t find_argument(const parser *p, const ff_token *t) {
  const ff_colour_function *f = p->scope->within;
  for (uint32_t i = 0; f != NULL && i < f->n_arguments; i++)
    if (ff_text_is(t->name, t->name_length, f->argument[i])) return i;
  return -1;
}

static int64_t find_index(const parser *p, const ff_token *t) {
  for (uint32_t i = 0; i < p->scope->n_indices; i++)
    if (ff_text_is(t->name, t->name_length, p->scope->index[i].name)) return i;
  return -1;
}

static const char *near_index(const parser *p, const ff_token *t) {
  for (uint32_t i = 0; i < p->scope->n_indices; i++) {
    char *one[1] = {p->scope->index[i].name};
    if (ff_name_near(one, 1, t->name, t->name_length) != NULL) return one[0];
  }
  return NULL;
}

static ff_status fail_name(const parser *p, const ff_token *t) {
  const ff_colour_function *f = p->scope->within;
  const char *near = f != NULL ? ff_name_near(f->argument, f->n_arguments, t->name, t->name_length) : NULL;
  if (near == NULL) near = near_index(p, t);
  if (near == NULL) near = ff_name_near(p->parameters.name, p->parameters.n, t->name, t->name_length);
  if (near == NULL) near = ff_name_near(p->colours.name, p->colours.n, t->name, t->name_length);
  return fail_unknown(p, t, f != NULL ? "argument, parameter or colour" : "index, parameter or colour", near, "");
}

/* The number of a component after the name of an index: "[2]" in R, ":2" in CANDL. *k stays UINT32_MAX if there is none. */
static ff_status take_component(parser *p, uint32_t width, uint32_t *k) {
  const int r = p->dialect == FF_COLOUR_R;
  if (!take_character(p, r ? '[' : ':')) return FF_OK;
  const ff_token t = read_token(p);
  char wanted[60];
  snprintf(wanted, sizeof wanted, width == 1 ? "the component 1" : "a component from 1 to %u", width);
  if (t.kind != FF_T_NUMBER || t.name_length != 1 || t.name[0] < '1' || t.name[0] > (char)('0' + width))
    return fail(p, &t, wanted);
  *k = (uint32_t)(t.name[0] - '1');
  if (!r || take_character(p, ']')) return FF_OK;
  const ff_token after = read_token(p);
  return fail(p, &after, "\"]\"");
}

static ff_status push_index(parser *p, const ff_token *t, uint32_t index) {
  const ff_colour_index *x = &p->scope->index[index];
  const uint32_t width = ff_colour_width(p->scope, x->set);
  uint32_t first = x->first, k = UINT32_MAX;
  if (width > FF_COLOUR_MAX_WIDTH)
    return ff_error_set(p->err, FF_ESIZE, "%sthe colours of the index %s have more than %u components",
                        ff_source_place(&p->source).text, x->name, FF_COLOUR_MAX_WIDTH);
  if (p->scope->subset_of != UINT32_MAX) {
    const char *set = p->scope->set[p->scope->subset_of].name;
    const int stand = ff_colour_stand(&p->stands, p->scope, index);
    if (stand < 0)
      return ff_error_set(p->err, FF_EPARSE,
                          "%sno component of the set %s is left for the index %s%s; expected an index of another "
                          "component",
                          ff_source_place(&p->source).text, ff_quote(set, strlen(set)).text,
                          ff_quote(t->name, t->name_length).text, ff_source_spot(&p->source, t->start, t->end).text);
    ff_colour_take(&p->stands, p->scope, index, stand);
    first = (uint32_t)stand;
  }
  const ff_status status = take_component(p, width, &k);
  if (status != FF_OK) return status;
  if (width > 1 && k == UINT32_MAX) return push_word(p, TUPLE, index, (int64_t)t->start, 0);
  return push_word(p, FF_C_INDEX, first + (k == UINT32_MAX ? 0 : k), 0, 0);
}

static ff_status push_argument(parser *p, const ff_token *t, uint32_t argument) {
  const uint32_t set = p->scope->within->set[argument];
  if (set != UINT32_MAX && ff_colour_width(p->scope, set) > 1)
    return ff_error_set(p->err, FF_EPARSE, "%sthe argument %s stands for tuples of the set %s%s; arguments are single colours",
                        ff_source_place(&p->source).text, ff_quote(t->name, t->name_length).text, p->scope->set[set].name,
                        ff_source_spot(&p->source, t->start, t->end).text);
  return push_word(p, FF_C_ARGUMENT, argument, 0, 0);
}

static ff_status push_name(parser *p, const ff_token *t) {
  ff_status status = FF_OK;
  int64_t at = find_argument(p, t);
  if (at >= 0) return push_argument(p, t, (uint32_t)at);
  if ((at = find_index(p, t)) >= 0) return push_index(p, t, (uint32_t)at);
  at = find_name(&p->parameters, t, &status, p->err);
  if (at >= 0) return push_word(p, FF_C_CONSTANT, (uint32_t)at, 0, 0);
  if (status == FF_OK) at = find_name(&p->colours, t, &status, p->err);
  if (status != FF_OK) return status;
  if (at >= 0) return push_word(p, FF_C_NUMBER, 0, FF_COLOUR_NAMES + at, 0);
  if (!t->quoted && ff_text_is_any_case(t->name, t->name_length, "true")) return push_word(p, FF_C_NUMBER, 0, 1, 0);
  if (!t->quoted && ff_text_is_any_case(t->name, t->name_length, "false")) return push_word(p, FF_C_NUMBER, 0, 0, 0);
  return fail_name(p, t);
}

static ff_status push_number(parser *p, const ff_token *t) {
  const double value = ff_decimal_read(t->name, t->name_length);
  const int64_t whole = value < (double)FF_COLOUR_MOST ? (int64_t)value : 0;
  if ((double)whole != value) return fail(p, t, "a whole number below 2^39");
  return push_word(p, FF_C_NUMBER, 0, whole, 0);
}

/* ---- functions ---------------------------------------------------------------------------------------------------------- */

static int opens_call(parser *p, const ff_token *t) { return !t->quoted && t->kind == FF_T_NAME && take_character(p, '('); }

static ff_status fail_function(const parser *p, const ff_token *t) {
  char next[] = "next", previous[] = "previous", abs[] = "abs", *builtin[] = {abs, next, previous};
  const int r = p->dialect == FF_COLOUR_R;
  const char *near = ff_name_near(builtin, r ? 3 : 1, t->name, t->name_length);
  for (uint32_t i = 0; i < p->scope->n_functions && near == NULL; i++) {
    char *one[1] = {p->scope->function[i].name};
    near = ff_name_near(one, 1, t->name, t->name_length);
  }
  return fail_unknown(p, t, "function of colours", near, r ? "; there are abs(), next() and previous()"
                                                           : "; there is abs(), and +x and -x are the neighbours of an index x");
}

static ff_status take_call(parser *p, const ff_token *t) {
  const int r = p->dialect == FF_COLOUR_R;
  waiting call = {.code = CALL, .function = FF_C_COUNT, .start = t->start, .end = t->end};
  if (ff_text_is(t->name, t->name_length, "abs")) call.function = FF_C_ABS;
  if (r && ff_text_is(t->name, t->name_length, "next")) call.function = FF_C_NEXT;
  if (r && ff_text_is(t->name, t->name_length, "previous")) call.function = FF_C_PREVIOUS;
  if (call.function < FF_C_COUNT) return push_operator(p, call);
  uint32_t n = p->scope->n_functions;
  if (p->scope->within != NULL && p->scope->within >= p->scope->function && p->scope->within < p->scope->function + n)
    n = (uint32_t)(p->scope->within - p->scope->function); /* a function calls those before it */
  for (uint32_t i = 0; i < n; i++)
    if (ff_text_is(t->name, t->name_length, p->scope->function[i].name)) {
      call.function += i;
      return push_operator(p, call);
    }
  return fail_function(p, t);
}

/* Takes the ")" of a function whose arguments are complete. */
static ff_status end_call(parser *p) {
  const waiting call = p->operators[--p->n_operators];
  const int builtin = call.function < FF_C_COUNT;
  const uint32_t function = call.function - FF_C_COUNT, wanted = builtin ? 1 : p->scope->function[function].n_arguments;
  if (call.arguments != wanted) return fail_arguments(p, &call, wanted);
  if (!builtin) return push_word(p, FF_C_CALL, function, 0, wanted);
  if (call.function == FF_C_ABS) return push_word(p, FF_C_ABS, 0, 0, 1);
  return emit_step(p, call.function, &call);
}

/* ---- the shunting yard -------------------------------------------------------------------------------------------------- */

/* Takes a token where an operand is expected. Sets *operand to 1 when an operand is complete. */
static ff_status take_operand(parser *p, const ff_token *t, int *operand) {
  const waiting *top = p->n_operators > 0 ? &p->operators[p->n_operators - 1] : NULL;
  waiting operator = {.code = FF_C_NOT, .start = t->start, .end = t->end};
  switch (t->kind) {
    case FF_T_NOT: return push_operator(p, operator);
    case FF_T_OPEN: operator.code = GROUP; return push_operator(p, operator);
    case FF_T_OPERATOR:
      operator.code = t->code == FF_C_SUB ? FF_C_NEG : SIGN;
      if (t->code != FF_C_SUB && t->code != FF_C_ADD) return fail(p, t, operand_wanted);
      return push_operator(p, operator);
    case FF_T_NUMBER: *operand = 1; return push_number(p, t);
    case FF_T_NAME:
      if (opens_call(p, t)) return take_call(p, t);
      *operand = 1;
      return push_name(p, t);
    case FF_T_CLOSE:
      if (top == NULL || top->code != CALL || top->arguments > 0) return fail(p, t, operand_wanted);
      *operand = 1;
      return end_call(p); /* there are no arguments */
    case FF_T_QUOTE: return fail(p, t, "a closing quote");
    default: return fail(p, t, operand_wanted);
  }
}

static ff_status take_binary(parser *p, const ff_token *t) {
  const int own = level(p, t->code);
  ff_status status = reduce(p, own + 1);
  if (status != FF_OK) return status;
  const waiting *top = p->n_operators > 0 ? &p->operators[p->n_operators - 1] : NULL;
  if (ff_colour_compares(t->code) && top != NULL && level(p, top->code) == own)
    return fail(p, t, "another operator (comparisons cannot be chained)");
  if (own != FF_COLOUR_POWER_LEVEL) status = reduce(p, own); /* powers of R group from right to left */
  if (status != FF_OK) return status;
  waiting operator = {.code = t->code, .start = t->start, .end = t->end};
  const ff_colour_word *last = last_word(p);
  if (last->code != TUPLE) return push_operator(p, operator);
  if (t->code != FF_C_EQ && t->code != FF_C_NE) return fail_tuple(p, last);
  operator.tuple = 1;
  operator.function = last->of;
  operator.arguments = (uint32_t)last->value;
  return push_operator(p, operator);
}

/* Takes a token where an operator is expected. Sets *operand to 0 if another operand must follow. */
static ff_status take_operator(parser *p, const ff_token *t, int *operand) {
  if (t->kind == FF_T_OPERATOR) {
    *operand = 0;
    return take_binary(p, t);
  }
  if (t->kind == FF_T_QUOTE) return fail(p, t, "a closing quote");
  if (t->kind != FF_T_CLOSE && t->kind != FF_T_COMMA) return fail_operator(p, t);
  ff_status status = reduce(p, FF_COLOUR_OR_LEVEL);
  if (status != FF_OK) return status;
  waiting *open = p->n_operators > 0 ? &p->operators[p->n_operators - 1] : NULL;
  if (open == NULL || (t->kind == FF_T_COMMA && open->code == GROUP)) return fail_operator(p, t);
  if (open->code == CALL) {
    status = refuse_tuple(p);
    open->arguments++;
  }
  if (t->kind == FF_T_COMMA) {
    *operand = 0;
    return status;
  }
  if (status == FF_OK && open->code == CALL) return end_call(p);
  p->n_operators--;
  return status;
}

static ff_status parse(parser *p) {
  int operand = 0;
  for (;;) {
    const ff_token t = read_token(p);
    if (t.kind == FF_T_END && operand) {
      const ff_status status = reduce(p, FF_COLOUR_OR_LEVEL);
      if (status != FF_OK) return status;
      return p->n_operators > 0 ? fail_operator(p, &t) : refuse_tuple(p);
    }
    const ff_status status = operand ? take_operator(p, &t, &operand) : take_operand(p, &t, &operand);
    if (status != FF_OK) return status;
  }
}

ff_status ff_colour_parse(ff_colour_expr *out, const char *text, size_t length, ff_colour_dialect dialect,
                          const ff_colour_scope *scope, ff_place place, ff_error *err) {
  *out = (ff_colour_expr){0};
  parser p = {.source = {text, length, place, "the expression", err}, .dialect = dialect, .scope = scope, .err = err};
  p.parameters = (name_list){.name = scope->parameter, .n = scope->n_parameters};
  p.colours = (name_list){.name = scope->colour, .n = scope->n_colours};
  p.stands = ff_colour_stands_none();
  if (length > UINT32_MAX) return ff_error_set(err, FF_ESIZE, "an expression of colours has more than 2^32 bytes");
  const ff_status status = parse(&p);
  ff_names_free(p.parameters.table);
  ff_names_free(p.colours.table);
  free(p.operators);
  if (status == FF_OK)
    ff_colour_finish(out, &p.code);
  else
    free(p.code.word);
  return status;
}
