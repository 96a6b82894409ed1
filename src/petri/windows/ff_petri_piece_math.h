/* Pieces of waves (ff_petri_wave.h), as numbers: the start, the inverse of the length, and for each level the coefficients of s^0
 * to s^4, where s goes from 0 to 1 in a piece. A piece ends where the next one begins. gcc, nvcc and NVRTC compile the same text.
 * Calls take O(1), unless something else is stated. */
#ifndef FF_PETRI_PIECE_MATH_H
#define FF_PETRI_PIECE_MATH_H

#include "../../ode/ff_ode_explicit_math.h"

#define FF_PETRI_COEFFICIENTS 5u
#define FF_PETRI_PIECE_HEAD 2u
#define FF_PETRI_MOST_SHORTER 1024.0 /* times, a piece than a window: beyond that, second derivatives are rounding errors */
#define FF_PETRI_PIECE_SIZE(levels) (FF_PETRI_PIECE_HEAD + FF_PETRI_COEFFICIENTS * (levels))

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

/* The integral of the level from `from` to `to`, from piece *at on, which becomes the one in which `to` is. O(pieces). */
static FF_HD inline double ff_petri_piece_integral(const double *piece, uint32_t n, size_t size, uint32_t *at, uint32_t level,
                                                   double from, double to) {
  double sum = 0;
  FF_NO_UNROLL while (from < to) {
    const double *own = piece + *at * size;
    const double next = *at + 1 < n ? own[size] : to, end = next < to ? next : to;
    const double half = (end - from) / 2, middle = from + half, apart = half * 0.7745966692414834; /* Gauss's nodes */
    const double a = ff_petri_piece_value(own, level, (middle - apart - own[0]) * own[1]);
    const double b = ff_petri_piece_value(own, level, (middle - own[0]) * own[1]);
    const double c = ff_petri_piece_value(own, level, (middle + apart - own[0]) * own[1]);
    if (end > from) sum += half * (8.0 / 9 * b + 5.0 / 9 * (a + c));
    from = end;
    if (next <= end && *at + 1 < n) ++*at;
  }
  return sum;
}

typedef struct {
  double end, middle;
} ff_petri_unseen;

/* What a step of the solver from `from` to `to` gets wrong of the integral of a level up to its end and its middle, because pieces
 * end within: what its stages make of it, less the integral of the pieces from piece `at` on, in which the step begins. The
 * stages integrate a piece exactly. O(pieces in between). */
static FF_HD inline ff_petri_unseen ff_petri_piece_unseen(const double *piece, uint32_t n, size_t size, uint32_t at,
                                                          uint32_t level, double from, double to) {
  const double h = to - from, middle = from + h / 2;
  double x[FF_ODE_EXPLICIT_STAGES], c[FF_ODE_DENSE];
  ff_petri_unseen out = {0, 0};
  uint32_t of = at;
  if (at + 1 >= n || !(piece[(at + 1) * size] < to)) return out;
  FF_NO_UNROLL for (int i = 0; i < FF_ODE_EXPLICIT_STAGES; i++) {
    const double t = i < 5 ? from + ff_ode_explicit_node(i) * h : to;
    if (t > from) of = ff_petri_piece_at(piece, n, size, of, t, 0);
    const double *own = piece + of * size;
    x[i] = ff_petri_piece_value(own, level, (t - own[0]) * own[1]);
  }
  const double end = ff_ode_explicit_6(0, h, x[0], x[2], x[3], x[4], x[5]);
  ff_ode_explicit_dense(h, 0, end, x, c);
  const double first = ff_petri_piece_integral(piece, n, size, &at, level, from, middle);
  out.middle = ff_ode_dense_value(c, 0.5) - first;
  out.end = end - (first + ff_petri_piece_integral(piece, n, size, &at, level, middle, to));
  return out;
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
