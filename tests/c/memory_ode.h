/* Scenario of test_memory: differential equations. */
#ifndef FF_TESTS_MEMORY_ODE_H
#define FF_TESTS_MEMORY_ODE_H

#include "../../src/ode/ff_ode.h"
#include "memory_given.h"

static int turns_and_grows(void *of, double t, const double *x, double *slope) {
  (void)of, (void)t;
  slope[0] = x[1];
  slope[1] = -x[0];
  slope[2] = 1;
  return 1;
}

/* Both methods, with a matrix of all entries. Steps allocate nothing. */
static ff_status solves_equations(ff_error *err) {
  static const double start[] = {1, 0, 0};
  const ff_ode_equations equations = {.n = 3, .slope = turns_and_grows};
  const ff_ode_options options = {.automatic = 1, .tolerance = 1e-6};
  ff_ode *o;
  ff_status status = ff_ode_new(&o, &equations, &options, err);
  CHECK_OUT(status, o);
  if (status == FF_OK) {
    ff_ode_start(o, 0, start, 0);
    FF_CHECK_INT(ff_ode_step(o, 1), FF_ODE_STEPPED);
  }
  ff_ode_free(o);
  return status;
}

#endif
