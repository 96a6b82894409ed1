/* Trajectories and cycles of a Stochastic Simulation Processor together: what ends a run, its trajectories, and its pace. */
#include "../../src/ssp/cycles/ff_ssp_cycles.h"
#include "../../src/ssp/cycles/ff_ssp_trace.h"

#include <math.h>

#include "../../src/ssp/compile/ff_ssp_compile.h"
#include "ssp_networks.h"

#define MOST_CALLS 2000 /* of ff_ssp_cycles_advance(). The runs here end after one or some; one that never ends fails here */

static ff_ssp_program *compile(const ff_reactions *net, const ff_ssp_chip *chip) {
  ff_ssp_program *p = NULL;
  ff_error err;
  FF_CHECK_OK(ff_ssp_compile(&p, net, chip, FF_SSP_LOCALITY, 1, &err), &err);
  return p;
}

static ff_ssp_chip small_chip(uint32_t spes, uint32_t rus) {
  ff_ssp_chip chip = ff_ssp_chip_default();
  chip.spes = spes;
  chip.rus = rus;
  chip.internal = 4;
  chip.cached = 8;
  chip.reaction_memory = 64;
  chip.vector_lines = 8;
  chip.victims = 2;
  chip.channels = 3;
  chip.reaction_channels = 1;
  return chip;
}

/* Runs to the end. Returns NULL if this is a failure, with the message in err. */
static ff_ssp_cycles *run_all(const ff_ssp_program *p, const ff_ssp_cycles_options *options, ff_error *err) {
  ff_ssp_cycles *run = NULL;
  int done = 0, calls = 0;
  ff_status status = ff_ssp_cycles_new(&run, p, options, err);
  FF_CHECK_OK(status, err);
  while (status == FF_OK && !done && calls++ < MOST_CALLS) status = ff_ssp_cycles_advance(run, 0.05, &done, err);
  FF_CHECK_SAY(status != FF_OK || done, "a run does not end");
  if (status == FF_OK) return run;
  ff_ssp_cycles_free(run);
  return NULL;
}

static ff_ssp_pace pace_of(const ff_ssp_cycles *run) {
  ff_ssp_pace pace;
  ff_ssp_cycles_pace(run, &pace);
  return pace;
}

/* ---- trajectories ------------------------------------------------------------------------------------------------------ */

/* Simulates the trajectories one after the other with a processing element, and compares their ends. */
static void compare_ends(const ff_ssp_program *p, const ff_ssp_cycles_options *o, const ff_ssp_cycles *run) {
  ff_ssp_code *code = NULL;
  ff_ssp_spe *spe = NULL;
  ff_error err;
  uint64_t steps = 0;
  FF_CHECK_OK(ff_ssp_code_new(&code, p, &err), &err);
  FF_CHECK_OK(ff_ssp_spe_new(&spe, code, NULL, &err), &err);
  for (uint64_t i = 0; i < o->n; i++) {
    double time = 0;
    ff_ssp_spe_start(spe, o->key, o->first + i, o->initial);
    for (uint64_t fired = 0;; fired++) {
      steps++; /* that which finds the end, too */
      if (!ff_ssp_spe_step(spe) || ff_ssp_spe_winner(spe)->time > o->last || (o->steps > 0 && fired == o->steps)) break;
      time = ff_ssp_spe_winner(spe)->time;
    }
    FF_CHECK_SAY(o->times[i] == time, "trajectory %llu ends at %.17g, expected %.17g", (unsigned long long)i, o->times[i], time);
    FF_CHECK_SAY(memcmp(o->states + i * p->n_species, ff_ssp_spe_state(spe), p->n_species * sizeof(double)) == 0,
                 "trajectory %llu of %llu ends in another state", (unsigned long long)i, (unsigned long long)o->n);
  }
  FF_CHECK_INT(ff_ssp_cycles_steps(run), steps);
  FF_CHECK_INT(ff_ssp_cycles_ended(run), o->n);
  FF_CHECK(pace_of(run).complete);
  ff_ssp_spe_free(spe);
  ff_ssp_code_free(code);
}

/* Species that only decay or bind, so that each trajectory comes to an end by itself. */
static ff_reactions *dying_network(void) {
  static const reaction_text reactions[] = {
      {"A -> B", "1"}, {"A + B -> C", "0.1"}, {"2 B -> D", "0.2"}, {"C -> D", "2"}, {"B -> 0", "0.3"}, {NULL, NULL}};
  static const double initial[] = {12, 3, 0, 0};
  return network_of(reactions, initial, 4);
}

/* Fewer trajectories than SPEs, as many, and more. They end by themselves, by their time, by their steps, and by both. */
static void trajectories_are_those_of_spes(void) {
  static const double other[] = {5, 9, 1, 0};
  for (uint32_t spes = 1; spes <= 4; spes++) {
    for (int lives = 0; lives < 2; lives++) {
      ff_reactions *net = lives ? aggregation_network(3, 2, 4) : dying_network();
      ff_ssp_chip chip = small_chip(spes, 1 + spes % 3);
      chip.precision = spes == 3 ? 64 : 32;
      ff_ssp_program *p = compile(net, &chip);
      for (uint32_t n = spes > 1 ? spes - 1 : 1; n < spes + 6 && p != NULL; n += n <= spes ? 1 : 4) {
        for (int ends = lives; ends < 4; ends++) {
          ff_ssp_cycles_options o = {.key = 7 + spes, .first = 5 * (uint64_t)ends, .n = n, .last = INFINITY};
          ff_error err;
          if ((ends & 1) != 0) o.steps = 9;
          if ((ends & 2) != 0) o.last = lives ? 0.02 : 0.5;
          if (!lives && ends == 2) o.initial = other;
          o.times = ff_calloc(n, sizeof *o.times);
          o.states = ff_calloc((size_t)n * p->n_species, sizeof *o.states);
          ff_ssp_cycles *run = run_all(p, &o, &err);
          if (run != NULL) compare_ends(p, &o, run);
          ff_ssp_cycles_free(run);
          free(o.times);
          free(o.states);
        }
      }
      ff_ssp_program_free(p);
      ff_reactions_free(net);
    }
  }
}

/* No trajectories, and trajectories that end at once. */
static void short_runs_end(void) {
  ff_reactions *net = dying_network();
  const ff_ssp_chip chip = small_chip(3, 2);
  ff_ssp_program *p = compile(net, &chip);
  static const double nothing[4];
  for (uint64_t n = 0; n < 5 && p != NULL; n++) {
    const ff_ssp_cycles_options o = {.key = 1, .n = n, .initial = nothing, .last = INFINITY, .error = 0.01};
    ff_error err;
    ff_ssp_cycles *run = run_all(p, &o, &err);
    if (run == NULL) continue;
    const ff_ssp_pace pace = pace_of(run);
    FF_CHECK_INT(ff_ssp_cycles_steps(run), n);
    FF_CHECK_INT(ff_ssp_cycles_ended(run), n);
    FF_CHECK(pace.complete && isnan(pace.error) && isnan(pace.mean) == (n == 0));
    ff_ssp_cycles_free(run);
  }
  ff_ssp_program_free(p);
  ff_reactions_free(net);
}

/* Trajectories run out while the pace is not known. This was an endless loop. */
static void trajectories_run_out(void) {
  ff_reactions *net = aggregation_network(3, 2, 4);
  for (uint32_t spes = 1; spes <= 4; spes++) {
    const ff_ssp_chip chip = small_chip(spes, 2);
    ff_ssp_program *p = compile(net, &chip);
    for (uint64_t n = 1; n < 9 && p != NULL; n++) {
      for (uint64_t steps = 1; steps < 30; steps += 4) {
        const ff_ssp_cycles_options o = {.key = n, .n = n, .last = INFINITY, .steps = steps, .error = 1e-9};
        ff_error err;
        ff_ssp_cycles *run = run_all(p, &o, &err);
        if (run == NULL) continue;
        FF_CHECK_INT(ff_ssp_cycles_ended(run), n);
        FF_CHECK_INT(ff_ssp_cycles_steps(run), n * (steps + 1));
        FF_CHECK(pace_of(run).complete && pace_of(run).mean > 0);
        ff_ssp_cycles_free(run);
      }
    }
    ff_ssp_program_free(p);
  }
  ff_reactions_free(net);
}

/* ---- the pace ---------------------------------------------------------------------------------------------------------- */

static uint32_t log2_up(uint32_t n) {
  uint32_t bits = 0;
  while ((1u << bits) < n) bits++;
  return bits;
}

/* A program whose data are on chip, and whose only reaction that fires has its vector in the cache from its second step on. All
 * steps take the same number of cycles, so the pace is exact. The run stops as soon as it is known. */
static void the_pace_on_chip_is_exact(void) {
  static const uint32_t S[] = {1, 2, 5}, R[] = {1, 2, 3, 8, 17};
  const uint32_t none = UINT32_MAX;
  ff_reactions *net = elementary_network(40, 40, 3);
  ff_error err;
  for (uint32_t r = 0; r < 40; r++) {
    const uint32_t side[2] = {r, none};
    elementary_reaction(net, r, side, side, r == 0 ? 1 : 0);
  }
  FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
  for (size_t i = 0; i < 3; i++) {
    for (size_t k = 0; k < 5; k++) {
      ff_ssp_chip chip = ff_ssp_chip_default();
      chip.spes = S[i];
      chip.rus = R[k];
      chip.latency += (uint32_t)i;
      chip.barrier += (uint32_t)k;
      ff_ssp_program *p = compile(net, &chip);
      const ff_ssp_cycles_options o = {.key = 3, .n = S[i], .last = INFINITY, .error = 0.005, .sample = 1};
      ff_ssp_cycles *run = p != NULL ? run_all(p, &o, &err) : NULL;
      uint32_t longest = 0;
      for (uint32_t j = 0; j < chip.rus && p != NULL; j++) {
        FF_CHECK(p->units[j].n_stream == 0 && p->units[j].n_fetches == 0);
        if (p->units[j].n_local > longest) longest = p->units[j].n_local;
      }
      if (run != NULL) {
        const ff_ssp_pace pace = pace_of(run);
        FF_CHECK(pace.mean == longest + chip.latency - chip.barrier + 1 + 2 * log2_up(R[k]));
        FF_CHECK(pace.error == 0 && !pace.complete);
        FF_CHECK(pace.steps >= 20 * S[i] && (double)pace.cycles * S[i] == pace.mean * (double)pace.steps);
      }
      ff_ssp_cycles_free(run);
      ff_ssp_program_free(p);
    }
  }
  ff_reactions_free(net);
}

/* Trajectories of very different lengths: SPEs that are done do not slow down the mean of a short run. On chip, a step of one RU
 * takes as many cycles as it has instructions, and 1,001 more; one whose state change is read from the memory takes some more. */
static void idle_spes_do_not_count(void) {
  static const reaction_text reactions[] = {
      {"A -> A", "1"}, {"B -> 0", "1"}, {"A + C -> C", "1e30"}, {"D -> C", "0.05"}, {NULL, NULL}};
  static const double initial[] = {1, 0, 0, 1};
  ff_reactions *net = network_of(reactions, initial, 4);
  ff_ssp_chip chip = ff_ssp_chip_default();
  ff_error err;
  chip.spes = 2;
  chip.latency = 1003;
  ff_ssp_program *p = compile(net, &chip);
  for (uint64_t key = 1; key < 60 && p != NULL; key++) { /* each ends soon after D has become C */
    const ff_ssp_cycles_options o = {.key = key, .n = 2, .last = INFINITY};
    ff_ssp_cycles *run = run_all(p, &o, &err);
    if (run == NULL) continue;
    const double a_step = p->units[0].n_local + 1001;
    FF_CHECK(p->units[0].n_stream == 0);
    const ff_ssp_pace pace = pace_of(run);
    FF_CHECK_SAY(pace.mean >= a_step && pace.mean < a_step + 40, "key %llu: %g cycles, and a step takes %g",
                 (unsigned long long)key, pace.mean, a_step);
    ff_ssp_cycles_free(run);
  }
  ff_ssp_program_free(p);
  ff_reactions_free(net);
}

/* Pairs of species that change into each other at the same rate, ten of each: the state is stationary from the begin on. */
static ff_reactions *stationary_network(uint32_t pairs) {
  const uint32_t none = UINT32_MAX;
  ff_reactions *net = elementary_network(2 * pairs, 2 * pairs, 10);
  ff_error err;
  for (uint32_t r = 0; r < 2 * pairs; r++) {
    const uint32_t from[2] = {r, none}, into[2] = {r ^ 1, none};
    elementary_reaction(net, r, from, into, 1);
  }
  FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
  return net;
}

#define SAMPLED_RUNS 40

/* Intervals of 95% miss the mean in 2 of 40 runs. A binomial number is above 8 with a probability of 1e-4; seeds are fixed. The
 * long run is three hundred times as long as the sampled ones have to be, and its own error is added. */
static void the_sampled_pace_is_that_of_a_long_run(void) {
  ff_reactions *net = stationary_network(40);
  const ff_ssp_chip chip = small_chip(3, 2);
  ff_ssp_program *p = compile(net, &chip);
  ff_error err;
  const ff_ssp_cycles_options long_run = {.key = 1, .n = 3, .last = INFINITY, .steps = 8000};
  ff_ssp_cycles *run = p != NULL ? run_all(p, &long_run, &err) : NULL;
  if (run == NULL) return;
  const ff_ssp_pace exact = pace_of(run);
  FF_CHECK(exact.complete && exact.error > 0 && exact.error < 0.005 * exact.mean);
  ff_ssp_cycles_free(run);
  int outside = 0;
  for (uint32_t i = 0; i < SAMPLED_RUNS; i++) {
    const ff_ssp_cycles_options o = {.key = 100 + i, .n = 3, .last = INFINITY, .error = 0.01, .sample = 1};
    run = run_all(p, &o, &err);
    if (run == NULL) continue;
    const ff_ssp_pace pace = pace_of(run);
    FF_CHECK(!pace.complete && pace.error > 0 && pace.error <= 0.01 * pace.mean);
    outside += fabs(pace.mean - exact.mean) > pace.error + exact.error;
    ff_ssp_cycles_free(run);
  }
  FF_CHECK_SAY(outside <= 8, "%d of %d intervals do not have the mean", outside, SAMPLED_RUNS);
  ff_ssp_program_free(p);
  ff_reactions_free(net);
}

/* ---- failures ---------------------------------------------------------------------------------------------------------- */

static void check_fails(const reaction_text *reactions, const double *initial, uint32_t n_species, uint64_t n, ff_status want,
                        const char *says) {
  ff_reactions *net = network_of(reactions, initial, n_species);
  for (uint32_t spes = 1; spes <= 3; spes += 2) {
    const ff_ssp_chip chip = small_chip(spes, 2);
    const ff_ssp_cycles_options o = {.key = 2, .n = n, .last = INFINITY};
    ff_ssp_program *p = compile(net, &chip);
    ff_ssp_cycles *run = NULL;
    ff_error err = {.text = ""};
    int done = 0;
    FF_CHECK_OK(ff_ssp_cycles_new(&run, p, &o, &err), &err);
    FF_CHECK_INT(ff_ssp_cycles_advance(run, 10, &done, &err), want);
    FF_CHECK_SAY(strstr(err.text, says) != NULL, "%s", err.text);
    ff_ssp_cycles_free(run);
    ff_ssp_program_free(p);
  }
  ff_reactions_free(net);
}

static void failures_are_told(void) {
  static const reaction_text makes[] = {{"0 -> A", "1"}, {NULL, NULL}}, bursts[] = {{"A -> B", "3e38"}, {NULL, NULL}};
  static const double full[] = {4294967294.0}, many[] = {1000, 0};
  check_fails(makes, full, 1, 1, FF_ESIZE, "the population of species \"A\" is 4294967296");
  check_fails(bursts, many, 2, 1, FF_EMODEL, "the propensity of reaction \"R1\" exceeds the largest number of 32 bits");
}

/* Whether one of so many trajectories fails. */
static int some_fails(const ff_ssp_program *p, uint64_t key, uint64_t n) {
  ff_ssp_code *code = NULL;
  ff_ssp_spe *spe = NULL;
  ff_failure failure = {.what = FF_SSP_FINE};
  ff_error err;
  FF_CHECK_OK(ff_ssp_code_new(&code, p, &err), &err);
  FF_CHECK_OK(ff_ssp_spe_new(&spe, code, NULL, &err), &err);
  for (uint64_t i = 0; i < n && failure.what == FF_SSP_FINE; i++) {
    ff_ssp_spe_start(spe, key, i, NULL);
    while (ff_ssp_spe_step(spe)) continue;
    ff_ssp_spe_diagnose(spe, &failure);
  }
  ff_ssp_spe_free(spe);
  ff_ssp_code_free(code);
  return failure.what != FF_SSP_FINE;
}

/* Of these trajectories, some fail, and some end well, often after those. This was taken for the end of them all. */
static void a_good_end_hides_no_failure(void) {
  static const reaction_text reactions[] = {{"C -> 0", "1"}, {"C -> B", "0.05"}, {NULL, NULL}};
  static const double initial[] = {0, 4294967295.0, 5};
  ff_reactions *net = network_of(reactions, initial, 3);
  const ff_ssp_chip chip = small_chip(3, 2);
  ff_ssp_program *p = compile(net, &chip);
  int failed = 0;
  for (uint64_t key = 1; key <= 40 && p != NULL; key++) {
    const ff_ssp_cycles_options o = {.key = key, .n = 5, .last = INFINITY};
    ff_ssp_cycles *run = NULL;
    ff_error err = {.text = ""};
    int done = 0;
    const int fails = some_fails(p, key, o.n);
    FF_CHECK_OK(ff_ssp_cycles_new(&run, p, &o, &err), &err);
    FF_CHECK_INT(ff_ssp_cycles_advance(run, 10, &done, &err), fails ? FF_ESIZE : FF_OK);
    FF_CHECK_SAY(!fails || strstr(err.text, "the population of species \"B\" is 4294967296") != NULL, "%s", err.text);
    failed += fails;
    ff_ssp_cycles_free(run);
  }
  FF_CHECK_SAY(failed > 5 && failed < 35, "%d runs fail", failed);
  ff_ssp_program_free(p);
  ff_reactions_free(net);
}

/* Copies of species by SPE and RU would take all memory, and the system would end the process. */
static void too_much_memory_is_refused(void) {
  static const reaction_text reactions[] = {{"A + B -> C", "1"}, {"C -> A + B", "1"}, {"B -> A", "2"}, {NULL, NULL}};
  static const double initial[] = {9, 9, 9};
  ff_reactions *net = network_of(reactions, initial, 3);
  for (uint32_t internal = 0; internal <= 4; internal += 4) { /* species in the memory, and none there */
    ff_ssp_chip chip = small_chip(6, 2);
    chip.internal = internal;
    ff_ssp_program *p = compile(net, &chip);
    ff_ssp_code *code = NULL;
    ff_error err;
    FF_CHECK_OK(ff_ssp_code_new(&code, p, &err), &err);
    ff_ssp_cycles_options o = {.key = 1, .n = 6, .last = INFINITY, .steps = 3};
    ff_ssp_cycles *run = NULL;
    const uint64_t needed = 6 * ff_ssp_spe_bytes(code) + ff_ssp_timing_bytes(p);
    /* Each SPE has a scratchpad of 8 bytes an entry for each RU, a cache of vectors of 8 + 2 lines, and each RU has 10 counts. */
    FF_CHECK(needed > 6 * (2 * 8 * (uint64_t)(internal + 8) + 4 * (8 + 2) + 2 * 8 * FF_SSP_N_STATES));
    o.memory = needed - 1;
    FF_CHECK_FAILS(ff_ssp_cycles_new(&run, p, &o, &err), FF_ESIZE, &err, "a processor of 6 SPEs of 2 RUs takes");
    FF_CHECK(run == NULL);
    o.memory = needed;
    ff_ssp_cycles_free(run_all(p, &o, &err));
    ff_ssp_code_free(code);
    ff_ssp_program_free(p);
  }
  ff_reactions_free(net);
}

/* ---- reactions that have fired already ----------------------------------------------------------------------------------- */

#define MOST_FIRED 64

/* Of each trajectory, the reactions that fire, FF_SSP_ENDS after them, and how many were asked for. */
typedef struct {
  uint64_t first;
  uint32_t tags[12][MOST_FIRED], asked[12];
} tape;

static uint32_t play(void *of, uint64_t trajectory) {
  tape *t = of;
  const uint64_t i = trajectory - t->first;
  FF_CHECK(trajectory >= t->first && i < 12 && t->asked[i] < MOST_FIRED);
  return t->tags[i][t->asked[i]++];
}

static void record_tape(tape *t, const ff_ssp_program *p, const ff_ssp_cycles_options *o) {
  ff_ssp_code *code = NULL;
  ff_ssp_spe *spe = NULL;
  ff_error err;
  *t = (tape){.first = o->first};
  FF_CHECK_OK(ff_ssp_code_new(&code, p, &err), &err);
  FF_CHECK_OK(ff_ssp_spe_new(&spe, code, NULL, &err), &err);
  for (uint64_t i = 0; i < o->n; i++) {
    uint32_t n = 0;
    ff_ssp_spe_start(spe, o->key, o->first + i, NULL);
    while (ff_ssp_spe_step(spe) && n < o->steps) t->tags[i][n++] = ff_ssp_spe_winner(spe)->tag;
    t->tags[i][n] = FF_SSP_ENDS;
  }
  ff_ssp_spe_free(spe);
  ff_ssp_code_free(code);
}

/* All counts of two runs of a program. */
static void compare_cycles(const ff_ssp_program *p, const ff_ssp_cycles *a, const ff_ssp_cycles *b) {
  const ff_ssp_timing *const of[2] = {ff_ssp_cycles_timing(a), ff_ssp_cycles_timing(b)};
  FF_CHECK_INT(ff_ssp_timing_now(of[0]), ff_ssp_timing_now(of[1]));
  FF_CHECK_INT(ff_ssp_cycles_steps(a), ff_ssp_cycles_steps(b));
  FF_CHECK_INT(ff_ssp_cycles_ended(a), ff_ssp_cycles_ended(b));
  FF_CHECK(pace_of(a).mean == pace_of(b).mean && pace_of(a).complete && pace_of(b).complete);
  for (uint32_t u = 0; u < p->chip.spes * p->chip.rus; u++) {
    uint64_t cycles[2][FF_SSP_N_STATES];
    for (int i = 0; i < 2; i++) ff_ssp_timing_unit(of[i], u / p->chip.rus, u % p->chip.rus, cycles[i]);
    FF_CHECK_SAY(memcmp(cycles[0], cycles[1], sizeof cycles[0]) == 0, "RU %u spends its cycles in other states", u);
  }
}

/* Fewer trajectories than SPEs, and more, of processors whose memories are too small. */
static void fired_reactions_take_the_same_cycles(void) {
  for (uint32_t spes = 1; spes <= 4; spes++) {
    ff_reactions *net = spes % 2 == 0 ? aggregation_network(3, 2, 4) : dying_network();
    const ff_ssp_chip chip = small_chip(spes, 1 + spes % 3);
    ff_ssp_program *p = compile(net, &chip);
    for (uint64_t n = spes > 1 ? spes - 1 : 1; n <= 11 && p != NULL; n += 3) {
      const ff_ssp_cycles_options o = {.key = n, .first = 100 * n, .n = n, .last = INFINITY, .steps = 10 + n};
      tape fired;
      ff_error err;
      record_tape(&fired, p, &o);
      const ff_ssp_cycles_options given = {.first = o.first, .n = n, .fired = {play, &fired}};
      ff_ssp_cycles *run = run_all(p, &o, &err), *replay = run_all(p, &given, &err);
      if (run != NULL && replay != NULL) compare_cycles(p, run, replay);
      for (uint64_t i = 0; i < n; i++) FF_CHECK(fired.asked[i] > 0 && fired.tags[i][fired.asked[i] - 1] == FF_SSP_ENDS);
      ff_ssp_cycles_free(run);
      ff_ssp_cycles_free(replay);
    }
    ff_ssp_program_free(p);
    ff_reactions_free(net);
  }
}

static uint32_t always(void *of, uint64_t trajectory) {
  (void)trajectory;
  return *(const uint32_t *)of;
}

/* Nothing is computed: no count allows a reaction, and one fires all the same. All data are on chip, so the pace is that of the
 * formula. A number that is no reaction of the network is refused, and so is what a source cannot know. */
static void the_source_alone_decides(void) {
  ff_reactions *net = aggregation_network(5, 5, 1);
  for (uint32_t s = 0; s < 20; s++) net->initial[s] = 0;
  ff_ssp_chip chip = ff_ssp_chip_default();
  chip.spes = 2;
  chip.rus = 3;
  ff_ssp_program *p = compile(net, &chip);
  static const uint32_t numbers[] = {0, 20, 39, 40, FF_SSP_ENDS - 1}; /* there are 40 */
  for (size_t i = 0; i < 5 && p != NULL; i++) {
    const uint32_t number = numbers[i];
    uint32_t fires = number, longest = 0;
    ff_ssp_cycles_options o = {.n = 2, .error = 0.01, .sample = 1, .fired = {always, &fires}};
    ff_ssp_cycles *run = NULL;
    ff_error err = {.text = ""};
    int done = 0;
    FF_CHECK_OK(ff_ssp_cycles_new(&run, p, &o, &err), &err);
    const ff_status status = ff_ssp_cycles_advance(run, 10, &done, &err);
    for (uint32_t j = 0; j < chip.rus; j++) longest = p->units[j].n_local > longest ? p->units[j].n_local : longest;
    FF_CHECK_INT(status, number < 40 ? FF_OK : FF_EARGUMENT);
    if (status == FF_OK)
      FF_CHECK(done && pace_of(run).mean == longest + chip.latency - chip.barrier + 1 + 2 * log2_up(chip.rus));
    else
      FF_CHECK_SAY(strstr(err.text, "was said to fire; the program has 40 reactions") != NULL, "%s", err.text);
    ff_ssp_cycles_free(run);
    double time[2];
    o.times = time;
    FF_CHECK_INT(ff_ssp_cycles_new(&run, p, &o, &err), FF_EARGUMENT);
    FF_CHECK(run == NULL);
  }
  ff_ssp_program_free(p);
  ff_reactions_free(net);
}

/* ---- traces ---------------------------------------------------------------------------------------------------------------- */

/* Compares a trace with the counts of the same run, whose trajectories have `steps` steps each. */
static void compare_trace(const ff_ssp_program *p, const ff_ssp_trace *trace, const ff_ssp_cycles *run, uint64_t sums[]) {
  const uint64_t n = ff_ssp_trace_cycles(trace);
  FF_CHECK_INT(n, ff_ssp_timing_now(ff_ssp_cycles_timing(run)));
  for (uint32_t s = 0; s < p->chip.spes; s++) {
    ff_ssp_spe_counts counts;
    uint64_t ends = 0, last = 0;
    ff_ssp_timing_spe(ff_ssp_cycles_timing(run), s, &counts);
    for (uint64_t i = 0; i < n; i++) {
      if (!ff_ssp_trace_ends(trace, s, i)) continue;
      ends++;
      last = i;
    }
    FF_CHECK_INT(ends, counts.steps);
    FF_CHECK_INT(last, counts.last_end);
    for (uint32_t j = 0; j < p->chip.rus; j++) {
      uint64_t cycles[FF_SSP_N_STATES], traced[FF_SSP_N_STATES] = {0};
      ff_ssp_timing_unit(ff_ssp_cycles_timing(run), s, j, cycles);
      for (uint64_t i = 0; i < n; i++) traced[ff_ssp_trace_state(trace, s, j, i)]++;
      FF_CHECK_SAY(memcmp(cycles, traced, sizeof cycles) == 0, "RU %u of SPE %u spends its cycles in other states", j, s);
      for (uint32_t i = 0; i < FF_SSP_N_STATES; i++) sums[i] += traced[i];
    }
  }
}

/* Random programs, on chips with too little room. All states occur in one or another. */
static void a_trace_adds_up_to_the_counts(void) {
  uint64_t state = 11, sums[FF_SSP_N_STATES] = {0};
  for (uint32_t i = 0; i < 60; i++) {
    ff_reactions *net = random_network(&state, 6 + below(&state, 30), 10 + below(&state, 60));
    ff_ssp_chip chip = small_chip(1 + below(&state, 4), 1 + below(&state, 4));
    chip.reaction_memory = 16u << below(&state, 6);
    chip.reaction_fifo = 8;
    chip.precision = 32 + 32 * below(&state, 2);
    chip.grants = below(&state, 2);
    ff_ssp_cycles_options o = {.key = i, .last = INFINITY};
    o.n = chip.spes + below(&state, 3);
    o.steps = 1 + below(&state, 9);
    ff_ssp_program *p = NULL;
    ff_ssp_trace *trace = NULL;
    ff_error err;
    int done = 0;
    FF_CHECK_OK(ff_ssp_compile(&p, net, &chip, (ff_ssp_optimise)(i % 3), i, &err), &err);
    ff_ssp_cycles *run = run_all(p, &o, &err);
    FF_CHECK_OK(ff_ssp_trace_new(&trace, p, &o, 10000000, &err), &err);
    ff_status status = FF_OK;
    while (status == FF_OK && !done) status = ff_ssp_trace_advance(trace, 1, &done, &err);
    FF_CHECK_OK(status, &err);
    if (status == FF_OK && run != NULL) compare_trace(p, trace, run, sums);
    ff_ssp_trace_free(trace);
    ff_ssp_cycles_free(run);
    ff_ssp_program_free(p);
    ff_reactions_free(net);
  }
  for (uint32_t i = 0; i < FF_SSP_N_STATES; i++) FF_CHECK_SAY(sums[i] > 0, "no RU is in state %u", i);
}

/* A trace that does not fit is refused, and one that just fits is not. */
static void a_trace_has_a_limit(void) {
  ff_reactions *net = aggregation_network(3, 2, 4);
  const ff_ssp_chip chip = small_chip(2, 2);
  const ff_ssp_cycles_options o = {.key = 1, .n = 2, .last = INFINITY, .steps = 3};
  ff_ssp_program *p = compile(net, &chip);
  ff_error err = {.text = ""};
  ff_ssp_cycles *run = p != NULL ? run_all(p, &o, &err) : NULL;
  if (run == NULL) return;
  const uint64_t rows = 4 * ff_ssp_timing_now(ff_ssp_cycles_timing(run));
  for (uint64_t most = rows - 1; most <= rows; most++) {
    ff_ssp_trace *trace = NULL;
    int done = 0;
    FF_CHECK_OK(ff_ssp_trace_new(&trace, p, &o, most, &err), &err);
    ff_status status = FF_OK;
    while (status == FF_OK && !done) status = ff_ssp_trace_advance(trace, 1, &done, &err);
    FF_CHECK_INT(status, most == rows ? FF_OK : FF_ESIZE);
    FF_CHECK_INT(ff_ssp_trace_cycles(trace), most / 4);
    ff_ssp_trace_free(trace);
  }
  FF_CHECK_SAY(strstr(err.text, "in which an SPE has done at most") != NULL, "%s", err.text);
  ff_ssp_cycles_free(run);
  ff_ssp_program_free(p);
  ff_reactions_free(net);
}

FF_TEST_MAIN("ssp_cycles", trajectories_are_those_of_spes, short_runs_end, trajectories_run_out, the_pace_on_chip_is_exact,
             idle_spes_do_not_count, the_sampled_pace_is_that_of_a_long_run, failures_are_told, a_good_end_hides_no_failure,
             fired_reactions_take_the_same_cycles, the_source_alone_decides, a_trace_adds_up_to_the_counts, a_trace_has_a_limit,
             too_much_memory_is_refused)
