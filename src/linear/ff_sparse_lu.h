/* Elimination for many sparse matrices of the same pattern, in an order that is chosen once: ff_sparse_order.h. */
#ifndef FF_SPARSE_LU_H
#define FF_SPARSE_LU_H

#include "ff_sparse_order.h"

typedef struct ff_sparse_lu ff_sparse_lu;

/* Allocates the factors. The order is borrowed. The caller frees *out with ff_sparse_lu_free(), which accepts NULL.
 * O(entries of the factors). */
ff_status ff_sparse_lu_new(ff_sparse_lu **out, const ff_sparse_order *order, ff_error *err);
void ff_sparse_lu_free(ff_sparse_lu *lu);

/* Factors a + shift I, where a[p] is the entry that has place p in the pattern. Returns 0 if a pivot is 0 or not finite. Rows are
 * not exchanged, so a solution may have large errors: unless the matrix is diagonally dominant, compare (a + shift I) times it
 * with the right side. O(operations of an elimination). */
int ff_sparse_lu_factor(ff_sparse_lu *lu, const double *a, double shift);

/* Replaces y by the solution x of (a + shift I) x = y. O(entries of the factors). */
void ff_sparse_lu_solve(ff_sparse_lu *lu, double *y);

/* The number of entries of the factors. O(1). */
size_t ff_sparse_lu_entries(const ff_sparse_lu *lu);

#endif
