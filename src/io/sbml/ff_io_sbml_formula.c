/* Translates MathML, as libsbml's syntax trees, to formulas. The traversal has its own stack and does not recurse, except into
 * functions that are called. */
#include "ff_io_sbml_formula.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../model/ff_formula_math.h"

#define MAX_NESTED_FUNCTIONS 100

typedef enum {
  PLAIN,  /* one operation of a formula */
  SERIES, /* of any number of arguments, from left to right */
  XOR,
  CHAIN,  /* of comparisons: a < b < c */
  TEXT,   /* a formula of the arguments x and y */
  MINUS,
  LOG,
  ROOT,
  PIECES,
  CALL
} shape;

typedef struct {
  int type; /* an ASTNodeType_t */
  shape shape;
  uint32_t code;
  unsigned arguments; /* of PLAIN and TEXT; else the least number */
  const char *element, *text;
} operation;

#define ARCSINH(x) "if(" x " < 0, -1, 1) * log1p(abs(" x ") + (" x ")^2 / (1 + sqrt(1 + (" x ")^2)))"
#define ARCCOSH(x) "log(" x " + sqrt(" x " - 1) * sqrt(" x " + 1))"

/* It has the sign of x. A quotient that is rounded up to a whole number would give it the other one. */
#define REM "max(min(x, 0), min(max(x, 0), x - y * if(x / y < 0, ceiling(x / y), floor(x / y))))"

static const operation operations[] = {
    {AST_PLUS, SERIES, FF_F_ADD, 0, "plus", NULL},
    {AST_TIMES, SERIES, FF_F_MUL, 0, "times", NULL},
    {AST_LOGICAL_AND, SERIES, FF_F_AND, 0, "and", NULL},
    {AST_LOGICAL_OR, SERIES, FF_F_OR, 0, "or", NULL},
    {AST_LOGICAL_XOR, XOR, FF_F_NE, 0, "xor", NULL},
    {AST_FUNCTION_MIN, SERIES, FF_F_MIN, 1, "min", NULL},
    {AST_FUNCTION_MAX, SERIES, FF_F_MAX, 1, "max", NULL},
    {AST_MINUS, MINUS, FF_F_SUB, 1, "minus", NULL},
    {AST_DIVIDE, PLAIN, FF_F_DIV, 2, "divide", NULL},
    {AST_POWER, PLAIN, FF_F_POW, 2, "power", NULL},
    {AST_FUNCTION_POWER, PLAIN, FF_F_POW, 2, "power", NULL},
    {AST_LOGICAL_NOT, PLAIN, FF_F_NOT, 1, "not", NULL},
    {AST_RELATIONAL_EQ, CHAIN, FF_F_EQ, 2, "eq", NULL},
    {AST_RELATIONAL_NEQ, PLAIN, FF_F_NE, 2, "neq", NULL},
    {AST_RELATIONAL_LT, CHAIN, FF_F_LT, 2, "lt", NULL},
    {AST_RELATIONAL_LEQ, CHAIN, FF_F_LE, 2, "leq", NULL},
    {AST_RELATIONAL_GT, CHAIN, FF_F_GT, 2, "gt", NULL},
    {AST_RELATIONAL_GEQ, CHAIN, FF_F_GE, 2, "geq", NULL},
    {AST_FUNCTION_PIECEWISE, PIECES, FF_F_IF, 1, "piecewise", NULL},
    {AST_FUNCTION_ABS, PLAIN, FF_F_ABS, 1, "abs", NULL},
    {AST_FUNCTION_FLOOR, PLAIN, FF_F_FLOOR, 1, "floor", NULL},
    {AST_FUNCTION_CEILING, PLAIN, FF_F_CEILING, 1, "ceiling", NULL},
    {AST_FUNCTION_EXP, PLAIN, FF_F_EXP, 1, "exp", NULL},
    {AST_FUNCTION_LN, PLAIN, FF_F_LOG, 1, "ln", NULL},
    {AST_FUNCTION_LOG, LOG, FF_F_LOG10, 1, "log", "log(y) / log(x)"},
    {AST_FUNCTION_ROOT, ROOT, FF_F_SQRT, 1, "root", "y^(1 / x)"},
    {AST_FUNCTION_SIN, PLAIN, FF_F_SIN, 1, "sin", NULL},
    {AST_FUNCTION_COS, PLAIN, FF_F_COS, 1, "cos", NULL},
    {AST_FUNCTION_TAN, PLAIN, FF_F_TAN, 1, "tan", NULL},
    {AST_FUNCTION_SEC, TEXT, 0, 1, "sec", "1 / cos(x)"},
    {AST_FUNCTION_CSC, TEXT, 0, 1, "csc", "1 / sin(x)"},
    {AST_FUNCTION_COT, TEXT, 0, 1, "cot", "1 / tan(x)"},
    {AST_FUNCTION_ARCSIN, PLAIN, FF_F_ASIN, 1, "arcsin", NULL},
    {AST_FUNCTION_ARCCOS, PLAIN, FF_F_ACOS, 1, "arccos", NULL},
    {AST_FUNCTION_ARCTAN, PLAIN, FF_F_ATAN, 1, "arctan", NULL},
    {AST_FUNCTION_ARCSEC, TEXT, 0, 1, "arcsec", "acos(1 / x)"},
    {AST_FUNCTION_ARCCSC, TEXT, 0, 1, "arccsc", "asin(1 / x)"},
    {AST_FUNCTION_ARCCOT, TEXT, 0, 1, "arccot", "atan(1 / x)"},
    {AST_FUNCTION_SINH, PLAIN, FF_F_SINH, 1, "sinh", NULL},
    {AST_FUNCTION_COSH, PLAIN, FF_F_COSH, 1, "cosh", NULL},
    {AST_FUNCTION_TANH, PLAIN, FF_F_TANH, 1, "tanh", NULL},
    {AST_FUNCTION_SECH, TEXT, 0, 1, "sech", "1 / cosh(x)"},
    {AST_FUNCTION_CSCH, TEXT, 0, 1, "csch", "1 / sinh(x)"},
    {AST_FUNCTION_COTH, TEXT, 0, 1, "coth", "1 / tanh(x)"},
    {AST_FUNCTION_ARCSINH, TEXT, 0, 1, "arcsinh", ARCSINH("x")},
    {AST_FUNCTION_ARCCOSH, TEXT, 0, 1, "arccosh", ARCCOSH("x")},
    {AST_FUNCTION_ARCTANH, TEXT, 0, 1, "arctanh", "log1p(2 * x / (1 - x)) / 2"},
    {AST_FUNCTION_ARCSECH, TEXT, 0, 1, "arcsech", ARCCOSH("1 / x")},
    {AST_FUNCTION_ARCCSCH, TEXT, 0, 1, "arccsch", ARCSINH("1 / x")},
    {AST_FUNCTION_ARCCOTH, TEXT, 0, 1, "arccoth", "log1p(2 / (x - 1)) / 2"},
    {AST_LOGICAL_IMPLIES, TEXT, 0, 2, "implies", "!x | y"},
    {AST_FUNCTION_QUOTIENT, TEXT, 0, 2, "quotient", "if(x / y < 0, ceiling(x / y), floor(x / y))"},
    {AST_FUNCTION_REM, TEXT, 0, 2, "rem", REM},
    {AST_FUNCTION, CALL, 0, 0, NULL, NULL},
};

typedef struct {
  const ASTNode_t *node;
  const operation *operation;
  uint32_t function;      /* of a call: its symbol */
  unsigned done, n;       /* how many arguments have been entered, and how many there are */
  size_t starts;          /* where in walk.starts the list of its arguments is */
} frame;

typedef struct {
  ff_sbml_table *table;
  const ff_sbml_scope *scope;
  ff_place place;
  ff_formula_word *word;
  size_t length, capacity;
  frame *frames;
  size_t n_frames, frames_capacity;
  size_t *starts; /* where the code of each argument starts */
  size_t n_starts, starts_capacity;
} walk;

/* ---- errors ---- */

static ff_status fail(const walk *w, ff_status status, const char *thing, const char *name, const char *rest) {
  return ff_sbml_found(w->table, status, w->place, thing, name, rest);
}

static ff_status found_element(const walk *w, ASTNodeType_t type) {
  static const struct {
    int type;
    const char *found;
  } known[] = {{AST_FUNCTION_DELAY, "a delay"}, {AST_FUNCTION_FACTORIAL, "<factorial>"}, {AST_FUNCTION_RATE_OF, "a rateOf"}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (known[i].type == (int)type)
      return fail(w, FF_EUNSUPPORTED, known[i].found, NULL, " in a formula, which is not supported in a reaction network");
  if (type == AST_UNKNOWN) return fail(w, FF_EPARSE, "a <math> without content", NULL, " where a formula was expected");
  return fail(w, FF_EPARSE, type == AST_LAMBDA ? "<lambda>" : "MathML of another kind", NULL, " where a formula was expected");
}

static ff_status found_arguments(const walk *w, const char *element, unsigned found, unsigned wanted, int at_least) {
  char expected[60];
  snprintf(expected, sizeof expected, " with %u argument%s where %s%u %s expected", found, found == 1 ? "" : "s",
           at_least ? "at least " : "", wanted, wanted == 1 ? "was" : "were");
  char shown[60];
  snprintf(shown, sizeof shown, "<%s>", element);
  return fail(w, FF_EPARSE, shown, NULL, expected);
}

static ff_status found_unknown(const walk *w, const char *name, const char *wanted) {
  ff_span span = {name, strlen(name)};
  ff_status status = fail(w, FF_EPARSE, "", name, wanted);
  return ff_build_find(&w->table->ids, name, span.length) < 0 ? ff_build_suggest(&w->table->ids, span, status) : status;
}

/* ---- code ---- */

static ff_status emit_word(walk *w, ff_formula_word word) {
  void *memory = w->word;
  if (w->length >= FF_FORMULA_MAX || w->table->words == 0)
    return ff_error_set(w->table->err, FF_ESIZE, "%s, line %llu: the formulas have too many numbers, names and operations, once "
                        "functions are expanded", w->place.file, (unsigned long long)w->place.line);
  ff_status status = ff_grow(&memory, &w->capacity, w->length + 1, sizeof *w->word, w->table->err);
  w->word = memory;
  if (status != FF_OK) return status;
  w->word[w->length++] = word;
  w->table->words--;
  return FF_OK;
}

static ff_status emit(walk *w, uint32_t code) { return emit_word(w, (ff_formula_word){code, 0, 0.0}); }
static ff_status emit_number(walk *w, double x) { return emit_word(w, (ff_formula_word){FF_F_NUMBER, 0, x}); }
static ff_status emit_symbol(walk *w, uint32_t i) { return emit_word(w, (ff_formula_word){FF_F_SYMBOL, i, 0.0}); }

/* Whether the code from `from` to `to` is one number. */
static int is_number(const walk *w, size_t from, size_t to, double *number) {
  if (to - from != 1 || w->word[from].code != FF_F_NUMBER) return 0;
  *number = w->word[from].number;
  return 1;
}

/* The arguments of an operation, taken off the code. */
typedef struct {
  ff_formula_word *word; /* owned */
  const size_t *start;
  size_t base, length;
  unsigned n;
} arguments;

static ff_status take_arguments(walk *w, const frame *top, arguments *out) {
  const size_t *start = w->starts + top->starts;
  size_t base = top->n > 0 ? start[0] : w->length;
  *out = (arguments){.start = start, .base = base, .length = w->length - base, .n = top->n};
  out->word = ff_calloc(out->length, sizeof *out->word);
  if (out->word == NULL) return ff_error_set(w->table->err, FF_EMEMORY, "no memory for a formula of %zu words", out->length);
  if (out->length > 0) memcpy(out->word, w->word + base, out->length * sizeof *out->word);
  w->length = base;
  return FF_OK;
}

static ff_status put_argument(walk *w, const arguments *from, uint32_t i) {
  size_t end = i + 1 < from->n ? from->start[i + 1] - from->base : from->length;
  ff_status status = FF_OK;
  for (size_t at = from->start[i] - from->base; at < end && status == FF_OK; at++) status = emit_word(w, from->word[at]);
  return status;
}

/* Emits the body of a function with the arguments. */
static ff_status put_body(walk *w, const arguments *from, const ff_formula *body) {
  ff_status status = FF_OK;
  for (uint32_t at = 0; at < body->length && status == FF_OK; at++) {
    ff_formula_word word = body->word[at];
    int argument = word.code == FF_F_SYMBOL && word.symbol >= FF_SBML_ARGUMENT;
    status = argument ? put_argument(w, from, word.symbol - FF_SBML_ARGUMENT) : emit_word(w, word);
  }
  return status;
}

static int64_t find_x_or_y(void *context, const char *name, size_t length) {
  (void)context;
  return length == 1 && (name[0] == 'x' || name[0] == 'y') ? (int64_t)FF_SBML_ARGUMENT + (name[0] - 'x') : -1;
}

static ff_status put_text(walk *w, const arguments *from, const char *text) {
  ff_formula body;
  ff_status status = ff_formula_parse(&body, text, strlen(text), find_x_or_y, NULL, (ff_place){NULL, 0}, w->table->err);
  if (status == FF_OK) status = put_body(w, from, &body);
  ff_formula_free(&body);
  return status;
}

/* ---- leaves ---- */

static ff_status emit_name(walk *w, const char *name) {
  if (name == NULL) name = "";
  size_t length = strlen(name);
  int64_t at = w->scope == NULL ? -1 : ff_build_find(w->scope->names, name, length);
  if (at >= 0) return emit_symbol(w, w->scope->first + (uint32_t)at);
  if (w->scope != NULL && w->scope->only)
    return fail(w, FF_EPARSE, "", name, " where an argument of the function was expected");
  at = ff_build_find(&w->table->ids, name, length);
  if (at < 0) return found_unknown(w, name, " where the id of a species, parameter or compartment was expected");
  const ff_sbml_symbol *symbol = &w->table->symbol[at];
  if (symbol->kind == FF_SBML_REACTION)
    return fail(w, FF_EUNSUPPORTED, "the reaction", name, " in a formula, which is not supported");
  if (symbol->kind == FF_SBML_FUNCTION)
    return fail(w, FF_EPARSE, "the function", name, " without arguments where the id of a species, parameter or compartment was "
                "expected");
  ff_status status = emit_symbol(w, (uint32_t)at);
  if (status == FF_OK && symbol->divisor > 0) status = emit_symbol(w, symbol->divisor);
  return status == FF_OK && symbol->divisor > 0 ? emit(w, FF_F_DIV) : status;
}

/* A mantissa and an exponent of 10. The number is the same as if it had been written without <sep/>. */
static ff_status emit_e_notation(walk *w, const ASTNode_t *node) {
  double mantissa = ASTNode_getMantissa(node);
  long exponent = ASTNode_getExponent(node);
  if (!isfinite(mantissa) || exponent > 100000 || exponent < -100000) return emit_number(w, ASTNode_getReal(node));
  return emit_number(w, ff_decimal_scale(mantissa, (int)exponent));
}

/* In Level 1, a formula is text, and libsbml takes names such as pi for constants. */
static int is_hidden(const walk *w, const ASTNode_t *node) {
  const char *name = ASTNode_getName(node);
  if (w->table->level != 1 || name == NULL) return 0;
  return ff_build_find(&w->table->ids, name, strlen(name)) >= 0 ||
         (w->scope != NULL && ff_build_find(w->scope->names, name, strlen(name)) >= 0);
}

/* Emits a node without arguments. *leaf tells whether it is one. */
static ff_status emit_leaf(walk *w, const ASTNode_t *node, int *leaf) {
  ASTNodeType_t type = ASTNode_getType(node);
  *leaf = 1;
  switch (type) {
    case AST_NAME: return emit_name(w, ASTNode_getName(node));
    case AST_NAME_TIME: return emit(w, FF_F_TIME);
    case AST_NAME_AVOGADRO: return emit_number(w, 6.02214179e23);
    case AST_INTEGER: return emit_number(w, (double)ASTNode_getInteger(node));
    case AST_REAL: return emit_number(w, ASTNode_getReal(node));
    case AST_REAL_E: return emit_e_notation(w, node);
    case AST_RATIONAL: return emit_number(w, (double)ASTNode_getNumerator(node) / (double)ASTNode_getDenominator(node));
    case AST_CONSTANT_E:
    case AST_CONSTANT_PI:
    case AST_CONSTANT_TRUE:
    case AST_CONSTANT_FALSE: break;
    default: *leaf = 0; return FF_OK;
  }
  if (is_hidden(w, node)) return emit_name(w, ASTNode_getName(node));
  if (type == AST_CONSTANT_E) return emit_number(w, 2.718281828459045);
  return emit_number(w, type == AST_CONSTANT_PI ? 3.141592653589793 : type == AST_CONSTANT_TRUE);
}

/* ---- functions ---- */

static ff_status read_arguments(const walk *w, const FunctionDefinition_t *definition, ff_build *names) {
  unsigned n = FunctionDefinition_getNumArguments(definition);
  ff_status status = FF_OK;
  for (unsigned i = 0; i < n && status == FF_OK; i++) {
    const ASTNode_t *argument = FunctionDefinition_getArgument(definition, i);
    const char *name = argument == NULL ? NULL : ASTNode_getName(argument);
    uint32_t at;
    int is_new = 1;
    if (name == NULL) return fail(w, FF_EPARSE, "an argument without a name", NULL, " where one with it was expected");
    status = ff_build_node(names, (ff_span){name, strlen(name)}, &at, &is_new);
    if (!is_new) return fail(w, FF_EPARSE, "", name, " where an argument that does not occur before was expected");
  }
  return status;
}

/* Translates the body of a function when it is called for the first time. */
static ff_status compile_function(const walk *caller, uint32_t number) {
  ff_sbml_table *table = caller->table;
  ff_sbml_symbol *function = &table->symbol[number];
  const FunctionDefinition_t *definition = function->element;
  walk w = {.table = table, .place = ff_sbml_place(table, definition)};
  const char *name = table->ids.names[number];
  if (function->state == 2) return FF_OK;
  if (function->state == 1) return fail(&w, FF_EPARSE, "the function", name, ", which calls itself");
  if (table->nesting == MAX_NESTED_FUNCTIONS)
    return fail(&w, FF_ESIZE, "the function", name, ", at which more than 100 functions call each other");
  const ASTNode_t *body = FunctionDefinition_isSetMath(definition) ? FunctionDefinition_getBody(definition) : NULL;
  if (body == NULL) return fail(&w, FF_EPARSE, "the function", name, " without a body where one was expected");
  ff_build names = {.file = table->ids.file, .err = table->err};
  ff_sbml_scope scope = {&names, FF_SBML_ARGUMENT, 1};
  function->state = 1;
  table->nesting++;
  ff_status status = read_arguments(&w, definition, &names);
  if (status == FF_OK) status = ff_sbml_formula(&function->formula, body, table, &scope, w.place.line);
  function->n_arguments = names.n_nodes;
  function->state = 2;
  table->nesting--;
  ff_build_free(&names);
  return status;
}

static ff_status find_function(const walk *w, frame *call) {
  const char *name = ASTNode_getName(call->node);
  if (name == NULL) name = "";
  int64_t at = ff_build_find(&w->table->ids, name, strlen(name));
  if (at < 0 || w->table->symbol[at].kind != FF_SBML_FUNCTION)
    return found_unknown(w, name, " where the name of a function was expected");
  call->function = (uint32_t)at;
  ff_status status = compile_function(w, call->function);
  uint32_t wanted = w->table->symbol[at].n_arguments;
  if (status != FF_OK || wanted == call->n) return status;
  char expected[80];
  snprintf(expected, sizeof expected, " with %u argument%s where %u %s expected", call->n, call->n == 1 ? "" : "s",
           wanted, wanted == 1 ? "was" : "were");
  return fail(w, FF_EPARSE, "a call of", name, expected);
}

/* ---- operations ---- */

/* Called after each argument: joins the value to that of the arguments before it. */
static ff_status join(walk *w, const frame *top) {
  const operation *o = top->operation;
  ff_status status = FF_OK;
  uint32_t last = w->word[w->length - 1].code;
  if (o->shape == XOR && (last < FF_F_LT || last > FF_F_NOT)) { /* a number becomes 0 or 1 first */
    status = emit_number(w, 0.0);
    if (status == FF_OK) status = emit(w, FF_F_NE);
  }
  return status == FF_OK && top->done >= 2 && (o->shape == XOR || o->shape == SERIES) ? emit(w, o->code) : status;
}

static ff_status put_chain(walk *w, const arguments *from, uint32_t code) {
  ff_status status = FF_OK;
  for (unsigned i = 0; i + 1 < from->n && status == FF_OK; i++) {
    status = put_argument(w, from, i);
    if (status == FF_OK) status = put_argument(w, from, i + 1);
    if (status == FF_OK) status = emit(w, code);
    if (status == FF_OK && i > 0) status = emit(w, FF_F_AND);
  }
  return status;
}

/* The arguments are a value and its condition for each piece, and then the value of <otherwise>, if it has one. */
static ff_status put_pieces(walk *w, const arguments *from) {
  ff_status status = FF_OK;
  unsigned pieces = from->n / 2;
  for (unsigned i = 0; i < pieces && status == FF_OK; i++) {
    status = put_argument(w, from, 2 * i + 1);
    if (status == FF_OK) status = put_argument(w, from, 2 * i);
  }
  if (status == FF_OK) status = from->n % 2 == 1 ? put_argument(w, from, from->n - 1) : emit_number(w, ff_math_nan());
  for (unsigned i = 0; i < pieces && status == FF_OK; i++) status = emit(w, FF_F_IF);
  return status;
}

/* A logarithm with a base, or a root with a degree. */
static ff_status put_with_parameter(walk *w, const arguments *from, const operation *o, double parameter) {
  uint32_t code = FF_F_COUNT;
  if (o->shape == ROOT && parameter == 2.0) code = FF_F_SQRT;
  if (o->shape == LOG && parameter == 10.0) code = FF_F_LOG10;
  if (o->shape == LOG && parameter == 2.0) code = FF_F_LOG2;
  if (code == FF_F_COUNT) return put_text(w, from, o->text);
  ff_status status = put_argument(w, from, 1);
  return status == FF_OK ? emit(w, code) : status;
}

static ff_status rearrange(walk *w, const frame *top) {
  const operation *o = top->operation;
  arguments from;
  double parameter = 0.0;
  if ((o->shape == LOG || o->shape == ROOT) && !is_number(w, w->starts[top->starts], w->starts[top->starts + 1], &parameter))
    parameter = 0.0;
  ff_status status = take_arguments(w, top, &from);
  if (status != FF_OK) return status;
  switch (o->shape) {
    case CHAIN: status = put_chain(w, &from, o->code); break;
    case PIECES: status = put_pieces(w, &from); break;
    case TEXT: status = put_text(w, &from, o->text); break;
    case CALL: status = put_body(w, &from, &w->table->symbol[top->function].formula); break;
    default: status = put_with_parameter(w, &from, o, parameter);
  }
  free(from.word);
  return status;
}

static ff_status leave(walk *w) {
  frame top = w->frames[--w->n_frames];
  const operation *o = top.operation;
  double number;
  ff_status status;
  switch (o->shape) {
    case PLAIN: status = emit(w, o->code); break;
    case SERIES:
    case XOR: status = top.n > 0 ? FF_OK : emit_number(w, o->code == FF_F_MUL || o->code == FF_F_AND); break;
    case MINUS:
      if (top.n == 1 && is_number(w, w->starts[top.starts], w->length, &number)) {
        w->word[w->length - 1].number = -number;
        status = FF_OK;
      } else {
        status = emit(w, top.n == 1 ? FF_F_NEG : FF_F_SUB);
      }
      break;
    case LOG:
    case ROOT: status = top.n == 1 ? emit(w, o->code) : rearrange(w, &top); break;
    case CHAIN: status = top.n == 2 ? emit(w, o->code) : rearrange(w, &top); break;
    default: status = rearrange(w, &top);
  }
  w->n_starts = top.starts;
  return status;
}

/* ---- the walk ---- */

static ff_status check_arguments(const walk *w, const operation *o, unsigned n) {
  int exact = o->shape == PLAIN || o->shape == TEXT, two = o->shape == MINUS || o->shape == LOG || o->shape == ROOT;
  if (n < o->arguments || (exact && n != o->arguments)) return found_arguments(w, o->element, n, o->arguments, !exact);
  return two && n > 2 ? found_arguments(w, o->element, n, 2, 0) : FF_OK;
}

static ff_status enter(walk *w, const ASTNode_t *node) {
  int leaf;
  if (node == NULL) return found_element(w, AST_UNKNOWN);
  ff_status status = emit_leaf(w, node, &leaf);
  if (leaf) return status;
  frame new = {.node = node, .n = ASTNode_getNumChildren(node), .starts = w->n_starts};
  ASTNodeType_t type = ASTNode_getType(node);
  for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
    if (operations[i].type == (int)type) new.operation = &operations[i];
  if (new.operation == NULL) return found_element(w, type);
  status = new.operation->shape == CALL ? find_function(w, &new) : check_arguments(w, new.operation, new.n);
  if (status != FF_OK) return status;
  void *memory = w->frames;
  status = ff_grow(&memory, &w->frames_capacity, w->n_frames + 1, sizeof *w->frames, w->table->err);
  w->frames = memory;
  if (status == FF_OK) w->frames[w->n_frames++] = new;
  return status;
}

static ff_status enter_argument(walk *w) {
  void *memory = w->starts;
  ff_status status = ff_grow(&memory, &w->starts_capacity, w->n_starts + 1, sizeof *w->starts, w->table->err);
  w->starts = memory;
  if (status != FF_OK) return status;
  w->starts[w->n_starts++] = w->length;
  frame *top = &w->frames[w->n_frames - 1];
  return enter(w, ASTNode_getChild(top->node, top->done++));
}

ff_formula ff_sbml_formula_of(ff_formula_word *word, size_t length) {
  uint32_t height = 0, depth = 0;
  for (size_t i = 0; i < length; i++) {
    height += 1u - ff_formula_operands(word[i].code);
    if (height > depth) depth = height;
  }
  return (ff_formula){ff_shrink(word, length, sizeof *word), (uint32_t)length, depth};
}

ff_status ff_sbml_formula(ff_formula *out, const ASTNode_t *math, ff_sbml_table *table, const ff_sbml_scope *scope,
                          uint64_t line) {
  walk w = {.table = table, .scope = scope, .place = {table->ids.file, line}};
  *out = (ff_formula){0};
  ff_status status = enter(&w, math);
  while (w.n_frames > 0 && status == FF_OK) {
    frame *top = &w.frames[w.n_frames - 1];
    if (top->done > 0) status = join(&w, top);
    if (status != FF_OK) break;
    status = top->done < top->n ? enter_argument(&w) : leave(&w);
  }
  if (status == FF_OK)
    *out = ff_sbml_formula_of(w.word, w.length);
  else
    free(w.word);
  free(w.frames);
  free(w.starts);
  return status;
}

ff_status ff_sbml_multiply(ff_sbml_table *table, ff_formula *formula, uint32_t compartment) {
  void *memory = formula->word;
  size_t capacity = formula->length, length = formula->length;
  if (compartment == 0) return FF_OK;
  ff_status status = ff_grow(&memory, &capacity, length + 2, sizeof *formula->word, table->err);
  formula->word = memory;
  if (status != FF_OK) return status;
  formula->word[length] = (ff_formula_word){FF_F_SYMBOL, compartment, 0.0};
  formula->word[length + 1] = (ff_formula_word){FF_F_MUL, 0, 0.0};
  *formula = ff_sbml_formula_of(formula->word, length + 2);
  return FF_OK;
}
