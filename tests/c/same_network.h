/* Compares two networks, either bit for bit or by their meaning. Used by the tests and the fuzzers of io/. */
#ifndef FF_TESTS_SAME_NETWORK_H
#define FF_TESTS_SAME_NETWORK_H

#include <stdlib.h>
#include <string.h>

#include "../../src/model/ff_model.h"

static inline int same_expr(const ff_expr *a, const ff_expr *b) {
  return a->length == b->length && a->depth == b->depth && memcmp(a->code, b->code, a->length * sizeof *a->code) == 0;
}

/* Whether two expressions have the same values in `states` random states (seeded), or in all states if there are few nodes. */
static inline int same_meaning(const ff_expr *a, const ff_expr *b, uint32_t n_nodes, uint32_t states) {
  if (n_nodes < 8) states = 1u << n_nodes;
  uint32_t depth = a->depth > b->depth ? a->depth : b->depth, words = n_nodes / 32 + 1, seed = 1;
  uint8_t *stack = malloc(depth);
  uint32_t *state = calloc(words, sizeof *state);
  int same = stack != NULL && state != NULL;
  for (uint32_t s = 0; s < states && same; s++) {
    for (uint32_t w = 0; w < words; w++) {
      seed = seed * 1664525u + 1013904223u;
      state[w] = n_nodes < 8 ? s : (seed >> 16) ^ (seed << 13);
    }
    same = ff_expr_value(a, state, stack) == ff_expr_value(b, state, stack);
  }
  free(stack);
  free(state);
  return same;
}

/* exact: all members of ff_pbn must be equal, to the last bit and character; otherwise names, probabilities, and the meaning of
 * the functions. */
static inline int same_network(const ff_pbn *a, const ff_pbn *b, int exact) {
  if (a->n_nodes != b->n_nodes) return 0;
  uint32_t n = a->n_nodes;
  for (uint32_t i = 0; i < n; i++) {
    if (strcmp(a->names[i], b->names[i]) != 0 || a->first[i + 1] != b->first[i + 1]) return 0;
    if (exact && (a->perturbed[i] != b->perturbed[i] || a->initial[i] != b->initial[i])) return 0;
  }
  for (uint32_t f = 0; f < a->first[n]; f++) {
    const ff_predictor *x = &a->predictors[f], *y = &b->predictors[f];
    if (x->probability != y->probability) return 0;
    if (exact ? !same_expr(&x->expr, &y->expr) : !same_meaning(&x->expr, &y->expr, n, 128)) return 0;
  }
  if (!exact) return 1;
  if (a->perturbation != b->perturbation || a->update != b->update || a->n_contexts != b->n_contexts) return 0;
  if (a->removed_nodes != b->removed_nodes || a->removed_perturbed != b->removed_perturbed) return 0;
  return a->n_contexts == 0 ||
         (memcmp(a->context, b->context, sizeof *a->context * a->n_contexts * n) == 0 &&
          memcmp(a->context_probability, b->context_probability, sizeof(double) * a->n_contexts) == 0);
}

#endif
