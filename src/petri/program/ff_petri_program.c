/* The values of a net, its variables, and the order in which it is compiled. */
#include "ff_petri_program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../within/ff_petri_span_math.h"
#include "ff_petri_compile_internal.h"

#define RELATIVE 1e-6
#define MOST_AT_ONCE 1000000u
#define ABSOLUTE 1e-3 /* of the relative tolerance */

/* ---- values ------------------------------------------------------------------------------------------------------------- */

/* Whether an arc of a flow changes its place: 5.4 A -> 5.4 A does not. */
static int changes(const ff_petri_family *family, uint32_t slot) {
  double by = 0;
  int formula = 0;
  for (uint32_t a = 0; a < family->n_arcs; a++) {
    const ff_petri_flat_arc *arc = &family->arc[a];
    if (arc->slot != slot || (arc->kind != FF_ARC_IN && arc->kind != FF_ARC_OUT)) continue;
    formula |= arc->weight.length > 0;
    by += arc->kind == FF_ARC_OUT ? arc->number : -arc->number;
  }
  return formula || by != 0;
}

/* Marks coloured places that a flow changes in any colour. */
static void mark_levels(const ff_petri_flat *flat, const uint32_t *place_of, uint8_t *is_level) {
  for (uint32_t k = 0; k < flat->n_families; k++) {
    const ff_petri_family *family = &flat->family[k];
    if (family->kind != FF_PETRI_CONTINUOUS) continue;
    for (uint32_t s = 0; s < family->n_slots; s++) {
      if (!changes(family, s)) continue;
      for (uint32_t i = 0; i < family->n; i++) {
        const uint32_t place = family->slot[(size_t)s * family->n + i];
        if (!flat->fixed[place]) is_level[place_of[place]] = 1;
      }
    }
  }
}

/* Levels come first, then given ones, then the other places. */
static ff_status number_places(ff_petri_maker *m) {
  ff_petri_program *p = m->p;
  const ff_petri_flat *flat = m->flat;
  const uint32_t n = flat->net->n_places;
  p->place_value = ff_calloc(p->n_places, sizeof *p->place_value);
  p->value_place = ff_calloc(p->n_places, sizeof *p->value_place);
  p->start = ff_calloc(p->n_places, sizeof *p->start);
  uint32_t *place_of = ff_calloc(p->n_places, sizeof *place_of), next = 0;
  uint8_t *is_level = ff_calloc(n, sizeof *is_level);
  const int fine = p->place_value && p->value_place && p->start && place_of && is_level;
  if (fine) {
    for (uint32_t q = 0; q < n; q++)
      for (uint32_t f = flat->first[q]; f < flat->first[q + 1]; f++) place_of[f] = q;
    mark_levels(flat, place_of, is_level);
    for (int turn = 0; turn < 3; turn++) {
      for (uint32_t f = 0; f < p->n_places; f++) {
        const ff_petri_role role = p->options.role != NULL ? (ff_petri_role)p->options.role[f] : FF_PETRI_PLAIN;
        const int flows = role == FF_PETRI_LEVEL || (is_level[place_of[f]] && !flat->fixed[f]);
        if ((role == FF_PETRI_GIVEN ? 1 : flows ? 0 : 2) != turn) continue;
        p->place_value[f] = next;
        p->value_place[next++] = f;
      }
      if (turn == 0) p->n_levels = next;
      if (turn == 1) p->n_given = next - p->n_levels;
    }
    for (uint32_t f = 0; f < p->n_places; f++) p->start[f] = flat->initial[f];
  }
  free(place_of);
  free(is_level);
  return fine ? FF_OK : ff_error_set(m->err, FF_EMEMORY, "no memory for a net of %u places", p->n_places);
}

/* Numbers the parameters that events set. */
static ff_status number_settable(ff_petri_maker *m) {
  ff_petri_program *p = m->p;
  const ff_petri_flat *flat = m->flat;
  const uint32_t first = flat->n_places + flat->n_variables, n = flat->n_parameters;
  m->settable_of = ff_calloc(n, sizeof *m->settable_of);
  p->settable = ff_calloc(n, sizeof *p->settable);
  if (m->settable_of == NULL || p->settable == NULL) return ff_error_set(m->err, FF_EMEMORY, "no memory for %u parameters", n);
  for (uint32_t i = 0; i < n; i++) m->settable_of[i] = FF_PETRI_NO_VALUE;
  for (uint32_t e = 0; e < flat->n_events; e++)
    for (uint32_t i = 0; i < flat->event[e].n_sets; i++) {
      const uint32_t symbol = flat->event[e].sets[i].symbol;
      if (symbol < first || m->settable_of[symbol - first] != FF_PETRI_NO_VALUE) continue;
      m->settable_of[symbol - first] = p->n_settable;
      p->settable[p->n_settable++] = symbol - first;
    }
  return FF_OK;
}

static ff_status make_values(ff_petri_maker *m) {
  ff_petri_program *p = m->p;
  const ff_petri_flat *flat = m->flat;
  size_t n = (size_t)p->n_places + flat->n_variables + 1 + p->n_settable;
  p->time = p->n_places + flat->n_variables;
  m->constants = p->time + 1 + p->n_settable;
  for (uint32_t k = 0; k < flat->n_families; k++) n += (size_t)flat->family[k].n_numbers * flat->family[k].n;
  ff_status status = n < FF_PETRI_NO_VALUE
                         ? FF_OK
                         : ff_error_set(m->err, FF_ESIZE, "the formulas of the net name %zu values; expected fewer than %u", n,
                                        FF_PETRI_NO_VALUE);
  if (status == FF_OK) status = ff_grow((void **)&p->initial, &m->values_room, n, sizeof *p->initial, m->err);
  if (status == FF_OK) status = ff_grow((void **)&m->local, &m->local_room, n, sizeof *m->local, m->err);
  for (uint32_t value = 0; status == FF_OK && p->n_values < n;) status = ff_petri_add_value(m, &value);
  if (status != FF_OK) return status;
  for (uint32_t f = 0; f < p->n_places; f++) p->initial[p->place_value[f]] = flat->initial[f];
  for (uint32_t s = 0; s < p->n_settable; s++) p->initial[p->time + 1 + s] = flat->parameter[p->settable[s]];
  uint32_t at = m->constants;
  for (uint32_t k = 0; k < flat->n_families; k++)
    for (size_t i = 0; i < (size_t)flat->family[k].n_numbers * flat->family[k].n; i++)
      p->initial[at++] = flat->family[k].number[i];
  return FF_OK;
}

/* ---- variables ---------------------------------------------------------------------------------------------------------- */

static ff_status formula_of_symbol(ff_formula *out, uint32_t symbol, ff_error *err) {
  ff_formula_builder b = {0};
  ff_status status = ff_formula_push(&b, (ff_formula_word){FF_F_SYMBOL, symbol, 0}, err);
  if (status == FF_OK) ff_formula_finish(out, &b);
  return status;
}

static ff_status make_parameters(ff_petri_maker *m) {
  ff_status status = FF_OK;
  m->parameter = ff_calloc(m->flat->n_parameters, sizeof *m->parameter);
  if (m->parameter == NULL)
    return ff_error_set(m->err, FF_EMEMORY, "no memory for %u parameters", m->flat->n_parameters);
  for (uint32_t i = 0; i < m->flat->n_parameters && status == FF_OK; i++)
    if (m->settable_of[i] == FF_PETRI_NO_VALUE)
      status = ff_formula_of_number(&m->parameter[i], m->flat->parameter[i], m->err);
    else
      status = formula_of_symbol(&m->parameter[i], m->p->n_places + m->settable_of[i], m->err);
  return status;
}

/* Variables as functions of places and settable parameters. */
static ff_status make_observers(ff_petri_maker *m) {
  const ff_petri_flat *flat = m->flat;
  const uint32_t n_places = flat->n_places, n_variables = flat->n_variables;
  m->p->observer = ff_calloc(n_variables, sizeof *m->p->observer);
  const ff_formula **by = ff_calloc((size_t)n_places + n_variables + flat->n_parameters, sizeof *by);
  ff_status status = m->p->observer != NULL && by != NULL
                         ? FF_OK
                         : ff_error_set(m->err, FF_EMEMORY, "no memory for %u variables", n_variables);
  for (uint32_t i = 0; i < flat->n_parameters && status == FF_OK; i++) by[n_places + n_variables + i] = &m->parameter[i];
  for (uint32_t k = 0; k < n_variables && status == FF_OK; k++) {
    const uint32_t v = flat->order[k];
    status = ff_formula_replace(&m->p->observer[v], &flat->variable[v], by, m->err);
    by[n_places + v] = &m->p->observer[v];
  }
  free(by);
  return status;
}

/* As functions of values: plain ones, and for those of levels or the time with switches. */
static ff_status make_variable(ff_petri_family_maker *f, uint32_t v) {
  ff_petri_maker *m = f->m;
  ff_status status = ff_formula_copy(&m->plain[v], &m->p->observer[v], m->err);
  for (uint32_t at = 0; status == FF_OK && at < m->plain[v].length; at++)
    if (m->plain[v].word[at].code == FF_F_SYMBOL)
      m->plain[v].word[at].symbol = ff_petri_observed_value(m->p, m->plain[v].word[at].symbol);
  if (status != FF_OK) return status;
  m->variable_class[v] = (uint8_t)ff_petri_class_of(f, m->plain[v].word, m->plain[v].length);
  if (m->variable_class[v] < FF_PETRI_OF_LEVELS) {
    m->variable_class[v] = FF_PETRI_OF_COUNTS;
    return FF_OK;
  }
  status = ff_petri_rewrite(f, &m->plain[v], 0, &m->smooth[v]);
  for (uint32_t at = 0; status == FF_OK && at < m->smooth[v].length; at++)
    if (m->smooth[v].word[at].code == FF_F_SYMBOL) m->smooth[v].word[at].symbol = f->law->index[m->smooth[v].word[at].symbol];
  return status;
}

/* Rows are values here. */
static ff_status make_variables(ff_petri_maker *m) {
  const uint32_t n = m->flat->n_variables;
  ff_petri_law law = {0};
  ff_petri_family_maker f = {.m = m, .law = &law};
  m->plain = ff_calloc(n, sizeof *m->plain);
  m->smooth = ff_calloc(n, sizeof *m->smooth);
  m->variable_class = ff_calloc(n, sizeof *m->variable_class);
  ff_status status = m->plain != NULL && m->smooth != NULL && m->variable_class != NULL
                         ? FF_OK
                         : ff_error_set(m->err, FF_EMEMORY, "no memory for %u variables", n);
  if (n == 0 || status != FF_OK) return status;
  status = ff_petri_value_rows(&f);
  for (uint32_t v = 0; v < n && status == FF_OK; v++) status = make_variable(&f, v);
  free(law.index);
  free(f.row_class);
  return status;
}

/* ---- the whole ---------------------------------------------------------------------------------------------------------- */

static ff_status set_options(ff_petri_program *p, const ff_petri_options *options, ff_error *err) {
  p->options = *options;
  if (p->options.relative == 0) p->options.relative = RELATIVE;
  if (p->options.absolute == 0) p->options.absolute = ABSOLUTE * p->options.relative;
  if (p->options.most_at_once == 0) p->options.most_at_once = MOST_AT_ONCE;
  if (!(p->options.relative > 0 && p->options.relative < 1))
    return ff_error_set(err, FF_EARGUMENT, "the relative tolerance is %g; expected a number between 0 and 1",
                        p->options.relative);
  if (!(p->options.absolute > 0 && p->options.absolute < INFINITY))
    return ff_error_set(err, FF_EARGUMENT, "the absolute tolerance is %g; expected a number above 0", p->options.absolute);
  return FF_OK;
}

static void measure_plain(ff_petri_program *p, const ff_petri_plain *x) {
  if (x->formula.depth > p->depth) p->depth = x->formula.depth;
  if (x->n > p->most_reads) p->most_reads = x->n;
}

/* Room for what formulas read, and for their stacks. */
static void measure(ff_petri_program *p) {
  for (uint32_t e = 0; e < p->n_events; e++) {
    const ff_petri_event_law *event = &p->event[e];
    measure_plain(p, &event->untrue);
    measure_plain(p, &event->delay);
    measure_plain(p, &event->priority);
    for (uint32_t i = 0; i < event->n_sets; i++) {
      measure_plain(p, &event->set[i].to);
      measure_plain(p, &event->set[i].factor);
    }
    if (event->n_sets > p->most_sets) p->most_sets = event->n_sets;
  }
  for (uint32_t k = 0; k < p->n_derived; k++) measure_plain(p, &p->derived[k].plain);
  for (uint32_t k = 1; k < p->n_profiles; k++) {
    measure_plain(p, &p->profile[k].plain);
    p->timed_profiles |= p->profile[k].timed;
    p->profile[k].quick = !p->profile[k].timed && ff_petri_span_can(&p->profile[k].plain.formula);
  }
  for (uint32_t k = 0; k < p->n_moving; k++) measure_plain(p, &p->moving[k].plain);
}

static ff_status add_first_profile(ff_petri_maker *m) {
  ff_status status = ff_grow((void **)&m->p->profile, &m->profile_room, 1, sizeof *m->p->profile, m->err);
  if (status == FF_OK) m->p->profile[m->p->n_profiles++] = (ff_petri_profile){{{0}, 0, NULL}, 1, 0, 0};
  return status;
}

static void free_maker(ff_petri_maker *m) {
  for (uint32_t i = 0; i < m->flat->n_parameters && m->parameter != NULL; i++) ff_formula_free(&m->parameter[i]);
  for (uint32_t v = 0; v < m->flat->n_variables; v++) {
    if (m->plain != NULL) ff_formula_free(&m->plain[v]);
    if (m->smooth != NULL) ff_formula_free(&m->smooth[v]);
  }
  free(m->parameter);
  free(m->settable_of);
  free(m->plain);
  free(m->smooth);
  free(m->variable_class);
  free(m->local);
  free(m->slot);
}

ff_status ff_petri_program_new(ff_petri_program **out, const ff_petri_flat *flat, const ff_petri_options *options,
                               ff_error *err) {
  ff_status (*const parts[])(ff_petri_maker *) = {number_places, number_settable, make_values, make_parameters, make_observers,
                                                  add_first_profile, make_variables, ff_petri_compile_laws,
                                                  ff_petri_compile_events, ff_petri_compile_links, ff_petri_compile_groups,
                                                  ff_petri_compile_empty, ff_petri_compile_pattern, ff_petri_compile_linear};
  *out = NULL;
  ff_petri_program *p = ff_calloc(1, sizeof *p);
  if (p == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a net");
  p->flat = flat;
  p->n_places = flat->n_places;
  ff_petri_maker m = {.p = p, .flat = flat, .err = err};
  ff_status status = set_options(p, options, err);
  for (size_t i = 0; i < sizeof parts / sizeof parts[0] && status == FF_OK; i++) status = parts[i](&m);
  measure(p);
  free_maker(&m);
  p->options.role = NULL;
  if (status == FF_OK)
    *out = p;
  else
    ff_petri_program_free(p);
  return status;
}

static void free_term(ff_petri_term *term) {
  ff_formula_free(&term->formula);
  free(term->row);
}

static void free_law(ff_petri_law *law) {
  free_term(&law->enabled);
  free_term(&law->rate);
  for (uint32_t c = 0; c < law->n_effects; c++) free_term(&law->effect[c].formula);
  free(law->effect);
  free(law->index);
  free(law->profile);
}

static void free_event(ff_petri_event_law *event) {
  ff_petri_plain_free(&event->untrue);
  ff_petri_plain_free(&event->delay);
  ff_petri_plain_free(&event->priority);
  for (uint32_t i = 0; i < event->n_sets; i++) {
    ff_petri_plain_free(&event->set[i].to);
    ff_petri_plain_free(&event->set[i].factor);
  }
  free(event->set);
}

void ff_petri_program_free(ff_petri_program *p) {
  if (p == NULL) return;
  for (uint32_t k = 0; k < p->n_laws; k++) free_law(&p->law[k]);
  for (uint32_t k = 0; k < p->n_derived; k++) ff_petri_plain_free(&p->derived[k].plain);
  for (uint32_t k = 0; k < p->n_profiles; k++) ff_petri_plain_free(&p->profile[k].plain);
  for (uint32_t k = 0; k < p->n_moving; k++) ff_petri_plain_free(&p->moving[k].plain);
  for (uint32_t e = 0; e < p->n_events; e++) free_event(&p->event[e]);
  for (uint32_t v = 0; v < p->flat->n_variables && p->observer != NULL; v++) ff_formula_free(&p->observer[v]);
  void *const arrays[] = {p->place_value, p->value_place, p->initial, p->start, p->law, p->flow, p->stochastic, p->immediate,
                          p->timed, p->derived, p->profile, p->moving, p->observer, p->derived_first, p->member_first,
                          p->derived_of, p->member_of, p->stirs, p->cell_first, p->cell_profile, p->cell_members, p->member,
                          p->cell_of, p->group_of, p->factor, p->column_first, p->column_row, p->watched, p->arc_first,
                          p->taker_first, p->taker_arc, p->arc_level, p->taker, p->arc_by, p->linear_first,
                          p->linear_value, p->linear_by, p->is_read, p->single, p->event, p->settable, p->event_first,
                          p->event_of};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) free(arrays[i]);
  ff_sparse_order_free(p->order);
  free(p->column_group);
  free(p);
}

ff_petri_member ff_petri_member_of(const ff_petri_program *p, uint64_t transition) {
  uint32_t low = 0, high = p->n_laws;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (p->law[middle].first <= transition)
      low = middle;
    else
      high = middle;
  }
  return (ff_petri_member){low, (uint32_t)(transition - p->law[low].first)};
}
