/* What happens in a cycle: the choice of the next command, refresh, and the way from the transaction queue to the banks. */
#include "ff_dram_internal.h"

/* Takes out request i. Those before it move, or those behind it if they are fewer. */
static void ring_remove(ring *r, uint32_t i) {
  r->n--;
  if (i > r->n / 2) {
    for (; i < r->n; i++) *ring_at(r, i) = *ring_at(r, i + 1);
    return;
  }
  for (; i > 0; i--) *ring_at(r, i) = *ring_at(r, i - 1);
  r->head++;
}

static inline void raise_to(uint64_t *x, uint64_t least) { *x = *x < least ? least : *x; }

static inline uint32_t lowest_bit(uint64_t bits) { return (uint32_t)__builtin_ctzll(bits); }

/* ---- candidates ---------------------------------------------------------------------------------------------------- */

/* The next command of a bank. Of the requests to the open row, the first one goes; others may not overtake it. */
static ff_dram_kind candidate(const ff_dram *c, bank *b) {
  const ring *q = &b->queue;
  b->chosen = 0;
  if (c->refreshing >> b->rank & 1) return NOTHING; /* refresh_rank() closes it */
  if (b->row == CLOSED) return q->n > 0 ? FF_DRAM_ACTIVATE : NOTHING;
  if (b->hits >= c->options.hits) return FF_DRAM_PRECHARGE;
  for (uint32_t i = 0; i < q->n; i++) {
    const request *one = ring_at(q, i);
    if (one->row != b->row) continue;
    b->chosen = i;
    return one->is_write ? FF_DRAM_WRITE : FF_DRAM_READ;
  }
  return q->n > 0 || c->options.close_idle ? FF_DRAM_PRECHARGE : NOTHING;
}

/* Notes when the candidate of a bank has waited long enough. If this is far away, it is looked at again before. */
static void set_earliest(ff_dram *c, uint32_t i) {
  const uint64_t at = c->banks[i].ready[c->kind[i]], bit = UINT64_C(1) << i;
  if (at <= c->now) {
    c->ripe |= bit;
    return;
  }
  const uint64_t slot = (at - c->now < SLOTS ? at : c->now + SLOTS - 1) % SLOTS;
  c->ripe &= ~bit;
  c->slots[slot] |= bit;
  c->filled |= UINT64_C(1) << slot;
}

static void choose(ff_dram *c, uint32_t i) {
  const ff_dram_kind kind = candidate(c, &c->banks[i]);
  const uint64_t bit = UINT64_C(1) << i;
  c->of_kind[c->kind[i]] &= ~bit;
  c->of_kind[kind] |= bit;
  c->kind[i] = (uint8_t)kind;
  if (kind == NOTHING)
    c->ripe &= ~bit;
  else
    set_earliest(c, i);
}

static inline uint64_t rotated(uint64_t bits, uint64_t left) { return bits << left % 64 | bits >> (64 - left % 64) % 64; }

/* Finds candidates that have become ripe since the last look. */
static void ripen(ff_dram *c) {
  const uint64_t passed = c->now - c->ripened;
  uint64_t due = c->filled;
  if (passed < SLOTS) due &= rotated((UINT64_C(1) << passed) - 1, c->ripened + 1);
  c->ripened = c->now;
  c->filled &= ~due;
  for (; due != 0; due &= due - 1) {
    uint64_t places = c->slots[lowest_bit(due)];
    c->slots[lowest_bit(due)] = 0;
    for (; places != 0; places &= places - 1) {
      const uint32_t i = lowest_bit(places);
      if (c->kind[i] != NOTHING) set_earliest(c, i);
    }
  }
}

/* At most the cycle after now at which the next one ripens. */
static uint64_t next_ripe(const ff_dram *c) {
  return c->filled == 0 ? NEVER : c->now + 1 + lowest_bit(rotated(c->filled, SLOTS - (c->now + 1) % SLOTS));
}

static void choose_rank(ff_dram *c, uint32_t rank) {
  for (uint32_t i = rank; i < c->places; i += c->ranks) choose(c, i);
}

/* ---- commands ------------------------------------------------------------------------------------------------------ */

/* Delays other commands of a rank's window. */
static void note_windows(ff_dram *c, ff_dram_kind kind, uint32_t r) {
  rank_state *rank = &c->rank[r];
  for (uint32_t i = 0; i < c->n_windows; i++) {
    const ff_dram_constraint *one = &c->windows[i];
    if (one->before != kind) continue;
    rank->last[kind][rank->n_last[kind]++ % one->window] = c->now;
    if (rank->n_last[kind] >= one->window)
      raise_to(&c->rank_ready[one->after][r], rank->last[kind][rank->n_last[kind] % one->window] + one->cycles);
  }
}

/* A command delays others: of its bank (unless it is of the whole rank), its group, its rank, other ranks. */
static void note_command(ff_dram *c, ff_dram_kind kind, uint32_t rank, bank *b) {
  for (int next = 0; next < FF_DRAM_COMMANDS; next++)
    raise_to(&c->rank_ready[next][rank], c->now + c->delay[FF_DRAM_SAME_RANK][kind][next]);
  if (kind == FF_DRAM_READ || kind == FF_DRAM_WRITE) {
    for (uint32_t r = 0; r < c->ranks; r++) {
      if (r == rank) continue;
      raise_to(&c->rank_ready[FF_DRAM_READ][r], c->now + c->delay[FF_DRAM_OTHER_RANK][kind][FF_DRAM_READ]);
      raise_to(&c->rank_ready[FF_DRAM_WRITE][r], c->now + c->delay[FF_DRAM_OTHER_RANK][kind][FF_DRAM_WRITE]);
    }
  }
  note_windows(c, kind, rank);
  if (b == NULL) return;
  for (int next = 0; next < FF_DRAM_COMMANDS; next++)
    raise_to(&b->ready[next], c->now + c->delay[FF_DRAM_SAME_BANK][kind][next]);
  if (c->part.groups == 1) return;
  for (uint32_t i = rank; i < c->places; i += c->ranks) {
    bank *near = &c->banks[i];
    if (near->group != b->group) continue;
    for (int next = 0; next < FF_DRAM_COMMANDS; next++)
      raise_to(&near->ready[next], c->now + c->delay[FF_DRAM_SAME_GROUP][kind][next]);
    if (c->kind[i] != NOTHING) set_earliest(c, i);
  }
}

static void tell(const ff_dram *c, ff_dram_kind kind, const bank *b, uint32_t rank, const request *of, int hit) {
  if (c->options.log == NULL) return;
  ff_dram_command told = {.cycle = c->now, .kind = (uint16_t)kind, .rank = (uint16_t)rank, .hit = (uint16_t)hit};
  if (b != NULL) {
    told.bank = b->number;
    told.row = b->row;
  }
  if (of != NULL) {
    told.tag = of->tag;
    told.row = of->row;
    if (kind != FF_DRAM_ACTIVATE) told.column = of->column;
  }
  c->options.log(c->options.of, &told);
}

static void free_places(ff_dram *c, uint32_t i, uint32_t n) {
  bank *b = &c->banks[i];
  b->used -= n;
  if (b->used + 2 > c->options.commands) return;
  c->has_room |= UINT64_C(1) << i;
}

/* Finds banks whose first request has waited too long. Others may keep it from the bus for ever: in its rank, writes may follow
 * each other when a read may not come yet, and three ranks may keep the bus by turns. Each late bank is served once before others
 * are found, since late banks may keep each other from the bus too. */
static void find_late(ff_dram *c) {
  for (uint32_t i = 0; i < c->places; i++) {
    const ring *q = &c->banks[i].queue;
    if (q->n > 0 && c->now - ring_at(q, 0)->since >= c->most_wait) c->late |= UINT64_C(1) << i;
  }
}

static void activate(ff_dram *c, uint32_t i) {
  bank *b = &c->banks[i];
  request *first = ring_at(&b->queue, 0);
  tell(c, FF_DRAM_ACTIVATE, b, b->rank, first, 0);
  b->row = first->row;
  b->hits = 0;
  if (c->rank[b->rank].open_rows++ == 0) c->active_ranks++;
  c->counts.activations++;
  if (first->needs_row) free_places(c, i, 1); /* not if a refresh closed the row that was opened for it */
  first->needs_row = 0;
  note_command(c, FF_DRAM_ACTIVATE, b->rank, b);
}

static void precharge(ff_dram *c, uint32_t i) {
  bank *b = &c->banks[i];
  tell(c, FF_DRAM_PRECHARGE, b, b->rank, NULL, 0);
  b->row = CLOSED;
  if (--c->rank[b->rank].open_rows == 0) c->active_ranks--;
  c->counts.precharges++;
  note_command(c, FF_DRAM_PRECHARGE, b->rank, b);
}

/* A read or write. Its data are on the bus for bl / 2 cycles, cl or wl cycles later. */
static void transfer(ff_dram *c, uint32_t i) {
  bank *b = &c->banks[i];
  const request one = *ring_at(&b->queue, b->chosen);
  const ff_dram_kind kind = one.is_write ? FF_DRAM_WRITE : FF_DRAM_READ;
  const uint32_t burst = c->part.bl / 2;
  ring_remove(&b->queue, b->chosen);
  if (b->chosen == 0 && c->late >> i & 1) {
    c->late &= ~(UINT64_C(1) << i);
    if (c->late == 0) find_late(c);
  }
  tell(c, kind, b, b->rank, &one, one.needs_row);
  free_places(c, i, one.needs_row ? 2 : 1);
  if (one.needs_row) {
    b->hits++;
    c->counts.hits++;
  }
  c->in_queues--;
  c->counts.command_wait += c->now - one.since;
  c->counts.bus_cycles += burst;
  if (one.is_write) {
    c->counts.writes++;
  } else {
    const uint64_t end = c->now + c->part.cl + burst;
    c->counts.reads++;
    c->counts.read_latency += end - one.pushed;
    c->finished[(c->finished_head + c->n_finished++) & c->finished_mask] = (ff_dram_finished){.tag = one.tag, .cycle = end};
  }
  note_command(c, kind, b->rank, b);
}

static void issue(ff_dram *c, uint32_t i) {
  if (c->kind[i] == FF_DRAM_ACTIVATE)
    activate(c, i);
  else if (c->kind[i] == FF_DRAM_PRECHARGE)
    precharge(c, i);
  else
    transfer(c, i);
  choose(c, i);
}

/* ---- refresh ------------------------------------------------------------------------------------------------------- */

/* Ranks whose refresh is due take no other commands until it is done. */
static void begin_refreshes(ff_dram *c) {
  c->next_refresh = NEVER;
  for (uint32_t r = 0; r < c->ranks; r++) {
    rank_state *rank = &c->rank[r];
    if (rank->due <= c->now) {
      rank->due += c->part.refi;
      rank->owed++;
      c->refreshing |= UINT64_C(1) << r;
      choose_rank(c, r);
    }
    if (rank->due < c->next_refresh) c->next_refresh = rank->due;
  }
  if (c->late == 0) find_late(c);
}

static void refresh(ff_dram *c, uint32_t r) {
  rank_state *rank = &c->rank[r];
  tell(c, FF_DRAM_REFRESH, NULL, r, NULL, 0);
  c->counts.refreshes++;
  c->counts.active_cycles += c->part.rfc;
  if (--rank->owed == 0) c->refreshing &= ~(UINT64_C(1) << r);
  note_command(c, FF_DRAM_REFRESH, r, NULL);
  choose_rank(c, r);
}

/* Closes a row of a rank that owes a refresh, or refreshes it. A row closes even if the request waits for which it was opened:
 * this stays in the queue and opens the row again. Returns whether a command was issued; otherwise lowers *soonest. */
static int refresh_rank(ff_dram *c, uint32_t r, uint64_t *soonest) {
  const rank_state *rank = &c->rank[r];
  if (rank->open_rows == 0) {
    if (c->rank_ready[FF_DRAM_REFRESH][r] <= c->now) {
      refresh(c, r);
      return 1;
    }
    if (c->rank_ready[FF_DRAM_REFRESH][r] < *soonest) *soonest = c->rank_ready[FF_DRAM_REFRESH][r];
    return 0;
  }
  for (uint32_t i = r; i < c->places; i += c->ranks) {
    if (c->banks[i].row == CLOSED) continue;
    uint64_t at = c->banks[i].ready[FF_DRAM_PRECHARGE];
    raise_to(&at, c->rank_ready[FF_DRAM_PRECHARGE][r]);
    if (at <= c->now) {
      precharge(c, i);
      return 1;
    }
    if (at < *soonest) *soonest = at;
  }
  return 0;
}

/* ---- a cycle ------------------------------------------------------------------------------------------------------- */

/* Ripe places whose candidate is of this kind. If some are late, others may only close rows: if they opened some, refreshes that
 * come often could close each row of a late bank before its turn. */
static inline uint64_t ripe_of(const ff_dram *c, ff_dram_kind kind) {
  const uint64_t ripe = c->ripe & c->of_kind[kind];
  return c->late != 0 && kind != FF_DRAM_PRECHARGE ? ripe & c->late : ripe;
}

/* Those that may be issued as their rank demands. */
static inline uint64_t issuable(const ff_dram *c, ff_dram_kind kind) {
  const uint64_t ripe = ripe_of(c, kind);
  uint64_t allowed = 0;
  if (ripe == 0) return 0;
  for (uint32_t r = 0; r < c->ranks; r++) allowed |= c->of_rank[r] & -(uint64_t)(c->rank_ready[kind][r] <= c->now);
  return allowed & ripe;
}

/* The earliest cycle at which a ripe place may issue its candidate as its rank demands. */
static inline uint64_t soonest_of(const ff_dram *c) {
  uint64_t soonest = NEVER;
  for (int kind = 0; kind < FF_DRAM_REFRESH; kind++) {
    const uint64_t ripe = ripe_of(c, kind);
    if (ripe == 0) continue;
    for (uint32_t r = 0; r < c->ranks; r++) {
      const uint64_t at = ripe & c->of_rank[r] ? c->rank_ready[kind][r] : NEVER;
      soonest = at < soonest ? at : soonest;
    }
  }
  return soonest;
}

/* Issues the candidate of the first of these places from *turn on. As in DRAMSim2, it stays this place's turn. */
static void issue_first(ff_dram *c, uint64_t places, uint32_t *turn) {
  const uint64_t from_turn = places & ~UINT64_C(0) << *turn;
  *turn = lowest_bit(from_turn != 0 ? from_turn : places);
  issue(c, *turn);
}

/* Issues a command, if one may go out. Otherwise lowers *soonest to at most the cycle at which the next one may. */
static int issue_one(ff_dram *c, uint64_t *soonest) {
  for (uint64_t rest = c->refreshing; rest != 0; rest &= rest - 1)
    if (refresh_rank(c, lowest_bit(rest), soonest)) return 1;
  ripen(c);
  const uint64_t working = issuable(c, FF_DRAM_ACTIVATE) | issuable(c, FF_DRAM_READ) | issuable(c, FF_DRAM_WRITE);
  if (working != 0) {
    issue_first(c, working, &c->turn);
    return 1;
  }
  const uint64_t closing = issuable(c, FF_DRAM_PRECHARGE);
  if (closing != 0) {
    issue_first(c, closing, &c->closing_turn);
    return 1;
  }
  const uint64_t ripe = soonest_of(c), unripe = next_ripe(c);
  if (ripe < *soonest) *soonest = ripe;
  if (unripe < *soonest) *soonest = unripe;
  return 0;
}

/* Moves the first request that finds room from the transaction queue to its bank. Returns whether there was one. */
static int enter(ff_dram *c) {
  ring *from = &c->transactions;
  for (uint32_t i = 0; i < from->n; i++) {
    request *one = ring_at(from, i);
    const uint32_t at = one->place;
    if (!(c->has_room >> at & 1)) continue;
    bank *b = &c->banks[at];
    c->counts.transaction_wait += c->now - one->since;
    one->since = c->now;
    *ring_at(&b->queue, b->queue.n++) = *one;
    ring_remove(from, i);
    b->used += 2;
    if (b->used + 2 > c->options.commands) c->has_room &= ~(UINT64_C(1) << at);
    if (--b->wanted == 0) c->wanted &= ~(UINT64_C(1) << at);
    c->in_queues++;
    if (c->kind[at] == NOTHING || c->kind[at] == FF_DRAM_PRECHARGE) choose(c, at); /* else the candidate stays */
    return 1;
  }
  return 0;
}

uint64_t ff_dram_step(ff_dram *c) {
  uint64_t soonest = NEVER;
  if (c->options.every_cycle) {
    for (uint32_t i = 0; i < c->places; i++) choose(c, i);
  }
  if (c->next_refresh <= c->now) begin_refreshes(c);
  const int entered = (c->wanted & c->has_room) != 0 && enter(c);
  const int issued = issue_one(c, &soonest);
  if (entered || issued) return c->now + 1;
  return soonest < c->next_refresh ? soonest : c->next_refresh;
}
