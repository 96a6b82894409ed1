/* A set of states, numbered in the order in which they came. Stands on base/ alone. */
#ifndef FF_STATES_H
#define FF_STATES_H

#include "../../base/ff_base.h"

#define FF_STATES_NONE UINT32_MAX

/* All is owned by the struct. A state has `words` words of 32 bits; state i stands at keys + i * words. */
typedef struct {
  uint32_t words, n;
  uint32_t *keys;
  size_t capacity;
  uint32_t *slots; /* open addressing: a state's number plus 1, or 0; at most half of them are taken */
  uint32_t n_slots; /* a power of two */
} ff_states;

ff_status ff_states_new(ff_states *states, uint32_t words, ff_error *err);
void ff_states_free(ff_states *states);

/* Forgets all states and keeps the memory. O(slots). */
void ff_states_clear(ff_states *states);

/* A state's number, or FF_STATES_NONE. O(words). */
uint32_t ff_states_find(const ff_states *states, const uint32_t *state);

/* The number of a state, which is put in where it is missing. `state` must not point into the set. O(words), at times O(n *
 * words). On failure the set is as it was. */
ff_status ff_states_put(ff_states *states, const uint32_t *state, uint32_t *number, ff_error *err);

/* Valid until the next put. */
static inline const uint32_t *ff_states_at(const ff_states *states, uint32_t number) {
  return states->keys + (size_t)number * states->words;
}

/* -1, 0 or 1: the last word counts most. */
int ff_states_compare(const uint32_t *a, const uint32_t *b, uint32_t words);

#endif
