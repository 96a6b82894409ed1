/* Random reaction networks for tests of kernels. */
#ifndef FF_TESTS_RANDOM_REACTIONS_H
#define FF_TESTS_RANDOM_REACTIONS_H

#include "random.h"
#include "simulations.h"

#define RANDOM_REACTIONS 64u

/* A random network of n reactions, at most RANDOM_REACTIONS, of up to two molecules. The species are named A, B, ..., so there
 * are at most 26. initial[] becomes their counts. */
static inline ff_ssa_program *random_program(uint64_t *state, uint32_t n_species, uint32_t n, double *initial) {
  static char equations[RANDOM_REACTIONS][32], rates[RANDOM_REACTIONS][16];
  reaction_text reactions[RANDOM_REACTIONS + 1];
  for (uint32_t s = 0; s < n_species; s++) initial[s] = (double)below(state, 40);
  for (uint32_t r = 0; r < n; r++) {
    const char a = (char)('A' + below(state, n_species)), b = (char)('A' + below(state, n_species));
    const char c = (char)('A' + below(state, n_species));
    static const char *const forms[] = {"%c -> %c", "%c + %c -> %c", "2 %c -> %c + %c", "%c -> 0", "%c + %c -> 2 %c"};
    snprintf(equations[r], sizeof equations[r], forms[below(state, 5)], a, b, c);
    snprintf(rates[r], sizeof rates[r], "%g", 0.01 * (1 + (double)below(state, 100)));
    reactions[r] = (reaction_text){equations[r], rates[r]};
  }
  reactions[n] = (reaction_text){NULL, NULL};
  return program_of(reactions, initial, n_species);
}

#endif
