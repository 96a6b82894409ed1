/* Coloured hybrid Petri nets, from text: elements, formulas, numbers, markings. Equations and tests are in ff_petri_equation.c.
 * */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_text.h"
#include "../ff_formula_code.h"
#include "../ff_parse.h"
#include "ff_petri_internal.h"

ff_petri_label ff_petri_label_of(const ff_petri *net, uint32_t transition) {
  ff_petri_label out;
  const char *name = net->transition[transition].name;
  snprintf(out.text, sizeof out.text, "transition %s: ", ff_quote(name, strlen(name)).text);
  return out;
}

/* ---- words -------------------------------------------------------------------------------------------------------- */

static void trim(ff_petri_piece_text *piece) {
  while (piece->length > 0 && ff_is_blank(piece->text[0])) piece->text++, piece->length--;
  while (piece->length > 0 && ff_is_blank(piece->text[piece->length - 1])) piece->length--;
}

static ff_status push_piece(ff_petri_piece_text **out, uint32_t *n, ff_petri_piece_text piece, ff_error *err) {
  void *memory = *out;
  ff_status status = ff_petri_room(&memory, *n, sizeof **out, err);
  *out = memory;
  trim(&piece);
  if (status == FF_OK) (*out)[(*n)++] = piece;
  return status;
}

ff_status ff_petri_split(ff_petri_piece_text **out, uint32_t *n, const char *text, size_t length, ff_error *err) {
  size_t start = 0, at = 0;
  ff_status status = FF_OK;
  *out = NULL;
  *n = 0;
  while (at < length && status == FF_OK) {
    const char c = text[at], *name;
    size_t used = 1, name_length;
    int closed;
    if (c == '"' || c == '`') used = ff_quoted_length(text + at, length - at, &name, &name_length, &closed);
    if (c == '(' || c == '[') used = ff_bracketed_length(text + at, length - at);
    if (c == ',') status = push_piece(out, n, (ff_petri_piece_text){text + start, at - start}, err);
    at = used > 0 ? at + used : length; /* what reads the piece finds that a bracket is missing */
    if (c == ',') start = at;
  }
  if (status == FF_OK) status = push_piece(out, n, (ff_petri_piece_text){text + start, length - start}, err);
  if (status == FF_OK) return FF_OK;
  free(*out);
  *out = NULL;
  return status;
}

/* ---- elements ----------------------------------------------------------------------------------------------------- */

int ff_petri_same_code(const ff_colour_expr *a, const ff_colour_expr *b) {
  if (a->length != b->length) return 0;
  for (uint32_t i = 0; i < a->length; i++)
    if (a->word[i].code != b->word[i].code || a->word[i].of != b->word[i].of || a->word[i].value != b->word[i].value) return 0;
  return 1;
}

static int same_element(const ff_petri_element *a, const ff_petri_element *b) {
  if (a->place != b->place || a->all != b->all || a->width != b->width) return 0;
  for (uint32_t k = 0; k < a->width; k++)
    if (!ff_petri_same_code(&a->colour[k], &b->colour[k])) return 0;
  return 1;
}

/* Adds an element, or finds an equal one and frees this one. */
static ff_status keep_element(const ff_petri_elements *to, ff_petri_element *element, uint32_t *at) {
  for (*at = 0; *at < *to->n; (*at)++)
    if (same_element(&(*to->all)[*at], element)) {
      ff_petri_element_free(element);
      return FF_OK;
    }
  void *memory = *to->all;
  ff_status status = ff_petri_room(&memory, *to->n, sizeof *element, to->err);
  *to->all = memory;
  if (status == FF_OK)
    (*to->all)[(*to->n)++] = *element;
  else
    ff_petri_element_free(element);
  return status;
}

/* The start of a message on what a text of this place names. */
static ff_place_text start_of(const ff_petri_elements *to) {
  const ff_source source = {"", 0, to->place, "", to->err};
  return ff_source_place(&source);
}

static ff_quoted quote_place(const ff_petri *net, uint32_t place) {
  return ff_quote(net->place[place].name, strlen(net->place[place].name));
}

/* The components of an index that stands alone, such as c for c[1], c[2]. */
static ff_status push_index(ff_petri_element *element, uint32_t capacity, const ff_colour_index *index, uint32_t width,
                            ff_error *err) {
  for (uint32_t k = 0; k < width && element->width < capacity; k++) {
    ff_colour_word *word = ff_calloc(1, sizeof *word);
    if (word == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a colour");
    *word = (ff_colour_word){FF_C_INDEX, index->first + k, 0};
    element->colour[element->width++] = (ff_colour_expr){word, 1, 1};
  }
  return FF_OK;
}

ff_status ff_petri_take_colours(const ff_petri_elements *to, uint32_t place, const ff_petri_piece_text *colour, uint32_t n,
                                ff_colour_dialect dialect, uint32_t *at) {
  ff_petri *net = to->net;
  const uint32_t width = ff_petri_set_width(net, net->place[place].set);
  const ff_colour_scope scope = ff_petri_scope(net);
  ff_petri_element element = {.place = place, .colour = ff_calloc(width + 1, sizeof *element.colour)};
  uint32_t found = 0;
  ff_status status = element.colour != NULL ? FF_OK : ff_error_set(to->err, FF_EMEMORY, "no memory for a colour");
  for (uint32_t i = 0; i < n && status == FF_OK; i++) {
    const char *name = NULL;
    size_t name_length;
    uint32_t index = FF_PETRI_NONE;
    if (colour[i].length > 0 && ff_petri_name_at(colour[i].text, colour[i].length, &name, &name_length) == colour[i].length)
      index = ff_petri_index_number(net, name, name_length);
    const uint32_t components = index == FF_PETRI_NONE ? 1 : ff_petri_set_width(net, net->index[index].set);
    found += components;
    if (found > width) continue; /* a message follows */
    if (index != FF_PETRI_NONE)
      status = push_index(&element, width, &net->index[index], components, to->err);
    else
      status = ff_colour_parse(&element.colour[element.width++], colour[i].text, colour[i].length, dialect, &scope, to->place,
                               to->err);
  }
  if (status == FF_OK && found != width)
    status = ff_error_set(to->err, FF_EPARSE, "%splace %s has colours of %u component%s; found %u", start_of(to).text,
                          quote_place(net, place).text, width, width == 1 ? "" : "s", found);
  if (status == FF_OK) return keep_element(to, &element, at);
  ff_petri_element_free(&element);
  return status;
}

static ff_status unknown_place(const ff_petri_elements *to, const char *name, size_t length) {
  const char *near = NULL;
  for (uint32_t i = 0; i < to->net->n_places && near == NULL; i++) near = ff_name_near(&to->net->place[i].name, 1, name, length);
  return ff_error_set(to->err, FF_EPARSE, "%sno place is called %s%s", start_of(to).text, ff_quote(name, length).text,
                      ff_hint_of(near).text);
}

/* What follows the name of a place: nothing, or the colours in brackets. */
static ff_status take_rest(const ff_petri_elements *to, uint32_t place, ff_petri_piece_text rest, uint32_t *at) {
  const ff_quoted shown = quote_place(to->net, place);
  const int coloured = to->net->place[place].set != FF_PETRI_NONE;
  if (rest.length == 0) {
    if (!coloured) return ff_petri_take_colours(to, place, NULL, 0, FF_COLOUR_R, at);
    return ff_error_set(to->err, FF_EPARSE, "%splace %s has colours; expected them in brackets after its name", start_of(to).text,
                        shown.text);
  }
  if (rest.text[0] != '[' || ff_bracketed_length(rest.text, rest.length) != rest.length)
    return ff_error_set(to->err, FF_EPARSE, "%sfound %s after place %s; expected %s", start_of(to).text,
                        ff_quote(rest.text, rest.length).text, shown.text,
                        coloured ? "its colours in brackets" : "the end of the name");
  if (!coloured)
    return ff_error_set(to->err, FF_EPARSE, "%splace %s has no colours; found %s after its name", start_of(to).text, shown.text,
                        ff_quote(rest.text, rest.length).text);
  ff_petri_piece_text *colour;
  uint32_t n;
  ff_status status = ff_petri_split(&colour, &n, rest.text + 1, rest.length - 2, to->err);
  if (status != FF_OK) return status;
  status = ff_petri_take_colours(to, place, colour, n, FF_COLOUR_R, at);
  free(colour);
  return status;
}

ff_status ff_petri_take_element(const ff_petri_elements *to, const char *text, size_t length, uint32_t *at) {
  ff_petri_piece_text all = {text, length};
  const char *name;
  size_t name_length;
  trim(&all);
  const size_t used = ff_petri_name_at(all.text, all.length, &name, &name_length);
  if (used == 0)
    return ff_error_set(to->err, FF_EPARSE, "%sfound %s; expected a place", start_of(to).text,
                        all.length > 0 ? ff_quote(all.text, all.length).text : "nothing");
  const uint32_t place = ff_petri_place_number(to->net, name, name_length);
  if (place == FF_PETRI_NONE) return unknown_place(to, name, name_length);
  ff_petri_piece_text rest = {all.text + used, all.length - used};
  trim(&rest);
  return take_rest(to, place, rest, at);
}

/* ---- formulas ----------------------------------------------------------------------------------------------------- */

typedef struct {
  const ff_petri_elements *to;
  unsigned may;
} looker;

static int64_t result_of(ff_status status, uint32_t symbol) { return status == FF_OK ? (int64_t)symbol : -2 - (int64_t)status; }

/* A list of what a formula may name, for a message. */
static const char *allowed(unsigned may) {
  switch (may & ~(unsigned)FF_MAY_TIME) {
    case 0: return "parameters";
    case FF_MAY_INDICES: return "parameters and indices";
    case FF_MAY_ELEMENTS | FF_MAY_INDICES: return "places, parameters and indices";
    case FF_MAY_ELEMENTS | FF_MAY_VARIABLES: return "places, parameters and variables";
    default: return "places, parameters, variables and indices";
  }
}

static int64_t refuse(const looker *l, const char *what, const char *name, size_t length) {
  return result_of(ff_error_set(l->to->err, FF_EPARSE, "%sfound the %s %s where only %s may be named", start_of(l->to).text, what,
                                ff_quote(name, length).text, allowed(l->may)), 0);
}

/* sum(Ca): the sum over all colours. */
static int64_t look_up_sum(const looker *l, const char *text, size_t length) {
  const ff_petri_elements *to = l->to;
  const char *open = memchr(text, '(', length), *name;
  ff_petri_piece_text inner = {open + 1, length - (size_t)(open - text) - 2};
  size_t name_length;
  uint32_t at = 0;
  trim(&inner);
  if (ff_petri_name_at(inner.text, inner.length, &name, &name_length) != inner.length || inner.length == 0)
    return result_of(ff_error_set(to->err, FF_EPARSE, "%sfound %s; expected sum(P), the sum over all colours of a place P",
                                  start_of(to).text, ff_quote(text, length).text), 0);
  const uint32_t place = ff_petri_place_number(to->net, name, name_length);
  if (place == FF_PETRI_NONE) return result_of(unknown_place(to, name, name_length), 0);
  if (!(l->may & FF_MAY_ELEMENTS)) return refuse(l, "place", name, name_length);
  ff_petri_element element = {.place = place, .all = to->net->place[place].set != FF_PETRI_NONE};
  const ff_status status = keep_element(to, &element, &at);
  return result_of(status, ff_petri_first_element(to->net) + at);
}

static int64_t look_up_place(const looker *l, uint32_t place, const char *text, size_t length, ff_petri_piece_text rest) {
  const ff_petri_elements *to = l->to;
  const char *name = to->net->place[place].name;
  uint32_t at = 0;
  if (!(l->may & FF_MAY_ELEMENTS)) return refuse(l, "place", text, length);
  if (rest.length == 0 && to->net->place[place].set != FF_PETRI_NONE)
    return result_of(ff_error_set(to->err, FF_EPARSE,
                                  "%splace %s has colours; expected one of them, as in %.60s[...], or the sum over "
                                  "all, sum(%.60s)",
                                  start_of(to).text, quote_place(to->net, place).text, name, name),
                     0);
  const ff_status status = take_rest(to, place, rest, &at);
  return result_of(status, ff_petri_first_element(to->net) + at);
}

/* An index as a number: x, or a component of a tuple, c[2]. */
static int64_t look_up_index(const looker *l, uint32_t number, const char *text, size_t length, ff_petri_piece_text rest) {
  const ff_petri_elements *to = l->to;
  const ff_petri *net = to->net;
  const ff_colour_index *index = &net->index[number];
  const uint32_t width = ff_petri_set_width(net, index->set);
  uint32_t k = 0;
  if (!(l->may & FF_MAY_INDICES)) return refuse(l, "index", text, length);
  if (rest.length > 0) {
    ff_petri_piece_text inner = {rest.text + 1, rest.length - 2};
    trim(&inner);
    if (inner.length == 1 && ff_is_digit(inner.text[0])) k = (uint32_t)(inner.text[0] - '0');
  } else if (width == 1) {
    k = 1;
  }
  if (k == 0 || k > width)
    return result_of(ff_error_set(to->err, FF_EPARSE, "%sfound %s, but index %s has %u component%s; expected one as in %.60s[1]",
                                  start_of(to).text, ff_quote(text, length).text, ff_quote(index->name, strlen(index->name)).text,
                                  width, width == 1 ? "" : "s", index->name), 0);
  if (ff_petri_set_named(net, index->set, k - 1))
    return result_of(ff_error_set(to->err, FF_EPARSE, "%sfound the index %s in a formula; its colours are names, not numbers",
                                  start_of(to).text, ff_quote(text, length).text), 0);
  return net->n_parameters + net->n_variables + index->first + k - 1;
}

static int64_t look_up(void *context, const char *text, size_t length) {
  const looker *l = context;
  const ff_petri *net = l->to->net;
  const char *name;
  size_t name_length;
  const size_t used = ff_petri_name_at(text, length, &name, &name_length);
  ff_petri_piece_text rest = {text + used, length - used};
  ff_petri_name_kind kind = FF_NAMES_PLACE;
  trim(&rest);
  if (rest.length > 0 && rest.text[0] == '(') return look_up_sum(l, text, length);
  const uint32_t number = ff_petri_find(net, &kind, name, name_length);
  if (number == FF_PETRI_NONE) return -1;
  if (kind == FF_NAMES_PLACE) return look_up_place(l, number, text, length, rest);
  if (kind == FF_NAMES_INDEX) return look_up_index(l, number, text, length, rest);
  if (rest.length > 0)
    return result_of(ff_error_set(l->to->err, FF_EPARSE, "%sfound %s, but %s %s has no colours", start_of(l->to).text,
                                  ff_quote(text, length).text, kind == FF_NAMES_PARAMETER ? "parameter" : "variable",
                                  ff_quote(name, name_length).text), 0);
  if (kind == FF_NAMES_PARAMETER) return number;
  if (!(l->may & FF_MAY_VARIABLES)) return refuse(l, "variable", text, length);
  return net->n_parameters + number;
}

static const char *near_name(void *context, const char *text, size_t length) {
  const looker *l = context;
  const char *name;
  size_t name_length;
  ff_petri_name_at(text, length, &name, &name_length);
  return ff_petri_near(l->to->net, name, name_length);
}

ff_status ff_petri_parse_formula(ff_formula *out, const ff_petri_elements *to, const char *text, size_t length, unsigned may) {
  looker l = {to, may};
  const ff_formula_elements elements = {look_up, &l, "place, parameter, variable or index", near_name};
  ff_status status = ff_formula_parse_elements(out, text, length, &elements, to->place, to->err);
  if (status != FF_OK || (may & FF_MAY_TIME) || !ff_formula_has_time(out)) return status;
  ff_formula_free(out);
  return ff_error_set(to->err, FF_EPARSE, "%sthe formula %s depends on the time; expected one of %s", start_of(to).text,
                      ff_quote(text, length).text, allowed(may));
}

static ff_petri_elements elements_of(ff_petri *net, uint32_t transition, ff_place place, ff_error *err) {
  ff_petri_transition *t = &net->transition[transition];
  return (ff_petri_elements){net, &t->element, &t->n_elements, place, err};
}

/* ---- arcs --------------------------------------------------------------------------------------------------------- */

int ff_petri_weight(const ff_formula *weight, double *number) {
  *number = 1.0;
  return weight->length == 0 || ff_formula_is_number(weight, number);
}

/* A weight without symbols becomes a number, and 1 becomes empty. */
static ff_status simplify(ff_formula *weight, ff_error *err) {
  double number = 1.0;
  for (uint32_t i = 0; i < weight->length; i++)
    if (weight->word[i].code == FF_F_SYMBOL) return FF_OK;
  ff_status status = weight->length > 1 ? ff_formula_constant(weight, &number, err) : FF_OK;
  if (status != FF_OK || (weight->length == 1 && weight->word[0].number != 1.0)) return status;
  ff_formula_free(weight);
  return number != 1.0 ? ff_formula_of_number(weight, number, err) : FF_OK;
}

/* Adds the weight to the arc that takes from the element, or adds to it, already. Returns whether there is one with a number. */
static int add_weight(ff_petri_transition *t, ff_petri_arc_kind kind, uint32_t element, const ff_formula *weight, ff_error *err,
                      ff_status *status) {
  double number, more;
  if ((kind != FF_ARC_IN && kind != FF_ARC_OUT) || !ff_petri_weight(weight, &more)) return 0;
  for (uint32_t i = 0; i < t->n_arcs; i++) {
    ff_petri_arc *arc = &t->arc[i];
    if (arc->kind != kind || arc->element != element || !ff_petri_weight(&arc->weight, &number)) continue;
    ff_formula_free(&arc->weight);
    *status = number + more != 1.0 ? ff_formula_of_number(&arc->weight, number + more, err) : FF_OK;
    return 1;
  }
  return 0;
}

ff_status ff_petri_push_arc(ff_petri *net, uint32_t transition, ff_petri_arc_kind kind, uint32_t element, ff_formula *weight,
                            ff_error *err) {
  ff_petri_transition *t = &net->transition[transition];
  ff_status status = simplify(weight, err);
  if (status == FF_OK && !add_weight(t, kind, element, weight, err, &status)) {
    void *memory = t->arc;
    status = ff_petri_room(&memory, t->n_arcs, sizeof *t->arc, err);
    t->arc = memory;
    if (status == FF_OK) {
      t->arc[t->n_arcs++] = (ff_petri_arc){kind, element, *weight};
      *weight = (ff_formula){0};
    }
  }
  ff_formula_free(weight);
  return status;
}

ff_status ff_petri_add_arc(ff_petri *net, uint32_t transition, ff_petri_arc_kind kind, uint32_t place, const char *const *colour,
                           uint32_t width, const char *weight, ff_colour_dialect dialect, ff_place where, ff_error *err) {
  const ff_petri_elements to = elements_of(net, transition, where, err);
  ff_formula parsed = {0};
  uint32_t element = 0;
  ff_petri_piece_text *text = ff_calloc(width, sizeof *text);
  if (text == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for an arc");
  for (uint32_t i = 0; i < width; i++) {
    text[i] = (ff_petri_piece_text){colour[i], strlen(colour[i])};
    trim(&text[i]);
  }
  ff_status status = ff_petri_take_colours(&to, place, text, width, dialect, &element);
  free(text);
  if (status == FF_OK && weight != NULL && kind != FF_ARC_RESET && kind != FF_ARC_MODIFIER)
    status = ff_petri_parse_formula(&parsed, &to, weight, strlen(weight), FF_MAY_ELEMENTS | FF_MAY_INDICES);
  return status == FF_OK ? ff_petri_push_arc(net, transition, kind, element, &parsed, err) : status;
}

/* ---- guards, numbers, variables, markings ------------------------------------------------------------------------- */

ff_status ff_petri_guard(ff_petri *net, uint32_t transition, const char *text, ff_colour_dialect dialect, ff_place place,
                         ff_error *err) {
  const ff_colour_scope scope = ff_petri_scope(net);
  ff_colour_expr guard = {0};
  ff_status status = ff_colour_parse(&guard, text, strlen(text), dialect, &scope, place, err);
  if (status != FF_OK) return status;
  ff_colour_free(&net->transition[transition].guard);
  net->transition[transition].guard = guard;
  return FF_OK;
}

/* Elements that a formula names and no arc has become modifiers. */
static ff_status add_modifiers(ff_petri *net, uint32_t transition, const ff_formula *formula, ff_error *err) {
  ff_petri_transition *t = &net->transition[transition];
  const uint32_t first = ff_petri_first_element(net);
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < formula->length && status == FF_OK; i++) {
    if (formula->word[i].code != FF_F_SYMBOL || formula->word[i].symbol < first) continue;
    const uint32_t element = formula->word[i].symbol - first;
    uint32_t k = 0;
    while (k < t->n_arcs && t->arc[k].element != element) k++;
    ff_formula none = {0};
    if (k == t->n_arcs && !t->element[element].all)
      status = ff_petri_push_arc(net, transition, FF_ARC_MODIFIER, element, &none, err);
  }
  return status;
}

ff_status ff_petri_number(ff_petri *net, uint32_t transition, const char *when, const char *text, int mass_action, ff_place place,
                          ff_error *err) {
  const ff_petri_elements to = elements_of(net, transition, place, err);
  ff_petri_transition *t = &net->transition[transition];
  const ff_colour_scope scope = ff_petri_scope(net);
  ff_petri_piece piece = {.mass_action = mass_action != 0};
  ff_status status = when == NULL ? FF_OK : ff_colour_parse(&piece.when, when, strlen(when), FF_COLOUR_R, &scope, place, err);
  if (status == FF_OK)
    status = ff_petri_parse_formula(&piece.value, &to, text, strlen(text),
                                    FF_MAY_ELEMENTS | FF_MAY_VARIABLES | FF_MAY_INDICES | FF_MAY_TIME);
  void *memory = t->piece;
  if (status == FF_OK) status = ff_petri_room(&memory, t->n_pieces, sizeof *t->piece, err);
  t->piece = memory;
  if (status == FF_OK) status = add_modifiers(net, transition, &piece.value, err);
  if (status == FF_OK) {
    t->piece[t->n_pieces++] = piece;
    return FF_OK;
  }
  ff_colour_free(&piece.when);
  ff_formula_free(&piece.value);
  return status;
}

ff_status ff_petri_at(ff_petri *net, uint32_t transition, int which, const char *text, ff_place place, ff_error *err) {
  const ff_petri_elements to = elements_of(net, transition, place, err);
  ff_formula parsed = {0};
  ff_status status = ff_petri_parse_formula(&parsed, &to, text, strlen(text), 0);
  if (status != FF_OK) return status;
  ff_formula_free(&net->transition[transition].at[which]);
  net->transition[transition].at[which] = parsed;
  return FF_OK;
}

static int names_index(const ff_colour_expr *expr) {
  for (uint32_t i = 0; i < expr->length; i++)
    if (expr->word[i].code == FF_C_INDEX) return 1;
  return 0;
}

/* What is no transition names colours by numbers and names. */
static ff_status refuse_indices(const ff_petri_elements *to, const char *what, const char *name) {
  const ff_petri_element *element = *to->all;
  for (uint32_t i = 0; i < *to->n; i++)
    for (uint32_t k = 0; k < element[i].width; k++)
      if (names_index(&element[i].colour[k]))
        return ff_error_set(to->err, FF_EPARSE, "%s%s %s names a colour of place %s by an index; expected a number or a name",
                            start_of(to).text, what, ff_quote(name, strlen(name)).text,
                            quote_place(to->net, element[i].place).text);
  return FF_OK;
}

/* Parses such a formula, which replaces *out. */
static ff_status take_formula(const ff_petri_elements *to, const char *what, const char *name, const char *text,
                              ff_formula *out) {
  ff_formula parsed = {0};
  ff_status status = ff_petri_parse_formula(&parsed, to, text, strlen(text), FF_MAY_ELEMENTS | FF_MAY_VARIABLES | FF_MAY_TIME);
  if (status == FF_OK) status = refuse_indices(to, what, name);
  if (status != FF_OK) {
    ff_formula_free(&parsed);
    return status;
  }
  ff_formula_free(out);
  *out = parsed;
  return FF_OK;
}

ff_status ff_petri_variable_text(ff_petri *net, uint32_t variable, const char *text, ff_place place, ff_error *err) {
  ff_petri_variable *v = &net->variable[variable];
  const ff_petri_elements to = {net, &v->element, &v->n_elements, place, err};
  return take_formula(&to, "variable", v->name, text, &v->value);
}

/* The element of a marking: a coloured place without brackets is all of its colours. */
static ff_status take_marked(const ff_petri_elements *to, const char *text, uint32_t *at) {
  ff_petri_piece_text all = {text, strlen(text)};
  const char *name;
  size_t name_length;
  trim(&all);
  if (all.length > 0 && ff_petri_name_at(all.text, all.length, &name, &name_length) == all.length) {
    const uint32_t place = ff_petri_place_number(to->net, name, name_length);
    ff_petri_element element = {.place = place, .all = 1};
    if (place != FF_PETRI_NONE && to->net->place[place].set != FF_PETRI_NONE) return keep_element(to, &element, at);
  }
  return ff_petri_take_element(to, all.text, all.length, at);
}

ff_status ff_petri_add_marking(ff_petri *net, const char *element, const char *when, const char *value, int adds, ff_place place,
                               ff_error *err) {
  ff_petri_element *list = NULL;
  uint32_t n = 0, at = 0;
  const ff_petri_elements to = {net, &list, &n, place, err};
  const ff_colour_scope scope = ff_petri_scope(net);
  ff_petri_marking marking = {.adds = adds != 0};
  ff_status status = take_marked(&to, element, &at);
  if (status == FF_OK && when != NULL)
    status = ff_colour_parse(&marking.when, when, strlen(when), FF_COLOUR_R, &scope, place, err);
  if (status == FF_OK) status = ff_petri_parse_formula(&marking.value, &to, value, strlen(value), FF_MAY_INDICES);
  void *memory = net->marking;
  if (status == FF_OK) status = ff_petri_room(&memory, net->n_markings, sizeof *net->marking, err);
  net->marking = memory;
  if (status == FF_OK) {
    marking.element = list[0];
    net->marking[net->n_markings++] = marking;
  } else {
    for (uint32_t i = 0; i < n; i++) ff_petri_element_free(&list[i]);
    ff_colour_free(&marking.when);
    ff_formula_free(&marking.value);
  }
  free(list);
  return status;
}

/* ---- events ------------------------------------------------------------------------------------------------------- */

ff_status ff_petri_event_text(ff_petri *net, uint32_t event, ff_event_part part, const char *text, ff_place place,
                              ff_error *err) {
  ff_petri_coloured_event *e = &net->event[event];
  const ff_petri_elements to = {net, &e->element, &e->n_elements, place, err};
  ff_formula *const parts[] = {&e->event.trigger, &e->event.delay, &e->event.priority};
  return take_formula(&to, "event", e->event.name, text, parts[part]);
}

static ff_status no_target(const ff_petri_elements *to, const char *event, const char *text, const char *name, size_t length) {
  return ff_error_set(to->err, FF_EPARSE, "event %s sets %s, but no place or parameter has this name%s",
                      ff_quote(event, strlen(event)).text, ff_quote(text, strlen(text)).text,
                      ff_hint_of(ff_petri_near(to->net, name, length)).text);
}

/* The symbol of what an event sets. A name need not be quoted. */
static ff_status take_target(const ff_petri_elements *to, const char *event, const char *text, uint32_t *symbol) {
  const char *name = text;
  size_t length = strlen(text), name_length = length;
  ff_petri_name_kind kind = FF_NAMES_PLACE;
  uint32_t number = ff_petri_find(to->net, &kind, text, length), at = 0;
  const size_t used = number == FF_PETRI_NONE ? ff_petri_name_at(text, length, &name, &name_length) : length;
  const int whole = number != FF_PETRI_NONE || used == length;
  if (number == FF_PETRI_NONE && used > 0) number = ff_petri_find(to->net, &kind, name, name_length);
  if (number == FF_PETRI_NONE) return no_target(to, event, text, used > 0 ? name : text, used > 0 ? name_length : length);
  if (kind == FF_NAMES_PARAMETER && whole) {
    *symbol = number;
    return FF_OK;
  }
  if (kind != FF_NAMES_PLACE)
    return ff_error_set(to->err, FF_EMODEL, "event %s sets %s; expected a place or a parameter",
                        ff_quote(event, strlen(event)).text, ff_quote(text, length).text);
  ff_petri_element element = {.place = number, .all = to->net->place[number].set != FF_PETRI_NONE};
  ff_status status = whole ? keep_element(to, &element, &at) : ff_petri_take_element(to, text, length, &at);
  *symbol = ff_petri_first_element(to->net) + at;
  return status;
}

ff_status ff_petri_event_set_text(ff_petri *net, uint32_t event, const char *target, const char *value, const char *factor,
                                  ff_place place, ff_error *err) {
  ff_petri_coloured_event *e = &net->event[event];
  const ff_petri_elements to = {net, &e->element, &e->n_elements, place, err};
  ff_event_set set = {0};
  ff_status status = take_target(&to, e->event.name, target, &set.symbol);
  void *memory = e->event.sets;
  if (status == FF_OK) status = ff_petri_room(&memory, e->event.n_sets, sizeof *e->event.sets, err);
  e->event.sets = memory;
  if (status == FF_OK) status = take_formula(&to, "event", e->event.name, value, &set.value);
  if (status == FF_OK && factor != NULL) status = take_formula(&to, "event", e->event.name, factor, &set.factor);
  if (status == FF_OK) {
    e->event.sets[e->event.n_sets++] = set;
    return FF_OK;
  }
  ff_formula_free(&set.value);
  ff_formula_free(&set.factor);
  return status;
}
