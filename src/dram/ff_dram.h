/* A channel of dynamic memory (DDR3, DDR4, HBM2) with its controller, cycle by cycle: queues, commands, refresh, energy.
 *
 * A part is data. From it follows one table of constraints, which the simulator obeys, and which a checker can read to judge the
 * log of commands. All times are cycles of the part's clock; a request moves a line of 64 bytes.
 *
 * The controller is that of DRAMSim2 (Rosenfeld et al. 2011), open page. A request waits in the transaction queue; one request a
 * cycle moves to the queue of its bank, if two places are free there: for an activation and for a read or write. One command a
 * cycle goes out: what a due refresh needs, else the first that may, by turns over ranks, then banks. A row that is open for
 * another request gives its request a hit, which needs no activation. A row closes if another one is wanted and no request in
 * the queue wants this one, or after some hits in a row, so that hits keep no other request waiting for ever. The turn stays at
 * the bank whose command went out. A read or write of another rank needs some cycles more on the data bus, so a rank that always
 * has a command ready keeps the bus, at least until its next refresh. A read after a write of its rank needs more cycles too.
 *
 * So that nobody waits for ever: when a refresh is due, and when the last late bank has been served, banks become late whose
 * first request has been in their queue for refi + commands / 2 * rc cycles. In commands / 2 * rc
 * cycles, a bank alone could open a row for each request of a full queue. Other banks may only close rows until each late bank
 * has served its first request.
 *
 * Different from DRAMSim2, besides this: an open row that no request wants stays open unless another one is wanted (`close_idle`
 * is its way). A due refresh closes rows at once, even before the access for which a row was opened; this request keeps its place
 * and opens the row again. There is no power-down.
 *
 * Promised order: requests to the same row of the same bank are served in the order in which they were pushed. So a read sees
 * each write to its line that was pushed before it. Requests to other rows may overtake each other.
 *
 * A channel is an object of its own: channels in several threads do not touch each other.
 */
#ifndef FF_DRAM_H
#define FF_DRAM_H

#include "../base/ff_base.h"

/* ---- parts --------------------------------------------------------------------------------------------------------- */

typedef struct {
  const char *name;
  double clock; /* ns a cycle */
  /* Geometry. A column is a line of 64 bytes. Banks are numbered by group: bank b is in group b / (banks / groups). */
  uint32_t ranks; /* at most, in a channel */
  uint32_t banks, groups, rows, columns;
  /* Cycles. bl counts half cycles. If there are several groups, the last three are for banks of one group. */
  uint32_t cl, wl, bl;
  uint32_t rcd, rp, ras, rc, rrd, faw, ccd;
  uint32_t read_to_precharge; /* from a read to the precharge of its bank */
  uint32_t wtr, wr, rtrs, rfc, refi;
  uint32_t rrd_long, ccd_long, wtr_long;
  /* Power: mA a device, volts, devices in a rank. */
  double idd0, idd2n, idd2p, idd3n, idd4r, idd4w, idd5, volts;
  uint32_t devices;
} ff_dram_part;

/* Part i, or NULL if there are no more. Part 0 is the DDR3-1600 of DRAMSim2. The part is constant. */
const ff_dram_part *ff_dram_part_at(size_t i);

/* The part of this name, or NULL. */
const ff_dram_part *ff_dram_part_named(const char *name);

/* Fails with FF_EARGUMENT if a number of the part is out of its domain, and says which, what was found and what is expected. */
ff_status ff_dram_part_check(const ff_dram_part *part, ff_error *err);

/* ---- constraints --------------------------------------------------------------------------------------------------- */

typedef enum {
  FF_DRAM_ACTIVATE,
  FF_DRAM_PRECHARGE,
  FF_DRAM_READ,
  FF_DRAM_WRITE,
  FF_DRAM_REFRESH,
  FF_DRAM_COMMANDS
} ff_dram_kind;

/* Between which banks a constraint holds. A group contains its banks, and a rank contains all of its banks. A refresh belongs to
 * all banks of its rank. */
typedef enum { FF_DRAM_SAME_BANK, FF_DRAM_SAME_GROUP, FF_DRAM_SAME_RANK, FF_DRAM_OTHER_RANK } ff_dram_scope;

/* A command of kind `after` comes at least `cycles` cycles after the last command of kind `before` in this scope; with a window w
 * above 1, after the w-th last one. */
typedef struct {
  const char *name;
  ff_dram_kind before, after;
  ff_dram_scope scope;
  uint32_t cycles, window;
} ff_dram_constraint;

#define FF_DRAM_MOST_CONSTRAINTS 32
#define FF_DRAM_MOST_WINDOW 8

typedef struct {
  uint32_t n;
  ff_dram_constraint of[FF_DRAM_MOST_CONSTRAINTS];
} ff_dram_constraints;

/* All constraints of a part that ff_dram_part_check() accepts. */
void ff_dram_constrain(const ff_dram_part *part, ff_dram_constraints *out);

/* ---- a channel ----------------------------------------------------------------------------------------------------- */

/* A command as the channel's log tells it. It has no padding, so that logs can be compared byte by byte. A refresh has bank 0;
 * precharge and refresh have tag 0; only reads and writes have a column. */
typedef struct {
  uint64_t cycle, tag;
  uint32_t row, column;
  uint16_t kind, rank, bank;
  uint16_t hit; /* 1: a read or write of a row that was opened for another request */
} ff_dram_command;

typedef struct {
  uint32_t ranks;        /* 0: as many as the part may have */
  uint32_t transactions; /* places of the transaction queue, at most 4,096; 0: 32 */
  uint32_t commands;     /* places of the queue of a bank, from 2 to 4,096; 0: 32 */
  uint32_t hits;         /* a row closes after so many hits; UINT32_MAX: never; 0: 4 */
  int close_idle;        /* a row closes as soon as no request in the queue wants it, as in DRAMSim2 */
  int every_cycle;       /* looks at each cycle and decides all anew; slow, with the same results */
  void (*log)(void *of, const ff_dram_command *command); /* called for each command, or NULL; must not use the channel */
  void *of;
} ff_dram_options;

typedef struct {
  uint64_t tag; /* the caller's; comes back with the read */
  uint32_t rank, bank, row, column;
  int is_write;
} ff_dram_request;

typedef struct {
  uint64_t tag, cycle; /* the cycle after the last one of its data on the bus */
} ff_dram_finished;

/* X(name, unit, meaning). Queue sums are for Little's law: at any time, the sum over cycles of the requests in a queue is the sum
 * of the times that requests have spent there. */
#define FF_DRAM_COUNTS(X)                                                                                \
  X(cycles, "cycles", "cycles simulated")                                                                \
  X(rank_cycles, "cycles", "cycles times ranks")                                                         \
  X(active_cycles, "cycles", "of rank_cycles: with an open row or during a refresh")                     \
  X(reads, "commands", "reads")                                                                          \
  X(writes, "commands", "writes")                                                                        \
  X(activations, "commands", "activations")                                                              \
  X(precharges, "commands", "precharges")                                                                \
  X(refreshes, "commands", "refreshes of a rank")                                                        \
  X(hits, "commands", "reads and writes of a row that was opened for another request")                   \
  X(bus_cycles, "cycles", "cycles in which reads and writes occupy the data bus")                        \
  X(pushed, "requests", "requests accepted")                                                             \
  X(refused, "requests", "requests refused because a queue was full")                                    \
  X(transaction_sum, "request cycles", "sum over cycles of the requests in the transaction queue")       \
  X(transaction_wait, "cycles", "time in the transaction queue of the requests that have left it")       \
  X(command_sum, "request cycles", "sum over cycles of the requests in the queues of banks")             \
  X(command_wait, "cycles", "time in the queue of a bank of the requests that have left it")             \
  X(read_latency, "cycles", "sum over reads of the time from the push to the end of the data")

typedef struct {
#define FF_X(name, unit, meaning) uint64_t name;
  FF_DRAM_COUNTS(FF_X)
#undef FF_X
} ff_dram_counts;

typedef struct ff_dram ff_dram;

/* A channel at cycle 0 with closed rows. The part is copied, so only its name must outlive the channel. `options` may be NULL.
 * Some 70 kB with the usual sizes. */
ff_status ff_dram_new(ff_dram **out, const ff_dram_part *part, const ff_dram_options *options, ff_error *err);
void ff_dram_free(ff_dram *channel);

/* Adds a request at the present cycle. Returns 1; 0 if the transaction queue is full, or if so many reads were pushed and not
 * yet taken that there is no place for another one (more than all queues hold); -1 if the channel has no such address. O(1). */
int ff_dram_push(ff_dram *channel, const ff_dram_request *request);

/* The present cycle. Everything before it has happened. */
uint64_t ff_dram_now(const ff_dram *channel);

/* A cycle, not before now, until which nothing changes by itself: no command, no finished read. It may be too early, but is never
 * too late. O(1). */
uint64_t ff_dram_next(const ff_dram *channel);

/* Simulates the cycles before `to`. Does nothing if this is past. Some 100 ns a command; cycles without one cost nothing. */
void ff_dram_advance(ff_dram *channel, uint64_t to);

/* Takes the next read, in the order of completion, that has finished at the present cycle. Returns 0 if there is none. O(1). */
int ff_dram_take(ff_dram *channel, ff_dram_finished *out);

/* Requests that are pushed and whose read or write command has not been issued. */
uint64_t ff_dram_waiting(const ff_dram *channel);

/* What has happened until the present cycle. A read or write counts all of its cycles on the bus when its command is issued, and
 * a refresh its cycles too. */
void ff_dram_count(const ff_dram *channel, ff_dram_counts *out);

/* ---- energy -------------------------------------------------------------------------------------------------------- */

/* nJ, by Micron's method (TN-41-01) as in DRAMSim2: each command's current above the background. Terminations and the
 * controller are not in it, nor DDR4's second supply. */
typedef struct {
  double activate; /* an activation and its precharge */
  double read, write, refresh;
  double active;     /* background with an open row */
  double precharged; /* background with all rows closed */
  double power_down; /* what `precharged` would be in power-down; a lower bound, since entry and exit take time */
} ff_dram_energy;

/* The energy of what was counted. For the energy of one command, give counts in which it is 1. */
void ff_dram_energy_of(const ff_dram_part *part, const ff_dram_counts *counts, ff_dram_energy *out);

#endif
