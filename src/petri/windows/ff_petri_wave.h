/* What a block does in a window: its levels as polynomials, and its firings. */
#ifndef FF_PETRI_WAVE_H
#define FF_PETRI_WAVE_H

#include "../path/ff_petri_path.h"
#include "ff_petri_piece_math.h"

typedef struct {
  double time;
  uint32_t transition; /* of the block's program */
  uint32_t first;      /* what places became: became[first] to that of the next firing */
} ff_petri_firing;

typedef struct {
  uint32_t place; /* of the block's program; not a level */
  double value;
} ff_petri_became;

/* Pieces are those of ff_petri_piece_math.h. */
typedef struct {
  double *piece, *kink; /* kink: the times at which flows have a jump or a bend */
  ff_petri_firing *firing;
  ff_petri_became *became;
  size_t n_pieces, n_kinks, n_firings, n_became;
  size_t pieces_room, kinks_room, firings_room, became_room; /* of pieces: numbers */
} ff_petri_wave;

static inline size_t ff_petri_piece_size(uint32_t levels) { return FF_PETRI_PIECE_SIZE((size_t)levels); }

/* As ff_petri_piece_at() does. */
static inline size_t ff_petri_wave_at(const ff_petri_wave *wave, size_t size, size_t at, double t, int after) {
  return ff_petri_piece_at(wave->piece, (uint32_t)wave->n_pieces, size, (uint32_t)at, t, after);
}

void ff_petri_wave_free(ff_petri_wave *wave);
void ff_petri_wave_clear(ff_petri_wave *wave);

/* Adds what the path is about to do. Each returns 0 if there is no memory. */
int ff_petri_wave_add_segment(ff_petri_wave *wave, const ff_petri_path *path); /* O(levels) */
int ff_petri_wave_add_kink(ff_petri_wave *wave, double time);
int ff_petri_wave_add_firing(ff_petri_wave *wave, const ff_petri_path *path, ff_petri_member fired); /* after it. O(effects) */

/* Makes it one piece without firings, from values, slopes and second derivatives of levels at its start; guess[3 * level] and so
 * on. O(levels). */
int ff_petri_wave_guess(ff_petri_wave *wave, const double *guess, uint32_t levels, double from, double to);
/* Sets guess[] to the same of a wave at its end, which is time t, for a guess over a window of this length. O(levels). */
void ff_petri_wave_end(const ff_petri_wave *wave, uint32_t levels, double t, double window, double *guess);

/* Whether flows change equally often in both waves, and because the same transitions fire. Firings that change no flow mean
 * nothing to neighbours. O(firings). */
int ff_petri_wave_is_alike(const ff_petri_wave *a, const ff_petri_wave *b);

/* The largest distance of two waves in the middle of each piece of both, and at the end of the window, in units of what the
 * tolerances permit. With the pieces of one of them alone, a pulse that only the other one has may not be seen.
 * O(pieces * levels). */
double ff_petri_wave_distance(const ff_petri_wave *a, const ff_petri_wave *b, const ff_petri_program *program, double from,
                              double to);

#endif
