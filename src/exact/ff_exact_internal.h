/* What the files of this folder share: the chain's tables, its rows, component search, and the linear systems of the solver.
 *
 * P = G + b I + a U. U is the update by predictor functions (sparse rows, made when asked for). G flips at least one kept
 * node (a product over nodes, never stored). b is the chance that only removed nodes flip, a that nothing flips. No
 * difference is ever taken of probabilities, so small perturbations lose no digits.
 */
#ifndef FF_EXACT_INTERNAL_H
#define FF_EXACT_INTERNAL_H

#include "ff_exact.h"
#include "ff_exact_pieces.h"

struct ff_exact {
  uint32_t n_nodes;
  uint32_t n_free;   /* bits of a state */
  uint32_t n_states; /* 2^n_free */
  uint32_t *nodes;   /* bit -> node */
  int8_t *bit;       /* node -> bit; FF_HELD_0 or FF_HELD_1 for a held node */

  uint32_t flip_mask; /* the bits that are perturbed; 0 when p = 0 */
  uint32_t flip_bits;
  uint32_t *spread; /* 2^flip_bits states: the orbit of state 0 under flips */
  double p;
  double flip;   /* at least one kept node flips */
  double idle;   /* b */
  double update; /* a */

  int synchronous;
  /* The functions of free bit i fill `width[i]` bits from bit `slot[i]` on of the state's record (`record` words each), so
   * that a row reads one place in memory; no node's bits cross a word unless it has more than FF_EXACT_PATTERN. */
  uint32_t *width, *slot;
  size_t record;
  uint64_t *values;
  double *probability; /* per slot; marginal over contexts in asynchronous mode */
  double *chance;      /* chances to become 0 and 1, two for each pattern of the node's bits, from 2 * pattern[i] on */
  size_t *pattern;
  size_t words; /* 64-bit words of a truth map over all states */

  uint32_t *base, *vary; /* synchronous, independent, per state: bits that are sure, mask of those that are not */
  uint32_t n_contexts;   /* synchronous, dependent */
  double *context_probability;
  uint32_t *context; /* n_contexts x n_free slots */
  uint32_t *next;    /* n_contexts x n_states successors, or NULL where that would be too large */
  double pick;       /* asynchronous: chance of one node */
  double pick_none;  /* chance of a held or removed node */

  uint32_t start_mask, start_value; /* free bits with a definite initial value */
  size_t row_max;                   /* longest row of U */
  double row_mean;
  uint32_t row_cost, arrow_cost; /* operations to begin a row, and to find one arrow */

  /* for filling the tables */
  const ff_pbn *pbn;
  uint64_t n_slots, word_cost, *stack;
  size_t n_patterns;
  ff_exact_place fill;
};

#define FF_EXACT_PATTERN 10u
#define FF_EXACT_MAX_NEXT (UINT64_C(1) << 26)
#define FF_EXACT_MAX_FACTORS 0x1p25

enum { FF_HELD_0 = -1, FF_HELD_1 = -2 };

/* The values of an expression in the 64 states of word w; `stack` has max(1, expr->depth) words. */
uint64_t ff_exact_word(const ff_exact *ex, const ff_expr *expr, size_t w, uint64_t *stack);

/* Row s of U: fills `to` and `weight` (row_max long) and returns how many; targets may repeat. */
uint32_t ff_exact_update_row(const ff_exact *ex, uint32_t s, uint32_t *to, double *weight);

/* Walks the successors of s under U without weights: *cursor starts at 0; 0 when there are no more. */
int ff_exact_next(const ff_exact *ex, uint32_t s, uint32_t *cursor, uint32_t *to);

/* The successor of s in context c. */
uint32_t ff_exact_context_next(const ff_exact *ex, uint32_t c, uint32_t s);

/* y += scale * x U over all states, in numeric order. `to`, `weight` are scratch, row_max long. */
int ff_exact_update_all(const ff_exact *ex, const double *x, double scale, double *y, uint32_t *to, double *weight,
                        ff_exact_place *place, ff_exact_turn *turn);

/* Sums over the nonempty flips of x, over one orbit (2^flip_bits entries in `spread` order), go bit by bit: `out`, 0 to begin
 * with, carries the mass that has flipped at least once. One bit's part for the pairs from .. to - 1 of 2^(flip_bits - 1), and
 * the first `bits` bits over an array of 2^bits. */
void ff_exact_flip(const ff_exact *ex, uint32_t bit, const double *x, double *out, uint32_t from, uint32_t to);
void ff_exact_flips(const ff_exact *ex, uint32_t bits, const double *x, double *out);

/* ---- components ------------------------------------------------------------------------------------------------- */

/* Tarjan's algorithm on a graph whose arrows are asked for one by one: 1 and an arrow, 0 after the last, -1 to ask again. */
typedef int (*ff_exact_arrow)(const void *context, uint32_t node, uint64_t *cursor, uint32_t *to);

typedef struct {
  uint32_t n;
  uint32_t *index, *low;  /* 0 = not met */
  uint32_t *component;    /* 1 + its number, in the order in which they were completed: arrows run from high to low */
  uint32_t *post;         /* nodes met, in postorder */
  uint32_t *stack, *path; /* Tarjan's stack; the depth-first path */
  uint64_t *cursor;       /* per node on the path */
  uint8_t *leaves;        /* bit 1 of entry c: an arrow leaves component c (bit 0 is the search's own, per node) */
  uint32_t n_met, n_post, n_components, n_stack, n_path;
  int completing; /* the component of the last node in postorder */
} ff_exact_scc;

ff_status ff_exact_scc_new(ff_exact_scc *scc, uint32_t n, ff_error *err);
void ff_exact_scc_free(ff_exact_scc *scc);
/* Starts from a node if it has not been met; only when the path is empty. */
void ff_exact_scc_root(ff_exact_scc *scc, uint32_t node);
/* Until the path is empty. An arrow takes `cost` operations to find. */
int ff_exact_scc_run(ff_exact_scc *scc, ff_exact_arrow next, const void *context, uint32_t cost, ff_exact_turn *turn);

/* ---- dense pieces ----------------------------------------------------------------------------------------------- */

/* Stationary vector of an irreducible chain by the elimination of Grassmann, Taksar and Heyman: no subtraction, so every
 * entry is relatively accurate. `flow` (n x n, row by row, diagonal ignored) is overwritten. O(n^3). FF_ECONVERGENCE where
 * the chain is not irreducible. */
ff_status ff_exact_gth(double *pi, double *flow, uint32_t n, ff_error *err);

/* Factors an M-matrix given by its off-diagonal weights (n x n, diagonal ignored) and its row sums `excess`, in place and
 * without subtraction; then solves y A = v in place. O(n^3), O(n^2). */
void ff_exact_factor(double *a, double *excess, uint32_t n);
void ff_exact_solve_factored(double *v, const double *a, uint32_t n);

/* ---- systems ---------------------------------------------------------------------------------------------------- */

/* Segments are the strongly connected components of U in topological order; states are renumbered ("positions") so that
 * each is a range. I - P = M - N over a range of positions: M holds the diagonal, all arrows to later positions, and
 * cycles and small components whole; N holds flips and what is left. T = M^-1 N is a stochastic matrix, the chain observed
 * at flips and back arrows, and w T = w gives the stationary vector of P as w M^-1. */
#define FF_EXACT_DENSE_SEGMENT 48u
#define FF_EXACT_DENSE_CLASS 256u

enum { FF_SEGMENT_OPEN, FF_SEGMENT_CYCLE, FF_SEGMENT_DENSE };

typedef struct {
  const ff_exact *ex;
  const uint32_t *state, *pos; /* position <-> state; both NULL where positions are states (T = P then) */
  const uint32_t *segment;     /* starts of all segments, one more than there are */
  uint32_t seg_first, seg_last;
  uint32_t lo, n;
  uint32_t *orbits; /* the states s with (s & flip_mask) = 0 whose orbits lie in the range */
  uint32_t n_orbits;
  double *diag;   /* per position */
  uint8_t *kind;  /* per segment of the range */
  size_t *factor; /* per segment: where its numbers start in `factors` */
  double *factors;
  int closed;   /* no mass leaves by flips or arrows: a component cannot be solved whole */
  int has_back; /* an arrow of U may run backwards */
  uint32_t *row_to;
  double *row_weight, *flip_x, *flip_y;

  /* where filling or applying stands, in a segment, and in the flips of an orbit */
  ff_exact_place place, walk, flip;
  uint32_t at_segment, at_orbit, at_bit;
  int solved; /* the segment at hand */
  size_t n_factors;
  double excess[FF_EXACT_DENSE_SEGMENT];
} ff_exact_system;

/* The segments seg_first .. seg_last - 1; with state NULL all states in numeric order. `recurrent`: they are one recurrent
 * class. Takes the memory; to be filled until *done before it is applied. */
ff_status ff_exact_system_new(ff_exact_system *sys, const ff_exact *ex, const uint32_t *state, const uint32_t *pos,
                              const uint32_t *segment, uint32_t seg_first, uint32_t seg_last, int recurrent,
                              ff_error *err);
ff_status ff_exact_system_fill(ff_exact_system *sys, ff_exact_turn *turn, int *done, ff_error *err);
void ff_exact_system_free(ff_exact_system *sys);
/* z = u M^-1, t = z N; n entries each, all distinct arrays. Where T = P, z = u may be NULL. */
int ff_exact_system_apply(ff_exact_system *sys, const double *u, double *z, double *t, ff_exact_turn *turn);
/* t = z N alone. */
int ff_exact_system_n(ff_exact_system *sys, const double *z, double *t, ff_exact_turn *turn);
/* Adds z * a U to targets outside the range: calls out(context, position, mass). */
int ff_exact_system_outflow(ff_exact_system *sys, const double *z, void (*out)(void *, uint32_t, double), void *context,
                            ff_exact_turn *turn);
/* t += x G over the range. */
int ff_exact_system_flips(ff_exact_system *sys, const double *x, double *t, ff_exact_turn *turn);

/* ---- order ------------------------------------------------------------------------------------------------------ */

/* The states that the start can reach, sorted: transient ones first, then each recurrent class, and within these by
 * component of U in topological order. */
typedef struct {
  uint32_t *state, *pos; /* position -> state; state -> position, UINT32_MAX where it cannot be reached */
  uint32_t n_segments;
  uint32_t *segment; /* n_segments + 1 */
  uint8_t *closed;   /* per segment: no arrow of U leaves it */
  uint32_t n_classes;
  uint32_t *class_first; /* n_classes + 2: class c's segments; class 0 are the transient states */
  uint32_t n_closed;

  uint32_t *class_of, *orbit_class, *rank, *fill; /* per component, until all is sorted */
  int stage;
  ff_exact_place walk;
} ff_exact_order;

typedef struct {
  const ff_exact *ex;
  ff_exact_scc orbits, states; /* `orbits` only where flips and unperturbed free nodes meet */
  int with_orbits, orbits_done;
  uint32_t root;
  int exhausted;
} ff_exact_search;

ff_status ff_exact_search_new(ff_exact_search *search, const ff_exact *ex, ff_error *err);
void ff_exact_search_free(ff_exact_search *search);
int ff_exact_search_run(ff_exact_search *search, ff_exact_turn *turn);
/* Takes the memory; to be sorted until *done while the search is there. */
ff_status ff_exact_order_new(ff_exact_order *order, const ff_exact_search *search, ff_error *err);
ff_status ff_exact_order_run(ff_exact_order *order, const ff_exact_search *search, ff_exact_turn *turn, int *done,
                             ff_error *err);
void ff_exact_order_free(ff_exact_order *order);

/* ---- groups ----------------------------------------------------------------------------------------------------- */

/* Aggregation (Koury, McAllister, Stewart 1984): each closed component of U with its basin is a group. The flows between
 * groups are sums of positive numbers, so the groups' masses come out relatively accurate however rare the jumps. */
typedef struct {
  uint32_t n_groups; /* 0 or at least 2 */
  uint32_t *group;   /* per position of the system */
  double *flow;      /* n_groups x n_groups */
  double *mass, *scale, *x, *t;

  ff_exact_place place, walk;
  uint32_t at; /* the segment at hand, then the group whose flips are counted */
  uint32_t best;
  double heaviest;
  uint32_t most, n_top;
  uint32_t *size, *top; /* per group, while there are more than `most`; the largest ones */
} ff_exact_groups;

/* Finds the groups of a filled system until *done. */
ff_status ff_exact_groups_new(ff_exact_groups *groups, ff_exact_system *sys, ff_error *err);
ff_status ff_exact_groups_fill(ff_exact_groups *groups, ff_exact_system *sys, const uint8_t *closed, ff_exact_turn *turn,
                               int *done, ff_error *err);
void ff_exact_groups_free(ff_exact_groups *groups);
/* Rescales pi group by group; *change is the 1-norm of the change relative to pi's, or 0 where the flows cannot tell. */
int ff_exact_groups_run(ff_exact_groups *groups, ff_exact_system *sys, double *pi, double *change, ff_exact_turn *turn);

/* ---- GMRES ------------------------------------------------------------------------------------------------------ */

/* Corrects x towards x (I - T) = b; one application of T a step. */
typedef struct {
  uint32_t n, max;
  double *basis; /* (max + 1) x n */
  double *h, *cosine, *sine, *g;
  const double *unit;
  uint32_t at;
  double start; /* 2-norm at the start of the cycle */

  ff_exact_place place, mass;
  uint32_t against; /* the vector of the basis at hand */
  double before, norm;
} ff_exact_gmres;

/* Vectors of n states that a cycle may use: a gigabyte, but 6 at least. */
static inline uint32_t ff_exact_gmres_room(uint32_t n) {
  double room = (double)(UINT64_C(1) << 30) / 8.0 / n;
  uint32_t restart = room > 100 ? 100 : room < 6 ? 6 : (uint32_t)room;
  return restart < n ? restart : n;
}

ff_status ff_exact_gmres_new(ff_exact_gmres *g, uint32_t n, uint32_t max, ff_error *err);
void ff_exact_gmres_free(ff_exact_gmres *g);
/* Begins a cycle from the residual r. Where T is stochastic, `unit` is a vector of mass 1 that stays as it is until the
 * cycle ends, and corrections have mass 0; else NULL. */
int ff_exact_gmres_begin(ff_exact_gmres *g, const double *r, const double *unit, ff_exact_turn *turn);
/* One step; *ratio is the estimated residual's 2-norm over that at the start. 0 means solved (or nothing left to gain). */
int ff_exact_gmres_step(ff_exact_gmres *g, ff_exact_system *sys, double *z, double *t, double *ratio, ff_exact_turn *turn);
/* Adds the correction of the cycle to x. */
int ff_exact_gmres_end(ff_exact_gmres *g, double *x, ff_exact_turn *turn);

/* ---- direct ----------------------------------------------------------------------------------------------------- */

/* Classes that need no iteration. `pi`, per state, gets `mass` in all. */
typedef struct {
  double *flow, *x, *weight;
  uint32_t *to;
  double flips[FF_EXACT_MAX_FREE + 1]; /* the chance of flipping a given set, by its size */
  ff_exact_place place;
} ff_exact_direct;

void ff_exact_direct_free(ff_exact_direct *direct);
/* Up to FF_EXACT_DENSE_CLASS states; takes memory where it has none yet. */
ff_status ff_exact_direct_dense(ff_exact_direct *direct, const ff_exact *ex, const ff_exact_order *order, uint32_t class_index,
                                double mass, double *pi, ff_exact_turn *turn, int *done, ff_error *err);
/* Without flips a class that is one cycle is visited evenly; *is_cycle tells, and pi is as it was where it is none. */
int ff_exact_direct_cycle(ff_exact_direct *direct, const ff_exact *ex, const ff_exact_order *order, uint32_t class_index,
                          double mass, double *pi, int *is_cycle, ff_exact_turn *turn);

#endif
