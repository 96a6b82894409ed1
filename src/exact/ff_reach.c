/* Finds the states that can follow a network's start, and solves the chain that they form. */
#include "ff_reach.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/ff_states.h"
#include "ff_exact_internal.h"

#define LOOK_AT_CLOCK (UINT64_C(1) << 18) /* words evaluated between two readings of the clock, or 64 states */

enum { STARTS, EXPLORE, COMPONENTS, SORT, SOLVE, DONE };

struct ff_reach {
  const ff_pbn *pbn;
  int stage, known;
  uint32_t words, max_states;
  double *share;         /* for each predictor function: the probability that an update of its node selects it */
  uint8_t *stack;
  uint32_t *here, *next; /* the state whose arrows are being found, and one that follows it */
  uint32_t *varies;      /* nodes that may have either value ... */
  double *chance;        /* ... and the probabilities of 0 and 1, two for each of them */
  ff_states states;
  uint32_t n_starts, at; /* the starts come first; the next state whose arrows are to be found, later the next component */
  size_t *first;         /* for each state, and one more: its first arrow. An arrow to the state itself is left out */
  uint32_t *to;
  double *weight;
  size_t first_capacity, to_capacity, weight_capacity;
  uint64_t work, looked; /* work so far, and when the clock was last read */
  uint64_t solving;
  ff_exact_scc scc;
  uint32_t root;           /* the next start from which components are searched */
  uint32_t *order, *begin; /* states by component, and the first one of each component */
  double *mass;            /* for each state: what has arrived there; in the end the long run */
  double *dense, *vector, *excess; /* of one component */
  uint32_t *place;         /* for each state: its position in its component */
};

void ff_reach_free(ff_reach *r) {
  if (r == NULL) return;
  free(r->share);
  free(r->stack);
  free(r->here);
  free(r->next);
  free(r->varies);
  free(r->chance);
  ff_states_free(&r->states);
  free(r->first);
  free(r->to);
  free(r->weight);
  ff_exact_scc_free(&r->scc);
  free(r->order);
  free(r->begin);
  free(r->mass);
  free(r->dense);
  free(r->vector);
  free(r->excess);
  free(r->place);
  free(r);
}

/* In a network with contexts, a function's share is the probability of all contexts that select it. */
static void set_shares(ff_reach *r) {
  const ff_pbn *pbn = r->pbn;
  uint32_t n = pbn->n_nodes;
  for (uint32_t f = 0; f < pbn->first[n]; f++) r->share[f] = pbn->n_contexts > 0 ? 0 : pbn->predictors[f].probability;
  for (uint32_t c = 0; c < pbn->n_contexts; c++)
    for (uint32_t i = 0; i < n; i++)
      r->share[pbn->first[i] + pbn->context[(size_t)c * n + i]] += pbn->context_probability[c];
}

static ff_status prepare(ff_reach *r, ff_error *err) {
  uint32_t n = r->pbn->n_nodes, n_functions = r->pbn->first[n], depth = 1;
  for (uint32_t i = 0; i < n; i++)
    if (r->pbn->perturbation > 0 && r->pbn->perturbed[i])
      return ff_error_set(err, FF_EARGUMENT, "with perturbation, any state can follow the start");
  for (uint32_t f = 0; f < n_functions; f++)
    if (r->pbn->predictors[f].expr.depth > depth) depth = r->pbn->predictors[f].expr.depth;
  r->words = (n + 31) / 32;
  if (r->max_states > FF_REACH_MAX_WORDS / r->words) r->max_states = FF_REACH_MAX_WORDS / r->words;
  r->share = ff_calloc(n_functions, sizeof *r->share);
  r->stack = ff_calloc(depth, sizeof *r->stack);
  r->here = ff_calloc(r->words, sizeof *r->here);
  r->next = ff_calloc(r->words, sizeof *r->next);
  r->varies = ff_calloc(n, sizeof *r->varies);
  r->chance = ff_calloc(n, 2 * sizeof *r->chance);
  if (!r->share || !r->stack || !r->here || !r->next || !r->varies || !r->chance)
    return ff_error_set(err, FF_EMEMORY, "no memory for a search through the states of %u nodes", n);
  set_shares(r);
  return ff_states_new(&r->states, r->words, err);
}

ff_status ff_reach_new(ff_reach **out, const ff_pbn *pbn, const uint32_t *start, uint32_t max_states, ff_error *err) {
  *out = NULL;
  ff_reach *r = ff_calloc(1, sizeof *r);
  if (r == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a search through states");
  r->pbn = pbn;
  r->max_states = max_states < FF_REACH_MAX_STATES ? max_states : FF_REACH_MAX_STATES;
  ff_status status = prepare(r, err);
  if (status == FF_OK && start != NULL) {
    r->n_starts = 1;
    r->stage = EXPLORE;
    uint32_t number;
    status = ff_states_put(&r->states, start, &number, err);
  }
  if (status != FF_OK)
    ff_reach_free(r);
  else
    *out = r;
  return status;
}

/* ---- exploring --------------------------------------------------------------------------------------------------- */

static void set_bit(uint32_t *state, uint32_t node, uint32_t value) {
  state[node / 32] = (state[node / 32] & ~(UINT32_C(1) << node % 32)) | value << node % 32;
}

/* Adds all states in which the network may start. */
static ff_status add_starts(ff_reach *r, ff_error *err) {
  uint32_t n_random = 0, number;
  for (uint32_t i = 0; i < r->pbn->n_nodes; i++) {
    if (r->pbn->initial[i] < 0) {
      if (UINT32_C(2) << n_random > r->max_states) {
        r->stage = DONE;
        return FF_OK;
      }
      r->varies[n_random++] = i;
    } else {
      set_bit(r->next, i, (uint32_t)r->pbn->initial[i]);
    }
  }
  r->n_starts = UINT32_C(1) << n_random;
  r->stage = EXPLORE;
  ff_status status = FF_OK;
  for (uint32_t s = 0; s < r->n_starts && status == FF_OK; s++) {
    for (uint32_t k = 0; k < n_random; k++) set_bit(r->next, r->varies[k], s >> k & 1u);
    status = ff_states_put(&r->states, r->next, &number, err);
  }
  return status;
}

static int within_limits(const ff_reach *r, size_t n_arrows) {
  return r->stage == EXPLORE && r->states.n <= r->max_states && n_arrows <= FF_REACH_MAX_ARROWS && r->work <= FF_REACH_MAX_WORK;
}

/* Adds an arrow from the current state to the state in next[]. A weight that underflows is not known. */
static ff_status add_arrow(ff_reach *r, size_t *n, double weight, ff_error *err) {
  uint32_t number;
  if (weight == 0) r->stage = DONE;
  ff_status status = ff_states_put(&r->states, r->next, &number, err);
  if (status != FF_OK || number == r->at) return status;
  status = ff_grow((void **)&r->to, &r->to_capacity, *n + 1, sizeof *r->to, err);
  if (status == FF_OK) status = ff_grow((void **)&r->weight, &r->weight_capacity, *n + 1, sizeof *r->weight, err);
  if (status != FF_OK) return status;
  r->to[*n] = number;
  r->weight[(*n)++] = weight;
  return FF_OK;
}

static uint32_t value_of(ff_reach *r, uint32_t function) {
  r->work += r->pbn->predictors[function].expr.length;
  return (uint32_t)ff_expr_value(&r->pbn->predictors[function].expr, r->here, r->stack);
}

/* The probabilities that a node becomes 0 and 1 if it is updated. Neither is computed from the other, so 0 means impossible. */
static void find_chance(ff_reach *r, uint32_t node, double chance[2]) {
  chance[0] = chance[1] = 0;
  for (uint32_t f = r->pbn->first[node]; f < r->pbn->first[node + 1]; f++)
    if (r->share[f] > 0) chance[value_of(r, f)] += r->share[f];
}

static ff_status follow_contexts(ff_reach *r, size_t *n, ff_error *err) {
  const ff_pbn *pbn = r->pbn;
  ff_status status = FF_OK;
  for (uint32_t c = 0; c < pbn->n_contexts && status == FF_OK && within_limits(r, *n); c++) {
    for (uint32_t i = 0; i < pbn->n_nodes; i++)
      set_bit(r->next, i, value_of(r, pbn->first[i] + pbn->context[(size_t)c * pbn->n_nodes + i]));
    status = add_arrow(r, n, pbn->context_probability[c], err);
  }
  return status;
}

static ff_status follow_asynchronous(ff_reach *r, size_t *n, ff_error *err) {
  double pick = 1 / ((double)r->pbn->n_nodes + (double)r->pbn->removed_nodes), chance[2];
  ff_status status = FF_OK;
  memcpy(r->next, r->here, r->words * sizeof *r->next);
  for (uint32_t i = 0; i < r->pbn->n_nodes && status == FF_OK && within_limits(r, *n); i++) {
    uint32_t own = r->here[i / 32] >> i % 32 & 1u;
    find_chance(r, i, chance);
    if (chance[!own] == 0) continue;
    set_bit(r->next, i, !own);
    status = add_arrow(r, n, pick * chance[!own], err);
    set_bit(r->next, i, own);
  }
  return status;
}

/* All nodes are updated, and each selects its own function. */
static ff_status follow_product(ff_reach *r, size_t *n, ff_error *err) {
  uint32_t k = 0;
  double chance[2];
  for (uint32_t i = 0; i < r->pbn->n_nodes; i++) {
    find_chance(r, i, chance);
    if (chance[0] == 0 || chance[1] == 0) {
      set_bit(r->next, i, chance[1] > 0);
      continue;
    }
    if (UINT32_C(2) << k > r->max_states) { /* each choice of values is another state */
      r->stage = DONE;
      return FF_OK;
    }
    r->varies[k] = i;
    memcpy(r->chance + 2 * k++, chance, sizeof chance);
  }
  ff_status status = FF_OK;
  for (uint32_t s = 0; s < UINT32_C(1) << k && status == FF_OK && within_limits(r, *n); s++) {
    double weight = 1;
    for (uint32_t j = 0; j < k; j++) {
      set_bit(r->next, r->varies[j], s >> j & 1u);
      weight *= r->chance[2 * j + (s >> j & 1u)];
    }
    status = add_arrow(r, n, weight, err);
  }
  return status;
}

/* Finds the arrows of the next state. */
static ff_status explore_one(ff_reach *r, ff_error *err) {
  ff_status status = ff_grow((void **)&r->first, &r->first_capacity, (size_t)r->at + 2, sizeof *r->first, err);
  if (status != FF_OK) return status;
  if (r->at == 0) r->first[0] = 0;
  size_t n = r->first[r->at];
  memcpy(r->here, ff_states_at(&r->states, r->at), r->words * sizeof *r->here);
  status = r->pbn->update == FF_ASYNCHRONOUS ? follow_asynchronous(r, &n, err)
           : r->pbn->n_contexts > 0          ? follow_contexts(r, &n, err)
                                             : follow_product(r, &n, err);
  if (status != FF_OK) return status;
  r->first[++r->at] = n;
  if (!within_limits(r, n)) r->stage = DONE;
  return FF_OK;
}

static ff_status explore(ff_reach *r, double until, ff_error *err) {
  ff_status status = FF_OK;
  while (r->stage == EXPLORE && status == FF_OK) {
    if (r->at == r->states.n) {
      r->stage = COMPONENTS;
      return ff_exact_scc_new(&r->scc, r->states.n, err);
    }
    status = explore_one(r, err);
    if (r->at % 64 != 0 && r->work < r->looked + LOOK_AT_CLOCK) continue;
    r->looked = r->work;
    if (ff_clock() >= until) return status;
  }
  return status;
}

ff_status ff_reach_explore(ff_reach *r, int *all, ff_error *err) {
  ff_status status = r->stage == STARTS ? add_starts(r, err) : FF_OK;
  while (status == FF_OK && r->stage == EXPLORE && r->at < r->states.n) status = explore_one(r, err);
  *all = r->stage == EXPLORE;
  return status;
}

uint8_t ff_reach_possible(const ff_reach *r, const ff_expr *set, uint8_t *stack) {
  uint32_t out = 0;
  for (uint32_t s = 0; s < r->states.n && out != 3; s++) out |= 1u << ff_expr_value(set, ff_states_at(&r->states, s), stack);
  return (uint8_t)out;
}

uint64_t ff_reach_work(const ff_reach *r) { return r->work; }

/* ---- components -------------------------------------------------------------------------------------------------- */

static int next_arrow(const void *context, uint32_t node, uint64_t *cursor, uint32_t *to) {
  const ff_reach *r = context;
  if (r->first[node] + *cursor == r->first[node + 1]) return 0;
  *to = r->to[r->first[node] + (*cursor)++];
  return 1;
}

static void find_components(ff_reach *r, ff_exact_turn *turn) {
  while (ff_exact_scc_run(&r->scc, next_arrow, r, 1, turn)) {
    if (r->root == r->n_starts) {
      r->stage = SORT;
      return;
    }
    ff_exact_scc_root(&r->scc, r->root++);
  }
}

static ff_status sort_states(ff_reach *r, ff_error *err) {
  uint32_t n = r->states.n, components = r->scc.n_components;
  r->order = ff_calloc(n, sizeof *r->order);
  r->begin = ff_calloc((size_t)components + 2, sizeof *r->begin);
  r->mass = ff_calloc(n, sizeof *r->mass);
  r->place = ff_calloc(n, sizeof *r->place);
  r->vector = ff_calloc(FF_REACH_MAX_COMPONENT, sizeof *r->vector);
  r->excess = ff_calloc(FF_REACH_MAX_COMPONENT, sizeof *r->excess);
  if (!r->order || !r->begin || !r->mass || !r->place || !r->vector || !r->excess)
    return ff_error_set(err, FF_EMEMORY, "no memory for the long run of %u states", n);
  for (uint32_t s = 0; s < n; s++) r->begin[r->scc.component[s] + 1]++; /* components are numbered from 1 here */
  for (uint32_t c = 2; c <= components + 1; c++) r->begin[c] += r->begin[c - 1];
  for (uint32_t s = 0; s < n; s++) {
    uint32_t c = r->scc.component[s];
    r->order[r->begin[c]++] = s;
  }
  for (uint32_t c = components + 1; c > 0; c--) r->begin[c] = r->begin[c - 1];
  for (uint32_t s = 0; s < n; s++) r->place[r->order[s]] = s - r->begin[r->scc.component[r->order[s]]];
  for (uint32_t s = 0; s < r->n_starts; s++) r->mass[s] = 1 / (double)r->n_starts;
  r->at = components;
  r->stage = SOLVE;
  return FF_OK;
}

/* ---- solving ----------------------------------------------------------------------------------------------------- */

/* Fills the flows between the n states of component c, and what leaves it from each of them. */
static ff_status fill_dense(ff_reach *r, uint32_t c, const uint32_t *states, uint32_t n, ff_error *err) {
  free(r->dense);
  r->dense = ff_calloc((size_t)n * n, sizeof *r->dense);
  if (r->dense == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a component of %u states", n);
  for (uint32_t i = 0; i < n; i++) {
    r->excess[i] = 0;
    for (size_t a = r->first[states[i]]; a < r->first[states[i] + 1]; a++) {
      int within = r->scc.component[r->to[a]] == c;
      *(within ? r->dense + (size_t)i * n + r->place[r->to[a]] : r->excess + i) += r->weight[a];
    }
  }
  return FF_OK;
}

/* In a class in which each state is followed by one other state, a trajectory visits all equally often. Returns 0 if the class is
 * not of this kind. */
static int solve_cycle(ff_reach *r, const uint32_t *states, uint32_t n, double mass) {
  double total = 0;
  for (uint32_t i = 0; i < n; i++) {
    double out = 0;
    for (size_t a = r->first[states[i]]; a < r->first[states[i] + 1]; a++) {
      if (r->to[a] != r->to[r->first[states[i]]]) return 0;
      out += r->weight[a];
    }
    r->mass[states[i]] = n == 1 ? 1 : 1 / out;
    total += r->mass[states[i]];
  }
  if (!isfinite(total)) r->stage = DONE;
  for (uint32_t i = 0; i < n; i++) r->mass[states[i]] *= mass / total;
  return 1;
}

/* Whether a component of n states may be solved. If not, the long run is not known. */
static int may_solve(ff_reach *r, uint32_t n) {
  r->solving += (uint64_t)n * n * n;
  if (n <= FF_REACH_MAX_COMPONENT && r->solving <= FF_REACH_MAX_SOLVING) return 1;
  r->stage = DONE;
  return 0;
}

static ff_status solve_class(ff_reach *r, uint32_t c, const uint32_t *states, uint32_t n, ff_error *err) {
  double mass = 0;
  for (uint32_t i = 0; i < n; i++) mass += r->mass[states[i]];
  if (solve_cycle(r, states, n, mass)) return FF_OK;
  if (!may_solve(r, n)) return FF_OK;
  ff_status status = fill_dense(r, c, states, n, err);
  if (status == FF_OK) status = ff_exact_gth(r->vector, r->dense, n, err);
  for (uint32_t i = 0; i < n && status == FF_OK; i++) r->mass[states[i]] = mass * r->vector[i];
  return status;
}

/* Moves what has arrived in a component that trajectories leave to where they go. */
static ff_status solve_transient(ff_reach *r, uint32_t c, const uint32_t *states, uint32_t n, ff_error *err) {
  if (!may_solve(r, n)) return FF_OK;
  ff_status status = fill_dense(r, c, states, n, err);
  if (status != FF_OK) return status;
  for (uint32_t i = 0; i < n; i++) r->vector[i] = r->mass[states[i]];
  ff_exact_factor(r->dense, r->excess, n);
  ff_exact_solve_factored(r->vector, r->dense, n);
  for (uint32_t i = 0; i < n; i++) { /* vector[i] is now the expected number of visits */
    if (!isfinite(r->vector[i])) return ff_exact_too_small(err);
    r->mass[states[i]] = 0;
    for (size_t a = r->first[states[i]]; a < r->first[states[i] + 1]; a++)
      if (r->scc.component[r->to[a]] != c) r->mass[r->to[a]] += r->vector[i] * r->weight[a];
  }
  return FF_OK;
}

/* Solves the component that comes next; arrows go from components with high numbers to those with low ones. */
static ff_status solve_one(ff_reach *r, ff_error *err) {
  uint32_t c = r->at--, n = r->begin[c + 1] - r->begin[c];
  const uint32_t *states = r->order + r->begin[c];
  int leaves = r->scc.leaves[c - 1] & 2;
  ff_error why;
  ff_status status = leaves ? solve_transient(r, c, states, n, &why) : solve_class(r, c, states, n, &why);
  if (status == FF_ECONVERGENCE) { /* probabilities underflow */
    r->stage = DONE;
    return FF_OK;
  }
  if (status != FF_OK) {
    if (err != NULL) *err = why;
    return status;
  }
  if (r->stage == SOLVE && r->at == 0) {
    r->known = 1;
    r->stage = DONE;
  }
  return FF_OK;
}

ff_status ff_reach_advance(ff_reach *r, double seconds, int *done, ff_error *err) {
  double until = ff_clock() + seconds;
  ff_exact_turn turn = ff_exact_turn_of(seconds);
  ff_status status = FF_OK;
  int out_of_time = 0;
  while (status == FF_OK && r->stage != DONE && !out_of_time) {
    switch (r->stage) {
      case STARTS: status = add_starts(r, err); break;
      case EXPLORE: status = explore(r, until, err); break;
      case COMPONENTS: find_components(r, &turn); break;
      case SORT: status = sort_states(r, err); break;
      default: status = solve_one(r, err);
    }
    out_of_time = ff_clock() >= until;
  }
  *done = r->stage == DONE;
  return status;
}

uint32_t ff_reach_states(const ff_reach *r) { return r->known ? r->states.n : 0; }

ff_status ff_reach_probability(double *out, const ff_reach *r, const ff_expr *set, ff_error *err) {
  uint8_t *stack = ff_calloc(set->depth > 0 ? set->depth : 1, sizeof *stack);
  if (stack == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the value of a state set");
  double sum = 0, all = 0; /* added up in the same order, so that a set that always holds has probability 1 */
  for (uint32_t s = 0; s < r->states.n; s++) {
    all += r->mass[s];
    if (r->mass[s] > 0 && ff_expr_value(set, ff_states_at(&r->states, s), stack)) sum += r->mass[s];
  }
  free(stack);
  *out = sum / all;
  return FF_OK;
}
