/* Constants of a Petri net that is read, and their sets of values. */
#include "ff_io_candl_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ff_status ff_candl_constant(ff_candl *candl, ff_span type, ff_span name, ff_span value, ff_place place) {
  const int real = ff_span_equals(type, "double"), whole = ff_span_equals(type, "int") || ff_span_equals(type, "bool");
  if (ff_span_equals(type, "string"))
    return ff_error_set(candl->err, FF_EUNSUPPORTED, "%s, line %llu: the constant %s is a text; int, double and bool are read",
                        place.file, (unsigned long long)place.line, ff_quote(name.text, name.length).text);
  if (!real && !whole) return ff_io_found(candl->err, place, type, "the type int, double or bool of a constant");
  if (value.length == 0) return ff_io_found(candl->err, place, value, "the value of a constant");
  ff_status status = ff_candl_declare(candl, &candl->symbols, FF_CANDL_CONSTANT, (uint32_t)candl->n_values, name,
                                      "the name of a constant", place);
  if (status != FF_OK) return status;
  const char *kept_name = ff_candl_keep(candl, name), *text = kept_name == NULL ? NULL : ff_candl_keep(candl, value);
  if (text == NULL) return FF_EMEMORY;
  void *memory = candl->value;
  status = ff_grow(&memory, &candl->values_capacity, candl->n_values + 1, sizeof *candl->value, candl->err);
  candl->value = memory;
  if (status != FF_OK) return status;
  candl->value[candl->n_values++] = (ff_candl_value){.name = {kept_name, name.length}, .text = {text, value.length},
                                                     .place = place, .whole = whole};
  return FF_OK;
}

/* The value of an operation of whole numbers, which / rounds towards 0. *whole says if both operands are whole. */
static double operate(const ff_formula_word *word, double a, double b, int whole) {
  if (word->code == FF_F_DIV && whole) return b == 0 ? (double)NAN : trunc(a / b);
  ff_formula_word code[3] = {{FF_F_NUMBER, 0, a}, {FF_F_NUMBER, 0, b}, *word};
  double stack[2];
  return ff_formula_value(&(ff_formula){code, 3, 2}, NULL, 0, stack);
}

/* The value of an int: / of whole numbers rounds towards 0. Other operations are those of formulas. */
static ff_status whole_value(ff_candl *candl, const ff_formula *formula, const double *value, double *result) {
  double *stack = ff_calloc((size_t)formula->depth + 1, sizeof *stack);
  uint8_t *whole = ff_calloc((size_t)formula->depth + 1, 1);
  uint32_t top = 0;
  for (uint32_t i = 0; i < formula->length && stack != NULL && whole != NULL; i++) {
    const ff_formula_word *word = &formula->word[i];
    static const uint8_t operands[] = {
#define FF_X(code, n, text) n,
        FF_FORMULA_LIST(FF_X)
#undef FF_X
    };
    const uint32_t n = operands[word->code];
    top -= n;
    if (n == 2) {
      whole[top] = whole[top] && whole[top + 1];
      stack[top] = operate(word, stack[top], stack[top + 1], whole[top]);
    } else {
      ff_formula_word code[4] = {{FF_F_NUMBER, 0, stack[top]}, {FF_F_NUMBER, 0, 0}, {FF_F_NUMBER, 0, 0}, *word};
      for (uint32_t k = 1; k < n; k++) code[k].number = stack[top + k];
      double inner[4];
      code[n] = *word;
      stack[top] = ff_formula_value(&(ff_formula){code, n + 1, 4}, value, 0, inner);
      whole[top] = 1;
    }
    whole[top] = whole[top] && stack[top] == floor(stack[top]);
    top++;
  }
  const int memory = stack != NULL && whole != NULL;
  if (memory) *result = stack[0];
  free(stack);
  free(whole);
  return memory ? FF_OK : ff_candl_no_memory(candl);
}

/* The constants that a formula may name; also before they have values. */
static int64_t find_constant(void *context, const char *name, size_t length) {
  ff_candl *candl = context;
  const int64_t id = ff_build_find(&candl->symbols.ids, name, length);
  return id >= 0 && candl->symbols.kind[id] == FF_CANDL_CONSTANT ? (int64_t)candl->symbols.number[id] : -1;
}

static ff_status parse_value(ff_candl *candl, ff_candl_value *constant) {
  char *text;
  ff_status status = ff_candl_number(candl, &text, constant->text, FF_CANDL_ONLY_CONSTANTS, constant->place);
  if (status != FF_OK) return status;
  status = ff_formula_parse(&constant->formula, text, strlen(text), find_constant, candl, constant->place, candl->err);
  free(text);
  return status;
}

ff_status ff_candl_value_of(ff_candl *candl, double *value, ff_span text, ff_place place) {
  ff_error *err = candl->err;
  ff_formula formula = {0};
  char *translated = NULL;
  double *stack = NULL;
  if (ff_span_number(text, value)) return FF_OK;
  *value = NAN;
  candl->err = NULL; /* that a text is no constant is no error here */
  ff_status status = ff_candl_number(candl, &translated, text, FF_CANDL_ONLY_CONSTANTS, place);
  if (status == FF_OK) status = ff_formula_parse(&formula, translated, strlen(translated), find_constant, candl, place, NULL);
  candl->err = err;
  free(translated);
  if (status == FF_OK && (stack = ff_calloc((size_t)formula.depth + 1, sizeof *stack)) == NULL) status = FF_EMEMORY;
  if (status == FF_OK) *value = ff_formula_value(&formula, candl->net->value, 0, stack);
  free(stack);
  ff_formula_free(&formula);
  return status == FF_EMEMORY ? ff_candl_no_memory(candl) : FF_OK;
}

/* The value that the options give; 0 if they give none. */
static int given_value(const ff_candl *candl, ff_span name, double *value) {
  for (uint32_t i = 0; candl->options != NULL && i < candl->options->n_constants; i++) {
    *value = candl->options->value[i];
    if (ff_span_equals(name, candl->options->constant[i])) return 1;
  }
  return 0;
}

/* Computes a constant whose operands have been computed. */
static ff_status compute(ff_candl *candl, ff_candl_value *c, double *value) {
  const char *name = c->name.text;
  const int given = given_value(candl, c->name, &c->value);
  ff_status status = FF_OK;
  if (!given && c->whole) {
    status = whole_value(candl, &c->formula, value, &c->value);
  } else if (!given) {
    double *stack = ff_calloc((size_t)c->formula.depth + 1, sizeof *stack);
    if (stack == NULL) return ff_candl_no_memory(candl);
    c->value = ff_formula_value(&c->formula, value, 0, stack);
    free(stack);
  }
  if (status != FF_OK) return status;
  c->state = 2;
  value[c - candl->value] = c->value;
  if (!isfinite(c->value) || (c->whole && c->value != floor(c->value)))
    return ff_error_set(candl->err, given ? FF_EARGUMENT : FF_EMODEL, "%s, line %llu: the constant \"%s\" is %s; %s was expected",
                        c->place.file, (unsigned long long)c->place.line, name, ff_show(c->value, 6).text,
                        c->whole ? "a whole number" : "a finite number");
  return FF_OK;
}

/* Computes constants in an order in which each comes after those that it names. `stack` has room for all of them. */
static ff_status compute_in_order(ff_candl *candl, size_t first, size_t *stack, uint32_t *at, double *value) {
  size_t n = 1;
  stack[0] = first;
  candl->value[first].state = 1;
  at[first] = 0;
  ff_status status = FF_OK;
  while (n > 0 && status == FF_OK) {
    ff_candl_value *c = &candl->value[stack[n - 1]];
    uint32_t *i = &at[stack[n - 1]];
    double ignored;
    if (given_value(candl, c->name, &ignored)) *i = c->formula.length;
    while (*i < c->formula.length &&
           (c->formula.word[*i].code != FF_F_SYMBOL || candl->value[c->formula.word[*i].symbol].state == 2))
      ++*i;
    if (*i == c->formula.length) {
      status = compute(candl, c, value);
      n--;
      continue;
    }
    const size_t next = c->formula.word[*i].symbol;
    if (candl->value[next].state == 1)
      return ff_error_set(candl->err, FF_EMODEL, "%s, line %llu: the value of the constant \"%s\" depends on itself",
                          c->place.file, (unsigned long long)c->place.line, candl->value[next].name.text);
    candl->value[next].state = 1;
    at[next] = 0;
    stack[n++] = next;
  }
  return status;
}

/* Lets the net keep the formula of a constant, unless it is a number, or the options give another one, or a comment or the end of
 * a line is within it. */
static ff_status keep_definition(ff_candl *candl, uint32_t parameter, const ff_candl_value *c) {
  double number;
  const size_t size = c->text.length + sizeof "double ";
  if (ff_span_number(c->text, &number) || given_value(candl, c->name, &number)) return FF_OK;
  char *text = ff_calloc(size, 1);
  if (text == NULL) return ff_candl_no_memory(candl);
  snprintf(text, size, "%s %.*s", c->whole ? "int" : "double", (int)c->text.length, c->text.text);
  ff_status status = FF_OK;
  if (strpbrk(text, "\r\n") == NULL && strstr(text, "//") == NULL && strstr(text, "/*") == NULL)
    status = ff_petri_define_parameter(candl->net, parameter, text, candl->err);
  free(text);
  return status;
}

ff_status ff_candl_constants_done(ff_candl *candl, ff_place place) {
  ff_status status = FF_OK;
  for (size_t i = 0; i < candl->n_values && status == FF_OK; i++) status = parse_value(candl, &candl->value[i]);
  if (status != FF_OK) return status;
  for (uint32_t i = 0; candl->options != NULL && i < candl->options->n_constants; i++) {
    const char *name = candl->options->constant[i];
    if (find_constant(candl, name, strlen(name)) >= 0) continue;
    const char *near = ff_name_near(candl->symbols.ids.names, candl->symbols.ids.n_nodes, name, strlen(name));
    return ff_error_set(candl->err, FF_EARGUMENT, "%s has no constant %s, for which a value was given%s", place.file,
                        ff_quote(name, strlen(name)).text, ff_hint_of(near).text);
  }
  size_t *stack = ff_calloc(candl->n_values + 1, sizeof *stack);
  uint32_t *at = ff_calloc(candl->n_values + 1, sizeof *at);
  double *value = ff_calloc(candl->n_values + 1, sizeof *value);
  if (stack == NULL || at == NULL || value == NULL) status = ff_candl_no_memory(candl);
  for (size_t i = 0; i < candl->n_values && status == FF_OK; i++)
    if (candl->value[i].state == 0) status = compute_in_order(candl, i, stack, at, value);
  for (size_t i = 0; i < candl->n_values && status == FF_OK; i++) {
    status = ff_petri_add_parameter(candl->net, candl->value[i].name.text, candl->value[i].value, candl->err);
    if (status == FF_OK) status = keep_definition(candl, candl->net->n_parameters - 1, &candl->value[i]);
  }
  free(stack);
  free(at);
  free(value);
  return status;
}

ff_status ff_candl_valueset(ff_candl *candl, const ff_span *name, uint32_t n, uint32_t *chosen, ff_place place) {
  const char *wanted = candl->options == NULL ? NULL : candl->options->valueset;
  *chosen = 0;
  if (wanted == NULL) return FF_OK;
  for (uint32_t i = 0; i < n; i++) {
    *chosen = i;
    if (ff_span_equals(name[i], wanted)) return FF_OK;
  }
  ff_out out = {.err = NULL};
  for (uint32_t i = 0; i < n; i++) {
    ff_out_puts(&out, i == 0 ? "it has " : ", ");
    ff_out_puts(&out, ff_quote(name[i].text, name[i].length).text);
  }
  if (n == 0) ff_out_puts(&out, "it has none");
  char *all;
  if (ff_out_finish(&out, &all) != FF_OK) return ff_candl_no_memory(candl);
  const ff_status status = ff_error_set(candl->err, FF_EARGUMENT, "%s has no set of values %s; %s", place.file,
                                        ff_quote(wanted, strlen(wanted)).text, all);
  free(all);
  return status;
}
