/* Profiles of hazards: values along a segment, and their integrals. */
#include <string.h>

#include "../within/ff_petri_peak_math.h"
#include "ff_petri_path_internal.h"

enum { ROOM = 8 }; /* FF_PETRI_POINTS, rounded up */

#define MOST_BOUNDED (FF_PETRI_MOST_PIECES / 2)

static double clip(double level) { return level < 0 ? 0 : level; }

/* Values at `n` points of a part of the segment, into path->stack. */
static void set_points(ff_petri_path *path, const ff_petri_profile *profile, double begin, double width, uint32_t n) {
  const ff_petri_program *p = path->program;
  double s[FF_PETRI_POINTS];
  for (uint32_t i = 0; i < n; i++) s[i] = begin + width * ff_petri_node((int)i);
  for (uint32_t k = 0; k < profile->plain.n; k++) {
    const uint32_t value = profile->plain.read[k];
    double *row = path->gathered + (size_t)k * ROOM;
    if (value < p->n_levels && !path->flat) {
      const double *curve = ff_ode_curve(path->ode, value);
      for (uint32_t i = 0; i < n; i++) row[i] = clip(ff_ode_dense_value(curve, s[i] * path->part));
    } else if (value == p->time) {
      for (uint32_t i = 0; i < n; i++) row[i] = path->start + (path->from + path->length * s[i]);
    } else {
      for (uint32_t i = 0; i < n; i++) row[i] = value < p->n_levels ? clip(path->value[value]) : path->value[value];
    }
  }
  ff_formula_values(&profile->plain.formula, path->gathered, ROOM, n, path->stack);
}

/* What is known of a profile in the whole segment: perhaps the caller of the trajectory has computed it. */
static const ff_petri_whole *try_whole(ff_petri_path *path, uint32_t k) {
  const ff_petri_profile *profile = &path->program->profile[k];
  ff_petri_whole *out = &path->tried[k];
  if (path->tried_of == path->segment && path->part == 1 && out->known) return out;
  set_points(path, profile, 0, 1, profile->affine ? FF_PETRI_NODES : FF_PETRI_POINTS);
  ff_petri_try(path->stack, profile->affine, &out->whole);
  out->span = profile->quick && !profile->affine ? ff_petri_peak_span(path, &profile->plain.formula, profile->plain.read, 1)
                                                 : ff_petri_span_new(NAN, NAN);
  return out;
}

static const ff_petri_tried *try_part(ff_petri_path *path, uint32_t k, const ff_petri_part *piece, ff_petri_tried *room) {
  const ff_petri_profile *profile = &path->program->profile[k];
  if (piece->width == 1) return &try_whole(path, k)->whole;
  set_points(path, profile, piece->begin, piece->width, profile->affine ? FF_PETRI_NODES : FF_PETRI_POINTS);
  ff_petri_try(path->stack, profile->affine, room);
  return room;
}

/* Adds to what is known of the values. Returns whether they are finite, with one sign and that of earlier ones. */
static int take_values(ff_petri_curved *x, const ff_petri_tried *tried) {
  const double low = tried->low < x->low ? tried->low : x->low, high = tried->high > x->high ? tried->high : x->high;
  if (tried->low != tried->low || (low < 0 && high > 0)) return 0;
  x->low = low;
  x->high = high;
  return 1;
}

static int add_piece(ff_petri_path *path, ff_petri_curved *x, const ff_petri_part *piece) {
  if (path->n_pieces == path->pieces_room &&
      ff_grow((void **)&path->piece, &path->pieces_room, path->n_pieces + 1, sizeof *path->piece, NULL) != FF_OK) {
    ff_petri_path_fail(path, FF_PETRI_NO_MEMORY, 0, 0, 0);
    return 0;
  }
  path->piece[path->n_pieces++] = *piece;
  x->n++;
  return 1;
}

static double sum_of(const double *c) {
  double rate;
  return ff_petri_integral_at(c, 1, &rate);
}

/* Whether bounds of the profile let it have a peak between the points: one that adds more to the integral than is tolerated, and
 * is higher by more than four times what the values at the points differ, and an eighth of them. If it is lower, the points see a
 * fifth of its height, and so does the estimate of the error. Bounds that are too wide are so by the square of the width (see
 * ff_petri_crossing.h), so they do not ask for many pieces; and where there are very many, they are not asked. */
static int hides_peak(ff_petri_path *path, uint32_t k, const ff_petri_part *piece, const ff_petri_tried *tried) {
  const ff_petri_curved *x = &path->curved[k];
  const double part = path->part;
  if (path->program->profile[k].affine || x->n >= MOST_BOUNDED || piece->width <= FF_PETRI_PEAK_FINEST) return 0;
  const double slack = ff_petri_slack_of(x->allowed * piece->width, tried->sum, path->program->options.relative);
  if (piece->width == 1 && ff_petri_span_is_near(path->tried[k].span, tried->low, tried->high, slack)) return 0;
  const ff_petri_formula of = ff_petri_peak_profile(path, k);
  return ff_petri_peak_hides(&of, &path->peaks.step, part * piece->begin, part * (piece->begin + piece->width), tried->low,
                             tried->high, slack);
}

/* Whether a part is exact enough to be a piece. */
static int is_exact(ff_petri_path *path, uint32_t k, const ff_petri_part *piece, const ff_petri_tried *tried) {
  ff_petri_curved *x = &path->curved[k];
  return ff_petri_is_exact(x->allowed * piece->width, tried->sum, tried->error, path->program->options.relative) &&
         !hides_peak(path, k, piece, tried) && take_values(x, tried);
}

/* A value of the profile that is not as others, at the nodes of a piece. */
static double wrong_value(ff_petri_path *path, uint32_t k, const ff_petri_part *piece) {
  set_points(path, &path->program->profile[k], piece->begin, piece->width, FF_PETRI_NODES);
  double wrong = path->stack[0];
  for (uint32_t i = 1; i < FF_PETRI_NODES; i++)
    if (!(fabs(path->stack[i]) < INFINITY) || path->stack[i] < wrong) wrong = path->stack[i];
  return wrong;
}

static double integrate(ff_petri_path *path, uint32_t k, double size) {
  ff_petri_curved *x = &path->curved[k];
  ff_petri_part piece = {0, 1, 0, {0}};
  *x = (ff_petri_curved){.segment = path->segment, .first = (uint32_t)path->n_pieces, .allowed = size, .valid = 1};
  while (piece.begin < 1) {
    ff_petri_tried room;
    const ff_petri_tried *tried = try_part(path, k, &piece, &room);
    if (is_exact(path, k, &piece, tried) && x->n < FF_PETRI_MOST_PIECES) {
      memcpy(piece.c, tried->c, sizeof piece.c);
      if (!add_piece(path, x, &piece)) return piece.begin;
      x->error += piece.width * tried->error;
      piece.before += piece.width * tried->sum;
      piece.begin += piece.width;
      piece.width = ff_petri_next_width(piece.begin, piece.width);
      if (x->n > path->peaks.most) path->peaks.most = x->n;
    } else if (piece.width > 1.0 / (1u << FF_PETRI_MOST_DEPTH) && x->n < FF_PETRI_MOST_PIECES) {
      piece.width /= 2;
    } else {
      x->wrong = wrong_value(path, k, &piece);
      return x->valid = piece.begin;
    }
  }
  x->whole = piece.before;
  return 1;
}

double ff_petri_profile_integrate(ff_petri_path *path, uint32_t k, double size) {
  const ff_petri_curved *x = &path->curved[k];
  if (x->segment == path->segment) {
    const double sum = x->n == 1 ? sum_of(path->piece[x->first].c) : 0;
    if (size <= x->allowed || ff_petri_is_exact(size, sum, x->error, path->program->options.relative)) return x->valid;
  }
  return integrate(path, k, size);
}

double ff_petri_profile_integral(const ff_petri_path *path, uint32_t k, double s, double *rate) {
  const ff_petri_curved *x = &path->curved[k];
  const ff_petri_part *piece = path->piece + x->first;
  if (x->n == 0) {
    *rate = 0;
    return 0;
  }
  if (x->n == 1 && piece->width == 1) return ff_petri_integral_at(piece->c, s, rate);
  return ff_petri_integral_of_parts(piece, x->n, s, rate);
}

double ff_petri_profile_at(ff_petri_path *path, double t, uint32_t k) {
  const ff_petri_plain *plain = &path->program->profile[k].plain;
  if (k == 0) return 1;
  if (plain->formula.length == 1 && plain->n == 1) {
    const double x = ff_petri_value_at(path, t, plain->read[0]);
    return plain->read[0] < path->program->n_levels ? clip(x) : x;
  }
  for (uint32_t i = 0; i < plain->n; i++) {
    const double x = ff_petri_value_at(path, t, plain->read[i]);
    path->gathered[i] = plain->read[i] < path->program->n_levels ? clip(x) : x;
  }
  return ff_formula_value(&plain->formula, path->gathered, 0, path->stack);
}
