/* The method of Dormand and Prince (1980) of order 5, with an error estimate of order 4 and Hairer's dense output of order 4. */
#include "ff_ode_internal.h"

enum { STAGES = 7 };

static const double node[STAGES] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
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

/* The slopes of all stages. The last one is also the first of the next step. */
typedef struct {
  const double *of[STAGES];
} slopes;

static slopes slopes_of(const ff_ode *o) {
  return (slopes){{o->slope[0], o->k[1], o->k[2], o->k[3], o->k[4], o->k[5], o->slope[1]}};
}

static inline double combine(const slopes *k, const double *weight, int stages, uint32_t s) {
  double sum = 0;
  for (int i = 0; i < stages; i++) sum += weight[i] * k->of[i][s];
  return sum;
}

static int attempt(ff_ode *o, double h) {
  const slopes k = slopes_of(o);
  const uint32_t n = o->equations.n;
  for (int i = 1; i < STAGES; i++) {
    const int last = i == STAGES - 1;
    double *at = last ? o->end : o->at;
    for (uint32_t s = 0; s < n; s++) at[s] = o->start[s] + h * combine(&k, tableau[i], i, s);
    ff_ode_call(o, o->span.from + node[i] * h, at, last ? o->slope[1] : o->k[i]);
  }
  for (uint32_t s = 0; s < n; s++) o->error[s] = fabs(h * combine(&k, error_weight, STAGES, s));
  return 1;
}

static void interpolate(ff_ode *o) {
  const slopes k = slopes_of(o);
  const double h = o->tried;
  for (uint32_t s = 0; s < o->equations.n; s++) {
    double *c = o->dense + (size_t)s * FF_ODE_DENSE;
    const double before = o->start[s], by = o->end[s] - before, bend = h * o->slope[0][s] - by;
    c[0] = before;
    c[1] = by;
    c[2] = bend;
    c[3] = by - h * o->slope[1][s] - bend;
    c[4] = h * combine(&k, dense_weight, STAGES, s);
  }
}

/* Stages 6 and 7 are both at the end of the step. Their difference shows how fast the fastest mode is (Hairer and Wanner, IV.2). */
double ff_ode_explicit_speed(const ff_ode *o) {
  double by = 0, apart = 0;
  for (uint32_t s = 0; s < o->equations.n; s++) {
    const double size = ff_ode_size(o, s) + fabs(o->end[s]);
    by = ff_ode_larger(by, fabs(o->slope[1][s] - o->k[5][s]) / size);
    apart = ff_ode_larger(apart, fabs(o->end[s] - o->at[s]) / size);
  }
  return apart > 0 ? by / apart : 0;
}

const ff_ode_stepper ff_ode_explicit = {{"Dormand-Prince 5(4)", 5, 4, STAGES, 0}, NULL, attempt, interpolate};
