/* Counts that are real numbers, on devices that pretend (toy_device.h): whatever the devices, their waves and what they refuse,
 * the results have the bits of this processor. */
#include "../../src/ensemble/sweep/ff_sweep.h"
#include "check.h"
#include "petri_runs.h"
#include "same_sums.h"
#include "toy_device.h"
#include "toy_hybrid.h"

enum { RUNS = 41, TIMES = 4, MOST = 3, PLACES = 4 };
static const double times[TIMES] = {0, 0.3, 0.5, 6};

/* ---- ways to run -------------------------------------------------------------------------------------------------------- */

/* With `devices` 0, on this processor alone. */
typedef struct {
  uint32_t devices;
  int threads;
  uint64_t capacity, refuses;
  uint32_t fails; /* a bit for each device that fails */
  double piece;   /* seconds */
  int late;       /* calls of ff_run_advance() before the run moves */
} way;

static const way alone = {0, 1, 0, 0, 0, 10, 0};
static const way ways[] = {
    {1, 1, 1000, 1000000, 0, 10, 0}, {1, 2, 10, 3, 0, 0, 0}, {2, 3, 1, 7, 0, 10, 0}, {3, 2, 7, 2, 0, 0, 0},
    {3, 1, 1000, 5, 0, 10, 0},       {3, 2, 4, 9, 5, 0, 0},  {2, 1, 6, 4, 0, 0, 1},  {1, 2, 1000, 1, 0, 0, 0},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

static void set_devices(const way *w, const ff_engine *engine, uint32_t n_counts) {
  memset(&toy_devices, 0, sizeof toy_devices);
  toy_devices.engine = engine;
  toy_devices.n_counts = n_counts;
  toy_devices.capacity = w->capacity;
  toy_devices.refuses = w->refuses;
  toy_devices.fails = w->fails;
}

static ff_fleet_choice choice_of(uint32_t n) {
  static const uint32_t numbers[] = {0, 1, 2};
  return (ff_fleet_choice){.calls = &toy_device.common, .devices = numbers, .n_devices = n};
}

/* Runs an ensemble to its end or to a failure. The caller frees the run. */
static ff_status run_in_way(ff_run **run, const ff_engine *engine, const void *model, ff_run_options options, const way *w,
                            ff_error *err) {
  const ff_fleet_choice choice = choice_of(w->devices);
  int done = 0, is = w->devices == 0;
  options.threads = w->threads;
  ff_status status = ff_run_new(run, engine, model, &options, err);
  for (int i = 0; i < w->late && !done && status == FF_OK; i++) status = ff_run_advance(*run, 0, &done, err);
  if (status == FF_OK && !is) status = ff_run_use(*run, &choice, err);
  while (status == FF_OK && !is) status = ff_run_ready(*run, 0.01, &is, err);
  while (status == FF_OK && !done) status = ff_run_advance(*run, w->piece, &done, err);
  return status;
}

/* ---- a net -------------------------------------------------------------------------------------------------------------- */

static ff_status any_device(const void *model, const ff_run_options *options, ff_error *err) {
  (void)model, (void)options, (void)err;
  return FF_OK;
}

static int any_point(const ff_run_options *options) {
  (void)options;
  return 1;
}

/* An engine whose runs all devices accept. */
static ff_engine accepted(const ff_engine *engine) {
  ff_engine out = *engine;
  out.check_devices = any_device;
  out.shares = any_point;
  return out;
}

/* The places off and on (discrete), P (continuous), and N, whose count needs more than 32 bits; the variables v and `until`. */
static void make_net(petri_text *x) {
  const ff_petri_options options = {.relative = 1e-5};
  petri_begin(x);
  petri_place(x, "off", 0, "1");
  petri_place(x, "on", 0, "0");
  petri_place(x, "P", 1, "0.3");
  petri_place(x, "N", 0, "1099511627777");
  if (x->status == FF_OK) x->status = ff_petri_add_variable(x->net, "v", &x->err);
  if (x->status == FF_OK) x->status = ff_petri_add_variable(x->net, "until", &x->err);
  if (x->status == FF_OK) x->status = ff_petri_variable_text(x->net, 0, "P / (1 + on) + 2 * time", petri_nowhere, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_variable_text(x->net, 1, "P > 2.4", petri_nowhere, &x->err);
  petri_fires(x, "starts", "off -> on", "4");
  petri_fires(x, "stops", "on -> off", "1 + P");
  petri_fires(x, "counts", "0 -> 3 N", "2 * P");
  petri_flows(x, "makes", "0 -> P", "3 * on");
  petri_flows(x, "loses", "P -> 0", "P");
  petri_compile(x, &options);
}

/* What is observed, and how. With `keep`, states are kept. */
typedef struct {
  const char *name;
  uint32_t observed[MOST], n_observed;
  unsigned wanted;
  int keep;
} output;

static const output outputs[] = {
    {"covariances", {2, 1, 3}, 3, FF_COVARIANCE, 0},
    {"histograms", {1, 2}, 2, FF_HISTOGRAM | FF_COVARIANCE, 0},
    {"whole counts", {1, 3}, 2, FF_HISTOGRAM | FF_COVARIANCE, 0},
    {"the same twice", {2, 0, 2}, 3, FF_COVARIANCE, 0},
    {"variables", {4, 2}, 2, FF_HISTOGRAM | FF_COVARIANCE, 0},
    {"states", {3, 2, 0}, 3, 0, 1},
    {"states of variables", {4, 1}, 2, 0, 1},
};
enum { OUTPUTS = sizeof outputs / sizeof outputs[0] };

typedef struct {
  ff_run *run;
  double state[MOST][RUNS * TIMES], stopped[RUNS];
} outcome;

static void compare(const outcome *got, const outcome *want, const output *o, const char *what) {
  ff_sums *a, *b;
  ff_error err;
  FF_CHECK_INT(ff_run_complete(got->run), RUNS);
  FF_CHECK_INT(ff_run_steps(got->run), ff_run_steps(want->run));
  FF_CHECK_SAY(memcmp(got->stopped, want->stopped, sizeof got->stopped) == 0, "%s: other times", what);
  FF_CHECK_SAY(memcmp(got->state, want->state, sizeof got->state) == 0, "%s: other states", what);
  if (o->keep) return;
  FF_CHECK_OK(ff_run_sums(got->run, &a, &err), &err);
  FF_CHECK_OK(ff_run_sums(want->run, &b, &err), &err);
  FF_CHECK_SAY(sums_are_same(a, b), "%s: other sums", what);
}

static void play(outcome *out, const petri_text *net, const ff_engine *engine, const output *o, ff_run_options options,
                 const way *w) {
  double *columns[MOST];
  ff_error err;
  memset(out, 0, sizeof *out);
  for (int j = 0; j < MOST; j++) columns[j] = out->state[j];
  options.observed = o->observed;
  options.n_observed = o->n_observed;
  options.wanted = o->wanted;
  options.states = o->keep ? columns : NULL;
  options.stopped = options.until != NULL ? out->stopped : NULL;
  set_devices(w, engine, PLACES);
  FF_CHECK_OK(run_in_way(&out->run, engine, net->program, options, w, &err), &err);
}

/* In each way: all trajectories from one start or from starts of their own, and to the end or until a condition holds. */
static void devices_change_no_bit(void) {
  static outcome want, got;
  const ff_engine engine = accepted(&ff_petri_engine);
  double starts[RUNS][PLACES];
  petri_text net;
  int late = 0; /* runs that moved after this processor had begun some of their trajectories, but not all */
  make_net(&net);
  if (net.status != FF_OK) return;
  for (int k = 0; k < RUNS; k++) {
    const double start[] = {k % 2, 1 - k % 2, 0.01 * k, 0x1p33 + k};
    memcpy(starts[k], start, sizeof start);
  }
  for (int follows = 0; follows < 4; follows++)
    for (int i = 0; i < OUTPUTS; i++) {
      const ff_run_options options = {.key = 5, .first = 100, .n = RUNS, .times = times, .n_times = TIMES,
                                      .until = follows & 1 ? &net.program->observer[1] : NULL,
                                      .starts = follows & 2 ? starts[0] : NULL};
      play(&want, &net, &engine, &outputs[i], options, &alone);
      for (int j = 0; j < WAYS; j++) {
        ff_ensemble_info info;
        char what[80];
        snprintf(what, sizeof what, "%s, way %d, follows %d", outputs[i].name, j, follows);
        play(&got, &net, &engine, &outputs[i], options, &ways[j]);
        compare(&got, &want, &outputs[i], what);
        const int moved = ff_run_device(got.run, &info);
        late += moved && ways[j].late > 0;
        FF_CHECK_SAY((moved || ways[j].late > 0) && toy_devices.copies >= (uint32_t)moved, "%s: not on devices", what);
        if (moved) FF_CHECK(toy_devices.reals && info.devices == ways[j].devices - (ways[j].fails == 5 ? 2 : 0));
        ff_run_free(got.run);
        FF_CHECK_INT(toy_devices.freed, toy_devices.made);
      }
      ff_run_free(want.run);
    }
  FF_CHECK(late > OUTPUTS);
  petri_end(&net);
}

/* What the test above compares is not trivial: some trajectories stop and others do not, and 32 bits cannot hold the states. */
static void the_net_has_real_states(void) {
  static outcome out;
  const ff_engine engine = accepted(&ff_petri_engine);
  petri_text net;
  uint32_t stopped = 0, fractions = 0, large = 0;
  make_net(&net);
  if (net.status != FF_OK) return;
  const ff_run_options options = {.key = 5, .first = 100, .n = RUNS, .times = times, .n_times = TIMES,
                                  .until = &net.program->observer[1]};
  play(&out, &net, &engine, &outputs[5], options, &ways[0]);
  for (int k = 0; k < RUNS; k++) stopped += !isnan(out.stopped[k]);
  for (int k = 0; k < RUNS * TIMES; k++) {
    fractions += out.state[1][k] != floor(out.state[1][k]);
    large += out.state[0][k] > 0x1p40;
  }
  FF_CHECK(stopped > RUNS / 4 && stopped < RUNS - 4);
  FF_CHECK(fractions > RUNS * TIMES / 2 && large == RUNS * TIMES);
  ff_run_free(out.run);
  petri_end(&net);
}

/* ---- pieces and failures ------------------------------------------------------------------------------------------------ */

static const hybrid flow = {.every = 1.5, .takes = 0.5, .most = 1e9, .mark = 3, .lanes = 1, .tells = 1, .looks = 1,
                            .initial = {0, 0.25}};
static const uint32_t both[] = {HYBRID_JUMPS, HYBRID_LEVEL};

/* A wave whose states are copied in three pieces of 2^24 bytes: 262 trajectories have 4000 x 2 doubles there. */
static void waves_are_copied_in_pieces(void) {
  enum { MANY = 600, LONG = 4000 };
  const size_t bytes = (size_t)MANY * LONG * sizeof(double);
  double *column[2][2], *often = calloc(LONG, sizeof *often);
  const way one = {1, 2, MANY, 11, 0, 0, 0};
  const ff_engine engine = accepted(&hybrid_engine);
  for (int i = 0; i < LONG; i++) often[i] = 0.001 * i;
  for (int on = 0; on < 2; on++) {
    ff_run *run;
    ff_error err;
    for (int j = 0; j < 2; j++) column[on][j] = calloc(1, bytes);
    const ff_run_options options = {.n = MANY, .times = often, .n_times = LONG, .observed = both, .n_observed = 2,
                                    .states = column[on]};
    set_devices(&one, &engine, HYBRID_COUNTS);
    FF_CHECK_OK(run_in_way(&run, &engine, &flow, options, on ? &one : &alone, &err), &err);
    FF_CHECK_INT(toy_devices.copies, on ? 3 : 0);
    ff_run_free(run);
  }
  for (int j = 0; j < 2; j++) FF_CHECK(memcmp(column[0][j], column[1][j], bytes) == 0);
  FF_CHECK_NEAR(column[1][1][LONG - 1], 0.25 + 3.999 - 2 * 0.5, 1e-12);
  for (int j = 0; j < 4; j++) free(column[j / 2][j % 2]);
  free(often);
}

/* Of many trajectories, devices add up moments and products, but no histograms; then nothing else is copied. */
static void devices_add_up_real_numbers(void) {
  enum { MANY = 512 };
  const way one = {2, 2, 200, 11, 0, 0, 0};
  const ff_engine engine = accepted(&hybrid_engine);
  for (int fewer = 0; fewer < 2; fewer++)
    for (unsigned wanted = 0; wanted < 4; wanted++) { /* FF_COVARIANCE, FF_HISTOGRAM */
      ff_run *run[2];
      ff_sums *sums[2];
      ff_error err;
      for (int on = 0; on < 2; on++) {
        const ff_run_options options = {.n = (uint64_t)(MANY - fewer), .times = times, .n_times = TIMES, .observed = both,
                                        .n_observed = 2, .wanted = wanted};
        set_devices(&one, &engine, HYBRID_COUNTS);
        FF_CHECK_OK(run_in_way(&run[on], &engine, &flow, options, on ? &one : &alone, &err), &err);
        FF_CHECK_OK(ff_run_sums(run[on], &sums[on], &err), &err);
      }
      FF_CHECK_INT(toy_devices.copies == 0, fewer == 0 && !(wanted & FF_HISTOGRAM));
      FF_CHECK(sums_are_same(sums[0], sums[1]));
      for (int on = 0; on < 2; on++) ff_run_free(run[on]);
    }
}

/* Devices refuse trajectories that fail. This processor tells of the first of them, as without devices. */
static void failures_are_told(void) {
  static const double later[] = {0.5, 3};
  const ff_engine engine = accepted(&hybrid_engine);
  hybrid small = flow;
  small.most = 20;
  for (int j = 0; j <= WAYS; j++) {
    const way *w = j < WAYS ? &ways[j] : &alone;
    const ff_run_options options = {.n = RUNS, .times = later, .n_times = 2, .observed = both, .n_observed = 2};
    ff_run *run;
    ff_error err;
    set_devices(w, &engine, HYBRID_COUNTS);
    FF_CHECK_FAILS(run_in_way(&run, &engine, &small, options, w, &err), FF_ESIZE, &err, "level 20.25 of trajectory 7");
    ff_run_free(run);
  }
}

/* ---- sweeps ------------------------------------------------------------------------------------------------------------- */

/* Each point of a sweep has the bits of a run of its own. One point has whole counts, which an ensemble with real counts does not
 * record: it is left to the caller. */
static void sweeps_are_runs(void) {
  enum { POINTS = 6, EACH = 20, WHOLE = 4 };
  static const double each[] = {0, 0.5, 1.5, 4};
  const ff_engine engine = accepted(&hybrid_engine);
  hybrid models[POINTS];
  for (int j = 0; j < WAYS; j++) {
    const way w = {ways[j].devices, ways[j].threads, ways[j].capacity < 50 ? EACH : 1000, ways[j].refuses, ways[j].fails, 0, 0};
    ff_point points[POINTS];
    ff_sweep *sweep;
    ff_error err;
    int done = 0, is = 0;
    for (uint32_t i = 0; i < POINTS; i++) {
      models[i] = flow;
      models[i].every = 1 + 0.1 * i;
      models[i].initial[HYBRID_LEVEL] = 0.3 * i;
      models[i].whole = i == WHOLE;
      points[i] = (ff_point){&engine, &models[i],
                             {.key = i, .n = EACH, .times = each, .n_times = 4, .observed = both, .n_observed = 2,
                              .wanted = FF_COVARIANCE | FF_HISTOGRAM, .threads = w.threads}};
      if (i == WHOLE) models[i].initial[HYBRID_LEVEL] = models[i].takes = 1, models[i].every = 2;
    }
    set_devices(&w, &engine, HYBRID_COUNTS);
    const ff_fleet_choice choice = choice_of(w.devices);
    FF_CHECK_OK(ff_sweep_new(&sweep, points, POINTS, w.threads, &err), &err);
    FF_CHECK_OK(ff_sweep_check_devices(sweep, &err), &err);
    FF_CHECK_OK(ff_sweep_use(sweep, &choice, &err), &err);
    while (!is) FF_CHECK_OK(ff_sweep_ready(sweep, 0.1, &is, &err), &err);
    while (!done) FF_CHECK_OK(ff_sweep_advance(sweep, 0.001, &done, &err), &err);
    FF_CHECK(toy_devices.copies > 0 && toy_devices.reals);
    for (uint32_t i = 0; i < POINTS; i++) {
      ff_run *there = ff_sweep_run(sweep, i), *want;
      ff_sums *a, *b;
      FF_CHECK((there == NULL) == (i == WHOLE) && ff_sweep_is_left(sweep, i) == (i == WHOLE));
      if (there == NULL) continue;
      FF_CHECK_OK(run_in_way(&want, &engine, &models[i], points[i].options, &alone, &err), &err);
      FF_CHECK_OK(ff_run_sums(there, &a, &err), &err);
      FF_CHECK_OK(ff_run_sums(want, &b, &err), &err);
      FF_CHECK(sums_are_same(a, b));
      FF_CHECK_INT(ff_run_steps(there), ff_run_steps(want));
      ff_run_free(want);
    }
    ff_sweep_free(sweep);
    FF_CHECK_INT(toy_devices.freed, toy_devices.made);
  }
}

/* ---- what devices cannot do --------------------------------------------------------------------------------------------- */

/* Whether devices may run a net with these options. */
static ff_status look_at_devices(const petri_text *net, const ff_run_options *options, ff_error *err) {
  ff_run *run;
  ff_status status = ff_run_new(&run, &ff_petri_engine, net->program, options, err);
  FF_CHECK_OK(status, err);
  if (status == FF_OK) status = ff_run_check_devices(run, err);
  ff_run_free(run);
  return status;
}

/* A net whose rate depends on the time; or none does. */
static void make_clocked_net(petri_text *x, int timed) {
  const ff_petri_options options = {.relative = 1e-5};
  petri_begin(x);
  petri_place(x, "N", 0, "3");
  petri_place(x, "P", 1, "0.3");
  petri_fires(x, "falls", "N -> 0", timed == 1 ? "N * (1 + sin(time))" : "N");
  petri_flows(x, "makes", "0 -> P", timed == 2 ? "1 + sin(time)" : "1");
  petri_compile(x, &options);
}

static void some_runs_have_no_kernels(void) {
  static const uint32_t observed[] = {0};
  ff_run_options options = {.n = 1, .times = times, .n_times = 1, .observed = observed, .n_observed = 1, .threads = 1};
  petri_text net;
  ff_error err;
  make_net(&net);
  if (net.status != FF_OK) return;
  FF_CHECK_OK(look_at_devices(&net, &options, &err), &err);
  options.until = &net.program->observer[1];
  FF_CHECK_OK(look_at_devices(&net, &options, &err), &err); /* the device tells whether it has a kernel for the condition */
  options.until = NULL;
  petri_end(&net);
  petri_begin(&net); /* two parts that a flow joins */
  petri_place(&net, "A", 1, "1");
  petri_place(&net, "B", 1, "0");
  petri_place(&net, "M", 0, "0");
  petri_place(&net, "N", 0, "0");
  petri_fires(&net, "first", "0 -> M + A", "1");
  petri_fires(&net, "second", "0 -> N + B", "2");
  petri_flows(&net, "exchange", "A -> B", "A");
  petri_compile(&net, &(ff_petri_options){.relative = 1e-5});
  if (net.status == FF_OK) FF_CHECK_OK(look_at_devices(&net, &options, &err), &err);
  options.method = FF_PETRI_WINDOWS;
  if (net.status == FF_OK)
    FF_CHECK_OK(look_at_devices(&net, &options, &err), &err);
  options.max_firings = 10;
  if (net.status == FF_OK)
    FF_CHECK_FAILS(look_at_devices(&net, &options, &err), FF_EUNSUPPORTED, &err,
                   "no kernel lists firings of nets that are simulated by windows yet");
  petri_end(&net);
}

/* Only where rates depend on the time does the time at the start matter. */
static void kernels_begin_at_time_0(void) {
  static const uint32_t observed[] = {0};
  static const double later[] = {2, 3};
  ff_run_options options = {.n = 1, .times = later, .n_times = 2, .observed = observed, .n_observed = 1, .threads = 1};
  for (int timed = 0; timed < 3; timed++)
    for (int start = 0; start < 3; start += 2) {
      petri_text net;
      ff_error err;
      make_clocked_net(&net, timed);
      options.start = start;
      if (net.status == FF_OK && timed > 0 && start > 0)
        FF_CHECK_FAILS(look_at_devices(&net, &options, &err), FF_EUNSUPPORTED, &err,
                       "rates depend on the time, and no kernel begins at another time than 0 yet");
      else if (net.status == FF_OK)
        FF_CHECK_OK(look_at_devices(&net, &options, &err), &err);
      petri_end(&net);
    }
}

FF_TEST_MAIN("real counts on devices", devices_change_no_bit, the_net_has_real_states, waves_are_copied_in_pieces,
             devices_add_up_real_numbers, failures_are_told, sweeps_are_runs, some_runs_have_no_kernels, kernels_begin_at_time_0)
