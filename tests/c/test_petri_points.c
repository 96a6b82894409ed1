/* Kernels for several points of a sweep of a small Petri net: one code, compiled for this processor, gives the bits of the engine
 * for each point. And whole sweeps on fake devices. */
#include "petri_code.h"

#include "../../src/ensemble/sweep/ff_sweep.h"
#include "fake_petri.h"
#include "petri_hybrid.h"
#include "petri_points.h"

enum { EACH = 11 };

#define POINTS_ANY UINT32_MAX

/* Points, and what was found. The first members are given; the rest is 0 at first. */
typedef struct {
  const char *what;
  const ff_petri_program *program[POINTS];
  const double *initial[POINTS]; /* NULL: that of the program */
  double last;
  uint32_t apart;   /* bits: points that do not share the code */
  uint32_t numbers; /* in which points differ, or POINTS_ANY; then how many were found */
  uint32_t most_refused;

  double times[CODE_TIMES];
  uint32_t observed[64];
  ff_device_point points[POINTS];
  uint8_t joins[POINTS];
  ff_device_request request;
  ff_petri_code code;
} sweep_case;

/* ---- code of several points --------------------------------------------------------------------------------------------- */

static void fill_request(sweep_case *x) {
  const uint32_t n = x->program[0]->n_places;
  for (uint32_t i = 0; i < CODE_TIMES; i++) x->times[i] = x->last * i / (CODE_TIMES - 1);
  for (uint32_t j = 0; j < n; j++) x->observed[j] = j;
  for (uint32_t p = 0; p < POINTS; p++)
    x->points[p] = (ff_device_point){.model = x->program[p], .key = CODE_KEY + p * UINT64_C(0x123456789ABCDEF),
                                     .initial = x->initial[p] != NULL ? x->initial[p] : x->program[p]->start};
  x->request = (ff_device_request){.initial = x->points[0].initial, .times = x->times, .n_times = CODE_TIMES,
                                   .observed = x->observed, .n_observed = n, .reals = 1, .points = x->points, .n_points = POINTS,
                                   .n_each = EACH, .joins = x->joins};
}

/* Generates the code of all points, and writes it to file p<number>.c. Returns whether this was done. */
static int write_points(sweep_case *x, uint32_t number) {
  ff_error err;
  uint32_t apart = 0;
  fill_request(x);
  const ff_status status = ff_petri_code_new(&x->code, x->program[0], &x->request, FF_PETRI_CODE_SHARED, &err);
  FF_CHECK_SAY(status == FF_OK, "%s: %s\n", x->what, status == FF_OK ? "" : err.text);
  if (status != FF_OK) return 0;
  for (uint32_t p = 0; p < POINTS; p++) apart |= (uint32_t)!x->joins[p] << p;
  FF_CHECK_SAY(apart == x->apart, "%s: points %x do not join, not %x\n", x->what, apart, x->apart);
  const uint32_t numbers = x->code.point_size - x->program[0]->n_places - 1;
  if (x->numbers != POINTS_ANY) FF_CHECK_SAY(numbers == x->numbers, "%s: %u numbers\n", x->what, numbers);
  x->numbers = numbers;
  FF_CHECK((strstr(x->code.functions, "OF_POINT(") != NULL) == (numbers > 0));
  return code_save(&x->code, number);
}

static ff_run *simulate_point(const sweep_case *x, uint32_t p, double *const *states) {
  const ff_run_options options = {.key = x->points[p].key, .n = EACH, .initial = x->points[p].initial, .times = x->times,
                                  .n_times = CODE_TIMES, .observed = x->observed, .n_observed = x->request.n_observed,
                                  .states = states, .threads = 1, .simd = FF_SIMD_BEST};
  ff_run *run = NULL;
  ff_error err;
  int done = 0;
  ff_status status = ff_run_new(&run, &ff_petri_engine, x->program[p], &options, &err);
  while (status == FF_OK && !done) status = ff_run_advance(run, 10, &done, &err);
  FF_CHECK_OK(status, &err);
  return run;
}

/* Compares point p, which is number `at` of the wave, with a run of its own. Returns how many trajectories were refused. */
static uint32_t compare_point(const sweep_case *x, const ff_launch *run, uint32_t p, uint32_t at) {
  double *states[64];
  uint32_t wrong = 0, refused = 0;
  for (uint32_t j = 0; j < run->n_observed; j++) states[j] = ff_calloc((size_t)EACH * CODE_TIMES, sizeof(double));
  ff_run *own = simulate_point(x, p, states);
  for (uint32_t k = 0; k < EACH; k++) {
    const uint64_t unit = (uint64_t)at * EACH + k;
    refused += (uint32_t)code_refuses(run, unit);
    for (uint32_t i = 0; i < CODE_TIMES && !code_refuses(run, unit); i++)
      for (uint32_t j = 0; j < run->n_observed; j++)
        wrong += memcmp(FF_RECORD_REAL_OF(run, i, unit) + j * run->units, states[j] + k * CODE_TIMES + i, sizeof(double)) != 0;
  }
  FF_CHECK_SAY(wrong == 0, "%s: %u numbers of point %u differ\n", x->what, wrong, p);
  if (refused == 0)
    FF_CHECK_SAY(run->point_steps[at] == ff_run_steps(own), "%s: %llu firings of point %u, not %llu\n", x->what,
                 (unsigned long long)run->point_steps[at], p, (unsigned long long)ff_run_steps(own));
  ff_run_free(own);
  for (uint32_t j = 0; j < run->n_observed; j++) free(states[j]);
  return refused;
}

/* Runs the points from number `first` of those that joined on as a wave, and compares. Returns the firings. */
static uint64_t play_wave(const sweep_case *x, void *library, uint32_t first) {
  uint64_t steps[POINTS] = {0};
  uint32_t refused = 0;
  ff_launch run = code_launch(ff_petri_code_slot_bytes(&x->code), &x->request, (uint64_t)(x->code.n_points - first) * EACH);
  run.key = 0;
  run.first = (uint64_t)first * EACH;
  run.each = EACH;
  run.points = (const uint32_t *)(x->code.points + (size_t)first * x->code.point_size);
  run.point_steps = steps;
  code_launch_all(&run, library, &x->code);
  FF_CHECK_INT(run.counters->complete, run.units);
  for (uint32_t p = 0, at = 0; p < POINTS; p++) {
    if (!x->joins[p]) continue;
    if (at >= first) refused += compare_point(x, &run, p, at - first);
    at++;
  }
  FF_CHECK_SAY(refused <= x->most_refused, "%s: %u refused\n", x->what, refused);
  FF_CHECK_INT(run.counters->steps, steps[0] + steps[1] + steps[2] + steps[3]);
  const uint64_t all = run.counters->steps;
  code_free(&run);
  return all;
}

static void play_points(sweep_case *x, uint32_t n, const char *options) {
  for (uint32_t begin = 0; begin < n; begin += CODE_SIDE) {
    const uint32_t many = n - begin < CODE_SIDE ? n - begin : CODE_SIDE;
    int written[CODE_SIDE];
    for (uint32_t k = 0; k < many; k++) written[k] = write_points(&x[begin + k], k);
    code_compile(many, options);
    for (uint32_t k = 0; k < many; k++) {
      void *library = written[k] ? code_load(k) : NULL;
      if (library == NULL) continue;
      FF_CHECK_SAY(play_wave(&x[begin + k], library, 0) > 0, "%s: nothing fires\n", x[begin + k].what);
      if (x[begin + k].code.n_points > 1) play_wave(&x[begin + k], library, 1);
      dlclose(library);
    }
  }
  for (uint32_t k = 0; k < n; k++) ff_petri_code_free(&x[k].code);
}

/* ---- fixed nets --------------------------------------------------------------------------------------------------------- */

static void points_give_their_trajectories(void) {
  static petri_text nets[NETS_OF_POINTS][POINTS];
  static sweep_case cases[NETS_OF_POINTS];
  for (size_t i = 0; i < NETS_OF_POINTS; i++) {
    const net_of_points *of = &nets_of_points[i];
    cases[i] = (sweep_case){.what = of->what, .last = of->last, .apart = of->apart, .numbers = of->numbers,
                            .most_refused = of->most_refused};
    for (uint32_t p = 0; p < POINTS; p++) {
      points_write(&nets[i][p], of->text, of->number[p]);
      cases[i].program[p] = nets[i][p].program;
      if (nets[i][p].program == NULL) return;
    }
  }
  play_points(cases, NETS_OF_POINTS, CODE_THOROUGH);
  for (size_t i = 0; i < NETS_OF_POINTS; i++)
    for (uint32_t p = 0; p < POINTS; p++) petri_end(&nets[i][p]);
}

/* ---- other nets --------------------------------------------------------------------------------------------------------- */

/* A cell of calcium, whose rates are parameters: many coefficients are in tables. */
static void parameters_give_their_trajectories(void) {
  static const uint32_t varied[POINTS] = {0, 0x3, 0x4F0, 0xFFF}; /* bits: which parameters differ from those of the first point */
  petri_text nets[POINTS];
  sweep_case x = {.what = "calcium", .last = 0.2, .numbers = POINTS_ANY};
  for (uint32_t p = 0; p < POINTS; p++) {
    petri_begin(&nets[p]);
    small_calcium(&nets[p]);
    for (uint32_t k = 0; k < 12 && nets[p].net != NULL; k++) nets[p].net->value[k] *= varied[p] >> k & 1 ? 0.7 + 0.2 * p : 1;
    petri_compile(&nets[p], &(ff_petri_options){0});
    x.program[p] = nets[p].program;
    if (x.program[p] == NULL) return;
  }
  play_points(&x, 1, CODE_THOROUGH);
  for (uint32_t p = 0; p < POINTS; p++) petri_end(&nets[p]);
}

/* Two cells, whose colours are numbers in rates, weights and functions without quick bounds. */
static void write_coloured(petri_text *x, const int64_t *colours) {
  static const struct {
    const char *name;
    ff_petri_kind kind;
    const char *equation, *rate;
    int mass_action;
  } list[] = {{"birth", FF_PETRI_STOCHASTIC, "0 -> N[x]", "0.3 * x * exp(-L[x] / x)", 0},
              {"death", FF_PETRI_STOCHASTIC, "N[x] -> 0", "x * N[x]", 0},
              {"push", FF_PETRI_STOCHASTIC, "0 -> (0.1 * x) L[x]", "0.5", 0},
              {"gain", FF_PETRI_CONTINUOUS, "0 -> L[x]", "0.02 * x / (0.01 + (L[x] - 1 / x)^2)", 0},
              {"loss", FF_PETRI_CONTINUOUS, "L[x] -> 0", "0.3 * x", 1}};
  petri_begin(x);
  if (x->status == FF_OK) x->status = ff_petri_add_values(x->net, "X", colours, 2, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_add_index(x->net, "x", "X", &x->err);
  if (x->status == FF_OK) x->status = ff_petri_add_place(x->net, "N", ff_petri_set_number(x->net, "X", 1), 0, 0, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_add_place(x->net, "L", ff_petri_set_number(x->net, "X", 1), 1, 0, &x->err);
  for (size_t k = 0; k < sizeof list / sizeof *list && x->status == FF_OK; k++)
    x->status = petri_add(x->net, list[k].name, list[k].kind, list[k].equation, NULL, NULL, NULL, list[k].rate,
                          list[k].mass_action, &x->err);
  petri_compile(x, &(ff_petri_options){0});
}

static void colours_give_their_trajectories(void) {
  static const int64_t colours[POINTS][2] = {{2, 3}, {3, 4}, {2, 7}, {1, 2}};
  petri_text nets[POINTS];
  sweep_case x = {.what = "colours", .last = 6, .numbers = POINTS_ANY};
  for (uint32_t p = 0; p < POINTS; p++) {
    write_coloured(&nets[p], colours[p]);
    x.program[p] = nets[p].program;
    if (x.program[p] == NULL) return;
  }
  play_points(&x, 1, CODE_THOROUGH);
  for (uint32_t p = 0; p < POINTS; p++) petri_end(&nets[p]);
}

/* Points that differ in their markings alone have the numbers in the text. One with too many tokens does not join. */
static void markings_give_their_trajectories(void) {
  static const double initial[POINTS][6] = {{1, 0, 3, 0.5, 0.2, 0.25}, {0, 1, 5, 0, 1, 0}, {1, 0, 0x1p30 + 1, 0, 0, 0},
                                            {3, 2, 0, 7, 0.1, 1}};
  petri_text net;
  points_write(&net,
               POINTS_SWITCH "p n 3\nc x 0.5\nc y 0.2\nc dose 0.25\ns off -> on|off * (0.3 + x / (1 + x))\ns on -> off|2 * on\n"
            "s n -> 0|0.3 * n * (1 + dose)\ns 0 -> 2 n|0.5 + y\nf 0 -> x|on\nf x -> y|x\nf y -> 0|y", initial[0]);
  if (net.program == NULL) return;
  sweep_case x = {.what = "markings", .last = 6, .apart = 4};
  for (uint32_t p = 0; p < POINTS; p++) {
    x.program[p] = net.program;
    x.initial[p] = initial[p];
  }
  FF_CHECK_INT(net.program->n_places, 6);
  play_points(&x, 1, CODE_THOROUGH);
  ff_error err;
  x.initial[0] = initial[2];
  fill_request(&x);
  FF_CHECK_FAILS(ff_petri_code_new(&x.code, net.program, &x.request, FF_PETRI_CODE_SHARED, &err), FF_EUNSUPPORTED, &err,
                 "no kernel simulates nets with more than 2^30 tokens in a place yet");
  petri_end(&net);
}

/* ---- random nets -------------------------------------------------------------------------------------------------------- */

enum { DRAWN = 30, LEAST_FIRINGS = 40, MOST_FIRINGS = 2500 };

static int is_lively(const ff_petri_program *program, const double *initial, double last) {
  static const uint32_t observed = 0;
  double state[EACH], *const states = state;
  ff_error err;
  ff_run *run = NULL;
  int done = 0;
  const ff_run_options options = {.key = 5, .n = EACH, .times = &last, .n_times = 1, .observed = &observed, .n_observed = 1,
                                  .states = &states, .threads = 1, .max_firings = MOST_FIRINGS, .initial = initial};
  ff_status status = ff_run_new(&run, &ff_petri_engine, program, &options, &err);
  while (status == FF_OK && !done) status = ff_run_advance(run, 10, &done, &err);
  const uint64_t n = status == FF_OK ? ff_run_n_firings(run) : 0;
  ff_run_free(run);
  return n >= LEAST_FIRINGS;
}

/* The net of a seed, with other numbers for each point but the first, and other markings for some. Returns whether all are
 * lively. */
static int draw_points(petri_text *nets, sweep_case *x, double initial[POINTS][64], uint64_t *seed, uint32_t n) {
  const ff_petri_options options = {.integrator = n % 2 == 0 ? FF_PETRI_AUTO : FF_PETRI_DORMAND_PRINCE};
  const uint64_t begun = *seed;
  int fine = 1;
  for (uint32_t p = 0; p < POINTS; p++) {
    uint64_t vary = begun + 1000 * p;
    *seed = begun;
    hybrid_write_varied(&nets[p], seed, 0, p > 0 ? &vary : NULL);
    fine &= code_is_there(&nets[p], &options) && !code_has_switch(nets[p].program);
    x->program[p] = nets[p].program;
    if (!fine || nets[p].program->n_places > 64) {
      fine = 0;
      continue;
    }
    for (uint32_t f = 0; f < nets[p].program->n_places && n % 3 == 0; f++)
      initial[p][f] = nets[p].program->flat->continuous[f] ? 2 * uniform(&vary) : below(&vary, 6);
    x->initial[p] = n % 3 == 0 ? initial[p] : NULL;
    fine = is_lively(x->program[p], x->initial[p], x->last);
  }
  return fine;
}

static void random_points_give_their_trajectories(void) {
  static petri_text nets[DRAWN][POINTS];
  static sweep_case cases[DRAWN];
  static double initial[DRAWN][POINTS][64];
  static char names[DRAWN][40];
  uint64_t seed = 47;
  uint32_t n = 0, data = 0;
  for (uint32_t draws = 0; n < DRAWN && draws < 40 * DRAWN; draws++) {
    snprintf(names[n], sizeof names[n], "net %u, seed %llu", n, (unsigned long long)seed);
    cases[n] = (sweep_case){.what = names[n], .last = 5, .numbers = POINTS_ANY};
    if (draw_points(nets[n], &cases[n], initial[n], &seed, n)) {
      n++;
      continue;
    }
    for (uint32_t p = 0; p < POINTS; p++) petri_end(&nets[n][p]);
  }
  FF_CHECK_INT(n, DRAWN);
  play_points(cases, n, CODE_QUICK);
  for (uint32_t i = 0; i < n; i++) {
    data += cases[i].numbers > 0;
    for (uint32_t p = 0; p < POINTS; p++) petri_end(&nets[i][p]);
  }
  FF_CHECK_SAY(data > DRAWN / 2, "points differ in the numbers of %u nets only", data);
}

/* ---- sweeps on devices -------------------------------------------------------------------------------------------------- */

enum { SETTINGS = 9 };

/* Compares the sums of a setting with those of a run of its own. */
static void compare_setting(ff_run *found, const ff_point *point, uint32_t way) {
  ff_run *run = NULL;
  ff_sums *a = NULL, *b = NULL;
  ff_error err;
  int done = 0;
  FF_CHECK_SAY(found != NULL, "way %u: a setting is not done", way);
  if (found == NULL) return;
  ff_status status = ff_run_new(&run, &ff_petri_engine, point->model, &point->options, &err);
  while (status == FF_OK && !done) status = ff_run_advance(run, 10, &done, &err);
  if (status == FF_OK) status = ff_run_sums(run, &a, &err);
  if (status == FF_OK) status = ff_run_sums(found, &b, &err);
  FF_CHECK_OK(status, &err);
  if (status == FF_OK) {
    FF_CHECK(a->n_counts == b->n_counts && a->n_reals == b->n_reals && a->n_reals > 0);
    FF_CHECK_SAY(memcmp(a->counts, b->counts, 3 * a->n_counts * sizeof *a->counts) == 0, "way %u: sums of counts", way);
    FF_CHECK_SAY(memcmp(a->reals, b->reals, 3 * a->n_reals * sizeof *a->reals) == 0, "way %u: sums of levels", way);
    FF_CHECK(ff_run_steps(run) == ff_run_steps(found));
  }
  ff_run_free(run);
}

/* Runs a sweep on fake devices, and compares each setting that is not left to the processor. Returns how many are. */
static uint32_t sweep_on(const ff_point *points, const ff_fleet_choice *choice, uint32_t way) {
  ff_sweep *sweep = NULL;
  ff_error err;
  int done = 0, is = 0;
  uint32_t left = 0;
  ff_status status = ff_sweep_new(&sweep, points, SETTINGS, 2, &err);
  if (status == FF_OK) status = ff_sweep_use(sweep, choice, &err);
  while (status == FF_OK && !is) status = ff_sweep_ready(sweep, 0.01, &is, &err);
  while (status == FF_OK && !done) status = ff_sweep_advance(sweep, 10, &done, &err);
  FF_CHECK_OK(status, &err);
  for (uint32_t i = 0; i < SETTINGS && status == FF_OK; i++) {
    left += (uint32_t)ff_sweep_is_left(sweep, i);
    if (!ff_sweep_is_left(sweep, i)) compare_setting(ff_sweep_run(sweep, i), &points[i], way);
  }
  ff_sweep_free(sweep);
  return left;
}

/* The settings of a sweep. Those whose number is a multiple of 4 have another structure. */
static void sweeps_share_devices(void) {
  static const struct {
    uint32_t devices, capacity, refuses, made, waves, left;
    int method;
  } ways[] = {{1, 0, 0, 2, 2, 0, FF_PETRI_EXACT},      {1, 2 * EACH, 3, 2, 5, 0, FF_PETRI_EXACT},
              {2, 3 * EACH, 0, 0, 0, 0, FF_PETRI_EXACT}, {1, EACH - 1, 0, 2, 0, SETTINGS, FF_PETRI_EXACT},
              {1, 0, 0, 0, 0, SETTINGS, FF_PETRI_WINDOWS}};
  static const double times[] = {0, 1.5, 4};
  static const uint32_t observed[] = {2, 0}, devices[] = {0, 1};
  petri_text nets[SETTINGS];
  for (uint32_t i = 0; i < SETTINGS; i++) {
    const double number[NUMBERS] = {2 + i, 0.3 + 0.5 * i, i % 4 == 0 ? 0 : 2, 1.5 + i % 2};
    points_write(&nets[i],
                 POINTS_SWITCH "c x 0.5\ns off -> on|$0 * off\ns on -> off|on * (1 + x)\nf 0 -> x|$1 + on\nf 0 -> ($2) x|on\n"
              "f x -> 0|$3 * x", number);
    if (nets[i].program == NULL) return;
  }
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    ff_point points[SETTINGS];
    fake_petri.capacity = ways[w].capacity;
    fake_petri.refuses = ways[w].refuses;
    fake_petri.made = fake_petri.waves = 0;
    for (uint32_t i = 0; i < SETTINGS; i++)
      points[i] = (ff_point){&ff_petri_engine, nets[i].program,
                             {.method = ways[w].method, .key = 70 + i, .n = EACH, .times = times, .n_times = 3,
                              .observed = observed, .n_observed = 2, .threads = 1}};
    const ff_fleet_choice choice = {.calls = &fake_petri_device.common, .devices = devices, .n_devices = ways[w].devices};
    FF_CHECK_INT(sweep_on(points, &choice, (uint32_t)w), ways[w].left);
    if (ways[w].devices == 1) FF_CHECK_INT(fake_petri.made, ways[w].made);
    if (ways[w].devices == 1) FF_CHECK_INT(fake_petri.waves, ways[w].waves);
  }
  for (uint32_t i = 0; i < SETTINGS; i++) petri_end(&nets[i]);
}

/* Sweeps of nets for whose points there is no code: each setting is left for a run of its own. */
static void settings_may_need_runs_of_their_own(void) {
  static ff_formula_word many[] = {{FF_F_SYMBOL, 2, 0}, {FF_F_NUMBER, 0, 6}, {FF_F_GE, 0, 0}};
  static const ff_formula until = {many, 3, 2};
  static const double times[] = {0, 1.5, 4};
  static const uint32_t observed[] = {2, 0}, device = 0;
  static const struct {
    const char *text;
    const ff_formula *until;
    const char *tells;
  } ways[] = {{"i 3 n -> 0|$3", NULL, "immediate, deterministic or scheduled transitions"},
              {"d n -> 0|$3", NULL, "immediate, deterministic or scheduled transitions"},
              {"a n -> 0|1,$3", NULL, "immediate, deterministic or scheduled transitions"},
              {"s n -> 0|n|x >= $3", NULL, "rates that switch where a level crosses a value"},
              {"s n -> 0|$3 * n", &until, "conditions that end trajectories"}};
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    petri_text nets[SETTINGS];
    ff_point points[SETTINGS];
    ff_petri_code code;
    ff_error err;
    char text[300], tells[200];
    snprintf(text, sizeof text, "c x 0.5\np m 0\np n 1\nf 0 -> x|$1\nf x -> 0|x\ns 0 -> n|$0 * (1 + x)\n%s", ways[w].text);
    for (uint32_t i = 0; i < SETTINGS; i++) {
      const double number[NUMBERS] = {2 + i, 0.3 + 0.5 * i, 0, 0.4 + 0.1 * (i % 2)};
      points_write(&nets[i], text, number);
      if (nets[i].program == NULL) return;
      points[i] = (ff_point){&ff_petri_engine, nets[i].program,
                             {.key = 70 + i, .n = EACH, .times = times, .n_times = 3, .observed = observed, .n_observed = 2,
                              .threads = 1, .until = ways[w].until}};
    }
    sweep_case x = {.what = text, .program = {nets[0].program, nets[1].program, nets[2].program, nets[3].program}, .last = 4};
    fill_request(&x);
    x.request.until = ways[w].until;
    snprintf(tells, sizeof tells, "the code for nets with %s is for one point of a sweep", ways[w].tells);
    FF_CHECK_FAILS(ff_petri_code_new(&code, nets[0].program, &x.request, FF_PETRI_CODE_SHARED, &err), FF_EUNSUPPORTED, &err,
                   tells);
    const ff_fleet_choice choice = {.calls = &fake_petri_device.common, .devices = &device, .n_devices = 1};
    fake_petri.capacity = fake_petri.refuses = fake_petri.made = 0;
    FF_CHECK_INT(sweep_on(points, &choice, (uint32_t)w), SETTINGS);
    FF_CHECK_INT(fake_petri.made, 0);
    for (uint32_t i = 0; i < SETTINGS; i++) petri_end(&nets[i]);
  }
}

static void points_with_conditions_are_apart(void) {
  static ff_formula_word many[] = {{FF_F_SYMBOL, 1, 0}, {FF_F_NUMBER, 0, 1}, {FF_F_GE, 0, 0}};
  static const ff_formula until = {many, 3, 2};
  petri_text nets[POINTS];
  sweep_case x = {.what = "conditions", .last = 4};
  ff_error err;
  for (uint32_t p = 0; p < POINTS; p++) {
    points_write(&nets[p], nets_of_points[0].text, nets_of_points[0].number[p]);
    x.program[p] = nets[p].program;
    if (x.program[p] == NULL) return;
  }
  fill_request(&x);
  x.points[2].until = &until;
  FF_CHECK_OK(ff_petri_code_new(&x.code, x.program[0], &x.request, FF_PETRI_CODE_SHARED, &err), &err);
  for (uint32_t p = 0; p < POINTS; p++) FF_CHECK_INT(x.joins[p], p != 2);
  ff_petri_code_free(&x.code);
  for (uint32_t p = 0; p < POINTS; p++) petri_end(&nets[p]);
}

FF_TEST_MAIN("petri_points", code_make_folder, points_give_their_trajectories, parameters_give_their_trajectories,
             colours_give_their_trajectories, markings_give_their_trajectories, random_points_give_their_trajectories,
             sweeps_share_devices, settings_may_need_runs_of_their_own, points_with_conditions_are_apart, code_remove_folder)
