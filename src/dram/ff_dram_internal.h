/* The state of a channel of memory.
 *
 * Of each bank, one command may come next: its candidate. It depends only on the bank's row and queue, so it is chosen anew only
 * when these change. When it may come is known too: `ready` has the earliest cycle of each kind of command, for a bank and for a
 * rank. So a cycle without a command needs no look, and the next one with a command is the smallest of these cycles. */
#ifndef FF_DRAM_INTERNAL_H
#define FF_DRAM_INTERNAL_H

#include "ff_dram.h"

#define FF_DRAM_BANKS 64
#define FF_DRAM_RANKS 64
#define SLOTS 64
#define CLOSED UINT32_MAX
#define NEVER UINT64_MAX
#define NOTHING FF_DRAM_COMMANDS /* no candidate */

typedef struct {
  uint64_t tag, since, pushed; /* since: in the queue where it is now */
  uint32_t row, column;
  uint32_t place; /* of its bank */
  uint8_t is_write, needs_row; /* needs_row: its activation still waits in the queue of the bank, and has a place there */
} request;

/* A ring of requests. */
typedef struct {
  request *at;
  uint32_t mask, head, n;
} ring;

/* A bank is at place bank * ranks + rank, so that turns over places are turns over ranks, then banks. */
typedef struct {
  uint64_t ready[FF_DRAM_COMMANDS];
  ring queue;
  uint32_t row;    /* or CLOSED */
  uint32_t hits;   /* of this row */
  uint32_t used;   /* places of the queue */
  uint32_t wanted; /* requests of the transaction queue for it */
  uint32_t chosen; /* the request of the candidate, from the head of the queue */
  uint16_t rank, number, group;
} bank;

typedef struct {
  uint64_t due;  /* the next refresh */
  uint32_t owed; /* refreshes that are due and not done */
  uint32_t open_rows;
  uint64_t last[FF_DRAM_COMMANDS][FF_DRAM_MOST_WINDOW]; /* cycles of the last commands of kinds that have a window */
  uint32_t n_last[FF_DRAM_COMMANDS];
} rank_state;

struct ff_dram {
  uint64_t now, wake, next_refresh;
  ff_dram_part part;
  ff_dram_options options;
  uint32_t ranks, places; /* places: banks of the channel */
  /* Candidates. Words have a bit for each place. */
  uint8_t kind[FF_DRAM_BANKS];
  uint64_t of_kind[FF_DRAM_COMMANDS + 1]; /* places whose candidate is of this kind, or NOTHING */
  uint64_t of_rank[FF_DRAM_RANKS];
  uint64_t ripe; /* places whose candidate has waited as long as its bank demands; perhaps not yet as its rank demands */
  /* Slot t % SLOTS has the places that may ripen at cycle t. A place whose candidate has changed may be there in vain. */
  uint64_t slots[SLOTS], filled; /* filled: bits of slots that are not empty */
  uint64_t ripened;              /* the last cycle for which slots were looked at */
  uint64_t rank_ready[FF_DRAM_COMMANDS][FF_DRAM_RANKS]; /* the earliest cycle of each kind, as ranks demand */
  uint32_t turn, closing_turn; /* the place that is asked first */
  uint64_t has_room;           /* bits of places whose queue takes another request */
  uint64_t wanted;             /* bits of places that a request of the transaction queue wants */
  uint64_t in_queues, active_ranks;
  uint64_t refreshing; /* bits of ranks that owe a refresh */
  uint64_t late;       /* bits of places whose first request has waited too long: others may only close rows */
  uint64_t most_wait;  /* of a request in the queue of a bank, before it is late */
  ring transactions;
  ff_dram_finished *finished; /* a ring: all reads whose command was issued and that were not taken */
  uint32_t finished_mask, finished_head, n_finished, reads_out; /* reads_out: reads pushed and not yet taken */
  ff_dram_counts counts;
  /* Delays of the constraints of window 1, by scope. */
  uint32_t delay[FF_DRAM_OTHER_RANK + 1][FF_DRAM_COMMANDS][FF_DRAM_COMMANDS];
  ff_dram_constraint windows[FF_DRAM_MOST_CONSTRAINTS];
  uint32_t n_windows;
  request *requests; /* of the queues of all banks */
  bank banks[FF_DRAM_BANKS];
  rank_state rank[FF_DRAM_RANKS];
};

static inline request *ring_at(const ring *r, uint32_t i) { return &r->at[(r->head + i) & r->mask]; }

/* What happens at the present cycle. Returns the next cycle at which something can happen if no request is pushed. */
uint64_t ff_dram_step(ff_dram *c);

#endif
