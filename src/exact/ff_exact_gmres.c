#include "ff_exact_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ff_status ff_exact_gmres_new(ff_exact_gmres *g, uint32_t n, uint32_t max, ff_error *err) {
  memset(g, 0, sizeof *g);
  g->n = n;
  g->max = max;
  g->basis = ff_calloc((size_t)n * (max + 1u), sizeof *g->basis);
  g->h = ff_calloc((size_t)(max + 1u) * max, sizeof *g->h);
  g->cosine = ff_calloc(max, sizeof *g->cosine);
  g->sine = ff_calloc(max, sizeof *g->sine);
  g->g = ff_calloc(max + 1u, sizeof *g->g);
  if (!g->basis || !g->h || !g->cosine || !g->sine || !g->g) {
    ff_exact_gmres_free(g);
    return ff_error_set(err, FF_EMEMORY, "no memory for %u vectors of %u states", max + 1u, n);
  }
  return FF_OK;
}

void ff_exact_gmres_free(ff_exact_gmres *g) {
  free(g->basis);
  free(g->h);
  free(g->cosine);
  free(g->sine);
  free(g->g);
  memset(g, 0, sizeof *g);
}

/* Subtracts a multiple of `unit`, a vector of mass 1, from v, so that v has mass 0. The rows of T sum to 1 only up to
 * rounding. The mass from rounding errors would lie in the direction of the stationary vector, which I - T maps to 0. */
static int remove_mass(double *v, const double *unit, uint32_t n, ff_exact_place *place, ff_exact_turn *turn) {
  enum { SUM, TAKE };
  uint32_t lo, hi;
  if (place->stage == SUM) {
    double mass = place->at ? place->sum[0] : 0;
    while (ff_exact_take(turn, place, n, &lo, &hi))
      for (uint32_t i = lo; i < hi; i++) mass += v[i];
    place->sum[0] = mass;
    if (!ff_exact_through(place, n, TAKE)) return 0;
  }
  double mass = place->sum[0];
  while (ff_exact_take(turn, place, n, &lo, &hi))
    for (uint32_t i = lo; i < hi; i++) v[i] -= mass * unit[i];
  return ff_exact_through(place, n, SUM);
}

int ff_exact_gmres_begin(ff_exact_gmres *g, const double *r, const double *unit, ff_exact_turn *turn) {
  enum { COPY, MASS, NORM, DIVIDE };
  ff_exact_place *place = &g->place;
  uint32_t lo, hi, n = g->n;
  double square, norm;
  for (;;) switch (place->stage) {
      case COPY:
        if (!ff_exact_copy(g->basis, r, n, place, turn)) return 0;
        place->stage = unit ? MASS : NORM;
        break;
      case MASS:
        if (!remove_mass(g->basis, unit, n, &g->mass, turn)) return 0;
        place->stage = NORM;
        break;
      case NORM:
        if (!ff_exact_dot(&square, g->basis, g->basis, n, place, turn)) return 0;
        g->start = sqrt(square);
        place->stage = DIVIDE;
        break;
      default:
        norm = g->start;
        while (ff_exact_take(turn, place, n, &lo, &hi))
          for (uint32_t i = lo; i < hi; i++) g->basis[i] = norm > 0 ? g->basis[i] / norm : 0;
        if (!ff_exact_through(place, n, COPY)) return 0;
        memset(g->g, 0, (g->max + 1u) * sizeof *g->g);
        g->g[0] = norm;
        g->unit = unit;
        g->at = 0;
        return 1;
    }
}

/* Adds column j of h, whose last entry is `norm`, to the least-squares problem. */
static double rotate(ff_exact_gmres *g, double *h, double norm) {
  uint32_t j = g->at;
  h[j + 1] = norm;
  for (uint32_t k = 0; k < j; k++) {
    double a = h[k], b = h[k + 1];
    h[k] = g->cosine[k] * a + g->sine[k] * b;
    h[k + 1] = g->cosine[k] * b - g->sine[k] * a;
  }
  double length = hypot(h[j], h[j + 1]);
  if (!(length > 0)) return 0; /* the operator maps this vector to 0, so the vector cannot improve anything */
  g->cosine[j] = h[j] / length;
  g->sine[j] = h[j + 1] / length;
  h[j] = length;
  g->g[j + 1] = -g->sine[j] * g->g[j];
  g->g[j] *= g->cosine[j];
  g->at = j + 1;
  return norm > 0 ? fabs(g->g[j + 1]) / g->start : 0;
}

/* One case for each stage. */
int ff_exact_gmres_step(ff_exact_gmres *g, ff_exact_system *sys, double *z, double *t, double *ratio, ff_exact_turn *turn) {
  enum { APPLY, SUBTRACT, MASS, BEFORE, PROJECT, TAKE, NORM, DIVIDE };
  uint32_t lo, hi, j = g->at, n = g->n;
  *ratio = 0;
  if (j >= g->max || !(g->start > 0)) return 1;
  const double *v = g->basis + (size_t)j * n, *b;
  double *next = g->basis + (size_t)(j + 1) * n, *h = g->h + (size_t)j * (g->max + 1u), square, norm;
  ff_exact_place *place = &g->place;
  for (;;) switch (place->stage) {
      case APPLY:
        if (!ff_exact_system_apply(sys, v, z, t, turn)) return 0;
        place->stage = SUBTRACT;
        break;
      case SUBTRACT:
        while (ff_exact_take(turn, place, n, &lo, &hi))
          for (uint32_t i = lo; i < hi; i++) next[i] = v[i] - t[i];
        if (!ff_exact_through(place, n, g->unit ? MASS : BEFORE)) return 0;
        break;
      case MASS:
        if (!remove_mass(next, g->unit, n, &g->mass, turn)) return 0;
        place->stage = BEFORE;
        break;
      case BEFORE:
        if (!ff_exact_dot(&square, next, next, n, place, turn)) return 0;
        g->before = sqrt(square);
        g->against = 0;
        place->stage = PROJECT;
        break;
      case PROJECT:
        if (!ff_exact_dot(&h[g->against], next, g->basis + (size_t)g->against * n, n, place, turn)) return 0;
        place->stage = TAKE;
        break;
      case TAKE:
        b = g->basis + (size_t)g->against * n;
        while (ff_exact_take(turn, place, n, &lo, &hi)) {
          double c = h[g->against];
          for (uint32_t i = lo; i < hi; i++) next[i] -= c * b[i];
        }
        if (!ff_exact_through(place, n, PROJECT)) return 0;
        if (++g->against > j) place->stage = NORM;
        break;
      case NORM:
        if (!ff_exact_dot(&square, next, next, n, place, turn)) return 0;
        g->norm = sqrt(square);
        place->stage = DIVIDE;
        break;
      default:
        norm = g->norm > 1e-15 * g->before ? g->norm : 0; /* 0: the basis cannot grow */
        while (ff_exact_take(turn, place, n, &lo, &hi))
          for (uint32_t i = lo; i < hi; i++) next[i] = norm > 0 ? next[i] / norm : 0;
        if (!ff_exact_through(place, n, APPLY)) return 0;
        *ratio = rotate(g, h, norm);
        return 1;
    }
}

int ff_exact_gmres_end(ff_exact_gmres *g, double *x, ff_exact_turn *turn) {
  enum { SOLVE, ADD };
  uint32_t lo, hi;
  if (g->place.stage == SOLVE) {
    for (uint32_t j = g->at; j-- > 0;) {
      double y = g->g[j];
      for (uint32_t k = j + 1; k < g->at; k++) y -= g->h[(size_t)k * (g->max + 1u) + j] * g->g[k];
      g->g[j] = y / g->h[(size_t)j * (g->max + 1u) + j];
    }
    g->against = 0;
    g->place.stage = ADD;
  }
  for (; g->against < g->at; g->against++) {
    const double *b = g->basis + (size_t)g->against * g->n;
    while (ff_exact_take(turn, &g->place, g->n, &lo, &hi)) {
      double c = g->g[g->against];
      for (uint32_t i = lo; i < hi; i++) x[i] += c * b[i];
    }
    if (!ff_exact_through(&g->place, g->n, ADD)) return 0;
  }
  g->place.stage = SOLVE;
  g->at = 0;
  return 1;
}
