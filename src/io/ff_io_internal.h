/* What the readers and writers share. Each format has one pair of functions, listed at the end. */
#ifndef FF_IO_INTERNAL_H
#define FF_IO_INTERNAL_H

#include "ff_io.h"

/* ---- pieces of a text, never owned ---- */

typedef struct {
  const char *text;
  size_t length;
} ff_span;

ff_span ff_span_trim(ff_span span); /* blanks at both ends off */
int ff_span_is(ff_span span, const char *word); /* equal, letters of ASCII in any case */

/* The first `sign` outside of quotes, and with `nested` also outside of () and {}, from `from` on; span.length if none. */
size_t ff_span_find(ff_span span, size_t from, char sign, int nested);

/* A positive decimal number that is the whole span, or 0. */
int ff_span_number(ff_span span, double *value);

/* A whole number that is the whole span, or 0. */
int ff_span_count(ff_span span, uint64_t *value);

/* A name that is the whole span: in quotes, which *name is then free of, or a word that is no other word of the grammar. */
int ff_span_name(ff_span span, ff_span *name);

/* Lines one by one, LF, CR LF or CR ended. */
typedef struct {
  ff_span rest;
  uint64_t line; /* of the line given last, from 1 */
} ff_lines;

int ff_lines_next(ff_lines *lines, ff_span *line);

/* "FILE, line N: found FOUND where WANTED was expected"; an empty span is shown as "nothing". */
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
  uint32_t *slot; /* hash table: node + 1, or 0 where free */
  size_t slots;
  ff_rule *rules;
  size_t n_rules, rules_capacity;
} ff_build;

/* The node of that name, added if it is new (*is_new may be NULL). O(1) on average. */
ff_status ff_build_node(ff_build *build, ff_span name, uint32_t *node, int *is_new);

/* An ff_lookup; the context is the ff_build. */
int64_t ff_build_find(void *build, const char *name, size_t length);

/* Adds to the message on an unknown name, which `err` holds, what was perhaps meant; gives `status` back. */
ff_status ff_build_suggest(const ff_build *build, ff_span name, ff_status status);

/* Adds a predictor function; the expression belongs to the build from then on, on failure too. */
ff_status ff_build_rule(ff_build *build, uint32_t node, double probability, uint64_t line, ff_expr *expr);

/* Moves names and functions into a network, the functions of a node in the order in which they came; the caller fills in
 * the rest and calls ff_build_finish. O(size). */
ff_status ff_build_pbn(ff_pbn **out, ff_build *build);

/* ff_pbn_finish with normalising, its message preceded by the file. */
ff_status ff_build_finish(ff_pbn *pbn, const ff_build *build);

void ff_build_free(ff_build *build); /* what is in the struct, not the struct */

/* ---- a text that grows while it is written ---- */

typedef struct {
  char *text;
  size_t length, capacity;
  ff_status status; /* the first failure; what is added afterwards is ignored */
  ff_error *err;
} ff_out;

void ff_out_add(ff_out *out, ff_span span);
void ff_out_puts(ff_out *out, const char *text);
void ff_out_number(ff_out *out, double value); /* the shortest text that reads back as the same bits */
void ff_out_count(ff_out *out, uint64_t value);
void ff_out_name(ff_out *out, const char *name); /* in quotes where the grammar needs them */
void ff_out_expr(ff_out *out, const ff_expr *expr, char *const *names, int tables);

/* Hands the text over to the caller, or frees it where something failed. */
ff_status ff_out_finish(ff_out *out, char **text);

/* ---- the formats: each parser owns nothing of `text`, each writer's text is the caller's to free ---- */

ff_status ff_io_assa_parse(ff_pbn **out, const char *text, size_t length, const char *file, ff_error *err);
ff_status ff_io_assa_text(char **text, const ff_pbn *pbn, ff_error *err);

/* `probabilities`: BoolNet's text, else .bnet. */
ff_status ff_io_boolnet_parse(ff_pbn **out, const char *text, size_t length, const char *file, int probabilities,
                              ff_error *err);
ff_status ff_io_boolnet_text(char **text, const ff_pbn *pbn, int probabilities, ff_error *err);

ff_status ff_io_sbml_parse(ff_pbn **out, const char *text, size_t length, const char *file, ff_error *err);
ff_status ff_io_sbml_text(char **text, const ff_pbn *pbn, ff_error *err);

#endif
