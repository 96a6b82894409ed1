/* What fires, and what it changes: as in petri/path/ff_petri_clock.c and ff_petri_fire.c. A part of ff_petri_warp.h. */
#ifndef FF_PETRI_WARP_FIRE_H
#define FF_PETRI_WARP_FIRE_H

/* ---- the choice --------------------------------------------------------------------------------------------------------- */

/* The member of a cell at which the sum of coefficients passes x. */
FF_WARP uint32_t w_choose_in_cell(const w_warp *w, uint32_t cell, double x) {
  const ff_petri_image *m = w->image;
  uint32_t last = m->member[m->member_first[cell]];
  FF_NO_UNROLL for (uint32_t k = m->member_first[cell]; k < m->member_first[cell + 1u]; k++) {
    const double c = W_COEFFICIENT(w, m->member[k]);
    if (!(c > 0)) continue;
    last = m->member[k];
    if (x < c) break;
    x -= c;
  }
  return last;
}

/* The stochastic transition of a group that fires at a time. */
FF_WARP uint32_t w_choose(const w_warp *w, uint32_t g, double time) {
  FF_LANE_IN;
  const ff_petri_image *m = w->image;
  const uint32_t first = m->cell_first[g], n = m->cell_first[g + 1u] - first;
  const w_point at = w_at_time(w, time, 1u);
  double total = 0;
  uint32_t last = W_NONE;
  if (n == 1u && m->member_first[first + 1u] - m->member_first[first] == 1u) return m->member[m->member_first[first]];
  W_EACH(i, n) {
    const uint32_t k = m->cell_profile[first + i];
    const double sum = W_SUM(w, first + i);
    W_SCRATCH(w, i) = sum != 0 ? sum * (k == 0u ? 1 : w_value(w, &m->profile[k], at)) : 0;
  }
  FF_SYNCWARP();
  FF_NO_UNROLL for (uint32_t i = 0u; i < n; i++)
    if (W_SUM(w, first + i) != 0) total += W_SCRATCH(w, i);
  double x = W_GROUP(w, W_CHOICE, g) * total;
  FF_NO_UNROLL for (uint32_t i = 0u; i < n; i++) {
    if (W_SUM(w, first + i) == 0 || (last != W_NONE && !(W_SCRATCH(w, i) > 0))) continue;
    last = i;
    if (x < W_SCRATCH(w, i)) break;
    x -= W_SCRATCH(w, i);
  }
  const double profile = ff_math_absolute(W_SCRATCH(w, last) / W_SUM(w, first + last));
  FF_SYNCWARP();
  return w_choose_in_cell(w, first + last, profile > 0 ? x / profile : 0);
}

/* ---- coefficients ------------------------------------------------------------------------------------------------------- */

/* Computes a coefficient, which reads no levels. Returns 0 if it is negative or no number. */
FF_WARP int w_set_coefficient(const w_warp *w, uint32_t t) {
  const double value = W_COEFFICIENT(w, t) = w_value(w, &w->image->coefficient[t], w_at_row(W_ROW_Y, w->s.now, 0u));
  return value >= 0;
}

/* Makes the sum of a cell's coefficients anew: four sums, as ff_petri_clock_sum(). Returns whether it is finite. */
FF_WARP int w_sum(const w_warp *w, uint32_t cell) {
  const ff_petri_image *m = w->image;
  const uint32_t *member = m->member + m->member_first[cell];
  const uint32_t n = m->member_first[cell + 1u] - m->member_first[cell];
  double sum[4] = {0, 0, 0, 0};
  uint32_t k = 0u;
  FF_NO_UNROLL for (; k + 4u <= n; k += 4u)
    FF_UNROLL for (uint32_t i = 0u; i < 4u; i++) sum[i] += W_COEFFICIENT(w, member[k + i]);
  FF_UNROLL for (uint32_t i = 0u; i < 3u; i++)
    if (k + i < n) sum[i] += W_COEFFICIENT(w, member[k + i]);
  W_SUM(w, cell) = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  return !w_is_bad(W_SUM(w, cell));
}

/* ---- changes ------------------------------------------------------------------------------------------------------------ */

/* Computes what is derived of a place. Returns whether something has changed that flows or profiles read. */
FF_WARP int w_derive(const w_warp *w, uint32_t place) {
  FF_LANE_IN;
  const ff_petri_image *m = w->image;
  FF_LANE_VAR(uint32_t, stirs);
  uint32_t who;
  FF_EACH_LANE {
    FF_L(stirs) = 0u;
    for (uint32_t i = m->derived_first[place] + lane; i < m->derived_first[place + 1u]; i += 32u) {
      const uint32_t k = m->derived_of[i], to = m->n_places - m->n_levels + k;
      const double value = w_value(w, &m->derived[k], w_at_row(W_ROW_Y, w->s.now, 0u));
      FF_L(stirs) |= (uint32_t)(m->stirs[to] && !(value == W_OTHER(w, to)));
      W_OTHER(w, to) = value;
    }
  }
  FF_SYNCWARP();
  FF_BALLOT(who, FF_L(stirs) != 0u);
  return who != 0u;
}

/* Computes the coefficients that depend on a place, or the sums of their cells. Returns 0 if one is not valid. */
FF_WARP int w_renew(const w_warp *w, uint32_t place, int sums) {
  FF_LANE_IN;
  const ff_petri_image *m = w->image;
  const uint32_t *const first = sums ? m->sum_first : m->coefficient_first;
  FF_LANE_VAR(uint32_t, bad);
  uint32_t who;
  FF_EACH_LANE {
    FF_L(bad) = 0u;
    for (uint32_t i = first[place] + lane; i < first[place + 1u]; i += 32u)
      FF_L(bad) |= (uint32_t)!(sums ? w_sum(w, m->sum_of[i]) : w_set_coefficient(w, m->coefficient_of[i]));
  }
  FF_SYNCWARP();
  FF_BALLOT(who, FF_L(bad) != 0u);
  return who == 0u;
}

/* Applies the effect of a firing on a place, which is `by`. Returns whether the place has changed. */
FF_WARP int w_apply(w_warp *w, const ff_petri_image_effect *effect, double by, int *fine) {
  FF_LANE_IN;
  const ff_petri_image *m = w->image;
  const int is_level = effect->value < m->n_levels;
  const double before = is_level ? w_level(w, effect->value, w_at_time(w, w->s.now, 0u))
                                 : W_OTHER(w, effect->value - m->n_levels);
  double after = effect->resets ? ff_petri_reset_to(by) : ff_petri_sum_of(before, by);
  if (after == before) return 0;
  if (effect->continuous) after = ff_petri_mended(after, FF_PETRI_DOUBT * m->absolute);
  *fine &= ff_petri_is_marking(after, (int)effect->continuous);
  if (is_level) {
    w_own_levels(w);
    w->s.is |= W_STIRRED;
  } else if (m->stirs[effect->value - m->n_levels]) {
    w->s.is |= W_STIRRED;
  }
  FF_SYNCWARP();
  FF_EACH_LANE if (lane == 0u) {
    if (is_level)
      W_LEVEL(w, W_ROW_Y, effect->value) = after;
    else
      W_OTHER(w, effect->value - m->n_levels) = after;
  }
  FF_SYNCWARP();
  return 1;
}

/* Lets transition t change places, and computes what depends on them. Weights are those before the firing. Returns 0 if a place
 * cannot have its new marking, or a hazard is not valid. */
FF_WARP int w_change(w_warp *w, uint32_t t) {
  FF_LANE_IN;
  const ff_petri_image *m = w->image;
  const uint32_t first = m->effect_first[t], n = m->effect_first[t + 1u] - first;
  const w_point at = w_at_time(w, w->s.now, 0u);
  int fine = 1;
  W_EACH(i, n) {
    const uint32_t weight = m->effect[first + i].weight;
    W_SCRATCH(w, i) = weight == W_NONE ? m->effect[first + i].by : w_value(w, &m->weight[weight], at);
  }
  FF_SYNCWARP();
  FF_NO_UNROLL for (uint32_t i = 0u; i < n; i++) {
    const int changed = w_apply(w, &m->effect[first + i], W_SCRATCH(w, i), &fine);
    FF_SYNCWARP();
    FF_EACH_LANE if (lane == 0u) W_SCRATCH(w, i) = changed;
  }
  FF_SYNCWARP();
  FF_NO_UNROLL for (int what = 0; what < 3; what++)
    FF_NO_UNROLL for (uint32_t i = 0u; i < n; i++) {
      const uint32_t value = m->effect[first + i].value;
      if (value < m->n_levels || W_SCRATCH(w, i) == 0) continue;
      if (what == 0 && w_derive(w, value - m->n_levels)) w->s.is |= W_STIRRED;
      if (what > 0) fine &= w_renew(w, value - m->n_levels, what == 2);
    }
  return fine;
}

#endif
