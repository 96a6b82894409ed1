/* petri/path: peaks of rates and flows that are narrower than a step, against exact integrals. Integrals have an error of a
 * tolerance for each step, of which there are up to a thousand: so 1e-3 at a tolerance of 1e-6. Peaks that were missed would be
 * errors of the size of the integral itself. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/ode/ff_cvode.h"
#include "../../src/petri/path/ff_petri_draws.h"
#include "../../src/petri/path/ff_petri_path.h"
#include "petri_runs.h"
#include "random.h"

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

/* ---- parts of rates that may have narrow peaks ----------------------------------------------------------------------------- */

/* Rates of levels x, y, z and a count n, and the text of what is looked at. `?` is what depends on n. */
static const struct {
  const char *rate, *narrow;
} parts[] = {
    {"5 * (exp(x) - y)", "5 * exp(x)"},
    {"5 * (y - exp(x))", "5 * -exp(x)"},
    {"-(2 + sin(x) - y)", "-sin(x)"},
    {"(2 + sin(x) - y) / n", "sin(x) / n"},
    {"(sin(x) - y) * n - x", "sin(x) * n"},
    {"y * (z / (1 + z) - y)", "y * (z / (1 + z))"},
    {"x^4 - y", "x^4"},
    {"exp(x) * (3 + sin(y))", "exp(x) * (3 + sin(y))"},
    {"(exp(x) - y)^2 - y", "(exp(x) - y)^2"},
    {"1 + exp(x) - exp(y)", "1 + exp(x) - exp(y)"},
    {"5 * (exp(x) - exp(y) - z)", "5 * (exp(x) - exp(y) - z)"},
    {"x / n - y", ""},
    {"x * y^2 - sqrt(z) + exp(n)", ""},
    {"if(n > 2, exp(x) - y, z)", "if(`?`, exp(x), 0)"},
    {"1 / x - if(n > 2, y, x)", "1 / x"},
};

static void finds_narrow_parts(void) {
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    static const char *const places[] = {"x", "y", "z", "n"};
    char *name[64], *text = NULL;
    petri_text x;
    petri_begin(&x);
    for (int k = 0; k < 4; k++) petri_place(&x, places[k], k < 3, "1");
    petri_flows(&x, "rate", "0 -> x + y + z", parts[i].rate);
    petri_compile(&x, &usual);
    if (x.status != FF_OK) continue;
    FF_CHECK(x.program->n_values < 64);
    for (uint32_t v = 0; v < x.program->n_values && v < 64; v++) name[v] = v < 4 ? (char *)places[v] : "?";
    const ff_formula *narrow = &x.program->law[0].narrow.formula;
    if (narrow->length > 0) x.status = ff_formula_text(&text, narrow, name, &x.err);
    FF_CHECK_SAY(x.status == FF_OK && strcmp(text != NULL ? text : "", parts[i].narrow) == 0, "%s: %s\n", parts[i].rate, text);
    free(text);
    petri_end(&x);
  }
}

/* A random formula of x, y and z, of operations that keep it a multiple of N, plus a rest. */
typedef struct {
  uint64_t seed;
  char text[4000];
  size_t n;
  int peaks; /* how many N it has, at most one */
} drawn;

static void say(drawn *f, const char *text) {
  f->n += (size_t)snprintf(f->text + f->n, f->n < sizeof f->text ? sizeof f->text - f->n : 0, "%s", text);
}

static void draw_formula(drawn *f, int depth, const char *peak) {
  static const char *const leaf[] = {"x", "y", "z", "3", "0.25", "x^2", "sqrt(y)", "7"};
  static const char *const sign[] = {" + ", " - ", " * "};
  const uint64_t kind = depth == 0 ? 0 : 1 + below(&f->seed, 5);
  if (kind == 0) {
    const int is_peak = !f->peaks && below(&f->seed, 3) == 0;
    f->peaks |= is_peak;
    say(f, is_peak ? peak : leaf[below(&f->seed, 8)]);
    return;
  }
  say(f, kind == 4 ? "(-(" : "(");
  draw_formula(f, depth - 1, peak);
  if (kind < 4) {
    say(f, sign[kind - 1]);
    draw_formula(f, depth - 1, peak);
  }
  say(f, kind == 4 ? "))" : kind == 5 ? " / 8)" : ")");
}

/* The values of a rate and of its part that may have narrow peaks, at x = 0.3, y = 1.7, z = -0.6. */
static void value_of(const char *rate, double *whole, double *part) {
  static const double at[] = {0.3, 1.7, -0.6};
  double stack[200];
  petri_text x;
  petri_begin(&x);
  petri_place(&x, "x", 1, "1");
  petri_place(&x, "y", 1, "1");
  petri_place(&x, "z", 1, "1");
  petri_flows(&x, "rate", "0 -> x + y + z", rate);
  petri_compile(&x, &usual);
  *whole = *part = NAN;
  if (x.status == FF_OK && x.program->depth < 200) {
    const ff_petri_law *law = &x.program->law[0];
    *whole = ff_formula_value(&law->rate.formula, at, 0, stack);
    *part = law->narrow.formula.length > 0 ? ff_formula_value(&law->narrow.formula, at, 0, stack) : 0;
  }
  petri_end(&x);
}

/* The part is the multiple of N: the formula less its value where N is 0. At most 63 operations on numbers below 1e5 have errors
 * below 63 * 1e5 * 2^-53 = 7e-10. */
static void finds_parts_of_random_rates(void) {
  uint64_t parts_found = 0;
  for (uint64_t i = 0; i < 500; i++) {
    drawn f = {.seed = i + 1}, g = {.seed = i + 1};
    double whole, part, rest, none;
    draw_formula(&f, 1 + (int)(i % 5), "exp(x)");
    draw_formula(&g, 1 + (int)(i % 5), "(x - x)");
    value_of(f.text, &whole, &part);
    value_of(g.text, &rest, &none);
    FF_CHECK_SAY(fabs(part - (whole - rest)) <= 7e-10 && none == 0, "%s: %.17g, not %.17g\n", f.text, part, whole - rest);
    FF_CHECK(fabs(whole) < 1e5 && fabs(rest) < 1e5);
    parts_found += part != 0;
  }
  FF_CHECK(parts_found > 200);
}

/* ---- relaxations --------------------------------------------------------------------------------------------------------- */

/* y follows something, from `begin` on: by one flow, or by one that comes and one that goes. v, which flows may read, follows
 * c; the rates may also name the variable u. */
typedef struct {
  const char *begin, *both, *comes, *goes, *variable;
  double end;
} follower;

static void write_follower(petri_text *x, const follower *f, int splits, ff_petri_integrator integrator) {
  const ff_petri_options options = {.relative = 1e-6, .absolute = 1e-9, .integrator = integrator};
  petri_begin(x);
  petri_place(x, "y", 1, f->begin);
  petri_place(x, "v", 1, "20");
  petri_place(x, "c", 1, "1");
  if (x->status == FF_OK) x->status = ff_petri_add_variable(x->net, "u", &x->err);
  if (x->status == FF_OK) x->status = ff_petri_variable_text(x->net, 0, f->variable, petri_nowhere, &x->err);
  petri_flows(x, "come", "0 -> y", splits ? f->comes : f->both);
  if (splits) petri_flows(x, "go", "y -> 0", f->goes);
  petri_flows(x, "rise", "0 -> v", "0.05 * 100 * c");
  petri_flows(x, "fall", "v -> 0", "0.05 * v");
  petri_flows(x, "end", "c -> 0", "0.02 * c");
  petri_compile(x, &options);
}

/* The level y at the end, and how often slopes were computed. */
static double follow(const follower *f, int splits, ff_petri_integrator integrator, double *calls) {
  petri_text x;
  ff_petri_path path;
  double count[8];
  memset(&path, 0, sizeof path);
  write_follower(&x, f, splits, integrator);
  *calls = NAN;
  if (x.status == FF_OK) x.status = ff_petri_path_new(&path, x.program, NULL, &x.err);
  FF_CHECK_SAY(x.status == FF_OK, "%s\n", x.err.text);
  if (x.status == FF_OK) {
    ff_petri_path_start(&path, KEY, 0, x.program->start, 0);
    do ff_petri_path_step(&path);
    while (path.failure.what == FF_PETRI_FINE && path.next_time <= f->end);
    FF_CHECK(path.failure.what == FF_PETRI_FINE);
    ff_petri_path_show(&path, f->end, count, 1);
    *calls = (double)ff_ode_calls(path.ode);
  }
  ff_petri_path_free(&path);
  petri_end(&x);
  return x.status == FF_OK ? count[0] : NAN;
}

static const ff_petri_integrator stiff[] = {FF_PETRI_AUTO, FF_PETRI_ROSENBROCK};

/* Both ways of writing give the level, within the tolerance times a hundred, for the errors of some tens of steps. One flow is at
 * most three times as much work as two, whose formulas are looked at alone. */
static void check_follower(const follower *f, double exact) {
  for (size_t k = 0; k < sizeof stiff / sizeof *stiff; k++) {
    const ff_petri_integrator integrator = stiff[k];
    double one, two;
    const double y = follow(f, 0, integrator, &one), z = follow(f, 1, integrator, &two);
    FF_CHECK_SAY(fabs(y - exact) < 1e-4 * fabs(exact) && fabs(z - exact) < 1e-4 * fabs(exact), "%s, integrator %d: %.10g, %.10g, "
                 "not %.10g\n", f->both, (int)integrator, y, z, exact);
    FF_CHECK_SAY(one <= 3 * two, "%s, integrator %d: %.0f slopes, not about %.0f\n", f->both, (int)integrator, one, two);
  }
}

/* y' = k (2 + sin(t / 100) - y), y(0) = 2. */
static double of_sine(double k, double t) {
  const double w = 0.01;
  return 2 + (k * k * sin(w * t) - k * w * cos(w * t) + k * w * exp(-k * t)) / (k * k + w * w);
}

static double of_v(double t) { return 500 / 3.0 * exp(-0.02 * t) + (20 - 500 / 3.0) * exp(-0.05 * t); }
static double gate_of_v(double v) { return 1 / (1 + exp(-(v - 40) / 10)); }
static double hill_of_v(double v) { return v / (30 + v); }

/* y' = (f(v) - y) / tau long after the start: the integral of f(v(t - tau u)) exp(-u) over u. */
static double behind_v(double (*f)(double), double tau, double t) {
  double sum = 0;
  const int n = 4000;
  for (int i = 0; i <= n; i++) sum += (i == 0 || i == n ? 1 : i % 2 ? 4 : 2) * f(of_v(t - tau * 40 * i / n)) * exp(-40.0 * i / n);
  return sum * 40 / n / 3;
}

static void one_flow_is_as_fast_as_two(void) {
  check_follower(&(follower){"2", "10 * (2 + sin(time() / 100) - y)", "10 * (2 + sin(time() / 100))", "10 * y", "0", 1000},
                 of_sine(10, 1000));
  check_follower(&(follower){"2", "1e3 * (2 + sin(time() / 100) - y)", "1e3 * (2 + sin(time() / 100))", "1e3 * y", "0", 1000},
                 of_sine(1e3, 1000));
  check_follower(&(follower){"2", "1e5 * (2 + sin(time() / 100) - y)", "1e5 * (2 + sin(time() / 100))", "1e5 * y", "0", 1000},
                 of_sine(1e5, 1000));
  check_follower(&(follower){"0", "(1 / (1 + exp(-(v - 40) / 10)) - y) / 0.01", "1 / (1 + exp(-(v - 40) / 10)) / 0.01",
                             "y / 0.01", "0", 200}, behind_v(gate_of_v, 0.01, 200));
  check_follower(&(follower){"0", "(1 / (1 + exp(-(v - 40) / 10)) - y) / 1e-4", "1 / (1 + exp(-(v - 40) / 10)) / 1e-4",
                             "y / 1e-4", "0", 200}, behind_v(gate_of_v, 1e-4, 200));
  check_follower(&(follower){"0", "1e3 * (v / (30 + v) - y)", "1e3 * v / (30 + v)", "1e3 * y", "0", 200},
                 behind_v(hill_of_v, 1e-3, 200));
  check_follower(&(follower){"0", "u", "1e3 * v / (30 + v)", "1e3 * y", "1e3 * (v / (30 + v) - y)", 200},
                 behind_v(hill_of_v, 1e-3, 200));
}

/* A level that follows slowly keeps what a pulse of the height h has left: k h w sqrt(pi) exp(-k (end - at) + (k w)^2 / 4). One
 * that follows fast is as high as the pulse. A level of `base` has errors of the tolerance of some ten steps besides. */
static void check_pulse(const char *rate, int base, double end, double exact) {
  const follower f = {.begin = base == 0 ? "0" : "10", .both = rate, .variable = "0", .end = end};
  for (size_t k = 0; k < sizeof stiff / sizeof *stiff; k++) {
    double calls;
    const double y = follow(&f, 0, stiff[k], &calls) - base;
    FF_CHECK_SAY(fabs(y - exact) < MOST * exact + 1e-5 * base, "%s, integrator %d: %.10g, not %.10g\n", rate, (int)stiff[k], y,
                 exact);
  }
}

static void relaxations_have_peaks(void) {
  const double left = 0.01 * 0.1 * sqrt(PI) * exp(-0.5 + 0.001 * 0.001 / 4);
  check_pulse("0.01 * (1000 * exp(-((time() - 50) / 0.1)^2) - y)", 0, 100, 1000 * left);
  check_pulse("0.01 * (1 * exp(-((time() - 50) / 0.1)^2) - y)", 0, 100, left);
  check_pulse("0.01 * (10 + 3 * exp(-((time() - 50) / 0.1)^2) - y)", 10, 100, 3 * left);
  check_pulse("0.01 * (10 + 1 * exp(-((time() - 50) / 0.1)^2) - y)", 10, 100, left);
  check_pulse("1e5 * (1000 * exp(-((time() - 50) / 0.1)^2) - y)", 0, 50, 1000);
  check_pulse("1e5 * (10 + exp(-((time() - 50) / 0.1)^2) - y)", 10, 50, 1);
}

/* The difference of two steep steps at a and b is a pulse with the integral b - a. Each of them alone has no peak. */
static void steps_make_a_peak(void) {
  for (int k = FF_PETRI_AUTO; k <= FF_PETRI_ROSENBROCK; k++) {
    const ff_petri_integrator integrator = (ff_petri_integrator)k;
    check_flow("1 / (1 + exp(-(x - 50) / 0.001)) - 1 / (1 + exp(-(x - 50.05) / 0.001))", "0", 0.05, 100, integrator);
    check_flow("3 + 1 / (1 + exp(-(x - 50) / 0.001)) - 1 / (1 + exp(-(x - 50.5) / 0.001)) - 3", "0", 0.5, 100, integrator);
  }
  const char *const follows = "0.01 * (1e3 / (1 + exp(-(time() - 50) / 0.001)) - 1e3 / (1 + exp(-(time() - 50.05) / 0.001)) - y)";
  check_pulse(follows, 0, 100, 1e3 * (exp(-0.01 * (100 - 50.05)) - exp(-0.5)));
}

FF_TEST_MAIN("petri_peak", hazards_have_peaks, the_solver_sees_peaks_of_hazards, flows_have_peaks, finds_narrow_parts,
             finds_parts_of_random_rates, one_flow_is_as_fast_as_two, relaxations_have_peaks, steps_make_a_peak)
