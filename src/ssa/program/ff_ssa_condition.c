/* Conditions that end a trajectory. */
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_condition.h"

/* Parameters become their values unless they are settable, and variables their formulas. */
static ff_status insert_values(ff_formula *out, const ff_formula *formula, const ff_reactions *net, ff_error *err) {
  ff_replacement replacement = {0};
  uint32_t *settable_of = ff_calloc(net->n_parameters, sizeof *settable_of);
  if (settable_of == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a condition");
  ff_reactions_settable(settable_of, net);
  ff_status status = ff_replacement_new(&replacement, net, settable_of, err);
  if (status == FF_OK) status = ff_formula_replace(out, formula, replacement.of, err);
  ff_replacement_free(&replacement);
  free(settable_of);
  return status;
}

ff_status ff_ssa_condition(ff_formula *out, const ff_reactions *net, const char *text, ff_error *err) {
  ff_names *names = NULL;
  ff_formula formula = {0};
  memset(out, 0, sizeof *out);
  ff_status status = ff_names_new(&names, net->names, net->n_species + net->n_parameters + net->n_variables,
                                  "species, parameters and variables", err);
  if (status == FF_OK)
    status = ff_formula_parse(&formula, text, strlen(text), ff_formula_find_untimed, names, (ff_place){"the condition", 0}, err);
  if (status == FF_OK) status = insert_values(out, &formula, net, err);
  if (status == FF_OK && ff_formula_has_time(out)) {
    ff_formula_free(out);
    status = ff_error_set(err, FF_EUNSUPPORTED, "the condition %s depends on the time; expected a formula of species, "
                          "parameters and variables", ff_quote(text, strlen(text)).text);
  }
  ff_formula_free(&formula);
  ff_names_free(names);
  return status;
}
