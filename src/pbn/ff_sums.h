/* Sums over trajectories as integers: the one place that knows how they lie in memory, for tallies (estimate/ff_tally.h) and devices.
 *
 * Per term five words. Then per observable five 128-bit sums (base/ff_sum.h) of a trajectory's weighted counts a (first half of the
 * counted steps) and b (second half), in units of 2^-20.
 */
#ifndef FF_SUMS_H
#define FF_SUMS_H

#include <stddef.h>
#include <stdint.h>

#define FF_TERM_WORDS 5
enum {
  FF_TERM_EARLY, /* steps of the first half after which it held */
  FF_TERM_ALL,   /* ... of both halves */
  /* of a state set: steps that changed it, and trajectories in which it held before the first and after the last counted step */
  FF_TERM_CHANGES,
  FF_TERM_BEFORE,
  FF_TERM_AFTER,
  /* of another term: halves of trajectories with a step in which it held, and with a step in which it did not; the last word is 0 */
  FF_TERM_SEEN_ON = FF_TERM_CHANGES,
  FF_TERM_SEEN_OFF = FF_TERM_BEFORE
};

#define FF_OBSERVABLE_SUMS 5
enum { FF_SUM_A = 0, FF_SUM_B = 2, FF_SUM_AA = 4, FF_SUM_BB = 6, FF_SUM_AB = 8 }; /* where each begins, in words */

/* Words of the sums of so many terms and observables. */
static inline size_t ff_sums_words(size_t terms, size_t observables) {
  return terms * FF_TERM_WORDS + observables * FF_OBSERVABLE_SUMS * 2;
}
static inline uint64_t *ff_sums_of_term(uint64_t *words, size_t term) { return words + term * FF_TERM_WORDS; }
static inline uint64_t *ff_sums_of_observable(uint64_t *words, size_t terms, size_t observable) {
  return words + ff_sums_words(terms, observable);
}

/* Places of terms that a program need not count. */
#define FF_TERM_0 (UINT32_MAX - 1) /* never holds */
#define FF_TERM_1 UINT32_MAX       /* always holds */

/* What is to be added up, and where. */
typedef struct {
  uint32_t n, n_terms;
  const uint32_t *first;   /* n + 1: an observable's terms */
  const uint32_t *weights; /* per term, in units of 2^-20 */
  const uint32_t *at;      /* per term: what the program counts for it, or FF_TERM_0/1; NULL: the terms in their order */
  const uint8_t *sets;     /* per observable: 1 for a state set, whose changes count */
  uint64_t half[2];        /* counted steps of a trajectory */
  uint64_t *words;
} ff_sums;

#endif
