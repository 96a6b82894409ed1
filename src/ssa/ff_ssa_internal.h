/* What the files of this folder share: the program, and a trajectory on its way. */
#ifndef FF_SSA_INTERNAL_H
#define FF_SSA_INTERNAL_H

#include "../base/ff_philox.h"
#include "ff_ssa.h"

/* How a propensity is computed from the counts. Mass action of up to two molecules has a form of its own. */
typedef enum {
  FF_LAW_CONSTANT, /* rate */
  FF_LAW_LINEAR,   /* rate * a */
  FF_LAW_PAIR,     /* rate * a * b */
  FF_LAW_TWIN,     /* rate * a * (a - 1), where the rate holds the factor 1/2 */
  FF_LAW_PRODUCT,  /* rate * a (a - 1) ... (a - k + 1) / k! * ... */
  FF_LAW_FORMULA,  /* the value of a formula, or 0 if a reactant is missing */
  FF_LAW_SCALED    /* as FF_LAW_PRODUCT, where the rate is the value of a formula */
} ff_ssa_law;

typedef struct {
  uint32_t law;
  uint32_t a, b;     /* species; for a law with a formula, `a` is the number of the formula */
  uint32_t first, n; /* a range of `factors`: the species of mass action, or the reactants that must be there */
  double rate;
} ff_ssa_propensity;

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
  uint32_t n_factors, n_formulas, n_changes;
  uint32_t depth;         /* the largest stack that a formula needs */
  uint32_t *change_first; /* n_reactions + 1 entries */
  ff_ssa_change *changes; /* of reaction r: changes[change_first[r]] to [change_first[r + 1] - 1]; none is 0 */
  size_t *reader_first;   /* n_species + 1 entries */
  uint32_t *readers;      /* of a species: the reactions whose propensity reads it, in ascending order */
  size_t *depend_first;   /* n_reactions + 1 entries */
  uint32_t *dependents;   /* of reaction r: the reactions that read a species that r changes, in ascending order; NULL if
                           * there are too many to list */
};

/* Lists the dependents of reaction r in `out`, unless it is NULL, and returns their number. mark[] has an entry for each
 * reaction, and none of them is `stamp` before. O(dependents and repeats). */
size_t ff_ssa_gather(const ff_ssa_program *program, uint32_t r, uint32_t *mark, uint32_t stamp, uint32_t *out);

/* Recognises a rate law that is mass action in its form, such as k * A * (A - 1) / 2. Returns 1, a rate constant, and reactants
 * that give the same propensity. Otherwise, or if there is no memory, returns 0. `factors` has room for formula->length entries.
 * O(length log length). */
int ff_ssa_mass_action(const ff_formula *formula, double *rate, ff_participant *factors, uint32_t *n_factors);

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
/* The leaf at which the cumulative sum of the leaves exceeds `at`, for 0 <= at < total. Its value is above 0. O(levels). */
uint32_t ff_ssa_tree_find(const ff_ssa_tree *tree, double at);

/* Waiting times of the next reaction method, in a binary heap. */
typedef struct {
  double *when;    /* for each reaction: the time of its next firing, or infinity */
  double *left;    /* for each reaction: what remains of its exponential waiting time, in units of its propensity */
  double *since;   /* the time for which `left` holds */
  uint64_t *fired; /* the number of firings */
  uint32_t *heap, *place;
} ff_ssa_queue;

typedef struct {
  const ff_ssa_program *program;
  ff_ssa_method method;
  uint64_t key, unit, event; /* unit: number of the trajectory; event: events so far */
  double time;
  double *count; /* for each species */
  double *stack;
  ff_ssa_tree tree;   /* of FF_SSA_DIRECT and FF_SSA_TREE */
  double *propensity; /* for each reaction; the leaves of the tree if there is one */
  ff_ssa_queue queue; /* of FF_SSA_NEXT */
  double next_time;   /* of the next event; infinity if there is none */
  uint32_t next;      /* the reaction that fires then */
  uint32_t *mark, *gathered, stamp; /* for dependents that the program does not list */
  enum { FF_SSA_FINE, FF_SSA_BAD_RATE, FF_SSA_BAD_SUM, FF_SSA_BAD_COUNT } state;
  uint32_t bad;     /* after a failure: the reaction or the species that caused it, or the first of several that was found ... */
  double bad_value; /* ... and its propensity or count */
} ff_ssa_path;

ff_status ff_ssa_path_new(ff_ssa_path *path, const ff_ssa_program *program, ff_ssa_method method, ff_error *err);
void ff_ssa_path_free(ff_ssa_path *path);
/* Begins a trajectory from these counts at time 0, and finds its next event. O(reactions). */
void ff_ssa_path_start(ff_ssa_path *path, uint64_t key, uint64_t unit, const double *initial);
/* Takes over another simulation's state, right after an event, and finds what is wrong with it: sets path->state. For the direct
 * method. O(reactions). */
void ff_ssa_path_diagnose(ff_ssa_path *path);
/* Lets the next event happen, and finds the one after it. path->state tells whether this failed. */
void ff_ssa_path_step(ff_ssa_path *path);

/* The reactions whose propensities the event path->next changes. Valid until the next call. */
const uint32_t *ff_ssa_path_dependents(ff_ssa_path *path, size_t *n);

/* The propensity of reaction r. Sets path->state if it is negative or not a number, and then returns 0. */
double ff_ssa_path_propensity(ff_ssa_path *path, uint32_t r);

/* The next reaction method. */
ff_status ff_ssa_queue_new(ff_ssa_queue *queue, uint32_t n, ff_error *err);
void ff_ssa_queue_free(ff_ssa_queue *queue);
void ff_ssa_queue_start(ff_ssa_path *path);
void ff_ssa_queue_step(ff_ssa_path *path);

#endif
