/* Simulation of probabilistic Boolean networks. A network and the observables to be counted are compiled to a program, which
 * runs on tiles of 1,024 trajectories. Uses base/ and model/.
 *
 * There are two kinds of programs, which simulate the same process:
 * - sliced: one 1,024-bit row holds the values of one node in all trajectories of a tile. A predictor function is a few
 *   bitwise operations on rows, or a truth table that is looked up for whole rows. For synchronous networks, and asynchronous
 *   ones with few functions.
 * - packed: the state of a trajectory is stored as bits in 32-bit words. A truth table is one 32-bit word, and the words
 *   after the first are in an array (Mizera, Pang, Yuan, section 3.3). Nodes are in the order of section 3.4. For all other
 *   networks.
 *
 * A tile's results depend only on the program, the key and the unit. They do not depend on the instruction set, on threads,
 * or on how steps are divided among calls.
 *
 * Perturbation: the number of hits in a step has a Poisson distribution with mean -log(1-p) per site. Sites are the nodes
 * that can be perturbed, including removed ones, in each trajectory. Each hit is on a uniformly distributed site. A site
 * flips if it is hit at least once; this has probability p and is independent of all other sites. The cost is low if flips
 * are rare, and the order of hits does not matter. The probability of each number of hits is exact to 2^-62, so perturbations
 * as small as 1e-15 have their rate.
 *
 * Choices: a predictor function is selected by a 64-bit uniform number per trajectory, with probabilities that are exact to
 * 2^-62. In sliced programs, the first 8 bits are drawn. The next 32 bits are drawn only if these do not decide, and the last
 * 24 bits only if the 40 bits do not. In packed programs, the last 32 bits are drawn only if the first 32 do not decide.
 */
#ifndef FF_PBN_ENGINE_H
#define FF_PBN_ENGINE_H

#include "../base/ff_simd.h"
#include "../model/ff_model.h"

#define FF_TILE 1024 /* trajectories in a tile */

typedef enum { FF_LAYOUT_AUTO, FF_LAYOUT_SLICED, FF_LAYOUT_PACKED } ff_layout;

/* "auto", "sliced" or "packed". A constant string. */
const char *ff_layout_name(ff_layout layout);

/* The observables to be counted at every step. Observable i is the sum of its terms, each a weight times the value (0 or 1)
 * of an expression. A state set is one term of weight 1 (ff_is_set()); its transitions are counted too. All arrays are
 * borrowed. */
typedef struct {
  uint32_t n;            /* number of observables */
  const uint32_t *first; /* n + 1 entries: the terms of observable i are first[i] to first[i + 1] - 1 */
  const ff_expr *terms;
  const double *weights; /* for each term, in [0, 1] */
} ff_observables;

/* 1 if observable i, with the terms first[i] ... first[i + 1] - 1 and these weights, is a state set. */
static inline int ff_is_set(const uint32_t *first, const double *weights, uint32_t i) {
  return first[i + 1] - first[i] == 1 && weights[first[i]] == 1.0;
}

typedef struct ff_pbn_program ff_pbn_program;

/* Compiles a network. `observables` may be NULL. FF_LAYOUT_AUTO chooses a sliced program for synchronous networks and for
 * asynchronous networks with at most 256 functions (for a dependent network: nodes and contexts), else a packed one. This
 * choice depends only on the network. Nothing is borrowed afterwards. The caller frees *out with ff_pbn_program_free(), which
 * accepts NULL. O(size of the network), and O(2^k) for a truth table of k inputs. */
ff_status ff_pbn_program_new(ff_pbn_program **out, const ff_pbn *pbn, const ff_observables *observables, ff_layout wanted,
                             ff_error *err);
void ff_pbn_program_free(ff_pbn_program *program);

/* Properties of a program, O(1) each. */
ff_layout ff_pbn_program_layout(const ff_pbn_program *program);
const char *ff_pbn_program_reason(const ff_pbn_program *program); /* why this layout was chosen, as a clause */
uint32_t ff_pbn_program_nodes(const ff_pbn_program *program);
uint32_t ff_pbn_program_terms(const ff_pbn_program *program);
uint32_t ff_pbn_program_flips(const ff_pbn_program *program);     /* number of nodes that can flip, including removed ones */
uint32_t ff_pbn_program_all_nodes(const ff_pbn_program *program); /* number of nodes, including those that a reduction removed */
int ff_pbn_program_asynchronous(const ff_pbn_program *program);

/* 1 if the network's long run does not depend on its start, whatever that is. This holds if every node can flip, or is held
 * at a given value, or is exempt from perturbation and depends, without a cycle among such nodes, on nodes that can flip. */
int ff_pbn_program_forgets(const ff_pbn_program *program);

/* The clockwork of a network is its deterministic nodes: those with one function, no flips, and parents that are
 * deterministic or held. They enter a cycle by step `settled` and repeat it every `period` steps. (If another node flips,
 * no node of that trajectory is updated in that step, which delays them.) The period is 1 if there are no such nodes or the
 * network is asynchronous. It is 0 if it exceeds 2^20 or takes too long to find. If nodes start at random, several starts
 * are tried. O(arrows), and a few tenths of a second at most. */
typedef struct {
  uint64_t period, settled;
  int whole; /* 1 if every node is deterministic or held */
} ff_clockwork;
ff_status ff_clockwork_find(ff_clockwork *out, const ff_pbn *pbn, ff_error *err);

/* Lets trajectories start in states that differ much from each other: all nodes off, all on, the given start, and random
 * ones. It has an effect only if the program forgets its start (ff_pbn_program_forgets()), and must be called before a tile
 * starts. O(nodes). */
void ff_pbn_program_spread(ff_pbn_program *program);

double ff_pbn_program_perturbation(const ff_pbn_program *program); /* 0 if no node can flip */
double ff_pbn_program_still(const ff_pbn_program *program);        /* the probability that no node flips in a step; only then do
                                                            * predictor functions act */
uint32_t ff_pbn_program_waiting(const ff_pbn_program *program);    /* number of nodes that change only in such steps */
double ff_pbn_program_rarest(const ff_pbn_program *program);       /* the smallest probability, per step,
that a given function acts or
                                                            * its node flips */
size_t ff_pbn_program_bytes(const ff_pbn_program *program);      /* memory of the program */
size_t ff_pbn_program_tile_bytes(const ff_pbn_program *program); /* memory of one tile that runs it */

typedef struct ff_tile ff_tile;

/* Makes a tile. The program is borrowed and must outlive the tile. Only one thread at a time may use a tile. Its memory is
 * ff_pbn_program_tile_bytes(). FF_EARGUMENT if the processor does not support `simd`. The caller frees it with ff_tile_free(),
 * which accepts NULL. */
ff_status ff_tile_new(ff_tile **out, const ff_pbn_program *program, ff_simd simd, ff_error *err);
void ff_tile_free(ff_tile *tile);

/* Puts the tile at step 0. Its trajectories are number unit * 1024 to unit * 1024 + 1023 of the ensemble with this key.
 * O(nodes * 1024). */
void ff_tile_start(ff_tile *tile, uint64_t key, uint64_t unit);

/* Sets the state of one node in one trajectory, to start from given states. Must be called right after ff_tile_start(). */
void ff_tile_set(ff_tile *tile, uint32_t node, uint32_t lane, int value);
int ff_tile_get(const ff_tile *tile, uint32_t node, uint32_t lane);
/* Copies the values of all nodes: FF_TILE / 64 words for each node, a bit for each trajectory. O(nodes * FF_TILE / 64), and for a
 * packed program O(nodes * FF_TILE). */
void ff_tile_rows(uint64_t *rows, const ff_tile *tile);

/* Run steps without and with counting. The time is proportional to the steps and to the size of the program. */
void ff_tile_advance(ff_tile *tile, uint64_t steps);
void ff_tile_count(ff_tile *tile, uint64_t steps); /* at most 2^32 - 1 counted steps until ff_tile_forget() */

/* The values of a term in the current state, for 64 trajectories. Only valid after ff_tile_count(). */
uint64_t ff_tile_term_word(const ff_tile *tile, uint32_t term, uint32_t word);

/* The counts since ff_tile_start() or ff_tile_forget(). The arrays belong to the tile. */
typedef struct {
  uint64_t steps;
  const uint32_t *counts;     /* 1,024 numbers for each term: after how many steps it was 1, for each trajectory */
  const uint64_t *changes;    /* for each term: the number of steps that changed its value, over all trajectories (state sets
                               * only) */
  const uint32_t *before;     /* for each term: the number of trajectories in which it was 1 before the first counted step
                               * (state sets only) */
  const uint32_t *after;      /* for each term: the number of trajectories in which it was 1 after the last counted step
                               * (state sets only) */
} ff_harvest;
ff_harvest ff_tile_harvest(ff_tile *tile);
void ff_tile_forget(ff_tile *tile); /* restarts counting from the current state */

uint64_t ff_tile_step(const ff_tile *tile);

#endif
