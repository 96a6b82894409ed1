/* Networks whose reactions are groups, for tests of factored simulation. */
#ifndef FF_TESTS_FACTOR_EXAMPLES_H
#define FF_TESTS_FACTOR_EXAMPLES_H

#include "simulations.h"

typedef struct {
  const char *what;
  reaction_text reactions[16];
  double initial[5];
  uint32_t n_species, groups, sums;
} factor_example;

static const factor_example factor_examples[] = {
    {"equal rates", {{"A -> B", "2"}, {"B -> C", "2"}, {"C -> A", "2"}}, {3, 4, 5}, 3, 1, 1},
    {"multiples of a rate", {{"A -> B", "0.1"}, {"B -> C", "0.3"}, {"C -> A", "0.25"}}, {3, 4, 5}, 3, 2, 2},
    {"a large multiple of a rate", {{"A -> B", "0.1"}, {"B -> C", "1.2"}, {"C -> A", "0.9"}}, {3, 4, 5}, 3, 1, 1},
    {"several reactions of a species", {{"A -> B", "1"}, {"A -> C", "2"}, {"A -> 0", "1"}, {"B -> A", "1"}}, {3, 4, 5}, 3, 1, 1},
    {"constants", {{"0 -> A", "2"}, {"0 -> B", "4"}, {"A -> B", "1"}, {"B -> 0", "7.5"}}, {3, 4}, 2, 2, 2},
    {"a hub", {{"A + B -> C", "1"}, {"A + C -> B", "1"}, {"D + A -> A", "3"}, {"B + C -> D", "1"}}, {3, 4, 5, 6}, 4, 2, 2},
    {"two hubs of one sum", {{"A + B -> C", "1"}, {"A + C -> B", "1"}, {"D + B -> A", "1"}, {"D + C -> A", "1"},
                             {"E + B -> A", "1"}, {"E + C -> A", "1"}}, {3, 4, 5, 6, 7}, 5, 2, 1},
    {"twins", {{"2 A -> B", "1"}, {"2 B -> A", "1"}, {"A + B -> C", "3"}, {"C -> 2 A", "0.5"}}, {5, 4, 3}, 3, 4, 3},
    {"a pool", {{"2 A -> B", "1"}, {"2 B -> A", "1"}, {"2 C -> A", "1"}, {"A + B -> C", "1"}, {"A + C -> 2 B", "1"},
                {"C + B -> A", "1"}, {"0 -> A", "3"}}, {5, 4, 3}, 3, 2, 2},
    {"a pool with a pair twice", {{"2 A -> B", "1"}, {"2 B -> A", "1"}, {"A + B -> C", "1"}, {"A + B -> 2 C", "1"}},
     {5, 4, 3}, 3, 3, 3},
    {"no factors", {{"A -> B", "=A / (1 + B)"}, {"3 A -> C", "0.1"}, {"B -> A", "2"}, {"C -> A", "A"}, {"C -> B", "0"}},
     {5, 4, 3}, 3, 4, 1},
};

#define FACTOR_EXAMPLES (sizeof factor_examples / sizeof *factor_examples)

static inline ff_ssa_program *program_of_example(const factor_example *e) {
  return program_of(e->reactions, e->initial, e->n_species);
}

/* A complex with `sites` sites, each free, taken or marked; species: its 3^sites states, then a ligand and an enzyme. */
static inline ff_ssa_program *program_of_sites(uint32_t sites) {
  ff_reactions *net;
  ff_error err;
  uint32_t states = 1, n = 0;
  for (uint32_t i = 0; i < sites; i++) states *= 3;
  FF_CHECK_OK(ff_reactions_new(&net, states + 2, 0, states * sites, &err), &err);
  for (uint32_t s = 0; s < states + 2; s++) {
    char name[16];
    snprintf(name, sizeof name, "S%u", s);
    net->names[s] = ff_strndup(name, strlen(name));
    net->initial[s] = s < states ? s % 7 == 0 : 40;
  }
  for (uint32_t s = 0; s < states; s++)
    for (uint32_t i = 0, place = 1; i < sites; i++, place *= 3) {
      const uint32_t state = s / place % 3, to = state < 2 ? s + place : s - 2 * place; /* free -> taken -> marked -> free */
      ff_reaction *r = net->reactions + n++;
      r->name = ff_strndup("", 0);
      r->mass_action = 1;
      FF_CHECK_OK(ff_formula_of_number(&r->rate, state == 0 ? 0.01 : state == 1 ? 0.3 : 0.1 * (1 + i % 2), &err), &err);
      r->reactants = ff_calloc(2, sizeof *r->reactants);
      r->products = ff_calloc(2, sizeof *r->products);
      r->reactants[r->n_reactants++] = (ff_participant){s, 1};
      r->products[r->n_products++] = (ff_participant){to, 1};
      if (state == 0) r->reactants[r->n_reactants++] = (ff_participant){states, 1};
      if (state == 1) {
        r->reactants[r->n_reactants++] = (ff_participant){states + 1, 1};
        r->products[r->n_products++] = (ff_participant){states + 1, 1};
      }
      if (state == 2) r->products[r->n_products++] = (ff_participant){states, 1};
    }
  FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
  return program_of_network(net);
}

static inline void set_unit_reaction(ff_reactions *net, uint32_t r, const ff_participant *in, size_t n_in,
                                     const ff_participant *out, size_t n_out) {
  ff_reaction *reaction = net->reactions + r;
  ff_error err;
  reaction->name = ff_strndup("", 0);
  reaction->mass_action = 1;
  FF_CHECK_OK(ff_formula_of_number(&reaction->rate, 1, &err), &err);
  reaction->reactants = ff_calloc(n_in, sizeof *in);
  reaction->products = ff_calloc(n_out, sizeof *out);
  memcpy(reaction->reactants, in, n_in * sizeof *in);
  memcpy(reaction->products, out, n_out * sizeof *out);
  reaction->n_reactants = (uint32_t)n_in;
  reaction->n_products = (uint32_t)n_out;
}

/* Clusters of up to n molecules that join and break. */
static inline ff_ssa_program *program_of_colloid(uint32_t n) {
  ff_reactions *net;
  ff_error err;
  uint32_t pairs = 0;
  for (uint32_t sum = 2; sum <= n; sum++) pairs += sum / 2;
  FF_CHECK_OK(ff_reactions_new(&net, n, 0, 2 * pairs, &err), &err);
  for (uint32_t s = 0; s < n; s++) {
    char name[16];
    snprintf(name, sizeof name, "S%u", s + 1);
    net->names[s] = ff_strndup(name, strlen(name));
    net->initial[s] = 1 + s % 3;
  }
  uint32_t r = 0;
  for (uint32_t sum = 2; sum <= n; sum++)
    for (uint32_t a = 1; 2 * a <= sum; a++, r++) {
      const ff_participant apart[2] = {{a - 1, 2 * a == sum ? 2 : 1}, {sum - a - 1, 1}}, joined = {sum - 1, 1};
      set_unit_reaction(net, r, apart, 2 * a == sum ? 1 : 2, &joined, 1);
      set_unit_reaction(net, pairs + r, &joined, 1, apart, 2 * a == sum ? 1 : 2);
    }
  FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
  return program_of_network(net);
}

#endif
