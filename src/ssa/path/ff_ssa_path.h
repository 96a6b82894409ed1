/* A trajectory that is being simulated: its state, and what methods and events of the network do with it. */
#ifndef FF_SSA_PATH_H
#define FF_SSA_PATH_H

#include "../../base/ff_philox.h"
#include "../../ensemble/ff_lanes.h"
#include "../program/ff_ssa_program.h"
#include "ff_ssa_tree.h"

/* What is wrong with a trajectory (ff_failure). `item` is the reaction, for FF_SSA_BAD_COUNT the species, or the event of the
 * network; `value` its propensity or count; `symbol` what the event sets. */
enum {
  FF_SSA_FINE, FF_SSA_BAD_RATE, FF_SSA_ROUNDED, FF_SSA_BAD_SUM, FF_SSA_BAD_COUNT, FF_SSA_BAD_STEP,
  FF_SSA_HALFWAY, /* no failure: a step takes long, and ff_ssa_path_go_on() goes on. Until then, its state is incomplete */
  FF_SSA_BAD_SET = 64, /* from here on, ff_ssa_schedule_describe() describes the failure */
  FF_SSA_BAD_DELAY, FF_SSA_BAD_PRIORITY, FF_SSA_BAD_TRIGGER, FF_SSA_ENDLESS, FF_SSA_TOO_MANY, FF_SSA_BAD_BOUND,
  FF_SSA_NO_MEMORY
};

typedef struct ff_ssa_path ff_ssa_path;

/* How a method finds the next step: it sets path->next_time and path->next. */
typedef struct {
  ff_status (*make)(ff_ssa_path *path, ff_error *err); /* sets path->own; may set path->propensity */
  void (*drop)(ff_ssa_path *path);                     /* frees path->own, which may be NULL */
  void (*begin)(ff_ssa_path *path);                    /* the counts are new, and the time may be any */
  void (*go_on)(ff_ssa_path *path);                    /* reaction path->next has just fired, and the counts have changed */
} ff_ssa_finder;

extern const ff_ssa_finder ff_ssa_finder_direct, ff_ssa_finder_tree, ff_ssa_finder_first; /* ff_ssa_direct.c */

struct ff_ssa_path {
  const ff_ssa_program *program;
  const ff_ssa_finder *finder;
  void *own;                 /* what the method keeps */
  uint64_t key, unit, step; /* unit: number of the trajectory; step: steps so far */
  double time;
  double *count; /* for each species */
  double *whole;      /* counts that are rounded down, and settable parameters */
  double *stack;
  ff_range *ranges;   /* a stack, too */
  double *propensity; /* for each reaction */
  double next_time;   /* of the next step; infinity if there is none */
  uint32_t next;      /* the reaction that fires then */
  uint32_t *mark, *gathered, stamp; /* for dependents that the program does not list */
  ff_failure failure;
  struct ff_ssa_schedule *schedule; /* of a program with events or rates that depend on the time, else NULL; */
  double (*bound)(ff_ssa_path *path, uint32_t r); /* and its upper bound of a propensity in the present window of time */
  uint64_t silent;                  /* how many of the steps so far were not firings of reactions */
  const ff_formula *until; /* NULL, or a condition that ends a trajectory with a schedule. Borrowed. */
  int reached;             /* whether it holds: the trajectory has ended */
};

/* ---- the state (ff_ssa_state.c) ------------------------------------------------------------------------------------------ */

/* The words of a draw for the next step. */
ff_philox_block ff_ssa_path_draw(const ff_ssa_path *path, uint32_t purpose, uint32_t block);
/* Computes all propensities. */
void ff_ssa_path_compute(ff_ssa_path *path);
/* Computes the propensities that reaction path->next has changed, and lists them as ff_ssa_path_dependents(). */
const uint32_t *ff_ssa_path_update(ff_ssa_path *path, size_t *n);
/* Leaves the step halfway, unless a failure was found. Only finder->begin() and the events of the network may do so. They are
 * then called again, and must know where they were. */
void ff_ssa_path_pause(ff_ssa_path *path);
/* Sets path->failure, unless an earlier failure was found. */
void ff_ssa_path_fail(ff_ssa_path *path, int what, uint32_t item, double value);
/* The propensity of reaction r is not valid: FF_SSA_ROUNDED if its formula is negative for these values of the symbols, but may
 * be so because of rounding errors, and else FF_SSA_BAD_RATE. */
void ff_ssa_path_fail_rate(ff_ssa_path *path, uint32_t r, const double *values, double value);
/* The sum of the propensities is infinite: one of them is, or the sum is too large. */
void ff_ssa_path_blame(ff_ssa_path *path);

/* The reactions whose propensities reaction path->next changes. Valid until the next call. */
const uint32_t *ff_ssa_path_dependents(ff_ssa_path *path, size_t *n);

/* The value of the formula of reaction r while a reactant is missing, if it is below 0 by more than rounding errors may explain;
 * else 0. Methods with real counts have states between two whole counts, where a right formula such as A * (A - 1) may be below
 * 0. So it must be below 0 for the whole counts, too. */
double ff_ssa_path_below(const ff_ssa_path *path, uint32_t r, double time);
/* The propensity of reaction r, or an upper bound in the present window of time if it depends on the time. If it is negative or
 * not a number, this is a failure, and the result is 0. */
double ff_ssa_path_propensity(ff_ssa_path *path, uint32_t r);
/* The propensity by its law, from the counts, settable parameters and the time. It may be negative, infinite or NaN. What is
 * negative by rounding errors alone is 0 if it depends on the time, or if a reactant is missing. */
double ff_ssa_path_law(const ff_ssa_path *path, uint32_t r, double time);

/* Lets the reaction path->next fire: changes the counts. */
static inline void ff_ssa_path_apply(ff_ssa_path *path) {
  const ff_ssa_program *p = path->program;
  for (uint32_t i = p->change_first[path->next]; i < p->change_first[path->next + 1]; i++) {
    const ff_ssa_change *change = p->changes + i;
    double *count = path->count + change->species;
    *count += (double)change->by;
    if (FF_RARELY(*count > FF_SSA_MAX_COUNT)) ff_ssa_path_fail(path, FF_SSA_BAD_COUNT, change->species, *count);
  }
}

/* Parts of ff_ssa_path_law(): whether a reactant is missing; the formula of a law with a formula, in the present state; and the
 * propensity of a law with a formula that has this value. */
int ff_ssa_reactants_missing(const ff_ssa_program *program, const ff_ssa_propensity *law, const double *count);
ff_formula_at ff_ssa_path_formula(const ff_ssa_path *path, uint32_t r);
double ff_ssa_path_law_of(const ff_ssa_path *path, uint32_t r, double rate);

#endif
