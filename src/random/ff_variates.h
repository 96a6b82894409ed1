/* Random numbers of steps of approximate methods: Poisson, binomial and normal. */
#ifndef FF_VARIATES_H
#define FF_VARIATES_H

#include "../base/ff_philox.h"

/* A sequence of words for one number. The caller gives each number a key and a node of its own. */
typedef struct {
  uint64_t key, node;
  uint32_t block, used;
  ff_philox_block words;
} ff_sequence;

static inline ff_sequence ff_sequence_of(uint64_t key, uint64_t node) {
  return (ff_sequence){.key = key, .node = node, .used = 4};
}

/* A number with a Poisson distribution, exact up to rounding. mean is at least 0 and at most 2^45. O(1). */
double ff_variate_poisson(ff_sequence *sequence, double mean);

/* A number with the binomial distribution of n trials with probability 1/2. n is a whole number from 0 to 2^46. O(1). */
double ff_variate_halves(ff_sequence *sequence, double n);

/* A number with the standard normal distribution (Box and Muller 1958). */
double ff_variate_normal(ff_sequence *sequence);

#endif
