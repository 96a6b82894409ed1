/* What the files of pbn/ share: the two programs' forms and a tile's inside. */
#ifndef FF_ENGINE_INTERNAL_H
#define FF_ENGINE_INTERNAL_H

#include "ff_pbn_draws.h"
#include "ff_engine.h"
#include "ff_slice_codes.h"

#define FF_ROW_WORDS (FF_TILE / 64) /* 64-bit words in a row */
#define FF_SELECT_BITS 64           /* resolution of a choice */
#define FF_SELECT_ROWS 8            /* of which so many are drawn as rows, the rest by trajectory where undecided */
#define FF_RING_ROWS 16             /* random rows alive at a time; a choice spans at most three groups of four */
#define FF_COUNT_LEVELS 12          /* a vertical counter holds 2^12 - 1 steps */
#define FF_SELECT_BLOCK 16          /* masks made at a time: 64 open lanes, two warps or eight vectors of draws */
#define FF_NEAR_ROWS 65536          /* a tile of more rows exceeds most caches, and what it reads is fetched ahead */
#define FF_FETCH_AHEAD 6            /* operations */
#define FF_TABLE_INPUTS 8           /* inputs of one table operation; wider tables are split */
#define FF_HITS_PER_DRAW 2048.0     /* mean of one Poisson draw at most */

/* ---- flips: the number of hits in a step ------------------------------------------------------------------------ */

/* Poisson by Walker's alias method: column = word * size / 2^32; its value, or its alias where a number of 64 bits is not
 * below the threshold. The number's upper half is a second word; the lower one is drawn only where that leaves it open. */
typedef struct {
  uint32_t size;       /* 0: no perturbation at all */
  uint32_t lowest;     /* the value of column 0 */
  uint32_t n_draws;    /* draws added up in a step */
  uint64_t *threshold; /* per column, of 2^64 */
  uint32_t *alias;
} ff_poisson;

/* The number of hits on `sites` sites of probability p each; every value's probability in a draw is right to 2^-62. */
ff_status ff_poisson_new(ff_poisson *out, double p, uint64_t sites, ff_error *err);
void ff_poisson_free(ff_poisson *poisson);

/* The last bits of a number, whose first ones equal those of the bound that it is compared with. */
FF_SELDOM uint32_t ff_further(uint32_t purpose, uint32_t block, uint64_t step, uint64_t unit, uint64_t key) {
  return ff_philox(ff_philox_counter(purpose, block, step, unit), key).v[0];
}

/* Draw number `draw` of a step. */
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

/* Number `index` of `n` from 54 random bits: a word and the upper 22 bits of another. */
static FF_HD inline uint32_t ff_pick54(uint32_t word, uint32_t other, uint32_t n) {
  return (uint32_t)(((uint64_t)word * n + (((uint64_t)(other >> 10) * n) >> 22)) >> 32);
}

/* ---- where trajectories start -------------------------------------------------------------------------------------- */

/* A node's start in struct ff_program: 0, 1, FF_START_RANDOM, or any of these plus FF_START_SPREAD. Spread starts differ much
 * from each other: of eight neighbouring trajectories one has all such nodes off, one has them on, two have the given values,
 * and four are drawn at random. */
#define FF_START_RANDOM (-1)
#define FF_START_SPREAD 4

/* A node's values in 32 neighbouring trajectories, the first one's number being a multiple of 8. */
static FF_HD inline uint32_t ff_start_bits(int start, uint32_t random) {
  const int spread = start > 1, given = spread ? start - FF_START_SPREAD : start;
  const uint32_t own = given < 0 ? random : given != 0 ? 0xFFFFFFFFu : 0u;
  return spread ? (random & 0xF0F0F0F0u) | (own & 0x0C0C0C0Cu) | 0x02020202u : own;
}

/* ---- the sliced program ----------------------------------------------------------------------------------------- */

typedef struct {
  uint32_t code, dst, a, b, c;
} ff_slice_op;

/* What a cut's first bits, which rows are compared with, are followed by: 32 bits, and 24 as the upper ones of a word. */
#define FF_CUT_REST(cut) ((uint32_t)((cut) >> (32 - FF_SELECT_ROWS)))
#define FF_CUT_FURTHER(cut) ((uint32_t)(cut) << FF_SELECT_ROWS)

/* One choice among n_cuts + 1: mask j of the result is u < cut[j], u a uniform number of FF_SELECT_BITS bits. */
typedef struct {
  uint32_t n_cuts;
  uint32_t n_rows;   /* random rows it reads, 1 .. FF_SELECT_ROWS */
  uint32_t row;      /* number of the first one, counted over the program */
  uint32_t number;   /* of this choice, the address of its remainder draws */
  uint32_t exact;    /* 1: the rows decide all, no remainder */
  uint32_t cut;      /* place of its cuts in slice.cuts */
} ff_slice_select;

/* Rows of a tile: nodes, next values, ring, temporaries, terms, terms before. */
typedef struct {
  uint32_t n_nodes, n_terms;
  uint32_t ring, temps, terms, before, n_rows;
  ff_slice_op *ops; /* the update, then what evaluates the terms */
  size_t n_ops, ops_capacity;
  size_t n_update; /* ops of the update */
  uint32_t *args;
  size_t n_args, args_capacity;
  ff_slice_select *selects;
  size_t n_selects, selects_capacity;
  uint64_t *cuts;
  size_t n_cuts, cuts_capacity;
} ff_slice;

/* ---- the packed program ----------------------------------------------------------------------------------------- */

/* What a step reads of it is told in ff_packed_step.h. */
typedef struct {
  uint32_t *order;       /* nodes in the order of their tables: place to node */
  uint32_t *first;       /* per place, n_nodes + 1: its functions */
  uint64_t *function;    /* per function: where its parents stand and how many; in the high word rows 0..31 of its table */
  uint32_t *parents;     /* most significant first */
  uint32_t *extra_at;    /* per function: where the rows from 32 on stand in `extra` */
  uint32_t *extra;
  uint32_t *code_at;     /* per expression, + 1: its words in `code`; wide functions first, then the terms */
  uint32_t *code;
  uint32_t *cut;         /* per function: the node's choice falls on it when a number of 64 bits, of which a word is the upper
                          * half, is below this (last one: always); the upper half of the bound */
  uint32_t *cut_further; /* ... and the lower one */
  uint32_t n_functions, n_parents, n_extra, n_wide, n_code;
  uint32_t *context;     /* contexts x places: function; NULL when independent */
  uint32_t *context_cut, *context_further; /* per context */
  uint32_t n_contexts;
  uint32_t words;        /* 32-bit words of a state */
} ff_packed;

/* ---- program and tile ------------------------------------------------------------------------------------------- */

struct ff_program {
  ff_layout layout;
  char reason[160];
  ff_update update;
  uint32_t n_nodes, n_terms;
  uint32_t n_all;          /* nodes with the removed ones: what asynchronous mode picks from */
  uint32_t n_flip;         /* nodes that can flip, removed ones included */
  uint32_t n_flip_here;    /* of these, nodes of this network */
  uint32_t *flip;          /* n_flip indices: theirs, ascending, then n_nodes for every removed one */
  double perturbation, rarest;
  ff_poisson hits;
  int8_t *initial;         /* per node, as ff_start_bits() reads it */
  int8_t *held;            /* per node: the value at which it is held, or -1 */
  int forgets;             /* the long run does not depend on the start */
  uint8_t *two_state;      /* per term: transitions are counted */
  ff_expr *terms;          /* copies, for the packed program */
  ff_slice slice;
  ff_packed packed;
  size_t bytes;
};

/* A vertical counter: level l's rows count 2^l each; `held` waits for its partner (Harley and Seal's carry-save adder). */
typedef struct {
  uint64_t sum[FF_COUNT_LEVELS][FF_ROW_WORDS];
  uint64_t held[FF_COUNT_LEVELS][FF_ROW_WORDS];
} ff_counter;

struct ff_tile {
  const ff_program *program;
  ff_simd simd;
  uint64_t key, unit, step;
  uint64_t counted;        /* steps since the last harvest */
  uint32_t in_counters;    /* of these, in the vertical counters */
  int fresh;               /* nothing counted yet: `before` is to be taken */
  /* sliced */
  uint64_t *rows;
  ff_counter *held;        /* per term */
  ff_counter *changed;     /* per state set, by changed_at */
  uint32_t *changed_at;    /* per term */
  size_t *hit_word;        /* hits of one step: word of `rows`, bit, and the value to be */
  uint8_t *hit_bit, *hit_value;
  /* packed */
  uint32_t *state, *next;  /* 1,024 states of packed.words words; one state */
  uint8_t *value;          /* terms x 1,024: their present values */
  uint32_t *extra_hits;    /* sites of one step */
  /* both */
  uint32_t *counts;
  uint64_t *changes;
  uint32_t *before, *after;
};

/* Fills program->held and program->forgets. O(arrows among exempt nodes). */
ff_status ff_start_classify(ff_program *program, const ff_pbn *pbn, ff_error *err);

ff_status ff_slice_compile(ff_program *program, const ff_pbn *pbn, const ff_observables *observables, ff_error *err);
void ff_slice_free(ff_slice *slice);
ff_status ff_packed_compile(ff_program *program, const ff_pbn *pbn, ff_error *err);
void ff_packed_free(ff_packed *packed);

/* One implementation an instruction set, from one text (ff_slice_kernel.h); all give the same bits. */
typedef struct {
  void (*start)(ff_tile *tile);
  void (*run)(ff_tile *tile, uint64_t steps, int count);
  void (*spill)(ff_tile *tile); /* moves what the vertical counters hold into counts and changes */
} ff_slice_kernel;
extern const ff_slice_kernel ff_slice_kernel_portable;
#if defined(__x86_64__)
extern const ff_slice_kernel ff_slice_kernel_avx2, ff_slice_kernel_avx512;
#endif

void ff_packed_start(ff_tile *tile);
void ff_packed_run(ff_tile *tile, uint64_t steps, int count);

#define FF_ALIGNED _Alignas(64)

#endif
