/* Petri nets as what SBML can say. */
#ifndef FF_IO_PETRI_SBML_H
#define FF_IO_PETRI_SBML_H

#include "../../model/petri/ff_petri_flat.h"
#include "../../model/reactions/ff_reactions.h"

/* The reaction network that an unfolded net is: places are species, of which continuous ones are levels, and stochastic and
 * continuous transitions are reactions; a test is a piecewise rate. Names are those with "_" between colours. The caller frees
 * *out. FF_EMODEL for what SBML cannot say, with the name of the transition: other kinds, resets, and weights that are not
 * constant; and if names with "_" clash. O(length of the unfolded formulas). */
ff_status ff_io_petri_reactions(ff_reactions **out, const ff_petri_flat *flat, ff_error *err);

#endif
