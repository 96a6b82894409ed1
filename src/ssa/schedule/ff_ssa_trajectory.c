/* A trajectory, from its start to its last event. A method finds the events. */

#include <stdlib.h>
#include <string.h>

#include "ff_ssa_trajectory.h"
#include "ff_ssa_schedule.h"

void ff_ssa_path_free(ff_ssa_path *path) {
  if (path->finder != NULL) path->finder->drop(path);
  free(path->propensity);
  free(path->count);
  free(path->whole);
  free(path->stack);
  free(path->ranges);
  free(path->mark);
  free(path->gathered);
  ff_ssa_schedule_free(path->schedule);
  memset(path, 0, sizeof *path);
}

ff_status ff_ssa_path_new(ff_ssa_path *path, const ff_ssa_program *program, const ff_ssa_finder *finder, ff_error *err) {
  memset(path, 0, sizeof *path);
  path->program = program;
  path->finder = finder;
  ff_status status = path->finder->make(path, err);
  if (status == FF_OK && path->propensity == NULL) path->propensity = ff_calloc(program->n_reactions, sizeof *path->propensity);
  path->count = ff_calloc((size_t)program->n_species + program->n_settable, sizeof *path->count);
  path->whole = ff_calloc((size_t)program->n_species + program->n_settable, sizeof *path->whole);
  path->stack = ff_calloc(program->depth, sizeof *path->stack);
  path->ranges = ff_calloc(program->depth, sizeof *path->ranges);
  size_t listed = program->dependents == NULL ? program->n_reactions : 0;
  path->mark = ff_calloc(listed, sizeof *path->mark);
  path->gathered = ff_calloc(listed, sizeof *path->gathered);
  if (status == FF_OK && (!path->propensity || !path->count || !path->whole || !path->stack || !path->ranges || !path->mark ||
                          !path->gathered))
    status = ff_error_set(err, FF_EMEMORY, "no memory for a trajectory of %u species", program->n_species);
  if (status == FF_OK && ff_ssa_program_scheduled(program)) status = ff_ssa_schedule_new(path, err);
  if (status != FF_OK) ff_ssa_path_free(path);
  return status;
}

ff_status ff_ssa_path_end_at(ff_ssa_path *path, const ff_formula *until, ff_error *err) {
  const uint32_t depth = path->program->depth > until->depth ? path->program->depth : until->depth;
  double *stack = ff_calloc(depth, sizeof *stack);
  if (stack == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a condition");
  free(path->stack);
  path->stack = stack;
  path->until = until;
  return FF_OK;
}

/* ---- events ------------------------------------------------------------------------------------------------------------- */

void ff_ssa_path_start(ff_ssa_path *path, uint64_t key, uint64_t unit, const double *initial) {
  path->key = key;
  path->unit = unit;
  path->step = path->silent = 0;
  path->reached = 0;
  path->time = 0;
  memcpy(path->count, initial, path->program->n_species * sizeof *path->count);
  if (path->schedule != NULL) ff_ssa_schedule_start(path);
  if (path->schedule == NULL || (path->failure.what == FF_SSA_FINE && !path->reached)) ff_ssa_path_resume(path);
}

void ff_ssa_path_resume(ff_ssa_path *path) {
  path->failure.what = FF_SSA_FINE;
  for (uint32_t s = 0; s < path->program->n_species; s++)
    if (path->count[s] > FF_SSA_MAX_COUNT) ff_ssa_path_fail(path, FF_SSA_BAD_COUNT, s, path->count[s]);
  if (path->schedule != NULL)
    ff_ssa_schedule_resume(path);
  else
    path->finder->begin(path);
}

void ff_ssa_path_go_on(ff_ssa_path *path) {
  path->failure.what = FF_SSA_FINE;
  if (path->schedule != NULL)
    ff_ssa_schedule_go_on(path);
  else
    path->finder->begin(path);
}

void ff_ssa_path_step(ff_ssa_path *path) {
  if (FF_RARELY(path->schedule != NULL)) {
    ff_ssa_schedule_step(path);
    return;
  }
  path->time = path->next_time;
  path->step++;
  ff_ssa_path_apply(path);
  path->finder->go_on(path);
}
