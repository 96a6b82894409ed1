/* Tau-leaping (Cao, Gillespie and Petzold 2006), an approximation: while the propensities change little, all reactions fire a
 * Poisson number of times at once. Where a leap would have few firings, single steps are simulated.
 *
 * The times at which the state is wanted do not change a trajectory. The firings of a reaction in a leap are spread uniformly
 * over the leap: the leap is halved again and again, and each half gets a binomial part of the firings. The draws are addressed
 * by the reaction and the half, so that the state at a time does not depend on the other times. */
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_implicit.h"
#include "ff_ssa_leap.h"
#include "ff_ssa_length.h"
#include "../path/ff_ssa_method.h"
#include "../engine/ff_ssa_single.h"
#include "../schedule/ff_ssa_trajectory.h"

#define LEAST_FIRINGS 10 /* a leap with fewer firings on average does not pay */
#define EXACT_STEPS 100  /* exact steps that then follow */
#define EXACT_AFTER_IMPLICIT 10 /* the same after an implicit leap */
#define BRIDGE_LEVELS 62 /* a leap is divided into 2^62 parts */

typedef struct {
  ff_ssa_single single; /* its path is at the beginning of the leap, or at the last exact step */
  double end;           /* of the leap */
  ff_ssa_length length;
  ff_ssa_implicit *implicit; /* NULL if all leaps are explicit */
  double longest_explicit;
  double *rate;         /* for each reaction: its propensity for the leap */
  int is_implicit, unsolved; /* whether the leap is implicit, and whether its equations were not solved */
  int leaping;
  uint32_t exact; /* exact steps that are left */
  uint64_t fired, fired_shown; /* firings of the trajectory, and those of the leap up to the time that is shown */
  double *after, *shown;   /* counts at the end of the leap, and at the time that is shown */
  double *times_fired;     /* for each reaction: its firings in the leap */
  double *part_fired;      /* the same up to the wanted time */
  uint32_t last;           /* the critical reaction that fires at the end of the leap, or n_reactions */
  uint64_t address;        /* path.step for the draws of the leap */
} leaper;

static double smaller(double a, double b) { return a < b ? a : b; }

/* ---- leaps -------------------------------------------------------------------------------------------------------------- */

static uint32_t choose_critical(const leaper *e, double at) {
  const ff_ssa_path *path = &e->single.path;
  uint32_t found = path->program->n_reactions;
  for (uint32_t r = 0; r < path->program->n_reactions; r++) {
    if (!e->length.critical[r]) continue;
    found = r;
    if (at < e->rate[r]) break;
    at -= e->rate[r];
  }
  return found;
}

/* Sets e->rate for a leap of at most this length. Returns the sum of critical ones, or NaN if they are not known. Reactions in
 * partial equilibrium that an implicit leap jumps over relax long before another reaction fires, so its propensity is the one
 * after that. */
static double find_rates(leaper *e, double tau) {
  ff_ssa_path *path = &e->single.path;
  double sum = 0;
  memcpy(e->rate, path->propensity, path->program->n_reactions * sizeof *e->rate);
  if (tau > e->longest_explicit && !ff_ssa_implicit_relax(e->implicit, path, tau, e->rate)) return NAN;
  for (uint32_t r = 0; r < path->program->n_reactions; r++) sum += e->length.critical[r] ? e->rate[r] : 0;
  return sum;
}

/* Draws the firings of a leap of at most this length. Returns 0 if a count would be negative, or if its equations were not
 * solved. */
static int draw_leap(leaper *e, double tau) {
  ff_ssa_path *path = &e->single.path;
  const ff_ssa_program *p = path->program;
  const double critical = find_rates(e, tau);
  e->unsolved = !(critical >= 0);
  if (e->unsolved) return 0;
  const ff_philox_block words = ff_ssa_path_draw(path, FF_SSA_DRAW_STEP, 0);
  const double wait = critical > 0 ? ff_exponential(words.v[0], words.v[1]) / critical : INFINITY;
  e->address = path->step++;
  e->last = wait <= tau ? choose_critical(e, ff_closed(words.v[2], words.v[3]) * critical) : p->n_reactions;
  tau = smaller(tau, wait);
  e->end = path->time + tau;
  e->is_implicit = e->implicit != NULL && tau > e->longest_explicit;
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    e->times_fired[r] = 0;
    if (e->length.critical[r] || !(e->rate[r] > 0)) continue;
    if (e->is_implicit && !ff_ssa_implicit_balanced(e->implicit, r)) continue; /* the equations tell the mean */
    ff_sequence sequence = ff_sequence_of(ff_ssa_step_key(path, e->address, r), 0);
    e->times_fired[r] = ff_variate_poisson(&sequence, e->rate[r] * tau);
  }
  e->unsolved = e->is_implicit && !ff_ssa_implicit_leap(e->implicit, &e->length, path, e->rate, e->address, tau, e->times_fired);
  if (e->unsolved) return 0;
  memcpy(e->after, path->count, p->n_species * sizeof *e->after);
  for (uint32_t r = 0; r < p->n_reactions; r++)
    if (e->times_fired[r] > 0) ff_ssa_apply(p, e->after, r, e->times_fired[r]);
  if (e->last < p->n_reactions) ff_ssa_apply(p, e->after, e->last, 1);
  for (uint32_t s = 0; s < p->n_species; s++)
    if (e->after[s] < 0) return 0;
  return 1;
}

static void finish_leap(leaper *e) {
  ff_ssa_path *path = &e->single.path;
  const ff_ssa_program *p = path->program;
  e->leaping = 0;
  e->fired_shown = 0;
  path->time = e->end;
  memcpy(path->count, e->after, p->n_species * sizeof *path->count);
  for (uint32_t r = 0; r < p->n_reactions; r++) e->fired += (uint64_t)e->times_fired[r];
  e->fired += e->last < p->n_reactions;
  for (uint32_t s = 0; s < p->n_species; s++)
    if (path->count[s] > FF_SSA_MAX_COUNT) ff_ssa_path_fail(path, FF_SSA_BAD_COUNT, s, path->count[s]);
}

/* Begins a leap, or a series of exact steps. */
static void go_on(leaper *e) {
  ff_ssa_path *path = &e->single.path;
  ff_ssa_path_compute(path);
  const double total = ff_ssa_sum(path->propensity, path->program->n_reactions);
  e->exact = e->is_implicit ? EXACT_AFTER_IMPLICIT : EXACT_STEPS;
  e->is_implicit = 0;
  if (path->failure.what == FF_SSA_FINE && total > 0 && total < INFINITY) {
    ff_ssa_length_critical(&e->length, path);
    double longest = e->longest_explicit = ff_ssa_length_longest(&e->length, path);
    if (e->implicit != NULL) longest = ff_ssa_implicit_longest(e->implicit, &e->length, path, longest);
    /* The mean number of firings is bounded, so that it is a number that a count may reach. */
    double tau = smaller(longest, 2 * FF_SSA_MAX_COUNT / total);
    while (tau * total >= LEAST_FIRINGS) {
      if (draw_leap(e, tau)) {
        e->leaping = 1;
        return;
      }
      tau = e->unsolved ? e->longest_explicit : tau / 2; /* explicit leaps have no equations */
    }
  }
  e->is_implicit = 0;
  ff_ssa_path_resume(path);
}

/* ---- the state within a leap -------------------------------------------------------------------------------------------- */

/* How many of n firings, spread uniformly over the leap, happen in its first `part`. */
static double firings_until(uint64_t key, double n, double part) {
  double found = 0;
  uint64_t node = 1;
  for (int level = 0; level < BRIDGE_LEVELS && n > 0; level++) {
    ff_sequence sequence = ff_sequence_of(key, node); /* node 0 is for the number of firings */
    const double first = ff_variate_halves(&sequence, n);
    if (ff_ssa_halve(&part, &node)) {
      found += first;
      n -= first;
    } else {
      n = first;
    }
  }
  return found;
}

/* Sets e->part_fired. Reactions in partial equilibrium fire much more often than is needed to change the counts, so binomial
 * parts of their firings would differ by much more than the counts do: they settle anew at this time. */
static void find_part_fired(leaper *e, double part) {
  const uint32_t n = e->single.path.program->n_reactions;
  for (uint32_t r = 0; r < n; r++) {
    const int balanced = e->is_implicit && ff_ssa_implicit_balanced(e->implicit, r);
    const uint64_t key = ff_ssa_step_key(&e->single.path, e->address, r);
    e->part_fired[r] = balanced ? 0 : firings_until(key, e->times_fired[r], part);
  }
  const double tau = e->end - e->single.path.time;
  if (!e->is_implicit || ff_ssa_implicit_settle(e->implicit, &e->single.path, e->address, tau, part, e->part_fired)) return;
  for (uint32_t r = 0; r < n; r++)
    if (ff_ssa_implicit_balanced(e->implicit, r)) e->part_fired[r] = round(e->times_fired[r] * part);
}

/* A count may be negative within a leap though it is not at its end. It is shown as 0. */
static void show(leaper *e, double time) {
  const ff_ssa_path *path = &e->single.path;
  const ff_ssa_program *p = path->program;
  memcpy(e->shown, path->count, p->n_species * sizeof *e->shown);
  find_part_fired(e, (time - path->time) / (e->end - path->time));
  e->fired_shown = 0;
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    if (!(e->part_fired[r] > 0)) continue;
    ff_ssa_apply(p, e->shown, r, e->part_fired[r]);
    e->fired_shown += (uint64_t)e->part_fired[r];
  }
  for (uint32_t s = 0; s < p->n_species; s++) e->shown[s] = e->shown[s] > 0 ? e->shown[s] : 0;
}

/* ---- the engine --------------------------------------------------------------------------------------------------------- */

static void start(ff_lanes *engine, uint32_t lane, uint64_t unit, double wanted) {
  leaper *e = (leaper *)engine;
  ff_ssa_single_start(engine, lane, unit, wanted);
  e->fired = e->fired_shown = 0;
  e->leaping = e->is_implicit = 0;
  if (e->implicit != NULL) ff_ssa_implicit_start(e->implicit);
}

static void begin(leaper *e) {
  ff_ssa_path *path = &e->single.path;
  e->single.started = 1;
  path->time = 0;
  memcpy(path->count, e->single.initial, path->program->n_species * sizeof *path->count);
  go_on(e);
}

static uint64_t report(leaper *e, double *count, double next_time) {
  e->single.base.count = count;
  e->single.path.next_time = next_time;
  return 1;
}

static void take_step(leaper *e) {
  ff_ssa_path *path = &e->single.path;
  if (!e->single.started) {
    begin(e);
  } else if (e->leaping) {
    finish_leap(e);
    if (path->failure.what == FF_SSA_FINE) go_on(e);
  } else {
    ff_ssa_path_step(path);
    e->fired++;
    if (--e->exact == 0 && path->failure.what == FF_SSA_FINE) go_on(e);
  }
}

static uint64_t advance(ff_lanes *engine, uint32_t *steps) {
  leaper *e = (leaper *)engine;
  const ff_ssa_path *path = &e->single.path;
  for (; !e->single.started || path->failure.what == FF_SSA_FINE; --*steps) {
    const double wanted = e->single.wanted;
    if (e->single.started && e->leaping && wanted < e->end) return report(e, e->shown, e->end);
    if (e->single.started && !e->leaping && wanted < path->next_time) return report(e, path->count, path->next_time);
    if (*steps == 0) return 0;
    take_step(e);
  }
  engine->broken = 1;
  return report(e, path->count, path->next_time);
}

/* Between single firings, the state does not change. */
static void show_within(ff_lanes *engine, uint32_t lane, double t) {
  leaper *e = (leaper *)engine;
  (void)lane;
  if (!e->leaping) return;
  show(e, t);
  ff_ssa_single_check_shown(&e->single, e->shown, t);
}

static uint64_t steps(const ff_lanes *engine, uint32_t lane) {
  (void)lane;
  return ((const leaper *)engine)->fired + ((const leaper *)engine)->fired_shown;
}

static void drop(ff_lanes *engine) {
  leaper *e = (leaper *)engine;
  if (e == NULL) return;
  ff_ssa_single_clear(&e->single);
  ff_ssa_length_free(&e->length);
  ff_ssa_implicit_free(e->implicit);
  free(e->after);
  free(e->shown);
  free(e->rate);
  free(e->times_fired);
  free(e->part_fired);
  free(e);
}

static ff_status fill(leaper *e, const ff_ssa_program *p, const ff_run_options *options, const double *initial, ff_error *err) {
  ff_status status = ff_ssa_length_new(&e->length, p, options->tolerance, err);
  if (status == FF_OK && options->method == FF_SSA_IMPLICIT) status = ff_ssa_implicit_new(&e->implicit, p, err);
  if (status == FF_OK) status = ff_ssa_single_fill(&e->single, p, &ff_ssa_finder_tree, initial, options->key, err);
  if (status != FF_OK) return status;
  e->after = ff_calloc(p->n_species, sizeof *e->after);
  e->shown = ff_calloc(p->n_species, sizeof *e->shown);
  e->rate = ff_calloc(p->n_reactions, sizeof *e->rate);
  e->times_fired = ff_calloc(p->n_reactions, sizeof *e->times_fired);
  e->part_fired = ff_calloc(p->n_reactions, sizeof *e->part_fired);
  if (e->after && e->shown && e->rate && e->times_fired && e->part_fired) return FF_OK;
  return ff_error_set(err, FF_EMEMORY, "no memory for leaps of %u reactions", p->n_reactions);
}

ff_status ff_ssa_engine_leap(ff_lanes **out, const ff_ssa_program *program, const ff_run_options *options,
                             const double *initial, uint64_t trajectories, ff_error *err) {
  (void)trajectories;
  *out = NULL;
  leaper *e = ff_calloc(1, sizeof *e);
  if (e == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a trajectory");
  ff_status status = fill(e, program, options, initial, err);
  if (status != FF_OK) {
    drop(&e->single.base);
    return status;
  }
  e->single.base.start = start;
  e->single.base.advance = advance;
  e->single.base.show = show_within;
  e->single.base.steps = steps;
  e->single.base.free = drop;
  *out = &e->single.base;
  return FF_OK;
}
