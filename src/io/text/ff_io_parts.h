/* What the readers and writers share. */
#ifndef FF_IO_PARTS_H
#define FF_IO_PARTS_H

#include "../../base/ff_decimal.h"
#include "../../base/ff_text.h"
#include "ff_io_model.h"

/* ---- pieces of a text, never owned ---- */

typedef struct {
  const char *text;
  size_t length;
} ff_span;

ff_span ff_span_of(const char *text); /* a terminated text; NULL is an empty one */
ff_span ff_span_trim(ff_span span);   /* without blanks at both ends */
ff_span ff_span_after(ff_span span, size_t at); /* what follows the first `at` bytes */
int ff_span_equals(ff_span span, const char *word);
int ff_span_is(ff_span span, const char *word); /* 1 if equal, with ASCII letters in upper or lower case */

/* The position of the first `sign`, from `from` on, that is outside quotes, and if `nested` is 1 also outside () and {};
 * span.length if there is none. O(length). */
size_t ff_span_find(ff_span span, size_t from, char sign, int nested);

/* Splits a span at the first `sign` outside quotes. Both parts are without blanks at their ends. Returns 0 if there is no such
 * sign. O(length). */
int ff_span_split(ff_span span, char sign, ff_span *before, ff_span *after);

/* Reads a finite decimal number that is the whole span; it may have a sign. Returns 1, or 0 if the span is something else. */
int ff_span_number(ff_span span, double *value);

/* Reads a non-negative integer that is the whole span. Returns 1, or 0 if the span is something else. */
int ff_span_count(ff_span span, uint64_t *value);

/* Reads a name that is the whole span: a text in quotes, or a word that the grammar does not reserve. *name becomes the name
 * without quotes. Returns 1, or 0 if the span is something else. */
int ff_span_name(ff_span span, ff_span *name);

/* Iterates over lines that end with LF, CR LF or CR. */
typedef struct {
  ff_span rest;
  uint64_t line; /* number of the line returned last, from 1 */
} ff_lines;

/* Sets *line to the next line, without its end. Returns 0 if there is none. */
int ff_lines_next(ff_lines *lines, ff_span *line);

/* Sets the error "FILE, line N: found FOUND where WANTED was expected". An empty span is shown as "nothing". */
ff_status ff_io_found(ff_error *err, ff_place place, ff_span found, const char *wanted);

/* ---- a network that grows while it is read ---- */

typedef struct {
  uint32_t node;
  uint64_t line;
  double probability;
  ff_expr expr;
} ff_rule;

typedef struct {
  const char *file;
  ff_error *err;
  char **names;
  uint32_t n_nodes;
  size_t names_capacity;
  uint32_t *slot; /* hash table: node + 1, or 0 if the slot is free */
  size_t slots;
  ff_rule *rules;
  size_t n_rules, rules_capacity;
} ff_build;

/* Finds the node with that name, and adds it if it is new. *is_new, unless NULL, says which. O(length) on average. */
ff_status ff_build_node(ff_build *build, ff_span name, uint32_t *node, int *is_new);

/* An ff_lookup whose context is the ff_build. */
int64_t ff_build_find(void *build, const char *name, size_t length);

/* Adds a suggestion to build->err, which holds a message on an unknown name. Returns `status`. */
ff_status ff_build_suggest(const ff_build *build, ff_span name, ff_status status);

/* Adds a predictor function. The build owns the contents of *expr from then on, also on failure. Amortised O(1). */
ff_status ff_build_rule(ff_build *build, uint32_t node, double probability, uint64_t line, ff_expr *expr);

/* Moves the names and functions into a new network, which the caller frees with ff_pbn_free(). The functions of a node keep
 * their order. The caller fills in the rest and then calls ff_build_finish(). O(size). */
ff_status ff_build_pbn(ff_pbn **out, ff_build *build);

/* Calls ff_pbn_finish() with normalising, and puts the file's name in front of its message. */
ff_status ff_build_finish(ff_pbn *pbn, const ff_build *build);

/* Calls ff_reactions_finish(), and puts the file's name in front of its message. */
ff_status ff_io_finish_reactions(ff_reactions *net, const char *file, ff_error *err);

/* Species whose initial amounts are no counts, so that one message names them. Begins as zeros. */
#define FF_IO_UNCOUNTED_SIZE 600
typedef struct {
  uint32_t n, n_missing, n_shown; /* how many there are, how many of them have no amount, and how many the text names */
  uint64_t line;                  /* of the first one */
  char text[FF_IO_UNCOUNTED_SIZE];
} ff_io_uncounted;

/* `what` is what the format calls it: "amount" or "count". `missing` is 1 if there is no value. */
void ff_io_uncounted_add(ff_io_uncounted *all, const char *name, const char *what, double value, int missing, uint64_t line);

/* Sets the error that names them, if there are any: FF_EPARSE if none has a value, else FF_EUNSUPPORTED. `more` ends the message,
 * and may be empty. */
ff_status ff_io_uncounted_check(const ff_io_uncounted *all, const char *file, const char *more, ff_error *err);

void ff_build_free(ff_build *build); /* frees what the struct owns, not the struct */

/* ---- a text that grows while it is written ---- */

typedef struct {
  char *text;
  size_t length, capacity;
  ff_status status; /* the first failure; later additions are ignored */
  ff_error *err;
} ff_out;

void ff_out_add(ff_out *out, ff_span span);
void ff_out_puts(ff_out *out, const char *text);
void ff_out_number(ff_out *out, double value); /* the text of ff_show_exact() */
void ff_out_count(ff_out *out, uint64_t value);
void ff_out_name(ff_out *out, const char *name); /* in quotes if the grammar needs them */
void ff_out_expr(ff_out *out, const ff_expr *expr, char *const *names, int tables);

/* Passes the text to the caller, who frees it. If an addition failed, frees the text and returns that failure. */
ff_status ff_out_finish(ff_out *out, char **text);

/* Whether `given`, which may be NULL, has the name. */
int ff_io_is_given(ff_names *given, const char *name);

/* Whether a number is an initial count, which *count becomes, else 0. With `rounds`, a number of at least 0 becomes the nearest one.
 * O(1). */
int ff_io_count(double number, int rounds, double *count);

#endif
