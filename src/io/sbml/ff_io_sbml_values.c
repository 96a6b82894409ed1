/* The values of a model in SBML at time 0, and its rules. */
#include "ff_io_sbml_values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ff_io_sbml_formula.h"

enum { NEW, OPEN, DONE }; /* states of a symbol */

/* ---- the ids ---- */

/* Adds the ids of the species references that have one. */
static ff_status add_references(ff_sbml_table *table, const Reaction_t *reaction) {
  ff_status status = FF_OK;
  for (int products = 0; products < 2; products++) {
    unsigned n = products ? Reaction_getNumProducts(reaction) : Reaction_getNumReactants(reaction);
    for (unsigned i = 0; i < n && status == FF_OK; i++) {
      const SpeciesReference_t *reference =
          products ? Reaction_getProduct((Reaction_t *)reaction, i) : Reaction_getReactant((Reaction_t *)reaction, i);
      const char *id = ff_sbml_id(reference);
      if (table->level < 3 || id == NULL || id[0] == '\0') continue;
      status = ff_sbml_table_add(table, FF_SBML_STOICHIOMETRY, reference, id, "species reference");
    }
  }
  return status;
}

/* Adds the i-th element of this kind. Returns 0 in *more if there is none. */
static ff_status add_element(ff_sbml_table *table, Model_t *model, ff_sbml_kind kind, unsigned i, int *more) {
  static const char *const what[] = {"species",           "parameter", "compartment",
                                     "species reference", "reaction",  "functionDefinition"};
  const void *element = NULL;
  switch (kind) {
    case FF_SBML_SPECIES: element = Model_getSpecies(model, i); break;
    case FF_SBML_PARAMETER: element = Model_getParameter(model, i); break;
    case FF_SBML_COMPARTMENT: element = Model_getCompartment(model, i); break;
    case FF_SBML_STOICHIOMETRY: element = Model_getReaction(model, i); break;
    case FF_SBML_REACTION: element = Model_getReaction(model, i); break;
    case FF_SBML_FUNCTION: element = Model_getFunctionDefinition(model, i); break;
  }
  *more = element != NULL;
  if (element == NULL) return FF_OK;
  if (kind == FF_SBML_STOICHIOMETRY) return add_references(table, element);
  return ff_sbml_table_add(table, kind, element, ff_sbml_id(element), what[kind]);
}

/* ---- values that elements give themselves ---- */

static ff_status set_number(ff_sbml_table *table, uint32_t at, double number) {
  return isnan(number) ? FF_OK : ff_formula_of_number(&table->symbol[at].formula, number, table->err);
}

static ff_status set_species(ff_sbml_table *table, uint32_t at) {
  ff_sbml_symbol *symbol = &table->symbol[at];
  const Species_t *species = symbol->element;
  const char *id = table->ids.names[at], *where = Species_getCompartment(species);
  uint32_t compartment;
  if (Species_isSetConversionFactor(species))
    return ff_sbml_unsupported(table, species, id, " because it has a conversionFactor");
  if (!ff_sbml_table_find(table, FF_SBML_COMPARTMENT, where, &compartment))
    return ff_sbml_unknown(table, species, where, "the id of a compartment");
  const Compartment_t *container = table->symbol[compartment].element;
  int no_size = Compartment_getSpatialDimensionsAsDouble(container) == 0.0 &&
                (table->level < 3 || !Compartment_isSetSize(container));
  if (!no_size && !Species_getHasOnlySubstanceUnits(species)) symbol->divisor = compartment;
  if (Species_isSetInitialAmount(species)) return set_number(table, at, Species_getInitialAmount(species));
  if (!Species_isSetInitialConcentration(species)) return FF_OK;
  ff_status status = set_number(table, at, Species_getInitialConcentration(species));
  if (status != FF_OK || symbol->formula.length == 0 || no_size) return status;
  return ff_sbml_multiply(table, &symbol->formula, compartment);
}

static double size_of(const ff_sbml_table *table, const Compartment_t *compartment) {
  if (Compartment_isSetVolume(compartment)) return Compartment_getSize(compartment);
  return table->volume > 0 && Compartment_getSpatialDimensionsAsDouble(compartment) != 0.0 ? table->volume : NAN;
}

static ff_status set_value(ff_sbml_table *table, uint32_t at) {
  const void *element = table->symbol[at].element;
  double number = NAN;
  switch (table->symbol[at].kind) {
    case FF_SBML_SPECIES: return set_species(table, at);
    case FF_SBML_PARAMETER: number = Parameter_isSetValue(element) ? Parameter_getValue(element) : NAN; break;
    case FF_SBML_COMPARTMENT: number = size_of(table, element); break;
    case FF_SBML_STOICHIOMETRY: number = SpeciesReference_getStoichiometry(element); break;
    default: return FF_OK;
  }
  return set_number(table, at, number);
}

/* ---- rules and initial assignments ---- */

/* Rate rules are solved when everything else is known: see ff_io_sbml_rates.h. */
static ff_status read_rate(ff_sbml_table *table, Rule_t *rule, const char *id, ff_sbml_symbol *symbol) {
  const ff_place place = ff_sbml_place(table, rule);
  if (ff_sbml_is_constant(table, symbol))
    return ff_sbml_found(table, FF_EPARSE, place, "a rateRule of", id,
                         ", which is constant, where a species, parameter or compartment that is not constant was expected");
  symbol->rate_rule = rule;
  ff_status status = ff_sbml_formula(&symbol->rate, Rule_getMath(rule), table, NULL, place.line);
  return status == FF_OK ? ff_sbml_multiply(table, &symbol->rate, symbol->divisor) : status;
}

static ff_status read_rule(ff_sbml_table *table, Rule_t *rule) {
  const char *id = Rule_getVariable(rule);
  const ff_span name = ff_span_of(id);
  const ff_place place = ff_sbml_place(table, rule);
  if (!Rule_isAssignment(rule) && !Rule_isRate(rule)) return ff_sbml_unsupported(table, rule, id, "");
  const int64_t at = ff_build_find(&table->ids, name.text, name.length);
  if (at >= 0 && table->symbol[at].kind == FF_SBML_STOICHIOMETRY)
    return ff_sbml_unsupported(table, rule, id, " because it determines a stoichiometry");
  if (at < 0 || table->symbol[at].kind >= FF_SBML_STOICHIOMETRY)
    return ff_sbml_unknown(table, rule, id, "the id of a species, parameter or compartment");
  ff_sbml_symbol *symbol = &table->symbol[at];
  if (!Rule_isSetMath(rule)) return FF_OK; /* Level 3 Version 2: the value remains */
  if (symbol->rule.length > 0 || symbol->rate.length > 0)
    return ff_sbml_found(table, FF_EPARSE, place, "a second rule of", id, " where one was expected");
  if (Rule_isRate(rule)) return read_rate(table, rule, id, symbol);
  ff_status status = ff_sbml_formula(&symbol->rule, Rule_getMath(rule), table, NULL, place.line);
  if (status == FF_OK) status = ff_sbml_multiply(table, &symbol->rule, symbol->divisor);
  ff_formula_free(&symbol->formula);
  return status == FF_OK ? ff_formula_copy(&symbol->formula, &symbol->rule, table->err) : status;
}

static ff_status read_rules(ff_sbml_table *table, Model_t *model) {
  ff_status status = FF_OK;
  for (unsigned i = 0; i < Model_getNumRules(model) && status == FF_OK; i++) status = read_rule(table, Model_getRule(model, i));
  return status;
}

static ff_status read_assignment(ff_sbml_table *table, const InitialAssignment_t *assignment, const void **set_by) {
  const char *id = InitialAssignment_getSymbol(assignment);
  ff_place place = ff_sbml_place(table, assignment);
  const ff_span name = ff_span_of(id);
  int64_t at = ff_build_find(&table->ids, name.text, name.length);
  if (at < 0 || table->symbol[at].kind >= FF_SBML_REACTION)
    return ff_sbml_unknown(table, assignment, id, "the id of a species, parameter or compartment");
  if (!InitialAssignment_isSetMath(assignment)) return FF_OK; /* Level 3 Version 2: the value remains */
  if (table->symbol[at].rule.length > 0)
    return ff_sbml_found(table, FF_EPARSE, place, "an initialAssignment of", id, ", which an assignmentRule determines");
  if (set_by[at] != NULL) {
    char rest[100];
    snprintf(rest, sizeof rest, " (the first is on line %llu) where one was expected",
             (unsigned long long)ff_sbml_place(table, set_by[at]).line);
    return ff_sbml_found(table, FF_EPARSE, place, "a second initialAssignment of", id, rest);
  }
  set_by[at] = assignment;
  ff_formula formula;
  ff_status status = ff_sbml_formula(&formula, InitialAssignment_getMath(assignment), table, NULL, place.line);
  if (status == FF_OK) status = ff_sbml_multiply(table, &formula, table->symbol[at].divisor);
  ff_formula_free(&table->symbol[at].formula);
  table->symbol[at].formula = formula;
  return status;
}

static ff_status read_assignments(ff_sbml_table *table, Model_t *model) {
  unsigned n = Model_getNumInitialAssignments(model);
  const void **set_by = ff_calloc(table->ids.n_nodes, sizeof *set_by);
  if (set_by == NULL) return ff_error_set(table->err, FF_EMEMORY, "no memory for %u initial assignments", n);
  ff_status status = FF_OK;
  for (unsigned i = 0; i < n && status == FF_OK; i++)
    status = read_assignment(table, Model_getInitialAssignment(model, i), set_by);
  free(set_by);
  return status;
}

/* ---- values at time 0 ---- */

static ff_status found_cycle(const ff_sbml_table *table, uint32_t symbol) {
  return ff_sbml_found(table, FF_EPARSE, ff_sbml_place(table, table->symbol[symbol].element), "an initial value of",
                       table->ids.names[symbol], " that depends on itself");
}

/* Takes one step for the symbol on top of the stack: computes its value, or puts a symbol on the stack on which it depends. */
static ff_status step(ff_sbml_table *table, uint32_t *stack, uint32_t *height) {
  uint32_t top = stack[*height - 1];
  ff_sbml_symbol *symbol = &table->symbol[top];
  symbol->state = OPEN;
  while (symbol->at < symbol->formula.length) {
    const ff_formula_word *word = &symbol->formula.word[symbol->at++];
    if (word->code != FF_F_SYMBOL) continue;
    const ff_sbml_symbol *other = &table->symbol[word->symbol];
    if (other->formula.length == 0)
      return ff_sbml_missing(table, word->symbol, "that of ", table->ids.names[top], " depends on it");
    if (other->state == OPEN) return found_cycle(table, word->symbol);
    if (other->state == DONE) continue;
    stack[(*height)++] = word->symbol;
    return FF_OK;
  }
  symbol->state = DONE;
  (*height)--;
  return symbol->formula.length > 0 ? ff_sbml_table_value(table, &symbol->formula, &symbol->value) : FF_OK;
}

static ff_status compute_values(ff_sbml_table *table) {
  uint32_t n = table->ids.n_nodes, height = 0;
  uint32_t *stack = ff_calloc(n, sizeof *stack);
  if (stack == NULL) return ff_error_set(table->err, FF_EMEMORY, "no memory for %u initial values", n);
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < n && status == FF_OK; i++) {
    if (table->symbol[i].state == DONE || table->symbol[i].kind >= FF_SBML_REACTION) continue;
    stack[height++] = i;
    while (height > 0 && status == FF_OK) status = step(table, stack, &height);
  }
  free(stack);
  return status;
}

ff_status ff_sbml_table_fill(ff_sbml_table *table, const Model_t *constant) {
  Model_t *model = (Model_t *)constant; /* libsbml's functions do not change it, but do not say so */
  static const ff_sbml_kind kinds[] = {FF_SBML_SPECIES,       FF_SBML_PARAMETER, FF_SBML_COMPARTMENT,
                                       FF_SBML_STOICHIOMETRY, FF_SBML_REACTION,  FF_SBML_FUNCTION};
  ff_status status = FF_OK;
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    int more = 1;
    for (unsigned i = 0; more && status == FF_OK; i++) status = add_element(table, model, kinds[k], i, &more);
  }
  uint32_t n = table->ids.n_nodes;
  for (uint32_t i = 0; i < n && status == FF_OK; i++) status = set_value(table, i);
  if (status == FF_OK) status = read_rules(table, model);
  if (status == FF_OK) status = read_assignments(table, model);
  return status == FF_OK ? compute_values(table) : status;
}
