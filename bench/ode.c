/* What an event costs a hybrid model: a step, the search for the time of a change, the end of the step there, and a new start.
 * Two models, both methods of ode/, two tolerances. `make bench-ode` compiles and runs it, and prints a table. */
#include <math.h>
#include <stdio.h>

#include "../src/ode/ff_ode.h"

#define EVENTS 200000

/* A gene makes a protein that decays, and is switched at a rate that grows with it: x[1] is the integral of this rate. */
static int gene(void *of, double t, const double *x, double *slope) {
  (void)t;
  slope[0] = (*(const int *)of ? 10.0 : 0.0) - x[0];
  slope[1] = 0.5 + 0.1 * x[0];
  return 1;
}

/* Growth that is set back when it reaches 2. */
static int growth(void *of, double t, const double *x, double *slope) {
  (void)of, (void)t;
  slope[0] = x[0];
  slope[1] = x[0];
  return 1;
}

static double reaches(void *of, uint32_t i, double t, const double *x) {
  (void)i, (void)t;
  return x[1] - *(const double *)of;
}

static int run(const char *name, int (*slope)(void *, double, const double *, double *), ff_ode_method method, double tolerance) {
  int on = 1;
  double at, border = slope == gene ? 0.7 : 1, x[2] = {1, 0};
  int8_t changed;
  const uint32_t read_first[] = {0, 1}, read[] = {1};
  const ff_ode_equations equations = {.n = 2, .of = &on, .slope = slope};
  const ff_ode_options options = {.method = method, .tolerance = tolerance};
  const ff_ode_watch watch = {.n = 1, .of = &border, .value = reaches, .read_first = read_first, .read = read};
  ff_ode *o;
  ff_error err;
  if (ff_ode_new(&o, &equations, &options, &err) != FF_OK) return 1;
  ff_ode_begin(o, 0, x, 0);
  const double began = ff_clock();
  for (int event = 0; event < EVENTS; event++) {
    while (!ff_ode_locate(o, &watch, ff_ode_last(o)->from, &at, &changed))
      if (ff_ode_step(o, INFINITY) != FF_ODE_STEPPED) return 1;
    ff_ode_cut(o, at);
    x[0] = slope == gene ? ff_ode_last(o)->end[0] : 1;
    x[1] = 0;
    on = !on;
    ff_ode_go_on(o, at, x);
  }
  const double seconds = ff_clock() - began;
  printf("%-16s %-28s %-9g %8.2f %10.1f\n", name, ff_ode_method_about(method)->name, tolerance, 1e6 * seconds / EVENTS,
         (double)ff_ode_calls(o) / EVENTS);
  ff_ode_free(o);
  return 0;
}

int main(void) {
  int failed = 0;
  printf("%-16s %-28s %-9s %8s %10s\n", "model", "method", "tolerance", "us/event", "calls of f");
  for (int m = 0; m < FF_ODE_METHODS; m++)
    for (double tolerance = 1e-6; tolerance > 1e-10; tolerance *= 1e-3) {
      failed |= run("gene, hazard", gene, (ff_ode_method)m, tolerance);
      failed |= run("growth, reset", growth, (ff_ode_method)m, tolerance);
    }
  return failed;
}
