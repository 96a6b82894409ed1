/* A reaction unit: when it issues which instruction, and how it spends its cycles. */
#include "ff_ssp_timing_internal.h"

void ff_ssp_settle(const ff_ssp_timing *t, uint32_t j, unit *r, uint64_t to) {
  if (r->state == RUNNING) {
    const uint8_t *codes = &t->plans[j].codes[r->position];
    const uint64_t n = (to < r->run_end ? to : r->run_end) - r->since;
    for (uint64_t i = 0; i < n; i++) r->cycles[codes[i] & STATE]++;
    r->position += (uint32_t)n;
    r->since += n;
    if (r->since < r->run_end) return;
    r->state = FF_SSP_WAIT_VECTOR; /* if it goes on, it does so at once */
  }
  r->cycles[r->state] += to - r->since;
  r->since = to;
}

void ff_ssp_await_result(ff_ssp_timing *t, uint32_t s) {
  spe *p = &t->spes[s];
  p->result_at = p->end - 1 + t->tail + t->tree;
  ff_ssp_look_at(t, spe_waker(t, s), p->result_at);
}

/* An RU has issued, or will have issued, the last instruction of a step in the cycle before `end`. */
static void tell_spe(ff_ssp_timing *t, uint32_t s, uint64_t end) {
  spe *p = &t->spes[s];
  if (p->end < end) p->end = end;
  if (++p->told == t->n_waiting_units) ff_ssp_await_result(t, s);
}

/* The way into the list of RUs that the lane tells of the next word. */
static void wait_for_word(lane *l, unit *r, uint32_t u) {
  if (r->waits_word) return;
  r->waits_word = 1;
  r->next_waiter = l->waiters;
  l->waiters = u;
}

/* Whether the present instruction of the stream has come. If it has, the cycles for which its last word waited for room of
 * another SPE, which are the last ones before it came, are accounted to the lane. */
static int word_is_there(ff_ssp_timing *t, uint32_t u, uint32_t j, unit *r) {
  lane *l = &t->lanes[j];
  const uint64_t last = r->popped + t->words - 1;
  const word *w = last < l->sent ? &l->ring[last & l->mask] : NULL;
  if (w == NULL || w->at > t->now) {
    r->state = FF_SSP_STARVED_REACTIONS;
    if (r->starved == NEVER) r->starved = t->now;
    if (w == NULL)
      wait_for_word(l, r, u);
    else
      ff_ssp_look_at(t, unit_waker(t, u), w->at);
    return 0;
  }
  if (r->starved != NEVER) {
    const uint64_t waited = t->now - r->starved, held = waited < w->held ? waited : w->held;
    r->cycles[FF_SSP_STARVED_REACTIONS] -= held;
    r->cycles[FF_SSP_STARVED_LANE] += held;
    r->starved = NEVER;
  }
  return 1;
}

static int datum_is_there(ff_ssp_timing *t, uint32_t u, unit *r) {
  const client *c = &t->clients[smu_waker(t, u)];
  if (c->head < c->known && read_at(c, c->head)->at <= t->now) return 1;
  r->state = FF_SSP_STARVED_SPECIES;
  if (c->head < c->known)
    ff_ssp_look_at(t, unit_waker(t, u), read_at(c, c->head)->at);
  else
    r->wants_datum = 1;
  return 0;
}

static void take_word(ff_ssp_timing *t, uint32_t j, unit *r) {
  lane *l = &t->lanes[j];
  if (r->popped == l->least && l->n_least > 0 && --l->n_least == 0) ff_ssp_look_at(t, j, t->now + 1);
  r->popped += t->words;
  r->last_pop = t->now;
}

static void take_datum(ff_ssp_timing *t, uint32_t u) {
  client *c = &t->clients[smu_waker(t, u)];
  smu *m = &t->smus[u];
  if (--read_at(c, c->head)->left == 0) c->head++;
  m->taken++;
  m->last_take = t->now;
  if (m->wants_room) ff_ssp_look_at(t, smu_waker(t, u), t->now + 1);
}

static void issue(ff_ssp_timing *t, uint32_t u, uint32_t j, unit *r, uint8_t code) {
  r->cycles[code & STATE]++;
  r->since = t->now + 1;
  r->state = FF_SSP_WAIT_VECTOR;
  if (r->position >= t->program->units[j].n_local) take_word(t, j, r);
  if (code & TAKES) take_datum(t, u);
  if (r->next_due < r->n_due && r->due[r->next_due].position == r->position)
    ff_ssp_smu_changes(t, u, r->due[r->next_due++].spid, r->step);
  r->position++;
  if (r->position == t->plans[j].n) {
    r->idle = 1;
    tell_spe(t, u / t->R, t->now + 1);
  } else {
    ff_ssp_look_at(t, unit_waker(t, u), t->now + 1);
  }
}

/* Issues local instructions that take nothing from outside in one go. No look at the RU is needed until their end. */
static int run(ff_ssp_timing *t, uint32_t u, uint32_t j, unit *r) {
  const unit_plan *plan = &t->plans[j];
  if (t->options.every_cycle || r->position >= t->program->units[j].n_local || plan->runs[r->position] < 2) return 0;
  const uint32_t n = plan->runs[r->position];
  r->state = RUNNING;
  r->run_end = t->now + n;
  if (r->position + n == plan->n) {
    r->idle = 1;
    tell_spe(t, u / t->R, r->run_end);
  } else {
    ff_ssp_look_at(t, unit_waker(t, u), r->run_end);
  }
  return 1;
}

void ff_ssp_unit_look(ff_ssp_timing *t, uint32_t u) {
  unit *r = &t->units[u];
  const uint32_t j = u % t->R;
  if (r->idle) return;
  ff_ssp_settle(t, j, r, t->now);
  if (r->state == RUNNING) {
    ff_ssp_look_at(t, unit_waker(t, u), r->run_end);
    return;
  }
  if (t->now < r->start) {
    r->state = FF_SSP_WAIT_VECTOR;
    ff_ssp_look_at(t, unit_waker(t, u), r->start);
    return;
  }
  if (run(t, u, j, r)) return;
  const uint8_t code = t->plans[j].codes[r->position];
  if (r->position >= t->program->units[j].n_local && !word_is_there(t, u, j, r)) return;
  if ((code & TAKES) && !datum_is_there(t, u, r)) return;
  issue(t, u, j, r, code);
}

void ff_ssp_unit_changes(unit *r, uint32_t position, uint32_t spid) {
  uint32_t i = r->n_due;
  for (; i > 0 && r->due[i - 1].position >= position; i--)
    if (r->due[i - 1].position == position) return; /* a vector may name a species twice */
  for (uint32_t k = r->n_due; k > i; k--) r->due[k] = r->due[k - 1];
  r->due[i] = (due){position, spid};
  r->n_due++;
}

void ff_ssp_unit_begin(ff_ssp_timing *t, uint32_t u, uint64_t start) {
  unit *r = &t->units[u];
  ff_ssp_settle(t, u % t->R, r, t->now);
  r->start = start;
  r->position = 0;
  r->next_due = 0;
  r->step++;
  r->idle = 0;
  ff_ssp_look_at(t, unit_waker(t, u), start);
}
