/* Compares trajectories of reaction networks on a GPU with those of this processor, bit for bit:
 *
 *   ssa_check fireflip_cuda.so [cache=FOLDER] [random=NETWORKS] [part=N] [method=NAME] [only=TEST]
 *
 * for 50 random networks (or so many) and some others, with every method and every kernel. With part=N, one of N trajectories of
 * each test, which is enough for compute-sanitizer's racecheck. `ssa_check list` prints the names of the tests. With files of
 * networks, it also measures the speed of both:
 *
 *   ssa_check fireflip_cuda.so [cache=FOLDER] [kernel=NAME] [method=NAME] [n=TRAJECTORIES] [compare=TRAJECTORIES] [points=N]
 *             [apart=1] [blocks=N] [block=W] FILE=TIME ...
 *
 * With blocks=N, generated code for large sums has N partial sums at the top (ff_device_request).
 * With block=W, W warps of a block run a trajectory together where kernel "generic" can do so (ff_ssa_generic_block.h); several
 * points of a sweep that run together do not.
 * With points=N, this is a sweep of N points: all rate constants, and numbers of formulas for rates, are multiplied by 1 to 2.
 * With apart=1, they run one after the other.
 *
 * A file has a network as bench/ssa.R writes it for bench/plain_ssa.c: the numbers of species and reactions, the initial counts,
 * and for each reaction its rate constant, reactants and changes; or it is a text of tests/c/text_networks.h. It is simulated to
 * the time. `make cuda-check` builds this program, and `make gpu-check` runs it.
 */
#define _GNU_SOURCE /* mkdtemp */
#include "../../src/ssa/groups/ff_ssa_factor.h"
#include "../../src/ssa/rings/ff_ssa_ring.h"
#include "../c/coupled_examples.h"
#include "../c/factor_examples.h"
#include "../c/ring_examples.h"
#include "../c/random_reactions.h"
#include "../c/schedule_examples.h"
#include "backend_checks.h"
#include "ssa_check_compare.h"
#include "ssa_check_files.h"
#include "ssa_check_follow.h"
#include "ssa_check_points.h"

static int n_arguments;
static char **arguments;

/* ---- networks of this file ---------------------------------------------------------------------------------------------- */

/* The method of this name, or else `otherwise`. */
static ff_ssa_method method_of(const char *name, ff_ssa_method otherwise) {
  for (int m = 0; m < FF_SSA_METHODS && name != NULL; m++)
    if (strcmp(ff_ssa_method_name((ff_ssa_method)m), name) == 0) return (ff_ssa_method)m;
  return otherwise;
}

/* The methods of the kernels that read networks as data. */
static const ff_ssa_method generic_methods[] = {FF_SSA_TREE, FF_SSA_FIRST, FF_SSA_NEXT, FF_SSA_OPTIMISED, FF_SSA_SORTING,
                                                FF_SSA_RSSA, FF_SSA_BLOCK, FF_SSA_PDM,  FF_SSA_PSSA_CR};
#define GENERIC_METHODS (sizeof generic_methods / sizeof *generic_methods)

/* Six methods also have generated code. */
static void random_networks(void) {
  static const ff_ssa_method generated[] = {FF_SSA_DIRECT, FF_SSA_TREE,      FF_SSA_FACTORED,
                                            FF_SSA_FIRST,  FF_SSA_OPTIMISED, FF_SSA_SORTING};
  uint64_t state = 2027;
  uint32_t runs = 0;
  for (uint32_t i = 0; i < gpu.random; i++) {
    double initial[26];
    char name[64];
    const uint32_t n = 1 + below(&state, RANDOM_REACTIONS), n_species = 1 + below(&state, 20);
    ff_ssa_program *program = random_program(&state, n_species, n, initial);
    snprintf(name, sizeof name, "random network %u (%u reactions)", i, n);
    const ff_ssa_method method = method_of(gpu.method, generic_methods[i % GENERIC_METHODS]);
    FF_CHECK(check_program(name, program, method, "generic", 0.2, 3000, 1));
    if (gpu.method == NULL) runs += (uint32_t)check_program(name, program, generated[i % 6], "generated", 0.2, 3000, 1);
    ff_ssa_program_free(program);
  }
  FF_CHECK(gpu.method != NULL || runs == gpu.random);
}

/* Methods without a kernel, and a method that has one. */
static void methods_without_a_kernel(void) {
  static const ff_ssa_method methods[] = {FF_SSA_COMPOSITION, FF_SSA_RSSA_CR, FF_SSA_SPDM, FF_SSA_PSSA_CR};
  ff_ssa_program *program = program_of_network(ring_of(40));
  for (size_t i = 0; gpu.method == NULL && i < 4; i++) {
    FF_CHECK_INT(check_program("ring", program, methods[i], "generic", 1, 300, 1), ff_ssa_method_on_devices(methods[i]));
    FF_CHECK(!check_program("ring", program, methods[i], "generated", 1, 300, 1));
  }
  ff_ssa_program_free(program);
}

/* Chains whose events read what they change from a table. */
static void kept_propensities(void) {
  static const uint32_t species[] = {40, 100, 180};
  for (size_t i = 0; i < 3; i++)
    for (int sorts = 0; sorts < 2; sorts++) {
      const ff_ssa_method method = sorts ? FF_SSA_SORTING : FF_SSA_OPTIMISED;
      if (gpu.method != NULL && method_of(gpu.method, FF_SSA_METHODS) != method) continue;
      ff_ssa_program *program = program_of_network(ring_of(species[i]));
      FF_CHECK(check_program("ring", program, method, "generated", 1, 3000, 1));
      ff_ssa_program_free(program);
    }
}

static void groups_of_reactions(void) {
  if (gpu.method != NULL) return;
  for (size_t i = 0; i < FACTOR_EXAMPLES; i++) {
    ff_ssa_program *program = program_of_example(factor_examples + i);
    FF_CHECK(check_program(factor_examples[i].what, program, FF_SSA_FACTORED, "generated", 2, 3000, 1));
    const int can = program->factor->n_factored == program->factor->n_groups;
    FF_CHECK(check_program(factor_examples[i].what, program, FF_SSA_FACTORED, "generic", 2, 3000, 1) == can);
    ff_ssa_program_free(program);
  }
  for (uint32_t sites = 3; sites <= 5; sites++) {
    ff_ssa_program *program = program_of_sites(sites);
    for (gpu.blocks = 0; gpu.blocks < 8; gpu.blocks += 3) /* so many partial sums; 0: as many as seem best */
      FF_CHECK(check_program("sites", program, FF_SSA_FACTORED, "generated", 0.5, 3000, 1));
    gpu.blocks = 0;
    FF_CHECK(check_program("sites", program, FF_SSA_FACTORED, "generic", 0.5, 3000, 1));
    ff_ssa_program_free(program);
  }
}

/* Rings of modules: counts of 16 and 32 bits in shared memory, counts in global memory, upper sums, and sums of 64 bits. */
static void replicated_modules(void) {
  static const struct { uint32_t n, times; } rings[] = {{9, 1}, {30, 1}, {100, 1}, {1000, 1}, {20, 500}};
  for (size_t i = 0; i < RING_EXAMPLES; i++)
    for (size_t k = 0; k < sizeof rings / sizeof *rings; k++) {
      ff_ssa_program *program = program_of_modules(ring_examples + i, rings[k].n, 0, 0);
      const double whole = rings[k].n == 1000 ? 0.02 : rings[k].times == 1 ? 0.5 : 0.0002;
      const double last = gpu.part > 1 ? whole / 10 : whole; /* racecheck takes long for each event */
      FF_CHECK(program->ring != NULL);
      for (uint32_t s = 0; s < program->n_species; s++) program->initial[s] *= rings[k].times;
      FF_CHECK(check_program(ring_examples[i].what, program, FF_SSA_FACTORED, "generated", last, 3000, 1));
      ff_ssa_program_free(program);
    }
}

/* One molecule becomes many. At time 13.5, about one count of B in six needs more than 16 bits. */
static ff_ssa_program *program_of_growth(double initial[4]) {
  const reaction_text reactions[] = {{"A -> A + B", "1"}, {"B -> B + A", "1"}, {"A -> C", "0.5"},
                                     {"C -> A", "0.5"},   {"D -> A", "4"},     {NULL, NULL}};
  for (uint32_t s = 0; s < 4; s++) initial[s] = s == 3;
  return program_of(reactions, initial, 4);
}

/* Code for counts of more than 16 bits: for the networks above, and for counts that need it. */
static void requests_of_32_bits(void) {
  double initial[4];
  if (gpu.method != NULL) return;
  gpu.bits32 = 1;
  groups_of_reactions();
  for (size_t i = 0; i < RING_EXAMPLES; i++)
    for (uint32_t n = 9; n <= 1000; n = n == 9 ? 100 : 10 * n) {
      ff_ssa_program *program = program_of_modules(ring_examples + i, n, 0, 0);
      FF_CHECK(check_program(ring_examples[i].what, program, FF_SSA_FACTORED, "generated", n == 1000 ? 0.02 : 0.2, 1000, 1));
      ff_ssa_program_free(program);
    }
  ff_ssa_program *program = program_of_growth(initial);
  const double last = gpu.part > 1 ? 7 : 13.5; /* racecheck takes long for each event */
  FF_CHECK(check_program("growth", program, FF_SSA_FACTORED, "generated", last, 1000, 1));
  ff_ssa_program_free(program);
  gpu.bits32 = 0;
}

static ff_ssa_method scheduled_method(size_t i) {
  static const ff_ssa_method methods[] = {FF_SSA_TREE, FF_SSA_NEXT, FF_SSA_FIRST};
  return methods[i % 3];
}

static void check_examples(const scheduled_example *examples, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (examples[i].refuses != 0) continue;
    ff_ssa_program *program = program_of_network(network_of_text(examples[i].text));
    const ff_ssa_method method = i % 4 == 3 ? FF_SSA_FIRST : FF_SSA_DIRECT;
    FF_CHECK(check_program(examples[i].what, program, method, "generated", examples[i].last, 500, 1));
    FF_CHECK(check_program(examples[i].what, program, scheduled_method(i), "generic", examples[i].last, 100, 1));
    ff_ssa_program_free(program);
  }
}

/* Whether the processor can simulate so many trajectories in some seconds. Events of random networks may trigger each other, and
 * such a trajectory fails only after 100,000 of them. */
static int processor_can(const ff_ssa_program *program, ff_ssa_method method, double last, uint64_t n) {
  const uint32_t observed = 0;
  const ff_run_options options = {.method = method, .key = KEY, .n = n, .times = &last, .n_times = 1, .observed = &observed,
                                  .n_observed = 1, .threads = 1};
  const double end = ff_clock() + 5;
  ff_run *run;
  ff_error err;
  int done = 0;
  ff_status status = ff_ssa_run_new(&run, program, &options, &err);
  while (status == FF_OK && !done && ff_clock() < end) status = ff_run_advance(run, 0.5, &done, &err);
  ff_run_free(run);
  return done && status == FF_OK;
}

/* Events, and rates that depend on the time. */
static void scheduled_networks(void) {
  check_examples(scheduled_events, sizeof scheduled_events / sizeof *scheduled_events);
  check_examples(scheduled_rates, sizeof scheduled_rates / sizeof *scheduled_rates);
  check_examples(scheduled_both, sizeof scheduled_both / sizeof *scheduled_both);
}

static void random_scheduled_networks(void) {
  uint64_t state = 1618;
  for (uint32_t i = 0; i < gpu.random / 2; i++) {
    const uint32_t n_species = 1 + below(&state, 8), n = 1 + below(&state, i % 4 == 0 ? 30 : 8), n_events = below(&state, 7);
    ff_ssa_program *program = random_schedule(&state, n_species, n, n_events);
    const ff_ssa_method method = i % 3 == 2 ? FF_SSA_FIRST : FF_SSA_DIRECT;
    char name[64];
    snprintf(name, sizeof name, "random scheduled network %u", i);
    if (processor_can(program, method, 2, 400)) FF_CHECK(check_program(name, program, method, "generated", 2, 400, 1));
    ff_ssa_program_free(program);
  }
}

/* More reactions and events than generated code has. */
static void large_scheduled_networks(void) {
  uint64_t state = 577;
  for (uint32_t i = 0; i < gpu.random / 2; i++) {
    const uint32_t n_species = 2 + below(&state, 22), n = 1 + below(&state, 300), n_events = below(&state, 60);
    ff_ssa_program *program = random_schedule(&state, n_species, n, n_events);
    const ff_ssa_method method = scheduled_method(i);
    char name[64];
    snprintf(name, sizeof name, "large scheduled network %u", i);
    if (i % 4 == 3) { /* as if the lists were too long */
      free(program->dependents);
      program->dependents = NULL;
    }
    if (processor_can(program, method, 0.1, 100)) FF_CHECK(check_program(name, program, method, "generic", 0.1, 100, 1));
    ff_ssa_program_free(program);
  }
}

/* An event changes many propensities: the lanes share long rows, and large groups. */
static void coupled_networks(void) {
  static const ff_ssa_method methods[] = {FF_SSA_PDM, FF_SSA_PSSA_CR};
  ff_ssa_program *program = program_of_colloid(90);
  for (size_t i = 0; gpu.method == NULL && i < sizeof methods / sizeof *methods; i++)
    FF_CHECK(check_program("colloid", program, methods[i], "generic", 0.02, 100, 1));
  ff_ssa_program_free(program);
}

/* A block of warps runs a trajectory: with lists of sums, and without; with formulas. */
static void blocks_of_warps(void) {
  static const ff_ssa_method methods[] = {FF_SSA_TREE, FF_SSA_NEXT, FF_SSA_FIRST};
  static const double last[] = {0.02, 0.08, 3};
  ff_ssa_program *programs[] = {program_of_colloid(90), program_of_hubs(600), program_of_laws(30)};
  for (uint32_t i = 0; gpu.method == NULL && i < 9; i++)
    for (gpu.warps = 2; gpu.warps <= 16; gpu.warps *= 2)
      FF_CHECK(check_program("block", programs[i / 3], methods[i % 3], "generic", last[i / 3], 20, 1));
  gpu.warps = 0;
  for (size_t i = 0; i < 3; i++) ff_ssa_program_free(programs[i]);
}

/* A ring of more species than generated code has; a network that needs more than a wave of few trajectories. */
static void large_networks(void) {
  ff_ssa_program *program = program_of_network(ring_of(3000));
  const ff_ssa_method method = method_of(gpu.method, FF_SSA_TREE);
  const int slow = method != FF_SSA_TREE; /* the processor may take a long time for an event */
  FF_CHECK(check_program("ring", program, method, "generic", slow ? 0.3 : 3, slow ? 20 : 200, 1));
  if (!slow) FF_CHECK(check_program("ring", program, method, "generic", 0.5, 20000, 1));
  ff_ssa_program_free(program);
}

/* ---- conditions, firings and starts -------------------------------------------------------------------------------------- */

static int can_simulate(const ff_ssa_program *program, ff_ssa_method method) {
  ff_error err;
  return ff_ssa_method_check(program, method, &err) == FF_OK;
}

/* Random networks with every method but the factored one, which does not simulate one event after the other. */
static void conditions_and_firings(void) {
  uint64_t state = 8128;
  ff_formula until = formula_of("A > B + 5 | A < 2");
  for (uint32_t i = 0; i < gpu.random; i++) {
    double initial[26];
    char name[64];
    const uint32_t n = 1 + below(&state, RANDOM_REACTIONS), n_species = 2 + below(&state, 20);
    ff_ssa_program *program = random_program(&state, n_species, n, initial);
    snprintf(name, sizeof name, "random network %u (%u reactions)", i, n);
    for (uint32_t k = 0; k < 4; k++) {
      const ff_ssa_method method = generic_methods[(i + 3 * k) % GENERIC_METHODS];
      if (can_simulate(program, method)) check_follow(name, program, method, "generic", &until, 1 + (i + k) % 7, 0.2, 2000);
    }
    check_follow(name, program, i % 3 == 2 ? FF_SSA_FIRST : FF_SSA_DIRECT, "generated", &until, 1 + i % 7, 0.2, 2000);
    ff_ssa_program_free(program);
  }
  ff_ssa_program *program = program_of_network(ring_of(3000));
  for (unsigned wanted = 1; wanted < 8; wanted++)
    check_follow("ring", program, generic_methods[wanted], "generic", &until, wanted, 0.3, 50);
  ff_ssa_program_free(program);
  const reaction_text pairs[] = {{"2 A -> B", "2"}, {NULL, NULL}};
  const double twelve[] = {12, 0};
  program = program_of(pairs, twelve, 2);
  for (unsigned wanted = 1; wanted < 8; wanted++)
    check_follow("a sum that becomes -0", program, FF_SSA_DIRECT, "generated", &until, wanted, 9, 2000);
  ff_ssa_program_free(program);
  ff_formula_free(&until);
}

/* The same with events, or rates that depend on the time. */
static void check_scheduled_follow(const scheduled_example *examples, size_t n) {
  for (size_t i = 0; i < n; i++) {
    ff_reactions *net = network_of_text(examples[i].text);
    ff_formula until;
    ff_error err;
    const char *condition = strstr(examples[i].text, "species;B") != NULL ? "A > 27 | B > 17" : "A > 12";
    FF_CHECK_OK(ff_ssa_condition(&until, net, condition, &err), &err);
    ff_ssa_program *program = program_of_network(net);
    for (uint32_t k = 0; k < 2 && examples[i].refuses == 0; k++) {
      const ff_ssa_method method = k == 1 ? scheduled_method(i) : i % 2 == 0 ? FF_SSA_DIRECT : FF_SSA_FIRST;
      check_follow(examples[i].what, program, method, k == 1 ? "generic" : "generated", &until, 1 + (unsigned)(i + 3 * k) % 7,
                   examples[i].last, k == 1 ? 100 : 500);
    }
    ff_formula_free(&until);
    ff_ssa_program_free(program);
  }
}

static void scheduled_conditions_and_firings(void) {
  check_scheduled_follow(scheduled_events, sizeof scheduled_events / sizeof *scheduled_events);
  check_scheduled_follow(scheduled_rates, sizeof scheduled_rates / sizeof *scheduled_rates);
  check_scheduled_follow(scheduled_both, sizeof scheduled_both / sizeof *scheduled_both);
}

/* ---- several points ------------------------------------------------------------------------------------------------------ */

/* Checks a sweep whose points all run together. */
static void check_together(const char *name, sweep *s, ff_ssa_method method, const char *kernel, double last, uint64_t each) {
  check_sweep(name, s, method, kernel, last, part_of(each), 0);
  for (uint32_t i = 0; i < s->n; i++) FF_CHECK_SAY(s->joins[i], "%s: point %u", name, i);
  sweep_free(s);
}

static void several_points(void) {
  for (int kind = 0; kind < 6; kind++) {
    static const char *const names[] = {"direct", "first reaction", "20 reactions", "sites", "4 sites", "examples"};
    const ff_ssa_method method = kind == 1 ? FF_SSA_FIRST : kind > 2 ? FF_SSA_FACTORED : FF_SSA_DIRECT;
    for (int generic = 0; generic < 2; generic++) {
      sweep s = sweep_new(37);
      for (uint32_t i = 0; i < s.n; i++) {
        uint64_t state = 5;
        double counts[26];
        ff_ssa_program *program = kind < 3    ? random_program(&state, 5, kind == 2 ? 20 : 6, counts)
                                  : kind == 5 ? program_of_example(factor_examples)
                                              : program_of_sites(kind);
        vary(program, 1 + i / 16.0, i % 3);
        sweep_point(&s, i, program);
      }
      check_sweep(names[kind], &s, method, generic ? "generic" : "generated", kind < 3 ? 0.2 : 0.5,
                  part_of(kind == 1 ? 33 : 1000), 0);
      sweep_free(&s);
    }
  }
}

/* Methods that have no code for several points, or none at all; with few and with many trajectories. */
static void several_points_as_data(void) {
  static const ff_ssa_method methods[] = {FF_SSA_TREE, FF_SSA_FIRST, FF_SSA_NEXT, FF_SSA_SORTING, FF_SSA_RSSA, FF_SSA_BLOCK,
                                          FF_SSA_PDM, FF_SSA_PSSA_CR};
  for (size_t k = 0; k < 2 * sizeof methods / sizeof *methods; k++) {
    sweep s = sweep_new(k % 2 == 0 ? 37 : 5);
    for (uint32_t i = 0; i < s.n; i++) {
      ff_ssa_program *program = program_of_network(ring_of(k % 2 == 0 ? 20 : 200));
      vary(program, 1 + i / 16.0, i % 3);
      sweep_point(&s, i, program);
    }
    check_together(ff_ssa_method_name(methods[k / 2]), &s, methods[k / 2], "generic", 0.5, k % 2 == 0 ? 300 : 33);
  }
  sweep s = sweep_new(20);
  for (uint32_t i = 0; i < s.n; i++) {
    ff_ssa_program *program = program_of_network(ring_of(100));
    vary(program, 1 + i / 16.0, 0);
    sweep_point(&s, i, program);
  }
  check_together("threads", &s, FF_SSA_TREE, "generic", 0.1, 20000);
}

/* Several points run together without blocks of warps, even if these are asked for. */
static void several_points_without_blocks(void) {
  static const ff_ssa_method methods[] = {FF_SSA_TREE, FF_SSA_FIRST, FF_SSA_NEXT};
  gpu.warps = 8;
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    sweep s = sweep_new(5);
    for (uint32_t i = 0; i < s.n; i++) {
      ff_ssa_program *program = program_of_network(ring_of(200));
      vary(program, 1 + i / 16.0, i % 3);
      sweep_point(&s, i, program);
    }
    check_together("no blocks", &s, methods[m], "generic", 0.5, 33);
  }
  gpu.warps = 0;
}

static void several_scheduled_points(void) {
  static const ff_ssa_method methods[] = {FF_SSA_DIRECT, FF_SSA_FIRST, FF_SSA_NEXT};
  for (size_t k = 0; k < sizeof scheduled_points / sizeof *scheduled_points; k++)
    for (int m = 0; m < 5; m++) {
      sweep s = sweep_new(24);
      for (uint32_t i = 0; i < s.n; i++) sweep_point(&s, i, program_of_scheduled_point(k, i % 8));
      check_together(scheduled_points[k].what, &s, methods[m % 3], m > 2 ? "generated" : "generic", scheduled_points[k].last,
                     m > 2 ? 200 : 50);
    }
}

/* ---- code that is compiled at run time ----------------------------------------------------------------------------------- */

static ff_ssa_program *program_of_need(int formulas) {
  return formulas ? program_of_laws(30) : program_of_network(ring_of(20));
}

/* Runs a method with a condition and without, for a network alone and for several points. */
static void check_needs(ff_ssa_method method, int formulas, const ff_formula *until) {
  const char *name = ff_ssa_method_name(method);
  ff_ssa_program *program = program_of_need(formulas);
  if (can_simulate(program, method)) {
    FF_CHECK(check_program(name, program, method, "generic", 0.5, 300, 1));
    for (unsigned wanted = 1; wanted < 8; wanted++) check_follow(name, program, method, "generic", until, wanted, 0.5, 100);
  }
  for (int follows = 0; follows < 2 && can_simulate(program, method) && method != FF_SSA_OPTIMISED; follows++) {
    sweep s = sweep_new(5);
    for (uint32_t i = 0; i < s.n; i++) {
      ff_ssa_program *point = program_of_need(formulas);
      vary(point, formulas ? 1 : 1 + i / 16.0, i % 3);
      sweep_point(&s, i, point);
      if (follows) s.points[i].until = until;
    }
    check_together(name, &s, method, "generic", 0.5, 33);
  }
  ff_ssa_program_free(program);
}

/* Each kernel of each method that reads networks as data, but those for schedules and with a block for each trajectory. */
static void every_need(void) {
  ff_formula until = formula_of("A > B + 5 | A < 2");
  for (size_t m = 0; m < GENERIC_METHODS; m++)
    for (int formulas = 0; formulas < 2 && (gpu.method == NULL || method_of(gpu.method, FF_SSA_TREE) == generic_methods[m]);
         formulas++)
      check_needs(generic_methods[m], formulas, &until);
  ff_formula_free(&until);
  ff_ssa_program *program = program_of_network(ring_of(100)); /* a thread for each of many trajectories */
  FF_CHECK(check_program("threads", program, FF_SSA_OPTIMISED, "generic", 0.1, 20000, 1));
  FF_CHECK(check_program("threads", program, FF_SSA_SORTING, "generic", 0.1, 20000, 1));
  ff_ssa_program_free(program);
}

/* The same backend in a folder without the compiler's program: only the logarithmic method has a kernel. */
static void without_a_compiler(void) {
  const ff_device_calls *backend = gpu.backend;
  const char *cache = gpu.cache;
  char folder[] = "/tmp/ssa_check_XXXXXX", path[64], command[1200];
  ff_backend_library *library = NULL;
  const ff_backend *table = NULL;
  ff_device device;
  ff_error err;
  uint32_t n;
  FF_CHECK(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/fireflip_cuda.so", folder);
  snprintf(command, sizeof command, "cp '%.900s' '%s'", arguments[1], path);
  FF_CHECK_INT(system(command), 0);
  FF_CHECK_OK(ff_backend_open(&library, path, &err), &err);
  FF_CHECK_OK(ff_backend_table(library, &table, &err), &err);
  FF_CHECK_OK(table->devices(&device, 1, &n, &err), &err);
  FF_CHECK_FAILS(table->compiles(&device, &err), FF_EUNSUPPORTED, &err, "fireflip_nvrtc");
  gpu.backend = table->interface(FF_SSA_INTERFACE);
  gpu.cache = NULL;
  ff_ssa_program *program = program_of_need(0);
  for (size_t m = 0; m < GENERIC_METHODS; m++)
    FF_CHECK_INT(check_program("ring", program, generic_methods[m], NULL, 0.5, 300, 1), generic_methods[m] == FF_SSA_TREE);
  const double time = 1;
  const uint32_t species = 0;
  job j = {.program = program, .n = 100};
  j.request = (ff_device_request){.method = FF_SSA_RSSA, .initial = program->initial, .times = &time, .n_times = 1,
                                      .observed = &species, .n_observed = 1};
  ff_ensemble *e = NULL;
  const ff_status status = on_gpu(&e, &j, &err);
  FF_CHECK_FAILS(status, FF_EUNSUPPORTED, &err, "libnvrtc, and that of method \"logarithmic_direct\" is not");
  gpu.backend->common.destroy(e);
  ff_ssa_program_free(program);
  ff_backend_close(library);
  gpu.backend = backend;
  gpu.cache = cache;
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  FF_CHECK_INT(system(command), 0);
}

/* A whole sweep, whose points have two structures. */
static void sweeps(void) {
  static const double times[] = {0, 0.05, 0.2};
  static const uint32_t species[] = {0, 2}, device = 0;
  const ff_fleet_choice choice = {.calls = &gpu.backend->common, .devices = &device, .n_devices = 1, .cache = gpu.cache};
  for (int m = 0; m < 3; m++) {
    ff_ssa_program *programs[200];
    ff_point points[200];
    static const ff_ssa_method methods[] = {FF_SSA_DIRECT, FF_SSA_FACTORED, FF_SSA_NEXT};
    ff_sweep *s;
    ff_error err;
    int done = 0, ready = 0;
    for (uint32_t i = 0; i < 200; i++) {
      uint64_t state = i % 4 == 3 ? 6 : 5;
      double counts[26];
      programs[i] = random_program(&state, 5, i % 4 == 3 ? 12 : 6, counts);
      vary(programs[i], 1 + i / 64.0, i % 3);
      points[i] = (ff_point){&ff_ssa_engine, programs[i],
                                 {.method = methods[m], .key = i, .n = part_of(100), .times = times,
                                  .n_times = 3, .observed = species, .n_observed = 2, .threads = 1, .simd = FF_SIMD_BEST}};
    }
    const double began = ff_clock();
    FF_CHECK_OK(ff_sweep_new(&s, points, 200, 2, &err), &err);
    ff_status status = ff_sweep_use(s, &choice, &err);
    while (status == FF_OK && !ready) status = ff_sweep_ready(s, 1, &ready, &err);
    const double begun = ff_clock();
    while (status == FF_OK && !done) status = ff_sweep_advance(s, 0.25, &done, &err);
    printf("a sweep of 200 points: ready in %.3f s, done in %.3f s\n", begun - began, ff_clock() - begun);
    FF_CHECK_OK(status, &err);
    FF_CHECK_INT(compare_runs(s, points, 200, "sweep"), 0);
    FF_CHECK(ff_sweep_lost(s) == NULL);
    ff_sweep_free(s);
    for (uint32_t i = 0; i < 200; i++) ff_ssa_program_free(programs[i]);
  }
}

/* ---- arguments ---------------------------------------------------------------------------------------------------------- */

static void sweep_of_file(const char *path, double last) {
  const ff_run_options options = {.n = gpu.n};
  sweep s = sweep_new(gpu.points);
  for (uint32_t i = 0; i < s.n; i++) {
    ff_ssa_program *program = program_of_network(read_network(path));
    vary(program, 1 + (double)i / s.n, 0);
    sweep_point(&s, i, program);
  }
  double changed;
  const ff_ssa_method method = method_of(gpu.method, ff_ssa_method_of(s.programs[0], &options, &changed));
  check_sweep(strrchr(path, '/') + 1, &s, method, gpu.kernel, last, gpu.n / s.n, 4);
  sweep_free(&s);
}

static void networks_of_files(void) {
  printf("%-26s %-18s %-9s %10s %10s %10s %7s %7s\n", "network", "method", "kernel", "events/s", "whole", "CPU", "ready s",
         "GPU s");
  for (int i = 2; i < n_arguments; i++) {
    char *value = strchr(arguments[i], '=');
    if (value == NULL) continue;
    *value++ = '\0';
    if (strcmp(arguments[i], "cache") == 0) gpu.cache = value;
    else if (strcmp(arguments[i], "kernel") == 0) gpu.kernel = *value != '\0' ? value : NULL;
    else if (strcmp(arguments[i], "method") == 0) gpu.method = *value != '\0' ? value : NULL;
    else if (strcmp(arguments[i], "n") == 0) gpu.n = (uint64_t)atof(value);
    else if (strcmp(arguments[i], "compare") == 0) gpu.compare = (uint64_t)atof(value);
    else if (strcmp(arguments[i], "points") == 0) gpu.points = (uint32_t)atof(value);
    else if (strcmp(arguments[i], "apart") == 0) gpu.apart = (uint32_t)atof(value);
    else if (strcmp(arguments[i], "blocks") == 0) gpu.blocks = (uint32_t)atof(value);
    else if (strcmp(arguments[i], "block") == 0) gpu.warps = (uint32_t)atof(value);
    else if (gpu.points > 1) {
      sweep_of_file(arguments[i], atof(value));
    } else {
      ff_ssa_program *program = program_of_network(read_network(arguments[i]));
      const ff_run_options options = {.n = gpu.n};
      double changed;
      const ff_ssa_method method = method_of(gpu.method, ff_ssa_method_of(program, &options, &changed));
      check_program(strrchr(arguments[i], '/') + 1, program, method, gpu.kernel, atof(value), gpu.n, 0);
      ff_ssa_program_free(program);
    }
  }
}

int main(int argc, char **argv) {
  static const ff_check_test own[] = {{"random_networks", random_networks},
                                      {"methods_without_a_kernel", methods_without_a_kernel},
                                      {"kept_propensities", kept_propensities},
                                      {"groups_of_reactions", groups_of_reactions},
                                      {"several_points", several_points},
                                      {"several_points_as_data", several_points_as_data},
                                      {"several_points_without_blocks", several_points_without_blocks},
                                      {"several_scheduled_points", several_scheduled_points},
                                      {"every_need", every_need},
                                      {"without_a_compiler", without_a_compiler},
                                      {"sweeps", sweeps},
                                      {"replicated_modules", replicated_modules},
                                      {"requests_of_32_bits", requests_of_32_bits},
                                      {"coupled_networks", coupled_networks},
                                      {"blocks_of_warps", blocks_of_warps},
                                      {"large_networks", large_networks},
                                      {"conditions_and_firings", conditions_and_firings},
                                      {"scheduled_conditions_and_firings", scheduled_conditions_and_firings},
                                      {"scheduled_networks", scheduled_networks},
                                      {"random_scheduled_networks", random_scheduled_networks},
                                      {"large_scheduled_networks", large_scheduled_networks}};
  static const ff_check_test files[] = {{"networks_of_files", networks_of_files}};
  const int n_own = (int)(sizeof own / sizeof *own);
  ff_backend_library *library = NULL;
  if (backend_checks_lists(argc, argv)) {
    for (int k = 0; k < n_own; k++) puts(own[k].name);
    return 0;
  }
  gpu.backend = backend_checks_open(&library, FF_SSA_INTERFACE, "[cache=FOLDER] [FILE=TIME ...]", argc, argv);
  if (gpu.backend == NULL) return 2;
  n_arguments = argc;
  arguments = argv;
  const char *only = NULL;
  int has_files = 0;
  for (int i = 2; i < argc; i++) {
    has_files |= strchr(argv[i], '/') != NULL && strncmp(argv[i], "cache=", 6) != 0;
    if (strncmp(argv[i], "cache=", 6) == 0) gpu.cache = argv[i] + 6;
    if (strncmp(argv[i], "method=", 7) == 0) gpu.method = argv[i] + 7;
    if (strncmp(argv[i], "block=", 6) == 0) gpu.warps = (uint32_t)atoi(argv[i] + 6);
    if (strncmp(argv[i], "random=", 7) == 0) gpu.random = (uint32_t)atoi(argv[i] + 7);
    if (strncmp(argv[i], "part=", 5) == 0 && atoi(argv[i] + 5) > 0) gpu.part = (uint32_t)atoi(argv[i] + 5);
    if (strncmp(argv[i], "only=", 5) == 0) only = argv[i] + 5;
  }
  const int first = only != NULL ? backend_checks_find(own, n_own, only) : 0;
  if (first < 0) return 2;
  const int failed = has_files ? ff_check_main("ssa_check", files, 1, 1, argv)
                               : ff_check_main("ssa_check", own + first, only != NULL ? 1 : n_own, 1, argv);
  ff_backend_close(library);
  return failed;
}
