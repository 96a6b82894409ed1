/* The engines of approximate methods, as the table of methods makes them; they ignore `trajectories`. */
#ifndef FF_SSA_LEAP_H
#define FF_SSA_LEAP_H

#include "../engine/ff_ssa_engine.h"

ff_status ff_ssa_engine_leap(ff_lanes **out, const ff_ssa_program *program, const ff_run_options *options,
                             const double *initial, uint64_t trajectories, ff_error *err);
ff_status ff_ssa_engine_langevin(ff_lanes **out, const ff_ssa_program *program, const ff_run_options *options,
                                 const double *initial, uint64_t trajectories, ff_error *err);
ff_status ff_ssa_engine_ode(ff_lanes **out, const ff_ssa_program *program, const ff_run_options *options,
                            const double *initial, uint64_t trajectories, ff_error *err);

#endif
