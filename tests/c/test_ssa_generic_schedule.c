/* Compares the kernel that reads a network as data, for networks with events and with rates that depend on the time, with the
 * engines of this processor, bit for bit. The 32 lanes of a warp run one after the other. */
#include "../../src/cuda/ssa/data/ff_ssa_generic_schedule.h"
#include "schedule_examples.h"
#include "ssa_launch.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const ff_ssa_method methods[] = {FF_SSA_TREE, FF_SSA_FIRST, FF_SSA_NEXT};

typedef struct {
  ff_ssa_image image;
  ff_ssa_slot_layout at;
} kernel;

static void run_slot(void *kernel_of, const ff_launch *run, uint32_t slot) {
  const kernel *k = kernel_of;
  ff_ssa_warp w = {.image = &k->image, .run = run, .formulas = 1, .method = (int)k->image.method, .scheduled = 1};
  ff_ssa_warp_place(&w, &k->at, (char *)run->state + slot * k->at.bytes + FF_SSA_SLOT_HEAD, NULL);
  ff_ssa_scheduled_run(&w, &k->at, slot);
}

/* Runs a program to the last time, and compares. */
static void check_program(const ff_ssa_program *program, ff_ssa_method method, double last, int refuses, const char *what) {
  double times[LAUNCH_TIMES];
  uint32_t species[64];
  const uint32_t n_species = program->n_species < 64 ? program->n_species : 64;
  ff_error err;
  kernel k;
  void *memory;
  size_t bytes;
  for (uint32_t i = 0; i < LAUNCH_TIMES; i++) times[i] = last * i / (LAUNCH_TIMES - 1);
  for (uint32_t s = 0; s < n_species; s++) species[s] = n_species - 1 - s;
  const ff_device_request request = {.method = method, .initial = program->initial, .times = times,
                                         .n_times = LAUNCH_TIMES, .observed = species, .n_observed = n_species};
  FF_CHECK_OK(ff_ssa_image_new(&k.image, &memory, &bytes, program, &request, &err), &err);
  k.at = ff_ssa_slot_lay_out(&k.image, 1);
  ff_launch run = launch_new(&request, 0);
  free(run.state);
  run.state = ff_calloc_aligned(run.slots, k.at.bytes);
  memset(run.state, 0xA5, run.slots * k.at.bytes); /* what a device has there */
  launch_all(&run, run_slot, &k, LAUNCH_TURN);
  launch_compare(&run, program, &request, refuses, what);
  ff_free_aligned(run.state);
  run.state = NULL;
  launch_free(&run);
  ff_free_aligned(memory);
}

static void check_all(const ff_ssa_program *program, double last, int refuses, const char *what) {
  FF_CHECK(ff_ssa_program_scheduled(program));
  for (size_t m = 0; m < COUNT(methods); m++) {
    char name[128];
    snprintf(name, sizeof name, "%s, %s", what, ff_ssa_method_name(methods[m]));
    check_program(program, methods[m], last, refuses, name);
  }
}

/* Generated code refuses some of the trajectories of these, but this kernel does not. */
static int runs_all(const char *what) {
  return strcmp(what, "more delays than fit") == 0 || strcmp(what, "a count that becomes too large") == 0;
}

static void check_texts(const scheduled_example *examples, size_t n) {
  for (size_t i = 0; i < n; i++) {
    ff_ssa_program *program = program_of_network(network_of_text(examples[i].text));
    check_all(program, examples[i].last, runs_all(examples[i].what) ? 0 : examples[i].refuses, examples[i].what);
    ff_ssa_program_free(program);
  }
}

/* Whether the processor can simulate the trajectories that are compared. */
static int can_run(const ff_ssa_program *program, ff_ssa_method method, double last) {
  const uint32_t observed = 0;
  const ff_run_options options = {.method = method, .key = LAUNCH_KEY, .first = LAUNCH_FIRST, .n = LAUNCH_UNITS,
                                  .times = &last, .n_times = 1, .observed = &observed, .n_observed = 1, .threads = 1};
  ff_error err;
  return ff_ssa_program_scheduled(program) && status_of(program, &options, 1, &err) == FF_OK;
}

/* Some of them fail, and are left out: then the processor fails, too. */
static void random_schedules_give_the_trajectories(void) {
  static const struct {
    uint32_t species, reactions, events;
    double last;
  } shapes[] = {{3, 4, 5, 3}, {8, 9, 7, 3}, {8, 30, 12, 1}, {12, 66, 40, 0.3}, {26, 300, 70, 0.05}, {20, 520, 9, 0.04}};
  uint64_t state = 31415;
  uint32_t compared = 0;
  for (size_t i = 0; i < 5 * COUNT(shapes); i++) {
    const size_t k = i / 5;
    const ff_ssa_method method = methods[i % COUNT(methods)];
    ff_ssa_program *program = random_schedule(&state, shapes[k].species, shapes[k].reactions, shapes[k].events);
    char what[64];
    snprintf(what, sizeof what, "random network %zu, %s", i, ff_ssa_method_name(method));
    if (i % 5 == 4) { /* as if the lists were too long */
      free(program->dependents);
      program->dependents = NULL;
    }
    if (can_run(program, method, shapes[k].last)) {
      check_program(program, method, shapes[k].last, 0, what);
      compared++;
    }
    ff_ssa_program_free(program);
  }
  FF_CHECK_SAY(compared >= 20, "%u networks", compared);
}

static void events_give_the_trajectories(void) { check_texts(scheduled_events, COUNT(scheduled_events)); }
static void rates_of_the_time_give_the_trajectories(void) { check_texts(scheduled_rates, COUNT(scheduled_rates)); }
static void both_give_the_trajectories(void) { check_texts(scheduled_both, COUNT(scheduled_both)); }

/* ---- refusals ----------------------------------------------------------------------------------------------------------- */

/* Counts from 2^30 on; and an event that sets so many parameters that only 192 events may wait. */
static void refuses_some_trajectories(void) {
  static char text[4096];
  size_t at = (size_t)snprintf(text, sizeof text, BIRTH "event;e;A - 2 * floor(A / 2) == 0;1000;;;B;B + 1\nevent;many;A < 0;;;");
  for (int i = 0; i < 40; i++) at += (size_t)snprintf(text + at, sizeof text - at, ";p%d;1", i);
  at += (size_t)snprintf(text + at, sizeof text - at, "\n");
  for (int i = 0; i < 40; i++) at += (size_t)snprintf(text + at, sizeof text - at, "parameter;p%d;1\n", i);
  ff_ssa_program *program = program_of_network(network_of_text(text));
  check_all(program, 9.6, -1, "more delays than fit");
  ff_ssa_program_free(program);
  program = program_of_network(network_of_text(BIRTH "species;C;0\nevent;e;B > 8;;;;C;2e9\n"));
  check_all(program, 0.8, -1, "a count that becomes too large");
  ff_ssa_program_free(program);
}

FF_TEST_MAIN("ssa_generic_schedule", events_give_the_trajectories, rates_of_the_time_give_the_trajectories,
             both_give_the_trajectories, random_schedules_give_the_trajectories, refuses_some_trajectories)
