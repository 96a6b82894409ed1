/* The random numbers of generated code. A part of ff_ssa_thread.h. */
#ifndef FF_SSA_THREAD_DRAWS_H
#define FF_SSA_THREAD_DRAWS_H

FF_WARP ff_philox_block s_random(const s_thread *t, uint32_t purpose, uint32_t block) {
  const ff_philox_block counter = ff_philox_counter(purpose, block, t->step, S_TRAJECTORY);
  return ff_philox_rounds(S_KEEP_KEYS ? t->key : S_ROUND_KEY, 0, counter);
}

/* s_random(t, FF_SSA_DRAW_STEP, block) of a step, for block 0 or 1. Word 0 of the counter is the block then, and word 1 is
 * the step. After a round, words 1 and 2 depend only on the trajectory, and word 3 only on the block; after two rounds, words 0
 * and 1 depend only on the trajectory; after three rounds word 3. */
FF_WARP ff_philox_block s_block_words(const s_thread *t, uint32_t step, uint32_t block) {
  const uint32_t *key = S_KEEP_KEYS ? t->key : S_ROUND_KEY;
  const uint64_t p0 = (uint64_t)FF_PHILOX_M0 * (step ^ t->start[0]);
  const uint64_t p1 = (uint64_t)FF_PHILOX_M1 * ((uint32_t)(p0 >> 32) ^ key[3] ^ block * FF_PHILOX_M0);
  const ff_philox_block x = {{(uint32_t)(p1 >> 32) ^ t->start[1], (uint32_t)p1, (uint32_t)p0 ^ t->start[2], t->start[3]}};
  return ff_philox_rounds(key, 3, x);
}

FF_WARP ff_philox_block s_step_words(const s_thread *t, uint32_t step) { return s_block_words(t, step, 0u); }

/* Finds the point of the trajectory. An empty slot has the first point. */
FF_WARP void s_locate(s_thread *t) {
#if S_POINTS
  const ff_launch *run = t->run;
  t->point_at = t->unit < run->units ? t->unit / run->each : 0u;
  t->number = t->unit - t->point_at * run->each;
  t->point = run->points + (uint64_t)t->point_at * S_POINT_WORDS;
  FF_UNROLL for (int i = 0; i < 2 * FF_PHILOX_ROUNDS && S_KEEP_KEYS; i++) t->key[i] = t->point[i];
  FF_UNROLL for (int i = 0; i < S_RATES && S_KEEP_RATES; i++) t->rate[i] = S_LOAD_RATE(i);
#endif
  (void)t;
}

/* The part of s_step_words() that depends on the number of the trajectory. */
FF_WARP void s_number(s_thread *t) {
  s_locate(t);
  const uint32_t *key = S_ROUND_KEY;
  const uint64_t unit = S_TRAJECTORY, p = (uint64_t)FF_PHILOX_M1 * ((uint32_t)(unit >> 32) << 16);
  const uint64_t q = (uint64_t)FF_PHILOX_M1 * ((uint32_t)unit ^ key[1]);
  const uint64_t r = (uint64_t)FF_PHILOX_M0 * ((uint32_t)(q >> 32) ^ (uint32_t)p ^ key[2]);
  t->start[0] = (uint32_t)(p >> 32) ^ key[0];
  t->start[1] = (uint32_t)q ^ key[4];
  t->start[2] = (uint32_t)(r >> 32) ^ key[5];
  t->start[3] = (uint32_t)r;
}

/* The number at an address in shared memory. With a pointer, the compiler would compute the base at each use. */
#if defined(__CUDA_ARCH__)
#define S_SHARED(out, address, offset) asm("ld.shared.f64 %0, [%1 + %2];" : "=d"(out) : "r"(address), "n"(offset))
#endif

/* ff_exponential(low, high): -log(x / 2^64), where x / 2^10 is twice the whole number of ff_open(), and 1. */
FF_WARP double s_exponential(const s_thread *t, uint32_t low, uint32_t high) {
  const double x = (double)((uint64_t)high << 32 | (low & 0xFFFFFC00u) | 0x400u);
  const uint32_t w = (uint32_t)(ff_math_bits(x) >> 32) + (uint32_t)(FF_EXPONENTIAL_SHIFT >> 32), cell = w >> 15;
  double first, inverse;
#if defined(__CUDA_ARCH__)
  const uint32_t at = t->tables + cell * 8u, in_cell = t->tables | (at & (FF_EXPONENTIAL_CELLS - 1u) * 8u);
#ifdef S_LOGS
  first = ((const double *)(t->big + S_LOGS))[cell - S_LOG_ONE];
  S_SHARED(inverse, in_cell, 0);
#else
  S_SHARED(first, at, -8 * (int)S_LOG_ONE);
  S_SHARED(inverse, in_cell, 8 * (int)S_LOGARITHMS);
#endif
#else
#ifdef S_LOGS
  first = ((const double *)(t->big + S_LOGS))[cell - S_LOG_ONE];
#else
  first = t->common->first[cell - S_LOG_ONE];
#endif
  inverse = t->common->inverse[cell % FF_EXPONENTIAL_CELLS];
#endif
  return first - ff_exponential_rest_of_words(w, (uint32_t)ff_math_bits(x), inverse, &t->numbers);
}

/* 2^64 ff_closed(low, high) */
FF_WARP double s_choice(uint32_t low, uint32_t high) { return (double)((uint64_t)high << 32 | (low & 0xFFFFF800u)); }

/* ff_closed() of a choice, times the total. */
FF_WARP double s_at(double choice, double total) {
#if S_PLAIN
  const uint64_t bits = ff_math_bits(total);
  return choice * ff_math_from_words((uint32_t)(bits >> 32) - (64u << 20), (uint32_t)bits);
#else
  return choice * 0x1p-64 * total;
#endif
}

#endif
