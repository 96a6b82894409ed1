/* Where the derivatives of flows by levels may differ from 0. */
#include <stdlib.h>
#include <string.h>

#include "../../ode/ff_ode.h"
#include "ff_petri_compile_internal.h"

/* Counts the entries of a column, with repeats, or lists them. */
typedef struct {
  ff_petri_program *p;
  const uint32_t *moving; /* for each value: 1 + the number of the variable that moves, or 0 */
  size_t *first;
  uint32_t *row;          /* NULL: they are counted */
} pattern;

static void add(pattern *x, uint32_t column, uint32_t row) {
  if (x->row == NULL)
    x->first[column + 1]++;
  else
    x->row[x->first[column]++] = row;
}

/* A flow reads a value, and changes some levels. */
static void add_value(pattern *x, const ff_petri_law *law, uint32_t i, uint32_t value) {
  const ff_petri_program *p = x->p;
  for (uint32_t c = 0; c < law->n_effects; c++) {
    const uint32_t row = ff_petri_value_of(law, law->effect[c].row, i);
    if (row >= p->n_levels) continue;
    if (value < p->n_levels) add(x, value, row);
    if (x->moving[value] == 0) continue;
    const ff_petri_plain *plain = &p->moving[x->moving[value] - 1].plain;
    for (uint32_t k = 0; k < plain->n; k++)
      if (plain->read[k] < p->n_levels) add(x, plain->read[k], row);
  }
}

static void add_all(pattern *x) {
  const ff_petri_program *p = x->p;
  for (uint32_t f = 0; f < p->n_flows; f++) {
    const ff_petri_law *law = &p->law[p->flow[f]];
    for (uint32_t i = 0; i < law->n; i++) {
      for (uint32_t k = 0; k < law->rate.n; k++) add_value(x, law, i, ff_petri_value_of(law, law->rate.row[k], i));
      for (uint32_t c = 0; c < law->n_effects; c++)
        for (uint32_t k = 0; k < law->effect[c].formula.n; k++)
          add_value(x, law, i, ff_petri_value_of(law, law->effect[c].formula.row[k], i));
    }
  }
}

/* Drops repeats. */
static void tidy(ff_petri_program *p) {
  size_t end = 0;
  for (uint32_t c = 0; c < p->n_levels; c++) {
    const size_t from = p->column_first[c], n = ff_sort_unique(p->column_row + from, p->column_first[c + 1] - from);
    memmove(p->column_row + end, p->column_row + from, n * sizeof *p->column_row);
    p->column_first[c] = end;
    end += n;
  }
  p->column_first[p->n_levels] = end;
}

static ff_status make(ff_petri_maker *m, const uint32_t *moving) {
  ff_petri_program *p = m->p;
  pattern x = {p, moving, p->column_first, NULL};
  add_all(&x);
  for (uint32_t c = 0; c < p->n_levels; c++) p->column_first[c + 1] += p->column_first[c];
  x.row = p->column_row = ff_calloc(p->column_first[p->n_levels], sizeof *p->column_row);
  if (x.row == NULL) return ff_error_set(m->err, FF_EMEMORY, "no memory for derivatives by %u levels", p->n_levels);
  add_all(&x);
  memmove(p->column_first + 1, p->column_first, p->n_levels * sizeof *p->column_first);
  p->column_first[0] = 0;
  tidy(p);
  return FF_OK;
}

/* How implicit steps differentiate and eliminate; the solver finds this out where it is not there. */
static ff_status order_steps(ff_petri_maker *m) {
  ff_petri_program *p = m->p;
  const int few = p->n_levels <= FF_PETRI_STIFF_LEVELS && p->column_first[p->n_levels] <= FF_PETRI_STIFF_ENTRIES;
  if (p->options.paper || (!few && p->options.integrator != FF_PETRI_ROSENBROCK)) return FF_OK;
  const ff_status status = ff_sparse_order_new(&p->order, p->n_levels, p->column_first, p->column_row, m->err);
  if (status != FF_OK || !few) return status;
  p->column_group = ff_calloc(p->n_levels, sizeof *p->column_group);
  if (p->column_group == NULL) return ff_error_set(m->err, FF_EMEMORY, "no memory for derivatives by %u levels", p->n_levels);
  return ff_ode_group_columns(p->column_group, &p->n_column_groups, p->n_levels, p->column_first, p->column_row, m->err);
}

ff_status ff_petri_compile_pattern(ff_petri_maker *m) {
  ff_petri_program *p = m->p;
  const ff_petri_integrator by = p->options.integrator;
  if (p->n_levels == 0 || (by != FF_PETRI_AUTO && by != FF_PETRI_ROSENBROCK)) return FF_OK;
  uint32_t *moving = ff_calloc(p->n_values, sizeof *moving);
  p->column_first = ff_calloc((size_t)p->n_levels + 1, sizeof *p->column_first);
  ff_status status = moving != NULL && p->column_first != NULL
                         ? FF_OK
                         : ff_error_set(m->err, FF_EMEMORY, "no memory for derivatives by %u levels", p->n_levels);
  if (status == FF_OK) {
    for (uint32_t k = 0; k < p->n_moving; k++) moving[p->moving[k].value] = k + 1;
    status = make(m, moving);
  }
  free(moving);
  return status == FF_OK ? order_steps(m) : status;
}
