/* A trajectory: its counts and propensities, and its events, which a method finds. */
#include "ff_ssa_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_draws.h"

static const ff_ssa_finder *finder_of(ff_ssa_method method) {
  switch (method) {
    case FF_SSA_TREE:
    case FF_SSA_FACTORED: return &ff_ssa_finder_tree;
    case FF_SSA_FIRST: return &ff_ssa_finder_first;
    case FF_SSA_NEXT: return &ff_ssa_finder_next;
    case FF_SSA_OPTIMISED: return &ff_ssa_finder_optimised;
    case FF_SSA_SORTING: return &ff_ssa_finder_sorting;
    case FF_SSA_COMPOSITION: return &ff_ssa_finder_composition;
    case FF_SSA_RSSA: return &ff_ssa_finder_rssa;
    case FF_SSA_RSSA_CR: return &ff_ssa_finder_rssa_cr;
    case FF_SSA_PDM: return &ff_ssa_finder_pdm;
    case FF_SSA_SPDM: return &ff_ssa_finder_spdm;
    case FF_SSA_PSSA_CR: return &ff_ssa_finder_pssa_cr;
    case FF_SSA_BLOCK: return &ff_ssa_finder_block;
    default: return &ff_ssa_finder_direct;
  }
}

void ff_ssa_path_free(ff_ssa_path *path) {
  if (path->finder != NULL) path->finder->drop(path);
  free(path->propensity);
  free(path->count);
  free(path->stack);
  free(path->ranges);
  free(path->mark);
  free(path->gathered);
  ff_ssa_schedule_free(path->schedule);
  memset(path, 0, sizeof *path);
}

ff_status ff_ssa_path_new(ff_ssa_path *path, const ff_ssa_program *program, ff_ssa_method method, ff_error *err) {
  memset(path, 0, sizeof *path);
  path->program = program;
  path->finder = finder_of(method);
  ff_status status = path->finder->make(path, err);
  if (status == FF_OK && path->propensity == NULL) path->propensity = ff_calloc(program->n_reactions, sizeof *path->propensity);
  path->count = ff_calloc((size_t)program->n_species + program->n_slots, sizeof *path->count);
  path->stack = ff_calloc(program->depth, sizeof *path->stack);
  path->ranges = ff_calloc(program->depth, sizeof *path->ranges);
  size_t listed = program->dependents == NULL ? program->n_reactions : 0;
  path->mark = ff_calloc(listed, sizeof *path->mark);
  path->gathered = ff_calloc(listed, sizeof *path->gathered);
  if (status == FF_OK && (!path->propensity || !path->count || !path->stack || !path->ranges || !path->mark || !path->gathered))
    status = ff_error_set(err, FF_EMEMORY, "no memory for a trajectory of %u species", program->n_species);
  if (status == FF_OK && ff_ssa_program_scheduled(program)) status = ff_ssa_schedule_new(path, err);
  if (status != FF_OK) ff_ssa_path_free(path);
  return status;
}

ff_status ff_ssa_path_end_at(ff_ssa_path *path, const ff_formula *until, ff_error *err) {
  const uint32_t depth = path->program->depth > until->depth ? path->program->depth : until->depth;
  double *stack = ff_calloc(depth, sizeof *stack);
  if (stack == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a condition");
  free(path->stack);
  path->stack = stack;
  path->until = until;
  return FF_OK;
}

int ff_ssa_path_has_reached(ff_ssa_path *path) {
  if (path->until == NULL || path->failure.what != FF_SSA_FINE) return 0;
  path->reached = ff_formula_value(path->until, path->count, 0, path->stack) != 0;
  if (path->reached) path->next_time = INFINITY;
  return path->reached;
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

void ff_ssa_path_fail(ff_ssa_path *path, int what, uint32_t item, double value) {
  if (path->failure.what != FF_SSA_FINE) return;
  path->failure.what = what;
  path->failure.item = item;
  path->failure.value = value;
  path->failure.time = path->time;
}

void ff_ssa_path_fail_rate(ff_ssa_path *path, uint32_t r, const double *values, double value) {
  const ff_ssa_propensity *a = path->program->propensities + r;
  int what = FF_SSA_BAD_RATE;
  if (value < 0 && a->law != FF_LAW_PRODUCT) {
    const ff_formula *formula = path->program->formulas + a->a;
    const ff_range range = ff_formula_range(formula, FF_RANGE_INEXACT, values, values, (ff_range){.low = 0}, path->ranges);
    if (range.high >= 0) what = FF_SSA_ROUNDED;
  }
  ff_ssa_path_fail(path, what, r, value);
}

void ff_ssa_path_pause(ff_ssa_path *path) {
  ff_ssa_path_fail(path, FF_SSA_HALFWAY, 0, 0);
  path->next_time = path->time;
}

ff_formula_at ff_ssa_path_formula(const ff_ssa_path *path, uint32_t r) {
  const ff_ssa_program *p = path->program;
  return (ff_formula_at){&p->formulas[p->propensities[r].a], path->count, path->stack, path->ranges};
}

double ff_ssa_path_law_of(const ff_ssa_path *path, uint32_t r, double rate) {
  const ff_ssa_propensity *a = path->program->propensities + r;
  return a->law == FF_LAW_FORMULA ? rate : product_of(path->program, a, path->count, rate);
}

double ff_ssa_path_law(const ff_ssa_path *path, uint32_t r, double time) {
  const ff_ssa_program *p = path->program;
  const ff_ssa_propensity *a = p->propensities + r;
  if (a->law == FF_LAW_PRODUCT) return product_of(p, a, path->count, a->rate); /* 0 if a reactant is missing */
  if (reactants_missing(p, a, path->count)) return 0;
  const ff_formula_at formula = ff_ssa_path_formula(path, r);
  const int timed = p->timed != NULL && p->timed[r];
  return ff_ssa_path_law_of(path, r, timed ? ff_formula_propensity(&formula, time)
                                           : ff_formula_value(formula.formula, path->count, time, path->stack));
}

/* Laws that may give an invalid value: only counts of mass action are known to be in order. */
static double checked_propensity(ff_ssa_path *path, uint32_t r) {
  const ff_ssa_program *p = path->program;
  if (FF_RARELY(p->timed != NULL && p->timed[r]))
    return reactants_missing(p, p->propensities + r, path->count) ? 0 : ff_ssa_schedule_bound(path, r);
  const double value = ff_ssa_path_law(path, r, 0);
  if (value >= 0 && value < INFINITY) return value + 0.0; /* -0 becomes 0 */
  ff_ssa_path_fail_rate(path, r, path->count, value);
  return 0;
}

double ff_ssa_path_propensity(ff_ssa_path *path, uint32_t r) {
  const ff_ssa_propensity *a = path->program->propensities + r;
  const double *count = path->count;
  switch ((ff_ssa_law)a->law) {
    case FF_LAW_CONSTANT: return a->rate;
    case FF_LAW_LINEAR: return a->rate * count[a->a];
    case FF_LAW_PAIR: return a->rate * (count[a->a] * count[a->b]);
    case FF_LAW_TWIN: return a->rate * (count[a->a] * (count[a->a] - 1));
    default: return checked_propensity(path, r);
  }
}

void ff_ssa_path_compute(ff_ssa_path *path) {
  for (uint32_t r = 0; r < path->program->n_reactions; r++) path->propensity[r] = ff_ssa_path_propensity(path, r);
}

void ff_ssa_path_blame(ff_ssa_path *path) {
  uint32_t largest = 0;
  for (uint32_t r = 1; r < path->program->n_reactions; r++)
    if (path->propensity[r] > path->propensity[largest]) largest = r;
  double value = path->propensity[largest];
  ff_ssa_path_fail(path, value == INFINITY ? FF_SSA_BAD_RATE : FF_SSA_BAD_SUM, largest, value);
}

/* ---- events ------------------------------------------------------------------------------------------------------------- */

ff_philox_block ff_ssa_path_draw(const ff_ssa_path *path, uint32_t purpose, uint32_t block) {
  return ff_philox(ff_philox_counter(purpose, block, path->event, path->unit), path->key);
}

void ff_ssa_path_start(ff_ssa_path *path, uint64_t key, uint64_t unit, const double *initial) {
  path->key = key;
  path->unit = unit;
  path->event = path->silent = 0;
  path->reached = 0;
  path->time = 0;
  memcpy(path->count, initial, path->program->n_species * sizeof *path->count);
  if (path->schedule != NULL) ff_ssa_schedule_start(path);
  if (path->schedule == NULL || (path->failure.what == FF_SSA_FINE && !path->reached)) ff_ssa_path_resume(path);
}

void ff_ssa_path_resume(ff_ssa_path *path) {
  path->failure.what = FF_SSA_FINE;
  for (uint32_t s = 0; s < path->program->n_species; s++)
    if (path->count[s] > FF_SSA_MAX_COUNT) ff_ssa_path_fail(path, FF_SSA_BAD_COUNT, s, path->count[s]);
  if (path->schedule != NULL)
    ff_ssa_schedule_resume(path);
  else
    path->finder->begin(path);
}

void ff_ssa_path_go_on(ff_ssa_path *path) {
  path->failure.what = FF_SSA_FINE;
  if (path->schedule != NULL)
    ff_ssa_schedule_go_on(path);
  else
    path->finder->begin(path);
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

const uint32_t *ff_ssa_path_update(ff_ssa_path *path, size_t *n) {
  const uint32_t *dependents = ff_ssa_path_dependents(path, n);
  for (size_t i = 0; i < *n; i++) path->propensity[dependents[i]] = ff_ssa_path_propensity(path, dependents[i]);
  return dependents;
}

void ff_ssa_path_apply(ff_ssa_path *path) {
  const ff_ssa_program *p = path->program;
  for (uint32_t i = p->change_first[path->next]; i < p->change_first[path->next + 1]; i++) {
    const ff_ssa_change *change = p->changes + i;
    double *count = path->count + change->species;
    *count += (double)change->by;
    if (FF_RARELY(*count > FF_SSA_MAX_COUNT)) ff_ssa_path_fail(path, FF_SSA_BAD_COUNT, change->species, *count);
  }
}

void ff_ssa_path_step(ff_ssa_path *path) {
  if (FF_RARELY(path->schedule != NULL)) {
    ff_ssa_schedule_step(path);
    return;
  }
  path->time = path->next_time;
  path->event++;
  ff_ssa_path_apply(path);
  path->finder->go_on(path);
}
