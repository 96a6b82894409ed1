/* Colours of a coloured Petri net: sets of colours, expressions of them, and the search for all values of indices that satisfy a
 * guard.
 *
 * A simple colour is a whole number or a name. Names are numbered in the order in which the net names them: the colour that is
 * name i has the value FF_COLOUR_NAMES + i. A colour of a product is a tuple of simple ones. Numbers are whole, below
 * FF_COLOUR_MOST in size; what exceeds this is no colour. Truth values are the numbers 0 and 1; whatever is not 0 counts as true.
 *
 * Operations on something without a value have none, with two exceptions: a & of which one side is 0 is 0, and a | of which one
 * side is not 0 is 1, whatever the other side is. Arithmetic has no value for names. A name and a number are unequal; `<`, `<=`,
 * `>` and `>=` between them have no value. Names compare by their numbers. */
#ifndef FF_COLOUR_H
#define FF_COLOUR_H

#include "../../base/ff_names.h"

#define FF_COLOUR_NAMES (INT64_C(1) << 40)
#define FF_COLOUR_MOST (INT64_C(1) << 39)
#define FF_COLOUR_MAX_WIDTH 8u                /* components of a tuple */
#define FF_COLOUR_MAX_SET (UINT64_C(1) << 26) /* colours of a set */

/* ---- expressions ---------------------------------------------------------------------------------------------------------- */

/* The columns are: the code, the number of operands, the text in R's grammar, and in that of CANDL files. */
#define FF_COLOUR_LIST(X)                                                                                                     \
  X(FF_C_NUMBER, 0, "", "")           /* a value, which may be that of a name */                                              \
  X(FF_C_CONSTANT, 0, "", "")         /* the parameter `of`, whose value must be whole */                                     \
  X(FF_C_INDEX, 0, "", "")            /* component `of` of the indices */                                                     \
  X(FF_C_NEG, 1, "-", "-")                                                                                                    \
  X(FF_C_ADD, 2, "+", "+")                                                                                                    \
  X(FF_C_SUB, 2, "-", "-")                                                                                                    \
  X(FF_C_MUL, 2, "*", "*")                                                                                                    \
  X(FF_C_DIV, 2, "%/%", "/")          /* rounds towards 0, as C does; by 0: no colour */                                      \
  X(FF_C_MOD, 2, "%%", "%")           /* what is left of it: x %% y has the sign of x; by 0: no colour */                     \
  X(FF_C_POW, 2, "^", "^")            /* no colour if the exponent is below 0; 0^0 is 1 */                                    \
  X(FF_C_LT, 2, "<", "<")                                                                                                     \
  X(FF_C_LE, 2, "<=", "<=")                                                                                                   \
  X(FF_C_GT, 2, ">", ">")                                                                                                     \
  X(FF_C_GE, 2, ">=", ">=")                                                                                                   \
  X(FF_C_EQ, 2, "==", "=")                                                                                                    \
  X(FF_C_NE, 2, "!=", "!=")                                                                                                   \
  X(FF_C_AND, 2, "&", "&")                                                                                                    \
  X(FF_C_OR, 2, "|", "|")                                                                                                     \
  X(FF_C_NOT, 1, "!", "!")                                                                                                    \
  X(FF_C_ABS, 1, "abs", "abs")                                                                                                \
  X(FF_C_NEXT, 1, "next", "+")        /* the next colour of a simple set; after the last one comes the first */               \
  X(FF_C_PREVIOUS, 1, "previous", "-")                                                                                        \
  X(FF_C_CALL, 0, "", "")             /* the colour function `of`; its operands are as many as it has arguments */            \
  X(FF_C_ARGUMENT, 0, "", "")         /* argument `of` of the colour function whose expression this is */

typedef enum {
#define FF_X(code, operands, r, candl) code,
  FF_COLOUR_LIST(FF_X)
#undef FF_X
  FF_C_COUNT
} ff_colour_code;

/* The simple set of FF_C_NEXT and FF_C_PREVIOUS is component `value` of set `of`. In a function, `of` is UINT32_MAX if the set of
 * the argument is not known; ff_colour_expand() finds it. */
typedef struct {
  uint32_t code;
  uint32_t of;
  int64_t value; /* of FF_C_NUMBER */
} ff_colour_word;

/* Postfix code, as in ff_formula. Empty: no expression; as a guard, it is true. */
typedef struct {
  ff_colour_word *word;
  uint32_t length;
  uint32_t depth;
} ff_colour_expr;

/* R's grammar: `==`, `%%`, `%/%`, next(x), previous(x), `&` or `&&`, `|` or `||`; a sign before an index or a neighbour of one is
 * an error, whose message names next() and previous(). CANDL's: `=` or `==`, `<>` or `!=`, `%`, `/`, and a sign before an index
 * alone (or before a sign of one) for its neighbour. In both, abs() and colour functions, and names in quotes, " or `. Operators
 * bind as in R and in Snoopy:
 *   R      | & ! comparisons + - * %% %/% signs ^ (from right to left)
 *   CANDL  | & = != other comparisons + - * / % ^ (all alike) signs !
 * Comparisons are not chained. Component 2 of an index c of a product is c[2] in R, c:2 in CANDL. Two such indices c and d are
 * compared by c == d and c != d; the code compares their components. Anything else with a tuple is an error. */
typedef enum { FF_COLOUR_R, FF_COLOUR_CANDL } ff_colour_dialect;

/* ---- sets --------------------------------------------------------------------------------------------------------------- */

typedef enum {
  FF_SET_VALUES,  /* the simple colours that `value` lists */
  FF_SET_PRODUCT, /* tuples of colours of the sets `part` */
  FF_SET_SUBSET,  /* the colours of part[0] for which `predicate` holds; its indices are the components of part[0], from 0 */
  FF_SET_UNION    /* the colours of all parts, each once, in their order */
} ff_colour_kind;

/* A definition. The struct owns its arrays. */
typedef struct {
  char *name;
  ff_colour_kind kind;
  int64_t *value;
  uint32_t n_values;
  uint32_t *part; /* sets that are defined before this one */
  uint32_t n_parts;
  ff_colour_expr predicate;
  char *predicate_text; /* as the user wrote it, in R's grammar, for print; may be NULL */
} ff_colour_definition;

/* The colours of a set, in their order. Sets of numbers that follow each other, and products of such sets, take O(width)
 * memory. */
typedef struct ff_colours ff_colours;
uint32_t ff_colours_n(const ff_colours *set);
uint32_t ff_colours_width(const ff_colours *set);                       /* components of each colour */
void ff_colours_at(const ff_colours *set, uint32_t i, int64_t *tuple);  /* O(width) */
int64_t ff_colours_find(const ff_colours *set, const int64_t *tuple);   /* its number, or -1. O(width) on average */
/* The simple set of component k: what next() and previous() move in. Of a set of simple colours it is this set itself; of tuples,
 * the set in the product; of a union of different products, the values of the component in all parts, in their order. It belongs
 * to the set or to one of its parts. */
const ff_colours *ff_colours_component(const ff_colours *set, uint32_t k);

/* ---- what expressions name ---------------------------------------------------------------------------------------------- */

/* A function of colours, such as `near(x, a) = abs(x - a) == 1`. */
typedef struct {
  char *name;
  char **argument;
  uint32_t *set; /* of each argument; UINT32_MAX if it is not known */
  uint32_t n_arguments;
  ff_colour_expr value; /* of FF_C_ARGUMENT; functions that it calls come before this one */
} ff_colour_function;

/* An index: a name for a colour of a set. Its components are those of the set; `first` is the number of the first one. */
typedef struct {
  char *name;
  uint32_t set;
  uint32_t first;
} ff_colour_index;

/* All that expressions of a net may name. All are borrowed. Sets, colours (names), functions, indices and parameters have names
 * that are all different within their kind; in an expression, arguments of the function come first, then indices, parameters, and
 * names of colours. TRUE and FALSE are 1 and 0 unless something has this name. Only ff_colour_value(), ff_colours_new() and the
 * search need `colours`, so texts are read and written before sets are made. */
typedef struct {
  const ff_colour_definition *set;
  ff_colours *const *colours; /* of each set; NULL for one that is not made yet */
  uint32_t n_sets;
  char *const *colour; /* the names of colours */
  uint32_t n_colours;
  const ff_colour_function *function;
  uint32_t n_functions;
  const ff_colour_index *index;
  uint32_t n_indices;
  char *const *parameter;
  const double *value;
  uint32_t n_parameters;
  const ff_colour_function *within; /* the function whose expression is parsed or written, or NULL; it may call those before it */
  /* The set whose subset's predicate is parsed, written or expanded, or UINT32_MAX. Indices then stand for its components: an
   * index stands for the first component that has its set (or else, a subset or superset of it) and for which no index that comes
   * before in the text stands. */
  uint32_t subset_of;
} ff_colour_scope;

/* Parses an expression. The caller frees the contents of *out. Nesting may be of any depth. Fails with FF_EPARSE; the message
 * names the place, the character, and a name that was probably meant. FF_ESIZE for more than 2^24 words. O(length), and a look-up
 * of each name. */
ff_status ff_colour_parse(ff_colour_expr *out, const char *text, size_t length, ff_colour_dialect dialect,
                          const ff_colour_scope *scope, ff_place place, ff_error *err);

/* The text of an expression that was parsed, as a new string that the caller frees. Parsed again, it gives the same code, in
 * either dialect; names in the predicate of a subset may be those of other indices. O(length of the text). */
ff_status ff_colour_text(char **out, const ff_colour_expr *expr, ff_colour_dialect dialect, const ff_colour_scope *scope,
                         ff_error *err);

void ff_colour_free(ff_colour_expr *expr); /* empties it; accepts NULL */
ff_status ff_colour_copy(ff_colour_expr *out, const ff_colour_expr *expr, ff_error *err);

/* Makes an expression without functions and constants: they are replaced by their values. The caller frees the contents of *out.
 * FF_EMODEL for a constant that is not whole, or for next() of an argument that has no set; FF_ESIZE if there would be more than
 * 2^24 words, with those of arguments that a function does not use. O(words). */
ff_status ff_colour_expand(ff_colour_expr *out, const ff_colour_expr *expr, const ff_colour_scope *scope, ff_error *err);

/* The value of an expanded expression for these values of the components of indices; 1 if it is empty. Returns 0 if it has none:
 * an operation leaves the set of colours, or a number is divided by 0. The caller provides `stack` with expr->depth entries.
 * O(length). */
int ff_colour_value(int64_t *value, const ff_colour_expr *expr, const ff_colour_scope *scope, const int64_t *component,
                    int64_t *stack);

/* Makes the colours of set s, whose parts have been made, as have the sets in which its predicate moves. The caller frees *out
 * with ff_colours_free(), which accepts NULL. *out borrows from the colours of its parts, but need not be freed before them.
 * FF_EMODEL for a set without colours or one that lists a colour twice, FF_ESIZE above FF_COLOUR_MAX_SET colours: the size of a
 * product is known before memory is taken, and a subset or union stops there. O(colours of the parts); O(width) for products and
 * ranges. */
ff_status ff_colours_new(ff_colours **out, uint32_t s, const ff_colour_scope *scope, ff_error *err);
void ff_colours_free(ff_colours *colours);

/* The text of colour i of a set: its components with `between` between them, such as "3,5" or "3_5". Returns its length; at most
 * `size` bytes are written, with the end. O(length of the text). */
size_t ff_colours_text(char *out, size_t size, const ff_colours *set, uint32_t i, const char *between,
                       const ff_colour_scope *scope);

/* ---- all bindings of a guard: ff_colour_bind.c -------------------------------------------------------------------------- */

/* A binding gives each component of some indices a value. The bindings of a guard are those for which it has a value other than
 * 0; they are found in lexicographic order: by the first component, in the order of its simple set, then by the second, and so
 * on. Each is found once.
 *
 * The search narrows the sets of the components on the whole tree of the guard: & intersects, | joins the sets of its parts, a
 * comparison moves bounds through sums, factors, abs() and powers, next() and previous() wrap. Parts of a long | that have become
 * impossible are left out for what follows from there, so a list of thousands of neighbours takes time in proportion to its
 * length and the bindings. What is nested by more than 64 changes between & and |, and comparisons of more than 1,024 words, are
 * only tested. */
typedef struct ff_binder ff_binder;

/* `index` are the n indices to bind, by number, each once; others must not occur in the guard, which is expanded; it is copied.
 * `scope` is borrowed. Also binds no index of a subset or union to a tuple that is not in its set; of a subset, only values with
 * which some colour begins are tried. Without indices there is one binding, of width 0, if the guard is true. The caller frees
 * *out with ff_binder_free(), which accepts NULL. O(words + colours of subsets and unions of products). */
ff_status ff_binder_new(ff_binder **out, const uint32_t *index, uint32_t n, const ff_colour_expr *guard,
                        const ff_colour_scope *scope, ff_error *err);
void ff_binder_free(ff_binder *binder);

/* Goes on for about `budget` steps of work, a step being a node or an operation of the guard (some 10 ns); one node is not
 * interrupted, which takes at most some ms for a guard of 1e5 words. *done becomes 1 at the end. Fails with FF_EMEMORY only; the
 * search cannot go on then. */
ff_status ff_binder_step(ff_binder *binder, uint64_t budget, int *done, ff_error *err);

/* The bindings so far: the values of binding b are at ff_binder_values()[b * width], in the order of `index` and their
 * components. The array moves in ff_binder_step(). O(1). */
uint64_t ff_binder_n(const ff_binder *binder);
uint32_t ff_binder_width(const ff_binder *binder);
const int64_t *ff_binder_values(const ff_binder *binder);
/* How many nodes the search has visited: values that were tried for a component. O(1). */
uint64_t ff_binder_nodes(const ff_binder *binder);

#endif
