/* Sets of colours, variables of colours, places and functions of a Petri net that is read. */
#include "ff_io_candl_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sets of values ---- */

typedef struct {
  int64_t *value;
  size_t n, capacity;
} values;

static ff_status too_many(ff_candl *candl, const ff_candl_waiting *set) {
  return ff_error_set(candl->err, FF_ESIZE, "%s, line %llu: the set %s has more than %llu colours", set->place.file,
                      (unsigned long long)set->place.line, ff_quote(set->name.text, set->name.length).text,
                      (unsigned long long)FF_COLOUR_MAX_SET);
}

/* Adds the numbers from `first` to `last`. */
static ff_status add_range(ff_candl *candl, values *list, const ff_candl_waiting *set, int64_t first, int64_t last) {
  if (last < first) return FF_OK;
  const uint64_t n = (uint64_t)last - (uint64_t)first + 1;
  if (n > FF_COLOUR_MAX_SET || n + list->n > FF_COLOUR_MAX_SET) return too_many(candl, set);
  void *memory = list->value;
  const ff_status status = ff_grow(&memory, &list->capacity, list->n + (size_t)n, sizeof *list->value, candl->err);
  list->value = memory;
  if (status != FF_OK) return status;
  for (uint64_t i = 0; i < n; i++) list->value[list->n++] = first + (int64_t)i;
  return FF_OK;
}

/* The value of an expression of constants. */
static ff_status bound(ff_candl *candl, int64_t *value, ff_span text, const ff_candl_waiting *set) {
  ff_colour_scope scope = ff_petri_scope(candl->net);
  ff_colour_expr expr = {0}, expanded = {0};
  int64_t *stack = NULL;
  scope.n_indices = 0;
  ff_status status = ff_colour_parse(&expr, text.text, text.length, FF_COLOUR_CANDL, &scope, set->place, candl->err);
  if (status == FF_OK) status = ff_colour_expand(&expanded, &expr, &scope, candl->err);
  if (status == FF_OK && (stack = ff_calloc((size_t)expanded.depth + 1, sizeof *stack)) == NULL)
    status = ff_candl_no_memory(candl);
  if (status == FF_OK && (expanded.length == 0 || !ff_colour_value(value, &expanded, &scope, NULL, stack)))
    status = ff_io_found(candl->err, set->place, text, "a whole number as the bound of a set of colours");
  free(stack);
  ff_colour_free(&expr);
  ff_colour_free(&expanded);
  return status;
}

/* Adds a part of {1..10,15} or {a,b}. */
static ff_status add_part(ff_candl *candl, values *list, const ff_candl_waiting *set, ff_span part) {
  const size_t dots = ff_candl_find(part, 0, "..");
  int64_t first, last;
  ff_status status;
  if (part.length == 0) return ff_io_found(candl->err, set->place, part, "a colour");
  if (dots < part.length) {
    status = bound(candl, &first, ff_span_trim((ff_span){part.text, dots}), set);
    if (status == FF_OK) status = bound(candl, &last, ff_span_trim(ff_span_after(part, dots + 2)), set);
    if (status == FF_OK && last < first)
      status = ff_io_found(candl->err, set->place, part, "a range whose first number is not above its last one");
    return status == FF_OK ? add_range(candl, list, set, first, last) : status;
  }
  const int quoted = part.length > 2 && part.text[0] == '"' && ff_candl_close(part, 0) == part.length - 1;
  const int64_t id = ff_candl_lookup(&candl->symbols, part);
  if (quoted || (ff_candl_is_name(part) && (id < 0 || candl->symbols.kind[id] != FF_CANDL_CONSTANT))) {
    const char *name = ff_candl_keep(candl, quoted ? (ff_span){part.text + 1, part.length - 2} : part);
    if (name == NULL) return FF_EMEMORY;
    status = ff_petri_add_colour(candl->net, name, &first, candl->err);
  } else {
    status = bound(candl, &first, part, set);
  }
  return status == FF_OK ? add_range(candl, list, set, first, first) : status;
}

static ff_status add_values(ff_candl *candl, const ff_candl_waiting *set) {
  values list = {0};
  ff_span rest = {set->text.text + 1, set->text.length - 2}, part;
  ff_status status = FF_OK;
  if (set->text.length < 2 || ff_candl_close(set->text, 0) != set->text.length - 1)
    return ff_io_found(candl->err, set->place, set->text, "a set of colours with a \"}\" at its end");
  while (status == FF_OK && ff_candl_part(&rest, ",", &part)) status = add_part(candl, &list, set, part);
  if (status == FF_OK)
    status = ff_petri_add_values(candl->net, set->name.text, list.value, (uint32_t)list.n, candl->err);
  free(list.value);
  return status;
}

/* ---- sets of sets ---- */

typedef struct {
  uint32_t *part;
  size_t n, capacity;
  int ready; /* 0 if a part has not been added yet */
} parts;

static ff_status find_part(ff_candl *candl, parts *all, const ff_candl_waiting *set, ff_span name) {
  if (!ff_candl_is_name(name)) return ff_io_found(candl->err, set->place, name, "the name of a set of colours");
  const int64_t id = ff_candl_lookup(&candl->sets, name);
  if (id < 0) return ff_candl_unknown(candl, &candl->sets, "set of colours", name, set->place);
  void *memory = all->part;
  const ff_status status = ff_grow(&memory, &all->capacity, all->n + 1, sizeof *all->part, candl->err);
  all->part = memory;
  if (status != FF_OK) return status;
  all->part[all->n++] = candl->sets.number[id];
  if (candl->sets.number[id] == FF_PETRI_NONE) all->ready = 0;
  return FF_OK;
}

static ff_status find_parts(ff_candl *candl, parts *all, const ff_candl_waiting *set, ff_span names, const char *sign) {
  ff_span part;
  ff_status status = FF_OK;
  while (status == FF_OK && ff_candl_part(&names, sign, &part)) status = find_part(candl, all, set, part);
  return status;
}

/* The colours of another set: a copy of its definition. */
static ff_status add_alias(ff_candl *candl, const ff_candl_waiting *set, const parts *all) {
  const ff_colour_definition *old = &candl->net->set[all->part[0]];
  if (old->kind != FF_SET_VALUES)
    return ff_petri_add_set(candl->net, set->name.text, FF_SET_UNION, all->part, 1, NULL, FF_COLOUR_CANDL, set->place,
                            candl->err);
  values copy = {0};
  void *memory = NULL;
  ff_status status = ff_grow(&memory, &copy.capacity, (size_t)old->n_values + 1, sizeof *copy.value, candl->err);
  copy.value = memory;
  if (status != FF_OK) return status;
  if (old->n_values > 0) memcpy(copy.value, old->value, old->n_values * sizeof *copy.value);
  status = ff_petri_add_values(candl->net, set->name.text, copy.value, old->n_values, candl->err);
  free(copy.value);
  return status;
}

/* What the text of a set of sets says. */
typedef struct {
  ff_colour_kind kind;
  ff_span parts, predicate;
} set_text;

static ff_status parse_set(ff_candl *candl, const ff_candl_waiting *set, set_text *out) {
  const ff_span text = set->text;
  const size_t name = ff_candl_name_length(text);
  const ff_span after = ff_span_trim(ff_span_after(text, name));
  const char open = after.length > 0 ? after.text[0] : '\0';
  *out = (set_text){FF_SET_UNION, text, {"", 0}};
  if (name > 0 && open != '(' && open != '[') return FF_OK;
  const ff_span inside = after.length < 2 ? after : (ff_span){after.text + 1, after.length - 2};
  if (name == 0 || after.length < 2 || ff_candl_close(after, 0) != after.length - 1 ||
      (open == '(' && !ff_span_is((ff_span){text.text, name}, "PROD")))
    return ff_io_found(candl->err, set->place, text, "a set of colours, such as {1..10}, {a,b}, PROD(X,Y), X[x > 2] or X + Y");
  out->kind = open == '(' ? FF_SET_PRODUCT : FF_SET_SUBSET;
  out->parts = open == '(' ? inside : (ff_span){text.text, name};
  if (open == '[') out->predicate = ff_span_trim(inside);
  return FF_OK;
}

/* Adds a set, unless it is a subset and `subsets` is 0, or one of its parts waits; *added tells. */
static ff_status try_set(ff_candl *candl, const ff_candl_waiting *set, int subsets, int *added) {
  parts all = {.ready = 1};
  set_text text;
  *added = 1;
  if (set->text.text[0] == '{') return add_values(candl, set);
  ff_status status = parse_set(candl, set, &text);
  if (status == FF_OK) status = find_parts(candl, &all, set, text.parts, text.kind == FF_SET_PRODUCT ? "," : "+");
  if (status == FF_OK && text.kind == FF_SET_SUBSET && !subsets) all.ready = 0;
  *added = all.ready;
  if (status == FF_OK && all.ready && text.kind == FF_SET_UNION && all.n == 1) {
    status = add_alias(candl, set, &all);
  } else if (status == FF_OK && all.ready) {
    const char *predicate = ff_candl_keep(candl, text.predicate);
    status = predicate == NULL ? FF_EMEMORY
                               : ff_petri_add_set(candl->net, set->name.text, text.kind, all.part, (uint32_t)all.n,
                                                  text.kind == FF_SET_SUBSET ? predicate : NULL, FF_COLOUR_CANDL, set->place,
                                                  candl->err);
  }
  free(all.part);
  return status;
}

/* ---- what waits ---- */

static ff_status wait_for(ff_candl *candl, ff_span name, ff_span text, int is_index, ff_place place) {
  const char *kept_name = ff_candl_keep(candl, name), *kept = kept_name == NULL ? NULL : ff_candl_keep(candl, text);
  if (kept == NULL) return FF_EMEMORY;
  void *memory = candl->waiting;
  const ff_status status = ff_grow(&memory, &candl->waiting_capacity, candl->n_waiting + 1, sizeof *candl->waiting, candl->err);
  candl->waiting = memory;
  if (status != FF_OK) return status;
  candl->waiting[candl->n_waiting++] =
    (ff_candl_waiting){.name = {kept_name, name.length}, .text = {kept, text.length}, .place = place, .is_index = is_index};
  return FF_OK;
}

ff_status ff_candl_set(ff_candl *candl, ff_span name, ff_span text, ff_place place) {
  text = ff_span_trim(text);
  if (text.length == 0) return ff_io_found(candl->err, place, text, "a set of colours");
  const ff_status status =
      ff_candl_declare(candl, &candl->sets, FF_CANDL_INDEX, FF_PETRI_NONE, name, "the name of a set of colours", place);
  return status == FF_OK ? wait_for(candl, name, text, 0, place) : status;
}

ff_status ff_candl_index(ff_candl *candl, ff_span name, ff_span set, ff_place place) {
  const ff_status status = ff_candl_declare(candl, &candl->symbols, FF_CANDL_INDEX, FF_PETRI_NONE, name,
                                            "the name of a variable of colours", place);
  return status == FF_OK ? wait_for(candl, name, set, 1, place) : status;
}

/* Adds an index if its set has been added. */
static ff_status try_index(ff_candl *candl, const ff_candl_waiting *index, int *added) {
  parts all = {.ready = 1};
  ff_status status = find_part(candl, &all, index, index->text);
  *added = all.ready;
  if (status == FF_OK && all.ready)
    status = ff_petri_add_index(candl->net, index->name.text, index->text.text, candl->err);
  if (status == FF_OK && all.ready)
    candl->symbols.number[ff_candl_lookup(&candl->symbols, index->name)] = candl->net->n_indices - 1;
  free(all.part);
  return status;
}

/* One pass over what waits; with `subsets`, up to the first subset that is added. */
static ff_status pass(ff_candl *candl, int subsets, int *progress) {
  ff_status status = FF_OK;
  *progress = 0;
  for (size_t i = 0; i < candl->n_waiting && status == FF_OK && !(subsets && *progress); i++) {
    ff_candl_waiting *it = &candl->waiting[i];
    int added = 0;
    if (it->done) continue;
    status = it->is_index ? try_index(candl, it, &added) : try_set(candl, it, subsets, &added);
    status = ff_candl_at(candl, status, it->place);
    if (status == FF_OK && added && !it->is_index)
      candl->sets.number[ff_candl_lookup(&candl->sets, it->name)] = candl->net->n_sets - 1;
    it->done = added;
    *progress |= added;
  }
  return status;
}

ff_status ff_candl_colours_done(ff_candl *candl) {
  ff_status status = FF_OK;
  int progress = 1;
  while (status == FF_OK && progress) {
    status = pass(candl, 0, &progress);
    if (status == FF_OK && !progress) status = pass(candl, 1, &progress);
  }
  for (size_t i = 0; i < candl->n_waiting && status == FF_OK; i++) {
    const ff_candl_waiting *it = &candl->waiting[i];
    if (!it->done)
      status = ff_error_set(candl->err, FF_EMODEL, "%s, line %llu: the set of colours %s depends on itself", it->place.file,
                            (unsigned long long)it->place.line,
                            it->is_index ? ff_quote(it->text.text, it->text.length).text
                                         : ff_quote(it->name.text, it->name.length).text);
  }
  return status;
}

/* ---- places ---- */

ff_status ff_candl_place(ff_candl *candl, ff_span set, ff_span name, int continuous, int fixed, ff_place place) {
  uint32_t number = FF_PETRI_NONE;
  if (set.length > 0) {
    const int64_t id = ff_candl_lookup(&candl->sets, set);
    if (id < 0) return ff_candl_unknown(candl, &candl->sets, "set of colours", set, place);
    number = candl->sets.number[id];
  }
  ff_status status = ff_candl_declare(candl, &candl->symbols, FF_CANDL_PLACE, candl->net->n_places, name, "the name of a place",
                                      place);
  if (status != FF_OK) return status;
  const char *kept = ff_candl_keep(candl, name);
  if (kept == NULL) return FF_EMEMORY;
  return ff_candl_at(candl, ff_petri_add_place(candl->net, kept, number, continuous, fixed, candl->err), place);
}

ff_status ff_candl_transition(ff_candl *candl, ff_span name, ff_petri_kind kind, uint32_t *number, ff_place place) {
  ff_status status = ff_candl_observers_done(candl);
  if (status == FF_OK)
    status = ff_candl_declare(candl, &candl->transitions, FF_CANDL_PLACE, candl->net->n_transitions, name,
                                      "the name of a transition", place);
  if (status != FF_OK) return status;
  const char *kept = ff_candl_keep(candl, name);
  return kept == NULL ? FF_EMEMORY : ff_petri_add_transition(candl->net, kept, kind, number, candl->err);
}

/* ---- functions ---- */

ff_status ff_candl_function(ff_candl *candl, ff_span name, ff_span arguments, ff_span body, ff_place place) {
  ff_candl_macro macro = {0};
  size_t capacity = 0;
  if (body.length == 0) return ff_io_found(candl->err, place, body, "the body of a function");
  ff_status status = ff_candl_declare(candl, &candl->macros, FF_CANDL_CONSTANT, (uint32_t)candl->n_macros, name,
                                      "the name of a function", place);
  const char *kept = status == FF_OK ? ff_candl_keep(candl, body) : NULL, *list = NULL;
  if (kept != NULL) list = ff_candl_keep(candl, ff_span_trim(arguments));
  if (list == NULL) return status == FF_OK ? FF_EMEMORY : status;
  macro.body = (ff_span){kept, body.length};
  ff_span rest = ff_span_of(list), part;
  if (rest.length == 0) rest.text = NULL;
  while (status == FF_OK && ff_candl_part(&rest, ",", &part)) {
    void *memory = macro.argument;
    if (!ff_candl_is_name(part))
      status = ff_io_found(candl->err, place, part, "the name of an argument");
    else
      status = ff_grow(&memory, &capacity, (size_t)macro.n_arguments + 1, sizeof *macro.argument, candl->err);
    macro.argument = memory;
    if (status == FF_OK) macro.argument[macro.n_arguments++] = part;
  }
  void *memory = candl->macro;
  if (status == FF_OK)
    status = ff_grow(&memory, &candl->macros_capacity, candl->n_macros + 1, sizeof *candl->macro, candl->err);
  candl->macro = memory;
  if (status == FF_OK)
    candl->macro[candl->n_macros++] = macro;
  else
    free(macro.argument);
  return status;
}

/* The most arguments of a colour function. */
#define MOST_ARGUMENTS 64u

ff_status ff_candl_colour_function(ff_candl *candl, ff_span name, ff_span arguments, ff_span body, ff_place place) {
  const char *argument[MOST_ARGUMENTS], *set[MOST_ARGUMENTS];
  uint32_t n = 0;
  ff_span rest = ff_span_trim(arguments), part;
  if (rest.length == 0) rest.text = NULL;
  if (!ff_candl_is_name(name)) return ff_io_found(candl->err, place, name, "the name of a function of colours");
  while (ff_candl_part(&rest, ",", &part)) {
    const size_t length = ff_candl_name_length(part);
    const ff_span type = {part.text, length}, id = ff_span_trim(ff_span_after(part, length));
    if (length == 0 || !ff_candl_is_name(id))
      return ff_io_found(candl->err, place, part, "a set of colours and the name of an argument");
    if (ff_candl_lookup(&candl->sets, type) < 0) return ff_candl_unknown(candl, &candl->sets, "set of colours", type, place);
    if (n == MOST_ARGUMENTS)
      return ff_error_set(candl->err, FF_ESIZE, "%s, line %llu: a function of colours has at most %u arguments", place.file,
                          (unsigned long long)place.line, MOST_ARGUMENTS);
    set[n] = ff_candl_keep(candl, type);
    argument[n] = set[n] == NULL ? NULL : ff_candl_keep(candl, id);
    if (argument[n++] == NULL) return FF_EMEMORY;
  }
  const char *kept = ff_candl_keep(candl, name), *text = kept == NULL ? NULL : ff_candl_keep(candl, body);
  if (text == NULL) return FF_EMEMORY;
  const ff_status status = ff_petri_add_function(candl->net, kept, argument, set, n, text, FF_COLOUR_CANDL, place, candl->err);
  return ff_candl_at(candl, status, place);
}
