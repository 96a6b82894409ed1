/* Peaks that are narrower than the distances between the nodes at which a formula is evaluated: ff_petri_peak_math.h decides. */
#include <stdlib.h>

#include "../within/ff_petri_peak_math.h"
#include "ff_petri_path_internal.h"

static const ff_petri_seen seen_by[] = {[FF_ODE_DORMAND_PRINCE] = FF_PETRI_SEEN_BY_DORMAND_PRINCE,
                                        [FF_ODE_RODAS] = FF_PETRI_SEEN_BY_RODAS,
                                        [FF_ODE_CVODE] = {2, {0, 1}}};

/* ---- making ------------------------------------------------------------------------------------------------------------- */

/* The rate of a single transition as one of a family. */
static ff_status make_single(ff_formula *out, const ff_petri_law *law, ff_error *err) {
  const ff_status status = ff_formula_copy(out, &law->rate.formula, err);
  for (uint32_t at = 0; status == FF_OK && at < out->length; at++) {
    ff_formula_word *word = &out->word[at];
    uint32_t k = 0;
    if (word->code != FF_F_SYMBOL) continue;
    while (k < law->rate.n && ff_petri_value_of(law, law->rate.row[k], 0) != word->symbol) k++;
    word->symbol = k;
  }
  return status;
}

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

static ff_status make_lists(ff_petri_path *path, uint32_t *most, ff_error *err) {
  const ff_petri_program *p = path->program;
  ff_petri_peaks *x = &path->peaks;
  size_t n = 0;
  for (uint32_t f = 0; f < p->n_flows; f++) n += p->law[p->flow[f]].n;
  x->flow = ff_calloc(n, sizeof *x->flow);
  x->moving = ff_calloc(p->n_moving, sizeof *x->moving);
  x->single = ff_calloc(p->n_laws, sizeof *x->single);
  x->quick = ff_calloc(p->n_laws, sizeof *x->quick);
  if (x->flow == NULL || x->moving == NULL || x->single == NULL || x->quick == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for a trajectory of %zu flows", n);
  for (uint32_t f = 0; f < p->n_flows; f++) {
    const ff_petri_law *law = &p->law[p->flow[f]];
    if (!law->rate.moving || !ff_petri_span_may_be_narrow(&law->rate.formula)) continue;
    x->quick[p->flow[f]] = (uint8_t)ff_petri_span_can(&law->rate.formula);
    *most = larger(*most, law->rate.n);
    const ff_status status = law->n == 1 ? make_single(&x->single[p->flow[f]], law, err) : FF_OK;
    if (status != FF_OK) return status;
    for (uint32_t i = 0; i < law->n; i++) x->flow[x->n_flows++] = (ff_petri_member){p->flow[f], i};
  }
  for (uint32_t k = 0; k < p->n_moving; k++) {
    if (!p->moving[k].in_flow || !ff_petri_span_may_be_narrow(&p->moving[k].plain.formula)) continue;
    *most = larger(*most, p->moving[k].plain.n);
    x->moving[x->n_moving++] = k;
  }
  return FF_OK;
}

ff_status ff_petri_peak_new(ff_petri_path *path, ff_error *err) {
  const ff_petri_program *p = path->program;
  ff_petri_peaks *x = &path->peaks;
  uint32_t most = 0;
  const ff_status status = make_lists(path, &most, err);
  if (status != FF_OK) return status;
  for (uint32_t k = 0; k < p->n_profiles; k++) most = larger(most, p->profile[k].plain.n);
  x->curve = ff_calloc(most, sizeof *x->curve);
  x->value = ff_calloc(most, sizeof *x->value);
  x->at = ff_calloc(most, sizeof *x->at);
  x->bound = ff_calloc(p->depth, sizeof *x->bound);
  x->span = ff_calloc(p->depth + 1u, sizeof *x->span);
  x->symbol = ff_calloc(most, sizeof *x->symbol);
  const int fine = x->span && x->symbol && x->curve && x->value && x->at && x->bound;
  return fine ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for a trajectory of %u places", p->n_places);
}

void ff_petri_peak_free(ff_petri_path *path) {
  ff_petri_peaks *x = &path->peaks;
  for (uint32_t k = 0; x->single != NULL && k < path->program->n_laws; k++) ff_formula_free(&x->single[k]);
  free(x->single);
  free(x->quick);
  free(x->span);
  free(x->symbol);
  free(x->flow);
  free(x->moving);
  free(x->curve);
  free(x->value);
  free(x->at);
  free(x->bound);
}

/* ---- bounds -------------------------------------------------------------------------------------------------------------- */

/* The solver's step, and the time as a curve of it. */
static void set_step(ff_petri_path *path, double from, double length) {
  ff_petri_peaks *x = &path->peaks;
  const double start = path->start + from;
  x->step = (ff_petri_step){start, start + length, length};
  x->time[0] = start;
  x->time[1] = length;
  x->time[2] = x->time[3] = x->time[4] = 0;
}

static void set_symbol(ff_petri_path *path, uint32_t k, uint32_t value) {
  const int moves = value < path->program->n_levels && !path->flat;
  path->peaks.curve[k] = moves ? ff_ode_curve(path->ode, value) : value == path->program->time ? path->peaks.time : NULL;
  path->peaks.value[k] = path->value[value];
}

static ff_petri_formula formula_of(ff_petri_path *path, const ff_formula *formula, uint32_t n, int clips) {
  const ff_petri_peaks *x = &path->peaks;
  return (ff_petri_formula){formula, n, x->curve, x->value, x->at, path->stack, x->bound, 1, (uint8_t)clips};
}

static ff_petri_formula plain_formula(ff_petri_path *path, const ff_petri_plain *plain, int clips) {
  for (uint32_t k = 0; k < plain->n; k++) set_symbol(path, k, plain->read[k]);
  return formula_of(path, &plain->formula, plain->n, clips);
}

ff_petri_formula ff_petri_peak_profile(ff_petri_path *path, uint32_t profile) {
  set_step(path, path->from, path->length / path->part);
  return plain_formula(path, &path->program->profile[profile].plain, 1);
}

ff_petri_span ff_petri_peak_span(ff_petri_path *path, const ff_formula *formula, const uint32_t *value, int clips) {
  ff_petri_span *top = path->peaks.span;
  for (uint32_t at = 0; at < formula->length; at++) {
    const ff_formula_word *word = &formula->word[at];
    if (word->code == FF_F_NUMBER) {
      *top++ = ff_petri_span_new(word->number, word->number);
    } else if (word->code == FF_F_SYMBOL) {
      const uint32_t v = value[word->symbol];
      *top++ = v < path->program->n_levels && !path->flat ? ff_petri_span_of_level(ff_ode_curve(path->ode, v), clips)
                                                          : ff_petri_span_new(path->value[v], path->value[v]);
    } else {
      top -= ff_formula_operands(word->code);
      *top = ff_petri_span_operate(word->code, top[0], top[1]);
      top++;
    }
  }
  return top[-1];
}

/* ---- flows --------------------------------------------------------------------------------------------------------------- */

static int hides(const ff_petri_path *path, const ff_petri_formula *of, double slack) {
  return ff_petri_peak_is_unseen(of, &path->peaks.step, &seen_by[ff_ode_present_method(path->ode)], slack);
}

/* By how much a rate may differ all over the step without an error of a level above the tolerance. */
static double slack_of(const ff_petri_path *path, const ff_petri_law *law, uint32_t i) {
  const ff_ode_span *last = ff_ode_last(path->ode);
  double slack = INFINITY;
  for (uint32_t c = 0; c < law->n_effects; c++) {
    const ff_petri_effect *effect = &law->effect[c];
    const uint32_t level = ff_petri_value_of(law, effect->row, i);
    const double by = effect->formula.formula.length == 0 ? fabs(effect->by) : 1;
    if (level >= path->program->n_levels || !(by > 0)) continue;
    const double most = path->program->options.relative * (path->size[level] + fabs(last->end[level]));
    if (most < slack * by * path->peaks.step.length) slack = most / (by * path->peaks.step.length);
  }
  return slack;
}

/* The rate at the start or at the end of the step. */
static double rate_at(ff_petri_path *path, const ff_formula *f, const uint32_t *value, uint32_t n, const double *levels) {
  for (uint32_t k = 0; k < n; k++)
    path->gathered[k] = value[k] < path->program->n_levels ? levels[value[k]] : path->value[value[k]];
  return ff_formula_value(f, path->gathered, 0, path->stack);
}

/* Whether quick bounds are near to the rates at the ends of the step, or to each other. */
static int is_plain(ff_petri_path *path, ff_petri_member m, const ff_formula *f) {
  const ff_petri_law *law = &path->program->law[m.law];
  const ff_ode_span *made = ff_ode_last(path->ode);
  uint32_t *value = path->peaks.symbol;
  for (uint32_t k = 0; k < law->rate.n; k++) {
    value[k] = ff_petri_value_of(law, law->rate.row[k], m.i);
    if (value[k] >= path->program->n_places && value[k] <= path->program->time) return 0; /* variables, and the time */
  }
  const ff_petri_span x = ff_petri_peak_span(path, f, value, 0);
  const double slack = slack_of(path, law, m.i);
  if (ff_petri_span_is_near(x, x.low, x.low, slack) && ff_petri_span_is_near(x, x.high, x.high, slack)) return 1;
  const double first = rate_at(path, f, value, law->rate.n, made->start), last = rate_at(path, f, value, law->rate.n, made->end);
  return ff_petri_span_is_near(x, first < last ? first : last, first < last ? last : first, slack);
}

static int flow_hides(ff_petri_path *path, ff_petri_member m) {
  const ff_petri_law *law = &path->program->law[m.law];
  const ff_formula *f = law->n == 1 ? &path->peaks.single[m.law] : &law->rate.formula;
  if (path->peaks.quick[m.law] && is_plain(path, m, f)) return 0;
  for (uint32_t k = 0; k < law->rate.n; k++) set_symbol(path, k, ff_petri_value_of(law, law->rate.row[k], m.i));
  const ff_petri_formula of = formula_of(path, f, law->rate.n, 0);
  return hides(path, &of, slack_of(path, law, m.i));
}

/* Variables are looked at as if they were rates that change levels of the size 1. */
static int any_hides(ff_petri_path *path) {
  const ff_petri_peaks *x = &path->peaks;
  const double slack = path->program->options.relative / x->step.length;
  for (uint32_t k = 0; k < x->n_flows; k++)
    if (flow_hides(path, x->flow[k])) return 1;
  for (uint32_t k = 0; k < x->n_moving; k++) {
    const ff_petri_formula of = plain_formula(path, &path->program->moving[x->moving[k]].plain, 0);
    if (hides(path, &of, slack)) return 1;
  }
  return 0;
}

/* Profiles of hazards that the solver integrates. */
static int hazard_hides(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  for (uint32_t c = 0; c < p->n_cells && ff_petri_is_paper(path); c++) {
    if (p->profile[p->cell_profile[c]].affine || path->sum[c] == 0) continue;
    const ff_petri_formula of = plain_formula(path, &p->profile[p->cell_profile[c]].plain, 1);
    if (hides(path, &of, p->options.relative / (fabs(path->sum[c]) * path->peaks.step.length))) return 1;
  }
  return 0;
}

int ff_petri_peak_is_settled(const ff_petri_path *path) {
  const ff_petri_peaks *x = &path->peaks;
  return (x->n_flows + x->n_moving == 0 && !ff_petri_is_paper(path)) || x->plain_of == path->segment;
}

int ff_petri_peak_shorten(ff_petri_path *path) {
  if (ff_petri_peak_is_settled(path)) return 1;
  for (int tries = 0; tries < FF_PETRI_PEAK_TRIES; tries++) {
    const ff_ode_span *made = ff_ode_last(path->ode);
    const double from = made->from, middle = from + (made->to - from) / 2;
    set_step(path, from, made->to - from);
    if (!(middle > from && middle < made->to) || !(any_hides(path) || hazard_hides(path))) return 1;
    ff_ode_cut(path->ode, from);
    path->tried_of = 0;
    const ff_ode_outcome outcome = ff_ode_step(path->ode, middle);
    path->own = 0;
    if (outcome != FF_ODE_STEPPED) return 0;
  }
  return 1;
}
