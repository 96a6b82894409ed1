/* Reads the reaction network of an SBML document without qual. */
#include "ff_io_sbml_reactions.h"

#include "../../model/ff_formula_code.h"
#include "../../model/ff_formula_math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ff_io_sbml.h"
#include "ff_io_sbml_formula.h"
#include "ff_io_sbml_rates.h"
#include "ff_io_sbml_units.h"
#include "ff_io_sbml_values.h"

typedef struct {
  ff_sbml_table table;
  Model_t *model;
  uint32_t n_species, n_parameters, n_variables, n_reactions, n_flows;
  ff_formula *law;  /* of each reaction */
  uint32_t *number; /* of each symbol in the network, NONE for those that it does not have */
  ff_sbml_events events;
  ff_io_given given;
  ff_io_uncounted uncounted;
  const Species_t *first_uncounted;
  int marked; /* whether a species is marked as a level */
  uint32_t n_lost, first_lost; /* see ff_io_model */
  double factor;   /* items in a unit of amounts, 1 if these are counts */
  uint8_t *amount; /* of each symbol of the network: whether it is an amount */
  ff_error *err;
} reader;

#define NONE UINT32_MAX

static Reaction_t *reaction_at(const reader *r, uint32_t i) { return Model_getReaction(r->model, i); }

/* Whether write_network() has marked an element. */
static int is_marked(SBase_t *element, const char *mark) {
  const XMLNode_t *annotation = SBase_isSetAnnotation(element) ? SBase_getAnnotation(element) : NULL;
  for (unsigned i = 0; annotation != NULL && i < XMLNode_getNumChildren(annotation); i++) {
    const XMLNode_t *child = XMLNode_getChild(annotation, i);
    if (ff_span_equals(ff_span_of(XMLNode_getURI(child)), FF_SBML_NAMESPACE) &&
        ff_span_equals(ff_span_of(XMLNode_getName(child)), mark))
      return 1;
  }
  return 0;
}

/* ---- what is not supported ---- */

static ff_status check_elements(const reader *r) {
  const ff_sbml_table *t = &r->table;
  Model_t *model = r->model;
  if (Model_isSetConversionFactor(model))
    return ff_sbml_unsupported(t, model, ff_sbml_id(model), " because it has a conversionFactor");
  if (Model_getNumConstraints(model) > 0)
    return ff_sbml_unsupported(t, Model_getConstraint(model, 0), ff_sbml_id(Model_getConstraint(model, 0)), "");
  for (uint32_t i = 0; i < r->n_reactions; i++)
    if (Reaction_getFast(reaction_at(r, i)))
      return ff_sbml_unsupported(t, reaction_at(r, i), ff_sbml_id(reaction_at(r, i)), " because it is fast");
  return FF_OK;
}

/* ---- kinetic laws ---- */

/* Adds a parameter of a kinetic law to the table, as REACTION_ID. If this is an id already, '_' is appended until it is none. */
static ff_status add_local(reader *r, const void *parameter, const char *reaction, const char *id, double value) {
  ff_out name = {.err = r->err};
  ff_out_puts(&name, reaction);
  ff_out_puts(&name, "_");
  ff_out_puts(&name, id);
  while (name.status == FF_OK && ff_build_find(&r->table.ids, name.text, name.length) >= 0) ff_out_puts(&name, "_");
  ff_status status = name.status;
  if (status == FF_OK) status = ff_sbml_table_add(&r->table, FF_SBML_PARAMETER, parameter, name.text, "parameter");
  if (status == FF_OK) r->table.symbol[r->table.ids.n_nodes - 1].value = value;
  free(name.text);
  return status;
}

static ff_status read_locals(reader *r, KineticLaw_t *law, const char *reaction, ff_build *names) {
  int newer = r->table.level >= 3;
  unsigned n = newer ? KineticLaw_getNumLocalParameters(law) : KineticLaw_getNumParameters(law);
  ff_status status = FF_OK;
  for (unsigned i = 0; i < n && status == FF_OK; i++) {
    const Parameter_t *parameter =
        newer ? (const Parameter_t *)KineticLaw_getLocalParameter(law, i) : KineticLaw_getParameter(law, i);
    const char *id = ff_sbml_id(parameter);
    uint32_t at;
    int is_new = 1;
    if (ff_span_of(id).length == 0)
      return ff_io_found(r->err, ff_sbml_place(&r->table, parameter), (ff_span){"", 0}, "the id of a parameter");
    status = ff_build_node(names, ff_span_of(id), &at, &is_new);
    if (!is_new)
      return ff_io_found(r->err, ff_sbml_place(&r->table, parameter), ff_span_of(id), "an id that no other parameter has");
    double value = Parameter_isSetValue(parameter) ? Parameter_getValue(parameter) : NAN;
    if (status == FF_OK) status = add_local(r, parameter, reaction, id, value);
  }
  return status;
}

static ff_status read_law(reader *r, uint32_t i) {
  Reaction_t *reaction = reaction_at(r, i);
  KineticLaw_t *law = Reaction_isSetKineticLaw(reaction) ? Reaction_getKineticLaw(reaction) : NULL;
  const ASTNode_t *math = law == NULL ? NULL : KineticLaw_getMath(law);
  if (math == NULL) return ff_sbml_unsupported(&r->table, reaction, ff_sbml_id(reaction), " because it has no kineticLaw");
  ff_build names = {.file = r->table.ids.file, .err = r->err};
  ff_sbml_scope scope = {&names, r->table.ids.n_nodes, 0};
  ff_status status = read_locals(r, law, ff_sbml_id(reaction), &names);
  if (status == FF_OK)
    status = ff_sbml_formula(&r->law[i], math, &r->table, &scope, ff_sbml_place(&r->table, law).line);
  ff_build_free(&names);
  return status;
}

static ff_status read_laws(reader *r) {
  r->law = ff_calloc(r->n_reactions, sizeof *r->law);
  if (r->law == NULL) return ff_error_set(r->err, FF_EMEMORY, "no memory for %u reactions", r->n_reactions);
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < r->n_reactions && status == FF_OK; i++) status = read_law(r, i);
  return status;
}

/* ---- the symbols of the network ---- */

static ff_status check_used(const reader *r, uint32_t reaction, uint32_t symbol) {
  const ff_sbml_symbol *s = &r->table.symbol[symbol];
  if (s->kind == FF_SBML_SPECIES || s->rule.length > 0 || !isnan(s->value)) return FF_OK;
  return ff_sbml_missing(&r->table, symbol, "the kineticLaw of reaction ", ff_sbml_id(reaction_at(r, reaction)),
                         " depends on it");
}

/* The place of a symbol in the order of the network: 0 for species, 1 for parameters, 2 for variables, 3 for what the network
 * does not have. Parameters without a value, and compartments that no formula names, are left out. */
static int rank_of(const reader *r, uint32_t i) {
  const ff_sbml_symbol *symbol = &r->table.symbol[i];
  if (symbol->rule.length > 0) return 2;
  if (symbol->kind == FF_SBML_SPECIES || symbol->rate.length > 0) return 0;
  if (symbol->kind == FF_SBML_PARAMETER) return isnan(symbol->value) ? 3 : 1;
  return symbol->kind == FF_SBML_COMPARTMENT && r->number[i] == 1 ? 1 : 3;
}

static void mark_named(reader *r, const ff_formula *formula) {
  for (uint32_t at = 0; at < formula->length; at++)
    if (formula->word[at].code == FF_F_SYMBOL) r->number[formula->word[at].symbol] = 1;
}

/* The rate of a flow. */
static ff_status mark_rate(reader *r, uint32_t symbol) {
  const ff_formula *rate = &r->table.symbol[symbol].rate;
  ff_status status = FF_OK;
  mark_named(r, rate);
  for (uint32_t at = 0; at < rate->length && status == FF_OK; at++) {
    const ff_formula_word *word = &rate->word[at];
    if (word->code != FF_F_SYMBOL) continue;
    const ff_sbml_symbol *s = &r->table.symbol[word->symbol];
    if (s->kind != FF_SBML_SPECIES && s->rule.length == 0 && isnan(s->value))
      status = ff_sbml_missing(&r->table, word->symbol, "the rateRule of ", r->table.ids.names[symbol], " depends on it");
  }
  r->n_flows += rate->length > 0;
  return status;
}

/* What laws, rules and events name. */
static ff_status mark_all(reader *r) {
  const uint32_t n = r->table.ids.n_nodes;
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < r->n_reactions && status == FF_OK; i++) {
    mark_named(r, &r->law[i]);
    for (uint32_t at = 0; at < r->law[i].length && status == FF_OK; at++)
      if (r->law[i].word[at].code == FF_F_SYMBOL) status = check_used(r, i, r->law[i].word[at].symbol);
  }
  for (uint32_t i = 0; i < n && status == FF_OK && r->table.flows; i++) status = mark_rate(r, i);
  if (status == FF_OK) status = ff_sbml_events_mark(&r->events, &r->table, r->number);
  for (uint32_t i = 0; i < n && status == FF_OK; i++) mark_named(r, &r->table.symbol[i].rule);
  return status;
}

/* Numbers the symbols: species, parameters, and variables, which are what rules determine. */
static ff_status number_symbols(reader *r) {
  uint32_t n = r->table.ids.n_nodes, count[4] = {0}, next[4];
  r->number = ff_calloc(n, sizeof *r->number);
  uint8_t *rank = ff_calloc(n, 1);
  ff_status status = FF_OK;
  if (r->number == NULL || rank == NULL) status = ff_error_set(r->err, FF_EMEMORY, "no memory for %u names", n);
  if (status == FF_OK) status = mark_all(r);
  for (uint32_t i = 0; i < n && status == FF_OK; i++) count[rank[i] = (uint8_t)rank_of(r, i)]++;
  if (status == FF_OK && count[0] == 0 && Model_getNumSpecies(r->model) > 0)
    status = ff_error_set(r->err, FF_EMODEL, "%s: rules determine all species; expected a species without a rule",
                          r->table.ids.file);
  r->n_species = count[0];
  r->n_parameters = count[1];
  r->n_variables = count[2];
  next[0] = 0;
  next[1] = count[0];
  next[2] = count[0] + count[1];
  for (uint32_t i = 0; i < n && status == FF_OK; i++) r->number[i] = rank[i] == 3 ? NONE : next[rank[i]]++;
  free(rank);
  return status;
}

/* A level: what a rate rule determines, or what the caller names. */
static ff_status set_level(reader *r, ff_reactions *net, uint32_t i) {
  const ff_sbml_symbol *symbol = &r->table.symbol[i];
  char rest[120];
  net->real[r->number[i]] = 1;
  if (ff_io_is_given(r->given.counts, r->table.ids.names[i])) return FF_OK;
  net->initial[r->number[i]] = symbol->value;
  if (symbol->value >= 0 && isfinite(symbol->value)) return FF_OK;
  snprintf(rest, sizeof rest, symbol->formula.length == 0 ? ", which has no initial value, where one was expected"
           : " with the initial value %s; the levels of a Petri net are at least 0", ff_show(symbol->value, 15).text);
  return ff_sbml_found(&r->table, symbol->formula.length == 0 ? FF_EPARSE : FF_EUNSUPPORTED,
                       ff_sbml_place(&r->table, symbol->rate_rule != NULL ? symbol->rate_rule : symbol->element),
                       symbol->rate_rule != NULL ? "the rateRule of" : "the species", r->table.ids.names[i], rest);
}

static ff_status set_species(reader *r, ff_reactions *net, uint32_t i) {
  const ff_sbml_symbol *symbol = &r->table.symbol[i];
  const Species_t *species = symbol->element;
  const char *id = r->table.ids.names[i];
  const uint32_t number = r->number[i];
  if (symbol->rate.length > 0) return set_level(r, net, i);
  const int marked = r->table.flows && is_marked((SBase_t *)(uintptr_t)species, FF_SBML_CONTINUOUS);
  r->marked |= marked;
  if (r->table.flows && (marked || r->given.all_levels || ff_io_is_given(r->given.levels, id))) {
    net->fixed[number] = Species_getBoundaryCondition(species) || Species_getConstant(species);
    return set_level(r, net, i);
  }
  const double value = symbol->value * r->factor;
  const int fine = ff_io_count(value, r->given.rounds, &net->initial[number]);
  net->fixed[number] = Species_getBoundaryCondition(species) || Species_getConstant(species);
  if (ff_io_is_given(r->given.counts, id)) return FF_OK;
  if (fine && value > 0 && net->initial[number] == 0 && r->n_lost++ == 0) r->first_lost = number;
  if (fine) return FF_OK;
  if (r->uncounted.n == 0) r->first_uncounted = species;
  ff_io_uncounted_add(&r->uncounted, id, r->given.converts ? "count" : "amount", value, symbol->formula.length == 0,
                      ff_sbml_place(&r->table, species).line);
  return FF_OK;
}

static ff_status check_counted(const reader *r) {
  char clause[FF_IO_UNIT + 64] = "";
  if (r->uncounted.n > 0 && !r->given.converts) ff_sbml_unit_clause(r->model, r->first_uncounted, clause);
  return ff_io_uncounted_check(&r->uncounted, r->table.ids.file, clause, r->err);
}

static ff_status set_symbols(reader *r, ff_reactions *net) {
  const uint32_t first = r->n_species + r->n_parameters; /* variable */
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < r->table.ids.n_nodes && status == FF_OK; i++) {
    uint32_t number = r->number[i];
    if (number == NONE) continue;
    r->amount[number] = r->table.symbol[i].kind == FF_SBML_SPECIES;
    status = ff_name_copy(&net->names[number], r->table.ids.names[i], r->err);
    if (status != FF_OK) return status;
    if (number >= first) {
      net->variable[number - first] = r->table.symbol[i].rule;
      r->table.symbol[i].rule = (ff_formula){0};
      ff_sbml_renumber(&r->table, r->number, &net->variable[number - first]);
    } else if (number >= r->n_species) {
      net->value[number - r->n_species] = r->table.symbol[i].value;
    } else {
      status = set_species(r, net, i);
    }
  }
  return status == FF_OK ? check_counted(r) : status;
}

/* ---- stoichiometry ---- */

/* A formula of Level 2 must have the same value all the time. */
static ff_status read_stoichiometry_math(reader *r, SpeciesReference_t *reference, double *value) {
  const StoichiometryMath_t *element = SpeciesReference_getStoichiometryMath(reference);
  ff_formula formula;
  const ASTNode_t *math = StoichiometryMath_getMath(element);
  uint64_t line = ff_sbml_place(&r->table, reference).line;
  ff_status status = ff_sbml_formula(&formula, math, &r->table, NULL, line);
  for (uint32_t i = 0; i < formula.length && status == FF_OK; i++) {
    const ff_formula_word *word = &formula.word[i];
    const uint32_t number = word->code == FF_F_SYMBOL ? r->number[word->symbol] : NONE;
    const int variable = number != NONE && number >= r->n_species + r->n_parameters;
    const int set = word->code == FF_F_SYMBOL && r->table.symbol[word->symbol].set;
    if (word->code == FF_F_TIME || variable || set || number < r->n_species)
      status = ff_sbml_unsupported(&r->table, element, NULL, " because it changes with the time");
  }
  if (status == FF_OK) status = ff_sbml_table_value(&r->table, &formula, value);
  ff_formula_free(&formula);
  return status;
}

static ff_status read_stoichiometry(reader *r, SpeciesReference_t *reference, double *value) {
  const char *id = ff_sbml_id(reference);
  uint32_t symbol;
  if (r->table.level == 2 && SpeciesReference_isSetStoichiometryMath(reference))
    return read_stoichiometry_math(r, reference, value);
  *value = SpeciesReference_getStoichiometry(reference);
  if (r->table.level < 3) *value /= SpeciesReference_getDenominator(reference); /* libsbml takes it from a rational number */
  if (r->table.level >= 3 && ff_sbml_table_find(&r->table, FF_SBML_STOICHIOMETRY, id, &symbol))
    *value = r->table.symbol[symbol].value;
  return FF_OK;
}

static ff_status find_species(reader *r, const void *element, const char *id, uint32_t *species) {
  if (ff_sbml_table_find(&r->table, FF_SBML_SPECIES, id, species)) return FF_OK;
  return ff_sbml_unknown(&r->table, element, id, "the id of a species");
}

/* *weight becomes the stoichiometry, which need not be whole for a level; then *fraction becomes 1. */
static ff_status read_participant(reader *r, SpeciesReference_t *reference, ff_participant *out, const uint8_t *real,
                                  double *weight, int *fraction) {
  const char *id = SpeciesReference_getSpecies(reference);
  double value = NAN, whole;
  ff_status status = find_species(r, reference, id, &out->species);
  if (status == FF_OK) status = read_stoichiometry(r, reference, &value);
  if (status != FF_OK) return status;
  const ff_sbml_symbol *symbol = &r->table.symbol[out->species];
  out->species = r->number[out->species];
  if (out->species >= r->n_species || symbol->rate.length > 0) { /* a rule determines it, so reactions do not change it */
    if (!Species_getBoundaryCondition(symbol->element))
      return ff_sbml_unsupported(&r->table, reference, id, symbol->rate.length > 0 ? " because a rateRule determines the species"
                                                           : " because an assignmentRule determines the species");
    value = 0;
    out->species = 0; /* merge() drops it */
  }
  *weight = value;
  if (ff_count_of(value, &whole) && whole <= UINT32_MAX) {
    out->count = (uint32_t)whole;
    *weight = whole;
    return FF_OK;
  }
  if (real != NULL && real[out->species] && value > 0 && isfinite(value)) {
    out->count = 1;
    *fraction = 1;
    return FF_OK;
  }
  char more[120] = " because it has no stoichiometry";
  if (!isnan(value))
    snprintf(more, sizeof more, " because its stoichiometry is %s, not a whole number from 0 to 2^32 - 1",
             ff_show(value, 15).text);
  return ff_sbml_unsupported(&r->table, reference, id, more);
}

static ff_status merge(reader *r, const void *reaction, ff_participant *all, uint32_t *n) {
  size_t kept = *n;
  if (!ff_participants_merge(all, &kept))
    return ff_sbml_unsupported(&r->table, reaction, ff_sbml_id(reaction), " because a stoichiometry is larger than 2^32 - 1");
  *n = (uint32_t)kept;
  return FF_OK;
}

/* A side of a reaction that is read. */
typedef struct {
  ff_participant *all, *merged;
  double *weight; /* of each of `all`, then of each of `merged` */
  uint32_t n, n_merged;
  int fractions;
} side;

static void free_side(side *s) {
  free(s->all);
  free(s->merged);
  free(s->weight);
}

static ff_status read_side(reader *r, Reaction_t *reaction, int products, const uint8_t *real, side *out) {
  const unsigned found = products ? Reaction_getNumProducts(reaction) : Reaction_getNumReactants(reaction);
  *out = (side){.all = ff_calloc(found, sizeof *out->all), .merged = ff_calloc(found, sizeof *out->merged),
                .weight = ff_calloc(2 * (size_t)found, sizeof *out->weight)};
  if (out->all == NULL || out->merged == NULL || out->weight == NULL)
    return ff_error_set(r->err, FF_EMEMORY, "no memory for %u species references", found);
  ff_status status = FF_OK;
  for (; out->n < found && status == FF_OK; out->n++) {
    SpeciesReference_t *reference =
        products ? Reaction_getProduct(reaction, out->n) : Reaction_getReactant(reaction, out->n);
    status = read_participant(r, reference, &out->all[out->n], real, &out->weight[out->n], &out->fractions);
    out->merged[out->n] = out->all[out->n];
  }
  out->n_merged = out->n;
  if (status == FF_OK) status = merge(r, reaction, out->merged, &out->n_merged);
  for (uint32_t k = 0; k < out->n_merged && status == FF_OK && out->fractions; k++)
    for (uint32_t i = 0; i < out->n; i++)
      if (out->all[i].species == out->merged[k].species && out->all[i].count > 0) out->weight[out->n + k] += out->weight[i];
  return status;
}

static ff_status set_sides(reader *r, Reaction_t *reaction, const uint8_t *real, ff_reaction *out) {
  side in = {0}, made = {0};
  ff_status status = read_side(r, reaction, 0, real, &in);
  if (status == FF_OK) status = read_side(r, reaction, 1, real, &made);
  if (status == FF_OK && (in.fractions || made.fractions)) {
    out->weight = ff_calloc((size_t)in.n_merged + made.n_merged, sizeof *out->weight);
    if (out->weight == NULL) status = ff_error_set(r->err, FF_EMEMORY, "no memory for weights");
    for (uint32_t k = 0; k < in.n_merged && status == FF_OK; k++)
      out->weight[k] = in.fractions ? in.weight[in.n + k] : in.merged[k].count;
    for (uint32_t k = 0; k < made.n_merged && status == FF_OK; k++)
      out->weight[in.n_merged + k] = made.fractions ? made.weight[made.n + k] : made.merged[k].count;
  }
  if (status == FF_OK) {
    out->reactants = in.merged;
    out->products = made.merged;
    out->n_reactants = in.n_merged;
    out->n_products = made.n_merged;
    in.merged = made.merged = NULL;
  }
  free_side(&in);
  free_side(&made);
  return status;
}

/* Takes these words off the end of *length words of the law. Returns 0 if it does not end with them. */
static int takes(const ff_formula *law, uint32_t *length, const ff_formula_word *words, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (*length == 0) return 0;
    const ff_formula_word *word = &law->word[--*length], *wanted = &words[n - 1 - i];
    if (word->code != wanted->code || word->symbol != wanted->symbol || word->number != wanted->number) return 0;
  }
  return 1;
}

/* The law `k * A * (A - 1) / 2` of mass action, as write_network() writes it, becomes its constant k. Returns 0 if it has another
 * form, as it may have if the file was changed. */
static int take_constant(ff_reaction *reaction) {
  const ff_formula_word times = {FF_F_MUL, 0, 0}, over = {FF_F_DIV, 0, 0};
  ff_formula *law = &reaction->rate;
  uint32_t length = law->length;
  double factorials = 1;
  for (uint32_t i = 0; i < reaction->n_reactants; i++)
    for (uint32_t k = 2; k <= reaction->reactants[i].count && factorials < HUGE_VAL; k++) factorials *= k;
  if (factorials != 1 && !takes(law, &length, (ff_formula_word[]){{FF_F_NUMBER, 0, factorials}, over}, 2)) return 0;
  for (uint32_t i = reaction->n_reactants; i-- > 0;) {
    const ff_formula_word species = {FF_F_SYMBOL, reaction->reactants[i].species, 0};
    for (uint32_t k = reaction->reactants[i].count; k-- > 0;) {
      const ff_formula_word less[] = {species, {FF_F_NUMBER, 0, k}, {FF_F_SUB, 0, 0}, times}, whole[] = {species, times};
      const int falls = k > 0 && !reaction->flows;
      if (!takes(law, &length, falls ? less : whole, falls ? 4 : 2)) return 0;
    }
  }
  law->length = length;
  law->depth = 0;
  for (uint32_t i = 0, height = 0; i < length; i++) {
    height += 1 - ff_formula_operands(law->word[i].code);
    if (height > law->depth) law->depth = height;
  }
  return 1;
}

static ff_status set_reaction(reader *r, ff_reactions *net, uint32_t i) {
  Reaction_t *reaction = reaction_at(r, i);
  ff_reaction *out = &net->reactions[i];
  ff_status status = FF_OK;
  for (unsigned m = 0; m < Reaction_getNumModifiers(reaction) && status == FF_OK; m++) {
    const SpeciesReference_t *modifier = Reaction_getModifier(reaction, m);
    uint32_t species;
    status = find_species(r, modifier, SpeciesReference_getSpecies(modifier), &species);
  }
  if (status != FF_OK) return status;
  status = ff_name_copy(&out->name, ff_sbml_id(reaction), r->err);
  if (status == FF_OK) status = set_sides(r, reaction, net->real, out);
  if (status != FF_OK) return status;
  out->rate = r->law[i];
  r->law[i] = (ff_formula){0};
  ff_sbml_renumber(&r->table, r->number, &out->rate);
  SBase_t *law = (SBase_t *)Reaction_getKineticLaw(reaction);
  out->flows = r->table.flows && is_marked(law, FF_SBML_FLOW);
  /* the constant of mass action is for counts */
  out->mass_action = r->factor == 1 && is_marked(law, FF_SBML_MASS_ACTION) && take_constant(out);
  return FF_OK;
}

/* ---- rate rules as flows ---- */

/* The name of a flow: that of what changes, "_rate", and '_' until it is the id of nothing. */
static ff_status name_flow(reader *r, const char *id, char **name) {
  ff_out out = {.err = r->err};
  ff_out_puts(&out, id);
  ff_out_puts(&out, "_rate");
  while (out.status == FF_OK && ff_build_find(&r->table.ids, out.text, out.length) >= 0) ff_out_puts(&out, "_");
  ff_status status = out.status;
  if (status == FF_OK) status = ff_name_copy(name, out.text, r->err);
  free(out.text);
  return status;
}

/* A concentration x in a compartment whose size V changes at a rate: the amount x V changes by x' V + (x V) V' / V. */
static ff_status add_growth(reader *r, uint32_t i) {
  ff_sbml_symbol *symbol = &r->table.symbol[i];
  const ff_sbml_symbol *size = &r->table.symbol[symbol->divisor];
  if (symbol->kind != FF_SBML_SPECIES || symbol->divisor == 0) return FF_OK;
  if (size->rule.length > 0)
    return ff_sbml_found(&r->table, FF_EUNSUPPORTED, ff_sbml_place(&r->table, symbol->rate_rule), "<rateRule>",
                         r->table.ids.names[i], ", which is not supported in a Petri net because an assignmentRule determines "
                         "the size of its compartment");
  if (size->rate.length == 0) return FF_OK;
  ff_formula_builder b = {0};
  const ff_formula_word of = {FF_F_SYMBOL, i, 0}, by = {FF_F_SYMBOL, symbol->divisor, 0};
  const ff_formula_word after[] = {{FF_F_MUL, 0, 0}, by, {FF_F_DIV, 0, 0}, {FF_F_ADD, 0, 0}};
  ff_status status = FF_OK;
  for (uint32_t at = 0; at < symbol->rate.length && status == FF_OK; at++)
    status = ff_formula_push(&b, symbol->rate.word[at], r->err);
  if (status == FF_OK) status = ff_formula_push(&b, of, r->err);
  for (uint32_t at = 0; at < size->rate.length && status == FF_OK; at++)
    status = ff_formula_push(&b, size->rate.word[at], r->err);
  for (size_t at = 0; at < sizeof after / sizeof *after && status == FF_OK; at++) status = ff_formula_push(&b, after[at], r->err);
  if (status != FF_OK) {
    free(b.word);
    return status;
  }
  ff_formula_free(&symbol->rate);
  ff_formula_finish(&symbol->rate, &b);
  return FF_OK;
}

static ff_status add_growths(reader *r) {
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < r->table.ids.n_nodes && status == FF_OK; i++)
    if (r->table.symbol[i].rate.length > 0) status = add_growth(r, i);
  return status;
}

/* Reactions without reactants, after all others. */
static ff_status set_flows(reader *r, ff_reactions *net) {
  uint32_t next = r->n_reactions;
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < r->table.ids.n_nodes && r->table.flows && status == FF_OK; i++) {
    ff_sbml_symbol *symbol = &r->table.symbol[i];
    if (symbol->rate.length == 0) continue;
    ff_reaction *out = &net->reactions[next++];
    out->products = ff_calloc(1, sizeof *out->products);
    out->reactants = ff_calloc(0, sizeof *out->reactants);
    if (out->products == NULL || out->reactants == NULL) return ff_error_set(r->err, FF_EMEMORY, "no memory for a flow");
    out->products[0] = (ff_participant){r->number[i], 1};
    out->flows = 1;
    out->n_products = 1;
    status = name_flow(r, r->table.ids.names[i], &out->name);
    out->rate = symbol->rate;
    symbol->rate = (ff_formula){0};
    ff_sbml_renumber(&r->table, r->number, &out->rate);
  }
  return status;
}

/* ---- the network ---- */

static ff_status make_network(reader *r, ff_reactions **out) {
  ff_status status = ff_reactions_new(out, r->n_species, r->n_parameters, r->n_reactions + r->n_flows, r->err);
  if (status != FF_OK || !r->table.flows) return status;
  (*out)->real = ff_calloc(r->n_species, 1);
  return (*out)->real != NULL ? FF_OK : ff_error_set(r->err, FF_EMEMORY, "no memory for %u species", r->n_species);
}

static ff_status new_amounts(reader *r) {
  const size_t n = (size_t)r->n_species + r->n_parameters + r->n_variables;
  r->amount = ff_calloc(n, 1);
  return r->amount != NULL ? FF_OK : ff_error_set(r->err, FF_EMEMORY, "no memory for %zu symbols", n);
}

/* The number of items in a unit of amounts, if they become counts. */
static ff_status set_factor(reader *r) {
  r->factor = r->given.particles;
  if (!r->given.converts) r->factor = 1;
  return r->factor > 0 ? FF_OK : ff_sbml_items(&r->table, r->model, &r->factor);
}

static ff_status make_counts(const reader *r, ff_reactions *net) {
  if (!r->given.converts && !r->given.rounds) return FF_OK;
  return ff_reactions_convert(net, r->amount, r->factor, r->given.rounds, r->err);
}

static ff_status read_all(reader *r, ff_reactions **out, char unit[FF_IO_UNIT]) {
  ff_status status = check_elements(r);
  if (status == FF_OK) status = ff_sbml_units(&r->table, r->model, unit);
  if (status == FF_OK) status = set_factor(r);
  if (status == FF_OK) status = ff_sbml_table_fill(&r->table, r->model);
  if (status == FF_OK) status = read_laws(r);
  if (status == FF_OK) status = ff_sbml_events_read(&r->events, &r->table, r->model);
  if (status == FF_OK) status = r->table.flows ? add_growths(r) : ff_sbml_solve_rates(&r->table, &r->events);
  if (status == FF_OK) status = number_symbols(r);
  if (status == FF_OK) status = make_network(r, out);
  if (status == FF_OK) status = ff_reactions_add_variables(*out, r->n_variables, r->err);
  if (status == FF_OK) status = new_amounts(r);
  if (status == FF_OK) status = set_symbols(r, *out);
  for (uint32_t i = 0; i < r->n_reactions && status == FF_OK; i++) status = set_reaction(r, *out, i);
  if (status == FF_OK) status = set_flows(r, *out);
  if (status == FF_OK) status = ff_sbml_events_move(&r->events, &r->table, r->number, *out);
  if (status == FF_OK) status = make_counts(r, *out);
  return status == FF_OK ? ff_io_finish_reactions(*out, r->table.ids.file, r->err) : status;
}

ff_status ff_sbml_read_reactions(ff_io_model *out, SBMLDocument_t *document, size_t length, const char *file,
                                 const ff_io_given *given, ff_error *err) {
  reader r = {.model = SBMLDocument_getModel(document), .err = err};
  out->reactions = NULL;
  if (given != NULL) r.given = *given;
  r.n_reactions = Model_getNumReactions(r.model);
  r.table = (ff_sbml_table){.ids = {.file = file, .err = err}, .words = FF_FORMULA_MAX + (uint64_t)length,
                            .level = SBMLDocument_getLevel(document), .flows = r.given.flows, .volume = r.given.volume, .err = err};
  ff_status status = read_all(&r, &out->reactions, out->unit);
  for (uint32_t i = 0; r.law != NULL && i < r.n_reactions; i++) ff_formula_free(&r.law[i]);
  free(r.law);
  ff_sbml_events_free(&r.events);
  free(r.number);
  free(r.amount);
  ff_sbml_table_free(&r.table);
  out->marked = r.marked;
  out->factor = r.given.converts ? r.factor : 0;
  out->n_lost = r.n_lost;
  out->first_lost = r.first_lost;
  if (status == FF_OK) return FF_OK;
  ff_reactions_free(out->reactions);
  out->reactions = NULL;
  return status;
}
