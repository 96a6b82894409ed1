/* Translates text to postfix code by the shunting-yard algorithm. The stack is on the heap, so only memory limits the
 * nesting. */
#include "../base/ff_decimal.h"
#include "../base/ff_text.h"
#include "ff_formula_code.h"
#include "ff_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Besides codes of operations, an operator that waits for its operands is one of these. */
enum { SIGN = FF_F_COUNT, GROUP, CALL }; /* a "+" before an operand, "(", a function and "(" */

typedef struct {
  const char *name;
  uint32_t code, least, most; /* numbers of arguments */
} function;

/* In the order in which messages name them; other names of the same function last. */
static const function functions[] = {
    {"abs", FF_F_ABS, 1, 1},         {"acos", FF_F_ACOS, 1, 1},       {"asin", FF_F_ASIN, 1, 1},
    {"atan", FF_F_ATAN, 1, 1},       {"ceiling", FF_F_CEILING, 1, 1}, {"cos", FF_F_COS, 1, 1},
    {"cosh", FF_F_COSH, 1, 1},       {"exp", FF_F_EXP, 1, 1},         {"expm1", FF_F_EXPM1, 1, 1},
    {"floor", FF_F_FLOOR, 1, 1},     {"if", FF_F_IF, 3, 3},           {"log", FF_F_LOG, 1, 2},
    {"log10", FF_F_LOG10, 1, 1},     {"log1p", FF_F_LOG1P, 1, 1},     {"log2", FF_F_LOG2, 1, 1},
    {"max", FF_F_MAX, 1, UINT32_MAX}, {"min", FF_F_MIN, 1, UINT32_MAX}, {"pow", FF_F_POW, 2, 2},
    {"sin", FF_F_SIN, 1, 1},         {"sinh", FF_F_SINH, 1, 1},       {"sqrt", FF_F_SQRT, 1, 1},
    {"tan", FF_F_TAN, 1, 1},         {"tanh", FF_F_TANH, 1, 1},       {"time", FF_F_TIME, 0, 0},
    {"ceil", FF_F_CEILING, 1, 1},    {"ifelse", FF_F_IF, 3, 3},       {"ln", FF_F_LOG, 1, 1},
};
enum { N_FUNCTIONS = sizeof functions / sizeof functions[0], N_SHOWN = N_FUNCTIONS - 3 };

typedef struct {
  uint32_t code;
  uint32_t arguments;       /* of CALL: those that are complete */
  size_t start, end;        /* of CALL: the position of the name in the text */
  const function *function; /* of CALL */
} waiting;

typedef struct {
  ff_source source;
  size_t at;
  ff_lookup lookup;
  void *context;
  const ff_formula_elements *elements; /* or NULL */
  ff_formula_builder code;
  waiting *operators;
  size_t n_operators, capacity;
  ff_error *err;
} parser;

static const char operand_wanted[] = "a number, a name, \"-\", \"!\" or \"(\"";

size_t ff_formula_name_length(const char *text, size_t length) {
  if (length == 0 || !ff_starts_name(text[0]) || (text[0] == '.' && length > 1 && ff_is_digit(text[1]))) return 0;
  size_t used = 1;
  while (used < length && (ff_starts_name(text[used]) || ff_is_digit(text[used]))) used++;
  return used;
}

int ff_formula_is_reserved(const char *word, size_t length, double *number) {
  if (ff_text_is(word, length, "Inf"))
    *number = ff_math_infinity();
  else if (ff_text_is(word, length, "NaN"))
    *number = ff_math_nan();
  else if (ff_text_is(word, length, "TRUE") || ff_text_is(word, length, "FALSE"))
    *number = word[0] == 'T';
  else
    return 0;
  return 1;
}

/* ---- tokens ----------------------------------------------------------------------------------------------------------- */

/* Reads the operator at the start of the text, whose length is at least 1. Returns the number of bytes, 0 if there is none. One
 * case for each operator. */
static size_t read_operator(const char *text, size_t length, ff_token *t) {
  int twice = length > 1 && text[1] == text[0], equal = length > 1 && text[1] == '=';
  t->kind = FF_T_OPERATOR;
  switch (text[0]) {
    case '+': t->code = FF_F_ADD; return 1;
    case '-': t->code = FF_F_SUB; return 1;
    case '*': t->code = twice ? FF_F_POW : FF_F_MUL; return twice ? 2 : 1;
    case '/': t->code = FF_F_DIV; return 1;
    case '^': t->code = FF_F_POW; return 1;
    case '<': t->code = equal ? FF_F_LE : FF_F_LT; return equal ? 2 : 1;
    case '>': t->code = equal ? FF_F_GE : FF_F_GT; return equal ? 2 : 1;
    case '&': t->code = FF_F_AND; return twice ? 2 : 1;
    case '|': t->code = FF_F_OR; return twice ? 2 : 1;
    case '=': t->code = FF_F_EQ; return twice ? 2 : 0;
    case '!':
      t->code = FF_F_NE;
      if (!equal) t->kind = FF_T_NOT;
      return equal ? 2 : 1;
    default: return 0;
  }
}

/* Reads a number or a name. Returns the number of bytes, 0 if there is none. */
static size_t read_word(const char *text, size_t length, ff_token *t) {
  size_t used = ff_decimal_length(text, length);
  if (used > 0) {
    t->kind = FF_T_NUMBER;
    t->number = ff_decimal_read(text, used);
    int suffix = used < length && text[used] == 'L' && ff_formula_name_length(text + used, length - used) == 1;
    return used + (size_t)suffix; /* R writes integers as 2L */
  }
  used = ff_formula_name_length(text, length);
  t->kind = ff_formula_is_reserved(text, used, &t->number) ? FF_T_NUMBER : FF_T_NAME;
  t->name = text;
  t->name_length = used;
  return used;
}

/* Adds to a name what follows it in brackets. */
static void add_brackets(parser *p, ff_token *t) {
  size_t at = p->at;
  const int sum = !t->quoted && ff_text_is(t->name, t->name_length, "sum");
  while (at < p->source.length && ff_is_blank(p->source.text[at])) at++;
  if (at < p->source.length && (p->source.text[at] == '[' || (sum && p->source.text[at] == '('))) {
    const size_t used = ff_bracketed_length(p->source.text + at, p->source.length - at);
    if (used == 0) t->kind = FF_T_BRACKET;
    p->at = used > 0 ? at + used : p->source.length;
  }
  t->name = p->source.text + t->start;
  t->name_length = p->at - t->start;
}

static ff_token read_token(parser *p) {
  ff_token t = ff_token_read(&p->source, &p->at);
  if (t.kind == FF_T_BAD) {
    const char *text = p->source.text + t.start;
    const size_t left = p->source.length - t.start;
    size_t used = read_operator(text, left, &t);
    if (used == 0) used = read_word(text, left, &t);
    if (used == 0) t.kind = FF_T_BAD;
    else p->at = t.start + used;
  }
  if (p->elements != NULL && t.kind == FF_T_NAME) add_brackets(p, &t);
  t.end = p->at;
  return t;
}

static int opens_call(parser *p, const ff_token *t) {
  if (t->quoted || t->name == NULL) return 0;
  size_t at = p->at;
  ff_token next = read_token(p);
  if (next.kind == FF_T_OPEN) return 1;
  p->at = at;
  return 0;
}

/* ---- messages --------------------------------------------------------------------------------------------------------- */

/* A hint for those who write words, as Boolean expressions allow; "" for other names. */
static const char *hint_of_word(const ff_token *t) {
  if (t->quoted || t->name == NULL) return "";
  if (ff_text_is_any_case(t->name, t->name_length, "and")) return "\"&&\" means and";
  if (ff_text_is_any_case(t->name, t->name_length, "or")) return "\"||\" means or";
  return ff_text_is_any_case(t->name, t->name_length, "not") ? "\"!\" means not" : "";
}

static ff_status fail_unknown(const parser *p, const ff_token *t, const char *what, const char *near, const char *more) {
  const char *hint = hint_of_word(t);
  char text[32];
  snprintf(text, sizeof text, "; %s", hint);
  return ff_source_unknown(&p->source, t->start, t->end, what, t->name, t->name_length, near, hint[0] != 0 ? text : more);
}

#define MOST_UNQUOTED 1000
/* Species of BioNetGen have names with parentheses. Returns the length of the longest known one that the text has at the token; 0
 * if there is none. */
static size_t unquoted_name(const parser *p, const ff_token *t) {
  const char *text = p->source.text + t->start;
  size_t length = p->source.length - t->start;
  if (p->lookup != ff_formula_find_untimed && p->lookup != ff_names_find) return 0;
  if (length > MOST_UNQUOTED) length = MOST_UNQUOTED;
  for (; length > t->name_length; length--)
    if (text[length - 1] == ')' && p->lookup(p->context, text, length) >= 0) return length;
  return 0;
}

static ff_status fail_function(const parser *p, const ff_token *t) {
  const size_t unquoted = unquoted_name(p, t);
  if (unquoted > 0) {
    const ff_quoted name = ff_quote(p->source.text + t->start, unquoted);
    char more[sizeof name.text + 40];
    snprintf(more, sizeof more, "; the name %s must be in backquotes", name.text);
    return fail_unknown(p, t, "function", NULL, more);
  }
  char list[60 + 10 * N_SHOWN] = "; the functions are ", *names[N_FUNCTIONS];
  size_t used = strlen(list);
  char copies[N_FUNCTIONS][10];
  for (size_t i = 0; i < N_FUNCTIONS; i++) {
    snprintf(copies[i], sizeof copies[i], "%s", functions[i].name);
    names[i] = copies[i];
    const char *before = i == 0 ? "" : i + 1 < N_SHOWN ? ", " : " and ";
    if (i < N_SHOWN) used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", before, names[i]);
  }
  return fail_unknown(p, t, "function", ff_name_near(names, N_FUNCTIONS, t->name, t->name_length), list);
}

static ff_status fail(const parser *p, const ff_token *t, const char *wanted) {
  return ff_source_found(&p->source, t->start, t->end, wanted);
}

static ff_status fail_operator(const parser *p, const ff_token *t) {
  size_t i = p->n_operators;
  while (i > 0 && p->operators[i - 1].code < GROUP) i--;
  const char bad = t->kind == FF_T_BAD ? p->source.text[t->start] : ' ';
  if (bad == '=') return fail(p, t, "an operator (\"==\" compares)");
  if (bad == '?') return fail(p, t, "an operator (a choice is \"if(condition, yes, no)\")");
  if (bad == '%') return fail(p, t, "an operator (the remainder of a / b is \"a - b * floor(a / b)\")");
  const char *hint = hint_of_word(t);
  if (hint[0] != 0) {
    char wanted[48];
    snprintf(wanted, sizeof wanted, "an operator (%s)", hint);
    return fail(p, t, wanted);
  }
  if (i == 0) return fail(p, t, "an operator or the end");
  return fail(p, t, p->operators[i - 1].code == CALL ? "an operator, \",\" or \")\"" : "an operator or \")\"");
}

static ff_status fail_arguments(const parser *p, const waiting *call) {
  const function *f = call->function;
  char wanted[40];
  if (f->most == UINT32_MAX)
    snprintf(wanted, sizeof wanted, "at least %u", f->least);
  else if (f->most > f->least)
    snprintf(wanted, sizeof wanted, "%u or %u", f->least, f->most);
  else
    snprintf(wanted, sizeof wanted, "%u", f->least);
  return ff_error_set(p->err, FF_EPARSE, "%sfound %u argument%s of %s()%s where %s %s expected",
                      ff_source_place(&p->source).text, call->arguments, call->arguments == 1 ? "" : "s", f->name,
                      ff_source_spot(&p->source, call->start, call->end).text, wanted, f->most == 1 ? "was" : "were");
}

/* ---- the shunting yard ------------------------------------------------------------------------------------------------ */

enum { OR_LEVEL = 1, AND_LEVEL, NOT_LEVEL, COMPARISON_LEVEL, SUM_LEVEL, PRODUCT_LEVEL, SIGN_LEVEL, POWER_LEVEL };

static int precedence(uint32_t code) {
  switch (code) {
    case FF_F_OR: return OR_LEVEL;
    case FF_F_AND: return AND_LEVEL;
    case FF_F_NOT: return NOT_LEVEL;
    case FF_F_ADD:
    case FF_F_SUB: return SUM_LEVEL;
    case FF_F_MUL:
    case FF_F_DIV: return PRODUCT_LEVEL;
    case FF_F_NEG:
    case SIGN: return SIGN_LEVEL;
    case FF_F_POW: return POWER_LEVEL;
    case GROUP:
    case CALL: return 0; /* nothing is reduced past it */
    default: return COMPARISON_LEVEL;
  }
}

static ff_status push_operator(parser *p, waiting operator) {
  void *memory = p->operators;
  ff_status status = ff_grow(&memory, &p->capacity, p->n_operators + 1, sizeof *p->operators, p->err);
  p->operators = memory;
  if (status == FF_OK) p->operators[p->n_operators++] = operator;
  return status;
}

static ff_status emit(parser *p, uint32_t code) {
  ff_formula_word *last = &p->code.word[p->code.length - 1];
  if (code == SIGN) return FF_OK;
  if (code == FF_F_NEG && last->code == FF_F_NUMBER) { /* the last operand ends with the last word */
    last->number = last->number == last->number ? -last->number : last->number;
    return FF_OK;
  }
  return ff_formula_push(&p->code, (ff_formula_word){code, 0, 0}, p->err);
}

/* Emits the waiting operators that bind at least as tightly as `floor`, down to an open parenthesis. */
static ff_status reduce(parser *p, int floor) {
  while (p->n_operators > 0) {
    uint32_t code = p->operators[p->n_operators - 1].code;
    if (precedence(code) < floor) break;
    ff_status status = emit(p, code);
    if (status != FF_OK) return status;
    p->n_operators--;
  }
  return FF_OK;
}

static ff_status take_call(parser *p, const ff_token *t) {
  for (size_t i = 0; i < N_FUNCTIONS; i++)
    if (ff_text_is(t->name, t->name_length, functions[i].name))
      return push_operator(p, (waiting){CALL, 0, t->start, t->end, &functions[i]});
  return fail_function(p, t);
}

int64_t ff_formula_find_untimed(void *names, const char *name, size_t length) { return ff_names_find(names, name, length); }

static ff_status fail_name(const parser *p, const ff_token *t) {
  if (p->elements != NULL)
    return fail_unknown(p, t, p->elements->what, p->elements->near(p->context, t->name, t->name_length), "");
  static const char what[] = "species, parameter or variable";
  char *words[] = {"time"};
  const int untimed = p->lookup == ff_formula_find_untimed, names = untimed || p->lookup == ff_names_find;
  const char *near = names ? ff_names_near(p->context, t->name, t->name_length) : NULL;
  /* in a file, the time may have another name */
  if (near != NULL || untimed || t->quoted || p->source.place.line > 0) return fail_unknown(p, t, what, near, "");
  const int short_time = t->name_length == 1 && (t->name[0] == 't' || t->name[0] == 'T');
  return fail_unknown(p, t, what, ff_name_near(words, 1, t->name, t->name_length),
                      short_time ? "; the time is called \"time\"" : "");
}

static ff_status push_name(parser *p, const ff_token *t) {
  int64_t symbol = p->lookup(p->context, t->name, t->name_length);
  if (symbol == -2) return ff_error_set(p->err, FF_EMEMORY, "no memory for the names of symbols");
  if (symbol < -2) return (ff_status)(-2 - symbol); /* with elements: the error has been set */
  if (symbol > (int64_t)UINT32_MAX) return ff_error_set(p->err, FF_ESIZE, "a formula has a symbol beyond number 2^32");
  ff_formula_word word = {FF_F_SYMBOL, symbol < 0 ? 0 : (uint32_t)symbol, 0};
  if (symbol < 0 && !t->quoted && ff_text_is(t->name, t->name_length, "time"))
    word.code = FF_F_TIME;
  else if (symbol < 0 && !t->quoted && ff_text_is(t->name, t->name_length, "pi"))
    word = (ff_formula_word){FF_F_NUMBER, 0, 0x1.921fb54442d18p+1};
  else if (symbol < 0)
    return fail_name(p, t);
  return ff_formula_push(&p->code, word, p->err);
}

/* Emits what belongs after an argument. */
static ff_status end_argument(parser *p, waiting *call) {
  uint32_t code = call->function->code;
  int several = code == FF_F_MIN || code == FF_F_MAX;
  call->arguments++;
  return (several && call->arguments > 1) || code == FF_F_LOG ? emit(p, code) : FF_OK;
}

/* Takes the ")" of a function whose arguments are complete. */
static ff_status end_call(parser *p) {
  waiting call = p->operators[--p->n_operators];
  uint32_t code = call.function->code;
  if (call.arguments < call.function->least || call.arguments > call.function->most) return fail_arguments(p, &call);
  if (code == FF_F_MIN || code == FF_F_MAX) return FF_OK;
  if (code == FF_F_LOG) return call.arguments == 2 ? emit(p, FF_F_DIV) : FF_OK;
  return ff_formula_push(&p->code, (ff_formula_word){code, 0, 0}, p->err);
}

/* Takes a token where an operand is expected. Sets *operand to 1 when an operand is complete. */
static ff_status take_operand(parser *p, const ff_token *t, int *operand) {
  const waiting *top = p->n_operators > 0 ? &p->operators[p->n_operators - 1] : NULL;
  switch (t->kind) {
    case FF_T_NOT: return push_operator(p, (waiting){.code = FF_F_NOT});
    case FF_T_OPEN: return push_operator(p, (waiting){.code = GROUP});
    case FF_T_OPERATOR:
      if (t->code == FF_F_SUB) return push_operator(p, (waiting){.code = FF_F_NEG});
      if (t->code == FF_F_ADD) return push_operator(p, (waiting){.code = SIGN});
      return fail(p, t, operand_wanted);
    case FF_T_NUMBER:
    case FF_T_NAME:
      if (opens_call(p, t)) return take_call(p, t);
      *operand = 1;
      if (t->kind == FF_T_NAME) return push_name(p, t);
      return ff_formula_push(&p->code, (ff_formula_word){FF_F_NUMBER, 0, t->number}, p->err);
    case FF_T_CLOSE:
      if (top == NULL || top->code != CALL || top->arguments > 0) return fail(p, t, operand_wanted);
      *operand = 1;
      return end_call(p); /* there are no arguments */
    case FF_T_QUOTE: return fail(p, t, "a closing quote");
    case FF_T_BRACKET: return fail(p, t, "a closing bracket");
    default: return fail(p, t, operand_wanted);
  }
}

static ff_status take_binary(parser *p, const ff_token *t) {
  int level = precedence(t->code);
  ff_status status = reduce(p, level + 1);
  if (status != FF_OK) return status;
  int chained = p->n_operators > 0 && precedence(p->operators[p->n_operators - 1].code) == COMPARISON_LEVEL;
  if (level == COMPARISON_LEVEL && chained) return fail(p, t, "another operator (comparisons cannot be chained)");
  if (level != POWER_LEVEL) status = reduce(p, level); /* powers group from right to left */
  return status == FF_OK ? push_operator(p, (waiting){.code = t->code}) : status;
}

/* Takes a token where an operator is expected. Sets *operand to 0 if another operand must follow. */
static ff_status take_operator(parser *p, const ff_token *t, int *operand) {
  if (t->kind == FF_T_OPERATOR) {
    *operand = 0;
    return take_binary(p, t);
  }
  if (t->kind == FF_T_QUOTE) return fail(p, t, "a closing quote");
  if (t->kind != FF_T_CLOSE && t->kind != FF_T_COMMA) return fail_operator(p, t);
  ff_status status = reduce(p, OR_LEVEL);
  if (status != FF_OK) return status;
  waiting *open = p->n_operators > 0 ? &p->operators[p->n_operators - 1] : NULL;
  if (open == NULL || (t->kind == FF_T_COMMA && open->code == GROUP)) return fail_operator(p, t);
  if (open->code == CALL) status = end_argument(p, open);
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
    ff_token t = read_token(p);
    if (t.kind == FF_T_END && operand) {
      ff_status status = reduce(p, OR_LEVEL);
      if (status != FF_OK || p->n_operators == 0) return status;
      return fail_operator(p, &t);
    }
    ff_status status = operand ? take_operator(p, &t, &operand) : take_operand(p, &t, &operand);
    if (status != FF_OK) return status;
  }
}

static ff_status parse_all(ff_formula *out, parser *p) {
  *out = (ff_formula){0};
  ff_status status = parse(p);
  free(p->operators);
  if (status == FF_OK)
    ff_formula_finish(out, &p->code);
  else
    free(p->code.word);
  return status;
}

ff_status ff_formula_parse(ff_formula *out, const char *text, size_t length, ff_lookup lookup, void *context, ff_place place,
                           ff_error *err) {
  parser p = {.source = {text, length, place, "the formula", err}, .lookup = lookup, .context = context, .err = err};
  return parse_all(out, &p);
}

ff_status ff_formula_parse_elements(ff_formula *out, const char *text, size_t length, const ff_formula_elements *elements,
                                    ff_place place, ff_error *err) {
  parser p = {.source = {text, length, place, "the formula", err}, .lookup = elements->lookup, .context = elements->context,
              .elements = elements, .err = err};
  return parse_all(out, &p);
}
