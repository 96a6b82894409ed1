/* Groups: stochastic transitions that are joined by places which one of them changes. */
#include <stdlib.h>
#include <string.h>

#include "ff_petri_compile_internal.h"

typedef struct {
  uint32_t *parent;  /* of each stochastic transition: one of the same group; the first one of a group is its own */
  uint32_t *reader;  /* of each value: 1 + a transition that reads or changes it */
  uint8_t *changed;  /* of each value: whether a stochastic transition changes it */
} joins;

static uint32_t root_of(uint32_t *parent, uint32_t t) {
  while (parent[t] != t) {
    parent[t] = parent[parent[t]];
    t = parent[t];
  }
  return t;
}

static void join(joins *j, uint32_t a, uint32_t b) {
  const uint32_t x = root_of(j->parent, a), y = root_of(j->parent, b);
  if (x < y)
    j->parent[y] = x;
  else
    j->parent[x] = y;
}

static void touch(joins *j, uint32_t value, uint32_t t) {
  if (!j->changed[value]) return;
  if (j->reader[value] != 0) join(j, j->reader[value] - 1, t);
  j->reader[value] = t + 1;
}

/* Values that a transition reads by a derived formula, which may be a variable, are read by it, too. */
static void touch_all(const ff_petri_program *p, const uint32_t *derived, joins *j, uint32_t value, uint32_t t) {
  touch(j, value, t);
  if (derived[value] == 0) return;
  const ff_petri_plain *x = &p->derived[derived[value] - 1].plain;
  for (uint32_t k = 0; k < x->n; k++)
    if (x->read[k] >= p->n_levels) touch(j, x->read[k], t);
}

static void mark_changed(const ff_petri_program *p, joins *j) {
  for (uint32_t t = 0; t < p->n_stochastic; t++) {
    const ff_petri_law *law = &p->law[p->stochastic[t].law];
    for (uint32_t c = 0; c < law->n_effects; c++) {
      const uint32_t value = ff_petri_value_of(law, law->effect[c].row, p->stochastic[t].i);
      if (value >= p->n_levels) j->changed[value] = 1;
    }
  }
}

static void join_all(const ff_petri_program *p, const uint32_t *derived, joins *j) {
  for (uint32_t t = 0; t < p->n_stochastic; t++) {
    const ff_petri_law *law = &p->law[p->stochastic[t].law];
    const uint32_t i = p->stochastic[t].i;
    for (uint32_t c = 0; c < law->n_effects; c++) touch(j, ff_petri_value_of(law, law->effect[c].row, i), t);
    for (uint32_t k = 0; k < law->rate.n; k++) touch_all(p, derived, j, ff_petri_value_of(law, law->rate.row[k], i), t);
    const ff_petri_plain *x = &p->profile[law->profile[i]].plain;
    for (uint32_t k = 0; k < x->n; k++) touch_all(p, derived, j, x->read[k], t);
    if ((p->options.one_clock || p->options.paper) && t > 0) join(j, 0, t);
  }
}

/* ---- cells -------------------------------------------------------------------------------------------------------------- */

/* A transition with its group and the first transition of its cell. */
typedef struct {
  uint32_t group, profile, t;
} placed;

static int compare(const void *a, const void *b) {
  const placed *x = a, *y = b;
  if (x->group != y->group) return x->group < y->group ? -1 : 1;
  if (x->profile != y->profile) return x->profile < y->profile ? -1 : 1;
  return (x->t > y->t) - (x->t < y->t);
}

static ff_status allocate(ff_petri_program *p, ff_error *err) {
  const size_t n = p->n_stochastic;
  p->cell_first = ff_calloc(n + 1, sizeof *p->cell_first);
  p->cell_profile = ff_calloc(n, sizeof *p->cell_profile);
  p->cell_members = ff_calloc(n + 1, sizeof *p->cell_members);
  p->member = ff_calloc(n, sizeof *p->member);
  p->cell_of = ff_calloc(n, sizeof *p->cell_of);
  p->group_of = ff_calloc(n, sizeof *p->group_of);
  p->factor = ff_calloc(n, sizeof *p->factor);
  return p->cell_first && p->cell_profile && p->cell_members && p->member && p->cell_of && p->group_of && p->factor
             ? FF_OK
             : ff_error_set(err, FF_EMEMORY, "no memory for groups of %zu transitions", n);
}

/* Groups are numbered by their first transitions, and the cells of a group by their profiles. */
static void list_cells(ff_petri_program *p, const placed *list) {
  for (uint32_t k = 0; k < p->n_stochastic; k++) {
    const placed *x = &list[k];
    const int group = k == 0 || x->group != x[-1].group;
    if (group) p->cell_first[p->n_groups++] = p->n_cells;
    if (group || x->profile != x[-1].profile) {
      p->cell_profile[p->n_cells] = x->profile;
      p->group_of[p->n_cells] = p->n_groups - 1;
      p->cell_members[p->n_cells++] = k;
    }
    p->member[k] = x->t;
    p->cell_of[x->t] = p->n_cells - 1;
  }
  p->cell_first[p->n_groups] = p->n_cells;
  p->cell_members[p->n_cells] = p->n_stochastic;
}

/* Most coefficients are a number times a place. */
static void find_factors(ff_petri_program *p) {
  for (uint32_t t = 0; t < p->n_stochastic; t++) {
    const ff_petri_member m = p->stochastic[t];
    const ff_petri_law *law = &p->law[m.law];
    const ff_petri_term *term = &law->rate;
    p->factor[t] = (ff_petri_factor){1, FF_PETRI_NO_FACTOR};
    if (term->moving || (term->simple != FF_PETRI_MULTIPLE && term->simple != FF_PETRI_SYMBOL)) continue;
    p->factor[t].value = law->n > 1 ? ff_petri_value_of(law, term->row[term->symbol], m.i) : term->symbol;
    if (term->simple == FF_PETRI_MULTIPLE) p->factor[t].number = term->number;
  }
}

ff_status ff_petri_compile_groups(ff_petri_maker *m) {
  ff_petri_program *p = m->p;
  const size_t n = p->n_stochastic;
  joins j = {ff_calloc(n, sizeof *j.parent), ff_calloc(p->n_values, sizeof *j.reader), ff_calloc(p->n_values, 1)};
  placed *list = ff_calloc(n, sizeof *list);
  uint32_t *derived = ff_calloc(p->n_values, sizeof *derived);
  ff_status status = allocate(p, m->err);
  if (status == FF_OK && !(j.parent && j.reader && j.changed && list && derived))
    status = ff_error_set(m->err, FF_EMEMORY, "no memory for groups of %zu transitions", n);
  if (status == FF_OK) {
    for (uint32_t k = 0; k < p->n_derived; k++) derived[p->derived[k].value] = k + 1;
    for (uint32_t t = 0; t < n; t++) j.parent[t] = t;
    mark_changed(p, &j);
    join_all(p, derived, &j);
    for (uint32_t t = 0; t < n; t++)
      list[t] = (placed){root_of(j.parent, t), p->law[p->stochastic[t].law].profile[p->stochastic[t].i], t};
    if (n > 0) qsort(list, n, sizeof *list, compare);
    list_cells(p, list);
    find_factors(p);
  }
  free(j.parent);
  free(j.reader);
  free(j.changed);
  free(list);
  free(derived);
  return status;
}
