/* Unfolds small coloured nets in the simplest way: all values of all indices, one after the other. Transitions are told as
 * texts, which do not depend on families: the binding, what each place has to do with it, and the rate, at a marking. */
#ifndef FF_TESTS_PETRI_BRUTE_H
#define FF_TESTS_PETRI_BRUTE_H

#include <math.h>

#include "../../src/model/petri/ff_petri_flat.h"

typedef struct {
  const ff_petri *net;
  uint32_t n_places;
  uint32_t *first;
  double *initial;
  int64_t component[64], stack[256];
  double *marking; /* of each place */
  double *variable;
  char **told; /* transitions */
  size_t n_told, capacity;
  uint32_t *bindings; /* of each transition */
} brute;

static inline uint32_t brute_colours(const ff_petri *net, uint32_t place) {
  return net->place[place].set == FF_PETRI_NONE ? 1 : ff_colours_n(net->colours[net->place[place].set]);
}

static inline void brute_add(brute *b, const char *text) {
  if (b->n_told == b->capacity) b->told = realloc(b->told, (b->capacity = 2 * b->capacity + 64) * sizeof *b->told);
  b->told[b->n_told++] = ff_strndup(text, strlen(text));
}

static inline int brute_colour(brute *b, const ff_colour_expr *expr, int64_t *value) {
  const ff_colour_scope scope = ff_petri_scope(b->net);
  ff_colour_expr wide;
  ff_error err;
  if (ff_colour_expand(&wide, expr, &scope, &err) != FF_OK) return 0;
  const int has = ff_colour_value(value, &wide, &scope, b->component, b->stack);
  ff_colour_free(&wide);
  return has;
}

static inline int brute_holds(brute *b, const ff_colour_expr *expr) {
  int64_t value;
  return expr->length == 0 || (brute_colour(b, expr, &value) && value != 0);
}

/* The place of an element, or -1. */
static inline int64_t brute_place(brute *b, const ff_petri_element *e) {
  const ff_petri *net = b->net;
  if (net->place[e->place].set == FF_PETRI_NONE) return b->first[e->place];
  const ff_colours *set = net->colours[net->place[e->place].set];
  int64_t tuple[8], other[8];
  for (uint32_t k = 0; k < e->width; k++)
    if (!brute_colour(b, &e->colour[k], &tuple[k])) return -1;
  for (uint32_t i = 0; i < ff_colours_n(set); i++) {
    ff_colours_at(set, i, other);
    if (memcmp(tuple, other, e->width * sizeof *tuple) == 0) return b->first[e->place] + i;
  }
  return -1;
}

static inline double brute_element(brute *b, const ff_petri_element *e) {
  if (!e->all) {
    const int64_t place = brute_place(b, e);
    return place < 0 ? NAN : b->marking[place];
  }
  double sum = 0.0;
  for (uint32_t i = 0; i < brute_colours(b->net, e->place); i++)
    sum = i == 0 ? b->marking[b->first[e->place]] : sum + b->marking[b->first[e->place] + i];
  return sum;
}

static inline double brute_formula(brute *b, const ff_formula *f, const ff_petri_element *element, uint32_t n) {
  const ff_petri *net = b->net;
  const uint32_t first = ff_petri_first_element(net);
  double *values = calloc(first + n + 1, sizeof *values), *stack = calloc(f->depth + 1, sizeof *stack);
  for (uint32_t i = 0; i < net->n_parameters; i++) values[i] = net->value[i];
  for (uint32_t i = 0; i < net->n_variables; i++) values[net->n_parameters + i] = b->variable[i];
  for (uint32_t i = 0; i < net->n_components; i++) values[net->n_parameters + net->n_variables + i] = (double)b->component[i];
  for (uint32_t i = 0; i < f->length; i++)
    if (f->word[i].code == FF_F_SYMBOL && f->word[i].symbol >= first)
      values[f->word[i].symbol] = brute_element(b, &element[f->word[i].symbol - first]);
  const double value = ff_formula_value(f, values, 0.25, stack);
  free(values);
  free(stack);
  return value;
}

/* ---- which indices occur ------------------------------------------------------------------------------------------ */

static inline void brute_see_colour(const ff_colour_expr *e, uint8_t *seen) {
  for (uint32_t i = 0; i < e->length; i++)
    if (e->word[i].code == FF_C_INDEX) seen[e->word[i].of] = 1;
}

static inline void brute_see(const ff_petri *net, const ff_formula *f, const ff_petri_element *element, uint8_t *seen) {
  const uint32_t first = net->n_parameters + net->n_variables, first_element = ff_petri_first_element(net);
  for (uint32_t i = 0; i < f->length; i++) {
    if (f->word[i].code != FF_F_SYMBOL || f->word[i].symbol < first) continue;
    if (f->word[i].symbol < first_element) {
      seen[f->word[i].symbol - first] = 1;
      continue;
    }
    const ff_petri_element *e = &element[f->word[i].symbol - first_element];
    for (uint32_t k = 0; k < e->width; k++) brute_see_colour(&e->colour[k], seen);
  }
}

/* Lists the indices of which a component was seen. */
static inline uint32_t brute_indices(const ff_petri *net, const uint8_t *seen, uint32_t *index) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < net->n_indices; i++) {
    int any = 0;
    for (uint32_t k = 0; k < ff_colours_width(net->colours[net->index[i].set]); k++) any |= seen[net->index[i].first + k];
    if (any) index[n++] = i;
  }
  return n;
}

/* Sets the indices to their first values; then to the next ones, until 0 is returned. */
static inline int brute_next(brute *b, const uint32_t *index, uint32_t n, uint32_t *at, int start) {
  uint32_t k = n;
  if (start) memset(at, 0, n * sizeof *at);
  while (!start && k > 0 && ++at[k - 1] == ff_colours_n(b->net->colours[b->net->index[index[k - 1]].set])) at[--k] = 0;
  for (uint32_t i = 0; i < n; i++)
    ff_colours_at(b->net->colours[b->net->index[index[i]].set], at[i], b->component + b->net->index[index[i]].first);
  return start || k > 0;
}

/* ---- transitions -------------------------------------------------------------------------------------------------- */

/* What a place has to do with a transition. */
typedef struct {
  double number[FF_ARC_COUNT];
  uint8_t has[FF_ARC_COUNT], formula[FF_ARC_COUNT];
} brute_role;

static const char *const brute_kinds[] = {"in", "out", "read", "inhibitor", "equal", "reset", "modifier"};

/* Tells what a place has to do: what does nothing is left out. */
static inline size_t brute_tell_role(char *text, size_t size, const char *name, const brute_role *role) {
  size_t used = 0;
  for (int kind = 0; kind < FF_ARC_MODIFIER; kind++) {
    const double w = role->number[kind];
    if (!role->has[kind] || (w == 0.0 && kind != FF_ARC_EQUAL && kind != FF_ARC_RESET && kind != FF_ARC_INHIBITOR)) continue;
    used += (size_t)snprintf(text + used, size - used, " %s %s %.17g;", name, brute_kinds[kind], kind == FF_ARC_RESET ? 0.0 : w);
  }
  return used;
}

/* Adds an arc to a role. Returns 0 if two tests with numbers can never both hold. */
static inline int brute_merge(brute_role *role, const ff_petri_arc *arc, double w) {
  double number;
  const int formula = arc->weight.length > 0 && !ff_formula_is_number(&arc->weight, &number), kind = (int)arc->kind;
  double *to = &role->number[kind];
  const int had = role->has[kind], formulas = formula || role->formula[kind];
  if (!formula && w == 0.0 && kind != FF_ARC_EQUAL && kind != FF_ARC_RESET) return 1;
  role->has[kind] = 1;
  role->formula[kind] = (uint8_t)formulas;
  if (!had) {
    *to = w;
  } else if (kind == FF_ARC_IN || kind == FF_ARC_OUT) {
    *to += w;
  } else if (kind == FF_ARC_READ) {
    *to = w > *to ? w : *to;
  } else if (kind == FF_ARC_INHIBITOR) {
    *to = w < *to ? w : *to;
  } else if (kind == FF_ARC_EQUAL && *to != w) {
    if (!formulas) return 0;
    *to = -1;
  }
  return 1;
}

static inline size_t brute_place_name(const ff_petri *net, const uint32_t *first, uint32_t place, char *text, size_t size) {
  uint32_t p = 0;
  while (first[p] + brute_colours(net, p) <= place) p++;
  size_t used = (size_t)snprintf(text, size, "%s", net->place[p].name);
  if (net->place[p].set == FF_PETRI_NONE) return used;
  const ff_colours *set = net->colours[net->place[p].set];
  int64_t tuple[8];
  ff_colours_at(set, place - first[p], tuple);
  for (uint32_t k = 0; k < ff_colours_width(set); k++) {
    used += (size_t)snprintf(text + used, size - used, "%s", k == 0 ? "[" : ",");
    if (tuple[k] >= FF_COLOUR_NAMES)
      used += (size_t)snprintf(text + used, size - used, "%s", net->colour[tuple[k] - FF_COLOUR_NAMES]);
    else used += (size_t)snprintf(text + used, size - used, "%lld", (long long)tuple[k]);
  }
  return used + (size_t)snprintf(text + used, size - used, "]");
}

/* Whether a formula names an element. */
static inline int brute_names(const ff_petri *net, const ff_formula *f, uint32_t element) {
  for (uint32_t i = 0; i < f->length; i++)
    if (f->word[i].code == FF_F_SYMBOL && f->word[i].symbol == ff_petri_first_element(net) + element) return 1;
  return 0;
}

/* Whether all colours exist that the binding needs. `piece` is the one that holds, or NULL. */
static inline int brute_exists(brute *b, const ff_petri_transition *t, const ff_petri_piece *piece) {
  for (uint32_t e = 0; e < t->n_elements; e++) {
    int needed = piece != NULL && brute_names(b->net, &piece->value, e), named = 0, modifier = 0;
    for (uint32_t i = 0; i < t->n_pieces; i++) named |= brute_names(b->net, &t->piece[i].value, e);
    for (uint32_t i = 0; i < t->n_arcs; i++) {
      if (t->arc[i].kind == FF_ARC_MODIFIER) modifier |= t->arc[i].element == e;
      else needed |= t->arc[i].element == e || brute_names(b->net, &t->arc[i].weight, e);
    }
    if (modifier && !named) needed = 1;
    if (needed && !t->element[e].all && brute_place(b, &t->element[e]) < 0) return 0;
  }
  return 1;
}

/* Tells the transition of the binding that the components have. Returns whether it is one. */
static inline int brute_binding(brute *b, uint32_t number, const char *name) {
  const ff_petri *net = b->net;
  const ff_petri_transition *t = &net->transition[number];
  const ff_petri_piece *piece = NULL;
  double rate = 0.0, at;
  char text[4000];
  if (!brute_holds(b, &t->guard)) return 0;
  for (uint32_t i = 0; i < t->n_pieces && piece == NULL; i++)
    if (brute_holds(b, &t->piece[i].when)) piece = &t->piece[i];
  if (!brute_exists(b, t, piece)) return 0;
  if (t->kind <= FF_PETRI_IMMEDIATE && (piece == NULL || (ff_formula_is_number(&piece->value, &at) && at == 0.0))) return 1;
  if (piece != NULL) rate = brute_formula(b, &piece->value, t->element, t->n_elements);
  size_t used = (size_t)snprintf(text, sizeof text, "%s kind %d:", name, (int)t->kind);
  brute_role *role = calloc(b->n_places, sizeof *role);
  int never = 0;
  for (uint32_t i = 0; i < t->n_arcs; i++) {
    const double w = t->arc[i].weight.length == 0 ? 1.0 : brute_formula(b, &t->arc[i].weight, t->element, t->n_elements);
    if (t->arc[i].kind != FF_ARC_MODIFIER)
      never |= !brute_merge(&role[brute_place(b, &t->element[t->arc[i].element])], &t->arc[i], w);
  }
  for (uint32_t p = 0; p < b->n_places; p++) {
    char place[100];
    brute_place_name(net, b->first, p, place, sizeof place);
    used += brute_tell_role(text + used, sizeof text - used, place, &role[p]);
  }
  free(role);
  if (t->kind != FF_PETRI_SCHEDULED)
    snprintf(text + used, sizeof text - used, " rate %.17g%s", rate, piece != NULL && piece->mass_action ? " mass action" : "");
  else
    for (int i = 0; i < 3; i++)
      used += (size_t)snprintf(text + used, sizeof text - used, " %g",
                               t->at[i].length == 0 ? (i == 2 ? INFINITY : 0.0) : brute_formula(b, &t->at[i], NULL, 0));
  if (!never) brute_add(b, text);
  return 1;
}

static inline void brute_transition(brute *b, uint32_t number) {
  const ff_petri *net = b->net;
  const ff_petri_transition *t = &net->transition[number];
  uint8_t seen[64] = {0};
  uint32_t index[64], at[64];
  brute_see_colour(&t->guard, seen);
  for (uint32_t i = 0; i < t->n_arcs; i++) {
    brute_see(net, &t->arc[i].weight, t->element, seen);
    for (uint32_t k = 0; k < t->element[t->arc[i].element].width; k++)
      brute_see_colour(&t->element[t->arc[i].element].colour[k], seen);
  }
  for (uint32_t i = 0; i < t->n_pieces; i++) {
    brute_see_colour(&t->piece[i].when, seen);
    brute_see(net, &t->piece[i].value, t->element, seen);
  }
  const uint32_t n = brute_indices(net, seen, index);
  for (int go = brute_next(b, index, n, at, 1); go; go = brute_next(b, index, n, at, 0)) {
    char name[200];
    size_t used = (size_t)snprintf(name, sizeof name, "%s", t->name);
    int first = 1;
    for (uint32_t i = 0; i < n; i++)
      for (uint32_t k = 0; k < ff_colours_width(net->colours[net->index[index[i]].set]); k++, first = 0) {
        const int64_t value = b->component[net->index[index[i]].first + k];
        used += (size_t)snprintf(name + used, sizeof name - used, "%s", first ? "[" : ",");
        if (value >= FF_COLOUR_NAMES)
          used += (size_t)snprintf(name + used, sizeof name - used, "%s", net->colour[value - FF_COLOUR_NAMES]);
        else
          used += (size_t)snprintf(name + used, sizeof name - used, "%lld", (long long)value);
      }
    if (!first) snprintf(name + used, sizeof name - used, "]");
    b->bindings[number] += (uint32_t)brute_binding(b, number, name);
  }
}

/* ---- markings ----------------------------------------------------------------------------------------------------- */

static inline void brute_put(brute *b, const ff_petri_marking *m, int64_t place) {
  const double value = brute_formula(b, &m->value, NULL, 0);
  if (place >= 0) b->initial[place] = m->adds ? b->initial[place] + value : value;
}

/* In these nets, sets of places are simple, or products of simple ones, or subsets of these. */
static inline void brute_marking(brute *b, const ff_petri_marking *m) {
  const ff_petri *net = b->net;
  uint8_t seen[64] = {0}, when[64] = {0};
  uint32_t index[64], at[64], stands[8];
  brute_see(net, &m->value, NULL, seen);
  brute_see_colour(&m->when, when);
  for (uint32_t k = 0; k < m->element.width; k++) brute_see_colour(&m->element.colour[k], seen);
  if (!m->element.all) {
    for (int i = 0; i < 64; i++) when[i] |= seen[i];
    const uint32_t n = brute_indices(net, when, index);
    for (int go = brute_next(b, index, n, at, 1); go; go = brute_next(b, index, n, at, 0))
      if (brute_holds(b, &m->when)) brute_put(b, m, brute_place(b, &m->element));
    return;
  }
  const uint32_t place = m->element.place;
  const ff_colours *set = net->colours[net->place[place].set];
  for (int k = 0; k < 8; k++) stands[k] = UINT32_MAX;
  for (uint32_t i = 0; i < net->n_indices; i++) {
    if (!seen[net->index[i].first] || when[net->index[i].first]) continue;
    for (uint32_t k = 0; k < ff_colours_width(set); k++) {
      if (stands[k] != UINT32_MAX || ff_colours_component(set, k) != net->colours[net->index[i].set]) continue;
      stands[k] = net->index[i].first;
      break;
    }
  }
  const uint32_t n = brute_indices(net, when, index);
  for (int go = brute_next(b, index, n, at, 1); go; go = brute_next(b, index, n, at, 0)) {
    if (!brute_holds(b, &m->when)) continue;
    for (uint32_t i = 0; i < ff_colours_n(set); i++) {
      int64_t tuple[8];
      ff_colours_at(set, i, tuple);
      for (uint32_t k = 0; k < ff_colours_width(set); k++)
        if (stands[k] != UINT32_MAX) b->component[stands[k]] = tuple[k];
      brute_put(b, m, (int64_t)b->first[place] + i);
    }
  }
}

/* The net at a marking; variables must not name variables after them. */
static inline void brute_start(brute *b, const ff_petri *net) {
  *b = (brute){.net = net};
  b->first = calloc(net->n_places, sizeof *b->first);
  for (uint32_t p = 0; p < net->n_places; p++) {
    b->first[p] = b->n_places;
    b->n_places += brute_colours(net, p);
  }
  b->initial = calloc(b->n_places, sizeof *b->initial);
  b->marking = calloc(b->n_places, sizeof *b->marking);
  b->variable = calloc(net->n_variables + 1, sizeof *b->variable);
  b->bindings = calloc(net->n_transitions + 1, sizeof *b->bindings);
}

static inline void brute_unfold(brute *b) {
  for (uint32_t i = 0; i < b->net->n_markings; i++) brute_marking(b, &b->net->marking[i]);
  for (uint32_t v = 0; v < b->net->n_variables; v++)
    b->variable[v] = brute_formula(b, &b->net->variable[v].value, b->net->variable[v].element, b->net->variable[v].n_elements);
  for (uint32_t t = 0; t < b->net->n_transitions; t++) brute_transition(b, t);
}

static inline void brute_free(brute *b) {
  for (size_t i = 0; i < b->n_told; i++) free(b->told[i]);
  free(b->told);
  free(b->first);
  free(b->initial);
  free(b->marking);
  free(b->variable);
  free(b->bindings);
}

/* ---- the same of an unfolded net ---------------------------------------------------------------------------------- */

/* Tells all transitions of a flat net at the marking of `like`. */
static inline void brute_tell_flat(brute *out, const ff_petri_flat *flat, const brute *like) {
  const uint32_t n_symbols = flat->n_places + flat->n_variables + flat->n_parameters;
  double *value = calloc(n_symbols + 1, sizeof *value), stack[200];
  memcpy(value, like->marking, flat->n_places * sizeof *value);
  memcpy(value + flat->n_places + flat->n_variables, flat->parameter, flat->n_parameters * sizeof *value);
  for (uint32_t v = 0; v < flat->n_variables; v++)
    value[flat->n_places + flat->order[v]] = ff_formula_value(&flat->variable[flat->order[v]], value, 0.25, stack);
  for (uint32_t f = 0; f < flat->n_families; f++) {
    const ff_petri_family *family = &flat->family[f];
    double *own = calloc(family->n_slots + family->n_numbers + flat->n_parameters + 1, sizeof *own);
    for (uint32_t i = 0; i < family->n; i++) {
      char text[4000], name[200];
      for (uint32_t k = 0; k < family->n_slots; k++) own[k] = value[family->slot[(size_t)k * family->n + i]];
      for (uint32_t k = 0; k < family->n_numbers; k++) own[family->n_slots + k] = family->number[(size_t)k * family->n + i];
      memcpy(own + family->n_slots + family->n_numbers, flat->parameter, flat->n_parameters * sizeof *own);
      ff_petri_transition_name(name, sizeof name, flat, f, i, ",");
      size_t used = (size_t)snprintf(text, sizeof text, "%s kind %d:", name, (int)family->kind);
      brute_role *role = calloc(flat->n_places + flat->n_variables, sizeof *role);
      for (uint32_t a = 0; a < family->n_arcs; a++) {
        const ff_petri_flat_arc *arc = &family->arc[a];
        brute_role *to = &role[family->slot[(size_t)arc->slot * family->n + i]];
        if (to->has[arc->kind]) used += (size_t)snprintf(text + used, sizeof text - used, " twice!");
        to->has[arc->kind] = 1;
        to->number[arc->kind] = arc->weight.length == 0 ? arc->number : ff_formula_value(&arc->weight, own, 0.25, stack);
      }
      for (uint32_t p = 0; p < flat->n_places; p++) {
        char place[100];
        ff_petri_place_name(place, sizeof place, flat, p, ",");
        used += brute_tell_role(text + used, sizeof text - used, place, &role[p]);
      }
      free(role);
      if (family->kind != FF_PETRI_SCHEDULED)
        snprintf(text + used, sizeof text - used, " rate %.17g%s", ff_formula_value(&family->rate, own, 0.25, stack),
                 family->mass_action ? " mass action" : "");
      else
        snprintf(text + used, sizeof text - used, " %g %g %g", family->at[0], family->at[1], family->at[2]);
      brute_add(out, text);
    }
    free(own);
  }
  free(value);
}

#endif
