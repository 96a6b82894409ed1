/* Structure of a network: dependency graph, strongly connected components, reduction and the order of a layout.
 * Stands on base/ and model/; the igraph C library is behind ff_graph.c alone, which differs between igraph 0.10 and 1.0.
 */
#ifndef FF_GRAPH_H
#define FF_GRAPH_H

#include "../model/ff_model.h"

/* Strongly connected components of the dependency graph (an arrow from every parent to its child). */
typedef struct {
  uint32_t n_components;
  uint32_t *component; /* per node: its component, numbered so that arrows between components run from low to high */
  uint32_t *size;      /* per component: nodes */
  uint8_t *cyclic;     /* per component: 1 where it holds a cycle (more than one node, or a node its own parent) */
} ff_components;

/* O(nodes + arrows). */
ff_status ff_graph_components(ff_components **out, const ff_pbn *pbn, ff_error *err);
void ff_graph_components_free(ff_components *components);

/* The arrows, each once, sorted by (to, from): two new arrays that the caller frees. */
ff_status ff_graph_arrows(uint32_t **from, uint32_t **to, size_t *n_arrows, const ff_pbn *pbn, ff_error *err);

/* SCC reduction (Mizera, Pang, Yuan, section 4): keep[i] becomes 1 for the nodes of every component that holds a node of
 * interest or from which one can be reached, else 0. `keep` is the caller's, n_nodes long. O(nodes + arrows). */
ff_status ff_graph_keep(uint8_t *keep, const ff_pbn *pbn, const uint32_t *of_interest, uint32_t n, ff_error *err);

/* The network of the kept nodes, in their old order; what went is counted in removed_nodes and removed_perturbed (on top of
 * what the network had removed before). In a dependent network all contexts stay. FF_EMODEL where a kept node has a parent
 * that is not kept. `kept` (may be NULL) gets the old index of each node that stays, n_nodes of the result long. */
ff_status ff_graph_reduce(ff_pbn **out, uint32_t *kept, const ff_pbn *pbn, const uint8_t *keep, ff_error *err);

/* Reorder-and-split (section 3.4): order[] (caller's, n_nodes long) lists the nodes in ascending order of their number of
 * predictor functions (ties: bytes, then index); *split is how many of the first ones have tables and parent lists that
 * fit in fast_bytes together. O(n log n). */
ff_status ff_graph_order(uint32_t *order, uint32_t *split, const ff_pbn *pbn, size_t fast_bytes, ff_error *err);

#endif
