/* Pieces of waves (ff_petri_wave.h), as numbers: the start, the inverse of the length, and for each level the coefficients of s^0
 * to s^4, where s goes from 0 to 1 in a piece, and the integral of the level over the pieces before. A piece ends where the next
 * one begins. gcc, nvcc and NVRTC compile the same text.
 * Calls take O(1), unless something else is stated. */
#ifndef FF_PETRI_PIECE_MATH_H
#define FF_PETRI_PIECE_MATH_H

#include "../../ode/ff_ode_explicit_math.h"

#define FF_PETRI_COEFFICIENTS 5u
#define FF_PETRI_PIECE_HEAD 2u
#define FF_PETRI_NEVER 1e308 /* after all times */
#define FF_PETRI_MOST_SHORTER 1024.0 /* times, a piece than a window: beyond that, second derivatives are rounding errors */
#define FF_PETRI_PIECE_STEP (FF_PETRI_COEFFICIENTS + 1u) /* numbers of a level */
#define FF_PETRI_PIECE_SIZE(levels) (FF_PETRI_PIECE_HEAD + FF_PETRI_PIECE_STEP * (levels))

/* The polynomial of these coefficients. */
static FF_HD inline double ff_petri_piece_polynomial(const double *c, double s) {
  return c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * c[4])));
}

/* The level at part s of a piece. */
static FF_HD inline double ff_petri_piece_value(const double *piece, uint32_t level, double s) {
  return ff_petri_piece_polynomial(piece + FF_PETRI_PIECE_SIZE(level), s);
}

/* Goes on from piece `at` of n, which have `size` numbers, to the one in which t is; where a piece ends, to the next one if
 * `after`. O(pieces in between). */
static FF_HD inline uint32_t ff_petri_piece_at(const double *piece, uint32_t n, size_t size, uint32_t at, double t, int after) {
  FF_NO_UNROLL for (; at + 1 < n; at++) {
    const double next = piece[(at + 1) * size];
    if (!(after ? next <= t : next < t)) break;
  }
  return at;
}

/* The integral of a level up to time t, from the first piece on. c: the level's numbers in the piece in which t is. */
static FF_HD inline double ff_petri_piece_integral(const double *piece, const double *c, double t) {
  const double since = t - piece[0], s = since * piece[1];
  return c[5] + since * (c[0] + s * (1.0 / 2 * c[1] + s * (1.0 / 3 * c[2] + s * (1.0 / 4 * c[3] + s * (1.0 / 5 * c[4])))));
}

#define FF_PETRI_STAGES 6u /* at which given levels are read: 0 to 5; the last one is at the end of the step, as stage 6 */

/* What an explicit step reads of a level. Its stages integrate a piece exactly, but not several pieces. */
typedef struct {
  double x[FF_PETRI_STAGES];
  double end;       /* what stages make of the integral up to the end of the step, less that of the pieces */
  double shift;     /* added to the stages within the step, this makes them integrate the level up to the end */
  double middle;    /* with the shift: what the step makes of the integral up to its middle, less that of the pieces */
  uint32_t spanned; /* pieces that end in the step; if 0, so are end, shift and middle */
} ff_petri_reading;

/* Sets end, shift and middle, from what was read at the stages, and the integrals up to the middle and the end of the step. */
static FF_HD inline void ff_petri_piece_compare(double half, double whole, double h, ff_petri_reading *out) {
  const double *x = out->x;
  out->end = ff_ode_explicit_6(0, h, x[0], x[2], x[3], x[4], x[5]) - whole;
  out->shift = -out->end / (h * (500.0 / 1113 + 125.0 / 192 - 2187.0 / 6784)); /* weights of stages 2 to 4 at the end */
  const double by = out->shift;
  const double k[FF_ODE_EXPLICIT_STAGES] = {x[0], x[1] + by, x[2] + by, x[3] + by, x[4] + by, x[5], x[5]};
  double dense[FF_ODE_DENSE];
  ff_ode_explicit_dense(h, 0, whole, k, dense);
  out->middle = ff_ode_dense_value(dense, 0.5) - half;
}

/* Reads a level for a step of length h at time `from`, from piece `at` on, in which it begins. The stages at the start and at the
 * end have no shift, since steps share them. O(pieces in between). */
static FF_HD inline void ff_petri_piece_read(const double *piece, uint32_t n, size_t size, uint32_t at, uint32_t level,
                                             double from, double h, ff_petri_reading *out) {
  const double *own = piece + at * size, *c = own + FF_PETRI_PIECE_SIZE(level);
  const double begin = ff_petri_piece_integral(own, c, from);
  double next = at + 1 < n ? own[size] : FF_PETRI_NEVER, half = 0;
  out->x[0] = ff_petri_piece_polynomial(c, (from - own[0]) * own[1]);
  out->spanned = at;
  for (uint32_t k = 1; k <= FF_PETRI_STAGES; k++) { /* the middle is between stages 2 and 3 */
    const double t = from + (k == 3 ? 0.5 : ff_ode_explicit_node((int)(k < 3 ? k : k - 1))) * h;
    if (t > next) {
      at = ff_petri_piece_at(piece, n, size, at, t, 0);
      own = piece + at * size;
      c = own + FF_PETRI_PIECE_SIZE(level);
      next = at + 1 < n ? own[size] : FF_PETRI_NEVER;
    }
    if (k == 3)
      half = ff_petri_piece_integral(own, c, t);
    else
      out->x[k < 3 ? k : k - 1] = ff_petri_piece_polynomial(c, (t - own[0]) * own[1]);
  }
  out->spanned = at - out->spanned;
  out->end = out->shift = out->middle = 0;
  if (out->spanned > 0) ff_petri_piece_compare(half - begin, ff_petri_piece_integral(own, c, from + h) - begin, h, out);
}

/* The same, part by part, for lanes that share it: x[k], or for k = FF_PETRI_STAGES the integral up to the middle of the step, and
 * for the next k up to its end. Sets the number of pieces that end before. */
static FF_HD inline double ff_petri_piece_part(const double *piece, uint32_t n, size_t size, uint32_t at, uint32_t level,
                                               double from, double h, uint32_t k, uint32_t *spanned) {
  const double t = from + (k == FF_PETRI_STAGES ? 0.5 : ff_ode_explicit_node((int)k)) * h;
  const uint32_t to = ff_petri_piece_at(piece, n, size, at, t, 0);
  const double *begin = piece + at * size, *own = piece + to * size;
  *spanned = to - at;
  if (k < FF_PETRI_STAGES) return ff_petri_piece_value(own, level, (t - own[0]) * own[1]);
  return ff_petri_piece_integral(own, own + FF_PETRI_PIECE_SIZE(level), t) -
         ff_petri_piece_integral(begin, begin + FF_PETRI_PIECE_SIZE(level), from);
}

/* Coefficients from those of a solver's dense output: d0 + s (d1 + r (d2 + s (d3 + r d4))), where r = 1 - s. */
static FF_HD inline void ff_petri_piece_of_dense(const double *d, double *c) {
  c[0] = d[0];
  c[1] = d[1] + d[2];
  c[2] = d[3] - d[2] + d[4];
  c[3] = -d[3] - 2 * d[4];
  c[4] = d[4];
}

/* Coefficients of a guess: a parabola of this length from value, slope and second derivative at its start. */
static FF_HD inline void ff_petri_piece_guess(double value, double slope, double second, double length, double *c) {
  c[0] = value;
  c[1] = slope * length;
  c[2] = second * (length * length / 2);
  c[3] = c[4] = 0;
}

/* The slope and the second derivative at part s; per: the inverse of the piece's length. */
static FF_HD inline double ff_petri_piece_slope(const double *c, double s, double per) {
  return (c[1] + s * (2 * c[2] + s * (3 * c[3] + s * (4 * c[4])))) * per;
}

static FF_HD inline double ff_petri_piece_second(const double *c, double s, double per) {
  return (2 * c[2] + s * (6 * c[3] + s * (12 * c[4]))) * (per * per);
}

/* Sets value, slope and second derivative at part s, where a window ends, for a guess over the next one, of length `window`. Of a
 * very short piece, the slope is that at its start, and the second derivative counts as 0: both would be rounding errors. */
static FF_HD inline void ff_petri_piece_end(const double *c, double s, double per, double window, double *guess) {
  const int is_long = per * window <= FF_PETRI_MOST_SHORTER;
  guess[0] = ff_petri_piece_polynomial(c, s);
  guess[1] = ff_petri_piece_slope(c, is_long ? s : 0, per);
  guess[2] = is_long ? ff_petri_piece_second(c, s, per) : 0;
}

#endif
