#include "ff_sparse_lu.h"

#include <stdlib.h>

#include "ff_sparse_lu_math.h"

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
  return ff_sparse_factor(lu->order, a, shift, lu->value, lu->inverse, lu->row);
}

void ff_sparse_lu_solve(ff_sparse_lu *lu, double *y) { ff_sparse_solve(lu->order, lu->value, lu->inverse, lu->row, y); }
