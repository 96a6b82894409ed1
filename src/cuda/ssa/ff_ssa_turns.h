/* How many slots a wave has, and how many of them run in a launch. If these are fewer, slots take turns (ff_ssa_launch.h). */
#ifndef FF_SSA_TURNS_H
#define FF_SSA_TURNS_H

#include "ff_ssa_launch.h"

#define FF_SSA_LEAST_EVEN 0.97  /* of the slots that can run: with so many, no more are wanted */
#define FF_SSA_MOST_UNEVEN 1.1  /* the blocks of the busiest multiprocessor, to the mean */

/* Trajectories often have similar lengths. Then no slot is empty for long if all slots simulate the same number of them. In two
 * rounds, this may take more slots than the `resident` ones that can run at the same time; but there is memory for `room` slots
 * only. With more rounds, turns cost more than they save (bench/NOTES.md, "egfr_net, step by step"). */
static inline uint64_t ff_ssa_even_slots(uint64_t wanted, uint64_t resident, uint64_t room) {
  if (wanted <= resident) return wanted;
  const uint64_t rounds = (wanted + resident - 1) / resident, even = (wanted + rounds - 1) / rounds;
  if (rounds == 2 && (double)even < FF_SSA_LEAST_EVEN * (double)resident && wanted <= room) return wanted;
  return even >= resident / 8 * 7 ? even : resident;
}

/* The slots of a launch if a part of those that can run keeps a multiprocessor busy. None shall have a block more than others;
 * `each` is the number of slots if each has one block. */
static inline uint64_t ff_ssa_balanced_slots(uint64_t slots, uint64_t each) {
  const uint64_t n = slots / each;
  const int uneven = n > 0 && slots % each > 0 && (double)(n + 1) * (double)each > FF_SSA_MOST_UNEVEN * (double)slots;
  return uneven ? n * each : slots;
}

/* After a launch of `running` slots, the next launch runs those that follow. */
static inline void ff_ssa_next_turn(ff_ssa_launch *launch, uint32_t running) {
  launch->begun = launch->begun < launch->slots - running ? launch->begun + running : launch->slots;
  launch->from = (uint32_t)(((uint64_t)launch->from + running) % launch->slots);
}

#endif
