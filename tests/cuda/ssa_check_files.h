/* Files of networks for ssa_check.c, which says what they have. */
#ifndef FF_TESTS_SSA_CHECK_FILES_H
#define FF_TESTS_SSA_CHECK_FILES_H

#include "../c/simulations.h"
#include "../c/text_networks.h"

static inline uint32_t read_list(FILE *file, ff_participant **list, int64_t by[64]) {
  uint32_t n = 0;
  if (fscanf(file, "%u", &n) != 1) n = 0;
  *list = ff_calloc((size_t)n + 8, sizeof **list);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t species = 0;
    long long count = 0;
    FF_CHECK(fscanf(file, "%u %lld", &species, &count) == 2);
    (*list)[i] = (ff_participant){species, (uint32_t)(count > 0 ? count : 0)};
    by[i] = count;
  }
  return n;
}

static inline int by_species(const void *left, const void *right) {
  const ff_participant *a = left, *b = right;
  return a->species < b->species ? -1 : a->species > b->species;
}

static inline void read_reaction(FILE *file, ff_reaction *r) {
  double rate = 0;
  int64_t by[64];
  ff_participant *changes;
  ff_error err;
  FF_CHECK(fscanf(file, "%lf", &rate) == 1);
  r->name = ff_strndup("", 0);
  r->mass_action = 1;
  FF_CHECK_OK(ff_formula_of_number(&r->rate, rate, &err), &err);
  r->n_reactants = read_list(file, &r->reactants, by);
  const uint32_t n = read_list(file, &changes, by);
  r->products = ff_calloc((size_t)r->n_reactants + n + 1, sizeof *r->products);
  for (uint32_t i = 0; i < r->n_reactants; i++) r->products[r->n_products++] = r->reactants[i];
  for (uint32_t i = 0; i < n; i++) {
    uint32_t k = 0;
    while (k < r->n_products && r->products[k].species != changes[i].species) k++;
    if (k == r->n_products) r->products[r->n_products++] = (ff_participant){changes[i].species, 0};
    r->products[k].count += (uint32_t)by[i];
  }
  for (uint32_t i = 0; i < r->n_products;)
    if (r->products[i].count == 0)
      r->products[i] = r->products[--r->n_products];
    else
      i++;
  free(changes);
  qsort(r->products, r->n_products, sizeof *r->products, by_species); /* as an equation has them */
  qsort(r->reactants, r->n_reactants, sizeof *r->reactants, by_species);
}

static inline ff_reactions *read_text(const char *path) {
  FILE *file = fopen(path, "r");
  if (file == NULL) return NULL;
  char *text = ff_calloc(1 << 20, 1);
  text[fread(text, 1, (1 << 20) - 1, file)] = '\0';
  fclose(file);
  ff_reactions *net = text[0] >= 'a' && text[0] <= 'z' ? network_of_text(text) : NULL;
  free(text);
  return net;
}

static inline ff_reactions *read_network(const char *path) {
  uint32_t n_species = 0, n = 0;
  ff_reactions *net = read_text(path);
  if (net != NULL) return net;
  ff_error err;
  FILE *file = fopen(path, "r");
  FF_CHECK_SAY(file != NULL && fscanf(file, "%u %u", &n_species, &n) == 2, "%s cannot be read", path);
  FF_CHECK_OK(ff_reactions_new(&net, n_species, 0, n, &err), &err);
  for (uint32_t s = 0; s < n_species; s++) {
    char name[16];
    snprintf(name, sizeof name, "S%u", s);
    net->names[s] = ff_strndup(name, strlen(name));
    FF_CHECK(fscanf(file, "%lf", &net->initial[s]) == 1);
  }
  for (uint32_t r = 0; r < n; r++) read_reaction(file, net->reactions + r);
  fclose(file);
  FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
  return net;
}

#endif
