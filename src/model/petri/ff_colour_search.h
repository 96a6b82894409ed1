/* The search for bindings: what its files share.
 *
 * The components to bind are levels, from 0, in their order. Colours of a level are its positions in its simple set. A guard is a
 * tree of & and | without !; its leaves are atoms: comparisons. */
#ifndef FF_COLOUR_SEARCH_H
#define FF_COLOUR_SEARCH_H

#include "ff_colour_internal.h"

#define FF_COLOUR_DEEP 64u        /* a guard that is nested more deeply becomes an atom there */
#define FF_COLOUR_LONG_ATOM 1024u /* words; a longer atom does not narrow */

typedef struct {
  uint32_t lo, hi; /* positions, both included */
} ff_colour_interval;

/* Positions that are left for each level. `end` has an interval for each level; positions of the level `branch` are also those of
 * the `n` intervals at search->interval[list], in ascending order, if n is not 0. */
typedef struct {
  ff_colour_interval *end;
  size_t list;
  uint32_t n;
} ff_colour_box;

/* A comparison: the words from `start` to `middle`, and those from there to `end`; an empty right side is 0. */
typedef struct {
  uint32_t code, start, middle, end;
  uint32_t levels; /* it is decided when so many levels are bound */
  uint64_t mask;   /* of its levels; bit 63 stands for all from 63 on */
} ff_colour_atom;

typedef enum { FF_COLOUR_FALSE, FF_COLOUR_TRUE, FF_COLOUR_OPEN, FF_COLOUR_FAILED } ff_colour_verdict;

/* A node of a tree: FF_C_AND, FF_C_OR, or FF_C_EQ for an atom. */
typedef struct {
  uint32_t code;
  uint32_t n;     /* children: search->node[first], ... */
  uint32_t first; /* or the number of the atom */
  /* Of a long |: the children from `always` on have few positions of the level that is bound next. They are found by them, in
   * search->key[key], ..., n_keys entries in ascending order. */
  uint32_t always, n_keys;
  size_t key;
  uint64_t mask; /* of the levels of its atoms */
} ff_colour_node;

typedef struct {
  uint32_t position, child; /* the child's number among the children */
} ff_colour_key;

typedef struct {
  const ff_colours *set;
  const ff_colours *table; /* the set of tuples to which it belongs; NULL if it is only its simple set */
  uint32_t first;          /* the level of the first component of the tuple; it is complete with this level if `last` */
  int last;
  int sorted;              /* whether the tuples are in lexicographic order of their positions */
} ff_colour_level_set;

/* A set of values: those from lo to hi, but for those from hole_lo to hole_hi. */
typedef struct {
  int64_t lo, hi, hole_lo, hole_hi;
  int active; /* whether it is a subset of the word's range */
} ff_colour_target;

typedef struct {
  int64_t lo, hi; /* lo > hi: no value */
} ff_colour_range;

/* Arrays that grow. */
typedef struct {
  void *at;
  size_t n, capacity;
} ff_colour_list;

typedef struct {
  const ff_colour_scope *scope;
  /* A copy of the guard. FF_C_INDEX has a level; a binary operation has how many words before it its left operand ends. */
  ff_colour_word *word;
  uint32_t *begin;      /* for each word: where its subexpression begins */
  ff_colour_atom *atom;
  uint32_t n_atoms, n_levels, length; /* words */
  ff_colour_level_set *level;
  int64_t *value; /* of each level that is bound */
  int64_t *stack;
  uint32_t branch; /* levels below it are bound */
  const ff_colour_word *at; /* the atom that is narrowed; both arrays are of its words */
  ff_colour_range *range;
  ff_colour_target *target;
  ff_colour_interval *ends; /* of `box` */
  ff_colour_box box[2 * FF_COLOUR_DEEP + 4];
  ff_colour_list node, key, interval; /* they are cut back when the search goes back */
  ff_colour_list pending, joined;     /* of one call */
  int use_keys;                       /* whether keys are of the level that was bound last */
  uint32_t position;                  /* of this level */
  uint64_t work;
  ff_error *err;
} ff_colour_search;

/* Room for `more` elements; NULL without memory (then err is set). Amortised O(1). */
void *ff_colour_room(ff_colour_search *search, ff_colour_list *list, size_t more, size_t size);

/* Whether an atom is true; all its levels are bound. O(words). */
int ff_colour_atom_holds(ff_colour_search *search, const ff_colour_atom *atom);

/* Removes positions from a box for which an atom cannot be true. Some may remain. FF_COLOUR_FALSE if none is left,
 * FF_COLOUR_OPEN, or FF_COLOUR_FAILED. O(words + intervals). */
ff_colour_verdict ff_colour_narrow(ff_colour_search *search, const ff_colour_atom *atom, ff_colour_box *box);

/* Makes the tree of a guard, whose words search->word has, and what is as large as its atoms. O(words). */
ff_status ff_colour_tree(ff_colour_search *search, ff_colour_node *root);

/* What is left of a tree when the levels below search->branch are bound: atoms that are decided and parts that are impossible are
 * left out. Narrows the box. O(words of the tree + intervals). */
ff_colour_verdict ff_colour_reduce(ff_colour_search *search, ff_colour_node *out, ff_colour_node node, uint32_t box);

#endif
