/* Groups of stochastic transitions: their thresholds and their next firings. */
#include "ff_petri_path_internal.h"

/* The words of the next firing of a group. */
static ff_philox_block draw_of(const ff_petri_path *path, uint32_t g) {
  const uint32_t block = path->around.group != NULL ? path->around.group[g] : g;
  return ff_philox(ff_philox_counter(FF_PETRI_DRAW_FIRING, block, path->fired[g], path->unit), path->key);
}

void ff_petri_clock_draw(ff_petri_path *path, uint32_t g) {
  const ff_philox_block w = draw_of(path, g);
  path->left[g] = ff_exponential(w.v[0], w.v[1]);
  path->choice[g] = ff_closed(w.v[2], w.v[3]);
  path->since[g] = path->now;
}

void ff_petri_clock_begin(ff_petri_path *path) {
  for (uint32_t g = 0; g < path->program->n_groups; g++) {
    path->fired[g] = 0;
    path->varies[g] = 0;
    path->rate[g] = 0;
    ff_petri_clock_draw(path, g);
  }
  ff_petri_due_clear(&path->candidates, path->program->n_groups);
}

/* ---- integrals ---------------------------------------------------------------------------------------------------------- */

/* The integral of a group's hazard from the start of the segment, in units of its length. */
static double integral_at(const ff_petri_path *path, uint32_t g, double s, double *rate) {
  const ff_petri_program *p = path->program;
  double sum = path->rate[g] * s;
  *rate = path->rate[g];
  for (uint32_t c = p->cell_first[g]; c < p->cell_first[g + 1]; c++) {
    if (p->cell_profile[c] == 0 || path->sum[c] == 0) continue;
    double slope;
    sum += path->sum[c] * ff_petri_profile_integral(path, p->cell_profile[c], s, &slope);
    *rate += path->sum[c] * slope;
  }
  return sum;
}

/* The integral up to a part of the segment. */
static double used_until(const ff_petri_path *path, uint32_t g, double s) {
  double none;
  if (s == 0) return 0;
  return s == 1 && path->whole[g] >= 0 ? path->whole[g] : integral_at(path, g, s, &none);
}

void ff_petri_clock_use(ff_petri_path *path, uint32_t g, double used) {
  path->left[g] = used < path->left[g] ? path->left[g] - used : 0;
  path->since[g] = path->now;
}

void ff_petri_clock_settle(ff_petri_path *path, uint32_t g) {
  const double t = path->now;
  double used;
  if (!(path->since[g] < t) || ff_petri_is_paper(path)) return;
  if (path->varies[g])
    used = path->length * (used_until(path, g, ff_petri_part_of(path, t)) -
                           used_until(path, g, ff_petri_part_of(path, path->since[g])));
  else
    used = path->rate[g] * (t - path->since[g]);
  ff_petri_clock_use(path, g, used);
}

/* ---- sums --------------------------------------------------------------------------------------------------------------- */

static double less(double a, double b) { return a < b ? a : b; }
static double more(double a, double b) { return a > b ? a : b; }

/* Four sums, so that additions need not wait for each other. */
void ff_petri_clock_sum(ff_petri_path *path, uint32_t cell) {
  const ff_petri_program *p = path->program;
  const uint32_t *member = p->member + p->cell_members[cell];
  const size_t n = p->cell_members[cell + 1] - p->cell_members[cell];
  const double *of = path->coefficient;
  double sum[4] = {0}, low[4] = {0}, high[4] = {0};
  size_t k = 0;
  for (; k + 4 <= n; k += 4) {
    const double c[4] = {of[member[k]], of[member[k + 1]], of[member[k + 2]], of[member[k + 3]]};
    for (int i = 0; i < 4; i++) {
      sum[i] += c[i];
      low[i] = less(c[i], low[i]);
      high[i] = more(c[i], high[i]);
    }
  }
  for (int i = 0; k < n; k++, i++) {
    const double c = of[member[k]];
    sum[i] += c;
    low[i] = less(c, low[i]);
    high[i] = more(c, high[i]);
  }
  path->sum[cell] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  path->low[cell] = less(less(low[0], low[1]), less(low[2], low[3]));
  path->high[cell] = more(more(high[0], high[1]), more(high[2], high[3]));
}

/* The coefficient of a cell that is the least one (sign -1), or the largest one. */
static void fail_hazard(ff_petri_path *path, uint32_t cell, int sign, double profile) {
  const ff_petri_program *p = path->program;
  uint32_t worst = p->member[p->cell_members[cell]];
  for (size_t k = p->cell_members[cell]; k < p->cell_members[cell + 1]; k++)
    if (sign * path->coefficient[p->member[k]] > sign * path->coefficient[worst]) worst = p->member[k];
  ff_petri_path_fail(path, FF_PETRI_BAD_HAZARD, ff_petri_number_of(p, p->stochastic[worst]), path->coefficient[worst] * profile,
                     0);
}

/* Whether hazards of a cell are at least 0, where its profile is from `low` to `high`. */
static int check_signs(ff_petri_path *path, uint32_t cell, double low, double high) {
  if (path->low[cell] < 0 && high > 0) fail_hazard(path, cell, -1, high);
  if (path->high[cell] > 0 && low < 0) fail_hazard(path, cell, 1, low);
  return path->failure.what == FF_PETRI_FINE;
}

/* ---- the next firing ---------------------------------------------------------------------------------------------------- */

static void set_candidate(ff_petri_path *path, uint32_t g, double t) {
  if (t < INFINITY)
    ff_petri_due_set(&path->candidates, g, t);
  else
    ff_petri_due_cancel(&path->candidates, g);
}

/* The hazard that does not vary, and whether there is another one. */
static void look_at_cells(ff_petri_path *path, uint32_t g) {
  const ff_petri_program *p = path->program;
  double rate = 0;
  path->varies[g] = 0;
  path->whole[g] = -1;
  for (uint32_t c = p->cell_first[g]; c < p->cell_first[g + 1]; c++) {
    const uint32_t profile = p->cell_profile[c];
    if (path->low[c] == 0 && path->high[c] == 0) continue;
    if (profile != 0 && !(path->flat && path->limit == INFINITY)) {
      path->varies[g] = 1;
      continue;
    }
    const double value = ff_petri_profile_at(path, path->now, profile);
    if (!(fabs(path->sum[c] * value) < INFINITY)) fail_hazard(path, c, 1, value);
    if (!check_signs(path, c, value, value)) return;
    rate += path->sum[c] * value;
  }
  path->rate[g] = rate;
}

/* Integrates the profiles of a group. Returns how far they are valid, and the cell that is not. */
static double integrate_cells(ff_petri_path *path, uint32_t g, uint32_t *worst) {
  const ff_petri_program *p = path->program;
  double valid = 1;
  for (uint32_t c = p->cell_first[g]; c < p->cell_first[g + 1]; c++) {
    const uint32_t profile = p->cell_profile[c];
    if (profile == 0 || path->sum[c] == 0) continue;
    const double own = ff_petri_profile_integrate(path, profile, fabs(path->sum[c]) * path->length);
    if (own < valid) {
      valid = own;
      *worst = c;
    }
    if (!check_signs(path, c, path->curved[profile].low, path->curved[profile].high)) return 0;
  }
  return valid;
}

/* A profile is not valid up to the end of the segment, and the group does not fire before. */
static void fail_profile(ff_petri_path *path, uint32_t g, uint32_t cell, double valid) {
  const ff_petri_program *p = path->program;
  const ff_petri_curved *x = &path->curved[p->cell_profile[cell]];
  const double sum = path->sum[cell], now = path->now;
  path->now = path->from + path->length * valid;
  if (!(sum * x->wrong >= 0 && fabs(x->wrong) < INFINITY)) fail_hazard(path, cell, sum > 0 ? 1 : -1, x->wrong);
  ff_petri_path_fail(path, FF_PETRI_BAD_INTEGRAL, ff_petri_number_of(p, p->stochastic[p->member[p->cell_members[cell]]]),
                     x->wrong, g);
  path->now = now;
}

/* The integral of a group as one polynomial. Returns 0 if it is none, because a profile has several pieces. */
static int add_up(const ff_petri_path *path, uint32_t g, double *c) {
  const ff_petri_program *p = path->program;
  c[0] = path->rate[g];
  c[1] = c[2] = c[3] = c[4] = 0;
  for (uint32_t cell = p->cell_first[g]; cell < p->cell_first[g + 1]; cell++) {
    const double sum = path->sum[cell];
    const ff_petri_curved *x = &path->curved[p->cell_profile[cell]];
    if (p->cell_profile[cell] == 0 || sum == 0) continue;
    if (x->n != 1 || x->valid < 1) return 0;
    for (int i = 0; i < FF_PETRI_DEGREE; i++) c[i] += sum * path->piece[x->first].c[i];
  }
  return 1;
}

/* Finds where the integral reaches a number, which it does until `end`. */
static double find_root(const ff_petri_path *path, uint32_t g, const double *c, double begin, double end, double at_begin,
                        double at_end, double rate, double number) {
  ff_petri_root x = ff_petri_root_new(begin, end, at_begin, at_end, rate, number);
  double slope;
  while (x.rounds > 0) {
    const double value = c != NULL ? ff_petri_integral_at(c, x.s, &slope) : integral_at(path, g, x.s, &slope);
    ff_petri_root_take(&x, value, slope, number);
  }
  return x.s;
}

/* The integral over the segment. */
static double whole_of(const ff_petri_path *path, uint32_t g) {
  const ff_petri_program *p = path->program;
  double whole = path->rate[g];
  for (uint32_t c = p->cell_first[g]; c < p->cell_first[g + 1]; c++)
    if (p->cell_profile[c] != 0 && path->sum[c] != 0) whole += path->sum[c] * path->curved[p->cell_profile[c]].whole;
  return whole;
}

/* Finds the firing between two parts of the segment, if there is one. */
static void find_firing(ff_petri_path *path, uint32_t g, double begin, double end, uint32_t worst) {
  double c[FF_PETRI_DEGREE], slope, rate;
  const int one = add_up(path, g, c);
  const double at_begin = one ? ff_petri_integral_at(c, begin, &rate) : integral_at(path, g, begin, &rate);
  const double at_end = end == 1 ? path->whole[g] : integral_at(path, g, end, &slope);
  const double need = at_begin + path->left[g] / path->length;
  if (!(need <= at_end)) {
    ff_petri_due_cancel(&path->candidates, g);
    if (end < 1) fail_profile(path, g, worst, end);
    return;
  }
  const double s = find_root(path, g, one ? c : NULL, begin, end, at_begin, at_end, rate, need);
  set_candidate(path, g, ff_petri_firing_time(path->from, path->length, s, path->since[g], path->limit));
}

void ff_petri_clock_search(ff_petri_path *path, uint32_t g) {
  if (ff_petri_is_paper(path)) {
    ff_petri_paper_search(path);
    return;
  }
  look_at_cells(path, g);
  if (path->failure.what != FF_PETRI_FINE) return;
  if (!path->varies[g]) {
    const double rate = path->rate[g];
    set_candidate(path, g, rate > 0 ? path->since[g] + path->left[g] / rate : INFINITY);
    return;
  }
  uint32_t worst = 0;
  const double end = integrate_cells(path, g, &worst), begin = ff_petri_part_of(path, path->since[g]);
  if (path->failure.what != FF_PETRI_FINE) return;
  if (end == 1) path->whole[g] = whole_of(path, g);
  if (begin == 0 && end == 1 && !(path->left[g] / path->length <= path->whole[g]))
    ff_petri_due_cancel(&path->candidates, g); /* as most searches end */
  else
    find_firing(path, g, begin, end, worst);
}

/* ---- the choice --------------------------------------------------------------------------------------------------------- */

/* The member at which the sum of coefficients passes x. Rounding may leave none; then it is the last one that can fire. */
static ff_petri_member choose_in_cell(const ff_petri_path *path, uint32_t cell, double x) {
  const ff_petri_program *p = path->program;
  uint32_t last = p->member[p->cell_members[cell]];
  for (size_t k = p->cell_members[cell]; k < p->cell_members[cell + 1]; k++) {
    const double c = fabs(path->coefficient[p->member[k]]);
    if (!(c > 0)) continue;
    last = p->member[k];
    if (x < c) break;
    x -= c;
  }
  return p->stochastic[last];
}

ff_petri_member ff_petri_clock_choose(ff_petri_path *path, uint32_t g, double t) {
  const ff_petri_program *p = path->program;
  const uint32_t first = p->cell_first[g], end = p->cell_first[g + 1];
  double total = 0;
  uint32_t last = FF_PETRI_NOT_DUE;
  for (uint32_t c = first; c < end; c++) {
    path->weight[c] = path->sum[c] != 0 ? path->sum[c] * ff_petri_profile_at(path, t, p->cell_profile[c]) : 0;
    if (path->sum[c] != 0) total += path->weight[c];
  }
  double x = path->choice[g] * total;
  for (uint32_t c = first; c < end; c++) {
    if (path->sum[c] == 0 || (last != FF_PETRI_NOT_DUE && !(path->weight[c] > 0))) continue;
    last = c;
    if (x < path->weight[c]) break;
    x -= path->weight[c];
  }
  const double profile = fabs(path->weight[last] / path->sum[last]);
  return choose_in_cell(path, last, profile > 0 ? x / profile : 0);
}
