/* Integrals of hazards over a segment, and the firings in it: as in petri/path/ff_petri_clock.c and ff_petri_profile.c. A part of
 * ff_petri_warp.h. Lanes share profiles at their nodes, and then groups. */
#ifndef FF_PETRI_WARP_HAZARDS_H
#define FF_PETRI_WARP_HAZARDS_H

/* ---- integrals of a group, by a lane ------------------------------------------------------------------------------------ */

/* The integral of a profile from the start of the segment to part s, in units of its length. */
FF_WARP double w_integral_of_profile(const w_warp *w, uint32_t k, double s, double *rate) {
  if (W_N_PIECES(w, k) > 1u) return ff_petri_integral_of_parts(w->piece + W_FIRST_PIECE(w, k), W_N_PIECES(w, k), s, rate);
  return ff_petri_integral_at(&W_PROFILE(w, k, 0u), s, rate);
}

/* The integral of a group's hazard. */
FF_WARP double w_integral(const w_warp *w, uint32_t g, double s, double *rate) {
  double sum = W_GROUP(w, W_RATE, g) * s;
  *rate = W_GROUP(w, W_RATE, g);
  W_EACH_CELL(c, w, g) {
    double slope;
    sum += W_SUM(w, c) * w_integral_of_profile(w, w->image->cell_profile[c], s, &slope);
    *rate += W_SUM(w, c) * slope;
  }
  return sum;
}

/* The same as one polynomial. Returns 0 if it is none, because a profile has several pieces. */
FF_WARP int w_add_up(const w_warp *w, uint32_t g, double *c) {
  c[0] = W_GROUP(w, W_RATE, g);
  c[1] = c[2] = c[3] = c[4] = 0;
  W_EACH_CELL(cell, w, g) {
    const uint32_t k = w->image->cell_profile[cell];
    if (W_N_PIECES(w, k) > 1u) return 0;
    FF_UNROLL for (uint32_t i = 0u; i < FF_PETRI_DEGREE; i++) c[i] += W_SUM(w, cell) * W_PROFILE(w, k, i);
  }
  return 1;
}

/* The integral up to a part of the segment. */
FF_WARP double w_used_until(const w_warp *w, uint32_t g, double s) {
  double none;
  if (s == 0) return 0;
  return s == 1 ? W_GROUP(w, W_WHOLE, g) : w_integral(w, g, s, &none);
}

/* As ff_petri_clock_settle(). */
FF_WARP void w_settle(const w_warp *w, uint32_t g) {
  const double now = w->s.now, since = W_GROUP(w, W_SINCE, g), left = W_GROUP(w, W_LEFT, g), length = w_length(w);
  double used;
  if (!(since < now)) return;
  if ((W_BITS(w, g) & W_VARIES) != 0u)
    used = length * (w_used_until(w, g, ff_petri_part_at(now, w->s.from, length)) -
                     w_used_until(w, g, ff_petri_part_at(since, w->s.from, length)));
  else
    used = W_GROUP(w, W_RATE, g) * (now - since);
  W_GROUP(w, W_LEFT, g) = used < left ? left - used : 0;
  W_GROUP(w, W_SINCE, g) = now;
}

/* Finds the firing of a group that varies, if it fires in the segment: as find_firing() of petri/path/. */
FF_WARP void w_find_firing(const w_warp *w, uint32_t g) {
  const double length = w_length(w), begin = ff_petri_part_at(W_GROUP(w, W_SINCE, g), w->s.from, length);
  double c[FF_PETRI_DEGREE], rate, slope, whole = W_GROUP(w, W_RATE, g);
  W_EACH_CELL(cell, w, g) whole += W_SUM(w, cell) * W_PROFILE(w, w->image->cell_profile[cell], W_AREA);
  W_GROUP(w, W_WHOLE, g) = whole;
  W_GROUP(w, W_CANDIDATE, g) = W_INFINITY;
  if (begin == 0 && !(W_GROUP(w, W_LEFT, g) / length <= whole)) return; /* as most searches end */
  const int one = w_add_up(w, g, c);
  const double at_begin = one ? ff_petri_integral_at(c, begin, &rate) : w_integral(w, g, begin, &rate);
  const double need = at_begin + W_GROUP(w, W_LEFT, g) / length;
  if (!(need <= whole)) return;
  ff_petri_root x = ff_petri_root_new(begin, 1, at_begin, whole, rate, need);
  FF_NO_UNROLL while (x.rounds > 0) {
    const double value = one ? ff_petri_integral_at(c, x.s, &slope) : w_integral(w, g, x.s, &slope);
    ff_petri_root_take(&x, value, slope, need);
  }
  W_GROUP(w, W_CANDIDATE, g) = ff_petri_firing_time(w->s.from, length, x.s, W_GROUP(w, W_SINCE, g), w->s.to);
}

/* ---- profiles ----------------------------------------------------------------------------------------------------------- */

/* Whether the hazard of a cell must be integrated: its group is searched, and it varies. */
FF_WARP int w_wants(const w_warp *w, uint32_t c) {
  return w->image->cell_profile[c] != 0u && W_SUM(w, c) != 0 &&
         W_BITS(w, w->image->cell_group[c]) == (uint32_t)(W_VARIES | W_DIRTY);
}

/* Whether it is the first cell, from number `first` on, that wants its profile. */
FF_WARP int w_is_first(const w_warp *w, uint32_t c, uint32_t first) {
  const ff_petri_image *m = w->image;
  const uint32_t k = m->cell_profile[c];
  if (!m->has_shared) return 1;
  FF_NO_UNROLL for (uint32_t i = m->shared_first[k]; m->shared[i] != c; i++)
    if (m->shared[i] >= first && w_wants(w, m->shared[i])) return 0;
  return 1;
}

FF_WARP double w_size_of(const w_warp *w, uint32_t c) { return W_SUM(w, c) * w_length(w); }

/* Whether the integral of a profile is exact enough for hazards of `size` times the profile. */
FF_WARP int w_is_known(const w_warp *w, uint32_t k, double size) {
  if (W_INTEGRATED(w, k) != w->s.segment) return 0;
  if (size <= W_PROFILE(w, k, W_ALLOWED)) return 1;
  return ff_petri_is_exact(size, W_N_PIECES(w, k) == 1u ? W_PROFILE(w, k, W_AREA) : 0, W_PROFILE(w, k, W_ERROR),
                           w->image->relative);
}

FF_WARP int w_is_affine(const w_warp *w, uint32_t k) { return (w->image->profile_is[k] & FF_PETRI_IMAGE_AFFINE) != 0u; }

FF_WARP uint32_t w_points_of(const w_warp *w, uint32_t k) {
  return w_is_affine(w, k) ? (uint32_t)FF_PETRI_NODES : (uint32_t)FF_PETRI_POINTS;
}

/* Integrates a profile, whose values at the nodes of the whole segment are f[], if it can be one piece. Returns 0 if not. */
FF_WARP int w_integrate_whole(const w_warp *w, uint32_t k, double size, const double *f, char *room) {
  const ff_petri_image *m = w->image;
  const uint32_t flat = (w->s.is & W_FLAT) != 0u;
  ff_petri_tried tried;
  ff_petri_try(f, w_is_affine(w, k), &tried);
  if (!(tried.low >= 0) || !ff_petri_is_exact(size, tried.sum, tried.error, m->relative)) return 0;
  if (!w_is_affine(w, k)) {
    const double slack = ff_petri_slack_of(size, tried.sum, m->relative);
    const int quick = (m->profile_is[k] & FF_PETRI_IMAGE_QUICK) != 0u;
    if (!(quick && ff_petri_span_is_near(w_span_of(m, w->real, m->profile[k], flat, 1u), tried.low, tried.high, slack)) &&
        w_profile_hides(m, w->real, room, m->profile[k], w->s.from, w_length(w), flat, 0, 1, tried.low, tried.high, slack))
      return 0;
  }
  FF_UNROLL for (uint32_t i = 0u; i < FF_PETRI_DEGREE; i++) W_PROFILE(w, k, i) = tried.c[i];
  W_PROFILE(w, k, W_AREA) = tried.sum;
  W_PROFILE(w, k, W_ERROR) = tried.error;
  W_PROFILE(w, k, W_ALLOWED) = size;
  W_N_PIECES(w, k) = 1u;
  W_INTEGRATED(w, k) = w->s.segment;
  return 1;
}

/* Whether a part of the segment, whose values were tried, can be a piece. */
FF_WARP int w_is_piece(const w_warp *w, uint32_t k, double size, double begin, double width, const ff_petri_tried *tried) {
  FF_LANE_IN;
  const ff_petri_image *m = w->image;
  FF_LANE_VAR(int, hides);
  int out;
  if (!ff_petri_is_exact(size * width, tried->sum, tried->error, m->relative)) return 0;
  if (w_is_affine(w, k) || width <= FF_PETRI_PEAK_FINEST) return 1;
  const double slack = ff_petri_slack_of(size * width, tried->sum, m->relative);
  FF_EACH_LANE {
    FF_L(hides) = 0;
    if (lane == 0u)
      FF_L(hides) = w_profile_hides(m, w->real, W_ROOM(w), m->profile[k], w->s.from, w_length(w), (w->s.is & W_FLAT) != 0u,
                                    begin, begin + width, tried->low, tried->high, slack);
  }
  FF_FIRST_LANE(out, hides);
  return !out;
}

/* Integrates a profile in several pieces: as integrate() of petri/path/ff_petri_profile.c. Returns 0 if this is refused: it is
 * not valid all over the segment, or takes more pieces than there is room for. */
FF_WARP int w_integrate_pieces(w_warp *w, uint32_t k, double size) {
  FF_LANE_IN;
  const ff_petri_image *m = w->image;
  const uint32_t first = w->s.pieces;
  double begin = 0, width = 1, before = 0, error = 0;
  FF_NO_UNROLL while (begin < 1) {
    ff_petri_tried tried;
    double f[FF_PETRI_POINTS];
    W_EACH(j, w_points_of(w, k))
      W_SCRATCH(w, j) = w_value(w, &m->profile[k], w_at_part(w, begin + width * ff_petri_node((int)j), 1u));
    FF_SYNCWARP();
    FF_UNROLL for (uint32_t j = 0u; j < FF_PETRI_POINTS; j++) f[j] = j < w_points_of(w, k) ? W_SCRATCH(w, j) : 0;
    FF_SYNCWARP();
    ff_petri_try(f, w_is_affine(w, k), &tried);
    if (w_is_piece(w, k, size, begin, width, &tried)) {
      if (!(tried.low >= 0) || w->s.pieces == FF_PETRI_IMAGE_PIECES) return 0;
      FF_EACH_LANE if (lane == 0u) {
        ff_petri_part *const piece = w->piece + w->s.pieces;
        piece->begin = begin;
        piece->width = width;
        piece->before = before;
        FF_UNROLL for (uint32_t i = 0u; i < FF_PETRI_DEGREE; i++) piece->c[i] = W_PROFILE(w, k, i) = tried.c[i];
      }
      w->s.pieces++;
      error += width * tried.error;
      before += width * tried.sum;
      begin += width;
      width = ff_petri_next_width(begin, width);
    } else if (width > 1.0 / (1u << FF_PETRI_MOST_DEPTH)) {
      width /= 2;
    } else {
      return 0;
    }
  }
  FF_EACH_LANE if (lane == 0u) {
    W_PROFILE(w, k, W_AREA) = before;
    W_PROFILE(w, k, W_ERROR) = error;
    W_PROFILE(w, k, W_ALLOWED) = size;
    W_FIRST_PIECE(w, k) = first;
    W_N_PIECES(w, k) = w->s.pieces - first;
    W_INTEGRATED(w, k) = w->s.segment;
  }
  FF_SYNCWARP();
  return 1;
}

/* Integrates the profiles that 32 cells, from number `from` on, want: those of cells before `end` that are the first ones, from
 * number `first` on, to want them. Returns 0 if this is refused. */
FF_WARP int w_integrate_cells(w_warp *w, uint32_t from, uint32_t end, uint32_t first) {
  FF_LANE_IN;
  const ff_petri_image *m = w->image;
  FF_LANE_VAR(uint32_t, asks);
  uint32_t who, hard;
  FF_EACH_LANE {
    const uint32_t c = from + lane;
    FF_L(asks) = c < end && w_wants(w, c) && w_is_first(w, c, first) && !w_is_known(w, m->cell_profile[c], w_size_of(w, c));
  }
  FF_BALLOT(who, FF_L(asks) != 0u);
  if (who == 0u) return 1;
  const uint32_t n = FF_POPCOUNT(who);
  FF_EACH_LANE if (FF_L(asks) != 0u) W_LIST(w, FF_POPCOUNT(who & ((1u << lane) - 1u))) = m->cell_profile[from + lane];
  FF_SYNCWARP();
  W_EACH(i, 8u * n) {
    const uint32_t k = W_LIST(w, i / 8u), j = i % 8u;
    if (j < w_points_of(w, k)) W_SCRATCH(w, i) = w_value(w, &m->profile[k], w_at_part(w, ff_petri_node((int)j), 1u));
  }
  FF_SYNCWARP();
  FF_EACH_LANE if (FF_L(asks) != 0u)
    FF_L(asks) = !w_integrate_whole(w, m->cell_profile[from + lane], w_size_of(w, from + lane),
                                    &W_SCRATCH(w, 8u * FF_POPCOUNT(who & ((1u << lane) - 1u))), W_ROOM(w));
  FF_SYNCWARP();
  FF_BALLOT(hard, FF_L(asks) != 0u);
  FF_NO_UNROLL for (; hard != 0u; hard &= hard - 1u) {
    const uint32_t c = from + FF_LOWEST(hard);
    if (!w_integrate_pieces(w, m->cell_profile[c], w_size_of(w, c))) return 0;
  }
  return 1;
}

/* The first group, from `low` on and before `high`, that needs the integral of a profile more exactly than a group before it did;
 * or `high`. What groups before it find must not depend on it. */
FF_WARP uint32_t w_limit(const w_warp *w, uint32_t low, uint32_t high) {
  FF_LANE_IN;
  const ff_petri_image *m = w->image;
  uint32_t who = 0u;
  if (!m->has_shared) return high;
  FF_NO_UNROLL for (uint32_t from = m->cell_first[low]; from < m->cell_first[high]; from += 32u) {
    FF_LANE_VAR(uint32_t, lacks);
    FF_EACH_LANE {
      const uint32_t c = from + lane;
      FF_L(lacks) = c < m->cell_first[high] && w_wants(w, c) && !w_is_known(w, m->cell_profile[c], w_size_of(w, c));
    }
    FF_BALLOT(who, FF_L(lacks) != 0u);
    if (who != 0u) return m->cell_group[from + FF_LOWEST(who)];
  }
  return high;
}

/* ---- the search --------------------------------------------------------------------------------------------------------- */

/* The hazard of a group that does not vary in the segment. Returns 0 if it is not valid. */
FF_WARP int w_look_at_rest(const w_warp *w, uint32_t g) {
  const ff_petri_image *m = w->image;
  const w_point at = w_at_row(W_ROW_Y, w->s.now, 1u);
  double rate = 0;
  int fine = 1;
  FF_NO_UNROLL for (uint32_t c = m->cell_first[g]; c < m->cell_first[g + 1u]; c++) {
    const uint32_t k = m->cell_profile[c];
    if (W_SUM(w, c) == 0) continue;
    const double value = k == 0u ? 1 : w_value(w, &m->profile[k], at);
    fine &= value >= 0 && !w_is_bad(W_SUM(w, c) * value);
    rate += W_SUM(w, c) * value;
  }
  W_GROUP(w, W_RATE, g) = rate;
  W_GROUP(w, W_CANDIDATE, g) = rate > 0 ? W_GROUP(w, W_SINCE, g) + W_GROUP(w, W_LEFT, g) / rate : W_INFINITY;
  W_BITS(w, g) = 0u;
  return fine;
}

/* Begins the search for the firing of a group that has fired, or varies. Returns 0 if its hazard is not valid. */
FF_WARP int w_look_at_group(const w_warp *w, uint32_t g) {
  const int rests = (w->s.is & W_FLAT) != 0u && w->s.to == W_INFINITY;
  if ((W_BITS(w, g) & W_DIRTY) == 0u) return 1;
  if (rests || (w->image->group_is[g] & FF_PETRI_IMAGE_MOVES) == 0u || w_is_constant(w, g)) return w_look_at_rest(w, g);
  W_GROUP(w, W_RATE, g) = w_constant_rate(w, g);
  W_BITS(w, g) = W_VARIES | W_DIRTY;
  return 1;
}

/* Finds the next firings of all groups from `low` on and before `high` that have fired, or vary. Returns 0 if it refuses. */
FF_WARP int w_search_groups(w_warp *w, uint32_t low, uint32_t high) {
  FF_LANE_IN;
  const ff_petri_image *m = w->image;
  FF_LANE_VAR(uint32_t, bad);
  uint32_t who;
  FF_EACH_LANE {
    FF_L(bad) = 0u;
    for (uint32_t g = low + lane; g < high; g += 32u) FF_L(bad) |= (uint32_t)!w_look_at_group(w, g);
  }
  FF_SYNCWARP();
  FF_BALLOT(who, FF_L(bad) != 0u);
  if (who != 0u) return 0;
  FF_NO_UNROLL while (low < high) {
    const uint32_t first = m->cell_first[low], end = m->cell_first[high];
    FF_NO_UNROLL for (uint32_t from = first; from < end; from += 32u)
      if (!w_integrate_cells(w, from, end, first)) return 0;
    const uint32_t limit = w_limit(w, low, high);
    FF_EACH_LANE for (uint32_t g = low + lane; g < limit; g += 32u)
      if (W_BITS(w, g) == (uint32_t)(W_VARIES | W_DIRTY)) {
        w_find_firing(w, g);
        W_BITS(w, g) = W_VARIES;
      }
    FF_SYNCWARP();
    low = limit;
  }
  return 1;
}

#endif
