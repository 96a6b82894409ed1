/* An ensemble of trajectories of a Petri net on a device, and the kernels (runners) that can advance it. */
#ifndef FF_PETRI_ENSEMBLE_H
#define FF_PETRI_ENSEMBLE_H

#include "../device/ff_trajectories.h"

extern "C" {
#include "../../petri/program/ff_petri_program.h"
}

struct ff_ensemble : ff_trajectories {
  const ff_petri_program *program;
};

/* Code that is generated for the net: ff_petri_generated.cu. A kernel that reads it as data: ff_petri_generic.cu. For large
 * nets: ff_petri_tissue.cu. */
extern "C" const ff_trajectory_runner ff_petri_runner_generated;
extern "C" const ff_trajectory_runner ff_petri_runner_generic;
extern "C" const ff_trajectory_runner ff_petri_runner_windows;

#endif
