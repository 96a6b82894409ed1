/* The state of a trajectory: its propensities, what is wrong with it, and what one step changes. For methods, and for events of
 * the network. */
#include <math.h>
#include <string.h>

#include "../../model/ff_formula_change_math.h"
#include "ff_ssa_path.h"

/* ---- failures ----------------------------------------------------------------------------------------------------------- */

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

void ff_ssa_path_blame(ff_ssa_path *path) {
  uint32_t largest = 0;
  for (uint32_t r = 1; r < path->program->n_reactions; r++)
    if (path->propensity[r] > path->propensity[largest]) largest = r;
  double value = path->propensity[largest];
  ff_ssa_path_fail(path, value == INFINITY ? FF_SSA_BAD_RATE : FF_SSA_BAD_SUM, largest, value);
}

/* ---- laws --------------------------------------------------------------------------------------------------------------- */

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

int ff_ssa_reactants_missing(const ff_ssa_program *p, const ff_ssa_propensity *a, const double *count) {
  for (uint32_t i = a->first; i < a->first + a->n; i++)
    if (count[p->factors[i].species] < (double)p->factors[i].count) return 1;
  return 0;
}

ff_formula_at ff_ssa_path_formula(const ff_ssa_path *path, uint32_t r) {
  const ff_ssa_program *p = path->program;
  return (ff_formula_at){&p->formulas[p->propensities[r].a], path->count, path->stack, path->ranges};
}

double ff_ssa_path_law_of(const ff_ssa_path *path, uint32_t r, double rate) {
  const ff_ssa_propensity *a = path->program->propensities + r;
  return a->law == FF_LAW_FORMULA ? rate : product_of(path->program, a, path->count, rate);
}

double ff_ssa_path_below(const ff_ssa_path *path, uint32_t r, double time) {
  const ff_ssa_program *p = path->program;
  ff_formula_at formula = ff_ssa_path_formula(path, r);
  if (!(ff_formula_value(formula.formula, path->count, time, path->stack) < 0)) return 0;
  for (uint32_t i = 0; i < p->n_species; i++) path->whole[i] = floor(path->count[i]);
  for (uint32_t i = p->n_species; i < p->n_species + p->n_settable; i++) path->whole[i] = path->count[i];
  formula.values = path->whole;
  const double value = ff_change_propensity(&formula, time);
  return value < 0 ? value : 0;
}

double ff_ssa_path_law(const ff_ssa_path *path, uint32_t r, double time) {
  const ff_ssa_program *p = path->program;
  const ff_ssa_propensity *a = p->propensities + r;
  if (a->law == FF_LAW_PRODUCT) return product_of(p, a, path->count, a->rate); /* 0 if a reactant is missing */
  if (ff_ssa_reactants_missing(p, a, path->count)) return ff_ssa_may_be_below(a) ? ff_ssa_path_below(path, r, time) : 0;
  const ff_formula_at formula = ff_ssa_path_formula(path, r);
  const int timed = p->timed != NULL && p->timed[r];
  return ff_ssa_path_law_of(path, r, timed ? ff_change_propensity(&formula, time)
                               : ff_formula_value(formula.formula, path->count, time, path->stack));
}

/* ---- propensities ------------------------------------------------------------------------------------------------------- */

/* Laws that may give an invalid value: only counts of mass action are known to be in order. */
static double checked_propensity(ff_ssa_path *path, uint32_t r) {
  const ff_ssa_program *p = path->program;
  if (FF_RARELY(p->timed != NULL && p->timed[r])) return path->bound(path, r);
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

/* ---- steps ------------------------------------------------------------------------------------------------------------- */

ff_philox_block ff_ssa_path_draw(const ff_ssa_path *path, uint32_t purpose, uint32_t block) {
  return ff_philox(ff_philox_counter(purpose, block, path->step, path->unit), path->key);
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
