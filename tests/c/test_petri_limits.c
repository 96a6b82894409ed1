/* Hybrid Petri nets: nets that only flow, integrators, empty places that feed each other, and failures. */
#include <math.h>

#include "petri_runs.h"
#include "simulations.h"

static const ff_petri_options usual = {.relative = 1e-6, .absolute = 1e-9};

/* ---- nets that only flow ------------------------------------------------------------------------------------------------- */

/* The Brusselator by mass action, and a rate that is written; both engines have the same tolerance for all sizes. */
static void flows_like_rate_equations(void) {
  static const reaction_text reactions[] = {{"0 -> A", "1"}, {"2 A + B -> 3 A", "2"}, {"A -> B", "3"}, {"A -> 0", "1"},
                                            {"B -> C", "= 0.3 * B^2 / (1 + A)"}, {NULL, NULL}};
  static const char *const texts[][3] = {{"in", "0 -> A", "1"}, {"join", "2 A + B -> 3 A", "2"}, {"turn", "A -> B", "3"},
                                         {"out", "A -> 0", "1"}};
  const double initial[] = {1, 2, 0}, times[] = {0.1, 1, 3, 10, 25};
  const uint32_t observed[] = {0, 1, 2};
  double state[3][5], *const states[] = {state[0], state[1], state[2]};
  ff_ssa_program *program = program_of(reactions, initial, 3);
  const ff_run_options options = {.method = FF_SSA_ODE, .n = 1, .times = times, .n_times = 5, .observed = observed,
                                  .n_observed = 3, .states = states, .threads = 1, .tolerance = 1e-7};
  ff_run_free(run_to_end(program, &options, 10));
  ff_ssa_program_free(program);
  petri_text x;
  petri_states s = {0};
  const ff_petri_options same = {.relative = 1e-7, .absolute = 1e-7, .integrator = FF_PETRI_DORMAND_PRINCE};
  petri_begin(&x);
  petri_place(&x, "A", 1, "1");
  petri_place(&x, "B", 1, "2");
  petri_place(&x, "C", 1, "0");
  for (int k = 0; k < 4; k++)
    petri_transition(&x, texts[k][0], FF_PETRI_CONTINUOUS, texts[k][1], NULL, NULL, texts[k][2], 1);
  petri_flows(&x, "written", "B -> C", "0.3 * B^2 / (1 + A)");
  petri_compile(&x, &same);
  if (x.status == FF_OK) x.status = petri_observe(&s, x.program, 1, times, 5, 3, 1, 1, &x.err);
  FF_CHECK_SAY(x.status == FF_OK, "%s\n", x.err.text);
  for (uint32_t k = 0; k < 3 && x.status == FF_OK; k++)
    for (uint32_t t = 0; t < 5; t++)
      FF_CHECK_SAY(petri_state(&s, k, 0, t) == state[k][t], "%.17g and %.17g\n", petri_state(&s, k, 0, t), state[k][t]);
  petri_states_free(&s);
  petri_end(&x);
}

/* Robertson's equations: at t = 40, A = 0.7158270688, B = 9.1855e-6, C = 0.2841637457 (Hairer and Wanner). */
static void integrates_stiff_flows(void) {
  static const ff_petri_integrator integrators[] = {FF_PETRI_AUTO, FF_PETRI_ROSENBROCK};
  for (int k = 0; k < 2; k++) {
    const ff_petri_options options = {.relative = 1e-7, .absolute = 1e-11, .integrator = integrators[k]};
    const double times[] = {40};
    petri_text x;
    petri_states s = {0};
    petri_begin(&x);
    petri_place(&x, "A", 1, "1");
    petri_place(&x, "B", 1, "0");
    petri_place(&x, "C", 1, "0");
    petri_transition(&x, "slow", FF_PETRI_CONTINUOUS, "A -> B", NULL, NULL, "0.04", 1);
    petri_flows(&x, "fast", "B -> C", "3e7 * B^2");
    petri_flows(&x, "back", "B -> A", "1e4 * B * C");
    petri_compile(&x, &options);
    if (x.status == FF_OK) x.status = petri_observe(&s, x.program, 1, times, 1, 3, 1, 1, &x.err);
    FF_CHECK_SAY(x.status == FF_OK, "%s\n", x.err.text);
    if (x.status == FF_OK) { /* 100 tolerances */
      FF_CHECK_SAY(fabs(petri_state(&s, 0, 0, 0) - 0.7158270688) < 1e-5, "%.10g\n", petri_state(&s, 0, 0, 0));
      FF_CHECK_SAY(fabs(petri_state(&s, 1, 0, 0) - 9.185535e-6) < 1e-10, "%.10g\n", petri_state(&s, 1, 0, 0));
    }
    petri_states_free(&s);
    petri_end(&x);
  }
}

static void write_gene(petri_text *x) {
  petri_begin(x);
  petri_place(x, "m", 1, "0.1");
  petri_place(x, "p", 1, "0.1");
  petri_place(x, "off", 0, "1");
  petri_place(x, "on", 0, "0");
  petri_fires(x, "a", "off -> on", "off * (0.2 + 4 * p^4 / (50625 + p^4))");
  petri_fires(x, "b", "on -> off", "on * (0.5 + 1.5 * 50625 / (50625 + p^4))");
  petri_flows(x, "make", "0 -> m", "20 * on");
  petri_transition(x, "lose", FF_PETRI_CONTINUOUS, "m -> 0", NULL, NULL, "2", 1);
  petri_flows(x, "translate", "0 -> p", "3 * m");
  petri_transition(x, "degrade", FF_PETRI_CONTINUOUS, "p -> 0", NULL, NULL, "1", 1);
}

/* A path is a function of its draws, so integrators find the same firings, but for their errors. */
static void agrees_between_integrators(void) {
  petri_firings f[3] = {{0}};
  ff_status status = FF_OK;
  for (int k = 0; k < 3 && status == FF_OK; k++) {
    const ff_petri_options options = {.relative = k == 2 ? 1e-6 : 1e-9, .absolute = 1e-12,
                                      .integrator = k == 1 ? FF_PETRI_ROSENBROCK : FF_PETRI_DORMAND_PRINCE};
    petri_text x;
    write_gene(&x);
    petri_compile(&x, &options);
    status = x.status == FF_OK ? petri_list(&f[k], x.program, 20, 60, 5, &x.err) : x.status;
    FF_CHECK_SAY(status == FF_OK, "%s\n", x.err.text);
    petri_end(&x);
  }
  FF_CHECK(f[0].n > 500 && f[0].n == f[1].n && f[0].n == f[2].n);
  for (uint64_t i = 0; status == FF_OK && i < f[0].n && f[0].n == f[1].n && f[0].n == f[2].n; i++) {
    FF_CHECK(f[0].what[i] == f[1].what[i] && f[0].what[i] == f[2].what[i]);
    FF_CHECK(fabs(f[0].time[i] - f[1].time[i]) < 1e-5 && fabs(f[0].time[i] - f[2].time[i]) < 1e-3);
  }
  for (int k = 0; k < 3; k++) petri_firings_free(&f[k]);
}

/* ---- empty places -------------------------------------------------------------------------------------------------------- */

/* A chain of empty places: 2 flow in, but each would pass on more; D gets what comes. A jump into A at 1 fills it. */
static void passes_on_what_comes(void) {
  const double times[] = {1, 2, 3};
  /* A has 3 after 1, and loses 1; so from 1 on, B gets 3, and loses as much as it gets until 4 */
  const double a[] = {3, 2, 1}, d[] = {2, 5, 8};
  petri_text x;
  petri_states s = {0};
  petri_begin(&x);
  petri_place(&x, "A", 1, "0");
  petri_place(&x, "D", 1, "0");
  petri_place(&x, "B", 1, "0");
  petri_flows(&x, "second", "B -> D", "4");
  petri_flows(&x, "first", "A -> B", "3");
  petri_flows(&x, "in", "0 -> A", "2");
  petri_transition(&x, "fill", FF_PETRI_SCHEDULED, "0 -> 3 A", NULL, NULL, NULL, 0);
  if (x.status == FF_OK) x.status = ff_petri_at(x.net, x.net->n_transitions - 1, 0, "1", petri_nowhere, &x.err);
  if (x.status == FF_OK) x.status = ff_petri_at(x.net, x.net->n_transitions - 1, 1, "0", petri_nowhere, &x.err);
  petri_compile(&x, &usual);
  if (x.status == FF_OK) x.status = petri_observe(&s, x.program, 1, times, 3, 3, 1, 1, &x.err);
  FF_CHECK_SAY(x.status == FF_OK, "%s\n", x.err.text);
  for (uint32_t t = 0; t < 3 && x.status == FF_OK; t++) {
    FF_CHECK_SAY(fabs(petri_state(&s, 0, 0, t) - a[t]) < 1e-6, "A is %.10g\n", petri_state(&s, 0, 0, t));
    FF_CHECK_SAY(fabs(petri_state(&s, 1, 0, t) - d[t]) < 1e-6, "D is %.10g\n", petri_state(&s, 1, 0, t));
    FF_CHECK(petri_state(&s, 2, 0, t) == 0);
  }
  petri_states_free(&s);
  petri_end(&x);
}

/* x loses 0.5 until it is empty at 2; each of it makes n of y, and n is 3, and 4 from 1 on. */
static void weighs_flows(void) {
  const double times[] = {0.5, 1.5, 3}, y[] = {0.75, 3.5 / 2 + 1.5 - 0.75, 3.5}, level[] = {0.75, 0.25, 0};
  petri_text x;
  petri_states s = {0};
  petri_begin(&x);
  petri_place(&x, "x", 1, "1");
  petri_place(&x, "y", 1, "0");
  petri_place(&x, "n", 0, "3");
  petri_flows(&x, "turn", "x -> (n) y", "0.5");
  petri_transition(&x, "more", FF_PETRI_DETERMINISTIC, "0 -> n", "n < 4", NULL, "1", 0);
  petri_compile(&x, &usual);
  if (x.status == FF_OK) x.status = petri_observe(&s, x.program, 1, times, 3, 2, 1, 1, &x.err);
  FF_CHECK_SAY(x.status == FF_OK, "%s\n", x.err.text);
  for (uint32_t t = 0; t < 3 && x.status == FF_OK; t++) {
    FF_CHECK(fabs(petri_state(&s, 0, 0, t) - level[t]) < 1e-6);
    FF_CHECK_SAY(fabs(petri_state(&s, 1, 0, t) - y[t]) < 1e-5, "y is %.10g, not %.10g\n", petri_state(&s, 1, 0, t), y[t]);
  }
  petri_states_free(&s);
  petri_end(&x);
}

/* ---- arcs ---------------------------------------------------------------------------------------------------------------- */

/* x gets 1 in a unit of time; jumps take 1 if there is 1, and count it. A part of them resets "once" and sets it to 1. */
static void takes_from_levels(void) {
  const double times[] = {0.9, 7.3, 40};
  const uint32_t n = 50;
  petri_text x;
  petri_states s = {0};
  double most = 0;
  petri_begin(&x);
  petri_place(&x, "x", 1, "0");
  petri_place(&x, "F", 0, "0");
  petri_place(&x, "once", 0, "5");
  petri_flows(&x, "in", "0 -> x", "1");
  petri_transition(&x, "take", FF_PETRI_STOCHASTIC, "x -> F + once", NULL, "once", "5", 0);
  petri_compile(&x, &usual);
  if (x.status == FF_OK) x.status = petri_observe(&s, x.program, n, times, 3, 3, 8, 1, &x.err);
  FF_CHECK_SAY(x.status == FF_OK, "%s\n", x.err.text);
  for (uint64_t i = 0; i < n && x.status == FF_OK; i++)
    for (uint32_t t = 0; t < 3; t++) {
      const double level = petri_state(&s, 0, i, t), fired = petri_state(&s, 1, i, t);
      FF_CHECK(level >= 0 && fabs(level + fired - times[t]) < 1e-4);
      FF_CHECK(petri_state(&s, 2, i, t) == (fired > 0 ? 1 : 5));
      if (t == 0) FF_CHECK(fired == 0);
      most = level > most ? level : most;
    }
  FF_CHECK(most > 1 && most < 4); /* after 1 is there, it takes 0.2 on average */
  petri_states_free(&s);
  petri_end(&x);
}

/* Tests of counts: equal, read and inhibitor arcs, with numbers and formulas as weights. n goes up to 3 at rate 1, and then waits
 * for m, which goes up to n + 2. */
static void tests_counts(void) {
  const double times[] = {1000};
  petri_text x;
  petri_states s = {0};
  petri_begin(&x);
  petri_place(&x, "n", 0, "0");
  petri_place(&x, "m", 0, "0");
  petri_place(&x, "e", 0, "0");
  petri_transition(&x, "up", FF_PETRI_STOCHASTIC, "0 -> n", "n < 3", NULL, "1", 0);
  petri_transition(&x, "follow", FF_PETRI_STOCHASTIC, "0 -> m", "n >= 3 & m < 5", NULL, "1", 0);
  petri_transition(&x, "meet", FF_PETRI_STOCHASTIC, "0 -> (n - 1) e", "m == 4 & e < 1", NULL, "100", 0);
  petri_compile(&x, &usual);
  if (x.status == FF_OK) x.status = petri_observe(&s, x.program, 100, times, 1, 3, 8, 1, &x.err);
  FF_CHECK_SAY(x.status == FF_OK, "%s\n", x.err.text);
  double met = 0;
  for (uint64_t i = 0; i < 100 && x.status == FF_OK; i++) {
    FF_CHECK(petri_state(&s, 0, i, 0) == 3 && petri_state(&s, 1, i, 0) == 5);
    FF_CHECK(petri_state(&s, 2, i, 0) == 2 || petri_state(&s, 2, i, 0) == 0);
    met += petri_state(&s, 2, i, 0) == 2;
  }
  FF_CHECK(met >= 92); /* each with probability 100 / 101; fewer than 92 of 100 with probability 2e-6 */
  petri_states_free(&s);
  petri_end(&x);
}

/* A run from time 1 on: schedules that began before go on, and rates know the time of the model. A variable is observed. */
static void starts_later(void) {
  const double times[] = {1, 1.24, 1.25, 3};
  const uint32_t observed[] = {0, 1, 2, 3};
  double state[4][4], *const states[] = {state[0], state[1], state[2], state[3]};
  const ff_run_options options = {.n = 1, .times = times, .n_times = 4, .observed = observed, .n_observed = 4, .states = states,
                                  .threads = 1, .start = 1};
  petri_text x;
  ff_run *run = NULL;
  int done = 0;
  petri_begin(&x);
  petri_place(&x, "x", 1, "0");
  petri_place(&x, "early", 0, "0");
  petri_place(&x, "late", 0, "0");
  if (x.status == FF_OK) x.status = ff_petri_add_variable(x.net, "v", &x.err);
  if (x.status == FF_OK) x.status = ff_petri_variable_text(x.net, 0, "x + 10 * late + time", petri_nowhere, &x.err);
  petri_flows(&x, "grow", "0 -> x", "2 * time");
  for (int k = 0; k < 2; k++) {
    petri_transition(&x, k == 0 ? "a" : "b", FF_PETRI_SCHEDULED, k == 0 ? "0 -> early" : "0 -> late", NULL, NULL, NULL, 0);
    for (int i = 0; i < 2 && x.status == FF_OK; i++)
      x.status = ff_petri_at(x.net, (uint32_t)(1 + k), i, i == 1 ? "0.5" : k == 0 ? "0.5" : "1.25", petri_nowhere, &x.err);
  }
  petri_compile(&x, &usual);
  if (x.status == FF_OK) x.status = ff_run_new(&run, &ff_petri_engine, x.program, &options, &x.err);
  while (x.status == FF_OK && !done) x.status = ff_run_advance(run, 10, &done, &x.err);
  FF_CHECK_SAY(x.status == FF_OK, "%s\n", x.err.text);
  for (int t = 0; t < 4 && x.status == FF_OK; t++) {
    const double late = times[t] < 1.25 ? 0 : 1 + floor((times[t] - 1.25) / 0.5);
    const double early = floor((times[t] - 0.5) / 0.5) - 1; /* those at 0.5 and 1 belong to what was before */
    FF_CHECK_SAY(fabs(state[0][t] - (times[t] * times[t] - 1)) < 1e-5, "%.10g\n", state[0][t]);
    FF_CHECK_SAY(state[1][t] == early && state[2][t] == late, "%g and %g\n", state[1][t], state[2][t]);
    FF_CHECK(state[3][t] == state[0][t] + 10 * late + times[t]);
  }
  ff_run_free(run);
  petri_end(&x);
}

/* ---- failures ------------------------------------------------------------------------------------------------------------ */

static void check_failure(petri_text *x, const ff_petri_options *options, double end, const char *const *parts) {
  petri_states s = {0};
  petri_compile(x, options);
  const ff_status status = x->status == FF_OK ? petri_observe(&s, x->program, 1, &end, 1, 1, 1, 1, &x->err) : FF_OK;
  FF_CHECK(status != FF_OK);
  for (; *parts != NULL; parts++) FF_CHECK_SAY(strstr(x->err.text, *parts) != NULL, "not \"%s\" in: %s\n", *parts, x->err.text);
  petri_states_free(&s);
  petri_end(x);
}
#define FAILS(x, options, end, ...) check_failure(x, options, end, (const char *const[]){__VA_ARGS__, NULL})

static void begin_level(petri_text *x) {
  petri_begin(x);
  petri_place(x, "x", 1, "1");
  petri_place(x, "A", 0, "1");
}

static void names_bad_rates(void) {
  petri_text x;
  begin_level(&x);
  petri_flows(&x, "fall", "x -> 0", "x");
  petri_fires(&x, "fire", "0 -> A", "x - 0.5"); /* 0 at log(2) */
  FAILS(&x, &usual, 10, "stochastic transition \"fire\"", "at time 0.69", "at least 0");
  begin_level(&x);
  petri_fires(&x, "fire", "A -> 0", "A - 2");
  FAILS(&x, &usual, 10, "stochastic transition \"fire\" is -1 at time 0 ", "at least 0");
  begin_level(&x);
  petri_flows(&x, "burst", "0 -> x", "x^2"); /* x = 1 / (1 - t) */
  FAILS(&x, &usual, 10, "cannot be integrated", "at time 1 ", "\"x\"");
  begin_level(&x);
  petri_flows(&x, "lose", "x -> 0", "log(A - 2)");
  FAILS(&x, &usual, 10, "continuous transition \"lose\" is NaN at time 0 ", "finite");
  begin_level(&x);
  petri_transition(&x, "wait", FF_PETRI_DETERMINISTIC, "0 -> A", NULL, NULL, "2 - A", 0);
  FAILS(&x, &usual, 10, "the delay of deterministic transition \"wait\" is -1 at time 1 ");
}

static void names_bad_changes(void) {
  const ff_petri_options bio = {.relative = 1e-6, .absolute = 1e-9, .semantics = FF_PETRI_BIO};
  petri_text x;
  begin_level(&x);
  petri_transition(&x, "chop", FF_PETRI_DETERMINISTIC, "0 -> (A / 2) A", NULL, NULL, "1", 0);
  FAILS(&x, &usual, 10, "transition \"chop\" would set place \"A\" to 1.5 at time 1 ", "whole number");
  begin_level(&x);
  petri_transition(&x, "double", FF_PETRI_DETERMINISTIC, "0 -> (A) A", NULL, NULL, "1", 0);
  FAILS(&x, &usual, 100, "transition \"double\" would set place \"A\" to 1.8014", "tokens at time 54 ", "2^53");
  begin_level(&x);
  petri_place(&x, "B", 0, "0");
  petri_transition(&x, "go", FF_PETRI_IMMEDIATE, "A -> B", NULL, NULL, "1", 0);
  petri_transition(&x, "back", FF_PETRI_IMMEDIATE, "B -> A", NULL, NULL, "1", 0);
  FAILS(&x, &usual, 10, "\"go\"", "\"back\"", "without end at time 0 ", "1000000");
  begin_level(&x);
  petri_flows(&x, "drain", "x -> 0", "0.5");
  FAILS(&x, &bio, 10, "the level of place \"x\" falls below -1", "at time 2 ", "\"adaptive\"");
  begin_level(&x);
  petri_flows(&x, "up", "0 -> x", "1 * (x < 2)");
  petri_flows(&x, "down", "x -> 0", "1 * (x >= 2)");
  FAILS(&x, &usual, 10, "\"x\"", "without end at time 1 ", "1000");
}

/* An empty place rises for a short time: it gets 2.0001 - (t - t0)^2 / 10000 and loses 2 at most. So it has the integral
 * of the difference from t0 - 1 on: 2/3 of 1e-4 at t0, 4/3 of it at t0 + 1, and 0 again at t0 + 2. In steps of some tens, no regular
 * look need meet it. */
static void rises_for_a_moment(void) {
  static const char *const rates[] = {"2.0001 - (time() - 51.3)^2 / 10000", "2.0001 - (time() - 90.1)^2 / 10000",
                                      "2.0001 - (time() - 67.7)^2 / 10000"};
  const double t0[] = {51.3, 90.1, 67.7};
  for (int k = 0; k < 3; k++) {
    const double times[] = {t0[k] - 1.5, t0[k], t0[k] + 1, t0[k] + 2.5};
    const double exact[] = {0, 2e-4 / 3, 4e-4 / 3, 0};
    petri_text x;
    petri_states s = {0};
    petri_begin(&x);
    petri_place(&x, "x", 1, "0");
    petri_flows(&x, "feed", "0 -> x", rates[k]);
    petri_flows(&x, "drain", "x -> 0", "2");
    const ff_petri_options options = {.relative = 1e-6, .absolute = 1e-9};
    petri_compile(&x, &options);
    if (x.status == FF_OK) x.status = petri_observe(&s, x.program, 1, times, 4, 1, 3, 1, &x.err);
    FF_CHECK_SAY(x.status == FF_OK, "%s\n", x.err.text);
    for (uint32_t i = 0; i < 4 && x.status == FF_OK; i++)
      FF_CHECK_SAY(fabs(petri_state(&s, 0, 0, i) - exact[i]) < 1e-7, "at %g: %.10g, not %.10g\n", times[i],
                   petri_state(&s, 0, 0, i), exact[i]);
    petri_states_free(&s);
    petri_end(&x);
  }
}

FF_TEST_MAIN("petri_limits", flows_like_rate_equations, integrates_stiff_flows, agrees_between_integrators, passes_on_what_comes,
             weighs_flows, takes_from_levels, tests_counts, starts_later, names_bad_rates, names_bad_changes, rises_for_a_moment)
