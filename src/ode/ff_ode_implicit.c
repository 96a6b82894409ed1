/* The Rosenbrock method Rodas5P of order 5, L-stable, with an error estimate of order 4 and dense output of order 4 (Steinebach
 * 2023, BIT Numerical Mathematics 63, 27). Stage i solves (I / (h gamma) - df/dx) u_i = f(t + c_i h, x + sum a_ij u_j) +
 * sum C_ij u_j / h + h d_i df/dt, the form of Hairer and Wanner (IV.7). */
#include <stdlib.h>

#include "ff_ode_jacobian_internal.h"
#include "../linear/ff_sparse_lu.h"

enum { STAGES = 8, INNER = 5 };

#define GAMMA 0.21193756319429014
/* The largest part of its terms, or of what the tolerance permits, by which a solution may miss an equation. */
#define MISFIT 0x1p-20

/* The last three stages are at the end: each adds its u to the state of the one before. */
static const double node[INNER] = {0, 0.6358126895828704, 0.4095798393397535, 0.9769306725060716, 0.4288403609558664};
static const double in_time[INNER] = {GAMMA, -0.42387512638858027, -0.3384627126235924, 1.8046452872882734, 2.325825639765069};
static const double state_weight[INNER + 1][INNER] = {
    {0},
    {3.0},
    {2.849394379747939, 0.45842242204463923},
    {-6.954028509809101, 2.489845061869568, -10.358996098473584},
    {2.8029986275628964, 0.5072464736228206, -0.3988312541770524, -0.04721187230404641},
    {-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946}};
static const double stage_weight[STAGES][STAGES - 1] = {
    {0},
    {-14.155112264123755},
    {-17.97296035885952, -2.859693295451294},
    {147.12150275711716, -1.41221402718213, 71.68940251302358},
    {165.43517024871676, -0.4592823456491126, 42.90938336958603, -5.961986721573306},
    {24.854864614690072, -3.0009227002832186, 47.4931110020768, 5.5814197821558125, -0.6610691825249471},
    {30.91273214028599, -3.1208243349937974, 77.79954646070892, 34.28646028294783, -19.097331116725623, -28.087943162872662},
    {37.80277123390563, -3.2571969029072276, 112.26918849496327, 66.9347231244047, -40.06618937091002, -54.66780262877968,
     -9.48861652309627}};
static const double dense_weight[3][STAGES] = {
    {25.948786856663858, -2.5579724845846235, 10.433815404888879, -2.3679251022685204, 0.524948541321073, 1.1241088310450404,
     0.4272876194431874, -0.17202221070155493},
    {-9.91568850695171, -0.9689944594115154, 3.0438037242978453, -24.495224566215796, 20.176138334709044, 15.98066361424651,
     -6.789040303419874, -6.710236069923372},
    {11.419903575922262, 2.8879645146136994, 72.92137995996029, 80.12511834622643, -52.072871366152654, -59.78993625266729,
     -0.15582684282751913, 4.883087185713722}};

struct ff_ode_linear {
  ff_ode_jacobian *jacobian;
  ff_sparse_order *order; /* NULL: that of the equations is used */
  ff_sparse_lu *lu;
  uint64_t step;      /* for whose beginning the derivatives were computed */
  int has_derivatives; /* whether they exist there */
  double *memory, *right, *in_time, *misfit, *terms;
};

void ff_ode_linear_free(struct ff_ode_linear *l) {
  if (l == NULL) return;
  ff_ode_jacobian_free(l->jacobian);
  ff_sparse_lu_free(l->lu);
  ff_sparse_order_free(l->order);
  free(l->memory);
  free(l);
}

static ff_status fill(struct ff_ode_linear *l, const ff_ode_equations *equations, ff_error *err) {
  const size_t n = equations->n;
  l->memory = ff_calloc(4 * n, sizeof *l->memory);
  if (l->memory == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for implicit steps of %zu components", n);
  l->right = l->memory;
  l->in_time = l->memory + n;
  l->misfit = l->memory + 2 * n;
  l->terms = l->memory + 3 * n;
  ff_status status = ff_ode_jacobian_new(&l->jacobian, equations, err);
  const ff_sparse_order *given = equations->order;
  if (status == FF_OK && given == NULL)
    status = ff_sparse_order_new(&l->order, equations->n, l->jacobian->first, l->jacobian->row, err);
  if (status == FF_OK) status = ff_sparse_lu_new(&l->lu, given != NULL ? given : l->order, err);
  return status;
}

static ff_status make(ff_ode *o, ff_error *err) {
  if (o->linear != NULL) return FF_OK;
  struct ff_ode_linear *l = ff_calloc(1, sizeof *l);
  if (l == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for implicit steps");
  ff_status status = fill(l, &o->equations, err);
  if (status == FF_OK)
    o->linear = l;
  else
    ff_ode_linear_free(l);
  return status;
}

/* The derivatives at the beginning of the step, once for all its tries. */
static int differentiate(ff_ode *o) {
  struct ff_ode_linear *l = o->linear;
  if (l->step == o->step) return l->has_derivatives;
  l->step = o->step;
  l->has_derivatives = ff_ode_jacobian_compute(l->jacobian, o, l->in_time);
  return l->has_derivatives;
}

/* Whether u solves (df/dx - shift) u = y, but for rounding errors. Terms below 2^-1022 have few digits: their errors count as
 * parts of what the tolerance permits. */
static int solves(const ff_ode *o, double shift, const double *u, const double *y) {
  const struct ff_ode_linear *l = o->linear;
  const ff_ode_jacobian *j = l->jacobian;
  for (uint32_t i = 0; i < j->n; i++) {
    l->misfit[i] = -shift * u[i] - y[i];
    l->terms[i] = fabs(shift * u[i]) + fabs(y[i]);
  }
  for (uint32_t c = 0; c < j->n; c++)
    for (size_t p = j->first[c]; p < j->first[c + 1]; p++) {
      const double term = j->entry[p] * u[c];
      l->misfit[j->row[p]] += term;
      l->terms[j->row[p]] += fabs(term);
    }
  for (uint32_t i = 0; i < j->n; i++)
    if (!(fabs(l->misfit[i]) <= MISFIT * (l->terms[i] + shift * (o->options.tolerance * ff_ode_size(o, i))))) return 0;
  return 1;
}

static double combine(const ff_ode *o, const double *weight, int stages, uint32_t s) {
  double sum = 0;
  for (int i = 0; i < stages; i++) sum += weight[i] * o->k[i][s];
  return sum;
}

/* Sets k[i]. The state of the stage is in o->at, and the slope there in k[i]. */
static void solve_stage(ff_ode *o, int i, double h) {
  struct ff_ode_linear *l = o->linear;
  for (uint32_t s = 0; s < o->equations.n; s++) {
    double right = o->k[i][s] + combine(o, stage_weight[i], i, s) / h;
    if (i < INNER && o->equations.timed) right += h * in_time[i] * l->in_time[s];
    o->k[i][s] = l->right[s] = -right;
  }
  ff_sparse_lu_solve(l->lu, o->k[i]);
}

/* After a jump, a long step damps a fast mode, so that the difference of both results is small, but not the error within. */
static double least_error(const ff_ode *o, uint32_t s) {
  const double last = combine(o, dense_weight[2], STAGES, s);
  return ff_ode_least_error(combine(o, dense_weight[1], STAGES, s) + last, last);
}

static int attempt(ff_ode *o, double h) {
  const uint32_t n = o->equations.n;
  const double shift = 1 / (h * GAMMA);
  struct ff_ode_linear *l = o->linear;
  if (!differentiate(o) || !ff_sparse_lu_factor(l->lu, l->jacobian->entry, -shift)) return 0;
  for (int i = 0; i < STAGES; i++) {
    for (uint32_t s = 0; s < n && i <= INNER; s++) o->at[s] = o->start[s] + combine(o, state_weight[i], i < INNER ? i : INNER, s);
    for (uint32_t s = 0; s < n && i > INNER; s++) o->at[s] += o->k[i - 1][s];
    for (uint32_t s = 0; s < n && i == 0; s++) o->k[0][s] = o->slope[0][s];
    if (i > 0) ff_ode_call(o, o->span.from + (i < INNER ? node[i] : 1) * h, o->at, o->k[i]);
    solve_stage(o, i, h);
    if (i == 0 && !solves(o, shift, o->k[0], l->right)) return 0;
  }
  for (uint32_t s = 0; s < n; s++) {
    o->end[s] = o->at[s] + o->k[STAGES - 1][s];
    o->error[s] = ff_ode_larger(fabs(o->k[STAGES - 1][s]), least_error(o, s));
  }
  ff_ode_call(o, o->span.from + h, o->end, o->slope[1]);
  return 1;
}

/* No mode is faster than the largest sum of a row, where each component is measured by its size. */
double ff_ode_implicit_speed(ff_ode *o) {
  const struct ff_ode_linear *l = o->linear;
  const ff_ode_jacobian *j = l->jacobian;
  double most = 0;
  for (uint32_t i = 0; i < j->n; i++) l->terms[i] = 0;
  for (uint32_t c = 0; c < j->n; c++) {
    const double size = ff_ode_size(o, c) + fabs(o->end[c]);
    for (size_t p = j->first[c]; p < j->first[c + 1]; p++) l->terms[j->row[p]] += fabs(j->entry[p]) * size;
  }
  for (uint32_t i = 0; i < j->n; i++) most = ff_ode_larger(most, l->terms[i] / (ff_ode_size(o, i) + fabs(o->end[i])));
  return most;
}

/* Steinebach's polynomial x0 + s (by + r (d1 + s (d2 + s d3))), r = 1 - s, in the form of the explicit method. */
static void interpolate(ff_ode *o, uint32_t first, uint32_t end) {
  for (uint32_t s = first; s < end; s++) {
    double *c = o->dense + (size_t)s * FF_ODE_DENSE;
    const double last = combine(o, dense_weight[2], STAGES, s);
    c[0] = o->start[s];
    c[1] = o->end[s] - o->start[s];
    c[2] = combine(o, dense_weight[0], STAGES, s);
    c[3] = combine(o, dense_weight[1], STAGES, s) + last;
    c[4] = -last;
  }
}

const ff_ode_stepper ff_ode_implicit = {{"Rodas5P", 5, 4, STAGES, 1}, make, attempt, NULL, interpolate};
