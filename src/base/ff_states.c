/* A set of states: keys in one array, numbers in a hash table with open addressing. */
#include "ff_states.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 256u
#define MOST_SLOTS (UINT32_C(1) << 30)

static uint32_t hash_of(const uint32_t *state, uint32_t words) {
  uint64_t h = UINT64_C(0x9E3779B97F4A7C15);
  for (uint32_t w = 0; w < words; w++) {
    h = (h ^ state[w]) * UINT64_C(0xD6E8FEB86659FD93);
    h ^= h >> 32;
  }
  return (uint32_t)(h ^ h >> 29);
}

ff_status ff_states_new(ff_states *states, uint32_t words, ff_error *err) {
  memset(states, 0, sizeof *states);
  states->words = words;
  states->slots = ff_calloc(FIRST_SLOTS, sizeof *states->slots);
  if (states->slots == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a set of states");
  states->n_slots = FIRST_SLOTS;
  return FF_OK;
}

void ff_states_free(ff_states *states) {
  free(states->keys);
  free(states->slots);
  memset(states, 0, sizeof *states);
}

void ff_states_clear(ff_states *states) {
  states->n = 0;
  memset(states->slots, 0, states->n_slots * sizeof *states->slots);
}

/* The slot that holds the state, or the free slot where it belongs. */
static uint32_t slot_of(const ff_states *states, const uint32_t *state) {
  uint32_t mask = states->n_slots - 1, slot = hash_of(state, states->words) & mask;
  size_t bytes = states->words * sizeof *state;
  while (states->slots[slot] != 0 && memcmp(ff_states_at(states, states->slots[slot] - 1), state, bytes) != 0)
    slot = (slot + 1) & mask;
  return slot;
}

uint32_t ff_states_find(const ff_states *states, const uint32_t *state) {
  return states->slots[slot_of(states, state)] - 1; /* 0 - 1 is FF_STATES_NONE */
}

static ff_status more_slots(ff_states *states, ff_error *err) {
  if (states->n_slots >= MOST_SLOTS) return ff_error_set(err, FF_ESIZE, "a set of more than %u states", MOST_SLOTS / 2);
  uint32_t n_slots = states->n_slots * 2, *slots = ff_calloc(n_slots, sizeof *slots);
  if (slots == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a set of %u states", states->n);
  for (uint32_t i = 0; i < states->n; i++) {
    uint32_t slot = hash_of(ff_states_at(states, i), states->words) & (n_slots - 1);
    while (slots[slot] != 0) slot = (slot + 1) & (n_slots - 1);
    slots[slot] = i + 1;
  }
  free(states->slots);
  states->slots = slots;
  states->n_slots = n_slots;
  return FF_OK;
}

ff_status ff_states_put(ff_states *states, const uint32_t *state, uint32_t *number, ff_error *err) {
  uint32_t slot = slot_of(states, state);
  if (states->slots[slot] != 0) {
    *number = states->slots[slot] - 1;
    return FF_OK;
  }
  size_t bytes = states->words * sizeof *state;
  ff_status status = ff_grow((void **)&states->keys, &states->capacity, (size_t)states->n + 1, bytes, err);
  if (status != FF_OK) return status;
  if (states->n >= states->n_slots / 2) {
    status = more_slots(states, err);
    if (status != FF_OK) return status;
    slot = slot_of(states, state);
  }
  memcpy(states->keys + (size_t)states->n * states->words, state, bytes);
  *number = states->n++;
  states->slots[slot] = states->n;
  return FF_OK;
}

int ff_states_compare(const uint32_t *a, const uint32_t *b, uint32_t words) {
  for (uint32_t w = words; w-- > 0;)
    if (a[w] != b[w]) return a[w] < b[w] ? -1 : 1;
  return 0;
}
