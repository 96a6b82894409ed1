/* MathML by way of libsbml's syntax trees to code. */
#ifndef FF_IO_SBML_MATH_H
#define FF_IO_SBML_MATH_H

#include <sbml/SBMLTypes.h>
#include <sbml/packages/qual/common/QualExtensionTypes.h>

#include "ff_io_sbml.h"

/* Appends the function that `math` is, over the species of `build`; an input of `transition` may stand for its thresholdLevel.
 * `line` is where the function term stands, as the nodes of a syntax tree do not know their own. Truth values and levels 0 and 1
 * are one and the same; comparisons with a constant become a node, its negation or a constant. O(size of math). */
ff_status ff_sbml_math(ff_sbml_code *code, const ASTNode_t *math, ff_build *build, Transition_t *transition, uint64_t line);

#endif
