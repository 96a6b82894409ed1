/* Flows of blocks whose rates are multiples of a value: they are added up without being computed one by one. */
#include <stdlib.h>

#include "ff_petri_compile_internal.h"

/* A flow changes a level by `by` times a value, in a unit of time. */
typedef struct {
  uint32_t level, own, value, number; /* own: whether the value is none of another block */
  double by;
} term;

static int compare(const void *a, const void *b) {
  const term *x = a, *y = b;
  if (x->level != y->level) return x->level < y->level ? -1 : 1;
  if (x->own != y->own) return x->own < y->own ? -1 : 1;
  if (x->value != y->value) return x->value < y->value ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

static int is_multiple(const ff_petri_law *law) {
  return law->n == 1 && !law->varies && (law->rate.simple == FF_PETRI_MULTIPLE || law->rate.simple == FF_PETRI_SYMBOL);
}

/* Lists the terms, and the flows that have none. */
static uint32_t list_terms(ff_petri_program *p, term *list) {
  uint32_t n = 0;
  for (uint32_t f = 0; f < p->n_flows; f++) {
    const ff_petri_law *law = &p->law[p->flow[f]];
    if (!is_multiple(law)) {
      p->single[p->n_singles++] = p->flow[f];
      continue;
    }
    const double number = law->rate.simple == FF_PETRI_MULTIPLE ? law->rate.number : 1;
    const uint32_t value = law->rate.symbol;
    for (uint32_t c = 0; c < law->n_effects; c++, n++)
      list[n] = (term){law->index[law->effect[c].row], !ff_petri_is_given_value(p, value), value, n, law->effect[c].by * number};
  }
  return n;
}

/* Adds up terms of the same value. */
static void merge(ff_petri_program *p, term *list, uint32_t n) {
  uint32_t at = 0;
  if (n > 0) qsort(list, n, sizeof *list, compare);
  for (uint32_t k = 0; k < n; k++) {
    const int again = k > 0 && list[k].level == list[k - 1].level && list[k].value == list[k - 1].value;
    if (again) {
      p->linear_by[at - 1] += list[k].by;
      continue;
    }
    p->linear_value[at] = list[k].value;
    p->linear_by[at++] = list[k].by;
    p->linear_first[list[k].level + 1]++;
  }
  for (uint32_t level = 0; level < p->n_levels; level++) p->linear_first[level + 1] += p->linear_first[level];
}

static void mark_read(ff_petri_program *p, uint32_t value) {
  if (ff_petri_is_given_value(p, value)) p->is_read[value - p->n_levels] = 1;
}

static void mark_formula(ff_petri_program *p, const ff_petri_law *law, const ff_petri_term *formula) {
  for (uint32_t k = 0; k < formula->n; k++)
    for (uint32_t i = 0; i < law->n; i++) mark_read(p, ff_petri_value_of(law, formula->row[k], i));
}

/* Marks given values that formulas read. */
static void mark_all_read(ff_petri_program *p) {
  for (uint32_t s = 0; s < p->n_singles; s++) {
    const ff_petri_law *law = &p->law[p->single[s]];
    mark_formula(p, law, &law->rate);
    for (uint32_t c = 0; c < law->n_effects; c++) mark_formula(p, law, &law->effect[c].formula);
  }
  for (uint32_t m = 0; m < p->n_moving; m++)
    for (uint32_t k = 0; k < p->moving[m].plain.n; k++) mark_read(p, p->moving[m].plain.read[k]);
}

ff_status ff_petri_compile_linear(ff_petri_maker *m) {
  ff_petri_program *p = m->p;
  size_t most = 0;
  if (p->options.role == NULL) return FF_OK;
  for (uint32_t f = 0; f < p->n_flows; f++) most += p->law[p->flow[f]].n_effects;
  term *list = ff_calloc(most, sizeof *list);
  p->single = ff_calloc(p->n_flows, sizeof *p->single);
  p->linear_first = ff_calloc((size_t)p->n_levels + 1, sizeof *p->linear_first);
  p->linear_value = ff_calloc(most, sizeof *p->linear_value);
  p->linear_by = ff_calloc(most, sizeof *p->linear_by);
  p->is_read = ff_calloc(p->n_given, sizeof *p->is_read);
  const int fine = list && p->single && p->linear_first && p->linear_value && p->linear_by && p->is_read;
  if (fine) {
    merge(p, list, list_terms(p, list));
    mark_all_read(p);
  }
  free(list);
  return fine ? FF_OK : ff_error_set(m->err, FF_EMEMORY, "no memory for %zu flows", most);
}
