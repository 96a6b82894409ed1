/* Implicit leaps: their equations, and which reactions are in partial equilibrium. */
#include <math.h>

#include "../../src/ssa/engine/ff_ssa_single.h"
#include "../../src/ssa/leap/ff_ssa_implicit.h"
#include "../../src/ssa/methods/ff_ssa_methods.h"
#include "../../src/ssa/plan/ff_ssa_plan.h"
#include "../../src/ssa/schedule/ff_ssa_trajectory.h"
#include "reactions.h"

typedef struct {
  ff_ssa_program *program;
  ff_ssa_path path;
  ff_ssa_length length;
  ff_ssa_implicit *implicit;
} setting;

static setting set_up(const reaction_text *reactions, const double *initial, uint32_t n_species) {
  setting s = {0};
  ff_error err;
  ff_reactions *net = network_of(reactions, initial, n_species);
  FF_CHECK_OK(ff_ssa_program_new(&s.program, net, &err), &err);
  ff_reactions_free(net);
  FF_CHECK_OK(ff_ssa_path_new(&s.path, s.program, &ff_ssa_finder_tree, &err), &err);
  FF_CHECK_OK(ff_ssa_length_new(&s.length, s.program, 0.03, &err), &err);
  FF_CHECK_OK(ff_ssa_implicit_new(&s.implicit, s.program, &err), &err);
  for (uint32_t i = 0; i < n_species; i++) s.path.count[i] = initial[i];
  ff_ssa_path_compute(&s.path);
  return s;
}

static void drop(setting *s) {
  ff_ssa_implicit_free(s->implicit);
  ff_ssa_length_free(&s->length);
  ff_ssa_path_free(&s->path);
  ff_ssa_program_free(s->program);
}

/* For A <-> B with the constants f and g, A at the end is (A + noise + tau g (A + B)) / (1 + tau (f + g)). */
static void linear_equations_are_solved(void) {
  static const reaction_text net[] = {{"A -> B", "50"}, {"B -> A", "150"}, {NULL, NULL}};
  const double initial[] = {4000, 6000}, tau = 10;
  setting s = set_up(net, initial, 2);
  double fired[] = {2000000 + 700, 9000000 - 1500};
  FF_CHECK(ff_ssa_implicit_solve(s.implicit, &s.length, &s.path, s.path.propensity, tau, fired));
  const double a = (4000 - 700 - 1500 - (9e6 - 2e6) + tau * (9e5 - 2e5) + tau * 150 * 10000) / (1 + tau * 200);
  FF_CHECK_NEAR(4000 - fired[0] + fired[1], a, 0.1);
  FF_CHECK_NEAR(fired[0], 2000700 - tau * 2e5 + tau * 50 * a, 0.1);
  FF_CHECK(s.path.count[0] == 4000 && s.path.count[1] == 6000); /* the state is as before */
  drop(&s);
}

/* For 2 A -> 0 with the constant c, a quadratic equation. Its propensity is c A (A - 1) / 2. */
static void quadratic_equations_are_solved(void) {
  static const reaction_text net[] = {{"2 A -> 0", "0.01"}, {NULL, NULL}};
  const double initial[] = {1000}, tau = 3, c = 0.01;
  setting s = set_up(net, initial, 1);
  double fired[] = {tau * s.path.propensity[0]};
  FF_CHECK(ff_ssa_implicit_solve(s.implicit, &s.length, &s.path, s.path.propensity, tau, fired));
  /* x = 1000 - tau c x (x - 1) */
  const double k = tau * c, x = ((k - 1) + sqrt((1 - k) * (1 - k) + 4 * k * 1000)) / (2 * k);
  FF_CHECK_NEAR(1000 - 2 * fired[0], x, 0.1);
  drop(&s);
}

/* Equations whose propensities cannot be computed on the way have no solution, and that is no failure of the trajectory. */
static void insoluble_equations_are_reported(void) {
  static const reaction_text net[] = {{"A -> B", "=1e6 * sqrt(A - 999)"}, {NULL, NULL}};
  const double initial[] = {1000, 0};
  setting s = set_up(net, initial, 2);
  double fired[] = {1e9};
  FF_CHECK(!ff_ssa_implicit_solve(s.implicit, &s.length, &s.path, s.path.propensity, 1000, fired));
  FF_CHECK_INT(s.path.failure.what, FF_SSA_FINE);
  FF_CHECK(s.path.count[0] == 1000 && s.path.count[1] == 0);
  drop(&s);
}

/* A pair with a catalyst; a reaction without a reverse; one with another stoichiometry; and a pair that is not in equilibrium. */
static void finds_partial_equilibria(void) {
  static const reaction_text net[] = {{"A + C -> B + C", "2e4"}, {"B + C -> A + C", "2e4"}, {"A -> D", "1"},
                                      {"2 B -> 2 A", "1e-6"},    {"D -> E", "2"},           {"E -> D", "1"},
                                      {NULL, NULL}};
  const double initial[] = {10000, 10060, 100, 5000, 5000};
  setting s = set_up(net, initial, 5);
  const double shorter = ff_ssa_length_longest(&s.length, &s.path);
  const double longest = ff_ssa_implicit_longest(s.implicit, &s.length, &s.path, shorter);
  static const int balanced[] = {1, 1, 0, 0, 0, 0};
  for (uint32_t r = 0; r < 6; r++) FF_CHECK_SAY(ff_ssa_implicit_balanced(s.implicit, r) == balanced[r], "reaction %u", r + 1);
  for (uint32_t r = 0; r < 6; r++) FF_CHECK_INT(s.length.critical[r], 0);
  FF_CHECK(longest > 100 * shorter);
  /* the sums of the propensities of both directions differ by 6% */
  s.path.count[1] = 10600;
  ff_ssa_path_compute(&s.path);
  FF_CHECK(ff_ssa_implicit_longest(s.implicit, &s.length, &s.path, shorter) == shorter);
  FF_CHECK(!ff_ssa_implicit_balanced(s.implicit, 0));
  drop(&s);
}

/* A <-> B with the constants 1e5 and 1e5, and 400 molecules: the difference of the propensities has the standard deviation
 * sqrt(2e5 * 4e7 / 2) = 2e6 in equilibrium, 20 molecules. */
static void fluctuations_are_part_of_equilibria(void) {
  static const reaction_text net[] = {{"A -> B", "1e5"}, {"B -> A", "1e5"}, {"C -> 0", "1"}, {NULL, NULL}};
  static const double a[] = {200, 229, 171, 231, 169};
  static const int balanced[] = {1, 1, 1, 0, 0};
  for (int i = 0; i < 5; i++) {
    const double initial[] = {a[i], 400 - a[i], 1000};
    setting s = set_up(net, initial, 3);
    ff_ssa_implicit_longest(s.implicit, &s.length, &s.path, ff_ssa_length_longest(&s.length, &s.path));
    FF_CHECK_SAY(ff_ssa_implicit_balanced(s.implicit, 0) == balanced[i], "%g molecules of A", a[i]);
    FF_CHECK(s.path.count[0] == a[i] && s.path.count[1] == 400 - a[i]);
    drop(&s);
  }
}

/* The longest leap of a network, as a multiple of the longest explicit one, and which reactions are in partial equilibrium. */
static double longer_leap(const reaction_text *net, const double *initial, uint32_t n_species, int balanced[4]) {
  setting s = set_up(net, initial, n_species);
  const double shorter = ff_ssa_length_longest(&s.length, &s.path);
  const double longest = ff_ssa_implicit_longest(s.implicit, &s.length, &s.path, shorter);
  for (uint32_t r = 0; r < s.program->n_reactions && r < 4; r++) balanced[r] = ff_ssa_implicit_balanced(s.implicit, r);
  drop(&s);
  return longest / shorter;
}

/* If all reactions are in equilibrium, the slowest ones limit the leap. */
static void slowest_reactions_limit_leaps(void) {
  static const reaction_text net[] = {{"0 -> A", "1e10"}, {"A -> 0", "1e6"}, {"0 -> B", "1000"}, {"B -> 0", "1"}, {NULL, NULL}};
  const double initial[] = {10000, 980};
  int balanced[4];
  const double times = longer_leap(net, initial, 2, balanced);
  FF_CHECK_SAY(times > 100 && times < 2e6, "%g times as long as an explicit one", times);
  FF_CHECK(balanced[0] && balanced[1] && !balanced[2] && !balanced[3]);
}

/* The flows of both directions are equal in all these networks. Leaps do not jump over them if the equilibrium need not be stable
 * or the only one (rates that are no mass action, a catalyst on one side, a second reaction with the same change), if the rate of
 * the mean is not the mean of the rates (a formula, or three fast molecules), if there are too few molecules, or if the
 * relaxation is not much faster than the leap. */
static void pairs_are_in_equilibrium_only_where_that_is_safe(void) {
  static const struct {
    reaction_text net[5];
    double count;
    int jumps;
  } cases[] = {{{{"0 -> A", "1e9"}, {"A -> 0", "1e6"}, {"B -> 0", "1"}}, 1000, 1},
               {{{"0 -> A", "=1e4 * A^2"}, {"A -> 0", "1e7"}, {"B -> 0", "1"}}, 1000, 0},
               {{{"0 -> A", "=1e6 * (1000 + (A > 1150) * 1e3)"}, {"A -> 0", "1e6"}, {"B -> 0", "1"}}, 1000, 0},
               {{{"A -> 2 A", "1e6"}, {"A -> 0", "1000001"}, {"B -> 0", "1e-3"}}, 1000, 0},
               {{{"B -> A + B", "1e3"}, {"A -> 0", "1e6"}, {"B -> 0", "1"}}, 1000, 0},
               {{{"0 -> A", "5e8"}, {"0 -> A", "5e8"}, {"A -> 0", "1e6"}, {"B -> 0", "1"}}, 1000, 0},
               {{{"0 -> A", "1e9"}, {"A -> 0", "1e6"}, {"B -> 0", "=B * A / (A + 10)"}}, 1000, 0},
               {{{"0 -> A", "1e9"}, {"A -> 0", "1e6"}, {"B -> 0", "=B / (B + 10)"}}, 1000, 1},
               {{{"0 -> A", "1e9"}, {"A -> 0", "1e6"}, {"2 A + B -> 2 A", "1e-6"}}, 1000, 1},
               {{{"0 -> A", "1e9"}, {"A -> 0", "1e6"}, {"3 A + B -> 3 A", "1e-9"}}, 1000, 0},
               {{{"0 -> A", "2e7"}, {"A -> 0", "1e6"}, {"B -> 0", "1"}}, 20, 0},
               {{{"0 -> A", "1e9"}, {"A -> 0", "1e6"}, {"B -> 0", "2e4"}}, 1000, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const double initial[] = {cases[i].count, 1e6};
    int balanced[4];
    const double times = longer_leap(cases[i].net, initial, 2, balanced);
    FF_CHECK_SAY((times > 1) == cases[i].jumps && balanced[0] == cases[i].jumps, "network %d: %g times", (int)i + 1, times);
  }
}

/* All flows of A <-> B <-> C <-> A are equal, but molecules go round: three times as many from A to B as from B to A. */
static void closed_loops_have_detailed_balance(void) {
  static const char *const back[] = {"1e6", "1e6", "1e6"};
  for (int round = 0; round < 2; round++) {
    const char *there = round ? "1.5e6" : "1e6";
    const reaction_text net[] = {{"A -> B", there}, {"B -> A", back[0]}, {"B -> C", there}, {"C -> B", back[1]},
                                 {"C -> A", there}, {"A -> C", back[2]}, {"D -> 0", "1"},   {NULL, NULL}};
    const double initial[] = {40, 40, 40, 1e6}; /* so few that three standard deviations are more than the difference */
    int balanced[4];
    const double times = longer_leap(net, initial, 4, balanced);
    FF_CHECK_SAY((times > 1) == !round, "case %d: %g times", round, times);
  }
}

/* Reactions in partial equilibrium pass changes on: B makes C, which reduces the production of A, and A becomes B. So deviations
 * of A + B and C turn round at the rate sqrt(1 * 100 / 2), though only the pair reads A. */
static void feedback_through_fast_species_limits_leaps(void) {
  static const reaction_text net[] = {{"A -> B", "1e9"}, {"B -> A", "1e9"},     {"0 -> A", "=1e8 * (101 - 1e-6 * C)"},
                                      {"B -> 0", "1"},   {"B -> B + C", "1"}, {"C -> 0", "1"},
                                      {NULL, NULL}};
  const double initial[] = {1e8, 1e8, 1e8};
  setting s = set_up(net, initial, 3);
  const double longest = ff_ssa_implicit_longest(s.implicit, &s.length, &s.path, ff_ssa_length_longest(&s.length, &s.path));
  FF_CHECK(ff_ssa_implicit_balanced(s.implicit, 0));
  FF_CHECK_SAY(longest <= 0.06 / sqrt(50), "%g", longest);
  FF_CHECK_SAY(longest >= 0.06 / 101, "%g", longest);
  drop(&s);
}

/* The count of A is a quarter below its equilibrium at the start of a leap. The propensities of B -> C, which is critical,
 * and of D -> 0 are those after the relaxation. */
static void other_reactions_read_relaxed_counts(void) {
  static const reaction_text net[] = {
      {"0 -> A", "1e8"}, {"A -> 0", "1e6"}, {"A + B -> A + C", "0.01"}, {"D -> 0", "1"}, {NULL, NULL}};
  const double initial[] = {75, 1, 0, 1e6};
  double rate[4] = {0};
  setting s = set_up(net, initial, 4);
  ff_ssa_length_critical(&s.length, &s.path);
  const double longest = ff_ssa_implicit_longest(s.implicit, &s.length, &s.path, ff_ssa_length_longest(&s.length, &s.path));
  FF_CHECK(ff_ssa_implicit_balanced(s.implicit, 0));
  FF_CHECK(ff_ssa_implicit_relax(s.implicit, &s.path, longest, rate));
  FF_CHECK(rate[0] == 0 && rate[1] == 0); /* these are in partial equilibrium */
  FF_CHECK_NEAR(rate[2], 1, 1e-3);
  FF_CHECK(rate[3] == 1e6);
  FF_CHECK(s.path.count[0] == 75 && s.path.count[1] == 1 && s.path.failure.what == FF_SSA_FINE);
  drop(&s);
}

/* Diffusion in 12 places, at the rate 1e4 between neighbours. The slowest mode relaxes at the rate 2e4 (1 - cos(pi / 12)) = 681,
 * and a leap is 0.03 divided by the constant of M -> 0. Though neighbours are in equilibrium, the slowest mode must be, too. */
static void clusters_relax_by_their_slowest_mode(void) {
  static const struct {
    const char *slow;
    double gradient;
    int jumps;
  } cases[] = {{"1", 0, 1}, {"8", 0, 0}, {"1", 40, 0}, {"1", 2, 1}};
  for (size_t i = 0; i < 4; i++) {
    reaction_text net[24] = {{"M -> 0", cases[i].slow}};
    char text[22][8];
    double initial[13];
    int balanced[4];
    for (int k = 0; k < 11; k++) {
      snprintf(text[2 * k], 8, "%c -> %c", 'A' + k, 'B' + k);
      snprintf(text[2 * k + 1], 8, "%c -> %c", 'B' + k, 'A' + k);
      net[2 * k + 1] = (reaction_text){text[2 * k], "1e4"};
      net[2 * k + 2] = (reaction_text){text[2 * k + 1], "1e4"};
    }
    for (int k = 0; k < 12; k++) initial[k] = 1000 + cases[i].gradient * (k - 5.5);
    initial[12] = 1e6;
    const double times = longer_leap(net, initial, 13, balanced);
    FF_CHECK_SAY((times > 1) == cases[i].jumps, "case %d: %g times", (int)i + 1, times);
    FF_CHECK_INT(balanced[1], cases[i].jumps);
  }
}

/* In a loop of reversible reactions, the extents have a mode that changes no count. The variance of a count is that of
 * independent molecules: 3000 p (1 - p). The mean and the variance do not depend on the part of the leap. */
static void fluctuations_are_those_of_the_equilibrium(void) {
  static const reaction_text net[] = {{"A -> B", "2000"}, {"B -> A", "1000"}, {"B -> C", "1000"}, {"C -> B", "1000"},
                                      {"C -> A", "1000"}, {"A -> C", "2000"}, {"D -> 0", "1"},    {NULL, NULL}};
  const double initial[] = {600, 1200, 1200, 1e6}, parts[] = {0.3, 0.999, 1}, p[] = {0.2, 0.4, 0.4};
  enum { N = 4000 };
  setting s = set_up(net, initial, 4);
  const double tau = ff_ssa_implicit_longest(s.implicit, &s.length, &s.path, ff_ssa_length_longest(&s.length, &s.path));
  FF_CHECK_NEAR(tau, 0.03, 1e-9);
  for (int i = 0; i < 3; i++) {
    double sum[3] = {0}, square[3] = {0};
    for (uint64_t n = 0; n < N; n++) {
      double fired[7] = {0}, count[4] = {0};
      FF_CHECK(ff_ssa_implicit_settle(s.implicit, &s.path, n, tau, parts[i], fired));
      for (uint32_t r = 0; r < 7; r++) ff_ssa_apply(s.program, count, r, fired[r]);
      FF_CHECK(count[0] + count[1] + count[2] == 0);
      for (int k = 0; k < 3; k++) {
        sum[k] += count[k];
        square[k] += count[k] * count[k];
      }
    }
    for (int k = 0; k < 3; k++) { /* 4.5 standard errors of the mean and of the variance, and 1 / 12 for each of 3 roundings */
      const double variance = 3000 * p[k] * (1 - p[k]);
      FF_CHECK_NEAR(sum[k] / N, 0, 4.5 * sqrt(variance / N));
      FF_CHECK_NEAR(square[k] / N / variance, 1, 4.5 * sqrt(2.0 / N) + 0.25 / variance);
    }
  }
  drop(&s);
}

/* Molecules of 0 -> A -> 0 relax at the rate of the constant, so an explicit step is at most 2 times the tolerance. The matrix of
 * a chain that production drives has the rates of its decays, whatever the production. */
static void relaxation_limits_explicit_steps(void) {
  static const reaction_text one[] = {{"0 -> A", "3e10"}, {"A -> 0", "3"}, {NULL, NULL}};
  static const reaction_text chain[] = {{"0 -> A", "1e10"}, {"A -> 0", "1"}, {"A -> A + B", "1e3"}, {"B -> 0", "1"},
                                        {NULL, NULL}};
  const double many[] = {1e10, 1e12};
  setting s = set_up(one, many, 1);
  FF_CHECK_NEAR(ff_ssa_length_longest(&s.length, &s.path), 0.02, 1e-9);
  drop(&s);
  s = set_up(chain, (const double[]){1e10, 1e13}, 2);
  FF_CHECK_NEAR(ff_ssa_length_longest(&s.length, &s.path), 0.03, 1e-9);
  drop(&s);
}

/* A matrix of ones has the eigenvalues 0 and its order, which is larger than each diagonal entry, also of the tridiagonal one. */
static void slowest_modes_are_bounded_closely(void) {
  enum { MOST = 4 };
  double matrix[MOST * MOST], diagonal[MOST], beside[MOST], vector[MOST], a[MOST * MOST], slowest;
  const ff_modes modes = {matrix, diagonal, beside, vector};
  for (size_t i = 0; i < MOST * MOST; i++) a[i] = 1;
  for (size_t m = 1; m <= MOST; m++) {
    FF_CHECK(ff_modes_fast(&modes, a, m, 0.5, &slowest));
    FF_CHECK_SAY(slowest <= (double)m && slowest >= 0.99 * (double)m, "order %d: %g", (int)m, slowest);
    FF_CHECK(!ff_modes_fast(&modes, a, m, 1.001 * (double)m, &slowest));
  }
}

static void refuses_large_networks(void) {
  ff_reactions *net = ring_of(FF_SSA_IMPLICIT_MOST + 1);
  ff_ssa_program *program;
  ff_ssa_implicit *implicit;
  ff_error err;
  FF_CHECK_OK(ff_ssa_program_new(&program, net, &err), &err);
  FF_CHECK_INT(ff_ssa_implicit_new(&implicit, program, &err), FF_EUNSUPPORTED);
  FF_CHECK(implicit == NULL && strstr(err.text, "expected at most 256 species, found 257") != NULL);
  FF_CHECK_INT(ff_ssa_method_check(program, FF_SSA_IMPLICIT, &err), FF_EUNSUPPORTED);
  ff_ssa_program_free(program);
  ff_reactions_free(net);
}

FF_TEST_MAIN("ssa_implicit", linear_equations_are_solved, quadratic_equations_are_solved, insoluble_equations_are_reported,
             finds_partial_equilibria, fluctuations_are_part_of_equilibria, slowest_reactions_limit_leaps,
             pairs_are_in_equilibrium_only_where_that_is_safe, closed_loops_have_detailed_balance,
             feedback_through_fast_species_limits_leaps, other_reactions_read_relaxed_counts,
             clusters_relax_by_their_slowest_mode, fluctuations_are_those_of_the_equilibrium,
             relaxation_limits_explicit_steps, slowest_modes_are_bounded_closely, refuses_large_networks)
