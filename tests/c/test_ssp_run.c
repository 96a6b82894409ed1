/* The functional model of a Stochastic Simulation Processor: the same trajectories for all programs of a network, those of the
 * first reaction method bit for bit, exact distributions with 32 bits, and faults that must be noticed. */
#include <math.h>

#include "../../src/cme/ff_cme.h"
#include "../../src/ssp/compile/ff_ssp_compile.h"
#include "simulations.h"
#include "ssp_nets.h"
#include "ssp_networks.h"

/* ---- trajectories ------------------------------------------------------------------------------------------------------- */

#define KEPT 600u

/* The winners of the first steps, and what was noticed. */
typedef struct {
  ff_ssp_winner at[KEPT];
  uint32_t n;
  double state[64];
  ff_failure failure;
  int drained; /* whether all copies equalled the state whenever this was looked at */
  ff_error err;
} trace;

static void keep(void *of, const ff_ssp_winner *winner) {
  trace *t = of;
  if (t->n < KEPT) t->at[t->n++] = *winner;
}

/* Executes at most so many steps. `spoil` is called before each of them. */
static trace *spoiled_trace(const ff_ssp_code *code, uint32_t steps, uint32_t delay,
                            void (*spoil)(ff_ssp_spe *spe, uint32_t step)) {
  trace *t = ff_calloc(1, sizeof *t);
  const ff_ssp_spe_options options = {.delay = delay, .told = keep, .of = t};
  ff_ssp_spe *spe;
  FF_CHECK_OK(ff_ssp_spe_new(&spe, code, &options, &t->err), &t->err);
  ff_ssp_spe_start(spe, 77, 5, NULL);
  t->drained = 1;
  for (uint32_t i = 0; i < steps; i++) {
    if (spoil != NULL) spoil(spe, i);
    const int goes_on = ff_ssp_spe_step(spe);
    if (t->drained && ff_ssp_spe_drain(spe, &t->err) != FF_OK) t->drained = 0;
    if (!goes_on) break;
  }
  FF_CHECK(code->n_species <= 64);
  memcpy(t->state, ff_ssp_spe_state(spe), code->n_species * sizeof *t->state);
  ff_ssp_spe_diagnose(spe, &t->failure);
  ff_ssp_spe_free(spe);
  return t;
}

static trace *trace_of(const ff_ssp_code *code, uint32_t steps, uint32_t delay) {
  trace *t = spoiled_trace(code, steps, delay, NULL);
  FF_CHECK_SAY(t->drained, "%s", t->err.text);
  return t;
}

static int same_winner(const ff_ssp_winner *a, const ff_ssp_winner *b) {
  const int same_time = memcmp(&a->wait, &b->wait, sizeof a->wait) == 0 && memcmp(&a->time, &b->time, sizeof a->time) == 0;
  return a->step == b->step && same_time && (a->tag == b->tag || a->wait == INFINITY);
}

/* The first step in which two trajectories differ; KEPT if there is none. */
static uint32_t first_difference(const trace *a, const trace *b) {
  for (uint32_t i = 0; i < a->n || i < b->n; i++)
    if (i >= a->n || i >= b->n || !same_winner(&a->at[i], &b->at[i])) return i;
  return KEPT;
}

/* One RU, all species internal. */
static ssp_shape plain_shape(uint32_t precision) {
  ssp_shape s = {.chip = ff_ssp_chip_default(), .internal = 100, .plain = 1};
  s.chip.precision = precision;
  return s;
}

static ff_ssp_code *code_of(ff_ssp_program **program, uint64_t seed, const ff_reactions *net, const ssp_shape *shape) {
  *program = ssp_random_program(seed, net, shape);
  return ssp_code_of(*program);
}

static void drop(ff_ssp_code *code, ff_ssp_program *program) {
  ff_ssp_code_free(code);
  ff_ssp_program_free(program);
}

/* Whatever the compiler has chosen, and however late updates are committed. */
static void is_the_same_for_all_programs(void) {
  uint64_t state = 41;
  for (uint32_t i = 0; i < 24; i++) {
    const uint32_t precision = i % 2 == 0 ? 64 : 32;
    ff_reactions *net = ssp_random_network(&state, 3 + below(&state, 30), 2 + below(&state, 150));
    const ssp_shape plain = plain_shape(precision);
    ff_ssp_program *program;
    ff_ssp_code *code = code_of(&program, 1, net, &plain);
    trace *want = trace_of(code, 300, 0);
    FF_CHECK_INT(want->failure.what, FF_SSP_FINE);
    drop(code, program);
    for (uint32_t k = 0; k < 12; k++) {
      const ssp_shape shape = ssp_random_shape(&state, precision);
      const uint32_t delay = below(&state, 4);
      code = code_of(&program, i * 100 + k, net, &shape);
      trace *got = trace_of(code, 300, delay);
      const uint32_t differs = first_difference(want, got);
      FF_CHECK_SAY(differs == KEPT, "network %u, program %u: step %u", i, k, differs);
      FF_CHECK(memcmp(want->state, got->state, sizeof want->state) == 0);
      free(got);
      drop(code, program);
    }
    free(want);
    ff_reactions_free(net);
  }
}

/* Also programs of the compiler. */
static void is_the_same_for_compiled_programs(void) {
  uint64_t state = 14;
  for (uint32_t i = 0; i < 8; i++) {
    const uint32_t precision = i % 2 == 0 ? 64 : 32;
    ff_reactions *net = i < 4 ? ssp_random_network(&state, 3 + below(&state, 30), 2 + below(&state, 150))
                              : aggregation_network(1 + below(&state, 30), 1 + below(&state, 15), i);
    const ssp_shape plain = plain_shape(precision);
    ff_ssp_program *program;
    ff_ssp_code *code = code_of(&program, 1, net, &plain);
    trace *want = trace_of(code, 200, 0);
    drop(code, program);
    for (uint32_t k = 0; k < 3 * FF_SSP_OPTIMISES; k++) {
      ff_ssp_chip chip = ssp_random_shape(&state, precision).chip;
      ff_error err;
      chip.spes = 1 + below(&state, 4);
      chip.reaction_memory = k % 2 == 0 ? 8192 : 64;
      FF_CHECK_OK(ff_ssp_compile(&program, net, &chip, k % FF_SSP_OPTIMISES, k, &err), &err);
      code = ssp_code_of(program);
      trace *got = trace_of(code, 200, below(&state, 3));
      const uint32_t differs = first_difference(want, got);
      FF_CHECK_SAY(differs == KEPT, "network %u, program %u: step %u", i, k, differs);
      FF_CHECK(memcmp(want->state, got->state, sizeof want->state) == 0);
      free(got);
      drop(code, program);
    }
    free(want);
    ff_reactions_free(net);
  }
}

/* ---- the first reaction method ------------------------------------------------------------------------------------------ */

#define TIMES 5
#define TRAJECTORIES 6

typedef struct {
  double *states[64], *trajectory, *time;
  int32_t *what;
  uint64_t n, steps;
} history;

static history history_of(const ff_engine *engine, const void *model, uint32_t n_species, int method, double end, int threads) {
  history h = {.n = 0};
  uint32_t observed[64];
  double times[TIMES];
  for (uint32_t s = 0; s < n_species; s++) {
    observed[s] = s;
    h.states[s] = ff_calloc(TRAJECTORIES * TIMES, sizeof **h.states);
  }
  for (uint32_t i = 0; i < TIMES; i++) times[i] = end * i / (TIMES - 1);
  const ff_run_options options = {.method = method, .key = 99, .first = 3, .n = TRAJECTORIES, .times = times, .n_times = TIMES,
                                  .observed = observed, .n_observed = n_species, .states = h.states, .max_firings = 1000000,
                                  .threads = threads};
  ff_run *run;
  ff_error err;
  int done = 0;
  ff_status status = ff_run_new(&run, engine, model, &options, &err);
  while (status == FF_OK && !done) status = ff_run_advance(run, 1, &done, &err);
  FF_CHECK_OK(status, &err);
  h.n = ff_run_n_firings(run);
  h.steps = ff_run_steps(run);
  h.trajectory = ff_calloc(h.n, sizeof *h.trajectory);
  h.time = ff_calloc(h.n, sizeof *h.time);
  h.what = ff_calloc(h.n, sizeof *h.what);
  FF_CHECK_OK(ff_run_firings(run, h.trajectory, h.time, h.what, &err), &err);
  ff_run_free(run);
  return h;
}

static void check_same(const history *a, const history *b, uint32_t n_species) {
  FF_CHECK_INT(a->n, b->n);
  FF_CHECK_INT(a->steps, b->steps);
  if (a->n != b->n) return;
  FF_CHECK(memcmp(a->trajectory, b->trajectory, a->n * sizeof *a->trajectory) == 0);
  FF_CHECK(memcmp(a->time, b->time, a->n * sizeof *a->time) == 0);
  FF_CHECK(memcmp(a->what, b->what, a->n * sizeof *a->what) == 0);
  for (uint32_t s = 0; s < n_species; s++)
    FF_CHECK(memcmp(a->states[s], b->states[s], TRAJECTORIES * TIMES * sizeof **a->states) == 0);
}

static void free_history(history *h) {
  for (uint32_t s = 0; s < 64; s++) free(h->states[s]);
  free(h->trajectory);
  free(h->time);
  free(h->what);
}

/* Frees the network. Returns the number of firings. */
static uint64_t compare_with_first_reaction(ff_reactions *net, uint64_t *state, double end) {
  const uint32_t n = net->n_species;
  ff_ssa_program *known;
  ff_error err;
  FF_CHECK_OK(ff_ssa_program_new(&known, net, &err), &err);
  history want = history_of(&ff_ssa_engine, known, n, FF_SSA_FIRST, end, 1);
  for (int k = 0; k < 3; k++) {
    const ssp_shape shape = ssp_random_shape(state, 64);
    ff_ssp_program *program;
    ff_ssp_code *code = code_of(&program, next_random(state), net, &shape);
    history got = history_of(&ff_ssp_engine, code, n, 0, end, 1 + k);
    check_same(&want, &got, n);
    free_history(&got);
    drop(code, program);
  }
  const uint64_t fired = want.n;
  free_history(&want);
  ff_ssa_program_free(known);
  ff_reactions_free(net);
  return fired;
}

/* With 64 bits, times, states and firings. */
static void is_the_first_reaction_method(void) {
  uint64_t state = 8, fired = 0;
  for (uint32_t i = 0; i < 10; i++)
    fired += compare_with_first_reaction(ssp_random_network(&state, 2 + below(&state, 20), 1 + below(&state, 200)), &state, 2);
  FF_CHECK(fired > 1000);
  static const reaction_text virus[] = {{"A -> A + B", "1"}, {"A -> A + C", "10"}, {"A -> 0", "0.25"}, {"B -> A", "0.025"},
                                        {"B + C -> D", "7.5e-3"}, {"C -> 0", "1.9985"}, {NULL, NULL}};
  static const double begin[] = {1, 0, 0, 0};
  FF_CHECK(compare_with_first_reaction(network_of(virus, begin, 4), &state, 20) > 100);
  static const reaction_text ends[] = {{"2 A -> B", "0.5"}, {"A + B -> 0", "0.1"}, {NULL, NULL}}; /* is absorbed */
  static const double molecules[] = {101, 3};
  FF_CHECK(compare_with_first_reaction(network_of(ends, molecules, 2), &state, 1000) > 50);
  static const reaction_text large[] = {{"2 A -> A", "1e-9"}, {"A + B -> B", "1e-9"}, {NULL, NULL}};
  static const double many[] = {4294967295.0, 4294967295.0};
  FF_CHECK(compare_with_first_reaction(network_of(large, many, 2), &state, 1e-7) > 100);
}

/* ---- faults -------------------------------------------------------------------------------------------------------------- */

/* The external copy number `i`, or NULL if there are fewer. */
static ff_ssp_copy *external_copy(ff_ssp_spe *spe, uint32_t i, uint32_t state) {
  for (uint32_t j = 0; j < spe->code->n_units; j++) {
    const ff_ssp_code_unit *u = &spe->code->units[j];
    const uint32_t end = j + 1 < spe->code->n_units ? spe->code->units[j + 1].first_copy : spe->code->n_copies;
    for (uint32_t c = u->first_copy + u->n_internal; c < end; c++)
      if (spe->copies[c].state == state && i-- == 0) return &spe->copies[c];
  }
  return NULL;
}

static void do_nothing(ff_ssp_spe *spe, uint32_t step) { (void)spe, (void)step; }

/* One RU misses a change that all others get. */
static void spoil_a_copy(ff_ssp_spe *spe, uint32_t step) {
  ff_ssp_copy *c = external_copy(spe, 2, FF_SSP_NO_UPDATE);
  if (step == 20 && c != NULL) c->memory++;
}

/* An update never gets to the memory. */
static void skip_a_commit(ff_ssp_spe *spe, uint32_t step) {
  ff_ssp_copy *c = external_copy(spe, 0, FF_SSP_WAITING);
  if (step == 20 && c != NULL) c->state = FF_SSP_NO_UPDATE;
}

/* The writeback update unit forgets what it should replace: fetched populations are stale. */
static void forget_updates(ff_ssp_spe *spe, uint32_t step) {
  for (uint32_t i = 0; i < spe->code->n_copies && step > 20; i++) {
    if (spe->copies[i].state != FF_SSP_WAITING) continue;
    spe->copies[i].memory = spe->copies[i].update;
    spe->copies[i].state = FF_SSP_NO_UPDATE;
  }
}

/* An internal species misses a change. */
static void spoil_the_scratchpad(ff_ssp_spe *spe, uint32_t step) {
  if (step == 20 && spe->code->units[1].n_internal > 0) spe->rus[1].entries[0].population++;
}

static void notices_spoiled_copies(void) {
  static const struct {
    void (*spoil)(ff_ssp_spe *spe, uint32_t step);
    int noticed;
    const char *sentence;
  } faults[] = {{do_nothing, 0, ""}, {spoil_a_copy, 1, "the copy of"}, {skip_a_commit, 1, "the copy of"},
                {forget_updates, 1, "the copy of"}, {spoil_the_scratchpad, 1, "the copy of"}};
  uint64_t state = 5;
  ff_reactions *net = ssp_random_network(&state, 12, 60);
  ssp_shape shape = plain_shape(64);
  shape.chip.rus = 3;
  shape.chip.cached = 6;
  shape.chip.internal = 3;
  shape.chip.data = 16;
  shape.internal = 30;
  ff_ssp_program *program;
  ff_ssp_code *code = code_of(&program, 9, net, &shape);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    trace *t = spoiled_trace(code, 200, 0, faults[i].spoil);
    FF_CHECK_SAY(t->drained == !faults[i].noticed, "fault %zu: %s", i, t->drained ? "not noticed" : t->err.text);
    FF_CHECK_SAY(t->drained || strstr(t->err.text, faults[i].sentence) != NULL, "fault %zu: %s", i, t->err.text);
    free(t);
  }
  drop(code, program);
  ff_reactions_free(net);
}

/* An update that should have been committed, or that will be committed after the stream in which it should be. */
static void notices_an_update_that_waits(void) {
  uint64_t state = 5;
  ff_reactions *net = ssp_random_network(&state, 12, 60);
  ssp_shape shape = plain_shape(64);
  shape.internal = 0;
  ff_ssp_program *program;
  ff_ssp_code *code = code_of(&program, 9, net, &shape);
  ff_ssp_spe *spe;
  ff_error err;
  FF_CHECK_OK(ff_ssp_spe_new(&spe, code, NULL, &err), &err);
  ff_ssp_spe_start(spe, 1, 1, NULL);
  ff_ssp_copy *c = NULL;
  for (int i = 0; i < 50 || (i < 1000 && (c = external_copy(spe, 0, FF_SSP_COMMITTED)) == NULL); i++) ff_ssp_spe_step(spe);
  FF_CHECK(c != NULL);
  FF_CHECK_OK(ff_ssp_spe_drain(spe, &err), &err);
  for (uint64_t late = 0; c != NULL && late < 3; late++) {
    c->state = FF_SSP_WAITING;
    c->when = spe->winner.step + late;
    FF_CHECK_INT(ff_ssp_spe_drain(spe, &err), late == 1 ? FF_OK : FF_EINTERNAL);
    FF_CHECK_SAY(late == 1 || strstr(err.text, "to be committed") != NULL, "%s", err.text);
  }
  ff_ssp_spe_free(spe);
  drop(code, program);
  ff_reactions_free(net);
}

/* A species that changes, and that no RU reads, is lost. */
static void notices_a_lost_dummy(void) {
  uint64_t state = 6;
  ff_reactions *net = ssp_random_network(&state, 12, 60);
  ssp_shape shape = plain_shape(64);
  shape.chip.rus = 3;
  shape.chip.internal = 0;
  for (int lost = 0; lost < 2; lost++) {
    shape.without_dummies = lost;
    ff_ssp_program *program;
    ff_ssp_code *code = code_of(&program, 9, net, &shape);
    trace *t = spoiled_trace(code, 100, 0, NULL);
    FF_CHECK_INT(t->drained, !lost);
    FF_CHECK_SAY(!lost || strstr(t->err.text, "no RU reads species \"S11\"") != NULL, "%s", t->err.text);
    free(t);
    drop(code, program);
  }
  ff_reactions_free(net);
}

/* ---- waiting times ------------------------------------------------------------------------------------------------------- */

typedef float (*minus_log)(uint32_t w);

/* A uniform that is rounded to binary32 first: for 2^-25 of all words, it is 1. */
static float rounded_first(uint32_t w) { return (float)-logl((long double)(float)(((double)w + 0.5) * 0x1p-32)); }
static float ours(uint32_t w) { return ff_ssp_minus_log(w); }

/* The largest relative error, in units of 2^-24, over words at both ends and random ones. A correctly rounded logarithm has at
 * most 1; ours is rounded twice, so at most 1 + 2^-28. */
static double worst_error(minus_log f) {
  double worst = 0;
  uint64_t state = 3;
  for (uint32_t i = 0; i < 300000; i++) {
    const uint32_t any = (uint32_t)(next_random(&state) >> 32) | (i % 3 == 0 ? 0xFFFF0000u : 0);
    const uint32_t w = i < 1000 ? i : i < 2000 ? UINT32_MAX - (i - 1000) : any;
    const long double u = ((long double)w + 0.5L) * 0x1p-32L, want = w > UINT32_MAX / 2 ? -log1pl(u - 1) : -logl(u);
    const double error = (double)(fabsl((long double)f(w) - want) / want) * 0x1p24;
    if (error > worst) worst = error;
  }
  return worst;
}

static void has_exact_logarithms(void) {
  FF_CHECK(worst_error(ours) <= 1 + 0x1p-28);
  FF_CHECK(worst_error(rounded_first) > 1000);
  FF_CHECK(ours(UINT32_MAX) > 0);
  FF_CHECK(rounded_first(UINT32_MAX) == 0);
}

/* L of a table is the exact one of the middle of the word's cell. */
static void has_tables_of_logarithms(void) {
  uint64_t state = 4;
  for (uint32_t bits = 1; bits <= 16; bits++) {
    ff_reactions *net = ssp_random_network(&state, 4, 5);
    ssp_shape shape = plain_shape(32);
    shape.chip.logarithm = bits;
    ff_ssp_program *program;
    ff_ssp_code *code = code_of(&program, 1, net, &shape);
    for (uint32_t i = 0; i < 2000; i++) {
      const uint32_t w = i < 500 ? i : i < 1000 ? UINT32_MAX - (i - 500) : (uint32_t)(next_random(&state) >> 32);
      const long double v = 2 * (long double)w + 1;
      int e = 0;
      while (ldexpl(1, e + 1) <= v) e++;
      const long double cell = floorl((ldexpl(v, -e) - 1) * ldexpl(1, (int)bits));
      const long double middle = ldexpl(1 + (cell + 0.5L) * ldexpl(1, -(int)bits), e - 33), want = -logl(middle);
      const double got = (double)ff_ssp_table_log(w, code->logarithms, code->bits);
      FF_CHECK_NEAR(got, (double)want, 0x1p-24 * (double)want + 1e-14); /* the doubles' error is below 8 * 2^-52 of log(2^33) */
      FF_CHECK(got > 0);
    }
    drop(code, program);
    ff_reactions_free(net);
  }
}

/* The waiting time of reaction r with 32 bits, from the words of the header: in this state, for key 77 and trajectory 5. */
static float wait_of(const ff_reactions *net, uint32_t r, const double *state, uint64_t step, const ff_ssp_code *code) {
  const ff_reaction *reaction = &net->reactions[r];
  const uint32_t w = ff_philox(ff_philox_counter(2, r / 4, step, 5), 77).v[r % 4];
  const float rate = (float)ff_formula_value(&reaction->rate, NULL, 0, (double[8]){0});
  const float log = code->logarithms != NULL ? ff_ssp_table_log(w, code->logarithms, code->bits) : ours(w);
  const double x = reaction->n_reactants > 0 ? state[reaction->reactants[0].species] : 1;
  float a = rate * (float)x;
  if (reaction->n_reactants == 2) a = rate * ((float)x * (float)state[reaction->reactants[1].species]);
  if (reaction->n_reactants == 1 && reaction->reactants[0].count == 2) a = rate / 2 * (float)(x * (x - 1));
  return a > 0 ? log / a : INFINITY;
}

/* With 32 bits, winners are those of a plain search. A table of two logarithms and equal rates make many waiting times equal. */
static void finds_the_first_of_equal_times(void) {
  uint64_t state = 30, ties = 0;
  for (uint32_t logarithm = 0; logarithm < 2; logarithm++) {
    ff_reactions *net = logarithm == 0 ? ssp_random_network(&state, 20, 150) : ring_of(40);
    ssp_shape shape = plain_shape(32);
    shape.chip.logarithm = logarithm;
    shape.chip.rus = 3;
    ff_ssp_program *program;
    ff_ssp_code *code = code_of(&program, 3, net, &shape);
    ff_ssp_spe *spe;
    ff_error err;
    FF_CHECK_OK(ff_ssp_spe_new(&spe, code, NULL, &err), &err);
    ff_ssp_spe_start(spe, 77, 5, NULL);
    for (uint64_t step = 0; step < 100 && ff_ssp_spe_step(spe); step++) {
      float least = INFINITY;
      uint32_t first = 0;
      for (uint32_t r = 0; r < net->n_reactions; r++) {
        const float wait = wait_of(net, r, ff_ssp_spe_state(spe), step, code);
        ties += wait == least && wait < INFINITY;
        if (wait < least) least = wait, first = r;
      }
      FF_CHECK_INT(ff_ssp_spe_winner(spe)->tag, first);
      FF_CHECK(ff_ssp_spe_winner(spe)->wait == (double)least);
      FF_CHECK_INT(ff_ssp_spe_winner(spe)->step, step);
    }
    ff_ssp_spe_free(spe);
    drop(code, program);
    ff_reactions_free(net);
  }
  FF_CHECK(ties > 20);
}

/* ---- distributions ------------------------------------------------------------------------------------------------------- */

#define MOST 128
#define MANY 100000

/* How often each count below MOST of the first species is seen at this time, among MANY trajectories. */
static void count_ends(const ff_ssp_code *code, double time, double *seen) {
  const uint32_t observed = 0;
  double *values = ff_calloc(MANY, sizeof *values);
  const ff_run_options options = {.key = 2012, .n = MANY, .times = &time, .n_times = 1, .observed = &observed, .n_observed = 1,
                                  .states = &values, .threads = 2};
  ff_run *run;
  ff_error err;
  int done = 0;
  ff_status status = ff_run_new(&run, &ff_ssp_engine, code, &options, &err);
  while (status == FF_OK && !done) status = ff_run_advance(run, 1, &done, &err);
  FF_CHECK_OK(status, &err);
  ff_run_free(run);
  for (uint32_t k = 0; k < MOST; k++) seen[k] = 0;
  for (uint32_t i = 0; i < MANY; i++) seen[(uint32_t)values[i] % MOST]++;
  free(values);
}

/* The quantile of Pearson's statistic against the master equation. */
static double quantile_of(const ff_reactions *net, const ff_ssp_code *code, double time) {
  static double counts[1 << 16], probability[1 << 16], seen[MOST], exact[MOST];
  ff_cme *cme;
  ff_error err;
  int done = 0;
  FF_CHECK_OK(ff_cme_new(&cme, net, 1e-9, 1u << 13, time, &err), &err);
  while (!done) FF_CHECK_OK(ff_cme_advance(cme, time, 1, &done, &err), &err);
  const uint32_t n = ff_cme_distribution(cme, NULL, NULL, 0);
  FF_CHECK(n <= 1u << 13);
  ff_cme_distribution(cme, counts, probability, n);
  ff_cme_free(cme);
  for (uint32_t k = 0; k < MOST; k++) exact[k] = 0;
  for (uint32_t i = 0; i < n; i++) exact[(uint32_t)counts[i] % MOST] += probability[i];
  count_ends(code, time, seen);
  chi_square x = chi_square_of(MANY, 10);
  for (uint32_t k = 0; k < MOST && chi_square_add(&x, MANY * exact[k], seen[k]); k++) continue;
  return chi_square_quantile(&x);
}

/* Four tests; a quantile above z = 3.49 has the probability 2.5e-4, which is 1e-3 / 4. */
#define QUANTILE 3.49

static const reaction_text births[] = {{"0 -> A", "10"}, {"A -> 0", "1"}, {NULL, NULL}};
static const reaction_text slow_births[] = {{"0 -> A", "10"}, {"A -> 0", "1.03"}, {NULL, NULL}};
static const reaction_text pairs[] = {{"2 A -> B", "0.05"}, {"B -> 2 A", "0.3"}, {"A + B -> C", "0.02"}, {"C -> A", "0.5"},
                                      {"0 -> A", "4"}, {"A -> 0", "0.2"}, {NULL, NULL}};

/* With 32 bits: births and deaths, also against Poisson's distribution, and reactions of all types. */
static void has_exact_distributions(void) {
  static const double none[] = {0}, some[] = {12, 2, 1};
  ssp_shape shape = plain_shape(32);
  ff_ssp_program *program;
  ff_reactions *net = network_of(births, none, 1);
  ff_ssp_code *code = code_of(&program, 1, net, &shape);
  FF_CHECK(quantile_of(net, code, 1.5) < QUANTILE);
  double seen[MOST], mean = 10 * (1 - exp(-0.7)), expected = MANY * exp(-mean);
  count_ends(code, 0.7, seen);
  chi_square x = chi_square_of(MANY, 10);
  for (uint32_t k = 0; k < MOST && chi_square_add(&x, expected, seen[k]); k++) expected *= mean / (k + 1);
  FF_CHECK(chi_square_quantile(&x) < QUANTILE);
  drop(code, program);

  ff_reactions *wrong = network_of(slow_births, none, 1); /* a rate that is 3% off */
  code = code_of(&program, 1, wrong, &shape);
  FF_CHECK(quantile_of(net, code, 1.5) > QUANTILE);
  drop(code, program);
  ff_reactions_free(wrong);
  ff_reactions_free(net);

  net = network_of(pairs, some, 3);
  shape.chip.rus = 2;
  shape.internal = 50;
  code = code_of(&program, 2, net, &shape);
  FF_CHECK(quantile_of(net, code, 0.7) < QUANTILE);
  drop(code, program);
  shape.chip.logarithm = 16; /* its bias is far below what so many trajectories show */
  code = code_of(&program, 3, net, &shape);
  FF_CHECK(quantile_of(net, code, 2) < QUANTILE);
  drop(code, program);
  ff_reactions_free(net);
}

/* ---- failures ------------------------------------------------------------------------------------------------------------ */

static ff_status fails(const ff_ssp_code *code, const double *initial, int method, ff_error *err) {
  const uint32_t observed = 0;
  double value[3], *values = value;
  const double time = 5;
  const ff_run_options options = {.method = method, .n = 3, .times = &time, .n_times = 1, .observed = &observed, .n_observed = 1,
                                  .states = &values, .initial = initial, .threads = 1};
  ff_run *run;
  int done = 0;
  ff_status status = ff_run_new(&run, &ff_ssp_engine, code, &options, err);
  while (status == FF_OK && !done) status = ff_run_advance(run, 1, &done, err);
  ff_run_free(run);
  return status;
}

#define CHECK_REFUSED(call, expected, words)                         \
  do {                                                               \
    FF_CHECK_INT(call, expected);                                    \
    FF_CHECK_SAY(strstr(err.text, words) != NULL, "%s", err.text);   \
  } while (0)

static void describes_failures(void) {
  static const reaction_text grows[] = {{"0 -> A", "10"}, {"2 B -> 2 B + C", "1e30"}, {NULL, NULL}};
  ff_error err;
  ff_ssp_program *program;
  const double full[] = {4294967290.0, 0, 0}, above[] = {4294967296.0, 0, 0}, half[] = {0, 0.5, 0}, below_0[] = {0, -1, 0};
  const double infinite[] = {0, 4e9, 0}, fine[] = {0, 0, 0};
  ff_reactions *net = network_of(grows, fine, 3);
  const ssp_shape shape = plain_shape(32);
  ff_ssp_code *code = code_of(&program, 1, net, &shape);
  CHECK_REFUSED(fails(code, full, 0, &err), FF_ESIZE, "the population of species \"A\" is 4294967296 at time");
  CHECK_REFUSED(fails(code, full, 0, &err), FF_ESIZE, "of trajectory 1");
  CHECK_REFUSED(fails(code, above, 0, &err), FF_ESIZE, "the initial count of species \"A\" is 4294967296");
  CHECK_REFUSED(fails(code, half, 0, &err), FF_EARGUMENT, "whole number");
  CHECK_REFUSED(fails(code, below_0, 0, &err), FF_ESIZE, "species \"B\" is -1");
  CHECK_REFUSED(fails(code, infinite, 0, &err), FF_EMODEL, "reaction \"R2\" exceeds the largest number of 32 bits at time");
  CHECK_REFUSED(fails(code, fine, 1, &err), FF_EARGUMENT, "one method");
  FF_CHECK_OK(fails(code, fine, 0, &err), &err);
  CHECK_REFUSED(ff_ssp_engine.check_devices(code, NULL, &err), FF_EUNSUPPORTED, "this processor only");
  drop(code, program);
  code = code_of(&program, 1, net, &shape); /* without names, and with a change that takes what is not there */
  for (uint32_t i = 0; i < 5; i++) free(program->names[i]);
  free(program->names);
  program->names = NULL;
  code->vectors[0] = ff_ssp_change(1, -1);
  CHECK_REFUSED(fails(code, fine, 0, &err), FF_ESIZE, "the population of species \"number 2\" is -1");
  drop(code, program);
  ff_reactions_free(net);
}

/* ---- programs that cannot be executed ---------------------------------------------------------------------------------- */

static ff_status refuses(ff_ssp_program *program, ff_error *err) {
  ff_ssp_code *code;
  const ff_status status = ff_ssp_code_new(&code, program, err);
  FF_CHECK((status == FF_OK) == (code != NULL));
  ff_ssp_code_free(code);
  return status;
}

/* Changes instruction i of the first RU, looks, and restores it. */
static void refuses_word(ff_ssp_program *program, uint32_t i, ff_ssp_instruction in, const char *words) {
  ff_error err;
  const uint64_t before = program->units[0].words[i];
  program->units[0].words[i] = ff_ssp_pack(in);
  CHECK_REFUSED(refuses(program, &err), FF_EMODEL, words);
  program->units[0].words[i] = before;
}

static void refuses_contradictions(void) {
  static const reaction_text reactions[] = {{"A + B -> C", "1"}, {"0 -> A", "2"}, {NULL, NULL}};
  static const double initial[] = {5, 5, 0};
  ff_reactions *net = network_of(reactions, initial, 3);
  ssp_shape shape = plain_shape(32);
  shape.internal = 0;
  shape.chip.merger = 1;
  ff_ssp_program *p = ssp_random_program(7, net, &shape);
  ff_ssp_unit *u = &p->units[0];
  ff_error err;
  FF_CHECK_OK(refuses(p, &err), &err);
  FF_CHECK_INT(u->n_stream, 4); /* two halves, a source, and a dummy for C */
  for (uint32_t i = 0; i < 4; i++) {
    const ff_ssp_instruction is = ff_ssp_unpack(u->words[i]);
    ff_ssp_instruction in = is;
    in.rate = 0x7F800000u;
    refuses_word(p, i, in, "has a rate that is not finite");
    if (ff_ssp_is_source(is)) {
      in = is, in.op = FF_SSP_FIFO, in.entry = 600;
      refuses_word(p, i, in, "is a source");
      in = is, in.tag = 2;
      refuses_word(p, i, in, "the network does not have");
      in = is, in.type = FF_SSP_UNI, in.entry = 1023;
      refuses_word(p, i, in, "holds no species");
    } else {
      in = is, in.op = FF_SSP_SPAD;
      refuses_word(p, i, in, "holds no species in this step");
    }
    if (is.type == FF_SSP_BI2) {
      in = is, in.type = FF_SSP_UNI;
      refuses_word(p, i, in, "lacks a half of reaction 1");
    }
  }
  u->n_fetches--;
  CHECK_REFUSED(refuses(p, &err), FF_EMODEL, "no more are fetched");
  u->n_fetches++;
  const uint32_t fetch = u->fetches[0];
  u->fetches[0] = ff_ssp_fetch(0, ff_ssp_fetch_length(fetch) + 1);
  CHECK_REFUSED(refuses(p, &err), FF_EMODEL, "fetches 4 populations in a step and takes 3");
  u->fetches[0] = ff_ssp_fetch(3, 1);
  CHECK_REFUSED(refuses(p, &err), FF_EMODEL, "fetches species");
  u->fetches[0] = fetch;
  u->n_stream = 0;
  u->n_fetches = 0;
  CHECK_REFUSED(refuses(p, &err), FF_EMODEL, "is evaluated 0 times in a step");
  ff_ssp_program_free(p);
  ff_reactions_free(net);
}

FF_TEST_MAIN("ssp_run", is_the_same_for_all_programs, is_the_same_for_compiled_programs, is_the_first_reaction_method,
             notices_spoiled_copies, notices_an_update_that_waits, notices_a_lost_dummy, has_exact_logarithms,
             has_tables_of_logarithms, finds_the_first_of_equal_times, has_exact_distributions, describes_failures,
             refuses_contradictions)
