/* The methods, and what those that devices have share. The same text is compiled for the processor and for devices: in kernels
 * the method is a constant, so that nothing is left of the functions. Their argument is an ff_ssa_method. */
#ifndef FF_SSA_METHOD_KINDS_H
#define FF_SSA_METHOD_KINDS_H

#include "../../base/ff_base.h"

typedef enum {
  FF_SSA_DIRECT, /* Gillespie 1977: all propensities are computed after each event; for several trajectories at once, if there
                  * are at most FF_SSA_VECTOR16_REACTIONS reactions */
  FF_SSA_TREE,   /* the direct method with a dependency graph, and sums of propensities in a tree */
  FF_SSA_FIRST,  /* the first reaction method of Gillespie 1976 */
  FF_SSA_NEXT,   /* the next reaction method of Gibson and Bruck 2000, with the waiting times of Anderson 2007 */
  FF_SSA_FACTORED, /* the direct method for groups of reactions whose propensities have common factors; the logarithmic one if
                    * there are too many groups */
  FF_SSA_OPTIMISED,   /* the optimised direct method of Cao, Li and Petzold 2004 */
  FF_SSA_SORTING,     /* the sorting direct method of McCollum et al. 2006 */
  FF_SSA_COMPOSITION, /* composition and rejection of Slepoy, Thompson and Plimpton 2008 */
  FF_SSA_RSSA,        /* the rejection-based method of Thanh, Priami and Zunino 2014 */
  FF_SSA_RSSA_CR,     /* the same with composition and rejection, 2015 */
  FF_SSA_PDM,         /* the partial-propensity direct method of Ramaswamy, Gonzalez-Segredo and Sbalzarini 2009 */
  FF_SSA_SPDM,        /* the same with sorting */
  FF_SSA_PSSA_CR,     /* the same with composition and rejection, 2010 */
  FF_SSA_BLOCK,       /* the search in three levels of Komarov and D'Souza 2012 */
  FF_SSA_TAU,         /* an approximation: explicit tau-leaping of Cao, Gillespie and Petzold 2006 */
  FF_SSA_IMPLICIT,    /* an approximation: leaps that are explicit or implicit, Cao, Gillespie and Petzold 2007 */
  FF_SSA_LANGEVIN,    /* an approximation: the chemical Langevin equation, Gillespie 2000. Counts are real numbers. */
  FF_SSA_ODE,         /* the deterministic limit of large counts. Counts are real numbers. */
  FF_SSA_METHODS
} ff_ssa_method;

/* The sums of rows of partial propensities. */
static FF_HD inline int ff_ssa_method_has_rows(int method) { return method == FF_SSA_PDM || method == FF_SSA_PSSA_CR; }

/* A search through one reaction after the other, with a sum that is corrected after each event. */
static FF_HD inline int ff_ssa_method_searches(int method) { return method == FF_SSA_OPTIMISED || method == FF_SSA_SORTING; }

#endif
