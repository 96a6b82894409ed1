/* The parts of generated code for the factored method that do not depend on the network: the search for the molecule that reacts,
 * and the changes. A part of ff_ssa_thread.h.
 *
 * Counts are words: two counts of 16 bits, or one of 32. Those of members of sums come first, in the order of species. Eight of
 * them are a chunk, and S_CHUNKS chunks are a part. A sum whose members are in one chunk is small, and its chunk may begin at any
 * word. Other sums have a cell for each part, with the sum over the members in this part.
 *
 *   S_GROUPS                   groups
 *   S_WIDE, S_CELL16           whether counts have 32 bits; whether cells have 16, two to a word
 *   S_MOST16                   the most that a number of 16 bits may be
 *   S_STORE                    words of global memory that a thread has for counts and cells; 0: these are in rows
 *   S_BIG                      whether the data are in global memory
 *   S_CHUNKS, S_PARTS, S_SPAN  chunks of a part, parts, and counts in all parts
 *   S_SMALL, S_LARGE           whether there are small sums, and others
 *   S_CELLS, S_COLUMNS         the word of the first cell, and words of the cells of a part
 *   S_WORDS_ALL                words of counts and cells
 *   S_POOLS, S_UNITS           whether there are pools of several species; the largest number of units
 *   S_MOVED, S_ENTRIES         counts of members, and counts at all, that an event changes
 *   S_TOTALS, S_LOOSE          totals of sums, and counts that are not words: both are in registers
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
#if S_STORE > 0
#define S_WORD(i) (t->store[i])
#else
#define S_WORD(i) S_ROW(i)
#endif
#define S_TOTAL(i) (t->x[i])
#if S_WIDE
#define S_CHUNK_WORDS 8u
#define S_COUNT(at) S_WORD(at)
#else
#define S_CHUNK_WORDS 4u
#define S_COUNT(at) S_HALF(S_WORD((at) >> 1), ((at) & 1u) << 4)
#endif

#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
#define S_ALIGNED(n) __align__(n)
#define S_SPREAD(word, shift) __byte_perm((word), 0u, (shift) != 0u ? 0x4342u : 0x4140u)
#else
#define S_ALIGNED(n) __attribute__((aligned(n)))
#define S_SPREAD(word, shift) (((word) >> (shift) & 0xFFu) | ((word) >> (shift) & 0xFF00u) << 8)
#endif
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
  uint32_t first;   /* the word at which its chunks begin */
  uint32_t weights; /* the number of its first chunk among the weights */
  uint32_t map;
  uint32_t more;    /* units: 16 bits; the word of its cell in a part: 8 bits; bit 28: the cell is the upper half of the word;
                     * bit 30: the sum is small; bit 31: the group is a pool */
} s_group;

typedef struct {
  uint32_t at, x, left; /* the member's position, its count, and the number of the molecule among its units */
} s_place;

/* The part in which the prefix sum of cells exceeds v. *base becomes the sum of those before. */
FF_WARP uint32_t s_part(const s_thread *t, const s_group *g, uint32_t v, uint32_t *base) {
  uint32_t part = 0u, before = 0u, sum = 0u;
#if S_LARGE && S_PARTS > 1
  const uint32_t column = S_CELLS + (g->more >> 16 & 0xFFu), shift = g->more >> 24 & 16u;
  FF_UNROLL for (uint32_t k = 0; k < S_PARTS - 1u; k++) {
    const uint32_t cell = S_WORD(column + k * S_COLUMNS);
    sum += S_CELL16 ? S_HALF(cell, shift) : cell;
    part = v >= sum ? k + 1u : part;
    before = v >= sum ? sum : before;
  }
  (void)shift;
  if (S_SMALL && (g->more & 0x40000000u)) part = before = 0u;
#endif
  (void)t;
  (void)g;
  (void)v;
  (void)sum;
  *base = before;
  return part;
}

/* The counts of a chunk. */
FF_WARP void s_counts(const s_thread *t, uint32_t word, uint32_t x[8]) {
  FF_UNROLL for (uint32_t i = 0; i < S_CHUNK_WORDS; i++) {
    const uint32_t w = S_WORD(word + i);
    if (S_WIDE) {
      x[i] = w;
    } else {
      x[2 * i] = w & 0xFFFFu;
      x[2 * i + 1] = w >> 16;
    }
  }
}

#define S_WEIGHT(w, i) ((w).v[(i) / 4] >> ((i) % 4 * 8) & 0xFFu)

/* The chunk of a part in which the prefix sum exceeds v. */
FF_WARP uint32_t s_chunk(const s_thread *t, const s_group *g, uint32_t part, uint32_t v, uint32_t *base) {
  uint32_t chunk = part * S_CHUNKS;
#if S_LARGE && S_CHUNKS > 1
  uint32_t sum = *base, before = *base;
  const s_two *weights = (const s_two *)(S_DATA + S_WEIGHTS) + g->weights;
  const uint32_t first = part * S_CHUNKS;
  FF_UNROLL for (uint32_t k = 0; k < S_CHUNKS - 1u; k++) {
    uint32_t x[8];
    const s_two w = weights[S_SMALL && (g->more & 0x40000000u) ? 0u : first + k];
    s_counts(t, g->first + (first + k) * S_CHUNK_WORDS, x);
    FF_UNROLL for (uint32_t i = 0; i < 8u; i++) sum += x[i] * S_WEIGHT(w, i);
    chunk = v >= sum ? first + k + 1u : chunk;
    before = v >= sum ? sum : before;
  }
  if (S_SMALL && (g->more & 0x40000000u)) {
    chunk = 0u;
    before = 0u;
  }
  *base = before;
#endif
  (void)t;
  (void)g;
  (void)v;
  (void)base;
  return chunk;
}

/* The member to which molecule v of a group's sum belongs. */
FF_WARP s_place s_search(const s_thread *t, const s_group *g, uint32_t v) {
  uint32_t base, x[8];
  const uint32_t part = s_part(t, g, v, &base), chunk = s_chunk(t, g, part, v, &base);
  const s_two w = ((const s_two *)(S_DATA + S_WEIGHTS))[g->weights + chunk];
  s_counts(t, g->first + chunk * S_CHUNK_WORDS, x);
  s_place out = {0u, x[0], 0u};
  uint32_t sum = base;
  FF_UNROLL for (uint32_t i = 0; i < 7u; i++) {
    sum += x[i] * S_WEIGHT(w, i);
    out.at = v >= sum ? i + 1u : out.at;
    out.x = v >= sum ? x[i + 1u] : out.x;
    base = v >= sum ? sum : base;
  }
  out.at += chunk * 8u;
  out.left = v - base;
  return out;
}

FF_WARP uint32_t s_map(const s_thread *t, uint32_t at) { return ((const unsigned short *)(S_DATA + S_MAPS))[at]; }

FF_WARP uint32_t s_unit(uint32_t left, uint32_t x, uint32_t units) {
  if (S_UNITS == 1u) return 0u;
  uint32_t unit = 0u;
  if (S_UNITS <= 5u) {
    FF_UNROLL for (uint32_t k = 1; k < S_UNITS; k++) unit += left >= k * x;
  } else if (S_UNITS <= 16u) {
    FF_UNROLL for (uint32_t k = 8; k > 0u; k /= 2u) {
      const int over = left >= k * x;
      unit += over ? k : 0u;
      left -= over ? k * x : 0u;
    }
  } else {
    unit = left / (x > 1u ? x : 1u);
  }
  return unit < units ? unit : units - 1u;
}

#if S_POOLS
/* The reaction of a pool whose first molecule has the number v among n, and belongs to the member at `first`. */
FF_WARP uint32_t s_pair(const s_thread *t, const s_group *g, uint32_t v, uint32_t n, uint32_t first) {
  const ff_philox_block words = s_random(t, FF_SSA_DRAW_EVENT, 1u);
  const uint32_t units = g->more & 0xFFFFu, second = (uint32_t)(ff_ssa_closed(words.v[0], words.v[1]) * S_REAL(n - 1u));
  const uint32_t v2 = second < n - 1u ? second : n - 2u;
  const s_place place = s_search(t, g, v2 < v ? v2 : v2 + 1u);
  const uint32_t span = g->more & 0x40000000u ? 8u : S_SPAN;
  return s_map(t, g->map + span + s_map(t, g->map + first) * units + s_map(t, g->map + place.at));
}
#endif

/* The reaction that a group and a molecule of its sum determine. */
FF_WARP uint32_t s_reaction(const s_thread *t, const s_next *next) {
  const s_group g = ((const s_group *)t->table)[next->reaction];
  const uint32_t n = next->n, chosen = (uint32_t)(next->share * S_REAL(n)), v = chosen < n ? chosen : n - 1u;
  const uint32_t units = g.more & 0xFFFFu;
  const s_place place = s_search(t, &g, v);
#if S_POOLS
  const int pool = g.more >> 31;
  uint32_t r = s_map(t, g.map + (pool ? place.at : place.at * units + s_unit(place.left, place.x, units)));
  if (S_ANY(pool)) {
    if (pool) r = s_pair(t, &g, v, n, place.at);
    FF_SYNCWARP();
  }
  return r;
#else
  return s_map(t, g.map + place.at * units + s_unit(place.left, place.x, units));
#endif
}

/* The changes by a reaction are a word for each count: its word, bit 8 for its upper half, and 128 + what is added. Bytes follow:
 * what is added to the cells of the parts of the members, with 128 added if there are two to a word; then to totals and counts in
 * registers. */
FF_WARP void s_fire(s_thread *t, const s_next *next) {
  const s_four *changes = (const s_four *)(S_DATA + S_CHANGES) + s_reaction(t, next) * (S_CHANGE / 4u);
  uint32_t row[S_FIXED];
  FF_UNROLL for (uint32_t i = 0; i < S_FIXED / 4u; i++) {
    const s_four four = changes[i];
    FF_UNROLL for (uint32_t k = 0; k < 4u; k++) row[4u * i + k] = four.v[k];
  }
  FF_UNROLL for (uint32_t i = 0; i < S_ENTRIES; i++) {
    const uint32_t word = row[i] >> 9, by = (row[i] & 0xFFu) - 128u;
    S_WORD(word) += S_WIDE ? by : by << (row[i] >> 4 & 16u);
  }
#if S_LARGE && S_PARTS > 1
  FF_UNROLL for (uint32_t i = 0; i < S_MOVED; i++) {
    const uint32_t cells = S_CELLS + (row[i] >> 9) / (S_CHUNKS * S_CHUNK_WORDS) * S_COLUMNS;
    FF_UNROLL for (uint32_t k = 0; k < S_COLUMNS; k++) {
      const uint32_t byte = S_ENTRIES * 4u + i * S_CELL_BYTES + k * (S_CELL16 ? 2u : 1u);
      if (S_CELL16)
        S_WORD(cells + k) += S_SPREAD(row[byte / 4u], byte % 4u * 8u) - 0x00800080u;
      else
        S_WORD(cells + k) += S_SIGNED(row[byte / 4u], byte);
    }
  }
#endif
  FF_UNROLL for (uint32_t i = 0; i < S_TOTALS + S_LOOSE; i++) {
    const uint32_t byte = S_ENTRIES * 4u + (S_LARGE && S_PARTS > 1 ? S_MOVED * S_CELL_BYTES : 0u) + i;
    t->x[i] += S_SIGNED(row[byte / 4u], byte);
  }
#if S_MANY
  s_update(t, row, (const uint32_t *)changes + S_MORE);
#endif
}

FF_WARP void s_begin(s_thread *t) {
  const uint32_t *initial = S_DATA + S_INITIAL;
  FF_NO_UNROLL for (uint32_t i = 0; i < S_WORDS_ALL + S_LEAF_WORDS; i++) S_WORD(i) = initial[i];
  FF_UNROLL for (uint32_t i = 0; i < S_TOTALS + S_LOOSE; i++) t->x[i] = initial[S_WORDS_ALL + S_LEAF_WORDS + i];
#if S_MANY
  s_sum_all(t);
#endif
}

FF_WARP uint32_t s_most(const s_thread *t) {
  uint32_t most = 0u, most16 = 0u;
  FF_NO_UNROLL for (uint32_t i = 0; i < S_WORDS_ALL; i++) {
    const uint32_t w = S_WORD(i);
    if (i < S_CELLS ? S_WIDE : !S_CELL16) {
      most = w > most ? w : most;
    } else {
      most16 = (w & 0xFFFFu) > most16 ? w & 0xFFFFu : most16;
      most16 = w >> 16 > most16 ? w >> 16 : most16;
    }
  }
  FF_UNROLL for (uint32_t i = 0; i < S_TOTALS + S_LOOSE; i++) most = t->x[i] > most ? t->x[i] : most;
#if S_MANY
  const uint32_t leaf = s_most_leaf(t);
  most = leaf > most ? leaf : most;
#endif
  return most16 > S_MOST16 ? 0xFFFFFFFFu : most;
}

#endif
