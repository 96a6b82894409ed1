/* The timing model, a cycle at a time: what an RU did is what its counts of cycles have gained. */
#include "ff_ssp_trace.h"

#include <stdlib.h>

struct ff_ssp_trace {
  ff_ssp_cycles *run;
  uint32_t spes, rus;
  uint64_t asked;         /* at most so many states */
  uint64_t most, n;       /* cycles */
  uint8_t *states, *ends; /* of each RU, and of each SPE, first by cycle */
  uint64_t *counts;       /* of each RU, FF_SSP_N_STATES cycles before the present one */
  uint64_t *steps;        /* of each SPE */
};

ff_status ff_ssp_trace_new(ff_ssp_trace **out, const ff_ssp_program *program, const ff_ssp_cycles_options *options, uint64_t most,
                           ff_error *err) {
  *out = NULL;
  ff_ssp_trace *t = ff_calloc(1, sizeof *t);
  if (t == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a record of cycles");
  t->spes = program->chip.spes;
  t->rus = program->chip.rus;
  const size_t units = (size_t)t->spes * t->rus;
  t->asked = most;
  t->most = most / units;
  ff_status status = ff_ssp_cycles_new(&t->run, program, options, err); /* looks at the memory first */
  if (status != FF_OK) {
    ff_ssp_trace_free(t);
    return status;
  }
  t->states = ff_calloc((size_t)t->most, units);
  t->ends = ff_calloc((size_t)t->most, t->spes);
  t->counts = ff_calloc(units * FF_SSP_N_STATES, sizeof *t->counts);
  t->steps = ff_calloc(t->spes, sizeof *t->steps);
  if (t->states == NULL || t->ends == NULL || t->counts == NULL || t->steps == NULL)
    status = ff_error_set(err, FF_EMEMORY, "no memory for a record of %llu cycles of %zu RUs", (unsigned long long)t->most,
                          units);
  if (status == FF_OK)
    *out = t;
  else
    ff_ssp_trace_free(t);
  return status;
}

void ff_ssp_trace_free(ff_ssp_trace *t) {
  if (t == NULL) return;
  ff_ssp_cycles_free(t->run);
  free(t->states);
  free(t->ends);
  free(t->counts);
  free(t->steps);
  free(t);
}

/* The state in which an RU spent the last cycle: that whose count has grown by 1, while the others are the same. Brings the
 * counts up to date. Returns FF_SSP_N_STATES if there is no such state, or more than one. */
static uint32_t state_of(uint64_t before[FF_SSP_N_STATES], const uint64_t now[FF_SSP_N_STATES]) {
  uint32_t state = FF_SSP_N_STATES, changed = 0;
  for (uint32_t i = 0; i < FF_SSP_N_STATES; i++) {
    if (now[i] == before[i] + 1) state = i;
    changed += now[i] != before[i];
    before[i] = now[i];
  }
  return changed == 1 ? state : FF_SSP_N_STATES;
}

/* Notes what the last cycle was. */
static ff_status record(ff_ssp_trace *t, ff_error *err) {
  const ff_ssp_timing *timing = ff_ssp_cycles_timing(t->run);
  const size_t units = (size_t)t->spes * t->rus;
  for (size_t u = 0; u < units; u++) {
    uint64_t cycles[FF_SSP_N_STATES];
    ff_ssp_timing_unit(timing, (uint32_t)(u / t->rus), (uint32_t)(u % t->rus), cycles);
    const uint32_t state = state_of(&t->counts[u * FF_SSP_N_STATES], cycles);
    if (state == FF_SSP_N_STATES)
      return ff_error_set(err, FF_EINTERNAL, "RU %zu was not in one state in cycle %llu", u + 1, (unsigned long long)t->n + 1);
    t->states[t->n * units + u] = (uint8_t)state;
  }
  for (uint32_t s = 0; s < t->spes; s++) {
    ff_ssp_spe_counts counts;
    ff_ssp_timing_spe(timing, s, &counts);
    t->ends[t->n * t->spes + s] = counts.steps > t->steps[s];
    t->steps[s] = counts.steps;
  }
  t->n++;
  return FF_OK;
}

static uint64_t most_steps(const ff_ssp_trace *t) {
  uint64_t most = 0;
  for (uint32_t s = 0; s < t->spes; s++) most = t->steps[s] > most ? t->steps[s] : most;
  return most;
}

static ff_status advance(ff_ssp_trace *t, int *done, ff_error *err) {
  const ff_ssp_timing *timing = ff_ssp_cycles_timing(t->run);
  const uint64_t before = ff_ssp_timing_now(timing);
  const ff_status status = ff_ssp_cycles_go(t->run, 1, done, err);
  if (status != FF_OK || ff_ssp_timing_now(timing) == before) return status; /* no SPE has a trajectory */
  if (t->n == t->most)
    return ff_error_set(err, FF_ESIZE,
                        "the trace has more than %llu rows: with %zu RUs this is reached after %llu cycles, in which an SPE has "
                        "done at most %llu steps; ask for fewer",
                        (unsigned long long)t->asked, (size_t)t->spes * t->rus, (unsigned long long)t->n,
                        (unsigned long long)most_steps(t));
  return record(t, err);
}

ff_status ff_ssp_trace_advance(ff_ssp_trace *t, double seconds, int *done, ff_error *err) {
  const double end = ff_clock() + seconds;
  ff_status status = FF_OK;
  *done = 0;
  do {
    status = advance(t, done, err);
  } while (status == FF_OK && !*done && ff_clock() < end);
  return status;
}

uint64_t ff_ssp_trace_cycles(const ff_ssp_trace *t) { return t->n; }

uint32_t ff_ssp_trace_state(const ff_ssp_trace *t, uint32_t spe, uint32_t ru, uint64_t cycle) {
  return t->states[(cycle * t->spes + spe) * t->rus + ru];
}

int ff_ssp_trace_ends(const ff_ssp_trace *t, uint32_t spe, uint64_t cycle) { return t->ends[cycle * t->spes + spe]; }
