#include "ff_exact_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The number of groups with which one aggregation takes about 2e9 operations, between 4 and 256. */
static uint32_t most_groups(const ff_exact_system *sys) {
  double most = 2e9 / ((double)sys->n * (sys->ex->flip_bits + 1.0));
  return most < 4 ? 4 : most > 256 ? 256 : (uint32_t)most;
}

ff_status ff_exact_groups_new(ff_exact_groups *groups, ff_exact_system *sys, ff_error *err) {
  memset(groups, 0, sizeof *groups);
  if (!sys->state || !sys->n_orbits) return FF_OK;
  groups->most = most_groups(sys);
  groups->at = sys->seg_last;
  groups->heaviest = -1;
  groups->group = ff_calloc(sys->n, sizeof *groups->group);
  if (!groups->group) return ff_error_set(err, FF_EMEMORY, "no memory for the groups of %u states", sys->n);
  return FF_OK;
}

void ff_exact_groups_free(ff_exact_groups *groups) {
  free(groups->group);
  free(groups->flow);
  free(groups->mass);
  free(groups->scale);
  free(groups->x);
  free(groups->t);
  free(groups->size);
  free(groups->top);
  memset(groups, 0, sizeof *groups);
}

/* Finds the heaviest arrow that leaves the segment of position i; the segment ends before hi. */
static void heaviest_arrow(ff_exact_groups *groups, ff_exact_system *sys, uint32_t i, uint32_t hi, ff_exact_turn *turn) {
  uint32_t n = ff_exact_update_row(sys->ex, sys->state[i], sys->row_to, sys->row_weight);
  turn->left -= n;
  for (uint32_t e = 0; e < n; e++) {
    uint32_t to = sys->pos[sys->row_to[e]];
    if (to >= hi && sys->row_weight[e] > groups->heaviest) {
      groups->heaviest = sys->row_weight[e];
      groups->best = groups->group[to - sys->lo];
    }
  }
}

/* Goes from the last segment to the first. A closed segment is a new group. Another segment joins the group to which its
 * heaviest leaving arrow goes. */
static int find(ff_exact_groups *groups, ff_exact_system *sys, const uint8_t *closed, ff_exact_turn *turn) {
  enum { LOOK, WRITE };
  ff_exact_place *place = &groups->walk;
  uint32_t from, to;
  for (; groups->at > sys->seg_first; groups->at--) {
    uint32_t g = groups->at - 1, lo = sys->segment[g], hi = sys->segment[g + 1], size = hi - lo;
    if (place->stage == LOOK) {
      for (; place->at < size && !closed[g]; place->at++) {
        if (!ff_exact_more(turn, sys->ex->row_cost)) return 0;
        heaviest_arrow(groups, sys, lo + place->at, hi, turn);
      }
      if (closed[g]) groups->best = groups->n_groups++;
      place->at = 0;
      place->stage = WRITE;
    }
    while (ff_exact_take(turn, place, size, &from, &to))
      for (uint32_t i = lo + from; i < lo + to; i++) groups->group[i - sys->lo] = groups->best;
    if (!ff_exact_through(place, size, LOOK)) return 0;
    groups->best = 0;
    groups->heaviest = -1;
  }
  return 1;
}

/* Keeps `top` sorted by size, the largest group first and among equal ones the first found. It has at most `most` - 1 groups. */
static void rank_group(ff_exact_groups *groups, uint32_t g) {
  uint32_t k = groups->n_top, last = groups->most - 1;
  if (k == last && groups->size[groups->top[k - 1]] >= groups->size[g]) return;
  if (k == last)
    k--;
  else
    groups->n_top++;
  for (; k > 0 && groups->size[groups->top[k - 1]] < groups->size[g]; k--) groups->top[k] = groups->top[k - 1];
  groups->top[k] = g;
}

/* If there are more than `most` groups, merges those with the smallest basins into one. */
static int merge(ff_exact_groups *groups, uint32_t n, ff_exact_turn *turn) {
  enum { COUNT, RANK, REST, MAP };
  ff_exact_place *place = &groups->walk;
  uint32_t lo, hi, all = groups->n_groups, rest = groups->most - 1;
  for (;;) switch (place->stage) {
      case COUNT:
        while (ff_exact_take(turn, place, n, &lo, &hi))
          for (uint32_t i = lo; i < hi; i++) groups->size[groups->group[i]]++;
        if (!ff_exact_through(place, n, RANK)) return 0;
        break;
      case RANK:
        while (ff_exact_take(turn, place, all, &lo, &hi))
          for (uint32_t g = lo; g < hi; g++) rank_group(groups, g);
        if (!ff_exact_through(place, all, REST)) return 0;
        break;
      case REST: /* from here on, `size` is the new number of each group */
        while (ff_exact_take(turn, place, all, &lo, &hi))
          for (uint32_t g = lo; g < hi; g++) groups->size[g] = rest;
        if (!ff_exact_through(place, all, MAP)) return 0;
        for (uint32_t k = 0; k < groups->n_top; k++) groups->size[groups->top[k]] = k;
        break;
      default:
        while (ff_exact_take(turn, place, n, &lo, &hi))
          for (uint32_t i = lo; i < hi; i++) groups->group[i] = groups->size[groups->group[i]];
        if (!ff_exact_through(place, n, COUNT)) return 0;
        groups->n_groups = groups->most;
        return 1;
    }
}

static ff_status make_room(ff_exact_groups *groups, uint32_t states, ff_error *err) {
  size_t n = groups->n_groups;
  free(groups->size);
  free(groups->top);
  groups->size = groups->top = NULL;
  groups->flow = ff_calloc(n * n, sizeof *groups->flow);
  groups->mass = ff_calloc(n, sizeof *groups->mass);
  groups->scale = ff_calloc(n, sizeof *groups->scale);
  groups->x = ff_calloc(states, sizeof *groups->x);
  groups->t = ff_calloc(states, sizeof *groups->t);
  if (groups->flow && groups->mass && groups->scale && groups->x && groups->t) return FF_OK;
  return ff_error_set(err, FF_EMEMORY, "no memory for %zu groups of %u states", n, states);
}

ff_status ff_exact_groups_fill(ff_exact_groups *groups, ff_exact_system *sys, const uint8_t *closed, ff_exact_turn *turn,
                               int *done, ff_error *err) {
  enum { FIND, MERGE };
  *done = !groups->group;
  if (*done) return FF_OK;
  if (groups->place.stage == FIND) {
    if (!find(groups, sys, closed, turn)) return FF_OK;
    if (groups->n_groups < 2) {
      ff_exact_groups_free(groups);
      *done = 1;
      return FF_OK;
    }
    if (groups->n_groups > groups->most) {
      groups->size = ff_calloc(groups->n_groups, sizeof *groups->size);
      groups->top = ff_calloc(groups->most, sizeof *groups->top);
      if (!groups->size || !groups->top)
        return ff_error_set(err, FF_EMEMORY, "no memory for %u groups of states", groups->n_groups);
    }
    groups->place.stage = MERGE;
  }
  if (groups->size && !merge(groups, sys->n, turn)) return FF_OK;
  groups->place.stage = 0;
  groups->at = 0;
  *done = 1;
  return make_room(groups, sys->n, err);
}

/* Adds the flow by updates, and the mass of each group. */
static int add_updates(ff_exact_groups *groups, ff_exact_system *sys, const double *pi, ff_exact_turn *turn) {
  size_t n = groups->n_groups;
  ff_exact_place *place = &groups->walk;
  if (!place->at) {
    memset(groups->flow, 0, n * n * sizeof *groups->flow);
    memset(groups->mass, 0, n * sizeof *groups->mass);
  }
  for (; place->at < sys->n; place->at++) {
    if (!ff_exact_more(turn, sys->ex->row_cost)) return 0;
    uint32_t i = place->at;
    double *flow = groups->flow + groups->group[i] * n, mass = sys->ex->update * pi[i];
    groups->mass[groups->group[i]] += pi[i];
    if (mass == 0) continue;
    uint32_t m = ff_exact_update_row(sys->ex, sys->state[sys->lo + i], sys->row_to, sys->row_weight);
    turn->left -= m;
    for (uint32_t e = 0; e < m; e++)
      flow[groups->group[sys->pos[sys->row_to[e]] - sys->lo]] += mass * sys->row_weight[e];
  }
  place->at = 0;
  return 1;
}

/* Adds the flow by flips, one group after the other. */
static int add_flips(ff_exact_groups *groups, ff_exact_system *sys, const double *pi, ff_exact_turn *turn) {
  enum { CHOOSE, FLIP, ADD };
  ff_exact_place *place = &groups->walk;
  uint32_t lo, hi, n = sys->n;
  while (groups->at < groups->n_groups) switch (place->stage) {
      case CHOOSE:
        while (ff_exact_take(turn, place, n, &lo, &hi)) {
          for (uint32_t i = lo; i < hi; i++) {
            groups->x[i] = groups->group[i] == groups->at ? pi[i] : 0;
            groups->t[i] = 0;
          }
        }
        if (!ff_exact_through(place, n, FLIP)) return 0;
        break;
      case FLIP:
        if (!ff_exact_system_flips(sys, groups->x, groups->t, turn)) return 0;
        place->stage = ADD;
        break;
      default:
        while (ff_exact_take(turn, place, n, &lo, &hi)) {
          double *flow = groups->flow + (size_t)groups->at * groups->n_groups;
          for (uint32_t i = lo; i < hi; i++) flow[groups->group[i]] += groups->t[i];
        }
        if (!ff_exact_through(place, n, CHOOSE)) return 0;
        groups->at++;
    }
  groups->at = 0;
  return 1;
}

/* Computes the factor for each group's mass. Returns the change, or -1 if the flows do not determine the factors. */
static double find_scale(ff_exact_groups *groups) {
  double total = 0, scaled = 0, change = 0;
  /* the flows are joint and not conditional probabilities, so their stationary vector is the factor of each group's mass */
  if (ff_exact_gth(groups->scale, groups->flow, groups->n_groups, NULL) != FF_OK) return -1;
  for (uint32_t g = 0; g < groups->n_groups; g++) {
    total += groups->mass[g];
    scaled += groups->mass[g] * groups->scale[g];
  }
  if (!(scaled > 0)) return -1;
  for (uint32_t g = 0; g < groups->n_groups; g++) {
    groups->scale[g] *= total / scaled;
    change += groups->mass[g] * fabs(groups->scale[g] - 1);
  }
  return change / total;
}

int ff_exact_groups_run(ff_exact_groups *groups, ff_exact_system *sys, double *pi, double *change, ff_exact_turn *turn) {
  enum { UPDATES, FLIPS, SCALE, MULTIPLY };
  ff_exact_place *place = &groups->place;
  uint32_t lo, hi;
  for (;;) switch (place->stage) {
      case UPDATES:
        if (!add_updates(groups, sys, pi, turn)) return 0;
        place->stage = FLIPS;
        break;
      case FLIPS:
        if (!add_flips(groups, sys, pi, turn)) return 0;
        place->stage = SCALE;
        break;
      case SCALE:
        if (!ff_exact_more(turn, (uint64_t)groups->n_groups * groups->n_groups * groups->n_groups / 3)) return 0;
        *change = find_scale(groups);
        place->stage = MULTIPLY;
        break;
      default:
        while (*change >= 0 && ff_exact_take(turn, place, sys->n, &lo, &hi))
          for (uint32_t i = lo; i < hi; i++) pi[i] *= groups->scale[groups->group[i]];
        if (*change >= 0 && !ff_exact_through(place, sys->n, UPDATES)) return 0;
        if (*change < 0) *change = 0;
        place->stage = UPDATES;
        return 1;
    }
}
