/* Compares generated code for a wave of several points with the engines of this processor, bit for bit. */
#include "generated_code.h"

#include "factor_examples.h"
#include "group_networks.h"
#include "ring_examples.h"
#include "random_reactions.h"
#include "schedule_points.h"
#include "ssa_points.h"

/* Runs the code of the first program for all of them, and compares. They differ in what is data, unless `alike` is 0. */
static void check_points(ff_ssa_program *const *programs, ff_ssa_method method, uint32_t n_species, double last, int alike,
                         const char *what) {
  double times[LAUNCH_TIMES];
  uint32_t species[64], *words = NULL;
  uint64_t events[POINTS] = {0};
  ff_error err;
  generated g = {0};
  ff_device_point points[POINTS];
  for (uint32_t i = 0; i < LAUNCH_TIMES; i++) times[i] = last * i / (LAUNCH_TIMES - 1);
  for (uint32_t s = 0; s < n_species; s++) species[s] = s;
  for (uint32_t p = 0; p < POINTS; p++)
    points[p] = (ff_device_point){programs[p], programs[p]->initial, LAUNCH_KEY + p * UINT64_C(0x123456789AB),
                                      point_until != NULL ? point_until + p : NULL};
  ff_device_request request = {.method = method, .times = times, .n_times = LAUNCH_TIMES, .observed = species,
                                   .n_observed = n_species, .points = points, .n_points = POINTS, .n_each = EACH};
  for (uint32_t p = 0; p < POINTS; p++) {
    ff_ssa_code code;
    request.initial = points[p].initial;
    request.until = points[p].until;
    FF_CHECK_OK(ff_ssa_generate(p == 0 ? &g.code : &code, programs[p], &request, shared_bytes, &err), &err);
    if (p == 0) words = ff_calloc((size_t)POINTS * ff_ssa_code_point_words(&g.code), sizeof *words);
    if (p > 0) FF_CHECK_SAY(ff_ssa_code_alike(&g.code, &code) == alike, "%s: point %u", what, p);
    ff_ssa_code_point(p == 0 ? &g.code : &code, points[p].key, words + p * ff_ssa_code_point_words(&g.code) * (alike || p == 0));
    if (p > 0) ff_ssa_code_free(&code);
  }
  void *library = alike ? compile(&g.code, folder) : NULL;
  if (library != NULL) {
    ff_launch run = points_launch(&request, FF_SSA_CODE_WORDS + g.code.n_counts + g.code.n_rows + g.code.n_store, events);
    *(void **)&g.run = dlsym(library, "s_host");
    g.rows = ff_calloc((size_t)(g.code.n_rows + g.code.n_sums) * g.code.threads, sizeof *g.rows);
    run.points = words;
    memset(g.code.rates, 0, g.code.n_rates * sizeof *g.code.rates); /* nobody reads them */
    launch_all(&run, launch_generated, &g, LAUNCH_TURN);
    compare_points(&run, programs, &request, what);
    launch_free(&run);
    free(g.rows);
    dlclose(library);
  }
  ff_ssa_code_free(&g.code);
  free(words);
}

static void several_points_give_their_trajectories(void) {
  static const reaction_text formulas[] = {{"A -> B", "=1.5 * A / (1 + B)"}, {"B -> A", "0.5"}, {"2 A + B -> A", "0.001"},
                                           {"C -> A", "=2"}, {"0 -> C", "3"}, {NULL, NULL}};
  const double initial[] = {40, 3, 2};
  for (int kind = 0; kind < 11; kind++) {
    ff_ssa_program *programs[POINTS];
    static const char *const what[] = {"direct", "first reaction", "factors", "8 reactions", "40 reactions", "sites",
                                       "many groups", "sums in global memory", "modules", "modules of several hubs",
                                       "modules in global memory"};
    for (uint32_t p = 0; p < POINTS; p++) {
      uint64_t state = 99;
      double counts[26];
      programs[p] = kind < 3   ? program_of(formulas, initial, 3)
                    : kind < 5 ? random_program(&state, 5, kind == 3 ? 8 : 40, counts)
                    : kind < 6 ? program_of_sites(4)
                    : kind < 7 ? random_many(&state, 14, 140, 0, counts)
                    : kind < 8 ? program_of_sites(7)
                               : program_of_modules(ring_examples + (kind == 9 ? 3 : 0), kind == 10 ? 900 : 12, 0, 0);
      for (uint32_t s = 0; (kind == 8 || kind == 9) && s < programs[p]->n_species; s++)
        programs[p]->initial[s] = s % 7 + 20 * (s % 3 == 0);
      vary_point(programs[p], p);
    }
    const ff_ssa_method method = kind == 1 ? FF_SSA_FIRST : kind == 2 || kind > 4 ? FF_SSA_FACTORED : FF_SSA_DIRECT;
    const uint32_t n = programs[0]->n_species < 16 ? programs[0]->n_species : 16;
    check_points(programs, method, n, kind == 10 ? 0.01 : kind == 7 ? 0.05 : kind == 8 ? 9 : kind > 4 ? 0.1 : 1, 1, what[kind]);
    if (kind > 7) FF_CHECK(programs[0]->ring != NULL);
    if (kind == 0) {
      programs[1]->changes[0].by--;
      programs[2]->change_first[1] = programs[2]->change_first[0];
      check_points(programs, method, n, 1, 0, "programs of different structure");
      programs[2]->change_first[1] = programs[0]->change_first[1];
    }
    for (uint32_t p = 0; p < POINTS; p++) ff_ssa_program_free(programs[p]);
  }
}

static void points_with_schedules_give_their_trajectories(void) {
  for (size_t i = 0; i < sizeof scheduled_points / sizeof *scheduled_points; i++) {
    ff_ssa_program *programs[POINTS];
    for (uint32_t p = 0; p < POINTS; p++) programs[p] = program_of_scheduled_point(i, p);
    check_points(programs, i % 2 == 0 ? FF_SSA_DIRECT : FF_SSA_FIRST, programs[0]->n_species, scheduled_points[i].last, 1,
                 scheduled_points[i].what);
    for (uint32_t p = 0; p < POINTS; p++) ff_ssa_program_free(programs[p]);
  }
}

static void points_have_conditions_of_their_own(void) {
  static const reaction_text formulas[] = {{"A -> B", "=1.5 * A / (1 + B)"}, {"B -> A", "0.5"}, {"2 A + B -> A", "0.001"},
                                           {"C -> A", "=2"}, {"0 -> C", "3"}, {NULL, NULL}};
  const double initial[] = {40, 3, 2};
  ff_ssa_program *programs[POINTS];
  ff_formula until[POINTS];
  make_conditions(until);
  for (uint32_t p = 0; p < POINTS; p++) {
    programs[p] = program_of(formulas, initial, 3);
    vary_point(programs[p], p);
  }
  check_points(programs, FF_SSA_DIRECT, 3, 2, 1, "conditions");
  check_points(programs, FF_SSA_FIRST, 3, 2, 1, "conditions");
  for (uint32_t p = 0; p < POINTS; p++) ff_ssa_program_free(programs[p]);
  for (size_t i = 0; i < sizeof scheduled_points / sizeof *scheduled_points; i++) {
    for (uint32_t p = 0; p < POINTS; p++) programs[p] = program_of_scheduled_point(i, p);
    check_points(programs, FF_SSA_DIRECT, programs[0]->n_species, scheduled_points[i].last, 1, scheduled_points[i].what);
    for (uint32_t p = 0; p < POINTS; p++) ff_ssa_program_free(programs[p]);
  }
  free_conditions(until);
}

/* No event adds a molecule, and counts are in global memory, where the code looks how many events no count can exceed. */
static void points_that_only_lose_molecules(void) {
  static const reaction_text decays[] = {{"A -> 0", "1"}, {"B -> 0", "1"}, {"A + B -> 0", "0.1"}, {"C -> 0", "0.5"},
                                          {NULL, NULL}};
  const double initial[] = {40, 30, 20};
  ff_ssa_program *programs[POINTS];
  for (uint32_t p = 0; p < POINTS; p++) {
    programs[p] = program_of(decays, initial, 3);
    vary_point(programs[p], p);
  }
  shared_bytes = 17000;
  check_points(programs, FF_SSA_FACTORED, 3, 1, 1, "networks that only lose molecules");
  shared_bytes = FF_SSA_SHARED_H200;
  for (uint32_t p = 0; p < POINTS; p++) ff_ssa_program_free(programs[p]);
}

FF_TEST_MAIN("ssa_generate_points", make_folder, several_points_give_their_trajectories,
             points_with_schedules_give_their_trajectories, points_have_conditions_of_their_own, points_that_only_lose_molecules,
             remove_folder)
