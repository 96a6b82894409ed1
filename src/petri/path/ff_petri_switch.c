/* Switches: conditions on levels and the time. */
#include <stdlib.h>
#include <string.h>

#include "ff_petri_path_internal.h"
#include "ff_petri_threshold.h"

/* ---- making ------------------------------------------------------------------------------------------------------------- */

static ff_status allocate(ff_petri_path *path, uint32_t n, uint32_t symbols, uint32_t depth, ff_error *err) {
  path->threshold = ff_calloc(n, sizeof *path->threshold);
  path->formula = ff_calloc(n, sizeof *path->formula);
  path->condition_derived = ff_calloc(n, sizeof *path->condition_derived);
  path->condition_of = ff_calloc(path->program->n_derived, sizeof *path->condition_of);
  path->negated = ff_calloc(n, sizeof *path->negated);
  path->condition_value = ff_calloc(n, sizeof *path->condition_value);
  path->change = ff_calloc(n, sizeof *path->change);
  path->curve = ff_calloc(symbols, sizeof *path->curve);
  path->symbol = ff_calloc(2 * (size_t)symbols, sizeof *path->symbol);
  path->bound = ff_calloc(depth, sizeof *path->bound);
  const int fine = path->threshold && path->formula && path->condition_derived && path->condition_of && path->negated &&
                   path->condition_value && path->change && path->curve && path->symbol && path->bound;
  return fine ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for %u conditions", n);
}

/* A formula as a condition. Its symbols come after those of the formulas before. */
static void add_formula(ff_petri_path *path, const ff_petri_plain *plain, int whole, uint32_t derived, uint32_t *symbols,
                        uint32_t all) {
  const uint32_t k = path->conditions.n_formulas++;
  path->formula[k] = (ff_petri_formula){&plain->formula, plain->n, path->curve + *symbols, path->symbol + *symbols,
                                        path->symbol + all + *symbols, path->stack, path->bound, (uint8_t)whole, 0};
  path->condition_derived[path->conditions.n_thresholds + k] = derived;
  *symbols += plain->n;
}

/* Levels that may fall below 0. */
static void watch_levels(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  const double least = p->options.semantics == FF_PETRI_BIO ? -FF_PETRI_DOUBT * p->options.absolute : 0;
  for (uint32_t k = 0; k < p->n_watched; k++) {
    const uint32_t at = path->conditions.n_thresholds++;
    path->threshold[at] = (ff_petri_threshold){least, p->watched[k], 0};
    path->condition_derived[at] = FF_PETRI_OF_WATCHED;
    path->condition_value[at] = 1;
  }
}

static int until_moves(const ff_petri_path *path) {
  for (uint32_t k = 0; k < path->until.n; k++)
    if (path->until.read[k] < path->program->n_levels) return 1;
  return ff_formula_has_time(&path->until.formula);
}

ff_status ff_petri_switches_new(ff_petri_path *path, ff_error *err) {
  const ff_petri_program *p = path->program;
  const int until = path->looks && until_moves(path);
  uint32_t n = (uint32_t)until + p->n_watched, symbols = path->until.n, depth = p->depth, next = 0;
  for (uint32_t k = 0; k < p->n_derived; k++) {
    if (p->derived[k].kind == FF_PETRI_DISCRETE) continue;
    n++;
    symbols += p->derived[k].plain.n;
  }
  if (path->until.formula.depth > depth) depth = path->until.formula.depth;
  ff_status status = allocate(path, n, symbols, depth, err);
  if (status != FF_OK) return status;
  for (uint32_t k = 0; k < p->n_derived; k++) {
    const uint32_t at = path->conditions.n_thresholds;
    if (!ff_petri_as_threshold(p, &p->derived[k], &path->threshold[at], &path->negated[at])) continue;
    path->condition_derived[path->conditions.n_thresholds++] = k;
  }
  watch_levels(path);
  for (uint32_t k = 0; k < p->n_derived; k++) {
    ff_petri_threshold none;
    uint8_t negated;
    if (p->derived[k].kind != FF_PETRI_DISCRETE && !ff_petri_as_threshold(p, &p->derived[k], &none, &negated))
      add_formula(path, &p->derived[k].plain, p->derived[k].kind == FF_PETRI_WHOLE, k, &next, symbols);
  }
  memcpy(path->stirs, p->stirs, p->n_values * sizeof *path->stirs);
  if (until) add_formula(path, &path->until, 0, FF_PETRI_OF_UNTIL, &next, symbols);
  for (uint32_t k = 0; until && k < path->until.n; k++) path->stirs[path->until.read[k]] = 1; /* it is searched anew */
  for (uint32_t k = 0; k < n; k++)
    if (path->condition_derived[k] < p->n_derived) path->condition_of[path->condition_derived[k]] = k;
  path->conditions.threshold = path->threshold;
  path->conditions.formula = path->formula;
  return FF_OK;
}

void ff_petri_switches_free(ff_petri_path *path) {
  free(path->threshold);
  free(path->formula);
  free(path->condition_derived);
  free(path->condition_of);
  free(path->negated);
  free(path->condition_value);
  free(path->change);
  free(path->curve);
  free(path->symbol);
  free(path->bound);
}

/* ---- values ------------------------------------------------------------------------------------------------------------- */

void ff_petri_switch_set(ff_petri_path *path, uint32_t derived) {
  const uint32_t k = path->condition_of[derived];
  const double value = path->value[path->program->derived[derived].value];
  path->condition_value[k] = k < path->conditions.n_thresholds && path->negated[k] ? value == 0 : value;
}

void ff_petri_switches_set(ff_petri_path *path) {
  for (uint32_t k = 0; k < path->program->n_derived; k++)
    if (path->program->derived[k].kind != FF_PETRI_DISCRETE) ff_petri_switch_set(path, k);
  if (path->looks && until_moves(path))
    path->condition_value[path->conditions.n_thresholds + path->conditions.n_formulas - 1] = path->reached;
}

/* ---- crossings ---------------------------------------------------------------------------------------------------------- */

static void set_symbols(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  for (uint32_t f = 0; f < path->conditions.n_formulas; f++) {
    const uint32_t d = path->condition_derived[path->conditions.n_thresholds + f];
    const ff_petri_plain *plain = d == FF_PETRI_OF_UNTIL ? &path->until : &p->derived[d].plain;
    const size_t first = (size_t)(path->formula[f].value - path->symbol);
    for (uint32_t k = 0; k < plain->n; k++) {
      const int moves = plain->read[k] < p->n_levels && !path->flat;
      path->curve[first + k] = moves ? ff_ode_curve(path->ode, plain->read[k]) : NULL;
      path->symbol[first + k] = moves ? 0 : path->value[plain->read[k]];
    }
  }
}

/* A level that begins to rise from 0 must not seem to fall: only the polynomials of explicit steps begin with its slope. Those of
 * others have errors of the size of the tolerance there, which would be found again and again. */
static void permit_errors(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  if (p->arc_first == NULL) return;
  const int explicit_step = ff_ode_present_method(path->ode) == FF_ODE_DORMAND_PRINCE;
  for (uint32_t k = 0; k < path->conditions.n_thresholds; k++) {
    if (path->condition_derived[k] != FF_PETRI_OF_WATCHED) continue;
    const double *c = ff_ode_curve(path->ode, path->threshold[k].level);
    path->threshold[k].weight = explicit_step || c[0] > 0 ? 0 : -p->options.absolute;
  }
}

/* Times in formulas are those of the model. */
void ff_petri_find_crossing(ff_petri_path *path) {
  const ff_petri_step step = {path->start + path->from, path->start + path->to, path->length};
  ff_petri_conditions conditions = path->conditions;
  const double *dense = NULL, *value = path->condition_value;
  double until = 1;
  set_symbols(path);
  if (path->flat) { /* levels cross nothing */
    value += conditions.n_thresholds;
    conditions.n_thresholds = 0;
  }
  if (!path->flat) permit_errors(path);
  for (uint32_t k = 0; k < conditions.n_thresholds; k++) ff_ode_curve(path->ode, path->threshold[k].level);
  if (conditions.n_thresholds > 0) dense = ff_ode_curve(path->ode, 0);
  path->n_changes = ff_petri_first_changes(&conditions, &step, dense, value, 0, 1, path->change, &until);
  const double s = path->n_changes > 0 ? path->change[0].s : until;
  for (uint32_t k = 0; k < path->n_changes; k++)
    path->change[k].condition += path->conditions.n_thresholds - conditions.n_thresholds;
  path->crossing = path->n_changes > 0;
  const double at = path->from + path->length * s;
  if (!(s < 1) || (!path->crossing && !(at > path->from))) return; /* in the second case, the search cannot go on */
  path->limit = at < path->to ? at : path->to;
  if (!(path->limit > path->from)) return;
  path->part = s;
  path->length = path->limit - path->from;
}

/* A level that has a part in the present crossing, or a place at least. */
static uint32_t crossed_level(const ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  if (path->leaves != FF_PETRI_NOT_DUE) return path->leaves;
  if (path->n_changes == 0) return 0;
  const uint32_t k = path->change[0].condition, d = path->condition_derived[k];
  if (d == FF_PETRI_OF_WATCHED) return path->threshold[k].level;
  const ff_petri_plain *plain = d == FF_PETRI_OF_UNTIL ? &path->until : &p->derived[d].plain;
  for (uint32_t i = 0; i < plain->n; i++)
    if (plain->read[i] < p->n_places) return plain->read[i];
  return 0;
}

/* The time in which a level changes by its size, at its speed in the solver's step; 0 if it is no level, or does not move. */
static double time_scale_of(ff_petri_path *path, uint32_t level) {
  const ff_petri_program *p = path->program;
  if (path->flat || level >= p->n_levels) return 0;
  const double *c = ff_ode_curve(path->ode, level), by = fabs(c[1]);
  return by > 0 ? (path->size[level] + fabs(c[0])) / by * (path->length / path->part) : 0;
}

/* Crossings in a row, in almost no time, will not end. */
static void count_crossings(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  if (path->crossings++ % FF_PETRI_MOST_CROSSINGS != 0) return;
  const uint32_t level = crossed_level(path);
  const double scale = time_scale_of(path, level), almost = 0x1p-30 * (path->now + (scale < INFINITY ? scale : 0));
  if (path->crossings > 1 && path->now - path->crossings_since <= almost)
    ff_petri_path_fail(path, FF_PETRI_PILED, p->value_place[level], 0, 0);
  path->crossings_since = path->now;
}

/* The state at a crossing is that of the part of the step, as the time may be too coarse. */
static void own_levels_at(ff_petri_path *path) {
  if (path->flat || path->own || path->n_changes == 0) return;
  for (uint32_t i = 0; i < path->program->n_levels; i++)
    path->value[i] = ff_ode_dense_value(ff_ode_curve(path->ode, i), path->change[0].s);
  path->own = 1;
}

/* A level has fallen to 0 while something takes from it. */
static void fall_below(ff_petri_path *path, uint32_t level) {
  const ff_petri_program *p = path->program;
  if (p->options.semantics == FF_PETRI_BIO)
    ff_petri_path_fail(path, FF_PETRI_BAD_LEVEL, p->value_place[level], -FF_PETRI_DOUBT * p->options.absolute, 0);
  else
    ff_petri_hold_enter(path, level);
}

void ff_petri_cross(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  path->stirred = 1;
  count_crossings(path);
  own_levels_at(path);
  if (path->leaves != FF_PETRI_NOT_DUE && path->now == path->to) ff_petri_hold_leave(path, path->leaves);
  path->leaves = FF_PETRI_NOT_DUE;
  for (uint32_t i = 0; i < path->n_changes; i++) {
    const uint32_t k = path->change[i].condition, d = path->condition_derived[k];
    if (d == FF_PETRI_OF_WATCHED) {
      fall_below(path, path->threshold[k].level);
      continue;
    }
    path->condition_value[k] = path->change[i].value;
    if (d == FF_PETRI_OF_UNTIL) {
      path->reached = path->change[i].value != 0;
      continue;
    }
    const int negated = k < path->conditions.n_thresholds && path->negated[k];
    path->value[p->derived[d].value] = negated ? path->change[i].value == 0 : path->change[i].value;
    ff_petri_touch(path, p->derived[d].value);
  }
}
