/* Modes of relaxation. */
#include "ff_modes.h"

#include <math.h>
#include <string.h>

#include "../base/ff_math.h"

#define NULL_MODE 1e-10 /* rates below this part of the fastest one are those of closed loops, which change no count */
#define NULL_PIVOT 1e-12

/* Householder's reduction of a symmetric matrix of order m to a tridiagonal one with the same eigenvalues. */
static void make_tridiagonal(const ff_modes *e, double *a, size_t m) {
  double *v = e->vector;
  for (size_t k = 0; k + 2 < m; k++) {
    double square = 0, product = 0;
    for (size_t i = k + 1; i < m; i++) square += a[i * m + k] * a[i * m + k];
    const double norm = ff_math_sqrt(square), pivot = a[(k + 1) * m + k], beside = pivot > 0 ? -norm : norm;
    e->beside[k] = beside;
    if (!(norm > 0)) continue;
    for (size_t i = k + 1; i < m; i++) v[i] = a[i * m + k];
    v[k + 1] -= beside;
    const double scale = 1 / (norm * (norm + fabs(pivot))); /* 2 / (v v) */
    double *q = e->diagonal; /* entries from k + 1 on are not yet in use */
    for (size_t i = k + 1; i < m; i++) {
      double sum = 0;
      for (size_t j = k + 1; j < m; j++) sum += a[i * m + j] * v[j];
      q[i] = scale * sum;
      product += q[i] * v[i];
    }
    for (size_t i = k + 1; i < m; i++) q[i] -= scale * product / 2 * v[i];
    for (size_t i = k + 1; i < m; i++)
      for (size_t j = k + 1; j < m; j++) a[i * m + j] -= v[i] * q[j] + q[i] * v[j];
  }
  if (m > 1) e->beside[m - 2] = a[(m - 1) * m + m - 2];
  for (size_t i = 0; i < m; i++) e->diagonal[i] = a[i * m + i];
}

/* The number of eigenvalues of the tridiagonal matrix that are below a value (Sturm). */
static size_t count_below(const ff_modes *e, size_t m, double value) {
  size_t n = 0;
  double q = 1;
  for (size_t i = 0; i < m; i++) {
    const double square = i > 0 ? e->beside[i - 1] * e->beside[i - 1] : 0;
    q = e->diagonal[i] - value - (i > 0 ? square / q : 0);
    if (q == 0) q = 0x1p-500;
    n += q < 0;
  }
  return n;
}

int ff_modes_fast(const ff_modes *e, const double *a, size_t m, double rate, double *slowest) {
  double fastest = 0, high = 0, low = rate;
  *slowest = a[0];
  if (m == 1) return a[0] >= rate;
  memcpy(e->matrix, a, m * m * sizeof *a);
  make_tridiagonal(e, e->matrix, m);
  for (size_t i = 0; i < m; i++) {
    fastest = e->diagonal[i] > fastest ? e->diagonal[i] : fastest; /* at least 1 / m of the trace */
    high += e->diagonal[i];                                        /* no eigenvalue is larger than the trace */
  }
  const size_t loops = count_below(e, m, NULL_MODE * fastest);
  if (count_below(e, m, rate) != loops) return 0;
  while (high > 1.01 * low) {
    const double middle = low + (high - low) / 2;
    if (count_below(e, m, middle) > loops)
      high = middle;
    else
      low = middle;
  }
  *slowest = low;
  return 1;
}

void ff_modes_root(double *a, size_t m) {
  for (size_t k = 0; k < m; k++) {
    const double before = a[k * m + k];
    double pivot = before;
    for (size_t j = 0; j < k; j++) pivot -= a[k * m + j] * a[k * m + j];
    const double root = pivot > NULL_PIVOT * before ? ff_math_sqrt(pivot) : 0;
    a[k * m + k] = root;
    for (size_t i = k + 1; i < m; i++) {
      double sum = a[i * m + k];
      for (size_t j = 0; j < k; j++) sum -= a[i * m + j] * a[k * m + j];
      a[i * m + k] = root > 0 ? sum / root : 0;
    }
  }
}

void ff_modes_solve(const double *root, size_t m, double *y) {
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j < i; j++) y[i] -= root[i * m + j] * y[j];
    y[i] /= root[i * m + i];
  }
  for (size_t i = m; i-- > 0;) {
    for (size_t j = i + 1; j < m; j++) y[i] -= root[j * m + i] * y[j];
    y[i] /= root[i * m + i];
  }
}
