/* The net that a coloured net stands for: a place for each colour of each place, and a transition for each binding of the
 * indices of each transition. Transitions that differ in their colours alone stay together as a family: one program, and arrays
 * of places. */
#ifndef FF_PETRI_FLAT_H
#define FF_PETRI_FLAT_H

#include "ff_petri.h"

#define FF_PETRI_MAX_PLACES (UINT32_C(1) << 28)
#define FF_PETRI_MAX_TRANSITIONS (UINT32_C(1) << 27) /* of two places each, these take 5 GB */

typedef struct {
  ff_petri_arc_kind kind; /* no modifiers */
  uint32_t slot;
  double number;     /* the weight, if `weight` is empty */
  ff_formula weight; /* of the family's symbols */
} ff_petri_flat_arc;

/* n transitions of one coloured transition. Each has n_slots places (or variables) that it touches or reads, all different: slot
 * k of transition i is the symbol slot[k * n + i]. Symbols of the family's formulas are its slots, from 0, then its numbers
 * (values of components of indices that formulas name): number[k * n + i], and then the parameters of the net.
 *
 * Bindings of one coloured transition whose slots coincide in another way, or whose rate is another piece, are another family.
 * Arcs of one kind on one slot are merged: weights of standard arcs are added, and of tests, the strictest counts. A transition
 * that cannot fire, because its rate is the number 0 or it is tested for two different numbers, is in no family. */
typedef struct {
  uint32_t transition; /* of the coloured net */
  ff_petri_kind kind;
  uint32_t n, n_slots, n_numbers, n_arcs;
  uint32_t *slot;
  double *number;
  ff_petri_flat_arc *arc; /* at most one of each kind for a slot */
  ff_formula rate;        /* the rate, weight or delay */
  uint8_t mass_action;    /* as in ff_petri_piece; the arcs FF_ARC_IN tell what is taken */
  double at[3];           /* begin, period and end of a scheduled transition */
  int64_t *binding;       /* the values of the transition's components of indices: binding[i * width] ... */
  uint32_t width;
} ff_petri_family;

/* The struct owns its arrays; `net` is borrowed, and gives names. Symbols of the net are its places, from 0, and then its
 * variables. */
typedef struct {
  const ff_petri *net;
  uint32_t n_places, n_variables, n_families, n_parameters;
  uint64_t n_transitions;
  uint32_t *first;     /* place p of the net with its colour c is the place first[p] + c; first[net->n_places] is n_places */
  uint8_t *continuous; /* for each place */
  uint8_t *fixed;
  double *initial;     /* of discrete places: whole numbers from 0 to FF_MAX_COUNT; all are finite and at least 0 */
  double *parameter;   /* their values */
  ff_petri_family *family; /* in the order of the coloured transitions; of one transition, in the order of their first bindings */
  ff_formula *variable; /* of places, then variables, then parameters */
  uint32_t *order;      /* of the variables: each comes after those that its formula names */
  ff_event *event;      /* their symbols are those of variables; they set places and parameters, each event all different ones */
  uint32_t n_events;
  uint32_t *never;      /* transitions of the coloured net that have no binding */
  uint32_t n_never;
} ff_petri_flat;

/* Unfolds a net, on which ff_petri_finish() has been called, by steps of bounded work. How many places there will be is known,
 * and checked, before they are made. The order of the bindings of a transition is lexicographic in its indices, in the order in
 * which the net declares them. A binding for which a colour of an arc is not in the set of its place is none; neither is one for
 * which its rate names such a colour. The caller frees *out with ff_unfolder_free(), which accepts NULL. */
typedef struct ff_unfolder ff_unfolder;
ff_status ff_unfolder_new(ff_unfolder **out, const ff_petri *net, ff_error *err);
/* Goes on for about `budget` steps of work. At the end, *flat becomes the net; the caller frees it with ff_petri_flat_free(). */
ff_status ff_unfolder_step(ff_unfolder *unfolder, uint64_t budget, ff_petri_flat **flat, ff_error *err);
void ff_unfolder_free(ff_unfolder *unfolder);
void ff_petri_flat_free(ff_petri_flat *flat); /* accepts NULL */

/* All at once. */
ff_status ff_petri_unfold(ff_petri_flat **out, const ff_petri *net, ff_error *err);

/* The name of a flat place: Ca[3,5], or with between = "_", Ca_3_5. Returns its length; writes at most `size` bytes, with the
 * end. O(length). */
size_t ff_petri_place_name(char *out, size_t size, const ff_petri_flat *flat, uint32_t place, const char *between);
/* The name of transition i of a family: its name and binding, such as diffuse[1,2,1,3] (with the values of its indices). */
size_t ff_petri_transition_name(char *out, size_t size, const ff_petri_flat *flat, uint32_t family, uint32_t i,
                                const char *between);
/* The name of a variable. Those that the net does not name are sums over the colours of a place: sum(Ca). */
size_t ff_petri_variable_name(char *out, size_t size, const ff_petri_flat *flat, uint32_t variable);
/* Fails with FF_EMODEL if two places, named variables or parameters have the same name when colours are written with `between`:
 * A_1 with the colour 2, and A with the colour (1, 2). The message has both. O(length of all names) on average, and as much
 * memory as 32 bytes for each. */
ff_status ff_petri_check_names(const ff_petri_flat *flat, const char *between, ff_error *err);
/* Finds a place by its name in R, such as Ca[3,5]. -1 if there is none. */
int64_t ff_petri_find_place(const ff_petri_flat *flat, const char *name, size_t length);

#endif
