/* Modes of relaxation: eigenvalues and roots of symmetric positive semidefinite matrices, stored row by row. */
#ifndef FF_MODES_H
#define FF_MODES_H

#include <stddef.h>

/* What the search for eigenvalues needs: order^2 entries, and three times `order` entries. */
typedef struct {
  double *matrix, *diagonal, *beside, *vector;
} ff_modes;

/* Whether all eigenvalues of the matrix `a` of order m, but for those that are 0, are at least `rate`. Then *slowest is at most
 * the least one, and at least 0.99 times it. O(m^3). */
int ff_modes_fast(const ff_modes *modes, const double *a, size_t m, double rate, double *slowest);

/* The lower triangular root of a matrix replaces it. Columns of pivots that are 0 but for rounding become 0. O(m^3). */
void ff_modes_root(double *a, size_t m);

/* Replaces y by the solution x of L L' x = y, for a root L without such columns. O(m^2). */
void ff_modes_solve(const double *root, size_t m, double *y);

#endif
