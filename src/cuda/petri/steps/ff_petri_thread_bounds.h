/* What quick bounds leave open: narrow peaks of flows and profiles, and profiles that take several pieces, as in
 * petri/path/ff_petri_peak.c and ff_petri_profile.c. A part of ff_petri_thread.h. */
#ifndef FF_PETRI_THREAD_BOUNDS_H
#define FF_PETRI_THREAD_BOUNDS_H

#if P_SLOW
/* A formula in the present step, and room for its bounds. It is in memory, so that a thread keeps the rest in registers. */
typedef struct {
  double dense[FF_ODE_DENSE * P_ROOM(P_LEVELS)], time[FF_ODE_DENSE];
  double value[P_ROOM(P_READS)], at[P_ROOM(P_READS)], stack[P_ROOM(P_DEPTH)];
  const double *curve[P_ROOM(P_READS)];
  ff_petri_bound bound[P_ROOM(P_DEPTH)];
  ff_formula formula;
  ff_petri_step step;
} p_bounds_room;

FF_WARP void p_fill_bounds(p_bounds_room *room, const p_thread *t, p_formula formula, uint32_t moving) {
  const double length = P_STEP_LENGTH(p_length(t));
  P_EACH(i, P_LEVELS) p_curve(t, i, room->dense + FF_ODE_DENSE * i);
  room->step.from = t->from;
  room->step.to = t->from + length;
  room->step.length = length;
  room->time[0] = t->from;
  room->time[1] = length;
  room->time[2] = room->time[3] = room->time[4] = 0;
  room->formula.word = (ff_formula_word *)formula.word;
  room->formula.length = formula.length;
  room->formula.depth = P_DEPTH;
  FF_NO_UNROLL for (uint32_t k = 0u; k < formula.n; k++) {
    const uint32_t read = formula.read[k];
    room->curve[k] = read == P_NONE ? room->time : read < P_LEVELS && moving ? room->dense + FF_ODE_DENSE * read : 0;
    room->value[k] = 0;
    if (read < P_LEVELS) room->value[k] = P_Y(read);
    if (read >= P_LEVELS && read != P_NONE) room->value[k] = p_value(t, read - P_LEVELS);
  }
}

FF_WARP ff_petri_formula p_bounded(p_bounds_room *room, uint32_t n, int clips) {
  const ff_petri_formula of = {&room->formula, n, room->curve, room->value, room->at, room->stack, room->bound, 1,
                               (uint8_t)clips};
  return of;
}

P_APART int p_profile_hides_slowly(p_bounds_room *room, uint32_t n, double a, double b, double low, double high, double slack) {
  const ff_petri_formula of = p_bounded(room, n, 1);
  return ff_petri_peak_hides(&of, &room->step, a, b, low, high, slack);
}

P_APART int p_rate_hides_slowly(p_bounds_room *room, uint32_t n, ff_petri_seen by, double slack) {
  const ff_petri_formula of = p_bounded(room, n, 0);
  return ff_petri_peak_is_unseen(&of, &room->step, &by, slack);
}

#endif

/* ---- flows -------------------------------------------------------------------------------------------------------------- */

#if P_NARROW > 0u
/* The flows for which quick bounds do not tell that they have no narrow peak in the step. */
FF_WARP uint32_t p_suspects(const p_thread *t) {
  p_span span[P_ROOM(P_LEVELS)];
  double start[P_ROOM(P_LEVELS)], end[P_ROOM(P_LEVELS)];
  uint32_t suspects = 0u;
  P_EACH(i, P_LEVELS) {
    double c[FF_ODE_DENSE];
    p_curve(t, i, c);
    span[i] = p_span_of_level(c, 0);
    start[i] = c[0];
    end[i] = P_Y(i);
  }
  P_EACH(f, P_NARROW) {
    int plain = 0;
    if (P_HAS(P_QUICK_RATES, f)) {
      const p_span x = p_rate_span(t, f, span);
      const double slack = p_rate_slack(t, f, end, p_length(t));
      plain = p_span_is_near(x, (double)x.low, (double)x.low, slack) && p_span_is_near(x, (double)x.high, (double)x.high, slack);
      if (!plain) {
        const double first = p_rate(t, f, start), last = p_rate(t, f, end);
        plain = p_span_is_near(x, first < last ? first : last, first < last ? last : first, slack);
      }
    }
    suspects |= (uint32_t)!plain << f;
  }
  return suspects;
}

/* The step is made once more, up to its middle. */
FF_WARP void p_cut_step(p_thread *t, double middle) {
  P_EACH(i, P_LEVELS) P_Y(i) = P_REAL(P_AT_CURVE + P_CURVE * i);
  t->is |= P_OWN;
  t->to = t->from;
#if P_TIMED_FLOWS && !P_GIVEN
  P_REAL(P_AT_TIME) = t->from;
#endif
  if (P_NEXT > P_TRIED) P_NEXT = P_TRIED;
  P_MOST = middle;
  P_TRIES++;
  t->phase = p_phase_of_steps(t);
}

/* When the last step has evaluated flows. */
FF_WARP ff_petri_seen p_seen(const p_thread *t) {
  const ff_petri_seen by_explicit = FF_PETRI_SEEN_BY_DORMAND_PRINCE, by_implicit = FF_PETRI_SEEN_BY_RODAS;
  return P_IMPLICIT && (t->is & P_BY_IMPLICIT) != 0u ? by_implicit : by_explicit;
}

/* Whether a rate may have a peak in the step: see ff_petri_peak_is_unseen(). */
FF_WARP int p_rate_hides(const p_thread *t, uint32_t f) {
  const ff_petri_seen by = p_seen(t);
  double curve[P_ROOM(P_LEVELS)][FF_ODE_DENSE], y[P_ROOM(P_LEVELS)], low = P_INFINITY, high = -P_INFINITY;
  P_EACH(i, P_LEVELS) {
    p_curve(t, i, curve[i]);
    y[i] = P_Y(i);
  }
  const double slack = p_rate_slack(t, f, y, p_length(t));
#if P_SLOW
  if (!P_HAS(P_QUICK_RATES, f)) {
    p_bounds_room room;
    const p_formula formula = p_rate_formula(f);
    p_fill_bounds(&room, t, formula, 1u);
    return p_rate_hides_slowly(&room, formula.n, by, slack);
  }
#endif
  const ff_range outline = p_rate_outline(t, f, 0, 1);
  FF_NO_UNROLL for (int k = 0; k < by.n; k++) {
    P_EACH(i, P_LEVELS) y[i] = ff_ode_dense_value(curve[i], by.s[k]);
    const double value = p_rate(t, f, y);
    if (p_is_bad(value)) return 0;
    low = value < low ? value : low;
    high = value > high ? value : high;
    if (k == 1 && !ff_petri_peak_is_far(outline, low, high, slack)) return 0;
  }
  return ff_petri_peak_is_far(outline, low, high, slack) && ff_petri_peak_is_far(p_rate_bound(t, f, 0, 1), low, high, slack);
}

/* As ff_petri_peak_shorten(). Gives and takes the thread as a value, so that it stays in registers elsewhere. */
P_APART p_thread p_look(p_thread own) {
  p_thread *const t = &own;
  const double middle = t->from + p_length(t) / 2;
  int hides = 0;
  t->phase = P_SEARCHES;
  if (P_TRIES == FF_PETRI_PEAK_TRIES || !(middle > t->from && middle < t->to)) return own;
  FF_NO_UNROLL for (uint32_t f = 0u; f < P_NARROW && !hides; f++)
    if (P_HAS(P_ASKED, f)) hides = p_rate_hides(t, f);
  if (hides) p_cut_step(t, middle);
  return own;
}
#endif

/* ---- profiles ----------------------------------------------------------------------------------------------------------- */

#if P_PIECES > 0u
/* Adds a piece. Returns 0 if there is no room. */
FF_WARP int p_add_piece(p_thread *t, double begin, double width, double before, const double *c) {
  if (P_PIECES_USED == P_PIECES) return 0;
  ff_petri_part *const piece = t->piece + P_PIECES_USED++;
  piece->begin = begin;
  piece->width = width;
  piece->before = before;
  P_EACH(i, FF_PETRI_DEGREE) piece->c[i] = c[i];
  return 1;
}

/* Whether a profile may have a peak between two parts of the segment. */
FF_WARP int p_profile_hides(const p_thread *t, uint32_t k, double a, double b, double low, double high, double slack) {
  if (P_HAS(P_QUICK & ~P_AFFINE, k) && (t->is & P_FLAT) == 0u)
    return ff_petri_peak_is_far(p_profile_outline(t, k, a, b), low, high, slack) &&
           ff_petri_peak_is_far(p_profile_bound(t, k, a, b), low, high, slack);
#if P_SLOW
  p_bounds_room room;
  const p_formula formula = p_profile_formula(k);
  p_fill_bounds(&room, t, formula, (t->is & P_FLAT) == 0u);
  return p_profile_hides_slowly(&room, formula.n, a, b, low, high, slack);
#else
  return 0;
#endif
}

/* Integrates the profile of the cell that was asked for. */
P_APART p_thread p_bounds(p_thread own) {
  p_thread *const t = &own;
  const uint32_t k = P_PROFILE_OF(P_ASKED), first = P_PIECES_USED;
  const int affine = (int)P_HAS(P_AFFINE, k);
  const double size = P_SUM(P_ASKED) * p_length(t);
  double begin = 0, width = 1, before = 0, error = 0, c[FF_PETRI_DEGREE] = {0};
  t->phase = P_REFUSES;
  FF_NO_UNROLL while (begin < 1) {
    ff_petri_tried tried;
    p_sample(t, k, begin, width, affine, &tried);
    int exact = ff_petri_is_exact(size * width, tried.sum, tried.error, P_RELATIVE);
    if (exact && !affine && width > FF_PETRI_PEAK_FINEST) {
      const double slack = ff_petri_slack_of(size * width, tried.sum, P_RELATIVE);
      exact = !p_profile_hides(t, k, P_OF_STEP(begin), P_OF_STEP(begin + width), tried.low, tried.high, slack);
    }
    if (exact) {
      if (!(tried.low >= 0) || !p_add_piece(t, begin, width, before, tried.c)) return own;
      P_EACH(i, FF_PETRI_DEGREE) c[i] = tried.c[i];
      error += width * tried.error;
      before += width * tried.sum;
      begin += width;
      width = ff_petri_next_width(begin, width);
    } else if (width > 1.0 / (1u << FF_PETRI_MOST_DEPTH)) {
      width /= 2;
    } else {
      return own;
    }
  }
  P_FIRST(k) = first;
  P_N(k) = P_PIECES_USED - first;
  t->several = P_N(k) > 1u ? t->several | P_BIT(k) : t->several & ~P_BIT(k);
  p_keep(t, k, c, before, error, size);
  t->phase = P_SEARCHES;
  return own;
}
#endif

#endif
