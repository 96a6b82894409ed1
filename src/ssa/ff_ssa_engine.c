/* The choice of an engine, and the engine for one trajectory at a time. */
#include "ff_ssa_engine.h"

#include <math.h>
#include <stdlib.h>

#include "ff_ssa_implicit.h"
#include "ff_ssa_methods.h"

/* With fewer trajectories for each thread, most lanes would be idle. */
#define FEW 4
#define FEW_SMALL 16

/* Methods whose finders compute all propensities by ff_ssa_path_propensity() can simulate events and rates that depend on the
 * time. */
static ff_status scheduled_engine(ff_ssa_engine **out, const ff_ssa_program *program, ff_ssa_method method, const double *initial,
                                  uint64_t key, ff_error *err) {
  *out = NULL;
  switch (method) {
    case FF_SSA_DIRECT: method = FF_SSA_TREE; break; /* has the same bits */
    case FF_SSA_TREE:
    case FF_SSA_FIRST:
    case FF_SSA_NEXT: break;
    default:
      return ff_error_set(err, FF_EUNSUPPORTED, "method \"%s\" does not simulate %s; choose \"direct\", \"logarithmic_direct\", "
                          "\"first_reaction\" or \"next_reaction\"", ff_ssa_method_name(method),
                          program->n_events > 0 ? "networks with events" : "rates that depend on the time");
  }
  return ff_ssa_engine_path(out, program, method, initial, key, err);
}

ff_status ff_ssa_engine_new(ff_ssa_engine **out, const ff_ssa_program *program, const ff_ssa_options *options,
                            const double *initial, uint64_t trajectories, ff_error *err) {
  ff_ssa_method method = options->method;
  if (ff_ssa_program_scheduled(program)) return scheduled_engine(out, program, method, initial, options->key, err);
  if (method == FF_SSA_TAU || method == FF_SSA_IMPLICIT) return ff_ssa_engine_leap(out, program, options, initial, err);
  if (method == FF_SSA_LANGEVIN) return ff_ssa_engine_langevin(out, program, options, initial, err);
  if (method == FF_SSA_ODE) return ff_ssa_engine_ode(out, program, options, initial, err);
  if (method == FF_SSA_DIRECT && ff_ssa_engine_wide_can(program)) {
    if (trajectories >= FEW_SMALL && ff_ssa_engine_small_can(program))
      return ff_ssa_engine_small(out, program, initial, options->key, options->simd, err);
    if (trajectories >= FEW) return ff_ssa_engine_wide(out, program, initial, options->key, options->simd, err);
    method = FF_SSA_TREE; /* has the same bits */
  }
  if (method == FF_SSA_FACTORED && ff_ssa_engine_factored_can(program))
    return ff_ssa_engine_factored(out, program, initial, options->key, options->simd, err);
  return ff_ssa_engine_path(out, program, method, initial, options->key, err);
}

/* ---- methods ------------------------------------------------------------------------------------------------------------ */

const char *ff_ssa_method_name(ff_ssa_method method) {
  static const char *const names[] = {"direct", "logarithmic_direct", "first_reaction", "next_reaction", "factored",
                                      "optimised_direct", "sorting_direct", "composition_rejection", "rssa", "rssa_cr",
                                      "pdm", "spdm", "pssa_cr", "block_search", "tau_leaping", "implicit_tau_leaping",
                                      "langevin", "ode"};
  return (unsigned)method < FF_SSA_METHODS ? names[method] : "unknown";
}

int ff_ssa_method_exact(ff_ssa_method method) { return method < FF_SSA_TAU; }

int ff_ssa_method_whole(ff_ssa_method method) { return method < FF_SSA_LANGEVIN; }

ff_status ff_ssa_method_check(const ff_ssa_program *program, ff_ssa_method method, ff_error *err) {
  const int partial = method == FF_SSA_PDM || method == FF_SSA_SPDM || method == FF_SSA_PSSA_CR;
  if (method == FF_SSA_IMPLICIT) return ff_ssa_implicit_check(program, err);
  return partial ? ff_ssa_partial_check(program, err) : FF_OK;
}

/* For several trajectories in vectors, it is faster to compute all propensities than to look up dependents: in measurements up to
 * about 256 reactions, and beyond if an event changes more than one in 16 propensities. */
#define DIRECT_MOST 256

/* Fewer reactions are faster without groups. Groups gain little if they have fewer reactions than this. */
#define FACTORED_LEAST 40
#define FACTORED_EACH 2

ff_ssa_method ff_ssa_method_of(const ff_ssa_program *p) {
  if (ff_ssa_program_scheduled(p)) return p->n_reactions <= DIRECT_MOST ? FF_SSA_DIRECT : FF_SSA_TREE;
  const uint32_t groups = ff_ssa_program_groups(p);
  if (groups > 0 && p->n_reactions >= FACTORED_LEAST && p->n_reactions / FACTORED_EACH >= groups) return FF_SSA_FACTORED;
  const int strong = p->n_reactions <= FF_SSA_WIDE_REACTIONS && ff_ssa_program_coupling(p) > p->n_reactions / 16.0;
  return p->n_reactions <= DIRECT_MOST || strong ? FF_SSA_DIRECT : FF_SSA_TREE;
}

/* ---- one trajectory at a time ------------------------------------------------------------------------------------------- */

typedef struct {
  ff_ssa_engine base;
  ff_ssa_path path;
  const double *initial;
  uint64_t key;
  double wanted;
  int started;
} single;

static void start(ff_ssa_engine *engine, uint32_t lane, uint64_t unit, double wanted) {
  single *e = (single *)engine;
  (void)lane;
  e->path.unit = unit;
  e->path.event = e->path.silent = 0;
  e->path.failure.what = FF_SSA_FINE;
  e->path.next_time = 0;
  e->base.broken = 0;
  e->wanted = wanted;
  e->started = 0;
}

static void rest(ff_ssa_engine *engine, uint32_t lane) {
  (void)lane;
  ((single *)engine)->wanted = INFINITY;
}

static uint64_t advance(ff_ssa_engine *engine, uint32_t *steps) {
  single *e = (single *)engine;
  ff_ssa_path *path = &e->path;
  if (!e->started && *steps > 0) {
    ff_ssa_path_start(path, e->key, path->unit, e->initial);
    e->started = 1;
    --*steps;
  }
  for (; path->failure.what == FF_SSA_FINE && path->next_time <= e->wanted && *steps > 0; --*steps) ff_ssa_path_step(path);
  e->base.broken = path->failure.what != FF_SSA_FINE;
  return e->started && (e->base.broken || e->wanted < path->next_time);
}

static uint64_t events(const ff_ssa_engine *engine, uint32_t lane) {
  (void)lane;
  return ((const single *)engine)->path.event - ((const single *)engine)->path.silent;
}

static void diagnose(ff_ssa_engine *engine, uint32_t lane, ff_ssa_failure *out) {
  (void)lane;
  *out = ((single *)engine)->path.failure;
}

static void drop(ff_ssa_engine *engine) {
  if (engine == NULL) return;
  ff_ssa_path_free(&((single *)engine)->path);
  free(engine);
}

ff_status ff_ssa_engine_path(ff_ssa_engine **out, const ff_ssa_program *program, ff_ssa_method method, const double *initial,
                             uint64_t key, ff_error *err) {
  *out = NULL;
  single *e = ff_calloc(1, sizeof *e);
  if (e == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a trajectory");
  ff_status status = ff_ssa_path_new(&e->path, program, method, err);
  if (status != FF_OK) {
    free(e);
    return status;
  }
  e->base = (ff_ssa_engine){.lanes = 1, .stride = 1, .start = start, .rest = rest, .advance = advance, .events = events,
                            .diagnose = diagnose, .free = drop};
  e->base.count = e->path.count;
  e->base.next_time = &e->path.next_time;
  e->base.next = &e->path.next;
  e->base.wanted = &e->wanted;
  e->initial = initial;
  e->key = key;
  e->wanted = INFINITY;
  *out = &e->base;
  return FF_OK;
}
