/* Clocks: nodes that follow their start without any chance repeat themselves for ever, and a window should hold whole periods. */
#include <stdlib.h>
#include <string.h>

#include "ff_engine_internal.h"

#define PASSES 64            /* over all nodes, to find those that chance does not reach */
#define STARTS 8             /* that are followed where some nodes start at random */
#define WORK (1u << 20)      /* evaluations of functions that the search may take */
#define LONGEST (1u << 20)   /* steps */

/* Nodes of one function that never flip and whose parents are such nodes: without[i] becomes 1. Returns their number. */
static uint32_t list_certain(const ff_pbn *pbn, const int8_t *held, uint8_t *without, uint32_t *list) {
  uint32_t n = pbn->n_nodes, found = 0;
  for (uint32_t i = 0; i < n; i++)
    without[i] = held[i] >= 0 || (pbn->first[i + 1] - pbn->first[i] == 1 && !(pbn->perturbed[i] && pbn->perturbation > 0));
  int changed = 1;
  for (int pass = 0; pass < PASSES && changed; pass++) {
    changed = 0;
    for (uint32_t i = 0; i < n; i++) {
      const ff_predictor *f = &pbn->predictors[pbn->first[i]];
      for (uint32_t j = 0; without[i] && held[i] < 0 && j < f->n_parents; j++)
        if (!without[f->parents[j]]) {
          without[i] = 0;
          changed = 1;
        }
    }
  }
  for (uint32_t i = 0; i < n && !changed; i++)
    if (without[i] && held[i] < 0) list[found++] = i;
  return found;
}

/* What a search works on; the states have a bit a node. */
typedef struct {
  const ff_pbn *pbn;
  const uint32_t *list;
  uint32_t n, words, left; /* listed nodes; words of a state; evaluations left */
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
  o->left -= o->left < o->n ? o->left : o->n;
}

/* Brent's search for the period of the cycle that a start leads to; 0 where it takes too long. */
static uint32_t period_from(orbit *o) {
  uint32_t power = 1, period = 1;
  memcpy(o->next, o->state, o->words * sizeof *o->next);
  memcpy(o->mark, o->state, o->words * sizeof *o->mark);
  step(o);
  while (memcmp(o->mark, o->state, o->words * sizeof *o->mark) != 0) {
    if (o->left < o->n || period > LONGEST) return 0;
    if (power == period) {
      memcpy(o->mark, o->state, o->words * sizeof *o->mark);
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
    if (value < 0) value = (int)(ff_philox(ff_philox_counter(FF_DRAW_INITIAL, i / 128, 0, number), 0).v[i / 32 % 4] >> (i % 32) & 1);
    o->state[i / 32] |= (uint32_t)value << (i % 32);
  }
}

static uint64_t common_period(orbit *o, const int8_t *held) {
  int random = 0;
  uint64_t all = 1;
  for (uint32_t i = 0; i < o->n; i++) random |= o->pbn->initial[o->list[i]] < 0;
  for (uint32_t s = 0; s < (random ? STARTS : 1) && all > 0; s++) {
    start(o, held, s);
    uint64_t a = all, b = period_from(o), period = b;
    while (b > 0) {
      uint64_t rest = a % b;
      a = b;
      b = rest;
    }
    all = period == 0 || all / a * period > LONGEST ? 0 : all / a * period;
  }
  return all;
}

ff_status ff_period_find(ff_program *program, const ff_pbn *pbn, ff_error *err) {
  program->period = 1;
  if (program->forgets || pbn->update == FF_ASYNCHRONOUS) return FF_OK;
  uint32_t n = pbn->n_nodes, words = (n + 31) / 32, depth = 1;
  uint8_t *without = ff_calloc(n, 1);
  uint32_t *list = ff_calloc(n, sizeof *list), *states = ff_calloc((size_t)words * 3, sizeof *states);
  orbit o = {.pbn = pbn, .list = list, .words = words, .left = WORK, .state = states};
  if (without != NULL && list != NULL) o.n = list_certain(pbn, program->held, without, list);
  for (uint32_t i = 0; i < o.n; i++) {
    uint32_t own = pbn->predictors[pbn->first[list[i]]].expr.depth;
    if (own > depth) depth = own;
  }
  o.stack = ff_calloc(depth, 1);
  int fits = without != NULL && list != NULL && states != NULL && o.stack != NULL;
  if (fits && o.n > 0) {
    o.next = states + words;
    o.mark = states + (size_t)2 * words;
    program->period = common_period(&o, program->held);
  }
  free(without);
  free(list);
  free(states);
  free(o.stack);
  return fits ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory to look for the period of %u nodes", n);
}
