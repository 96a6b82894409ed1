/* Composition and rejection (Slepoy, Thompson and Plimpton 2008): the reactions are in bins by powers of two of their
 * propensities. A bin is found by its sum, and a reaction of the bin by rejection. */
#include <stdlib.h>

#include "ff_ssa_finders.h"
#include "ff_ssa_bins.h"
#include "../path/ff_ssa_method.h"

static ff_status make(ff_ssa_path *path, ff_error *err) {
  ff_ssa_bins *bins = path->own = ff_calloc(1, sizeof *bins);
  if (bins == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for bins of propensities");
  return ff_ssa_bins_new(bins, path->program->n_reactions, err);
}

static void drop(ff_ssa_path *path) {
  if (path->own == NULL) return;
  ff_ssa_bins_free(path->own);
  free(path->own);
}

static void find(ff_ssa_path *path) {
  const ff_ssa_bins *bins = path->own;
  const double total = ff_ssa_bins_total(bins);
  if (FF_RARELY(ff_ssa_path_ends(path, total))) return;
  ff_ssa_words words = ff_ssa_words_of(path);
  path->next_time = path->time + ff_ssa_words_exponential(&words) / total;
  path->next = ff_ssa_bins_find(bins, total, &words);
}

static void begin(ff_ssa_path *path) {
  ff_ssa_bins *bins = path->own;
  ff_ssa_path_compute(path);
  ff_ssa_bins_clear(bins);
  for (uint32_t r = 0; r < path->program->n_reactions; r++) ff_ssa_bins_set(bins, r, path->propensity[r]);
  find(path);
}

static void go_on(ff_ssa_path *path) {
  size_t n;
  const uint32_t *dependents = ff_ssa_path_update(path, &n);
  for (size_t i = 0; i < n; i++) ff_ssa_bins_set(path->own, dependents[i], path->propensity[dependents[i]]);
  find(path);
}

const ff_ssa_finder ff_ssa_finder_composition = {make, drop, begin, go_on};
