/* Reads the rules of a reaction network in SBML. */
#include "ff_io_sbml_reactions.h"

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

ff_status ff_sbml_read_rules(ff_sbml_table *table, Model_t *model) {
  ff_status status = FF_OK;
  for (unsigned i = 0; i < Model_getNumRules(model) && status == FF_OK; i++) status = read_rule(table, Model_getRule(model, i));
  return status;
}
