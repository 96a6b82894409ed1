/* The order in which a sparse matrix is eliminated, and where its factors have entries. Both follow from the pattern alone, so
 * any number of ff_sparse_lu of this pattern may share them, in any threads. */
#ifndef FF_SPARSE_ORDER_H
#define FF_SPARSE_ORDER_H

#include "../base/ff_base.h"

/* Rows and columns are permuted alike. The factors are stored row by row in the permuted order: L, whose diagonal is 1, before
 * the diagonal, U from there on. */
typedef struct {
  uint32_t n;
  uint32_t *order;          /* order[i]: the row that is at place i */
  size_t *first, *diagonal; /* of the entries of a row; n + 1 and n of them */
  uint32_t *column;         /* for each entry: the place of its column, ascending in a row, */
  size_t *source;           /* and where it is in the matrix, or FF_SPARSE_NONE */
} ff_sparse_order;

#define FF_SPARSE_NONE ((size_t)-1)

/* Eliminates the row that has the fewest neighbours, again and again, and of several ones the first. Column j of the pattern has
 * the rows row[first[j]] to row[first[j + 1] - 1], in any order and without repeats. The diagonal need not be part of it. The
 * caller frees *out with ff_sparse_order_free(), which accepts NULL. At most O(operations of an elimination + n log n), and less
 * for a pattern that is nearly symmetric; but a new neighbour moves those in a row's list that come later. Memory O(entries of
 * the factors). */
ff_status ff_sparse_order_new(ff_sparse_order **out, uint32_t n, const size_t *first, const uint32_t *row, ff_error *err);
void ff_sparse_order_free(ff_sparse_order *order);

#endif
