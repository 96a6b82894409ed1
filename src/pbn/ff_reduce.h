/* The dependency graph of a network: its arrows and components, reduction, and the order of a layout.
 * Stands on base/, model/ and graph/.
 */
#ifndef FF_REDUCE_H
#define FF_REDUCE_H

#include "../graph/ff_graph.h"
#include "../model/ff_model.h"

/* The arrows (from every parent to its child), each once, sorted by (to, from): two new arrays that the caller frees.
 * O(nodes + a log a) for a arrows. */
ff_status ff_pbn_arrows(uint32_t **from, uint32_t **to, size_t *n_arrows, const ff_pbn *pbn, ff_error *err);

/* The strongly connected components of these arrows; the caller owns the result. O(nodes + arrows). */
ff_status ff_pbn_components(ff_components **out, const ff_pbn *pbn, ff_error *err);

/* SCC reduction (Mizera, Pang, Yuan, section 4): keep[i] becomes 1 for the nodes of every component that holds a node of
 * interest or from which one can be reached, else 0. `keep` is the caller's, n_nodes long. O(nodes + arrows). */
ff_status ff_pbn_keep(uint8_t *keep, const ff_pbn *pbn, const uint32_t *of_interest, uint32_t n, ff_error *err);

/* The network of the kept nodes, in their old order; removed_nodes and removed_perturbed count the others (on top of those that the
 * network had removed before). In a dependent network all contexts stay. FF_EMODEL where a kept node has a parent
 * that is not kept. `kept` (may be NULL) gets the old index of each node that stays, n_nodes of the result long. */
ff_status ff_pbn_reduce(ff_pbn **out, uint32_t *kept, const ff_pbn *pbn, const uint8_t *keep, ff_error *err);

/* Reorder-and-split (section 3.4): order[] (caller's, n_nodes long) lists the nodes in ascending order of their number of
 * predictor functions (ties: bytes, then index); *split is how many of the first ones have tables and parent lists that
 * fit in fast_bytes together. O(n log n). */
ff_status ff_pbn_order(uint32_t *order, uint32_t *split, const ff_pbn *pbn, size_t fast_bytes, ff_error *err);

#endif
