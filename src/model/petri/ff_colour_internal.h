/* What the files on colours share. */
#ifndef FF_COLOUR_INTERNAL_H
#define FF_COLOUR_INTERNAL_H

#include "ff_colour.h"

#define FF_COLOUR_MAX_WORDS (UINT32_C(1) << 24)

/* The operands of a word. O(1). */
uint32_t ff_colour_operands(const ff_colour_word *word, const ff_colour_scope *scope);

/* A larger array in place of one with n elements, which is freed; NULL without memory, and then the old one stays. O(room). */
void *ff_colour_larger(void *old, size_t n, size_t room, size_t size);

/* Adds a word to an expression whose array grows by doubling; the depth is set by ff_colour_measure() at the end. */
ff_status ff_colour_push(ff_colour_expr *expr, ff_colour_word word, ff_error *err);
void ff_colour_measure(ff_colour_expr *expr, const ff_colour_scope *scope);

/* The number of components of a set, from its definition alone, and the simple set of component k; UINT32_MAX if there is
 * none, as in a union of products. O(width). */
uint32_t ff_colour_set_width(const ff_colour_scope *scope, uint32_t set);
uint32_t ff_colour_set_part(const ff_colour_scope *scope, uint32_t set, uint32_t k);

/* The result of an operation. Returns 0 if it has none. O(1). */
int ff_colour_operate(int64_t *value, uint32_t code, int64_t a, int64_t b);

/* The neighbour of a colour in a simple set. Returns 0 if the colour is not in the set. */
int ff_colour_neighbour(int64_t *value, const ff_colours *set, int64_t of, int next);

/* The numbers of a set of numbers that follow each other: *first and how many; 0 if the set is no such set. O(1). */
uint32_t ff_colours_range(const ff_colours *set, int64_t *first);

#endif
