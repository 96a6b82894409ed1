/* What the tests of simulations share: networks from short texts, and a ring of any size. */
#ifndef FF_TESTS_REACTIONS_H
#define FF_TESTS_REACTIONS_H

#include "../../src/model/reactions/ff_reactions.h"
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

/* n species in a ring, with one molecule of each; each becomes the next one, with the constant 1 of mass action. */
static inline ff_reactions *ring_of(uint32_t n) {
  ff_reactions *net;
  ff_error err;
  FF_CHECK_OK(ff_reactions_new(&net, n, 0, n, &err), &err);
  for (uint32_t s = 0; s < n; s++) {
    ff_reaction *r = net->reactions + s;
    char name[16];
    snprintf(name, sizeof name, "S%u", s);
    net->names[s] = ff_strndup(name, strlen(name));
    net->initial[s] = 1;
    r->name = ff_strndup("", 0);
    r->mass_action = 1;
    FF_CHECK_OK(ff_formula_of_number(&r->rate, 1, &err), &err);
    r->reactants = ff_calloc(1, sizeof *r->reactants);
    r->products = ff_calloc(1, sizeof *r->products);
    r->reactants[r->n_reactants++] = (ff_participant){s, 1};
    r->products[r->n_products++] = (ff_participant){(s + 1) % n, 1};
  }
  FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
  return net;
}

#endif
