/* The direct method with a dependency graph, and a linear search through reactions that are sorted so that those which fire often
 * come first: by a simulation before the run (Cao, Li and Petzold 2004), or as steps happen (McCollum et al. 2006). */
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_finders.h"
#include "../path/ff_ssa_method.h"
#include "../schedule/ff_ssa_trajectory.h"

typedef struct {
  uint64_t key; /* the key for which `sorted` holds, if is_sorted */
  int is_sorted;
  uint32_t *sorted, *order, *place; /* reactions by position, and the position of each */
  double *value;                    /* propensities by position */
  ff_ssa_corrected total;
} search;

static void free_search(search *s) {
  free(s->sorted);
  free(s->order);
  free(s->place);
  free(s->value);
}

static ff_status new_search(search *s, uint32_t n, ff_error *err) {
  s->sorted = ff_calloc(n, sizeof *s->sorted);
  s->order = ff_calloc(n, sizeof *s->order);
  s->place = ff_calloc(n, sizeof *s->place);
  s->value = ff_calloc(n, sizeof *s->value);
  if (s->sorted == NULL || s->order == NULL || s->place == NULL || s->value == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for the order of %u reactions", n);
  for (uint32_t r = 0; r < n; r++) s->sorted[r] = r;
  return FF_OK;
}

static void drop_sorting(ff_ssa_path *path) {
  if (path->own == NULL) return;
  free_search(path->own);
  free(path->own);
}

static ff_status make_sorting(ff_ssa_path *path, ff_error *err) {
  search *s = path->own = ff_calloc(1, sizeof *s);
  if (s == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the order of reactions");
  return new_search(s, path->program->n_reactions, err);
}

/* ---- the simulation before the run -------------------------------------------------------------------------------------- */

#define PILOT_STEPS 1000u
#define PILOT_MOST 100000u
#define PILOT_WORK 65536 /* propensities that are computed before the step is left halfway */
#define PILOT_RUN UINT64_C(0x0D11) /* its draws have a seed of their own, which follows from the run's */

typedef struct {
  uint64_t fired;
  uint32_t reaction;
} frequency;

static int more_often(const void *left, const void *right) {
  const frequency *x = left, *y = right;
  if (x->fired != y->fired) return x->fired > y->fired ? -1 : 1;
  return x->reaction < y->reaction ? -1 : x->reaction > y->reaction;
}

typedef struct {
  search base; /* its key is that of the simulation before the run, if that has begun */
  ff_ssa_path pilot;
  int begun;
  uint32_t counted; /* steps of the pilot */
  frequency *all;
} optimised;

/* The simulation begins at the initial counts of the network, so that the order depends on the network and the key alone. */
static void begin_counting(optimised *o, uint64_t key) {
  const ff_ssa_program *p = o->pilot.program;
  for (uint32_t r = 0; r < p->n_reactions; r++) o->all[r] = (frequency){0, r};
  ff_ssa_path_start(&o->pilot, ff_philox_seed(key, PILOT_RUN), 0, p->initial);
  o->base.key = key;
  o->base.is_sorted = 0;
  o->begun = 1;
  o->counted = 0;
}

/* Counts some more firings of the pilot. Returns whether the pilot is complete. */
static int count_firings(optimised *o) {
  ff_ssa_path *pilot = &o->pilot;
  const ff_ssa_program *p = pilot->program;
  const uint32_t most = p->n_reactions < PILOT_MOST - PILOT_STEPS ? PILOT_STEPS + p->n_reactions : PILOT_MOST;
  const uint32_t piece = (uint32_t)(PILOT_WORK / (ff_ssa_program_coupling(p) + 16)) + 1;
  for (uint32_t i = 0; i < piece; i++) {
    if (o->counted == most || pilot->failure.what != FF_SSA_FINE || !(pilot->next_time < INFINITY)) return 1;
    o->all[pilot->next].fired++;
    o->counted++;
    ff_ssa_path_step(pilot);
  }
  return 0;
}

static void drop_optimised(ff_ssa_path *path) {
  optimised *o = path->own;
  if (o == NULL) return;
  if (o->pilot.finder != NULL) ff_ssa_path_free(&o->pilot);
  free(o->all);
  free_search(&o->base);
  free(o);
}

static ff_status make_optimised(ff_ssa_path *path, ff_error *err) {
  const uint32_t n = path->program->n_reactions;
  optimised *o = path->own = ff_calloc(1, sizeof *o);
  if (o == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a simulation before the run");
  ff_status status = new_search(&o->base, n, err);
  if (status != FF_OK) return status;
  o->all = ff_calloc(n, sizeof *o->all);
  if (o->all == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the firings of %u reactions", n);
  return ff_ssa_path_new(&o->pilot, path->program, &ff_ssa_finder_tree, err);
}

/* Returns whether the reactions are sorted; if not, there is more to count. */
static int sort_reactions(ff_ssa_path *path) {
  optimised *o = path->own;
  const uint32_t n = path->program->n_reactions;
  if (!o->begun || o->base.key != path->key) begin_counting(o, path->key);
  if (o->base.is_sorted) return 1;
  if (!count_firings(o)) return 0;
  if (n > 1) qsort(o->all, n, sizeof *o->all, more_often);
  for (uint32_t i = 0; i < n; i++) o->base.sorted[i] = o->all[i].reaction;
  o->base.is_sorted = 1;
  return 1;
}

const uint32_t *ff_ssa_optimised_order(const ff_ssa_path *path) {
  const optimised *o = path->own;
  return o->base.is_sorted && o->base.key == path->key ? o->base.sorted : NULL;
}

/* ---- steps ------------------------------------------------------------------------------------------------------------- */

static void find(ff_ssa_path *path) {
  search *s = path->own; /* the first member of `optimised` */
  const uint32_t n = path->program->n_reactions;
  if (ff_ssa_corrected_stale(&s->total)) s->total = ff_ssa_corrected_of(ff_ssa_sum(s->value, n));
  double at;
  if (ff_ssa_path_choose(path, s->total.value, &at)) path->next = s->order[ff_ssa_search_terms(s->value, NULL, 0, n, &at)];
}

static void begin(ff_ssa_path *path) {
  search *s = path->own;
  const uint32_t n = path->program->n_reactions;
  ff_ssa_path_compute(path);
  for (uint32_t i = 0; i < n; i++) {
    s->order[i] = s->sorted[i];
    s->place[s->order[i]] = i;
    s->value[i] = path->propensity[s->order[i]];
  }
  s->total = ff_ssa_corrected_of(ff_ssa_sum(s->value, n));
  find(path);
}

static void begin_optimised(ff_ssa_path *path) {
  if (sort_reactions(path))
    begin(path);
  else
    ff_ssa_path_pause(path);
}

static void update(ff_ssa_path *path) {
  search *s = path->own;
  size_t n;
  const uint32_t *dependents = ff_ssa_path_update(path, &n);
  for (size_t i = 0; i < n; i++) {
    double *value = s->value + s->place[dependents[i]];
    const double now = path->propensity[dependents[i]];
    if (now == *value) continue;
    ff_ssa_corrected_change(&s->total, now - *value);
    *value = now;
  }
}

static void go_on(ff_ssa_path *path) {
  update(path);
  find(path);
}

/* A reaction that has fired changes places with the one before it. */
static void go_on_sorting(ff_ssa_path *path) {
  search *s = path->own;
  const uint32_t at = s->place[path->next];
  update(path);
  if (at > 0) {
    const uint32_t before = s->order[at - 1];
    const double value = s->value[at - 1];
    s->order[at - 1] = path->next;
    s->value[at - 1] = s->value[at];
    s->order[at] = before;
    s->value[at] = value;
    s->place[path->next] = at - 1;
    s->place[before] = at;
  }
  find(path);
}

const ff_ssa_finder ff_ssa_finder_optimised = {make_optimised, drop_optimised, begin_optimised, go_on};
const ff_ssa_finder ff_ssa_finder_sorting = {make_sorting, drop_sorting, begin, go_on_sorting};
