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

static double dot(const double *a, const double *b, uint32_t n) {
  double sum[4] = {0, 0, 0, 0};
  uint32_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (uint32_t k = 0; k < 4; k++) sum[k] += a[i + k] * b[i + k];
  for (; i < n; i++) sum[0] += a[i] * b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Takes the mass out of v along `unit`, a vector of mass 1. Rows of T sum to 1 up to rounding only, and the mass so made
 * would point along the very vector that I - T cannot tell from nothing. */
static void remove_mass(double *v, const double *unit, uint32_t n) {
  double mass = 0;
  for (uint32_t i = 0; i < n; i++) mass += v[i];
  for (uint32_t i = 0; i < n; i++) v[i] -= mass * unit[i];
}

void ff_exact_gmres_begin(ff_exact_gmres *g, const double *r, const double *unit) {
  g->unit = unit;
  memcpy(g->basis, r, g->n * sizeof *r);
  if (unit) remove_mass(g->basis, unit, g->n);
  double norm = sqrt(dot(g->basis, g->basis, g->n));
  for (uint32_t i = 0; i < g->n; i++) g->basis[i] = norm > 0 ? g->basis[i] / norm : 0;
  memset(g->g, 0, (g->max + 1u) * sizeof *g->g);
  g->g[0] = g->start = norm;
  g->at = 0;
}

double ff_exact_gmres_step(ff_exact_gmres *g, ff_exact_system *sys, double *z, double *t) {
  uint32_t j = g->at, n = g->n;
  if (j >= g->max || !(g->start > 0)) return 0;
  const double *v = g->basis + (size_t)j * n;
  double *next = g->basis + (size_t)(j + 1) * n, *h = g->h + (size_t)j * (g->max + 1u);
  ff_exact_system_apply(sys, v, z, t);
  for (uint32_t i = 0; i < n; i++) next[i] = v[i] - t[i];
  if (g->unit) remove_mass(next, g->unit, n);
  double before = sqrt(dot(next, next, n));
  for (uint32_t k = 0; k <= j; k++) {
    const double *b = g->basis + (size_t)k * n;
    double c = h[k] = dot(next, b, n);
    for (uint32_t i = 0; i < n; i++) next[i] -= c * b[i];
  }
  double norm = sqrt(dot(next, next, n));
  int invariant = !(norm > 1e-15 * before);
  h[j + 1] = invariant ? 0 : norm;
  for (uint32_t i = 0; i < n; i++) next[i] = invariant ? 0 : next[i] / norm;
  for (uint32_t k = 0; k < j; k++) {
    double a = h[k], b = h[k + 1];
    h[k] = g->cosine[k] * a + g->sine[k] * b;
    h[k + 1] = g->cosine[k] * b - g->sine[k] * a;
  }
  double length = hypot(h[j], h[j + 1]);
  if (!(length > 0)) return 0; /* the operator is 0 on this vector: nothing to gain from it */
  g->cosine[j] = h[j] / length;
  g->sine[j] = h[j + 1] / length;
  h[j] = length;
  g->g[j + 1] = -g->sine[j] * g->g[j];
  g->g[j] *= g->cosine[j];
  g->at = j + 1;
  return invariant ? 0 : fabs(g->g[j + 1]) / g->start;
}

void ff_exact_gmres_end(ff_exact_gmres *g, double *x) {
  for (uint32_t j = g->at; j-- > 0;) {
    double y = g->g[j];
    for (uint32_t k = j + 1; k < g->at; k++) y -= g->h[(size_t)k * (g->max + 1u) + j] * g->g[k];
    g->g[j] = y / g->h[(size_t)j * (g->max + 1u) + j];
  }
  for (uint32_t j = 0; j < g->at; j++) {
    const double *b = g->basis + (size_t)j * g->n;
    for (uint32_t i = 0; i < g->n; i++) x[i] += g->g[j] * b[i];
  }
  g->at = 0;
}
