#include "ff_sparse_lu.h"

#include <math.h>
#include <stdlib.h>

struct ff_sparse_lu {
  const ff_sparse_order *order;
  double *value, *inverse; /* entries; 1 / pivot */
  double *row;             /* a row while it is eliminated; the right side while it is solved for */
};

ff_status ff_sparse_lu_new(ff_sparse_lu **out, const ff_sparse_order *order, ff_error *err) {
  const size_t n = order->n, entries = order->first[n];
  *out = NULL;
  ff_sparse_lu *lu = ff_calloc(1, sizeof *lu);
  if (lu == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a matrix");
  lu->order = order;
  lu->value = ff_calloc(entries, sizeof *lu->value);
  lu->inverse = ff_calloc(n, sizeof *lu->inverse);
  lu->row = ff_calloc(n, sizeof *lu->row);
  if (lu->value == NULL || lu->inverse == NULL || lu->row == NULL) {
    ff_sparse_lu_free(lu);
    return ff_error_set(err, FF_EMEMORY, "no memory for %zu factors", entries);
  }
  *out = lu;
  return FF_OK;
}

void ff_sparse_lu_free(ff_sparse_lu *lu) {
  if (lu == NULL) return;
  free(lu->value);
  free(lu->inverse);
  free(lu->row);
  free(lu);
}

size_t ff_sparse_lu_entries(const ff_sparse_lu *lu) { return lu->order->first[lu->order->n]; }

int ff_sparse_lu_factor(ff_sparse_lu *lu, const double *a, double shift) {
  const ff_sparse_order *o = lu->order;
  double *row = lu->row;
  for (uint32_t i = 0; i < o->n; i++) {
    const size_t begin = o->first[i], middle = o->diagonal[i], end = o->first[i + 1];
    for (size_t p = begin; p < end; p++) row[o->column[p]] = o->source[p] == FF_SPARSE_NONE ? 0 : a[o->source[p]];
    row[i] += shift;
    for (size_t p = begin; p < middle; p++) {
      const uint32_t k = o->column[p];
      const double factor = row[k] * lu->inverse[k];
      lu->value[p] = factor;
      for (size_t q = o->diagonal[k] + 1; q < o->first[k + 1]; q++) row[o->column[q]] -= factor * lu->value[q];
    }
    for (size_t p = middle; p < end; p++) lu->value[p] = row[o->column[p]];
    if (!(fabs(row[i]) > 0 && fabs(row[i]) < INFINITY)) return 0;
    lu->inverse[i] = 1 / row[i];
  }
  return 1;
}

void ff_sparse_lu_solve(ff_sparse_lu *lu, double *y) {
  const ff_sparse_order *o = lu->order;
  double *x = lu->row;
  for (uint32_t i = 0; i < o->n; i++) {
    double sum = y[o->order[i]];
    for (size_t p = o->first[i]; p < o->diagonal[i]; p++) sum -= lu->value[p] * x[o->column[p]];
    x[i] = sum;
  }
  for (uint32_t i = o->n; i-- > 0;) {
    double sum = x[i];
    for (size_t p = o->diagonal[i] + 1; p < o->first[i + 1]; p++) sum -= lu->value[p] * x[o->column[p]];
    x[i] = sum * lu->inverse[i];
    y[o->order[i]] = x[i];
  }
}
