/* The right-hand side of the levels; and empty levels, from which flows take no more than what flows in. */
#include <string.h>

#include "../within/ff_petri_share.h"
#include "ff_petri_path_internal.h"

#define LOOKS 8u /* times in a segment at which it is looked whether an empty level rises; twice the degree of a polynomial */

static ff_petri_flows flows_of(const ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  return (ff_petri_flows){p->arc_first, p->arc_level, path->arc_by, p->taker_first, p->taker, path->taker_by};
}

void ff_petri_hold_begin(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  path->n_empty = 0;
  path->leaves = FF_PETRI_NOT_DUE;
  if (p->arc_first == NULL) return;
  for (uint32_t i = 0; i < p->n_levels; i++) path->share[i] = 1;
  for (uint32_t t = 0; t < p->n_all_flows; t++) path->factor[t] = 1;
  for (size_t k = 0; k < p->arc_first[p->n_all_flows]; k++) {
    path->arc_by[k] = p->arc_by[k];
    path->taker_by[k] = p->arc_by[p->taker_arc[k]];
  }
}

static void share(ff_petri_path *path) {
  const ff_petri_flows flows = flows_of(path);
  ff_petri_share(&flows, path->flow_rate, path->empty, path->n_empty, path->share, path->factor);
}

/* The slopes of levels for these rates, where some are empty. */
static void hold_slopes(ff_petri_path *path, double *out) {
  const ff_petri_program *p = path->program;
  share(path);
  memset(out, 0, p->n_levels * sizeof *out);
  for (uint32_t t = 0; t < p->n_all_flows; t++) {
    const double rate = path->factor[t] * path->flow_rate[t];
    for (size_t k = p->arc_first[t]; k < p->arc_first[t + 1]; k++) out[p->arc_level[k]] += path->arc_by[k] * rate;
  }
  for (uint32_t i = 0; i < path->n_empty; i++) out[path->empty[i]] = 0;
}

/* At stages within an explicit step. */
static void add_to_given(ff_petri_path *path, double t) {
  const ff_ode_span *tried = ff_ode_last(path->ode);
  double *given = path->value + path->program->n_levels;
  if (!(t > tried->from && t < tried->to) || ff_ode_present_method(path->ode) != FF_ODE_DORMAND_PRINCE) return;
  for (uint32_t g = 0; g < path->program->n_given; g++) given[g] += path->around.added[g];
}

int ff_petri_slope(void *of, double t, const double *x, double *out) {
  ff_petri_path *path = of;
  ff_petri_set_flow_values(path, t, x);
  if (path->program->n_given > 0) add_to_given(path, t);
  if (path->n_empty > 0) {
    ff_petri_all_rates(path);
    hold_slopes(path, out);
  } else {
    ff_petri_free_slopes(path, out);
  }
  return path->wrong_flow == 0;
}

static double excess_of(ff_petri_path *path, uint32_t level) {
  const ff_petri_flows flows = flows_of(path);
  return ff_petri_excess(&flows, path->flow_rate, path->share, path->factor, level);
}

/* ---- coming and going --------------------------------------------------------------------------------------------------- */

static int is_empty(const ff_petri_path *path, uint32_t level) {
  uint32_t low = 0, high = path->n_empty;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (path->empty[middle] < level)
      low = middle + 1;
    else
      high = middle;
  }
  return low < path->n_empty && path->empty[low] == level;
}

static void insert(ff_petri_path *path, uint32_t level) {
  uint32_t at = path->n_empty++;
  for (; at > 0 && path->empty[at - 1] > level; at--) path->empty[at] = path->empty[at - 1];
  path->empty[at] = level;
}

/* The level is exactly 0 from now on. */
void ff_petri_hold_enter(ff_petri_path *path, uint32_t level) {
  ff_petri_own_levels(path);
  if (path->value[level] != 0) {
    path->value[level] = 0;
    ff_petri_touch(path, level);
  }
  if (!is_empty(path, level)) insert(path, level);
}

void ff_petri_hold_leave(ff_petri_path *path, uint32_t level) {
  const ff_petri_flows flows = flows_of(path);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < path->n_empty; i++)
    if (path->empty[i] != level) path->empty[kept++] = path->empty[i];
  path->n_empty = kept;
  ff_petri_share_end(&flows, path->flow_rate, path->share, path->factor, level);
}

/* Sets rates and shares for the levels in value[]. */
static void set_rates_now(ff_petri_path *path) {
  ff_petri_set_flow_values(path, path->now, path->value);
  path->own = 1;
  ff_petri_all_rates(path);
  share(path);
}

/* All that leave at the same time; then more of them may. */
static void leave_all(ff_petri_path *path) {
  const ff_petri_flows flows = flows_of(path);
  for (uint32_t before = path->n_empty, kept = 0; before > 0; before = kept, kept = 0) {
    for (uint32_t i = 0; i < before; i++)
      path->excess[i] = path->value[path->empty[i]] > 0 ? INFINITY : excess_of(path, path->empty[i]);
    for (uint32_t i = 0; i < before; i++) {
      if (path->excess[i] > 0)
        ff_petri_share_end(&flows, path->flow_rate, path->share, path->factor, path->empty[i]);
      else
        path->empty[kept++] = path->empty[i];
    }
    path->n_empty = kept;
    if (kept == before) return;
    share(path);
  }
}

/* All that become empty at the same time; this may leave too little for others. Returns whether there were any. */
static int enter_all(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  const uint32_t before = path->n_empty;
  for (;;) {
    const uint32_t known = path->n_empty;
    uint32_t at = 0;
    for (uint32_t k = 0; k < p->n_watched; k++) {
      const uint32_t level = p->watched[k];
      while (at < known && path->empty[at] < level) at++;
      if (path->value[level] > 0 || (at < known && path->empty[at] == level) || !(excess_of(path, level) < 0)) continue;
      path->value[level] = 0;
      path->empty[path->n_empty++] = level;
    }
    if (path->n_empty == known) return known > before;
    path->n_empty = (uint32_t)ff_sort_unique(path->empty, path->n_empty);
    share(path);
  }
}

/* A level that becomes empty may limit what flows out of others that are empty, so that these rise. */
void ff_petri_hold_check(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  int any = path->n_empty > 0;
  for (uint32_t k = 0; k < p->n_watched && !any; k++) any = !(path->value[p->watched[k]] > 0);
  if (!any) return;
  set_rates_now(path);
  leave_all(path);
  if (enter_all(path)) leave_all(path);
}

/* ---- the time at which a level rises ------------------------------------------------------------------------------------ */

/* The excess of the empty levels at a time: of each, if own is not NULL, at own[i * FF_ODE_DENSE]; the largest one, and which
 * level has it. */
static double excess_at(ff_petri_path *path, double t, uint32_t *level, double *own) {
  double most = -INFINITY;
  ff_ode_state(path->ode, t, path->looked);
  ff_petri_set_flow_values(path, t, path->looked);
  ff_petri_all_rates(path);
  share(path);
  for (uint32_t i = 0; i < path->n_empty; i++) {
    const double excess = excess_of(path, path->empty[i]);
    if (own != NULL) own[(size_t)i * FF_ODE_DENSE] = excess;
    if (!(excess > most)) continue;
    most = excess;
    *level = path->empty[i];
  }
  return most > 0 ? most : most < -0x1p-1022 ? most : -0x1p-1022; /* 0 counts as below 0 */
}

/* A part of the step, before `end`, at which an empty level may have risen although it has not at the times that were looked at;
 * or `end`. The polynomial through five values of its excess tells, which is the excess itself if flows are affine in levels. */
static double part_of_rise(const ff_petri_path *path, double end) {
  const ff_petri_threshold above = {0, 0, 1};
  double first = end;
  for (uint32_t i = 0; i < path->n_empty; i++) {
    double c[FF_ODE_DENSE], rises, falls;
    ff_petri_curve_through(path->excess + (size_t)i * FF_ODE_DENSE, c);
    if (ff_petri_threshold_first(&above, c, 0, 0, first, &rises) != FF_PETRI_FOUND) continue;
    if (ff_petri_threshold_first(&above, c, 1, rises, end, &falls) != FF_PETRI_FOUND) falls = end;
    if (rises + (falls - rises) / 2 < first) first = rises + (falls - rises) / 2;
  }
  return first;
}

/* Where the excess becomes positive between two times. */
static double locate_rise(ff_petri_path *path, double low, double high, double at_low, double at_high, double length) {
  double t;
  uint32_t level;
  ff_ode_bracket b = ff_ode_bracket_new(low, high, at_low, at_high, FF_ODE_ROUNDING * (fabs(high) + length));
  while (ff_ode_bracket_next(&b, &t)) ff_ode_bracket_take(&b, t, excess_at(path, t, &level, NULL));
  return b.high;
}

/* The first time found in the step at which an empty level rises, or infinity. */
static double time_of_rise(ff_petri_path *path) {
  const double from = path->from, to = ff_ode_last(path->ode)->to, length = to - from;
  double at[LOOKS + 1], low = from, at_low = -0x1p-1022;
  uint32_t level, end = LOOKS + 1;
  for (uint32_t k = 0; k <= LOOKS; k++) {
    at[k] = excess_at(path, k < LOOKS ? from + length * k / LOOKS : to, &level, k % 2 == 0 ? path->excess + k / 2 : NULL);
    if (k > 0 && at[k] > 0 && end > LOOKS) end = k;
  }
  const double part = part_of_rise(path, end > LOOKS ? 1 : (double)end / LOOKS), middle = from + length * part;
  for (uint32_t k = 1; k <= LOOKS && k <= end; k++) {
    const double high = k < LOOKS ? from + length * k / LOOKS : to;
    if (middle > low && middle < high) {
      const double at_middle = excess_at(path, middle, &level, NULL);
      if (at_middle > 0) return locate_rise(path, low, middle, at_low, at_middle, length);
    }
    if (k == end) return locate_rise(path, low, high, at_low, at[k], length);
    low = high;
    at_low = at[k];
  }
  return INFINITY;
}

/* A share that reaches 1 within a step bends the flows, which estimates of errors may not see. So the step is made once more, up
 * to this time, and the level rises at its end, or soon after. */
int ff_petri_hold_find(ff_petri_path *path) {
  const double from = path->from, t = time_of_rise(path);
  uint32_t level = 0;
  if (t == INFINITY) return 1;
  if (t < ff_ode_last(path->ode)->to) {
    ff_ode_cut(path->ode, from);
    if (ff_ode_step(path->ode, t) != FF_ODE_STEPPED) return 0;
  }
  const double to = ff_ode_last(path->ode)->to;
  if (to == t && (excess_at(path, to, &level, NULL) > 0 || t - from <= 4 * FF_ODE_ROUNDING * t)) path->leaves = level;
  return 1;
}
