/* Monitors: what the pilot looks at besides what was asked for, to find slow motion that a state set hides. Internal to
 * estimate/.
 *
 * A set can come and go quickly, and yet its probability can depend on a slow node that it does not name. So the pilot also
 * follows the nodes themselves, the exclusive or of some pairs of nodes, which catches a slow node that others encode, and predictor
 * functions of several parents: what a node depends on reaches it through these.
 */
#ifndef FF_MONITOR_H
#define FF_MONITOR_H

#include "../ff_engine.h"

typedef struct {
  ff_observables observables; /* what was asked for, then the monitors (one term of weight 1/2 each); copies, owned */
  uint32_t n_asked;
  uint32_t *node[2]; /* per monitor: its node, or the two of a pair; equal where it is one. A function's: its node and UINT32_MAX */
} ff_monitors;

/* At most `most_nodes` nodes, `most_pairs` pairs and `most_functions` functions. Where that is not all: first the nodes in feedback
 * loops, which alone can be slow by themselves; one pair for each node at most; functions evenly. To be given back to
 * ff_monitors_free. O(length of the terms + monitors). */
ff_status ff_monitors_new(ff_monitors *out, const ff_observables *asked, const ff_pbn *pbn, uint32_t most_nodes,
                          uint32_t most_pairs, uint32_t most_functions, ff_error *err);
void ff_monitors_free(ff_monitors *monitors);

#endif
