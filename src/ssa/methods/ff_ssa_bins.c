/* Bins of weights for composition and rejection (Slepoy, Thompson and Plimpton 2008).
 *
 * All items are in one array, bin after bin, so that no bin needs room of its own: an item that moves to another bin
 * takes one item of each bin in between one place further. */
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_bins.h"
#include "../path/ff_ssa_method.h"

ff_status ff_ssa_bins_new(ff_ssa_bins *g, uint32_t n, ff_error *err) {
  memset(g, 0, sizeof *g);
  g->n = n;
  g->weight = ff_calloc(n, sizeof *g->weight);
  g->items = ff_calloc(n, sizeof *g->items);
  g->place = ff_calloc(n, sizeof *g->place);
  g->bins = ff_calloc(FF_SSA_BINS, sizeof *g->bins);
  if (g->weight && g->items && g->place && g->bins) return FF_OK;
  ff_ssa_bins_free(g);
  return ff_error_set(err, FF_EMEMORY, "no memory for bins of %u propensities", n);
}

void ff_ssa_bins_free(ff_ssa_bins *g) {
  free(g->weight);
  free(g->items);
  free(g->place);
  free(g->bins);
  memset(g, 0, sizeof *g);
}

void ff_ssa_bins_clear(ff_ssa_bins *g) {
  memset(g->bins, 0, FF_SSA_BINS * sizeof *g->bins);
  g->bins[0].n = g->n;
  g->top = 0;
  for (uint32_t i = 0; i < g->n; i++) {
    g->weight[i] = 0;
    g->items[i] = g->place[i] = i;
  }
}

/* ---- sums --------------------------------------------------------------------------------------------------------------- */

static void set_weight(ff_ssa_bins *g, uint32_t bin) {
  ff_ssa_bin *at = g->bins + bin;
  at->weight = ff_ssa_bin_weight(bin, at->low, at->high);
}

static void add(ff_ssa_bin *at, uint64_t significand) {
  at->low += significand;
  at->high += at->low < significand;
}

static void subtract(ff_ssa_bin *at, uint64_t significand) {
  at->high -= at->low < significand;
  at->low -= significand;
}

/* ---- moves -------------------------------------------------------------------------------------------------------------- */

static void put(ff_ssa_bins *g, uint32_t place, uint32_t item) {
  g->items[place] = item;
  g->place[item] = place;
}

static void link_between(ff_ssa_bins *g, uint32_t bin, uint32_t down, uint32_t up) {
  g->bins[bin].down = down;
  g->bins[bin].up = up;
  g->bins[down].up = bin;
  if (up != 0)
    g->bins[up].down = bin;
  else
    g->top = bin;
}

static void unlink_empty(ff_ssa_bins *g, uint32_t bin) {
  const ff_ssa_bin *at = g->bins + bin;
  if (bin == 0 || at->n > 0) return;
  g->bins[at->down].up = at->up;
  if (at->up != 0)
    g->bins[at->up].down = at->down;
  else
    g->top = at->down;
}

/* The free place is behind the last item of `from`. Each bin in between gives its last place for it. */
static void move_up(ff_ssa_bins *g, uint32_t item, uint32_t from, uint32_t to) {
  ff_ssa_bin *at = g->bins + from;
  uint32_t below = from, next = at->up, hole = at->first + --at->n;
  put(g, g->place[item], g->items[hole]);
  for (; next != 0 && next < to; below = next, next = g->bins[next].up) {
    ff_ssa_bin *passed = g->bins + next;
    const uint32_t last = passed->first + passed->n - 1;
    put(g, hole, g->items[last]);
    passed->first--;
    hole = last;
  }
  if (next != to) link_between(g, to, below, next);
  g->bins[to].first = hole;
  g->bins[to].n++;
  put(g, hole, item);
}

/* The free place is before the first item of `from`. Each bin in between gives its first place for it. */
static void move_down(ff_ssa_bins *g, uint32_t item, uint32_t from, uint32_t to) {
  ff_ssa_bin *at = g->bins + from;
  uint32_t above = from, next = at->down, hole = at->first++;
  at->n--;
  put(g, g->place[item], g->items[hole]);
  for (; next > to; above = next, next = g->bins[next].down) {
    ff_ssa_bin *passed = g->bins + next;
    const uint32_t first = passed->first++;
    put(g, hole, g->items[first]);
    hole = first;
  }
  if (next != to) {
    link_between(g, to, next, above);
    g->bins[to].first = hole;
    g->bins[to].n = 0;
  }
  g->bins[to].n++;
  put(g, hole, item);
}

void ff_ssa_bins_set(ff_ssa_bins *g, uint32_t item, double weight) {
  const double old = g->weight[item];
  if (weight == old) return;
  const uint32_t from = ff_ssa_bin_of(old), to = ff_ssa_bin_of(weight);
  g->weight[item] = weight > 0 ? weight : 0;
  if (from > 0) subtract(g->bins + from, ff_ssa_significand(old));
  if (to > from) move_up(g, item, from, to);
  if (to < from) move_down(g, item, from, to);
  if (to > 0) {
    add(g->bins + to, ff_ssa_significand(weight));
    set_weight(g, to);
  }
  if (from == to) return;
  if (from > 0) set_weight(g, from);
  unlink_empty(g, from);
}

/* ---- choices ------------------------------------------------------------------------------------------------------------ */

double ff_ssa_bins_total(const ff_ssa_bins *g) {
  double total = 0;
  for (uint32_t bin = g->top; bin != 0; bin = g->bins[bin].down) total += g->bins[bin].weight;
  return total;
}

/* Subnormal weights have no common scale, so rejection might take a long time. */
static uint32_t find_subnormal(const ff_ssa_bins *g, const ff_ssa_bin *bin, double at) {
  const uint32_t *item = g->items + bin->first, *last = item + bin->n - 1;
  for (; item < last && at >= g->weight[*item]; item++) at -= g->weight[*item];
  return *item;
}

uint32_t ff_ssa_bins_find(const ff_ssa_bins *g, double total, ff_ssa_words *words) {
  double at = ff_ssa_words_closed(words) * total;
  uint32_t bin = g->top;
  /* rounding may leave `at` above the sum of all: then the lowest bin is taken */
  for (; at >= g->bins[bin].weight && g->bins[bin].down != 0; bin = g->bins[bin].down)
    at -= g->bins[bin].weight;
  const ff_ssa_bin *found = g->bins + bin;
  if (FF_RARELY(bin == FF_SSA_SUBNORMAL)) return find_subnormal(g, found, at);
  const double half = ff_ssa_bin_half(bin);
  for (;;) {
    const uint32_t i = (uint32_t)(ff_ssa_words_closed(words) * found->n);
    const uint32_t item = g->items[found->first + (i < found->n ? i : found->n - 1)];
    if (ff_ssa_words_closed(words) * half < 0.5 * g->weight[item]) return item;
  }
}
