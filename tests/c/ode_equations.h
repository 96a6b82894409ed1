/* What the tests of ode/ share: a solver, steps to a time, and equations. */
#ifndef FF_TESTS_ODE_EQUATIONS_H
#define FF_TESTS_ODE_EQUATIONS_H

#include <math.h>

#include "../../src/ode/ff_ode.h"
#include "check.h"

static inline ff_ode *solver(const ff_ode_equations *equations, const ff_ode_options *options) {
  ff_ode *o = NULL;
  ff_error err;
  FF_CHECK_OK(ff_ode_new(&o, equations, options, &err), &err);
  return o;
}

static inline int steps_to(ff_ode *o, double most) { return ff_ode_step(o, most) == FF_ODE_STEPPED; }

/* Goes on to a time. Returns the number of steps, or 0 if there is none at some time. */
static inline int go(ff_ode *o, double until) {
  int steps = 0;
  while (ff_ode_last(o)->to < until) {
    if (!steps_to(o, until)) return 0;
    steps++;
  }
  return steps;
}

static inline double distance(const double *x, const double *y, uint32_t n) {
  double most = 0;
  for (uint32_t i = 0; i < n; i++) most = fmax(most, fabs(x[i] - y[i]));
  return most;
}

/* x' = 1. */
static inline int grows(void *of, double t, const double *x, double *slope) {
  (void)of, (void)t, (void)x;
  slope[0] = 1;
  return 1;
}

/* A circle. */
static inline int turns(void *of, double t, const double *x, double *slope) {
  (void)of, (void)t;
  slope[0] = x[1];
  slope[1] = -x[0];
  return 1;
}

/* Logistic growth, exp(-t), and a swinging pair. An error of the logistic curve changes as x (1 - x) does, from 0.09 to 0.25 at
 * most, so by a factor of at most 2.8; the others do not grow. */
static inline int known(void *of, double t, const double *x, double *slope) {
  (void)of, (void)t;
  slope[0] = x[0] * (1 - x[0]);
  slope[1] = -x[1];
  slope[2] = x[3];
  slope[3] = -x[2];
  return 1;
}

/* Relaxation towards cos(t), whose rate an event changes. */
static inline int relaxes(void *of, double t, const double *x, double *slope) {
  slope[0] = -*(const double *)of * (x[0] - cos(t));
  slope[1] = x[0];
  return 1;
}

#endif
