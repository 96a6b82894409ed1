/* Random numbers for tests: a linear congruential generator whose state is the seed. */
#ifndef FF_TESTS_RANDOM_H
#define FF_TESTS_RANDOM_H

#include <stdint.h>

static inline uint64_t next_random(uint64_t *state) {
  return *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
}

/* From 0 up to but without 1. */
static inline double uniform(uint64_t *state) { return (double)(next_random(state) >> 11) * 0x1p-53; }

/* From 0 to n - 1. */
static inline uint32_t below(uint64_t *state, uint32_t n) { return (uint32_t)(next_random(state) >> 33) % n; }

#endif
