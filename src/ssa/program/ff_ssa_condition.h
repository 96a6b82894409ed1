/* Conditions that end a trajectory. */
#ifndef FF_SSA_CONDITION_H
#define FF_SSA_CONDITION_H

#include "../../model/reactions/ff_reactions.h"

/* Parses a condition for `until`: a formula of the network's species, parameters and variables. Parameters are replaced by their
 * values, or by the program's symbols if events set them. The caller frees its contents with ff_formula_free(). FF_EUNSUPPORTED
 * if it depends on the time. O(length + species). */
ff_status ff_ssa_condition(ff_formula *out, const ff_reactions *net, const char *text, ff_error *err);

#endif
