/* Sets of colours. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ff_colour_internal.h"

/* A set is a range of numbers that follow each other; or a product of sets; or a list of tuples with a hash table. */
struct ff_colours {
  uint32_t n, width;
  int64_t first;            /* of a range */
  ff_colours **parts;       /* of a product: the sets, which are borrowed */
  uint32_t n_parts;
  int64_t *value;           /* of a list: n x width */
  uint32_t *table, mask;    /* 1 + a number, or 0 */
  ff_colours **component;   /* of each component of a list of tuples, if it is no set of its own */
  const ff_colours *parent; /* of a subset: whose components it has */
};

uint32_t ff_colours_n(const ff_colours *set) { return set->n; }
uint32_t ff_colours_width(const ff_colours *set) { return set->width; }

uint32_t ff_colours_range(const ff_colours *set, int64_t *first) {
  if (set->value != NULL || set->n_parts > 0) return 0;
  *first = set->first;
  return set->n;
}

void ff_colours_at(const ff_colours *set, uint32_t i, int64_t *tuple) {
  if (set->value != NULL) {
    memcpy(tuple, set->value + (size_t)i * set->width, set->width * sizeof *tuple);
  } else if (set->n_parts == 0) {
    *tuple = set->first + i;
  } else {
    uint32_t end = set->width;
    for (uint32_t k = set->n_parts; k-- > 0;) {
      const ff_colours *part = set->parts[k];
      end -= part->width;
      ff_colours_at(part, i % part->n, tuple + end);
      i /= part->n;
    }
  }
}

static uint32_t hash_of(const int64_t *tuple, uint32_t width) {
  uint64_t h = 1469598103934665603u;
  for (uint32_t k = 0; k < width; k++) {
    h = (h ^ (uint64_t)tuple[k]) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
  }
  return (uint32_t)(h >> 16);
}

/* The place of a tuple in the table, or of the free place where it belongs. */
static uint32_t place_of(const ff_colours *set, const int64_t *tuple) {
  uint32_t at = hash_of(tuple, set->width) & set->mask;
  while (set->table[at] != 0 &&
         memcmp(set->value + (size_t)(set->table[at] - 1) * set->width, tuple, set->width * sizeof *tuple) != 0)
    at = (at + 1) & set->mask;
  return at;
}

int64_t ff_colours_find(const ff_colours *set, const int64_t *tuple) {
  if (set->value != NULL) return (int64_t)set->table[place_of(set, tuple)] - 1;
  if (set->n_parts == 0) return *tuple >= set->first && *tuple - set->first < set->n ? *tuple - set->first : -1;
  int64_t at = 0;
  for (uint32_t k = 0; k < set->n_parts; tuple += set->parts[k++]->width) {
    const int64_t found = ff_colours_find(set->parts[k], tuple);
    if (found < 0) return -1;
    at = at * set->parts[k]->n + found;
  }
  return at;
}

const ff_colours *ff_colours_component(const ff_colours *set, uint32_t k) {
  if (set->width == 1) return set;
  if (set->parent != NULL) return ff_colours_component(set->parent, k);
  if (set->component != NULL) return set->component[k];
  for (uint32_t i = 0;; k -= set->parts[i++]->width)
    if (k < set->parts[i]->width) return ff_colours_component(set->parts[i], k);
}

void ff_colours_free(ff_colours *set) {
  if (set == NULL) return;
  for (uint32_t k = 0; set->component != NULL && k < set->width; k++) ff_colours_free(set->component[k]);
  free(set->component);
  free(set->parts);
  free(set->value);
  free(set->table);
  free(set);
}

/* ---- definitions -------------------------------------------------------------------------------------------------------- */

uint32_t ff_colour_set_width(const ff_colour_scope *scope, uint32_t set) {
  const ff_colour_definition *d = &scope->set[set];
  if (d->kind == FF_SET_VALUES) return 1;
  if (d->kind != FF_SET_PRODUCT) return ff_colour_set_width(scope, d->part[0]);
  uint32_t width = 0;
  for (uint32_t i = 0; i < d->n_parts; i++) width += ff_colour_set_width(scope, d->part[i]);
  return width;
}

uint32_t ff_colour_set_part(const ff_colour_scope *scope, uint32_t set, uint32_t k) {
  const ff_colour_definition *d = &scope->set[set];
  if (ff_colour_set_width(scope, set) == 1 && k == 0) return set;
  if (d->kind == FF_SET_UNION || d->kind == FF_SET_VALUES) return UINT32_MAX;
  if (d->kind == FF_SET_SUBSET) return ff_colour_set_part(scope, d->part[0], k);
  for (uint32_t i = 0; i < d->n_parts; i++) {
    const uint32_t width = ff_colour_set_width(scope, d->part[i]);
    if (k < width) return ff_colour_set_part(scope, d->part[i], k);
    k -= width;
  }
  return UINT32_MAX;
}

/* ---- making ------------------------------------------------------------------------------------------------------------- */

typedef struct {
  const ff_colour_scope *scope;
  const ff_colour_definition *definition;
  const char *name;
  ff_error *err;
} maker;

static ff_quoted quoted(const maker *m) { return ff_quote(m->definition->name, strlen(m->definition->name)); }

static ff_status too_many(const maker *m, double n) {
  return ff_error_set(m->err, FF_ESIZE, "the set %s has %.15g colours; at most %.15g are possible", quoted(m).text, n,
                      (double)FF_COLOUR_MAX_SET);
}

static ff_status no_memory(const maker *m, uint32_t n) {
  return ff_error_set(m->err, FF_EMEMORY, "no memory for the %u colours of the set %s", n, quoted(m).text);
}

/* Fills the hash table of a list. *repeated becomes the number of a colour that occurs before, or -1. With `drop`, such
 * colours are left out. */
static int hash_list(ff_colours *set, int drop, int64_t *repeated) {
  *repeated = -1;
  set->mask = 1;
  while (set->mask < 2 * (uint64_t)set->n) set->mask = 2 * set->mask + 1;
  set->table = ff_calloc((size_t)set->mask + 1, sizeof *set->table);
  if (set->table == NULL) return 0;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < set->n; i++) {
    const int64_t *tuple = set->value + (size_t)i * set->width;
    const uint32_t at = place_of(set, tuple);
    if (set->table[at] != 0) {
      if (*repeated < 0) *repeated = i;
      if (drop) continue;
    }
    memmove(set->value + (size_t)kept * set->width, tuple, set->width * sizeof *tuple);
    set->table[at] = ++kept;
  }
  set->n = kept;
  return 1;
}

static ff_status make_values(ff_colours *set, const maker *m) {
  const ff_colour_definition *d = m->definition;
  int follow = d->n_values > 0;
  for (uint32_t i = 1; i < d->n_values; i++) follow &= d->value[i] == d->value[i - 1] + 1;
  set->width = 1;
  set->n = d->n_values;
  if (follow) {
    set->first = d->value[0];
    return FF_OK;
  }
  int64_t repeated;
  set->value = ff_calloc(set->n, sizeof *set->value);
  if (set->value == NULL) return no_memory(m, set->n);
  if (set->n > 0) memcpy(set->value, d->value, set->n * sizeof *set->value);
  if (!hash_list(set, 0, &repeated)) return no_memory(m, set->n);
  if (repeated < 0) return FF_OK;
  const int64_t value = d->value[repeated];
  char number[32];
  snprintf(number, sizeof number, "%lld", (long long)value);
  return ff_error_set(m->err, FF_EMODEL, "the set %s has the colour %s twice", quoted(m).text,
                      value >= FF_COLOUR_NAMES ? m->scope->colour[value - FF_COLOUR_NAMES] : number);
}

static ff_status make_product(ff_colours *set, const maker *m) {
  const ff_colour_definition *d = m->definition;
  double n = 1;
  set->parts = ff_calloc(d->n_parts, sizeof *set->parts);
  if (set->parts == NULL) return no_memory(m, d->n_parts);
  for (uint32_t i = 0; i < d->n_parts; i++) {
    set->parts[i] = m->scope->colours[d->part[i]];
    set->width += set->parts[i]->width;
    n *= set->parts[i]->n;
  }
  set->n_parts = d->n_parts;
  if (n > (double)FF_COLOUR_MAX_SET) return too_many(m, n);
  if (set->width > FF_COLOUR_MAX_WIDTH)
    return ff_error_set(m->err, FF_ESIZE, "the colours of the set %s have %u components; at most %u are possible", quoted(m).text,
                        set->width, FF_COLOUR_MAX_WIDTH);
  set->n = (uint32_t)n;
  return FF_OK;
}

static ff_status keep_true(ff_colours *set, const maker *m, const ff_colour_expr *predicate) {
  int64_t *stack = ff_calloc(predicate->depth, sizeof *stack), tuple[FF_COLOUR_MAX_WIDTH], holds, repeated;
  const uint32_t n = set->parent->n;
  set->value = ff_calloc((size_t)n * set->width, sizeof *set->value);
  if (stack == NULL || set->value == NULL) {
    free(stack);
    return no_memory(m, n);
  }
  for (uint32_t i = 0; i < n; i++) {
    ff_colours_at(set->parent, i, tuple);
    if (!ff_colour_value(&holds, predicate, m->scope, tuple, stack) || holds == 0) continue;
    memcpy(set->value + (size_t)set->n++ * set->width, tuple, set->width * sizeof *tuple);
  }
  free(stack);
  return hash_list(set, 0, &repeated) ? FF_OK : no_memory(m, set->n);
}

static ff_status make_subset(ff_colours *set, const maker *m) {
  ff_colour_expr predicate;
  set->parent = m->scope->colours[m->definition->part[0]];
  set->width = set->parent->width;
  ff_status status = ff_colour_expand(&predicate, &m->definition->predicate, m->scope, m->err);
  if (status == FF_OK) status = keep_true(set, m, &predicate);
  ff_colour_free(&predicate);
  return status;
}

/* The values of each component, in the order in which they occur. */
static ff_status make_components(ff_colours *set, const maker *m) {
  set->component = ff_calloc(set->width, sizeof *set->component);
  if (set->component == NULL) return no_memory(m, set->n);
  for (uint32_t k = 0; k < set->width; k++) {
    int64_t repeated;
    ff_colours *c = set->component[k] = ff_calloc(1, sizeof *c);
    if (c == NULL || (c->value = ff_calloc(set->n, sizeof *c->value)) == NULL) return no_memory(m, set->n);
    c->width = 1;
    c->n = set->n;
    for (uint32_t i = 0; i < set->n; i++) c->value[i] = set->value[(size_t)i * set->width + k];
    if (!hash_list(c, 1, &repeated)) return no_memory(m, set->n);
  }
  return FF_OK;
}

static ff_status make_union(ff_colours *set, const maker *m) {
  const ff_colour_definition *d = m->definition;
  double n = 0;
  int64_t repeated;
  set->width = m->scope->colours[d->part[0]]->width;
  for (uint32_t i = 0; i < d->n_parts; i++) {
    const ff_colours *part = m->scope->colours[d->part[i]];
    if (part->width != set->width)
      return ff_error_set(m->err, FF_EMODEL, "the set %s joins colours of %u and of %u components", quoted(m).text, set->width,
                          part->width);
    n += part->n;
  }
  if (n > (double)FF_COLOUR_MAX_SET) return too_many(m, n);
  set->value = ff_calloc((size_t)n * set->width, sizeof *set->value);
  if (set->value == NULL) return no_memory(m, (uint32_t)n);
  for (uint32_t i = 0; i < d->n_parts; i++)
    for (uint32_t k = 0; k < m->scope->colours[d->part[i]]->n; k++)
      ff_colours_at(m->scope->colours[d->part[i]], k, set->value + (size_t)set->n++ * set->width);
  if (!hash_list(set, 1, &repeated)) return no_memory(m, (uint32_t)n);
  return set->width > 1 ? make_components(set, m) : FF_OK;
}

ff_status ff_colours_new(ff_colours **out, uint32_t s, const ff_colour_scope *scope, ff_error *err) {
  static ff_status (*const make[])(ff_colours *, const maker *) = {
      [FF_SET_VALUES] = make_values, [FF_SET_PRODUCT] = make_product, [FF_SET_SUBSET] = make_subset, [FF_SET_UNION] = make_union};
  const maker m = {scope, &scope->set[s], scope->set[s].name, err};
  *out = NULL;
  ff_colours *set = ff_calloc(1, sizeof *set);
  if (set == NULL) return no_memory(&m, 0);
  ff_status status = make[m.definition->kind](set, &m);
  if (status == FF_OK && set->n == 0) status = ff_error_set(err, FF_EMODEL, "the set %s has no colour", quoted(&m).text);
  if (status == FF_OK)
    *out = set;
  else
    ff_colours_free(set);
  return status;
}

size_t ff_colours_text(char *out, size_t size, const ff_colours *set, uint32_t i, const char *between,
                       const ff_colour_scope *scope) {
  int64_t tuple[FF_COLOUR_MAX_WIDTH];
  size_t length = 0;
  ff_colours_at(set, i, tuple);
  if (size > 0) out[0] = '\0';
  for (uint32_t k = 0; k < set->width; k++) {
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)tuple[k]);
    const char *const text[2] = {k > 0 ? between : "",
                                 tuple[k] >= FF_COLOUR_NAMES ? scope->colour[tuple[k] - FF_COLOUR_NAMES] : number};
    for (int j = 0; j < 2; j++) {
      const size_t more = strlen(text[j]);
      if (length < size) snprintf(out + length, size - length, "%s", text[j]);
      length += more;
    }
  }
  return length;
}
