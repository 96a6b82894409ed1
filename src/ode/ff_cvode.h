/* The solver CVODE of SUNDIALS (Hindmarsh et al. 2005), with which results of ff_ode.h are compared. It is there if the package
 * was built with SUNDIALS. Its results depend on the version of SUNDIALS. */
#ifndef FF_CVODE_H
#define FF_CVODE_H

#include "ff_ode.h"

typedef struct ff_cvode ff_cvode;

typedef enum { FF_CVODE_ADAMS, FF_CVODE_BDF } ff_cvode_method;

typedef struct {
  ff_cvode_method method;
  double relative;
  const double *absolute; /* the tolerance of each component. Borrowed until ff_cvode_new() returns. */
  uint32_t most_steps;    /* of a call of ff_cvode_go_on() */
  int most_order;         /* of the method; 0: as CVODE has it */
} ff_cvode_options;

/* Whether there is CVODE. O(1). */
int ff_cvode_exists(void);

/* Makes a solver of equations, which are borrowed with all that they point to; a Jacobian is not used. The conditions of `watch`,
 * which may be NULL, are borrowed, too. Here a condition is a root of its function, in either direction; `read` and `pieces` are
 * not used. The caller frees *out with ff_cvode_free(), which accepts NULL. FF_EUNSUPPORTED without CVODE; the message names the
 * package that has it. O(n); BDF takes O(n^2) memory up to n = 500 and needs no matrix above. */
ff_status ff_cvode_new(ff_cvode **out, const ff_ode_equations *equations, const ff_ode_watch *watch,
                       const ff_cvode_options *options, ff_error *err);
void ff_cvode_free(ff_cvode *cvode);

/* Begins in a state, whatever was solved before. FF_EMODEL if CVODE refuses. O(n). */
ff_status ff_cvode_begin(ff_cvode *cvode, double t, const double *x, ff_error *err);

/* Solves up to the time `most`, or to the first root of a condition before it. *at becomes this time, and x the state then.
 * found[i] becomes 1 if condition i has become true, -1 if it has become false, and else 0. FF_EMODEL if CVODE fails; the message
 * tells how. */
ff_status ff_cvode_go_on(ff_cvode *cvode, double most, double *at, double *x, int8_t *found, ff_error *err);

/* Makes one step, which ends at `most` at the latest; `most` may be infinite. *to becomes its end, and x the state then.
 * derivative[k] becomes derivative k + 1 of the polynomial of the step at its end, for k below `derivatives`; those above its
 * degree are 0. FF_EMODEL if CVODE fails. O(n) beside the solver's work. */
ff_status ff_cvode_step(ff_cvode *cvode, double most, double *to, double *x, double *const *derivative, int derivatives,
                        ff_error *err);

/* How many times the right-hand side was called since ff_cvode_new(). O(1). */
uint64_t ff_cvode_calls(const ff_cvode *cvode);

#endif
