/* How many slots a wave has, and how many of them run in a launch. If these are fewer, slots take turns (ff_launch.h). */
#ifndef FF_TURNS_H
#define FF_TURNS_H

#include "ff_launch.h"

#define FF_FULL_SECOND 0.94 /* of the slots that can run: with so many trajectories in the second round, no more are wanted */
#define FF_MOST_UNEVEN 1.1  /* the blocks of the busiest multiprocessor, to the mean */

/* The `resident` slots that can run at the same time. But trajectories often have similar lengths, so that slots begin and end
 * them in rounds. If there are two, the second one may be nearly empty. Then each trajectory has a slot of its own, if there is
 * memory for `room` slots. With more rounds, turns cost more than they save, and so do fewer slots in all rounds
 * (docs/decisions/18-gpu-waves.md, "Rounds"). */
static inline uint64_t ff_wave_slots(uint64_t wanted, uint64_t resident, uint64_t room) {
  if (wanted <= resident) return wanted;
  const int nearly_full = (double)wanted >= (1 + FF_FULL_SECOND) * (double)resident;
  return nearly_full || wanted > room ? resident : wanted;
}

/* The slots of a launch if a part of those that can run keeps a multiprocessor busy. None shall have a block more than others;
 * `each` is the number of slots if each has one block. */
static inline uint64_t ff_balanced_slots(uint64_t slots, uint64_t each) {
  const uint64_t n = slots / each;
  const int uneven = n > 0 && slots % each > 0 && (double)(n + 1) * (double)each > FF_MOST_UNEVEN * (double)slots;
  return uneven ? n * each : slots;
}

/* After a launch of `running` slots, the next launch runs those that follow. */
static inline void ff_next_turn(ff_launch *launch, uint32_t running) {
  launch->begun = launch->begun < launch->slots - running ? launch->begun + running : launch->slots;
  launch->from = (uint32_t)(((uint64_t)launch->from + running) % launch->slots);
}

#endif
