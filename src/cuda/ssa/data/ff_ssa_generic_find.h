/* How each method finds the next step, for a warp that runs a trajectory of a network that is read as data. The same text is
 * compiled for device and host (ff_warp.h).
 *
 * The lanes draw for 32 steps at once, a lane for each, if a step takes a fixed number of words. The waiting times of
 * first_reaction are drawn by all lanes, which exchange the shortest one.
 */
#ifndef FF_SSA_GENERIC_FIND_H
#define FF_SSA_GENERIC_FIND_H

#include "ff_ssa_generic_update.h"
#include "ff_ssa_generic_warp.h"

/* The words of FF_SSA_DRAW_TRIAL for the next step, two at a time, as ff_ssa_words. Lanes have drawn the first blocks. */
#define FF_SSA_TRIAL_BLOCKS 4u
typedef struct {
  uint32_t lane;   /* the lane that has the first block of the step */
  uint32_t number; /* how many pairs of words were taken */
  ff_philox_block words; /* of a block that no lane has */
} ff_ssa_trial;

/* The next step. */
typedef struct {
  double time;       /* infinity if there is none */
  double at, total;  /* what chooses the reaction, and the sum of all */
  uint32_t reaction; /* if the method finds it together with the time */
  ff_ssa_trial trial;
} ff_ssa_next;

/* ---- trees ----------------------------------------------------------------------------------------------------------------- */

/* As ff_ssa_tree_find(). `total` is that of all leaves. Lane 4 a + 2 b + c, for bits a, b and c, adds up the children before
 * number 4 a + 2 b + c: four of them if a is 1, then two if b is 1, then one if c is 1. */
FF_WARP uint32_t ff_ssa_warp_find(const ff_ssa_warp *w, double at, double total) {
  FF_LANE_IN;
  uint32_t node = 0u;
  FF_NO_UNROLL for (uint32_t level = w->image->levels - 1u; level > 0u; level--) {
    const double *children = ff_ssa_level(w, level - 1u) + (size_t)node * FF_SSA_FAN;
    FF_LANE_VAR(double, child);
    FF_LANE_VAR(double, part);
    FF_LANE_VAR(double, other);
    FF_LANE_VAR(double, before);
    uint32_t passed, chosen;
    double less;
    FF_EACH_LANE FF_L(child) = children[lane % FF_SSA_FAN];
    FF_EXCHANGE(other, child, 1u);
    FF_EACH_LANE {
      FF_L(part) = FF_L(child) + FF_L(other);
      FF_L(before) = lane & 1u ? FF_L(other) : 0.0;
    }
    FF_EXCHANGE(other, part, 2u);
    FF_EACH_LANE {
      FF_L(part) += FF_L(other);
      FF_L(before) = (lane & 2u ? FF_L(other) : 0.0) + FF_L(before);
    }
    FF_EXCHANGE(other, part, 4u);
    FF_EACH_LANE FF_L(before) = (lane & 4u ? FF_L(other) : 0.0) + FF_L(before);
    FF_BALLOT(passed, lane - 1u < FF_SSA_FAN - 1u && FF_L(before) <= at && FF_L(before) < total);
    chosen = FF_POPCOUNT(passed);
    FF_FROM_LANE(less, before, chosen);
    FF_FROM_LANE(total, child, chosen);
    at -= less;
    node = node * FF_SSA_FAN + chosen;
  }
  return node;
}

/* The first leaf with the least value. */
FF_WARP uint32_t ff_ssa_warp_find_least(const ff_ssa_warp *w, double least) {
  FF_LANE_IN;
  uint32_t node = 0u;
  FF_NO_UNROLL for (uint32_t level = w->image->levels - 1u; level > 0u; level--) {
    const double *children = ff_ssa_level(w, level - 1u) + (size_t)node * FF_SSA_FAN;
    uint32_t equal;
    FF_BALLOT(equal, children[lane % FF_SSA_FAN] == least);
    node = node * FF_SSA_FAN + FF_LOWEST(equal);
  }
  return node;
}

/* ---- linear search --------------------------------------------------------------------------------------------------------- */

/* As ff_ssa_search_terms(), in the same order: the lanes read 32 terms, and those of 0 are passed over. */
FF_WARP uint32_t ff_ssa_warp_search_of(const ff_ssa_terms *terms, uint32_t first, uint32_t end, double *at) {
  FF_LANE_IN;
  uint32_t last = first;
  double left = *at;
  FF_NO_UNROLL for (uint32_t from = first; from < end; from += 32u) {
    FF_LANE_VAR(double, term);
    uint32_t who;
    FF_EACH_LANE FF_L(term) = from + lane < end ? ff_ssa_term(terms, from + lane) : 0.0;
    FF_BALLOT(who, FF_L(term) > 0.0);
    FF_NO_UNROLL for (; who != 0u; who &= who - 1u) {
      const uint32_t i = FF_LOWEST(who);
      double one;
      FF_FROM_LANE(one, term, i);
      last = from + i;
      if (left < one) {
        *at = left;
        return last;
      }
      left -= one;
    }
  }
  *at = left;
  return last;
}

FF_WARP uint32_t ff_ssa_warp_search(const double *values, uint32_t first, uint32_t end, double *at) {
  const ff_ssa_terms terms = {values, NULL, NULL};
  return ff_ssa_warp_search_of(&terms, first, end, at);
}

/* The search in blocks of ff_ssa_block.c. */
FF_WARP uint32_t ff_ssa_warp_find_block(const ff_ssa_warp *w, double at) {
  const ff_ssa_image *image = w->image;
  uint32_t node = ff_ssa_warp_search(ff_ssa_level(w, 2u), 0u, image->n[2], &at);
  FF_NO_UNROLL for (uint32_t level = 2u; level > 0u; level--) {
    const uint32_t first = node * image->fan, left = image->n[level - 1u] - first;
    node = ff_ssa_warp_search(ff_ssa_level(w, level - 1u), first, first + (left < image->fan ? left : image->fan), &at);
  }
  return node;
}

/* ff_ssa_sum() of n leaves. */
FF_WARP double ff_ssa_warp_sum(const ff_ssa_warp *w, uint32_t n) {
  const ff_ssa_terms leaves = {w->value, NULL, NULL};
  return ff_ssa_warp_sum_of(&leaves, 0u, n);
}

/* The row of the next step, and its item: find() of ff_ssa_partial.c. */
FF_WARP uint32_t ff_ssa_warp_find_item(const ff_ssa_warp *w, uint32_t row, double at) {
  const ff_ssa_terms items = ff_ssa_items(w);
  return ff_ssa_warp_search_of(&items, w->image->row_first[row], w->image->row_first[row + 1u], &at);
}

FF_WARP uint32_t ff_ssa_warp_find_in_rows(const ff_ssa_warp *w, double at) {
  const uint32_t row = ff_ssa_warp_search(w->value, 0u, w->image->n_rows, &at);
  return ff_ssa_warp_find_item(w, row, at / ff_ssa_row_factor(w, row));
}

/* ---- the first reaction method --------------------------------------------------------------------------------------------- */

/* The shortest of the lanes' waiting times; of equal ones, that of the first reaction. */
FF_WARP void ff_ssa_warp_shortest(FF_LANE_VAR(double, least), FF_LANE_VAR(uint32_t, which), double *wait, uint32_t *reaction) {
  FF_LANE_IN;
  FF_LANE_VAR(double, other);
  FF_LANE_VAR(uint32_t, there);
  FF_NO_UNROLL for (uint32_t bit = 1u; bit < 32u; bit *= 2u) {
    FF_EXCHANGE(other, least, bit);
    FF_EXCHANGE(there, which, bit);
    FF_EACH_LANE if (FF_L(other) < FF_L(least) || (FF_L(other) == FF_L(least) && FF_L(there) < FF_L(which))) {
      FF_L(least) = FF_L(other);
      FF_L(which) = FF_L(there);
    }
  }
  FF_FIRST_LANE(*wait, least);
  FF_FIRST_LANE(*reaction, which);
}

/* The shortest waiting time of a share of the pairs of reactions. Returns 0 if a propensity is infinite. */
FF_WARP int ff_ssa_warp_first(const ff_ssa_warp *w, ff_ssa_share share, double *wait, uint32_t *reaction) {
  FF_LANE_IN;
  FF_LANE_VAR(double, least);
  FF_LANE_VAR(uint32_t, which);
  FF_LANE_VAR(int, bad);
  const uint32_t n = w->image->n_reactions;
  uint32_t who;
  FF_EACH_LANE {
    FF_L(least) = ff_math_infinity();
    FF_L(which) = UINT32_MAX;
    FF_L(bad) = 0;
    FF_NO_UNROLL for (uint32_t r = 2u * (share.first + lane); r < n; r += 2u * share.step) {
      const double one = w->value[r], two = r + 1u < n ? w->value[r + 1u] : 0.0;
      if (!(one > 0.0 || two > 0.0)) continue;
      const ff_philox_block words =
          ff_philox(ff_philox_counter(FF_SSA_DRAW_FIRST, r / 2u, w->step, ff_ssa_warp_number(w)), ff_ssa_warp_key(w));
      const double first = one > 0.0 ? ff_exponential(words.v[0], words.v[1]) / one : ff_math_infinity();
      const double second = two > 0.0 ? ff_exponential(words.v[2], words.v[3]) / two : ff_math_infinity();
      FF_L(bad) |= !(one < ff_math_infinity() && two < ff_math_infinity());
      if (first < FF_L(least)) {
        FF_L(least) = first;
        FF_L(which) = r;
      }
      if (second < FF_L(least)) {
        FF_L(least) = second;
        FF_L(which) = r + 1u;
      }
    }
  }
  FF_BALLOT(who, FF_L(bad));
  ff_ssa_warp_shortest(least, which, wait, reaction);
  return who == 0u;
}

/* ---- rejection ------------------------------------------------------------------------------------------------------------- */

/* The lanes draw for some steps, FF_SSA_TRIAL_BLOCKS lanes for each. */
FF_WARP void ff_ssa_warp_draw_trials(ff_ssa_warp *w) {
  FF_LANE_IN;
  FF_EACH_LANE w->FF_L(words) =
      ff_philox(ff_philox_counter(FF_SSA_DRAW_TRIAL, lane % FF_SSA_TRIAL_BLOCKS, (uint64_t)w->step + lane / FF_SSA_TRIAL_BLOCKS,
                                  ff_ssa_warp_number(w)), ff_ssa_warp_key(w));
  w->drawn = 0u;
}

FF_WARP ff_ssa_trial ff_ssa_warp_trial(ff_ssa_warp *w) {
  if (w->drawn >= 32u / FF_SSA_TRIAL_BLOCKS) ff_ssa_warp_draw_trials(w);
  const ff_ssa_trial trial = {FF_SSA_TRIAL_BLOCKS * w->drawn++, 0u, {{0u, 0u, 0u, 0u}}};
  return trial;
}

FF_WARP uint64_t ff_ssa_warp_words(const ff_ssa_warp *w, ff_ssa_trial *t) {
  FF_LANE_IN;
  FF_LANE_VAR(uint64_t, pair);
  const uint32_t block = t->number / 2u, second = t->number % 2u;
  uint64_t out;
  t->number++;
  if (block >= FF_SSA_TRIAL_BLOCKS) {
    if (!second)
      t->words = ff_philox(ff_philox_counter(FF_SSA_DRAW_TRIAL, block % FF_PHILOX_MAX_BLOCKS, w->step, ff_ssa_warp_number(w)),
                           ff_ssa_warp_key(w));
    return second ? (uint64_t)t->words.v[3] << 32 | t->words.v[2] : (uint64_t)t->words.v[1] << 32 | t->words.v[0];
  }
  FF_EACH_LANE FF_L(pair) = second ? (uint64_t)w->FF_L(words).v[3] << 32 | w->FF_L(words).v[2]
                                   : (uint64_t)w->FF_L(words).v[1] << 32 | w->FF_L(words).v[0];
  FF_FROM_LANE(out, pair, t->lane + block);
  return out;
}

FF_WARP double ff_ssa_warp_closed(const ff_ssa_warp *w, ff_ssa_trial *t) {
  const uint64_t words = ff_ssa_warp_words(w, t);
  return ff_closed((uint32_t)words, (uint32_t)(words >> 32));
}

FF_WARP double ff_ssa_warp_wait(const ff_ssa_warp *w, ff_ssa_trial *t) {
  const uint64_t words = ff_ssa_warp_words(w, t);
  return ff_exponential((uint32_t)words, (uint32_t)(words >> 32));
}

/* As ff_ssa_bins_find(). */
FF_WARP uint32_t ff_ssa_warp_find_weight(const ff_ssa_warp *w, double total, ff_ssa_trial *t) {
  const ff_ssa_warp_bins g = ff_ssa_bins_of(w);
  double at = ff_ssa_warp_closed(w, t) * total;
  uint32_t k = *g.n - 1u;
  FF_NO_UNROLL for (; at >= g.weight[k] && k > 1u; k--) at -= g.weight[k];
  const uint32_t bin = g.number[k], *const items = g.items + g.first[k], n = g.size[k];
  if (bin == FF_SSA_SUBNORMAL) {
    uint32_t i = 0u;
    FF_NO_UNROLL for (; i + 1u < n && at >= w->value[items[i]]; i++) at -= w->value[items[i]];
    return items[i];
  }
  const double half = ff_ssa_bin_half(bin);
  for (;;) {
    const uint32_t i = (uint32_t)(ff_ssa_warp_closed(w, t) * (double)n), item = items[i < n ? i : n - 1u];
    if (ff_ssa_warp_closed(w, t) * half < 0.5 * w->value[item]) return item;
  }
}

/* The propensity of a law with bounds: it has no formula, so it needs no stack. */
FF_WARP double ff_ssa_warp_exact(const ff_ssa_warp *w, uint32_t reaction) {
  const ff_ssa_counts counts = {w->count, 1u, NULL, 0u, 0, NULL};
  int bad = 0;
  const double value = ff_ssa_law_value(w->image, w->image->laws[reaction], &counts, 0, &bad);
  return bad ? ff_math_nan() : value;
}

/* Candidates by upper bounds, until one is accepted. Returns 0 if a propensity is infinite. All lanes compute the same. */
FF_WARP int ff_ssa_warp_reject(ff_ssa_warp *w, double total, ff_ssa_next *next) {
  ff_ssa_trial trial = ff_ssa_warp_trial(w);
  next->time = w->time;
  for (;;) {
    next->time += ff_ssa_warp_wait(w, &trial) / total;
    const uint32_t r = next->reaction = ff_ssa_warp_find(w, ff_ssa_warp_closed(w, &trial) * total, total);
    const double upper = w->value[r], lower = FF_SSA_LOWER(w, r);
    if (lower == upper) return 1;
    const double at = ff_ssa_warp_closed(w, &trial) * upper;
    if (at < lower) return 1;
    const double exact = ff_ssa_warp_exact(w, r);
    if (at < exact) return 1;
    if (!(exact < ff_math_infinity())) return 0;
  }
}

/* ---- all methods ----------------------------------------------------------------------------------------------------------- */

/* The sum of the propensities, or of their bounds. */
FF_WARP double ff_ssa_warp_total(ff_ssa_warp *w) {
  if (w->method == FF_SSA_BLOCK) return ff_ssa_sum_terms(ff_ssa_level(w, 2u), w->image->n[2]);
  if (ff_ssa_has_bins(w)) return ff_ssa_bins_sum(w);
  if (!ff_ssa_has_rows(w) && !ff_ssa_method_searches(w->method)) return *ff_ssa_level(w, w->image->levels - 1u);
  if (ff_ssa_corrected_stale(&w->total)) w->total = ff_ssa_corrected_of(ff_ssa_warp_sum(w, w->image->n[0]));
  return w->total.value;
}

/* Finds the time of the next step. Returns 0 if the processor must say whether this is possible. */
FF_WARP int ff_ssa_warp_next(ff_ssa_warp *w, ff_ssa_next *next) {
  double wait;
  next->time = ff_math_infinity();
  next->reaction = 0u;
  next->at = next->total = 0.0;
  if (w->method == FF_SSA_FIRST) {
    const int fine = ff_ssa_warp_first(w, ff_ssa_alone(), &wait, &next->reaction);
    next->time = w->time + wait;
    return fine;
  }
  const double total = ff_ssa_warp_total(w);
  if (w->method == FF_SSA_NEXT) {
    next->time = total;
    return 1;
  }
  if (!(total < ff_math_infinity())) return 0;
  if (w->method == FF_SSA_RSSA) return !(total > 0.0) || ff_ssa_warp_reject(w, total, next);
  next->total = total;
  if (ff_ssa_has_bins(w)) {
    next->trial = ff_ssa_warp_trial(w);
    if (total > 0.0) next->time = w->time + ff_ssa_warp_wait(w, &next->trial) / total;
    return 1;
  }
  if (w->drawn == 32u) ff_ssa_warp_draw(w);
  FF_FROM_LANE(wait, w->wait, w->drawn);
  FF_FROM_LANE(next->at, w->choice, w->drawn);
  w->drawn++;
  if (total > 0.0) next->time = w->time + wait / total;
  next->at *= total;
  return 1;
}

/* The reaction of the next step. */
FF_WARP uint32_t ff_ssa_warp_reaction(const ff_ssa_warp *w, ff_ssa_next *next) {
  double at = next->at;
  if (ff_ssa_has_bins(w)) {
    const uint32_t row = ff_ssa_warp_find_weight(w, next->total, &next->trial);
    return ff_ssa_warp_find_item(w, row, ff_ssa_warp_closed(w, &next->trial) * FF_SSA_ROW_SUM(w, row)[0]);
  }
  if (ff_ssa_has_rows(w)) return ff_ssa_warp_find_in_rows(w, at);
  switch (w->method) {
  case FF_SSA_FIRST:
  case FF_SSA_RSSA: return next->reaction;
  case FF_SSA_NEXT: return ff_ssa_warp_find_least(w, next->time);
  case FF_SSA_BLOCK: return ff_ssa_warp_find_block(w, at);
  case FF_SSA_OPTIMISED: return ff_ssa_warp_search(w->value, 0u, w->image->n_reactions, &at);
  case FF_SSA_SORTING: return FF_SSA_ORDER(w)[ff_ssa_warp_search(w->value, 0u, w->image->n_reactions, &at)];
  default: return ff_ssa_warp_find(w, at, next->total);
  }
}

#endif
