/* Scenarios of test_memory: programs and trajectories of Petri nets. */
#ifndef FF_TESTS_MEMORY_PETRI_ENGINE_H
#define FF_TESTS_MEMORY_PETRI_ENGINE_H

#include "../../src/ode/ff_cvode.h"
#include "../../src/petri/ff_petri_engine.h"
#include "memory_given.h"
#include "petri_nets.h"

/* Many events wait at a time, so that their room grows. */
static ff_status add_hybrid_event(ff_petri *net, ff_error *err) {
  ff_status status = ff_petri_add_event(net, "E", err);
  if (status == FF_OK) status = ff_petri_event_text(net, 0, FF_EVENT_TRIGGER, "time >= n - 2 & B >= 0", petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_event_text(net, 0, FF_EVENT_PRIORITY, "v + k", petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_event_set_text(net, 0, "n", "n + 0.0005 * m", NULL, petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_add_event(net, "F", err);
  if (status == FF_OK) status = ff_petri_event_text(net, 1, FF_EVENT_TRIGGER, "sin(9000 * n) > 0", petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_event_text(net, 1, FF_EVENT_DELAY, "0.05 * m", petri_nowhere, err);
  return status == FF_OK ? ff_petri_event_set_text(net, 1, "m", "1 + 0 * C", NULL, petri_nowhere, err) : status;
}

/* All kinds of transitions; events; variables; switches; hazards with sharp bends; levels that become empty; equations that get stiff. */
static ff_status make_hybrid(ff_petri **net, ff_error *err) {
  static const struct {
    const char *name;
    ff_petri_kind kind;
    const char *equation, *tests, *resets, *number;
    int mass_action;
  } list[] = {
      {"flow", FF_PETRI_CONTINUOUS, "C -> Ca[x,y]", "C >= 0.1", NULL, "k * v + (Ca[x,y] > 2)", 0},
      {"drain", FF_PETRI_CONTINUOUS, "Ca[x,y] -> (1 + B) Ca[next(x),y]", NULL, NULL, "0.3", 0},
      {"fast", FF_PETRI_CONTINUOUS, "Ca[x,y] -> C", NULL, NULL, "1e5", 1},
      {"bind", FF_PETRI_STOCHASTIC, "A -> S100[x,y]", NULL, "C", "5 * k * Ca[x,y]", 1},
      {"bend", FF_PETRI_STOCHASTIC, "0 -> A", NULL, NULL, "40 * abs(C - 0.3) / (1 + B)", 0},
      {"go", FF_PETRI_IMMEDIATE, "S100[x,y] -> B", NULL, NULL, "k", 0},
      {"wait", FF_PETRI_DETERMINISTIC, "0 -> (A) C", NULL, NULL, "0.05", 0},
      {"steps", FF_PETRI_CONTINUOUS, "0 -> C", NULL, NULL,
       "(C > 3) + (C > 4) + (C > 5) + (C > 6) + (C > 7) + (C > 8) + (C > 9) + (C > 10) + (C > 11) + (C > 12) + (C > 13) + "
       "(C > 14) + (C > 15) + (C > 16) + (C > 17) + (C > 18)",
       0},
      {"root", FF_PETRI_STOCHASTIC, "A -> 0", NULL, NULL, "0.1 * sqrt(7 + Ca[x,y])", 0},
      {"roots", FF_PETRI_STOCHASTIC, "A -> 0", "A < 100", NULL, "0.1 * sqrt(x + Ca[x,y])", 0},
      {"more", FF_PETRI_STOCHASTIC, "A -> 0", NULL, NULL, "0.1 * sqrt(2 * y + Ca[x,y] * C)", 0},
      {"mean", FF_PETRI_STOCHASTIC, "0 -> A", NULL, NULL, "w", 0}};
  ff_status status = petri_small(net, 2, err);
  if (status == FF_OK) status = ff_petri_add_variable(*net, "v", err);
  if (status == FF_OK) status = ff_petri_add_variable(*net, "w", err);
  if (status == FF_OK) status = ff_petri_variable_text(*net, 0, "sum(Ca) * k + (C > 1)", petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_variable_text(*net, 1, "A / (1 + B)", petri_nowhere, err);
  for (size_t i = 0; i < sizeof list / sizeof *list && status == FF_OK; i++)
    status = petri_add(*net, list[i].name, list[i].kind, list[i].equation, NULL, list[i].tests, list[i].resets, list[i].number,
                       list[i].mass_action, err);
  if (status == FF_OK) status = add_hybrid_event(*net, err);
  if (status == FF_OK) status = ff_petri_add_marking(*net, "C", NULL, "1", 0, petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_add_marking(*net, "A", NULL, "2", 0, petri_nowhere, err);
  return status == FF_OK ? ff_petri_finish(*net, err) : status;
}

static void prepare_hybrid(void) {
  ff_error err;
  FF_CHECK_OK(make_hybrid(&given.petri, &err), &err);
  FF_CHECK_OK(ff_petri_unfold(&given.flat, given.petri, &err), &err);
}

static ff_petri_options options_of_hybrid(void) {
  const int paper = given.variant >= 3;
  const ff_petri_integrator last = given.variant == 3 && ff_cvode_exists() ? FF_PETRI_CVODE : FF_PETRI_ROSENBROCK;
  const ff_petri_integrator integrator = paper ? last : (ff_petri_integrator)given.variant;
  return (ff_petri_options){.relative = 1e-4, .integrator = integrator, .paper = paper};
}

static ff_status compiles_petri(ff_error *err) {
  const ff_petri_options options = options_of_hybrid();
  ff_petri_program *program = NULL;
  const ff_status status = ff_petri_program_new(&program, given.flat, &options, err);
  CHECK_OUT(status, program);
  ff_petri_program_free(program);
  return status;
}

static void prepare_program(void) {
  const ff_petri_options options = options_of_hybrid();
  ff_error err;
  prepare_hybrid();
  FF_CHECK_OK(ff_petri_program_new(&given.compiled, given.flat, &options, &err), &err);
}

/* With each integrator, and two of them by Algorithm 1; a condition on levels ends one trajectory. */
static ff_status simulates_petri(ff_error *err) {
  const int paper = given.variant >= 3;
  const double scale = paper ? 0.01 : 1, times[] = {0.02 * scale, 0.1 * scale}; /* Algorithm 1 begins anew at each event */
  const uint32_t observed[] = {0, given.flat->n_places};
  ff_formula_word word[] = {{FF_F_SYMBOL, 3, 0}, {FF_F_NUMBER, 0, 40}, {FF_F_GT, 0, 0}};
  const ff_formula until = {word, 3, 2};
  const ff_run_options how = {
      .key = 3, .n = 2, .times = times, .n_times = 2, .observed = observed, .n_observed = 2, .until = &until, .threads = 1};
  ff_run *run = NULL;
  int done = 0;
  ff_status status = ff_run_new(&run, &ff_petri_engine, given.compiled, &how, err);
  CHECK_OUT(status, run);
  while (status == FF_OK && !done) status = ff_run_advance(run, 10, &done, err);
  ff_run_free(run);
  return status;
}

/* Several trajectories in lanes, one of which begins elsewhere. */
static ff_status simulates_petri_in_lanes(ff_error *err) {
  const double times[] = {0.02, 0.05};
  const uint32_t observed[] = {3}, n = given.flat->n_places;
  double *starts = calloc((size_t)n * 3, sizeof *starts);
  ff_run *run = NULL;
  int done = 0;
  for (uint32_t k = 0; k < 3 * n; k++) starts[k] = given.flat->initial[k % n] + (k == 0);
  const ff_run_options how = {.key = 3, .n = 3, .times = times, .n_times = 2, .observed = observed, .n_observed = 1,
                              .starts = starts, .threads = 1, .simd = FF_SIMD_BEST};
  ff_status status = ff_run_new(&run, &ff_petri_engine, given.compiled, &how, err);
  CHECK_OUT(status, run);
  while (status == FF_OK && !done) status = ff_run_advance(run, 10, &done, err);
  ff_run_free(run);
  free(starts);
  return status;
}

/* Cells with a clock, immediate transitions, variables and levels that jump; a place that nothing changes, and one that joins no
 * cell. */
static void prepare_cells(void) {
  static const struct {
    const char *name;
    ff_petri_kind kind;
    const char *equation, *guard, *number;
    int mass_action;
  } list[] = {{"spread", FF_PETRI_CONTINUOUS, "Ca[x,y] -> Ca[a,y]", "abs(x - a) == 1", "F", 1},
              {"bind", FF_PETRI_STOCHASTIC, "0 -> S100[x,y]", NULL, "50 + x + Ca[x,y]", 0},
              {"jump", FF_PETRI_STOCHASTIC, "S100[x,y] -> Ca[x,y]", NULL, "20", 1},
              {"go", FF_PETRI_IMMEDIATE, "3 S100[x,y] -> 2 Ca[x,y]", NULL, "1", 0},
              {"wait", FF_PETRI_DETERMINISTIC, "S100[x,y] -> 0", NULL, "0.05", 0},
              {"count", FF_PETRI_STOCHASTIC, "0 -> B", NULL, "10 + v", 0},
              {"fast", FF_PETRI_CONTINUOUS, "Ca[x,y] -> 0", NULL, "1e4 * (Ca[x,y] > 3)", 1}};
  ff_error err;
  FF_CHECK_OK(petri_small(&given.petri, 2, &err), &err);
  FF_CHECK_OK(ff_petri_add_variable(given.petri, "v", &err), &err);
  FF_CHECK_OK(ff_petri_variable_text(given.petri, 0, "B / 2", petri_nowhere, &err), &err);
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    FF_CHECK_OK(petri_add(given.petri, list[i].name, list[i].kind, list[i].equation, list[i].guard, NULL, NULL, list[i].number,
                          list[i].mass_action, &err),
                &err);
  FF_CHECK_OK(ff_petri_add_marking(given.petri, "F", NULL, "2", 0, petri_nowhere, &err), &err);
  FF_CHECK_OK(ff_petri_add_marking(given.petri, "Ca", NULL, "x", 0, petri_nowhere, &err), &err);
  FF_CHECK_OK(ff_petri_finish(given.petri, &err), &err);
  FF_CHECK_OK(ff_petri_unfold(&given.flat, given.petri, &err), &err);
}

static void prepare_windows(void) {
  const ff_petri_options options = {.relative = 1e-4};
  ff_error err;
  prepare_cells();
  FF_CHECK_OK(ff_petri_program_new(&given.compiled, given.flat, &options, &err), &err);
}

/* Also with each firing as a step. */
static ff_status simulates_by_windows(ff_error *err) {
  const double times[] = {0.001, 0.003};
  const uint32_t observed[] = {0, 1};
  const ff_run_options how = {.method = FF_PETRI_WINDOWS, .key = 3, .n = 1, .times = times, .n_times = 2, .observed = observed,
                              .n_observed = 2, .threads = 1, .max_firings = given.variant == 1 ? 10000 : 0};
  ff_run *run = NULL;
  int done = 0;
  ff_status status = ff_run_new(&run, &ff_petri_engine, given.compiled, &how, err);
  CHECK_OUT(status, run);
  while (status == FF_OK && !done) status = ff_run_advance(run, 10, &done, err);
  ff_run_free(run);
  return status;
}

#endif
