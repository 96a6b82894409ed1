/* Trajectories of hybrid Petri nets against closed forms. Thresholds: the tests of this file make fewer than 50 comparisons of
 * random numbers with exact laws, each at the level 2e-5, so that all of them together fail with probability 1e-3 for a seed. The
 * seeds are fixed. For means of n numbers with standard deviation s, this is 4.27 s / sqrt(n); the largest distance between
 * distribution functions exceeds d with probability at most 2 exp(-2 n d^2) (Massart), so d = 2.40 / sqrt(n). */
#include <math.h>

#include "petri_runs.h"

#define NORMAL 4.27
#define DISTANCE 2.40

static const ff_petri_options usual = {.relative = 1e-6, .absolute = 1e-9};

static void check_mean(const char *what, double mean, double expected, double deviation, double n) {
  FF_CHECK_SAY(fabs(mean - expected) < NORMAL * deviation / sqrt(n), "%s: %.6g; expected %.6g within %.3g\n", what, mean, expected,
               NORMAL * deviation / sqrt(n));
}

/* ---- first firing under a decaying level -------------------------------------------------------------------------------- */

/* x' = -c x, x(0) = x0, hazard a x: P(T > t) = exp(-a x0 (1 - exp(-c t)) / c); exp(-a x0 / c) never fire. */
#define DECAY_A 0.8
#define DECAY_C 0.5
#define DECAY_X 1.3

static double decay_law(double t) { return 1 - exp(-DECAY_A * DECAY_X * (1 - exp(-DECAY_C * t)) / DECAY_C); }

/* Of those that have fired until 30. */
static double decay_law_fired(double t) { return decay_law(t) / decay_law(30); }

static void fires_first(void) {
  const uint64_t n = 10000;
  petri_text x;
  petri_firings f;
  petri_begin(&x);
  petri_place(&x, "x", 1, "1.3");
  petri_place(&x, "A", 0, "1");
  petri_flows(&x, "decay", "x -> 0", "0.5 * x");
  petri_fires(&x, "fire", "A -> 0", "0.8 * x * A");
  petri_compile(&x, &usual);
  x.status = x.status == FF_OK ? petri_list(&f, x.program, n, 30, 11, &x.err) : x.status;
  FF_CHECK_SAY(x.status == FF_OK, "%s\n", x.err.text);
  if (x.status == FF_OK) {
    const double p = decay_law(30);
    check_mean("part that fires", (double)f.n / (double)n, p, sqrt(p * (1 - p)), (double)n);
    FF_CHECK(petri_distance(f.time, f.n, decay_law_fired) < DISTANCE / sqrt((double)f.n));
    petri_firings_free(&f);
  }
  petri_end(&x);
}

/* ---- a gene that is switched on and off ---------------------------------------------------------------------------------- */

static double incomplete_beta(double x) { /* Beta(1.5, 2.5): integral of u^0.5 (1 - u)^1.5 by u = sin(v)^2 */
  const double v = asin(sqrt(x < 0 ? 0 : x > 1 ? 1 : x));
  /* 2 sin^2 cos^4 dv = (2 sin(v)^2 cos(v)^4): integral v / 8 + sin(2v) / 64 * ... computed by Simpson's rule */
  double sum = 0;
  const int n = 200;
  for (int i = 0; i <= n; i++) {
    const double u = v * i / n, f = 2 * pow(sin(u), 2) * pow(cos(u), 4);
    sum += (i == 0 || i == n ? 1 : i % 2 ? 4 : 2) * f;
  }
  return sum * v / n / 3 * 16 / 3.14159265358979323846;
}

/* kon = 1.5, koff = 2.5, production 1 while on, decay 1: the stationary law is Beta(1.5, 2.5). The mean of on is p = kon / (kon +
 * koff) (1 - exp(-4 t)), and that of the protein follows. */
static void switches_a_gene(void) {
  const uint64_t n = 4000;
  const double times[] = {0.5, 30};
  petri_text x;
  petri_states s = {0};
  petri_begin(&x);
  petri_place(&x, "protein", 1, "0");
  petri_place(&x, "off", 0, "1");
  petri_place(&x, "on", 0, "0");
  petri_transition(&x, "switch_on", FF_PETRI_STOCHASTIC, "off -> on", NULL, NULL, "1.5", 1);
  petri_transition(&x, "switch_off", FF_PETRI_STOCHASTIC, "on -> off", NULL, NULL, "2.5", 1);
  petri_flows(&x, "make", "0 -> protein", "on");
  petri_transition(&x, "decay", FF_PETRI_CONTINUOUS, "protein -> 0", NULL, NULL, "1", 1);
  petri_compile(&x, &usual);
  if (x.status == FF_OK) x.status = petri_observe(&s, x.program, n, times, 2, 3, 5, 2, &x.err);
  FF_CHECK_SAY(x.status == FF_OK, "%s\n", x.err.text);
  if (x.status == FF_OK) {
    double mean = 0, early = 0, square = 0, *late = calloc(n, sizeof *late);
    for (uint64_t i = 0; i < n; i++) {
      late[i] = petri_state(&s, 0, i, 1);
      early += petri_state(&s, 0, i, 0) / (double)n;
      mean += late[i] / (double)n;
      square += late[i] * late[i] / (double)n;
      FF_CHECK(petri_state(&s, 1, i, 1) + petri_state(&s, 2, i, 1) == 1);
    }
    /* m' = p(t) - m: m(t) = 3/8 (1 - exp(-t)) - 3/8 (exp(-t) - exp(-4 t)) / 3; a number in [0, 0.4] deviates by at most 0.2 */
    const double t = 0.5, expected = 0.375 * (1 - exp(-t)) - 0.125 * (exp(-t) - exp(-4 * t));
    check_mean("protein at 0.5", early, expected, 0.2, (double)n);
    check_mean("protein", mean, 0.375, sqrt(0.046875), (double)n);
    /* the fourth central moment of Beta(1.5, 2.5) is below 0.006 */
    FF_CHECK(fabs(square - mean * mean - 0.046875) < NORMAL * sqrt(0.006 / (double)n));
    FF_CHECK_SAY(petri_distance(late, n, incomplete_beta) < DISTANCE / sqrt((double)n), "%g\n",
                 petri_distance(late, n, incomplete_beta));
    free(late);
  }
  petri_states_free(&s);
  petri_end(&x);
}

/* ---- growth with resets -------------------------------------------------------------------------------------------------- */

static double rayleigh(double t) { return 1 - exp(-t * t / 2); }

/* x' = 1, reset at rate x: intervals have Rayleigh's law. */
static void grows_and_resets(void) {
  petri_text x;
  petri_firings f;
  petri_begin(&x);
  petri_place(&x, "x", 1, "0");
  petri_flows(&x, "grow", "0 -> x", "1");
  petri_transition(&x, "reset", FF_PETRI_STOCHASTIC, "0 -> 0", NULL, "x", "x", 0);
  petri_compile(&x, &usual);
  x.status = x.status == FF_OK ? petri_list(&f, x.program, 1, 12000, 3, &x.err) : x.status;
  FF_CHECK_SAY(x.status == FF_OK, "%s\n", x.err.text);
  if (x.status == FF_OK) {
    for (uint64_t i = f.n - 1; i > 0; i--) f.time[i] -= f.time[i - 1];
    FF_CHECK(f.n > 9000 && f.n < 10200); /* the mean of an interval is sqrt(pi / 2), its deviation 0.655 */
    FF_CHECK_SAY(petri_distance(f.time, f.n, rayleigh) < DISTANCE / sqrt((double)f.n), "%g of %g\n",
                 petri_distance(f.time, f.n, rayleigh), DISTANCE / sqrt((double)f.n));
    petri_firings_free(&f);
  }
  petri_end(&x);
}

FF_TEST_MAIN("petri_path", fires_first, switches_a_gene, grows_and_resets)
