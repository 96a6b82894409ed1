#include "ff_exact_internal.h"

#include <stdlib.h>
#include <string.h>

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

/* Until its component is complete, entry i of `leaves` belongs to node i. Then the flag of component c is stored in entry c,
 * which may belong to a node as well. So the component's flag is bit 1, and the node's flag is bit 0. */
static int complete(ff_exact_scc *scc, ff_exact_turn *turn) {
  uint32_t node = scc->post[scc->n_post - 1], c = scc->n_components, member;
  do {
    if (!ff_exact_more(turn, 1)) return 0;
    member = scc->stack[--scc->n_stack];
    scc->component[member] = c + 1;
    if (scc->leaves[member] & 1) scc->leaves[c] |= 2;
  } while (member != node);
  scc->n_components++;
  scc->completing = 0;
  if (scc->n_path) scc->leaves[scc->path[scc->n_path - 1]] |= 1;
  return 1;
}

int ff_exact_scc_run(ff_exact_scc *scc, ff_exact_arrow next, const void *context, uint32_t cost, ff_exact_turn *turn) {
  if (scc->completing && !complete(scc, turn)) return 0;
  while (scc->n_path) {
    if (!ff_exact_more(turn, cost)) return 0;
    uint32_t node = scc->path[scc->n_path - 1], to;
    int found = next(context, node, &scc->cursor[scc->n_path - 1], &to);
    if (found) {
      if (found < 0) continue;
      if (!scc->index[to]) {
        enter(scc, to);
      } else if (scc->component[to]) {
        scc->leaves[node] |= 1;
      } else if (scc->index[to] < scc->low[node]) {
        scc->low[node] = scc->index[to];
      }
      continue;
    }
    scc->post[scc->n_post++] = node;
    scc->n_path--;
    if (scc->low[node] == scc->index[node]) {
      scc->completing = 1;
      if (!complete(scc, turn)) return 0;
    } else if (scc->n_path) {
      uint32_t parent = scc->path[scc->n_path - 1];
      if (scc->low[node] < scc->low[parent]) scc->low[parent] = scc->low[node];
    }
  }
  return 1;
}
