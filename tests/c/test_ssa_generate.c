/* Compares generated code for reaction networks with the engines of this processor, bit for bit. The CUDA backend generates the
 * code, and here it is compiled for this processor. This needs a C compiler at run time. */
#include "generated_code.h"

#include "../../src/base/ff_math.h"
#include "../../src/cuda/ssa/device/ff_ssa_launch.h"
#include "factor_examples.h"
#include "group_networks.h"
#include "random_reactions.h"

/* ---- networks ----------------------------------------------------------------------------------------------------------- */

typedef struct {
  const char *what;
  reaction_text reactions[16];
  double initial[5];
  uint32_t n_species;
  double last;
  int refuses, large; /* large: the first reaction method would refuse later */
} example;

static const example examples[] = {
    {"one reaction", {{"A -> 0", "0.5"}}, {30}, 1, 4, 0, 0},
    {"decay and dimerisation", {{"A -> 0", "1"}, {"2 A -> B", "0.002"}, {"B -> 2 A", "0.5"}, {"B -> C", "0.04"}},
      {500, 0, 0}, 3, 5, 0, 0},
    {"constant rates and pairs", {{"0 -> A", "20"}, {"A + B -> C", "0.1"}, {"C -> A + B", "1"}, {"A -> 0", "0.3"},
                                  {"0 -> B", "5"}, {"B -> 0", "0.1"}}, {3, 4, 0}, 3, 6, 0, 0},
    {"three molecules", {{"3 A -> B", "0.01"}, {"2 A + B -> C", "0.02"}, {"C -> 3 A", "1"}, {"0 -> A", "9"}},
      {5, 4, 3}, 3, 6, 0, 0},
    {"formulas", {{"A -> B", "=A / (1 + B) + exp(-A)"}, {"B -> A", "=if(A > 3, log(2 + B), sqrt(B)) * min(A, 4) ^ 1.5"},
                  {"C -> A", "A"}, {"0 -> C", "3"}, {"2 B -> C", "=0.1 * floor(B / 2)"}}, {5, 4, 3}, 3, 6, 0, 0},
    {"a sum that loses its digits", {{"A -> 0", "1e18"}, {"B -> C", "1"}, {"C -> B", "0.5"}}, {1, 30, 2}, 3, 5, 0, 0},
    {"counts that grow too large", {{"A -> 100 A", "=1e7"}}, {1073000000, 0}, 1, 1, 1, 0},
    {"an invalid propensity", {{"A -> B", "=A - 5.5"}, {"B -> A", "1"}}, {9, 0}, 2, 100, 1, 0},
    {"a formula below 0 without a reactant", {{"A -> B", "=A - 1 - B"}, {"0 -> C", "1"}}, {0, 2, 0}, 3, 9, 1, 0},
    {"a formula that is below 0 once a reactant is used up", {{"A -> 0", "=2 * A - 1"}, {"0 -> B", "1"}}, {9, 0}, 2, 100, 1, 0},
    {"no number without a reactant", {{"A + B -> 2 B", "=0.3 * A * B / (A + B)"}, {"B -> 0", "1"}, {"A -> 0", "0.4"},
                                      {"A -> B", "=0.1 * A * sqrt(A - 1)"}}, {9, 3}, 2, 100, 0, 0},
    {"a sum that becomes -0", {{"2 A -> B", "2"}}, {12, 0}, 2, 9, 0, 0},
    {"an infinite sum", {{"A -> 2 A", "1e307"}, {"2 A -> B", "1e307"}}, {1000, 0}, 2, 1e-300, 1, 1},
};

static void code_gives_the_trajectories(void) {
  for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
    const example *e = examples + i;
    ff_ssa_program *program = program_of(e->reactions, e->initial, e->n_species);
    check_program(program, i % 2 == 0 ? FF_SSA_DIRECT : FF_SSA_TREE, e->initial, e->n_species, e->last, e->refuses, e->what);
    if (!e->large) check_program(program, FF_SSA_FIRST, e->initial, e->n_species, e->last, e->refuses, e->what);
    ff_ssa_program_free(program);
  }
}

/* Random networks of these sizes. Number i is simulated by the method method_of(i). */
static void check_random_programs(const uint32_t *sizes, size_t n, uint64_t state, ff_ssa_method (*method_of)(size_t)) {
  for (size_t i = 0; i < n; i++) {
    double initial[26];
    char what[64];
    const uint32_t n_species = 3 + (uint32_t)i;
    ff_ssa_program *program = random_program(&state, n_species, sizes[i], initial);
    snprintf(what, sizeof what, "random network of %u reactions", sizes[i]);
    check_program(program, method_of(i), initial, n_species, 0.5, 0, what);
    ff_ssa_program_free(program);
  }
}

static ff_ssa_method direct_or_first(size_t i) { return i % 4 == 3 ? FF_SSA_FIRST : FF_SSA_DIRECT; }

static void random_networks_give_the_trajectories(void) {
  static const uint32_t sizes[] = {2, 5, 7, 8, 9, 16, 17, 24, 31, 40, 57, 63, 64};
  check_random_programs(sizes, sizeof sizes / sizeof sizes[0], 4711, direct_or_first);
}

/* ---- kept propensities --------------------------------------------------------------------------------------------------- */

static ff_ssa_method searching(size_t i) { return i % 2 == 0 ? FF_SSA_OPTIMISED : FF_SSA_SORTING; }

/* After the first event, "a sum that loses its digits" is all rounding error, unless it is added up again. */
static void corrected_sums_give_the_trajectories(void) {
  for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
    const example *e = examples + i;
    ff_ssa_program *program = program_of(e->reactions, e->initial, e->n_species);
    check_program(program, searching(i), e->initial, e->n_species, e->last, e->refuses, e->what);
    ff_ssa_program_free(program);
  }
  static const uint32_t sizes[] = {5, 8, 9, 17, 31, 64};
  check_random_programs(sizes, sizeof sizes / sizeof sizes[0], 1881, searching);
}

/* Sums that have been corrected many times are added up again, by the order after the event. So the time of the last event has
 * the processor's bits, too, although no count tells. */
static void sums_are_added_up_in_order(void) {
  static const reaction_text cycle[] = {{"A -> B", "0.3"}, {"B -> C", "0.7"}, {"C -> D", "1.1"},
                                        {"D -> A", "0.9"}, {"B -> A", "0.13"}, {NULL, NULL}};
  const double initial[] = {900, 300, 200, 100}, never = 1e9;
  const uint32_t species = 0;
  const ff_device_request request = {.method = FF_SSA_SORTING, .initial = initial, .times = &never, .n_times = 1,
                                         .observed = &species, .n_observed = 1};
  ff_ssa_program *program = program_of(cycle, initial, 4);
  ff_error err;
  ff_ssa_path path;
  generated g = {0};
  FF_CHECK_OK(ff_ssa_generate(&g.code, program, &request, shared_bytes, &err), &err);
  FF_CHECK_OK(ff_ssa_path_new(&path, program, &ff_ssa_finder_sorting, &err), &err);
  void *library = compile(&g.code, folder);
  if (library != NULL) {
    ff_launch run = launch_new(&request, FF_SSA_CODE_WORDS + g.code.n_counts + g.code.n_rows + g.code.n_kept);
    *(void **)&g.run = dlsym(library, "s_host");
    g.rows = ff_calloc((size_t)(g.code.n_rows + g.code.n_sums) * g.code.threads, sizeof *g.rows);
    run.steps = 400000;
    launch_generated(&g, &run, 0);
    const uint64_t bits = (uint64_t)run.state[run.slots] << 32 | run.state[0];
    ff_ssa_path_start(&path, run.key, run.first, initial);
    for (uint32_t i = 0; i < run.state[3 * run.slots]; i++) ff_ssa_path_step(&path);
    FF_CHECK(run.state[3 * run.slots] >= run.steps);
    FF_CHECK_SAY(ff_math_bits(path.time) == bits, "bits of the time: %llx, not %llx",
                 (unsigned long long)bits, (unsigned long long)ff_math_bits(path.time));
    launch_free(&run);
    free(g.rows);
    dlclose(library);
  }
  ff_ssa_path_free(&path);
  ff_ssa_code_free(&g.code);
  ff_ssa_program_free(program);
}

/* ---- factors ------------------------------------------------------------------------------------------------------------ */

static void code_for_groups_gives_the_trajectories(void) {
  for (size_t i = 0; i < FACTOR_EXAMPLES; i++) {
    const factor_example *e = factor_examples + i;
    ff_ssa_program *program = program_of_example(e);
    check_program(program, FF_SSA_FACTORED, e->initial, e->n_species, 2, 0, e->what);
    ff_ssa_program_free(program);
  }
}

/* Sums of 27, 81 and 243 members. All counts have 16 bits; one that begins close to that; the first ones are large; and one that
 * is too far from the first ones, so that all have 32 bits. */
static void sums_of_many_members(void) {
  for (uint32_t sites = 3; sites <= 5; sites++)
    for (int kind = 0; kind < 4; kind++) {
      ff_ssa_program *program = program_of_sites(sites);
      char what[64];
      if (kind == 1) program->initial[0] = 16000;
      if (kind == 2) program->initial[1] = 40000;
      if (kind == 3) program->initial[20] = 40000;
      snprintf(what, sizeof what, "%u sites, %d", sites, kind);
      check_program(program, FF_SSA_FACTORED, program->initial, program->n_species, kind > 0 ? 0.02 : 3, 0, what);
      ff_ssa_program_free(program);
    }
}

/* The counts of 2,187 members are in global memory. */
static void sums_of_thousands_of_members(void) {
  for (int kind = 0; kind < 3; kind++) {
    ff_ssa_program *program = program_of_sites(7);
    if (kind == 1) program->initial[1] = 40000;
    if (kind == 2) program->initial[20] = 40000;
    check_program(program, FF_SSA_FACTORED, program->initial, program->n_species, kind > 0 ? 0.001 : 0.1, 0, "7 sites");
    ff_ssa_program_free(program);
  }
}

/* Few events need the counts of the last species, so these are in global memory, and the others are not. */
static void counts_that_few_events_need(void) {
  ff_ssa_program *program = program_of_steps();
  const ff_device_request request = {.method = FF_SSA_FACTORED, .initial = program->initial, .times = &(double){0.5},
                                         .n_times = 1, .observed = &(uint32_t){0}, .n_observed = 1};
  ff_ssa_code code;
  ff_error err;
  FF_CHECK_OK(ff_ssa_generate(&code, program, &request, shared_bytes, &err), &err);
  FF_CHECK(strstr(code.definitions, "S_POOLS 1u") != NULL && strstr(code.definitions, "S_STORE 0u") != NULL);
  FF_CHECK(strstr(code.definitions, "S_HELD") != NULL && strstr(code.definitions, "S_HELD 0u") == NULL);
  ff_ssa_code_free(&code);
  check_program(program, FF_SSA_FACTORED, program->initial, program->n_species, 0.5, 0, "a chain with pairs");
  ff_ssa_program_free(program);
}

/* Rate equations leave out the law that makes A, so that A has 16 bits. The trajectories that exceed them are refused. */
static void counts_beyond_16_bits_are_refused(void) {
  const reaction_text reactions[] = {{"0 -> A", "=1e5 * (2 + B) / (1 + B)"}, {"A -> B", "0.001"}, {"C -> B", "0.001"},
                                     {NULL, NULL}};
  const double initial[] = {5, 3, 2};
  ff_ssa_program *program = program_of(reactions, initial, 3);
  check_program(program, FF_SSA_FACTORED, initial, 3, 1, 1, "more than 65535 molecules");
  check_program(program, FF_SSA_FACTORED, initial, 3, 0.1, 0, "fewer than 65535 molecules");
  bits32 = 1;
  check_program(program, FF_SSA_FACTORED, initial, 3, 1, 0, "code for more than 65535 molecules");
  bits32 = 0;
  ff_ssa_program_free(program);
}

/* A chain of so many species. `kind` 1: one of them has a large count, so that all have 32 bits. 2: one reaction has a rate of
 * its own. 3: both. 4: one reaction makes a hundred molecules, so that the largest count has to be looked for often. */
static ff_ssa_program *chain(uint32_t n, int kind) {
  ff_reactions *net = ring_of(n);
  if (kind == 1 || kind == 3) net->initial[20] = 40000;
  if (kind == 2 || kind == 3) net->reactions[100].rate.word[0].number = 2;
  if (kind == 4) net->reactions[5].products[0].count = 100;
  return program_of_network(net);
}

/* Code that has room for large counts, although they stay small: with a table, with counts in global memory, and for many
 * groups. */
static void code_for_large_counts_gives_the_trajectories(void) {
  ff_ssa_program *const programs[] = {program_of_sites(4), program_of_steps(), chain(600, 0), chain(600, 2)};
  bits32 = 1;
  for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
    ff_ssa_program *program = programs[i];
    check_program(program, FF_SSA_FACTORED, program->initial, program->n_species, 0.3, 0, "room for large counts");
    ff_ssa_program_free(program);
  }
  bits32 = 0;
}

/* Sums of thousands of species, in regions of parts: with as many partial sums as seem best, with few, and with parts only. The
 * species around the end of the first sum are observed, or those around the reaction that differs. */
static void chains_give_the_trajectories(void) {
  static const struct { uint32_t n; int kind; uint32_t blocks, observed; const char *has[3]; } chains[] = {
      {9000, 0, 0, 8160, {"S_ONES 1u", "S_MAPPED 1u", "S_BITS32 0u"}},
      {9000, 0, 8, 8160, {"S_REGIONS 8u", "S_ONES 1u", "S_BITS32 0u"}},
      {700, 0, 0, 0, {"S_GROUPS 1u", "S_APART 0u", "S_REGIONS 1u"}}, /* not as modules */
      {1200, 0, 0, 1136, {"S_GROUPS 1u", "S_APART 1u", "S_SPLIT 1u"}},
      {9000, 0, 113, 8160, {"S_REGIONS 1u", "S_PARTS 113u", "S_ONES 1u"}},
      {9000, 1, 0, 0, {"S_ONES 1u", "S_MAPPED 1u", "S_BITS32 1u"}},
      {9000, 2, 12, 80, {"S_REGIONS 12u", "S_ONES 0u", "S_BITS32 0u"}},
      {6000, 3, 0, 80, {"S_APART 1u", "S_ONES 0u", "S_BITS32 1u"}},
      {9000, 4, 0, 0, {"S_ONES 1u", "S_STEP16 100u", "S_BITS32 0u"}},
  };
  for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
    ff_ssa_program *program = chain(chains[i].n, chains[i].kind);
    char what[64];
    snprintf(what, sizeof what, "chain %zu", i);
    blocks = chains[i].blocks;
    first_observed = chains[i].observed;
    check_program(program, FF_SSA_FACTORED, program->initial, 64, chains[i].kind % 2 == 1 ? 0.1 : 1, 0, what);
    const ff_device_request request = {.method = FF_SSA_FACTORED, .initial = program->initial, .times = &(double){1},
                                           .n_times = 1, .observed = &(uint32_t){0}, .n_observed = 1, .blocks = blocks};
    ff_ssa_code code;
    ff_error err;
    FF_CHECK_OK(ff_ssa_generate(&code, program, &request, shared_bytes, &err), &err);
    for (int k = 0; k < 3; k++)
      FF_CHECK_SAY(strstr(code.definitions, chains[i].has[k]) != NULL, "%s: not %s", what, chains[i].has[k]);
    ff_ssa_code_free(&code);
    blocks = first_observed = 0;
    ff_ssa_program_free(program);
  }
}

/* Counts are in global memory if shared memory has no room for those of enough threads: here, even for few counts. */
static void counts_apart_give_the_trajectories(void) {
  shared_bytes = 17000;
  code_for_groups_gives_the_trajectories();
  counts_beyond_16_bits_are_refused();
  shared_bytes = FF_SSA_SHARED_H200;
}

/* Networks with few different rates, so that they have groups with hubs, pools and weights. */
static ff_ssa_program *random_groups(uint64_t *state, uint32_t n_species, uint32_t n, double *initial) {
  static char equations[129][40], rates[129][24];
  reaction_text reactions[130];
  static const char *const values[] = {"1", "0.5", "0.1", "0.3", "=0.3 * A / (1 + B)"};
  const uint64_t pool = 2 + below(state, 3);
  uint32_t r = 0;
  for (uint32_t s = 0; s < n_species; s++) initial[s] = (double)below(state, 30);
  for (uint32_t i = 0; i < pool; i++)
    for (uint32_t j = i; j < pool; j++, r++) {
      snprintf(equations[r], sizeof *equations, i == j ? "2 %c -> %c" : "%c + %c -> C", 'A' + (int)i,
               i == j ? 'D' : 'A' + (int)j);
      snprintf(rates[r], sizeof *rates, "0.01");
    }
  for (; r < n; r++) {
    const char a = (char)('A' + below(state, n_species)), b = (char)('A' + below(state, n_species));
    const char c = (char)('A' + below(state, n_species)), hub = (char)('A' + below(state, 2));
    static const char *const forms[] = {"%c -> %c", "%c -> 0", "%c + %c -> %c", "%c + %c -> 2 %c", "3 %c -> %c + %c"};
    const uint64_t form = below(state, 16), kind = form < 4 ? 0 : form < 6 ? 1 : form < 10 ? 2 : form < 15 ? 3 : 4;
    if (form == 14)
      snprintf(equations[r], sizeof *equations, "0 -> %c", a);
    else
      snprintf(equations[r], sizeof *equations, forms[kind], a, kind < 2 ? b : kind < 4 && hub != a ? hub : b, c);
    snprintf(rates[r], sizeof *rates, "%s", values[form == 14 ? 0 : below(state, 32) == 0 ? 4 : below(state, 4)]);
  }
  for (uint32_t i = 0; i < n; i++) reactions[i] = (reaction_text){equations[i], rates[i]};
  reactions[n] = (reaction_text){NULL, NULL};
  return program_of(reactions, initial, n_species);
}

static void random_groups_give_the_trajectories(void) {
  uint64_t state = 20;
  for (uint32_t i = 0; i < 12; i++) {
    double initial[26];
    char what[64];
    const uint32_t n_species = 5 + 2 * (uint32_t)below(&state, 11);
    ff_ssa_program *program = random_groups(&state, n_species, 20 + 8 * i, initial);
    blocks = i % 4;
    bits32 = i % 3 == 2;
    snprintf(what, sizeof what, "random network %u: %u groups", i, ff_ssa_program_groups(program));
    check_program(program, FF_SSA_FACTORED, initial, n_species, 0.3, 0, what);
    ff_ssa_program_free(program);
  }
  blocks = 0;
  bits32 = 0;
}

/* In every third network, counts are in global memory. In every fourth, some counts that no propensity needs are not observed. */
static void random_changes_give_the_trajectories(void) {
  uint64_t state = 60221;
  for (uint32_t i = 0; i < 24; i++) {
    double initial[26];
    char what[64];
    const uint32_t n_species = 8 + below(&state, 19), read = 2 + below(&state, n_species - 4), n = 3 + below(&state, 12);
    ff_ssa_program *program = random_changes(&state, n_species, read, n, initial);
    snprintf(what, sizeof what, "random changes %u: %u of %u species, %u reactions", i, read, n_species, n);
    shared_bytes = i % 3 == 2 ? 17000 : FF_SSA_SHARED_H200;
    blocks = i / 3 % 4;
    check_program(program, FF_SSA_FACTORED, initial, i % 4 == 3 ? (read + n_species) / 2 : n_species, 0.5, 0, what);
    ff_ssa_program_free(program);
  }
  blocks = 0;
  shared_bytes = FF_SSA_SHARED_H200;
}

/* The reaction with the most members of sums is another one than that with the most other counts. */
static void reactions_change_members_and_others(void) {
  const reaction_text reactions[] = {
      {"L + J -> 0", "0.01"}, {"K + Q -> A + G", "1.1"}, {"L + Q -> M + H", "0.9"}, {NULL, NULL}};
  const double initial[] = {0, 27, 0, 0, 18, 15, 22, 13, 0, 12, 9, 13, 27, 9, 0, 29, 5, 26, 2};
  ff_ssa_program *program = program_of(reactions, initial, 19);
  check_program(program, FF_SSA_FACTORED, initial, 19, 0.5, 0, "members and others");
  ff_ssa_program_free(program);
}

/* ---- many groups -------------------------------------------------------------------------------------------------------- */

static void rings_of_regions_give_the_trajectories(void) {
  static const struct { uint32_t n; double people; int distinct; double last; } rings[] = {
    {20, 50, 0, 3}, {32, 50, 0, 3}, {64, 50, 0, 3}, {100, 1000, 0, 0.3}, {100, 40000, 0, 0.02}, {100, 30, 1, 3}, {150, 30, 1, 3},
    {256, 30, 1, 3}};
  for (size_t i = 0; i < sizeof rings / sizeof *rings; i++) {
    ff_ssa_program *program = program_of_regions(rings[i].n, rings[i].people, rings[i].distinct);
    char what[64];
    snprintf(what, sizeof what, "ring %zu: %u groups", i, ff_ssa_program_groups(program));
    check_program(program, FF_SSA_FACTORED, program->initial, program->n_species, rings[i].last, 0, what);
    ff_ssa_program_free(program);
  }
}

/* GPUs with 64 and 100 KB of shared memory have other tables, places and threads. What a block takes of it must fit. */
static void code_for_smaller_gpus(void) {
  static const uint32_t sizes[] = {65536, 102400};
  for (size_t i = 0; i < 2; i++) {
    shared_bytes = sizes[i];
    ff_ssa_program *programs[] = {program_of_sites(5), program_of_regions(100, 50, 0), program_of_regions(8, 50, 0)};
    for (size_t k = 0; k < 3; k++) {
      const ff_ssa_method method = k < 2 ? FF_SSA_FACTORED : FF_SSA_SORTING;
      const ff_device_request request = {.method = method, .initial = programs[k]->initial, .times = &(double){1},
                                             .n_times = 1, .observed = &(uint32_t){0}, .n_observed = 1};
      ff_ssa_code code;
      ff_error err;
      check_program(programs[k], method, programs[k]->initial, programs[k]->n_species, 0.5, 0, "a smaller GPU");
      FF_CHECK_OK(ff_ssa_generate(&code, programs[k], &request, shared_bytes, &err), &err);
      const uint32_t bytes = 4 * (code.n_table + (code.n_rows + code.n_sums) * code.threads) + FF_SSA_BLOCK_BYTES;
      FF_CHECK_SAY(bytes <= shared_bytes, "%u of %u bytes", bytes, shared_bytes);
      ff_ssa_code_free(&code);
      ff_ssa_program_free(programs[k]);
    }
  }
  shared_bytes = FF_SSA_SHARED_H200;
}

/* Rings whose events read what they change from a table. One rate is so large that the sum loses its digits. */
static void tables_give_the_trajectories(void) {
  static const struct { uint32_t n; double people, last, rate; } rings[] = {{6, 300, 20, 0}, {11, 30, 5, 1e18},
                                                                            {11, 30, 5, 1e18}, {40, 30, 2, 0}};
  for (size_t i = 0; i < 4; i++) {
    ff_ssa_program *program = program_of_regions(rings[i].n, rings[i].people, 1);
    if (rings[i].rate > 0) program->propensities[3].rate = rings[i].rate;
    check_program(program, searching(i), program->initial, program->n_species, rings[i].last, 0, "a ring of regions");
    ff_ssa_program_free(program);
  }
}

static void many_random_groups_give_the_trajectories(void) {
  static const uint32_t sizes[] = {40, 66, 68, 102, 140, 240, 300, 398};
  uint64_t state = 33;
  for (uint32_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
    double initial[26];
    char what[64];
    const uint32_t n_species = 12 + i % 14;
    ff_ssa_program *program = random_many(&state, n_species, sizes[i / 2], i % 2 * 61, initial);
    snprintf(what, sizeof what, "many random groups %u: %u", i, ff_ssa_program_groups(program));
    blocks = i / 2 % 4;
    bits32 = i % 5 == 3;
    check_program(program, FF_SSA_FACTORED, initial, n_species, 0.05, 0, what);
    ff_ssa_program_free(program);
  }
  blocks = 0;
  bits32 = 0;
}

FF_TEST_MAIN("ssa_generate", make_folder, code_gives_the_trajectories, random_networks_give_the_trajectories,
             corrected_sums_give_the_trajectories, sums_are_added_up_in_order, tables_give_the_trajectories,
             code_for_groups_gives_the_trajectories,
             sums_of_many_members, sums_of_thousands_of_members, counts_that_few_events_need, counts_beyond_16_bits_are_refused,
             code_for_large_counts_gives_the_trajectories,
             chains_give_the_trajectories, counts_apart_give_the_trajectories, random_groups_give_the_trajectories,
             random_changes_give_the_trajectories, reactions_change_members_and_others,
             rings_of_regions_give_the_trajectories, code_for_smaller_gpus, many_random_groups_give_the_trajectories,
             remove_folder)
