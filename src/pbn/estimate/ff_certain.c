/* Finds the observables whose values cannot change after the pilot: from the ends of its trajectories, everything that can follow
 * is found, or a set of states that no trajectory leaves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_states.h"
#include "ff_pbn_estimate_internal.h"

#define MOST_STATES 1024u             /* that are explored after each end */
#define MOST_WORK (UINT64_C(1) << 24) /* words evaluated to explore them all, about a tenth of a second */

typedef struct {
  const ff_pbn *pbn;
  uint32_t *state;   /* the end of a trajectory ... */
  uint8_t *can;      /* ... and what nodes may have after it, as in ff_pbn_possible() */
  uint8_t *stack;
  uint8_t *still;    /* for each node: 1 if its monitor shows that no trajectory changed it */
  ff_states ends;    /* those that have been followed */
  uint64_t work;
} follower;

static void follower_free(follower *f) {
  free(f->state);
  free(f->can);
  free(f->stack);
  free(f->still);
  ff_states_free(&f->ends);
}

static ff_status follower_new(follower *f, const ff_pbn *pbn, const ff_observables *observables, ff_error *err) {
  uint32_t depth = 1, words = (pbn->n_nodes + 31) / 32;
  for (uint32_t j = 0; j < observables->first[observables->n]; j++)
    if (observables->terms[j].depth > depth) depth = observables->terms[j].depth;
  *f = (follower){.pbn = pbn, .state = ff_calloc(words, sizeof *f->state), .can = ff_calloc(pbn->n_nodes, 1),
                  .stack = ff_calloc(depth, 1), .still = ff_calloc(pbn->n_nodes, 1)};
  if (f->state == NULL || f->can == NULL || f->stack == NULL || f->still == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for the values that %u nodes may have", pbn->n_nodes);
  return ff_states_new(&f->ends, words, err);
}

/* Finds the nodes that no trajectory of the pilot changed: they have one value, or each trajectory has its own. */
static void find_still(follower *f, const ff_pbn_estimate *e) {
  const ff_monitors *monitors = e->options.monitors;
  for (uint32_t i = e->observables.n; monitors != NULL && i < e->tally.n; i++) {
    uint32_t a = monitors->node[0][i - e->observables.n], b = monitors->node[1][i - e->observables.n];
    ff_moments m = ff_pbn_tally_moments(&e->tally, i);
    if (a == b) f->still[a] = m.visited != 1 || isinf(m.rhat);
  }
}

/* Takes the end of a trajectory of the pilot. The pilot of a large network may run on a device: then the start is taken. */
static void take_end(follower *f, const ff_pbn_estimate *e, uint32_t trajectory) {
  const ff_tile *tile = e->slots[trajectory / FF_TILE].tile;
  memset(f->state, 0, (f->pbn->n_nodes + 31) / 32 * sizeof *f->state);
  for (uint32_t i = 0; i < f->pbn->n_nodes; i++) {
    int value = f->pbn->n_nodes < FF_LONG_PILOT ? ff_tile_get(tile, i, trajectory % FF_TILE) : f->pbn->initial[i];
    f->can[i] = value < 0 ? 3 : (uint8_t)(value + 1);
    if (value > 0) f->state[i / 32] |= UINT32_C(1) << (i % 32);
  }
}

/* Whether a term of an observable has both values among the states that `reach` has found or, if that is NULL, may have them. */
static int can_change(const follower *f, const ff_reach *reach, const ff_observables *observables, uint32_t i) {
  for (uint32_t j = observables->first[i]; j < observables->first[i + 1]; j++) {
    const ff_expr *term = &observables->terms[j];
    if ((reach != NULL ? ff_reach_possible(reach, term, f->stack) : ff_expr_possible(term, f->can, f->stack)) == 3) return 1;
  }
  return 0;
}

/* Whether a node has both values among the states that `reach` has found or, if that is NULL, may have them. */
static int node_can_change(const follower *f, const ff_reach *reach, uint32_t node) {
  ff_op code = FF_X_OP(FF_X_VAR, node);
  const ff_expr value = {.code = &code, .length = 1, .depth = 1};
  return (reach != NULL ? ff_reach_possible(reach, &value, f->stack) : f->can[node]) == 3;
}

/* Whether an observable or a node may change after the present end, as far as ff_pbn_possible() tells. */
static int is_open(const follower *f, const ff_pbn_estimate *e) {
  const ff_observables *observables = e->run.observables;
  for (uint32_t i = 0; i < observables->n; i++)
    if (e->certain[i] && can_change(f, NULL, observables, i)) return 1;
  for (uint32_t i = 0; i < f->pbn->n_nodes && e->stuck_node == UINT32_MAX; i++)
    if (f->still[i] && node_can_change(f, NULL, i)) return 1;
  return 0;
}

/* Marks the observables, and finds a node, that can change. `reach` has all states that can follow, or is NULL. */
static void mark(const follower *f, ff_pbn_estimate *e, const ff_reach *reach) {
  const ff_observables *observables = e->run.observables;
  for (uint32_t i = 0; i < observables->n; i++)
    if (e->certain[i] && can_change(f, NULL, observables, i) && (reach == NULL || can_change(f, reach, observables, i)))
      e->certain[i] = 0;
  for (uint32_t i = 0; i < f->pbn->n_nodes && e->stuck_node == UINT32_MAX; i++)
    if (f->still[i] && node_can_change(f, NULL, i) && (reach == NULL || node_can_change(f, reach, i))) e->stuck_node = i;
}

/* Marks the observables, and finds a node, that can change after the present end. Exploring is tried only where ff_pbn_possible()
 * does not decide. */
static ff_status follow(follower *f, ff_pbn_estimate *e, int may_explore, ff_error *err) {
  ff_reach *reach = NULL;
  int all = 0;
  ff_status status = ff_pbn_possible(f->can, f->pbn, err);
  if (status != FF_OK || !is_open(f, e)) return status;
  if (may_explore && f->work < MOST_WORK) {
    status = ff_reach_new(&reach, f->pbn, f->state, MOST_STATES, err);
    if (status == FF_OK) status = ff_reach_explore(reach, &all, err);
    if (status == FF_OK) f->work += ff_reach_work(reach);
  }
  if (status == FF_OK) mark(f, e, all ? reach : NULL);
  ff_reach_free(reach);
  return status;
}

ff_status ff_certain_find(ff_pbn_estimate *e, ff_error *err) {
  const ff_pbn *pbn = e->options.network;
  uint32_t n = e->run.observables->n;
  int known = e->rule.forgets || e->exact != NULL;
  memset(e->certain, known || pbn != NULL, n);
  if (known || pbn == NULL) return FF_OK;
  follower f;
  ff_status status = follower_new(&f, pbn, e->run.observables, err);
  int large = pbn->n_nodes >= FF_LONG_PILOT, may_explore = !large && ff_pbn_program_perturbation(e->run.program) == 0;
  if (status == FF_OK && !large) find_still(&f, e);
  for (uint32_t i = 0; i < (large ? 1 : e->pilot * FF_TILE) && status == FF_OK; i++) {
    if (memchr(e->certain, 1, n) == NULL && (e->stuck_node != UINT32_MAX || large)) break;
    uint32_t number, before = f.ends.n;
    take_end(&f, e, i);
    status = ff_states_put(&f.ends, f.state, &number, err);
    if (status == FF_OK && number == before) status = follow(&f, e, may_explore, err);
  }
  follower_free(&f);
  return status;
}
