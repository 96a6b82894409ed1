/* Trajectories of hybrid Petri nets against closed forms. Thresholds: the tests of this file make fewer than 50 comparisons of
 * random numbers with exact laws, each at the level 2e-5, so that all of them together fail with probability 1e-3 for a seed. The
 * seeds are fixed. For means of n numbers with standard deviation s, this is 4.27 s / sqrt(n); the largest distance between
 * distribution functions exceeds d with probability at most 2 exp(-2 n d^2) (Massart), so d = 2.40 / sqrt(n). */
#include <math.h>

#include "../../src/ode/ff_cvode.h"
#include "petri_runs.h"

#define NORMAL 4.27
#define DISTANCE 2.40

static ff_petri_options usual = {.relative = 1e-6, .absolute = 1e-9};

static void check_mean(const char *what, double mean, double expected, double deviation, double n) {
  FF_CHECK_SAY(fabs(mean - expected) < NORMAL * deviation / sqrt(n), "%s: %.6g; expected %.6g within %.3g\n", what, mean,
               expected, NORMAL * deviation / sqrt(n));
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

/* ---- jumps into a decaying level ----------------------------------------------------------------------------------------- */

/* Jumps of 1 at rate 3, decay 0.7: cumulants k = (3 / (0.7 k)) (1 - exp(-0.7 k t)) of order k. */
static void jumps_into_decay(void) {
  const uint64_t n = 4000;
  const double times[] = {1.7};
  petri_text x;
  petri_states s = {0};
  petri_begin(&x);
  petri_place(&x, "x", 1, "0");
  petri_fires(&x, "jump", "0 -> x", "3");
  petri_flows(&x, "decay", "x -> 0", "0.7 * x");
  petri_compile(&x, &usual);
  if (x.status == FF_OK) x.status = petri_observe(&s, x.program, n, times, 1, 1, 23, 1, &x.err);
  FF_CHECK_SAY(x.status == FF_OK, "%s\n", x.err.text);
  if (x.status == FF_OK) {
    double mean = 0, square = 0, k[5];
    for (int i = 1; i < 5; i++) k[i] = 3 / (0.7 * i) * (1 - exp(-0.7 * i * 1.7));
    for (uint64_t i = 0; i < n; i++) mean += petri_state(&s, 0, i, 0) / (double)n;
    for (uint64_t i = 0; i < n; i++) square += pow(petri_state(&s, 0, i, 0) - mean, 2) / (double)(n - 1);
    check_mean("mean", mean, k[1], sqrt(k[2]), (double)n);
    check_mean("variance", square, k[2], sqrt(k[4] + 2 * k[2] * k[2]), (double)n); /* the fourth central moment less k2^2 */
  }
  petri_states_free(&s);
  petri_end(&x);
}

/* ---- a hazard of levels and counts --------------------------------------------------------------------------------------- */

/* x' = 1, hazard x + n, where n becomes 2 at 1: P(T > t) = exp(-t^2 / 2 - 2 max(0, t - 1)). */
static double law_of_sum(double t) { return 1 - exp(-t * t / 2 - 2 * (t > 1 ? t - 1 : 0)); }

static void adds_levels_and_counts(void) {
  const uint64_t n = 4000;
  petri_text x;
  petri_firings f;
  petri_begin(&x);
  petri_place(&x, "x", 1, "0");
  petri_place(&x, "A", 0, "1");
  petri_place(&x, "n", 0, "0");
  petri_flows(&x, "grow", "0 -> x", "1");
  petri_fires(&x, "fire", "A -> 0", "A * (x + n)");
  petri_transition(&x, "more", FF_PETRI_DETERMINISTIC, "0 -> 2 n", "n < 2", NULL, "1", 0);
  petri_compile(&x, &usual);
  x.status = x.status == FF_OK ? petri_list(&f, x.program, n, 30, 12, &x.err) : x.status;
  FF_CHECK_SAY(x.status == FF_OK, "%s\n", x.err.text);
  if (x.status == FF_OK) {
    uint64_t fires = 0;
    for (uint64_t i = 0; i < f.n; i++)
      if (f.what[i] == 1) f.time[fires++] = f.time[i];
    FF_CHECK(fires == n && f.n == 2 * n);
    FF_CHECK(petri_distance(f.time, fires, law_of_sum) < DISTANCE / sqrt((double)n));
    petri_firings_free(&f);
  }
  petri_end(&x);
}

/* ---- a hazard with a pole ------------------------------------------------------------------------------------------------ */

static double uniform_to_ten(double t) { return t / 10; }

/* x' = 1, hazard 1 / (10 - x): the time is uniform on 0 to 10. Steps of the solver go beyond 10. */
static void fires_before_a_pole(void) {
  const uint64_t n = 2000;
  petri_text x;
  petri_firings f;
  petri_begin(&x);
  petri_place(&x, "x", 1, "0");
  petri_place(&x, "A", 0, "1");
  petri_flows(&x, "grow", "0 -> x", "1");
  petri_fires(&x, "fire", "A -> 0", "A / (10 - x)");
  petri_compile(&x, &usual);
  x.status = x.status == FF_OK ? petri_list(&f, x.program, n, 30, 12, &x.err) : x.status;
  FF_CHECK_SAY(x.status == FF_OK, "%s\n", x.err.text);
  if (x.status == FF_OK) {
    FF_CHECK(f.n == n);
    FF_CHECK(petri_distance(f.time, f.n, uniform_to_ten) < DISTANCE / sqrt((double)f.n));
    petri_firings_free(&f);
  }
  petri_end(&x);
}

/* ---- crossings ----------------------------------------------------------------------------------------------------------- */

/* x grows at speed 1 up to 1, and then decays at rate 1 down to 1/4: periods of 3/4 + log(4). */
static void oscillates(void) {
  const double period = 0.75 + log(4);
  petri_text x;
  petri_firings f;
  petri_begin(&x);
  petri_place(&x, "x", 1, "0.25");
  petri_place(&x, "up", 0, "1");
  petri_place(&x, "down", 0, "0");
  petri_transition(&x, "turn", FF_PETRI_IMMEDIATE, "up -> down", "x >= 1", NULL, "1", 0);
  petri_transition(&x, "back", FF_PETRI_IMMEDIATE, "down -> up", "x < 0.25", NULL, "1", 0);
  petri_transition(&x, "grow", FF_PETRI_CONTINUOUS, "0 -> x", "up >= 1", NULL, "1", 0);
  petri_flows(&x, "decay", "x -> 0", "x * down");
  petri_compile(&x, &usual);
  x.status = x.status == FF_OK ? petri_list(&f, x.program, 1, 1000 * period + 0.1, 3, &x.err) : x.status;
  FF_CHECK_SAY(x.status == FF_OK, "%s\n", x.err.text);
  if (x.status == FF_OK) {
    double most = 0;
    FF_CHECK_SAY(f.n == 2000, "%g firings\n", (double)f.n);
    for (uint64_t i = 0; i < f.n; i++) {
      const double expected = (double)(i / 2) * period + (i % 2 ? period : 0.75), error = fabs(f.time[i] - expected);
      FF_CHECK(f.what[i] == (int)(i % 2));
      most = error / (double)(i / 2 + 1) > most ? error / (double)(i / 2 + 1) : most;
    }
    FF_CHECK_SAY(most < 1e-5, "%g for each period\n", most); /* 10 tolerances */
    petri_firings_free(&f);
  }
  petri_end(&x);
}

/* x loses 2 and gets w = (1 + t) / 2: it is empty from t0 on, where 1 - 1.5 t + t^2 / 4 = 0, until w = 2 at t = 3. y gets what x
 * loses. */
static void runs_empty(void) {
  const double t0 = 3 - sqrt(5), times[] = {0.5, 1, 2.5, 3.5, 5};
  petri_text x;
  petri_states s = {0};
  petri_begin(&x);
  petri_place(&x, "x", 1, "1");
  petri_place(&x, "y", 1, "0");
  petri_place(&x, "w", 1, "0.5");
  petri_flows(&x, "rise", "0 -> w", "0.5");
  petri_flows(&x, "feed", "0 -> x", "w");
  petri_flows(&x, "drain", "x -> y", "2");
  petri_compile(&x, &usual);
  if (x.status == FF_OK) x.status = petri_observe(&s, x.program, 1, times, 5, 2, 23, 1, &x.err);
  FF_CHECK_SAY(x.status == FF_OK, "%s\n", x.err.text);
  if (x.status == FF_OK)
    for (uint32_t i = 0; i < 5; i++) {
      const double t = times[i], at = t < t0 ? t : t0, held = t < t0 ? t0 : t < 3 ? t : 3;
      const double level = t < t0 ? 1 - 1.5 * t + t * t / 4 : t < 3 ? 0 : (t - 3) * (t - 3) / 4;
      const double y = 2 * at + (held + held * held / 2 - t0 - t0 * t0 / 2) / 2 + (t > 3 ? 2 * (t - 3) : 0);
      FF_CHECK_SAY(fabs(petri_state(&s, 0, 0, i) - level) < 1e-5, "x(%g) is %.10g, not %.10g\n", t, petri_state(&s, 0, 0, i),
                   level);
      FF_CHECK_SAY(fabs(petri_state(&s, 1, 0, i) - y) < 1e-5, "y(%g) is %.10g, not %.10g\n", t, petri_state(&s, 1, 0, i), y);
      if (level == 0) FF_CHECK(petri_state(&s, 0, 0, i) == 0);
    }
  petri_states_free(&s);
  petri_end(&x);
}

/* A hazard with a comparison of levels and a pulse of the time: it fires between 2 and 2.1 only, and not before x > y. */
static void sees_a_pulse(void) {
  const double times[] = {2, 2.1, 40};
  const uint64_t n = 2000;
  petri_text x;
  petri_states s = {0};
  double fired[3] = {0};
  petri_begin(&x);
  petri_place(&x, "A", 0, "1");
  petri_place(&x, "x", 1, "0");
  petri_place(&x, "y", 1, "1");
  petri_flows(&x, "grow", "0 -> x", "1");
  petri_flows(&x, "shrink", "y -> 0", "0.01 * y");
  petri_fires(&x, "fire", "A -> 0", "5 * A * (x > y) * (time() < 2.1 & time() > 2)");
  petri_compile(&x, &usual);
  if (x.status == FF_OK) x.status = petri_observe(&s, x.program, n, times, 3, 1, 23, 1, &x.err);
  FF_CHECK_SAY(x.status == FF_OK, "%s\n", x.err.text);
  if (x.status == FF_OK) {
    for (uint64_t i = 0; i < n; i++)
      for (uint32_t t = 0; t < 3; t++) fired[t] += petri_state(&s, 0, i, t) == 0;
    FF_CHECK(fired[0] == 0 && fired[1] == fired[2]);
    check_mean("part that fires", fired[2] / (double)n, 1 - exp(-0.5), 0.5, (double)n);
  }
  petri_states_free(&s);
  petri_end(&x);
}

/* ---- bits ---------------------------------------------------------------------------------------------------------------- */

/* A net with all kinds of transitions. */
static void write_mixed(petri_text *x) {
  petri_begin(x);
  petri_place(x, "p", 1, "0.1");
  petri_place(x, "m", 1, "0.1");
  petri_place(x, "on", 0, "0");
  petri_place(x, "off", 0, "1");
  petri_place(x, "flag", 0, "0");
  petri_fires(x, "a", "off -> on", "off * (0.2 + 4 * p^2 / (9 + p^2))");
  petri_fires(x, "b", "on -> off", "on * (0.5 + 1.5 * 9 / (9 + p^2))");
  petri_flows(x, "make", "0 -> m", "5 * on");
  petri_flows(x, "lose", "m -> 0", "2 * m");
  petri_flows(x, "translate", "0 -> p", "3 * m");
  petri_transition(x, "degrade", FF_PETRI_CONTINUOUS, "p -> 0", NULL, NULL, "1", 1);
  petri_transition(x, "raise", FF_PETRI_IMMEDIATE, "0 -> flag", "p >= 2 & flag < 1", NULL, "1", 0);
  petri_transition(x, "lower", FF_PETRI_DETERMINISTIC, "flag -> 0", NULL, "p", "0.3", 0);
}

static int observe_mixed(petri_states *s, const double *times, uint32_t n_times, int threads) {
  petri_text x;
  write_mixed(&x);
  petri_compile(&x, &usual);
  if (x.status == FF_OK) x.status = petri_observe(s, x.program, 20, times, n_times, 5, 77, threads, &x.err);
  FF_CHECK_SAY(x.status == FF_OK, "%s\n", x.err.text);
  const int fine = x.status == FF_OK;
  petri_end(&x);
  return fine;
}

static void keeps_its_bits(void) {
  const double one[] = {6}, many[] = {0, 0.1, 1, 1.5, 2, 3, 5.99, 6, 9};
  petri_states a = {0}, b = {0};
  if (observe_mixed(&a, one, 1, 1) && observe_mixed(&b, many, 9, 2))
    for (uint32_t k = 0; k < 5; k++)
      for (uint64_t i = 0; i < 20; i++) FF_CHECK(petri_state(&a, k, i, 0) == petri_state(&b, k, i, 7));
  petri_states_free(&a);
  petri_states_free(&b);
}

static void begins_alike(void) {
  petri_text x;
  petri_firings a = {0}, b = {0};
  write_mixed(&x);
  petri_compile(&x, &usual);
  if (x.status == FF_OK) x.status = petri_list(&a, x.program, 1, 100, 9, &x.err);
  if (x.status == FF_OK) x.status = petri_list(&b, x.program, 1, 200, 9, &x.err);
  FF_CHECK_SAY(x.status == FF_OK, "%s\n", x.err.text);
  FF_CHECK(a.n > 20 && b.n > a.n);
  for (uint64_t i = 0; i < a.n; i++) FF_CHECK(a.time[i] == b.time[i] && a.what[i] == b.what[i]);
  petri_firings_free(&a);
  petri_firings_free(&b);
  petri_end(&x);
}

/* A trajectory of a place x, which does not move unless it is `continuous`, ends when a condition holds. */
static void check_stop(int continuous, ff_formula_word *word, double *state, double *stopped) {
  const double times[] = {1, 1.5, 9};
  const uint32_t observed[] = {0};
  double *const states[] = {state};
  const ff_formula until = {word, 3, 2};
  const ff_run_options options = {.n = 1, .times = times, .n_times = 3, .observed = observed, .n_observed = 1, .states = states,
                                  .until = &until, .stopped = stopped, .threads = 1};
  petri_text x;
  ff_run *run = NULL;
  int done = 0;
  petri_begin(&x);
  petri_place(&x, "x", continuous, "1");
  if (continuous) petri_flows(&x, "grow", "0 -> x", "2");
  petri_compile(&x, &usual);
  if (x.status == FF_OK) x.status = ff_run_new(&run, &ff_petri_engine, x.program, &options, &x.err);
  while (x.status == FF_OK && !done) x.status = ff_run_advance(run, 10, &done, &x.err);
  FF_CHECK_SAY(x.status == FF_OK, "%s\n", x.err.text);
  ff_run_free(run);
  petri_end(&x);
}

/* x grows from 1 at speed 2: it is above 4 from 1.5 on, where its state stays. Conditions may know the time, too. */
static void stops_at_a_level(void) {
  double state[3], stopped[1];
  ff_formula_word level[] = {{FF_F_SYMBOL, 0, 0}, {FF_F_NUMBER, 0, 4}, {FF_F_GE, 0, 0}};
  ff_formula_word late[] = {{FF_F_TIME, 0, 0}, {FF_F_NUMBER, 0, 2.75}, {FF_F_GT, 0, 0}};
  check_stop(1, level, state, stopped);
  FF_CHECK_SAY(fabs(stopped[0] - 1.5) < 1e-9, "%.17g\n", stopped[0]);
  FF_CHECK(fabs(state[0] - 3) < 1e-9 && fabs(state[1] - 4) < 1e-9 && state[2] >= 4 && state[2] < 4 + 1e-9);
  for (int continuous = 0; continuous < 2; continuous++) {
    check_stop(continuous, late, state, stopped);
    FF_CHECK_SAY(fabs(stopped[0] - 2.75) < 1e-9, "%.17g\n", stopped[0]);
    FF_CHECK(fabs(state[2] - (continuous ? 6.5 : 1)) < 1e-8);
  }
}

/* One clock for all has the same law: two channels that open at rates 1 and 2, independently. */
static void shares_one_clock(void) {
  const double times[] = {0.4}, a = 1 - exp(-0.4), b = 1 - exp(-0.8);
  const uint64_t n = 4000;
  for (int clocks = 1; clocks <= 2; clocks++) {
    const ff_petri_options options = {.relative = 1e-6, .one_clock = clocks == 1};
    petri_text x;
    petri_states s = {0};
    double part[3] = {0};
    petri_begin(&x);
    petri_place(&x, "A", 0, "0");
    petri_place(&x, "B", 0, "0");
    petri_transition(&x, "a", FF_PETRI_STOCHASTIC, "0 -> A", "A < 1", NULL, "1", 0);
    petri_transition(&x, "b", FF_PETRI_STOCHASTIC, "0 -> B", "B < 1", NULL, "2", 0);
    petri_compile(&x, &options);
    FF_CHECK(x.program == NULL || (int)x.program->n_groups == clocks);
    if (x.status == FF_OK) x.status = petri_observe(&s, x.program, n, times, 1, 2, 31, 1, &x.err);
    FF_CHECK_SAY(x.status == FF_OK, "%s\n", x.err.text);
    for (uint64_t i = 0; i < n && x.status == FF_OK; i++) {
      part[0] += petri_state(&s, 0, i, 0) / (double)n;
      part[1] += petri_state(&s, 1, i, 0) / (double)n;
      part[2] += petri_state(&s, 0, i, 0) * petri_state(&s, 1, i, 0) / (double)n;
    }
    check_mean("a", part[0], a, sqrt(a * (1 - a)), (double)n);
    check_mean("b", part[1], b, sqrt(b * (1 - b)), (double)n);
    check_mean("both", part[2], a * b, sqrt(a * b * (1 - a * b)), (double)n);
    petri_states_free(&s);
    petri_end(&x);
  }
}

/* The same with implicit steps. */
static void steps_are_implicit(void) {
  usual.integrator = FF_PETRI_ROSENBROCK;
  fires_first();
  switches_a_gene();
  grows_and_resets();
  jumps_into_decay();
  oscillates();
  runs_empty();
  sees_a_pulse();
  usual.integrator = FF_PETRI_AUTO;
}

static void check_some(void) {
  fires_first();
  jumps_into_decay();
  fires_before_a_pole();
  runs_empty();
  sees_a_pulse();
}

/* The same with the reference for flows. It has more steps, whose errors add up: so a tenth of the tolerance. */
static void steps_are_those_of_cvode(void) {
  if (!ff_cvode_exists()) FF_SKIP("there is no CVODE");
  const double relative = usual.relative;
  usual.integrator = FF_PETRI_CVODE;
  usual.relative = 1e-7;
  check_some();
  usual.paper = 1;
  fires_first();
  runs_empty();
  usual.paper = 0;
  usual.relative = relative;
  usual.integrator = FF_PETRI_AUTO;
}

/* The laws of Algorithm 1 are the same. */
static void follows_the_paper(void) {
  usual.paper = 1;
  check_some();
  switches_a_gene();
  adds_levels_and_counts();
  keeps_its_bits();
  begins_alike();
  stops_at_a_level();
  usual.integrator = FF_PETRI_ROSENBROCK;
  fires_first();
  runs_empty();
  usual.integrator = FF_PETRI_AUTO;
  usual.paper = 0;
}

/* A firing that resets an empty place changes no level, and all others flow on: x' = 1, also for hazards. */
static void flows_on_after_a_reset(void) {
  const double times[] = {0.5, 1, 2, 3.7};
  petri_text t;
  petri_states s = {0};
  petri_begin(&t);
  petri_place(&t, "x", 1, "1");
  petri_place(&t, "z", 1, "0");
  petri_place(&t, "n", 0, "0");
  petri_flows(&t, "grow", "0 -> x", "1");
  petri_flows(&t, "decay", "z -> 0", "z");
  petri_transition(&t, "count", FF_PETRI_STOCHASTIC, "0 -> n", NULL, "z", "4 * x", 0);
  petri_compile(&t, &usual);
  if (t.status == FF_OK) t.status = petri_observe(&s, t.program, 40, times, 4, 3, 1, 1, &t.err);
  FF_CHECK_SAY(t.status == FF_OK, "%s", t.err.text);
  double fired = 0;
  for (uint64_t i = 0; i < 40 && t.status == FF_OK; i++) {
    for (uint32_t k = 0; k < 4; k++)
      FF_CHECK_SAY(fabs(petri_state(&s, 0, i, k) - (1 + times[k])) < 1e-9, "%.10g at %g", petri_state(&s, 0, i, k), times[k]);
    fired += petri_state(&s, 2, i, 3);
  }
  check_mean("firings", fired / 40, 4 * (3.7 + 3.7 * 3.7 / 2), sqrt(4 * (3.7 + 3.7 * 3.7 / 2)), 40);
  petri_states_free(&s);
  petri_end(&t);
}

/* Below 2 a level rises, above it falls. Rounding errors alone are in between, so conditions would change for ever; it is said at
 * once, also at the start, where all times are short. */
static void says_that_crossings_pile_up(void) {
  const double time = 1;
  petri_text t;
  petri_states s = {0};
  petri_begin(&t);
  petri_place(&t, "Z", 1, "2");
  petri_flows(&t, "in", "0 -> Z", "0.3");
  petri_flows(&t, "out", "Z -> 0", "0.69 * (Z > 2)");
  petri_compile(&t, &usual);
  if (t.status == FF_OK) t.status = petri_observe(&s, t.program, 1, &time, 1, 1, 1, 1, &t.err);
  FF_CHECK_SAY(t.status == FF_EMODEL && strstr(t.err.text, "conditions on place \"Z\" change without end") != NULL, "%s",
               t.err.text);
  petri_states_free(&s);
  petri_end(&t);
}

/* ---- zeros ------------------------------------------------------------------------------------------------------------- */

/* A net in which the hazard of m is 0 while the place v has 0, and would be 2 with -0. The place begins with 1, and a schedule or
 * an event makes it -1 times 0 when the time is 1. */
static void write_zero(petri_text *x, int kind, int event) {
  static const char *const at[3] = {"1", "0", NULL};
  petri_begin(x);
  petri_place(x, "m", 0, "0");
  petri_place(x, "v", kind > 0, "1");
  petri_place(x, "none", 0, "0");
  petri_fires(x, "more", "0 -> m", "2 / (1 + exp(1 / v))");
  petri_fires(x, "some", "none -> v", "1");
  if (kind == 2) petri_flows(x, "still", "0 -> v", "none");
  if (!event) {
    petri_transition(x, "empties", FF_PETRI_SCHEDULED, "0 -> (-1 * none) v", NULL, "v", NULL, 0);
    petri_schedule(x, at);
    return;
  }
  if (x->status == FF_OK) x->status = ff_petri_add_event(x->net, "empties", &x->err);
  if (x->status == FF_OK) x->status = ff_petri_event_text(x->net, 0, FF_EVENT_TRIGGER, "time >= 1", petri_nowhere, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_event_set_text(x->net, 0, "v", "-1 * none", NULL, petri_nowhere, &x->err);
}

static void has_no_negative_zero(void) {
  enum { N = 100, TIMES = 2 };
  static const double times[TIMES] = {1, 20}, zeros[3] = {0, -0.0, 0};
  static const uint32_t observed = 0;
  for (int i = 0; i < 9; i++) { /* resets, events, and markings at the start, of each kind of place */
    const int at_start = i / 3 == 2;
    petri_text x;
    ff_run *run = NULL;
    int done = 0, more = 0;
    double state[N * TIMES] = {0}, *const states = state;
    write_zero(&x, i % 3, i / 3 == 1);
    petri_compile(&x, &usual);
    const ff_run_options options = {.key = 5, .n = N, .initial = at_start ? zeros : NULL, .times = times, .n_times = TIMES,
                                    .observed = &observed, .n_observed = 1, .states = &states, .threads = 1};
    if (x.status == FF_OK) x.status = ff_run_new(&run, &ff_petri_engine, x.program, &options, &x.err);
    while (x.status == FF_OK && !done) x.status = ff_run_advance(run, 10, &done, &x.err);
    FF_CHECK_OK(x.status, &x.err);
    for (int k = 0; k < N; k++) more += state[2 * k + 1] != state[2 * k] || (at_start && state[2 * k + 1] != 0);
    FF_CHECK_SAY(more == 0, "way %d, kind %d: %d trajectories", i / 3, i % 3, more);
    ff_run_free(run);
    petri_end(&x);
  }
}

/* How often 200 trajectories fire at a rate that follows a switch with this speed. */
static double firings_with_speed(const char *speed, ff_petri_integrator integrator, double relative) {
  const double end = 4;
  const ff_petri_options options = {.integrator = integrator, .relative = relative};
  char rate[40];
  petri_text x;
  petri_states states;
  ff_error err;
  double sum = 0;
  petri_begin(&x);
  petri_place(&x, "n", 0, "0");
  petri_place(&x, "off", 0, "1");
  petri_place(&x, "on", 0, "0");
  petri_place(&x, "x", 1, "0");
  petri_fires(&x, "open", "off -> on", "off");
  petri_fires(&x, "shut", "on -> off", "on");
  petri_fires(&x, "count", "0 -> n", "50 * x");
  snprintf(rate, sizeof rate, "%s * on", speed);
  petri_flows(&x, "in", "0 -> x", rate);
  snprintf(rate, sizeof rate, "%s * x", speed);
  petri_flows(&x, "out", "x -> 0", rate);
  petri_compile(&x, &options);
  FF_CHECK_OK(petri_observe(&states, x.program, 200, &end, 1, 1, 5, 1, &err), &err);
  for (uint64_t k = 0; k < 200; k++) sum += petri_state(&states, 0, k, 0);
  petri_states_free(&states);
  petri_end(&x);
  return sum;
}

/* Levels follow a jump at once, also within a long implicit step: the random numbers are the same, so nearly all firings are. */
static void stiff_levels_are_right_within_steps(void) {
  static const struct {
    const char *speed;
    double relative;
  } list[] = {{"1e5", 1e-2}, {"1e5", 1e-4}, {"1e9", 1e-6}, {"1e11", 1e-8}};
  const double known = firings_with_speed("1e3", FF_PETRI_DORMAND_PRINCE, 1e-6);
  FF_CHECK(known > 10000);
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    for (int implicit = 0; implicit < 2; implicit++) {
      const double found = firings_with_speed(list[i].speed, implicit ? FF_PETRI_ROSENBROCK : FF_PETRI_AUTO, list[i].relative);
      FF_CHECK_SAY(fabs(found - known) <= 10, "speed %s: %g firings instead of %g", list[i].speed, found, known);
    }
}

FF_TEST_MAIN("petri_path", fires_first, switches_a_gene, grows_and_resets, jumps_into_decay, adds_levels_and_counts,
             fires_before_a_pole, oscillates, runs_empty, sees_a_pulse, keeps_its_bits, begins_alike, stops_at_a_level,
             shares_one_clock, flows_on_after_a_reset, says_that_crossings_pile_up, has_no_negative_zero,
             steps_are_implicit, steps_are_those_of_cvode, follows_the_paper, stiff_levels_are_right_within_steps)
