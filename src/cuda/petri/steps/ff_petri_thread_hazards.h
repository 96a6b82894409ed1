/* Integrals of hazards over a segment, and the choice of what fires: as in petri/path/ff_petri_clock.c. A part of
 * ff_petri_thread.h. */
#ifndef FF_PETRI_THREAD_HAZARDS_H
#define FF_PETRI_THREAD_HAZARDS_H

/* Whether the hazard of a group depends on counts alone, as its coefficients are now. */
FF_WARP int p_is_constant(const p_thread *t, uint32_t g) {
  int constant = 1;
  P_EACH(c, P_CELLS) constant &= !(P_GROUP_OF(c) == g && P_PROFILE_OF(c) != 0u && t->sum[c] != 0);
  return constant;
}

/* ---- integrals -------------------------------------------------------------------------------------------------------------- */

P_APART double p_integral_of_pieces(const p_piece *piece, uint32_t n, double s, double *rate) {
  uint32_t low = 0u, high = n;
  while (high - low > 1u) {
    const uint32_t middle = low + (high - low) / 2u;
    if (piece[middle].begin <= s)
      low = middle;
    else
      high = middle;
  }
  piece += low;
  return piece->before + piece->width * ff_petri_integral_at(piece->c, (s - piece->begin) / piece->width, rate);
}

/* The integral of a profile from the start of the segment to part s, in units of its length. */
FF_WARP double p_integral_of_profile(const p_thread *t, uint32_t k, double s, double *rate) {
  if (P_PIECES > 0u && t->n[k] > 1u) return p_integral_of_pieces(t->piece + t->first[k], t->n[k], s, rate);
  return ff_petri_integral_at(t->c[k], s, rate);
}

/* The integral of a group's hazard. */
FF_WARP double p_integral(const p_thread *t, uint32_t g, double s, double *rate) {
  double sum = t->rate[g] * s;
  *rate = t->rate[g];
  P_EACH(c, P_CELLS) {
    const uint32_t k = P_PROFILE_OF(c);
    double slope;
    if (P_GROUP_OF(c) != g || k == 0u || t->sum[c] == 0) continue;
    sum += t->sum[c] * p_integral_of_profile(t, k, s, &slope);
    *rate += t->sum[c] * slope;
  }
  return sum;
}

/* The same as one polynomial. Returns 0 if it is none, because a profile has several pieces. */
FF_WARP int p_add_up(const p_thread *t, uint32_t g, double *p) {
  int one = 1;
  p[0] = t->rate[g];
  p[1] = p[2] = p[3] = p[4] = 0;
  P_EACH(c, P_CELLS) {
    const uint32_t k = P_PROFILE_OF(c);
    if (P_GROUP_OF(c) != g || k == 0u || t->sum[c] == 0) continue;
    one &= P_PIECES == 0u || t->n[k] == 1u;
    P_EACH(i, FF_PETRI_DEGREE) p[i] += t->sum[c] * t->c[k][i];
  }
  return one;
}

FF_WARP double p_used_until(const p_thread *t, uint32_t g, double s) {
  double none;
  if (s == 0) return 0;
  return s == 1 && t->whole[g] >= 0 ? t->whole[g] : p_integral(t, g, s, &none);
}

FF_WARP void p_settle(p_thread *t, uint32_t g) {
  double used;
  if (!(t->since[g] < t->now)) return;
  if (P_HAS(t->varies, g))
    used = t->length * (p_used_until(t, g, ff_petri_part_at(t->now, t->from, t->length)) -
                        p_used_until(t, g, ff_petri_part_at(t->since[g], t->from, t->length)));
  else
    used = t->rate[g] * (t->now - t->since[g]);
  t->left[g] = used < t->left[g] ? t->left[g] - used : 0;
  t->since[g] = t->now;
}

/* ---- profiles --------------------------------------------------------------------------------------------------------------- */

/* A profile at n points of a part of the segment. */
FF_WARP void p_points(const p_thread *t, uint32_t k, double begin, double width, uint32_t n, double *f) {
  FF_UNROLL for (uint32_t j = 0; j < n; j++) {
    const double s = begin + width * ff_petri_node((int)j);
    double y[P_ROOM(P_LEVELS)];
    P_EACH(i, P_LEVELS) y[i] = p_clip(t->flat ? t->y[i] : ff_ode_dense_value(t->dense + FF_ODE_DENSE * i, s));
    f[j] = p_profile(t, k, y, t->from + t->length * s);
  }
}

/* Integrates a profile for hazards of `size` times the profile, if the whole segment can be one piece. Returns 0 if this is not
 * known, and p_bounds() must do it. */
FF_WARP int p_integrate(p_thread *t, uint32_t k, double size) {
  ff_petri_tried tried;
  double f[FF_PETRI_POINTS];
  const int affine = (int)P_HAS(P_AFFINE, k);
  if (t->n[k] != 0u) {
    double rate;
    const double sum = t->n[k] == 1u ? ff_petri_integral_at(t->c[k], 1, &rate) : 0;
    if (size <= t->allowed[k] || ff_petri_is_exact(size, sum, t->error[k], P_RELATIVE)) return 1;
  }
  p_points(t, k, 0, 1, affine ? FF_PETRI_NODES : FF_PETRI_POINTS, f);
  ff_petri_try(f, affine, &tried);
  if (!(tried.low >= 0) || !ff_petri_is_exact(size, tried.sum, tried.error, P_RELATIVE)) return 0;
  if (!affine) {
    ff_petri_span span[P_ROOM(P_LEVELS)];
    if (!P_HAS(P_QUICK, k) || t->flat) return 0;
    P_EACH(i, P_LEVELS) span[i] = ff_petri_span_of_level(t->dense + FF_ODE_DENSE * i, 1);
    if (!ff_petri_span_is_near(p_profile_span(t, k, span), tried.low, tried.high,
                               ff_petri_slack_of(size, tried.sum, P_RELATIVE)))
      return 0;
  }
  P_EACH(i, FF_PETRI_DEGREE) t->c[k][i] = tried.c[i];
  t->area[k] = tried.sum;
  t->error[k] = tried.error;
  t->allowed[k] = size;
  t->n[k] = 1u;
  return 1;
}

/* ---- the next firing -------------------------------------------------------------------------------------------------------- */

/* The hazard that does not vary; sets *varies if there is another one. Returns 0 if it is not valid. */
FF_WARP int p_look_at_cells(p_thread *t, uint32_t g, int *varies) {
  double rate = 0;
  int fine = 1;
  *varies = 0;
  P_EACH(c, P_CELLS) {
    const uint32_t k = P_PROFILE_OF(c);
    if (P_GROUP_OF(c) != g || t->sum[c] == 0) continue;
    if (k != 0u && !(t->flat && t->limit == P_INFINITY)) {
      *varies = 1;
      continue;
    }
    double y[P_ROOM(P_LEVELS)], value = 1;
    if (k != 0u) {
      p_levels_at(t, t->now, y);
      P_EACH(i, P_LEVELS) y[i] = p_clip(y[i]);
      value = p_profile(t, k, y, t->now);
    }
    fine &= value >= 0 && !p_is_bad(t->sum[c] * value);
    rate += t->sum[c] * value;
  }
  t->rate[g] = rate;
  t->whole[g] = -1;
  return fine;
}

/* Integrates the profiles of a group. Returns 0 if p_bounds() must do one. */
FF_WARP int p_integrate_cells(p_thread *t, uint32_t g) {
  double whole = t->rate[g];
  P_EACH(c, P_CELLS) {
    const uint32_t k = P_PROFILE_OF(c);
    if (P_GROUP_OF(c) != g || k == 0u || t->sum[c] == 0) continue;
    const double size = t->sum[c] * t->length;
    if (!p_integrate(t, k, size)) {
      t->asked = k;
      t->asked_size = size;
      return 0;
    }
  }
  P_EACH(c, P_CELLS) {
    const uint32_t k = P_PROFILE_OF(c);
    if (P_GROUP_OF(c) == g && k != 0u && t->sum[c] != 0) whole += t->sum[c] * t->area[k];
  }
  t->whole[g] = whole;
  return 1;
}

/* Whether a group fires in the segment, and at which integral. */
FF_WARP void p_test(p_thread *t, uint32_t g) {
  const double begin = ff_petri_part_at(t->since[g], t->from, t->length);
  double rate, p[FF_PETRI_DEGREE], at_begin = 0;
  t->candidate[g] = P_INFINITY;
  if (begin == 0 && !(t->left[g] / t->length <= t->whole[g])) return; /* as most searches end */
  if (begin != 0) at_begin = p_add_up(t, g, p) ? ff_petri_integral_at(p, begin, &rate) : p_integral(t, g, begin, &rate);
  const double need = at_begin + t->left[g] / t->length;
  if (!(need <= t->whole[g])) return;
  t->candidate[g] = need;
  t->pending |= (uint64_t)1 << g;
}

/* Finds which groups that have fired, or have other coefficients, fire in the segment. */
FF_WARP void p_search(p_thread *t) {
  int asks = 0, fine = 1;
  P_EACH(g, P_GROUPS) {
    int varies;
    if (!P_HAS(t->dirty, g) || asks || !fine) continue;
    fine = p_look_at_cells(t, g, &varies);
    if (varies) {
      t->varies |= (uint64_t)1 << g;
      asks = !p_integrate_cells(t, g);
      if (!asks) p_test(t, g);
    } else {
      t->varies &= ~((uint64_t)1 << g);
      t->candidate[g] = t->rate[g] > 0 ? t->since[g] + t->left[g] / t->rate[g] : P_INFINITY;
    }
    if (!asks) t->dirty &= ~((uint64_t)1 << g);
  }
  if (!fine) {
    t->phase = P_REFUSES;
    return;
  }
  if (asks) {
    t->phase = P_BOUNDS;
    return;
  }
  double time;
  const uint32_t first = p_first_group(t, &time);
  if (t->pending != 0u || (first != P_GROUPS && time <= t->limit)) {
    t->phase = P_FIRES;
  } else if (p_serve(t, t->limit)) {
    t->now = t->limit;
    t->phase = P_BEGINS;
  }
}

/* When a group fires whose integral reaches what is needed. */
FF_WARP double p_time_of_firing(const p_thread *t, uint32_t g) {
  const double begin = ff_petri_part_at(t->since[g], t->from, t->length), need = t->candidate[g];
  double p[FF_PETRI_DEGREE], rate, slope;
  const int one = p_add_up(t, g, p);
  const double at_begin = one ? ff_petri_integral_at(p, begin, &rate) : p_integral(t, g, begin, &rate);
  ff_petri_root x = ff_petri_root_new(begin, 1, at_begin, t->whole[g], rate, need);
  FF_NO_UNROLL while (x.rounds > 0) {
    const double value = one ? ff_petri_integral_at(p, x.s, &slope) : p_integral(t, g, x.s, &slope);
    ff_petri_root_take(&x, value, slope, need);
  }
  const double time = t->from + t->length * x.s;
  return time < t->since[g] ? t->since[g] : time < t->limit ? time : t->limit;
}

/* ---- the choice -------------------------------------------------------------------------------------------------------------- */

/* The stochastic transition of a group that fires. */
FF_WARP uint32_t p_choose(const p_thread *t, uint32_t g, double time) {
  double y[P_ROOM(P_LEVELS)], weight[P_CELLS], total = 0, choice = 0;
  p_levels_at(t, time, y);
  P_EACH(i, P_LEVELS) y[i] = p_clip(y[i]);
  P_EACH(of, P_GROUPS) choice = of == g ? t->choice[of] : choice;
  P_EACH(c, P_CELLS) {
    const uint32_t k = P_PROFILE_OF(c);
    weight[c] = 0;
    if (P_GROUP_OF(c) != g || t->sum[c] == 0) continue;
    weight[c] = t->sum[c] * (k == 0u ? 1 : p_profile(t, k, y, time));
    total += weight[c];
  }
  double x = choice * total, of_weight = 0, of_sum = 1;
  uint32_t last = P_NONE;
  int open = 1;
  P_EACH(c, P_CELLS) {
    if (!open || P_GROUP_OF(c) != g || t->sum[c] == 0 || (last != P_NONE && !(weight[c] > 0))) continue;
    last = c;
    of_weight = weight[c];
    of_sum = t->sum[c];
    open = !(x < weight[c]);
    x = open ? x - weight[c] : x;
  }
  const double profile = ff_math_absolute(of_weight / of_sum);
  return p_member(t, last, profile > 0 ? x / profile : 0);
}

#endif
