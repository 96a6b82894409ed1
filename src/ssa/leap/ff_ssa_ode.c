/* Rate equations: each reaction runs at its rate, which may be below 0. Mass action is a product of powers, the limit of large
 * counts, and a formula is taken as it is written. */
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_leap.h"
#include "../../ode/ff_ode.h"
#include "../path/ff_ssa_method.h"
#include "ff_ssa_smooth.h"

typedef struct {
  ff_ode *solver;
  ff_failure failure;  /* of the last step that was tried */
  double *at, *slope;  /* a state that is shown, and its derivative */
} ode;

#define ODE_TOLERANCE 1e-8

static void drop(ff_ssa_smooth *e) {
  ode *o = e->own;
  if (o == NULL) return;
  ff_ode_free(o->solver);
  free(o->at);
  free(o->slope);
  free(o);
}

/* ---- rates -------------------------------------------------------------------------------------------------------------- */

/* x^n / n!, or x (x - 1) ... (x - n + 1) / n! if the formula was given */
static double power_of(double x, uint32_t n, uint32_t written) {
  double value = 1;
  for (uint32_t i = 1; i <= n; i++) value *= (written ? x - (i - 1) : x) / i;
  return value;
}

/* What mass action multiplies a rate with. Where two counts are below 0 by errors of the solution, it is 0: their product would
 * drive them away from 0. */
static double product_of(const ff_ssa_smooth *e, const ff_ssa_propensity *a, const double *x) {
  const ff_participant *factor = e->single.path.program->factors + a->first;
  double value = 1;
  uint64_t below = 0;
  for (uint32_t i = 0; i < a->n; i++) {
    const double count = x[factor[i].species];
    if (count < 0 && count >= -e->doubt[factor[i].species]) below += factor[i].count;
    value *= power_of(count, factor[i].count, a->written);
  }
  return below > 1 ? 0 : value;
}

static int lacks_reactant(const ff_ssa_program *p, const ff_ssa_propensity *a, const double *x) {
  for (uint32_t i = a->first; i < a->first + a->n; i++)
    if (!(x[p->factors[i].species] > 0)) return 1;
  return 0;
}

/* The value of a formula. Where it is not finite, errors of the solution may be the reason, as for the root of a count that is
 * hardly below 0: such counts are then 0. Without a reactant, a formula such as A * B / (A + B) need not have a value. */
static double value_of(ff_ssa_smooth *e, uint32_t r, const double *x) {
  ff_ssa_path *path = &e->single.path;
  const ff_ssa_program *p = path->program;
  const ff_ssa_propensity *a = p->propensities + r;
  double value = ff_formula_value(&p->formulas[a->a], x, 0, path->stack);
  if (fabs(value) < INFINITY) return value;
  for (uint32_t s = 0; s < p->n_species; s++) path->whole[s] = x[s] < 0 && x[s] >= -e->doubt[s] ? 0 : x[s];
  value = ff_formula_value(&p->formulas[a->a], path->whole, 0, path->stack);
  if (fabs(value) < INFINITY) return value;
  if (!lacks_reactant(p, a, x)) ff_ssa_path_fail(path, FF_SSA_BAD_RATE, r, value);
  return 0;
}

/* No rate depends on the time: such networks are refused. */
static double rate_of(ff_ssa_smooth *e, uint32_t r, const double *x) {
  const ff_ssa_propensity *a = e->single.path.program->propensities + r;
  if (a->law == FF_LAW_FORMULA) return value_of(e, r, x);
  const double rate = a->law == FF_LAW_SCALED ? value_of(e, r, x) : a->rate;
  return (a->law == FF_LAW_TWIN ? 2 * rate : rate) * product_of(e, a, x); /* a twin's rate holds the factor 1/2 */
}

/* The derivative of all counts. Returns whether all rates have values. */
static int derive(void *of, double t, const double *x, double *out) {
  ff_ssa_smooth *e = of;
  const ff_ssa_program *p = e->single.path.program;
  (void)t;
  memset(out, 0, p->n_species * sizeof *out);
  for (uint32_t r = 0; r < p->n_reactions; r++) ff_ssa_apply(p, out, r, rate_of(e, r, x));
  return e->single.path.failure.what == FF_SSA_FINE;
}

/* ---- steps -------------------------------------------------------------------------------------------------------------- */

/* How far the step has overshot 0, where a rate such as r * (A > 0) ends: the count does not fall any more. This is an error,
 * too. A failure may be that of this step alone: a shorter step may do. */
static double judge(void *of, const ff_ode_span *tried, double error) {
  ff_ssa_smooth *e = of;
  ode *o = e->own;
  o->failure = e->single.path.failure;
  e->single.path.failure.what = FF_SSA_FINE;
  for (uint32_t s = 0; s < e->single.path.program->n_species && error < INFINITY; s++)
    if (tried->start[s] >= 0 && tried->slope[s] >= 0 && tried->end[s] < 0 && -tried->end[s] / e->tolerance > error)
      error = -tried->end[s] / e->tolerance;
  return error;
}

static void show(ff_ssa_smooth *e, double t) { ff_ode_state(((ode *)e->own)->solver, t, e->shown); }

/* A count that is below 0 by at most its doubt may be 0 but for errors. It is shown as 0 if the rates would leave it there. */
static void round_to_zero(ff_ssa_smooth *e) {
  ode *o = e->own;
  ff_ssa_path *path = &e->single.path;
  const uint32_t n = path->program->n_species;
  const ff_failure failure = path->failure;
  int doubtful = 0;
  for (uint32_t s = 0; s < n; s++) {
    const int small = e->shown[s] < 0 && e->shown[s] >= -e->doubt[s];
    o->at[s] = small ? 0 : e->shown[s];
    doubtful |= small;
  }
  if (!doubtful) return;
  derive(e, 0, o->at, o->slope);
  path->failure = failure;
  for (uint32_t s = 0; s < n; s++)
    if (o->at[s] == 0 && o->slope[s] >= 0) e->shown[s] = 0;
}

static void begin(ff_ssa_smooth *e) {
  ode *o = e->own;
  for (uint32_t s = 0; s < e->single.path.program->n_species; s++) e->doubt[s] = e->tolerance;
  ff_ode_begin(o->solver, 0, e->single.path.count, 0);
  ff_ode_slope(o->solver);
}

static int is_still(const ff_ssa_smooth *e) {
  const double *slope = ff_ode_slope(((ode *)e->own)->solver);
  for (uint32_t s = 0; s < e->single.path.program->n_species; s++)
    if (slope[s] != 0) return 0;
  return 1;
}

/* A rate such as r * (A > 0) jumps, perhaps at a time that is no double. A few of the shortest steps pass it, whatever the error,
 * and after them another rate may jump. If there are more of these steps, some rate jumps to and fro. What a step may have put
 * wrong is added to the doubt. In the shortest step, this is all that it changed, and what the new slope would have changed. */
static void step(ff_ssa_smooth *e) {
  ode *o = e->own;
  ff_ssa_path *path = &e->single.path;
  e->end = INFINITY;
  if (is_still(e)) return;
  if (ff_ode_step(o->solver, INFINITY) != FF_ODE_STEPPED) {
    path->failure = o->failure;
    ff_ssa_path_fail(path, FF_SSA_BAD_STEP, 0, ff_ode_next(o->solver));
    return;
  }
  const ff_ode_span *made = ff_ode_last(o->solver);
  for (uint32_t s = 0; s < path->program->n_species; s++)
    e->doubt[s] += made->jumped ? fabs(made->end[s] - made->start[s]) + fabs(made->slope[s]) * (made->to - made->from)
                                : made->error[s];
  memcpy(e->after, made->end, path->program->n_species * sizeof *e->after);
  e->end = made->to;
}

ff_status ff_ssa_engine_ode(ff_lanes **out, const ff_ssa_program *program, const ff_run_options *options,
                            const double *initial, uint64_t trajectories, ff_error *err) {
  (void)trajectories;
  *out = NULL;
  ff_ssa_smooth *e;
  ff_status status = ff_ssa_smooth_new(&e, program, options, initial, err);
  if (status != FF_OK) return status;
  e->begin = begin;
  e->step = step;
  e->show = show;
  e->round = round_to_zero;
  e->drop = drop;
  if (!(e->tolerance > 0)) e->tolerance = ODE_TOLERANCE;
  ode *o = e->own = ff_calloc(1, sizeof *o);
  int missing = o == NULL || (o->at = ff_calloc(program->n_species, sizeof *o->at)) == NULL;
  missing = missing || (o->slope = ff_calloc(program->n_species, sizeof *o->slope)) == NULL;
  missing = missing || (e->doubt = ff_calloc(program->n_species, sizeof *e->doubt)) == NULL;
  if (missing) {
    status = ff_error_set(err, FF_EMEMORY, "no memory for the derivatives of %u counts", program->n_species);
  } else {
    const ff_ode_equations equations = {.n = program->n_species, .of = e, .slope = derive};
    const ff_ode_options how = {.tolerance = e->tolerance, .jumps = program->n_reactions, .judge = judge};
    status = ff_ode_new(&o->solver, &equations, &how, err);
  }
  if (status == FF_OK)
    *out = &e->single.base;
  else
    e->single.base.free(&e->single.base);
  return status;
}
