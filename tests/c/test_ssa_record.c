/* What ensembles record: variables, covariances, histograms, firings, conditions that end trajectories, and starts. */
#include "random_reactions.h"
#include "simulations.h"
#include "text_networks.h"

static const reaction_text busy[] = {{"A -> 0", "1"}, {"2 A -> B", "0.01"}, {"B -> 2 A", "0.5"}, {"0 -> A", "20"}, {NULL, NULL}};
static const double busy_initial[] = {40, 5};
static const double times[] = {0, 0.3, 1};
enum { TIMES = 3, RUNS = 61 };

/* A busy program with the variables A / (1 + B), A + B and time * A. */
static ff_ssa_program *program_with_variables(void) {
  static const char *const texts[] = {"A / (1 + B)", "A + B", "time * A"};
  ff_ssa_program *p = program_of(busy, busy_initial, 2);
  free(p->variables);
  p->variables = ff_calloc(3, sizeof *p->variables);
  p->n_variables = 3;
  for (int v = 0; v < 3; v++) {
    p->variables[v] = formula_of(texts[v]);
    if (p->variables[v].depth > p->depth) p->depth = p->variables[v].depth;
  }
  return p;
}

/* ---- variables and statistics ------------------------------------------------------------------------------------------- */

enum { OBSERVED = 5 };
static const uint32_t observed[OBSERVED] = {1, 2, 0, 3, 4};

typedef struct {
  double value[OBSERVED][RUNS * TIMES];
} recorded;

/* Whether a method simulates this network, and one event after the other. */
static int follows_events(const ff_ssa_program *program, ff_ssa_method method) {
  return ff_ssa_method_check(program, method, NULL) == FF_OK && ff_ssa_method_exact(method) && method != FF_SSA_FACTORED;
}

static ff_run_options options_of(ff_ssa_method method, int threads) {
  return (ff_run_options){.method = method, .key = 5, .n = RUNS, .times = times, .n_times = TIMES, .observed = observed,
                          .n_observed = OBSERVED, .threads = threads};
}

static void keep_states(const ff_ssa_program *program, ff_run_options options, recorded *states) {
  double *columns[OBSERVED];
  for (int j = 0; j < OBSERVED; j++) columns[j] = states->value[j];
  options.states = columns;
  ff_run_free(run_to_end(program, &options, 10));
}

/* Variables are functions of the states that are recorded beside them. */
static void evaluates_variables(void) {
  static recorded states;
  ff_ssa_program *program = program_with_variables();
  for (ff_ssa_method method = 0; method < FF_SSA_METHODS; method++) {
    if (ff_ssa_method_check(program, method, NULL) != FF_OK) continue;
    keep_states(program, options_of(method, 2), &states);
    for (uint32_t i = 0; i < RUNS * TIMES; i++) {
      const double a = states.value[2][i], b = states.value[0][i];
      FF_CHECK(states.value[1][i] == a / (1 + b) && states.value[3][i] == a + b && states.value[4][i] == times[i % TIMES] * a);
    }
  }
  ff_ssa_program_free(program);
}

static double mean_of(const double *x, uint32_t i) {
  double sum = 0;
  for (uint32_t k = 0; k < RUNS; k++) sum += x[k * TIMES + i] / RUNS;
  return sum;
}

static double product_of(const double *x, const double *y, uint32_t i) {
  const double a = mean_of(x, i), b = mean_of(y, i);
  double sum = 0;
  for (uint32_t k = 0; k < RUNS; k++) sum += (x[k * TIMES + i] - a) * (y[k * TIMES + i] - b) / RUNS;
  return sum;
}

static void check_frequency(ff_frequency *table, const double *x, uint32_t i) {
  double values[RUNS], counts[RUNS], total = 0;
  FF_CHECK(table->used <= RUNS);
  ff_frequency_list(table, values, counts);
  for (size_t v = 0; v < table->used; v++) {
    double wanted = 0;
    for (uint32_t k = 0; k < RUNS; k++) wanted += x[k * TIMES + i] == values[v];
    FF_CHECK(counts[v] == wanted && (v == 0 || values[v] > values[v - 1]));
    total += counts[v];
  }
  FF_CHECK(total == RUNS);
}

static void check_sums(ff_run *run, const recorded *states) {
  ff_sums *sums;
  ff_error err;
  FF_CHECK_OK(ff_run_sums(run, &sums, &err), &err);
  for (uint32_t i = 0; i < TIMES; i++)
    for (uint32_t j = 0; j < sums->n_observed; j++) {
      double min, max, low = INFINITY, high = -INFINITY;
      const double *x = states->value[j];
      const ff_sum_central m = ff_sums_moments(sums, i, j, RUNS, &min, &max);
      for (uint32_t k = 0; k < RUNS; k++) {
        low = fmin(low, x[k * TIMES + i]);
        high = fmax(high, x[k * TIMES + i]);
      }
      FF_CHECK(min == low && max == high);
      FF_CHECK_NEAR(m.mean, mean_of(x, i), 1e-13 * m.mean);
      FF_CHECK_NEAR(m.second, product_of(x, x, i), 1e-11 * (1 + m.second));
      for (uint32_t k = 0; k < j; k++) {
        const double wanted = product_of(states->value[k], x, i);
        FF_CHECK_NEAR(ff_sums_covariance(sums, i, k, j, RUNS), wanted, 1e-10 * (1 + fabs(wanted)));
      }
      check_frequency(sums->frequency + i * sums->n_observed + j, x, i);
    }
}

/* Sums agree with the states, and have the same bits for any number of threads; with variables, and with species alone. */
static void adds_up_exactly(void) {
  static recorded states;
  ff_ssa_program *program = program_with_variables();
  for (int reals = 0; reals < 2; reals++)
    for (ff_ssa_method method = 0; method < FF_SSA_METHODS; method++) {
      if (ff_ssa_method_check(program, method, NULL) != FF_OK) continue;
      static const uint32_t species[] = {1, 0};
      ff_run_options options = options_of(method, 1);
      ff_run *one, *other;
      ff_sums *first, *second;
      ff_error err;
      options.wanted = FF_COVARIANCE | FF_HISTOGRAM;
      if (!reals) {
        options.observed = species;
        options.n_observed = 2;
      }
      keep_states(program, options, &states);
      check_sums(one = run_to_end(program, &options, 10), &states);
      options.threads = 3;
      check_sums(other = run_to_end(program, &options, 10), &states);
      FF_CHECK_OK(ff_run_sums(one, &first, &err), &err);
      FF_CHECK_OK(ff_run_sums(other, &second, &err), &err);
      FF_CHECK(memcmp(first->counts, second->counts, TIMES * first->n_counts * sizeof *first->counts) == 0);
      FF_CHECK(memcmp(first->reals, second->reals, TIMES * first->n_reals * sizeof *first->reals) == 0);
      ff_run_free(one);
      ff_run_free(other);
    }
  ff_ssa_program_free(program);
}

static void bounds_memory(void) {
  ff_ssa_program *program = program_of(busy, busy_initial, 2);
  ff_run_options options = options_of(FF_SSA_DIRECT, 2);
  ff_error err;
  options.n_observed = 1;
  options.wanted = FF_HISTOGRAM;
  options.max_bytes = 600;
  FF_CHECK_INT(status_of(program, &options, 10, &err), FF_ESIZE);
  FF_CHECK_STR(err.text, "the histograms of 1 species at 3 times take more than 6e-07 GB, and may take up to 5.86e-06 GB for 61 "
                         "trajectories; observe fewer species or times");
  options.wanted = 0;
  options.max_firings = 100;
  FF_CHECK_INT(status_of(program, &options, 10, &err), FF_ESIZE);
  FF_CHECK_STR(err.text, "the trajectories have more than 100 firings, which are too many to keep; expected fewer trajectories "
                         "or an earlier end");
  ff_ssa_program_free(program);
}

/* Whether histograms fit does not depend on the threads. With several, they are merged while the run goes on. */
static void fits_for_any_threads(void) {
  enum { N = 500 };
  ff_ssa_program *program = program_of(busy, busy_initial, 2);
  ff_run_options options = options_of(FF_SSA_TREE, 1);
  ff_sums *one, *several;
  ff_error err;
  options.n = N;
  options.n_observed = 1;
  options.wanted = FF_HISTOGRAM;
  ff_run *first = run_to_end(program, &options, 10);
  FF_CHECK_OK(ff_run_sums(first, &one, &err), &err);
  const uint64_t bytes = options.max_bytes = ff_sums_bytes(one);
  for (options.threads = 1; options.threads <= 9; options.threads += 4) {
    double counts[N];
    ff_run *run = run_to_end(program, &options, 10);
    FF_CHECK_OK(ff_run_sums(run, &several, &err), &err);
    FF_CHECK(memcmp(one->counts, several->counts, TIMES * sizeof *one->counts) == 0);
    for (uint32_t i = 0; i < TIMES; i++) {
      const size_t used = one->frequency[i].used;
      FF_CHECK(used == several->frequency[i].used && used > 0);
      ff_frequency_list(several->frequency + i, NULL, counts);
      double total = 0;
      for (size_t k = 0; k < used; k++) total += counts[k];
      FF_CHECK(total == N);
    }
    ff_run_free(run);
    options.max_bytes = bytes - 1;
    FF_CHECK_INT(status_of(program, &options, 10, &err), FF_ESIZE);
    options.max_bytes = bytes;
  }
  ff_run_free(first);
  ff_ssa_program_free(program);
}

/* Sums of products count too: a pair at each of three times, in 16 bytes. */
static void bounds_covariances(void) {
  ff_ssa_program *program = program_of(busy, busy_initial, 2);
  static const uint32_t species[] = {1, 0};
  ff_run_options options = options_of(FF_SSA_TREE, 8);
  ff_error err;
  options.observed = species;
  options.n_observed = 2;
  options.wanted = FF_COVARIANCE;
  options.max_bytes = 48;
  FF_CHECK_OK(status_of(program, &options, 10, &err), &err);
  options.max_bytes = 47;
  FF_CHECK_INT(status_of(program, &options, 10, &err), FF_ESIZE);
  FF_CHECK_STR(err.text, "the covariances of 2 species at 3 times take 4.8e-08 GB; expected at most 4.7e-08 GB: observe fewer "
                         "species or times");
  options.max_bytes = 48;
  options.wanted |= FF_HISTOGRAM;
  FF_CHECK_INT(status_of(program, &options, 10, &err), FF_ESIZE);
  ff_ssa_program_free(program);
}

/* ---- firings ------------------------------------------------------------------------------------------------------------ */

/* Firings are those of each trajectory alone, and lead to the states that are recorded. */
static void keeps_firings(void) {
  static const double change[4][2] = {{-1, 0}, {-2, 1}, {2, -1}, {1, 0}};
  static recorded states;
  static double trajectory[100000], time[100000];
  static int32_t reaction[100000];
  ff_ssa_program *program = program_of(busy, busy_initial, 2);
  for (ff_ssa_method method = 0; method < FF_SSA_METHODS; method++)
    for (int threads = 1; threads <= 3; threads += 2) {
      if (!follows_events(program, method)) continue;
      ff_run_options options = options_of(method, threads);
      ff_error err;
      options.n_observed = 1;
      keep_states(program, options, &states);
      double *columns[] = {states.value[1]};
      options.states = columns;
      options.max_firings = 100000;
      ff_run *run = run_to_end(program, &options, 10);
      const uint64_t n = ff_run_n_firings(run);
      FF_CHECK_INT(n, ff_run_steps(run));
      FF_CHECK_OK(ff_run_firings(run, trajectory, time, reaction, &err), &err);
      FF_CHECK(memcmp(states.value[0], states.value[1], sizeof states.value[0]) == 0);
      uint64_t at = 0;
      for (uint32_t k = 0; k < RUNS; k++) {
        double b = busy_initial[1];
        for (uint32_t i = 0; i < TIMES; i++) {
          for (; at < n && trajectory[at] == k && time[at] <= times[i]; at++) {
            FF_CHECK(at == 0 || trajectory[at - 1] < k || time[at - 1] <= time[at]);
            b += change[reaction[at]][1];
          }
          FF_CHECK(states.value[0][k * TIMES + i] == b);
        }
      }
      FF_CHECK_INT(at, n);
      ff_run_free(run);
    }
  ff_ssa_program_free(program);
}

/* ---- conditions --------------------------------------------------------------------------------------------------------- */

/* In a chain of deaths from 12 to 4, the time of passage is a sum of exponential times, with the rates 12, 11, ..., 5. */
static void ends_at_conditions(void) {
  enum { N = 4000 };
  static const reaction_text death[] = {{"A -> 0", "1"}, {NULL, NULL}};
  static double stopped[N], one[N], count[N * 2], *const columns[] = {count};
  const double initial[] = {12, 0}, ends[] = {0.5, 100};
  const uint32_t species = 0;
  ff_ssa_program *program = program_of(death, initial, 2);
  ff_formula until = formula_of("A <= 4");
  double mean = 0, variance = 0;
  for (int k = 5; k <= 12; k++) {
    mean += 1.0 / k;
    variance += 1.0 / k / k;
  }
  for (ff_ssa_method method = 0; method < FF_SSA_METHODS; method++) {
    if (!follows_events(program, method)) continue;
    ff_run_options options = {.method = method, .key = 1, .n = N, .times = ends, .n_times = 2, .threads = 1, .until = &until,
                              .observed = &species, .n_observed = 1, .stopped = stopped, .states = columns};
    ff_run *run = run_to_end(program, &options, 10);
    FF_CHECK_INT(ff_run_steps(run), 8 * N);
    ff_run_free(run);
    double sum = 0, squares = 0;
    for (int k = 0; k < N; k++) {
      sum += stopped[k];
      squares += (stopped[k] - mean) * (stopped[k] - mean);
      FF_CHECK(count[2 * k + 1] == 4 && (count[2 * k] == 4) == (stopped[k] <= 0.5)); /* the last state stays */
    }
    FF_CHECK(fabs(sum / N - mean) < 4.5 * sqrt(variance / N)); /* exceeded with probability 7e-6 */
    FF_CHECK_NEAR(squares / N / variance, 1, 0.2);
    memcpy(one, stopped, sizeof one);
    options.threads = 3;
    ff_run_free(run_to_end(program, &options, 10));
    FF_CHECK(memcmp(one, stopped, sizeof one) == 0);
    options.n_times = 1; /* some have not ended at time 0.5 */
    ff_run_free(run_to_end(program, &options, 10));
    for (int k = 0; k < N; k++) FF_CHECK(one[k] <= 0.5 ? stopped[k] == one[k] : isnan(stopped[k]));
  }
  ff_formula_free(&until);
  until = formula_of("A == 12 & B == 0"); /* at once */
  ff_run_options options = {.method = FF_SSA_DIRECT, .n = 9, .times = ends, .n_times = 1, .threads = 2, .until = &until,
                            .stopped = stopped};
  ff_run *run = run_to_end(program, &options, 10);
  FF_CHECK_INT(ff_run_steps(run), 0);
  for (int k = 0; k < 9; k++) FF_CHECK(stopped[k] == 0);
  ff_run_free(run);
  ff_formula_free(&until);
  ff_ssa_program_free(program);
}

/* Runs RUNS trajectories in lanes, and each of them alone: the condition ends them at the same times, in the same states. */
static void compare_with_each(const ff_ssa_program *program, const ff_formula *until, ff_simd simd, const double *starts,
                              uint32_t n_species) {
  static double stopped[RUNS], count[RUNS * TIMES], *const columns[] = {count};
  const uint32_t species = 0;
  ff_run_options options = {.method = FF_SSA_DIRECT, .key = 6, .n = RUNS, .times = times, .n_times = TIMES, .threads = 1,
                            .until = until, .stopped = stopped, .observed = &species, .n_observed = 1, .states = columns,
                            .simd = simd, .starts = starts};
  ff_run *run = run_to_end(program, &options, 10);
  uint64_t events = ff_run_steps(run);
  ff_run_free(run);
  for (uint32_t k = 0; k < RUNS; k++) {
    double end, alone[TIMES], *const column[] = {alone};
    options.first = k;
    options.n = 1;
    options.stopped = &end;
    options.states = column;
    options.starts = starts != NULL ? starts + k * n_species : NULL;
    run = run_to_end(program, &options, 10);
    events -= ff_run_steps(run);
    ff_run_free(run);
    FF_CHECK(memcmp(alone, count + k * TIMES, sizeof alone) == 0);
    FF_CHECK(end == stopped[k] || (isnan(end) && isnan(stopped[k])));
  }
  FF_CHECK_INT(events, 0);
}

/* Networks of few reactions and of many, and one with a formula, whose condition is not a number at first. */
static void ends_in_lanes(void) {
  static const char *const conditions[] = {"A > 30 | A < 3", "A == 12", "!(A * 2 >= 9)", "min(A, 40 - A) < 9 & A != 7"};
  static const reaction_text formula[] = {{"A -> B", "A / (2 + B)"}, {"B -> 2 A", "B"}, {"B -> 0", "0.1 * B"}, {NULL, NULL}};
  static double starts[RUNS * 20], initial[26];
  uint64_t state = 11;
  for (uint32_t i = 0; i < 40; i++) {
    const uint32_t n_species = 1 + i % 20, n = 1 + below(&state, i % 2 ? 31 : RANDOM_REACTIONS);
    ff_ssa_program *program = random_program(&state, n_species, n, initial);
    ff_formula until = formula_of(conditions[i % 4]);
    for (uint32_t k = 0; k < RUNS * n_species; k++) starts[k] = (double)below(&state, 40);
    for (ff_simd simd = FF_SIMD_PORTABLE; simd < FF_SIMD_BEST; simd++) {
      ff_simd kind = simd;
      if (ff_simd_choose(&kind, NULL) == FF_OK)
        compare_with_each(program, &until, simd, i % 3 == 0 ? starts : NULL, n_species);
    }
    ff_formula_free(&until);
    ff_ssa_program_free(program);
  }
  const double few[] = {30, 0};
  ff_ssa_program *program = program_of(formula, few, 2);
  ff_formula until = formula_of("A / B < 2 & B > 3 | A == 0 & B == 0");
  compare_with_each(program, &until, FF_SIMD_BEST, NULL, 2);
  ff_formula_free(&until);
  ff_ssa_program_free(program);
}

/* Trajectories that have ended wait until they are recorded. If an earlier one fails meanwhile, they are dropped. */
static void drops_what_has_ended(void) {
  enum { N = 64, MANY_TIMES = 3000 };
  static const reaction_text walk[] = {{"A -> 0", "1"}, {"0 -> A", "9 + 0 / (A - 4)"}, {NULL, NULL}}; /* A = 4 is an error */
  static double end[N], late[MANY_TIMES], count[N * MANY_TIMES], *const columns[] = {count};
  const double initial[] = {7};
  const uint32_t species = 0;
  ff_ssa_program *program = program_of(walk, initial, 1);
  ff_formula until = formula_of("A >= 11");
  ff_error err;
  uint64_t failed = N;
  for (int i = 0; i < MANY_TIMES; i++) late[i] = i;
  ff_run_options options = {.method = FF_SSA_DIRECT, .key = 2, .n = 1, .times = late, .n_times = MANY_TIMES, .threads = 1,
                            .until = &until, .stopped = end, .observed = &species, .n_observed = 1, .states = columns};
  for (options.first = 0; failed == N && options.first < N; options.first++)
    if (status_of(program, &options, 10, &err) != FF_OK) failed = options.first;
  FF_CHECK(failed > 0 && failed < 16); /* others are on their way in the same vectors */
  options.first = 0;
  options.n = N;
  const ff_error alone = err;
  FF_CHECK_INT(status_of(program, &options, 10, &err), FF_EMODEL);
  FF_CHECK_STR(err.text, alone.text);
  ff_formula_free(&until);
  ff_ssa_program_free(program);
}

/* ---- pieces ------------------------------------------------------------------------------------------------------------- */

enum { MANY = 5000, FEW = 40 };

/* Runs with pieces of no time, and returns their number. */
static int pieces_of(const ff_ssa_program *program, const ff_run_options *options) {
  ff_run *run;
  ff_error err;
  int done = 0, pieces = 0;
  FF_CHECK_OK(ff_ssa_run_new(&run, program, options, &err), &err);
  for (; !done; pieces++) FF_CHECK_OK(ff_run_advance(run, 0, &done, &err), &err);
  ff_run_free(run);
  return pieces;
}

/* A thread looks at the clock while it records, also after a condition has ended a trajectory. This changes no state. */
static void records_in_pieces(void) {
  static double many[MANY], whole[FEW * MANY], parts[FEW * MANY];
  double *columns[1];
  const uint32_t species = 0;
  ff_ssa_program *program = program_of(busy, busy_initial, 2);
  ff_formula until = formula_of("A < 30 | A > 50");
  for (int i = 0; i < MANY; i++) many[i] = 1e-4 * i;
  for (int ends = 0; ends < 2; ends++)
    for (ff_ssa_method method = 0; method < FF_SSA_METHODS; method++) {
      if (ff_ssa_method_check(program, method, NULL) != FF_OK || (ends && !follows_events(program, method))) continue;
      ff_run_options options = {.method = method, .key = 8, .n = FEW, .times = many, .n_times = MANY, .observed = &species,
                                .n_observed = 1, .threads = 1, .states = columns, .until = ends ? &until : NULL};
      columns[0] = whole;
      ff_run_free(run_to_end(program, &options, 10));
      columns[0] = parts;
      /* A piece has at most 16,384 records, and one more of each lane. */
      FF_CHECK(pieces_of(program, &options) > FEW * MANY / (16384 + 64));
      FF_CHECK(memcmp(whole, parts, sizeof whole) == 0);
    }
  ff_formula_free(&until);
  ff_ssa_program_free(program);
}

/* The simulation before the run of "optimised_direct" looks at the clock too. A change of A or B changes `n` / 2 propensities. */
static void counts_in_pieces(void) {
  enum { N = 2000 };
  static reaction_text list[N + 1];
  const double none[] = {0}, initial[] = {500, 500};
  ff_run_options options = {.method = FF_SSA_OPTIMISED, .n = 1, .times = none, .n_times = 1, .threads = 1};
  for (int r = 0; r < N; r++) list[r] = r % 2 ? (reaction_text){"A -> B", "1"} : (reaction_text){"B -> A", "1"};
  ff_ssa_program *program = program_of(list, initial, 2);
  FF_CHECK(ff_ssa_program_coupling(program) == N);
  /* 3,000 events before the run, and a piece computes at most 65,536 propensities and those of one more event. */
  FF_CHECK(pieces_of(program, &options) > 3000 / (65536 / N + 1));
  ff_ssa_program_free(program);
}

/* ---- starts ------------------------------------------------------------------------------------------------------------- */

/* With a start of its own, a trajectory is that of a run with these initial counts; a later start only moves the times. */
static void starts_from_states(void) {
  static double starts[RUNS * 2], count[RUNS], *const columns[] = {count};
  const double late[] = {7.5};
  const uint32_t species = 1;
  ff_ssa_program *program = program_of(busy, busy_initial, 2);
  for (uint32_t k = 0; k < RUNS; k++) {
    starts[2 * k] = 10 + k;
    starts[2 * k + 1] = k % 4;
  }
  for (ff_ssa_method method = 0; method < FF_SSA_METHODS; method++) {
    if (ff_ssa_method_check(program, method, NULL) != FF_OK || method == FF_SSA_FACTORED) continue;
    ff_run_options options = {.method = method, .key = 3, .n = RUNS, .times = late, .n_times = 1, .threads = 2, .starts = starts,
                              .start = 7, .observed = &species, .n_observed = 1, .states = columns};
    ff_run_free(run_to_end(program, &options, 10));
    for (uint32_t k = 0; k < RUNS; k++) {
      const double end = 0.5;
      double alone, *const column[] = {&alone};
      ff_run_options single = {.method = method, .key = 3, .first = k, .n = 1, .times = &end, .n_times = 1, .threads = 1,
                               .initial = starts + 2 * k, .observed = &species, .n_observed = 1, .states = column};
      ff_run_free(run_to_end(program, &single, 10));
      FF_CHECK(alone == count[k]);
    }
  }
  ff_run_options options = {.method = FF_SSA_TREE, .n = RUNS, .times = late, .n_times = 1, .threads = 1, .start = 8};
  ff_error err;
  FF_CHECK_INT(status_of(program, &options, 10, &err), FF_EARGUMENT);
  options.start = 0;
  options.starts = starts;
  starts[5] = -1;
  FF_CHECK_INT(status_of(program, &options, 10, &err), FF_ESIZE);
  ff_ssa_program_free(program);
}

static void parses_conditions(void) {
  const double initial[] = {1, 2};
  ff_reactions *net = network_of(busy, initial, 2);
  ff_formula out;
  ff_error err;
  double stack[8];
  FF_CHECK_OK(ff_ssa_condition(&out, net, "A < B", &err), &err);
  FF_CHECK(ff_formula_value(&out, initial, 0, stack) == 1);
  ff_formula_free(&out);
  FF_CHECK_INT(ff_ssa_condition(&out, net, "time > 3", &err), FF_EUNSUPPORTED);
  FF_CHECK_STR(err.text,
               "the condition \"time > 3\" depends on the time; expected a formula of species, parameters and variables");
  FF_CHECK_INT(ff_ssa_condition(&out, net, "AB > 3", &err), FF_EPARSE);
  FF_CHECK(out.word == NULL);
  ff_reactions_free(net);
  /* a variable is allowed, and suggested */
  net = network_of_text("species;A;1\nspecies;B;2\nvariable;total;A + B\nreaction;A -> B;1\n");
  FF_CHECK_OK(ff_ssa_condition(&out, net, "total == 3", &err), &err);
  FF_CHECK(ff_formula_value(&out, initial, 0, stack) == 1);
  ff_formula_free(&out);
  FF_CHECK_INT(ff_ssa_condition(&out, net, "totl > 3", &err), FF_EPARSE);
  FF_CHECK_STR(err.text, "the condition: no species, parameter or variable is called \"totl\" (character 1 of \"totl > 3\"); "
               "did you mean \"total\"?");
  ff_reactions_free(net);
}

FF_TEST_MAIN("ssa_record", evaluates_variables, adds_up_exactly, bounds_memory, fits_for_any_threads, bounds_covariances,
             keeps_firings, ends_at_conditions, ends_in_lanes, drops_what_has_ended,
             starts_from_states, parses_conditions, records_in_pieces, counts_in_pieces)
