/* A network that is compiled for a Stochastic Simulation Processor, and its file.
 *
 * Species have new numbers, spids. Reactions keep their numbers as tags. Each RU evaluates its list of instructions once a step:
 * those of its reaction memory, then those that stream from the memory.
 *
 * An instruction reads the population of one species from an entry of the RU's scratchpad, which has chip.internal + chip.cached
 * entries. The first ones have the internal species, which stay there. With SPAD, the entry has the species already. With FIFO,
 * the RU takes the next population that was fetched for it and puts it there, where it is of use until the end of the step. The
 * RU's species instructions say what is fetched, in this order: `length` species from a spid on. Each RU of each SPE has its own
 * copy of all its external species in the memory, and its own internal species in its scratchpad. The state change of a step is
 * told to all RUs, which apply it to a species as it is read, once a step. So each RU reads each species that it holds in each
 * step; a dummy does so where no reaction does.
 */
#ifndef FF_SSP_PROGRAM_H
#define FF_SSP_PROGRAM_H

#include "ff_ssp_chip.h"

/* ---- instructions --------------------------------------------------------------------------------------------------- */

/* A word, from the high bits: type 2, op 1, entry 10, tag 20, rate 31 (a binary32 without its sign). A program of 64 bits has the
 * rates apart, and 0 in their place. */
enum { FF_SSP_UNI, FF_SSP_BI1, FF_SSP_BI2, FF_SSP_SPECIAL }; /* types; a special is a source, or a dummy by its tag */
enum { FF_SSP_SPAD, FF_SSP_FIFO };                           /* ops; a source has SPAD and entry 0, and reads nothing */
#define FF_SSP_NO_TAG 0xFFFFFu                               /* of a dummy */
#define FF_SSP_MAX_REACTIONS 0xFFFFFu
#define FF_SSP_MAX_SPECIES 0x100000u
#define FF_SSP_MAX_LENGTH 4096u /* of a species instruction */

typedef struct {
  uint32_t type, op, entry, tag;
  uint32_t rate; /* bits of a binary32 */
} ff_ssp_instruction;

static inline uint64_t ff_ssp_pack(ff_ssp_instruction i) {
  return (uint64_t)i.type << 62 | (uint64_t)i.op << 61 | (uint64_t)i.entry << 51 | (uint64_t)i.tag << 31 | i.rate;
}

static inline ff_ssp_instruction ff_ssp_unpack(uint64_t word) {
  const ff_ssp_instruction out = {(uint32_t)(word >> 62), (uint32_t)(word >> 61) & 1u, (uint32_t)(word >> 51) & 0x3FFu,
                                  (uint32_t)(word >> 31) & 0xFFFFFu, (uint32_t)word & 0x7FFFFFFFu};
  return out;
}

static inline int ff_ssp_is_dummy(ff_ssp_instruction i) { return i.type == FF_SSP_SPECIAL && i.tag == FF_SSP_NO_TAG; }
static inline int ff_ssp_is_source(ff_ssp_instruction i) { return i.type == FF_SSP_SPECIAL && i.tag != FF_SSP_NO_TAG; }

/* A species instruction, from the high bits: spid 20, length - 1 12. */
static inline uint32_t ff_ssp_fetch(uint32_t spid, uint32_t length) { return spid << 12 | (length - 1); }
static inline uint32_t ff_ssp_fetch_spid(uint32_t fetch) { return fetch >> 12; }
static inline uint32_t ff_ssp_fetch_length(uint32_t fetch) { return (fetch & 0xFFFu) + 1; }

/* A change of a species, from the high bits: spid 24, signed change 8. A state-change vector has FF_SSP_CHANGES of them; those
 * that are not used are 0, as no change is 0, and come last. */
#define FF_SSP_CHANGES 8u
static inline uint32_t ff_ssp_change(uint32_t spid, int change) { return spid << 8 | ((uint32_t)change & 0xFFu); }
static inline uint32_t ff_ssp_change_spid(uint32_t change) { return change >> 8; }
static inline int ff_ssp_change_by(uint32_t change) { return (int)(change & 0x7Fu) - (int)(change & 0x80u); }

/* ---- programs ------------------------------------------------------------------------------------------------------- */

/* What an RU does, in all SPEs alike. */
typedef struct {
  uint64_t *words;    /* instructions: local ones, then those of the stream */
  double *rates;      /* NULL, or with 64 bits the rate of each instruction */
  uint32_t n_local;   /* instructions in the reaction memory */
  uint32_t n_stream;  /* instructions of the stream */
  uint32_t *fetches;  /* species instructions */
  uint32_t n_fetches;
  uint32_t *internal; /* spids of the internal species; species i is in entry i from the start on */
  uint32_t n_internal; /* at most chip.internal + chip.cached; FIFO takes entries from this on */
} ff_ssp_unit;

/* Where a client's data begin in the memory: line i of the client is at bank i mod banks, column (i / banks) mod columns and row
 * first_row + i / banks / columns of its rank. */
typedef struct {
  uint32_t channel, rank, first_row;
  uint32_t lines; /* of 64 bytes */
} ff_ssp_place;

typedef struct {
  ff_ssp_chip chip;   /* for which it was compiled */
  uint32_t optimise;  /* ff_ssp_optimise, as a note */
  uint64_t seed;      /* of the compiler, as a note */
  uint32_t n_species, n_reactions;
  ff_ssp_unit *units; /* chip.rus */
  uint32_t *vectors;  /* n_reactions x FF_SSP_CHANGES changes */
  uint32_t *initial;  /* the population of each spid at the start */
  uint32_t *species;  /* the number that spid i has in the network */
  char **names;       /* of species in the network's order, then of reactions; all of them NULL, or none */
  ff_ssp_place *lanes;   /* of RU j in all SPEs: the stream of reaction instructions */
  ff_ssp_place *copies;  /* of RU j of SPE s: copies[s * chip.rus + j], a population of 4 bytes for each spid */
  ff_ssp_place *vectors_at; /* for each SPE: its vectors, 32 bytes each; SPEs of a channel share them */
} ff_ssp_program;

/* Makes a program for this chip without species, reactions and instructions, whose arrays are NULL but for `units`. The caller
 * fills it and frees it with ff_ssp_program_free(), which accepts NULL and frees all arrays and names. */
ff_status ff_ssp_program_new(ff_ssp_program **out, const ff_ssp_chip *chip, ff_error *err);
void ff_ssp_program_free(ff_ssp_program *program);

/* The populations that an RU fetches in a step, one after the other. It begins as {unit}. */
typedef struct {
  const ff_ssp_unit *unit;
  uint32_t fetch, taken; /* the next one: of this species instruction, after so many of its species */
} ff_ssp_data;

/* Whether there is one more; then *spid is its species. */
static inline int ff_ssp_next_datum(ff_ssp_data *at, uint32_t *spid) {
  if (at->fetch == at->unit->n_fetches) return 0;
  const uint32_t fetch = at->unit->fetches[at->fetch];
  *spid = ff_ssp_fetch_spid(fetch) + at->taken;
  if (++at->taken == ff_ssp_fetch_length(fetch)) {
    at->fetch++;
    at->taken = 0;
  }
  return 1;
}

/* X(name, meaning) */
#define FF_SSP_UNIT_COUNTS(X)                                        \
  X(uni, "instructions of reactions of one molecule")                \
  X(bi1, "of reactions of two molecules of a species")               \
  X(bi2, "halves of reactions of two species")                       \
  X(source, "of reactions without reactants")                        \
  X(dummy, "that read a species which is nobody's reactant")         \
  X(local, "of them in the reaction memory")                         \
  X(streamed, "of them from the memory")                             \
  X(internal, "species that stay in the scratchpad")                 \
  X(fetched, "populations that are fetched in a step")               \
  X(requests, "requests of the memory that fetch them")

typedef struct {
#define FF_X(name, meaning) uint32_t name;
  FF_SSP_UNIT_COUNTS(FF_X)
#undef FF_X
} ff_ssp_unit_counts;

/* Counts what RU `unit` does in a step. FF_EMODEL if it fetches a species that the program does not have, and FF_ESIZE if there
 * are more than 2^32 - 2 instructions or populations. O(instructions). */
ff_status ff_ssp_count_unit(ff_ssp_unit_counts *out, const ff_ssp_program *program, uint32_t unit, ff_error *err);

/* Instructions of all RUs in a step. O(RUs). */
uint64_t ff_ssp_instructions(const ff_ssp_program *program);

/* Populations that an RU fetches in a step. O(species instructions). */
uint64_t ff_ssp_fetched(const ff_ssp_unit *unit);

/* Copies of species in an SPE: pairs of an RU and a species that it has in its scratchpad or fetches. Species that the program
 * does not have are not counted. O(populations + species). */
ff_status ff_ssp_count_copies(uint64_t *copies, const ff_ssp_program *program, ff_error *err);

/* Lines of 64 bytes that the stream of an RU, a copy of all species, and the vectors of all reactions take. */
static inline uint32_t ff_ssp_stream_lines(const ff_ssp_program *program, uint32_t unit) {
  return (uint32_t)(((uint64_t)program->units[unit].n_stream * ff_ssp_words(&program->chip) + 7) / 8);
}

static inline uint32_t ff_ssp_species_lines(const ff_ssp_program *program) {
  return (uint32_t)((4 * (uint64_t)program->n_species + 63) / 64);
}
static inline uint32_t ff_ssp_vector_lines(const ff_ssp_program *program) {
  return (uint32_t)((4 * (uint64_t)FF_SSP_CHANGES * program->n_reactions + 63) / 64);
}

/* The address of a client's line. The place must have it. */
typedef struct {
  uint32_t channel, rank, bank, row, column;
} ff_ssp_address;
ff_ssp_address ff_ssp_address_of(const ff_ssp_program *program, const ff_ssp_place *place, uint32_t line);

/* ---- the memory map: ff_ssp_map.c ------------------------------------------------------------------------------------ */

/* Fills lanes, copies and vectors_at of a program whose instructions are complete, for the SPEs, channels and ranks of its chip.
 * Reactions have the first chip.reaction_channels channels. FF_ESIZE if they do not fit into the memory. O(SPEs x RUs). */
ff_status ff_ssp_map(ff_ssp_program *program, ff_error *err);

/* The same program for another chip, which may differ in all but what instructions depend on: rus, precision, per_request and the
 * sizes of reaction memory, scratchpad, merger and species memory. FF_EARGUMENT if it differs in these. */
ff_status ff_ssp_program_move(ff_ssp_program *program, const ff_ssp_chip *chip, ff_error *err);

/* ---- a checker of its own: ff_ssp_check.c ---------------------------------------------------------------------------- */

/* Checks what must hold for any program: each reaction is evaluated once a step, by one RU, both halves of a Bi2 with the same
 * rate, and at most chip.merger halves that wait (a half whose companion comes next does not); the populations fetched are those
 * taken, in order; SPAD names an internal species, or one that was taken in the same step; each internal species is read in each
 * step, and each species that changes by some RU; no reaction takes more of a species than it reads, so no count falls below 0;
 * numbers fit; places do not overlap. FF_EMODEL; the sentence names the RU and the instruction. O(size). */
ff_status ff_ssp_check(const ff_ssp_program *program, ff_error *err);

/* ---- files: ff_ssp_image.c ------------------------------------------------------------------------------------------- */

/* The file of a program as bytes: little endian; a magic number, a version, and sections with a CRC-32 each. The same program
 * gives the same bytes. The caller frees *bytes with free(). O(size). */
ff_status ff_ssp_image(uint8_t **bytes, size_t *n, const ff_ssp_program *program, ff_error *err);

/* Reads such bytes, and checks the program by ff_ssp_check(). FF_EPARSE if they are not such a file. The caller frees *out.
 * O(size). */
ff_status ff_ssp_image_read(ff_ssp_program **out, const uint8_t *bytes, size_t n, ff_error *err);

#endif
