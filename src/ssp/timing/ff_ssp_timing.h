/* When a Stochastic Simulation Processor does what: the cycles of a compiled program, coupled to channels of memory.
 *
 * Nothing is computed here. The caller says which reaction each step fires; in return, each step has a cycle at which it ended.
 * So timing is a function of the program, its chip and the reactions that fired.
 *
 * A step of an SPE. Each RU issues its instructions in order, at most one a cycle, as soon as the instruction, its population and
 * the state change of the last step are there. The waiting time of the last one leaves the RU latency - barrier cycles later, and
 * MinTree takes ceil(log2 RUs) cycles: then the step has ended and fires its reaction. The vector cache answers a cycle later, or
 * after a read of the memory. The broadcast takes ceil(log2 RUs) cycles, and the RUs may issue in the next cycle. So a step of
 * instructions that are all at hand takes as many cycles as the longest RU has instructions, + latency - barrier + 1 +
 * 2 ceil(log2 RUs). A trajectory that ends costs the same as a hit; its successor's populations come from the host at no cost,
 * also those in the memory, and writes of the old ones that still wait are forgotten.
 *
 * Instructions of streams. A lane reads its lines in a circle and sends one word a cycle to the RU of all SPEs, if all SPEs that
 * have work have room for it. The way takes ceil(log2 SPEs) cycles, at least one. A line keeps one of the lane's
 * `chip.requests` places until its last word has left.
 *
 * Species. The SMU of each RU of each SPE walks its species instructions in a circle, a request a cycle. A request reads the
 * populations of one aligned block of `chip.per_request`. At most `chip.data` populations are asked for and not yet taken (or one
 * request, if it has more). They come in the order of the requests. When an RU reads a species that has changed, the SMU notes a
 * write. The write is issued with the SMU's next read of the same row that belongs to a later step, before this read. Changes of
 * a species whose write still waits need no other write.
 *
 * Memory interface. A request takes chip.reorder cycles to the interface, at least one, and data take chip.reorder cycles back.
 * Clients wait there in order, each behind its own requests. In each memory cycle the clients take turns, and chip.grants
 * requests go to their channels. A channel that is full holds back only the clients that wait for it. So a read of an idle
 * channel takes 2 chip.reorder cycles and the memory's 26 (of DDR3-1600, 13 cycles at 400 MHz).
 *
 * What one unit tells another is seen a cycle later at the earliest. So nothing depends on the order in which units are looked
 * at. A unit that waits costs nothing. */
#ifndef FF_SSP_TIMING_H
#define FF_SSP_TIMING_H

#include "../program/ff_ssp_program.h"

/* X(CODE, name, meaning): an RU is in exactly one of these states in each cycle. A cycle in which an RU misses several things
 * counts for the first one of: state change, instruction, population. Output to the host is not limited. */
#define FF_SSP_STATES(X)                                                                                         \
  X(BUSY_UNI, busy_uni, "issues an instruction of a reaction of one molecule")                                   \
  X(BUSY_BI1, busy_bi1, "issues an instruction of a reaction of two molecules of a species")                     \
  X(BUSY_BI2, busy_bi2, "issues half of a reaction of two species")                                              \
  X(BUSY_DUMMY, busy_dummy, "reads a species that is nobody's reactant")                                         \
  X(BUSY_SOURCE, busy_source, "issues a reaction without reactants")                                             \
  X(WAIT_VECTOR, wait_vector, "waits for the other RUs and for the state change of the last step")               \
  X(STARVED_REACTIONS, starved_reactions, "waits for an instruction from the memory")                            \
  X(STARVED_LANE, starved_lane, "waits for an instruction that has come, but for which another SPE has no room") \
  X(STARVED_SPECIES, starved_species, "waits for a population from the memory")                                  \
  X(DONE, done, "its SPE has no more work")

enum {
#define FF_X(code, name, meaning) FF_SSP_##code,
  FF_SSP_STATES(FF_X)
#undef FF_X
  FF_SSP_N_STATES
};

/* X(CODE, name, meaning): what the memory is used for. */
#define FF_SSP_USES(X)                                              \
  X(READ_REACTIONS, reactions, "lines of reaction instructions")    \
  X(READ_SPECIES, species, "lines with populations, read")          \
  X(WRITE_SPECIES, writes, "lines with populations, written")       \
  X(READ_VECTORS, vectors, "lines with state changes")

enum {
#define FF_X(code, name, meaning) FF_SSP_##code,
  FF_SSP_USES(FF_X)
#undef FF_X
  FF_SSP_N_USES
};

#define FF_SSP_ENDS UINT32_MAX /* in place of a reaction's tag: nothing fires, the trajectory has ended */

/* What the caller decides. Calls come in the order of cycles, and in the order of SPEs within a cycle. */
typedef struct {
  /* Whether there is a trajectory for this SPE: asked at cycle 0, and when one has ended. If not, the SPE is done for ever. NULL:
   * each SPE has one trajectory. */
  int (*begins)(void *of, uint32_t spe, uint64_t cycle);
  /* The tag of the reaction that fires in the step that ends at this cycle, or FF_SSP_ENDS. Another number ends the simulation
   * with FF_EARGUMENT. */
  uint32_t (*fires)(void *of, uint32_t spe, uint64_t cycle);
  void *of;
} ff_ssp_steps;

typedef struct {
  int every_cycle;  /* looks at all units in each cycle; slow, with the same results */
  uint64_t shuffle; /* looks at units in a random order by this seed, with the same results; 0: does not */
} ff_ssp_timing_options;

typedef struct ff_ssp_timing ff_ssp_timing;

/* A processor at cycle 0. The program must outlive it and must be mapped; `options` may be NULL. FF_EMODEL if an RU takes another
 * number of populations than it fetches, or if a client's place in the memory is too small or does not exist. O(size of the
 * program + SPEs x RUs x requests). */
ff_status ff_ssp_timing_new(ff_ssp_timing **out, const ff_ssp_program *program, const ff_ssp_steps *steps,
                            const ff_ssp_timing_options *options, ff_error *err);
void ff_ssp_timing_free(ff_ssp_timing *timing);

/* Bytes that ff_ssp_timing_new() asks for in proportion to the number of SPEs; the channels are not counted. O(RUs). */
uint64_t ff_ssp_timing_bytes(const ff_ssp_program *program);

/* Simulates the cycles before `to`. Stops before if all SPEs are done (*done is then 1, otherwise 0), or after the cycle in which
 * the steps that have ended, of all SPEs together, become at least `steps`. After a failure it must not be called again. */
ff_status ff_ssp_timing_advance(ff_ssp_timing *timing, uint64_t to, uint64_t steps, int *done, ff_error *err);

/* The present cycle. Everything before it has happened. */
uint64_t ff_ssp_timing_now(const ff_ssp_timing *timing);

/* Steps that have ended, of all SPEs together. */
uint64_t ff_ssp_timing_steps(const ff_ssp_timing *timing);

/* Cycles that RU `ru` of an SPE has spent in each state. Their sum is the present cycle. */
void ff_ssp_timing_unit(const ff_ssp_timing *timing, uint32_t spe, uint32_t ru, uint64_t cycles[FF_SSP_N_STATES]);

/* X(name, unit, meaning). */
#define FF_SSP_SPE_COUNTS(X)                                                       \
  X(steps, "steps", "steps that have ended")                                       \
  X(trajectories, "trajectories", "trajectories that have ended")                  \
  X(last_end, "cycle", "at which the last step ended; 0 if there is none")         \
  X(hits, "steps", "whose state change was in the vector cache")                   \
  X(victim_hits, "steps", "whose state change was among the cache's victims")      \
  X(misses, "steps", "whose state change was read from the memory")

typedef struct {
#define FF_X(name, unit, meaning) uint64_t name;
  FF_SSP_SPE_COUNTS(FF_X)
#undef FF_X
} ff_ssp_spe_counts;

void ff_ssp_timing_spe(const ff_ssp_timing *timing, uint32_t spe, ff_ssp_spe_counts *out);

/* Lines that a channel was given for each use, and what it did. `refused` is 0: how often it was asked has no meaning. */
void ff_ssp_timing_channel(const ff_ssp_timing *timing, uint32_t channel, uint64_t lines[FF_SSP_N_USES], ff_dram_counts *out);

/* For Little's law. A read is on its way from its issue until it has come in order, and a write until its channel has it. On the
 * way in the last cycle; and the sum over all requests of the cycles that they have been on their way. O(clients). */
void ff_ssp_timing_requests(const ff_ssp_timing *timing, uint64_t on_way[FF_SSP_N_USES], uint64_t cycles[FF_SSP_N_USES]);

#endif
