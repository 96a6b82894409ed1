/* Judges the log of a DRAM channel. It reads the part and its table of constraints, and shares no code with the simulator: it
 * looks back through past commands, where the simulator looks forward to the cycles at which commands may come. Besides the table
 * it knows what a row, the data bus and a refresh are. A log may have any length: only past commands that matter are kept. */
#ifndef FF_TESTS_DRAM_JUDGE_H
#define FF_TESTS_DRAM_JUDGE_H

#include "../../src/dram/ff_dram.h"
#include "check.h"

#define JUDGE_PAST 8192 /* commands; more than the cycles of the longest constraint */

/* What is wrong besides constraints. */
enum { JUDGE_CYCLE, JUDGE_ADDRESS, JUDGE_ROW, JUDGE_BUS, JUDGE_REFRESH, JUDGE_WRONGS };

typedef struct {
  ff_dram_part part;
  uint32_t ranks, longest, late;
  ff_dram_constraints rules;
  uint32_t n_of[FF_DRAM_COMMANDS][FF_DRAM_COMMANDS]; /* rules for a pair of commands, for speed */
  uint32_t of[FF_DRAM_COMMANDS][FF_DRAM_COMMANDS][FF_DRAM_MOST_CONSTRAINTS];
  ff_dram_command past[JUDGE_PAST];
  uint64_t n;
  int64_t row[64][64]; /* by rank and bank; -1: closed */
  uint64_t refreshes[64];
  uint64_t broken[FF_DRAM_MOST_CONSTRAINTS], wrong[JUDGE_WRONGS], violations;
  char text[256]; /* about the first violation */
} dram_judge;

/* `late`: the most cycles that a refresh may come after its time. */
static inline void judge_start(dram_judge *j, const ff_dram_part *part, uint32_t ranks, uint32_t late) {
  memset(j, 0, sizeof *j);
  j->part = *part;
  j->ranks = ranks;
  j->late = late;
  ff_dram_constrain(part, &j->rules);
  j->longest = part->cl + part->wl + part->bl;
  for (uint32_t i = 0; i < j->rules.n; i++) {
    const ff_dram_constraint *rule = &j->rules.of[i];
    j->of[rule->before][rule->after][j->n_of[rule->before][rule->after]++] = i;
    if (rule->cycles > j->longest) j->longest = rule->cycles;
  }
  for (int r = 0; r < 64; r++)
    for (int b = 0; b < 64; b++) j->row[r][b] = -1;
}

static inline void judge_say(dram_judge *j, const ff_dram_command *c, const char *what) {
  if (j->violations++ > 0) return;
  snprintf(j->text, sizeof j->text, "command %llu (kind %d) at cycle %llu, rank %d, bank %d, row %u: %s",
           (unsigned long long)j->n, c->kind, (unsigned long long)c->cycle, c->rank, c->bank, c->row, what);
}

static inline void judge_wrong(dram_judge *j, const ff_dram_command *c, int which, const char *what) {
  j->wrong[which]++;
  judge_say(j, c, what);
}

static inline int judge_in_scope(const dram_judge *j, const ff_dram_constraint *rule, const ff_dram_command *a,
                                 const ff_dram_command *b) {
  const uint32_t a_group = j->part.banks / j->part.groups;
  switch (rule->scope) {
  case FF_DRAM_SAME_BANK: return a->rank == b->rank && a->bank == b->bank;
  case FF_DRAM_SAME_GROUP: return a->rank == b->rank && a->bank / a_group == b->bank / a_group;
  case FF_DRAM_SAME_RANK: return a->rank == b->rank;
  default: return a->rank != b->rank;
  }
}

static inline int judge_is_transfer(const ff_dram_command *c) { return c->kind == FF_DRAM_READ || c->kind == FF_DRAM_WRITE; }

/* Bursts do not overlap on the data bus, and between those of two ranks it is free for rtrs cycles. */
static inline int judge_bus_free(const dram_judge *j, const ff_dram_command *a, const ff_dram_command *b) {
  const uint32_t burst = j->part.bl / 2, gap = a->rank == b->rank ? 0 : j->part.rtrs;
  const uint64_t x = a->cycle + (a->kind == FF_DRAM_READ ? j->part.cl : j->part.wl);
  const uint64_t y = b->cycle + (b->kind == FF_DRAM_READ ? j->part.cl : j->part.wl);
  return x >= y + burst + gap || y >= x + burst + gap;
}

static inline void judge_past(dram_judge *j, const ff_dram_command *c) {
  uint32_t seen[FF_DRAM_MOST_CONSTRAINTS] = {0};
  for (uint64_t k = j->n; k > 0 && j->n - k + 1 < JUDGE_PAST; k--) {
    const ff_dram_command *p = &j->past[(k - 1) % JUDGE_PAST];
    const uint64_t age = c->cycle - p->cycle;
    if (age >= j->longest) break;
    for (uint32_t i = 0; i < j->n_of[p->kind][c->kind]; i++) {
      const uint32_t at = j->of[p->kind][c->kind][i];
      const ff_dram_constraint *rule = &j->rules.of[at];
      if (age >= rule->cycles || !judge_in_scope(j, rule, p, c)) continue;
      if (++seen[at] != rule->window) continue;
      j->broken[at]++;
      judge_say(j, c, rule->name);
    }
    if (judge_is_transfer(p) && judge_is_transfer(c) && !judge_bus_free(j, p, c))
      judge_wrong(j, c, JUDGE_BUS, "the data bus is not free");
  }
}

/* A rank's refreshes are due each refi cycles; the first ones are staggered. */
static inline void judge_refresh(dram_judge *j, const ff_dram_command *c) {
  const uint64_t due = (uint64_t)j->part.refi * (c->rank + 1) / j->ranks + j->refreshes[c->rank]++ * j->part.refi;
  if (c->cycle < due || c->cycle > due + j->late) judge_wrong(j, c, JUDGE_REFRESH, "a refresh is not in its time");
  for (uint32_t b = 0; b < j->part.banks; b++)
    if (j->row[c->rank][b] >= 0) judge_wrong(j, c, JUDGE_ROW, "a refresh with an open row");
}

static inline void judge_row(dram_judge *j, const ff_dram_command *c) {
  int64_t *row = &j->row[c->rank][c->bank];
  if (c->kind == FF_DRAM_ACTIVATE) {
    if (*row >= 0) judge_wrong(j, c, JUDGE_ROW, "the bank has an open row");
    *row = c->row;
  } else {
    if (*row != c->row) judge_wrong(j, c, JUDGE_ROW, "the row is not open");
    if (c->kind == FF_DRAM_PRECHARGE) *row = -1;
  }
}

static inline void judge(dram_judge *j, const ff_dram_command *c) {
  if (c->kind >= FF_DRAM_COMMANDS || c->rank >= j->ranks || c->bank >= j->part.banks || c->row >= j->part.rows ||
      c->column >= j->part.columns) {
    judge_wrong(j, c, JUDGE_ADDRESS, "no such command or address");
    return;
  }
  if (j->n > 0 && c->cycle <= j->past[(j->n - 1) % JUDGE_PAST].cycle)
    judge_wrong(j, c, JUDGE_CYCLE, "two commands in a cycle, or in the wrong order");
  judge_past(j, c);
  if (c->kind == FF_DRAM_REFRESH)
    judge_refresh(j, c);
  else
    judge_row(j, c);
  j->past[j->n++ % JUDGE_PAST] = *c;
}

/* At the end: no refresh is missing. */
static inline void judge_end(dram_judge *j, uint64_t now) {
  for (uint32_t r = 0; r < j->ranks; r++) {
    const ff_dram_command at = {.cycle = now, .kind = FF_DRAM_REFRESH, .rank = (uint16_t)r};
    const uint64_t due = (uint64_t)j->part.refi * (r + 1) / j->ranks + j->refreshes[r] * j->part.refi;
    if (now > due + j->late) judge_wrong(j, &at, JUDGE_REFRESH, "a refresh is missing");
  }
}

#endif
