/* Snoopy's XML: constants, functions and observers. */
#include "ff_io_snoopy_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- constants ---- */

typedef struct {
  ff_snoopy_text name, type, value;
  const ff_snoopy_attribute *list; /* value sets and values; NULL if `value` is the only one */
} constant;

typedef struct {
  const ff_snoopy *doc;
  constant *all;
  size_t n, room;
  ff_build names;
} constants;

static ff_status add(constants *list, constant one) {
  uint32_t number;
  int is_new;
  ff_status status = ff_build_node(&list->names, one.name.text, &number, &is_new);
  /* A parameter is a node of old files; newer ones have a constant for it too. */
  if (status != FF_OK || !is_new) return status;
  status = ff_grow((void **)&list->all, &list->room, list->n + 1, sizeof *list->all, list->doc->err);
  if (status == FF_OK) list->all[list->n++] = one;
  return status;
}

/* The rows of the table that old files have: name, type, value. */
static ff_status add_rows(constants *list, const ff_snoopy_attribute *table) {
  for (uint32_t row = 0; row < table->n; row++) {
    const constant one = {ff_snoopy_cell(list->doc, table, row, 0), ff_snoopy_cell(list->doc, table, row, 1),
                          ff_snoopy_cell(list->doc, table, row, 2), NULL};
    const ff_status status = one.name.text.length == 0 || one.type.text.length == 0 ? FF_OK : add(list, one);
    if (status != FF_OK) return status;
  }
  return FF_OK;
}

static ff_status add_item(constants *list, const ff_snoopy_item *item) {
  const ff_snoopy *doc = list->doc;
  const ff_snoopy_attribute *table = ff_snoopy_find(doc, item, "ConstantList");
  const int parameter = item->class == FF_SNOOPY_PARAMETER;
  if (!parameter && table != NULL && table->n > 0) return add_rows(list, table);
  constant one = {.name = ff_snoopy_value(doc, item, "Name"), .type = ff_snoopy_value(doc, item, "Type")};
  if (parameter) one.type.text = ff_span_of("double");
  if (one.type.text.length == 0) one.type.text = ff_span_of("int");
  one.list = ff_snoopy_find(doc, item, parameter ? "ParameterList" : "ValueList");
  one.value = one.list == NULL ? ff_snoopy_value(doc, item, "Value") : ff_snoopy_active(doc, one.list, 1);
  /* Coloured nets keep the beginning of their old table, an element without a value. */
  if (doc->coloured && one.value.text.length == 0) return FF_OK;
  return add(list, one);
}

/* Coloured nets have had constants of their own, which newer files keep beside those that count. Fuzzy ones use the common
 * class. */
static ff_status collect(constants *list) {
  const ff_snoopy *doc = list->doc;
  ff_snoopy_class class = FF_SNOOPY_CONSTANT;
  for (uint32_t i = 0; i < doc->n_items; i++)
    if (doc->coloured && !doc->fuzzy && doc->item[i].class == FF_SNOOPY_NEW_CONSTANT) class = FF_SNOOPY_NEW_CONSTANT;
  for (int parameters = 0; parameters < 2; parameters++) {
    for (uint32_t i = 0; i < doc->n_items; i++) {
      if (doc->item[i].class != (parameters ? FF_SNOOPY_PARAMETER : class)) continue;
      const ff_status status = add_item(list, &doc->item[i]);
      if (status != FF_OK) return status;
    }
  }
  return FF_OK;
}

/* Takes the values of a value set. A constant that does not have it keeps its value in use. */
static ff_status choose(constants *list, ff_candl *candl) {
  const ff_snoopy *doc = list->doc;
  ff_build sets = {.file = doc->file, .err = doc->err};
  ff_span *name = NULL;
  size_t room = 0;
  uint32_t chosen = 0;
  ff_status status = FF_OK;
  for (size_t i = 0; i < list->n && status == FF_OK; i++) {
    const ff_snoopy_attribute *table = list->all[i].list;
    for (uint32_t row = 0; table != NULL && row < table->n && status == FF_OK; row++) {
      uint32_t number;
      int is_new;
      const ff_span set = ff_snoopy_cell(doc, table, row, 0).text;
      status = ff_build_node(&sets, set, &number, &is_new);
      if (status == FF_OK && is_new) status = ff_grow((void **)&name, &room, (size_t)number + 1, sizeof *name, doc->err);
      if (status == FF_OK && is_new) name[number] = set;
    }
  }
  if (status == FF_OK) status = ff_candl_valueset(candl, name, sets.n_nodes, &chosen, ff_snoopy_place(doc, 0));
  for (size_t i = 0; i < list->n && status == FF_OK; i++) {
    const ff_snoopy_attribute *table = list->all[i].list;
    for (uint32_t row = 0; table != NULL && row < table->n; row++) {
      const ff_span set = ff_snoopy_cell(doc, table, row, 0).text;
      if (set.length != name[chosen].length || memcmp(set.text, name[chosen].text, set.length) != 0) continue;
      list->all[i].value = ff_snoopy_cell(doc, table, row, 1);
      break;
    }
  }
  ff_build_free(&sets);
  free(name);
  return status;
}

/* A triangular fuzzy number is a number if its three parts are the same. */
static ff_status make_crisp(const ff_snoopy *doc, constant *one, const ff_io_petri_options *options) {
  ff_span low, middle, rest, high;
  double a, b, c;
  int given = 0;
  for (uint32_t i = 0; options != NULL && i < options->n_constants; i++)
    given |= ff_span_equals(one->name.text, options->constant[i]);
  one->type.text = ff_span_of("double");
  if (given) {
    one->value.text = ff_span_of("0"); /* the options replace it */
    return FF_OK;
  }
  const ff_span all = one->value.text;
  if (!ff_span_split(all, ',', &low, &rest) || !ff_span_split(rest, ',', &middle, &high) || !ff_span_number(low, &a) ||
      !ff_span_number(middle, &b) || !ff_span_number(high, &c))
    return ff_io_found(doc->err, ff_snoopy_place(doc, one->value.line), all, "three numbers with commas between them");
  one->value.text = middle;
  if (a == b && b == c) return FF_OK;
  return ff_error_set(doc->err, FF_EUNSUPPORTED, "%s, line %llu: found the fuzzy number %s as the value of the constant %s, "
                      "where a number was expected; the argument `constants` can give one", doc->file,
                      (unsigned long long)one->value.line, ff_quote(all.text, all.length).text,
                      ff_quote(one->name.text.text, one->name.text.length).text);
}

ff_status ff_snoopy_constants(const ff_snoopy *doc, ff_candl *candl, const ff_io_petri_options *options) {
  constants list = {.doc = doc, .names = {.file = doc->file, .err = doc->err}};
  ff_status status = collect(&list);
  if (status == FF_OK && options != NULL && options->valueset != NULL) status = choose(&list, candl);
  for (size_t i = 0; i < list.n && status == FF_OK; i++) {
    constant *one = &list.all[i];
    if (ff_span_equals(one->type.text, "TFN")) status = make_crisp(doc, one, options);
    if (status == FF_OK)
      status = ff_candl_constant(candl, one->type.text, one->name.text, one->value.text, ff_snoopy_place(doc, one->value.line));
  }
  if (status == FF_OK) status = ff_candl_constants_done(candl, ff_snoopy_place(doc, 0));
  ff_build_free(&list.names);
  free(list.all);
  return status;
}

/* ---- functions and observers ---- */

ff_status ff_snoopy_functions(const ff_snoopy *doc, ff_candl *candl) {
  for (uint32_t i = 0; i < doc->n_items; i++) {
    const ff_snoopy_item *item = &doc->item[i];
    const ff_snoopy_text body = ff_snoopy_value(doc, item, "Body");
    if (item->class != FF_SNOOPY_FUNCTION || body.text.length == 0) continue;
    const ff_status status = ff_candl_function(candl, ff_snoopy_value(doc, item, "Name").text,
                                               ff_snoopy_value(doc, item, "Parameter").text, body.text,
                                               ff_snoopy_place(doc, body.line));
    if (status != FF_OK) return status;
  }
  return FF_OK;
}

/* The rows of their table: type, name, arguments, body. */
ff_status ff_snoopy_colour_functions(const ff_snoopy *doc, ff_candl *candl) {
  for (uint32_t i = 0; i < doc->n_items; i++) {
    const ff_snoopy_item *item = &doc->item[i];
    const ff_snoopy_attribute *table = ff_snoopy_find(doc, item, "FunctionList");
    if (item->class != FF_SNOOPY_FUNCTION || table == NULL) continue;
    for (uint32_t row = 0; row < table->n; row++) {
      const ff_snoopy_text name = ff_snoopy_cell(doc, table, row, 1), body = ff_snoopy_cell(doc, table, row, 3);
      if (name.text.length == 0) continue;
      const ff_status status = ff_candl_colour_function(candl, name.text, ff_snoopy_cell(doc, table, row, 2).text, body.text,
                                                        ff_snoopy_place(doc, body.line));
      if (status != FF_OK) return status;
    }
  }
  return FF_OK;
}

ff_status ff_snoopy_observers(const ff_snoopy *doc, ff_candl *candl) {
  for (uint32_t i = 0; i < doc->n_items; i++) {
    const ff_snoopy_item *item = &doc->item[i];
    if (item->class != FF_SNOOPY_OBSERVER) continue;
    const ff_snoopy_text name = ff_snoopy_value(doc, item, "Name"), body = ff_snoopy_value(doc, item, "Body");
    if (ff_span_is(ff_snoopy_value(doc, item, "Type").text, "Transition"))
      return ff_error_set(doc->err, FF_EUNSUPPORTED, "%s, line %llu: found the observer %s of transitions where one of places "
                          "was expected", doc->file, (unsigned long long)item->line,
                          ff_quote(name.text.text, name.text.length).text);
    const ff_status status = ff_candl_observer(candl, name.text, body.text, ff_snoopy_place(doc, body.line));
    if (status != FF_OK) return status;
  }
  return FF_OK;
}
