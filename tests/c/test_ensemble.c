/* Ensembles of a toy engine (toy_engine.h), which is no other engine's: what ensemble/ promises holds for any. */
#include "../../src/ensemble/ff_record.h"
#include "../../src/ensemble/sweep/ff_sweep.h"
#include "check.h"
#include "same_sums.h"
#include "toy_device.h"
#include "toy_hybrid.h"

#define N 20000u
#define TIMES 3u

static const double times[TIMES] = {0.5, 1, 4};
static const uint32_t observed[] = {0, 1};
static const toy model = {.birth = 20, .death = 1, .most = 1e9, .initial = {0, 0}};

static ff_run_options options_for(uint64_t n, int threads) {
  return (ff_run_options){.key = 7, .n = n, .times = times, .n_times = TIMES, .observed = observed, .n_observed = 2,
                          .wanted = FF_COVARIANCE | FF_HISTOGRAM, .threads = threads};
}

static ff_run *run_of(const toy *m, const ff_run_options *options) {
  ff_run *run;
  ff_error err;
  int done = 0;
  FF_CHECK_OK(ff_run_new(&run, &toy_engine, m, options, &err), &err);
  while (!done) FF_CHECK_OK(ff_run_advance(run, 0.001, &done, &err), &err);
  return run;
}

static ff_sums *sums_of(ff_run *run) {
  ff_sums *sums = NULL;
  ff_error err;
  FF_CHECK_OK(ff_run_sums(run, &sums, &err), &err);
  return sums;
}

/* The population is Poisson with mean m = b / d (1 - exp(-d t)), births are with mean b t, and their covariance is m: each living
 * one was born. Bounds are five standard errors. */
static void summaries_are_right(void) {
  const ff_run_options one = options_for(N, 1), three = options_for(N, 3);
  ff_run *a = run_of(&model, &one), *b = run_of(&model, &three);
  ff_sums *sums = sums_of(a);
  FF_CHECK_INT(ff_run_complete(a), N);
  FF_CHECK_INT(ff_run_steps(a), ff_run_steps(b));
  for (uint32_t i = 0; i < TIMES; i++) {
    const double mean[] = {model.birth / model.death * (1 - exp(-model.death * times[i])), model.birth * times[i]};
    for (uint32_t j = 0; j < TOY_COUNTS; j++) {
      double least, largest;
      const ff_sum_central m = ff_sums_moments(sums, i, j, N, &least, &largest);
      FF_CHECK_NEAR(m.mean, mean[j], 5 * sqrt(mean[j] / N));
      FF_CHECK_NEAR(m.second, mean[j], 5 * sqrt((2 * mean[j] * mean[j] + mean[j]) / N));
      FF_CHECK(least >= 0 && least < mean[j] && largest > mean[j]);
    }
    FF_CHECK_NEAR(ff_sums_covariance(sums, i, 0, 1, N), mean[0], 5 * sqrt((mean[0] * mean[1] + mean[0] * mean[0] + mean[0]) / N));
  }
  FF_CHECK(sums_are_same(sums, sums_of(b)));
  ff_run_free(a);
  ff_run_free(b);
}

/* Pearson's statistic of the population against the Poisson distribution, where at least 10 are expected. Its mean is the degrees
 * of freedom k, and its variance 2 k; six standard deviations. */
static void histograms_are_right(void) {
  const ff_run_options options = options_for(N, 2);
  ff_run *run = run_of(&model, &options);
  ff_frequency *table = sums_of(run)->frequency + 2 * (TIMES - 1);
  double value[256], count[256], statistic = 0, all = 0;
  int cells = 0;
  FF_CHECK(table->used < 256);
  ff_frequency_list(table, value, count);
  const double mean = model.birth / model.death * (1 - exp(-model.death * times[TIMES - 1]));
  for (size_t i = 0; i < table->used; i++) {
    const double expected = N * exp(value[i] * log(mean) - mean - lgamma(value[i] + 1));
    all += count[i];
    if (expected < 10) continue;
    statistic += (count[i] - expected) * (count[i] - expected) / expected;
    cells++;
  }
  FF_CHECK_INT(all, N);
  FF_CHECK(cells > 20);
  FF_CHECK_NEAR(statistic, cells - 1, 6 * sqrt(2.0 * cells));
  ff_run_free(run);
}

static void parts_add_up(void) {
  ff_run_options options = options_for(1000, 2);
  options.wanted = FF_COVARIANCE;
  ff_run *whole = run_of(&model, &options);
  options.n = 300;
  ff_run *first = run_of(&model, &options);
  options.first = 300;
  options.n = 700;
  ff_run *second = run_of(&model, &options);
  for (uint32_t i = 0; i < TIMES; i++) ff_sums_merge(sums_of(first), sums_of(second), i);
  FF_CHECK(sums_are_same(sums_of(whole), sums_of(first)));
  FF_CHECK_INT(ff_run_steps(whole), ff_run_steps(first) + ff_run_steps(second));
  ff_run_free(whole);
  ff_run_free(first);
  ff_run_free(second);
}

static ff_formula formula_of(const char *text, char **names, uint32_t n) {
  ff_names *table;
  ff_formula out;
  ff_error err;
  FF_CHECK_OK(ff_names_new(&table, names, n, "counts", &err), &err);
  FF_CHECK_OK(ff_formula_parse(&out, text, strlen(text), ff_names_find, table, (ff_place){NULL, 0}, &err), &err);
  ff_names_free(table);
  return out;
}

static ff_formula condition_of(const char *text) {
  static char *names[] = {"population", "births"};
  return formula_of(text, names, TOY_COUNTS);
}

/* The time of birth number 12 has a gamma distribution. Afterwards, the state does not change. */
static void trajectories_stop(void) {
  enum { MANY = 4000 };
  static double stopped[MANY], states[2][MANY * TIMES];
  double *columns[] = {states[0], states[1]}, sum = 0;
  ff_formula until = condition_of("births >= 12");
  ff_run_options options = options_for(MANY, 2);
  options.until = &until;
  options.stopped = stopped;
  options.states = columns;
  ff_run_free(run_of(&model, &options));
  for (uint32_t k = 0; k < MANY; k++) {
    FF_CHECK(stopped[k] > 0 && states[1][k * TIMES + 2] == 12);
    FF_CHECK((states[1][k * TIMES] == 12) == (stopped[k] <= times[0]));
    sum += stopped[k];
  }
  FF_CHECK_NEAR(sum / MANY, 12 / model.birth, 5 * sqrt(12.0 / MANY) / model.birth);
  ff_formula_free(&until);
}

/* The listed firings lead from the start to the state at the end. */
static void firings_are_listed(void) {
  enum { MANY = 50 };
  static double states[2][MANY * TIMES];
  double *columns[] = {states[0], states[1]};
  ff_run_options options = options_for(MANY, 2);
  options.states = columns;
  options.max_firings = 100000;
  ff_run *run = run_of(&model, &options);
  const uint64_t n = ff_run_n_firings(run);
  double *trajectory = calloc(n, sizeof *trajectory), *time = calloc(n, sizeof *time), population[MANY] = {0};
  int32_t *what = calloc(n, sizeof *what);
  ff_error err;
  FF_CHECK_OK(ff_run_firings(run, trajectory, time, what, &err), &err);
  FF_CHECK_INT(n, ff_run_steps(run));
  for (uint64_t i = 0; i < n; i++) {
    FF_CHECK(i == 0 || trajectory[i] > trajectory[i - 1] || (trajectory[i] == trajectory[i - 1] && time[i] > time[i - 1]));
    if (time[i] <= times[TIMES - 1]) population[(size_t)trajectory[i]] += what[i] == TOY_BIRTH ? 1 : -1;
  }
  for (uint32_t k = 0; k < MANY; k++) FF_CHECK(population[k] == states[0][k * TIMES + TIMES - 1]);
  free(trajectory);
  free(time);
  free(what);
  ff_run_free(run);
}

/* The part of the time that a trajectory has covered is that of its steps, which are births and deaths. */
static void runs_tell_how_far_they_are(void) {
  const double last = 2e5, all = 2 * model.birth * last;
  ff_run_options options = options_for(1, 1);
  ff_run *run;
  ff_error err;
  double before = 0;
  int done = 0, looks = 0;
  options.times = &last;
  options.n_times = 1;
  FF_CHECK_OK(ff_run_new(&run, &toy_engine, &model, &options, &err), &err);
  FF_CHECK(ff_run_underway(run) == 0);
  while (!done) {
    FF_CHECK_OK(ff_run_advance(run, 0, &done, &err), &err);
    if (done) break;
    const double part = ff_run_underway(run);
    FF_CHECK(part >= before && part <= 1);
    FF_CHECK_NEAR(part, (double)ff_run_steps(run) / all, 5 / sqrt(all) + 1e-4);
    before = part;
    looks++;
  }
  FF_CHECK(looks > 0 && ff_run_underway(run) == 0);
  ff_run_free(run);
}

/* A run that begins where another has ended has its states at the start. */
static void runs_go_on(void) {
  enum { MANY = 100 };
  static double states[2][MANY * TIMES], starts[MANY][TOY_COUNTS], later[2][MANY];
  double *columns[] = {states[0], states[1]}, *next[] = {later[0], later[1]};
  ff_run_options options = options_for(MANY, 2);
  options.states = columns;
  ff_run_free(run_of(&model, &options));
  for (uint32_t k = 0; k < MANY; k++)
    for (uint32_t j = 0; j < TOY_COUNTS; j++) starts[k][j] = states[j][k * TIMES + TIMES - 1];
  options.starts = starts[0];
  options.start = options.times[TIMES - 1];
  options.times = &options.start;
  options.n_times = 1;
  options.states = next;
  ff_run_free(run_of(&model, &options));
  for (uint32_t k = 0; k < MANY; k++) FF_CHECK(later[0][k] == starts[k][0] && later[1][k] == starts[k][1]);
}

/* The first trajectory that fails is the one that is told, for any number of threads. */
static void failures_are_described(void) {
  const toy small = {.birth = 20, .death = 1, .most = 30, .initial = {0, 0}};
  char told[2][FF_ERROR_TEXT];
  for (int i = 0; i < 2; i++) {
    const ff_run_options options = options_for(1000, 1 + 2 * i);
    ff_run *run;
    ff_error err;
    int done = 0;
    ff_status status = ff_run_new(&run, &toy_engine, &small, &options, &err);
    while (status == FF_OK && !done) status = ff_run_advance(run, 0.001, &done, &err);
    FF_CHECK_FAILS(status, FF_ESIZE, &err, "population 31 of trajectory");
    snprintf(told[i], sizeof told[i], "%s", err.text);
    ff_run_free(run);
  }
  FF_CHECK(strcmp(told[0], told[1]) == 0);
  ff_run_options odd = options_for(1, 1);
  ff_run *run;
  ff_error err;
  odd.method = 3;
  FF_CHECK_FAILS(ff_run_new(&run, &toy_engine, &small, &odd, &err), FF_EARGUMENT, &err, "there is only one method");
  odd = options_for(1, 1);
  odd.n_times = 0;
  FF_CHECK_FAILS(ff_run_new(&run, &toy_engine, &small, &odd, &err), FF_EARGUMENT, &err, "a run needs a time");
}

/* ---- devices and sweeps --------------------------------------------------------------------------------------------------- */

static ff_fleet_choice two_devices(void) {
  static const uint32_t numbers[] = {0, 1};
  memset(&toy_devices, 0, sizeof toy_devices);
  return (ff_fleet_choice){.calls = &toy_device.common, .devices = numbers, .n_devices = 2};
}

/* Two devices, one of which fails perhaps, have the bits of this processor, in each way of recording. */
static void devices_change_no_bit(void) {
  enum { MANY = 1300 };
  static double states[2][2][MANY * TIMES], stopped[2][MANY];
  ff_formula until = condition_of("population == 5");
  for (uint32_t way = 0; way < 8; way++) {
    ff_run_options options = options_for(MANY, 2);
    ff_run *run[2];
    for (int on = 0; on < 2; on++) {
      double *columns[] = {states[on][0], states[on][1]};
      ff_fleet_choice choice = two_devices();
      ff_error err;
      int done = 0, is = 0;
      toy_devices.fails = way & 4 ? 2 : 0;
      options.states = way & 1 ? columns : NULL;
      options.until = way & 2 ? &until : NULL;
      options.stopped = way & 2 ? stopped[on] : NULL;
      FF_CHECK_OK(ff_run_new(&run[on], &toy_engine, &model, &options, &err), &err);
      if (on) FF_CHECK_OK(ff_run_use(run[on], &choice, &err), &err);
      while (on && !is) FF_CHECK_OK(ff_run_ready(run[on], 0.1, &is, &err), &err);
      while (!done) FF_CHECK_OK(ff_run_advance(run[on], 0.001, &done, &err), &err);
    }
    ff_ensemble_info info;
    FF_CHECK(ff_run_device(run[1], &info) && info.refused > 200 && strcmp(info.kernel, "toy") == 0);
    FF_CHECK((ff_run_lost(run[1]) != NULL) == (way >= 4));
    FF_CHECK_INT(ff_run_steps(run[0]), ff_run_steps(run[1]));
    if (way & 1) FF_CHECK(memcmp(states[0], states[1], sizeof states[0]) == 0);
    else FF_CHECK(sums_are_same(sums_of(run[0]), sums_of(run[1])));
    if (way & 2) FF_CHECK(memcmp(stopped[0], stopped[1], sizeof stopped[0]) == 0);
    for (int on = 0; on < 2; on++) ff_run_free(run[on]);
    FF_CHECK(toy_devices.made == toy_devices.freed);
  }
  ff_formula_free(&until);
}

/* Each point of a sweep has the bits of a run of its own, on this processor and on devices. */
static void sweeps_are_runs(void) {
  enum { POINTS = 5, EACH = 40 };
  toy models[POINTS];
  for (int on = 0; on < 2; on++) {
    ff_point points[POINTS];
    ff_sweep *sweep;
    ff_error err;
    int done = 0, is = 0;
    for (uint32_t i = 0; i < POINTS; i++) {
      models[i] = model;
      models[i].birth = 5 + i;
      models[i].initial[0] = i;
      points[i] = (ff_point){&toy_engine, &models[i], options_for(EACH, 2)};
      points[i].options.key = i;
    }
    ff_fleet_choice choice = two_devices();
    FF_CHECK_OK(ff_sweep_new(&sweep, points, POINTS, 2, &err), &err);
    if (on) FF_CHECK_OK(ff_sweep_check_devices(sweep, &err), &err);
    if (on) FF_CHECK_OK(ff_sweep_use(sweep, &choice, &err), &err);
    while (on && !is) FF_CHECK_OK(ff_sweep_ready(sweep, 0.1, &is, &err), &err);
    while (!done) FF_CHECK_OK(ff_sweep_advance(sweep, 0.001, &done, &err), &err);
    FF_CHECK_INT(ff_sweep_complete(sweep), POINTS * EACH);
    FF_CHECK((toy_devices.waves > 0) == on);
    for (uint32_t i = 0; i < POINTS; i++) {
      ff_run *alone = run_of(&models[i], &points[i].options), *there = ff_sweep_run(sweep, i);
      FF_CHECK(there != NULL && sums_are_same(sums_of(alone), sums_of(there)));
      FF_CHECK_INT(ff_run_steps(alone), ff_run_steps(there));
      ff_run_free(alone);
    }
    ff_sweep_free(sweep);
    FF_CHECK(toy_devices.made == toy_devices.freed);
  }
}

enum { CALLS = 3 };

static ff_status prepare_slowly(ff_process *process, const ff_run_options *options, double deadline, int *is, ff_error *err) {
  (void)options, (void)deadline;
  if (process->own == NULL) process->own = ff_calloc(1, sizeof(uint32_t));
  if (process->own == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a number");
  uint32_t *calls = process->own;
  *is = *calls == CALLS || ++*calls == CALLS;
  return FF_OK;
}

static void request_prepared(const ff_process *process, ff_device_request *request) {
  request->warps = *(const uint32_t *)process->own;
}

static void close_prepared(ff_process *process) { free(process->own); }

/* What an engine prepares in several calls reaches the devices, in runs and in sweeps, and their work is used. */
static void engines_may_prepare(void) {
  ff_engine engine = toy_engine;
  ff_point points[3];
  ff_error err;
  engine.prepare = prepare_slowly;
  engine.request = request_prepared;
  engine.close = close_prepared;
  for (int sweeps = 0; sweeps < 2; sweeps++) {
    const ff_fleet_choice choice = two_devices();
    ff_sweep *sweep = NULL;
    ff_run *run = NULL;
    ff_ensemble_info info;
    int done = 0, is = 0;
    for (uint32_t i = 0; i < 3; i++) {
      points[i] = (ff_point){&engine, &model, options_for(40, 1)};
      points[i].options.key = i;
    }
    if (sweeps) FF_CHECK_OK(ff_sweep_new(&sweep, points, 3, 2, &err), &err);
    else FF_CHECK_OK(ff_run_new(&run, &engine, &model, &points[0].options, &err), &err);
    FF_CHECK_OK(sweeps ? ff_sweep_use(sweep, &choice, &err) : ff_run_use(run, &choice, &err), &err);
    while (!is) FF_CHECK_OK(sweeps ? ff_sweep_ready(sweep, 0, &is, &err) : ff_run_ready(run, 0, &is, &err), &err);
    FF_CHECK_INT(toy_devices.warps, CALLS);
    while (!done) FF_CHECK_OK(sweeps ? ff_sweep_advance(sweep, 0.1, &done, &err) : ff_run_advance(run, 0.1, &done, &err), &err);
    for (uint32_t i = 0; i < (sweeps ? 3 : 1); i++) {
      ff_run *there = sweeps ? ff_sweep_run(sweep, i) : run, *alone = run_of(&model, &points[i].options);
      FF_CHECK(there != NULL && ff_run_device(there, &info) && info.refused < 40);
      FF_CHECK(there != NULL && sums_are_same(sums_of(alone), sums_of(there)));
      ff_run_free(alone);
    }
    ff_sweep_free(sweep);
    ff_run_free(run);
    FF_CHECK(toy_devices.made == toy_devices.freed);
  }
}

/* Devices share only points that begin at time 0 with trajectory 0. The others are left to the caller. */
static void later_points_are_left(void) {
  static const double later[TIMES] = {1.5, 2, 5};
  ff_point points[4];
  const ff_fleet_choice choice = two_devices();
  ff_sweep *sweep;
  ff_error err;
  int done = 0, is = 0;
  for (uint32_t i = 0; i < 4; i++) {
    points[i] = (ff_point){&toy_engine, &model, options_for(40, 2)};
    points[i].options.times = later;
    points[i].options.start = i == 1 ? 1 : 0;
    points[i].options.first = i == 2 ? 40 : 0;
  }
  FF_CHECK_OK(ff_sweep_new(&sweep, points, 4, 2, &err), &err);
  FF_CHECK_OK(ff_sweep_use(sweep, &choice, &err), &err);
  while (!is) FF_CHECK_OK(ff_sweep_ready(sweep, 0.1, &is, &err), &err);
  while (!done) FF_CHECK_OK(ff_sweep_advance(sweep, 0.001, &done, &err), &err);
  for (uint32_t i = 0; i < 4; i++) {
    ff_run *there = ff_sweep_run(sweep, i);
    FF_CHECK(ff_sweep_is_left(sweep, i) == (i == 1 || i == 2) && (there == NULL) == (i == 1 || i == 2));
    if (there == NULL) continue;
    ff_run *alone = run_of(&model, &points[i].options);
    FF_CHECK(sums_are_same(sums_of(alone), sums_of(there)));
    ff_run_free(alone);
  }
  ff_sweep_free(sweep);
}

/* What no device can do stays on this processor: an engine's refusal, and an engine that knows of no devices. */
static void devices_may_be_refused(void) {
  const toy eternal = {.birth = 1, .death = 0, .most = 1e9, .initial = {0, 0}};
  ff_engine alone = toy_engine;
  alone.check_devices = NULL;
  const ff_engine *engines[] = {&toy_engine, &alone};
  const char *why[] = {"nobody dies", "no device has this engine"};
  for (int i = 0; i < 2; i++) {
    const ff_run_options options = options_for(10, 1);
    const ff_fleet_choice choice = two_devices();
    ff_run *run;
    ff_error err;
    int done = 0;
    FF_CHECK_OK(ff_run_new(&run, engines[i], &eternal, &options, &err), &err);
    FF_CHECK_FAILS(ff_run_use(run, &choice, &err), FF_EUNSUPPORTED, &err, why[i]);
    while (!done) FF_CHECK_OK(ff_run_advance(run, 1, &done, &err), &err);
    FF_CHECK_INT(ff_run_complete(run), 10);
    ff_run_free(run);
  }
}

/* A formula of the population, the births and half of the deaths. */
static ff_formula variable_of(const char *text) {
  static char *names[] = {"population", "births", "half"};
  return formula_of(text, names, TOY_ITEMS);
}

/* Moments and products limit the threads; moments refuse no run. */
static void threads_have_memory(void) {
  static uint32_t many[20000];
  static const uint8_t real[] = {0, 1};
  const ff_process process = {.engine = &toy_engine, .n_counts = 2, .n_items = 2, .real = real, .counted = "levels"};
  ff_run_options options = {.n = 1000, .times = times, .n_times = TIMES, .observed = many, .n_observed = 20000};
  ff_wanted wanted;
  ff_error err;
  for (uint32_t j = 0; j < 20000; j++) many[j] = j % 4 == 3;
  FF_CHECK_OK(ff_wanted_new(&wanted, &process, &options, &err), &err);
  const double bytes = TIMES * (15000.0 * sizeof(ff_count_moments) + 5000.0 * sizeof(ff_value_moments));
  FF_CHECK(wanted.moment_bytes == bytes);
  FF_CHECK_INT(ff_wanted_threads(&wanted, 64), 64);
  FF_CHECK_INT(ff_wanted_threads(&wanted, 2000), (int)(FF_RUN_MAX_MOMENTS / bytes));
  wanted.moment_bytes = FF_RUN_MAX_MOMENTS / 5;
  FF_CHECK_INT(ff_wanted_threads(&wanted, 64), 5);
  FF_CHECK_INT(ff_wanted_threads(&wanted, 4), 4);
  wanted.product_bytes = wanted.max_bytes / 2;
  FF_CHECK_INT(ff_wanted_threads(&wanted, 64), 3);
  wanted.moment_bytes = 2 * FF_RUN_MAX_MOMENTS;
  FF_CHECK_INT(ff_wanted_threads(&wanted, 64), 1);
  ff_wanted_free(&wanted);
  options.n = 3;
  FF_CHECK_OK(ff_wanted_new(&wanted, &process, &options, &err), &err);
  FF_CHECK_INT(ff_wanted_threads(&wanted, 64), 3);
  ff_wanted_free(&wanted);
}

/* Of all items, a record copies those that observed variables depend on. */
static void needed_items_are_listed(void) {
  ff_formula variables[] = {variable_of("half + births * (half > 2)"), variable_of("population"), variable_of("1 + 2")};
  const uint32_t last[] = {0, TOY_COUNTS, TOY_COUNTS + 2};
  const ff_process process = {.engine = &toy_engine, .n_counts = TOY_COUNTS, .n_items = TOY_ITEMS, .variables = variables,
                              .n_variables = 3, .depth = 8, .counted = "populations"};
  ff_run_options options = options_for(10, 1);
  ff_wanted wanted;
  ff_error err;
  options.observed = last;
  for (options.n_observed = 1; options.n_observed <= 3; options.n_observed++) {
    FF_CHECK_OK(ff_wanted_new(&wanted, &process, &options, &err), &err);
    FF_CHECK_INT(wanted.n_needed, options.n_observed == 1 ? 0 : 2);
    if (wanted.n_needed == 2) FF_CHECK(wanted.needed[0] == 1 && wanted.needed[1] == 2);
    ff_wanted_free(&wanted);
  }
  for (int i = 0; i < 3; i++) ff_formula_free(&variables[i]);
}

/* Devices record variables of counts. A variable of another item is for this processor alone, also in a sweep. */
static void items_are_no_counts(void) {
  enum { MANY = 300 };
  static double states[2][3][MANY * TIMES];
  ff_formula variables[] = {variable_of("population + 1"), variable_of("births - 2 * half")};
  const uint32_t last[] = {0, TOY_COUNTS, TOY_COUNTS + 1};
  toy varied = model;
  varied.variables = variables;
  varied.n_variables = 2;
  for (int on = 0; on < 2; on++) {
    double *columns[] = {states[on][0], states[on][1], states[on][2]};
    ff_run_options options = options_for(MANY, 2);
    const ff_fleet_choice choice = two_devices();
    ff_run *run;
    ff_error err;
    int done = 0, is = 0;
    options.observed = last;
    options.states = columns;
    options.n_observed = 2;
    FF_CHECK_OK(ff_run_new(&run, &toy_engine, &varied, &options, &err), &err);
    if (on) FF_CHECK_OK(ff_run_use(run, &choice, &err), &err);
    while (on && !is) FF_CHECK_OK(ff_run_ready(run, 0.1, &is, &err), &err);
    while (!done) FF_CHECK_OK(ff_run_advance(run, 0.001, &done, &err), &err);
    FF_CHECK((toy_devices.waves > 0) == on);
    ff_run_free(run);
    options.n_observed = 3;
    ff_point point = {&toy_engine, &varied, options};
    ff_sweep *sweep;
    FF_CHECK_OK(ff_run_new(&run, &toy_engine, &varied, &options, &err), &err);
    FF_CHECK_FAILS(ff_run_use(run, &choice, &err), FF_EUNSUPPORTED, &err, "depends on more than populations, and devices");
    for (done = 0; !done;) FF_CHECK_OK(ff_run_advance(run, 0.001, &done, &err), &err);
    ff_run_free(run);
    for (uint32_t i = 0; i < MANY * TIMES; i++) FF_CHECK(states[on][0][i] == states[on][2][i]); /* births less deaths */
    FF_CHECK_OK(ff_sweep_new(&sweep, &point, 1, 1, &err), &err);
    FF_CHECK_FAILS(ff_sweep_check_devices(sweep, &err), FF_EUNSUPPORTED, &err, "depends on more than populations, and devices");
    ff_sweep_free(sweep);
  }
  FF_CHECK(memcmp(states[0], states[1], sizeof states[0]) == 0 && states[0][1][7] == states[0][0][7] + 1);
  for (int i = 0; i < 2; i++) ff_formula_free(&variables[i]);
}

/* ---- states that change between steps ------------------------------------------------------------------------------------- */

enum { FLOWS = 10, FLOW_TIMES = 7 };
static const double flow_times[FLOW_TIMES] = {0, 0.5, 1.25, 1.5, 1.5, 2.75, 6};
static const hybrid flow = {.every = 1.5, .takes = 0.5, .most = 1e9, .mark = 3, .lanes = 1, .tells = 1, .looks = 1,
                            .initial = {0, 0.25}};

static ff_run_options flow_options(int threads) {
  return (ff_run_options){.n = FLOWS, .times = flow_times, .n_times = FLOW_TIMES, .observed = observed, .n_observed = 2,
                          .threads = threads};
}

static ff_status flow_run(ff_run **run, const hybrid *m, const ff_run_options *options, ff_error *err) {
  int done = 0;
  ff_status status = ff_run_new(run, &hybrid_engine, m, options, err);
  while (status == FF_OK && !done) status = ff_run_advance(*run, 0.001, &done, err);
  return status;
}

static double flow_level(uint32_t u, double t) { return 0.25 + (u + 1) * t - 0.5 * floor(t / 1.5); }

/* The states at all times are those of closed forms, and jumps have their own times, whatever is recorded between them. */
static void flows_are_shown(void) {
  static double states[2][FLOWS * FLOW_TIMES];
  double *columns[] = {states[0], states[1]};
  ff_error err;
  for (uint32_t way = 0; way < 8; way++) {
    hybrid m = flow;
    ff_run_options options = flow_options(1 + (way & 1));
    ff_run *run;
    m.lanes = way & 2 ? 3 : 1;
    options.states = columns;
    options.max_firings = way == 4 || way == 5 ? 1000 : 0;
    FF_CHECK_OK(flow_run(&run, &m, &options, &err), &err);
    for (uint32_t u = 0; u < FLOWS; u++)
      for (uint32_t i = 0; i < FLOW_TIMES; i++) {
        FF_CHECK(states[HYBRID_JUMPS][u * FLOW_TIMES + i] == floor(flow_times[i] / 1.5));
        FF_CHECK(states[HYBRID_LEVEL][u * FLOW_TIMES + i] == flow_level(u, flow_times[i]));
      }
    FF_CHECK_INT(ff_run_steps(run), FLOWS * 4);
    if (options.max_firings > 0) {
      double trajectory[FLOWS * 4], time[FLOWS * 4];
      int32_t what[FLOWS * 4];
      FF_CHECK_INT(ff_run_n_firings(run), FLOWS * 4);
      FF_CHECK_OK(ff_run_firings(run, trajectory, time, what, &err), &err);
      for (uint32_t i = 0; i < FLOWS * 4; i++)
        FF_CHECK(trajectory[i] == i / 4 && time[i] == 1.5 * (i % 4 + 1) && what[i] == HYBRID_JUMP);
    }
    ff_run_free(run);
  }
}

/* A trajectory ends when its level is at the mark, between the times of jumps and records, and keeps this state. */
static void flows_stop(void) {
  static double states[2][FLOWS * FLOW_TIMES], stopped[FLOWS];
  double *columns[] = {states[0], states[1]};
  ff_formula until = condition_of("births >= 3"); /* the level, which the lanes look at themselves */
  ff_error err;
  for (uint32_t way = 0; way < 4; way++) {
    hybrid m = flow;
    ff_run_options options = flow_options(1 + (way & 1));
    ff_run *run;
    m.lanes = way & 2 ? 4 : 1;
    options.states = columns;
    options.until = &until;
    options.stopped = stopped;
    FF_CHECK_OK(flow_run(&run, &m, &options, &err), &err);
    FF_CHECK(stopped[0] == 3.75 && stopped[1] == 1.375 && stopped[3] == 0.6875 && stopped[9] == 0.275);
    for (uint32_t u = 0; u < FLOWS; u++)
      for (uint32_t i = 0; i < FLOW_TIMES; i++) {
        const double t = fmin(flow_times[i], stopped[u]);
        FF_CHECK(states[HYBRID_JUMPS][u * FLOW_TIMES + i] == floor(t / 1.5));
        FF_CHECK(states[HYBRID_LEVEL][u * FLOW_TIMES + i] == flow_level(u, t));
      }
    ff_run_free(run);
  }
  ff_formula_free(&until);
}

/* Whole and real counts of one state have sums of their kinds. Devices record both. */
static void levels_are_real(void) {
  for (int threads = 1; threads < 3; threads++) {
    ff_run_options options = flow_options(threads);
    ff_run *run;
    ff_error err;
    double least, largest;
    options.n = 4;
    options.wanted = FF_COVARIANCE | FF_HISTOGRAM;
    FF_CHECK_OK(flow_run(&run, &flow, &options, &err), &err);
    ff_sums *sums = sums_of(run);
    FF_CHECK(sums->n_counts == 1 && sums->n_reals == 1 && !sums->real[HYBRID_JUMPS] && sums->real[HYBRID_LEVEL]);
    FF_CHECK(ff_sums_moments(sums, 5, HYBRID_LEVEL, 4, &least, &largest).mean == 0.25 + 2.5 * 2.75 - 0.5);
    FF_CHECK(least == 2.5 && largest == 10.75);
    FF_CHECK(ff_sums_moments(sums, 5, HYBRID_JUMPS, 4, &least, &largest).mean == 1 && least == 1 && largest == 1);
    FF_CHECK_OK(ff_run_check_devices(run, &err), &err);
    ff_run_free(run);
  }
}

/* A state may be one that cannot be shown. Of several such trajectories, the first one is told. */
static void flows_fail(void) {
  for (uint32_t way = 0; way < 4; way++) {
    hybrid m = flow;
    const ff_run_options options = flow_options(1 + (way & 1));
    ff_run *run;
    ff_error err;
    m.lanes = way & 2 ? 3 : 1;
    m.most = 5;
    FF_CHECK_FAILS(flow_run(&run, &m, &options, &err), FF_ESIZE, &err, "level 5.25 of trajectory 2");
    ff_run_free(run);
  }
}

/* Lists of firings need one lane that tells what fires; conditions need lanes that look at states between steps. */
static void lanes_must_tell(void) {
  ff_formula until = condition_of("births >= 3");
  for (int way = 0; way < 3; way++) {
    hybrid m = flow;
    ff_run_options options = flow_options(1);
    ff_run *run;
    ff_error err;
    m.tells = way != 0;
    m.lanes = way == 1 ? 3 : 1;
    m.looks = way != 2;
    if (way == 2) options.until = &until;
    else options.max_firings = 10;
    FF_CHECK_FAILS(ff_run_new(&run, &hybrid_engine, &m, &options, &err), FF_EUNSUPPORTED, &err,
                   way == 2 ? "change between steps" : "firings are listed");
  }
  ff_formula_free(&until);
}

/* ---- what an engine is asked ---------------------------------------------------------------------------------------------- */

static ff_run_options asked[2];
static int times_asked;

static ff_status note_options(ff_lanes **out, const ff_process *process, const ff_run_options *options, const double *initial,
                              uint64_t trajectories, ff_error *err) {
  if (times_asked < 2) asked[times_asked] = *options;
  times_asked += times_asked < 2;
  return toy_lanes(out, process, options, initial, trajectories, err);
}

/* The lanes of all threads are made with the same options, which outlive the caller's arrays. */
static void options_are_the_same(void) {
  static double states[2][100 * TIMES];
  for (int keeps = 0; keeps < 2; keeps++) {
    ff_engine engine = toy_engine;
    double own_times[TIMES], own_initial[TOY_COUNTS] = {4, 0}, *columns[] = {states[0], states[1]};
    uint32_t own_observed[] = {0, 1};
    ff_run_options options = options_for(100, 2);
    ff_run *run;
    ff_error err;
    int done = 0;
    memcpy(own_times, times, sizeof times);
    options.times = own_times;
    options.initial = own_initial;
    options.observed = own_observed;
    options.states = keeps ? columns : NULL;
    engine.lanes = note_options;
    times_asked = 0;
    FF_CHECK_OK(ff_run_new(&run, &engine, &model, &options, &err), &err);
    memset(own_times, 0xff, sizeof own_times);
    memset(own_initial, 0xff, sizeof own_initial);
    memset(own_observed, 0xff, sizeof own_observed);
    while (!done) FF_CHECK_OK(ff_run_advance(run, 0.001, &done, &err), &err);
    FF_CHECK_INT(times_asked, 2);
    for (int i = 0; i < 2; i++) {
      FF_CHECK(memcmp(asked[i].times, times, sizeof times) == 0 && asked[i].times == asked[0].times);
      FF_CHECK(asked[i].initial[0] == 4 && asked[i].initial == asked[0].initial);
      FF_CHECK(asked[i].observed[1] == 1 && asked[i].observed == asked[0].observed);
      FF_CHECK(keeps ? asked[i].states[1] == states[1] && asked[i].states == asked[0].states : asked[i].states == NULL);
    }
    ff_run_free(run);
  }
}

FF_TEST_MAIN("ensemble", summaries_are_right, histograms_are_right, parts_add_up, trajectories_stop, firings_are_listed,
             runs_tell_how_far_they_are, runs_go_on, failures_are_described, flows_are_shown, flows_stop, flows_fail,
             levels_are_real, lanes_must_tell, options_are_the_same, threads_have_memory, needed_items_are_listed,
             devices_change_no_bit, sweeps_are_runs, items_are_no_counts, later_points_are_left, engines_may_prepare,
             devices_may_be_refused)
