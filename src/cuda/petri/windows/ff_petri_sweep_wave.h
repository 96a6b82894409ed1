/* What a block tells others: its wave. A part of ff_petri_sweep.h. */
#ifndef FF_PETRI_SWEEP_WAVE_H
#define FF_PETRI_SWEEP_WAVE_H

#define P_ORDER 0x9E3779B97F4A7C15ull /* makes numbers of orders far apart */

/* Moves the wave to twice as much room. The spare room that it had before is free in the next window only. */
P_APART p_thread p_move_wave(p_thread own) {
  p_thread *const t = &own;
  const ff_petri_tissue *net = t->net;
  const uint64_t room = 2u * t->room, at = P_FETCH_ADD(&p_slot_of(net, t->memory)->spent, room);
  const double *piece = p_pieces(net, t->memory, t->first), *kink = p_kinks(net, t->memory, t->first);
  if (at + room > net->spare) {
    t->phase = P_REFUSES;
    return own;
  }
  t->first = 2u * net->n_blocks * net->pieces + (uint32_t)at;
  t->room = (uint32_t)room;
  double *to = p_pieces(net, t->memory, t->first), *kink_to = p_kinks(net, t->memory, t->first);
  FF_NO_UNROLL for (uint32_t k = 0u; k < t->n_pieces * P_PIECE; k++) to[k] = piece[k];
  FF_NO_UNROLL for (uint32_t k = 0u; k < t->n_kinks; k++) kink_to[k] = kink[k];
  return own;
}

/* Makes room for one more than n pieces or kinks. Returns 0 if there is none. */
FF_WARP int p_make_room(p_thread *t, uint32_t n) {
  if (n == FF_PETRI_ROOM_FOR_PIECES) {
    t->phase = P_IS_FULL;
    return 0;
  }
  if (n < t->room) return 1;
  *t = p_move_wave(*t);
  return n < t->room;
}

/* The segment that begins: a piece, which takes the place of one that begins at the same time. As ff_petri_wave_add_segment(). */
FF_WARP void p_tell_segment(p_thread *t) {
  double *piece = p_pieces(t->net, t->memory, t->first);
  const int flat = (t->is & P_FLAT) != 0u;
  t->is |= P_TOLD;
  if (t->n_pieces > 0u && piece[(uint64_t)(t->n_pieces - 1u) * P_PIECE] == t->from) t->n_pieces--;
  if (!p_make_room(t, t->n_pieces)) return;
  piece = p_pieces(t->net, t->memory, t->first + t->n_pieces++);
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
  ff_petri_fired *at = p_fired(t->net, t->memory, t->writes, t->block), fired = *at;
  fired.order = (fired.order ^ (m + 1u)) * P_ORDER;
  fired.n++;
  fired.times += t->now > fired.last;
  fired.shown += t->now <= t->run->times[t->run->n_times - 1u];
  fired.last = t->now;
  *at = fired;
  if (fired.times > FF_PETRI_ROOM_FOR_TIMES) t->phase = P_IS_FULL;
  if (t->phase != P_BEGINS) return;
  const double *kink = p_kinks(t->net, t->memory, t->first);
  if ((t->n_kinks > 0u && kink[t->n_kinks - 1u] == t->now) || !p_make_room(t, t->n_kinks)) return;
  *p_kinks(t->net, t->memory, t->first + t->n_kinks++) = t->now;
}

/* The time with this number is the next one that is recorded. */
FF_WARP void p_want(p_thread *t, uint32_t number) {
  P_NUMBER = number;
  P_WANTED = number < t->run->n_times ? t->run->times[number] : P_INFINITY;
}

/* Records places that are no levels, at times before `until`. */
P_APART void p_show_counts(p_thread own, double until) {
  p_thread *const t = &own;
  const uint32_t *table = t->net->table + (uint64_t)t->block * P_MOST_PLACES;
  const double y[P_ROOM(P_LEVELS)] = {0};
  FF_NO_UNROLL while (P_WANTED < until) {
    double *to = FF_RECORD_REAL_OF(t->run, P_NUMBER, t->unit);
    FF_NO_UNROLL for (uint32_t i = P_LEVELS; i < P_OWN_PLACES; i++)
      if (table[i] != P_NONE) to[(uint64_t)table[i] * t->run->units] = p_show(t, y, i);
    p_want(t, P_NUMBER + 1u);
  }
}

/* Whether what comes next comes in this window. Until then, places that are no levels stay. */
FF_WARP int p_serve(p_thread *t, double next_time) {
  const double until = next_time < t->end ? next_time : t->end;
  if (P_WANTED < until) p_show_counts(*t, until);
  if (next_time < t->end) return 1;
  t->phase = P_ENDS;
  return 0;
}

FF_WARP void p_have_no_firings(const ff_petri_tissue *net, char *memory, uint32_t wave, uint32_t block) {
  const ff_petri_fired none = {0u, -P_INFINITY, 0u, 0u, 0u, 0u};
  *p_fired(net, memory, wave, block) = none;
}

/* One piece without firings, from values, slopes and second derivatives: as ff_petri_wave_guess(). */
FF_WARP void p_guess_wave(const ff_petri_tissue *net, char *memory, uint32_t block, double from, double to) {
  double *piece = p_pieces(net, memory, p_own_first(net, 0u, block));
  const double *guess = P_IN(memory, double, net->at_guess), length = to - from;
  ff_petri_told *told = p_told(net, memory, 0u, block), *other = p_told(net, memory, 1u, block);
  piece[0] = from;
  piece[1] = 1 / length;
  P_EACH(i, P_LEVELS) {
    const double *of = guess + (uint64_t)(3u * i) * net->n_blocks + block;
    ff_petri_piece_guess(of[0], of[net->n_blocks], of[2u * (uint64_t)net->n_blocks], length, piece + FF_PETRI_PIECE_SIZE(i));
    piece[FF_PETRI_PIECE_SIZE(i) + 5u] = 0;
  }
  told->sweep = 0u;
  told->n_pieces = 1u;
  told->n_kinks = 0u;
  told->first = p_own_first(net, 0u, block);
  other->sweep = FF_PETRI_NO_SWEEP;
  other->first = p_own_first(net, 1u, block);
  told->room = other->room = net->pieces;
  p_have_no_firings(net, memory, 0u, block);
}

/* Keeps values, slopes and second derivatives of a wave at its end, for a guess over a window of this length: as
 * ff_petri_wave_end(). */
FF_WARP void p_end_wave(const ff_petri_tissue *net, char *memory, uint32_t block, uint32_t wave, double t, double window) {
  const ff_petri_told *told = p_told(net, memory, wave, block);
  const double *piece = p_pieces(net, memory, told->first + told->n_pieces - 1u);
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
  if (a->n_kinks == 0u && b->n_kinks == 0u) return 1;
  return a->n_kinks == b->n_kinks && x->n == y->n && x->order == y->order;
}

/* As distance_by() of petri/windows/ff_petri_wave.c: wave `a` from the other one, by the pieces of that. */
FF_WARP double p_distance_by(const ff_petri_tissue *net, char *memory, uint32_t block, uint32_t a, double from, double to) {
  const ff_petri_told *told = p_told(net, memory, a, block), *other = p_told(net, memory, 1u - a, block);
  const double *x = p_pieces(net, memory, told->first), *y = p_pieces(net, memory, other->first);
  const uint32_t nx = told->n_pieces, ny = other->n_pieces;
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
