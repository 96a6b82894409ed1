/* Exact stochastic simulation: programs, trees of sums, methods against closed forms, and ensembles. */
#include "../../src/ssa/engine/ff_ssa_engine.h"
#include "../../src/ssa/lanes/ff_ssa_vector32.h"
#include "../../src/ssa/schedule/ff_ssa_trajectory.h"
#include "random.h"
#include "simulations.h"

/* ---- programs ----------------------------------------------------------------------------------------------------------- */

/* The law that is found for a reaction, and its propensity in a state, against the definition. */
static void recognises_laws(void) {
  static const struct {
    reaction_text reaction;
    ff_ssa_law law;
    double wanted; /* with 5 A and 3 B */
  } cases[] = {
      {{"0 -> A", "2"}, FF_LAW_CONSTANT, 2},
      {{"A -> 0", "2"}, FF_LAW_LINEAR, 10},
      {{"2 A -> 0", "2"}, FF_LAW_TWIN, 20},
      {{"A + B -> 0", "2"}, FF_LAW_PAIR, 30},
      {{"3 A -> 0", "2"}, FF_LAW_PRODUCT, 20},
      {{"2 A + B -> 0", "2"}, FF_LAW_PRODUCT, 60},
      {{"6 A -> 0", "2"}, FF_LAW_PRODUCT, 0},
      {{"A -> 0", "=2 * A"}, FF_LAW_LINEAR, 10},
      {{"A -> 0", "=A * 2 / 4"}, FF_LAW_LINEAR, 2.5},
      {{"A + B -> 0", "=B * (2 * A)"}, FF_LAW_PAIR, 30},
      {{"2 A -> 0", "=2 * A * (A - 1) / 2"}, FF_LAW_TWIN, 20},
      {{"2 A -> 0", "=(A - 1) * 2 * A / 2"}, FF_LAW_TWIN, 20},
      {{"2 A + B -> 0", "=B * A * (A - 1)"}, FF_LAW_PRODUCT, 60},
      {{"3 A -> 0", "=A * (A - 1) * (A - 2)"}, FF_LAW_PRODUCT, 60},
      {{"B -> 0", "=2 * A * B"}, FF_LAW_PAIR, 30},
      {{"0 -> A", "=2 * 3"}, FF_LAW_CONSTANT, 6},
      {{"A -> 0", "=2"}, FF_LAW_FORMULA, 2},            /* 0 without A, and 2 otherwise */
      {{"B -> 0", "=2 * A"}, FF_LAW_FORMULA, 10},       /* 0 without B */
      {{"2 A -> 0", "=A * A"}, FF_LAW_FORMULA, 25},     /* 0 with one A */
      {{"A -> 0", "=A * A * (A - 1)"}, FF_LAW_FORMULA, 100},
      {{"A -> 0", "=A * (A - 1) * (A - 3)"}, FF_LAW_FORMULA, 40},
      {{"A -> 0", "=A * (A - 0.5)"}, FF_LAW_FORMULA, 22.5},
      {{"A -> 0", "=2 * A + B"}, FF_LAW_FORMULA, 13},
      {{"A -> 0", "=6 / B * A"}, FF_LAW_FORMULA, 10},
      {{"A -> 0", "=-A * -2"}, FF_LAW_FORMULA, 10},
      {{"A -> 0", "A + 1"}, FF_LAW_SCALED, 30},         /* mass action with a rate that is a formula */
      {{"7 A -> 0", "A + 1"}, FF_LAW_SCALED, 0},
      {{"2 A -> 0", "B"}, FF_LAW_SCALED, 30},
  };
  const double initial[] = {5, 3};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const reaction_text list[] = {cases[i].reaction, {NULL, NULL}};
    ff_ssa_program *program = program_of(list, initial, 2);
    ff_ssa_path path;
    ff_error err;
    FF_CHECK_OK(ff_ssa_path_new(&path, program, &ff_ssa_finder_direct, &err), &err);
    ff_ssa_path_start(&path, 1, 0, initial);
    FF_CHECK_INT(program->propensities[0].law, cases[i].law);
    FF_CHECK(ff_ssa_path_propensity(&path, 0) == cases[i].wanted);
    ff_ssa_path_free(&path);
    ff_ssa_program_free(program);
  }
}

static void lists_dependents(void) {
  static const reaction_text list[] = {{"A -> B", "1"}, {"B -> A", "1"}, {"B + C -> C", "1"}, {"C -> 0", "=C / (1 + A)"},
                                       {"0 -> D", "1"}, {"D -> D", "1"}, {NULL, NULL}};
  static const uint32_t wanted[6][4] = {{0, 1, 2, 3}, {0, 1, 2, 3}, {1, 2}, {2, 3}, {5}, {0}};
  static const size_t lengths[6] = {4, 4, 2, 2, 1, 0};
  const double initial[4] = {1, 1, 1, 1};
  ff_ssa_program *p = program_of(list, initial, 4);
  uint32_t mark[6] = {0}, found[6];
  for (uint32_t r = 0; r < 6; r++) {
    FF_CHECK_INT(p->depend_first[r + 1] - p->depend_first[r], lengths[r]);
    FF_CHECK_INT(ff_ssa_gather(p, r, mark, r + 1, found), lengths[r]);
    FF_CHECK(memcmp(p->dependents + p->depend_first[r], wanted[r], lengths[r] * sizeof(uint32_t)) == 0);
  }
  FF_CHECK(ff_ssa_program_coupling(p) == 13.0 / 6);
  FF_CHECK_INT(ff_ssa_program_formulas(p), 1);
  ff_ssa_program_free(p);
}

/* A compiler may be freed after any number of steps: memory checkers see what it forgets. */
static void compiles_in_steps(void) {
  static const reaction_text list[] = {{"A -> B", "1"}, {"B -> A", "=B * (1 + A)"}, {"B + C -> C", "2"}, {NULL, NULL}};
  const double initial[3] = {1, 1, 1};
  ff_reactions *net = network_of(list, initial, 3);
  ff_ssa_program *program = NULL;
  ff_error err;
  for (int steps = 0; program == NULL; steps++) {
    ff_ssa_compiler *compiler;
    FF_CHECK_OK(ff_ssa_compiler_new(&compiler, net, 0, &err), &err);
    for (int i = 0; i < steps && program == NULL; i++) FF_CHECK_OK(ff_ssa_compiler_step(compiler, &program, &err), &err);
    ff_ssa_compiler_free(compiler);
  }
  FF_CHECK_INT(program->n_changes, 3 + 2);
  FF_CHECK_INT(ff_ssa_program_formulas(program), 1);
  ff_ssa_program_free(program);
  ff_reactions_free(net);
}

/* The dependents of many reactions take several steps to count, and several to list. */
static void lists_in_steps(void) {
  enum { MANY = 3000, FEW = 12 }; /* reactions, with 9 million dependents; and the steps that a small network takes */
  static reaction_text list[MANY + 1];
  for (int r = 0; r < MANY; r++) list[r] = (reaction_text){"A -> 0", "1"};
  const double initial[1] = {1};
  ff_reactions *net = network_of(list, initial, 1);
  ff_ssa_compiler *compiler;
  ff_ssa_program *program = NULL;
  ff_error err;
  int steps = 0;
  FF_CHECK_OK(ff_ssa_compiler_new(&compiler, net, 0, &err), &err);
  for (; program == NULL; steps++) FF_CHECK_OK(ff_ssa_compiler_step(compiler, &program, &err), &err);
  ff_ssa_compiler_free(compiler);
  FF_CHECK(steps >= FEW + 6);
  FF_CHECK(ff_ssa_program_coupling(program) == MANY);
  int sorted = 1;
  for (size_t i = 0; i < (size_t)MANY * MANY; i++) sorted &= program->dependents[i] == i % MANY;
  FF_CHECK(sorted && program->depend_first[MANY] == (size_t)MANY * MANY);
  ff_ssa_program_free(program);
  ff_reactions_free(net);
}

/* ---- trees of sums ------------------------------------------------------------------------------------------------------ */

/* Updates of some leaves give the bits that summing all gives; small whole numbers are found exactly. */
static void sums_and_finds(void) {
  static const uint32_t sizes[] = {1, 2, 7, 8, 9, 63, 64, 65, 512, 513, 5000};
  uint64_t seed = 1;
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    ff_ssa_tree tree, again;
    ff_error err;
    uint32_t n = sizes[s], leaves[40];
    FF_CHECK_OK(ff_ssa_tree_new(&tree, n, &err), &err);
    FF_CHECK_OK(ff_ssa_tree_new(&again, n, &err), &err);
    for (uint32_t i = 0; i < n; i++) tree.value[i] = again.value[i] = uniform(&seed);
    ff_ssa_tree_sum(&tree);
    for (int round = 0; round < 20; round++) {
      for (size_t i = 0; i < 40; i++) {
        leaves[i] = below(&seed, n);
        again.value[leaves[i]] = tree.value[leaves[i]] = round % 3 ? uniform(&seed) * pow(10, round) : 0;
      }
      ff_ssa_tree_update(&tree, leaves, 40);
      ff_ssa_tree_sum(&again);
      FF_CHECK(ff_ssa_tree_total(&tree) == ff_ssa_tree_total(&again));
    }
    double total = 0;
    for (uint32_t i = 0; i < n; i++) total += tree.value[i] = (double)((next_random(&seed) >> 40) % 4);
    if (total == 0) total = tree.value[0] = 1;
    ff_ssa_tree_sum(&tree);
    FF_CHECK(ff_ssa_tree_total(&tree) == total);
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
      for (double k = 0; k < tree.value[i]; k++, sum++) {
        FF_CHECK_INT(ff_ssa_tree_find(&tree, sum), i);
        FF_CHECK_INT(ff_ssa_tree_find(&tree, sum + 0.999), i);
      }
    FF_CHECK(tree.value[ff_ssa_tree_find(&tree, total)] > 0); /* above the sum by rounding */
    ff_ssa_tree_free(&tree);
    ff_ssa_tree_free(&again);
  }
}

/* ---- methods against closed forms --------------------------------------------------------------------------------------- */

typedef struct {
  const char *what;
  reaction_text reactions[5];
  double initial[3];
  uint32_t n_species, observed;
  double time;
  int poisson;       /* the distribution is Poisson with `mean`, or else binomial of n and p */
  double mean, n, p;
} closed_form;

static double log_factorial(double n) { return lgamma(n + 1); }

static double probability(const closed_form *form, double k) {
  if (form->poisson) return exp(k * log(form->mean) - form->mean - log_factorial(k));
  if (k > form->n) return 0;
  return exp(log_factorial(form->n) - log_factorial(k) - log_factorial(form->n - k) + k * log(form->p) +
             (form->n - k) * log1p(-form->p));
}

/* Counts against the closed form, with cells of at least 10 expected trajectories. */
static chi_square compare(const closed_form *form, const double *states, uint32_t n) {
  chi_square x = chi_square_of(n, 10);
  for (double k = 0, more = 1; more > 0 && k < 1000; k++) {
    double here = 0;
    for (uint32_t i = 0; i < n; i++) here += states[i] == k;
    more = chi_square_add(&x, n * probability(form, k), here);
  }
  return x;
}

enum { PATHS = 20000 };

static void agrees_with(const closed_form *form, ff_ssa_method method) {
  ff_ssa_program *program = program_of(form->reactions, form->initial, form->n_species);
  if (!ff_ssa_method_exact(method) || ff_ssa_method_check(program, method, NULL) != FF_OK) {
    ff_ssa_program_free(program);
    return;
  }
  const uint32_t n = method > FF_SSA_NEXT ? PATHS / 4 : PATHS; /* many methods: the test must stay short */
  double *states = malloc(n * sizeof *states), *const columns[] = {states};
  ff_run_options options = {.method = method, .key = 11, .n = n, .times = &form->time, .n_times = 1,
                            .observed = &form->observed, .n_observed = 1, .states = columns, .threads = 2};
  ff_run *run = run_to_end(program, &options, 0.1);
  chi_square x = compare(form, states, n);
  double z = chi_square_quantile(&x);
  FF_CHECK_SAY(z < 4.5 && x.cells >= 4, "%s, %s: z = %g with %g cells", form->what, ff_ssa_method_name(method), z,
               x.cells); /* z is above 4.5 with probability 3e-6 each */
  FF_CHECK_INT(ff_run_complete(run), n);
  ff_run_free(run);
  ff_ssa_program_free(program);
  free(states);
}

static void agree_with_closed_forms(void) {
  static const closed_form forms[] = {
      {"immigration and death", {{"0 -> A", "10"}, {"A -> 0", "1"}}, {0}, 1, 0, 0.7, 1, 10 * (1 - 0.49658530379140951), 0, 0},
      {"death", {{"A -> 0", "0.5"}}, {30}, 1, 0, 1, 0, 0, 30, 0.60653065971263342},
      {"death as a formula", {{"A -> 0", "=0.5 * A + 0"}}, {30}, 1, 0, 1, 0, 0, 30, 0.60653065971263342},
      {"isomers", {{"A -> B", "1"}, {"B -> A", "2"}}, {40, 0}, 2, 1, 0.4, 0, 0, 40, (1 - 0.30119421191220214) / 3},
      {"a law of its own", {{"A -> B", "=A / (1 + B * 0)"}, {"B -> A", "=2 * B + 0 * A"}}, {40, 0}, 2, 1, 0.4, 0, 0, 40,
       (1 - 0.30119421191220214) / 3},
      {"immigration as formulas", {{"0 -> A", "=4 + B - B"}, {"0 -> A", "6"}, {"0 -> B", "3"}, {"B -> 0", "1"}, {NULL, NULL}},
       {0, 2}, 2, 0, 0.7, 1, 7, 0, 0},
      {"chain", {{"A -> B", "1"}, {"B -> C", "1"}}, {25, 0, 0}, 3, 2, 2, 0, 0, 25, 1 - 3 * 0.13533528323661270},
  };
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    for (ff_ssa_method method = 0; method < FF_SSA_METHODS; method++) agrees_with(&forms[i], method);
}

/* ---- ensembles ---------------------------------------------------------------------------------------------------------- */

enum { TIMES = 6, SPECIES = 3, RUNS = 97 };

static const reaction_text busy[] = {{"A -> 0", "1"}, {"2 A -> B", "0.01"}, {"B -> 2 A", "0.5"}, {"B -> C", "=0.04 * B"},
                                     {"0 -> A", "20"}, {"C -> A + C", "=C / (1 + A)"}, {NULL, NULL}};
static const double busy_initial[] = {100, 0, 0};
static const double busy_times[TIMES] = {0, 0.3, 0.3, 1, 2, 4};
static const uint32_t busy_observed[SPECIES] = {2, 0, 1};

/* The same, or for methods that refuse its formulas, a similar network without them. */
static ff_ssa_program *busy_program(ff_ssa_method method) {
  static const reaction_text elementary[] = {{"A -> 0", "1"}, {"2 A -> B", "0.01"}, {"B -> 2 A", "0.5"}, {"B -> C", "0.04"},
                                             {"0 -> A", "20"}, {"C + B -> A + C", "0.1"}, {"B + A -> B", "0.01"},
                                             {NULL, NULL}};
  ff_ssa_program *program = program_of(busy, busy_initial, SPECIES);
  if (ff_ssa_method_check(program, method, NULL) == FF_OK) return program;
  ff_ssa_program_free(program);
  return program_of(elementary, busy_initial, SPECIES);
}

/* The states of all trajectories, by species. */
typedef struct {
  double count[SPECIES][RUNS * TIMES];
} recorded;

static ff_run_options busy_options(ff_ssa_method method, double *const *states, int threads) {
  return (ff_run_options){.method = method, .key = 5, .n = RUNS, .times = busy_times, .n_times = TIMES, .observed = busy_observed,
                          .n_observed = SPECIES, .states = states, .threads = threads};
}

static void check_moments(ff_run *run, const recorded *states) {
  ff_sums *sums;
  ff_error err;
  FF_CHECK_OK(ff_run_sums(run, &sums, &err), &err);
  for (uint32_t i = 0; i < TIMES; i++)
    for (uint32_t j = 0; j < SPECIES; j++) {
      ff_count_moments m = sums->counts[i * sums->n_counts + j];
      double sum = 0, second = 0, third = 0, min = INFINITY, max = -INFINITY;
      for (uint32_t k = 0; k < RUNS; k++) sum += states->count[j][k * TIMES + i];
      for (uint32_t k = 0; k < RUNS; k++) {
        double x = states->count[j][k * TIMES + i], d = x - sum / RUNS;
        second += d * d / RUNS;
        third += d * d * d / RUNS;
        min = fmin(min, x);
        max = fmax(max, x);
      }
      ff_sum_central central = ff_sum_moments(&m.sums, RUNS);
      FF_CHECK(central.mean == sum / RUNS);
      FF_CHECK_NEAR(central.second, second, 1e-10 * (1 + second));
      FF_CHECK_NEAR(central.third, third, 1e-8 * (1 + pow(second, 1.5)));
      FF_CHECK(m.min == min && m.max == max);
    }
}

/* Runs a method and keeps all states. Returns the number of steps. */
static uint64_t run_busy(const ff_ssa_program *program, recorded *states, ff_ssa_method method, int threads, double piece) {
  double *const columns[SPECIES] = {states->count[0], states->count[1], states->count[2]};
  ff_run_options options = busy_options(method, columns, threads);
  memset(states, 0, sizeof *states);
  ff_run *run = run_to_end(program, &options, piece);
  uint64_t steps = ff_run_steps(run);
  ff_run_free(run);
  if (!ff_ssa_method_whole(method)) return steps;
  options.states = NULL;
  run = run_to_end(program, &options, piece);
  check_moments(run, states);
  FF_CHECK_INT(ff_run_steps(run), steps);
  ff_run_free(run);
  return steps;
}

/* Threads, pieces and divisions change no bit. */
static void does_not_depend_on_work(void) {
  static recorded one, other;
  for (ff_ssa_method method = 0; method < FF_SSA_METHODS; method++) {
    ff_ssa_program *program = busy_program(method);
    uint64_t steps = run_busy(program, &one, method, 1, 10);
    FF_CHECK(steps > (ff_ssa_method_whole(method) ? 100u : 10u) * RUNS);
    for (uint32_t k = 0; k < RUNS; k++) {
      FF_CHECK(one.count[1][k * TIMES] == 100); /* the initial state, and a time that is given twice */
      for (uint32_t j = 0; j < SPECIES; j++) FF_CHECK(one.count[j][k * TIMES + 1] == one.count[j][k * TIMES + 2]);
    }
    for (int threads = 2; threads <= 5; threads++) {
      FF_CHECK_INT(run_busy(program, &other, method, threads, threads == 3 ? 0 : 10), steps);
      FF_CHECK(memcmp(&one, &other, sizeof one) == 0);
    }
    memset(&other, 0, sizeof other); /* in two parts */
    for (int part = 0; part < 2; part++) {
      uint32_t first = part ? 40 : 0;
      double *const columns[SPECIES] = {other.count[0] + first * TIMES, other.count[1] + first * TIMES,
                                        other.count[2] + first * TIMES};
      ff_run_options options = busy_options(method, columns, 2);
      options.first = first;
      options.n = part ? RUNS - 40 : 40;
      ff_run_free(run_to_end(program, &options, 10));
    }
    FF_CHECK(memcmp(&one, &other, sizeof one) == 0);
    ff_ssa_program_free(program);
  }
}

/* Networks of two species and many reactions of all laws, so that the tree of propensities has several levels. */
static ff_ssa_program *many_reactions(uint32_t n) {
  static const reaction_text kinds[] = {{"A -> B", "0.3"}, {"B -> A", "0.2"}, {"A -> A", "=A / (1 + B)"},
                                        {"A + B -> 2 B", "0.01"}, {"2 B -> A + B", "0.01"}, {"B -> B", "0"},
                                        {"0 -> A", "0.5"}, {"3 A -> 2 A", "0.0001"}, {"A -> 0", "=0.01 * max(A, B) * A"},
                                        {"B -> 2 B", "A * 0.001"}};
  const double initial[] = {60, 40};
  reaction_text *list = calloc(n + 1, sizeof *list);
  for (uint32_t r = 0; r < n; r++) list[r] = kinds[(r * 7) % 10];
  ff_ssa_program *program = program_of(list, initial, 2);
  free(list);
  return program;
}

/* Compares trajectories one at a time with those in vectors of all kinds. */
static void compare_vectors(const ff_ssa_program *program) {
  enum { N = 41 };
  const double times[] = {0, 0.02, 0.05};
  const uint32_t observed[] = {0, 1};
  double one[2][N * 3], other[2][N * 3];
  ff_ssa_path path;
  ff_error err;
  FF_CHECK_OK(ff_ssa_path_new(&path, program, &ff_ssa_finder_direct, &err), &err);
  for (uint32_t unit = 0; unit < N; unit++) {
    ff_ssa_path_start(&path, 5, unit, program->initial);
    for (uint32_t i = 0; i < 3; i++) {
      while (path.next_time <= times[i]) ff_ssa_path_step(&path);
      for (uint32_t j = 0; j < 2; j++) one[j][unit * 3 + i] = path.count[j];
    }
  }
  ff_ssa_path_free(&path);
  for (ff_simd simd = FF_SIMD_PORTABLE; simd <= ff_simd_best(); simd++) {
    double **columns = malloc(2 * sizeof *columns);
    columns[0] = other[0];
    columns[1] = other[1];
    ff_run_options options = {.method = FF_SSA_DIRECT, .key = 5, .n = N, .times = times, .n_times = 3, .observed = observed,
                              .n_observed = 2, .states = columns, .threads = 2, .simd = simd};
    ff_run *run;
    int done = 0;
    memset(other, 0, sizeof other);
    FF_CHECK_OK(ff_ssa_run_new(&run, program, &options, &err), &err);
    free(columns); /* the list is copied */
    while (!done) FF_CHECK_OK(ff_run_advance(run, 0, &done, &err), &err);
    ff_run_free(run);
    FF_CHECK_SAY(memcmp(&one, &other, sizeof one) == 0, "%u reactions, %s", program->n_reactions, ff_simd_name(simd));
  }
}

/* Vectors of any width give the bits of one trajectory at a time, for trees of one to four levels. */
static void vectors_change_no_bit(void) {
  static const uint32_t sizes[] = {1, 7, 8, 9, 40, 64, 65, 300, 512};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    ff_ssa_program *program = many_reactions(sizes[k]);
    compare_vectors(program);
    ff_ssa_program_free(program);
  }
  static const double initial[] = {60, 40};
  static const reaction_text simple[] = {{"A -> B", "0.3"}, {"2 B -> A + B", "0.01"}, {"0 -> A", "0.5"}, {"A + B -> 2 B", "0.01"},
                                         {"B -> A", "0.2"}, {"A -> 0", "0.1"}, {"B -> 3 B", "0.02"}, {"2 A -> A", "0.003"},
                                         {"B -> B", "0"}};
  reaction_text list[32] = {{NULL, NULL}};
  for (int n = 0; n < 31; n++) list[n] = simple[n * 4 % 9];
  for (int n = 31; n > 0; n--) { /* another engine */
    ff_ssa_program *program = program_of(list, initial, 2);
    FF_CHECK(ff_ssa_engine_vector32_can(program));
    compare_vectors(program);
    ff_ssa_program_free(program);
    list[n - 1] = (reaction_text){NULL, NULL};
  }
  static const reaction_text large[] = {{"A -> A + 3000001 B", "3"}, {"A -> B", "0.3"}, {"B -> A", "1e-6"}, {NULL, NULL}};
  ff_ssa_program *program = program_of(large, initial, 2); /* a change of more than 21 bits */
  FF_CHECK(ff_ssa_engine_vector32_can(program));
  compare_vectors(program);
  ff_ssa_program_free(program);
}

/* Also trajectories without steps are simulated in short pieces. */
static void works_in_pieces(void) {
  const double time = 0;
  for (ff_ssa_method method = 0; method < FF_SSA_METHODS; method++) {
    ff_ssa_program *program = busy_program(method);
    ff_run_options options = {.method = method, .n = 1000000, .times = &time, .n_times = 1, .threads = 1};
    ff_run *run;
    ff_error err;
    int done = 0;
    FF_CHECK_OK(ff_ssa_run_new(&run, program, &options, &err), &err);
    FF_CHECK_OK(ff_run_advance(run, 0, &done, &err), &err);
    FF_CHECK(!done && ff_run_complete(run) < 100000);
    ff_run_free(run);
    ff_ssa_program_free(program);
  }
}

/* The state at a time is the same whichever other times are asked for. */
static void times_do_not_change_trajectories(void) {
  static recorded all;
  static double last[SPECIES][RUNS];
  double *const columns[SPECIES] = {last[0], last[1], last[2]};
  for (ff_ssa_method method = 0; method < FF_SSA_METHODS; method++) {
    ff_ssa_program *program = busy_program(method);
    run_busy(program, &all, method, 2, 10);
    ff_run_options options = busy_options(method, columns, 2);
    options.times = busy_times + TIMES - 1;
    options.n_times = 1;
    ff_run_free(run_to_end(program, &options, 10));
    for (uint32_t j = 0; j < SPECIES; j++)
      for (uint32_t k = 0; k < RUNS; k++) FF_CHECK(all.count[j][k * TIMES + TIMES - 1] == last[j][k]);
    ff_ssa_program_free(program);
  }
}

/* A program that does not list its dependents gives the same bits. */
static void needs_no_lists(void) {
  static recorded one, other;
  for (ff_ssa_method method = 0; method < FF_SSA_METHODS; method++) {
    ff_ssa_program *program = busy_program(method);
    uint32_t *lists = program->dependents;
    run_busy(program, &one, method, 1, 10);
    program->dependents = NULL;
    run_busy(program, &other, method, 1, 10);
    program->dependents = lists;
    FF_CHECK(memcmp(&one, &other, sizeof one) == 0);
    ff_ssa_program_free(program);
  }
}

static void failed_run(const reaction_text *reactions, const double *initial, ff_status status, const char *text, int threads,
                       ff_ssa_method method) {
  ff_ssa_program *program = program_of(reactions, initial, 2);
  const double time = 100;
  ff_run_options options = {.method = method, .key = 3, .n = 50, .times = &time, .n_times = 1, .threads = threads};
  ff_error err;
  FF_CHECK_INT(status_of(program, &options, 0.01, &err), status);
  FF_CHECK_STR(err.text, text);
  ff_ssa_program_free(program);
}

static void reports_growth(int threads, ff_ssa_method method) {
  static const reaction_text growing[] = {{"A -> A + 4000000000 B", "100"}, {NULL, NULL}};
  const double initial[] = {8, 0};
  ff_error err;
  char text[200];
  ff_ssa_program *program = program_of(growing, initial, 2);
  ff_ssa_path path;
  FF_CHECK_OK(ff_ssa_path_new(&path, program, ff_ssa_finder_of(method), &err), &err);
  ff_ssa_path_start(&path, 3, 0, initial);
  while (path.failure.what == FF_SSA_FINE) ff_ssa_path_step(&path);
  FF_CHECK(path.step == 275); /* 2^40 / 4e9 = 274.9 */
  snprintf(text, sizeof text,
           "the count of species \"B\" exceeds 2^40 at time %g of trajectory 1; reactions that make it: \"R1\"", path.time);
  failed_run(growing, initial, FF_ESIZE, text, threads, method);
  ff_ssa_path_free(&path);
  ff_ssa_program_free(program);
}

/* The failure of the first trajectory is reported, whichever thread finds one first. */
static void reports_failures(void) {
  static const reaction_text negative[] = {{"A -> B", "=A - 3"}, {NULL, NULL}};
  static const reaction_text infinite[] = {{"A -> B", "=A / (5 - B)"}, {NULL, NULL}};
  const double initial[] = {8, 0};
  for (int threads = 1; threads <= 3; threads++)
    for (ff_ssa_method method = 0; method < FF_SSA_METHODS; method++) {
      ff_error err;
      if (!ff_ssa_method_exact(method)) continue; /* its times are others */
      reports_growth(threads, method);
      ff_ssa_program *program = program_of(negative, initial, 2);
      ff_ssa_path path;
      if (ff_ssa_method_check(program, method, NULL) != FF_OK) {
        FF_CHECK_INT(ff_ssa_path_new(&path, program, ff_ssa_finder_of(method), &err), FF_EUNSUPPORTED);
        FF_CHECK_STR(err.text, "the rate of reaction \"R1\" is not mass action of at most two molecules, which "
                     "partial-propensity methods need; choose another method");
        ff_ssa_program_free(program);
        continue;
      }
      FF_CHECK_OK(ff_ssa_path_new(&path, program, ff_ssa_finder_of(method), &err), &err);
      ff_ssa_path_start(&path, 3, 0, initial);
      while (path.failure.what == FF_SSA_FINE && path.next_time < INFINITY) ff_ssa_path_step(&path);
      FF_CHECK_INT(path.failure.what, FF_SSA_FINE); /* it stops when the propensity is 0 */
      ff_ssa_path_free(&path);
      ff_ssa_program_free(program);
      const double fewer[] = {2, 0};
      failed_run(negative, fewer, FF_EMODEL,
                 "the propensity of reaction \"R1\" is -1 at time 0 of trajectory 1, where \"A\" is 2; expected a finite number "
                 "of at least 0", threads, method);
      program = program_of(infinite, initial, 2);
      FF_CHECK_OK(ff_ssa_path_new(&path, program, ff_ssa_finder_of(method), &err), &err);
      ff_ssa_path_start(&path, 3, 0, initial);
      while (path.failure.what == FF_SSA_FINE) ff_ssa_path_step(&path);
      char text[200];
      snprintf(text, sizeof text,
               "the propensity of reaction \"R1\" is Inf at time %g of trajectory 1, where \"A\" is 3, \"B\" is 5; expected a "
               "finite number of at least 0", path.time);
      failed_run(infinite, initial, FF_EMODEL, text, threads, method);
      ff_ssa_path_free(&path);
      ff_ssa_program_free(program);
    }
}

/* Of many trajectories, few fail: the first of them is named, whoever simulates it. */
static void reports_the_first_failure(void) {
  static const reaction_text rare[] = {{"A -> B", "=A / (3 - B)"}, {NULL, NULL}};
  const double initial[] = {8, 0}, time = 0.06;
  char wanted[FF_ERROR_TEXT] = "";
  ff_ssa_program *program = program_of(rare, initial, 2);
  for (int threads = 0; threads <= 4; threads++)
    for (ff_simd simd = FF_SIMD_PORTABLE; simd <= ff_simd_best(); simd++) {
      ff_run_options options = {.method = threads == 0 ? FF_SSA_TREE : FF_SSA_DIRECT, .key = 3, .n = 200, .times = &time,
                                .n_times = 1, .threads = threads == 0 ? 1 : threads, .simd = simd};
      ff_error err;
      FF_CHECK_INT(status_of(program, &options, 0.01, &err), FF_EMODEL);
      if (wanted[0] == '\0') {
        strcpy(wanted, err.text);
        FF_CHECK(strstr(wanted, "trajectory 1;") == NULL); /* it is not in the first lane */
      }
      FF_CHECK_STR(err.text, wanted);
    }
  ff_ssa_program_free(program);
}

static void refuses_options(void) {
  ff_ssa_program *program = program_of(busy, busy_initial, SPECIES);
  const double early[] = {1, 0.5}, negative[] = {-1}, never[] = {INFINITY}, large[] = {0x1p41, 0, 0}, broken[] = {0.5, 0, 0};
  ff_run_options fine = busy_options(FF_SSA_TREE, NULL, 1), o;
  ff_run *run;
  ff_error err;
#define REFUSED(change, status)                                     \
  do {                                                              \
    o = fine;                                                       \
    change;                                                         \
    FF_CHECK_INT(ff_ssa_run_new(&run, program, &o, &err), status);  \
    FF_CHECK(run == NULL);                                          \
  } while (0)
  REFUSED((o.times = early, o.n_times = 2), FF_EARGUMENT);
  REFUSED((o.times = negative, o.n_times = 1), FF_EARGUMENT);
  REFUSED((o.times = never, o.n_times = 1), FF_EARGUMENT);
  REFUSED(o.n_times = 0, FF_EARGUMENT);
  REFUSED(o.threads = 0, FF_EARGUMENT);
  REFUSED(o.initial = large, FF_ESIZE);
  REFUSED(o.initial = broken, FF_EARGUMENT);
  o = fine;
  o.initial = broken;
  o.method = FF_SSA_ODE; /* its counts are not whole */
  FF_CHECK_OK(ff_ssa_run_new(&run, program, &o, &err), &err);
  ff_run_free(run);
  REFUSED(o.n = UINT64_MAX, FF_ESIZE);
  REFUSED(o.first = FF_PHILOX_MAX_UNITS, FF_ESIZE);
  ff_ssa_program_free(program);
}

/* Nothing to do, and nothing that can happen. */
static void runs_without_events(void) {
  static const reaction_text none[] = {{NULL, NULL}}, idle[] = {{"A -> B", "1"}, {NULL, NULL}};
  const double initial[] = {0, 7};
  for (int i = 0; i < 2; i++) {
    ff_ssa_program *program = program_of(i ? idle : none, initial, 2);
    for (ff_ssa_method method = 0; ff_ssa_method_whole(method); method++) {
      const double times[] = {0, 1e300};
      const uint32_t observed = 1;
      ff_run_options options = {.method = method, .n = 3, .times = times, .n_times = 2, .observed = &observed, .n_observed = 1,
                                .threads = 2};
      ff_run *run = run_to_end(program, &options, 1);
      ff_sums *sums;
      ff_error err;
      FF_CHECK_OK(ff_run_sums(run, &sums, &err), &err);
      ff_count_moments m = sums->counts[sums->n_counts];
      FF_CHECK(m.min == 7 && m.max == 7 && ff_sum_value(m.sums.first) == 21);
      FF_CHECK_INT(ff_run_steps(run), 0);
      ff_run_free(run);
      options.n = 0;
      run = run_to_end(program, &options, 1);
      FF_CHECK_INT(ff_run_complete(run), 0);
      ff_run_free(run);
    }
    ff_ssa_program_free(program);
  }
}

FF_TEST_MAIN("ssa", recognises_laws, lists_dependents, compiles_in_steps, lists_in_steps, sums_and_finds,
             agree_with_closed_forms, does_not_depend_on_work, vectors_change_no_bit, works_in_pieces,
             times_do_not_change_trajectories, needs_no_lists, reports_failures, reports_the_first_failure, refuses_options,
             runs_without_events)
