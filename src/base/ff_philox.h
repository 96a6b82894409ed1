/* Philox4x32-10 (Salmon et al. 2011). A random word is a function of a key and a counter, so a draw is addressed by what it
 * is for and does not depend on the draws before it. All code is in this header, which gcc and nvcc compile from the same
 * text.
 *
 * The counter of a draw, in all engines:
 *   c[0] = purpose (upper 3 bits) and block number (lower 29 bits)
 *   c[1] = step, low 32 bits
 *   c[2] = step, next 16 bits (lower half), and unit, next 16 bits (upper half)
 *   c[3] = unit, low 32 bits. A unit is what an engine draws for: a tile, or a single trajectory.
 */
#ifndef FF_PHILOX_H
#define FF_PHILOX_H

#include "ff_base.h"

#define FF_PHILOX_M0 0xD2511F53u
#define FF_PHILOX_M1 0xCD9E8D57u
#define FF_PHILOX_W0 0x9E3779B9u
#define FF_PHILOX_W1 0xBB67AE85u
#define FF_PHILOX_ROUNDS 10

/* What a draw is for. Draws for different purposes never share a word. Each engine numbers its purposes from 0. The last
 * number is reserved for seeds. */
enum { FF_DRAW_SEED = 7 };

#define FF_PHILOX_BLOCK_BITS 29
#define FF_PHILOX_MAX_BLOCKS (1u << FF_PHILOX_BLOCK_BITS)
#define FF_PHILOX_MAX_STEPS (UINT64_C(1) << 48)
#define FF_PHILOX_MAX_UNITS (UINT64_C(1) << 48)

typedef struct {
  uint32_t v[4];
} ff_philox_block;

/* One round, with the two words of the key in this round. */
static FF_HD inline ff_philox_block ff_philox_round(ff_philox_block x, uint32_t k0, uint32_t k1) {
  const uint64_t p0 = (uint64_t)FF_PHILOX_M0 * x.v[0], p1 = (uint64_t)FF_PHILOX_M1 * x.v[2];
  const ff_philox_block out = {{(uint32_t)(p1 >> 32) ^ x.v[1] ^ k0, (uint32_t)p1, (uint32_t)(p0 >> 32) ^ x.v[3] ^ k1,
                                (uint32_t)p0}};
  return out;
}

static FF_HD inline ff_philox_block ff_philox(ff_philox_block counter, uint64_t key) {
#ifdef FF_PHILOX_OF /* a macro that gets the same words from a library */
  ff_philox_block drawn;
  FF_PHILOX_OF(drawn, counter, key);
  return drawn;
#else
  uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
  for (int round = 0; round < FF_PHILOX_ROUNDS; round++) {
    counter = ff_philox_round(counter, k0, k1);
    k0 += FF_PHILOX_W0;
    k1 += FF_PHILOX_W1;
  }
  return counter;
#endif
}

/* The words of a key in all rounds, for callers that keep them. */
static FF_HD inline void ff_philox_round_keys(uint32_t keys[2 * FF_PHILOX_ROUNDS], uint64_t key) {
  for (uint32_t round = 0; round < FF_PHILOX_ROUNDS; round++) {
    keys[2 * round] = (uint32_t)key + round * FF_PHILOX_W0;
    keys[2 * round + 1] = (uint32_t)(key >> 32) + round * FF_PHILOX_W1;
  }
}

/* ff_philox() with these words, from round `first` on. */
static FF_HD inline ff_philox_block ff_philox_rounds(const uint32_t *keys, int first, ff_philox_block x) {
#if defined(__CUDA_ARCH__) || defined(__CUDACC_RTC__)
#pragma unroll
#endif
  for (int round = first; round < FF_PHILOX_ROUNDS; round++) x = ff_philox_round(x, keys[2 * round], keys[2 * round + 1]);
  return x;
}

static FF_HD inline ff_philox_block ff_philox_counter(uint32_t purpose, uint32_t block, uint64_t step, uint64_t unit) {
  ff_philox_block c = {{(purpose << FF_PHILOX_BLOCK_BITS) | block, (uint32_t)step,
                        (uint32_t)((step >> 32) & 0xFFFFu) | ((uint32_t)(unit >> 32) << 16), (uint32_t)unit}};
  return c;
}

/* The seed of run number `run` (below 2^48) among all runs that are derived from one seed. It has 53 bits, so a double can
 * hold it. */
static FF_HD inline uint64_t ff_philox_seed(uint64_t seed, uint64_t run) {
  ff_philox_block b = ff_philox(ff_philox_counter(FF_DRAW_SEED, 0, 0, run), seed);
  return ((uint64_t)b.v[1] << 32 | b.v[0]) >> 11;
}

#endif
