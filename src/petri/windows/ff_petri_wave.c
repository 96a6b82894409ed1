#include "ff_petri_wave.h"
#include "ff_petri_pace_math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ff_petri_wave_free(ff_petri_wave *w) {
  free(w->piece);
  free(w->kink);
  free(w->firing);
  free(w->became);
}

void ff_petri_wave_clear(ff_petri_wave *w) { w->n_pieces = w->n_kinks = w->n_firings = w->n_became = 0; }

/* Room for one more piece, which may replace the last one, if this begins at the same time. */
static double *new_piece(ff_petri_wave *w, uint32_t levels, double from) {
  const size_t size = ff_petri_piece_size(levels);
  if (w->n_pieces > 0 && w->piece[(w->n_pieces - 1) * size] == from) w->n_pieces--;
  if (ff_grow((void **)&w->piece, &w->pieces_room, (w->n_pieces + 1) * size, sizeof *w->piece, NULL) != FF_OK) return NULL;
  double *out = w->piece + w->n_pieces++ * size;
  out[0] = from;
  return out;
}

int ff_petri_wave_add_segment(ff_petri_wave *w, const ff_petri_path *path) {
  const uint32_t levels = path->program->n_levels;
  double *piece = new_piece(w, levels, path->from);
  if (piece == NULL) return 0;
  const double *before = w->n_pieces > 1 ? piece - ff_petri_piece_size(levels) : NULL;
  double *c = piece + FF_PETRI_PIECE_HEAD;
  piece[1] = path->flat ? 0 : 1 / (path->to - path->from);
  for (uint32_t i = 0; i < levels; i++, c += FF_PETRI_PIECE_STEP) {
    c[5] = before != NULL ? ff_petri_piece_integral(before, before + ff_petri_piece_size(i), path->from) : 0;
    if (path->flat) {
      memset(c, 0, FF_PETRI_COEFFICIENTS * sizeof *c);
      c[0] = path->value[i];
      continue;
    }
    ff_petri_piece_of_dense(ff_ode_curve(path->ode, i), c);
  }
  return 1;
}

int ff_petri_wave_add_kink(ff_petri_wave *w, double time) {
  if (w->n_kinks > 0 && w->kink[w->n_kinks - 1] == time) return 1;
  if (ff_grow((void **)&w->kink, &w->kinks_room, w->n_kinks + 1, sizeof *w->kink, NULL) != FF_OK) return 0;
  w->kink[w->n_kinks++] = time;
  return 1;
}

int ff_petri_wave_add_firing(ff_petri_wave *w, const ff_petri_path *path, ff_petri_member fired) {
  const ff_petri_program *p = path->program;
  const ff_petri_law *law = &p->law[fired.law];
  if (ff_grow((void **)&w->firing, &w->firings_room, w->n_firings + 1, sizeof *w->firing, NULL) != FF_OK) return 0;
  if (ff_grow((void **)&w->became, &w->became_room, w->n_became + law->n_effects, sizeof *w->became, NULL) != FF_OK) return 0;
  w->firing[w->n_firings++] = (ff_petri_firing){path->now, ff_petri_number_of(p, fired), (uint32_t)w->n_became};
  for (uint32_t c = 0; c < law->n_effects; c++) {
    const uint32_t value = ff_petri_value_of(law, law->effect[c].row, fired.i);
    if (value >= p->n_levels) w->became[w->n_became++] = (ff_petri_became){p->value_place[value], path->value[value]};
  }
  return 1;
}

int ff_petri_wave_guess(ff_petri_wave *w, const double *guess, uint32_t levels, double from, double to) {
  ff_petri_wave_clear(w);
  double *piece = new_piece(w, levels, from);
  if (piece == NULL) return 0;
  double *c = piece + FF_PETRI_PIECE_HEAD;
  const double length = to - from;
  piece[1] = 1 / length;
  for (uint32_t i = 0; i < levels; i++, c += FF_PETRI_PIECE_STEP, guess += 3) {
    ff_petri_piece_guess(guess[0], guess[1], guess[2], length, c);
    c[5] = 0;
  }
  return 1;
}

void ff_petri_wave_end(const ff_petri_wave *w, uint32_t levels, double t, double window, double *guess) {
  const double *piece = w->piece + (w->n_pieces - 1) * ff_petri_piece_size(levels), per = piece[1], s = (t - piece[0]) * per;
  for (uint32_t i = 0; i < levels; i++) ff_petri_piece_end(piece + ff_petri_piece_size(i), s, per, window, guess + 3 * i);
}

int ff_petri_wave_is_alike(const ff_petri_wave *a, const ff_petri_wave *b) {
  if (a->n_kinks == 0 && b->n_kinks == 0) return 1;
  if (a->n_firings != b->n_firings || a->n_kinks != b->n_kinks) return 0;
  for (size_t k = 0; k < a->n_firings; k++)
    if (a->firing[k].transition != b->firing[k].transition) return 0;
  return 1;
}

/* The same at one time, from the pieces *at and *bt on. */
static double distance_at(const ff_petri_wave *a, const ff_petri_wave *b, const ff_petri_program *p, double t, size_t *at,
                          size_t *bt) {
  const size_t size = ff_petri_piece_size(p->n_levels);
  const double relative = p->options.relative, absolute = p->options.absolute;
  double most = 0;
  *at = ff_petri_wave_at(a, size, *at, t, 0);
  *bt = ff_petri_wave_at(b, size, *bt, t, 0);
  const double *x = a->piece + *at * size, *y = b->piece + *bt * size;
  const double s = (t - x[0]) * x[1], r = (t - y[0]) * y[1];
  for (uint32_t i = 0; i < p->n_levels; i++) {
    const double u = ff_petri_piece_value(x, i, s), v = ff_petri_piece_value(y, i, r);
    const double distance = fabs(u - v) / (absolute + relative * fabs(v));
    if (!(distance <= most)) most = distance < INFINITY ? distance : INFINITY;
  }
  return most;
}

/* The largest distance in the middle of each piece of b, and at the end of the window. */
static double distance_by(const ff_petri_wave *a, const ff_petri_wave *b, const ff_petri_program *p, double from, double to) {
  const size_t size = ff_petri_piece_size(p->n_levels);
  const double shortest = FF_PETRI_SHORTEST_PIECE * (to - from);
  size_t at = 0, bt = 0;
  double most = 0;
  if (p->n_levels == 0) return 0;
  for (size_t k = 0; k < b->n_pieces; k++) {
    const double begin = b->piece[k * size], end = k + 1 < b->n_pieces ? b->piece[(k + 1) * size] : to;
    if (end - begin < shortest) continue; /* jumps of levels are at about the same times */
    const double own = distance_at(a, b, p, begin + (end - begin) / 2, &at, &bt);
    if (own > most) most = own;
  }
  const double own = distance_at(a, b, p, to, &at, &bt);
  return own > most ? own : most;
}

double ff_petri_wave_distance(const ff_petri_wave *a, const ff_petri_wave *b, const ff_petri_program *p, double from, double to) {
  const double x = distance_by(a, b, p, from, to), y = distance_by(b, a, p, from, to);
  return x > y ? x : y;
}
