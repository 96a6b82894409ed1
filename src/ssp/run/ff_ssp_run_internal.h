/* What the files of ssp/run share, and tests that spoil the copies of a species. */
#ifndef FF_SSP_RUN_INTERNAL_H
#define FF_SSP_RUN_INTERNAL_H

#include "../../base/ff_philox.h"
#include "../../random/ff_exponential.h"
#include "ff_ssp_run.h"

#define FF_SSP_NO_COPY UINT32_MAX

/* What random numbers are for. The first one is that of the first reaction method, whose trajectories those of 64 bits are. */
enum { FF_SSP_DRAW_FIRST = 1, FF_SSP_DRAW_FIRST32 = 2 };

/* ---- code ------------------------------------------------------------------------------------------------------------ */

/* What an instruction does with the population that it has read. A Bi2 whose companion comes later puts it into a register. */
typedef enum { FF_SSP_DO_UNI, FF_SSP_DO_BI1, FF_SSP_DO_WAIT, FF_SSP_DO_BI2, FF_SSP_DO_DUMMY, FF_SSP_DO_SOURCE } ff_ssp_do;

typedef struct {
  double rate;    /* of 32 bits, too */
  uint32_t tag;
  uint16_t entry, place; /* of the scratchpad, and of the merger: its registers, and one for halves whose companion comes next */
  uint8_t what;   /* ff_ssp_do */
  uint8_t takes;  /* whether it first takes a population from the stream: FIFO */
} ff_ssp_code_word;

/* Copies of species have numbers: those of an RU begin with first_copy, and are first the internal ones, which are also its
 * entries, and then the external ones. */
typedef struct {
  ff_ssp_code_word *words;
  uint32_t *data; /* the copies that are fetched in a step */
  uint32_t n_words, n_data, n_internal, first_copy;
} ff_ssp_code_unit;

struct ff_ssp_code {
  const ff_ssp_program *program; /* borrowed */
  ff_ssp_code_unit *units;
  uint32_t n_units, n_entries;   /* entries of each unit */
  uint32_t n_species, n_reactions;
  uint32_t n_copies;
  uint32_t *spid;      /* of each copy */
  uint32_t *held_first; /* n_species + 1 entries */
  uint32_t *held;      /* of spid s: held[held_first[s]] to held[held_first[s + 1] - 1] are its copies */
  uint32_t *vectors;   /* n_reactions x FF_SSP_CHANGES, as in the program */
  uint32_t *species;   /* spid to the network's number */
  double *initial;     /* in the network's order */
  double *logarithms;  /* NULL, or log(1 + (i + 1/2) 2^-k) */
  uint32_t bits;       /* of the mantissa that this table sees */
  int is_double;
  uint32_t ahead;      /* populations that are fetched ahead: a power of 2 */
};

/* ---- processing elements ---------------------------------------------------------------------------------------------- */

/* The copy of a species in an RU. For an internal species, only `told` is used. */
typedef struct {
  uint64_t told;     /* ((step + 1) << 8) + change: what the last step has changed, to be applied in this step; or 0 */
  uint64_t when;     /* with FF_SSP_WAITING: the first step in whose stream the update may be committed; with FF_SSP_COMMITTED:
                      * the number of the first population that was read after this */
  uint32_t memory;   /* the population in the memory */
  uint32_t update;   /* what the writeback update unit remembers */
  uint32_t state;
} ff_ssp_copy;

enum { FF_SSP_NO_UPDATE, FF_SSP_WAITING, FF_SSP_COMMITTED };

typedef struct {
  uint32_t population, copy; /* the copy is the entry's tag */
} ff_ssp_entry;

/* An RU: its scratchpad, and what is fetched for it. */
typedef struct {
  ff_ssp_entry *entries;
  uint32_t *fetched;  /* a ring of code->ahead populations */
  uint64_t n_fetched; /* so far */
  uint64_t n_taken;
  uint64_t step;      /* to whose stream the next population to be fetched belongs */
  uint32_t at;        /* and its place in the stream */
} ff_ssp_ru;

struct ff_ssp_spe {
  const ff_ssp_code *code;
  ff_ssp_spe_options options;
  ff_ssp_ru *rus;
  ff_ssp_copy *copies;
  ff_ssp_entry *entries;
  uint32_t *fetched, *merger;
  double *state;       /* in the network's order */
  double *propensity;  /* by tag, with 64 bits */
  float *propensity32; /* or with 32 */
  uint64_t key, trajectory;
  uint32_t keys[2 * FF_PHILOX_ROUNDS];
  ff_ssp_winner winner;
  int begun; /* whether a step was executed */
  ff_failure failure;
};

#define FF_SSP_CHUNK 64u /* reactions whose waiting times are computed together; arrays by tag are as long as whole chunks */

static inline uint32_t ff_ssp_whole_chunks(uint32_t n) { return (n + FF_SSP_CHUNK - 1) / FF_SSP_CHUNK * FF_SSP_CHUNK; }

/* -log(u) of a word, in binary32. The second function is that of a table. */
static inline float ff_ssp_minus_log(uint32_t w) { return (float)ff_minus_log((double)(2 * (uint64_t)w + 1) * 0x1p-33); }

static inline float ff_ssp_table_log(uint32_t w, const double *logarithms, uint32_t bits) {
  const uint64_t v = ff_math_bits((double)(2 * (uint64_t)w + 1)); /* exact */
  const int e = (int)(v >> 52) - 1023;
  return (float)((33 - e) * FF_EXPONENTIAL_2 - logarithms[(v & FF_EXPONENTIAL_BITS) >> (52 - bits)]);
}

/* Draws a waiting time for each reaction and finds the winner of this step (ff_ssp_tau.c). Returns 0 if a propensity is infinite;
 * then the winner's tag is that of the first such reaction. */
int ff_ssp_spe_find(ff_ssp_spe *spe);

#endif
