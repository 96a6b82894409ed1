/* Tables for implicit steps in generated code: where derivatives may differ from 0, and the elimination. */
#include "ff_petri_code_internal.h"

#include <stdlib.h>

#include "../../../linear/ff_sparse_order.h"
#include "../../../ode/ff_ode.h"

/* If flows read no level, explicit steps find no mode that is fast: slopes at both stages at the end of a step are the same. */
static int may_be_stiff(const ff_petri_program *p) { return p->column_first[p->n_levels] > 0; }

int ff_petri_code_implicit(const ff_petri_coder *g) {
  const ff_petri_program *p = g->p;
  if (g->is_block || p->n_levels == 0 || p->n_levels > FF_PETRI_CODE_STIFF) return 0;
  if (p->options.integrator == FF_PETRI_ROSENBROCK) return 2;
  return p->options.integrator == FF_PETRI_AUTO && may_be_stiff(p);
}

static void define_sizes(ff_petri_coder *g, const char *name, const size_t *of, size_t n) {
  ff_write(&g->out, "#define %s {", name);
  for (size_t i = 0; i < n; i++)
    if (of[i] == FF_SPARSE_NONE)
      ff_write(&g->out, "FF_SPARSE_NONE, ");
    else
      ff_write(&g->out, "%zuu, ", of[i]);
  ff_write(&g->out, "}\n");
}

static void define_numbers(ff_petri_coder *g, const char *name, const uint32_t *of, size_t n) {
  ff_write(&g->out, "#define %s {", name);
  for (size_t i = 0; i < n; i++) ff_write(&g->out, "%uu, ", of[i]);
  ff_write(&g->out, n == 0 ? "0u}\n" : "}\n");
}

static void define_elimination(ff_petri_coder *g, const ff_sparse_order *o) {
  const uint32_t n = o->n;
  const size_t factors = o->first[n];
  ff_write(&g->out, "#define P_FACTORS %zuu\n", factors);
  define_numbers(g, "P_ORDER", o->order, n);
  define_sizes(g, "P_ROW_FIRST", o->first, (size_t)n + 1);
  define_sizes(g, "P_DIAGONAL", o->diagonal, n);
  define_numbers(g, "P_PLACE", o->column, factors);
  define_sizes(g, "P_SOURCE", o->source, factors);
}

void ff_petri_code_define_implicit(ff_petri_coder *g) {
  const ff_petri_program *p = g->p;
  const int implicit = ff_petri_code_implicit(g);
  uint32_t group[FF_PETRI_CODE_STIFF] = {0}, n_groups = 0;
  ff_sparse_order *order = NULL;
  ff_write(&g->out, "#define P_IMPLICIT %d\n", implicit);
  if (!implicit || g->out.status != FF_OK) return;
  g->out.status = ff_ode_group_columns(group, &n_groups, p->n_levels, p->column_first, p->column_row, g->out.err);
  if (g->out.status == FF_OK)
    g->out.status = ff_sparse_order_new(&order, p->n_levels, p->column_first, p->column_row, g->out.err);
  if (g->out.status != FF_OK) return;
  const size_t entries = p->column_first[p->n_levels];
  ff_write(&g->out, "#define P_ENTRIES %zuu\n#define P_COLUMN_GROUPS %uu\n", entries, n_groups);
  define_sizes(g, "P_COLUMN_FIRST", p->column_first, (size_t)p->n_levels + 1);
  define_numbers(g, "P_COLUMN_ROW", p->column_row, entries);
  define_numbers(g, "P_COLUMN_GROUP", group, p->n_levels);
  define_elimination(g, order);
  ff_sparse_order_free(order);
}
