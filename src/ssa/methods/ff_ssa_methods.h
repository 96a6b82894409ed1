/* The table of methods: what each of them is and can do. To add a method, write its file, its name in ff_ssa_method, and its
 * row in ff_ssa_methods.c. */
#ifndef FF_SSA_METHODS_H
#define FF_SSA_METHODS_H

#include "../engine/ff_ssa_engine.h"
#include "../plan/ff_ssa_plan.h"

/* Makes the engine of a method, as ff_ssa_engine_new(). */
typedef ff_status ff_ssa_make_engine(ff_lanes **out, const ff_ssa_program *program, const ff_run_options *options,
                                     const double *initial, uint64_t trajectories, ff_error *err);

/* Whether a run can look at the state after each firing. */
typedef enum { FF_FOLLOWS_NEVER, FF_FOLLOWS_WITHOUT_GROUPS, FF_FOLLOWS } ff_ssa_follows;

typedef struct {
  const char *name, *about, *cost; /* as users read them in ssa_methods() */
  const ff_ssa_finder *finder;     /* for trajectories one by one; NULL for an approximation */
  const ff_ssa_finder *clocked;    /* the same for events and rates that depend on the time; NULL if it does not simulate them */
  ff_ssa_make_engine *engine;      /* for networks without those */
  ff_status (*check)(const ff_ssa_program *program, ff_error *err); /* NULL, or FF_EUNSUPPORTED with the reason */
  double (*work)(const ff_ssa_program *program);                    /* of a step: the propensities that it takes time for */
  ff_ssa_follows follows;
  uint8_t exact;      /* its trajectories have the distribution that the network defines */
  uint8_t whole;      /* its counts are whole numbers */
  uint8_t on_devices; /* devices have it */
  uint8_t ordered;    /* it needs ff_ssa_optimised_order() before it runs on a device */
  uint8_t signs;      /* it takes rates below 0 */
} ff_ssa_method_row;

/* The row of a method. It is constant. */
const ff_ssa_method_row *ff_ssa_row_of(ff_ssa_method method);

/* Whether the method follows each firing of this program. */
static inline int ff_ssa_row_follows(const ff_ssa_method_row *row, const ff_ssa_program *program) {
  return row->follows == FF_FOLLOWS ||
         (row->follows == FF_FOLLOWS_WITHOUT_GROUPS && ff_ssa_program_groups(program) == 0);
}

/* ---- what others ask ------------------------------------------------------------------------------------------------------ */

/* The name of a method, what it does, and what a step costs, as constant strings. */
const char *ff_ssa_method_name(ff_ssa_method method);
const char *ff_ssa_method_about(ff_ssa_method method);
const char *ff_ssa_method_cost(ff_ssa_method method);

/* Whether its trajectories have the distribution that the network defines. */
int ff_ssa_method_exact(ff_ssa_method method);

/* Whether its counts are whole numbers. */
int ff_ssa_method_whole(ff_ssa_method method);

/* Whether devices have it. */
int ff_ssa_method_on_devices(ff_ssa_method method);

/* FF_EUNSUPPORTED unless devices have this method. The message names those that they have. */
ff_status ff_ssa_method_check_devices(ff_ssa_method method, ff_error *err);

/* FF_EUNSUPPORTED if the method cannot simulate this program. The message names the first reaction that it cannot simulate, or
 * says that it does not simulate events or rates that depend on the time. O(reactions). */
ff_status ff_ssa_method_check(const ff_ssa_program *program, ff_ssa_method method, ff_error *err);

/* FF_EUNSUPPORTED as ff_ssa_method_check(), and if the options want firings, a condition or starts, but the method does not
 * simulate one step after the other. O(reactions). */
ff_status ff_ssa_method_check_options(const ff_ssa_program *program, const ff_run_options *options, ff_error *err);

/* The finder of a method; that of the direct method if it has none of its own. */
const ff_ssa_finder *ff_ssa_finder_of(ff_ssa_method method);

#endif
