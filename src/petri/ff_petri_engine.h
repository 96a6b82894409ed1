/* Petri nets: what other folders use of the engine. A net is unfolded (model/petri/ff_petri_flat.h), compiled to a program
 * (ff_petri_program_new()), and simulated by ff_run_new() with ff_petri_engine and the program as the model:
 *
 *   ff_petri_options options = {.relative = 1e-6};
 *   ff_petri_program_new(&program, flat, &options, err);
 *   ff_run_new(&run, &ff_petri_engine, program, &run_options, err); */
#ifndef FF_PETRI_ENGINE_H
#define FF_PETRI_ENGINE_H

#include "program/ff_petri_program.h"
#include "run/ff_petri_run.h"

#endif
