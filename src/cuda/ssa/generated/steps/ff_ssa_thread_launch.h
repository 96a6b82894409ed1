/* A launch of generated code: what a slot keeps between two launches, the loop over steps, and the kernel. A part of
 * ff_ssa_thread.h. */
#ifndef FF_SSA_THREAD_LAUNCH_H
#define FF_SSA_THREAD_LAUNCH_H

#ifndef S_GOES_ON /* for tests: an empty slot goes on while others of its warp are busy */
#define S_GOES_ON(busy) S_ANY(busy)
#endif
#define S_STATE(i) (run->state[(uint64_t)(i) * run->slots + slot])

FF_WARP double s_load_real(const ff_launch *run, uint32_t i, uint32_t slot) {
  return ff_math_from_bits((uint64_t)S_STATE(i + 1u) << 32 | S_STATE(i));
}

FF_WARP void s_save_real(const ff_launch *run, uint32_t i, uint32_t slot, double value) {
  const uint64_t bits = ff_math_bits(value);
  S_STATE(i) = (uint32_t)bits;
  S_STATE(i + 1u) = (uint32_t)(bits >> 32);
}

FF_WARP void s_load(s_thread *t, uint32_t slot) {
  const ff_launch *run = t->run;
  t->time = s_load_real(run, 0u, slot);
  t->unit = S_STATE(2);
  t->step = S_STATE(3);
  t->member = S_NONE; /* a pair is chosen again */
  t->at = S_STATE(4);
  t->wanted = S_STATE(5) ? run->times[t->at] : ff_math_infinity();
#if S_APART
  t->begins = 0u;
  t->safe = S_STATE(5) - 1u;
#endif
  s_number(t);
  FF_UNROLL for (uint32_t i = 0; i < S_COUNTS; i++) t->x[i] = S_STATE(6u + i);
  FF_NO_UNROLL for (uint32_t i = 0; i < S_ROWS; i++) S_ROW(i) = S_STATE(6u + S_COUNTS + i);
#if S_MANY
  s_sum_all(t);
#endif
#ifdef S_SEARCHED
  const uint32_t words = 6u + S_COUNTS + S_ROWS;
  t->sum.value = s_load_real(run, words, slot);
  t->sum.error = s_load_real(run, words + 2u, slot);
  FF_NO_UNROLL for (uint32_t i = 0; i < S_VALUES; i++) S_VALUE(i) = s_load_real(run, words + 4u + 2u * i, slot);
#endif
#ifdef S_KEPT
  s_kept_words *const kept = &t->schedule->kept;
  FF_NO_UNROLL for (uint32_t i = 0; i < S_KEPT; i++) kept->word[i] = S_STATE(6u + S_COUNTS + S_ROWS + i);
  t->next_time = kept->k.next_time;
  t->firing = kept->k.firing;
  t->next = kept->k.next;
  t->starts = kept->k.starts;
#endif
}

FF_WARP void s_save(const s_thread *t, uint32_t slot) {
  const ff_launch *run = t->run;
  s_save_real(run, 0u, slot, t->time);
  S_STATE(2) = t->unit;
  S_STATE(3) = t->step;
  S_STATE(4) = t->at;
#if S_APART
  S_STATE(5) = S_IS_EMPTY(t) ? 0u : 1u + t->safe;
#else
  S_STATE(5) = t->wanted < ff_math_infinity();
#endif
  FF_UNROLL for (uint32_t i = 0; i < S_COUNTS; i++) S_STATE(6u + i) = t->x[i];
  FF_NO_UNROLL for (uint32_t i = 0; i < S_ROWS; i++) S_STATE(6u + S_COUNTS + i) = S_ROW(i);
#ifdef S_SEARCHED
  const uint32_t words = 6u + S_COUNTS + S_ROWS;
  s_save_real(run, words, slot, t->sum.value);
  s_save_real(run, words + 2u, slot, t->sum.error);
  FF_NO_UNROLL for (uint32_t i = 0; i < S_VALUES; i++) s_save_real(run, words + 4u + 2u * i, slot, S_VALUE(i));
#endif
#ifdef S_KEPT
  s_kept_words *const kept = &t->schedule->kept;
  kept->k.next_time = t->next_time;
  kept->k.firing = t->firing;
  kept->k.next = t->next;
  kept->k.starts = t->starts;
  FF_NO_UNROLL for (uint32_t i = 0; i < S_KEPT; i++) S_STATE(6u + S_COUNTS + S_ROWS + i) = kept->word[i];
#endif
}

/* Runs a launch for one slot. If it is fresh, it is empty. */
FF_WARP void s_run(const ff_launch *run, const s_rates *rates, const uint32_t *table, const uint32_t *big,
                   const s_common *common, uint32_t *rows, double *sums, uint32_t slot, int fresh) {
  s_thread thread, *t = &thread;
  FF_UNROLL for (int i = 0; i < 7; i++) t->numbers.p[i] = common->p[i]; /* from memory, so that they stay in registers */
  t->numbers.p[0] = FF_EXPONENTIAL_P0; /* a short number, which is part of an instruction */
  FF_UNROLL for (int i = 0; i < 2 * FF_PHILOX_ROUNDS; i++) t->key[i] = common->key[i];
  FF_UNROLL for (int i = 0; i < S_RATES && S_KEEP_RATES; i++) t->rate[i] = common->rate[i];
  t->common = common;
#if defined(__CUDA_ARCH__)
  t->tables = (uint32_t)__cvta_generic_to_shared(common);
  asm volatile("" : "+r"(t->tables)); /* so that it stays in a register */
#endif
  t->run = run;
  t->rates = rates;
  t->table = table;
  t->big = big;
  t->rows = rows;
  t->sums = sums;
  t->store = run->state + (uint64_t)S_WORDS * run->slots + (uint64_t)S_STORE * slot;
#ifdef S_HELD
  t->away = run->state + (uint64_t)S_WORDS * run->slots + (uint64_t)S_AWAY * (slot - slot % S_THREADS) + 4u * (slot % S_THREADS);
#endif
#ifdef S_KEPT
  s_schedule schedule;
  schedule.run = run;
  schedule.table = table;
  schedule.store = t->store;
  schedule.searches = schedule.failed = schedule.reached = 0;
  t->schedule = &schedule;
#endif
  if (fresh) {
    s_take(t);
    t->time = S_START(t);
    t->step = 0u;
  } else {
    s_load(t, slot);
  }
  uint64_t began, now;
  S_CLOCK(began);
  FF_NO_UNROLL for (uint32_t left = run->steps; left > 0u;) {
    S_CLOCK(now);
    if (!S_GOES_ON(t->wanted < ff_math_infinity() && now - began <= run->nanoseconds)) break;
    const uint32_t n = left < S_CHUNK ? left : S_CHUNK;
    s_check(t);
    if (S_AHEAD) s_draw(t);
    FF_NO_UNROLL for (uint32_t i = 0; i < n; i += S_UNROLL) {
      FF_UNROLL for (uint32_t j = 0; j < S_UNROLL; j++) s_step(t);
    }
    left -= n;
  }
  s_save(t, slot);
}

/* Fills what a block shares, as thread number `thread` of `threads`. */
FF_WARP void s_share(s_common *common, const ff_launch *run, const s_rates *rates, uint32_t thread, uint32_t threads) {
  const ff_exponential_numbers numbers = ff_exponential_constants();
#ifndef S_LOGS
  for (uint32_t i = thread; i < S_LOGARITHMS; i += threads)
    common->first[i] = ff_exponential_first(i + (1023u - 54u) * FF_EXPONENTIAL_CELLS);
#endif
  for (uint32_t i = thread; i < FF_EXPONENTIAL_CELLS; i += threads) common->inverse[i] = FF_EXPONENTIAL_TABLE[i];
  for (uint32_t i = thread; i < 7u; i += threads) common->p[i] = numbers.p[i];
  for (uint32_t i = thread; i < 2u * FF_PHILOX_ROUNDS; i += threads) common->key[i] = run->round_key[i];
  for (uint32_t i = thread; i < S_RATES && S_KEEP_RATES; i += threads) common->rate[i] = rates->value[i];
}

#if defined(__CUDACC_RTC__) || defined(__CUDACC__)
extern "C" __global__ void __launch_bounds__(S_THREADS, S_BLOCKS)
    s_kernel(const __grid_constant__ ff_launch run, const __grid_constant__ s_rates rates, const uint32_t *table,
             const uint32_t *big) {
  extern __shared__ __align__(128) uint32_t s_shared[]; /* the table, then the rows */
  __shared__ s_common common;
  s_share(&common, &run, &rates, threadIdx.x, S_THREADS);
  for (uint32_t i = threadIdx.x; i < S_TABLE; i += S_THREADS) s_shared[i] = table[i];
  __syncthreads();
  /* Numbers of slots are multiples of S_THREADS, so all threads of a block begin alike. */
  const uint32_t block = FF_SLOT_OF(&run, blockIdx.x * S_THREADS), slot = block + threadIdx.x;
  uint32_t bytes = 4u * threadIdx.x;
  asm volatile("" : "+r"(bytes)); /* so that an address in rows is one product and a sum */
  uint32_t *const words = s_shared + S_TABLE;
  double *const sums = (double *)(words + S_ROWS * S_THREADS);
  s_run(&run, &rates, s_shared, big, &common, (uint32_t *)((char *)words + (S_QUADS ? 4u : 1u) * bytes),
        (double *)((char *)sums + 2u * bytes), slot, block >= run.begun);
}
#else
void s_host(const ff_launch *run, const void *rates, const uint32_t *table, const uint32_t *big, uint32_t slot,
            uint32_t *rows);
void s_host(const ff_launch *run, const void *rates, const uint32_t *table, const uint32_t *big, uint32_t slot,
            uint32_t *rows) {
  s_common common;
  s_share(&common, run, (const s_rates *)rates, 0u, 1u);
  s_run(run, (const s_rates *)rates, table, big, &common, rows, (double *)(rows + S_ROWS * S_THREADS), slot,
        slot >= run->begun);
}
#endif

#endif
