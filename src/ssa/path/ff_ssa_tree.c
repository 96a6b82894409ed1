/* Sums of propensities in a tree of fixed shape. */

#include <stdlib.h>
#include <string.h>

#include "ff_ssa_tree.h"

static uint32_t groups_of(uint32_t n) { return (n + FF_SSA_FAN - 1) / FF_SSA_FAN; }

ff_status ff_ssa_tree_new(ff_ssa_tree *tree, uint32_t n, ff_error *err) {
  memset(tree, 0, sizeof *tree);
  size_t room = 0;
  uint32_t nodes = n > 0 ? n : 1;
  for (;;) {
    tree->first[tree->levels] = (uint32_t)room;
    tree->n[tree->levels++] = nodes;
    room += (size_t)groups_of(nodes) * FF_SSA_FAN;
    if (nodes == 1) break;
    nodes = groups_of(nodes);
  }
  if (room > UINT32_MAX) return ff_error_set(err, FF_ESIZE, "%u reactions are more than this method can number", n);
  tree->value = ff_calloc_aligned(room, sizeof *tree->value);
  tree->stale = ff_calloc(room, 1);
  tree->work = ff_calloc(2 * (size_t)groups_of(tree->n[0]), sizeof *tree->work);
  if (tree->value != NULL && tree->stale != NULL && tree->work != NULL) return FF_OK;
  ff_ssa_tree_free(tree);
  return ff_error_set(err, FF_EMEMORY, "no memory for the propensities of %u reactions", n);
}

void ff_ssa_tree_free(ff_ssa_tree *tree) {
  ff_free_aligned(tree->value);
  free(tree->stale);
  free(tree->work);
  memset(tree, 0, sizeof *tree);
}

/* The sum of a node's children, which are always added in this order. */
static double sum_of(const double *v) { return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7])); }

static void sum_node(ff_ssa_tree *tree, uint32_t level, uint32_t node) {
  tree->value[tree->first[level] + node] = sum_of(tree->value + tree->first[level - 1] + (size_t)node * FF_SSA_FAN);
}

void ff_ssa_tree_sum(ff_ssa_tree *tree) {
  for (uint32_t level = 1; level < tree->levels; level++)
    for (uint32_t node = 0; node < tree->n[level]; node++) sum_node(tree, level, node);
}

/* Marks the parents of nodes; each goes on the list once. Returns the length of the list. */
static size_t parents_of(ff_ssa_tree *tree, uint32_t level, const uint32_t *nodes, size_t n, uint32_t *parents) {
  size_t m = 0;
  for (size_t i = 0; i < n; i++) {
    uint32_t parent = nodes[i] / FF_SSA_FAN;
    uint8_t *stale = tree->stale + tree->first[level] + parent;
    if (!*stale) parents[m++] = parent;
    *stale = 1;
  }
  for (size_t i = 0; i < m; i++) {
    tree->stale[tree->first[level] + parents[i]] = 0;
    sum_node(tree, level, parents[i]);
  }
  return m;
}

void ff_ssa_tree_update(ff_ssa_tree *tree, const uint32_t *leaves, size_t n_leaves) {
  uint32_t *lists[2] = {tree->work, tree->work + groups_of(tree->n[0])};
  const uint32_t *nodes = leaves;
  size_t n = n_leaves;
  for (uint32_t level = 1; level < tree->levels; level++) {
    n = parents_of(tree, level, nodes, n, lists[level % 2]);
    nodes = lists[level % 2];
  }
}

uint32_t ff_ssa_tree_find(const ff_ssa_tree *tree, double at) {
  uint32_t node = 0;
  for (uint32_t level = tree->levels - 1; level > 0; level--) {
    double before[FF_SSA_FAN + 1];
    uint32_t chosen = 0;
    ff_ssa_tree_prefix(before, tree->value + tree->first[level - 1] + (size_t)node * FF_SSA_FAN);
    for (uint32_t i = 1; i < FF_SSA_FAN; i++) chosen += before[i] <= at && before[i] < before[FF_SSA_FAN];
    at -= before[chosen];
    node = node * FF_SSA_FAN + chosen;
  }
  return node;
}
