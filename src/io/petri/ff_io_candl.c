/* Names of a Petri net that is read. */
#include "ff_io_candl_internal.h"

#include <stdlib.h>
#include <string.h>

static void free_table(ff_candl_table *table) {
  ff_build_free(&table->ids);
  free(table->kind);
  free(table->number);
}

ff_status ff_candl_new(ff_candl **out, ff_petri *net, const ff_io_petri_options *options, ff_error *err) {
  ff_candl *candl = *out = ff_calloc(1, sizeof *candl);
  if (candl == NULL) return ff_error_set(err, FF_EMEMORY, "no memory to read a Petri net");
  candl->net = net;
  candl->options = options;
  candl->err = candl->symbols.ids.err = candl->sets.ids.err = candl->macros.ids.err = candl->transitions.ids.err = err;
  candl->symbols.ids.file = candl->sets.ids.file = candl->macros.ids.file = candl->transitions.ids.file = "the net";
  candl->transition = FF_PETRI_NONE;
  return FF_OK;
}

void ff_candl_colour_free(ff_candl_colour *colour) {
  for (uint32_t k = 0; k < FF_COLOUR_MAX_WIDTH; k++) {
    ff_colour_free(&colour->expr[k]);
    free(colour->text[k]);
    colour->text[k] = NULL;
  }
  colour->width = 0;
}

static void free_inputs(ff_candl *candl) {
  for (size_t i = 0; i < candl->n_inputs; i++) {
    free(candl->input[i].element);
    free(candl->input[i].when);
    ff_candl_colour_free(&candl->input[i].colour);
  }
  candl->n_inputs = 0;
}

void ff_candl_forget_inputs(ff_candl *candl) { free_inputs(candl); }

void ff_candl_free(ff_candl *candl) {
  if (candl == NULL) return;
  for (size_t i = 0; i < candl->n_kept; i++) free(candl->kept[i]);
  for (size_t i = 0; i < candl->n_values; i++) ff_formula_free(&candl->value[i].formula);
  for (size_t i = 0; i < candl->n_macros; i++) free(candl->macro[i].argument);
  for (size_t i = 0; i < candl->n_colours; i++) ff_colours_free(candl->colours[i]);
  free_inputs(candl);
  free_table(&candl->symbols);
  free_table(&candl->sets);
  free_table(&candl->macros);
  free_table(&candl->transitions);
  free(candl->kept);
  free(candl->value);
  free(candl->waiting);
  free(candl->observer);
  free(candl->macro);
  free(candl->colours);
  free(candl->input);
  free(candl);
}

ff_status ff_candl_no_memory(ff_candl *candl) {
  return ff_error_set(candl->err, FF_EMEMORY, "no memory to read a Petri net");
}

const char *ff_candl_keep(ff_candl *candl, ff_span text) {
  void *memory = candl->kept;
  const ff_status status = ff_grow(&memory, &candl->kept_capacity, candl->n_kept + 1, sizeof *candl->kept, candl->err);
  candl->kept = memory;
  if (status != FF_OK) return NULL;
  char *copy = ff_strndup(text.text, text.length);
  if (copy == NULL) ff_candl_no_memory(candl);
  if (copy != NULL) candl->kept[candl->n_kept++] = copy;
  return copy;
}

/* ---- names ---- */

ff_status ff_candl_declare(ff_candl *candl, ff_candl_table *table, ff_candl_kind kind, uint32_t number, ff_span name,
                           const char *what, ff_place place) {
  static const char *const whats[] = {"constant", "variable of colours", "place", "observer"};
  uint32_t id;
  int is_new;
  if (!ff_candl_is_name(name)) return ff_io_found(candl->err, place, name, what);
  ff_status status = ff_build_node(&table->ids, name, &id, &is_new);
  if (status != FF_OK) return status;
  if (!is_new)
    return ff_error_set(candl->err, FF_EPARSE,
                        "%s, line %llu: found %s again where %s was expected; it is the name of another %s", place.file,
                        (unsigned long long)place.line, ff_quote(name.text, name.length).text, what,
                        table == &candl->symbols  ? whats[table->kind[id]]
                        : table == &candl->sets   ? "set of colours"
                        : table == &candl->macros ? "function"
                                                  : "transition");
  void *memory = table->kind;
  status = ff_grow(&memory, &table->kinds, (size_t)id + 1, sizeof *table->kind, candl->err);
  table->kind = memory;
  if (status != FF_OK) return status;
  memory = table->number;
  status = ff_grow(&memory, &table->numbers, (size_t)id + 1, sizeof *table->number, candl->err);
  table->number = memory;
  if (status != FF_OK) return status;
  table->kind[id] = kind;
  table->number[id] = number;
  return FF_OK;
}

int64_t ff_candl_lookup(ff_candl_table *table, ff_span name) { return ff_build_find(&table->ids, name.text, name.length); }

ff_status ff_candl_unknown(ff_candl *candl, ff_candl_table *table, const char *what, ff_span name, ff_place place) {
  const char *near = ff_name_near(table->ids.names, table->ids.n_nodes, name.text, name.length);
  return ff_error_set(candl->err, FF_EPARSE, "%s, line %llu: no %s is called %s%s", place.file, (unsigned long long)place.line,
                      what, ff_quote(name.text, name.length).text, ff_hint_of(near).text);
}

ff_status ff_candl_at(ff_candl *candl, ff_status status, ff_place place) {
  if (status == FF_OK || status == FF_EMEMORY || candl->err == NULL) return status;
  const size_t length = strlen(place.file);
  ff_error old = *candl->err;
  if (strncmp(old.text, place.file, length) == 0) return status;
  return ff_error_set(candl->err, status, "%s, line %llu: %s", place.file, (unsigned long long)place.line, old.text);
}

void ff_candl_put_name(ff_out *out, const char *name) {
  static const char *const reserved[] = {"Inf", "NaN", "TRUE", "FALSE"};
  int plain = strchr(name, '\'') == NULL && name[0] != '_';
  for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
    if (strcmp(name, reserved[i]) == 0) plain = 0;
  ff_out_puts(out, plain ? "" : "`");
  ff_out_puts(out, name);
  ff_out_puts(out, plain ? "" : "`");
}
