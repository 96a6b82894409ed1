/* Compares generated code for networks with events, and with rates that depend on the time, with the engines of this processor,
 * bit for bit. */
#define GENERATED_OPTIMISATION "-O0" /* the compiler takes most of the time */
#include "generated_code.h"

#include "../../src/io/ff_io.h"
#include "schedule_examples.h"

/* The code of "logarithmic_direct" is that of "direct". */
static void check_both(const ff_ssa_program *program, double last, int refuses, const char *what, size_t number) {
  const ff_ssa_method method = number % 4 == 0 ? FF_SSA_TREE : FF_SSA_DIRECT;
  check_program(program, method, program->initial, program->n_species, last, refuses, what);
  if (number % 3 == 0) check_program(program, FF_SSA_FIRST, program->initial, program->n_species, last, refuses, what);
}

static void check_texts(const scheduled_example *examples, size_t n) {
  for (size_t i = 0; i < n; i++) {
    ff_ssa_program *program = program_of_network(network_of_text(examples[i].text));
    FF_CHECK(ff_ssa_program_scheduled(program));
    check_both(program, examples[i].last, examples[i].refuses, examples[i].what, i);
    ff_ssa_program_free(program);
  }
}

/* Whether the processor can simulate the trajectories that are compared. */
static int can_run(const ff_ssa_program *program, double last) {
  const uint32_t observed = 0;
  const ff_run_options options = {.method = FF_SSA_TREE, .key = LAUNCH_KEY, .first = LAUNCH_FIRST, .n = LAUNCH_UNITS,
                                  .times = &last, .n_times = 1, .observed = &observed, .n_observed = 1, .threads = 1};
  ff_error err;
  return ff_ssa_program_scheduled(program) && status_of(program, &options, 1, &err) == FF_OK;
}

/* ---- events ------------------------------------------------------------------------------------------------------------- */

static void code_for_events_gives_the_trajectories(void) {
  check_texts(scheduled_events, sizeof scheduled_events / sizeof *scheduled_events);
}

/* ---- rates that depend on the time -------------------------------------------------------------------------------------- */

static void code_for_rates_of_the_time_gives_the_trajectories(void) {
  check_texts(scheduled_rates, sizeof scheduled_rates / sizeof *scheduled_rates);
}

static void code_for_both_gives_the_trajectories(void) {
  check_texts(scheduled_both, sizeof scheduled_both / sizeof *scheduled_both);
}

/* Some of them fail, or are refused, and are left out: then the processor fails, too. */
static void random_schedules_give_the_trajectories(void) {
  uint64_t state = 2718;
  uint32_t compared = 0;
  for (uint32_t i = 0; i < 24; i++) {
    const uint32_t n_species = 1 + below(&state, 8), n = 1 + below(&state, i % 4 == 0 ? 30 : 8), n_events = below(&state, 7);
    ff_ssa_program *program = random_schedule(&state, n_species, n, n_events);
    char what[64];
    snprintf(what, sizeof what, "random network %u", i);
    if (can_run(program, 3)) {
      check_program(program, i % 3 == 2 ? FF_SSA_FIRST : FF_SSA_DIRECT, program->initial, program->n_species, 3, 0, what);
      compared++;
    }
    ff_ssa_program_free(program);
  }
  FF_CHECK_SAY(compared >= 12, "%u networks", compared);
}

/* ---- the suite ---------------------------------------------------------------------------------------------------------- */

/* The cases with events of the stochastic SBML test suite. */
static void cases_of_the_suite_give_the_trajectories(void) {
  static const char *const cases[] = {"00028", "00029", "00032", "00033"};
  const char *shared = getenv("FIREFLIP_SHARED");
  if (shared == NULL) {
    printf("the SBML suite: skipped, FIREFLIP_SHARED is not set\n");
    return;
  }
  for (size_t i = 0; i < 4; i++) {
    char path[1000];
    ff_io_model model;
    ff_error err;
    snprintf(path, sizeof path, "%s/dsmts/%s/%s-sbml-l3v1.xml", shared, cases[i], cases[i]);
    FF_CHECK_OK(ff_io_read_model(&model, NULL, path, FF_FORMAT_SBML, &err), &err);
    if (model.reactions == NULL) continue;
    ff_ssa_program *program = program_of_network(model.reactions);
    FF_CHECK(program->n_events > 0);
    check_both(program, 50, 0, cases[i], 3 * i);
    ff_ssa_program_free(program);
  }
}

/* ---- refusals ----------------------------------------------------------------------------------------------------------- */

/* n reactions and events, a sum of n terms that an event sets, and n parameters that it sets. */
static ff_status status_of_code(uint32_t n_reactions, uint32_t n_events, uint32_t n_terms, uint32_t n_settable, ff_error *err) {
  static char text[1 << 16];
  const double time = 1;
  const uint32_t species = 0;
  size_t at = (size_t)snprintf(text, sizeof text, "species;A;5\nreaction;A -> 0;time\n");
  for (uint32_t i = 1; i < n_reactions; i++) at += (size_t)snprintf(text + at, sizeof text - at, "reaction;A -> 0;1\n");
  for (uint32_t i = 0; i < n_events; i++) {
    at += (size_t)snprintf(text + at, sizeof text - at, "event;e%u;A > 7;;;;A;A", i);
    for (uint32_t k = 1; i == 0 && k < n_terms; k++) at += (size_t)snprintf(text + at, sizeof text - at, " + A");
    for (uint32_t k = 0; i == 0 && k < n_settable; k++) at += (size_t)snprintf(text + at, sizeof text - at, ";k%u;2", k);
    at += (size_t)snprintf(text + at, sizeof text - at, "\n");
  }
  for (uint32_t k = 0; k < n_settable; k++) at += (size_t)snprintf(text + at, sizeof text - at, "parameter;k%u;1\n", k);
  ff_ssa_program *program = program_of_network(network_of_text(text));
  const ff_device_request request = {.method = FF_SSA_DIRECT, .initial = program->initial, .times = &time,
                                         .n_times = 1, .observed = &species, .n_observed = 1};
  ff_ssa_code code;
  const ff_status status = ff_ssa_generate(&code, program, &request, shared_bytes, err);
  if (status == FF_OK) ff_ssa_code_free(&code);
  ff_ssa_program_free(program);
  return status;
}

static void what_is_too_large_is_refused(void) {
  ff_error err;
  FF_CHECK_OK(status_of_code(64, 32, 1, 28, &err), &err);
  FF_CHECK_FAILS(status_of_code(65, 1, 1, 0, &err), FF_EUNSUPPORTED, &err, "65 reactions are too many");
  FF_CHECK_FAILS(status_of_code(1, 33, 1, 0, &err), FF_EUNSUPPORTED, &err, "33 events");
  FF_CHECK_OK(status_of_code(1, 1, 510, 0, &err), &err); /* 3 words of a condition, and 1019 of a sum */
  FF_CHECK_FAILS(status_of_code(1, 1, 512, 0, &err), FF_EUNSUPPORTED, &err, "formulas of 1026 words");
  FF_CHECK_FAILS(status_of_code(1, 1, 1, 65, &err), FF_EUNSUPPORTED, &err, "set 65 parameters");
}

FF_TEST_MAIN("ssa_generate_schedule", make_folder, code_for_events_gives_the_trajectories,
             code_for_rates_of_the_time_gives_the_trajectories, code_for_both_gives_the_trajectories,
             random_schedules_give_the_trajectories,
             cases_of_the_suite_give_the_trajectories, what_is_too_large_is_refused, remove_folder)
