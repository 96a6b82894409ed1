/* Coloured hybrid Petri nets, to text in R's grammar. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_decimal.h"
#include "../ff_formula_code.h"
#include "ff_petri_internal.h"

/* Passes a text on, or frees it after a failure. */
static ff_status finish(char **out, ff_string *text, ff_status status) {
  if (status == FF_OK)
    *out = text->text;
  else
    free(text->text);
  return status;
}

/* ---- elements and formulas ---------------------------------------------------------------------------------------- */

static ff_status add_colours(ff_string *to, const ff_petri *net, const ff_petri_element *element, ff_error *err) {
  const ff_colour_scope scope = ff_petri_scope(net);
  ff_status status = FF_OK;
  for (uint32_t k = 0; k < element->width && status == FF_OK; k++) {
    char *text = NULL;
    status = ff_string_puts(to, k == 0 ? "[" : ",", err);
    if (status == FF_OK) status = ff_colour_text(&text, &element->colour[k], FF_COLOUR_R, &scope, err);
    if (status == FF_OK) status = ff_string_puts(to, text, err);
    free(text);
  }
  return status == FF_OK && element->width > 0 ? ff_string_puts(to, "]", err) : status;
}

static ff_status add_element(ff_string *to, const ff_petri *net, const ff_petri_element *element, ff_error *err) {
  ff_status status = element->all ? ff_string_puts(to, "sum(", err) : FF_OK;
  if (status == FF_OK) status = ff_formula_add_name(to, net->place[element->place].name, err);
  if (status == FF_OK) status = add_colours(to, net, element, err);
  return status == FF_OK && element->all ? ff_string_puts(to, ")", err) : status;
}

ff_status ff_petri_element_text(char **out, const ff_petri *net, const ff_petri_element *element, ff_error *err) {
  ff_string text = {0};
  *out = NULL;
  return finish(out, &text, add_element(&text, net, element, err));
}

/* An index as a formula names it: x, or component k of a tuple, c[2]. */
static ff_status add_component(ff_string *to, const ff_petri *net, uint32_t component, ff_error *err) {
  uint32_t i = net->n_indices - 1;
  char text[16];
  while (net->index[i].first > component) i--;
  ff_status status = ff_formula_add_name(to, net->index[i].name, err);
  if (status != FF_OK || ff_petri_set_width(net, net->index[i].set) == 1) return status;
  snprintf(text, sizeof text, "[%u]", component - net->index[i].first + 1);
  return ff_string_puts(to, text, err);
}

/* The text of a formula that names these elements. */
static ff_status formula_text(char **out, const ff_petri *net, const ff_formula *formula, const ff_petri_element *element,
                              uint32_t n_elements, ff_error *err) {
  const uint32_t first = net->n_parameters + net->n_variables, first_element = ff_petri_first_element(net);
  const size_t n = (size_t)first_element + n_elements;
  char **names = ff_calloc(n, sizeof *names);
  ff_status status = FF_OK;
  *out = NULL;
  if (names == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %zu names", n);
  for (uint32_t i = 0; i < formula->length && status == FF_OK; i++) {
    const uint32_t symbol = formula->word[i].symbol;
    ff_string text = {0};
    if (formula->word[i].code != FF_F_SYMBOL || names[symbol] != NULL) continue;
    if (symbol < net->n_parameters) {
      names[symbol] = net->parameter[symbol];
    } else if (symbol < first) {
      names[symbol] = net->variable[symbol - net->n_parameters].name;
    } else {
      status = symbol < first_element ? add_component(&text, net, symbol - first, err)
                                      : add_element(&text, net, &element[symbol - first_element], err);
      names[symbol] = text.text;
    }
  }
  if (status == FF_OK) status = ff_formula_text_elements(out, formula, names, first, err);
  for (size_t i = first; i < n; i++) free(names[i]);
  free(names);
  return status;
}

/* ---- arcs --------------------------------------------------------------------------------------------------------- */

/* Adds a weight, within parentheses if they are needed or if `wrap` tells so. */
static ff_status add_weight(ff_string *to, const ff_petri *net, const ff_petri_transition *t, const ff_formula *weight, int wrap,
                            ff_error *err) {
  const uint32_t last = weight->length > 0 ? weight->word[weight->length - 1].code : FF_F_NUMBER;
  char *text = NULL;
  if (weight->length == 0) return ff_string_puts(to, "1", err);
  if (last >= FF_F_LT && last <= FF_F_NOT) wrap = 1;
  ff_status status = formula_text(&text, net, weight, t->element, t->n_elements, err);
  if (status == FF_OK && wrap) status = ff_string_puts(to, "(", err);
  if (status == FF_OK) status = ff_string_puts(to, text, err);
  if (status == FF_OK && wrap) status = ff_string_puts(to, ")", err);
  free(text);
  return status;
}

ff_status ff_petri_weight_text(char **out, const ff_petri *net, uint32_t transition, uint32_t arc, ff_error *err) {
  const ff_petri_transition *t = &net->transition[transition];
  *out = NULL;
  return t->arc[arc].weight.length == 0 ? FF_OK
                                        : formula_text(out, net, &t->arc[arc].weight, t->element, t->n_elements, err);
}

static ff_status add_side(ff_string *to, const ff_petri *net, const ff_petri_transition *t, ff_petri_arc_kind kind,
                          ff_error *err) {
  ff_status status = FF_OK;
  int any = 0;
  for (uint32_t i = 0; i < t->n_arcs && status == FF_OK; i++) {
    const ff_petri_arc *arc = &t->arc[i];
    double number = 0.0;
    if (arc->kind != kind) continue;
    if (any) status = ff_string_puts(to, " + ", err);
    any = 1;
    const int plain = ff_petri_weight(&arc->weight, &number) && number > 0.0 && isfinite(number);
    if (status == FF_OK && arc->weight.length > 0) status = add_weight(to, net, t, &arc->weight, !plain, err);
    if (status == FF_OK && arc->weight.length > 0) status = ff_string_puts(to, " ", err);
    if (status == FF_OK) status = add_element(to, net, &t->element[arc->element], err);
  }
  return status == FF_OK && !any ? ff_string_puts(to, "0", err) : status;
}

ff_status ff_petri_equation_text(char **out, const ff_petri *net, uint32_t transition, ff_error *err) {
  const ff_petri_transition *t = &net->transition[transition];
  ff_string text = {0};
  *out = NULL;
  ff_status status = add_side(&text, net, t, FF_ARC_IN, err);
  if (status == FF_OK) status = ff_string_puts(&text, " -> ", err);
  if (status == FF_OK) status = add_side(&text, net, t, FF_ARC_OUT, err);
  return finish(out, &text, status);
}

ff_status ff_petri_tests_text(char **out, const ff_petri *net, uint32_t transition, ff_error *err) {
  const ff_petri_transition *t = &net->transition[transition];
  ff_string text = {0};
  ff_status status = FF_OK;
  *out = NULL;
  for (uint32_t i = 0; i < t->n_arcs && status == FF_OK; i++) {
    const ff_petri_arc *arc = &t->arc[i];
    const char *operator = arc->kind == FF_ARC_READ ? " >= " : arc->kind == FF_ARC_INHIBITOR ? " < " : " == ";
    double number;
    if (arc->kind != FF_ARC_READ && arc->kind != FF_ARC_INHIBITOR && arc->kind != FF_ARC_EQUAL) continue;
    if (arc->kind == FF_ARC_INHIBITOR && ff_petri_weight(&arc->weight, &number) && number == 0) continue; /* it is no bound */
    if (text.length > 0) status = ff_string_puts(&text, " & ", err);
    if (status == FF_OK) status = add_element(&text, net, &t->element[arc->element], err);
    if (status == FF_OK) status = ff_string_puts(&text, operator, err);
    if (status == FF_OK) status = add_weight(&text, net, t, &arc->weight, 0, err);
  }
  return finish(out, &text, status);
}

ff_status ff_petri_resets_text(char **out, const ff_petri *net, uint32_t transition, ff_error *err) {
  const ff_petri_transition *t = &net->transition[transition];
  ff_string text = {0};
  ff_status status = FF_OK;
  *out = NULL;
  for (uint32_t i = 0; i < t->n_arcs && status == FF_OK; i++) {
    if (t->arc[i].kind != FF_ARC_RESET) continue;
    if (text.length > 0) status = ff_string_puts(&text, ", ", err);
    if (status == FF_OK) status = add_element(&text, net, &t->element[t->arc[i].element], err);
  }
  return finish(out, &text, status);
}

/* ---- the other texts ---------------------------------------------------------------------------------------------- */

static ff_status colour_text(char **out, const ff_petri *net, const ff_colour_expr *expr, ff_error *err) {
  const ff_colour_scope scope = ff_petri_scope(net);
  *out = NULL;
  return expr->length == 0 ? FF_OK : ff_colour_text(out, expr, FF_COLOUR_R, &scope, err);
}

ff_status ff_petri_guard_text(char **out, const ff_petri *net, uint32_t transition, ff_error *err) {
  return colour_text(out, net, &net->transition[transition].guard, err);
}

ff_status ff_petri_number_text(char **out, const ff_petri *net, uint32_t transition, uint32_t piece, ff_error *err) {
  const ff_petri_transition *t = &net->transition[transition];
  return formula_text(out, net, &t->piece[piece].value, t->element, t->n_elements, err);
}

ff_status ff_petri_when_text(char **out, const ff_petri *net, uint32_t transition, uint32_t piece, ff_error *err) {
  return colour_text(out, net, &net->transition[transition].piece[piece].when, err);
}

ff_status ff_petri_at_text(char **out, const ff_petri *net, uint32_t transition, int which, ff_error *err) {
  const ff_formula *at = &net->transition[transition].at[which];
  *out = NULL;
  return at->length == 0 ? FF_OK : formula_text(out, net, at, NULL, 0, err);
}

ff_status ff_petri_variable_value_text(char **out, const ff_petri *net, uint32_t variable, ff_error *err) {
  const ff_petri_variable *v = &net->variable[variable];
  return formula_text(out, net, &v->value, v->element, v->n_elements, err);
}

ff_status ff_petri_marking_text(char **element, char **when, char **value, const ff_petri *net, uint32_t marking, ff_error *err) {
  const ff_petri_marking *m = &net->marking[marking];
  ff_string text = {0};
  *element = *when = *value = NULL;
  ff_status status = ff_formula_add_name(&text, net->place[m->element.place].name, err);
  if (status == FF_OK) status = add_colours(&text, net, &m->element, err);
  status = finish(element, &text, status);
  if (status == FF_OK) status = colour_text(when, net, &m->when, err);
  if (status == FF_OK) status = formula_text(value, net, &m->value, NULL, 0, err);
  if (status == FF_OK) return FF_OK;
  free(*element);
  free(*when);
  *element = *when = NULL;
  return status;
}

ff_status ff_petri_set_text(char **out, const ff_petri *net, uint32_t set, ff_error *err) {
  const ff_colour_definition *s = &net->set[set];
  ff_string text = {0};
  ff_status status = FF_OK;
  *out = NULL;
  for (uint32_t i = 0; i < s->n_parts && status == FF_OK; i++) {
    if (i > 0) status = ff_string_puts(&text, s->kind == FF_SET_PRODUCT ? " * " : " + ", err);
    if (status == FF_OK) status = ff_formula_add_name(&text, net->set[s->part[i]].name, err);
  }
  if (s->kind == FF_SET_SUBSET) {
    if (status == FF_OK) status = ff_string_puts(&text, "[", err);
    if (status == FF_OK) status = ff_string_puts(&text, s->predicate_text, err);
    if (status == FF_OK) status = ff_string_puts(&text, "]", err);
  }
  return finish(out, &text, status);
}
