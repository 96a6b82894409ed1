/* The dependency graph of a network: its arrows and components, reduction, and the order of nodes in a packed program. Uses
 * base/, model/ and graph/. */
#ifndef FF_REDUCE_H
#define FF_REDUCE_H

#include "../../graph/ff_graph.h"
#include "../../model/ff_model.h"

/* The arrows of a network, from each parent to its child, without repeats, sorted by (to, from). *from and *to are new arrays
 * that the caller frees. O(nodes + a log a) for a arrows. */
ff_status ff_pbn_arrows(uint32_t **from, uint32_t **to, size_t *n_arrows, const ff_pbn *pbn, ff_error *err);

/* The strongly connected components of these arrows. The caller frees *out with ff_graph_components_free(). O(nodes + a log
 * a). */
ff_status ff_pbn_components(ff_components **out, const ff_pbn *pbn, ff_error *err);

/* SCC reduction (Mizera, Pang, Yuan, section 4). Sets keep[i] to 1 for all nodes of each component that contains a node of
 * interest or from which one can be reached, and to 0 for all others. The caller provides keep[] with n_nodes entries.
 * O(nodes + a log a) for a arrows. */
ff_status ff_pbn_keep(uint8_t *keep, const ff_pbn *pbn, const uint32_t *of_interest, uint32_t n, ff_error *err);

/* Makes the network of the kept nodes, in their old order. removed_nodes and removed_perturbed count the others, in addition
 * to those that were removed before. A dependent network keeps all its contexts. Fails with FF_EMODEL if a kept node has a
 * parent that is not kept. `kept`, unless it is NULL, must have an entry for each node that is kept and gets its old index.
 * The caller frees *out with ff_pbn_free(). O(size of the network). */
ff_status ff_pbn_reduce(ff_pbn **out, uint32_t *kept, const ff_pbn *pbn, const uint8_t *keep, ff_error *err);

/* Reorder-and-split (section 3.4). order[], which the caller provides with n_nodes entries, gets the nodes in ascending order
 * of their number of predictor functions; ties are ordered by size in bytes, then by index. *split is how many of the first
 * nodes have tables and parent lists that together fit into fast_bytes. O(n log n). */
ff_status ff_pbn_order(uint32_t *order, uint32_t *split, const ff_pbn *pbn, size_t fast_bytes, ff_error *err);

#endif
