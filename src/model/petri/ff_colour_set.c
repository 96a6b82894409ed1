/* Making the colours of a set, and their texts. Ranges and products are computed; other sets have a table and a hash table. The
 * look-ups are in ff_colour.c. */
#include "../../base/ff_decimal.h"
#include "ff_colour_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ff_colours_free(ff_colours *colours) {
  if (colours == NULL) return;
  for (uint32_t k = 0; k < FF_COLOUR_MAX_WIDTH; k++) {
    if (colours->own[k] == NULL) continue;
    free(colours->own[k]->value);
    free(colours->own[k]->slot);
    free(colours->own[k]);
  }
  free(colours->value);
  free(colours->slot);
  free(colours);
}

/* ---- tables that grow --------------------------------------------------------------------------------------------------- */

typedef struct {
  ff_colours *set;
  size_t capacity;
  const ff_colour_scope *scope;
  const char *name; /* of the set */
  ff_error *err;
} table;

static ff_status fail_size(const table *t, double n) {
  return ff_error_set(t->err, FF_ESIZE, "the set %s has %s colours; at most %s are possible",
                      ff_quote(t->name, strlen(t->name)).text, ff_show_as_r(n, 15).text,
                      ff_show_as_r((double)FF_COLOUR_MAX_SET, 15).text);
}

static ff_status double_slots(table *t) {
  ff_colours *set = t->set;
  const uint32_t slots = set->slot == NULL ? 16 : 2 * (set->mask + 1);
  uint32_t *slot = ff_calloc(slots, sizeof *slot);
  if (slot == NULL) return ff_error_set(t->err, FF_EMEMORY, "no memory for the colours of the set %s", t->name);
  free(set->slot);
  set->slot = slot;
  set->mask = slots - 1;
  for (uint32_t i = 0; i < set->n; i++) set->slot[ff_colours_slot(set, set->value + (size_t)i * set->width)] = i + 1;
  return FF_OK;
}

/* Adds a tuple unless the table has it; *added tells which. */
static ff_status add_tuple(table *t, const int64_t *tuple, int *added) {
  ff_colours *set = t->set;
  if (set->slot == NULL || 2 * (uint64_t)set->n > set->mask) {
    const ff_status status = double_slots(t);
    if (status != FF_OK) return status;
  }
  const uint32_t at = ff_colours_slot(set, tuple);
  *added = set->slot[at] == 0;
  if (!*added) return FF_OK;
  if (set->n >= FF_COLOUR_MAX_SET) return fail_size(t, (double)set->n + 1);
  void *memory = set->value;
  const ff_status status = ff_grow(&memory, &t->capacity, ((size_t)set->n + 1) * set->width, sizeof *tuple, t->err);
  set->value = memory;
  if (status != FF_OK) return status;
  memcpy(set->value + (size_t)set->n * set->width, tuple, set->width * sizeof *tuple);
  set->slot[at] = ++set->n;
  return FF_OK;
}

static void become_range(ff_colours *set, int64_t first) {
  set->kind = FF_COLOURS_RANGE;
  set->first = set->least = first;
  set->most = first + set->n - 1;
  set->ascending = 1;
}

/* The table is complete: it becomes a range if it can. */
static ff_status end_table(table *t) {
  ff_colours *set = t->set;
  if (set->n == 0) return ff_error_set(t->err, FF_EMODEL, "the set %s has no colours", ff_quote(t->name, strlen(t->name)).text);
  set->kind = FF_COLOURS_TABLE;
  int range = set->width == 1;
  for (uint32_t i = 1; i < set->n && range; i++) range = set->value[i] == set->value[0] + i;
  if (!range) {
    set->value = ff_shrink(set->value, (size_t)set->n * set->width, sizeof *set->value);
    set->least = set->most = set->value[0];
    set->ascending = set->width == 1;
    for (uint32_t i = 1; i < set->n && set->width == 1; i++) {
      set->ascending &= set->value[i] > set->value[i - 1];
      if (set->value[i] < set->least) set->least = set->value[i];
      if (set->value[i] > set->most) set->most = set->value[i];
    }
    return FF_OK;
  }
  become_range(set, set->value[0]);
  free(set->value);
  free(set->slot);
  set->value = NULL;
  set->slot = NULL;
  return FF_OK;
}

/* ---- kinds of sets ------------------------------------------------------------------------------------------------------ */

static const ff_colours *part_of(const table *t, uint32_t s, uint32_t i) { return t->scope->colours[t->scope->set[s].part[i]]; }

static ff_status make_values(table *t, uint32_t s) {
  const ff_colour_definition *d = &t->scope->set[s];
  if (d->n_values > FF_COLOUR_MAX_SET) return fail_size(t, d->n_values);
  t->set->width = 1;
  int range = d->n_values > 0;
  for (uint32_t i = 1; i < d->n_values && range; i++) range = d->value[i] == d->value[0] + i;
  if (range) {
    t->set->n = d->n_values;
    become_range(t->set, d->value[0]);
    return FF_OK;
  }
  for (uint32_t i = 0; i < d->n_values; i++) {
    int added;
    const ff_status status = add_tuple(t, &d->value[i], &added);
    if (status != FF_OK) return status;
    if (added) continue;
    char text[40] = "a colour";
    if (ff_colour_is_number(d->value[i])) snprintf(text, sizeof text, "%lld", (long long)d->value[i]);
    const uint64_t name = (uint64_t)(d->value[i] - FF_COLOUR_NAMES);
    return ff_error_set(t->err, FF_EMODEL, "the set %s has the colour %s twice", ff_quote(t->name, strlen(t->name)).text,
                        d->value[i] >= FF_COLOUR_NAMES && name < t->scope->n_colours
                            ? ff_quote(t->scope->colour[name], strlen(t->scope->colour[name])).text
                            : text);
  }
  return end_table(t);
}

static ff_status make_product(table *t, uint32_t s) {
  const ff_colour_definition *d = &t->scope->set[s];
  ff_colours *set = t->set;
  double n = 1;
  uint32_t width = 0;
  for (uint32_t i = 0; i < d->n_parts; i++) {
    const ff_colours *part = part_of(t, s, i);
    n *= part->n;
    width += part->width;
    if (width > FF_COLOUR_MAX_WIDTH)
      return ff_error_set(t->err, FF_ESIZE, "the colours of the set %s have more than %u components",
                          ff_quote(t->name, strlen(t->name)).text, FF_COLOUR_MAX_WIDTH);
    for (uint32_t k = 0; k < part->width; k++) set->component[set->width++] = part->component[k];
    if (part->kind != FF_COLOURS_PRODUCT) set->factor[set->n_factors++] = part;
    for (uint32_t k = 0; k < part->n_factors; k++) set->factor[set->n_factors++] = part->factor[k];
  }
  if (d->n_parts == 0) return end_table(t); /* it fails */
  if (n > (double)FF_COLOUR_MAX_SET) return fail_size(t, n);
  set->kind = FF_COLOURS_PRODUCT;
  set->n = (uint32_t)n;
  return FF_OK;
}

/* Whether next() and previous() of a predicate move in sets that have been made. */
static ff_status check_steps(const table *t, const ff_colour_expr *predicate) {
  for (uint32_t i = 0; i < predicate->length; i++) {
    const ff_colour_word *word = &predicate->word[i];
    if (!ff_colour_steps(word->code) || t->scope->colours[word->of] != NULL) continue;
    return ff_error_set(t->err, FF_EMODEL,
                        "the predicate of the set %s has next() or previous() in the set %s, which is defined later; "
                        "expected a set that is defined before",
                        ff_quote(t->name, strlen(t->name)).text, t->scope->set[word->of].name);
  }
  return FF_OK;
}

static ff_status make_subset(table *t, uint32_t s) {
  const ff_colours *parent = part_of(t, s, 0);
  ff_colour_expr predicate;
  int64_t *stack = NULL, tuple[FF_COLOUR_MAX_WIDTH], value;
  ff_colour_scope scope = *t->scope;
  scope.subset_of = t->scope->set[s].part[0];
  t->set->width = parent->width;
  if (parent->width > 1) memcpy(t->set->component, parent->component, sizeof parent->component);
  ff_status status = ff_colour_expand(&predicate, &t->scope->set[s].predicate, &scope, t->err);
  if (status == FF_OK) status = check_steps(t, &predicate);
  if (status == FF_OK && (stack = ff_calloc(predicate.depth, sizeof *stack)) == NULL)
    status = ff_error_set(t->err, FF_EMEMORY, "no memory for a stack of %u colours", predicate.depth);
  for (uint32_t i = 0; i < parent->n && status == FF_OK; i++) {
    int added;
    ff_colours_at(parent, i, tuple);
    if (ff_colour_value(&value, &predicate, &scope, tuple, stack) && value != 0) status = add_tuple(t, tuple, &added);
  }
  free(stack);
  ff_colour_free(&predicate);
  return status == FF_OK ? end_table(t) : status;
}

static ff_status join_parts(table *t, const ff_colours *const *part, uint32_t n_parts) {
  int64_t tuple[FF_COLOUR_MAX_WIDTH];
  for (uint32_t p = 0; p < n_parts; p++)
    for (uint32_t i = 0; i < part[p]->n; i++) {
      int added;
      ff_colours_at(part[p], i, tuple);
      const ff_status status = add_tuple(t, tuple, &added);
      if (status != FF_OK) return status;
    }
  return end_table(t);
}

/* The values of component k in all parts. */
static ff_status join_components(table *t, const ff_colours **part, uint32_t n_parts, const ff_colours *const *component,
                                 uint32_t k) {
  ff_colours *own = ff_calloc(1, sizeof *own);
  if (own == NULL) return ff_error_set(t->err, FF_EMEMORY, "no memory for the colours of the set %s", t->name);
  t->set->own[k] = own;
  t->set->component[k] = own;
  own->width = 1;
  own->component[0] = own;
  table inner = {own, 0, t->scope, t->name, t->err};
  for (uint32_t p = 0; p < n_parts; p++) part[p] = component[p];
  return join_parts(&inner, part, n_parts);
}

static ff_status make_union(table *t, uint32_t s) {
  const ff_colour_definition *d = &t->scope->set[s];
  const uint32_t n = d->n_parts;
  if (n == 0) return end_table(t); /* it fails */
  t->set->width = part_of(t, s, 0)->width;
  for (uint32_t i = 1; i < n; i++) {
    if (part_of(t, s, i)->width == t->set->width) continue;
    return ff_error_set(t->err, FF_EMODEL,
                        "the set %s joins the set %s, whose colours have %u components, and %s, where they have %u",
                        ff_quote(t->name, strlen(t->name)).text, t->scope->set[d->part[0]].name, t->set->width,
                        t->scope->set[d->part[i]].name, part_of(t, s, i)->width);
  }
  const ff_colours **part = ff_calloc(2 * (size_t)n, sizeof *part);
  if (part == NULL) return ff_error_set(t->err, FF_EMEMORY, "no memory for the %u parts of the set %s", n, t->name);
  for (uint32_t i = 0; i < n; i++) part[i] = part_of(t, s, i);
  ff_status status = join_parts(t, part, n);
  for (uint32_t k = 0; k < t->set->width && t->set->width > 1 && status == FF_OK; k++) {
    int same = 1;
    for (uint32_t i = 0; i < n; i++) {
      part[n + i] = part_of(t, s, i)->component[k];
      same &= part[n + i] == part[n];
    }
    if (same)
      t->set->component[k] = part[n];
    else
      status = join_components(t, part, n, part + n, k);
  }
  free(part);
  return status;
}

ff_status ff_colours_new(ff_colours **out, uint32_t s, const ff_colour_scope *scope, ff_error *err) {
  const ff_colour_definition *d = &scope->set[s];
  *out = NULL;
  for (uint32_t i = 0; i < d->n_parts && d->kind != FF_SET_VALUES; i++)
    if (d->part[i] >= s || scope->colours[d->part[i]] == NULL)
      return ff_error_set(err, FF_EINTERNAL, "a part of the set %s has not been made", d->name);
  ff_colours *set = ff_calloc(1, sizeof *set);
  if (set == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the colours of the set %s", d->name);
  table t = {set, 0, scope, d->name, err};
  ff_status status;
  switch (d->kind) {
    case FF_SET_PRODUCT: status = make_product(&t, s); break;
    case FF_SET_SUBSET: status = d->n_parts == 0 ? end_table(&t) : make_subset(&t, s); break;
    case FF_SET_UNION: status = make_union(&t, s); break;
    default: status = make_values(&t, s);
  }
  if (set->width == 1 && set->kind != FF_COLOURS_PRODUCT) set->component[0] = set;
  if (status == FF_OK)
    *out = set;
  else
    ff_colours_free(set);
  return status;
}

/* ---- texts -------------------------------------------------------------------------------------------------------------- */

size_t ff_colours_text(char *out, size_t size, const ff_colours *set, uint32_t i, const char *between,
                       const ff_colour_scope *scope) {
  int64_t tuple[FF_COLOUR_MAX_WIDTH];
  size_t length = 0;
  ff_colours_at(set, i, tuple);
  for (uint32_t k = 0; k < set->width; k++) {
    char number[24];
    const char *text = number;
    if (tuple[k] >= FF_COLOUR_NAMES)
      text = scope->colour[tuple[k] - FF_COLOUR_NAMES];
    else
      snprintf(number, sizeof number, "%lld", (long long)tuple[k]);
    const int written =
        snprintf(length < size ? out + length : NULL, length < size ? size - length : 0, "%s%s", k > 0 ? between : "", text);
    length += (size_t)written;
  }
  return length;
}
