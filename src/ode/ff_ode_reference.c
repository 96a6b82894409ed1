/* The method of CVODE: backward differences, which SUNDIALS computes. Its polynomials have at most degree 4, like those of the
 * other methods, so what is found within a step does not depend on the method. */
#include <stdlib.h>

#include "ff_cvode.h"
#include "ff_ode_internal.h"

enum { DEGREE = 4 };

#define LITTLE 0x1p-46

static ff_status make(ff_ode *o, ff_error *err) {
  const uint32_t n = o->equations.n;
  if (o->cvode != NULL) return FF_OK;
  double *absolute = ff_calloc(n, sizeof *absolute);
  if (absolute == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a solution of %u components", n);
  for (uint32_t i = 0; i < n; i++) absolute[i] = o->options.tolerance * ff_ode_size(o, i);
  const ff_cvode_options options = {.method = FF_CVODE_BDF, .relative = o->options.tolerance, .absolute = absolute,
                                    .most_steps = 1000, .most_order = DEGREE};
  const ff_status status = ff_cvode_new(&o->cvode, &o->equations, NULL, &options, err);
  free(absolute);
  return status;
}

/* CVODE refuses steps of some roundings of the time. */
static int advance_a_little(ff_ode *o, double most) {
  const double h = most - o->span.from;
  for (uint32_t i = 0; i < o->equations.n; i++) {
    o->end[i] = o->start[i] + h * o->slope[0][i];
    for (int k = 0; k < DEGREE; k++) o->k[k][i] = 0;
  }
  o->span.to = most;
  o->anew = 1;
  return 1;
}

/* The derivatives at the end stay in k[0] to k[3] for interpolate(). CVODE's estimate of the error is not asked for. */
static int advance_by_cvode(ff_ode *o, double most) {
  double to = o->span.from;
  const uint64_t before = ff_cvode_calls(o->cvode);
  if (o->anew && ff_cvode_begin(o->cvode, o->span.from, o->start, NULL) != FF_OK) return 0;
  const ff_status status = ff_cvode_step(o->cvode, most, &to, o->end, o->k, DEGREE, NULL);
  o->calls += ff_cvode_calls(o->cvode) - before;
  if (status != FF_OK || !(to > o->span.from)) return 0;
  o->span.to = to;
  o->anew = 0;
  return 1;
}

static int advance(ff_ode *o, double most) {
  const int little = most - o->span.from <= LITTLE * fabs(o->span.from);
  if (!(little ? advance_a_little(o, most) : advance_by_cvode(o, most))) return 0;
  o->span.jumped = 0;
  o->pace.tried = o->pace.next = o->span.to - o->span.from;
  for (uint32_t i = 0; i < o->equations.n; i++) o->error[i] = 0;
  return 1;
}

/* From the polynomial x + a[1] r + ... + a[4] r^4 in r = s - 1, which is `start` at r = -1. */
static void interpolate(ff_ode *o, uint32_t first, uint32_t end) {
  const double h = o->pace.tried;
  for (uint32_t s = first; s < end; s++) {
    const double a2 = h * h / 2 * o->k[1][s], a3 = h * h * h / 6 * o->k[2][s], a4 = h * h * h * h / 24 * o->k[3][s];
    double *c = o->dense + (size_t)s * FF_ODE_DENSE;
    c[0] = o->start[s];
    c[1] = o->end[s] - o->start[s];
    c[2] = -a2 + 2 * a3 - 3 * a4;
    c[3] = -a3 + 2 * a4;
    c[4] = a4;
  }
}

const ff_ode_stepper ff_ode_reference = {{"CVODE, backward differences", DEGREE, DEGREE, 1, 1}, make, NULL, advance, interpolate};
