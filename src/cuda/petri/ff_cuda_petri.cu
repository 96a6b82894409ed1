#include "ff_cuda_petri.h"
#include "ff_petri_ensemble.h"

extern "C" {
#include "code/ff_petri_code.h"
}

static ff_status create(ff_ensemble **out, const void *model, const ff_device_request *request,
                        const ff_ensemble_options *options, ff_error *err) {
  *out = NULL;
  ff_ensemble *e = (ff_ensemble *)ff_calloc(1, sizeof *e);
  if (e == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for an ensemble");
  e->program = (const ff_petri_program *)model;
  e->options = *options;
  e->n_counts = e->program->n_places;
  e->round = FF_PETRI_CODE_ROUND;
  const ff_trajectory_runner *runner = request->own != NULL ? &ff_petri_runner_windows : &ff_petri_runner_generated;
  if (options->kernel == NULL || ff_runner_is(runner, options->kernel)) ff_stages_offer(e, runner);
  const ff_status status = ff_trajectories_open(e, request, err);
  if (status == FF_OK) *out = e;
  return status;
}

const ff_device_calls ff_cuda_petri = ff_trajectories_calls(create);
