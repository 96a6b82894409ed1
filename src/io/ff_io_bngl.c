/* BioNetGen's network format: makes the network from the lines of a file. */
#include "ff_io_formats.h"
#include "ff_io_bngl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  ff_bngl file;
  ff_reactions *net;
  ff_replacement replacement; /* of parameters and variables, while initial counts are computed; empty before */
  ff_io_given given;
  ff_io_model *out;
  ff_error *err;
} reader;

static ff_status found(reader *r, uint64_t line, ff_span what, const char *wanted) {
  return ff_io_found(r->err, (ff_place){r->file.file, line}, what, wanted);
}

/* ---- lists of numbers of species ---------------------------------------------------------------------------------------- */

/* Takes the next element of a list that commas divide. Returns 0 at the end. */
static int next_of(ff_span *list, ff_span *item) {
  if (list->text == NULL) return 0;
  const char *comma = memchr(list->text, ',', list->length);
  const size_t length = comma == NULL ? list->length : (size_t)(comma - list->text);
  *item = ff_span_trim((ff_span){list->text, length});
  *list = comma == NULL ? (ff_span){0} : (ff_span){comma + 1, list->length - length - 1};
  return 1;
}

static size_t count_items(ff_span list) {
  size_t n = 1;
  for (size_t i = 0; i < list.length; i++) n += list.text[i] == ',';
  return n;
}

static ff_status species_number(reader *r, uint64_t line, ff_span item, uint32_t *species) {
  uint64_t number;
  char wanted[80];
  if (ff_span_count(item, &number) && number >= 1 && number <= r->file.n_species) {
    *species = (uint32_t)number - 1;
    return FF_OK;
  }
  snprintf(wanted, sizeof wanted, "the number of a species, from 1 to %zu,", r->file.n_species);
  return found(r, line, item, wanted);
}

static ff_status read_side(reader *r, uint64_t line, ff_span list, ff_participant **all, uint32_t *n) {
  const size_t items = count_items(list);
  ff_span item;
  ff_status status = FF_OK;
  if (items > UINT32_MAX)
    return ff_error_set(r->err, FF_ESIZE, "%s, line %llu: found %zu reactants or products; at most 2^32 - 1 are possible",
                        r->file.file, (unsigned long long)line, items);
  *n = 0;
  *all = ff_calloc(items, sizeof **all);
  if (*all == NULL) return ff_error_set(r->err, FF_EMEMORY, "no memory for a reaction of %zu species", items);
  if (list.length == 1 && (list.text[0] == '0' || list.text[0] == '*')) return FF_OK;
  while (status == FF_OK && next_of(&list, &item)) {
    (*all)[*n].count = 1;
    status = species_number(r, line, item, &(*all)[*n].species);
    ++*n;
  }
  if (status != FF_OK) return status;
  size_t kept = *n;
  ff_participants_merge(*all, &kept); /* there are fewer than 2^32 items, each of count 1 */
  *n = (uint32_t)kept;
  return FF_OK;
}

/* The sum of a group, such as 2*5,7. */
static ff_status read_group(reader *r, ff_bngl_symbol *symbol) {
  const size_t items = count_items(symbol->text);
  ff_span list = symbol->text, item;
  if (list.length == 0) return ff_formula_of_number(&symbol->formula, 0, r->err);
  if (items > FF_FORMULA_MAX / 4)
    return ff_error_set(r->err, FF_ESIZE, "%s, line %llu: found a group of %zu species; at most %lu are possible", r->file.file,
                        (unsigned long long)symbol->line, items, (unsigned long)(FF_FORMULA_MAX / 4));
  ff_formula *formula = &symbol->formula;
  formula->word = ff_calloc(4 * items, sizeof *formula->word);
  if (formula->word == NULL) return ff_error_set(r->err, FF_EMEMORY, "no memory for a group of %zu species", items);
  for (uint32_t i = 0; next_of(&list, &item); i++) {
    const char *star = memchr(item.text, '*', item.length);
    const size_t before = star == NULL ? 0 : (size_t)(star - item.text);
    double weight = 1;
    uint32_t species;
    if (star != NULL && !ff_span_number(ff_span_trim((ff_span){item.text, before}), &weight))
      return found(r, symbol->line, item, "a species of a group, such as 5 or 2*5,");
    if (star != NULL) item = ff_span_trim((ff_span){star + 1, item.length - before - 1});
    ff_status status = species_number(r, symbol->line, item, &species);
    if (status != FF_OK) return status;
    const uint32_t depth = (i > 0) + 1u + (weight != 1);
    if (depth > formula->depth) formula->depth = depth;
    if (weight != 1) formula->word[formula->length++] = (ff_formula_word){FF_F_NUMBER, 0, weight};
    formula->word[formula->length++] = (ff_formula_word){FF_F_SYMBOL, r->file.species[species], 0};
    if (weight != 1) formula->word[formula->length++] = (ff_formula_word){FF_F_MUL, 0, 0};
    if (i > 0) formula->word[formula->length++] = (ff_formula_word){FF_F_ADD, 0, 0};
  }
  return FF_OK;
}

/* ---- symbols ------------------------------------------------------------------------------------------------------------ */

static int has_symbols(const ff_formula *formula) {
  for (uint32_t i = 0; i < formula->length; i++)
    if (formula->word[i].code == FF_F_SYMBOL || formula->word[i].code == FF_F_TIME) return 1;
  return 0;
}

static ff_status read_formulas(reader *r) {
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < r->file.ids.n_nodes && status == FF_OK; i++) {
    ff_bngl_symbol *symbol = &r->file.symbol[i];
    if (symbol->kind == FF_BNGL_GROUP)
      status = read_group(r, symbol);
    else
      status = ff_bngl_formula(&symbol->formula, &r->file, symbol->text, symbol->line,
                               symbol->kind == FF_BNGL_SPECIES     ? "an initial count"
                               : symbol->kind == FF_BNGL_PARAMETER ? "a value"
                                                                   : "an expression");
  }
  return status;
}

/* A parameter whose value is an expression of others is a variable of the network, so that it follows them. */
static int is_parameter(const ff_bngl_symbol *symbol) {
  return symbol->kind == FF_BNGL_PARAMETER && !has_symbols(&symbol->formula);
}

static ff_status make_net(reader *r) {
  const uint32_t n = r->file.ids.n_nodes, n_species = (uint32_t)r->file.n_species;
  uint32_t n_parameters = 0, at[3];
  for (uint32_t i = 0; i < n; i++) n_parameters += (uint32_t)is_parameter(&r->file.symbol[i]);
  ff_status status = ff_reactions_new(&r->net, n_species, n_parameters, (uint32_t)r->file.n_reactions, r->err);
  if (status == FF_OK) status = ff_reactions_add_variables(r->net, n - n_species - n_parameters, r->err);
  at[0] = 0;
  at[1] = n_species;
  at[2] = n_species + n_parameters;
  for (uint32_t i = 0; i < n && status == FF_OK; i++) {
    ff_bngl_symbol *symbol = &r->file.symbol[i];
    symbol->number = at[symbol->kind == FF_BNGL_SPECIES ? 0 : is_parameter(symbol) ? 1 : 2]++;
    status = ff_name_copy(&r->net->names[symbol->number], r->file.ids.names[i], r->err);
  }
  return status;
}

/* Numbers the symbols of a formula as the network does. */
static void renumber(const reader *r, ff_formula *formula) {
  for (uint32_t i = 0; i < formula->length; i++)
    if (formula->word[i].code == FF_F_SYMBOL) formula->word[i].symbol = r->file.symbol[formula->word[i].symbol].number;
}

static ff_status set_symbols(reader *r) {
  ff_status status = FF_OK;
  ff_reactions *net = r->net;
  for (uint32_t i = 0; i < r->file.ids.n_nodes && status == FF_OK; i++) {
    ff_bngl_symbol *symbol = &r->file.symbol[i];
    renumber(r, &symbol->formula);
    if (symbol->kind == FF_BNGL_SPECIES) {
      net->fixed[symbol->number] = (uint8_t)symbol->fixed;
    } else if (is_parameter(symbol)) {
      double *value = &net->value[symbol->number - net->n_species];
      status = ff_formula_constant(&symbol->formula, value, r->err);
      if (status == FF_OK && isnan(*value)) status = found(r, symbol->line, symbol->text, "a number");
    } else {
      net->variable[symbol->number - net->n_species - net->n_parameters] = symbol->formula;
      symbol->formula = (ff_formula){0};
    }
  }
  return status;
}

/* ---- initial counts ------------------------------------------------------------------------------------------------------ */

static ff_status initial_value(reader *r, const ff_bngl_symbol *symbol, double *value) {
  const ff_formula *formula = &symbol->formula;
  const uint32_t first = r->net->n_species, last = first + r->net->n_parameters;
  if (!has_symbols(formula)) return ff_formula_constant(formula, value, r->err);
  if (formula->length == 1 && formula->word[0].code == FF_F_SYMBOL && formula->word[0].symbol >= first &&
      formula->word[0].symbol < last) {
    *value = r->net->value[formula->word[0].symbol - first];
    return FF_OK;
  }
  ff_formula folded = {0};
  ff_status status = r->replacement.of == NULL ? ff_replacement_new(&r->replacement, r->net, NULL, r->err) : FF_OK;
  if (status == FF_OK) status = ff_formula_replace(&folded, formula, r->replacement.of, r->err);
  if (status == FF_OK && !ff_formula_is_number(&folded, value))
    status = found(r, symbol->line, symbol->text, "an initial count that depends on parameters only");
  ff_formula_free(&folded);
  return status;
}

static ff_status set_initial(reader *r) {
  ff_status status = FF_OK;
  ff_io_uncounted uncounted = {0};
  for (uint32_t i = 0; i < r->net->n_species && status == FF_OK; i++) {
    const ff_bngl_symbol *symbol = &r->file.symbol[r->file.species[i]];
    double value, whole;
    status = initial_value(r, symbol, &value);
    if (status != FF_OK) break;
    const int fine = ff_io_count(value, r->given.rounds, &whole);
    r->net->initial[i] = whole;
    const int given = ff_io_is_given(r->given.counts, r->net->names[i]);
    if (!given && fine && value > 0 && whole == 0 && r->out->n_lost++ == 0) r->out->first_lost = i;
    if (!fine && !given)
      ff_io_uncounted_add(&uncounted, r->net->names[i], "count", value, 0, symbol->line);
  }
  return status == FF_OK ? ff_io_uncounted_check(&uncounted, r->file.file, "", r->err) : status;
}

/* ---- the network -------------------------------------------------------------------------------------------------------- */

static ff_status set_reaction(reader *r, uint32_t i) {
  const ff_bngl_reaction *line = &r->file.reaction[i];
  ff_reaction *reaction = &r->net->reactions[i];
  char name[16];
  snprintf(name, sizeof name, "R%u", i + 1);
  ff_status status = ff_name_copy(&reaction->name, name, r->err);
  if (status == FF_OK)
    status = read_side(r, line->line, line->reactants, &reaction->reactants, &reaction->n_reactants);
  if (status == FF_OK) status = read_side(r, line->line, line->products, &reaction->products, &reaction->n_products);
  if (status == FF_OK) status = ff_bngl_rate(reaction, &r->file, line->rate, line->law, line->line);
  if (status == FF_OK) renumber(r, &reaction->rate);
  return status;
}

static ff_status read_all(reader *r, const char *text, size_t length) {
  ff_status status = ff_bngl_read_lines(&r->file, text, length);
  if (status == FF_OK) status = read_formulas(r);
  if (status == FF_OK) status = make_net(r);
  if (status == FF_OK) status = set_symbols(r);
  for (uint32_t i = 0; status == FF_OK && i < r->net->n_reactions; i++) status = set_reaction(r, i);
  if (status == FF_OK) status = ff_io_finish_reactions(r->net, r->file.file, r->err);
  return status == FF_OK ? set_initial(r) : status;
}

ff_status ff_io_bngl_parse(ff_io_model *out, const char *text, size_t length, const char *file, const ff_io_given *given,
                           ff_error *err) {
  reader r = {.file = {.ids = {.file = file, .err = err}, .buffer = {.err = err}, .file = file, .err = err}, .out = out, .err = err};
  if (given != NULL) r.given = *given;
  ff_status status = read_all(&r, text, length);
  ff_replacement_free(&r.replacement);
  ff_bngl_free(&r.file);
  out->reactions = status == FF_OK ? r.net : NULL;
  if (status != FF_OK) ff_reactions_free(r.net);
  return status;
}
