/* Rate rules of reaction networks in SBML. */
#ifndef FF_IO_SBML_RATES_H
#define FF_IO_SBML_RATES_H

#include "ff_io_sbml_events.h"

/* Gives each symbol with a rate rule the rule x(t) that solves x' = rate with its value at time 0. The events and all values at
 * time 0 are known. FF_EUNSUPPORTED if no solution is known, or if the formula depends on what is not constant. O(length of the
 * formulas, and of their products). */
ff_status ff_sbml_solve_rates(ff_sbml_table *table, const ff_sbml_events *events);

#endif
