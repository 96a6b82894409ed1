/* Rate equations: each reaction runs at its rate, which may be below 0. Mass action is a product of powers, the limit of large
 * counts, and a formula is taken as it is written. The method is that of Dormand and Prince (1980) of order 5, with an error
 * estimate of order 4 and Hairer's dense output. */
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_math.h"
#include "ff_ssa_leap.h"
#include "../path/ff_ssa_method.h"
#include "ff_ssa_smooth.h"

enum { STAGES = 7 };

typedef struct {
  double h;         /* the length of the next step */
  double first;     /* that of the first one */
  uint32_t jumps;   /* steps in a row that were as short as can be */
  double *k[STAGES]; /* derivatives; k[0] is that at the beginning of the next step */
  double *at, *dense[5], *slope, *error;
} ode;

#define ODE_TOLERANCE 1e-8
#define LEAST_STEP 0x1p-46 /* as a part of the time */

static void drop(ff_ssa_smooth *e) {
  ode *o = e->own;
  if (o == NULL) return;
  for (int i = 0; i < STAGES; i++) free(o->k[i]);
  for (int i = 0; i < 5; i++) free(o->dense[i]);
  free(o->at);
  free(o->slope);
  free(o->error);
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

/* The derivative of all counts. */
static void derive(ff_ssa_smooth *e, const double *x, double *out) {
  const ff_ssa_program *p = e->single.path.program;
  memset(out, 0, p->n_species * sizeof *out);
  for (uint32_t r = 0; r < p->n_reactions; r++) ff_ssa_apply(p, out, r, rate_of(e, r, x));
}

/* ---- steps -------------------------------------------------------------------------------------------------------------- */

static const double tableau[STAGES][STAGES - 1] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
static const double error_weight[STAGES] = {71.0 / 57600,      0,           -71.0 / 16695, 71.0 / 1920,
                                            -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
static const double dense_weight[STAGES] = {-12715105075.0 / 11282082432.0, 0,
                                            87487479700.0 / 32700410799.0,  -10690763975.0 / 1880347072.0,
                                            701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
                                            69997945.0 / 29380423.0};

static double combine(const ode *o, const double *weight, int stages, uint32_t s) {
  double sum = 0;
  for (int i = 0; i < stages; i++) sum += weight[i] * o->k[i][s];
  return sum;
}

static double larger(double a, double b) { return a > b ? a : b; }

static double scale_of(const ff_ssa_smooth *e, double x, double y) {
  return e->tolerance * (1 + larger(fabs(x), fabs(y)));
}

/* How far the step has overshot 0, where a rate such as r * (A > 0) ends: the count does not fall any more. */
static double overshoot_of(const ff_ssa_smooth *e, uint32_t s) {
  const ode *o = e->own;
  return e->single.path.count[s] >= 0 && o->k[STAGES - 1][s] >= 0 && e->after[s] < 0 ? -e->after[s] : 0;
}

/* Tries a step of length h. Returns the largest error of a count, as a part of what the tolerance permits. */
static double try_step(ff_ssa_smooth *e, double h) {
  ode *o = e->own;
  ff_ssa_path *path = &e->single.path;
  const uint32_t n = path->program->n_species;
  double error = 0;
  for (int i = 1; i < STAGES; i++) {
    double *at = i == STAGES - 1 ? e->after : o->at;
    for (uint32_t s = 0; s < n; s++) at[s] = path->count[s] + h * combine(o, tableau[i], i, s);
    derive(e, at, o->k[i]);
  }
  for (uint32_t s = 0; s < n; s++) {
    o->error[s] = fabs(h * combine(o, error_weight, STAGES, s));
    const double part = o->error[s] / scale_of(e, path->count[s], e->after[s]);
    if (!(part < INFINITY)) return INFINITY;
    error = larger(larger(error, part), overshoot_of(e, s) / e->tolerance);
  }
  return error;
}

static void set_dense(ff_ssa_smooth *e, double h) {
  ode *o = e->own;
  for (uint32_t s = 0; s < e->single.path.program->n_species; s++) {
    const double before = e->single.path.count[s], by = e->after[s] - before, bend = h * o->k[0][s] - by;
    o->dense[0][s] = before;
    o->dense[1][s] = by;
    o->dense[2][s] = bend;
    o->dense[3][s] = by - h * o->k[STAGES - 1][s] - bend;
    o->dense[4][s] = h * combine(o, dense_weight, STAGES, s);
  }
}

static void show(ff_ssa_smooth *e, double part) {
  const ode *o = e->own;
  const double rest = 1 - part;
  for (uint32_t s = 0; s < e->single.path.program->n_species; s++)
    e->shown[s] = o->dense[0][s] +
                  part * (o->dense[1][s] + rest * (o->dense[2][s] + part * (o->dense[3][s] + rest * o->dense[4][s])));
}

/* A count that is below 0 by at most its doubt may be 0 but for errors. It is shown as 0 if the rates would leave it there. */
static void round_to_zero(ff_ssa_smooth *e) {
  ode *o = e->own;
  ff_ssa_path *path = &e->single.path;
  const uint32_t n = path->program->n_species;
  const ff_failure failure = path->failure;
  double *slope = o->k[1]; /* is not needed after the step */
  int doubtful = 0;
  for (uint32_t s = 0; s < n; s++) {
    const int small = e->shown[s] < 0 && e->shown[s] >= -e->doubt[s];
    o->at[s] = small ? 0 : e->shown[s];
    doubtful |= small;
  }
  if (!doubtful) return;
  derive(e, o->at, slope);
  path->failure = failure;
  for (uint32_t s = 0; s < n; s++)
    if (o->at[s] == 0 && slope[s] >= 0) e->shown[s] = 0;
}

/* The length of the first step: counts change by a hundredth of their scale. */
static void begin(ff_ssa_smooth *e) {
  ode *o = e->own;
  double fastest = 0;
  for (uint32_t s = 0; s < e->single.path.program->n_species; s++) e->doubt[s] = e->tolerance;
  derive(e, e->single.path.count, o->k[0]);
  memcpy(o->slope, o->k[0], e->single.path.program->n_species * sizeof *o->slope);
  for (uint32_t s = 0; s < e->single.path.program->n_species; s++) {
    const double speed = fabs(o->k[0][s]) / (1 + e->single.path.count[s]);
    fastest = larger(fastest, speed);
  }
  o->h = o->first = fastest > 0 ? 0.01 / fastest : 1;
  o->jumps = 0;
}

static int is_still(const ff_ssa_smooth *e) {
  const ode *o = e->own;
  for (uint32_t s = 0; s < e->single.path.program->n_species; s++)
    if (o->slope[s] != 0) return 0;
  return 1;
}

/* Adds what the step may have put wrong. In the shortest step, this is all that it changed. */
static void add_doubt(ff_ssa_smooth *e, int jumped) {
  const ode *o = e->own;
  for (uint32_t s = 0; s < e->single.path.program->n_species; s++)
    e->doubt[s] += jumped ? fabs(e->after[s] - e->single.path.count[s]) : o->error[s];
}

/* A rate such as r * (A > 0) jumps, perhaps at a time that is no double. The shortest step passes it, whatever the error. In each
 * of some steps in a row, another rate may jump. If there are more of these steps than rates, some rate jumps to and fro. */
static void step(ff_ssa_smooth *e) {
  ode *o = e->own;
  ff_ssa_path *path = &e->single.path;
  const uint32_t n = path->program->n_species;
  const double least = LEAST_STEP * (path->time + o->first);
  memcpy(o->k[0], o->slope, n * sizeof *o->slope);
  e->end = INFINITY;
  if (path->failure.what != FF_SSA_FINE || is_still(e)) return;
  for (;;) {
    const int shortest = !(o->h > least);
    const double h = shortest ? least : o->h;
    path->failure.what = FF_SSA_FINE; /* a shorter step may do */
    const double error = try_step(e, h);
    const int jumped = shortest && error > 1 && error < INFINITY && o->jumps < path->program->n_reactions;
    const int fine = (error <= 1 || jumped) && path->failure.what == FF_SSA_FINE;
    double factor = error > 0 ? 0.9 * ff_pow(error, -0.2) : 5;
    if (!(factor >= 0.2)) factor = 0.2;
    if (factor > 5) factor = 5;
    if (!fine && factor > 0.5) factor = 0.5;
    o->h = h * factor;
    if (fine) {
      o->jumps = jumped ? o->jumps + 1 : 0;
      add_doubt(e, jumped);
      e->end = path->time + h;
      set_dense(e, h);
      memcpy(o->slope, o->k[STAGES - 1], n * sizeof *o->slope);
      return;
    }
    if (!shortest) continue;
    ff_ssa_path_fail(path, FF_SSA_BAD_STEP, 0, o->h);
    return;
  }
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
  int missing = o == NULL;
  for (int i = 0; !missing && i < STAGES; i++) missing = (o->k[i] = ff_calloc(program->n_species, sizeof **o->k)) == NULL;
  for (int i = 0; !missing && i < 5; i++) missing = (o->dense[i] = ff_calloc(program->n_species, sizeof **o->dense)) == NULL;
  if (!missing) missing = (o->at = ff_calloc(program->n_species, sizeof *o->at)) == NULL;
  if (!missing) missing = (e->doubt = ff_calloc(program->n_species, sizeof *e->doubt)) == NULL;
  if (!missing) missing = (o->error = ff_calloc(program->n_species, sizeof *o->error)) == NULL;
  if (!missing) missing = (o->slope = ff_calloc(program->n_species, sizeof *o->slope)) == NULL;
  if (missing) {
    e->single.base.free(&e->single.base);
    return ff_error_set(err, FF_EMEMORY, "no memory for the derivatives of %u counts", program->n_species);
  }
  *out = &e->single.base;
  return FF_OK;
}
