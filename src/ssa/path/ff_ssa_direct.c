/* Methods that choose the next reaction from scratch at each step: the direct method (Gillespie 1977), the same with a tree of
 * sums (Li and Petzold 2006), and the first reaction method (Gillespie 1976). */
#include <math.h>
#include <stdlib.h>

#include "ff_ssa_draws.h"
#include "ff_ssa_path.h"

/* ---- the direct method -------------------------------------------------------------------------------------------------- */

/* The propensities are the leaves of the tree. */
static ff_status make_tree(ff_ssa_path *path, ff_error *err) {
  ff_ssa_tree *tree = path->own = ff_calloc(1, sizeof *tree);
  if (tree == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a tree of propensities");
  ff_status status = ff_ssa_tree_new(tree, path->program->n_reactions, err);
  path->propensity = tree->value;
  return status;
}

static void drop_tree(ff_ssa_path *path) {
  if (path->own == NULL) return;
  ff_ssa_tree_free(path->own);
  free(path->own);
  path->propensity = NULL;
}

/* One waiting time for all reactions, and a choice among them. */
static void find_direct(ff_ssa_path *path) {
  const ff_ssa_tree *tree = path->own;
  double total = ff_ssa_tree_total(tree);
  if (FF_RARELY(!(total > 0 && total < INFINITY))) {
    path->next_time = INFINITY;
    if (!(total < INFINITY)) ff_ssa_path_blame(path);
    return;
  }
  ff_philox_block words = ff_ssa_path_draw(path, FF_SSA_DRAW_STEP, 0);
  path->next_time = path->time + ff_exponential(words.v[0], words.v[1]) / total;
  path->next = ff_ssa_tree_find(tree, ff_closed(words.v[2], words.v[3]) * total);
}

static void compute_and_find(ff_ssa_path *path) {
  ff_ssa_path_compute(path);
  ff_ssa_tree_sum(path->own);
  find_direct(path);
}

static void update_and_find(ff_ssa_path *path) {
  size_t n;
  const uint32_t *dependents = ff_ssa_path_update(path, &n);
  ff_ssa_tree_update(path->own, dependents, n);
  find_direct(path);
}

const ff_ssa_finder ff_ssa_finder_direct = {make_tree, drop_tree, compute_and_find, compute_and_find};
const ff_ssa_finder ff_ssa_finder_tree = {make_tree, drop_tree, compute_and_find, update_and_find};

/* ---- the first reaction method ------------------------------------------------------------------------------------------ */

static ff_status make_nothing(ff_ssa_path *path, ff_error *err) {
  (void)path;
  (void)err;
  return FF_OK;
}

static void drop_nothing(ff_ssa_path *path) { (void)path; }

/* A waiting time for each reaction. */
static void find_first(ff_ssa_path *path) {
  ff_philox_block words = {{0}};
  double least = INFINITY;
  for (uint32_t r = 0; r < path->program->n_reactions; r++) {
    if (r % 2 == 0) words = ff_ssa_path_draw(path, FF_SSA_DRAW_FIRST, r / 2);
    if (!(path->propensity[r] > 0)) continue;
    if (FF_RARELY(path->propensity[r] == INFINITY)) ff_ssa_path_blame(path);
    double wait = ff_exponential(words.v[2 * (r % 2)], words.v[2 * (r % 2) + 1]) / path->propensity[r];
    if (wait < least) {
      least = wait;
      path->next = r;
    }
  }
  path->next_time = path->time + least;
}

static void compute_and_find_first(ff_ssa_path *path) {
  ff_ssa_path_compute(path);
  find_first(path);
}

static void update_and_find_first(ff_ssa_path *path) {
  size_t n;
  ff_ssa_path_update(path, &n);
  find_first(path);
}

const ff_ssa_finder ff_ssa_finder_first = {make_nothing, drop_nothing, compute_and_find_first, update_and_find_first};
