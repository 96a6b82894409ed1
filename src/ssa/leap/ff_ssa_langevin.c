/* The chemical Langevin equation (Gillespie 2000), an approximation: the number of firings of a reaction is normally distributed.
 * Steps are those of tau-leaping, without critical reactions (Euler and Maruyama).
 *
 * Between the ends of a step, the numbers follow a Brownian bridge, which is built by halving the step again and again. The draws
 * are addressed by the reaction and the half, so that the state at a time does not depend on the other times. */
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_math.h"
#include "ff_ssa_leap.h"
#include "ff_ssa_length.h"
#include "../path/ff_ssa_method.h"
#include "ff_ssa_smooth.h"
#include "../../random/ff_variates.h"

#define MOST_LEVELS 62
#define FINE_LEVELS 24 /* levels after the first half that is not at the beginning: the rest of the path is a straight line */

typedef struct {
  ff_ssa_length length;
  double *noise; /* for each reaction: the Brownian motion at the end of the step, whose length counts as 1 */
} langevin;

static void drop(ff_ssa_smooth *e) {
  langevin *l = e->own;
  if (l == NULL) return;
  ff_ssa_length_free(&l->length);
  free(l->noise);
  free(l);
}

static double normal_of(uint64_t key, uint64_t node) {
  ff_sequence sequence = ff_sequence_of(key, node);
  return ff_variate_normal(&sequence);
}

/* Adds what reaction r changes in a part of the step, with the Brownian motion up to it. */
static void add_changes(const ff_ssa_path *path, double tau, uint32_t r, double part, double motion, double *count) {
  const double mean = path->propensity[r] * tau;
  ff_ssa_apply(path->program, count, r, mean * part + ff_math_sqrt(mean) * motion);
}

static void step(ff_ssa_smooth *e) {
  ff_ssa_path *path = &e->single.path;
  langevin *l = e->own;
  const ff_ssa_program *p = path->program;
  double total = 0;
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    const double a = ff_ssa_path_propensity(path, r);
    path->propensity[r] = a > 0 ? a : 0; /* x (x - 1) is negative for a real count x below 1 */
    total += path->propensity[r];
  }
  if (!(total < INFINITY)) ff_ssa_path_blame(path);
  e->end = INFINITY;
  if (path->failure.what != FF_SSA_FINE || total == 0) return;
  double tau = ff_ssa_length_longest(&l->length, path);
  if (!(tau < FF_SSA_MAX_COUNT / total)) tau = FF_SSA_MAX_COUNT / total;
  e->end = path->time + tau;
  memcpy(e->after, path->count, p->n_species * sizeof *e->after);
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    if (!(path->propensity[r] > 0)) continue;
    l->noise[r] = normal_of(ff_ssa_step_key(path, path->step, r), 0);
    add_changes(path, tau, r, 1, l->noise[r], e->after);
  }
  for (uint32_t s = 0; s < p->n_species; s++)
    if (!(e->after[s] > 0)) e->after[s] = 0;
}

/* Brownian motion at a part of the step, of which only its end is known. */
static double motion_until(uint64_t key, double end, double part) {
  double found = 0, spread = 0.5; /* the standard deviation of the middle, when both ends are known */
  uint64_t node = 1;
  int fine = 0;
  for (int level = 0; level < MOST_LEVELS && fine < FINE_LEVELS; level++) {
    const double first = end / 2 + spread * normal_of(key, node);
    if (ff_ssa_halve(&part, &node)) {
      found += first;
      end -= first;
    } else {
      end = first;
    }
    fine += fine > 0 || node % 2 == 1;
    spread *= 0.70710678118654752440;
  }
  return found + part * end;
}

static void show(ff_ssa_smooth *e, double t) {
  const ff_ssa_path *path = &e->single.path;
  const double part = (t - path->time) / (e->end - path->time);
  const langevin *l = e->own;
  memcpy(e->shown, path->count, path->program->n_species * sizeof *e->shown);
  for (uint32_t r = 0; r < path->program->n_reactions; r++) {
    if (!(path->propensity[r] > 0)) continue;
    const double motion = motion_until(ff_ssa_step_key(path, path->step, r), l->noise[r], part);
    add_changes(path, e->end - path->time, r, part, motion, e->shown);
  }
}

ff_status ff_ssa_engine_langevin(ff_lanes **out, const ff_ssa_program *program, const ff_run_options *options,
                                 const double *initial, uint64_t trajectories, ff_error *err) {
  (void)trajectories;
  *out = NULL;
  ff_ssa_smooth *e;
  ff_status status = ff_ssa_smooth_new(&e, program, options, initial, err);
  if (status != FF_OK) return status;
  e->step = step;
  e->show = show;
  e->drop = drop;
  langevin *l = e->own = ff_calloc(1, sizeof *l);
  if (l != NULL) l->noise = ff_calloc(program->n_reactions, sizeof *l->noise);
  if (l == NULL || l->noise == NULL)
    status = ff_error_set(err, FF_EMEMORY, "no memory for steps of %u reactions", program->n_reactions);
  else
    status = ff_ssa_length_new(&l->length, program, options->tolerance, err);
  if (status == FF_OK)
    *out = &e->single.base;
  else
    e->single.base.free(&e->single.base);
  return status;
}
