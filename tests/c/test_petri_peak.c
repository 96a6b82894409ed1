/* petri/path: peaks of rates and flows that are narrower than a step, against exact integrals. Integrals have an error of a
 * tolerance for each step, of which there are up to a thousand: so 1e-3 at a tolerance of 1e-6. Peaks that were missed would be
 * errors of the size of the integral itself. */
#include <math.h>
#include <stdlib.h>

#include "../../src/ode/ff_cvode.h"
#include "../../src/petri/path/ff_petri_draws.h"
#include "petri_runs.h"

#define PI 3.14159265358979323846
#define MOST 1e-3

enum { KEY = 17, TRAJECTORIES = 40 };

static const ff_petri_options usual = {.relative = 1e-6, .absolute = 1e-9};

/* ---- hazards ------------------------------------------------------------------------------------------------------------- */

/* The integral of the hazard up to a time. */
typedef double (*integral)(double t);

static double threshold_of(uint64_t unit, uint64_t firing) {
  const ff_philox_block w = ff_philox(ff_philox_counter(FF_PETRI_DRAW_FIRING, 0, firing, unit), KEY);
  return ff_exponential(w.v[0], w.v[1]);
}

/* A counter has the rate `hazard`; x grows at speed 1 from 0, u from 1e-6 to 1 at about 1.38. All firings up to `end` must be
 * those at which the exact integral reaches the sums of thresholds. */
static void check_hazard(const char *hazard, integral exact, double end, const ff_petri_options *options) {
  petri_text x;
  petri_firings f = {0};
  uint64_t at = 0;
  double worst = 0;
  petri_begin(&x);
  petri_place(&x, "x", 1, "0");
  petri_place(&x, "u", 1, "1e-6");
  petri_place(&x, "A", 0, "0");
  petri_flows(&x, "grow", "0 -> x", "1");
  petri_flows(&x, "pass", "0 -> u", "10 * u * (1 - u)");
  petri_fires(&x, "count", "0 -> A", hazard);
  petri_compile(&x, options);
  if (x.status == FF_OK) x.status = petri_list(&f, x.program, TRAJECTORIES, end, KEY, &x.err);
  FF_CHECK_SAY(x.status == FF_OK, "%s\n", x.err.text);
  for (uint64_t i = 0; i < TRAJECTORIES && x.status == FF_OK; i++) {
    double sum = threshold_of(i, 0);
    for (uint64_t k = 1; at < f.n && f.trajectory[at] == (double)i; k++, at++) {
      worst = fmax(worst, fabs(exact(f.time[at]) - sum));
      sum += threshold_of(i, k);
    }
    FF_CHECK_SAY(sum > exact(end) - MOST, "%s: %g of %g were used, without a firing\n", hazard, sum, exact(end));
  }
  FF_CHECK_SAY(worst < MOST, "%s: an error of %g\n", hazard, worst);
  FF_CHECK(f.n > TRAJECTORIES / 10);
  petri_firings_free(&f);
  petri_end(&x);
}

static double of_bell(double x) { return 5 * 0.1 * sqrt(PI) / 2 * (erf((x - 77.7) / 0.1) + erf(777)); }
static double of_sharp_bell(double x) { return 1000 * 0.001 * sqrt(PI) / 2 * (erf((x - 777) / 0.001) + 1); }
static double of_bell_on_a_plain(double x) { return 0.01 * x + of_bell(x); }
static double of_logistic(double t) { return 20 * (1 / (1 + (1e6 - 1) * exp(-10 * t)) - 1e-6); }
/* exp(-20 (1 - cos(x))) is 2 exp(-20) (I0 / 2 + sum of I_k(20) cos(k x)): its periods have the integral 2 pi exp(-20) I0(20) */
static double of_swing(double x) {
  double sum = 0;
  const double period = floor(x / (2 * PI)), rest = x - 2 * PI * period;
  const int n = 4000;
  for (int i = 0; i <= n; i++) sum += (i == 0 || i == n ? 1 : i % 2 ? 4 : 2) * exp(-20 * (1 - cos(rest * i / n)));
  return 10 * (2 * PI * 0.089780311884826 * period + sum * rest / n / 3);
}
static double of_two_levels(double x) { return 3 * 0.05 * sqrt(PI) / 2 * (erf((x - 30) / 0.05) + 1); }

static void check_hazards(const ff_petri_options *options) {
  check_hazard("5 * exp(-((x - 77.7) / 0.1)^2)", of_bell, 1000, options);
  check_hazard("5 * exp(-((time() - 77.7) / 0.1)^2)", of_bell, 1000, options);
  check_hazard("1000 * exp(-((x - 777) / 0.001)^2)", of_sharp_bell, 2000, options);
  check_hazard("0.01 + 5 * exp(-((x - 77.7) / 0.1)^2)", of_bell_on_a_plain, 1000, options);
  check_hazard("200 * u * max(0, 1 - u)", of_logistic, 1000, options);
  check_hazard("10 * exp(-20 * (1 - cos(x)))", of_swing, 300, options);
  check_hazard("10 * exp(-20 * (1 - cos(time())))", of_swing, 300, options);
  check_hazard("3 * exp(-((x * u - 30) / 0.05)^2)", of_two_levels, 1000, options);
}

static void hazards_have_peaks(void) { check_hazards(&usual); }

/* A solver's estimate of an error is now and then small by accident: at a tolerance of 1e-6, where a step that is too long meets
 * one of a thousand narrow peaks. At 1e-9, this is a thousand times rarer. */
static void the_solver_sees_peaks_of_hazards(void) {
  const ff_petri_options options = {.relative = 1e-9, .absolute = 1e-12, .paper = 1};
  check_hazards(&options);
}

/* ---- flows --------------------------------------------------------------------------------------------------------------- */

static void check_flow(const char *rate, const char *variable, double exact, double end, ff_petri_integrator integrator) {
  const ff_petri_options options = {.relative = 1e-6, .absolute = 1e-9, .integrator = integrator};
  petri_text x;
  petri_states s = {0};
  petri_begin(&x);
  petri_place(&x, "y", 1, "0");
  petri_place(&x, "x", 1, "0");
  if (x.status == FF_OK) x.status = ff_petri_add_variable(x.net, "v", &x.err);
  if (x.status == FF_OK) x.status = ff_petri_variable_text(x.net, 0, variable, petri_nowhere, &x.err);
  petri_flows(&x, "grow", "0 -> x", "1");
  petri_flows(&x, "gain", "0 -> y", rate);
  petri_compile(&x, &options);
  if (x.status == FF_OK) x.status = petri_observe(&s, x.program, 1, &end, 1, 1, KEY, 1, &x.err);
  FF_CHECK_SAY(x.status == FF_OK, "%s\n", x.err.text);
  if (x.status == FF_OK)
    FF_CHECK_SAY(fabs(petri_state(&s, 0, 0, 0) - exact) < MOST * exact, "%s, integrator %d: %.10g, not %.10g\n", rate,
                 (int)integrator, petri_state(&s, 0, 0, 0), exact);
  petri_states_free(&s);
  petri_end(&x);
}

static void flows_have_peaks(void) {
  for (int k = FF_PETRI_AUTO; k <= (ff_cvode_exists() ? FF_PETRI_CVODE : FF_PETRI_ROSENBROCK); k++) {
    const ff_petri_integrator integrator = (ff_petri_integrator)k;
    check_flow("exp(-(time() - 50)^2)", "0", sqrt(PI), 100, integrator);
    check_flow("exp(-(time() - 5000)^2)", "0", sqrt(PI), 1e5, integrator);
    check_flow("v", "exp(-(time() - 50)^2)", sqrt(PI), 100, integrator);
    check_flow("exp(-20 * (1 - cos(time())))", "0", of_swing(100 * PI) / 10, 100 * PI, integrator);
    check_flow("exp(-((x - 50) / 0.01)^2)", "0", 0.01 * sqrt(PI), 100, integrator);
    check_flow("1 / (1 + ((x - 500) / 0.01)^2)", "0", 0.01 * (atan(50000) + atan(50000)), 1000, integrator);
  }
}

/* ---- rates whose terms cancel ---------------------------------------------------------------------------------------------- */

static const ff_petri_integrator stiff[] = {FF_PETRI_AUTO, FF_PETRI_ROSENBROCK};

/* A level from `base` on, which follows at a rate. At the end it is higher by `exact`. One that follows slowly keeps what a pulse
 * of the height h has left: k h w sqrt(pi) exp(-k (end - at) + (k w)^2 / 4). One that follows fast is as high as the pulse. A
 * level of `base` has errors of the tolerance of some ten steps besides. */
static void check_pulse(const char *rate, const char *base, double end, double exact) {
  for (size_t k = 0; k < sizeof stiff / sizeof *stiff; k++) {
    const ff_petri_options options = {.relative = 1e-6, .absolute = 1e-9, .integrator = stiff[k]};
    petri_text x;
    petri_states s = {0};
    petri_begin(&x);
    petri_place(&x, "y", 1, base);
    petri_flows(&x, "come", "0 -> y", rate);
    petri_compile(&x, &options);
    if (x.status == FF_OK) x.status = petri_observe(&s, x.program, 1, &end, 1, 1, KEY, 1, &x.err);
    FF_CHECK_SAY(x.status == FF_OK, "%s\n", x.err.text);
    if (x.status == FF_OK) {
      const double y = petri_state(&s, 0, 0, 0) - atof(base);
      FF_CHECK_SAY(fabs(y - exact) < MOST * exact + 1e-5 * atof(base), "%s, integrator %d: %.10g, not %.10g\n", rate,
                   (int)stiff[k], y, exact);
    }
    petri_states_free(&s);
    petri_end(&x);
  }
}

/* Near the balance all of the rate is small, so a peak that is lower than what balances it is seen, too. */
static void relaxations_have_peaks(void) {
  const double left = 0.01 * 0.1 * sqrt(PI) * exp(-0.5 + 0.001 * 0.001 / 4);
  check_pulse("0.01 * (1000 * exp(-((time() - 50) / 0.1)^2) - y)", "0", 100, 1000 * left);
  check_pulse("0.01 * (1 * exp(-((time() - 50) / 0.1)^2) - y)", "0", 100, left);
  check_pulse("0.01 * (10 + 1 * exp(-((time() - 50) / 0.1)^2) - y)", "10", 100, left);
  check_pulse("1e3 * (1 + exp(-((time() - 1) / 0.1)^2) - y)", "1", 1, 1);
}

/* The difference of two steep steps at a and b is a pulse with the integral b - a; neither of them has a peak. x less nearly all
 * of x is one where the other term has a notch; 1 - tanh^2 has the integral 2 w. */
static void terms_make_a_peak(void) {
  for (int k = FF_PETRI_AUTO; k <= FF_PETRI_ROSENBROCK; k++) {
    const ff_petri_integrator integrator = (ff_petri_integrator)k;
    check_flow("1 / (1 + exp(-(x - 5) / 0.001)) - 1 / (1 + exp(-(x - 5.05) / 0.001))", "0", 0.05, 10, integrator);
    check_flow("3 + 1 / (1 + exp(-(x - 5) / 0.001)) - 1 / (1 + exp(-(x - 5.1) / 0.001)) - 3", "0", 0.1, 10, integrator);
    check_flow("x * (1 - tanh((x - 5) / 0.02)^2)", "0", 5 * 2 * 0.02, 6, integrator);
  }
  const char *const follows = "0.01 * (1e3 / (1 + exp(-(time() - 50) / 0.001)) - 1e3 / (1 + exp(-(time() - 50.05) / 0.001)) - y)";
  check_pulse(follows, "0", 100, 1e3 * (exp(-0.01 * (100 - 50.05)) - exp(-0.5)));
}

FF_TEST_MAIN("petri_peak", hazards_have_peaks, the_solver_sees_peaks_of_hazards, flows_have_peaks, relaxations_have_peaks,
             terms_make_a_peak)
