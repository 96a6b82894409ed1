/* The table of methods: what each of them is and can do. To add a method, write its file, its name in ff_ssa_method, and its
 * row in ff_ssa_methods.c. Internal to ssa/. */
#ifndef FF_SSA_METHODS_H
#define FF_SSA_METHODS_H

#include "ff_ssa_engine.h"

/* Makes the engine of a method, as ff_ssa_engine_new(). */
typedef ff_status ff_ssa_make_engine(ff_ssa_engine **out, const ff_ssa_program *program, const ff_ssa_options *options,
                                     const double *initial, uint64_t trajectories, ff_error *err);

/* Whether a run can look at the state after each firing. */
typedef enum { FF_FOLLOWS_NEVER, FF_FOLLOWS_WITHOUT_GROUPS, FF_FOLLOWS } ff_ssa_follows;

typedef struct {
  const char *name, *about, *cost; /* as users read them in ssa_methods() */
  const ff_ssa_finder *finder;     /* for trajectories one by one; NULL for an approximation */
  const ff_ssa_finder *clocked;    /* the same for events and rates that depend on the time; NULL if it does not simulate them */
  ff_ssa_make_engine *engine;      /* for networks without those */
  ff_status (*check)(const ff_ssa_program *program, ff_error *err); /* NULL, or FF_EUNSUPPORTED with the reason */
  double (*work)(const ff_ssa_program *program);                    /* of an event: the propensities that it takes time for */
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

#endif
