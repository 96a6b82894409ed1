/* A turn: each lane of a warp goes through its phase. A part of ff_petri_thread.h and of ff_petri_sweep.h. */
#ifndef FF_PETRI_THREAD_TURN_H
#define FF_PETRI_THREAD_TURN_H

/* So many lanes wait for each other in phases that take long, unless nothing else happens. */
#define P_WAIT_STEPS (P_WINDOWS ? 1u : 4u)
#define P_WAIT_BOUNDS 8u
#define P_WAIT_FIRES (P_WINDOWS ? 1u : P_DENSE ? 8u : 12u)
#define P_WAIT_ENDS 16u

#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
#define P_GOES_ON(busy) (P_COUNT_LANES(busy) > 0u)
#elif !defined(P_GOES_ON) /* for tests: an empty slot goes on while others are busy */
#define P_GOES_ON(busy) (busy)
#endif

/* Whether so many lanes are to do what they wait for. */
FF_WARP int p_is_due(uint32_t lanes, uint32_t wanted, int idle) { return lanes > 0u && (lanes >= wanted || idle); }

#if !P_WINDOWS
/* What is rare: implicit steps too, unless all steps are implicit. */
FF_WARP void p_do_rarely(p_thread *t) {
#if P_IMPLICIT == 1
  if (t->phase == P_STIFF_STEPS) {
    *t = p_step_implicitly(*t);
    return;
  }
#endif
  *t = p_leave(*t);
}
#endif

/* All phases of a turn. Returns whether a lane of the warp has gone on. */
FF_WARP int p_go_on(p_thread *t, int idle) {
  uint32_t happened = 0u;
  happened |= P_COUNT_LANES(t->phase == P_BEGINS);
  if (t->phase == P_BEGINS) p_begin(t);
  if (p_is_due(P_COUNT_LANES(t->phase == P_STEPS), P_WAIT_STEPS, idle)) {
    happened = 1u;
    p_steps(t, t->phase == P_STEPS);
  }
#if P_NARROW > 0u
  if (p_is_due(P_COUNT_LANES(t->phase == P_LOOKS), P_WAIT_BOUNDS, idle)) {
    happened = 1u;
    if (t->phase == P_LOOKS) *t = p_look(*t);
  }
#endif
  happened |= P_COUNT_LANES(t->phase == P_SEARCHES);
  if (t->phase == P_SEARCHES) p_search(t);
#if P_PIECES > 0u
  if (p_is_due(P_COUNT_LANES(t->phase == P_BOUNDS), P_WAIT_BOUNDS, idle)) {
    happened = 1u;
    if (t->phase == P_BOUNDS) *t = p_bounds(*t);
  }
#endif
  if (p_is_due(P_COUNT_LANES(t->phase == P_FIRES), P_WAIT_FIRES, idle)) {
    happened = 1u;
    if (t->phase == P_FIRES) p_fire(t);
  }
  return happened != 0u;
}

#endif
