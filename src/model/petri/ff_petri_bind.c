/* The unfolding of coloured nets: values, the places of elements, and the bindings of indices. */
#include <stdlib.h>
#include <string.h>

#include "ff_petri_unfold.h"

/* ---- values of formulas and colours ------------------------------------------------------------------------------- */

ff_status ff_colour_place_expand(ff_colour_expr *out, const ff_colour_expr *expr, ff_colour_place *at, ff_error *err) {
  *out = (ff_colour_expr){0};
  ff_status status = expr->length > 0 ? ff_colour_expand(out, expr, &at->scope, err) : FF_OK;
  void *memory = at->stack;
  if (status == FF_OK) status = ff_grow(&memory, &at->capacity, out->depth, sizeof *at->stack, err);
  at->stack = memory;
  if (status != FF_OK) ff_colour_free(out);
  return status;
}

ff_status ff_unfolder_value(ff_unfolder *u, const ff_formula *formula, double *value, ff_error *err) {
  void *memory = u->stack;
  ff_status status = ff_grow(&memory, &u->stack_capacity, formula->depth, sizeof *u->stack, err);
  u->stack = memory;
  if (status == FF_OK) *value = ff_formula_value(formula, u->value, 0.0, u->stack);
  return status;
}

/* Most expressions are a number or an index. */
static inline int value_of(int64_t *value, const ff_colour_expr *expr, const ff_colour_place *at) {
  if (expr->length == 1 && expr->word[0].code == FF_C_INDEX) {
    *value = at->component[expr->word[0].of];
    return 1;
  }
  if (expr->length == 1 && expr->word[0].code == FF_C_NUMBER) {
    *value = expr->word[0].value;
    return 1;
  }
  return ff_colour_value(value, expr, &at->scope, at->component, at->stack);
}

int ff_colour_holds(const ff_colour_expr *expr, const ff_colour_place *at) {
  int64_t value;
  return expr->length == 0 || (value_of(&value, expr, at) && value != 0);
}

/* ---- elements ----------------------------------------------------------------------------------------------------- */

ff_status ff_flat_element_make(ff_flat_element *out, const ff_petri *net, const uint32_t *first, const ff_petri_element *element,
                               ff_colour_place *at, ff_error *err) {
  const uint32_t set = net->place[element->place].set;
  ff_status status = FF_OK;
  *out = (ff_flat_element){.first = first[element->place]};
  if (set == FF_PETRI_NONE || element->all) return FF_OK;
  out->set = net->colours[set];
  for (; out->width < element->width && status == FF_OK; out->width++)
    status = ff_colour_place_expand(&out->colour[out->width], &element->colour[out->width], at, err);
  if (status != FF_OK) ff_flat_element_free(out);
  return status;
}

void ff_flat_element_free(ff_flat_element *element) {
  for (uint32_t k = 0; k < element->width; k++) ff_colour_free(&element->colour[k]);
}

int ff_flat_element_find(const ff_flat_element *element, const ff_colour_place *at, uint32_t *place) {
  int64_t tuple[FF_COLOUR_MAX_WIDTH], found = 0;
  for (uint32_t k = 0; k < element->width; k++)
    if (!value_of(&tuple[k], &element->colour[k], at)) return 0;
  if (element->set != NULL) found = ff_colours_find(element->set, tuple);
  *place = element->first + (uint32_t)found;
  return found >= 0;
}

/* ---- bindings ----------------------------------------------------------------------------------------------------- */

void ff_mark_colour(uint8_t *component, const ff_colour_expr *expr) {
  for (uint32_t i = 0; i < expr->length; i++)
    if (expr->word[i].code == FF_C_INDEX) component[expr->word[i].of] = 1;
}

void ff_mark_formula(uint8_t *component, const ff_petri *net, const ff_formula *formula) {
  const uint32_t first = net->n_parameters + net->n_variables;
  for (uint32_t i = 0; i < formula->length; i++) {
    const uint32_t symbol = formula->word[i].symbol;
    if (formula->word[i].code == FF_F_SYMBOL && symbol >= first && symbol - first < net->n_components)
      component[symbol - first] = 1;
  }
}

/* Lists the indices that are marked, and their components. */
static ff_status list_indices(ff_bindings *b, const ff_petri *net, const uint8_t *component, ff_error *err) {
  b->index = ff_calloc(net->n_indices, sizeof *b->index);
  b->component = ff_calloc(net->n_components, sizeof *b->component);
  if (b->index == NULL || b->component == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u indices", net->n_indices);
  for (uint32_t i = 0; i < net->n_indices; i++) {
    const uint32_t first = net->index[i].first, width = ff_petri_set_width(net, net->index[i].set);
    int marked = 0;
    for (uint32_t k = 0; k < width; k++) marked |= component[first + k];
    if (!marked) continue;
    b->index[b->n_indices++] = i;
    for (uint32_t k = 0; k < width; k++) b->component[b->width++] = first + k;
  }
  return FF_OK;
}

ff_status ff_bindings_start(ff_bindings *out, const ff_petri *net, const uint8_t *component, ff_colour_expr *guard,
                            const ff_colour_place *at, ff_error *err) {
  *out = (ff_bindings){.guard = *guard};
  *guard = (ff_colour_expr){0};
  ff_status status = list_indices(out, net, component, err);
  if (status == FF_OK && out->n_indices > 0)
    status = ff_binder_new(&out->binder, out->index, out->n_indices, &out->guard, &at->scope, err);
  if (status != FF_OK) ff_bindings_free(out);
  return status;
}

ff_status ff_bindings_step(ff_bindings *b, const ff_colour_place *at, int64_t *budget, ff_error *err) {
  if (b->binder == NULL) {
    b->n = ff_colour_holds(&b->guard, at) ? 1 : 0;
    b->done = 1;
    *budget -= 1;
    return FF_OK;
  }
  ff_status status = ff_binder_step(b->binder, *budget > 0 ? (uint64_t)*budget : 1, &b->done, err);
  const uint64_t nodes = ff_binder_nodes(b->binder);
  *budget = b->done ? *budget - (int64_t)(nodes - b->nodes) - 1 : 0;
  b->nodes = nodes;
  b->n = ff_binder_n(b->binder);
  return status;
}

void ff_bindings_set(const ff_bindings *b, uint64_t i, ff_colour_place *at) {
  if (b->width == 0) return;
  const int64_t *value = ff_binder_values(b->binder) + i * b->width;
  for (uint32_t k = 0; k < b->width; k++) at->component[b->component[k]] = value[k];
}

void ff_bindings_free(ff_bindings *b) {
  ff_binder_free(b->binder);
  ff_colour_free(&b->guard);
  free(b->index);
  free(b->component);
  *b = (ff_bindings){0};
}

/* ---- guards that narrow ------------------------------------------------------------------------------------------- */

int ff_bounds_of(ff_bounds *cache, const ff_petri *net, uint32_t set, uint32_t k, ff_bounds *out) {
  ff_bounds *b = &cache[set * (size_t)FF_COLOUR_MAX_WIDTH + k];
  if (!b->known) {
    const ff_colours *simple = ff_colours_component(net->colours[set], k);
    const uint32_t n = ff_colours_n(simple);
    *b = (ff_bounds){1, n > 0, INT64_MAX, INT64_MIN};
    for (uint32_t i = 0; i < n; i++) {
      int64_t value;
      ff_colours_at(simple, i, &value);
      if (value < b->low) b->low = value;
      if (value > b->high) b->high = value;
    }
    if (b->high >= FF_COLOUR_NAMES) b->numbers = 0;
  }
  *out = *b;
  return b->numbers;
}

/* Whether an expression may leave the colours of component k of a set: an index of other colours, and arithmetic. *bounds become
 * those of the component. */
static int needs_test(const ff_petri *net, ff_bounds *cache, const ff_colour_expr *expr, uint32_t set, uint32_t k,
                      ff_bounds *bounds) {
  const ff_colour_word *last = &expr->word[expr->length - 1];
  if ((last->code >= FF_C_NEG && last->code <= FF_C_POW) || last->code == FF_C_ABS)
    return ff_bounds_of(cache, net, set, k, bounds);
  if (last->code != FF_C_INDEX) return 0;
  uint32_t i = net->n_indices - 1;
  ff_bounds own;
  while (net->index[i].first > last->of) i--;
  const uint32_t at = last->of - net->index[i].first;
  if (ff_colours_component(net->colours[net->index[i].set], at) == ff_colours_component(net->colours[set], k)) return 0;
  return ff_bounds_of(cache, net, set, k, bounds) && ff_bounds_of(cache, net, net->index[i].set, at, &own) &&
         (own.low < bounds->low || own.high > bounds->high);
}

static void append(ff_colour_expr *to, ff_colour_word word) { to->word[to->length++] = word; }

/* Adds `& low <= expr & expr <= high` to a guard. */
static ff_status add_bounds(ff_colour_expr *guard, const ff_colour_expr *expr, const ff_bounds *bounds, ff_error *err) {
  const size_t length = (size_t)guard->length + 2 * (size_t)expr->length + 6;
  ff_colour_expr wide = {.depth = expr->depth + 2 > guard->depth ? expr->depth + 2 : guard->depth};
  const int64_t limit[] = {bounds->low, bounds->high};
  if (length > UINT32_MAX) return ff_error_set(err, FF_ESIZE, "a guard has more than 2^32 words");
  wide.word = ff_calloc(length, sizeof *wide.word);
  if (wide.word == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a guard of %zu words", length);
  for (uint32_t i = 0; i < guard->length; i++) append(&wide, guard->word[i]);
  for (int side = 0; side < 2; side++) {
    const int first = wide.length == 0;
    for (uint32_t i = 0; i < expr->length; i++) append(&wide, expr->word[i]);
    append(&wide, (ff_colour_word){FF_C_NUMBER, 0, limit[side]});
    append(&wide, (ff_colour_word){side == 0 ? FF_C_GE : FF_C_LE, 0, 0});
    if (!first) append(&wide, (ff_colour_word){FF_C_AND, 0, 0});
  }
  ff_colour_free(guard);
  *guard = wide;
  return FF_OK;
}

ff_status ff_guard_narrow(ff_colour_expr *guard, const ff_petri *net, ff_bounds *cache, const ff_petri_element *element,
                          const ff_flat_element *flat, ff_error *err) {
  const uint32_t set = net->place[element->place].set;
  ff_status status = FF_OK;
  for (uint32_t k = 0; k < flat->width && status == FF_OK; k++) {
    ff_bounds bounds;
    if (needs_test(net, cache, &flat->colour[k], set, k, &bounds)) status = add_bounds(guard, &flat->colour[k], &bounds, err);
  }
  return status;
}
