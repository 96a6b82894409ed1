/* Translates postfix code to text. As in the parser, the stack is on the heap. */
#include "ff_model_internal.h"

#include <stdlib.h>
#include <string.h>

ff_status ff_string_add(ff_string *string, const char *text, size_t length, ff_error *err) {
  if (length > SIZE_MAX - string->length - 1)
    return ff_error_set(err, FF_ESIZE, "a text needs more memory than can be addressed");
  void *memory = string->text;
  ff_status status = ff_grow(&memory, &string->capacity, string->length + length + 1, 1, err);
  string->text = memory;
  if (status != FF_OK) return status;
  memcpy(string->text + string->length, text, length);
  string->length += length;
  string->text[string->length] = '\0';
  return FF_OK;
}

ff_status ff_string_puts(ff_string *string, const char *text, ff_error *err) {
  return ff_string_add(string, text, strlen(text), err);
}

const char *ff_name_quote(const char *name) {
  if (ff_name_is_plain(name, strlen(name))) return "";
  return strchr(name, '"') == NULL ? "\"" : "`"; /* ff_pbn_finish() accepts no name that contains both */
}

ff_status ff_string_name(ff_string *string, const char *name, ff_error *err) {
  const char *quote = ff_name_quote(name);
  ff_status status = ff_string_puts(string, quote, err);
  if (status == FF_OK) status = ff_string_puts(string, name, err);
  if (status == FF_OK) status = ff_string_puts(string, quote, err);
  return status;
}

enum { OR_LEVEL = 1, XOR_LEVEL, AND_LEVEL, NOT_LEVEL, ATOM_LEVEL };

/* What is still to be written: a piece of text, or the subexpression whose last operation is at `at`. */
typedef struct {
  const char *text; /* the piece of text, or NULL for a subexpression */
  uint32_t at;
  int level; /* a subexpression that binds less tightly than this needs parentheses */
} piece;

typedef struct {
  const ff_expr *expr;
  char *const *names;
  int tables;
  uint32_t *left;  /* for each binary operation: the position of its left operand's last operation */
  uint32_t *start; /* for each operation: where the code of its subexpression starts */
  uint32_t *last; /* for each operation: the position of its last operand's last operation */
  piece *stack;
  size_t height, capacity;
  ff_string out;
  ff_error *err;
} writer;

static ff_status push(writer *w, const char *text, uint32_t at, int level) {
  void *memory = w->stack;
  ff_status status = ff_grow(&memory, &w->capacity, w->height + 1, sizeof *w->stack, w->err);
  w->stack = memory;
  if (status == FF_OK) w->stack[w->height++] = (piece){text, at, level};
  return status;
}

/* Finds the operands of every operation. O(length). */
static ff_status link_operands(writer *w) {
  const ff_expr *expr = w->expr;
  uint32_t *values = ff_calloc(expr->depth, sizeof *values), height = 0;
  if (values == NULL) return ff_error_set(w->err, FF_EMEMORY, "no memory for a stack of %u values", expr->depth);
  for (uint32_t at = 0; at < expr->length; at = ff_expr_next(expr, at)) {
    w->start[at] = at;
    switch (FF_X_CODE(expr->code[at])) {
      case FF_X_NOT:
        w->last[at] = values[--height];
        w->start[at] = w->start[w->last[at]];
        break;
      case FF_X_AND:
      case FF_X_OR:
      case FF_X_XOR:
        w->last[at] = values[--height];
        w->left[at] = values[--height];
        w->start[at] = w->start[w->left[at]];
        break;
      case FF_X_TABLE:
        height -= FF_X_OPERAND(expr->code[at]);
        w->start[at] = values[height];
        break;
      default: break;
    }
    values[height++] = at;
  }
  w->last[expr->length] = values[0]; /* the whole expression */
  free(values);
  return FF_OK;
}

static ff_status write_table(writer *w, uint32_t at) {
  const ff_op *code = w->expr->code;
  uint32_t k = FF_X_OPERAND(code[at]);
  ff_status status = ff_string_puts(&w->out, "f(", w->err);
  for (uint32_t i = 0; i < k && status == FF_OK; i++) {
    if (i > 0) status = ff_string_puts(&w->out, ", ", w->err);
    if (status == FF_OK) status = ff_string_name(&w->out, w->names[FF_X_OPERAND(code[at - k + i])], w->err);
  }
  if (status == FF_OK) status = ff_string_puts(&w->out, "){", w->err);
  for (uint32_t row = 0; row < UINT32_C(1) << k && status == FF_OK; row++)
    status = ff_string_add(&w->out, (code[at + 1 + row / 32] >> (row % 32)) & 1u ? "1" : "0", 1, w->err);
  return status == FF_OK ? ff_string_puts(&w->out, "}", w->err) : status;
}

/* inputs[0] is the least significant input. */
static ff_status write_cube(writer *w, ff_cube cube, const uint32_t *inputs, uint32_t k) {
  ff_status status = FF_OK;
  int first = 1;
  for (uint32_t i = 0; i < k && status == FF_OK; i++) {
    uint32_t bit = 1u << i;
    if ((cube.care & bit) == 0) continue;
    if (!first) status = ff_string_puts(&w->out, " & ", w->err);
    if (status == FF_OK && (cube.value & bit) == 0) status = ff_string_puts(&w->out, "!", w->err);
    if (status == FF_OK) status = ff_string_name(&w->out, w->names[inputs[i]], w->err);
    first = 0;
  }
  return status;
}

static ff_status write_cubes(writer *w, const ff_cube *cubes, size_t n, const uint32_t *inputs, uint32_t k, int level) {
  if (n == 0) return ff_string_puts(&w->out, "0", w->err);
  uint16_t care = cubes[0].care;
  if (n == 1 && care == 0) return ff_string_puts(&w->out, "1", w->err);
  int own = n > 1 ? OR_LEVEL : (care & (care - 1)) != 0 ? AND_LEVEL : NOT_LEVEL;
  ff_status status = own < level ? ff_string_puts(&w->out, "(", w->err) : FF_OK;
  for (size_t i = 0; i < n && status == FF_OK; i++) {
    if (i > 0) status = ff_string_puts(&w->out, " | ", w->err);
    if (status == FF_OK) status = write_cube(w, cubes[i], inputs, k);
  }
  return own < level && status == FF_OK ? ff_string_puts(&w->out, ")", w->err) : status;
}

/* Writes the subexpression that ends with the operation at `at` as a sum of products over the nodes that it names. */
static ff_status write_sum(writer *w, uint32_t at, int level) {
  uint32_t start = w->start[at], *parents, n_parents, *table = NULL;
  ff_expr part = {w->expr->code + start, ff_expr_next(w->expr, at) - start, w->expr->depth};
  ff_cube *cubes = NULL;
  size_t n_cubes = 0;
  ff_status status = ff_expr_parents(&part, &parents, &n_parents, w->err);
  if (status != FF_OK) return status;
  if (n_parents > FF_X_MAX_TABLE)
    status = ff_error_set(w->err, FF_EMODEL, "an exclusive or over %u nodes cannot be written with !, & and | alone (at most %d)",
                          n_parents, FF_X_MAX_TABLE);
  if (status == FF_OK) status = ff_expr_table(&part, parents, n_parents, &table, w->err);
  if (status == FF_OK) status = ff_table_cubes(&cubes, &n_cubes, table, n_parents, w->err);
  if (status == FF_OK) status = write_cubes(w, cubes, n_cubes, parents, n_parents, level);
  free(parents);
  free(table);
  free(cubes);
  return status;
}

/* Writes the start of the operation at `at` and pushes what follows it, the last piece first. One case for each operation. */
static ff_status write_operation(writer *w, uint32_t at, int level) {
  ff_op op = w->expr->code[at];
  uint32_t code = FF_X_CODE(op);
  int own;
  const char *sign;
  switch (code) {
    case FF_X_CONST: return ff_string_puts(&w->out, FF_X_OPERAND(op) ? "1" : "0", w->err);
    case FF_X_VAR: return ff_string_name(&w->out, w->names[FF_X_OPERAND(op)], w->err);
    case FF_X_TABLE: return w->tables ? write_table(w, at) : write_sum(w, at, level);
    case FF_X_NOT: {
      uint32_t below = w->last[at], negated = FF_X_CODE(w->expr->code[below]);
      if (!w->tables && negated == FF_X_NOT) return push(w, NULL, w->last[below], level);
      if (!w->tables && (negated == FF_X_TABLE || negated == FF_X_XOR)) return write_sum(w, at, level);
      ff_status status = ff_string_puts(&w->out, "!", w->err);
      return status == FF_OK ? push(w, NULL, below, NOT_LEVEL) : status;
    }
    case FF_X_AND: own = AND_LEVEL; sign = " & "; break;
    case FF_X_XOR:
      if (!w->tables) return write_sum(w, at, level);
      own = XOR_LEVEL;
      sign = " ^ ";
      break;
    default: own = OR_LEVEL; sign = " | ";
  }
  ff_status status = FF_OK;
  if (own < level) {
    status = ff_string_puts(&w->out, "(", w->err);
    if (status == FF_OK) status = push(w, ")", 0, 0);
  }
  if (status == FF_OK) status = push(w, NULL, w->last[at], own + 1); /* operators group to the left */
  if (status == FF_OK) status = push(w, sign, 0, 0);
  if (status == FF_OK) status = push(w, NULL, w->left[at], own);
  return status;
}

ff_status ff_expr_text(char **out, const ff_expr *expr, char *const *names, int tables, ff_error *err) {
  *out = NULL;
  if (expr->length == 0) return ff_error_set(err, FF_EINTERNAL, "an expression is empty");
  writer w = {.expr = expr, .names = names, .tables = tables, .err = err};
  w.left = ff_calloc(expr->length, sizeof *w.left);
  w.start = ff_calloc(expr->length, sizeof *w.start);
  w.last = ff_calloc((size_t)expr->length + 1, sizeof *w.last);
  ff_status status = w.left == NULL || w.start == NULL || w.last == NULL
                         ? ff_error_set(err, FF_EMEMORY, "no memory for the text of %u words", expr->length)
                         : link_operands(&w);
  if (status == FF_OK) status = push(&w, NULL, w.last[expr->length], OR_LEVEL);
  while (status == FF_OK && w.height > 0) {
    piece p = w.stack[--w.height];
    status = p.text != NULL ? ff_string_puts(&w.out, p.text, err) : write_operation(&w, p.at, p.level);
  }
  free(w.left);
  free(w.start);
  free(w.last);
  free(w.stack);
  if (status != FF_OK) {
    free(w.out.text);
    return status;
  }
  *out = w.out.text;
  return FF_OK;
}
