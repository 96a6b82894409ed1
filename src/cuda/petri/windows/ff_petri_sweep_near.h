/* What a block knows of others: given levels, and times at which they may have a bend. A part of ff_petri_sweep.h. */
#ifndef FF_PETRI_SWEEP_NEAR_H
#define FF_PETRI_SWEEP_NEAR_H

FF_WARP double p_show(const p_thread *t, const double *y, uint32_t i);
FF_WARP void p_own_slopes(const p_thread *t, const double *by, double time, const double *y, double *out);

/* ---- memory of a slot --------------------------------------------------------------------------------------------------- */

#define P_PIECE FF_PETRI_PIECE_SIZE(P_MOST_LEVELS) /* numbers of a piece of a wave, of any class */
#define P_IN(memory, type, at) ((type *)((memory) + (at)))

FF_WARP ff_petri_slot *p_slot_of(const ff_petri_tissue *net, char *memory) { return P_IN(memory, ff_petri_slot, net->at_slot); }

FF_WARP ff_petri_told *p_told(const ff_petri_tissue *net, char *memory, uint32_t wave, uint32_t block) {
  return P_IN(memory, ff_petri_told, net->at_told) + ((uint64_t)wave * net->n_blocks + block);
}

FF_WARP ff_petri_fired *p_fired(const ff_petri_tissue *net, char *memory, uint32_t wave, uint32_t block) {
  return P_IN(memory, ff_petri_fired, net->at_fired) + ((uint64_t)wave * net->n_blocks + block);
}

/* The first piece of a wave, if it has not moved to spare room. */
FF_WARP uint32_t p_own_first(const ff_petri_tissue *net, uint32_t wave, uint32_t block) {
  return (wave * net->n_blocks + block) * net->pieces;
}

/* The blocks of the class: how many, and number i of them. */
FF_WARP uint32_t p_blocks(const ff_petri_tissue *net) {
  return P_CLASSES > 1u ? net->class_first[P_CLASS + 1u] - net->class_first[P_CLASS] : net->n_blocks;
}

FF_WARP uint32_t p_block(const ff_petri_tissue *net, uint32_t i) {
  return P_CLASSES > 1u ? net->of_class[net->class_first[P_CLASS] + i] : i;
}

/* The list of those that have to run. */
FF_WARP uint32_t *p_list(const ff_petri_tissue *net, char *memory) {
  return P_IN(memory, uint32_t, net->at_list) + (P_CLASSES > 1u ? net->class_first[P_CLASS] : 0u);
}

/* Pieces and kinks of a wave whose first piece this is. */
FF_WARP double *p_pieces(const ff_petri_tissue *net, char *memory, uint32_t first) {
  return P_IN(memory, double, net->at_piece) + (uint64_t)first * P_PIECE;
}

FF_WARP double *p_kinks(const ff_petri_tissue *net, char *memory, uint32_t first) {
  return P_IN(memory, double, net->at_kink) + first;
}

/* The newer one of two waves that were written in sweeps a and b, if it was written before this sweep; or else the other one. */
FF_WARP uint32_t p_newer_of(uint32_t a, uint32_t b, uint32_t sweep) { return a >= sweep || (b < sweep && b > a) ? 1u : 0u; }

/* The same for the waves of a block. */
FF_WARP uint32_t p_newer(const ff_petri_tissue *net, char *memory, uint32_t block, uint32_t sweep) {
  return p_newer_of(p_told(net, memory, 0u, block)->sweep, p_told(net, memory, 1u, block)->sweep, sweep);
}

/* ---- given levels ------------------------------------------------------------------------------------------------------- */

/* Piece `at` of a wave, or one after it: as ff_petri_piece_at(). */
FF_WARP uint32_t p_piece_at(const double *piece, uint32_t n, uint32_t at, double t, int after) {
  return ff_petri_piece_at(piece, n, P_PIECE, at, t, after);
}

#if P_GIVEN
#define P_MOVED_BIT 0x40000000u /* whether the wave has moved: where it has not, where it is need not be read */
#define P_PIECE_OF(row) ((row) & (P_MOVED_BIT - 1u))

FF_WARP uint32_t p_near_block(const p_thread *t, uint32_t j) { return t->net->near[t->net->near_first[t->block] + j]; }

/* The pieces of a neighbour that has this row. */
FF_WARP const double *p_near_pieces(const p_thread *t, uint32_t row, uint32_t other) {
  const uint32_t wave = row >> 31, moved = (row & P_MOVED_BIT) != 0u;
  return p_pieces(t->net, t->memory, moved ? p_told(t->net, t->memory, wave, other)->first : p_own_first(t->net, wave, other));
}

/* A segment begins: finds the pieces of neighbours. */
FF_WARP void p_look_near(p_thread *t) {
  const uint32_t n = t->net->near_first[t->block + 1u] - t->net->near_first[t->block];
  FF_NO_UNROLL for (uint32_t j = 0u; j < n; j++) {
    const uint32_t other = p_near_block(t, j), row = P_WORD(P_AT_NEAR + j), wave = row >> 31;
    const uint32_t pieces = p_told(t->net, t->memory, wave, other)->n_pieces;
    P_WORD(P_AT_NEAR + j) =
        p_piece_at(p_near_pieces(t, row, other), pieces, P_PIECE_OF(row), t->from, 1) | (row - P_PIECE_OF(row));
  }
}

/* What a thread needs to read a given level within a step. */
typedef struct {
  const double *first; /* the first piece of its wave */
  uint32_t at, n, level;
} p_source;

FF_WARP p_source p_source_of(const p_thread *t, uint32_t g) {
  const ff_petri_source from = t->net->given[t->net->given_first[t->block] + g];
  const uint32_t other = p_near_block(t, from.neighbour), row = P_WORD(P_AT_NEAR + from.neighbour), wave = row >> 31;
  p_source out;
  out.first = p_near_pieces(t, row, other);
  out.at = P_PIECE_OF(row);
  out.n = p_told(t->net, t->memory, wave, other)->n_pieces;
  out.level = from.level;
  return out;
}

/* The level at a time of the step. Levels below 0 are errors, or those of a guess. */
FF_WARP double p_given(const p_thread *t, uint32_t g, double time) {
  const p_source from = p_source_of(t, g);
  const uint32_t at = time > t->from ? p_piece_at(from.first, from.n, from.at, time, 0) : from.at;
  const double *piece = from.first + (uint64_t)at * P_PIECE;
  const double x = ff_petri_piece_value(piece, from.level, (time - piece[0]) * piece[1]);
  return x > 0 ? x : 0;
}
#endif

/* ---- slopes ------------------------------------------------------------------------------------------------------------- */

/* Where the terms of each level of a block begin: those of given levels, and then the others. */
FF_WARP const uint32_t *p_terms_of(const ff_petri_tissue *net, uint32_t block) {
  return net->linear_first + (uint64_t)net->type[block] * (2u * P_MOST_LEVELS + 1u);
}

FF_WARP const uint32_t *p_terms(const p_thread *t, uint32_t i) { return p_terms_of(t->net, t->block) + 2u * i; }

/* What given levels make of all levels at a time of the step. */
FF_WARP void p_given_slopes(const p_thread *t, double time, double *out) {
  P_EACH(i, P_LEVELS) out[i] = 0;
#if P_GIVEN
  FF_NO_UNROLL for (uint32_t level = 0u; level < P_LEVELS; level++) {
    const uint32_t *terms = p_terms(t, level);
    double sum = 0;
    FF_NO_UNROLL for (uint32_t term = terms[0]; term < terms[1]; term++)
      sum += t->net->linear_by[term] * p_given(t, t->net->linear_value[term] - P_LEVELS, time);
    P_EACH(i, P_LEVELS) out[i] = i == level ? sum : out[i];
  }
#else
  (void)t;
  (void)time;
#endif
}

/* The weights of the block's own values. */
FF_WARP void p_own_weights(const p_thread *t, double *by) {
  uint32_t k = 0u;
  P_EACH(i, P_LEVELS) {
    const uint32_t *terms = p_terms(t, i);
    FF_UNROLL for (uint32_t n = 0u; n < P_OWN_TERMS_OF(i); n++) by[k++] = t->net->linear_by[terms[1] + n];
  }
}

/* As ff_petri_free_slopes(). */
FF_WARP void p_slopes(const p_thread *t, double time, const double *y, double *out) {
  double by[P_ROOM(P_OWN_TERMS)];
  p_given_slopes(t, time, out);
  p_own_weights(t, by);
  p_own_slopes(t, by, time, y, out);
}

/* ---- times at which segments end ---------------------------------------------------------------------------------------- */

/* Times at which segments end: in stop[], which ascends. */
typedef struct {
  double *stop;
  uint32_t n;
  double from, to; /* the window */
} p_stops;

/* As add_stop() of petri/windows/ff_petri_block.c. Returns 0 if there is no room. */
P_APART int p_add_stop(p_stops *x, double t, double hardly) {
  uint32_t at = x->n;
  if (at == FF_PETRI_ROOM_FOR_STOPS) return 0;
  FF_NO_UNROLL while (at > 0u && x->stop[at - 1u] > t) at--;
  if ((at > 0u && t - x->stop[at - 1u] <= hardly) || (at < x->n && x->stop[at] - t <= hardly)) return 1;
  FF_NO_UNROLL for (uint32_t k = x->n; k > at; k--) x->stop[k] = x->stop[k - 1u];
  x->stop[at] = t;
  x->n++;
  return 1;
}

/* Adds the kinks of one wave. */
FF_WARP int p_add_kinks(p_stops *x, const double *kink, uint32_t n_kinks) {
  int fine = 1;
  FF_NO_UNROLL for (uint32_t k = 0u; k < n_kinks && fine; k++)
    if (kink[k] > x->from && kink[k] < x->to) fine = p_add_stop(x, kink[k], 0);
  return fine;
}

/* What is known of the newer wave of a block, and which it is. */
typedef struct {
  uint32_t wave, sweep, n_kinks, first, differs;
  double distance;
} p_news;

FF_WARP p_news p_news_of(const ff_petri_tissue *net, char *memory, uint32_t block, uint32_t sweep) {
  const ff_petri_told a = *p_told(net, memory, 0u, block), b = *p_told(net, memory, 1u, block);
  const uint32_t second = p_newer_of(a.sweep, b.sweep, sweep);
  p_news out;
  out.wave = second;
  out.sweep = second ? b.sweep : a.sweep;
  out.n_kinks = second ? b.n_kinks : a.n_kinks;
  out.first = second ? b.first : a.first;
  out.differs = second ? b.differs : a.differs;
  out.distance = second ? b.distance : a.distance;
  return out;
}

#define P_SIDE 4u /* blocks that a thread looks at side by side, so that it waits for the memory once */

/* The same for P_SIDE blocks of a list of n; the last one is there again if there are fewer. */
FF_WARP void p_news_of_all(const ff_petri_tissue *net, char *memory, const uint32_t *list, uint32_t n, uint32_t sweep,
                           p_news *out) {
  P_EACH(q, P_SIDE) out[q] = p_news_of(net, memory, list[q < n ? q : n - 1u], sweep);
}

/* As add_pieces() of petri/windows/ff_petri_block.c. */
FF_WARP int p_add_pieces(p_stops *x, const ff_petri_tissue *net, char *memory, uint32_t wave, uint32_t other) {
  const ff_petri_told *told = p_told(net, memory, wave, other);
  const double *piece = p_pieces(net, memory, told->first), *kink = p_kinks(net, memory, told->first);
  uint32_t since = 0u, at = 0u;
  int fine = 1;
  FF_NO_UNROLL for (uint32_t k = 1u; k < told->n_pieces && fine; k++) {
    const double t = piece[(uint64_t)k * P_PIECE];
    FF_NO_UNROLL while (at < told->n_kinks && kink[at] < t) at++;
    since = at < told->n_kinks && kink[at] == t ? 0u : since + 1u;
    if (since < FF_PETRI_AT_A_TIME) continue;
    fine = p_add_stop(x, t, FF_PETRI_HARDLY * (x->to - x->from));
    since = 0u;
  }
  return fine;
}

/* Finds the waves that the block reads, and the times at which its segments end. Returns 0 if there is no room for these. */
FF_WARP int p_meet_near(p_thread *t, double *stop, double from, double to) {
  const ff_petri_tissue *net = t->net;
  const uint32_t first = net->near_first[t->block], end = net->near_first[t->block + 1u];
  p_stops x = {stop, 0u, from, to};
  int fine = 1;
#if P_GIVEN
  FF_NO_UNROLL for (uint32_t j = first; j < end && fine; j += P_SIDE) {
    p_news news[P_SIDE];
    p_news_of_all(net, t->memory, net->near + j, end - j, t->sweep, news);
    P_EACH(q, P_SIDE) {
      if (j + q >= end) continue;
      const uint32_t moved = news[q].first != p_own_first(net, news[q].wave, net->near[j + q]);
      P_WORD(P_AT_NEAR + j + q - first) = news[q].wave << 31 | (moved ? P_MOVED_BIT : 0u);
      if (news[q].n_kinks > 0u && fine) fine = p_add_kinks(&x, p_kinks(net, t->memory, news[q].first), news[q].n_kinks);
    }
  }
  const uint32_t far_end = net->far_first[t->block + 1u];
  FF_NO_UNROLL for (uint32_t j = net->far_first[t->block]; j < far_end && fine; j += P_SIDE) {
    p_news news[P_SIDE];
    p_news_of_all(net, t->memory, net->far + j, far_end - j, t->sweep, news);
    P_EACH(q, P_SIDE) {
      if (j + q < far_end && news[q].n_kinks > 0u && fine)
        fine = p_add_kinks(&x, p_kinks(net, t->memory, news[q].first), news[q].n_kinks);
    }
  }
  FF_NO_UNROLL for (uint32_t j = first; j < end && fine; j++)
    if (net->bends[j]) fine = p_add_pieces(&x, net, t->memory, P_WORD(P_AT_NEAR + j - first) >> 31, net->near[j]);
#else
  (void)first;
  (void)end;
#endif
  fine = fine && p_add_stop(&x, to, 0);
  t->stop = stop;
  t->n_stops = x.n;
  t->window = to - from;
  t->at_stop = 0u;
  t->end = to;
  return fine;
}

#endif
