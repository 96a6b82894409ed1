/* Kernels for small Petri nets, a thread for each trajectory: their code is compiled for this processor, and gives the bits of
 * the engine. */
#include "petri_code.h"

#include "petri_drawn.h"
#include "petri_hard.h"
#include "petri_instant.h"

enum { UNITS = 40 };

static void small_nets_give_the_trajectories(void) {
  petri_text nets[SMALL_NETS];
  code_case cases[SMALL_NETS] = {0};
  uint32_t n = 0;
  for (size_t i = 0; i < SMALL_NETS; i++) {
    small_compile(&nets[i], &small_nets[i]);
    if (nets[i].program == NULL) continue;
    cases[n++] = (code_case){.what = small_nets[i].what, .program = nets[i].program, .last = small_nets[i].last, .units = UNITS,
                             .firings = i % 2 == 0, .alone = small_nets[i].write == small_shared};
  }
  code_play(cases, n, CODE_THOROUGH);
  code_end(cases, n);
  for (size_t i = 0; i < SMALL_NETS; i++) petri_end(&nets[i]);
}

/* ---- random nets ---------------------------------------------------------------------------------------------------------- */

static void random_nets_give_the_trajectories(void) {
  static drawn_net nets[DRAWN];
  static code_case cases[DRAWN];
  uint32_t at_once = 0, timed = 0, switches = 0;
  drawn_nets(nets, DRAWN, 1, ff_petri_code_check);
  for (uint32_t i = 0; i < DRAWN; i++) {
    cases[i] = nets[i].of;
    at_once += cases[i].program->n_immediate > 0;
    timed += cases[i].program->n_timed > 0;
    switches += code_has_switch(cases[i].program);
  }
  FF_CHECK_SAY(at_once > DRAWN / 4 && timed > DRAWN / 4 && switches > DRAWN / 4,
               "%u nets with immediate transitions, %u with clocks, %u with switches", at_once, timed, switches);
  code_play(cases, DRAWN, CODE_QUICK);
  drawn_check(cases, DRAWN);
  code_end(cases, DRAWN);
  drawn_end(nets, DRAWN);
}

/* ---- nets that are hard --------------------------------------------------------------------------------------------------- */

static void hostile_nets_give_the_trajectories(void) {
  hard_nets_give_the_trajectories(hostile_nets, HOSTILE_NETS, HARD_UNITS, CODE_QUICK);
}

static void instants_give_the_trajectories(void) {
  hard_nets_give_the_trajectories(instant_nets, INSTANT_NETS, HARD_UNITS, CODE_QUICK);
}

static void switches_give_the_trajectories(void) {
  hard_nets_give_the_trajectories(switch_nets, SWITCH_NETS, HARD_UNITS, CODE_QUICK);
}

static void clocks_give_the_trajectories(void) {
  hard_nets_give_the_trajectories(clock_nets, CLOCK_NETS, HARD_UNITS, CODE_QUICK);
}

/* ---- times that are recorded ----------------------------------------------------------------------------------------------- */

enum { EXACT_TIMES = 40 };

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Times at which a transition fires in some trajectory, each twice, after 0, 0. */
static void find_times(double *times, const ff_petri_program *program, double last) {
  static const uint32_t observed[] = {0};
  code_case x = {.program = program};
  code_part part;
  ff_error err;
  x.request = (ff_device_request){.initial = program->start, .times = &last, .n_times = 1, .observed = observed, .n_observed = 1,
                                  .max_firings = CODE_FIRINGS};
  FF_CHECK_OK(code_simulate(&part, &x, 0, UNITS, &err), &err);
  const uint64_t n = ff_run_n_firings(part.run);
  double *trajectory = ff_calloc(n + 1, sizeof *trajectory), *time = ff_calloc(n + 1, sizeof *time);
  int32_t *what = ff_calloc(n + 1, sizeof *what);
  FF_CHECK(n > EXACT_TIMES);
  FF_CHECK_OK(ff_run_firings(part.run, trajectory, time, what, &err), &err);
  for (uint64_t k = 0; k < EXACT_TIMES; k++) times[k] = k < 2 ? 0 : time[k / 2 * (n / EXACT_TIMES)];
  qsort(times, EXACT_TIMES, sizeof *times, ascending);
  free(trajectory);
  free(time);
  free(what);
  code_part_free(&part);
}

/* A state that is recorded when a transition fires is the one after it, and after all that happens at once. */
static void times_may_be_those_of_firings(void) {
  enum { CLOCKS = 10, SWITCHES = 4, NETS = SMALL_NETS + CLOCKS + SWITCHES };
  static double times[NETS][EXACT_TIMES];
  static const double start[] = {0, 0};
  static petri_text nets[NETS];
  static code_case cases[NETS + 1];
  uint32_t n = 0;
  for (size_t i = 0; i < NETS; i++) {
    const int small = i < SMALL_NETS;
    if (small && (small_nets[i].integrator != FF_PETRI_AUTO || small_nets[i].write == small_calcium)) continue;
    const hostile_net *of = i < SMALL_NETS + CLOCKS ? clock_nets + i - (small ? i : SMALL_NETS)
                                                    : switch_nets + i - SMALL_NETS - CLOCKS;
    if (small) {
      small_compile(&nets[i], &small_nets[i]);
    } else {
      hostile_write(&nets[i], of->text);
      petri_compile(&nets[i], &(ff_petri_options){0});
    }
    if (nets[i].program == NULL) return;
    find_times(times[i], nets[i].program, small ? small_nets[i].last : of->last);
    cases[n++] = (code_case){.what = small ? small_nets[i].what : of->what, .program = nets[i].program,
                             .times = times[i], .n_times = EXACT_TIMES, .units = UNITS, .some = i % 2 == 1};
    if (i == 0)
      cases[n++] = (code_case){.what = "only the start", .program = nets[i].program, .times = start, .n_times = 2, .units = UNITS,
                               .quiet = 1};
  }
  code_play(cases, n, CODE_QUICK);
  code_end(cases, n);
  for (size_t i = 0; i < NETS; i++) petri_end(&nets[i]);
}

/* ---- threads of a pool ----------------------------------------------------------------------------------------------------- */

#define SHARING "#include \"../tests/c/petri_sharing.h\"\n"

typedef int (*code_share)(const ff_launch *run, const double *initial, const uint32_t *table, uint32_t slot);

/* Launches until the wave is complete, or a launch does not end by itself. */
static void share_all(code_case *x, void *library) {
  code_share share;
  int ends = 1;
  *(void **)&share = dlsym(library, "p_together");
  x->run.steps = 50;
  for (uint32_t i = 0; ends && x->run.counters->complete < x->units && i < 1000; i++) {
    for (uint32_t k = 0; ends && k < CODE_TURN; k += CODE_POOL)
      ends = share(&x->run, x->code.initial, x->code.table, FF_SLOT_OF(&x->run, k));
    ff_next_turn(&x->run, CODE_TURN);
  }
  FF_CHECK_SAY(ends, "%s: a launch does not end", x->what);
}

/* A thread that is late finds what it has taken, though others have put back theirs. */
static void threads_share_a_pool(void) {
  enum { NETS = 3 };
  static const hostile_net *const list[NETS] = {instant_nets + 0, clock_nets + 4, hostile_nets + 0};
  for (uint32_t i = 0; i < NETS; i++) {
    const ff_petri_options options = {.integrator = list[i]->integrator, .relative = list[i]->relative};
    petri_text net;
    ff_error err;
    hostile_write(&net, list[i]->text);
    petri_compile(&net, &options);
    if (net.program == NULL) return;
    code_case x = {.what = list[i]->what, .program = net.program, .last = list[i]->last / 2, .units = 12, .firings = 1};
    code_ask(&x);
    FF_CHECK_OK(ff_petri_code_new(&x.code, net.program, &x.request, FF_PETRI_CODE_SHARED, &err), &err);
    FF_CHECK(x.code.pool);
    const int saved = code_save_between(&x.code, 0, SHARING, SHARING);
    if (saved) code_compile(1, CODE_QUICK " -pthread");
    void *library = saved ? code_load(0) : NULL;
    if (library == NULL) return;
    x.run = code_launch(ff_petri_code_slot_bytes(&x.code), &x.request, x.units);
    x.is_refused = ff_calloc(x.units, 1);
    share_all(&x, library);
    code_compare(&x);
    code_free(&x.run);
    code_end(&x, 1);
    dlclose(library);
    petri_end(&net);
  }
}

/* ---- conditions ----------------------------------------------------------------------------------------------------------- */

/* A net, and a condition: places a and b have a sum of at least `least`. */
typedef struct {
  const hostile_net *net;
  uint32_t a, b;
  double least;
  int fails; /* whether some trajectories fail in the moment at which it holds */
} ended_net;

static const ended_net ended_nets[] = {
    {instant_nets + 0, 2, 3, 9, 0},  /* some end, some do not */
    {instant_nets + 2, 2, 3, 4, 0},  /* within an instant */
    {instant_nets + 5, 2, 3, 3, 0},  /* within that at the start */
    {instant_nets + 5, 2, 3, 0, 0},  /* before anything has happened */
    {instant_nets + 9, 4, 4, 6, 0},  /* while nothing flows */
    {instant_nets + 10, 1, 1, 3, 0}, /* a level that only firings change */
    {clock_nets + 0, 2, 2, 8, 0},
    {clock_nets + 2, 3, 3, 10, 0},
    {clock_nets + 4, 1, 4, 4, 0},    /* before all that is due has happened */
    {clock_nets + 8, 3, 3, 6, 0},
    {hostile_nets + 0, 4, 4, 8, 0},
    {hostile_nets + 3, 3, 3, 2, 0},
    {hostile_nets + 24, 1, 1, 4, 1},
    {switch_nets + 2, 1, 2, 4, 0},   /* by what happens at a crossing */
};
enum { ENDED = sizeof ended_nets / sizeof *ended_nets };

static void conditions_end_trajectories(void) {
  static petri_text nets[ENDED];
  static code_case cases[ENDED];
  static ff_formula_word words[ENDED][5];
  static ff_formula until[ENDED];
  for (size_t i = 0; i < ENDED; i++) {
    const ended_net *of = &ended_nets[i];
    const ff_petri_options options = {.integrator = of->net->integrator, .relative = of->net->relative};
    const ff_formula_word sum[] = {{FF_F_SYMBOL, of->a, 0}, {FF_F_SYMBOL, of->b, 0}, {FF_F_ADD, 0, 0},
                                   {FF_F_NUMBER, 0, of->least}, {FF_F_GE, 0, 0}};
    memcpy(words[i], sum, sizeof sum);
    until[i] = (ff_formula){words[i], 5, 2};
    hostile_write(&nets[i], of->net->text);
    petri_compile(&nets[i], &options);
    if (nets[i].program == NULL) return;
    cases[i] = (code_case){.what = of->net->what, .program = nets[i].program, .last = of->net->last, .units = UNITS,
                           .until = &until[i], .firings = i % 2 == 0, .quiet = of->least == 0,
                           .most_refused = of->fails ? UNITS : 0};
  }
  code_play(cases, ENDED, CODE_QUICK);
  for (size_t i = 0; i < ENDED; i++) {
    FF_CHECK_SAY((cases[i].failed > 0) == ended_nets[i].fails, "%s: %u failed", cases[i].what, cases[i].failed);
    FF_CHECK_SAY(cases[i].ended > 0 || ended_nets[i].fails, "%s: none ended", cases[i].what);
  }
  code_end(cases, ENDED);
  for (size_t i = 0; i < ENDED; i++) petri_end(&nets[i]);
}

/* ---- what is refused ------------------------------------------------------------------------------------------------------ */

/* A net, or how it is compiled, and what is told of it. */
typedef struct {
  const char *text;
  ff_petri_kind kind; /* of one more transition, if `rate` is not NULL */
  const char *rate, *tells;
  ff_petri_options options;
} refused_net;

#define PLAIN_NET "c x 0\np n 3\nf 0 -> x|1\nf x -> 0|x\ns 0 -> n|1 + x"
#define ONE(kind, rate, tells) {PLAIN_NET, kind, rate, tells, {0}}
#define OTHER(text, tells) {text, FF_PETRI_STOCHASTIC, NULL, tells, {0}}

static const refused_net refused_nets[] = {
    OTHER("c x 0\nf 0 -> x|1\nf x -> 0|x", "no kernel simulates nets with no stochastic transition yet"),
    OTHER("c x 0\np n 3\nf 0 -> x|1 + (x > n)\nf x -> 0|x\ns 0 -> n|1",
          "no kernel simulates nets with rates that switch where the time or a function of levels crosses a value yet"),
    OTHER("c x 0\np n 3\nf 0 -> x|1\nf x -> 0|x\ns 0 -> n|1 + (time > 2)",
          "no kernel simulates nets with rates that switch where the time or a function of levels crosses a value yet"),
    OTHER("c x 0\np n 3\nf 0 -> x|1\nf x -> 0|x\ns 0 -> n|1\ni n -> 0|x - 1",
          "no kernel simulates nets with rates that switch where the time or a function of levels crosses a value yet"),
    OTHER("c x 0\np n 3\nf 0 -> x|1\nf x -> 0|0.5\ns 0 -> n|1", "no kernel simulates nets with flows that may empty a place yet"),
    OTHER("c x 0\np n 3\nf 0 -> x|1 / (1 + x + 1 / 0)\nf x -> 0|x\ns 0 -> n|1",
          "no kernel simulates nets with infinite numbers in rates yet"),
    OTHER("c x 0\np n 3\nf 0 -> x|1\nf x -> 0|x\ns 0 -> n|1 / (1 + exp(x - 1 / 0))",
          "no kernel simulates nets with infinite numbers in rates yet"),
    {PLAIN_NET, FF_PETRI_STOCHASTIC, NULL, "no kernel simulates nets with method = \"paper\" yet",
     {.paper = 1, .integrator = FF_PETRI_ROSENBROCK}},
    {PLAIN_NET, FF_PETRI_STOCHASTIC, NULL,
     "no kernel simulates nets with integrator = \"cvode\" yet", {.integrator = FF_PETRI_CVODE}},
    {PLAIN_NET, FF_PETRI_STOCHASTIC, NULL, "no kernel simulates nets with semantics = \"bio\" yet",
     {.semantics = FF_PETRI_BIO}},
};

/* A request for all places at one time. */
static ff_device_request plain_request(const ff_petri_program *p) {
  static const double times[] = {1};
  static const uint32_t observed[] = {0};
  return (ff_device_request){.initial = p->start, .times = times, .n_times = 1, .observed = observed, .n_observed = 1,
                             .reals = 1};
}

/* Whether code is refused, with a text; or else, with NULL, generated. */
static void check_refusal(const ff_petri_program *p, const ff_device_request *request, const char *tells) {
  ff_petri_code code;
  ff_error err;
  const ff_status status = ff_petri_code_new(&code, p, request, FF_PETRI_CODE_SHARED, &err);
  if (tells == NULL)
    FF_CHECK_OK(status, &err);
  else
    FF_CHECK_FAILS(status, FF_EUNSUPPORTED, &err, tells);
  if (status != FF_OK) FF_CHECK(code.definitions == NULL && code.functions == NULL && code.initial == NULL && code.table == NULL);
  if (status == FF_OK) ff_petri_code_free(&code);
}

static void some_nets_have_no_code(void) {
  for (size_t i = 0; i < sizeof refused_nets / sizeof *refused_nets; i++) {
    const refused_net *of = &refused_nets[i];
    petri_text x;
    ff_error err;
    hostile_write(&x, of->text);
    if (of->rate != NULL) petri_transition(&x, "other", of->kind, "n -> 0", NULL, NULL, of->rate, 0);
    petri_compile(&x, &of->options);
    if (x.program != NULL) {
      const ff_device_request request = plain_request(x.program);
      check_refusal(x.program, &request, of->tells);
      FF_CHECK_FAILS(ff_petri_code_check(x.program, &err), FF_EUNSUPPORTED, &err, of->tells);
    }
    petri_end(&x);
  }
}

/* Nets by windows. */
static void some_blocks_have_no_code(void) {
  petri_text x;
  ff_petri_code code;
  ff_error err;
  static const char *const nets[][2] = {
      {PLAIN_NET "\ni 3 n -> 0|1", "no kernel simulates nets with immediate transitions by windows yet"},
      {PLAIN_NET "\nd 3 n -> 0|1", "no kernel simulates nets with deterministic or scheduled transitions by windows yet"},
      {PLAIN_NET "\ns 0 -> n|1|x >= 1",
       "no kernel simulates nets with rates that switch where a level crosses a value by windows yet"}};
  for (int i = 0; i < 3; i++) {
    hostile_write(&x, nets[i][0]);
    petri_compile(&x, &(ff_petri_options){0});
    FF_CHECK_FAILS(ff_petri_code_block_new(&code, x.program, 1, &err), FF_EUNSUPPORTED, &err, nets[i][1]);
    petri_end(&x);
  }
}

static void check_text(petri_text *x, const char *tells) {
  petri_compile(x, &(ff_petri_options){0});
  if (x->program != NULL) {
    const ff_device_request request = plain_request(x->program);
    check_refusal(x->program, &request, tells);
  }
  petri_end(x);
}

/* A pool is as large as the shared memory of the device, and no smaller than a warp. */
static void pools_fit_the_shared_memory(void) {
  for (int fits = 0; fits < 2; fits++) {
    petri_text x;
    ff_error err;
    ff_petri_code code;
    small_compile(&x, &(small_net){"hill", small_hill, 0, FF_PETRI_AUTO});
    if (x.program == NULL) break;
    const ff_device_request request = plain_request(x.program);
    const size_t shared = fits ? 65536 : 10000;
    const ff_status status = ff_petri_code_new(&code, x.program, &request, shared, &err);
    if (fits) {
      FF_CHECK_OK(status, &err);
      FF_CHECK(code.pool && code.slots >= code.threads && code.threads % 32 == 0 && code.threads > 0);
      FF_CHECK(ff_petri_code_shared_bytes(&code) <= shared);
      FF_CHECK(ff_petri_code_shared_bytes(&code) + ff_petri_code_shared_each(&code) > shared);
      ff_petri_code_free(&code);
    } else {
      FF_CHECK_FAILS(status, FF_EUNSUPPORTED, &err, "the device has 10000 bytes of shared memory; expected at least ");
      FF_CHECK(code.definitions == NULL && code.functions == NULL);
    }
    petri_end(&x);
  }
}

static void events_have_no_code(void) {
  petri_text x;
  hostile_write(&x, PLAIN_NET);
  if (x.status == FF_OK) x.status = ff_petri_add_event(x.net, "e", &x.err);
  if (x.status == FF_OK) x.status = ff_petri_event_text(x.net, 0, FF_EVENT_TRIGGER, "n > 7", petri_nowhere, &x.err);
  if (x.status == FF_OK) x.status = ff_petri_event_set_text(x.net, 0, "n", "0", NULL, petri_nowhere, &x.err);
  check_text(&x, "no kernel simulates nets with events yet");
}

/* Variables of discrete places are parts of formulas. */
static void variables_of_levels_have_no_code(void) {
  for (int moves = 0; moves < 2; moves++) {
    petri_text x;
    petri_begin(&x);
    petri_place(&x, "x", 1, "0");
    petri_place(&x, "n", 0, "3");
    if (x.status == FF_OK) x.status = ff_petri_add_variable(x.net, "v", &x.err);
    if (x.status == FF_OK) x.status = ff_petri_variable_text(x.net, 0, moves ? "x * x + n" : "n / 2", petri_nowhere, &x.err);
    petri_flows(&x, "in", "0 -> x", "exp(v)");
    petri_flows(&x, "out", "x -> 0", "x");
    petri_fires(&x, "more", "0 -> n", "1");
    check_text(&x, moves ? "no kernel simulates nets with variables of levels that rates read yet" : NULL);
  }
}

static void some_requests_have_no_code(void) {
  ff_formula_word level[] = {{FF_F_SYMBOL, 0, 0}, {FF_F_NUMBER, 0, 4}, {FF_F_GE, 0, 0}};
  ff_formula_word late[] = {{FF_F_SYMBOL, 1, 0}, {FF_F_TIME, 0, 0}, {FF_F_GE, 0, 0}};
  static ff_formula_word longer[4001], deep[65]; /* n + n + ..., and n + (n + ...) */
  for (uint32_t k = 0; k < 4001; k++) longer[k] = (ff_formula_word){k > 0 && k % 2 == 0 ? FF_F_ADD : FF_F_SYMBOL, 1, 0};
  for (uint32_t k = 0; k < 65; k++) deep[k] = (ff_formula_word){k > 32 ? FF_F_ADD : FF_F_SYMBOL, 1, 0};
  const struct {
    ff_formula until;
    const char *tells;
  } conditions[] = {{{level, 3, 2}, "no kernel simulates nets with conditions on levels or the time that end trajectories yet"},
                    {{late, 3, 2}, "no kernel simulates nets with conditions on levels or the time that end trajectories yet"},
                    {{longer, 4001, 2}, "the net has 4001 operations and operands in a condition; expected at most 4000"},
                    {{deep, 65, 33}, "the net has 33 operands that a condition keeps; expected at most 32"},
                    {{deep + 1, 63, 32}, NULL}};
  petri_text x;
  hostile_write(&x, PLAIN_NET);
  petri_compile(&x, &(ff_petri_options){0});
  if (x.program == NULL) return;
  ff_device_request request = plain_request(x.program);
  check_refusal(x.program, &request, NULL);
  for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
    request.until = &conditions[i].until;
    check_refusal(x.program, &request, conditions[i].tells);
  }
  /* the place that is not observed, too */
  double initial[] = {0, 1};
  request = plain_request(x.program);
  request.initial = initial;
  check_refusal(x.program, &request, NULL);
  initial[1] = -1;
  check_refusal(x.program, &request, "no kernel simulates nets with negative markings yet");
  initial[1] = 0x1p30;
  check_refusal(x.program, &request, NULL);
  initial[1] = 0x1p30 + 1;
  check_refusal(x.program, &request, "no kernel simulates nets with more than 2^30 tokens in a place yet");
  initial[0] = 0x1p40; /* levels may be large */
  initial[1] = 0;
  check_refusal(x.program, &request, NULL);
  petri_end(&x);
}

/* ---- sizes --------------------------------------------------------------------------------------------------------- */

static const hostile_many sizes[] = {
    {"c x%u 0.1\nf 0 -> x%u|1\nf x%u -> 0|x%u\n", 16, "p n 0\n", "s 0 -> n|x3 * x1",
     "the net has 17 continuous places that flows change; expected at most 16"},
    {"p n%u 0\n", 62, "c x 1\nf x -> 0|x\np m 3\ns m -> 0|m\n", "", "the net has 65 places; expected at most 64"},
    {"s n -> 0|0.01%u * n\n", 64, "p n 50\nc x 1\nf x -> 0|x\n", "",
     "the net has 65 transitions that fire; expected at most 64"},
    {"d 2 n -> 0|0.1%u\n", 32, "p n 50\nc x 1\nf x -> 0|x\ns 0 -> n|9\n", "",
     "the net has 33 deterministic and scheduled transitions; expected at most 32"},
    {"s 0 -> n|1.%u|x >= 0.%u1\n", 16, "p n 0\nc x 0\nf 0 -> x|1\nf x -> 0|0.3 * x\n", "",
     "the net has 17 comparisons of levels with numbers; expected at most 16"},
    {"p n%u 3\ns n%u -> 0|n%u * x\n", 16, "c x 1\nf x -> 0|x\n", "",
     "the net has 17 independent groups of transitions; expected at most 16"},
    {"s n -> 0|n * x^2 / (1%u + x^2)\n", 15, "p n 50\nc x 1\nf x -> 0|x\n", "",
     "the net has 16 functions of levels in hazards; expected at most 15"},
    {"f 0 -> x|0.1 / (1%u + x^2)\n", 16, "p n 50\nc x 1\nf x -> 0|x\ns n -> 0|n\n", "",
     "the net has 17 flows with narrow peaks; expected at most 16"},
};

/* The largest nets have code, which gives the bits, and larger ones are refused. */
static void large_nets_have_no_code(void) {
  enum { N = sizeof sizes / sizeof *sizes };
  static char text[10000];
  petri_text nets[N], x;
  code_case cases[N] = {0};
  for (uint32_t i = 0; i < N; i++) {
    hostile_write_many(text, sizeof text, &sizes[i], sizes[i].most);
    hostile_write(&nets[i], text);
    petri_compile(&nets[i], &(ff_petri_options){0});
    hostile_write_many(text, sizeof text, &sizes[i], sizes[i].most + 1);
    hostile_write(&x, text);
    petri_compile(&x, &(ff_petri_options){0});
    if (nets[i].program == NULL || x.program == NULL) return;
    const ff_device_request request = plain_request(x.program);
    check_refusal(x.program, &request, sizes[i].tells);
    petri_end(&x);
    cases[i] = (code_case){.what = sizes[i].tells, .program = nets[i].program, .last = 2, .units = UNITS, .firings = 1};
  }
  code_play(cases, N, CODE_QUICK);
  code_end(cases, N);
  for (uint32_t i = 0; i < N; i++) petri_end(&nets[i]);
}

FF_TEST_MAIN("petri_code", code_make_folder, small_nets_give_the_trajectories, random_nets_give_the_trajectories,
             hostile_nets_give_the_trajectories, instants_give_the_trajectories, clocks_give_the_trajectories,
             switches_give_the_trajectories, times_may_be_those_of_firings, threads_share_a_pool, conditions_end_trajectories,
             some_nets_have_no_code, some_blocks_have_no_code, pools_fit_the_shared_memory, events_have_no_code,
             variables_of_levels_have_no_code, some_requests_have_no_code, large_nets_have_no_code, code_remove_folder)
