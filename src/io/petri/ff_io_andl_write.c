/* Writes ANDL and CANDL: the sections before the transitions. */
#include "ff_io_andl_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_integer(ff_out *out, int64_t value) {
  char text[24];
  snprintf(text, sizeof text, "%" PRId64, value);
  ff_out_puts(out, text);
}

int ff_io_andl_is_coloured(const ff_petri *net) { return net->n_sets > 0 || net->n_indices > 0; }

/* The type of a net without colours: the least one that has all of its transitions. */
static const char *type_of(const ff_petri *net) {
  int flows = 0, others = 0, immediate = 0, timed = 0;
  for (uint32_t i = 0; i < net->n_transitions; i++) {
    const ff_petri_kind kind = net->transition[i].kind;
    flows |= kind == FF_PETRI_CONTINUOUS;
    others |= kind != FF_PETRI_CONTINUOUS;
    immediate |= kind == FF_PETRI_IMMEDIATE;
    timed |= kind == FF_PETRI_DETERMINISTIC || kind == FF_PETRI_SCHEDULED;
  }
  for (uint32_t i = 0; i < net->n_places; i++) {
    flows |= net->place[i].continuous;
    others |= !net->place[i].continuous;
  }
  if (flows) return others ? "hpn" : "cpn";
  return timed ? "xspn" : immediate ? "gspn" : "spn";
}

/* ---- constants ---- */

static void mark_constants(const ff_colour_expr *expr, uint8_t *whole) {
  for (uint32_t i = 0; i < expr->length; i++)
    if (expr->word[i].code == FF_C_CONSTANT) whole[expr->word[i].of] = 1;
}

static void mark_elements(const ff_petri_element *element, uint32_t n, uint8_t *whole) {
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < element[i].width; k++) mark_constants(&element[i].colour[k], whole);
}

/* The parameters that expressions of colours name, which are of type int. */
static void mark_all(const ff_petri *net, uint8_t *whole) {
  for (uint32_t i = 0; i < net->n_sets; i++) mark_constants(&net->set[i].predicate, whole);
  for (uint32_t i = 0; i < net->n_functions; i++) mark_constants(&net->function[i].value, whole);
  for (uint32_t i = 0; i < net->n_markings; i++) {
    mark_constants(&net->marking[i].when, whole);
    mark_elements(&net->marking[i].element, 1, whole);
  }
  for (uint32_t i = 0; i < net->n_variables; i++) mark_elements(net->variable[i].element, net->variable[i].n_elements, whole);
  for (uint32_t i = 0; i < net->n_transitions; i++) {
    const ff_petri_transition *t = &net->transition[i];
    mark_constants(&t->guard, whole);
    mark_elements(t->element, t->n_elements, whole);
    for (uint32_t k = 0; k < t->n_pieces; k++) mark_constants(&t->piece[k].when, whole);
  }
}

/* Whether all parameters keep their names, which definitions name. */
static int names_are_kept(const ff_andl_writer *w) {
  for (uint32_t i = 0; i < w->net->n_parameters; i++)
    if (strcmp(w->scope.parameter[i], w->net->parameter[i]) != 0) return 0;
  return 1;
}

static void put_constant(ff_andl_writer *w, uint32_t i, int whole, const char *definition) {
  const size_t type = definition == NULL ? 0 : strcspn(definition, " ");
  const int is_int = whole && w->net->value[i] == floor(w->net->value[i]);
  if (definition != NULL && is_int && strncmp(definition, "int ", 4) != 0) definition = NULL;
  ff_out_puts(w->out, (definition == NULL ? is_int : strncmp(definition, "int ", 4) == 0) ? "  int " : "  double ");
  ff_out_puts(w->out, w->scope.parameter[i]);
  ff_out_puts(w->out, " = ");
  if (definition != NULL && definition[type] == ' ')
    ff_out_puts(w->out, definition + type + 1);
  else
    ff_out_number(w->out, w->net->value[i]);
  ff_out_puts(w->out, ";\n");
}

static ff_status put_constants(ff_andl_writer *w) {
  const ff_petri *net = w->net;
  if (net->n_parameters == 0) return FF_OK;
  uint8_t *whole = ff_calloc(net->n_parameters, 1);
  if (whole == NULL) return ff_error_set(w->err, FF_EMEMORY, "no memory for constants");
  mark_all(net, whole);
  ff_out_puts(w->out, "constants:\n  valuesets[Main]\n\nall:\n");
  const int kept = names_are_kept(w);
  for (uint32_t i = 0; i < net->n_parameters; i++) put_constant(w, i, whole[i], kept ? net->definition[i] : NULL);
  ff_out_puts(w->out, "\n");
  free(whole);
  return FF_OK;
}

/* ---- colours ---- */

static void put_values(ff_andl_writer *w, const ff_colour_definition *set) {
  ff_out_puts(w->out, "{");
  for (uint32_t i = 0; i < set->n_values;) {
    uint32_t end = i + 1;
    const int64_t first = set->value[i];
    ff_out_puts(w->out, i == 0 ? "" : ",");
    if (first >= FF_COLOUR_NAMES) {
      ff_out_puts(w->out, w->scope.colour[first - FF_COLOUR_NAMES]);
    } else {
      while (end < set->n_values && set->value[end] == set->value[end - 1] + 1) end++;
      put_integer(w->out, first);
      if (end > i + 1) ff_out_puts(w->out, "..");
      if (end > i + 1) put_integer(w->out, set->value[end - 1]);
    }
    i = end;
  }
  ff_out_puts(w->out, "}");
}

static ff_status put_set(ff_andl_writer *w, uint32_t s) {
  const ff_colour_definition *set = &w->scope.set[s];
  ff_colour_scope scope = w->scope;
  ff_status status = FF_OK;
  ff_out_puts(w->out, "  ");
  ff_out_puts(w->out, set->name);
  ff_out_puts(w->out, set->kind == FF_SET_PRODUCT ? " = PROD(" : " = ");
  if (set->kind == FF_SET_VALUES) put_values(w, set);
  for (uint32_t k = 0; k < set->n_parts; k++) {
    ff_out_puts(w->out, k == 0 ? "" : set->kind == FF_SET_PRODUCT ? "," : " + ");
    ff_out_puts(w->out, w->scope.set[set->part[k]].name);
  }
  if (set->kind == FF_SET_PRODUCT) ff_out_puts(w->out, ")");
  if (set->kind == FF_SET_SUBSET) {
    scope.subset_of = set->part[0];
    ff_out_puts(w->out, "[");
    status = ff_andl_put_colour(w, &set->predicate, &scope);
    ff_out_puts(w->out, "]");
  }
  ff_out_puts(w->out, ";\n");
  return status;
}

static ff_status put_function(ff_andl_writer *w, uint32_t f) {
  const ff_colour_function *function = &w->scope.function[f];
  ff_colour_scope scope = w->scope;
  scope.within = function;
  ff_out_puts(w->out, "  bool ");
  ff_out_puts(w->out, function->name);
  ff_out_puts(w->out, "(");
  for (uint32_t k = 0; k < function->n_arguments; k++) {
    ff_out_puts(w->out, k == 0 ? "" : ", ");
    ff_out_puts(w->out, w->scope.set[function->set[k] < w->net->n_sets ? function->set[k] : 0].name);
    ff_out_puts(w->out, " ");
    ff_out_puts(w->out, function->argument[k]);
  }
  ff_out_puts(w->out, ") { ");
  const ff_status status = ff_andl_put_colour(w, &function->value, &scope);
  ff_out_puts(w->out, " };\n");
  return status;
}

static ff_status put_colours(ff_andl_writer *w) {
  const ff_petri *net = w->net;
  ff_status status = FF_OK;
  if (!ff_io_andl_is_coloured(net)) return FF_OK;
  ff_out_puts(w->out, "colorsets:\n");
  for (uint32_t i = 0; i < net->n_sets && status == FF_OK; i++) status = put_set(w, i);
  ff_out_puts(w->out, "\nvariables:\n");
  for (uint32_t i = 0; i < net->n_indices; i++) {
    ff_out_puts(w->out, "  ");
    ff_out_puts(w->out, w->scope.set[net->index[i].set].name);
    ff_out_puts(w->out, " : ");
    ff_out_puts(w->out, w->scope.index[i].name);
    ff_out_puts(w->out, ";\n");
  }
  ff_out_puts(w->out, "\ncolorfunctions:\n");
  for (uint32_t i = 0; i < net->n_functions && status == FF_OK; i++) status = put_function(w, i);
  ff_out_puts(w->out, "\n");
  return status;
}

/* ---- places ---- */

static int has_index(const ff_petri *net, const ff_formula *formula) {
  const uint32_t first = net->n_parameters + net->n_variables;
  for (uint32_t i = 0; i < formula->length; i++)
    if (formula->word[i].code == FF_F_SYMBOL && formula->word[i].symbol >= first) return 1;
  return 0;
}

/* The markings of a place as the format adds them up: n of them; 0 in *plain if it cannot say them. */
static uint32_t count_markings(const ff_petri *net, const uint32_t *next, uint32_t first, int *plain) {
  uint32_t n = 0;
  *plain = 1;
  for (uint32_t m = first; m != FF_PETRI_NONE; m = next[m], n++) {
    const ff_petri_marking *marking = &net->marking[m];
    if (n > 0 && !marking->adds) *plain = 0;
    if (marking->element.all && (marking->when.length > 0 || has_index(net, &marking->value))) *plain = 0;
    if (net->place[marking->element.place].set == FF_PETRI_NONE && (n > 0 || marking->when.length > 0)) *plain = 0;
  }
  return n;
}

static ff_status put_marking(ff_andl_writer *w, uint32_t number) {
  const ff_petri_marking *m = &w->net->marking[number];
  const char *name = w->net->place[m->element.place].name;
  const ff_andl_elements none = {NULL, 0};
  ff_status status = FF_OK;
  double count;
  if (w->net->place[m->element.place].set == FF_PETRI_NONE)
    return ff_andl_put_formula(w, &m->value, none, "the marking of place", name);
  if (m->when.length > 0) {
    ff_out_puts(w->out, "[");
    status = ff_andl_put_colour(w, &m->when, &w->scope);
    ff_out_puts(w->out, "] ");
  }
  if (status == FF_OK) status = ff_andl_put_count(w, &m->value, none, "the marking of place", name);
  if (ff_formula_is_number(&m->value, &count) && !(count >= 0)) status = ff_andl_cannot(w, "place", name, "a marking below 0");
  if (m->element.all) ff_out_puts(w->out, "all");
  return status == FF_OK && !m->element.all ? ff_andl_put_tuple(w, &m->element) : status;
}

/* All colours with their numbers, for markings that replace others. */
static ff_status put_numbers(ff_andl_writer *w, uint32_t place) {
  uint32_t n = 0;
  ff_status status = w->flat == NULL ? ff_petri_unfold(&w->flat, w->net, w->err) : FF_OK;
  if (status != FF_OK) return status;
  const uint32_t set = w->net->place[place].set, first = w->flat->first[place], end = w->flat->first[place + 1];
  for (uint32_t i = first; i < end; i++) {
    char text[1024];
    if (w->flat->initial[i] == 0) continue;
    ff_out_puts(w->out, n++ == 0 ? "" : "++");
    ff_out_number(w->out, w->flat->initial[i]);
    if (set == FF_PETRI_NONE) continue;
    const int tuple = ff_petri_set_width(w->net, set) > 1;
    if (ff_colours_text(text, sizeof text, w->net->colours[set], i - first, ",", &w->scope) >= sizeof text)
      return ff_andl_cannot(w, "place", w->net->place[place].name, "colours with such long names");
    ff_out_puts(w->out, tuple ? "`(" : "`");
    ff_out_puts(w->out, text);
    ff_out_puts(w->out, tuple ? ")" : "");
  }
  if (n == 0) ff_out_puts(w->out, set == FF_PETRI_NONE ? "0" : "0`all");
  return FF_OK;
}

static ff_status put_place(ff_andl_writer *w, uint32_t number, const uint32_t *next, uint32_t first) {
  const ff_petri_place *place = &w->net->place[number];
  ff_status status = FF_OK;
  int plain, before = 0;
  if (place->fixed) return ff_andl_cannot(w, "place", place->name, "a level that no transition changes (it is fixed)");
  ff_out_puts(w->out, "  ");
  if (place->set != FF_PETRI_NONE) {
    ff_out_puts(w->out, w->scope.set[place->set].name);
    ff_out_puts(w->out, " ");
  }
  ff_out_puts(w->out, w->place[number]);
  ff_out_puts(w->out, " = ");
  const uint32_t n = count_markings(w->net, next, first, &plain);
  if (n == 0) ff_out_puts(w->out, place->set == FF_PETRI_NONE ? "0" : "0`all");
  for (uint32_t m = first; plain && m != FF_PETRI_NONE && status == FF_OK; m = next[m]) {
    ff_out_puts(w->out, before++ == 0 ? "" : "++");
    status = put_marking(w, m);
  }
  if (!plain) status = put_numbers(w, number);
  ff_out_puts(w->out, ";\n");
  return status;
}

/* The markings of each place as lists, in the order in which they were added. */
static ff_status put_places(ff_andl_writer *w) {
  const ff_petri *net = w->net;
  uint32_t *next = ff_calloc((size_t)net->n_markings + 1, sizeof *next),
           *first = ff_calloc((size_t)net->n_places + 1, sizeof *first);
  ff_status status = next == NULL || first == NULL ? ff_error_set(w->err, FF_EMEMORY, "no memory for markings") : FF_OK;
  for (uint32_t i = 0; i < net->n_places && status == FF_OK; i++) first[i] = FF_PETRI_NONE;
  for (uint32_t m = net->n_markings; m-- > 0 && status == FF_OK;) {
    const uint32_t place = net->marking[m].element.place;
    next[m] = first[place];
    first[place] = m;
  }
  ff_out_puts(w->out, "places:\n");
  for (uint32_t i = 0; i < net->n_places && status == FF_OK; i++) {
    if (i == 0 || net->place[i].continuous != net->place[i - 1].continuous)
      ff_out_puts(w->out, net->place[i].continuous ? "continuous:\n" : "discrete:\n");
    status = put_place(w, i, next, first[i]);
  }
  ff_out_puts(w->out, "\n");
  free(next);
  free(first);
  return status;
}

static ff_status put_observers(ff_andl_writer *w) {
  const ff_petri *net = w->net;
  ff_status status = FF_OK;
  if (net->n_variables == 0) return FF_OK;
  ff_out_puts(w->out, "observers:\n");
  for (uint32_t i = 0; i < net->n_variables && status == FF_OK; i++) {
    const ff_petri_variable *v = &net->variable[i];
    ff_out_puts(w->out, "  ");
    ff_out_puts(w->out, w->variable[i]);
    ff_out_puts(w->out, " = ");
    status = ff_andl_put_formula(w, &v->value, (ff_andl_elements){v->element, v->n_elements}, "the variable", v->name);
    ff_out_puts(w->out, ";\n");
  }
  ff_out_puts(w->out, "\n");
  return status;
}

ff_status ff_io_andl_text(char **text, const ff_petri *net, ff_error *err) {
  ff_out out = {.err = err};
  ff_andl_writer w;
  *text = NULL;
  if (net->n_events > 0)
    return ff_error_set(err, FF_EMODEL, "event %s cannot be written: ANDL and CANDL have no events; SBML has them",
                        ff_quote(net->event[0].event.name, strlen(net->event[0].event.name)).text);
  ff_status status = ff_andl_writer_begin(&w, net, &out, err);
  ff_out_puts(&out, ff_io_andl_is_coloured(net) ? "col" : "");
  ff_out_puts(&out, type_of(net));
  ff_out_puts(&out, " [net]\n{\n");
  if (status == FF_OK) status = put_constants(&w);
  if (status == FF_OK) status = put_colours(&w);
  if (status == FF_OK) status = put_places(&w);
  if (status == FF_OK) status = put_observers(&w);
  if (status == FF_OK) status = ff_andl_put_transitions(&w);
  ff_out_puts(&out, "}\n");
  ff_andl_writer_end(&w);
  if (status == FF_OK) return ff_out_finish(&out, text);
  free(out.text);
  return status;
}
