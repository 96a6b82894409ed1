/* `make bench-ode` compiles and runs it, and prints three tables.
 *
 * What an event costs a hybrid model: a step, the search for the time of a change, the end of the step there, and a new start.
 * Two models, both methods of ode/, two tolerances.
 *
 * What the order of a sparse matrix costs, and an elimination and a solution in this order: a chain, a square grid, and a chain
 * all of whose components depend on one more.
 *
 * What a step of the explicit method costs for many components, without f, and the first look at one or at all of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../src/linear/ff_sparse_lu.h"
#include "../src/ode/ff_ode.h"

#define EVENTS 200000

/* A gene makes a protein that decays, and is switched at a rate that grows with it: x[1] is the integral of this rate. */
static int gene(void *of, double t, const double *x, double *slope) {
  (void)t;
  slope[0] = (*(const int *)of ? 10.0 : 0.0) - x[0];
  slope[1] = 0.5 + 0.1 * x[0];
  return 1;
}

/* Growth that is set back when it reaches 2. */
static int growth(void *of, double t, const double *x, double *slope) {
  (void)of, (void)t;
  slope[0] = x[0];
  slope[1] = x[0];
  return 1;
}

static double reaches(void *of, uint32_t i, double t, const double *x) {
  (void)i, (void)t;
  return x[1] - *(const double *)of;
}

static int run(const char *name, int (*slope)(void *, double, const double *, double *), ff_ode_method method, double tolerance) {
  int on = 1;
  double at, border = slope == gene ? 0.7 : 1, x[2] = {1, 0};
  int8_t changed;
  const uint32_t read_first[] = {0, 1}, read[] = {1};
  const ff_ode_equations equations = {.n = 2, .of = &on, .slope = slope};
  const ff_ode_options options = {.method = method, .tolerance = tolerance};
  const ff_ode_watch watch = {.n = 1, .of = &border, .value = reaches, .read_first = read_first, .read = read};
  ff_ode *o;
  ff_error err;
  if (ff_ode_new(&o, &equations, &options, &err) != FF_OK) return 1;
  ff_ode_begin(o, 0, x, 0);
  const double began = ff_clock();
  for (int event = 0; event < EVENTS; event++) {
    while (!ff_ode_locate(o, &watch, ff_ode_last(o)->from, &at, &changed))
      if (ff_ode_step(o, INFINITY) != FF_ODE_STEPPED) return 1;
    ff_ode_cut(o, at);
    x[0] = slope == gene ? ff_ode_last(o)->end[0] : 1;
    x[1] = 0;
    on = !on;
    ff_ode_go_on(o, at, x);
  }
  const double seconds = ff_clock() - began;
  printf("%-16s %-28s %-9g %8.2f %10.1f\n", name, ff_ode_method_about(method)->name, tolerance, 1e6 * seconds / EVENTS,
         (double)ff_ode_calls(o) / EVENTS);
  ff_ode_free(o);
  return 0;
}

/* ---- sparse matrices ---------------------------------------------------------------------------------------------------- */

typedef enum { CHAIN, GRID, HUB } shape;
static const char *const shapes[] = {"chain", "grid", "chain and a hub"};

static void fill(shape kind, uint32_t n, uint32_t wide, size_t *first, uint32_t *row) {
  for (uint32_t j = 0; j < n; j++) {
    size_t end = first[j];
    if (kind == GRID && j >= wide) row[end++] = j - wide;
    if (j % wide > 0) row[end++] = j - 1;
    row[end++] = j;
    if ((j + 1) % wide > 0 && j + 1 < n) row[end++] = j + 1;
    if (kind == GRID && j + wide < n) row[end++] = j + wide;
    if (kind == HUB && j > 1) row[end++] = 0;
    first[j + 1] = end;
  }
}

static int eliminate(shape kind, uint32_t n) {
  uint32_t wide = n;
  if (kind == GRID)
    for (wide = 1; (wide + 1) * (wide + 1) <= n; wide++) {}
  if (kind == GRID) n = wide * wide;
  size_t *first = calloc(n + 1, sizeof *first);
  uint32_t *row = calloc(5 * (size_t)n, sizeof *row);
  double *entry = calloc(5 * (size_t)n, sizeof *entry), *x = calloc(n, sizeof *x), at[4];
  ff_sparse_order *order = NULL;
  ff_sparse_lu *lu = NULL;
  ff_error err;
  int failed = first == NULL || row == NULL || entry == NULL || x == NULL;
  if (!failed) {
    fill(kind, n, wide, first, row);
    for (size_t p = 0; p < first[n]; p++) entry[p] = (double)(p % 7) - 3;
    for (uint32_t i = 0; i < n; i++) x[i] = i % 5;
    at[0] = ff_clock();
    failed = ff_sparse_order_new(&order, n, first, row, &err) != FF_OK || ff_sparse_lu_new(&lu, order, &err) != FF_OK;
  }
  if (!failed) {
    at[1] = ff_clock();
    failed = !ff_sparse_lu_factor(lu, entry, 4.0 * n);
    at[2] = ff_clock();
    ff_sparse_lu_solve(lu, x);
    at[3] = ff_clock();
    printf("%-16s %8u %10zu %10.2f %12.2f %10.2f\n", shapes[kind], n, ff_sparse_lu_entries(lu), 1e3 * (at[1] - at[0]),
           1e3 * (at[2] - at[1]), 1e3 * (at[3] - at[2]));
  }
  ff_sparse_lu_free(lu);
  ff_sparse_order_free(order);
  free(first);
  free(row);
  free(entry);
  free(x);
  return failed;
}

/* ---- many components ---------------------------------------------------------------------------------------------------- */

static int swings(void *of, double t, const double *x, double *slope) {
  const uint32_t n = *(const uint32_t *)of;
  (void)t;
  for (uint32_t i = 0; i < n; i += 2) {
    slope[i] = x[i + 1];
    slope[i + 1] = -x[i];
  }
  return 1;
}

/* The shortest times of many steps. */
static int step_many(uint32_t n) {
  const ff_ode_equations equations = {.n = n, .of = &n, .slope = swings};
  const ff_ode_options options = {.tolerance = 1e-6};
  double *x = calloc(n, sizeof *x), least[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
  ff_ode *o = NULL;
  ff_error err;
  int failed = x == NULL || ff_ode_new(&o, &equations, &options, &err) != FF_OK;
  for (uint32_t i = 0; i < n && !failed; i++) x[i] = 1 + i % 3;
  if (!failed) ff_ode_begin(o, 0, x, 0);
  for (int round = 0; round < 100 && !failed; round++) {
    double at[5] = {ff_clock()};
    failed = ff_ode_step(o, INFINITY) != FF_ODE_STEPPED;
    at[1] = ff_clock();
    const double middle = (ff_ode_last(o)->from + ff_ode_last(o)->to) / 2;
    failed |= !(fabs(ff_ode_component(o, middle, n / 2)) < 10);
    at[2] = ff_clock();
    ff_ode_state(o, middle, x);
    at[3] = ff_clock();
    swings(&n, 0, ff_ode_last(o)->end, x);
    at[4] = ff_clock();
    for (int i = 0; i < 4; i++) least[i] = fmin(least[i], at[i + 1] - at[i]);
  }
  printf("%8u %10.4f %14.4f %10.4f\n", n, 1e3 * (least[0] - 6 * least[3]), 1e3 * least[1], 1e3 * least[2]);
  ff_ode_free(o);
  free(x);
  return failed;
}

int main(void) {
  int failed = 0;
  printf("%-16s %-28s %-9s %8s %10s\n", "model", "method", "tolerance", "us/event", "calls of f");
  for (int m = 0; m < FF_ODE_METHODS; m++)
    for (double tolerance = 1e-6; tolerance > 1e-10; tolerance *= 1e-3) {
      failed |= run("gene, hazard", gene, (ff_ode_method)m, tolerance);
      failed |= run("growth, reset", growth, (ff_ode_method)m, tolerance);
    }
  printf("\n%-16s %8s %10s %10s %12s %10s\n", "matrix", "rows", "entries", "order, ms", "factors, ms", "solve, ms");
  for (int kind = 0; kind < 3; kind++)
    for (uint32_t n = 1000; n <= 100000; n *= 10) failed |= eliminate((shape)kind, kind == GRID && n == 100000 ? 90000 : n);
  printf("\n%8s %10s %14s %10s\n", "n", "step, ms", "component, ms", "state, ms");
  for (uint32_t n = 1000; n <= 100000; n *= 10) failed |= step_many(n);
  return failed;
}
