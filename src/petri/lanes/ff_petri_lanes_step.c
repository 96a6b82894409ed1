/* Steps of the solvers in lanes. */
#include <math.h>
#include <string.h>

#include "ff_petri_lanes_internal.h"

enum { L = FF_PETRI_LANES };

/* ---- numbers to lanes and back ------------------------------------------------------------------------------------------- */

/* What flows read but levels. */
static void load_values(ff_petri_lanes *x, const ff_petri_path *path, uint32_t l) {
  for (uint32_t r = x->n_levels + x->n_given; r < x->n_rows; r++)
    if (x->row_value[r] != FF_PETRI_NO_ROW) x->row[(size_t)r * L + l] = path->value[x->row_value[r]];
  x->zero[l] = path->start;
}

/* Given levels at n times; if these are stages, all but the last are within the step. */
static void load_given(ff_petri_lanes *x, const ff_petri_path *path, const double *t, uint32_t n, uint32_t l) {
  if (x->n_given == 0) return;
  path->around.set(path->around.of, path->from, t, n, x->given_at);
  for (uint32_t g = 0; g < x->n_given; g++)
    for (uint32_t k = 0; k < n; k++) {
      const double added = k + 1 < n ? path->around.added[g] : 0;
      x->given[((size_t)g * FF_PETRI_GIVEN_STAGES + k) * L + l] = x->given_at[g * n + k] + added;
    }
}

static void load(ff_petri_lanes *x, const ff_petri_path *path, const ff_ode_trial *trial, uint32_t l) {
  for (uint32_t i = 0; i < x->n_levels; i++) {
    x->start[(size_t)i * L + l] = trial->start[i];
    x->k[0][(size_t)i * L + l] = trial->slope[i];
  }
  double t[FF_PETRI_GIVEN_STAGES];
  for (int s = 0; s < FF_PETRI_GIVEN_STAGES; s++) t[s] = trial->from + ff_ode_explicit_node(s + 1) * trial->h;
  load_given(x, path, t, FF_PETRI_GIVEN_STAGES, l);
  load_values(x, path, l);
  x->from[l] = trial->from;
  x->h[l] = trial->h;
}

static void store_end(const ff_petri_lanes *x, const ff_ode_trial *trial, uint32_t l) {
  for (uint32_t i = 0; i < x->n_levels; i++) {
    const size_t at = (size_t)i * L + l;
    trial->end[i] = x->end[at];
    trial->end_slope[i] = x->k[6][at];
  }
}

static void store_rest(const ff_petri_lanes *x, const ff_ode_trial *trial, uint32_t l) {
  for (uint32_t i = 0; i < x->n_levels; i++) {
    trial->error[i] = x->error[(size_t)i * L + l];
    const double *from = x->dense + (size_t)i * FF_ODE_DENSE * L + l;
    double *dense = trial->dense + (size_t)i * FF_ODE_DENSE;
    dense[0] = from[0];
    dense[1] = from[L];
    dense[2] = from[2 * L];
    dense[3] = from[3 * L];
    dense[4] = from[4 * L];
  }
}

/* What is known of profiles that a trajectory needs, and whose step is made. */
static void store_tried(const ff_petri_lanes *x, ff_petri_path *path, uint32_t l) {
  for (uint32_t f = 0; f < x->n_profiles; f++) {
    ff_petri_whole *out = &path->tried[x->profile[f].number];
    const uint32_t cell = x->profile[f].cell;
    out->known = cell == FF_PETRI_MANY_CELLS || path->low[cell] != 0 || path->high[cell] != 0;
    if (!out->known) continue;
    const double *from = x->tried + (size_t)f * FF_PETRI_TRIED * L + l;
    for (int i = 0; i < FF_PETRI_DEGREE; i++) out->whole.c[i] = from[(size_t)i * L];
    out->whole.sum = from[5 * L];
    out->whole.error = from[6 * L];
    out->whole.low = from[7 * L];
    out->whole.high = from[8 * L];
    out->span = ff_petri_span_new(from[9 * L], from[10 * L]);
  }
  path->tried_of = path->segment;
}

/* ---- steps that pass ---------------------------------------------------------------------------------------------------- */

static int is_off(const ff_petri_path *path, uint32_t cell) { return path->low[cell] == 0 && path->high[cell] == 0; }

/* What is known of a cell's profile in the step that was made, or NULL. */
static const double *tried_of(const ff_petri_lanes *x, uint32_t cell, uint32_t l) {
  const uint32_t f = x->profile_of[x->program->cell_profile[cell]];
  return f != 0 ? x->tried + (size_t)(f - 1) * FF_PETRI_TRIED * L + l : NULL;
}

/* Whether the integral of a cell's hazard is that of its profile at once. */
static int is_one_piece(const ff_petri_lanes *x, const ff_petri_path *path, uint32_t cell, double length, uint32_t l) {
  const double *tried = tried_of(x, cell, l);
  const double size = path->sum[cell] * length, low = tried[7 * L], tolerance = x->program->options.relative;
  if (!(low >= 0) || !ff_petri_is_exact(size, tried[5 * L], tried[6 * L], tolerance)) return 0;
  return x->profile[x->profile_of[x->program->cell_profile[cell]] - 1].affine ||
         ff_petri_span_is_near(ff_petri_span_new(tried[9 * L], tried[10 * L]), low, tried[8 * L],
                               ff_petri_slack_of(size, tried[5 * L], tolerance));
}

/* Whether a group does not fire in the step that was made, as ff_petri_clock_search() would find. */
static int group_passes(const ff_petri_lanes *x, ff_petri_path *path, uint32_t g, double length, uint32_t l) {
  const ff_petri_program *p = x->program;
  const uint32_t first = p->cell_first[g], end = p->cell_first[g + 1];
  double whole = 0;
  for (uint32_t c = first; c < end; c++) {
    if (path->low[c] < 0 || !(path->high[c] < INFINITY)) return 0;
    if (p->cell_profile[c] == 0) whole += path->sum[c];
  }
  for (uint32_t c = first; c < end; c++) {
    if (p->cell_profile[c] == 0 || is_off(path, c)) continue;
    const double *tried = tried_of(x, c, l);
    if (tried == NULL) return 0;
    whole += path->sum[c] * tried[5 * L];
  }
  if (path->left[g] / length <= whole) return 0;
  path->whole[g] = whole;
  for (uint32_t c = first; c < end; c++)
    if (p->cell_profile[c] != 0 && !is_off(path, c) && !is_one_piece(x, path, c, length, l)) return 0;
  return 1;
}

static int passes(const ff_petri_lanes *x, ff_petri_path *path, uint32_t l) {
  const double length = ff_ode_last(path->ode)->to - path->from;
  if (!ff_petri_path_may_pass(path)) return 0;
  for (uint32_t k = 0; k < path->n_dirty_groups; k++)
    if (!group_passes(x, path, path->dirty_group[k], length, l)) return 0;
  return 1;
}

/* ---- steps -------------------------------------------------------------------------------------------------------------- */

/* Tells a solver what has become of its step. Returns whether the step has ended. */
static int end_trial(const ff_petri_lanes *x, ff_petri_path *path, const ff_ode_trial *trial, uint32_t l,
                     ff_ode_outcome *outcome) {
  ff_ode_verdict verdict = {x->worst[l], x->speed[l], 1};
  path->own = 0;
  path->wrong_flow = 0;
  if (x->bad[l] != 0) {
    verdict = ff_ode_trial_alone(path->ode);
  } else {
    store_end(x, trial, l);
    if (!(x->worst[l] <= 1)) store_rest(x, trial, l);
  }
  return ff_ode_trial_end(path->ode, &verdict, outcome);
}

/* A trajectory goes on after its step. */
static void go_on(const ff_petri_lanes *x, ff_petri_path *path, const ff_ode_trial *trial, uint32_t l, ff_ode_outcome outcome) {
  if (x->bad[l] == 0) {
    if (x->looks_at_rates && x->plain[l] != 0) path->peaks.plain_of = path->segment;
    if (outcome == FF_ODE_STEPPED && passes(x, path, l)) {
      ff_petri_path_pass(path);
      return;
    }
    if (x->worst[l] <= 1) store_rest(x, trial, l);
    if (x->n_profiles > 0) store_tried(x, path, l);
  }
  ff_petri_path_go_on(path, outcome);
}

/* Does the arithmetic for these trajectories, each in its lane, and lets them go on. */
static void step_all(ff_petri_lanes *x, ff_petri_path *const *path, const ff_ode_trial *trial, uint32_t n) {
  ff_ode_outcome outcome[L];
  uint32_t ended = 0;
  for (uint32_t l = 0; l < L; l++) load(x, path[l < n ? l : 0], &trial[l < n ? l : 0], l);
  x->kernel->attempt(x);
  for (uint32_t l = 0; l < n; l++)
    if (end_trial(x, path[l], &trial[l], l, &outcome[l])) ended |= 1u << l;
  if (ended != 0 && x->n_profiles + x->n_narrow > 0) x->kernel->profiles(x);
  for (uint32_t l = 0; l < n; l++)
    if (ended >> l & 1) go_on(x, path[l], &trial[l], l, outcome[l]);
}

/* The slopes at which steps begin, where solvers have begun anew. A solver computes one that is not finite. */
static void begin_all(ff_petri_lanes *x, ff_petri_path *const *path, uint32_t n) {
  double *slope[L];
  uint32_t of[L], count = 0;
  for (uint32_t k = 0; k < n; k++) {
    slope[count] = path[k]->n_empty == 0 ? ff_ode_wants_slope(path[k]->ode) : NULL;
    if (slope[count] != NULL) of[count++] = k;
  }
  if (count == 0) return;
  for (uint32_t l = 0; l < L; l++) {
    ff_petri_path *at = path[of[l < count ? l : 0]];
    const ff_ode_span *last = ff_ode_last(at->ode);
    for (uint32_t i = 0; i < x->n_levels; i++) x->row[(size_t)i * L + l] = last->end[i];
    load_given(x, at, &last->to, 1, l);
    load_values(x, at, l);
    x->from[l] = last->to;
    x->h[l] = 0;
  }
  x->kernel->slopes(x);
  for (uint32_t l = 0; l < count; l++) {
    if (x->bad[l] != 0) continue;
    for (uint32_t i = 0; i < x->n_levels; i++) slope[l][i] = x->k[0][(size_t)i * L + l];
    ff_ode_has_slope(path[of[l]]->ode);
  }
}

void ff_petri_lanes_step(ff_petri_lanes *x, ff_petri_path *const *path, uint32_t n) {
  ff_petri_path *at[L];
  ff_ode_trial trial[L];
  uint32_t count = 0;
  begin_all(x, path, n);
  for (uint32_t k = 0; k < n; k++) {
    ff_ode_outcome outcome;
    int ended = !ff_ode_trial_begin(path[k]->ode, path[k]->most, &trial[count], &outcome);
    if (!ended && path[k]->n_empty == 0) {
      at[count++] = path[k];
      continue;
    }
    if (!ended) {
      const ff_ode_verdict verdict = ff_ode_trial_alone(path[k]->ode);
      ended = ff_ode_trial_end(path[k]->ode, &verdict, &outcome);
    }
    if (ended) ff_petri_path_go_on(path[k], outcome);
  }
  if (count > 0) step_all(x, at, trial, count);
}
