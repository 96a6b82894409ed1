/* Elimination for many sparse matrices of the same pattern. The order of elimination is chosen once, from the pattern. */
#ifndef FF_SPARSE_LU_H
#define FF_SPARSE_LU_H

#include "../base/ff_base.h"

typedef struct ff_sparse_lu ff_sparse_lu;

/* Chooses the order by minimum degree, and allocates the factors. Column j of the pattern has the rows row[first[j]] to
 * row[first[j + 1] - 1], in any order and without repeats. The diagonal need not be part of it. The caller frees *out with
 * ff_sparse_lu_free(). O(n^2 + operations of an elimination). */
ff_status ff_sparse_lu_new(ff_sparse_lu **out, uint32_t n, const size_t *first, const uint32_t *row, ff_error *err);
void ff_sparse_lu_free(ff_sparse_lu *lu);

/* Factors a + shift I, where a[i] is the entry of row[i]. Returns 0 if a pivot is 0 or not finite. Rows are not exchanged, so a
 * solution may have large errors: unless the matrix is diagonally dominant, compare a times it with the right side.
 * O(operations of an elimination). */
int ff_sparse_lu_factor(ff_sparse_lu *lu, const double *a, double shift);

/* Replaces y by the solution x of (a + shift I) x = y. O(entries of the factors). */
void ff_sparse_lu_solve(ff_sparse_lu *lu, double *y);

/* The number of entries of the factors. O(1). */
size_t ff_sparse_lu_entries(const ff_sparse_lu *lu);

#endif
