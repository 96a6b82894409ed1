/* Derivatives by a callback or by differences. */
#include "ff_ode_jacobian_internal.h"

#include <stdlib.h>
#include <string.h>

void ff_ode_jacobian_free(ff_ode_jacobian *j) {
  if (j == NULL) return;
  free(j->entry);
  free(j->own_first);
  free(j->own_row);
  free(j->group);
  free(j->memory);
  free(j);
}

static ff_status use_all_entries(ff_ode_jacobian *j, ff_error *err) {
  const size_t n = j->pattern.n;
  j->own_first = ff_calloc(n + 1, sizeof *j->own_first);
  j->own_row = n < SIZE_MAX / (n + 1) ? ff_calloc(n * n, sizeof *j->own_row) : NULL;
  if (j->own_first == NULL || j->own_row == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a matrix of order %zu", n);
  for (size_t p = 0; p < n * n; p++) j->own_row[p] = (uint32_t)(p % n);
  for (size_t c = 0; c <= n; c++) j->own_first[c] = c * n;
  j->pattern.first = j->own_first;
  j->pattern.row = j->own_row;
  return FF_OK;
}

/* The columns of each row. */
typedef struct {
  size_t *first;
  uint32_t *column, *used; /* used: for each group, 1 + the last column that cannot be in it */
} by_rows;

static void list_columns(const ff_ode_pattern *j, by_rows *rows) {
  const uint32_t n = j->n;
  for (size_t p = 0; p < j->first[n]; p++) rows->first[j->row[p] + 2]++;
  for (uint32_t i = 0; i < n; i++) rows->first[i + 2] += rows->first[i + 1];
  for (uint32_t c = 0; c < n; c++)
    for (size_t p = j->first[c]; p < j->first[c + 1]; p++) rows->column[rows->first[j->row[p] + 1]++] = c;
}

/* Puts each column into the first group that is possible (Curtis, Powell and Reid 1974). Returns the number of groups. */
static uint32_t choose_groups(const ff_ode_pattern *j, const by_rows *rows, uint32_t *group) {
  uint32_t n = 0;
  for (uint32_t c = 0; c < j->n; c++) {
    for (size_t p = j->first[c]; p < j->first[c + 1]; p++)
      for (size_t q = rows->first[j->row[p]]; q < rows->first[j->row[p] + 1]; q++)
        if (rows->column[q] < c) rows->used[group[rows->column[q]]] = c + 1;
    uint32_t g = 0;
    while (rows->used[g] == c + 1) g++;
    group[c] = g;
    if (g >= n) n = g + 1;
  }
  return n;
}

ff_status ff_ode_group_columns(uint32_t *group, uint32_t *n_groups, uint32_t n, const size_t *first, const uint32_t *row,
                               ff_error *err) {
  const ff_ode_pattern pattern = {n, first, row};
  by_rows rows = {ff_calloc((size_t)n + 2, sizeof *rows.first), ff_calloc(first[n], sizeof *rows.column),
                  ff_calloc(n, sizeof *rows.used)};
  const int fine = rows.first != NULL && rows.column != NULL && rows.used != NULL;
  if (fine) {
    list_columns(&pattern, &rows);
    *n_groups = choose_groups(&pattern, &rows, group);
  }
  free(rows.first);
  free(rows.column);
  free(rows.used);
  return fine ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for derivatives of %u components", n);
}

static ff_status group_columns(ff_ode_jacobian *j, ff_error *err) {
  j->group = ff_calloc(j->pattern.n, sizeof *j->group);
  if (j->group == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for derivatives of %u components", j->pattern.n);
  return ff_ode_group_columns(j->group, &j->n_groups, j->pattern.n, j->pattern.first, j->pattern.row, err);
}

ff_status ff_ode_jacobian_new(ff_ode_jacobian **out, const ff_ode_equations *equations, ff_error *err) {
  const size_t n = equations->n;
  *out = NULL;
  ff_ode_jacobian *j = ff_calloc(1, sizeof *j);
  if (j != NULL) j->memory = ff_calloc(2 * n, sizeof *j->memory);
  ff_status status = FF_OK;
  if (j == NULL || j->memory == NULL) {
    ff_ode_jacobian_free(j);
    return ff_error_set(err, FF_EMEMORY, "no memory for derivatives of %zu components", n);
  }
  j->at = j->memory;
  j->slope = j->memory + n;
  j->pattern = (ff_ode_pattern){equations->n, equations->first, equations->row};
  if (j->pattern.first == NULL) status = use_all_entries(j, err);
  if (status == FF_OK) {
    j->entry = ff_calloc(j->pattern.first[n], sizeof *j->entry);
    if (j->entry == NULL) status = ff_error_set(err, FF_EMEMORY, "no memory for %zu derivatives", j->pattern.first[n]);
  }
  if (status == FF_OK && equations->jacobian == NULL) status = group_columns(j, err);
  if (status == FF_OK)
    *out = j;
  else
    ff_ode_jacobian_free(j);
  return status;
}

/* f at the time t and at j->at. Returns whether it exists. */
static int call(ff_ode_jacobian *j, ff_ode *o, double t) {
  o->calls++;
  return o->equations.slope(o->equations.of, t, j->at, j->slope);
}

/* The columns of a group. A component is enlarged; if f does not exist there, it is made less. */
static int differentiate_group(ff_ode_jacobian *j, ff_ode *o, uint32_t g) {
  const uint32_t n = j->pattern.n;
  for (int sign = 1; sign >= -1; sign -= 2) {
    for (uint32_t c = 0; c < n; c++)
      j->at[c] = j->group[c] == g ? ff_ode_shifted(o->start[c], ff_ode_size(o, c), sign) : o->start[c];
    if (!call(j, o, o->span.from)) continue;
    ff_ode_differences(&j->pattern, j->group, g, o->start, o->slope[0], j->at, j->slope, j->entry);
    return 1;
  }
  return 0;
}

static int differentiate_time(ff_ode_jacobian *j, ff_ode *o, double *in_time) {
  const double t = o->span.from, later = ff_ode_later(t, o->pace.tried);
  memcpy(j->at, o->start, j->pattern.n * sizeof *j->at);
  if (!call(j, o, later)) return 0;
  ff_ode_difference_in_time(j->pattern.n, t, later, o->slope[0], j->slope, in_time);
  return 1;
}

int ff_ode_jacobian_compute(ff_ode_jacobian *j, ff_ode *o, double *in_time) {
  if (o->equations.timed && !differentiate_time(j, o, in_time)) return 0;
  if (o->equations.jacobian != NULL) return o->equations.jacobian(o->equations.of, o->span.from, o->start, j->entry);
  for (uint32_t g = 0; g < j->n_groups; g++)
    if (!differentiate_group(j, o, g)) return 0;
  return 1;
}
