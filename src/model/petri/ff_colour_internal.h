/* What the files of colours share. */
#ifndef FF_COLOUR_INTERNAL_H
#define FF_COLOUR_INTERNAL_H

#include "ff_colour.h"

#define FF_COLOUR_MAX_WORDS (UINT32_C(1) << 24) /* of an expression */
#define FF_COLOUR_NONE INT64_MIN                /* stands for "no value" on a stack */

static inline int ff_colour_is_number(int64_t value) { return value > -FF_COLOUR_MOST && value < FF_COLOUR_MOST; }

/* ---- code --------------------------------------------------------------------------------------------------------------- */

/* Code that grows. The struct owns the words until ff_colour_finish() passes them to an expression. */
typedef struct {
  ff_colour_word *word;
  size_t length, capacity;
  uint32_t height, depth; /* of the stack that the code so far needs */
} ff_colour_builder;

/* Appends a word that has this number of operands. Fails with FF_ESIZE after FF_COLOUR_MAX_WORDS words. Amortised O(1). */
ff_status ff_colour_push(ff_colour_builder *builder, ff_colour_word word, uint32_t operands, ff_error *err);

/* Passes the words to *out. `builder` is empty afterwards. O(1), not counting the move of the words. */
void ff_colour_finish(ff_colour_expr *out, ff_colour_builder *builder);

uint32_t ff_colour_operands(const ff_colour_scope *scope, const ff_colour_word *word);

/* How tightly an operation binds in a dialect. */
enum {
  FF_COLOUR_ANY,
  FF_COLOUR_OR_LEVEL,
  FF_COLOUR_AND_LEVEL,
  FF_COLOUR_NOT_LEVEL,
  FF_COLOUR_EQUAL_LEVEL,
  FF_COLOUR_ORDER_LEVEL,
  FF_COLOUR_SUM_LEVEL,
  FF_COLOUR_PRODUCT_LEVEL,
  FF_COLOUR_REST_LEVEL, /* of %% and %/% in R */
  FF_COLOUR_SIGN_LEVEL,
  FF_COLOUR_POWER_LEVEL,
  FF_COLOUR_ATOM
};
int ff_colour_level(uint32_t code, ff_colour_dialect dialect);

static inline int ff_colour_compares(uint32_t code) { return code >= FF_C_LT && code <= FF_C_NE; }
static inline int ff_colour_steps(uint32_t code) { return code == FF_C_NEXT || code == FF_C_PREVIOUS; }
/* Whether a word is what next() and previous() take: an index, an argument, or a neighbour of one. */
static inline int ff_colour_moves(uint32_t code) {
  return ff_colour_steps(code) || code == FF_C_INDEX || code == FF_C_ARGUMENT;
}

/* The value of an operation on values, FF_COLOUR_NONE if there is none. A unary operation takes x. Not for next() and previous().
 * O(1), O(log value) for powers. */
int64_t ff_colour_operate(uint32_t code, int64_t x, int64_t y);

/* The value of some words of expanded code, FF_COLOUR_NONE if there is none. O(length). */
int64_t ff_colour_run(const ff_colour_word *word, uint32_t length, const ff_colour_scope *scope, const int64_t *component,
                      int64_t *stack);

/* ---- sets before they are made: only their definitions are read --------------------------------------------------------- */

/* The components of the colours of set s; FF_COLOUR_MAX_WIDTH + 1 if there are more. */
uint32_t ff_colour_width(const ff_colour_scope *scope, uint32_t s);

/* The simple set of component k of set s: it is component *component of set *set, the least such set. */
void ff_colour_simple(const ff_colour_scope *scope, uint32_t s, uint32_t k, uint32_t *set, uint32_t *component);

/* The index that has this component, and which of its components it is. Returns 0 if there is none. O(indices). */
int ff_colour_index_at(const ff_colour_scope *scope, uint32_t component, uint32_t *index, uint32_t *k);

/* The simple set of what FF_C_INDEX names; *set becomes UINT32_MAX if there is none. O(indices). */
void ff_colour_set_of(const ff_colour_scope *scope, uint32_t of, uint32_t *set, uint32_t *component);

/* In the predicate of a subset of scope->subset_of: which index stands for each component, UINT32_MAX for none yet. */
typedef struct {
  uint32_t index[FF_COLOUR_MAX_WIDTH], first[FF_COLOUR_MAX_WIDTH]; /* and the first component that the index stands for */
} ff_colour_stands;
ff_colour_stands ff_colour_stands_none(void);
/* The first component that an index stands for; -1 if there is none. An index that stands for some is found again. */
int ff_colour_stand(const ff_colour_stands *stands, const ff_colour_scope *scope, uint32_t index);
void ff_colour_take(ff_colour_stands *stands, const ff_colour_scope *scope, uint32_t index, int first);

/* ---- sets that are made ------------------------------------------------------------------------------------------------- */

typedef enum { FF_COLOURS_RANGE, FF_COLOURS_TABLE, FF_COLOURS_PRODUCT } ff_colours_kind;

struct ff_colours {
  ff_colours_kind kind;
  uint32_t n, width;
  int64_t first;  /* of a range */
  int64_t least, most; /* of a simple set */
  int ascending;       /* whether the values of a simple set ascend */
  int64_t *value; /* of a table: n tuples */
  uint32_t *slot; /* of a table: the number of a colour + 1, by its hash; 0 for none */
  uint32_t mask;  /* slots - 1 */
  uint32_t n_factors;
  const ff_colours *factor[FF_COLOUR_MAX_WIDTH];    /* of a product: ranges and tables, borrowed */
  const ff_colours *component[FF_COLOUR_MAX_WIDTH]; /* the simple sets: this set, `own` or borrowed */
  ff_colours *own[FF_COLOUR_MAX_WIDTH];             /* simple sets of a union */
};

/* The slot of a tuple in a table, or the empty one where it belongs: ff_colour.c. O(width) on average. */
uint32_t ff_colours_slot(const ff_colours *set, const int64_t *tuple);

/* The neighbour of a colour in a simple set: the next one if `by` is 1, the previous one if it is -1. FF_COLOUR_NONE if the value
 * is not in the set. O(1) on average. */
int64_t ff_colours_step(const ff_colours *set, int64_t value, int by);

#endif
