/* The long run from the states that can follow a start: compared with the exact chain of all states, and with closed forms. Also
 * the values that nodes may have after a state, compared with all states that do follow. */
#include "../../src/exact/ff_reach.h"

#include <math.h>

#include "estimates.h"

static uint32_t solve(ff_reach **out, const ff_pbn *pbn, double seconds) {
  ff_error err;
  FF_CHECK_OK(ff_reach_new(out, pbn, NULL, FF_REACH_MAX_STATES, &err), &err);
  for (int done = *out == NULL; !done;) FF_CHECK_OK(ff_reach_advance(*out, seconds, &done, &err), &err);
  return *out == NULL ? 0 : ff_reach_states(*out);
}

static double probability(const ff_reach *reach, const ff_expr *set) {
  ff_error err;
  double out = NAN;
  FF_CHECK_OK(ff_reach_probability(&out, reach, set, &err), &err);
  return out;
}

/* Random networks of each kind, from given and random starts, solved in one piece and in many. */
static void it_agrees_with_the_chain_of_all_states(void) {
  for (uint32_t k = 0; k < 60; k++) {
    ff_error err;
    net_shape shape = {.nodes = 2 + k % 7, .max_functions = 1 + k % 3, .max_parents = 3, .contexts = k % 4 == 3 ? 3 : 0,
                       .update = k % 2 ? FF_ASYNCHRONOUS : FF_SYNCHRONOUS, .fixed = k % 3 / 2.0, .keep = 0.2};
    ff_pbn *pbn = net_random_make(&shape, 100 + k);
    if (pbn == NULL) return;
    if (k % 5 == 0) pbn->removed_nodes = 3;
    ff_exact *exact = NULL;
    ff_exact_solver *solver = NULL;
    FF_CHECK_OK(ff_exact_new(&exact, pbn, &err), &err);
    FF_CHECK_OK(ff_exact_solver_new(&solver, exact, 1e-14, 1000000, &err), &err);
    double *pi = ff_calloc(ff_exact_states(exact), sizeof *pi), residual;
    for (int done = 0; !done;) FF_CHECK_OK(ff_exact_solver_advance(solver, pi, 1, &done, &residual, &err), &err);
    ff_reach *reach, *pieces;
    uint32_t states = solve(&reach, pbn, 10);
    FF_CHECK(states > 0 && states <= 1u << pbn->n_nodes);
    FF_CHECK_INT(solve(&pieces, pbn, 0), states);
    for (uint32_t f = 0; f < pbn->first[pbn->n_nodes]; f++) {
      double truth = 0, got = probability(reach, &pbn->predictors[f].expr);
      FF_CHECK_OK(ff_exact_probability(&truth, pi, &pbn->predictors[f].expr, exact, &err), &err);
      FF_CHECK_SAY(fabs(got - truth) < 1e-12, "network %u, function %u: %.15g, exactly %.15g", k, f, got, truth);
      FF_CHECK(got == probability(pieces, &pbn->predictors[f].expr));
    }
    ff_reach_free(reach);
    ff_reach_free(pieces);
    free(pi);
    ff_exact_solver_free(solver);
    ff_exact_free(exact);
    ff_pbn_free(pbn);
  }
}

/* More nodes than an exact chain may have, and events so rare that no simulation meets them. */
static void rare_choices_in_a_row_have_their_weight(void) {
  ff_error err;
  static char text[64][64];
  const char *rules[64] = {"c 0.9 0", "c 0.1 1", "x1 1 c"};
  for (int i = 2; i <= 40; i++) {
    snprintf(text[i], sizeof text[i], "x%d 1 x%d & c", i, i - 1);
    rules[i + 1] = text[i];
  }
  static const char *const sets[] = {"L", "x40", NULL};
  for (int toggles = 0; toggles < 2; toggles++) {
    rules[42] = toggles ? "L 1 L ^ x40" : "L 1 L | x40";
    scene s;
    if (!scene_new(&s, rules, 0, FF_SYNCHRONOUS, sets)) return;
    memset(s.pbn->initial, 0, s.pbn->n_nodes);
    ff_reach *reach;
    FF_CHECK(solve(&reach, s.pbn, 1) > 80);
    FF_CHECK_NEAR(probability(reach, &s.sets.terms[0]), toggles ? 0.5 : 1, 1e-14);
    FF_CHECK_NEAR(probability(reach, &s.sets.terms[1]) / 1e-40, 1, 1e-12); /* 40 heads of probability 0.1 */
    ff_reach_free(reach);
    /* the simulation sees none of this, and gives the exact answer */
    ff_pbn_estimate_options options = default_options();
    outcome got = {0};
    uint32_t n;
    int answer;
    options.network = s.pbn;
    FF_CHECK_OK(ff_pbn_program_new(&got.program, s.pbn, &s.sets.observables, FF_LAYOUT_AUTO, &err), &err);
    const ff_counting run = {got.program, &s.sets.observables, NULL};
    FF_CHECK_OK(ff_pbn_estimate_new(&got.estimate, &run, NULL, options, &err), &err);
    finish(got.estimate, 0.01);
    const double *means = ff_pbn_estimate_exact(got.estimate, &n, &answer);
    FF_CHECK(means != NULL && n > 80 && answer);
    if (means != NULL) FF_CHECK_NEAR(means[0], toggles ? 0.5 : 1, 1e-14);
    outcome_free(&got);
    scene_free(&s);
  }
}

/* Two equal coins decide early: the simulation is right, and remains the answer. All trajectories have ended. */
static void a_simulation_that_is_right_is_kept(void) {
  static const char *const rules[] = {"a 0.5 a | b", "a 0.5 a", "b 1 b & !a", NULL}, *const sets[] = {"a", NULL};
  ff_error err;
  scene s;
  uint32_t n;
  int answer;
  if (!scene_new(&s, rules, 0, FF_SYNCHRONOUS, sets)) return;
  s.pbn->initial[0] = 0;
  for (int preferred = 0; preferred < 2; preferred++) {
    ff_pbn_estimate_options options = default_options();
    outcome got = {0};
    options.network = s.pbn;
    options.explore = preferred ? FF_EXPLORE_PREFER : FF_EXPLORE_CHECK;
    FF_CHECK_OK(ff_pbn_program_new(&got.program, s.pbn, &s.sets.observables, FF_LAYOUT_AUTO, &err), &err);
    const ff_counting run = {got.program, &s.sets.observables, NULL};
    FF_CHECK_OK(ff_pbn_estimate_new(&got.estimate, &run, NULL, options, &err), &err);
    finish(got.estimate, 10);
    const double *means = ff_pbn_estimate_exact(got.estimate, &n, &answer);
    FF_CHECK(means != NULL && answer == preferred);
    if (means != NULL) FF_CHECK_NEAR(means[0], 0.5, 1e-15);
    ff_moments m = ff_pbn_tally_moments(ff_pbn_estimate_tally(got.estimate), 0);
    FF_CHECK(preferred || fabs(m.mean - 0.5) <= 5 * m.se);
    FF_CHECK(preferred || ff_pbn_estimate_certain(got.estimate)[0]);
    outcome_free(&got);
  }
  scene_free(&s);
}

/* n coins from a given start: 2^n states, of which each can follow each if all are tossed together. */
static ff_pbn *coins(int n, ff_update update) {
  static char text[64][64];
  const char *rules[65] = {NULL};
  for (int i = 0; i < 2 * n; i++) {
    snprintf(text[i], sizeof text[i], "c%d 0.5 %d", i / 2, i % 2);
    rules[i] = text[i];
  }
  ff_pbn *pbn = net_parse(rules, 0, update);
  if (pbn != NULL) memset(pbn->initial, 0, pbn->n_nodes);
  return pbn;
}

static void what_is_too_large_is_not_known(void) {
  static const struct {
    int coins;
    ff_update update;
    uint32_t states;
  } cases[] = {
    {8, FF_SYNCHRONOUS, 256}, {10, FF_SYNCHRONOUS, 0 /* 2^20 arrows */}, {17, FF_SYNCHRONOUS, 0 /* a state has 2^17 arrows */},
    {10, FF_ASYNCHRONOUS, 1024}, {12, FF_ASYNCHRONOUS, 0 /* a component of 4,096 states */}, {15, FF_ASYNCHRONOUS, 0 /* 2^15 */}};
  ff_error err;
  ff_reach *reach;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ff_pbn *pbn = coins(cases[k].coins, cases[k].update);
    if (pbn == NULL) return;
    FF_CHECK_INT(solve(&reach, pbn, 0.001), cases[k].states);
    if (cases[k].states > 0) FF_CHECK_NEAR(probability(reach, &pbn->predictors[1].expr), 1, 0); /* the constant 1 */
    ff_reach_free(reach);
    pbn->perturbation = 0.1;
    FF_CHECK_FAILS(ff_reach_new(&reach, pbn, NULL, 10, &err), FF_EARGUMENT, &err, "with perturbation, any state can follow");
    ff_pbn_free(pbn);
  }
  /* random starts, and a limit of fewer states */
  ff_pbn *pbn = coins(12, FF_ASYNCHRONOUS);
  if (pbn == NULL) return;
  int all = 1;
  uint32_t none = 0;
  FF_CHECK_OK(ff_reach_new(&reach, pbn, &none, 100, &err), &err);
  FF_CHECK_OK(ff_reach_explore(reach, &all, &err), &err);
  FF_CHECK_INT(all, 0);
  ff_reach_free(reach);
  memset(pbn->initial, -1, pbn->n_nodes);
  FF_CHECK_OK(ff_reach_new(&reach, pbn, NULL, 4096, &err), &err);
  FF_CHECK_OK(ff_reach_explore(reach, &all, &err), &err);
  FF_CHECK_INT(all, 1);
  ff_reach_free(reach);
  FF_CHECK_OK(ff_reach_new(&reach, pbn, NULL, 4095, &err), &err);
  FF_CHECK_OK(ff_reach_explore(reach, &all, &err), &err);
  FF_CHECK_INT(all, 0);
  ff_reach_free(reach);
  ff_pbn_free(pbn);
}

/* A cycle may have more states than another component. */
static void long_cycles_are_uniform(void) {
  static char rule[12][200];
  const char *rules[13] = {0};
  for (int i = 0; i < 12; i++) { /* a counter: node i changes when all lower nodes are on */
    char lower[24 * 6] = "1";
    size_t used = 1;
    for (int j = 0; j < i; j++) used += (size_t)snprintf(lower + used, sizeof lower - used, "&b%d", j);
    snprintf(rule[i], sizeof rule[i], "b%d 1 b%d ^ (%s)", i, i, lower);
    rules[i] = rule[i];
  }
  static const char *const sets[] = {"b11 & b10", NULL};
  scene s;
  ff_reach *reach;
  if (!scene_new(&s, rules, 0, FF_SYNCHRONOUS, sets)) return;
  memset(s.pbn->initial, 0, s.pbn->n_nodes);
  FF_CHECK_INT(solve(&reach, s.pbn, 1), 4096);
  FF_CHECK_NEAR(probability(reach, &s.sets.terms[0]), 0.25, 1e-13);
  ff_reach_free(reach);
  scene_free(&s);
}

/* ff_pbn_possible() and ff_reach_explore() from every state of random networks. What is possible contains what follows. */
static void what_may_follow_contains_what_follows(void) {
  int narrow = 0, exact = 0;
  for (uint32_t k = 0; k < 40; k++) {
    ff_error err;
    net_shape shape = {.nodes = 5, .max_functions = 2, .max_parents = 3, .contexts = k % 4 == 3 ? 2 : 0,
                       .update = k % 2 ? FF_ASYNCHRONOUS : FF_SYNCHRONOUS, .keep = 0.3};
    ff_pbn *pbn = net_random_make(&shape, 500 + k);
    if (pbn == NULL) return;
    for (uint32_t state = 0; state < 32; state++) {
      ff_reach *reach = NULL;
      uint8_t can[5], stack[16];
      int all = 0;
      FF_CHECK_OK(ff_reach_new(&reach, pbn, &state, 100, &err), &err);
      FF_CHECK_OK(ff_reach_explore(reach, &all, &err), &err);
      FF_CHECK(all);
      for (uint32_t i = 0; i < 5; i++) can[i] = (uint8_t)(1u << (state >> i & 1u));
      FF_CHECK_OK(ff_pbn_possible(can, pbn, &err), &err);
      for (uint32_t f = 0; f < pbn->first[5]; f++) {
        FF_CHECK(pbn->predictors[f].expr.depth <= sizeof stack);
        uint8_t follows = ff_reach_possible(reach, &pbn->predictors[f].expr, stack);
        uint8_t may = ff_expr_possible(&pbn->predictors[f].expr, can, stack);
        FF_CHECK((follows & ~may) == 0);
        narrow += may != 3;
        exact += may == follows;
      }
      ff_reach_free(reach);
    }
    ff_pbn_free(pbn);
  }
  FF_CHECK(narrow > 1000 && exact > 3000); /* of about 9,600: the test is no test if everything is possible */
}

FF_TEST_MAIN("reach", it_agrees_with_the_chain_of_all_states, rare_choices_in_a_row_have_their_weight,
             a_simulation_that_is_right_is_kept, what_is_too_large_is_not_known, long_cycles_are_uniform,
             what_may_follow_contains_what_follows)
