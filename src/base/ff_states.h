/* A set of states, numbered in the order in which they were added. Uses base/ only. */
#ifndef FF_STATES_H
#define FF_STATES_H

#include "ff_base.h"

#define FF_STATES_NONE UINT32_MAX

/* The struct owns its arrays. A state has `words` words of 32 bits. State i is at keys + i * words. */
typedef struct {
  uint32_t words, n;
  uint32_t *keys;
  size_t capacity;
  uint32_t *slots; /* open addressing: a state's number plus 1, or 0; at most half of the slots are used */
  uint32_t n_slots; /* a power of two */
} ff_states;

/* Makes *states an empty set. The caller frees its contents with ff_states_free(), which can be called on a zeroed struct
 * too. */
ff_status ff_states_new(ff_states *states, uint32_t words, ff_error *err);
void ff_states_free(ff_states *states);

/* Removes all states and keeps the memory. O(slots). */
void ff_states_clear(ff_states *states);

/* A state's number, or FF_STATES_NONE if it is not in the set. O(words) on average. */
uint32_t ff_states_find(const ff_states *states, const uint32_t *state);

/* Adds a state unless it is in the set, and sets *number to its number. `state` must not point into the set. O(words),
 * amortised, on average. On failure the set is unchanged. */
ff_status ff_states_put(ff_states *states, const uint32_t *state, uint32_t *number, ff_error *err);

/* The state with that number. Valid until the next ff_states_put(). */
static inline const uint32_t *ff_states_at(const ff_states *states, uint32_t number) {
  return states->keys + (size_t)number * states->words;
}

/* Compares two states: -1, 0 or 1. The last word is the most significant. */
int ff_states_compare(const uint32_t *a, const uint32_t *b, uint32_t words);

#endif
