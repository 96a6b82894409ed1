/* What the tests of cycles share: reactions that fire at random, and what must hold for the counts of any run. */
#ifndef FF_TESTS_SSP_TIMING_RUNS_H
#define FF_TESTS_SSP_TIMING_RUNS_H

#include <stdlib.h>

#include "../../src/ssp/timing/ff_ssp_timing.h"
#include "check.h"

/* ---- what fires -------------------------------------------------------------------------------------------------- */

/* Trajectories are handed out in the order in which SPEs ask, and their lengths depend on their number. So a wrong order of calls
 * shows. The trace is a hash of all calls. */
typedef struct {
  uint64_t seed, trace, calls;
  uint32_t n_reactions, tags;      /* tags: fire from 0 on; 0: all may */
  uint32_t left, longest;          /* trajectories, and their longest length; 0: they never end */
  uint32_t number[1024], step[1024], length[1024]; /* of the trajectory of an SPE */
  uint64_t last[1024];             /* the cycle of the last call of an SPE */
} firing;

static inline void note(firing *f, uint64_t a, uint64_t b, uint64_t c) {
  const uint64_t of[] = {a, b, c};
  for (int i = 0; i < 3; i++) f->trace = (f->trace ^ of[i]) * UINT64_C(0x100000001b3);
  f->calls++;
}

static inline int begins(void *of, uint32_t spe, uint64_t cycle) {
  firing *f = of;
  note(f, 1, spe, cycle);
  if (f->left == 0) return 0;
  uint64_t state = f->seed + 77 * f->left;
  f->number[spe] = f->left--;
  f->step[spe] = 0;
  next_random(&state);
  f->length[spe] = f->longest == 0 ? UINT32_MAX : drawn(&state, 1, f->longest);
  return 1;
}

static inline uint32_t fires(void *of, uint32_t spe, uint64_t cycle) {
  firing *f = of;
  note(f, 2, spe, cycle);
  f->last[spe] = cycle;
  if (++f->step[spe] == f->length[spe] || f->n_reactions == 0) return FF_SSP_ENDS;
  uint64_t state = f->seed + ((uint64_t)f->number[spe] << 32 | f->step[spe]);
  next_random(&state);
  next_random(&state);
  return below(&state, f->tags > 0 ? f->tags : f->n_reactions);
}

static inline ff_ssp_steps steps_of(firing *f) {
  const ff_ssp_steps steps = {begins, fires, f};
  return steps;
}

static inline ff_ssp_timing *new_timing(const ff_ssp_program *p, firing *f, const ff_ssp_timing_options *options) {
  ff_ssp_timing *t;
  ff_error err;
  const ff_ssp_steps steps = steps_of(f);
  f->n_reactions = p->n_reactions;
  FF_CHECK_OK(ff_ssp_timing_new(&t, p, &steps, options, &err), &err);
  return t;
}

static inline int advance(ff_ssp_timing *t, uint64_t to, uint64_t steps) {
  int done = 0;
  ff_error err;
  FF_CHECK_OK(ff_ssp_timing_advance(t, to, steps, &done, &err), &err);
  return done;
}

/* ---- invariants -------------------------------------------------------------------------------------------------- */

static inline uint64_t all_lines(const ff_ssp_timing *t, const ff_ssp_program *p, int use) {
  uint64_t sum = 0, lines[FF_SSP_N_USES];
  ff_dram_counts d;
  for (uint32_t k = 0; k < p->chip.channels; k++) {
    ff_ssp_timing_channel(t, k, lines, &d);
    sum += lines[use];
  }
  return sum;
}

/* Lines of species that an SPE reads in a step. */
static inline uint64_t blocks_of(const ff_ssp_program *p) {
  uint64_t n = 0;
  for (uint32_t j = 0; j < p->chip.rus; j++) {
    const ff_ssp_unit *u = &p->units[j];
    for (uint32_t i = 0; i < u->n_fetches; i++) {
      const uint32_t first = ff_ssp_fetch_spid(u->fetches[i]), last = first + ff_ssp_fetch_length(u->fetches[i]) - 1;
      n += last / p->chip.per_request - first / p->chip.per_request + 1;
    }
  }
  return n;
}

/* What was read is what the steps needed, and what is ahead: populations of a step and of `data` or a request; lines of a step,
 * of the words that wait in front of RUs, and of `requests`. */
static inline void check_lines(const ff_ssp_timing *t, const ff_ssp_program *p, const uint64_t lines[FF_SSP_N_USES]) {
  uint64_t most = 0, stream = 0, misses = 0, fetching = 0, streaming = 0;
  for (uint32_t s = 0; s < p->chip.spes; s++) {
    ff_ssp_spe_counts c;
    ff_ssp_timing_spe(t, s, &c);
    if (c.steps > most) most = c.steps;
    misses += c.misses;
  }
  for (uint32_t j = 0; j < p->chip.rus; j++) {
    stream += ff_ssp_stream_lines(p, j);
    streaming += p->units[j].n_stream > 0;
    fetching += p->units[j].n_fetches > 0;
  }
  const uint64_t blocks = blocks_of(p), steps = ff_ssp_timing_steps(t), S = p->chip.spes;
  FF_CHECK(lines[FF_SSP_READ_SPECIES] >= steps * blocks);
  FF_CHECK(lines[FF_SSP_READ_SPECIES] <= (steps + S) * blocks + S * fetching * p->chip.data);
  FF_CHECK(lines[FF_SSP_READ_REACTIONS] >= most * stream);
  FF_CHECK(lines[FF_SSP_READ_REACTIONS] <= (most + 1) * stream + streaming * (p->chip.requests + p->chip.reaction_fifo));
  FF_CHECK(lines[FF_SSP_READ_VECTORS] <= misses && lines[FF_SSP_READ_VECTORS] + S >= misses);
  FF_CHECK(lines[FF_SSP_WRITE_SPECIES] <= steps * FF_SSP_CHANGES * p->chip.rus);
}

/* All that can be asked, as one hash. Checks that states add up, that instructions issued are those of the steps, and lines. */
static inline uint64_t check_counts(const ff_ssp_timing *t, const ff_ssp_program *p) {
  uint64_t hash = ff_ssp_timing_now(t), lines[FF_SSP_N_USES], on_way[FF_SSP_N_USES], cycles[FF_SSP_N_STATES];
  uint64_t all[FF_SSP_N_USES] = {0}, total = 0;
#define MIX(x) (hash = (hash ^ (x)) * UINT64_C(0x9E3779B97F4A7C15), hash ^= hash >> 29)
  for (uint32_t s = 0; s < p->chip.spes; s++) {
    ff_ssp_spe_counts c;
    ff_ssp_timing_spe(t, s, &c);
#define FF_X(name, unit, meaning) MIX(c.name);
    FF_SSP_SPE_COUNTS(FF_X)
#undef FF_X
    total += c.steps;
    for (uint32_t j = 0; j < p->chip.rus; j++) {
      uint64_t sum = 0, busy = 0;
      const uint64_t n = p->units[j].n_local + p->units[j].n_stream;
      ff_ssp_timing_unit(t, s, j, cycles);
      for (int i = 0; i < FF_SSP_N_STATES; i++) sum += cycles[i];
      for (int i = 0; i <= FF_SSP_BUSY_SOURCE; i++) busy += cycles[i];
      for (int i = 0; i < FF_SSP_N_STATES; i++) MIX(cycles[i]);
      FF_CHECK_INT(sum, ff_ssp_timing_now(t));
      FF_CHECK(busy >= c.steps * n && busy <= (c.steps + 1) * n);
      if (cycles[FF_SSP_DONE] > 0) FF_CHECK_INT(busy, c.steps * n);
    }
  }
  FF_CHECK_INT(total, ff_ssp_timing_steps(t));
  for (uint32_t k = 0; k < p->chip.channels; k++) {
    ff_dram_counts d;
    ff_ssp_timing_channel(t, k, lines, &d);
    FF_CHECK_INT(lines[0] + lines[1] + lines[2] + lines[3], d.pushed);
    FF_CHECK(k < p->chip.reaction_channels ? lines[FF_SSP_READ_REACTIONS] == d.pushed : lines[FF_SSP_READ_REACTIONS] == 0);
    for (int i = 0; i < FF_SSP_N_USES; i++) all[i] += lines[i];
    for (int i = 0; i < FF_SSP_N_USES; i++) MIX(lines[i]);
#define FF_X(name, unit, meaning) MIX(d.name);
    FF_DRAM_COUNTS(FF_X)
#undef FF_X
  }
  check_lines(t, p, all);
  ff_ssp_timing_requests(t, on_way, lines);
  for (int i = 0; i < FF_SSP_N_USES; i++) {
    MIX(on_way[i]);
    MIX(lines[i]);
    FF_CHECK(lines[i] >= all[i]); /* each takes a cycle at least */
  }
#undef MIX
  return hash;
}

#endif
