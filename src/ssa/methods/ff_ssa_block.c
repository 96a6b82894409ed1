/* The search in three levels of Komarov and D'Souza (2012): a block holds the sum of some reactions, and a superblock that of
 * some blocks. Each has about the cube root of the number of reactions as members. After a step, the blocks with new
 * propensities are added up again, so sums do not drift. */
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_finders.h"
#include "../path/ff_ssa_method.h"

enum { LEVELS = 3 };

typedef struct {
  uint32_t fan;
  uint32_t n[LEVELS];     /* reactions, blocks, superblocks */
  double *sum[LEVELS];    /* sum[0] are the propensities */
  uint8_t *stale[LEVELS]; /* for each block and superblock: 1 if it must be added up; all 0 between steps */
  uint32_t *work[LEVELS]; /* stale blocks and superblocks */
} blocks;

static void drop(ff_ssa_path *path) {
  blocks *b = path->own;
  if (b == NULL) return;
  for (int k = 0; k < LEVELS; k++) {
    if (k > 0) free(b->sum[k]);
    free(b->stale[k]);
    free(b->work[k]);
  }
  free(b);
}

static uint32_t cube_root(uint32_t n) {
  uint32_t root = 1;
  while ((uint64_t)root * root * root < n) root++;
  return root;
}

static ff_status make(ff_ssa_path *path, ff_error *err) {
  blocks *b = path->own = ff_calloc(1, sizeof *b);
  if (b == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for blocks of propensities");
  uint32_t n = path->program->n_reactions;
  b->fan = cube_root(n);
  path->propensity = b->sum[0] = ff_calloc(n, sizeof *b->sum[0]); /* freed with the path */
  int missing = b->sum[0] == NULL;
  b->n[0] = n;
  for (int k = 1; k < LEVELS; k++) {
    b->n[k] = n = (n + b->fan - 1) / b->fan;
    b->sum[k] = ff_calloc(n, sizeof *b->sum[k]);
    b->stale[k] = ff_calloc(n, sizeof *b->stale[k]);
    b->work[k] = ff_calloc(n, sizeof *b->work[k]);
    missing |= b->sum[k] == NULL || b->stale[k] == NULL || b->work[k] == NULL;
  }
  return missing ? ff_error_set(err, FF_EMEMORY, "no memory for blocks of %u propensities", b->n[0]) : FF_OK;
}

static void add_up(blocks *b, int level, uint32_t node) {
  const uint32_t first = node * b->fan, left = b->n[level - 1] - first, n = left < b->fan ? left : b->fan;
  b->sum[level][node] = ff_ssa_sum(b->sum[level - 1] + first, n);
}

/* Adds up the parents of nodes, and lists them in the work of their level. */
static uint32_t add_up_parents(blocks *b, int level, const uint32_t *nodes, size_t n) {
  uint32_t listed = 0;
  for (size_t i = 0; i < n; i++) {
    const uint32_t parent = nodes[i] / b->fan;
    if (!b->stale[level][parent]) b->work[level][listed++] = parent;
    b->stale[level][parent] = 1;
  }
  for (uint32_t i = 0; i < listed; i++) {
    b->stale[level][b->work[level][i]] = 0;
    add_up(b, level, b->work[level][i]);
  }
  return listed;
}

/* The member of a node at which the cumulative sum exceeds *at, which becomes what is left. */
static uint32_t search(const blocks *b, int level, uint32_t node, double *at) {
  const uint32_t first = level < LEVELS ? node * b->fan : 0, left = b->n[level - 1] - first;
  const uint32_t n = level < LEVELS && left > b->fan ? b->fan : left;
  return (uint32_t)ff_ssa_search_terms(b->sum[level - 1], NULL, first, first + n, at);
}

static void find(ff_ssa_path *path) {
  blocks *b = path->own;
  double at;
  uint32_t node = 0;
  if (!ff_ssa_path_choose(path, ff_ssa_sum(b->sum[LEVELS - 1], b->n[LEVELS - 1]), &at)) return;
  for (int level = LEVELS; level > 0; level--) node = search(b, level, node, &at);
  path->next = node;
}

static void begin(ff_ssa_path *path) {
  blocks *b = path->own;
  ff_ssa_path_compute(path);
  for (int level = 1; level < LEVELS; level++)
    for (uint32_t node = 0; node < b->n[level]; node++) add_up(b, level, node);
  find(path);
}

static void go_on(ff_ssa_path *path) {
  blocks *b = path->own;
  size_t n;
  const uint32_t *nodes = ff_ssa_path_update(path, &n);
  for (int level = 1; level < LEVELS; level++) {
    n = add_up_parents(b, level, nodes, n);
    nodes = b->work[level];
  }
  find(path);
}

const ff_ssa_finder ff_ssa_finder_block = {make, drop, begin, go_on};
