/* Converts an ff_petri to the R object of class "petri_net", and answers what R asks about a net as it is written. */
#include "ffi_petri.h"

#include <stdlib.h>
#include <string.h>

typedef ff_status (*text_of)(char **out, const ff_petri *net, uint32_t transition, ff_error *err);

/* A column of texts of all transitions; NA for what there is not. `holder` frees texts of the core. */
static SEXP column(const ff_petri *net, text_of text, SEXP holder) {
  ff_error err;
  SEXP out = PROTECT(Rf_allocVector(STRSXP, net->n_transitions));
  for (uint32_t t = 0; t < net->n_transitions; t++) {
    char *one;
    if (t % 4096 == 0) R_CheckUserInterrupt();
    ffi_check(text(&one, net, t, &err), &err);
    if (one == NULL)
      SET_STRING_ELT(out, t, NA_STRING);
    else
      ffi_set_text(out, t, one, R_BlankString, holder);
  }
  UNPROTECT(1);
  return out;
}

/* The number of a transition that has one part without a condition. */
static ff_status whole_number(char **out, const ff_petri *net, uint32_t t, ff_error *err) {
  const ff_petri_transition *transition = &net->transition[t];
  *out = NULL;
  if (transition->n_pieces != 1 || transition->piece[0].when.length > 0) return FF_OK;
  return ff_petri_number_text(out, net, t, 0, err);
}

static SEXP laws(const ff_petri *net) {
  SEXP out = PROTECT(Rf_allocVector(STRSXP, net->n_transitions));
  for (uint32_t t = 0; t < net->n_transitions; t++) {
    const ff_petri_transition *transition = &net->transition[t];
    const int mass_action = transition->n_pieces == 1 && transition->piece[0].mass_action;
    SET_STRING_ELT(out, t, Rf_mkChar(mass_action ? "mass action" : "formula"));
  }
  UNPROTECT(1);
  return out;
}

/* ---- what R asks when it makes a net --------------------------------------------------------------------------------------- */

static ff_status names_of_equation(const char *text, void (*found)(void *context, const char *name, size_t length), void *context,
                                   int *both, ff_error *err) {
  return ff_petri_equation_names(text, found, context, both, (ff_place){NULL, 0}, err);
}

/* As ffi_equation_names(), for equations of transitions. */
SEXP ffi_petri_equation_names(SEXP equations) { return ffi_names_of_equations(equations, names_of_equation); }

/* Whether the number of a transition depends on a place, a variable, or the time. */
static int is_constant(const ff_petri *net, const ff_petri_transition *transition) {
  const uint32_t first = ff_petri_first_element(net);
  for (uint32_t k = 0; k < transition->n_pieces; k++) {
    const ff_formula *value = &transition->piece[k].value;
    if (ff_formula_has_time(value)) return 0;
    for (uint32_t i = 0; i < value->length; i++) {
      if (value->word[i].code != FF_F_SYMBOL) continue;
      const uint32_t symbol = value->word[i].symbol;
      if (symbol >= first || (symbol >= net->n_parameters && symbol - net->n_parameters < net->n_variables)) return 0;
    }
  }
  return 1;
}

static int takes(const ff_petri *net, const ff_petri_transition *transition) {
  for (uint32_t a = 0; a < transition->n_arcs; a++) {
    const ff_petri_arc *arc = &transition->arc[a];
    if (arc->kind == FF_ARC_IN && !net->place[transition->element[arc->element].place].fixed) return 1;
  }
  return 0;
}

static SEXP used_places(const ff_petri *net) {
  SEXP out = Rf_allocVector(LGLSXP, net->n_places);
  int *used = LOGICAL(out);
  for (uint32_t p = 0; p < net->n_places; p++) used[p] = 0;
  for (uint32_t t = 0; t < net->n_transitions; t++)
    for (uint32_t i = 0; i < net->transition[t].n_elements; i++) used[net->transition[t].element[i].place] = 1;
  for (uint32_t v = 0; v < net->n_variables; v++)
    for (uint32_t i = 0; i < net->variable[v].n_elements; i++) used[net->variable[v].element[i].place] = 1;
  for (uint32_t e = 0; e < net->n_events; e++)
    for (uint32_t i = 0; i < net->event[e].n_elements; i++) used[net->event[e].element[i].place] = 1;
  return out;
}

/* Raises an error if the net is invalid. Otherwise returns list(equation, number, test, reset, guard, used, constant, takes): the
 * texts of transitions, written in one way; whether something names each place; whether the number of each transition depends on
 * nothing that changes; and whether it takes tokens. */
SEXP ffi_petri_check(SEXP model) {
  static const char *const names[] = {"equation", "number", "test", "reset", "guard", "used", "constant", "takes"};
  ff_petri *net;
  PROTECT(ffi_petri_hold(model, NULL, &net));
  SEXP out = PROTECT(ffi_list(8, names)), holder = PROTECT(ffi_pointer(ffi_free_text, 0, R_NilValue));
  ffi_set(out, "equation", column(net, ff_petri_equation_text, holder));
  ffi_set(out, "number", column(net, whole_number, holder));
  ffi_set(out, "test", column(net, ff_petri_tests_text, holder));
  ffi_set(out, "reset", column(net, ff_petri_resets_text, holder));
  ffi_set(out, "guard", column(net, ff_petri_guard_text, holder));
  ffi_set(out, "used", used_places(net));
  SEXP constant = Rf_allocVector(LGLSXP, net->n_transitions);
  ffi_set(out, "constant", constant);
  SEXP taking = Rf_allocVector(LGLSXP, net->n_transitions);
  ffi_set(out, "takes", taking);
  for (uint32_t t = 0; t < net->n_transitions; t++) {
    LOGICAL(constant)[t] = is_constant(net, &net->transition[t]);
    LOGICAL(taking)[t] = takes(net, &net->transition[t]);
  }
  UNPROTECT(3);
  return out;
}

/* ---- the whole net -----------------------------------------------------------------------------------------------------------
 * */

static SEXP text_from(const char *text) { return text == NULL ? NA_STRING : Rf_mkCharCE(text, CE_UTF8); }

/* A list of n columns with these names, each of `rows` texts. The caller PROTECTs it. */
static SEXP columns(int n, const char *const *names, uint32_t rows) {
  SEXP out = PROTECT(ffi_list(n, names));
  for (int i = 0; i < n; i++) SET_VECTOR_ELT(out, i, Rf_allocVector(STRSXP, rows));
  UNPROTECT(1);
  return out;
}

static void put(SEXP strings, R_xlen_t i, char *text, SEXP holder) {
  if (text == NULL)
    SET_STRING_ELT(strings, i, NA_STRING);
  else
    ffi_set_text(strings, i, text, R_BlankString, holder);
}

static SEXP places_list(const ff_petri *net) {
  static const char *const names[] = {"place", "set", "continuous", "fixed"};
  SEXP out = PROTECT(columns(4, names, net->n_places));
  SEXP continuous = Rf_allocVector(LGLSXP, net->n_places);
  SET_VECTOR_ELT(out, 2, continuous);
  SEXP fixed = Rf_allocVector(LGLSXP, net->n_places);
  SET_VECTOR_ELT(out, 3, fixed);
  for (uint32_t p = 0; p < net->n_places; p++) {
    const ff_petri_place *place = &net->place[p];
    SET_STRING_ELT(VECTOR_ELT(out, 0), p, text_from(place->name));
    SET_STRING_ELT(VECTOR_ELT(out, 1), p, text_from(place->set == FF_PETRI_NONE ? NULL : net->set[place->set].name));
    LOGICAL(continuous)[p] = place->continuous;
    LOGICAL(fixed)[p] = place->fixed;
  }
  UNPROTECT(1);
  return out;
}

static SEXP kinds_list(const ff_petri *net) {
  static const char *const kinds[] = {
#define FF_X(code, name, number) name,
      FF_PETRI_KINDS(FF_X)
#undef FF_X
  };
  SEXP out = PROTECT(Rf_allocVector(STRSXP, net->n_transitions));
  for (uint32_t t = 0; t < net->n_transitions; t++) SET_STRING_ELT(out, t, Rf_mkChar(kinds[net->transition[t].kind]));
  UNPROTECT(1);
  return out;
}

static ff_status time_text(char **out, const ff_petri *net, uint32_t t, int which, ff_error *err) {
  const ff_formula *at = &net->transition[t].at[which];
  *out = NULL;
  return at->length == 0 ? FF_OK : ff_formula_text(out, at, net->parameter, err); /* of parameters alone */
}
static ff_status begin_of(char **out, const ff_petri *net, uint32_t t, ff_error *err) { return time_text(out, net, t, 0, err); }
static ff_status period_of(char **out, const ff_petri *net, uint32_t t, ff_error *err) { return time_text(out, net, t, 1, err); }
static ff_status end_of(char **out, const ff_petri *net, uint32_t t, ff_error *err) { return time_text(out, net, t, 2, err); }

static SEXP transitions_list(const ff_petri *net, SEXP holder) {
  static const char *const names[] = {"name",  "kind",  "equation", "number", "law", "test",
                                      "reset", "guard", "begin",    "period", "end"};
  static const text_of texts[] = {NULL, NULL, ff_petri_equation_text, whole_number, NULL, ff_petri_tests_text,
                                  ff_petri_resets_text, ff_petri_guard_text, begin_of, period_of, end_of};
  SEXP out = PROTECT(ffi_list(11, names)), name = Rf_allocVector(STRSXP, net->n_transitions);
  SET_VECTOR_ELT(out, 0, name);
  for (uint32_t t = 0; t < net->n_transitions; t++) SET_STRING_ELT(name, t, text_from(net->transition[t].name));
  SET_VECTOR_ELT(out, 1, kinds_list(net));
  SET_VECTOR_ELT(out, 4, laws(net));
  for (int i = 0; i < 11; i++)
    if (texts[i] != NULL) SET_VECTOR_ELT(out, i, column(net, texts[i], holder));
  UNPROTECT(1);
  return out;
}

/* The numbers that have several parts, or a condition; NULL if there are none. */
static SEXP pieces_list(const ff_petri *net, SEXP holder) {
  static const char *const names[] = {"transition", "when", "number", "law"};
  ff_error err;
  uint32_t n = 0, at = 0;
  for (uint32_t t = 0; t < net->n_transitions; t++) {
    const ff_petri_transition *transition = &net->transition[t];
    if (transition->n_pieces > 1 || (transition->n_pieces == 1 && transition->piece[0].when.length > 0))
      n += transition->n_pieces;
  }
  if (n == 0) return R_NilValue;
  const ff_colour_scope scope = ff_petri_scope(net);
  SEXP out = PROTECT(columns(4, names, n));
  for (uint32_t t = 0; t < net->n_transitions; t++) {
    const ff_petri_transition *transition = &net->transition[t];
    if (transition->n_pieces == 0 || (transition->n_pieces == 1 && transition->piece[0].when.length == 0)) continue;
    for (uint32_t k = 0; k < transition->n_pieces; k++, at++) {
      char *text = NULL;
      SET_STRING_ELT(VECTOR_ELT(out, 0), at, text_from(transition->name));
      if (transition->piece[k].when.length > 0)
        ffi_check(ff_colour_text(&text, &transition->piece[k].when, FF_COLOUR_R, &scope, &err), &err);
      put(VECTOR_ELT(out, 1), at, text, holder);
      ffi_check(ff_petri_number_text(&text, net, t, k, &err), &err);
      put(VECTOR_ELT(out, 2), at, text, holder);
      SET_STRING_ELT(VECTOR_ELT(out, 3), at, Rf_mkChar(transition->piece[k].mass_action ? "mass action" : "formula"));
    }
  }
  UNPROTECT(1);
  return out;
}

static SEXP markings_list(const ff_petri *net, SEXP holder) {
  static const char *const names[] = {"element", "when", "value", "adds"};
  ff_error err;
  SEXP out = PROTECT(columns(4, names, net->n_markings)), adds = Rf_allocVector(LGLSXP, net->n_markings);
  SET_VECTOR_ELT(out, 3, adds);
  for (uint32_t i = 0; i < net->n_markings; i++) {
    char *text[3];
    if (i % 4096 == 0) R_CheckUserInterrupt();
    ffi_check(ff_petri_marking_text(&text[0], &text[1], &text[2], net, i, &err), &err);
    SEXP rest[2] = {PROTECT(ffi_pointer(ffi_free_text, 0, R_NilValue)), PROTECT(ffi_pointer(ffi_free_text, 0, R_NilValue))};
    for (int k = 0; k < 2; k++) R_SetExternalPtrAddr(rest[k], text[k + 1]);
    put(VECTOR_ELT(out, 0), i, text[0], holder);
    for (int k = 0; k < 2; k++) put(VECTOR_ELT(out, k + 1), i, text[k + 1], rest[k]);
    LOGICAL(adds)[i] = net->marking[i].adds;
    UNPROTECT(2);
  }
  UNPROTECT(1);
  return out;
}

/* The colours of a set of values: whole numbers, or texts if one of them is a name. */
static SEXP values_list(const ff_petri *net, const ff_colour_definition *set) {
  int has_names = 0, fits = 1;
  for (uint32_t i = 0; i < set->n_values; i++) {
    has_names |= set->value[i] >= FF_COLOUR_NAMES;
    fits &= set->value[i] > INT32_MIN && set->value[i] <= INT32_MAX;
  }
  SEXP out = PROTECT(Rf_allocVector(has_names ? STRSXP : fits ? INTSXP : REALSXP, set->n_values));
  for (uint32_t i = 0; i < set->n_values; i++) {
    char digits[24];
    const int64_t value = set->value[i];
    if (!has_names && fits)
      INTEGER(out)[i] = (int)value;
    else if (!has_names)
      REAL(out)[i] = (double)value;
    else if (value >= FF_COLOUR_NAMES)
      SET_STRING_ELT(out, i, text_from(net->colour[value - FF_COLOUR_NAMES]));
    else if (snprintf(digits, sizeof digits, "%lld", (long long)value) > 0)
      SET_STRING_ELT(out, i, Rf_mkChar(digits));
  }
  UNPROTECT(1);
  return out;
}

/* A vector or list with room for n elements and their names. */
static SEXP with_names(SEXPTYPE type, uint32_t n) {
  SEXP out = PROTECT(Rf_allocVector(type, n));
  Rf_setAttrib(out, R_NamesSymbol, PROTECT(Rf_allocVector(STRSXP, n)));
  UNPROTECT(2);
  return out;
}

static void set_name(SEXP x, uint32_t i, const char *name) {
  SET_STRING_ELT(Rf_getAttrib(x, R_NamesSymbol), i, text_from(name));
}

/* Sets of values become list(colours), others texts. */
static void sets_list(SEXP out, const ff_petri *net, SEXP holder) {
  ff_error err;
  uint32_t n = 0, value = 0, other = 0;
  for (uint32_t s = 0; s < net->n_sets; s++) n += net->set[s].kind == FF_SET_VALUES;
  SEXP colours = with_names(VECSXP, n);
  ffi_set(out, "colours", colours);
  SEXP sets = with_names(STRSXP, net->n_sets - n);
  ffi_set(out, "sets", sets);
  for (uint32_t s = 0; s < net->n_sets; s++) {
    if (net->set[s].kind == FF_SET_VALUES) {
      set_name(colours, value, net->set[s].name);
      SET_VECTOR_ELT(colours, value++, values_list(net, &net->set[s]));
    } else {
      char *text;
      set_name(sets, other, net->set[s].name);
      ffi_check(ff_petri_set_text(&text, net, s, &err), &err);
      put(sets, other++, text, holder);
    }
  }
}

/* A function as its head, `near(x in X, a)`, and its value. */
static void functions_list(SEXP out, const ff_petri *net, SEXP holder) {
  ff_error err;
  SEXP functions = with_names(STRSXP, net->n_functions);
  ffi_set(out, "functions", functions);
  for (uint32_t f = 0; f < net->n_functions; f++) {
    const ff_colour_function *function = &net->function[f];
    ff_colour_scope scope = ff_petri_scope(net);
    size_t size = strlen(function->name) + 3;
    char *text;
    for (uint32_t a = 0; a < function->n_arguments; a++) {
      size += strlen(function->argument[a]) + 2;
      if (function->set[a] != UINT32_MAX) size += strlen(net->set[function->set[a]].name) + 4;
    }
    char *head = R_alloc(size, 1), *at = head;
    at += snprintf(at, size, "%s(", function->name);
    for (uint32_t a = 0; a < function->n_arguments; a++) {
      const int has_set = function->set[a] != UINT32_MAX;
      at += snprintf(at, size - (size_t)(at - head), "%s%s%s%s", a > 0 ? ", " : "", function->argument[a], has_set ? " in " : "",
                     has_set ? net->set[function->set[a]].name : "");
    }
    snprintf(at, size - (size_t)(at - head), ")");
    set_name(functions, f, head);
    scope.within = function;
    ffi_check(ff_colour_text(&text, &function->value, FF_COLOUR_R, &scope, &err), &err);
    put(functions, f, text, holder);
  }
}

SEXP ffi_petri_list(const ff_petri *net) {
  static const char *const names[] = {"places",  "transitions", "markings",   "colours",   "sets",
                                      "indices", "functions",   "parameters", "variables", "pieces",  "definitions"};
  ff_error err;
  SEXP out = PROTECT(ffi_list(11, names)), holder = PROTECT(ffi_pointer(ffi_free_text, 0, R_NilValue));
  ffi_set(out, "places", places_list(net));
  ffi_set(out, "transitions", transitions_list(net, holder));
  ffi_set(out, "markings", markings_list(net, holder));
  ffi_set(out, "pieces", pieces_list(net, holder));
  sets_list(out, net, holder);
  functions_list(out, net, holder);
  SEXP indices = with_names(STRSXP, net->n_indices);
  ffi_set(out, "indices", indices);
  for (uint32_t i = 0; i < net->n_indices; i++) {
    set_name(indices, i, net->index[i].name);
    SET_STRING_ELT(indices, i, text_from(net->set[net->index[i].set].name));
  }
  SEXP parameters = with_names(REALSXP, net->n_parameters);
  ffi_set(out, "parameters", parameters);
  for (uint32_t i = 0; i < net->n_parameters; i++) {
    set_name(parameters, i, net->parameter[i]);
    REAL(parameters)[i] = net->value[i];
  }
  SEXP definitions = with_names(STRSXP, net->n_parameters); /* NA for a parameter that is a number */
  ffi_set(out, "definitions", definitions);
  for (uint32_t i = 0; i < net->n_parameters; i++) {
    set_name(definitions, i, net->parameter[i]);
    SET_STRING_ELT(definitions, i, text_from(net->definition[i]));
  }
  SEXP variables = with_names(STRSXP, net->n_variables);
  ffi_set(out, "variables", variables);
  for (uint32_t v = 0; v < net->n_variables; v++) {
    char *text;
    set_name(variables, v, net->variable[v].name);
    ffi_check(ff_petri_variable_value_text(&text, net, v, &err), &err);
    put(variables, v, text, holder);
  }
  UNPROTECT(2);
  return out;
}

/* ---- arcs ------------------------------------------------------------------------------------------------------------------ */

/* Returns list(place, transition, kind, element, weight), with an element for each arc of the net as it is written: numbers from
 * 1, an ff_petri_arc_kind, the text of the place with its colours, and the weight, NA if it is a formula. Arcs are those of
 * ff_petri_arc, and modifiers for places that rates name. */
SEXP ffi_petri_arrows(SEXP model) {
  static const char *const names[] = {"place", "transition", "kind", "element", "weight"};
  static const SEXPTYPE types[] = {INTSXP, INTSXP, INTSXP, STRSXP, REALSXP};
  ff_error err;
  ff_petri *net;
  R_xlen_t n = 0, at = 0;
  PROTECT(ffi_petri_hold(model, NULL, &net));
  for (uint32_t t = 0; t < net->n_transitions; t++) n += net->transition[t].n_arcs;
  SEXP out = PROTECT(ffi_list(5, names)), holder = PROTECT(ffi_pointer(ffi_free_text, 0, R_NilValue));
  for (int k = 0; k < 5; k++) SET_VECTOR_ELT(out, k, Rf_allocVector(types[k], n));
  for (uint32_t t = 0; t < net->n_transitions; t++) {
    const ff_petri_transition *transition = &net->transition[t];
    for (uint32_t a = 0; a < transition->n_arcs; a++, at++) {
      const ff_petri_arc *arc = &transition->arc[a];
      double weight = 1;
      char *text;
      if (at % 4096 == 0) R_CheckUserInterrupt();
      if (arc->weight.length > 0 && !ff_formula_is_number(&arc->weight, &weight)) weight = NA_REAL;
      ffi_check(ff_petri_element_text(&text, net, &transition->element[arc->element], &err), &err);
      put(VECTOR_ELT(out, 3), at, text, holder);
      INTEGER(VECTOR_ELT(out, 0))[at] = (int)transition->element[arc->element].place + 1;
      INTEGER(VECTOR_ELT(out, 1))[at] = (int)t + 1;
      INTEGER(VECTOR_ELT(out, 2))[at] = (int)arc->kind;
      REAL(VECTOR_ELT(out, 4))[at] = weight;
    }
  }
  UNPROTECT(3);
  return out;
}
