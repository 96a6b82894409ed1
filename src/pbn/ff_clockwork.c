/* The clockwork of a network: its deterministic nodes, which enter a cycle and repeat it for ever. Finds when they enter it
 * and its period, because a window should contain whole periods. */
#include <stdlib.h>
#include <string.h>

#include "ff_pbn_program.h"

#define STARTS 8             /* number of starts to follow if some nodes start at random */
#define WORK (1u << 26)      /* words of expressions and states that the search may read: a few tenths of a second */
#define LONGEST (1u << 20)   /* in steps */

/* Lists the children of all nodes. at[i] to at[i + 1] - 1 are the positions of node i's children in `children`. */
static void list_children(const ff_pbn *pbn, uint32_t *at, uint32_t *children) {
  uint32_t n = pbn->n_nodes, total = pbn->first[n];
  for (uint32_t f = 0; f < total; f++)
    for (uint32_t j = 0; j < pbn->predictors[f].n_parents; j++) at[pbn->predictors[f].parents[j]]++;
  for (uint32_t i = 1; i <= n; i++) at[i] += at[i - 1]; /* ends of the lists; filling the lists turns them into starts */
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t f = pbn->first[i]; f < pbn->first[i + 1]; f++)
      for (uint32_t j = 0; j < pbn->predictors[f].n_parents; j++) children[--at[pbn->predictors[f].parents[j]]] = i;
}

/* Lists the deterministic nodes that are not held: those with one function, no flips, and parents that are such nodes or
 * held. `chancy` (a byte per node; 1 = not deterministic) and `queue` are work space. */
static uint32_t list_certain(const ff_pbn *pbn, const int8_t *held, const uint32_t *at, const uint32_t *children, uint8_t *chancy,
                             uint32_t *queue, uint32_t *list) {
  uint32_t n = pbn->n_nodes, found = 0, n_queue = 0;
  for (uint32_t i = 0; i < n; i++) {
    int certain = held[i] >= 0 || (pbn->first[i + 1] - pbn->first[i] == 1 && !(pbn->perturbed[i] && pbn->perturbation > 0));
    chancy[i] = !certain;
    if (!certain) queue[n_queue++] = i;
  }
  for (uint32_t done = 0; done < n_queue; done++)
    for (uint32_t k = at[queue[done]]; k < at[queue[done] + 1]; k++) {
      uint32_t child = children[k];
      if (chancy[child] || held[child] >= 0) continue;
      chancy[child] = 1;
      queue[n_queue++] = child;
    }
  for (uint32_t i = 0; i < n; i++)
    if (!chancy[i] && held[i] < 0) list[found++] = i;
  return found;
}

/* The data of a search. States have one bit per node. */
typedef struct {
  const ff_pbn *pbn;
  const uint32_t *list;
  uint32_t n, words, cost, left; /* number of listed nodes; words of a state; words that a step reads; words that may still be
                                  * read */
  uint32_t *state, *next, *mark;
  uint8_t *stack;
} orbit;

static void step(orbit *o) {
  for (uint32_t i = 0; i < o->n; i++) {
    uint32_t node = o->list[i], bit = 1u << (node % 32);
    int value = ff_expr_value(&o->pbn->predictors[o->pbn->first[node]].expr, o->state, o->stack);
    o->next[node / 32] = (o->next[node / 32] & ~bit) | (value ? bit : 0);
  }
  memcpy(o->state, o->next, o->words * sizeof *o->state);
  o->left -= o->left < o->cost ? o->left : o->cost;
}

static int same(const orbit *o) { return memcmp(o->mark, o->state, o->words * sizeof *o->mark) == 0; }
static void set_mark(orbit *o) { memcpy(o->mark, o->state, o->words * sizeof *o->mark); }

/* Brent's search for the period of the cycle that a start leads to. Returns 0 if it takes too long. *settled is the step of
 * the mark, by which the cycle has been entered. */
static uint32_t period_from(orbit *o, uint64_t *settled) {
  uint32_t power = 1, period = 1;
  memcpy(o->next, o->state, o->words * sizeof *o->next);
  set_mark(o);
  *settled = 0;
  step(o);
  while (!same(o)) {
    if (o->left < o->cost || period > LONGEST) return 0;
    if (power == period) {
      set_mark(o);
      *settled += period;
      power *= 2;
      period = 0;
    }
    step(o);
    period++;
  }
  return period;
}

static void start(orbit *o, const int8_t *held, uint32_t number) {
  const ff_pbn *pbn = o->pbn;
  memset(o->state, 0, o->words * sizeof *o->state);
  for (uint32_t i = 0; i < pbn->n_nodes; i++) {
    int value = held[i] >= 0 ? held[i] : pbn->initial[i];
    if (value < 0) {
      ff_philox_block w = ff_philox(ff_philox_counter(FF_DRAW_INITIAL, i / 128, 0, number), 0);
      value = (int)(w.v[i / 32 % 4] >> (i % 32) & 1);
    }
    o->state[i / 32] |= (uint32_t)value << (i % 32);
  }
}

static ff_clockwork common_period(orbit *o, const int8_t *held) {
  int random = 0;
  uint64_t all = 1, settled = 0, own = 0;
  for (uint32_t i = 0; i < o->n; i++) random |= o->pbn->initial[o->list[i]] < 0;
  for (uint32_t s = 0; s < (random ? STARTS : 1) && all > 0; s++) {
    start(o, held, s);
    uint64_t period = period_from(o, &own);
    all = period == 0 ? 0 : ff_common_multiple(all, period);
    if (all > LONGEST) all = 0;
    if (own > settled) settled = own;
  }
  return (ff_clockwork){all, settled, 0};
}

ff_status ff_clockwork_find(ff_clockwork *out, const ff_pbn *pbn, ff_error *err) {
  *out = (ff_clockwork){1, 0, 0};
  if (pbn->update == FF_ASYNCHRONOUS) return FF_OK;
  uint32_t n = pbn->n_nodes, words = (n + 31) / 32, depth = 1;
  uint64_t arrows = 0, cost = 3 * (uint64_t)words;
  for (uint32_t f = 0; f < pbn->first[n]; f++) arrows += pbn->predictors[f].n_parents;
  int8_t *held = ff_calloc(n, 1);
  uint8_t *chancy = ff_calloc(n, 1), *stack = NULL;
  uint32_t *at = ff_calloc((size_t)n + 1, sizeof *at), *list = ff_calloc((size_t)n * 2, sizeof *list);
  uint32_t *children = ff_calloc(arrows, sizeof *children), *states = ff_calloc((size_t)words * 3, sizeof *states);
  ff_status status = held == NULL || chancy == NULL || at == NULL || list == NULL || children == NULL || states == NULL ||
                             arrows > UINT32_MAX
                         ? FF_EMEMORY
                         : ff_pbn_held(held, pbn, err);
  orbit o = {.pbn = pbn, .list = list, .words = words, .left = WORK, .state = states};
  if (status == FF_OK) {
    list_children(pbn, at, children);
    o.n = list_certain(pbn, held, at, children, chancy, list + n, list);
    for (uint32_t i = 0; i < o.n; i++) {
      const ff_expr *expr = &pbn->predictors[pbn->first[list[i]]].expr;
      if (expr->depth > depth) depth = expr->depth;
      cost += expr->length;
    }
    stack = ff_calloc(depth, 1);
    if (stack == NULL) status = FF_EMEMORY;
  }
  if (status == FF_OK && o.n > 0) {
    o.cost = cost < WORK ? (uint32_t)cost : WORK;
    o.stack = stack;
    o.next = states + words;
    o.mark = states + (size_t)2 * words;
    uint32_t moving = 0;
    for (uint32_t i = 0; i < n; i++) moving += held[i] < 0;
    *out = common_period(&o, held);
    out->whole = o.n == moving;
  }
  free(held);
  free(chancy);
  free(stack);
  free(at);
  free(list);
  free(children);
  free(states);
  return status == FF_EMEMORY ? ff_error_set(err, status, "no memory to look for the period of %u nodes", n) : status;
}
