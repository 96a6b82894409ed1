/* A processor: memory, cycles, counts. */
#include <stdlib.h>

#include "ff_ssp_timing_internal.h"

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static ff_status make_calendar(ff_ssp_timing *t, ff_error *err) {
  t->n_wakers = t->R + 2 * t->n_units + t->S;
  t->wakers = ff_calloc(t->n_wakers, sizeof *t->wakers);
  t->first = ff_calloc(SLOTS, sizeof *t->first);
  t->last = ff_calloc(SLOTS, sizeof *t->last);
  t->order = ff_calloc(t->n_wakers, sizeof *t->order);
  t->due = ff_calloc(t->S, sizeof *t->due);
  if (t->wakers == NULL || t->first == NULL || t->last == NULL || t->order == NULL || t->due == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for the calendar of %u units", t->n_wakers);
  for (uint32_t i = 0; i < SLOTS; i++) t->first[i] = t->last[i] = NOBODY;
  for (uint32_t i = 0; i < t->n_wakers; i++) t->wakers[i].at = NEVER;
  return FF_OK;
}

static ff_status make_lane(ff_ssp_timing *t, uint32_t j, ff_error *err) {
  lane *l = &t->lanes[j];
  l->lines = ff_ssp_stream_lines(t->program, j);
  l->words = t->program->units[j].n_stream * t->words;
  l->blocked = NEVER;
  l->waiters = NOBODY;
  if (l->lines == 0) return FF_OK;
  l->mask = (UINT32_C(1) << ff_ssp_log2(t->chip->reaction_fifo)) - 1;
  l->ring = ff_calloc((size_t)l->mask + 1, sizeof *l->ring);
  if (l->ring == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the words of a lane");
  return FF_OK;
}

/* A change waits until its row is read for a later step. The SMU is ahead of the RU by as many steps as it asks populations for.
 * So a change is written, or joins one that waits, within so many steps and some more. A step has at most FF_SSP_CHANGES. */
static uint32_t most_waiting(const ff_ssp_chip *chip, uint64_t fetched) {
  const uint64_t most = chip->data > A_LINE ? chip->data : A_LINE;
  if (fetched == 0) return 0;
  const uint64_t changes = FF_SSP_CHANGES * (most / fetched + 6);
  return (uint32_t)(changes < fetched ? changes : fetched);
}

static ff_status make_smu(ff_ssp_timing *t, uint32_t u, ff_error *err) {
  smu *m = &t->smus[u];
  m->last_take = m->forgot = m->inbox.at = NEVER;
  m->step = 1;
  m->most_waiting = most_waiting(t->chip, t->plans[u % t->R].fetched);
  if (m->most_waiting == 0) return FF_OK;
  m->waiting = ff_calloc(m->most_waiting, sizeof *m->waiting);
  if (m->waiting == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the writes of an SMU");
  return FF_OK;
}

static ff_status make_spe(ff_ssp_timing *t, uint32_t s, ff_error *err) {
  spe *p = &t->spes[s];
  p->result_at = p->ask_at = p->done_at = p->ended_at = NEVER;
  p->lines = ff_calloc(t->chip->vector_lines, sizeof *p->lines);
  p->victims = ff_calloc(t->chip->victims, sizeof *p->victims);
  if (p->lines == NULL || p->victims == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a vector cache");
  for (uint32_t i = 0; i < t->chip->vector_lines; i++) p->lines[i] = NOBODY;
  return FF_OK;
}

static ff_status make_units(ff_ssp_timing *t, ff_error *err) {
  t->lanes = ff_calloc(t->R, sizeof *t->lanes);
  t->smus = ff_calloc(t->n_units, sizeof *t->smus);
  t->units = ff_calloc(t->n_units, sizeof *t->units);
  t->spes = ff_calloc(t->S, sizeof *t->spes);
  if (t->lanes == NULL || t->smus == NULL || t->units == NULL || t->spes == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for the state of %u RUs", t->n_units);
  ff_status status = FF_OK;
  for (uint32_t j = 0; j < t->R && status == FF_OK; j++) status = make_lane(t, j, err);
  for (uint32_t u = 0; u < t->n_units && status == FF_OK; u++) {
    unit *r = &t->units[u];
    r->last_pop = r->starved = NEVER;
    r->state = FF_SSP_WAIT_VECTOR;
    r->idle = 1;
    status = make_smu(t, u, err);
  }
  for (uint32_t s = 0; s < t->S && status == FF_OK; s++) status = make_spe(t, s, err);
  return status;
}

static ff_status make_all(ff_ssp_timing *t, ff_error *err) {
  ff_status status = ff_ssp_timing_plan(t, err);
  for (uint32_t j = 0; j < t->R && status == FF_OK && t->options.every_cycle; j++) {
    t->n_waiting_units += t->plans[j].is_local && t->plans[j].n > 0; /* then local RUs are looked at like the others */
    if (t->plans[j].n > 0) t->plans[j].is_local = 0;
  }
  if (t->options.every_cycle) t->longest = 0;
  if (status == FF_OK) status = make_calendar(t, err);
  if (status == FF_OK) status = make_units(t, err);
  if (status == FF_OK) status = ff_ssp_memory_new(t, err);
  return status;
}

uint64_t ff_ssp_timing_bytes(const ff_ssp_program *program) {
  const ff_ssp_chip *chip = &program->chip;
  const uint64_t a_unit = sizeof(unit) + sizeof(smu) + 2 * (sizeof(waker) + sizeof(uint32_t)) + sizeof(client);
  uint64_t bytes = sizeof(spe) + sizeof(client) + ((uint64_t)chip->vector_lines + chip->victims) * sizeof(uint32_t);
  for (uint32_t j = 0; j < chip->rus; j++) {
    const uint64_t fetched = ff_ssp_fetched(&program->units[j]);
    bytes += a_unit + most_waiting(chip, fetched) * sizeof(change) + (fetched > 0 ? ff_ssp_client_bytes(chip) : 0);
  }
  return bytes * chip->spes;
}

ff_status ff_ssp_timing_new(ff_ssp_timing **out, const ff_ssp_program *program, const ff_ssp_steps *steps,
                            const ff_ssp_timing_options *options, ff_error *err) {
  *out = NULL;
  ff_status status = ff_ssp_chip_check(&program->chip, err);
  if (status != FF_OK) return status;
  ff_ssp_timing *t = ff_calloc(1, sizeof *t);
  if (t == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the cycles of a processor");
  t->program = program;
  t->chip = &program->chip;
  t->steps = *steps;
  t->vector_comes = ff_ssp_vector_comes;
  if (options != NULL) t->options = *options;
  t->R = t->chip->rus;
  t->S = t->working = t->chip->spes;
  t->n_units = t->R * t->S;
  t->words = ff_ssp_words(t->chip);
  t->tree = ff_ssp_log2(t->R);
  t->lanes_tree = t->S > 1 ? ff_ssp_log2(t->S) : 1;
  t->tail = t->chip->latency - t->chip->barrier;
  status = make_all(t, err);
  if (status != FF_OK) {
    ff_ssp_timing_free(t);
    return status;
  }
  *out = t;
  return FF_OK;
}

static void free_memory(ff_ssp_timing *t) {
  for (uint32_t i = 0; t->clients != NULL && i < t->n_clients; i++) {
    free(t->clients[i].queue);
    free(t->clients[i].reads);
  }
  for (uint32_t i = 0; t->channels != NULL && i < t->chip->channels; i++) {
    free(t->channels[i].ready);
    ff_dram_free(t->channels[i].dram);
  }
  free(t->clients);
  free(t->channels);
  free(t->arrivals);
}

void ff_ssp_timing_free(ff_ssp_timing *t) {
  if (t == NULL) return;
  for (uint32_t j = 0; t->plans != NULL && j < t->R; j++) {
    free(t->plans[j].codes);
    free(t->plans[j].runs);
  }
  for (uint32_t j = 0; t->lanes != NULL && j < t->R; j++) free(t->lanes[j].ring);
  for (uint32_t u = 0; t->smus != NULL && u < t->n_units; u++) free(t->smus[u].waiting);
  for (uint32_t s = 0; t->spes != NULL && s < t->S; s++) {
    free(t->spes[s].lines);
    free(t->spes[s].victims);
  }
  free_memory(t);
  free(t->plans);
  free(t->first_reader);
  free(t->readers);
  free(t->lanes);
  free(t->smus);
  free(t->units);
  free(t->spes);
  free(t->wakers);
  free(t->first);
  free(t->last);
  free(t->order);
  free(t->due);
  free(t);
}

/* ---- cycles ------------------------------------------------------------------------------------------------------ */

static uint32_t random_below(uint64_t *state, uint32_t n) {
  *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (uint32_t)((*state >> 32) * n >> 32);
}

static void look(ff_ssp_timing *t, uint32_t i) {
  if (i < t->R)
    ff_ssp_lane_look(t, i);
  else if (i < t->R + t->n_units)
    ff_ssp_smu_look(t, i - t->R);
  else
    ff_ssp_unit_look(t, i - t->R - t->n_units);
}

/* Looks at SPEs in their order, as the caller is promised. Most come in it. */
static void look_at_spes(ff_ssp_timing *t, uint32_t n) {
  for (uint32_t i = 1; i < n; i++) {
    const uint32_t s = t->due[i];
    uint32_t k = i;
    for (; k > 0 && t->due[k - 1] > s; k--) t->due[k] = t->due[k - 1];
    t->due[k] = s;
  }
  for (uint32_t i = 0; i < n; i++) ff_ssp_spe_look(t, t->due[i]);
}

/* All units that are due. SPEs come together, before or after the others. */
static void look_at_units(ff_ssp_timing *t) {
  uint32_t n = ff_ssp_take_due(t), n_spes = 0, n_others = 0;
  uint64_t *seed = &t->options.shuffle;
  const int shuffled = *seed != 0;
  for (uint32_t i = 0; i < n; i++) {
    if (t->order[i] >= spe_waker(t, 0))
      t->due[n_spes++] = t->order[i] - spe_waker(t, 0);
    else
      t->order[n_others++] = t->order[i];
  }
  for (uint32_t i = n_others; shuffled && i > 1; i--) {
    const uint32_t other = random_below(seed, i), at = t->order[i - 1];
    t->order[i - 1] = t->order[other];
    t->order[other] = at;
  }
  const int spes_first = shuffled && random_below(seed, 2) == 0;
  if (spes_first) look_at_spes(t, n_spes);
  for (uint32_t i = 0; i < n_others; i++) look(t, t->order[i]);
  if (!spes_first) look_at_spes(t, n_spes);
  if (shuffled && *seed == 0) *seed = 1; /* 0 would end it */
}

static void begin(ff_ssp_timing *t) {
  t->has_begun = 1;
  ff_ssp_spes_begin(t);
  for (uint32_t j = 0; j < t->R; j++)
    if (t->lanes[j].lines > 0) ff_ssp_look_at(t, j, 0);
  for (uint32_t u = 0; u < t->n_units; u++)
    if (t->smus[u].most_waiting > 0) ff_ssp_look_at(t, smu_waker(t, u), 0);
}

static ff_status failure(const ff_ssp_timing *t, ff_error *err) {
  if (t->status == FF_EARGUMENT)
    return ff_error_set(err, FF_EARGUMENT, "reaction %u was said to fire; the program has %u reactions", t->bad_tag,
                        t->program->n_reactions);
  return ff_error_set(err, FF_EINTERNAL, "the cycles of a processor went wrong at cycle %llu", (unsigned long long)t->now);
}

ff_status ff_ssp_timing_advance(ff_ssp_timing *t, uint64_t to, uint64_t steps, int *done, ff_error *err) {
  *done = 0;
  if (!t->has_begun) begin(t);
  while (t->now < to && t->working > 0 && t->n_steps < steps && t->status == FF_OK) {
    uint64_t next = ff_ssp_next_due(t);
    if (t->memory_at < next) next = t->memory_at;
    if (next == NEVER) {
      t->status = FF_EINTERNAL; /* everybody waits for somebody */
      break;
    }
    if (next >= to) {
      t->now = to;
      break;
    }
    t->now = next;
    look_at_units(t);
    if (t->memory_at <= t->now || t->options.every_cycle) ff_ssp_memory_cycle(t);
    t->now++;
  }
  if (t->status != FF_OK) return failure(t, err);
  ff_ssp_memory_settle(t);
  *done = t->working == 0;
  return FF_OK;
}

uint64_t ff_ssp_timing_now(const ff_ssp_timing *t) { return t->now; }
uint64_t ff_ssp_timing_steps(const ff_ssp_timing *t) { return t->n_steps; }

/* ---- counts ------------------------------------------------------------------------------------------------------ */

/* If it starves, part of it may be the lane's: from the cycle on at which the word would have come if there had been room. */
static void share_with_lane(const ff_ssp_timing *t, uint32_t j, unit *r) {
  const lane *l = &t->lanes[j];
  const uint64_t last = r->popped + t->words - 1;
  uint64_t from = NEVER;
  if (r->starved == NEVER) return;
  if (last < l->sent) {
    const word *w = &l->ring[last & l->mask];
    from = w->at - w->held;
  } else if (last == l->sent && l->blocked != NEVER) {
    from = l->blocked + t->lanes_tree;
  }
  if (from < r->starved) from = r->starved;
  if (from >= t->now) return;
  r->cycles[FF_SSP_STARVED_REACTIONS] -= t->now - from;
  r->cycles[FF_SSP_STARVED_LANE] += t->now - from;
}

void ff_ssp_timing_unit(const ff_ssp_timing *t, uint32_t s, uint32_t j, uint64_t cycles[FF_SSP_N_STATES]) {
  const spe *p = &t->spes[s];
  const unit_plan *plan = &t->plans[j];
  unit r = t->units[s * t->R + j];
  ff_ssp_settle(t, j, &r, t->now);
  share_with_lane(t, j, &r);
  for (int i = 0; i < FF_SSP_N_STATES; i++) cycles[i] = r.cycles[i];
  if (!plan->is_local) return;
  uint64_t n = p->is_running && t->now > p->start ? t->now - p->start : 0; /* of the present step */
  if (n > plan->n) n = plan->n;
  for (uint64_t i = 0; i < n; i++) cycles[plan->codes[i] & STATE]++;
  for (int i = 0; i < FF_SSP_N_STATES; i++) cycles[i] += p->counts.steps * plan->by_state[i];
  cycles[FF_SSP_WAIT_VECTOR] -= n + p->counts.steps * plan->n; /* it was taken to wait all the time */
}

void ff_ssp_timing_spe(const ff_ssp_timing *t, uint32_t s, ff_ssp_spe_counts *out) { *out = t->spes[s].counts; }

void ff_ssp_timing_channel(const ff_ssp_timing *t, uint32_t k, uint64_t lines[FF_SSP_N_USES], ff_dram_counts *out) {
  for (int i = 0; i < FF_SSP_N_USES; i++) lines[i] = t->channels[k].lines[i];
  ff_dram_count(t->channels[k].dram, out);
  out->refused = 0;
}

void ff_ssp_timing_requests(const ff_ssp_timing *t, uint64_t on_way[FF_SSP_N_USES], uint64_t cycles[FF_SSP_N_USES]) {
  for (int i = 0; i < FF_SSP_N_USES; i++) on_way[i] = cycles[i] = 0;
  for (uint32_t k = 0; k < t->n_clients; k++) {
    const client *c = &t->clients[k];
    if (c->queue == NULL) continue;
    on_way[c->use] += c->tail - c->known;
    cycles[c->use] += c->time;
    for (uint64_t i = c->known; i < c->tail; i++) cycles[c->use] += t->now - read_at(c, i)->made;
    for (uint64_t i = c->known; i > 0 && c->tail - i <= c->reads_mask && read_at(c, i - 1)->at >= t->now; i--) {
      on_way[c->use]++;
      cycles[c->use] -= read_at(c, i - 1)->at - t->now;
    }
    on_way[FF_SSP_WRITE_SPECIES] += c->writes;
    cycles[FF_SSP_WRITE_SPECIES] += c->write_time;
    for (uint64_t i = c->queue_head; i < c->queue_tail; i++)
      if (c->queue[i & c->queue_mask].read == WRITE) cycles[FF_SSP_WRITE_SPECIES] += t->now - c->queue[i & c->queue_mask].made;
  }
}
