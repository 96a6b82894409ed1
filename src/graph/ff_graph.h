/* Directed graphs as lists of arrows, independent of any model: strongly connected components in topological order. Uses
 * base/ only. Only ff_graph.c uses the igraph C library, versions 0.10 and 1.0. */
#ifndef FF_GRAPH_H
#define FF_GRAPH_H

#include "../base/ff_base.h"

typedef struct {
  uint32_t n_components;
  uint32_t *component; /* for each node: its component; components are numbered so that arrows between them go from low to
                        * high */
  uint32_t *size;      /* for each component: its number of nodes */
  uint8_t *cyclic;     /* for each component: 1 if it has a cycle (more than one node, or a node with an arrow to itself) */
} ff_components;

/* Finds the strongly connected components of the graph of n nodes in which arrow a goes from from[a] to to[a]. The arrows are
 * borrowed. The caller frees *out with ff_graph_components_free(). Only one thread may call this at a time. O(n + arrows). */
ff_status ff_graph_components(ff_components **out, uint32_t n, const uint32_t *from, const uint32_t *to, size_t arrows,
                              ff_error *err);

/* Frees the components. Accepts NULL. */
void ff_graph_components_free(ff_components *components);

#endif
