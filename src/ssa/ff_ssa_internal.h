/* What the files of this folder share: the program, and a trajectory that is being simulated. */
#ifndef FF_SSA_INTERNAL_H
#define FF_SSA_INTERNAL_H

#include "../base/ff_philox.h"
#include "../model/ff_formula_change.h"
#include "ff_ssa.h"

/* How a propensity is computed from the counts. Mass action of up to two molecules has a form of its own. */
typedef enum {
  FF_LAW_CONSTANT, /* rate */
  FF_LAW_LINEAR,   /* rate * a */
  FF_LAW_PAIR,     /* rate * a * b */
  FF_LAW_TWIN,     /* rate * a * (a - 1), where the rate holds the factor 1/2 */
  FF_LAW_PRODUCT,  /* rate * a (a - 1) ... (a - k + 1) / k! * ... */
  FF_LAW_FORMULA,  /* the value of a formula; 0 if a reactant is missing, unless the value is below 0, which is an error */
  FF_LAW_SCALED    /* as FF_LAW_PRODUCT, where the rate is the value of a formula */
} ff_ssa_law;

typedef struct {
  uint32_t law;
  uint32_t a, b;     /* species; for a law with a formula, `a` is the number of the formula, and `b` is 1 if it may be below 0
                      * while a reactant is missing */
  uint32_t first, n; /* a range of `factors`: the species of mass action, or the reactants that must be there */
  uint32_t written;  /* 1 if a formula was given that has the form of mass action: "ode" takes it as it is written */
  double rate;
} ff_ssa_propensity;

/* Whether a law may be below 0 while a reactant is missing. */
static inline int ff_ssa_may_be_below(const ff_ssa_propensity *a) { return a->law == FF_LAW_FORMULA && a->b; }

typedef struct {
  uint32_t species;
  int64_t by;
} ff_ssa_change;

struct ff_ssa_program {
  uint32_t n_species, n_reactions;
  char **names;    /* of species, then of reactions (which may be empty) */
  double *initial; /* for each species */
  ff_ssa_propensity *propensities;
  uint8_t *changed; /* for each species: 1 if a reaction changes it */
  ff_participant *factors;
  ff_formula *formulas; /* their symbols are species */
  uint32_t n_factors, n_formulas, n_changes, n_variables;
  ff_formula *variables; /* functions of the state, to be observed; their symbols are species and slots. Variable v has the number
                          * n_species + v among what can be observed. */
  uint32_t depth;         /* the largest stack that a formula needs */
  uint32_t *change_first; /* n_reactions + 1 entries */
  ff_ssa_change *changes; /* of reaction r: changes[change_first[r]] to [change_first[r + 1] - 1]; none is 0 */
  size_t *reader_first;   /* n_species + 1 entries */
  uint32_t *readers;      /* of a species: the reactions whose propensity reads it, in ascending order */
  size_t *depend_first;   /* n_reactions + 1 entries, if there are dependents */
  uint32_t *dependents;   /* of reaction r: the reactions that read a species that r changes, in ascending order; NULL if
                           * there are too many to list */
  double coupling;        /* the mean number of dependents */
  uint32_t negative;      /* 0, or 1 + the first reaction whose rate is the same all the time and below 0: only "ode" takes it */

  double start;         /* the time from which engines count, if a rate depends on the time */
  uint8_t *timed;       /* for each reaction: 1 if its propensity depends on the time; NULL if there is no such reaction */
  ff_event *events;     /* of the network */
  uint32_t n_events, n_slots;
  double *slots;        /* values at time 0 of the parameters that events set. Slot i is symbol n_species + i of all formulas. */
  char **slot_names;
  size_t *watch_first;  /* n_species + n_slots + 1 entries; NULL without events */
  uint32_t *watchers;   /* of a species or a slot: the events whose triggers read it, in ascending order */
  uint32_t most_sets;   /* the largest number of values that an event sets */
  struct ff_ssa_factor *factor; /* see ff_ssa_factor.h */
  struct ff_ssa_modules *modules; /* see ff_ssa_modules.h; NULL if there are none */
};

/* Whether rates depend on the time, or there are events. Only ff_ssa_path_step() simulates such a program. */
static inline int ff_ssa_program_scheduled(const ff_ssa_program *program) {
  return program->timed != NULL || program->n_events > 0;
}

/* FF_EMODEL if a rate is the same all the time and below 0. O(1). */
ff_status ff_ssa_program_check_rates(const ff_ssa_program *program, ff_error *err);

/* Finds the parameters that events set, and makes their slots. slot_of[i] becomes the slot of parameter i, or UINT32_MAX. */
ff_status ff_ssa_compile_slots(ff_ssa_program *program, const ff_reactions *net, uint32_t *slot_of, ff_error *err);
/* Compiles the events. `replacement` is that of ff_formula_replace(). */
ff_status ff_ssa_compile_events(ff_ssa_program *program, const ff_reactions *net, const ff_formula *const *replacement,
                                ff_error *err);
void ff_ssa_free_events(ff_ssa_program *program);

/* Lists the dependents of reaction r in `out`, unless it is NULL, and returns their number. mark[] has an entry for each
 * reaction, and none of them is `stamp` before. O(dependents and repeats). */
size_t ff_ssa_gather(const ff_ssa_program *program, uint32_t r, uint32_t *mark, uint32_t stamp, uint32_t *out);

/* A value of postfix code that is a coefficient times factors (count of a species) - offset. The factors are part of a list in
 * the order of the code, so the factors of neighbouring values are neighbours too. */
typedef struct {
  double coefficient;
  uint32_t first, n;
} ff_ssa_monomial;

/* Recognises a rate law that is mass action in its form, such as k * A * (A - 1) / 2. Returns 1, a rate constant, and reactants
 * that give the same propensity; otherwise 0. `stack` has room for formula->depth entries, and `factors` for formula->length.
 * O(length log length). */
int ff_ssa_mass_action(const ff_formula *formula, ff_ssa_monomial *stack, double *rate, ff_participant *factors,
                       uint32_t *n_factors);

/* ---- trajectories ------------------------------------------------------------------------------------------------------- */

/* Sums of propensities in a tree whose inner nodes have FF_SSA_FAN children. Level 0 has the propensities. Its shape depends on
 * the number of reactions alone, and so does the order of all additions: the sums never drift, and have the same bits whichever
 * parts of the tree are computed anew. A sum has a relative error below 3 * levels * 2^-53, as no term is negative. */
#define FF_SSA_FAN 8u
#define FF_SSA_MAX_LEVELS 11

typedef struct {
  uint32_t levels;                    /* at least 1: the last level has one node */
  uint32_t first[FF_SSA_MAX_LEVELS];  /* index of each level's first node in `value` */
  uint32_t n[FF_SSA_MAX_LEVELS];      /* nodes of each level, without those that fill the last group with zeros */
  double *value;
  uint8_t *stale; /* for each node: 1 if it must be summed again; all 0 between updates */
  uint32_t *work; /* stale nodes of one level */
} ff_ssa_tree;

ff_status ff_ssa_tree_new(ff_ssa_tree *tree, uint32_t n, ff_error *err);
void ff_ssa_tree_free(ff_ssa_tree *tree);
/* Sums all levels. O(n). */
void ff_ssa_tree_sum(ff_ssa_tree *tree);
/* Sums what depends on the given leaves, which have new values. O(leaves * levels). */
void ff_ssa_tree_update(ff_ssa_tree *tree, const uint32_t *leaves, size_t n_leaves);
static inline double ff_ssa_tree_total(const ff_ssa_tree *tree) { return tree->value[tree->first[tree->levels - 1]]; }
/* Sums of the first i of a node's children, for i from 1 to FF_SSA_FAN: each is the node's sum with zeros for the other children.
 * So they never decrease, and a child of 0 adds nothing. A `number` is a double or a vector of doubles. */
#define FF_SSA_TREE_PREFIX(number, sum, child)                       \
  do {                                                               \
    const number pair = (child)[4] + (child)[5];                     \
    (sum)[1] = (child)[0];                                           \
    (sum)[2] = (child)[0] + (child)[1];                              \
    (sum)[3] = (sum)[2] + (child)[2];                                \
    (sum)[4] = (sum)[2] + ((child)[2] + (child)[3]);                 \
    (sum)[5] = (sum)[4] + (child)[4];                                \
    (sum)[6] = (sum)[4] + pair;                                      \
    (sum)[7] = (sum)[4] + (pair + (child)[6]);                       \
    (sum)[8] = (sum)[4] + (pair + ((child)[6] + (child)[7]));        \
  } while (0)
static inline void ff_ssa_tree_prefix(double sum[FF_SSA_FAN + 1], const double child[FF_SSA_FAN]) {
  sum[0] = 0;
  FF_SSA_TREE_PREFIX(double, sum, child);
}
/* The leaf at which the cumulative sum of the leaves exceeds `at`, for 0 <= at < total. Its value is above 0. At each node, the
 * last child is taken whose prefix sum is at most `at`; if rounding leaves `at` above the sum of all, the last one above 0.
 * O(levels). */
uint32_t ff_ssa_tree_find(const ff_ssa_tree *tree, double at);

/* What is wrong with a trajectory: the first failure that was found. */
enum {
  FF_SSA_FINE, FF_SSA_BAD_RATE, FF_SSA_ROUNDED, FF_SSA_BAD_SUM, FF_SSA_BAD_COUNT, FF_SSA_BAD_STEP,
  FF_SSA_HALFWAY, /* no failure: a step takes long, and ff_ssa_path_go_on() goes on. Until then, its state is incomplete */
  FF_SSA_BAD_SET = 64, /* from here on, ff_ssa_schedule_describe() describes the failure */
  FF_SSA_BAD_DELAY, FF_SSA_BAD_PRIORITY, FF_SSA_BAD_TRIGGER, FF_SSA_ENDLESS, FF_SSA_TOO_MANY, FF_SSA_BAD_BOUND,
  FF_SSA_NO_MEMORY
};
typedef struct {
  int what;
  uint32_t item; /* the reaction, for FF_SSA_BAD_COUNT the species, or the event of the network */
  double value;  /* its propensity or count */
  double time;
  uint32_t symbol; /* what the event sets */
} ff_ssa_failure;

typedef struct ff_ssa_path ff_ssa_path;

/* How a method finds the next event: it sets path->next_time and path->next. */
typedef struct {
  ff_status (*make)(ff_ssa_path *path, ff_error *err); /* sets path->own; may set path->propensity */
  void (*drop)(ff_ssa_path *path);                     /* frees path->own, which may be NULL */
  void (*begin)(ff_ssa_path *path);                    /* the counts are new, and the time may be any */
  void (*go_on)(ff_ssa_path *path);                    /* the event path->next has just happened, and the counts have changed */
} ff_ssa_finder;

extern const ff_ssa_finder ff_ssa_finder_direct, ff_ssa_finder_tree, ff_ssa_finder_first, ff_ssa_finder_next;
extern const ff_ssa_finder ff_ssa_finder_optimised, ff_ssa_finder_sorting, ff_ssa_finder_composition, ff_ssa_finder_rssa,
    ff_ssa_finder_rssa_cr, ff_ssa_finder_pdm, ff_ssa_finder_spdm, ff_ssa_finder_pssa_cr, ff_ssa_finder_block;
/* The finder of a method; that of the direct method if it has none of its own (ff_ssa_methods.c). */
const ff_ssa_finder *ff_ssa_finder_of(ff_ssa_method method);

struct ff_ssa_path {
  const ff_ssa_program *program;
  const ff_ssa_finder *finder;
  void *own;                 /* what the method keeps */
  uint64_t key, unit, event; /* unit: number of the trajectory; event: events so far */
  double time;
  double *count; /* for each species */
  double *whole;      /* counts that are rounded down, and slots */
  double *stack;
  ff_range *ranges;   /* a stack, too */
  double *propensity; /* for each reaction */
  double next_time;   /* of the next event; infinity if there is none */
  uint32_t next;      /* the reaction that fires then */
  uint32_t *mark, *gathered, stamp; /* for dependents that the program does not list */
  ff_ssa_failure failure;
  struct ff_ssa_schedule *schedule; /* of a program with events or rates that depend on the time, else NULL */
  uint64_t silent;                  /* how many of the events so far were not firings of reactions */
  const ff_formula *until; /* NULL, or a condition that ends a trajectory with a schedule. Borrowed. */
  int reached;             /* whether it holds: the trajectory has ended */
};

/* Makes a path, whose next events this finder finds. Program and finder are borrowed. */
ff_status ff_ssa_path_new(ff_ssa_path *path, const ff_ssa_program *program, const ff_ssa_finder *finder, ff_error *err);
void ff_ssa_path_free(ff_ssa_path *path);
/* Lets a condition end trajectories of a program with a schedule, also between events of the network at one time. */
ff_status ff_ssa_path_end_at(ff_ssa_path *path, const ff_formula *until, ff_error *err);
/* Begins a trajectory from these counts at time 0, and finds its next event. O(reactions). */
void ff_ssa_path_start(ff_ssa_path *path, uint64_t key, uint64_t unit, const double *initial);
/* Finds the next event, or what is wrong, from counts, time and event that the caller has set. O(reactions). */
void ff_ssa_path_resume(ff_ssa_path *path);
/* Lets the next event happen, and finds the one after it. path->failure tells whether this failed. */
void ff_ssa_path_step(ff_ssa_path *path);
/* Goes on with a step, or a start, that was left halfway: path->failure.what is FF_SSA_HALFWAY. */
void ff_ssa_path_go_on(ff_ssa_path *path);

/* The order of the reactions in optimised_direct, which follows from the program and the key: path->key. NULL until a trajectory
 * has begun, or while its beginning is left halfway. */
const uint32_t *ff_ssa_optimised_order(const ff_ssa_path *path);

/* ---- the state of a trajectory, for methods and events of the network (ff_ssa_state.c) ---------------------------------- */

/* The words of a draw for the next event. */
ff_philox_block ff_ssa_path_draw(const ff_ssa_path *path, uint32_t purpose, uint32_t block);
/* Computes all propensities. */
void ff_ssa_path_compute(ff_ssa_path *path);
/* Computes the propensities that the event path->next has changed, and lists them as ff_ssa_path_dependents(). */
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

/* The reactions whose propensities the event path->next changes. Valid until the next call. */
const uint32_t *ff_ssa_path_dependents(ff_ssa_path *path, size_t *n);

/* The value of the formula of reaction r while a reactant is missing, if it is below 0 by more than rounding errors may explain;
 * else 0. Methods with real counts have states between two whole counts, where a right formula such as A * (A - 1) may be below
 * 0. So it must be below 0 for the whole counts, too. */
double ff_ssa_path_below(const ff_ssa_path *path, uint32_t r, double time);
/* The propensity of reaction r, or an upper bound in the present window of time if it depends on the time. If it is negative or
 * not a number, this is a failure, and the result is 0. */
double ff_ssa_path_propensity(ff_ssa_path *path, uint32_t r);
/* The propensity by its law, from the counts, slots and the time. It may be negative, infinite or NaN. What is negative by
 * rounding errors alone is 0 if it depends on the time, or if a reactant is missing. */
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
/* Whether the condition that ends the trajectory holds in the present state. */
int ff_ssa_path_has_reached(ff_ssa_path *path);

/* ---- events of the network, and rates that depend on the time (ff_ssa_schedule.c) --------------------------------------- */

typedef struct ff_ssa_schedule ff_ssa_schedule;

ff_status ff_ssa_schedule_new(ff_ssa_path *path, ff_error *err); /* sets path->schedule */
/* The formulas that a step may evaluate, unless it is left halfway. O(length of the triggers). */
double ff_ssa_schedule_cost(const ff_ssa_program *program);
void ff_ssa_schedule_free(ff_ssa_schedule *schedule);            /* accepts NULL */
/* Begins a trajectory at time 0. Its counts are set. Lets the events of the network happen that are due at time 0. */
void ff_ssa_schedule_start(ff_ssa_path *path);
/* Finds the next event from here, with draws that were not used before. */
void ff_ssa_schedule_resume(ff_ssa_path *path);
void ff_ssa_schedule_step(ff_ssa_path *path);
/* Goes on with events that were left halfway. */
void ff_ssa_schedule_go_on(ff_ssa_path *path);
/* Describes a failure; `number` is that of the trajectory. */
ff_status ff_ssa_schedule_describe(const ff_ssa_program *program, const ff_ssa_failure *failure, unsigned long long number,
                                   ff_error *err);

#endif
