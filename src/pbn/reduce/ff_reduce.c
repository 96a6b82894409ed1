#include "ff_reduce.h"

#include <stdlib.h>
#include <string.h>

/* O(nodes + a log a) for a arrows: only the parents of one node are sorted at a time. */
ff_status ff_pbn_arrows(uint32_t **from, uint32_t **to, size_t *n_arrows, const ff_pbn *pbn, ff_error *err) {
  *from = *to = NULL;
  *n_arrows = 0;
  size_t most = 0;
  for (uint32_t j = 0; j < pbn->first[pbn->n_nodes]; j++) most += pbn->predictors[j].n_parents;
  uint32_t *tails = ff_calloc(most, sizeof *tails), *heads = ff_calloc(most, sizeof *heads);
  if (!tails || !heads) {
    free(tails);
    free(heads);
    return ff_error_set(err, FF_EMEMORY, "no memory for %zu arrows of the dependency graph", most);
  }
  size_t n = 0;
  for (uint32_t i = 0; i < pbn->n_nodes; i++) {
    const size_t start = n;
    for (uint32_t j = pbn->first[i]; j < pbn->first[i + 1]; j++) {
      const ff_predictor *f = &pbn->predictors[j];
      if (f->n_parents) memcpy(tails + n, f->parents, f->n_parents * sizeof *tails);
      n += f->n_parents;
    }
    n = start + ff_sort_unique(tails + start, n - start);
    for (size_t k = start; k < n; k++) heads[k] = i;
  }
  *from = tails;
  *to = heads;
  *n_arrows = n;
  return FF_OK;
}

/* The components to keep are those of the ancestors of the nodes of interest. A search from children to parents finds them. */
ff_status ff_pbn_keep(uint8_t *keep, const ff_pbn *pbn, const uint32_t *of_interest, uint32_t n, ff_error *err) {
  uint32_t *pending = ff_calloc(pbn->n_nodes, sizeof *pending), n_pending = 0;
  if (!pending) return ff_error_set(err, FF_EMEMORY, "no memory to reduce %u nodes", pbn->n_nodes);
  memset(keep, 0, pbn->n_nodes);
  for (uint32_t k = 0; k < n; k++) {
    if (of_interest[k] >= pbn->n_nodes) {
      free(pending);
      return ff_error_set(err, FF_EARGUMENT, "node %u of interest is not among the %u nodes", of_interest[k],
                          pbn->n_nodes);
    }
    if (keep[of_interest[k]]) continue;
    keep[of_interest[k]] = 1;
    pending[n_pending++] = of_interest[k];
  }
  while (n_pending) {
    uint32_t child = pending[--n_pending];
    for (uint32_t j = pbn->first[child]; j < pbn->first[child + 1]; j++) {
      const ff_predictor *f = &pbn->predictors[j];
      for (uint32_t k = 0; k < f->n_parents; k++) {
        if (keep[f->parents[k]]) continue;
        keep[f->parents[k]] = 1;
        pending[n_pending++] = f->parents[k];
      }
    }
  }
  free(pending);
  return FF_OK;
}

static ff_status copy_node(ff_pbn *to, uint32_t at, const ff_pbn *from, uint32_t node, const int64_t *map,
                           ff_error *err) {
  to->names[at] = ff_strndup(from->names[node], strlen(from->names[node]));
  if (!to->names[at]) return ff_error_set(err, FF_EMEMORY, "no memory for the reduced network");
  to->perturbed[at] = from->perturbed[node];
  to->initial[at] = from->initial[node];
  uint32_t first = to->first[at];
  for (uint32_t j = 0; j < to->first[at + 1] - first; j++) {
    const ff_predictor *old = &from->predictors[from->first[node] + j];
    for (uint32_t k = 0; k < old->n_parents; k++)
      if (map[old->parents[k]] < 0)
        return ff_error_set(err, FF_EMODEL, "node \"%s\" is kept, but its parent \"%s\" is not", from->names[node],
                            from->names[old->parents[k]]);
    ff_status status = ff_expr_remap(&to->predictors[first + j].expr, &old->expr, map, err);
    if (status != FF_OK) return status;
    to->predictors[first + j].probability = old->probability;
  }
  return FF_OK;
}

static ff_status copy_contexts(ff_pbn *to, const ff_pbn *from, const uint32_t *kept, ff_error *err) {
  uint32_t m = from->n_contexts;
  if (!m) return FF_OK;
  ff_status status = ff_pbn_new_contexts(to, m, err);
  if (status != FF_OK) return status;
  memcpy(to->context_probability, from->context_probability, m * sizeof *to->context_probability);
  for (uint32_t c = 0; c < m; c++)
    for (uint32_t i = 0; i < to->n_nodes; i++)
      to->context[(size_t)c * to->n_nodes + i] = from->context[(size_t)c * from->n_nodes + kept[i]];
  return FF_OK;
}

ff_status ff_pbn_reduce(ff_pbn **out, uint32_t *kept, const ff_pbn *pbn, const uint8_t *keep, ff_error *err) {
  *out = NULL;
  uint32_t n = 0, removed_perturbed = 0;
  for (uint32_t i = 0; i < pbn->n_nodes; i++) {
    n += keep[i] != 0;
    removed_perturbed += !keep[i] && pbn->perturbed[i];
  }
  if (n == 0) return ff_error_set(err, FF_EARGUMENT, "a reduction must keep at least one node");
  int64_t *map = ff_calloc(pbn->n_nodes, sizeof *map);
  uint32_t *old = ff_calloc(n, sizeof *old);
  ff_pbn *small = NULL;
  ff_status status = !map || !old ? ff_error_set(err, FF_EMEMORY, "no memory for the reduced network")
                                  : ff_pbn_new(&small, n, err);
  if (status == FF_OK) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < pbn->n_nodes; i++) {
      map[i] = keep[i] ? (int64_t)at : -1;
      if (!keep[i]) continue;
      old[at++] = i;
      small->first[at] = small->first[at - 1] + (pbn->first[i + 1] - pbn->first[i]);
    }
    status = ff_pbn_new_predictors(small, err);
    small->perturbation = pbn->perturbation;
    small->update = pbn->update;
    small->removed_nodes = pbn->removed_nodes + (pbn->n_nodes - n);
    small->removed_perturbed = pbn->removed_perturbed + removed_perturbed;
  }
  for (uint32_t k = 0; k < n && status == FF_OK; k++) status = copy_node(small, k, pbn, old[k], map, err);
  if (status == FF_OK) status = copy_contexts(small, pbn, old, err);
  if (status == FF_OK) status = ff_pbn_finish(small, 0, err);
  if (status == FF_OK && kept) memcpy(kept, old, n * sizeof *kept);
  free(map);
  free(old);
  if (status != FF_OK)
    ff_pbn_free(small);
  else
    *out = small;
  return status;
}

typedef struct {
  uint32_t functions, node;
  size_t bytes;
} load;

static int lighter(const void *a, const void *b) {
  const load *x = a, *y = b;
  if (x->functions != y->functions) return x->functions < y->functions ? -1 : 1;
  if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

/* The size of a function's table and its parents. For an expression that has no table, its code counts. */
static size_t function_bytes(const ff_predictor *f) {
  size_t table = f->n_parents > FF_X_MAX_TABLE ? f->expr.length
                 : f->n_parents < 6            ? 1
                                               : (size_t)1 << (f->n_parents - 5);
  return (table + f->n_parents) * sizeof(uint32_t);
}

ff_status ff_pbn_order(uint32_t *order, uint32_t *split, const ff_pbn *pbn, size_t fast_bytes, ff_error *err) {
  load *loads = ff_calloc(pbn->n_nodes, sizeof *loads);
  if (!loads) return ff_error_set(err, FF_EMEMORY, "no memory to sort %u nodes", pbn->n_nodes);
  for (uint32_t i = 0; i < pbn->n_nodes; i++) {
    loads[i].node = i;
    loads[i].functions = pbn->first[i + 1] - pbn->first[i];
    for (uint32_t j = pbn->first[i]; j < pbn->first[i + 1]; j++)
      loads[i].bytes += function_bytes(&pbn->predictors[j]);
  }
  qsort(loads, pbn->n_nodes, sizeof *loads, lighter);
  size_t room = fast_bytes;
  uint32_t fits = 0;
  int full = 0;
  for (uint32_t k = 0; k < pbn->n_nodes; k++) {
    order[k] = loads[k].node;
    full |= loads[k].bytes > room;
    if (full) continue;
    room -= loads[k].bytes;
    fits++;
  }
  *split = fits;
  free(loads);
  return FF_OK;
}
