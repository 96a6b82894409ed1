/* One step of the chain, from a distribution and from a state. */
#include "ff_exact_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ff_status ff_exact_step(double *y, const double *x, const ff_exact *ex, ff_error *err) {
  ff_exact_turn turn = ff_exact_turn_of(INFINITY);
  ff_exact_system sys;
  int done = 0;
  ff_status status = ff_exact_system_new(&sys, ex, NULL, NULL, NULL, 0, 0, 1, err);
  if (status != FF_OK) return status;
  status = ff_exact_system_fill(&sys, &turn, &done, err);
  if (status == FF_OK) ff_exact_system_apply(&sys, x, NULL, y, &turn);
  ff_exact_system_free(&sys);
  return status;
}

ff_status ff_exact_row(double *row, uint64_t state, const ff_exact *ex, ff_error *err) {
  if (state >= ex->n_states)
    return ff_error_set(err, FF_EARGUMENT, "state %llu is not among the %u states", (unsigned long long)state,
                        ex->n_states);
  uint32_t s = (uint32_t)state;
  uint32_t *to = ff_calloc(ex->row_max, sizeof *to);
  double *weight = ff_calloc(ex->row_max, sizeof *weight);
  if (!to || !weight) {
    free(to);
    free(weight);
    return ff_error_set(err, FF_EMEMORY, "no memory for a row of %u states", ex->n_states);
  }
  memset(row, 0, ex->n_states * sizeof *row);
  uint32_t n = ff_exact_update_row(ex, s, to, weight);
  for (uint32_t e = 0; e < n; e++) row[to[e]] += ex->update * weight[e];
  row[s] += ex->idle;
  for (size_t l = 1; l < (size_t)1 << ex->flip_bits; l++) {
    uint32_t flipped = 0;
    for (size_t v = l; v; v &= v - 1) flipped++;
    row[s ^ ex->spread[l]] += pow(ex->p, flipped) * pow(1 - ex->p, (double)(ex->flip_bits - flipped));
  }
  free(to);
  free(weight);
  return FF_OK;
}
