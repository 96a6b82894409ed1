/* The sliced program in the form that the CUDA interpreter reads: flat arrays, operands as places of words.
 *
 * A tile's memory: `now` (n_nodes rows of 32 words), `next` (n_nodes rows, then a row a term), and for every warp `scratch`
 * (masks and temporaries). An operand is row * 32, plus FF_I_SCRATCH where the row is the warp's scratch; else it reads from
 * `now`. A destination without it is a row of `next`.
 */
#ifndef FF_SLICE_IMAGE_H
#define FF_SLICE_IMAGE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../base/ff_philox.h"

#define FF_I_SCRATCH 1u
#define FF_I_ROW(place) ((place) & ~31u)

typedef struct {
  uint32_t code, dst, a, b, c, pad[3]; /* FF_S_*; TABLE: a = place in args, b = inputs; SELECT: choices a .. a + b - 1 */
} ff_image_op;

typedef struct {
  uint32_t n_cuts, n_rows, row, number, exact, cut; /* as ff_slice_select */
} ff_image_select;

/* The same text of numbers lies in the host's or the device's memory. */
typedef struct {
  uint32_t n_nodes, n_terms, n_flip;
  uint32_t n_prologue;             /* operations that every warp runs first: choices that all segments read */
  uint32_t n_update;               /* segments of the update; those of the terms follow */
  uint32_t n_segments;
  uint32_t scratch_rows;           /* of a warp */
  const ff_image_op *ops;
  const uint32_t *segments;        /* n_segments + 1: where each begins in ops */
  const uint32_t *segment_terms;   /* n_segments + 1: the terms that a segment ends with (terms' segments only) */
  const uint32_t *args;            /* TABLE: inputs, filled up to a multiple of 4, then monomial masks (four words a nibble) */
  const ff_image_select *selects;
  const uint32_t *cut_top, *cut_rest; /* the first 8 bits of a cut, the other 32 */
  const uint32_t *cut_number;      /* the choice that a cut belongs to */
  const uint32_t *flip;            /* per site's node: its row, n_nodes for a removed one */
  const uint8_t *two_state;        /* per term */
  const int8_t *initial;
  uint32_t hits_size, hits_lowest, hits_draws;
  const uint64_t *hits_threshold;
  const uint32_t *hits_alias;
} ff_slice_image;

/* What one launch is to do, for either kernel of the sliced program. */
typedef struct {
  uint32_t *state;    /* a tile: n_nodes rows of 32 words */
  uint32_t *counters; /* a tile and term: FF_COUNTER_ROWS rows */
  uint32_t *before;   /* a tile and term */
  uint64_t key, unit, step, steps;
  uint32_t tiles, counted; /* counted: steps in the counters */
  int count, fresh;
  uint32_t round_key[2 * FF_PHILOX_ROUNDS]; /* of the two key words, round by round */
} ff_slice_launch;

#if !defined(__CUDACC_RTC__)
#include "../pbn/ff_engine.h"

/* The image of a sliced program in one block of memory, to be freed by ff_free_aligned(*memory). O(size of the program). */
ff_status ff_slice_image_new(ff_slice_image *out, void **memory, size_t *bytes, const ff_program *program, ff_error *err);

/* The same image where its memory was copied from `from` to `to`. */
ff_slice_image ff_slice_image_at(const ff_slice_image *image, const void *from, const void *to);
#endif

/* What a step's vertical counters and changes of one term take, in rows of 32 words: sums, held rows, the value before, and
 * changes seen by every lane. */
#define FF_COUNTER_LEVELS 12
#define FF_COUNTER_ROWS (2u * FF_COUNTER_LEVELS + 2u)
#define FF_COUNTER_HELD FF_COUNTER_LEVELS
#define FF_COUNTER_BEFORE (2u * FF_COUNTER_LEVELS)
#define FF_COUNTER_CHANGED (2u * FF_COUNTER_LEVELS + 1u)
#define FF_COUNTER_STEPS ((1u << FF_COUNTER_LEVELS) - 1u) /* that a counter holds */

#ifdef __cplusplus
}
#endif

#endif
