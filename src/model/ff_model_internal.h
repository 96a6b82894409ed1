/* What the files of model/ share. */
#ifndef FF_MODEL_INTERNAL_H
#define FF_MODEL_INTERNAL_H

#include "ff_model.h"

/* A code array that grows. The struct owns the words until ff_code_finish() passes them to an ff_expr. */
typedef struct {
  ff_op *word;
  size_t length, capacity;
} ff_code;

/* Appends a word. Amortised O(1). */
ff_status ff_code_push(ff_code *code, ff_op word, ff_error *err);
void ff_code_free(ff_code *code);

/* Passes the words to *out and computes its depth. `code` is empty afterwards, also on failure. O(length). */
ff_status ff_code_finish(ff_expr *out, ff_code *code, ff_error *err);

/* The number of data words that follow an FF_X_TABLE with k inputs. */
static inline uint32_t ff_table_words(uint32_t k) { return k <= 5 ? 1u : UINT32_C(1) << (k - 5); }

/* The used bits of a table's last word. */
static inline uint32_t ff_table_mask(uint32_t k) { return k >= 5 ? UINT32_MAX : (UINT32_C(1) << (1u << k)) - 1u; }

/* Checks that the code is one complete expression over nodes below n_nodes and sets its depth. Fails with FF_EINTERNAL
 * otherwise. O(length). */
ff_status ff_expr_measure(ff_expr *expr, uint32_t n_nodes, ff_error *err);

/* A text that grows; always terminated once something was added. The owner frees `text`. */
typedef struct {
  char *text;
  size_t length, capacity;
} ff_string;

/* Appends a text. Amortised O(length). */
ff_status ff_string_add(ff_string *string, const char *text, size_t length, ff_error *err);
ff_status ff_string_puts(ff_string *string, const char *text, ff_error *err);

/* Appends a name, within the quotes that ff_name_quote() returns for it. */
ff_status ff_string_name(ff_string *string, const char *name, ff_error *err);

/* Checks the name of node number `at`, from 1: that it is not NULL, not empty and valid UTF-8, has no control characters, and not
 * both kinds of quotes. Fails with FF_EMODEL. `what` says what is named, such as "node". O(length). */
ff_status ff_name_check(const char *name, const char *what, uint32_t at, ff_error *err);

/* A product of literals over a table's inputs, where input 0 is the least significant one. Input j occurs if bit j of `care`
 * is set, and it is negated if bit j of `value` is not set. */
typedef struct {
  uint16_t care, value;
} ff_cube;

/* An irredundant sum of products (Minato-Morreale) that equals a table with k inputs, as a new array that the caller frees. */
ff_status ff_table_cubes(ff_cube **cubes, size_t *n_cubes, const uint32_t *table, uint32_t k, ff_error *err);

#endif
