/* Compares generated code for a wave of several points with the engines of this processor, bit for bit. */
#include "generated_code.h"

#include "factor_examples.h"
#include "group_networks.h"
#include "module_examples.h"
#include "random_reactions.h"

#define POINTS 3u
#define EACH 7u

/* Compares what the points of a wave have recorded with runs of the processor. */
static void compare_points(const ff_ssa_launch *run, ff_ssa_program *const *programs, const ff_ssa_device_request *request,
                           const char *what) {
  double *states[64];
  for (uint32_t j = 0; j < request->n_species; j++) states[j] = ff_calloc((size_t)EACH * run->n_times, sizeof(double));
  for (uint32_t p = 0; p < POINTS; p++) {
    const ff_ssa_options options = {.method = request->method, .key = request->points[p].key, .n = EACH,
                                    .initial = request->points[p].initial, .times = request->times, .n_times = request->n_times,
                                    .observed = request->species, .n_observed = request->n_species, .states = states,
                                    .threads = 1};
    ff_ssa_run *cpu = run_to_end(programs[p], &options, 1);
    uint32_t wrong = 0;
    for (uint32_t k = 0; k < EACH; k++)
      for (uint32_t i = 0; i < run->n_times; i++)
        for (uint32_t j = 0; j < request->n_species; j++)
          wrong += (double)FF_SSA_RECORD(run, i, p * EACH + k)[j * run->units] != states[j][k * run->n_times + i];
    FF_CHECK_SAY(wrong == 0, "%s: %u counts of point %u differ", what, wrong, p);
    FF_CHECK_SAY(run->point_events[p] == ff_ssa_run_events(cpu), "%s: %llu events, not %llu", what,
                 (unsigned long long)run->point_events[p], (unsigned long long)ff_ssa_run_events(cpu));
    ff_ssa_run_free(cpu);
  }
  FF_CHECK_SAY(run->refused[0] == 0, "%s: refused", what);
  for (uint32_t j = 0; j < request->n_species; j++) free(states[j]);
}

/* Runs the code of the first program for all of them, and compares. They differ in what is data, unless `alike` is 0. */
static void check_points(ff_ssa_program *const *programs, ff_ssa_method method, uint32_t n_species, double last, int alike,
                         const char *what) {
  double times[LAUNCH_TIMES];
  uint32_t species[64], *words = NULL;
  uint64_t events[POINTS] = {0};
  ff_error err;
  generated g = {0};
  ff_ssa_device_point points[POINTS];
  for (uint32_t i = 0; i < LAUNCH_TIMES; i++) times[i] = last * i / (LAUNCH_TIMES - 1);
  for (uint32_t s = 0; s < n_species; s++) species[s] = s;
  for (uint32_t p = 0; p < POINTS; p++)
    points[p] = (ff_ssa_device_point){programs[p], programs[p]->initial, LAUNCH_KEY + p * UINT64_C(0x123456789AB)};
  ff_ssa_device_request request = {.method = method, .times = times, .n_times = LAUNCH_TIMES, .species = species,
                                   .n_species = n_species, .points = points, .n_points = POINTS, .n_each = EACH};
  for (uint32_t p = 0; p < POINTS; p++) {
    ff_ssa_code code;
    request.initial = points[p].initial;
    FF_CHECK_OK(ff_ssa_generate(p == 0 ? &g.code : &code, programs[p], &request, shared_bytes, &err), &err);
    if (p == 0) words = ff_calloc((size_t)POINTS * ff_ssa_code_point_words(&g.code), sizeof *words);
    if (p > 0) FF_CHECK_SAY(ff_ssa_code_alike(&g.code, &code) == alike, "%s: point %u", what, p);
    ff_ssa_code_point(p == 0 ? &g.code : &code, points[p].key, words + p * ff_ssa_code_point_words(&g.code) * (alike || p == 0));
    if (p > 0) ff_ssa_code_free(&code);
  }
  void *library = alike ? compile(&g.code, folder) : NULL;
  if (library != NULL) {
    ff_ssa_launch run = launch_new(&request, FF_SSA_CODE_WORDS + g.code.n_counts + g.code.n_rows + g.code.n_store);
    *(void **)&g.run = dlsym(library, "s_host");
    g.rows = ff_calloc((size_t)(g.code.n_rows + g.code.n_sums) * g.code.threads, sizeof *g.rows);
    run.units = POINTS * EACH;
    free(run.recorded);
    run.recorded = ff_calloc((size_t)run.units * LAUNCH_TIMES * n_species, sizeof *run.recorded);
    run.points = words;
    run.each = EACH;
    run.point_events = events;
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

/* Changes the rate constants and initial counts of a program, as another row of a sweep would. */
static void vary(ff_ssa_program *p, uint32_t by) {
  for (uint32_t s = 0; s < p->n_species; s++) p->initial[s] += by * (s % 2);
  for (uint32_t r = 0; r < p->n_reactions; r++) p->propensities[r].rate *= 1 + 0.25 * by;
  for (uint32_t i = 0; i < p->factor->n_groups && p->factor->n_groups != FF_FACTOR_NONE; i++)
    p->factor->groups[i].rate *= 1 + 0.25 * by;
  for (uint32_t i = 0; p->modules != NULL && i < p->modules->n_terms; i++) p->modules->terms[i].rate *= 1 + 0.25 * by;
  for (uint32_t f = 0; f < p->n_formulas; f++)
    for (uint32_t i = 0; i < p->formulas[f].length; i++)
      if (p->formulas[f].word[i].code == FF_F_NUMBER) p->formulas[f].word[i].number *= 1 + 0.125 * by;
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
                               : program_of_modules(module_examples + (kind == 9 ? 3 : 0), kind == 10 ? 900 : 12, 0, 0);
      for (uint32_t s = 0; (kind == 8 || kind == 9) && s < programs[p]->n_species; s++)
        programs[p]->initial[s] = s % 7 + 20 * (s % 3 == 0);
      vary(programs[p], p);
    }
    const ff_ssa_method method = kind == 1 ? FF_SSA_FIRST : kind == 2 || kind > 4 ? FF_SSA_FACTORED : FF_SSA_DIRECT;
    const uint32_t n = programs[0]->n_species < 16 ? programs[0]->n_species : 16;
    check_points(programs, method, n, kind == 10 ? 0.01 : kind == 7 ? 0.05 : kind == 8 ? 9 : kind > 4 ? 0.1 : 1, 1, what[kind]);
    if (kind > 7) FF_CHECK(programs[0]->modules != NULL);
    if (kind == 0) {
      programs[1]->changes[0].by--;
      programs[2]->change_first[1] = programs[2]->change_first[0];
      check_points(programs, method, n, 1, 0, "programs of different structure");
      programs[2]->change_first[1] = programs[0]->change_first[1];
    }
    for (uint32_t p = 0; p < POINTS; p++) ff_ssa_program_free(programs[p]);
  }
}

/* No event adds a molecule, and counts are in global memory, where the code looks how many events no count can exceed. */
static void points_that_only_lose_molecules(void) {
  static const reaction_text decays[] = {{"A -> 0", "1"}, {"B -> 0", "1"}, {"A + B -> 0", "0.1"}, {"C -> 0", "0.5"}, {NULL, NULL}};
  const double initial[] = {40, 30, 20};
  ff_ssa_program *programs[POINTS];
  for (uint32_t p = 0; p < POINTS; p++) {
    programs[p] = program_of(decays, initial, 3);
    vary(programs[p], p);
  }
  shared_bytes = 17000;
  check_points(programs, FF_SSA_FACTORED, 3, 1, 1, "networks that only lose molecules");
  shared_bytes = FF_SSA_SHARED_H200;
  for (uint32_t p = 0; p < POINTS; p++) ff_ssa_program_free(programs[p]);
}

FF_TEST_MAIN("ssa_generate_points", make_folder, several_points_give_their_trajectories, points_that_only_lose_molecules,
             remove_folder)
