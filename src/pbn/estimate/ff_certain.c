/* Finds the observables whose values cannot change after the pilot. */
#include <stdlib.h>
#include <string.h>

#include "ff_estimate_internal.h"

#define MOST_ENDS 256u /* trajectories of the pilot whose ends are followed */

/* The values that nodes have at the end of a trajectory of the pilot, as ff_pbn_possible() takes them. Large networks begin at the
 * start instead, because their pilot may have run on a device. */
static void take_end(uint8_t *can, const ff_estimate *e, uint32_t lane) {
  const ff_pbn *pbn = e->options.network;
  int at_end = pbn->n_nodes < FF_LONG_PILOT;
  for (uint32_t i = 0; i < pbn->n_nodes; i++) {
    int value = at_end ? ff_tile_get(e->slots[0].tile, i, lane) : pbn->initial[i];
    can[i] = value < 0 ? 3 : (uint8_t)(value + 1);
  }
}

static int can_change(const ff_observables *observables, uint32_t i, const uint8_t *can, uint8_t *stack) {
  for (uint32_t j = observables->first[i]; j < observables->first[i + 1]; j++)
    if (ff_expr_possible(&observables->terms[j], can, stack) == 3) return 1;
  return 0;
}

ff_status ff_certain_find(ff_estimate *e, ff_error *err) {
  const ff_pbn *pbn = e->options.network;
  const ff_observables *observables = e->run.observables;
  uint32_t n = observables->n, depth = 1;
  memset(e->certain, 1, n);
  if (e->rule.forgets || e->exact != NULL || pbn == NULL) return FF_OK;
  for (uint32_t j = 0; j < observables->first[n]; j++)
    if (observables->terms[j].depth > depth) depth = observables->terms[j].depth;
  uint8_t *can = ff_calloc(pbn->n_nodes, 1), *stack = ff_calloc(depth, 1);
  ff_status status = can != NULL && stack != NULL
                         ? FF_OK
                         : ff_error_set(err, FF_EMEMORY, "no memory for the values that %u nodes may have", pbn->n_nodes);
  for (uint32_t lane = 0; lane < MOST_ENDS && status == FF_OK; lane++) {
    take_end(can, e, lane);
    status = ff_pbn_possible(can, pbn, err);
    for (uint32_t i = 0; i < n && status == FF_OK; i++)
      if (can_change(observables, i, can, stack)) e->certain[i] = 0;
    if (pbn->n_nodes >= FF_LONG_PILOT) break;
  }
  free(can);
  free(stack);
  return status;
}
