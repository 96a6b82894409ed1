/* Classes that are solved without iteration: small ones, and single cycles. */
#include "ff_exact_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ff_exact_direct_free(ff_exact_direct *direct) {
  free(direct->flow);
  free(direct->x);
  free(direct->weight);
  free(direct->to);
  memset(direct, 0, sizeof *direct);
}

/* Computes row i of the class, whose states are lo .. lo + n - 1 in the order. The weight of arrows that leave the class is
 * added to direct->excess[i]. Flips do not leave it, because they can be undone. */
static void fill_row(ff_exact_direct *direct, const ff_exact *ex, const ff_exact_order *o, uint32_t lo, uint32_t n, uint32_t i,
                     ff_exact_turn *turn) {
  uint32_t s = o->state[lo + i], m = ff_exact_update_row(ex, s, direct->to, direct->weight);
  double *row = direct->flow + (size_t)i * n;
  turn->left -= m + (INT64_C(1) << ex->flip_bits);
  memset(row, 0, n * sizeof *row);
  direct->excess[i] = 0;
  for (uint32_t e = 0; e < m; e++) {
    uint32_t to = o->pos[direct->to[e]] - lo;
    *(to < n ? row + to : direct->excess + i) += ex->update * direct->weight[e];
  }
  for (uint32_t l = 1; l < UINT32_C(1) << ex->flip_bits; l++) {
    uint32_t flipped = 0;
    for (uint32_t v = l; v; v &= v - 1) flipped++;
    row[o->pos[s ^ ex->spread[l]] - lo] += direct->flips[flipped];
  }
}

/* Computes all rows of the class. */
static ff_status fill(ff_exact_direct *direct, const ff_exact *ex, const ff_exact_order *o, uint32_t lo, uint32_t n,
                      ff_exact_turn *turn, int *done, ff_error *err) {
  ff_exact_place *place = &direct->place;
  *done = 0;
  if (!direct->flow) {
    direct->flow = ff_calloc((size_t)FF_EXACT_DENSE_CLASS * FF_EXACT_DENSE_CLASS, sizeof *direct->flow);
    direct->x = ff_calloc(FF_EXACT_DENSE_CLASS, sizeof *direct->x);
    direct->weight = ff_calloc(ex->row_max, sizeof *direct->weight);
    direct->to = ff_calloc(ex->row_max, sizeof *direct->to);
    for (uint32_t f = 0; f <= ex->flip_bits; f++) direct->flips[f] = pow(ex->p, f) * pow(1 - ex->p, ex->flip_bits - f);
  }
  if (!direct->flow || !direct->x || !direct->weight || !direct->to)
    return ff_error_set(err, FF_EMEMORY, "no memory for a class of %u states", n);
  for (; place->at < n; place->at++) {
    if (!ff_exact_more(turn, ex->row_cost)) return FF_OK;
    fill_row(direct, ex, o, lo, n, place->at, turn);
  }
  place->at = 0;
  *done = 1;
  return FF_OK;
}

ff_status ff_exact_direct_dense(ff_exact_direct *direct, const ff_exact *ex, const ff_exact_order *o, uint32_t class_index,
                                double mass, double *pi, ff_exact_turn *turn, int *done, ff_error *err) {
  uint32_t lo = o->segment[o->class_first[class_index]], n = o->segment[o->class_first[class_index + 1]] - lo;
  ff_status filled = fill(direct, ex, o, lo, n, turn, done, err);
  if (filled != FF_OK || !*done) return filled;
  turn->left -= (int64_t)n * n * n / 3;
  ff_status status = ff_exact_gth(direct->x, direct->flow, n, err);
  for (uint32_t i = 0; i < n && status == FF_OK; i++) pi[o->state[lo + i]] = mass * direct->x[i];
  return status;
}

ff_status ff_exact_direct_visits(ff_exact_direct *direct, const ff_exact *ex, const ff_exact_order *o, double *visits,
                                 ff_exact_turn *turn, int *done, ff_error *err) {
  uint32_t n = o->segment[o->class_first[1]];
  ff_status status = fill(direct, ex, o, 0, n, turn, done, err);
  if (status != FF_OK || !*done) return status;
  turn->left -= (int64_t)n * n * n;
  ff_exact_factor(direct->flow, direct->excess, n);
  ff_exact_solve_factored(visits, direct->flow, n);
  for (uint32_t i = 0; i < n; i++)
    if (!isfinite(visits[i])) return ff_exact_too_small(err);
  return FF_OK;
}

int ff_exact_direct_cycle(ff_exact_direct *direct, const ff_exact *ex, const ff_exact_order *o, uint32_t class_index,
                          double mass, double *pi, int *is_cycle, ff_exact_turn *turn) {
  enum { LOOK, WRITE };
  uint32_t lo = o->segment[o->class_first[class_index]], size = o->segment[o->class_first[class_index + 1]] - lo, from, to;
  ff_exact_place *place = &direct->place;
  *is_cycle = !ex->flip_bits && ex->synchronous;
  if (place->stage == LOOK) {
    for (; *is_cycle && place->at < size; place->at++) {
      if (!ff_exact_more(turn, ex->row_cost + ex->n_contexts)) return 0;
      uint32_t i = lo + place->at, cursor = 0, next = o->state[i + 1 == lo + size ? lo : i + 1];
      while (*is_cycle && ff_exact_next(ex, o->state[i], &cursor, &to)) *is_cycle = to == next;
    }
    place->at = 0;
    if (!*is_cycle) return 1;
    place->stage = WRITE;
  }
  while (ff_exact_take(turn, place, size, &from, &to))
    for (uint32_t i = lo + from; i < lo + to; i++) pi[o->state[i]] = mass / size;
  return ff_exact_through(place, size, LOOK);
}
