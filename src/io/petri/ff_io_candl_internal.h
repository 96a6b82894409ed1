/* What the files of the inner texts share. */
#ifndef FF_IO_CANDL_INTERNAL_H
#define FF_IO_CANDL_INTERNAL_H

#include "ff_io_candl.h"

/* ---- pieces of a text: ff_io_candl_scan.c ------------------------------------------------------------------------------- */

/* The kind is 'a' of a name, '0' of a number, '"' of a text in quotes (without them in the span), 0 at the end, and else the
 * first character of an operator: <= >= != <> && || == are one token. */
typedef struct {
  char kind;
  ff_span span;
  size_t start; /* its first byte */
} ff_candl_token;

int ff_candl_starts_name(char c);
int ff_candl_continues_name(char c);
size_t ff_candl_name_length(ff_span text); /* of the name at the start; 0 if there is none */
int ff_candl_is_name(ff_span text);
/* Reads the token at *at, and moves *at behind it. */
ff_candl_token ff_candl_next(ff_span text, size_t *at);

/* The position of the first `sign` from `from` on that is outside of brackets of all kinds and quotes; text.length if there is
 * none. O(length). */
size_t ff_candl_find(ff_span text, size_t from, const char *sign);
/* The position of the bracket that closes the one at `open`; text.length if there is none. O(length). */
size_t ff_candl_close(ff_span text, size_t open);
/* Takes the part before the first `sign` from the start of *rest, without blanks. Returns 0 if *rest is at its end: its text
 * is NULL.
 * */
int ff_candl_part(ff_span *rest, const char *sign, ff_span *part);
/* If a text starts with "[", takes what is within the brackets from its start. *inside is empty if there is none. Returns 0 if
 * the bracket is not closed. */
int ff_candl_predicate(ff_span *text, ff_span *inside);

/* ---- names: ff_io_candl.c ----------------------------------------------------------------------------------------------- */

typedef enum { FF_CANDL_CONSTANT, FF_CANDL_INDEX, FF_CANDL_PLACE, FF_CANDL_OBSERVER } ff_candl_kind;

typedef struct {
  ff_build ids;
  uint32_t *kind, *number; /* of each id; `number` is that of the net */
  size_t kinds, numbers;
} ff_candl_table;

typedef struct {
  ff_span name, text; /* kept by the ff_candl */
  ff_place place;
  int whole;          /* of type int or bool */
  ff_formula formula; /* of constants, by number */
  double value;
  int state;          /* 0: not computed, 1: being computed, 2: computed */
} ff_candl_value;

/* A set or an index that waits for others. */
typedef struct {
  ff_span name, text;
  ff_place place;
  int is_index, done;
} ff_candl_waiting;

/* A function of numbers. */
typedef struct {
  ff_span name, body;
  ff_span *argument;
  uint32_t n_arguments;
} ff_candl_macro;

/* A colour that a text names: expressions and their texts in R's grammar. The struct owns them. */
typedef struct {
  ff_colour_expr expr[FF_COLOUR_MAX_WIDTH];
  char *text[FF_COLOUR_MAX_WIDTH];
  uint32_t width;
} ff_candl_colour;

/* What an input arc of the transition takes or tests. */
typedef struct {
  ff_petri_arc_kind kind;
  uint32_t place, inscription;
  char *element; /* in R's grammar, such as Ca[x, y] */
  ff_candl_colour colour;
  double weight; /* NaN if it is not a number */
  char *when;    /* the predicate of this part of the inscription, in R's grammar; NULL if it has none */
} ff_candl_input;

#define FF_CANDL_MOST_CONDITIONS 5u

struct ff_candl {
  ff_petri *net;
  const ff_io_petri_options *options;
  ff_error *err;
  char **kept; /* copies of texts */
  size_t n_kept, kept_capacity;
  ff_candl_table symbols; /* of formulas: constants, indices, places, observers */
  ff_candl_table sets;
  ff_candl_table macros;
  ff_candl_table transitions;
  ff_candl_value *value; /* constants */
  size_t n_values, values_capacity;
  ff_candl_waiting *waiting;
  size_t n_waiting, waiting_capacity;
  ff_candl_waiting *observer;
  size_t n_observers, observers_capacity;
  int observed; /* observers are in the net */
  ff_candl_macro *macro;
  size_t n_macros, macros_capacity;
  ff_colours **colours; /* of each set of the net, made when they are needed */
  size_t n_colours;
  ff_candl_input *input; /* of transition `transition` */
  size_t n_inputs, inputs_capacity;
  uint32_t transition, inscriptions;
  const char *condition[FF_CANDL_MOST_CONDITIONS]; /* on colours, in R's grammar, that decide about the present rate */
  uint32_t n_conditions;
  unsigned holds; /* a bit for each condition that is taken to hold */
};

/* Adds a name. One that is there already is an error, as is a text that is no name. `what` is what it names. */
ff_status ff_candl_declare(ff_candl *candl, ff_candl_table *table, ff_candl_kind kind, uint32_t number, ff_span name,
                           const char *what, ff_place place);
/* Finds a name: its id, or -1. */
int64_t ff_candl_lookup(ff_candl_table *table, ff_span name);
/* Sets the error "no WHAT is called NAME", with a suggestion. */
ff_status ff_candl_unknown(ff_candl *candl, ff_candl_table *table, const char *what, ff_span name, ff_place place);
/* A terminated copy that lives as long as the ff_candl; NULL without memory. */
const char *ff_candl_keep(ff_candl *candl, ff_span text);
ff_status ff_candl_no_memory(ff_candl *candl);
/* Forgets the inputs of the present transition. */
void ff_candl_forget_inputs(ff_candl *candl);
/* Puts the place in front of the message of a function that has none. */
ff_status ff_candl_at(ff_candl *candl, ff_status status, ff_place place);
/* A name in a formula, in backquotes if the grammar needs them. */
void ff_candl_put_name(ff_out *out, const char *name);
/* Frees the contents, and empties it. */
void ff_candl_colour_free(ff_candl_colour *colour);

/* ---- colours: ff_io_candl_colour.c -------------------------------------------------------------------------------------- */

/* Reads "(x,+y)" or "x" as a colour of a set; the caller frees the contents of *out with ff_candl_colour_free(). */
ff_status ff_candl_colour_read(ff_candl *candl, ff_candl_colour *out, ff_span text, uint32_t set, ff_place place);
/* A colour of a set by its number, all of whose components are constant. */
ff_status ff_candl_colour_at(ff_candl *candl, ff_candl_colour *out, uint32_t set, uint32_t number);
/* The colours of a set, which belong to the ff_candl. */
ff_status ff_candl_colours(ff_candl *candl, uint32_t set, const ff_colours **out);
/* 1 if a text is `all` or `all()`. */
int ff_candl_is_all(ff_span text);
/* "Ca[x, next(y)]", as a new string. */
ff_status ff_candl_element(ff_candl *candl, char **out, uint32_t place, const ff_candl_colour *colour);
/* The number of components of the colours of a place. */
uint32_t ff_candl_width(const ff_candl *candl, uint32_t place);
/* A predicate in R's grammar, as a new string; NULL if it is empty or `true`. */
ff_status ff_candl_when(ff_candl *candl, char **out, ff_span text, ff_place place);

/* ---- conditions on colours: ff_io_candl_equal.c ------------------------------------------------------------------------- */

/* Writes an expression of colours as a formula. FF_EUNSUPPORTED for what formulas cannot say. */
ff_status ff_candl_formula_of_colour(ff_candl *candl, ff_out *out, const ff_colour_expr *expr, ff_place place);
/* Whether two colours of one set are equal. If this depends on the indices, it is a condition on which the rate depends, and
 * *equal tells whether candl->holds takes it to be true. */
ff_status ff_candl_equal(ff_candl *candl, int *equal, const ff_candl_colour *a, const ff_candl_colour *b, ff_place place);

/* Whether a condition on colours, in R's grammar, is taken to hold. The rate then depends on it. */
ff_status ff_candl_condition(ff_candl *candl, int *holds, const char *text, ff_place place);

/* ---- numbers: ff_io_candl_number.c -------------------------------------------------------------------------------------- */

/* What a formula may name, beside constants. */
typedef enum {
  FF_CANDL_ONLY_CONSTANTS = 0,
  FF_CANDL_MAY_PLACES = 1,   /* and observers */
  FF_CANDL_MAY_INDICES = 2,
  FF_CANDL_MAY_TIME = 4,
  FF_CANDL_MAY_LAWS = 8,     /* MassAction() and its like, and bare coloured places: a rate of the present transition */
  FF_CANDL_MAY_START = 16    /* _SimStart, which is 0, and _SimEnd, which is infinite: times of a scheduled transition */
} ff_candl_may;

/* A formula of numbers in R's grammar, as a new string. O(length of the text that it becomes). */
ff_status ff_candl_number(ff_candl *candl, char **out, ff_span text, unsigned may, ff_place place);
/* The value of a text that names constants alone; NaN if it names anything else: ff_io_candl_constants.c. */
ff_status ff_candl_value_of(ff_candl *candl, double *value, ff_span text, ff_place place);

/* ---- laws: ff_io_candl_law.c -------------------------------------------------------------------------------------------- */

/* MassAction and its like; `argument` has the texts of their arguments in R's grammar. Writes the formula. */
typedef enum { FF_CANDL_MASS_ACTION, FF_CANDL_LEVELS, FF_CANDL_MICHAELIS, FF_CANDL_NO_LAW } ff_candl_law;
ff_candl_law ff_candl_law_of(ff_span name);
ff_status ff_candl_put_law(ff_candl *candl, ff_out *out, ff_candl_law law, const char *const *argument, ff_place place);
/* Writes the sum over the colours of a place that the last inscription of its inputs picks. */
ff_status ff_candl_put_picked(ff_candl *candl, ff_out *out, uint32_t place, ff_span name, ff_place where);
/* The rate k of MassAction(k) for ff_petri_number() with mass action, and whether it is one; else the whole formula. */
ff_status ff_candl_mass_action(ff_candl *candl, char **out, int *mass_action, const char *k, ff_place place);

#endif
