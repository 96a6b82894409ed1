/* What the files of model/petri/ share. */
#ifndef FF_PETRI_INTERNAL_H
#define FF_PETRI_INTERNAL_H

#include "../ff_formula_code.h"
#include "ff_petri.h"

/* ---- names: ff_petri.c -------------------------------------------------------------------------------------------- */

typedef enum {
  FF_NAMES_PLACE,
  FF_NAMES_PARAMETER,
  FF_NAMES_VARIABLE,
  FF_NAMES_INDEX,
  FF_NAMES_SET,
  FF_NAMES_COLOUR,
  FF_NAMES_FUNCTION,
  FF_NAMES_KINDS
} ff_petri_name_kind;

/* Finds a name of the kind or, for the first four kinds, which share their names, of any of these: *kind becomes it. Returns its
 * number, or FF_PETRI_NONE. O(length) on average. */
uint32_t ff_petri_find(const ff_petri *net, ff_petri_name_kind *kind, const char *name, size_t length);

/* The name that was probably meant, of a place, parameter, variable or index; NULL if there is none. O(all names). */
const char *ff_petri_near(const ff_petri *net, const char *name, size_t length);

/* The name at the start of a text, which may be quoted: its bytes, with the quotes; 0 if there is none. *name has no quotes. */
size_t ff_petri_name_at(const char *text, size_t length, const char **name, size_t *name_length);

/* Makes room for one more in an array of n elements that is only enlarged by this function. Amortised O(1). */
ff_status ff_petri_room(void **memory, uint32_t n, size_t size, ff_error *err);

/* Whether component k of the colours of a set may be a name. O(1). */
int ff_petri_set_named(const ff_petri *net, uint32_t set, uint32_t k);

/* ---- elements and formulas: ff_petri_text.c ----------------------------------------------------------------------- */

void ff_petri_element_free(ff_petri_element *element);
int ff_petri_same_code(const ff_colour_expr *a, const ff_colour_expr *b);

/* A list of elements of a transition or variable, to which parsing adds. */
typedef struct {
  ff_petri *net;
  ff_petri_element **all;
  uint32_t *n;
  ff_place place;
  ff_error *err;
} ff_petri_elements;

/* Adds an element from its text, such as Ca[x, next(y)], or finds it; *at becomes its number. */
ff_status ff_petri_take_element(const ff_petri_elements *to, const char *text, size_t length, uint32_t *at);

/* The same for a place and `n` texts of colours. The texts need not be terminated. */
typedef struct {
  const char *text;
  size_t length;
} ff_petri_piece_text;
ff_status ff_petri_take_colours(const ff_petri_elements *to, uint32_t place, const ff_petri_piece_text *colour, uint32_t n,
                                ff_colour_dialect dialect, uint32_t *at);

/* Splits a text at commas that are outside of brackets and quotes. The caller frees *out. At least one piece. O(length). */
ff_status ff_petri_split(ff_petri_piece_text **out, uint32_t *n, const char *text, size_t length, ff_error *err);

/* What a formula may name besides parameters. */
enum { FF_MAY_ELEMENTS = 1, FF_MAY_VARIABLES = 2, FF_MAY_INDICES = 4, FF_MAY_TIME = 8 };

/* Parses a formula. `to` has no list (all == NULL) if it may not name elements. *out is empty on failure. */
ff_status ff_petri_parse_formula(ff_formula *out, const ff_petri_elements *to, const char *text, size_t length, unsigned may);

/* Adds an arc, whose weight then belongs to the net also on failure; weights of standard arcs of one element that are numbers are
 * added up. */
ff_status ff_petri_push_arc(ff_petri *net, uint32_t transition, ff_petri_arc_kind kind, uint32_t element, ff_formula *weight,
                            ff_error *err);

/* The weight of an arc if it is a number: 1 if it is empty. */
int ff_petri_weight(const ff_formula *weight, double *number);

/* A message about a transition begins with "transition NAME: ". */
typedef struct {
  char text[FF_QUOTE_SIZE + 20];
} ff_petri_label;
ff_petri_label ff_petri_label_of(const ff_petri *net, uint32_t transition);

#endif
