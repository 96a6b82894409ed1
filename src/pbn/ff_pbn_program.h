/* The data structures of the two kinds of programs and of a tile. Devices read them, too. */
#ifndef FF_ENGINE_INTERNAL_H
#define FF_ENGINE_INTERNAL_H

#include "ff_pbn_draws.h"
#include "ff_pbn_engine.h"
#include "ff_slice_codes.h"

#define FF_ROW_WORDS (FF_TILE / 64) /* 64-bit words in a row */
#define FF_SELECT_BITS 64           /* resolution of a choice */
#define FF_SELECT_ROWS 8            /* number of these bits that are drawn as rows; the others are drawn per trajectory if
                                     * needed */
#define FF_RING_ROWS 16             /* random rows that exist at a time; a choice uses at most three groups of four */
#define FF_COUNT_LEVELS 12          /* a vertical counter holds 2^12 - 1 steps */
#define FF_SELECT_BLOCK 16          /* masks computed together: 64 open lanes, which are two warps or eight vectors of draws */
#define FF_NEAR_ROWS 65536          /* a tile with more rows exceeds most caches, so the rows that it reads are prefetched */
#define FF_FETCH_AHEAD 6            /* prefetch distance in operations */
#define FF_TABLE_INPUTS 8           /* inputs of one table operation; wider tables are split */
#define FF_HITS_PER_DRAW 2048.0     /* largest mean of one Poisson draw */

/* ---- flips: the number of hits in a step ------------------------------------------------------------------------ */

/* A Poisson distribution by Walker's alias method. The column is word * size / 2^32. The result is the column's value if a
 * number of 64 bits is below the column's threshold, else its alias. A second word is the upper half of that number. The
 * lower half is drawn only if the upper half does not decide. */
typedef struct {
  uint32_t size;       /* 0: no perturbation */
  uint32_t lowest;     /* the value of column 0 */
  uint32_t n_draws;    /* number of draws in a step, whose results are added */
  uint64_t *threshold; /* for each column, in units of 2^-64 */
  uint32_t *alias;
} ff_poisson;

/* The distribution of the number of hits on `sites` sites of probability p. The probability of each value in a draw is exact
 * to 2^-62. The caller frees the contents of *out with ff_poisson_free(). */
ff_status ff_poisson_new(ff_poisson *out, double p, uint64_t sites, ff_error *err);
void ff_poisson_free(ff_poisson *poisson);

/* The last bits of a number whose first bits equal those of the bound that it is compared with. */
FF_SELDOM uint32_t ff_further(uint32_t purpose, uint32_t block, uint64_t step, uint64_t unit, uint64_t key) {
  return ff_philox(ff_philox_counter(purpose, block, step, unit), key).v[0];
}

/* The result of draw number `draw` of a step. */
static FF_HD inline uint32_t ff_poisson_value(const ff_poisson *poisson, uint32_t column_word, uint32_t threshold_word,
                                              uint32_t draw, uint64_t step, uint64_t unit, uint64_t key) {
  uint32_t column = (uint32_t)(((uint64_t)column_word * poisson->size) >> 32);
  uint64_t threshold = poisson->threshold[column];
  uint32_t high = (uint32_t)(threshold >> 32);
  int own = threshold_word < high;
  if (FF_RARELY(threshold_word == high))
    own = ff_further(FF_DRAW_FLIPS_FURTHER, draw, step, unit, key) < (uint32_t)threshold;
  return poisson->lowest + (own ? column : poisson->alias[column]);
}

/* A uniform number below n from 54 random bits: a word and the upper 22 bits of another. */
static FF_HD inline uint32_t ff_pick54(uint32_t word, uint32_t other, uint32_t n) {
  return (uint32_t)(((uint64_t)word * n + (((uint64_t)(other >> 10) * n) >> 22)) >> 32);
}

/* ---- where trajectories start -------------------------------------------------------------------------------------- */

/* How a node starts, in struct ff_pbn_program: 0, 1, FF_START_RANDOM, or any of these plus FF_START_SPREAD. Spread starts differ
 * much from each other. Of eight neighbouring trajectories, one has all such nodes off, one has them on, two have the given
 * values, and four are drawn at random. */
#define FF_START_RANDOM (-1)
#define FF_START_SPREAD 4

/* The initial values of a node in 32 neighbouring trajectories. The number of the first trajectory must be a multiple of 8. */
static FF_HD inline uint32_t ff_start_bits(int start, uint32_t random) {
  const int spread = start > 1, given = spread ? start - FF_START_SPREAD : start;
  const uint32_t own = given < 0 ? random : given != 0 ? 0xFFFFFFFFu : 0u;
  return spread ? (random & 0xF0F0F0F0u) | (own & 0x0C0C0C0Cu) | 0x02020202u : own;
}

/* ---- the sliced program ----------------------------------------------------------------------------------------- */

typedef struct {
  uint32_t code, dst, a, b, c;
} ff_slice_op;

/* The bits of a cut after its first bits, which are compared with rows: 32 bits, and then 24 bits as the upper bits of a
 * word. */
#define FF_CUT_REST(cut) ((uint32_t)((cut) >> (32 - FF_SELECT_ROWS)))
#define FF_CUT_FURTHER(cut) ((uint32_t)(cut) << FF_SELECT_ROWS)

/* A choice among n_cuts + 1 alternatives. Bit mask j of the result is u < cut[j], where u is a uniform number of
 * FF_SELECT_BITS bits for each trajectory. */
typedef struct {
  uint32_t n_cuts;
  uint32_t n_rows;   /* number of random rows that it reads, 1 .. FF_SELECT_ROWS */
  uint32_t row;      /* number of the first one, counted over the whole program */
  uint32_t number;   /* number of this choice, which addresses its further draws */
  uint32_t exact;    /* 1: the rows decide everything and no further bits are needed */
  uint32_t cut;      /* position of its cuts in slice.cuts */
} ff_slice_select;

/* A sliced program. The rows of a tile are, in this order: nodes, next values, the ring of random rows, temporaries, terms,
 * earlier terms. */
typedef struct {
  uint32_t n_nodes, n_terms;
  uint32_t ring, temps, terms, before, n_rows;
  ff_slice_op *ops; /* the update, then the evaluation of the terms */
  size_t n_ops, ops_capacity;
  size_t n_update; /* number of operations of the update */
  uint32_t *args;
  size_t n_args, args_capacity;
  ff_slice_select *selects;
  size_t n_selects, selects_capacity;
  uint64_t *cuts;
  size_t n_cuts, cuts_capacity;
} ff_slice;

/* ---- the packed program ----------------------------------------------------------------------------------------- */

/* A packed program. ff_packed_step.h explains how a step reads it. */
typedef struct {
  uint32_t *order;       /* node of each place; places are in the order of the tables */
  uint32_t *first;       /* n_nodes + 1 entries: the first function of each place */
  uint64_t *function;    /* for each function: the position and number of its parents, and in the high word rows 0..31 of its
                          * table */
  uint32_t *parents;     /* most significant first */
  uint32_t *extra_at;    /* for each function: the position in `extra` of its table's rows from 32 on */
  uint32_t *extra;
  uint32_t *code_at;     /* for each expression, and one more: the position of its words in `code`; wide functions first, then
                          * the terms */
  uint32_t *code;
  uint32_t *cut;         /* for each function: the upper half of a 64-bit bound. The function is selected if the 64-bit
                          * number, whose upper half is a word, is below this bound and not below the one before; the last
                          * function has the largest bound */
  uint32_t *cut_further; /* ... and the lower half of the bound */
  uint32_t n_functions, n_parents, n_extra, n_wide, n_code;
  uint32_t *context;     /* n_contexts rows of a function for each place; NULL in an independent network */
  uint32_t *context_cut, *context_further; /* for each context */
  uint32_t n_contexts;
  uint32_t words;        /* number of 32-bit words of a state */
} ff_packed;

/* ---- program and tile ------------------------------------------------------------------------------------------- */

struct ff_pbn_program {
  ff_layout layout;
  char reason[160];
  ff_update update;
  uint32_t n_nodes, n_terms;
  uint32_t n_all;          /* nodes including removed ones; an asynchronous update selects among them */
  uint32_t n_flip;         /* nodes that can flip, including removed ones */
  uint32_t n_flip_here;    /* those of them that are in this network */
  uint32_t *flip;          /* n_flip indices: nodes in ascending order, then n_nodes for each removed node */
  double perturbation, still, rarest;
  uint32_t n_waiting;      /* see ff_pbn_program_waiting() */
  ff_poisson hits;
  int8_t *initial;         /* for each node, as ff_start_bits() reads it */
  int8_t *held;            /* for each node: the value at which it is held, or -1 */
  int forgets;             /* the long run does not depend on the start */
  uint8_t *two_state;      /* for each term: 1 if its transitions are counted */
  ff_expr *terms;          /* copies, for the packed program */
  ff_slice slice;
  ff_packed packed;
  size_t bytes;
};

/* A vertical counter: bit i of the rows of level l counts 2^l steps in trajectory i. A row in `held` waits for a second one
 * of the same level (Harley and Seal's carry-save adder). */
typedef struct {
  uint64_t sum[FF_COUNT_LEVELS][FF_ROW_WORDS];
  uint64_t held[FF_COUNT_LEVELS][FF_ROW_WORDS];
} ff_counter;

struct ff_tile {
  const ff_pbn_program *program;
  ff_simd simd;
  uint64_t key, unit, step;
  uint64_t counted;        /* steps since ff_tile_start() or ff_tile_forget() */
  uint32_t in_counters;    /* those of them that are still in the vertical counters */
  int fresh;               /* nothing has been counted yet; `before` must be filled first */
  /* sliced */
  uint64_t *rows;
  ff_counter *held;        /* for each term */
  ff_counter *changed;     /* for each state set, indexed by changed_at */
  uint32_t *changed_at;    /* for each term */
  size_t *hit_word;        /* hits of one step: the word of `rows`, the bit, and its new value */
  uint8_t *hit_bit, *hit_value;
  /* packed */
  uint32_t *state, *next;  /* 1,024 states of packed.words words, and one more state */
  uint8_t *value;          /* terms x 1,024: their current values */
  uint32_t *extra_hits;    /* hits of one step */
  /* both */
  uint32_t *counts;
  uint64_t *changes;
  uint32_t *before, *after;
};

/* Sets program->held and program->forgets. O(arrows among exempt nodes). */
ff_status ff_start_classify(ff_pbn_program *program, const ff_pbn *pbn, ff_error *err);

ff_status ff_slice_compile(ff_pbn_program *program, const ff_pbn *pbn, const ff_observables *observables, ff_error *err);
void ff_slice_free(ff_slice *slice);
ff_status ff_packed_compile(ff_pbn_program *program, const ff_pbn *pbn, ff_error *err);
void ff_packed_free(ff_packed *packed);

/* One implementation per instruction set, all from one source (ff_slice_kernel.h). All give the same bits. */
typedef struct {
  void (*start)(ff_tile *tile);
  void (*run)(ff_tile *tile, uint64_t steps, int count);
  void (*spill)(ff_tile *tile); /* adds the vertical counters to counts and changes and clears them */
} ff_slice_kernel;
extern const ff_slice_kernel ff_slice_kernel_portable;
#if defined(__x86_64__)
extern const ff_slice_kernel ff_slice_kernel_avx2, ff_slice_kernel_avx512;
#endif

void ff_packed_start(ff_tile *tile);
void ff_packed_run(ff_tile *tile, uint64_t steps, int count);

#define FF_ALIGNED _Alignas(64)

#endif
