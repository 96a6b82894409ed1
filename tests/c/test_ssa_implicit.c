/* Implicit leaps: their equations, and which reactions are in partial equilibrium. */
#include <math.h>

#include "../../src/ssa/ff_ssa_implicit.h"
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
  FF_CHECK_OK(ff_ssa_path_new(&s.path, s.program, FF_SSA_TREE, &err), &err);
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
  FF_CHECK(ff_ssa_implicit_solve(s.implicit, &s.length, &s.path, tau, fired));
  const double a = (4000 - 700 - 1500 - (9e6 - 2e6) + tau * (9e5 - 2e5) + tau * 150 * 10000) / (1 + tau * 200);
  FF_CHECK_NEAR(4000 - fired[0] + fired[1], a, 1.1); /* both numbers are rounded */
  FF_CHECK_NEAR(fired[0], 2000700 - tau * 2e5 + tau * 50 * a, 1);
  FF_CHECK(fired[0] == floor(fired[0]) && fired[1] == floor(fired[1]));
  FF_CHECK(s.path.count[0] == 4000 && s.path.count[1] == 6000); /* the state is as before */
  drop(&s);
}

/* For 2 A -> 0 with the constant c, a quadratic equation. Its propensity is c A (A - 1) / 2. */
static void quadratic_equations_are_solved(void) {
  static const reaction_text net[] = {{"2 A -> 0", "0.01"}, {NULL, NULL}};
  const double initial[] = {1000}, tau = 3, c = 0.01;
  setting s = set_up(net, initial, 1);
  double fired[] = {tau * s.path.propensity[0]};
  FF_CHECK(ff_ssa_implicit_solve(s.implicit, &s.length, &s.path, tau, fired));
  /* x = 1000 - tau c x (x - 1) */
  const double k = tau * c, x = ((k - 1) + sqrt((1 - k) * (1 - k) + 4 * k * 1000)) / (2 * k);
  FF_CHECK_NEAR(1000 - 2 * fired[0], x, 1.1);
  drop(&s);
}

/* Equations whose propensities cannot be computed on the way have no solution, and that is no failure of the trajectory. */
static void insoluble_equations_are_reported(void) {
  static const reaction_text net[] = {{"A -> B", "=1e6 * sqrt(A - 999)"}, {NULL, NULL}};
  const double initial[] = {1000, 0};
  setting s = set_up(net, initial, 2);
  double fired[] = {1e9};
  FF_CHECK(!ff_ssa_implicit_solve(s.implicit, &s.length, &s.path, 1000, fired));
  FF_CHECK_INT(s.path.failure.what, FF_SSA_FINE);
  FF_CHECK(s.path.count[0] == 1000 && s.path.count[1] == 0);
  drop(&s);
}

/* Two reactions in one direction against one in the other; a reaction without a reverse; one with another stoichiometry. */
static void finds_partial_equilibria(void) {
  static const reaction_text net[] = {{"A -> B", "1e6"},     {"A + C -> B + C", "1e4"}, {"B -> A", "2e6"},
                                      {"A -> D", "1"},       {"2 B -> 2 A", "1e-6"},    {"D -> E", "2"},
                                      {"E -> D", "1"},       {NULL, NULL}};
  const double initial[] = {10000, 10100, 100, 5000, 5000};
  setting s = set_up(net, initial, 5);
  const double shorter = ff_ssa_length_longest(&s.length, &s.path);
  const double longest = ff_ssa_implicit_longest(s.implicit, &s.length, &s.path, shorter);
  static const int balanced[] = {1, 1, 1, 0, 0, 0, 0};
  for (uint32_t r = 0; r < 7; r++) FF_CHECK_SAY(ff_ssa_implicit_balanced(s.implicit, r) == balanced[r], "reaction %u", r + 1);
  for (uint32_t r = 0; r < 7; r++) FF_CHECK_INT(s.length.critical[r], 0);
  FF_CHECK(longest > 100 * shorter);
  /* the sums of the propensities of both directions differ by 5% */
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
    ff_ssa_implicit_longest(s.implicit, &s.length, &s.path, 1);
    FF_CHECK_SAY(ff_ssa_implicit_balanced(s.implicit, 0) == balanced[i], "%g molecules of A", a[i]);
    FF_CHECK(s.path.count[0] == a[i] && s.path.count[1] == 400 - a[i]);
    drop(&s);
  }
}

/* If all reactions are in equilibrium, the slowest ones limit the leap. Between its ends, the others return to equilibrium. */
static void slowest_reactions_limit_leaps(void) {
  static const reaction_text net[] = {{"0 -> A", "1e10"}, {"A -> 0", "1e6"}, {"0 -> B", "1000"}, {"B -> 0", "1"}, {NULL, NULL}};
  const double initial[] = {10000, 980}, tau = 1e-5;
  static const int balanced[] = {1, 1, 0, 0};
  setting s = set_up(net, initial, 2);
  const double shorter = ff_ssa_length_longest(&s.length, &s.path);
  const double longest = ff_ssa_implicit_longest(s.implicit, &s.length, &s.path, shorter);
  FF_CHECK_SAY(longest > 100 * shorter && longest < 1, "%g, not much longer than %g", longest, shorter);
  for (uint32_t r = 0; r < 4; r++) FF_CHECK_INT(ff_ssa_implicit_balanced(s.implicit, r), balanced[r]);
  FF_CHECK_NEAR(ff_ssa_implicit_part(s.implicit, 0, tau, 0.1), expm1(-1) / expm1(-10), 1e-12);
  drop(&s);
}

static void refuses_large_networks(void) {
  enum { N = FF_SSA_IMPLICIT_MOST + 1 };
  ff_reactions *net;
  ff_ssa_program *program;
  ff_ssa_implicit *implicit;
  ff_error err;
  FF_CHECK_OK(ff_reactions_new(&net, N, 0, N, &err), &err);
  for (uint32_t i = 0; i < N; i++) {
    char name[16];
    snprintf(name, sizeof name, "S%u", i);
    net->names[i] = ff_strndup(name, strlen(name));
    net->reactions[i].name = ff_strndup("", 0);
    net->reactions[i].reactants = ff_calloc(1, sizeof(ff_participant));
    net->reactions[i].reactants[0] = (ff_participant){i, 1};
    net->reactions[i].n_reactants = 1;
    net->reactions[i].mass_action = 1;
    FF_CHECK_OK(ff_formula_of_number(&net->reactions[i].rate, 1, &err), &err);
  }
  FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
  FF_CHECK_OK(ff_ssa_program_new(&program, net, &err), &err);
  FF_CHECK_INT(ff_ssa_implicit_new(&implicit, program, &err), FF_EUNSUPPORTED);
  FF_CHECK(implicit == NULL && strstr(err.text, "expected at most 256 species, found 257") != NULL);
  FF_CHECK_INT(ff_ssa_method_check(program, FF_SSA_IMPLICIT, &err), FF_EUNSUPPORTED);
  ff_ssa_program_free(program);
  ff_reactions_free(net);
}

FF_TEST_MAIN("ssa_implicit", linear_equations_are_solved, quadratic_equations_are_solved, insoluble_equations_are_reported,
             finds_partial_equilibria, fluctuations_are_part_of_equilibria, slowest_reactions_limit_leaps, refuses_large_networks)
