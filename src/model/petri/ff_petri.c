/* Coloured hybrid Petri nets: making and freeing them, and their names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_text.h"
#include "../ff_formula_code.h"
#include "../ff_parse.h"
#include "ff_petri_internal.h"

/* ---- names -------------------------------------------------------------------------------------------------------- */

typedef struct {
  uint32_t kind; /* + 1; 0 if the slot is free */
  uint32_t number;
} slot;

/* What is known of a set before its colours are made. */
typedef struct {
  uint8_t width;
  uint8_t named; /* a bit for each component */
} shape;

struct ff_petri_names {
  slot *slot;
  size_t n, mask;
  shape *shape; /* of each set */
};

static const char *const kind_names[FF_NAMES_KINDS] = {"place", "parameter", "variable", "index", "set of colours", "colour",
                                                       "colour function"};

/* The first four kinds share their names. */
static uint32_t space_of(ff_petri_name_kind kind) { return kind <= FF_NAMES_INDEX ? FF_NAMES_INDEX : kind; }

static const char *name_of(const ff_petri *net, ff_petri_name_kind kind, uint32_t number) {
  switch (kind) {
    case FF_NAMES_PLACE: return net->place[number].name;
    case FF_NAMES_PARAMETER: return net->parameter[number];
    case FF_NAMES_VARIABLE: return net->variable[number].name;
    case FF_NAMES_INDEX: return net->index[number].name;
    case FF_NAMES_SET: return net->set[number].name;
    case FF_NAMES_COLOUR: return net->colour[number];
    default: return net->function[number].name;
  }
}

static size_t find_slot(const ff_petri *net, uint32_t space, const char *name, size_t length) {
  const ff_petri_names *table = net->names;
  size_t at = (size_t)(ff_name_hash(name, length) + space * UINT64_C(0x9E3779B97F4A7C15)) & table->mask;
  for (; table->slot[at].kind != 0; at = (at + 1) & table->mask) {
    const ff_petri_name_kind kind = (ff_petri_name_kind)(table->slot[at].kind - 1);
    if (space_of(kind) == space && ff_text_is(name, length, name_of(net, kind, table->slot[at].number))) break;
  }
  return at;
}

uint32_t ff_petri_find(const ff_petri *net, ff_petri_name_kind *kind, const char *name, size_t length) {
  const slot found = net->names->slot[find_slot(net, space_of(*kind), name, length)];
  if (found.kind == 0) return FF_PETRI_NONE;
  *kind = (ff_petri_name_kind)(found.kind - 1);
  return found.number;
}

static uint32_t find_kind(const ff_petri *net, ff_petri_name_kind wanted, const char *name, size_t length) {
  ff_petri_name_kind kind = wanted;
  const uint32_t number = ff_petri_find(net, &kind, name, length);
  return kind == wanted ? number : FF_PETRI_NONE;
}

uint32_t ff_petri_place_number(const ff_petri *net, const char *name, size_t length) {
  return find_kind(net, FF_NAMES_PLACE, name, length);
}

uint32_t ff_petri_variable_number(const ff_petri *net, const char *name, size_t length) {
  return find_kind(net, FF_NAMES_VARIABLE, name, length);
}

uint32_t ff_petri_set_number(const ff_petri *net, const char *name, size_t length) {
  return find_kind(net, FF_NAMES_SET, name, length);
}

uint32_t ff_petri_index_number(const ff_petri *net, const char *name, size_t length) {
  return find_kind(net, FF_NAMES_INDEX, name, length);
}

const char *ff_petri_near(const ff_petri *net, const char *name, size_t length) {
  const uint32_t n[] = {net->n_places, net->n_parameters, net->n_variables, net->n_indices};
  for (uint32_t kind = 0; kind <= FF_NAMES_INDEX; kind++)
    for (uint32_t i = 0; i < n[kind]; i++) {
      char *one = (char *)name_of(net, (ff_petri_name_kind)kind, i);
      if (ff_name_near(&one, 1, name, length) != NULL) return one;
    }
  return NULL;
}

/* Makes room for one more name. */
static ff_status grow_names(ff_petri *net, ff_error *err) {
  ff_petri_names *table = net->names;
  if (2 * (table->n + 1) <= table->mask + 1) return FF_OK;
  const size_t size = 2 * (table->mask + 1), before = table->mask + 1;
  slot *old = table->slot, *new = ff_calloc(size, sizeof *new);
  if (new == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %zu names", table->n + 1);
  table->slot = new;
  table->mask = size - 1;
  for (size_t i = 0; i < before; i++) {
    if (old[i].kind == 0) continue;
    const ff_petri_name_kind kind = (ff_petri_name_kind)(old[i].kind - 1);
    const char *name = name_of(net, kind, old[i].number);
    table->slot[find_slot(net, space_of(kind), name, strlen(name))] = old[i];
  }
  free(old);
  return FF_OK;
}

/* Makes room for a name, and a copy of it. */
static ff_status new_name(ff_petri *net, ff_petri_name_kind kind, const char *name, uint32_t n, char **copy, ff_error *err) {
  ff_petri_name_kind other = kind;
  ff_status status = ff_name_check(name, kind_names[kind], n + 1, err);
  if (status != FF_OK) return status;
  if (ff_petri_find(net, &other, name, strlen(name)) != FF_PETRI_NONE) {
    const ff_quoted shown = ff_quote(name, strlen(name));
    if (other == kind)
      return ff_error_set(err, FF_EMODEL, "more than one %s is called %s; names must differ", kind_names[kind], shown.text);
    const ff_petri_name_kind low = other < kind ? other : kind, high = other < kind ? kind : other;
    return ff_error_set(err, FF_EMODEL, "a %s and %s %s are called %s; names must differ", kind_names[low],
                        high == FF_NAMES_INDEX ? "an" : "a", kind_names[high], shown.text);
  }
  status = grow_names(net, err);
  *copy = NULL;
  return status == FF_OK ? ff_name_copy(copy, name, err) : status;
}

/* Enters a name for which there is room, and which name_of() gives. */
static void enter(ff_petri *net, ff_petri_name_kind kind, uint32_t number) {
  const char *name = name_of(net, kind, number);
  net->names->slot[find_slot(net, space_of(kind), name, strlen(name))] = (slot){kind + 1u, number};
  net->names->n++;
}

size_t ff_petri_name_at(const char *text, size_t length, const char **name, size_t *name_length) {
  int closed;
  if (length > 0 && (text[0] == '"' || text[0] == '`')) {
    const size_t used = ff_quoted_length(text, length, name, name_length, &closed);
    return closed ? used : 0;
  }
  *name = text;
  return *name_length = ff_formula_name_length(text, length);
}

/* ---- making and freeing ------------------------------------------------------------------------------------------- */

ff_status ff_petri_new(ff_petri **out, ff_error *err) {
  *out = NULL;
  ff_petri *net = ff_calloc(1, sizeof *net);
  if (net != NULL) net->names = ff_calloc(1, sizeof *net->names);
  if (net != NULL && net->names != NULL) net->names->slot = ff_calloc(16, sizeof *net->names->slot);
  if (net == NULL || net->names == NULL || net->names->slot == NULL) {
    ff_petri_free(net);
    return ff_error_set(err, FF_EMEMORY, "no memory for a Petri net");
  }
  net->names->mask = 15;
  *out = net;
  return FF_OK;
}

void ff_petri_element_free(ff_petri_element *element) {
  for (uint32_t k = 0; element->colour != NULL && k < element->width; k++) ff_colour_free(&element->colour[k]);
  free(element->colour);
  *element = (ff_petri_element){0};
}

static void free_elements(ff_petri_element *all, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) ff_petri_element_free(&all[i]);
  free(all);
}

static void free_transition(ff_petri_transition *t) {
  free(t->name);
  ff_colour_free(&t->guard);
  free_elements(t->element, t->n_elements);
  for (uint32_t i = 0; i < t->n_arcs; i++) ff_formula_free(&t->arc[i].weight);
  for (uint32_t i = 0; i < t->n_pieces; i++) {
    ff_colour_free(&t->piece[i].when);
    ff_formula_free(&t->piece[i].value);
  }
  for (int i = 0; i < 3; i++) ff_formula_free(&t->at[i]);
  free(t->arc);
  free(t->piece);
}

static void free_function(ff_colour_function *function) {
  free(function->name);
  for (uint32_t i = 0; function->argument != NULL && i < function->n_arguments; i++) free(function->argument[i]);
  free(function->argument);
  free(function->set);
  ff_colour_free(&function->value);
}

static void free_set(ff_colour_definition *set) {
  free(set->name);
  free(set->value);
  free(set->part);
  free(set->predicate_text);
  ff_colour_free(&set->predicate);
}

static void free_colours(ff_petri *net) {
  for (uint32_t i = 0; i < net->n_sets; i++) {
    free_set(&net->set[i]);
    ff_colours_free(net->colours[i]);
  }
  for (uint32_t i = 0; i < net->n_colours; i++) free(net->colour[i]);
  for (uint32_t i = 0; i < net->n_functions; i++) free_function(&net->function[i]);
  for (uint32_t i = 0; i < net->n_indices; i++) free(net->index[i].name);
  free(net->set);
  free(net->colours);
  free(net->colour);
  free(net->function);
  free(net->index);
}

void ff_petri_free(ff_petri *net) {
  if (net == NULL) return;
  for (uint32_t i = 0; i < net->n_places; i++) free(net->place[i].name);
  for (uint32_t i = 0; i < net->n_transitions; i++) free_transition(&net->transition[i]);
  for (uint32_t i = 0; i < net->n_markings; i++) {
    ff_petri_element_free(&net->marking[i].element);
    ff_colour_free(&net->marking[i].when);
    ff_formula_free(&net->marking[i].value);
  }
  for (uint32_t i = 0; i < net->n_variables; i++) {
    free(net->variable[i].name);
    free_elements(net->variable[i].element, net->variable[i].n_elements);
    ff_formula_free(&net->variable[i].value);
  }
  for (uint32_t i = 0; i < net->n_events; i++) {
    ff_event_free(&net->event[i].event);
    free_elements(net->event[i].element, net->event[i].n_elements);
  }
  for (uint32_t i = 0; i < net->n_parameters; i++) {
    free(net->parameter[i]);
    free(net->definition[i]);
  }
  free_colours(net);
  free(net->place);
  free(net->transition);
  free(net->marking);
  free(net->variable);
  free(net->event);
  free(net->parameter);
  free(net->value);
  free(net->definition);
  if (net->names != NULL) {
    free(net->names->slot);
    free(net->names->shape);
  }
  free(net->names);
  free(net);
}

/* ---- lists -------------------------------------------------------------------------------------------------------- */

/* The capacity of an array is known from the number of its elements, because ff_grow() doubles it from 16 on. */
ff_status ff_petri_room(void **memory, uint32_t n, size_t size, ff_error *err) {
  size_t capacity = n == 0 ? 0 : 16;
  while (capacity < n) capacity *= 2;
  if (n >= UINT32_MAX - 1) return ff_error_set(err, FF_ESIZE, "a list of a Petri net has more than 2^32 - 2 entries");
  return ff_grow(memory, &capacity, (size_t)n + 1, size, err);
}

/* Enlarges an array, which is a member of a struct. */
#define ROOM(status, array, n)                                            \
  do {                                                                    \
    void *room_memory = (array);                                          \
    if ((status) == FF_OK) (status) = ff_petri_room(&room_memory, (n), sizeof *(array), err); \
    (array) = room_memory;                                                \
  } while (0)

ff_status ff_petri_add_parameter(ff_petri *net, const char *name, double value, ff_error *err) {
  const uint32_t n = net->n_parameters;
  char *copy = NULL;
  ff_status status = new_name(net, FF_NAMES_PARAMETER, name, n, &copy, err);
  ROOM(status, net->parameter, n);
  ROOM(status, net->value, n);
  ROOM(status, net->definition, n);
  if (status != FF_OK) {
    free(copy);
    return status;
  }
  net->parameter[n] = copy;
  net->value[n] = value;
  net->definition[n] = NULL;
  net->n_parameters++;
  enter(net, FF_NAMES_PARAMETER, n);
  return FF_OK;
}

ff_status ff_petri_define_parameter(ff_petri *net, uint32_t parameter, const char *definition, ff_error *err) {
  const size_t size = strlen(definition) + 1;
  char *copy = ff_calloc(size, 1);
  if (copy == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the definition of a parameter");
  memcpy(copy, definition, size);
  free(net->definition[parameter]);
  net->definition[parameter] = copy;
  return FF_OK;
}

ff_status ff_petri_add_place(ff_petri *net, const char *name, uint32_t set, int continuous, int fixed, ff_error *err) {
  const uint32_t n = net->n_places;
  char *copy = NULL;
  if (set != FF_PETRI_NONE && set >= net->n_sets)
    return ff_error_set(err, FF_EARGUMENT, "a place has the set of colours %u; there are %u", set, net->n_sets);
  ff_status status = new_name(net, FF_NAMES_PLACE, name, n, &copy, err);
  ROOM(status, net->place, n);
  if (status != FF_OK) {
    free(copy);
    return status;
  }
  net->place[n] = (ff_petri_place){copy, set, continuous != 0, fixed != 0};
  net->n_places++;
  enter(net, FF_NAMES_PLACE, n);
  return FF_OK;
}

ff_status ff_petri_add_transition(ff_petri *net, const char *name, ff_petri_kind kind, uint32_t *number, ff_error *err) {
  const uint32_t n = net->n_transitions;
  char *copy = NULL;
  *number = FF_PETRI_NONE;
  ff_status status = ff_name_check(name, "transition", n + 1, err);
  if (status == FF_OK) status = ff_name_copy(&copy, name, err);
  ROOM(status, net->transition, n);
  if (status != FF_OK) {
    free(copy);
    return status;
  }
  net->transition[n] = (ff_petri_transition){.name = copy, .kind = kind};
  *number = n;
  net->n_transitions++;
  return FF_OK;
}

ff_status ff_petri_add_variable(ff_petri *net, const char *name, ff_error *err) {
  const uint32_t n = net->n_variables;
  char *copy = NULL;
  ff_status status = new_name(net, FF_NAMES_VARIABLE, name, n, &copy, err);
  ROOM(status, net->variable, n);
  if (status != FF_OK) {
    free(copy);
    return status;
  }
  net->variable[n] = (ff_petri_variable){.name = copy};
  net->n_variables++;
  enter(net, FF_NAMES_VARIABLE, n);
  return FF_OK;
}

ff_status ff_petri_add_event(ff_petri *net, const char *name, ff_error *err) {
  const uint32_t n = net->n_events;
  char *copy = NULL;
  ff_status status = ff_name_check(name, "event", n + 1, err);
  for (uint32_t e = 0; e < n && status == FF_OK; e++)
    if (strcmp(net->event[e].event.name, name) == 0)
      status = ff_error_set(err, FF_EMODEL, "more than one event is called %s; names must differ",
                            ff_quote(name, strlen(name)).text);
  if (status == FF_OK) status = ff_name_copy(&copy, name, err);
  ROOM(status, net->event, n);
  if (status != FF_OK) {
    free(copy);
    return status;
  }
  net->event[n] = (ff_petri_coloured_event){.event = {.name = copy}};
  net->n_events++;
  return FF_OK;
}

/* ---- colours ------------------------------------------------------------------------------------------------------ */

ff_colour_scope ff_petri_scope(const ff_petri *net) {
  return (ff_colour_scope){.set = net->set, .colours = net->colours, .n_sets = net->n_sets, .colour = net->colour,
                           .n_colours = net->n_colours, .function = net->function, .n_functions = net->n_functions,
                           .index = net->index, .n_indices = net->n_indices, .parameter = net->parameter, .value = net->value,
                           .n_parameters = net->n_parameters, .subset_of = UINT32_MAX};
}

uint32_t ff_petri_first_element(const ff_petri *net) { return net->n_parameters + net->n_variables + net->n_components; }

uint32_t ff_petri_set_width(const ff_petri *net, uint32_t set) {
  return set == FF_PETRI_NONE ? 0 : net->names->shape[set].width;
}

int ff_petri_set_named(const ff_petri *net, uint32_t set, uint32_t k) { return net->names->shape[set].named >> k & 1; }

ff_status ff_petri_add_colour(ff_petri *net, const char *name, int64_t *value, ff_error *err) {
  const uint32_t n = net->n_colours, found = find_kind(net, FF_NAMES_COLOUR, name, strlen(name));
  if (found != FF_PETRI_NONE) {
    *value = FF_COLOUR_NAMES + found;
    return FF_OK;
  }
  char *copy = NULL;
  ff_status status = new_name(net, FF_NAMES_COLOUR, name, n, &copy, err);
  ROOM(status, net->colour, n);
  if (status != FF_OK) {
    free(copy);
    return status;
  }
  net->colour[n] = copy;
  net->n_colours++;
  enter(net, FF_NAMES_COLOUR, n);
  *value = FF_COLOUR_NAMES + n;
  return FF_OK;
}

/* Adds a definition, which then belongs to the net; it is freed on failure. */
static ff_status push_set(ff_petri *net, const char *name, ff_colour_definition *set, shape of, ff_error *err) {
  const uint32_t n = net->n_sets;
  ff_status status = new_name(net, FF_NAMES_SET, name, n, &set->name, err);
  ROOM(status, net->set, n);
  ROOM(status, net->colours, n);
  ROOM(status, net->names->shape, n);
  if (status != FF_OK) {
    free_set(set);
    return status;
  }
  net->set[n] = *set;
  net->colours[n] = NULL;
  net->names->shape[n] = of;
  net->n_sets++;
  enter(net, FF_NAMES_SET, n);
  return FF_OK;
}

ff_status ff_petri_add_values(ff_petri *net, const char *name, const int64_t *value, uint32_t n, ff_error *err) {
  ff_colour_definition set = {.kind = FF_SET_VALUES, .value = ff_calloc(n, sizeof *value), .n_values = n};
  shape of = {1, 0};
  if (set.value == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u colours", n);
  for (uint32_t i = 0; i < n; i++) {
    set.value[i] = value[i];
    if (value[i] >= FF_COLOUR_NAMES) of.named = 1;
    if (value[i] > -FF_COLOUR_MOST && value[i] < FF_COLOUR_MOST) continue;
    if (value[i] >= FF_COLOUR_NAMES && value[i] < FF_COLOUR_NAMES + net->n_colours) continue;
    free_set(&set);
    return ff_error_set(err, FF_EMODEL, "set of colours %s: found the number %lld; expected numbers below 2^39 in size",
                        ff_quote(name, strlen(name)).text, (long long)value[i]);
  }
  return push_set(net, name, &set, of, err);
}

/* The shape of a set of sets. */
static ff_status shape_of(const ff_petri *net, const char *name, ff_colour_kind kind, const uint32_t *part, uint32_t n, shape *of,
                          ff_error *err) {
  uint32_t width = 0, named = 0;
  const ff_quoted shown = ff_quote(name, strlen(name));
  for (uint32_t i = 0; i < n; i++) {
    if (part[i] >= net->n_sets) return ff_error_set(err, FF_EARGUMENT, "set of colours %s: a part is missing", shown.text);
    const shape one = net->names->shape[part[i]];
    if (kind == FF_SET_UNION && i > 0 && one.width != width)
      return ff_error_set(err, FF_EMODEL,
                          "set of colours %s: the colours of %s have %u components, and those of %s %u; expected sets "
                          "whose colours have as many",
                          shown.text, ff_quote(net->set[part[0]].name, strlen(net->set[part[0]].name)).text, width,
                          ff_quote(net->set[part[i]].name, strlen(net->set[part[i]].name)).text, one.width);
    named |= kind == FF_SET_PRODUCT && width < FF_COLOUR_MAX_WIDTH ? (uint32_t)one.named << width : one.named;
    width = kind == FF_SET_PRODUCT ? width + one.width : one.width;
    if (width > FF_COLOUR_MAX_WIDTH)
      return ff_error_set(err, FF_ESIZE,
                          "set of colours %s: a colour would have more than %u components; at most %u are possible", shown.text,
                          FF_COLOUR_MAX_WIDTH, FF_COLOUR_MAX_WIDTH);
  }
  *of = (shape){(uint8_t)width, (uint8_t)named};
  return n > 0 && !(kind == FF_SET_SUBSET && n > 1) ? FF_OK : ff_error_set(err, FF_EARGUMENT, "set of colours %s has %u parts",
                                                                          shown.text, n);
}

/* Parses the predicate of a subset, and keeps its text in R's grammar. */
static ff_status take_predicate(const ff_petri *net, ff_colour_definition *set, const char *text, ff_colour_dialect dialect,
                                ff_place place, ff_error *err) {
  ff_colour_scope scope = ff_petri_scope(net);
  scope.subset_of = set->part[0];
  ff_status status = ff_colour_parse(&set->predicate, text, strlen(text), dialect, &scope, place, err);
  if (status != FF_OK) return status;
  return dialect == FF_COLOUR_R ? ff_name_copy(&set->predicate_text, text, err)
                                : ff_colour_text(&set->predicate_text, &set->predicate, FF_COLOUR_R, &scope, err);
}

ff_status ff_petri_add_set(ff_petri *net, const char *name, ff_colour_kind kind, const uint32_t *part, uint32_t n,
                           const char *predicate, ff_colour_dialect dialect, ff_place place, ff_error *err) {
  shape of;
  ff_status status = shape_of(net, name, kind, part, n, &of, err);
  if (status != FF_OK) return status;
  ff_colour_definition set = {.kind = kind, .part = ff_calloc(n, sizeof *part), .n_parts = n};
  if (set.part == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a set of colours of %u sets", n);
  memcpy(set.part, part, n * sizeof *part);
  if (kind == FF_SET_SUBSET && predicate == NULL)
    status = ff_error_set(err, FF_EARGUMENT, "set of colours %s: a subset has no predicate", ff_quote(name, strlen(name)).text);
  else if (kind == FF_SET_SUBSET)
    status = take_predicate(net, &set, predicate, dialect, place, err);
  if (status == FF_OK) return push_set(net, name, &set, of, err);
  free_set(&set);
  return status;
}

/* Takes the name of a set at *at, and the blanks around it. */
static ff_status take_part(const ff_petri *net, const ff_source *source, size_t *at, uint32_t *part) {
  const char *text = source->text, *name;
  size_t name_length;
  while (*at < source->length && ff_is_blank(text[*at])) (*at)++;
  const size_t start = *at, used = ff_petri_name_at(text + start, source->length - start, &name, &name_length);
  if (used == 0)
    return ff_source_found(source, start, start < source->length ? start + 1 : start, "the name of a set of colours");
  *part = ff_petri_set_number(net, name, name_length);
  for (*at += used; *at < source->length && ff_is_blank(text[*at]);) (*at)++;
  if (*part != FF_PETRI_NONE) return FF_OK;
  const char *near = NULL;
  for (uint32_t i = 0; i < net->n_sets && near == NULL; i++) near = ff_name_near(&net->set[i].name, 1, name, name_length);
  return ff_source_unknown(source, start, start + used, "set of colours", name, name_length, near, "");
}

/* A subset, of the text within brackets. */
static ff_status add_subset(ff_petri *net, const char *name, const ff_source *source, size_t open, uint32_t parent,
                            ff_error *err) {
  const char *text = source->text;
  const size_t used = ff_bracketed_length(text + open, source->length - open);
  if (used == 0) return ff_source_found(source, open, source->length, "a closing bracket");
  size_t after = open + used;
  while (after < source->length && ff_is_blank(text[after])) after++;
  if (after < source->length) return ff_source_found(source, after, source->length, "the end");
  char *predicate = ff_strndup(text + open + 1, used - 2);
  if (predicate == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a set of colours");
  ff_status status = ff_petri_add_set(net, name, FF_SET_SUBSET, &parent, 1, predicate, FF_COLOUR_R, source->place, err);
  free(predicate);
  return status;
}

ff_status ff_petri_add_set_text(ff_petri *net, const char *name, const char *text, ff_place place, ff_error *err) {
  const ff_source source = {text, strlen(text), place, "the set of colours", err};
  uint32_t *part = NULL, n = 0;
  size_t at = 0, capacity = 0;
  char between = '\0';
  ff_status status;
  for (;;) {
    void *memory = part;
    status = ff_grow(&memory, &capacity, (size_t)n + 1, sizeof *part, err);
    part = memory;
    if (status == FF_OK) status = take_part(net, &source, &at, &part[n]);
    if (status != FF_OK) break;
    n++;
    const char next = at < source.length ? text[at] : '\0';
    if (next == '\0' && n > 1) break;
    if (next == '[' && n == 1) {
      status = add_subset(net, name, &source, at, part[0], err);
      free(part);
      return status;
    }
    if ((next != '*' && next != '+') || (n > 1 && next != between)) {
      status = ff_source_found(&source, at, next == '\0' ? at : at + 1, n == 1     ? "\"*\", \"+\" or \"[\"" :
                               between == '*' ? "\"*\" or the end" : "\"+\" or the end");
      break;
    }
    between = next;
    at++;
  }
  if (status == FF_OK)
    status = ff_petri_add_set(net, name, between == '*' ? FF_SET_PRODUCT : FF_SET_UNION, part, n, NULL, FF_COLOUR_R, place, err);
  free(part);
  return status;
}

/* The number of a set that a definition of `what` names. */
static ff_status set_called(const ff_petri *net, const char *what, const char *name, const char *set, uint32_t *out,
                            ff_error *err) {
  *out = ff_petri_set_number(net, set, strlen(set));
  if (*out != FF_PETRI_NONE) return FF_OK;
  const char *near = NULL;
  for (uint32_t i = 0; i < net->n_sets && near == NULL; i++) near = ff_name_near(&net->set[i].name, 1, set, strlen(set));
  return ff_error_set(err, FF_EMODEL, "%s %s: no set of colours is called %s%s", what, ff_quote(name, strlen(name)).text,
                      ff_quote(set, strlen(set)).text, ff_hint_of(near).text);
}

ff_status ff_petri_add_index(ff_petri *net, const char *name, const char *set, ff_error *err) {
  const uint32_t n = net->n_indices;
  uint32_t number;
  char *copy = NULL;
  ff_status status = set_called(net, "index", name, set, &number, err);
  if (status == FF_OK) status = new_name(net, FF_NAMES_INDEX, name, n, &copy, err);
  ROOM(status, net->index, n);
  if (status != FF_OK) {
    free(copy);
    return status;
  }
  net->index[n] = (ff_colour_index){copy, number, net->n_components};
  net->n_indices++;
  net->n_components += net->names->shape[number].width;
  enter(net, FF_NAMES_INDEX, n);
  return FF_OK;
}

/* The arguments of a colour function. */
static ff_status take_arguments(const ff_petri *net, ff_colour_function *to, const char *name, const char *const *argument,
                                const char *const *set, ff_error *err) {
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < to->n_arguments && status == FF_OK; i++) {
    status = ff_name_check(argument[i], "argument of a colour function", i + 1, err);
    if (status == FF_OK) status = ff_name_copy(&to->argument[i], argument[i], err);
    to->set[i] = UINT32_MAX;
    if (status == FF_OK && set != NULL && set[i] != NULL)
      status = set_called(net, "colour function", name, set[i], &to->set[i], err);
    for (uint32_t k = 0; k < i && status == FF_OK; k++)
      if (strcmp(argument[i], argument[k]) == 0)
        status = ff_error_set(err, FF_EMODEL, "colour function %s has more than one argument %s; names must differ",
                              ff_quote(name, strlen(name)).text, ff_quote(argument[i], strlen(argument[i])).text);
  }
  return status;
}

ff_status ff_petri_add_function(ff_petri *net, const char *name, const char *const *argument, const char *const *set, uint32_t n,
                                const char *text, ff_colour_dialect dialect, ff_place place, ff_error *err) {
  ff_colour_function function = {.argument = ff_calloc(n, sizeof *function.argument), .set = ff_calloc(n, sizeof *function.set),
                                 .n_arguments = n};
  ff_status status = FF_OK;
  if (function.argument == NULL || function.set == NULL)
    status = ff_error_set(err, FF_EMEMORY, "no memory for a colour function of %u arguments", n);
  if (status == FF_OK) status = take_arguments(net, &function, name, argument, set, err);
  if (status == FF_OK) status = new_name(net, FF_NAMES_FUNCTION, name, net->n_functions, &function.name, err);
  if (status == FF_OK) {
    ff_colour_scope scope = ff_petri_scope(net);
    scope.within = &function;
    status = ff_colour_parse(&function.value, text, strlen(text), dialect, &scope, place, err);
  }
  ROOM(status, net->function, net->n_functions);
  if (status != FF_OK) {
    free_function(&function);
    return status;
  }
  net->function[net->n_functions++] = function;
  enter(net, FF_NAMES_FUNCTION, net->n_functions - 1);
  return FF_OK;
}
