/* A trajectory: its propensities, and its next event by the direct method, the tree and the first reaction method. */
#include "ff_ssa_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_draws.h"

void ff_ssa_path_free(ff_ssa_path *path) {
  if (path->tree.value == NULL) free(path->propensity);
  free(path->count);
  free(path->stack);
  free(path->mark);
  free(path->gathered);
  ff_ssa_tree_free(&path->tree);
  ff_ssa_queue_free(&path->queue);
  memset(path, 0, sizeof *path);
}

ff_status ff_ssa_path_new(ff_ssa_path *path, const ff_ssa_program *program, ff_ssa_method method, ff_error *err) {
  memset(path, 0, sizeof *path);
  path->program = program;
  path->method = method;
  ff_status status = FF_OK;
  if (method == FF_SSA_DIRECT || method == FF_SSA_TREE) {
    status = ff_ssa_tree_new(&path->tree, program->n_reactions, err);
    path->propensity = path->tree.value;
  } else {
    path->propensity = ff_calloc(program->n_reactions, sizeof *path->propensity);
  }
  if (status == FF_OK && method == FF_SSA_NEXT) status = ff_ssa_queue_new(&path->queue, program->n_reactions, err);
  path->count = ff_calloc(program->n_species, sizeof *path->count);
  path->stack = ff_calloc(program->depth, sizeof *path->stack);
  size_t listed = program->dependents == NULL ? program->n_reactions : 0;
  path->mark = ff_calloc(listed, sizeof *path->mark);
  path->gathered = ff_calloc(listed, sizeof *path->gathered);
  if (status == FF_OK && (!path->propensity || !path->count || !path->stack || !path->mark || !path->gathered))
    status = ff_error_set(err, FF_EMEMORY, "no memory for a trajectory of %u species", program->n_species);
  if (status != FF_OK) ff_ssa_path_free(path);
  return status;
}

/* ---- propensities ------------------------------------------------------------------------------------------------------- */

static double product_of(const ff_ssa_program *p, const ff_ssa_propensity *a, const double *count, double rate) {
  double value = rate;
  for (uint32_t i = a->first; i < a->first + a->n; i++) {
    double x = count[p->factors[i].species];
    uint32_t k = p->factors[i].count;
    if (x < (double)k) return 0;
    value *= x;
    for (uint32_t j = 1; j < k; j++) value *= (x - (double)j) / (double)(j + 1);
  }
  return value;
}

static int reactants_missing(const ff_ssa_program *p, const ff_ssa_propensity *a, const double *count) {
  for (uint32_t i = a->first; i < a->first + a->n; i++)
    if (count[p->factors[i].species] < (double)p->factors[i].count) return 1;
  return 0;
}

/* Laws that may give an invalid value: only counts of mass action are known to be in order. */
static double checked_propensity(ff_ssa_path *path, uint32_t r) {
  const ff_ssa_program *p = path->program;
  const ff_ssa_propensity *a = p->propensities + r;
  if (reactants_missing(p, a, path->count)) return 0;
  double rate = a->law == FF_LAW_PRODUCT ? a->rate : ff_formula_value(&p->formulas[a->a], path->count, 0, path->stack);
  double value = a->law == FF_LAW_FORMULA ? rate : product_of(p, a, path->count, rate);
  if (value >= 0 && value < INFINITY) return value + 0.0; /* -0 becomes 0 */
  if (path->state == FF_SSA_FINE) {
    path->state = FF_SSA_BAD_RATE;
    path->bad = r;
    path->bad_value = value;
  }
  return 0;
}

double ff_ssa_path_propensity(ff_ssa_path *path, uint32_t r) {
  const ff_ssa_propensity *a = path->program->propensities + r;
  const double *count = path->count;
  switch ((ff_ssa_law)a->law) {
    case FF_LAW_CONSTANT: return a->rate;
    case FF_LAW_LINEAR: return a->rate * count[a->a];
    case FF_LAW_PAIR: return a->rate * count[a->a] * count[a->b];
    case FF_LAW_TWIN: return a->rate * (count[a->a] * (count[a->a] - 1));
    default: return checked_propensity(path, r);
  }
}

/* ---- the next event ----------------------------------------------------------------------------------------------------- */

static ff_philox_block draw(const ff_ssa_path *path, uint32_t purpose, uint32_t block) {
  return ff_philox(ff_philox_counter(purpose, block, path->event, path->unit), path->key);
}

/* The sum of the propensities is infinite: one of them is, or the sum is too large. */
FF_SELDOM void blame_largest(ff_ssa_path *path) {
  if (path->state != FF_SSA_FINE) return;
  path->bad = 0;
  for (uint32_t r = 1; r < path->program->n_reactions; r++)
    if (path->propensity[r] > path->propensity[path->bad]) path->bad = r;
  path->bad_value = path->propensity[path->bad];
  path->state = path->bad_value == INFINITY ? FF_SSA_BAD_RATE : FF_SSA_BAD_SUM;
}

/* The direct method: one waiting time for all reactions, and a choice among them. */
static void find_direct(ff_ssa_path *path) {
  double total = ff_ssa_tree_total(&path->tree);
  if (FF_RARELY(!(total > 0 && total < INFINITY))) {
    path->next_time = INFINITY;
    if (!(total < INFINITY)) blame_largest(path);
    return;
  }
  ff_philox_block words = draw(path, FF_SSA_DRAW_EVENT, 0);
  path->next_time = path->time + ff_ssa_exponential(words.v[0], words.v[1]) / total;
  path->next = ff_ssa_tree_find(&path->tree, ff_ssa_closed(words.v[2], words.v[3]) * total);
}

/* The first reaction method: a waiting time for each reaction. */
static void find_first(ff_ssa_path *path) {
  ff_philox_block words = {{0}};
  double least = INFINITY;
  for (uint32_t r = 0; r < path->program->n_reactions; r++) {
    if (r % 2 == 0) words = draw(path, FF_SSA_DRAW_FIRST, r / 2);
    if (!(path->propensity[r] > 0)) continue;
    if (FF_RARELY(path->propensity[r] == INFINITY)) blame_largest(path);
    double wait = ff_ssa_exponential(words.v[2 * (r % 2)], words.v[2 * (r % 2) + 1]) / path->propensity[r];
    if (wait < least) {
      least = wait;
      path->next = r;
    }
  }
  path->next_time = path->time + least;
}

static void compute_all(ff_ssa_path *path) {
  for (uint32_t r = 0; r < path->program->n_reactions; r++) path->propensity[r] = ff_ssa_path_propensity(path, r);
}

void ff_ssa_path_start(ff_ssa_path *path, uint64_t key, uint64_t unit, const double *initial) {
  path->key = key;
  path->unit = unit;
  path->event = 0;
  path->time = 0;
  path->state = FF_SSA_FINE;
  memcpy(path->count, initial, path->program->n_species * sizeof *path->count);
  compute_all(path);
  switch (path->method) {
    case FF_SSA_FIRST: find_first(path); break;
    case FF_SSA_NEXT: ff_ssa_queue_start(path); break;
    default:
      ff_ssa_tree_sum(&path->tree);
      find_direct(path);
  }
}

static void apply(ff_ssa_path *path) {
  const ff_ssa_program *p = path->program;
  for (uint32_t i = p->change_first[path->next]; i < p->change_first[path->next + 1]; i++) {
    const ff_ssa_change *change = p->changes + i;
    double *count = path->count + change->species;
    *count += (double)change->by;
    if (FF_RARELY(*count > FF_SSA_MAX_COUNT) && path->state == FF_SSA_FINE) {
      path->state = FF_SSA_BAD_COUNT;
      path->bad = change->species;
      path->bad_value = *count;
    }
  }
}

const uint32_t *ff_ssa_path_dependents(ff_ssa_path *path, size_t *n) {
  const ff_ssa_program *p = path->program;
  if (p->dependents != NULL) {
    *n = p->depend_first[path->next + 1] - p->depend_first[path->next];
    return p->dependents + p->depend_first[path->next];
  }
  if (++path->stamp == 0) {
    memset(path->mark, 0, p->n_reactions * sizeof *path->mark);
    path->stamp = 1;
  }
  *n = ff_ssa_gather(p, path->next, path->mark, path->stamp, path->gathered);
  return path->gathered;
}

static void update_dependents(ff_ssa_path *path) {
  size_t n;
  const uint32_t *dependents = ff_ssa_path_dependents(path, &n);
  for (size_t i = 0; i < n; i++) path->propensity[dependents[i]] = ff_ssa_path_propensity(path, dependents[i]);
  if (path->method == FF_SSA_TREE) ff_ssa_tree_update(&path->tree, dependents, n);
}

void ff_ssa_path_diagnose(ff_ssa_path *path) {
  const ff_ssa_program *p = path->program;
  path->state = FF_SSA_FINE;
  for (uint32_t s = 0; s < p->n_species && path->state == FF_SSA_FINE; s++) {
    if (path->count[s] <= FF_SSA_MAX_COUNT) continue;
    path->state = FF_SSA_BAD_COUNT;
    path->bad = s;
    path->bad_value = path->count[s];
  }
  compute_all(path);
  ff_ssa_tree_sum(&path->tree);
  find_direct(path);
}

void ff_ssa_path_step(ff_ssa_path *path) {
  path->time = path->next_time;
  path->event++;
  apply(path);
  switch (path->method) {
    case FF_SSA_NEXT: ff_ssa_queue_step(path); break;
    case FF_SSA_FIRST:
      update_dependents(path);
      find_first(path);
      break;
    case FF_SSA_TREE:
      update_dependents(path);
      find_direct(path);
      break;
    default:
      compute_all(path);
      ff_ssa_tree_sum(&path->tree);
      find_direct(path);
  }
}
