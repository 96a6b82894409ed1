/* The state of a processor's cycles.
 *
 * A unit is looked at in a cycle in which it may do something; ff_ssp_look_at() says when. What it does then depends only on what
 * other units did in cycles before. Three ways make it so:
 * - What is sent forward has the cycle at which it arrives, which is later than now.
 * - A counter that another unit raises comes with the cycle at which it was raised last; the reader leaves out what is of this
 *   cycle.
 * - A change that waits for its reader is in an inbox with its cycle.
 * The memory interface has its turn after all units. What it sends arrives in a later cycle too. */
#ifndef FF_SSP_TIMING_INTERNAL_H
#define FF_SSP_TIMING_INTERNAL_H

#include "ff_ssp_timing.h"

#define NEVER UINT64_MAX
#define SLOTS 2048u             /* of the calendar: cycles from now on */
#define NOBODY UINT32_MAX
#define A_LINE 16u              /* populations of a line */
#define WRITE UINT32_MAX        /* in place of the read of a request */
#define RUNNING FF_SSP_N_STATES /* issues instructions one after the other; their number is known */
#define TAKES 0x80u             /* of a code: the instruction takes a population that was fetched */
#define STATE 0x7Fu             /* of a code: the state of an RU that issues it */

/* ---- the program ------------------------------------------------------------------------------------------------- */

/* What is known of an RU beforehand. */
typedef struct {
  uint8_t *codes; /* of each instruction */
  uint32_t *runs; /* of each local instruction: so many from here on take nothing from outside */
  uint32_t n;     /* instructions of a step */
  uint32_t fetched; /* populations of a step */
  uint64_t by_state[FF_SSP_N_STATES];
  int is_local; /* it takes nothing from outside, so no look at its cycles is needed */
} unit_plan;

/* An RU that fetches a species, and the instruction that reads it first. */
typedef struct {
  uint32_t unit, position;
} reader;

/* ---- memory ------------------------------------------------------------------------------------------------------ */

typedef struct {
  uint64_t made;
  uint32_t bank, row, column;
  uint32_t read; /* its place in the ring of reads, or WRITE */
} asked;

typedef struct {
  uint64_t made;
  uint64_t at;   /* the cycle at which it is there, NEVER if this is not known yet */
  uint32_t left; /* populations that were not taken */
} line_read;

/* A client of the memory: a lane, an SMU or a VU. Rings are NULL if it asks for nothing. */
typedef struct {
  const ff_ssp_place *place;
  uint32_t use;
  asked *queue; /* requests that were not granted */
  uint32_t queue_mask;
  uint64_t queue_head, queue_tail;
  uint64_t here; /* the end of those that have reached the interface */
  line_read *reads;
  uint32_t reads_mask;
  /* Reads: from head on not all is taken, from `there` on they were on their way when the client looked last, from known on their
   * cycle is not known. */
  uint64_t head, there, known, tail;
  uint64_t last;    /* the largest cycle of a read, since they come in order */
  uint64_t granted; /* the last memory cycle with a grant */
  uint64_t writes;  /* that were not granted */
  uint64_t time, write_time; /* sums for Little's law over the reads that are known, and over writes that were granted */
} client;

typedef struct {
  struct ff_ssp_timing *timing;
  ff_dram *dram;
  uint64_t *ready; /* bits of the clients whose first request waits for this channel */
  uint32_t n_ready, turn;
  uint64_t retry; /* the memory cycle at which it may take a request again */
  uint64_t sync;  /* the last cycle at whose end it must be looked at, since a read may be finished */
  uint64_t lines[FF_SSP_N_USES];
} channel;

typedef struct {
  uint64_t at;
  uint32_t client;
} arrival;

/* ---- units ------------------------------------------------------------------------------------------------------- */

typedef struct {
  uint64_t at;   /* at the RUs */
  uint64_t held; /* cycles in which it waited for room */
} word;

typedef struct {
  word *ring;
  uint32_t mask;
  uint64_t sent;            /* words */
  uint64_t least, n_least;  /* RUs that had taken the least words when this was looked at, and how many have not gone on */
  uint64_t blocked;         /* since when the next word waits for room, or NEVER */
  uint32_t line, asks;      /* the next line to send, and to ask for */
  uint32_t left;            /* words of the line that were not sent */
  uint32_t lines, words;    /* of a step */
  uint32_t waiters;         /* the first RU that waits for a word */
} lane;

typedef struct {
  uint64_t at;   /* the cycle of the change */
  uint64_t step; /* in which the RU read it */
  uint32_t spid;
} change;

typedef struct {
  uint64_t step; /* whose populations are asked for */
  uint32_t fetch, offset;
  uint64_t asked, taken, last_take;
  change *waiting; /* writes */
  uint32_t n_waiting, most_waiting;
  change inbox; /* .at is NEVER if it is empty */
  uint64_t forgot; /* the end of a trajectory for which writes were forgotten */
  uint8_t wants_place, wants_room;
} smu;

typedef struct {
  uint32_t position, spid;
} due;

typedef struct {
  uint64_t since; /* from here on the present state counts */
  uint64_t start, run_end;
  uint64_t step;
  uint64_t popped, last_pop; /* words, with those of last_pop */
  uint64_t starved;          /* since when the present instruction is missing, or NEVER */
  uint64_t cycles[FF_SSP_N_STATES];
  due due[FF_SSP_CHANGES]; /* species of its own that the last step has changed, by position */
  uint32_t n_due, next_due;
  uint32_t state, position; /* of the next instruction; if it runs, of the one that it issues at `since` */
  uint32_t next_waiter;
  uint8_t waits_word, wants_datum, idle; /* idle: has issued all of its step, or will without a look */
} unit;

typedef struct {
  ff_ssp_spe_counts counts;
  uint64_t start;     /* of the present step */
  uint64_t end;       /* the cycle after the last issue, of RUs that have told it */
  uint64_t result_at, ask_at, done_at, ended_at; /* or NEVER */
  uint32_t told;      /* RUs that have */
  uint32_t tag;       /* of a vector that is read */
  int is_running;     /* a step goes on */
  uint32_t *lines, *victims; /* of the vector cache: tags; the youngest victim first */
  uint32_t n_victims;
} spe;

typedef struct {
  uint64_t at; /* NEVER: it is in no slot */
  uint32_t before, after;
} waker;

struct ff_ssp_timing {
  const ff_ssp_program *program;
  const ff_ssp_chip *chip;
  ff_ssp_steps steps;
  ff_ssp_timing_options options;
  void (*vector_comes)(ff_ssp_timing *t, uint32_t s, uint64_t at); /* ff_ssp_vector_comes(): memory does not know SPEs */
  uint64_t now, n_steps;
  ff_status status; /* of what a callback or a unit has found */
  uint32_t bad_tag;
  uint32_t R, S, n_units; /* RUs of an SPE, SPEs, RUs of all */
  uint32_t working;       /* SPEs */
  int has_begun;
  uint32_t tree, lanes_tree, tail; /* cycles: MinTree or broadcast, way of a word, last issue to the end of the RU */
  uint32_t words;                  /* of an instruction */
  uint32_t n_waiting_units;        /* RUs of an SPE that are not local */
  uint32_t longest;                /* instructions of the longest local RU */
  unit_plan *plans;
  uint32_t *first_reader; /* of each spid, in readers */
  reader *readers;
  lane *lanes;
  smu *smus;
  unit *units;
  spe *spes;
  /* The calendar: who is looked at when. Lanes, SMUs, RUs and SPEs have numbers in this order. */
  waker *wakers;
  uint32_t n_wakers, *first, *last, *order, *due;
  uint64_t filled[SLOTS / 64];
  /* Memory. Clients are lanes, SMUs and VUs. `num` memory cycles are `den` cycles. */
  client *clients;
  uint32_t n_clients, n_words; /* n_words: of bits of clients */
  channel *channels;
  arrival *arrivals;
  uint64_t arrivals_mask, arrivals_head, arrivals_tail;
  uint64_t num, den;
  uint32_t way, data_way;     /* cycles to the interface and back */
  uint32_t read_time;         /* memory cycles from a read's command to the end of its data */
  uint32_t n_ready, turn;     /* clients that wait for a grant; whose turn it is */
  uint64_t memory_at;         /* the next cycle at which the interface is looked at */
};

/* ---- the calendar ------------------------------------------------------------------------------------------------ */

static inline uint32_t smu_waker(const ff_ssp_timing *t, uint32_t u) { return t->R + u; }
static inline uint32_t unit_waker(const ff_ssp_timing *t, uint32_t u) { return t->R + t->n_units + u; }
static inline uint32_t spe_waker(const ff_ssp_timing *t, uint32_t s) { return t->R + 2 * t->n_units + s; }

/* Has a unit looked at in a cycle, or before. If this is far away, it is looked at before in vain. O(1). */
void ff_ssp_look_at(ff_ssp_timing *t, uint32_t who, uint64_t at);

/* Takes those out that are due now, and puts them into t->order. Returns how many there are. */
uint32_t ff_ssp_take_due(ff_ssp_timing *t);

/* The first cycle from now on for which somebody is scheduled, or NEVER. */
uint64_t ff_ssp_next_due(const ff_ssp_timing *t);

/* ---- ff_ssp_timing_plan.c ---------------------------------------------------------------------------------------- */

/* Fills plans and readers, and checks the program. */
ff_status ff_ssp_timing_plan(ff_ssp_timing *t, ff_error *err);

/* ---- units, at the cycle t->now ---------------------------------------------------------------------------------- */

void ff_ssp_lane_look(ff_ssp_timing *t, uint32_t j);
void ff_ssp_smu_look(ff_ssp_timing *t, uint32_t u);
void ff_ssp_unit_look(ff_ssp_timing *t, uint32_t u);
void ff_ssp_spe_look(ff_ssp_timing *t, uint32_t s);

/* Begins the first steps. */
void ff_ssp_spes_begin(ff_ssp_timing *t);

/* The vector that an SPE has asked for arrives at this cycle. */
void ff_ssp_vector_comes(ff_ssp_timing *t, uint32_t s, uint64_t at);

/* Counts the cycles of an RU before this one. */
void ff_ssp_settle(const ff_ssp_timing *t, uint32_t j, unit *r, uint64_t to);

/* A waiting RU begins a step, whose instructions may be issued from a cycle on. */
void ff_ssp_unit_begin(ff_ssp_timing *t, uint32_t u, uint64_t start);

/* Adds a species to those that have changed for an RU, before it begins. */
void ff_ssp_unit_changes(unit *r, uint32_t position, uint32_t spid);

/* Has the SPE looked at when MinTree has the last of the waiting times. */
void ff_ssp_await_result(ff_ssp_timing *t, uint32_t s);

/* An RU has read a species that has changed: its SMU will write it. */
void ff_ssp_smu_changes(ff_ssp_timing *t, uint32_t u, uint32_t spid, uint64_t step);

/* ---- ff_ssp_timing_memory.c -------------------------------------------------------------------------------------- */

ff_status ff_ssp_memory_new(ff_ssp_timing *t, ff_error *err);

/* Bytes of the rings of a client that reads populations. */
uint64_t ff_ssp_client_bytes(const ff_ssp_chip *chip);

/* Adds a request of a client at the present cycle, for n populations. There must be a place. */
void ff_ssp_ask(ff_ssp_timing *t, uint32_t of, uint32_t line, int is_write, uint32_t n);

/* The interface and the channels during the present cycle. */
void ff_ssp_memory_cycle(ff_ssp_timing *t);

/* Brings all channels to the present cycle. */
void ff_ssp_memory_settle(ff_ssp_timing *t);

static inline uint32_t ff_ssp_log2(uint32_t n) { /* rounded up */
  uint32_t bits = 0;
  while ((UINT64_C(1) << bits) < n) bits++;
  return bits;
}

/* x * a / b, rounded down; x may be any number below 2^40, a and b below 2^32. */
static inline uint64_t ff_ssp_scaled(uint64_t x, uint64_t a, uint64_t b) { return b == 1 ? x * a : x / b * a + x % b * a / b; }
static inline uint64_t ff_ssp_scaled_up(uint64_t x, uint64_t a, uint64_t b) {
  return b == 1 ? x * a : x / b * a + (x % b * a + b - 1) / b;
}

static inline line_read *read_at(const client *c, uint64_t i) { return &c->reads[i & c->reads_mask]; }

#endif
