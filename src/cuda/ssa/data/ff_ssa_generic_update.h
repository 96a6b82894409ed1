/* What a step changes, for a warp that runs a trajectory of a network that is read as data: counts, leaves, and the nodes above
 * them. The same text is compiled for device and host (ff_warp.h).
 *
 * First, each lane makes one change of a count. Then each lane computes one leaf that depends on these counts. Then, level by
 * level, each lane computes one node that has a new child. Up to 32 nodes are kept by the lanes, without removing repeats. More
 * nodes are in a list; and if they are a large share of a level, all nodes from this level on are computed. It does not matter
 * how often a node is computed, nor by which lane.
 */
#ifndef FF_SSA_GENERIC_UPDATE_H
#define FF_SSA_GENERIC_UPDATE_H

#include "ff_ssa_generic_partial.h"

/* Changes the counts, unless the schedule has done so. Returns whether all of them are still in order. */
FF_WARP int ff_ssa_warp_change(const ff_ssa_warp *w, const ff_ssa_image_row *row) {
  FF_LANE_IN;
  FF_LANE_VAR(int, bad);
  uint32_t who;
  if (w->scheduled) return 1;
  FF_EACH_LANE {
    FF_L(bad) = 0;
    for (uint32_t i = lane; i < row->n_changes; i += 32u) {
      const ff_ssa_image_change change = w->image->changes[row->change + i];
      const uint32_t count = w->count[change.species] + (uint32_t)change.by;
      w->count[change.species] = count;
      FF_L(bad) |= count > FF_DEVICE_MOST;
    }
  }
  FF_BALLOT(who, FF_L(bad));
  FF_SYNCWARP();
  return who == 0u;
}

/* ---- leaves ---------------------------------------------------------------------------------------------------------------- */

/* What the next reaction method keeps of each reaction, as `queue` of ff_ssa_queue.c. */
#define FF_SSA_LEFT(w, r) ((w)->real[r])
#define FF_SSA_SINCE(w, r) ((w)->real[(size_t)(w)->image->n_reactions + (r)])
#define FF_SSA_SPEED(w, r) ((w)->real[2u * (size_t)(w)->image->n_reactions + (r)]) /* its propensity */
#define FF_SSA_FIRED(w, r) ((w)->whole[r])

FF_WARP void ff_ssa_warp_set_time(const ff_ssa_warp *w, uint32_t r, double speed, int *bad) {
  FF_SSA_SPEED(w, r) = speed;
  *bad |= !(speed < ff_math_infinity());
  w->value[r] = speed > 0.0 ? FF_SSA_SINCE(w, r) + FF_SSA_LEFT(w, r) / speed : ff_math_infinity();
}

FF_WARP void ff_ssa_warp_draw_firing(const ff_ssa_warp *w, uint32_t r) {
  const ff_philox_block words =
      ff_philox(ff_philox_counter(FF_SSA_DRAW_FIRING, r, FF_SSA_FIRED(w, r), ff_ssa_warp_number(w)), ff_ssa_warp_key(w));
  FF_SSA_LEFT(w, r) = ff_exponential(words.v[0], words.v[1]);
  FF_SSA_SINCE(w, r) = w->time;
}

/* The reaction has fired: it draws its next waiting time. */
FF_WARP void ff_ssa_warp_fired(const ff_ssa_warp *w, uint32_t r, const ff_ssa_image_law law, unsigned lane, int *bad) {
  FF_SSA_FIRED(w, r)++;
  ff_ssa_warp_draw_firing(w, r);
  ff_ssa_warp_set_time(w, r, ff_ssa_warp_law(w, law, lane, bad), bad);
}

/* The propensity of another reaction has changed: its clock runs at a new speed. */
FF_WARP void ff_ssa_warp_speed(const ff_ssa_warp *w, uint32_t r, double now, int *bad) {
  const double old = FF_SSA_SPEED(w, r);
  if (now == old) return;
  const double left = FF_SSA_LEFT(w, r) - old * (w->time - FF_SSA_SINCE(w, r));
  if (old > 0.0) FF_SSA_LEFT(w, r) = left > 0.0 ? left : 0.0;
  FF_SSA_SINCE(w, r) = w->time;
  ff_ssa_warp_set_time(w, r, now, bad);
}

/* What RSSA keeps: of each reaction a lower bound, and of each species the interval of its count. */
#define FF_SSA_LOWER(w, r) ((w)->real[r])
#define FF_SSA_LOW(w) ((w)->whole)
#define FF_SSA_HIGH(w) ((w)->whole + (w)->image->n_species + 1u)
#define FF_SSA_EXACT_MOST 4u /* as in ff_ssa_rssa.c */

FF_WARP void ff_ssa_warp_set_interval(const ff_ssa_warp *w, uint32_t s) {
  const uint32_t x = w->count[s], width = x <= FF_SSA_EXACT_MOST ? 0u : x < 20u ? 2u : x / 10u;
  FF_SSA_LOW(w)[s] = x - width;
  FF_SSA_HIGH(w)[s] = x + width;
}

/* A bound that is no number is infinite. Then the trajectory is refused, and the processor has no intervals in it. */
FF_WARP double ff_ssa_warp_bound(const ff_ssa_warp *w, const ff_ssa_image_law law, const uint32_t *count, unsigned lane) {
  const ff_ssa_counts counts = {count, 1u, w->stack + lane, 32u, 0, NULL};
  int bad = 0;
  const double bound = ff_ssa_law_value(w->image, law, &counts, 0, &bad) + 0.0; /* -0 becomes 0 */
  return bad ? ff_math_infinity() : bound;
}

/* Sets the lower bound, and returns the upper one. */
FF_WARP double ff_ssa_warp_bounds_of(const ff_ssa_warp *w, uint32_t r, const ff_ssa_image_law law, unsigned lane, int *bad) {
  if (law.b & FF_SSA_IMAGE_OTHER && w->image->others[law.a].exact)
    return FF_SSA_LOWER(w, r) = ff_ssa_warp_law(w, law, lane, bad);
  FF_SSA_LOWER(w, r) = ff_ssa_warp_bound(w, law, FF_SSA_LOW(w), lane);
  return ff_ssa_warp_bound(w, law, FF_SSA_HIGH(w), lane);
}

/* Gives a leaf its value after the reaction `fired`. */
FF_WARP void ff_ssa_warp_leaf(const ff_ssa_warp *w, uint32_t leaf, const ff_ssa_image_law law, uint32_t fired, unsigned lane,
                              int *bad) {
  if (w->method == FF_SSA_RSSA) {
    w->value[leaf] = ff_ssa_warp_bounds_of(w, leaf, law, lane, bad);
  } else if (w->method == FF_SSA_NEXT) {
    if (leaf != fired) ff_ssa_warp_speed(w, leaf, ff_ssa_warp_law(w, law, lane, bad), bad);
  } else {
    w->value[leaf] = ff_ssa_warp_law(w, law, lane, bad);
  }
}

/* ---- updates --------------------------------------------------------------------------------------------------------------- */

/* Changes the counts, and gives up to 32 leaves that depend on them their values. Computes the nodes above these; several lanes
 * may compute a node, and get the same bits. Laws are read before the counts change, because they lie in slow memory. With the
 * next reaction method, the last lane of these has the reaction that has fired. */
FF_WARP int ff_ssa_warp_few(const ff_ssa_warp *w, const ff_ssa_image_row *row, uint32_t fired) {
  FF_LANE_IN;
  const ff_ssa_image *image = w->image;
  const uint32_t n = row->n_dependents + (w->method == FF_SSA_NEXT ? 1u : 0u);
  FF_LANE_VAR(uint32_t, node);
  FF_LANE_VAR(ff_ssa_image_law, law);
  FF_LANE_VAR(int, bad);
  uint32_t who;
  FF_EACH_LANE {
    const ff_ssa_image_law none = {0.0, 0u, 0u};
    FF_L(node) = fired;
    FF_L(law) = none;
    FF_L(bad) = 0;
    if (lane < row->n_dependents) {
      const uint32_t i = row->dependent + lane;
      FF_L(node) = image->dependents[i];
      FF_L(law) = image->dependent_laws != NULL ? image->dependent_laws[i] : image->laws[FF_L(node)];
    } else if (lane < n) {
      FF_L(law) = image->laws[fired];
    }
  }
  const int fine = ff_ssa_warp_change(w, row);
  FF_EACH_LANE {
    if (lane < row->n_dependents) ff_ssa_warp_leaf(w, FF_L(node), FF_L(law), fired, lane, &FF_L(bad));
    else if (lane < n) ff_ssa_warp_fired(w, fired, FF_L(law), lane, &FF_L(bad));
  }
  FF_BALLOT(who, FF_L(bad));
  FF_SYNCWARP();
  double *below = w->value;
  FF_NO_UNROLL for (uint32_t level = 1u; level < image->levels; level++) {
    double *const nodes = ff_ssa_level(w, level);
    FF_EACH_LANE {
      FF_L(node) /= ff_ssa_fan(w);
      if (lane < n) nodes[FF_L(node)] = ff_ssa_node_value(w, below, level, FF_L(node));
    }
    below = nodes;
    FF_SYNCWARP();
  }
  return fine && who == 0u;
}

/* Appends the numbers that the lanes `who` have to a list, and returns its new length. It has n entries, unless several warps
 * append to it. */
FF_WARP uint32_t ff_ssa_append(uint32_t *list, ff_ssa_share share, uint32_t n, FF_LANE_VAR(uint32_t, number), uint32_t who) {
  FF_LANE_IN;
  if (share.n != NULL) {
    FF_LANE_VAR(uint32_t, place);
    if (who == 0u) return n;
    FF_EACH_LANE FF_L(place) = lane == 0u ? FF_RESERVE(share.n, FF_POPCOUNT(who)) : 0u;
    FF_FIRST_LANE(n, place);
  }
  FF_EACH_LANE if (who >> lane & 1u) list[n + FF_POPCOUNT(who & ((1u << lane) - 1u))] = FF_L(number);
  return n + FF_POPCOUNT(who);
}

/* Gives a share of the dependents, or of the readers of a species, their values. Unless *n is UINT32_MAX, their parents
 * are appended to the list of *n entries, without repeats of neighbours. Returns whether all propensities are valid. */
FF_WARP int ff_ssa_warp_leaves(const ff_ssa_warp *w, ff_ssa_share share, const uint32_t *leaves, const ff_ssa_image_law *laws,
                               uint32_t n_leaves, uint32_t fired, uint32_t *n) {
  FF_LANE_IN;
  FF_LANE_VAR(int, bad);
  FF_LANE_VAR(uint32_t, parent);
  uint32_t who;
  FF_EACH_LANE FF_L(bad) = 0;
  FF_NO_UNROLL for (uint32_t from = share.first; from < n_leaves; from += share.step) {
    FF_LANE_VAR(int, fresh);
    FF_EACH_LANE {
      const uint32_t i = from + lane;
      FF_L(fresh) = 0;
      FF_L(parent) = 0u;
      if (i < n_leaves) {
        const uint32_t leaf = leaves[i];
        ff_ssa_warp_leaf(w, leaf, laws != NULL ? laws[i] : w->image->laws[leaf], fired, lane, &FF_L(bad));
        FF_L(parent) = leaf / ff_ssa_fan(w);
        FF_L(fresh) = i == 0u || leaves[i - 1u] / ff_ssa_fan(w) != FF_L(parent);
      }
    }
    if (*n == UINT32_MAX) continue;
    FF_BALLOT(who, FF_L(fresh));
    *n = ff_ssa_append(w->list, share, *n, parent, who);
  }
  FF_BALLOT(who, FF_L(bad));
  return who == 0u;
}

/* Sums a share of the nodes of a list, and lists their parents in `parents`. Returns how many these are. */
FF_WARP uint32_t ff_ssa_warp_nodes(const ff_ssa_warp *w, ff_ssa_share share, uint32_t level, const uint32_t *nodes,
                                   uint32_t n_nodes, uint32_t *parents) {
  FF_LANE_IN;
  uint32_t n = 0u;
  FF_NO_UNROLL for (uint32_t from = share.first; from < n_nodes; from += share.step) {
    FF_LANE_VAR(int, fresh);
    FF_LANE_VAR(uint32_t, parent);
    uint32_t who;
    FF_EACH_LANE {
      const uint32_t i = from + lane;
      FF_L(fresh) = 0;
      FF_L(parent) = 0u;
      if (i < n_nodes) {
        ff_ssa_sum_node(w, level, nodes[i]);
        FF_L(parent) = nodes[i] / ff_ssa_fan(w);
        FF_L(fresh) = i == 0u || nodes[i - 1u] / ff_ssa_fan(w) != FF_L(parent);
      }
    }
    FF_BALLOT(who, FF_L(fresh));
    n = ff_ssa_append(parents, share, n, parent, who);
  }
  FF_SYNCWARP();
  return n;
}

/* Computes the n nodes of a list at a level, and all nodes above them. Without a list (n is UINT32_MAX), all nodes from this
 * level on. `parents` has room for another list. */
FF_WARP void ff_ssa_warp_climb(const ff_ssa_warp *w, uint32_t level, uint32_t *nodes, uint32_t *parents, uint32_t n) {
  const ff_ssa_image *image = w->image;
  FF_SYNCWARP();
  FF_NO_UNROLL while (n > 0u && level < image->levels && n <= image->n[level] / FF_SSA_LIST_SHARE) {
    n = ff_ssa_warp_nodes(w, ff_ssa_alone(), level, nodes, n, parents);
    uint32_t *const spare = nodes;
    nodes = parents;
    parents = spare;
    level++;
  }
  if (n > 0u) ff_ssa_sum_levels(w, level);
}

/* As ff_ssa_warp_few(), for any number of propensities. */
FF_WARP int ff_ssa_warp_many(const ff_ssa_warp *w, const ff_ssa_image_row *row, uint32_t fired) {
  FF_LANE_IN;
  const ff_ssa_image *image = w->image;
  const int draws = w->method == FF_SSA_NEXT;
  uint32_t n = row->n_dependents + (draws ? 1u : 0u) <= image->listed ? 0u : UINT32_MAX;
  int fine = ff_ssa_warp_change(w, row);
  if (image->dependents != NULL) {
    const ff_ssa_image_law *laws = image->dependent_laws;
    fine &= ff_ssa_warp_leaves(w, ff_ssa_alone(), image->dependents + row->dependent,
                               laws != NULL ? laws + row->dependent : NULL, row->n_dependents, fired, &n);
  } else {
    FF_NO_UNROLL for (uint32_t i = 0; i < row->n_changes; i++) {
      const uint32_t species = image->changes[row->change + i].species;
      const uint64_t first = image->reader_first[species];
      fine &= ff_ssa_warp_leaves(w, ff_ssa_alone(), image->readers + first, NULL,
                                 (uint32_t)(image->reader_first[species + 1u] - first), fired, &n);
      FF_SYNCWARP();
    }
  }
  if (draws) {
    FF_LANE_VAR(int, bad);
    uint32_t who;
    FF_EACH_LANE {
      FF_L(bad) = 0;
      if (lane == 0u) ff_ssa_warp_fired(w, fired, image->laws[fired], lane, &FF_L(bad));
      if (lane == 0u && n != UINT32_MAX) w->list[n] = fired / FF_SSA_FAN;
    }
    FF_BALLOT(who, FF_L(bad));
    fine &= who == 0u;
    n += n != UINT32_MAX;
  }
  ff_ssa_warp_climb(w, 1u, w->list, w->other, n);
  return fine;
}

/* ---- running sums ---------------------------------------------------------------------------------------------------------- */

/* The place of each reaction, and the reaction at each place. optimised_direct numbers reactions by their places. */
#define FF_SSA_ORDER(w) ((w)->whole)
#define FF_SSA_PLACE(w) ((w)->whole + (w)->image->n_reactions)

/* Computes the propensities of a range of the dependents, or of the readers of a species, and corrects the sum in their order. */
FF_WARP int ff_ssa_warp_terms(ff_ssa_warp *w, const uint32_t *leaves, const ff_ssa_image_law *laws, uint32_t n_leaves) {
  FF_LANE_IN;
  FF_LANE_VAR(int, bad);
  FF_LANE_VAR(double, change);
  uint32_t who;
  FF_EACH_LANE FF_L(bad) = 0;
  FF_NO_UNROLL for (uint32_t from = 0; from < n_leaves; from += 32u) {
    FF_EACH_LANE {
      const uint32_t i = from + lane;
      FF_L(change) = 0.0;
      if (i < n_leaves) {
        const uint32_t leaf = leaves[i];
        double *value = w->value + (w->method == FF_SSA_SORTING ? FF_SSA_PLACE(w)[leaf] : leaf);
        const double now = ff_ssa_warp_law(w, laws != NULL ? laws[i] : w->image->laws[leaf], lane, &FF_L(bad));
        FF_L(change) = now - *value; /* 0 only if they are equal; if one is not finite, the trajectory ends */
        *value = now;
      }
    }
    FF_BALLOT(who, FF_L(change) != 0.0);
    FF_NO_UNROLL for (; who != 0u; who &= who - 1u) {
      double one;
      FF_FROM_LANE(one, change, FF_LOWEST(who));
      ff_ssa_corrected_change(&w->total, one);
    }
    FF_SYNCWARP();
  }
  FF_BALLOT(who, FF_L(bad));
  return who == 0u;
}

/* sorting_direct: a reaction that has fired changes places with the one before it. */
FF_WARP void ff_ssa_warp_move_forward(const ff_ssa_warp *w, uint32_t reaction) {
  FF_LANE_IN;
  uint32_t *const order = FF_SSA_ORDER(w), *const place = FF_SSA_PLACE(w);
  FF_SYNCWARP();
  FF_EACH_LANE if (lane == 0u && place[reaction] > 0u) {
    const uint32_t at = place[reaction], before = order[at - 1u];
    const double value = w->value[at - 1u];
    w->value[at - 1u] = w->value[at];
    w->value[at] = value;
    order[at - 1u] = reaction;
    order[at] = before;
    place[reaction] = at - 1u;
    place[before] = at;
  }
  FF_SYNCWARP();
}

FF_WARP int ff_ssa_warp_correct(ff_ssa_warp *w, const ff_ssa_image_row *row, uint32_t fired) {
  const ff_ssa_image *image = w->image;
  int fine = ff_ssa_warp_change(w, row);
  if (image->dependents != NULL) {
    const ff_ssa_image_law *laws = image->dependent_laws;
    fine &= ff_ssa_warp_terms(w, image->dependents + row->dependent, laws != NULL ? laws + row->dependent : NULL,
                              row->n_dependents);
  } else {
    FF_NO_UNROLL for (uint32_t i = 0; i < row->n_changes; i++) {
      const uint32_t species = image->changes[row->change + i].species;
      const uint64_t first = image->reader_first[species];
      fine &= ff_ssa_warp_terms(w, image->readers + first, NULL, (uint32_t)(image->reader_first[species + 1u] - first));
    }
  }
  if (w->method == FF_SSA_SORTING) ff_ssa_warp_move_forward(w, fired);
  return fine;
}

/* ---- bounds ---------------------------------------------------------------------------------------------------------------- */

/* Sets new intervals around the counts that have left theirs. Returns which of the first 32 changes these are; bits for further
 * changes are in w->other, from its second entry on. */
FF_WARP uint32_t ff_ssa_warp_widen(const ff_ssa_warp *w, const ff_ssa_image_row *row) {
  FF_LANE_IN;
  uint32_t who, out = 0u;
  FF_NO_UNROLL for (uint32_t from = 0u; from < row->n_changes; from += 32u) {
    FF_LANE_VAR(int, is_out);
    FF_EACH_LANE {
      FF_L(is_out) = 0;
      if (from + lane < row->n_changes) {
        const uint32_t s = w->image->changes[row->change + from + lane].species, x = w->count[s];
        FF_L(is_out) = x < FF_SSA_LOW(w)[s] || x > FF_SSA_HIGH(w)[s];
        if (FF_L(is_out)) ff_ssa_warp_set_interval(w, s);
      }
    }
    FF_BALLOT(who, FF_L(is_out));
    if (from == 0u) out = who;
    FF_EACH_LANE if (from > 0u && lane == 0u) w->other[from / 32u] = who;
  }
  FF_SYNCWARP();
  return out;
}

/* Computes the bounds that depend on these intervals; and the propensities without bounds that depend on the other counts. */
FF_WARP int ff_ssa_warp_bounds(const ff_ssa_warp *w, const ff_ssa_image_row *row) {
  const ff_ssa_image *image = w->image;
  uint32_t n = row->n_dependents <= image->listed ? 0u : UINT32_MAX;
  int fine = ff_ssa_warp_change(w, row), any = 0;
  uint32_t out = ff_ssa_warp_widen(w, row);
  FF_NO_UNROLL for (uint32_t i = 0; i < row->n_changes; i++) {
    const uint32_t species = image->changes[row->change + i].species;
    if (i > 0u && i % 32u == 0u) out = w->other[i / 32u];
    const int all = (out >> (i & 31u) & 1u) != 0u;
    const uint64_t *first = (all ? image->reader_first : image->direct_first) + species;
    const uint32_t *const leaves = (all ? image->readers : image->direct) + first[0];
    const uint32_t n_leaves = (uint32_t)(first[1] - first[0]);
    if (n_leaves == 0u) continue;
    any = 1;
    fine &= ff_ssa_warp_leaves(w, ff_ssa_alone(), leaves, NULL, n_leaves, 0u, &n);
  }
  if (any) ff_ssa_warp_climb(w, 1u, w->list, w->other, n);
  return fine;
}

/* ---- all methods ----------------------------------------------------------------------------------------------------------- */

/* Updates what depends on the counts after a reaction. w->time is the time of the step. Returns whether all is in order. */
FF_WARP int ff_ssa_warp_update(ff_ssa_warp *w, uint32_t reaction) {
  const ff_ssa_image_row row = w->image->rows[reaction];
  if (w->method == FF_SSA_RSSA) return ff_ssa_warp_bounds(w, &row);
  if (ff_ssa_has_rows(w)) return ff_ssa_warp_change(w, &row) & ff_ssa_warp_rows(w, &row);
  if (ff_ssa_method_searches(w->method)) return ff_ssa_warp_correct(w, &row, reaction);
  const int few = row.n_dependents < 32u + (w->method == FF_SSA_NEXT ? 0u : 1u) && w->image->dependents != NULL;
  return few ? ff_ssa_warp_few(w, &row, reaction) : ff_ssa_warp_many(w, &row, reaction);
}

#endif
