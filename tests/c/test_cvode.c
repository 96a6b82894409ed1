/* ode/ff_cvode: solutions and roots against known ones, both methods, and what is told without CVODE. */
#include "../../src/ode/ff_cvode.h"
#include "ode_equations.h"

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

static void is_missing(void) {
  if (ff_cvode_exists()) FF_SKIP("there is CVODE");
  const ff_ode_equations equations = {.n = 1, .slope = grows};
  const ff_cvode_options options = {.relative = 1e-6, .absolute = tolerances};
  ff_cvode *c;
  ff_error err;
  FF_CHECK_FAILS(ff_cvode_new(&c, &equations, NULL, &options, &err), FF_EUNSUPPORTED, &err, "libsundials-dev");
  FF_CHECK(c == NULL);
  ff_cvode_free(c);
}

FF_TEST_MAIN("cvode", solves, finds_roots, tells_failures, is_missing)
