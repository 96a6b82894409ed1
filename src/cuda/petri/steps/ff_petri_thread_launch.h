/* A launch of short generated code: what a slot keeps between two launches, turns, and the kernel. A thread has one trajectory
 * after the other. A part of ff_petri_thread.h. */
#ifndef FF_PETRI_THREAD_LAUNCH_H
#define FF_PETRI_THREAD_LAUNCH_H

#define P_TURNS 32u /* between two looks at the clock */

/* ---- what a slot keeps -------------------------------------------------------------------------------------------------- */

/* Word i of a slot is state[i * slots + slot]. */
typedef struct {
  uint32_t *state;
  uint32_t slots, slot, at;
  int saves;
} p_slot;

FF_WARP void p_move_word(p_slot *to, uint32_t *value) {
  uint32_t *word = to->state + (uint64_t)to->at++ * to->slots + to->slot;
  if (to->saves)
    *word = *value;
  else
    *value = *word;
}

FF_WARP void p_move_real(p_slot *to, double *value) {
  const uint64_t bits = ff_math_bits(*value);
  uint32_t low = (uint32_t)bits, high = (uint32_t)(bits >> 32);
  p_move_word(to, &low);
  p_move_word(to, &high);
  if (!to->saves) *value = ff_math_from_bits((uint64_t)high << 32 | low);
}

/* P_WORDS words in all. */
P_APART p_thread p_move(p_thread own, p_slot slot) {
  p_thread *const t = &own;
  p_slot *const to = &slot;
  FF_NO_UNROLL for (uint32_t i = 0u; i < P_REAL_ROWS; i++) p_move_real(to, &P_REAL(i));
  FF_NO_UNROLL for (uint32_t i = 0u; i < P_WORD_ROWS; i++) p_move_word(to, &P_WORD(i));
  p_move_real(to, &t->now);
  p_move_real(to, &t->from);
  p_move_real(to, &t->to);
  p_move_word(to, &t->phase);
  p_move_word(to, &t->is);
  p_move_word(to, &t->varies);
  p_move_word(to, &t->dirty);
  p_move_word(to, &t->pending);
  p_move_word(to, &t->integrated);
  p_move_word(to, &t->several);
  p_move_word(to, &t->cells);
  return own;
}

/* ---- turns -------------------------------------------------------------------------------------------------------------- */

/* Returns whether a lane of the warp has gone on. */
FF_WARP int p_turn(p_thread *t, int idle) {
  if (t->phase >= P_ENDS) p_do_rarely(t);
  return p_go_on(t, idle);
}

/* Runs a launch for one slot. If it is fresh, it has no trajectory yet. Its rows begin with real[0] and word[0]. */
FF_WARP void p_run(const ff_launch *run, const double *initial, const uint32_t *table, double *real, uint32_t *word,
                   uint32_t slot, int fresh) {
  p_thread thread, *t = &thread;
  p_slot state = {run->state, run->slots, slot, 0u, 0};
  uint64_t began, now;
  int idle = 0;
  t->run = run;
  t->initial = initial;
  t->table = table;
  p_use_rows(t, real, word);
  t->piece = (ff_petri_part *)(run->state + (uint64_t)P_SLOT_WORDS * run->slots) + (uint64_t)P_PIECES * slot;
  t->phase = P_NEW;
  if (!fresh) thread = p_move(thread, state);
  if (t->phase != P_EMPTY && t->phase != P_NEW) p_use_point(t);
  P_CLOCK(began);
  FF_NO_UNROLL for (uint32_t left = run->steps; left > 0u;) {
    P_CLOCK(now);
    if (!P_GOES_ON(t->phase != P_EMPTY && now - began <= run->nanoseconds)) break;
    const uint32_t n = left < P_TURNS ? left : P_TURNS;
    FF_NO_UNROLL for (uint32_t i = 0u; i < n; i++) {
      idle = !p_turn(t, idle);
    }
    left -= n;
  }
  state.saves = 1;
  p_move(thread, state);
}

#if defined(__CUDACC_RTC__) || defined(__CUDACC__)
extern "C" __global__ void __launch_bounds__(P_THREADS, P_BLOCKS)
    p_kernel(const __grid_constant__ ff_launch run, const double *initial, const uint32_t *table) {
  /* Numbers of slots are multiples of P_THREADS, so all threads of a block begin alike. */
  const uint32_t block = FF_SLOT_OF(&run, blockIdx.x * P_THREADS);
  p_run(&run, initial, table, 0, 0, block + threadIdx.x, block >= run.begun);
}
#else
void p_host(const ff_launch *run, const double *initial, const uint32_t *table, uint32_t slot);
void p_host(const ff_launch *run, const double *initial, const uint32_t *table, uint32_t slot) {
  double real[P_REAL_ROWS];
  uint32_t word[P_WORD_ROWS];
  p_run(run, initial, table, real, word, slot, slot >= run->begun);
}
#endif

#endif
