/* Compiles the packed program: truth tables as 32-bit words, the first word of each in one array and what exceeds it in
 * another (Mizera, Pang, Yuan, section 3.3), nodes in ascending order of their functions (section 3.4). */
#include <stdlib.h>
#include <string.h>

#include "../graph/ff_graph.h"
#include "ff_engine_internal.h"

#define PACKED_INPUTS 12           /* wider predictors stay expressions: 2^12 bits are half a kilobyte */
#define FAST_BYTES (32 * 1024)     /* the split is counted against a first-level cache of this size on every machine */

void ff_packed_free(ff_packed *packed) {
  if (packed->wide != NULL)
    for (uint32_t i = 0; i < packed->n_functions; i++) ff_expr_free(&packed->wide[i]);
  free(packed->order);
  free(packed->first);
  free(packed->parents_at);
  free(packed->parents);
  free(packed->table);
  free(packed->extra_at);
  free(packed->extra);
  free(packed->wide);
  free(packed->cut);
  free(packed->number);
  free(packed->context);
  free(packed->context_cut);
  *packed = (ff_packed){0};
}

/* sum of probabilities as a bound for a 32-bit word; the last alternative takes what is left */
static uint32_t cut_of(double sum, int last) {
  double cut = sum * 4294967296.0 + 0.5;
  return last || cut >= 4294967295.0 ? UINT32_MAX : (uint32_t)cut;
}

static ff_status allocate(ff_packed *q, const ff_pbn *pbn, ff_error *err) {
  uint32_t n = pbn->n_nodes, m = pbn->first[n];
  uint64_t parents = 0, extra = 0;
  for (uint32_t f = 0; f < m; f++) {
    uint32_t k = pbn->predictors[f].n_parents;
    parents += k;
    if (k > 5 && k <= PACKED_INPUTS) extra += (UINT64_C(1) << (k - 5)) - 1;
  }
  if (parents > UINT32_MAX || extra > UINT32_MAX)
    return ff_error_set(err, FF_ESIZE, "%llu words of truth tables are more than a packed program can number",
                        (unsigned long long)(parents > extra ? parents : extra));
  q->order = ff_calloc(n, sizeof *q->order);
  q->first = ff_calloc((size_t)n + 1, sizeof *q->first);
  q->parents_at = ff_calloc((size_t)m + 1, sizeof *q->parents_at);
  q->parents = ff_calloc((size_t)parents, sizeof *q->parents);
  q->table = ff_calloc(m, sizeof *q->table);
  q->extra_at = ff_calloc(m, sizeof *q->extra_at);
  q->extra = ff_calloc((size_t)extra, sizeof *q->extra);
  q->wide = ff_calloc(m, sizeof *q->wide);
  q->cut = ff_calloc(m, sizeof *q->cut);
  q->number = ff_calloc(n, sizeof *q->number);
  q->n_functions = q->wide != NULL ? m : 0;
  if (q->order == NULL || q->first == NULL || q->parents_at == NULL || q->parents == NULL || q->table == NULL ||
      q->extra_at == NULL || q->extra == NULL || q->wide == NULL || q->cut == NULL || q->number == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for a packed program of %u nodes", n);
  return FF_OK;
}

/* One predictor function at place g; *extra counts the words used so far. */
static ff_status place_function(ff_packed *q, uint32_t g, const ff_predictor *f, uint32_t *extra, ff_error *err) {
  q->parents_at[g + 1] = q->parents_at[g] + f->n_parents;
  q->extra_at[g] = *extra;
  if (f->n_parents > 0) memcpy(q->parents + q->parents_at[g], f->parents, f->n_parents * sizeof *f->parents);
  if (f->n_parents > PACKED_INPUTS) {
    if (f->expr.depth > q->depth) q->depth = f->expr.depth;
    return ff_expr_copy(&q->wide[g], &f->expr, err);
  }
  uint32_t *table = NULL;
  ff_status status = ff_expr_table(&f->expr, f->parents, f->n_parents, &table, err);
  if (status != FF_OK) return status;
  q->table[g] = table[0];
  if (f->n_parents > 5) {
    uint32_t words = (1u << (f->n_parents - 5)) - 1;
    memcpy(q->extra + *extra, table + 1, words * sizeof *table);
    *extra += words;
  }
  free(table);
  return FF_OK;
}

static ff_status place_contexts(ff_packed *q, const ff_pbn *pbn, ff_error *err) {
  uint32_t n = pbn->n_nodes;
  q->n_contexts = pbn->n_contexts;
  if (q->n_contexts == 0) return FF_OK;
  q->context = ff_calloc((size_t)n * q->n_contexts, sizeof *q->context);
  q->context_cut = ff_calloc(q->n_contexts, sizeof *q->context_cut);
  if (q->context == NULL || q->context_cut == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for %u contexts", q->n_contexts);
  double sum = 0;
  for (uint32_t c = 0; c < q->n_contexts; c++) {
    sum += pbn->context_probability[c];
    q->context_cut[c] = cut_of(sum, c + 1 == q->n_contexts);
    for (uint32_t place = 0; place < n; place++)
      q->context[(size_t)c * n + place] = q->first[place] + pbn->context[(size_t)c * n + q->order[place]];
  }
  return FF_OK;
}

ff_status ff_packed_compile(ff_program *program, const ff_pbn *pbn, ff_error *err) {
  ff_packed *q = &program->packed;
  ff_status status = allocate(q, pbn, err);
  if (status != FF_OK) return status;
  uint32_t n = pbn->n_nodes, split, g = 0, extra = 0, numbers = 0;
  q->words = (uint32_t)(((uint64_t)n + 31) / 32);
  status = ff_graph_order(q->order, &split, pbn, FAST_BYTES, err);
  for (uint32_t place = 0; place < n && status == FF_OK; place++) {
    uint32_t node = q->order[place], first = pbn->first[node], last = pbn->first[node + 1];
    double sum = 0;
    q->number[place] = last - first > 1 ? numbers++ : 0;
    for (uint32_t f = first; f < last && status == FF_OK; f++, g++) {
      sum += pbn->predictors[f].probability;
      q->cut[g] = cut_of(sum, f + 1 == last);
      status = place_function(q, g, &pbn->predictors[f], &extra, err);
    }
    q->first[place + 1] = g;
  }
  if (status == FF_OK) status = place_contexts(q, pbn, err);
  for (uint32_t i = 0; i < program->n_terms; i++)
    if (program->terms[i].depth > q->depth) q->depth = program->terms[i].depth;
  program->bytes += (size_t)n * 12 + (size_t)g * 20 + (size_t)q->parents_at[g] * 4 + (size_t)extra * 4 +
                    (size_t)q->n_contexts * n * 4;
  return status;
}
