/* What fetches ahead: lanes of reaction instructions, and the SMUs of populations. */
#include "ff_ssp_timing_internal.h"

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

/* Whether all RUs of a lane whose SPEs have work have room for a word, as they were in the last cycle. */
static int has_room(ff_ssp_timing *t, uint32_t j, lane *l) {
  const uint32_t places = t->chip->reaction_fifo;
  if (l->sent - l->least < places) return 1; /* `least` may be old, but it never falls */
  uint64_t least = NEVER, n = 0;
  for (uint32_t s = 0; s < t->S; s++) {
    const unit *r = &t->units[s * t->R + j];
    if (t->spes[s].done_at < t->now) continue;
    const uint64_t seen = r->popped - (r->last_pop == t->now ? t->words : 0);
    if (seen > least) continue;
    if (seen < least) n = 0;
    least = seen;
    n += r->popped == seen;
  }
  if (least == NEVER) return 1;
  l->least = least;
  l->n_least = n;
  if (l->sent - least < places) return 1;
  if (n == 0) ff_ssp_look_at(t, j, t->now + 1); /* they all have just taken a word */
  return 0;
}

static void send(ff_ssp_timing *t, lane *l) {
  const word w = {t->now + t->lanes_tree, l->blocked == NEVER ? 0 : t->now - l->blocked};
  l->ring[l->sent++ & l->mask] = w;
  l->blocked = NEVER;
  while (l->waiters != NOBODY) {
    const uint32_t u = l->waiters;
    l->waiters = t->units[u].next_waiter;
    t->units[u].waits_word = 0;
    ff_ssp_look_at(t, unit_waker(t, u), w.at);
  }
}

void ff_ssp_lane_look(ff_ssp_timing *t, uint32_t j) {
  lane *l = &t->lanes[j];
  client *c = &t->clients[j];
  if (l->lines == 0) return;
  int is_blocked = 0;
  if (c->head < c->known && read_at(c, c->head)->at <= t->now) {
    if (l->left == 0) l->left = l->line + 1 < l->lines ? 8 : l->words - 8 * (l->lines - 1);
    if (has_room(t, j, l)) {
      send(t, l);
      if (--l->left == 0) {
        c->head++;
        l->line = l->line + 1 < l->lines ? l->line + 1 : 0;
      }
    } else {
      is_blocked = 1;
      if (l->blocked == NEVER) l->blocked = t->now;
    }
  }
  if (c->tail - c->head < t->chip->requests) {
    ff_ssp_ask(t, j, l->asks, 0, 1);
    l->asks = l->asks + 1 < l->lines ? l->asks + 1 : 0;
    if (c->tail - c->head < t->chip->requests) ff_ssp_look_at(t, j, t->now + 1);
  }
  if (!is_blocked && c->head < c->known) {
    const uint64_t at = read_at(c, c->head)->at;
    ff_ssp_look_at(t, j, at > t->now ? at : t->now + 1);
  }
}

/* ---- writes that wait -------------------------------------------------------------------------------------------- */

/* Forgets the writes of a trajectory that has ended, and takes the change out of the inbox. */
static void settle_writes(ff_ssp_timing *t, uint32_t u, smu *m) {
  const uint64_t ended = t->spes[u / t->R].ended_at;
  if (ended != NEVER && ended < t->now && m->forgot != ended) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->n_waiting; i++)
      if (m->waiting[i].at > ended) m->waiting[n++] = m->waiting[i];
    m->n_waiting = n;
    if (m->inbox.at <= ended) m->inbox.at = NEVER;
    m->forgot = ended;
  }
  if (m->inbox.at == NEVER || m->inbox.at >= t->now) return;
  int is_there = 0;
  for (uint32_t i = 0; i < m->n_waiting; i++) is_there |= m->waiting[i].spid == m->inbox.spid;
  if (!is_there && m->n_waiting == m->most_waiting) t->status = FF_EINTERNAL;
  if (!is_there && m->n_waiting < m->most_waiting) m->waiting[m->n_waiting++] = m->inbox;
  m->inbox.at = NEVER;
}

void ff_ssp_smu_changes(ff_ssp_timing *t, uint32_t u, uint32_t spid, uint64_t step) {
  smu *m = &t->smus[u];
  settle_writes(t, u, m);
  m->inbox = (change){t->now, step, spid};
}

/* The first write that waits for a read of this line's row in this step. Takes it out. */
static int find_write(ff_ssp_timing *t, const client *c, smu *m, uint32_t line, uint32_t *out) {
  if (m->n_waiting == 0) return 0;
  const ff_ssp_address read = ff_ssp_address_of(t->program, c->place, line);
  for (uint32_t i = 0; i < m->n_waiting; i++) {
    if (m->waiting[i].step >= m->step) continue;
    const uint32_t other = m->waiting[i].spid / A_LINE;
    const ff_ssp_address at = ff_ssp_address_of(t->program, c->place, other);
    if (at.row != read.row || at.bank != read.bank) continue;
    *out = other;
    m->n_waiting--;
    for (; i < m->n_waiting; i++) m->waiting[i] = m->waiting[i + 1];
    return 1;
  }
  return 0;
}

/* ---- SMUs -------------------------------------------------------------------------------------------------------- */

static int has_place(ff_ssp_timing *t, uint32_t u, client *c, smu *m) {
  while (c->there < c->known && read_at(c, c->there)->at <= t->now) c->there++;
  if (c->tail - c->there + c->writes < t->chip->requests) return 1;
  m->wants_place = 1;
  if (c->there < c->known) ff_ssp_look_at(t, smu_waker(t, u), read_at(c, c->there)->at);
  return 0;
}

static int has_data_room(ff_ssp_timing *t, uint32_t u, smu *m, uint32_t n) {
  const uint64_t ahead = m->asked - m->taken + (m->last_take == t->now);
  if (ahead == 0 || ahead + n <= t->chip->data) return 1;
  m->wants_room = 1;
  if (m->last_take == t->now) ff_ssp_look_at(t, smu_waker(t, u), t->now + 1);
  return 0;
}

void ff_ssp_smu_look(ff_ssp_timing *t, uint32_t u) {
  const ff_ssp_unit *of = &t->program->units[u % t->R];
  client *c = &t->clients[smu_waker(t, u)];
  smu *m = &t->smus[u];
  if (of->n_fetches == 0 || t->spes[u / t->R].done_at < t->now) return;
  m->wants_place = m->wants_room = 0;
  settle_writes(t, u, m);
  const uint32_t fetch = of->fetches[m->fetch], spid = ff_ssp_fetch_spid(fetch) + m->offset;
  const uint32_t left = ff_ssp_fetch_length(fetch) - m->offset, block = t->chip->per_request;
  const uint32_t n = left < block - spid % block ? left : block - spid % block;
  if (!has_place(t, u, c, m) || !has_data_room(t, u, m, n)) return;
  ff_ssp_look_at(t, smu_waker(t, u), t->now + 1);
  uint32_t line;
  if (find_write(t, c, m, spid / A_LINE, &line)) {
    ff_ssp_ask(t, smu_waker(t, u), line, 1, 0);
    return;
  }
  ff_ssp_ask(t, smu_waker(t, u), spid / A_LINE, 0, n);
  m->asked += n;
  m->offset += n;
  if (n < left) return;
  m->offset = 0;
  if (++m->fetch < of->n_fetches) return;
  m->fetch = 0;
  m->step++;
}
