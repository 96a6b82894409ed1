/* SBML-qual: reads the model, and translates MathML, as libsbml's syntax trees, to postfix code. */
#ifndef FF_IO_SBML_MATH_H
#define FF_IO_SBML_MATH_H

#include <sbml/SBMLTypes.h>
#include <sbml/packages/qual/common/QualExtensionTypes.h>

#include "ff_io_sbml.h"

/* Appends the code of the function `math` over the species of `build`. An input of `transition` stands for its
 * thresholdLevel. `line` is the line of the function term, because the nodes of a syntax tree do not know their lines. Truth
 * values and the levels 0 and 1 are the same; a comparison with a constant becomes a node, its negation or a constant. O(size
 * of math). */
ff_status ff_sbml_math(ff_sbml_code *code, const ASTNode_t *math, ff_build *build, Transition_t *transition, uint64_t line);

/* Reads the Boolean network of a model that has the package qual. The caller frees *out with ff_pbn_free(). O(size). */
ff_status ff_sbml_read_qual(ff_pbn **out, Model_t *model, const char *file, ff_error *err);

#endif
