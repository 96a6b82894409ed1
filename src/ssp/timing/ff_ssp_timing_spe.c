/* A processing element: the end of a step, the vector cache, and the begin of the next step. */
#include <string.h>

#include "ff_ssp_timing_internal.h"

/* Begins a step after a reaction has fired, or FF_SSP_ENDS. Local RUs need no look: they issue one instruction a cycle. */
static void begin_step(ff_ssp_timing *t, uint32_t s, uint64_t start, uint32_t tag) {
  spe *p = &t->spes[s];
  const uint32_t first = s * t->R;
  p->start = start;
  p->end = start + t->longest;
  p->told = 0;
  p->is_running = 1;
  if (t->n_waiting_units == 0) {
    ff_ssp_await_result(t, s);
    return;
  }
  for (uint32_t j = 0; j < t->R; j++) t->units[first + j].n_due = 0;
  for (uint32_t i = 0; i < FF_SSP_CHANGES && tag != FF_SSP_ENDS; i++) {
    const uint32_t of = t->program->vectors[(size_t)tag * FF_SSP_CHANGES + i], spid = ff_ssp_change_spid(of);
    if (of == 0 || spid >= t->program->n_species) continue;
    for (uint32_t k = t->first_reader[spid]; k < t->first_reader[spid + 1]; k++)
      ff_ssp_unit_changes(&t->units[first + t->readers[k].unit], t->readers[k].position, spid);
  }
  for (uint32_t j = 0; j < t->R; j++)
    if (!t->plans[j].is_local) ff_ssp_unit_begin(t, first + j, start);
}

/* ---- the vector cache -------------------------------------------------------------------------------------------- */

/* Puts a line that leaves its place among the victims, where it takes the place of victim i, or of the oldest one. */
static void add_victim(const ff_ssp_timing *t, spe *p, uint32_t tag, uint32_t i) {
  if (tag == NOBODY || t->chip->victims == 0) return;
  if (i == NOBODY) i = p->n_victims < t->chip->victims ? p->n_victims++ : p->n_victims - 1;
  memmove(p->victims + 1, p->victims, i * sizeof *p->victims);
  p->victims[0] = tag;
}

/* Whether a vector is in the cache. If it is not, it gets its place there: nothing else is looked up before it comes. */
static int look_up(const ff_ssp_timing *t, spe *p, uint32_t tag) {
  uint32_t *line = &p->lines[tag % t->chip->vector_lines], i = 0;
  if (*line == tag) {
    p->counts.hits++;
    return 1;
  }
  while (i < p->n_victims && p->victims[i] != tag) i++;
  const int is_victim = i < p->n_victims;
  add_victim(t, p, *line, is_victim ? i : NOBODY);
  *line = tag;
  p->counts.victim_hits += is_victim;
  p->counts.misses += !is_victim;
  return is_victim;
}

void ff_ssp_vector_comes(ff_ssp_timing *t, uint32_t s, uint64_t at) { begin_step(t, s, at + t->tree + 1, t->spes[s].tag); }

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static void finish(ff_ssp_timing *t, uint32_t s) {
  t->spes[s].done_at = t->now;
  t->working--;
  for (uint32_t j = 0; j < t->R; j++) {
    unit *r = &t->units[s * t->R + j];
    ff_ssp_settle(t, j, r, t->now);
    r->state = FF_SSP_DONE;
    r->idle = 1;
    ff_ssp_look_at(t, j, t->now + 1); /* the lane waits for it no more */
  }
}

static int has_trajectory(const ff_ssp_timing *t, uint32_t s, int is_first) {
  return t->steps.begins == NULL ? is_first : t->steps.begins(t->steps.of, s, t->now) != 0;
}

void ff_ssp_spes_begin(ff_ssp_timing *t) {
  for (uint32_t s = 0; s < t->S; s++) {
    if (has_trajectory(t, s, 1))
      begin_step(t, s, t->now, FF_SSP_ENDS);
    else
      finish(t, s);
  }
}

static void end_step(ff_ssp_timing *t, uint32_t s) {
  spe *p = &t->spes[s];
  p->result_at = NEVER;
  p->is_running = 0;
  p->counts.steps++;
  p->counts.last_end = t->now;
  t->n_steps++;
  const uint32_t tag = t->steps.fires(t->steps.of, s, t->now);
  if (tag == FF_SSP_ENDS) {
    p->counts.trajectories++;
    p->ended_at = t->now;
    if (has_trajectory(t, s, 0))
      begin_step(t, s, t->now + t->tree + 2, tag);
    else
      finish(t, s);
  } else if (tag >= t->program->n_reactions) {
    t->status = FF_EARGUMENT;
    t->bad_tag = tag;
  } else if (look_up(t, p, tag)) {
    begin_step(t, s, t->now + t->tree + 2, tag);
  } else {
    p->tag = tag;
    p->ask_at = t->now + 1;
    ff_ssp_look_at(t, spe_waker(t, s), p->ask_at);
  }
}

void ff_ssp_spe_look(ff_ssp_timing *t, uint32_t s) {
  spe *p = &t->spes[s];
  if (p->result_at == t->now) {
    end_step(t, s);
  } else if (p->ask_at == t->now) {
    p->ask_at = NEVER;
    ff_ssp_ask(t, t->R + t->n_units + s, p->tag / 2, 0, 1);
  } else if (p->result_at != NEVER) { /* looked at too early, as it is far away */
    ff_ssp_look_at(t, spe_waker(t, s), p->result_at);
  }
}
