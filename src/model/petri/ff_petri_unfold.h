/* What the files of the unfolding share. */
#ifndef FF_PETRI_UNFOLD_H
#define FF_PETRI_UNFOLD_H

#include "ff_petri_flat.h"
#include "ff_petri_internal.h"

/* ---- elements: ff_petri_bind.c ------------------------------------------------------------------------------------ */

/* An element whose place is found for each binding. */
typedef struct {
  const ff_colours *set; /* NULL for an uncoloured place */
  uint32_t first;        /* the flat place of its first colour */
  uint32_t width;
  ff_colour_expr colour[FF_COLOUR_MAX_WIDTH]; /* expanded */
} ff_flat_element;

/* Where values of colours are computed: the values of all components of indices, and a stack. */
typedef struct {
  ff_colour_scope scope;
  int64_t *component, *stack;
  size_t capacity; /* of the stack */
} ff_colour_place;

ff_status ff_flat_element_make(ff_flat_element *out, const ff_petri *net, const uint32_t *first, const ff_petri_element *element,
                               ff_colour_place *at, ff_error *err);
void ff_flat_element_free(ff_flat_element *element);
/* The flat place of an element for the values of components. Returns 0 if its colour is not in the set. O(length of the
 * colours). */
int ff_flat_element_find(const ff_flat_element *element, const ff_colour_place *at, uint32_t *place);

/* Expands an expression, and makes room on the stack for it. */
ff_status ff_colour_place_expand(ff_colour_expr *out, const ff_colour_expr *expr, ff_colour_place *at, ff_error *err);

/* Whether an expression holds; an empty one does, and one that has no value does not. */
int ff_colour_holds(const ff_colour_expr *expr, const ff_colour_place *at);

/* ---- bindings ----------------------------------------------------------------------------------------------------- */

/* All bindings of the indices that are marked, for which `guard` holds. */
typedef struct {
  ff_binder *binder; /* NULL if there are no indices */
  ff_colour_expr guard;
  uint32_t *index, n_indices;
  uint32_t *component, width; /* the number of each component that is bound */
  uint64_t n, next;           /* once all are known: how many there are, and the next to look at */
  uint64_t nodes;
  int done;
} ff_bindings;

/* Marks the components of indices that an expression or a formula names. */
void ff_mark_colour(uint8_t *component, const ff_colour_expr *expr);
void ff_mark_formula(uint8_t *component, const ff_petri *net, const ff_formula *formula);

/* `guard` is expanded, belongs to *out afterwards, also on failure, and is empty then. An index is bound if one of its
 * components is marked. */
ff_status ff_bindings_start(ff_bindings *out, const ff_petri *net, const uint8_t *component, ff_colour_expr *guard,
                            const ff_colour_place *at, ff_error *err);
/* Goes on; takes from *budget. */
ff_status ff_bindings_step(ff_bindings *b, const ff_colour_place *at, int64_t *budget, ff_error *err);
/* Sets the values of components to those of binding i. */
void ff_bindings_set(const ff_bindings *b, uint64_t i, ff_colour_place *at);
void ff_bindings_free(ff_bindings *b);

/* The smallest and the largest colour of component k of a set of numbers. Returns 0 if it has none, or names. */
typedef struct {
  uint8_t known, numbers;
  int64_t low, high;
} ff_bounds;
int ff_bounds_of(ff_bounds *cache, const ff_petri *net, uint32_t set, uint32_t k, ff_bounds *out);

/* Adds to a guard that a component of an element's colour is within the bounds of its set, where this is arithmetic, so that the
 * search is narrowed. */
ff_status ff_guard_narrow(ff_colour_expr *guard, const ff_petri *net, ff_bounds *cache, const ff_petri_element *element,
                          const ff_flat_element *flat, ff_error *err);

/* ---- the unfolder: ff_petri_unfold.c ------------------------------------------------------------------------------ */

typedef struct ff_petri_plan ff_petri_plan;
typedef struct ff_petri_start ff_petri_start;

struct ff_unfolder {
  const ff_petri *net;
  ff_petri_flat *flat;
  int phase;
  uint32_t next; /* marking or transition */
  ff_colour_place at;
  ff_bounds *bounds;    /* of each set and component */
  uint32_t *sum_of;     /* of each place of the net: the variable that is its sum, or FF_PETRI_NONE */
  uint32_t *symbol_to;  /* for each symbol of a formula of the net: a symbol of the family, if the formula names it */
  double *value;        /* of symbols of formulas: parameters and components */
  double *stack;        /* of formulas */
  size_t stack_capacity;
  uint32_t families;    /* before the transition that is unfolded */
  ff_petri_plan *plan;  /* of this transition */
  ff_petri_start *start; /* of the marking that is applied */
};

/* The value of a formula of parameters and components: ff_petri_bind.c. */
ff_status ff_unfolder_value(ff_unfolder *u, const ff_formula *formula, double *value, ff_error *err);

/* Applies a marking by steps: ff_petri_start.c. *done becomes 1 at the end. */
ff_status ff_unfolder_mark(ff_unfolder *u, uint32_t marking, int64_t *budget, int *done, ff_error *err);
void ff_petri_start_free(ff_petri_start *start);
/* Checks the initial markings. O(places). */
ff_status ff_unfolder_check_initial(const ff_unfolder *u, ff_error *err);

/* Unfolds a transition by steps: ff_petri_plan.c. */
ff_status ff_unfolder_bind(ff_unfolder *u, uint32_t transition, int64_t *budget, int *done, ff_error *err);
void ff_petri_plan_free(ff_petri_plan *plan);

/* ---- families: ff_petri_family.c ---------------------------------------------------------------------------------- */

/* A family that grows. */
typedef struct {
  ff_petri_family out;
  uint32_t piece;     /* of the transition; FF_PETRI_NONE if there is none that holds */
  uint64_t key;       /* a hash of `pattern` */
  uint32_t *pattern;  /* for each element that it uses: the first with the same place */
  uint32_t n_pattern;
  uint32_t *source;   /* for each slot: the place in the list of elements, or a symbol of the net */
  uint32_t n_places;  /* slots that are elements; the others are variables */
  uint32_t *component; /* of each number */
  uint32_t *row;      /* the places of each transition */
  size_t capacity, number_capacity, binding_capacity;
  double *number;
  int dropped;        /* its transitions never fire */
} ff_family_builder;

/* Starts a family. `element` are the n elements of the transition that it uses. */
ff_status ff_family_start(ff_family_builder *out, ff_unfolder *u, uint32_t transition, uint32_t piece, const uint32_t *element,
                          const uint32_t *pattern, uint32_t n, ff_error *err);
/* Adds the transition of a binding; place[k] is the place of element k of the transition. O(slots) on average. */
ff_status ff_family_add(ff_family_builder *to, const uint32_t *element, const uint32_t *place, const ff_bindings *bindings,
                        const int64_t *component, ff_error *err);
/* Passes the family on. */
ff_status ff_family_finish(ff_petri_family *out, ff_family_builder *from, ff_error *err);
void ff_family_builder_free(ff_family_builder *builder);
void ff_petri_family_free(ff_petri_family *family);

#endif
