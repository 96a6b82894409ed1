#include "ff_ssa_generate.h"

#include <stdlib.h>

#define MOST_GAIN (1024.0 * 127) /* what a count or sum can gain until a thread checks it: in 1,024 events, 127 in each */

void ff_ssa_code_free(ff_ssa_code *code) {
  free(code->definitions);
  free(code->functions);
  free(code->table);
  free(code->big);
  free(code->rates);
  *code = (ff_ssa_code){0};
}

static ff_status check(const ff_ssa_program *p, const ff_ssa_device_request *request, ff_error *err) {
  for (uint32_t s = 0; s < p->n_species; s++)
    if (!(request->initial[s] <= FF_SSA_DEVICE_MOST))
      return ff_error_set(err, FF_EUNSUPPORTED, "an initial count is %g, and a GPU counts to 2^30", request->initial[s]);
  return FF_OK;
}

/* The largest count at time 0, or the largest sum of a group. */
static double largest_at_start(const ff_ssa_program *p, const double *initial, int factored) {
  const ff_ssa_factor *f = p->factor;
  double most = 0;
  for (uint32_t s = 0; s < p->n_species; s++)
    if (initial[s] > most) most = initial[s];
  for (uint32_t i = 0; factored && i < f->n_sums; i++) {
    double sum = 0;
    for (const ff_ssa_member *m = f->members + f->sums[i].first, *end = m + f->sums[i].n; m < end; m++)
      sum += m->weight * (m->species < p->n_species ? initial[m->species] : 1);
    if (sum > most) most = sum;
  }
  return most;
}

/* Threads check counts and sums only now and then, and a trajectory may begin just after a check. */
static ff_status check_start(const ff_ssa_program *p, const ff_ssa_device_request *request, int factored, ff_error *err) {
  const double most = largest_at_start(p, request->initial, factored);
  if (most + MOST_GAIN <= FF_SSA_DEVICE_MOST) return FF_OK;
  return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: a count%s is %.17g at time 0, and must stay below 2^30",
                      factored ? " or a sum of counts" : "", most);
}

ff_status ff_ssa_generate(ff_ssa_code *out, const ff_ssa_program *program, const ff_ssa_device_request *request, uint32_t shared,
                          ff_error *err) {
  *out = (ff_ssa_code){0};
  const ff_ssa_method method = request->method;
  const int factored = method == FF_SSA_FACTORED && program->factor->n_groups != FF_FACTOR_NONE;
  const int direct = method == FF_SSA_DIRECT || method == FF_SSA_TREE || method == FF_SSA_FACTORED || method == FF_SSA_FIRST;
  ff_status status = check(program, request, err);
  if (status == FF_OK) status = check_start(program, request, factored, err);
  if (status != FF_OK) return status;
  if (factored)
    status = ff_ssa_generate_factored(out, program, request, shared, err);
  else if (direct)
    status = ff_ssa_generate_direct(out, program, request, err);
  else
    status = ff_error_set(err, FF_EUNSUPPORTED, "GPUs run the methods \"direct\", \"logarithmic_direct\", \"factored\" and "
                          "\"first_reaction\"");
  if (status != FF_OK) ff_ssa_code_free(out);
  return status;
}
