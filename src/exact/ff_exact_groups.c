#include "ff_exact_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As many groups as keep one aggregation at about two thousand million operations. */
static uint32_t most_groups(const ff_exact_system *sys) {
  double most = 2e9 / ((double)sys->n * (sys->ex->flip_bits + 1.0));
  return most < 4 ? 4 : most > 256 ? 256 : (uint32_t)most;
}

/* The group of the heaviest arrow that leaves the segment; later segments have theirs. */
static uint32_t group_after(ff_exact_system *sys, const uint32_t *group, uint32_t lo, uint32_t hi) {
  uint32_t best = 0;
  double heaviest = -1;
  for (uint32_t i = lo; i < hi; i++) {
    uint32_t n = ff_exact_update_row(sys->ex, sys->state[i], sys->row_to, sys->row_weight);
    for (uint32_t e = 0; e < n; e++) {
      uint32_t to = sys->pos[sys->row_to[e]];
      if (to >= hi && sys->row_weight[e] > heaviest) {
        heaviest = sys->row_weight[e];
        best = group[to - sys->lo];
      }
    }
  }
  return best;
}

typedef struct {
  uint32_t group, size;
} basin;

static int larger(const void *a, const void *b) {
  const basin *x = a, *y = b;
  if (x->size != y->size) return x->size < y->size ? 1 : -1;
  return x->group < y->group ? -1 : x->group > y->group;
}

/* Beyond `most` groups the ones with the smallest basins become one. */
static ff_status merge_groups(ff_exact_groups *groups, uint32_t n, uint32_t most, ff_error *err) {
  basin *basins = ff_calloc(groups->n_groups, sizeof *basins);
  uint32_t *map = ff_calloc(groups->n_groups, sizeof *map);
  if (!basins || !map) {
    free(basins);
    free(map);
    return ff_error_set(err, FF_EMEMORY, "no memory for %u groups of states", groups->n_groups);
  }
  for (uint32_t g = 0; g < groups->n_groups; g++) basins[g].group = g;
  for (uint32_t i = 0; i < n; i++) basins[groups->group[i]].size++;
  qsort(basins, groups->n_groups, sizeof *basins, larger);
  for (uint32_t k = 0; k < groups->n_groups; k++) map[basins[k].group] = k < most ? k : most - 1;
  for (uint32_t i = 0; i < n; i++) groups->group[i] = map[groups->group[i]];
  groups->n_groups = most;
  free(basins);
  free(map);
  return FF_OK;
}

ff_status ff_exact_groups_new(ff_exact_groups *groups, ff_exact_system *sys, const uint8_t *closed, ff_error *err) {
  memset(groups, 0, sizeof *groups);
  if (!sys->state || !sys->n_orbits) return FF_OK;
  groups->group = ff_calloc(sys->n, sizeof *groups->group);
  if (!groups->group) return ff_error_set(err, FF_EMEMORY, "no memory for the groups of %u states", sys->n);
  for (uint32_t g = sys->seg_last; g-- > sys->seg_first;) {
    uint32_t lo = sys->segment[g], hi = sys->segment[g + 1];
    uint32_t group = closed[g] ? groups->n_groups++ : group_after(sys, groups->group, lo, hi);
    for (uint32_t i = lo; i < hi; i++) groups->group[i - sys->lo] = group;
  }
  ff_status status = FF_OK;
  if (groups->n_groups < 2) {
    ff_exact_groups_free(groups);
    return FF_OK;
  }
  if (groups->n_groups > most_groups(sys)) status = merge_groups(groups, sys->n, most_groups(sys), err);
  size_t n = groups->n_groups;
  if (status == FF_OK) {
    groups->flow = ff_calloc(n * n, sizeof *groups->flow);
    groups->mass = ff_calloc(n, sizeof *groups->mass);
    groups->scale = ff_calloc(n, sizeof *groups->scale);
    groups->x = ff_calloc(sys->n, sizeof *groups->x);
    groups->t = ff_calloc(sys->n, sizeof *groups->t);
    if (!groups->flow || !groups->mass || !groups->scale || !groups->x || !groups->t)
      status = ff_error_set(err, FF_EMEMORY, "no memory for %zu groups of %u states", n, sys->n);
  }
  if (status != FF_OK) ff_exact_groups_free(groups);
  return status;
}

void ff_exact_groups_free(ff_exact_groups *groups) {
  free(groups->group);
  free(groups->flow);
  free(groups->mass);
  free(groups->scale);
  free(groups->x);
  free(groups->t);
  memset(groups, 0, sizeof *groups);
}

void ff_exact_groups_begin(ff_exact_groups *groups, ff_exact_system *sys, const double *pi) {
  size_t n = groups->n_groups;
  memset(groups->flow, 0, n * n * sizeof *groups->flow);
  memset(groups->mass, 0, n * sizeof *groups->mass);
  groups->at = 0;
  for (uint32_t i = 0; i < sys->n; i++) {
    double *flow = groups->flow + groups->group[i] * n, mass = sys->ex->update * pi[i];
    groups->mass[groups->group[i]] += pi[i];
    if (mass == 0) continue;
    uint32_t m = ff_exact_update_row(sys->ex, sys->state[sys->lo + i], sys->row_to, sys->row_weight);
    for (uint32_t e = 0; e < m; e++)
      flow[groups->group[sys->pos[sys->row_to[e]] - sys->lo]] += mass * sys->row_weight[e];
  }
}

int ff_exact_groups_run(ff_exact_groups *groups, ff_exact_system *sys, const double *pi) {
  if (groups->at == groups->n_groups) return 1;
  double *flow = groups->flow + (size_t)groups->at * groups->n_groups;
  for (uint32_t i = 0; i < sys->n; i++) {
    groups->x[i] = groups->group[i] == groups->at ? pi[i] : 0;
    groups->t[i] = 0;
  }
  ff_exact_system_flips(sys, groups->x, groups->t);
  for (uint32_t i = 0; i < sys->n; i++) flow[groups->group[i]] += groups->t[i];
  return ++groups->at == groups->n_groups;
}

double ff_exact_groups_end(ff_exact_groups *groups, double *pi, uint32_t n) {
  double total = 0, scaled = 0, change = 0;
  /* flows are joint, not conditional: their stationary vector is the factor of each group's mass */
  if (ff_exact_gth(groups->scale, groups->flow, groups->n_groups, NULL) != FF_OK) return 0;
  for (uint32_t g = 0; g < groups->n_groups; g++) {
    total += groups->mass[g];
    scaled += groups->mass[g] * groups->scale[g];
  }
  if (!(scaled > 0)) return 0;
  for (uint32_t g = 0; g < groups->n_groups; g++) {
    groups->scale[g] *= total / scaled;
    change += groups->mass[g] * fabs(groups->scale[g] - 1);
  }
  for (uint32_t i = 0; i < n; i++) pi[i] *= groups->scale[groups->group[i]];
  return change / total;
}
