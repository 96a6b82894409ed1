/* The parts of generated code for the direct methods, and for optimised_direct and sorting_direct in straight-line code, that do
 * not depend on the network: counts are in registers. A part of ff_ssa_thread.h.
 *
 *   S_RECORDED  where the table has, for each count, its number among what is recorded, or S_NONE
 *   S_CHANGED   a bit for each count that reactions change
 *   S_STARTS    1 if trajectories start with counts of their own, and then
 *   s_set_counts(t, unit)  sets the counts to those of trajectory `unit` of the wave
 */
#ifndef FF_SSA_THREAD_DIRECT_H
#define FF_SSA_THREAD_DIRECT_H

#if S_STARTS
FF_WARP void s_set_counts(s_thread *t, uint32_t unit);
#endif

/* An empty slot has no trajectory; it takes the counts of another one, and nobody reads them. */
FF_WARP void s_begin(s_thread *t) {
#if S_STARTS
  s_set_counts(t, t->unit < t->run->units ? t->unit : 0u);
#else
  FF_UNROLL for (uint32_t i = 0; i < S_COUNTS; i++) t->x[i] = S_INITIAL_COUNT(i);
#endif
#ifdef S_SEARCHED
  s_begin_values(t);
#endif
#ifdef S_KEPT
  t->starts = 1u;
  t->schedule->kept.k.silent = t->schedule->kept.k.left = 0u;
#endif
}

FF_WARP void s_record(const s_thread *t, uint32_t *to) {
  FF_UNROLL for (uint32_t i = 0; i < S_COUNTS; i++) {
    const uint32_t at = t->table[S_RECORDED + i];
    if (at != S_NONE) to[at * t->run->units] = t->x[i];
  }
}

FF_WARP uint32_t s_most(const s_thread *t) {
  uint32_t most = 0u;
  FF_UNROLL for (uint32_t i = 0; i < S_COUNTS; i++)
    if (S_CHANGED >> i & 1u) most = t->x[i] > most ? t->x[i] : most;
  return most;
}

#endif
