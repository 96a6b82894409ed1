/* Values at a time, and the slopes of levels. */
#include <string.h>

#include "ff_petri_path_internal.h"

/* ---- values ------------------------------------------------------------------------------------------------------------- */

static int is_variable(const ff_petri_program *p, uint32_t value) { return value >= p->n_places && value < p->time; }

static double level_at(ff_petri_path *path, double t, uint32_t level) {
  return path->own ? path->value[level] : ff_ode_component(path->ode, t, level);
}

/* A formula whose symbols are in value[]. */
static double plain_value(ff_petri_path *path, double t, const ff_petri_plain *plain) {
  for (uint32_t k = 0; k < plain->n; k++) path->gathered[k] = path->value[plain->read[k]];
  return ff_formula_value(&plain->formula, path->gathered, path->start + t, path->stack);
}

static void set_value(ff_petri_path *path, double t, uint32_t value) {
  const ff_petri_program *p = path->program;
  if (value < p->n_levels) path->value[value] = level_at(path, t, value);
  if (value == p->time) path->value[value] = path->start + t;
}

/* Variables of levels are few, and are all set. */
static void set_moving(ff_petri_path *path, double t) {
  const ff_petri_program *p = path->program;
  for (uint32_t k = 0; k < p->n_moving; k++) {
    const ff_petri_moving *x = &p->moving[k];
    for (uint32_t i = 0; i < x->plain.n; i++) set_value(path, t, x->plain.read[i]);
    path->value[x->value] = plain_value(path, t, &x->plain);
  }
}

double ff_petri_value_at(ff_petri_path *path, double t, uint32_t value) {
  set_value(path, t, value);
  if (is_variable(path->program, value)) set_moving(path, t);
  return path->value[value];
}

double ff_petri_plain_at(ff_petri_path *path, double t, const ff_petri_plain *plain) {
  for (uint32_t k = 0; k < plain->n; k++) set_value(path, t, plain->read[k]);
  return plain_value(path, t, plain);
}

/* A term whose symbols are in value[]. */
static double term_value(ff_petri_path *path, const ff_petri_law *law, const ff_petri_term *term, uint32_t i) {
  const double *value = path->value;
  if (law->n > 1) {
    for (uint32_t k = 0; k < term->n; k++) path->gathered[k] = path->value[ff_petri_value_of(law, term->row[k], i)];
    value = path->gathered;
  }
  if (term->simple != FF_PETRI_COMPLEX) return ff_petri_simple_value(term, value);
  return ff_formula_value(&term->formula, value, 0, path->stack);
}

double ff_petri_term_at(ff_petri_path *path, double t, const ff_petri_law *law, const ff_petri_term *term, uint32_t i) {
  if (term->moving) {
    int variables = 0;
    for (uint32_t k = 0; k < term->n; k++) {
      const uint32_t value = ff_petri_value_of(law, term->row[k], i);
      set_value(path, t, value);
      variables |= is_variable(path->program, value);
    }
    if (variables) set_moving(path, t);
  }
  return term_value(path, law, term, i);
}

void ff_petri_own_levels(ff_petri_path *path) {
  if (path->own || path->ode == NULL) return;
  double *levels = ff_petri_is_paper(path) ? path->paper.state : path->value;
  ff_ode_state(path->ode, path->now, levels);
  if (levels != path->value) memcpy(path->value, levels, path->program->n_levels * sizeof *levels);
  path->own = 1;
}

/* ---- flows -------------------------------------------------------------------------------------------------------------- */

static int lacks_input(const ff_petri_path *path, const ff_petri_law *law, uint32_t i) {
  for (uint32_t c = 0; c < law->n_effects; c++) {
    const ff_petri_effect *effect = &law->effect[c];
    if (effect->by < 0 && effect->formula.formula.length == 0 &&
        !(path->value[ff_petri_value_of(law, effect->row, i)] > 0))
      return 1;
  }
  return 0;
}

/* A rate that is not finite. Errors of the solution may be the reason, as for the root of a level that is hardly below 0: such a
 * level counts as 0. Without what it takes from, a formula such as A * B / (A + B) need not have a value. */
FF_SELDOM double mend_rate(ff_petri_path *path, const ff_petri_law *law, uint32_t i) {
  const ff_petri_program *p = path->program;
  const ff_petri_term *term = &law->rate;
  const double doubt = FF_PETRI_DOUBT * p->options.absolute;
  double *kept = path->delta;
  for (uint32_t k = 0; k < term->n; k++) {
    const uint32_t value = ff_petri_value_of(law, term->row[k], i);
    kept[k] = path->value[value];
    if (value < p->n_levels && kept[k] < 0 && kept[k] >= -doubt) path->value[value] = 0;
  }
  for (uint32_t k = 0; k < term->n; k++) path->gathered[k] = path->value[ff_petri_value_of(law, term->row[k], i)];
  double rate = ff_formula_value(&term->formula, law->n == 1 ? path->value : path->gathered, 0, path->stack);
  for (uint32_t k = 0; k < term->n; k++) path->value[ff_petri_value_of(law, term->row[k], i)] = kept[k];
  if (fabs(rate) < INFINITY) return rate;
  if (lacks_input(path, law, i)) return 0;
  path->wrong_rate = rate;
  path->wrong_flow = 1 + (uint32_t)(law->first + i);
  return 0;
}

/* By what an effect changes a level, for each unit of the rate. */
static double effect_by(ff_petri_path *path, const ff_petri_law *law, const ff_petri_effect *effect, uint32_t i) {
  const ff_petri_term *term = &effect->formula;
  return term->formula.length == 0 ? effect->by : term_value(path, law, term, i);
}

static void add_flow(ff_petri_path *path, const ff_petri_law *law, uint32_t i, double rate, double *out) {
  for (uint32_t c = 0; c < law->n_effects; c++)
    out[ff_petri_value_of(law, law->effect[c].row, i)] += effect_by(path, law, &law->effect[c], i) * rate;
}

/* Rates of transitions i ... i + n - 1. */
static void set_rates(ff_petri_path *path, const ff_petri_law *law, uint32_t i, uint32_t n, double *rate) {
  const ff_petri_term *term = &law->rate;
  if (law->n == 1) {
    rate[0] = term->simple != FF_PETRI_COMPLEX ? ff_petri_simple_value(term, path->value)
                                               : ff_formula_value(&term->formula, path->value, 0, path->stack);
  } else {
    for (uint32_t k = 0; k < term->n; k++) {
      const uint32_t *from = law->index + (size_t)term->row[k] * law->n + i;
      for (uint32_t l = 0; l < n; l++) path->gathered[(size_t)k * FF_PETRI_CHUNK + l] = path->value[from[l]];
    }
    ff_formula_values(&term->formula, path->gathered, FF_PETRI_CHUNK, n, path->stack);
    memcpy(rate, path->stack, n * sizeof *rate);
  }
  for (uint32_t l = 0; l < n; l++)
    if (FF_RARELY(!(fabs(rate[l]) < INFINITY))) rate[l] = mend_rate(path, law, i + l);
}

/* The flow of a law with one transition, whose weights are numbers. */
static inline void add_single(ff_petri_path *path, const ff_petri_law *law, double *out) {
  const ff_petri_term *term = &law->rate;
  double rate = term->simple != FF_PETRI_COMPLEX ? ff_petri_simple_value(term, path->value)
                                                 : ff_formula_value(&term->formula, path->value, 0, path->stack);
  if (FF_RARELY(!(fabs(rate) < INFINITY))) rate = mend_rate(path, law, 0);
  for (uint32_t c = 0; c < law->n_effects; c++) out[law->index[law->effect[c].row]] += law->effect[c].by * rate;
}

static inline void set_moving_in_flows(ff_petri_path *path, double t) {
  const ff_petri_program *p = path->program;
  for (uint32_t k = 0; k < p->n_moving; k++)
    if (p->moving[k].in_flow) path->value[p->moving[k].value] = plain_value(path, t, &p->moving[k].plain);
}

void ff_petri_set_flow_values(ff_petri_path *path, double t, const double *x) {
  const ff_petri_program *p = path->program;
  path->own = 0;
  path->wrong_flow = 0;
  for (uint32_t i = 0; i < p->n_levels; i++) path->value[i] = x[i];
  path->value[p->time] = path->start + t;
  if (p->n_given > 0) path->around.set(path->around.of, path->from, &t, 1, path->value + p->n_levels);
  set_moving_in_flows(path, t);
}

void ff_petri_all_rates(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  double *rate = path->flow_rate, *by = path->arc_by;
  for (uint32_t f = 0; f < p->n_flows; f++) {
    const ff_petri_law *law = &p->law[p->flow[f]];
    for (uint32_t i = 0; i < law->n; i += FF_PETRI_CHUNK) {
      const uint32_t n = law->n - i < FF_PETRI_CHUNK ? law->n - i : FF_PETRI_CHUNK;
      set_rates(path, law, i, n, rate + i);
    }
    rate += law->n;
    for (uint32_t i = 0; i < law->n && p->flows_vary; i++)
      for (uint32_t c = 0; c < law->n_effects; c++) *by++ = effect_by(path, law, &law->effect[c], i);
  }
  for (size_t k = 0; k < p->taker_first[p->n_levels] && p->flows_vary; k++) path->taker_by[k] = path->arc_by[p->taker_arc[k]];
}

/* The slope of a level by the flows that are multiples of a value. */
static inline double linear_slope(const ff_petri_path *path, uint32_t level) {
  const ff_petri_program *p = path->program;
  double out = 0;
  for (size_t k = p->linear_first[level]; k < p->linear_first[level + 1]; k++)
    out += p->linear_by[k] * path->value[p->linear_value[k]];
  return out;
}

void ff_petri_free_slopes(ff_petri_path *path, double *out) {
  const ff_petri_program *p = path->program;
  const int linear = p->linear_first != NULL;
  const uint32_t *flow = linear ? p->single : p->flow, n_flows = linear ? p->n_singles : p->n_flows;
  for (uint32_t i = 0; i < p->n_levels; i++) out[i] = linear ? linear_slope(path, i) : 0;
  for (uint32_t f = 0; f < n_flows; f++) {
    const ff_petri_law *law = &p->law[flow[f]];
    if (law->n == 1 && !law->varies) {
      add_single(path, law, out);
      continue;
    }
    for (uint32_t i = 0; i < law->n; i += FF_PETRI_CHUNK) {
      double rate[FF_PETRI_CHUNK];
      const uint32_t n = law->n - i < FF_PETRI_CHUNK ? law->n - i : FF_PETRI_CHUNK;
      set_rates(path, law, i, n, rate);
      for (uint32_t l = 0; l < n; l++) add_flow(path, law, i + l, rate[l], out);
    }
  }
}

/* ---- slopes at the start ------------------------------------------------------------------------------------------------ */

int ff_petri_path_slopes(ff_petri_path *path, double *slope) {
  path->wrong_flow = 0;
  set_moving_in_flows(path, 0);
  ff_petri_free_slopes(path, slope);
  return path->wrong_flow == 0;
}

void ff_petri_list_singles(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  for (uint32_t f = 0; f < p->n_singles; f++) {
    const ff_petri_law *law = &p->law[p->single[f]];
    for (uint32_t i = 0; i < law->n; i++)
      for (uint32_t c = 0; c < law->n_effects; c++)
        path->single_level[path->n_single++] = ff_petri_value_of(law, law->effect[c].row, i);
  }
}

static void set_singles(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  double *out = path->single;
  for (uint32_t f = 0; f < p->n_singles; f++) {
    const ff_petri_law *law = &p->law[p->single[f]];
    for (uint32_t i = 0; i < law->n; i += FF_PETRI_CHUNK) {
      double rate[FF_PETRI_CHUNK];
      const uint32_t n = law->n - i < FF_PETRI_CHUNK ? law->n - i : FF_PETRI_CHUNK;
      set_rates(path, law, i, n, rate);
      for (uint32_t l = 0; l < n; l++)
        for (uint32_t c = 0; c < law->n_effects; c++) *out++ = effect_by(path, law, &law->effect[c], i + l) * rate[l];
    }
  }
}

/* A slope, with what these flows do. The bits are those of ff_petri_free_slopes(). */
static double slope_of(const ff_petri_path *path, uint32_t level) {
  double out = linear_slope(path, level);
  for (uint32_t k = 0; k < path->n_single; k++)
    if (path->single_level[k] == level) out += path->single[k];
  return out;
}

/* By how much a given level is changed for the difference of slopes. */
static double shift_of(const ff_petri_path *path, double given) {
  const ff_petri_options *o = &path->program->options;
  return 0x1p-20 * (given + o->absolute / o->relative);
}

/* Where given levels count in terms alone: each is one of few slopes. */
static double linear_coupling(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  double most = 0;
  set_singles(path);
  for (uint32_t i = 0; i < p->n_levels; i++) {
    const double slope = slope_of(path, i);
    double sum = 0;
    for (size_t k = p->linear_first[i]; k < p->linear_first[i + 1] && ff_petri_is_given_value(p, p->linear_value[k]); k++) {
      double *given = &path->value[p->linear_value[k]];
      const double before = *given, shift = shift_of(path, before);
      *given = before + shift;
      sum += fabs(slope_of(path, i) - slope) / shift;
      *given = before;
    }
    most = sum > most ? sum : most;
  }
  return most;
}

static double any_coupling(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  double *slope = path->looked, *other = slope + p->n_levels, *sum = other + p->n_levels, most = 0;
  for (uint32_t i = 0; i < p->n_levels; i++) sum[i] = 0;
  ff_petri_path_slopes(path, slope);
  for (uint32_t g = 0; g < p->n_given; g++) {
    double *given = &path->value[p->n_levels + g];
    const double before = *given, shift = shift_of(path, before);
    *given = before + shift;
    ff_petri_path_slopes(path, other);
    *given = before;
    for (uint32_t i = 0; i < p->n_levels; i++) sum[i] += fabs(other[i] - slope[i]) / shift;
  }
  for (uint32_t i = 0; i < p->n_levels; i++) most = sum[i] > most ? sum[i] : most;
  return most;
}

double ff_petri_path_coupling(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  double *given = path->value + p->n_levels;
  if (p->n_levels == 0 || p->n_given == 0) return 0;
  int is_read = 0;
  for (uint32_t g = 0; g < p->n_given; g++) {
    given[g] = given[g] > 0 ? given[g] : 0;
    is_read |= p->is_read[g];
  }
  if (is_read) return any_coupling(path);
  set_moving_in_flows(path, 0);
  return linear_coupling(path);
}
