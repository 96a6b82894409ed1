/* Networks for tests of the Stochastic Simulation Processor. */
#ifndef FF_TESTS_SSP_NETWORKS_H
#define FF_TESTS_SSP_NETWORKS_H

#include "random.h"
#include "reactions.h"

/* A network of elementary reactions: species S1, S2, ..., reactions without participants and names. */
static inline ff_reactions *elementary_network(uint32_t n_species, uint32_t n_reactions, double initial) {
  ff_reactions *net;
  ff_error err;
  FF_CHECK_OK(ff_reactions_new(&net, n_species, 0, n_reactions, &err), &err);
  for (uint32_t s = 0; s < n_species; s++) {
    char name[16];
    snprintf(name, sizeof name, "S%u", s + 1);
    net->names[s] = ff_strndup(name, strlen(name));
    net->initial[s] = initial;
  }
  return net;
}

/* Fills reaction r, whose reactants and products are species (UINT32_MAX is none). */
static inline void elementary_reaction(ff_reactions *net, uint32_t r, const uint32_t in[2], const uint32_t out[2], double rate) {
  ff_reaction *reaction = &net->reactions[r];
  ff_error err;
  reaction->name = ff_strndup("", 0);
  reaction->mass_action = 1;
  FF_CHECK_OK(ff_formula_of_number(&reaction->rate, rate, &err), &err);
  for (int side = 0; side < 2; side++) {
    const uint32_t *of = side == 0 ? in : out;
    ff_participant *all = ff_calloc(2, sizeof *all);
    size_t n = 0;
    for (int i = 0; i < 2; i++)
      if (of[i] != UINT32_MAX) all[n++] = (ff_participant){of[i], 1};
    FF_CHECK(ff_participants_merge(all, &n));
    *(side == 0 ? &reaction->reactants : &reaction->products) = all;
    *(side == 0 ? &reaction->n_reactants : &reaction->n_products) = (uint32_t)n;
  }
}

/* Colloidal aggregation of four species and eight reactions, in `copies` copies that share `sets` sets of species. Rates are
 * random, and counts are 10. */
static inline ff_reactions *aggregation_network(uint32_t copies, uint32_t sets, uint64_t seed) {
  static const uint32_t none = UINT32_MAX;
  ff_reactions *net = elementary_network(4 * sets, 8 * copies, 10);
  ff_error err;
  uint64_t state = seed;
  for (uint32_t i = 0; i < copies; i++) {
    const uint32_t s1 = 4 * (i % sets), s2 = s1 + 1, s3 = s1 + 2, s4 = s1 + 3;
    const uint32_t sides[4][2][2] = {
        {{s1, s1}, {s2, none}}, {{s1, s2}, {s3, none}}, {{s1, s3}, {s4, none}}, {{s2, s2}, {s4, none}}};
    for (uint32_t k = 0; k < 4; k++) {
      elementary_reaction(net, 8 * i + k, sides[k][0], sides[k][1], uniform(&state));
      elementary_reaction(net, 8 * i + 4 + k, sides[k][1], sides[k][0], uniform(&state));
    }
  }
  FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
  return net;
}

/* Random elementary reactions, sources among them. Some species change and no reaction reads them, or do not change. */
static inline ff_reactions *random_network(uint64_t *state, uint32_t n_species, uint32_t n_reactions) {
  const uint32_t none = UINT32_MAX, read = n_species - n_species / 8;
  ff_reactions *net = elementary_network(n_species, n_reactions, 0);
  ff_error err;
  for (uint32_t s = 0; s < n_species; s++) net->initial[s] = below(state, 30);
  for (uint32_t r = 0; r < n_reactions; r++) {
    const uint32_t kind = below(state, 8), a = below(state, read), b = below(state, read);
    const uint32_t in[2] = {kind == 0 ? none : a, kind == 0 ? none : kind < 4 ? none : kind == 4 ? a : b};
    const uint32_t out[2] = {below(state, 4) == 0 ? none : below(state, n_species), kind < 5 ? none : below(state, n_species)};
    elementary_reaction(net, r, in, out, below(state, 20) == 0 ? 0 : 0.01 + uniform(state));
  }
  FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
  return net;
}

#endif
