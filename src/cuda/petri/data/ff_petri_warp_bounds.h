/* Narrow peaks, as in petri/path/ff_petri_peak.c: quick bounds of flows and profiles, and those that these leave open. A part of
 * ff_petri_warp.h. Lanes share flows, or profiles. */
#ifndef FF_PETRI_WARP_BOUNDS_H
#define FF_PETRI_WARP_BOUNDS_H

/* ---- quick bounds ------------------------------------------------------------------------------------------------------- */

/* As ff_petri_peak_span(). */
FF_FUNCTION ff_petri_span w_span_of(const ff_petri_image *image, const double *real, ff_petri_image_formula f, uint32_t flat,
                                    uint32_t clips) {
  ff_petri_span stack[FF_PETRI_IMAGE_DEPTH + 1u], *top = stack;
  const uint32_t *operand = image->operand + f.operands, n = image->n_levels;
  FF_NO_UNROLL for (uint32_t k = 0u; k < f.length; k++) {
    const uint32_t code = image->word[f.word + k].code;
    if (code == FF_F_SYMBOL) {
      const uint32_t reads = *operand;
      if (reads < n && !flat) {
        double c[FF_ODE_DENSE];
        w_curve_of(real, n, reads, c);
        *top++ = ff_petri_span_of_level(c, (int)clips);
      } else {
        const w_point at = w_at_row(W_ROW_Y, 0, 0u);
        const double x = w_read(image, real, reads, &at);
        *top++ = ff_petri_span_new(x, x);
      }
      operand += f.stride;
    } else {
      top -= ff_formula_operands(code);
      *top = ff_petri_span_operate(code, top[0], top[1]);
      top++;
    }
  }
  return stack[0];
}

/* ---- bounds of formulas ------------------------------------------------------------------------------------------------- */

/* Fills the room of a lane with a formula in the present segment. */
FF_WARP ff_petri_formula w_bounded(const ff_petri_image *image, const double *real, char *room, ff_petri_image_formula f,
                                   ff_formula *formula, double from, double length, uint32_t flat, uint32_t clips) {
  const uint32_t reads = image->reads, n = image->n_levels;
  double *const dense = (double *)(void *)room, *const value = dense + (size_t)FF_ODE_DENSE * reads, *const at = value + reads;
  double *const time = at + reads, *const stack = time + FF_ODE_DENSE;
  const double **const curve = (const double **)(void *)(stack + image->depth);
  ff_petri_bound *const bound = (ff_petri_bound *)(void *)(curve + reads);
  uint32_t symbols = 0u;
  time[0] = from;
  time[1] = length;
  time[2] = time[3] = time[4] = 0;
  formula->word = (ff_formula_word *)(image->word + f.word);
  formula->length = f.length;
  formula->depth = image->depth;
  FF_NO_UNROLL for (uint32_t k = 0u; k < f.length; k++) {
    if (image->word[f.word + k].code != FF_F_SYMBOL) continue;
    const uint32_t operand = image->operand[f.operands + symbols * f.stride];
    const w_point now = w_at_row(W_ROW_Y, 0, 0u);
    double *const c = dense + (size_t)FF_ODE_DENSE * symbols;
    curve[symbols] = operand == FF_PETRI_IMAGE_TIME ? time : operand < n && !flat ? c : NULL;
    if (operand < n && !flat) w_curve_of(real, n, operand, c);
    value[symbols++] = w_read(image, real, operand, &now);
  }
  const ff_petri_formula of = {formula, symbols, curve, value, at, stack, bound, 1, (uint8_t)clips};
  return of;
}

/* Whether a rate may have a peak in the step that the solver has not seen. */
FF_FUNCTION int w_rate_is_unseen(const ff_petri_image *image, const double *real, char *room, ff_petri_image_formula f,
                                 double from, double length, double slack, uint32_t implicit) {
  const ff_petri_seen by_explicit = FF_PETRI_SEEN_BY_DORMAND_PRINCE, by_implicit = FF_PETRI_SEEN_BY_RODAS;
  const ff_petri_step step = {from, from + length, length};
  ff_formula formula;
  const ff_petri_formula of = w_bounded(image, real, room, f, &formula, from, length, 0u, 0u);
  return ff_petri_peak_is_unseen(&of, &step, implicit ? &by_implicit : &by_explicit, slack);
}

/* Whether a profile may have a peak between two parts of the segment, where it was found to be from `low` to `high`. */
FF_FUNCTION int w_profile_hides(const ff_petri_image *image, const double *real, char *room, ff_petri_image_formula f,
                                double from, double length, uint32_t flat, double a, double b, double low, double high,
                                double slack) {
  const ff_petri_step step = {from, from + length, length};
  ff_formula formula;
  const ff_petri_formula of = w_bounded(image, real, room, f, &formula, from, length, flat, 1u);
  return ff_petri_peak_hides(&of, &step, a, b, low, high, slack);
}

/* The room of a lane. */
#define W_ROOM(w) ((w)->room + lane * w_room_bytes((w)->image))

/* ---- flows -------------------------------------------------------------------------------------------------------------- */

/* By how much the rate of narrow flow number i may differ without an error of a level above the tolerance. */
FF_WARP double w_slack_of(const w_warp *w, uint32_t i) {
  const ff_petri_image *m = w->image;
  const double length = w_length(w);
  double slack = W_INFINITY;
  FF_NO_UNROLL for (uint32_t k = m->arc_first[i]; k < m->arc_first[i + 1u]; k++) {
    const ff_petri_image_arc arc = m->arc[k];
    const double most = m->relative * (w_size(w) + ff_math_absolute(W_LEVEL(w, W_ROW_Y, arc.level)));
    if (most < slack * arc.by * length) slack = most / (arc.by * length);
  }
  return slack;
}

/* Whether quick bounds are near to the rates at the ends of the step, or to each other. */
FF_WARP int w_rate_is_plain(const w_warp *w, const ff_petri_image_formula *f, double slack) {
  const ff_petri_span x = w_span_of(w->image, w->real, *f, 0u, 0u);
  if (ff_petri_span_is_near(x, x.low, x.low, slack) && ff_petri_span_is_near(x, x.high, x.high, slack)) return 1;
  const double first = w_value(w, f, w_at_row(W_ROW_START, 0, 0u)), last = w_value(w, f, w_at_row(W_ROW_Y, 0, 0u));
  return ff_petri_span_is_near(x, first < last ? first : last, first < last ? last : first, slack);
}

/* Whether some rate may have a peak in the step that the solver has not seen. */
FF_WARP int w_rates_hide(const w_warp *w) {
  FF_LANE_IN;
  const ff_petri_image *m = w->image;
  uint32_t who = 0u;
  FF_NO_UNROLL for (uint32_t from = 0u; from < m->n_narrow && who == 0u; from += 32u) {
    FF_LANE_VAR(uint32_t, hides);
    FF_EACH_LANE {
      const uint32_t i = from + lane;
      FF_L(hides) = 0u;
      if (i < m->n_narrow) {
        const ff_petri_image_narrow narrow = m->narrow[i];
        const ff_petri_image_formula f = m->flow[narrow.flow];
        const double slack = w_slack_of(w, i);
        if (!narrow.quick || !w_rate_is_plain(w, &f, slack))
          FF_L(hides) = (uint32_t)w_rate_is_unseen(m, w->real, W_ROOM(w), f, w->s.from, w_length(w), slack,
                                                   w->s.is & W_BY_IMPLICIT);
      }
    }
    FF_BALLOT(who, FF_L(hides) != 0u);
  }
  return who != 0u;
}

#endif
