/* Segments, and which step comes next. */
#include <string.h>

#include "ff_petri_path_internal.h"

/* ---- segments ----------------------------------------------------------------------------------------------------------- */

static double smaller(double a, double b) { return b < a ? b : a; }

/* The latest end of a segment: times that are known, and at which a flow changes. */
static double known_end(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  double most = ff_petri_end_of_reach(path->now, path->reach, path->timed);
  while (path->at_stop < path->around.n_stops && !(path->around.stop[path->at_stop] > path->now)) path->at_stop++;
  if (path->at_stop < path->around.n_stops) most = smaller(most, path->around.stop[path->at_stop]);
  if (ff_petri_due_next(&path->waits.due) > path->now) most = smaller(most, ff_petri_due_next(&path->waits.due));
  const int paper = ff_petri_is_paper(path);
  if (path->due.n > 0 && (paper || p->law[p->timed[path->due.heap[0].number].law].stirs) && path->due.heap[0].time > path->now)
    most = smaller(most, path->due.heap[0].time);
  if (path->candidates.n > 0 && !paper && path->candidates.heap[0].time < most && path->candidates.heap[0].time > path->now) {
    const uint32_t g = path->candidates.heap[0].number;
    const int stirs =
        path->group_stirs[g] == 1 ? p->law[ff_petri_clock_choose(path, g, path->now).law].stirs : path->group_stirs[g];
    if (!path->varies[g] && stirs) most = path->candidates.heap[0].time;
  }
  return most;
}

/* Whether no level moves. */
static int is_still(ff_petri_path *path) {
  if (path->ode == NULL) return 1;
  if (path->program->timed_flows || path->program->n_given > 0) return 0;
  if (ff_petri_is_paper(path) && path->program->timed_profiles) return 0;
  const double *slope = ff_ode_slope(path->ode);
  if (slope == NULL) return 0;
  for (uint32_t i = 0; i < path->n_equations; i++)
    if (slope[i] != 0) return 0;
  return 1;
}

static void fail_step(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  const ff_ode_span *last = ff_ode_last(path->ode);
  uint32_t worst = 0;
  double most = -1;
  if (ff_petri_is_paper(path) && ff_petri_paper_fail(path)) return;
  if (path->wrong_flow != 0) {
    ff_petri_path_fail(path, FF_PETRI_BAD_FLOW, path->wrong_flow - 1, path->wrong_rate, 0);
    return;
  }
  for (uint32_t i = 0; i < p->n_levels; i++) {
    const double error = last->error[i] / (p->options.absolute + p->options.relative * fabs(last->end[i]));
    if (error > most) {
      most = error;
      worst = i;
    }
  }
  ff_petri_path_fail(path, FF_PETRI_BAD_STEP, p->value_place[worst], ff_ode_next(path->ode), 0);
}

/* The state at the end of what was cut goes on. */
static void go_on(ff_petri_path *path) {
  if (path->ode == NULL) return;
  const double used = ff_petri_is_paper(path) ? ff_petri_paper_used(path) : 0;
  if (!path->flat && path->segment > 0) {
    const double length = path->now - path->from;
    if (path->now < path->to && length > 0) path->reach = ff_petri_shorter_reach(path->reach, length);
    ff_petri_own_levels(path);
  }
  path->from = path->now;
  if (path->program->arc_first != NULL) ff_petri_hold_check(path);
  if (ff_petri_is_paper(path))
    ff_petri_paper_restart(path, used);
  else
    ff_ode_go_on(path->ode, path->now, path->value);
}

static void begin_flat(ff_petri_path *path) {
  path->flat = 1;
  if (path->ode != NULL) memcpy(path->value, ff_ode_last(path->ode)->end, path->program->n_levels * sizeof *path->value);
  path->own = 1;
  path->to = path->timed_still ? known_end(path) : INFINITY;
  path->part = 1;
}

/* The solver has made its step, or not. */
static int end_moving(ff_petri_path *path, ff_ode_outcome outcome) {
  path->own = 0;
  if (outcome == FF_ODE_STEPPED && !ff_petri_peak_shorten(path)) outcome = FF_ODE_FAILED;
  if (outcome == FF_ODE_STEPPED && path->n_empty > 0 && !ff_petri_hold_find(path)) outcome = FF_ODE_FAILED;
  if (outcome != FF_ODE_STEPPED) {
    if (outcome == FF_ODE_NO_MEMORY)
      ff_petri_path_fail(path, FF_PETRI_NO_MEMORY, 0, 0, 0);
    else
      fail_step(path);
    return 0;
  }
  const ff_ode_span *made = ff_ode_last(path->ode);
  const ff_petri_program *p = path->program;
  path->to = made->to;
  if (p->n_stochastic + p->n_immediate + p->n_timed + p->n_events > 0) return 1;
  for (uint32_t i = 0; i < p->n_levels; i++) /* as rate equations do; with jumps, the sum would grow for ever */
    path->doubt[i] += made->error[i];
  return 1;
}

static int begin_moving(ff_petri_path *path) {
  path->flat = 0;
  path->most = known_end(path);
  path->paused = path->together;
  return !path->paused && end_moving(path, ff_ode_step(path->ode, path->most));
}

static void mark_group(ff_petri_path *path, uint32_t g) {
  if (path->is_dirty_group[g]) return;
  path->is_dirty_group[g] = 1;
  path->dirty_group[path->n_dirty_groups++] = g;
}

/* Whether the hazard of a group depends on counts alone, as its coefficients are now. */
static int is_constant(const ff_petri_path *path, uint32_t g) {
  const ff_petri_program *p = path->program;
  for (uint32_t c = p->cell_first[g]; c < p->cell_first[g + 1]; c++)
    if (p->cell_profile[c] != 0 && (path->low[c] != 0 || path->high[c] != 0)) return 0;
  return 1;
}

/* Groups that vary go on with what is left of their thresholds. Their candidates are dropped before the length of the segment is
 * chosen. */
void ff_petri_leave_segment(ff_petri_path *path) {
  if (ff_petri_is_paper(path)) {
    if (path->program->n_groups > 0) mark_group(path, 0);
    return;
  }
  for (uint32_t k = 0; k < path->n_moving_groups; k++) {
    const uint32_t g = path->moving_group[k];
    if (!path->varies[g] && !path->is_dirty_group[g] && is_constant(path, g)) continue;
    ff_petri_clock_settle(path, g);
    ff_petri_due_cancel(&path->candidates, g);
    path->varies[g] = 0;
    path->rate[g] = 0;
    mark_group(path, g);
  }
}

/* Finds the next firings of groups that have fired, or have other coefficients: of all, or of those whose hazards are constant.
 */
static void search_dirty(ff_petri_path *path, int all) {
  uint32_t kept = 0;
  for (uint32_t k = 0; k < path->n_dirty_groups; k++) {
    const uint32_t g = path->dirty_group[k];
    if (!all && path->is_moving_group[g] && !is_constant(path, g)) {
      path->dirty_group[kept++] = g;
      continue;
    }
    path->is_dirty_group[g] = 0;
    if (path->failure.what == FF_PETRI_FINE) ff_petri_clock_search(path, g);
  }
  path->n_dirty_groups = kept;
}

/* Sets the end of a segment. */
static void end_segment(ff_petri_path *path) {
  path->limit = path->to;
  path->length = path->to - path->from;
  path->part = 1;
  path->crossing = 0;
  path->n_changes = 0;
  if (path->conditions.n_thresholds + path->conditions.n_formulas > 0 && path->limit < INFINITY) ff_petri_find_crossing(path);
  path->crossing |= path->leaves != FF_PETRI_NOT_DUE && path->limit == path->to;
}

/* Begins a segment `now`, where the last one has ended. */
static void begin_segment(ff_petri_path *path) {
  path->stirred = 0;
  path->leaves = FF_PETRI_NOT_DUE;
  path->from = path->now;
  path->segment++;
  path->n_pieces = 0;
  if (is_still(path))
    begin_flat(path);
  else if (!begin_moving(path))
    return;
  end_segment(path);
}

static void new_segment(ff_petri_path *path) {
  ff_petri_leave_segment(path);
  if (!ff_petri_is_paper(path)) search_dirty(path, 0);
  if (path->failure.what != FF_PETRI_FINE) return;
  if (!path->stirred && !path->flat) path->reach = ff_petri_longer_reach(path->reach, path->length);
  if (path->peaks.most > FF_PETRI_MANY_PIECES) path->reach = path->length * FF_PETRI_MANY_PIECES / path->peaks.most;
  path->peaks.most = 0;
  path->stirred |= path->at_stop < path->around.n_stops && path->now == path->around.stop[path->at_stop];
  path->stirred |= !path->flat && path->now < path->to; /* the search for crossings has not come to the end of the step */
  if (path->stirred) go_on(path);
  if (path->failure.what == FF_PETRI_FINE) begin_segment(path);
}

/* ---- the next step ------------------------------------------------------------------------------------------------------ */

/* Whether a block of a larger net is left before this time: its clocks must not be taken from those that run. */
static int is_left_before(const ff_petri_path *path, double t) {
  return path->around.n_stops > 0 && t >= path->around.stop[path->around.n_stops - 1];
}

/* Of what comes at the same time, crossings are first, then events, clocks, and stochastic firings. */
static void pick(ff_petri_path *path) {
  const double due = ff_petri_due_next(&path->due), fires = ff_petri_due_next(&path->candidates), limit = path->limit;
  const double happens = ff_petri_due_next(&path->waits.due);
  if (path->crossing && limit <= due && limit <= fires && limit <= happens) {
    ff_petri_set_next(path, FF_PETRI_CROSSES_OVER, limit);
  } else if (happens <= due && happens <= fires && happens <= limit && happens < INFINITY) {
    ff_petri_set_next(path, FF_PETRI_PASSES, happens); /* which one is chosen at that time */
  } else if (due <= fires && due <= limit && due < INFINITY) {
    if (is_left_before(path, due))
      ff_petri_set_next(path, FF_PETRI_PASSES, due);
    else
      ff_petri_find_due(path, due);
  } else if (fires <= limit && fires < INFINITY) {
    ff_petri_set_fires(path, ff_petri_clock_choose(path, path->candidates.heap[0].number, fires), fires);
  } else {
    ff_petri_set_next(path, FF_PETRI_PASSES, limit);
  }
}

/* Lists the marked groups again, in order. O(groups). */
static void list_dirty(ff_petri_path *path) {
  path->n_dirty_groups = 0;
  for (uint32_t g = 0; g < path->program->n_groups; g++)
    if (path->is_dirty_group[g]) path->dirty_group[path->n_dirty_groups++] = g;
}

/* Groups are searched in the order of their numbers, not in that in which they were marked: where several share a profile, the
 * first one integrates it, and a segment that passes without a search keeps its list. The list is nearly in order. If it takes
 * more moves than there are groups, it is made anew. */
static void sort_dirty(ff_petri_path *path) {
  uint32_t *const group = path->dirty_group;
  size_t moves = 0;
  for (uint32_t k = 1; k < path->n_dirty_groups && moves <= path->program->n_groups; k++) {
    const uint32_t g = group[k];
    uint32_t at = k;
    for (; at > 0 && group[at - 1] > g; at--) group[at] = group[at - 1];
    group[at] = g;
    moves += k - at;
  }
  if (moves > path->program->n_groups) list_dirty(path);
}

/* Unless the solver is to make its step first. */
static void find_in_segment(ff_petri_path *path) {
  if (path->failure.what != FF_PETRI_FINE || path->paused) return;
  sort_dirty(path);
  search_dirty(path, 1);
  if (path->failure.what == FF_PETRI_FINE) pick(path);
}

void ff_petri_path_find(ff_petri_path *path) {
  if (path->failure.what != FF_PETRI_FINE) return;
  if ((path->n_batch > 0 && ff_petri_find_in_batch(path)) || (path->n_enabled > 0 && ff_petri_find_immediate(path)) ||
      (path->program->n_events > 0 && ff_petri_find_event(path)))
    return;
  if (path->failure.what != FF_PETRI_FINE) return;
  if (path->stirred || !(path->now < path->limit)) new_segment(path);
  find_in_segment(path);
}

void ff_petri_path_go_on(ff_petri_path *path, ff_ode_outcome outcome) {
  path->paused = 0;
  if (!end_moving(path, outcome)) return;
  end_segment(path);
  find_in_segment(path);
}

int ff_petri_path_may_pass(const ff_petri_path *path) {
  const ff_ode_span *made = ff_ode_last(path->ode);
  return path->may_pass && made->to <= path->horizon && path->around.n_stops == 0 &&
         !(path->candidates.n > 0 && path->candidates.heap[0].time <= made->to) && ff_petri_peak_is_settled(path);
}

void ff_petri_path_pass(ff_petri_path *path) {
  path->own = 0;
  path->to = path->limit = path->now = ff_ode_last(path->ode)->to;
  path->length = path->to - path->from;
  path->at_once = 0;
  for (uint32_t k = 0; k < path->n_dirty_groups; k++) {
    const uint32_t g = path->dirty_group[k];
    ff_petri_clock_use(path, g, path->length * path->whole[g]);
  }
  path->reach = ff_petri_longer_reach(path->reach, path->length);
  begin_segment(path);
  find_in_segment(path);
}
