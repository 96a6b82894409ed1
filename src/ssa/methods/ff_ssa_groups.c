/* Groups of weights for composition and rejection (Slepoy, Thompson and Plimpton 2008).
 *
 * All items are in one array, group after group, so that no group needs room of its own: an item that moves to another group
 * takes one item of each group in between one place further. */
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_groups.h"
#include "../path/ff_ssa_method.h"

ff_status ff_ssa_groups_new(ff_ssa_groups *g, uint32_t n, ff_error *err) {
  memset(g, 0, sizeof *g);
  g->n = n;
  g->weight = ff_calloc(n, sizeof *g->weight);
  g->items = ff_calloc(n, sizeof *g->items);
  g->place = ff_calloc(n, sizeof *g->place);
  g->groups = ff_calloc(FF_SSA_GROUPS, sizeof *g->groups);
  if (g->weight && g->items && g->place && g->groups) return FF_OK;
  ff_ssa_groups_free(g);
  return ff_error_set(err, FF_EMEMORY, "no memory for groups of %u propensities", n);
}

void ff_ssa_groups_free(ff_ssa_groups *g) {
  free(g->weight);
  free(g->items);
  free(g->place);
  free(g->groups);
  memset(g, 0, sizeof *g);
}

void ff_ssa_groups_clear(ff_ssa_groups *g) {
  memset(g->groups, 0, FF_SSA_GROUPS * sizeof *g->groups);
  g->groups[0].n = g->n;
  g->top = 0;
  for (uint32_t i = 0; i < g->n; i++) {
    g->weight[i] = 0;
    g->items[i] = g->place[i] = i;
  }
}

/* ---- sums --------------------------------------------------------------------------------------------------------------- */

static void set_weight(ff_ssa_groups *g, uint32_t group) {
  ff_ssa_group *at = g->groups + group;
  at->weight = ff_ssa_group_weight(group, at->low, at->high);
}

static void add(ff_ssa_group *at, uint64_t significand) {
  at->low += significand;
  at->high += at->low < significand;
}

static void subtract(ff_ssa_group *at, uint64_t significand) {
  at->high -= at->low < significand;
  at->low -= significand;
}

/* ---- moves -------------------------------------------------------------------------------------------------------------- */

static void put(ff_ssa_groups *g, uint32_t place, uint32_t item) {
  g->items[place] = item;
  g->place[item] = place;
}

static void link_between(ff_ssa_groups *g, uint32_t group, uint32_t down, uint32_t up) {
  g->groups[group].down = down;
  g->groups[group].up = up;
  g->groups[down].up = group;
  if (up != 0)
    g->groups[up].down = group;
  else
    g->top = group;
}

static void unlink_empty(ff_ssa_groups *g, uint32_t group) {
  const ff_ssa_group *at = g->groups + group;
  if (group == 0 || at->n > 0) return;
  g->groups[at->down].up = at->up;
  if (at->up != 0)
    g->groups[at->up].down = at->down;
  else
    g->top = at->down;
}

/* The free place is behind the last item of `from`. Each group in between gives its last place for it. */
static void move_up(ff_ssa_groups *g, uint32_t item, uint32_t from, uint32_t to) {
  ff_ssa_group *at = g->groups + from;
  uint32_t below = from, next = at->up, hole = at->first + --at->n;
  put(g, g->place[item], g->items[hole]);
  for (; next != 0 && next < to; below = next, next = g->groups[next].up) {
    ff_ssa_group *passed = g->groups + next;
    const uint32_t last = passed->first + passed->n - 1;
    put(g, hole, g->items[last]);
    passed->first--;
    hole = last;
  }
  if (next != to) link_between(g, to, below, next);
  g->groups[to].first = hole;
  g->groups[to].n++;
  put(g, hole, item);
}

/* The free place is before the first item of `from`. Each group in between gives its first place for it. */
static void move_down(ff_ssa_groups *g, uint32_t item, uint32_t from, uint32_t to) {
  ff_ssa_group *at = g->groups + from;
  uint32_t above = from, next = at->down, hole = at->first++;
  at->n--;
  put(g, g->place[item], g->items[hole]);
  for (; next > to; above = next, next = g->groups[next].down) {
    ff_ssa_group *passed = g->groups + next;
    const uint32_t first = passed->first++;
    put(g, hole, g->items[first]);
    hole = first;
  }
  if (next != to) {
    link_between(g, to, next, above);
    g->groups[to].first = hole;
    g->groups[to].n = 0;
  }
  g->groups[to].n++;
  put(g, hole, item);
}

void ff_ssa_groups_set(ff_ssa_groups *g, uint32_t item, double weight) {
  const double old = g->weight[item];
  if (weight == old) return;
  const uint32_t from = ff_ssa_group_of(old), to = ff_ssa_group_of(weight);
  g->weight[item] = weight > 0 ? weight : 0;
  if (from > 0) subtract(g->groups + from, ff_ssa_significand(old));
  if (to > from) move_up(g, item, from, to);
  if (to < from) move_down(g, item, from, to);
  if (to > 0) {
    add(g->groups + to, ff_ssa_significand(weight));
    set_weight(g, to);
  }
  if (from == to) return;
  if (from > 0) set_weight(g, from);
  unlink_empty(g, from);
}

/* ---- choices ------------------------------------------------------------------------------------------------------------ */

double ff_ssa_groups_total(const ff_ssa_groups *g) {
  double total = 0;
  for (uint32_t group = g->top; group != 0; group = g->groups[group].down) total += g->groups[group].weight;
  return total;
}

/* Subnormal weights have no common scale, so rejection might take a long time. */
static uint32_t find_subnormal(const ff_ssa_groups *g, const ff_ssa_group *group, double at) {
  const uint32_t *item = g->items + group->first, *last = item + group->n - 1;
  for (; item < last && at >= g->weight[*item]; item++) at -= g->weight[*item];
  return *item;
}

uint32_t ff_ssa_groups_find(const ff_ssa_groups *g, double total, ff_ssa_words *words) {
  double at = ff_ssa_words_closed(words) * total;
  uint32_t group = g->top;
  /* rounding may leave `at` above the sum of all: then the lowest group is taken */
  for (; at >= g->groups[group].weight && g->groups[group].down != 0; group = g->groups[group].down)
    at -= g->groups[group].weight;
  const ff_ssa_group *found = g->groups + group;
  if (FF_RARELY(group == FF_SSA_SUBNORMAL)) return find_subnormal(g, found, at);
  const double half = ff_ssa_group_half(group);
  for (;;) {
    const uint32_t i = (uint32_t)(ff_ssa_words_closed(words) * found->n);
    const uint32_t item = g->items[found->first + (i < found->n ? i : found->n - 1)];
    if (ff_ssa_words_closed(words) * half < 0.5 * g->weight[item]) return item;
  }
}
