#include "ff_eliminate.h"

#include <math.h>

/* Moves the largest entry of column k from row k on into row k. Returns 0 if there is none but 0. */
static int pivot(double *a, double *y, size_t n, size_t k) {
  size_t best = k;
  for (size_t i = k + 1; i < n; i++)
    if (fabs(a[k * n + i]) > fabs(a[k * n + best])) best = i;
  if (!(fabs(a[k * n + best]) > 0)) return 0;
  for (size_t j = k; j < n && best != k; j++) {
    const double x = a[j * n + k];
    a[j * n + k] = a[j * n + best];
    a[j * n + best] = x;
  }
  const double right = y[k];
  y[k] = y[best];
  y[best] = right;
  return 1;
}

int ff_eliminate(double *a, double *y, size_t n) {
  for (size_t k = 0; k < n; k++) {
    if (!pivot(a, y, n, k)) return 0;
    for (size_t i = k + 1; i < n; i++) {
      a[k * n + i] /= a[k * n + k];
      y[i] -= a[k * n + i] * y[k];
    }
    for (size_t j = k + 1; j < n; j++) {
      const double factor = a[j * n + k];
      if (factor == 0) continue;
      for (size_t i = k + 1; i < n; i++) a[j * n + i] -= a[k * n + i] * factor;
    }
  }
  for (size_t k = n; k-- > 0;) {
    y[k] /= a[k * n + k];
    for (size_t i = 0; i < k; i++) y[i] -= a[k * n + i] * y[k];
  }
  return 1;
}
