/* The elimination of ff_sparse_lu.h, for a caller that has the arrays: `value` has a number for each entry of the factors, and
 * the others n. gcc, nvcc and NVRTC compile the same text. */
#ifndef FF_SPARSE_LU_MATH_H
#define FF_SPARSE_LU_MATH_H

#include "../base/ff_math.h"
#include "ff_sparse_order.h"

/* Whether a pivot is neither 0 nor infinite, nor NaN. */
static FF_HD inline int ff_sparse_is_pivot(double x) {
  const double size = ff_math_absolute(x);
  return size > 0 && size < ff_math_infinity();
}

/* Sets the factors of a + shift I, and `inverse`, 1 / pivot. `row` is room. Returns 0 if a pivot is 0 or not finite. O(operations
 * of an elimination). */
static FF_HD inline int ff_sparse_factor(const ff_sparse_order *o, const double *a, double shift, double *value, double *inverse,
                                         double *row) {
  for (uint32_t i = 0; i < o->n; i++) {
    const size_t begin = o->first[i], middle = o->diagonal[i], end = o->first[i + 1];
    for (size_t p = begin; p < end; p++) row[o->column[p]] = o->source[p] == FF_SPARSE_NONE ? 0 : a[o->source[p]];
    row[i] += shift;
    for (size_t p = begin; p < middle; p++) {
      const uint32_t k = o->column[p];
      const double factor = row[k] * inverse[k];
      value[p] = factor;
      for (size_t q = o->diagonal[k] + 1; q < o->first[k + 1]; q++) row[o->column[q]] -= factor * value[q];
    }
    for (size_t p = middle; p < end; p++) value[p] = row[o->column[p]];
    if (!ff_sparse_is_pivot(row[i])) return 0;
    inverse[i] = 1 / row[i];
  }
  return 1;
}

/* Row i of L x = y, after those rows whose x it reads; and of U y = x. */
static FF_HD inline void ff_sparse_forward(const ff_sparse_order *o, uint32_t i, const double *value, double *x,
                                           const double *y) {
  double sum = y[o->order[i]];
  for (size_t p = o->first[i]; p < o->diagonal[i]; p++) sum -= value[p] * x[o->column[p]];
  x[i] = sum;
}

static FF_HD inline void ff_sparse_backward(const ff_sparse_order *o, uint32_t i, const double *value, const double *inverse,
                                            double *x, double *y) {
  double sum = x[i];
  for (size_t p = o->diagonal[i] + 1; p < o->first[i + 1]; p++) sum -= value[p] * x[o->column[p]];
  x[i] = sum * inverse[i];
  y[o->order[i]] = x[i];
}

/* Replaces y by the solution. x is room. O(entries of the factors). */
static FF_HD inline void ff_sparse_solve(const ff_sparse_order *o, const double *value, const double *inverse, double *x,
                                         double *y) {
  for (uint32_t i = 0; i < o->n; i++) ff_sparse_forward(o, i, value, x, y);
  for (uint32_t i = o->n; i-- > 0;) ff_sparse_backward(o, i, value, inverse, x, y);
}

#endif
