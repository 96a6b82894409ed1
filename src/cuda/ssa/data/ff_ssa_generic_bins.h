/* Bins of weights for composition and rejection, for a warp that runs a trajectory of a network that is read as data. Weights
 * are those of rows, with pssa_cr. The same text is compiled for device and host (ff_warp.h).
 *
 * Bins and the order of their items are those of ff_ssa_bins.c. Here only the bins that have items are kept, the
 * lowest one first, so that a few lanes find a bin, and all lanes add up their weights from neighbouring memory. Bin 0 is
 * the lowest one and has the weights of 0. It is kept even if it has no item. A trajectory that needs more bins than there
 * is room for is refused.
 *
 * The weights are the leaves of level 0: w->value. The sum of a bin is a whole number, so the order of its changes does
 * not matter; that of the items which change their bins does. */
#ifndef FF_SSA_GENERIC_BINS_H
#define FF_SSA_GENERIC_BINS_H

#include "../../../ssa/methods/ff_ssa_bin.h"
#include "ff_ssa_generic_warp.h"

#define FF_SSA_BIN_ROOM 64u

/* How many numbers a trajectory keeps for bins of n items. */
#define FF_SSA_BIN_REAL (3u * FF_SSA_BIN_ROOM)
#define FF_SSA_BIN_WHOLE(n) (1u + 3u * FF_SSA_BIN_ROOM + 2u * (uint64_t)(n))

/* Of each bin its weight, the sum of its significands, its number, and a range of `items`. */
typedef struct {
  double *weight;
  uint64_t *low, *high;
  uint32_t *n, *number, *first, *size, *items, *place; /* *n is the number of bins */
} ff_ssa_warp_bins;

FF_WARP ff_ssa_warp_bins ff_ssa_bins_of(const ff_ssa_warp *w) {
  double *const real = w->real + w->image->bin_real;
  uint32_t *const whole = w->whole + w->image->bin_whole;
  ff_ssa_warp_bins g;
  g.weight = real;
  g.low = (uint64_t *)(real + FF_SSA_BIN_ROOM);
  g.high = (uint64_t *)(real + 2u * FF_SSA_BIN_ROOM);
  g.n = whole;
  g.number = whole + 1u;
  g.first = g.number + FF_SSA_BIN_ROOM;
  g.size = g.first + FF_SSA_BIN_ROOM;
  g.items = g.size + FF_SSA_BIN_ROOM;
  g.place = g.items + w->image->n[0];
  return g;
}

/* Sets all weights to 0. */
FF_WARP void ff_ssa_bins_begin(const ff_ssa_warp *w) {
  FF_LANE_IN;
  const ff_ssa_warp_bins g = ff_ssa_bins_of(w);
  FF_EACH_LANE {
    for (uint32_t i = lane; i < w->image->n[0]; i += 32u) {
      w->value[i] = 0.0;
      g.items[i] = g.place[i] = i;
    }
    if (lane == 0u) {
      *g.n = 1u;
      g.number[0] = g.first[0] = 0u;
      g.size[0] = w->image->n[0];
      g.weight[0] = 0.0;
      g.low[0] = g.high[0] = 0u;
    }
  }
  FF_SYNCWARP();
}

/* ---- the list of bins ---------------------------------------------------------------------------------------------------- */

/* How many of n bins have lower numbers: the place of this number. */
FF_WARP uint32_t ff_ssa_bin_place(const ff_ssa_warp_bins *g, uint32_t n, uint32_t number) {
  FF_LANE_IN;
  uint32_t place = 0u, who;
  FF_NO_UNROLL for (uint32_t from = 0u; from < n; from += 32u) {
    FF_BALLOT(who, from + lane < n && g->number[from + lane] < number);
    place += FF_POPCOUNT(who);
  }
  return place;
}

/* Copies up to 32 bins from `from` on to the places from `to` on. */
FF_WARP void ff_ssa_bins_copy(const ff_ssa_warp_bins *g, uint32_t to, uint32_t from, uint32_t n) {
  FF_LANE_IN;
  FF_LANE_VAR(double, weight);
  FF_LANE_VAR(uint64_t, low);
  FF_LANE_VAR(uint64_t, high);
  FF_LANE_VAR(uint32_t, number);
  FF_LANE_VAR(uint32_t, first);
  FF_LANE_VAR(uint32_t, size);
  FF_EACH_LANE if (lane < n) {
    FF_L(weight) = g->weight[from + lane];
    FF_L(low) = g->low[from + lane];
    FF_L(high) = g->high[from + lane];
    FF_L(number) = g->number[from + lane];
    FF_L(first) = g->first[from + lane];
    FF_L(size) = g->size[from + lane];
  }
  FF_SYNCWARP();
  FF_EACH_LANE if (lane < n) {
    g->weight[to + lane] = FF_L(weight);
    g->low[to + lane] = FF_L(low);
    g->high[to + lane] = FF_L(high);
    g->number[to + lane] = FF_L(number);
    g->first[to + lane] = FF_L(first);
    g->size[to + lane] = FF_L(size);
  }
  FF_SYNCWARP();
}

/* Makes a bin without items at a place, before the one that is there. There is room. */
FF_WARP void ff_ssa_bin_insert(const ff_ssa_warp_bins *g, uint32_t n, uint32_t place, uint32_t number) {
  FF_LANE_IN;
  FF_SYNCWARP();
  FF_NO_UNROLL for (uint32_t end = n; end > place;) {
    const uint32_t begin = end - place > 32u ? end - 32u : place;
    ff_ssa_bins_copy(g, begin + 1u, begin, end - begin);
    end = begin;
  }
  FF_EACH_LANE if (lane == 0u) {
    g->number[place] = number;
    g->first[place] = g->size[place] = 0u;
    g->weight[place] = 0.0;
    g->low[place] = g->high[place] = 0u;
    *g->n = n + 1u;
  }
  FF_SYNCWARP();
}

FF_WARP void ff_ssa_bin_remove(const ff_ssa_warp_bins *g, uint32_t n, uint32_t place) {
  FF_LANE_IN;
  FF_NO_UNROLL for (uint32_t from = place + 1u; from < n; from += 32u)
    ff_ssa_bins_copy(g, from - 1u, from, n - from < 32u ? n - from : 32u);
  FF_EACH_LANE if (lane == 0u) *g->n = n - 1u;
  FF_SYNCWARP();
}

/* ---- changes of weights ---------------------------------------------------------------------------------------------------- */

FF_WARP void ff_ssa_bin_add(const ff_ssa_warp_bins *g, uint32_t at, int64_t change) {
  const uint64_t low = g->low[at], sum = low + (uint64_t)change;
  const uint64_t high = g->high[at] + (change < 0 ? UINT64_MAX : 0u) + (sum < low ? 1u : 0u);
  g->low[at] = sum;
  g->high[at] = high;
  g->weight[at] = ff_ssa_bin_weight(g->number[at], sum, high);
}

FF_WARP void ff_ssa_bin_put(const ff_ssa_warp_bins *g, uint32_t place, uint32_t item) {
  g->items[place] = item;
  g->place[item] = place;
}

/* As move_up() and move_down() of ff_ssa_bins.c, for the places of two bins in the list. */
FF_WARP void ff_ssa_bin_move(const ff_ssa_warp_bins *g, uint32_t item, uint32_t from, uint32_t to) {
  uint32_t hole;
  g->size[from]--;
  if (to > from) {
    hole = g->first[from] + g->size[from];
    ff_ssa_bin_put(g, g->place[item], g->items[hole]);
    FF_NO_UNROLL for (uint32_t k = from + 1u; k < to; k++) {
      const uint32_t last = --g->first[k] + g->size[k];
      ff_ssa_bin_put(g, hole, g->items[last]);
      hole = last;
    }
    g->first[to] = hole;
  } else {
    hole = g->first[from]++;
    ff_ssa_bin_put(g, g->place[item], g->items[hole]);
    FF_NO_UNROLL for (uint32_t k = from - 1u; k > to; k--) {
      const uint32_t first = g->first[k]++;
      ff_ssa_bin_put(g, hole, g->items[first]);
      hole = first;
    }
    if (g->size[to] == 0u) g->first[to] = hole;
  }
  g->size[to]++;
  ff_ssa_bin_put(g, hole, item);
}

/* Moves an item from one bin to another. Returns 0 if there is no room for this bin. */
FF_WARP int ff_ssa_rebin_one(const ff_ssa_warp_bins *g, uint32_t item, uint32_t old, uint32_t bin) {
  FF_LANE_IN;
  uint32_t n = *g->n, from = ff_ssa_bin_place(g, n, old);
  const uint32_t to = ff_ssa_bin_place(g, n, bin);
  if (to == n || g->number[to] != bin) {
    if (n == FF_SSA_BIN_ROOM) return 0;
    ff_ssa_bin_insert(g, n++, to, bin);
    from += from >= to;
  }
  const int is_empty = from > 0u && g->size[from] == 1u;
  FF_SYNCWARP();
  FF_EACH_LANE if (lane == 0u) ff_ssa_bin_move(g, item, from, to);
  FF_SYNCWARP();
  if (is_empty) ff_ssa_bin_remove(g, n, from);
  return 1;
}

/* As ff_ssa_bin_place(), for a lane alone. */
FF_WARP uint32_t ff_ssa_bin_search(const ff_ssa_warp_bins *g, uint32_t n, uint32_t number) {
  uint32_t first = 0u;
  FF_NO_UNROLL while (n > 0u) {
    const uint32_t half = n / 2u, is_right = g->number[first + half] < number;
    first += is_right ? half + 1u : 0u;
    n = is_right ? n - half - 1u : half;
  }
  return first;
}

/* Corrects the sums of bins other than 0 by changes, which the lanes `who` have. For each bin, the first of its lanes adds up
 * the changes of the others. The first lanes of all bins do so at the same time. */
FF_WARP void ff_ssa_bins_correct(const ff_ssa_warp_bins *g, FF_LANE_VAR(uint32_t, bin), FF_LANE_VAR(int64_t, change),
                                   uint32_t who) {
  FF_LANE_IN;
  FF_LANE_VAR(uint32_t, key);
  FF_LANE_VAR(uint32_t, left);
  FF_LANE_VAR(uint32_t, next);
  FF_LANE_VAR(int64_t, all);
  FF_LANE_VAR(int64_t, one);
  FF_LANE_VAR(int, adds);
  uint32_t more;
  FF_EACH_LANE FF_L(key) = who >> lane & 1u ? FF_L(bin) : 0u;
  FF_EQUAL_LANES(left, key);
  FF_EACH_LANE {
    FF_L(adds) = FF_L(key) != 0u && FF_LOWEST(FF_L(left)) == lane;
    FF_L(left) = FF_L(adds) ? FF_L(left) & (FF_L(left) - 1u) : 0u;
    FF_L(all) = FF_L(change);
  }
  for (;;) {
    FF_BALLOT(more, FF_L(left) != 0u);
    if (more == 0u) break;
    FF_EACH_LANE FF_L(next) = FF_L(left) != 0u ? FF_LOWEST(FF_L(left)) : lane;
    FF_FROM_LANES(one, change, FF_L(next));
    FF_EACH_LANE if (FF_L(left) != 0u) {
      FF_L(all) += FF_L(one); /* below 2^58 */
      FF_L(left) &= FF_L(left) - 1u;
    }
  }
  FF_EACH_LANE if (FF_L(adds)) ff_ssa_bin_add(g, ff_ssa_bin_search(g, *g->n, FF_L(key)), FF_L(all));
  FF_SYNCWARP();
}

/* Gives n <= 32 items, which differ, new weights, in the order of the lanes. Returns 0 if there is no room for their bins.
 * Sums lose what leaves a bin first, and get what comes last: in between, bins are made, and those without items removed. */
FF_WARP int ff_ssa_rebin(const ff_ssa_warp *w, FF_LANE_VAR(uint32_t, item), FF_LANE_VAR(double, weight), uint32_t n) {
  FF_LANE_IN;
  const ff_ssa_warp_bins g = ff_ssa_bins_of(w);
  FF_LANE_VAR(uint32_t, from);
  FF_LANE_VAR(uint32_t, to);
  FF_LANE_VAR(int64_t, less);
  FF_LANE_VAR(int64_t, more);
  FF_LANE_VAR(int, differs);
  uint32_t who, move;
  FF_EACH_LANE {
    const double now = lane < n && FF_L(weight) > 0.0 ? FF_L(weight) : 0.0, old = lane < n ? w->value[FF_L(item)] : 0.0;
    FF_L(from) = ff_ssa_bin_of(old);
    FF_L(to) = ff_ssa_bin_of(now);
    FF_L(more) = (int64_t)ff_ssa_significand(now);
    FF_L(less) = (FF_L(from) == FF_L(to) ? FF_L(more) : 0) - (int64_t)ff_ssa_significand(old);
    FF_L(differs) = now != old;
    if (FF_L(differs)) w->value[FF_L(item)] = now;
  }
  FF_BALLOT(who, FF_L(differs));
  FF_BALLOT(move, FF_L(from) != FF_L(to));
  FF_SYNCWARP();
  if (who != 0u) ff_ssa_bins_correct(&g, from, less, who);
  FF_NO_UNROLL for (uint32_t left = move; left != 0u; left &= left - 1u) {
    uint32_t one, before, after;
    FF_FROM_LANE(one, item, FF_LOWEST(left));
    FF_FROM_LANE(before, from, FF_LOWEST(left));
    FF_FROM_LANE(after, to, FF_LOWEST(left));
    if (!ff_ssa_rebin_one(&g, one, before, after)) return 0;
  }
  if (move != 0u) ff_ssa_bins_correct(&g, to, more, move);
  return 1;
}

/* ---- choices --------------------------------------------------------------------------------------------------------------- */

FF_WARP double ff_ssa_bins_sum(const ff_ssa_warp *w) {
  const ff_ssa_warp_bins g = ff_ssa_bins_of(w);
  double total = 0.0;
  for (uint32_t k = *g.n - 1u; k > 0u; k--) total += g.weight[k];
  return total;
}

#endif
