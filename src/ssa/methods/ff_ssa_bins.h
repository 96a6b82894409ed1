/* Bins of weights for composition and rejection (Slepoy, Thompson and Plimpton 2008). */
#ifndef FF_SSA_BINS_H
#define FF_SSA_BINS_H

#include "ff_ssa_bin.h"
#include "../path/ff_ssa_method.h"

/* Items with weights, in bins by the exponents of the weights (ff_ssa_bin.h). The sum of a bin is an exact integer: it
 * never drifts, and does not depend on the order of changes. Finding an item takes a constant number of words on average, as each
 * weight is above half of its bin's bound. */
typedef struct {
  uint32_t first, n;  /* a range of `items` */
  uint32_t up, down;  /* neighbours among the bins that have items; bin 0 is the lowest and always there */
  uint64_t low, high; /* the sum of the significands */
  double weight;
} ff_ssa_bin;

typedef struct {
  uint32_t n, top; /* items, and the highest bin with items */
  double *weight;  /* of each item; at least 0 */
  uint32_t *items, *place;
  ff_ssa_bin *bins;
} ff_ssa_bins;

ff_status ff_ssa_bins_new(ff_ssa_bins *bins, uint32_t n, ff_error *err);
void ff_ssa_bins_free(ff_ssa_bins *bins);
/* Sets all weights to 0. O(n). */
void ff_ssa_bins_clear(ff_ssa_bins *bins);
/* O(bins between the old weight and the new one). */
void ff_ssa_bins_set(ff_ssa_bins *bins, uint32_t item, double weight);
/* The sum of all weights, rounded. O(bins with items). */
double ff_ssa_bins_total(const ff_ssa_bins *bins);
/* An item with a probability in proportion to its weight. The sum of all weights must be above 0 and finite. */
uint32_t ff_ssa_bins_find(const ff_ssa_bins *bins, double total, ff_ssa_words *words);

#endif
