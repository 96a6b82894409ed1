/* The solver's struct, and what a method is. */
#ifndef FF_ODE_INTERNAL_H
#define FF_ODE_INTERNAL_H

#include <math.h>

#include "ff_ode.h"
#include "ff_ode_explicit_math.h"

enum { FF_ODE_STAGES = 8 };

typedef struct {
  ff_ode_about about;
  ff_status (*make)(ff_ode *o, ff_error *err); /* what it needs besides, unless it was made; NULL: nothing */
  /* Tries a step of length h. Sets `end`, the slope there, and `error`. Returns 0 if it could not be tried. */
  int (*attempt)(ff_ode *o, double h);
  /* In place of that: makes a step of a length of its own. Sets `end`, `error`, span.to, tried, and h. Returns 0 if
   * there is none. */
  int (*advance)(ff_ode *o, double most);
  void (*interpolate)(ff_ode *o, uint32_t first, uint32_t end); /* sets `dense` of components first to end - 1 */
} ff_ode_stepper;

extern const ff_ode_stepper ff_ode_explicit, ff_ode_implicit, ff_ode_reference;

struct ff_ode {
  ff_ode_span span;
  ff_ode_equations equations;
  ff_ode_options options;
  const ff_ode_stepper *stepper;
  ff_ode_pace pace;
  ff_ode_plan plan;           /* of the step that is tried */
  double length;              /* of the last step, by its times, before it was cut */
  uint64_t step, calls;       /* numbers of steps, and of calls of f */
  int fresh;                  /* whether no step was made since the solution began, or went on in another state */
  int has_slope, has_dense;   /* whether the slope at the end, and `dense` of all components, are those of the last step */
  int anew;                   /* whether the reference must begin anew: the state is not the one to which it has come */
  int failed;                 /* whether f does not exist somewhere in the step that is being tried */
  int trying;                 /* whether a step was begun */
  double *memory;             /* of all arrays below */
  double *start, *end;
  double *slope[2];           /* at the start and at the end */
  double *k[FF_ODE_STAGES];
  double *at, *error, *look;
  double *dense;              /* FF_ODE_DENSE coefficients for each component, */
  uint64_t *dense_step;       /* and the step for which they were computed alone */
  struct ff_ode_linear *linear; /* of the implicit method */
  struct ff_cvode *cvode;     /* of the reference */
};

static inline void ff_ode_call(ff_ode *o, double t, const double *x, double *slope) {
  o->calls++;
  if (!o->equations.slope(o->equations.of, t, x, slope)) o->failed = 1;
}

static inline double ff_ode_size(const ff_ode *o, uint32_t i) { return o->options.size != NULL ? o->options.size[i] : 1; }

/* The largest rate of change of a mode, as far as the last step of the explicit method shows it. O(n). */
double ff_ode_explicit_speed(const ff_ode *o);

/* A bound of it, from the derivatives at the beginning of the last step of the implicit method. O(n + entries). */
double ff_ode_implicit_speed(ff_ode *o);

/* What the implicit method needs besides: the matrix and its factors. Accepts NULL. */
void ff_ode_linear_free(struct ff_ode_linear *linear);

#endif
