/* Steps of the solver for several trajectories of one net at a time. Each trajectory is a lane of vectors. The bits are those of
 * ff_ode_step(). */
#ifndef FF_PETRI_LANES_H
#define FF_PETRI_LANES_H

#include "../../base/ff_simd.h"
#include "../path/ff_petri_path.h"

#define FF_PETRI_LANES 16u

typedef struct ff_petri_lanes ff_petri_lanes;

/* The caller frees *out with ff_petri_lanes_free(), which accepts NULL. The program is borrowed. O(its flows and profiles). */
ff_status ff_petri_lanes_new(ff_petri_lanes **out, const ff_petri_program *program, ff_simd simd, ff_error *err);
void ff_petri_lanes_free(ff_petri_lanes *lanes);

/* Tries the steps of the solver for n trajectories, at most FF_PETRI_LANES, that wait for them (path->paused). A trajectory
 * goes on when its step is made or has failed. O(flows and profiles, for all lanes). */
void ff_petri_lanes_step(ff_petri_lanes *lanes, ff_petri_path *const *path, uint32_t n);

#endif
