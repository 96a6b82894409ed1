/* What the methods that devices have share. `method` is an ff_ssa_method. The same text is compiled for the processor and for
 * devices: in most kernels the method is a constant, so that nothing is left of these functions. */
#ifndef FF_SSA_METHOD_KINDS_H
#define FF_SSA_METHOD_KINDS_H

#include "../program/ff_ssa_options.h"

/* The sums of rows of partial propensities. */
static FF_HD inline int ff_ssa_method_has_rows(int method) { return method == FF_SSA_PDM || method == FF_SSA_PSSA_CR; }

/* A search through one reaction after the other, with a sum that is corrected after each event. */
static FF_HD inline int ff_ssa_method_searches(int method) { return method == FF_SSA_OPTIMISED || method == FF_SSA_SORTING; }

#endif
