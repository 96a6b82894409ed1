/* Networks of replicated modules, for tests. */
#ifndef FF_TESTS_RING_EXAMPLES_H
#define FF_TESTS_RING_EXAMPLES_H

#include "../../src/ssa/rings/ff_ssa_ring.h"
#include "simulations.h"

/* `count` molecules of species `species` of the module at an offset; count 0 ends a list. */
typedef struct {
  uint32_t species;
  int32_t offset;
  uint32_t count;
} module_part;

/* A kind of reactions with mass action; the rate 0 ends a list. */
typedef struct {
  double rate;
  module_part in[4], out[4];
} module_reaction;

typedef struct {
  const char *what;
  uint32_t n_species, terms, kinds; /* terms: what the analysis should find */
  module_reaction reactions[16];
  uint32_t start[8]; /* most molecules of each species at the start */
} ring_example;

static const ring_example ring_examples[] = {
    {"SIR", 3, 2, 4,
     {{0.003, {{0, 0, 1}, {1, 0, 1}}, {{1, 0, 2}}},
      {0.0003, {{0, 0, 1}, {1, 1, 1}}, {{1, 0, 1}, {1, 1, 1}}},
      {0.0003, {{0, 0, 1}, {1, -1, 1}}, {{1, 0, 1}, {1, -1, 1}}},
      {0.1, {{1, 0, 1}}, {{2, 0, 1}}}},
     {300, 5, 0}},
    {"a walk", 1, 1, 2, {{2, {{0, 0, 1}}, {{0, 1, 1}}}, {1, {{0, 0, 1}}, {{0, -1, 1}}}}, {6}},
    {"immigration and pairs", 2, 4, 5,
     {{1.5, {{0, 0, 0}}, {{0, 0, 1}}},
      {0.1, {{0, 0, 2}}, {{1, 0, 1}}},
      {0.7, {{1, 0, 1}}, {{0, 1, 1}, {0, -1, 1}}},
      {0.2, {{0, 0, 1}, {0, 1, 1}}, {{1, 1, 1}}},
      {0.7, {{1, 0, 1}}, {{0, 0, 0}}}},
     {9, 4}},
    {"several hubs", 4, 5, 9,
     {{0.01, {{0, 0, 1}, {1, 0, 1}}, {{2, 0, 1}}},
      {0.03, {{0, 0, 1}, {1, 2, 1}}, {{2, 0, 1}, {1, 2, 1}}},
      {0.01, {{0, 0, 1}, {2, -3, 1}}, {{0, 0, 1}, {3, -3, 1}}},
      {0.02, {{3, 0, 1}, {2, 0, 1}}, {{0, 0, 1}, {1, 0, 1}}},
      {0.5, {{2, 0, 1}}, {{0, 0, 1}, {1, 0, 1}}},
      {0.25, {{3, 0, 1}}, {{2, -1, 1}}},
      {0.4, {{1, 0, 1}}, {{1, 4, 1}}},
      {0.005, {{3, 0, 2}}, {{1, 0, 2}}},
      {0.25, {{3, 0, 1}}, {{3, 1, 1}}}},
     {40, 30, 10, 5}},
};
#define RING_EXAMPLES (sizeof ring_examples / sizeof *ring_examples)

static inline uint32_t module_kinds_of(const ring_example *e) {
  uint32_t n = 0;
  while (n < 16 && e->reactions[n].rate > 0) n++;
  return n;
}

static inline int compare_participants(const void *left, const void *right) {
  const ff_participant *x = left, *y = right;
  return x->species < y->species ? -1 : x->species > y->species;
}

/* Parts of the same species become one. */
static inline uint32_t participants_of(const ring_example *e, uint32_t m, int across, uint32_t j, const module_part *parts,
                                       ff_participant *out) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < 4 && parts[i].count > 0; i++) {
    const uint32_t to = (uint32_t)(((int64_t)j + parts[i].offset + 4 * (int64_t)m) % m);
    const uint32_t species = across ? parts[i].species * m + to : to * e->n_species + parts[i].species;
    uint32_t at = 0;
    while (at < n && out[at].species != species) at++;
    if (at == n) out[n++] = (ff_participant){species, 0};
    out[at].count += parts[i].count;
  }
  qsort(out, n, sizeof *out, compare_participants);
  return n;
}

/* m copies of a module. Species k of module j is number j * n_species + k, or k * m + j; the reactions are listed by modules, or
 * by kinds. Without the ring's last reactions (those that leave it at its end), if it is open. The initial counts are below
 * e->start, and differ between the modules. */
static inline ff_reactions *network_of_modules(const ring_example *e, uint32_t m, int across, int by_kind) {
  const uint32_t kinds = module_kinds_of(e);
  ff_reactions *net;
  ff_error err;
  FF_CHECK_OK(ff_reactions_new(&net, m * e->n_species, 0, m * kinds, &err), &err);
  for (uint32_t s = 0; s < m * e->n_species; s++) {
    char name[16];
    snprintf(name, sizeof name, "S%u", s);
    net->names[s] = ff_strndup(name, strlen(name));
    const uint32_t k = across ? s / m : s % e->n_species, most = e->start[k];
    net->initial[s] = most == 0 ? 0 : most - (s * 7 + s / 3) % (most < 4 ? most : 4);
  }
  for (uint32_t i = 0; i < m * kinds; i++) {
    const module_reaction *from = e->reactions + (by_kind ? i / m : i % kinds);
    const uint32_t j = by_kind ? i % m : i / kinds;
    ff_reaction *r = net->reactions + i;
    r->name = ff_strndup("", 0);
    r->mass_action = 1;
    FF_CHECK_OK(ff_formula_of_number(&r->rate, from->rate, &err), &err);
    r->reactants = ff_calloc(4, sizeof *r->reactants);
    r->products = ff_calloc(4, sizeof *r->products);
    r->n_reactants = participants_of(e, m, across, j, from->in, r->reactants);
    r->n_products = participants_of(e, m, across, j, from->out, r->products);
  }
  FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
  return net;
}

static inline ff_ssa_program *program_of_modules(const ring_example *e, uint32_t m, int across, int by_kind) {
  return program_of_network(network_of_modules(e, m, across, by_kind));
}

#endif
