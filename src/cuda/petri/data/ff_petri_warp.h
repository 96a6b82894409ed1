/* Trajectories of a Petri net that is read as data (ff_petri_image.h): a warp runs one after the other. The steps are those of
 * petri/path/, with the same bits; what a warp cannot do as a path does, it refuses. The same text is compiled for device and
 * host (ff_warp.h).
 *
 * A trajectory is in one of these phases, and a turn of the warp is one of them:
 *
 *   W_BEGINS   a segment begins: its longest end is found
 *   W_STEPS    the solver tries a step, and looks for narrow peaks of flows
 *   W_SEARCHES hazards are integrated over the segment; the first group of those that fire in it fires
 *
 * Lanes share the flows of a stage, the levels, profiles at their nodes, groups, and what a firing changes. Sums are in the order
 * of the net: a lane adds up all terms of a level or of a cell. */
#ifndef FF_PETRI_WARP_H
#define FF_PETRI_WARP_H

/* Each part uses those before it. */
#include "ff_petri_warp_state.h"
#include "ff_petri_warp_solver.h"
#include "ff_petri_warp_stiff.h"
#include "ff_petri_warp_bounds.h"
#include "ff_petri_warp_hazards.h"
#include "ff_petri_warp_fire.h"
#include "ff_petri_warp_run.h"

#endif
