/* The engine that serves all exact methods. */
#ifndef FF_SSA_ENGINE_H
#define FF_SSA_ENGINE_H

#include "../../ensemble/ff_lanes.h"
#include "../path/ff_ssa_path.h"
#include "../program/ff_ssa_options.h"

/* Makes a lane for one trajectory after the other (ff_ssa_engine_path.c). */
ff_status ff_ssa_engine_path(ff_lanes **out, const ff_ssa_program *program, const ff_ssa_finder *finder,
                             const double *initial, uint64_t key, ff_error *err);

#endif
