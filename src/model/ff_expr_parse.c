/* Translates text to postfix code by the shunting-yard algorithm. The stack is on the heap, so only memory limits the
 * nesting. */
#include "../base/ff_text.h"
#include "ff_model_internal.h"
#include "ff_parse.h"

#include <stdlib.h>
#include <string.h>

typedef enum { T_END, T_NAME, T_CONST, T_NOT, T_AND, T_XOR, T_OR, T_OPEN, T_CLOSE, T_COMMA, T_BRACE, T_BAD, T_QUOTE } kind;

typedef struct {
  kind kind;
  int quoted;
  uint32_t value;      /* for T_CONST */
  const char *name;    /* for T_NAME, without quotes */
  size_t name_length;
  size_t start, end;   /* position of the token in the text */
} token;

typedef struct {
  kind kind;
  size_t at;
} waiting;

typedef struct {
  ff_source source;
  size_t at;
  ff_lookup lookup;
  void *context;
  ff_code code;
  waiting *operators;
  size_t n_operators, capacity;
  ff_error *err;
} parser;

static const char operand_wanted[] = "a node name, 0, 1, \"!\" or \"(\"";
static const char operator_wanted[] = "an operator (& | ^), \")\" or the end";

/* A word may start with a digit: only "0" and "1" are numbers. */
static int starts_word(char c) { return ff_starts_name(c) || ff_is_digit(c); }
static int continues_word(char c) { return starts_word(c) || c == '-'; }

/* The kind of an unquoted word. All words that the grammar does not reserve are T_NAME. */
static kind word_kind(const char *text, size_t length, uint32_t *value) {
  *value = 0;
  if (length == 1 && (text[0] == '0' || text[0] == '1')) {
    *value = text[0] == '1';
    return T_CONST;
  }
  if (ff_text_is_any_case(text, length, "true")) {
    *value = 1;
    return T_CONST;
  }
  if (ff_text_is_any_case(text, length, "false")) return T_CONST;
  if (ff_text_is_any_case(text, length, "not")) return T_NOT;
  if (ff_text_is_any_case(text, length, "and")) return T_AND;
  if (ff_text_is_any_case(text, length, "xor")) return T_XOR;
  if (ff_text_is_any_case(text, length, "or")) return T_OR;
  return T_NAME;
}

int ff_name_is_plain(const char *name, size_t length) {
  if (length == 0 || !starts_word(name[0])) return 0;
  for (size_t i = 1; i < length; i++)
    if (!continues_word(name[i])) return 0;
  uint32_t value;
  return word_kind(name, length, &value) == T_NAME;
}

/* One case for each kind of token. */
static token read_token(parser *p) {
  while (p->at < p->source.length && ff_is_blank(p->source.text[p->at])) p->at++;
  token t = {.kind = T_END, .start = p->at, .end = p->at};
  if (p->at == p->source.length) return t;
  const char *text = p->source.text + p->at;
  size_t left = p->source.length - p->at, used = 1;
  char c = text[0];
  int closed;
  switch (c) {
    case '!':
    case '~': t.kind = T_NOT; break;
    case '*': t.kind = T_AND; break;
    case '+': t.kind = T_OR; break;
    case '^': t.kind = T_XOR; break;
    case '(': t.kind = T_OPEN; break;
    case ')': t.kind = T_CLOSE; break;
    case ',': t.kind = T_COMMA; break;
    case '{': t.kind = T_BRACE; break;
    case '&':
    case '|':
      t.kind = c == '&' ? T_AND : T_OR;
      used = left > 1 && text[1] == c ? 2 : 1;
      break;
    case '"':
    case '`':
      used = ff_quoted_length(text, left, &t.name, &t.name_length, &closed);
      t.kind = closed ? T_NAME : T_QUOTE;
      t.quoted = 1;
      break;
    default:
      if (!starts_word(c)) {
        t.kind = T_BAD;
        break;
      }
      while (used < left && continues_word(text[used])) used++;
      t.kind = word_kind(text, used, &t.value);
      t.name = text;
      t.name_length = used;
  }
  p->at += used;
  t.end = p->at;
  return t;
}

static ff_status fail_unknown(const parser *p, const token *t) {
  const char *near = p->lookup == ff_names_find ? ff_names_near(p->context, t->name, t->name_length) : NULL;
  return ff_source_unknown(&p->source, t->start, t->end, "node", t->name, t->name_length, near, "");
}

static ff_status fail(const parser *p, const token *t, const char *wanted) {
  return ff_source_found(&p->source, t->start, t->end, wanted);
}

static int precedence(kind k) {
  switch (k) {
    case T_OR: return 1;
    case T_XOR: return 2;
    case T_AND: return 3;
    case T_NOT: return 4;
    default: return 0; /* an open parenthesis: nothing is reduced past it */
  }
}

static ff_status push_operator(parser *p, kind k, size_t at) {
  void *memory = p->operators;
  ff_status status = ff_grow(&memory, &p->capacity, p->n_operators + 1, sizeof *p->operators, p->err);
  p->operators = memory;
  if (status == FF_OK) p->operators[p->n_operators++] = (waiting){k, at};
  return status;
}

/* Emits the waiting operators that bind at least as tightly as `floor`, down to an open parenthesis. */
static ff_status reduce(parser *p, int floor) {
  while (p->n_operators > 0) {
    kind k = p->operators[p->n_operators - 1].kind;
    if (precedence(k) < floor) break;
    uint32_t code = k == T_OR ? FF_X_OR : k == T_XOR ? FF_X_XOR : k == T_AND ? FF_X_AND : FF_X_NOT;
    ff_status status = ff_code_push(&p->code, FF_X_OP(code, 0), p->err);
    if (status != FF_OK) return status;
    p->n_operators--;
  }
  return FF_OK;
}

static ff_status push_name(parser *p, const token *t) {
  int64_t node = p->lookup(p->context, t->name, t->name_length);
  if (node == -2) return ff_error_set(p->err, FF_EMEMORY, "no memory for the names of nodes");
  if (node < 0) return fail_unknown(p, t);
  if (node > (int64_t)FF_X_MAX_OPERAND)
    return ff_error_set(p->err, FF_ESIZE, "a network has at most %lu nodes", (unsigned long)FF_X_MAX_OPERAND + 1);
  return ff_code_push(&p->code, FF_X_OP(FF_X_VAR, (uint32_t)node), p->err);
}

/* Reads the rows of a table, from after its "{" to its "}". */
static ff_status read_rows(parser *p, uint32_t k) {
  uint32_t rows = UINT32_C(1) << k, row = 0, word = 0;
  ff_status status = ff_code_push(&p->code, FF_X_OP(FF_X_TABLE, k), p->err);
  for (; status == FF_OK; p->at++) {
    token t = {.kind = p->at < p->source.length ? T_BAD : T_END, .start = p->at, .end = p->at + 1};
    char c = t.kind == T_BAD ? p->source.text[p->at] : '\0';
    if (t.kind == T_BAD && ff_is_blank(c)) continue;
    if (row == rows) {
      if (t.kind == T_END || c != '}') return fail(p, &t, "the \"}\" of a truth table (2^inputs rows)");
      p->at++;
      return FF_OK;
    }
    if (t.kind == T_END || (c != '0' && c != '1')) return fail(p, &t, "0 or 1 (a truth table has 2^inputs rows)");
    word |= (uint32_t)(c == '1') << (row % 32);
    row++;
    if (row % 32 == 0 || row == rows) {
      status = ff_code_push(&p->code, word, p->err);
      word = 0;
    }
  }
  return status;
}

/* Reads a truth table, from after its "f (". */
static ff_status read_table(parser *p) {
  uint32_t k = 0;
  size_t start = p->code.length;
  token t = read_token(p);
  while (t.kind != T_CLOSE) {
    if (k > 0) {
      if (t.kind != T_COMMA) return fail(p, &t, "\",\" or \")\"");
      t = read_token(p);
    }
    if (t.kind != T_NAME) return fail(p, &t, "the name of an input");
    if (k == FF_X_MAX_TABLE) return fail(p, &t, "\")\" (a truth table has at most 16 inputs)");
    ff_status status = push_name(p, &t);
    if (status != FF_OK) return status;
    k++;
    t = read_token(p);
  }
  t = read_token(p);
  if (t.kind != T_BRACE) return fail(p, &t, "the \"{\" of a truth table");
  ff_status status = read_rows(p, k);
  if (status == FF_OK && k == 0) { /* a table without inputs is a constant */
    p->code.word[start] = FF_X_OP(FF_X_CONST, p->code.word[start + 1]);
    p->code.length = start + 1;
  }
  return status;
}

static int opens_table(parser *p, const token *t) {
  if (t->quoted || t->name_length != 1 || t->name[0] != 'f') return 0;
  size_t at = p->at;
  token next = read_token(p);
  if (next.kind == T_OPEN) return 1;
  p->at = at;
  return 0;
}

/* Recognises functions of BoolNet over several nodes or over time, which existing files may contain: one of these names
 * before a "(". */
static int calls_boolnet(parser *p, const token *t) {
  static const char *const names[] = {"maj", "sumgt", "sumlt", "sumis", "timegt", "timelt", "timeis", "all", "any"};
  size_t at = p->at, i = 0, n = sizeof names / sizeof names[0];
  if (t->quoted) return 0;
  while (i < n && !ff_text_is_any_case(t->name, t->name_length, names[i])) i++;
  if (i == n) return 0;
  token next = read_token(p);
  p->at = at;
  return next.kind == T_OPEN || (next.kind == T_BAD && p->source.text[next.start] == '[');
}

static ff_status fail_boolnet(const parser *p, const token *t) {
  return ff_error_set(p->err, FF_EPARSE,
                      "%sBoolNet's function %.*s() is not supported%s; write it with !, & and |, or as a table",
                      ff_source_place(&p->source).text, (int)t->name_length, t->name,
                      ff_source_spot(&p->source, t->start, t->end).text);
}

static ff_status take_name(parser *p, const token *t) {
  if (opens_table(p, t)) return read_table(p);
  return calls_boolnet(p, t) ? fail_boolnet(p, t) : push_name(p, t);
}

/* Takes a token where an operand is expected. Sets *operand to 1 when an operand is complete. */
static ff_status take_operand(parser *p, const token *t, int *operand) {
  switch (t->kind) {
    case T_NOT:
    case T_OPEN: return push_operator(p, t->kind, t->start);
    case T_CONST: *operand = 1; return ff_code_push(&p->code, FF_X_OP(FF_X_CONST, t->value), p->err);
    case T_NAME: *operand = 1; return take_name(p, t);
    case T_QUOTE: return fail(p, t, "a closing quote");
    default: return fail(p, t, operand_wanted);
  }
}

/* Takes a token where an operator is expected. Sets *operand to 0 if another operand must follow. */
static ff_status take_operator(parser *p, const token *t, int *operand) {
  ff_status status;
  switch (t->kind) {
    case T_AND:
    case T_XOR:
    case T_OR:
      *operand = 0;
      status = reduce(p, precedence(t->kind));
      return status == FF_OK ? push_operator(p, t->kind, t->start) : status;
    case T_CLOSE:
      status = reduce(p, 1);
      if (status != FF_OK) return status;
      if (p->n_operators == 0) return fail(p, t, "an operator (& | ^) or the end");
      p->n_operators--;
      return FF_OK;
    case T_BAD:
      if (p->source.text[t->start] == '[')
        return ff_error_set(p->err, FF_EPARSE, "%sBoolNet's delays, such as A[-2], are not supported%s",
                            ff_source_place(&p->source).text, ff_source_spot(&p->source, t->start, t->end).text);
      return fail(p, t, operator_wanted);
    default: return fail(p, t, operator_wanted);
  }
}

static ff_status parse(parser *p) {
  int operand = 0;
  for (;;) {
    token t = read_token(p);
    if (t.kind == T_END && operand) {
      ff_status status = reduce(p, 1);
      if (status != FF_OK || p->n_operators == 0) return status;
      return fail(p, &t, "\")\"");
    }
    ff_status status = operand ? take_operator(p, &t, &operand) : take_operand(p, &t, &operand);
    if (status != FF_OK) return status;
  }
}

ff_status ff_expr_parse(ff_expr *out, const char *text, size_t length, ff_lookup lookup, void *context, ff_place place,
                        ff_error *err) {
  *out = (ff_expr){0};
  parser p = {.source = {text, length, place, "the expression", err}, .lookup = lookup, .context = context, .err = err};
  ff_status status = parse(&p);
  free(p.operators);
  if (status == FF_OK) return ff_code_finish(out, &p.code, err);
  ff_code_free(&p.code);
  return status;
}
