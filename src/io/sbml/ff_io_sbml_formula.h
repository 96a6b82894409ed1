/* SBML without qual: MathML as formulas of the ids in a table. */
#ifndef FF_IO_SBML_FORMULA_H
#define FF_IO_SBML_FORMULA_H

#include "ff_io_sbml_symbols.h"

/* Names that hide those of the table: the parameters of a kinetic law, or the arguments of a function. Name i is the symbol
 * first + i. */
typedef struct {
  ff_build *names;
  uint32_t first;
  int only; /* 1 in a function, whose body may name nothing else */
} ff_sbml_scope;

/* In the body of a function, argument i is the symbol FF_SBML_ARGUMENT + i. There are fewer ids than this. */
#define FF_SBML_ARGUMENT UINT32_C(0x80000000)

/* Makes a formula of MathML. Functions are expanded. `scope` is NULL, or hides ids. `line` is that of the element that has the
 * formula. The caller frees the contents of *out with ff_formula_free(); on failure it is empty. O(length of the result). */
ff_status ff_sbml_formula(ff_formula *out, const ASTNode_t *math, ff_sbml_table *table, const ff_sbml_scope *scope,
                          uint64_t line);

/* Makes a formula of code, which it owns afterwards: finds out its depth. O(length). */
ff_formula ff_sbml_formula_of(ff_formula_word *word, size_t length);

/* Multiplies a formula by the size of a compartment, so that a concentration becomes an amount; 0 is none. O(length). */
ff_status ff_sbml_multiply(ff_sbml_table *table, ff_formula *formula, uint32_t compartment);

#endif
