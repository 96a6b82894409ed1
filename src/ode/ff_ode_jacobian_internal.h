/* The derivatives of f. */
#ifndef FF_ODE_JACOBIAN_INTERNAL_H
#define FF_ODE_JACOBIAN_INTERNAL_H

#include "ff_ode_implicit_math.h"
#include "ff_ode_internal.h"

typedef struct {
  ff_ode_pattern pattern;
  double *entry;
  size_t *own_first;   /* the pattern of all entries, if the equations have none */
  uint32_t *own_row;
  uint32_t *group;     /* for each column: no row has entries in two columns of a group. So one call of f differentiates all */
  uint32_t n_groups;
  double *memory, *at, *slope;
} ff_ode_jacobian;

/* The caller frees *out with ff_ode_jacobian_free(), which accepts NULL. Without a callback it groups the columns: O(entries
 * times the entries of a row). */
ff_status ff_ode_jacobian_new(ff_ode_jacobian **out, const ff_ode_equations *equations, ff_error *err);
void ff_ode_jacobian_free(ff_ode_jacobian *jacobian);

/* Sets the entries df/dx, and if f depends on the time, in_time = df/dt, at the beginning of the present step. Returns 0 if they
 * do not exist. O(groups f). */
int ff_ode_jacobian_compute(ff_ode_jacobian *jacobian, ff_ode *o, double *in_time);

#endif
