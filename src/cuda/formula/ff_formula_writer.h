/* Formulas as CUDA C: straight-line code, an operation a line. */
#ifndef FF_FORMULA_WRITER_H
#define FF_FORMULA_WRITER_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../model/ff_formula.h"
#include "../runtime/ff_writer.h"

/* Numbers of formulas that are data of the code. Begins with zeros. The owner frees `at`. */
typedef struct {
  double *at;
  size_t n, room;
} ff_formula_numbers;

/* A part of a formula: its word, with the variables that are its operands. */
typedef struct {
  uint64_t bits; /* of a number */
  uint32_t code, operand[3], variable;
} ff_formula_written;

/* The value of symbol s is variable x<place[s]>, or y[place[s]] if `array` is not 0; then operations that take many instructions
 * are calls of s_operate_<code>(). `variables` numbers the variables of formulas, and `stack` has room for the depth + 1 of
 * each. */
typedef struct {
  ff_writer *out;
  const uint32_t *place;
  uint32_t *stack;
  uint32_t variables;
  ff_formula_numbers *numbers; /* NULL, or numbers are appended to these, and the text has S_NUMBER(i) for number i */
  int array;
  ff_formula_written *shared; /* room for `room` parts that were written before in this function, n_shared so far; a part that is
                               * equal to one of them is not written again. NULL: none is kept */
  uint32_t n_shared, room;
} ff_formula_writer;

/* Writes a formula. Its value is variable f<n>, and n is returned. The time is variable `time`. O(length), and with `shared`
 * O(length * parts that are kept). */
uint32_t ff_formula_write(ff_formula_writer *w, const ff_formula *formula);
/* The variable of a part of a formula: the one that was written before, or a new one. O(parts that are kept). */
uint32_t ff_formula_share(ff_formula_writer *w, const ff_formula_word *word, const uint32_t *operand, int *is_new);
/* Writes the range of a formula of y[]: its kind is variable `kind`, the range of the time is variable `time`, and operations are
 * functions s_range_<code>(). O(length). */
uint32_t ff_formula_write_range(ff_formula_writer *w, const ff_formula *formula);
/* Writes these functions, and those for operations that take many instructions, so that each is compiled once. Macro S_CALL comes
 * before each. O(length of all formulas). */
void ff_formula_write_operations(ff_writer *out, const ff_formula *const *formulas, uint32_t n_formulas);

#ifdef __cplusplus
}
#endif

#endif
