/* Pairs of nodes that the pilot watches at some instants of its window. Internal to pbn/estimate/.
 *
 * Two nodes may encode a slow quantity in their exclusive or, although neither is slow. It can matter only if a predictor
 * function or a requested set reads both nodes. So these pairs are watched, and nodes that have no monitor (ff_monitor.h). A
 * monitor counts every step. Instants cost little and show slow changes as well, because these last long compared with the time
 * between instants. They do not tell fast periods from slow changes, so only networks that forget their start are watched in
 * this way.
 */
#ifndef FF_PAIRS_H
#define FF_PAIRS_H

#include "../ff_pbn_engine.h"
#include "ff_pbn_tally.h"

#define FF_PAIR_INSTANTS 8u /* in each half window */

/* What is watched: the exclusive or of two nodes, or a node, which is then in both lists. The struct owns the lists. */
typedef struct {
  uint32_t n;
  uint32_t *node[2];
} ff_pairs;

/* Lists the nodes from number `first_node` on and the pairs that a function or a term of `asked` reads, at most `most` in all.
 * If these are more, they are taken evenly; of a function with many parents, only the first 32 are considered, and no functions
 * after 2^22 pairs. The caller frees the contents of *out with ff_pairs_free(). O(n log n) for n pairs before repeats are
 * dropped. */
ff_status ff_pairs_new(ff_pairs *out, const ff_observables *asked, const ff_pbn *pbn, uint32_t first_node, uint32_t most,
                       ff_error *err);
void ff_pairs_free(ff_pairs *pairs);

/* How often each of them was 1 at the instants of each half window, in the trajectories of one tile. */
typedef struct {
  uint64_t *count; /* for each pair and half: four rows of 1,024 bits, the lowest bits of the counts first */
  uint64_t *rows;  /* a row for each node, at one instant */
  uint32_t taken;  /* instants so far, in both halves */
} ff_pair_counts;

ff_status ff_pair_counts_new(ff_pair_counts *out, const ff_pairs *pairs, uint32_t n_nodes, ff_error *err);
void ff_pair_counts_free(ff_pair_counts *counts);
void ff_pair_counts_clear(ff_pair_counts *counts, const ff_pairs *pairs);

/* The step of a window at which the next instant is due; the halves have half[0] and half[1] steps. */
uint64_t ff_pair_counts_next(const ff_pair_counts *counts, const uint64_t half[2]);

/* Counts the tile's present state as the next instant. O(pairs * 1,024 / 64). */
void ff_pair_counts_take(ff_pair_counts *counts, const ff_pairs *pairs, const ff_tile *tile);

/* The moments of a pair over the tiles of the pilot, as for an observable with one term of weight 1/2: mean, gap, gap_se,
 * half_cov, half_var and visited. `visits` is the number of trajectories that showed the rarer value, on average over the
 * halves. */
ff_moments ff_pair_moments(const ff_pair_counts *const *tiles, uint32_t n_tiles, uint32_t pair);

#endif
