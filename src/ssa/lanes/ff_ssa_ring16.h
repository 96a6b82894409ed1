/* The engine for networks of replicated modules: 16 trajectories at once. Vectors compute the whole step. All lanes execute
 * the same instructions, whatever their reactions are: lanes differ only in the numbers that they look up, gather and scatter.
 *
 * It keeps Q of each term, its parts Q_j (ff_ssa_ring.h), and sums of blocks of these. While counts and Q are below 2^31,
 * they have 32 bits; while counts are below 2^16, two of them share a word. While Q is below 2^52, numbers are doubles.
 * Otherwise each lane computes by itself with 128 bits (ff_ssa_ring16_large.c). This changes no bit of a trajectory. */
#ifndef FF_SSA_RING16_H
#define FF_SSA_RING16_H

#include "../rings/ff_ssa_ring.h"
#include "ff_ssa_vector16.h"

#define FF_RING16_OFFSETS (6 * FF_RING_OFFSET + 1) /* from a reaction's module to one whose counts matter */
#define FF_RING16_READS (FF_RING_SPECIES * FF_RING16_OFFSETS)
#define FF_RING16_SLOTS (FF_RING_KINDS + 1) /* the last one is for a lane in which nothing happens */
#define FF_RING16_NONE UINT32_MAX

/* Where a count is in a word of 32 bits. */
enum { FF_RING16_WHOLE, FF_RING16_LOW, FF_RING16_HIGH };

/* A word that a step reads: row `item` + the number of the module at an offset. */
typedef struct {
  uint32_t item, offset; /* offset: a number in the list of offsets */
} ff_ssa_ring16_word;

/* A count that a step reads. */
typedef struct {
  uint32_t word, part;
} ff_ssa_ring16_read;

/* A weight and the number of a read; n_reads is the number of a count that is always 1. */
typedef struct {
  uint32_t read, weight;
} ff_ssa_ring16_part;

typedef struct {
  double rate;
  uint32_t hub;      /* a read */
  uint32_t first, n; /* kinds */
  uint32_t item;     /* the row of Q_0 */
  ff_ssa_ring16_part parts[FF_RING_MEMBERS];
} ff_ssa_ring16_term;

/* A word that steps change, and by how much those of each kind do. */
typedef struct {
  uint32_t word;
  _Alignas(64) uint32_t by[FF_RING16_SLOTS]; /* aligned for vectors, and so are the tables below */
  _Alignas(64) double real_by[FF_RING16_SLOTS];
} ff_ssa_ring16_change;

/* Q_j of a term in the module at an offset, which steps change: A by `a`, and F by `f`. */
typedef struct {
  uint32_t term, offset;
  uint32_t hub, less, n; /* reads */
  uint32_t item;         /* the row of Q_0; FF_RING16_NONE if Q_j are counts */
  int changes_a, changes_f;
  ff_ssa_ring16_part parts[FF_RING_MEMBERS];
  _Alignas(64) int32_t a[FF_RING16_SLOTS];
  _Alignas(64) int32_t f[FF_RING16_SLOTS];
  _Alignas(64) double real_a[FF_RING16_SLOTS];
  _Alignas(64) double real_f[FF_RING16_SLOTS];
} ff_ssa_ring16_effect;

/* The counts of a species: row `item` + the number of the module, in a part of the words. If no propensity reads it and its count
 * is a sum of other counts of its module, or their negatives, and of a number that never changes, it has no row. */
typedef struct {
  uint32_t item, part; /* item: FF_RING16_NONE without a row */
  int32_t times[FF_RING_SPECIES];
} ff_ssa_ring16_species;

/* What is done at a step. Rows of cells: the counts, by species and then by module; Q_j of terms, unless they are counts;
 * the sums of blocks, by term; Q. There are rows of 0 after those of the last module, so that it ends a block. A plan has bits16
 * if two counts share a word. */
typedef struct {
  uint32_t n;                   /* modules */
  uint32_t shift, blocks;       /* a block has 2^shift modules */
  uint32_t n_terms, filled_terms; /* filled_terms: n_terms rounded up to 2, 4 or 8; the terms that fill up have Q = 0 */
  int bits16;
  uint32_t count_items, block_item, total_item, items;
  uint32_t n_offsets, n_words, n_reads, n_changes, n_effects;
  uint32_t offset[FF_RING16_OFFSETS]; /* less than n */
  ff_ssa_ring16_word words[FF_RING16_READS];
  ff_ssa_ring16_read reads[FF_RING16_READS];
  ff_ssa_ring16_species species[FF_RING_SPECIES];
  ff_ssa_ring16_term terms[FF_RING_TERMS];
  ff_ssa_ring16_change changes[FF_RING_SPECIES * (4 * FF_RING_OFFSET + 1)];
  ff_ssa_ring16_effect effects[FF_RING_EFFECTS];
  _Alignas(64) uint32_t first[FF_RING_TERMS]; /* of each term: `first`, `item`, and where Q_j is in a word */
  _Alignas(64) uint32_t items_of_terms[FF_RING_TERMS];
  _Alignas(64) uint32_t shifts[FF_RING_TERMS];
  _Alignas(64) uint32_t masks[FF_RING_TERMS];
} ff_ssa_ring16_plan;

/* A whole number below 2^128. */
typedef struct {
  uint64_t low, high;
} ff_ssa_whole;

/* What lanes keep that compute with 128 bits: Q_j of a block are computed anew. Their counts are in vector.lanes.count. */
typedef struct {
  ff_ssa_whole q[FF_RING_TERMS];
  ff_ssa_whole *blocks; /* by term */
} ff_ssa_ring16_lane;

/* Counts below 2^16 and sums below 2^31; all of them below 2^31; sums below 2^52, as doubles; all others. */
typedef enum { FF_RING16_BITS16, FF_RING16_SMALL, FF_RING16_REAL, FF_RING16_LARGE } ff_ssa_ring16_size;

typedef struct {
  ff_ssa_vector16 vector; /* its leaves are the terms */
  const ff_ssa_ring *ring;
  ff_ssa_ring16_size size;
  ff_ssa_ring16_plan *plans; /* for numbers of 16 bits, and for all others */
  const ff_ssa_ring16_plan *plan; /* the present one */
  uint32_t *cells; /* by item, then by lane; valid for BITS16 and SMALL. vector.lanes.count is set if reports need it */
  double *real;    /* cells of real numbers */
  uint32_t *initial_cells[2]; /* for each plan, if it may be used */
  double *initial_real;
  ff_ssa_ring16_lane lane[FF_SSA_LANES], initial_lane; /* the lanes' if numbers are large */
  uint32_t budget;    /* so many steps may be done before ff_ssa_ring16_prepare() decides anew */
  double most_added;  /* the most that a step adds to a count */
  uint32_t *place_of; /* of each species of the program: its module * n_species + its number there */
  double *fixed;      /* of each species of the program without a row: the number that never changes */
  double *share;      /* for each lane: what is left of the choice of its term */
  uint32_t *term;     /* for each lane: that of the next step; FF_RING16_NONE if nothing happens */
  uint32_t *v;        /* for each lane: share * Q, a whole number; valid for BITS16 and SMALL */
  double *real_term, *real_v; /* the same for real numbers; the term is -1 if nothing happens */
  uint32_t *observed, n_observed; /* the species that reports need, if not all */
  void (*diagnose)(ff_lanes *engine, uint32_t lane, ff_failure *out); /* that of ff_ssa_lanes */
} ff_ssa_ring16;

/* Fills a plan that is all 0. A step reads the sums of all blocks, and then the modules of one block, which are gathered. There
 * are about as many blocks as `rows` times the modules of one. */
void ff_ssa_ring16_make_plan(ff_ssa_ring16_plan *plan, const ff_ssa_ring *ring, int bits16, uint32_t rows);

ff_status ff_ssa_engine_ring16(ff_lanes **out, const ff_ssa_program *program, const ff_run_options *options,
                                const double *initial, ff_error *err);

/* ---- lanes (ff_ssa_ring16_state.c) ------------------------------------------------------------------------------------- */

/* Sets the size of numbers, and what trajectories begin with, from the initial counts. */
void ff_ssa_ring16_begin(ff_ssa_ring16 *engine, const double *initial);
/* Sets all sums of a lane to 0. */
void ff_ssa_ring16_clear(const ff_ssa_ring16 *engine, ff_ssa_ring16_lane *lane);

/* Decides how large the numbers of the next steps may become, and converts what lanes keep if this has changed. Sets `budget`. */
void ff_ssa_ring16_prepare(ff_ssa_ring16 *engine);

/* Sets vector.lanes.count of the lanes with these bits: of all species, or of those that reports need. */
void ff_ssa_ring16_set_counts(ff_ssa_ring16 *engine, uint64_t lanes, int all);

uint64_t ff_ssa_advance_ring16_portable(ff_lanes *engine, uint32_t *steps);
uint64_t ff_ssa_advance_ring16_avx2(ff_lanes *engine, uint32_t *steps);
uint64_t ff_ssa_advance_ring16_avx512(ff_lanes *engine, uint32_t *steps);

/* ---- lanes with large numbers ------------------------------------------------------------------------------------------- */

/* Q_j of a term in a state; the lower 64 bits of it. Row s * stride of `count` is that of species s. */
uint64_t ff_ssa_ring16_value(const ff_ssa_ring *ring, const double *count, size_t stride, uint32_t term, uint32_t j);
/* The sums of a state. */
void ff_ssa_ring16_sum(const ff_ssa_ring16 *engine, const double *count, size_t stride, ff_ssa_ring16_lane *out);
/* Lets the next step of a lane happen, and sets the totals of its terms in vector.value. */
void ff_ssa_ring16_step(ff_ssa_ring16 *engine, uint32_t lane);
double ff_ssa_whole_double(ff_ssa_whole x); /* rounded to the nearest, ties to even */

#endif
