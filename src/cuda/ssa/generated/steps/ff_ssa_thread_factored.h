/* The parts of generated code for the factored method that do not depend on the network: where counts are, the search for the
 * molecule that reacts (ff_ssa_thread_factored_search.h), and the changes (ff_ssa_thread_factored_counts.h). A part of
 * ff_ssa_thread.h.
 *
 * Members of sums are in the order of species. The first S_HEAD of them are in registers. The counts of others are words: two
 * counts of 16 bits, or one of 32. Eight of them are a chunk, and S_CHUNKS chunks are a part. A sum has a cell for each part but
 * the last, with the sum over the members in this part, without the head. A small sum has all members in one chunk, and no cells:
 * it is searched as if its chunk were the first one of the last part.
 *
 * If counts are in global memory (S_APART), all threads of a warp set those of one trajectory to their initial values; changes
 * are atomic additions, for which a thread does not wait; and the largest count is looked for only if it might be too large. A
 * sum of many parts also has cells for regions, which are S_REGION parts each. These are in shared memory, and the cells of parts
 * are behind the counts.
 *
 *   S_GROUPS                   groups
 *   S_QUADS                    whether a thread's words are four by four in shared memory, so that a chunk takes one load. If
 *                              not, the chunk of a small sum may begin at any word
 *   S_BITS32                   whether counts have 32 bits
 *   S_MOST16, S_STEP16         the most that a number of 16 bits may be, and that a step adds to it
 *   S_STORE, S_SPLIT           words of global memory that a thread has for counts, 0 if these are in rows; whether cells are in
 *                              rows then
 *   S_HELD, S_AWAY             chunks that are in rows, a multiple of S_CHUNKS, if few steps need the others; words of global
 *                              memory that a thread has for these, t->away. S_QUADS is 1 then, and S_STORE is 0. Else both are 0
 *   S_BIG, S_FAR               whether the data are in global memory; whether the weights are there, too
 *   S_HEAD, S_HEADS            members in the head; where the table has their weights, 8 bytes for each group
 *   S_CHUNKS, S_PARTS, S_SPAN  chunks of a part, parts, and positions: those of the chunks of all parts, then those of the head
 *   S_REGIONS, S_REGION        regions, and parts of each; 1 and S_PARTS if there are none
 *   S_ONES                     whether each member is in one sum, with the weight 1, and sums follow each other: then these are
 *                              searched as if they were one. There are no weights, and `weights` of a group is its sum's number
 *   S_MAPPED                   whether changes are by the entry of a map, instead of by its reaction
 *   S_SAFE                     if S_APART: the steps before the largest count has to be looked for
 *   S_CELLS, S_COLUMNS         the word of the first cell, and words for each part: 1, 2, or a multiple of 4
 *   S_USED, S_PAIRS            such words in use, and those that have two cells of 16 bits; others have one of 32 bits
 *   S_WORDS_ALL                words of counts and cells
 *   S_POOLS, S_RANGES          whether there are pools of several species; the largest number of ranges
 *   S_NOTHING                  the number of the reaction that changes nothing
 *   S_MOVED, S_ENTRIES         counts of members, and counts at all, that are words and that a step changes
 *   S_TOTALS, S_LOOSE          totals of sums, and other counts: these are in registers. The last ones are the head
 *   S_INITIAL, S_WEIGHTS, S_MAPS, S_CHANGES
 *                              where these data begin: initial words, totals and counts in registers; the weights of each chunk
 *                              of a sum; maps of 16 bits; and S_CHANGE words for each reaction
 *   S_CELL_BYTES               bytes of these for the cells of a part
 *   S_MANY                     whether there are many groups; see ff_ssa_thread_groups.h. Else S_FIXED is S_CHANGE, and
 *                              S_LEAF_WORDS is 0
 */
#ifndef FF_SSA_THREAD_FACTORED_H
#define FF_SSA_THREAD_FACTORED_H

#define S_DATA (S_BIG ? t->big : t->table)
#define S_WEIGHTS_OF(n) ((const s_two *)((S_FAR ? t->big : t->table) + S_WEIGHTS) + (n))
#if S_STORE > 0
#define S_BASE (t->store)
#define S_OFFSET(i) (i)
#else
#define S_BASE (t->rows)
#define S_OFFSET(i) S_ROW_OFFSET(i)
#endif
#if S_SPLIT || S_REGIONS > 1
#define S_CELL_BASE (t->rows)
#define S_CELL_OFFSET(i) S_ROW_OFFSET(i)
#elif S_HELD > 0
#define S_CELL_BASE (t->rows + S_ROW_OFFSET(4u * S_HELD))
#define S_CELL_OFFSET(i) S_ROW_OFFSET(i)
#else
#define S_CELL_BASE (S_BASE + S_OFFSET(S_CELLS))
#define S_CELL_OFFSET(i) S_OFFSET(i)
#endif
#if S_HELD > 0
#define S_WORD(i) (*((i) < 4u * S_HELD ? t->rows + S_ROW_OFFSET(i) : t->away + S_ROW_OFFSET((i) - 4u * S_HELD)))
#else
#define S_WORD(i) (S_BASE[S_OFFSET(i)])
#endif
#if S_APART
#define S_ANY_WORD(i) (*((i) < S_STORE ? t->store + (i) : t->rows + S_ROW_OFFSET((i) - S_STORE)))
#else
#define S_ANY_WORD(i) (*((i) < S_CELLS ? &S_WORD(i) : S_CELL_BASE + S_CELL_OFFSET((i) - S_CELLS)))
#endif
#define S_TOTAL(i) (t->x[i])
#if S_BITS32
#define S_CHUNK_WORDS 8u
#define S_COUNT(at) S_WORD(at)
#else
#define S_CHUNK_WORDS 4u
#define S_COUNT(at) S_HALF(S_WORD((at) >> 1), ((at) & 1u) << 4)
#endif
#define S_STRIDE S_OFFSET(S_CHUNK_WORDS) /* of chunks */

/* S_PICK takes the bytes of a cell: half of a word, the word, or 0. */
#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
#define S_SPREAD(word, shift) __byte_perm((word), 0u, (shift) != 0u ? 0x4342u : 0x4140u)
#define S_PICK(word, bytes) __byte_perm((word), 0u, (bytes))
#define S_SHIFT(x, by) __funnelshift_l(0u, (x), (by))
#define S_UNROLL_8 _Pragma("unroll 8")
#else
#define S_UNROLL_8
#define S_SPREAD(word, shift) (((word) >> (shift) & 0xFFu) | ((word) >> (shift) & 0xFF00u) << 8)
#define S_PICK(word, bytes) \
  ((bytes) == S_LOWER ? (word) & 0xFFFFu : (bytes) == S_UPPER ? (word) >> 16 : (bytes) == S_WHOLE ? (word) : 0u)
#define S_SHIFT(x, by) ((x) << ((by) & 31u))
#endif
#define S_LOWER 0x4410u /* equal those of ff_ssa_generate_layout.c */
#define S_UPPER 0x4432u
#define S_WHOLE 0x3210u
#define S_NOWHERE 0x4444u
#define S_HALF(word, shift) ((word) >> (shift) & 0xFFFFu)
#define S_SIGNED(word, i) ((uint32_t)((int32_t)((word) << (24u - (i) % 4u * 8u)) >> 24))

typedef struct S_ALIGNED(8) {
  uint32_t v[2];
} s_two;
typedef struct S_ALIGNED(16) {
  uint32_t v[4];
} s_four;

#if S_MANY
#include "ff_ssa_thread_groups.h"
#endif

/* What the search for a molecule needs, by group; the last one is that of S_REACTIONS. */
typedef struct S_ALIGNED(16) {
  uint32_t first;   /* 16 bits: what is added to the number (if not S_QUADS, to the first word) of a chunk, modulo 2^16; then
                     * what S_PICK takes of a cell */
  uint32_t weights; /* the number of its first chunk among the weights */
  uint32_t map;
  uint32_t more;    /* ranges: 16 bits; the word of its cell in a part: 8 bits; bit 31: the group is a pool */
} s_group;

typedef struct {
  uint32_t at, x, left; /* the member's position, its count, and the number of the molecule among its ranges */
} s_place;

/* x + byte i of a word, which has a sign. */
FF_WARP uint32_t s_add_byte(uint32_t x, uint32_t word, uint32_t i) {
#if defined(__CUDA_ARCH__)
  int32_t out;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(out) : "r"(word), "r"(1u << i % 4u * 8u), "r"(x));
  return (uint32_t)out;
#else
  return x + S_SIGNED(word, i);
#endif
}

#define S_BYTE(w, i) ((w) >> ((i) * 8u) & 0xFFu)

#include "ff_ssa_thread_factored_search.h"
#include "ff_ssa_thread_factored_counts.h"

#endif
