/* Hubs: the greedy cover of the pairs of species by species. */
#include "ff_ssa_factor_hubs.h"

#include <stdlib.h>

/* An end of a pair: 2 * pair, or 2 * pair + 1 for species b. The ends of a node are neighbours in `ends`. */
typedef struct {
  uint32_t class, species, end;
} end_of_pair;

typedef struct {
  ff_ssa_factor_pair *pairs;
  uint32_t n, n_nodes, n_heap;
  end_of_pair *ends;
  uint32_t *first;  /* of each node, in `ends`; n_nodes + 1 entries */
  uint32_t *node;   /* of each end, by its number */
  uint32_t *degree; /* of each node: pairs without a hub */
  uint32_t *key;    /* the degree that a node had when it was put into the heap */
  uint32_t *heap;
  uint8_t *covered; /* for each pair */
} cover;

static int compare_ends(const void *left, const void *right) {
  const end_of_pair *x = left, *y = right;
  if (x->class != y->class) return x->class < y->class ? -1 : 1;
  if (x->species != y->species) return x->species < y->species ? -1 : 1;
  return x->end < y->end ? -1 : x->end > y->end;
}

static int before(const cover *c, uint32_t x, uint32_t y) { return c->key[x] != c->key[y] ? c->key[x] > c->key[y] : x < y; }

static void sift(cover *c, uint32_t at) {
  for (;;) {
    uint32_t best = at;
    for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < c->n_heap; child++)
      if (before(c, c->heap[child], c->heap[best])) best = child;
    if (best == at) return;
    const uint32_t node = c->heap[at];
    c->heap[at] = c->heap[best];
    c->heap[best] = node;
    at = best;
  }
}

static void find_nodes(cover *c) {
  for (uint32_t i = 0; i < c->n; i++) {
    c->ends[2 * i] = (end_of_pair){c->pairs[i].class, c->pairs[i].a, 2 * i};
    c->ends[2 * i + 1] = (end_of_pair){c->pairs[i].class, c->pairs[i].b, 2 * i + 1};
  }
  qsort(c->ends, 2 * (size_t)c->n, sizeof *c->ends, compare_ends);
  for (uint32_t i = 0; i < 2 * c->n; i++) {
    const end_of_pair *e = c->ends + i;
    if (i == 0 || e->class != e[-1].class || e->species != e[-1].species) c->first[c->n_nodes++] = i;
    c->node[e->end] = c->n_nodes - 1;
  }
  c->first[c->n_nodes] = 2 * c->n;
  for (uint32_t i = 0; i < c->n_nodes; i++) {
    c->degree[i] = c->key[i] = c->first[i + 1] - c->first[i];
    c->heap[i] = i;
  }
  c->n_heap = c->n_nodes;
  for (uint32_t i = c->n_nodes; i-- > 0;) sift(c, i);
}

static void take(cover *c, uint32_t node) {
  for (uint32_t i = c->first[node]; i < c->first[node + 1]; i++) {
    const uint32_t end = c->ends[i].end;
    if (c->covered[end / 2]) continue;
    c->covered[end / 2] = 1;
    c->pairs[end / 2].hub = c->ends[i].species;
    c->degree[c->node[end ^ 1]]--;
  }
  c->degree[node] = 0;
}

/* A node at the top of the heap whose degree has become smaller goes down again. */
static void choose(cover *c) {
  while (c->n_heap > 0) {
    const uint32_t node = c->heap[0];
    if (c->degree[node] == c->key[node]) take(c, node);
    c->key[node] = c->degree[node];
    if (c->key[node] == 0) c->heap[0] = c->heap[--c->n_heap];
    sift(c, 0);
  }
}

ff_status ff_ssa_factor_hubs(ff_ssa_factor_pair *pairs, uint32_t n, ff_error *err) {
  if (n == 0) return FF_OK;
  if (n > UINT32_MAX / 2 - 1) return ff_error_set(err, FF_ESIZE, "%u reactions of two species are too many", n);
  const size_t ends = 2 * (size_t)n;
  cover c = {.pairs = pairs, .n = n};
  c.ends = ff_calloc(ends, sizeof *c.ends);
  c.first = ff_calloc(ends + 1, sizeof *c.first);
  c.node = ff_calloc(ends, sizeof *c.node);
  c.degree = ff_calloc(ends, sizeof *c.degree);
  c.key = ff_calloc(ends, sizeof *c.key);
  c.heap = ff_calloc(ends, sizeof *c.heap);
  c.covered = ff_calloc(n, 1);
  ff_status status = FF_OK;
  if (c.ends && c.first && c.node && c.degree && c.key && c.heap && c.covered) {
    find_nodes(&c);
    choose(&c);
  } else {
    status = ff_error_set(err, FF_EMEMORY, "no memory for the factors of %u reactions", n);
  }
  free(c.ends);
  free(c.first);
  free(c.node);
  free(c.degree);
  free(c.key);
  free(c.heap);
  free(c.covered);
  return status;
}
