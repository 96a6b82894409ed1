/* What several methods share: random words for methods with rejection and sums that are kept up to date. */
#ifndef FF_SSA_METHOD_H
#define FF_SSA_METHOD_H

#include <math.h>

#include "ff_ssa_corrected.h"
#include "ff_ssa_draws.h"
#include "ff_ssa_path.h"

/* Returns whether no step can follow, because the sum of the propensities is 0 or is not finite. Then it sets path->next_time,
 * and for a sum that is not finite, path->failure. */
int ff_ssa_path_ends(ff_ssa_path *path, double total);

/* Draws the time of the next step, and a number *at from 0 to below `total`, the sum of the propensities, which chooses the
 * reaction. Returns 0 if no step can follow. */
static inline int ff_ssa_path_choose(ff_ssa_path *path, double total, double *at) {
  if (FF_RARELY(ff_ssa_path_ends(path, total))) return 0;
  const ff_philox_block words = ff_ssa_path_draw(path, FF_SSA_DRAW_STEP, 0);
  path->next_time = path->time + ff_exponential(words.v[0], words.v[1]) / total;
  *at = ff_closed(words.v[2], words.v[3]) * total;
  return 1;
}

/* The position from `first` to `end` - 1 at which the cumulative sum of the terms exceeds *at, which becomes what is left. If
 * rounding has left *at above the sum of all, it is the last position with a term above 0. The term at position i is that of
 * order[i], or of i if `order` is NULL. */
static inline size_t ff_ssa_search_terms(const double *terms, const uint32_t *order, size_t first, size_t end, double *at) {
  size_t i = first;
  for (; i < end; i++) {
    const double term = terms[order != NULL ? order[i] : i];
    if (*at < term) return i;
    *at -= term;
  }
  for (i = end - 1; i > first && !(terms[order != NULL ? order[i] : i] > 0);) i--;
  return i;
}

/* ---- words -------------------------------------------------------------------------------------------------------------- */

/* The words of FF_SSA_DRAW_TRIAL for the next step, two at a time. A method with rejection takes as many as it needs. */
typedef struct {
  const ff_ssa_path *path;
  uint32_t block, used;
  ff_philox_block words;
} ff_ssa_words;

static inline ff_ssa_words ff_ssa_words_of(const ff_ssa_path *path) { return (ff_ssa_words){.path = path, .used = 4}; }

static inline const uint32_t *ff_ssa_words_take(ff_ssa_words *w) {
  if (w->used == 4) {
    w->words = ff_ssa_path_draw(w->path, FF_SSA_DRAW_TRIAL, w->block);
    w->block = (w->block + 1) % FF_PHILOX_MAX_BLOCKS;
    w->used = 0;
  }
  w->used += 2;
  return w->words.v + w->used - 2;
}

static inline double ff_ssa_words_closed(ff_ssa_words *w) {
  const uint32_t *v = ff_ssa_words_take(w);
  return ff_closed(v[0], v[1]);
}

static inline double ff_ssa_words_exponential(ff_ssa_words *w) {
  const uint32_t *v = ff_ssa_words_take(w);
  return ff_exponential(v[0], v[1]);
}

/* The sum of n terms of at least 0, in pairs. Its relative error is below (64 + log2(n)) * 2^-53. O(n). */
double ff_ssa_sum(const double *terms, size_t n);

#endif
