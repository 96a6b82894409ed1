/* Algorithm 1 of ELansary et al., as one trajectory after the other: all stochastic transitions have one clock. The integral g of
 * their hazards, g' = a0, is one more equation of the solver. A transition fires where g reaches a threshold; then g is 0 again,
 * and the solver begins anew, as if nothing had been solved before, also with what it knows of the length of its steps. So it
 * does after every other firing, and where a switch changes.
 *
 * What else happens (immediate and timed transitions, tests, resets, empty places, the choice of what fires) is that of the other
 * files of this folder. In print, the state becomes that of the start after a firing, and a threshold is uniform in an equation:
 * slips, which are not ours. */
#include <stdlib.h>
#include <string.h>

#include "ff_petri_path_internal.h"

/* ---- making ------------------------------------------------------------------------------------------------------------- */

/* As for the levels, with a row for the integral, which may depend on all of them, and an empty column for it. */
static ff_status make_pattern(ff_petri_path *path, ff_error *err) {
  const ff_petri_program *p = path->program;
  const uint32_t n = p->n_levels;
  const size_t entries = n > 0 ? p->column_first[n] + n : 0;
  size_t *first = path->paper.column_first = ff_calloc((size_t)n + 2, sizeof *first);
  uint32_t *row = path->paper.column_row = ff_calloc(entries, sizeof *row);
  if (first == NULL || row == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for derivatives by %u levels", n);
  size_t at = 0;
  for (uint32_t c = 0; c < n; c++) {
    for (size_t k = p->column_first[c]; k < p->column_first[c + 1]; k++) row[at++] = p->column_row[k];
    row[at++] = n;
    first[c + 1] = at;
  }
  first[n + 1] = at;
  return FF_OK;
}

ff_status ff_petri_paper_new(ff_petri_path *path, ff_error *err) {
  const ff_petri_program *p = path->program;
  if (!ff_petri_is_paper(path)) return FF_OK;
  path->paper.state = ff_calloc((size_t)p->n_levels + 1, sizeof *path->paper.state);
  if (path->paper.state == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a trajectory of %u places", p->n_places);
  return p->n_levels == 0 || p->column_first != NULL ? make_pattern(path, err) : FF_OK;
}

void ff_petri_paper_free(ff_petri_path *path) {
  free(path->paper.state);
  free(path->paper.column_first);
  free(path->paper.column_row);
}

/* ---- the integral -------------------------------------------------------------------------------------------------------- */

/* A profile for what ff_petri_set_flow_values() has set. */
static double profile_of(ff_petri_path *path, uint32_t k) {
  const ff_petri_plain *plain = &path->program->profile[k].plain;
  if (k == 0) return 1;
  for (uint32_t i = 0; i < plain->n; i++) {
    const double x = path->value[plain->read[i]];
    path->gathered[i] = plain->read[i] < path->program->n_levels && x < 0 ? 0 : x;
  }
  return ff_formula_value(&plain->formula, path->gathered, 0, path->stack);
}

/* The sum of all hazards. */
static double total_hazard(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  double total = 0;
  path->paper.wrong_cell = 0;
  for (uint32_t c = 0; c < p->n_cells; c++) {
    if (path->low[c] == 0 && path->high[c] == 0) continue;
    const double profile = profile_of(path, p->cell_profile[c]), hazard = path->sum[c] * profile;
    if (!(fabs(hazard) < INFINITY) || path->low[c] * profile < 0 || path->high[c] * profile < 0) {
      path->paper.wrong_cell = c + 1;
      path->paper.wrong = profile;
    }
    total += hazard;
  }
  return total;
}

int ff_petri_paper_slope(void *of, double t, const double *x, double *out) {
  ff_petri_path *path = of;
  const int flows = ff_petri_slope(path, t, x, out);
  out[path->program->n_levels] = total_hazard(path);
  return flows && path->paper.wrong_cell == 0;
}

double ff_petri_paper_used(ff_petri_path *path) {
  const int fired = path->program->n_groups == 0 || !(path->since[0] < path->now);
  return fired ? 0 : ff_ode_component(path->ode, path->now, path->program->n_levels);
}

void ff_petri_paper_restart(ff_petri_path *path, double used) {
  const uint32_t n = path->program->n_levels;
  memcpy(path->paper.state, path->value, n * sizeof *path->value);
  path->paper.state[n] = used;
  ff_ode_begin(path->ode, path->now, path->paper.state, 0);
}

/* ---- firings ------------------------------------------------------------------------------------------------------------- */

/* The threshold is left[0] all the time. */
void ff_petri_paper_search(ff_petri_path *path) {
  const double number = path->left[0], end = path->part;
  path->varies[0] = 1;
  ff_petri_due_cancel(&path->candidates, 0);
  if (path->flat) return;
  const double *c = ff_ode_curve(path->ode, path->program->n_levels);
  const double at_begin = c[0] - number, at_end = ff_ode_dense_value(c, end) - number;
  double s;
  if (!(at_end >= 0)) return;
  ff_ode_bracket b = ff_ode_bracket_new(0, end, at_begin < 0 ? at_begin : -0x1p-1022, at_end, FF_ODE_ROUNDING);
  while (ff_ode_bracket_next(&b, &s)) ff_ode_bracket_take(&b, s, ff_ode_dense_value(c, s) - number);
  const double t = path->from + path->length * (b.high / end);
  ff_petri_due_set(&path->candidates, 0, t < path->now ? path->now : t < path->limit ? t : path->limit);
}

/* The transition of a cell whose coefficient has the wrong sign for a profile, or is the largest one. */
static uint32_t worst_of(const ff_petri_path *path, uint32_t cell, double profile) {
  const ff_petri_program *p = path->program;
  uint32_t worst = p->member[p->cell_members[cell]];
  for (size_t k = p->cell_members[cell]; k < p->cell_members[cell + 1]; k++) {
    const double c = path->coefficient[p->member[k]], least = path->coefficient[worst];
    if (profile * c < profile * least || (profile != profile && fabs(c) > fabs(least))) worst = p->member[k];
  }
  return worst;
}

int ff_petri_paper_fail(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  const uint32_t n = p->n_levels, cell = path->paper.wrong_cell;
  const ff_ode_span *last = ff_ode_last(path->ode);
  if (cell != 0) {
    const uint32_t worst = worst_of(path, cell - 1, path->paper.wrong);
    ff_petri_path_fail(path, FF_PETRI_BAD_HAZARD, ff_petri_number_of(p, p->stochastic[worst]),
                       path->coefficient[worst] * path->paper.wrong, 0);
    return 1;
  }
  if (path->wrong_flow != 0 || p->n_stochastic == 0) return 0;
  const double error = last->error[n] / (p->options.relative * (1 + fabs(last->end[n])));
  for (uint32_t i = 0; i < n; i++)
    if (last->error[i] / (p->options.absolute + p->options.relative * fabs(last->end[i])) >= error) return 0;
  ff_petri_path_fail(path, FF_PETRI_BAD_INTEGRAL, ff_petri_number_of(p, p->stochastic[0]), last->slope[n], 0);
  return 1;
}
