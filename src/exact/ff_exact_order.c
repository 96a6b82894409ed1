#include "ff_exact_internal.h"

#include <stdlib.h>
#include <string.h>

static int state_arrow(const void *context, uint32_t node, uint64_t *cursor, uint32_t *to) {
  uint32_t c = (uint32_t)*cursor;
  int more = ff_exact_next(context, node, &c, to);
  *cursor = c;
  return more;
}

/* Flips connect all states of an orbit. So each orbit is one node of this graph, represented by its state in which all
 * perturbed bits are 0. */
static int orbit_arrow(const void *context, uint32_t node, uint64_t *cursor, uint32_t *to) {
  const ff_exact *ex = context;
  uint64_t l = *cursor >> 32, look = l + 16; /* many states in sequence may have no arrow */
  uint32_t c = (uint32_t)*cursor;
  for (; l >> ex->flip_bits == 0 && l < look; l++, c = 0) {
    if (ff_exact_next(ex, node | ex->spread[l], &c, to)) {
      *to &= ~ex->flip_mask;
      *cursor = l << 32 | c;
      return 1;
    }
  }
  *cursor = l << 32;
  return l >> ex->flip_bits == 0 ? -1 : 0;
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

/* Returns the next state from which the chain may start and advances `search->root`. Sets `exhausted` after the last. */
static uint32_t next_start(ff_exact_search *search) {
  uint32_t mask = (search->ex->n_states - 1) & ~search->ex->start_mask, sub = search->root;
  search->root = (sub - mask) & mask;
  search->exhausted = search->root == 0;
  return search->ex->start_value | sub;
}

/* Finds the next of all states. With flips, all states of a reached orbit are reached. Returns 0 if the state is not reached. */
static int next_any(ff_exact_search *search, uint32_t *s) {
  *s = search->root++;
  search->exhausted = search->root == search->ex->n_states;
  return !search->with_orbits || search->orbits.index[*s & ~search->ex->flip_mask];
}

int ff_exact_search_run(ff_exact_search *search, ff_exact_turn *turn) {
  const ff_exact *ex = search->ex;
  uint32_t s;
  while (!search->orbits_done) {
    if (!ff_exact_scc_run(&search->orbits, orbit_arrow, ex, ex->arrow_cost, turn) || !ff_exact_more(turn, 1)) return 0;
    if (search->exhausted) {
      search->orbits_done = 1;
      search->exhausted = 0;
      search->root = 0;
      break;
    }
    ff_exact_scc_root(&search->orbits, next_start(search) & ~ex->flip_mask);
  }
  for (;;) {
    if (!ff_exact_scc_run(&search->states, state_arrow, ex, ex->arrow_cost, turn) || !ff_exact_more(turn, 1)) return 0;
    if (search->exhausted) return 1;
    if (!ex->flip_bits)
      ff_exact_scc_root(&search->states, next_start(search));
    else if (next_any(search, &s))
      ff_exact_scc_root(&search->states, s);
  }
}

ff_status ff_exact_order_new(ff_exact_order *order, const ff_exact_search *search, ff_error *err) {
  memset(order, 0, sizeof *order);
  const ff_exact_scc *scc = &search->states;
  uint32_t n = scc->n_components;
  order->n_segments = n;
  order->class_of = ff_calloc(n, sizeof *order->class_of);
  order->orbit_class = ff_calloc(search->orbits.n_components, sizeof *order->orbit_class);
  order->rank = ff_calloc(n, sizeof *order->rank);
  order->fill = ff_calloc(n, sizeof *order->fill);
  order->state = ff_calloc(scc->n_met, sizeof *order->state);
  order->pos = ff_calloc(scc->n, sizeof *order->pos);
  order->segment = ff_calloc(n + 1u, sizeof *order->segment);
  order->closed = ff_calloc(n, sizeof *order->closed);
  if (order->class_of && order->orbit_class && order->rank && order->fill && order->state && order->pos &&
      order->segment && order->closed)
    return FF_OK;
  ff_exact_order_free(order);
  return ff_error_set(err, FF_EMEMORY, "no memory to sort %u states", scc->n_met);
}

/* Finds the class of each component: 0 for transient ones, else from 1 in topological order. */
static int classify(ff_exact_order *order, const ff_exact_search *search, ff_exact_turn *turn) {
  enum { ORBITS, STATES, COMPONENTS };
  const ff_exact_scc *scc = &search->states, *orbits = &search->orbits;
  const ff_exact *ex = search->ex;
  ff_exact_place *place = &order->walk;
  uint32_t lo, hi, *orbit_class = order->orbit_class;
  if (search->with_orbits && place->stage == ORBITS) {
    uint32_t n = orbits->n_components;
    while (ff_exact_take(turn, place, n, &lo, &hi))
      for (uint32_t c = n - lo; c-- > n - hi;) orbit_class[c] = orbits->leaves[c] & 2 ? 0 : ++order->n_classes;
    if (!ff_exact_through(place, n, STATES)) return 0;
  }
  if (search->with_orbits) {
    while (ff_exact_take(turn, place, scc->n_met, &lo, &hi)) {
      for (uint32_t k = lo; k < hi; k++) {
        uint32_t s = scc->post[k];
        order->class_of[scc->component[s] - 1] = orbit_class[orbits->component[s & ~ex->flip_mask] - 1];
      }
    }
    return ff_exact_through(place, scc->n_met, ORBITS);
  }
  uint32_t n = scc->n_components;
  if (ex->flip_bits) order->n_classes = 1;
  while (ff_exact_take(turn, place, n, &lo, &hi)) {
    for (uint32_t c = n - lo; c-- > n - hi;)
      order->class_of[c] = ex->flip_bits ? 1 : scc->leaves[c] & 2 ? 0 : ++order->n_classes;
  }
  return ff_exact_through(place, n, ORBITS);
}

/* Computes class_first, then the rank of each component, which is its segment. */
static int rank_components(ff_exact_order *order, const ff_exact_scc *scc, ff_exact_turn *turn) {
  enum { COUNT, ADD, PLACE, BACK };
  ff_exact_place *place = &order->walk;
  uint32_t lo, hi, n = order->n_segments, classes = order->n_classes, *first = order->class_first;
  for (;;) switch (place->stage) {
      case COUNT:
        while (ff_exact_take(turn, place, n, &lo, &hi))
          for (uint32_t c = lo; c < hi; c++) first[order->class_of[c] + 1]++;
        if (!ff_exact_through(place, n, ADD)) return 0;
        break;
      case ADD:
        while (ff_exact_take(turn, place, classes + 1, &lo, &hi))
          for (uint32_t k = lo; k < hi; k++) first[k + 1] += first[k];
        if (!ff_exact_through(place, classes + 1, PLACE)) return 0;
        break;
      case PLACE: /* this advances class_first; BACK undoes it */
        while (ff_exact_take(turn, place, n, &lo, &hi)) {
          for (uint32_t c = n - lo; c-- > n - hi;) {
            uint32_t g = order->rank[c] = first[order->class_of[c]]++;
            order->closed[g] = !(scc->leaves[c] & 2);
            order->n_closed += order->closed[g];
          }
        }
        if (!ff_exact_through(place, n, BACK)) return 0;
        break;
      default:
        while (ff_exact_take(turn, place, classes + 1, &lo, &hi))
          for (uint32_t k = classes + 1 - lo; k > classes + 1 - hi; k--) first[k] = first[k - 1];
        if (!ff_exact_through(place, classes + 1, COUNT)) return 0;
        first[0] = 0;
        return 1;
    }
}

static int sort_states(ff_exact_order *order, const ff_exact_scc *scc, ff_exact_turn *turn) {
  enum { COUNT, ADD, CLEAR, SORT };
  ff_exact_place *place = &order->walk;
  uint32_t lo, hi, met = scc->n_met, n = order->n_segments;
  for (;;) switch (place->stage) {
      case COUNT:
        while (ff_exact_take(turn, place, met, &lo, &hi))
          for (uint32_t k = lo; k < hi; k++) order->segment[order->rank[scc->component[scc->post[k]] - 1] + 1]++;
        if (!ff_exact_through(place, met, ADD)) return 0;
        break;
      case ADD:
        while (ff_exact_take(turn, place, n, &lo, &hi))
          for (uint32_t g = lo; g < hi; g++) order->segment[g + 1] += order->segment[g];
        if (!ff_exact_through(place, n, CLEAR)) return 0;
        break;
      case CLEAR:
        while (ff_exact_take(turn, place, scc->n, &lo, &hi)) memset(order->pos + lo, 0xFF, (hi - lo) * sizeof *order->pos);
        if (!ff_exact_through(place, scc->n, SORT)) return 0;
        break;
      default:
        while (ff_exact_take(turn, place, met, &lo, &hi)) {
          for (uint32_t k = met - lo; k-- > met - hi;) {
            uint32_t s = scc->post[k], g = order->rank[scc->component[s] - 1], at = order->segment[g] + order->fill[g]++;
            order->state[at] = s;
            order->pos[s] = at;
          }
        }
        return ff_exact_through(place, met, COUNT);
    }
}

static void forget_scratch(ff_exact_order *order) {
  free(order->class_of);
  free(order->orbit_class);
  free(order->rank);
  free(order->fill);
  order->class_of = order->orbit_class = order->rank = order->fill = NULL;
}

ff_status ff_exact_order_run(ff_exact_order *order, const ff_exact_search *search, ff_exact_turn *turn, int *done,
                             ff_error *err) {
  enum { CLASSIFY, RANK, SORT };
  *done = 0;
  if (order->stage == CLASSIFY) {
    if (!classify(order, search, turn)) return FF_OK;
    order->class_first = ff_calloc(order->n_classes + 2u, sizeof *order->class_first);
    if (!order->class_first)
      return ff_error_set(err, FF_EMEMORY, "no memory for %u recurrent classes", order->n_classes);
    order->stage = RANK;
  }
  if (order->stage == RANK) {
    if (!rank_components(order, &search->states, turn)) return FF_OK;
    order->stage = SORT;
  }
  if (!sort_states(order, &search->states, turn)) return FF_OK;
  forget_scratch(order);
  *done = 1;
  return FF_OK;
}

void ff_exact_order_free(ff_exact_order *order) {
  forget_scratch(order);
  free(order->state);
  free(order->pos);
  free(order->segment);
  free(order->closed);
  free(order->class_first);
  memset(order, 0, sizeof *order);
}
