/* The end of a wave: no trajectory is left that has not begun, and more and more slots are empty. In generated code, an empty slot
 * takes as much time as a busy one of the same warp. So the trajectories are moved to the first slots, and later launches run only
 * these. The same text is compiled for device and host. */
#ifndef FF_SSA_GATHER_H
#define FF_SSA_GATHER_H

#include <math.h>

#include "../runtime/ff_warp.h"
#include "ff_ssa_launch.h"

/* Where generated code keeps the words of a slot: `columns` words, word i of all slots side by side; and behind these `store` words
 * of each slot, one slot after the other, or if `block` is not 0, four by four for a block of so many slots. */
typedef struct {
  uint32_t columns, store, block;
} ff_ssa_slot_words;

/* The place of word i of a slot, among slots of which there are `slots`. */
FF_WARP uint64_t ff_ssa_word_place(const ff_ssa_slot_words *w, uint32_t slots, uint32_t slot, uint32_t i) {
  if (i < w->columns) return (uint64_t)i * slots + slot;
  const uint64_t store = (uint64_t)w->columns * slots;
  const uint32_t k = i - w->columns, within = w->block > 0u ? slot % w->block : 0u;
  if (w->block == 0u) return store + (uint64_t)w->store * slot + k;
  return store + (uint64_t)w->store * (slot - within) + (uint64_t)(k / 4u) * (4u * w->block) + 4u * within + k % 4u;
}

/* The slots that a launch needs if so many trajectories are on their way, which are gathered in whole blocks; or 0 if this is not
 * worth while: it is if at most half of the `running` slots are busy. */
static inline uint32_t ff_ssa_gathered_slots(uint64_t busy, uint32_t running, uint32_t block) {
  const uint64_t n = (busy + block - 1) / block * block;
  return busy > 0 && n <= running / 2 ? (uint32_t)n : 0;
}

/* The seconds after which the next launch shall end at the latest, so that slots are gathered in time: when no trajectory is left
 * that has not begun, and from then on after a part of the time of a trajectory. `lasted` is the time of the wave so far. */
#define FF_SSA_GATHER_PARTS 16.0
static inline double ff_ssa_gather_seconds(uint64_t units, const ff_ssa_counters *done, uint32_t slots, double lasted) {
  const double complete = (double)done->complete, each = complete > (double)slots ? lasted * slots / complete : lasted;
  if (done->begun >= units) return each / FF_SSA_GATHER_PARTS;
  return complete > 0 ? (double)(units - done->begun) / complete * lasted : INFINITY;
}

#endif
