/* Cycles of a Stochastic Simulation Processor: closed forms, ways to look, sums, queues, vector cache, limits of the memory. */
#include "../../src/ssp/timing/ff_ssp_timing.h"

#include <stdlib.h>

#include "ssp_programs.h"
#include "ssp_timing_runs.h"

/* ---- closed forms ------------------------------------------------------------------------------------------------ */

static uint32_t log2_up(uint32_t n) {
  uint32_t bits = 0;
  while ((1u << bits) < n) bits++;
  return bits;
}

static void steps_on_chip(void) {
  static const uint32_t S[] = {1, 2, 5, 128}, R[] = {1, 2, 3, 8, 128};
  for (size_t i = 0; i < 4; i++) {
    for (size_t k = 0; k < 5; k++) {
      for (int way = 0; way < 2; way++) {
        ff_ssp_chip chip = ff_ssp_chip_default();
        chip.spes = S[i];
        chip.rus = R[k];
        if (way == 1 && S[i] * R[k] > 640) continue; /* slow */
        ff_ssp_program *p = plain_program(&chip, 37, 0, 0, 1);
        firing f = {.seed = 5, .left = S[i], .tags = 1};
        const ff_ssp_timing_options o = {.every_cycle = way};
        ff_ssp_timing *t = new_timing(p, &f, &o);
        const uint64_t a_step = 37 + 20 + 2 * log2_up(R[k]);
        advance(t, UINT64_MAX / 4, 10 * S[i]);
        ff_ssp_spe_counts warm[128], c;
        for (uint32_t s = 0; s < S[i]; s++) ff_ssp_timing_spe(t, s, &warm[s]);
        advance(t, UINT64_MAX / 4, 110 * S[i]);
        for (uint32_t s = 0; s < S[i]; s++) {
          ff_ssp_timing_spe(t, s, &c);
          FF_CHECK_INT(c.last_end - warm[s].last_end, (c.steps - warm[s].steps) * a_step);
          FF_CHECK_INT(c.misses, 1);
          FF_CHECK_INT(c.hits, c.steps - 1);
        }
        check_counts(t, p);
        ff_ssp_timing_free(t);
        ff_ssp_program_free(p);
      }
    }
  }
}

/* The first step fires at 36 + 22 - 3 of 37 instructions, and a tree later. A miss is looked up in a cycle, and asks in the next
 * one. The read takes 2 x 4 cycles in the interface and 26 of 800 MHz in an idle memory. Then comes the broadcast. */
static void reads_an_idle_vector(void) {
  for (uint32_t tree = 0; tree < 4; tree++) {
    ff_ssp_chip chip = ff_ssp_chip_default();
    chip.rus = 1u << tree;
    ff_ssp_program *p = plain_program(&chip, 37, 0, 0, 1);
    firing f = {.seed = 5, .left = 1, .tags = 1};
    ff_ssp_timing *t = new_timing(p, &f, NULL);
    advance(t, UINT64_MAX / 4, 1);
    FF_CHECK_INT(f.last[0], 36 + 19 + tree);
    advance(t, UINT64_MAX / 4, 2);
    FF_CHECK_INT(f.last[0], 36 + 19 + tree + 1 + 21 + tree + 1 + 36 + 19 + tree);
    uint64_t on_way[FF_SSP_N_USES], cycles[FF_SSP_N_USES];
    ff_ssp_timing_requests(t, on_way, cycles);
    FF_CHECK_INT(cycles[FF_SSP_READ_VECTORS], 2 * 4 + 13);
    FF_CHECK_INT(on_way[FF_SSP_READ_VECTORS], 0);
    ff_ssp_timing_free(t);
    ff_ssp_program_free(p);
  }
}

/* ---- ways to look ------------------------------------------------------------------------------------------------ */

/* A program in four ways, which stop at the same cycles: jumps and all cycles, in order and shuffled. Adds up states and uses. */
static void compare_ways(const ff_ssp_program *p, uint64_t seed, uint32_t left, uint32_t longest, uint64_t pause,
                         uint64_t states[FF_SSP_N_STATES], uint64_t uses[FF_SSP_N_USES]) {
  uint64_t first[3] = {0};
  for (int way = 0; way < 4; way++) {
    const ff_ssp_timing_options o = {.every_cycle = way >= 2, .shuffle = way % 2 == 1 ? seed | 1 : 0};
    firing f = {.seed = seed, .left = left, .longest = longest};
    ff_ssp_timing *t = new_timing(p, &f, &o);
    uint64_t hash = 0, to = 0;
    int done = 0;
    while (!done && to < 100000) {
      to += pause;
      done = advance(t, to, UINT64_MAX);
      hash = hash * 31 + check_counts(t, p);
    }
    const uint64_t got[3] = {f.trace, hash, ff_ssp_timing_now(t)};
    for (int k = 0; k < 3; k++) {
      if (way == 0) first[k] = got[k];
      FF_CHECK_SAY(first[k] == got[k], "program %llu, way %d, value %d", (unsigned long long)seed, way, k);
    }
    for (uint32_t u = 0; u < p->chip.spes * p->chip.rus && way == 0; u++) {
      uint64_t cycles[FF_SSP_N_STATES];
      ff_ssp_timing_unit(t, u / p->chip.rus, u % p->chip.rus, cycles);
      for (int k = 0; k < FF_SSP_N_STATES; k++) states[k] += cycles[k];
    }
    for (int k = 0; k < FF_SSP_N_USES; k++) uses[k] += all_lines(t, p, k);
    ff_ssp_timing_free(t);
  }
}

static void ways_agree(void) {
  const char *n_text = getenv("FF_SSP_PROGRAMS");
  const int n = n_text != NULL ? atoi(n_text) : 150;
  uint64_t states[FF_SSP_N_STATES] = {0}, uses[FF_SSP_N_USES] = {0};
  for (int i = 0; i < n; i++) {
    uint64_t seed = (uint64_t)i * 1000003 + 17;
    const ff_ssp_chip chip = draw_chip(&seed);
    const drawn_shape shape = draw_shape(&seed);
    ff_ssp_program *p = draw_program(&chip, &shape, &seed);
    const uint32_t longest = drawn(&seed, 1, 12), left = drawn(&seed, 1, 8);
    compare_ways(p, seed, left, longest, drawn(&seed, 1, 900), states, uses);
    ff_ssp_program_free(p);
  }
  for (int k = 0; k < FF_SSP_N_STATES; k++) FF_CHECK_SAY(states[k] > 0, "no RU was ever in state %d", k);
  for (int k = 0; k < FF_SSP_N_USES; k++) FF_CHECK_SAY(uses[k] > 0, "the memory was never used in way %d", k);
  if (getenv("FF_SSP_VERBOSE") == NULL) return;
#define FF_X(code, name, meaning) printf("%s %llu\n", #name, (unsigned long long)states[FF_SSP_##code]);
  FF_SSP_STATES(FF_X)
#undef FF_X
#define FF_X(code, name, meaning) printf("%s %llu\n", #name, (unsigned long long)uses[FF_SSP_##code]);
  FF_SSP_USES(FF_X)
#undef FF_X
}

/* Waits of more cycles than the calendar has (2,048): local instructions, alone or before others, and a slow interface. */
static void ways_agree_on_long_waits(void) {
  uint64_t states[FF_SSP_N_STATES] = {0}, uses[FF_SSP_N_USES] = {0};
  for (uint32_t i = 0; i < 4; i++) {
    ff_ssp_chip chip = ff_ssp_chip_default();
    chip.spes = 1 + i % 2;
    chip.rus = 2;
    chip.reaction_memory = 1 << 20;
    chip.latency = i == 2 ? 4096 : 22;
    chip.reorder = i == 3 ? 4096 : 4;
    chip.clock = i == 3 ? 1000 : 400;
    ff_ssp_program *p = plain_program(&chip, 5000, i > 0 ? 40 : 0, i > 0 ? 30 : 0, 1);
    if (i == 1) p->units[1].n_stream = p->units[1].n_fetches = 0; /* is local */
    compare_ways(p, i + 1, 3, 4, 3001, states, uses);
    ff_ssp_program_free(p);
  }
}

/* ---- queues ------------------------------------------------------------------------------------------------------ */

/* Little's law: the requests on their way, summed over cycles, are the cycles of all requests. */
static void queues_obey_little(void) {
  for (int i = 0; i < 20; i++) {
    uint64_t seed = (uint64_t)i * 7919 + 3, sum[FF_SSP_N_USES] = {0}, on_way[FF_SSP_N_USES], cycles[FF_SSP_N_USES];
    const ff_ssp_chip chip = draw_chip(&seed);
    const drawn_shape shape = draw_shape(&seed);
    ff_ssp_program *p = draw_program(&chip, &shape, &seed);
    firing f = {.seed = seed, .left = 4, .longest = 9};
    ff_ssp_timing *t = new_timing(p, &f, NULL);
    int done = 0;
    for (uint64_t to = 1; to < 3000 && !done; to++) {
      done = advance(t, to, UINT64_MAX);
      if (ff_ssp_timing_now(t) < to) break;
      ff_ssp_timing_requests(t, on_way, cycles);
      for (int k = 0; k < FF_SSP_N_USES; k++) sum[k] += on_way[k];
    }
    for (int k = 0; k < FF_SSP_N_USES; k++) FF_CHECK_INT(sum[k], cycles[k]);
    ff_ssp_timing_free(t);
    ff_ssp_program_free(p);
  }
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/* A lane has its channel alone, so it brings a word in each cycle, but for refreshes, which its lines ahead hide: 32 lines are
 * 256 cycles, and a refresh takes 44. Only the first words wait for the memory. */
static void lane_sends_a_word_a_cycle(void) {
  for (uint32_t spes = 1; spes <= 4; spes *= 4) {
    ff_ssp_chip chip = ff_ssp_chip_default();
    chip.spes = spes;
    chip.rus = 4;
    ff_ssp_program *p = plain_program(&chip, 0, 3000, 0, 1);
    firing f = {.seed = 5, .left = spes, .tags = 1};
    ff_ssp_timing *t = new_timing(p, &f, NULL);
    advance(t, UINT64_MAX / 4, 2 * spes);
    const uint64_t warm = f.last[0];
    advance(t, UINT64_MAX / 4, 12 * spes);
    /* 32 words wait in front of the RU for the state change, so a step takes as long as one of local instructions. */
    FF_CHECK_INT(f.last[0] - warm, 10 * (3000 + 20 + 4));
    uint64_t cycles[FF_SSP_N_STATES];
    ff_ssp_timing_unit(t, 0, 3, cycles);
    FF_CHECK_SAY(cycles[FF_SSP_STARVED_REACTIONS] < 40, "%llu", (unsigned long long)cycles[FF_SSP_STARVED_REACTIONS]);
    FF_CHECK_INT(cycles[FF_SSP_STARVED_LANE], 0);
    /* Lines: those of the words that were sent, and at most 32 ahead in each of 4 lanes. */
    const uint64_t sent = 4 * (uint64_t)12 * 375, lines = all_lines(t, p, FF_SSP_READ_REACTIONS);
    FF_CHECK_SAY(lines >= sent && lines <= sent + 4 * (32 + 4 + 1), "%llu lines of %llu", (unsigned long long)lines,
                 (unsigned long long)sent);
    ff_ssp_timing_free(t);
    ff_ssp_program_free(p);
  }
}

/* Two SPEs, whose trajectories have different lengths, go through the stream together: the steps of one are at most one ahead.
 * When one is done, the other goes on alone. */
static void spes_share_a_lane(void) {
  ff_ssp_chip chip = ff_ssp_chip_default();
  chip.spes = 2;
  chip.reaction_fifo = 8; /* less than the 21 cycles that a miss of the vector cache costs */
  ff_ssp_program *p = plain_program(&chip, 0, 500, 0, 1);
  for (uint32_t m = 0; m < p->n_reactions; m++) p->vectors[m * FF_SSP_CHANGES] = ff_ssp_change(0, 1);
  firing f = {.seed = 5, .left = 2, .longest = 60};
  ff_ssp_timing *t = new_timing(p, &f, NULL);
  ff_ssp_spe_counts a, b;
  uint64_t apart = 0, cycles[FF_SSP_N_STATES], lane = 0;
  for (uint64_t to = 1; !advance(t, to, UINT64_MAX); to++) {
    ff_ssp_timing_spe(t, 0, &a);
    ff_ssp_timing_spe(t, 1, &b);
    const uint64_t gap = a.steps > b.steps ? a.steps - b.steps : b.steps - a.steps;
    if (a.trajectories + b.trajectories == 0 && gap > apart) apart = gap;
  }
  ff_ssp_timing_spe(t, 0, &a);
  ff_ssp_timing_spe(t, 1, &b);
  FF_CHECK(apart == 1);
  FF_CHECK_INT(a.trajectories + b.trajectories, 2);
  FF_CHECK(a.steps != b.steps);
  for (uint32_t s = 0; s < 2; s++) {
    ff_ssp_timing_unit(t, s, 0, cycles);
    lane += cycles[FF_SSP_STARVED_LANE];
    const ff_ssp_spe_counts *c = s == 0 ? &a : &b;
    FF_CHECK_INT(cycles[FF_SSP_DONE], ff_ssp_timing_now(t) - c->last_end);
  }
  FF_CHECK(lane > 0); /* vectors miss, not in the same steps */
  check_counts(t, p);
  ff_ssp_timing_free(t);
  ff_ssp_program_free(p);
}

/* ---- vector cache ------------------------------------------------------------------------------------------------ */

/* A cache as it is described: lines that are replaced wait among victims, and the victim that was used last is thrown out. */
typedef struct {
  uint32_t lines[64], victims[64], since[64], n_victims, clock;
} brute_cache;

static int brute_look(brute_cache *c, const ff_ssp_chip *chip, uint32_t tag) {
  uint32_t *line = &c->lines[tag % chip->vector_lines];
  c->clock++;
  if (*line == tag + 1) return 0;
  uint32_t at = 0;
  while (at < c->n_victims && c->victims[at] != tag + 1) at++;
  const int found = at < c->n_victims;
  if (*line != 0 && chip->victims > 0) {
    if (!found && c->n_victims < chip->victims) at = c->n_victims++;
    else if (!found) {
      at = 0;
      for (uint32_t i = 1; i < c->n_victims; i++)
        if (c->since[i] < c->since[at]) at = i;
    }
    c->victims[at] = *line;
    c->since[at] = c->clock;
  }
  *line = tag + 1;
  return found ? 1 : 2;
}

static void caches_vectors(void) {
  for (uint32_t i = 0; i < 40; i++) {
    uint64_t seed = i + 1;
    ff_ssp_chip chip = ff_ssp_chip_default();
    chip.vector_lines = drawn(&seed, 1, 20);
    chip.victims = below(&seed, 8);
    ff_ssp_program *p = plain_program(&chip, 60, 0, 0, 1);
    firing f = {.seed = seed, .left = 1, .tags = drawn(&seed, 1, 60)}, again = f;
    ff_ssp_timing *t = new_timing(p, &f, NULL);
    again.n_reactions = p->n_reactions;
    begins(&again, 0, 0);
    advance(t, UINT64_MAX / 4, 2000);
    brute_cache cache = {.n_victims = 0};
    uint64_t n[3] = {0};
    for (int step = 0; step < 2000; step++) n[brute_look(&cache, &chip, fires(&again, 0, 0))]++;
    ff_ssp_spe_counts c;
    ff_ssp_timing_spe(t, 0, &c);
    FF_CHECK_INT(c.hits, n[0]);
    FF_CHECK_INT(c.victim_hits, n[1]);
    FF_CHECK_INT(c.misses, n[2]);
    check_counts(t, p);
    ff_ssp_timing_free(t);
    ff_ssp_program_free(p);
  }
}

/* ---- species ----------------------------------------------------------------------------------------------------- */

/* RUs fetch species of as many lines, in the order of lines or not. Accesses a ns, after the first steps. */
static double access_rate(const ff_ssp_chip *chip, int in_order) {
  ff_ssp_program *p = plain_program(chip, 100, 0, 2000, 16);
  uint64_t seed = 9;
  for (uint32_t j = 0; j < chip->rus; j++) {
    p->units[j].n_local += p->units[j].n_stream; /* reactions need no grants */
    p->units[j].n_stream = 0;
    for (uint32_t i = in_order ? 0 : 2000; i > 1; i--) {
      const uint32_t other = below(&seed, i), at = p->units[j].fetches[i - 1];
      p->units[j].fetches[i - 1] = p->units[j].fetches[other];
      p->units[j].fetches[other] = at;
    }
  }
  firing f = {.seed = 5, .left = 1, .tags = 1};
  ff_ssp_timing *t = new_timing(p, &f, NULL);
  advance(t, 20000, UINT64_MAX);
  const uint64_t before = all_lines(t, p, FF_SSP_READ_SPECIES);
  advance(t, 220000, UINT64_MAX);
  const double a_ns = (double)(all_lines(t, p, FF_SSP_READ_SPECIES) - before) / (200000 * 2.5);
  if (getenv("FF_SSP_VERBOSE") != NULL)
    printf("%u RUs, grants %u, %s: %g accesses a ns\n", chip->rus, chip->grants, in_order ? "in order" : "random", a_ns);
  ff_ssp_timing_free(t);
  ff_ssp_program_free(p);
  return a_ns;
}

/* RUs that fetch far species, one line each. Four channels have 0.8 accesses a ns, of which the prototype of section 10 got 0.79,
 * with 4 or more streams a channel. One grant a memory cycle is 0.8 too. */
static void species_fill_four_channels(void) {
  static const uint32_t R[] = {4, 12, 16, 32};
  for (size_t i = 0; i < 4; i++) {
    for (uint32_t grants = 0; grants <= 1; grants++) {
      for (int in_order = 0; in_order < 2; in_order++) {
        ff_ssp_chip chip = ff_ssp_chip_default();
        chip.rus = R[i];
        chip.grants = grants;
        const double a_ns = access_rate(&chip, in_order);
        FF_CHECK_SAY(a_ns > 0.8 * 0.85 && a_ns <= 0.8, "%g accesses a ns", a_ns);
      }
    }
  }
}

/* One RU with one request at a time, all in open rows. A read takes 11 + 4 cycles of memory, which are 8, and 2 x 4 in the
 * interface. The next request is made as the population comes. So a step of n takes 16 n cycles, but for refreshes and two rows:
 * the SMU goes on while the RU waits for its state change. */
static void one_request_at_a_time(void) {
  ff_ssp_chip chip = ff_ssp_chip_default();
  chip.requests = 1;
  chip.grants = 0;
  chip.hits = 1 << 20;
  ff_ssp_program *p = plain_program(&chip, 0, 0, 400, 16 * 8);
  firing f = {.seed = 5, .left = 1, .tags = 1};
  ff_ssp_timing *t = new_timing(p, &f, NULL);
  FF_CHECK_INT(p->units[0].n_local, 0);
  advance(t, UINT64_MAX / 4, 2);
  const uint64_t warm = f.last[0];
  advance(t, UINT64_MAX / 4, 12);
  const double a_read = (double)(f.last[0] - warm) / 4000;
  /* A refresh comes each 6,240 cycles of memory and takes 88, and 11 + 11 for the row and its activation, and the read before it.
   * Two rows cost 11 + 11 in 400 reads. */
  FF_CHECK_SAY(a_read >= 16 && a_read < 16 * (1 + (88. + 22 + 28) / 6240) + 0.1, "%g cycles a read", a_read);
  ff_ssp_timing_free(t);
  ff_ssp_program_free(p);
}

/* Each step changes species 3 and 40 of 64 that are fetched, by two RUs. Each RU's copy is written once for each change, but the
 * first changes are read in step 2 and written in step 3. All lines are in different banks or columns of few rows. */
static void writes_what_has_changed(void) {
  for (uint32_t changes = 0; changes <= 2; changes++) {
    ff_ssp_chip chip = ff_ssp_chip_default();
    chip.rus = 2;
    ff_ssp_program *p = plain_program(&chip, 50, 0, 64, 1);
    if (changes > 0) p->vectors[0] = ff_ssp_change(3, 1);
    if (changes > 1) p->vectors[1] = ff_ssp_change(40, -1);
    firing f = {.seed = 5, .left = 1, .tags = 1};
    ff_ssp_timing *t = new_timing(p, &f, NULL);
    advance(t, UINT64_MAX / 4, 100);
    const uint64_t writes = all_lines(t, p, FF_SSP_WRITE_SPECIES), most = (uint64_t)2 * changes * 99;
    /* At the end, changes of two steps may wait in each RU: one that was read, and one before whose line is not reached. */
    FF_CHECK_SAY(writes <= most && writes + (uint64_t)2 * changes * 2 >= most, "%llu writes", (unsigned long long)writes);
    ff_ssp_timing_free(t);
    ff_ssp_program_free(p);
  }
}

static uint32_t fires_once(void *of, uint32_t spe, uint64_t cycle) {
  (void)spe;
  (void)cycle;
  int *calls = of;
  return ++*calls == 1 ? 0 : 1;
}

/* Step 1 changes a species, which step 2 reads, and step 3 writes. Its row is read by each eighth request, in step 2 too after it
 * has changed. At the end of step 2, at most 4 populations of step 3 were asked for, and the row is that of the eighth. */
static void writes_in_the_next_step(void) {
  ff_ssp_chip chip = ff_ssp_chip_default();
  chip.data = 4;
  ff_ssp_program *p = plain_program(&chip, 0, 0, 400, 16);
  p->vectors[0] = ff_ssp_change(16 * 207 + 5, 1); /* line 207 is of bank 7 */
  p->units[0].fetches[207] += 5u << 12;
  int calls = 0, done;
  const ff_ssp_steps steps = {NULL, fires_once, &calls};
  ff_ssp_timing *t;
  ff_error err;
  FF_CHECK_OK(ff_ssp_timing_new(&t, p, &steps, NULL, &err), &err);
  for (uint64_t step = 1; step <= 6; step++) {
    FF_CHECK_OK(ff_ssp_timing_advance(t, UINT64_MAX / 4, step, &done, &err), &err);
    FF_CHECK_INT(all_lines(t, p, FF_SSP_WRITE_SPECIES), step >= 3);
  }
  ff_ssp_timing_free(t);
  ff_ssp_program_free(p);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static uint32_t fires_wrong(void *of, uint32_t spe, uint64_t cycle) {
  (void)of;
  (void)spe;
  (void)cycle;
  return 1000;
}

static void refuses(void) {
  ff_ssp_chip chip = ff_ssp_chip_default();
  ff_ssp_program *p = plain_program(&chip, 3, 4, 5, 1);
  const ff_ssp_steps steps = {NULL, fires_wrong, NULL};
  ff_ssp_timing *t;
  ff_error err;
  int done;
  FF_CHECK_OK(ff_ssp_timing_new(&t, p, &steps, NULL, &err), &err);
  FF_CHECK_FAILS(ff_ssp_timing_advance(t, 100000, 10, &done, &err), FF_EARGUMENT, &err, "reaction 1000");
  ff_ssp_timing_free(t);
  p->units[0].n_fetches--;
  FF_CHECK_FAILS(ff_ssp_timing_new(&t, p, &steps, NULL, &err), FF_EMODEL, &err, "fetches 4 populations");
  p->units[0].n_fetches++;
  p->units[0].fetches[4] = ff_ssp_fetch(6, 1);
  FF_CHECK_FAILS(ff_ssp_timing_new(&t, p, &steps, NULL, &err), FF_EMODEL, &err, "fetches species 7 to 7 of 6");
  p->units[0].fetches[4] = ff_ssp_fetch(4, 1);
  p->copies[0].lines = 0;
  FF_CHECK_FAILS(ff_ssp_timing_new(&t, p, &steps, NULL, &err), FF_EMODEL, &err, "0 lines for the species");
  p->copies[0].lines = 1;
  p->lanes[0].rank = 7;
  FF_CHECK_FAILS(ff_ssp_timing_new(&t, p, &steps, NULL, &err), FF_EMODEL, &err, "rank 7");
  free(p->lanes);
  p->lanes = NULL;
  FF_CHECK_FAILS(ff_ssp_timing_new(&t, p, &steps, NULL, &err), FF_EMODEL, &err, "no memory map");
  p->chip.barrier = 99;
  FF_CHECK_FAILS(ff_ssp_timing_new(&t, p, &steps, NULL, &err), FF_EARGUMENT, &err, "barrier");
  p->chip.barrier = 3;
  ff_ssp_timing_free(NULL);
  ff_ssp_program_free(p);
}

FF_TEST_MAIN("timing of a processor", steps_on_chip, reads_an_idle_vector, ways_agree, ways_agree_on_long_waits,
             queues_obey_little, lane_sends_a_word_a_cycle, spes_share_a_lane, caches_vectors, species_fill_four_channels,
             one_request_at_a_time, writes_what_has_changed, writes_in_the_next_step, refuses)
