#include "ff_ssa_generate.h"

#include <stdlib.h>

void ff_ssa_code_free(ff_ssa_code *code) {
  free(code->definitions);
  free(code->functions);
  free(code->table);
  free(code->big);
  free(code->rates);
  *code = (ff_ssa_code){0};
}

static ff_status check(const ff_ssa_program *p, const ff_ssa_device_request *request, ff_error *err) {
  if (ff_ssa_program_scheduled(p))
    return ff_error_set(err, FF_EUNSUPPORTED, "the network has events, or rates that depend on the time");
  for (uint32_t s = 0; s < p->n_species; s++)
    if (!(request->initial[s] <= FF_SSA_DEVICE_MOST))
      return ff_error_set(err, FF_EUNSUPPORTED, "an initial count is %g, and a GPU counts to 2^30", request->initial[s]);
  return FF_OK;
}

ff_status ff_ssa_generate(ff_ssa_code *out, const ff_ssa_program *program, const ff_ssa_device_request *request, ff_error *err) {
  *out = (ff_ssa_code){0};
  const ff_ssa_method method = request->method;
  const int factored = method == FF_SSA_FACTORED && program->factor->n_groups != FF_FACTOR_NONE;
  const int direct = method == FF_SSA_DIRECT || method == FF_SSA_TREE || method == FF_SSA_FACTORED || method == FF_SSA_FIRST;
  ff_status status = check(program, request, err);
  if (status != FF_OK) return status;
  if (factored)
    status = ff_ssa_generate_factored(out, program, request, err);
  else if (direct)
    status = ff_ssa_generate_direct(out, program, request, err);
  else
    status = ff_error_set(err, FF_EUNSUPPORTED, "GPUs run the methods \"direct\", \"logarithmic_direct\", \"factored\" and "
                          "\"first_reaction\"");
  if (status != FF_OK) ff_ssa_code_free(out);
  return status;
}
