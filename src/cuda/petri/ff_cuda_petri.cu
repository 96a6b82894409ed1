#include "ff_cuda_petri.h"
#include "ff_petri_ensemble.h"

extern "C" {
#include "code/ff_petri_code.h"
#include "code/ff_petri_kinds.h"
}

static void offer(ff_ensemble *e, const ff_trajectory_runner *runner) {
  if (e->options.kernel == NULL || ff_runner_is(runner, e->options.kernel)) ff_stages_offer(e, runner);
}

/* What no kernel simulates is told once, not by each runner. */
static ff_status create(ff_ensemble **out, const void *model, const ff_device_request *request,
                        const ff_ensemble_options *options, ff_error *err) {
  const ff_petri_program *program = (const ff_petri_program *)model;
  *out = NULL;
  ff_status status = request->own == NULL ? ff_petri_check_request(program, request, err) : FF_OK;
  if (status == FF_OK && request->own == NULL) status = ff_petri_check_kinds(program, err);
  if (status != FF_OK) return status;
  ff_ensemble *e = (ff_ensemble *)ff_calloc(1, sizeof *e);
  if (e == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for an ensemble");
  e->program = program;
  e->options = *options;
  e->n_counts = program->n_places;
  e->round = FF_PETRI_CODE_ROUND;
  if (request->own != NULL) {
    ff_stages_offer(e, &ff_petri_runner_windows); /* whatever the kernel: there is one */
  } else {
    offer(e, &ff_petri_runner_generated);
    offer(e, &ff_petri_runner_generic);
  }
  status = ff_trajectories_open(e, request, err);
  if (status == FF_OK) *out = e;
  return status;
}

const ff_device_calls ff_cuda_petri = ff_trajectories_calls(create);
