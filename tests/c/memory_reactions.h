/* Scenarios of test_memory: reaction networks, their simulation, and master equations. */
#ifndef FF_TESTS_MEMORY_REACTIONS_H
#define FF_TESTS_MEMORY_REACTIONS_H

#include <time.h>

#include "../../src/cme/ff_cme.h"
#include "../../src/ssa/ff_ssa.h"
#include "../../src/ensemble/sweep/ff_sweep.h"
#include "fake_ssa.h"
#include "memory_files.h"
#include "reactions.h"
#include "text_networks.h"

/* ---- networks ------------------------------------------------------------------------------------------------------- */

/* Names that need quotes, a parameter, and rates that are formulas. */
static ff_status fill_reactions(ff_reactions *net, ff_names **species, ff_names **symbols, ff_error *err) {
  static const char *const names[] = {"A", "a species", "k"}, *const rates[] = {"k", "2 - 1", "k * A / (1 + A)"};
  static const char *const equations[] = {"A + 2 `a species` -> A", "0 -> A", "`a species` + A + A -> 0"};
  int both;
  for (int i = 0; i < 3; i++) net->names[i] = ff_strndup(names[i], strlen(names[i])); /* the test's, so it does not fail */
  for (int r = 0; r < 3; r++) net->reactions[r].name = ff_strndup("R", 1);
  net->initial[1] = 3;
  net->value[0] = 0.5;
  ff_status status = ff_names_new(species, net->names, 2, "species", err);
  if (status == FF_OK) status = ff_names_new(symbols, net->names, 3, "symbols", err);
  for (uint32_t r = 0; r < 3 && status == FF_OK; r++) {
    ff_formula *rate = &net->reactions[r].rate;
    status = ff_reactions_equation(net, r, equations[r], *species, (ff_place){NULL, 0}, &both, err);
    if (status == FF_OK)
      status = ff_formula_parse(rate, rates[r], strlen(rates[r]), ff_names_find, *symbols, (ff_place){NULL, 0}, err);
  }
  return status == FF_OK ? ff_reactions_finish(net, err) : status;
}

static ff_status make_reactions(ff_reactions **net, ff_error *err) {
  ff_names *species = NULL, *symbols = NULL;
  ff_status status = ff_reactions_new(net, 2, 1, 3, err);
  CHECK_OUT(status, *net);
  if (status == FF_OK) status = fill_reactions(*net, &species, &symbols, err);
  ff_names_free(species);
  ff_names_free(symbols);
  return status;
}

static ff_status makes_reactions(ff_error *err) {
  ff_reactions *net = NULL;
  ff_status status = make_reactions(&net, err);
  for (uint32_t r = 0; r < 3 && status == FF_OK; r++) {
    char *text = NULL;
    status = ff_reactions_equation_text(&text, net, r, err);
    CHECK_OUT(status, text);
    free(text);
  }
  ff_reactions_free(net);
  return status;
}

/* A rate that is negative by rounding errors is refused. */
static ff_status refuses_a_rate(ff_error *err) {
  static const char rate[] = "0.3 - (0.1 + 0.2)";
  ff_formula *const first = &given.net->reactions[0].rate;
  ff_formula_free(first);
  ff_status status = ff_formula_parse(first, rate, sizeof rate - 1, NULL, NULL, (ff_place){NULL, 0}, err);
  if (status != FF_OK) return status;
  status = ff_reactions_finish(given.net, err);
  FF_CHECK(status == FF_EMODEL || status == FF_EMEMORY);
  return status == FF_EMODEL ? FF_OK : status;
}

static void prepare_formulas(void) {
  ff_error err;
  FF_CHECK_OK(make_reactions(&given.net, &err), &err);
}

/* A law that is negative where the second species outweighs the first. */
static void prepare_difference(void) {
  ff_error err;
  ff_names *symbols;
  prepare_formulas();
  ff_formula *const rate = &given.net->reactions[0].rate;
  ff_formula_free(rate);
  FF_CHECK_OK(ff_names_new(&symbols, given.net->names, 3, "symbols", &err), &err);
  FF_CHECK_OK(ff_formula_parse(rate, "A - `a species`", 15, ff_names_find, symbols, (ff_place){NULL, 0}, &err), &err);
  ff_names_free(symbols);
}

static ff_status finds_a_negative_law(ff_error *err) {
  ff_negative_law law;
  double count[2];
  uint8_t *negative = calloc(given.net->n_reactions, 1);
  ff_status status = ff_reactions_negative(negative, &law, count, given.net, err);
  FF_CHECK(status != FF_OK || (negative[0] == 1 && law.reaction == 0 && law.value < 0));
  free(negative);
  return status;
}

/* A rate of both directions, with a factor, a variable and whole counts. */
static ff_formula both_directions;

static void prepare_both_directions(void) {
  ff_error err;
  given.net = network_of_text("species;A;5\nspecies;B;1\nparameter;k;1\nvariable;v;A * (A - 1) - k * B\nvariable;w;1 + A\n"
                              "law;2 A -> B;v / w\nreaction;A -> B;0.5\n");
  FF_CHECK_OK(ff_formula_copy(&both_directions, &given.net->reactions[0].rate, &err), &err);
}

static void end_both_directions(void) { ff_formula_free(&both_directions); }

/* Makes one reaction of the two again. */
static void join_directions(void) {
  ff_reaction *all = given.net->reactions;
  ff_formula_free(&all[1].rate);
  free(all[1].name);
  free(all[1].reactants);
  free(all[1].products);
  all[1] = all[2];
  given.net->n_reactions = 2;
  const size_t bytes = both_directions.length * sizeof *both_directions.word;
  free(all[0].rate.word);
  all[0].rate = both_directions;
  all[0].rate.word = malloc(bytes);
  memcpy(all[0].rate.word, both_directions.word, bytes);
}

/* A network that could not be split is as it was. */
static ff_status splits_directions(ff_error *err) {
  uint8_t *reverse;
  const ff_status status = ff_reactions_split(given.net, &reverse, err);
  CHECK_OUT(status, reverse);
  FF_CHECK_INT(given.net->n_reactions, status == FF_OK ? 3 : 2);
  if (status == FF_OK) join_directions();
  free(reverse);
  return status;
}

/* Rates, a variable and an event whose formulas are of all kinds: powers of amounts, sums of these, and others. */
static void prepare_amounts(void) {
  given.net = network_of_text("species;A;5\nspecies;B;1\nparameter;k;1\nvariable;v;A + k\nlaw;2 A -> B;k * A^2\n"
                              "law;A -> B;k * A / (k + A) - exp(A)\nlaw;0 -> A;exp(v)\nevent;e;A > k;;;i;A;k * A + 1\n");
}

/* Each play that ends well makes the formulas a little longer. */
static ff_status converts_amounts(ff_error *err) {
  static const uint8_t amount[] = {1, 1, 0, 0};
  uint8_t counted[3];
  ff_status status = ff_reactions_convert(given.net, amount, 2, given.variant, err);
  if (status == FF_OK) status = ff_reactions_count_pairs(given.net, counted, err);
  return status;
}

/* One reaction of mass action, for methods that refuse formulas and for the engine of small networks. */
static void prepare_pair(void) {
  static const reaction_text pair[] = {{"2 A -> A", "0.5"}, {NULL, NULL}};
  given.net = network_of(pair, (double[]){9}, 1);
}

static void give_program(void) {
  ff_error err;
  FF_CHECK_OK(ff_ssa_program_new(&given.simulated, given.net, &err), &err);
}

/* Groups of all kinds, with sums of two levels. */
static void prepare_factors(void) {
  enum { N = 20 };
  char equations[2 * N - 1][16];
  reaction_text list[2 * N + 1] = {{NULL, NULL}};
  double initial[N];
  for (int i = 0; i < N; i++) {
    initial[i] = 3;
    snprintf(equations[i], sizeof *equations, "%c -> 0", 'A' + i);
    if (i < N - 1) snprintf(equations[N + i], sizeof *equations, "%c + T -> 0", 'A' + i);
  }
  for (int r = 0; r < 2 * N - 1; r++) list[r] = (reaction_text){equations[r], "1"};
  list[2 * N - 1] = (reaction_text){"2 A -> 0", "2"};
  given.net = network_of(list, initial, N);
}

static void prepare_modules(void) { given.net = ring_of(9); }

/* An event that is delayed and sets a species and a parameter, and a rate that depends on the time. */
static void prepare_events(void) {
  static const char *const texts[] = {"9 + time", "time > 0.2 & A < 9", "A / 8 + 0.01", "k", "A + 1", "k / 2"};
  ff_names *symbols;
  ff_error err;
  prepare_formulas();
  FF_CHECK_OK(ff_names_new(&symbols, given.net->names, 3, "symbols", &err), &err);
  FF_CHECK_OK(ff_reactions_add_events(given.net, 1, &err), &err);
  ff_event *event = given.net->events;
  FF_CHECK_OK(ff_event_add_sets(event, 2, &err), &err);
  event->name = ff_strndup("e", 1);
  event->persistent = 1;
  event->sets[1].symbol = 2;
  ff_formula *const formulas[] = {&given.net->reactions[1].rate, &event->trigger, &event->delay,
                                  &event->priority, &event->sets[0].value, &event->sets[1].value};
  ff_formula_free(formulas[0]);
  for (int i = 0; i < 6; i++)
    FF_CHECK_OK(ff_formula_parse(formulas[i], texts[i], strlen(texts[i]), ff_names_find, symbols, (ff_place){NULL, 0}, &err),
                &err);
  FF_CHECK_OK(ff_reactions_finish(given.net, &err), &err);
  ff_names_free(symbols);
}

/* ---- ensembles ------------------------------------------------------------------------------------------------------ */

static ff_status run_ensemble(const ff_ssa_program *program, const ff_run_options *options, ff_error *err) {
  ff_run *run = NULL;
  ff_status status = ff_ssa_run_new(&run, program, options, err);
  CHECK_OUT(status, run);
  for (int done = 0; status == FF_OK && !done;) status = ff_run_advance(run, 60, &done, err);
  ff_run_free(run);
  return status;
}

/* One variant for each method. */
static void prepare_method(void) {
  const ff_ssa_method method = (ff_ssa_method)given.variant;
  prepare_formulas();
  give_program();
  if (ff_ssa_method_check(given.simulated, method, NULL) == FF_OK) return;
  release();
  given.variant = (int)method;
  prepare_pair();
  give_program();
}

static ff_status runs_a_method(ff_error *err) {
  static const double times[] = {0.5, 1};
  const uint32_t observed = given.simulated->n_species - 1;
  const ff_ssa_method method = (ff_ssa_method)given.variant;
  double kept[32], *const columns[] = {kept};
  const ff_run_options options = {.method = method, .n = 16, .times = times, .n_times = 2, .observed = &observed, .n_observed = 1,
                                  .states = method == FF_SSA_NEXT ? columns : NULL, .threads = 2, .simd = FF_SIMD_BEST};
  return run_ensemble(given.simulated, &options, err);
}

/* Compiles the network, and runs one thread. */
static ff_status compile_and_run(ff_ssa_method method, double end, const ff_formula *until, ff_error *err) {
  const double times[] = {end / 2, end};
  const uint32_t observed = given.net->n_species - 1;
  const ff_run_options options = {.method = method, .n = 16, .times = times, .n_times = 2, .observed = &observed,
                                  .n_observed = 1, .until = until, .threads = 1, .simd = FF_SIMD_BEST};
  ff_ssa_program *program = NULL;
  ff_status status = ff_ssa_program_new(&program, given.net, err);
  CHECK_OUT(status, program);
  if (status == FF_OK) status = run_ensemble(program, &options, err);
  ff_ssa_program_free(program);
  return status;
}
static ff_status runs_small(ff_error *err) { return compile_and_run(FF_SSA_DIRECT, 1, NULL, err); }
static ff_status runs_factored(ff_error *err) { return compile_and_run(FF_SSA_FACTORED, 0.1, NULL, err); }

/* Until a condition holds, which it never does. */
static ff_status runs_events(ff_error *err) {
  ff_formula_word never = {FF_F_NUMBER, 0, 0};
  return compile_and_run(FF_SSA_NEXT, 1, &(ff_formula){&never, 1, 1}, err);
}

/* Species alone, or also a variable. */
static void prepare_recorded(void) {
  const int variables = given.variant;
  ff_error err;
  prepare_formulas();
  give_program();
  if (variables == 0) return;
  free(given.simulated->variables);
  given.simulated->variables = ff_calloc(1, sizeof *given.simulated->variables);
  given.simulated->n_variables = 1;
  FF_CHECK_OK(ff_formula_of_number(&given.simulated->variables[0], 3, &err), &err);
}

/* All that an ensemble can record, from starts of its own, until a condition holds. */
static ff_status record(const ff_formula *until, ff_error *err) {
  static const double times[] = {0.5, 1}, starts[] = {5, 3, 4, 2, 6, 1};
  static const uint32_t observed[] = {1, 0, 2};
  double trajectory[1000], time[1000];
  int32_t reaction[1000];
  ff_run_options options = {.method = FF_SSA_TREE, .n = 3, .times = times, .n_times = 2, .observed = observed,
                            .n_observed = 2 + given.simulated->n_variables, .wanted = FF_COVARIANCE | FF_HISTOGRAM,
                            .max_firings = 1000, .until = until, .starts = starts, .threads = 2};
  ff_run *run = NULL;
  ff_sums *sums;
  ff_status status = ff_ssa_run_new(&run, given.simulated, &options, err);
  CHECK_OUT(status, run);
  for (int done = 0; status == FF_OK && !done;) status = ff_run_advance(run, 60, &done, err);
  if (status == FF_OK) status = ff_run_sums(run, &sums, err);
  if (status == FF_OK) status = ff_run_firings(run, trajectory, time, reaction, err);
  ff_run_free(run);
  return status;
}

static ff_status records_ensembles(ff_error *err) {
  ff_formula until = {0};
  ff_status status = ff_ssa_condition(&until, given.net, "0 > 1", err);
  FF_CHECK(status == FF_OK || until.word == NULL);
  if (status == FF_OK) status = record(&until, err);
  ff_formula_free(&until);
  return status;
}

/* On two devices, or for some variants on one. Variant 3 has an order of reactions, and the last one has starts of its own.
 * Devices add up the statistics, or states are copied and recorded here. Every other trajectory is refused. */
static void prepare_moved(void) {
  const int variant = given.variant;
  given.variant = variant == 1;
  prepare_recorded();
  given.variant = variant;
}

static ff_status moves_to_devices(ff_error *err) {
  static const double times[] = {0.5, 1};
  static const double starts[] = {5, 3, 4, 2, 6, 1, 7, 0, 5, 4, 3, 3, 2, 6, 1, 1};
  static const uint32_t observed[] = {1, 0, 2}, devices[] = {0, 1};
  FF_CHECK_INT(given.simulated->n_species, 2);
  const ff_run_options options = {.method = given.variant == 3 ? FF_SSA_OPTIMISED : FF_SSA_TREE, .n = 8, .times = times,
                                  .n_times = 2, .observed = observed,
                                  .n_observed = 2 + given.simulated->n_variables, .threads = 1,
                                  .starts = given.variant == 4 ? starts : NULL,
                                  .wanted = given.variant == 2 ? FF_HISTOGRAM : 0};
  const ff_fleet_choice choice = {.calls = &fake_ssa_device.common, .devices = devices, .n_devices = given.variant >= 2 ? 1 : 2,
                                .kernel = "fake", .cache = "/nowhere"};
  ff_run *run = NULL;
  memset(&fake_ssa, 0, sizeof fake_ssa);
  fake_ssa.capacity = 4;
  fake_ssa.refuses = 2;
  ff_status status = ff_ssa_run_new(&run, given.simulated, &options, err);
  CHECK_OUT(status, run);
  if (status == FF_OK) status = ff_run_use(run, &choice, err);
  for (int is = 0; status == FF_OK && !is;) status = ff_run_ready(run, 1, &is, err);
  for (int done = 0; status == FF_OK && !done;) status = ff_run_advance(run, 10, &done, err);
  /* one of two devices is left out, the other does its work, and the loss is reported */
  if (status == FF_OK && ff_run_lost(run) != NULL) status = ff_error_set(err, FF_EMEMORY, "%s", ff_run_lost(run));
  ff_run_free(run);
  FF_CHECK_INT(fake_ssa.freed, fake_ssa.made);
  return status;
}

static void nap(void *context, int index) {
  (void)context;
  (void)index;
  nanosleep(&(struct timespec){0, 20000000}, NULL);
}

/* The number of threads at a time depends on the clock, and the C library keeps what it has allocated for them. */
static void prepare_sweeps(void) {
  prepare_moved();
  ff_parallel(6, nap, NULL);
}

/* A sweep of three points: on this processor, or on a device that refuses some trajectories and adds up or copies the others. */
static ff_status sweeps(ff_error *err) {
  static const double times[] = {0.5, 1};
  static const uint32_t observed[] = {1, 0, 2}, devices[] = {0};
  const ff_run_options options = {.method = FF_SSA_TREE, .n = 8, .times = times, .n_times = 2, .observed = observed,
                                  .n_observed = 2 + (given.variant == 1 ? given.simulated->n_variables : 0), .threads = 1,
                                  .wanted = given.variant == 2 ? FF_HISTOGRAM : 0};
  const ff_point point = {&ff_ssa_engine, given.simulated, options}, points[] = {point, point, point};
  const ff_fleet_choice choice = {.calls = &fake_ssa_device.common, .devices = devices, .n_devices = 1, .kernel = "fake",
                                .cache = "/nowhere"};
  ff_sweep *sweep = NULL;
  memset(&fake_ssa, 0, sizeof fake_ssa);
  fake_ssa.capacity = 16;
  fake_ssa.refuses = 2;
  ff_status status = ff_sweep_new(&sweep, points, 3, 1, err);
  CHECK_OUT(status, sweep);
  if (status == FF_OK && given.variant > 0) status = ff_sweep_use(sweep, &choice, err);
  for (int is = 0; status == FF_OK && given.variant > 0 && !is;) status = ff_sweep_ready(sweep, 1, &is, err);
  for (int done = 0; status == FF_OK && !done;) status = ff_sweep_advance(sweep, 10, &done, err);
  ff_sweep_free(sweep);
  FF_CHECK_INT(fake_ssa.freed, fake_ssa.made);
  return status;
}

/* ---- variables ------------------------------------------------------------------------------------------------------ */

static ff_status looks_at_signs(ff_error *err) {
  const double values[32] = {0};
  uint8_t never[8];
  uint32_t *order;
  int sure;
  FF_CHECK(given.net->n_species + given.net->n_parameters + given.net->n_variables <= 32);
  ff_status status = ff_reactions_order(&order, given.net, err);
  CHECK_OUT(status, order);
  if (status == FF_OK) status = ff_reactions_surely_negative(&sure, given.net, 0, order, values, err);
  free(order);
  return status == FF_OK ? ff_reactions_never_negative(never, given.net, err) : status;
}

/* A program and a master equation of a network with variables, what its rates depend on, and signs of variables and a rate. */
static ff_status uses_variables(ff_error *err) {
  ff_ssa_program *program = NULL;
  ff_cme *cme = NULL;
  uint8_t timed[2];
  FF_CHECK(given.net->n_variables <= 8);
  ff_status status = ff_ssa_program_new(&program, given.net, err);
  CHECK_OUT(status, program);
  ff_ssa_program_free(program);
  if (status == FF_OK) {
    status = ff_cme_new(&cme, given.net, 1e-3, 100, 0.1, err);
    CHECK_OUT(status, cme);
  }
  ff_cme_free(cme);
  if (status == FF_OK) status = ff_reactions_timed(timed, given.net, err);
  return status == FF_OK ? looks_at_signs(err) : status;
}

/* ---- master equations ----------------------------------------------------------------------------------------------- */

/* The set of states is enlarged, and states are dropped. */
static ff_status solves_master_equation(ff_error *err) {
  ff_cme *cme = NULL;
  ff_status status = ff_cme_new(&cme, given.net, 1e-3, 10000, 60, err);
  CHECK_OUT(status, cme);
  for (int done = 0; status == FF_OK && !done;) status = ff_cme_advance(cme, 60, 1, &done, err);
  ff_cme_free(cme);
  return status;
}

#endif
