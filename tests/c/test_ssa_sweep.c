/* Sweeps: several points as one run, on this processor and on fake devices (fake_ssa.h). Each point has the bits of its own
 * run. */
#include "../../src/ensemble/sweep/ff_sweep.h"
#include "fake_ssa.h"
#include "simulations.h"

enum { POINTS = 13, RUNS = 9, TIMES = 3, MOST = 2 };
static const double times[] = {0, 0.2, 0.5};

/* The programs of a sweep. Those whose number is a multiple of 5 lack a reaction, as if its rate were 0. */
typedef struct {
  ff_ssa_program *programs[POINTS];
  double states[2][POINTS][MOST][RUNS * TIMES]; /* of the sweep, and of each point alone */
  double *columns[2][POINTS][MOST];
  ff_point points[POINTS];
} sweep;

typedef struct {
  const char *name;
  uint32_t observed[MOST], n_observed;
  unsigned wanted;
  int keep;
} output;

static const output outputs[] = {{"moments", {1, 0}, 2, FF_COVARIANCE, 0},
                                 {"histograms", {0}, 1, FF_HISTOGRAM, 0},
                                 {"a variable", {2, 0}, 2, 0, 0},
                                 {"states", {0, 1}, 2, 0, 1}};

static ff_ssa_program *program_number(uint32_t i) {
  char rates[2][24];
  const double initial[] = {20 + i, 5};
  snprintf(rates[0], sizeof rates[0], "%u", 5 + i);
  snprintf(rates[1], sizeof rates[1], i % 5 == 0 ? "0" : "0.0%u", 1 + i % 3);
  const reaction_text reactions[] = {{"A -> 0", "1"}, {"2 A -> B", rates[1]}, {"B -> 2 A", "0.5"}, {"0 -> A", rates[0]},
                                     {NULL, NULL}};
  ff_ssa_program *p = program_of(reactions, initial, 2);
  free(p->variables);
  p->variables = ff_calloc(1, sizeof *p->variables);
  p->n_variables = 1;
  p->variables[0] = formula_of("A / (1 + B)");
  if (p->variables[0].depth > p->depth) p->depth = p->variables[0].depth;
  return p;
}

static void sweep_fill(sweep *s, ff_ssa_method method, const output *o) {
  for (uint32_t i = 0; i < POINTS; i++) {
    for (int k = 0; k < 2; k++)
      for (uint32_t j = 0; j < MOST; j++) s->columns[k][i][j] = s->states[k][i][j];
    s->points[i] = (ff_point){&ff_ssa_engine, s->programs[i],
                                  {.method = method, .key = 70 + i, .n = RUNS, .times = times, .n_times = TIMES,
                                   .observed = o->observed, .n_observed = o->n_observed, .wanted = o->wanted,
                                   .states = o->keep ? s->columns[0][i] : NULL, .threads = 1}};
  }
  memset(s->states, 0, sizeof s->states);
}

static void sweep_programs(sweep *s) {
  for (uint32_t i = 0; i < POINTS; i++) s->programs[i] = program_number(i);
}

static void sweep_drop(sweep *s) {
  for (uint32_t i = 0; i < POINTS; i++) ff_ssa_program_free(s->programs[i]);
}

static ff_status use(ff_sweep *s, uint32_t n_devices, ff_error *err) {
  static const uint32_t devices[] = {0, 1, 2, 3};
  const ff_fleet_choice choice = {.calls = &fake_ssa_device.common, .devices = devices, .n_devices = n_devices,
                                  .cache = "/nowhere"};
  ff_status status = ff_sweep_use(s, &choice, err);
  for (int is = 0; status == FF_OK && !is;) status = ff_sweep_ready(s, 0.01, &is, err);
  return status;
}

/* How a sweep is run: on so many devices, with so many threads, for so many seconds at a time; `late` is the number of calls
 * before it moves to devices. */
typedef struct {
  uint32_t devices;
  int threads;
  uint64_t capacity, at_once, refuses;
  double piece;
  int late;
} way;

static const way ways[] = {{0, 1, 0, 0, 0, 10, 0}, {0, 3, 0, 0, 0, 0, 0},      {0, 40, 0, 0, 0, 10, 0},
                           {1, 2, 20, 7, 4, 0, 0}, {1, 1, 1000, 0, 0, 10, 0},  {3, 2, 1000, 0, 1, 10, 0},
                           {1, 1, 5, 0, 0, 10, 0}, {2, 4, 30, 11, 3, 0, 3}};
enum { WAYS = sizeof ways / sizeof ways[0] };

static void reset(const way *w) {
  memset(&fake_ssa, 0, sizeof fake_ssa);
  fake_ssa.capacity = w->capacity;
  fake_ssa.at_once = w->at_once;
  fake_ssa.refuses = w->refuses;
}

static ff_status play(ff_sweep **out, const sweep *s, const way *w, ff_error *err) {
  int done = 0;
  ff_status status = ff_sweep_new(out, s->points, POINTS, w->threads, err);
  for (int i = 0; i < w->late && !done && status == FF_OK; i++) status = ff_sweep_advance(*out, 0, &done, err);
  if (w->devices > 0 && status == FF_OK && !done) status = use(*out, w->devices, err);
  while (status == FF_OK && !done) status = ff_sweep_advance(*out, w->piece, &done, err);
  return status;
}

static int sums_differ(ff_run *got, ff_run *want) {
  ff_sums *a, *b;
  ff_error err;
  FF_CHECK_OK(ff_run_sums(got, &a, &err), &err);
  FF_CHECK_OK(ff_run_sums(want, &b, &err), &err);
  int differ = memcmp(a->counts, b->counts, (size_t)TIMES * a->n_counts * sizeof *a->counts) != 0;
  differ |= memcmp(a->reals, b->reals, (size_t)TIMES * a->n_reals * sizeof *a->reals) != 0;
  if (a->products != NULL) differ |= memcmp(a->products, b->products, (size_t)TIMES * 2 * sizeof *a->products) != 0;
  for (uint32_t i = 0; a->frequency != NULL && i < TIMES * a->n_observed; i++)
    differ |= a->frequency[i].used != b->frequency[i].used;
  return differ;
}

/* Compares each point that is not left with a run of its own. Returns how many are left. */
static uint32_t compare(sweep *s, ff_sweep *got, const output *o, const char *what) {
  uint64_t steps = 0;
  uint32_t left = 0;
  for (uint32_t i = 0; i < POINTS; i++) {
    ff_run_options options = s->points[i].options;
    options.states = o->keep ? s->columns[1][i] : NULL;
    if (ff_sweep_is_left(got, i)) {
      left++;
      continue;
    }
    ff_run *want = run_to_end(s->programs[i], &options, 10), *run = ff_sweep_run(got, i);
    FF_CHECK_SAY(run != NULL, "%s: point %u is not done", what, i);
    FF_CHECK_SAY(run != NULL && ff_run_steps(run) == ff_run_steps(want), "%s: steps of point %u", what, i);
    if (run != NULL && !o->keep) FF_CHECK_SAY(!sums_differ(run, want), "%s: sums of point %u", what, i);
    if (o->keep) FF_CHECK_SAY(memcmp(s->states[0][i], s->states[1][i], sizeof s->states[0][i]) == 0, "%s: point %u", what, i);
    steps += ff_run_steps(want);
    ff_run_free(want);
    if (i % 2 == 0) ff_sweep_drop(got, i);
  }
  FF_CHECK_SAY(ff_sweep_steps(got) == steps, "%s: %llu steps, not %llu", what,
               (unsigned long long)ff_sweep_steps(got), (unsigned long long)steps);
  FF_CHECK_INT(ff_sweep_complete(got), (POINTS - left) * RUNS);
  return left;
}

static sweep all;

static void points_have_the_bits_of_their_runs(void) {
  static const ff_ssa_method methods[] = {FF_SSA_DIRECT, FF_SSA_TREE, FF_SSA_NEXT, FF_SSA_OPTIMISED, FF_SSA_FACTORED};
  const size_t n = sizeof methods / sizeof methods[0];
  sweep_programs(&all);
  for (size_t k = 0; k < n * sizeof outputs / sizeof outputs[0]; k++) {
    const output *o = outputs + k / n;
    const ff_ssa_method method = methods[k % n];
    for (size_t i = 0; i < WAYS; i++) {
      char what[80];
      ff_sweep *got;
      ff_error err;
      snprintf(what, sizeof what, "method %zu, %s, way %zu", k % n, o->name, i);
      reset(ways + i);
      sweep_fill(&all, method, o);
      FF_CHECK_OK(play(&got, &all, ways + i, &err), &err);
      const uint32_t left = compare(&all, got, o, what);
      const int none = ways[i].devices > 0 && (method == FF_SSA_OPTIMISED || ways[i].capacity < RUNS);
      if (ways[i].late == 0) FF_CHECK_SAY(left == (none ? POINTS : 0), "%s: %u are left", what, left);
      if (ways[i].devices == 1 && !none) FF_CHECK_INT(fake_ssa.made, 2); /* with and without one of the reactions */
      ff_sweep_free(got);
      FF_CHECK_INT(fake_ssa.freed, fake_ssa.made);
    }
  }
  sweep_drop(&all);
}

/* All points of one structure are one ensemble, and one wave if it fits. */
static void many_points_are_one_wave(void) {
  const way one = {1, 1, 1000, 0, 0, 10, 0};
  ff_sweep *got;
  ff_error err;
  sweep_programs(&all);
  sweep_fill(&all, FF_SSA_DIRECT, outputs);
  reset(&one);
  FF_CHECK_OK(play(&got, &all, &one, &err), &err);
  FF_CHECK_INT(fake_ssa.waves, 2);
  FF_CHECK_INT(fake_ssa.started[0], 3 * RUNS);
  FF_CHECK_INT(fake_ssa.started[1], (POINTS - 3) * RUNS);
  FF_CHECK_INT(fake_ssa.tallies, POINTS);
  FF_CHECK_INT(fake_ssa.lists, 2);
  ff_ensemble_info info;
  FF_CHECK(ff_run_device(ff_sweep_run(got, 0), &info) && strcmp(info.kernel, "fake") == 0);
  ff_sweep_free(got);
  for (uint32_t i = 1; i < POINTS; i++)
    if (i != 5) all.points[i].options.method = FF_SSA_TREE; /* then the last point of its structure is alone */
  reset(&one);
  FF_CHECK_OK(play(&got, &all, &one, &err), &err);
  FF_CHECK_INT(compare(&all, got, outputs, "two methods"), 0);
  FF_CHECK_INT(fake_ssa.waves, 3);
  ff_sweep_free(got);
  sweep_drop(&all);
}

/* Each call of a device fails, one after the other. Another device does its share; without one, the sweep fails. */
static void devices_that_fail(void) {
  sweep_programs(&all);
  for (size_t k = 0; k < sizeof outputs / sizeof outputs[0]; k++)
    for (uint32_t devices = 1; devices <= 2; devices++)
      for (int call = 1, failed = 1; failed; call++) {
        const way w = {devices, 2, 40, 20, 4, 0.001, 0};
        ff_sweep *got;
        ff_error err;
        sweep_fill(&all, FF_SSA_DIRECT, outputs + k);
        reset(&w);
        fake_ssa.fails_at = call;
        const ff_status status = play(&got, &all, &w, &err);
        failed = fake_ssa.calls >= call;
        if (devices == 1 && failed) {
          FF_CHECK_SAY(status == FF_EBACKEND && strstr(err.text, "on fire") != NULL, "call %d", call);
        } else {
          FF_CHECK_OK(status, &err);
          const char *lost = ff_sweep_lost(got);
          FF_CHECK_SAY((lost != NULL) == failed && (!failed || strstr(lost, "on fire") != NULL), "call %d", call);
          FF_CHECK_INT(compare(&all, got, outputs + k, "after a failure"), 0);
        }
        ff_sweep_free(got);
        FF_CHECK_INT(fake_ssa.freed, fake_ssa.made);
      }
  sweep_drop(&all);
}

/* Devices that do not start, and programs that no kernel can run. */
static void devices_that_do_not_start(void) {
  ff_sweep *got;
  ff_error err;
  sweep_programs(&all);
  sweep_fill(&all, FF_SSA_DIRECT, outputs);
  for (int late = 0; late < 2; late++) {
    way w = {2, 2, 1000, 0, 0, 10, 0};
    reset(&w);
    fake_ssa.broken = 1;
    fake_ssa.breaks_late = late;
    FF_CHECK_OK(play(&got, &all, &w, &err), &err);
    FF_CHECK(ff_sweep_lost(got) != NULL && strstr(ff_sweep_lost(got), "GPU 0: the ") != NULL);
    FF_CHECK_INT(compare(&all, got, outputs, "one device"), 0);
    ff_sweep_free(got);
    fake_ssa.broken = 3; /* then the processor goes on */
    int done = 0;
    FF_CHECK_OK(ff_sweep_new(&got, all.points, POINTS, 2, &err), &err);
    FF_CHECK(use(got, 2, &err) == (late ? FF_EBACKEND : FF_EMEMORY));
    while (!done) FF_CHECK_OK(ff_sweep_advance(got, 1, &done, &err), &err);
    FF_CHECK_INT(compare(&all, got, outputs, "no device"), 0);
    ff_sweep_free(got);
    FF_CHECK_INT(fake_ssa.freed, fake_ssa.made);
  }
  const way w = {2, 2, 1000, 0, 0, 10, 0};
  reset(&w);
  fake_ssa.unsupported = 1;
  FF_CHECK_OK(play(&got, &all, &w, &err), &err);
  FF_CHECK_INT(compare(&all, got, outputs, "an odd network"), POINTS);
  ff_sweep_free(got);
  static const double large[] = {0x1p31, 0};
  all.points[3].options.initial = large;
  FF_CHECK_OK(ff_sweep_new(&got, all.points, POINTS, 1, &err), &err);
  const ff_status status = ff_sweep_check_devices(got, &err);
  FF_CHECK_SAY(status == FF_EUNSUPPORTED && strstr(err.text, "species \"A\"") != NULL, "%s", err.text);
  ff_sweep_free(got);
  sweep_drop(&all);
}

/* Points 4, 7 and 8 fail. The error is that of point 4, wherever it is found. */
static void the_first_failure_counts(void) {
  sweep_programs(&all);
  for (uint32_t i = 4; i < 9; i += i == 4 ? 3 : 1) {
    char rate[32];
    snprintf(rate, sizeof rate, "=%u - A", 20 + 3 * i);
    const reaction_text reactions[] = {{"A -> 0", rate}, {"0 -> A", "9"}, {NULL, NULL}};
    const double initial[] = {20, 5};
    ff_ssa_program_free(all.programs[i]);
    all.programs[i] = program_of(reactions, initial, 2);
  }
  sweep_fill(&all, FF_SSA_DIRECT, outputs);
  static const double late[] = {0, 10, 90};
  for (uint32_t i = 0; i < POINTS; i++) all.points[i].options.times = late;
  ff_run *run;
  ff_error want, err;
  FF_CHECK(run_pieces(&run, all.programs[4], &all.points[4].options, 10, &want) == FF_EMODEL);
  ff_run_free(run);
  for (size_t i = 0; i < WAYS; i++) {
    ff_sweep *got;
    if (ways[i].capacity > 0 && ways[i].capacity < RUNS) continue;
    reset(ways + i);
    FF_CHECK(play(&got, &all, ways + i, &err) == FF_EMODEL && strcmp(err.text, want.text) == 0);
    ff_sweep_free(got);
    FF_CHECK_INT(fake_ssa.freed, fake_ssa.made);
  }
  sweep_drop(&all);
}

/* Histograms that are too large are the failure of their point, not of the device. */
static void histograms_that_are_too_large(void) {
  const way w = {2, 2, 1000, 0, 0, 10, 0};
  ff_sweep *got;
  ff_error err;
  sweep_programs(&all);
  sweep_fill(&all, FF_SSA_DIRECT, outputs + 1);
  for (uint32_t i = 0; i < POINTS; i++) all.points[i].options.max_bytes = 64; /* for two entries, and there are three cells */
  reset(&w);
  const ff_status status = play(&got, &all, &w, &err);
  FF_CHECK_SAY(status == FF_ESIZE && strstr(err.text, "the histograms of 1 species") != NULL, "%s", err.text);
  FF_CHECK(fake_ssa.too_large > 0 && ff_sweep_lost(got) == NULL && ff_sweep_failed(got) == 0);
  ff_sweep_free(got);
  FF_CHECK_INT(fake_ssa.freed, fake_ssa.made);
  sweep_drop(&all);
}

/* If the options of points are wrong, their own runs tell why. That is no reason why devices could not do them. */
static void options_that_are_wrong(void) {
  ff_formula until = formula_of("A > 30");
  ff_sweep *got = NULL;
  ff_error err;
  int done = 0;
  sweep_programs(&all);
  sweep_fill(&all, FF_SSA_FACTORED, outputs + 1);
  for (uint32_t i = 0; i < POINTS; i++) all.points[i].options.until = &until;
  memset(&fake_ssa, 0, sizeof fake_ssa);
  FF_CHECK_OK(ff_sweep_new(&got, all.points, POINTS, 1, &err), &err);
  FF_CHECK_OK(ff_sweep_check_devices(got, &err), &err);
  FF_CHECK_OK(use(got, 1, &err), &err);
  while (!done && ff_sweep_advance(got, 10, &done, &err) == FF_OK) continue;
  FF_CHECK_INT(ff_sweep_failed(got), POINTS);
  for (uint32_t i = 0; i < POINTS; i++) FF_CHECK(ff_sweep_run(got, i) == NULL); /* they are left to be run alone */
  ff_sweep_free(got);
  FF_CHECK_INT(fake_ssa.freed, fake_ssa.made);
  ff_formula_free(&until);
  sweep_drop(&all);
}

static void wrong_calls(void) {
  ff_sweep *got = NULL;
  ff_error err;
  int is = 0;
  const ff_fleet_choice none = {.calls = &fake_ssa_device.common, .n_devices = 0};
  sweep_programs(&all);
  sweep_fill(&all, FF_SSA_DIRECT, outputs);
  ff_sweep_free(NULL);
  FF_CHECK(ff_sweep_new(&got, all.points, 0, 1, &err) == FF_EARGUMENT && got == NULL);
  FF_CHECK(ff_sweep_new(&got, all.points, POINTS, 0, &err) == FF_EARGUMENT);
  FF_CHECK_OK(ff_sweep_new(&got, all.points, POINTS, 1, &err), &err);
  FF_CHECK(ff_sweep_use(got, &none, &err) == FF_EARGUMENT);
  FF_CHECK(ff_sweep_ready(got, 0, &is, &err) == FF_EARGUMENT && !is);
  FF_CHECK_INT(ff_sweep_waiting(got), POINTS * RUNS);
  FF_CHECK(ff_sweep_run(got, 0) == NULL);
  ff_sweep_drop(got, 0);
  memset(&fake_ssa, 0, sizeof fake_ssa);
  FF_CHECK_OK(use(got, 1, &err), &err);
  FF_CHECK(use(got, 1, &err) == FF_EARGUMENT);
  ff_sweep_free(got);
  sweep_drop(&all);
}

FF_TEST_MAIN("ssa_sweep", points_have_the_bits_of_their_runs, many_points_are_one_wave, devices_that_fail,
             devices_that_do_not_start, the_first_failure_counts, histograms_that_are_too_large,
             options_that_are_wrong, wrong_calls)
