/* How trajectories start, and whether the long run depends on the start. */
#include <stdlib.h>

#include "ff_pbn_program.h"

static int can_flip(const ff_pbn *pbn, uint32_t node) { return pbn->perturbed[node] && pbn->perturbation > 0; }

/* Settles nodes whose parents are all settled, one after the other, as in Kahn's topological sorting. `waits` counts the
 * parents of each node that are not settled, once per arrow. From at[node] on, `children` lists the nodes that wait for a
 * node. Returns the number of nodes that cannot be settled. */
static uint32_t settle(const ff_pbn *pbn, const uint8_t *settled, uint32_t open, uint32_t *waits, uint32_t *at,
                       uint32_t *children, uint32_t *queue) {
  uint32_t n = pbn->n_nodes, n_queue = 0;
  for (int fill = 0; fill < 2; fill++) { /* first counts the nodes that wait for each node, then lists them */
    for (uint32_t i = 0; i < n; i++)
      for (uint32_t f = pbn->first[i]; !settled[i] && f < pbn->first[i + 1]; f++)
        for (uint32_t j = 0; j < pbn->predictors[f].n_parents; j++) {
          uint32_t parent = pbn->predictors[f].parents[j];
          if (settled[parent]) continue;
          if (fill) {
            children[--at[parent]] = i;
          } else {
            at[parent]++;
            waits[i]++;
          }
        }
    for (uint32_t i = 1; i <= n && !fill; i++) at[i] += at[i - 1]; /* ends of the lists, until these are filled */
  }
  for (uint32_t i = 0; i < n; i++)
    if (!settled[i] && waits[i] == 0) queue[n_queue++] = i;
  for (uint32_t done = 0; done < n_queue; done++) {
    uint32_t node = queue[done], end = at[node + 1];
    for (uint32_t k = at[node]; k < end; k++)
      if (--waits[children[k]] == 0) queue[n_queue++] = children[k];
  }
  return open - n_queue;
}

ff_status ff_start_classify(ff_pbn_program *program, const ff_pbn *pbn, ff_error *err) {
  uint32_t n = pbn->n_nodes, open = 0;
  uint64_t arrows = 0;
  program->held = ff_calloc(n, 1);
  uint8_t *settled = ff_calloc(n, 1);
  ff_status status = program->held != NULL && settled != NULL ? ff_pbn_held(program->held, pbn, err) : FF_EMEMORY;
  for (uint32_t i = 0; i < n && status == FF_OK; i++) {
    settled[i] = program->held[i] >= 0 || can_flip(pbn, i);
    open += !settled[i];
    for (uint32_t f = pbn->first[i]; !settled[i] && f < pbn->first[i + 1]; f++) arrows += pbn->predictors[f].n_parents;
  }
  uint32_t *waits = NULL, *at = NULL, *children = NULL, *queue = NULL;
  if (status == FF_OK && open > 0) {
    waits = ff_calloc(n, sizeof *waits);
    at = ff_calloc((size_t)n + 1, sizeof *at);
    children = ff_calloc((size_t)arrows, sizeof *children);
    queue = ff_calloc(n, sizeof *queue);
    if (waits == NULL || at == NULL || children == NULL || queue == NULL || arrows > UINT32_MAX)
      status = FF_EMEMORY;
    else
      open = settle(pbn, settled, open, waits, at, children, queue);
  }
  program->forgets = open == 0;
  free(settled);
  free(waits);
  free(at);
  free(children);
  free(queue);
  return status == FF_OK ? FF_OK : ff_error_set(err, status, "no memory for the starts of %u nodes", n);
}

void ff_pbn_program_spread(ff_pbn_program *program) {
  if (!program->forgets) return;
  for (uint32_t i = 0; i < program->n_nodes; i++)
    if (program->held[i] < 0 && program->initial[i] <= 1) program->initial[i] = (int8_t)(program->initial[i] + FF_START_SPREAD);
}
