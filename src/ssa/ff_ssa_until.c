/* Conditions that end a trajectory. */
#include <stdlib.h>
#include <string.h>

#include "ff_ssa.h"

/* Parameters become numbers, and variables their formulas. */
static ff_status insert_values(ff_formula *out, const ff_formula *formula, const ff_reactions *net, ff_error *err) {
  const size_t symbols = (size_t)net->n_species + net->n_parameters + net->n_variables;
  ff_formula *values = ff_calloc(net->n_parameters, sizeof *values), *expanded = ff_calloc(net->n_variables, sizeof *expanded);
  const ff_formula **replacement = ff_calloc(symbols, sizeof *replacement);
  ff_status status = FF_OK;
  if (values == NULL || expanded == NULL || replacement == NULL)
    status = ff_error_set(err, FF_EMEMORY, "no memory for a condition");
  for (uint32_t i = 0; i < net->n_parameters && status == FF_OK; i++) {
    status = ff_formula_of_number(&values[i], net->value[i], err);
    replacement[net->n_species + i] = &values[i];
  }
  if (status == FF_OK) status = ff_reactions_expand(expanded, net, replacement, err);
  if (status == FF_OK) status = ff_formula_replace(out, formula, replacement, err);
  for (uint32_t i = 0; values != NULL && i < net->n_parameters; i++) ff_formula_free(&values[i]);
  for (uint32_t v = 0; expanded != NULL && v < net->n_variables; v++) ff_formula_free(&expanded[v]);
  free(values);
  free(expanded);
  free(replacement);
  return status;
}

/* Parameters that events set have no fixed value. */
static ff_status check_parameters(const ff_reactions *net, const char *text, ff_error *err) {
  for (uint32_t e = 0; e < net->n_events; e++)
    for (uint32_t k = 0; k < net->events[e].n_sets; k++)
      if (net->events[e].sets[k].symbol >= net->n_species)
        return ff_error_set(err, FF_EUNSUPPORTED, "the condition %s: event %s sets a parameter; conditions are only checked in "
                            "networks whose events set species", ff_quote(text, strlen(text)).text,
                            ff_quote(net->events[e].name, strlen(net->events[e].name)).text);
  return FF_OK;
}

ff_status ff_ssa_condition(ff_formula *out, const ff_reactions *net, const char *text, ff_error *err) {
  ff_names *names = NULL;
  ff_formula formula = {0};
  memset(out, 0, sizeof *out);
  ff_status status = ff_names_new(&names, net->names, net->n_species + net->n_parameters + net->n_variables,
                                  "species, parameters and variables", err);
  if (status == FF_OK)
    status = ff_formula_parse(&formula, text, strlen(text), ff_names_find, names, (ff_place){"the condition", 0}, err);
  if (status == FF_OK) status = check_parameters(net, text, err);
  if (status == FF_OK) status = insert_values(out, &formula, net, err);
  if (status == FF_OK && ff_formula_has_time(out)) {
    ff_formula_free(out);
    status = ff_error_set(err, FF_EUNSUPPORTED, "the condition %s depends on the time; expected a formula of species and "
                          "parameters", ff_quote(text, strlen(text)).text);
  }
  ff_formula_free(&formula);
  ff_names_free(names);
  return status;
}
