/* Compares kernels with the engines of this processor, bit for bit, in runs with conditions that end trajectories, lists of
 * firings, and trajectories that begin with counts of their own. The kernels are generated code, and a warp for each trajectory
 * that reads the network as data. Here the lanes of a warp run one after the other. */
#define GENERATED_OPTIMISATION "-O0" /* the compiler takes most of the time */
#include "generated_code.h"

#include "../../src/cuda/ssa/data/ff_ssa_generic_schedule.h"
#include "random_reactions.h"
#include "schedule_examples.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { UNTIL = 1, FIRES = 2, STARTS = 4 };
enum { GENERATED, DATA_THERE, DATA_ELSEWHERE, KERNELS }; /* elsewhere: a slot works in a copy, as in shared memory */

static uint32_t ended, went_on; /* trajectories that a condition has ended, and others */

/* ---- the kernels ------------------------------------------------------------------------------------------------------- */

typedef struct {
  ff_ssa_image image;
  ff_ssa_slot_layout at;
  char *work; /* NULL, or where slots work */
} data_kernel;

static void run_data(void *kernel, const ff_launch *run, uint32_t slot) {
  const data_kernel *k = kernel;
  const int scheduled = k->image.schedule.formulas != NULL;
  const int method = (int)k->image.method;
  ff_ssa_warp w = {.image = &k->image, .run = run, .formulas = !ff_ssa_method_has_rows(method), .method = method,
                   .scheduled = scheduled, .follows = !scheduled};
  char *const there = (char *)run->state + slot * k->at.bytes + FF_SSA_SLOT_HEAD;
  ff_ssa_warp_place(&w, &k->at, k->work != NULL ? k->work : there, NULL);
  if (k->work != NULL) memset(k->work, 0x5A, k->at.bytes);
  if (scheduled)
    ff_ssa_scheduled_run(&w, &k->at, slot);
  else
    ff_ssa_warp_run(&w, &k->at, slot, k->work != NULL);
}

static void check_data(const ff_ssa_program *program, const ff_device_request *request, uint32_t *starts, int elsewhere,
                       const char *what) {
  data_kernel k = {.work = NULL};
  ff_error err;
  void *memory;
  size_t bytes;
  FF_CHECK_OK(ff_ssa_image_new(&k.image, &memory, &bytes, program, request, &err), &err);
  k.at = ff_ssa_slot_lay_out(&k.image, 1);
  if (elsewhere) k.work = ff_calloc_aligned(1, k.at.bytes);
  ff_launch run = launch_new(request, 0);
  free(run.state);
  run.state = ff_calloc_aligned(run.slots, k.at.bytes);
  run.starts = starts;
  memset(run.state, 0xA5, run.slots * k.at.bytes); /* a device does not clear its memory */
  launch_all(&run, run_data, &k, LAUNCH_TURN);
  launch_compare(&run, program, request, 0, what);
  for (uint32_t i = 0; run.stopped != NULL && i < run.units; i++) *(isnan(run.stopped[i]) ? &went_on : &ended) += 1;
  ff_free_aligned(run.state);
  ff_free_aligned(k.work);
  run.state = NULL;
  launch_free(&run);
  ff_free_aligned(memory);
}

static void check_generated(const ff_ssa_program *program, const ff_device_request *request, uint32_t *starts,
                            const char *what) {
  generated g = {.starts = starts};
  ff_launch run;
  ff_error err;
  FF_CHECK_OK(ff_ssa_generate(&g.code, program, request, shared_bytes, &err), &err);
  if (g.code.functions != NULL && run_generated(&g, request, folder, &run)) {
    launch_compare(&run, program, request, 0, what);
    launch_free(&run);
  }
  ff_ssa_code_free(&g.code);
}

/* Whether there is generated code of this method for such runs. */
static int is_generated(ff_ssa_method method) {
  return method == FF_SSA_DIRECT || method == FF_SSA_TREE || method == FF_SSA_FIRST;
}

/* Counts at the start: around those of the network. */
static double *some_starts(const ff_ssa_program *p, double *largest) {
  double *out = ff_calloc((size_t)LAUNCH_UNITS * p->n_species, sizeof *out);
  for (uint32_t k = 0; k < LAUNCH_UNITS; k++)
    for (uint32_t s = 0; s < p->n_species; s++) {
      double *x = out + k * p->n_species + s;
      *x = p->initial[s] + (5 * k + 3 * s) % 11;
      if (k % 3 == 0) *x = (double)((k + s) % 4);
      if (*x > largest[s]) largest[s] = *x;
    }
  return out;
}

/* Runs a kernel with what the bits of `wanted` say, and compares its results with those of this processor. */
static void check(const ff_ssa_program *program, ff_ssa_method method, const ff_formula *until, unsigned wanted, int kernel,
                  double last, const char *name) {
  double times[LAUNCH_TIMES], largest[64] = {0};
  uint32_t species[64];
  char what[160];
  const uint32_t n = program->n_species;
  const int ordered = method == FF_SSA_OPTIMISED;
  ff_ssa_path order;
  if (ordered) order = order_of(program, LAUNCH_KEY);
  FF_CHECK(n <= 64);
  for (uint32_t i = 0; i < LAUNCH_TIMES; i++) times[i] = last * i / (LAUNCH_TIMES - 1);
  for (uint32_t s = 0; s < n; s++) species[s] = n - 1 - s;
  double *starts = wanted & STARTS ? some_starts(program, largest) : NULL;
  uint32_t *given = starts != NULL ? launch_starts(starts, n) : NULL;
  const ff_device_request request = {.method = method, .initial = starts != NULL ? largest : program->initial, .times = times,
                                         .n_times = LAUNCH_TIMES, .observed = species, .n_observed = n,
                                         .order = ordered ? ff_ssa_optimised_order(&order) : NULL,
                                         .until = wanted & UNTIL ? until : NULL, .starts = starts, .first_start = LAUNCH_FIRST,
                                         .max_firings = wanted & FIRES ? LAUNCH_FIRINGS : 0};
  snprintf(what, sizeof what, "%s, %s, wanted %u, kernel %d", name, ff_ssa_method_name(method), wanted, kernel);
  if (kernel == GENERATED)
    check_generated(program, &request, given, what);
  else
    check_data(program, &request, given, kernel == DATA_ELSEWHERE, what);
  if (ordered) ff_ssa_path_free(&order);
  free(starts);
  free(given);
}

/* ---- networks ----------------------------------------------------------------------------------------------------------- */

static const ff_ssa_method methods[] = {FF_SSA_DIRECT, FF_SSA_FIRST, FF_SSA_TREE, FF_SSA_NEXT, FF_SSA_OPTIMISED, FF_SSA_SORTING,
                                        FF_SSA_RSSA, FF_SSA_BLOCK, FF_SSA_PSSA_CR, FF_SSA_PDM};

static int can_simulate(const ff_ssa_program *program, ff_ssa_method method) {
  ff_error err;
  return ff_ssa_method_check(program, method, &err) == FF_OK;
}

/* Checks all methods with all kernels. Each time something else is wanted, so that code need not be compiled for all
 * combinations. */
static void check_all(const ff_ssa_program *program, const ff_formula *until, unsigned *turn, double last, const char *name) {
  for (size_t m = 0; m < COUNT(methods); m++)
    for (int kernel = 0; kernel < KERNELS && can_simulate(program, methods[m]); kernel++) {
      const unsigned wanted = 1 + (*turn)++ % 7; /* at least one of them */
      if (kernel != GENERATED || is_generated(methods[m])) check(program, methods[m], until, wanted, kernel, last, name);
    }
}

typedef struct {
  const char *what;
  reaction_text reactions[12];
  double initial[5];
  uint32_t n_species;
  const char *until;
  double last;
} example;

static const example examples[] = {
    {"one reaction", {{"A -> 0", "0.5"}}, {30}, 1, "A < 11", 3},
    {"a condition at the start", {{"A -> 0", "0.5"}, {"0 -> A", "9"}}, {12}, 1, "A == 12 | A == 3", 3},
    {"decay and dimerisation", {{"A -> 0", "1"}, {"2 A -> B", "0.002"}, {"B -> 2 A", "0.5"}, {"B -> C", "0.04"}},
     {200, 0, 0}, 3, "B > 25", 1},
    {"constant rates and pairs", {{"0 -> A", "20"}, {"A + B -> C", "0.1"}, {"C -> A + B", "1"}, {"A -> 0", "0.3"},
                                  {"0 -> B", "5"}, {"B -> 0", "0.1"}}, {3, 4, 0}, 3, "A - B", 3},
    {"formulas", {{"A -> B", "=A / (1 + B) + exp(-A)"}, {"B -> A", "=if(A > 3, log(2 + B), sqrt(B)) * min(A, 4) ^ 1.5"},
                  {"C -> A", "A"}, {"0 -> C", "3"}, {"2 B -> C", "=0.1 * floor(B / 2)"}}, {5, 4, 3}, 3, "exp(A / 9) > B ^ 1.5",
     4},
    {"nothing fires", {{"A -> B", "1"}}, {0, 7}, 2, "B > 9", 3},
    {"a sum of propensities that becomes -0", {{"2 A -> B", "2"}}, {12, 0}, 2, "B > 5", 9},
    {"a condition without an end", {{"A -> B", "1"}, {"B -> A", "2"}}, {9, 7}, 2, "0 / (A - A)", 3},
};

static void methods_give_the_trajectories(void) {
  unsigned turn = 0;
  for (size_t i = 0; i < COUNT(examples); i++) {
    const example *e = examples + i;
    ff_ssa_program *program = program_of(e->reactions, e->initial, e->n_species);
    ff_formula until = formula_of(e->until);
    check_all(program, &until, &turn, e->last, e->what);
    ff_formula_free(&until);
    ff_ssa_program_free(program);
  }
  FF_CHECK_SAY(ended > 100 && went_on > 100, "%u ended, %u went on", ended, went_on);
}

/* All combinations of what is wanted. Generated code numbers few reactions in another way than many. */
static void code_gives_all_combinations(void) {
  static const uint32_t sizes[] = {3, 7, 8, 40};
  uint64_t state = 4711;
  ff_formula until = formula_of("A > B + 5 | A < 2");
  for (size_t i = 0; i < COUNT(sizes); i++)
    for (unsigned wanted = 1; wanted < 8; wanted++) {
      double initial[26];
      char what[64];
      ff_ssa_program *program = random_program(&state, 4 + (uint32_t)i, sizes[i], initial);
      snprintf(what, sizeof what, "random network of %u reactions", sizes[i]);
      check(program, wanted % 3 == 0 ? FF_SSA_FIRST : FF_SSA_DIRECT, &until, wanted, GENERATED, 0.4, what);
      ff_ssa_program_free(program);
    }
  ff_formula_free(&until);
}

static void random_networks_give_the_trajectories(void) {
  static const uint32_t sizes[] = {2, 5, 9, 17, 33, 64};
  uint64_t state = 1881;
  unsigned turn = 3;
  ff_formula until = formula_of("A > 2 * B + 9 | B == 1");
  for (size_t i = 0; i < COUNT(sizes); i++) {
    double initial[26];
    char what[64];
    ff_ssa_program *program = random_program(&state, 3 + (uint32_t)i, sizes[i], initial);
    snprintf(what, sizeof what, "random network of %u reactions", sizes[i]);
    check_all(program, &until, &turn, 0.3, what);
    ff_ssa_program_free(program);
  }
  ff_formula_free(&until);
}

/* ---- events of the network, and rates that depend on the time ------------------------------------------------------------ */

static const ff_ssa_method scheduled_methods[] = {FF_SSA_DIRECT, FF_SSA_FIRST, FF_SSA_NEXT};

/* A condition on the parameter that events set, if there is one; else on species alone. */
static ff_formula scheduled_condition(const ff_reactions *net, const char *text) {
  const int sets_k = strstr(text, ";k;k") != NULL || strstr(text, ";k;v") != NULL || strstr(text, ";k;0.1") != NULL;
  const int has_b = strstr(text, "species;B") != NULL;
  const char *const condition = sets_k ? "k < 0.3 | k > 5 | B > 30" : has_b ? "A > 27 | B > 17" : "A > 12";
  ff_formula out;
  ff_error err;
  FF_CHECK_OK(ff_ssa_condition(&out, net, condition, &err), &err);
  return out;
}

static void check_texts(const scheduled_example *list, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (list[i].refuses != 0) continue;
    ff_reactions *net = network_of_text(list[i].text);
    ff_formula until = scheduled_condition(net, list[i].text);
    ff_ssa_program *program = program_of_network(net);
    for (size_t m = 0; m < COUNT(scheduled_methods); m++) {
      const unsigned wanted = 1 + (unsigned)(3 * i + m) % 7;
      const int code = m < 2 && (i + m) % 2 == 0;
      if (can_simulate(program, scheduled_methods[m]))
        check(program, scheduled_methods[m], &until, wanted, code ? GENERATED : DATA_THERE, list[i].last, list[i].what);
    }
    ff_formula_free(&until);
    ff_ssa_program_free(program);
  }
}

static void schedules_give_the_trajectories(void) {
  ended = went_on = 0;
  check_texts(scheduled_events, COUNT(scheduled_events));
  check_texts(scheduled_rates, COUNT(scheduled_rates));
  check_texts(scheduled_both, COUNT(scheduled_both));
  FF_CHECK_SAY(ended > 100 && went_on > 100, "%u ended, %u went on", ended, went_on);
}

/* ---- refusals ----------------------------------------------------------------------------------------------------------- */

/* Whatever is wanted, no kernel has these methods. */
static void methods_without_a_kernel_are_refused(void) {
  static const reaction_text reactions[] = {{"A -> B", "1"}, {"B -> A", "2"}, {NULL, NULL}};
  static const ff_ssa_method without[] = {FF_SSA_COMPOSITION, FF_SSA_RSSA_CR, FF_SSA_SPDM};
  const double initial[] = {9, 7}, starts[2 * LAUNCH_UNITS] = {1}, time = 1;
  const uint32_t species = 0;
  ff_ssa_program *program = program_of(reactions, initial, 2);
  ff_formula until = formula_of("A > 12");
  for (unsigned i = 0; i < 8 * COUNT(without); i++) {
    const unsigned wanted = i % 8;
    const ff_device_request request = {.method = without[i / 8], .initial = initial, .times = &time, .n_times = 1,
                                           .observed = &species, .n_observed = 1, .until = wanted & UNTIL ? &until : NULL,
                                           .starts = wanted & STARTS ? starts : NULL,
                                           .max_firings = wanted & FIRES ? LAUNCH_FIRINGS : 0};
    ff_ssa_image image;
    ff_ssa_code code;
    ff_error err;
    void *memory;
    size_t bytes;
    FF_CHECK_FAILS(ff_ssa_image_new(&image, &memory, &bytes, program, &request, &err), FF_EUNSUPPORTED, &err,
                   "does not run this method");
    FF_CHECK_FAILS(ff_ssa_generate(&code, program, &request, shared_bytes, &err), FF_EUNSUPPORTED, &err,
                   "no generated code for this method");
    FF_CHECK(ff_ssa_method_check_devices(without[i / 8], &err) == FF_EUNSUPPORTED);
  }
  ff_formula_free(&until);
  ff_ssa_program_free(program);
}

/* For methods that have no such code, the error says so. */
static void other_methods_have_no_code(void) {
  static const reaction_text reactions[] = {{"A -> B", "1"}, {"B -> A", "2"}, {NULL, NULL}};
  const double initial[] = {9, 7}, time = 1;
  const uint32_t species = 0;
  ff_ssa_program *program = program_of(reactions, initial, 2);
  ff_ssa_code code;
  ff_error err;
  const ff_device_request request = {.method = FF_SSA_SORTING, .initial = initial, .times = &time, .n_times = 1,
                                         .observed = &species, .n_observed = 1, .max_firings = 1};
  FF_CHECK_FAILS(ff_ssa_generate(&code, program, &request, shared_bytes, &err), FF_EUNSUPPORTED, &err, "list firings");
  ff_ssa_program_free(program);
}

FF_TEST_MAIN("ssa_follow", make_folder, methods_give_the_trajectories, code_gives_all_combinations,
             random_networks_give_the_trajectories, schedules_give_the_trajectories, methods_without_a_kernel_are_refused,
             other_methods_have_no_code, remove_folder)
