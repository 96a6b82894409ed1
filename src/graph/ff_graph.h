/* Directed graphs as lists of arrows, whatever the model: strongly connected components in a topological order.
 * Stands on base/ alone. The igraph C library is used in ff_graph.c alone, which differs between igraph 0.10 and 1.0.
 */
#ifndef FF_GRAPH_H
#define FF_GRAPH_H

#include "../base/ff_base.h"

typedef struct {
  uint32_t n_components;
  uint32_t *component; /* per node: its component, numbered so that arrows between components run from low to high */
  uint32_t *size;      /* per component: nodes */
  uint8_t *cyclic;     /* per component: 1 where it holds a cycle (more than one node, or a node with an arrow to itself) */
} ff_components;

/* The components of the graph of n nodes in which arrow a runs from from[a] to to[a]. Borrows the arrows; the caller owns the result.
 * One thread at a time. O(n + arrows). */
ff_status ff_graph_components(ff_components **out, uint32_t n, const uint32_t *from, const uint32_t *to, size_t arrows, ff_error *err);

/* Takes NULL. */
void ff_graph_components_free(ff_components *components);

#endif
