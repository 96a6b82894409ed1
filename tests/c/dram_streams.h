/* Random parts, options and streams of requests for a DRAM channel, and a driver that checks what comes back. */
#ifndef FF_TESTS_DRAM_STREAMS_H
#define FF_TESTS_DRAM_STREAMS_H

#include "dram_judge.h"
#include "random.h"

#define DRAWN_ROWS 32 /* few, so that requests meet in rows */

/* The most cycles after its time at which a refresh may begin: first, rows may not close before ras after the last activation, or
 * a while after the last transfer, which may come just before. Then one row closes a cycle, after those of ranks that wait too.
 * Refreshes of all ranks may wait for one another. */
static inline uint32_t most_late(const ff_dram_part *p) {
  const uint32_t written = p->wl + p->bl / 2 + p->wr;
  uint32_t most = p->ras > written ? p->ras : written;
  if (most < p->read_to_precharge) most = p->read_to_precharge;
  if (most < p->rc) most = p->rc;
  return most + p->rp + 64 + p->ranks + 1;
}

static inline uint32_t between(uint64_t *seed, uint32_t least, uint32_t most) { return least + below(seed, most - least + 1); }

static inline void draw_delays(ff_dram_part *p, uint64_t *seed) {
  uint32_t *const delays[] = {&p->cl, &p->wl, &p->rcd, &p->rp, &p->ras, &p->rc, &p->rrd, &p->faw, &p->ccd, &p->read_to_precharge,
                              &p->wtr, &p->wr, &p->rrd_long, &p->ccd_long, &p->wtr_long};
  for (size_t i = 0; i < sizeof delays / sizeof delays[0]; i++)
    if (below(seed, 2) == 0) *delays[i] = between(seed, 1, below(seed, 2) == 0 ? 40 : 12);
  p->rtrs = below(seed, 5);
  p->bl = 2 * between(seed, 1, 8);
  p->rfc = between(seed, 1, 250);
  const uint32_t before = p->ras + p->rc + p->wl + p->bl + p->wr + p->read_to_precharge + p->rp;
  p->refi = 4 * (before + p->rfc + 64 + 5) + below(seed, 3000); /* at most 64 banks in 5 ranks */
}

/* A part with the delays of a real one, or other ones. */
static inline ff_dram_part draw_part(uint64_t *seed) {
  ff_dram_part p = *ff_dram_part_at(below(seed, 5));
  if (below(seed, 3) > 0) {
    p.name = "drawn";
    draw_delays(&p, seed);
    p.groups = 1u << below(seed, 3);
    p.banks = p.groups << below(seed, 3);
    p.ranks = between(seed, 1, 64 / p.banks < 5 ? 64 / p.banks : 5);
  }
  p.rows = between(seed, 1, DRAWN_ROWS);
  p.columns = between(seed, 1, 64);
  return p;
}

static inline ff_dram_options draw_options(const ff_dram_part *p, uint64_t *seed) {
  ff_dram_options o = {.ranks = between(seed, 1, p->ranks)};
  if (below(seed, 2) == 0) o.transactions = between(seed, 1, 40);
  if (below(seed, 2) == 0) o.commands = between(seed, 2, 40);
  if (below(seed, 2) == 0) o.hits = below(seed, 4) == 0 ? UINT32_MAX : between(seed, 1, 7);
  o.close_idle = below(seed, 3) == 0;
  return o;
}

/* Some streams that take turns at random. Each walks through lines, draws them, or stays in one bank. */
typedef struct {
  uint64_t seed;
  uint32_t n, writes, idle; /* writes: of 16 requests; idle: mean cycles between two requests, or 0 */
  struct {
    uint32_t way, rank, bank, row, column;
  } at[16];
} streams;

static inline streams draw_streams(const ff_dram_part *p, uint32_t ranks, uint64_t *seed) {
  streams s = {.n = between(seed, 1, 16), .writes = below(seed, 3) == 0 ? 0 : below(seed, 17)};
  const uint32_t load = below(seed, 4);
  s.idle = load < 2 ? 0 : load == 2 ? between(seed, 1, 10) : between(seed, 20, 400);
  for (uint32_t i = 0; i < s.n; i++) {
    s.at[i].way = below(seed, 4);
    s.at[i].rank = below(seed, ranks);
    s.at[i].bank = below(seed, p->banks);
    s.at[i].row = below(seed, p->rows);
    s.at[i].column = below(seed, p->columns);
  }
  s.seed = next_random(seed);
  return s;
}

static inline ff_dram_request next_request(streams *s, const ff_dram_part *p, uint32_t ranks, uint64_t tag) {
  const uint32_t i = below(&s->seed, s->n), way = s->at[i].way;
  if (way == 0) { /* banks first, then columns */
    s->at[i].bank = (s->at[i].bank + 1) % p->banks;
    if (s->at[i].bank == 0) s->at[i].column = (s->at[i].column + 1) % p->columns;
    if (s->at[i].bank + s->at[i].column == 0) s->at[i].row = (s->at[i].row + 1) % p->rows;
  } else if (way == 1) { /* anywhere */
    s->at[i].rank = below(&s->seed, ranks);
    s->at[i].bank = below(&s->seed, p->banks);
    s->at[i].row = below(&s->seed, p->rows);
    s->at[i].column = below(&s->seed, p->columns);
  } else if (way == 2) { /* one row after the other of a bank */
    s->at[i].column = (s->at[i].column + 1) % p->columns;
    if (s->at[i].column == 0) s->at[i].row = (s->at[i].row + 1) % p->rows;
  } else { /* any row of a bank */
    s->at[i].row = below(&s->seed, p->rows);
  }
  return (ff_dram_request){.tag = tag, .rank = s->at[i].rank, .bank = s->at[i].bank, .row = s->at[i].row,
                           .column = s->at[i].column, .is_write = below(&s->seed, 16) < s->writes};
}

/* ---- a driver ------------------------------------------------------------------------------------------------------ */

/* How the driver advances: at once, cycle by cycle, or from one change to the next. */
enum { AT_ONCE, EACH_CYCLE, BY_CHANGES, DRIVES };

#define DRIVE_TAGS 4096 /* more than requests that can be on their way */

typedef struct {
  ff_dram *channel;
  ff_dram_part part;
  uint32_t ranks;
  dram_judge *judge;      /* or NULL */
  ff_dram_command *log;   /* or NULL */
  size_t n_log, most_log;
  uint64_t commands, hash, quiet_until; /* quiet_until: the channel said that no command comes before */
  uint64_t pushed, served, finished, first_wrong; /* first_wrong: the number of wrong things */
  uint64_t last_finish, area; /* area: the sum over cycles of the requests that wait, if cycle by cycle */
  ff_dram_request requests[DRIVE_TAGS];
  uint64_t end[DRIVE_TAGS];    /* of the data of a read that was served and not taken, or 0 */
  uint8_t is_out[DRIVE_TAGS];  /* pushed and not yet served */
  uint64_t last[64 * DRAWN_ROWS]; /* by rank, bank and row: the last tag that was served, plus 1 */
} drive;

static inline void drive_wrong(drive *d, const char *what, uint64_t tag) {
  if (d->first_wrong++ == 0) FF_CHECK_SAY(0, "%s, request %llu", what, (unsigned long long)tag);
}

static inline void drive_log(void *of, const ff_dram_command *c) {
  drive *d = of;
  d->commands++;
  const unsigned char *bytes = (const unsigned char *)c;
  for (size_t i = 0; i < sizeof *c; i++) d->hash = (d->hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  if (d->judge != NULL) judge(d->judge, c);
  if (d->log != NULL && d->n_log < d->most_log) d->log[d->n_log++] = *c;
  if (c->cycle < d->quiet_until) drive_wrong(d, "a command comes before the next change", c->tag);
  if (c->kind != FF_DRAM_READ && c->kind != FF_DRAM_WRITE) return;
  const uint32_t at = (uint32_t)(c->tag % DRIVE_TAGS);
  const ff_dram_request *r = &d->requests[at];
  if (!d->is_out[at] || r->tag != c->tag) drive_wrong(d, "served twice", c->tag);
  if (r->rank != c->rank || r->bank != c->bank || r->row != c->row || r->column != c->column ||
      r->is_write != (c->kind == FF_DRAM_WRITE))
    drive_wrong(d, "served elsewhere", c->tag);
  d->is_out[at] = 0;
  if (c->kind == FF_DRAM_READ) d->end[at] = c->cycle + d->part.cl + d->part.bl / 2;
  d->served++;
  if (c->row >= DRAWN_ROWS) return; /* of a large part: order is not checked */
  uint64_t *last = &d->last[(c->rank * d->part.banks + c->bank) * DRAWN_ROWS + c->row];
  if (c->tag + 1 <= *last) drive_wrong(d, "overtaken in its row", c->tag);
  *last = c->tag + 1;
}

static inline void drive_take(drive *d) {
  ff_dram_finished f;
  while (ff_dram_take(d->channel, &f)) {
    const uint32_t at = (uint32_t)(f.tag % DRIVE_TAGS);
    if (d->requests[at].tag != f.tag || d->end[at] != f.cycle) drive_wrong(d, "finished at a wrong time or twice", f.tag);
    if (f.cycle < d->last_finish || f.cycle > ff_dram_now(d->channel)) drive_wrong(d, "finished in a wrong order", f.tag);
    d->last_finish = f.cycle;
    d->end[at] = 0;
    d->finished++;
  }
}

static inline void drive_advance(drive *d, uint64_t to, int way) {
  while (ff_dram_now(d->channel) < to) {
    const uint64_t now = ff_dram_now(d->channel), next = ff_dram_next(d->channel);
    uint64_t target = way == AT_ONCE ? to : now + 1;
    d->quiet_until = now;
    if (way == BY_CHANGES) {
      d->quiet_until = next;
      target = next > to ? to : next;
      ff_dram_finished none;
      if (target > now) {
        ff_dram_advance(d->channel, target - 1);
        if (ff_dram_take(d->channel, &none)) drive_wrong(d, "a read finishes before the next change", none.tag);
      } else {
        target = now + 1;
      }
    }
    ff_dram_advance(d->channel, target);
    d->area += ff_dram_waiting(d->channel);
    drive_take(d);
  }
}

/* Pushes n requests. Decides only by what the streams draw and by whether the channel refuses. */
static inline void drive_run(drive *d, streams *s, uint64_t n, int way) {
  uint64_t left = n;
  int has = 0;
  ff_dram_request r = {0};
  while (left > 0) {
    for (uint32_t burst = s->idle > 0 ? 1 : between(&s->seed, 1, 8); burst > 0 && left > 0; burst--) {
      if (!has) r = next_request(s, &d->part, d->ranks, d->pushed);
      has = 1;
      const uint32_t at = (uint32_t)(r.tag % DRIVE_TAGS);
      if (d->is_out[at] || d->end[at] > 0) break; /* waits while many others do not */
      const int taken = ff_dram_push(d->channel, &r);
      if (taken < 0) drive_wrong(d, "an address is refused", r.tag);
      if (taken <= 0) break;
      d->requests[at] = r;
      d->is_out[at] = 1;
      d->pushed++;
      has = 0;
      left--;
    }
    const uint32_t gap = s->idle > 0 ? between(&s->seed, 1, 2 * s->idle) : between(&s->seed, 1, 6);
    const uint64_t pause = below(&s->seed, 20000) == 0 ? 3 * d->part.refi : gap; /* the ranks are refreshed while idle, too */
    drive_advance(d, ff_dram_now(d->channel) + pause, way);
  }
}

/* Waits until all is done, but not for ever. */
static inline void drive_drain(drive *d, int way) {
  for (int i = 0; i < 1000 && ff_dram_waiting(d->channel) > 0; i++)
    drive_advance(d, ff_dram_now(d->channel) + d->part.refi, way);
  drive_advance(d, ff_dram_now(d->channel) + d->part.cl + d->part.bl, way);
}

/* A channel for a drive; returns NULL if there is none. */
static inline drive *drive_new(const ff_dram_part *part, const ff_dram_options *options, dram_judge *judge_of, size_t most_log) {
  drive *d = calloc(1, sizeof *d);
  if (d == NULL) return NULL;
  ff_error err;
  ff_dram_options o = *options;
  o.log = drive_log;
  o.of = d;
  d->part = *part;
  d->ranks = o.ranks > 0 ? o.ranks : part->ranks;
  d->judge = judge_of;
  if (judge_of != NULL) judge_start(judge_of, part, d->ranks, most_late(part));
  if (most_log > 0) d->log = calloc(most_log, sizeof *d->log);
  d->most_log = most_log;
  FF_CHECK_OK(ff_dram_new(&d->channel, part, &o, &err), &err);
  return d;
}

static inline void drive_free(drive *d) {
  ff_dram_free(d->channel);
  free(d->log);
  free(d);
}

#endif
