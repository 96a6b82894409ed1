/* Steps of the solver for several trajectories of one net at a time, each in a lane of vectors. They get the bits that
 * ff_ode_step() gives them. */
#ifndef FF_PETRI_LANES_H
#define FF_PETRI_LANES_H

#include "../../base/ff_simd.h"
#include "../path/ff_petri_path.h"

#define FF_PETRI_LANES 16u

typedef struct ff_petri_lanes ff_petri_lanes;

/* The caller frees *out with ff_petri_lanes_free(), which accepts NULL. The program is borrowed. O(its flows and profiles). */
ff_status ff_petri_lanes_new(ff_petri_lanes **out, const ff_petri_program *program, ff_simd simd, ff_error *err);
void ff_petri_lanes_free(ff_petri_lanes *lanes);

/* Tries the solver's steps of at most FF_PETRI_LANES trajectories that wait for them (path->paused). Those whose steps are made,
 * or fail, go on. O(flows and profiles, for all lanes). */
void ff_petri_lanes_step(ff_petri_lanes *lanes, ff_petri_path *const *path, uint32_t n);

#endif
