/* What the files of this folder share. */
#ifndef FF_PETRI_RUN_INTERNAL_H
#define FF_PETRI_RUN_INTERNAL_H

#include "../windows/ff_petri_opener.h"
#include "ff_petri_run.h"

/* A lane for one trajectory by windows. process->own has the blocks. If there are fewer trajectories than threads, each
 * trajectory has several threads. */
ff_status ff_petri_window_lanes(ff_lanes **out, const ff_process *process, const ff_run_options *options, const double *initial,
                                ff_error *err);

#endif
