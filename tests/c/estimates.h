/* State sets of a network, and estimates of them, which tests compare with exact answers. */
#ifndef FF_TESTS_ESTIMATES_H
#define FF_TESTS_ESTIMATES_H

#include <math.h>

#include "../../src/pbn/estimate/ff_pbn_estimate.h"
#include "../../src/pbn/estimate/ff_influence.h"
#include "../../src/exact/ff_exact.h"
#include "nets.h"

#define MOST_SETS 8

typedef struct {
  ff_observables observables;
  uint32_t first[MOST_SETS + 1];
  ff_expr terms[MOST_SETS];
  double weights[MOST_SETS];
} set_list;

static inline void parse_sets(set_list *s, const ff_pbn *pbn, const char *const *texts) {
  ff_error err;
  ff_names *names = NULL;
  *s = (set_list){{0}, {0}, {{0}}, {0}};
  FF_CHECK_OK(ff_names_new(&names, pbn->names, pbn->n_nodes, "nodes", &err), &err);
  uint32_t n = 0;
  for (; texts[n] != NULL; n++) {
    FF_CHECK_OK(ff_expr_parse(&s->terms[n], texts[n], strlen(texts[n]), ff_names_find, names, (ff_place){NULL, 0}, &err), &err);
    s->weights[n] = 1;
    s->first[n + 1] = n + 1;
  }
  s->observables = (ff_observables){n, s->first, s->terms, s->weights};
  ff_names_free(names);
}

static inline void free_sets(set_list *s) {
  for (uint32_t i = 0; i < s->observables.n; i++) ff_expr_free(&s->terms[i]);
}

static inline ff_pbn_estimate_options default_options(void) {
  return (ff_pbn_estimate_options){.precision = 2e-3, .z = 1.959963984540054, .epsilon = 1e-10, .key = 7, .max_burn_in = 1u << 20,
                               .n_shards = 1, .threads = 1, .simd = FF_SIMD_BEST};
}

/* A network and some of its state sets. */
typedef struct {
  ff_pbn *pbn;
  set_list sets;
} scene;

/* Returns 0 if a check fails. */
static inline int scene_new(scene *s, const char *const *rules, double perturbation, ff_update update, const char *const *texts) {
  s->pbn = net_parse(rules, perturbation, update);
  if (s->pbn == NULL) return 0;
  parse_sets(&s->sets, s->pbn, texts);
  return 1;
}

static inline void scene_free(scene *s) {
  free_sets(&s->sets);
  ff_pbn_free(s->pbn);
}

static inline void finish(ff_pbn_estimate *estimate, double seconds) {
  ff_error err;
  ff_status status = FF_OK;
  for (int done = 0; !done && status == FF_OK;) status = ff_pbn_estimate_advance(estimate, seconds, &done, &err);
  FF_CHECK_OK(status, &err);
}

typedef struct {
  ff_pbn_program *program;
  ff_pbn_estimate *estimate;
  const ff_pbn_tally *tally; /* borrowed from the estimate */
  ff_monitors monitors;  /* those of the pilot, if it has any */
  ff_counted counted;
  ff_pbn_program *pilot;
} outcome;

/* Runs an estimate to its end in pieces of `seconds`. `counted` and `at` come from one ff_counted, or are the observables and
 * NULL. */
static inline outcome run_counted(const ff_pbn *pbn, const ff_observables *counted, const ff_observables *observables,
                           const uint32_t *at, ff_pbn_estimate_options options, double seconds) {
  ff_error err;
  outcome o = {0};
  FF_CHECK_OK(ff_pbn_program_new(&o.program, pbn, counted, FF_LAYOUT_AUTO, &err), &err);
  FF_CHECK_OK(ff_pbn_estimate_new(&o.estimate, &(ff_counting){o.program, observables, at}, NULL, options, &err), &err);
  finish(o.estimate, seconds);
  o.tally = ff_pbn_estimate_tally(o.estimate);
  return o;
}

static inline outcome run(const ff_pbn *pbn, const ff_observables *observables, ff_pbn_estimate_options options) {
  return run_counted(pbn, observables, observables, NULL, options, 10);
}

/* Runs an estimate as the package does: trajectories start in different states, and the pilot's monitors are the nodes. Returns
 * FF_OK, or why there is no answer. */
static inline ff_status run_watched(outcome *o, const ff_pbn *pbn, const ff_observables *sets, ff_pbn_estimate_options options,
                                    ff_error *err) {
  *o = (outcome){0};
  FF_CHECK_OK(ff_pbn_program_new(&o->program, pbn, sets, FF_LAYOUT_AUTO, err), err);
  FF_CHECK_OK(ff_monitors_new(&o->monitors, sets, pbn, 4096, 32, 32, err), err);
  FF_CHECK_OK(ff_counted_new(&o->counted, &o->monitors.observables, err), err);
  FF_CHECK_OK(ff_pbn_program_new(&o->pilot, pbn, &o->counted.counted, FF_LAYOUT_AUTO, err), err);
  ff_pbn_program_spread(o->program);
  ff_pbn_program_spread(o->pilot);
  options.monitors = &o->monitors;
  options.names = pbn->names;
  const ff_counting run = {o->program, sets, NULL}, pilot = {o->pilot, &o->monitors.observables, o->counted.at};
  FF_CHECK_OK(ff_pbn_estimate_new(&o->estimate, &run, &pilot, options, err), err);
  ff_status status = FF_OK;
  for (int done = 0; !done && status == FF_OK;) status = ff_pbn_estimate_advance(o->estimate, 10, &done, err);
  o->tally = ff_pbn_estimate_tally(o->estimate);
  return status;
}

static inline void outcome_free(outcome *o) {
  ff_pbn_estimate_free(o->estimate);
  ff_pbn_program_free(o->program);
  ff_pbn_program_free(o->pilot);
  ff_counted_free(&o->counted);
  ff_monitors_free(&o->monitors);
}

static inline void check_against_exact(const ff_pbn *pbn, const char *const *texts, double precision) {
  ff_error err;
  set_list sets;
  parse_sets(&sets, pbn, texts);
  ff_pbn_estimate_options options = default_options();
  options.precision = precision;
  outcome got;
  ff_status answered = run_watched(&got, pbn, &sets.observables, options, &err);
  FF_CHECK_OK(answered, &err);
  ff_exact *exact = NULL;
  ff_exact_solver *solver = NULL;
  FF_CHECK_OK(ff_exact_new(&exact, pbn, &err), &err);
  FF_CHECK_OK(ff_exact_solver_new(&solver, exact, 1e-12, 1000000, &err), &err);
  double *pi = ff_calloc(ff_exact_states(exact), sizeof *pi), residual;
  int done = 0;
  while (!done) {
    ff_status status = ff_exact_solver_advance(solver, pi, 1, &done, &residual, &err);
    FF_CHECK_OK(status, &err);
    if (status != FF_OK) break;
  }
  for (uint32_t i = 0; i < sets.observables.n; i++) {
    double truth;
    FF_CHECK_OK(ff_exact_probability(&truth, pi, &sets.terms[i], exact, &err), &err);
    ff_moments m = ff_pbn_tally_moments(got.tally, i);
    FF_CHECK(m.se * options.z <= precision);
    FF_CHECK_SAY(fabs(m.mean - truth) <= 5 * m.se, "set %u: %g, exactly %g, standard error %g", i, m.mean, truth, m.se);
  }
  free(pi);
  ff_exact_solver_free(solver);
  ff_exact_free(exact);
  outcome_free(&got);
  free_sets(&sets);
}

#endif
