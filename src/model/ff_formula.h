/* Arithmetic formulas: rate laws, rate constants, observables. A formula names symbols, which a model numbers from 0:
 * first what changes, as species, then its parameters.
 *
 * A formula is postfix code. Each word is an operation, with the symbol or the number that it needs. Truth values are numbers:
 * comparisons and logical operations give 0 or 1, and every number but 0 counts as true. A NaN counts as true, as in C.
 */
#ifndef FF_FORMULA_H
#define FF_FORMULA_H

#include "../base/ff_names.h"

/* The columns are: the code, the number of operands, and the text of the operation or the name of the function. */
#define FF_FORMULA_LIST(X)                                                                                                    \
  X(FF_F_NUMBER, 0, "")                                                                                                       \
  X(FF_F_SYMBOL, 0, "")                                                                                                       \
  X(FF_F_TIME, 0, "time")                                                                                                     \
  X(FF_F_NEG, 1, "-")                                                                                                         \
  X(FF_F_ADD, 2, "+")                                                                                                         \
  X(FF_F_SUB, 2, "-")                                                                                                         \
  X(FF_F_MUL, 2, "*")                                                                                                         \
  X(FF_F_DIV, 2, "/")                                                                                                         \
  X(FF_F_POW, 2, "^")                                                                                                         \
  X(FF_F_LT, 2, "<")                                                                                                          \
  X(FF_F_LE, 2, "<=")                                                                                                         \
  X(FF_F_GT, 2, ">")                                                                                                          \
  X(FF_F_GE, 2, ">=")                                                                                                         \
  X(FF_F_EQ, 2, "==")                                                                                                         \
  X(FF_F_NE, 2, "!=")                                                                                                         \
  X(FF_F_AND, 2, "&")                                                                                                         \
  X(FF_F_OR, 2, "|")                                                                                                          \
  X(FF_F_NOT, 1, "!")                                                                                                         \
  X(FF_F_IF, 3, "if")                                                                                                         \
  X(FF_F_MIN, 2, "min")                                                                                                       \
  X(FF_F_MAX, 2, "max")                                                                                                       \
  X(FF_F_ABS, 1, "abs")                                                                                                       \
  X(FF_F_FLOOR, 1, "floor")                                                                                                   \
  X(FF_F_CEILING, 1, "ceiling")                                                                                               \
  X(FF_F_SQRT, 1, "sqrt")                                                                                                     \
  X(FF_F_EXP, 1, "exp")                                                                                                       \
  X(FF_F_EXPM1, 1, "expm1")                                                                                                   \
  X(FF_F_LOG, 1, "log")                                                                                                       \
  X(FF_F_LOG1P, 1, "log1p")                                                                                                   \
  X(FF_F_LOG2, 1, "log2")                                                                                                     \
  X(FF_F_LOG10, 1, "log10")                                                                                                   \
  X(FF_F_SIN, 1, "sin")                                                                                                       \
  X(FF_F_COS, 1, "cos")                                                                                                       \
  X(FF_F_TAN, 1, "tan")                                                                                                       \
  X(FF_F_ASIN, 1, "asin")                                                                                                     \
  X(FF_F_ACOS, 1, "acos")                                                                                                     \
  X(FF_F_ATAN, 1, "atan")                                                                                                     \
  X(FF_F_SINH, 1, "sinh")                                                                                                     \
  X(FF_F_COSH, 1, "cosh")                                                                                                     \
  X(FF_F_TANH, 1, "tanh")

typedef enum {
#define FF_X(code, operands, text) code,
  FF_FORMULA_LIST(FF_X)
#undef FF_X
  FF_F_COUNT
} ff_formula_code;

typedef struct {
  uint32_t code;   /* an ff_formula_code */
  uint32_t symbol; /* of FF_F_SYMBOL, else 0 */
  double number;   /* of FF_F_NUMBER, else 0 */
} ff_formula_word;

typedef struct {
  ff_formula_word *word; /* NULL when empty */
  uint32_t length;
  uint32_t depth; /* the largest number of values on the stack */
} ff_formula;

#define FF_FORMULA_MAX (UINT32_C(1) << 24) /* words of a formula */

/* Parses a formula into *out. The caller frees its contents with ff_formula_free(). On failure *out is empty.
 *
 * The grammar is R's: numbers (1, 0.5, 1e-3, 1.e3, .5, 2L; also Inf, NaN, pi, TRUE and FALSE), names, + - * / ^, unary - and +,
 * comparisons < <= > >= == !=, logical ! & && | ||, parentheses, and the functions of FF_FORMULA_LIST. `**` is `^`. `pow(x, y)`
 * is x ^ y, `ceil` is `ceiling`, `ln` is `log`, `ifelse` is `if`, and `log(x, base)` is log(x) / log(base). min and max take one
 * argument or more. `time` and `time()` are the time of the simulation. A symbol named time or pi hides `time` or `pi`. The
 * operators bind as in R: ^ (from right to left), unary minus, * and /, + and -, comparisons (which cannot be chained), !, &, |.
 * A name starts with a letter, `_`, `.` (not followed by a digit) or a byte >= 0x80 and goes on with these and digits. Any text
 * within double quotes or backquotes is a name too. Nesting may be of any depth. A number after a unary minus becomes a negative
 * number; no other operation is computed. Fails with FF_ESIZE if the formula has more than FF_FORMULA_MAX words.
 *
 * `text` need not be terminated. `lookup` is called with `context` for every name that is not followed by `(`. If `lookup` is
 * ff_names_find or ff_formula_find_untimed, the message on an unknown name suggests the one that was probably meant. `place` is
 * only used in messages. O(length), not counting look-ups. */
ff_status ff_formula_parse(ff_formula *out, const char *text, size_t length, ff_lookup lookup, void *context, ff_place place,
                           ff_error *err);

/* As ff_names_find(), for formulas that may not depend on the time: messages do not suggest it. */
int64_t ff_formula_find_untimed(void *names, const char *name, size_t length);

/* How a formula names what a model has besides plain names: `name[...]` and `sum(...)`. */
typedef struct {
  ff_lookup lookup; /* gets each name as it is written, with its quotes and all within its brackets. It may also return
                     * -2 - status: then it has filled the error, and parsing fails with this status. */
  void *context;
  const char *what; /* what names stand for, for messages: "place or parameter" */
  const char *(*near)(void *context, const char *name, size_t length); /* the name that was probably meant, or NULL */
} ff_formula_elements;

/* As ff_formula_parse(), but a name may be followed by brackets, and sum(...) is a name too. Brackets are balanced, but for those
 * within quotes. O(length), not counting look-ups. */
ff_status ff_formula_parse_elements(ff_formula *out, const char *text, size_t length, const ff_formula_elements *elements,
                                    ff_place place, ff_error *err);

/* Makes a formula that is one number. The caller frees its contents. O(1). */
ff_status ff_formula_of_number(ff_formula *out, double number, ff_error *err);

/* Frees the code, not the struct, and empties the struct. Accepts NULL. */
void ff_formula_free(ff_formula *formula);

/* Makes *out a copy of its own. The caller frees its contents. O(length). */
ff_status ff_formula_copy(ff_formula *out, const ff_formula *formula, ff_error *err);

/* The value of a formula. values[i] is the value of symbol i. The caller provides `stack` with formula->depth entries. What the
 * operations compute is defined in ff_formula_math.h. Every bit of the result is the same on every machine. Both branches of `if`
 * are computed. A comparison with NaN is 0, but x != NaN is 1. min and max of NaN are NaN. x ^ 0 is 1, even for NaN. The value of
 * an empty formula is NaN. O(length). */
double ff_formula_value(const ff_formula *formula, const double *values, double time, double *stack);

/* The same for n states at time 0, which become stack[0] ... stack[n - 1]: values[i * stride + k] is the value of symbol i in
 * state k. The caller provides `stack` with n x formula->depth entries. A NaN may have any sign. O(n x length). */
void ff_formula_values(const ff_formula *formula, const double *values, size_t stride, uint32_t n, double *stack);

/* Whether a formula is one number, which *number becomes. O(1). */
int ff_formula_is_number(const ff_formula *formula, double *number);

/* The value of a formula that has neither symbols nor the time. FF_EMEMORY if there is no memory for its stack. O(length). */
ff_status ff_formula_constant(const ff_formula *formula, double *value, ff_error *err);

#define FF_MAX_COUNT 9007199254740992.0 /* 2^53: the largest count that a double holds exactly */

/* Whether a number is a count, but for rounding errors, such as those of a concentration times a size: at least 0, and within
 * 1e-9 of its size and within 1e-3 of a whole number, which *count becomes. The caller checks that it is not too large. */
int ff_count_of(double number, double *count);

/* Whether the value depends on the time. O(length). */
static FF_HD inline int ff_formula_has_time(const ff_formula *formula) {
  for (uint32_t at = 0; at < formula->length; at++)
    if (formula->word[at].code == FF_F_TIME) return 1;
  return 0;
}

/* Makes a new formula whose value at time t is that of `formula` at time t + `delay`. The caller frees the contents of *out.
 * Fails with FF_ESIZE if there would be more than FF_FORMULA_MAX words. O(length). */
ff_status ff_formula_later(ff_formula *out, const ff_formula *formula, double delay, ff_error *err);

/* Makes a new formula in which symbol i is replaced by the formula replacement[i], unless replacement[i] is NULL or empty.
 * Replaced symbols within replacements are not replaced again. Operations whose operands are all numbers are then replaced by
 * their values, and x * 1, 1 * x, x / 1, x + 0, 0 + x, x - 0 and x ^ 1 by x. No other operation is moved or merged, so the value
 * keeps its bits unless it depends on the sign of a zero. The caller frees the contents of *out. Fails with FF_ESIZE if there
 * would be more than FF_FORMULA_MAX words before operations are replaced by their values. O(number of these words). */
ff_status ff_formula_replace(ff_formula *out, const ff_formula *formula, const ff_formula *const *replacement, ff_error *err);

/* An order of n formulas with names, in which each comes after those that it names: the symbol first + i is formula i. The
 * caller frees *order. Fails with FF_EMODEL if a formula, called a variable, depends on itself; the message has the names of the
 * cycle. O(length of the formulas). */
ff_status ff_formula_order(uint32_t **order, const ff_formula *formula, uint32_t n, uint32_t first, char *const *names,
                           ff_error *err);

/* Finds for each word where its subexpression starts: word i ends the code from start[i] to i. O(length). */
void ff_formula_starts(uint32_t *start, const ff_formula *formula);

/* The text of a formula in the grammar above, as a new terminated string that the caller frees. It has the fewest parentheses
 * from which ff_formula_parse() makes the same code again, except that a negated number becomes a number. Numbers have the fewest
 * digits that give the same double, in the form that R writes. Names that need quotes are within backquotes, or within double
 * quotes if they contain a backquote; fails with FF_EMODEL if a name contains both. The time is written as `time()`, because a
 * symbol may have the name time. O(length of the text). */
ff_status ff_formula_text(char **out, const ff_formula *formula, char *const *names, ff_error *err);

/* The same, where the names of symbols from `first` on are written as they are, such as Ca[x,y]. */
ff_status ff_formula_text_elements(char **out, const ff_formula *formula, char *const *names, uint32_t first, ff_error *err);

#endif
