/* ode/ff_cvode: solutions and roots against known ones, both methods; as a method of ff_ode.h; and what is told without CVODE. */
#include <string.h>

#include "../../src/ode/ff_cvode.h"
#include "ode_equations.h"
#include "../../src/ode/ff_ode_explicit_math.h"

/* exp(-t) and cosine pass 1/2. */
static double crossing(void *of, uint32_t i, double t, const double *x) {
  (void)of, (void)t;
  return i == 0 ? x[1] - 0.5 : x[3] - 0.5;
}

static const double tolerances[4] = {1e-10, 1e-10, 1e-10, 1e-10};

static ff_cvode *cvode(const ff_ode_equations *equations, const ff_ode_watch *watch, ff_cvode_method method) {
  const ff_cvode_options options = {.method = method, .relative = 1e-9, .absolute = tolerances, .most_steps = 100000};
  ff_cvode *c = NULL;
  ff_error err;
  FF_CHECK_OK(ff_cvode_new(&c, equations, watch, &options, &err), &err);
  return c;
}

/* The components are logistic growth from 0.1, exp(-t), and sine and cosine. Each step adds an error of some tolerances, and
 * there are a few hundred steps up to time 5: so 1e-6 is a bound that they keep by far. */
static void solves(void) {
  if (!ff_cvode_exists()) FF_SKIP("there is no CVODE");
  const double start[4] = {0.1, 1, 0, 1};
  const ff_ode_equations equations = {.n = 4, .slope = known};
  for (int method = FF_CVODE_ADAMS; method <= FF_CVODE_BDF; method++) {
    ff_cvode *c = cvode(&equations, NULL, (ff_cvode_method)method);
    double x[4] = {0}, at = 0;
    ff_error err;
    FF_CHECK_OK(ff_cvode_begin(c, 0, start, &err), &err);
    FF_CHECK_OK(ff_cvode_go_on(c, 5, &at, x, NULL, &err), &err);
    const double right[4] = {1 / (1 + 9 * exp(-5)), exp(-5), sin(5), cos(5)};
    FF_CHECK(at == 5 && distance(x, right, 4) < 1e-6);
    FF_CHECK(ff_cvode_calls(c) > 10);
    ff_cvode_free(c);
  }
}

/* exp(-t) passes 1/2 at log(2), and cosine at pi / 3; then the solution begins anew. */
static void finds_roots(void) {
  if (!ff_cvode_exists()) FF_SKIP("there is no CVODE");
  const double start[4] = {0.1, 1, 0, 1}, half[2] = {log(2), acos(0.5)};
  const ff_ode_equations equations = {.n = 4, .slope = known};
  const ff_ode_watch watch = {.n = 2, .value = crossing};
  for (int method = FF_CVODE_ADAMS; method <= FF_CVODE_BDF; method++) {
    ff_cvode *c = cvode(&equations, &watch, (ff_cvode_method)method);
    for (int again = 0; again < 2; again++) {
      double x[4] = {0}, at = 0;
      int8_t found[2];
      ff_error err;
      FF_CHECK_OK(ff_cvode_begin(c, 0, start, &err), &err);
      for (int i = 0; i < 2; i++) {
        FF_CHECK_OK(ff_cvode_go_on(c, 1.5, &at, x, found, &err), &err);
        FF_CHECK(fabs(at - half[i]) < 1e-6 && found[i] == -1 && found[1 - i] == 0);
      }
      FF_CHECK_OK(ff_cvode_go_on(c, 1.5, &at, x, found, &err), &err);
      FF_CHECK(at == 1.5 && found[0] == 0 && found[1] == 0);
    }
    ff_cvode_free(c);
  }
}

static int refuses_to_go_beyond_1(void *of, double t, const double *x, double *slope) {
  (void)of, (void)x;
  slope[0] = 1;
  return t <= 1;
}

static void tells_failures(void) {
  if (!ff_cvode_exists()) FF_SKIP("there is no CVODE");
  const ff_ode_equations equations = {.n = 1, .slope = refuses_to_go_beyond_1};
  ff_cvode *c = cvode(&equations, NULL, FF_CVODE_BDF);
  double x = 0, at;
  ff_error err;
  FF_CHECK_OK(ff_cvode_begin(c, 0, &x, &err), &err);
  FF_CHECK_FAILS(ff_cvode_go_on(c, 5, &at, &x, NULL, &err), FF_EMODEL, &err, "CVODE failed at time ");
  ff_cvode_free(c);
  const ff_cvode_options wrong = {.relative = 0, .absolute = tolerances};
  FF_CHECK_FAILS(ff_cvode_new(&c, &equations, NULL, &wrong, &err), FF_EARGUMENT, &err, "the relative tolerance is 0");
  FF_CHECK(c == NULL);
}

/* ---- as a method of ff_ode.h -------------------------------------------------------------------------------------------- */

static const ff_ode_options reference = {.method = FF_ODE_CVODE, .tolerance = 1e-9};

static void known_at(double t, double *x) {
  x[0] = 1 / (1 + 9 * exp(-t));
  x[1] = exp(-t);
  x[2] = sin(t);
  x[3] = cos(t);
}

/* Errors of steps add up as in solves(). Within a step, errors of the polynomial are of the order
 * of those of the step. Its slope at the end is f there, but for what Newton's method leaves, less than the tolerance. The first
 * step has no limit. */
static void makes_steps(void) {
  if (!ff_cvode_exists()) FF_SKIP("there is no CVODE");
  const double start[4] = {0.1, 1, 0, 1};
  const ff_ode_equations equations = {.n = 4, .slope = known};
  ff_ode *o = solver(&equations, &reference);
  double right[4], x[4], slope[4], apart = 0, within = 0;
  ff_ode_begin(o, 0, start, 0);
  for (int steps = 0; ff_ode_last(o)->to < 5; steps++) {
    FF_CHECK(ff_ode_step(o, steps == 0 ? INFINITY : 5) == FF_ODE_STEPPED);
    const ff_ode_span *last = ff_ode_last(o);
    known(NULL, last->to, last->end, slope);
    for (uint32_t i = 0; i < 4; i++) {
      const double *c = ff_ode_curve(o, i);
      apart = fmax(apart, fabs(c[1] - c[2] - c[3] - (last->to - last->from) * slope[i])); /* the slope at s = 1 */
      FF_CHECK(c[0] == last->start[i]);
    }
    for (int part = 1; part < 8; part++) {
      const double t = last->from + (last->to - last->from) * part / 8;
      ff_ode_state(o, t, x);
      known_at(t, right);
      within = fmax(within, distance(x, right, 4));
    }
  }
  FF_CHECK(ff_ode_last(o)->to == 5 && ff_ode_present_method(o) == FF_ODE_CVODE);
  FF_CHECK(apart < 1e-8);
  FF_CHECK(within < 1e-6);
  FF_CHECK(ff_ode_calls(o) > 100);
  ff_ode_free(o);
}

/* After a cut the solution goes on from the state there, and what was solved before does not matter. */
static void begins_anew(void) {
  if (!ff_cvode_exists()) FF_SKIP("there is no CVODE");
  const double start[4] = {0.1, 1, 0, 1};
  const ff_ode_equations equations = {.n = 4, .slope = known};
  ff_ode *o = solver(&equations, &reference);
  double first[4] = {0}, right[4];
  for (int again = 0; again < 2; again++) {
    ff_ode_begin(o, 0, start, 0);
    FF_CHECK(go(o, 1) > 0);
    FF_CHECK(ff_ode_step(o, 3) == FF_ODE_STEPPED);
    const double from = ff_ode_last(o)->from, cut = from + (ff_ode_last(o)->to - from) / 3;
    ff_ode_cut(o, cut);
    FF_CHECK(ff_ode_last(o)->to == cut);
    FF_CHECK(go(o, 2) > 0);
    known_at(2, right);
    FF_CHECK(distance(ff_ode_last(o)->end, right, 4) < 1e-6);
    for (int i = 0; i < 4 && again; i++) FF_CHECK(first[i] == ff_ode_last(o)->end[i]);
    memcpy(first, ff_ode_last(o)->end, sizeof first);
  }
  ff_ode_free(o);
}

static void stops_where_there_is_no_slope(void) {
  if (!ff_cvode_exists()) FF_SKIP("there is no CVODE");
  const ff_ode_equations equations = {.n = 1, .slope = refuses_to_go_beyond_1, .timed = 1};
  const double x = 0;
  ff_ode *o = solver(&equations, &reference);
  ff_ode_begin(o, 0, &x, 0);
  FF_CHECK(go(o, 5) == 0);
  FF_CHECK(ff_ode_last(o)->to == ff_ode_last(o)->from && ff_ode_last(o)->to <= 1);
  FF_CHECK(ff_ode_last(o)->end[0] == ff_ode_last(o)->start[0]);
  ff_ode_free(o);
}

/* A flow that stops near 0 alone, on both sides of it. */
static int drains(void *of, double t, const double *x, double *slope) {
  (void)of, (void)t;
  slope[0] = -x[0] / (1e-10 + x[0]);
  return 1;
}

/* CVODE's steps passed over 0, and the level fell for ever. */
static void does_not_fall_below_zero(void) {
  if (!ff_cvode_exists()) FF_SKIP("there is no CVODE");
  static const uint8_t all[] = {1};
  const ff_ode_equations equations = {.n = 1, .slope = drains};
  for (int falls = 0; falls < 2; falls++) {
    ff_ode_options options = reference;
    const double x = 1;
    options.below = 1e-7;
    options.may_fall = falls ? all : NULL;
    ff_ode *o = solver(&equations, &options);
    ff_ode_begin(o, 0, &x, 0);
    FF_CHECK((go(o, 3) > 0) == falls);
    FF_CHECK_SAY(falls == (ff_ode_last(o)->end[0] < -1e-7), "%g", ff_ode_last(o)->end[0]);
    ff_ode_free(o);
  }
}

static void is_missing(void) {
  if (ff_cvode_exists()) FF_SKIP("there is CVODE");
  const ff_ode_equations equations = {.n = 1, .slope = grows};
  const ff_cvode_options options = {.relative = 1e-6, .absolute = tolerances};
  ff_cvode *c;
  ff_error err;
  FF_CHECK_FAILS(ff_cvode_new(&c, &equations, NULL, &options, &err), FF_EUNSUPPORTED, &err, "libsundials-dev");
  FF_CHECK(c == NULL);
  ff_cvode_free(c);
  ff_ode *o;
  FF_CHECK_FAILS(ff_ode_new(&o, &equations, &reference, &err), FF_EUNSUPPORTED, &err, "libsundials-dev");
  FF_CHECK(o == NULL);
}

FF_TEST_MAIN("cvode", solves, finds_roots, tells_failures, makes_steps, begins_anew, stops_where_there_is_no_slope,
             does_not_fall_below_zero, is_missing)
