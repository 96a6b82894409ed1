/* What the files of this folder share: the tables of the chain, its rows, the search for components, and the solver's linear
 * systems.
 *
 * P = G + b I + a U. U is the update by predictor functions; its rows are sparse and computed when needed. G is the part in
 * which at least one kept node flips; it is a product over nodes and never stored. b is the probability that only removed
 * nodes flip, and a is the probability that no node flips. Probabilities are never subtracted from each other, so no digits
 * are lost for small perturbations.
 */
#ifndef FF_EXACT_INTERNAL_H
#define FF_EXACT_INTERNAL_H

#include "ff_exact.h"
#include "ff_exact_pieces.h"

struct ff_exact {
  uint32_t n_nodes;
  uint32_t n_free;   /* bits of a state */
  uint32_t n_states; /* 2^n_free */
  uint32_t *nodes;   /* node of each bit */
  int8_t *bit;       /* bit of each node; FF_HELD_0 or FF_HELD_1 for a held node */

  uint32_t flip_mask; /* the bits that are perturbed; 0 if p = 0 */
  uint32_t flip_bits;
  uint32_t *spread; /* 2^flip_bits states: the orbit of state 0 under flips, that is, all states that flips can make of it */
  double p;
  double flip;   /* probability that at least one kept node flips */
  double idle;   /* b */
  double update; /* a */

  int synchronous;
  /* The values of the functions of free bit i are the `width[i]` bits from bit `slot[i]` on of the state's record, which has
   * `record` words. So computing a row reads one place in memory. The bits of a node are in one word unless there are more
   * than 64. */
  uint32_t *width, *slot;
  size_t record;
  uint64_t *values;
  double *probability; /* for each slot; in asynchronous mode summed over contexts */
  double *chance;      /* probabilities to become 0 and 1, two for each pattern of the node's bits, from 2 * pattern[i] on */
  size_t *pattern;
  size_t words; /* 64-bit words of a bit map over all states */

  uint32_t *base, *vary; /* synchronous and independent, for each state: the bits that become 1 for sure, and a mask of the
                          * bits that are random */
  uint32_t n_contexts;   /* synchronous and dependent */
  double *context_probability;
  uint32_t *context; /* n_contexts rows of n_free slots */
  uint32_t *next;    /* n_contexts rows of n_states successors, or NULL if that would be too large */
  double pick;       /* asynchronous: probability that a given node is selected */
  double pick_none;  /* probability that a held or removed node is selected */

  uint32_t start_mask, start_value; /* free bits with a given initial value, and these values */
  size_t row_max;                   /* length of the longest row of U */
  double row_mean;
  uint32_t row_cost, arrow_cost; /* operations to begin a row, and to find one arrow */

  /* used while the tables are filled */
  const ff_pbn *pbn;
  uint64_t n_slots, word_cost, *stack;
  size_t n_patterns;
  ff_exact_place fill;
};

#define FF_EXACT_PATTERN 10u
#define FF_EXACT_MAX_NEXT (UINT64_C(1) << 26)
#define FF_EXACT_MAX_FACTORS 0x1p25

enum { FF_HELD_0 = -1, FF_HELD_1 = -2 };

/* The values of an expression in the 64 states of word w. `stack` has max(1, expr->depth) words. */
uint64_t ff_exact_word(const ff_exact *ex, const ff_expr *expr, size_t w, uint64_t *stack);

/* Computes row s of U into `to` and `weight`, which have row_max entries, and returns its length. A target may occur more
 * than once. */
uint32_t ff_exact_update_row(const ff_exact *ex, uint32_t s, uint32_t *to, double *weight);

/* Finds the successors of s under U one by one, without weights. *cursor starts at 0. Returns 0 after the last. */
int ff_exact_next(const ff_exact *ex, uint32_t s, uint32_t *cursor, uint32_t *to);

/* The successor of s in context c. */
uint32_t ff_exact_context_next(const ff_exact *ex, uint32_t c, uint32_t s);

/* y += scale * x U over all states, in numeric order. `to` and `weight` are work space of row_max entries. */
int ff_exact_update_all(const ff_exact *ex, const double *x, double scale, double *y, uint32_t *to, double *weight,
                        ff_exact_place *place, ff_exact_turn *turn);

/* The sum over all nonempty sets of flips of x, over one orbit (2^flip_bits entries in the order of `spread`), is computed
 * bit by bit. `out` must be 0 at first; it carries the mass that has flipped at least once. ff_exact_flip() does one bit for
 * the pairs from .. to - 1 of 2^(flip_bits - 1). ff_exact_flips() does the first `bits` bits of an array of 2^bits entries. */
void ff_exact_flip(const ff_exact *ex, uint32_t bit, const double *x, double *out, uint32_t from, uint32_t to);
void ff_exact_flips(const ff_exact *ex, uint32_t bits, const double *x, double *out);

/* ---- components ------------------------------------------------------------------------------------------------- */

/* Tarjan's algorithm on a graph whose arrows are enumerated by a function. It returns 1 and an arrow, 0 after the last arrow,
 * or -1 if it must be called again. */
typedef int (*ff_exact_arrow)(const void *context, uint32_t node, uint64_t *cursor, uint32_t *to);

typedef struct {
  uint32_t n;
  uint32_t *index, *low;  /* 0 = not visited */
  uint32_t *component;    /* 1 + the component's number, in the order of completion: arrows go from high to low numbers */
  uint32_t *post;         /* visited nodes in postorder */
  uint32_t *stack, *path; /* Tarjan's stack, and the depth-first path */
  uint64_t *cursor;       /* for each node on the path */
  uint8_t *leaves;        /* bit 1 of entry c: an arrow leaves component c (bit 0 is for the search itself, for each node) */
  uint32_t n_met, n_post, n_components, n_stack, n_path;
  int completing; /* 1 while the component of the last node in postorder is completed */
} ff_exact_scc;

ff_status ff_exact_scc_new(ff_exact_scc *scc, uint32_t n, ff_error *err);
void ff_exact_scc_free(ff_exact_scc *scc);
/* Starts from a node unless it has been visited. The path must be empty. */
void ff_exact_scc_root(ff_exact_scc *scc, uint32_t node);
/* Continues until the path is empty. Finding an arrow takes `cost` operations. */
int ff_exact_scc_run(ff_exact_scc *scc, ff_exact_arrow next, const void *context, uint32_t cost, ff_exact_turn *turn);

/* ---- dense pieces ----------------------------------------------------------------------------------------------- */

/* The stationary vector of an irreducible chain by the algorithm of Grassmann, Taksar and Heyman. It has no subtraction, so
 * every entry has a small relative error. `flow` has n rows of n entries, of which the diagonal is ignored; it is
 * overwritten. O(n^3). Fails with FF_ECONVERGENCE if the chain is not irreducible. */
ff_status ff_exact_gth(double *pi, double *flow, uint32_t n, ff_error *err);
/* Fails with FF_ECONVERGENCE, because a state is left with a probability that underflows. */
ff_status ff_exact_too_small(ff_error *err);

/* ff_exact_factor() factors an M-matrix in place, without subtraction. The matrix is given by its off-diagonal weights (n
 * rows of n entries; the diagonal is ignored) and its row sums `excess`. O(n^3). ff_exact_solve_factored() then solves y A =
 * v in place. O(n^2). */
void ff_exact_factor(double *a, double *excess, uint32_t n);
void ff_exact_solve_factored(double *v, const double *a, uint32_t n);

/* ---- systems ---------------------------------------------------------------------------------------------------- */

/* Segments are the strongly connected components of U in topological order. States are renumbered so that each segment is a
 * range of positions. Over a range of positions, I - P = M - N. M has the diagonal and all arrows to later positions, and it
 * contains cycles and small components completely. N has the flips and the remaining arrows. T = M^-1 N is a stochastic
 * matrix: the chain observed at flips and backward arrows. If w T = w, then w M^-1 is proportional to the stationary vector
 * of P. */
#define FF_EXACT_DENSE_SEGMENT 48u
#define FF_EXACT_DENSE_CLASS 256u

enum { FF_SEGMENT_OPEN, FF_SEGMENT_CYCLE, FF_SEGMENT_DENSE };

typedef struct {
  const ff_exact *ex;
  const uint32_t *state, *pos; /* state of each position and position of each state; both NULL if positions are states (then T
                                * = P) */
  const uint32_t *segment;     /* starts of all segments, and the end of the last */
  uint32_t seg_first, seg_last;
  uint32_t lo, n;
  uint32_t *orbits; /* the states s with (s & flip_mask) = 0 whose orbits are in the range */
  uint32_t n_orbits;
  double *diag;   /* for each position */
  uint8_t *kind;  /* for each segment of the range */
  size_t *factor; /* for each segment: where its numbers start in `factors` */
  double *factors;
  int closed;   /* no mass leaves the range by flips or arrows, so a component cannot be solved as a whole */
  int has_back; /* an arrow of U may go backwards */
  uint32_t *row_to;
  double *row_weight, *flip_x, *flip_y;

  /* progress of filling or applying, within a segment, and in the flips of an orbit */
  ff_exact_place place, walk, flip;
  uint32_t at_segment, at_orbit, at_bit;
  int solved; /* 1 if the current segment is solved */
  size_t n_factors;
  double excess[FF_EXACT_DENSE_SEGMENT];
} ff_exact_system;

/* A system for the segments seg_first .. seg_last - 1. If `state` is NULL, it has all states in numeric order. `recurrent` is
 * 1 if the segments are one recurrent class. ff_exact_system_new() allocates the system; ff_exact_system_fill() must be
 * called until *done is 1 before the system is applied. The arrays are borrowed. */
ff_status ff_exact_system_new(ff_exact_system *sys, const ff_exact *ex, const uint32_t *state, const uint32_t *pos,
                              const uint32_t *segment, uint32_t seg_first, uint32_t seg_last, int recurrent,
                              ff_error *err);
ff_status ff_exact_system_fill(ff_exact_system *sys, ff_exact_turn *turn, int *done, ff_error *err);
void ff_exact_system_free(ff_exact_system *sys);
/* z = u M^-1 and t = z N. All are distinct arrays of n entries. If T = P, then z = u, and z may be NULL. */
int ff_exact_system_apply(ff_exact_system *sys, const double *u, double *z, double *t, ff_exact_turn *turn);
/* t = z N only. */
int ff_exact_system_n(ff_exact_system *sys, const double *z, double *t, ff_exact_turn *turn);
/* For each arrow of U to a target outside the range, calls out(context, position, mass) with the mass of z * a U on it. */
int ff_exact_system_outflow(ff_exact_system *sys, const double *z, void (*out)(void *, uint32_t, double), void *context,
                            ff_exact_turn *turn);
/* t += x G over the range. */
int ff_exact_system_flips(ff_exact_system *sys, const double *x, double *t, ff_exact_turn *turn);

/* ---- order ------------------------------------------------------------------------------------------------------ */

/* The states that can be reached from the start, sorted: the transient states first, then each recurrent class. Within these,
 * states are sorted by component of U in topological order. */
typedef struct {
  uint32_t *state, *pos; /* state of each position, and position of each state, UINT32_MAX if it cannot be reached */
  uint32_t n_segments;
  uint32_t *segment; /* n_segments + 1 entries */
  uint8_t *closed;   /* for each segment: 1 if no arrow of U leaves it */
  uint32_t n_classes;
  uint32_t *class_first; /* n_classes + 2 entries: the first segment of each class; class 0 has the transient states */
  uint32_t n_closed;

  uint32_t *class_of, *orbit_class, *rank, *fill; /* for each component, until everything is sorted */
  int stage;
  ff_exact_place walk;
} ff_exact_order;

typedef struct {
  const ff_exact *ex;
  ff_exact_scc orbits, states; /* `orbits` is used only if there are both perturbed and unperturbed free nodes */
  int with_orbits, orbits_done;
  uint32_t root;
  int exhausted;
} ff_exact_search;

ff_status ff_exact_search_new(ff_exact_search *search, const ff_exact *ex, ff_error *err);
void ff_exact_search_free(ff_exact_search *search);
int ff_exact_search_run(ff_exact_search *search, ff_exact_turn *turn);
/* Allocates the order. ff_exact_order_run() must then be called until *done is 1, while the search still exists. */
ff_status ff_exact_order_new(ff_exact_order *order, const ff_exact_search *search, ff_error *err);
ff_status ff_exact_order_run(ff_exact_order *order, const ff_exact_search *search, ff_exact_turn *turn, int *done,
                             ff_error *err);
void ff_exact_order_free(ff_exact_order *order);

/* ---- groups ----------------------------------------------------------------------------------------------------- */

/* Aggregation (Koury, McAllister, Stewart 1984). Each closed component of U together with its basin is a group. The flows
 * between groups are sums of positive numbers, so the masses of the groups have small relative errors, however rare the
 * transitions between groups are. */
typedef struct {
  uint32_t n_groups; /* 0, or at least 2 */
  uint32_t *group;   /* for each position of the system */
  double *flow;      /* n_groups rows of n_groups entries */
  double *mass, *scale, *x, *t;

  ff_exact_place place, walk;
  uint32_t at; /* the current segment, later the group whose flips are being counted */
  uint32_t best;
  double heaviest;
  uint32_t most, n_top;
  uint32_t *size, *top; /* size of each group, while there are more than `most`; and the largest groups */
} ff_exact_groups;

/* Finds the groups of a filled system. ff_exact_groups_fill() must be called until *done is 1. */
ff_status ff_exact_groups_new(ff_exact_groups *groups, ff_exact_system *sys, ff_error *err);
ff_status ff_exact_groups_fill(ff_exact_groups *groups, ff_exact_system *sys, const uint8_t *closed, ff_exact_turn *turn,
                               int *done, ff_error *err);
void ff_exact_groups_free(ff_exact_groups *groups);
/* Scales pi group by group. *change is the 1-norm of the change divided by that of pi, or 0 if the flows do not determine the
 * masses. */
int ff_exact_groups_run(ff_exact_groups *groups, ff_exact_system *sys, double *pi, double *change, ff_exact_turn *turn);

/* ---- GMRES ------------------------------------------------------------------------------------------------------ */

/* GMRES: corrects x towards x (I - T) = b. Each step applies T once. */
typedef struct {
  uint32_t n, max;
  double *basis; /* max + 1 rows of n entries */
  double *h, *cosine, *sine, *g;
  const double *unit;
  uint32_t at;
  double start; /* 2-norm at the start of the cycle */

  ff_exact_place place, mass;
  uint32_t against; /* index of the current vector of the basis */
  double before, norm;
} ff_exact_gmres;

/* The number of vectors of n states that a cycle may use: as many as fit into a gigabyte, but at least 6 and at most 100, and
 * at most n. */
static inline uint32_t ff_exact_gmres_room(uint32_t n) {
  double room = (double)(UINT64_C(1) << 30) / 8.0 / n;
  uint32_t restart = room > 100 ? 100 : room < 6 ? 6 : (uint32_t)room;
  return restart < n ? restart : n;
}

ff_status ff_exact_gmres_new(ff_exact_gmres *g, uint32_t n, uint32_t max, ff_error *err);
void ff_exact_gmres_free(ff_exact_gmres *g);
/* Begins a cycle from the residual r. If T is stochastic, `unit` is a vector of mass 1 that must not change until the cycle
 * ends, and corrections have mass 0. Otherwise `unit` is NULL. */
int ff_exact_gmres_begin(ff_exact_gmres *g, const double *r, const double *unit, ff_exact_turn *turn);
/* One step. *ratio is the 2-norm of the estimated residual, divided by that at the start. 0 means solved, or that no further
 * improvement is possible. */
int ff_exact_gmres_step(ff_exact_gmres *g, ff_exact_system *sys, double *z, double *t, double *ratio, ff_exact_turn *turn);
/* Adds the cycle's correction to x. */
int ff_exact_gmres_end(ff_exact_gmres *g, double *x, ff_exact_turn *turn);

/* ---- direct ----------------------------------------------------------------------------------------------------- */

/* Classes that are solved without iteration. `pi`, an entry for each state, gets the total mass `mass`. */
typedef struct {
  double *flow, *x, *weight;
  uint32_t *to;
  double excess[FF_EXACT_DENSE_CLASS]; /* for each row, the probability that a step leaves the states of the class */
  double flips[FF_EXACT_MAX_FREE + 1]; /* the probability that exactly a given set of nodes flips, by the size of the set */
  ff_exact_place place;
} ff_exact_direct;

void ff_exact_direct_free(ff_exact_direct *direct);
/* For up to FF_EXACT_DENSE_CLASS states. Allocates its memory at the first call. */
ff_status ff_exact_direct_dense(ff_exact_direct *direct, const ff_exact *ex, const ff_exact_order *order, uint32_t class_index,
                                double mass, double *pi, ff_exact_turn *turn, int *done, ff_error *err);
/* The expected number of visits to each transient state, for up to FF_EXACT_DENSE_CLASS of them. `visits` has the initial
 * distribution over these states and is replaced. There is no subtraction, so each number has a small relative error, however
 * long the chain stays among them. Allocates its memory at the first call. */
ff_status ff_exact_direct_visits(ff_exact_direct *direct, const ff_exact *ex, const ff_exact_order *order, double *visits,
                                 ff_exact_turn *turn, int *done, ff_error *err);
/* Without flips, a class that is one cycle has a uniform distribution. *is_cycle tells whether the class is a cycle; if not,
 * pi is not changed. */
int ff_exact_direct_cycle(ff_exact_direct *direct, const ff_exact *ex, const ff_exact_order *order, uint32_t class_index,
                          double mass, double *pi, int *is_cycle, ff_exact_turn *turn);

#endif
