/* Ordinary differential equations x' = f(t, x): steps with estimated errors, the state at any time of a step, and the times at
 * which conditions change. The solver knows no model. Its results have the same bits on every machine: they follow from the
 * equations and the options alone, and largest errors decide, so that no order of a sum matters.
 *
 * A solution is a sequence of steps: ff_ode_begin(), then ff_ode_step() again and again. An event changes the state between two
 * of them:
 *
 *   ff_ode_step(o, most)                          a step, which may go beyond the event
 *   ff_ode_locate(o, watch, from, &at, changed)   where conditions have changed in this step; if nowhere, the next step
 *   ff_ode_cut(o, at)                             the step ends there
 *   x = ff_ode_last(o)->end                       copied and changed by the caller
 *   ff_ode_go_on(o, at, x)                        the next step begins with this state
 *
 * Where a time is known before, it is `most`, and nothing is cut. Nothing is allocated after ff_ode_new(), unless `automatic`
 * finds that equations are stiff. */
#ifndef FF_ODE_H
#define FF_ODE_H

#include "../base/ff_base.h"
#include "../linear/ff_sparse_order.h"
#include "ff_ode_pace_math.h"

typedef struct ff_ode ff_ode;

/* ---- equations and methods ---------------------------------------------------------------------------------------------- */

/* All callbacks get `of`. */
typedef struct {
  uint32_t n; /* components of x */
  void *of;
  /* Sets the slope f(t, x). Returns 0 if there is none; then the step is tried again, shorter. It must set numbers all the same:
   * the error that follows from them tells how much shorter. */
  int (*slope)(void *of, double t, const double *x, double *slope);
  int timed; /* whether f depends on t */
  /* For implicit steps: the entries of df/dx that may differ from 0. Column j has the rows row[first[j]] to
   * row[first[j + 1] - 1], without repeats. NULL: all entries. Borrowed. */
  const size_t *first;
  const uint32_t *row;
  /* The order of this pattern, which many solvers may borrow. NULL: the solver makes its own one. */
  const ff_sparse_order *order;
  /* Sets these entries. Returns 0 if there are none; then the step is tried again, shorter. NULL: they are differences of f. */
  int (*jacobian)(void *of, double t, const double *x, double *entry);
} ff_ode_equations;

/* The last one is that of SUNDIALS, if it is there (ff_cvode.h): backward differences of order 1 to 4, with Newton's method. It
 * begins anew after ff_ode_begin(), ff_ode_go_on() and ff_ode_cut(). It is no method of ours, so it does not count among
 * FF_ODE_METHODS: its bits depend on the version of SUNDIALS, it chooses the lengths of steps, and of ff_ode_options it reads
 * `tolerance` and `size` alone. */
typedef enum { FF_ODE_DORMAND_PRINCE, FF_ODE_RODAS, FF_ODE_METHODS, FF_ODE_CVODE = FF_ODE_METHODS } ff_ode_method;

typedef struct {
  const char *name;
  int order, dense_order; /* of the state at the end of a step, and within it: errors of steps of length h are O(h^(order + 1)) */
  int stages;
  int implicit;
} ff_ode_about;

/* What is known of a method. O(1). */
const ff_ode_about *ff_ode_method_about(ff_ode_method method);

/* ---- steps -------------------------------------------------------------------------------------------------------------- */

/* A step. The arrays are the solver's, and valid until the next call of ff_ode_begin(), ff_ode_go_on(), ff_ode_step()
 * or ff_ode_cut(). */
typedef struct {
  double from, to;
  const double *start, *end; /* the state at these times */
  const double *slope;       /* f at the end */
  const double *error;       /* the estimated error of each component */
  int jumped;                /* whether it was accepted although its error is too large: see `jumps` */
} ff_ode_span;

typedef struct {
  ff_ode_method method;
  int automatic;      /* a solution begins with Dormand and Prince, and has implicit steps while it is stiff */
  double tolerance;   /* the error of component i in a step is at most tolerance * (size[i] + |x_i|). Required. */
  const double *size; /* numbers above 0. NULL: 1 for all. Borrowed. */
  double below;       /* by so much components may be below 0 at the end of a step; 0: by any number */
  const uint8_t *may_fall; /* components that may be below 0 by any number; NULL: none. Borrowed. */
  double least;       /* the shortest step, as a part of the sum of the time and the shortest step so far; 0: 2^-46 */
  uint32_t jumps;     /* the parts of f that may jump. A few shortest steps in a row are accepted for each, with any error. */
  /* Is called after each step that is tried, also after one that failed, and returns the error that counts; 1 is the largest
   * that is accepted. `error` is infinity if it is not a number. NULL: the error itself. */
  double (*judge)(void *of, const ff_ode_span *tried, double error);
  /* Is called before each step that is tried, of length h, and returns a time in ]from, to], at which it has to end. NULL:
   * at `to`. */
  double (*see)(void *of, double from, double to, double h);
} ff_ode_options;

/* The caller frees *out with ff_ode_free(), which accepts NULL. FF_EUNSUPPORTED for FF_ODE_CVODE without SUNDIALS. O(n);
 * but the implicit method also allocates its matrix, and orders it unless the order is given: see ff_sparse_order_new(). With
 * `automatic`, the first implicit step does this. */
ff_status ff_ode_new(ff_ode **out, const ff_ode_equations *equations, const ff_ode_options *options, ff_error *err);
void ff_ode_free(ff_ode *ode);

/* Begins a new solution. h is the length of the first step; 0: the solver chooses it. The solution follows from the equations,
 * the options and these arguments alone, whatever was solved before. x may be an array of the solver. O(n). */
void ff_ode_begin(ff_ode *ode, double t, const double *x, double h);

/* Goes on with the present solution in another state, such as after an event: the next step has the length ff_ode_next() and the
 * present method. A time within the last step ends it, as ff_ode_cut() would. With `automatic`, the method may still change in
 * either direction. x may be an array of the solver. O(n). */
void ff_ode_go_on(ff_ode *ode, double t, const double *x);

/* One solver may go on with several solutions in turn. ff_ode_go_on() must follow ff_ode_set_pace(). O(1). */
ff_ode_pace ff_ode_pace_of(const ff_ode *ode);
void ff_ode_set_pace(ff_ode *ode, const ff_ode_pace *pace);

typedef enum {
  FF_ODE_STEPPED,
  FF_ODE_AT_END, /* the last step ends at `most` or later; nothing has changed */
  /* There is no step: f does not exist at the beginning, where ff_ode_slope() is NULL; or even the shortest step has too large an
   * error, and the last step has length 0 now. The state is that from before. */
  FF_ODE_FAILED,
  FF_ODE_NO_MEMORY /* for the first implicit step of `automatic`; nothing has changed */
} ff_ode_outcome;

/* Makes the next step, which ends at `most` at the latest. O(stages (n + f)), and for an implicit step O(an elimination) and the
 * Jacobian, for each step that is tried. */
ff_ode_outcome ff_ode_step(ff_ode *ode, double most);

/* A step of Dormand and Prince's method whose arithmetic the caller does, such as for several solvers at a time in the lanes of
 * vectors. All arrays have a number for each component, but `dense`; they are the solver's. */
typedef struct {
  double from, h;
  const double *start, *slope;           /* the state and f at the start */
  double *end, *end_slope, *error, *dense; /* for the caller to set: the state at the end, f there, the estimated errors, and
                                            * FF_ODE_DENSE coefficients of each component, see ff_ode_curve() */
} ff_ode_trial;

/* What came of it: the largest error of a component, as a part of what the tolerance permits; and with `automatic`, the speed of
 * the fastest mode, as ff_ode_explicit_speed() computes it, or NaN, if it is not known. */
typedef struct {
  double error, speed;
  int dense; /* whether `dense` is set */
} ff_ode_verdict;

/* Begins the next step, which ends at `most` at the latest; or tries it again, if it was begun. Returns 1 if the caller must do
 * the arithmetic of *out now, and then call ff_ode_trial_end(). Otherwise it returns 0, and *outcome is that of ff_ode_step():
 * for implicit steps, it makes the whole step. Without `judge`. */
int ff_ode_trial_begin(ff_ode *ode, double most, ff_ode_trial *out, ff_ode_outcome *outcome);

/* Ends a trial. Returns 1 if the step has ended, with *outcome, and 0 if it must be tried again. */
int ff_ode_trial_end(ff_ode *ode, const ff_ode_verdict *verdict, ff_ode_outcome *outcome);

/* Does the arithmetic of a trial after all. */
ff_ode_verdict ff_ode_trial_alone(ff_ode *ode);

/* The last step; after ff_ode_begin() and ff_ode_go_on(), one of length 0, whose slope may be old. O(1). */
const ff_ode_span *ff_ode_last(const ff_ode *ode);

/* f at the end of the last step, or NULL if it does not exist. O(1); after ff_ode_begin(), ff_ode_go_on() and ff_ode_cut(), the
 * first call takes O(f). */
const double *ff_ode_slope(ff_ode *ode);

/* Where f at the end of the last step is to be put by a caller that computes it, who then says ff_ode_has_slope(). NULL if it is
 * known, or if the solver should compute it. O(1). */
double *ff_ode_wants_slope(ff_ode *ode);
void ff_ode_has_slope(ff_ode *ode);

/* The length that the next step will have, if no `most` is nearer. O(1). */
double ff_ode_next(const ff_ode *ode);

/* The method of the last step, and how many times f was called since ff_ode_new(). O(1). */
ff_ode_method ff_ode_present_method(const ff_ode *ode);
uint64_t ff_ode_calls(const ff_ode *ode);

/* ---- within a step ------------------------------------------------------------------------------------------------------ */

/* All components, or component i, at a time of the last step. The first call in a step takes O(stages n), or O(stages) for a
 * component. Then O(n), O(1). */
void ff_ode_state(ff_ode *ode, double t, double *x);
double ff_ode_component(ff_ode *ode, double t, uint32_t i);

/* The coefficients of component i in the last step, for ff_ode_dense_value() of ff_ode_explicit_math.h. They stay the same
 * when the step is cut. Those of component i + 1 are behind them, once they have been asked for. O(stages) once for a step. */
const double *ff_ode_curve(ff_ode *ode, uint32_t i);

/* Ends the last step at a time within it, where the state is then that of ff_ode_state(). The next step will be at most as long
 * as this one was: many steps that are cut must not grow. Another time changes nothing. O(n), and f is called once more. */
void ff_ode_cut(ff_ode *ode, double t);

/* Conditions g_i(t, x) >= 0. */
typedef struct {
  uint32_t n;
  void *of;
  double (*value)(void *of, uint32_t i, double t, const double *x); /* g_i */
  /* Function i reads the components read[read_first[i]] to read[read_first[i + 1] - 1] of x alone, and the others need not be
   * set. NULL: all. */
  const uint32_t *read_first, *read;
  const int8_t *direction; /* 1: only changes from false to true count; -1: only those from true to false; 0, or NULL: both */
  uint32_t pieces;         /* conditions are looked at so many times in a step, in regular distances, and at its end; 0: 1 */
} ff_ode_watch;

/* Finds the first time in the last step, after `from`, at which a condition has changed. Returns 0 if there is none. Otherwise
 * *at is this time, and changed[i] is 1 if condition i has become true, -1 if it has become false, and else 0. `changed` has n
 * entries. They and *at are undefined if there is no such time.
 *
 * *at is at most 2^-51 (|t| + h) later than the exact root of the dense output, where h is the length of the step. Changes that
 * are nearer to each other are found together. A condition has changed at *at: a later search from there, also in a step that
 * begins there, does not find this change again. A function that is 0 at `from` is a condition that is true. If it then falls,
 * this is a change just after `from`, where it counts; if it rises, there is none. Two changes within a piece of the step are not
 * found, and neither is a function that touches 0.
 *
 * O(n) values for each piece, and at most 60 for each change; a value takes O(components that are read). */
int ff_ode_locate(ff_ode *ode, const ff_ode_watch *watch, double from, double *at, int8_t *changed);

/* ---- derivatives -------------------------------------------------------------------------------------------------------- */

/* Puts the n columns of a pattern into groups: no row has entries in two columns of a group, so one call of f differentiates by
 * all of them. Sets the group of each column, and how many there are. O(entries times the entries of a row). */
ff_status ff_ode_group_columns(uint32_t *group, uint32_t *n_groups, uint32_t n, const size_t *first, const uint32_t *row,
                               ff_error *err);

#endif
