/* What the engines for one trajectory at a time share. */
#ifndef FF_SSA_SINGLE_H
#define FF_SSA_SINGLE_H

#include "ff_ssa_engine.h"
#include "../../random/ff_variates.h"

/* The first member of such an engine's struct. */
typedef struct {
  ff_lanes base;
  ff_ssa_path path;
  const double *initial;
  double wanted;
  int started; /* whether the first step was made */
} ff_ssa_single;

/* Fills one that is all 0, and sets all functions but advance(), steps() and free(); the caller may replace start(). Frees what
 * it has, also after a failure. */
ff_status ff_ssa_single_fill(ff_ssa_single *single, const ff_ssa_program *program, const ff_ssa_finder *finder,
                             const double *initial, uint64_t key, ff_error *err);
void ff_ssa_single_clear(ff_ssa_single *single);
void ff_ssa_single_start(ff_lanes *engine, uint32_t lane, uint64_t unit, double wanted);

/* ---- steps of approximate methods --------------------------------------------------------------------------------------- */

/* The key of a reaction's numbers in the step that has this number. */
uint64_t ff_ssa_step_key(const ff_ssa_path *path, uint64_t step, uint32_t reaction);

/* Breaks the lane, with the path's failure, if a count that is shown at time t exceeds FF_SSA_MAX_COUNT. */
void ff_ssa_single_check_shown(ff_ssa_single *single, const double *shown, double t);

/* Changes counts by so many firings of a reaction. */
static inline void ff_ssa_apply(const ff_ssa_program *p, double *count, uint32_t r, double times) {
  for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++)
    count[p->changes[i].species] += times * (double)p->changes[i].by;
}

/* Halves a step, or a part of one that was halved before. *part is a position in it, from 0 to below 1; it becomes the position
 * in the half that contains it, and *node the number of this half. Returns whether this is the second half. */
static inline int ff_ssa_halve(double *part, uint64_t *node) {
  *part *= 2;
  *node *= 2;
  if (*part < 1) return 0;
  *part -= 1;
  *node += 1;
  return 1;
}

#endif
