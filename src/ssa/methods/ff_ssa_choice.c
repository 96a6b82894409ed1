/* The choice of a method and of an engine. */
#include "ff_ssa_choice.h"

#include <math.h>

#include "ff_ssa_methods.h"
#include "../plan/ff_ssa_plan.h"
#include "../engine/ff_ssa_single.h"
#include "../schedule/ff_ssa_trajectory.h"
#include "../lanes/ff_ssa_vector16.h"

/* A firing may trigger events of the network, and these may trigger further ones at the same time. The condition that ends a
 * trajectory is checked after each of them. */
static ff_status engine_scheduled(ff_lanes **out, const ff_ssa_program *program, const ff_run_options *options,
                                  const double *initial, ff_error *err) {
  ff_status status =
      ff_ssa_engine_path(out, program, ff_ssa_row_of(options->method)->clocked, initial, options->key, err);
  if (status != FF_OK || options->until == NULL) return status;
  ff_ssa_single *e = (ff_ssa_single *)*out;
  e->base.looks = 1;
  status = ff_ssa_path_end_at(&e->path, options->until, err);
  if (status == FF_OK) return FF_OK;
  e->base.free(&e->base);
  *out = NULL;
  return status;
}

ff_status ff_ssa_engine_new(ff_lanes **out, const ff_ssa_program *program, const ff_run_options *options,
                            const double *initial, uint64_t trajectories, ff_error *err) {
  if (ff_ssa_program_scheduled(program)) return engine_scheduled(out, program, options, initial, err);
  return ff_ssa_row_of(options->method)->engine(out, program, options, initial, trajectories, err);
}

/* ---- the choice of a method --------------------------------------------------------------------------------------------- */

/* For several trajectories in vectors, it is faster to compute all propensities than to look up dependents: in measurements up to
 * about 256 reactions, and beyond if a step changes more than one in 16 propensities. */
#define DIRECT_MOST 256

/* Networks with fewer reactions than the first number are faster without groups. Groups gain little if they have fewer reactions
 * on average than the second number. */
#define FACTORED_LEAST 40
#define FACTORED_EACH 2

/* Trajectories one by one. If a step changes so many propensities, sums of partial propensities are faster: in measurements 1.8
 * times for 90 of them, 3 to 4 times for more than 1000, and not slower from 40 on. */
#define COUPLED 64

/* A few reactions with many dependents hardly count in the mean over all reactions, but may have most of the firings. So a short
 * simulation tells how many propensities a firing changes. It ends after so many firings, or so many changes. */
#define PILOT_FIRINGS 1024u
#define PILOT_CHANGES 1e6

static double changed_by_firings(const ff_ssa_program *p) {
  ff_ssa_path path;
  ff_error err;
  uint32_t firings = 0;
  double changes = 0;
  if (ff_ssa_path_new(&path, p, &ff_ssa_finder_tree, &err) != FF_OK) return 0; /* the run tells that there is no memory */
  ff_ssa_path_start(&path, 0, 0, p->initial);
  while (path.failure.what == FF_SSA_FINE && path.next_time < INFINITY && firings < PILOT_FIRINGS && changes < PILOT_CHANGES) {
    size_t n;
    ff_ssa_path_dependents(&path, &n);
    changes += (double)n;
    firings++;
    ff_ssa_path_step(&path);
  }
  ff_ssa_path_free(&path);
  return firings > 0 ? changes / firings : 0;
}

static ff_ssa_method method_for_one(const ff_ssa_program *p, double changed) {
  ff_error err;
  return changed < COUPLED || ff_ssa_method_check(p, FF_SSA_PSSA_CR, &err) != FF_OK ? FF_SSA_TREE : FF_SSA_PSSA_CR;
}

ff_ssa_method ff_ssa_method_of(const ff_ssa_program *p, const ff_run_options *o, double *changed) {
  *changed = ff_ssa_program_coupling(p);
  if (ff_ssa_program_scheduled(p)) return p->n_reactions <= DIRECT_MOST ? FF_SSA_DIRECT : FF_SSA_TREE;
  const uint32_t groups = ff_ssa_program_groups(p);
  const int grouped = groups > 0 && p->n_reactions >= FACTORED_LEAST && p->n_reactions / FACTORED_EACH >= groups;
  const int one_by_one = ff_run_follows(o) || o->starts != NULL;
  if (grouped && !one_by_one) return FF_SSA_FACTORED;
  if (!grouped && p->n_reactions <= DIRECT_MOST) return FF_SSA_DIRECT;
  const double seen = changed_by_firings(p);
  if (seen > *changed) *changed = seen;
  const int strong = p->n_reactions <= FF_SSA_VECTOR16_REACTIONS && *changed > p->n_reactions / 16.0;
  return !grouped && strong ? FF_SSA_DIRECT : method_for_one(p, *changed);
}
