#include "ff_cuda_ssa.h"
#include "device/ff_ssa_ensemble.h"

extern "C" {
#include "generated/code/ff_ssa_generate.h"
}

/* Lists the candidates in the order in which they are asked. */
static void list_runners(ff_ensemble *e, const ff_device_request *request) {
  const int factored = request->method == FF_SSA_FACTORED && e->program->factor->n_groups != FF_FACTOR_NONE &&
                       e->program->ring == NULL && !ff_ssa_program_scheduled(e->program);
  const ff_ssa_runner *const all[] = {&ff_ssa_runner_generated, factored ? &ff_ssa_runner_factored : &ff_ssa_runner_generic};
  const char *wanted = e->options.kernel;
  for (int i = 0; i < 2; i++) {
    const int left_out = i == 0 && ff_runner_is(all[1], ff_stages_like(e));
    if (wanted != NULL ? ff_runner_is(all[i], wanted) : !left_out) ff_stages_offer(e, all[i]);
  }
}

static ff_status create(ff_ensemble **out, const void *model, const ff_device_request *request,
                        const ff_ensemble_options *options, ff_error *err) {
  *out = NULL;
  ff_ensemble *e = (ff_ensemble *)ff_calloc(1, sizeof *e);
  if (e == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for an ensemble");
  e->program = (const ff_ssa_program *)model;
  e->options = *options;
  e->n_counts = e->program->n_species;
  e->n_order = e->program->n_reactions;
  e->round = FF_SSA_CODE_ROUND;
  list_runners(e, request);
  const ff_status status = ff_trajectories_open(e, request, err);
  if (status == FF_OK) *out = e;
  return status;
}

const ff_device_calls ff_cuda_ssa = ff_trajectories_calls(create);
