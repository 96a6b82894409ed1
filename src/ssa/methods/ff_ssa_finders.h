/* How exact methods find the next step, but for those of ff_ssa_path.h. */
#ifndef FF_SSA_FINDERS_H
#define FF_SSA_FINDERS_H

#include "../path/ff_ssa_path.h"

extern const ff_ssa_finder ff_ssa_finder_next, ff_ssa_finder_optimised, ff_ssa_finder_sorting, ff_ssa_finder_composition,
    ff_ssa_finder_rssa, ff_ssa_finder_rssa_cr, ff_ssa_finder_pdm, ff_ssa_finder_spdm, ff_ssa_finder_pssa_cr, ff_ssa_finder_block;

/* FF_EUNSUPPORTED if a reaction is not mass action of at most two molecules. O(reactions). */
ff_status ff_ssa_partial_check(const ff_ssa_program *program, ff_error *err);

/* The order of the reactions in optimised_direct, which follows from the program and the key: path->key. NULL until a trajectory
 * has begun, or while its beginning is left halfway. */
const uint32_t *ff_ssa_optimised_order(const ff_ssa_path *path);

#endif
