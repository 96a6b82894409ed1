/* How formulas are made: code that grows, and words of their texts. */
#ifndef FF_FORMULA_CODE_H
#define FF_FORMULA_CODE_H

#include "ff_formula_math.h"
#include "ff_model_internal.h"

/* Code that grows. The struct owns the words until ff_formula_finish() passes them to a formula. */
typedef struct {
  ff_formula_word *word;
  size_t length, capacity;
  uint32_t height, depth; /* of the stack that the code so far needs */
} ff_formula_builder;

/* Appends a word. There must be as many values on the stack as the operation has operands. Fails with FF_ESIZE after
 * FF_FORMULA_MAX words. Amortised O(1). */
ff_status ff_formula_push(ff_formula_builder *builder, ff_formula_word word, ff_error *err);

/* Passes the words to *out. `builder` is empty afterwards. O(1), not counting the move of the words. */
void ff_formula_finish(ff_formula *out, ff_formula_builder *builder);

/* The number of bytes of the name without quotes at the start of the text, 0 if there is none. O(result). */
size_t ff_formula_name_length(const char *text, size_t length);

/* Appends a name, within quotes if it needs them. Fails with FF_EMODEL if it contains ` and ". O(length). */
ff_status ff_formula_add_name(ff_string *out, const char *name, ff_error *err);

/* Whether a word that is written like a name is a number (Inf, NaN, TRUE, FALSE), which *number becomes. */
int ff_formula_is_reserved(const char *word, size_t length, double *number);

/* Whether the code is one complete formula over symbols below n_symbols. *constant tells whether it has neither symbols nor the
 * time. O(length). */
int ff_formula_valid(const ff_formula *formula, uint32_t n_symbols, int *constant);

#endif
