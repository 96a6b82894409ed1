/* Monitors: observables that only the pilot counts, to find slow motion that a state set does not show. Internal to
 * pbn/estimate/.
 *
 * A set may be entered and left often, although its probability depends on a slow node that it does not name. So the pilot
 * also counts the nodes themselves, the exclusive or of some pairs of nodes, which shows a slow node that others encode, and
 * predictor functions of several parents, through which a node depends on others.
 */
#ifndef FF_MONITOR_H
#define FF_MONITOR_H

#include "../ff_pbn_engine.h"

typedef struct {
  ff_observables observables; /* the observables asked for, then the monitors (one term of weight 1/2 each); copies, owned */
  uint32_t n_asked;
  uint32_t *node[2]; /* for each monitor: its node twice, or the two nodes of a pair, or a function's node and UINT32_MAX */
} ff_monitors;

/* Chooses at most `most_nodes` nodes, `most_pairs` pairs and `most_functions` functions. If these are not all, nodes in
 * feedback loops are taken first, because only these can be slow by themselves; each node is the first node of at most one
 * pair; and functions are taken evenly. The caller frees the contents of *out with ff_monitors_free(). O(size of the network
 * + length of the terms + monitors). */
ff_status ff_monitors_new(ff_monitors *out, const ff_observables *asked, const ff_pbn *pbn, uint32_t most_nodes,
                          uint32_t most_pairs, uint32_t most_functions, ff_error *err);
void ff_monitors_free(ff_monitors *monitors);

#endif
