/* Translates MathML, as libsbml's syntax trees, to postfix code. The traversal has its own stack and does not recurse. */
#include "ff_io_sbml_math.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const ASTNode_t *node;
  size_t start[2]; /* where the code of the first and of the second argument starts */
  unsigned done;   /* number of arguments that have been entered */
} frame;

typedef struct {
  ff_sbml_code *code;
  ff_build *build;
  Transition_t *transition;
  ff_place place;
  frame *frames;
  size_t n_frames, capacity;
} walk;

static const char wanted[] =
    "and, or, not, xor, eq, neq, geq, gt, leq, lt, true, false, 0, 1, the id of a species or of an input with a thresholdLevel";

/* ---- errors ---- */

static ff_status found_element(const walk *w, const ASTNode_t *node) {
  static const struct {
    ASTNodeType_t type;
    const char *name;
  } names[] = {{AST_PLUS, "plus"},
               {AST_MINUS, "minus"},
               {AST_TIMES, "times"},
               {AST_DIVIDE, "divide"},
               {AST_POWER, "power"},
               {AST_FUNCTION_POWER, "power"},
               {AST_FUNCTION_PIECEWISE, "piecewise"},
               {AST_REAL, "cn"},
               {AST_REAL_E, "cn"},
               {AST_RATIONAL, "cn"},
               {AST_LAMBDA, "lambda"},
               {AST_NAME_TIME, "csymbol"},
               {AST_NAME_AVOGADRO, "csymbol"},
               {AST_FUNCTION_DELAY, "csymbol"},
               {AST_CONSTANT_E, "exponentiale"},
               {AST_CONSTANT_PI, "pi"}};
  ASTNodeType_t type = ASTNode_getType(node);
  const char *name = ASTNode_getName(node);
  char shown[100];
  if (type == AST_FUNCTION && name != NULL) {
    ff_quoted quoted = ff_quote(name, strlen(name));
    return ff_error_set(w->build->err, FF_EPARSE, "%s, line %llu: found a call of %s where %s was expected", w->place.file,
                        (unsigned long long)w->place.line, quoted.text, wanted);
  }
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (names[i].type == type) name = names[i].name;
  if (name == NULL)
    return ff_error_set(w->build->err, FF_EPARSE, "%s, line %llu: found %s where %s was expected", w->place.file,
                        (unsigned long long)w->place.line,
                        type == AST_UNKNOWN ? "a <math> without content" : "MathML of another kind", wanted);
  snprintf(shown, sizeof shown, "<%.90s>", name);
  return ff_io_found(w->build->err, w->place, (ff_span){shown, strlen(shown)}, wanted);
}

static ff_status found_number(const walk *w, double value) {
  return ff_io_found(w->build->err, w->place, ff_span_of(ff_show(value, 15).text), "the level 0 or 1");
}

static ff_status found_arguments(const walk *w, const char *element, unsigned found, const char *expected) {
  return ff_error_set(w->build->err, FF_EPARSE, "%s, line %llu: found <%s> with %u argument%s where %s was expected",
                      w->place.file, (unsigned long long)w->place.line, element, found, found == 1 ? "" : "s", expected);
}

/* ---- leaves ---- */

static ff_status emit_constant(const walk *w, int value) { return ff_sbml_emit(w->code, FF_X_OP(FF_X_CONST, value)); }

static ff_status emit_number(const walk *w, double value) {
  return value == 0.0 || value == 1.0 ? emit_constant(w, value == 1.0) : found_number(w, value);
}

static ff_status emit_name(const walk *w, const char *name) {
  static const char expected[] = "the id of a species, or of an input with a thresholdLevel";
  if (name == NULL) name = "";
  int64_t node = ff_build_find(w->build, name, strlen(name));
  if (node >= 0) return ff_sbml_emit(w->code, FF_X_OP(FF_X_VAR, node));
  Input_t *input = name[0] == '\0' ? NULL : (Input_t *)Transition_getInputById(w->transition, name);
  if (input == NULL || !Input_isSetThresholdLevel(input)) {
    ff_span span = {name, strlen(name)};
    ff_status status = ff_io_found(w->build->err, w->place, span, expected);
    return input == NULL ? ff_build_suggest(w->build, span, status) : status;
  }
  return emit_number(w, Input_getThresholdLevel(input));
}

/* ---- operations ---- */

typedef struct {
  const char *element;
  uint32_t op;    /* for and, or and xor; 0 for the others */
  unsigned truth; /* for a comparison: bit 2a + b is its value for a and b; 0 for the others */
} operation;

static int find_operation(ASTNodeType_t type, operation *found) {
  switch (type) {
    case AST_LOGICAL_AND: *found = (operation){"and", FF_X_AND, 0}; return 1;
    case AST_LOGICAL_OR: *found = (operation){"or", FF_X_OR, 0}; return 1;
    case AST_LOGICAL_XOR: *found = (operation){"xor", FF_X_XOR, 0}; return 1;
    case AST_LOGICAL_NOT: *found = (operation){"not", 0, 0}; return 1;
    case AST_RELATIONAL_EQ: *found = (operation){"eq", 0, 9}; return 1;
    case AST_RELATIONAL_NEQ: *found = (operation){"neq", 0, 6}; return 1;
    case AST_RELATIONAL_GEQ: *found = (operation){"geq", 0, 13}; return 1;
    case AST_RELATIONAL_GT: *found = (operation){"gt", 0, 4}; return 1;
    case AST_RELATIONAL_LEQ: *found = (operation){"leq", 0, 11}; return 1;
    case AST_RELATIONAL_LT: *found = (operation){"lt", 0, 2}; return 1;
    default: return 0;
  }
}

/* 1 if the code from `from` to `to` is a constant. */
static int is_constant(const walk *w, size_t from, size_t to) {
  return to - from == 1 && FF_X_CODE(w->code->code[from]) == FF_X_CONST;
}

/* Applies a function of one variable to the code from `from` on: if that code has the value x, the result is bit x of
 * `truth`. */
static ff_status emit_unary(const walk *w, size_t from, unsigned truth) {
  ff_sbml_code *code = w->code;
  if (is_constant(w, from, code->length)) {
    code->code[from] = FF_X_OP(FF_X_CONST, truth >> FF_X_OPERAND(code->code[from]) & 1u);
    return FF_OK;
  }
  if (truth == 2) return FF_OK;
  if (truth == 1) return ff_sbml_emit(code, FF_X_OP(FF_X_NOT, 0));
  code->length = from;
  return emit_constant(w, truth == 3);
}

static ff_status emit_comparison(const walk *w, const frame *top, unsigned truth) {
  ff_sbml_code *code = w->code;
  size_t first = top->start[0], second = top->start[1];
  if (is_constant(w, second, code->length)) {
    unsigned b = FF_X_OPERAND(code->code[second]);
    code->length = second;
    return emit_unary(w, first, (truth >> b & 1u) | (truth >> (2 + b) & 1u) << 1);
  }
  if (is_constant(w, first, second)) {
    unsigned a = FF_X_OPERAND(code->code[first]);
    memmove(code->code + first, code->code + second, (code->length - second) * sizeof *code->code);
    code->length -= second - first;
    return emit_unary(w, first, truth >> 2 * a & 3u);
  }
  static const ff_op eq[] = {FF_X_XOR, FF_X_NOT}, neq[] = {FF_X_XOR}, geq[] = {FF_X_NOT, FF_X_OR}, gt[] = {FF_X_NOT, FF_X_AND},
                     leq[] = {FF_X_NOT, FF_X_AND, FF_X_NOT}, lt[] = {FF_X_NOT, FF_X_OR, FF_X_NOT};
  const ff_op *ops = truth == 9 ? eq : truth == 6 ? neq : truth == 13 ? geq : truth == 4 ? gt : truth == 11 ? leq : lt;
  size_t n = truth == 6 ? 1 : truth == 11 || truth == 2 ? 3 : 2;
  ff_status status = FF_OK;
  for (size_t i = 0; i < n && status == FF_OK; i++) status = ff_sbml_emit(code, FF_X_OP(ops[i], 0));
  return status;
}

/* ---- the walk ---- */

static ff_status check_arguments(const walk *w, const ASTNode_t *node, const operation *o) {
  unsigned n = ASTNode_getNumChildren(node);
  if (o->truth != 0) return n == 2 ? FF_OK : found_arguments(w, o->element, n, "a comparison of two");
  return n == 1 || o->op != 0 ? FF_OK : found_arguments(w, o->element, n, "one argument");
}

static ff_status enter(walk *w, const ASTNode_t *node) {
  operation o;
  if (node == NULL) return ff_io_found(w->build->err, w->place, (ff_span){"", 0}, wanted);
  ASTNodeType_t type = ASTNode_getType(node);
  switch (type) {
    case AST_NAME: return emit_name(w, ASTNode_getName(node));
    case AST_CONSTANT_TRUE: return emit_constant(w, 1);
    case AST_CONSTANT_FALSE: return emit_constant(w, 0);
    case AST_INTEGER: return emit_number(w, (double)ASTNode_getInteger(node));
    case AST_REAL: return emit_number(w, ASTNode_getReal(node));
    default: break;
  }
  if (!find_operation(type, &o)) return found_element(w, node);
  ff_status status = check_arguments(w, node, &o);
  if (status != FF_OK) return status;
  void *memory = w->frames;
  status = ff_grow(&memory, &w->capacity, w->n_frames + 1, sizeof *w->frames, w->build->err);
  w->frames = memory;
  if (status == FF_OK) w->frames[w->n_frames++] = (frame){.node = node};
  return status;
}

/* Called before each argument and at the end. For and, or and xor, emits the operation that joins the last argument to the
 * previous ones. */
static ff_status join(const walk *w, const frame *top, const operation *o) {
  return o->op != 0 && top->done >= 2 ? ff_sbml_emit(w->code, FF_X_OP(o->op, 0)) : FF_OK;
}

static ff_status leave(walk *w, const operation *o) {
  const frame top = w->frames[--w->n_frames];
  if (o->truth != 0) return emit_comparison(w, &top, o->truth);
  if (o->op == 0) return ff_sbml_emit(w->code, FF_X_OP(FF_X_NOT, 0));
  return top.done == 0 ? emit_constant(w, o->op == FF_X_AND) : FF_OK;
}

ff_status ff_sbml_math(ff_sbml_code *code, const ASTNode_t *math, ff_build *build, Transition_t *transition, uint64_t line) {
  walk w = {.code = code, .build = build, .transition = transition, .place = {build->file, line}};
  ff_status status = enter(&w, math);
  while (w.n_frames > 0 && status == FF_OK) {
    frame *top = &w.frames[w.n_frames - 1];
    operation o;
    find_operation(ASTNode_getType(top->node), &o);
    status = join(&w, top, &o);
    if (status != FF_OK) break;
    if (top->done < ASTNode_getNumChildren(top->node)) {
      if (top->done < 2) top->start[top->done] = code->length;
      status = enter(&w, ASTNode_getChild(top->node, top->done++));
    } else {
      status = leave(&w, &o);
    }
  }
  free(w.frames);
  return status;
}
