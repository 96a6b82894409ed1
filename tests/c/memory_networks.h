/* Scenarios of test_memory: formulas, graphs, exact answers and programs of Boolean networks. */
#ifndef FF_TESTS_MEMORY_NETWORKS_H
#define FF_TESTS_MEMORY_NETWORKS_H

#include "../../src/exact/ff_exact.h"
#include "../../src/pbn/reduce/ff_reduce.h"
#include "../../src/pbn/ff_pbn_trajectories.h"
#include "memory_given.h"

/* ---- formulas ---------------------------------------------------------------------------------------------------- */

static char *formula_names[] = {"a", "b c"};

static ff_status rewrites_a_formula(const ff_formula *formula, ff_error *err) {
  ff_formula number = {0}, copy = {0}, out = {0};
  char *text = NULL;
  ff_status status = ff_formula_of_number(&number, 2, err);
  const ff_formula *const with[] = {&number, NULL};
  if (status == FF_OK) status = ff_formula_copy(&copy, formula, err);
  if (status == FF_OK) status = ff_formula_replace(&out, &copy, with, err);
  FF_CHECK(status == FF_OK || out.word == NULL);
  if (status == FF_OK) status = ff_formula_text(&text, &out, formula_names, err);
  FF_CHECK(status == FF_OK || text == NULL);
  free(text);
  ff_formula_free(&out);
  ff_formula_free(&copy);
  ff_formula_free(&number);
  return status;
}

static ff_status handles_formulas(ff_error *err) {
  static const char text[] = "((((((a + `b c` * 2))))))^3 - min(a, `b c`, if(a < 1 & !`b c`, sin(a), time)) / sqrt(`b c` + a)";
  ff_names *names = NULL;
  ff_formula formula = {0};
  ff_status status = ff_names_new(&names, formula_names, 2, "symbols", err);
  if (status == FF_OK)
    status = ff_formula_parse(&formula, text, sizeof text - 1, ff_names_find, names, (ff_place){NULL, 0}, err);
  FF_CHECK(status == FF_OK || formula.word == NULL);
  if (status == FF_OK) status = rewrites_a_formula(&formula, err);
  ff_formula_free(&formula);
  ff_names_free(names);
  return status;
}

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

static void prepare_graph(void) {
  give_random((net_shape){.nodes = 12, .max_functions = 2, .max_parents = 2, .contexts = 3, .perturbation = 0.1}, 5);
}

static ff_status finds_components(ff_error *err) {
  ff_components *components = NULL;
  ff_status status = ff_pbn_components(&components, given.pbn, err);
  CHECK_OUT(status, components);
  ff_graph_components_free(components);
  return status;
}

static ff_status reduces(ff_error *err) {
  uint8_t keep[12];
  uint32_t kept[12], order[12], split, of_interest = 3;
  ff_pbn *small = NULL;
  ff_status status = ff_pbn_keep(keep, given.pbn, &of_interest, 1, err);
  if (status == FF_OK) {
    status = ff_pbn_reduce(&small, kept, given.pbn, keep, err);
    CHECK_OUT(status, small);
  }
  if (status == FF_OK) status = ff_pbn_order(order, &split, small, 1000, err);
  ff_pbn_free(small);
  return status;
}

static ff_status finds_inputs(ff_error *err) {
  uint8_t input[12];
  return ff_pbn_inputs(input, given.pbn, err);
}

/* ---- exact answers ----------------------------------------------------------------------------------------------- */

static ff_status solves(ff_error *err) {
  ff_exact *exact = NULL;
  ff_exact_solver *solver = NULL;
  double *pi = NULL, *next = NULL, residual, share;
  ff_status status = ff_exact_new(&exact, given.pbn, err);
  CHECK_OUT(status, exact);
  if (status == FF_OK) {
    pi = ff_calloc(ff_exact_states(exact), sizeof *pi); /* allocated by the test itself, so it does not fail */
    next = ff_calloc(ff_exact_states(exact), sizeof *next);
    status = ff_exact_solver_new(&solver, exact, 1e-9, 100000, err);
    CHECK_OUT(status, solver);
  }
  for (int done = 0; status == FF_OK && !done;) status = ff_exact_solver_advance(solver, pi, 10, &done, &residual, err);
  if (status == FF_OK) status = ff_exact_step(next, pi, exact, err);
  if (status == FF_OK) status = ff_exact_row(next, 1, exact, err);
  if (status == FF_OK) status = ff_exact_probability(&share, pi, &given.pbn->predictors[0].expr, exact, err);
  ff_exact_solver_free(solver);
  ff_exact_free(exact);
  free(pi);
  free(next);
  return status;
}

/* A few states, solved by elimination. */
static void prepare_dense(void) {
  give_random((net_shape){.nodes = 4, .max_functions = 2, .max_parents = 3, .perturbation = 0.1}, 3);
}

/* Contexts, and orbits that must be searched because no flip reaches one node. */
static void prepare_orbits(void) {
  net_shape shape = {.nodes = 5, .max_functions = 3, .max_parents = 3, .contexts = 3, .perturbation = 0.1, .exempt = 0.5};
  give_random(shape, 8);
}

/* Transient states and several classes. */
static void prepare_classes(void) {
  static const char *const rules[] = {"a 0.5 a", "a 0.5 b", "b 1 b | c", "c 1 c & d", "d 0.5 d", "d 0.5 c & a", NULL};
  given.pbn = net_parse(rules, 0, FF_ASYNCHRONOUS);
}

/* Too many states for elimination, so iteration is used, with more groups of states than are solved separately. */
static void prepare_groups(void) {
  static const char *const rules[] = {"a 1 a", "b 1 b", "c 1 c", "d 1 d", "e 1 e", "f 1 f", "g 1 g", "h 1 h", "i 1 i", NULL};
  given.pbn = net_parse(rules, 0.2, FF_SYNCHRONOUS);
}

/* Rows are so long that it is not worthwhile to reorder the states. */
static void prepare_wide(void) {
  give_random((net_shape){.nodes = 9, .max_functions = 6, .max_parents = 4, .perturbation = 0.4}, 2);
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

static ff_status compiles(ff_layout layout, ff_error *err) {
  static const uint32_t first[] = {0, 1, 2, 4};
  static const double weights[] = {1, 1, 0.5, 0.25};
  ff_expr terms[4];
  for (uint32_t i = 0; i < 4; i++) terms[i] = given.pbn->predictors[i].expr;
  ff_pbn_program *program = NULL;
  ff_tile *tile = NULL;
  ff_status status = ff_pbn_program_new(&program, given.pbn, &(ff_observables){3, first, terms, weights}, layout, err);
  CHECK_OUT(status, program);
  if (status == FF_OK) {
    status = ff_tile_new(&tile, program, FF_SIMD_BEST, err);
    CHECK_OUT(status, tile);
  }
  ff_tile_free(tile);
  ff_pbn_program_free(program);
  return status;
}
static ff_status compiles_sliced(ff_error *err) { return compiles(FF_LAYOUT_SLICED, err); }
static ff_status compiles_packed(ff_error *err) { return compiles(FF_LAYOUT_PACKED, err); }

/* Tables as operations, constants that are folded into them, and functions with more parents than a table may have. */
static void prepare_rules(ff_update update) {
  static const char *const rules[] = {"a 0.3 f(b, c, d){01101001}",
                                      "a 0.7 a | b & c",
                                      "b 1 !a",
                                      "c 1 b ^ d ^ f(a, b, c, d, e, f){" PARITY_OF_SIX "}",
                                      "d 1 a & b & c & d & e & f & g & h & i & j & k & l & m",
                                      "e 1 f(e, d){0111} & (e ^ d ^ a)",
                                      "f 1 e", "g 1 g", "h 1 a", "i 1 h", "j 1 i", "k 1 j", "l 1 k", "m 1 l", NULL};
  given.pbn = net_parse(rules, 0.01, update);
}
static void prepare_synchronous(void) { prepare_rules(FF_SYNCHRONOUS); }
static void prepare_asynchronous(void) { prepare_rules(FF_ASYNCHRONOUS); }
static void prepare_contexts(void) {
  give_random((net_shape){.nodes = 6, .max_functions = 3, .max_parents = 7, .contexts = 4, .perturbation = 0.1}, 6);
}
static void prepare_picked_contexts(void) {
  give_random((net_shape){.nodes = 6, .max_functions = 3, .max_parents = 7, .contexts = 4, .update = FF_ASYNCHRONOUS}, 6);
}

static ff_status keeps_states(ff_error *err) {
  static int values[13][3];
  int *columns[13];
  for (int i = 0; i < 13; i++) columns[i] = values[i];
  const ff_pbn_trajectories_options options = {.n = 1, .steps = 2, .every = 1, .columns = columns, .threads = 2};
  ff_pbn_program *program = NULL;
  ff_pbn_trajectories *trajectories = NULL;
  ff_status status = ff_pbn_program_new(&program, given.pbn, NULL, FF_LAYOUT_AUTO, err);
  if (status == FF_OK) {
    status = ff_pbn_trajectories_new(&trajectories, program, &options, err);
    CHECK_OUT(status, trajectories);
  }
  while (status == FF_OK && !ff_pbn_trajectories_advance(trajectories, 1)) continue;
  ff_pbn_trajectories_free(trajectories);
  ff_pbn_program_free(program);
  return status;
}

static void prepare_clock(void) {
  static const char *const rules[] = {"a 1 !c", "b 1 a", "c 1 b", "d 0.5 a", "d 0.5 d", NULL};
  given.pbn = net_parse(rules, 0, FF_SYNCHRONOUS);
}

static ff_status finds_a_clock(ff_error *err) {
  ff_clockwork clock;
  ff_status status = ff_clockwork_find(&clock, given.pbn, err);
  if (status == FF_OK) FF_CHECK_INT(clock.period, 6);
  return status;
}

#endif
