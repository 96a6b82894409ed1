/* The method of Dormand and Prince (1980) of order 5, with an error estimate of order 4 and Hairer's dense output of order 4. */
#include "ff_ode_internal.h"

/* f at stage i, where x is `at`. */
static void call(ff_ode *o, int i, double h, const double *at, double *slope) {
  ff_ode_call(o, o->span.from + ff_ode_explicit_node(i) * h, at, slope);
}

/* The slopes of component s at all stages. The last one is also the first of the next step. */
static inline void slopes_of(const ff_ode *o, uint32_t s, double *k) {
  k[0] = o->slope[0][s];
  for (int i = 1; i < FF_ODE_EXPLICIT_STAGES - 1; i++) k[i] = o->k[i][s];
  k[FF_ODE_EXPLICIT_STAGES - 1] = o->slope[1][s];
}

/* A loop for each stage, whose weights are constants: one loop over weights and slopes takes a third longer. */
static int attempt(ff_ode *o, double h) {
  const uint32_t n = o->equations.n;
  const double *x = o->start, *k0 = o->slope[0], *k1 = o->k[1], *k2 = o->k[2], *k3 = o->k[3], *k4 = o->k[4], *k5 = o->k[5];
  double *restrict at = o->at, *restrict end = o->end, *restrict error = o->error;
  for (uint32_t s = 0; s < n; s++) at[s] = ff_ode_explicit_1(x[s], h, k0[s]);
  call(o, 1, h, at, o->k[1]);
  for (uint32_t s = 0; s < n; s++) at[s] = ff_ode_explicit_2(x[s], h, k0[s], k1[s]);
  call(o, 2, h, at, o->k[2]);
  for (uint32_t s = 0; s < n; s++) at[s] = ff_ode_explicit_3(x[s], h, k0[s], k1[s], k2[s]);
  call(o, 3, h, at, o->k[3]);
  for (uint32_t s = 0; s < n; s++) at[s] = ff_ode_explicit_4(x[s], h, k0[s], k1[s], k2[s], k3[s]);
  call(o, 4, h, at, o->k[4]);
  for (uint32_t s = 0; s < n; s++) at[s] = ff_ode_explicit_5(x[s], h, k0[s], k1[s], k2[s], k3[s], k4[s]);
  call(o, 5, h, at, o->k[5]);
  for (uint32_t s = 0; s < n; s++) end[s] = ff_ode_explicit_6(x[s], h, k0[s], k2[s], k3[s], k4[s], k5[s]);
  call(o, 6, h, end, o->slope[1]);
  for (uint32_t s = 0; s < n; s++) {
    double k[FF_ODE_EXPLICIT_STAGES];
    slopes_of(o, s, k);
    error[s] = ff_ode_explicit_error(h, k);
  }
  return 1;
}

static void interpolate(ff_ode *o, uint32_t first, uint32_t end) {
  for (uint32_t s = first; s < end; s++) {
    double k[FF_ODE_EXPLICIT_STAGES];
    slopes_of(o, s, k);
    ff_ode_explicit_dense(o->pace.tried, o->start[s], o->end[s], k, o->dense + (size_t)s * FF_ODE_DENSE);
  }
}

/* Stages 6 and 7 are both at the end of the step. They show the speed of the fastest mode (Hairer and Wanner, IV.2). */
double ff_ode_explicit_speed(const ff_ode *o) {
  double by = 0, apart = 0;
  for (uint32_t s = 0; s < o->equations.n; s++) {
    const double size = ff_ode_size(o, s) + fabs(o->end[s]);
    by = ff_ode_larger(by, fabs(o->slope[1][s] - o->k[5][s]) / size);
    apart = ff_ode_larger(apart, fabs(o->end[s] - o->at[s]) / size);
  }
  return apart > 0 ? by / apart : 0;
}

const ff_ode_stepper ff_ode_explicit = {
    {"Dormand-Prince 5(4)", 5, 4, FF_ODE_EXPLICIT_STAGES, 0}, NULL, attempt, NULL, interpolate};
