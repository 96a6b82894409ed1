/* Integrals of hazards over a segment, and the choice of what fires: as in petri/path/ff_petri_clock.c. A part of
 * ff_petri_thread.h.
 *
 * Lanes of a warp look at different cells at the same time: each one at the next cell whose coefficients are not 0. */
#ifndef FF_PETRI_THREAD_HAZARDS_H
#define FF_PETRI_THREAD_HAZARDS_H

#if P_WINDOWS
FF_WARP void p_tell_segment(p_thread *t);
#endif

/* The cells of a group whose coefficients are not 0 and whose profile is not 1, as bits. */
FF_WARP uint32_t p_cells_of(const p_thread *t, uint32_t g) {
  const uint32_t below = ~(uint32_t)0 << P_FIRST_CELL(g), end = P_FIRST_CELL(g + 1u);
  return t->cells & below & (end < 32u ? P_BIT(end) - 1u : ~(uint32_t)0);
}

#define P_EACH_CELL(c, g)                                                                       \
  FF_NO_UNROLL for (uint32_t rest = p_cells_of(t, g), c = 0u; rest != 0u && (c = FF_LOWEST(rest), 1); rest &= rest - 1u)

/* Whether the hazard of a group depends on counts alone, as its coefficients are now. */
FF_WARP int p_is_constant(const p_thread *t, uint32_t g) {
  return p_cells_of(t, g) == 0u;
}

/* ---- coefficients of cells with many members: numbers times counts ------------------------------------------------------ */

/* The place in tables of the member at which the sum of coefficients passes x: as choose_in_cell() of petri/path/. */
FF_WARP uint32_t p_place_in_table(const p_thread *t, const double *number, const uint8_t *count, uint32_t k, uint32_t end,
                                  double x) {
  uint32_t last = k;
  FF_NO_UNROLL for (; k < end; k++) {
    const double c = number[k] * (double)P_X(count[k]);
    if (!(c > 0)) continue;
    last = k;
    if (x < c) break;
    x -= c;
  }
  return last;
}

/* ---- integrals ---------------------------------------------------------------------------------------------------------- */

P_APART double p_integral_of_pieces(const ff_petri_part *piece, uint32_t n, double s, double *rate) {
  return ff_petri_integral_of_parts(piece, n, s, rate);
}

FF_WARP void p_polynomial(const p_thread *t, uint32_t k, double *c) { P_EACH(i, FF_PETRI_DEGREE) c[i] = P_C(k, i); }

/* The integral of a profile from the start of the segment to part s, in units of its length. */
FF_WARP double p_integral_of_profile(const p_thread *t, uint32_t k, double s, double *rate) {
  double c[FF_PETRI_DEGREE];
#if P_PIECES > 0u
  if (P_HAS(t->several, k)) return p_integral_of_pieces(t->piece + P_FIRST(k), P_N(k), s, rate);
#endif
  p_polynomial(t, k, c);
  return ff_petri_integral_at(c, s, rate);
}

/* The same over the whole segment. */
FF_WARP double p_area(const p_thread *t, uint32_t k) {
#if P_PIECES > 0u
  return P_AREA(k);
#else
  double rate;
  return p_integral_of_profile(t, k, 1, &rate);
#endif
}

/* The integral of a group's hazard. */
FF_WARP double p_integral(const p_thread *t, uint32_t g, double s, double *rate) {
  double sum = P_RATE(g) * s;
  *rate = P_RATE(g);
  P_EACH_CELL(c, g) {
    double slope;
    sum += P_SUM(c) * p_integral_of_profile(t, P_PROFILE_OF(c), s, &slope);
    *rate += P_SUM(c) * slope;
  }
  return sum;
}

/* The same as one polynomial. Returns 0 if it is none, because a profile has several pieces. */
FF_WARP int p_add_up(const p_thread *t, uint32_t g, double *p) {
  uint32_t several = 0u;
  p[0] = P_RATE(g);
  p[1] = p[2] = p[3] = p[4] = 0;
  P_EACH_CELL(c, g) {
    const uint32_t k = P_PROFILE_OF(c);
    const double sum = P_SUM(c);
    several |= P_HAS(t->several, k);
    P_EACH(i, FF_PETRI_DEGREE) p[i] += sum * P_C(k, i);
  }
  return several == 0u;
}

/* The integral over the whole segment. */
FF_WARP double p_whole(const p_thread *t, uint32_t g) {
  double whole = P_RATE(g);
  P_EACH_CELL(c, g) whole += P_SUM(c) * p_area(t, P_PROFILE_OF(c));
  return whole;
}

/* The same, as it was when the group was searched. */
FF_WARP double p_known_whole(const p_thread *t, uint32_t g) {
#if P_SHARED
  return P_WHOLE(g);
#else
  return p_whole(t, g);
#endif
}

/* The integral up to a part of the segment. */
P_APART double p_used_until(p_thread own, uint32_t g, double s) {
  double none;
  if (s == 0) return 0;
  return s == 1 ? p_known_whole(&own, g) : p_integral(&own, g, s, &none);
}

FF_WARP void p_settle(p_thread *t, uint32_t g) {
  double used;
  if (!(P_SINCE(g) < t->now)) return;
  if (!P_HAS(t->varies, g))
    used = P_RATE(g) * (t->now - P_SINCE(g));
  else if (t->now == t->to && P_SINCE(g) <= t->from) /* as most segments end */
    used = p_length(t) * p_known_whole(t, g);
  else
    used = p_length(t) * (p_used_until(*t, g, t->now == t->to ? 1 : ff_petri_part_at(t->now, t->from, p_length(t))) -
                          p_used_until(*t, g, ff_petri_part_at(P_SINCE(g), t->from, p_length(t))));
  P_LEFT(g) = used < P_LEFT(g) ? P_LEFT(g) - used : 0;
  P_SINCE(g) = t->now;
}

/* ---- profiles ----------------------------------------------------------------------------------------------------------- */

/* Where code is long, loops are not unrolled, so that the cache of instructions holds more of it. */
#if P_POOL || P_WINDOWS
#define P_UNROLL_IF_SHORT FF_NO_UNROLL
#else
#define P_UNROLL_IF_SHORT FF_UNROLL
#endif

/* Tries the polynomial through the values of a profile at the nodes of a part of the segment: as ff_petri_try(). */
FF_WARP void p_sample(const p_thread *t, uint32_t k, double begin, double width, int affine, ff_petri_tried *out) {
  double curve[P_ROOM(P_LEVELS)][FF_ODE_DENSE];
  ff_petri_sampled x = ff_petri_sampled_new();
  P_EACH(i, P_LEVELS) p_curve(t, i, curve[i]);
  P_UNROLL_IF_SHORT for (uint32_t j = 0; j < (affine ? (uint32_t)FF_PETRI_NODES : (uint32_t)FF_PETRI_POINTS); j++) {
    const double s = begin + width * p_points[j].at;
    double y[P_ROOM(P_LEVELS)];
    P_EACH(i, P_LEVELS) y[i] = p_clip(t->is & P_FLAT ? P_Y(i) : ff_ode_dense_value(curve[i], P_OF_STEP(s)));
    ff_petri_sample(&x, &p_points[j], p_profile(t, k, y, t->from + p_length(t) * s));
  }
  ff_petri_sampled_tell(&x, affine, out);
}

FF_WARP void p_keep(p_thread *t, uint32_t k, const double *c, double area, double error, double size) {
  P_EACH(i, FF_PETRI_DEGREE) P_C(k, i) = c[i];
#if P_PIECES > 0u
  P_AREA(k) = area;
  P_ERROR(k) = error;
  P_ALLOWED(k) = size;
#endif
  t->integrated |= P_BIT(k);
}

#if P_SHARED
P_APART void p_find_times(p_thread own);
#endif

/* Integrates a profile for hazards of `size` times the profile, if the whole segment can be one piece. Returns 0 if this is not
 * known, and p_bounds() must do it. */
FF_WARP int p_integrate(p_thread *t, uint32_t k, double size) {
  const int affine = P_PIECES == 0u || P_HAS(P_AFFINE, k);
  ff_petri_tried tried;
  if (P_HAS(t->integrated, k)) {
#if P_PIECES > 0u
    const double sum = P_HAS(t->several, k) ? 0 : P_AREA(k);
    if (size <= P_ALLOWED(k) || ff_petri_is_exact(size, sum, P_ERROR(k), P_RELATIVE)) return 1;
#else
    return 1;
#endif
#if P_SHARED
    /* Groups that were searched before keep what they have found with the integral that is now replaced. */
    if (t->pending != 0u) p_find_times(*t);
    t->pending = 0u;
#endif
  }
  p_sample(t, k, 0, 1, affine, &tried);
  if (!(tried.low >= 0) || !ff_petri_is_exact(size, tried.sum, tried.error, P_RELATIVE)) return 0;
  if (!affine) {
    p_span span[P_ROOM(P_LEVELS)];
    if (!P_HAS(P_QUICK, k) || (t->is & P_FLAT) != 0u) return 0;
    P_EACH(i, P_LEVELS) {
      double c[FF_ODE_DENSE];
      p_curve(t, i, c);
      span[i] = p_span_of_level(c, 1);
    }
    if (!p_span_is_near(p_profile_span(t, k, span), tried.low, tried.high, ff_petri_slack_of(size, tried.sum, P_RELATIVE)))
      return 0;
  }
  t->several &= ~P_BIT(k);
  p_keep(t, k, tried.c, tried.sum, tried.error, size);
  return 1;
}

/* ---- the next firing ---------------------------------------------------------------------------------------------------- */

/* The hazard of a group in a segment in which nothing moves. Returns 0 if it is not valid. */
P_APART int p_look_at_rest(p_thread own, uint32_t g) {
  const p_thread *const t = &own;
  double y[P_ROOM(P_LEVELS)], rate = 0;
  int fine = 1;
  P_EACH(i, P_LEVELS) y[i] = p_clip(P_Y(i));
  FF_NO_UNROLL for (uint32_t c = P_FIRST_CELL(g); c < P_FIRST_CELL(g + 1u); c++) {
    const uint32_t k = P_PROFILE_OF(c);
    if (P_SUM(c) == 0) continue;
    const double value = k == 0u ? 1 : p_profile(t, k, y, t->now);
    fine &= value >= 0 && !p_is_bad(P_SUM(c) * value);
    rate += P_SUM(c) * value;
  }
  P_RATE(g) = rate;
  return fine;
}

/* Integrates the profiles of a group. Returns 0 if p_bounds() must do one. */
FF_WARP int p_integrate_cells(p_thread *t, uint32_t g) {
  uint32_t asked = P_NONE;
  P_EACH_CELL(c, g) {
    if (p_integrate(t, P_PROFILE_OF(c), P_SUM(c) * p_length(t))) continue;
    asked = c;
    break;
  }
  if (P_LOOKS_AGAIN && asked != P_NONE) P_ASKED = asked;
  return asked == P_NONE;
}

/* Whether a group fires in the segment, and at which integral. */
FF_WARP void p_test(p_thread *t, uint32_t g) {
  const double length = p_length(t), begin = ff_petri_part_at(P_SINCE(g), t->from, length), whole = p_whole(t, g);
  double rate, p[FF_PETRI_DEGREE];
  P_CANDIDATE(g) = P_INFINITY;
#if P_SHARED
  P_WHOLE(g) = whole;
#endif
  if (begin == 0 && P_LEFT(g) > whole * length * (1 + 0x1p-40)) return; /* as most searches end, without a division */
  double need = P_LEFT(g) / length;
  if (begin != 0) need = (p_add_up(t, g, p) ? ff_petri_integral_at(p, begin, &rate) : p_used_until(*t, g, begin)) + need;
  if (!(need <= whole)) return;
  P_CANDIDATE(g) = need;
  t->pending |= P_BIT(g);
}

/* Finds out whether a group that has fired, or has other coefficients, fires in the segment. Returns 0 if p_bounds() comes
 * first. */
FF_WARP int p_search_group(p_thread *t, uint32_t g) {
  const int rests = (t->is & P_FLAT) != 0u && t->to == P_INFINITY;
  if (!rests && P_HAS(P_MOVING, g) && !p_is_constant(t, g)) {
    P_RATE(g) = p_constant_rate(t, g);
    t->varies |= P_BIT(g);
    if (!p_integrate_cells(t, g)) return 0;
    p_test(t, g);
  } else {
    t->varies &= ~P_BIT(g);
    if (!p_look_at_rest(*t, g)) t->phase = P_REFUSES;
    P_CANDIDATE(g) = P_RATE(g) > 0 ? P_SINCE(g) + P_LEFT(g) / P_RATE(g) : P_INFINITY;
  }
  t->dirty &= ~P_BIT(g);
  return 1;
}

FF_WARP void p_search(p_thread *t) {
  double time;
#if P_WINDOWS
  if ((t->is & P_TOLD) == 0u) p_tell_segment(t);
#endif
#if P_SWITCHES > 0u
  if ((t->is & P_SOUGHT) == 0u) *t = p_seek(*t);
#endif
  P_EACH_GROUP(g) {
    if (!P_HAS(t->dirty, g) || t->phase != P_SEARCHES) continue;
    if (!p_search_group(t, g)) t->phase = P_PIECES > 0u ? P_BOUNDS : P_REFUSES; /* an affine profile that is not valid */
  }
  if (t->phase != P_SEARCHES) return;
  p_first_group(t, &time);
#if P_CLOCKS > 0u
  double due;
  p_first_clock(t, &due);
  if (due < time) time = due;
#endif
  if (P_SWITCHES > 0u && (t->is & P_CROSSING) != 0u) time = t->from; /* p_fire() tells what comes first */
  if (t->pending != 0u || (time < P_INFINITY && time <= t->to)) {
    t->phase = P_FIRES;
  } else if (p_serve(t, t->to)) {
    t->now = t->to;
    t->phase = P_BEGINS;
  }
}

/* When a group fires whose integral reaches what is needed. */
FF_WARP double p_clipped_time(const p_thread *t, uint32_t g, double s) {
  return ff_petri_firing_time(t->from, p_length(t), s, P_SINCE(g), t->to);
}

#if P_PIECES > 0u
/* The same if a profile has several pieces. */
P_APART double p_time_in_pieces(p_thread own, uint32_t g) {
  const p_thread *const t = &own;
  const double begin = ff_petri_part_at(P_SINCE(g), t->from, p_length(t)), need = P_CANDIDATE(g);
  double rate, slope;
  const double at_begin = p_integral(t, g, begin, &rate);
  ff_petri_root x = ff_petri_root_new(begin, 1, at_begin, p_whole(t, g), rate, need);
  while (x.rounds > 0) {
    const double value = p_integral(t, g, x.s, &slope);
    ff_petri_root_take(&x, value, slope, need);
  }
  return p_clipped_time(t, g, x.s);
}
#endif

FF_WARP double p_time_of_firing(const p_thread *t, uint32_t g) {
  const double begin = ff_petri_part_at(P_SINCE(g), t->from, p_length(t)), need = P_CANDIDATE(g);
  double p[FF_PETRI_DEGREE], rate, slope;
  const int one = p_add_up(t, g, p);
#if P_PIECES > 0u
  if (!one) return p_time_in_pieces(*t, g);
#endif
  (void)one;
  const double at_begin = ff_petri_integral_at(p, begin, &rate);
  ff_petri_root x = ff_petri_root_new(begin, 1, at_begin, p_whole(t, g), rate, need);
  FF_NO_UNROLL while (x.rounds > 0) {
    const double value = ff_petri_integral_at(p, x.s, &slope);
    ff_petri_root_take(&x, value, slope, need);
  }
  return p_clipped_time(t, g, x.s);
}

#if P_SHARED
P_APART void p_find_times(p_thread own) {
  const p_thread *const t = &own;
  P_EACH_GROUP(g) {
    if (P_HAS(t->pending, g)) P_CANDIDATE(g) = p_time_of_firing(t, g);
  }
}
#endif

/* ---- the choice --------------------------------------------------------------------------------------------------------- */

/* The only cell of a group whose coefficients are not 0; or P_NONE, if there are others. */
FF_WARP uint32_t p_only_cell(const p_thread *t, uint32_t g) {
  uint32_t only = P_NONE, n = 0u;
  FF_NO_UNROLL for (uint32_t c = P_FIRST_CELL(g); c < P_FIRST_CELL(g + 1u); c++)
    if (P_SUM(c) != 0) {
      only = c;
      n++;
    }
  return n == 1u ? only : P_NONE;
}

/* The stochastic transition of a group that fires. A cell of one transition needs no choice. */
FF_WARP uint32_t p_choose(const p_thread *t, uint32_t g, double time) {
  const uint32_t only = p_only_cell(t, g);
  double y[P_ROOM(P_LEVELS)], weight[P_ROOM(P_CELLS)], total = 0;
  if (only != P_NONE && P_IS_SINGLE(only)) return p_member(t, only, 0);
  if (only != P_NONE && P_PROFILE_OF(only) == 0u) { /* as below, where all weights are 1 */
    const double sum = P_SUM(only), chosen = P_CHOICE(g) * sum;
    return p_member(t, only, chosen < sum ? chosen : chosen - sum);
  }
  p_levels_at(t, time, y);
  P_EACH(i, P_LEVELS) y[i] = p_clip(y[i]);
  P_EACH(c, P_CELLS) {
    const uint32_t k = P_PROFILE_OF(c);
    weight[c] = 0;
    if (P_GROUP_OF(c) != g || P_SUM(c) == 0) continue;
    weight[c] = P_SUM(c) * (k == 0u ? 1 : p_profile(t, k, y, time));
    total += weight[c];
  }
  double x = P_CHOICE(g) * total, of_weight = 0, of_sum = 1;
  uint32_t last = P_NONE;
  int open = 1;
  P_EACH(c, P_CELLS) {
    if (!open || P_GROUP_OF(c) != g || P_SUM(c) == 0 || (last != P_NONE && !(weight[c] > 0))) continue;
    last = c;
    of_weight = weight[c];
    of_sum = P_SUM(c);
    open = !(x < weight[c]);
    x = open ? x - weight[c] : x;
  }
  const double profile = ff_math_absolute(of_weight / of_sum);
  return p_member(t, last, profile > 0 ? x / profile : 0);
}

P_APART uint32_t p_choose_apart(p_thread own, uint32_t g, double time) { return p_choose(&own, g, time); }

#endif
