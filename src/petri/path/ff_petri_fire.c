/* Firings, and what is computed anew because of them. */
#include "ff_petri_path_internal.h"

/* ---- what is computed anew ---------------------------------------------------------------------------------------------- */

void ff_petri_derive(ff_petri_path *path, uint32_t k) {
  const ff_petri_derived *d = &path->program->derived[k];
  const double value = ff_petri_plain_at(path, path->now, &d->plain);
  path->value[d->value] = d->kind == FF_PETRI_TRUTH ? value != 0 : value;
}

static void set_coefficient(ff_petri_path *path, const ff_petri_law *law, uint32_t i) {
  const ff_petri_program *p = path->program;
  const uint32_t t = law->own + i;
  const ff_petri_factor *factor = &p->factor[t];
  const double value = factor->value != FF_PETRI_NO_FACTOR ? factor->number * path->value[factor->value]
                                                           : ff_petri_term_at(path, path->now, law, &law->rate, i);
  if (value == path->coefficient[t]) return;
  const uint32_t cell = p->cell_of[t], group = p->group_of[cell];
  if (path->since[group] < path->now) ff_petri_clock_settle(path, group);
  if (!(fabs(value) < INFINITY) || (p->cell_profile[cell] == 0 && value < 0))
    ff_petri_path_fail(path, FF_PETRI_BAD_HAZARD, (uint32_t)(law->first + i), value, 0);
  path->coefficient[t] = value;
  if (!path->is_dirty_cell[cell]) {
    path->is_dirty_cell[cell] = 1;
    path->dirty_cell[path->n_dirty_cells++] = cell;
  }
  if (!path->is_dirty_group[group]) {
    path->is_dirty_group[group] = 1;
    path->dirty_group[path->n_dirty_groups++] = group;
  }
}

void ff_petri_refresh(ff_petri_path *path, ff_petri_member m) {
  const ff_petri_law *law = &path->program->law[m.law];
  if (law->kind == FF_PETRI_STOCHASTIC) {
    set_coefficient(path, law, m.i);
    return;
  }
  const int enabled = law->enabled.formula.length == 0 || ff_petri_term_at(path, path->now, law, &law->enabled, m.i) != 0;
  if (law->kind == FF_PETRI_IMMEDIATE)
    ff_petri_immediate_enable(path, m, enabled);
  else
    ff_petri_timed_enable(path, m, enabled);
}

void ff_petri_refresh_all(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  for (uint32_t t = 0; t < p->n_stochastic; t++) {
    const ff_petri_factor *factor = &p->factor[t];
    if (factor->value != FF_PETRI_NO_FACTOR && factor->number * path->value[factor->value] == 0) continue;
    ff_petri_refresh(path, p->stochastic[t]);
  }
}

void ff_petri_update(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  for (uint32_t k = 0; k < path->n_dirty_derived; k++) {
    const uint32_t d = path->dirty_derived[k], value = p->derived[d].value;
    const double before = path->value[value];
    path->is_dirty_derived[d] = 0;
    ff_petri_derive(path, d);
    if (path->value[value] == before) continue;
    if (p->derived[d].kind != FF_PETRI_DISCRETE) ff_petri_switch_set(path, d);
    ff_petri_touch(path, value);
  }
  path->n_dirty_derived = 0;
  for (size_t k = 0; k < path->n_dirty; k++) {
    path->is_dirty[ff_petri_number_of(p, path->dirty[k])] = 0;
    ff_petri_refresh(path, path->dirty[k]);
  }
  path->n_dirty = 0;
  for (uint32_t k = 0; k < path->n_dirty_cells; k++) {
    path->is_dirty_cell[path->dirty_cell[k]] = 0;
    ff_petri_clock_sum(path, path->dirty_cell[k]);
  }
  path->n_dirty_cells = 0;
}

/* ---- firings ------------------------------------------------------------------------------------------------------------ */

/* Checks what a place becomes. */
static double checked(ff_petri_path *path, const ff_petri_law *law, uint32_t i, uint32_t value, double becomes) {
  const ff_petri_program *p = path->program;
  const uint32_t place = p->value_place[value];
  const int continuous = p->flat->continuous[place];
  if (continuous) becomes = ff_petri_mended(becomes, FF_PETRI_DOUBT * p->options.absolute);
  if (!ff_petri_is_marking(becomes, continuous))
    ff_petri_path_fail(path, becomes > FF_PETRI_MOST_COUNT ? FF_PETRI_BAD_COUNT : FF_PETRI_BAD_CHANGE, place, becomes,
                       (uint32_t)(law->first + i));
  return becomes;
}

/* Weights are those before the firing. */
static void apply_effects(ff_petri_path *path, const ff_petri_law *law, uint32_t i) {
  const ff_petri_program *p = path->program;
  for (uint32_t c = 0; c < law->n_effects; c++) {
    const ff_petri_effect *effect = &law->effect[c];
    if (ff_petri_value_of(law, effect->row, i) < p->n_levels) ff_petri_own_levels(path);
    path->delta[c] = effect->formula.formula.length == 0 ? effect->by
                                                         : ff_petri_term_at(path, path->now, law, &effect->formula, i);
  }
  for (uint32_t c = 0; c < law->n_effects; c++) {
    const ff_petri_effect *effect = &law->effect[c];
    const uint32_t value = ff_petri_value_of(law, effect->row, i);
    const double before = path->value[value], by = path->delta[c];
    const double after = effect->resets ? ff_petri_reset_to(by) : ff_petri_sum_of(before, by);
    if (after == before) continue;
    path->value[value] = checked(path, law, i, value, after);
    ff_petri_touch(path, value);
  }
}

/* Counts firings at one instant. */
static void count_at_once(ff_petri_path *path, ff_petri_member m) {
  path->at_once++;
  if (path->at_once > path->program->options.most_at_once)
    ff_petri_path_fail(path, FF_PETRI_ENDLESS, path->before, 0, ff_petri_number_of(path->program, m));
}

void ff_petri_fire(ff_petri_path *path, ff_petri_member m) {
  const ff_petri_program *p = path->program;
  const ff_petri_law *law = &p->law[m.law];
  path->firings++;
  path->crossings = 0;
  path->stirred |= ff_petri_is_paper(path);
  if (law->kind == FF_PETRI_STOCHASTIC) {
    const uint32_t group = p->group_of[p->cell_of[law->own + m.i]];
    path->fired[group]++;
    ff_petri_clock_draw(path, group);
    if (!path->is_dirty_group[group]) {
      path->is_dirty_group[group] = 1;
      path->dirty_group[path->n_dirty_groups++] = group;
    }
  } else {
    count_at_once(path, m);
  }
  if (law->kind == FF_PETRI_IMMEDIATE) path->choices++;
  if (law->kind == FF_PETRI_DETERMINISTIC || law->kind == FF_PETRI_SCHEDULED) path->at_batch++;
  path->before = ff_petri_number_of(p, m);
  apply_effects(path, law, m.i);
}
