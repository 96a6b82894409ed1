/* The parameters of a Stochastic Simulation Processor (Park and Gerstlauer 2012): units, memories, clocks.
 *
 * Stochastic processing elements (SPE) simulate a trajectory each. An SPE has reaction units (RU), which share the reactions of a
 * step by the first reaction method.
 */
#ifndef FF_SSP_CHIP_H
#define FF_SSP_CHIP_H

#include "../../base/ff_base.h"
#include "../../dram/ff_dram.h"

/* X(name, default, least, most, source, unit, meaning). All are whole numbers. The source of the default is "paper" if the paper
 * states it, "derived" if it follows from what the paper states by arithmetic, or "ours" if we have chosen it. */
#define FF_SSP_CHIP_FIELDS(X)                                                                                                  \
  X(spes, 1, 1, 1024, "paper", "SPEs", "processing elements, each with a trajectory of its own")                               \
  X(rus, 1, 1, 1024, "paper", "RUs", "reaction units of an SPE")                                                               \
  X(clock, 400, 1, 100000, "paper", "MHz", "clock of all but the memory")                                                      \
  X(latency, 22, 4, 4096, "paper", "cycles", "from the fetch of an instruction to its waiting time")                           \
  X(barrier, 3, 0, 4096, "ours", "cycles", "of the latency: before the state changes are applied; less than the latency")      \
  X(reaction_memory, 8192, 16, 1 << 24, "paper", "bytes", "reaction instructions on chip, for each RU")                        \
  X(internal, 512, 0, 1024, "derived", "species", "of an RU's scratchpad: for species that stay there")                        \
  X(cached, 512, 1, 1024, "derived", "species", "of an RU's scratchpad: for species that pass by; with `internal` at most 1024") \
  X(merger, 32, 1, 4096, "paper", "registers", "of an RU: halves of reactions of two species that wait for the other half")    \
  X(species_memory, 0, 0, 1 << 24, "ours", "bytes", "species instructions, for each RU; 0: no limit (the paper's: 4096)")      \
  X(vector_lines, 512, 1, 1 << 20, "derived", "lines", "of an SPE's cache of state changes, 32 bytes each")                    \
  X(victims, 16, 0, 1024, "paper", "lines", "that were evicted from this cache and are kept")                                  \
  X(requests, 32, 1, 4096, "paper", "requests", "of a client of the memory that may be on their way")                          \
  X(data, 32, 1, 4096, "paper", "populations", "that are fetched ahead for an RU")                                             \
  X(reaction_fifo, 32, 8, 4096, "ours", "words", "reaction instructions that are fetched ahead for an RU")                     \
  X(reorder, 4, 0, 4096, "ours", "cycles", "in the memory interface, each way")                                                \
  X(per_request, 2, 1, 16, "ours", "populations", "that a request delivers at most: 2 are a word, 16 a line; a power of 2")    \
  X(grants, 0, 0, 64, "ours", "requests", "that the memory interface grants in a memory cycle; 0: one for each channel")       \
  X(channels, 8, 2, 64, "paper", "channels", "of memory")                                                                      \
  X(reaction_channels, 4, 1, 63, "ours", "channels", "for reactions; the others are for species and state changes")            \
  X(ranks, 4, 1, 64, "paper", "ranks", "of a channel")                                                                         \
  X(transactions, 32, 1, 4096, "paper", "requests", "places of a channel's transaction queue")                                 \
  X(commands, 32, 2, 4096, "paper", "commands", "places of the queue of a bank")                                               \
  X(hits, 4, 1, 1 << 20, "ours", "hits", "after which a row of the memory is closed")                                       \
  X(precision, 32, 32, 64, "derived", "bits", "of propensities and waiting times, 32 or 64; 64 makes instructions two words")  \
  X(logarithm, 0, 0, 16, "ours", "bits", "of the mantissa that a table of logarithms sees; 0: exact but for rounding")

typedef struct {
#define FF_X(name, value, least, most, source, unit, meaning) uint32_t name;
  FF_SSP_CHIP_FIELDS(FF_X)
#undef FF_X
  uint32_t part; /* of the memory: ff_dram_part_at() */
} ff_ssp_chip;

/* What a field is, for messages, tables and help. */
typedef struct {
  const char *name;
  uint32_t value, least, most; /* the default and the domain */
  const char *source, *unit, *meaning;
  size_t offset;               /* of the uint32_t in ff_ssp_chip */
} ff_ssp_field;

#define FF_SSP_MAX_ENTRIES 1024u /* of a scratchpad, as an instruction has 10 bits for them */

/* Field i, or NULL if there are no more. */
const ff_ssp_field *ff_ssp_field_at(size_t i);

/* The paper's processor with one SPE of one RU. */
ff_ssp_chip ff_ssp_chip_default(void);

/* Fails with FF_EARGUMENT if a field is out of its domain or fields contradict each other; says which, what was found and what is
 * expected. */
ff_status ff_ssp_chip_check(const ff_ssp_chip *chip, ff_error *err);

/* Whether the paper's limit of units and its number of channels are kept. */
int ff_ssp_chip_has_papers_size(const ff_ssp_chip *chip);

/* Words of 64 bits of an instruction. */
static inline uint32_t ff_ssp_words(const ff_ssp_chip *chip) { return chip->precision / 32; }

/* Instructions that a reaction memory holds. */
static inline uint32_t ff_ssp_local_most(const ff_ssp_chip *chip) { return chip->reaction_memory / 8 / ff_ssp_words(chip); }

#endif
