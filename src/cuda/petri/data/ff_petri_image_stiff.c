/* What an image has for implicit steps: where derivatives are, and their elimination in the order of the program. */
#include <stdlib.h>
#include <string.h>

#include "ff_petri_image_maker.h"

typedef ff_petri_image_maker maker;

/* ---- limits ------------------------------------------------------------------------------------------------------------- */

/* How many entries in all the pivots of an elimination change. */
static uint64_t updates_of(const ff_sparse_order *o) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < o->n; i++)
    for (size_t p = o->first[i]; p < o->diagonal[i]; p++) n += o->first[o->column[p] + 1] - o->diagonal[o->column[p]] - 1;
  return n;
}

static ff_status check_sizes(const ff_petri_program *p, ff_error *err) {
  ff_status status = ff_petri_image_check_size("continuous places that flows change, and implicit steps", p->n_levels,
                                               FF_PETRI_STIFF_LEVELS, err);
  if (status == FF_OK)
    status = ff_petri_image_check_size("derivatives of flows, and implicit steps", p->column_first[p->n_levels],
                                       FF_PETRI_STIFF_ENTRIES, err);
  if (status == FF_OK)
    status = ff_petri_image_check_size("entries in the elimination of implicit steps", p->order->first[p->n_levels],
                                       FF_PETRI_IMAGE_FACTORS, err);
  if (status == FF_OK)
    status = ff_petri_image_check_size("operations in the elimination of implicit steps", updates_of(p->order),
                                       FF_PETRI_IMAGE_UPDATES, err);
  return status;
}

ff_status ff_petri_image_check_stiff(const ff_petri_program *p, ff_error *err) {
  return p->options.integrator == FF_PETRI_ROSENBROCK && p->n_levels > 0 ? check_sizes(p, err) : FF_OK;
}

/* If flows read no level, explicit steps find no mode that is fast: slopes at both stages at the end of a step are the same. */
int ff_petri_image_is_implicit(const ff_petri_program *p) {
  if (p->n_levels == 0) return 0;
  if (p->options.integrator == FF_PETRI_ROSENBROCK) return 1;
  return p->options.integrator == FF_PETRI_AUTO && p->column_first[p->n_levels] > 0 && check_sizes(p, NULL) == FF_OK;
}

/* ---- flows -------------------------------------------------------------------------------------------------------------- */

/* Makes room for n elements of an array that has none. Returns from the function after a failure. */
#define ROOM(m, name, n)                                          \
  do {                                                            \
    if (FF_PETRI_IMAGE_MORE(m, name, n) == NULL) return;          \
    (m)->n_##name = (n);                                          \
  } while (0)

#define COPY(m, name, from, n)                                    \
  do {                                                            \
    ROOM(m, name, n);                                             \
    memcpy((m)->name, from, (n) * sizeof *(m)->name);             \
  } while (0)

/* As lacks_input() of petri/path/ff_petri_flow.c. */
static void put_inputs_of(maker *m, ff_petri_member flow) {
  const ff_petri_law *law = &m->p->law[flow.law];
  for (uint32_t c = 0; c < law->n_effects; c++) {
    const ff_petri_effect *effect = &law->effect[c];
    if (!(effect->by < 0) || effect->formula.formula.length > 0) continue;
    uint32_t *to = FF_PETRI_IMAGE_MORE(m, input, 1);
    if (to == NULL) return;
    *to = m->of[ff_petri_value_of(law, effect->row, flow.i)];
    m->n_input++;
  }
}

void ff_petri_image_put_inputs(maker *m, const uint32_t *place) {
  const ff_petri_program *p = m->p;
  const uint32_t n = (uint32_t)m->n_flow;
  ROOM(m, input_first, (size_t)n + 1);
  ff_petri_member *at = ff_calloc(n, sizeof *at);
  if (at == NULL) {
    m->status = ff_error_set(m->err, FF_EMEMORY, "no memory for the image of a net");
    return;
  }
  for (uint32_t f = 0, flow = 0; f < p->n_flows; f++)
    for (uint32_t i = 0; i < p->law[p->flow[f]].n; i++) at[place[flow++]] = (ff_petri_member){p->flow[f], i};
  for (uint32_t flow = 0; flow < n; flow++) {
    m->input_first[flow] = (uint32_t)m->n_input;
    put_inputs_of(m, at[flow]);
  }
  m->input_first[n] = (uint32_t)m->n_input;
  free(at);
}

/* ---- derivatives -------------------------------------------------------------------------------------------------------- */

/* first[k + 1] is the length of list k, and becomes where the list ends; first[0] is 0. */
static void add_up(uint32_t *first, uint32_t n) {
  for (uint32_t k = 0; k < n; k++) first[k + 1] += first[k];
}

/* first[k] has come to the end of list k, as this was filled. */
static void move_back(uint32_t *first, uint32_t n) {
  memmove(first + 1, first, n * sizeof *first);
  first[0] = 0;
}

static void put_derivatives(maker *m) {
  const ff_petri_program *p = m->p;
  const uint32_t n = p->n_levels;
  const size_t entries = p->column_first[n];
  COPY(m, column_first, p->column_first, (size_t)n + 1);
  COPY(m, column_row, p->column_row, entries);
  COPY(m, column_group, p->column_group, n);
  ROOM(m, row_first, (size_t)n + 1);
  ROOM(m, row_entry, entries);
  ROOM(m, row_column, entries);
  memset(m->row_first, 0, ((size_t)n + 1) * sizeof *m->row_first);
  for (size_t e = 0; e < entries; e++) m->row_first[p->column_row[e] + 1]++;
  add_up(m->row_first, n);
  for (uint32_t c = 0; c < n; c++)
    for (size_t e = p->column_first[c]; e < p->column_first[c + 1]; e++) {
      const uint32_t at = m->row_first[p->column_row[e]]++;
      m->row_entry[at] = (uint32_t)e;
      m->row_column[at] = c;
    }
  move_back(m->row_first, n);
}

/* ---- elimination -------------------------------------------------------------------------------------------------------- */

static uint32_t width_of(const ff_sparse_order *o, uint32_t k) { return (uint32_t)(o->first[k + 1] - o->diagonal[k] - 1); }

/* The entries of a row, whose entry below pivot k is `from`, that the pivot changes: each is there. */
static void list_updates(const ff_sparse_order *o, uint32_t k, size_t from, uint32_t *update) {
  size_t at = from;
  for (size_t q = o->diagonal[k] + 1; q < o->first[k + 1]; q++) {
    while (o->column[at] < o->column[q]) at++;
    *update++ = (uint32_t)at;
  }
}

/* The entries below each pivot, by rows, and what the pivot changes in the rows of these. */
static void put_updates(maker *m, const ff_sparse_order *o) {
  const uint32_t n = o->n;
  ROOM(m, below_first, (size_t)n + 1);
  ROOM(m, update_first, (size_t)n + 1);
  ROOM(m, below, o->first[n]); /* more than there are */
  ROOM(m, update, (size_t)updates_of(o));
  uint32_t *const first = m->below_first, *const begin = m->update_first;
  memset(first, 0, ((size_t)n + 1) * sizeof *first);
  for (uint32_t i = 0; i < n; i++)
    for (size_t p = o->first[i]; p < o->diagonal[i]; p++) first[o->column[p] + 1]++;
  begin[0] = 0;
  for (uint32_t k = 0; k < n; k++) begin[k + 1] = begin[k] + first[k + 1] * width_of(o, k);
  add_up(first, n);
  m->n_below = first[n];
  for (uint32_t i = 0; i < n; i++)
    for (size_t p = o->first[i]; p < o->diagonal[i]; p++) {
      const uint32_t k = o->column[p];
      m->below[first[k]++] = (uint32_t)p;
      list_updates(o, k, p, m->update + begin[k]);
      begin[k] += width_of(o, k);
    }
  move_back(first, n);
  move_back(begin, n);
}

/* Sorts rows by their parts: those of a part can be solved at the same time. Returns the number of parts. */
static uint32_t sort_rows(const uint32_t *part, uint32_t n, uint32_t *first, uint32_t *list) {
  uint32_t n_parts = 0;
  for (uint32_t i = 0; i < n; i++) n_parts = part[i] >= n_parts ? part[i] + 1 : n_parts;
  memset(first, 0, ((size_t)n_parts + 1) * sizeof *first);
  for (uint32_t i = 0; i < n; i++) first[part[i] + 1]++;
  add_up(first, n_parts);
  for (uint32_t i = 0; i < n; i++) list[first[part[i]]++] = i;
  move_back(first, n_parts);
  return n_parts;
}

/* The part after all those of the rows that a row reads. */
static uint32_t part_after(const ff_sparse_order *o, const uint32_t *part, size_t from, size_t to) {
  uint32_t out = 0;
  for (size_t p = from; p < to; p++) out = part[o->column[p]] >= out ? part[o->column[p]] + 1 : out;
  return out;
}

static void put_parts(maker *m, const ff_sparse_order *o, uint32_t *part) {
  const uint32_t n = o->n;
  ROOM(m, forward_first, (size_t)n + 1);
  ROOM(m, forward, n);
  ROOM(m, backward_first, (size_t)n + 1);
  ROOM(m, backward, n);
  for (uint32_t i = 0; i < n; i++) part[i] = part_after(o, part, o->first[i], o->diagonal[i]);
  m->n_forward_first = sort_rows(part, n, m->forward_first, m->forward) + 1;
  for (uint32_t i = n; i-- > 0;) part[i] = part_after(o, part, o->diagonal[i] + 1, o->first[i + 1]);
  m->n_backward_first = sort_rows(part, n, m->backward_first, m->backward) + 1;
}

void ff_petri_image_put_elimination(maker *m) {
  const ff_sparse_order *o = m->p->order;
  const size_t n = o->n, factors = o->first[n];
  put_derivatives(m);
  if (m->status != FF_OK) return;
  COPY(m, order, o->order, n);
  COPY(m, factor_first, o->first, n + 1);
  COPY(m, diagonal, o->diagonal, n);
  COPY(m, factor_column, o->column, factors);
  COPY(m, source, o->source, factors);
  put_updates(m, o);
  uint32_t *part = m->status == FF_OK ? ff_calloc(n, sizeof *part) : NULL;
  if (m->status == FF_OK && part == NULL) m->status = ff_error_set(m->err, FF_EMEMORY, "no memory for the image of a net");
  if (m->status == FF_OK) put_parts(m, o, part);
  free(part);
}
