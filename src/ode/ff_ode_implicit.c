/* The Rosenbrock method Rodas5P of order 5, L-stable, with an error estimate of order 4 and dense output of order 4 (Steinebach
 * 2023, BIT Numerical Mathematics 63, 27). ff_ode_implicit_math.h has its arithmetic. */
#include <stdlib.h>
#include <string.h>

#include "ff_ode_implicit_math.h"
#include "ff_ode_jacobian_internal.h"
#include "../linear/ff_sparse_lu.h"

struct ff_ode_linear {
  ff_ode_jacobian *jacobian;
  ff_sparse_order *order; /* NULL: that of the equations is used */
  ff_sparse_lu *lu;
  uint64_t step;      /* for whose beginning the derivatives were computed */
  int has_derivatives; /* whether they exist there */
  double *memory, *right, *in_time, *misfit, *terms;
};

void ff_ode_linear_free(struct ff_ode_linear *l) {
  if (l == NULL) return;
  ff_ode_jacobian_free(l->jacobian);
  ff_sparse_lu_free(l->lu);
  ff_sparse_order_free(l->order);
  free(l->memory);
  free(l);
}

static ff_status fill(struct ff_ode_linear *l, const ff_ode_equations *equations, ff_error *err) {
  const size_t n = equations->n;
  l->memory = ff_calloc(4 * n, sizeof *l->memory);
  if (l->memory == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for implicit steps of %zu components", n);
  l->right = l->memory;
  l->in_time = l->memory + n;
  l->misfit = l->memory + 2 * n;
  l->terms = l->memory + 3 * n;
  ff_status status = ff_ode_jacobian_new(&l->jacobian, equations, err);
  const ff_sparse_order *given = equations->order;
  if (status == FF_OK && given == NULL)
    status = ff_sparse_order_new(&l->order, equations->n, l->jacobian->pattern.first, l->jacobian->pattern.row, err);
  if (status == FF_OK) status = ff_sparse_lu_new(&l->lu, given != NULL ? given : l->order, err);
  return status;
}

static ff_status make(ff_ode *o, ff_error *err) {
  if (o->linear != NULL) return FF_OK;
  struct ff_ode_linear *l = ff_calloc(1, sizeof *l);
  if (l == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for implicit steps");
  ff_status status = fill(l, &o->equations, err);
  if (status == FF_OK)
    o->linear = l;
  else
    ff_ode_linear_free(l);
  return status;
}

/* The derivatives at the beginning of the step, once for all its tries. */
static int differentiate(ff_ode *o) {
  struct ff_ode_linear *l = o->linear;
  if (l->step == o->step) return l->has_derivatives;
  l->step = o->step;
  l->has_derivatives = ff_ode_jacobian_compute(l->jacobian, o, l->in_time);
  return l->has_derivatives;
}

/* Whether the first stage is solved: see ff_ode_implicit_solves(). */
static int solves(ff_ode *o, double shift) {
  const struct ff_ode_linear *l = o->linear;
  const ff_ode_jacobian *j = l->jacobian;
  double *const permitted = o->error;
  for (uint32_t s = 0; s < o->equations.n; s++) permitted[s] = o->options.tolerance * ff_ode_size(o, s);
  return ff_ode_implicit_solves(&j->pattern, j->entry, shift, o->k[0], l->right, permitted, l->misfit, l->terms);
}

static double far_of(const ff_ode *o, uint32_t s) {
  return ff_ode_implicit_far(o->options.tolerance, ff_ode_size(o, s), o->start[s]);
}

static int stays(const ff_ode *o, uint32_t s, double h) {
  return ff_ode_implicit_stays(h, o->start[s], o->end[s], o->slope[0][s], far_of(o, s));
}

/* Whether none of those that stay may do so, with the slopes where they are if they move together. */
static int stall_together(ff_ode *o, double h, double fastest) {
  double *const away = o->linear->misfit, *const there = o->linear->terms;
  const uint32_t n = o->equations.n;
  for (uint32_t s = 0; s < n; s++)
    away[s] = stays(o, s, h) ? ff_ode_implicit_together(o->start[s], o->slope[0][s], fastest) : o->start[s];
  o->calls++;
  if (!o->equations.slope(o->equations.of, o->span.from, away, there)) return 0;
  for (uint32_t s = 0; s < n; s++)
    if (stays(o, s, h) && !ff_ode_implicit_stalls(h, o->start[s], o->end[s], o->slope[0][s], there[s], far_of(o, s))) return 0;
  return 1;
}

/* Whether a component stays where it is although it must not: see ff_ode_implicit_far(). First, components are looked at one by
 * one, as fast modes of several may turn. */
static int stalls(ff_ode *o, double h) {
  const uint32_t n = o->equations.n;
  double *const away = o->linear->misfit, *const there = o->linear->terms;
  double fastest = 0;
  uint32_t staying = 0;
  for (uint32_t s = 0; s < n; s++) {
    if (!stays(o, s, h)) continue;
    const double far = far_of(o, s), slope = o->slope[0][s];
    staying++;
    fastest = ff_ode_larger(fastest, ff_ode_implicit_haste(slope, far));
    memcpy(away, o->start, n * sizeof *away);
    away[s] = ff_ode_implicit_away(o->start[s], slope, far);
    o->calls++;
    if (!o->equations.slope(o->equations.of, o->span.from, away, there)) continue;
    if (ff_ode_implicit_stalls(h, o->start[s], o->end[s], slope, there[s], far)) return 1;
  }
  return staying > 1 && fastest > 0 && stall_together(o, h, fastest);
}

static int attempt(ff_ode *o, double h) {
  const uint32_t n = o->equations.n;
  const double shift = ff_ode_implicit_shift(h);
  struct ff_ode_linear *l = o->linear;
  const ff_ode_jacobian *j = l->jacobian;
  double *const k = o->k[0], *const last = o->k[FF_ODE_IMPLICIT_STAGES - 1];
  if (!differentiate(o) || !ff_sparse_lu_factor(l->lu, j->entry, -shift)) return 0;
  for (int i = 0; i < FF_ODE_IMPLICIT_STAGES; i++) {
    ff_ode_implicit_state(i, n, o->start, k, o->at);
    if (i == 0)
      memcpy(k, o->slope[0], n * sizeof *k);
    else
      ff_ode_call(o, ff_ode_implicit_time(i, o->span.from, h), o->at, o->k[i]);
    ff_ode_implicit_right(i, n, h, o->equations.timed ? l->in_time : NULL, k, l->right);
    ff_sparse_lu_solve(l->lu, o->k[i]);
    if (i == 0 && !solves(o, shift)) return 0;
  }
  for (uint32_t s = 0; s < n; s++) o->end[s] = o->at[s] + last[s];
  if (stalls(o, h)) return 0;
  ff_ode_implicit_middle(n, o->start, o->end, k, o->at);
  ff_ode_call(o, o->span.from + 0.5 * h, o->at, o->slope[1]);
  ff_ode_implicit_misses(n, h, o->start, o->end, k, o->slope[1], l->right);
  ff_sparse_lu_solve(l->lu, l->right);
  for (uint32_t s = 0; s < n; s++) o->error[s] = ff_ode_implicit_error(last[s], l->right[s]);
  ff_ode_call(o, o->span.from + h, o->end, o->slope[1]);
  return 1;
}

double ff_ode_implicit_speed(ff_ode *o) {
  const struct ff_ode_linear *l = o->linear;
  double *const size = l->misfit;
  for (uint32_t i = 0; i < o->equations.n; i++) size[i] = ff_ode_size(o, i) + fabs(o->end[i]);
  return ff_ode_implicit_fastest(&l->jacobian->pattern, l->jacobian->entry, size, l->terms);
}

static void interpolate(ff_ode *o, uint32_t first, uint32_t end) {
  for (uint32_t s = first; s < end; s++)
    ff_ode_implicit_dense(o->start[s], o->end[s], o->k[0] + s, o->equations.n, o->dense + (size_t)s * FF_ODE_DENSE);
}

const ff_ode_stepper ff_ode_implicit = {{"Rodas5P", 5, 4, FF_ODE_IMPLICIT_STAGES, 1}, make, attempt, NULL, interpolate};
