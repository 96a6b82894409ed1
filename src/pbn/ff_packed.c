/* Runs the packed program: one trajectory after the other, a node's value a bit of a 32-bit word. */
#include <string.h>

#include "ff_engine_internal.h"

typedef struct {
  const ff_program *p;
  const ff_packed *q;
  uint64_t key, unit; /* of one trajectory */
  uint32_t *state, *next, *hits;
  uint8_t *stack;
} trajectory;

static inline uint32_t bit_of(const uint32_t *state, uint32_t node) { return state[node / 32] >> (node % 32) & 1; }

static inline uint32_t function_value(const trajectory *t, uint32_t f) {
  const ff_packed *q = t->q;
  const uint32_t *parent = q->parents + q->parents_at[f];
  uint32_t k = q->parents_at[f + 1] - q->parents_at[f], entry = 0;
  if (q->wide[f].code != NULL) return (uint32_t)ff_expr_value(&q->wide[f], t->state, t->stack);
  for (uint32_t i = 0; i < k; i++) entry |= bit_of(t->state, parent[i]) << i;
  uint32_t word = entry < 32 ? q->table[f] : q->extra[q->extra_at[f] + entry / 32 - 1];
  return word >> (entry % 32) & 1;
}

static inline uint32_t choose_function(const ff_packed *q, uint32_t place, uint32_t word) {
  uint32_t f = q->first[place], last = q->first[place + 1] - 1;
  while (f < last && word >= q->cut[f]) f++;
  return f;
}

static inline uint32_t choose_context(const ff_packed *q, uint32_t word) {
  uint32_t c = 0;
  while (c + 1 < q->n_contexts && word >= q->context_cut[c]) c++;
  return c;
}

/* The flips of a step; returns whether any node flipped, a removed one included. */
static int perturb(trajectory *t, uint64_t step, ff_philox_block head) {
  const ff_program *p = t->p;
  uint32_t n = ff_poisson_value(&p->hits, head.v[0], head.v[1]);
  ff_philox_block w = head;
  for (uint32_t i = 1; i < p->hits.n_draws; i++) {
    uint32_t half = (i - 1) % 2 * 2;
    if (half == 0) w = ff_philox(ff_philox_counter(FF_DRAW_FLIPS, 1 + (i - 1) / 2, step, t->unit), t->key);
    n += ff_poisson_value(&p->hits, w.v[half], w.v[half + 1]);
  }
  if (n == 0) return 0;
  uint32_t first = 1 + p->hits.n_draws / 2, noted = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t half = i % 2 * 2;
    if (half == 0) w = ff_philox(ff_philox_counter(FF_DRAW_FLIPS, first + i / 2, step, t->unit), t->key);
    uint32_t site = ff_pick54(w.v[half], w.v[half + 1], p->n_flip);
    if (site < p->n_flip_here) t->hits[noted++] = p->flip[site] * 2 + !bit_of(t->state, p->flip[site]);
  }
  for (uint32_t i = 0; i < noted; i++) { /* a node hit twice gets the same value twice */
    uint32_t node = t->hits[i] / 2, *word = &t->state[node / 32];
    *word = (*word & ~(1u << (node % 32))) | (t->hits[i] & 1) << (node % 32);
  }
  return 1;
}

static void update_all(trajectory *t, uint64_t step) {
  const ff_packed *q = t->q;
  uint32_t n = t->p->n_nodes, block = UINT32_MAX;
  ff_philox_block w = {{0, 0, 0, 0}};
  const uint32_t *context = NULL;
  if (q->n_contexts > 0) {
    w = ff_philox(ff_philox_counter(FF_DRAW_SELECT, 0, step, t->unit), t->key);
    context = q->context + (size_t)choose_context(q, w.v[0]) * n;
  }
  memset(t->next, 0, q->words * sizeof *t->next);
  for (uint32_t place = 0; place < n; place++) {
    uint32_t node = q->order[place], f = q->first[place];
    if (context != NULL) {
      f = context[place];
    } else if (q->first[place + 1] - f > 1) {
      uint32_t number = q->number[place];
      if (number / 4 != block) {
        block = number / 4;
        w = ff_philox(ff_philox_counter(FF_DRAW_SELECT, block, step, t->unit), t->key);
      }
      f = choose_function(q, place, w.v[number % 4]);
    }
    t->next[node / 32] |= function_value(t, f) << (node % 32);
  }
  memcpy(t->state, t->next, q->words * sizeof *t->state);
}

static int update_one(trajectory *t, ff_philox_block head) {
  const ff_packed *q = t->q;
  uint32_t place = (uint32_t)(((uint64_t)head.v[2] * t->p->n_all) >> 32);
  if (place >= t->p->n_nodes) return 0; /* a removed node was picked */
  uint32_t f = q->n_contexts > 0 ? q->context[(size_t)choose_context(q, head.v[3]) * t->p->n_nodes + place]
                                 : choose_function(q, place, head.v[3]);
  uint32_t node = q->order[place], *word = &t->state[node / 32], old = *word;
  *word = (old & ~(1u << (node % 32))) | function_value(t, f) << (node % 32);
  return *word != old;
}

/* One step; returns 0 where the state is known to be as before. */
static int one_step(trajectory *t, uint64_t step) {
  int synchronous = t->p->update == FF_SYNCHRONOUS;
  ff_philox_block head = {{0, 0, 0, 0}};
  if (!synchronous || t->p->hits.size > 0)
    head = ff_philox(ff_philox_counter(FF_DRAW_FLIPS, 0, step, t->unit), t->key);
  if (t->p->hits.size > 0 && perturb(t, step, head)) return 1;
  if (!synchronous) return update_one(t, head);
  update_all(t, step);
  return 1;
}

static trajectory trajectory_of(ff_tile *tile, uint32_t lane) {
  const ff_program *p = tile->program;
  return (trajectory){.p = p,
                      .q = &p->packed,
                      .key = tile->key,
                      .unit = tile->unit * FF_TILE + lane,
                      .state = tile->state + (size_t)lane * p->packed.words,
                      .next = tile->next,
                      .hits = tile->extra_hits,
                      .stack = tile->stack};
}

void ff_packed_start(ff_tile *tile) {
  const ff_program *p = tile->program;
  for (uint32_t lane = 0; lane < FF_TILE; lane++) {
    trajectory t = trajectory_of(tile, lane);
    ff_philox_block w = {{0, 0, 0, 0}};
    for (uint32_t i = 0; i < p->packed.words; i++) {
      if (i % 4 == 0) w = ff_philox(ff_philox_counter(FF_DRAW_INITIAL, i / 4, 0, t.unit), t.key);
      t.state[i] = w.v[i % 4];
    }
    for (uint32_t i = 0; i < p->n_nodes; i++)
      if (p->initial[i] >= 0)
        t.state[i / 32] = (t.state[i / 32] & ~(1u << (i % 32))) | (uint32_t)p->initial[i] << (i % 32);
    if (p->n_nodes % 32 != 0) t.state[p->packed.words - 1] &= (1u << (p->n_nodes % 32)) - 1;
  }
}

/* The terms' values in a trajectory's state; `lane` numbers their bytes. */
static void evaluate(ff_tile *tile, const trajectory *t, uint32_t lane) {
  for (uint32_t i = 0; i < t->p->n_terms; i++)
    tile->value[(size_t)i * FF_TILE + lane] = (uint8_t)ff_expr_value(&t->p->terms[i], t->state, t->stack);
}

static void count_lane(ff_tile *tile, uint32_t lane, uint64_t steps) {
  trajectory t = trajectory_of(tile, lane);
  uint32_t n_terms = t.p->n_terms;
  for (uint64_t s = 0; s < steps; s++) {
    int changed = one_step(&t, tile->step + s);
    for (uint32_t i = 0; i < n_terms; i++) {
      uint8_t *value = &tile->value[(size_t)i * FF_TILE + lane], old = *value;
      if (changed) *value = (uint8_t)ff_expr_value(&t.p->terms[i], t.state, t.stack);
      tile->changes[i] += *value != old;
      tile->counts[(size_t)i * FF_TILE + lane] += *value;
    }
  }
}

void ff_packed_run(ff_tile *tile, uint64_t steps, int count) {
  uint32_t n_terms = tile->program->n_terms;
  if (count && tile->fresh) {
    memset(tile->before, 0, n_terms * sizeof *tile->before);
    for (uint32_t lane = 0; lane < FF_TILE; lane++) {
      trajectory t = trajectory_of(tile, lane);
      evaluate(tile, &t, lane);
      for (uint32_t i = 0; i < n_terms; i++) tile->before[i] += tile->value[(size_t)i * FF_TILE + lane];
    }
    tile->fresh = 0;
  }
  for (uint32_t lane = 0; lane < FF_TILE; lane++) {
    if (count) {
      count_lane(tile, lane, steps);
      continue;
    }
    trajectory t = trajectory_of(tile, lane);
    for (uint64_t s = 0; s < steps; s++) one_step(&t, tile->step + s);
  }
  tile->step += steps;
  if (count) tile->counted += steps;
}
