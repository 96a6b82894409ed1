/* How each method finds the next event, for a warp that runs a trajectory of a network that is read as data. The same text is
 * compiled for device and host (ff_warp.h).
 *
 * The lanes draw for 32 events at once, a lane for each, if an event takes a fixed number of words. The waiting times of
 * first_reaction are drawn by all lanes, which exchange the shortest one.
 */
#ifndef FF_SSA_GENERIC_FIND_H
#define FF_SSA_GENERIC_FIND_H

#include "ff_ssa_generic_warp.h"
#include "ff_ssa_generic_update.h"

/* The next event. */
typedef struct {
  double time;       /* infinity if there is none */
  double at, total;  /* what chooses the reaction, and the sum of all */
  uint32_t reaction; /* if the method finds it together with the time */
} ff_ssa_next;

/* ---- trees ----------------------------------------------------------------------------------------------------------------- */

/* As ff_ssa_tree_find(). `total` is that of all leaves. Lane 4 a + 2 b + c, for bits a, b and c, adds up the children before
 * number 4 a + 2 b + c: four of them if a is 1, then two if b is 1, then one if c is 1. */
FF_WARP uint32_t ff_ssa_warp_find(const ff_ssa_warp *w, double at, double total) {
  FF_LANE_HERE;
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
  FF_LANE_HERE;
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

/* As ff_ssa_search(), in the same order: the lanes read 32 terms, and those of 0 are passed over. */
FF_WARP uint32_t ff_ssa_warp_search(const double *terms, uint32_t first, uint32_t end, double *at) {
  FF_LANE_HERE;
  uint32_t last = first;
  double left = *at;
  FF_NO_UNROLL for (uint32_t from = first; from < end; from += 32u) {
    FF_LANE_VAR(double, term);
    uint32_t who;
    FF_EACH_LANE FF_L(term) = from + lane < end ? terms[from + lane] : 0.0;
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

/* ff_ssa_sum() of the leaves. A lane has a part: bits of its number, from the highest one on, tell whether the part is on the
 * right of each of up to five divisions. Lanes without a part have 0, which changes no sum. */
FF_WARP double ff_ssa_warp_sum(const ff_ssa_warp *w) {
  FF_LANE_HERE;
  FF_LANE_VAR(double, sum);
  FF_LANE_VAR(double, other);
  double out;
  FF_EACH_LANE {
    uint32_t first = 0u, here = w->image->n_reactions;
    int depth = 4;
    for (; depth >= 0 && here > FF_SSA_SUM_PART; depth--) {
      const uint32_t half = here / 2u, right = lane >> depth & 1u;
      first += right ? half : 0u;
      here = right ? here - half : half;
    }
    FF_L(sum) = (lane & ((1u << (depth + 1)) - 1u)) == 0u ? ff_ssa_sum_terms(w->value + first, here) : 0.0;
  }
  FF_NO_UNROLL for (uint32_t bit = 1u; bit < 32u; bit *= 2u) {
    FF_EXCHANGE(other, sum, bit);
    FF_EACH_LANE FF_L(sum) += FF_L(other);
  }
  FF_FIRST_LANE(out, sum);
  return out;
}

/* ---- the first reaction method --------------------------------------------------------------------------------------------- */

/* The shortest waiting time; of equal ones, that of the first reaction. Returns 0 if a propensity is infinite. */
FF_WARP int ff_ssa_warp_first(const ff_ssa_warp *w, double *wait, uint32_t *reaction) {
  FF_LANE_HERE;
  FF_LANE_VAR(double, least);
  FF_LANE_VAR(double, other);
  FF_LANE_VAR(uint32_t, which);
  FF_LANE_VAR(uint32_t, there);
  FF_LANE_VAR(int, bad);
  const uint32_t n = w->image->n_reactions;
  uint32_t who;
  FF_EACH_LANE {
    FF_L(least) = ff_math_infinity();
    FF_L(which) = UINT32_MAX;
    FF_L(bad) = 0;
    FF_NO_UNROLL for (uint32_t r = 2u * lane; r < n; r += 64u) {
      const double one = w->value[r], two = r + 1u < n ? w->value[r + 1u] : 0.0;
      if (!(one > 0.0 || two > 0.0)) continue;
      const ff_philox_block words =
          ff_philox(ff_philox_counter(FF_SSA_DRAW_FIRST, r / 2u, w->event, w->run->first + w->unit), w->run->key);
      const double first = one > 0.0 ? ff_ssa_exponential(words.v[0], words.v[1]) / one : ff_math_infinity();
      const double second = two > 0.0 ? ff_ssa_exponential(words.v[2], words.v[3]) / two : ff_math_infinity();
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
  return who == 0u;
}

/* ---- rejection ------------------------------------------------------------------------------------------------------------- */

/* The words of FF_SSA_DRAW_TRIAL for the next event, two at a time, as ff_ssa_words. */
typedef struct {
  uint32_t block, used;
  ff_philox_block words;
} ff_ssa_trial;

FF_WARP uint64_t ff_ssa_warp_words(const ff_ssa_warp *w, ff_ssa_trial *t) {
  t->used ^= 2u;
  if (t->used == 0u) {
    t->words = ff_philox(ff_philox_counter(FF_SSA_DRAW_TRIAL, t->block, w->event, w->run->first + w->unit), w->run->key);
    t->block = (t->block + 1u) % FF_PHILOX_MAX_BLOCKS;
  }
  return t->used == 0u ? (uint64_t)t->words.v[1] << 32 | t->words.v[0] : (uint64_t)t->words.v[3] << 32 | t->words.v[2];
}

FF_WARP double ff_ssa_warp_closed(const ff_ssa_warp *w, ff_ssa_trial *t) {
  const uint64_t words = ff_ssa_warp_words(w, t);
  return ff_ssa_closed((uint32_t)words, (uint32_t)(words >> 32));
}

/* The propensity of a law with bounds: it has no formula, so it needs no stack. */
FF_WARP double ff_ssa_warp_exact(const ff_ssa_warp *w, uint32_t reaction) {
  const ff_ssa_counts counts = {w->count, 1u, NULL, 0u, 0, NULL};
  int bad = 0;
  const double value = ff_ssa_law_value(w->image, w->image->laws[reaction], &counts, 0, &bad);
  return bad ? ff_math_nan() : value;
}

/* Candidates by upper bounds, until one is accepted. Returns 0 if a propensity is infinite. All lanes compute the same. */
FF_WARP int ff_ssa_warp_reject(const ff_ssa_warp *w, double total, ff_ssa_next *next) {
  ff_ssa_trial trial = {0u, 2u, {{0u, 0u, 0u, 0u}}};
  next->time = w->time;
  for (;;) {
    const uint64_t words = ff_ssa_warp_words(w, &trial);
    next->time += ff_ssa_exponential((uint32_t)words, (uint32_t)(words >> 32)) / total;
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
  if (w->method != FF_SSA_OPTIMISED && w->method != FF_SSA_SORTING) return *ff_ssa_level(w, w->image->levels - 1u);
  if (ff_ssa_run_stale(&w->total)) w->total = ff_ssa_run_of(ff_ssa_warp_sum(w));
  return w->total.value;
}

/* Finds the time of the next event. Returns 0 if the processor must say whether this is possible. */
FF_WARP int ff_ssa_warp_next(ff_ssa_warp *w, ff_ssa_next *next) {
  double wait;
  next->time = ff_math_infinity();
  next->reaction = 0u;
  next->at = next->total = 0.0;
  if (w->method == FF_SSA_FIRST) {
    const int fine = ff_ssa_warp_first(w, &wait, &next->reaction);
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
  if (w->drawn == 32u) ff_ssa_warp_draw(w);
  FF_FROM_LANE(wait, w->wait, w->drawn);
  FF_FROM_LANE(next->at, w->choice, w->drawn);
  w->drawn++;
  if (total > 0.0) next->time = w->time + wait / total;
  next->at *= total;
  next->total = total;
  return 1;
}

/* The reaction of the next event. */
FF_WARP uint32_t ff_ssa_warp_reaction(const ff_ssa_warp *w, const ff_ssa_next *next) {
  double at = next->at;
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
