#include "ff_exact_internal.h"

#include <stdlib.h>
#include <string.h>


#define ARROWS_A_PIECE (UINT32_C(1) << 18)

static int state_arrow(const void *context, uint32_t node, uint64_t *cursor, uint32_t *to) {
  uint32_t c = (uint32_t)*cursor;
  int more = ff_exact_next(context, node, &c, to);
  *cursor = c;
  return more;
}

/* Flips join the states of an orbit, so an orbit is one node of this graph, named by its state without flipped bits. */
static int orbit_arrow(const void *context, uint32_t node, uint64_t *cursor, uint32_t *to) {
  const ff_exact *ex = context;
  uint64_t l = *cursor >> 32;
  uint32_t c = (uint32_t)*cursor;
  for (; l >> ex->flip_bits == 0; l++, c = 0) {
    if (ff_exact_next(ex, node | ex->spread[l], &c, to)) {
      *to &= ~ex->flip_mask;
      *cursor = l << 32 | c;
      return 1;
    }
  }
  *cursor = l << 32;
  return 0;
}

ff_status ff_exact_search_new(ff_exact_search *search, const ff_exact *ex, ff_error *err) {
  memset(search, 0, sizeof *search);
  search->ex = ex;
  search->with_orbits = ex->flip_bits > 0 && ex->flip_bits < ex->n_free;
  search->orbits_done = !search->with_orbits;
  ff_status status = ff_exact_scc_new(&search->states, ex->n_states, err);
  if (status == FF_OK && search->with_orbits) status = ff_exact_scc_new(&search->orbits, ex->n_states, err);
  if (status != FF_OK) ff_exact_search_free(search);
  return status;
}

void ff_exact_search_free(ff_exact_search *search) {
  ff_exact_scc_free(&search->states);
  ff_exact_scc_free(&search->orbits);
}

/* The next state that the chain may start from, in `search->root`; sets `exhausted` after the last. */
static uint32_t next_start(ff_exact_search *search) {
  uint32_t mask = (search->ex->n_states - 1) & ~search->ex->start_mask, sub = search->root;
  search->root = (sub - mask) & mask;
  search->exhausted = search->root == 0;
  return search->ex->start_value | sub;
}

/* The next state of all: with flips, every state of a reached orbit is reached. */
static int next_any(ff_exact_search *search, uint32_t *s) {
  *s = search->root++;
  search->exhausted = search->root == search->ex->n_states;
  return !search->with_orbits || search->orbits.index[*s & ~search->ex->flip_mask];
}

int ff_exact_search_run(ff_exact_search *search) {
  const ff_exact *ex = search->ex;
  if (!search->orbits_done) {
    for (uint32_t piece = 0; piece < 1024; piece++) {
      if (!ff_exact_scc_run(&search->orbits, orbit_arrow, ex, ARROWS_A_PIECE)) return 0;
      if (search->exhausted) {
        search->orbits_done = 1;
        search->exhausted = 0;
        search->root = 0;
        return 0;
      }
      ff_exact_scc_root(&search->orbits, next_start(search) & ~ex->flip_mask);
    }
    return 0;
  }
  for (uint32_t piece = 0; piece < 1024; piece++) {
    uint32_t s;
    if (!ff_exact_scc_run(&search->states, state_arrow, ex, ARROWS_A_PIECE)) return 0;
    if (search->exhausted) return 1;
    if (!ex->flip_bits)
      ff_exact_scc_root(&search->states, next_start(search));
    else if (next_any(search, &s))
      ff_exact_scc_root(&search->states, s);
  }
  return 0;
}

/* The class of each component: 0 transient, else from 1 in topological order. */
static uint32_t classify(uint32_t *class_of, const ff_exact_search *search, uint32_t *orbit_class) {
  const ff_exact_scc *scc = &search->states;
  const ff_exact *ex = search->ex;
  uint32_t classes = 0;
  if (!ex->flip_bits) {
    for (uint32_t c = scc->n_components; c-- > 0;) class_of[c] = scc->leaves[c] & 2 ? 0 : ++classes;
    return classes;
  }
  if (!search->with_orbits) {
    for (uint32_t c = 0; c < scc->n_components; c++) class_of[c] = 1;
    return 1;
  }
  const ff_exact_scc *orbits = &search->orbits;
  for (uint32_t c = orbits->n_components; c-- > 0;) orbit_class[c] = orbits->leaves[c] & 2 ? 0 : ++classes;
  for (uint32_t k = 0; k < scc->n_met; k++) {
    uint32_t s = scc->post[k];
    class_of[scc->component[s]] = orbit_class[orbits->component[s & ~ex->flip_mask]];
  }
  return classes;
}

ff_status ff_exact_order_new(ff_exact_order *order, const ff_exact_search *search, ff_error *err) {
  memset(order, 0, sizeof *order);
  const ff_exact_scc *scc = &search->states;
  uint32_t n = scc->n_components, *class_of = ff_calloc(n, sizeof *class_of);
  uint32_t *orbit_class = ff_calloc(search->orbits.n_components, sizeof *orbit_class);
  uint32_t *rank = ff_calloc(n, sizeof *rank), *fill = ff_calloc(n, sizeof *fill);
  order->n_segments = n;
  order->state = ff_calloc(scc->n_met, sizeof *order->state);
  order->pos = ff_calloc(scc->n, sizeof *order->pos);
  order->segment = ff_calloc(n + 1u, sizeof *order->segment);
  order->closed = ff_calloc(n, sizeof *order->closed);
  ff_status status = FF_OK;
  if (!class_of || !orbit_class || !rank || !fill || !order->state || !order->pos || !order->segment ||
      !order->closed) {
    status = ff_error_set(err, FF_EMEMORY, "no memory to sort %u states", scc->n_met);
    goto end;
  }
  order->n_classes = classify(class_of, search, orbit_class);
  order->class_first = ff_calloc(order->n_classes + 2u, sizeof *order->class_first);
  if (!order->class_first) {
    status = ff_error_set(err, FF_EMEMORY, "no memory for %u recurrent classes", order->n_classes);
    goto end;
  }
  for (uint32_t c = 0; c < n; c++) order->class_first[class_of[c] + 1]++;
  for (uint32_t k = 0; k <= order->n_classes; k++) order->class_first[k + 1] += order->class_first[k];
  uint32_t *place = order->class_first; /* moved on by filling, and back afterwards */
  for (uint32_t c = n; c-- > 0;) {
    rank[c] = place[class_of[c]]++;
    order->closed[rank[c]] = !(scc->leaves[c] & 2);
  }
  for (uint32_t k = order->n_classes + 1; k > 0; k--) place[k] = place[k - 1];
  place[0] = 0;
  for (uint32_t k = 0; k < scc->n_met; k++) order->segment[rank[scc->component[scc->post[k]]] + 1]++;
  for (uint32_t g = 0; g < n; g++) order->segment[g + 1] += order->segment[g];
  memset(order->pos, 0xFF, scc->n * sizeof *order->pos);
  for (uint32_t k = scc->n_met; k-- > 0;) {
    uint32_t s = scc->post[k], g = rank[scc->component[s]], at = order->segment[g] + fill[g]++;
    order->state[at] = s;
    order->pos[s] = at;
  }
end:
  free(class_of);
  free(orbit_class);
  free(rank);
  free(fill);
  if (status != FF_OK) ff_exact_order_free(order);
  return status;
}

void ff_exact_order_free(ff_exact_order *order) {
  free(order->state);
  free(order->pos);
  free(order->segment);
  free(order->closed);
  free(order->class_first);
  memset(order, 0, sizeof *order);
}
