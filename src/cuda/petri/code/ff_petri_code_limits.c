/* For which nets code is generated: limits of their sizes. */
#include "ff_petri_code_internal.h"

/* More would need too many registers, or too long to compile. */
#define MOST_LEVELS 16u
#define MOST_PLACES 64u
#define MOST_GROUPS 16u
#define MOST_CLOCKS 32u

ff_status ff_petri_code_too_many(ff_error *err, const char *what, uint64_t found, uint64_t most) {
  return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: the net has %llu %s; expected at most %llu",
                      (unsigned long long)found, what, (unsigned long long)most);
}

static uint64_t words_of(const ff_petri_program *p) {
  uint64_t n = 0;
  for (uint32_t k = 0; k < p->n_laws; k++) {
    n += (uint64_t)p->law[k].n * (p->law[k].rate.formula.length + p->law[k].enabled.formula.length + p->law[k].n_effects);
    for (uint32_t c = 0; c < p->law[k].n_effects; c++) n += (uint64_t)p->law[k].n * p->law[k].effect[c].formula.formula.length;
  }
  for (uint32_t k = 0; k < p->n_profiles; k++) n += p->profile[k].plain.formula.length;
  for (uint32_t k = 0; k < p->n_derived; k++) n += p->derived[k].plain.formula.length;
  return n;
}

uint32_t ff_petri_code_switches_of(const ff_petri_program *p) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < p->n_derived; k++) n += p->derived[k].kind != FF_PETRI_DISCRETE;
  return n;
}

static ff_status check_sizes(const ff_petri_program *p, ff_error *err) {
  if (p->n_levels > MOST_LEVELS)
    return ff_petri_code_too_many(err, "continuous places that flows change", p->n_levels, MOST_LEVELS);
  if (p->options.integrator == FF_PETRI_ROSENBROCK && p->n_levels > FF_PETRI_CODE_STIFF)
    return ff_petri_code_too_many(err, "continuous places that flows change, and implicit steps", p->n_levels,
                                  FF_PETRI_CODE_STIFF);
  if (p->n_places > MOST_PLACES) return ff_petri_code_too_many(err, "places", p->n_places, MOST_PLACES);
  if (ff_petri_code_transitions(p) > FF_PETRI_CODE_TRANSITIONS)
    return ff_petri_code_too_many(err, "transitions that fire", ff_petri_code_transitions(p), FF_PETRI_CODE_TRANSITIONS);
  if (p->n_timed > MOST_CLOCKS)
    return ff_petri_code_too_many(err, "deterministic and scheduled transitions", p->n_timed, MOST_CLOCKS);
  if (ff_petri_code_switches_of(p) > FF_PETRI_CODE_SWITCHES)
    return ff_petri_code_too_many(err, "comparisons of levels with numbers", ff_petri_code_switches_of(p),
                                  FF_PETRI_CODE_SWITCHES);
  if (p->n_groups > MOST_GROUPS)
    return ff_petri_code_too_many(err, "independent groups of transitions", p->n_groups, MOST_GROUPS);
  if (p->n_cells > FF_PETRI_CODE_CELLS)
    return ff_petri_code_too_many(err, "kinds of hazards", p->n_cells, FF_PETRI_CODE_CELLS);
  if (p->n_profiles > FF_PETRI_CODE_PROFILES)
    return ff_petri_code_too_many(err, "functions of levels in hazards", p->n_profiles - 1, FF_PETRI_CODE_PROFILES - 1);
  if (words_of(p) > FF_PETRI_CODE_WORDS)
    return ff_petri_code_too_many(err, "operations and operands in formulas", words_of(p), FF_PETRI_CODE_WORDS);
  if (p->depth > FF_PETRI_CODE_DEPTH)
    return ff_petri_code_too_many(err, "operands that a formula keeps", p->depth, FF_PETRI_CODE_DEPTH);
  return FF_OK;
}

ff_status ff_petri_code_check_points(const ff_petri_program *p, const ff_device_request *request, ff_error *err) {
  const char *what = NULL;
  if (ff_petri_code_switches_of(p) > 0) what = "rates that switch where a level crosses a value";
  if (ff_petri_code_transitions(p) != p->n_stochastic) what = "immediate, deterministic or scheduled transitions";
  if (request->until != NULL) what = "conditions that end trajectories";
  if (request->points == NULL || what == NULL) return FF_OK;
  return ff_error_set(err, FF_EUNSUPPORTED, "the code for nets with %s is for one point of a sweep", what);
}

ff_status ff_petri_code_check(const ff_petri_program *p, ff_error *err) {
  const ff_status status = ff_petri_check_kinds(p, err);
  return status == FF_OK ? check_sizes(p, err) : status;
}

ff_status ff_petri_code_check_part(const ff_petri_program *p, ff_error *err) {
  const ff_status status = ff_petri_check_part(p, err);
  return status == FF_OK ? check_sizes(p, err) : status;
}
