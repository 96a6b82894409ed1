/* Engines for states that change smoothly: counts are real numbers. */
#ifndef FF_SSA_SMOOTH_H
#define FF_SSA_SMOOTH_H

#include "../engine/ff_ssa_single.h"

typedef struct ff_ssa_smooth ff_ssa_smooth;

/* A trajectory in steps. The state within a step follows from the step alone, so the times at which the state is wanted do not
 * change a trajectory. */
struct ff_ssa_smooth {
  ff_ssa_single single;  /* its path is at the beginning of the step; path.step is the number of the step */
  double tolerance, end; /* end: of the step; infinity if the state does not change any more */
  double *after, *shown; /* counts at the end of the step, and at the time that is shown */
  double *doubt;         /* for each count, an estimate of its error; NULL: not known */
  void *own;
  void (*begin)(ff_ssa_smooth *e);              /* the trajectory begins; may be NULL */
  void (*step)(ff_ssa_smooth *e);               /* sets `end` and `after`, or path.failure */
  void (*show)(ff_ssa_smooth *e, double t);     /* sets `shown` for a time within the step, before its end */
  void (*round)(ff_ssa_smooth *e);              /* sets what is shown below 0 by an error to 0; NULL: all that is below 0 */
  void (*drop)(ff_ssa_smooth *e);               /* frees `own`, which may be NULL */
};

/* Makes an engine without its functions `begin` to `drop`. The caller frees it with (*out)->single.base.free(). */
ff_status ff_ssa_smooth_new(ff_ssa_smooth **out, const ff_ssa_program *program, const ff_run_options *options,
                            const double *initial, ff_error *err);

#endif
