/* What a block tells others: its wave. A part of ff_petri_sweep.h. */
#ifndef FF_PETRI_SWEEP_WAVE_H
#define FF_PETRI_SWEEP_WAVE_H

FF_WARP ff_petri_fired *p_fired(const ff_petri_tissue *net, char *memory, uint32_t wave, uint32_t block) {
  return P_IN(memory, ff_petri_fired, net->at_fired) + ((uint64_t)wave * net->n_blocks + block) * net->firings;
}

FF_WARP double *p_became_at(const ff_petri_tissue *net, char *memory, uint32_t wave, uint32_t block, uint32_t firing) {
  return P_IN(memory, double, net->at_became) +
         (((uint64_t)wave * net->n_blocks + block) * net->firings + firing) * P_ROOM(P_BECAME);
}

/* The segment that begins: a piece, which takes the place of one that begins at the same time. As ff_petri_wave_add_segment(). */
FF_WARP void p_tell_segment(p_thread *t) {
  double *piece = p_pieces(t->net, t->memory, t->writes, t->block);
  const int flat = (t->is & P_FLAT) != 0u;
  t->is |= P_TOLD;
  if (t->n_pieces > 0u && piece[(uint64_t)(t->n_pieces - 1u) * P_PIECE] == t->from) t->n_pieces--;
  if (t->n_pieces == t->net->pieces) {
    t->phase = P_REFUSES;
    return;
  }
  piece += (uint64_t)t->n_pieces++ * P_PIECE;
  piece[0] = t->from;
  piece[1] = flat ? 0 : 1 / p_length(t);
  P_EACH(i, P_LEVELS) {
    double d[FF_ODE_DENSE] = {P_Y(i), 0, 0, 0, 0};
    if (!flat) p_curve(t, i, d);
    double *c = piece + FF_PETRI_PIECE_SIZE(i);
    ff_petri_piece_of_dense(d, c);
    c[5] = t->n_pieces > 1u ? ff_petri_piece_integral(piece - P_PIECE, c - P_PIECE, t->from) : 0;
  }
}

/* A firing that has happened; and a kink, if flows have changed. */
FF_WARP void p_tell_firing(p_thread *t, uint32_t m) {
  if (t->n_firings == t->net->firings || t->n_kinks == t->net->kinks) {
    t->phase = P_REFUSES;
    return;
  }
  ff_petri_fired *fired = p_fired(t->net, t->memory, t->writes, t->block) + t->n_firings;
  fired->time = t->now;
  fired->member = m;
#if P_BECAME > 0u
  p_became(t, m, p_became_at(t->net, t->memory, t->writes, t->block, t->n_firings));
#endif
  t->n_firings++;
  if (t->phase != P_BEGINS) return;
  double *kink = p_kinks(t->net, t->memory, t->writes, t->block);
  if (t->n_kinks == 0u || kink[t->n_kinks - 1u] != t->now) kink[t->n_kinks++] = t->now;
}

/* One piece without firings, from values, slopes and second derivatives: as ff_petri_wave_guess(). */
FF_WARP void p_guess_wave(const ff_petri_tissue *net, char *memory, uint32_t block, double from, double to) {
  double *piece = p_pieces(net, memory, 0u, block);
  const double *guess = P_IN(memory, double, net->at_guess), length = to - from;
  ff_petri_told *told = p_told(net, memory, 0u, block);
  piece[0] = from;
  piece[1] = 1 / length;
  P_EACH(i, P_LEVELS) {
    const double *of = guess + (uint64_t)(3u * i) * net->n_blocks + block;
    ff_petri_piece_guess(of[0], of[net->n_blocks], of[2u * (uint64_t)net->n_blocks], length, piece + FF_PETRI_PIECE_SIZE(i));
    piece[FF_PETRI_PIECE_SIZE(i) + 5u] = 0;
  }
  told->sweep = 0u;
  told->n_pieces = 1u;
  told->n_kinks = told->n_firings = 0u;
  p_told(net, memory, 1u, block)->sweep = FF_PETRI_NO_SWEEP;
}

/* Keeps values, slopes and second derivatives of a wave at its end, for a guess over a window of this length: as
 * ff_petri_wave_end(). */
FF_WARP void p_end_wave(const ff_petri_tissue *net, char *memory, uint32_t block, uint32_t wave, double t, double window) {
  const uint32_t n = p_told(net, memory, wave, block)->n_pieces;
  const double *piece = p_pieces(net, memory, wave, block) + (uint64_t)(n - 1u) * P_PIECE;
  const double per = piece[1], s = (t - piece[0]) * per;
  double *guess = P_IN(memory, double, net->at_guess);
  P_EACH(i, P_LEVELS) {
    double *to = guess + (uint64_t)(3u * i) * net->n_blocks + block, of[3];
    ff_petri_piece_end(piece + FF_PETRI_PIECE_SIZE(i), s, per, window, of);
    P_EACH(k, 3u) to[k * (uint64_t)net->n_blocks] = of[k];
  }
}

/* ---- comparisons -------------------------------------------------------------------------------------------------------- */

/* As ff_petri_wave_is_alike(). */
FF_WARP int p_are_alike(const ff_petri_tissue *net, char *memory, uint32_t block) {
  const ff_petri_told *a = p_told(net, memory, 0u, block), *b = p_told(net, memory, 1u, block);
  const ff_petri_fired *x = p_fired(net, memory, 0u, block), *y = p_fired(net, memory, 1u, block);
  int alike = a->n_firings == b->n_firings && a->n_kinks == b->n_kinks;
  if (a->n_kinks == 0u && b->n_kinks == 0u) return 1;
  FF_NO_UNROLL for (uint32_t k = 0u; alike && k < a->n_firings; k++) alike = x[k].member == y[k].member;
  return alike;
}

/* As distance_by() of petri/windows/ff_petri_wave.c: wave `a` from the other one, by the pieces of that. */
FF_WARP double p_distance_by(const ff_petri_tissue *net, char *memory, uint32_t block, uint32_t a, double from, double to) {
  const double *x = p_pieces(net, memory, a, block), *y = p_pieces(net, memory, 1u - a, block);
  const uint32_t nx = p_told(net, memory, a, block)->n_pieces, ny = p_told(net, memory, 1u - a, block)->n_pieces;
  const double shortest = FF_PETRI_SHORTEST_PIECE * (to - from);
  uint32_t at = 0u, bt = 0u;
  double most = 0;
  if (P_LEVELS == 0u) return 0;
  FF_NO_UNROLL for (uint32_t k = 0u; k <= ny; k++) {
    const double begin = k < ny ? y[(uint64_t)k * P_PIECE] : to, end = k + 1u < ny ? y[(uint64_t)(k + 1u) * P_PIECE] : to;
    if (k < ny && end - begin < shortest) continue; /* jumps of levels are at about the same times */
    const double t = k < ny ? begin + (end - begin) / 2 : to;
    at = p_piece_at(x, nx, at, t, 0);
    bt = p_piece_at(y, ny, bt, t, 0);
    const double *p = x + (uint64_t)at * P_PIECE, *q = y + (uint64_t)bt * P_PIECE;
    const double s = (t - p[0]) * p[1], r = (t - q[0]) * q[1];
    double own = 0;
    P_EACH(i, P_LEVELS) {
      const double u = ff_petri_piece_value(p, i, s), v = ff_petri_piece_value(q, i, r);
      const double distance = ff_math_absolute(u - v) / (P_ABSOLUTE + P_RELATIVE * ff_math_absolute(v));
      if (!(distance <= own)) own = distance < P_INFINITY ? distance : P_INFINITY;
    }
    if (own > most) most = own;
  }
  return most;
}

/* As ff_petri_wave_distance(). */
FF_WARP double p_distance(const ff_petri_tissue *net, char *memory, uint32_t block, double from, double to) {
  double most = 0;
  FF_NO_UNROLL for (uint32_t wave = 0u; wave < 2u; wave++) {
    const double own = p_distance_by(net, memory, block, wave, from, to);
    if (own > most) most = own;
  }
  return most;
}

#endif
