/* The choice of a hub for each reaction of two different species. Part of ff_ssa_factor_new(). */
#ifndef FF_SSA_FACTOR_HUBS_H
#define FF_SSA_FACTOR_HUBS_H

#include "../../base/ff_base.h"

/* A reaction of species a and b. Reactions of one class may share a group if they share a hub. */
typedef struct {
  uint32_t class, a, b;
  uint32_t hub; /* result: a or b */
} ff_ssa_factor_pair;

/* Chooses the hubs so that there are few (class, hub): the greedy cover of edges by nodes. The node with the most reactions left
 * is next, and among equals the one with the smallest class and species. O(n log n). */
ff_status ff_ssa_factor_hubs(ff_ssa_factor_pair *pairs, uint32_t n, ff_error *err);

#endif
