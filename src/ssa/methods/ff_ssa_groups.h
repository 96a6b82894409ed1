/* Groups of weights for composition and rejection (Slepoy, Thompson and Plimpton 2008). */
#ifndef FF_SSA_GROUPS_H
#define FF_SSA_GROUPS_H

#include "ff_ssa_group.h"
#include "../path/ff_ssa_method.h"

/* Items with weights, in groups by the exponents of the weights (ff_ssa_group.h). The sum of a group is an exact integer: it
 * never drifts, and does not depend on the order of changes. Finding an item takes a constant number of words on average, as each
 * weight is above half of its group's bound. */
typedef struct {
  uint32_t first, n;  /* a range of `items` */
  uint32_t up, down;  /* neighbours among the groups that have items; group 0 is the lowest and always there */
  uint64_t low, high; /* the sum of the significands */
  double weight;
} ff_ssa_group;

typedef struct {
  uint32_t n, top; /* items, and the highest group with items */
  double *weight;  /* of each item; at least 0 */
  uint32_t *items, *place;
  ff_ssa_group *groups;
} ff_ssa_groups;

ff_status ff_ssa_groups_new(ff_ssa_groups *groups, uint32_t n, ff_error *err);
void ff_ssa_groups_free(ff_ssa_groups *groups);
/* Sets all weights to 0. O(n). */
void ff_ssa_groups_clear(ff_ssa_groups *groups);
/* O(groups between the old weight and the new one). */
void ff_ssa_groups_set(ff_ssa_groups *groups, uint32_t item, double weight);
/* The sum of all weights, rounded. O(groups with items). */
double ff_ssa_groups_total(const ff_ssa_groups *groups);
/* An item with a probability in proportion to its weight. The sum of all weights must be above 0 and finite. */
uint32_t ff_ssa_groups_find(const ff_ssa_groups *groups, double total, ff_ssa_words *words);

#endif
