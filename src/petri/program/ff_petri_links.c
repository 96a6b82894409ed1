/* What is computed anew when a value changes. */
#include <stdlib.h>
#include <string.h>

#include "ff_petri_compile_internal.h"

/* ---- variables of levels ------------------------------------------------------------------------------------------------ */

/* Marks values that a term of all transitions of a law reads. */
static void mark_term(const ff_petri_law *law, const ff_petri_term *term, uint8_t *mark, uint8_t as) {
  for (uint32_t k = 0; k < term->n; k++)
    for (uint32_t i = 0; i < law->n; i++) mark[ff_petri_value_of(law, term->row[k], i)] |= as;
}

enum { BY_FLOW = 1, BY_JUMP = 2, BY_SMOOTH = 4 };

static void mark_laws(const ff_petri_program *p, uint8_t *mark) {
  for (uint32_t k = 0; k < p->n_laws; k++) {
    const ff_petri_law *law = &p->law[k];
    const uint8_t as = law->kind == FF_PETRI_CONTINUOUS ? BY_FLOW : BY_JUMP;
    mark_term(law, &law->rate, mark, as);
    mark_term(law, &law->enabled, mark, as);
    for (uint32_t c = 0; c < law->n_effects; c++) mark_term(law, &law->effect[c].formula, mark, as);
  }
  for (uint32_t k = 0; k < p->n_profiles; k++)
    for (uint32_t i = 0; i < p->profile[k].plain.n; i++) mark[p->profile[k].plain.read[i]] |= BY_SMOOTH;
}

/* A variable that is read: a derived formula if it depends on places that do not flow, and otherwise one that moves. */
static ff_status add_variable(ff_petri_maker *m, uint32_t v, uint8_t by) {
  ff_petri_program *p = m->p;
  const int moves = m->variable_class[v] == FF_PETRI_OF_LEVELS;
  ff_petri_plain plain = {0};
  ff_status status = ff_formula_copy(&plain.formula, moves ? &m->smooth[v] : &m->plain[v], m->err);
  if (status == FF_OK) status = ff_petri_localise(m, &plain);
  if (status != FF_OK) {
    ff_petri_plain_free(&plain);
    return status;
  }
  if (!moves) return ff_petri_push_derived(m, FF_PETRI_DISCRETE, p->n_places + v, &plain);
  p->moving[p->n_moving++] = (ff_petri_moving){p->n_places + v, plain, (by & BY_FLOW) != 0};
  return FF_OK;
}

static ff_status add_variables(ff_petri_maker *m, uint8_t *mark) {
  ff_petri_program *p = m->p;
  ff_status status = FF_OK;
  p->moving = ff_calloc(m->flat->n_variables, sizeof *p->moving);
  if (p->moving == NULL) return ff_error_set(m->err, FF_EMEMORY, "no memory for %u variables", m->flat->n_variables);
  for (uint32_t v = 0; v < m->flat->n_variables && status == FF_OK; v++)
    if (mark[p->n_places + v]) status = add_variable(m, v, mark[p->n_places + v]);
  for (uint32_t k = 0; k < p->n_moving; k++)
    for (uint32_t i = 0; i < p->moving[k].plain.n; i++)
      mark[p->moving[k].plain.read[i]] |= p->moving[k].in_flow ? BY_FLOW : BY_JUMP;
  return status;
}

/* ---- what stirs --------------------------------------------------------------------------------------------------------- */

/* A value stirs if the present step of the solver, or a profile's integral in it, is no longer true when it changes; so do
 * levels. A value in the formula of a switch of levels does, too, as crossings must be searched anew. */
static void find_stirs(ff_petri_program *p, const uint8_t *mark) {
  for (uint32_t v = 0; v < p->n_values; v++) p->stirs[v] = v < p->n_levels || (mark[v] & (BY_FLOW | BY_SMOOTH)) != 0;
  for (uint32_t k = 0; k < p->n_derived; k++) {
    const ff_petri_derived *d = &p->derived[k];
    if (d->kind == FF_PETRI_DISCRETE) continue;
    for (uint32_t i = 0; i < d->plain.n; i++) p->stirs[d->plain.read[i]] = 1;
    if (ff_formula_has_time(&d->plain.formula)) p->timed_switches = 1;
  }
  p->timed_flows = (mark[p->time] & BY_FLOW) != 0;
}

/* Whether a firing may change a flow, perhaps by what depends on the places that it changes. */
static void find_stirring_laws(ff_petri_program *p) {
  for (uint32_t k = 0; k < p->n_laws; k++) {
    ff_petri_law *law = &p->law[k];
    for (uint32_t c = 0; c < law->n_effects && !law->stirs; c++)
      for (uint32_t i = 0; i < law->n && !law->stirs; i++) {
        const uint32_t v = ff_petri_value_of(law, law->effect[c].row, i);
        law->stirs |= p->stirs[v];
        for (size_t d = p->derived_first[v]; d < p->derived_first[v + 1]; d++)
          law->stirs |= p->stirs[p->derived[p->derived_of[d]].value];
      }
  }
}

/* ---- lists -------------------------------------------------------------------------------------------------------------- */

/* first[v + 1] has counts of v; they become the places where lists begin. */
static void begin_lists(size_t *first, uint32_t n) {
  for (uint32_t v = 0; v < n; v++) first[v + 1] += first[v];
}

/* After lists were filled from first[v] on, which moved: moves them back. */
static void end_lists(size_t *first, uint32_t n) {
  memmove(first + 1, first, n * sizeof *first);
  first[0] = 0;
}

static ff_status list_derived(ff_petri_maker *m) {
  ff_petri_program *p = m->p;
  p->derived_first = ff_calloc((size_t)p->n_values + 1, sizeof *p->derived_first);
  if (p->derived_first == NULL) return ff_error_set(m->err, FF_EMEMORY, "no memory for lists of %u values", p->n_values);
  for (uint32_t k = 0; k < p->n_derived; k++)
    for (uint32_t i = 0; i < p->derived[k].plain.n; i++) p->derived_first[p->derived[k].plain.read[i] + 1]++;
  begin_lists(p->derived_first, p->n_values);
  p->derived_of = ff_calloc(p->derived_first[p->n_values], sizeof *p->derived_of);
  if (p->derived_of == NULL) return ff_error_set(m->err, FF_EMEMORY, "no memory for lists of %u values", p->n_values);
  for (uint32_t k = 0; k < p->n_derived; k++)
    for (uint32_t i = 0; i < p->derived[k].plain.n; i++) p->derived_of[p->derived_first[p->derived[k].plain.read[i]]++] = k;
  end_lists(p->derived_first, p->n_values);
  return FF_OK;
}

/* The terms that are kept up to date when a value changes: coefficients and tests, not weights, which are computed when they are
 * needed. */
static const ff_petri_term *kept_term(const ff_petri_law *law) {
  return law->kind == FF_PETRI_STOCHASTIC ? &law->rate : law->kind == FF_PETRI_CONTINUOUS ? NULL : &law->enabled;
}

static void count_or_list(ff_petri_program *p, int list) {
  for (uint32_t k = 0; k < p->n_laws; k++) {
    const ff_petri_law *law = &p->law[k];
    const ff_petri_term *term = kept_term(law);
    for (uint32_t i = 0; term != NULL && i < law->n; i++)
      for (uint32_t r = 0; r < term->n; r++) {
        const uint32_t v = ff_petri_value_of(law, term->row[r], i);
        if (list)
          p->member_of[p->member_first[v]++] = (ff_petri_member){k, i};
        else
          p->member_first[v + 1]++;
      }
  }
}

static ff_status list_members_of_values(ff_petri_maker *m) {
  ff_petri_program *p = m->p;
  p->member_first = ff_calloc((size_t)p->n_values + 1, sizeof *p->member_first);
  if (p->member_first == NULL) return ff_error_set(m->err, FF_EMEMORY, "no memory for lists of %u values", p->n_values);
  count_or_list(p, 0);
  begin_lists(p->member_first, p->n_values);
  p->member_of = ff_calloc(p->member_first[p->n_values], sizeof *p->member_of);
  if (p->member_of == NULL) return ff_error_set(m->err, FF_EMEMORY, "no memory for lists of %u values", p->n_values);
  count_or_list(p, 1);
  end_lists(p->member_first, p->n_values);
  return FF_OK;
}

static ff_status list_events(ff_petri_maker *m) {
  ff_petri_program *p = m->p;
  if (p->n_events == 0) return FF_OK;
  p->event_first = ff_calloc((size_t)p->n_values + 1, sizeof *p->event_first);
  if (p->event_first == NULL) return ff_error_set(m->err, FF_EMEMORY, "no memory for lists of %u values", p->n_values);
  for (uint32_t e = 0; e < p->n_events; e++)
    for (uint32_t i = 0; i < p->event[e].untrue.n; i++) p->event_first[p->event[e].untrue.read[i] + 1]++;
  begin_lists(p->event_first, p->n_values);
  p->event_of = ff_calloc(p->event_first[p->n_values], sizeof *p->event_of);
  if (p->event_of == NULL) return ff_error_set(m->err, FF_EMEMORY, "no memory for lists of %u values", p->n_values);
  for (uint32_t e = 0; e < p->n_events; e++)
    for (uint32_t i = 0; i < p->event[e].untrue.n; i++) p->event_of[p->event_first[p->event[e].untrue.read[i]]++] = e;
  end_lists(p->event_first, p->n_values);
  return FF_OK;
}

ff_status ff_petri_compile_links(ff_petri_maker *m) {
  ff_petri_program *p = m->p;
  uint8_t *mark = ff_calloc(p->n_values, sizeof *mark);
  p->stirs = ff_calloc(p->n_values, sizeof *p->stirs);
  ff_status status = mark != NULL && p->stirs != NULL
                         ? FF_OK
                         : ff_error_set(m->err, FF_EMEMORY, "no memory for marks of %u values", p->n_values);
  if (status == FF_OK) {
    mark_laws(p, mark);
    status = add_variables(m, mark);
  }
  if (status == FF_OK) status = list_derived(m);
  if (status == FF_OK) status = list_members_of_values(m);
  if (status == FF_OK) status = list_events(m);
  if (status == FF_OK) {
    find_stirs(p, mark);
    find_stirring_laws(p);
  }
  free(mark);
  return status;
}
