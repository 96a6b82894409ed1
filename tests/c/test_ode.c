/* ode/: orders of both methods and of their dense output, exact solutions, stiff equations, derivatives, times of change,
 * failures; and sparse elimination. */
#include <math.h>

#include "../../src/linear/ff_eliminate.h"
#include "../../src/linear/ff_sparse_lu.h"
#include "../../src/ode/ff_ode.h"
#include "check.h"
#include "random.h"

/* ---- equations ---------------------------------------------------------------------------------------------------------- */

/* A circle that attracts, turned with speed 1, and exp(sin(t)), where t is a component: not linear, autonomous, and smooth. */
static int smooth(void *of, double t, const double *x, double *slope) {
  const double rest = 1 - x[0] * x[0] - x[1] * x[1];
  (void)of, (void)t;
  slope[0] = x[0] * rest - x[1];
  slope[1] = x[1] * rest + x[0];
  slope[2] = x[2] * cos(x[3]);
  slope[3] = 1;
  return 1;
}
static int smooth_jacobian(void *of, double t, const double *x, double *entry) {
  const double a = x[0], b = x[1];
  const double columns[16] = {1 - 3 * a * a - b * b, 1 - 2 * a * b, 0, 0, -2 * a * b - 1, 1 - a * a - 3 * b * b, 0, 0,
                              0, 0, cos(x[3]), 0, 0, 0, -x[2] * sin(x[3]), 0};
  (void)of, (void)t;
  memcpy(entry, columns, sizeof columns);
  return 1;
}
/* The solution: the squared radius r2 obeys (r2)' = 2 r2 (1 - r2). */
static void smooth_solution(double t, double *x) {
  const double radius = sqrt(1 / (1 + 3 * exp(-2 * t)));
  x[0] = radius * cos(t);
  x[1] = radius * sin(t);
  x[2] = exp(sin(t));
  x[3] = t;
}
static const ff_ode_equations smooth_equations = {.n = 4, .slope = smooth, .jacobian = smooth_jacobian};

static ff_ode *solver(const ff_ode_equations *equations, const ff_ode_options *options) {
  ff_ode *o = NULL;
  ff_error err;
  FF_CHECK_OK(ff_ode_new(&o, equations, options, &err), &err);
  return o;
}

/* Goes on to a time. Returns the number of steps, or 0 if there is none at some time. */
__attribute__((unused)) static int go(ff_ode *o, double until) {
  int steps = 0;
  while (ff_ode_last(o)->to < until) {
    if (!ff_ode_step(o, until)) return 0;
    steps++;
  }
  return steps;
}

static double distance(const double *x, const double *y, uint32_t n) {
  double most = 0;
  for (uint32_t i = 0; i < n; i++) most = fmax(most, fabs(x[i] - y[i]));
  return most;
}

/* ---- orders ------------------------------------------------------------------------------------------------------------- */

typedef struct {
  double end, within, all;
} errors;

/* The errors of a step of length h from the solution, at its end and within it, and of all steps up to time 2. */
static errors errors_of(ff_ode_method method, double h) {
  const ff_ode_options options = {.method = method, .tolerance = 1e30};
  ff_ode *o = solver(&smooth_equations, &options);
  double x[4], found[4];
  errors e = {0, 0, 0};
  for (double t = 0.25; t < 1.5; t += 0.5) {
    smooth_solution(t, x);
    ff_ode_start(o, t, x, h);
    FF_CHECK(ff_ode_step(o, t + h));
    smooth_solution(t + h, x);
    e.end = fmax(e.end, distance(ff_ode_last(o)->end, x, 4));
    for (int i = 1; i < 8; i++) {
      smooth_solution(t + h * i / 8, x);
      ff_ode_state(o, t + h * i / 8, found);
      e.within = fmax(e.within, distance(found, x, 4));
      for (uint32_t k = 0; k < 4; k++) FF_CHECK(found[k] == ff_ode_component(o, t + h * i / 8, k));
    }
  }
  smooth_solution(0, x);
  ff_ode_start(o, 0, x, h);
  for (int i = 1; i <= (int)(2 / h); i++) FF_CHECK(ff_ode_step(o, i * h));
  smooth_solution(2, x);
  e.all = distance(ff_ode_last(o)->end, x, 4);
  ff_ode_free(o);
  return e;
}

static void has_its_order(void) {
  for (ff_ode_method method = 0; method < FF_ODE_METHODS; method++) {
    const ff_ode_about *about = ff_ode_method_about(method);
    for (double h = 0.25; h > 0.01; h /= 2) { const errors a = errors_of(method, h), b = errors_of(method, h / 2);
    printf("%s: %g %g %g\n", about->name, log2(a.end / b.end), log2(a.within / b.within), log2(a.all / b.all)); printf("%g %g %g\n", b.end, b.within, b.all); }
  }
}

FF_TEST_MAIN("ode", has_its_order)
