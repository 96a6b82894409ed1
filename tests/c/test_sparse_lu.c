/* Sparse elimination: its order, against plain rules; against elimination with pivots, the entries that it adds, and what it
 * refuses. */
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

static ff_sparse_order *order_of(const pattern *p) {
  ff_sparse_order *order = NULL;
  ff_error err;
  FF_CHECK_OK(ff_sparse_order_new(&order, p->n, p->first, p->row, &err), &err);
  return order;
}

static ff_sparse_lu *lu_of(const ff_sparse_order *order) {
  ff_sparse_lu *lu = NULL;
  ff_error err;
  FF_CHECK_OK(ff_sparse_lu_new(&lu, order, &err), &err);
  return lu;
}

/* Elimination agrees with that with pivots. The diagonal dominates, so that the condition is at most 2, and errors are
 * below 10 n^2 roundings. */
static void check_elimination(const pattern *p, uint64_t *state) {
  const uint32_t n = p->n;
  static double dense[MOST * MOST], entry[MOST * MOST];
  double x[MOST], y[MOST];
  ff_sparse_order *order = order_of(p);
  ff_sparse_lu *lu = lu_of(order);
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
  ff_sparse_order_free(order);
}

static pattern random_pattern(uint64_t *state, int full) {
  pattern p = {.n = 1 + below(state, MOST)};
  const double density = full ? 1 : uniform(state) * 4 / p.n;
  for (uint32_t j = 0; j < p.n; j++) {
    p.first[j + 1] = p.first[j];
    for (uint32_t i = p.n; i-- > 0;)
      if (uniform(state) < density) p.row[p.first[j + 1]++] = i;
  }
  return p;
}

static void eliminates_random_patterns(void) {
  uint64_t state = 7;
  for (int round = 0; round < 200; round++) {
    const pattern p = random_pattern(&state, round % 4 == 0);
    check_elimination(&p, &state);
  }
}

/* The order, and the entries of the factors, are those of the plain rules on a full matrix: of the rows that are left, the first
 * one that has the fewest neighbours comes next; and row i has an entry in column k if the matrix has, or if a row before both
 * has one in column k, and row i has one in the column of that row. */
static void check_order(const pattern *p) {
  static uint8_t joined[MOST][MOST], entry[MOST][MOST];
  static size_t source[MOST][MOST];
  uint8_t gone[MOST] = {0};
  ff_sparse_order *o = order_of(p);
  memset(joined, 0, sizeof joined);
  memset(entry, 0, sizeof entry);
  for (uint32_t j = 0; j < p->n; j++)
    for (size_t q = p->first[j]; q < p->first[j + 1]; q++) joined[j][p->row[q]] = joined[p->row[q]][j] = 1;
  for (uint32_t k = 0; k < p->n; k++) {
    uint32_t best = p->n, least = p->n;
    for (uint32_t i = 0; i < p->n; i++) {
      uint32_t degree = 0;
      for (uint32_t j = 0; j < p->n; j++) degree += j != i && !gone[j] && joined[i][j];
      if (gone[i] || degree >= least) continue;
      best = i;
      least = degree;
    }
    FF_CHECK_INT(o->order[k], best);
    gone[best] = 1;
    for (uint32_t i = 0; i < p->n; i++)
      for (uint32_t j = 0; j < p->n; j++) joined[i][j] |= joined[i][best] && joined[best][j];
  }
  for (uint32_t i = 0; i < p->n; i++)
    for (uint32_t k = 0; k < p->n; k++) {
      source[i][k] = FF_SPARSE_NONE;
      for (size_t q = p->first[o->order[k]]; q < p->first[o->order[k] + 1]; q++)
        if (p->row[q] == o->order[i]) source[i][k] = q;
      entry[i][k] = i == k || source[i][k] != FF_SPARSE_NONE;
    }
  for (uint32_t before = 0; before < p->n; before++)
    for (uint32_t i = before + 1; i < p->n; i++)
      for (uint32_t k = before + 1; k < p->n; k++) entry[i][k] |= entry[i][before] && entry[before][k];
  size_t n = 0;
  for (uint32_t i = 0; i < p->n; i++) {
    FF_CHECK_INT(o->first[i], n);
    for (uint32_t k = 0; k < p->n; k++) {
      if (k == i) FF_CHECK_INT(o->diagonal[i], n);
      if (!entry[i][k]) continue;
      FF_CHECK(o->column[n] == k && o->source[n] == source[i][k]);
      n++;
    }
  }
  FF_CHECK_INT(o->first[p->n], n);
  ff_sparse_order_free(o);
}

static void orders_by_degree(void) {
  uint64_t state = 11;
  for (int round = 0; round < 400; round++) {
    pattern p = random_pattern(&state, round % 40 == 0);
    if (round % 4 == 1) { /* a row that has many neighbours, most of which go before it */
      const uint32_t hub = below(&state, p.n);
      for (uint32_t j = 0; j < p.n; j++) {
        p.first[j + 1] = p.first[j];
        for (uint32_t i = 0; i < p.n; i++)
          if (i == hub || uniform(&state) < 1.0 / p.n) p.row[p.first[j + 1]++] = i;
      }
    }
    check_order(&p);
  }
}

/* Two sets of factors in one order do not touch each other's numbers. */
static void shares_an_order(void) {
  uint64_t state = 3;
  const pattern p = random_pattern(&state, 0);
  double entry[2][MOST * MOST], x[3][MOST];
  ff_sparse_order *order = order_of(&p);
  ff_sparse_lu *lu[2] = {lu_of(order), lu_of(order)};
  for (int k = 0; k < 2; k++)
    for (size_t q = 0; q < p.first[p.n]; q++) entry[k][q] = uniform(&state);
  for (uint32_t i = 0; i < p.n; i++) x[0][i] = x[1][i] = x[2][i] = uniform(&state);
  FF_CHECK(ff_sparse_lu_factor(lu[0], entry[0], 100));
  ff_sparse_lu_solve(lu[0], x[0]);
  FF_CHECK(ff_sparse_lu_factor(lu[1], entry[1], 200));
  ff_sparse_lu_solve(lu[1], x[1]);
  ff_sparse_lu_solve(lu[0], x[2]);
  FF_CHECK(memcmp(x[0], x[2], p.n * sizeof x[0][0]) == 0 && memcmp(x[0], x[1], p.n * sizeof x[0][0]) != 0);
  for (int k = 0; k < 2; k++) ff_sparse_lu_free(lu[k]);
  ff_sparse_order_free(order);
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
    ff_sparse_order *order = order_of(&p);
    ff_sparse_lu *lu = lu_of(order);
    FF_CHECK_INT(ff_sparse_lu_entries(lu), p.first[MOST]);
    static const double none[3 * MOST];
    FF_CHECK(!ff_sparse_lu_factor(lu, none, 0));
    FF_CHECK(ff_sparse_lu_factor(lu, none, 1));
    FF_CHECK(!ff_sparse_lu_factor(lu, none, NAN));
    ff_sparse_lu_free(lu);
    ff_sparse_order_free(order);
  }
}

FF_TEST_MAIN("sparse_lu", eliminates_random_patterns, orders_by_degree, shares_an_order, adds_few_entries)
