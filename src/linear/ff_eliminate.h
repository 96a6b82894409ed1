/* Gaussian elimination. */
#ifndef FF_ELIMINATE_H
#define FF_ELIMINATE_H

#include <stddef.h>

/* Replaces y by the solution x of a x = y, with partial pivoting. `a` has order n and is stored column by column; it becomes its
 * factors. Returns 0 if it is singular; then `a` and y are undefined. O(n^3). */
int ff_eliminate(double *a, double *y, size_t n);

#endif
