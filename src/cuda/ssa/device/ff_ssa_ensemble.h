/* An ensemble of trajectories of a reaction network on a device, and the kernels (runners) that can advance it. */
#ifndef FF_SSA_ENSEMBLE_H
#define FF_SSA_ENSEMBLE_H

#include "../../device/ff_trajectories.h"

extern "C" {
#include "../../../ssa/groups/ff_ssa_factor.h"
#include "ff_ssa_launch.h"
}

typedef ff_trajectory_runner ff_ssa_runner;

struct ff_ensemble : ff_trajectories {
  const ff_ssa_program *program;
};

/* Code that is generated for the network (ff_ssa_generated.cu), and kernels that read the network as data: with its groups of
 * reactions (ff_ssa_factored.cu), and without (ff_ssa_generic.cu). The latter two have the same name. */
extern "C" const ff_ssa_runner ff_ssa_runner_generated, ff_ssa_runner_factored, ff_ssa_runner_generic;

#endif
