/* The order by minimum degree, on the graph of the matrix, and the pattern of the factors, row by row. */
#include "ff_sparse_order.h"

#include <stdlib.h>
#include <string.h>

#define FEW 8 /* so many times longer must a list be than what is added, so that numbers are searched in it one by one */

/* ---- order -------------------------------------------------------------------------------------------------------------- */

/* The graph of the matrix: for each row those that it has an entry in common with, ascending. Eliminating a row joins all its
 * neighbours. Rows that are gone stay in the lists for a while: a list with many neighbours is not read for each of them. */
typedef struct {
  uint32_t **list;
  size_t *length, *room;
  uint32_t *degree; /* how many of the list are not gone */
  uint32_t *more;   /* rows that are new in a list */
  uint8_t *gone;
  uint8_t *joined;  /* whether all neighbours of a row are neighbours of each other, as far as is known */
  /* A heap of the rows that are not gone: at its top is the first one of those that have the least degree. */
  uint32_t *heap, *place, in_heap;
} graph;

static void free_graph(graph *g, uint32_t n) {
  for (uint32_t i = 0; g->list != NULL && i < n; i++) free(g->list[i]);
  free(g->list);
  free(g->length);
  free(g->room);
  free(g->degree);
  free(g->more);
  free(g->gone);
  free(g->joined);
  free(g->heap);
  free(g->place);
}

static ff_status allocate_graph(graph *g, uint32_t n, ff_error *err) {
  g->list = ff_calloc(n, sizeof *g->list);
  g->length = ff_calloc(n, sizeof *g->length);
  g->room = ff_calloc(n, sizeof *g->room);
  g->degree = ff_calloc(n, sizeof *g->degree);
  g->more = ff_calloc(n, sizeof *g->more);
  g->gone = ff_calloc(n, sizeof *g->gone);
  g->joined = ff_calloc(n, sizeof *g->joined);
  g->heap = ff_calloc(n, sizeof *g->heap);
  g->place = ff_calloc(n, sizeof *g->place);
  if (g->list != NULL && g->length != NULL && g->room != NULL && g->degree != NULL && g->more != NULL && g->gone != NULL &&
      g->joined != NULL && g->heap != NULL && g->place != NULL)
    return FF_OK;
  return ff_error_set(err, FF_EMEMORY, "no memory for a matrix of order %u", n);
}

static ff_status add(graph *g, uint32_t at, uint32_t other, ff_error *err) {
  ff_status status = ff_grow((void **)&g->list[at], &g->room[at], g->length[at] + 1, sizeof **g->list, err);
  if (status == FF_OK) g->list[at][g->length[at]++] = other;
  return status;
}

static ff_status make_graph(graph *g, uint32_t n, const size_t *first, const uint32_t *row, ff_error *err) {
  ff_status status = allocate_graph(g, n, err);
  for (uint32_t j = 0; j < n && status == FF_OK; j++)
    for (size_t p = first[j]; p < first[j + 1] && status == FF_OK; p++) {
      if (row[p] == j) continue;
      status = add(g, j, row[p], err);
      if (status == FF_OK) status = add(g, row[p], j, err);
    }
  for (uint32_t i = 0; i < n && status == FF_OK; i++) {
    if (g->length[i] > 0) g->length[i] = ff_sort_unique(g->list[i], g->length[i]);
    g->degree[i] = (uint32_t)g->length[i];
  }
  return status;
}

static int is_before(const graph *g, uint32_t a, uint32_t b) {
  return g->degree[a] < g->degree[b] || (g->degree[a] == g->degree[b] && a < b);
}

static void put(graph *g, uint32_t at, uint32_t row) {
  g->heap[at] = row;
  g->place[row] = at;
}

/* Moves a row whose degree may have changed to its place in the heap. */
static void settle(graph *g, uint32_t row) {
  uint32_t at = g->place[row];
  for (; at > 0 && is_before(g, row, g->heap[(at - 1) / 2]); at = (at - 1) / 2) put(g, at, g->heap[(at - 1) / 2]);
  for (uint32_t next = 2 * at + 1; next < g->in_heap; next = 2 * at + 1) {
    if (next + 1 < g->in_heap && is_before(g, g->heap[next + 1], g->heap[next])) next++;
    if (!is_before(g, g->heap[next], row)) break;
    put(g, at, g->heap[next]);
    at = next;
  }
  put(g, at, row);
}

static uint32_t take_first(graph *g) {
  const uint32_t row = g->heap[0];
  if (--g->in_heap > 0) {
    put(g, 0, g->heap[g->in_heap]);
    settle(g, g->heap[0]);
  }
  return row;
}

static void forget_gone(graph *g, uint32_t u) {
  size_t kept = 0;
  for (size_t i = 0; i < g->length[u]; i++)
    if (!g->gone[g->list[u][i]]) g->list[u][kept++] = g->list[u][i];
  g->length[u] = kept;
}

/* The first place in a list, from `low` on, whose number is not below x. */
static size_t find(const uint32_t *list, size_t low, size_t high, uint32_t x) {
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (list[middle] < x)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Sets `more` to the neighbours of v that are not u, nor neighbours of u. Returns their number. */
static size_t list_new(graph *g, uint32_t u, uint32_t v) {
  const uint32_t *list = g->list[u];
  const size_t length = g->length[u];
  const int few = length / FEW > g->length[v];
  size_t n = 0, at = 0;
  for (size_t i = 0; i < g->length[v]; i++) {
    const uint32_t w = g->list[v][i];
    if (few) at = find(list, at, length, w);
    while (!few && at < length && list[at] < w) at++;
    if (w != u && !(at < length && list[at] == w)) g->more[n++] = w;
  }
  return n;
}

/* Replaces row v, which is gone, among the neighbours of u by the other neighbours of v. */
static ff_status join(graph *g, uint32_t u, uint32_t v, ff_error *err) {
  size_t more = g->joined[v] ? 0 : list_new(g, u, v);
  g->degree[u] += (uint32_t)more - 1;
  if (!g->joined[v]) g->joined[u] = g->degree[u] + 1 == g->length[v]; /* the neighbours of v alone, which are joined now */
  settle(g, u);
  if (g->length[u] + more > 2 * (size_t)g->degree[u]) forget_gone(g, u);
  if (more == 0) return FF_OK;
  size_t old = g->length[u], end = old + more;
  ff_status status = ff_grow((void **)&g->list[u], &g->room[u], end, sizeof **g->list, err);
  if (status != FF_OK) return status;
  g->length[u] = end;
  for (uint32_t *list = g->list[u]; more > 0;) {
    const int is_old = old > 0 && list[old - 1] > g->more[more - 1];
    list[--end] = is_old ? list[--old] : g->more[--more];
  }
  return FF_OK;
}

static ff_status find_order(graph *g, uint32_t n, uint32_t *order, ff_error *err) {
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < n; i++) {
    put(g, g->in_heap++, i);
    settle(g, i);
  }
  for (uint32_t k = 0; k < n && status == FF_OK; k++) {
    const uint32_t v = order[k] = take_first(g);
    g->gone[v] = 1;
    forget_gone(g, v);
    for (size_t i = 0; i < g->length[v] && status == FF_OK; i++) status = join(g, g->list[v][i], v, err);
    free(g->list[v]);
    g->list[v] = NULL;
    g->length[v] = g->room[v] = 0;
  }
  return status;
}

/* ---- pattern of the factors --------------------------------------------------------------------------------------------- */

/* The matrix row by row. */
typedef struct {
  size_t *first, *source; /* source: where an entry is in the matrix */
  uint32_t *column;
  uint32_t *place;        /* the inverse of the order */
  size_t *at;             /* for a place in the row that is being made: its entry of the matrix, or FF_SPARSE_NONE */
  uint32_t *mark;         /* 1 + the last row that has this place */
  /* For a row of U, the end of the entries that must be looked at; 0: all. If it has an entry in column k, and row k of L one in
   * its column, row k has all that come later (Eisenstat and Liu 1992). */
  size_t *end;
  uint64_t *bits;         /* for sorting */
  size_t n_columns, n_sources; /* what `column` and `source` of the order have room for */
} rows;

static void free_rows(rows *r) {
  free(r->first);
  free(r->source);
  free(r->column);
  free(r->place);
  free(r->at);
  free(r->mark);
  free(r->end);
  free(r->bits);
}

static ff_status make_rows(rows *r, const ff_sparse_order *o, const size_t *first, const uint32_t *row, ff_error *err) {
  const uint32_t n = o->n;
  r->first = ff_calloc((size_t)n + 2, sizeof *r->first);
  r->source = ff_calloc(first[n], sizeof *r->source);
  r->column = ff_calloc(first[n], sizeof *r->column);
  r->place = ff_calloc(n, sizeof *r->place);
  r->at = ff_calloc(n, sizeof *r->at);
  r->mark = ff_calloc(n, sizeof *r->mark);
  r->end = ff_calloc(n, sizeof *r->end);
  r->bits = ff_calloc((size_t)n / 64 + 1, sizeof *r->bits);
  if (r->first == NULL || r->source == NULL || r->column == NULL || r->place == NULL || r->at == NULL || r->mark == NULL ||
      r->end == NULL || r->bits == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for a matrix of %zu entries", first[n]);
  for (uint32_t i = 0; i < n; i++) r->place[o->order[i]] = i;
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

/* Adds column k to row i, whose entries begin at o->first[i] and end at *end, unless it is there. */
static ff_status add_column(ff_sparse_order *o, rows *r, uint32_t i, uint32_t k, size_t *end, ff_error *err) {
  if (r->mark[k] == i + 1) return FF_OK;
  ff_status status = ff_grow((void **)&o->column, &r->n_columns, *end + 1, sizeof *o->column, err);
  if (status != FF_OK) return status;
  r->mark[k] = i + 1;
  r->at[k] = FF_SPARSE_NONE;
  o->column[(*end)++] = k;
  return FF_OK;
}

/* Row i of the factors has the entries of the matrix, the diagonal, and those that rows before it add: each column before the
 * diagonal, also one that was added, brings those of its row of U. */
static ff_status add_row(ff_sparse_order *o, rows *r, uint32_t i, ff_error *err) {
  const uint32_t whole = o->order[i];
  const size_t begin = o->first[i];
  size_t end = begin;
  ff_status status = add_column(o, r, i, i, &end, err);
  for (size_t p = r->first[whole]; p < r->first[whole + 1] && status == FF_OK; p++) {
    const uint32_t k = r->place[r->column[p]];
    status = add_column(o, r, i, k, &end, err);
    r->at[k] = r->source[p];
  }
  for (size_t next = begin; next < end && status == FF_OK; next++) {
    const uint32_t k = o->column[next];
    if (k >= i) continue;
    const size_t stop = r->end[k] > 0 ? r->end[k] : o->first[k + 1];
    for (size_t p = o->diagonal[k] + 1; p < stop && status == FF_OK; p++)
      status = add_column(o, r, i, o->column[p], &end, err);
  }
  if (status == FF_OK) status = ff_grow((void **)&o->source, &r->n_sources, end, sizeof *o->source, err);
  if (status != FF_OK) return status;
  ff_sort_unique_bits(o->column + begin, end - begin, r->bits);
  for (size_t p = begin; p < end; p++) {
    o->source[p] = r->at[o->column[p]];
    if (o->column[p] == i) o->diagonal[i] = p;
  }
  o->first[i + 1] = end;
  for (size_t p = begin; p < o->diagonal[i]; p++) {
    const uint32_t k = o->column[p];
    if (r->end[k] > 0) continue;
    const size_t found = find(o->column, o->diagonal[k] + 1, o->first[k + 1], i);
    if (found < o->first[k + 1] && o->column[found] == i) r->end[k] = found + 1;
  }
  return FF_OK;
}

static ff_status fill(ff_sparse_order *o, const size_t *first, const uint32_t *row, ff_error *err) {
  graph g = {.in_heap = 0};
  rows r = {.first = NULL};
  ff_status status = make_graph(&g, o->n, first, row, err);
  if (status == FF_OK) status = find_order(&g, o->n, o->order, err);
  free_graph(&g, o->n);
  if (status == FF_OK) status = make_rows(&r, o, first, row, err);
  for (uint32_t i = 0; i < o->n && status == FF_OK; i++) status = add_row(o, &r, i, err);
  free_rows(&r);
  if (status != FF_OK) return status;
  o->column = ff_shrink(o->column, o->first[o->n], sizeof *o->column);
  o->source = ff_shrink(o->source, o->first[o->n], sizeof *o->source);
  return FF_OK;
}

ff_status ff_sparse_order_new(ff_sparse_order **out, uint32_t n, const size_t *first, const uint32_t *row, ff_error *err) {
  *out = NULL;
  ff_sparse_order *o = ff_calloc(1, sizeof *o);
  if (o == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a matrix");
  o->n = n;
  o->order = ff_calloc(n, sizeof *o->order);
  o->first = ff_calloc((size_t)n + 1, sizeof *o->first);
  o->diagonal = ff_calloc(n, sizeof *o->diagonal);
  ff_status status = FF_OK;
  if (o->order == NULL || o->first == NULL || o->diagonal == NULL)
    status = ff_error_set(err, FF_EMEMORY, "no memory for a matrix of order %u", n);
  if (status == FF_OK) status = fill(o, first, row, err);
  if (status == FF_OK)
    *out = o;
  else
    ff_sparse_order_free(o);
  return status;
}

void ff_sparse_order_free(ff_sparse_order *order) {
  if (order == NULL) return;
  free(order->order);
  free(order->first);
  free(order->diagonal);
  free(order->column);
  free(order->source);
  free(order);
}
