/* What happens at one instant: the choice among immediate transitions, and the order of those that are due together. gcc, nvcc
 * and NVRTC compile the same text. All calls take O(1), unless they say otherwise. */
#ifndef FF_PETRI_INSTANT_MATH_H
#define FF_PETRI_INSTANT_MATH_H

#include "ff_petri_draws.h"

/* A number from 0 to 1 that draw `number` of a block gives. */
static FF_HD inline double ff_petri_drawn(uint32_t purpose, uint32_t block, uint64_t number, uint64_t unit, uint64_t key) {
  const ff_philox_block w = ff_philox(ff_philox_counter(purpose, block, number, unit), key);
  return ff_closed(w.v[0], w.v[1]);
}

/* A choice among transitions, which are looked at one after the other: `left` begins as a part of the sum of their weights.
 * Rounding may leave something in the end; then the last one that can fire is chosen. */
typedef struct {
  double left;
  uint32_t chosen;
} ff_petri_choice;

/* Looks at transition k. Returns 0 when it is chosen. */
static FF_HD inline int ff_petri_choice_goes_on(ff_petri_choice *x, uint32_t k, double weight) {
  if (!(weight > 0)) return 1;
  x->chosen = k;
  if (x->left < weight) return 0;
  x->left -= weight;
  return 1;
}

/* Transitions that are due at the same time: number i is list[i * stride]. */
static FF_HD inline void ff_petri_batch_swap(uint32_t *list, size_t stride, uint32_t a, uint32_t b) {
  const uint32_t kept = list[a * stride];
  list[a * stride] = list[b * stride];
  list[b * stride] = kept;
}

/* Puts the first n of them into a random order (Fisher and Yates), with blocks from `block` on. O(n). */
static FF_HD inline void ff_petri_batch_shuffle(uint32_t *list, size_t stride, uint32_t n, uint32_t block, uint64_t batch,
                                                uint64_t unit, uint64_t key) {
  for (uint32_t i = 0; i + 1 < n; i++) {
    const double part = ff_petri_drawn(FF_PETRI_DRAW_ORDER, block + i, batch, unit, key);
    ff_petri_batch_swap(list, stride, i, i + (uint32_t)(part * (n - i)));
  }
}

#endif
