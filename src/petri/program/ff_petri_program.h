/* A Petri net that is ready for simulation.
 *
 * All that formulas read is in one array of values, by number:
 *   levels       places that a continuous transition changes, from 0
 *   given        levels of other blocks, if the net is a block of a larger one
 *   other places, then variables, the time, parameters that events set, and constants (values of indices)
 *   derived      functions of these: parts of formulas that depend on discrete places alone, and switches
 * A switch is a comparison, or a whole number such as floor(x), that depends on levels or the time. It keeps its value between
 * crossings. So everything else that depends on levels is smooth between crossings, but for min, max and abs.
 *
 * The hazard of a stochastic transition is a coefficient, which depends on discrete places and switches, times a profile, which
 * depends on levels and the time. Transitions with equal profiles share one; profile 0 is 1. */
#ifndef FF_PETRI_PROGRAM_H
#define FF_PETRI_PROGRAM_H

#include "../../linear/ff_sparse_order.h"
#include "../../model/petri/ff_petri_flat.h"

#define FF_PETRI_INTERFACE "petri" /* of a backend: ff_device_calls whose models are programs (ff_petri_program) */

typedef enum { FF_PETRI_ADAPTIVE, FF_PETRI_BIO } ff_petri_semantics;
typedef enum { FF_PETRI_AUTO, FF_PETRI_DORMAND_PRINCE, FF_PETRI_ROSENBROCK, FF_PETRI_CVODE } ff_petri_integrator;

/* What a place is in a block of a larger net. PLAIN: what its own transitions make of it. LEVEL: a level, even if none of them
 * flows into it. GIVEN: a level of another block, which rates of flows read as a given function of the time; it must be fixed.
 * */
typedef enum { FF_PETRI_PLAIN, FF_PETRI_LEVEL, FF_PETRI_GIVEN } ff_petri_role;

typedef struct {
  ff_petri_semantics semantics;
  ff_petri_integrator integrator;
  double relative, absolute; /* tolerances; 0: 1e-6, and a thousandth of the relative one */
  int one_clock;             /* all stochastic transitions are one group */
  int paper;                 /* Algorithm 1 of ELansary et al., serially: path/ff_petri_paper.c. There is one clock then */
  uint32_t most_at_once;     /* firings, other than stochastic ones, or events at one instant; more are a failure. 0: 1e6 */
  const uint8_t *role;       /* NULL, or an ff_petri_role for each place. Read while the net is compiled */
} ff_petri_options;

#define FF_PETRI_CHUNK 16u /* transitions of a family that are evaluated at a time */

/* A formula of a family. Its symbol k is row[k] of the family; of a family with one transition, its symbols are values. */
typedef struct {
  ff_formula formula; /* without words if there is none */
  uint32_t n, *row;
  uint8_t moving; /* whether it reads levels, the time, or variables of them */
  uint8_t simple; /* an ff_petri_simple: what the formula is */
  uint32_t symbol;
  double number;
} ff_petri_term;

/* Formulas whose value takes no loop over words. */
typedef enum { FF_PETRI_COMPLEX, FF_PETRI_NUMBER, FF_PETRI_SYMBOL, FF_PETRI_MULTIPLE /* number * symbol */ } ff_petri_simple;

/* What a firing does to a place, or what a flow does in a unit of time. */
typedef struct {
  uint32_t row;
  uint8_t resets; /* the place becomes 0 first */
  uint8_t safe;   /* of a flow with semantics "adaptive": whether it takes nothing from the place when its level is 0 */
  double by;
  ff_petri_term formula; /* if it has words, its value counts instead of `by` */
} ff_petri_effect;

/* A family of transitions: row k of transition i is the value index[k * n + i]. */
typedef struct {
  ff_petri_kind kind;
  uint32_t n, n_rows, n_effects;
  uint64_t first;        /* its transitions are first ... first + n - 1 of the net */
  uint32_t own;          /* the number of its first transition among those of its kind; timed ones are counted together */
  uint32_t *index;
  ff_petri_term enabled; /* of a jump that is not stochastic: its tests. Without words: it is always enabled */
  ff_petri_term rate;    /* of a flow; the coefficient of a stochastic one; a weight, or a delay. The first two are 0 where the
                          * transition is not enabled */
  ff_petri_effect *effect;
  uint32_t *profile;     /* of each stochastic transition */
  double begin, period, times; /* of a scheduled one; times: how often it fires, 0 for never */
  uint8_t takes;         /* whether it has a standard input arc */
  uint8_t stirs;         /* whether a firing may change a flow */
  uint8_t varies;        /* whether an effect has a formula */
} ff_petri_law;

/* A formula of values: symbol k is the value read[k]. */
typedef struct {
  ff_formula formula;
  uint32_t n, *read;
} ff_petri_plain;

typedef enum {
  FF_PETRI_DISCRETE, /* reads no level and not the time */
  FF_PETRI_TRUTH,    /* a switch: whether the formula is not 0 */
  FF_PETRI_WHOLE     /* a switch: its value */
} ff_petri_derived_kind;

typedef struct {
  ff_petri_derived_kind kind;
  uint32_t value;
  ff_petri_plain plain; /* of places and the time (FF_F_TIME) */
} ff_petri_derived;

typedef struct {
  ff_petri_plain plain;
  uint8_t affine; /* in levels and the time */
  uint8_t timed;
  uint8_t quick;  /* whether there are quick bounds (within/ff_petri_span_math.h) */
} ff_petri_profile;

/* A variable of levels or the time. */
typedef struct {
  uint32_t value;
  ff_petri_plain plain;
  uint8_t in_flow;
} ff_petri_moving;

/* What an event sets: a place or a parameter. */
typedef struct {
  uint32_t value;
  ff_petri_plain to, factor; /* factor: without words for none */
} ff_petri_event_set;

/* An event: see ../../model/reactions/ff_event.h. */
typedef struct {
  ff_petri_plain untrue; /* the negation of its trigger, a function of switches and of what is no level */
  ff_petri_plain delay, priority;
  ff_petri_event_set *set;
  uint32_t n_sets;
  uint8_t initially, persistent, late;
} ff_petri_event_law;

/* A transition i of a law. */
typedef struct {
  uint32_t law, i;
} ff_petri_member;

/* The coefficient of a stochastic transition, where it is a number times a value of discrete places. */
typedef struct {
  double number;
  uint32_t value; /* or FF_PETRI_NO_FACTOR: it is another formula */
} ff_petri_factor;

#define FF_PETRI_NO_FACTOR UINT32_MAX

typedef struct {
  const ff_petri_flat *flat;
  ff_petri_options options;
  uint32_t n_levels, n_given, n_places, n_values, time; /* time: the number of this value */
  uint32_t *place_value; /* for each place */
  uint32_t *value_place; /* for each value below n_places */
  double *initial;       /* of all values; of what is derived and of variables, 0 */
  double *start;         /* the places at the start, in their own order */

  ff_petri_law *law; /* of each family */
  uint32_t n_laws, n_flows, n_stochastic, n_immediate, n_timed;
  uint32_t *flow;    /* the laws that flow */
  ff_petri_member *stochastic, *immediate, *timed; /* by their own numbers */
  ff_petri_factor *factor;                         /* of each stochastic one */
  ff_petri_derived *derived;
  uint32_t n_derived;
  ff_petri_profile *profile;
  uint32_t n_profiles;
  ff_petri_moving *moving;
  uint32_t n_moving;
  ff_formula *observer; /* the variables, in their own order, as functions of places and, from n_places on, settable parameters */
  uint32_t depth;       /* of the stack that any formula needs */
  uint32_t most_rows, most_reads;

  ff_petri_event_law *event;
  uint32_t n_events, most_sets;
  uint32_t n_settable, *settable; /* parameters that events set: their numbers. Their values come after the time */
  size_t *event_first;  /* for each value: where the list of events begins whose triggers read it; NULL without events */
  uint32_t *event_of;

  /* What is computed anew when a value changes. derived_of and member_of have lists for each value. */
  size_t *derived_first, *member_first;
  uint32_t *derived_of;
  ff_petri_member *member_of;
  uint8_t *stirs;       /* for each value: 1 if a flow, a profile, or the formula of a switch reads it */
  uint8_t timed_flows, timed_profiles, timed_switches;

  /* Groups of stochastic transitions, each with a clock. A cell is the transitions of a group that have one profile. */
  uint32_t n_groups, n_cells;
  uint32_t *cell_first;   /* of each group, and the end */
  uint32_t *cell_profile; /* of each cell */
  size_t *cell_members;   /* of each cell, and the end: where its members begin */
  uint32_t *member;       /* numbers of stochastic transitions, ascending in each cell */
  uint32_t *cell_of;      /* of each stochastic transition */
  uint32_t *group_of;     /* of each cell */

  /* Levels that flows may take below 0, unless this is prevented: a flow takes from them whose rate need not vanish with the
   * level. With semantics "bio", a level below 0 is a failure, so all levels are listed. Flows are numbered in the order of
   * laws; flow t changes the level arc_level[k] by arc_by[k] for k from arc_first[t] on; taker_* have the same for levels.
   * NULL if no level is listed, or for "bio". */
  uint32_t *watched, n_watched, n_all_flows;
  size_t *arc_first, *taker_first, *taker_arc; /* taker_arc: the arc k that this is */
  uint32_t *arc_level, *taker;
  double *arc_by;
  uint8_t flows_vary; /* whether some of arc_by are formulas */

  /* Of a block of a larger net: level i changes by linear_by[k] times the value linear_value[k], for k from linear_first[i] on,
   * and by the flows of laws single[k]. NULL otherwise. Given values come first: their sums do not depend on the block's
   * levels. */
  size_t *linear_first;
  uint32_t *linear_value, *single, n_singles;
  double *linear_by;
  uint8_t *is_read; /* of each given value: whether a formula reads it, not only such multiples. NULL as well */

  /* Where the derivatives of flows by levels are not 0, for implicit steps; NULL for explicit ones. */
  size_t *column_first;
  uint32_t *column_row;
  ff_sparse_order *order; /* NULL unless all steps are implicit, or GPUs may have implicit steps */
  uint32_t *column_group, n_column_groups; /* see ff_ode_group_columns(). NULL unless GPUs may have implicit steps */
} ff_petri_program;

#define FF_PETRI_FEW_LEVELS 8u /* at most: code for a net has implicit steps for so many levels, */
#define FF_PETRI_STIFF_LEVELS 512u /* and nets as data for so many, and so many derivatives */
#define FF_PETRI_STIFF_ENTRIES 65536u

/* Compiles a net, which is borrowed. The caller frees *out with ff_petri_program_free(), which accepts NULL. FF_EARGUMENT for
 * tolerances that are not numbers above 0. O(size of the net); of an elimination, too, if all steps are implicit, or
 * GPUs may have implicit steps. */
ff_status ff_petri_program_new(ff_petri_program **out, const ff_petri_flat *flat, const ff_petri_options *options, ff_error *err);
void ff_petri_program_free(ff_petri_program *program);

/* The value of a formula that is simple, from the values of its symbols. The bits are those of ff_formula_value(). */
static inline double ff_petri_simple_value(const ff_petri_term *term, const double *value) {
  if (term->simple == FF_PETRI_MULTIPLE) return term->number * value[term->symbol];
  return term->simple == FF_PETRI_SYMBOL ? value[term->symbol] : term->number;
}

/* The number of the net's transition i of a law, and back. O(1), O(log laws). */
static inline uint32_t ff_petri_number_of(const ff_petri_program *p, ff_petri_member m) {
  return (uint32_t)(p->law[m.law].first + m.i);
}
ff_petri_member ff_petri_member_of(const ff_petri_program *program, uint64_t transition);

/* Whether a value is a level of another block. */
static inline int ff_petri_is_given_value(const ff_petri_program *p, uint32_t value) {
  return value >= p->n_levels && value < p->n_levels + p->n_given;
}

/* Whether a value is a level, of this net or of another block. */
static inline int ff_petri_is_level(const ff_petri_program *p, uint32_t value) { return value < p->n_levels + p->n_given; }

/* The value of a symbol of transition i. O(1). */
static inline uint32_t ff_petri_value_of(const ff_petri_law *law, uint32_t row, uint32_t i) {
  return law->index[(size_t)row * law->n + i];
}

/* The value of a symbol of observers: a place, or a settable parameter. O(1). */
static inline uint32_t ff_petri_observed_value(const ff_petri_program *p, uint32_t symbol) {
  return symbol < p->n_places ? p->place_value[symbol] : p->time + 1 + (symbol - p->n_places);
}

#endif
