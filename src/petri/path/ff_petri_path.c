/* Trajectories: making, beginning, and steps. */
#include <stdlib.h>
#include <string.h>

#include "ff_petri_path_internal.h"
#include "../program/ff_petri_plain.h"

/* ---- making and freeing ------------------------------------------------------------------------------------------------- */

/* Room for what formulas read and for what a firing changes: numbers of values. */
typedef struct {
  size_t effects, gathered, stack, arcs, singles;
} room;

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static room room_of(const ff_petri_path *x) {
  const ff_petri_program *p = x->program;
  room out = {1, 0, 0, p->arc_first != NULL ? p->arc_first[p->n_all_flows] : 0, 0};
  for (uint32_t k = 0; k < p->n_laws; k++) out.effects = larger(out.effects, p->law[k].n_effects);
  out.effects = larger(out.effects, p->most_rows);
  out.gathered = larger(out.effects * FF_PETRI_CHUNK, larger(p->most_reads, x->until.n) * 8);
  out.stack = larger(p->depth, x->until.formula.depth) * FF_PETRI_CHUNK + 8;
  for (uint32_t f = 0; f < p->n_singles; f++) out.singles += (size_t)p->law[p->single[f]].n * p->law[p->single[f]].n_effects;
  return out;
}

/* All arrays of a path but those of its switches, with the numbers of their elements. p is the program, r the room. */
#define FF_PATH_ARRAYS(X)                                                                                                     \
  X(value, p->n_values) X(size, p->n_levels + 1) X(doubt, p->n_levels) X(shown, p->n_levels)                                  \
  X(choice, p->n_groups) X(whole, p->n_groups) X(weight, p->n_cells)                                                          \
  X(left, p->n_groups) X(since, p->n_groups) X(rate, p->n_groups) X(varies, p->n_groups) X(fired, p->n_groups)                \
  X(candidates.heap, p->n_groups) X(candidates.at, p->n_groups) X(moving_group, p->n_groups) X(is_moving_group, p->n_groups)  \
  X(group_stirs, p->n_groups)                                                                                                 \
  X(coefficient, p->n_stochastic) X(sum, p->n_cells) X(low, p->n_cells) X(high, p->n_cells) X(curved, p->n_profiles)          \
  X(dirty_derived, p->n_derived) X(dirty_cell, p->n_cells) X(dirty_group, p->n_groups) X(dirty, p->flat->n_transitions)       \
  X(is_dirty_derived, p->n_derived) X(is_dirty_cell, p->n_cells) X(is_dirty_group, p->n_groups)                               \
  X(tried, p->n_profiles)                                                                                                     \
  X(is_dirty, p->flat->n_transitions) X(enabled, ff_petri_enabled_words(p)) X(is_enabled_timed, p->n_timed)                   \
  X(in_batch, p->n_timed) X(due.heap, p->n_timed) X(due.at, p->n_timed) X(times, p->n_timed) X(batch, p->n_timed)             \
  X(truth, p->n_events) X(is_dirty_event, p->n_events) X(dirty_event, p->n_events)                                            \
  X(may_fall, (size_t)p->n_levels + 1)                                                                                        \
  X(empty, p->n_watched) X(share, p->n_levels) X(looked, 3 * (size_t)p->n_levels + 1) X(factor, p->n_all_flows)               \
  X(excess, FF_ODE_DENSE * (size_t)p->n_watched)                                                                              \
  X(flow_rate, p->n_all_flows) X(single, r.singles) X(single_level, r.singles) X(arc_by, r.arcs) X(taker_by, r.arcs)          \
  X(gathered, r.gathered) X(stack, r.stack) X(delta, r.effects) X(stirs, p->n_values)

static ff_status allocate(ff_petri_path *x, ff_error *err) {
  const ff_petri_program *p = x->program;
  const room r = room_of(x);
  int fine = 1;
#define FF_X(name, n) fine = fine && (x->name = ff_calloc((n), sizeof *x->name)) != NULL;
  FF_PATH_ARRAYS(FF_X)
#undef FF_X
  return fine ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for a trajectory of %u places", p->n_places);
}

static void free_arrays(ff_petri_path *x) {
#define FF_X(name, n) free(x->name);
  FF_PATH_ARRAYS(FF_X)
#undef FF_X
  free(x->piece);
}

static double see(void *of, double from, double to, double h) {
  const ff_petri_path *x = of;
  return x->around.see(x->around.of, from, to, h);
}

static ff_status make_solver(ff_petri_path *x, ff_error *err) {
  const ff_petri_program *p = x->program;
  const ff_petri_paper *paper = &x->paper;
  x->n_equations = p->n_levels + (ff_petri_is_paper(x) ? 1 : 0);
  if (x->n_equations == 0) return FF_OK;
  for (uint32_t i = 0; i < p->n_levels; i++) x->size[i] = p->options.absolute / p->options.relative;
  for (uint32_t k = 0; k < p->n_watched; k++) x->may_fall[p->watched[k]] = 1;
  if (ff_petri_is_paper(x)) x->size[p->n_levels] = 1; /* as the other methods have it for integrals of hazards */
  const ff_ode_equations own = {.n = p->n_levels, .of = x, .slope = ff_petri_slope, .timed = p->timed_flows || p->n_given > 0,
                                .first = p->column_first, .row = p->column_row, .order = p->order};
  const ff_ode_equations more = {.n = x->n_equations, .of = x, .slope = ff_petri_paper_slope, .first = paper->column_first,
                                 .row = paper->column_row, .timed = p->timed_flows || p->timed_profiles};
  static const ff_ode_method methods[] = {[FF_PETRI_AUTO] = FF_ODE_DORMAND_PRINCE,
                                          [FF_PETRI_DORMAND_PRINCE] = FF_ODE_DORMAND_PRINCE,
                                          [FF_PETRI_ROSENBROCK] = FF_ODE_RODAS,
                                          [FF_PETRI_CVODE] = FF_ODE_CVODE};
  const ff_ode_options options = {.method = methods[p->options.integrator],
                                  .automatic = p->options.integrator == FF_PETRI_AUTO, .tolerance = p->options.relative,
                                  .size = x->size, .may_fall = x->may_fall,
                                  .below = p->options.semantics == FF_PETRI_BIO ? 0 : FF_PETRI_DOUBT * p->options.absolute,
                                  .see = p->n_given > 0 ? see : NULL};
  return ff_ode_new(&x->ode, ff_petri_is_paper(x) ? &more : &own, &options, err);
}

/* Groups whose hazards depend on levels or the time. */
static void list_moving_groups(ff_petri_path *x) {
  const ff_petri_program *p = x->program;
  for (uint32_t g = 0; g < p->n_groups; g++)
    for (uint32_t c = p->cell_first[g]; c < p->cell_first[g + 1] && !x->is_moving_group[g]; c++)
      if (p->cell_profile[c] != 0) {
        x->is_moving_group[g] = 1;
        x->moving_group[x->n_moving_groups++] = g;
      }
}

static void find_stirring_groups(ff_petri_path *x) {
  const ff_petri_program *p = x->program;
  for (uint32_t g = 0; g < p->n_groups; g++) {
    const size_t from = p->cell_members[p->cell_first[g]], to = p->cell_members[p->cell_first[g + 1]];
    size_t n = 0;
    for (size_t k = from; k < to; k++) n += p->law[p->stochastic[p->member[k]].law].stirs;
    x->group_stirs[g] = (uint8_t)((n > 0) + (n == to - from));
  }
}

ff_status ff_petri_path_new(ff_petri_path *x, const ff_petri_program *program, const ff_formula *until, ff_error *err) {
  x->program = program;
  x->looks = until != NULL;
  ff_status status = until != NULL ? ff_petri_program_plain(&x->until, program, until, err) : FF_OK;
  if (status == FF_OK) status = allocate(x, err);
  if (status == FF_OK) status = ff_petri_switches_new(x, err);
  if (status == FF_OK) status = ff_petri_paper_new(x, err);
  if (status == FF_OK) status = ff_petri_peak_new(x, err);
  if (status == FF_OK) status = make_solver(x, err);
  if (status == FF_OK) list_moving_groups(x);
  if (status == FF_OK) find_stirring_groups(x);
  if (status == FF_OK) ff_petri_list_singles(x);
  x->timed_still = program->timed_profiles || program->timed_switches || ff_formula_has_time(&x->until.formula);
  x->timed = x->timed_still || program->timed_flows;
  x->may_pass = program->n_groups > 0 && program->n_immediate + program->n_timed + program->n_events == 0 &&
                x->conditions.n_thresholds + x->conditions.n_formulas == 0 && program->arc_first == NULL && !ff_petri_is_paper(x);
  return status;
}

void ff_petri_path_free(ff_petri_path *x) {
  free_arrays(x);
  ff_petri_events_free(x);
  ff_petri_switches_free(x);
  ff_petri_plain_free(&x->until);
  ff_ode_free(x->ode);
  ff_petri_paper_free(x);
  ff_petri_peak_free(x);
  memset(x, 0, sizeof *x);
}

/* ---- beginning ---------------------------------------------------------------------------------------------------------- */

void ff_petri_path_start(ff_petri_path *x, uint64_t key, uint64_t unit, const double *initial, double start) {
  x->key = key;
  x->unit = unit;
  x->initial = initial;
  x->start = start;
  x->failure = (ff_failure){0};
  x->firings = 0;
  x->reached = 0;
  x->now = 0;
  ff_petri_set_next(x, FF_PETRI_BEGINS, 0);
}

void ff_petri_path_forget(ff_petri_path *x) {
  const ff_petri_program *p = x->program;
  for (uint32_t k = 0; k < x->n_dirty_derived; k++) x->is_dirty_derived[x->dirty_derived[k]] = 0;
  for (size_t k = 0; k < x->n_dirty; k++) x->is_dirty[ff_petri_number_of(p, x->dirty[k])] = 0;
  for (uint32_t k = 0; k < x->n_dirty_cells; k++) x->is_dirty_cell[x->dirty_cell[k]] = 0;
  for (uint32_t k = 0; k < x->n_dirty_groups; k++) x->is_dirty_group[x->dirty_group[k]] = 0;
  x->n_dirty_derived = x->n_dirty_cells = x->n_dirty_groups = 0;
  x->n_dirty = 0;
  x->at_once = x->crossings = 0;
  x->crossings_since = 0;
  x->choices = x->batches = 0;
  x->n_enabled = 0;
  x->segment = x->tried_of = 0;
  x->paused = 0;
  x->n_pieces = 0;
  x->peaks.most = 0;
  x->peaks.plain_of = 0;
  x->flat = x->crossing = 0;
  x->stirred = 1;
  x->from = x->to = x->limit = x->length = 0;
  x->reach = INFINITY;
}

static int only_flows(const ff_petri_program *p) { return p->n_stochastic + p->n_immediate + p->n_timed + p->n_events == 0; }

void ff_petri_path_begin(ff_petri_path *x) {
  const ff_petri_program *p = x->program;
  ff_petri_path_forget(x);
  memcpy(x->value, p->initial, p->n_values * sizeof *x->value);
  for (uint32_t place = 0; place < p->n_places; place++)
    x->value[p->place_value[place]] = ff_petri_reset_to(x->initial[place]);
  x->value[p->time] = x->start;
  x->own = 1;
  if (x->ode != NULL && !ff_petri_is_paper(x)) ff_ode_begin(x->ode, 0, x->value, 0);
  if (ff_petri_is_paper(x)) ff_petri_paper_restart(x, 0);
  for (uint32_t k = 0; k < p->n_derived; k++) ff_petri_derive(x, k);
  for (uint32_t i = 0; i < p->n_levels; i++)
    x->doubt[i] = (only_flows(p) ? 1 : FF_PETRI_DOUBT) * p->options.absolute;
  ff_petri_hold_begin(x);
  ff_petri_clock_begin(x);
  memset(x->enabled, 0, ff_petri_enabled_words(p) * sizeof *x->enabled);
  memset(x->is_enabled_timed, 0, p->n_timed * sizeof *x->is_enabled_timed);
  ff_petri_timed_begin(x);
  for (uint32_t k = 0; k < p->n_immediate; k++) ff_petri_refresh(x, p->immediate[k]);
  for (uint32_t k = 0; k < p->n_timed; k++) ff_petri_refresh(x, p->timed[k]);
  memset(x->coefficient, 0, p->n_stochastic * sizeof *x->coefficient);
  for (uint32_t c = 0; c < p->n_cells; c++) x->sum[c] = x->low[c] = x->high[c] = 0;
  memset(x->curved, 0, p->n_profiles * sizeof *x->curved);
  ff_petri_refresh_all(x);
  ff_petri_update(x);
  ff_petri_events_begin(x);
}

/* ---- steps -------------------------------------------------------------------------------------------------------------- */

/* Whether the condition that ends the trajectory holds after a step. A crossing has told it. */
static void look(ff_petri_path *x, ff_petri_event event) {
  if (!x->looks || event == FF_PETRI_CROSSES_OVER || event == FF_PETRI_PASSES) return;
  x->reached = ff_petri_plain_at(x, x->now, &x->until) != 0;
}

void ff_petri_path_step(ff_petri_path *x) {
  const ff_petri_event event = x->event;
  if (x->next_time > x->now) x->at_once = 0;
  x->now = x->next_time;
  switch (event) {
    case FF_PETRI_BEGINS: ff_petri_path_begin(x); break;
    case FF_PETRI_FIRES:
      ff_petri_fire(x, x->fires);
      ff_petri_update(x);
      break;
    case FF_PETRI_HAPPENS:
      ff_petri_happen(x);
      ff_petri_update(x);
      break;
    case FF_PETRI_CROSSES_OVER:
      ff_petri_cross(x);
      ff_petri_update(x);
      break;
    default: break;
  }
  if (x->failure.what != FF_PETRI_FINE) return;
  if (!x->stirred && !x->flat) x->own = 0; /* what happened has left all levels as they were, so they go on */
  look(x, event);
  if (event == FF_PETRI_BEGINS) ff_petri_switches_set(x);
  if (x->n_dirty_events > 0) ff_petri_events_look(x);
  ff_petri_path_find(x);
}

/* ---- the state ---------------------------------------------------------------------------------------------------------- */

/* Levels that may be 0 but for errors become 0, if they would not fall then. Slopes need value[] as room. */
static void round_to_zero(ff_petri_path *x, double t) {
  const ff_petri_program *p = x->program;
  const int own = x->own;
  int doubtful = 0;
  for (uint32_t i = 0; i < p->n_levels; i++) doubtful |= x->shown[i] < 0 && x->shown[i] >= -x->doubt[i];
  if (!doubtful) return;
  const uint32_t wrong = x->wrong_flow;
  double *kept = x->looked, *at = x->looked + p->n_levels, *slope = x->looked + 2 * (size_t)p->n_levels;
  for (uint32_t i = 0; i < p->n_levels; i++) {
    kept[i] = x->value[i];
    at[i] = x->shown[i] < 0 && x->shown[i] >= -x->doubt[i] ? 0 : x->shown[i];
  }
  ff_petri_slope(x, t, at, slope);
  for (uint32_t i = 0; i < p->n_levels; i++) {
    x->value[i] = kept[i];
    if (at[i] == 0 && slope[i] >= 0) x->shown[i] = 0;
  }
  x->own = own;
  x->wrong_flow = wrong;
}

void ff_petri_path_show(ff_petri_path *x, double t, double *count, size_t stride) {
  const ff_petri_program *p = x->program;
  for (uint32_t i = 0; i < p->n_levels; i++) x->shown[i] = x->own ? x->value[i] : ff_ode_component(x->ode, t, i);
  round_to_zero(x, t);
  for (uint32_t value = 0; value < p->n_places; value++)
    count[p->value_place[value] * stride] = (value < p->n_levels ? x->shown[value] : x->value[value]) + 0.0;
  for (uint32_t s = 0; s < p->n_settable; s++) count[(p->n_places + s) * stride] = x->value[p->time + 1 + s];
}
