/* How the statistics of a wave are added up. The same text is compiled for the device and for the host.
 *
 * A warp reads tiles: 512 trajectories of the wave, 16 for each lane. Lane l has the trajectories l, l + 32, ... of the tile,
 * which are its batch. All counts are below 2^30, so 16 products of two of them are below 2^64: a batch is added up in 64-bit
 * words, which are then split into 32-bit limbs. A 64-bit word has room for 2^32 limbs, and a wave has fewer batches. */
#ifndef FF_COLLECT_H
#define FF_COLLECT_H

#include "../../ensemble/ff_device.h"
#include "../runtime/ff_warp.h"

#define FF_COLLECT_BATCH 16u
#define FF_COLLECT_TILE (32u * FF_COLLECT_BATCH)
#define FF_COLLECT_KEPT 0xFFFFu /* a batch without refused trajectories */

/* sum + x y, by one instruction of the device. */
FF_WARP uint64_t ff_collect_multiply_add(uint32_t x, uint32_t y, uint64_t sum) {
#if defined(__CUDA_ARCH__)
  uint64_t out;
  asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(out) : "r"(x), "r"(y), "l"(sum));
  return out;
#else
  return (uint64_t)x * y + sum;
#endif
}

/* The trajectories of a lane's batch that exist and are not refused: bit i for the i-th of them. The tiles are those of `units`
 * trajectories of the wave, from number `first` on. */
FF_WARP uint32_t ff_collect_batch_kept(const uint32_t *refused, uint64_t first, uint64_t units, uint64_t tile, uint32_t lane) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < FF_COLLECT_BATCH; i++) {
    const uint64_t at = (tile * FF_COLLECT_BATCH + i) * 32 + lane, bit = first + at;
    if (at < units) kept |= (~refused[bit / 32] >> bit % 32 & 1u) << i;
  }
  return kept;
}

/* ---- moments ------------------------------------------------------------------------------------------------------------ */

/* A square is a + 2^30 b, where a and b are below 2^30. These are the sums from which those of x^2, x^3 and x^4 follow. */
enum { FF_COLLECT_XX, FF_COLLECT_AX, FF_COLLECT_BX, FF_COLLECT_AA, FF_COLLECT_AB, FF_COLLECT_BB, FF_COLLECT_SPLIT_SUMS };

/* The words of a cell (a quantity at a time) on the device. First there are both limbs of each of the sums above. Words from
 * FF_COLLECT_WORD_MOST on are largest values, the others sums. All begin with 0. */
enum {
  FF_COLLECT_WORD_FIRST = 2 * FF_COLLECT_SPLIT_SUMS, /* the sum of counts */
  FF_COLLECT_WORD_N,                                 /* trajectories */
  FF_COLLECT_WORD_MOST,                              /* the largest count */
  FF_COLLECT_WORD_LEAST,                             /* FF_DEVICE_MOST minus the least count */
  FF_COLLECT_WORDS
};

typedef struct {
  uint64_t low[FF_COLLECT_SPLIT_SUMS], high[FF_COLLECT_SPLIT_SUMS]; /* limbs */
  uint64_t first;
  uint32_t n, least, most;
} ff_collect_lane_powers;

FF_WARP void ff_collect_lane_clear(ff_collect_lane_powers *p) {
  FF_UNROLL for (int i = 0; i < FF_COLLECT_SPLIT_SUMS; i++) p->low[i] = p->high[i] = 0;
  p->first = p->n = p->most = 0;
  p->least = FF_DEVICE_MOST;
}

FF_WARP void ff_collect_lane_range(ff_collect_lane_powers *p, uint32_t x) {
  p->least = x < p->least ? x : p->least;
  p->most = x > p->most ? x : p->most;
}

FF_WARP void ff_collect_lane_split(ff_collect_lane_powers *p, int i, uint64_t sum) {
  p->low[i] += (uint32_t)sum;
  p->high[i] += sum >> 32;
}

/* For counts below 2^15: b is 0. */
FF_WARP void ff_collect_lane_add_small(ff_collect_lane_powers *p, const uint32_t x[FF_COLLECT_BATCH]) {
  uint64_t xx = 0, ax = 0, aa = 0;
  FF_UNROLL for (uint32_t i = 0; i < FF_COLLECT_BATCH; i++) {
    const uint32_t a = x[i] * x[i];
    xx += a;
    ax = ff_collect_multiply_add(a, x[i], ax);
    aa = ff_collect_multiply_add(a, a, aa);
  }
  ff_collect_lane_split(p, FF_COLLECT_XX, xx);
  ff_collect_lane_split(p, FF_COLLECT_AX, ax);
  ff_collect_lane_split(p, FF_COLLECT_AA, aa);
}

FF_WARP void ff_collect_lane_add_large(ff_collect_lane_powers *p, const uint32_t x[FF_COLLECT_BATCH]) {
  uint64_t sum[FF_COLLECT_SPLIT_SUMS] = {0};
  FF_UNROLL for (uint32_t i = 0; i < FF_COLLECT_BATCH; i++) {
    const uint64_t square = ff_collect_multiply_add(x[i], x[i], 0);
    const uint32_t a = (uint32_t)square & 0x3FFFFFFFu, b = (uint32_t)(square >> 30);
    sum[FF_COLLECT_XX] += square;
    sum[FF_COLLECT_AX] = ff_collect_multiply_add(a, x[i], sum[FF_COLLECT_AX]);
    sum[FF_COLLECT_BX] = ff_collect_multiply_add(b, x[i], sum[FF_COLLECT_BX]);
    sum[FF_COLLECT_AA] = ff_collect_multiply_add(a, a, sum[FF_COLLECT_AA]);
    sum[FF_COLLECT_AB] = ff_collect_multiply_add(a, b, sum[FF_COLLECT_AB]);
    sum[FF_COLLECT_BB] = ff_collect_multiply_add(b, b, sum[FF_COLLECT_BB]);
  }
  FF_UNROLL for (int i = 0; i < FF_COLLECT_SPLIT_SUMS; i++) ff_collect_lane_split(p, i, sum[i]);
}

/* Adds the counts of a batch. Those that are not kept become 0. */
FF_WARP void ff_collect_lane_add(ff_collect_lane_powers *p, uint32_t x[FF_COLLECT_BATCH], uint32_t kept) {
  uint32_t bits = 0;
  if (kept == FF_COLLECT_KEPT) {
    FF_UNROLL for (uint32_t i = 0; i < FF_COLLECT_BATCH; i++) ff_collect_lane_range(p, x[i]);
  } else {
    FF_UNROLL for (uint32_t i = 0; i < FF_COLLECT_BATCH; i++) {
      if (kept >> i & 1u) ff_collect_lane_range(p, x[i]);
      else x[i] = 0;
    }
  }
  FF_UNROLL for (uint32_t i = 0; i < FF_COLLECT_BATCH; i++) bits |= x[i];
  FF_UNROLL for (uint32_t i = 0; i < FF_COLLECT_BATCH; i += 4) p->first += x[i] + x[i + 1] + x[i + 2] + x[i + 3]; /* below 2^32 */
  p->n += FF_POPCOUNT(kept);
  if (bits < 1u << 15) ff_collect_lane_add_small(p, x);
  else ff_collect_lane_add_large(p, x);
}

/* The sums of a lane as words. */
FF_WARP void ff_collect_lane_words(const ff_collect_lane_powers *p, uint64_t words[FF_COLLECT_WORDS]) {
  FF_UNROLL for (int i = 0; i < FF_COLLECT_SPLIT_SUMS; i++) {
    words[2 * i] = p->low[i];
    words[2 * i + 1] = p->high[i];
  }
  words[FF_COLLECT_WORD_FIRST] = p->first;
  words[FF_COLLECT_WORD_N] = p->n;
  words[FF_COLLECT_WORD_MOST] = p->most;
  words[FF_COLLECT_WORD_LEAST] = FF_DEVICE_MOST - p->least;
}

/* Adds the words of a cell to its statistics: x^3 = a x + 2^30 b x, and x^4 = a a + 2^31 a b + 2^60 b b. */
static inline void ff_collect_words_to(ff_count_moments *m, const uint64_t words[FF_COLLECT_WORDS]) {
  const double least = (double)(FF_DEVICE_MOST - words[FF_COLLECT_WORD_LEAST]), most = (double)words[FF_COLLECT_WORD_MOST];
  ff_sum_powers *sums = &m->sums;
  const struct {
    uint64_t *to;
    int n, shift;
  } part[FF_COLLECT_SPLIT_SUMS] = {{sums->second, 3, 0}, {sums->third, 4, 0},   {sums->third, 4, 30},
                               {sums->fourth, 4, 0}, {sums->fourth, 4, 31}, {sums->fourth, 4, 60}};
  if (words[FF_COLLECT_WORD_N] == 0) return; /* there is no range */
  ff_sum_add(sums->first, words[FF_COLLECT_WORD_FIRST], 0);
  for (int i = 0; i < FF_COLLECT_SPLIT_SUMS; i++) {
    ff_sum_add_shifted(part[i].to, part[i].n, words[2 * i], part[i].shift);
    ff_sum_add_shifted(part[i].to, part[i].n, words[2 * i + 1], part[i].shift + 32);
  }
  if (least < m->min) m->min = least;
  if (most > m->max) m->max = most;
}

/* ---- products ----------------------------------------------------------------------------------------------------------- */

/* A warp adds up the products of 4 quantities with 4 quantities, a square. Squares are numbered so that those with nearby numbers
 * share quantities: strips of 4 columns, and in each strip row by row. Only squares on and above the diagonal have a number. */
#define FF_COLLECT_SIDE 4u
#define FF_COLLECT_SQUARE (FF_COLLECT_SIDE * FF_COLLECT_SIDE)
#define FF_COLLECT_STRIP 4u

FF_WARP uint32_t ff_collect_sides(uint32_t n_observed) { return (n_observed + FF_COLLECT_SIDE - 1) / FF_COLLECT_SIDE; }

FF_WARP uint64_t ff_collect_squares(uint32_t n_observed) {
  const uint64_t sides = ff_collect_sides(n_observed);
  return sides * (sides + 1) / 2;
}

/* The row and the column of a square, row <= column. */
FF_WARP void ff_collect_square_of(uint64_t number, uint32_t n_observed, uint32_t *row, uint32_t *column) {
  const uint32_t sides = ff_collect_sides(n_observed);
  uint32_t first = 0, width = 0;
  for (;; first += FF_COLLECT_STRIP) {
    width = sides - first < FF_COLLECT_STRIP ? sides - first : FF_COLLECT_STRIP;
    const uint64_t squares = (uint64_t)width * first + width * (width + 1) / 2;
    if (number < squares) break;
    number -= squares;
  }
  const uint64_t above = number / width; /* whole rows, above the diagonal */
  *row = above < first ? (uint32_t)above : first;
  number -= (uint64_t)*row * width;
  for (; number >= first + width - (*row > first ? *row : first); ++*row) number -= first + width - (*row > first ? *row : first);
  *column = (*row > first ? *row : first) + (uint32_t)number;
}

/* The number of the pair (j, k), j < k, in ff_sums. */
FF_WARP uint64_t ff_collect_pair(uint32_t j, uint32_t k) { return (uint64_t)k * (k - 1) / 2 + j; }

/* Adds the products of one trajectory's counts. The sums have room for a batch. */
FF_WARP void ff_collect_square_add(uint64_t sum[FF_COLLECT_SQUARE], const uint32_t x[FF_COLLECT_SIDE],
                                  const uint32_t y[FF_COLLECT_SIDE]) {
  FF_UNROLL for (uint32_t i = 0; i < FF_COLLECT_SQUARE; i++)
    sum[i] = ff_collect_multiply_add(x[i / FF_COLLECT_SIDE], y[i % FF_COLLECT_SIDE], sum[i]);
}

/* Adds the sums of a batch to both limbs of each. */
FF_WARP void ff_collect_square_split(uint64_t limbs[2 * FF_COLLECT_SQUARE], const uint64_t sum[FF_COLLECT_SQUARE]) {
  FF_UNROLL for (uint32_t i = 0; i < FF_COLLECT_SQUARE; i++) {
    limbs[2 * i] += (uint32_t)sum[i];
    limbs[2 * i + 1] += sum[i] >> 32;
  }
}

/* Adds the sum that two limbs represent. */
static inline void ff_collect_pair_add(uint64_t sum[2], const uint64_t limbs[2]) {
  ff_sum_add(sum, limbs[0], 0);
  ff_sum_add(sum, limbs[1] << 32, limbs[1] >> 32);
}

/* ---- histograms --------------------------------------------------------------------------------------------------------- */

/* How often a value occurs in a cell. */
typedef struct {
  uint64_t cell;
  uint32_t value, count;
} ff_collect_value;

typedef struct {
  ff_collect_value *at;
  size_t n, capacity;
} ff_collect_values;

/* What the device counts at a time: the values of a cell from `from` on, in the entries of a table from `offset` on. Either there
 * is an entry for each of the next `room` values; or the table is hashed and holds all values from `from` on, each of them
 * together with how often it occurs. Then `room` is a power of two and at least twice the number of trajectories. */
typedef struct {
  uint64_t cell;
  uint32_t from, room, offset, hashed;
} ff_collect_job;

#define FF_COLLECT_ROOM (1u << 22) /* the entries of all tables at a time: 32 MB, which the device's cache holds */

/* The next job of a cell with these words. It is hashed only if the values would need many more entries than there are
 * trajectories. A cell of so many trajectories that a hashed table has no room takes several jobs. */
static inline ff_collect_job ff_collect_job_of(uint64_t cell, uint32_t from, const uint64_t words[FF_COLLECT_WORDS]) {
  const uint64_t n = words[FF_COLLECT_WORD_N], range = words[FF_COLLECT_WORD_MOST] - from + 1;
  uint64_t room = 1024;
  if (range <= 4 * n || range <= room || 2 * n > FF_COLLECT_ROOM)
    return (ff_collect_job){cell, from, (uint32_t)(range < FF_COLLECT_ROOM ? range : FF_COLLECT_ROOM), 0, 0};
  while (room < 2 * n) room *= 2;
  return (ff_collect_job){cell, from, (uint32_t)room, 0, 1};
}

/* Where a search for a value begins in a hashed table. */
FF_WARP uint32_t ff_collect_slot(uint32_t value, uint32_t room) {
  const uint32_t mixed = value * 0x9E3779B1u;
  return (mixed ^ mixed >> 15) & (room - 1);
}

/* An entry of a hashed table. 0 is a free entry. */
FF_WARP uint64_t ff_collect_entry(uint32_t value, uint32_t count) { return (uint64_t)(value + 1) << 32 | count; }

/* The value and the number in entry i of a job's table, which is not 0. */
FF_WARP ff_collect_value ff_collect_value_of(const ff_collect_job *job, uint32_t i, uint64_t entry) {
  ff_collect_value out;
  out.cell = job->cell;
  out.value = job->hashed ? (uint32_t)(entry >> 32) - 1 : job->from + i;
  out.count = (uint32_t)entry;
  return out;
}

#endif
