/* Events of a network in memory as ff_ssa_kernel_schedule.h reads them: what generated code (ff_ssa_generate_schedule.c) and
 * images (ff_ssa_image_schedule.c) have in common. */
#ifndef FF_SSA_EVENT_TABLE_H
#define FF_SSA_EVENT_TABLE_H

#include "../../../ssa/program/ff_ssa_program.h"

#define FF_SSA_EVENT_WORDS 5u /* of an event in the table, before what it sets */
#define FF_SSA_SET_WORDS 3u   /* of what it sets */

/* The flags of S_IS_INITIALLY, S_IS_PERSISTENT and S_IS_LATE. */
static inline uint32_t ff_ssa_event_flags(const ff_event *event) {
  return (event->initially ? 1u : 0u) | (event->persistent ? 2u : 0u) | (event->late ? 4u : 0u);
}

/* Words that an event takes while it waits, if events set at most so many values: its place in the list, its time (two words),
 * its serial number, its number, and the values. */
static inline uint64_t ff_ssa_due_words(uint32_t most_sets) { return 5u + 2u * (uint64_t)most_sets; }

/* How many events may wait: `most` of them, or those that take so many words. Without delays, only those wait that happen at the
 * same time. For these there is always room. O(events). */
static inline uint32_t ff_ssa_due_room(const ff_ssa_program *p, uint32_t most_words, uint32_t most) {
  const uint64_t fit = most_words / ff_ssa_due_words(p->most_sets);
  const uint32_t least = p->n_events > 0 ? 2 * p->n_events + 8 : 0;
  int delayed = 0;
  for (uint32_t e = 0; e < p->n_events; e++) delayed |= p->events[e].delay.length > 0;
  if (fit < most) most = (uint32_t)fit;
  return delayed && most > least ? most : least;
}

#endif
