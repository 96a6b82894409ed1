/* The program of a reaction network. Devices read it, so its struct is public. */
#ifndef FF_SSA_PROGRAM_H
#define FF_SSA_PROGRAM_H

#include "../../model/ff_formula_change.h"
#include "../../model/reactions/ff_reactions.h"

#define FF_SSA_MAX_COUNT 0x1p40 /* of a species */

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

/* A reaction network that is ready for simulation: rate laws in the form that is fastest to evaluate, changes of counts, and the
 * reactions that each reaction affects. It is not changed by simulations, so threads can share it. */
typedef struct ff_ssa_program ff_ssa_program;

struct ff_ssa_program {
  uint32_t n_species, n_reactions;
  char **names;    /* of species, then of reactions (which may be empty) */
  double *initial; /* for each species */
  ff_ssa_propensity *propensities;
  uint8_t *changed; /* for each species: 1 if a reaction changes it */
  ff_participant *factors;
  ff_formula *formulas; /* their symbols are species */
  uint32_t n_factors, n_formulas, n_changes, n_variables;
  ff_formula *variables; /* functions of the state,
  to be observed; their symbols are species and settable parameters. Variable v has the number
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
  uint32_t n_events, n_settable;
  double *settable;     /* values at time 0 of the parameters that events set; i is symbol n_species + i of all formulas */
  char **settable_names;
  size_t *watch_first;  /* n_species + n_settable + 1 entries; NULL without events */
  uint32_t *watchers;   /* of a symbol: the events whose triggers read it, in ascending order */
  uint32_t most_sets;   /* the largest number of values that an event sets */
  struct ff_ssa_factor *factor; /* what ff_ssa_plan.c adds: groups, see ff_ssa_factor.h, */
  struct ff_ssa_ring *ring;     /* and rings, see ff_ssa_ring.h; NULL if there are none */
};

/* Whether rates depend on the time, or there are events. Only ff_ssa_path_step() simulates such a program. */
static inline int ff_ssa_program_scheduled(const ff_ssa_program *program) {
  return program->timed != NULL || program->n_events > 0;
}

/* What a trigger reads: counts and parameters that events set, the time, or both. Images keep these numbers. */
enum { FF_SSA_BY_STATE, FF_SSA_BY_TIME, FF_SSA_BY_BOTH };

static inline uint32_t ff_ssa_trigger_kind(const ff_formula *trigger) {
  int symbols = 0;
  for (uint32_t i = 0; i < trigger->length; i++) symbols |= trigger->word[i].code == FF_F_SYMBOL;
  return !ff_formula_has_time(trigger) ? FF_SSA_BY_STATE : symbols ? FF_SSA_BY_BOTH : FF_SSA_BY_TIME;
}

/* The mean number of reactions whose propensity changes when a reaction fires. It is estimated if the sum of these numbers over
 * all reactions exceeds 2^27. O(1). */
double ff_ssa_program_coupling(const ff_ssa_program *program);

/* The number of reactions that are evaluated as formulas, not as mass action. O(reactions). */
uint32_t ff_ssa_program_formulas(const ff_ssa_program *program);

/* Whether a reaction or an event changes the count of this species, or the value of the variable `item` - n_species. O(length of
 * its formula). */
int ff_ssa_program_changes(const ff_ssa_program *program, uint32_t item);

/* Translates a network in several steps, as ff_ssa_compiler_new() (ff_ssa_plan.h) does: this makes all but groups and rings. The
 * caller frees the translator, and what the last step gives with ff_ssa_program_clear(). Both accept NULL. */
typedef struct ff_ssa_translator ff_ssa_translator;
ff_status ff_ssa_translator_new(ff_ssa_translator **out, const ff_reactions *net, double start, ff_error *err);
ff_status ff_ssa_translator_step(ff_ssa_translator *translator, ff_ssa_program **out, ff_error *err);
void ff_ssa_translator_free(ff_ssa_translator *translator);
void ff_ssa_program_clear(ff_ssa_program *program);

/* FF_EMODEL if a rate is the same all the time and below 0. O(1). */
ff_status ff_ssa_program_check_rates(const ff_ssa_program *program, ff_error *err);

/* Finds the parameters that events set, and numbers them. settable_of[i] becomes the number of parameter i, or UINT32_MAX. */
ff_status ff_ssa_compile_settable(ff_ssa_program *program, const ff_reactions *net, uint32_t *settable_of, ff_error *err);
/* Compiles the events. `replacement` is that of ff_formula_replace(). */
ff_status ff_ssa_compile_events(ff_ssa_program *program, const ff_reactions *net, const ff_formula *const *replacement,
                                ff_error *err);
void ff_ssa_free_events(ff_ssa_program *program);

/* Lists the dependents of reaction r in `out`, unless it is NULL, and returns their number. mark[] has an entry for each
 * reaction, and none of them is `stamp` before. O(dependents and repeats). */
size_t ff_ssa_gather(const ff_ssa_program *program, uint32_t r, uint32_t *mark, uint32_t stamp, uint32_t *out);

#endif
