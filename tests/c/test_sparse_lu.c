/* Sparse elimination: against elimination with pivots, the entries that it adds, and what it refuses. */
#include <math.h>

#include "../../src/linear/ff_eliminate.h"
#include "../../src/linear/ff_sparse_lu.h"
#include "check.h"
#include "random.h"

enum { MOST = 40 };

typedef struct {
  uint32_t n;
  size_t first[MOST + 1];
  uint32_t row[MOST * MOST];
} pattern;

/* Elimination agrees with that with pivots. The diagonal dominates, so that the condition is at most 2, and errors are
 * below 10 n^2 roundings. */
static void check_elimination(const pattern *p, uint64_t *state) {
  const uint32_t n = p->n;
  static double dense[MOST * MOST], entry[MOST * MOST];
  double x[MOST], y[MOST];
  ff_sparse_lu *lu;
  ff_error err;
  FF_CHECK_OK(ff_sparse_lu_new(&lu, n, p->first, p->row, &err), &err);
  for (int again = 0; again < 3; again++) {
    const double shift = 3.0 * n;
    memset(dense, 0, sizeof dense);
    for (uint32_t j = 0; j < n; j++)
      for (size_t i = p->first[j]; i < p->first[j + 1]; i++) dense[j * n + p->row[i]] = entry[i] = 2 * uniform(state) - 1;
    for (uint32_t i = 0; i < n; i++) {
      dense[i * n + i] += shift;
      x[i] = y[i] = uniform(state);
    }
    FF_CHECK(ff_sparse_lu_factor(lu, entry, shift));
    ff_sparse_lu_solve(lu, x);
    FF_CHECK(ff_eliminate(dense, y, n));
    for (uint32_t i = 0; i < n; i++) FF_CHECK_NEAR(x[i], y[i], 10.0 * n * n * 0x1p-53);
  }
  ff_sparse_lu_free(lu);
}

static void eliminates_random_patterns(void) {
  uint64_t state = 7;
  for (int round = 0; round < 200; round++) {
    pattern p = {.n = 1 + below(&state, MOST)};
    const double density = round % 4 == 0 ? 1 : uniform(&state) * 4 / p.n;
    for (uint32_t j = 0; j < p.n; j++) {
      p.first[j + 1] = p.first[j];
      for (uint32_t i = p.n; i-- > 0;)
        if (uniform(&state) < density) p.row[p.first[j + 1]++] = i;
    }
    check_elimination(&p, &state);
  }
}

/* A chain, and a star whose centre comes first: no entries are added. Whether a pivot is 0 is seen. */
static void adds_few_entries(void) {
  for (int star = 0; star < 2; star++) {
    pattern p = {.n = MOST};
    for (uint32_t j = 0; j < MOST; j++) {
      size_t n = p.first[j];
      for (uint32_t i = 0; i < MOST; i++)
        if (star ? i == j || i == 0 || j == 0 : i + 1 >= j && i <= j + 1) p.row[n++] = i;
      p.first[j + 1] = n;
    }
    ff_sparse_lu *lu;
    ff_error err;
    FF_CHECK_OK(ff_sparse_lu_new(&lu, p.n, p.first, p.row, &err), &err);
    FF_CHECK_INT(ff_sparse_lu_entries(lu), p.first[MOST]);
    static const double none[3 * MOST];
    FF_CHECK(!ff_sparse_lu_factor(lu, none, 0));
    FF_CHECK(ff_sparse_lu_factor(lu, none, 1));
    FF_CHECK(!ff_sparse_lu_factor(lu, none, NAN));
    ff_sparse_lu_free(lu);
  }
}

FF_TEST_MAIN("sparse_lu", eliminates_random_patterns, adds_few_entries)
