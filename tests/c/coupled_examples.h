/* Networks whose events change many propensities. The caller frees the programs. */
#ifndef FF_TESTS_COUPLED_EXAMPLES_H
#define FF_TESTS_COUPLED_EXAMPLES_H

#include "simulations.h"
#include "text_networks.h"

/* A ring of n species. All reactions read one of three further species. */
static inline ff_ssa_program *program_of_hubs(uint32_t n) {
  enum { LINE = 64 };
  char *text = ff_calloc(2 * (size_t)n + 3, LINE), *at = text;
  for (uint32_t i = 0; i < n; i++) at += sprintf(at, "species;S%u;%u\n", i, i % 3);
  for (uint32_t i = 0; i < 3; i++) at += sprintf(at, "species;H%u;2\n", i);
  for (uint32_t i = 0; i < n; i++)
    at += sprintf(at, "reaction;S%u + H%u -> S%u + H%u;%u\n", i, i % 3, (i + 1) % n, i / 3 % 3, 1 + i % 2);
  ff_ssa_program *program = program_of_network(network_of_text(text));
  free(text);
  return program;
}

/* Clusters of up to n molecules, which become larger: the rates are formulas. */
static inline ff_ssa_program *program_of_laws(uint32_t n) {
  enum { LINE = 96 };
  char *text = ff_calloc((size_t)n * n, LINE), *at = text;
  for (uint32_t i = 1; i <= n; i++) at += sprintf(at, "species;A%u;%u\n", i, i == 1 ? 60 : 0);
  for (uint32_t i = 1; i <= n; i++)
    for (uint32_t j = i; i + j <= n; j++)
      at += sprintf(at, "law;A%u + A%u -> A%u;0.01 * A%u * max(A%u - %d, 0) / (1 + A1 / 50)\n", i, j, i + j, i, j, i == j);
  ff_ssa_program *program = program_of_network(network_of_text(text));
  free(text);
  return program;
}

#endif
