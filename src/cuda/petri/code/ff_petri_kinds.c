#include "ff_petri_kinds.h"

#include <math.h>

#include "../../../petri/path/ff_petri_threshold.h"
#include "../../../petri/program/ff_petri_plain.h"

ff_status ff_petri_refuse(ff_error *err, const char *why) {
  return ff_error_set(err, FF_EUNSUPPORTED, "no kernel simulates nets with %s yet", why);
}

static int is_finite(const ff_formula *f) {
  for (uint32_t k = 0; k < f->length; k++)
    if (f->word[k].code == FF_F_NUMBER && !isfinite(f->word[k].number)) return 0;
  return 1;
}

static ff_status check_numbers(const ff_petri_program *p, ff_error *err) {
  for (uint32_t k = 0; k < p->n_laws; k++)
    if (!is_finite(&p->law[k].rate.formula) || !is_finite(&p->law[k].enabled.formula))
      return ff_petri_refuse(err, "infinite numbers in rates");
  for (uint32_t k = 1; k < p->n_profiles; k++)
    if (!is_finite(&p->profile[k].plain.formula)) return ff_petri_refuse(err, "infinite numbers in rates");
  return FF_OK;
}

ff_status ff_petri_check_part(const ff_petri_program *p, ff_error *err) {
  if (p->options.paper) return ff_petri_refuse(err, "method = \"paper\"");
  if (p->options.integrator == FF_PETRI_CVODE) return ff_petri_refuse(err, "integrator = \"cvode\"");
  if (p->n_events > 0) return ff_petri_refuse(err, "events");
  for (uint32_t k = 0; k < p->n_derived; k++) {
    ff_petri_threshold threshold;
    uint8_t negated;
    if (p->derived[k].kind != FF_PETRI_DISCRETE && !ff_petri_as_threshold(p, &p->derived[k], &threshold, &negated))
      return ff_petri_refuse(err, "rates that switch where the time or a function of levels crosses a value");
  }
  if (p->n_watched > 0)
    return ff_petri_refuse(err, p->options.semantics == FF_PETRI_BIO ? "semantics = \"bio\"" : "flows that may empty a place");
  if (p->n_moving > 0) return ff_petri_refuse(err, "variables of levels that rates read");
  return check_numbers(p, err);
}

ff_status ff_petri_check_kinds(const ff_petri_program *p, ff_error *err) {
  const ff_status status = ff_petri_check_part(p, err);
  return status == FF_OK && p->n_stochastic == 0 ? ff_petri_refuse(err, "no stochastic transition") : status;
}

ff_status ff_petri_check_marking(const ff_petri_program *p, const double *initial, ff_error *err) {
  for (uint32_t f = 0; f < p->n_places; f++) {
    if (!(initial[f] >= 0)) return ff_petri_refuse(err, "negative markings");
    if (!p->flat->continuous[f] && initial[f] > FF_PETRI_KINDS_LARGEST)
      return ff_petri_refuse(err, "more than 2^30 tokens in a place");
  }
  return FF_OK;
}

/* A condition that ends trajectories may read counts alone. */
static ff_status check_condition(const ff_petri_program *p, const ff_formula *until, ff_error *err) {
  ff_petri_plain plain;
  const ff_status status = ff_petri_program_plain(&plain, p, until, err);
  if (status != FF_OK) return status;
  int moves = ff_formula_has_time(&plain.formula);
  for (uint32_t k = 0; k < plain.n; k++) moves |= ff_petri_is_level(p, plain.read[k]);
  ff_petri_plain_free(&plain);
  return moves ? ff_petri_refuse(err, "conditions on levels or the time that end trajectories") : FF_OK;
}

ff_status ff_petri_check_request(const ff_petri_program *p, const ff_device_request *request, ff_error *err) {
  const ff_status status = request->until != NULL ? check_condition(p, request->until, err) : FF_OK;
  return status == FF_OK ? ff_petri_check_marking(p, request->initial, err) : status;
}
