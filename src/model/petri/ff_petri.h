/* The model of a coloured hybrid Petri net, as its author writes it: places, transitions and arcs with colours.
 * ff_petri_flat.h has the net that it stands for.
 *
 * Places hold tokens: whole numbers of them if they are discrete, a level if they are continuous. Transitions change places:
 *   stochastic     fires at random times; its rate is a propensity
 *   continuous     flows all the time; its rate is a speed
 *   immediate      fires as soon as it is enabled; of several, one is chosen with a probability in proportion to its weight
 *   deterministic  fires when it has been enabled without interruption for its delay
 *   scheduled      fires at the times begin, begin + period, ... up to end, if it is then enabled
 * An uncoloured place has one colour, the empty tuple. */
#ifndef FF_PETRI_H
#define FF_PETRI_H

#include "../reactions/ff_event.h"
#include "ff_colour.h"

#define FF_PETRI_NONE UINT32_MAX

/* ---- places ------------------------------------------------------------------------------------------------------- */

typedef struct {
  char *name;
  uint32_t set; /* of its colours; FF_PETRI_NONE for an uncoloured place */
  uint8_t continuous;
  uint8_t fixed; /* no transition changes it */
} ff_petri_place;

/* A place with an expression for each component of its colour, such as Ca[x, next(y)]; or, with `all`, the sum over all colours.
 * `colour` has the width of the place's set. */
typedef struct {
  uint32_t place;
  uint8_t all;
  ff_colour_expr *colour;
  uint32_t width;
} ff_petri_element;

/* The initial marking: the value of `value` is that of the element for each binding of the indices that occur, if `when` holds.
 * Later markings replace earlier ones, or with `adds`, are added to them. Places without a marking have 0. */
typedef struct {
  ff_petri_element element; /* `all`: each colour has the value (this is no sum) */
  ff_colour_expr when;
  ff_formula value; /* of parameters and indices. With `all`, an index that is not in `when` stands for the first component
                     * that has its set and for which no index before stands, of those that the value names. */
  uint8_t adds;
} ff_petri_marking;

/* ---- transitions -------------------------------------------------------------------------------------------------- */

/* The columns are: the code, its name in R, and the name of its number in R. */
#define FF_PETRI_KINDS(X)                                                                                                     \
  X(FF_PETRI_STOCHASTIC, "stochastic", "rate")                                                                                \
  X(FF_PETRI_CONTINUOUS, "continuous", "flow")                                                                                \
  X(FF_PETRI_IMMEDIATE, "immediate", "weight")                                                                                \
  X(FF_PETRI_DETERMINISTIC, "deterministic", "delay")                                                                         \
  X(FF_PETRI_SCHEDULED, "scheduled", "at")

typedef enum {
#define FF_X(code, name, number) code,
  FF_PETRI_KINDS(FF_X)
#undef FF_X
  FF_PETRI_KINDS_COUNT
} ff_petri_kind;

/* The columns are: the code, and what it does. m is the marking of the place, w the weight of the arc. */
#define FF_PETRI_ARCS(X)                                                                                                      \
  X(FF_ARC_IN, "takes w; enabled if m >= w")                                                                                  \
  X(FF_ARC_OUT, "adds w")                                                                                                     \
  X(FF_ARC_READ, "enabled if m >= w")                                                                                         \
  X(FF_ARC_INHIBITOR, "enabled if m < w")                                                                                     \
  X(FF_ARC_EQUAL, "enabled if m = w")                                                                                         \
  X(FF_ARC_RESET, "sets m to 0 before anything is added")                                                                     \
  X(FF_ARC_MODIFIER, "only tells that the rate names the place")

typedef enum {
#define FF_X(code, does) code,
  FF_PETRI_ARCS(FF_X)
#undef FF_X
  FF_ARC_COUNT
} ff_petri_arc_kind;

typedef struct {
  ff_petri_arc_kind kind;
  uint32_t element;  /* of the transition; never one that is `all` */
  ff_formula weight; /* a function of parameters, indices and elements; empty for 1. Of a reset or modifier, empty. */
} ff_petri_arc;

/* The number of a transition: its rate, weight or delay. The first piece whose `when` holds counts; without one, the number is
 * 0. */
typedef struct {
  ff_colour_expr when; /* empty: holds */
  ff_formula value;    /* a function of parameters, variables, indices, elements and the time */
  uint8_t mass_action; /* multiplied by the number of ways to choose what the standard input arcs take: x (x - 1) ... / k! for
                        * weight k. Of a flow, by the limit of this for many tokens: x^k / k!. Weights must then be whole
                        * numbers. */
} ff_petri_piece;

typedef struct {
  char *name;
  ff_petri_kind kind;
  ff_colour_expr guard; /* empty: true */
  ff_petri_element *element;
  ff_petri_arc *arc;
  ff_petri_piece *piece; /* none if it is scheduled */
  uint32_t n_elements, n_arcs, n_pieces;
  ff_formula at[3]; /* of a scheduled transition: begin, period and end, functions of parameters; an empty end is infinity, an
                     * empty period is 0, and a period of 0 or less means once */
} ff_petri_transition;

/* A formula with a name. It may name any symbols but indices, and does not depend on itself. */
typedef struct {
  char *name;
  ff_petri_element *element;
  uint32_t n_elements;
  ff_formula value;
} ff_petri_variable;

/* An event of SBML. Symbols of its formulas are as in a variable, and its elements are those that its formulas name and those
 * that it sets. It sets parameters (by their numbers) and elements, which are one colour of a place or, with `all`, every colour;
 * its targets all differ. */
typedef struct {
  ff_event event;
  ff_petri_element *element;
  uint32_t n_elements;
} ff_petri_coloured_event;

/* ---- the net ------------------------------------------------------------------------------------------------------ */

/* Symbols of formulas are the parameters, from 0, then the variables, then the components of indices, and from
 * ff_petri_first_element() on the elements of the transition, variable or marking. The struct owns all its arrays. Places,
 * variables, parameters and indices have names that are all different; so have sets, colours and functions, each within their
 * kind. */
typedef struct ff_petri_names ff_petri_names;
typedef struct {
  ff_petri_place *place;
  ff_petri_transition *transition;
  ff_petri_marking *marking;
  ff_petri_variable *variable;
  ff_petri_coloured_event *event;
  uint32_t n_places, n_transitions, n_markings, n_variables, n_events;
  char **parameter;
  double *value; /* of each parameter */
  char **definition; /* of each parameter: NULL, or type and formula in a file, such as "int D / 2 + 1"; only for writers */
  uint32_t n_parameters;

  ff_colour_definition *set;
  ff_colours **colours; /* of each set; NULL until ff_petri_finish() */
  char **colour;        /* names of colours */
  ff_colour_function *function;
  ff_colour_index *index;
  uint32_t n_sets, n_colours, n_functions, n_indices;
  uint32_t n_components; /* of all indices */
  ff_petri_names *names; /* finds all by their names */
} ff_petri;

/* Makes an empty net. The caller frees it with ff_petri_free(), which accepts NULL. The functions below then add to the end of
 * each list, so what they add has the number n - 1 afterwards. They copy their texts. FF_EMODEL if the name is taken or cannot
 * be written, for example because it is empty. O(1) on average, not counting the lengths of texts. */
ff_status ff_petri_new(ff_petri **out, ff_error *err);
void ff_petri_free(ff_petri *net);
ff_status ff_petri_add_parameter(ff_petri *net, const char *name, double value, ff_error *err);
/* Gives a parameter its definition, which must give its value. */
ff_status ff_petri_define_parameter(ff_petri *net, uint32_t parameter, const char *definition, ff_error *err);
ff_status ff_petri_add_place(ff_petri *net, const char *name, uint32_t set, int continuous, int fixed, ff_error *err);
ff_status ff_petri_add_transition(ff_petri *net, const char *name, ff_petri_kind kind, uint32_t *number, ff_error *err);
ff_status ff_petri_add_variable(ff_petri *net, const char *name, ff_error *err);
/* Events have names of their own. The caller sets `initially`, `persistent` and `late` of the new one. */
ff_status ff_petri_add_event(ff_petri *net, const char *name, ff_error *err);

/* Colours. A set of values takes whole numbers and names; `value` is copied. The sets of a product, subset or union are given by
 * name; the text of R, such as "X * Y", "A + B" or "Cell[x %% 2 == 1]", is ff_petri_add_set_text(). Indices must be added before
 * subsets whose predicates name them, so a set may be added before or after indices of other sets. */
ff_status ff_petri_add_colour(ff_petri *net, const char *name, int64_t *value, ff_error *err); /* finds it, or adds it */
ff_status ff_petri_add_values(ff_petri *net, const char *name, const int64_t *value, uint32_t n, ff_error *err);
ff_status ff_petri_add_set(ff_petri *net, const char *name, ff_colour_kind kind, const uint32_t *part, uint32_t n,
                           const char *predicate, ff_colour_dialect dialect, ff_place place, ff_error *err);
ff_status ff_petri_add_set_text(ff_petri *net, const char *name, const char *text, ff_place place, ff_error *err);
ff_status ff_petri_add_index(ff_petri *net, const char *name, const char *set, ff_error *err);
/* `argument` are n names, `set` the names of their sets (or NULL). */
ff_status ff_petri_add_function(ff_petri *net, const char *name, const char *const *argument, const char *const *set, uint32_t n,
                                const char *text, ff_colour_dialect dialect, ff_place place, ff_error *err);

/* The number of a place, a variable, a set or an index, or FF_PETRI_NONE if there is none of this name. O(length) on average. */
uint32_t ff_petri_place_number(const ff_petri *net, const char *name, size_t length);
uint32_t ff_petri_variable_number(const ff_petri *net, const char *name, size_t length);
uint32_t ff_petri_set_number(const ff_petri *net, const char *name, size_t length);
uint32_t ff_petri_index_number(const ff_petri *net, const char *name, size_t length);
/* The number of components of the colours of a set, also before ff_petri_finish(); 0 for FF_PETRI_NONE. O(1). */
uint32_t ff_petri_set_width(const ff_petri *net, uint32_t set);

/* What expressions of this net may name. It borrows from the net, and is valid until something is added. O(1). */
ff_colour_scope ff_petri_scope(const ff_petri *net);
uint32_t ff_petri_first_element(const ff_petri *net);

/* The texts of a transition; all places, parameters, variables and indices must have been added. ff_petri_text.c.
 *
 * An equation: `2 A[x] + B -> 5.4 C[next(x)]`, `A <-> B` (*both becomes 1: the caller adds a second transition with the sides
 * exchanged, `reverse` = 1). A weight is a number, or a formula in parentheses, such as `(n + 1) A`. `0` or nothing is an empty
 * side. A coloured place has all its components in brackets; an index of tuples stands for all of its components. */
ff_status ff_petri_equation(ff_petri *net, uint32_t transition, const char *text, int reverse, int *both, ff_place place,
                            ff_error *err);
/* Calls found(context, name, length) for each place of an equation, in its order and without quotes, also for those that occur
 * before. What is within brackets and parentheses is not looked at. O(length). */
ff_status ff_petri_equation_names(const char *text, void (*found)(void *context, const char *name, size_t length), void *context,
                                  int *both, ff_place place, ff_error *err);
/* Test arcs: comparisons of a place with a weight, joined by & : `S[x] >= 3 & B < 2 & C == 1`; on discrete places also > and <=.
 * Anything else is an error whose message tells to write `(condition) *` before the rate. */
ff_status ff_petri_tests(ff_petri *net, uint32_t transition, const char *text, ff_place place, ff_error *err);
/* Reset arcs: elements, separated by commas outside of brackets. */
ff_status ff_petri_resets(ff_petri *net, uint32_t transition, const char *text, ff_place place, ff_error *err);
ff_status ff_petri_guard(ff_petri *net, uint32_t transition, const char *text, ff_colour_dialect dialect, ff_place place,
                         ff_error *err);
/* A rate, weight or delay: adds a piece. `when` may be NULL. Elements that the formula names become modifiers unless an arc has
 * them already. `sum(Ca)` is the sum over all colours; a coloured place without brackets is an error that names both ways out. */
ff_status ff_petri_number(ff_petri *net, uint32_t transition, const char *when, const char *text, int mass_action, ff_place place,
                          ff_error *err);
ff_status ff_petri_at(ff_petri *net, uint32_t transition, int which, const char *text, ff_place place, ff_error *err);
ff_status ff_petri_variable_text(ff_petri *net, uint32_t variable, const char *text, ff_place place, ff_error *err);
/* The parts of an event; places have colours by numbers and names. A target is a parameter, `Ca[1, 2]`, or `Ca` for all colours.
 * `factor` may be NULL. */
typedef enum { FF_EVENT_TRIGGER, FF_EVENT_DELAY, FF_EVENT_PRIORITY } ff_event_part;
ff_status ff_petri_event_text(ff_petri *net, uint32_t event, ff_event_part part, const char *text, ff_place place, ff_error *err);
ff_status ff_petri_event_set_text(ff_petri *net, uint32_t event, const char *target, const char *value, const char *factor,
                                  ff_place place, ff_error *err);
/* A marking: `element` is `Ca` (all colours), `Ca[x, y]` or `Ca[1, 2]`; `when` may be NULL. */
ff_status ff_petri_add_marking(ff_petri *net, const char *element, const char *when, const char *value, int adds, ff_place place,
                               ff_error *err);
/* An arc from the parts that other grammars have: the weight and the components of the colour as texts in a dialect; adds the
 * element, or finds it. `colour` has `width` texts; the dialect of the weight is R's. */
ff_status ff_petri_add_arc(ff_petri *net, uint32_t transition, ff_petri_arc_kind kind, uint32_t place, const char *const *colour,
                           uint32_t width, const char *weight, ff_colour_dialect dialect, ff_place where, ff_error *err);

/* The same as texts in R's grammar, each a new string that the caller frees; NULL for what is empty. */
ff_status ff_petri_equation_text(char **out, const ff_petri *net, uint32_t transition, ff_error *err);
ff_status ff_petri_tests_text(char **out, const ff_petri *net, uint32_t transition, ff_error *err);
ff_status ff_petri_resets_text(char **out, const ff_petri *net, uint32_t transition, ff_error *err);
ff_status ff_petri_guard_text(char **out, const ff_petri *net, uint32_t transition, ff_error *err);
ff_status ff_petri_number_text(char **out, const ff_petri *net, uint32_t transition, uint32_t piece, ff_error *err);
ff_status ff_petri_when_text(char **out, const ff_petri *net, uint32_t transition, uint32_t piece, ff_error *err);
ff_status ff_petri_at_text(char **out, const ff_petri *net, uint32_t transition, int which, ff_error *err);
/* Of an arc: the text of its weight; NULL for a weight of 1. */
ff_status ff_petri_weight_text(char **out, const ff_petri *net, uint32_t transition, uint32_t arc, ff_error *err);
ff_status ff_petri_variable_value_text(char **out, const ff_petri *net, uint32_t variable, ff_error *err);
ff_status ff_petri_marking_text(char **element, char **when, char **value, const ff_petri *net, uint32_t marking, ff_error *err);
ff_status ff_petri_set_text(char **out, const ff_petri *net, uint32_t set, ff_error *err); /* NULL for a set of values */
ff_status ff_petri_element_text(char **out, const ff_petri *net, const ff_petri_element *element, ff_error *err);

/* Completes a net: makes the colours of all sets, and checks what may join what. A breach is FF_EMODEL; the message names the
 * transition, the place, what was found, and what is allowed:
 *   - a continuous transition and a discrete place that is not fixed have no standard arc between them; but a place that is on
 *     both sides with equal weight becomes a read arc, and a rate with mass action is then multiplied by x (x - 1) ... / k!
 *   - no equal arc from a continuous place; no reset by a continuous transition; no equal arc beside a read arc or an inhibitor
 *     of the same element
 *   - weights on discrete places are whole where they are numbers; mass action has whole numbers as weights
 *   - a fixed place is in no reset; what arcs take from it and add to it changes nothing
 *   - what an event sets is used in no colours and in no times of a scheduled transition
 *   - rates, weights and delays name no place whose colours are not given, indices have sets, parameters are finite.
 * O(size of the net + colours). */
ff_status ff_petri_finish(ff_petri *net, ff_error *err);

#endif
