/* What the files of model/ share among themselves. */
#ifndef FF_MODEL_INTERNAL_H
#define FF_MODEL_INTERNAL_H

#include "ff_model.h"

/* Code that grows; the words belong to the struct until they are handed to an ff_expr. */
typedef struct {
  ff_op *word;
  size_t length, capacity;
} ff_code;

ff_status ff_code_push(ff_code *code, ff_op word, ff_error *err);
void ff_code_free(ff_code *code);

/* Hands the code over to *out, computing depth; code is empty afterwards, on failure too. */
ff_status ff_code_finish(ff_expr *out, ff_code *code, ff_error *err);

/* Words of data behind an FF_X_TABLE with k inputs. */
static inline uint32_t ff_table_words(uint32_t k) { return k <= 5 ? 1u : UINT32_C(1) << (k - 5); }

/* The bits of a table's last word that mean something. */
static inline uint32_t ff_table_mask(uint32_t k) { return k >= 5 ? UINT32_MAX : (UINT32_C(1) << (1u << k)) - 1u; }

/* Checks that the code is one whole expression over nodes below n_nodes and sets its depth; FF_EINTERNAL otherwise. */
ff_status ff_expr_measure(ff_expr *expr, uint32_t n_nodes, ff_error *err);

/* A text that grows. */
typedef struct {
  char *text;
  size_t length, capacity;
} ff_string;

ff_status ff_string_add(ff_string *string, const char *text, size_t length, ff_error *err);
ff_status ff_string_puts(ff_string *string, const char *text, ff_error *err);

/* A name, in the quotes of ff_name_quote. */
ff_status ff_string_name(ff_string *string, const char *name, ff_error *err);

/* A product of literals over a table's inputs: input j (0 = least significant) occurs where bit j of `care` is set, negated
 * where bit j of `value` is not. */
typedef struct {
  uint16_t care, value;
} ff_cube;

/* An irredundant sum of products (Minato-Morreale) of a table with k inputs, in a new array that the caller frees. */
ff_status ff_table_cubes(ff_cube **cubes, size_t *n_cubes, const uint32_t *table, uint32_t k, ff_error *err);

#endif
