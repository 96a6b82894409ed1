/* The unfolding of coloured nets: initial markings. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_decimal.h"
#include "ff_petri_unfold.h"

struct ff_petri_start {
  ff_bindings bindings; /* with `all`, of the indices of `when` */
  ff_flat_element element;
  const ff_colours *set; /* with `all` */
  uint32_t n, colour;    /* with `all`: the colours of the place, and the next one */
  uint32_t stands[FF_COLOUR_MAX_WIDTH]; /* with `all`: the component of an index that stands for each component of the colour */
  int named;             /* whether an index occurs */
};

void ff_petri_start_free(ff_petri_start *start) {
  if (start == NULL) return;
  ff_bindings_free(&start->bindings);
  ff_flat_element_free(&start->element);
  free(start);
}

/* Where the components of set `wanted` are among those of a set, from component `from` on: the first of them, or the width of
 * the set. Each part of a product has fewer components, so this goes no deeper than FF_COLOUR_MAX_WIDTH. */
static uint32_t find_part(const ff_petri *net, uint32_t set, uint32_t wanted, uint32_t from, const uint32_t *stands) {
  const uint32_t width = ff_petri_set_width(net, set);
  while (set != wanted && net->set[set].kind != FF_SET_VALUES &&
         (net->set[set].kind != FF_SET_PRODUCT || net->set[set].n_parts == 1))
    set = net->set[set].part[0];
  if (set == wanted) {
    for (uint32_t k = 0; k < width; k++)
      if (stands[from + k] != FF_PETRI_NONE) return width;
    return 0;
  }
  if (net->set[set].kind == FF_SET_VALUES) return width;
  for (uint32_t i = 0, before = 0; i < net->set[set].n_parts; i++) {
    const uint32_t part = net->set[set].part[i], own = ff_petri_set_width(net, part);
    const uint32_t found = find_part(net, part, wanted, from + before, stands);
    if (found < own) return before + found;
    before += own;
  }
  return width;
}

/* Finds what indices of a marking of all colours stand for. */
static ff_status find_stands(ff_petri_start *start, const ff_petri *net, const ff_petri_marking *m, const uint8_t *value,
                             const uint8_t *when, ff_error *err) {
  const ff_petri_place *place = &net->place[m->element.place];
  const uint32_t width = ff_petri_set_width(net, place->set);
  for (uint32_t k = 0; k < FF_COLOUR_MAX_WIDTH; k++) start->stands[k] = FF_PETRI_NONE;
  for (uint32_t i = 0; i < net->n_indices; i++) {
    const ff_colour_index *index = &net->index[i];
    const uint32_t own = ff_petri_set_width(net, index->set);
    int named = 0, bound = 0;
    for (uint32_t k = 0; k < own; k++) {
      named |= value[index->first + k];
      bound |= when[index->first + k];
    }
    if (!named || bound) continue;
    const uint32_t at = find_part(net, place->set, index->set, 0, start->stands);
    if (at == width)
      return ff_error_set(err, FF_EMODEL,
                          "the initial marking of place %s names index %s of the set %s; expected an index of a set that "
                          "the place's colours are made of",
                          ff_quote(place->name, strlen(place->name)).text, ff_quote(index->name, strlen(index->name)).text,
                          ff_quote(net->set[index->set].name, strlen(net->set[index->set].name)).text);
    for (uint32_t k = 0; k < own; k++) start->stands[at + k] = index->first + k;
  }
  return FF_OK;
}

/* Starts a marking. `mark` has two bytes for each component of indices. */
static ff_status begin(ff_unfolder *u, const ff_petri_marking *m, uint8_t *mark, ff_error *err) {
  const ff_petri *net = u->net;
  ff_petri_start *start = u->start;
  uint8_t *value = mark, *bound = mark + net->n_components;
  ff_colour_expr when = {0};
  ff_mark_formula(value, net, &m->value);
  ff_status status = ff_flat_element_make(&start->element, net, u->flat->first, &m->element, &u->at, err);
  if (status == FF_OK) status = ff_colour_place_expand(&when, &m->when, &u->at, err);
  if (status != FF_OK) return status;
  ff_mark_colour(bound, &when);
  if (m->element.all) {
    start->set = net->colours[net->place[m->element.place].set];
    start->n = ff_colours_n(start->set);
    status = find_stands(start, net, m, value, bound, err);
  } else {
    for (uint32_t k = 0; k < start->element.width; k++) ff_mark_colour(bound, &start->element.colour[k]);
    for (uint32_t c = 0; c < net->n_components; c++) bound[c] |= value[c];
  }
  if (status == FF_OK && !m->element.all)
    status = ff_guard_narrow(&when, net, u->bounds, &m->element, &start->element, err);
  if (status != FF_OK) {
    ff_colour_free(&when);
    return status;
  }
  status = ff_bindings_start(&start->bindings, net, bound, &when, &u->at, err);
  start->named = start->bindings.n_indices > 0;
  return status;
}

/* The values of components as numbers. */
static void set_components(ff_unfolder *u, const uint32_t *component, uint32_t n) {
  double *value = u->value + u->net->n_parameters + u->net->n_variables;
  for (uint32_t k = 0; k < n; k++)
    if (component[k] != FF_PETRI_NONE) value[component[k]] = (double)u->at.component[component[k]];
}

static ff_status put(ff_unfolder *u, const ff_petri_marking *m, uint32_t place, ff_error *err) {
  double value;
  ff_status status = ff_unfolder_value(u, &m->value, &value, err);
  if (status == FF_OK) u->flat->initial[place] = m->adds ? u->flat->initial[place] + value : value;
  return status;
}

/* One binding, or with `all`, one colour of it. */
static ff_status apply(ff_unfolder *u, const ff_petri_marking *m, ff_error *err) {
  ff_petri_start *start = u->start;
  uint32_t place;
  if (start->colour == 0) {
    ff_bindings_set(&start->bindings, start->bindings.next, &u->at);
    set_components(u, start->bindings.component, start->bindings.width);
  }
  if (m->element.all) {
    int64_t tuple[FF_COLOUR_MAX_WIDTH];
    const uint32_t width = ff_colours_width(start->set), colour = start->colour++;
    if (colour < start->n) {
      ff_colours_at(start->set, colour, tuple);
      for (uint32_t k = 0; k < width; k++)
        if (start->stands[k] != FF_PETRI_NONE) u->at.component[start->stands[k]] = tuple[k];
      set_components(u, start->stands, width);
    }
    if (start->colour >= start->n) {
      start->colour = 0;
      start->bindings.next++;
    }
    return colour < start->n ? put(u, m, start->element.first + colour, err) : FF_OK;
  }
  start->bindings.next++;
  if (ff_flat_element_find(&start->element, &u->at, &place)) return put(u, m, place, err);
  if (start->named) return FF_OK;
  const char *name = u->net->place[m->element.place].name;
  return ff_error_set(err, FF_EMODEL,
                      "an initial marking of place %s has a colour that the place does not have; expected a colour of its "
                      "set",
                      ff_quote(name, strlen(name)).text);
}

ff_status ff_unfolder_mark(ff_unfolder *u, uint32_t marking, int64_t *budget, int *done, ff_error *err) {
  const ff_petri_marking *m = &u->net->marking[marking];
  ff_status status = FF_OK;
  *done = 0;
  if (u->start == NULL) {
    uint8_t *mark = ff_calloc(2 * (size_t)u->net->n_components, 1);
    u->start = ff_calloc(1, sizeof *u->start);
    status = mark != NULL && u->start != NULL ? begin(u, m, mark, err) : ff_error_set(err, FF_EMEMORY, "no memory for a marking");
    free(mark);
  }
  if (status != FF_OK) return status;
  ff_bindings *b = &u->start->bindings;
  if (!b->done) status = ff_bindings_step(b, &u->at, budget, err);
  for (; status == FF_OK && b->done && b->next < b->n && *budget > 0; *budget -= 2) status = apply(u, m, err);
  if (status != FF_OK || !b->done || b->next < b->n) return status;
  ff_petri_start_free(u->start);
  u->start = NULL;
  *done = 1;
  return FF_OK;
}

ff_status ff_unfolder_check_initial(const ff_unfolder *u, ff_error *err) {
  ff_petri_flat *flat = u->flat;
  char name[200];
  for (uint32_t p = 0; p < flat->n_places; p++) {
    const double value = flat->initial[p];
    double count;
    if (flat->continuous[p] ? value >= 0.0 && isfinite(value) : ff_count_of(value, &count) && count <= FF_MAX_COUNT) {
      if (!flat->continuous[p]) flat->initial[p] = count;
      continue;
    }
    ff_petri_place_name(name, sizeof name, flat, p, ",");
    return ff_error_set(err, FF_EMODEL, "the initial marking of the %s place %s is %s; expected %s",
                        flat->continuous[p] ? "continuous" : "discrete", ff_quote(name, strlen(name)).text,
                        ff_show(value, 17).text,
                        flat->continuous[p] ? "a finite number of at least 0" : "a whole number from 0 to 2^53");
  }
  return FF_OK;
}
