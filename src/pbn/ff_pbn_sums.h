/* The layout of integer sums over trajectories, for tallies (estimate/ff_pbn_tally.h) and devices. No other file depends on it.
 *
 * There are five words per term. They are followed by five 128-bit sums (base/ff_sum.h) per observable, over a trajectory's
 * weighted counts a (in the first half window) and b (in the second), in units of 2^-20.
 */
#ifndef FF_PBN_SUMS_H
#define FF_PBN_SUMS_H

#include <stddef.h>
#include <stdint.h>

#define FF_TERM_WORDS 5
enum {
  FF_TERM_EARLY, /* steps of the first half window after which the term was 1 */
  FF_TERM_ALL,   /* the same for both half windows */
  /* for a state set: the steps that changed it, and the trajectories in which it was 1 before the first and after the last
   * counted step */
  FF_TERM_CHANGES,
  FF_TERM_BEFORE,
  FF_TERM_AFTER,
  /* for another term: the half windows with a step after which it was 1, and those with a step after which it was 0; the last
   * word is 0 */
  FF_TERM_SEEN_ON = FF_TERM_CHANGES,
  FF_TERM_SEEN_OFF = FF_TERM_BEFORE
};

#define FF_OBSERVABLE_SUMS 5
enum { FF_SUM_A = 0, FF_SUM_B = 2, FF_SUM_AA = 4, FF_SUM_BB = 6, FF_SUM_AB = 8 }; /* where each begins, in words */

/* The number of words for the sums of these terms and observables. The other two functions return the sums of a term and of
 * an observable. */
static inline size_t ff_pbn_sums_words(size_t terms, size_t observables) {
  return terms * FF_TERM_WORDS + observables * FF_OBSERVABLE_SUMS * 2;
}
static inline uint64_t *ff_pbn_sums_of_term(uint64_t *words, size_t term) { return words + term * FF_TERM_WORDS; }
static inline uint64_t *ff_pbn_sums_of_observable(uint64_t *words, size_t terms, size_t observable) {
  return words + ff_pbn_sums_words(terms, observable);
}

/* Positions of terms that a program need not count. */
#define FF_TERM_0 (UINT32_MAX - 1) /* is always 0 */
#define FF_TERM_1 UINT32_MAX       /* is always 1 */

/* What is to be added up, and where. All arrays are borrowed. */
typedef struct {
  uint32_t n, n_terms;
  const uint32_t *first;   /* n + 1 entries: the first term of each observable */
  const uint32_t *weights; /* for each term, in units of 2^-20 */
  const uint32_t *at;      /* for each term: its position among the program's terms, or FF_TERM_0 or FF_TERM_1; NULL: the same
                            * order */
  const uint8_t *sets;     /* for each observable: 1 for a state set, whose changes are counted */
  uint64_t half[2];        /* counted steps of a trajectory in each half window */
  uint64_t *words;
} ff_pbn_sums;

#endif
