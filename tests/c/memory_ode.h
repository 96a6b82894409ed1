/* Scenarios of test_memory: differential equations, and the order of a sparse matrix. */
#ifndef FF_TESTS_MEMORY_ODE_H
#define FF_TESTS_MEMORY_ODE_H

#include "../../src/linear/ff_sparse_lu.h"
#include "../../src/ode/ff_cvode.h"
#include "../../src/ode/ff_ode.h"
#include "memory_given.h"

/* Four components in a circle, that come near to each other fast. */
static int mixes(void *of, double t, const double *x, double *slope) {
  (void)of, (void)t;
  for (int i = 0; i < 4; i++) slope[i] = 1e6 * (x[(i + 1) % 4] + x[(i + 3) % 4] - 2 * x[i]);
  return 1;
}

/* The implicit method from the beginning, with all entries; and as soon as the equations are stiff, with a pattern to which
 * elimination adds entries, in an order that the solver makes or borrows. Other steps allocate nothing. */
static ff_status solves_equations(ff_error *err) {
  static const double start[] = {1, 0, 0, 0};
  static const size_t first[] = {0, 3, 6, 9, 12};
  static const uint32_t row[] = {3, 0, 1, 0, 1, 2, 1, 2, 3, 2, 3, 0};
  ff_sparse_order *order = NULL;
  ff_status status = FF_OK;
  for (int way = 0; way < 3 && status == FF_OK; way++) {
    ff_ode_equations equations = {.n = 4, .slope = mixes, .first = way > 0 ? first : NULL, .row = row};
    if (way == 2) {
      status = ff_sparse_order_new(&order, 4, first, row, err);
      CHECK_OUT(status, order);
      if (status != FF_OK) break;
      equations.order = order;
    }
    const ff_ode_options options = {.method = FF_ODE_RODAS, .automatic = way > 0, .tolerance = 1e-6};
    ff_ode *o;
    status = ff_ode_new(&o, &equations, &options, err);
    CHECK_OUT(status, o);
    if (status == FF_OK) ff_ode_begin(o, 0, start, 0);
    while (status == FF_OK && ff_ode_last(o)->to < 1) {
      const ff_ode_span before = *ff_ode_last(o);
      const ff_ode_outcome outcome = ff_ode_step(o, 1);
      FF_CHECK(outcome == FF_ODE_STEPPED || outcome == FF_ODE_NO_MEMORY);
      if (outcome == FF_ODE_STEPPED) continue;
      FF_CHECK(ff_ode_last(o)->from == before.from && ff_ode_last(o)->to == before.to && ff_ode_last(o)->end == before.end);
      status = ff_error_set(err, FF_EMEMORY, "no memory for an implicit step");
    }
    if (status == FF_OK) FF_CHECK_INT(ff_ode_present_method(o), FF_ODE_RODAS);
    ff_ode_free(o);
  }
  ff_sparse_order_free(order);
  return status;
}

static double passes(void *of, uint32_t i, double t, const double *x) {
  (void)of, (void)t;
  return x[i] - 0.5;
}

/* CVODE, if it is there; what it allocates itself does not fail. */
static ff_status makes_cvode(ff_error *err) {
  static const double absolute[] = {1e-6, 1e-6, 1e-6, 1e-6};
  const ff_ode_equations equations = {.n = 4, .slope = mixes};
  const ff_ode_watch watch = {.n = 2, .value = passes};
  const ff_cvode_options options = {.method = FF_CVODE_BDF, .relative = 1e-6, .absolute = absolute, .most_steps = 100};
  ff_cvode *c;
  ff_status status = ff_cvode_new(&c, &equations, &watch, &options, err);
  CHECK_OUT(status, c);
  ff_cvode_free(c);
  return status == FF_EUNSUPPORTED ? FF_OK : status;
}

/* A grid, in which elimination makes lists of neighbours long. */
static ff_status orders_a_grid(ff_error *err) {
  enum { WIDE = 14, ROWS = WIDE * WIDE };
  static size_t first[ROWS + 1];
  static uint32_t row[5 * ROWS];
  for (uint32_t j = 0; j < ROWS; j++) {
    size_t end = first[j];
    row[end++] = j;
    if (j >= WIDE) row[end++] = j - WIDE;
    if (j + WIDE < ROWS) row[end++] = j + WIDE;
    if (j % WIDE > 0) row[end++] = j - 1;
    if (j % WIDE < WIDE - 1) row[end++] = j + 1;
    first[j + 1] = end;
  }
  ff_sparse_order *order;
  ff_sparse_lu *lu;
  ff_status status = ff_sparse_order_new(&order, ROWS, first, row, err);
  CHECK_OUT(status, order);
  if (status != FF_OK) return status;
  status = ff_sparse_lu_new(&lu, order, err);
  CHECK_OUT(status, lu);
  ff_sparse_lu_free(lu);
  ff_sparse_order_free(order);
  return status;
}

#endif
