/* Names, expressions of colours and formulas, as ANDL has them. */
#include "ff_io_andl_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

/* Words of the language, and those of sections and kinds. */
static const char *const reserved[] = {"pn",
                                       "cpn",
                                       "hpn",
                                       "xpn",
                                       "spn",
                                       "gspn",
                                       "xspn",
                                       "tpn",
                                       "const",
                                       "bool",
                                       "int",
                                       "double",
                                       "string",
                                       "enum",
                                       "atan",
                                       "tan",
                                       "asin",
                                       "sin",
                                       "acos",
                                       "cos",
                                       "abs",
                                       "sqr",
                                       "sqrt",
                                       "floor",
                                       "ceil",
                                       "log",
                                       "log10",
                                       "exp",
                                       "binomial",
                                       "function",
                                       "DeterministicFiring",
                                       "Deterministic",
                                       "ImmediateFiring",
                                       "Immediate",
                                       "ScheduledFiring",
                                       "Scheduled",
                                       "BioLevelInterpretation",
                                       "LevelInterpretation",
                                       "BioMassAction",
                                       "MassAction",
                                       "BioMichaelisMenten",
                                       "MichaelisMenten",
                                       "max",
                                       "min",
                                       "pow",
                                       "prod",
                                       "sum",
                                       "true",
                                       "false",
                                       "oo",
                                       "A",
                                       "C",
                                       "E",
                                       "F",
                                       "G",
                                       "I",
                                       "P",
                                       "Q",
                                       "R",
                                       "S",
                                       "U",
                                       "AF",
                                       "EF",
                                       "AG",
                                       "EG",
                                       "AX",
                                       "EX",
                                       "EY",
                                       "EH",
                                       "FWD_U",
                                       "FWD_G",
                                       "PROD",
                                       "all",
                                       "auto",
                                       "val",
                                       "elemOf",
                                       "numOf",
                                       "Neighbor1D",
                                       "Neighbor2D",
                                       "_SimTime",
                                       "_SimStart",
                                       "_SimEnd",
                                       "constants",
                                       "functions",
                                       "colorsets",
                                       "variables",
                                       "colorfunctions",
                                       "places",
                                       "observers",
                                       "transitions",
                                       "valuesets",
                                       "discrete",
                                       "continuous",
                                       "stochastic",
                                       "immediate",
                                       "deterministic",
                                       "scheduled",
                                       "place",
                                       "transition"};

/* The single letters are operators of MARCIE's logic, and not of nets: nets of Snoopy have them as names. So have they d and
 * d2. */
static int is_reserved(const char *name) {
  if (strlen(name) == 1 && name[0] < 'a') return 0;
  for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
    if (strcmp(name, reserved[i]) == 0) return 1;
  return 0;
}

/* Makes an id, which belongs to the writer; NULL without memory. */
static char *make_id(ff_andl_writer *w, const char *name) {
  const size_t length = strlen(name);
  void *memory = w->kept;
  const ff_status status = ff_grow(&memory, &w->kept_capacity, w->n_kept + 1, sizeof *w->kept, w->err);
  w->kept = memory;
  if (status != FF_OK) return NULL;
  char *id = ff_calloc(length + 3, 1), *to = id;
  if (id == NULL) {
    ff_error_set(w->err, FF_EMEMORY, "no memory for the name of %zu bytes", length);
    return NULL;
  }
  w->kept[w->n_kept++] = id;
  if (length == 0 || ff_is_digit(name[0])) *to++ = '_';
  for (size_t i = 0; i < length; i++)
    if (!ff_continues_character(name[i])) *to++ = ff_is_letter(name[i]) || ff_is_digit(name[i]) || name[i] == '_' ? name[i] : '_';
  if (is_reserved(id)) *to++ = '_';
  return id;
}

/* Makes an id that no other name has. */
static ff_status new_id(ff_andl_writer *w, ff_build *taken, const char *name, char **id) {
  uint32_t number;
  int is_new;
  *id = make_id(w, name);
  if (*id == NULL) return FF_EMEMORY;
  const ff_status status = ff_build_node(taken, ff_span_of(*id), &number, &is_new);
  if (status != FF_OK || is_new) return status;
  return ff_error_set(w->err, FF_EMODEL,
                      "the name %s is written as %s, which is another name; names of ANDL have letters, digits and \"_\"",
                      ff_quote(name, strlen(name)).text, ff_quote(*id, strlen(*id)).text);
}

static char **new_list(ff_andl_writer *w, uint32_t n, ff_status *status) {
  char **list = ff_calloc((size_t)n + 1, sizeof *list);
  if (list == NULL) *status = ff_error_set(w->err, FF_EMEMORY, "no memory for %u names", n);
  return list;
}

/* Functions with ids for their names and arguments. */
static ff_status name_functions(ff_andl_writer *w) {
  const ff_petri *net = w->net;
  ff_status status = FF_OK;
  ff_colour_function *function = ff_calloc((size_t)net->n_functions + 1, sizeof *function);
  w->scope.function = function;
  if (function == NULL) return ff_error_set(w->err, FF_EMEMORY, "no memory for functions");
  for (uint32_t i = 0; i < net->n_functions && status == FF_OK; i++) {
    function[i] = net->function[i];
    function[i].argument = new_list(w, function[i].n_arguments, &status);
    if (status == FF_OK) status = new_id(w, &w->symbols, net->function[i].name, &function[i].name);
    for (uint32_t k = 0; k < function[i].n_arguments && status == FF_OK; k++)
      if ((function[i].argument[k] = make_id(w, net->function[i].argument[k])) == NULL) status = FF_EMEMORY;
  }
  return status;
}

static ff_status name_colours(ff_andl_writer *w) {
  const ff_petri *net = w->net;
  ff_status status = FF_OK;
  ff_colour_definition *set = ff_calloc((size_t)net->n_sets + 1, sizeof *set);
  ff_colour_index *index = ff_calloc((size_t)net->n_indices + 1, sizeof *index);
  char **colour = new_list(w, net->n_colours, &status);
  w->scope.set = set;
  w->scope.index = index;
  w->scope.colour = colour;
  if (set == NULL || index == NULL) status = ff_error_set(w->err, FF_EMEMORY, "no memory for sets of colours");
  for (uint32_t i = 0; i < net->n_sets && status == FF_OK; i++) {
    set[i] = net->set[i];
    status = new_id(w, &w->sets, net->set[i].name, &set[i].name);
  }
  for (uint32_t i = 0; i < net->n_colours && status == FF_OK; i++) status = new_id(w, &w->symbols, net->colour[i], &colour[i]);
  for (uint32_t i = 0; i < net->n_indices && status == FF_OK; i++) {
    index[i] = net->index[i];
    status = new_id(w, &w->symbols, net->index[i].name, &index[i].name);
  }
  return status == FF_OK ? name_functions(w) : status;
}

ff_status ff_andl_writer_begin(ff_andl_writer *w, const ff_petri *net, ff_out *out, ff_error *err) {
  ff_status status = FF_OK;
  *w = (ff_andl_writer){.net = net, .out = out, .err = err, .scope = ff_petri_scope(net)};
  w->symbols.err = w->sets.err = w->transitions.err = err;
  w->symbols.file = w->sets.file = w->transitions.file = "the net";
  w->scope.function = NULL;
  w->scope.set = NULL;
  w->scope.index = NULL;
  w->scope.colour = NULL;
  char **parameter = new_list(w, net->n_parameters, &status);
  w->scope.parameter = parameter;
  w->place = new_list(w, net->n_places, &status);
  w->variable = new_list(w, net->n_variables, &status);
  w->transition = new_list(w, net->n_transitions, &status);
  for (uint32_t i = 0; i < net->n_parameters && status == FF_OK; i++)
    status = new_id(w, &w->symbols, net->parameter[i], &parameter[i]);
  for (uint32_t i = 0; i < net->n_places && status == FF_OK; i++)
    status = new_id(w, &w->symbols, net->place[i].name, &w->place[i]);
  for (uint32_t i = 0; i < net->n_variables && status == FF_OK; i++)
    status = new_id(w, &w->symbols, net->variable[i].name, &w->variable[i]);
  for (uint32_t i = 0; i < net->n_transitions && status == FF_OK; i++)
    status = new_id(w, &w->transitions, net->transition[i].name, &w->transition[i]);
  return status == FF_OK ? name_colours(w) : status;
}

void ff_andl_writer_end(ff_andl_writer *w) {
  for (size_t i = 0; i < w->n_kept; i++) free(w->kept[i]);
  for (uint32_t i = 0; w->scope.function != NULL && i < w->net->n_functions; i++) free(w->scope.function[i].argument);
  free((void *)w->scope.function);
  free((void *)w->scope.set);
  free((void *)w->scope.index);
  free((void *)w->scope.colour);
  free((void *)w->scope.parameter);
  for (size_t i = 0; i < w->n_symbols; i++) free(w->symbol[i]);
  free(w->symbol);
  free(w->kept);
  free(w->place);
  free(w->variable);
  free(w->transition);
  ff_build_free(&w->symbols);
  ff_build_free(&w->sets);
  ff_build_free(&w->transitions);
  ff_petri_flat_free(w->flat);
}

ff_status ff_andl_cannot(const ff_andl_writer *w, const char *what, const char *name, const char *why) {
  return ff_error_set(w->err, FF_EMODEL, "%s %s has %s, which ANDL cannot express", what, ff_quote(name, strlen(name)).text, why);
}

/* ---- colours ---- */

ff_status ff_andl_put_colour(ff_andl_writer *w, const ff_colour_expr *expr, const ff_colour_scope *scope) {
  char *text = NULL;
  const ff_status status = ff_colour_text(&text, expr, FF_COLOUR_CANDL, scope, w->err);
  if (status == FF_OK) ff_out_puts(w->out, text);
  free(text);
  return status;
}

ff_status ff_andl_put_tuple(ff_andl_writer *w, const ff_petri_element *element) {
  ff_status status = FF_OK;
  const int bare = element->width == 1 && element->colour[0].length == 1;
  ff_out_puts(w->out, bare ? "" : "(");
  for (uint32_t k = 0; k < element->width && status == FF_OK; k++) {
    ff_out_puts(w->out, k == 0 ? "" : ",");
    status = ff_andl_put_colour(w, &element->colour[k], &w->scope);
  }
  ff_out_puts(w->out, bare ? "" : ")");
  return status;
}

/* ---- formulas ---- */

/* Names of at least n symbols for ff_formula_text(): v0, v1, ... */
static ff_status number_symbols(ff_andl_writer *w, size_t n) {
  void *memory = w->symbol;
  ff_status status = ff_grow(&memory, &w->symbols_capacity, n + 1, sizeof *w->symbol, w->err);
  w->symbol = memory;
  while (w->n_symbols < n && status == FF_OK) {
    char text[24];
    snprintf(text, sizeof text, "v%zu", w->n_symbols);
    w->symbol[w->n_symbols] = NULL;
    status = ff_name_copy(&w->symbol[w->n_symbols], text, w->err);
    if (status == FF_OK) w->n_symbols++;
  }
  return status;
}

static ff_status put_symbol(ff_andl_writer *w, uint32_t symbol, ff_andl_elements elements, const char *what, const char *name) {
  const ff_petri *net = w->net;
  if (symbol < net->n_parameters) {
    ff_out_puts(w->out, w->scope.parameter[symbol]);
    return FF_OK;
  }
  if ((symbol -= net->n_parameters) < net->n_variables) {
    ff_out_puts(w->out, w->variable[symbol]);
    return FF_OK;
  }
  symbol -= net->n_variables;
  for (uint32_t i = 0; symbol < net->n_components && i < net->n_indices; i++) {
    if (net->index[i].first != symbol || ff_petri_set_width(net, net->index[i].set) != 1) continue;
    ff_out_puts(w->out, w->scope.index[i].name);
    return FF_OK;
  }
  if (symbol < net->n_components) return ff_andl_cannot(w, what, name, "a component of a tuple in a formula");
  const ff_petri_element *element = &elements.element[symbol - net->n_components];
  ff_out_puts(w->out, w->place[element->place]);
  if (net->place[element->place].set == FF_PETRI_NONE) return FF_OK;
  ff_out_puts(w->out, element->all ? "[all()]" : "[");
  if (element->all) return FF_OK;
  const ff_status status = ff_andl_put_tuple(w, element);
  ff_out_puts(w->out, "]");
  return status;
}

/* A name in the text of ff_formula_text(): a symbol or a function. */
static ff_status put_word(ff_andl_writer *w, ff_span word, int call, ff_andl_elements elements, const char *what,
                          const char *name) {
  static const char *const known[] = {"abs", "acos", "asin", "atan", "cos", "exp",  "floor", "log", "log10",
                                      "max", "min",  "pow",  "sin",  "sqrt", "tan"};
  uint64_t symbol;
  if (!call && word.text[0] == 'v' && ff_span_count(ff_span_after(word, 1), &symbol))
    return put_symbol(w, (uint32_t)symbol, elements, what, name);
  if (ff_span_equals(word, "Inf") || ff_span_equals(word, "ceiling")) {
    ff_out_puts(w->out, call ? "ceil" : "oo");
    return FF_OK;
  }
  for (size_t i = 0; i < sizeof known / sizeof known[0] && call; i++)
    if (ff_span_equals(word, known[i])) {
      ff_out_puts(w->out, known[i]);
      return FF_OK;
    }
  char why[FF_QUOTE_SIZE + 40];
  if (ff_span_equals(word, "time")) return ff_andl_cannot(w, what, name, "a formula that depends on the time");
  if (ff_span_equals(word, "NaN")) return ff_andl_cannot(w, what, name, "a formula with NaN");
  snprintf(why, sizeof why, "a formula with the function %s", ff_quote(word.text, word.length).text);
  return ff_andl_cannot(w, what, name, why);
}

ff_status ff_andl_put_formula(ff_andl_writer *w, const ff_formula *formula, ff_andl_elements elements, const char *what,
                              const char *name) {
  char *text = NULL;
  ff_status status = number_symbols(w, (size_t)ff_petri_first_element(w->net) + elements.n);
  if (status == FF_OK) status = ff_formula_text(&text, formula, w->symbol, w->err);
  const ff_span all = ff_span_of(text);
  size_t at = 0, end = 0;
  while (status == FF_OK) {
    const ff_candl_token token = ff_candl_next(all, &at);
    if (token.kind == 0) break;
    ff_out_add(w->out, (ff_span){all.text + end, token.start - end}); /* blanks */
    end = at;
    if (token.kind == 'a')
      status = put_word(w, token.span, at < all.length && all.text[at] == '(', elements, what, name);
    else if (ff_span_equals(token.span, "=="))
      ff_out_puts(w->out, "=");
    else
      ff_out_add(w->out, token.span);
  }
  free(text);
  return status == FF_OK ? w->out->status : status;
}

ff_status ff_andl_put_count(ff_andl_writer *w, const ff_formula *weight, ff_andl_elements elements, const char *what,
                            const char *name) {
  double number = 1;
  if (weight->length == 0) return FF_OK;
  const int simple = ff_formula_is_number(weight, &number) && number >= 0 && isfinite(number);
  if (!simple) ff_out_puts(w->out, "(");
  const ff_status status = ff_andl_put_formula(w, weight, elements, what, name);
  ff_out_puts(w->out, simple ? "`" : ")`");
  return status;
}
