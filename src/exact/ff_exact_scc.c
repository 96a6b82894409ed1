#include "ff_exact_internal.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

ff_status ff_exact_scc_new(ff_exact_scc *scc, uint32_t n, ff_error *err) {
  memset(scc, 0, sizeof *scc);
  scc->n = n;
  scc->index = ff_calloc(n, sizeof *scc->index);
  scc->low = ff_calloc(n, sizeof *scc->low);
  scc->component = ff_calloc(n, sizeof *scc->component);
  scc->post = ff_calloc(n, sizeof *scc->post);
  scc->stack = ff_calloc(n, sizeof *scc->stack);
  scc->path = ff_calloc(n, sizeof *scc->path);
  scc->cursor = ff_calloc(n, sizeof *scc->cursor);
  scc->leaves = ff_calloc(n, sizeof *scc->leaves);
  if (!scc->index || !scc->low || !scc->component || !scc->post || !scc->stack || !scc->path || !scc->cursor ||
      !scc->leaves) {
    ff_exact_scc_free(scc);
    return ff_error_set(err, FF_EMEMORY, "no memory for the components of %u states", n);
  }
  memset(scc->component, 0xFF, n * sizeof *scc->component);
  return FF_OK;
}

void ff_exact_scc_free(ff_exact_scc *scc) {
  free(scc->index);
  free(scc->low);
  free(scc->component);
  free(scc->post);
  free(scc->stack);
  free(scc->path);
  free(scc->cursor);
  free(scc->leaves);
  memset(scc, 0, sizeof *scc);
}

static void enter(ff_exact_scc *scc, uint32_t node) {
  scc->index[node] = scc->low[node] = ++scc->n_met;
  scc->stack[scc->n_stack++] = node;
  scc->cursor[scc->n_path] = 0;
  scc->path[scc->n_path++] = node;
}

void ff_exact_scc_root(ff_exact_scc *scc, uint32_t node) {
  if (!scc->index[node]) enter(scc, node);
}

/* `leaves` is read per node until its component is complete. The flag of component c then goes to entry c, which a node
 * number may share: so it is kept in bit 1, apart from the nodes' bit 0. */
static void complete(ff_exact_scc *scc, uint32_t node) {
  uint32_t c = scc->n_components++, member;
  int leaves = 0;
  do {
    member = scc->stack[--scc->n_stack];
    scc->component[member] = c;
    leaves |= scc->leaves[member] & 1;
  } while (member != node);
  if (leaves) scc->leaves[c] |= 2;
}

int ff_exact_scc_run(ff_exact_scc *scc, ff_exact_arrow next, const void *context, uint32_t budget) {
  while (scc->n_path && budget--) {
    uint32_t node = scc->path[scc->n_path - 1], to;
    if (next(context, node, &scc->cursor[scc->n_path - 1], &to)) {
      if (!scc->index[to]) {
        enter(scc, to);
      } else if (scc->component[to] != NONE) {
        scc->leaves[node] |= 1;
      } else if (scc->index[to] < scc->low[node]) {
        scc->low[node] = scc->index[to];
      }
      continue;
    }
    scc->post[scc->n_post++] = node;
    scc->n_path--;
    int root = scc->low[node] == scc->index[node];
    if (root) complete(scc, node);
    if (scc->n_path) {
      uint32_t parent = scc->path[scc->n_path - 1];
      if (root)
        scc->leaves[parent] |= 1;
      else if (scc->low[node] < scc->low[parent])
        scc->low[parent] = scc->low[node];
    }
  }
  return scc->n_path == 0;
}
