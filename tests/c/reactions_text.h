/* Whether the texts of a reaction network's equations, rates and variables can be parsed, and then have the same text again. */
#ifndef FF_TESTS_REACTIONS_TEXT_H
#define FF_TESTS_REACTIONS_TEXT_H

#include <stdlib.h>
#include <string.h>

#include "../../src/model/reactions/ff_reactions.h"

static int formula_keeps_its_text(const ff_formula *formula, const ff_reactions *net, ff_names *symbols) {
  char *text = NULL, *again = NULL;
  ff_formula parsed = {0};
  int same = ff_formula_text(&text, formula, net->names, NULL) == FF_OK &&
             ff_formula_parse(&parsed, text, strlen(text), ff_names_find, symbols, (ff_place){NULL, 0}, NULL) == FF_OK &&
             ff_formula_text(&again, &parsed, net->names, NULL) == FF_OK && strcmp(text, again) == 0;
  ff_formula_free(&parsed);
  free(text);
  free(again);
  return same;
}

/* Parses the equation in place. */
static int equation_keeps_its_text(ff_reactions *net, uint32_t r, ff_names *species) {
  char *text = NULL, *again = NULL;
  int both;
  int same = ff_reactions_equation_text(&text, net, r, NULL) == FF_OK &&
             ff_reactions_equation(net, r, text, species, (ff_place){NULL, 0}, &both, NULL) == FF_OK && !both &&
             ff_reactions_equation_text(&again, net, r, NULL) == FF_OK && strcmp(text, again) == 0;
  free(text);
  free(again);
  return same;
}

static inline int keeps_its_text(ff_reactions *net) {
  ff_names *species = NULL, *symbols = NULL;
  int same = ff_names_new(&species, net->names, net->n_species, "species", NULL) == FF_OK &&
             ff_names_new(&symbols, net->names, net->n_species + net->n_parameters + net->n_variables, "symbols",
                      NULL) == FF_OK;
  for (uint32_t r = 0; r < net->n_reactions && same; r++)
    same = formula_keeps_its_text(&net->reactions[r].rate, net, symbols) && equation_keeps_its_text(net, r, species);
  for (uint32_t v = 0; v < net->n_variables && same; v++) same = formula_keeps_its_text(&net->variable[v], net, symbols);
  same = same && ff_reactions_finish(net, NULL) == FF_OK;
  ff_names_free(species);
  ff_names_free(symbols);
  return same;
}

#endif
