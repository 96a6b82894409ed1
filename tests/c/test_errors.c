/* `err` may be NULL (ff_base.h). Then every function that can set an error must fail with the same status. test_memory tests
 * failed allocations. */
#define _DEFAULT_SOURCE
#include "../../src/backend/ff_backend.h"
#include "../../src/io/ff_io.h"
#include "../../src/pbn/reduce/ff_reduce.h"
#include "../../src/pbn/outcome/ff_outcome.h"
#include "estimates.h"

static ff_pbn *net; /* of the current test */

typedef ff_status (*failing_call)(ff_error *err);

static void fails_without(const failing_call *calls, size_t n) {
  for (size_t i = 0; i < n; i++) {
    ff_error err = {FF_OK, ""};
    ff_status told = calls[i](&err), untold = calls[i](NULL);
    FF_CHECK_SAY(told != FF_OK && told == err.status && told == untold, "call %zu: %s, %s, and %s without a place for it", i,
                 ff_status_name(told), ff_status_name(err.status), ff_status_name(untold));
    FF_CHECK_SAY(strlen(err.text) > 8, "call %zu says \"%s\"", i, err.text);
  }
}
#define FAIL_WITHOUT(...)                                  \
  do {                                                     \
    static const failing_call calls[] = {__VA_ARGS__};     \
    fails_without(calls, sizeof calls / sizeof calls[0]);  \
  } while (0)

/* ---- base and model ---------------------------------------------------------------------------------------------- */

static ff_status grow(ff_error *err) {
  void *memory = NULL;
  size_t capacity = 0;
  return ff_grow(&memory, &capacity, SIZE_MAX, 1, err);
}

static ff_status parse(const char *text, ff_error *err) {
  ff_names *names = NULL;
  ff_expr expr;
  ff_status status = ff_names_new(&names, net->names, net->n_nodes, "nodes", err);
  if (status == FF_OK) status = ff_expr_parse(&expr, text, strlen(text), ff_names_find, names, (ff_place){"file", 3}, err);
  ff_names_free(names);
  return status;
}
static ff_status parse_nothing(ff_error *err) { return parse("", err); }
static ff_status parse_unknown(ff_error *err) { return parse("a & nobody", err); }
static ff_status parse_near(ff_error *err) { return parse("long_namee", err); }
static ff_status parse_boolnet(ff_error *err) { return parse("maj(a, b)", err); }
static ff_status parse_delay(ff_error *err) { return parse("a[-2]", err); }
static ff_status parse_table(ff_error *err) { return parse("f(a){012}", err); }

static ff_status table_without_parents(ff_error *err) {
  uint32_t *table;
  return ff_expr_table(&net->predictors[0].expr, NULL, 0, &table, err);
}
static ff_status table_too_large(ff_error *err) {
  uint32_t *table;
  return ff_expr_table(&net->predictors[0].expr, NULL, FF_X_MAX_TABLE + 1, &table, err);
}
static ff_status remap_to_nobody(ff_error *err) {
  const int64_t map[] = {-1, -1, -1, -1};
  ff_expr out;
  return ff_expr_remap(&out, &net->predictors[0].expr, map, err);
}
static ff_status remap_nothing(ff_error *err) {
  ff_expr out;
  return ff_expr_remap(&out, &(ff_expr){0}, NULL, err);
}
static ff_status text_of_nothing(ff_error *err) {
  char *text;
  return ff_expr_text(&text, &(ff_expr){0}, net->names, 1, err);
}
static ff_status equal_names(ff_error *err) {
  char name[] = "x", *const names[] = {name, name};
  ff_names *out;
  return ff_names_new(&out, names, 2, "nodes", err);
}
static ff_status too_many_nodes(ff_error *err) {
  ff_pbn *out;
  return ff_pbn_new(&out, UINT32_MAX, err);
}
static ff_status finish_empty(ff_error *err) {
  ff_pbn *out = NULL;
  ff_status status = ff_pbn_new(&out, 2, err);
  if (status == FF_OK) status = ff_pbn_finish(out, 1, err);
  ff_pbn_free(out);
  return status;
}
/* Changes one field of the network, checks, and restores it. */
#define SPOILT(name, field, value)                \
  static ff_status name(ff_error *err) {          \
    const __typeof__(net->field) old = net->field; \
    net->field = value;                           \
    ff_status status = ff_pbn_finish(net, 0, err); \
    net->field = old;                             \
    return status;                                \
  }
SPOILT(finish_perturbation, perturbation, 2)
SPOILT(finish_update, update, (ff_update)7)
SPOILT(finish_removed, removed_perturbed, 9)
SPOILT(finish_initial, initial[0], 5)
SPOILT(finish_probability, predictors[0].probability, -1)
SPOILT(finish_sum, predictors[0].probability, 0.75)
SPOILT(finish_name, names[0], NULL)
SPOILT(finish_expression, predictors[0].expr.length, 0)

static const char *const rules[] = {"a 0.5 b", "a 0.5 !c", "b 1 a & c", "c 1 c | b", "long_name 1 a ^ b", NULL};

static void models(void) {
  net = net_parse(rules, 0.1, FF_SYNCHRONOUS);
  FAIL_WITHOUT(grow, parse_nothing, parse_unknown, parse_near, parse_boolnet, parse_delay, parse_table, table_without_parents,
               table_too_large, remap_to_nobody, remap_nothing, text_of_nothing, equal_names, too_many_nodes, finish_empty,
               finish_perturbation, finish_update, finish_removed, finish_initial, finish_probability, finish_sum, finish_name,
               finish_expression);
  ff_pbn_free(net);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Texts of each format that break one of its rules. test_io and test_sbml test all rules and their messages. */
static void files(void) {
#define NODES "type=synchronous\nnodeNames\na\nb\nendNodeNames\n"
#define QUAL                                                                                                                   \
  "<sbml xmlns=\"http://www.sbml.org/sbml/level3/version1/core\" level=\"3\" version=\"1\" "                                   \
  "xmlns:qual=\"http://www.sbml.org/sbml/level3/version1/qual/version1\" qual:required=\"true\"><model>"
#define CORE "<sbml xmlns=\"http://www.sbml.org/sbml/level2/version4\" level=\"2\" version=\"4\"><model>"
  static const char *const texts[] = {
      "", "?", "\xFF", "type=neither\n", "n=3\nn=3\n", "perturbation=2\n", NODES, NODES "node a\n",
      NODES "node a\n1 : z\nendNode\n",
      NODES "node a\n1 : a a\nendNode\n", NODES "node z\n", NODES "npNode\nz\n", NODES "initialValues\na = 3\n",
      NODES "contexts\n1 : 1\n",
      NODES "contexts\nendContexts\n", NODES "n=3\nnode a\n1 : a\nendNode\nnode b\n1 : a\nendNode\n", "nodeNames\na\na\n",
      "targets, factors\n", "targets, factors\na\n", "targets, factors\na, a\na, a\n", "targets, factors\na, a &\n",
      "targets, factors, x\n",
      "targets, factors, probabilities\na, a, 0.5\n", "targets, factors, probabilities\na, a, 7\n",
      "<", "<sbml/>", "<!DOCTYPE x>",
      "<?xml version=\"1.0\" encoding=\"latin1\"?><sbml/>", QUAL "</model></sbml>",
      CORE "<listOfSpecies><species id=\"A\"/></listOfSpecies></model></sbml>",
      CORE "<listOfRules><algebraicRule/></listOfRules><listOfReactions><reaction id=\"r\"/></listOfReactions></model></sbml>",
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    ff_error err = {FF_OK, ""};
    ff_pbn *pbn = NULL;
    ff_status told = ff_io_parse(&pbn, NULL, texts[i], strlen(texts[i]), "net", FF_FORMAT_AUTO, &err);
    FF_CHECK_SAY(told != FF_OK && told == err.status, "%s: %s", texts[i], ff_status_name(told));
    FF_CHECK_SAY(ff_io_parse(&pbn, NULL, texts[i], strlen(texts[i]), "net", FF_FORMAT_AUTO, NULL) == told, "%s", texts[i]);
    FF_CHECK(pbn == NULL);
  }
}

static ff_status read_nowhere(ff_error *err) {
  ff_pbn *out;
  return ff_io_read(&out, NULL, "/nowhere/net.pbn", FF_FORMAT_AUTO, err);
}
static ff_status write_nowhere(ff_error *err) { return ff_io_write(net, "/nowhere/net.pbn", FF_FORMAT_ASSA, err); }
static ff_status write_as(ff_format format, ff_error *err) {
  char *text;
  return ff_io_text(&text, net, format, err);
}
static ff_status write_bnet(ff_error *err) { return write_as(FF_FORMAT_BNET, err); }
static ff_status write_sbml(ff_error *err) { return write_as(FF_FORMAT_SBML, err); }
static ff_status write_auto(ff_error *err) { return write_as(FF_FORMAT_AUTO, err); }

static void paths(void) {
  net = net_parse(rules, 0.1, FF_SYNCHRONOUS);
  FAIL_WITHOUT(read_nowhere, write_nowhere, write_bnet, write_sbml, write_auto);
  ff_pbn_free(net);
}

/* ---- graphs, exact answers, outcomes, backends ------------------------------------------------------------------- */

static ff_status keep_nobody(ff_error *err) {
  uint8_t keep[5];
  return ff_pbn_keep(keep, net, &(uint32_t){9}, 1, err);
}
static ff_status reduce_to(const uint8_t keep[5], ff_error *err) {
  ff_pbn *out;
  return ff_pbn_reduce(&out, NULL, net, keep, err);
}
static ff_status reduce_to_none(ff_error *err) { return reduce_to((const uint8_t[5]){0}, err); }
static ff_status reduce_too_far(ff_error *err) { return reduce_to((const uint8_t[5]){1, 0, 0, 0}, err); }

static ff_status exactly(int what, ff_error *err) {
  ff_exact *exact = NULL;
  ff_exact_solver *solver = NULL;
  double pi[512], residual;
  ff_status status = ff_exact_new(&exact, net, err);
  if (status == FF_OK && what == 0) status = ff_exact_row(pi, 512, exact, err);
  if (status == FF_OK && what > 0) status = ff_exact_solver_new(&solver, exact, what == 1 ? 0 : 1e-14, 1, err);
  for (int done = 0; status == FF_OK && what == 2 && !done;)
    status = ff_exact_solver_advance(solver, pi, 1, &done, &residual, err);
  ff_exact_solver_free(solver);
  ff_exact_free(exact);
  return status;
}
static ff_status exact_row(ff_error *err) { return exactly(0, err); }
static ff_status exact_tolerance(ff_error *err) { return exactly(1, err); }
static ff_status exact_steps(ff_error *err) { return exactly(2, err); }
static ff_status exact_size(ff_error *err) {
  ff_pbn *large = net_random_make(&(net_shape){.nodes = 25, .max_functions = 1, .max_parents = 2, .perturbation = 0.1}, 3);
  ff_exact *exact;
  ff_status status = ff_exact_begin(&exact, large, err);
  ff_pbn_free(large);
  return status;
}

static ff_status outcome_fails(uint64_t trajectories, ff_error *err) {
  ff_outcome *out;
  return ff_outcome_new(&out, net, (ff_outcome_options){.trajectories = trajectories, .max_states = 9, .threads = 1}, err);
}
static ff_status no_trajectories(ff_error *err) { return outcome_fails(0, err); }
static ff_status no_attractors(ff_error *err) { return outcome_fails(1, err); }

static ff_status open_nowhere(ff_error *err) {
  ff_backend_library *library;
  return ff_backend_open(&library, "/nowhere/backend.so", err);
}
static ff_status tile_of_no_processor(ff_error *err) {
  ff_simd more = (ff_simd)(ff_simd_best() + 1);
  if (more == FF_SIMD_BEST) more = (ff_simd)(more + 1);
  ff_pbn_program *program = NULL;
  ff_tile *tile;
  ff_status status = ff_pbn_program_new(&program, net, NULL, FF_LAYOUT_AUTO, err);
  if (status == FF_OK) status = ff_tile_new(&tile, program, more, err);
  ff_pbn_program_free(program);
  return status;
}

static void engines(void) {
  net = net_random_make(&(net_shape){.nodes = 9, .max_functions = 1, .max_parents = 2, .perturbation = 0.1}, 3);
  FAIL_WITHOUT(exact_row, exact_tolerance, exact_steps, exact_size, no_trajectories, no_attractors, open_nowhere,
               tile_of_no_processor);
  ff_pbn_free(net);
  net = net_parse(rules, 0.1, FF_SYNCHRONOUS);
  FAIL_WITHOUT(keep_nobody, reduce_to_none, reduce_too_far);
  ff_pbn_free(net);
}

/* ---- estimates --------------------------------------------------------------------------------------------------- */

static ff_status no_parent(ff_error *err) {
  ff_observables out;
  return ff_influence_new(&out, net, &(uint32_t){3}, &(uint32_t){0}, 1, err);
}

/* Calls of an estimate of one set that must fail. */
typedef enum { OPTIONS, CONVERGENCE, CLOCK, DEVICES, RESUME, MERGE } question;

static ff_status ask(question what, ff_error *err) {
  static const uint32_t first[] = {0, 1};
  static const double weights[] = {1};
  const ff_observables sets = {1, first, &net->predictors[0].expr, weights};
  ff_pbn_program *program = NULL;
  ff_pbn_estimate *estimate = NULL;
  ff_pbn_estimate_options options = default_options();
  const ff_clockwork clock = {0, 0, 0};
  if (what == OPTIONS) options.precision = 2;
  if (what == CONVERGENCE) options.max_burn_in = 2;
  if (what == CLOCK) options.clockwork = &clock;
  ff_status status = ff_pbn_program_new(&program, net, &sets, FF_LAYOUT_AUTO, err);
  if (status == FF_OK) status = ff_pbn_estimate_new(&estimate, &(ff_counting){program, &sets, NULL}, NULL, options, err);
  const ff_pbn_device backend = {.create = NULL};
  const ff_fleet_choice choice = {.calls = &backend.common, .devices = &(uint32_t){0}, .n_devices = 1};
  int done;
  ff_pbn_tally tally = {0}, other = {0};
  if (status == FF_OK && what == RESUME)
    status = ff_pbn_estimate_resume(estimate, (ff_plan){0}, ff_pbn_estimate_tally(estimate), NULL, err);
  if (status == FF_OK && what == CONVERGENCE) status = ff_pbn_estimate_advance(estimate, 10, &done, err);
  if (status == FF_OK && what == MERGE) {
    status = ff_pbn_tally_new(&tally, &sets, err);
    if (status == FF_OK) status = ff_pbn_tally_new(&other, &sets, err);
    other.half[0] = 1;
    if (status == FF_OK) status = ff_pbn_tally_merge(&tally, &other, err);
  }
  if (status == FF_OK && what == DEVICES) {
    for (done = 0; status == FF_OK && !done && !ff_pbn_estimate_waits(estimate);)
      status = ff_pbn_estimate_advance(estimate, 10, &done, err);
    if (status == FF_OK && !done) status = ff_pbn_estimate_advance(estimate, 0, &done, err);
    if (status == FF_OK) status = ff_pbn_estimate_use(estimate, &choice, err);
  }
  ff_pbn_tally_free(&tally);
  ff_pbn_tally_free(&other);
  ff_pbn_estimate_free(estimate);
  ff_pbn_program_free(program);
  return status;
}
static ff_status estimate_options(ff_error *err) { return ask(OPTIONS, err); }
static ff_status estimate_convergence(ff_error *err) { return ask(CONVERGENCE, err); }
static ff_status estimate_clock(ff_error *err) { return ask(CLOCK, err); }
static ff_status estimate_devices(ff_error *err) { return ask(DEVICES, err); }
static ff_status estimate_resumed(ff_error *err) { return ask(RESUME, err); }
static ff_status tallies(ff_error *err) { return ask(MERGE, err); }

static void estimates(void) {
  net = net_parse(rules, 0.01, FF_SYNCHRONOUS);
  FAIL_WITHOUT(no_parent, estimate_options, estimate_convergence, estimate_clock, estimate_devices, estimate_resumed, tallies);
  ff_pbn_free(net);
}

FF_TEST_MAIN("errors", models, files, paths, engines, estimates)
