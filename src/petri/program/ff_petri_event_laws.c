/* Events as functions of values. */
#include <stdlib.h>

#include "ff_petri_compile_internal.h"

/* What replaces the symbols of the flat net: variables and parameters become functions of places and of settable parameters. */
static const ff_formula **replacements(const ff_petri_maker *m) {
  const ff_petri_flat *flat = m->flat;
  const uint32_t first = flat->n_places + flat->n_variables;
  const ff_formula **by = ff_calloc((size_t)first + flat->n_parameters, sizeof *by);
  if (by == NULL) return NULL;
  for (uint32_t v = 0; v < flat->n_variables; v++) by[flat->n_places + v] = &m->p->observer[v];
  for (uint32_t i = 0; i < flat->n_parameters; i++) by[first + i] = &m->parameter[i];
  return by;
}

/* A formula of the flat net whose symbols become values. */
static ff_status make_values(ff_petri_maker *m, const ff_formula *const *by, const ff_formula *of, ff_formula *out) {
  ff_status status = ff_formula_replace(out, of, by, m->err);
  for (uint32_t at = 0; at < out->length && status == FF_OK; at++)
    if (out->word[at].code == FF_F_SYMBOL) out->word[at].symbol = ff_petri_observed_value(m->p, out->word[at].symbol);
  return status;
}

static ff_status make_plain(ff_petri_maker *m, const ff_formula *const *by, const ff_formula *of, ff_petri_plain *out) {
  if (of->length == 0) return FF_OK;
  ff_status status = make_values(m, by, of, &out->formula);
  return status == FF_OK ? ff_petri_localise(m, out) : status;
}

/* The negation makes the truth of all parts of the trigger matter alone, so that comparisons become switches. */
static ff_status make_trigger(ff_petri_family_maker *f, const ff_formula *const *by, const ff_formula *of, ff_petri_plain *out) {
  ff_petri_maker *m = f->m;
  ff_formula values = {0}, negation = {0};
  ff_formula_builder b = {0};
  ff_status status = make_values(m, by, of, &values);
  for (uint32_t at = 0; at < values.length && status == FF_OK; at++) status = ff_formula_push(&b, values.word[at], m->err);
  if (status == FF_OK) status = ff_formula_push(&b, (ff_formula_word){FF_F_NOT, 0, 0}, m->err);
  ff_formula_free(&values);
  if (status != FF_OK) {
    free(b.word);
    return status;
  }
  ff_formula_finish(&negation, &b);
  status = ff_petri_rewrite(f, &negation, 0, &out->formula);
  ff_formula_free(&negation);
  for (uint32_t at = 0; at < out->formula.length && status == FF_OK; at++)
    if (out->formula.word[at].code == FF_F_SYMBOL) out->formula.word[at].symbol = f->law->index[out->formula.word[at].symbol];
  return status == FF_OK ? ff_petri_localise(m, out) : status;
}

static ff_status make_event(ff_petri_family_maker *f, const ff_formula *const *by, const ff_event *event,
                            ff_petri_event_law *out) {
  ff_petri_maker *m = f->m;
  const uint32_t first = m->flat->n_places + m->flat->n_variables;
  out->initially = event->initially;
  out->persistent = event->persistent;
  out->late = event->late;
  out->set = ff_calloc(event->n_sets, sizeof *out->set);
  if (out->set == NULL) return ff_error_set(m->err, FF_EMEMORY, "no memory for the %u values that an event sets", event->n_sets);
  out->n_sets = event->n_sets;
  ff_status status = make_trigger(f, by, &event->trigger, &out->untrue);
  if (status == FF_OK) status = make_plain(m, by, &event->delay, &out->delay);
  if (status == FF_OK) status = make_plain(m, by, &event->priority, &out->priority);
  for (uint32_t i = 0; i < event->n_sets && status == FF_OK; i++) {
    const ff_event_set *set = &event->sets[i];
    out->set[i].value =
        set->symbol < first ? m->p->place_value[set->symbol] : m->p->time + 1 + m->settable_of[set->symbol - first];
    status = make_plain(m, by, &set->value, &out->set[i].to);
    if (status == FF_OK) status = make_plain(m, by, &set->factor, &out->set[i].factor);
  }
  return status;
}

ff_status ff_petri_compile_events(ff_petri_maker *m) {
  const ff_petri_flat *flat = m->flat;
  ff_petri_law law = {0};
  ff_petri_family_maker f = {.m = m, .law = &law};
  if (flat->n_events == 0) return FF_OK;
  m->p->event = ff_calloc(flat->n_events, sizeof *m->p->event);
  const ff_formula **by = replacements(m);
  ff_status status = m->p->event != NULL && by != NULL
                         ? ff_petri_value_rows(&f)
                         : ff_error_set(m->err, FF_EMEMORY, "no memory for %u events", flat->n_events);
  if (m->p->event != NULL) m->p->n_events = flat->n_events;
  for (uint32_t e = 0; e < flat->n_events && status == FF_OK; e++) status = make_event(&f, by, &flat->event[e], &m->p->event[e]);
  free(by);
  free(law.index);
  free(f.row_class);
  return status;
}
