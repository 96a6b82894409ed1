/* What the files of cme/ share. */
#ifndef FF_CME_INTERNAL_H
#define FF_CME_INTERNAL_H

#include "ff_cme.h"

#define FF_CME_OUTSIDE UINT32_MAX /* the target of an arrow that leaves the projection */

/* A reaction that can fire in a state and changes it. */
typedef struct {
  uint32_t target, reaction;
  double rate; /* above 0 */
} ff_cme_arrow;

typedef struct {
  double p;    /* the probability at the start of the segment */
  double exit; /* the sum of the rates of the arrows */
  double flow; /* while the set is enlarged: an estimate of the probability that comes to a new state */
  size_t first;
  uint32_t n_arrows;
} ff_cme_state;

typedef struct {
  uint32_t species; /* position in `varying` */
  double by;
} ff_cme_change;

/* The states of the projection and their arrows. State i has its counts of varying species at count[i * n_varying]. */
typedef struct {
  uint32_t n;
  ff_cme_state *state;
  double *count;
  ff_cme_arrow *arrow; /* those of state 0, then those of state 1, ... */
  size_t n_arrows;
  size_t state_capacity, count_capacity, arrow_capacity;
  uint32_t *slot; /* a hash table of states with linear probing; a power of two of slots; FF_CME_OUTSIDE if empty */
  size_t n_slots;
} ff_cme_set;

/* The uniformised chain of the projection: y[i] = stay[i] * x[i] + sum of weight[k] * x[column[k]] for k from row[i] to row[i +
 * 1] - 1. leave[e] is the probability that a jump from state edge[e] leaves the projection. */
typedef struct {
  double rate; /* the largest exit rate */
  size_t *row;
  uint32_t *column, *edge;
  double *weight, *stay, *leave;
  uint32_t n_edges, widest; /* widest: the largest number of operands of a row, or of arrows of a state */
  double *x, *y, *sum;
  double *flow; /* for each edge: what has left there in this segment */
  size_t row_capacity, column_capacity, weight_capacity, edge_capacity, stay_capacity, leave_capacity, x_capacity, y_capacity,
      sum_capacity, flow_capacity;
} ff_cme_matrix;

typedef struct {
  double until; /* time on ff_clock() */
  int64_t left, grain;
} ff_cme_turn;

/* What is done next. */
typedef enum {
  FF_CME_IDLE,
  FF_CME_COUNT,   /* the matrix: sizes of rows */
  FF_CME_FILL,    /* the matrix: entries */
  FF_CME_BEGIN,   /* a segment */
  FF_CME_PASS,    /* a jump of the uniformised chain */
  FF_CME_OPEN,    /* enlarges the set */
  FF_CME_RESOLVE, /* finds arrows that no longer leave the set */
  FF_CME_FINISH,  /* a segment */
  FF_CME_NUMBER,  /* drops states: their new numbers */
  FF_CME_MOVE,    /* drops states: moves the others */
  FF_CME_HASH     /* drops states: the new hash table */
} ff_cme_stage;

struct ff_cme {
  const ff_reactions *net;
  double tolerance, end;
  uint32_t max_states;
  uint32_t n_varying, *varying; /* the species whose counts change */
  uint32_t *change_at;          /* change[change_at[r]] ... change[change_at[r + 1] - 1] are the changes by reaction r */
  ff_cme_change *change;
  double *values, *stack, *target; /* values of symbols; the stack of formulas; counts of varying species */
  uint32_t *order;                 /* of the variables */
  ff_cme_set set;
  ff_cme_matrix matrix;
  ff_cme_poisson poisson;
  double time, lost, rounding; /* lost: what has left and what was dropped */

  ff_cme_stage stage;
  uint32_t at;  /* the next state of the stage's loop */
  size_t place; /* the next arrow, when states are moved */
  ff_cme_turn turn;

  double next, allowed, leaving; /* of the segment: its end, how much may leave, how much has left */
  double epsilon;                /* what the Poisson weights of the segment leave out */
  uint32_t jump, counted;        /* the number of jumps so far, and of those for which `leaving` has been computed */
  uint32_t failures;             /* how often the segment was repeated */
  double jumps;                  /* the mean number of jumps that a segment has at most */
  uint32_t layers;               /* by how many layers the set is enlarged */
  uint32_t layer, layer_end;     /* the layer that is opened now, 0 for the edges, and the number of states before it was */
  uint32_t before;               /* the number of states before the set was enlarged */
  int full;                      /* whether a state found no room */
  int strained;                  /* whether segments may use all that is left of the tolerance */
  double droppable;              /* states whose probability is 0 or below this are dropped */
  uint32_t kept;                 /* the number of states that are not */
  uint32_t *number;              /* the new numbers of states */
  size_t number_capacity;
};

/* Returns 1 if an item that takes `cost` operations, of a few nanoseconds each, may be worked on. The first item of a turn always
 * may. */
static inline int ff_cme_more(ff_cme_turn *turn, uint64_t cost) {
  if (turn->left <= 0) {
    if (ff_clock() >= turn->until) return 0;
    turn->left = turn->grain;
  }
  turn->left -= (int64_t)cost;
  return 1;
}

/* ---- ff_cme_states.c ---- */

/* The counts of state i. */
static inline double *ff_cme_counts(const ff_cme *cme, uint32_t i) { return cme->set.count + (size_t)i * cme->n_varying; }

/* Adds a state whose counts are in cme->target; it must be new. Its arrows are all outside at first. Fails with FF_EMODEL if it
 * has an invalid propensity. Amortised O(length of the rates). */
ff_status ff_cme_add(ff_cme *cme, ff_error *err);

/* Adds the targets of all arrows of state i, as far as there is room; else sets cme->full. Targets among the states that were
 * added since the set has been enlarged get their share of `flow`, which leaves state i by all its arrows, or, if `edge`, by
 * those that lead outside. */
ff_status ff_cme_open(ff_cme *cme, uint32_t i, double flow, int edge, ff_error *err);

/* Finds the targets of those arrows of state i that are marked as outside. */
void ff_cme_resolve(ff_cme *cme, uint32_t i);

/* The three loops by which states are dropped. They return 1 when they are finished. */
ff_status ff_cme_drop_begin(ff_cme *cme, ff_error *err);
int ff_cme_drop_number(ff_cme *cme);
int ff_cme_drop_move(ff_cme *cme);
int ff_cme_drop_hash(ff_cme *cme);

/* ---- ff_cme_matrix.c ---- */

/* Build the matrix in two loops. *finished becomes 1 when the loop is finished. */
ff_status ff_cme_matrix_count(ff_cme *cme, int *finished, ff_error *err);
ff_status ff_cme_matrix_fill(ff_cme *cme, int *finished, ff_error *err);
void ff_cme_matrix_free(ff_cme_matrix *matrix);

/* Adds w * x to sum, and, if `jump`, makes y the distribution after a jump from x. Returns 1 when all states are done. */
int ff_cme_pass(ff_cme *cme, double w, int jump);

#endif
