/* The parts of generated code for the factored method that do not depend on the network: the search for the molecule that reacts,
 * and the changes. A part of ff_ssa_thread.h.
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
 *   S_WIDE                     whether counts have 32 bits
 *   S_MOST16, S_STEP16         the most that a number of 16 bits may be, and that an event adds to it
 *   S_STORE, S_SPLIT           words of global memory that a thread has for counts, 0 if these are in rows; whether cells are in
 *                              rows then
 *   S_HELD, S_AWAY             chunks that are in rows, a multiple of S_CHUNKS, if few events need the others; words of global
 *                              memory that a thread has for these, t->away. S_QUADS is 1 then, and S_STORE is 0. Else both are 0
 *   S_BIG, S_FAR               whether the data are in global memory; whether the weights are there, too
 *   S_HEAD, S_HEADS            members in the head; where the table has their weights, 8 bytes for each group
 *   S_CHUNKS, S_PARTS, S_SPAN  chunks of a part, parts, and positions: those of the chunks of all parts, then those of the head
 *   S_REGIONS, S_REGION        regions, and parts of each; 1 and S_PARTS if there are none
 *   S_ONES                     whether each member is in one sum, with the weight 1, and sums follow each other: then these are
 *                              searched as if they were one. There are no weights, and `weights` of a group is its sum's number
 *   S_MAPPED                   whether changes are by the entry of a map, instead of by its reaction
 *   S_SAFE                     if S_APART: the events before the largest count has to be looked for
 *   S_CELLS, S_COLUMNS         the word of the first cell, and words for each part: 1, 2, or a multiple of 4
 *   S_USED, S_PAIRS            such words in use, and those that have two cells of 16 bits; others have one of 32 bits
 *   S_WORDS_ALL                words of counts and cells
 *   S_POOLS, S_UNITS           whether there are pools of several species; the largest number of units
 *   S_NOTHING                  the number of the reaction that changes nothing
 *   S_MOVED, S_ENTRIES         counts of members, and counts at all, that are words and that an event changes
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
#if S_WIDE
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
  uint32_t more;    /* units: 16 bits; the word of its cell in a part: 8 bits; bit 31: the group is a pool */
} s_group;

typedef struct {
  uint32_t at, x, left; /* the member's position, its count, and the number of the molecule among its units */
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

/* The number of the head's members before molecule v, S_HEAD if it is in none. *base becomes the sum of these. */
FF_WARP uint32_t s_head(const s_thread *t, uint32_t group, uint32_t v, uint32_t *base, uint32_t *x) {
  uint32_t found = 0u, before = 0u;
#if S_HEAD > 0
  const s_two w = ((const s_two *)(t->table + S_HEADS))[group];
  const uint32_t *counts = t->x + (S_TOTALS + S_LOOSE - S_HEAD);
  uint32_t sum = 0u;
  *x = counts[0];
  FF_UNROLL for (uint32_t i = 0; i < S_HEAD; i++) {
    sum += counts[i] * S_BYTE(w.v[i / 4u], i % 4u);
    found = v >= sum ? i + 1u : found;
    before = v >= sum ? sum : before;
    if (i + 1u < S_HEAD) *x = v >= sum ? counts[i + 1u] : *x;
  }
#endif
  (void)t;
  (void)group;
  (void)v;
  (void)x;
  *base = before;
  return found;
}

#if S_REGIONS > 1
/* The one of n cells, a multiple of 4, in which their prefix sum exceeds v, if each fourth of them is one load; the last one if
 * none does. Cells that `mask` excludes are 0. *base is the sum before all, and becomes that of those before. */
FF_WARP uint32_t s_quads(const uint32_t *cells, uint32_t stride, uint32_t n, uint32_t mask, uint32_t v, uint32_t *base) {
  uint32_t quad = 0u, sum = *base;
  s_four found = *(const s_four *)cells;
  int over = 0;
  FF_UNROLL for (uint32_t k = 0; k < n / 4u; k++) {
    const s_four four = *(const s_four *)(cells + k * stride);
    FF_UNROLL for (uint32_t i = 0; i < 3u; i++) found.v[i] = over ? four.v[i] : found.v[i];
    if (k + 1u == n / 4u) break;
    sum += (four.v[0] + four.v[1] + four.v[2] + four.v[3]) & mask;
    over = v >= sum;
    quad = over ? k + 1u : quad;
    *base = over ? sum : *base;
  }
  const uint32_t one = *base + (found.v[0] & mask), two = one + (found.v[1] & mask), three = two + (found.v[2] & mask);
  *base = v >= three ? three : v >= two ? two : v >= one ? one : *base;
  return 4u * quad + (v >= one) + (v >= two) + (v >= three);
}

/* The same, cell by cell. `rows` tells whether cells are in rows. */
FF_WARP uint32_t s_cells(const uint32_t *cells, int rows, uint32_t n, uint32_t bytes, uint32_t v, uint32_t *base) {
  uint32_t found = 0u, sum = *base;
  FF_UNROLL for (uint32_t k = 0; k + 1u < n; k++) {
    sum += S_PICK(cells[rows ? S_ROW_OFFSET(k * S_COLUMNS) : k * S_COLUMNS], bytes);
    found = v >= sum ? k + 1u : found;
    *base = v >= sum ? sum : *base;
  }
  return found;
}

/* The part in which the prefix sum of cells exceeds v: first the region, then the part in it. */
FF_WARP uint32_t s_part(const s_thread *t, const s_group *g, uint32_t v, uint32_t *base) {
  const uint32_t column = g->more >> 16 & 0xFFu, bytes = g->first >> 16;
#if S_COLUMNS == 1 && S_PAIRS == 0
  const uint32_t mask = bytes == S_NOWHERE ? 0u : 0xFFFFFFFFu;
  const uint32_t region = s_quads(t->rows, 4u * S_THREADS, S_REGIONS, mask, v, base);
  const uint32_t *cells = t->store + S_CELLS + region * S_REGION;
  (void)column;
  return region * S_REGION + s_quads(cells, 4u, S_REGION, mask, v, base);
#else
  const uint32_t *regions = t->rows + (S_COLUMNS <= 4u ? column : S_ROW_OFFSET(column));
  const uint32_t region = s_cells(regions, 1, S_REGIONS, bytes, v, base);
  const uint32_t *cells = t->store + S_CELLS + region * (S_REGION * S_COLUMNS) + column;
  return region * S_REGION + s_cells(cells, 0, S_REGION, bytes, v, base);
#endif
}
#else
/* The part in which the prefix sum of cells exceeds v. *base is the sum before all parts, and becomes that of those before. */
FF_WARP uint32_t s_part(const s_thread *t, const s_group *g, uint32_t v, uint32_t *base) {
  uint32_t part = 0u;
#if S_PARTS > 1
  const uint32_t column = g->more >> 16 & 0xFFu, bytes = g->first >> 16;
  const uint32_t *cells = S_CELL_BASE + (S_QUADS && S_COLUMNS <= 4u ? column : S_CELL_OFFSET(column));
  uint32_t sum = *base;
  FF_UNROLL for (uint32_t k = 0; k < S_PARTS - 1u; k++) {
    sum += S_PICK(cells[S_CELL_OFFSET(k * S_COLUMNS)], bytes);
    part = v >= sum ? k + 1u : part;
    *base = v >= sum ? sum : *base;
  }
#endif
  (void)t;
  (void)g;
  (void)v;
  return part;
}
#endif

#if S_HELD > 0
FF_WARP const uint32_t *s_held(const s_thread *t, uint32_t chunk) {
  const int away = chunk >= S_HELD;
  return (away ? t->away : t->rows) + (away ? chunk - S_HELD : chunk) * S_STRIDE;
}
#endif

/* Where the counts of a chunk are. */
FF_WARP const uint32_t *s_chunk_at(const s_thread *t, const s_group *g, uint32_t chunk) {
#if S_HELD > 0
  return s_held(t, (g->first + chunk) & 0xFFFFu);
#elif S_ONES
  (void)g;
  return S_BASE + chunk * S_STRIDE;
#elif S_QUADS
  return S_BASE + ((g->first + chunk) & 0xFFFFu) * S_STRIDE;
#else
  return S_BASE + S_OFFSET((g->first + chunk * S_CHUNK_WORDS) & 0xFFFFu);
#endif
}

FF_WARP void s_counts(const uint32_t *chunk, uint32_t x[S_CHUNK_WORDS]) {
#if S_QUADS
  FF_UNROLL for (uint32_t i = 0; i < S_CHUNK_WORDS / 4u; i++) {
    const s_four four = *(const s_four *)(chunk + S_OFFSET(4u * i));
    FF_UNROLL for (uint32_t k = 0; k < 4u; k++) x[4u * i + k] = four.v[k];
  }
#else
  FF_UNROLL for (uint32_t i = 0; i < S_CHUNK_WORDS; i++) x[i] = chunk[S_OFFSET(i)];
#endif
}

#if S_APART
/* Its weights. */
FF_WARP s_two s_weights(const s_thread *t, const s_group *g, uint32_t chunk) {
#if S_ONES
  const uint32_t ones = g->first >> 16 == S_NOWHERE ? 0u : 0x01010101u;
  const s_two out = {{ones, ones}};
  (void)t;
  (void)chunk;
  return out;
#else
  return *S_WEIGHTS_OF(g->weights + chunk);
#endif
}

/* The sum of a chunk. */
FF_WARP uint32_t s_weigh(const uint32_t x[S_CHUNK_WORDS], const s_two *w) {
#if S_WIDE
  uint32_t sum = 0u;
  FF_UNROLL for (uint32_t i = 0; i < 8u; i++) sum += x[i] * S_BYTE(w->v[i / 4u], i % 4u);
  return sum;
#else
  return s_dp2_high(x[3], w->v[1], s_dp2_low(x[2], w->v[1], s_dp2_high(x[1], w->v[0], s_dp2_low(x[0], w->v[0], 0u))));
#endif
}

/* The chunk of a part in which the prefix sum exceeds v, its counts and its weights. They are not loaded again. */
FF_WARP uint32_t s_chunk(const s_thread *t, const s_group *g, uint32_t part, uint32_t v, uint32_t *base,
                         uint32_t x[S_CHUNK_WORDS], s_two *w) {
  const uint32_t first = part * S_CHUNKS, *counts = s_chunk_at(t, g, first);
  uint32_t chunk = first, sum = *base;
  int over = 1;
  FF_UNROLL for (uint32_t k = 0; k < S_CHUNKS; k++) {
    uint32_t here[S_CHUNK_WORDS];
    const s_two weights = s_weights(t, g, first + k);
    s_counts(counts + k * S_STRIDE, here);
    FF_UNROLL for (uint32_t i = 0; i < S_CHUNK_WORDS; i++) x[i] = over ? here[i] : x[i];
    FF_UNROLL for (uint32_t i = 0; i < 2u; i++) w->v[i] = over ? weights.v[i] : w->v[i];
    if (k + 1u == S_CHUNKS) break;
    sum += s_weigh(here, &weights);
    over = v >= sum;
    chunk = over ? first + k + 1u : chunk;
    *base = over ? sum : *base;
  }
  return chunk;
}
#else
/* The chunk of a part in which the prefix sum exceeds v. */
FF_WARP uint32_t s_chunk(const s_thread *t, const s_group *g, uint32_t part, uint32_t v, uint32_t *base) {
  uint32_t chunk = part * S_CHUNKS;
#if S_CHUNKS > 1
  uint32_t sum = *base;
  const uint32_t first = chunk, *counts = s_chunk_at(t, g, first), *others = counts;
#if S_HELD > 0
  if (g->first >> 16 == S_NOWHERE) others = t->rows; /* the other counts weigh nothing in a small sum */
#endif
  const s_two *weights = S_WEIGHTS_OF(g->weights + first);
  FF_UNROLL for (uint32_t k = 0; k < S_CHUNKS - 1u; k++) {
    uint32_t x[S_CHUNK_WORDS];
    const s_two w = weights[k];
    s_counts((k == 0u ? counts : others) + k * S_STRIDE, x);
#if S_WIDE
    FF_UNROLL for (uint32_t i = 0; i < 8u; i++) sum += x[i] * S_BYTE(w.v[i / 4u], i % 4u);
#else
    const uint32_t half = s_dp2_high(x[1], w.v[0], s_dp2_low(x[0], w.v[0], S_CHUNKS > 2u ? 0u : sum));
    const uint32_t whole = s_dp2_high(x[3], w.v[1], s_dp2_low(x[2], w.v[1], half));
    sum = S_CHUNKS > 2u ? sum + whole : whole; /* with more chunks, their sums do not wait for each other */
#endif
    chunk = v >= sum ? first + k + 1u : chunk;
    *base = v >= sum ? sum : *base;
  }
#endif
  (void)t;
  (void)g;
  (void)v;
  (void)base;
  return chunk;
}
#endif

/* The member to which molecule v of a group's sum belongs. */
FF_WARP s_place s_search(const s_thread *t, const s_group *g, uint32_t group, uint32_t v) {
  uint32_t base, x[S_CHUNK_WORDS], head_x = 0u;
#if S_ONES
  FF_UNROLL for (uint32_t i = 0; i + 1u < S_TOTALS; i++) v += i < g->weights ? S_TOTAL(i) : 0u;
#endif
  const uint32_t head = s_head(t, group, v, &base, &head_x);
  const uint32_t head_base = base, some = s_part(t, g, v, &base);
  /* If a member of the head is found, it does not matter which part is searched, so it is one in rows. */
  const uint32_t part = S_HELD > 0u && head < S_HEAD && g->first >> 16 != S_NOWHERE ? 0u : some;
#if S_APART
  s_two w;
  const uint32_t chunk = s_chunk(t, g, part, v, &base, x, &w);
#else
  const uint32_t chunk = s_chunk(t, g, part, v, &base);
  const s_two w = *S_WEIGHTS_OF(g->weights + chunk);
  s_counts(s_chunk_at(t, g, chunk), x);
#endif
#if S_WIDE
  uint32_t sum = base;
  FF_UNROLL for (uint32_t i = 0; i < 4u; i++) sum += x[i] * S_BYTE(w.v[0], i);
  const int q4 = v >= sum;
  uint32_t weights = q4 ? w.v[1] : w.v[0];
  FF_UNROLL for (uint32_t i = 0; i < 4u; i++) x[i] = q4 ? x[i + 4u] : x[i];
  base = q4 ? sum : base;
  sum = base + x[0] * S_BYTE(weights, 0u) + x[1] * S_BYTE(weights, 1u);
  const int q2 = v >= sum;
  weights = q2 ? weights >> 16 : weights;
  const uint32_t x0 = q2 ? x[2] : x[0], x1 = q2 ? x[3] : x[1];
#else
  uint32_t sum = s_dp2_high(x[1], w.v[0], s_dp2_low(x[0], w.v[0], base));
  const int q4 = v >= sum;
  uint32_t weights = q4 ? w.v[1] : w.v[0];
  const uint32_t a = q4 ? x[2] : x[0], b = q4 ? x[3] : x[1];
  base = q4 ? sum : base;
  sum = s_dp2_low(a, weights, base);
  const int q2 = v >= sum;
  weights = q2 ? weights >> 16 : weights;
  const uint32_t pair = q2 ? b : a, x0 = pair & 0xFFFFu, x1 = pair >> 16;
#endif
  base = q2 ? sum : base;
  sum = base + x0 * (weights & 0xFFu);
  const int q1 = v >= sum;
  base = q1 ? sum : base;
  s_place out = {chunk * 8u + (q4 ? 4u : 0u) + (q2 ? 2u : 0u) + (q1 ? 1u : 0u), q1 ? x1 : x0, v - base};
#if S_HEAD > 0
  const int in_head = head < S_HEAD;
  out.at = in_head ? S_SPAN - 8u + head : out.at;
  out.x = in_head ? head_x : out.x;
  out.left = in_head ? v - head_base : out.left;
#endif
  (void)head;
  (void)head_base;
  return out;
}

FF_WARP uint32_t s_map(const s_thread *t, uint32_t at) {
  if (S_MAPPED) return at;
  return ((const unsigned short *)(S_DATA + S_MAPS))[at];
}

/* The quotient of numbers if it is at most 255 and the divisor is not 0. */
FF_WARP uint32_t s_quotient(uint32_t a, uint32_t b) {
#if defined(__CUDA_ARCH__)
  float inverse; /* errors are far below 1 / 255, so that the quotient is wrong by 1 at most */
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(__uint2float_rn(b)));
  const uint32_t about = __float2uint_rz(__uint2float_rn(a) * inverse);
  const int32_t rest = (int32_t)(a - about * b);
  return rest < 0 ? about - 1u : (uint32_t)rest >= b ? about + 1u : about;
#else
  return a / (b > 1u ? b : 1u);
#endif
}

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
    unit = s_quotient(left, x);
  }
  return unit < units ? unit : units - 1u;
}

/* The reaction that a group and a molecule of its sum determine, or the entry of the map if S_MAPPED. The two molecules of a pool
 * take two steps, so that lanes of other groups need not wait: the first step stores the first member and the event, and the
 * second step draws the other molecule among those that are left. */
FF_WARP uint32_t s_reaction(s_thread *t, const s_next *next) {
  const s_group g = ((const s_group *)t->table)[next->reaction];
  const int second = S_POOLS && t->member != S_NONE;
  const uint32_t n = second ? next->n - 1u : next->n, units = g.more & 0xFFFFu;
  const double share = second ? t->choice * 0x1p-64 : next->share;
  const uint32_t chosen = (uint32_t)(share * S_REAL(n));
  uint32_t v = chosen < n ? chosen : n - 1u;
#if S_POOLS
  const int pool = g.more >> 31, first = pool && !second;
  v += second && v >= t->pool_v ? 1u : 0u;
  t->pool = next->reaction;
  t->pool_n = next->n;
  t->pool_v = v;
  const s_place place = s_search(t, &g, next->reaction, v);
  const uint32_t row = second ? S_SPAN * (1u + t->member) : 0u;
  const uint32_t r = s_map(t, g.map + (pool ? row + place.at : place.at * units + s_unit(place.left, place.x, units)));
  t->member = first ? r : S_NONE;
  return first ? S_NOTHING : r;
#else
  const s_place place = s_search(t, &g, next->reaction, v);
  return s_map(t, g.map + place.at * units + s_unit(place.left, place.x, units));
#endif
}

/* The changes by a reaction are a word for each count: where it is, and what is added. 16 bits follow for each member's cells:
 * where those of its part are. Bytes follow: what is added to these cells, with 128 added if there are two to a word; then to
 * totals and counts in registers. */
#if S_STORE > 0 /* the word, bit 8 for its upper half, and 128 + what is added */
#define S_ENTRY_BY(entry) (((entry) & 0xFFu) - 128u)
#define S_ENTRY_SHIFT(entry) ((entry) >> 4 & 16u)
#define S_ENTRY_WORD(entry) (t->store + ((entry) >> 9))
#else           /* 16 bits for the offset, 8 for what is added, 1 that tells whether it is not in rows, 7 for the first bit */
#define S_ENTRY_WORD(entry) ((S_HELD > 0u && ((entry) & 0x80u) != 0u ? t->away : t->rows) + ((entry) >> 16))
#define S_ENTRY_BY(entry) S_SIGNED(entry, 1u)
#define S_ENTRY_SHIFT(entry) (entry)
#endif
#if S_SPLIT
#define S_CELLS_AT(n) (t->rows + (n))
#else
#define S_CELLS_AT(n) (S_BASE + (S_STORE > 0u ? S_CELLS + (n) * S_COLUMNS : (n)))
#endif

/* Adds to a word of t->store. */
#if S_APART && defined(__CUDA_ARCH__)
#define S_ADD(at, by) atomicAdd((at), (by))
#else
#define S_ADD(at, by) (*(at) += (by))
#endif

/* Word k of a part's cells after what byte `at` of a row, or bytes at and at + 1, add to it. */
FF_WARP uint32_t s_add_cells(uint32_t cells, const uint32_t *row, uint32_t at, uint32_t k) {
  const uint32_t byte = at + (k < S_PAIRS ? 2u * k : S_PAIRS + k);
  if (k >= S_PAIRS) return s_add_byte(cells, row[byte / 4u], byte);
  const uint32_t word = row[byte / 4u];
  if (byte % 4u % 2u == 0u) return cells + S_SPREAD(word, byte % 4u * 8u) - 0x00800080u;
  return cells + S_SPREAD(byte % 4u == 1u ? word >> 8 : word >> 24 | row[byte / 4u + 1u] << 8, 0u) - 0x00800080u;
}

/* Adds to the word of a count. On the device, an atomic operation adds, and the thread does not wait for it. */
FF_WARP void s_add_count(s_thread *t, uint32_t entry) {
  const uint32_t by = S_WIDE ? S_ENTRY_BY(entry) : S_SHIFT(S_ENTRY_BY(entry), S_ENTRY_SHIFT(entry));
#if S_HELD > 0 && defined(__CUDA_ARCH__)
  const uint32_t at = entry >> 16, row = (uint32_t)__cvta_generic_to_shared(t->rows) + 4u * at;
  asm volatile("{\n.reg .pred away;\nsetp.ne.u32 away, %3, 0;\n@away red.global.add.u32 [%0], %2;\n"
               "@!away red.shared.add.u32 [%1], %2;\n}"
               :: "l"(__cvta_generic_to_global(t->away + at)), "r"(row), "r"(by), "r"(entry & 0x80u) : "memory");
#else
  S_ADD(S_ENTRY_WORD(entry), by);
#endif
}

FF_WARP void s_fire(s_thread *t, const s_next *next) {
  const s_four *changes = (const s_four *)(S_DATA + S_CHANGES) + s_reaction(t, next) * (S_CHANGE / 4u);
  uint32_t row[S_FIXED], byte = 4u * S_ENTRIES;
  FF_UNROLL for (uint32_t i = 0; i < S_FIXED / 4u; i++) {
    const s_four four = changes[i];
    FF_UNROLL for (uint32_t k = 0; k < 4u; k++) row[4u * i + k] = four.v[k];
  }
  FF_UNROLL for (uint32_t i = 0; i < S_ENTRIES; i++) s_add_count(t, row[i]);
#if S_PARTS > 1
  byte += 2u * S_MOVED;
  FF_UNROLL for (uint32_t i = 0; i < S_MOVED; i++) {
    const uint32_t part = S_HALF(row[S_ENTRIES + i / 2u], i % 2u * 16u);
#if S_APART && !S_SPLIT
    FF_UNROLL for (uint32_t k = 0; k < S_USED; k++) {
      const uint32_t by = s_add_cells(0u, row, byte, k);
      if (S_COLUMNS == 1u || by != 0u) S_ADD(S_CELLS_AT(part) + k, by);
    }
#endif
#if S_REGIONS > 1
    uint32_t *const cells = t->rows + S_ROW_OFFSET(part / S_REGION * S_COLUMNS);
#else
    uint32_t *const cells = S_CELLS_AT(part);
#endif
#if S_APART && !S_SPLIT && S_REGIONS == 1
    (void)cells;
#elif S_QUADS && S_COLUMNS % 4 == 0
    FF_UNROLL for (uint32_t j = 0; j < S_COLUMNS; j += 4u) {
      s_four four = *(const s_four *)(cells + S_CELL_OFFSET(j));
      FF_UNROLL for (uint32_t k = 0; k < 4u; k++)
        if (j + k < S_USED) four.v[k] = s_add_cells(four.v[k], row, byte, j + k);
      *(s_four *)(cells + S_CELL_OFFSET(j)) = four;
    }
#else
    FF_UNROLL for (uint32_t k = 0; k < S_USED; k++) {
      uint32_t *const cell = cells + S_CELL_OFFSET(k);
      *cell = s_add_cells(*cell, row, byte, k);
    }
#endif
    byte += S_CELL_BYTES;
  }
#endif
  FF_UNROLL for (uint32_t i = 0; i < S_TOTALS + S_LOOSE; i++) t->x[i] = s_add_byte(t->x[i], row[(byte + i) / 4u], byte + i);
#if S_MANY
  s_update(t, row, (const uint32_t *)changes + S_MORE);
#endif
}

FF_WARP void s_begin(s_thread *t) {
#if S_POINTS
  const uint32_t *initial = t->point + S_POINT_INITIAL;
#else
  const uint32_t *initial = S_DATA + S_INITIAL;
#endif
  const uint32_t first = S_APART ? S_STORE : 0u; /* s_fill() does what comes before */
  FF_NO_UNROLL for (uint32_t i = first; i < S_WORDS_ALL + S_LEAF_WORDS; i++) S_ANY_WORD(i) = initial[i];
  FF_UNROLL for (uint32_t i = 0; i < S_TOTALS + S_LOOSE; i++) t->x[i] = initial[S_WORDS_ALL + S_LEAF_WORDS + i];
#if S_MANY
  s_sum_all(t);
#endif
#if S_APART
  t->safe = S_SAFE;
#endif
}

#if S_APART
/* Sets the counts of trajectories that begin: all threads of the warp set those of one after the other. */
FF_WARP void s_fill(s_thread *t) {
#if S_POINTS
  const uint32_t *initial = t->point + S_POINT_INITIAL;
#else
  const uint32_t *initial = S_DATA + S_INITIAL;
#endif
  uint32_t *to = t->store;
#if defined(__CUDA_ARCH__)
  uint32_t who = __ballot_sync(0xFFFFFFFFu, t->begins != 0u);
  FF_NO_UNROLL for (; who != 0u; who &= who - 1u) {
    const int lane = __ffs((int)who) - 1;
    to = (uint32_t *)__shfl_sync(0xFFFFFFFFu, (unsigned long long)t->store, lane);
#if S_POINTS
    initial = (const uint32_t *)__shfl_sync(0xFFFFFFFFu, (unsigned long long)(t->point + S_POINT_INITIAL), lane);
    for (uint32_t i = threadIdx.x % 32u; i < S_STORE; i += 32u) to[i] = initial[i];
#else
    for (uint32_t i = threadIdx.x % 32u; i < S_STORE / 4u; i += 32u) ((s_four *)to)[i] = ((const s_four *)initial)[i];
#endif
  }
  __syncwarp();
#else
  for (uint32_t i = 0; t->begins != 0u && i < S_STORE; i++) to[i] = initial[i];
#endif
  t->begins = 0u;
}

/* Events in which no number can become too large, from the largest numbers. */
FF_WARP uint32_t s_safe(uint32_t most, uint32_t most16) {
  uint32_t safe = S_EVENTS - S_CHUNK;
  if (most > S_LARGEST || most16 > 0xFFFFu) return 0u;
  if ((S_LARGEST - most) / S_MOST < safe) safe = (S_LARGEST - most) / S_MOST;
  return (0xFFFFu - most16) / S_STEP16 < safe ? (0xFFFFu - most16) / S_STEP16 : safe;
}

/* The same, from the counts and cells. */
FF_WARP uint32_t s_look(const s_thread *t) {
  uint32_t most = 0u, most16 = 0u;
  S_UNROLL_8 for (uint32_t i = 0; i < S_WORDS_ALL; i++) {
    const uint32_t w = S_ANY_WORD(i), column = (i < S_STORE ? i - S_CELLS : i - S_STORE) % (S_COLUMNS > 0u ? S_COLUMNS : 1u);
    const uint32_t low = w & 0xFFFFu, high = w >> 16, pair = low > high ? low : high;
    const int whole = i < S_CELLS ? S_WIDE : column >= S_PAIRS;
    most = whole && w > most ? w : most;
    most16 = !whole && pair > most16 ? pair : most16;
  }
  return s_safe(most, most16);
}

/* The largest total or count in a register. */
FF_WARP uint32_t s_most(const s_thread *t) {
  uint32_t most = 0u;
  FF_UNROLL for (uint32_t i = 0; i < S_TOTALS + S_LOOSE; i++) most = t->x[i] > most ? t->x[i] : most;
  return most;
}
#else
/* The largest of both halves of two words. */
FF_WARP uint32_t s_largest_halves(uint32_t a, uint32_t b) {
#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
  return __vmaxu2(a, b);
#else
  const uint32_t low = (a & 0xFFFFu) > (b & 0xFFFFu) ? a & 0xFFFFu : b & 0xFFFFu;
  return low | (a >> 16 > b >> 16 ? a >> 16 : b >> 16) << 16;
#endif
}

/* The largest halves of words of counts, which are four by four. */
FF_WARP uint32_t s_most_four(const uint32_t *counts, uint32_t words, uint32_t halves) {
  FF_NO_UNROLL for (uint32_t i = 0; i < words; i += 4u) {
    const s_four four = *(const s_four *)(counts + S_ROW_OFFSET(i));
    FF_UNROLL for (uint32_t k = 0; k < 4u; k++) halves = s_largest_halves(halves, four.v[k]);
  }
  return halves;
}

FF_WARP uint32_t s_most(const s_thread *t) {
  uint32_t most = 0u, halves = 0u, first = 0u;
#if S_QUADS && !S_WIDE && S_STORE == 0 && S_CELLS % 4 == 0
  first = S_CELLS;
  halves = s_most_four(t->rows, S_HELD > 0u ? 4u * S_HELD : S_CELLS, halves);
#if S_HELD > 0
  halves = s_most_four(t->away, S_CELLS - 4u * S_HELD, halves);
#endif
#endif
  FF_NO_UNROLL for (uint32_t i = first; i < S_WORDS_ALL; i++) {
    const uint32_t w = S_ANY_WORD(i);
    if (i < S_CELLS ? S_WIDE : (i - S_CELLS) % (S_COLUMNS > 0u ? S_COLUMNS : 1u) >= S_PAIRS)
      most = w > most ? w : most;
    else
      halves = s_largest_halves(halves, w);
  }
  const uint32_t most16 = halves >> 16 > (halves & 0xFFFFu) ? halves >> 16 : halves & 0xFFFFu;
  FF_UNROLL for (uint32_t i = 0; i < S_TOTALS + S_LOOSE; i++) most = t->x[i] > most ? t->x[i] : most;
#if S_MANY
  const uint32_t leaf = s_most_leaf(t);
  most = leaf > most ? leaf : most;
#endif
  return most16 > S_MOST16 ? 0xFFFFFFFFu : most;
}
#endif

#endif
