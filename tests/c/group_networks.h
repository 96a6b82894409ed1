/* Networks for tests of code for groups of reactions. */
#ifndef FF_TESTS_GROUP_NETWORKS_H
#define FF_TESTS_GROUP_NETWORKS_H

#include "../../src/ssa/rings/ff_ssa_ring.h"
#include "random_reactions.h"

static inline void add_participant(ff_participant *list, uint32_t *n, uint32_t species) {
  if (*n > 0 && list[*n - 1].species == species)
    list[*n - 1].count++;
  else
    list[(*n)++] = (ff_participant){species, 1};
}

/* A reaction in which each of one or two molecules becomes the next species. */
static inline void set_steps(ff_reaction *r, double rate, uint32_t a, uint32_t b) {
  ff_error err;
  r->name = ff_strndup("", 0);
  r->mass_action = 1;
  FF_CHECK_OK(ff_formula_of_number(&r->rate, rate, &err), &err);
  r->reactants = ff_calloc(2, sizeof *r->reactants);
  r->products = ff_calloc(2, sizeof *r->products);
  add_participant(r->reactants, &r->n_reactants, a);
  add_participant(r->products, &r->n_products, a + 1);
  if (b == UINT32_MAX) return;
  add_participant(r->reactants, &r->n_reactants, b);
  add_participant(r->products, &r->n_products, b + 1);
}

/* A chain of 801 species, each of which becomes the next one. Any two molecules of every 80th species react. There are many of
 * the first species, and few others. */
#define STEPS 800u
#define POOL 10u
static inline ff_ssa_program *program_of_steps(void) {
  ff_reactions *net;
  ff_error err;
  uint32_t n = 0;
  FF_CHECK_OK(ff_reactions_new(&net, STEPS + 1, 0, STEPS + POOL * (POOL + 1) / 2, &err), &err);
  for (uint32_t s = 0; s <= STEPS; s++) {
    char name[16];
    snprintf(name, sizeof name, "S%u", s);
    net->names[s] = ff_strndup(name, strlen(name));
    net->initial[s] = s == 0 ? 9000 : s % 16 == 0 ? 3 : 0;
  }
  for (uint32_t s = 0; s < STEPS; s++) set_steps(net->reactions + n++, 0.5, s, UINT32_MAX);
  for (uint32_t i = 0; i < POOL; i++)
    for (uint32_t j = i; j < POOL; j++) set_steps(net->reactions + n++, 1e-5, STEPS / POOL * i, STEPS / POOL * j);
  FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
  return program_of_network(net);
}

/* An epidemic in n regions around a ring: S, I and R of each, infected by the neighbours too. Each region is a group, and all
 * recoveries are one. With distinct recoveries, each is a group, too. */
static inline ff_ssa_program *program_of_regions(uint32_t n, double people, int distinct) {
  ff_reactions *net;
  ff_error err;
  FF_CHECK_OK(ff_reactions_new(&net, 3 * n, 0, 4 * n, &err), &err);
  for (uint32_t s = 0; s < 3 * n; s++) {
    char name[16];
    snprintf(name, sizeof name, "S%u", s);
    net->names[s] = ff_strndup(name, strlen(name));
    net->initial[s] = s % 3 == 0 ? people : s % 3 == 1 && s % 5 == 0 ? 3 : 0;
  }
  for (uint32_t i = 0; i < 4 * n; i++) {
    ff_reaction *r = net->reactions + i;
    const uint32_t region = i / 4, kind = i % 4, from = 3 * region;
    const uint32_t by = 3 * ((region + (kind == 1 ? 1 : kind == 2 ? n - 1 : 0)) % n) + 1;
    const double rate = kind == 3 ? distinct ? 0.1 + 0.001 * region : 0.1 : (kind == 0 ? 0.003 : 0.0003) * 1000 / people;
    r->name = ff_strndup("", 0);
    r->mass_action = 1;
    FF_CHECK_OK(ff_formula_of_number(&r->rate, rate, &err), &err);
    r->reactants = ff_calloc(2, sizeof *r->reactants);
    r->products = ff_calloc(2, sizeof *r->products);
    r->reactants[r->n_reactants++] = (ff_participant){kind == 3 ? from + 1 : from, 1};
    if (kind < 3) r->reactants[r->n_reactants++] = (ff_participant){by, 1};
    if (kind == 3) r->products[r->n_products++] = (ff_participant){from + 2, 1};
    if (kind < 3) r->products[r->n_products++] = (ff_participant){from + 1, kind == 0 ? 2 : 1};
    if (kind == 1 || kind == 2) r->products[r->n_products++] = (ff_participant){by, 1};
    if (r->n_reactants == 2 && r->reactants[0].species > r->reactants[1].species) {
      const ff_participant first = r->reactants[0];
      r->reactants[0] = r->reactants[1];
      r->reactants[1] = first;
    }
    if (r->n_products == 2 && r->products[0].species > r->products[1].species) {
      const ff_participant first = r->products[0];
      r->products[0] = r->products[1];
      r->products[1] = first;
    }
  }
  FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
  ff_ssa_program *program = program_of_network(net);
  ff_ssa_ring_free(program->ring); /* here they are groups */
  program->ring = NULL;
  return program;
}

/* Reactions of many different rates, with pairs of one species. One of `others` reactions has another law. */
static inline ff_ssa_program *random_many(uint64_t *state, uint32_t n_species, uint32_t n, uint32_t others, double *initial) {
  static char equations[400][32], rates[400][40];
  reaction_text reactions[401];
  for (uint32_t s = 0; s < n_species; s++) initial[s] = (double)below(state, 40);
  for (uint32_t r = 0; r < n; r++) {
    const char a = (char)('A' + below(state, n_species)), b = (char)('A' + below(state, n_species));
    const char c = (char)('A' + below(state, n_species));
    static const char *const forms[] = {"%c -> %c", "%c + %c -> %c", "2 %c -> %c + %c", "%c -> 0", "%c + %c -> 2 %c",
                                        "2 %c -> %c"};
    snprintf(equations[r], sizeof *equations, forms[below(state, 6)], a, b, c);
    snprintf(rates[r], sizeof *rates, others > 0 && r % others == 7 ? "=0.1 * A / (1 + B) + %g" : "%g",
             1e-3 * (1 + (double)below(state, 5000)));
  }
  for (uint32_t i = 0; i < n; i++) reactions[i] = (reaction_text){equations[i], rates[i]};
  reactions[n] = (reaction_text){NULL, NULL};
  return program_of(reactions, initial, n_species);
}

/* Few reactions of the first `read` species, whose molecules become at most as many of these. They also make up to five of the
 * other species, which no propensity needs, so that reactions change different numbers of both. */
static inline ff_ssa_program *random_changes(uint64_t *state, uint32_t n_species, uint32_t read, uint32_t n, double *initial) {
  static char equations[16][80];
  static const char *const rates[] = {"1", "0.5", "1.5", "0.02", "0.04"};
  reaction_text reactions[17];
  for (uint32_t s = 0; s < n_species; s++) initial[s] = (double)below(state, 30);
  for (uint32_t r = 0; r < n; r++) {
    const uint32_t a = below(state, read), b = below(state, read), pair = a != b && below(state, 2) == 0;
    char *const text = equations[r];
    int at = snprintf(text, sizeof *equations, pair ? "%c + %c ->" : "%c ->", 'A' + (int)a, 'A' + (int)b);
    const int begin = at;
    if (below(state, 3) == 0) at += snprintf(text + at, sizeof *equations - (size_t)at, " %c", 'A' + (int)below(state, read));
    for (uint32_t i = 0, makes = below(state, 6), s = read; i < makes && s < n_species; i++, s += 1 + below(state, 4))
      at += snprintf(text + at, sizeof *equations - (size_t)at, "%s %u %c", at > begin ? " +" : "", 1 + below(state, 3),
                     'A' + (int)s);
    if (at == begin) snprintf(text + at, sizeof *equations - (size_t)at, " 0");
    reactions[r] = (reaction_text){text, rates[(pair ? 3 : 0) + below(state, 2)]};
  }
  reactions[n] = (reaction_text){NULL, NULL};
  return program_of(reactions, initial, n_species);
}

#endif
