/* Reaction networks: making, checking and freeing them. */
#include "ff_reactions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_decimal.h"
#include "../ff_formula_code.h"
#include "../ff_formula_range.h"
#include "ff_reactions_internal.h"

ff_status ff_reactions_new(ff_reactions **out, uint32_t n_species, uint32_t n_parameters, uint32_t n_reactions, ff_error *err) {
  *out = NULL;
  if (n_species > UINT32_MAX - n_parameters)
    return ff_error_set(err, FF_ESIZE, "a network has at most 2^32 - 1 species and parameters; found %u and %u", n_species,
                        n_parameters);
  ff_reactions *net = ff_calloc(1, sizeof *net);
  if (net == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a network of %u reactions", n_reactions);
  *net = (ff_reactions){.n_species = n_species, .n_parameters = n_parameters, .n_reactions = n_reactions};
  net->names = ff_calloc((size_t)n_species + n_parameters, sizeof *net->names);
  net->initial = ff_calloc(n_species, sizeof *net->initial);
  net->fixed = ff_calloc(n_species, 1);
  net->value = ff_calloc(n_parameters, sizeof *net->value);
  net->reactions = ff_calloc(n_reactions, sizeof *net->reactions);
  if (net->names == NULL || net->initial == NULL || net->fixed == NULL || net->value == NULL || net->reactions == NULL) {
    ff_reactions_free(net);
    return ff_error_set(err, FF_EMEMORY, "no memory for a network of %u species and %u reactions", n_species, n_reactions);
  }
  *out = net;
  return FF_OK;
}

void ff_reaction_free(ff_reaction *reaction) {
  free(reaction->name);
  free(reaction->reactants);
  free(reaction->products);
  free(reaction->weight);
  ff_formula_free(&reaction->rate);
  *reaction = (ff_reaction){0};
}

void ff_reactions_free(ff_reactions *net) {
  if (net == NULL) return;
  for (uint32_t i = 0; net->names != NULL && i < net->n_species + net->n_parameters + net->n_variables; i++)
    free(net->names[i]);
  for (uint32_t i = 0; i < net->n_variables; i++) ff_formula_free(&net->variable[i]);
  for (uint32_t r = 0; net->reactions != NULL && r < net->n_reactions; r++) ff_reaction_free(&net->reactions[r]);
  for (uint32_t i = 0; i < net->n_events; i++) ff_event_free(&net->events[i]);
  free(net->events);
  free(net->names);
  free(net->initial);
  free(net->real);
  free(net->fixed);
  free(net->value);
  free(net->variable);
  free(net->reactions);
  free(net);
}

/* ---- propensities ---- */

/* The number of ways to choose k of x things, which is also that of choosing the x - k others. After each division, `ways` is the
 * number of ways to choose i + 1 things, so it is a whole number, and exact if no product reaches 2^53. */
static double ways_to_choose(double k, double x) {
  double ways = 1.0;
  if (x - k < k) k = x - k;
  for (double i = 0.0; i < k && ways < HUGE_VAL; i += 1.0) ways = ways * (x - i) / (i + 1.0);
  return ways;
}

int ff_reactions_missing(const ff_reactions *net, uint32_t r, const double *values) {
  const ff_reaction *reaction = &net->reactions[r];
  for (uint32_t i = 0; i < reaction->n_reactants; i++) {
    const ff_participant *reactant = &reaction->reactants[i];
    if (net->fixed[reactant->species] && !reaction->mass_action) continue;
    if (values[reactant->species] < reactant->count) return 1;
  }
  return 0;
}

double ff_reactions_propensity(const ff_reactions *net, uint32_t r, const double *values, double time, double *stack) {
  const ff_reaction *reaction = &net->reactions[r];
  const int missing = ff_reactions_missing(net, r, values);
  if (missing && reaction->mass_action) return 0.0;
  double propensity = ff_formula_value(&reaction->rate, values, time, stack);
  if (missing) return propensity < 0.0 ? propensity : 0.0;
  if (!reaction->mass_action || propensity == 0.0) return propensity;
  for (uint32_t i = 0; i < reaction->n_reactants; i++)
    propensity *= ways_to_choose(reaction->reactants[i].count, values[reaction->reactants[i].species]);
  return propensity;
}

/* ---- checks ---- */

static ff_status check_symbols(const ff_reactions *net, ff_error *err) {
  static const char *const kinds[] = {"species", "parameter", "variable"};
  uint32_t n = net->n_species + net->n_parameters + net->n_variables;
  for (uint32_t i = 0; i < n; i++) {
    int kind = (i >= net->n_species) + (i >= net->n_species + net->n_parameters);
    uint32_t before = kind == 0 ? 0 : kind == 1 ? net->n_species : net->n_species + net->n_parameters;
    ff_status status = ff_name_check(net->names[i], kinds[kind], i - before + 1, err);
    if (status != FF_OK) return status;
  }
  for (uint32_t i = 0; i < net->n_species; i++) {
    double count = net->initial[i];
    ff_quoted name = ff_quote(net->names[i], strlen(net->names[i]));
    const int real = net->real != NULL && net->real[i];
    if (!(count >= 0.0 && (real ? isfinite(count) : count <= FF_MAX_COUNT && count == floor(count))))
      return ff_error_set(err, FF_EMODEL, "the initial count of species %s is %s; expected a whole number from 0 to 2^53",
                          name.text, ff_show(count, 17).text);
    if (net->fixed[i] > 1) return ff_error_set(err, FF_EINTERNAL, "the mark of species %s as fixed is broken", name.text);
  }
  for (uint32_t i = 0; i < net->n_parameters; i++)
    if (isnan(net->value[i])) {
      ff_quoted name = ff_quote(net->names[net->n_species + i], strlen(net->names[net->n_species + i]));
      return ff_error_set(err, FF_EMODEL, "the value of parameter %s is NaN; expected a number", name.text);
    }
  ff_names *names;
  ff_status status = ff_names_new(&names, net->names, n, net->n_variables > 0 ? "species, parameters and variables"
                                                                              : "species and parameters", err);
  ff_names_free(names);
  return status;
}

/* How a message names a reaction: by its name, or by its number if it has none. */
typedef struct {
  char text[FF_QUOTE_SIZE];
} label;

static label label_of(const ff_reactions *net, uint32_t r) {
  const char *name = net->reactions[r].name;
  label out;
  if (name != NULL && name[0] != '\0')
    memcpy(out.text, ff_quote(name, strlen(name)).text, sizeof out.text);
  else
    snprintf(out.text, sizeof out.text, "%u", r + 1);
  return out;
}

static int valid_side(const ff_participant *all, uint32_t n, uint32_t n_species) {
  if (n > 0 && all == NULL) return 0;
  for (uint32_t i = 0; i < n; i++)
    if (all[i].species >= n_species || all[i].count == 0 || (i > 0 && all[i].species <= all[i - 1].species)) return 0;
  return 1;
}

/* A rate that is the same in every state must be a number of at least 0. */
static ff_status check_constant(const ff_reactions *net, uint32_t r, ff_error *err) {
  const ff_reaction *reaction = &net->reactions[r];
  double value;
  ff_status status = ff_formula_constant(&reaction->rate, &value, err);
  if (status != FF_OK) return status;
  if (value >= 0.0 && isfinite(value)) return FF_OK;
  ff_range *ranges = ff_calloc(reaction->rate.depth, sizeof *ranges);
  if (ranges == NULL) return ff_error_set(err, FF_EMEMORY, "no memory to check the rate of reaction %u", r + 1);
  const int rounded = ff_formula_range(&reaction->rate, FF_RANGE_INEXACT, NULL, NULL, (ff_range){.low = 0}, ranges).high >= 0.0;
  free(ranges);
  return ff_error_set(err, FF_EMODEL, "reaction %s: the %s is %s%s; expected a finite number of at least 0%s",
                      label_of(net, r).text, reaction->mass_action ? "rate constant" : "rate", ff_show(value, 6).text,
                      value < 0.0 && rounded ? ", perhaps by rounding errors alone" : "",
                      value < 0.0 && rounded ? ", such as max(0, ...)" : "");
}

static ff_status check_reaction(const ff_reactions *net, uint32_t r, ff_error *err) {
  const ff_reaction *reaction = &net->reactions[r];
  int constant;
  if (reaction->name == NULL || !ff_utf8_valid(reaction->name, strlen(reaction->name)))
    return ff_error_set(err, FF_EMODEL, "the name of reaction %u is %s", r + 1,
                        reaction->name == NULL ? "missing" : "not valid UTF-8");
  if (!valid_side(reaction->reactants, reaction->n_reactants, net->n_species) ||
      !valid_side(reaction->products, reaction->n_products, net->n_species))
    return ff_error_set(err, FF_EINTERNAL, "the equation of reaction %s is broken", label_of(net, r).text);
  if (reaction->mass_action != 0 && reaction->mass_action != 1)
    return ff_error_set(err, FF_EINTERNAL, "the rate law of reaction %s is broken", label_of(net, r).text);
  if (reaction->rate.length == 0) return ff_error_set(err, FF_EMODEL, "reaction %s has no rate", label_of(net, r).text);
  if (!ff_formula_valid(&reaction->rate, net->n_species + net->n_parameters + net->n_variables, &constant))
    return ff_error_set(err, FF_EINTERNAL, "the rate of reaction %s is broken", label_of(net, r).text);
  return constant ? check_constant(net, r, err) : FF_OK;
}

/* That formulas are complete, and that no variable depends on itself. */
static ff_status check_variables(const ff_reactions *net, ff_error *err) {
  uint32_t *order = NULL, n = net->n_species + net->n_parameters + net->n_variables;
  int constant;
  for (uint32_t v = 0; v < net->n_variables; v++) {
    const char *name = net->names[net->n_species + net->n_parameters + v];
    if (net->variable[v].length == 0)
      return ff_error_set(err, FF_EMODEL, "variable %s has no formula", ff_quote(name, strlen(name)).text);
    if (!ff_formula_valid(&net->variable[v], n, &constant))
      return ff_error_set(err, FF_EINTERNAL, "the formula of variable %s is broken", ff_quote(name, strlen(name)).text);
  }
  ff_status status = net->n_variables > 0 ? ff_reactions_order(&order, net, err) : FF_OK;
  free(order);
  return status;
}

ff_status ff_reactions_finish(ff_reactions *net, ff_error *err) {
  if (net->n_species == 0) return ff_error_set(err, FF_EMODEL, "a reaction network has no species; expected at least one");
  ff_status status = check_symbols(net, err);
  if (status == FF_OK) status = check_variables(net, err);
  for (uint32_t r = 0; r < net->n_reactions && status == FF_OK; r++) status = check_reaction(net, r, err);
  return status == FF_OK ? ff_events_check(net, err) : status;
}
