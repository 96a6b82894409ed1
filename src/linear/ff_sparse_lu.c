/* Rows and columns are permuted alike. The factors are stored row by row in the permuted order: L, whose diagonal is 1, before
 * the diagonal, U from there on. */
#include "ff_sparse_lu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE SIZE_MAX

struct ff_sparse_lu {
  uint32_t n;
  uint32_t *order;            /* order[i]: the row that is at place i */
  size_t *first, *diagonal;   /* of the entries of a row; n + 1 and n of them */
  uint32_t *column;           /* for each entry: the place of its column, ascending in a row, */
  size_t *source;             /* and where it is in the matrix, or NONE */
  size_t n_columns, n_sources; /* what `column` and `source` have room for */
  double *value, *inverse;    /* entries; 1 / pivot */
  double *row;                /* a row while it is eliminated; the right side while it is solved for */
};

/* ---- order -------------------------------------------------------------------------------------------------------------- */

/* The graph of the matrix: for each row those that it has an entry in common with. Eliminating a row joins all its neighbours. */
typedef struct {
  uint32_t **list;
  size_t *length, *room;
  uint32_t *mark, stamp;
  uint8_t *gone;
} graph;

static void free_graph(graph *g, uint32_t n) {
  for (uint32_t i = 0; g->list != NULL && i < n; i++) free(g->list[i]);
  free(g->list);
  free(g->length);
  free(g->room);
  free(g->mark);
  free(g->gone);
}

static ff_status add(graph *g, uint32_t at, uint32_t other, ff_error *err) {
  ff_status status = ff_grow((void **)&g->list[at], &g->room[at], g->length[at] + 1, sizeof **g->list, err);
  if (status == FF_OK) g->list[at][g->length[at]++] = other;
  return status;
}

static ff_status make_graph(graph *g, uint32_t n, const size_t *first, const uint32_t *row, ff_error *err) {
  g->list = ff_calloc(n, sizeof *g->list);
  g->length = ff_calloc(n, sizeof *g->length);
  g->room = ff_calloc(n, sizeof *g->room);
  g->mark = ff_calloc(n, sizeof *g->mark);
  g->gone = ff_calloc(n, 1);
  if (g->list == NULL || g->length == NULL || g->room == NULL || g->mark == NULL || g->gone == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for a matrix of order %u", n);
  ff_status status = FF_OK;
  for (uint32_t j = 0; j < n; j++)
    for (size_t p = first[j]; p < first[j + 1] && status == FF_OK; p++) {
      if (row[p] == j) continue;
      status = add(g, j, row[p], err);
      if (status == FF_OK) status = add(g, row[p], j, err);
    }
  for (uint32_t i = 0; i < n && status == FF_OK; i++)
    if (g->length[i] > 0) g->length[i] = ff_sort_unique(g->list[i], g->length[i]);
  return status;
}

/* Replaces row v in the list of its neighbour u by the other neighbours of v. */
static ff_status join(graph *g, uint32_t u, uint32_t v, ff_error *err) {
  size_t kept = 0;
  ff_status status = FF_OK;
  g->mark[u] = ++g->stamp;
  for (size_t i = 0; i < g->length[u]; i++) {
    const uint32_t w = g->list[u][i];
    g->mark[w] = g->stamp;
    if (w != v) g->list[u][kept++] = w;
  }
  g->length[u] = kept;
  for (size_t i = 0; i < g->length[v] && status == FF_OK; i++)
    if (g->mark[g->list[v][i]] != g->stamp) status = add(g, u, g->list[v][i], err);
  return status;
}

/* Eliminates the row that has the fewest neighbours, again and again. */
static ff_status find_order(graph *g, uint32_t n, uint32_t *order, ff_error *err) {
  ff_status status = FF_OK;
  for (uint32_t k = 0; k < n && status == FF_OK; k++) {
    uint32_t v = n;
    for (uint32_t i = 0; i < n; i++)
      if (!g->gone[i] && (v == n || g->length[i] < g->length[v])) v = i;
    order[k] = v;
    g->gone[v] = 1;
    for (size_t i = 0; i < g->length[v] && status == FF_OK; i++) status = join(g, g->list[v][i], v, err);
    g->length[v] = 0;
  }
  return status;
}

/* ---- pattern of the factors --------------------------------------------------------------------------------------------- */

/* The matrix row by row. */
typedef struct {
  size_t *first, *source; /* source: where an entry is in the matrix */
  uint32_t *column;
  uint32_t *place;        /* the inverse of the order */
  size_t *at;             /* for a place in the row that is being made: its entry of the matrix, or NONE */
  uint32_t *mark;         /* 1 + the last row that has this place */
} rows;

static void free_rows(rows *r) {
  free(r->first);
  free(r->source);
  free(r->column);
  free(r->place);
  free(r->at);
  free(r->mark);
}

static ff_status make_rows(rows *r, const ff_sparse_lu *lu, const size_t *first, const uint32_t *row, ff_error *err) {
  const uint32_t n = lu->n;
  r->first = ff_calloc((size_t)n + 2, sizeof *r->first);
  r->source = ff_calloc(first[n], sizeof *r->source);
  r->column = ff_calloc(first[n], sizeof *r->column);
  r->place = ff_calloc(n, sizeof *r->place);
  r->at = ff_calloc(n, sizeof *r->at);
  r->mark = ff_calloc(n, sizeof *r->mark);
  if (r->first == NULL || r->source == NULL || r->column == NULL || r->place == NULL || r->at == NULL || r->mark == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for a matrix of %zu entries", first[n]);
  for (uint32_t i = 0; i < n; i++) r->place[lu->order[i]] = i;
  for (size_t p = 0; p < first[n]; p++) r->first[row[p] + 2]++;
  for (uint32_t i = 0; i < n; i++) r->first[i + 2] += r->first[i + 1];
  for (uint32_t j = 0; j < n; j++)
    for (size_t p = first[j]; p < first[j + 1]; p++) {
      const size_t to = r->first[row[p] + 1]++;
      r->column[to] = j;
      r->source[to] = p;
    }
  return FF_OK;
}

/* Row i of the factors has the entries of the matrix, the diagonal, and those that rows before it add. */
static ff_status add_row(ff_sparse_lu *lu, rows *r, uint32_t i, ff_error *err) {
  const uint32_t whole = lu->order[i];
  size_t n = lu->first[i];
  r->mark[i] = i + 1;
  r->at[i] = NONE;
  for (size_t p = r->first[whole]; p < r->first[whole + 1]; p++) {
    const uint32_t k = r->place[r->column[p]];
    r->mark[k] = i + 1;
    r->at[k] = r->source[p];
  }
  for (uint32_t k = 0; k < lu->n; k++) {
    if (r->mark[k] != i + 1) continue;
    ff_status status = ff_grow((void **)&lu->column, &lu->n_columns, n + 1, sizeof *lu->column, err);
    if (status == FF_OK) status = ff_grow((void **)&lu->source, &lu->n_sources, n + 1, sizeof *lu->source, err);
    if (status != FF_OK) return status;
    if (k == i) lu->diagonal[i] = n;
    lu->column[n] = k;
    lu->source[n++] = r->at[k];
    for (size_t p = lu->diagonal[k] + 1; k < i && p < lu->first[k + 1]; p++) {
      const uint32_t filled = lu->column[p];
      if (r->mark[filled] != i + 1) r->at[filled] = NONE;
      r->mark[filled] = i + 1;
    }
  }
  lu->first[i + 1] = n;
  return FF_OK;
}

static ff_status fill(ff_sparse_lu *lu, const size_t *first, const uint32_t *row, ff_error *err) {
  graph g = {.stamp = 0};
  rows r = {.first = NULL};
  ff_status status = make_graph(&g, lu->n, first, row, err);
  if (status == FF_OK) status = find_order(&g, lu->n, lu->order, err);
  free_graph(&g, lu->n);
  if (status == FF_OK) status = make_rows(&r, lu, first, row, err);
  for (uint32_t i = 0; i < lu->n && status == FF_OK; i++) status = add_row(lu, &r, i, err);
  free_rows(&r);
  if (status != FF_OK) return status;
  lu->value = ff_calloc(lu->first[lu->n], sizeof *lu->value);
  if (lu->value == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %zu factors", lu->first[lu->n]);
  return FF_OK;
}

ff_status ff_sparse_lu_new(ff_sparse_lu **out, uint32_t n, const size_t *first, const uint32_t *row, ff_error *err) {
  *out = NULL;
  ff_sparse_lu *lu = ff_calloc(1, sizeof *lu);
  if (lu == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a matrix");
  lu->n = n;
  lu->order = ff_calloc(n, sizeof *lu->order);
  lu->first = ff_calloc((size_t)n + 1, sizeof *lu->first);
  lu->diagonal = ff_calloc(n, sizeof *lu->diagonal);
  lu->inverse = ff_calloc(n, sizeof *lu->inverse);
  lu->row = ff_calloc(n, sizeof *lu->row);
  ff_status status = FF_OK;
  if (lu->order == NULL || lu->first == NULL || lu->diagonal == NULL || lu->inverse == NULL || lu->row == NULL)
    status = ff_error_set(err, FF_EMEMORY, "no memory for a matrix of order %u", n);
  if (status == FF_OK) status = fill(lu, first, row, err);
  if (status == FF_OK)
    *out = lu;
  else
    ff_sparse_lu_free(lu);
  return status;
}

void ff_sparse_lu_free(ff_sparse_lu *lu) {
  if (lu == NULL) return;
  free(lu->order);
  free(lu->first);
  free(lu->diagonal);
  free(lu->column);
  free(lu->source);
  free(lu->value);
  free(lu->inverse);
  free(lu->row);
  free(lu);
}

size_t ff_sparse_lu_entries(const ff_sparse_lu *lu) { return lu->first[lu->n]; }

/* ---- numbers ------------------------------------------------------------------------------------------------------------ */

int ff_sparse_lu_factor(ff_sparse_lu *lu, const double *a, double shift) {
  double *row = lu->row;
  for (uint32_t i = 0; i < lu->n; i++) {
    const size_t begin = lu->first[i], middle = lu->diagonal[i], end = lu->first[i + 1];
    for (size_t p = begin; p < end; p++) row[lu->column[p]] = lu->source[p] == NONE ? 0 : a[lu->source[p]];
    row[i] += shift;
    for (size_t p = begin; p < middle; p++) {
      const uint32_t k = lu->column[p];
      const double factor = row[k] * lu->inverse[k];
      lu->value[p] = factor;
      for (size_t q = lu->diagonal[k] + 1; q < lu->first[k + 1]; q++) row[lu->column[q]] -= factor * lu->value[q];
    }
    for (size_t p = middle; p < end; p++) lu->value[p] = row[lu->column[p]];
    if (!(fabs(row[i]) > 0 && fabs(row[i]) < INFINITY)) return 0;
    lu->inverse[i] = 1 / row[i];
  }
  return 1;
}

void ff_sparse_lu_solve(ff_sparse_lu *lu, double *y) {
  double *x = lu->row;
  for (uint32_t i = 0; i < lu->n; i++) {
    double sum = y[lu->order[i]];
    for (size_t p = lu->first[i]; p < lu->diagonal[i]; p++) sum -= lu->value[p] * x[lu->column[p]];
    x[i] = sum;
  }
  for (uint32_t i = lu->n; i-- > 0;) {
    double sum = x[i];
    for (size_t p = lu->diagonal[i] + 1; p < lu->first[i + 1]; p++) sum -= lu->value[p] * x[lu->column[p]];
    x[i] = sum * lu->inverse[i];
    y[lu->order[i]] = x[i];
  }
}
