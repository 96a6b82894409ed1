/* The sliced program in the form that the CUDA interpreter reads: one stream of operations, cut into segments. A warp runs a
 * segment at a time.
 *
 * The memory of a tile is `now` (n_nodes rows of 32 words), `next` (n_nodes rows, then one row per term), and `scratch` of each
 * warp (masks, temporary rows, and in a staged image copies of the rows that a segment reads). A place is row * 128, an offset in
 * bytes. With FF_I_SCRATCH the row is in the warp's scratch. Without it, an operation reads the row of `now` and writes the row
 * of `next`.
 *
 * A choice selects a function, a context, or the node to update: it compares a random number with one or more bounds of 64 bits,
 * its cuts.
 *
 * The stream consists of quads (four words) and is read through a window of sixteen quads. Each segment begins with a new window.
 * An operation lies within one window; FF_I_NEXT leads to the next one. The first word of an operation holds its kind in bits 0
 * to 4, flags, and its destination.
 *   FF_S_CONST .. FF_S_MUX   The second word is operand a with FF_I_BYTES. Operands b and c follow. For FF_S_CONST the third
 *                            word is a.
 *   FF_I_TABLE_OF(k)         A truth table of k inputs. The second word is the place of a mask, with FF_I_BYTES. The inputs
 *                            follow, least significant first, up to the end of a quad. They are rows of `now`, in a staged
 *                            image rows of scratch. The table follows, up to the end of a quad. With up to four inputs, each
 *                            nibble of the table is one word: its bytes c0 .. c3 give the value c0 + c1 a + c2 b + c3 a b
 *                            modulo 2^32. With more inputs, each nibble is one byte. With FF_I_JOIN, the result is that of
 *                            the table where the mask, a row of scratch, is set, else that of the operation before.
 *   FF_S_SELECT              The second word is the number of the first cut. Then each choice takes one quad, and two more
 *                            per cut; a choice of more than seven cuts is split into several of these. The first quad holds
 *                            its first random row and a word with FF_I_CUTS, FF_I_ROWS and flags. If that word is 0, the
 *                            next window follows. The other quads hold the first 8 bits of each cut as masks. The rows of
 *                            the masks are the first rows of scratch.
 *   FF_I_STAGE               Copies sixteen rows. The second word is their first place in scratch; the third is the place of
 *                            the first node that the segment writes; the fourth is that node's place in scratch, where the
 *                            nodes that the segment writes follow in order. The sixteen places in `now` come next.
 *   FF_I_NEXT, FF_I_END      The next window follows; the segment ends.
 */
#ifndef FF_SLICE_IMAGE_H
#define FF_SLICE_IMAGE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../pbn/ff_pbn_draws.h"

/* A place: the number of a row of 32 words, and where the row lies. FF_I_PLACE encodes it; FF_I_ROW gives the byte offset,
 * FF_I_SCRATCH the flag. */
#define FF_I_PLACE(row, flags) ((row) * 128u | (flags))
#define FF_I_ROW(place) ((place) & ~127u)
#define FF_I_SCRATCH 1u /* the row is in the warp's scratch */

/* The first word of an operation: kind, flags and destination. FF_I_HEAD encodes it; FF_I_KIND, the flags and FF_I_ROW decode
 * it. */
#define FF_I_HEAD(kind, flags, destination) ((kind) | (flags) | (destination))
#define FF_I_KIND(head) ((head) & 31u)
#define FF_I_TO_SCRATCH 32u
#define FF_I_JOIN 64u
#define FF_I_NOWHERE (~127u) /* a destination: only the next operation uses the result */

/* The second word of an operation on rows: a place, and the length of the operation in the stream. FF_I_SECOND encodes it;
 * FF_I_ROW, FF_I_SCRATCH and FF_I_BYTES decode it. */
#define FF_I_SECOND(place, quads) ((place) | (quads) * 16u)
#define FF_I_BYTES(second) ((second) & 112u)

/* Kinds in addition to those of ff_slice_codes.h. The kind of a table includes its number of inputs, 1 to 8. */
#define FF_I_NEXT 14u
#define FF_I_STAGE 15u
#define FF_I_TABLE 16u
#define FF_I_TABLE_OF(inputs) (FF_I_TABLE + (inputs) - 1u)
#define FF_I_INPUTS(kind) ((kind) - FF_I_TABLE + 1u)
#define FF_I_END 24u
#define FF_I_STAGED 16u /* rows that one FF_I_STAGE copies */
#define FF_I_WINDOW 256u /* bytes */

/* The number of quads of a table of k inputs, and how many of them come before the truth table itself. */
#define FF_I_TABLE_QUADS(k) (0x75333322u >> 4u * ((k) - 1u) & 15u)
#define FF_I_TABLE_HEAD(k) (0x33222211u >> 4u * ((k) - 1u) & 15u)

/* The second word of a choice: its numbers of cuts and random rows, and flags. FF_I_CHOICE encodes it. */
#define FF_I_CHOICE(cuts, rows, flags) ((cuts) | (rows) << 4 | (flags))
#define FF_I_CUTS(choice) ((choice) & 7u)
#define FF_I_ROWS(choice) ((choice) >> 4 & 15u)
#define FF_I_PLAIN 256u  /* eight rows: two whole groups of four */
#define FF_I_EXACT 512u  /* its random rows decide every case */
#define FF_I_MORE 1024u  /* further cuts of the previous choice */
#define FF_I_LAST 2048u  /* the last choice of the operation */

/* The image of a program. Its arrays lie in one block of memory, on the host or on the device. */
typedef struct {
  uint32_t n_nodes, n_terms, n_flip;
  uint32_t prologue;               /* 1: every warp first runs the beginning of the stream, choices that all segments use */
  uint32_t n_update;               /* number of segments of the update; those of the terms follow */
  uint32_t n_segments;
  uint32_t scratch_rows;           /* rows of scratch per warp */
  uint32_t staged;                 /* 1: tables read scratch, and each segment first copies to it the rows that it reads */
  const uint32_t *stream;
  const uint32_t *segments;        /* the window in which each segment begins */
  const uint32_t *segment_terms;   /* n_segments + 1: segment i computes terms [i] .. [i + 1] - 1 (none in the update) */
  const uint32_t *cut_rest;        /* of each cut, the 32 bits after the first 8 ... */
  const uint32_t *cut_further;     /* ... and the 24 bits after these, as the upper bits of a word */
  const uint32_t *cut_number;      /* of each cut, the number of its choice */
  const uint32_t *flip;            /* row of each site's node; n_nodes if reduction removed the node */
  const uint8_t *two_state;        /* per term: whether its changes are counted */
  const int8_t *initial;
  uint32_t hits_size, hits_lowest, hits_draws;
  const uint64_t *hits_threshold;
  const uint32_t *hits_alias;
} ff_slice_image;

/* The parameter of one launch, for both kernels of the sliced program. */
typedef struct {
  uint32_t *state;    /* per tile: n_nodes rows of 32 words */
  uint32_t *counters; /* per tile and term: FF_COUNTER_ROWS rows */
  uint32_t *before;   /* per tile and term */
  uint64_t key, unit, step, steps;
  uint32_t tiles, counted; /* counted: steps that the counters hold */
  int count, fresh;
  uint32_t round_key[2 * FF_PHILOX_ROUNDS]; /* Philox's two key words, round by round */
} ff_slice_launch;

#if !defined(__CUDACC_RTC__)
#include "../../pbn/ff_pbn_engine.h"

/* Makes the image of a sliced program, in one block of memory. The caller frees it with ff_free_aligned(*memory). On an error
 * there is nothing to free. O(size of the program). */
ff_status ff_slice_image_new(ff_slice_image *out, void **memory, size_t *bytes, const ff_pbn_program *program, ff_error *err);

/* Makes an image in which each segment first copies the rows that it reads, for states in global memory. Otherwise as
 * ff_slice_image_new(). */
ff_status ff_slice_image_staged(ff_slice_image *out, void **memory, size_t *bytes, const ff_pbn_program *program, ff_error *err);

/* The same image, for a copy of its memory: `from` is the start of the original, `to` that of the copy. O(1). */
ff_slice_image ff_slice_image_at(const ff_slice_image *image, const void *from, const void *to);
#endif

/* The vertical counters of one term, in rows of 32 words: sums, held rows, the value before, and the changes counted by each
 * lane. */
#define FF_COUNTER_LEVELS 12
#define FF_COUNTER_ROWS (2u * FF_COUNTER_LEVELS + 2u)
#define FF_COUNTER_HELD FF_COUNTER_LEVELS
#define FF_COUNTER_BEFORE (2u * FF_COUNTER_LEVELS)
#define FF_COUNTER_CHANGED (2u * FF_COUNTER_LEVELS + 1u)

#ifdef __cplusplus
}
#endif

#endif
