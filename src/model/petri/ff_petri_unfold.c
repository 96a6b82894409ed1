/* The unfolding of coloured nets: its steps, places and variables. */
#include <stdlib.h>
#include <string.h>

#include "../ff_formula_code.h"
#include "ff_petri_unfold.h"

enum { MARKINGS, VARIABLES, TRANSITIONS, ALL_DONE };

/* ---- places ------------------------------------------------------------------------------------------------------- */

static ff_status count_places(ff_petri_flat *flat, ff_error *err) {
  const ff_petri *net = flat->net;
  uint64_t n = 0;
  flat->first = ff_calloc((size_t)net->n_places + 1, sizeof *flat->first);
  if (flat->first == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u places", net->n_places);
  for (uint32_t p = 0; p < net->n_places; p++) {
    const uint32_t set = net->place[p].set;
    if (set != FF_PETRI_NONE && net->colours[set] == NULL)
      return ff_error_set(err, FF_EARGUMENT, "the colours of a net that is unfolded are missing");
    flat->first[p] = (uint32_t)n;
    n += set == FF_PETRI_NONE ? 1 : ff_colours_n(net->colours[set]);
    if (n > FF_PETRI_MAX_PLACES)
      return ff_error_set(err, FF_ESIZE,
                          "the unfolded net has %llu places up to those of %s; at most %u are possible, so make the sets "
                          "of colours smaller",
                          (unsigned long long)n, ff_quote(net->place[p].name, strlen(net->place[p].name)).text,
                          FF_PETRI_MAX_PLACES);
  }
  flat->first[net->n_places] = flat->n_places = (uint32_t)n;
  return FF_OK;
}

static ff_status make_places(ff_petri_flat *flat, ff_error *err) {
  const ff_petri *net = flat->net;
  ff_status status = count_places(flat, err);
  if (status != FF_OK) return status;
  flat->continuous = ff_calloc(flat->n_places, 1);
  flat->fixed = ff_calloc(flat->n_places, 1);
  flat->initial = ff_calloc(flat->n_places, sizeof *flat->initial);
  flat->n_parameters = net->n_parameters;
  flat->parameter = ff_calloc(net->n_parameters, sizeof *flat->parameter);
  flat->never = ff_calloc(net->n_transitions, sizeof *flat->never);
  if (flat->continuous == NULL || flat->fixed == NULL || flat->initial == NULL || flat->parameter == NULL || flat->never == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for %u places", flat->n_places);
  if (net->n_parameters > 0) memcpy(flat->parameter, net->value, net->n_parameters * sizeof *flat->parameter);
  for (uint32_t p = 0; p < net->n_places; p++) {
    const size_t n = flat->first[p + 1] - flat->first[p];
    memset(flat->continuous + flat->first[p], net->place[p].continuous, n);
    memset(flat->fixed + flat->first[p], net->place[p].fixed, n);
  }
  return FF_OK;
}

/* ---- variables ---------------------------------------------------------------------------------------------------- */

/* Numbers the sums over all colours that formulas name. */
static void number_sums(ff_unfolder *u, const ff_petri_element *element, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    uint32_t *sum = &u->sum_of[element[i].place];
    if (element[i].all && *sum == FF_PETRI_NONE) *sum = u->flat->n_variables++;
  }
}

/* The sum of all places of place p of the net; a set has at least one colour. */
static ff_status make_sum(const ff_petri_flat *flat, uint32_t p, ff_formula *out, ff_error *err) {
  ff_formula_builder builder = {0};
  ff_status status = FF_OK;
  for (uint32_t i = flat->first[p]; i < flat->first[p + 1] && status == FF_OK; i++) {
    status = ff_formula_push(&builder, (ff_formula_word){FF_F_SYMBOL, i, 0}, err);
    if (status == FF_OK && i > flat->first[p]) status = ff_formula_push(&builder, (ff_formula_word){FF_F_ADD, 0, 0}, err);
  }
  if (status == FF_OK) ff_formula_finish(out, &builder);
  else free(builder.word);
  return status;
}

/* What names colours by numbers alone, for messages: a variable or an event. */
typedef struct {
  const char *what, *name;
  const ff_petri_element *element;
} owner;

/* The symbol of the flat net for an element of a variable or event. */
static ff_status find_symbol(ff_unfolder *u, const owner *of, const ff_petri_element *element, uint32_t *symbol, ff_error *err) {
  ff_flat_element flat;
  if (element->all) {
    *symbol = u->flat->n_places + u->sum_of[element->place];
    return FF_OK;
  }
  ff_status status = ff_flat_element_make(&flat, u->net, u->flat->first, element, &u->at, err);
  if (status != FF_OK) return status;
  if (!ff_flat_element_find(&flat, &u->at, symbol)) {
    const char *name = u->net->place[element->place].name;
    status = ff_error_set(err, FF_EMODEL, "%s %s names a colour that place %s does not have; expected a colour of its set",
                          of->what, ff_quote(of->name, strlen(of->name)).text, ff_quote(name, strlen(name)).text);
  }
  ff_flat_element_free(&flat);
  return status;
}

/* A formula of a variable or event, of the symbols of the flat net. */
static ff_status make_formula(ff_unfolder *u, const owner *of, const ff_formula *formula, ff_formula *out, ff_error *err) {
  const ff_petri *net = u->net;
  const ff_petri_flat *flat = u->flat;
  ff_status status = ff_formula_copy(out, formula, err);
  for (uint32_t i = 0; i < out->length && status == FF_OK; i++) {
    ff_formula_word *word = &out->word[i];
    if (word->code != FF_F_SYMBOL) continue;
    if (word->symbol < net->n_parameters)
      word->symbol += flat->n_places + flat->n_variables;
    else if (word->symbol < net->n_parameters + net->n_variables)
      word->symbol += flat->n_places - net->n_parameters;
    else
      status = find_symbol(u, of, &of->element[word->symbol - ff_petri_first_element(net)], &word->symbol, err);
  }
  return status;
}

static ff_status make_variable(ff_unfolder *u, uint32_t number, ff_error *err) {
  const ff_petri_variable *v = &u->net->variable[number];
  const owner of = {"variable", v->name, v->element};
  return make_formula(u, &of, &v->value, &u->flat->variable[number], err);
}

static ff_status make_variables(ff_unfolder *u, ff_error *err) {
  const ff_petri *net = u->net;
  ff_petri_flat *flat = u->flat;
  ff_status status = FF_OK;
  flat->n_variables = net->n_variables;
  for (uint32_t t = 0; t < net->n_transitions; t++) number_sums(u, net->transition[t].element, net->transition[t].n_elements);
  for (uint32_t v = 0; v < net->n_variables; v++) number_sums(u, net->variable[v].element, net->variable[v].n_elements);
  for (uint32_t e = 0; e < net->n_events; e++) number_sums(u, net->event[e].element, net->event[e].n_elements);
  flat->variable = ff_calloc(flat->n_variables, sizeof *flat->variable);
  if (flat->variable == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u variables", flat->n_variables);
  for (uint32_t v = 0; v < net->n_variables && status == FF_OK; v++) status = make_variable(u, v, err);
  for (uint32_t p = 0; p < net->n_places && status == FF_OK; p++)
    if (u->sum_of[p] != FF_PETRI_NONE) status = make_sum(flat, p, &flat->variable[u->sum_of[p]], err);
  if (status != FF_OK) return status;
  return ff_formula_order(&flat->order, flat->variable, flat->n_variables, flat->n_places, NULL, err); /* there is no cycle */
}

/* ---- events ------------------------------------------------------------------------------------------------------- */

/* What a target stands for: the symbols from *first on. */
static ff_status find_targets(ff_unfolder *u, const owner *of, uint32_t symbol, uint32_t *first, uint32_t *n, ff_error *err) {
  const ff_petri_flat *flat = u->flat;
  *n = 1;
  if (symbol < u->net->n_parameters) {
    *first = flat->n_places + flat->n_variables + symbol;
    return FF_OK;
  }
  const ff_petri_element *element = &of->element[symbol - ff_petri_first_element(u->net)];
  if (!element->all) return find_symbol(u, of, element, first, err);
  *first = flat->first[element->place];
  *n = flat->first[element->place + 1] - *first;
  return FF_OK;
}

/* seen[] has the last event, from 1, that sets a symbol. */
static ff_status make_set(ff_unfolder *u, const owner *of, uint32_t event, const ff_event_set *set, size_t *room, uint32_t *seen,
                          ff_error *err) {
  ff_event *out = &u->flat->event[event];
  uint32_t first = 0, n = 0;
  void *memory = out->sets;
  ff_status status = find_targets(u, of, set->symbol, &first, &n, err);
  if (status == FF_OK) status = ff_grow(&memory, room, (size_t)out->n_sets + n, sizeof *out->sets, err);
  out->sets = memory;
  for (uint32_t i = 0; i < n && status == FF_OK; i++) {
    if (seen[first + i] == event + 1)
      return ff_error_set(err, FF_EMODEL, "event %s sets the same place or parameter twice",
                          ff_quote(of->name, strlen(of->name)).text);
    seen[first + i] = event + 1;
    ff_event_set *one = &out->sets[out->n_sets++];
    *one = (ff_event_set){.symbol = first + i};
    status = make_formula(u, of, &set->value, &one->value, err);
    if (status == FF_OK) status = make_formula(u, of, &set->factor, &one->factor, err);
  }
  return status;
}

static ff_status make_event(ff_unfolder *u, uint32_t number, uint32_t *seen, ff_error *err) {
  const ff_petri_coloured_event *e = &u->net->event[number];
  const ff_event *event = &e->event;
  const owner of = {"event", event->name, e->element};
  ff_event *out = &u->flat->event[u->flat->n_events++];
  size_t room = 0;
  *out = (ff_event){.initially = event->initially, .persistent = event->persistent, .late = event->late};
  ff_status status = ff_name_copy(&out->name, event->name, err);
  if (status == FF_OK) status = make_formula(u, &of, &event->trigger, &out->trigger, err);
  if (status == FF_OK) status = make_formula(u, &of, &event->delay, &out->delay, err);
  if (status == FF_OK) status = make_formula(u, &of, &event->priority, &out->priority, err);
  for (uint32_t i = 0; i < event->n_sets && status == FF_OK; i++)
    status = make_set(u, &of, number, &event->sets[i], &room, seen, err);
  return status;
}

static ff_status make_events(ff_unfolder *u, ff_error *err) {
  ff_petri_flat *flat = u->flat;
  const uint32_t n = u->net->n_events;
  if (n == 0) return FF_OK;
  uint32_t *seen = ff_calloc((size_t)flat->n_places + flat->n_variables + flat->n_parameters, sizeof *seen);
  flat->event = ff_calloc(n, sizeof *flat->event);
  ff_status status = seen != NULL && flat->event != NULL ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for %u events", n);
  for (uint32_t e = 0; e < n && status == FF_OK; e++) status = make_event(u, e, seen, err);
  free(seen);
  return status;
}

/* ---- steps -------------------------------------------------------------------------------------------------------- */

static ff_status allocate(ff_unfolder *u, ff_error *err) {
  const ff_petri *net = u->net;
  const size_t symbols = ff_petri_first_element(net);
  size_t elements = 0;
  for (uint32_t t = 0; t < net->n_transitions; t++)
    if (net->transition[t].n_elements > elements) elements = net->transition[t].n_elements;
  u->flat = ff_calloc(1, sizeof *u->flat);
  u->at.component = ff_calloc(net->n_components, sizeof *u->at.component);
  u->bounds = ff_calloc((size_t)net->n_sets * FF_COLOUR_MAX_WIDTH, sizeof *u->bounds);
  u->sum_of = ff_calloc(net->n_places, sizeof *u->sum_of);
  u->symbol_to = ff_calloc(symbols + elements, sizeof *u->symbol_to);
  u->value = ff_calloc(symbols, sizeof *u->value);
  if (u->flat == NULL || u->at.component == NULL || u->bounds == NULL || u->sum_of == NULL || u->symbol_to == NULL ||
      u->value == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory to unfold a net of %u places", net->n_places);
  u->flat->net = net;
  for (uint32_t p = 0; p < net->n_places; p++) u->sum_of[p] = FF_PETRI_NONE;
  if (net->n_parameters > 0) memcpy(u->value, net->value, net->n_parameters * sizeof *u->value);
  return FF_OK;
}

ff_status ff_unfolder_new(ff_unfolder **out, const ff_petri *net, ff_error *err) {
  *out = NULL;
  ff_unfolder *u = ff_calloc(1, sizeof *u);
  if (u == NULL) return ff_error_set(err, FF_EMEMORY, "no memory to unfold a net");
  u->net = net;
  u->at.scope = ff_petri_scope(net);
  ff_status status = allocate(u, err);
  if (status == FF_OK) status = make_places(u->flat, err);
  if (status != FF_OK) {
    ff_unfolder_free(u);
    return status;
  }
  *out = u;
  return FF_OK;
}

void ff_unfolder_free(ff_unfolder *u) {
  if (u == NULL) return;
  ff_petri_flat_free(u->flat);
  ff_petri_plan_free(u->plan);
  ff_petri_start_free(u->start);
  free(u->at.component);
  free(u->at.stack);
  free(u->bounds);
  free(u->sum_of);
  free(u->symbol_to);
  free(u->value);
  free(u->stack);
  free(u);
}

/* Takes a part of the work. */
static ff_status work(ff_unfolder *u, int64_t *budget, ff_error *err) {
  const uint32_t n = u->phase == MARKINGS ? u->net->n_markings : u->net->n_transitions;
  int done = 0;
  if (u->phase == VARIABLES) {
    u->phase = TRANSITIONS;
    *budget -= u->flat->n_places;
    const ff_status made = make_variables(u, err);
    return made == FF_OK ? make_events(u, err) : made;
  }
  if (u->next < n) {
    ff_status status = u->phase == MARKINGS ? ff_unfolder_mark(u, u->next, budget, &done, err)
                                            : ff_unfolder_bind(u, u->next, budget, &done, err);
    u->next += (uint32_t)done;
    return status;
  }
  u->next = 0;
  u->phase++;
  return u->phase == VARIABLES ? ff_unfolder_check_initial(u, err) : FF_OK;
}

ff_status ff_unfolder_step(ff_unfolder *u, uint64_t budget, ff_petri_flat **flat, ff_error *err) {
  int64_t left = budget < INT64_MAX / 2 ? (int64_t)budget + 1 : INT64_MAX / 2;
  ff_status status = FF_OK;
  *flat = NULL;
  if (u->flat == NULL) return ff_error_set(err, FF_EARGUMENT, "the net has been unfolded already");
  while (left > 0 && u->phase != ALL_DONE && status == FF_OK) status = work(u, &left, err);
  if (status != FF_OK || u->phase != ALL_DONE) return status;
  *flat = u->flat;
  u->flat = NULL;
  return FF_OK;
}

ff_status ff_petri_unfold(ff_petri_flat **out, const ff_petri *net, ff_error *err) {
  ff_unfolder *unfolder;
  ff_status status = ff_unfolder_new(&unfolder, net, err);
  *out = NULL;
  while (status == FF_OK && *out == NULL) status = ff_unfolder_step(unfolder, UINT64_MAX, out, err);
  ff_unfolder_free(unfolder);
  return status;
}
