/* Expressions of colours from text, by precedence, with a stack of operations that wait for their operands. */
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_decimal.h"
#include "../../base/ff_text.h"
#include "../ff_formula_code.h"
#include "../ff_parse.h"
#include "ff_colour_internal.h"

/* What waits: an operation; an open bracket, of a call or not. */
typedef enum { WAITS_PREFIX, WAITS_BINARY, WAITS_BRACKET, WAITS_CALL } waiting_kind;

typedef struct {
  waiting_kind kind;
  uint32_t code, of;
  int rank;
  uint32_t first, commas; /* of a call: the length of the code before its arguments, and how many commas came */
  size_t at;              /* where it is in the text */
} waiting;

typedef struct {
  ff_source source;
  const char *text;
  size_t length, at;
  ff_colour_dialect dialect;
  const ff_colour_scope *scope;
  ff_colour_expr *out;
  waiting *waits;
  uint32_t n_waits, room;
} parser;

typedef struct {
  const char *text;
  uint32_t code;
  int rank; /* higher binds tighter */
  int right; /* groups from right to left */
} operation;

/* The longest texts come first. In R, ! binds less than comparisons, and - less than ^ but more than %%. */
static const operation r_binary[] = {
    {"||", FF_C_OR, 1, 0}, {"&&", FF_C_AND, 2, 0}, {"<=", FF_C_LE, 4, 0}, {">=", FF_C_GE, 4, 0}, {"==", FF_C_EQ, 4, 0},
    {"!=", FF_C_NE, 4, 0}, {"%%", FF_C_MOD, 7, 0}, {"%/%", FF_C_DIV, 7, 0}, {"**", FF_C_POW, 9, 1}, {"|", FF_C_OR, 1, 0},
    {"&", FF_C_AND, 2, 0}, {"<", FF_C_LT, 4, 0}, {">", FF_C_GT, 4, 0}, {"+", FF_C_ADD, 5, 0}, {"-", FF_C_SUB, 5, 0},
    {"*", FF_C_MUL, 6, 0}, {"^", FF_C_POW, 9, 1}};
static const operation candl_binary[] = {
    {"||", FF_C_OR, 1, 0}, {"&&", FF_C_AND, 2, 0}, {"==", FF_C_EQ, 3, 0}, {"!=", FF_C_NE, 3, 0}, {"<>", FF_C_NE, 3, 0},
    {"<=", FF_C_LE, 4, 0}, {">=", FF_C_GE, 4, 0}, {"|", FF_C_OR, 1, 0}, {"&", FF_C_AND, 2, 0}, {"=", FF_C_EQ, 3, 0},
    {"<", FF_C_LT, 4, 0}, {">", FF_C_GT, 4, 0}, {"+", FF_C_ADD, 5, 0}, {"-", FF_C_SUB, 5, 0}, {"*", FF_C_MUL, 6, 0},
    {"/", FF_C_DIV, 6, 0}, {"%", FF_C_MOD, 6, 0}, {"^", FF_C_POW, 6, 0}};
enum { R_NOT = 3, R_SIGN = 8, CANDL_PREFIX = 10 };

static ff_status found(parser *p, size_t start, const char *wanted) {
  size_t end = start < p->length ? start + 1 : start;
  const char *name;
  size_t name_length = ff_formula_name_length(p->text + start, p->length - start);
  int closed;
  if (start < p->length && (p->text[start] == '"' || p->text[start] == '`'))
    end = start + ff_quoted_length(p->text + start, p->length - start, &name, &name_length, &closed);
  else if (name_length > 0)
    end = start + name_length;
  return ff_source_found(&p->source, start, end, wanted);
}

static void skip_blanks(parser *p) {
  while (p->at < p->length && ff_is_blank(p->text[p->at])) p->at++;
}

static int take(parser *p, const char *text) {
  const size_t n = strlen(text);
  if (p->length - p->at < n || memcmp(p->text + p->at, text, n) != 0) return 0;
  p->at += n;
  return 1;
}

static ff_status push(parser *p, uint32_t code, uint32_t of, int64_t value) {
  return ff_colour_push(p->out, (ff_colour_word){code, of, value}, p->source.err);
}

static ff_status wait_for(parser *p, waiting w) {
  if (p->n_waits == p->room) {
    const uint32_t room = p->room > 0 ? 2 * p->room : 16;
    waiting *larger = ff_colour_larger(p->waits, p->n_waits, room, sizeof *larger);
    if (larger == NULL) return ff_error_set(p->source.err, FF_EMEMORY, "no memory for a nested expression");
    p->waits = larger;
    p->room = room;
  }
  p->waits[p->n_waits++] = w;
  return FF_OK;
}

/* ---- neighbours --------------------------------------------------------------------------------------------------------- */

static const ff_colour_index *index_of_component(const ff_colour_scope *scope, uint32_t component) {
  for (uint32_t i = 0; i < scope->n_indices; i++)
    if (component >= scope->index[i].first && component < scope->index[i].first + ff_colour_set_width(scope, scope->index[i].set))
      return &scope->index[i];
  return NULL;
}

/* The simple set of what the code from `first` on is: an index, an argument, or the neighbour of one. UINT32_MAX: it is none. */
static uint32_t set_of_code(const parser *p, uint32_t first) {
  const ff_colour_word *word = &p->out->word[first];
  for (uint32_t i = first + 1; i < p->out->length; i++)
    if (p->out->word[i].code != FF_C_NEXT && p->out->word[i].code != FF_C_PREVIOUS) return UINT32_MAX;
  if (first >= p->out->length) return UINT32_MAX;
  if (word->code == FF_C_ARGUMENT)
    return p->scope->within->set[word->of] != UINT32_MAX ? ff_colour_set_part(p->scope, p->scope->within->set[word->of], 0)
                                                         : UINT32_MAX;
  if (word->code != FF_C_INDEX) return UINT32_MAX;
  if (p->scope->subset_of != UINT32_MAX) return ff_colour_set_part(p->scope, p->scope->subset_of, word->of);
  const ff_colour_index *index = index_of_component(p->scope, word->of);
  return index != NULL ? ff_colour_set_part(p->scope, index->set, word->of - index->first) : UINT32_MAX;
}

static ff_status push_neighbour(parser *p, uint32_t code, uint32_t first, size_t at) {
  const uint32_t set = set_of_code(p, first);
  if (set == UINT32_MAX)
    return found(p, at, code == FF_C_NEXT ? "next(x) of an index x with a set of colours"
                                          : "previous(x) of an index x with a set of colours");
  return push(p, code, set, 0);
}

/* ---- operations --------------------------------------------------------------------------------------------------------- */

/* The operation on top of the stack has its operands now. */
static ff_status apply(parser *p) {
  const waiting w = p->waits[--p->n_waits];
  return push(p, w.code, w.of, 0);
}

/* Those that bind at least as tightly as what follows. */
static ff_status apply_down_to(parser *p, int rank, int right) {
  ff_status status = FF_OK;
  while (p->n_waits > 0 && status == FF_OK) {
    const waiting *w = &p->waits[p->n_waits - 1];
    if (w->kind == WAITS_BRACKET || w->kind == WAITS_CALL || w->rank < rank || (w->rank == rank && right)) break;
    status = apply(p);
  }
  return status;
}

static ff_status end_call(parser *p, const waiting *call) {
  if (call->code == FF_C_ABS) return call->commas == 0 ? push(p, FF_C_ABS, 0, 0) : found(p, p->at - 1, "one argument of abs()");
  if (call->code == FF_C_NEXT || call->code == FF_C_PREVIOUS)
    return call->commas == 0 ? push_neighbour(p, call->code, call->first, call->at) : found(p, p->at - 1, "one argument");
  if (call->code != FF_C_CALL) return FF_OK; /* val() */
  const ff_colour_function *f = &p->scope->function[call->of];
  const uint32_t given = p->out->length == call->first ? 0 : call->commas + 1;
  if (given != f->n_arguments)
    return ff_error_set(p->source.err, FF_EPARSE, "%s%s() has %u arguments; found %u", ff_source_place(&p->source).text, f->name,
                        f->n_arguments, given);
  return push(p, FF_C_CALL, call->of, 0);
}

/* After an operand: a binary operation, a comma or a closing bracket. *operand becomes 1 if an operand must follow. */
static ff_status take_operation(parser *p, int *operand) {
  const size_t at = p->at;
  const operation *list = p->dialect == FF_COLOUR_R ? r_binary : candl_binary;
  const size_t n = p->dialect == FF_COLOUR_R ? sizeof r_binary / sizeof *list : sizeof candl_binary / sizeof *list;
  const char *wanted = "an operation or the end";
  if (take(p, ")")) {
    ff_status status = apply_down_to(p, 0, 0);
    if (status != FF_OK) return status;
    if (p->n_waits == 0) return found(p, at, wanted);
    const waiting w = p->waits[--p->n_waits];
    *operand = 0;
    return w.kind == WAITS_CALL ? end_call(p, &w) : FF_OK;
  }
  if (take(p, ",")) {
    ff_status status = apply_down_to(p, 0, 0);
    if (status != FF_OK) return status;
    if (p->n_waits == 0 || p->waits[p->n_waits - 1].kind != WAITS_CALL) return found(p, at, wanted);
    p->waits[p->n_waits - 1].commas++;
    *operand = 1;
    return FF_OK;
  }
  for (size_t i = 0; i < n; i++) {
    if (!take(p, list[i].text)) continue;
    const int comparison = p->dialect == FF_COLOUR_R && list[i].rank == 4;
    ff_status status = apply_down_to(p, list[i].rank + comparison, list[i].right);
    if (status != FF_OK) return status;
    const waiting *top = p->n_waits > 0 ? &p->waits[p->n_waits - 1] : NULL;
    if (comparison && top != NULL && top->kind == WAITS_BINARY && top->rank == 4)
      return found(p, at, "& or | between comparisons");
    *operand = 1;
    return wait_for(p, (waiting){.kind = WAITS_BINARY, .code = list[i].code, .rank = list[i].rank, .at = at});
  }
  return found(p, at, wanted);
}

/* ---- operands ----------------------------------------------------------------------------------------------------------- */

/* The name at the start of what is left, which may be quoted. Returns its bytes, or 0. */
static size_t name_at(const parser *p, const char **name, size_t *length) {
  const char *text = p->text + p->at;
  const size_t left = p->length - p->at;
  int closed;
  if (left > 0 && (text[0] == '"' || text[0] == '`')) {
    const size_t used = ff_quoted_length(text, left, name, length, &closed);
    return closed ? used : 0;
  }
  *name = text;
  return *length = ff_formula_name_length(text, left);
}

static int same(const char *a, const char *name, size_t length) { return strlen(a) == length && memcmp(a, name, length) == 0; }

static const ff_colour_index *find_index(const parser *p, const char *name, size_t length) {
  for (uint32_t i = 0; i < p->scope->n_indices; i++)
    if (same(p->scope->index[i].name, name, length)) return &p->scope->index[i];
  return NULL;
}

/* In the predicate of a subset, an index stands for the first component that has its set and for which no index before stands. */
static int64_t component_in_subset(const parser *p, const ff_colour_index *index) {
  const ff_colour_scope *scope = p->scope;
  const uint32_t width = ff_colour_set_width(scope, scope->subset_of);
  uint32_t before = 0;
  for (const ff_colour_index *i = scope->index; i < index; i++) before += i->set == index->set;
  for (uint32_t k = 0; k < width; k++)
    if (ff_colour_set_part(scope, scope->subset_of, k) == index->set && before-- == 0) return k;
  return width == 1 && before == 0 ? 0 : -1;
}

/* The number of a component in brackets, or after a colon in CANDL: from 1. 0: there is none. */
static ff_status take_component(parser *p, uint32_t width, uint32_t *k) {
  const size_t at = p->at;
  *k = 0;
  if (!take(p, p->dialect == FF_COLOUR_R ? "[" : ":")) return FF_OK;
  skip_blanks(p);
  uint64_t number = 0;
  const size_t first = p->at;
  while (p->at < p->length && p->text[p->at] >= '0' && p->text[p->at] <= '9' && number < 1000)
    number = 10 * number + (uint64_t)(p->text[p->at++] - '0');
  if (p->at == first || number < 1 || number > width) return found(p, p->at > first ? first : at, "the number of a component");
  skip_blanks(p);
  if (p->dialect == FF_COLOUR_R && !take(p, "]")) return found(p, p->at, "]");
  *k = (uint32_t)number;
  return FF_OK;
}

/* c == d or c != d of two tuples: all their components are compared. */
static ff_status take_tuples(parser *p, const ff_colour_index *c, uint32_t width, size_t at) {
  const char *name, *wanted = "a component, or == or != and another index with as many components";
  size_t length;
  skip_blanks(p);
  const int differ = take(p, "!=") || take(p, "<>");
  if (!differ && !take(p, "==") && (p->dialect == FF_COLOUR_R || !take(p, "="))) return found(p, at, wanted);
  skip_blanks(p);
  const size_t used = name_at(p, &name, &length);
  const ff_colour_index *d = used > 0 ? find_index(p, name, length) : NULL;
  if (d == NULL || ff_colour_set_width(p->scope, d->set) != width) return found(p, p->at, wanted);
  p->at += used;
  ff_status status = FF_OK;
  for (uint32_t k = 0; k < width && status == FF_OK; k++) {
    status = push(p, FF_C_INDEX, c->first + k, 0);
    if (status == FF_OK) status = push(p, FF_C_INDEX, d->first + k, 0);
    if (status == FF_OK) status = push(p, FF_C_EQ, 0, 0);
    if (status == FF_OK && k > 0) status = push(p, FF_C_AND, 0, 0);
  }
  return status == FF_OK && differ ? push(p, FF_C_NOT, 0, 0) : status;
}

static ff_status push_index(parser *p, const ff_colour_index *index, size_t at) {
  const uint32_t width = ff_colour_set_width(p->scope, index->set);
  uint32_t k;
  if (p->scope->subset_of != UINT32_MAX) {
    const int64_t component = component_in_subset(p, index);
    if (component < 0) return found(p, at, "an index whose set is that of a component");
    return push(p, FF_C_INDEX, (uint32_t)component, 0);
  }
  ff_status status = take_component(p, width, &k);
  if (status != FF_OK) return status;
  if (k == 0 && width > 1) return take_tuples(p, index, width, at);
  return push(p, FF_C_INDEX, index->first + (k > 0 ? k - 1 : 0), 0);
}

static ff_status unknown(parser *p, size_t at, size_t used, const char *name, size_t length) {
  const ff_colour_scope *s = p->scope;
  const char *near = NULL;
  for (uint32_t i = 0; i < s->n_indices && near == NULL; i++) near = ff_name_near(&s->index[i].name, 1, name, length);
  if (near == NULL) near = ff_name_near(s->parameter, s->n_parameters, name, length);
  if (near == NULL) near = ff_name_near(s->colour, s->n_colours, name, length);
  return ff_source_unknown(&p->source, at, at + used, "index, constant or colour", name, length, near, "");
}

static ff_status take_call(parser *p, const char *name, size_t length, size_t at) {
  waiting call = {.kind = WAITS_CALL, .code = FF_C_COUNT, .first = p->out->length, .at = at};
  if (same("abs", name, length)) call.code = FF_C_ABS;
  else if (same("next", name, length)) call.code = FF_C_NEXT;
  else if (same("previous", name, length)) call.code = FF_C_PREVIOUS;
  else if (!same("val", name, length) || p->dialect == FF_COLOUR_R) {
    call.code = FF_C_CALL;
    while (call.of < p->scope->n_functions && !same(p->scope->function[call.of].name, name, length)) call.of++;
    if (call.of == p->scope->n_functions)
      return ff_source_unknown(&p->source, at, at + length, "colour function", name, length, NULL, "");
  }
  return wait_for(p, call);
}

static ff_status take_name(parser *p, const char *name, size_t length, size_t used) {
  const ff_colour_scope *s = p->scope;
  const size_t at = p->at;
  p->at += used;
  skip_blanks(p);
  const ff_colour_index *index = find_index(p, name, length);
  for (uint32_t i = 0; s->within != NULL && i < s->within->n_arguments; i++)
    if (same(s->within->argument[i], name, length)) return push(p, FF_C_ARGUMENT, i, 0);
  if (index != NULL) return push_index(p, index, at);
  for (uint32_t i = 0; i < s->n_parameters; i++)
    if (same(s->parameter[i], name, length)) return push(p, FF_C_CONSTANT, i, 0);
  for (uint32_t i = 0; i < s->n_colours; i++)
    if (same(s->colour[i], name, length)) return push(p, FF_C_NUMBER, 0, FF_COLOUR_NAMES + i);
  if (same("TRUE", name, length) || same("true", name, length)) return push(p, FF_C_NUMBER, 0, 1);
  if (same("FALSE", name, length) || same("false", name, length)) return push(p, FF_C_NUMBER, 0, 0);
  return unknown(p, at, used, name, length);
}

static ff_status take_number(parser *p) {
  const size_t at = p->at;
  int64_t value = 0;
  while (p->at < p->length && p->text[p->at] >= '0' && p->text[p->at] <= '9' && value < FF_COLOUR_MOST)
    value = 10 * value + (p->text[p->at++] - '0');
  if (p->dialect == FF_COLOUR_R && p->at < p->length && p->text[p->at] == 'L') p->at++;
  if (value >= FF_COLOUR_MOST || (p->at < p->length && (p->text[p->at] == '.' || ff_starts_name(p->text[p->at]))))
    return found(p, at, "a whole number below 2^39");
  return push(p, FF_C_NUMBER, 0, value);
}

/* Whether a sign is before an index alone, or before another such sign: then it stands for a neighbour. */
static int signs_an_index(const parser *p) {
  parser ahead = *p;
  const char *name;
  size_t length;
  int brackets = 0;
  for (;;) {
    skip_blanks(&ahead);
    if (take(&ahead, "+") || take(&ahead, "-")) continue;
    if (!take(&ahead, "(")) break;
    brackets++;
  }
  const size_t used = name_at(&ahead, &name, &length);
  if (used == 0) return 0;
  int is = find_index(&ahead, name, length) != NULL;
  for (uint32_t i = 0; p->scope->within != NULL && i < p->scope->within->n_arguments; i++)
    is |= same(p->scope->within->argument[i], name, length);
  ahead.at += used;
  skip_blanks(&ahead);
  for (; brackets > 0 && take(&ahead, ")"); brackets--) skip_blanks(&ahead);
  return is && brackets == 0;
}

/* +x and -x of CANDL: signs and brackets before an index. They are applied from the innermost outwards. */
static ff_status take_neighbours(parser *p, uint32_t first_code, size_t at) {
  const size_t start = p->at;
  const char *name;
  size_t length;
  ff_status status = FF_OK;
  while (p->at < p->length && (ff_is_blank(p->text[p->at]) || strchr("+-(", p->text[p->at]) != NULL)) p->at++;
  const size_t end = p->at, used = name_at(p, &name, &length);
  const uint32_t first = p->out->length;
  status = take_name(p, name, length, used);
  for (size_t i = end; i-- > start && status == FF_OK;) {
    if (p->text[i] == '+') status = push_neighbour(p, FF_C_NEXT, first, i);
    if (p->text[i] == '-') status = push_neighbour(p, FF_C_PREVIOUS, first, i);
    if (p->text[i] == '(') {
      skip_blanks(p);
      take(p, ")");
    }
  }
  return status == FF_OK ? push_neighbour(p, first_code, first, at) : status;
}

static ff_status take_sign(parser *p, int minus, size_t at) {
  if (signs_an_index(p)) {
    if (p->dialect == FF_COLOUR_CANDL) return take_neighbours(p, minus ? FF_C_PREVIOUS : FF_C_NEXT, at);
    return ff_error_set(p->source.err, FF_EPARSE,
                        "%sfound a sign before an index%s; write next(x) or previous(x) for a neighbour in its set, or 0 - x for "
                        "a number", ff_source_place(&p->source).text, ff_source_spot(&p->source, at, at + 1).text);
  }
  if (!minus) return FF_OK;
  const int rank = p->dialect == FF_COLOUR_R ? R_SIGN : CANDL_PREFIX;
  return wait_for(p, (waiting){.kind = WAITS_PREFIX, .code = FF_C_NEG, .rank = rank, .at = at});
}

/* Whether a call was just opened. */
static int begins_call(const parser *p) {
  const waiting *top = p->n_waits > 0 ? &p->waits[p->n_waits - 1] : NULL;
  return top != NULL && top->kind == WAITS_CALL && top->code == FF_C_CALL && top->commas == 0 && p->out->length == top->first;
}

/* *operand becomes 0 if an operand was complete. */
static ff_status take_operand(parser *p, int *operand) {
  const size_t at = p->at;
  const char *name, *wanted = "an index, a colour, a number or (";
  size_t length;
  if (at == p->length) return found(p, at, wanted);
  if (take(p, "(")) return wait_for(p, (waiting){.kind = WAITS_BRACKET, .at = at});
  if (begins_call(p) && take(p, ")")) { /* f() */
    const waiting w = p->waits[--p->n_waits];
    *operand = 0;
    return end_call(p, &w);
  }
  const int rank = p->dialect == FF_COLOUR_R ? R_NOT : CANDL_PREFIX;
  if (take(p, "!")) return wait_for(p, (waiting){.kind = WAITS_PREFIX, .code = FF_C_NOT, .rank = rank});
  const int minus = take(p, "-");
  if (minus || take(p, "+")) {
    const uint32_t before = p->out->length;
    ff_status status = take_sign(p, minus, at);
    if (p->out->length > before) *operand = 0;
    return status;
  }
  if (p->text[at] >= '0' && p->text[at] <= '9') {
    *operand = 0;
    return take_number(p);
  }
  const size_t used = name_at(p, &name, &length);
  if (used == 0) return found(p, at, wanted);
  size_t after = at + used;
  while (after < p->length && ff_is_blank(p->text[after])) after++;
  if (after < p->length && p->text[after] == '(') {
    p->at = after + 1;
    return take_call(p, name, length, at);
  }
  *operand = 0;
  return take_name(p, name, length, used);
}

ff_status ff_colour_parse(ff_colour_expr *out, const char *text, size_t length, ff_colour_dialect dialect,
                          const ff_colour_scope *scope, ff_place place, ff_error *err) {
  parser p = {.source = {text, length, place, "the expression", err}, .text = text, .length = length, .dialect = dialect,
              .scope = scope, .out = out};
  int operand = 1;
  ff_status status = FF_OK;
  *out = (ff_colour_expr){0};
  for (skip_blanks(&p); status == FF_OK && (operand || p.at < p.length); skip_blanks(&p))
    status = operand ? take_operand(&p, &operand) : take_operation(&p, &operand);
  if (status == FF_OK) status = apply_down_to(&p, 0, 0);
  if (status == FF_OK && p.n_waits > 0) status = found(&p, p.length, ")");
  free(p.waits);
  if (status == FF_OK)
    ff_colour_measure(out, scope);
  else
    ff_colour_free(out);
  return status;
}
