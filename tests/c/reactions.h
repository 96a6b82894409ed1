/* What the tests of simulations share: networks from short texts. */
#ifndef FF_TESTS_REACTIONS_H
#define FF_TESTS_REACTIONS_H

#include "../../src/model/ff_reactions.h"
#include "check.h"

/* A reaction: its equation, and its rate. A rate that begins with `=` is a formula; otherwise it is the constant of mass
 * action. */
typedef struct {
  const char *equation, *rate;
} reaction_text;

/* Makes a network whose species are "A", "B", ... with these counts, without parameters. A NULL equation ends the list. */
static inline ff_reactions *network_of(const reaction_text *reactions, const double *initial, uint32_t n_species) {
  ff_reactions *net;
  ff_names *names;
  ff_error err;
  uint32_t n = 0;
  while (reactions[n].equation != NULL) n++;
  FF_CHECK_OK(ff_reactions_new(&net, n_species, 0, n, &err), &err);
  for (uint32_t i = 0; i < n_species; i++) {
    const char name = (char)('A' + i);
    net->names[i] = ff_strndup(&name, 1);
    net->initial[i] = initial[i];
  }
  FF_CHECK_OK(ff_names_new(&names, net->names, n_species, "species", &err), &err);
  for (uint32_t r = 0; r < n; r++) {
    ff_reaction *reaction = &net->reactions[r];
    const char *rate = reactions[r].rate;
    char name[16];
    int both;
    snprintf(name, sizeof name, "R%u", r + 1);
    reaction->name = ff_strndup(name, strlen(name));
    reaction->mass_action = rate[0] != '=';
    if (!reaction->mass_action) rate++;
    FF_CHECK_OK(ff_reactions_equation(net, r, reactions[r].equation, names, (ff_place){NULL, 0}, &both, &err), &err);
    FF_CHECK_OK(ff_formula_parse(&reaction->rate, rate, strlen(rate), ff_names_find, names, (ff_place){NULL, 0}, &err), &err);
  }
  ff_names_free(names);
  FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
  return net;
}

#endif
