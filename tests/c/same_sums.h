/* Whether two sums over trajectories have the same bits. */
#ifndef FF_TESTS_SAME_SUMS_H
#define FF_TESTS_SAME_SUMS_H

#include <stdlib.h>
#include <string.h>

#include "../../src/ensemble/ff_sums.h"

/* Lists both histograms. They cannot be added to afterwards. */
static inline int histograms_are_same(ff_frequency *a, ff_frequency *b) {
  const size_t n = a->used;
  if (n != b->used) return 0;
  double *x = (double *)calloc(4 * n + 1, sizeof *x); /* nvcc compiles this, too */
  ff_frequency_list(a, x, x + n);
  ff_frequency_list(b, x + 2 * n, x + 3 * n);
  const int same = memcmp(x, x + 2 * n, 2 * n * sizeof *x) == 0;
  free(x);
  return same;
}

/* Whether both are missing, or have the same bytes. */
static inline int bytes_are_same(const void *a, const void *b, size_t bytes) {
  return a == NULL || b == NULL ? a == b : memcmp(a, b, bytes) == 0;
}

/* Whether moments, products and histograms are the same. */
static inline int sums_are_same(ff_sums *a, ff_sums *b) {
  const size_t times = a->n_times, n = a->n_observed, pairs = times * (n * (n - 1) / 2);
  if (a->n_times != b->n_times || a->n_counts != b->n_counts || a->n_reals != b->n_reals) return 0;
  int same = bytes_are_same(a->counts, b->counts, times * a->n_counts * sizeof *a->counts) &&
             bytes_are_same(a->reals, b->reals, times * a->n_reals * sizeof *a->reals) &&
             bytes_are_same(a->products, b->products, pairs * 2 * sizeof *a->products) &&
             bytes_are_same(a->real_products, b->real_products, pairs * sizeof *a->real_products) &&
             (a->frequency == NULL) == (b->frequency == NULL);
  for (size_t i = 0; same && a->frequency != NULL && i < times * n; i++)
    same = histograms_are_same(a->frequency + i, b->frequency + i);
  return same;
}

#endif
