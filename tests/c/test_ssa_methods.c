/* Parts of the methods of simulation: bins of weights, sums that are kept up to date, and orders of search. */
#include "../../src/ssa/methods/ff_ssa_finders.h"
#include "../../src/ssa/methods/ff_ssa_bins.h"
#include "../../src/ssa/path/ff_ssa_method.h"
#include "../../src/random/ff_variates.h"
#include "../../src/ssa/schedule/ff_ssa_trajectory.h"
#include "random.h"
#include "simulations.h"

/* ---- bins ------------------------------------------------------------------------------------------------------------- */

static void check_structure(const ff_ssa_bins *g) {
  uint32_t seen = 0, down = 0, place = g->bins[0].n;
  FF_CHECK(g->bins[0].first == 0);
  for (uint32_t k = g->bins[0].up; k != 0; down = k, k = g->bins[k].up) {
    FF_CHECK(g->bins[k].down == down && k > down && g->bins[k].n > 0 && g->bins[k].first == place);
    place += g->bins[k].n;
  }
  FF_CHECK(g->top == down && place == g->n);
  for (uint32_t i = 0; i < g->n; i++) {
    const uint32_t k = g->weight[i] > 0 ? (uint32_t)(ff_math_bits(g->weight[i]) >> 52) + 1 : 0;
    const uint32_t at = g->place[i] - g->bins[k].first;
    seen += g->items[g->place[i]] == i && at < g->bins[k].n;
  }
  FF_CHECK_INT(seen, g->n);
}

/* Whole weights have exact sums, whatever was in the bins before. */
static void bins_never_drift(void) {
  enum { N = 37 };
  ff_ssa_bins g;
  ff_error err;
  uint64_t seed = 3;
  FF_CHECK_OK(ff_ssa_bins_new(&g, N, &err), &err);
  ff_ssa_bins_clear(&g);
  check_structure(&g);
  for (int round = 0; round < 300; round++) {
    for (int i = 0; i < 30; i++) { /* weights of all sizes come and go */
      const uint32_t item = below(&seed, N);
      const double power = ldexp(1 + uniform(&seed), (int)below(&seed, 2000) - 1030);
      ff_ssa_bins_set(&g, item, next_random(&seed) >> 62 == 0 ? 0 : power);
    }
    check_structure(&g);
    double total = 0;
    for (uint32_t i = 0; i < N; i++) {
      const double whole = (double)(next_random(&seed) >> (24 + (round * 7 + (int)i) % 39));
      ff_ssa_bins_set(&g, i, whole);
      total += whole;
    }
    check_structure(&g);
    FF_CHECK(ff_ssa_bins_total(&g) == total); /* below 2^46: no sum is rounded */
  }
  for (uint32_t i = 0; i < N; i++) ff_ssa_bins_set(&g, i, 0);
  FF_CHECK(ff_ssa_bins_total(&g) == 0 && g.top == 0);
  ff_ssa_bins_set(&g, 5, INFINITY);
  FF_CHECK(ff_ssa_bins_total(&g) == INFINITY);
  ff_ssa_bins_set(&g, 5, 2);
  FF_CHECK(ff_ssa_bins_total(&g) == 2);
  ff_ssa_bins_set(&g, 7, 0x1p-1074 * 3); /* a number below the normal ones */
  ff_ssa_bins_set(&g, 5, 0);
  FF_CHECK(ff_ssa_bins_total(&g) == 0x1p-1074 * 3);
  ff_ssa_bins_free(&g);
}

/* Items are found in proportion to their weights. */
static void bins_find_by_weight(void) {
  static const double weights[] = {0, 1, 1.5, 1.999, 2, 3, 7, 0.1, 0, 12, 0.25};
  enum { N = sizeof weights / sizeof *weights, DRAWS = 200000 };
  static const reaction_text list[] = {{"A -> 0", "1"}, {NULL, NULL}};
  const double initial[] = {1};
  ff_ssa_program *program = program_of(list, initial, 1);
  ff_ssa_path path;
  ff_ssa_bins g;
  ff_error err;
  double found[N] = {0}, statistic = 0;
  FF_CHECK_OK(ff_ssa_path_new(&path, program, &ff_ssa_finder_composition, &err), &err);
  FF_CHECK_OK(ff_ssa_bins_new(&g, N, &err), &err);
  ff_ssa_bins_clear(&g);
  for (uint32_t i = 0; i < N; i++) ff_ssa_bins_set(&g, i, weights[i]);
  const double total = ff_ssa_bins_total(&g);
  for (path.step = 0; path.step < DRAWS; path.step++) {
    ff_ssa_words words = ff_ssa_words_of(&path);
    found[ff_ssa_bins_find(&g, total, &words)]++;
  }
  FF_CHECK(found[0] == 0 && found[8] == 0);
  for (uint32_t i = 0; i < N; i++)
    if (weights[i] > 0) {
      const double expected = DRAWS * weights[i] / total;
      statistic += (found[i] - expected) * (found[i] - expected) / expected;
    }
  FF_CHECK_SAY(statistic < 36, "chi-square %g", statistic); /* with 8 degrees of freedom: probability 2e-5 */
  ff_ssa_bins_free(&g);
  ff_ssa_path_free(&path);
  ff_ssa_program_free(program);
}

/* ---- sums --------------------------------------------------------------------------------------------------------------- */

/* The stated bound holds for the difference from the sum in pairs of sums, which is exact for these terms. */
static void bounds_of_sums_hold(void) {
  enum { N = 1000 };
  double terms[N];
  uint64_t seed = 9;
  int added_again = 0;
  for (int i = 0; i < N; i++) terms[i] = uniform(&seed);
  ff_ssa_corrected sum = ff_ssa_corrected_of(ff_ssa_sum(terms, N));
  for (int i = 0; i < 200000; i++) {
    const uint32_t at = below(&seed, N);
    const double before = terms[at];
    terms[at] = uniform(&seed) * pow(10, (int)(next_random(&seed) >> 61) - 3);
    ff_ssa_corrected_change(&sum, terms[at] - before);
    if (i % 1000 == 0) {
      long double exact = 0;
      for (int k = 0; k < N; k++) exact += terms[k];
      FF_CHECK(fabsl(sum.value - exact) <= sum.error + 1e-19L * N * exact);
    }
    if (!ff_ssa_corrected_stale(&sum)) continue;
    sum = ff_ssa_corrected_of(ff_ssa_sum(terms, N));
    added_again++;
  }
  FF_CHECK(added_again > 10 && added_again < 2000); /* seldom, but it happens */
  for (int i = 0; i < N; i++) {
    ff_ssa_corrected_change(&sum, 0 - terms[i]);
    terms[i] = 0;
  }
  FF_CHECK(ff_ssa_corrected_stale(&sum)); /* what rounding has left is not taken for a sum */
  sum = ff_ssa_corrected_of(ff_ssa_sum(terms, N));
  FF_CHECK(sum.value == 0 && !ff_ssa_corrected_stale(&sum));
}

/* ---- what happened before does not matter ------------------------------------------------------------------------------- */

static const reaction_text net[] = {{"0 -> A", "9"}, {"A -> B", "1"}, {"B -> 0", "0.5"}, {"2 A -> C", "0.05"},
                                    {"C -> 2 A", "0.3"}, {"A + B -> C", "0.02"}, {NULL, NULL}};
static const double net_initial[] = {30, 4, 0};

static double fingerprint(ff_ssa_path *path, uint64_t unit, const double *initial) {
  double sum = 0;
  ff_ssa_path_start(path, 7, unit, initial);
  for (int i = 0; i < 500; i++) {
    sum += path->next_time * (1 + path->next);
    ff_ssa_path_step(path);
  }
  return sum;
}

/* A trajectory has the same bits in a new path as in one that has simulated others. */
static void forgets_earlier_trajectories(void) {
  const double other[] = {2, 900, 40};
  ff_ssa_program *program = program_of(net, net_initial, 3);
  for (ff_ssa_method method = 0; method < FF_SSA_METHODS; method++) {
    ff_ssa_path fresh, used;
    ff_error err;
    FF_CHECK_OK(ff_ssa_path_new(&fresh, program, ff_ssa_finder_of(method), &err), &err);
    FF_CHECK_OK(ff_ssa_path_new(&used, program, ff_ssa_finder_of(method), &err), &err);
    fingerprint(&used, 1, other);
    fingerprint(&used, 2, net_initial);
    FF_CHECK_SAY(fingerprint(&fresh, 3, net_initial) == fingerprint(&used, 3, net_initial), "%s", ff_ssa_method_name(method));
    ff_ssa_path_free(&fresh);
    ff_ssa_path_free(&used);
  }
  ff_ssa_program_free(program);
}

/* Propensities that nearly overflow: their bounds do, but they do not. */
static void bounds_may_overflow(void) {
  static const reaction_text large[] = {{"A -> B", "1e307"}, {"B -> A", "1e307"}, {NULL, NULL}};
  const double initial[] = {8, 8}; /* 16e307 is finite, but not the sum of the upper bounds, 20e307 */
  ff_ssa_program *program = program_of(large, initial, 2);
  for (ff_ssa_method method = FF_SSA_RSSA; method <= FF_SSA_RSSA_CR; method++) {
    ff_ssa_path path;
    ff_error err;
    FF_CHECK_OK(ff_ssa_path_new(&path, program, ff_ssa_finder_of(method), &err), &err);
    ff_ssa_path_start(&path, 1, 0, initial);
    for (int i = 0; i < 100; i++) ff_ssa_path_step(&path);
    FF_CHECK_INT(path.failure.what, FF_SSA_FINE);
    FF_CHECK(path.count[0] + path.count[1] == 16 && path.step == 100);
    ff_ssa_path_free(&path);
  }
  ff_ssa_program_free(program);
}

/* ---- numbers of leaps --------------------------------------------------------------------------------------------------- */

enum { NUMBERS = 100000 };

static double poisson_probability(double mean, double k) { return exp(k * log(mean) - mean - lgamma(k + 1)); }
static double halves_probability(double n, double k) {
  return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) - n * log(2));
}

/* The normal quantile of Pearson's statistic, for cells of at least 50 expected numbers. */
static double misfit(double (*probability)(double, double), double (*draw)(ff_sequence *, double), double parameter,
                     double most) {
  double *found = ff_calloc((size_t)most + 2, sizeof *found);
  chi_square x = chi_square_of(NUMBERS, 50);
  for (uint64_t i = 0; i < NUMBERS; i++) {
    ff_sequence sequence = ff_sequence_of(17, i);
    const double k = draw(&sequence, parameter);
    FF_CHECK(k >= 0 && k == floor(k));
    found[(size_t)(k < most ? k : most + 1)]++;
  }
  for (double k = 0; k < most; k++) chi_square_add(&x, NUMBERS * probability(parameter, k), found[(size_t)k]);
  free(found);
  return chi_square_quantile(&x);
}

static void numbers_have_their_distributions(void) {
  static const double means[] = {0.3, 4, 9.99, 10, 31.5, 400, 3000}, trials[] = {3, 40, 64, 500, 2047, 2048, 2049, 6000};
  for (size_t i = 0; i < sizeof means / sizeof *means; i++) {
    const double z = misfit(poisson_probability, ff_variate_poisson, means[i], 2 * means[i] + 60);
    FF_CHECK_SAY(fabs(z) < 4.5, "Poisson numbers of mean %g: z = %g", means[i], z);
  }
  for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
    const double z = misfit(halves_probability, ff_variate_halves, trials[i], trials[i] + 1);
    FF_CHECK_SAY(fabs(z) < 4.5, "halves of %g: z = %g", trials[i], z);
  }
  ff_sequence sequence = ff_sequence_of(1, 1);
  FF_CHECK(ff_variate_poisson(&sequence, 0) == 0 && ff_variate_halves(&sequence, 0) == 0);
  const double large = ff_variate_poisson(&sequence, 0x1p41), half = ff_variate_halves(&sequence, 0x1p42);
  FF_CHECK_NEAR(large, 0x1p41, 6 * 0x1p20 * 1.42); /* six standard deviations */
  FF_CHECK_NEAR(half, 0x1p41, 6 * 0x1p20);
}

FF_TEST_MAIN("ssa_methods", bins_never_drift, bins_find_by_weight, bounds_of_sums_hold, forgets_earlier_trajectories,
             bounds_may_overflow, numbers_have_their_distributions)
