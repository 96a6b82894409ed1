/* Simulation of probabilistic Boolean networks: a network and what is to be counted become a program, and tiles of 1,024
 * trajectories run it. Stands on base/, model/ and graph/.
 *
 * Two programs, one meaning:
 *  - sliced: one 1,024-bit row holds one node of a tile's trajectories; a predictor function is a few bitwise operations on
 *    rows or a truth table looked up by rows; for synchronous networks, and asynchronous ones of few functions;
 *  - packed: a trajectory's state is bits in 32-bit words, truth tables are 32-bit words with an array for what exceeds the
 *    first (Mizera, Pang, Yuan, section 3.3), nodes in the order of section 3.4; for the others.
 * What a tile answers depends on (program, key, unit) alone: not on the instruction set, threads, or how steps are
 * divided among calls.
 *
 * Perturbation: the flips of a step are a Poisson number of hits, mean -log(1-p) a site, on uniform sites (perturbable nodes,
 * removed ones included, times trajectories). A site flips when hit at least once, which has probability p, independently
 * of all others; hits are cheap where flips are rare, and their order does not matter. Each number of hits in a draw has its
 * probability to 2^-62, so that perturbations as small as 1e-15 have their rate.
 * Choices: a predictor is chosen by a 64-bit uniform number per trajectory, with probabilities that are right to 2^-62. In sliced
 * programs the next 32 bits are drawn only where the first 8 have not decided, and the last 24 where these have not; in packed
 * programs the last 32 where the first 32 have not.
 */
#ifndef FF_ENGINE_H
#define FF_ENGINE_H

#include "../base/ff_simd.h"
#include "../model/ff_model.h"

#define FF_TILE 1024 /* trajectories in a tile */

typedef enum { FF_LAYOUT_AUTO, FF_LAYOUT_SLICED, FF_LAYOUT_PACKED } ff_layout;

const char *ff_layout_name(ff_layout layout);

/* What to count at every step: observable i is the sum of its terms, each a weight times an expression (0 or 1).
 * A state set is one term of weight 1 (ff_is_set), and for it transitions are counted too. Borrowed, not owned. */
typedef struct {
  uint32_t n;            /* observables */
  const uint32_t *first; /* n + 1 entries into the terms */
  const ff_expr *terms;
  const double *weights; /* per term, in [0, 1] */
} ff_observables;

/* Whether observable i, whose terms are first[i] ... first[i + 1] - 1 with these weights, is a state set. */
static inline int ff_is_set(const uint32_t *first, const double *weights, uint32_t i) {
  return first[i + 1] - first[i] == 1 && weights[first[i]] == 1.0;
}

typedef struct ff_program ff_program;

/* Compiles. `observables` may be NULL. AUTO takes sliced for synchronous networks and for asynchronous ones of at most 256 functions
 * (of a dependent network: nodes and contexts), else packed: a choice that depends on the network alone. Copies what it needs. O(size of the network; 2^k for a table of k inputs). */
ff_status ff_program_new(ff_program **out, const ff_pbn *pbn, const ff_observables *observables, ff_layout wanted,
                         ff_error *err);
void ff_program_free(ff_program *program);

ff_layout ff_program_layout(const ff_program *program);
const char *ff_program_reason(const ff_program *program); /* why this layout, a clause */
uint32_t ff_program_nodes(const ff_program *program);
uint32_t ff_program_terms(const ff_program *program);
uint32_t ff_program_flips(const ff_program *program);     /* nodes that can flip, removed ones included */
uint32_t ff_program_all_nodes(const ff_program *program); /* with those that a reduction removed */
int ff_program_asynchronous(const ff_program *program);

/* 1 where the network's long run cannot depend on its start, whatever that is. So it is where every node can flip but those that
 * are held at a given value, and those exempt ones that follow, without a cycle among themselves, from nodes that can. */
int ff_program_forgets(const ff_program *program);

/* Deterministic nodes (one function, no flips, parents that are such nodes or held) come to a cycle: it is entered
 * by step `settled`, and repeats itself every `period` steps. (A flip elsewhere updates nothing in its trajectory, and delays
 * them.) Period 1 where there are no such nodes, or in an asynchronous network; 0 where it is above 2^20 or takes too long to
 * find. Where nodes start at random, from several starts. O(arrows), and some tenths of a second at most. */
typedef struct {
  uint64_t period, settled;
  int whole; /* all nodes are such nodes, or held */
} ff_clockwork;
ff_status ff_clockwork_find(ff_clockwork *out, const ff_pbn *pbn, ff_error *err);

/* Trajectories of a program that forgets its start shall start in states that differ much from each other: all nodes off, all on,
 * the given start, random ones. Without effect on one that does not. To be called before a tile starts. */
void ff_program_spread(ff_program *program);

double ff_program_perturbation(const ff_program *program); /* 0 where no node can flip */
double ff_program_rarest(const ff_program *program); /* the smallest chance of a step to select a function, or to flip its node */
size_t ff_program_bytes(const ff_program *program);      /* of the program */
size_t ff_program_tile_bytes(const ff_program *program); /* of one tile that runs it */

typedef struct ff_tile ff_tile;

/* A tile is used by one thread at a time and borrows the program. Memory: ff_program_tile_bytes. */
ff_status ff_tile_new(ff_tile **out, const ff_program *program, ff_simd simd, ff_error *err);
void ff_tile_free(ff_tile *tile);

/* Puts the tile's trajectories at step 0: trajectories unit * 1024 ... of the ensemble with this key. */
void ff_tile_start(ff_tile *tile, uint64_t key, uint64_t unit);

/* Overrides the state of one node of one trajectory (for given initial states), to be called right after start. */
void ff_tile_set(ff_tile *tile, uint32_t node, uint32_t lane, int value);
int ff_tile_get(const ff_tile *tile, uint32_t node, uint32_t lane);

/* Runs steps, uncounted or counted. */
void ff_tile_advance(ff_tile *tile, uint64_t steps);
void ff_tile_count(ff_tile *tile, uint64_t steps); /* at most 2^32 - 1 counted steps before they are forgotten */

/* 64 trajectories' values of a term in the present state: after ff_tile_count, and only then. */
uint64_t ff_tile_term_word(const ff_tile *tile, uint32_t term, uint32_t word);

/* What was counted since ff_tile_start or ff_tile_forget; the arrays are the tile's. */
typedef struct {
  uint64_t steps;
  const uint32_t *counts;     /* per term 1,024 numbers: steps after which the term held, per trajectory */
  const uint64_t *changes;    /* per term: steps that changed its value, over all trajectories (state sets only) */
  const uint32_t *before;     /* per term: trajectories in which it held before the first counted step (state sets only) */
  const uint32_t *after;      /* per term: trajectories in which it held after the last one (state sets only) */
} ff_harvest;
ff_harvest ff_tile_harvest(ff_tile *tile);
void ff_tile_forget(ff_tile *tile); /* counting starts anew from the present state */

uint64_t ff_tile_step(const ff_tile *tile);

#endif
