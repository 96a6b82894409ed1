/* The sliced program in the form that the CUDA interpreter reads: one stream of operations, cut into segments that warps take.
 *
 * A tile's memory: `now` (n_nodes rows of 32 words), `next` (n_nodes rows, then a row a term), and for every warp `scratch`
 * (masks, temporaries, and in a staged image copies of the rows that a segment reads). A place is row * 128, in bytes, plus
 * FF_I_SCRATCH where the row is the warp's scratch; else it reads from `now`. A destination without it is a row of `next`.
 *
 * The stream is read in quads of four words, through a window of sixteen quads. A segment begins with a window, and no operation
 * lies in two: FF_I_NEXT leads to the next one. An operation's first word is its kind in bits 0 to 4, flags, and its destination.
 *   FF_S_CONST .. FF_S_MUX   the second word is a, with FF_I_BYTES, then b, c; of CONST the third word is a
 *   FF_I_TABLE_OF(k)         a truth table of k inputs. Second word: place of a mask, and FF_I_BYTES. Then the inputs, least significant
 *                            first, all rows of `now`, in a staged image all of scratch, to the end of a quad; the table, to the end
 *                            of a quad: of up to four inputs a word a nibble (bytes c0 .. c3, so that the value is c0 + c1 a + c2 b +
 *                            c3 a b in numbers modulo 2^32), of more a byte a nibble. With FF_I_JOIN: the result where the mask, a
 *                            row of scratch, is set, else the result of the operation before
 *   FF_S_SELECT              second word: number of the first cut. Then a quad and two more a cut for each choice, or for up to seven cuts
 *                            of it: its first random row; a word of FF_I_CUTS, FF_I_ROWS and flags (0: the next window); and a
 *                            cut's first 8 bits as masks. Mask rows are the first of scratch
 *   FF_I_STAGE               second word: place in scratch, of sixteen rows whose places in `now` follow; then the place of the first node
 *                            that the segment writes, and its place in scratch, where those that it writes stand in order
 *   FF_I_NEXT, FF_I_END      to the next window; of the segment
 */
#ifndef FF_SLICE_IMAGE_H
#define FF_SLICE_IMAGE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../pbn/ff_pbn_draws.h"

/* A place: a row of 32 words, and where that lies. Written by FF_I_PLACE, read by FF_I_ROW (its byte) and FF_I_SCRATCH. */
#define FF_I_PLACE(row, flags) ((row) * 128u | (flags))
#define FF_I_ROW(place) ((place) & ~127u)
#define FF_I_SCRATCH 1u /* the row is the warp's scratch */

/* An operation's first word: kind, flags, destination. Written by FF_I_HEAD, read by FF_I_KIND, the flags and FF_I_ROW. */
#define FF_I_HEAD(kind, flags, destination) ((kind) | (flags) | (destination))
#define FF_I_KIND(head) ((head) & 31u)
#define FF_I_TO_SCRATCH 32u
#define FF_I_JOIN 64u
#define FF_I_NOWHERE (~127u) /* a destination: the next operation alone wants the result */

/* The second word of an operation on rows: a place, and the operation's length in the stream. Written by FF_I_SECOND, read by
 * FF_I_ROW, FF_I_SCRATCH and FF_I_BYTES. */
#define FF_I_SECOND(place, quads) ((place) | (quads) * 16u)
#define FF_I_BYTES(second) ((second) & 112u)

/* Kinds besides those of ff_slice_codes.h; a table's kind has its number of inputs, 1 to 8. */
#define FF_I_NEXT 14u
#define FF_I_STAGE 15u
#define FF_I_TABLE 16u
#define FF_I_TABLE_OF(inputs) (FF_I_TABLE + (inputs) - 1u)
#define FF_I_INPUTS(kind) ((kind) - FF_I_TABLE + 1u)
#define FF_I_END 24u
#define FF_I_STAGED 16u /* rows that are staged at once */
#define FF_I_WINDOW 256u /* bytes */

/* Quads of a table of k inputs, and of these before the truth table itself. */
#define FF_I_TABLE_QUADS(k) (0x75333322u >> 4u * ((k) - 1u) & 15u)
#define FF_I_TABLE_HEAD(k) (0x33222211u >> 4u * ((k) - 1u) & 15u)

/* The second word of a choice: how many cuts and random rows, and flags. Written by FF_I_CHOICE. */
#define FF_I_CHOICE(cuts, rows, flags) ((cuts) | (rows) << 4 | (flags))
#define FF_I_CUTS(choice) ((choice) & 7u)
#define FF_I_ROWS(choice) ((choice) >> 4 & 15u)
#define FF_I_PLAIN 256u  /* eight rows, two groups of four */
#define FF_I_EXACT 512u  /* its rows decide all */
#define FF_I_MORE 1024u  /* more cuts of the choice before */
#define FF_I_LAST 2048u  /* no choice follows */

/* The same text of numbers lies in the host's or the device's memory. */
typedef struct {
  uint32_t n_nodes, n_terms, n_flip;
  uint32_t prologue;               /* 1: every warp first runs the stream's beginning, choices that all segments read */
  uint32_t n_update;               /* segments of the update; those of the terms follow */
  uint32_t n_segments;
  uint32_t scratch_rows;           /* of a warp */
  uint32_t staged;                 /* tables read scratch, into which a segment first copies what it reads */
  const uint32_t *stream;
  const uint32_t *segments;        /* the window where each begins */
  const uint32_t *segment_terms;   /* n_segments + 1: the terms that a segment ends with (terms' segments only) */
  const uint32_t *cut_rest;        /* 32 bits of a cut after the first 8 ... */
  const uint32_t *cut_further;     /* ... and the 24 after these, as the upper ones of a word */
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
#include "../../pbn/ff_engine.h"

/* The image of a sliced program in one block of memory, to be freed by ff_free_aligned(*memory). O(size of the program). */
ff_status ff_slice_image_new(ff_slice_image *out, void **memory, size_t *bytes, const ff_program *program, ff_error *err);

/* One that first copies the rows that a segment reads: for states that do not lie close by. */
ff_status ff_slice_image_staged(ff_slice_image *out, void **memory, size_t *bytes, const ff_program *program, ff_error *err);

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

#ifdef __cplusplus
}
#endif

#endif
