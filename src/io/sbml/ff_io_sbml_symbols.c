/* The ids of a model in SBML, and errors about its elements. */
#include "ff_io_sbml_symbols.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ff_place ff_sbml_place(const ff_sbml_table *table, const void *element) {
  return (ff_place){table->ids.file, SBase_getLine(element)};
}

ff_status ff_sbml_found(const ff_sbml_table *table, ff_status status, ff_place place, const char *thing, const char *name,
                        const char *rest) {
  ff_quoted shown = {""};
  if (name != NULL) shown = ff_quote(name, strlen(name));
  const char *blank = thing[0] != '\0' && name != NULL ? " " : "";
  return ff_error_set(table->err, status, "%s, line %llu: found %s%s%s%s", place.file, (unsigned long long)place.line, thing,
                      blank, shown.text, rest);
}

ff_status ff_sbml_unsupported(const ff_sbml_table *table, const void *element, const char *id, const char *more) {
  char thing[100], rest[200];
  const char *name = SBase_getElementName(element);
  snprintf(thing, sizeof thing, "<%.90s>", name == NULL ? "?" : name);
  snprintf(rest, sizeof rest, ", which is not supported in a reaction network%s", more);
  if (id != NULL && id[0] == '\0') id = NULL;
  return ff_sbml_found(table, FF_EUNSUPPORTED, ff_sbml_place(table, element), thing, id, rest);
}

ff_status ff_sbml_unknown(const ff_sbml_table *table, const void *element, const char *id, const char *wanted) {
  const ff_span name = ff_span_of(id);
  ff_status status = ff_io_found(table->err, ff_sbml_place(table, element), name, wanted);
  const int known = ff_build_find((ff_build *)&table->ids, name.text, name.length) >= 0; /* it is not changed */
  return known || name.length == 0 ? status : ff_build_suggest(&table->ids, name, status);
}

ff_status ff_sbml_missing(const ff_sbml_table *table, uint32_t symbol, const char *before, const char *by, const char *after) {
  static const char *const kinds[] = {"the species",           "the parameter", "the compartment",
                                      "the species reference", "the reaction",  "the function"};
  const ff_sbml_symbol *s = &table->symbol[symbol];
  char rest[FF_QUOTE_SIZE + 160];
  snprintf(rest, sizeof rest, " without a %s where one was expected, because %s%s%s",
           s->kind == FF_SBML_COMPARTMENT ? "size" : "value", before, ff_quote(by, strlen(by)).text, after);
  return ff_sbml_found(table, FF_EPARSE, ff_sbml_place(table, s->element), kinds[s->kind], table->ids.names[symbol], rest);
}

/* ---- the table ---- */

const char *ff_sbml_id(const void *element) { return SBase_getIdAttribute(element); }

int ff_sbml_is_constant(const ff_sbml_table *table, const ff_sbml_symbol *symbol) {
  if (table->level < 2) return 0;
  switch (symbol->kind) {
    case FF_SBML_SPECIES: return Species_getConstant(symbol->element) != 0;
    case FF_SBML_PARAMETER: return Parameter_getConstant(symbol->element) != 0;
    case FF_SBML_COMPARTMENT: return Compartment_getConstant(symbol->element) != 0;
    default: return 0;
  }
}

ff_status ff_sbml_table_add(ff_sbml_table *table, ff_sbml_kind kind, const void *element, const char *id, const char *what) {
  uint32_t at;
  int is_new;
  if (id == NULL || id[0] == '\0') {
    char wanted[60] = "the id of a ";
    return ff_io_found(table->err, ff_sbml_place(table, element), (ff_span){"", 0}, strncat(wanted, what, 40));
  }
  ff_status status = ff_build_node(&table->ids, (ff_span){id, strlen(id)}, &at, &is_new);
  if (status == FF_OK && !is_new)
    status = ff_io_found(table->err, ff_sbml_place(table, element), (ff_span){id, strlen(id)}, "an id that no other element has");
  if (status != FF_OK) return status;
  void *memory = table->symbol;
  status = ff_grow(&memory, &table->capacity, (size_t)at + 1, sizeof *table->symbol, table->err);
  table->symbol = memory;
  if (status == FF_OK) table->symbol[at] = (ff_sbml_symbol){.kind = kind, .element = element, .value = NAN};
  if (status != FF_OK) free(table->ids.names[--table->ids.n_nodes]); /* it has no symbol, so that ff_sbml_table_free() works */
  return status;
}

int ff_sbml_table_find(ff_sbml_table *table, ff_sbml_kind kind, const char *id, uint32_t *symbol) {
  int64_t at = id == NULL ? -1 : ff_build_find(&table->ids, id, strlen(id));
  *symbol = at < 0 ? 0 : (uint32_t)at;
  return at >= 0 && table->symbol[at].kind == kind;
}

void ff_sbml_table_free(ff_sbml_table *table) {
  for (uint32_t i = 0; i < table->ids.n_nodes; i++) {
    ff_formula_free(&table->symbol[i].formula);
    ff_formula_free(&table->symbol[i].rule);
    ff_formula_free(&table->symbol[i].rate);
  }
  free(table->symbol);
  ff_build_free(&table->ids);
}

ff_status ff_sbml_table_value(const ff_sbml_table *table, const ff_formula *formula, double *value) {
  if (ff_formula_is_number(formula, value)) return FF_OK;
  /* the formula with the values for its symbols, so that no array of all values is needed */
  ff_formula with;
  ff_status status = ff_formula_copy(&with, formula, table->err);
  if (status != FF_OK) return status;
  for (uint32_t i = 0; i < with.length; i++)
    if (with.word[i].code == FF_F_SYMBOL)
      with.word[i] = (ff_formula_word){FF_F_NUMBER, 0, table->symbol[with.word[i].symbol].value};
  status = ff_formula_constant(&with, value, table->err);
  ff_formula_free(&with);
  return status;
}

void ff_sbml_renumber(const ff_sbml_table *table, const uint32_t *number, ff_formula *formula) {
  for (uint32_t at = 0; at < formula->length; at++) {
    ff_formula_word *word = &formula->word[at];
    if (word->code != FF_F_SYMBOL) continue;
    const ff_sbml_symbol *symbol = &table->symbol[word->symbol];
    if (symbol->kind == FF_SBML_STOICHIOMETRY)
      *word = (ff_formula_word){FF_F_NUMBER, 0, symbol->value};
    else
      word->symbol = number[word->symbol];
  }
}
