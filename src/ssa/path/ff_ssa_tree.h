/* Sums of propensities. */
#ifndef FF_SSA_TREE_H
#define FF_SSA_TREE_H

#include "../../base/ff_base.h"

/* Sums of propensities in a tree whose inner nodes have FF_SSA_FAN children. Level 0 has the propensities. Its shape depends on
 * the number of reactions alone, and so does the order of all additions: the sums never drift, and have the same bits whichever
 * parts of the tree are computed anew. A sum has a relative error below 3 * levels * 2^-53, as no term is negative. */
#define FF_SSA_FAN 8u
#define FF_SSA_MAX_LEVELS 11

typedef struct {
  uint32_t levels;                    /* at least 1: the last level has one node */
  uint32_t first[FF_SSA_MAX_LEVELS];  /* index of each level's first node in `value` */
  uint32_t n[FF_SSA_MAX_LEVELS];      /* nodes of each level, without those that fill the last group with zeros */
  double *value;
  uint8_t *stale; /* for each node: 1 if it must be summed again; all 0 between updates */
  uint32_t *work; /* stale nodes of one level */
} ff_ssa_tree;

ff_status ff_ssa_tree_new(ff_ssa_tree *tree, uint32_t n, ff_error *err);
void ff_ssa_tree_free(ff_ssa_tree *tree);
/* Sums all levels. O(n). */
void ff_ssa_tree_sum(ff_ssa_tree *tree);
/* Sums what depends on the given leaves, which have new values. O(leaves * levels). */
void ff_ssa_tree_update(ff_ssa_tree *tree, const uint32_t *leaves, size_t n_leaves);
static inline double ff_ssa_tree_total(const ff_ssa_tree *tree) { return tree->value[tree->first[tree->levels - 1]]; }
/* Sums of the first i of a node's children, for i from 1 to FF_SSA_FAN: each is the node's sum with zeros for the other children.
 * So they never decrease, and a child of 0 adds nothing. A `number` is a double or a vector of doubles. */
#define FF_SSA_TREE_PREFIX(number, sum, child)                       \
  do {                                                               \
    const number pair = (child)[4] + (child)[5];                     \
    (sum)[1] = (child)[0];                                           \
    (sum)[2] = (child)[0] + (child)[1];                              \
    (sum)[3] = (sum)[2] + (child)[2];                                \
    (sum)[4] = (sum)[2] + ((child)[2] + (child)[3]);                 \
    (sum)[5] = (sum)[4] + (child)[4];                                \
    (sum)[6] = (sum)[4] + pair;                                      \
    (sum)[7] = (sum)[4] + (pair + (child)[6]);                       \
    (sum)[8] = (sum)[4] + (pair + ((child)[6] + (child)[7]));        \
  } while (0)
static inline void ff_ssa_tree_prefix(double sum[FF_SSA_FAN + 1], const double child[FF_SSA_FAN]) {
  sum[0] = 0;
  FF_SSA_TREE_PREFIX(double, sum, child);
}
/* The leaf at which the cumulative sum of the leaves exceeds `at`, for 0 <= at < total. Its value is above 0. At each node, the
 * last child is taken whose prefix sum is at most `at`; if rounding leaves `at` above the sum of all, the last one above 0.
 * O(levels). */
uint32_t ff_ssa_tree_find(const ff_ssa_tree *tree, double at);

#endif
